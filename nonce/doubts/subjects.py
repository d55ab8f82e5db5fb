"""Doubts about the cue: whether it is what the target agrees with, and in which value."""

from colorless_green.miner.cues.leaks import PLURALS
from colorless_green.miner.cues.ties import NOMINAL, SUBJECT, base, first_conjunct
from colorless_green.miner.features import value_of
from colorless_green.miner.filters import nouns
from colorless_green.nonce.doubts.place import Place

GOVERNED = frozenset({"nummod:gov", "det:numgov"})
ROLES = frozenset({*SUBJECT, "obj", "iobj", "obl", "nmod", "appos", "vocative"})  # of nouns
COUNTED = frozenset({"NUM", "SYM"})


def quantity(place: Place) -> str:
    """The noun agreed with is a quantity, a measure or a noun of many members (*a number of*, *the
    three years*, *the government*): good usage has both values."""
    node = place.controller
    if node < 0:
        return ""
    tree, form = place.tree, place.tree.forms[node]
    lemma = tree.lemmas[node].lower()
    governed = any(tree.deprels[each] in GOVERNED for each in place.children[node])
    in_genitive = value_of(tree.feats[node], "Case") == "Gen" and place.children_of(node, "nummod")
    if governed or (in_genitive and base(tree.deprels[node]) in SUBJECT):
        return f"{form} is counted by a numeral"
    if node == place.target or (place.bound and place.tie != "conjunct"):
        return ""
    if tree.upos[node] in COUNTED or lemma in ("%", "$"):
        return f"{form} is a number"
    counted = bool(place.children_of(node, "nummod"))
    if counted and lemma in place.listed("measure") and place.value in PLURALS:
        return f"{form} is a measure"
    if not place.feature.startswith("Number") or place.value in PLURALS:
        return ""
    known = nouns("quantity", place.language) | place.listed("quantity")
    if lemma in known and (_has_plural_below(place, node) or tree.upos[node] != "NOUN"):
        return f"{form} is a quantity"
    many = value_of(tree.feats[node], "Number") == "Coll" or (
        place.among("plural_collectives")
        and lemma in nouns("collective", place.language) | place.listed("collective")
    )
    return f"{form} has many members" if many else ""


def _has_plural_below(place: Place, node: int) -> bool:
    """Whether something counted hangs on a noun of quantity, before the target: *a number of
    people*."""
    return any(
        place.tree.upos[each] in (*NOMINAL, "ADJ", "NUM") and place.told(each) in PLURALS
        for each in place.below(node, node + 1, place.target)
    )


def coordinated_cue(place: Place) -> str:
    """The noun agreed with, or one below it, is joined with another, so that a plural could be
    right (*the nearness of the school and the home is/are*)."""
    node = place.controller
    if node < 0 or node == place.target or not place.pluralised or place.bound:
        return ""
    if place.tie == "attribute":
        return ""  # left to `other_noun`
    open_words = place.open_words
    for each in place.below(node, node + 1, place.target):
        conjunct = base(place.tree.deprels[each]) == "conj" and place.tree.upos[each] in (
            *NOMINAL,
            "NUM",
            "X",
        )
        joined = each in open_words or place.tree.heads[each] == node
        if conjunct and joined and _as_determined(place, each, node):
            return f"{place.tree.forms[each]} is joined with a noun before it"
    if base(place.tree.deprels[node]) == "conj" and node < place.target:
        return f"{place.tree.forms[node]} is joined with a noun before it"
    return ""


def _as_determined(place: Place, conjunct: int, noun: int) -> bool:
    """Whether a noun could be joined with another: one with an adposition is no subject, and a bare
    singular is not joined with one that has a determiner (Spanish *la carta … y escritor*)."""
    return not place.children_of(conjunct, "case") and (
        place.tree.upos[conjunct] != "NOUN"
        or place.told(conjunct) in PLURALS
        or bool(place.children_of(conjunct, "det"))
        or not place.children_of(noun, "det")
    )


def participle_alone(place: Place) -> str:
    """A participle with *have* agrees with nothing before it (Italian *ha pensato*)."""
    if value_of(place.feats, "VerbForm") != "Part" or place.upos != "VERB":
        return ""
    for each in place.children_of(place.predicate, "aux"):
        if place.tree.lemmas[each] in place.listed("have") and each < place.target:
            return f"{place.right} goes with {place.tree.forms[each]} and agrees with nothing"
    first = place.tree.heads[place.predicate]
    if place.tie == "conjunct" and first >= 0:
        for each in place.children_of(first, "aux"):
            if place.tree.lemmas[each] in place.listed("have"):
                return f"{place.right} goes with {place.tree.forms[each]} and agrees with nothing"
    return ""


def unrelated(place: Place) -> str:
    """Cue and target stand in no relation in which words agree (an adverbial, an object, words
    joined as nouns), or the target's own subject is another word behind it."""
    if _joined_as_nouns(place):
        return f"{place.tree.forms[place.cue]} and {place.right} are joined as nouns"
    if place.tie != "other" or "[" in place.feature:
        return ""
    tree = place.tree
    below = tree.heads[place.cue] == place.predicate
    relation = base(tree.deprels[place.cue if below else place.target])
    if 0 <= place.own_subject < place.target and place.told(place.own_subject) == place.value:
        return ""
    if relation in ("obj", "iobj") and "Number[" in place.feats:
        return ""
    return f"{tree.forms[place.cue]} and {place.right} are tied as {relation}"


def _joined_as_nouns(place: Place) -> bool:
    """Whether two coordinated adjectives do the work of nouns: they have a case, and no noun that
    they agree with (Turkish *gençler ve yaşlı*)."""
    tree, first = place.tree, first_conjunct(place.tree, place.predicate)
    if place.tie != "conjunct" or place.verbal or place.upos not in ("ADJ", "DET", "NUM", *NOMINAL):
        return False
    cased = all(value_of(tree.feats[each], "Case") for each in (place.cue, place.target))
    return cased and base(tree.deprels[first]) in ROLES


def honorific(place: Place) -> str:
    """In this language a plural is the polite form for one person (Hindi *वह … हैं*), and the
    subject is a pronoun of the third person."""
    node = place.controller
    if node < 0 or node == place.target or not place.pluralised or place.bound:
        return ""
    tree = place.tree
    third = value_of(tree.feats[node], "Person") in (None, "3")
    if tree.upos[node] != "PRON" or not third or not place.among("honorific_plural"):
        return ""
    return f"{tree.forms[node]} could be one person spoken of politely"
