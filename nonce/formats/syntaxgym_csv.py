"""SyntaxGym's CSV: one row a region, no formulas, no metric.

It has the content of the JSON (`syntaxgym.py`), item by item, condition by condition. A content
that begins with `=`, `+`, `-` or `@` is quoted where CSV needs it and never altered, so import such
a file into a spreadsheet as text. What it cannot hold: formulas, words, spacing, facts, several
sentences in a condition. Its formulas, metric and name are read from the SyntaxGym JSON of the same
name beside it (`x.json` beside `x.csv`, with or without items of its own); without one it has no
predictions, but regions `prefix`, `target`, `rest` under `match` and `mismatch` are the pairs they
were, with the prediction of agreement.
"""

from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from colorless_green.data.errors import InputError
from colorless_green.nonce.formats import Format
from colorless_green.nonce.formats.detect import detect_format
from colorless_green.nonce.formats.records import (
    OURS,
    get,
    json_list,
    malformed,
    stem,
    table,
    write_table,
)
from colorless_green.nonce.formats.syntaxgym import (
    NAMES,
    PAIR,
    WHOLE_NUMBER,
    document_of,
    from_plain,
    plain,
)
from colorless_green.nonce.item import PREFIX, REST, TARGET
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
    name = stem(path, (".csv",))
    beside = path.with_name(f"{name}.json")
    meta: dict[str, Any] = {"name": name, "metric": "sum"}
    predictions: list[Any] = []
    if beside.is_file() and detect_format(beside) == "syntaxgym":
        stated = {"meta": {}, "predictions": [], **document_of(beside)}
        meta |= get(stated, "meta", dict, str(beside))
        meta.pop(OURS, None)
        predictions = json_list(stated, "predictions", str(beside))
    document = {
        "meta": meta,
        "region_meta": names,
        "predictions": predictions,
        "items": [
            {
                "item_number": int(number),
                "conditions": [
                    {"condition_name": label, "regions": [
                        {"region_number": int(row["region_number"]), "content": row["content"]}
                        for row in of_condition
                    ]}
                    for label, of_condition in groupby(of_item, itemgetter("condition_name"))
                ],
            }
            for number, of_item in groupby(cells, itemgetter("item_number"))
        ],
    }  # fmt: skip
    suite = from_plain(document, str(path))
    labels = {label: name for name, label in PAIR.items()}
    is_pairs = all(set(item.conditions) == set(labels) for item in suite.items)
    if predictions or tuple(names.values()) != PARTS or not is_pairs:
        return suite
    items = [
        replace(item, conditions={
            labels[label]: (tuple(
                replace(region, region=name)
                for region, name in zip(wording, PARTS, strict=True)
            ),)
            for label, (wording,) in item.conditions.items()
        })
        for item in suite.items
    ]  # fmt: skip
    meta = {key: value for key, value in suite.meta.items() if key != NAMES}
    return replace(suite, items=tuple(items), predictions=(AGREEMENT,), meta=meta)


FORMAT = Format(read, write)
