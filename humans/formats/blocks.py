"""Result files of Ibex and PCIbex: lines of values without quotes, named by comments between them.

    # 8. PennElementType.
    # 9. PennElementName.
    1760000120,…,Selector,choice

The names change on the way: a group of comments that starts at number k renames the columns from k
on for the lines after it, and those below k keep theirs. So a line means what the comments above it
say, and no header holds for a file. In values a comma is `%2C` and control characters are `%00` to
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
    """One line: its first seven values by name, all others by place and by name."""

    place: str  # file:line
    time: str  # seconds since 1970, when the results came in
    md5: str  # of the participant's address
    controller: str
    order: str  # of the trial
    element: str
    label: str
    values: tuple[str, ...]  # from the eighth on
    fields: Mapping[str, str]  # the same by the names that hold here

    @property
    def session(self) -> str:
        """One submission. Addresses can be shared, so the time goes with them."""
        return f"{self.md5}/{self.time}"

    def value(self, place: int) -> str:
        """The value in column `place`, counted from 8 as the manuals do; "" if there is none."""
        index = place - len(FIRST) - 1
        return self.values[index] if index < len(self.values) else ""


def records(path: Path) -> list[Record]:
    """All lines of data. Raises `InputError` where a line has values that no comment names."""
    names: list[str] = []
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
                    named[2].rstrip().removesuffix("."),
                    was_data,
                    f"{path}:{number}",
                )
                was_data = False
            continue
        was_data = True
        found.append(_record(line, names, f"{path}:{number}"))
    return found


def _name(names: list[str], number: int, name: str, after_data: bool, place: str) -> None:
    """Names column `number` (from 1); after data the names from there on are forgotten first."""
    if after_data:
        del names[number - 1 :]
    if not 1 <= number <= min(len(names) + 1, MOST_COLUMNS):
        raise InputError(
            place, f"column {number} after {len(names)} columns", f"column {len(names) + 1}"
        )
    names[number - 1 : number] = [ALIASES.get(name, name)]


def _record(line: str, names: Sequence[str], place: str) -> Record:
    values = [ENCODED.sub(_character, value) for value in line.split(",")]
    if _lacks_controller(values, names):
        values.insert(2, "")
    if len(values) > len(names):
        raise InputError(
            place, f"{len(values)} values", f"{len(names)}, as many as the comments above name"
        )
    named = dict(zip(names, values, strict=False))
    if not set(FIRST) <= named.keys():
        lacking = next(name for name in FIRST if name not in named)
        raise InputError(place, f"no value for {lacking}", "a results file as Ibex writes it")
    return Record(
        place=place,
        time=named["time"],
        md5=named["md5"],
        controller=named["controller"],
        order=named["order"],
        element=named["element"],
        label=named["label"],
        values=tuple(values[len(FIRST) :]),
        fields={name: value for name, value in named.items() if name not in FIRST},
    )


def _lacks_controller(values: Sequence[str], names: Sequence[str]) -> bool:
    """Some files until 2021 name the controller's column, and their lines do not have it."""
    return (
        len(values) == len(names) - 1
        and list(names[2:4]) == ["controller", "order"]
        and INTEGER.fullmatch(values[2]) is not None
    )


def _character(found: re.Match[str]) -> str:
    return chr(int(found[1], 16))


def utc(seconds: str, place: str) -> str:
    """A time in seconds since 1970 as UTC; "" for `NULL`."""
    if seconds in ("", "NULL"):
        return ""
    if INTEGER.fullmatch(seconds) is None or len(seconds) > 11:
        raise InputError(place, f"the time is {seconds!r}", "seconds since 1970")
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
