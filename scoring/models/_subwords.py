"""Texts in their subwords as flat arrays, by the tokenizer itself and as its files say.

    characters   T h e   k e y s   a r e          prefix "The keys", continuation " are"
    border                       |
    subwords    [The][  keys   ][  are ]          a blank goes with the subword after it

A text is always cut whole, never in pieces, for a piece is cut otherwise than the same characters
in running text. Tokenizers disagree on who has the blank between two words: here the subword after
it has it, also where an entry ends with a blank ("s "). Where a border falls within a subword, the
subword counts to where its last letter is.

`tokenizers` is asked directly; at load its answers are held against those of the Transformers
call, which is asked in its place where they differ. A control token that a text spells out
(`<|im_end|>`) is text here.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import tokenizers
from numpy.typing import NDArray

from ...data.arrays import Integers, Truths, offsets_of, range_indices
from ...data.errors import InputError
from .sanity import SANITY_TEXTS

PROBES = (*SANITY_TEXTS, " two  blanks ", "a\tb\n\nc.", "e\u0301\u00a0国 \U0001f469\u200d 'tis 1,2")
UNSAID = "\ufdd0"  # no character; behind an entry no text has that
SHOWN = 40  # characters of a text in a message
HIGHEST_BLANK = 0x3000
BLANK = np.array([chr(code).isspace() for code in range(HIGHEST_BLANK + 2)])


@dataclass(frozen=True, slots=True, eq=False)
class SubwordTexts:
    """Texts in their subwords: those of text n are `offsets[n]` to `offsets[n + 1]`."""

    ids: NDArray[np.int32]
    offsets: Integers
    starts: NDArray[np.int32]  # in characters; a blank that no subword has is given to the next one
    ends: NDArray[np.int32]

    @property
    def lengths(self) -> Integers:
        """The number of subwords of each text."""
        lengths: Integers = np.diff(self.offsets)
        return lengths

    def count(self, unknown: int) -> Integers:
        """Count the subword `unknown` in each text."""
        counts: Integers = np.diff(offsets_of(self.ids == unknown)[self.offsets])
        return counts


class SubwordTokenizer:
    """Cuts texts without specials and to the end."""

    def __init__(self, tokenizer: Any) -> None:
        """`tokenizer` is a fast one of transformers."""
        self._tokenizer = tokenizer
        self._own = tokenizers.Tokenizer.from_str(_unspoken(tokenizer.backend_tokenizer))
        self._own.no_truncation()
        self._own.no_padding()
        self._own.encode_special_tokens = True
        added = self._own.get_added_tokens_decoder().values()
        self._controls = [token.content for token in added if token.special and token.content]
        self._direct = True
        self._read_as_text: set[str] = set()
        texts = list(PROBES)
        if not isinstance(self._own.model, tokenizers.models.Unigram):  # see `_unspoken`
            texts += [f"a{control}b {control}." for control in self._controls[:4]]
        self._direct = _same(self(texts), self._called(texts))
        self._read_as_text.clear()

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the user on the texts so far."""
        n = len(self._read_as_text)
        return (f"control tokens in {n} text{'s'[: n > 1]} were read as text",)[:n]

    def __call__(self, texts: Sequence[str]) -> SubwordTexts:
        """Every text in its subwords."""
        if not texts:
            return _tiled(texts, [], [])
        self._read_as_text.update(self.with_controls(texts))
        if not self._direct:
            return self._called(texts)
        encodings = self._own.encode_batch(texts, add_special_tokens=False)
        spans = [encoding.offsets for encoding in encodings]
        return _tiled(texts, [encoding.ids for encoding in encodings], spans)

    def word_ids(self, texts: Sequence[str]) -> Integers:
        """Return for each subword of the texts, one after the other, the word it is of by the
        tokenizer's own count, −1 for none."""
        encodings = self._own.encode_batch(texts, add_special_tokens=False)
        words = chain.from_iterable(encoding.word_ids for encoding in encodings)
        return np.array([-1 if word is None else word for word in words], np.int64)

    def with_controls(self, texts: Sequence[str]) -> list[str]:
        """Those texts that spell out a control token."""
        joined = "\n".join(texts)
        spelt = {token for token in self._controls if token[:2] in joined and token in joined}
        return [text for text in texts if any(token in text for token in spelt)] if spelt else []

    def _called(self, texts: Sequence[str]) -> SubwordTexts:
        encoded = self._tokenizer(
            list(texts),
            add_special_tokens=False,
            split_special_tokens=True,
            return_offsets_mapping=True,
            return_attention_mask=False,
            verbose=False,
        )
        return _tiled(texts, encoded["input_ids"], encoded["offset_mapping"])


def _tiled(
    texts: Sequence[str],
    ids: Sequence[Sequence[int]],
    spans: Iterable[Iterable[tuple[int, int]]],
) -> SubwordTexts:
    """Return subwords with the characters a tokenizer says, their blanks settled."""
    offsets = offsets_of(np.fromiter(map(len, ids), np.int64, len(ids)))
    flat = np.fromiter(chain.from_iterable(ids), np.int32, int(offsets[-1]))
    bounds = np.fromiter(
        chain.from_iterable(chain.from_iterable(spans)), np.int32, 2 * len(flat)
    ).reshape(-1, 2)
    return _settled(texts, SubwordTexts(flat, offsets, bounds[:, 0], bounds[:, 1]))


def _settled(texts: Sequence[str], cuts: SubwordTexts) -> SubwordTexts:
    """Return subwords that end with a letter, unless they are blanks alone: a blank behind it, and
    one that no subword covers, is given to the next one."""
    bases, blanks = _blanks(texts)
    base = np.repeat(bases[:-1], cuts.lengths)
    starts, ends = cuts.starts + base, cuts.ends + base
    letters = np.append(np.maximum.accumulate(np.where(blanks, -1, np.arange(len(blanks)))), -1)
    last_letter = letters[ends - 1]  # up to the end
    ends = np.where(last_letter >= starts, last_letter + 1, ends)
    covered = np.maximum(base, np.append(0, np.maximum.accumulate(ends)[:-1])[: len(ends)])
    marks = offsets_of(~blanks)
    starts = np.where((starts > covered) & (marks[starts] == marks[covered]), covered, starts)
    ends = np.maximum(starts, ends)
    return SubwordTexts(
        cuts.ids, cuts.offsets, (starts - base).astype(np.int32), (ends - base).astype(np.int32)
    )


def _blanks(texts: Sequence[str]) -> tuple[Integers, NDArray[np.bool_]]:
    """Return where each text begins among the characters of all, and which of these are blanks."""
    raw = "".join(texts).encode("utf-32-le", "surrogatepass")
    bases = offsets_of(np.fromiter(map(len, texts), np.int64, len(texts)))
    return bases, BLANK[np.minimum(np.frombuffer(raw, np.uint32), HIGHEST_BLANK + 1)]


def owners(
    texts: Sequence[str], cuts: SubwordTexts, rows: Integers, firsts: Integers
) -> tuple[Integers, Integers]:
    """Return for each subword of the texts `rows`, from `firsts` on, the character that it belongs
    to, and the first character from its start on that is not a blank (the same if there is none).

    A subword belongs to its last character; one without characters (a lone "▁") to the character
    after it.
    """
    bases, blanks = _blanks([texts[row] for row in rows])
    n = len(blanks)
    following = np.append(np.minimum.accumulate(np.where(blanks, n, np.arange(n))[::-1])[::-1], n)
    counts = cuts.lengths[rows] - firsts
    cut, base = range_indices(cuts.offsets[rows] + firsts, counts), np.repeat(bases[:-1], counts)
    starts, ends = cuts.starts[cut] + base, cuts.ends[cut] + base
    owner = np.maximum(starts, ends - 1)
    solid = np.where(following[starts] < np.repeat(bases[1:], counts), following[starts], owner)
    return owner - base, solid - base


def first_subword_after(
    texts: Sequence[str], cuts: SubwordTexts, rows: Integers, shared: Integers, borders: Integers
) -> Integers:
    """For the texts `rows` the first subword from `shared` on that belongs behind the border."""
    counts = cuts.lengths[rows] - shared
    owner, _ = owners(texts, cuts, rows, shared)
    beyond = np.flatnonzero(owner >= np.repeat(borders, counts))
    offsets = offsets_of(counts)
    start = np.append(beyond, offsets[-1])[np.searchsorted(beyond, offsets[:-1])]
    reached: Integers = shared + np.minimum(start - offsets[:-1], counts)
    return reached


def distinct(*columns: Iterable[str]) -> tuple[list[str], list[Integers]]:
    """Return the texts of some columns, each once, and for each column which of them its texts are.

    >>> distinct("ab", "bc")
    (['a', 'b', 'c'], [array([0, 1]), array([1, 2])])
    """
    numbers: dict[str, int] = {}
    which = [np.array([numbers.setdefault(t, len(numbers)) for t in c], np.int64) for c in columns]
    return list(numbers), which


def quoted(text: str) -> str:
    """Name a text in a message."""
    return f"query {text if len(text) <= SHOWN else text[:SHOWN] + '…'!r}"


def check_ids(texts: Sequence[str], ids: NDArray[np.int32], starts: Integers, n_ids: int) -> None:
    """Raise `InputError` for an id that the model lacks; `starts`: where texts begin in `ids`."""
    beyond = np.flatnonzero(ids >= n_ids)
    if len(beyond):
        text = texts[np.searchsorted(starts, beyond[0], side="right") - 1]
        wrong = f"the tokenizer's id {ids.max()} is not among the model's {n_ids}"
        right = "model and tokenizer that belong together"
        raise InputError(quoted(text), wrong, right, kind="conflict")


def check_subwords(texts: Sequence[str], continuations: Sequence[str], lacking: Truths) -> None:
    """Raise `InputError` for a continuation that has no subword: the first one of `lacking`."""
    if lacking.any():
        row = int(lacking.argmax())
        wrong = f"the tokenizer makes no subword of the continuation {continuations[row]!r}"
        raise InputError(quoted(texts[row]), wrong, "characters that it knows", kind="unsupported")


def surprising(
    log_p: NDArray[np.float64], texts: Sequence[str], rows: Integers
) -> NDArray[np.float64]:
    """−ln p; rounding can leave a sure thing just above ln p = 0. Raises `InputError` with the text
    of the first that is no number; `rows` says which each is of."""
    wrong = np.flatnonzero(np.isnan(log_p))
    if len(wrong):
        location = quoted(texts[rows[wrong[0]]])
        raise InputError(location, "the model answers NaN", "dtype float32", kind="unsupported")
    return np.maximum(0.0, -log_p)


def _unspoken(tokenizer: tokenizers.Tokenizer) -> str:
    """Return a tokenizer as JSON, in which no text spells out a control token.

    To read such as text is a setting of `tokenizers`; but a unigram model has them among its
    entries too, and takes them from there, unless they go by another name.
    """
    written = str(tokenizer.to_str())
    if not isinstance(tokenizer.model, tokenizers.models.Unigram):
        return written
    facts = json.loads(written)
    for n, token in tokenizer.get_added_tokens_decoder().items():
        entry = facts["model"]["vocab"][n : n + 1]
        if token.special and entry and entry[0][0] == token.content:
            entry[0][0] += UNSAID
    return json.dumps(facts)


def _same(actual: SubwordTexts, expected: SubwordTexts) -> bool:
    names = ("ids", "offsets", "starts", "ends")
    return all(np.array_equal(getattr(actual, name), getattr(expected, name)) for name in names)
