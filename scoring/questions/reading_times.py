"""Word by word surprisal, with what studies of reading times set beside it.

A word is what stands between blanks, its punctuation with it, as self-paced reading and eye
tracking have it; in a text without blanks it is a word of the item. Words are regions: a word's
surprisal is the sum over its subwords (or over the words of a word-level model in it). Its length
counts characters without the punctuation around, its frequency is the base-2 logarithm of a count.
The two words before it bring the same columns again, for spill-over (Smith & Levy 2013, §2.3).
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

import polars as pl

from ...data.arrays import Integers
from ...data.items.item import Item
from ...data.items.item_table import table_of
from ...data.items.penn import penn
from ...data.items.sentences import RegionPart
from ...data.schema import LAGS, WORD_MEASURES
from .answer_columns import Answers
from .plan import Plan, plan_sentences
from .region_surprisals import region_frame, surprisal_of

FrequencyClass = Callable[[str], float]
"""log2 of the count of a form"""


def plan_words(items: Sequence[Item], unit: str, *, looks_ahead: bool, eos: str) -> Plan:
    """Plan to ask for every sentence as a whole, with its words as regions.

    Args:
        items: the items.
        unit: what the model reads, `words` or `text`.
        looks_ahead: the model is told what follows, too.
        eos: the end of the sentence, as of `plan_suite`; it belongs to no word.

    Returns:
        The distinct questions, and which word each part of an answer is about.

    >>> from pathlib import Path
    >>> from colorless_green import load_suite
    >>> _ = Path("keys.tsv").write_text("right\\twrong\\nthe keys are .\\tthe keys is .\\n")
    >>> plan = plan_words(load_suite("keys.tsv").items, "text", looks_ahead=False, eos="none")
    >>> plan.end.tolist()
    [3, 8, 12, 14, 3, 8, 11, 13]
    """
    table = table_of(items)
    sentences = table.sentences
    words = {n: _words(sentences.parts(n), unit) for n in range(len(sentences.condition))}
    asked_end = eos if eos == "none" else "sentence"
    return plan_sentences(
        table.changed(sentences.replaced(words)), unit, looks_ahead=looks_ahead, eos=asked_end
    )


def _words(parts: Sequence[RegionPart], unit: str) -> list[RegionPart]:
    """Return the words of a sentence as its regions: what stands between blanks; in a text without
    blanks each word of the item, and for a model of words also where these do not spell the
    text."""
    text = "".join(text for _, text, _ in parts)
    tokens = [word for _, own, words in parts for word in (penn(own) if words is None else words)]
    ends = _token_ends(text, tokens)
    if ends is None and unit == "words":
        return [(str(n), token, (token,)) for n, token in enumerate(tokens)]
    cuts = [match.end() for match in re.finditer(r"\s*\S+", text)]
    if len(cuts) == 1:
        cuts = [*(ends or [0])[:-1], 0]
    if cuts:
        cuts[-1] = len(text)  # the last word has the blanks behind it
    placed = list(zip(tokens, ends or (), strict=False))
    return [
        (str(n), text[start:end], tuple(token for token, stop in placed if start < stop <= end))
        for n, (start, end) in enumerate(pairwise([0, *cuts]))
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


def word_frame(
    plan: Plan,
    answers: Iterable[tuple[Integers, Answers]],
    frequency_class: FrequencyClass | None = None,
) -> pl.DataFrame:
    """Tabulate surprisal, length and frequency word by word, for studies of reading times.

    Args:
        plan: what was asked, one of `plan_words`.
        answers: rows of its questions with their answers.
        frequency_class: form → base-2 logarithm of its count; `None`: no frequencies.

    Returns:
        One row for each word of each sentence that the model could read, in the order of the plan:
        less run, model and suite; `word_index` counts from 0, `previous_…` are of the words before.

    >>> from pathlib import Path
    >>> from colorless_green import load_model, load_suite
    >>> from colorless_green.scoring import answer_plan
    >>> _ = Path("words.txt").write_text("the key keys is are old .")
    >>> _ = Path("keys.tsv").write_text("right\\twrong\\nthe keys are .\\tthe keys is .\\n")
    >>> plan = plan_words(load_suite("keys.tsv").items, "words", looks_ahead=False, eos="none")
    >>> words = word_frame(plan, answer_plan(load_model("uniform:words.txt").scorer, plan))
    >>> words.select("word", "surprisal_bits", "length").rows()[:2]
    [('the', 3.0, 3.0), ('keys', 3.0, 4.0)]
    """
    rows = region_frame(plan, surprisal_of(plan, answers))
    words = [text.strip() for text in rows["text"]]
    bare = {word: _bare(word) for word in words}
    counted = {word: frequency_class(form) for word, form in bare.items() if form
               } if frequency_class is not None else {}  # fmt: skip
    table = rows.with_columns(
        pl.col("region").cast(pl.Int64).alias("word_index"),
        pl.when(pl.col("n_subwords") > 0).then("surprisal_bits"),
        pl.Series("word", words, pl.String),
        pl.Series("length", [len(bare[word]) for word in words], pl.Float64),
        pl.Series("log2_frequency", list(map(counted.get, words)), pl.Float64),
    )
    sentence = ("item_id", "condition", "sentence_index")
    return table.with_columns(
        pl.col(measure).shift(lag).over(sentence).alias(f"{name}_{measure}")
        for lag, name in enumerate(LAGS, start=1)
        for measure in WORD_MEASURES
    )


def _bare(word: str) -> str:
    """Return a word without the punctuation around it."""
    start, end = 0, len(word)
    while start < end and unicodedata.category(word[start]).startswith("P"):
        start += 1
    while end > start and unicodedata.category(word[end - 1]).startswith("P"):
        end -= 1
    return word[start:end]
