"""Doubts about the sentence: what is misspelt, cut off or no sentence at all.

Each test answers with the reason, "" for none; its docstring is what users read of it.
"""

from collections.abc import Iterator
from itertools import pairwise

from ....data.items.features import conflict
from ....miner.treebank.view import NOMINAL, SUBJECT, is_finite_form
from .pair import MinimalPair

CLOSING = {")": "(", "]": "[", "}": "{", "»": "«"}
FUNCTION_WORDS = frozenset({"ADP", "AUX", "CCONJ", "DET", "PRON", "SCONJ"})
QUOTE = '"'  # opens and closes; inside a Hebrew abbreviation it is no word of its own
OPENING_MARKS = frozenset('"“„«‘‚‹`') | {"``", "''"}
CLOSING_MARKS = frozenset("\"”“»’›'") | {"''"}
USUAL = 0.9  # of at least `OFTEN` uses that begin alike; another beginning is odd
OFTEN = 10
LABEL = 3  # letters or digits in what a bracket alone may follow: "b)", "iii)"


def pronoun_cue(pair: MinimalPair) -> str:
    """Tell whether the cue is a pronoun, for which no other word can stand: where subjects are
    always spoken, any; elsewhere one with no noun before the target, which its variants could
    exchange."""
    # Where subjects are spoken, pronouns crowd out nouns (22 of 35 German heads); where they need
    # not be, a pronoun is what the verb agrees with at a distance (all of Turkish), and the nouns
    # between make its variants differ.
    view = pair.view
    nodes_between = range(pair.cue + 1, pair.target)
    has_noun = any(view.upos[node] in ("NOUN", "PROPN") for node in nodes_between)
    if view.upos[pair.cue] != "PRON" or (has_noun and not pair.has_overt_subjects):
        return ""
    return f"{view.forms[pair.cue]} is a pronoun"


def fragment(pair: MinimalPair) -> str:
    """Tell whether the sentence has neither a finite verb nor a subject: a headline, the head of a
    list."""
    view = pair.view
    finite = any(map(is_finite_form, view.upos, view.feats))
    if finite or not SUBJECT.isdisjoint(view.relations):
        return ""
    return "the sentence has neither a finite verb nor a subject"


def unbalanced(pair: MinimalPair) -> str:
    """Tell whether a bracket or quotation mark in the sentence has no partner: it is cut off, or
    two are run together. Behind a number or letter, as in a list, a bracket needs none."""
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


def contradiction(pair: MinimalPair) -> str:
    """Cue and target contradict each other in Gender or Animacy, or a determiner of the noun has
    another value of the feature: one of them is misspelt, or they do not belong together."""
    view, noun = pair.view, pair.controller
    if pair.tie in ("subject", "relative", "attribute"):
        for determiner in view.dependents(noun, "det"):
            joined = view.dependents(determiner, "conj", "fixed")  # "one or several countries"
            if not joined and view.value(determiner, pair.feature) not in (None, pair.value):
                return f"{view.forms[determiner]} and {view.forms[noun]} do not agree"
    if pair.tie == "relative":
        pronoun = view.relative_of(view.first_conjunct(pair.predicate))
        if pronoun >= 0 and conflict(view.feats[pronoun], view.feats[pair.cue]):
            return f"{view.forms[pair.cue]} and {view.forms[pronoun]} are of different gender"
    joined_nouns = pair.tie == "conjunct" and NOMINAL & {view.upos[pair.cue], pair.upos}
    if pair.tie not in ("attribute", "noun", "conjunct") or joined_nouns:
        return ""  # joined nouns have genders of their own
    if not conflict(view.feats[pair.cue], pair.feats):
        return ""
    return f"{view.forms[pair.cue]} and {pair.right} are of different gender"


def doubled_word(pair: MinimalPair) -> str:
    """Tell whether a function word stands twice in a row, a demonstrative behind an article, or the
    target's word before it too."""
    view, words = pair.view, [n for n, upos in enumerate(pair.view.upos) if upos != "PUNCT"]
    for prior, node in pairwise(words):
        first, second = view.forms[prior].casefold(), view.forms[node].casefold()
        if node == pair.target and first in (pair.right, pair.wrong):
            return f"{view.forms[prior]} stands twice"
        same = view.upos[node] == view.upos[prior] and view.upos[node] in FUNCTION_WORDS
        if not same or view.heads[node] != view.heads[prior]:
            continue
        if first == second and node == prior + 1:
            return f"{view.forms[node]} stands twice"
        article = view.feature(prior, "Definite") == "Def" and pair.has_one_determiner
        if article and view.feature(node, "PronType") == "Dem":
            return f"{view.forms[prior]} and {view.forms[node]} are two determiners"
    return ""


def likely_typo(pair: MinimalPair) -> str:
    """Tell whether a word of the sentence is marked as misspelt, is a frequent misspelling, or a
    function word whose form is usual, but never of its lemma (German *Mit scheint*)."""
    for node, form in enumerate(pair.view.forms):
        if pair.view.upos[node] in FUNCTION_WORDS and pair.is_other_word(node):
            return f"{form} is likely misspelt for a form of {pair.view.lemmas[node]}"
        if pair.view.feature(node, "Typo") == "Yes":
            return f"{form} is marked Typo"
        if form.lower() in pair.words_of("misspelt"):
            return f"{form} is misspelt"
    return ""


def odd_capital(pair: MinimalPair) -> str:
    """Tell whether a word inside the sentence begins with a capital, or lacks one, unlike nearly
    all of its uses, and no neighbour does."""
    view = pair.view
    for node, form in enumerate(view.forms[1:], start=1):
        previous = view.forms[node - 1]
        capitalised = form[:1].isupper()
        if view.upos[node] == "PROPN" or not (form[:1].isalpha() and previous[-1:].isalnum()):
            continue
        if form[1:].upper() == form[1:] and capitalised:
            continue  # a headline, an abbreviation, one letter
        small, capital = pair.forms.capitals(form, view.upos[node])
        usual = small if capitalised else capital
        near = (view.forms[index] for index in (node - 1, node + 1) if 0 < index < len(view))
        clear = small + capital >= OFTEN and usual >= USUAL * (small + capital)
        if clear and not any(neighbour[:1].isupper() for neighbour in near):
            return f"{form} has {'a' if capitalised else 'no'} capital"
    return ""


def quoted_title(pair: MinimalPair) -> str:
    """Tell whether the cue stands in a quoted title, which agrees as one thing whatever its words
    are, or has one behind it, so that it is of one thing."""
    view, cue = pair.view, pair.cue
    for start, end in _quotations(pair):
        first_form = view.forms[start]
        if not first_form[:1].isupper():
            continue
        is_title = end - start > 1 or any(view.upos[node] == "PROPN" for node in range(start, end))
        if start <= cue < end and not start <= pair.target < end and is_title:
            return f"{view.forms[cue]} stands in a quoted title"
        is_modifier = any(view.heads[node] == cue for node in range(start, end))
        if start - cue == 2 and is_modifier and view.upos[cue] == "NOUN":
            return f"{view.forms[cue]} has a quoted title"
    return ""


def _quotations(pair: MinimalPair) -> Iterator[tuple[int, int]]:
    """Yield the first word of each stretch in quotation marks and the mark that ends it; of one
    inside another, neither is told apart."""
    start = -1
    for node, form in enumerate(pair.view.forms):
        if form in OPENING_MARKS and start < 0:
            start = node + 1
        elif form in CLOSING_MARKS and start >= 0:
            if node > start:
                yield start, node
            start = -1
