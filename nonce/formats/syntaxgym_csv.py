"""SyntaxGym's CSV: one row a region, no formulas, no metric.

The same content as the JSON (see `syntaxgym.py`), item by item, condition by condition. Text is
written as it is: a content that begins with `=`, `+`, `-` or `@` is quoted where CSV needs it and
never altered, so import such a file into a spreadsheet as text. What it cannot hold: formulas,
words, spacing, facts, several sentences in a condition.
Read: the formulas, metric and name are those of the SyntaxGym JSON of the same name that lies
beside (`x.json` beside `x.csv`, with or without items of its own); without one the suite has no
predictions, but regions `prefix`, `target`, `rest` under `match` and `mismatch` are the pairs they
were, with the prediction of agreement.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

from colorless_green.data.errors import InputError
from colorless_green.nonce.formats import Format
from colorless_green.nonce.formats.detect import format_told
from colorless_green.nonce.formats.records import OURS, get, malformed, stem, table, write_table
from colorless_green.nonce.formats.syntaxgym import (
    NAMES,
    PAIR,
    WHOLE_NUMBER,
    document_of,
    from_plain,
    plain,
)
from colorless_green.nonce.item import PREFIX, REST, TARGET, Wording
from colorless_green.nonce.suite import AGREEMENT, Suite

COLUMNS = ("item_number", "condition_name", "region_number", "region_name", "content")
PARTS = (PREFIX, TARGET, REST)


def write(suite: Suite, path: Path, vocabulary: frozenset[str] | None = None) -> None:
    """A suite as one table. Raises `InputError` where items differ in their conditions or regions,
    and for several sentences in one condition."""
    for item in suite.items:
        if any(len(wordings) != 1 for wordings in item.conditions.values()):
            place, wrong = f"item {item.item_id}", "several sentences in a condition"
            raise InputError(place, wrong, "--format syntaxgym", kind="unsupported")
    document = plain(suite)
    rows = (
        {
            "item_number": str(item["item_number"]),
            "condition_name": condition["condition_name"],
            "region_number": (number := str(region["region_number"])),
            "region_name": document["region_meta"][number],
            "content": region["content"],
        }
        for item in document["items"]
        for condition in item["conditions"]
        for region in condition["regions"]
    )
    write_table(path, ",", rows, COLUMNS)


def read(path: Path) -> Suite:
    """The suite of a table, named after the file or by the JSON beside it. Raises `InputError` with
    the line of a number that is none, and of a region that has two names."""
    names: dict[str, str] = {}
    cells = []
    for place, row in table(path, ",", COLUMNS):
        for column in ("item_number", "region_number"):
            if WHOLE_NUMBER.fullmatch(row[column]) is None:
                raise malformed(place, f"{column} is {row[column]!r:.40}", "a whole number")
        number = row["region_number"]
        if names.setdefault(number, row["region_name"]) != row["region_name"]:
            wrong = f"region {number} is called {row['region_name']!r:.40}"
            raise malformed(place, wrong, f"{names[number]!r}, as before")
        cells.append(row)
    meta, predictions = _beside(path)
    document = {
        "meta": meta,
        "region_meta": names,
        "predictions": predictions,
        "items": [
            _item(number, rows) for number, rows in groupby(cells, lambda r: r["item_number"])
        ],
    }
    suite = from_plain(document, str(path))
    return suite if predictions else _as_pairs(suite, tuple(names.values()))


def _beside(path: Path) -> tuple[dict[str, Any], list[Any]]:
    """`meta` and `predictions` for a table: those of the SyntaxGym JSON of the same name, or its
    own name and none."""
    name = stem(path, (".csv",))
    meta: dict[str, Any] = {"name": name, "metric": "sum"}
    beside = path.with_name(f"{name}.json")
    if not beside.is_file() or format_told(beside) != "syntaxgym":
        return meta, []
    document = {"meta": {}, "predictions": [], **document_of(beside)}
    said = get(document, "meta", dict, str(beside))
    meta.update((key, value) for key, value in said.items() if key != OURS)
    return meta, get(document, "predictions", list, str(beside))


def _item(number: str, rows: Iterator[dict[str, str]]) -> dict[str, Any]:
    conditions = [
        {
            "condition_name": label,
            "regions": [
                {"region_number": int(row["region_number"]), "content": row["content"]}
                for row in own
            ],
        }
        for label, own in groupby(rows, lambda row: row["condition_name"])
    ]
    return {"item_number": int(number), "conditions": conditions}


def _as_pairs(suite: Suite, names: tuple[str, ...]) -> Suite:
    """A suite of `match` and `mismatch` over prefix, target and rest as pairs, right and wrong."""
    labels = {label: name for name, label in PAIR.items()}
    if names != PARTS or any(set(item.conditions) != set(labels) for item in suite.items):
        return suite
    meta = {key: value for key, value in suite.meta.items() if key != NAMES}

    def renamed(wording: Wording) -> Wording:
        return tuple(replace(r, region=name) for r, name in zip(wording, PARTS, strict=True))

    items = [
        replace(
            item,
            conditions={
                labels[label]: tuple(map(renamed, wordings))
                for label, wordings in item.conditions.items()
            },
        )
        for item in suite.items
    ]
    return replace(suite, items=tuple(items), predictions=(AGREEMENT,), meta=meta)


FORMAT = Format(read, write)
