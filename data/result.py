"""What a verb hands back to the command line, which alone prints."""

from collections.abc import Sequence
from dataclasses import dataclass

from colorless_green.data.tables import Row


@dataclass(frozen=True, slots=True)
class Result:
    """What a verb has to say: rows for stdout, messages for stderr, and whether it found any."""

    rows: Sequence[Row]
    columns: Sequence[str]
    messages: Sequence[str] = ()
    found: bool = True
    n_hidden: int = 0  # rows that a table for people leaves out; `rows` has them at its end
