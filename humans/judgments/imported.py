"""Records that import formats return, and the steps that join answers to items.

A format returns claims, which are the rows of its file under our column names (`Arrived`). One
function, `assemble`, makes trials of them for all formats: it gives people pseudonyms, finds
items, and compares answers with the suite.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Protocol

import polars as pl

from ...data.errors import InputError
from ...data.items.item import Item
from ...data.items.suite import Suite
from ...data.registry import abridged, counted
from .claims import (
    MAX_EXAMPLES,
    add_positions,
    demand_known,
    find_items,
    join_items,
    map_distinct,
    parse_cells,
    sessions_of,
    without_repeats,
)
from .judgment import ANSWERED, SESSIONS, TRIALS, Tally, no_rows
from .lookup import Lookup, lookup_of
from .pseudonym import PSEUDONYM, pseudonym
from .sheet import TableMap

MAX_QUOTED = 60  # characters of a text that a note quotes
OWN_PLATFORM = "colorless"  # its files have pseudonyms already


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """The counts of an import. Every row is a judgment, missing, a duplicate or another row.

    Attributes:
        n_files: number of files of judgments.
        n_rows: number of lines or records, without headers and blank lines.
        n_judgments: number of answers; in files of totals, the sum of the totals.
        n_participants: number of people; None if the files have only totals.
        n_items_matched: number of known items with answers.
        n_items_unmatched: number of fillers, checks and practice items that are not known.
        n_missing: number of rows without an answer (they are kept), or of items with a total of 0.
        n_duplicates: number of rows that were sent twice (the first is kept).
        n_others: number of other rows: instructions, consent, rows that a map leaves out.
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
        """Make the counts of files of totals, which have a row for each item."""
        n_answers = sum(tally.total for tally in tallies)
        n_missing = sum(tally.total == 0 for tally in tallies)
        return cls(
            n_files, n_rows, n_answers, None, n_items, n_missing=n_missing, n_others=n_others
        )


@dataclass(frozen=True, slots=True)
class Imported:
    """The content of files of judgments, joined to the items; nothing is stored yet.

    Attributes:
        summary: the counts of the import.
        trials: single answers, also missing ones, with the columns of `TRIALS`; empty for files of
            totals.
        sessions: what the files say of people and their sessions, with the columns of `SESSIONS`.
        tallies: number of right answers and of all answers for each item, from files of totals.
        suite: the suite in the file, if it brings its own items; else None.
        outcomes: model → its outcomes (columns: `OUTCOME_DTYPES`), if the file has
            results of models.
        notes: messages for the researcher.
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
    """Facts about files of judgments that are not in the files themselves.

    Attributes:
        table: the content of a map file (`read_map`); `keep` also has the facts that rules need.
        kinds: item id → kind of trial, from a table of items or a study.
        key: function that returns the key of the pseudonyms; None: people keep the names in the
            file.
        max_bytes: largest size of an unpacked archive, in bytes.
    """

    table: TableMap = field(default_factory=TableMap)
    kinds: Mapping[str, str] = field(default_factory=dict)
    key: Callable[[], bytes] | None = None
    max_bytes: int = 1 << 28


@dataclass(frozen=True, slots=True)
class Arrived:
    """The claims (answers as files state them) that a format reads; `assemble` makes an `Imported`
    of them.

    People have their names from the file, items have the file's ids or texts, and nothing is
    checked against the suite yet.

    Attributes:
        paths: files of judgments.
        claims: a row for each line or record, as `claim_frame` makes it. `correct` is the file's
            own verdict; `other` is not empty in rows that are not answers.
        n_unread: number of rows that a map leaves out.
        missing: texts that mean no answer, unless they are an option.
        lookup: the known items, for formats whose files contain much besides answers: rows about
            no known item are then other rows, and at least one answer must be about a known item.
        in_order: True if the rows of a session are in the order shown.
        own_ids: True if `item` is our item id; if False, items are found by their texts.
        platform: the platform that gave people their ids, for claims that do not say it.
        notes: messages for the researcher.
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
    """The function `read` of a format: it reads files into claims, or into totals by item.

    `items` are the known items. Raises `InputError` for rows that do not fit the format; no row is
    dropped without being counted.
    """

    def __call__(
        self, paths: Sequence[Path], items: Sequence[Item], options: ImportOptions
    ) -> Arrived | Imported: ...


def assemble(source: Arrived, items: Sequence[Item], options: ImportOptions) -> Imported:
    """Make trials and sessions of the claims that a format has read, join them to `items`, and
    count them.

    If the options have a key, people, sessions and trials get pseudonyms first, so that no message
    can show an id. The kind of a trial comes from the options, else from the file; else it is a
    target. Trials of a session without positions are numbered, if the rows are in order. Raises
    `InputError` as the steps do.
    """
    lookup = source.lookup or lookup_of(items)
    claims = with_pseudonyms(source.claims, options, source.platform)
    others, answers = claims.filter(pl.col("other") != ""), claims.filter(other="")
    notes = [*source.notes, *_unknown_notes(source, others, len(answers))]
    trials = find_items(parse_cells(answers), lookup, source.own_ids)
    trials, kind_notes = _add_kinds(trials, options)
    notes += kind_notes
    trials = without_repeats(trials)
    if source.in_order:
        trials = add_positions(trials)
    targets = trials.filter(kind="target").unique("item", keep="first", maintain_order=True)
    demand_known(targets.select("item", "origin").iter_rows(), lookup.by_id.keys())
    trials = join_items(trials, lookup, source.missing)
    item_ids = {*trials["item"]}
    n_answers = trials.select(ANSWERED.sum()).item()
    summary = ImportSummary(
        n_files=len(source.paths),
        n_rows=len(claims) + source.n_unread,
        n_judgments=n_answers,
        n_participants=trials["participant"].n_unique(),
        n_items_matched=len(item_ids & lookup.by_id.keys()),
        n_items_unmatched=len(item_ids - lookup.by_id.keys()),
        n_missing=len(trials) - n_answers,
        n_duplicates=len(answers) - len(trials),
        n_others=len(others) + source.n_unread,
    )
    sessions = sessions_of(claims)
    return Imported(summary, trials, sessions, notes=tuple(notes), columns=source.columns)


def _unknown_notes(source: Arrived, others: pl.DataFrame, n_answers: int) -> Iterator[str]:
    """Yield a note that quotes the choices among `others` (rows that are not answers) that are
    about no known item; nothing if there are none.

    Raises `InputError` if no answer at all is about a known item.
    """
    choices = others.filter((pl.col("option_2") != "") | (pl.col("chosen") != ""))
    texts = (prefix or option for prefix, option in choices["prefix", "option_1"].iter_rows())
    quoted = [*dict.fromkeys(repr(text[:MAX_QUOTED]) for text in texts)]
    listed = abridged(quoted, MAX_EXAMPLES)
    if source.lookup is not None and len(others) and not n_answers:
        wrong = f"no answer is about a known item ({listed or 'no answers'})"
        wrong += f"; the columns are {', '.join(source.columns)}"
        right = "--items or --suite with what was shown, or --map item=COLUMN"
        raise InputError(str(source.paths[0]), wrong, right, kind="empty")
    if quoted:
        yield f"answers about no known item, counted as other rows: {listed}"


def _add_kinds(frame: pl.DataFrame, options: ImportOptions) -> tuple[pl.DataFrame, list[str]]:
    """Set the kind (target, filler, check, practice) of each trial: that of its item in the
    options, else that in the file, else target.

    Return the trials, and notes on trials for which items and file differ or neither says a kind.
    """
    item_kind = pl.col("item").replace_strict(options.kinds, default="", return_dtype=pl.String)
    frame = frame.with_columns(item_kind=item_kind)
    by_item, by_file = pl.col("item_kind") != "", pl.col("kind") != ""
    differing = frame.filter(by_item, by_file, pl.col("kind") != pl.col("item_kind"))
    pairs = differing.group_by("kind", "item_kind", maintain_order=True).len().rows()
    notes = [
        f"{counted(n, 'trial')}: {in_file} in the file, {in_items} in the items, which holds"
        for in_file, in_items, n in pairs
    ]
    n_known = frame.filter(by_item | by_file).height
    if 0 < n_known < len(frame):
        notes.append(
            f"{counted(len(frame) - n_known, 'trial')} of no stated kind: taken for targets"
        )
    kind = pl.when(by_item).then("item_kind").when(by_file).then("kind")
    return frame.with_columns(kind=kind.otherwise(pl.lit("target"))).drop("item_kind"), notes


def with_pseudonyms(claims: pl.DataFrame, options: ImportOptions, platform: str) -> pl.DataFrame:
    """Replace the ids of people, sessions and trials by pseudonyms, if the options have a key.

    `platform` gave the ids, unless the map or the claim names another. Our own platform's files
    keep their pseudonyms.
    """
    key = options.key
    if key is None:
        return claims

    def rename(case: dict[str, str], column: str) -> dict[str, str]:
        """Return column → pseudonym, or the id itself if our own platform gave it."""
        identity, giver = case[column], options.table.platform or case["platform"] or platform
        # our own platform's ids are kept, unless a participant's is no pseudonym
        if giver == OWN_PLATFORM and (column != "participant" or PSEUDONYM.fullmatch(identity)):
            return {column: identity}
        # so one id has different pseudonyms as a person, a session and a trial
        suffix = {"session": "/session", "trial_id": "/trial"}.get(column, "")
        return {column: pseudonym(key(), giver + suffix, identity)}

    for column in ("trial_id", "participant", "session"):
        claims = map_distinct(claims, ["platform", column], partial(rename, column=column))
    return claims
