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

from colorless_green.miner.tree import Sentence, Tree
from colorless_green.miner.view import SUBJECT, TreeView

Words: TypeAlias = Sentence | Tree
LinkKind: TypeAlias = tuple[str, ...]
"""Name of the place, then what may matter there, the most telling first."""

BINDING = 0.9  # share of agreeing pairs from which a place binds: the floor of the rule `tested`
CHANCE = 0.75  # below, it does not: unrelated nouns share their number in 55 to 65 % of the cases
ENOUGH = 10  # pairs from which a share is believed: `min_n` of the rule `tested`
TOLERATED = 0.15  # of the pairs with this controller; the rest are errors and coordinations
OBLIGATORY = ("modifier", "relative", "gap")  # agree wherever at all: less is annotation, and
# clauses without a subject that are about an object
COORDINATED = "coordinated"  # a subject with others: all have a say, or the nearest alone
MODIFIERS = frozenset({"det", "amod"})
PRONOUNS = frozenset({"PRON", "DET"})
PREDICATES = frozenset({"VERB", "AUX", "ADJ"})
NOMINAL = frozenset({"NOUN", "PROPN"})
SECONDARY = frozenset({"xcomp", "advcl"})  # clauses whose subject is an argument of the one above


class ConcordLink(NamedTuple):
    """A pair of words that agree if their place binds. Indices are words of the tree."""

    controller: int
    agreeing: int
    kind: LinkKind


def links(view: TreeView) -> Iterator[ConcordLink]:
    """Every pair of the sentence that stands in a place of agreement, whatever its FEATS."""
    for index, head in enumerate(view.heads):
        if head < 0 or head == index:
            continue
        relation = view.relations[index]
        if relation in MODIFIERS or (relation in ("nmod", "acl") and _modifies(view, index)):
            joined = view.dependents(index, "conj")  # *red and white*
            for modifier in (index, *(i for i in joined if view.upos[i] in ("ADJ", "DET", "VERB"))):
                yield ConcordLink(head, modifier, ("modifier", relation, view.upos[modifier]))
        if relation == "nmod":
            for marker in view.dependents(index, "case"):
                yield ConcordLink(head, marker, ("marker", view.upos[marker]))
        if relation == "nsubj":
            joined = view.dependents(index, "conj")
            name = COORDINATED if joined else "subject"
            yield from _predications(view, index, head, index, name)
        if relation == "acl":
            yield from _relative(view, index, head)
    for index, below in enumerate(view.children):
        if below and view.upos[index] in PREDICATES and not view.dependents(index, *SUBJECT):
            yield from _subjectless(view, index)


def _modifies(view: TreeView, index: int) -> bool:
    """Whether a noun's dependent is said of it as an adjective is: a possessive (*la sua casa*), or
    a participle that has no subject of its own."""
    if view.relations[index] == "nmod":
        return view.upos[index] in ("DET", "ADJ")
    is_form = view.upos[index] == "ADJ" or view.feature(index, "VerbForm") == "Part"
    return is_form and not view.dependents(index, "nsubj", "csubj", "cop")


def _predications(
    view: TreeView,
    controller: int,
    predicate: int,
    subject: int | None,
    name: str,
) -> Iterator[ConcordLink]:
    """What is said of a controller: the predicate with its auxiliaries and copula, the predicates
    joined to it, and those of the clauses below that have no subject of their own."""
    noun = controller if subject is None else subject
    case = view.feature(noun, "Case")  # an ergative agrees with nothing in Hindi
    case = "adposition" if view.dependents(noun, "case") else case
    for conjunct in _joined(view, predicate):
        helpers = view.dependents(conjunct, "aux", "cop")
        helper = view.lemmas[helpers[-1]] if helpers else ""  # French *ont été classées*: *être*
        for index in (conjunct, *helpers):
            form = view.feature(index, "VerbForm")
            role = view.relations[index] if index in helpers else "predicate"
            used = helper if index == conjunct else ""
            yield ConcordLink(controller, index, (name, case, role, view.upos[index], form, used))
        if view.dependents(conjunct, "obj"):
            continue  # *makes her happy*: said of the object
        for index in view.dependents(conjunct, *SECONDARY):
            if not view.dependents(index, "nsubj", "csubj", "obj", "aux", "mark"):
                form = view.feature(index, "VerbForm")
                yield ConcordLink(
                    controller,
                    index,
                    ("secondary", view.relations[index], view.upos[index], form),
                )


def _subjectless(view: TreeView, predicate: int) -> Iterator[ConcordLink]:
    """A predicate whose subject is not said, with its auxiliaries and what is joined to it."""
    for auxiliary in view.dependents(predicate, "aux", "cop"):
        helper, form = view.lemmas[auxiliary], view.feature(predicate, "VerbForm")
        yield ConcordLink(predicate, auxiliary, ("own", view.relations[auxiliary], form, helper))
    for conjunct in [*_joined(view, predicate)][1:]:
        if view.upos[conjunct] in PREDICATES:
            pair = [view.feature(one, "VerbForm") for one in (predicate, conjunct)]
            yield ConcordLink(predicate, conjunct, ("joined", *pair))


def _joined(view: TreeView, predicate: int) -> Iterator[int]:
    """A predicate and those joined to it that have no subject of their own."""
    yield predicate
    for conjunct in view.dependents(predicate, "conj"):
        if not view.dependents(conjunct, *SUBJECT):
            yield conjunct


def _relative(view: TreeView, clause: int, antecedent: int) -> Iterator[ConcordLink]:
    """Links from a noun into a clause about it: to the pronoun, and through it to the predicate
    whose subject it is; without a pronoun to a predicate that lacks a subject."""
    pronouns = _relative_pronouns(view, clause)
    for pronoun in pronouns:
        yield ConcordLink(
            antecedent, pronoun, ("relative", view.upos[pronoun], view.relations[pronoun])
        )
        if view.relations[pronoun] == "nsubj":
            head = view.heads[pronoun]
            yield from _predications(view, antecedent, head, pronoun, "antecedent")
    is_finite = view.feature(clause, "VerbForm") not in ("Part", "Inf")
    if not pronouns and is_finite and not view.dependents(clause, *SUBJECT):
        yield from _predications(view, antecedent, clause, None, "gap")


def _relative_pronouns(view: TreeView, clause: int) -> Sequence[int]:
    """The relative pronouns of a clause, not those of clauses about its own nouns; where none is
    called so, the first pronoun of which nothing else is said (Russian *который* in some
    treebanks)."""
    inside: list[int] = []
    waiting = [*view.children[clause]]
    while waiting:
        node = waiting.pop()
        if view.relations[node] not in ("acl", "parataxis"):
            inside.append(node)
            waiting += view.children[node]
    inside.sort()
    types = {word: view.feature(word, "PronType").split(",") for word in inside}
    relative = [word for word in inside if "Rel" in types[word]]
    if relative or not view.deprels[clause].endswith(":relcl"):
        return relative
    open_ended = (i for i in inside if view.upos[i] in PRONOUNS and types[i] in ([""], ["Int"]))
    return [*islice(open_ended, 1)]


@dataclass(frozen=True)
class Concord:
    """For a feature: kind of place, and every beginning of one → (value of the controller, of the
    other word) → pairs."""

    feature: str
    counts: Mapping[LinkKind, Mapping[tuple[str, str], int]]

    def _table(self, kind: LinkKind) -> Mapping[tuple[str, str], int]:
        """Pairs of a kind, or of the nearest more general one with enough of them."""
        for length in range(len(kind), 0, -1):
            table = self.counts.get(kind[:length], {})
            if sum(table.values()) >= ENOUGH:
                return table
        return {}

    def binds(self, kind: LinkKind) -> bool:
        """Whether words in such a place agree; true where the treebank tells nothing."""
        if kind[0] == COORDINATED:
            return False
        share = _share_of_equal(self._table(kind))
        return share >= BINDING or (kind[0] in OBLIGATORY and share >= CHANCE)

    def is_idle(self, kind: LinkKind) -> bool:
        """Whether words in such a place have nothing to do with each other."""
        return kind[0] != COORDINATED and _share_of_equal(self._table(kind)) < CHANCE

    def allows(self, kind: LinkKind, head_value: str, word_value: str) -> bool:
        """Whether, in a place that does not quite bind, a controller of the one value is seen with
        a word of the other often enough (*the boys are a problem*, not *the boy is problems*)."""
        table = self._table(kind)
        n = sum(count for (first, _), count in table.items() if first == head_value)
        return n > 0 and table.get((head_value, word_value), 0) >= TOLERATED * n


def _share_of_equal(table: Mapping[tuple[str, str], int]) -> float:
    n = sum(table.values())
    return sum(count for (one, other), count in table.items() if one == other) / n if n else 1.0


def concord_of(sentences: Iterable[Words], feature: str) -> Concord:
    """How often the words of each place have which values of a feature that both carry."""
    counts: dict[LinkKind, Counter[tuple[str, str]]] = {}
    for words in sentences:
        view = TreeView(words)
        for controller, agreeing, kind in links(view):
            head_value = view.value(controller, feature)
            word_value = view.value(agreeing, feature)
            if head_value is None or word_value is None:
                continue
            for length in range(1, len(kind) + 1):
                counts.setdefault(kind[:length], Counter())[(head_value, word_value)] += 1
    return Concord(feature, counts)


@dataclass(frozen=True, slots=True)
class ConcordGroup:
    """The words that have one value together, in order, and what holds them."""

    members: tuple[int, ...]
    controllers: Mapping[int, int]  # agreeing word → the noun (or other word) it agrees with
    loose: tuple[tuple[int, int, LinkKind], ...]  # pairs that often, but not always, have one value
    idle: frozenset[int]  # words that stand where others agree, but they do not
    untold: frozenset[int]  # words that agree with one that does not carry the feature
    clash: str  # a member and a word that ought to agree with it and does not; or nothing


def group_of(view: TreeView, node: int, concord: Concord, target: int = -1) -> ConcordGroup:
    """All that has the value of `node` because of it, through any number of links."""
    bonds: dict[int, list[int]] = {}
    clashes: dict[int, int] = {}
    controllers: dict[int, int] = {}
    loose: list[tuple[int, int, LinkKind]] = []
    idle: set[int] = set()
    untold: set[int] = set()
    for controller, agreeing, kind in links(view):
        head_value = view.value(controller, concord.feature)
        word_value = view.value(agreeing, concord.feature)
        if head_value is None and word_value is not None and controller != target:
            untold.add(agreeing)
        if head_value is None or word_value is None:
            continue
        # where its place does not quite bind, a word with the controller's value follows it; but a
        # noun, or what agrees with several, may have had the value for its own sake
        nominal = view.upos[agreeing] in NOMINAL or view.upos[agreeing] == "PRON"
        follows = head_value == word_value and not nominal and kind[0] != COORDINATED
        if concord.is_idle(kind):
            idle.add(agreeing)
        elif not (follows or concord.binds(kind)):
            loose.append((controller, agreeing, kind))
        elif head_value == word_value or target in (controller, agreeing):
            bonds.setdefault(controller, []).append(agreeing)
            bonds.setdefault(agreeing, []).append(controller)
            controllers.setdefault(agreeing, controller)
        elif kind[0] != "gap":  # a clause about an object: its subject is not said
            clashes[controller], clashes[agreeing] = agreeing, controller
    value = view.value(node, concord.feature)
    members, waiting = {node}, [node]
    while waiting:
        for linked in bonds.get(waiting.pop(), ()):
            fits = linked == target or view.value(linked, concord.feature) == value
            if fits and linked not in members:
                members.add(linked)
                waiting.append(linked)
    group = tuple(sorted(members))
    clash = next((f"{view.forms[i]}, {view.forms[clashes[i]]}" for i in group if i in clashes), "")
    return ConcordGroup(group, controllers, tuple(loose), frozenset(idle), frozenset(untold), clash)
