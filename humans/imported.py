"""What an import format hands back, and what every one of them promises."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from colorless_green.data.errors import InputError
from colorless_green.humans.judgment import Judgment, Tally
from colorless_green.nonce.item import Item
from colorless_green.nonce.suite import Suite


@dataclass(frozen=True, slots=True)
class FormSurprisal:
    """What a model whose numbers came with the file gave to the two forms of an item, in bits."""

    model: str
    item_id: str
    right_bits: float
    wrong_bits: float


@dataclass(frozen=True, slots=True)
class Summary:
    """What an import read; everything it was handed is in one of these counts."""

    n_files: int
    n_rows: int  # lines of data, without headers and blank lines
    n_judgments: int  # answers, missing ones not counted; in aggregated files the sum of totals
    n_participants: int | None  # None where the file has only totals
    n_items_matched: int  # items that some row is about and the suite has
    n_items_unmatched: int  # fillers, checks and practice items that the suite does not have
    n_missing: int  # rows without an answer (kept), or items with a total of 0
    n_duplicates: int  # rows that were sent twice (the first is kept)


@dataclass(frozen=True, slots=True)
class Imported:
    """Single judgments or tallies, and whatever else the file holds; nothing is stored yet."""

    summary: Summary
    judgments: tuple[Judgment, ...] = ()
    tallies: tuple[Tally, ...] = ()
    suite: Suite | None = None  # where the file brings its own items
    surprisals: tuple[FormSurprisal, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What the command line can say of a file that does not say it itself."""

    columns: Mapping[str, str] = field(default_factory=dict)  # our name → the file's column
    language: str = ""  # BCP-47


def column_map(pairs: Sequence[str]) -> dict[str, str]:
    """`OURS=THEIRS` of the command line as a map; their name may hold `=`, ours cannot."""
    result: dict[str, str] = {}
    for pair in pairs:
        ours, equals, theirs = pair.partition("=")
        if not (ours and equals and theirs):
            raise InputError("--map", f"{pair!r}", "OURS=THEIRS, as in item=Item")
        if ours in result:
            raise InputError("--map", f"{ours!r} twice", "one column for each of our names")
        result[ours] = theirs
    return result


class Read(Protocol):
    """A format's `read`: files to records. `items` are those the answers may be about.

    Raises `InputError` for whatever does not fit; nothing is dropped without being counted.
    """

    def __call__(
        self, paths: Sequence[Path], items: Sequence[Item], options: ImportOptions
    ) -> Imported: ...
