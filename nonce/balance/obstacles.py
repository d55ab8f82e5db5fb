"""Why a group of words that agree cannot have another value.

None of it can be seen in the words that agree: a numeral, a name, a pronoun bound by the noun, a
determiner or adposition that asks for the value (`company`), a verb that marks several arguments.
"""

from collections.abc import Iterator, Sequence

from colorless_green.miner.features import conflict, parse_feats, value_of
from colorless_green.miner.tree import Tree
from colorless_green.nonce.balance.company import ABOVE, has_determiner, is_argument, neighbours_of
from colorless_green.nonce.balance.concord import children_of, relation
from colorless_green.nonce.balance.group import NOMINAL, Group
from colorless_green.nonce.balance.inflection import Inflection

FIXING = {  # relation of a dependent → what it makes of its noun
    "nummod": "has a numeral",
    "appos": "has an apposition",
    "flat": "is part of a name",
    "goeswith": "is written apart",
    "fixed": "is part of a fixed expression",
}
NAMING = frozenset({"nmod", "compound", "flat", "appos"})
INSIDE = {  # a noun's own relation → why its value is not its own
    "appos": "is an apposition",
    "compound": "is part of a compound",
    "flat": "is part of a name",
    "goeswith": "is a piece of a word",
    "fixed": "is part of a fixed expression",
    "reparandum": "was taken back",
}


def obstacles(
    tree: Tree, group: Group, node: int, value: str, forms: Inflection, target: int
) -> Iterator[str]:
    """Reasons why the group cannot have another value, the first of which is enough."""
    children = children_of(tree)
    members = frozenset(group.members)
    is_relative = "Rel" in (value_of(tree.feats[node], "PronType") or "").split(",")
    if is_relative and node not in group.controllers:
        yield f"stands for another word: {tree.forms[node]}"
    is_head = tree.upos[node] in NOMINAL | {"PRON"} or is_argument(tree, node)
    if group.members == (node,) and not is_head:
        is_finite = value_of(tree.feats[node], "VerbForm") == "Fin"
        if node in group.idle or not is_finite:
            yield f"agrees with nothing: {tree.forms[node]}"
    for index in group.members:
        if index != target and tree.upos[index] == "DET" and _is_quantifier(tree.feats[index]):
            yield f"tells how many: {tree.forms[index]}"
        if index in group.untold and index not in group.controllers and index != target:
            yield f"has a subject that tells nothing: {tree.forms[index]}"
    for controller, agreeing, kind in group.loose:
        if (controller in members) != (agreeing in members):
            pair = [
                value if each in members else value_of(tree.feats[each], forms.feature) or ""
                for each in (controller, agreeing)
            ]
            if not forms.concord.allows(kind, pair[0], pair[1]):
                yield f"may have to follow: {tree.forms[controller]}, {tree.forms[agreeing]}"
    for index in group.members:
        if tree.upos[index] in NOMINAL or index == node:
            yield from _around(tree, children[index], index, value, forms)
            yield from _uncoupled(tree, children[index], index, members, forms.feature)
        yield from _marked(tree, children, index, forms.feature, target)
    yield from _bound_pronouns(tree, members, node, forms.feature, target)


def _around(
    tree: Tree, below: Sequence[int], index: int, value: str, forms: Inflection
) -> Iterator[str]:
    """What a noun's neighbours have against another value."""
    form, own, feats = tree.forms[index], relation(tree, index), parse_feats(tree.feats[index])
    if tree.upos[index] == "PRON" and feats.get("Gender") == "Neut":
        yield f"may stand for no noun: {form}"  # *it rains*
    is_construct = own == "compound" and index > tree.heads[index]  # Hebrew *pkidey ha-gviya*
    if own in INSIDE and not is_construct:
        yield f"{INSIDE[own]}: {form}"
    if tree.lemmas[index].lower() in forms.quantities and tree.upos[index] == "NOUN":
        yield f"is a quantity: {form}"
    if _is_name(tree, index, below):
        yield f"is part of a name: {form}"
    for each in below:
        if relation(tree, each) in FIXING and (
            relation(tree, each) != "appos" or value_of(tree.feats[each], forms.feature)
        ):
            yield f"{FIXING[relation(tree, each)]}: {form}"
    for place, word in neighbours_of(tree, index, below, forms.feature):
        bound = forms.company.bound_to(place, word)
        if bound not in (None, value):
            yield f"asks for {bound}: {word}"
        if place == ABOVE and word in forms.quantities:
            yield f"is what there is a quantity of: {form}"
    if tree.upos[index] == "NOUN" and is_argument(tree, index) and not has_determiner(tree, below):
        has_adposition = any(relation(tree, each) == "case" for each in below)
        if not forms.company.may_be_bare(tree.lemmas[index], value, has_adposition):
            yield f"needs a determiner: {form}"


def _is_name(tree: Tree, index: int, below: Sequence[int]) -> bool:
    """Whether a noun is written with the capital of a name (*the Andaman Islands*), or is followed
    by the name of the one it means (*il romanziere Melville*)."""
    if tree.upos[index] != "NOUN":
        return False
    form, lemma = tree.forms[index], tree.lemmas[index]
    if index > 0 and form[:1].isupper() and form[1:].islower() and lemma[:1].islower():
        return True
    heads = {tree.heads[each] for each in range(len(tree)) if relation(tree, each) == "case"}
    return any(
        each > index and tree.upos[each] == "PROPN" and relation(tree, each) in NAMING
        for each in below
        if each not in heads
    )


def _uncoupled(
    tree: Tree, below: Sequence[int], index: int, members: frozenset[int], feature: str
) -> Iterator[str]:
    """A predicate noun's copula or auxiliary that has its value, but not because of a subject (*das
    waren schöne Tage*)."""
    value = value_of(tree.feats[index], feature)
    for each in below:
        is_helper = relation(tree, each) in ("cop", "aux")
        if is_helper and each not in members and value_of(tree.feats[each], feature) == value:
            yield f"may have to follow: {tree.forms[index]}, {tree.forms[each]}"


def _is_quantifier(feats: str) -> bool:
    """Whether a determiner is *all* or *some*: *todos los libros* are not *todo el libro*."""
    return bool({"Tot", "Ind"} & set((value_of(feats, "PronType") or "").split(",")))


def _marked(
    tree: Tree, children: Sequence[Sequence[int]], index: int, feature: str, target: int
) -> Iterator[str]:
    """Verbs that mark several arguments, and nouns that mark their possessor, under layers of the
    feature: which of them is meant is not told here, so none but the target may."""
    head = tree.heads[index]
    if head < 0 or tree.upos[index] not in NOMINAL | {"PRON"}:
        return
    for each in (head, *children[head]):
        if each in (target, index) or (each != head and relation(tree, each) not in ("aux", "cop")):
            continue
        if f"{feature}[" in tree.feats[each]:
            yield f"is marked on: {tree.forms[each]}"


def _bound_pronouns(
    tree: Tree, members: frozenset[int], node: int, feature: str, target: int
) -> Iterator[str]:
    """Reciprocals and reflexives of the third person anywhere, and after the noun, up to the
    target, third persons that may stand for it."""
    end = target if target >= 0 else len(tree)
    for index in range(len(tree)):
        if index in members or tree.upos[index] not in ("PRON", "DET"):
            continue
        entries = parse_feats(tree.feats[index])
        if entries.get("PronType") == "Rcp":
            yield f"is reciprocal: {tree.forms[index]}"
        told = entries.get(f"{feature}[psor]") or entries.get(feature)
        if (
            entries.get("PronType") != "Prs"
            or told != value_of(tree.feats[node], feature)
            or entries.get("Person", "3") != "3"
            or conflict(tree.feats[index], tree.feats[node])
        ):
            continue
        if entries.get("Reflex") == "Yes":
            yield f"is reflexive: {tree.forms[index]}"
        elif "Person" in entries and node < index < end and not _is_inside(tree, index, node):
            yield f"may stand for the noun: {tree.forms[index]}"


def _is_inside(tree: Tree, index: int, node: int) -> bool:
    """Whether a word stands below a noun, not in a clause about it: *the back of her neck*."""
    for _ in range(len(tree)):
        if index == node:
            return True
        if index < 0 or tree.deprels[index] == "acl:relcl":
            return False
        index = tree.heads[index]
    return False
