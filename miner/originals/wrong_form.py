"""Choose the wrong form of a target: which value it has, and which form with that value it is.

A construction has one wrong value for each right one, so that all its items pose the same question:
the singular against the plural, the plural against the singular and against the dual. If several
forms have that value, the one spelled most like the target is taken.
"""

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...data.items.features import (
    UNMARKED_IN_PLURALS,
    agreement_value,
    genders_conflict,
    loosened,
    normal,
    value_of,
    with_value,
)
from ..treebank.paradigms import Forms, Paradigms
from ..verdict.construction import Construction, InstanceEnd, Procedure

if TYPE_CHECKING:
    from .wordlist import UniMorph

MIN_FORM_SHARE = 0.05  # of the uses of the most frequent competing form; rarer forms are ignored
PERSON = "Person"
PERSON_TOO = "person_too"  # flag of an original whose two forms also differ in Person
SINGULAR, PLURAL = "Sing", "Plur"
UNIMORPH = "unimorph"  # flag of an original whose wrong form comes from UniMorph
UNIMORPH_LICENCE = "CC-BY-SA-3.0"  # as its language repositories state; joins the treebank's


@dataclass(frozen=True, slots=True)
class FormInventory:
    """The words that originals may contain, and the paradigms that wrong forms are taken from."""

    paradigms: Paradigms
    all_paradigms: Paradigms  # every form, even if the rule uses forms of letters alone
    vocabulary: frozenset[str]
    closed: bool  # the user gave the vocabulary: no other word may be used
    unimorph: "UniMorph | None" = None  # word list for forms that the treebank lacks
    contrasts: Mapping[str, str] = field(default_factory=dict)  # right → wrong value, from the user


@dataclass(frozen=True, slots=True)
class Contrasts:
    """The values that the wrong form may have, for each right value of a construction."""

    construction: Construction
    other_values: Mapping[str, tuple[str, ...]]  # right value → all others, the best first
    equivalent: bool  # only the best one makes a wrong form; else any


@dataclass(frozen=True, slots=True)
class WrongForm:
    """The wrong form of a target, or the reason why there is none."""

    form: str  # empty if there is none
    value: str
    forms: Mapping[str, str]  # other value → form, for each one that has a form
    flags: tuple[str, ...]
    reason: str  # why there is no wrong form; else empty


@dataclass(frozen=True, slots=True)
class MultiwordParts:
    """A vocabulary of words inside one multiword token: a word is in it if the whole token, with
    the word in its place, is among the known tokens."""

    tokens: Container[str]
    before: str
    after: str

    def __contains__(self, word: object) -> bool:
        return f"{self.before}{word}{self.after}" in self.tokens


def contrast(feature: str, value: str, counts: Mapping[str, int]) -> str:
    """Choose the wrong value for a right one.

    In Number it is the singular for the plural, and the plural for the singular and for all other
    numbers (dual, paucal …), since it is nearest to them. In other features it is the other value
    with most agreeing instances, ties by name.

    Args:
        feature: the feature, or its names on controller and agreeing word joined by `~`.
        value: the right value.
        counts: the construction's values, and how often cue and target agree in each.

    Returns:
        The wrong value, or "" if there is no other value.

    >>> contrast("Number", "Dual", {"Sing": 9, "Plur": 5, "Dual": 2})
    'Plur'
    >>> contrast("Gender", "Neut", {"Fem": 9, "Masc": 12, "Neut": 2})
    'Masc'
    """
    candidates = sorted(
        (other for other in counts if other != value), key=lambda other: (-counts[other], other)
    )
    first_name, _, _ = feature.partition("~")
    main_name, _, _ = first_name.partition("[")  # `Number` of `Number[abs]`
    nearest = SINGULAR if value == PLURAL else PLURAL
    if main_name == "Number" and nearest in candidates:
        return nearest
    return next(iter(candidates), "")


def contrasts_of(
    construction: Construction, equivalent: bool, chosen: Mapping[str, str]
) -> Contrasts:
    """Return the other values for each right value of a construction, the best first.

    If the rule counts values that agreement does not tell apart as one (`equivalent`), the best is
    the one that the user has `chosen`, else that of `contrast`, and it alone makes a wrong form.
    The others come by their number of agreeing instances.
    """
    feature = construction.feature
    counts = Counter[str]()  # value → number of instances that agree in it
    for value in construction.values:
        name = agreement_value(feature, value) if equivalent else value
        counts[name] += construction.table.get((value, value), 0)
    other_values: dict[str, tuple[str, ...]] = {}
    for value in counts:
        others = [other for other, _ in counts.most_common() if other != value]
        best = chosen.get(value) or contrast(feature, value, counts) if equivalent else ""
        other_values[value] = tuple(dict.fromkeys(filter(None, (best, *others))))
    return Contrasts(construction, other_values, equivalent)


def wrong_form(
    target: InstanceEnd,
    feature: str,
    right: str,
    contrasts: Contrasts,
    rule: Procedure,
    words: FormInventory,
    vocabulary: Container[str],
) -> WrongForm:
    """Find a form that makes the agreement of a target in `feature` wrong.

    It is, in this order: a form of the treebank; a form of UniMorph; for rules that pair each right
    value with one wrong value, a form of the treebank that also differs in Person. If there is
    none, the result has an empty form and the reason.

    Args:
        target: the word, with its FEATS.
        feature: the feature that agrees.
        right: the target's value of it.
        contrasts: the wrong values to look for.
        rule: how the wrong form with a value is looked up in the treebank.
        words: paradigms of the treebank, and of UniMorph if there is a list.
        vocabulary: the forms that may be used.
    """
    other_values, has_pairs = contrasts.other_values[right], contrasts.equivalent
    wrong_values = other_values[:1] if has_pairs else other_values
    forms: dict[str, str] = {}  # other value → form of the treebank
    reasons: dict[str, str] = {}  # other value → why the treebank has no form
    for value in other_values:
        form, reason = rule.partner(words.paradigms, vocabulary, target, feature, value)
        if form:
            forms[value] = form
        else:
            reasons[value] = reason
    unimorph_forms = _unimorph_forms(target, feature, reasons, words, vocabulary)
    all_forms = forms | unimorph_forms
    best_first = (x for source in (forms, unimorph_forms) for x in wrong_values if x in source)
    if value := next(best_first, ""):
        form = all_forms[value]
        flags = [UNIMORPH] if value in unimorph_forms else []
        if has_pairs and _differs_in_person_too(form, value, target, feature, words):
            flags.append(PERSON_TOO)
        return WrongForm(form, value, all_forms, tuple(flags), "")
    has_person = feature != PERSON and value_of(target.feats, PERSON) is not None
    for value in wrong_values if has_pairs and has_person else ():
        form, _ = partner(words.paradigms, vocabulary, target, feature, value, any_person=True)
        if form:
            person_too = _differs_in_person_too(form, value, target, feature, words)
            flags = [PERSON_TOO] if person_too else []
            return WrongForm(form, value, {value: form} | all_forms, tuple(flags), "")
    reason = next((reasons[value] for value in wrong_values if reasons[value]), "")
    reason = reason or f"no other value than {right}"
    return WrongForm(form="", value="", forms={}, flags=(), reason=reason)


def _unimorph_forms(
    target: InstanceEnd,
    feature: str,
    values: Iterable[str],
    words: FormInventory,
    vocabulary: Container[str],
) -> dict[str, str]:
    """Map each of `values` to the target's best form with it in the UniMorph list, if there is one.

    If the user gave a vocabulary, only forms in it count.
    """
    if words.unimorph is None:
        return {}
    from .wordlist import alternates

    forms: dict[str, str] = {}
    for value in values:
        options = alternates(
            words.unimorph, target.form, target.lemma, target.upos, target.feats, feature, value
        )
        if form := next((x for x in options if not words.closed or x in vocabulary), ""):
            forms[value] = form
    return forms


def _differs_in_person_too(
    form: str, value: str, target: InstanceEnd, feature: str, words: FormInventory
) -> bool:
    """Tell whether a wrong form with this value of the feature differs from the target in Person
    as well."""
    if feature == PERSON:
        return False
    readings = [
        feats
        for upos, feats, _ in words.paradigms.by_form.get(form, ())
        if upos == target.upos and value_of(feats, feature) == value
    ]
    all_forms = words.all_paradigms.form_readings
    return person_differs(all_forms, target.feats, target.other_feats, readings)


def partner(
    paradigms: Paradigms,
    vocabulary: Container[str],
    target: InstanceEnd,
    feature: str,
    value: str,
    *,
    any_person: bool = False,
) -> tuple[str, str]:
    """Return (form, "") for the wrong form of a target with this `value`, or ("", the reason).

    The form belongs to the target's lemma and UPOS, is in the vocabulary, not rare, and is no form
    of the right value too. Its FEATS equal the target's in all but the feature; if there is no such
    form, Gender and Animacy may be missing on one side (as in Slavic and German plurals), but may
    contradict neither the target's nor, if the target has none, the cue's. With `any_person` the
    Person may differ, for treebanks that show no other form (Spanish *sois* for *es*, for lack of
    *eres*).

    Of several forms, take the one spelled most like the target. Spelling makes up for what a
    treebank does not annotate: Basque auxiliaries carry no Tense, and by frequency alone a present
    (*du*) would be paired with a past (*zuten*) instead of its own plural (*dute*).
    """
    lemma, upos = target.lemma, target.upos
    right_feats, wrong_feats = normal(target.feats), with_value(target.feats, feature, value)
    person = value_of(right_feats, PERSON)

    def fits(feats: str) -> bool:
        """Tell whether FEATS can be those of the wrong form: Gender and Animacy may be missing, and
        Person may differ if `any_person` says so."""
        if any_person and person:
            if value_of(feats, PERSON) is None:
                return False
            feats = with_value(feats, PERSON, person)  # so that it does not count as different
        return _fits(feats, wrong_feats, target, feature)

    counts = {} if any_person else paradigms.counted(lemma, upos, wrong_feats)
    counts = counts or paradigms.counted_if(lemma, upos, fits)
    if not counts:
        return "", f"no paradigm: {lemma} with {feature}={value}"
    right_counts = paradigms.counted_if(
        lemma, upos, lambda feats: _fits(feats, right_feats, target, feature)
    )
    right_forms = {form.casefold() for form in (target.form, *_frequent_forms(right_counts, ()))}
    different = _frequent_forms(counts, right_forms)
    most_frequent = max(counts, key=lambda form: counts[form])
    if most_frequent == target.form or not different:
        return "", f"equal forms: {target.form} with {feature}={value} too"
    candidates = [form for form in different if form in vocabulary]
    if not candidates:
        return "", f"the other form is out of vocabulary: {different[0]}"
    cased = [_cased(form, target) for form in candidates]  # with capitals as the target has them
    if not any(cased):
        return "", f"begins otherwise: {target.form}, {candidates[0]}"

    def unlikeness(form: str) -> tuple[int, int]:
        """Rank a form by its spelling: the smaller, the more like the target."""
        return distance(form, target.form), -common_ending(form, target.form)

    # ties in distance go to the longer common ending, then to the more frequent form
    return min(filter(None, cased), key=unlikeness), ""


def _fits(feats: str, sought: str, target: InstanceEnd, feature: str) -> bool:
    """Tell whether a form's FEATS equal those sought, apart from missing Gender and Animacy.

    These may contradict neither the FEATS sought nor, for what the target lacks, those of the word
    it agrees with.
    """
    if loosened(feats, feature) != loosened(sought, feature):
        return False
    lacking = [x for x in UNMARKED_IN_PLURALS if not value_of(target.feats, x) and x != feature]
    from_other_word = [
        f"{name}={value}" for name in lacking if (value := value_of(target.other_feats, name))
    ]
    return not genders_conflict(feats, sought) and not genders_conflict(
        feats, "|".join(from_other_word) or "_"
    )


def person_differs(forms: Forms, feats: str, other_feats: str, readings: Sequence[str]) -> bool:
    """Tell whether the wrong form also differs in Person, so that it is wrong for two reasons.

    Its Person is compared with those of the target and of the word that the target agrees with.
    Persons that most verbs spell alike count as equal.

    Args:
        forms: all readings of the treebank's forms.
        feats, other_feats: FEATS of the target and of the word it agrees with (annotation may give
            them different persons).
        readings: the FEATS that the wrong form has in the treebank with the other value.
    """
    expected_persons = [value for x in (feats, other_feats) if (value := value_of(x, PERSON))]
    persons = {person for reading in readings if (person := value_of(reading, PERSON))}

    def can_have(expected: str) -> bool:
        """Tell whether the wrong form can have this Person, or is spelled like a form that has."""
        if any(set(expected.split(",")) & set(person.split(",")) for person in persons):
            return True
        if any(forms.persons_alike(reading, expected) for reading in readings):
            return True
        return any(forms.persons_alike(feats, person) for person in persons)

    return bool(persons) and not all(map(can_have, expected_persons))


def _frequent_forms(counts: Mapping[str, int], excluded: Container[str]) -> list[str]:
    """Return the forms that are not excluded (lowercase forms), most frequent first.

    Forms much rarer than the first one are left out: misspellings, clitics, errors of annotation.
    """
    remaining = sorted(
        (form for form in counts if form.casefold() not in excluded), key=lambda form: -counts[form]
    )
    return [form for form in remaining if counts[form] >= MIN_FORM_SHARE * counts[remaining[0]]]


def common_ending(form: str, other_form: str) -> int:
    """Count the letters at the end that two words have in common."""
    n_common = 0
    for letter, other_letter in zip(reversed(form), reversed(other_form), strict=False):
        if letter != other_letter:
            break
        n_common += 1
    return n_common


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
    # row[i]: distance between the letters of `form` so far and the first i letters of `other_form`
    row = list(range(len(other_form) + 1))
    for n_letters, letter in enumerate(form, start=1):
        diagonal, row[0] = row[0], n_letters
        for i, other_letter in enumerate(other_form, start=1):
            replaced = diagonal + (letter != other_letter)
            diagonal, row[i] = row[i], min(row[i] + 1, row[i - 1] + 1, replaced)
    return row[-1]


def _cased(form: str, target: InstanceEnd) -> str:
    """Return a wrong form with the target's capitals, so that they differ in the feature alone.

    Return "" if that is not possible: only one of them begins with a letter, or only one has the
    capital of a name.
    """
    target_initial, initial = target.form[:1], form[:1]
    if target_initial.isalpha() != initial.isalpha():
        return ""
    if len(target.form) > 1 and target.form.isupper():
        return form.upper()
    if len(form) > 1 and form.isupper() and not target.lemma[:1].isupper():
        form, initial = form.lower(), form[:1].lower()  # seen in a text in capitals
    if target_initial.isupper() == initial.isupper():
        return form
    if target.lemma[:1].isupper():  # a name, whose capital is not due to its place in the sentence
        return ""
    return form[:1].upper() + form[1:] if target_initial.isupper() else form[:1].lower() + form[1:]
