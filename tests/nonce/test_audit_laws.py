"""Component oracle of the audit: laws of credits, sets and verdicts whatever the items are."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from colorless_green.data import Item
from colorless_green.data.items.item import Nominal
from colorless_green.nonce import AuditResult, audit_items, frequencies_from
from colorless_green.nonce.audit.baselines import (
    BASELINES,
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
    """The value of a target with the right form, and the wrong form."""
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
    """The credit of each item, by an audit in which it is a cell of its own."""
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


def test_the_verdict_names_what_finds_the_cue_where_nothing_else_tells() -> None:
    """Beyond the window: the words of the prefix tell it."""
    audit = run(telling(12, 6))
    assert whole(audit)["prefix_words"] == 1
    assert best(audit) == "prefix_words"


def test_a_rule_that_is_always_wrong_is_the_verdict_turned_round() -> None:
    audit = audit_items([sentences(f"a{n} b{n} c{n}", f"a{n} b{n}") for n in range(5)])
    assert best(audit) == "shorter_in_words"
    assert "wrong in all 5 items" in audit.verdict
    assert "opposite" in audit.verdict


def test_one_cluster_has_no_interval_and_says_nothing_above_chance() -> None:
    audit = audit_items([sentences("a b", "a b c")])
    assert best(audit) == "shorter_in_words"
    assert audit.verdict.startswith("no baseline")


def test_hard_items_may_be_solved_by_what_finds_the_cue() -> None:
    items = telling(12, 6)
    kept = run(items).hard
    found = audit_items(items, frequencies_from(FREQUENCIES), against=("prefix_words",)).hard
    assert kept
    assert not found
    credits = [one_by_one(items, name) for name, each in BASELINES.items()
               if not each.finds_cue and name not in ("nearest_noun", "nearest_word")]  # fmt: skip
    expected = [item for item, own in zip(items, zip(*credits, strict=True), strict=True)
                if max(own) <= 0.5]  # fmt: skip
    assert [item.item_id for item in kept] == [item.item_id for item in expected]


def lured(value: str, between: str) -> Item:
    """An item with one noun between cue and target, of a value, or none."""
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
