"""SyntaxGym's CSV: one row a region, no formulas, no metric.

It has the content of the JSON (`syntaxgym.py`), item by item, condition by condition, and is only
read. Its formulas, metric and name are read from the SyntaxGym JSON of the same
name beside it (`x.json` beside `x.csv`, with or without items of its own); without one it has no
predictions, but regions `prefix`, `target`, `rest` under `match` and `mismatch` are the pairs they
were, with the prediction of agreement.
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
from .syntaxgym import NAMES, PAIR, WHOLE_NUMBER, document_of, from_document

COLUMNS = ("item_number", "condition_name", "region_number", "region_name", "content")
PARTS = (PREFIX, TARGET, REST)


def read(path: Path) -> Suite:
    """Read the suite of a table, named after the file or by the JSON with its predictions.

    Raises `InputError` with the line of a number that is none, and of a region that has two names.
    """
    names: dict[str, str] = {}
    cells = []
    for location, row in table(path, COLUMNS):
        for column in ("item_number", "region_number"):
            if WHOLE_NUMBER.fullmatch(row[column]) is None:
                raise malformed(location, f"{column} is {row[column]!r:.40}", "a whole number")
        number = row["region_number"]
        if names.setdefault(number, row["region_name"]) != row["region_name"]:
            wrong = f"region {number} is called {row['region_name']!r:.40}"
            raise malformed(location, wrong, f"{names[number]!r}, as before")
        cells.append(row)
    name = stem(path, (".csv",))
    json_path = path.with_name(f"{name}.json")
    meta: dict[str, Any] = {"name": name, "metric": "sum"}
    predictions: list[Any] = []
    if json_path.is_file() and detect_format(json_path) == "syntaxgym":
        json_document = {"meta": {}, "predictions": [], **document_of(json_path)}
        meta |= get(json_document, "meta", dict, str(json_path))
        meta.pop(OURS, None)
        predictions = json_list(json_document, "predictions", str(json_path))
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
    suite = from_document(document, str(path))
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


FORMAT = Format(read)
