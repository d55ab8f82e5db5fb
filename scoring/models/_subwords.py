"""Texts cut into subwords, as flat arrays.

    characters   T h e   k e y s   a r e          prefix "The keys", continuation " are"
    border                       |
    subwords    [The][  keys   ][  are ]          a blank belongs to the subword after it

A text is always cut as a whole, since a part of it may be cut differently alone. Tokenizers
disagree on which subword has the blank between two words: here it is the one after it, even where
a vocabulary entry ends with a blank ("s "). A subword across the border between prefix and
continuation belongs to the side of its last letter.

The package `tokenizers` is called directly, which is faster. Its output is compared at load with
that of the tokenizer of transformers, which is used instead if they differ. A control token that a
text spells out (`<|im_end|>`) is read as ordinary text.
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
NONCHARACTER = "\ufdd0"  # appended to a vocabulary entry, it keeps texts from matching the entry
MAX_SHOWN = 40  # characters of a text in an error message
LAST_BLANK = 0x3000  # the highest code of a white-space character
IS_BLANK = np.array([chr(code).isspace() for code in range(LAST_BLANK + 2)])  # by code


@dataclass(frozen=True, slots=True, eq=False)
class SubwordTexts:
    """The subwords of several texts; text n has those from `offsets[n]` to `offsets[n + 1]`."""

    ids: NDArray[np.int32]
    offsets: Integers
    starts: NDArray[np.int32]  # in characters, with blanks given to the subword after them
    ends: NDArray[np.int32]

    @property
    def lengths(self) -> Integers:
        """The number of subwords of each text."""
        lengths: Integers = np.diff(self.offsets)
        return lengths

    def count(self, unknown: int) -> Integers:
        """Return the number of occurrences of the id `unknown` in each text."""
        counts: Integers = np.diff(offsets_of(self.ids == unknown)[self.offsets])
        return counts


class SubwordTokenizer:
    """Cuts texts into subwords, without special tokens and without truncation."""

    def __init__(self, tokenizer: Any) -> None:
        """Wrap a fast tokenizer of transformers, and test whether it can be called directly."""
        self._tokenizer = tokenizer
        self._direct = tokenizers.Tokenizer.from_str(_hide_controls(tokenizer.backend_tokenizer))
        self._direct.no_truncation()
        self._direct.no_padding()
        self._direct.encode_special_tokens = True
        added = self._direct.get_added_tokens_decoder().values()
        self._controls = [token.content for token in added if token.special and token.content]
        self._texts_with_controls: set[str] = set()
        probes = list(PROBES)
        if not isinstance(self._direct.model, tokenizers.models.Unigram):  # see `_hide_controls`
            probes += [f"a{control}b {control}." for control in self._controls[:4]]
        self._is_direct_exact = _equal(self._by_tokenizers(probes), self._by_transformers(probes))

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the user on the texts cut so far."""
        n = len(self._texts_with_controls)
        if not n:
            return ()
        return (f"control tokens in {n} {'text' if n == 1 else 'texts'} were read as text",)

    def __call__(self, texts: Sequence[str]) -> SubwordTexts:
        """Return the subwords of the texts."""
        if not texts:
            return _subword_texts(texts, [], [])
        self._texts_with_controls.update(self.with_controls(texts))
        return self._by_tokenizers(texts) if self._is_direct_exact else self._by_transformers(texts)

    def word_ids(self, texts: Sequence[str]) -> Integers:
        """Return one number for each subword of all texts in order: the index, within its text, of
        the word that the tokenizer puts it in; −1 if it puts it in none."""
        encodings = self._direct.encode_batch(texts, add_special_tokens=False)
        words = chain.from_iterable(encoding.word_ids for encoding in encodings)
        return np.array([-1 if word is None else word for word in words], np.int64)

    def with_controls(self, texts: Sequence[str]) -> list[str]:
        """Return the texts that spell out a control token."""
        joined = "\n".join(texts)
        # The first test is the faster one, and most tokens begin alike ("<|").
        spelt = {token for token in self._controls if token[:2] in joined and token in joined}
        return [text for text in texts if any(token in text for token in spelt)] if spelt else []

    def _by_tokenizers(self, texts: Sequence[str]) -> SubwordTexts:
        """Return the subwords of the texts by the package `tokenizers`."""
        encodings = self._direct.encode_batch(texts, add_special_tokens=False)
        spans = [encoding.offsets for encoding in encodings]
        return _subword_texts(texts, [encoding.ids for encoding in encodings], spans)

    def _by_transformers(self, texts: Sequence[str]) -> SubwordTexts:
        """Return the subwords of the texts by the tokenizer of transformers."""
        encoded = self._tokenizer(
            list(texts),
            add_special_tokens=False,
            split_special_tokens=True,
            return_offsets_mapping=True,
            return_attention_mask=False,
            verbose=False,
        )
        return _subword_texts(texts, encoded["input_ids"], encoded["offset_mapping"])


def _subword_texts(
    texts: Sequence[str],
    ids: Sequence[Sequence[int]],
    spans: Iterable[Iterable[tuple[int, int]]],
) -> SubwordTexts:
    """Make `SubwordTexts` from a tokenizer's ids and character spans of each text; each blank is
    given to the subword after it."""
    offsets = offsets_of(np.fromiter(map(len, ids), np.int64, len(ids)))
    flat = np.fromiter(chain.from_iterable(ids), np.int32, int(offsets[-1]))
    bounds = np.fromiter(chain.from_iterable(chain.from_iterable(spans)), np.int32, 2 * len(flat))
    starts, ends = bounds.reshape(-1, 2).T
    return _assign_blanks(texts, SubwordTexts(flat, offsets, starts, ends))


def _assign_blanks(texts: Sequence[str], cuts: SubwordTexts) -> SubwordTexts:
    """Move each blank to the subword that follows it, so that tokenizers agree on where blanks are.

    A span loses its final blanks, unless it holds nothing else, and begins with the blanks before
    it that no span covers. Positions are those in all texts put one behind the other.
    """
    text_starts, blanks = _find_blanks(texts)
    base = np.repeat(text_starts[:-1], cuts.lengths)  # where the text of each subword starts
    starts, ends = cuts.starts + base, cuts.ends + base
    nonblanks = np.where(blanks, -1, np.arange(len(blanks)))
    last_nonblank_up_to = np.append(np.maximum.accumulate(nonblanks), -1)
    last_nonblank = last_nonblank_up_to[ends - 1]
    ends = np.where(last_nonblank >= starts, last_nonblank + 1, ends)
    previous_ends = np.append(0, np.maximum.accumulate(ends)[:-1])[: len(ends)]
    uncovered_from = np.maximum(base, previous_ends)
    n_nonblanks_before = offsets_of(~blanks)
    only_blanks = n_nonblanks_before[starts] == n_nonblanks_before[uncovered_from]
    starts = np.where((starts > uncovered_from) & only_blanks, uncovered_from, starts)
    ends = np.maximum(starts, ends)
    return SubwordTexts(
        cuts.ids, cuts.offsets, (starts - base).astype(np.int32), (ends - base).astype(np.int32)
    )


def _find_blanks(texts: Sequence[str]) -> tuple[Integers, NDArray[np.bool_]]:
    """Put the texts one behind the other; return the offset at which each text begins (and the last
    ends), and an array that says for each character whether it is a blank."""
    # In UTF-32 every character is one number, its code. No code above `LAST_BLANK` is a blank.
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    text_offsets = offsets_of(np.fromiter(map(len, texts), np.int64, len(texts)))
    return text_offsets, IS_BLANK[np.minimum(codes, LAST_BLANK + 1)]


def attribution_offsets(
    texts: Sequence[str], cuts: SubwordTexts, rows: Integers, firsts: Integers
) -> tuple[Integers, Integers]:
    """Return two character offsets, in its text, for each subword of the texts numbered `rows`; of
    each text the subwords before number `firsts` are left out.

    The first offset is that of the character that decides which region gets the subword: its last
    one, or for a subword without characters (a lone "▁") the character after it. The second is that
    of the first non-blank character from its start on; if the text has none, the first offset.
    """
    text_offsets, blanks = _find_blanks([texts[row] for row in rows])
    n = len(blanks)
    nonblanks = np.where(blanks, n, np.arange(n))
    next_nonblank = np.append(np.minimum.accumulate(nonblanks[::-1])[::-1], n)  # from each offset
    counts = cuts.lengths[rows] - firsts
    subwords = range_indices(cuts.offsets[rows] + firsts, counts)
    base, text_ends = (np.repeat(side, counts) for side in (text_offsets[:-1], text_offsets[1:]))
    starts, ends = cuts.starts[subwords] + base, cuts.ends[subwords] + base
    deciding = np.maximum(starts, ends - 1)
    nonblank = next_nonblank[starts]
    return deciding - base, np.where(nonblank < text_ends, nonblank, deciding) - base


def first_subword_after(
    texts: Sequence[str], cuts: SubwordTexts, rows: Integers, shared: Integers, borders: Integers
) -> Integers:
    """Return for each of the texts numbered `rows` the index of the first subword that belongs to
    the part after its border.

    `borders` are the character offsets of these borders, and `shared` the numbers of subwords at
    the start of each text that are not considered.
    """
    counts = cuts.lengths[rows] - shared
    deciding, _ = attribution_offsets(texts, cuts, rows, shared)
    beyond = np.flatnonzero(deciding >= np.repeat(borders, counts))
    offsets = offsets_of(counts)
    # The first of `beyond` in each text or, if there is none, one in a later text.
    first_beyond = np.append(beyond, offsets[-1])[np.searchsorted(beyond, offsets[:-1])]
    index: Integers = shared + np.minimum(first_beyond - offsets[:-1], counts)
    return index


def distinct_texts(*columns: Iterable[str]) -> tuple[list[str], list[Integers]]:
    """Return a list of the distinct texts of all columns together; and for each column an array
    with the index of each of its texts in that list.

    >>> distinct_texts("ab", "bc")
    (['a', 'b', 'c'], [array([0, 1]), array([1, 2])])
    """
    numbers: dict[str, int] = {}
    indices = [
        np.array([numbers.setdefault(text, len(numbers)) for text in column], np.int64)
        for column in columns
    ]
    return list(numbers), indices


def query_location(text: str) -> str:
    """Return the location of an error about a query: its text, shortened."""
    return f"query {text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + '…'!r}"


def check_ids(texts: Sequence[str], ids: NDArray[np.int32], starts: Integers, n_ids: int) -> None:
    """Raise `InputError` if the tokenizer gives an id beyond the model's `n_ids`. `ids` holds the
    ids of all texts, which begin at the indices `starts`."""
    beyond = np.flatnonzero(ids >= n_ids)
    if len(beyond):
        text = texts[np.searchsorted(starts, beyond[0], side="right") - 1]  # that has this id
        wrong = f"the tokenizer's id {ids.max()} is not among the model's {n_ids}"
        right = "model and tokenizer that belong together"
        raise InputError(query_location(text), wrong, right, kind="conflict")


def check_subwords(texts: Sequence[str], continuations: Sequence[str], lacking: Truths) -> None:
    """Raise `InputError` for the first continuation that has no subword, if there is one; `lacking`
    says of each continuation whether it has none."""
    if lacking.any():
        row = int(lacking.argmax())
        wrong = f"the tokenizer makes no subword of the continuation {continuations[row]!r}"
        raise InputError(
            query_location(texts[row]), wrong, "characters that it knows", kind="unsupported"
        )


def checked_surprisals(
    log_p: NDArray[np.float64], texts: Sequence[str], rows: Integers
) -> NDArray[np.float64]:
    """Return the surprisals −ln p in nats, with 0 for those that rounding puts below 0.

    Raises `InputError` if a number is NaN, with the text that it belongs to; `rows` holds for each
    number the index of its text in `texts`.
    """
    not_numbers = np.flatnonzero(np.isnan(log_p))
    if len(not_numbers):
        location = query_location(texts[rows[not_numbers[0]]])
        raise InputError(location, "the model answers NaN", "dtype float32", kind="unsupported")
    return np.maximum(0.0, -log_p)


def _hide_controls(tokenizer: tokenizers.Tokenizer) -> str:
    """Return a tokenizer as JSON, changed so that no text matches a control token.

    `tokenizers` has a setting for this, but a unigram model has control tokens among its vocabulary
    entries too and would match them there; so these entries are renamed.
    """
    json_text = str(tokenizer.to_str())
    if not isinstance(tokenizer.model, tokenizers.models.Unigram):
        return json_text
    facts = json.loads(json_text)
    for n, token in tokenizer.get_added_tokens_decoder().items():
        for entry in facts["model"]["vocab"][n : n + 1]:  # a list, [text, log p]; none if beyond
            if token.special and entry[0] == token.content:
                entry[0] += NONCHARACTER
    return json.dumps(facts)


def _equal(actual: SubwordTexts, expected: SubwordTexts) -> bool:
    """Return whether ids and spans are equal."""
    names = ("ids", "offsets", "starts", "ends")
    return all(np.array_equal(getattr(actual, name), getattr(expected, name)) for name in names)
