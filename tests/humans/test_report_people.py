"""What the page says of people in tables and words: every number is that of the judgments."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from statistics import median

import pytest

from colorless_green.humans.evidence import Answers, ImportedSet, everybody
from colorless_green.humans.exclusion import Excluded
from colorless_green.humans.judgment import Judgment, Tally
from colorless_green.humans.measures.measure import Evidence, Measure
from colorless_green.humans.measures.repeatability import among_people, reliability
from colorless_green.humans.report import svg
from colorless_green.humans.report.downloads import table_csv
from colorless_green.humans.report.material import Material, People, Suites
from colorless_green.humans.report.page import render
from colorless_green.humans.report.parts import Cell, Section
from colorless_green.humans.report.people import beside as beside_section
from colorless_green.humans.report.people import disagreements as disagreeing
from colorless_green.humans.report.people import exclusions as exclusions_section
from colorless_green.humans.report.people import mixed as mixed_section
from colorless_green.humans.report.people import participants as participants_section
from colorless_green.humans.report.people import participants_figure
from colorless_green.humans.report.people import reliability as reliability_section
from colorless_green.humans.report.people import study as study_section
from colorless_green.humans.report.raters import raters
from colorless_green.humans.tally import tallies
from colorless_green.nonce.item import Item
from tests.humans.asked_material import (
    CARELESS,
    DISTRACTED,
    N_FILLERS,
    RETURNED,
    answers,
    asked,
    of,
    of_one_model,
    rows,
    treebank_item,
    words,
)
from tests.humans.report_material import HOSTILE, agreement_item, items

KINDS = {"all items": "", "originals": "original", "nonce variants": "nonce"}
NEAR = 1e-9


@pytest.fixture(scope="module")
def made() -> Material:
    return asked()


def targets(made: Material, kind: str) -> list[Judgment]:
    """Answered targets that count, of a kind or of all."""
    return [
        each
        for each in made.people.answers.counted
        if each.kind == "target" and each.correct is not None and kind in ("", each.condition)
    ]


def by_item(own: Sequence[Judgment]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for each in own:
        assert each.correct is not None
        found.setdefault(each.item, []).append(each.correct)
    return found


# Reliability


def test_agreement_is_that_of_all_pairs_of_people(made: Material) -> None:
    table = of(reliability_section.section(made, raters(made)), "reliability-agreement")
    usual = [row for row in rows(table) if row["answers as"].text == "correct or wrong"]
    assert [row["sentences"].text for row in usual] == list(KINDS)
    for row in usual:
        own = list(by_item(targets(made, KINDS[row["sentences"].text])).values())
        several = [each for each in own if len(each) > 1]
        agree = [
            sum(a == b for a, b in combinations(each, 2)) / math.comb(len(each), 2)
            for each in several
        ]
        assert row["items"].value == len(several)
        assert row["pairs that agree, %"].value == pytest.approx(100 * sum(agree) / len(agree))
        assert row["α"].value == pytest.approx(alpha(several), abs=NEAR)


def alpha(items: Sequence[Sequence[int]]) -> float:
    """Krippendorff's, from its definition: disagreement of pairs within items over that of pairs
    anywhere, each item's pairs weighed by its number of answers less one."""
    every = [answer for each in items for answer in each]
    within = sum(
        sum(a != b for a, b in combinations(each, 2)) * 2 / (len(each) - 1) for each in items
    ) / len(every)
    anywhere = sum(a != b for a, b in combinations(every, 2)) / math.comb(len(every), 2)
    return 1 - within / anywhere


def test_majorities_are_counted_with_their_ties(made: Material) -> None:
    table = of(reliability_section.section(made, raters(made)), "reliability-majority")
    for row in rows(table):
        own = by_item(targets(made, KINDS[row["sentences"].text])).values()
        n_right = sum(2 * sum(each) > len(each) for each in own)
        n_ties = sum(2 * sum(each) == len(each) for each in own)
        assert row["items"].value == len(own)
        assert row["majority right, %"].value == pytest.approx(100 * n_right / len(own))
        assert row["how many"].text == f"{n_right} right, {n_ties} ties counted as not right"


def test_the_ceiling_is_the_root_of_what_halves_give_and_models_are_held_against_it(
    made: Material,
) -> None:
    found = reliability_section.section(made, raters(made))
    ceilings = {}
    for row in rows(of(found, "reliability-halves")):
        halves = row["ρ of halves"].value
        assert halves is not None
        assert row["Spearman–Brown"].value == pytest.approx(2 * halves / (1 + halves))
        assert row["noise ceiling"].value == pytest.approx(math.sqrt(2 * halves / (1 + halves)))
        ceilings[row["sentences"].text, row["what is split"].text] = row["noise ceiling"].value
    assert len(ceilings) == 6  # three sets of sentences, split by people and by counts
    shown = rows(of(found, "reliability-models"))
    assert len(shown) == 2 * len(ceilings)
    for row in shown:
        rho, ratio = row["ρ with people"].value, row["ρ / ceiling"].value
        ceiling = ceilings[row["sentences"].text, row["what is split"].text]
        assert rho is not None
        assert ceiling is not None
        assert ratio == pytest.approx(rho / ceiling)


def test_pairwise_agreement_stands_beside_alpha_and_kappa_with_the_caution(made: Material) -> None:
    found = reliability_section.section(made, raters(made))
    assert reliability_section.CAUTION in words(found)
    for row in of(found, "reliability-agreement").rows:
        assert all(cell.text != "–" for cell in row)


def of_totals(own: Sequence[Tally], items: dict[str, Item]) -> Material:
    """A page where only totals are known."""
    evidence = Evidence("totals", items, tuple(own), (), {})
    measures = (*reliability(evidence), *among_people(evidence))
    return Material("Totals", tallies=tuple(own), people=People(measures=measures), items=items)


def test_what_is_undefined_is_words_and_no_number(made: Material) -> None:
    own = tuple(replace(each, right=each.total) for each in made.tallies)
    page = of_totals(own, dict(made.items))
    found = reliability_section.section(page, ())
    assert "There is no split-half reliability" in words(found)
    table = of(found, "reliability-agreement")
    coded = [row for row in rows(table) if row["answers as"].text == "correct or wrong"]
    for row in coded:
        assert row["pairs that agree, %"].text == "100.0"
        assert row["α"].text == row["κ"].text == "undefined: one answer only"
        assert row["α"].value is row["κ"].value is None
    assert "nan" not in table_csv(table)


def test_totals_are_split_by_counts_and_the_page_says_why(made: Material) -> None:
    page = of_totals(made.tallies, dict(made.items))
    found = reliability_section.section(page, ())
    assert "Only totals are known" in words(found)
    split = {row["what is split"].text for row in rows(of(found, "reliability-halves"))}
    assert split == {"each item's answers"}


def test_a_ceiling_that_is_not_above_zero_is_said_to_be_undefined() -> None:
    note = "people split"
    measures = (
        Measure("majority right", 0.5, n=9, note="4 right, 1 ties counted as not right"),
        Measure("split-half ρ", -0.2, n=9, note=note),
        Measure("Spearman–Brown", -0.5, n=9, note=note),
        Measure("noise ceiling", None, n=9, note=f"{note}, not above 0"),
        Measure("ρ of accuracy with margin", 0.3, rater="m", n=9),
    )
    page = Material("Halves", tallies=(Tally("i", "i", "", "", 1, 2),))
    page = replace(page, people=People(measures=measures), accuracy=({"model": "m"},))
    found = reliability_section.section(page, raters(page))
    assert rows(of(found, "reliability-halves"))[0]["noise ceiling"].text == (
        "undefined: not above 0"
    )
    assert rows(of(found, "reliability-models"))[0]["ρ / ceiling"].text == "undefined: no ceiling"


# Mixed model


def test_a_coefficient_has_its_z_and_the_odds_ratio_with_its_interval(made: Material) -> None:
    fitted = {each.level: each for each in made.people.measures if each.statistic == "coefficient"}
    shown = rows(of(mixed_section.section(made, ()), "mixed-fixed"))
    assert [row["term"].text for row in shown] == list(fitted)
    for row in shown:
        each = fitted[row["term"].text]
        assert each.value is not None
        assert each.se is not None
        low, high = each.value - 1.959964 * each.se, each.value + 1.959964 * each.se
        assert row["log-odds"].value == each.value
        assert row["z"].value == pytest.approx(each.value / each.se)
        assert row["p"].value == each.p
        assert f"z {row['z'].value:.2f}" in each.note
        assert row["odds ratio"].value == pytest.approx(math.exp(each.value))
        assert row["95\u202f% from"].value == pytest.approx(math.exp(low))
        assert row["to"].value == pytest.approx(math.exp(high))


def test_tests_spreads_and_what_is_said_of_the_fit_are_there(made: Material) -> None:
    found = mixed_section.section(made, ())
    measures = made.people.measures
    tested = [each.level for each in measures if each.statistic == "χ² of a variable"]
    spreads = [f"SD, {e.level}" for e in measures if e.statistic == "standard deviation"]
    assert [row["variable"].text for row in rows(of(found, "mixed-tests"))] == tested
    random = [row["what"].text for row in rows(of(found, "mixed-random"))]
    assert random == [*spreads, "log-likelihood"]
    assert all(each[1:] in words(found) for each in made.people.said)


def test_a_runaway_coefficient_is_no_odds_ratio_to_be_read_and_breaks_nothing() -> None:
    measures = (
        Measure("coefficient", 900.0, level="a", se=2.0, p=0.0),
        Measure("coefficient", -12.0, level="b", se=math.nan, p=math.nan),
        Measure("log-likelihood", -3.0, n=4),
    )
    page = Material("Runaway", people=People(measures=measures, said=("nearly separated: a",)))
    first, second = rows(of(mixed_section.section(page, ()), "mixed-fixed"))
    assert first["odds ratio"].text == "> 1,000"
    assert first["odds ratio"].value is None
    assert second["odds ratio"].text == "< 0.001"
    assert second["s.e."].text == second["z"].text == second["p"].text == second["to"].text == "–"


def test_where_no_model_was_fitted_there_is_the_reason_and_no_table() -> None:
    page = Material("None", people=People(said=("no mixed model: all answers are right; others",)))
    found = mixed_section.section(page, ())
    assert found is not None
    assert found.text == ("No mixed model: all answers are right; others.",)
    assert found.tables == ()
    assert mixed_section.section(Material("Nobody"), ()) is None


# Participants


def recorded(answers: Answers, name: str) -> list[Judgment]:
    every = (*answers.counted, *answers.left_out)
    return [each for each in every if each.participant == name and each.kind != "practice"]


def test_every_number_of_a_participant_is_that_of_their_trials(made: Material) -> None:
    answers = made.people.answers
    shown = rows(of(participants_section.section(made, raters(made)), "participants-table"))
    assert len(shown) == 20
    for row in shown:
        own = recorded(answers, row["pseudonym"].text)
        given = [each for each in own if each.correct is not None]
        assert row["trials"].value == len(own)
        assert row["answered"].value == len(given)
        assert row["sessions"].value == 1
        for name, kind in (("originals", "original"), ("nonce variants", "nonce")):
            right = [e.correct for e in given if e.kind == "target" and e.condition == kind]
            share = 100 * sum(map(bool, right)) / len(right)
            assert row[f"right on {name}, %"].value == pytest.approx(share)
            assert row[f"right on {name}, %"].below == f"of {len(right)}"
        assert row["wrong fillers"].value == wrong(given, "filler")
        assert row["wrong fillers"].below == f"of {N_FILLERS}"
        assert row["failed checks"].value == wrong(given, "check")
        assert row["median time, ms"].value == median(e.rt_ms for e in given if e.rt_ms)
        assert {row["list"].text} == {each.list for each in own}
        assert {row["date"].text} == {each.at[:10] for each in own}


def wrong(given: Sequence[Judgment], kind: str) -> int:
    return sum(each.kind == kind and each.correct == 0 for each in given)


def test_those_left_out_come_last_and_the_rule_stands_beside_them(made: Material) -> None:
    shown = rows(of(participants_section.section(made, raters(made)), "participants-table"))
    verdicts = [row["counts"].text for row in shown]
    assert verdicts == ["yes"] * 17 + ["no"] * 3
    names = [row["pseudonym"].text for row in shown]
    assert names[:17] == sorted(names[:17])
    assert {row["pseudonym"].text: row["counts"].below for row in shown[17:]} == {
        CARELESS: "wrong on too many fillers",
        DISTRACTED: "failed attention checks",
        RETURNED: "status on the platform",
    }


def test_nobody_is_listed_where_only_totals_are_known(made: Material) -> None:
    assert participants_section.section(of_totals(made.tallies, dict(made.items)), ()) is None


def shown_of(answers: Answers) -> dict[str, dict[str, Cell]]:
    page = Material("Trials", people=People(answers=answers))
    table = of(participants_section.section(page, ()), "participants-table")
    return {row["pseudonym"].text: row for row in rows(table)}


def trial(who: str, number: int, kind: str = "filler", correct: int | None = 1) -> Judgment:
    chosen = "" if correct is None else "x"
    return Judgment(
        who, trial_id=f"{who}/{number}", kind=kind, chosen=chosen, correct=correct, list=f"{number}"
    )


def test_fillers_that_were_not_answered_are_not_wrong_ones() -> None:
    given = tuple(trial("p", n, correct=c) for n, c in enumerate((1, 0, None, None)))
    row = shown_of(Answers(counted=given))["p"]
    assert (row["wrong fillers"].value, row["wrong fillers"].below) == (1, "of 2")
    silent = shown_of(Answers(counted=tuple(replace(e, correct=None) for e in given)))["p"]
    assert "wrong fillers" not in silent


def test_many_lists_of_a_person_are_a_count() -> None:
    given = (*(trial("few", n) for n in range(3)), *(trial("many", n) for n in range(77)))
    found = shown_of(Answers(counted=given))
    assert {name: row["list"].text for name, row in found.items()} == {
        "few": "0, 1, 2",
        "many": "77 lists",
    }


def test_everywhere_a_trial_counts_once_and_those_without_an_id_all_count() -> None:
    item = agreement_item("a b c d e", 1, 3, "x")
    target = replace(trial("p", 1, "target"), item=item.item_id, correct_form="x")
    bare = replace(target, trial_id="")
    answers = Answers(counted=(target, bare), left_out=(target, bare, replace(bare, correct=0)))
    (tally,) = everybody(answers, {item.item_id: item})
    assert (tally.right, tally.total) == (3, 4)
    assert shown_of(answers)["p"]["trials"].value == 4
    figure = participants_figure.figure(Material("m", people=People(answers=answers)), ())
    assert figure is not None
    (row,) = rows(figure.data)
    assert (row["right"].value, row["of"].value) == (3, 4)


def test_a_drawing_of_a_crowd_is_described_by_its_quartiles() -> None:
    def described(n_people: int) -> str:
        given = tuple(
            trial(f"p{person}", n, "target", int(n * n_people <= 20 * person))
            for person in range(n_people)
            for n in range(1, 21)
        )
        page = Material("Crowd", people=People(answers=Answers(counted=given[20:], left_out=given)))
        figure = participants_figure.figure(page, ())
        assert figure is not None
        (panel,) = figure.panels
        assert panel.drawing is not None
        return panel.drawing.description

    assert described(40).count(";") == 39
    assert described(100) == (
        "100 people, 1 of them left out; accuracy from 0.0 to 95.0 %, quartiles 23.8, 47.5, 71.2 %"
    )


# Exclusions


def test_where_only_single_trials_went_nobody_is_listed(made: Material) -> None:
    (one, *_) = made.people.answers.counted
    gone = (Excluded("trial", one.participant, one.session, "", "min_rt_ms", "80", "150", 1),)
    page = replace(
        made, people=replace(made.people, answers=replace(made.people.answers, gone=gone))
    )
    found = exclusions_section.section(page, ())
    assert found is not None
    assert [each.name for each in found.tables] == ["exclusion-rules", "exclusion-effect"]
    bare = replace(page, people=replace(page.people, everybody=()))
    found = exclusions_section.section(bare, ())
    assert found is not None
    assert [each.name for each in found.tables] == ["exclusion-rules"]


# Beside people


def test_without_a_model_there_is_a_sentence_and_no_empty_table(made: Material) -> None:
    alone = replace(
        made, comparison=tuple(row for row in made.comparison if row["rater"] == "humans")
    )
    assert alone.comparison
    found = beside_section.section(alone, ())
    assert found.tables == ()
    assert words(found) == "There are judgments, but nothing was compared with them yet."


# The page


def test_the_page_carries_all_of_it_and_every_link_is_inside_or_to_a_treebank(
    made: Material,
) -> None:
    suite = [treebank_item("UD_Italian-ISDT", 0), treebank_item("UD_Italian-ISDT", 3)]
    linked = of_one_model(suite, right=3, margin=-1.0)
    page = render(
        replace(
            made,
            tallies=linked.tallies,
            outcomes=linked.outcomes,
            items=linked.items,
            accuracy=linked.accuracy,
            comparison=(),
        )
    )
    for name in ("reliability", "mixed", "disagreements", "participants", "paper"):
        assert f'<section id="{name}">' in page
        assert f'<a href="#{name}">' in page
    addresses = set(re.findall(r'href="([^"#][^"]*)"', page))
    outside = {each for each in addresses if not each.startswith("data:")}
    assert outside == {"https://github.com/UniversalDependencies/UD_Italian-ISDT"}


def test_hostile_names_are_text_wherever_they_stand(made: Material) -> None:
    evil = HOSTILE
    item = agreement_item(f"{evil} keys of it all are", 1, 5, evil, construction=evil)
    answers = replace(
        made.people.answers,
        counted=tuple(
            replace(each, participant=evil, list=evil, condition=evil, at=evil)
            for each in made.people.answers.counted[:9]
        ),
        imports=tuple(
            replace(each, study={"ethics_board": evil, "approval_number": evil})
            for each in made.people.answers.imports
        ),
        gone=tuple(replace(each, rule=evil, value=evil) for each in made.people.answers.gone),
    )
    measures = (
        Measure("majority right", 1.0, evil, n=1, note=evil),
        Measure("coefficient", 1.0, level=evil, se=1.0, p=0.5, note=evil),
    )
    page = render(
        replace(
            of_one_model([item], right=3, margin=-1.0),
            people=People(answers=answers, measures=measures, said=(evil,)),
            versions=(("colorless-green", evil),),
        )
    )
    assert page.count("<script") == page.count("<script>") == 1  # the page's own
    assert "alert('x')" not in page
    assert page.count("alert(&#39;x&#39;)") > 10


def ids(section: Section) -> Iterator[str]:
    yield section.name
    yield from (each.name for each in section.tables)
    yield from (name for each in section.figures for name in (each.name, each.data.name))


def test_ids_of_sections_and_tables_are_unique(made: Material) -> None:
    shown = raters(made)
    sections = [
        part(made, shown)
        for part in (
            reliability_section.section,
            mixed_section.section,
            disagreeing.section,
            participants_section.section,
        )
    ]
    counts = Counter(name for each in sections if each is not None for name in ids(each))
    assert set(counts.values()) == {1}


def test_the_material_is_as_an_import_would_have_it(made: Material) -> None:
    """The fixture's own law: what counts and what does not is all there was."""
    answers = made.people.answers
    assert sum(each.n_trials for each in answers.gone) == len(answers.left_out)
    assert made.tallies == tallies(answers.counted, made.items)


def test_a_column_that_nobody_has_anything_in_is_not_there() -> None:
    given = answers(items(6, 2))
    bare = tuple(replace(each, list="", at="") for each in given.counted)
    material = asked(given=replace(given, counted=bare, left_out=()))
    shown = [
        each.text
        for each in of(participants_section.section(material, ()), "participants-table").columns
    ]
    assert "right on originals, %" in shown
    assert not {"list", "date"} & set(shown)


# Rules and files


def imported(made: Material, *imports: ImportedSet) -> Material:
    """The same page with other imports."""
    told = replace(made.people.answers, imports=imports)
    return replace(made, people=replace(made.people, answers=told))


def test_who_went_by_a_session_is_counted_as_a_person_and_as_a_session(made: Material) -> None:
    shown = rows(of(exclusions_section.section(made, raters(made)), "exclusion-rules"))
    by_rule = {row["rule"].text: row for row in shown}
    platform = by_rule["status on the platform"]
    assert (platform["people"].value, platform["sessions"].value) == (1, 1)
    fillers = by_rule["wrong on too many fillers"]
    assert (fillers["people"].value, fillers["sessions"].value) == (1, None)
    gone = tuple(each for each in made.people.answers.gone if each.level != "session")
    less = replace(made.people.answers, gone=gone)
    less_page = replace(made, people=replace(made.people, answers=less))
    table = of(exclusions_section.section(less_page, ()), "exclusion-rules")
    assert "sessions" not in [each.text for each in table.columns]


def test_a_threshold_names_its_file_where_imports_had_different_rules(made: Material) -> None:
    (own,) = made.people.answers.imports
    later = replace(
        own,
        name="later.jsonl",
        files=(("later.jsonl", "1" * 64),),
        rules={**own.rules, "max_filler_errors": 0.5},
        rules_digest="other",
        is_post_hoc=True,
    )
    page = imported(made, own, later)
    found = exclusions_section.section(page, raters(page))
    shown = {row["rule"].text: row for row in rows(of(found, "exclusion-rules"))}
    assert shown["wrong on too many fillers"]["threshold"].below == "answers.jsonl"
    assert shown["failed attention checks"]["threshold"].below == "answers.jsonl, later.jsonl"
    assert shown["status on the platform"]["threshold"].below == ""
    assert "The rules of later.jsonl are not those of the first import" in words(found)
    alone = exclusions_section.section(made, raters(made))
    assert all(row["threshold"].below == "" for row in rows(of(alone, "exclusion-rules")))
    assert "with the study" not in words(alone)  # they may have come by --exclude


def test_a_file_says_whose_rules_it_had_and_only_files_with_answers_tell_of_the_study(
    made: Material,
) -> None:
    (own,) = made.people.answers.imports
    totals = {"n_judgments": 9, "n_participants": None}
    empty = replace(own, summary={"n_judgments": 0}, study={"title": "of a table"})
    page = imported(
        made, own, replace(own, is_post_hoc=True), replace(own, summary=totals), empty,
        replace(own, is_simulated=True),
    )  # fmt: skip
    found = study_section.section(page, ())
    assert [row["rules"].text for row in rows(of(found, "study-imports"))] == [
        "those of the first import of single answers",
        "others than the first import's (post hoc)",
        "none: only totals",
        "none: no answers",
        "simulated",
    ]
    bare = Material("x", people=People(Answers(imports=(empty,))))
    nobody = study_section.section(bare, ())
    assert nobody is not None
    assert [table.name for table in nobody.tables] == ["study-imports"]
    facts = {row["what"].text for row in rows(of(found, "study-facts"))}
    assert "title" not in facts
    assert "task" in facts


def test_large_counts_in_words_have_their_thousands_apart() -> None:
    many = tuple(Tally(f"i{n}", f"i{n}", "", "nonce", 2, 3) for n in range(1100))
    tied = Tally("tied", "tied", "", "nonce", 1, 2)
    found = among_people(Evidence("s", {}, (*many, tied), (), {}))
    notes = {each.note for each in found if each.statistic == "majority right"}
    assert notes == {"1,100 right, 1 tie counted as not right"}


def test_a_source_is_called_an_original_only_where_there_are_originals(made: Material) -> None:
    assert "an original with its variants" in words(mixed_section.section(made, ()))
    of_suites = replace(made, suites=Suites(raters=(), predicted=(), scores=()))
    text = words(mixed_section.section(of_suites, ()))
    assert "original" not in text
    assert "sources (an item, or a set of them)" in text


def test_methods_say_of_models_what_is_known_of_them(
    made: Material, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(svg, "available", lambda: False)
    said = "The state of a model is reset for every sentence."
    assert f"summed over all its subwords. {said}" in render(made)
    first, second = made.runs
    published = replace(first, signature="published:m|file:x.tab")
    page = render(replace(made, runs=(published,)))
    assert "given everything before it in the sentence.</li>" in page
    assert "reset for every sentence" not in page
    page = render(replace(made, runs=(published, second)))
    assert "Of the models that were run here, the state of a model is reset" in page
    assert "surprisal is −log₂" not in render(replace(made, runs=())).partition("methods")[2]
    assert "Every number of this page" not in page
