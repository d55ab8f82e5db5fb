"""What a reader of a set decided, as CSV, one line an item, and the suite that is left.

The page writes these files (`scripts/table.js`), and spreadsheet programs change them on the way:
comma, semicolon or tab, with or without a byte order mark, any line end, cells lost at the end of a
row.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from ...data.errors import InputError
from ...data.items.suite import Suite
from ...data.opening import head_of, head_text
from ...data.records import headers, lines, malformed, rows

Verdict = Literal["accept", "reject", ""]
VERDICTS: dict[str, Verdict] = {"accept": "accept", "reject": "reject", "": ""}
COLUMNS = ("item_id", "mark", "note")
HEADER = f"a header with {', '.join(COLUMNS)}"
MAX_LISTED = 5  # unknown ids that an error names

# What a spreadsheet takes for a formula or a number (an id of digits loses its end in one) gets an
# apostrophe before it, and so does what looks as if it already had one.
GUARDED = re.compile(r"'*(?:[=+\-@\t\r\n＝＋－＠]|[0-9][0-9eE.,:/ \-]*\Z)")


@dataclass(frozen=True, slots=True)
class Mark:
    """A reader's verdict on one item.

    Attributes:
        verdict: accept, reject, or "" for nothing yet.
        note: what was written beside it.
        line: of the file that it was read from, from 1; 0 where there is none.
    """

    verdict: Verdict
    note: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Marks:
    """The verdicts of a reader on the items of a suite. An item without a mark is undecided.

    Attributes:
        by_id: item id → mark, in the order of their file.
        location: the file that they were read from, for messages.
    """

    by_id: Mapping[str, Mark] = field(default_factory=dict)
    location: str = "marks"

    def of(self, item_id: str) -> Verdict:
        """Return the verdict on an item: "accept", "reject", or "" for nothing yet."""
        return self.by_id[item_id].verdict if item_id in self.by_id else ""

    def note(self, item_id: str) -> str:
        """Return the note on an item; "" for none."""
        return self.by_id[item_id].note if item_id in self.by_id else ""


def read_marks(path: Path) -> Marks:
    """Read marks from a table with the columns `item_id`, `mark` and, if there, `note`.

    Other columns are passed over, as are rows without anything in these three. An item that comes
    twice has the one verdict that was given, and both notes.

    Args:
        path: of a CSV file, as the page or a spreadsheet program writes it: comma, semicolon or
            tab.

    Returns:
        The marks, in the order of the file.

    Raises:
        InputError: with the line: a column that is missing or comes twice, a cell beyond the
            header, a mark that is none or has no id, an item with two verdicts, broken quoting;
            also for an empty file and bytes that are not UTF-8.

    >>> _ = Path("marks.csv").write_text("item_id,mark,note\\na,reject,two right forms\\n")
    >>> marks = read_marks(Path("marks.csv"))
    >>> marks.of("a"), marks.note("a"), marks.of("b")
    ('reject', 'two right forms', '')
    """
    under = headers(head_text(head_of(path)))
    delimiter = max(under, key=lambda mark: len({*COLUMNS}.intersection(_names(under[mark]))))
    records = rows(lines(path), delimiter)
    start, header = next(records, ("", []))
    if not start:
        raise InputError(str(path), "the file is empty", HEADER, kind="empty")
    names = _names(header)
    for column in COLUMNS:
        if column not in names and column != "note":
            raise InputError(start, f"no column {column!r}", HEADER, kind="missing")
        if names.count(column) > 1:
            raise InputError(start, f"two columns {column!r}", HEADER, kind="conflict")
    marks: dict[str, Mark] = {}
    for location, cells in records:
        if any(cells[len(names) :]):
            raise malformed(location, f"{len(cells)} cells", f"{len(names)}, as in the header")
        row = dict(zip(names, map(unguarded, cells), strict=False))
        item_id, text, note = (row.get(column, "") for column in COLUMNS)
        verdict = VERDICTS.get(text.strip().lower())
        if verdict is None:
            raise malformed(location, f"mark is {text!r}", "accept, reject, or nothing")
        if item_id in marks:
            earlier = marks[item_id]
            if earlier.verdict and verdict and earlier.verdict != verdict:
                was = f"{earlier.verdict} in line {earlier.line}"
                wrong = f"item {item_id!r} is marked {verdict}, but {was}"
                right = "one mark for each item"
                raise InputError(location, wrong, right, kind="conflict")
            more = note if note not in earlier.note else ""
            notes = "\n".join(filter(None, (earlier.note, more)))
            marks[item_id] = Mark(earlier.verdict or verdict, notes, earlier.line)
        elif item_id:
            marks[item_id] = Mark(verdict, note, int(location.rpartition(":")[2]))
        elif verdict or note:
            raise malformed(location, "a mark without an item_id", "the id of its item")
    return Marks(marks, str(path))


def honoured(suite: Suite, marks: Marks) -> tuple[Suite, dict[str, int]]:
    """Leave out the items that a reader rejected.

    A rejected original takes with it whatever was made from it (the items of its cluster), except
    an item that is itself accepted: that was read and found good as it stands. Undecided items
    stay. A set that loses an item loses all. An item whose original is gone keeps its `cluster_id`.

    Args:
        suite: that was read.
        marks: of its items.

    Returns:
        The suite that is left, and counts: `n_items` before, `n_rejected` by their own mark,
        `n_with_original` left out with theirs, `n_kept`, of which `n_accepted`; `n_broken_sets`:
        sets left out whole though some of their items were not rejected.

    Raises:
        InputError: the marks name an item that the suite has not.

    >>> from colorless_green.data import Item
    >>> suite = Suite("mine", [Item(name, "suite", name, "en", "mine", "", {}) for name in "ab"])
    >>> left, counts = honoured(suite, Marks({"a": Mark("reject")}))
    >>> [item.item_id for item in left.items], counts["n_rejected"]
    (['b'], 1)
    """
    ids = {item.item_id for item in suite.items}
    unknown = [item_id for item_id in marks.by_id if item_id not in ids]
    if unknown:
        line = marks.by_id[unknown[0]].line
        listed_ids = ", ".join(map(repr, unknown[:MAX_LISTED]))
        more = f" and {len(unknown) - MAX_LISTED} more" if len(unknown) > MAX_LISTED else ""
        location = f"{marks.location}:{line}" if line else marks.location
        wrong = f"no item {listed_ids}{more} in the suite {suite.name}"
        right = "marks that were made on a page of this very suite"
        raise InputError(location, wrong, right, kind="unknown")
    verdicts = {item.item_id: marks.of(item.item_id) for item in suite.items}
    fates = Counter[str]()
    sets: dict[str, set[bool]] = {}
    remaining = []
    for item in suite.items:
        verdict = verdicts[item.item_id]
        orphan = not verdict and verdicts.get(item.cluster_id) == "reject"
        dropped = orphan or verdict == "reject"
        if not dropped:
            remaining.append(item)
        fates["with_original" if orphan else verdict] += 1
        if item.set_id:
            sets.setdefault(item.set_id, set()).add(dropped)
    broken = {set_id for set_id, fate in sets.items() if len(fate) == 2}
    remaining = [item for item in remaining if item.set_id not in broken]
    counts = {
        "n_items": len(suite.items),
        "n_rejected": fates["reject"],
        "n_with_original": fates["with_original"],
        "n_kept": len(remaining),
        "n_accepted": sum(verdicts[item.item_id] == "accept" for item in remaining),
        "n_broken_sets": len(broken),
    }
    return replace(suite, items=tuple(remaining)), counts


def unguarded(cell: str) -> str:
    """Return a cell without the apostrophe that keeps it from spreadsheets."""
    return cell[1:] if cell.startswith("'") and GUARDED.match(cell) else cell


def _names(header: Sequence[str]) -> list[str]:
    """Return the names of columns without blanks, in small letters."""
    return [cell.strip().lower() for cell in header]
