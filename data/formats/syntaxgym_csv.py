"""SyntaxGym's CSV: one row a region, no formulas, no metric.

It has the content of the JSON (`syntaxgym.py`), item by item, condition by condition, and is only
read. Its formulas, metric and name are read from the SyntaxGym JSON of the same
name beside it (`x.json` beside `x.csv`, with or without items of its own); without one it has no
predictions.
"""

from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from ..items.suite import Suite
from ..records import OURS, get, json_list, malformed, stem, table
from .detect import detect_format
from .format import Format
from .syntaxgym import WHOLE_NUMBER, document_of, from_document

COLUMNS = ("item_number", "condition_name", "region_number", "region_name", "content")


def read(path: Path) -> Suite:
    """Read the suite of a table, named after the file or by the JSON with its predictions.

    Raises `InputError` with the line of a number that is none, and of a region that has two names.
    """
    names: dict[str, str] = {}
    cells = []
    for location, row in table(path, ",", COLUMNS):
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
    return from_document(document, str(path))


FORMAT = Format(read)
