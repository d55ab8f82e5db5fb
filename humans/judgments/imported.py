"""What an import format hands back, and how answers are joined to the items they are about.

Every format yields claims as its file has them (`Arrived`), and one function, `assembled`, makes
trials of them: people get their pseudonyms, items are found, answers are compared with the suite,
so that no way of importing can forget a rule.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import polars as pl

from ...data.errors import InputError
from ...data.items.item import Item
from ...data.items.suite import Suite
from ...data.registry import abridged, counted
from .claims import (
    OFFENDERS,
    by_case,
    demand_known,
    identified,
    joined,
    numbered,
    sessions_of,
    typed,
    without_repeats,
)
from .judgment import ANSWERED, SESSIONS, TRIALS, Tally, no_rows
from .lookup import Lookup, lookup_of
from .pseudonym import PSEUDONYM, pseudonym
from .sheet import TableMap

OWN = "colorless"  # our own platform: its people have their pseudonyms already


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """The counts of an import; each row of the files is in one of them.

    Attributes:
        n_files: files of judgments.
        n_rows: lines or records, without headers and blank lines.
        n_judgments: answers; in files of totals the sum of the totals.
        n_participants: people; None where the file has only totals.
        n_items_matched: known items that some row is about.
        n_items_unmatched: fillers, checks and practice items that are not known.
        n_missing: rows without an answer (they are kept), or items with a total of 0.
        n_duplicates: rows that were sent twice (the first is kept).
        n_others: rows about something else: instructions, consent, rows that a map leaves out.
    """

    n_files: int
    n_rows: int
    n_judgments: int
    n_participants: int | None
    n_items_matched: int
    n_items_unmatched: int = 0
    n_missing: int = 0
    n_duplicates: int = 0
    n_others: int = 0

    @classmethod
    def of_totals(
        cls,
        tallies: Sequence[Tally],
        n_items: int,
        n_rows: int,
        n_files: int = 1,
        n_others: int = 0,
    ) -> "ImportSummary":
        """Return the counts of files of totals."""
        n_answers = sum(tally.total for tally in tallies)
        n_missing = sum(tally.total == 0 for tally in tallies)
        return cls(
            n_files, n_rows, n_answers, None, n_items, n_missing=n_missing, n_others=n_others
        )


@dataclass(frozen=True, slots=True)
class Imported:
    """The content of files of judgments, joined to the items; nothing is stored yet.

    Attributes:
        summary: how much was read.
        trials: single answers, missing ones included, with the columns of `TRIALS`; empty in files
            of totals.
        sessions: what the files say of people and their sessions, with the columns of `SESSIONS`.
        tallies: right and all answers of each item, from files of totals.
        suite: the items of a file that brings its own, else None.
        outcomes: model → outcomes (`OUTCOMES`), where the file has its numbers.
        notes: what the researcher should know.
        columns: column of the file → our name for it; "" for one that is not used.
    """

    summary: ImportSummary
    trials: pl.DataFrame = field(default_factory=lambda: no_rows(TRIALS))
    sessions: pl.DataFrame = field(default_factory=lambda: no_rows(SESSIONS))
    tallies: tuple[Tally, ...] = ()
    suite: Suite | None = None
    outcomes: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """Facts about files of judgments that they do not hold themselves.

    Attributes:
        table: what a map file says (`read_map`), and facts that rules need among what it keeps.
        kinds: item id → kind of trial, as a table of items or a study says.
        key: returns the key of the pseudonyms; None: people keep the names that the file has.
        most_bytes: largest size of an unpacked archive, in bytes.
    """

    table: TableMap = field(default_factory=TableMap)
    kinds: Mapping[str, str] = field(default_factory=dict)
    key: Callable[[], bytes] | None = None
    most_bytes: int = 1 << 28


@dataclass(frozen=True, slots=True)
class Arrived:
    """The content of files as a format has read it; `assembled` makes an `Imported` of it.

    People have their own names, items have the ids or texts of the file, and nothing is joined.

    Attributes:
        paths: files of judgments.
        claims: a row for each line or record, as `claim_frame` makes it; in `correct` the file's
            own verdict, in `other` a mark where it is no answer.
        n_unread: rows that a map leaves out.
        missing: texts that mean no answer, unless they are an option.
        lookup: the items, of formats whose files hold much else: answers about no known item are
            other rows there, and one answer must be about a known item.
        in_order: whether the rows of a session are in the order shown.
        own_ids: whether `item` is our item id; if not, items are found by their texts.
        platform: that gave people their ids, where the claim does not say.
        notes: what the researcher should know.
        columns: column of the file → our name for it; "" for one that is not used.
    """

    paths: Sequence[Path]
    claims: pl.DataFrame
    n_unread: int = 0
    missing: Collection[str] = ()
    lookup: Lookup | None = None
    in_order: bool = False
    own_ids: bool = True
    platform: str = "local"
    notes: Sequence[str] = ()
    columns: Mapping[str, str] = field(default_factory=dict)


class JudgmentReader(Protocol):
    """A format's `read`: files to claims, or to totals of items. `items` are those the answers may
    be about.

    Raises `InputError` for whatever does not fit; nothing is dropped without being counted.
    """

    def __call__(
        self, paths: Sequence[Path], items: Sequence[Item], options: ImportOptions
    ) -> Arrived | Imported: ...


def assembled(arrived: Arrived, items: Sequence[Item], options: ImportOptions) -> Imported:
    """Return the judgments and sessions of `arrived`, joined to `items`, with their summary.

    With a key in the options, people, sessions and trials get pseudonyms before anything else, so
    that no message can show an id. What kind of trial an item is, the options say, else the file,
    else it is a target. The rows of a session are numbered from 1 where they are in order and none
    has a position. Raises `InputError` as the steps do.
    """
    lookup = arrived.lookup or lookup_of(items)
    claims = with_pseudonyms(arrived.claims, options, arrived.platform)
    others, answers = claims.filter(pl.col("other") != ""), claims.filter(other="")
    notes = [*arrived.notes, *_strangers(arrived, others, len(answers))]
    frame, doubts = _with_kinds(identified(typed(answers), lookup, arrived.own_ids), options)
    notes += doubts
    frame = without_repeats(frame)
    if arrived.in_order:
        frame = numbered(frame)
    targets = frame.filter(kind="target").unique("item", keep="first", maintain_order=True)
    demand_known(targets.select("item", "origin").iter_rows(), lookup.by_id.keys())
    trials = joined(frame, lookup, arrived.missing)
    item_ids = {*trials["item"]}
    n_answers = trials.select(ANSWERED.sum()).item()
    summary = ImportSummary(
        n_files=len(arrived.paths),
        n_rows=len(claims) + arrived.n_unread,
        n_judgments=n_answers,
        n_participants=trials["participant"].n_unique(),
        n_items_matched=len(item_ids & lookup.by_id.keys()),
        n_items_unmatched=len(item_ids - lookup.by_id.keys()),
        n_missing=len(trials) - n_answers,
        n_duplicates=len(answers) - len(trials),
        n_others=len(others) + arrived.n_unread,
    )
    columns, sessions = arrived.columns, sessions_of(claims)
    return Imported(summary, trials, sessions, notes=tuple(notes), columns=columns)


def _strangers(arrived: Arrived, others: pl.DataFrame, n_answers: int) -> Iterator[str]:
    """Yield a note on choices about no known item. Raises `InputError` where all answers are."""
    shown = others.filter((pl.col("option_2") != "") | (pl.col("chosen") != ""))
    texts = ((prefix or option)[:60] for prefix, option in shown["prefix", "option_1"].iter_rows())
    quoted = [*dict.fromkeys(map(repr, texts))]
    listed = abridged(quoted, OFFENDERS)
    if arrived.lookup is not None and len(others) and not n_answers:
        wrong = f"no answer is about a known item ({listed or 'no answers'})"
        wrong += f"; the columns are {', '.join(arrived.columns)}"
        right = "--items or --suite with what was shown, or --map item=COLUMN"
        raise InputError(str(arrived.paths[0]), wrong, right, kind="empty")
    if quoted:
        yield f"answers about no known item, counted as other rows: {listed}"


def _with_kinds(frame: pl.DataFrame, options: ImportOptions) -> tuple[pl.DataFrame, list[str]]:
    """Return the trials with their kinds, and notes where items and file differ, or nobody says."""
    by_items = pl.col("item").replace_strict(options.kinds, default="", return_dtype=pl.String)
    frame = frame.with_columns(by_items=by_items)
    is_told = (pl.col("by_items") != "", pl.col("kind") != "")
    both = frame.filter(*is_told, pl.col("kind") != pl.col("by_items"))
    notes = [
        f"{counted(n, 'trial')}: {in_file} in the file, {given} in the items, which holds"
        for in_file, given, n in both.group_by("kind", "by_items", maintain_order=True).len().rows()
    ]
    n_told = frame.filter(pl.any_horizontal(is_told)).height
    if 0 < n_told < len(frame):
        notes.append(
            f"{counted(len(frame) - n_told, 'trial')} of no stated kind: taken for targets"
        )
    kind = pl.when(is_told[0]).then("by_items").when(is_told[1]).then("kind")
    return frame.with_columns(kind=kind.otherwise(pl.lit("target"))).drop("by_items"), notes


def with_pseudonyms(claims: pl.DataFrame, options: ImportOptions, platform: str) -> pl.DataFrame:
    """Return claims with names for people, sessions and trials that tell nothing of them, where
    there is a key; our own platform's people have theirs already."""
    key = options.key
    if key is None:
        return claims

    def renamed(sort: str, column: str) -> Callable[[dict[str, str]], dict[str, str]]:
        def name(case: dict[str, str]) -> dict[str, str]:
            identity, given = case[column], options.table.platform or case["platform"] or platform
            if given != OWN or not (sort or PSEUDONYM.fullmatch(identity)):
                identity = pseudonym(key(), f"{given}/{sort}" if sort else given, identity)
            return {column: identity}

        return name

    for sort, column in (("trial", "trial_id"), ("", "participant"), ("session", "session")):
        claims = by_case(claims, ["platform", column], renamed(sort, column))
    return claims
