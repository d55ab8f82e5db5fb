"""Answers joined to the items they are about: checked, recomputed, counted, never dropped.

Every import format yields judgments as its file tells them, and ends here (`assembled`): people get
their pseudonyms, items are found, answers are held against the suite, so that no way of importing
can forget a rule.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

from colorless_green.data.errors import InputError
from colorless_green.humans.imported import Arrived, Imported, ImportOptions, Summary
from colorless_green.humans.judgment import Judgment, Reading, Session, answered
from colorless_green.humans.lookup import (
    Lookup,
    forms,
    lookup_of,
    normal,
    plain,
    prefix,
    sentences,
)
from colorless_green.humans.pseudonym import PSEUDONYM, pseudonym
from colorless_green.humans.tally import construction
from colorless_green.nonce.item import Item, sentence_text

OFFENDERS = 5  # how many of many the message of an error lists
OWN = "colorless"  # our own platform: its people have their pseudonyms already

Rename: TypeAlias = Callable[[str, str, str], str]
"""(participant, sort of id, id) → what is kept of the id; the participant tells the platform."""
Row = TypeVar("Row", Judgment, Reading)


def assembled(arrived: Arrived, items: Sequence[Item], options: ImportOptions) -> Imported:
    """The judgments, readings and sessions of `arrived`, joined to `items`, with their summary.

    With a key in the options, people, sessions and trials get pseudonyms before anything else, so
    that no message can show an id. What sort of trial an item is, the options say, else the file,
    else it is a target. Raises `InputError` as `join` does.
    """
    lookup = lookup_of(items)
    rename = _rename(arrived, options)
    said = Counter[tuple[str, str]]()

    def own(row: Row) -> Row:
        who = row.participant
        return replace(
            row,
            participant=rename(who, "", who),
            session=rename(who, "session", row.session),
            trial_id=rename(who, "trial", row.trial_id),
        )

    def sorted_(row: Row) -> Row:
        told = options.kinds.get(row.item, "")
        by = ("the study" if row.item in options.by_study else "the items") if told else "the file"
        said[told or row.kind or "target", by if told or row.kind else "nothing"] += 1
        if told and row.kind and told != row.kind:
            said[f"{row.kind} in the file, {told}", by] += 1
        return replace(row, kind=told or row.kind or "target")

    claims = map(own, arrived.judgments)
    found = (e if e.item and arrived.own_ids else lookup.identified(e) for e in claims)
    joined = join(map(sorted_, found), items, arrived.missing, in_order=arrived.in_order)
    read = [sorted_(_found(own(each), lookup)) for each in arrived.readings]
    targets = (each for each in read if each.kind == "target")
    demand_known(((each.item, each.origin) for each in targets), lookup.by_id)
    readings = tuple(
        replace(
            each,
            source=item.cluster_id,
            construction=construction(item),
            condition=each.condition or item.kind,
        )
        if (item := lookup.by_id.get(each.item))
        else each
        for each in read
    )
    people = {each.participant for each in joined.judgments}
    people |= {each.participant for each in readings}
    n_answers = sum(map(answered, joined.judgments))
    summary = Summary(
        n_files=arrived.n_files,
        n_rows=arrived.n_rows,
        n_judgments=n_answers,
        n_participants=len(people),
        n_items_matched=joined.n_items_matched,
        n_items_unmatched=joined.n_items_unmatched,
        n_missing=len(joined.judgments) - n_answers,
        n_duplicates=joined.n_duplicates,
        n_readings=len(readings),
        n_others=arrived.n_others,
    )
    return Imported(
        summary,
        joined.judgments,
        readings,
        tuple(_renamed_session(each, rename) for each in arrived.sessions),
        notes=tuple(arrived.notes),
        columns=arrived.columns,
        kinds=tuple((kind, by, n) for (kind, by), n in said.items()),
    )


def renamed_people(
    sessions: Sequence[Session], options: ImportOptions, platform: str
) -> tuple[Session, ...]:
    """Sessions that a platform tells of by themselves, under the same pseudonyms as judgments."""
    rename = _rename(Arrived(n_files=0, n_rows=0, platform=platform), options)
    return tuple(_renamed_session(each, rename) for each in sessions)


def _rename(arrived: Arrived, options: ImportOptions) -> Rename:
    key = options.key

    def rename(participant: str, sort: str, identity: str) -> str:
        if key is None:
            return identity
        platform = options.platform or arrived.platforms.get(participant, arrived.platform)
        if platform == OWN and (sort or PSEUDONYM.fullmatch(identity)):
            return identity
        return pseudonym(key(), f"{platform}/{sort}" if sort else platform, identity)

    return rename


def _renamed_session(session: Session, rename: Rename) -> Session:
    own = session.participant
    return replace(
        session,
        participant=rename(own, "", own),
        session=rename(own, "session", session.session),
    )


def _found(reading: Reading, lookup: Lookup) -> Reading:
    """With the item and the condition that the sentence tells; the item's own id goes first."""
    places = lookup.by_sentence.get(plain(reading.sentence), ())
    own = [place for place in places if place[0] == reading.item] or list(places)
    if reading.item in lookup.by_id:
        shown = own[0][1] if own and own[0][0] == reading.item else reading.shown
        return replace(reading, shown=shown)
    if len({item for item, _ in own}) == 1:
        return replace(reading, item=own[0][0], shown=own[0][1])
    return reading if reading.item else replace(reading, item=reading.sentence)


@dataclass(frozen=True, slots=True)
class Joined:
    """The judgments in the order of the file, and how the join went."""

    judgments: tuple[Judgment, ...]
    n_items_matched: int
    n_items_unmatched: int
    n_duplicates: int


def join(
    claimed: Iterable[Judgment],
    items: Sequence[Item],
    missing: Collection[str] = (),
    *,
    in_order: bool = False,
) -> Joined:
    """`claimed` with all that the items know filled in and `correct` recomputed.

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
    known = {item.item_id: item for item in items}
    kept, n_duplicates = _without_repeats(claimed)
    kept = _numbered(kept) if in_order else kept
    demand_known(((each.item, each.origin) for each in kept if each.kind == "target"), known)
    filled = [_filled(_answered(each, known, missing), known.get(each.item)) for each in kept]
    _demand_options(filled, known)
    about = dict.fromkeys(each.item for each in filled)
    n_matched = sum(item in known for item in about)
    return Joined(
        judgments=tuple(map(_judged, filled)),
        n_items_matched=n_matched,
        n_items_unmatched=len(about) - n_matched,
        n_duplicates=n_duplicates,
    )


def _without_repeats(claimed: Iterable[Judgment]) -> tuple[list[Judgment], int]:
    first: dict[str, Judgment] = {}
    n_rows = 0
    for each in claimed:
        n_rows += 1
        trial_id = each.trial_id or "/".join(
            (each.session, each.participant, each.item, str(each.position or ""))
        )
        before = first.setdefault(trial_id, replace(each, trial_id=trial_id))
        if replace(before, origin="", trial_id="") != replace(each, origin="", trial_id=""):
            wrong = f"the trial {trial_id!r} of {before.origin} again, with other content"
            if not each.trial_id:
                wrong = f"the person of {before.origin} again on item {each.item!r}, otherwise"
            right = "a session, trial_id or position that tells the two answers apart"
            raise InputError(each.origin, wrong, right, kind="conflict")
    return list(first.values()), n_rows - len(first)


def _numbered(judgments: Sequence[Judgment]) -> list[Judgment]:
    stated = {(each.participant, each.session) for each in judgments if each.position is not None}
    counts: Counter[tuple[str, str]] = Counter()
    result = []
    for each in judgments:
        session = (each.participant, each.session)
        counts[session] += 1
        number = each.position if session in stated else counts[session]
        result.append(replace(each, position=number))
    return result


def demand_known(asked: Iterable[tuple[str, str]], known: Mapping[str, Item]) -> None:
    """Raises `InputError` where an item of `asked`, pairs of item id and place, is not known."""
    unknown: dict[str, str] = {}
    for item, place in asked:
        if item not in known:
            unknown.setdefault(item, place)
    if unknown:
        wrong = f"{_listed(list(unknown))}: no such item among the {len(known)} known"
        right = "the item_id of an item in the suite, or another `kind` for fillers and checks"
        raise InputError(next(iter(unknown.values())), wrong, right, kind="unknown")


def _filled(judgment: Judgment, item: Item | None) -> Judgment:
    """With what the item knows; the options stay as the file has them, for only it knows the order
    in which they were shown."""
    if item is None:
        return judgment
    judgment = replace(
        judgment,
        source=item.cluster_id,
        construction=construction(item),
        condition=judgment.condition or item.kind,
    )
    if is_rating(judgment, item):
        return replace(judgment, correct_form="")
    pair = forms(item)
    judgment = _in_forms(judgment, item)
    right = pair[0] if pair else judgment.correct_form
    if judgment.correct_form and normal(judgment.correct_form) != normal(right):
        raise InputError(
            judgment.origin,
            f"the correct form of item {item.item_id} is {judgment.correct_form!r}",
            f"{right!r}, as in the suite",
            kind="format",
        )
    shown = {normal(judgment.option_1), normal(judgment.option_2)} - {""}
    if pair and shown and shown != {normal(form) for form in pair}:
        raise InputError(
            judgment.origin,
            f"item {item.item_id} shown with {judgment.option_1!r} and {judgment.option_2!r}",
            f"the item's own forms, {pair[0]!r} and {pair[1]!r}",
            kind="format",
        )
    return replace(judgment, correct_form=right, prefix=judgment.prefix or prefix(item))


def is_rating(judgment: Judgment, item: Item) -> bool:
    """Whether one sentence was judged for itself: there is a rating and no choice, or (where the
    answer is missing) one text was shown and it is a sentence of the item."""
    if judgment.chosen or judgment.option_2:
        return False
    if judgment.rating is not None:
        return True
    shown = plain(judgment.option_1)
    return bool(shown) and any(
        shown == plain(sentence_text(wording))
        for wordings in item.conditions.values()
        for wording in wordings
    )


def _in_forms(judgment: Judgment, item: Item) -> Judgment:
    """A choice between the item's sentences as one between its forms, where these are not the
    sentences themselves."""
    pair, wholes = forms(item), sentences(item)
    if pair is None or wholes is None or pair == wholes:
        return judgment
    as_form = dict(zip(map(plain, wholes), pair, strict=True))

    def short(text: str) -> str:
        return as_form.get(plain(text), text)

    return replace(
        judgment,
        option_1=short(judgment.option_1),
        option_2=short(judgment.option_2),
        chosen=short(judgment.chosen),
        correct_form=short(judgment.correct_form),
    )


def _answered(judgment: Judgment, known: Mapping[str, Item], missing: Collection[str]) -> Judgment:
    if judgment.chosen in missing and normal(judgment.chosen) not in _options(judgment, known):
        return replace(judgment, chosen="")
    return judgment


def _options(judgment: Judgment, known: Mapping[str, Item]) -> list[str]:
    """The forms as shown; if the file has none, the item's; if that is unknown, none."""
    shown = [form for form in (judgment.option_1, judgment.option_2) if form]
    item = known.get(judgment.item)
    return [normal(form) for form in shown or (item and forms(item)) or ()]


def _demand_options(judgments: Iterable[Judgment], known: Mapping[str, Item]) -> None:
    offenders = []
    for each in judgments:
        options = _options(each, known)
        if each.chosen and options and normal(each.chosen) not in options:
            offenders.append((each, options))
    if offenders:
        first, options = offenders[0]
        wrong = f"{_listed([each.chosen for each, _ in offenders])}: chosen, but neither option"
        right = f"for item {first.item} {' or '.join(map(repr, options))}"
        raise InputError(first.origin, wrong, right, kind="format")


def _judged(judgment: Judgment) -> Judgment:
    if judgment.chosen_index is not None and not judgment.chosen:
        return judgment  # texts unknown: the file's own verdict, which its reader has checked
    if not judgment.chosen:
        if judgment.correct is not None:
            wrong = f"correct is {judgment.correct}, but nothing was chosen"
            right = "an empty cell, or the chosen form"
            raise InputError(judgment.origin, wrong, right, kind="format")
        return replace(judgment, chosen_index=None)
    if not judgment.correct_form:
        wrong = f"no correct form for item {judgment.item!r}"
        right = "a column correct_form for items that the suite does not have, or --items"
        raise InputError(judgment.origin, wrong, right, kind="format")
    correct = int(normal(judgment.chosen) == normal(judgment.correct_form))
    if judgment.correct not in (None, correct):
        raise InputError(
            judgment.origin,
            f"correct is {judgment.correct}, but {judgment.chosen!r} was chosen"
            f" and {judgment.correct_form!r} is the correct form",
            str(correct),
            kind="format",
        )
    return replace(judgment, correct=correct)


def _listed(values: Sequence[str]) -> str:
    """The first five, quoted, and how many more there are."""
    shown = ", ".join(repr(value) for value in values[:OFFENDERS])
    more = len(values) - OFFENDERS
    return f"{shown} and {more} more" if more > 0 else shown
