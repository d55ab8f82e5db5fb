"""The format of SyntaxGym's CSV: a region in each row, without formulas and metric.

It has the items of the JSON (`syntaxgym.py`), item by item, condition by condition, and can only be
read. Formulas, metric and name are taken from the SyntaxGym JSON of the same name beside it
(`x.json` beside `x.csv`, with or without items of its own). Without that file a suite has no
predictions; only if the regions are `prefix`, `target` and `rest`, and the conditions `match` and
`mismatch`, it becomes a suite of pairs with the prediction of agreement.
"""

from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from ..items.item import PREFIX, REST, TARGET
from ..items.suite import AGREEMENT, Suite
from ..records import OURS, get, json_list, malformed, stem, table
from .detect import detect_format
from .format import Format
from .syntaxgym import LABELS, REGION_META, WHOLE_NUMBER, document_of, from_document

COLUMNS = ("item_number", "condition_name", "region_number", "region_name", "content")
PARTS = (PREFIX, TARGET, REST)


def read(path: Path) -> Suite:
    """Read the suite of a table; it is named after the file, or as the JSON beside it says.

    Raises `InputError`, with the line, for a cell that should be a whole number and is not, and for
    a region with two names.
    """
    rows, names = _rows_and_names(path)
    meta, predictions = _meta_and_predictions(path)
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
                        for row in condition_rows
                    ]}
                    for label, condition_rows in groupby(item_rows, itemgetter("condition_name"))
                ],
            }
            for number, item_rows in groupby(rows, itemgetter("item_number"))
        ],
    }  # fmt: skip
    suite = from_document(document, str(path))
    are_pairs = all(set(item.conditions) == set(LABELS.values()) for item in suite.items)
    if predictions or tuple(names.values()) != PARTS or not are_pairs:
        return suite
    return _with_names_of_pairs(suite)


def _rows_and_names(path: Path) -> tuple[list[dict[str, str]], dict[str, str]]:
    """Return the rows of a table, and number of a region → its name."""
    names: dict[str, str] = {}
    rows = []
    for location, row in table(path, COLUMNS):
        for column in ("item_number", "region_number"):
            if WHOLE_NUMBER.fullmatch(row[column]) is None:
                raise malformed(location, f"{column} is {row[column]!r:.40}", "a whole number")
        number = row["region_number"]
        if names.setdefault(number, row["region_name"]) != row["region_name"]:
            wrong = f"region {number} is called {row['region_name']!r:.40}"
            raise malformed(location, wrong, f"{names[number]!r}, as before")
        rows.append(row)
    return rows, names


def _meta_and_predictions(path: Path) -> tuple[dict[str, Any], list[Any]]:
    """Return what the JSON beside a table has under `meta` and `predictions`. If there is none, the
    suite is named after the table, has the metric sum, and no predictions."""
    name = stem(path, (".csv",))
    json_path = path.with_name(f"{name}.json")
    meta: dict[str, Any] = {"name": name, "metric": "sum"}
    predictions: list[Any] = []
    if json_path.is_file() and detect_format(json_path) == "syntaxgym":
        json_document = {"meta": {}, "predictions": [], **document_of(json_path)}
        meta |= get(json_document, "meta", dict, str(json_path))
        meta.pop(OURS, None)
        predictions = json_list(json_document, "predictions", str(json_path))
    return meta, predictions


def _with_names_of_pairs(suite: Suite) -> Suite:
    """Return a suite of pairs with our names of conditions and regions, and the prediction of
    agreement. Its conditions have SyntaxGym's names of `LABELS`, its regions numbers."""
    condition_of = {label: condition for condition, label in LABELS.items()}
    items = [
        replace(item, conditions={
            condition_of[label]: (tuple(
                replace(region, region=name)
                for region, name in zip(wording, PARTS, strict=True)
            ),)
            for label, (wording,) in item.conditions.items()
        })
        for item in suite.items
    ]  # fmt: skip
    meta = {key: value for key, value in suite.meta.items() if key != REGION_META}
    return replace(suite, items=tuple(items), predictions=(AGREEMENT,), meta=meta)


FORMAT = Format(read)
