"""Word by word surprisal, with what studies of reading times set beside it.

A word is what stands between blanks, its punctuation with it, as self-paced reading and eye
tracking have it; in a text without blanks it is a word of the item. Its surprisal is the sum over
its subwords (or over the words of a word-level model in it), its length counts characters without
the punctuation around, its frequency is the base-2 logarithm of a count.
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
"""log2 of the count of a form"""


@dataclass(frozen=True, slots=True)
class WordSpan:
    """A word with its place: half-open, in the units of the model that read it."""

    form: str
    start: int
    end: int


def sentence_query(
    scorer: Scorer, wording: Wording, before: Sequence[Wording] = ()
) -> tuple[Query, int]:
    """Return the question for a whole sentence after those before it, and by how much the spans of
    its answer are shifted by the blank between them."""
    ahead = looks_ahead(scorer)
    if scorer.unit == "words":
        words = tuple(word for earlier in before for word in sentence_words(earlier))
        suffix: Stretch | None = () if ahead else None
        return Query(words, (sentence_words(wording),), suffix), 0
    prefix = " ".join(map(sentence_text, before))
    blank = " " if prefix else ""
    text = blank + sentence_text(wording)
    return Query(prefix, (text,), "" if ahead else None), len(blank)


def shifted(answer: Surprisals, shift: int) -> Surprisals:
    """Return an answer with the spans of its sentence alone."""
    return replace(answer, spans=tuple((start - shift, end - shift) for start, end in answer.spans))


def words_of(wording: Wording, unit: str) -> list[WordSpan]:
    """Cuts a sentence into words, as studies of reading times count them.

    A word is what stands between blanks; in a text without blanks it is a word of the item.

    Args:
        wording: the sentence.
        unit: what the model reads, `text` or `words`.

    Returns:
        Each word, and its place from the end of the one before: in characters, or in words of the
        item.

    >>> from colorless_green.data import Region
    >>> sentence = (Region("*", ("keys", "open", "."), "keys open."),)
    >>> [(word.form, word.start, word.end) for word in words_of(sentence, "words")]
    [('keys', 0, 1), ('open.', 1, 3)]
    """
    text, tokens = sentence_text(wording), sentence_words(wording)
    ends = _token_ends(text, tokens)
    cuts = [match.end() for match in re.finditer(r"\s*\S+", text)]
    if len(cuts) == 1:
        cuts = [*(ends or [0])[:-1], 0]
    if cuts:
        cuts[-1] = len(text)  # the last word has the blanks behind it
    spans = list(zip([0, *cuts], cuts, strict=False))
    if unit == "text":
        return [WordSpan(text[start:end].strip(), start, end) for start, end in spans]
    if ends is None:  # the words do not spell the text: a row for each
        return [WordSpan(token, n, n + 1) for n, token in enumerate(tokens)]
    return [
        WordSpan(text[start:end].strip(), *_tokens_within(ends, start, end)) for start, end in spans
    ]


def _token_ends(text: str, tokens: Sequence[str]) -> list[int] | None:
    """Return where each token ends in `text`; `None` if the tokens do not spell it."""
    ends: list[int] = []
    position = 0
    for token in tokens:
        start = text.find(token, position)
        if start < 0 or text[position:start].strip():
            return None
        position = start + len(token)
        ends.append(position)
    return ends if not text[position:].strip() else None


def _tokens_within(ends: Sequence[int], start: int, end: int) -> Span:
    inside = [n for n, stop in enumerate(ends) if start < stop <= end]
    if not inside:
        return 0, 0
    return inside[0], inside[-1] + 1


def measured(
    word: WordSpan, answer: Surprisals, frequency_class: FrequencyClass | None = None
) -> Row:
    """Return the word with its surprisal, length and frequency, from the answer about its
    sentence."""
    inside = [
        n
        for n, (start, end) in enumerate(answer.spans)
        if word.start <= max(start, end - 1) < word.end
    ]
    bare = _bare(word.form)
    return {
        "word": word.form,
        "surprisal_bits": math.fsum(answer.bits[n] for n in inside) if inside else None,
        "length": len(bare),
        "log2_frequency": frequency_class(bare) if frequency_class is not None and bare else None,
        "n_subwords": len(inside),
        "oov": int(any(answer.oov[n] for n in inside)),
    }


def _bare(word: str) -> str:
    """`word` without the punctuation around it."""
    start, end = 0, len(word)
    while start < end and unicodedata.category(word[start]).startswith("P"):
        start += 1
    while end > start and unicodedata.category(word[end - 1]).startswith("P"):
        end -= 1
    return word[start:end]
