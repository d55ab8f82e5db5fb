"""Words beside cue and target that carry the feature: those that could tempt a reader away, and
those that give the answer away.

An item measures agreement between cue and target only as far as nothing else tells the target's
value. Of the published nonce sentences 57 % (English) and 87 % (Italian) hold such a word.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from colorless_green.miner.cues.readings import Forms, carried
from colorless_green.miner.cues.telling import ATTENDANTS, Telling
from colorless_green.miner.cues.ties import (
    AUXILIARY,
    NOMINAL,
    SUBJECT,
    VERBAL,
    Children,
    ancestors,
    base,
    children_of,
    first_conjunct,
    is_finite,
    predicate_of,
    tie,
)
from colorless_green.miner.features import value_of
from colorless_green.miner.paradigms import Paradigms
from colorless_green.miner.tree import Tree

PLURALS = frozenset({"Plur", "Dual"})
CUE_COLUMNS = ("cues_before", "cues_between", "cues_beside_target")
RELATIVE = frozenset({"Rel", "Int,Rel"})


class NodeNominal(NamedTuple):
    """A noun, name or pronoun strictly between cue and target that carries the feature."""

    node: int  # 0-based word of the tree
    depth: int  # arcs from it up to the cue, the target, or the word above both
    value: str


class NodeLeak(NamedTuple):
    """A word before the target, other than the cue, whose form tells the target's value."""

    kind: str  # S, D, V or A, as `leaks` says
    node: int  # 0-based word of the tree
    value: str


class CueWords(NamedTuple):
    """Words other than the cue whose form tells the target's value: 0-based words of the tree."""

    before: tuple[int, ...]  # before the cue, as its determiner
    between: tuple[int, ...]  # after it, as its participle, its relative pronoun and verb
    beside_target: tuple[int, ...]  # the target's auxiliary, copula, predicate, and all after it

    def on_tokens(self, places: Sequence[int], cue: int, target: int) -> dict[str, Any]:
        """The same as the columns of originals: tokens, those of cue and target left out.
        `places`: word of the tree → token."""
        ends = (places[cue], places[target])
        columns = {
            name: [places[node] for node in nodes if places[node] not in ends]
            for name, nodes in zip(CUE_COLUMNS, self, strict=True)
        }
        return {name: tuple(dict.fromkeys(tokens)) for name, tokens in columns.items()}


def nominals(tree: Tree, cue: int, target: int, feature: str) -> tuple[NodeNominal, ...]:
    """Every noun, name and pronoun strictly between cue and target that carries the feature, the
    word directly before the target included, in their order.

    Whatever its value and part of speech; the paper's attractors (Gulordava et al. 2018, §4) are
    those of the cue's POS with another value. For a word that is not below the word above both,
    the depth is that to the root.
    """
    over_cue = [cue, *ancestors(tree, cue)]
    over_target = set(ancestors(tree, target))
    above = next((each for each in over_cue if each == target or each in over_target), -1)
    tops = {cue, target, above}
    found: list[NodeNominal] = []
    for node in range(cue + 1, target):
        value = carried(tree.feats[node], feature) if tree.upos[node] in NOMINAL else None
        if value is not None:
            way = ancestors(tree, node)
            depth = next((n for n, each in enumerate(way, start=1) if each in tops), len(way))
            found.append(NodeNominal(node, depth, value))
    return tuple(found)


def leaks(
    tree: Tree,
    cue: int,
    target: int,
    feature: str,
    value: str,
    *,
    paradigms: Paradigms,
    telling: Telling | None = None,
) -> tuple[NodeLeak, ...]:
    """Words before the target, other than the cue, that tell the target's value, in their order.

    - `S`: what cue and target both agree with, where the cue is not it (the subject of coordinated
      verbs, the noun of coordinated adjectives), a relative pronoun that is the target's subject,
      or another subject of the target's own;
    - `D`: a determiner or numeral of the noun that governs the agreement (a numeral without the
      feature tells a plural, since a singular has *one*);
    - `V`: a verb, auxiliary or copula that agrees with it, too;
    - `A`: an adjective or participle of it.

    Only where the form tells: FEATS carry the feature with that value, and no reading of the form
    with the same part of speech has another one or none (English *the*, German *die* tell nothing).
    With `telling`, counted over the treebank's sentences, a word without the feature tells, too,
    that always goes with one value (English *a*, *several*, *you*), and one whose kind does not
    agree in this treebank tells nothing (Hungarian adjectives). The kinds are those that the
    published sets were read for.
    """
    forms = Forms.of(paradigms)
    return leaks_of(tree, children_of(tree), cue, target, feature, value, forms, telling)


def leaks_of(
    tree: Tree,
    children: Children,
    cue: int,
    target: int,
    feature: str,
    value: str,
    forms: Forms,
    telling: Telling | None = None,
) -> tuple[NodeLeak, ...]:
    """`leaks` for a caller who has the children and forms at hand."""
    found = _told(tree, children, cue, target, feature, value, forms, telling)
    return tuple(found[node] for node in sorted(found) if node < target)


def cue_words(
    tree: Tree,
    cue: int,
    target: int,
    feature: str,
    value: str,
    *,
    paradigms: Paradigms,
    telling: Telling | None = None,
) -> CueWords:
    """The words of `leaks`, and those of their kind after the target, by where they stand."""
    children = children_of(tree)
    forms = Forms.of(paradigms)
    found = sorted(_told(tree, children, cue, target, feature, value, forms, telling))
    predicate = predicate_of(tree, target)
    own = {predicate, *children[target]}
    own.update(each for each in children[predicate] if base(tree.deprels[each]) in AUXILIARY)
    beside = [node for node in found if node > target or (node > cue and node in own)]
    return CueWords(
        tuple(node for node in found if node < cue),
        tuple(node for node in found if node > cue and node not in beside),
        tuple(beside),
    )


def _told(
    tree: Tree,
    children: Children,
    cue: int,
    target: int,
    feature: str,
    value: str,
    forms: Forms,
    telling: Telling | None,
) -> dict[int, NodeLeak]:
    """Every word other than cue and target that tells the target's value, in no order."""
    if telling is not None and telling.feature not in feature.split("~"):
        telling = None
    found: dict[int, NodeLeak] = {}
    for kind, node in _suspects(tree, children, cue, target):
        if node not in (cue, target) and node not in found:
            known = _known(tree, kind, node, feature, telling) if telling else None
            if known == value or (known is None and _tells(tree, node, feature, value, forms)):
                found[node] = NodeLeak(kind, node, value)
    return found


def _known(tree: Tree, kind: str, node: int, feature: str, telling: Telling) -> str | None:
    """What a word's company in the treebank tells: a value, "" for none at all, `None` where FEATS
    have the say."""
    relation, upos = base(tree.deprels[first_conjunct(tree, node)]), tree.upos[node]
    if kind == "S":
        return telling.subject(tree.forms[node]) if upos == "PRON" else None
    own = carried(tree.feats[node], feature)
    if own is None:
        return telling.attendant(tree.forms[node], upos) if relation in ATTENDANTS else None
    if kind == "V" or telling.agrees(relation, upos):
        return None
    counts = relation == "nummod" and upos == "NUM" and own in PLURALS  # *two*, whatever *one* does
    return None if counts else ""


def _tells(tree: Tree, node: int, feature: str, value: str, forms: Forms) -> bool:
    told = carried(tree.feats[node], feature)
    if told is None:
        counting = base(tree.deprels[node]) == "nummod" and tree.upos[node] == "NUM"
        return counting and feature.startswith("Number") and value in PLURALS
    if told != value:
        return False
    name = next(each for each in feature.split("~") if value_of(tree.feats[node], each))
    return forms.tells(tree.forms[node], tree.upos[node], tree.feats[node], name)


def _suspects(tree: Tree, children: Children, cue: int, target: int) -> Iterator[tuple[str, int]]:
    """(kind, word) of every word that agrees with what cue and target agree with."""
    how = tie(tree, children, cue, target)
    predicate = predicate_of(tree, target)
    if how in ("subject", "relative", "attribute"):
        yield from _about_noun(tree, children, cue, predicate)
        yield from _about_predicate(tree, children, predicate, cue)
        if how == "subject" and tree.heads[cue] != predicate:
            yield from _about_predicate(tree, children, tree.heads[cue], cue)
    elif how in ("noun", "inverted"):
        yield from _about_noun(tree, children, target, predicate)
        if how == "inverted":
            yield from _about_predicate(tree, children, predicate_of(tree, cue), target)
        elif base(tree.deprels[target]) in SUBJECT:
            yield from _about_predicate(tree, children, tree.heads[target], target)
    elif how == "predicate":
        yield from _about_noun(tree, children, target, predicate)
        yield from _about_predicate(tree, children, target, cue)
    else:
        if tree.upos[target] in NOMINAL:
            yield from _about_noun(tree, children, target, predicate)
        yield from _about_conjuncts(tree, children, cue, predicate)


def _about_noun(
    tree: Tree, children: Children, noun: int, predicate: int
) -> Iterator[tuple[str, int]]:
    """Determiners, adjectives and participles of a noun, and the verbs of its relative clauses."""
    for child in children[noun]:
        relation = base(tree.deprels[child])
        if relation in ("det", "nummod", "clf"):
            yield "D", child
        elif relation in ("amod", "acl") and child != predicate:
            if relation == "acl" and is_finite(tree, children, child):
                yield from _about_clause(tree, children, child)
            else:  # a noun there has a value of its own (*being in your body*)
                joined = (each for each in children[child] if base(tree.deprels[each]) == "conj")
                yield from (("A", each) for each in (child, *joined) if not _is_nominal(tree, each))


def _about_clause(tree: Tree, children: Children, verb: int) -> Iterator[tuple[str, int]]:
    """The verb of a relative clause and its auxiliaries, where the noun is its subject."""
    subjects = [each for each in children[verb] if base(tree.deprels[each]) in SUBJECT]
    if all(_is_relative(tree, each) for each in subjects):
        yield "V", verb
        yield from (("V", each) for each in children[verb] if base(tree.deprels[each]) in AUXILIARY)
        yield from (("S", each) for each in subjects)


def _about_predicate(
    tree: Tree, children: Children, predicate: int, subject: int
) -> Iterator[tuple[str, int]]:
    """Subjects of a predicate other than `subject`, its auxiliaries, itself, its conjuncts."""
    if tree.upos[predicate] not in NOMINAL:
        yield "V" if tree.upos[predicate] in VERBAL else "A", predicate
    for child in children[predicate]:
        relation = base(tree.deprels[child])
        if relation in SUBJECT and child != subject:
            yield "S", child
        elif relation in AUXILIARY:
            yield "V", child
        elif relation == "det" and tree.upos[predicate] not in NOMINAL:
            yield "D", child
        elif (
            relation == "conj"
            and tree.upos[child] in (*VERBAL, "ADJ")
            and not any(base(tree.deprels[each]) in SUBJECT for each in children[child])
        ):
            yield "V" if tree.upos[child] in VERBAL else "A", child


def _about_conjuncts(
    tree: Tree, children: Children, cue: int, predicate: int
) -> Iterator[tuple[str, int]]:
    """What two coordinated words both agree with, and all that agrees with it."""
    first = first_conjunct(tree, predicate_of(tree, cue))
    for each in {first: None, predicate_of(tree, cue): None, predicate: None}:
        yield from _about_predicate(tree, children, each, -1)
        for child in children[each]:
            if base(tree.deprels[child]) in SUBJECT:
                yield from _about_noun(tree, children, child, predicate)
    noun = tree.heads[first]
    if noun >= 0 and base(tree.deprels[first]) in ("amod", "acl", "det"):
        yield "S", noun
        yield from _about_noun(tree, children, noun, predicate)


def _is_nominal(tree: Tree, node: int) -> bool:
    return tree.upos[node] in NOMINAL


def _is_relative(tree: Tree, node: int) -> bool:
    return value_of(tree.feats[node], "PronType") in RELATIVE
