"""The format of JSON lines: one item a line, as `items/item_record.py` writes it, without loss."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..items.item import Item
from ..items.item_record import from_record, to_record
from ..items.prediction import Prediction, from_list, to_list
from ..items.suite import AGREEMENT, Suite, checked
from ..records import get, json_lines, stem
from ..tables import write_jsonl
from .format import Format


def write(suite: Suite, path: Path, vocabulary: frozenset[str] | None = None) -> None:
    """Write a line for each item of a suite; the file's stem is the suite's name.

    If the suite has other predictions than AGREEMENT, every line has them under `predictions`: name
    → formula, or [formula, "optional"]. Raises `InputError` for a metric other than the sum, for
    which the format has no place.
    """
    if suite.items and suite.metric != "sum":
        wrong = f"its metric is {suite.metric!r}, but JSON lines always use the sum"
        right = "--format syntaxgym"
        raise InputError(f"suite {suite.name}", wrong, right, kind="unsupported")
    formulas = {
        name: [source, *options] if options else source
        for name, source, *options in map(to_list, suite.predictions)  # options: "optional"
    }
    every_line = {} if suite.predictions == (AGREEMENT,) else {"predictions": formulas}
    write_jsonl(path, (to_record(item) | every_line for item in suite.items))


def read(path: Path) -> Suite:
    """Read the suite of a file that `write` wrote.

    A prediction that some lines do not have is optional. Raises `InputError` with the line of a
    faulty item.
    """
    items: list[Item] = []
    by_name: dict[str, Prediction] = {}
    n_lines: Counter[str] = Counter()  # name of a prediction → lines that have it
    for location, record in json_lines(path):
        for name, values in _formulas(record, location).items():
            if name not in by_name:
                by_name[name] = from_list(values, location)
            elif to_list(by_name[name]) != values:
                wrong = f"the prediction {name!r} had another formula before"
                raise InputError(location, wrong, "one formula for each name", kind="conflict")
            n_lines[name] += 1
        items.append(from_record(record, location))
    predictions = tuple(
        replace(entry, optional=entry.optional or n_lines[entry.name] < len(items))
        for entry in by_name.values()
    )
    suite = Suite(stem(path, (".jsonl",)), tuple(items), predictions)
    return checked(suite, str(path), "one JSON object a line")


def _formulas(record: Mapping[str, Any], location: str) -> dict[str, list[Any]]:
    """Return the predictions in a line: name → list that `from_list` reads. A line without the key
    `predictions` has the usual one, AGREEMENT: the target has less surprisal if right."""
    if "predictions" not in record:
        return {AGREEMENT.name: to_list(AGREEMENT)}
    return {
        name: [name, *(formula if isinstance(formula, list) else [formula])]
        for name, formula in get(record, "predictions", dict, location).items()
    }


FORMAT = Format(read, write)
