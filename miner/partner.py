"""The wrong form of a target: which value it has, and which form with that value it is.

A construction has one wrong value for each right one, so that all its items put the same question:
the singular beside the plural, the plural beside the singular and beside the dual. Spelling chooses
between forms of that value only.
"""

from collections.abc import Container, Mapping, Sequence

from colorless_green.data.errors import InputError
from colorless_green.miner.construction import Construction
from colorless_green.miner.features import (
    UNTOLD_IN_PLURALS,
    agreement_value,
    conflict,
    loosened,
    normal,
    value_of,
    with_value,
)
from colorless_green.miner.paradigms import Paradigms
from colorless_green.miner.rule import End

USUAL = 0.05  # uses, as a share of those of the most frequent form of the cell
PERSON = "Person"
PERSON_TOO = "person_too"  # flag of an original whose two forms differ in Person, too
SINGULAR, PLURAL = "Sing", "Plur"


def asked_contrasts(names: Sequence[str]) -> dict[str, str]:
    """`RIGHT:WRONG` … as right value → wrong value. Raises `InputError` for what is none, and for
    a right value that comes twice."""
    found: dict[str, str] = {}
    for name in names:
        right, _, wrong = name.partition(":")
        if not right or not wrong or ":" in wrong or right == wrong:
            raise InputError(
                "--contrast", f"{name!r}", "RIGHT:WRONG, as Plur:Sing; repeat for several",
                kind="value",
            )  # fmt: skip
        if found.setdefault(right, wrong) != wrong:
            raise InputError(
                "--contrast", f"{right} beside {found[right]} and beside {wrong}",
                "one wrong value for each right one", kind="conflict",
            )  # fmt: skip
    return found


def agreed_in(construction: Construction, equivalent: bool) -> dict[str, int]:
    """The values of a construction, and how often cue and target agree in each; with `equivalent`,
    values that agreement does not tell apart are one."""
    counts: dict[str, int] = {}
    for value in construction.values:
        name = agreement_value(construction.feature, value) if equivalent else value
        counts[name] = counts.get(name, 0) + construction.table.get((value, value), 0)
    return counts


def contrast(feature: str, value: str, counts: Mapping[str, int]) -> str:
    """The wrong value beside a right one: of Number the plural beside the singular and the singular
    beside the plural; every other number (dual, paucal …) is nearest to the plural, as which it
    counts in languages that lost it. Of other features the value most often agreed in, ties by
    name. Empty where there is no other value.

    Args:
        feature: the feature, or its names on controller and agreeing word joined by `~`.
        value: the right value.
        counts: the construction's values, and how often cue and target agree in each.
    """
    others = sorted((each for each in counts if each != value), key=lambda v: (-counts[v], v))
    if feature.partition("~")[0].partition("[")[0] == "Number":
        nearest = SINGULAR if value == PLURAL else PLURAL
        others.sort(key=lambda each: each != nearest)
    return next(iter(others), "")


def partner(
    paradigms: Paradigms, vocabulary: Container[str], target: End, feature: str, value: str
) -> tuple[str, str]:
    """The known form with the other value that is spelled most like the target, among those in
    use; none that is a form of the right value too.

    Equal in all but the feature; failing that, FEATS may leave Gender and Animacy out on one side,
    as Slavic and German plurals do (treebank facts §5.3), but not contradict the target's, nor the
    cue's where the target tells none. Spelling stands for what a treebank does not annotate: Basque
    auxiliaries carry no Tense, and by frequency alone a present (*du*) is paired with a past
    (*zuten*) instead of its own plural (*dute*).
    """
    lemma, upos, swapped = target.lemma, target.upos, with_value(target.feats, feature, value)
    counts = paradigms.counted(lemma, upos, swapped) or paradigms.counted_if(
        lemma, upos, lambda each: _fits(each, swapped, target, feature)
    )
    return _nearest(paradigms, vocabulary, target, feature, value, counts)


def partner_of_other_person(
    paradigms: Paradigms, vocabulary: Container[str], target: End, feature: str, value: str
) -> tuple[str, str]:
    """As `partner`, but the form may be of another Person: what is left where a treebank shows no
    other (Spanish *sois* beside *es* for want of *eres*)."""
    if feature == PERSON or value_of(target.feats, PERSON) is None:
        return "", ""
    own = value_of(target.feats, PERSON) or ""
    swapped = with_value(target.feats, feature, value)
    counts = paradigms.counted_if(
        target.lemma,
        target.upos,
        lambda each: value_of(each, PERSON) is not None
        and _fits(with_value(each, PERSON, own), swapped, target, feature),
    )
    return _nearest(paradigms, vocabulary, target, feature, value, counts)


def _nearest(
    paradigms: Paradigms,
    vocabulary: Container[str],
    target: End,
    feature: str,
    value: str,
    counts: Mapping[str, int],
) -> tuple[str, str]:
    """Of counted forms with the other value the one that is spelled most like the target."""
    lemma, upos, feats = target.lemma, target.upos, normal(target.feats)
    if not counts:
        return "", f"no paradigm: {lemma} with {feature}={value}"
    right = paradigms.counted_if(lemma, upos, lambda each: _fits(each, feats, target, feature))
    same = {target.form, *right}
    most_frequent = max(counts, key=lambda form: counts[form])
    different = _usual(counts, same)
    if most_frequent == target.form or not different:
        return "", f"equal forms: {target.form} with {feature}={value} too"
    known = [form for form in different if form in vocabulary]
    if not known:
        return "", f"the other form is out of vocabulary: {different[0]}"
    cased = [each for each in (_cased(form, target) for form in known) if each not in {"", *same}]
    if not cased:
        return "", f"begins otherwise: {target.form}, {known[0]}"
    # of equally near ones the one with the same ending, and of these the more frequent one
    return min(
        cased,
        key=lambda form: (distance(form, target.form), -common_ending(form, target.form)),
    ), ""


def _fits(feats: str, sought: str, target: End, feature: str) -> bool:
    """Whether a form's FEATS are those sought but for Gender and Animacy, and contradict neither
    those of the target nor, where it tells none, those of the word it agrees with."""
    if loosened(feats, feature) != loosened(sought, feature):
        return False
    told = {name for name in UNTOLD_IN_PLURALS if value_of(target.feats, name)}
    others = [
        f"{name}={value}"
        for name in UNTOLD_IN_PLURALS
        if name not in told and name != feature and (value := value_of(target.other_feats, name))
    ]
    return not conflict(feats, sought) and not conflict(feats, "|".join(others) or "_")


def person_differs(paradigms: Paradigms, target: End, wrong: str, feature: str, value: str) -> bool:
    """Whether a wrong form is of another Person than the target, too: of the readings of the form
    with the other value some tell a Person, and none that of the target (or of the word it agrees
    with, where the target tells none)."""
    own = value_of(target.feats, PERSON) or value_of(target.other_feats, PERSON)
    if own is None or feature == PERSON:
        return False
    persons = {
        person
        for upos, feats, _ in paradigms.by_form.get(wrong, ())
        if upos == target.upos
        and value_of(feats, feature) == value
        and (person := value_of(feats, PERSON))
    }
    return bool(persons) and not any(
        set(own.split(",")).intersection(each.split(",")) for each in persons
    )


def _usual(counts: Mapping[str, int], same: Container[str]) -> list[str]:
    """Forms that are no form of the right value too, most frequent first, less those that are
    rare beside the most frequent one (misspellings, clitics)."""
    different = sorted((form for form in counts if form not in same), key=lambda f: -counts[f])
    return [form for form in different if counts[form] >= USUAL * counts[different[0]]]


def common_ending(one: str, other: str) -> int:
    """The number of letters at the end that two words share."""
    pairs = zip(reversed(one), reversed(other), strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def distance(one: str, other: str) -> int:
    """Letters to be put in, left out or exchanged to make one of the other (Levenshtein 1966)."""
    row = list(range(len(other) + 1))
    for rank, letter in enumerate(one, start=1):
        above, row[0] = row[0], rank
        for place, theirs in enumerate(other, start=1):
            above, row[place] = (
                row[place],
                min(row[place] + 1, row[place - 1] + 1, above + (letter != theirs)),
            )
    return row[-1]


def _cased(form: str, target: End) -> str:
    """A form with the target's capitals or small first letter, so that the two differ in nothing
    but the feature; nothing where one begins with a letter and the other does not."""
    ours, theirs = target.form[:1], form[:1]
    if ours.isalpha() != theirs.isalpha():
        return ""
    if len(target.form) > 1 and target.form.isupper():
        return form.upper()
    if ours.isupper() == theirs.isupper():
        return form
    if target.lemma[:1].isupper():  # a name: its capital is no matter of the sentence
        return ""
    return form[:1].upper() + form[1:] if ours.isupper() else form[:1].lower() + form[1:]
