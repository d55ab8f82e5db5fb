"""Word by word surprisal, with what studies of reading times set beside it.

A word is what stands between blanks, its punctuation with it, as self-paced reading and eye
tracking have it; in a text without blanks it is a word of the item. Its surprisal is the sum over
its subwords (or over the words of a word-level model in it), its length counts characters without
the punctuation around, its frequency is the base-2 logarithm of a count. The two words before it
bring the same columns again, for spill-over (Smith & Levy 2013, §2.3).
"""

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...data.arrays import Integers
from ...data.items.item import Wording, sentence_text, sentence_words
from ...data.tables import Row
from .answer_columns import Answers, surprisals
from .plan import Plan
from .query import Span, Surprisals

MEASURES = ("surprisal_bits", "length", "log2_frequency")
LAGS = ("previous", "second_previous")
NOTHING = Surprisals((), (), ())  # of an empty sentence, which nobody is asked for

FrequencyClass = Callable[[str], float]
"""log2 of the count of a form"""


@dataclass(frozen=True, slots=True)
class WordSpan:
    """A word with its place: half-open, in the units of the model that read it."""

    form: str
    start: int
    end: int


def word_rows(
    plan: Plan, blocks: Iterable[tuple[Integers, Answers]], frequency_class: FrequencyClass | None
) -> Iterator[Row]:
    """Tabulates surprisal, length and frequency word by word, for studies of reading times.

    Args:
        plan: what was asked, one of `plan_sentences`.
        blocks: rows of its questions with their answers.
        frequency_class: form → base-2 logarithm of its count; `None`: no frequencies.

    Yields:
        One row for each word of each sentence that the model could read, in the order of the plan:
        less run, model and suite; `word_index` counts from 0, `previous_…` are of the words before.

    >>> from pathlib import Path
    >>> from colorless_green import load_model, load_suite
    >>> from colorless_green.scoring import answer_plan, plan_sentences
    >>> _ = Path("words.txt").write_text("the key keys is are old .")
    >>> _ = Path("keys.tsv").write_text("right\\twrong\\nthe keys are .\\tthe keys is .\\n")
    >>> plan = plan_sentences(load_suite("keys.tsv").items, "words", looks_ahead=False, eos="none")
    >>> rows = word_rows(plan, answer_plan(load_model("uniform:words.txt").scorer, plan), None)
    >>> [(row["word"], row["surprisal_bits"], row["length"]) for row in rows][:2]
    [('the', 3.0, 3), ('keys', 3.0, 4)]
    """
    answers: dict[int, Surprisals] = {}
    for rows, block in blocks:
        answers.update((row, surprisals(block, n)) for n, row in enumerate(rows.tolist()))
    wordings = (
        (item.item_id, condition, index, wording)
        for item in plan.table
        for condition, sentences in item.conditions.items()
        for index, wording in enumerate(sentences)
    )
    question = dict(zip(plan.sentence.tolist(), plan.question.tolist(), strict=True))
    for sentence, (item_id, condition, sentence_index, wording) in enumerate(wordings):
        answer = answers.get(question[sentence], NOTHING)
        if answer.refused:
            continue
        measured = [
            measured(word, answer, frequency_class) for word in words_of(wording, plan.unit)
        ]
        for index, row in enumerate(measured):
            yield {
                "item_id": item_id,
                "condition": condition,
                "sentence_index": sentence_index,
                "word_index": index,
                **row,
                **{
                    f"{name}_{measure}": measured[index - lag][measure] if index >= lag else None
                    for lag, name in enumerate(LAGS, start=1)
                    for measure in MEASURES
                },
            }


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


def measured(word: WordSpan, answer: Surprisals, frequency_class: FrequencyClass | None) -> Row:
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
