"""Reflexive accuracies out of surprisals by sentence (Hu, Chen & Levy 2020, Table 3).

Columns `pronoun,row,item,counterbalance,mismatch_position,grammatical`, then one for each model
with the surprisal at the pronoun. The rules (suite facts §3.3, §3.4): surprisals are averaged over
an item's variants, by condition; an item is right where the ungrammatical condition is above both
others; where all three are equal it counts 1/3, the expectation of the authors' random draw; any
other tie is wrong. A table's cell is the mean over the three pronouns. The authors take the
distractor by its label and the ungrammatical condition by `grammatical`, which is wrong in a third
of the rows of experiment 1a, `themselves`, so that a distractor counts as both; so does this, since
so the paper's figures came about.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.registry import nearest
from colorless_green.data.result import Result
from colorless_green.data.tables import Row
from colorless_green.nonce.formats.records import table
from colorless_green.nonce.formats.reflexives import (
    BASELINE,
    DISTRACTOR,
    EXPERIMENTS,
    LABELS,
    UNGRAMMATICAL,
    is_papers,
)
from colorless_green.nonce.prediction import TIE_BITS

COLUMNS = (
    "experiment", "row", "items", "model", "pronoun", "n_items", "accuracy", "over_baseline",
    "over_distractor", "n_ties", "low", "high",
)  # fmt: skip
NEEDED = ("pronoun", "row", "item", "counterbalance", "mismatch_position", "grammatical")
MODELS = {
    "bert": "BERT",
    "trans": "TransXL",
    "jrnn": "JRNN",
    "grnn": "GRNN",
    "tiny": "TinyLSTM",
    "rnng": "RNNG",
    "5gram": "5-gram",
}
PREFIX = "target_surprisals_"

Means = Mapping[str, float]
"""Condition → mean surprisal of an item's variants."""
Key = tuple[str, int]
"""(pronoun, item)"""


def credit(means: Means) -> float:
    """1, 0, or 1/3 for three equal means (within TIE_BITS)."""
    if max(means.values()) - min(means.values()) <= TIE_BITS:
        return 1 / 3
    return float(_above(means, BASELINE) and _above(means, DISTRACTOR))


def _above(means: Means, other: str) -> bool:
    """Whether the ungrammatical condition surprises more than another, no tie."""
    return means[UNGRAMMATICAL] - means[other] > TIE_BITS


def recomputed(files: Sequence[Path]) -> Result:
    """Rows by experiment, items (`paper`: those behind Table 3; `all`), model and pronoun; an empty
    pronoun is the mean of the pronouns, with its interval over items.

    Raises `InputError` for a file whose name does not tell its experiment, and with the line of a
    surprisal that is no number.
    """
    return Result(tuple(row for file in files for row in _rows(file)), COLUMNS)


def _rows(file: Path) -> Iterator[Row]:
    experiment = file.name.removesuffix(".gz").removesuffix(".csv").removeprefix(PREFIX)
    if experiment not in EXPERIMENTS:
        wrong = f"its name does not tell the experiment ({experiment!r:.40})"
        raise InputError(str(file), wrong, f"{PREFIX}exp2-rc.csv, say", kind="format")
    for model, means in _means(file).items():
        for which in ("paper", "all"):
            chosen = {
                key: own
                for key, own in means.items()
                if which == "all" or is_papers(experiment, *key)
            }
            head = {"experiment": experiment, "row": EXPERIMENTS[experiment].row, "items": which}
            yield from _model_rows({**head, "model": MODELS.get(model, model)}, chosen)


def _means(file: Path) -> dict[str, dict[Key, Means]]:
    """Model → item → means."""
    found: dict[str, dict[Key, dict[str, list[float]]]] = {}
    place = str(file)
    for place, row in table(file, ",", NEEDED):
        key = (row["pronoun"], _whole(row["item"], place))
        for model in (name for name in row if name not in NEEDED):
            own = found.setdefault(model, {}).setdefault(
                key, {name: [] for name in (BASELINE, DISTRACTOR, UNGRAMMATICAL)}
            )
            bits = _number(row[model], model, place)
            for condition in _conditions(row, place):
                own[condition].append(bits)
    if not found:
        raise InputError(place, "no surprisal in it", "a column for each model", kind="empty")
    for items in found.values():
        for (pronoun, item), own in items.items():
            if not all(own.values()):
                wrong = f"item {item} of {pronoun!r:.20} lacks a condition"
                raise InputError(
                    place, wrong, f"{BASELINE}, {DISTRACTOR}, {UNGRAMMATICAL}", kind="missing"
                )
    return {
        model: {
            key: {name: math.fsum(bits) / len(bits) for name, bits in own.items()}
            for key, own in items.items()
        }
        for model, items in found.items()
    }


def _conditions(row: Mapping[str, str], place: str) -> Iterator[str]:
    """The conditions that the authors count a row to: none, one, or, if it contradicts itself, two
    or none."""
    label = LABELS.get(row["mismatch_position"])
    if label is None:
        wrong = f"mismatch_position is {row['mismatch_position']!r:.20}"
        raise InputError(place, wrong, nearest(row["mismatch_position"], LABELS), kind="unknown")
    if label in (BASELINE, DISTRACTOR):
        yield label
    if row["grammatical"] == "0":
        yield UNGRAMMATICAL


def _whole(cell: str, place: str) -> int:
    if not (cell.isascii() and cell.isdigit() and len(cell) < 10):
        raise InputError(place, f"item is {cell!r:.20}", "a whole number", kind="format")
    return int(cell)


def _number(cell: str, model: str, place: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(place, f"{model} is {cell!r:.20}", "a surprisal", kind="format")
    return value


def _model_rows(head: Mapping[str, str], means: Mapping[Key, Means]) -> Iterator[Row]:
    from colorless_green.nonce.intervals import cluster_interval

    pronouns = list(dict.fromkeys(pronoun for pronoun, _ in means))
    rows = [
        {
            **head,
            "pronoun": pronoun,
            **_measures([m for (p, _), m in means.items() if p == pronoun]),
        }
        for pronoun in pronouns
    ]
    credits = [credit(own) for own in means.values()]
    interval = cluster_interval(credits, [f"{pronoun} {item}" for pronoun, item in means])
    yield from rows
    yield {
        **head,
        "pronoun": "",
        "n_items": len(means),
        **{name: _mean(row[name] for row in rows) for name in SHARES},
        "n_ties": sum(int(row["n_ties"]) for row in rows),
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
    }


SHARES = ("accuracy", "over_baseline", "over_distractor")


def _measures(items: Sequence[Means]) -> dict[str, int | float]:
    credits = [credit(each) for each in items]
    return {
        "n_items": len(items),
        "accuracy": _mean(credits),
        "over_baseline": _mean(_above(each, BASELINE) for each in items),
        "over_distractor": _mean(_above(each, DISTRACTOR) for each in items),
        "n_ties": sum(0 < each < 1 for each in credits),
    }


def _mean(values: Iterable[float | int | str]) -> float:
    found = [float(each) for each in values]
    return math.fsum(found) / len(found)


def accuracies(files: Sequence[Path]) -> Result:
    """The authors' own accuracies (`accuracy/*.csv`, all items), by pronoun and their mean. Ties of
    the 5-gram model were drawn at random there."""
    rows: list[Row] = []
    columns = ("total_acc", "vs_baseline_acc", "vs_distractor_acc")
    for file in files:
        found: dict[tuple[str, str], list[tuple[float, ...]]] = {}
        for place, row in table(file, ",", ("exp", "model", "pronoun", *columns)):
            shares = tuple(_number(row[name], name, place) for name in columns)
            found.setdefault((row["exp"], row["model"]), []).append(shares)
            rows.append(_authors(row["exp"], row["model"], row["pronoun"], shares))
        for (experiment, model), members in found.items():
            means = tuple(_mean(column) for column in zip(*members, strict=True))
            rows.append(_authors(experiment, model, "", means))
    return Result(rows, COLUMNS)


def _authors(experiment: str, model: str, pronoun: str, shares: Sequence[float]) -> Row:
    known = EXPERIMENTS.get(experiment)
    return {
        "experiment": experiment,
        "row": known.row if known else "",
        "items": "all",
        "model": MODELS.get(model, model),
        "pronoun": pronoun,
        **dict(zip(SHARES, shares, strict=True)),
    }
