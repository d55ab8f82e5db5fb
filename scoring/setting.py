"""What a scoring is told: the method, and the conventions in which published set-ups differ."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.registry import named
from colorless_green.data.seeds import generator, shuffled
from colorless_green.nonce.item import Item, Region, Wording, sentence_text
from colorless_green.nonce.mined import PREFIX, REST, TARGET
from colorless_green.nonce.suite import Suite
from colorless_green.scoring.acceptability import MEASURES, WITH_UNIGRAMS
from colorless_green.scoring.methods import METHODS
from colorless_green.scoring.plan import EOS, METRICS

PERIODS = ("keep", "add", "drop")
MARKS = ".!?…‼⁇⁈⁉。．｡！？؟۔।॥։።፧"  # that end a sentence, of whatever script
CLOSING = "\"'”’“‘»«›‹)]」』"  # that may stand behind them
STOP = re.compile(rf"(?:\s*[{MARKS}])+(?P<closing>(?:\s*[{re.escape(CLOSING)}])*)\s*$")
PERIOD = "period"  # the region of one that was added
CUT = (PREFIX, TARGET, REST)


@dataclass(frozen=True, slots=True)
class Setting:
    """Everything beside model and suite that an outcome depends on."""

    method: str = "target"  # one of METHODS or MEASURES
    metric: str = ""  # over a region's subwords; "" for the suite's own
    eos: str = "none"
    period: str = "keep"  # at the end of each sentence
    premise: str = ""  # of `pmi`
    unigrams: Path | None = None  # text for the measures that need one
    oov: str = "exclude"
    ties: str = "share"
    limit: int | None = None  # the first so many items
    sample: int | None = None  # so many items of each construction
    seed: int = 0

    def named(self) -> str:
        """The method with what else it asks of a model, for tables. How ties and unknown words
        count, and which items were taken, stands in the options of a run."""
        told = {"eos": self.eos, "period": self.period, "metric": self.metric}
        usual = {"eos": "none", "period": "keep", "metric": ""}
        parts = [f"{name}={value}" for name, value in told.items() if value != usual[name]]
        if self.premise:
            parts.append(f"premise={self.premise!r}")
        return " ".join([self.method, *parts])


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


def setting_of(setup: str, given: Mapping[str, object]) -> Setting:
    """The setting of a published set-up ("" for ours), with what the user gave himself in its
    place; `given` holds None for what he did not."""
    told = dict(named(SETUPS, setup, "--setup")) if setup else {}
    own = {name: value for name, value in given.items() if value is not None}
    found = replace(Setting(), **{**told, **own})  # type: ignore[arg-type]  # names are fields
    return _checked(found)


def _checked(told: Setting) -> Setting:
    named({**METHODS, **MEASURES}, told.method, "--method")
    named(dict.fromkeys(EOS), told.eos, "--eos")
    named(dict.fromkeys(PERIODS), told.period, "--period")
    if told.metric:
        named(METRICS, told.metric, "--metric")
    if told.premise and told.method != "pmi":
        raise InputError(
            "--premise", f"--method {told.method} has none", "--method pmi", kind="unsupported"
        )
    if told.method in WITH_UNIGRAMS and told.unigrams is None:
        raise InputError(
            f"--method {told.method}",
            "it weighs a sentence against its words' frequencies, and no text was named",
            "--unigrams TEXT",
            kind="missing",
        )
    if told.unigrams is not None and told.method not in WITH_UNIGRAMS:
        right = f"--method with one of {', '.join(WITH_UNIGRAMS)}"
        raise InputError(
            "--unigrams", f"--method {told.method} does not use them", right, kind="conflict"
        )
    return told


def prepared(suite: Suite, told: Setting) -> Suite:
    """The items that are wanted, their sentences ended as the setting says."""
    items = chosen(suite.items, told)
    if told.period != "keep":
        items = tuple(_ended(item, told.period) for item in items)
    return replace(suite, items=items, metric=told.metric or suite.metric)


def chosen(items: tuple[Item, ...], told: Setting) -> tuple[Item, ...]:
    """The first `limit` items, or `sample` of each construction, in the order of the suite.

    What stands in one set stays together, so there can be some more of them; the choice depends on
    the seed and the ids alone, so that every model is asked the same.
    """
    if told.limit is not None:
        begun = {item.set_id for item in items[: told.limit] if item.set_id}
        rest = (item for item in items[told.limit :] if item.set_id in begun)
        items = (*items[: told.limit], *rest)
    if told.sample is None:
        return items
    groups: dict[str, dict[str, list[str]]] = {}
    for item in items:
        name = item.agreement.construction if item.agreement else item.facts.get("construction", "")
        unit = item.set_id or item.item_id
        groups.setdefault(name or item.facts.get("uid", ""), {}).setdefault(unit, []).append(
            item.item_id
        )
    kept = {each for name, units in groups.items() for each in _drawn(name, units, told)}
    return tuple(item for item in items if item.item_id in kept)


def _drawn(name: str, units: Mapping[str, Sequence[str]], told: Setting) -> list[str]:
    found: list[str] = []
    for unit in shuffled(generator(told.seed, f"sample {name}"), sorted(units)):
        if len(found) >= (told.sample or 0):
            break
        found += units[unit]
    return found


def _ended(item: Item, period: str) -> Item:
    end = _with_period if period == "add" else _without_period
    conditions = {
        name: tuple(end(wording) for wording in wordings)
        for name, wordings in item.conditions.items()
    }
    return replace(item, conditions=conditions)


def _with_period(wording: Wording) -> Wording:
    """A region of its own; of what is cut in prefix, target and rest, part of the rest, so that it
    stays a pair."""
    if STOP.search(sentence_text(wording)):
        return wording
    if tuple(region.region for region in wording) == CUT:
        *before, rest = wording
        return (*before, replace(rest, words=(*rest.words, "."), text=f"{rest.text}."))
    return (*wording, Region(PERIOD, (".",), "."))


def _without_period(wording: Wording) -> Wording:
    """Only the last region that has text can have it; one that is nothing else becomes empty.
    Quotation marks and brackets that close behind it stay."""
    for index in range(len(wording) - 1, -1, -1):
        region = wording[index]
        if region.text.strip():
            stop = STOP.search(region.text)
            if stop is None:
                return wording
            text = region.text[: stop.start()] + stop["closing"]
            bare = replace(region, text=text, words=_words_without_period(region.words))
            return (*wording[:index], bare, *wording[index + 1 :])
    return wording


def _words_without_period(words: Sequence[str]) -> tuple[str, ...]:
    closing = _n_at_end(words, CLOSING)
    end = len(words) - closing
    start = end - _n_at_end(words[:end], MARKS)
    return (*words[:start], *words[end:])


def _n_at_end(words: Sequence[str], signs: str) -> int:
    """How many words at the end are nothing but these signs."""
    return sum(1 for _ in takewhile(lambda word: not word.strip(signs), reversed(words)))
