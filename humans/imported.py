"""What an import format hands back, and what every one of them promises."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from colorless_green.humans.formats.columns import TableMap
from colorless_green.humans.judgment import Judgment, Reading, Session, Tally
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
    n_rows: int  # lines or records of data, without headers and blank lines
    n_judgments: int  # answers, missing ones not counted; in aggregated files the sum of totals
    n_participants: int | None  # None where the file has only totals
    n_items_matched: int  # items that some row is about and that are known
    n_items_unmatched: int = 0  # fillers, checks and practice items that are not
    n_missing: int = 0  # rows without an answer (kept), or items with a total of 0
    n_duplicates: int = 0  # rows that were sent twice (the first is kept)
    n_readings: int = 0  # words that were read one by one
    n_others: int = 0  # rows about something else: instructions, consent, what a map leaves out


@dataclass(frozen=True, slots=True)
class Imported:
    """Single judgments or tallies, and whatever else the file holds; nothing is stored yet."""

    summary: Summary
    judgments: tuple[Judgment, ...] = ()
    readings: tuple[Reading, ...] = ()
    sessions: tuple[Session, ...] = ()
    tallies: tuple[Tally, ...] = ()
    suite: Suite | None = None  # where the file brings its own items
    surprisals: tuple[FormSurprisal, ...] = ()
    notes: tuple[str, ...] = ()  # what whoever imports should know
    columns: Mapping[str, str] = field(default_factory=dict)  # the file's → ours; "" for none
    kinds: tuple[tuple[str, str, int], ...] = ()  # (sort of trial, who says so, trials)


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What the command line can say of a file that does not say it itself."""

    columns: Mapping[str, str] = field(default_factory=dict)  # our name → the file's column
    language: str = ""  # BCP-47
    table: TableMap = field(default_factory=TableMap)  # what a map file says besides
    kinds: Mapping[str, str] = field(default_factory=dict)  # item → kind, where it is told
    by_study: Collection[str] = ()  # items whose kind the design of the study tells
    key: Callable[[], bytes] | None = None  # of the pseudonyms; None leaves people their names
    platform: str = ""  # whose ids the file has, where it is not what the format takes it for
    keep: tuple[str, ...] = ()  # columns about people that are to be kept
    most_bytes: int = 1 << 30  # that an archive may unpack to; counted while it is read


@dataclass(frozen=True, slots=True)
class Arrived:
    """What a format has read, as its files tell it: people under their own names, items by ids or
    texts, nothing joined. `join.assembled` makes an `Imported` of it."""

    n_files: int
    n_rows: int
    judgments: Sequence[Judgment] = ()
    readings: Sequence[Reading] = ()
    sessions: Sequence[Session] = ()
    n_others: int = 0
    missing: Collection[str] = ()  # texts that are no answer, unless they are an option
    in_order: bool = False  # whether the rows of a session stand in the order shown
    own_ids: bool = True  # false where `item` is another program's id, and texts tell the item
    platform: str = "local"  # whose ids people have
    platforms: Mapping[str, str] = field(default_factory=dict)  # of people whose ids are another's
    notes: Sequence[str] = ()
    columns: Mapping[str, str] = field(default_factory=dict)  # the file's → ours; "" for none


def about_strangers(texts: Iterable[str]) -> tuple[str, ...]:
    """A note on answers without an item's id whose texts are no known item's; none without any."""
    shown = [repr(text[:60]) for text in texts]
    if not shown:
        return ()
    more = f" and {len(shown) - 5} more" if len(shown) > 5 else ""
    return (f"answers about no known item, counted as other rows: {', '.join(shown[:5])}{more}",)


class Read(Protocol):
    """A format's `read`: files to records. `items` are those the answers may be about.

    Raises `InputError` for whatever does not fit; nothing is dropped without being counted.
    """

    def __call__(
        self, paths: Sequence[Path], items: Sequence[Item], options: ImportOptions
    ) -> Imported: ...
