"""Doubts about the sentence: what is misspelt, cut off or no sentence at all.

Each test answers with the reason, "" for none; its docstring is what users read of it.
"""

from ....data.items.features import conflict, value_of
from ....miner.originals.cue_words import PLURALS
from ....miner.treebank.view import AUXILIARY, NOMINAL, SUBJECT, is_finite_form, paired_value
from .pair import MinimalPair

FAULTY = ("Typo", "Foreign")
CLOSING = {")": "(", "]": "[", "}": "{", "»": "«"}
QUOTE = '"'  # opens and closes; inside a Hebrew abbreviation it is no word of its own
LABEL = 3  # letters or digits in what a bracket alone may follow: "b)", "iii)"
SPLIT = frozenset({"goeswith", "reparandum"})
CLOSED = frozenset({"ADP", "CCONJ", "DET", "PART", "PRON", "SCONJ"})
OPEN_CLASSES = frozenset({"ADJ", "AUX", "NOUN", "PROPN", "VERB"})  # behind these a comma is missed
CLAUSES = frozenset({"acl", "advcl", "ccomp", "csubj"})
APOSTROPHES = ("'", "’")


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
    """The cue is a pronoun, for which no other word can stand: where subjects are always spoken,
    any; elsewhere one with no noun before the target, which its variants could exchange."""
    # Where subjects are spoken, pronouns crowd out nouns (22 of 35 German heads); where they need
    # not be, a pronoun is what the verb agrees with at a distance (all of Turkish), and the nouns
    # between make its variants differ.
    view = pair.view
    nodes_between = range(pair.cue + 1, pair.target)
    has_noun = any(view.upos[node] in ("NOUN", "PROPN") for node in nodes_between)
    if view.upos[pair.cue] != "PRON" or (has_noun and not pair.language_has("overt_subjects")):
        return ""
    return f"{view.forms[pair.cue]} is a pronoun"


def imperative(pair: MinimalPair) -> str:
    """The cue or the target is an imperative without a subject: nothing in the sentence tells how
    many are spoken to."""
    view = pair.view
    for node in (pair.target, pair.cue):
        if view.feature(node, "Mood") != "Imp":
            continue
        predicate = view.predicate_of(node)
        predicates = (predicate, view.first_conjunct(predicate))
        if not any(view.dependents(head, *SUBJECT) for head in predicates):
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
    previous = ""
    for form in pair.view.forms:
        if form in CLOSING.values():
            stack.append(form)
        elif form in CLOSING and stack:
            stack.pop()
        elif form in CLOSING and not (previous.isalnum() and len(previous) <= LABEL):
            return f"{form} closes nothing"
        previous = form
    return f"{stack[-1]} is never closed" if stack else ""


def doubled_word(pair: MinimalPair) -> str:
    """A function word stands twice in a row by mistake, or a demonstrative behind an article."""
    view = pair.view
    for node in range(1, len(view)):
        prior, form = node - 1, view.forms[node]
        if view.upos[node] not in CLOSED or view.upos[node] != view.upos[prior]:
            continue
        attachments = [(view.heads[word], view.relations[word]) for word in (prior, node)]
        if attachments[0] != attachments[1] and view.relations[prior] != "reparandum":
            continue
        if form.isalpha() and form.casefold() == view.forms[prior].casefold():
            return f"{form} stands twice"
        article = view.feature(prior, "PronType") == "Art" and pair.language_has("one_determiner")
        definite = article and view.feature(prior, "Definite") == "Def"
        if definite and view.feature(node, "PronType") == "Dem":
            return f"{view.forms[prior]} and {form} are two determiners"
    return ""


def missing_comma(pair: MinimalPair) -> str:
    """In this language a comma separates clauses, and a clause begins without one."""
    view = pair.view
    if not pair.language_has("comma_before_clause"):
        return ""
    for node in range(1, len(view)):
        marks = view.relations[node] == "mark" and view.upos[node] == "SCONJ"
        clause, previous_upos = view.heads[node], view.upos[node - 1]
        if not (marks or view.is_pronominal(node, "Rel")) or previous_upos not in OPEN_CLASSES:
            continue
        opens = clause > node and view.relations[clause] in CLAUSES and view.is_finite(clause)
        if opens and view.first_below(clause) == node:
            return f"{view.forms[node]} lacks a comma before it"
    return ""


def singular_there(pair: MinimalPair) -> str:
    """A contracted singular verb stands with an expletive and a plural subject."""
    view = pair.view
    for node, form in enumerate(view.forms):
        if form[:1] not in APOSTROPHES or view.feature(node, "Number") != "Sing":
            continue
        predicate = view.predicate_of(node)
        subjects = view.dependents(predicate, "nsubj")
        plural = any(view.feature(subject, "Number") in PLURALS for subject in subjects)
        if plural and view.dependents(predicate, "expl"):
            return f"{form} stands with a plural"
    return ""


def contradiction(pair: MinimalPair) -> str:
    """Cue and target contradict each other in Gender or Animacy, or a determiner of the noun, an
    auxiliary or the copula has another value of the feature: one of them is misspelt, or they do
    not belong together."""
    view, noun = pair.view, pair.controller
    if helper := _other_auxiliary(pair):
        return f"{helper} and {pair.right} do not agree"
    if pair.tie in ("subject", "relative", "attribute"):
        for determiner in view.dependents(noun, "det"):
            joined = view.dependents(determiner, "conj", "fixed")  # "one or several countries"
            if not joined and view.value(determiner, pair.feature) not in (None, pair.value):
                return f"{view.forms[determiner]} and {view.forms[noun]} do not agree"
    if pair.tie == "relative":
        pronoun = view.relative_of(view.first_conjunct(pair.predicate))
        if pronoun >= 0 and conflict(view.feats[pronoun], view.feats[pair.cue]):
            return f"{view.forms[pair.cue]} and {view.forms[pronoun]} are of different gender"
    if pair.tie not in ("attribute", "noun", "conjunct"):
        return ""
    if pair.tie == "conjunct" and NOMINAL & {view.upos[pair.cue], pair.upos}:
        return ""  # joined nouns have genders of their own
    if not conflict(view.feats[pair.cue], pair.feats):
        return ""
    return f"{view.forms[pair.cue]} and {pair.right} are of different gender"


def _other_auxiliary(pair: MinimalPair) -> str:
    """Return an auxiliary or copula of the target with another value. A participle need not agree
    with *have*, nor a noun with its copula; a form that can have the value, too, is annotated
    wrongly (Italian *sono*)."""
    view, have = pair.view, pair.words_of("have")
    if view.upos[pair.predicate] in NOMINAL and pair.predicate == pair.target:
        return ""
    helpers = view.dependents(pair.predicate, *AUXILIARY)
    has = any(view.lemmas[helper] in have for helper in helpers)
    for helper in helpers:
        participle = view.feature(helper, "VerbForm") == "Part"
        free = view.lemmas[helper] in have or (has and participle)
        if helper == pair.target or free or view.value(helper, pair.feature) in (None, pair.value):
            continue
        readings = pair.forms.readings(view.forms[helper], view.upos[helper])
        if all(pair.value != paired_value(reading.feats, pair.feature) for reading in readings):
            return view.forms[helper]
    return ""
