"""Sentences as columns: the words of many sentences in one row of arrays, every string as a code.

What is asked of each word of a treebank (its relation, its POS, one of its features) is worked out
once for each distinct string and then read off for whole columns, so that a search along paths
costs a few array operations for hundreds of sentences instead of a walk through each.
"""

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...data.arrays import Integers, Truths, range_indices
from ...data.items.features import parse_feats
from ..treebank.surface import CORRECT_FORM, Surface, misspelt
from .pattern import ABSENT, WordConditions, matches


class StringCodes(dict[str, int]):
    """String → code, counted in the order first seen; and what functions say of each string."""

    def __init__(self) -> None:
        super().__init__()
        self._tables: dict[object, NDArray[Any]] = {}

    def __missing__(self, text: str) -> int:
        self[text] = code = len(self)
        return code

    def by_code(
        self, name: object, function: Callable[[str], Any], dtype: type = bool
    ) -> NDArray[Any]:
        """Return what the function of this name says of each string, indexed by codes."""
        cached = self._tables.get(name)
        if cached is None or len(cached) < len(self):
            old = np.empty(0, dtype) if cached is None else cached
            new = [function(text) for text in islice(self, len(old), None)]
            cached = self._tables[name] = np.concatenate([old, np.array(new, dtype)])
        return cached


class Strings(NamedTuple):
    """The distinct strings of a treebank, and what is known of them; shared by all its blocks."""

    upos: StringCodes
    deprels: StringCodes
    feats: StringCodes


class Arcs(NamedTuple):
    """Dependencies as columns, sentence by sentence in the order in which the released scripts look
    at them."""

    dependent: Integers
    head: Integers
    ghost: Integers  # the ghost's word in its sentence, or −1

    def where(self, rows: Integers | Truths) -> "Arcs":
        """Return some of the rows."""
        return Arcs(self.dependent[rows], self.head[rows], self.ghost[rows])


NO_ARCS = Arcs(*np.empty((3, 0), np.int64))


class Block:
    """The words of some sentences, added one by one; indices count through all of them.

    Of a sentence only what is looked up again is kept, and at once as codes: hundreds of whole
    sentences held in memory would cost a third of the time of reading them.
    """

    def __init__(self, strings: Strings) -> None:
        self.strings = strings
        self.lengths: list[int] = []
        self.numbers: list[int] = []  # of the sentences in their file, or part of it
        self.forms: list[tuple[str, ...]] = []
        self.lemmas: list[tuple[str, ...]] = []
        self.merged: dict[int, Surface] = {}  # sentences whose arcs are listed
        self.misspelt: list[int] = []  # words that MISC corrects
        self.sources: dict[tuple[str, int], int] = {}  # (feature, noun) → word that tells its value
        self._rows = [array("q") for _ in range(4)]
        self._tokens: dict[int, tuple[int, ...]] = {}  # where words share theirs
        self._columns: dict[object, NDArray[Any]] = {}

    def add(self, surface: Surface) -> None:
        """Add the next sentence."""
        heads, upos, deprels, feats = self._rows
        strings = self.strings
        if surface.arcs is not None:
            self.merged[len(self.lengths)] = surface
        if surface.tokens is not None:
            self._tokens[len(self.lengths)] = surface.tokens
        start = len(heads)
        self.lengths.append(len(surface.heads))
        self.numbers.append(surface.sentence.number)
        heads.extend(surface.heads)
        upos.extend(map(strings.upos.__getitem__, surface.upos))
        feats.extend(map(strings.feats.__getitem__, surface.feats))
        if CORRECT_FORM in "".join(surface.sentence.misc) or surface.sentence.ranges:
            self.misspelt += [start + row for row in misspelt(surface)]
        deprels.extend(map(strings.deprels.__getitem__, surface.deprels))
        self.forms.append(surface.forms)
        self.lemmas.append(surface.lemmas)

    @cached_property
    def starts(self) -> Integers:
        """The first word of each sentence, and the end."""
        return np.cumsum([0, *self.lengths])

    @cached_property
    def sentence(self) -> Integers:
        """The sentence of each word."""
        return np.repeat(np.arange(len(self.lengths)), np.diff(self.starts))

    @cached_property
    def heads(self) -> Integers:
        """The head of each word, −1 for a root."""
        heads = np.array(self._rows[0])
        return np.where(heads < 0, -1, heads + self.starts[self.sentence])

    @cached_property
    def tokens(self) -> Integers:
        """Positions as the text has them: the words of a multiword token share theirs."""
        tokens = np.arange(len(self))
        for number, positions in self._tokens.items():
            start = self.starts[number]
            tokens[start : start + len(positions)] = start + np.array(positions)
        return tokens

    @cached_property
    def upos(self) -> Integers:
        """Codes of the POS."""
        return np.array(self._rows[1])

    @cached_property
    def deprels(self) -> Integers:
        """Codes of the relations."""
        return np.array(self._rows[2])

    @cached_property
    def feats(self) -> Integers:
        """Codes of the FEATS."""
        return np.array(self._rows[3])

    def __len__(self) -> int:
        return len(self.heads)

    def once(self, name: object, work_out: Callable[[], NDArray[Any]]) -> NDArray[Any]:
        """Return a column of this name, which is worked out once a block."""
        column = self._columns.get(name)
        if column is None:
            column = self._columns[name] = work_out()
        return column

    def has_relation(self, labels: frozenset[str]) -> Truths:
        """Tell which words have one of these relations; `nsubj` stands for its subtypes too."""
        return self.once(("deprel", labels), lambda: self.are_relations(self.deprels, labels))

    def are_relations(self, deprels: Integers, labels: frozenset[str]) -> Truths:
        """Tell which relations of a column are among these."""
        return self.strings.deprels.by_code(labels, lambda text: matches(text, labels))[deprels]

    def has_upos(self, tags: frozenset[str]) -> Truths:
        """Tell which words have one of these POS."""
        return self.once(("upos", tags), lambda: self.are_upos(self.upos, tags))

    def are_upos(self, upos: Integers, tags: frozenset[str]) -> Truths:
        """Tell which POS of a column are among these."""
        return self.strings.upos.by_code(tags, tags.__contains__)[upos]

    def has_feats(self, conditions: Mapping[str, frozenset[str]]) -> Truths:
        """Tell which words have for every name one of the values; "" is a word without it."""

        def fit(text: str) -> bool:
            feats = parse_feats(text)
            for key, values in conditions.items():  # noqa: SIM110  # half the time of all()
                if feats.get(key, ABSENT) not in values:
                    return False
            return True

        name = ("feats", tuple(sorted(conditions.items())))
        return self.once(name, lambda: self.strings.feats.by_code(name, fit)[self.feats])

    def has_child(self, labels: frozenset[str]) -> Truths:
        """Tell which words have a dependent with one of these relations."""

        def work_out() -> Truths:
            mask = np.zeros(len(self), bool)
            mask[self.heads[self.children(labels)]] = True
            return mask

        return self.once(("child", labels), work_out)

    def children(self, labels: frozenset[str]) -> Integers:
        """Return the dependents with one of these relations (with any, where there are none),
        sister beside sister."""

        def work_out() -> Integers:
            chosen = (self.heads >= 0) & (self.heads != np.arange(len(self)))
            if labels:
                chosen &= self.has_relation(labels)
            words = np.flatnonzero(chosen)
            return words[np.argsort(self.heads[words], kind="stable")]

        return self.once(("children", labels), work_out)

    def fits(self, word: WordConditions) -> Truths:
        """Tell which words meet a condition."""
        mask = np.ones(len(self), bool)
        if word.upos:
            mask &= self.has_upos(word.upos)
        if word.feats:
            mask &= self.has_feats(word.feats)
        if word.deprel:
            mask &= self.has_relation(word.deprel)
        for relation in word.has:
            mask &= self.has_child(frozenset({relation}))
        if word.lacks:
            mask &= ~self.has_child(word.lacks)
        if word.lemma:
            for index in np.flatnonzero(mask).tolist():
                mask[index] = self.lemma(index) in word.lemma
        return mask

    def lemma(self, index: int) -> str:
        """Return the lemma of a word."""
        number = int(self.sentence[index])
        return self.lemmas[number][index - int(self.starts[number])]

    def lowercase_forms(self, words: Integers) -> list[str]:
        """Return the forms of words, in small letters."""
        numbers = self.sentence[words]
        positions = words - self.starts[numbers]
        pairs = zip(numbers.tolist(), positions.tolist(), strict=True)
        return [self.forms[number][position].lower() for number, position in pairs]

    def annotated_lemmas(self, words: Integers) -> list[str]:
        """Return the lemmas of words; of words without one, the form in small letters."""
        pairs = zip(map(self.lemma, words.tolist()), self.lowercase_forms(words), strict=True)
        return [form if lemma == "_" else lemma for lemma, form in pairs]

    def meets(self, words: Integers, stop: Callable[[Integers, Integers], Truths]) -> Truths:
        """Tell from which of `words` the way up meets a word of which `stop` (the numbers of those
        still on their way, where they are) says so; the word itself counts."""
        met = np.zeros(len(words), bool)
        active, current = np.arange(len(words)), words
        for _ in range(int(np.diff(self.starts).max(initial=0)) + 1):
            stopped = stop(active, current)
            met[active[stopped]] = True
            up = self.heads[current]
            going = ~stopped & (up >= 0) & (up != current)
            active, current = active[going], up[going]
            if not len(current):
                break
        return met

    def dependent_columns(self, arcs: Arcs) -> tuple[Integers, Integers, Integers]:
        """Return POS, relation and FEATS of the dependents, as codes: a ghost's are its own."""
        columns = [
            column[np.minimum(arcs.dependent, len(self) - 1)]
            for column in (self.upos, self.deprels, self.feats)
        ]
        strings = self.strings
        for row in np.flatnonzero(arcs.ghost >= 0):
            sentence = self.merged[int(self.sentence[arcs.head[row]])].sentence
            word = int(arcs.ghost[row])
            columns[0][row] = strings.upos[sentence.upos[word]]
            columns[1][row] = strings.deprels[sentence.deprels[word]]
            columns[2][row] = strings.feats[sentence.feats[word]]
        return columns[0], columns[1], columns[2]


@dataclass(slots=True)
class InstanceColumns:
    """The instances of a block as columns, in the order of the sentences; in a sentence those of
    the paths come first. Words are counted through the block."""

    controller: Integers  # an arc's dependent
    agreeing: Integers  # an arc's head
    ghost: Integers
    pattern: Integers  # −1: found as a dependency
    upos: Integers  # the controller's own, also where it is a ghost
    deprels: Integers
    kind: Integers  # (controller's feature, agreeing word's feature), in `Finder.kinds`
    value: Integers  # the controller's value, in `Finder.values`
    agreed: Integers  # the agreeing word's value
    ambiguous: Truths  # one of the two has several values
    feature: NDArray[np.str_]  # what is compared, as the controller carries it

    def __len__(self) -> int:
        return len(self.controller)

    @property
    def columns(self) -> Iterator[NDArray[Any]]:
        """All of them, in their order."""
        return (getattr(self, name) for name in self.__slots__)

    def where(self, rows: Integers | Truths) -> "InstanceColumns":
        """Return some of the rows."""
        return InstanceColumns(*(column[rows] for column in self.columns))

    @property
    def forward(self) -> Truths:
        """True where the controller is the cue."""
        return self.controller < self.agreeing

    @property
    def ends(self) -> tuple[Integers, Integers]:
        """Cue and target."""
        return np.minimum(self.controller, self.agreeing), np.maximum(
            self.controller, self.agreeing
        )


def concatenated(parts: Sequence[InstanceColumns]) -> InstanceColumns:
    """Return the instances of all parts, of which there is one at least."""
    columns = zip(*(part.columns for part in parts), strict=True)
    return InstanceColumns(*map(np.concatenate, columns))


def arcs_of(block: Block) -> Arcs:
    """Return all dependencies but those of the roots."""
    listed = np.zeros(len(block.lengths), bool)
    listed[list(block.merged)] = True
    plain = np.flatnonzero((block.heads >= 0) & ~listed[block.sentence])
    arcs = Arcs(plain, block.heads[plain], np.full(len(plain), -1))
    if not block.merged:
        return arcs
    of_merged = [surface.arcs or () for surface in block.merged.values()]
    numbers = chain.from_iterable(chain.from_iterable(of_merged))
    merged = np.fromiter(numbers, np.int64).reshape(-1, 3)
    sentence = np.repeat(list(block.merged), [len(dependencies) for dependencies in of_merged])
    merged[:, :2] += block.starts[sentence][:, None]
    order = np.argsort(np.concatenate([block.sentence[plain], sentence]), kind="stable")
    return Arcs(*(np.concatenate([arcs[column], merged[:, column]])[order] for column in range(3)))


def ranges(start: Integers, counts: Integers) -> tuple[Integers, Integers]:
    """Return row and element of every stretch of `counts` elements from `start` on."""
    return np.repeat(np.arange(len(counts)), counts), range_indices(start, counts)


def joined(keys: Integers, sought: Integers) -> tuple[Integers, Integers]:
    """Return (row, element) wherever the key of an element is the one sought in a row."""
    order = np.argsort(keys, kind="stable")
    start = np.searchsorted(keys[order], sought, "left")
    row, position = ranges(start, np.searchsorted(keys[order], sought, "right") - start)
    return row, order[position]
