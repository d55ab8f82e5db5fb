"""Doubts about the forms (the two target forms or the cue can be something else) and about the
sentence (it is misspelt, cut off or no sentence at all).

Each test returns the reason for a doubt, "" for none; users read its docstring. A pair's `tie` is
the relation of target to cue (`Tie` explains its words).
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from ....data.items.features import genders_conflict, value_of
from ....miner.originals.wrong_form import person_differs
from ....miner.treebank.paradigms import FormAnalysis
from ....miner.treebank.view import NOMINAL, SUBJECT, is_finite_form, paired_value
from .pair import MinimalPair, entries

TENSE_FEATURES = ("VerbForm", "Tense", "Mood")
MIN_USES_OF_EXCEPTION = 3  # a form with fewer uses is a misspelling, no exception among verbs


def equal_forms(pair: MinimalPair) -> str:
    """Return a reason for doubt if the right and the wrong form are spelled alike (capitals
    aside)."""
    return f"both forms are {pair.right}" if pair.right.casefold() == pair.wrong.casefold() else ""


def ambiguous_cue(pair: MinimalPair) -> str:
    """Return a reason for doubt if the cue's form has another value of the feature, too, by itself
    or as most nouns of its class (case, gender, last letters), and no determiner, adjective or verb
    before the target says which."""
    view, cue = pair.view, pair.cue
    form, upos, feats = view.forms[cue], view.upos[cue], view.feats[cue]
    if pair.leaks:
        return ""  # a word before the target shows the value
    cue_value = paired_value(feats, pair.feature)
    lemma = "" if upos in ("PRON", "DET", "PROPN") else view.lemmas[cue]  # "" means any lemma
    case = value_of(feats, "Case")
    rivals = [  # (value, FEATS) of the form's analyses with another value than the cue has here
        (value, reading.feats)
        for reading in pair.forms.readings(form, upos, lemma)
        if (value := paired_value(reading.feats, pair.feature)) not in (None, cue_value)
        and case in (None, value_of(reading.feats, "Case"))
    ]
    if not rivals:
        modifiers = view.dependents(cue, "det", "amod", "nummod")  # these often show the value
        is_bare = upos == "NOUN" and all(
            view.value(modifier, pair.feature) is None for modifier in modifiers
        )
        is_syncretic = is_bare and pair.forms.likely_syncretic(form, lemma, feats, pair.feature)
        return f"nouns like {form} are spelled alike in both values" if is_syncretic else ""
    if view.is_pronominal(cue, "Rel") and not any(
        pair.value_at(node) == value and not genders_conflict(rival_feats, view.feats[node])
        for node in range(cue)
        if view.upos[node] in NOMINAL
        for value, rival_feats in rivals
    ):
        return ""  # a relative pronoun with no noun before it that fits another value of its form
    return f"{form} is {cue_value} or {', '.join(dict.fromkeys(value for value, _ in rivals))}"


def ambiguous_target(pair: MinimalPair) -> str:
    """Return a reason for doubt if the right form has the wrong value, too, or the wrong form the
    right one (in the same tense and mood, and in a person and case that fit)."""
    for form, value in ((pair.right, pair.wrong_value), (pair.wrong, pair.value)):
        for reading in pair.forms.readings(form, pair.upos, pair.lemma):
            values = (paired_value(reading.feats, pair.feature) or "").split(",")
            fits = _reading_fits(pair, reading, ("Case", "Degree", *TENSE_FEATURES))
            if fits and value in values:
                return f"{form} is {value} too"
    return ""


def other_tense(pair: MinimalPair) -> str:
    """Return a reason for doubt if the wrong form is spelled like one of another tense that would
    be right, or like a participle that tells no number."""
    if not pair.verbal or pair.tie == "inverted":
        return ""
    has_past_like_plural = pair.lemma.lower() in entries("uninflected_past", pair.language)
    if has_past_like_plural and pair.pluralised:
        return f"{pair.wrong} has another tense that is right"
    for reading in pair.wrong_readings:
        if paired_value(reading.feats, pair.feature) not in (None, pair.value):
            continue  # wrong in every tense
        is_same_tense = _reading_fits(pair, reading, TENSE_FEATURES)
        if is_same_tense or not pair.fits_person(reading.feats):
            continue
        verb_form, mood = (value_of(reading.feats, name) for name in ("VerbForm", "Mood"))
        if verb_form in (None, "Fin") and mood not in ("Imp", "Sub"):
            return f"{pair.wrong} has another tense that is right"
        if verb_form == "Part" and pair.upos == "VERB":
            return f"{pair.wrong} can be a participle, too"
    return ""


def _reading_fits(pair: MinimalPair, reading: FormAnalysis, features: tuple[str, ...]) -> bool:
    """Tell whether a reading (an analysis of a form) can stand in the target's place: it has the
    right person, and for each of the `features` no value that contradicts the target's."""
    for name in features:
        target_value, value = value_of(pair.feats, name), value_of(reading.feats, name)
        if target_value and value and set(target_value.split(",")).isdisjoint(value.split(",")):
            return False
    return pair.fits_person(reading.feats)


def other_marking(pair: MinimalPair) -> str:
    """Return a reason for doubt if one of the two forms has an affix of subordinate clauses that
    the other lacks, so that they differ in more than the feature."""
    affixes = sorted(pair.words_of("clause_affix"), key=len, reverse=True)
    if not pair.verbal or _affixes_of(pair.right, affixes) == _affixes_of(pair.wrong, affixes):
        return ""
    return f"{pair.right} and {pair.wrong} are of two kinds of clause"


def _affixes_of(form: str, affixes: Sequence[str]) -> tuple[str, str]:
    """Return the prefix and the suffix that a form has, each the first that fits in a list of
    prefixes (`ba-`) and suffixes (`-n`), or "" if none does."""
    prefixes = (a for a in affixes if a.endswith("-") and form.startswith(a.removesuffix("-")))
    suffixes = (a for a in affixes if a.startswith("-") and form.endswith(a.removeprefix("-")))
    return next(prefixes, ""), next(suffixes, "")


def person_too(pair: MinimalPair) -> str:
    """Return a reason for doubt if the two forms differ in Person, too, so that the wrong one is
    wrong for two reasons, or the right form can also be of another Person (unless most verbs spell
    the two persons alike)."""
    target_person = value_of(pair.feats, "Person")
    for reading in pair.forms.readings(pair.right, pair.upos, pair.lemma):
        person = value_of(reading.feats, "Person")
        if (
            target_person
            and person
            and set(target_person.split(",")).isdisjoint(person.split(","))
            and paired_value(reading.feats, pair.feature) == pair.value
            and not pair.forms.persons_alike(pair.feats, person)
        ):
            return f"{pair.right} is of person {person}, too"
    other_feats = [
        reading.feats
        for reading in pair.wrong_readings
        if paired_value(reading.feats, pair.feature) not in (None, pair.value)
    ]
    # A pair that is to differ in Person, or a wrong form without a Person, is no fault.
    if "Person" in pair.feature or any(value_of(feats, "Person") is None for feats in other_feats):
        return ""
    if not person_differs(pair.forms, pair.feats, pair.view.feats[pair.cue], other_feats):
        return ""
    return f"{pair.wrong} is of person {value_of(other_feats[0], 'Person')}"


def unmarked(pair: MinimalPair) -> str:
    """Return a reason for doubt if most verbs with the target's other features have one form for
    singular and plural, and the wrong form is so rare that it is a misspelling rather than an
    exception."""
    if not pair.verbal or pair.feature != "Number" or not pair.wrong_value:
        return ""
    if sum(reading.n for reading in pair.wrong_readings) >= MIN_USES_OF_EXCEPTION:
        return ""
    is_uniform = pair.forms.numbers_alike(pair.feats, pair.wrong_value)
    return f"most verbs spell {pair.value} and {pair.wrong_value} alike here" if is_uniform else ""


BRACKETS = {")": "(", "]": "[", "}": "{", "»": "«"}  # closing → opening
FUNCTION_WORDS = frozenset({"ADP", "AUX", "CCONJ", "DET", "PRON", "SCONJ"})
QUOTE = '"'  # opens and closes; inside a Hebrew abbreviation it is no word of its own
OPENING_MARKS = frozenset('"“„«‘‚‹`') | {"``", "''"}
CLOSING_MARKS = frozenset("\"”“»’›'") | {"''"}
USUAL_SHARE = 0.9  # share of a word's uses with (or without) a capital that makes it usual
MIN_USES = 10  # of the word, for this share to mean anything
MAX_LABEL_LENGTH = 3  # letters or digits that a label of a list may have: "b)", "iii)"


def pronoun_cue(pair: MinimalPair) -> str:
    """Return a reason for doubt if the cue is a pronoun, which no other word can replace, and
    either subjects are always spoken in the language, or there is no noun between cue and target
    that variants could replace."""
    # If subjects are always spoken, pronouns crowd out nouns (22 of 35 German heads). If not, verbs
    # with a distant cue agree with a pronoun (all of Turkish), and variants differ in the nouns
    # between the two.
    view = pair.view
    nodes_between = range(pair.cue + 1, pair.target)
    has_noun = any(view.upos[node] in ("NOUN", "PROPN") for node in nodes_between)
    if view.upos[pair.cue] != "PRON" or (has_noun and not pair.is_language("overt_subjects")):
        return ""
    return f"{view.forms[pair.cue]} is a pronoun"


def fragment(pair: MinimalPair) -> str:
    """Return a reason for doubt if the sentence has neither a finite verb nor a subject: a
    headline, the head of a list."""
    view = pair.view
    finite = any(map(is_finite_form, view.upos, view.feats))
    if finite or not SUBJECT.isdisjoint(view.relations):
        return ""
    return "the sentence has neither a finite verb nor a subject"


def unbalanced(pair: MinimalPair) -> str:
    """Return a reason for doubt if a bracket or quotation mark in the sentence has no partner: it
    is cut off, or two are run together. Behind a number or letter, as in a list, a bracket needs
    none."""
    if pair.view.forms.count(QUOTE) % 2:
        return f"{QUOTE} has no partner"
    still_open: list[str] = []
    previous = ""
    for form in pair.view.forms:
        is_behind_label = previous.isalnum() and len(previous) <= MAX_LABEL_LENGTH
        if form in BRACKETS.values():
            still_open.append(form)
        elif form in BRACKETS and still_open:
            still_open.pop()  # of any kind: it is enough that their numbers agree
        elif form in BRACKETS and not is_behind_label:
            return f"{form} closes nothing"
        previous = form
    return f"{still_open[-1]} is never closed" if still_open else ""


def contradiction(pair: MinimalPair) -> str:
    """Return a reason for doubt if cue and target contradict each other in Gender or Animacy, or a
    determiner of the noun has another value of the feature: one of them is misspelt, or they do not
    belong together."""
    view, noun = pair.view, pair.controller
    if pair.tie in ("subject", "relative", "attribute"):
        for determiner in view.dependents(noun, "det"):
            joined = view.dependents(determiner, "conj", "fixed")  # "one or several countries"
            if not joined and view.value(determiner, pair.feature) not in (None, pair.value):
                return f"{view.forms[determiner]} and {view.forms[noun]} do not agree"
    if pair.tie == "relative":
        pronoun = view.relative_of(view.first_conjunct(pair.predicate))
        if pronoun >= 0 and genders_conflict(view.feats[pronoun], view.feats[pair.cue]):
            return f"{view.forms[pair.cue]} and {view.forms[pronoun]} are of different gender"
    joined_nouns = pair.tie == "conjunct" and NOMINAL & {view.upos[pair.cue], pair.upos}
    if pair.tie not in ("attribute", "noun", "conjunct") or joined_nouns:
        return ""  # coordinated nouns may differ in gender
    if not genders_conflict(view.feats[pair.cue], pair.feats):
        return ""
    return f"{view.forms[pair.cue]} and {pair.right} are of different gender"


def doubled_word(pair: MinimalPair) -> str:
    """Return a reason for doubt if a function word stands twice in a row, a demonstrative follows
    an article, or one of the two target forms already stands right before the target."""
    view, words = pair.view, [n for n, upos in enumerate(pair.view.upos) if upos != "PUNCT"]
    for prior, node in pairwise(words):  # two words, perhaps with punctuation between them
        first, second = view.forms[prior].casefold(), view.forms[node].casefold()
        if node == pair.target and first in (pair.right, pair.wrong):
            return f"{view.forms[prior]} stands twice"
        are_alike = view.upos[node] == view.upos[prior] and view.upos[node] in FUNCTION_WORDS
        if not are_alike or view.heads[node] != view.heads[prior]:
            continue
        if first == second and node == prior + 1:
            return f"{view.forms[node]} stands twice"
        is_article = view.feature(prior, "Definite") == "Def" and pair.is_language("one_determiner")
        if is_article and view.feature(node, "PronType") == "Dem":
            return f"{view.forms[prior]} and {view.forms[node]} are two determiners"
    return ""


def likely_typo(pair: MinimalPair) -> str:
    """Return a reason for doubt if a word of the sentence is marked as misspelt, is a frequent
    misspelling, or is a function word whose form is usual, but hardly ever a form of its lemma
    (German *Mit scheint*)."""
    for node, form in enumerate(pair.view.forms):
        if pair.view.upos[node] in FUNCTION_WORDS and pair.is_other_word(node):
            return f"{form} is likely misspelt for a form of {pair.view.lemmas[node]}"
        if pair.view.feature(node, "Typo") == "Yes":
            return f"{form} is marked Typo"
        if form.lower() in pair.words_of("misspelt"):
            return f"{form} is misspelt"
    return ""


def odd_capital(pair: MinimalPair) -> str:
    """Return a reason for doubt if a word inside the sentence begins with a capital, or lacks one,
    unlike nearly all of its uses, and no word next to it begins with a capital."""
    view = pair.view
    for node, form in enumerate(view.forms[1:], start=1):
        previous = view.forms[node - 1]
        capitalised = form[:1].isupper()
        if view.upos[node] == "PROPN" or not (form[:1].isalpha() and previous[-1:].isalnum()):
            continue
        if form[1:].upper() == form[1:] and capitalised:
            continue  # a headline, an abbreviation, one letter
        n_small, n_capital = pair.forms.capitals(form, view.upos[node])
        n_uses, n_otherwise = n_small + n_capital, n_small if capitalised else n_capital
        neighbours = (view.forms[i] for i in (node - 1, node + 1) if 0 < i < len(view))
        is_odd = n_uses >= MIN_USES and n_otherwise >= USUAL_SHARE * n_uses
        if is_odd and not any(neighbour[:1].isupper() for neighbour in neighbours):
            return f"{form} has {'a' if capitalised else 'no'} capital"
    return ""


def quoted_title(pair: MinimalPair) -> str:
    """Return a reason for doubt if the cue stands in a quoted title, which agrees as a single thing
    whatever its words are, or a quoted title follows the cue and modifies it, so that the cue is a
    single thing."""
    view, cue = pair.view, pair.cue
    for start, end in _quotations(pair):
        first_form = view.forms[start]
        if not first_form[:1].isupper():
            continue
        is_title = end - start > 1 or any(view.upos[node] == "PROPN" for node in range(start, end))
        if start <= cue < end and not start <= pair.target < end and is_title:
            return f"{view.forms[cue]} stands in a quoted title"
        is_modifier = any(view.heads[node] == cue for node in range(start, end))
        follows_cue = start == cue + 2  # with the quotation mark between them
        if follows_cue and is_modifier and view.upos[cue] == "NOUN":
            return f"{view.forms[cue]} has a quoted title"
    return ""


def _quotations(pair: MinimalPair) -> Iterator[tuple[int, int]]:
    """Yield the start and the end (exclusive) of each text in quotation marks, as word indices. A
    quotation inside another one is not found separately."""
    start = -1
    for node, form in enumerate(pair.view.forms):
        if form in OPENING_MARKS and start < 0:
            start = node + 1
        elif form in CLOSING_MARKS and start >= 0:
            if node > start:
                yield start, node
            start = -1
