"""Frames learned from real treebanks: what must and must not go where, how much stays free."""

from collections import Counter

import pytest

from colorless_green.miner import (
    MISSING,
    REPAIRS,
    Analysis,
    Request,
    Sentence,
    Tree,
    Treebank,
    mine,
    normal,
    repair_for,
    sentences,
    treebank,
)
from colorless_green.nonce import (
    CONTENT,
    FrameCounter,
    FrameIndex,
)
from tests.builders import shared

pytestmark = pytest.mark.shared

ENGLISH = "UD_English-EWT-r2.0"


def bank_of(name: str) -> Treebank:
    return treebank([shared("treebanks", name)])


def read(source: Treebank) -> list[Sentence]:
    repair = REPAIRS.get(repair_for(source, "auto"))
    return [sentence for _, sentence in sentences(source, repair=repair)]


def learned(found: list[Sentence], language: str) -> FrameIndex:
    counter = FrameCounter(language)
    for each in found:
        counter.observe(each)
    return counter.index()


@pytest.fixture(scope="module")
def english() -> tuple[list[Sentence], FrameIndex]:
    """English EWT and its frames: read once for all tests here."""
    found = read(bank_of(ENGLISH))
    return found, learned(found, "en")


def able(index: FrameIndex, upos: str, lemma: str, question: str, answer: str) -> bool:
    return (question, answer) in index.able[upos, lemma]


@pytest.mark.parametrize(
    ("lemma", "signature", "expected"),
    [
        ("eat", "obj+", True),
        ("arrive", "obj+", False),
        ("arrive", "", True),
        ("put", "obj+", True),
        ("say", "ccomp++Fin", True),
        ("eat", "ccomp++Fin", False),
        ("want", "xcomp+to+Inf", True),
        ("say", "xcomp+to+Inf", False),
        ("give", "iobj+ obj+", True),
        ("see", "iobj+ obj+", False),
    ],
)
def test_english_verbs_take_the_arguments_that_they_take(
    english: tuple[list[Sentence], FrameIndex], lemma: str, signature: str, expected: bool
) -> None:
    assert able(english[1], "VERB", lemma, "args ", signature) is expected


def test_put_and_live_do_not_stand_alone(english: tuple[list[Sentence], FrameIndex]) -> None:
    _, index = english
    assert not able(index, "VERB", "put", "alone obj+", "yes")
    assert not able(index, "VERB", "live", "alone ", "yes")
    assert able(index, "VERB", "eat", "alone obj+", "yes")


@pytest.mark.parametrize("noun", ["information", "advice", "water", "food", "money"])
def test_english_mass_nouns_stand_bare_and_never_after_a(
    english: tuple[list[Sentence], FrameIndex], noun: str
) -> None:
    assert able(english[1], "NOUN", noun, "det Sing", "none")
    assert not able(english[1], "NOUN", noun, "det Sing", "ind")


@pytest.mark.parametrize("noun", ["dog", "car", "house", "letter", "example"])
def test_english_count_nouns_follow_a_and_never_stand_bare(
    english: tuple[list[Sentence], FrameIndex], noun: str
) -> None:
    assert able(english[1], "NOUN", noun, "det Sing", "ind")
    assert not able(english[1], "NOUN", noun, "det Sing", "none")


def test_only_persons_go_with_who(english: tuple[list[Sentence], FrameIndex]) -> None:
    _, index = english
    assert able(index, "NOUN", "man", "relative", "nsubj who")
    assert not able(index, "NOUN", "appointment", "relative", "nsubj who")
    assert ("NOUN", ("relative", "nsubj who")) not in index.evidence.free
    assert ("NOUN", ("relative", "nsubj that")) in index.evidence.free


def test_let_know_take_place_and_in_mind_are_bundles(
    english: tuple[list[Sentence], FrameIndex],
) -> None:
    _, index = english
    pairs = {(pair.head, pair.dependent) for pair in index.evidence.bundles}
    assert {("let", "know"), ("take", "care"), ("keep", "mind"), ("make", "sense")} <= pairs
    assert ("bare Sing", "by in") in index.evidence.idioms("fact")
    assert ("bare Sing", "by for") in index.evidence.idioms("example")


def test_adverbs_of_an_open_class_are_told_by_their_endings(
    english: tuple[list[Sentence], FrameIndex],
) -> None:
    assert "quickly".endswith(english[1].sound.endings)
    for adverb in ("here", "not", "rather", "often", "very", "soon"):
        assert not adverb.endswith(english[1].sound.endings)


def test_a_free_word_that_was_seen_often_enough_admits_itself(
    english: tuple[list[Sentence], FrameIndex],
) -> None:
    found, index = english
    n_checked = 0
    for words in found[:2000]:
        for slot, (frame, bound) in enumerate(index.slots(words)):
            own = (words.upos[slot], words.lemmas[slot].lower())
            if bound or not frame.demands <= index.able.get(own, frozenset()):
                continue
            analysis = (words.forms[slot], words.lemmas[slot], own[0], words.feats[slot])
            sound = (*analysis[:3], normal(words.feats[slot])) in index.sound.analyses
            assert index.admits(frame, *analysis) is sound
            n_checked += sound
    assert n_checked > 3000


def test_words_of_closed_classes_and_numerals_are_never_free(
    english: tuple[list[Sentence], FrameIndex],
) -> None:
    found, index = english
    for words in found[:1000]:
        for upos, slot in zip(words.upos, index.slots(words), strict=True):
            assert slot.bound or upos in CONTENT


def donors(index: FrameIndex, found: list[Sentence]) -> dict[tuple[str, str], list[Analysis]]:
    """(UPOS, normal FEATS) → the analyses of the treebank with them, once each."""
    counts: Counter[Analysis] = Counter()
    for words in found:
        counts.update(zip(words.forms, words.lemmas, words.upos, words.feats, strict=True))
    pools: dict[tuple[str, str], list[Analysis]] = {}
    for form, lemma, upos, feats in counts:
        if upos in CONTENT and lemma != MISSING:
            pools.setdefault((upos, normal(feats)), []).append((form, lemma, upos, feats))
    return pools


@pytest.mark.parametrize(
    ("name", "rule", "least"),
    [
        ("UD_English-EWT-r2.0", "released", 0.55),
        ("UD_Italian-VIT", "tested", 0.45),
        ("UD_Russian-GSD", "tested", 0.5),
        ("UD_French-Sequoia", "tested", 0.5),
    ],
)
def test_most_words_before_the_target_are_free_and_have_donors(
    name: str, rule: str, least: float
) -> None:
    source = bank_of(name)
    found = read(source)
    index = learned(found, source.language)
    pools = donors(index, found)
    n_words = n_served = 0
    for original in mine(source, Request(rule)).originals[:60]:
        tree = original.tree
        assert isinstance(tree, Tree)
        slots = index.slots(tree)
        for at in range(original.target_node):
            upos = tree.upos[at]
            if upos not in CONTENT:
                continue
            n_words += 1
            pool = pools.get((upos, normal(tree.feats[at])), [])
            n_served += not slots[at].bound and any(
                analysis[1] != tree.lemmas[at] and index.admits(slots[at].frame, *analysis)
                for analysis in pool
            )
    assert n_served >= least * n_words > 0
