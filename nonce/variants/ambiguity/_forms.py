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
    """The right and the wrong form are spelled alike (capitals aside)."""
    return f"both forms are {pair.right}" if pair.right.casefold() == pair.wrong.casefold() else ""


def ambiguous_cue(pair: MinimalPair) -> str:
    """The cue's form has another value of the feature, too, by itself or as most nouns of its class
    (case, gender, last letters), and no determiner, adjective or verb before the target says
    which."""
    view, cue = pair.view, pair.cue
    form, upos, feats = view.forms[cue], view.upos[cue], view.feats[cue]
    cue_value = paired_value(feats, pair.feature) or ""
    if "," in cue_value:
        return f"{form} is marked {cue_value}"
    lemma = "" if upos in ("PRON", "DET", "PROPN") else view.lemmas[cue]
    rivals = [
        (value, reading.feats)
        for reading in pair.forms.readings(form, upos, lemma)
        if (value := paired_value(reading.feats, pair.feature)) not in (None, cue_value)
    ]
    case = value_of(feats, "Case")
    person = value_of(feats, "Person")
    other_values = dict.fromkeys(
        value
        for value, rival in rivals
        if case in (None, value_of(rival, "Case"))
        and (person is None or value_of(rival, "Person") in (None, person))
    )
    if pair.leaks:
        return ""
    if not other_values:
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
    return f"{form} is {cue_value} or {', '.join(filter(None, other_values))}"


def ambiguous_target(pair: MinimalPair) -> str:
    """The right form has the wrong value, too, or the wrong form the right one (in the same tense
    and mood, and in a person and case that fit)."""
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


def odd_spelling(pair: MinimalPair) -> str:
    """The wrong form has capitals the right one has not: the treebank shows it in a misspelling
    only."""
    wrong, right = pair.wrong, pair.right
    mixed = wrong[1:] != wrong[1:].lower() and right[1:] == right[1:].lower()
    return f"{wrong} is spelled with other capitals than {right}" if mixed else ""


def other_tense(pair: MinimalPair) -> str:
    """The wrong form is spelled like one of another tense or mood that would be right, or like a
    participle that tells no number."""
    if not pair.verbal or pair.tie == "inverted":
        return ""
    marked = pair.tie == "conjunct" or bool(pair.view.dependents(pair.predicate, "mark"))
    for reading in pair.wrong_readings:
        if paired_value(reading.feats, pair.feature) not in (None, pair.value):
            continue
        if not pair.fits_person(reading.feats) or _fits(pair, reading, TENSES):
            continue
        form, mood = value_of(reading.feats, "VerbForm"), value_of(reading.feats, "Mood")
        tense = ", ".join(value for name in TENSES if (value := value_of(reading.feats, name)))
        if form in (None, "Fin") and mood not in ("Imp", "Sub"):
            tense = tense or "FEATS do not say which"
            return f"{pair.wrong} has another tense that is right ({tense})"
        if form in (None, "Fin") and mood == "Sub" and marked:
            return f"{pair.wrong} has another mood that is right ({tense})"
        if form == "Part" and pair.upos == "VERB":
            return f"{pair.wrong} can be a participle, too"
    return ""


def _fits(pair: MinimalPair, reading: FormAnalysis, names: tuple[str, ...]) -> bool:
    """Tell whether a reading contradicts the target in none of these features, nor in person."""
    return pair.fits_person(reading.feats) and all(
        not (target_value := value_of(pair.feats, name))
        or not (reading_value := value_of(reading.feats, name))
        or not set(target_value.split(",")).isdisjoint(reading_value.split(","))
        for name in names
    )


def person_too(pair: MinimalPair) -> str:
    """The two forms differ in Person, too, so that the wrong one is wrong for two reasons, or the
    right one is of another Person, too; not where most verbs spell the two persons alike."""
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


def other_marking(pair: MinimalPair) -> str:
    """One of the two forms has an affix of subordinate clauses that the other lacks, so that they
    differ in more than the feature."""
    affixes = sorted(pair.words_of("clause_affix"), key=len, reverse=True)

    def marking(form: str) -> list[str]:
        prefixes = (affix for affix in affixes if affix[-1] == "-" and form.startswith(affix[:-1]))
        suffixes = (affix for affix in affixes if affix[0] == "-" and form.endswith(affix[1:]))
        return [next(prefixes, ""), next(suffixes, "")]

    if not pair.verbal or marking(pair.right) == marking(pair.wrong):
        return ""
    return f"{pair.right} and {pair.wrong} are of two kinds of clause"


def other_lexeme(pair: MinimalPair) -> str:
    """The two forms belong to two words: the treebank shows the wrong form under another lemma
    only, or under the same lemma with a gender of its own."""
    readings = pair.wrong_readings
    if not readings:
        lemmas = dict.fromkeys(
            reading.lemma for reading in pair.forms.readings(pair.wrong, pair.upos)
        )
        return f"{pair.wrong} is a form of {', '.join(lemmas)}" if lemmas else ""
    if pair.upos not in NOMINAL:
        return ""
    differs = all(
        conflict(reading.feats, pair.feats)
        for reading in readings
        if paired_value(reading.feats, pair.feature) not in (None, pair.value)
    )
    if differs and pair.forms.has_other_value(pair.lemma, pair.feats, pair.feature):
        return f"{pair.right} and {pair.wrong} are nouns of two genders"
    return ""


def unmarked(pair: MinimalPair) -> str:
    """Most verbs spell the two values alike in this tense, and the wrong form is so rare that it is
    a misspelling rather than an exception."""
    if not pair.verbal or pair.feature != "Number" or not pair.wrong_value:
        return ""
    if sum(reading.n for reading in pair.wrong_readings) >= FEW:
        return ""
    is_uniform = pair.forms.numbers_alike(pair.feats, pair.wrong_value)
    return f"most verbs spell {pair.value} and {pair.wrong_value} alike here" if is_uniform else ""
