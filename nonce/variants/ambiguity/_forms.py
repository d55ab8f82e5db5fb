"""Doubts about the forms: what else the two spellings and the cue's can be.

Each test answers with the reason, "" for none; its docstring is what users read of it.
"""

from ....data.items.features import conflict, value_of
from ....miner.originals.wrong_form import person_differs
from ....miner.treebank.paradigms import FormAnalysis
from ....miner.treebank.view import NOMINAL, paired_value
from .pair import MinimalPair

APOSTROPHES = "'’ʼ`"
TENSES = ("VerbForm", "Tense", "Mood")
FEW = 3  # uses below which a form is no evidence against its class


def equal_forms(pair: MinimalPair) -> str:
    """Tell whether the right and the wrong form are spelled alike (capitals aside)."""
    return f"both forms are {pair.right}" if pair.right.casefold() == pair.wrong.casefold() else ""


def ambiguous_cue(pair: MinimalPair) -> str:
    """Tell whether the cue's form has another value of the feature, too, by itself or as most nouns
    of its class (case, gender, last letters), and no determiner, adjective or verb before the
    target says which."""
    view, cue = pair.view, pair.cue
    form, upos, feats = view.forms[cue], view.upos[cue], view.feats[cue]
    cue_value = paired_value(feats, pair.feature)
    lemma = "" if upos in ("PRON", "DET", "PROPN") else view.lemmas[cue]
    case = value_of(feats, "Case")
    rivals = [
        (value, reading.feats)
        for reading in pair.forms.readings(form, upos, lemma)
        if (value := paired_value(reading.feats, pair.feature)) not in (None, cue_value)
        and case in (None, value_of(reading.feats, "Case"))
    ]
    if pair.leaks:
        return ""
    if not rivals:
        with_gender = view.dependents(cue, "det", "amod", "nummod")  # and that often tells
        bare = upos == "NOUN" and all(
            view.value(modifier, pair.feature) is None for modifier in with_gender
        )
        is_syncretic = bare and pair.forms.likely_syncretic(form, lemma, feats, pair.feature)
        return f"nouns like {form} are spelled alike in both values" if is_syncretic else ""
    if view.is_pronominal(cue, "Rel") and not any(
        pair.value_at(node) == value and not conflict(rival, view.feats[node])
        for node in range(cue)
        if view.upos[node] in NOMINAL
        for value, rival in rivals
    ):
        return ""  # a relative pronoun with no noun before it that fits another value of its form
    return f"{form} is {cue_value} or {', '.join(dict.fromkeys(value for value, _ in rivals))}"


def ambiguous_target(pair: MinimalPair) -> str:
    """Tell whether the right form has the wrong value, too, or the wrong form the right one (in the
    same tense and mood, and in a person and case that fit)."""
    for form, value in ((pair.right, pair.wrong_value), (pair.wrong, pair.value)):
        for reading in pair.forms.readings(form, pair.upos, pair.lemma):
            if value in (paired_value(reading.feats, pair.feature) or "").split(",") and _fits(
                pair, reading, ("Case", "Degree", *TENSES)
            ):
                return f"{form} is {value} too"
    return ""


def clitic_spelling(pair: MinimalPair) -> str:
    """One of the two forms is a clitic spelling: of the right form itself, or of a word that cannot
    stand here alone."""
    for form, counterpart in ((pair.wrong, pair.right), (pair.right, pair.wrong)):
        if any(mark in form and mark not in counterpart for mark in APOSTROPHES):
            return f"{form} is a clitic spelling"
    return ""


def other_tense(pair: MinimalPair) -> str:
    """Tell whether the wrong form is spelled like one of another tense that would be right, or like
    a participle that tells no number."""
    if not pair.verbal or pair.tie == "inverted":
        return ""
    for reading in pair.wrong_readings:
        if paired_value(reading.feats, pair.feature) not in (None, pair.value):
            continue
        if not pair.fits_person(reading.feats) or _fits(pair, reading, TENSES):
            continue
        form, mood = value_of(reading.feats, "VerbForm"), value_of(reading.feats, "Mood")
        if form in (None, "Fin") and mood not in ("Imp", "Sub"):
            return f"{pair.wrong} has another tense that is right"
        if form == "Part" and pair.upos == "VERB":
            return f"{pair.wrong} can be a participle, too"
    return ""


def _fits(pair: MinimalPair, reading: FormAnalysis, names: tuple[str, ...]) -> bool:
    """Tell whether a reading contradicts the target in none of these features, nor in person."""
    values = [(value_of(pair.feats, name), value_of(reading.feats, name)) for name in names]
    return pair.fits_person(reading.feats) and not any(
        own and other and set(own.split(",")).isdisjoint(other.split(",")) for own, other in values
    )


def other_marking(pair: MinimalPair) -> str:
    """One of the two forms has an affix of subordinate clauses that the other lacks, so that they
    differ in more than the feature."""
    affixes = sorted(pair.words_of("clause_affix"), key=len, reverse=True)
    if not pair.verbal:
        return ""
    markings = [
        (
            next((a for a in affixes if a[-1] == "-" and form.startswith(a[:-1])), ""),
            next((a for a in affixes if a[0] == "-" and form.endswith(a[1:])), ""),
        )
        for form in (pair.right, pair.wrong)
    ]
    if markings[0] == markings[1]:
        return ""
    return f"{pair.right} and {pair.wrong} are of two kinds of clause"


def person_too(pair: MinimalPair) -> str:
    """Tell whether the two forms differ in Person, too, so that the wrong one is wrong for two
    reasons, or the right one is of another Person, too; not where most verbs spell the two persons
    alike."""
    own = value_of(pair.feats, "Person")
    for reading in pair.forms.readings(pair.right, pair.upos, pair.lemma):
        person = value_of(reading.feats, "Person")
        if (
            own
            and person
            and set(own.split(",")).isdisjoint(person.split(","))
            and paired_value(reading.feats, pair.feature) == pair.value
            and not pair.forms.persons_alike(pair.feats, person)
        ):
            return f"{pair.right} is of person {person}, too"
    other_feats = [
        reading.feats
        for reading in pair.wrong_readings
        if paired_value(reading.feats, pair.feature) not in (None, pair.value)
    ]
    if "Person" in pair.feature or any(value_of(feats, "Person") is None for feats in other_feats):
        return ""
    if not person_differs(pair.forms, pair.feats, pair.view.feats[pair.cue], other_feats):
        return ""
    return f"{pair.wrong} is of person {value_of(other_feats[0], 'Person')}"


def unmarked(pair: MinimalPair) -> str:
    """Most verbs spell the two values alike in this tense, and the wrong form is so rare that it is
    a misspelling rather than an exception."""
    if not pair.verbal or pair.feature != "Number" or not pair.wrong_value:
        return ""
    if sum(reading.n for reading in pair.wrong_readings) >= FEW:
        return ""
    is_uniform = pair.forms.numbers_alike(pair.feats, pair.wrong_value)
    return f"most verbs spell {pair.value} and {pair.wrong_value} alike here" if is_uniform else ""
