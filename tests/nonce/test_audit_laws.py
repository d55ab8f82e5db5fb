"""Component oracle of the audit: laws of credits, sets and verdicts whatever the items are; what is
learnt from other clusters is what a naive recount finds there, and no more."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from colorless_green.data import Item
from colorless_green.data.items.item import Nominal
from colorless_green.nonce import AuditResult, audit_items, frequencies_from
from colorless_green.nonce.audit.audited_pairs import AuditPair, pairs_of
from colorless_green.nonce.audit.baselines import (
    BASELINES,
    LearningKey,
    TrainingCount,
    leave_cluster_out,
)
from tests.builders import few_examples
from tests.nonce.audit_material import agreeing_pair, best, sentences

TOKEN = st.sampled_from(
    ["key/NOUN/Sing", "keys/NOUN/Plur", "it/PRON/Sing", "the/DET/-", "sheep/NOUN/Plur,Sing"]
)
PREFIXES = st.lists(
    st.tuples(st.lists(TOKEN, max_size=7), st.booleans()), min_size=1, max_size=10
)  # tokens, and whether the target is plural
FREQUENCIES = {"v": 3.0, "w": 1.0}


def verb(is_plural: bool) -> tuple[str, str]:
    """Return the value of a target with the right form, and the wrong form."""
    return ("w/VERB/Plur", "v") if is_plural else ("v/VERB/Sing", "w")


def items_of(prefixes: Iterable[tuple[list[str], bool]]) -> list[Item]:
    items = []
    for number, (tokens, is_plural) in enumerate(prefixes):
        right, wrong = verb(is_plural)
        text = " ".join([f"x{number}/DET/-", *tokens, right])
        items.append(agreeing_pair(text, wrong, cluster=str(number)))
    return items


def run(items: list[Item]) -> AuditResult:
    return audit_items(items, frequencies_from(FREQUENCIES), by=("kind",))


def whole(audit: AuditResult) -> dict[str, float]:
    return {each.baseline: each.accuracy for each in audit.figures if not each.cell}


def one_by_one(items: list[Item], baseline: str) -> list[float]:
    """Return the credit of each item, by an audit in which it is a cell of its own."""
    named = [replace(item, cell=item.item_id) for item in items]
    figures = audit_items(named, frequencies_from(FREQUENCIES), by=("cell",)).figures
    found = {each.cell[:1]: each.accuracy for each in figures if each.baseline == baseline}
    return [found[item.item_id,] for item in items]


@given(PREFIXES)
def test_exchanging_right_and_wrong_turns_fixed_rules_round_and_learners_follow(
    prefixes: list[tuple[list[str], bool]],
) -> None:
    one = whole(run(items_of(prefixes)))
    other = whole(run(items_of((tokens, not is_plural) for tokens, is_plural in prefixes)))
    assert one.keys() == other.keys() == BASELINES.keys()
    for name, accuracy in one.items():
        assert 0 <= accuracy <= 1
        is_rule = BASELINES[name].keys is None or name == "unigram"  # whose table was given
        assert other[name] == pytest.approx(1 - accuracy if is_rule else accuracy), name


@given(st.lists(st.lists(st.sampled_from("abcde"), max_size=6), min_size=2, max_size=8))
def test_on_a_set_balanced_by_construction_what_reads_no_cue_is_worth_exactly_a_half(
    frames: list[list[str]],
) -> None:
    """Every frame in both values, behind cues of one length."""
    items = [
        agreeing_pair(f"{cue} {' '.join(frame)} f{number} {right}", wrong, cluster=str(number))
        for number, frame in enumerate(frames)
        for cue, right, wrong in (("nut", "v/Sing", "w"), ("fig", "w/Plur", "v"))
    ]
    found = whole(run(items))
    names = (
        "majority_value", "unigram", "words", "length", "target_letters", "shorter_in_words",
        "shorter_in_letters",
    )  # fmt: skip
    assert {name: found[name] for name in names} == dict.fromkeys(names, 0.5)


@few_examples
@given(st.lists(st.booleans(), min_size=6, max_size=12))
def test_a_telling_word_is_seen_as_far_back_as_the_window_reaches(
    rows: list[bool],
) -> None:
    counts = Counter(rows)
    assume(min(counts[True], counts[False]) >= 3)  # else a value is not seen elsewhere
    for distance, name in ((1, "adjacent_word"), (1, "window"), (4, "window"), (5, "window")):
        items = []
        for number, is_plural in enumerate(rows):
            right, wrong = ("w/Plur", "v") if is_plural else ("v/Sing", "w")
            between = [f"n{number}{place}" for place in range(distance - 1)]
            cue = "these" if is_plural else "this"
            items.append(agreeing_pair(" ".join([f"f{number}", cue, *between, right]), wrong))
        found = whole(run(items))
        assert found[name] == (1 if distance <= 4 else 0.5)
        if distance > 1:
            assert found["adjacent_word"] == 0.5
        assert found["prefix_words"] == 1


@given(
    st.lists(
        st.tuples(st.sampled_from(["", "P", "Q", "R"]), st.lists(TOKEN, max_size=4), st.booleans()),
        min_size=1, max_size=8,
    ),
    st.sampled_from(["nearest_noun", "window", "words", "shorter_in_letters"]),
)  # fmt: skip
def test_joint_accuracy_is_the_mean_over_sets_of_the_product_of_credits(
    rows: list[tuple[str, list[str], bool]], name: str
) -> None:
    items = [
        replace(item, set_id=set_id)
        for item, (set_id, _, _) in zip(
            items_of((tokens, is_plural) for _, tokens, is_plural in rows), rows, strict=True
        )
    ]
    sets: dict[str, list[float]] = {}
    for item, credit in zip(items, one_by_one(items, name), strict=True):
        sets.setdefault(item.set_id, []).append(credit)
    told = [own for set_id, own in sets.items() if set_id and len(own) > 1]
    (figure,) = [e for e in run(items).figures if not e.cell and e.baseline == name]
    assert figure.n_sets == len(told)
    if not told:
        assert figure.joint is figure.joint_chance is None
        return
    assert figure.joint == pytest.approx(math.fsum(map(math.prod, told)) / len(told))
    chances = [0.5 ** len(own) for own in told]
    assert figure.joint_chance == pytest.approx(math.fsum(chances) / len(told))


def test_a_set_that_does_not_stand_in_a_cell_as_a_whole_is_not_counted_there() -> None:
    items = items_of([([], True), ([], False), ([], True), ([], True)])
    items = [replace(item, set_id=name) for item, name in zip(items, "PPQQ", strict=True)]
    figures = audit_items(items, by=("value",)).figures
    told = {each.cell: each.n_sets for each in figures if each.baseline == "nearest_noun"}
    assert told == {(): 2, ("Plur",): 1, ("Sing",): 0}


def telling(n_items: int, far: int) -> list[Item]:
    """Items whose value a word tells that stands `far` words before the target; singular and plural
    in turn."""
    return [
        agreeing_pair(
            " ".join([cue, *(f"n{number}{place}" for place in range(far - 1)), right]), wrong
        )
        for number in range(n_items)
        for cue, right, wrong in [
            ("they", "w/Plur", "v") if number % 2 else ("this", "v/Sing", "w")
        ]
    ]


def test_the_verdict_names_the_best_baseline_that_does_not_find_the_cue() -> None:
    audit = run(telling(12, 3))
    assert best(audit) == "window"
    assert audit.verdict == "a window of four words is right in all 12 items"


def test_a_rule_that_is_always_wrong_is_the_verdict_turned_round() -> None:
    audit = audit_items([sentences(f"a{n} b{n} c{n}", f"a{n} b{n}") for n in range(5)])
    assert best(audit) == "shorter_in_words"
    assert "wrong in all 5 items" in audit.verdict
    assert "opposite" in audit.verdict


def lured(value: str, between: str) -> Item:
    """Return an item with one noun between cue and target, of a value, or none."""
    tokens = ["key/NOUN/Sing", *([f"x/NOUN/{between}"] if between else []), f"v/VERB/{value}"]
    item = agreeing_pair(" ".join(tokens), "w")
    nominals = (Nominal(1, 1, 1, between),) if between else ()
    return replace(item, agreement=replace(item.agreement, nominals=nominals))  # type: ignore[type-var]


def test_what_stands_between_cue_and_target_makes_cells_of_its_own() -> None:
    items = [lured("Sing", between) for between in ("", "", "Sing", "Plur", "Plur", "Plur")]
    audit = audit_items(items)
    assert audit.cell_columns == ("construction", "value", "kind", "relation")
    told = {
        each.cell: (each.n_items, each.accuracy)
        for each in audit.figures
        if each.baseline == "nearest_noun"
    }
    assert told == {
        (): (6, 0.5),
        (None, None, None, "none"): (2, 1.0),
        (None, None, None, "opposite"): (3, 0.0),
        (None, None, None, "same"): (1, 1.0),
        (None, None, None, "same, opposite"): (4, 0.25),
        ("L__NOUN_VERB", "Sing", "original", None): (6, 0.5),
    }


def test_between_the_words_that_differ_a_window_chooses_where_no_value_is_known() -> None:
    right = ["lights {}don't", "light {}doesn't"]
    items = [
        sentences(
            right[n % 2].format(f"x{n} ") + " shine",
            right[n % 2].format(f"x{n} ").replace("don't", "?").replace("doesn't", "don't")
            .replace("?", "doesn't") + " shine",
        )
        for n in range(12)
    ]  # fmt: skip
    found = whole(audit_items(items))
    assert (found["window"], found["adjacent_word"]) == (1, 0.5)


LearningRow: TypeAlias = tuple[str, str, list[str]]
FEW_WORDS = st.lists(st.sampled_from("abcd"), max_size=5)
SUITES = st.lists(
    st.tuples(st.sampled_from("ABC"), st.sampled_from(["p", "q"]), FEW_WORDS), max_size=12
)
CREDITS = st.sampled_from([0.0, 0.5, 1.0])
ALL_KEYS: list[LearningKey] = [(side, word) for side in (True, False) for word in "abcdx"]


def suite(rows: list[LearningRow]) -> list[AuditPair]:
    """One pair a row (cluster, paradigm, words); a number makes every right sentence another."""
    return pairs_of(
        [
            sentences(
                f"{' '.join(words)} {n}", " ".join(["x", *words[2:]]), cluster=cluster, uid=uid
            )
            for n, (cluster, uid, words) in enumerate(rows)
        ]
    )


def right_words(pair: AuditPair) -> Iterable[LearningKey]:
    return ((True, word) for word in pair.right)


def both_sides(pair: AuditPair) -> Iterable[LearningKey]:
    yield from ((True, word) for word in pair.right)
    yield from ((False, word) for word in pair.wrong)


def both(pair: AuditPair) -> tuple[bool, bool]:
    return True, False


def of_none(pair: AuditPair) -> tuple[()]:
    return ()


def counts(pairs: Sequence[AuditPair], turned: bool = False) -> Counter[LearningKey]:
    """Return a naive count of what pairs show, with right and wrong exchanged if `turned`."""
    return Counter((side != turned, word) for pair in pairs for side, word in both_sides(pair))


@given(SUITES)
def test_what_learns_without_labels_sees_all_other_clusters_of_its_pool_and_never_its_own(
    rows: list[LearningRow],
) -> None:
    pairs = suite(rows)
    looked: list[tuple[AuditPair, Counter[LearningKey]]] = []

    def judge(pair: AuditPair, seen: TrainingCount) -> float:
        looked.append((pair, Counter({key: seen(key) for key in ALL_KEYS})))
        return 1.0

    assert leave_cluster_out(pairs, both_sides, judge, of_none) == [1.0] * len(pairs)
    assert len(looked) == len(pairs)
    for pair, found in looked:
        naive = counts([other for other in pairs if others(pair, other)])
        assert found == {key: naive[key] for key in ALL_KEYS}


def others(pair: AuditPair, other: AuditPair) -> bool:
    return other.pool == pair.pool and other.cluster != pair.cluster


@given(SUITES)
def test_a_learner_is_asked_again_with_its_cluster_back_in_under_either_label(
    rows: list[LearningRow],
) -> None:
    """Words that no other cluster has stay unseen: else every learner would know its own."""
    pairs = suite(rows)
    looked: dict[int, list[Counter[LearningKey]]] = {}

    def judge(pair: AuditPair, seen: TrainingCount) -> float:
        looked.setdefault(id(pair), []).append(Counter({key: seen(key) for key in ALL_KEYS}))
        return 1.0

    leave_cluster_out(pairs, both_sides, judge, both)
    for pair in pairs:
        elsewhere = counts([other for other in pairs if others(pair, other)])
        own = [other for other in pairs if (other.pool, other.cluster) == (pair.pool, pair.cluster)]
        expected = [elsewhere]
        for turned in (False, True):
            back = elsewhere + counts(own, turned)
            words = {word for _, word in elsewhere}
            expected.append(Counter({key: n for key, n in back.items() if key[1] in words}))
        found = looked[id(pair)]
        assert found == [{key: each[key] for key in ALL_KEYS} for each in expected]


@given(st.lists(st.tuples(CREDITS, CREDITS, CREDITS), max_size=6))
def test_a_verdict_stands_unless_the_cluster_back_in_makes_a_tie(
    rows: list[tuple[float, float, float]],
) -> None:
    pairs = suite([(str(n), "p", ["a"]) for n in range(len(rows))])
    answers = {id(pair): iter(row) for pair, row in zip(pairs, rows, strict=True)}

    def judge(pair: AuditPair, seen: TrainingCount) -> float:
        return next(answers[id(pair)])

    credits = leave_cluster_out(pairs, right_words, judge, both)
    assert credits == [0.5 if 0.5 in row[1:] else row[0] for row in rows]


@given(st.lists(st.tuples(*map(st.sampled_from, ("ABCD", "abcd", "1234"))), max_size=8))
def test_clusters_hang_together_as_the_sentences_they_share_do(
    rows: list[tuple[str, str, str]],
) -> None:
    """And the sets. Against the plain way: merge whatever overlaps, until nothing does."""
    pairs = pairs_of(
        [
            replace(sentences(f"{text.upper()} .", "x", cluster=cluster), set_id=set_id)
            for cluster, text, set_id in rows
        ]
    )
    groups = [{*row} for row in rows]
    while True:
        for one in groups:
            for other in groups:
                if one is not other and one & other:
                    one |= other
                    groups.remove(other)
                    break
            else:
                continue
            break
        else:
            break
    for pair in pairs:
        (own,) = [group for group in groups if pair.item.cluster_id in group]
        assert pair.cluster == min(name for name in own if name.isupper())
