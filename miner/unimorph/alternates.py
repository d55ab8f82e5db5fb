"""The other forms of a word, from a UniMorph word list: those with another value of one feature.

Exchanging the value in the bundle is not enough, since the rows of two values seldom differ in it
alone: Dutch singulars state person (V;IND;PST;3;SG), plurals do not (V;IND;PST;PL), so that only a
quarter of the singular bundles has an exact partner. What is looked for is the *maximal compatible
bundle*: one that has the new value, contradicts nothing else that is known of the word, and shares
as much with it as can be had. A form that can also carry the old value is no alternate, since it
would be right and wrong (so too Jumelet et al. 2025, MultiBLiMP 1.0, who exchange the value).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TypeAlias

from colorless_green.miner.features import CACHED, value_of
from colorless_green.miner.unimorph.bundle import (
    POSITIVE,
    Bundle,
    Reading,
    compatible,
    holds,
    listed_readings,
    merged,
    readings,
    readings_of,
    without,
)
from colorless_green.miner.unimorph.correspondence import bundle_of, unimorph_value
from colorless_green.miner.unimorph.languages import bare, completed
from colorless_green.miner.unimorph.wordlist import UniMorph

NO_COUNTERPART = "no counterpart"  # of the old or the new value in UniMorph; or the word has none
NO_LEMMA = "no lemma"  # neither the lemma nor the form is listed
NO_FORM = "no form"  # the lemma is listed, the form is not
NO_FIT = "no fitting bundle"  # the form is listed, but not with what UD says of it
NO_VALUE = "no bundle of the value"  # nothing compatible in the paradigm has the new value
SAME_FORM = "same form"  # one form has both values
SYNCRETIC = "syncretic"  # the form with the new value can have the old one, too
MULTIWORD = "multiword"  # the form with the new value has a blank
REASONS = (
    NO_COUNTERPART,
    NO_LEMMA,
    NO_FORM,
    NO_FIT,
    NO_VALUE,
    SAME_FORM,
    SYNCRETIC,
    MULTIWORD,
)
NO_COUNTS: Mapping[str, int] = MappingProxyType({})

Rank: TypeAlias = tuple[int, int, int, int, int]
"""Smaller is better: −values shared, values added, −count, place of the lemma, of the row."""


@dataclass(frozen=True, slots=True)
class Source:
    """One thing that the word can be."""

    lemma: str  # as listed
    row: Reading  # what UniMorph says of it
    known: Reading  # what UniMorph and UD say together


@dataclass(frozen=True, slots=True)
class Alternates:
    """The forms of a word with another value, best first; or why there are none."""

    forms: tuple[str, ...]
    reason: str  # one of `REASONS`; empty if there are forms


def alternates(
    unimorph: UniMorph,
    form: str,
    lemma: str,
    upos: str,
    feats: str,
    feature: str,
    value: str,
    *,
    counts: Mapping[str, int] = NO_COUNTS,
) -> Alternates:
    """The forms of a word with `value` of `feature` and else with what it has: those of the maximal
    compatible bundles.

    `feats`, `feature` and `value` are UD's. The word is looked up as (lemma, form), as written and
    then in lower case; where the pair is not listed with a bundle that fits its UPOS and FEATS, by
    the form alone. Of the bundles in its paradigm that have the value and contradict nothing known
    of it those count that share most with its own, and of these the ones that add least. Left out
    are the word's own form, forms that can also have the old value, and forms with a blank; if none
    is left, `reason` says what was wrong with the best. Best first: most shared, least added, most
    frequent by `counts` (by form as listed), first in the file. A capital that only the word has,
    not the listed form, is given to its alternates. Where a list leaves open what UD states (some
    have adjectives without gender), counts of the forms as seen with the wanted FEATS decide.
    """
    old = unimorph_value(feature, value_of(feats, feature) or "")
    new = unimorph_value(feature, value)
    if old is None or new is None:
        return Alternates((), NO_COUNTERPART)
    conventions = unimorph.conventions
    stated = _stated(upos, completed(upos, feats, conventions.assumed))
    lemma = bare(lemma, conventions.dropped)
    listed, sources, reason = _look_up(unimorph, form, lemma, stated)
    if not sources:
        return Alternates((), reason)
    candidates = _candidates(unimorph, sources, old, new, counts)
    faults = [_fault(unimorph, each, listed, sources) for each in candidates]
    found = [
        _with_case_of(form, listed, candidate)
        for (_, candidate), fault in zip(candidates, faults, strict=True)
        if not fault
    ]
    distinct = tuple(dict.fromkeys(each for each in found if each != form))
    if distinct:
        return Alternates(distinct, "")
    return Alternates((), next(filter(None, faults), SAME_FORM if found else NO_VALUE))


@lru_cache(maxsize=CACHED)
def _stated(upos: str, feats: str) -> tuple[Reading, ...]:
    """What UD says of a word, in UniMorph's terms."""
    found = readings(bundle_of(upos, feats))
    if value_of(feats, "Degree") == "Pos":
        return tuple(merged(each, POSITIVE) for each in found)
    return found


def _look_up(
    unimorph: UniMorph, form: str, lemma: str, stated: Sequence[Reading]
) -> tuple[str, list[Source], str]:
    """The form as listed and what it can be; if nothing, the reason."""
    reason = NO_FORM if lemma in unimorph.paradigms else NO_LEMMA
    for spelled, lemmas in _places(unimorph, form, lemma):
        listed = [
            (each, bundle)
            for each in lemmas
            for other, bundle in unimorph.paradigm(each)
            if other == spelled
        ]
        sources = _closest(listed, stated)
        if sources:
            return spelled, sources, ""
        reason = NO_FIT if listed else reason
    return form, [], reason


def _places(unimorph: UniMorph, form: str, lemma: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Spellings of the form, with the lemmas under which to look for it, in this order."""
    dropped = unimorph.conventions.dropped
    spellings = tuple(dict.fromkeys((bare(form, dropped), bare(form.lower(), dropped))))
    for spelled in spellings:
        yield spelled, (lemma,)
    for spelled in spellings:
        yield spelled, unimorph.lemmas_of(spelled)


def _closest(listed: Sequence[tuple[str, Bundle]], stated: Sequence[Reading]) -> list[Source]:
    """The listed bundles that fit what UD states, of these the ones that share most with it."""
    fitting = [
        (_shared(row, word), Source(lemma, row, merged(row, word)))
        for lemma, bundle in listed
        for row in listed_readings(bundle)
        for word in stated
        if compatible(row, word)
    ]
    most = max((shared for shared, _ in fitting), default=0)
    return [source for shared, source in fitting if shared == most]


def _candidates(
    unimorph: UniMorph, sources: Sequence[Source], old: str, new: str, counts: Mapping[str, int]
) -> list[tuple[str, str]]:
    """(lemma, form) of the maximal compatible bundles of each source, best first."""
    wanted = readings_of(new)
    freed = {of for each in (*wanted, *readings_of(old)) for of in each}
    ranks: dict[tuple[str, str], Rank] = {}
    places = {lemma: place for place, lemma in enumerate(dict.fromkeys(x.lemma for x in sources))}
    for source in sources:
        known, own = without(source.known, freed), without(source.row, freed)
        graded: list[tuple[tuple[int, int], int, str]] = []
        for index, (form, bundle) in enumerate(unimorph.paradigm(source.lemma)):
            for reading in listed_readings(bundle):
                if compatible(reading, known) and any(holds(reading, each) for each in wanted):
                    rest = without(reading, freed)
                    shared = _shared(rest, own)
                    graded.append(((-shared, sum(map(len, rest.values())) - shared), index, form))
        best = min((grade for grade, _, _ in graded), default=(0, 0))
        for grade, index, form in graded:
            if grade == best:
                key = (source.lemma, form)
                rank = (*grade, -counts.get(form, 0), places[source.lemma], index)
                ranks[key] = min(rank, ranks.get(key, rank))
    return sorted(ranks, key=lambda key: ranks[key])


def _shared(one: Reading, other: Reading) -> int:
    """How many values two readings have in common."""
    return sum(len(one[of] & other[of]) for of in one.keys() & other.keys())


def _fault(
    unimorph: UniMorph, candidate: tuple[str, str], listed: str, sources: Sequence[Source]
) -> str:
    """Why a form with the new value cannot be the other form; empty if it can."""
    lemma, form = candidate
    if form == listed:
        return SAME_FORM
    if any(map(str.isspace, form)):
        return MULTIWORD
    can_be_old = any(
        compatible(reading, source.known)
        for other, bundle in unimorph.paradigm(lemma)
        if other == form
        for reading in listed_readings(bundle)
        for source in sources
        if source.lemma == lemma
    )
    return SYNCRETIC if can_be_old else ""


def _with_case_of(form: str, listed: str, alternate: str) -> str:
    """An alternate with the capitals that the word has and the listed form lacks."""
    if form[:1] == listed[:1] or not form[:1].isupper():
        return alternate
    if len(form) > 1 and form.isupper():
        return alternate.upper()
    return alternate[:1].upper() + alternate[1:]
