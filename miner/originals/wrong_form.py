"""Choose the wrong form of a target: which value it has, and which form with that value it is.

A construction has one wrong value for each right one, so that all its items put the same question:
the singular beside the plural, the plural beside the singular and beside the dual. Spelling chooses
between forms of that value only.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...data.items.features import (
    UNMARKED_IN_PLURALS,
    agreement_value,
    conflict,
    loosened,
    normal,
    value_of,
    with_value,
)
from ..treebank.paradigms import Forms, Paradigms
from ..verdict.construction import Construction, InstanceEnd, Procedure

if TYPE_CHECKING:
    from .wordlist import UniMorph

MIN_FORM_SHARE = 0.05  # uses, as a share of those of the most frequent form of the cell
PERSON = "Person"
PERSON_TOO = "person_too"  # flag of an original whose two forms differ in Person, too
SINGULAR, PLURAL = "Sing", "Plur"
UNIMORPH = "unimorph"  # flag of an original whose other form comes from there
UNIMORPH_LICENCE = "CC-BY-SA-3.0"  # as its language repositories state; joins the treebank's


@dataclass(frozen=True, slots=True)
class FormInventory:
    """The words an original may be made of."""

    paradigms: Paradigms
    all_paradigms: Paradigms  # of every form, also where the rule's are of letters alone
    vocabulary: frozenset[str]
    closed: bool  # whether a word that the treebank does not show is unknown for that
    unimorph: "UniMorph | None" = None  # where other forms are looked up that the treebank lacks
    contrasts: Mapping[str, str] = field(default_factory=dict)  # right → wrong value, as asked for


@dataclass(frozen=True, slots=True)
class Contrasts:
    """The wrong values beside each right one of a construction."""

    construction: Construction
    wrong: Mapping[str, tuple[str, ...]]  # right value → those that the wrong form may have
    other_values: Mapping[str, tuple[str, ...]]  # right value → all others of the construction


@dataclass(frozen=True, slots=True)
class WrongForm:
    """The target with other values."""

    form: str  # empty where there is none
    value: str
    forms: Mapping[str, str]  # value → form, of every other value that has one
    flags: tuple[str, ...]
    reason: str  # why there is none


@dataclass(frozen=True, slots=True)
class MultiwordParts:
    """Words that are known as parts of a multiword token: with what stands before and after."""

    tokens: Container[str]
    before: str
    after: str

    def __contains__(self, word: object) -> bool:
        return f"{self.before}{word}{self.after}" in self.tokens


def contrast(feature: str, value: str, counts: Mapping[str, int]) -> str:
    """Return the wrong value beside a right one: of Number the plural beside the singular and the
    singular beside the plural; every other number (dual, paucal …) is nearest to the plural, as
    which it counts in languages that lost it. Of other features the value most often agreed in,
    ties by name. Empty where there is no other value.

    Args:
        feature: the feature, or its names on controller and agreeing word joined by `~`.
        value: the right value.
        counts: the construction's values, and how often cue and target agree in each.

    Returns:
        The wrong value, or "".

    >>> contrast("Number", "Dual", {"Sing": 9, "Plur": 5, "Dual": 2})
    'Plur'
    >>> contrast("Gender", "Neut", {"Fem": 9, "Masc": 12, "Neut": 2})
    'Masc'
    """
    candidates = sorted((name for name in counts if name != value), key=lambda v: (-counts[v], v))
    if feature.partition("~")[0].partition("[")[0] == "Number":
        nearest = SINGULAR if value == PLURAL else PLURAL
        candidates.sort(key=lambda name: name != nearest)
    return next(iter(candidates), "")


def contrasts_of(
    construction: Construction, equivalent: bool, chosen: Mapping[str, str]
) -> Contrasts:
    """Return the wrong value for each right one: one as `chosen`, or else as `contrast` chooses it;
    under a rule without equivalent values any, those most often agreed in first."""
    feature = construction.feature
    counts: dict[str, int] = {}  # how often cue and target agree in each value
    for value in construction.values:
        name = agreement_value(feature, value) if equivalent else value
        counts[name] = counts.get(name, 0) + construction.table.get((value, value), 0)
    other_values = {
        value: tuple(
            sorted((choice for choice in counts if choice != value), key=lambda v: -counts[v])
        )
        for value in counts
    }
    if not equivalent:
        return Contrasts(construction, other_values, other_values)
    wrong = {value: chosen.get(value) or contrast(feature, value, counts) for value in counts}
    single = {value: (choice,) if choice else () for value, choice in wrong.items()}
    return Contrasts(construction, single, other_values)


def wrong_form(
    target: InstanceEnd,
    feature: str,
    right: str,
    contrasts: Contrasts,
    rule: Procedure,
    words: FormInventory,
    vocabulary: Container[str],
) -> WrongForm:
    """Return the target with another value, from the treebank or else from UniMorph; where there is
    one wrong value, else of another Person."""
    candidates, has_pairs = contrasts.wrong[right], rule.replacement.by_partner
    looked_up = {
        value: rule.partner(words.paradigms, vocabulary, target, feature, value)
        for value in dict.fromkeys((*candidates, *contrasts.other_values[right]))
    }
    forms = {value: form for value, (form, _) in looked_up.items() if form}
    listed: dict[str, str] = {}
    if words.unimorph is not None:
        from .wordlist import alternates

        for value in (candidate for candidate in looked_up if candidate not in forms):
            options = alternates(words.unimorph, *target[1:5], feature, value)
            if form := next((w for w in options if not words.closed or w in vocabulary), ""):
                listed[value] = form
    all_forms = forms | listed

    def differs(form: str, value: str) -> bool:
        return feature != PERSON and person_differs(
            words.all_paradigms.form_readings,
            target.feats,
            target.other_feats,
            [
                feats
                for upos, feats, _ in words.paradigms.by_form.get(form, ())
                if upos == target.upos and value_of(feats, feature) == value
            ],
        )

    for value in (
        candidate for source in (forms, listed) for candidate in candidates if candidate in source
    ):
        flags = [UNIMORPH] if value in listed else []
        if has_pairs and differs(all_forms[value], value):
            flags.append(PERSON_TOO)
        return WrongForm(all_forms[value], value, all_forms, tuple(flags), "")
    has_person = feature != PERSON and value_of(target.feats, PERSON) is not None
    for value in candidates if has_pairs and has_person else ():
        form, _ = partner(words.paradigms, vocabulary, target, feature, value, any_person=True)
        if form:
            flags = [PERSON_TOO] * differs(form, value)
            return WrongForm(form, value, {value: form} | all_forms, tuple(flags), "")
    reason = next((why for value in candidates if (why := looked_up[value][1])), "")
    return WrongForm("", "", {}, (), reason or f"no other value than {right}")


def partner(
    paradigms: Paradigms,
    vocabulary: Container[str],
    target: InstanceEnd,
    feature: str,
    value: str,
    *,
    any_person: bool = False,
) -> tuple[str, str]:
    """Return the known form with the other value that is spelled most like the target, among those
    in use; none that is a form of the right value too; or why there is none.

    Equal in all but the feature; failing that, FEATS may leave Gender and Animacy out on one side,
    as Slavic and German plurals do, but not contradict the target's, nor the
    cue's where the target has none. Spelling stands for what a treebank does not annotate: Basque
    auxiliaries carry no Tense, and by frequency alone a present (*du*) is paired with a past
    (*zuten*) instead of its own plural (*dute*). With `any_person` the form may be of another
    Person: what is left where a treebank shows no other (Spanish *sois* beside *es* for want of
    *eres*).
    """
    lemma, upos = target.lemma, target.upos
    right_feats, swapped = normal(target.feats), with_value(target.feats, feature, value)
    person = value_of(right_feats, PERSON)

    def fits(feats: str) -> bool:
        if any_person and person:
            if value_of(feats, PERSON) is None:
                return False
            feats = with_value(feats, PERSON, person)
        return _fits(feats, swapped, target, feature)

    counts = {} if any_person else paradigms.counted(lemma, upos, swapped)
    counts = counts or paradigms.counted_if(lemma, upos, fits)
    if not counts:
        return "", f"no paradigm: {lemma} with {feature}={value}"
    right = paradigms.counted_if(
        lemma, upos, lambda feats: _fits(feats, right_feats, target, feature)
    )
    same = {form.casefold() for form in (target.form, *_frequent_forms(right, ()))}
    different = _frequent_forms(counts, same)
    if max(counts, key=lambda form: counts[form]) == target.form or not different:
        return "", f"equal forms: {target.form} with {feature}={value} too"
    candidates = [form for form in different if form in vocabulary]
    if not candidates:
        return "", f"the other form is out of vocabulary: {different[0]}"
    cased = [spelled for spelled in (_cased(form, target) for form in candidates) if spelled]
    if not cased:
        return "", f"begins otherwise: {target.form}, {candidates[0]}"

    def unlike(form: str) -> tuple[int, int]:
        return distance(form, target.form), -common_ending(form, target.form)

    # of equally near ones the one with the same ending, and of these the more frequent one
    return min(cased, key=unlike), ""


def _fits(feats: str, sought: str, target: InstanceEnd, feature: str) -> bool:
    """Tell whether a form's FEATS are those sought but for Gender and Animacy, and contradict
    neither those of the target nor, where it tells none, those of the word it agrees with."""
    if loosened(feats, feature) != loosened(sought, feature):
        return False
    marked = {name for name in UNMARKED_IN_PLURALS if value_of(target.feats, name)}
    agreeing_feats = [
        f"{name}={value}"
        for name in UNMARKED_IN_PLURALS
        if name not in marked and name != feature and (value := value_of(target.other_feats, name))
    ]
    return not conflict(feats, sought) and not conflict(feats, "|".join(agreeing_feats) or "_")


def person_differs(forms: Forms, feats: str, other_feats: str, readings: Sequence[str]) -> bool:
    """Tell whether the wrong form is of another Person than the target or the word it agrees with,
    so that it is wrong for two reasons; not where most verbs spell the two persons alike.

    Args:
        forms: what the treebank shows.
        feats, other_feats: FEATS of the target and of the word it agrees with (annotation may tell
            their persons apart).
        readings: FEATS of the wrong form with the other value.
    """
    owns = {value_of(word_feats, PERSON) for word_feats in (feats, other_feats)} - {None}
    persons = {person for reading in readings if (person := value_of(reading, PERSON))}

    def alike(expected: str) -> bool:
        return any(
            not set(expected.split(",")).isdisjoint(person.split(",")) for person in persons
        ) or (
            any(forms.persons_alike(reading, expected) for reading in readings)
            or any(forms.persons_alike(feats, person) for person in persons)
        )

    return bool(persons) and not all(alike(expected) for expected in owns if expected)


def _frequent_forms(counts: Mapping[str, int], same: Container[str]) -> list[str]:
    """Return forms other than those in `same` (capitals aside), most frequent first, less those
    that are rare beside the most frequent one (misspellings, clitics, errors of annotation)."""
    different = sorted(
        (form for form in counts if form.casefold() not in same), key=lambda form: -counts[form]
    )
    return [form for form in different if counts[form] >= MIN_FORM_SHARE * counts[different[0]]]


def common_ending(form: str, other_form: str) -> int:
    """Return the number of letters at the end that two words share."""
    pairs = zip(reversed(form), reversed(other_form), strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(form), len(other_form)))


def distance(form: str, other_form: str) -> int:
    """Count the letters to insert, delete or replace between two forms (Levenshtein 1966).

    Args:
        form: a form.
        other_form: another form.

    Returns:
        The least number of such steps.

    >>> distance("borrow", "borrows"), distance("man", "men")
    (1, 1)
    """
    row = list(range(len(other_form) + 1))
    for rank, letter in enumerate(form, start=1):
        diagonal, row[0] = row[0], rank
        for column, other_letter in enumerate(other_form, start=1):
            diagonal, row[column] = (
                row[column],
                min(row[column] + 1, row[column - 1] + 1, diagonal + (letter != other_letter)),
            )
    return row[-1]


def _cased(form: str, target: InstanceEnd) -> str:
    """Return a form with the target's capitals or small first letter, so that the two differ in
    nothing but the feature; nothing where one begins with a letter and the other does not."""
    target_initial, initial = target.form[:1], form[:1]
    if target_initial.isalpha() != initial.isalpha():
        return ""
    if len(target.form) > 1 and target.form.isupper():
        return form.upper()
    if len(form) > 1 and form.isupper() and not target.lemma[:1].isupper():
        form, initial = form.lower(), form[:1].lower()  # shouted elsewhere
    if target_initial.isupper() == initial.isupper():
        return form
    if target.lemma[:1].isupper():  # a name: its capital is no matter of the sentence
        return ""
    return form[:1].upper() + form[1:] if target_initial.isupper() else form[:1].lower() + form[1:]
