"""Measure each word of a sentence as studies of reading times do: surprisal, length, frequency.

A word is what stands between blanks, punctuation included, as in self-paced reading and eye
tracking; in a text without blanks it is a word of the item. Its surprisal is the sum over its
subwords (or over the words of a word-level model in it). Its length is in characters, without
punctuation at its ends. Its frequency is the base-2 logarithm of a count.
"""

import math
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ...data.items.item import Wording, sentence_text, sentence_words
from ...data.tables import Row
from .query import Query, Scorer, Span, Stretch, Surprisals, looks_ahead

FrequencyClass = Callable[[str], float]
"""From a form to the base-2 logarithm of its count"""


@dataclass(frozen=True, slots=True)
class WordSpan:
    """A word with its start and end (half-open): in characters, or in words of the item for a model
    that reads words."""

    form: str
    start: int
    end: int


def sentence_query(
    scorer: Scorer, wording: Wording, before: Sequence[Wording] = ()
) -> tuple[Query, int]:
    """Make the query for the surprisals of a whole sentence after earlier ones.

    Args:
        scorer: the model.
        wording: the sentence.
        before: the sentences before it, which the model reads as prefix.

    Returns:
        The query, then the length of the blank put before the sentence, by which the spans of the
        answer are shifted (see `shift_spans`).
    """
    ahead = looks_ahead(scorer)
    if scorer.unit == "words":
        words = tuple(word for earlier in before for word in sentence_words(earlier))
        suffix: Stretch | None = () if ahead else None
        return Query(words, (sentence_words(wording),), suffix), 0
    prefix = " ".join(map(sentence_text, before))
    blank = " " if prefix else ""
    text = blank + sentence_text(wording)
    return Query(prefix, (text,), "" if ahead else None), len(blank)


def shift_spans(answer: Surprisals, shift: int) -> Surprisals:
    """Return an answer with its spans moved back by `shift`, to count from the sentence's start."""
    return replace(answer, spans=tuple((start - shift, end - shift) for start, end in answer.spans))


def split_words(wording: Wording, unit: str) -> list[WordSpan]:
    """Cut a sentence into words, as studies of reading times count them.

    A word is what stands between blanks; in a text without blanks it is a word of the item.

    Args:
        wording: the sentence.
        unit: what the model reads, `text` or `words`.

    Returns:
        Each word with its span, from the end of the word before to its own end: in characters, or
        in words of the item.

    >>> from colorless_green.data import Region
    >>> sentence = (Region("*", ("keys", "open", "."), "keys open."),)
    >>> [(word.form, word.start, word.end) for word in split_words(sentence, "words")]
    [('keys', 0, 1), ('open.', 1, 3)]
    """
    text, tokens = sentence_text(wording), sentence_words(wording)
    token_ends = _token_ends(text, tokens)
    word_ends = [match.end() for match in re.finditer(r"\s*\S+", text)]
    if len(word_ends) == 1 and token_ends:  # no blanks: the words of the item
        word_ends = list(token_ends)
    if word_ends:
        word_ends[-1] = len(text)  # the last word takes the blanks behind it
    spans = list(zip([0, *word_ends], word_ends, strict=False))
    if unit == "text":
        return [WordSpan(text[start:end].strip(), start, end) for start, end in spans]
    if token_ends is None:  # the item's words do not spell the text: each is taken by itself
        return [WordSpan(token, n, n + 1) for n, token in enumerate(tokens)]
    return [
        WordSpan(text[start:end].strip(), *_tokens_within(token_ends, start, end))
        for start, end in spans
    ]


def _token_ends(text: str, tokens: Sequence[str]) -> list[int] | None:
    """Return the position at which each token ends in the text; `None` if the tokens do not spell
    it."""
    ends: list[int] = []
    position = 0
    for token in tokens:
        start = text.find(token, position)
        if start < 0 or text[position:start].strip():
            return None
        position = start + len(token)
        ends.append(position)
    return ends if not text[position:].strip() else None


def _tokens_within(token_ends: Sequence[int], start: int, end: int) -> Span:
    """Return the tokens that end between two positions of the text, as a half-open span: the number
    of the first, and of the one after the last; (0, 0) if there is none."""
    inside = [n for n, token_end in enumerate(token_ends) if start < token_end <= end]
    return (inside[0], inside[-1] + 1) if inside else (0, 0)


def word_row(
    word: WordSpan, answer: Surprisals, frequency_class: FrequencyClass | None = None
) -> Row:
    """Return the row of a word in the table of surprisals: its surprisal in bits, length, frequency
    and number of subwords.

    Args:
        word: the word with its span.
        answer: the surprisals of the sentence's subwords, whose spans count from its start.
        frequency_class: gives the frequency of a form; None leaves the column empty.
    """
    subwords = [
        n
        for n, (start, end) in enumerate(answer.spans)
        if word.start <= max(start, end - 1) < word.end  # its last character is in the word
    ]
    bare = _without_punctuation(word.form)
    return {
        "word": word.form,
        "surprisal_bits": math.fsum(answer.bits[n] for n in subwords) if subwords else None,
        "length": len(bare),
        "log2_frequency": frequency_class(bare) if frequency_class is not None and bare else None,
        "n_subwords": len(subwords),
        "oov": int(any(answer.oov[n] for n in subwords)),
    }


def _without_punctuation(word: str) -> str:
    """Return a word without the punctuation at its ends."""
    marks = {letter for letter in word if unicodedata.category(letter).startswith("P")}
    return word.strip("".join(marks)) if marks else word
