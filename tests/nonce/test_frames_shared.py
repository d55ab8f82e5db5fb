"""Frames learned from real treebanks: what must and must not go where, how much stays free."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pytest

from colorless_green.data import Sentence, Tree, normal
from colorless_green.miner import (
    REPAIRS,
    Analysis,
    Rule,
    mine_treebank,
    sentences,
    treebank,
)
from colorless_green.nonce import FrameIndex
from tests.builders import shared
from tests.nonce.test_frames import (
    PRES,
    SING,
    THE,
    A,
    adverbial,
    intransitive,
    learned,
    noun_after,
    parsed,
    transitive,
    with_phrase,
)

pytestmark = pytest.mark.shared

CONTENT = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "ADV"})
ENGLISH = "UD_English-EWT-r2.0"


def read(name: str) -> list[Sentence]:
    """Return the sentences of a shared treebank, its annotation repaired as `mine` repairs it."""
    repair = REPAIRS.get("ewt-2.0" if name == ENGLISH else "none")
    bank = treebank([shared("treebanks", name)])
    return [sentence for _, sentence in sentences(bank, repair=repair)]


class English(NamedTuple):
    """English EWT and its frames."""

    sentences: list[Sentence]
    frames: FrameIndex
    analyses: Mapping[tuple[str, str], set[Analysis]]  # (UPOS, lemma) →

    def admits(self, rows: Sequence[str], slot: int, lemma: str, upos: str) -> bool:
        """Whether some form of a word may stand in a slot of a sentence."""
        frame = self.frames.slots(parsed(rows)[0])[slot].frame
        return any(self.frames.admits(frame, *each) for each in self.analyses[upos, lemma])

    def bound(self, *rows: str) -> list[bool]:
        """Which words of a sentence must stay."""
        (words,) = parsed(rows)
        return [self.frames.slots(words)[n].stays != "" for n in range(len(words))]


@pytest.fixture(scope="module")
def english() -> English:
    """Read once for all tests here."""
    found = read(ENGLISH)
    analyses: dict[tuple[str, str], set[Analysis]] = defaultdict(set)
    for each in found:
        for own in zip(each.forms, each.lemmas, each.upos, each.feats, strict=True):
            analyses[own[2], own[1].lower()].add(own)
    return English(found, learned(found), analyses)


VERBS = ("eat", "see", "give", "arrive", "say", "want", "put", "live", "sleep")


@pytest.mark.parametrize(
    ("rows", "expected"),
    [  # put and live do not stand alone, nor do give and see
        (transitive("see"), {"eat", "see", "give", "want"}),
        (intransitive("sleep"), {"eat", "sleep"}),
        (with_phrase(transitive("put"), "in"), {"put"}),
        ([*intransitive("say"), "it/it/PRON/_/5/nsubj", f"sleeps/sleep/VERB/{PRES}/3/ccomp"],
         {"say"}),
        ([*intransitive("want"), "to/to/PART/_/5/mark", "sleep/sleep/VERB/VerbForm=Inf/3/xcomp"],
         {"want"}),
        ([*intransitive("give"), "him/he/PRON/_/3/iobj", f"{THE}/6/det",
          f"dog/dog/NOUN/{SING}/3/obj"], {"give"}),
    ],
)  # fmt: skip
def test_english_verbs_take_the_arguments_that_they_take(
    english: English, rows: list[str], expected: set[str]
) -> None:
    assert {verb for verb in VERBS if english.admits(rows, 2, verb, "VERB")} == expected


MASS = ("information", "advice", "water", "food", "money")
COUNT = ("dog", "car", "house", "letter", "example")


def test_english_mass_nouns_stand_bare_and_count_nouns_after_a(english: English) -> None:
    (bare,), (counted,) = noun_after("", "rain"), noun_after(A, "wall")
    nouns = (*MASS, *COUNT)
    assert tuple(n for n in nouns if english.admits(bare, 0, n, "NOUN")) == MASS
    assert tuple(n for n in nouns if english.admits(counted, 1, n, "NOUN")) == COUNT


def test_only_persons_go_with_who(english: English) -> None:
    def clause(pronoun: str) -> list[str]:
        return (
            f"{THE}/2/det poet/poet/NOUN/{SING}/5/nsubj "
            f"{pronoun}/{pronoun}/PRON/PronType=Rel/4/nsubj sings/sing/VERB/{PRES}/2/acl:relcl "
            f"sleeps/sleep/VERB/{PRES}/0/root"
        ).split()

    for noun, person in (("man", True), ("appointment", False)):
        assert english.admits(clause("who"), 1, noun, "NOUN") is person
        assert english.admits(clause("that"), 1, noun, "NOUN")


def test_let_know_take_care_and_in_fact_are_bundles(english: English) -> None:
    def takes(verb: str, *rows: str) -> list[bool]:
        she = f"she/she/PRON/{SING}/2/nsubj"
        return english.bound(she, f"{verb}s/{verb}/VERB/{PRES}/0/root", *rows)

    def phrase(adposition: str, noun: str, head: int) -> tuple[str, str]:
        own = f"{adposition}/{adposition}/ADP/_/{head + 2}/case"
        return own, f"{noun}/{noun}/NOUN/{SING}/2/obl"

    know = ("me/I/PRON/_/2/obj", "know/know/VERB/VerbForm=Inf/2/xcomp")
    assert takes("let", *know) == [True, True, True, True]
    assert takes("keep", "it/it/PRON/_/2/obj", *phrase("in", "mind", 3))[1::3] == [True, True]
    for verb, noun, bound in (("take", "care", True), ("make", "sense", True), ("take", "hat", 0)):
        assert takes(verb, f"{noun}/{noun}/NOUN/{SING}/2/obj")[1:] == [bool(bound)] * 2
    for adposition, noun, bound in (("in", "fact", 1), ("for", "example", 1), ("in", "garden", 0)):
        assert takes("sleep", *phrase(adposition, noun, 2))[1::2] == [False, bool(bound)]


def test_adverbs_of_an_open_class_are_told_by_their_endings(english: English) -> None:
    adverbs = ("quickly", "slowly", "here", "not", "rather", "often", "very", "soon")
    free = {
        adverb
        for adverb in adverbs
        if not english.bound(*adverbial(f"{adverb}/{adverb}/ADV/_/2/advmod"))[2]
    }
    assert free == {"quickly", "slowly"}


def test_nearly_half_of_the_free_words_were_seen_often_enough_to_admit_themselves(
    english: English,
) -> None:
    own = [
        english.frames.admits(frame, form, lemma, upos, feats)
        for words in english.sentences[:2000]
        for (frame, bound), form, lemma, upos, feats in zip(
            english.frames.slots(words), words.forms, words.lemmas, words.upos, words.feats,
            strict=True,
        )
        if not bound
    ]  # fmt: skip
    assert (len(own), sum(own)) == (9_919, 4_461)


def test_words_of_closed_classes_and_numerals_are_never_free(english: English) -> None:
    found, index = english.sentences, english.frames
    for words in found[:1000]:
        for upos, slot in zip(words.upos, index.slots(words), strict=True):
            assert slot.stays or upos in CONTENT


def donors(index: FrameIndex, found: list[Sentence]) -> dict[tuple[str, str], list[Analysis]]:
    """(UPOS, normal FEATS) → the analyses of the treebank with them, once each."""
    counts: Counter[Analysis] = Counter()
    for words in found:
        counts.update(zip(words.forms, words.lemmas, words.upos, words.feats, strict=True))
    pools: dict[tuple[str, str], list[Analysis]] = {}
    for form, lemma, upos, feats in counts:
        if upos in CONTENT and lemma != "_":
            pools.setdefault((upos, normal(feats)), []).append((form, lemma, upos, feats))
    return pools


@pytest.mark.parametrize(
    ("name", "rule", "least"),
    [
        ("UD_English-EWT-r2.0", "released", 0.54), ("UD_Italian-VIT", "tested", 0.4),
        ("UD_Russian-GSD", "tested", 0.5), ("UD_French-Sequoia", "tested", 0.5),
    ],
)  # fmt: skip
def test_most_words_before_the_target_are_free_and_have_donors(
    name: str, rule: str, least: float
) -> None:
    source = treebank([shared("treebanks", name)])
    found = read(name)
    index = learned(found, source.language)
    pools = donors(index, found)
    n_words = n_served = 0
    for original in mine_treebank(source, Rule(extends=rule)).agreements[:60]:
        tree = original.tree
        assert isinstance(tree, Tree)
        slots = index.slots(tree)
        for at in range(original.target_node):
            upos = tree.upos[at]
            if upos not in CONTENT:
                continue
            n_words += 1
            pool = pools.get((upos, normal(tree.feats[at])), [])
            n_served += not slots[at].stays and any(
                analysis[1] != tree.lemmas[at] and index.admits(slots[at].frame, *analysis)
                for analysis in pool
            )
    assert n_served >= least * n_words > 0
