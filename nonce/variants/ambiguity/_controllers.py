"""Doubts about what the target agrees with: another word than the cue, nothing at all, or a noun
with which good usage has both values.

They belong to the family that is marked `ambiguous`. Each test answers with the reason, "" for
none; its docstring is what users read of it.
"""

from ....data.items.features import value_of
from ....miner.originals.cue_words import PLURALS
from ....miner.search.filters import nouns
from ....miner.treebank.view import NOMINAL
from .pair import MinimalPair


def copula_of_predicate(pair: MinimalPair) -> str:
    """In this language the copula agrees with a plural that follows."""
    if pair.tie != "subject" or not pair.pluralised or pair.bound:
        return ""
    if pair.lemma not in pair.words_of("copula") or pair.cue < pair.predicate < pair.target:
        return ""
    return f"{pair.wrong} could agree with what follows"


def predicate_noun(pair: MinimalPair) -> str:
    """Tell whether a noun that is said of a subject need not agree with the copula, and nothing
    before it tells its value."""
    if pair.tie != "predicate" or pair.bound:
        return ""
    return f"{pair.right} is said of the subject and need not agree"


def participle_alone(pair: MinimalPair) -> str:
    """Tell whether a participle with *have* agrees with nothing before it."""
    view = pair.view
    if value_of(pair.feats, "VerbForm") != "Part" or pair.upos != "VERB":
        return ""
    auxiliaries = list(view.dependents(pair.predicate, "aux"))
    if pair.tie == "conjunct":
        auxiliaries += view.dependents(view.heads[pair.predicate], "aux")
    for auxiliary in auxiliaries:
        if auxiliary < pair.target and view.lemmas[auxiliary] in pair.words_of("have"):
            return f"{pair.right} goes with {view.forms[auxiliary]} and agrees with nothing"
    return ""


def quantity(pair: MinimalPair) -> str:
    """Tell whether the noun agreed with is a quantity, a measure or a noun of many members: good
    usage has both values."""
    node, view = pair.controller, pair.view
    if node < 0 or not pair.feature.startswith("Number"):
        return ""
    form, lemma = view.forms[node], view.lemmas[node].lower()
    if pair.value in PLURALS:
        measured = lemma in pair.words_of("measure") and view.dependents(node, "nummod")
        return f"{form} is a measure" if measured else ""
    if lemma in nouns("quantity", pair.language) | pair.words_of("quantity") and any(
        view.upos[dependent] in (*NOMINAL, "ADJ", "NUM") and pair.value_at(dependent) in PLURALS
        for dependent in view.below(node, node + 1, pair.target)
    ):  # something counted hangs on it: *a number of people*
        return f"{form} is a quantity"
    plural_collectives = pair.words_of("collective")
    if plural_collectives and lemma in nouns("collective", pair.language) | plural_collectives:
        return f"{form} has many members"
    return ""


def coordinated_cue(pair: MinimalPair) -> str:
    """Tell whether the noun agreed with, or one below it, is joined with another, so that a plural
    could be right."""
    node, view = pair.controller, pair.view
    if not _may_be_plural(pair):
        return ""
    for word in view.below(node, node + 1, pair.target):
        conjunct = view.relations[word] == "conj" and view.upos[word] in (*NOMINAL, "NUM", "X")
        joined = word in pair.open_words or view.heads[word] == node
        bare = view.upos[word] == "NOUN" and pair.value_at(word) not in PLURALS
        # a bare singular is not joined with a noun that has a determiner (*la carta … y escritor*)
        unlike = bare and not view.dependents(word, "det") and view.dependents(node, "det")
        if conjunct and joined and not unlike and not view.dependents(word, "case"):
            return f"{view.forms[word]} is joined with a noun before it"
    joined = view.relations[node] == "conj"
    return f"{view.forms[node]} is joined with a noun before it" if joined else ""


def company(pair: MinimalPair) -> str:
    """Tell whether the noun agreed with has one in company, with which a plural verb is right as
    well."""
    node, view, markings = pair.controller, pair.view, pair.words_of("company")
    if not _may_be_plural(pair):
        return ""
    for child in view.children[node]:
        adposition = view.marked_by(child).rpartition("_")[2]  # *разом з*
        marking = {adposition, f"{adposition}+{view.feature(child, 'Case')}"}
        if node < child < pair.target and not marking.isdisjoint(markings):
            return f"{view.forms[node]} is in company of {view.forms[child]}"
    return ""


def _may_be_plural(pair: MinimalPair) -> bool:
    """Tell whether the wrong form is a plural that nothing before it rules out; for what stands by
    a noun, `other_noun` tells."""
    return pair.controller >= 0 and pair.tie != "attribute" and pair.pluralised and not pair.bound


def unrelated(pair: MinimalPair) -> str:
    """Cue and target stand in no relation in which words agree (an adverbial, an object), or the
    target's own subject is another word behind it."""
    view = pair.view
    if pair.tie != "other" or "[" in pair.feature:
        return ""
    if 0 <= pair.own_subject < pair.target and pair.value_at(pair.own_subject) == pair.value:
        return ""
    return f"{view.forms[pair.cue]} and {pair.right} are tied as {view.relations[pair.cue]}"
