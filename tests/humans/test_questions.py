"""Questions on what was read: who is asked which, what comes of the answers, and what does not."""

import json
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import ErrorKind
from colorless_green.data.store import MEMORY, Store
from colorless_green.humans import (
    Judgment,
    Question,
    Rules,
    StudyDesign,
    Trial,
    design_study,
    excluded,
    read_questions,
    read_study,
)
from colorless_green.nonce import Suite, save_suite
from tests.builders import few_examples, mistake
from tests.humans.pages import numbers
from tests.humans.study_material import (
    FILLERS,
    Plan,
    changed,
    designed,
    planned,
    questions,
    suite,
)

QUESTION = "question"
ITEMS = suite((6, 6), 1)
EVERYTHING = questions((*ITEMS, *FILLERS))
PLAN = planned(task="reading", fillers="pool", checks=1)
NOW = "2026-01-02T03:04:05+00:00"
THIRD = 1 / 3


def recorded(made: StudyDesign) -> dict[int, list[Trial]]:
    found: dict[int, list[Trial]] = {}
    for trial in made.trials:
        if trial.kind != "practice":
            found.setdefault(trial.list, []).append(trial)
    return found


def posed(trials: list[Trial]) -> list[tuple[Trial, Trial]]:
    """(what is read, the question after it)."""
    return [(one, other) for one, other in pairwise(trials) if other.kind == QUESTION]


@few_examples
@given(
    st.lists(st.integers(3, 6), min_size=1, max_size=3),
    st.integers(0, 3),
    st.integers(0, 99),
    st.sampled_from([0, 0.2, THIRD, 0.5, 1]),
    st.integers(0, 40),
)
def test_a_question_comes_right_after_its_sentence_as_often_as_the_share_allows(
    sizes: list[int], n_nonce: int, seed: int, share: float, n_known: int
) -> None:
    items = suite(sizes, n_nonce)
    known = questions((*items, *FILLERS))[seed % 3 : n_known : 2]
    plan = changed(PLAN, seed=seed, question_share=share)
    made = designed(items, plan, asked=known)
    texts = {each.item: each.question for each in known}
    assert len({trial.trial_id for trial in made.trials}) == len(made.trials)
    for own in recorded(made).values():
        pairs = posed(own)
        assert sum(trial.kind == QUESTION for trial in own) == len(pairs)
        for sentence, question in pairs:
            assert (question.task, question.prefix) == (QUESTION, texts[sentence.item])
            assert question.position == sentence.position
            assert (question.block, question.source) == (sentence.block, sentence.source)
            assert made.key[question.trial_id] in question.options
        for kind in ("target", "filler"):
            there = [trial for trial in own if trial.kind == kind]
            n_askable = sum(trial.item in texts for trial in there)
            n_asked = sum(sentence.kind == kind for sentence, _ in pairs)
            assert n_asked == min(n_askable, int(share * len(there) + 1e-9))
        first = sum(q.options[0] == made.key[q.trial_id] for _, q in pairs)
        assert abs(2 * first - len(pairs)) <= 1


@few_examples
@given(st.integers(0, 99), st.integers(1, 3))
def test_lists_are_asked_about_the_same_sources_and_conditions_evenly(
    seed: int, n_nonce: int
) -> None:
    items = suite((9, 9), n_nonce)
    made = designed(items, changed(PLAN, seed=seed), asked=questions((*items, *FILLERS)))
    asked = [[question for _, question in posed(own)] for own in recorded(made).values()]
    assert len({frozenset(each.source for each in own) for own in asked}) == 1
    for own in asked:
        of_targets = [each for each in own if each.construction.startswith("S")]
        assert len(of_targets) == 6
        counts = Counter(each.construction for each in of_targets)
        assert set(counts.values()) == {3}
        conditions = Counter(each.condition for each in of_targets)
        for name, of_all in (("original", 1), ("nonce", n_nonce)):
            for form in ("right", "wrong"):
                even = 6 * of_all / (n_nonce + 1) / 2
                assert abs(conditions[f"{name} {form}"] - even) < 2


def test_the_same_seed_asks_the_same_and_another_seed_others() -> None:
    made = designed(ITEMS, PLAN, asked=EVERYTHING)
    assert made == designed(ITEMS, PLAN, asked=EVERYTHING[::-1])
    other = designed(ITEMS, changed(PLAN, seed=1), asked=EVERYTHING)
    assert {q.item for _, q in posed(recorded(made)[1])} != {
        q.item for _, q in posed(recorded(other)[1])
    }


def test_a_question_on_one_version_comes_after_that_version_alone() -> None:
    own = Question("s1-0", "wrong", "Who?", "she", "he", "made:1")
    general = Question("s1-0", "", "Who else?", "he", "she", "made:2")
    for asked, expected in (([own], {"Who?"}), ([own, general], {"Who?", "Who else?"})):
        made = designed(ITEMS, changed(PLAN, question_share=1), asked=asked)
        found = [pair for trials in recorded(made).values() for pair in posed(trials)]
        assert {question.prefix for _, question in found} == expected
        for sentence, question in found:
            assert (question.prefix == "Who?") == sentence.condition.endswith("wrong")


def person(name: str, n_right: int, n_wrong: int, kind: str = QUESTION) -> list[Judgment]:
    return [
        Judgment(name, trial_id=f"{name}{kind}{n}", item=f"{kind}:{n}", kind=kind, correct=correct)
        for n, correct in enumerate((1,) * n_right + (0,) * n_wrong)
    ]


@given(st.integers(0, 12), st.integers(0, 12), st.sampled_from([0, 0.2, 0.25, 0.5, 1]))
def test_whoever_is_wrong_on_more_than_the_share_goes_with_all_their_trials(
    n_right: int, n_wrong: int, share: float
) -> None:
    trials = [*person("a", n_right, n_wrong), *person("a", 1, 5, "filler"), *person("b", 2, 0)]
    found = excluded(trials, Rules(max_question_errors=share))
    n_all = n_right + n_wrong
    goes = n_wrong > share * n_all
    assert {each.participant for each in found.kept} == ({"b"} if goes else {"a", "b"})
    assert [each.rule for each in found.gone] == ["max_question_errors"] * goes
    assert [each.participant for each in found.undefined] == ["a"] * (n_all == 0)


def test_questions_are_neither_fillers_nor_checks() -> None:
    rules = Rules(max_filler_errors=0, max_failed_checks=0)
    assert excluded(person("a", 0, 4), rules).gone == ()


def table(tmp_path: Path, *rows: str, header: str = "item,question,right,wrong") -> Path:
    path = tmp_path / "questions.csv"
    path.write_text("\n".join([header, *rows, ""]), encoding="utf-8")
    return path


def test_a_study_with_questions_says_so_and_has_a_rule_for_them(tmp_path: Path) -> None:
    rows = [f"{each.item_id},Who is it?,a singer,a dancer" for each in (*ITEMS, *FILLERS)]
    path = table(tmp_path, *rows)
    found = {}
    for name, asked in (("with", path), ("without", None)):
        plan = changed(PLAN, fillers="fillers", questions=asked)
        with Store(MEMORY) as store:
            for own, items in (("suite", ITEMS), ("fillers", FILLERS)):
                save_suite(store, Suite(own, items), "imported", treebank_id=None, now=NOW)
            found[name] = design_study("suite", tmp_path / name, store=store, **plan)
    said = [numbers(message) for message in found["with"].messages]
    assert [4, 12, 4, 12] in said  # of so many targets and fillers in each list
    assert said[4][-1] == len(rows)  # of which some are in no list
    assert [4, 12, 4, 12] not in [numbers(message) for message in found["without"].messages]
    assert [row["n_questions"] for row in found["with"].rows] == [8] * 4
    assert read_study(tmp_path / "with").settings.exclusion.max_question_errors == 0.2
    assert read_study(tmp_path / "without").settings.exclusion.max_question_errors is None
    first, second = ((tmp_path / name / "instructions.en.md").read_bytes() for name in found)
    assert first != second
    trials = (tmp_path / "with" / "trials.jsonl").read_text("utf-8").splitlines()
    assert any(json.loads(line)["kind"] == QUESTION for line in trials)


@pytest.mark.parametrize(
    ("line", "kind", "rows"),
    [
        (2, "format", ["s1-0,Who?,she"]),
        (2, "format", ["s1-0,Who?, ,he"]),
        (2, "conflict", ["s1-0,Who?,he,he "]),
        (3, "conflict", ["s1-0,Who?,he,she", "s1-0,Whose?,he,she"]),
    ],
)
def test_tables_that_are_none_of_questions_are_errors(
    tmp_path: Path, line: int, kind: ErrorKind, rows: list[str]
) -> None:
    path = table(tmp_path, *rows)
    with mistake(kind, f"{path}:{line}"):
        read_questions(path)


def test_a_table_without_a_column_is_an_error(tmp_path: Path) -> None:
    path = table(tmp_path, header="item,question,right")
    with mistake("missing", f"{path}:1"):
        read_questions(path)


@pytest.mark.parametrize(
    ("kind", "place", "question", "plan"),
    [
        ("value", "--questions", EVERYTHING[0], planned(task="form", fillers="pool")),
        ("unknown", "made:1", replace(EVERYTHING[0], item="x"), PLAN),
        ("unknown", "made:1", replace(EVERYTHING[0], condition="worse"), PLAN),
    ],
)
def test_questions_that_do_not_fit_the_study_are_errors(
    kind: ErrorKind, place: str, question: Question, plan: Plan
) -> None:
    with mistake(kind, place):
        designed(ITEMS, plan, asked=[question])
