"""A pair in its sentence, as the tests for doubts look at it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files

from colorless_green.miner.cues.leaks import PLURALS, NodeLeak, leaks_of
from colorless_green.miner.cues.readings import Forms, Reading, carried
from colorless_green.miner.cues.telling import Telling
from colorless_green.miner.cues.ties import (
    AUXILIARY,
    SUBJECT,
    Children,
    Tie,
    base,
    children_of,
    first_below,
    first_conjunct,
    frontier,
    is_finite,
    is_finite_form,
    predicate_of,
    tie,
)
from colorless_green.miner.features import conflict, value_of
from colorless_green.miner.tree import Tree

OTHER_NUMBER = {"Sing": "Plur", "Plur": "Sing"}
PERSONS = ("1", "2", "3")
NOTHING = -1  # no clause begins at the target: what it belongs to is open


@dataclass(frozen=True)
class Place:
    """Cue and target as words of a tree, the two forms (words, without what a multiword token
    adds), and what the treebank shows of all forms. What several tests ask is worked out once."""

    tree: Tree
    cue: int
    target: int
    feature: str
    value: str
    right: str
    wrong: str
    lemma: str
    forms: Forms
    language: str  # without region
    telling: Telling | None = None

    @cached_property
    def children(self) -> Children:
        """Dependents of each word."""
        return children_of(self.tree)

    @cached_property
    def predicate(self) -> int:
        """The target, or the word it is an auxiliary or copula of."""
        return predicate_of(self.tree, self.target)

    @cached_property
    def tie(self) -> Tie:
        """What the target is to the cue."""
        return tie(self.tree, self.children, self.cue, self.target)

    @cached_property
    def upos(self) -> str:
        """The target's part of speech."""
        return self.tree.upos[self.target]

    @cached_property
    def feats(self) -> str:
        """The target's FEATS."""
        return self.tree.feats[self.target]

    @cached_property
    def verbal(self) -> bool:
        """Whether the target is a finite verb, auxiliary or copula (not a participle)."""
        copula = base(self.tree.deprels[self.target]) == "cop"
        return copula or is_finite_form(self.upos, self.feats)

    @cached_property
    def wrong_readings(self) -> Sequence[Reading]:
        """What the wrong form can be as a form of the target's lemma and part of speech."""
        return self.forms.readings(self.wrong, self.upos, self.lemma)

    @cached_property
    def other(self) -> str:
        """The value of the wrong form; empty where nothing tells it."""
        counts: dict[str, int] = {}
        for each in self.wrong_readings:
            value = carried(each.feats, self.feature)
            if value not in (None, self.value):
                counts[value] = counts.get(value, 0) + each.n
        if counts:
            return max(counts, key=lambda value: counts[value])
        return OTHER_NUMBER.get(self.value, "")

    @cached_property
    def pluralised(self) -> bool:
        """Whether the wrong form is a plural, the right one a singular."""
        return self.other in PLURALS and self.value not in PLURALS

    @cached_property
    def leaks(self) -> tuple[NodeLeak, ...]:
        """Words beside the cue that tell the value."""
        return leaks_of(
            self.tree,
            self.children,
            self.cue,
            self.target,
            self.feature,
            self.value,
            self.forms,
            self.telling,
        )

    @cached_property
    def bound(self) -> bool:
        """Whether a word before the target, of the same phrase, lets only the right form follow: an
        auxiliary or copula of the same predicate, or a determiner or adjective of a noun."""
        if self.predicate == self.cue:
            return False
        kin = (self.predicate, *self.children_of(self.predicate, *AUXILIARY, "det"))
        if self.upos in ("NOUN", "PROPN") and self.tie != "noun":
            kin = (*kin, *self.children[self.target])
        if self.tie == "noun":
            return any(each.node > self.cue for each in self.leaks)
        return any(each.node in kin for each in self.leaks)

    @cached_property
    def own_subject(self) -> int:
        """The first subject of the target's predicate; −1 if it has none of its own."""
        for child in self.children[self.predicate]:
            if base(self.tree.deprels[child]) in SUBJECT:
                return child
        return -1

    @cached_property
    def clause_start(self) -> int:
        """The first word of the clause that the target is the predicate of, or belongs to."""
        return first_below(self.tree, self.predicate)

    @cached_property
    def open_words(self) -> tuple[int, ...]:
        """What the target, or for a relative clause the clause, could hang on, or go on: nearest
        first."""
        if self.tie == "subject":
            return frontier(self.tree, self.target, NOTHING)
        if self.tie == "relative":
            return frontier(self.tree, self.clause_start, self.predicate)
        return frontier(self.tree, self.target, self.predicate)

    @cached_property
    def open_nominals(self) -> tuple[int, ...]:
        """Of these, the nouns the target could be said of: up to the first finite verb."""
        found: list[int] = []
        for each in self.open_words:
            if self.tree.upos[each] in ("NOUN", "PROPN", "PRON", "NUM", "SYM"):
                found.append(each)
            elif self.tree.upos[each] in ("VERB", "AUX") and is_finite(
                self.tree, self.children, each
            ):
                break
        return tuple(found)

    def told(self, node: int) -> str | None:
        """A word's value; where FEATS do not say, that of its determiner, adjective or participle,
        and a name is a singular."""
        value = carried(self.tree.feats[node], self.feature)
        if value is not None:
            return value
        for child in self.children_of(node, "det", "amod", "acl"):
            if child < self.target and (told := carried(self.tree.feats[child], self.feature)):
                return told
        is_name = self.tree.upos[node] == "PROPN" and self.feature == "Number"
        return "Sing" if is_name else None

    def agrees_with(self, node: int) -> bool:
        """Whether the wrong form could agree with a word: in the feature, and neither Gender nor
        Animacy speak against it."""
        if self.told(node) != self.other:
            return False
        feats = self.tree.feats[node]
        readings = [
            each.feats
            for each in self.wrong_readings
            if carried(each.feats, self.feature) == self.other
        ]
        return any(not conflict(each, feats) for each in readings or [self.feats])

    def children_of(self, node: int, *relations: str) -> list[int]:
        """Dependents of a word with one of these relations, subtypes aside."""
        return [each for each in self.children[node] if base(self.tree.deprels[each]) in relations]

    def below(self, node: int, low: int, high: int) -> list[int]:
        """Words from `low` to before `high` that hang below a word (itself included)."""
        stack, found = [node], []
        for _ in range(len(self.tree)):  # heads that run in a circle would never end it
            if not stack:
                break
            index = stack.pop()
            if low <= index < high:
                found.append(index)
            stack += self.children[index]
        return sorted(found)

    def with_case_alike(self, node: int) -> bool:
        """Whether a noun and its determiners and adjectives could be a subject and an object alike,
        by spelling (German *die Aufträge*, not *der Auftrag*)."""
        tree = self.tree
        kin = (each for each in self.children[node] if tree.upos[each] in ("DET", "ADJ", "NUM"))
        phrase = [node, *(each for each in kin if value_of(tree.feats[each], "Case") == "Nom")]
        return all(
            self.forms.either_case(tree.forms[each], tree.upos[each], tree.feats[each])
            for each in phrase
            if each < self.target
        )

    @cached_property
    def has_case(self) -> bool:
        """Whether the cue is marked for case."""
        return value_of(self.tree.feats[self.cue], "Case") is not None

    @cached_property
    def cue_person(self) -> str:
        """The person that the target must have."""
        own = value_of(self.feats, "Person")
        if own in PERSONS:
            return own
        cue = value_of(self.tree.feats[self.cue], "Person")
        return cue if cue in PERSONS and self.tree.upos[self.cue] == "PRON" else "3"

    def fits_person(self, feats: str) -> bool:
        """Whether a reading does not contradict the person the target must have."""
        return value_of(feats, "Person") in (None, self.cue_person)

    @cached_property
    def controller(self) -> int:
        """The noun that the target agrees with: the cue, where it is one; −1 if it is not there."""
        if self.tie in ("subject", "relative", "attribute"):
            return self.cue
        if self.tie in ("noun", "inverted", "predicate"):
            return self.target
        first = first_conjunct(self.tree, predicate_of(self.tree, self.cue))
        for predicate in (self.predicate, first):
            for child in self.children_of(predicate, *SUBJECT):
                if child < self.target:
                    return child
        return -1

    def listed(self, kind: str) -> frozenset[str]:
        """Lemmas of a kind in the place's language."""
        return words(kind, self.language)

    def among(self, kind: str) -> bool:
        """Whether the place's language is one of a kind."""
        return self.language in languages(kind)


@cache
def _table() -> Mapping[str, Mapping[str, Sequence[str]]]:
    import tomllib

    text = (files("colorless_green.nonce.doubts") / "languages.toml").read_text(encoding="utf-8")
    table: dict[str, dict[str, list[str]]] = tomllib.loads(text)
    return table


@cache
def languages(kind: str) -> frozenset[str]:
    """Languages of a kind, from `languages.toml`."""
    return frozenset(_table()["languages"][kind])


@cache
def words(kind: str, language: str) -> frozenset[str]:
    """Lemmas of a kind in a language, from `languages.toml`; none where it has no list."""
    return frozenset(_table()[kind].get(language, ()))
