"""Result files of Ibex and PCIbex: lines of values without quotes, named by comments between them.

    # 8. PennElementType.
    # 9. PennElementName.
    1760000120,…,Selector,choice

The names change on the way: a group of comments that starts at number k renames the columns from k
on for the lines after it, and those below k keep theirs. So a line means what the comments above it
say, and no header holds for a file. Nor does a place: what an experiment logs can stand before what
the program writes. In values a comma is `%2C` and control characters are `%00` to
`%1F` and `%7F`; every other `%` is a percent sign (ibex, `www/util.js`).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.humans.formats.sheet import text_in

NAMED = re.compile(r"#\s*([0-9]{1,4})\.\s+(.*)")
ENCODED = re.compile(r"%(2C|7F|[01][0-9A-F])", re.IGNORECASE)
INTEGER = re.compile(r"[0-9]+")
ALIASES = {  # newer farm and older one
    "Results reception time": "time",
    "Time results were received": "time",
    "MD5 hash of participant's IP address": "md5",
    "Controller name": "controller",
    "Order number of item": "order",
    "Item number": "order",
    "Inner element number": "element",
    "Element number": "element",
    "Label": "label",
    "Type": "label",
    "Latin Square Group": "group",
    "Group": "group",
}
FIRST = ("time", "md5", "controller", "order", "element", "label", "group")
MOST_COLUMNS = 1_000


@dataclass(frozen=True, slots=True)
class Record:
    """One line: the seven values that every line has, and all others by name."""

    place: str  # file:line
    time: str  # seconds since 1970, when the results came in
    md5: str  # of the participant's address
    controller: str
    order: str  # of the trial
    element: str
    label: str
    fields: Mapping[str, str]  # all others by the names that hold here, "" where the line ends
    # before; of several columns of one name the first

    @property
    def session(self) -> str:
        """One submission. Addresses can be shared, so the time goes with them."""
        return f"{self.md5}/{self.time}"

    def value(self, name: str) -> str:
        """The value in the column called `name`. Raises `InputError` if none is."""
        if name not in self.fields:
            raise InputError(
                self.place,
                f"no column {name!r} among {', '.join(map(repr, self.fields)) or 'those named'}",
                "a results file with the names that Ibex gives",
                kind="missing",
            )
        return self.fields[name]


@dataclass(frozen=True, slots=True)
class Layout:
    """Which column is what, as long as no comment renames any: indices from 0, by name."""

    names: tuple[str, ...]
    first: Mapping[str, int]  # those of FIRST
    others: Mapping[str, int]


def records(path: Path) -> list[Record]:
    """All lines of data. Raises `InputError` where a line has values that no comment names."""
    names: list[str] = []
    layout = _layout(names)
    found, was_data = [], False
    for number, line in enumerate(text_in(path).split("\n"), start=1):
        line = line.removesuffix("\r")
        if not line.strip():
            continue
        if line.startswith("#"):
            named = NAMED.fullmatch(line)
            if named is not None:
                _name(
                    names,
                    int(named[1]),
                    named[2].rstrip().rstrip("."),  # names of Ibex's own may end in one more
                    was_data,
                    f"{path}:{number}",
                )
                was_data = False
            continue
        if not was_data:
            layout = _layout(names)
        was_data = True
        found.append(_record(line, layout, f"{path}:{number}"))
    return found


def _name(names: list[str], number: int, name: str, after_data: bool, place: str) -> None:
    """Names column `number` (from 1); after data the names from there on are forgotten first."""
    if after_data:
        del names[number - 1 :]
    if not 1 <= number <= min(len(names) + 1, MOST_COLUMNS):
        raise InputError(
            place,
            f"column {number} after {len(names)} columns",
            f"column {len(names) + 1}",
            kind="format",
        )
    names[number - 1 : number] = [name]


def _layout(names: Sequence[str]) -> Layout:
    first: dict[str, int] = {}
    others: dict[str, int] = {}
    for index, name in enumerate(names):
        own = ALIASES.get(name, "")
        if own and own not in first:  # an experiment may log a "Group" of its own
            first[own] = index
        else:
            others.setdefault(name, index)
    return Layout(tuple(names), first, others)


def _record(line: str, layout: Layout, place: str) -> Record:
    values = [ENCODED.sub(_character, value) for value in line.split(",")]
    if _lacks_controller(values, layout):
        values.insert(layout.first["controller"], "")
    if len(values) > len(layout.names):
        raise InputError(
            place,
            f"{len(values)} values",
            f"{len(layout.names)}, as many as the comments above name",
            kind="format",
        )
    for name in FIRST:
        if layout.first.get(name, len(values)) >= len(values):
            raise InputError(
                place, f"no value for {name}", "a results file as Ibex writes it", kind="format"
            )
    return Record(
        place=place,
        time=values[layout.first["time"]],
        md5=values[layout.first["md5"]],
        controller=values[layout.first["controller"]],
        order=values[layout.first["order"]],
        element=values[layout.first["element"]],
        label=values[layout.first["label"]],
        fields={
            name: values[index] if index < len(values) else ""
            for name, index in layout.others.items()
        },
    )


def _lacks_controller(values: Sequence[str], layout: Layout) -> bool:
    """Some files until 2021 name the controller's column, and their lines do not have it."""
    controller = layout.first.get("controller", len(values))
    return (
        len(values) == len(layout.names) - 1
        and layout.first.get("order") == controller + 1
        and INTEGER.fullmatch(values[controller]) is not None
    )


def _character(found: re.Match[str]) -> str:
    return chr(int(found[1], 16))


def utc(seconds: str, place: str) -> str:
    """A time in seconds since 1970 as UTC; "" for `NULL`."""
    if seconds in ("", "NULL"):
        return ""
    if INTEGER.fullmatch(seconds) is None or len(seconds) > 11:
        raise InputError(place, f"the time is {seconds!r}", "seconds since 1970", kind="format")
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
