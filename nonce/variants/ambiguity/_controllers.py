"""Doubts about what the target agrees with: another word than the cue, nothing at all, or a noun
with which good usage has both values.

They belong to the family that is marked `ambiguous`. Each test answers with the reason, "" for
none; its docstring is what users read of it.
"""

from ....data.items.features import value_of
from ....miner.originals.cue_words import PLURALS
from ....miner.search.filters import nouns
from ....miner.treebank.view import NOMINAL, SUBJECT, VERBAL
from .pair import MinimalPair

GOVERNED = frozenset({"nummod:gov", "det:numgov"})
ROLES = frozenset({*SUBJECT, "obj", "iobj", "obl", "nmod", "appos", "vocative"})  # of nouns
COUNTED = frozenset({"NUM", "SYM"})


def own_subject(pair: MinimalPair) -> str:
    """The target is coordinated with the cue, but its clause has a subject of its own, which alone
    it agrees with."""
    if pair.tie != "conjunct" or not 0 <= pair.own_subject < pair.target:
        return ""
    return f"{pair.right} has a subject of its own, {pair.view.forms[pair.own_subject]}"


def copula_of_predicate(pair: MinimalPair) -> str:
    """In this language the copula agrees with a plural that follows."""
    if pair.tie != "subject" or not pair.pluralised or pair.bound:
        return ""
    copula = pair.view.relations[pair.target] == "cop" or (pair.upos in VERBAL and pair.verbal)
    if not copula or not pair.language_has("copula_of_predicate"):
        return ""
    if pair.lemma not in pair.words_of("copula") or pair.cue < pair.predicate < pair.target:
        return ""
    return f"{pair.wrong} could agree with what follows"


def predicate_noun(pair: MinimalPair) -> str:
    """A noun that is said of a subject need not agree with the copula, and nothing before it tells
    its value."""
    if pair.tie != "predicate" or pair.bound:
        return ""
    return f"{pair.right} is said of the subject and need not agree"


def participle_alone(pair: MinimalPair) -> str:
    """A participle with *have* agrees with nothing before it."""
    view = pair.view
    if value_of(pair.feats, "VerbForm") != "Part" or pair.upos != "VERB":
        return ""
    auxiliaries = [a for a in view.dependents(pair.predicate, "aux") if a < pair.target]
    head = view.heads[pair.predicate]
    if pair.tie == "conjunct" and head >= 0:
        auxiliaries += view.dependents(head, "aux")
    for auxiliary in auxiliaries:
        if view.lemmas[auxiliary] in pair.words_of("have"):
            return f"{pair.right} goes with {view.forms[auxiliary]} and agrees with nothing"
    return ""


def quantity(pair: MinimalPair) -> str:
    """The noun agreed with is a quantity, a measure or a noun of many members: good usage has both
    values."""
    node, view = pair.controller, pair.view
    if node < 0:
        return ""
    form, lemma = view.forms[node], view.lemmas[node].lower()
    counted = bool(view.dependents(node, "nummod"))
    governed = any(view.deprels[child] in GOVERNED for child in view.children[node])
    in_genitive = view.feature(node, "Case") == "Gen" and counted
    if governed or (in_genitive and view.relations[node] in SUBJECT):
        return f"{form} is counted by a numeral"
    if node == pair.target or (pair.bound and pair.tie != "conjunct"):
        return ""
    if view.upos[node] in COUNTED or lemma in ("%", "$"):
        return f"{form} is a number"
    if counted and lemma in pair.words_of("measure") and pair.value in PLURALS:
        return f"{form} is a measure"
    if not pair.feature.startswith("Number") or pair.value in PLURALS:
        return ""
    if lemma in nouns("quantity", pair.language) | pair.words_of("quantity") and (
        view.upos[node] != "NOUN"
        or any(  # something counted hangs on it: *a number of people*
            view.upos[dependent] in (*NOMINAL, "ADJ", "NUM") and pair.value_at(dependent) in PLURALS
            for dependent in view.below(node, node + 1, pair.target)
        )
    ):
        return f"{form} is a quantity"
    collectives = nouns("collective", pair.language) | pair.words_of("collective")
    is_collective = view.feature(node, "Number") == "Coll" or (
        pair.language_has("plural_collectives") and lemma in collectives
    )
    return f"{form} has many members" if is_collective else ""


def coordinated_cue(pair: MinimalPair) -> str:
    """The noun agreed with, or one below it, is joined with another, so that a plural could be
    right."""
    node, view = pair.controller, pair.view
    if not _may_be_plural(pair) or pair.tie == "attribute":  # that is left to `other_noun`
        return ""
    for word in view.below(node, node + 1, pair.target):
        conjunct = view.relations[word] == "conj" and view.upos[word] in (*NOMINAL, "NUM", "X")
        joined = word in pair.open_words or view.heads[word] == node
        bare = view.upos[word] == "NOUN" and pair.value_at(word) not in PLURALS
        # a bare singular is not joined with a noun that has a determiner (*la carta … y escritor*)
        unlike = bare and not view.dependents(word, "det") and view.dependents(node, "det")
        if conjunct and joined and not unlike and not view.dependents(word, "case"):
            return f"{view.forms[word]} is joined with a noun before it"
    if view.relations[node] == "conj" and node < pair.target:
        return f"{view.forms[node]} is joined with a noun before it"
    return ""


def company(pair: MinimalPair) -> str:
    """The noun agreed with has one in company, with which a plural verb is right as well."""
    node, view, markings = pair.controller, pair.view, pair.words_of("company")
    if not markings or not _may_be_plural(pair) or pair.tie == "attribute":
        return ""
    for child in view.children[node]:
        if node < child < pair.target and view.upos[child] in NOMINAL:
            adposition = view.marked_by(child).rpartition("_")[2]  # *разом з*
            case = view.feature(child, "Case")
            if adposition in markings or f"{adposition}+{case}" in markings:
                return f"{view.forms[node]} is in company of {view.forms[child]}"
    return ""


def _may_be_plural(pair: MinimalPair) -> bool:
    """Tell whether the wrong form is a plural that nothing before it rules out."""
    has_controller = 0 <= pair.controller != pair.target
    return has_controller and pair.pluralised and not pair.bound


def unrelated(pair: MinimalPair) -> str:
    """Cue and target stand in no relation in which words agree (an adverbial, an object, words
    joined as nouns), or the target's own subject is another word behind it."""
    view = pair.view
    cue = view.forms[pair.cue]
    if (
        pair.tie == "conjunct"
        and not pair.verbal
        and pair.upos in ("ADJ", "DET", "NUM", *NOMINAL)
        and all(view.feature(node, "Case") for node in (pair.cue, pair.target))
        and view.relations[view.first_conjunct(pair.predicate)] in ROLES
    ):  # adjectives in a noun's place, with no noun that they agree with
        return f"{cue} and {pair.right} are joined as nouns"
    if pair.tie != "other" or "[" in pair.feature:
        return ""
    if 0 <= pair.own_subject < pair.target and pair.value_at(pair.own_subject) == pair.value:
        return ""
    below = view.heads[pair.cue] == pair.predicate
    relation = view.relations[pair.cue if below else pair.target]
    if relation in ("obj", "iobj") and "Number[" in pair.feats:
        return ""
    return f"{cue} and {pair.right} are tied as {relation}"


def honorific(pair: MinimalPair) -> str:
    """In this language a plural is the polite form for one person, and the subject is a pronoun of
    the third person."""
    node, view = pair.controller, pair.view
    if not _may_be_plural(pair) or not pair.language_has("honorific_plural"):
        return ""
    third = view.upos[node] == "PRON" and view.feature(node, "Person") in ("", "3")
    return f"{view.forms[node]} could be one person spoken of politely" if third else ""
