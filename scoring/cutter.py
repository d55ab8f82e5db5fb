"""Texts in their subwords as flat arrays, by the tokenizer itself and as its files say.

`tokenizers` is asked directly; at load its answers are held against those of the Transformers
call, which is asked in its place where they differ. A control token that a text spells out
(`<|im_end|>`) is text here. The characters of a byte-level subword are counted from the bytes of
its entry; where these do not add up to the text, the tokenizer says them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import tokenizers
from numpy.typing import NDArray

from colorless_green.scoring.ragged import Integers, offsets_of, spread
from colorless_green.scoring.sanity import SANITY_TEXTS

PROBES = (*SANITY_TEXTS, " two  blanks ", "a\tb\n\nc.", "e\u0301\u00a0国 \U0001f469\u200d 'tis 1,2")
NO_BYTES = 1 << 40  # of an entry that is not written in bytes: no text has so many
HIGHEST_BLANK = 0x3000
BLANK = np.array([chr(each).isspace() for each in range(HIGHEST_BLANK + 2)])


@dataclass(frozen=True, slots=True, eq=False)
class Cuts:
    """Texts in their subwords: those of text n are `offsets[n]` to `offsets[n + 1]`."""

    ids: NDArray[np.int32]
    offsets: Integers
    starts: NDArray[np.int32]  # in characters; a blank that no subword has is given to the next one
    ends: NDArray[np.int32]

    @property
    def lengths(self) -> Integers:
        """How many subwords each text has."""
        found: Integers = np.diff(self.offsets)
        return found


class Cutter:
    """Cuts texts without specials and to the end."""

    def __init__(self, tokenizer: Any) -> None:
        """`tokenizer` is a fast one of transformers."""
        self._tokenizer = tokenizer
        self._own = tokenizers.Tokenizer.from_str(tokenizer.backend_tokenizer.to_str())
        self._own.no_truncation()
        self._own.no_padding()
        self._own.encode_special_tokens = True
        added = self._own.get_added_tokens_decoder().values()
        self._controls = [each.content for each in added if each.special and each.content]
        self._direct = True
        self._sizes: Integers | None = None
        texts = [*PROBES, *(f"a{control}b {control}." for control in self._controls[:4])]
        wanted = self._called(texts)
        if not _same(self(texts), wanted):
            self._direct = False
        elif self._sizes_fit(texts[0]) and not _same(self(texts), wanted):
            self._sizes = None

    def __call__(self, texts: Sequence[str]) -> Cuts:
        """Every text in its subwords."""
        if not texts:
            return _tiled(texts, [], [])
        if not self._direct:
            return self._called(texts)
        if self._sizes is None:
            found = self._own.encode_batch(texts, add_special_tokens=False)
            return _tiled(texts, [each.ids for each in found], [each.offsets for each in found])
        found = self._own.encode_batch_fast(texts, add_special_tokens=False)
        return self._counted(texts, *_flat([each.ids for each in found]), self._sizes)

    def with_controls(self, texts: Sequence[str]) -> list[str]:
        """Those texts that spell out a control token."""
        joined = "\n".join(texts)
        found = {each for each in self._controls if each[:2] in joined and each in joined}
        return [text for text in texts if any(each in text for each in found)] if found else []

    def _called(self, texts: Sequence[str]) -> Cuts:
        found = self._tokenizer(
            list(texts),
            add_special_tokens=False,
            split_special_tokens=True,
            return_offsets_mapping=True,
            return_attention_mask=False,
            verbose=False,
        )
        return _tiled(texts, found["input_ids"], found["offset_mapping"])

    def _sizes_fit(self, text: str) -> bool:
        """Whether entries are written in bytes that add up to a text."""
        letters = frozenset(tokenizers.pre_tokenizers.ByteLevel.alphabet())
        added = {n: each.content for n, each in self._own.get_added_tokens_decoder().items()}
        entries = self._own.get_vocab()
        sizes = np.full(max(entries.values()) + 1, NO_BYTES)
        for entry, n in entries.items():
            if n in added:
                sizes[n] = len(added[n].encode())
            elif letters.issuperset(entry):
                sizes[n] = len(entry)
        self._sizes = sizes
        ids = self._own.encode(text, add_special_tokens=False).ids
        if int(sizes[ids].sum()) != len(text.encode()):
            self._sizes = None
        return self._sizes is not None

    def _counted(
        self, texts: Sequence[str], ids: NDArray[np.int32], offsets: Integers, sizes: Integers
    ) -> Cuts:
        """Cuts by the bytes of their entries."""
        joined = "".join(texts)
        characters = offsets_of(np.fromiter(map(len, texts), np.int64, len(texts)))
        counts = np.diff(offsets)
        ends = np.cumsum(sizes[ids])
        passed = offsets_of(sizes[ids])[offsets]  # bytes before each text
        n_bytes = np.diff(characters)
        if joined.isascii():
            wrong = np.diff(passed) != n_bytes
            ends -= np.repeat(passed[:-1], counts)
            starts = ends - sizes[ids]
        else:
            raw = np.frombuffer(joined.encode(), np.uint8)
            begins = (raw & 0xC0) != 0x80
            bases = np.append(np.flatnonzero(begins), len(raw))[characters]
            wrong = np.diff(passed) != np.diff(bases)
            if self._own.normalizer is not None:
                wrong |= np.diff(bases) != n_bytes
            which = np.cumsum(begins) - 1  # of each byte the character
            ends += np.repeat(bases[:-1] - passed[:-1], counts)
            first = np.repeat(characters[:-1], counts)
            starts = which.take(ends - sizes[ids], mode="clip") - first
            ends = which.take(ends - 1, mode="clip") + 1 - first
        cuts = Cuts(ids, offsets, starts.astype(np.int32), ends.astype(np.int32))
        if wrong.any():
            some = [texts[n] for n in np.flatnonzero(wrong).tolist()]
            said = self._own.encode_batch(some, add_special_tokens=False)
            right = _tiled(some, [each.ids for each in said], [each.offsets for each in said])
            at = np.repeat(wrong, counts)
            cuts.starts[at], cuts.ends[at] = right.starts, right.ends
        return cuts


def _flat(ids: Sequence[Sequence[int]]) -> tuple[NDArray[np.int32], Integers]:
    offsets = offsets_of(np.fromiter(map(len, ids), np.int64, len(ids)))
    return np.fromiter(chain.from_iterable(ids), np.int32, int(offsets[-1])), offsets


def _tiled(
    texts: Sequence[str],
    ids: Sequence[Sequence[int]],
    spans: Iterable[Iterable[tuple[int, int]]],
) -> Cuts:
    """Subwords with the characters a tokenizer says, each stretched left over blanks that none
    before it covers."""
    flat, offsets = _flat(ids)
    said = np.array([each for every in spans for each in every], np.int64).reshape(-1, 2)
    bases, blanks = _blanks(texts)
    base = np.repeat(bases[:-1], np.diff(offsets))
    starts, ends = said[:, 0] + base, said[:, 1] + base
    covered = np.maximum(base, np.append(0, np.maximum.accumulate(ends)[:-1])[: len(ends)])
    marks = offsets_of(~blanks)
    starts = np.where((starts > covered) & (marks[starts] == marks[covered]), covered, starts)
    ends = np.maximum(starts, ends)
    return Cuts(flat, offsets, (starts - base).astype(np.int32), (ends - base).astype(np.int32))


def _blanks(texts: Sequence[str]) -> tuple[Integers, NDArray[np.bool_]]:
    """Where each text begins among the characters of all, and which of these are blanks."""
    raw = "".join(texts).encode("utf-32-le", "surrogatepass")
    bases = offsets_of(np.fromiter(map(len, texts), np.int64, len(texts)))
    return bases, BLANK[np.minimum(np.frombuffer(raw, np.uint32), HIGHEST_BLANK + 1)]


def reaching(
    texts: Sequence[str], cuts: Cuts, rows: Integers, shared: Integers, borders: Integers
) -> Integers:
    """For the texts `rows` the first subword from `shared` on that belongs behind the border.

    A subword belongs where its last character is that is not a blank; where its last one is if all
    are blanks; and what stands for none (a lone "▁") to the character that it stands before.
    """
    bases, blanks = _blanks([texts[row] for row in rows])
    solid = np.maximum.accumulate(np.where(blanks, -1, np.arange(len(blanks))))
    counts = cuts.lengths[rows] - shared
    at, base = spread(cuts.offsets[rows] + shared, counts), np.repeat(bases[:-1], counts)
    starts, ends = cuts.starts[at] + base, cuts.ends[at] + base
    last = solid[np.maximum(ends - 1, 0)] if len(solid) else ends
    own = np.where(starts == ends, starts, np.where(last >= starts, last, ends - 1))
    behind = np.flatnonzero(own >= base + np.repeat(borders, counts))
    offsets = offsets_of(counts)
    first = np.append(behind, offsets[-1])[np.searchsorted(behind, offsets[:-1])]
    found: Integers = shared + np.minimum(first - offsets[:-1], counts)
    return found


def _same(one: Cuts, other: Cuts) -> bool:
    names = ("ids", "offsets", "starts", "ends")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)
