"""Marks as the page writes them, said a second time."""

import re
from pathlib import Path

from colorless_green.nonce import Marks

GUARDED = re.compile(r"'*(?:[=+\-@\t\r\n＝＋－＠]|[0-9][0-9eE.,:/ \-]*\Z)")
QUOTED = re.compile(r'[",;\t\r\n]')


def write_marks(marks: Marks, path: Path) -> None:
    """All marks that say anything as CSV, as `table.js` writes them: with the byte order mark, and
    an apostrophe before what a spreadsheet takes for a formula or a number."""
    rows = [("item_id", "mark", "note")]
    rows += [(i, m.verdict, m.note) for i, m in marks.by_id.items() if m.verdict or m.note]
    text = "".join(",".join(map(_cell, row)) + "\n" for row in rows)
    path.write_bytes(("\ufeff" + text).encode())


def _cell(cell: str) -> str:
    safe = "'" + cell if GUARDED.match(cell) else cell
    return '"' + safe.replace('"', '""') + '"' if QUOTED.search(safe) else safe
