"""Text of a browser's trials: JSON arrays (one, several in a row, or nested), JSON lines, or CSV.

The fields are jsPsych's (6 to 8), whatever stored them: a value that a row lacks and one that is
null are both missing, in CSV too, where they are written as an empty cell and as `null`.
"""

import html
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from colorless_green.data.errors import InputError
from colorless_green.data.tables import SURROGATE
from colorless_green.humans.formats.sheet import sheet_of

TAG = re.compile(r"<[^<>]*>")
NESTED = 3  # arrays in arrays: people, then components, then trials
SPACE = " \t\r\n,\ufeff"


@dataclass(frozen=True, slots=True)
class Trial:
    """One object of a browser's data, and where it stands."""

    place: str
    fields: Mapping[str, Any]

    def get(self, *names: str) -> Any:
        """The first of these fields that is there; None if none is."""
        return next((self.fields[name] for name in names if name in self.fields), None)

    def text(self, *names: str) -> str:
        """The same as text; numbers are written out."""
        value = self.get(*names)
        if value is None or isinstance(value, dict | list):
            return ""
        if isinstance(value, float) and value == int(value):
            value = int(value)
        return str(value).strip()


def trials_in(text: str, path: Path) -> list[Trial]:
    """Every object in a file, in order. Raises `InputError` for what is neither JSON nor CSV."""
    if text.lstrip(SPACE)[:1] in ("[", "{"):
        found = [value for top in _values(text, path) for value in _objects(top, path, NESTED)]
    else:
        found = [
            (line.place, {name: _unpacked(cell) for name, cell in line.cells.items() if cell})
            for line in sheet_of(text, path, ("trial_type", "trial_index"), ",").lines
        ]
    return [
        Trial(place, {name: value for name, value in fields.items() if value is not None})
        for place, fields in found
    ]


def _values(text: str, path: Path) -> Iterator[tuple[str, Any]]:
    """(place, value) of the JSON values that stand one after another."""
    if SURROGATE.search(text):
        raise InputError(
            str(path), "half of a surrogate pair", "text that is Unicode", kind="unreadable"
        )
    decoder = json.JSONDecoder(parse_constant=_refused)
    at, line, counted = 0, 1, 0
    while True:
        while at < len(text) and text[at] in SPACE:
            at += 1
        if at == len(text):
            return
        line += text.count("\n", counted, at)
        counted = at
        place = f"{path}:{line}"
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            raise InputError(
                place, f"not JSON ({error})", "data as jsPsych saves them", kind="format"
            ) from None
        yield place, value


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is no number of JSON")


def _objects(top: tuple[str, Any], path: Path, depth: int) -> Iterator[tuple[str, dict[str, Any]]]:
    place, value = top
    if isinstance(value, dict):
        yield place, value
        return
    if not isinstance(value, list) or depth == 0:
        raise InputError(
            place, "neither an object nor an array of them", "an array of trials", kind="format"
        )
    for number, inner in enumerate(value, start=1):
        where = f"{place}, trial {number}" if isinstance(inner, dict) else place
        yield from _objects((where, inner), path, depth - 1)


def _unpacked(cell: str) -> Any:
    """What jsPsych's CSV has in a cell: JSON text of objects, arrays and null; else the text."""
    if cell == "null":
        return None
    if cell[:1] in "[{":
        try:
            return json.loads(cell)
        except (ValueError, RecursionError):
            return cell
    return cell


def stripped(markup: Any) -> str:
    """The text of a piece of HTML: no tags, no entities, one blank between words."""
    return " ".join(html.unescape(TAG.sub(" ", str(markup or ""))).split())


def number_of(value: Any, what: str, place: str) -> float | None:
    """A number, also as text; None for a missing one."""
    if value is None or value == "":
        return None
    try:
        found = float("nan") if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        found = float("nan")
    if not abs(found) < float("inf"):
        raise InputError(place, f"{what} is {value!r}", "a number, or null", kind="format")
    return found


def texts(value: Any) -> Sequence[str]:
    """An array of labels as text; empty for anything else."""
    return [stripped(each) for each in value] if isinstance(value, list) else []
