"""Doubts about the sentence: what is misspelt, cut off or no sentence at all."""

from colorless_green.miner.cues.readings import carried
from colorless_green.miner.cues.ties import AUXILIARY, NOMINAL, SUBJECT, base, is_finite_form
from colorless_green.miner.features import conflict, value_of
from colorless_green.nonce.doubts.place import Place

FAULTY = ("Typo", "Foreign")
CLOSING = {")": "(", "]": "[", "}": "{", "»": "«"}
QUOTE = '"'  # opens and closes; inside a Hebrew abbreviation it is no word of its own
LABEL = 3  # letters or digits in what a bracket alone may follow: "b)", "iii)"
SPLIT = frozenset({"goeswith", "reparandum"})


def faulty_word(place: Place) -> str:
    """The cue or the target is misspelt, foreign, a piece of a word or in a stretch that is taken
    back; or the target is an abbreviation."""
    tree = place.tree
    if value_of(place.feats, "Abbr") == "Yes":
        return f"{place.right} is marked Abbr"
    for node in (place.cue, place.target):
        for name in FAULTY:
            if value_of(tree.feats[node], name) == "Yes":
                return f"{tree.forms[node]} is marked {name}"
        if base(tree.deprels[node]) in SPLIT:
            return f"{tree.forms[node]} is a piece of a word or taken back"
    return ""


def fragment(place: Place) -> str:
    """The sentence has neither a finite verb nor a subject: a headline, the head of a list."""
    tree = place.tree
    finite = any(map(is_finite_form, tree.upos, tree.feats))
    if finite or any(base(each) in SUBJECT for each in tree.deprels):
        return ""
    return "the sentence has neither a finite verb nor a subject"


def contradiction(place: Place) -> str:
    """Cue and target contradict each other in Gender or Animacy, or a determiner of the noun, an
    auxiliary or the copula has another value of the feature: one of them is misspelt, or they do
    not belong together."""
    tree = place.tree
    if (helper := _other_auxiliary(place)) >= 0:
        return f"{tree.forms[helper]} and {place.right} do not agree"
    if place.controller >= 0 and place.tie in ("subject", "relative", "attribute"):
        for each in place.children_of(place.controller, "det"):
            joined = place.children_of(each, "conj", "fixed")  # "one or several countries"
            if not joined and carried(tree.feats[each], place.feature) not in (None, place.value):
                return f"{tree.forms[each]} and {tree.forms[place.controller]} do not agree"
    if place.tie not in ("attribute", "noun", "conjunct"):
        return ""
    if place.tie == "conjunct" and NOMINAL & {tree.upos[place.cue], place.upos}:
        return ""  # joined nouns have genders of their own
    if not conflict(tree.feats[place.cue], place.feats):
        return ""
    return f"{tree.forms[place.cue]} and {place.right} are of different gender"


def _other_auxiliary(place: Place) -> int:
    """An auxiliary or copula of the target with another value; −1 if there is none. A participle
    need not agree with *have*, nor a noun with its copula; a form that can have the value, too, is
    annotated wrongly (Italian *sono*)."""
    tree = place.tree
    if tree.upos[place.predicate] in NOMINAL and place.predicate == place.target:
        return -1
    helpers = place.children_of(place.predicate, *AUXILIARY)
    has = any(tree.lemmas[each] in place.listed("have") for each in helpers)
    for each in helpers:
        value = carried(tree.feats[each], place.feature)
        participle = value_of(tree.feats[each], "VerbForm") == "Part"
        free = tree.lemmas[each] in place.listed("have") or (has and participle)
        if each == place.target or free or value in (None, place.value):
            continue
        readings = place.forms.readings(tree.forms[each], tree.upos[each])
        if all(place.value != carried(reading.feats, place.feature) for reading in readings):
            return each
    return -1


def unbalanced(place: Place) -> str:
    """A bracket or quotation mark in the sentence has no partner: it is cut off, or two are run
    together. Behind a number or letter, as in a list, a bracket needs none."""
    if place.tree.forms.count(QUOTE) % 2:
        return f"{QUOTE} has no partner"
    stack: list[str] = []
    before = ""
    for form in place.tree.forms:
        if form in CLOSING.values():
            stack.append(form)
        elif form in CLOSING and stack:
            stack.pop()
        elif form in CLOSING and not (before.isalnum() and len(before) <= LABEL):
            return f"{form} closes nothing"
        before = form
    return f"{stack[-1]} is never closed" if stack else ""
