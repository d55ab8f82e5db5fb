"""Doubts about the sentence: what is misspelt, cut off or no sentence at all.

Each test answers with the reason, "" for none; its docstring is what users read of it.
"""

from colorless_green.miner.features import conflict, value_of
from colorless_green.miner.view import AUXILIARY, NOMINAL, SUBJECT, carried, is_finite_form
from colorless_green.nonce.ambiguity.pair import MinimalPair

FAULTY = ("Typo", "Foreign")
CLOSING = {")": "(", "]": "[", "}": "{", "»": "«"}
QUOTE = '"'  # opens and closes; inside a Hebrew abbreviation it is no word of its own
LABEL = 3  # letters or digits in what a bracket alone may follow: "b)", "iii)"
SPLIT = frozenset({"goeswith", "reparandum"})


def faulty_word(pair: MinimalPair) -> str:
    """The cue or the target is misspelt, foreign, a piece of a word or in a stretch that is taken
    back; or the target is an abbreviation."""
    view = pair.view
    if value_of(pair.feats, "Abbr") == "Yes":
        return f"{pair.right} is marked Abbr"
    for node in (pair.cue, pair.target):
        for name in FAULTY:
            if view.feature(node, name) == "Yes":
                return f"{view.forms[node]} is marked {name}"
        if view.relations[node] in SPLIT:
            return f"{view.forms[node]} is a piece of a word or taken back"
    return ""


def pronoun_cue(pair: MinimalPair) -> str:
    """The cue is a pronoun: no other word can stand for it, so that its variants repeat it."""
    return f"{pair.view.forms[pair.cue]} is a pronoun" if pair.view.upos[pair.cue] == "PRON" else ""


def imperative(pair: MinimalPair) -> str:
    """The cue or the target is an imperative without a subject: nothing in the sentence tells how
    many are spoken to."""
    view = pair.view
    for node in (pair.target, pair.cue):
        if view.feature(node, "Mood") != "Imp":
            continue
        predicate = view.predicate_of(node)
        above = (predicate, view.first_conjunct(predicate))
        if not any(view.dependents(each, *SUBJECT) for each in above):
            return f"{view.forms[node]} is an imperative without a subject"
    return ""


def fragment(pair: MinimalPair) -> str:
    """The sentence has neither a finite verb nor a subject: a headline, the head of a list."""
    view = pair.view
    finite = any(map(is_finite_form, view.upos, view.feats))
    if finite or not SUBJECT.isdisjoint(view.relations):
        return ""
    return "the sentence has neither a finite verb nor a subject"


def unbalanced(pair: MinimalPair) -> str:
    """A bracket or quotation mark in the sentence has no partner: it is cut off, or two are run
    together. Behind a number or letter, as in a list, a bracket needs none."""
    if pair.view.forms.count(QUOTE) % 2:
        return f"{QUOTE} has no partner"
    stack: list[str] = []
    before = ""
    for form in pair.view.forms:
        if form in CLOSING.values():
            stack.append(form)
        elif form in CLOSING and stack:
            stack.pop()
        elif form in CLOSING and not (before.isalnum() and len(before) <= LABEL):
            return f"{form} closes nothing"
        before = form
    return f"{stack[-1]} is never closed" if stack else ""


def contradiction(pair: MinimalPair) -> str:
    """Cue and target contradict each other in Gender or Animacy, or a determiner of the noun, an
    auxiliary or the copula has another value of the feature: one of them is misspelt, or they do
    not belong together."""
    view, noun = pair.view, pair.controller
    if (helper := _other_auxiliary(pair)) >= 0:
        return f"{view.forms[helper]} and {pair.right} do not agree"
    if pair.tie in ("subject", "relative", "attribute"):
        for each in view.dependents(noun, "det"):
            joined = view.dependents(each, "conj", "fixed")  # "one or several countries"
            if not joined and view.value(each, pair.feature) not in (None, pair.value):
                return f"{view.forms[each]} and {view.forms[noun]} do not agree"
    if pair.tie not in ("attribute", "noun", "conjunct"):
        return ""
    if pair.tie == "conjunct" and NOMINAL & {view.upos[pair.cue], pair.upos}:
        return ""  # joined nouns have genders of their own
    if not conflict(view.feats[pair.cue], pair.feats):
        return ""
    return f"{view.forms[pair.cue]} and {pair.right} are of different gender"


def _other_auxiliary(pair: MinimalPair) -> int:
    """An auxiliary or copula of the target with another value; −1 if there is none. A participle
    need not agree with *have*, nor a noun with its copula; a form that can have the value, too, is
    annotated wrongly (Italian *sono*)."""
    view, have = pair.view, pair.listed("have")
    if view.upos[pair.predicate] in NOMINAL and pair.predicate == pair.target:
        return -1
    helpers = view.dependents(pair.predicate, *AUXILIARY)
    has = any(view.lemmas[each] in have for each in helpers)
    for each in helpers:
        participle = view.feature(each, "VerbForm") == "Part"
        free = view.lemmas[each] in have or (has and participle)
        if each == pair.target or free or view.value(each, pair.feature) in (None, pair.value):
            continue
        readings = pair.forms.readings(view.forms[each], view.upos[each])
        if all(pair.value != carried(reading.feats, pair.feature) for reading in readings):
            return each
    return -1
