"""Surprisal word by word: what a word is, what it sums, what is told with it. Component oracle."""

import math
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data import Region, Wording
from colorless_green.data.tables import Row
from colorless_green.scoring import Surprisals
from colorless_green.scoring.questions.reading_times import split_words, word_row


def wording(*regions: tuple[str, str]) -> Wording:
    """Regions from (text, words joined by blanks)."""
    return tuple(
        Region(str(n), tuple(words.split()), text) for n, (text, words) in enumerate(regions)
    )


QUOTED = wording(("“The keys,", "“ The keys ,"), (" she said.", "she said ."))


def rows(sentence: Wording, answer: Surprisals, unit: str, counts: dict[str, float]) -> list[Row]:
    return [
        word_row(word, answer, lambda form: counts.get(form, -1.0))
        for word in split_words(sentence, unit)
    ]


def spanned(*spans: tuple[int, int]) -> Surprisals:
    """Return the nth subword has 2 ** n bits, so that a sum tells what is in it."""
    return Surprisals(tuple(2.0**n for n in range(len(spans))), spans, (False,) * len(spans))


def bits(found: Sequence[Row]) -> list[object]:
    return [row["surprisal_bits"] for row in found]


def test_a_word_is_what_stands_between_blanks_with_its_punctuation() -> None:
    subwords = spanned((0, 1), (1, 4), (4, 9), (9, 10), (10, 14), (14, 19), (19, 20))
    found = rows(QUOTED, subwords, "text", {"keys": 5.0, "said": 6.0})
    assert [row["word"] for row in found] == ["“The", "keys,", "she", "said."]
    assert bits(found) == [1 + 2, 4 + 8, 16, 32 + 64]
    assert [row["length"] for row in found] == [3, 4, 3, 4]
    assert [row["log2_frequency"] for row in found] == [-1.0, 5.0, -1.0, 6.0]
    assert [row["n_subwords"] for row in found] == [2, 2, 1, 2]


def test_a_model_of_words_gives_the_same_words_as_one_of_subwords() -> None:
    tokens = spanned(*((n, n + 1) for n in range(7)))
    found = rows(QUOTED, tokens, "words", {})
    assert [row["word"] for row in found] == ["“The", "keys,", "she", "said."]
    assert bits(found) == [1 + 2, 4 + 8, 16, 32 + 64]


def test_a_text_without_blanks_falls_into_the_words_of_the_item() -> None:
    chinese = wording(("他喜欢", "他 喜欢"), ("书。", "书 。"))
    subwords = spanned(*((n, n + 1) for n in range(5)))
    found = rows(chinese, subwords, "text", {})
    assert [row["word"] for row in found] == ["他", "喜欢", "书", "。"]
    assert bits(found) == [1, 2 + 4, 8, 16]
    found = rows(chinese, spanned(*((n, n + 1) for n in range(4))), "words", {})
    assert [row["word"] for row in found] == ["他", "喜欢", "书", "。"]
    assert bits(found) == [1, 2, 4, 8]


def test_words_that_do_not_spell_the_text_have_a_row_each() -> None:
    odd = wording(("del gatto", "di il gatto"))
    for unit, words in (("words", ["di", "il", "gatto"]), ("text", ["del", "gatto"])):
        found = rows(odd, spanned(*((n, n + 1) for n in range(len(words)))), unit, {})
        assert [row["word"] for row in found] == words


texts = st.text(st.sampled_from("ab. ,"), min_size=1, max_size=20)


@given(texts, st.data())
def test_every_subword_is_in_one_word_and_nothing_is_lost(text: str, data: st.DataObject) -> None:
    sentence = wording((text, " ".join(text.split())))
    ends = sorted({*data.draw(st.sets(st.integers(1, len(text)))), len(text)})
    subwords = spanned(*zip([0, *ends], ends, strict=False))
    found = rows(sentence, subwords, "text", {})
    summed = math.fsum(float(row["surprisal_bits"] or 0) for row in found)
    assert summed == (math.fsum(subwords.bits) if text.strip() else 0)
    assert [row["word"] for row in found] == text.split()
