"""Component oracle: rules of exclusion, what they measure, in which order; nobody vanishes."""

import random
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import ErrorKind
from colorless_green.humans import ExclusionRecord, Rules, rules_of
from colorless_green.humans.judgments.rules import RULES
from tests.builders import mistake
from tests.humans.answer_material import Session, sieved
from tests.humans.trial_records import Judgment


def trial(
    participant: str,
    number: int,
    correct: int | None = 1,
    kind: str = "target",
    rt_ms: float | None = 900.0,
) -> Judgment:
    return Judgment(
        participant=participant,
        trial_id=f"{participant}/{number}",
        item=f"i{number}",
        kind=kind,
        chosen="" if correct is None else ("wrong", "right")[correct],
        correct_form="right",
        correct=correct,
        rt_ms=rt_ms,
    )


def fillers(participant: str, *verdicts: int | None) -> list[Judgment]:
    return [trial(participant, n, each, "filler") for n, each in enumerate(verdicts)]


def people(judgments: tuple[Judgment, ...]) -> list[str]:
    return list(dict.fromkeys(each.participant for each in judgments))


TRIALS = st.builds(
    trial,
    st.sampled_from("ABC"),
    st.integers(0, 5),
    st.sampled_from([0, 1, None]),
    st.sampled_from(("target", "filler", "check", "practice")),
    st.sampled_from([None, 100.0, 180.0, 900.0, 30_000.0]),
)
SESSIONS = st.builds(
    Session,
    st.sampled_from("ABC"),
    status=st.sampled_from(["", "APPROVED", "REJECTED"]),
    test_run=st.booleans(),
    n_blurs=st.sampled_from([None, 0, 3]),
)
STATED = st.builds(
    Rules,
    min_answered_fraction=st.sampled_from([None, 0.5]),
    max_filler_errors=st.sampled_from([None, 0.2]),
    max_failed_checks=st.sampled_from([None, 0]),
    min_median_rt_ms=st.sampled_from([None, 200.0]),
    max_blurs=st.sampled_from([None, 1]),
    min_rt_ms=st.sampled_from([None, 150.0]),
    max_rt_ms=st.sampled_from([None, 20_000.0]),
    min_judgments=st.sampled_from([None, 2]),
)


@given(st.lists(TRIALS, max_size=25), st.lists(SESSIONS, max_size=3), STATED)
def test_what_stays_and_what_goes_is_all_there_was(
    judgments: list[Judgment], sessions: list[Session], rules: Rules
) -> None:
    found = sieved(judgments, rules, sessions)
    assert len(found.kept) + sum(each.n_trials for each in found.gone) == len(judgments)
    remaining = iter(judgments)
    assert all(any(each == kept for each in remaining) for kept in found.kept)  # in their order


@given(st.lists(TRIALS, max_size=25), STATED, st.integers(0, 100))
def test_who_goes_does_not_hang_on_the_order_of_the_rows(
    judgments: list[Judgment], rules: Rules, seed: int
) -> None:
    once = list({each.trial_id: each for each in judgments}.values())
    mixed = random.Random(seed).sample(once, len(once))
    one, other = sieved(once, rules), sieved(mixed, rules)
    assert {each.trial_id for each in one.kept} == {each.trial_id for each in other.kept}
    assert set(one.gone) == set(other.gone)


@given(st.lists(TRIALS, max_size=25), st.lists(SESSIONS, max_size=3))
def test_without_rules_only_repeats_practice_and_marked_sessions_go(
    judgments: list[Judgment], sessions: list[Session]
) -> None:
    found = sieved(judgments, Rules(), sessions)
    reasons = {each.rule for each in found.gone}
    assert reasons <= {"duplicate", "practice", "status", "test_run"}


def test_exactly_a_fifth_of_the_fillers_may_be_wrong() -> None:
    """Gulordava et al. 2018 removed people wrong on *more than* 20 %."""
    judgments = [*fillers("A", 0, 1, 1, 1, 1), *fillers("B", 0, 0, 1, 1, 1)]
    found = sieved(judgments, Rules(max_filler_errors=0.2))
    assert people(found.kept) == ["A"]
    assert found.gone == (
        ExclusionRecord("person", "B", "", "", "max_filler_errors", "0.4", "0.2", 5),
    )


def test_unanswered_and_ambiguous_fillers_do_not_count_against_anybody() -> None:
    judgments = fillers("A", 0, None, None, 1)
    assert sieved(judgments, Rules(max_filler_errors=0.5)).gone == ()
    assert sieved(judgments, Rules(max_filler_errors=0.0, unambiguous=("i3",))).gone == ()
    assert sieved(judgments, Rules(max_filler_errors=0.0, unambiguous=("i0",))).kept == ()


def test_rules_that_are_off_are_no_part_of_what_was_stated() -> None:
    digest = Rules(max_filler_errors=0.2).digest
    assert Rules(max_filler_errors=0.2, min_rt_ms=None).digest == digest
    assert Rules(max_filler_errors=0.2, unambiguous=("i0",)).digest != digest
    assert Rules(max_filler_errors=0.3).digest != digest


def test_a_rule_with_nothing_to_measure_removes_nobody_and_says_so() -> None:
    judgments = [trial("A", 1, rt_ms=None)]
    rules = Rules(max_filler_errors=0.2, max_failed_checks=0, min_median_rt_ms=200.0)
    found = sieved(judgments, rules)
    assert found.kept == tuple(judgments)
    assert [(each.rule, each.value, each.n_trials) for each in found.undefined] == [
        ("max_filler_errors", "", 1),
        ("max_failed_checks", "", 1),
        ("min_median_rt_ms", "", 1),
    ]


def test_rules_are_applied_in_their_order_and_the_first_is_the_reason() -> None:
    judgments = [*fillers("A", 0, 0), trial("A", 7, 0, "check"), trial("A", 8, 1, "practice")]
    rules = Rules(max_failed_checks=0, max_filler_errors=0.2)
    found = sieved(judgments, rules)
    assert [(each.rule, each.n_trials) for each in found.gone] == [
        ("practice", 1),
        ("max_filler_errors", 3),
    ]


def test_an_incomplete_session_is_measured_by_what_was_planned() -> None:
    judgments = [trial("A", 1), trial("A", 2), trial("A", 3, None)]
    assert sieved(judgments, Rules(min_answered_fraction=0.5)).gone == ()
    planned = sieved(judgments, Rules(min_answered_fraction=0.5, planned=5))
    assert [(each.rule, each.value) for each in planned.gone] == [("min_answered_fraction", "0.4")]


def test_the_median_is_of_answered_trials() -> None:
    judgments = [trial("A", 1, rt_ms=100.0), trial("A", 2, rt_ms=100.0)]
    judgments += [trial("A", n, None, rt_ms=5000.0) for n in (3, 4, 5)]
    found = sieved(judgments, Rules(min_median_rt_ms=200.0))
    assert [(each.value, each.n_trials) for each in found.gone] == [("100", 5)]


def test_single_trials_and_rare_items_go_by_themselves() -> None:
    judgments = [trial("A", 1, rt_ms=100.0), trial("B", 1), trial("A", 2), trial("B", 2)]
    found = sieved(judgments, Rules(min_rt_ms=150.0, min_judgments=2))
    assert [each.item for each in found.kept] == ["i2", "i2"]
    assert found.gone == (
        ExclusionRecord("trial", "A", "", "i1", "min_rt_ms", "100", "150", 1),
        ExclusionRecord("item", "", "", "i1", "min_judgments", "1", "2", 1),
    )


def test_a_status_removes_a_session_or_with_no_session_the_person() -> None:
    first, second = (replace(trial("A", n), session=f"s{n}") for n in (1, 2))
    by_session = sieved([first, second], Rules(), [Session("A", "s2", status="REJECTED")])
    assert by_session.kept == (first,)
    by_person = sieved([first, second], Rules(), [Session("A", status="RETURNED")])
    assert by_person.kept == ()
    assert by_person.gone[0] == ExclusionRecord("person", "A", "", "", "status", "RETURNED", "", 2)


def test_researchers_own_runs_go_unless_they_are_to_stay() -> None:
    session = Session("A", test_run=True)
    assert sieved([trial("A", 1)], Rules(), [session]).kept == ()
    assert len(sieved([trial("A", 1)], Rules(test_runs="keep"), [session]).kept) == 1


def test_a_required_answer_removes_those_who_gave_another() -> None:
    rules = rules_of(None, ["required.native=yes|1"])
    sessions = [Session("A", facts={"native": "no"}), Session("B", facts={"native": "1"})]
    found = sieved([trial("A", 1), trial("B", 1), trial("C", 1)], rules, sessions)
    assert people(found.kept) == ["B", "C"]
    assert found.gone[0].rule == "required.native"


def test_losing_the_focus_too_often_is_a_reason() -> None:
    sessions = [Session("A", "1", n_blurs=2), Session("A", "2", n_blurs=2)]
    found = sieved([trial("A", 1)], Rules(max_blurs=3), sessions)
    assert [(each.rule, each.value) for each in found.gone] == [("max_blurs", "4")]


def test_rules_are_read_from_a_study_file_and_the_command_line_goes_over_it(
    tmp_path: Path,
) -> None:
    study = tmp_path / "study.toml"
    study.write_text(
        'title = "x"\n[exclude]\nmax_filler_errors = 0.3\nmax_failed_checks = 1\n'
        'statuses = ["rejected"]\n[exclude.required]\nnative = ["yes"]\n',
        encoding="utf-8",
    )
    rules = rules_of(study, ["max_filler_errors", "max_failed_checks=none"])
    assert rules == Rules(
        statuses=("REJECTED",),
        required={"native": ("yes",)},
        first_session_only=True,
        max_filler_errors=0.2,
    )


def test_every_default_is_a_rule() -> None:
    named = ("min_answered_fraction", "max_filler_errors", "max_failed_checks", "min_median_rt_ms")
    rules = rules_of(None, named)
    assert (rules.min_answered_fraction, rules.max_filler_errors) == (0.5, 0.2)
    assert (rules.max_failed_checks, rules.min_median_rt_ms) == (0, 200.0)


@pytest.mark.parametrize(
    ("kind", "stated"),
    [
        ("value", "max_blurs"),  # has no default
        ("value", "max_filler_errors=2"),
        ("value", "min_rt_ms=-1"),
        ("value", "min_rt_ms=nan"),
        ("value", "min_judgments=2.5"),
        ("unknown", "test_runs=maybe"),
        ("unknown", "too_slow=1"),
    ],
)
def test_a_rule_that_is_none_is_refused(kind: ErrorKind, stated: str) -> None:
    name, equals, _ = stated.partition("=")
    with mistake(kind, f"exclude: {name}" if equals else "exclude"):
        rules_of(None, [stated])


def test_a_study_file_without_rules_is_refused(tmp_path: Path) -> None:
    study = tmp_path / "study.json"
    study.write_text('{"title": "x"}', encoding="utf-8")
    with mistake("missing", study):
        rules_of(study, [])
    study.write_text("[" * 100_000, encoding="utf-8")
    with mistake("format", study):
        rules_of(study, [])


OTHER_NAMES = {"statuses": "status", "test_runs": "test_run"}  # of a rule that removes something
NO_RULES = ("required", "unambiguous")  # a rule for each fact; what goes with errors on fillers


@pytest.mark.parametrize("name", [e.name for e in fields(Rules) if e.name not in NO_RULES])
def test_every_rule_has_its_words_and_takes_its_default(name: str) -> None:
    rule = RULES[OTHER_NAMES.get(name, name)]
    assert rule.words
    if name.startswith(("min_", "max_", "planned")):
        assert getattr(rules_of(None, [f"{name}=1"]), name) == 1
    if rule.default:
        assert rules_of(None, [name]) == rules_of(None, [f"{name}={rule.default}"]) != Rules()
