"""From what a format has read to what is stored: people renamed, items found, answers joined.

Every format ends here, so that no way of importing can forget a rule.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from colorless_green.humans.imported import Arrived, Imported, ImportOptions, Summary
from colorless_green.humans.join import demand_known, join
from colorless_green.humans.judgment import Judgment, Reading, Session, answered
from colorless_green.humans.lookup import Lookup, lookup_of, plain
from colorless_green.humans.pseudonym import PSEUDONYM, pseudonym
from colorless_green.humans.tally import construction
from colorless_green.nonce.item import Item

OWN = "colorless"  # our own platform: its people have their pseudonyms already

Rename: TypeAlias = Callable[[str, str, str], str]
"""(participant, sort of id, id) → what is kept of the id; the participant tells the platform."""


def assembled(arrived: Arrived, items: Sequence[Item], options: ImportOptions) -> Imported:
    """The judgments, readings and sessions of `arrived`, joined to `items`, with their summary.

    With a key in the options, people, sessions and trials get pseudonyms before anything else, so
    that no message can show an id. Raises `InputError` as `join` does.
    """
    lookup = lookup_of(items)
    rename = _rename(arrived, options)
    claims = [
        _kind(_identified(_renamed(each, rename), lookup, arrived.own_ids), options)
        for each in arrived.judgments
    ]
    joined = join(claims, items, arrived.missing, in_order=arrived.in_order)
    readings = _joined_readings([_renamed_reading(e, rename) for e in arrived.readings], lookup)
    sessions = tuple(_renamed_session(each, rename) for each in arrived.sessions)
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
    return Imported(summary, joined.judgments, readings, sessions, notes=tuple(arrived.notes))


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


def _renamed(judgment: Judgment, rename: Rename) -> Judgment:
    own = judgment.participant
    return replace(
        judgment,
        participant=rename(own, "", own),
        session=rename(own, "session", judgment.session),
        trial_id=rename(own, "trial", judgment.trial_id),
    )


def _renamed_reading(reading: Reading, rename: Rename) -> Reading:
    own = reading.participant
    return replace(
        reading,
        participant=rename(own, "", own),
        session=rename(own, "session", reading.session),
        trial_id=rename(own, "trial", reading.trial_id),
    )


def _renamed_session(session: Session, rename: Rename) -> Session:
    own = session.participant
    return replace(
        session,
        participant=rename(own, "", own),
        session=rename(own, "session", session.session),
    )


def _identified(judgment: Judgment, lookup: Lookup, own_ids: bool) -> Judgment:
    """With the item that its texts tell, where it has no id or one of another program's."""
    return judgment if judgment.item and own_ids else lookup.identified(judgment)


def _kind(judgment: Judgment, options: ImportOptions) -> Judgment:
    """The sort of trial: what the researchers say of the item, else what the file says."""
    return replace(judgment, kind=options.kinds.get(judgment.item, judgment.kind))


def _joined_readings(readings: Sequence[Reading], lookup: Lookup) -> tuple[Reading, ...]:
    """With what the items know. Raises `InputError` for targets that are no item's sentence;
    fillers and practice may be of no item that is known."""
    found = [_found(each, lookup) for each in readings]
    targets = (each for each in found if each.kind == "target")
    demand_known(((each.item, each.origin) for each in targets), lookup.by_id)
    known = lookup.by_id
    return tuple(_filled(each, known[each.item]) if each.item in known else each for each in found)


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


def _filled(reading: Reading, item: Item) -> Reading:
    return replace(
        reading,
        source=item.cluster_id,
        construction=construction(item),
        condition=reading.condition or item.kind,
    )
