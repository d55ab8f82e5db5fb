"""Which words of a tree may agree with which, and how far a treebank bears each kind of it out.

A noun takes its determiners, adjectives and participles along, its predicate and all that is
conjoined with it, and inside a relative clause the pronoun and what that is the subject of. The
places are those of Universal Dependencies; whether the words there agree is for the treebank to
say: the participle after Italian *avere* agrees with nothing, the one after *essere* always; Welsh
verbs stay singular before a noun; Hindi postpositions agree with what is possessed. Words that have
one value together, through any number of such links, are a *group*.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple, TypeAlias

from colorless_green.miner.features import value_of
from colorless_green.miner.tree import Sentence, Tree

Words: TypeAlias = Sentence | Tree
Kind: TypeAlias = tuple[str, ...]
"""Name of the place, then what may matter there, the most telling first."""

BINDING = 0.9  # share of agreeing pairs from which a place binds: the floor of the rule `tested`
CHANCE = 0.75  # below, it does not: unrelated nouns share their number in 55 to 65 % of the cases
ENOUGH = 10  # pairs from which a share is believed: `min_n` of the rule `tested`
TOLERATED = 0.15  # of the pairs with this controller; the rest are errors and coordinations
OBLIGATORY = ("modifier", "relative", "gap")  # agree wherever at all: less is annotation, and
# clauses without a subject that are about an object
COORDINATED = "coordinated"  # a subject with others: all have a say, or the nearest alone
MODIFIERS = frozenset({"det", "amod"})
SUBJECTS = frozenset({"nsubj", "csubj"})
PRONOUNS = frozenset({"PRON", "DET"})
PREDICATES = frozenset({"VERB", "AUX", "ADJ"})
NOMINAL = frozenset({"NOUN", "PROPN"})
SECONDARY = frozenset({"xcomp", "advcl"})  # clauses whose subject is an argument of the one above


class Link(NamedTuple):
    """A pair of words that agree if their place binds. Indices are words of the tree."""

    controller: int
    agreeing: int
    kind: Kind


def relation(words: Words, index: int) -> str:
    """The universal part of a word's relation."""
    return words.deprels[index].partition(":")[0]


def children_of(words: Words) -> Sequence[Sequence[int]]:
    """For each word its dependents, in order."""
    table: list[list[int]] = [[] for _ in words.heads]
    for index, head in enumerate(words.heads):
        if head >= 0 and head != index:
            table[head].append(index)
    return table


def links(words: Words) -> Iterator[Link]:
    """Every pair of the sentence that stands in a place of agreement, whatever its FEATS."""
    children = children_of(words)
    for index, head in enumerate(words.heads):
        if head < 0 or head == index:
            continue
        own = relation(words, index)
        if own in MODIFIERS or (own in ("nmod", "acl") and _modifies(words, children, index)):
            joined = _below(words, children, index, "conj")  # *red and white*
            for each in (index, *(i for i in joined if words.upos[i] in ("ADJ", "DET", "VERB"))):
                yield Link(head, each, ("modifier", own, words.upos[each]))
        if own == "nmod":
            for each in _below(words, children, index, "case"):
                yield Link(head, each, ("marker", words.upos[each]))
        if own == "nsubj":
            joined = _below(words, children, index, "conj")
            name = COORDINATED if joined else "subject"
            yield from _predications(words, children, index, head, index, name)
        if own == "acl":
            yield from _relative(words, children, index, head)
    for index, below in enumerate(children):
        if (
            below
            and words.upos[index] in PREDICATES
            and not _below(words, children, index, *SUBJECTS)
        ):
            yield from _subjectless(words, children, index)


def _below(
    words: Words, children: Sequence[Sequence[int]], index: int, *wanted: str
) -> Sequence[int]:
    return [each for each in children[index] if relation(words, each) in wanted]


def _modifies(words: Words, children: Sequence[Sequence[int]], index: int) -> bool:
    """Whether a noun's dependent is said of it as an adjective is: a possessive (*la sua casa*), or
    a participle that has no subject of its own."""
    if relation(words, index) == "nmod":
        return words.upos[index] in ("DET", "ADJ")
    is_form = words.upos[index] == "ADJ" or value_of(words.feats[index], "VerbForm") == "Part"
    return is_form and not _below(words, children, index, "nsubj", "csubj", "cop")


def _predications(
    words: Words,
    children: Sequence[Sequence[int]],
    controller: int,
    predicate: int,
    subject: int | None,
    name: str,
) -> Iterator[Link]:
    """What is said of a controller: the predicate with its auxiliaries and copula, the predicates
    joined to it, and those of the clauses below that have no subject of their own."""
    noun = controller if subject is None else subject
    case = value_of(words.feats[noun], "Case") or ""  # an ergative agrees with nothing in Hindi
    case = "adposition" if _below(words, children, noun, "case") else case
    for each in _joined(words, children, predicate):
        helpers = _below(words, children, each, "aux", "cop")
        helper = words.lemmas[helpers[-1]] if helpers else ""  # French *ont été classées*: *être*
        for index in (each, *helpers):
            form = value_of(words.feats[index], "VerbForm") or ""
            role = relation(words, index) if index in helpers else "predicate"
            used = helper if index == each else ""
            yield Link(controller, index, (name, case, role, words.upos[index], form, used))
        if _below(words, children, each, "obj"):
            continue  # *makes her happy*: said of the object
        for index in _below(words, children, each, *SECONDARY):
            if not _below(words, children, index, "nsubj", "csubj", "obj", "aux", "mark"):
                form = value_of(words.feats[index], "VerbForm") or ""
                yield Link(
                    controller,
                    index,
                    ("secondary", relation(words, index), words.upos[index], form),
                )


def _subjectless(words: Words, children: Sequence[Sequence[int]], predicate: int) -> Iterator[Link]:
    """A predicate whose subject is not said, with its auxiliaries and what is joined to it."""
    for each in _below(words, children, predicate, "aux", "cop"):
        helper, form = words.lemmas[each], value_of(words.feats[predicate], "VerbForm") or ""
        yield Link(predicate, each, ("own", relation(words, each), form, helper))
    for each in [*_joined(words, children, predicate)][1:]:
        if words.upos[each] in PREDICATES:
            pair = [value_of(words.feats[one], "VerbForm") or "" for one in (predicate, each)]
            yield Link(predicate, each, ("joined", *pair))


def _joined(words: Words, children: Sequence[Sequence[int]], predicate: int) -> Iterator[int]:
    """A predicate and those joined to it that have no subject of their own."""
    yield predicate
    for each in _below(words, children, predicate, "conj"):
        if not _below(words, children, each, *SUBJECTS):
            yield each


def _relative(
    words: Words, children: Sequence[Sequence[int]], clause: int, antecedent: int
) -> Iterator[Link]:
    """Links from a noun into a clause about it: to the pronoun, and through it to the predicate
    whose subject it is; without a pronoun to a predicate that lacks a subject."""
    pronouns = _relative_pronouns(words, children, clause)
    for each in pronouns:
        yield Link(antecedent, each, ("relative", words.upos[each], relation(words, each)))
        if relation(words, each) == "nsubj":
            head = words.heads[each]
            yield from _predications(words, children, antecedent, head, each, "antecedent")
    is_finite = value_of(words.feats[clause], "VerbForm") not in ("Part", "Inf")
    if not pronouns and is_finite and not _below(words, children, clause, *SUBJECTS):
        yield from _predications(words, children, antecedent, clause, None, "gap")


def _relative_pronouns(
    words: Words, children: Sequence[Sequence[int]], clause: int
) -> Sequence[int]:
    """The relative pronouns of a clause, not those of clauses about its own nouns; where none is
    called so, the first pronoun of which nothing else is said (Russian *который* in some
    treebanks)."""
    inside: list[int] = []
    waiting = [*children[clause]]
    while waiting:
        each = waiting.pop()
        if relation(words, each) not in ("acl", "parataxis"):
            inside.append(each)
            waiting += children[each]
    inside.sort()
    types = {each: (value_of(words.feats[each], "PronType") or "").split(",") for each in inside}
    found = [each for each in inside if "Rel" in types[each]]
    if found or not words.deprels[clause].endswith(":relcl"):
        return found
    open_ended = (i for i in inside if words.upos[i] in PRONOUNS and types[i] in ([""], ["Int"]))
    return [*islice(open_ended, 1)]


@dataclass(frozen=True)
class Concord:
    """For a feature: kind of place, and every beginning of one → (value of the controller, of the
    other word) → pairs."""

    feature: str
    counts: Mapping[Kind, Mapping[tuple[str, str], int]]

    def _table(self, kind: Kind) -> Mapping[tuple[str, str], int]:
        """Pairs of a kind, or of the nearest more general one with enough of them."""
        for length in range(len(kind), 0, -1):
            table = self.counts.get(kind[:length], {})
            if sum(table.values()) >= ENOUGH:
                return table
        return {}

    def binds(self, kind: Kind) -> bool:
        """Whether words in such a place agree; true where the treebank tells nothing."""
        if kind[0] == COORDINATED:
            return False
        share = _share_of_equal(self._table(kind))
        return share >= BINDING or (kind[0] in OBLIGATORY and share >= CHANCE)

    def is_idle(self, kind: Kind) -> bool:
        """Whether words in such a place have nothing to do with each other."""
        return kind[0] != COORDINATED and _share_of_equal(self._table(kind)) < CHANCE

    def allows(self, kind: Kind, ours: str, theirs: str) -> bool:
        """Whether, in a place that does not quite bind, a controller of the one value is seen with
        a word of the other often enough (*the boys are a problem*, not *the boy is problems*)."""
        table = self._table(kind)
        n = sum(count for (first, _), count in table.items() if first == ours)
        return n > 0 and table.get((ours, theirs), 0) >= TOLERATED * n


def _share_of_equal(table: Mapping[tuple[str, str], int]) -> float:
    n = sum(table.values())
    return sum(count for (ours, theirs), count in table.items() if ours == theirs) / n if n else 1.0


def concord_of(sentences: Iterable[Words], feature: str) -> Concord:
    """How often the words of each place have which values of a feature that both carry."""
    counts: dict[Kind, Counter[tuple[str, str]]] = {}
    for words in sentences:
        for controller, agreeing, kind in links(words):
            ours = value_of(words.feats[controller], feature)
            theirs = value_of(words.feats[agreeing], feature)
            if ours is None or theirs is None:
                continue
            for length in range(1, len(kind) + 1):
                counts.setdefault(kind[:length], Counter())[(ours, theirs)] += 1
    return Concord(feature, counts)


@dataclass(frozen=True, slots=True)
class Group:
    """The words that have one value together, in order, and what holds them."""

    members: tuple[int, ...]
    controllers: Mapping[int, int]  # agreeing word → the noun (or other word) it agrees with
    loose: tuple[tuple[int, int, Kind], ...]  # pairs that often, but not always, have one value
    idle: frozenset[int]  # words that stand where others agree, but they do not
    untold: frozenset[int]  # words that agree with one that does not carry the feature
    clash: str  # a member and a word that ought to agree with it and does not; or nothing


def _may_follow(upos: str, kind: Kind) -> bool:
    """Whether a word that has the controller's value follows it where its place does not quite
    bind: a noun, or what agrees with several, may have had the value for its own sake."""
    return upos not in NOMINAL and upos != "PRON" and kind[0] != COORDINATED


def group_of(tree: Tree, node: int, concord: Concord, target: int = -1) -> Group:
    """All that has the value of `node` because of it, through any number of links."""
    bonds: dict[int, list[int]] = {}
    clashes: dict[int, int] = {}
    controllers: dict[int, int] = {}
    loose: list[tuple[int, int, Kind]] = []
    idle: set[int] = set()
    untold: set[int] = set()
    for controller, agreeing, kind in links(tree):
        ours = value_of(tree.feats[controller], concord.feature)
        theirs = value_of(tree.feats[agreeing], concord.feature)
        if ours is None and theirs is not None and controller != target:
            untold.add(agreeing)
        if ours is None or theirs is None:
            continue
        if concord.is_idle(kind):
            idle.add(agreeing)
        elif not (
            concord.binds(kind) or (ours == theirs and _may_follow(tree.upos[agreeing], kind))
        ):
            loose.append((controller, agreeing, kind))
        elif ours == theirs or target in (controller, agreeing):
            bonds.setdefault(controller, []).append(agreeing)
            bonds.setdefault(agreeing, []).append(controller)
            controllers.setdefault(agreeing, controller)
        elif kind[0] != "gap":  # a clause about an object: its subject is not said
            clashes[controller], clashes[agreeing] = agreeing, controller
    value = value_of(tree.feats[node], concord.feature)
    found = {node}
    waiting = [node]
    while waiting:
        for each in bonds.get(waiting.pop(), ()):
            fits = each == target or value_of(tree.feats[each], concord.feature) == value
            if fits and each not in found:
                found.add(each)
                waiting.append(each)
    members = tuple(sorted(found))
    clash = next(
        (f"{tree.forms[i]}, {tree.forms[clashes[i]]}" for i in members if i in clashes), ""
    )
    return Group(members, controllers, tuple(loose), frozenset(idle), frozenset(untold), clash)
