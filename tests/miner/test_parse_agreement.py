"""Two parses of one text: how far they agree, and which sentences of them belong together."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.seeds import shuffled
from colorless_green.miner import Sentence, agreement, concordant, paired, raw_text, read
from tests.builders import conllu, mistake, sentence, write_conllu

KEYS = sentence("the/DET/-/2", "keys/NOUN/Plur/3", "are/AUX/Plur/0", "./PUNCT/-/3")


@st.composite
def sentences(draw: st.DrawFn) -> Sentence:
    """A tree over one to five words of a small vocabulary."""
    n = draw(st.integers(1, 5))
    root = draw(st.integers(0, n - 1))
    order = draw(st.permutations([index for index in range(n) if index != root]))
    above = [root, *order]
    heads = [-1] * n
    for place, index in enumerate(order, start=1):
        heads[index] = draw(st.sampled_from(above[:place]))
    words = draw(st.lists(st.sampled_from("ab"), min_size=n, max_size=n))
    return replace(
        KEYS,
        comments=(),
        forms=tuple(words),
        lemmas=tuple(words),
        upos=tuple(draw(st.lists(st.sampled_from(["NOUN", "VERB"]), min_size=n, max_size=n))),
        xpos=("_",) * n,
        feats=("_",) * n,
        heads=tuple(heads),
        deprels=tuple(
            draw(st.lists(st.sampled_from(["nsubj", "nsubj:pass", "obj"]), min_size=n, max_size=n))
        ),
        deps=("_",) * n,
        misc=("_",) * n,
    )


@given(sentences())
def test_a_parse_agrees_with_itself_wholly(one: Sentence) -> None:
    assert agreement(one, one) == 1


@given(sentences(), sentences())
def test_agreement_is_a_share_and_has_no_direction(one: Sentence, other: Sentence) -> None:
    assert 0 <= agreement(one, other) == agreement(other, one) <= 1


@given(sentences(), sentences())
def test_other_words_do_not_agree_at_all(one: Sentence, other: Sentence) -> None:
    assert one.forms == other.forms or agreement(one, other) == 0


@pytest.mark.parametrize(
    ("changed", "share"),
    [
        ({"upos": ("DET", "NOUN", "VERB", "PUNCT")}, 0.75),
        ({"heads": (2, 2, -1, 1)}, 0.5),
        ({"deprels": ("dep", "dep:of", "root", "dep")}, 1),
        ({"deprels": ("dep", "nsubj", "root", "dep")}, 0.75),
        ({"feats": ("_",) * 4, "lemmas": ("x",) * 4, "xpos": ("x",) * 4}, 1),
        ({"forms": ("The", "keys", "are", ".")}, 0),
    ],
)
def test_upos_head_and_universal_relation_must_be_the_same(
    changed: dict[str, tuple[str, ...]], share: float
) -> None:
    assert agreement(KEYS, replace(KEYS, **changed)) == share  # type: ignore[arg-type]  # of columns


def test_a_multiword_token_on_one_side_alone_is_another_tokenisation() -> None:
    rows = ("de/ADP/-/2", "il/DET/-/0")
    assert agreement(sentence(*rows), sentence("1-2 del", *rows)) == 0


def text_of(found: Sequence[str]) -> Iterator[Sentence]:
    """Sentences of one word a letter, with these texts."""
    for number, text in enumerate(found):
        letters = [f"{each}/X/-/{int(n > 0)}" for n, each in enumerate(text)]
        yield replace(sentence(*letters), number=number, comments=(f"# text = {' '.join(text)}",))


def pairs(ours: Sequence[str], theirs: Sequence[str], window: int = 1_000) -> list[str | None]:
    """Of each of our sentences: its text with the place of its counterpart."""
    found = list(paired(text_of(ours), text_of(theirs), window))
    assert [raw_text(one).replace(" ", "") for one, _ in found] == list(ours)
    return [
        None if other is None else f"{''.join(other.forms)}{other.number}" for _, other in found
    ]


def segmented(text: str, ends: Sequence[int]) -> list[str]:
    edges = [0, *sorted({end for end in ends if 0 < end < len(text)}), len(text)]
    return [text[start:end] for start, end in pairwise(edges)]


TEXT = st.text("abc", min_size=1, max_size=12)
ENDS = st.lists(st.integers(1, 11), max_size=8)


@given(TEXT, ENDS, ENDS)
def test_two_splits_of_one_text_pair_exactly_the_sentences_with_the_same_ends(
    text: str, one: list[int], other: list[int]
) -> None:
    def spans(parts: list[str]) -> list[tuple[int, int]]:
        ends = [sum(map(len, parts[: n + 1])) for n in range(len(parts))]
        return list(zip([0, *ends], ends, strict=False))

    ours, theirs = segmented(text, one), segmented(text, other)
    places = {span: number for number, span in enumerate(spans(theirs))}
    expected = [
        f"{part}{places[span]}" if span in places else None
        for part, span in zip(ours, spans(ours), strict=True)
    ]
    assert pairs(ours, theirs) == expected


@given(st.lists(TEXT, max_size=8), st.lists(TEXT, max_size=8), st.integers(1, 9))
def test_pairs_have_the_same_text_and_never_cross(
    ours: list[str], theirs: list[str], window: int
) -> None:
    found = list(paired(text_of(ours), text_of(theirs), window))
    assert all(other is None or one.forms == other.forms for one, other in found)
    numbers = [other.number for _, other in found if other is not None]
    assert numbers == sorted(set(numbers))


@given(st.lists(TEXT, min_size=1, max_size=12, unique=True), st.data())
def test_what_the_second_parse_lacks_has_no_counterpart_and_all_else_has(
    ours: list[str], data: st.DataObject
) -> None:
    lacking = data.draw(st.sets(st.sampled_from(ours)))
    theirs = [text for text in ours if text not in lacking]
    found = pairs([f"{text}." for text in ours], [f"{text}." for text in theirs])
    assert [each is None for each in found] == [text in lacking for text in ours]


def test_they_meet_again_at_the_nearest_sentence_that_both_have() -> None:
    assert pairs(["a", "b", "c", "d"], ["x", "y", "c", "d", "b"]) == [None, None, "c2", "d3"]


def test_no_sentence_is_looked_for_beyond_the_window() -> None:
    assert pairs(["a", "b"], ["x", "y", "z", "a", "b"], window=4) == ["a3", "b4"]
    assert pairs(["a", "b"], ["x", "y", "z", "a", "b"], window=3) == [None, None]


def test_only_so_many_sentences_are_held_at_a_time() -> None:
    rng = random.Random(0)
    texts = shuffled(rng, [f"{n:b}".translate({48: "a", 49: "b"}) for n in range(200)])
    read_so_far = Counter[str]()

    def counting(found: Sequence[str], name: str) -> Iterator[Sentence]:
        for each in text_of(found):
            read_so_far[name] += 1
            yield each

    for n_done, _ in enumerate(paired(counting(texts, "ours"), counting(texts, "theirs"), 10)):
        assert read_so_far["ours"] <= n_done + 10


def test_what_goes_is_told_with_its_reason_and_the_rest_stays_in_order(tmp_path: Path) -> None:
    rows = ("a/NOUN/-/2", "b/VERB/-/0")
    ours = write_conllu(
        tmp_path / "a.conllu",
        *[conllu(*rows, sent_id=name) for name in ("same", "half", "split")],
        conllu("only/X/-/0", sent_id="ours"),
        conllu("End/X/-/0", sent_id="end"),
    )
    theirs = write_conllu(
        tmp_path / "b.conllu",
        conllu(*rows),
        conllu("a/ADJ/-/2", rows[1], sent_id="s2"),
        conllu("a b/X/-/0", sent_id="s3"),
        conllu("End/X/-/0", sent_id="s4"),
    )
    dropped: list[tuple[str, str]] = []
    kept = concordant(
        read(ours), read(theirs), 0.6, on_dropped=lambda s, why: dropped.append((s.sent_id, why))
    )
    assert [(each.sent_id, share) for each, share in kept] == [("same", 1), ("end", 1)]
    assert [sent_id for sent_id, _ in dropped] == ["half", "split", "ours"]
    assert len({why for _, why in dropped}) == 3


def test_a_sentence_that_agrees_just_enough_stays() -> None:
    other = replace(KEYS, upos=("DET", "NOUN", "VERB", "PUNCT"))
    assert [share for _, share in concordant([KEYS], [other], 0.75)] == [0.75]
    assert list(concordant([KEYS], [other], 0.76)) == []


def test_a_minimum_of_nothing_keeps_all_that_have_a_counterpart() -> None:
    found = concordant(text_of(["ab", "c"]), text_of(["ab"]), 0)
    assert [share for _, share in found] == [1]


@pytest.mark.parametrize("minimum", [-0.1, 1.5, float("nan")])
def test_a_minimum_that_is_no_share_is_refused(minimum: float) -> None:
    with mistake("value", "--min-agreement"):
        list(concordant([], [], minimum))
