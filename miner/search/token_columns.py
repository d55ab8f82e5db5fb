"""Sentences as columns: arrays over the words of many sentences, with a code for every string.

A *block* is such a batch of sentences. A question about each word (has it this relation, this POS,
this feature?) is answered once for each distinct string, and the answers are then looked up for
whole columns. So a search along paths takes a few array operations for hundreds of sentences.
"""

from array import array
from collections.abc import Callable, Iterator, Sequence, Set
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
    """Codes for strings, numbered in the order first seen, with cached results of functions of the
    strings."""

    def __init__(self) -> None:
        super().__init__()
        self._tables: dict[object, NDArray[Any]] = {}

    def __missing__(self, text: str) -> int:
        self[text] = code = len(self)
        return code

    def by_code(
        self, name: object, function: Callable[[str], Any], dtype: type = bool
    ) -> NDArray[Any]:
        """Return the function's result for every string, as an array indexed by codes.

        Results are cached under `name`, so that each string is passed to the function once. Strings
        may be added between two calls.
        """
        results = self._tables.get(name, np.empty(0, dtype))
        if len(results) < len(self):
            new = [function(text) for text in islice(self, len(results), None)]
            results = self._tables[name] = np.concatenate([results, np.array(new, dtype)])
        return results


class Strings(NamedTuple):
    """The codes of all distinct UPOS, relations and FEATS, shared by all blocks of a treebank."""

    upos: StringCodes
    deprels: StringCodes
    feats: StringCodes


class Arcs(NamedTuple):
    """Dependencies as columns, sentence by sentence, in the order of the released scripts.

    A *ghost* is a dependent that merging deleted (see `treebank/surface.py`).
    """

    dependent: Integers
    head: Integers
    ghost: Integers  # the ghost's word in its sentence, or −1

    def where(self, rows: Integers | Truths) -> "Arcs":
        """Return the dependencies in these rows."""
        return Arcs(self.dependent[rows], self.head[rows], self.ghost[rows])


NO_ARCS = Arcs(*np.empty((3, 0), np.int64))


class Block:
    """The words of some sentences as columns; a word's index counts through all the sentences.

    Sentences are added one by one, and only the columns needed are kept, as codes: keeping hundreds
    of whole sentences in memory would add a third to the time of reading them.
    """

    def __init__(self, strings: Strings) -> None:
        self.strings = strings
        self.lengths: list[int] = []
        self.numbers: list[int] = []  # number of each sentence in its file, or part of a file
        self.forms: list[tuple[str, ...]] = []
        self.lemmas: list[tuple[str, ...]] = []
        self.merged: dict[int, Surface] = {}  # sentences with merged tokens, which list their arcs
        self.misspelt: list[int] = []  # words with a `CorrectForm` in MISC
        self.sources: dict[tuple[str, int], int] = {}  # (feature, noun) → word that gives its value
        self._heads, self._upos, self._deprels, self._feats = (array("q") for _ in range(4))
        self._tokens: dict[int, tuple[int, ...]] = {}  # sentence → token of each word, if shared

    def add(self, surface: Surface) -> None:
        """Add the next sentence."""
        strings = self.strings
        if surface.arcs is not None:
            self.merged[len(self.lengths)] = surface
        if surface.tokens is not None:
            self._tokens[len(self.lengths)] = surface.tokens
        start = len(self._heads)
        self.lengths.append(len(surface.heads))
        self.numbers.append(surface.sentence.number)
        self._heads.extend(surface.heads)
        self._upos.extend(map(strings.upos.__getitem__, surface.upos))
        self._feats.extend(map(strings.feats.__getitem__, surface.feats))
        if CORRECT_FORM in "".join(surface.sentence.misc) or surface.sentence.ranges:
            self.misspelt += [start + row for row in misspelt(surface)]
        self._deprels.extend(map(strings.deprels.__getitem__, surface.deprels))
        self.forms.append(surface.forms)
        self.lemmas.append(surface.lemmas)

    @cached_property
    def starts(self) -> Integers:
        """The index of each sentence's first word, then the number of all words."""
        return np.cumsum([0, *self.lengths])

    @cached_property
    def sentence(self) -> Integers:
        """The number of each word's sentence within the block."""
        return np.repeat(np.arange(len(self.lengths)), np.diff(self.starts))

    @cached_property
    def heads(self) -> Integers:
        """The head of each word, −1 for a root."""
        heads = np.array(self._heads)
        return np.where(heads < 0, -1, heads + self.starts[self.sentence])

    @cached_property
    def tokens(self) -> Integers:
        """The position of each word in the text; words of one multiword token have the same."""
        tokens = np.arange(len(self))
        for number, positions in self._tokens.items():
            start = self.starts[number]
            tokens[start : start + len(positions)] = start + np.array(positions)
        return tokens

    @cached_property
    def upos(self) -> Integers:
        """The code of each word's POS."""
        return np.array(self._upos)

    @cached_property
    def deprels(self) -> Integers:
        """The code of each word's relation."""
        return np.array(self._deprels)

    @cached_property
    def feats(self) -> Integers:
        """The code of each word's FEATS."""
        return np.array(self._feats)

    def __len__(self) -> int:
        return len(self.heads)

    def has_relation(self, *labels: str) -> Truths:
        """Tell which words have one of these relations; `nsubj` includes its subtypes."""
        return self.are_relations(self.deprels, *labels)

    def are_relations(self, deprels: Integers, *labels: str) -> Truths:
        """Tell which entries of a column of relations are among these."""
        return self.strings.deprels.by_code(labels, lambda text: matches(text, labels))[deprels]

    def has_upos(self, *tags: str) -> Truths:
        """Tell which words have one of these POS."""
        return self.are_upos(self.upos, *tags)

    def are_upos(self, upos: Integers, *tags: str) -> Truths:
        """Tell which entries of a column of POS are among these."""
        return self.strings.upos.by_code(tags, tags.__contains__)[upos]

    def has_feats(self, /, **conditions: Set[str]) -> Truths:
        """Tell which words have, for every feature, one of its values; "" means no such feature."""

        def fits(text: str) -> bool:
            """Return whether a word's FEATS meet all conditions."""
            feats = parse_feats(text)
            for key, values in conditions.items():  # noqa: SIM110  # half the time of all()
                if feats.get(key, ABSENT) not in values:
                    return False
            return True

        name = frozenset((key, frozenset(values)) for key, values in conditions.items())
        return self.strings.feats.by_code(name, fits)[self.feats]

    def has_child(self, *labels: str) -> Truths:
        """Tell for each word whether it has a dependent with one of these relations."""
        mask = np.zeros(len(self), bool)
        mask[self.heads[self.children(*labels)]] = True
        return mask

    def children(self, *labels: str) -> Integers:
        """Return all words that depend on another with one of these relations (no labels: any),
        sorted by their heads."""
        is_child = (self.heads >= 0) & (self.heads != np.arange(len(self)))
        if labels:
            is_child &= self.has_relation(*labels)
        words: Integers = np.flatnonzero(is_child)
        return words[np.argsort(self.heads[words], kind="stable")]

    def fits(self, word: WordConditions) -> Truths:
        """Tell which words of the block meet all conditions on a word of a pattern."""
        mask = np.ones(len(self), bool)
        if word.upos:
            mask &= self.has_upos(*word.upos)
        if word.feats:
            mask &= self.has_feats(**word.feats)
        if word.deprel:
            mask &= self.has_relation(*word.deprel)
        for relation in word.has:
            mask &= self.has_child(relation)
        if word.lacks:
            mask &= ~self.has_child(*word.lacks)
        if word.lemma:
            for index in np.flatnonzero(mask).tolist():
                mask[index] = self.lemma(index) in word.lemma
        return mask

    def lemma(self, index: int) -> str:
        """Return the lemma of a word."""
        number = int(self.sentence[index])
        return self.lemmas[number][index - int(self.starts[number])]

    def lowercase_forms(self, words: Integers) -> list[str]:
        """Return the forms of these words, in small letters."""
        numbers = self.sentence[words]
        positions = words - self.starts[numbers]
        pairs = zip(numbers.tolist(), positions.tolist(), strict=True)
        return [self.forms[number][position].lower() for number, position in pairs]

    def annotated_lemmas(self, words: Integers) -> list[str]:
        """Return the lemmas of these words; for a word without a lemma, its lowercase form."""
        pairs = zip(map(self.lemma, words.tolist()), self.lowercase_forms(words), strict=True)
        return [form if lemma == "_" else lemma for lemma, form in pairs]

    def self_or_ancestor_is(
        self, words: Integers, is_wanted: Callable[[Integers, Integers], Truths]
    ) -> Truths:
        """Tell for which of `words` the word itself or one of its ancestors is wanted.

        All of them walk up at once. `is_wanted(walkers, places)` gets the walkers, as indices in
        `words`, and the place (a word of the block) that each of them has reached.
        """
        has_met = np.zeros(len(words), bool)
        walkers, places = np.arange(len(words)), words
        longest_path = int(np.diff(self.starts).max(initial=0))  # a faulty tree may have a circle
        for _ in range(longest_path + 1):
            arrived = is_wanted(walkers, places)
            has_met[walkers[arrived]] = True
            head = self.heads[places]
            goes_on = ~arrived & (head >= 0) & (head != places)
            walkers, places = walkers[goes_on], head[goes_on]
            if not len(places):
                break
        return has_met

    def dependent_columns(self, arcs: Arcs) -> tuple[Integers, Integers, Integers]:
        """Return the codes of POS, relation and FEATS of each dependent; a ghost has those of its
        own word, not of its position."""
        # The position of a ghost may be one after the block's last word; it is replaced below.
        positions = np.minimum(arcs.dependent, len(self) - 1)
        upos, deprels, feats = (
            column[positions] for column in (self.upos, self.deprels, self.feats)
        )
        strings = self.strings
        for row in np.flatnonzero(arcs.ghost >= 0):
            sentence = self.merged[int(self.sentence[arcs.head[row]])].sentence
            word = int(arcs.ghost[row])
            upos[row] = strings.upos[sentence.upos[word]]
            deprels[row] = strings.deprels[sentence.deprels[word]]
            feats[row] = strings.feats[sentence.feats[word]]
        return upos, deprels, feats


@dataclass(slots=True)
class InstanceColumns:
    """The instances of a block as columns, in the order of the sentences; within a sentence, those
    found by paths come first. Words are indices in the block."""

    controller: Integers  # of a dependency, the dependent
    agreeing: Integers  # of a dependency, the head
    ghost: Integers  # the ghost's word in its sentence, if the controller is one, or −1
    pattern: Integers  # number of the pattern; −1: a dependency
    upos: Integers  # the controller's code; a ghost's is that of its own word
    deprels: Integers  # the same, of its relation
    kind: Integers  # index in `Finder.kinds`: (controller's feature, agreeing word's feature)
    value: Integers  # the controller's value: a code in `Finder.values`
    agreeing_value: Integers  # the agreeing word's value
    ambiguous: Truths  # one of the two has several values
    feature: NDArray[np.str_]  # the feature that is compared, under the controller's name for it

    def __len__(self) -> int:
        return len(self.controller)

    @property
    def columns(self) -> Iterator[NDArray[Any]]:
        """All columns, in the order of the fields."""
        return (getattr(self, name) for name in self.__slots__)

    def where(self, rows: Integers | Truths) -> "InstanceColumns":
        """Return the instances in these rows."""
        return InstanceColumns(*(column[rows] for column in self.columns))

    @property
    def forward(self) -> Truths:
        """True for each instance whose controller is the cue."""
        return self.controller < self.agreeing

    @property
    def ends(self) -> tuple[Integers, Integers]:
        """The cue and the target of each instance."""
        return np.minimum(self.controller, self.agreeing), np.maximum(
            self.controller, self.agreeing
        )


def concatenated(parts: Sequence[InstanceColumns]) -> InstanceColumns:
    """Join the instances of several parts, at least one, in their order."""
    columns = zip(*(part.columns for part in parts), strict=True)
    return InstanceColumns(*map(np.concatenate, columns))


def arcs_of(block: Block) -> Arcs:
    """Return all dependencies of a block, except those of the roots."""
    is_merged = np.zeros(len(block.lengths), bool)
    is_merged[list(block.merged)] = True
    plain = np.flatnonzero((block.heads >= 0) & ~is_merged[block.sentence])
    arcs = Arcs(plain, block.heads[plain], np.full(len(plain), -1))
    if not block.merged:
        return arcs
    of_merged = [surface.arcs or () for surface in block.merged.values()]
    numbers = chain.from_iterable(chain.from_iterable(of_merged))
    dependent, head, ghost = np.fromiter(numbers, np.int64).reshape(-1, 3).T
    sentence = np.repeat(list(block.merged), [len(dependencies) for dependencies in of_merged])
    start = block.starts[sentence]  # these arcs count words from the beginning of their sentence
    merged = Arcs(dependent + start, head + start, ghost)
    order = np.argsort(np.concatenate([block.sentence[plain], sentence]), kind="stable")
    return Arcs(*(np.concatenate(columns)[order] for columns in zip(arcs, merged, strict=True)))


def ranges(start: Integers, counts: Integers) -> tuple[Integers, Integers]:
    """List the numbers of several ranges; range r has the `counts[r]` numbers from `start[r]` on.

    Return two columns with one entry per number: its range r, and the number.
    """
    return np.repeat(np.arange(len(counts)), counts), range_indices(start, counts)


def joined(keys: Integers, sought: Integers) -> tuple[Integers, Integers]:
    """Join two columns: for each entry of `sought`, find the positions in `keys` that equal it.

    Return two columns with one entry per match: the row in `sought`, and the position in `keys`.
    """
    order = np.argsort(keys, kind="stable")
    start = np.searchsorted(keys[order], sought, "left")
    row, position = ranges(start, np.searchsorted(keys[order], sought, "right") - start)
    return row, order[position]
