"""Sentences as columns: the words of many sentences in one row of arrays, every string as a code.

What is asked of each word of a treebank (its relation, its POS, one of its features) is worked out
once for each distinct string and then read off for whole columns, so that a search along paths
costs a few array operations for hundreds of sentences instead of a walk through each.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colorless_green.miner.features import parse_feats
from colorless_green.miner.patterns.pattern import ABSENT, Word, matches
from colorless_green.miner.surface import Surface

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


class Codes(dict[str, int]):
    """String → code, counted in the order first seen."""

    def __missing__(self, text: str) -> int:
        self[text] = code = len(self)
        return code


class Lookup:
    """What a function says of each distinct string, as an array that is indexed by codes."""

    def __init__(self, codes: Codes, function: Callable[[str], Any], dtype: type) -> None:
        self.codes, self.function = codes, function
        self.known: NDArray[Any] = np.empty(0, dtype)

    def __call__(self, column: Ints) -> NDArray[Any]:
        if len(self.known) < len(self.codes):
            new = [self.function(text) for text in islice(self.codes, len(self.known), None)]
            self.known = np.concatenate([self.known, np.array(new, self.known.dtype)])
        return self.known[column]


class Strings:
    """The distinct strings of a treebank, and what is known of them; shared by all its blocks."""

    def __init__(self) -> None:
        self.upos, self.deprels, self.feats = Codes(), Codes(), Codes()
        self._lookups: dict[object, Lookup] = {}

    def lookup(
        self, name: object, codes: Codes, function: Callable[[str], Any], dtype: type
    ) -> Lookup:
        """The look-up kept under a name, made when it is first asked for."""
        found = self._lookups.get(name)
        if found is None:
            found = self._lookups[name] = Lookup(codes, function, dtype)
        return found


@dataclass(frozen=True, slots=True)
class Arcs:
    """Dependencies as columns, sentence by sentence in the order in which the released scripts look
    at them. `upos`, `deprels` and `feats` are the dependent's own, also where it is a ghost."""

    dependent: Ints
    head: Ints
    ghost: Ints  # number of the ghost in its sentence, or −1
    upos: Ints
    deprels: Ints
    feats: Ints


@dataclass(slots=True)
class Block:
    """The words of some sentences; indices count through all of them."""

    strings: Strings
    surfaces: Sequence[Surface]
    starts: Ints  # of each sentence, and the end
    sentence: Ints  # of each word
    heads: Ints  # −1 for the root
    tokens: Ints  # places as the text has them: words of one multiword token share theirs
    upos: Ints
    deprels: Ints
    feats: Ints
    masks: dict[object, Bools] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.heads)

    def has_relation(self, wanted: frozenset[str]) -> Bools:
        """Whether each word's own relation is one of those; `nsubj` stands for its subtypes too."""
        return self.mask(("deprel", wanted), lambda: self.are_relations(self.deprels, wanted))

    def are_relations(self, deprels: Ints, wanted: frozenset[str]) -> Bools:
        """The same of a column of relations."""
        strings = self.strings
        known = strings.lookup(
            ("deprel", wanted), strings.deprels, lambda text: matches(text, wanted), bool
        )
        return known(deprels)

    def has_upos(self, wanted: frozenset[str]) -> Bools:
        """Whether each word's POS is one of those."""
        return self.mask(("upos", wanted), lambda: self.are_upos(self.upos, wanted))

    def are_upos(self, upos: Ints, wanted: frozenset[str]) -> Bools:
        """The same of a column of POS."""
        strings = self.strings
        return strings.lookup(("upos", wanted), strings.upos, wanted.__contains__, bool)(upos)

    def has_feats(self, wanted: Mapping[str, frozenset[str]]) -> Bools:
        """Whether each word has for every name one of the values; "" is a word without it."""
        name = ("feats", tuple(sorted((key, values) for key, values in wanted.items())))

        def fit(text: str) -> bool:
            feats = parse_feats(text)
            return all(feats.get(key, ABSENT) in values for key, values in wanted.items())

        strings = self.strings
        known = strings.lookup(name, strings.feats, fit, bool)
        return self.mask(name, lambda: known(self.feats))

    def has_child(self, wanted: frozenset[str]) -> Bools:
        """Whether each word has a dependent with one of these relations."""

        def work_out() -> Bools:
            found = np.zeros(len(self), bool)
            heads = self.heads[self.has_relation(wanted) & (self.heads != np.arange(len(self)))]
            found[heads[heads >= 0]] = True
            return found

        return self.mask(("child", wanted), work_out)

    def fits(self, word: Word) -> Bools:
        """Whether each word is what a condition asks."""
        found = np.ones(len(self), bool)
        if word.upos:
            found &= self.has_upos(word.upos)
        if word.feats:
            found &= self.has_feats(word.feats)
        if word.deprel:
            found &= self.has_relation(word.deprel)
        for relation in word.has:
            found &= self.has_child(frozenset({relation}))
        if word.lacks:
            found &= ~self.has_child(word.lacks)
        if word.lemma:
            for index in np.flatnonzero(found):
                found[index] = self.lemma(index) in word.lemma
        return found

    def lemma(self, index: int) -> str:
        """The lemma of a word."""
        number = int(self.sentence[index])
        return self.surfaces[number].lemmas[index - int(self.starts[number])]

    def form(self, index: int) -> str:
        """The form of a word."""
        number = int(self.sentence[index])
        return self.surfaces[number].forms[index - int(self.starts[number])]

    def above(self, words: Ints, stop: Callable[[Ints, Ints], Bools]) -> Bools:
        """For each of `words`, whether going up from it meets a word of which `stop` (the numbers
        of those still on their way, where they are) says so; the word itself counts."""
        met = np.zeros(len(words), bool)
        on_way, at = np.arange(len(words)), words
        for _ in range(int(np.diff(self.starts).max(initial=0)) + 1):
            here = stop(on_way, at)
            met[on_way[here]] = True
            up = self.heads[at]
            going = ~here & (up >= 0) & (up != at)
            on_way, at = on_way[going], up[going]
            if not len(at):
                break
        return met

    def mask(self, name: object, work_out: Callable[[], Bools]) -> Bools:
        """A property of all words, worked out once a block."""
        found = self.masks.get(name)
        if found is None:
            found = self.masks[name] = work_out()
        return found


def block_of(surfaces: Sequence[Surface], strings: Strings) -> Block:
    """The columns of some sentences."""
    lengths = np.array([len(each.heads) for each in surfaces], np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    n = int(starts[-1])
    sentence = np.repeat(np.arange(len(surfaces)), lengths)
    shift = starts[sentence]

    def column(parts: Iterable[Iterable[int]]) -> Ints:
        return np.fromiter(chain.from_iterable(parts), np.int64, n)

    def coded(codes: Codes, parts: Iterable[Iterable[str]]) -> Ints:
        return np.fromiter(map(codes.__getitem__, chain.from_iterable(parts)), np.int64, n)

    heads = column(each.heads for each in surfaces)
    if any(each.tokens is not None for each in surfaces):
        tokens = shift + column(each.tokens or range(len(each)) for each in surfaces)
    else:
        tokens = np.arange(n)
    return Block(
        strings,
        surfaces,
        starts,
        sentence,
        np.where(heads < 0, -1, heads + shift),
        tokens,
        coded(strings.upos, (each.upos for each in surfaces)),
        coded(strings.deprels, (each.deprels for each in surfaces)),
        coded(strings.feats, (each.feats for each in surfaces)),
    )


def arcs_of(block: Block) -> Arcs:
    """All dependencies but those of the roots."""
    listed = np.array([each.arcs is not None for each in block.surfaces], bool)
    plain = np.flatnonzero((block.heads >= 0) & ~listed[block.sentence])
    columns = [
        plain,
        block.heads[plain],
        np.full(len(plain), -1),
        block.upos[plain],
        block.deprels[plain],
        block.feats[plain],
    ]
    if not listed.any():
        return Arcs(*columns)
    strings, rows = block.strings, []
    for number in np.flatnonzero(listed):
        surface, start = block.surfaces[number], int(block.starts[number])
        for dependent, head, ghost in surface.arcs or ():
            if ghost >= 0:
                word = surface.ghosts[ghost]
                own = strings.upos[word.upos], strings.deprels[word.deprel], strings.feats[word.feats]
            else:
                at = start + dependent
                own = int(block.upos[at]), int(block.deprels[at]), int(block.feats[at])
            rows.append((number, start + dependent, start + head, ghost, *own))
    table = np.array(rows, np.int64).reshape(len(rows), 7)
    order = np.argsort(np.concatenate([block.sentence[plain], table[:, 0]]), kind="stable")
    return Arcs(
        *(
            np.concatenate([column, table[:, place]])[order]
            for place, column in enumerate(columns, start=1)
        )
    )
