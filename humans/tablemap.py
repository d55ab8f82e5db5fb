"""What a map file says of a table whose columns have other names than ours.

    {"delimiter": ";", "decimal": ",", "encoding": "utf-8", "missing": ["", "NA"],
     "columns": {"participant": "Subj", "rt_ms": {"column": "RT (s)", "scale": 1000},
                 "kind": {"column": "type", "regex": "^([a-z]+)", "values": {"fill": "filler"}}},
     "constants": {"list": "A"}, "where": {"released": "1"},
     "layout": "wide", "items": "^q_(?P<item>.+)$"}

Every key may be left out. A source takes a column's cell, of it what `regex` finds (its first group
if it has one; nothing if it finds nothing), of that what `values` says (others stay), times
`scale`. `where` keeps rows with these cells, the others are counted. In the wide layout a row is a
person and each column that `items` matches a trial: group `item` (or the first) is the item, group
`field` what the cell is (`chosen` without one).
"""

import codecs
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from colorless_green.data.errors import InputError
from colorless_green.data.files import read_text
from colorless_green.data.registry import nearest

SOURCE = ("column", "scale", "regex", "values")  # keys of what a column is made of
DELIMITERS = ("auto", ",", ";", "\t")
STRETCH = 200  # characters of a regular expression: enough for any name of a column


@dataclass(frozen=True, slots=True)
class Source:
    """Where the cells of one of our columns come from."""

    column: str
    scale: str = ""  # a decimal number, as text: 0.1 s are exactly 100 ms
    regex: re.Pattern[str] | None = None
    values: Mapping[str, str] = field(default_factory=dict)

    def taken(self, cell: str) -> str:
        """What of a cell is ours; the scale is left to who knows the decimal point."""
        if self.regex is not None:
            found = self.regex.search(cell)
            cell = found[1 if self.regex.groups else 0] or "" if found else ""
        return self.values.get(cell, cell)


@dataclass(frozen=True, slots=True)
class TableMap:
    """A map file; as it is made, nothing has another name than ours."""

    columns: Mapping[str, Source] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)
    where: Mapping[str, str] = field(default_factory=dict)
    delimiter: str = ""  # "": told by the header
    decimal: str = ""  # "": a comma where commas do not part cells, or a point
    encoding: str = "utf-8-sig"
    missing: tuple[str, ...] | None = None  # None: those of the format
    items: re.Pattern[str] | None = None  # columns of the wide layout


def read_map(path: Path) -> TableMap:
    """The map in a JSON file. Raises `InputError` with the key that is wrong."""
    place = str(path)
    try:
        stated = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise InputError(place, f"not JSON ({error})", "a map of columns", kind="format") from None
    if not isinstance(stated, dict):
        raise InputError(place, "not a JSON object", "a map of columns", kind="format")
    known = ("delimiter", "decimal", "encoding", "missing", "columns", "constants", "where",
             "layout", "items")  # fmt: skip
    for key in stated:
        if key not in known:
            raise InputError(place, f"no such key {key!r}", nearest(key, known), kind="unknown")
    columns = _mapping(stated, "columns", place)
    wide = stated.get("layout", "long")
    if wide not in ("long", "wide") or (wide == "wide") != ("items" in stated):
        raise InputError(
            place,
            f"layout is {wide!r}",
            '"wide" with `items`, or "long" (the default) without',
            kind="format",
        )
    delimiter = _one_of(stated.get("delimiter", "auto"), DELIMITERS, "delimiter", place)
    return TableMap(
        columns={name: _source(value, f"{place}: {name}") for name, value in columns.items()},
        constants=_texts(stated, "constants", place),
        where=_texts(stated, "where", place),
        delimiter="" if delimiter == "auto" else delimiter,
        decimal=_one_of(stated.get("decimal", ""), ("", ".", ","), "decimal", place),
        encoding=_encoding(stated.get("encoding", "utf-8-sig"), place),
        missing=_missing(stated.get("missing"), place),
        items=_regex(stated["items"], f"{place}: items") if wide == "wide" else None,
    )


def _mapping(stated: Mapping[str, Any], key: str, place: str) -> dict[str, Any]:
    value = stated.get(key, {})
    if not isinstance(value, dict):
        raise InputError(place, f"{key} is no object", "names, each with its value", kind="format")
    return value


def _texts(stated: Mapping[str, Any], key: str, place: str) -> dict[str, str]:
    found = _mapping(stated, key, place)
    for name, value in found.items():
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise InputError(place, f"{key} {name!r} is {value!r}", "a text", kind="format")
    return {name: str(value) for name, value in found.items()}


def _one_of(value: Any, known: tuple[str, ...], key: str, place: str) -> str:
    if value not in known:
        raise InputError(
            place,
            f"{key} is {value!r}",
            nearest(str(value), map(repr, known)),
            kind="unknown",
        )
    return str(value)


def _source(value: Any, place: str) -> Source:
    if isinstance(value, str):
        return Source(value)
    if not isinstance(value, dict) or not isinstance(value.get("column"), str):
        raise InputError(place, "no column", 'a name, or {"column": NAME, …}', kind="format")
    for key in value:
        if key not in SOURCE:
            raise InputError(place, f"no such key {key!r}", nearest(key, SOURCE), kind="unknown")
    scale = value.get("scale", "")
    if scale != "" and (isinstance(scale, bool) or not isinstance(scale, int | float)):
        raise InputError(place, f"scale is {scale!r}", "a number", kind="format")
    return Source(
        value["column"],
        str(scale),
        _regex(value["regex"], place) if "regex" in value else None,
        _texts(value, "values", place),
    )


def _regex(value: Any, place: str) -> re.Pattern[str]:
    try:
        if not isinstance(value, str) or len(value) > STRETCH:
            raise re.error(f"not a text of {STRETCH} characters or fewer")
        return re.compile(value)
    except re.error as error:
        raise InputError(
            place, f"not a regular expression ({error})", "as in Python", kind="format"
        ) from None


def _encoding(value: Any, place: str) -> str:
    try:
        name = codecs.lookup(value).name
    except (LookupError, TypeError):
        raise InputError(place, f"no encoding {value!r}", "utf-8, say", kind="unknown") from None
    return "utf-8-sig" if name == "utf-8" else name


def _missing(value: Any, place: str) -> tuple[str, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise InputError(place, f"missing is {value!r}", "a list of texts", kind="format")
    return tuple(value)
