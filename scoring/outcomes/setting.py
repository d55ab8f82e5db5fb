"""How a model is asked: the method, and the conventions in which published set-ups differ."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path

import numpy as np

from ...data.errors import InputError
from ...data.items.item import Item
from ...data.items.item_table import ItemTable, table_of
from ...data.items.penn import penn
from ...data.items.sentences import RegionPart
from ...data.items.suite import Suite, select_items
from ...data.registry import look_up
from ...data.seeds import generator, shuffled
from ..questions.methods import CUT, METHODS
from ..questions.plan import EOS
from .acceptability import MEASURES, WITH_UNIGRAMS
from .evaluate import METRICS

PERIODS = ("keep", "add", "drop")
OOVS, TIES = ("exclude", "keep"), ("share", "wrong")
MARKS = ".!?…‼⁇⁈⁉。．｡！？؟۔।॥։።፧"  # that end a sentence, of whatever script
CLOSING = "\"'”’“‘»«›‹)]」』"  # that may stand behind them
STOP = re.compile(rf"(?:\s*[{MARKS}])+(?P<closing>(?:\s*[{re.escape(CLOSING)}])*)\s*$")
PERIOD = "period"  # the region of one that was added


@dataclass(frozen=True, slots=True)
class ScoreSetting:
    """Everything beside model and suite that an outcome depends on.

    Attributes:
        method: a key of METHODS or MEASURES.
        metric: over a region's subwords, a key of METRICS; "": the suite's own.
        eos: the end of the sentence: `none`, `sentence` or `region`.
        period: at the end of each sentence: `keep`, `add` or `drop`.
        premise: what `pmi` sets targets after.
        unigrams: a text for the measures that need one; else `None`.
        oov: items with a scored word that a word-level model lacks: `exclude` or `keep`.
        ties: worth their share of orderings (`share`), or nothing (`wrong`).
        construction: only items of these; patterns with `*`. Empty: all.
        limit: only the first so many items; `None`: all.
        sample: so many items of each construction; `None`: all.
        seed: of the sample.
    """

    method: str = "target"
    metric: str = ""
    eos: str = "none"
    period: str = "keep"
    premise: str = ""
    unigrams: Path | None = None
    oov: str = "exclude"
    ties: str = "share"
    construction: tuple[str, ...] = ()
    limit: int | None = None
    sample: int | None = None
    seed: int = 0

    def named(self) -> str:
        """The method with what else it asks of a model, for tables. How ties and unknown words
        count, and which items were taken, stands in the options of a run."""
        options = {"eos": self.eos, "period": self.period, "metric": self.metric}
        usual = {"eos": "none", "period": "keep", "metric": ""}
        parts = [f"{name}={value}" for name, value in options.items() if value != usual[name]]
        if self.premise:
            parts.append(f"premise={self.premise!r}")
        return " ".join([self.method, *parts])

    def options(self) -> dict[str, str]:
        """Return the options that are not as usual: name → value, as a run keeps them."""
        names = ("metric", "eos", "period", "premise", "limit", "sample")
        options = {
            name: str(value)
            for name in names
            if (value := getattr(self, name)) != getattr(ScoreSetting(), name)
        }
        if self.construction:
            options["construction"] = "\n".join(self.construction)
        if self.sample is not None:
            options["seed"] = str(self.seed)
        return options


SETUPS: Mapping[str, Mapping[str, str]] = {
    "linzen2016": {"method": "one-prefix", "ties": "wrong"},
    "gulordava2018": {"method": "target", "ties": "wrong"},
    "marvin2018": {"method": "sentence", "period": "add", "ties": "wrong", "oov": "keep"},
    "marvin2018-ngram": {
        "method": "sentence", "period": "add", "eos": "sentence", "ties": "wrong", "oov": "keep",
    },
    "warstadt2020": {"method": "sentence", "ties": "wrong", "oov": "keep"},
    "hu2020": {"method": "target", "eos": "region", "ties": "wrong", "oov": "keep"},
}  # fmt: skip
"""Published set-ups: what their papers and scripts do (spec of each in docs/scoring.md)."""


def setting_of(setup: str, requested: Mapping[str, object]) -> ScoreSetting:
    """Puts a setting together: a published set-up, and what the user asks for in its place.

    Args:
        setup: name of the set-up, as `gulordava2018`; "": ours.
        requested: fields of `ScoreSetting`; `None` for what the user does not ask for.

    Returns:
        The setting.

    Raises:
        InputError: something does not exist, or things do not go together.

    >>> setting = setting_of("gulordava2018", {"oov": "keep", "eos": None})
    >>> setting.ties, setting.oov, setting.eos
    ('wrong', 'keep', 'none')
    """
    of_setup = dict(look_up(SETUPS, setup, "--setup")) if setup else {}
    of_user = {name: value for name, value in requested.items() if value is not None}
    setting = replace(ScoreSetting(), **{**of_setup, **of_user})  # type: ignore[arg-type]  # names are fields
    method = setting.method
    for option, choices, value in (
        ("--method", {**METHODS, **MEASURES}, method),
        ("--eos", EOS, setting.eos),
        ("--period", PERIODS, setting.period),
        ("--metric", ("", *METRICS), setting.metric),
        ("--oov", OOVS, setting.oov),
        ("--ties", TIES, setting.ties),
    ):
        if value not in choices:
            look_up(dict.fromkeys(filter(None, choices)), value, option)
    for option, n in (("--limit", setting.limit), ("--sample", setting.sample)):
        if n is not None and n < 1:
            raise InputError(option, f"{n} items", "1 or more", kind="value")
    if setting.premise and method != "pmi":
        raise InputError(
            "--premise", f"--method {method} has none", "--method pmi", kind="unsupported"
        )
    if method in WITH_UNIGRAMS and setting.unigrams is None:
        wrong = "it needs word frequencies, and no text was named"
        raise InputError(f"--method {method}", wrong, "--unigrams TEXT", kind="missing")
    if setting.unigrams is not None and method not in WITH_UNIGRAMS:
        wrong = f"--method {method} does not use them"
        right = f"--method with one of {', '.join(WITH_UNIGRAMS)}"
        raise InputError("--unigrams", wrong, right, kind="conflict")
    return setting


def setting_in(method: str, options: Mapping[str, str]) -> ScoreSetting:
    """The setting of a stored run, as far as its questions hang on it."""
    values: dict[str, object] = {
        name: options[name] for name in ("metric", "eos", "period", "premise") if name in options
    }
    values |= {n: int(options[n]) for n in ("limit", "sample", "seed") if n in options}
    if "construction" in options:
        values["construction"] = tuple(options["construction"].split("\n"))
    return replace(ScoreSetting(method.partition(" ")[0]), **values)  # type: ignore[arg-type]  # as above


def prepared(suite: Suite, setting: ScoreSetting) -> Suite:
    """Makes a suite ready to be asked about: the items that are wanted, their periods as wanted.

    Args:
        suite: the suite.
        setting: what is wanted.

    Returns:
        The suite with these items, sentence ends and metric.

    >>> from pathlib import Path
    >>> from colorless_green import load_suite
    >>> _ = Path("keys.tsv").write_text("right\\twrong\\nthe keys are .\\tthe keys is .\\n")
    >>> suite = prepared(load_suite("keys.tsv"), ScoreSetting(period="drop"))
    >>> [region.text for region in suite.items[0].conditions["right"][0]]
    ['the keys', ' are', '']
    """
    table = chosen_items(suite.table, setting)
    if setting.period != "keep":
        sentences, change = (
            table.sentences,
            with_period if setting.period == "add" else without_period,
        )
        old_parts = enumerate(map(sentences.parts, range(len(sentences.condition))))
        parts = {row: new for row, old in old_parts if (new := change(old)) is not old}
        table = table.changed(sentences.replaced(parts)) if parts else table
    return replace(suite, items=table, metric=setting.metric or suite.metric)


def chosen_items(items: Sequence[Item], setting: ScoreSetting) -> ItemTable:
    """Chooses the items that are wanted.

    What stands in one set stays together, so there can be some more of them; the choice depends on
    the seed and the ids alone, so that every model is asked the same.

    Args:
        items: the items of a suite.
        setting: what is wanted: `construction`, `limit`, `sample` and `seed`.

    Returns:
        The items of the constructions: the first `limit` of them, or `sample` of each, in the order
        of the suite.

    >>> from colorless_green.data import Item
    >>> items = [Item(name, "suite", name, "en", "", "", {}) for name in ("a1", "a2", "a3")]
    >>> len(chosen_items(items, ScoreSetting(limit=2)))
    2
    """
    table = table_of(select_items(items, setting.construction))
    if setting.limit is not None and setting.limit < len(table):
        sets = table.frame["set_id"]
        begun = sets[: setting.limit].filter(sets[: setting.limit] != "")
        completing = (
            sets[setting.limit :].is_in(begun.to_list()).arg_true().to_numpy() + setting.limit
        )
        table = table.take(np.concatenate([np.arange(setting.limit), completing]))
    if setting.sample is None:
        return table
    groups: dict[str, dict[str, list[int]]] = {}
    columns = (table.frame[name] for name in ("construction", "set_id", "item_id"))
    for row, (construction, set_id, item_id) in enumerate(zip(*columns, strict=True)):
        groups.setdefault(construction, {}).setdefault(set_id or item_id, []).append(row)
    chosen: list[int] = []
    for name, units in groups.items():
        sampled: list[int] = []
        for unit in shuffled(generator(setting.seed, f"sample {name}"), sorted(units)):
            sampled += units[unit] if len(sampled) < setting.sample else []
        chosen += sampled
    return table.take(np.array(sorted(chosen), np.int64))


def with_period(parts: Sequence[RegionPart]) -> Sequence[RegionPart]:
    """A region of its own; of what is cut in prefix, target and rest, part of the rest, so that it
    stays a pair."""
    if STOP.search("".join(text for _, text, _ in parts)):
        return parts
    if tuple(name for name, _, _ in parts) == CUT:
        *leading, (name, text, words) = parts
        return [*leading, (name, f"{text}.", (*(penn(text) if words is None else words), "."))]
    return [*parts, (PERIOD, ".", None)]


def without_period(parts: Sequence[RegionPart]) -> Sequence[RegionPart]:
    """Only the last region that has text can have it; one that is nothing else becomes empty.
    Quotation marks and brackets that close behind it stay."""
    filled = [index for index, (_, text, _) in enumerate(parts) if text.strip()]
    stop = STOP.search(parts[filled[-1]][1]) if filled else None
    if stop is None:
        return parts
    name, text, words = parts[filled[-1]]
    remaining = list(penn(text) if words is None else words)
    closing = _n_at_end(remaining, CLOSING)
    end = len(remaining) - closing
    del remaining[end - _n_at_end(remaining[:end], MARKS) : end]
    bare = (name, text[: stop.start()] + stop["closing"], tuple(remaining))
    return [*parts[: filled[-1]], bare, *parts[filled[-1] + 1 :]]


def _n_at_end(words: Sequence[str], signs: str) -> int:
    """Count the words at the end that consist of these signs alone."""
    return sum(1 for _ in takewhile(lambda word: not word.strip(signs), reversed(words)))
