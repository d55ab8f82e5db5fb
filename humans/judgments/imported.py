"""What an import format hands back, and how answers are joined to the items they are about.

Every format yields judgments as its file tells them (`Arrived`), and ends in `assembled`: people
get their pseudonyms, items are found, answers are held against the suite, so that no way of
importing can forget a rule. Rows are checked, recomputed, counted, never dropped.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol, TypeAlias

from ...data.errors import InputError
from ...data.items.item import Item, sentence_text
from ...data.items.suite import Suite
from ...data.registry import abridged
from .column_names import TableMap
from .judgment import Judgment, Session, Tally, answered, session_of
from .lookup import forms, lookup_of, normal, plain, prefix, sentences
from .pseudonym import PSEUDONYM, pseudonym

OFFENDERS = 5  # how many of many the message of an error lists
OWN = "colorless"  # our own platform: its people have their pseudonyms already

Rename: TypeAlias = Callable[[str, str, str], str]
"""(participant, sort of id, id) → what is kept of the id; the participant tells the platform."""


@dataclass(frozen=True, slots=True)
class FormSurprisal:
    """The surprisals of an item's two forms under a model whose numbers came with a file.

    Attributes:
        model: the model's name in the file.
        item_id: the item.
        right_bits: surprisal of the right form, in bits.
        wrong_bits: surprisal of the wrong form, in bits.
    """

    model: str
    item_id: str
    right_bits: float
    wrong_bits: float


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """How much an import read; each row of the files is in one of the counts.

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


@dataclass(frozen=True, slots=True)
class Imported:
    """What files of judgments hold, joined to the items; nothing is stored yet.

    Attributes:
        summary: how much was read.
        judgments: single answers, missing ones included; empty in files of totals.
        sessions: what the files say of people and their sessions.
        tallies: right and all answers of each item, from files of totals.
        suite: the items of a file that brings its own, else None.
        surprisals: of models, where the file has their numbers.
        notes: what the researcher should know.
        columns: column of the file → our name for it; "" for one that is not used.
        kinds: (kind of trial, who says so, number of trials).
    """

    summary: ImportSummary
    judgments: tuple[Judgment, ...] = ()
    sessions: tuple[Session, ...] = ()
    tallies: tuple[Tally, ...] = ()
    suite: Suite | None = None
    surprisals: tuple[FormSurprisal, ...] = ()
    notes: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    kinds: tuple[tuple[str, str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What is said of files of judgments that they do not say themselves.

    Attributes:
        table: what a map file says (`read_map`), and facts that rules need among what it keeps.
        kinds: item id → kind of trial, as a table of items or a study says.
        by_study: ids of the items whose kind the study says, rather than the table.
        key: returns the key of the pseudonyms; None: people keep the names that the file has.
        most_bytes: largest size of an unpacked archive, in bytes.
    """

    table: TableMap = field(default_factory=TableMap)
    kinds: Mapping[str, str] = field(default_factory=dict)
    by_study: Collection[str] = ()
    key: Callable[[], bytes] | None = None
    most_bytes: int = 1 << 30


@dataclass(frozen=True, slots=True)
class Arrived:
    """What a format has read, as its files say it; `assembled` makes an `Imported` of it.

    People have their own names, items have the ids or texts of the file, and nothing is joined.

    Attributes:
        n_files: files of judgments.
        n_rows: lines or records, without headers and blank lines.
        judgments: trials; `correct` is the file's own verdict, or None.
        sessions: what the files say of people and their sessions.
        n_others: rows about something else.
        missing: texts that mean no answer, unless they are an option.
        in_order: whether the rows of a session are in the order shown.
        own_ids: whether `item` is our item id; if not, items are found by their texts.
        platform: that gave people their ids.
        platforms: participant → platform, of those with the ids of another one.
        notes: what the researcher should know.
        columns: column of the file → our name for it; "" for one that is not used.
    """

    n_files: int
    n_rows: int
    judgments: Sequence[Judgment] = ()
    sessions: Sequence[Session] = ()
    n_others: int = 0
    missing: Collection[str] = ()
    in_order: bool = False
    own_ids: bool = True
    platform: str = "local"
    platforms: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()
    columns: Mapping[str, str] = field(default_factory=dict)


def about_strangers(texts: Iterable[str]) -> tuple[str, ...]:
    """A note on answers without an item's id whose texts are no known item's; none without any."""
    quoted = [repr(text[:60]) for text in texts]
    listed = abridged(quoted, OFFENDERS)
    return (f"answers about no known item, counted as other rows: {listed}",) if quoted else ()


def without_readings(location: str, n_words: int, n_answers: int) -> tuple[str, ...]:
    """Return a note on rows of self-paced reading, which are left out; none without any. Raises
    `InputError` at `location` where the files hold nothing else."""
    instead = "analyse them in R; colorless score --surprisals FILE has the surprisal of every word"
    if n_words and not n_answers:
        wrong = "reading times are not imported any more, and there are no other answers"
        raise InputError(location, wrong, instead, kind="unsupported")
    return (f"rows of self-paced reading, left out: {n_words:,}; {instead}",) if n_words else ()


class JudgmentReader(Protocol):
    """A format's `read`: files to records. `items` are those the answers may be about.

    Raises `InputError` for whatever does not fit; nothing is dropped without being counted.
    """

    def __call__(
        self, paths: Sequence[Path], items: Sequence[Item], options: ImportOptions
    ) -> Imported: ...


def assembled(arrived: Arrived, items: Sequence[Item], options: ImportOptions) -> Imported:
    """Return the judgments and sessions of `arrived`, joined to `items`, with their summary.

    With a key in the options, people, sessions and trials get pseudonyms before anything else, so
    that no message can show an id. What sort of trial an item is, the options say, else the file,
    else it is a target. Raises `InputError` as `join` does.
    """
    lookup = lookup_of(items)
    rename = _rename(arrived, options)
    kind_counts = Counter[tuple[str, str]]()

    def with_pseudonyms(row: Judgment) -> Judgment:
        participant = row.participant
        return (
            row
            if options.key is None
            else replace(
                row,
                participant=rename(participant, "", participant),
                session=rename(participant, "session", row.session),
                trial_id=rename(participant, "trial", row.trial_id),
            )
        )

    def with_kind(row: Judgment) -> Judgment:
        sort = options.kinds.get(row.item, "")
        by = ("the study" if row.item in options.by_study else "the items") if sort else "the file"
        kind_counts[sort or row.kind or "target", by if sort or row.kind else "nothing"] += 1
        if sort and row.kind and sort != row.kind:
            kind_counts[f"{row.kind} in the file, {sort}", by] += 1
        kind = sort or row.kind or "target"
        return row if row.kind == kind else replace(row, kind=kind)

    claims = map(with_pseudonyms, arrived.judgments)
    identified = (e if e.item and arrived.own_ids else lookup.identified(e) for e in claims)
    judgments, n_duplicates = join(
        map(with_kind, identified), lookup.by_id, arrived.missing, in_order=arrived.in_order
    )
    item_ids = {judgment.item for judgment in judgments}
    n_answers = sum(map(answered, judgments))
    summary = ImportSummary(
        n_files=arrived.n_files,
        n_rows=arrived.n_rows,
        n_judgments=n_answers,
        n_participants=len({judgment.participant for judgment in judgments}),
        n_items_matched=len(item_ids & lookup.by_id.keys()),
        n_items_unmatched=len(item_ids - lookup.by_id.keys()),
        n_missing=len(judgments) - n_answers,
        n_duplicates=n_duplicates,
        n_others=arrived.n_others,
    )
    return Imported(
        summary,
        judgments,
        tuple(_renamed_session(session, rename) for session in arrived.sessions),
        notes=tuple(arrived.notes),
        columns=arrived.columns,
        kinds=tuple((kind, by, n) for (kind, by), n in kind_counts.items()),
    )


def renamed_people(
    sessions: Sequence[Session], options: ImportOptions, platform: str
) -> tuple[Session, ...]:
    """Sessions that a platform tells of by themselves, under the same pseudonyms as judgments."""
    rename = _rename(Arrived(n_files=0, n_rows=0, platform=platform), options)
    return tuple(_renamed_session(session, rename) for session in sessions)


def _rename(arrived: Arrived, options: ImportOptions) -> Rename:
    key = options.key

    def rename(participant: str, sort: str, identity: str) -> str:
        if key is None:
            return identity
        platform = options.table.platform or arrived.platforms.get(participant, arrived.platform)
        if platform == OWN and (sort or PSEUDONYM.fullmatch(identity)):
            return identity
        return pseudonym(key(), f"{platform}/{sort}" if sort else platform, identity)

    return rename


def _renamed_session(session: Session, rename: Rename) -> Session:
    participant = session.participant
    name = rename(participant, "session", session.session)
    return replace(session, participant=rename(participant, "", participant), session=name)


def _with_item_facts(row: Judgment, item: Item) -> Judgment:
    """With the source, the construction and the condition of its item."""
    condition = row.condition or item.kind
    return replace(row, source=item.cluster_id, construction=item.construction, condition=condition)


def demand_known(mentions: Iterable[tuple[str, str]], items: Mapping[str, Item]) -> None:
    """Raises `InputError` where an item of `mentions`, pairs of item id and place, is not known."""
    unknown: dict[str, str] = {}
    for item, location in mentions:
        if item not in items:
            unknown.setdefault(item, location)
    if unknown:
        wrong = (
            f"{abridged(map(repr, unknown), OFFENDERS)}: no such item among the {len(items)} known"
        )
        right = "the item_id of an item in the suite, or another `kind` for fillers and checks"
        raise InputError(next(iter(unknown.values())), wrong, right, kind="unknown")


def join(
    claimed: Iterable[Judgment],
    items: Mapping[str, Item],
    missing: Collection[str] = (),
    *,
    in_order: bool = False,
) -> tuple[tuple[Judgment, ...], int]:
    """`claimed` with all that the items know filled in and `correct` recomputed, in the same order;
    and how many rows were sent twice.

    In `claimed` the field `correct` is the file's own verdict, or None. A row whose `trial_id`
    came before with the same content is dropped and counted; without a `trial_id` one is made
    from session, participant, item and position. A chosen text that is one of `missing` is no
    answer, unless it is one of the options. Whole sentences that people chose between become the
    item's forms. `in_order` says that the rows of a session stand in the order shown: where none
    of them has a position, they are numbered from 1.

    Raises `InputError` where a trial_id comes twice with different content; a target's item is
    unknown; the options are not the item's forms; the chosen text is neither option; or the file's
    verdict is not the recomputed one.
    """
    trials, n_duplicates = _without_repeats(claimed)
    if in_order:
        numbered = {session_of(e) for e in trials if e.position is not None}
        counts: Counter[tuple[str, str]] = Counter()
        for index, trial in enumerate(trials):
            session = session_of(trial)
            counts[session] += 1
            if session not in numbered:
                trials[index] = replace(trial, position=counts[session])
    demand_known(((trial.item, trial.origin) for trial in trials if trial.kind == "target"), items)
    filled = [_filled(trial, items.get(trial.item), missing) for trial in trials]
    mismatched = []
    for trial in filled:
        options = _options(trial, items.get(trial.item)) if trial.chosen else []
        if options and normal(trial.chosen) not in options:
            mismatched.append((trial, options))
    if mismatched:
        mismatch, options = mismatched[0]
        offending = abridged((repr(trial.chosen) for trial, _ in mismatched), OFFENDERS)
        wrong = f"{offending}: chosen, but neither option"
        right = f"for item {mismatch.item} {' or '.join(map(repr, options))}"
        raise InputError(mismatch.origin, wrong, right, kind="format")
    return tuple(map(_judged, filled)), n_duplicates


def _without_repeats(claimed: Iterable[Judgment]) -> tuple[list[Judgment], int]:
    by_id: dict[str, Judgment] = {}
    n_rows = 0
    for row in claimed:
        n_rows += 1
        trial = row
        if not trial.trial_id:
            parts = row.session, row.participant, row.item, str(row.position or "")
            trial = replace(row, trial_id="/".join(parts))
        earlier = by_id.setdefault(trial.trial_id, trial)
        if earlier is not trial and replace(earlier, origin=trial.origin) != trial:
            wrong = f"the trial {trial.trial_id!r} of {earlier.origin} again, with other content"
            if not row.trial_id:
                wrong = f"the person of {earlier.origin} answers item {row.item!r} again, otherwise"
            right = "a session, trial_id or position that tells the two answers apart"
            raise InputError(row.origin, wrong, right, kind="conflict")
    return list(by_id.values()), n_rows - len(by_id)


def _filled(judgment: Judgment, item: Item | None, missing: Collection[str]) -> Judgment:
    """With what the item knows, and no answer where the file writes one of `missing`.

    Options stay in the order shown, which only the file knows. Where people chose between the
    item's sentences, and its forms are less, the texts become the forms.
    """
    if judgment.chosen in missing and normal(judgment.chosen) not in _options(judgment, item):
        judgment = replace(judgment, chosen="")
    if item is None:
        return judgment
    if _is_rating(judgment, item):
        return replace(_with_item_facts(judgment, item), correct_form="")
    pair, wholes = forms(item), sentences(item)
    texts = {n: getattr(judgment, n) for n in ("option_1", "option_2", "chosen", "correct_form")}
    if pair and wholes and pair != wholes:
        as_form = dict(zip(map(plain, wholes), pair, strict=True))
        texts = {name: as_form.get(plain(text), text) for name, text in texts.items()}
    claimed_form, right = texts["correct_form"], pair[0] if pair else texts["correct_form"]
    if claimed_form and normal(claimed_form) != normal(right):
        wrong = f"the correct form of item {item.item_id} is {claimed_form!r}"
        raise InputError(judgment.origin, wrong, f"{right!r}, as in the suite", kind="format")
    options = {normal(texts["option_1"]), normal(texts["option_2"])} - {""}
    if pair and options and options != set(map(normal, pair)):
        wrong = f"item {item.item_id} shown with {texts['option_1']!r} and {texts['option_2']!r}"
        remedy = f"the item's own forms, {pair[0]!r} and {pair[1]!r}"
        raise InputError(judgment.origin, wrong, remedy, kind="format")
    return replace(
        judgment,
        **{**texts, "correct_form": right},
        prefix=judgment.prefix or prefix(item),
        source=item.cluster_id,
        construction=item.construction,
        condition=judgment.condition or item.kind,
    )


def _is_rating(judgment: Judgment, item: Item) -> bool:
    """Whether one sentence was judged for itself: there is a rating and no choice, or (where the
    answer is missing) one text was shown and it is a sentence of the item."""
    if judgment.chosen or judgment.option_2:
        return False
    text = plain(judgment.option_1)
    wordings = (wording for of_condition in item.conditions.values() for wording in of_condition)
    return judgment.rating is not None or (
        bool(text) and any(text == plain(sentence_text(wording)) for wording in wordings)
    )


def _options(judgment: Judgment, item: Item | None) -> list[str]:
    """The forms as shown; if the file has none, the item's; if that is unknown, none."""
    options = [form for form in (judgment.option_1, judgment.option_2) if form]
    return [normal(form) for form in options or (item and forms(item)) or ()]


def _judged(judgment: Judgment) -> Judgment:
    if judgment.chosen_index is not None and not judgment.chosen:
        return judgment  # texts unknown: the file's own verdict, which its reader has checked
    chosen, form, verdict = judgment.chosen, judgment.correct_form, judgment.correct
    if not chosen:
        if verdict is not None:
            wrong = f"correct is {verdict}, but nothing was chosen"
            right = "an empty cell, or the chosen form"
            raise InputError(judgment.origin, wrong, right, kind="format")
        return replace(judgment, chosen_index=None)
    if not form:
        wrong = f"no correct form for item {judgment.item!r}"
        right = "a column correct_form for items that the suite does not have, or --items"
        raise InputError(judgment.origin, wrong, right, kind="format")
    correct = int(normal(chosen) == normal(form))
    if verdict not in (None, correct):
        wrong = f"correct is {verdict}, but {chosen!r} was chosen and {form!r} is the correct form"
        raise InputError(judgment.origin, wrong, f"correct = {correct}", kind="format")
    return replace(judgment, correct=correct)
