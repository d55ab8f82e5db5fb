"""MultiBLiMP (Jumelet, Weissweiler & Bisazza 2025): a pair a row, TAB-separated; read only.

Where the columns say where the target stands and both sentences agree with them, these are the
parts; in the rest (4 of the 4,197 rows for English, Greek and Dutch, questions in which two verbs
were taken for one) the sentences are parted at their one difference. A pair can come several times,
so the row is part of what makes an item; pairs of one sentence are one cluster.
The licence of an item is that of its treebank, which the file does not state: it stays unknown.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from colorless_green.data.errors import InputError
from colorless_green.nonce.formats import Format, read_only
from colorless_green.nonce.formats.pairs import Pair, conditions_of, cut, parted, predictions_of
from colorless_green.nonce.formats.records import table
from colorless_green.nonce.item import Item, item_id
from colorless_green.nonce.suite import Suite, checked

NEEDED = (
    "sen", "wrong_sen", "prefix", "head", "swap_head", "child_features", "head_features",
    "metadata", "attractors", "phenomenon", "lang",
)  # fmt: skip
KEPT = (  # as they stand
    "child", "child_upos", "head", "swap_head", "head_upos", "distance", "feature_vals",
    "num_attractors", "num_congruent_attractors", "num_incongruent_attractors",
    "grammatical_feature", "ungrammatical_feature", "wo", "inflect_item", "agreement_certainty",
    "sample_weight",
)  # fmt: skip
PARTS = "parted"  # the fact of a pair whose columns do not say where its target is
FILE = re.compile(r"(?P<treebank>[^/]+)/(?P<language>[a-z]{2,3})_[^/]*")


def read(path: Path) -> Suite:
    """The pairs of a file; the suite is named after it.

    Predictions are `full` and, where every pair has parts, `prefix`. Features stand among the facts
    as in UD (`Number=Sing|Person=3`), lemmas apart. Raises `InputError` with the line for a column
    that is missing and for a cell that is no Python literal where one is due.
    """
    items = [
        _item(row, number, place) for number, (place, row) in enumerate(table(path, "\t", NEEDED))
    ]
    if not items:
        raise InputError(str(path), "no pair in it", "a MultiBLiMP table", kind="empty")
    name = path.name.removesuffix(".gz").removesuffix(".tsv")
    return checked(Suite(name, tuple(items), predictions_of(items)), str(path))


def _item(row: Mapping[str, str], number: int, place: str) -> Item:
    metadata = _literal(row, "metadata", dict, place)
    file = str(metadata.get("treebank", ""))
    match = FILE.fullmatch(file)
    treebank = match["treebank"] if match else ""
    sent_id = str(metadata.get("sent_id", ""))
    pair, is_parted = _pair(row, place)
    return Item(
        item_id=item_id("MultiBLiMP", row["lang"], number, row["sen"], row["wrong_sen"]),
        kind="suite",
        cluster_id=item_id("MultiBLiMP", row["lang"], file, sent_id, row["sen"]),
        language=match["language"] if match else row["lang"],
        source=" ".join(("MultiBLiMP 1.0", treebank)).strip(),
        licence="",
        conditions=conditions_of(pair),
        facts={
            "construction": row["phenomenon"],
            "treebank": treebank,
            "file": file.rpartition("/")[2],
            "sent_id": sent_id,
            **{name: row[name] for name in KEPT if name in row},
            **dict(_features(row, "child", place)),
            **dict(_features(row, "head", place)),
            "attractors": " ".join(_forms(row, place)),
            **({PARTS: "by their difference"} if is_parted else {}),
        },
    )


def _pair(row: Mapping[str, str], place: str) -> tuple[Pair, bool]:
    """A row's pair, and whether it was parted without the help of its columns."""
    right, wrong = row["sen"], row["wrong_sen"]
    if not (right.strip() and wrong.strip()):
        raise InputError(place, "an empty sentence", "two sentences", kind="format")
    one, other = cut(right, row["prefix"], row["head"]), cut(wrong, row["prefix"], row["swap_head"])
    if one and other and one.rest == other.rest:
        return Pair(right, wrong, (one, other)), False
    return Pair(right, wrong, parted(right, wrong)), True


def _features(row: Mapping[str, str], name: str, place: str) -> Iterator[tuple[str, str]]:
    """FEATS and lemma of the subject (`child`) or verb (`head`), as facts."""
    features = {
        str(key): str(value)
        for key, value in _literal(row, f"{name}_features", dict, place).items()
    }
    lemma = features.pop("lemma", "_")
    yield f"{name}_lemma", lemma
    feats = sorted(features.items(), key=lambda pair: pair[0].lower())
    yield f"{name}_feats", "|".join(f"{key}={value}" for key, value in feats) or "_"


def _forms(row: Mapping[str, str], place: str) -> Iterator[str]:
    for each in _literal(row, "attractors", list, place):
        if not isinstance(each, dict) or "form" not in each:
            raise InputError(
                place, "an attractor without a form", "a MultiBLiMP table", kind="format"
            )
        yield str(each["form"])


def _literal(row: Mapping[str, str], name: str, kind: type, place: str) -> Any:
    """A cell that holds a Python literal; it is parsed, never run."""
    try:
        value = ast.literal_eval(row[name])
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        value = None
    if not isinstance(value, kind):
        wrong = f"{name} is {row[name]!r:.40}"
        raise InputError(place, wrong, f"a Python {kind.__name__} of plain values", kind="format")
    return value


FORMAT = Format(read, read_only("multiblimp"))
