"""What each baseline can and cannot know: laws, planted leaks, and one example of each."""

import math
from collections import Counter
from typing import TypeAlias

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from colorless_green.data import Item
from colorless_green.nonce import (
    ABOVE,
    BELOW,
    Audit,
    BaselineAccuracy,
    audit_items,
    frequencies_from,
)
from tests.nonce.audit_material import agreeing_pair, both_directions, sentences

WORD = st.text("abc", min_size=1, max_size=3)
FRAME = st.lists(WORD, min_size=1, max_size=4).map(" ".join)
FRAMES = st.lists(st.tuples(FRAME, st.tuples(WORD, WORD)), min_size=2, max_size=8)


def found(audit: Audit, baseline: str) -> BaselineAccuracy:
    """The figure of a baseline for the whole."""
    (figure,) = [each for each in audit.figures if not each.cell and each.baseline == baseline]
    return figure


def run(*items: Item, counts: dict[str, float] | None = None, by: str = "kind") -> Audit:
    result = audit_items(items, frequencies_from(counts) if counts else None, by=(by,))
    assert result.n_pairs == len(items)
    return result


@given(FRAMES, st.none() | st.dictionaries(WORD, st.floats(0.5, 1e6), min_size=1))
def test_in_a_set_of_both_directions_form_alone_is_worth_nothing(
    frames: list[tuple[str, tuple[str, str]]], counts: dict[str, float] | None
) -> None:
    items = [
        item
        for number, (frame, forms) in enumerate(frames)
        for item in both_directions(f"{frame} {number}", forms, cluster=str(number))
    ]
    result = run(*items, counts=counts)
    for name in ("majority_value", "unigram", "words", "target_letters", "shorter_in_letters"):
        figure = found(result, name)
        assert (figure.accuracy, figure.warning) == (0.5, ""), name


@given(st.lists(FRAME, min_size=6, max_size=9, unique=True), st.data())
def test_a_word_planted_in_every_right_sentence_is_found(
    frames: list[str], data: st.DataObject
) -> None:
    items = []
    for number, frame in enumerate(frames):
        words = frame.split()
        at = data.draw(st.integers(0, len(words)))
        right, wrong = (
            " ".join([*words[:at], word, *words[at:]]) for word in ("leak", f"w{number}")
        )
        items.append(sentences(right, wrong))
    figure = found(run(*items), "words")
    assert (figure.accuracy, figure.warning) == (1.0, ABOVE)


@given(st.lists(FRAME, min_size=6, max_size=9, unique=True))
def test_an_order_planted_in_every_right_sentence_is_found_by_bigrams_alone(
    frames: list[str],
) -> None:
    result = run(*(sentences(f"{frame} x y", f"{frame} y x") for frame in frames))
    assert found(result, "bigrams").accuracy == 1.0
    assert found(result, "bigrams").warning == ABOVE
    for name in ("words", "unigram", "target_letters", "shorter_in_words"):
        assert found(result, name).accuracy == 0.5, name


@given(st.lists(st.tuples(st.booleans(), FRAME), min_size=4, max_size=10))
def test_a_word_planted_by_value_in_the_prefix_is_found(rows: list[tuple[bool, str]]) -> None:
    counts = Counter(is_plural for is_plural, _ in rows)
    assume(min(counts[True], counts[False]) >= 2)  # else a value is not seen elsewhere
    items = [
        agreeing_pair(f"x{n} {'these' if plural else 'this'} v/{'Plur' if plural else 'Sing'}", "w")
        for n, (plural, _) in enumerate(rows)
    ]
    figure = found(run(*items), "prefix_words")
    assert (figure.accuracy, figure.warning) == (1.0, ABOVE)


@given(st.lists(st.tuples(FRAME, FRAME), min_size=1, max_size=8))
def test_bags_of_words_are_what_training_anew_for_each_cluster_gives(
    rows: list[tuple[str, str]],
) -> None:
    """Brute force: ln((g+.5)/(b+.5)) over types, from all other clusters; a tie, too, where the
    cluster back in, as it is or turned, makes one."""
    pairs = [(n % 3, f"{a} {n}".split(), b.split()) for n, (a, b) in enumerate(rows)]
    result = run(*(sentences(" ".join(a), " ".join(b), cluster=str(n)) for n, a, b in pairs))
    credits = [brute_force(pair, pairs) for pair in pairs]
    assert found(result, "words").accuracy == pytest.approx(sum(credits) / len(credits))


Sides: TypeAlias = tuple[int, list[str], list[str]]  # cluster, right and wrong words


def brute_force(pair: Sides, pairs: list[Sides]) -> float:
    others = [(right, wrong) for cluster, right, wrong in pairs if cluster != pair[0]]
    own = [(right, wrong) for cluster, right, wrong in pairs if cluster == pair[0]]
    known = {word for sides in others for side in sides for word in side}
    verdicts = []
    for train in (others, others + own, others + [(wrong, right) for right, wrong in own]):
        good = Counter(word for right, _ in train for word in set(right) & known)
        bad = Counter(word for _, wrong in train for word in set(wrong) & known)
        margin = sum(
            sign * math.log((good[word] + 0.5) / (bad[word] + 0.5))
            for sign, side in ((1, pair[1]), (-1, pair[2]))
            for word in sorted(set(side))
        )
        verdicts.append(0.5 if abs(margin) < 1e-9 else float(margin > 0))
    return 0.5 if 0.5 in verdicts else verdicts[0]


@given(st.lists(st.tuples(FRAME, FRAME), min_size=1, max_size=8))
def test_equal_bags_of_words_leave_words_and_frequency_undecided(
    rows: list[tuple[str, str]],
) -> None:
    items = [sentences(f"{a} {b}.", f"{b} {a}?") for a, b in rows]
    result = run(*items, counts={"a": 3, "b": 100, "ab": 1})
    assert found(result, "words").accuracy == 0.5
    assert found(result, "unigram").accuracy == 0.5


ANNOTATED = agreeing_pair(
    "keys/NOUN/Plur to/ADP/- the/DET/- cabinet/NOUN/Sing that/PRON/- were/AUX/Plur rust/VERB/Plur",
    "rusts",
)
UNTOLD = agreeing_pair("he/PRON/- goes/VERB/Sing", "go")
DUAL = agreeing_pair("he/PRON/- a/VERB/Dual", "b", values=("Dual", "Plur", "Sing"))
LENGTHS = [sentences("a bbb.", "a b c."), sentences("aa bb cc.", "a b.")]
ARE = sentences("they Are", "they is")
VALUES = [agreeing_pair(f"c{n} v/Sing", "w", cluster=str(n)) for n in range(3)]
VALUES += [agreeing_pair(f"d{n} w/Plur", "v", cluster=str(n)) for n in (3, 4)]
COPULAS = [
    agreeing_pair("a is/Sing", "are", cluster="1"),
    agreeing_pair("b is/Sing", "are", cluster="2"),
    agreeing_pair("c is/Sing", "are", cluster="3"),
    agreeing_pair("d are/Plur", "is", cluster="3", kind="nonce"),
]
STEMS = [
    agreeing_pair(f"c{n} {stem}s/Sing", stem)
    for n, stem in enumerate(["kick", "sing", "pat", "rub", "lick", "pick"])
]
PRONOUN = agreeing_pair("they/PRON/Plur go/VERB/Plur", "goes")
FRONTED = agreeing_pair(
    "in/ADP/- rooms/NOUN/Plur ,/PUNCT/- the/DET/- key/NOUN/Sing opens/VERB/Sing", "open"
)
OPENED = agreeing_pair("keys/NOUN/Plur that/SCONJ/- they/PRON/Plur open/VERB/Plur", "opens")
ARTICLE = agreeing_pair("these/DET/Plur sheep/NOUN/- graze/VERB/Plur", "grazes")
AFTER = [agreeing_pair(f"c{n} this v/Sing", "w", cluster=f"s{n}") for n in range(4)]
AFTER += [agreeing_pair("d this w/Plur", "v", cluster="p")]
BEYOND = [
    agreeing_pair(f"{cue} of a b c d{n} v/{value}", "w")
    for cue, value in (("key", "Sing"), ("keys", "Plur"))
    for n in range(3)
]
LONG = [
    agreeing_pair(f"{'x ' * n_words}{cue} v/{value}", "w")
    for value, n_words, cues in (("Sing", 1, "abc"), ("Plur", 7, "def"))
    for cue in cues
]
EXAMPLES = {
    "the nearest noun is a lure": ([ANNOTATED], "nearest_noun", 0),
    "the first noun is the cue": ([ANNOTATED], "first_noun", 1),
    "the nearest word agrees": ([ANNOTATED], "nearest_word", 1),
    "no word has the value: nearest noun": ([UNTOLD], "nearest_noun", 1 / 2),
    "no word has the value: first": ([UNTOLD], "first_noun", 1 / 2),
    "the second noun is a lure": ([ANNOTATED], "second_noun", 0),
    "there is one noun": ([PRONOUN], "second_noun", 1 / 2),
    "a noun after the comma": ([FRONTED], "after_subordinator", 1),
    "no noun after the conjunction": ([OPENED], "after_subordinator", 1 / 2),
    "the first noun is fronted": ([FRONTED], "first_noun", 0),
    "a noun against a noun": ([ANNOTATED], "vote_of_nouns", 1 / 2),
    "the article tells": ([ARTICLE], "first_word", 1),
    "a pronoun counts": ([PRONOUN], "nearest_noun", 1),
    "no noun is first": ([PRONOUN], "first_noun", 1 / 2),
    "after this word four times of five": (AFTER, "adjacent_word", 4 / 5),
    "further off there is nothing beside it": (BEYOND, "window", 1 / 2),
    "the whole prefix holds it": (BEYOND, "prefix_words", 1),
    "no verb comes again": (STEMS, "adjacent_word", 1 / 2),
    "as long before as the others of its value": (LONG, "length", 1),
    "no word differs": ([sentences("a b", "a b")], "words", 1 / 2),
    "no word has the value: nearest": ([UNTOLD], "nearest_word", 1 / 2),
    "a word has both values": (
        [agreeing_pair("fish/NOUN/Plur,Sing swim/VERB/Plur", "swims")], "nearest_word", 1 / 2,
    ),
    "one of three values": ([DUAL], "nearest_word", 1 / 3),
    "2 < 3 words, 3 > 2": (LENGTHS, "shorter_in_words", 1 / 2),
    "6 = 6 letters, 9 > 4": (LENGTHS, "shorter_in_letters", 1 / 4),
    "2:2 is left for Sing, 3:1 against Plur": (VALUES, "majority_value", 3 * 0.5 / 5),
    "two more of Sing": (
        [*VALUES, *(agreeing_pair(f"e{n} v/Sing", "w", cluster=str(n)) for n in (5, 6))],
        "majority_value", 5 / 7,
    ),
    "each cluster sees two originals: is": (COPULAS, "unigram", 3 / 4),
    "no trigram comes twice": (STEMS[:4], "target_letters", 1 / 2),
}  # fmt: skip


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_baseline_is_worth_what_its_name_says(name: str) -> None:
    items, baseline, accuracy = EXAMPLES[name]
    assert found(run(*items), baseline).accuracy == pytest.approx(accuracy)


def test_letters_of_the_target_that_are_right_elsewhere_are_guessed() -> None:
    assert found(run(*STEMS), "target_letters").accuracy > 0.5


def test_chance_is_one_in_as_many_values_as_there_are() -> None:
    assert found(run(DUAL), "nearest_word").chance == pytest.approx(1 / 3)
    assert found(run(ANNOTATED), "nearest_word").chance == 1 / 2


def test_unigram_takes_the_more_frequent_form_by_the_table_given() -> None:
    counts = {"is": 10.0, "are": 20.0}
    assert found(run(sentences("it is", "it are"), ARE, counts=counts), "unigram").accuracy == 0.5
    assert found(run(ARE, counts=counts), "unigram").accuracy == 1.0


def test_without_annotation_or_agreement_it_is_told_which_baselines_are_left_out() -> None:
    by_value = {"majority_value", "prefix_words"}
    by_word = {
        "nearest_noun", "nearest_word", "first_noun", "first_word", "second_noun",
        "after_subordinator", "vote_of_nouns",
    }  # fmt: skip
    plain, bare = run(sentences("a b", "a c")), run(agreeing_pair("key x opens/Sing", "open"))
    assert plain.left_out.keys() == by_value | by_word
    assert bare.left_out.keys() == by_word
    assert not set(bare.left_out.values()) & set(plain.left_out.values())


def test_a_rule_that_is_always_wrong_is_a_rule() -> None:
    items = [sentences(f"a{n} b c", f"a{n} b") for n in range(4)]
    assert found(run(*items), "shorter_in_words").warning == BELOW


def test_a_set_that_is_balanced_over_its_clusters_leaves_learners_undecided() -> None:
    """Two singulars, two plurals: what is left without one always has more of the other."""
    items = [agreeing_pair(f"c{n} v/Sing", "w") for n in range(2)]
    items += [agreeing_pair(f"d{n} w/Plur", "v") for n in range(2)]
    result = run(*items)
    for name in ("majority_value", "unigram", "words", "target_letters"):
        figure = found(result, name)
        assert (figure.accuracy, figure.warning) == (0.5, ""), name


def test_what_is_learnt_and_wrong_is_no_rule_turned_round() -> None:
    items = [agreeing_pair(f"a{n} v/Sing", "w") for n in range(4)]
    items += [agreeing_pair(f"b{n} w/Plur", "v", construction="rare") for n in range(2)]
    result = run(*items, by="construction")
    (rare,) = [
        each
        for each in result.figures
        if each.cell == ("rare",) and each.baseline == "majority_value"
    ]
    assert (rare.accuracy, rare.warning) == (0.0, "")


@given(FRAME, FRAME)
def test_the_credits_of_a_pair_and_of_its_reverse_add_up_to_one(one: str, other: str) -> None:
    results = [run(sentences(*sides)) for sides in ((one, other), (other, one))]
    for name in ("shorter_in_words", "shorter_in_letters"):
        assert sum(found(result, name).accuracy for result in results) == 1
