"""What the page says of people in tables: every number is that of the judgments."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from statistics import median

import pytest

from colorless_green.data import Item
from tests.humans.answer_material import Session
from tests.humans.pages import Cell, Page, numbers
from tests.humans.report_material import HOSTILE, agreement_item, items
from tests.humans.report_pages import (
    ASKED,
    CARELESS,
    DISTRACTED,
    N_PEOPLE,
    RETURNED,
    STUDY,
    answered_page,
    asked,
    trials,
    visits,
)
from tests.humans.stored import Kept
from tests.humans.trial_records import Judgment

KINDS = {"originals": "original", "nonce variants": "nonce"}
NEAR = 1e-9
RIGHT_OR_WRONG = "correct or wrong"
GIVEN = trials(ASKED)
GONE = (CARELESS, DISTRACTED, RETURNED)
COUNTED = [each for each in GIVEN if each.participant not in GONE and each.kind != "practice"]


@pytest.fixture(scope="module")
def page() -> Page:
    return answered_page()


@pytest.fixture(scope="module")
def totals() -> Page:
    """Return the same answers, and nobody knows whose."""
    kept = Kept()
    kept.suite(ASKED)
    counts = {item: (sum(own), len(own)) for item, own in by_item(targets("")).items()}
    kept.totals(counts)
    return kept.report()


def targets(kind: str) -> list[Judgment]:
    """Answered targets that count, of a kind or of all."""
    conditions = {item.item_id: item.kind for item in ASKED}
    return [
        each
        for each in COUNTED
        if each.kind == "target"
        and each.correct is not None
        and kind in ("", conditions[each.item])
    ]


def by_item(own: Sequence[Judgment]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for each in own:
        assert each.correct is not None
        found.setdefault(each.item, []).append(each.correct)
    return found


def measures(page: Page, statistic: str, coding: str = "") -> list[dict[str, Cell]]:
    """Return the rows of a statistic; of agreement those of one coding."""
    rows = [row for row in page.rows("reliability-table") if row["statistic"].text == statistic]
    return [row for row in rows if not coding or row["answers as"].text == coding]


# Reliability


def test_agreement_is_that_of_all_pairs_of_people(page: Page) -> None:
    pairs = measures(page, "pairwise agreement", RIGHT_OR_WRONG)
    alphas = measures(page, "Krippendorff's α", RIGHT_OR_WRONG)
    assert [row["sentences"].text for row in pairs] == list(KINDS)
    for row, own_alpha in zip(pairs, alphas, strict=True):  # never one figure without the other
        own = list(by_item(targets(KINDS[row["sentences"].text])).values())
        several = [each for each in own if len(each) > 1]
        agree = [
            sum(a == b for a, b in combinations(each, 2)) / math.comb(len(each), 2)
            for each in several
        ]
        assert row["items"].value == len(several)
        assert row["value"].value == pytest.approx(sum(agree) / len(agree))
        assert own_alpha["value"].value == pytest.approx(alpha(several), abs=NEAR)


def alpha(items: Sequence[Sequence[int]]) -> float:
    """Krippendorff's, from its definition: disagreement of pairs within items over that of pairs
    anywhere, each item's pairs weighed by its number of answers less one."""
    every = [answer for each in items for answer in each]
    within = sum(
        sum(a != b for a, b in combinations(each, 2)) * 2 / (len(each) - 1) for each in items
    ) / len(every)
    anywhere = sum(a != b for a, b in combinations(every, 2)) / math.comb(len(every), 2)
    return 1 - within / anywhere


def test_majorities_are_counted_with_their_ties(page: Page) -> None:
    rows = measures(page, "majority right")
    assert [row["sentences"].text for row in rows] == list(KINDS)
    for row in rows:
        own = by_item(targets(KINDS[row["sentences"].text])).values()
        n_right = sum(2 * sum(each) > len(each) for each in own)
        n_ties = sum(2 * sum(each) == len(each) for each in own)
        assert row["items"].value == len(own)
        assert row["value"].value == pytest.approx(n_right / len(own))
        assert numbers(row["remarks"].text) == [n_right, n_ties]


def test_the_ceiling_is_the_root_of_what_halves_give_and_models_stand_beside_it(
    page: Page,
) -> None:
    steps = ("split-half ρ", "Spearman–Brown", "noise ceiling")
    rows = list(zip(*(measures(page, name) for name in steps), strict=True))
    assert [row[0]["sentences"].text for row in rows] == list(KINDS)
    for row in rows:
        halves, whole, ceiling = (cells["value"].value for cells in row)
        assert halves is not None
        assert whole == pytest.approx(2 * halves / (1 + halves))
        assert ceiling == pytest.approx(math.sqrt(2 * halves / (1 + halves)))
    for name in ("ρ of accuracy with margin", "ρ of accuracy / ceiling"):
        shown = measures(page, name)
        assert len(shown) == 2 * len(rows)
        assert all(len(numbers(row["value"].below)) == 2 for row in shown)


def test_totals_know_nobody(totals: Page) -> None:
    assert not measures(totals, "split-half ρ")
    assert not {"exclusions", "times"} & set(totals.sections)


def test_what_is_undefined_is_words_and_no_number() -> None:
    kept = Kept()
    kept.suite(ASKED)
    kept.totals({item.item_id: (4, 4) for item in ASKED})
    page = kept.report()
    assert measures(page, "split-half ρ") == []
    for row in measures(page, "pairwise agreement", RIGHT_OR_WRONG):
        assert row["value"].value == 1
    for row in measures(page, "Krippendorff's α", RIGHT_OR_WRONG):
        assert row["value"].value is None
        assert row["value"].text not in ("", "–")
    assert "nan" not in page.files["table-reliability-table.csv"]


def test_a_ceiling_that_is_not_above_zero_is_undefined_and_so_is_what_it_bounds() -> None:
    kept = Kept()
    suite_id = kept.suite(ASKED[:9])
    kept.totals({item.item_id: (1, 2) for item in ASKED[:9]})  # halves never agree
    kept.run(suite_id, "m", {item.item_id: (1.0, n + 1.0) for n, item in enumerate(ASKED[:9])})
    page = kept.report()
    assert all((row["value"].value or 0) < 0 for row in measures(page, "split-half ρ"))
    for row in measures(page, "noise ceiling"):
        assert row["value"].value is None
        assert row["value"].text not in ("", "–")
    assert all(row["value"].value is None for row in measures(page, "ρ of accuracy / ceiling"))


def page_of(given: Sequence[Judgment], suite: Sequence[Item] = ASKED[:3]) -> Page:
    kept = Kept()
    kept.suite(suite)
    kept.people(given)
    return kept.report()


def test_everywhere_a_trial_counts_once() -> None:
    item = ASKED[0]
    assert item.agreement is not None
    right, other = item.agreement.right, item.agreement.wrong
    first = Judgment("p", trial_id="1", item=item.item_id, option_1=right, option_2=other)
    first = replace(first, chosen=right, correct_form=right, correct=1)
    second = replace(first, trial_id="2", chosen=other, correct=0)
    page = page_of([first, first, second])
    (counted,) = page.file("items.csv")
    assert (counted["people_right"], counted["people_total"]) == ("1", "2")


# Who was asked, and exclusions


def test_people_sessions_and_trials_are_counted(page: Page) -> None:
    facts = {row["what"].text: row["how"].text for row in page.rows("facts")}
    n_targets = sum(each.kind == "target" for each in COUNTED)
    n_silent = n_targets - len(targets(""))
    n_checks = sum(each.kind == "check" for each in COUNTED)
    n_lists = len({each.list for each in GIVEN})
    names = list(facts)
    start = names.index("people")
    counts = [numbers(facts[name]) for name in names[start : start + 8]]
    assert counts == [[n] for n in (20, 17, 20, n_lists, n_targets, n_silent, 170, n_checks)]
    assert facts["answered on"].split()[0] == "2026-03-01"
    minutes = [round(median(v.duration_s or 0 for v in visits()) / 60, 1)]
    assert numbers(facts["median duration of a session"]) == minutes
    told = [facts[name] for name in ("task", "institution", "duration told, minutes")]
    assert told == ["form", "Somewhere", "12"]


def test_who_went_by_a_session_is_counted_as_a_person_and_as_a_session(page: Page) -> None:
    by_rule = {row["rule"].below: row for row in page.rows("exclusion-rules")}
    assert (by_rule["status"]["people"].value, by_rule["status"]["sessions"].value) == (1, 1)
    fillers = by_rule["max_filler_errors"]
    assert (fillers["people"].value, fillers["sessions"].value) == (1, None)
    assert [row["trials"].value for row in by_rule.values()] == [20, 35, 35, 35]
    assert [row["threshold"].text for row in by_rule.values()] == ["–", "–", "0.2", "0"]
    gone = [case for case in page.file("exclusions.csv") if case["rule"] != "practice"]
    assert {case["participant"] for case in gone} == set(GONE)
    assert {case["rule"]: case["value"] for case in gone} == {
        "status": "RETURNED", "max_filler_errors": "0.5", "max_failed_checks": "1",
    }  # fmt: skip


def test_the_numbers_with_everybody_stand_beside_those_without(page: Page) -> None:
    kinds = {item.item_id: item.kind for item in ASKED}
    known = [e for e in GIVEN if e.kind == "target" and e.correct is not None]
    rows = page.rows("exclusion-effect")
    assert [row["sentences"].text for row in rows] == list(KINDS)
    for row in rows:
        kind = KINDS[row["sentences"].text]
        every = by_item([each for each in known if kinds[each.item] == kind])
        for name, own in (
            ("without those left out", by_item(targets(kind))),
            ("with everybody", every),
        ):
            values = [sum(each) / len(each) for each in own.values()]
            assert row[name].value == pytest.approx(100 * sum(values) / len(values))
            assert numbers(row[name].below)[-1] == len(values)
    people = [row for row in page.rows("accuracy") if row["rater"].text == "people"]
    for row, own_row in zip(rows, people, strict=True):  # one interval everywhere
        ends = [own_row[name].value or 0.0 for name in ("95 % low", "95 % high")]
        assert numbers(row["without those left out"].below)[:2] == [round(e, 1) for e in ends]


def test_where_only_single_trials_went_nobody_is_listed() -> None:
    kept = Kept()
    kept.suite(ASKED)
    kept.people([replace(COUNTED[0], rt_ms=80.0), *COUNTED[1:60]], exclude=["min_rt_ms=150"])
    page = kept.report()
    assert [name for name in page.tables if name.startswith("exclusion")] == [
        "exclusion-rules",
        "exclusion-effect",
    ]
    (row,) = page.rows("exclusion-rules")
    assert (row["rule"].below, row["trials"].value) == ("min_rt_ms", 1)
    assert "sessions" not in page.columns("exclusion-rules")


def test_only_files_with_answers_tell_of_the_study() -> None:
    kept = Kept()
    kept.suite(ASKED)
    study = kept.file("study.toml", 'title = "of a table"\ntask = "form"\n[exclude]\n')
    kept.totals({ASKED[0].item_id: (0, 0)}, study=study)
    kept.people(COUNTED[:40])
    facts = {row["what"].text: row["how"].text for row in kept.report().rows("facts")}
    assert not {"title of the study", "task"} & facts.keys()
    imports = [numbers(how)[-1] for what, how in facts.items() if what.startswith("file of")]
    assert imports == [0, sum(each.correct is not None for each in COUNTED[:40])]


# The page


def test_without_a_model_there_is_a_sentence_and_no_empty_table() -> None:
    beside = page_of(COUNTED[:60], ASKED).by_id["people"]
    assert len(beside.all("p")) == 2  # and the way back
    assert not beside.all("table")


def test_hostile_names_are_text_wherever_they_stand() -> None:
    item = agreement_item(f"{HOSTILE} keys of it all are", 1, 5, HOSTILE, construction=HOSTILE)
    kept = Kept()
    suite_id = kept.suite([*items(2, 1), item], name=HOSTILE)
    kept.run(suite_id, HOSTILE, {item.item_id: (0.0, -1.0)}, signature=HOSTILE)
    study = f"title = {HOSTILE!r}\nethics_board = {HOSTILE!r}\napproval_number = {HOSTILE!r}"
    study = study.replace('"', "'''")
    answer = Judgment(HOSTILE, item=item.item_id, prefix="", option_1="are", option_2=HOSTILE)
    answer = replace(answer, chosen="are", correct_form="are", correct=1, list=HOSTILE, at=HOSTILE)
    strange = [
        replace(answer, trial_id=f"{HOSTILE}{n}", participant=f"{HOSTILE}{n}") for n in range(9)
    ]
    kept.people(
        strange,
        [Session(f"{HOSTILE}1", status=HOSTILE)],
        study=kept.file("study.toml", f"{study}\n[exclude]\nmin_judgments = 1\n"),
    )
    page = kept.report()
    assert len(page.root.all("script")) == 1  # the page's own
    assert "alert('x')" not in page.html
    assert page.root.text.count(HOSTILE) > 10
    assert not {"b", "i", "img", "iframe", "object"} & {each.tag for each in page.root}


@pytest.mark.slow
def test_later_sessions_and_runs_of_the_researchers_count_nowhere() -> None:
    """p00 comes a second time and is wrong throughout; p01 is a run of the researchers."""
    again = [
        replace(
            each,
            session="p00-2",
            trial_id=f"again/{each.trial_id}",
            chosen=each.option_2,
            chosen_index=1,
            correct=0,
            at="2026-04-01T10:00:00Z",
        )
        for each in GIVEN
        if each.participant == "p00" and each.kind in ("target", "filler")
    ]
    sessions = [replace(each, test_run=each.participant == "p01") for each in visits()]
    sessions += [Session("p00", "p00-2", "APPROVED", duration_s=100.0)]
    study = STUDY.replace("[exclude]", "[exclude]\nfirst_session_only = true")
    page = asked(ASKED, (*GIVEN, *again), sessions, study=study).report()
    people = {row["what"].text: row["how"].text for row in page.rows("facts")}
    assert (people["people"], people["sessions"]) == (str(N_PEOPLE - 1), str(N_PEOPLE))


def test_quotation_marks_of_treebanks_are_printed_as_people_saw_them() -> None:
    suite = [agreement_item("the `` good '' keys are here", 4, 5, "is", number=n) for n in range(2)]
    page = asked(suite, trials(suite)).report()
    assert "“" in page.root.text
    assert "``" not in page.root.text
