"""Method text for a paper: only what is true of the material, with the works it cites."""

import re
from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.tables import Row
from colorless_green.humans.evidence import Answers, ImportedSet
from colorless_green.humans.exclusion import Excluded
from colorless_green.humans.judgment import Tally
from colorless_green.humans.measures.correlations import ANSWERS
from colorless_green.humans.measures.measure import Evidence, Measure
from colorless_green.humans.report import paper
from colorless_green.humans.report.material import Material, People, Predicted, Run, Suites
from colorless_green.humans.report.paper.clause import clause, listed
from colorless_green.humans.report.parts import Section
from colorless_green.humans.report.raters import raters
from colorless_green.humans.report.references import BY_KEY, WORKS, bibtex, cited, in_words
from colorless_green.humans.statistics.accuracy import WILSON
from tests.humans.asked_material import asked
from tests.humans.report_material import agreement_item, constructions, material, without_people

OF_PEOPLE = re.compile(
    r"participant|people|person|answers|exclud|reliab|agreement among|kappa|Krippendorff|Holm"
    r"|jsPsych|mixed model",
    re.IGNORECASE,
)


@pytest.fixture(scope="module")
def made() -> Material:
    return asked()


def section(of: Material) -> Section:
    found = paper.section(of, raters(of))
    assert found is not None
    return found


def words(of: Material) -> str:
    return " ".join(section(of).text)


def test_where_nobody_was_asked_nothing_is_said_of_people() -> None:
    assert not OF_PEOPLE.search(words(without_people()))


def test_where_nothing_was_tested_there_is_nothing_to_paste() -> None:
    assert paper.section(Material("Empty"), ()) is None


def test_the_numbers_of_people_are_those_of_their_answers(made: Material) -> None:
    answers = made.people.answers
    every = (*answers.counted, *answers.left_out)
    own = [e for e in answers.counted if e.kind == "target" and e.correct is not None]
    n_items = len({each.item for each in own})
    counts = [sum(each.item == item for each in own) for item in {each.item for each in own}]
    text = words(made)
    assert f"{len({e.participant for e in every})} participants took part" in text
    assert "between 2026-03-01 and 2026-03-05" in text
    assert "Each participant was shown 24 target trials, 10 fillers and 1 attention check." in text
    assert "Items were distributed over 3 lists." in text
    assert (
        f"The analyses were of {len(own)} answers by {len({e.participant for e in own})}"
        f" participants to {n_items} items (mean {len(own) / n_items:.1f},"
        f" {min(counts)} to {max(counts)} an item)." in text
    )


def test_each_rule_that_removed_somebody_is_told_with_how_many(made: Material) -> None:
    text = words(made)
    for said in (
        "1 session (35 trials) was excluded because their status on the platform was RETURNED.",
        "1 participant (35 trials) was excluded because they were wrong on more than 20\u202f% of"
        " the fillers they answered.",
        "1 participant (35 trials) was excluded because they had failed an attention check.",
        "Practice (20 trials) was not analysed.",
    ):
        assert said in text
    (own,) = made.people.answers.imports
    rules = {**own.rules, "min_median_rt_ms": 1200.0}
    told = replace(made.people.answers, imports=(replace(own, rules=rules, is_post_hoc=True),))
    text = words(replace(made, people=replace(made.people, answers=told)))
    assert "Nobody was excluded because their median response time was below 1,200 ms." in text
    assert "(post hoc)" in text
    everybody = {each.participant for each in (*told.counted, *told.left_out)}
    blind = tuple(
        Excluded("person", name, "", "", "min_median_rt_ms", "", "1200", 1) for name in everybody
    )
    told = replace(told, undefined=blind)  # no times were measured: the rule spared nobody
    assert "median response time" not in words(
        replace(made, people=replace(made.people, answers=told))
    )


def without(made: Material, statistic: str) -> Material:
    """The material as if a statistic had not been computed."""
    kept = tuple(each for each in made.people.measures if statistic not in each.statistic)
    return replace(made, people=replace(made.people, measures=kept))


@pytest.mark.parametrize(
    ("statistic", "said", "key"),
    [
        ("split-half", "Spearman–Brown formula", "spearman1910"),
        ("Krippendorff", "Krippendorff's α", "krippendorff2004"),
        ("χ²", "Variables were tested by likelihood-ratio tests", ""),
        ("noise ceiling", "The noise ceiling", ""),
    ],
)
def test_what_was_not_computed_is_not_claimed(
    made: Material, statistic: str, said: str, key: str
) -> None:
    less = without(made, statistic)
    assert said in words(made)
    assert said not in words(less)
    if key:
        assert key in keys_of(made)
        assert key not in keys_of(less)


def test_a_test_that_was_not_made_is_not_claimed(made: Material) -> None:
    assert "Holm 1979" in words(made)
    assert "Holm 1979" not in words(replace(made, comparison=()))
    totals_alone = tuple({**row, "p_holm": None} for row in made.comparison)
    text = words(replace(made, comparison=totals_alone))
    assert "flipping the signs" in text
    assert "Holm" not in text
    unfitted = replace(made.people, said=("no mixed model: all answers are right; others",))
    assert "mixed model" not in words(replace(made, people=unfitted))


def test_the_mixed_model_is_told_with_its_formula_and_its_package(made: Material) -> None:
    fitted = re.compile(r"mixed model: (.*) \(logit")
    (formula,) = (match[1] for each in made.people.said if (match := fitted.match(each)))
    assert formula in words(made)
    assert "with the package glmm." in words(made)
    told = replace(made, versions=(*made.versions, ("glmm", "0.6.2")))
    assert "with the package glmm 0.6.2." in words(told)
    prior = "under a normal prior (SD 2.5 log-odds) on all coefficients but the intercept"
    held = replace(made.people, said=(*made.people.said, prior))
    text = words(replace(made, people=held))
    assert "under a normal prior (SD 2.5) on coefficients" in text
    assert "with the package" not in text


def keys_of(of: Material) -> list[str]:
    return [row[0].below for table in section(of).tables for row in table.rows]


def test_every_work_cited_is_listed_and_every_work_listed_is_cited(made: Material) -> None:
    for each in (made, material(), without_people(), totals(made), of_suites()):
        text = words(each)
        expected = {work.key for work in WORKS if cited(work.key) in text}
        assert set(keys_of(each)) == expected
        assert keys_of(each) == list(dict.fromkeys(keys_of(each)))


def test_published_items_are_cited_by_whose_they_are() -> None:
    item = replace(agreement_item("a b c d e", 1, 3, "x"), source="BLiMP")
    page = Material("BLiMP", items={item.item_id: item})
    assert words(page).startswith("Test items were taken from BLiMP (Warstadt et al. 2020).")
    assert keys_of(page) == ["warstadt2020"]
    item = replace(item, source="Gulordava et al. 2018")
    page = Material("Its paper's name", items={item.item_id: item})
    assert words(page).startswith("Test items were taken from a published set (Gulordava et al.")


def test_the_bibtex_file_has_the_works_listed_and_nothing_else(made: Material) -> None:
    (file,) = section(made).downloads
    assert file.name == "references.bib"
    assert re.findall(r"^@\w+\{(\w+),$", file.content, re.MULTILINE) == keys_of(made)


def test_names_of_works_are_told_apart() -> None:
    assert len({cited(work.key) for work in WORKS}) == len(WORKS) == len(BY_KEY)
    assert cited("holm1979") == "Holm 1979"
    assert cited("marvin2018") == "Marvin & Linzen 2018"
    assert cited("hu2020reflexives") == "Hu, Chen & Levy 2020"
    assert cited("hu2020systematic") == "Hu et al. 2020"


def test_bibtex_is_ascii_with_balanced_braces_and_escaped_ampersands() -> None:
    text = bibtex(BY_KEY)
    assert text.isascii()
    depth = 0
    for letter in text:
        depth += (letter == "{") - (letter == "}")
        assert depth >= 0
    assert depth == 0
    assert not re.search(r"(?<!\\)&", text)
    assert all(work.title.count("{") == work.title.count("}") for work in WORKS)


def test_a_work_in_words_has_no_braces_and_its_doi() -> None:
    assert in_words("warstadt2020") == (
        "Warstadt, Alex; Parrish, Alicia; Liu, Haokun; Mohananey, Anhad; Peng, Wei; Wang,"
        " Sheng-Fu; Bowman, Samuel R. (2020). BLiMP: The Benchmark of Linguistic Minimal Pairs for"
        " English. Transactions of the Association for Computational Linguistics 8, 377–392."
        " doi:10.1162/tacl_a_00321"
    )
    assert "{" not in "".join(map(in_words, BY_KEY))


def totals(made: Material) -> Material:
    """The same answers, and nobody knows whose."""
    answers = Answers(imports=made.people.answers.imports)
    return replace(made, people=People(answers, said=("only totals are known: no mixed model",)))


def test_of_totals_it_is_said_that_nobody_knows_whose_they_were(made: Material) -> None:
    text = words(totals(made))
    assert "who gave them was not known" in text
    assert "took part" not in text
    assert "mixed model" not in text


def test_of_several_suites_nothing_is_said_of_whose_answers_they_were(made: Material) -> None:
    """There single answers are not looked at, which does not mean that nobody knows them."""
    assert "not known" not in words(replace(made, people=People()))


def test_simulated_answers_are_said_to_be_simulated() -> None:
    assert "All judgments were simulated by a program; nobody was asked." in words(material())


def test_ties_and_unknown_words_are_told_as_they_were_counted() -> None:
    suite = [agreement_item("a b c d e", 1, 3, "x", number=n) for n in range(4)]
    one, two, three, four = (item.item_id for item in suite)
    found: Mapping[str, tuple[float | None, float | None]] = {
        one: (1.0, 2.0), two: (0.5, 0.0), three: (0.5, 1e-10), four: (None, None),
    }  # fmt: skip
    row: Row = {"model": "m", "method": "target", "n_items": 3, "n_oov": 1, "n_ties": 2}
    page = Material(
        "Ties",
        runs=(Run("m", "model:ngram"),),
        accuracy=(row,),
        outcomes={"m": found},
        items={item.item_id: item for item in suite},
    )
    text = words(page)
    assert "Ties (within 10⁻⁹ bits) counted half: 2 for m." in text
    assert "For m, 1 item had a scored word outside the vocabulary and was left out." in text
    hard = {**found, two: (0.0, 0.0), three: (0.0, 1e-10), four: (0.0, -3.0)}
    text = words(replace(page, outcomes={"m": hard}))
    assert "Ties (within 10⁻⁹ bits) counted as wrong: 2 for m." in text
    assert "For m, 1 item had a scored word outside the vocabulary and was kept." in text


def test_mined_items_are_told_with_their_treebank_their_rule_and_how_many() -> None:
    suite = [
        agreement_item("a b c d e", 1, 3, "x", number=n, variant=v)
        for n in range(3)
        for v in range(3)
    ]
    suite = [replace(item, source="UD_Italian-VIT") for item in suite]
    page = Material(
        "Mined",
        constructions=constructions(),
        items={item.item_id: item for item in suite},
    )
    text = words(page)
    assert (
        "Test items were mined from UD_Italian-VIT: 4 of 5 constructions in which two words could"
        " agree in Number were accepted." in text
    )
    assert "UD_Italian-VIT is a treebank of Universal Dependencies (Nivre et al. 2020;" in text
    assert "There were 3 original sentences and 6 nonce variants of 1 construction." in text
    assert "(2 of an original)" in text
    assert "seed 0" in text


def of_suites() -> Material:
    """A page on two controlled suites with one model."""
    items = {
        item.item_id: replace(item, agreement=None, kind="suite", source=f"suite-{number % 2}")
        for number, item in enumerate(
            agreement_item("a b c d e", 1, 3, "x", number=n) for n in range(6)
        )
    }
    return Material(
        "Suites",
        runs=(Run("m", "model:causal|torch:2.0.0|transformers:4.0.0"),),
        outcomes={"m": dict.fromkeys(items, (1.0, 1.0))},
        items=items,
        versions=(("colorless-green", "0.1.0"),),
        suites=Suites(
            raters=("m",),
            predicted=(
                Predicted("suite-0", "Agreement", 3, "a < b", 0.5, "exact"),
                Predicted("suite-1", "Licensing", 3, "a < b", 0.5, "exact"),
            ),
            scores=({"rater": "m", "level": "score", "low": 0.4, "high": 0.6, "n_oov": 0},),
        ),
    )


def test_controlled_suites_are_told_by_their_names_and_predictions() -> None:
    text = words(of_suites())
    assert "Test items were taken from suite-0 and suite-1." in text
    assert "There were 6 items in 2 suites or paradigms about 2 phenomena." in text
    assert "An item was right where its suite's prediction held." in text
    assert "Models ran on torch 2.0.0 and transformers 4.0.0." in text
    assert not OF_PEOPLE.search(text)
    assert "originals" not in text


def test_a_format_that_says_where_answers_are_from_is_told(made: Material) -> None:
    (own,) = made.people.answers.imports
    assert "Answers were collected with jsPsych (de Leeuw, Gilbert & Luchterhandt 2023)." in words(
        made
    )
    other = replace(made.people.answers, imports=(replace(own, format="pcibex", study={}),))
    text = words(replace(made, people=replace(made.people, answers=other)))
    assert "Answers were collected with PCIbex." in text
    assert "paid" not in text
    assert "chose between two forms" in text  # as the trials show


@given(st.lists(st.text("abc", min_size=1), max_size=5))
def test_a_list_names_each_once_in_order(parts: list[str]) -> None:
    assert re.split(", | and ", listed(parts)) == (parts or [""])


def test_a_clause_ends_with_its_works_and_one_full_stop() -> None:
    assert str(clause("It was so", "holm1979", "wilson1927", "holm1979")) == (
        "It was so (Holm 1979; Wilson 1927)."
    )


def test_the_text_takes_no_account_of_an_evidence_without_answers() -> None:
    """A tally without answers is nobody who was asked."""
    empty = Tally("i", "i", "", "", 0, 0)
    assert Evidence("s", {}, (empty,), (), {}).tallies[0].total == 0
    page = Material("Nobody", tallies=(empty,), people=People(Answers()))
    assert paper.section(page, ()) is None


def importing(made: Material, *imports: ImportedSet) -> Material:
    """The same page with other imports."""
    told = replace(made.people.answers, imports=imports)
    return replace(made, people=replace(made.people, answers=told))


def test_a_file_without_answers_says_nothing_of_where_answers_are_from(made: Material) -> None:
    (own,) = made.people.answers.imports
    table = replace(
        own,
        name="items.tab",
        files=(("items.tab", "1" * 64),),
        format="gulordava",
        summary={"n_judgments": 0},
        study={"ethics_board": "a board of its own", "approval_number": 1},
    )
    text = words(importing(made, table, own))
    assert "published study" not in text
    assert "a board of its own" not in text
    assert "Answers were collected with jsPsych (" in text
    full = replace(table, summary={"n_judgments": 60})
    text = words(importing(made, full, own))
    assert (
        "The answers in items.tab were taken from a published study (Gulordava et al. 2018)."
        " The answers in answers.jsonl were collected with jsPsych (de Leeuw" in text
    )


def test_of_imports_with_different_rules_each_threshold_names_its_file(made: Material) -> None:
    (own,) = made.people.answers.imports
    other = replace(
        own,
        name="later.jsonl",
        files=(("later.jsonl", "1" * 64),),
        rules={**own.rules, "max_filler_errors": 0.5},
        rules_digest="other",
        is_post_hoc=True,
    )
    text = words(importing(made, own, other))
    said = "because they were wrong on more than 20\u202f% of the fillers they answered"
    assert f"{said} (the rule of answers.jsonl)." in text
    assert "the fillers they answered (the rule of later.jsonl)" in text  # nobody went by it
    assert (
        "The rules of exclusion of later.jsonl were not those of the first import of single"
        " answers (post hoc)." in text
    )
    alike = replace(other, rules=own.rules, rules_digest=own.rules_digest)
    assert "the rule of" not in words(importing(made, own, alike))


def test_the_tests_and_intervals_are_told_as_they_were_made(made: Material) -> None:
    text = words(made)
    assert "resampled originals and participants, independently of each other" in text
    assert "with people and model on the same resamples of originals" in text
    schemes = "of items freely, of items within each original and of whole originals"
    assert f"answers was tested two-sided, by 5,000 random permutations {schemes}." in text
    freely = tuple(
        replace(each, note="items permuted, p ≤ 0.0002") if each.statistic == ANSWERS else each
        for each in made.people.measures
    )
    text = words(replace(made, people=replace(made.people, measures=freely)))
    assert "by 5,000 random permutations of items freely." in text


def test_wilsons_interval_is_said_to_take_an_original_as_one_case(made: Material) -> None:
    models = "For cells at 0 or 100\u202f% (each original as one case), Wilson's interval was taken"
    row: Row = {"model": "m", "kind": "nonce", "accuracy": 1.0, "n_items": 9, "n_clusters": 3}
    page = Material("Models", items=made.items, runs=(Run("m", "model:m"),), accuracy=(row,))
    assert models in words(page)
    assert models not in words(replace(page, accuracy=({**row, "accuracy": 0.9},)))
    unanimous = Measure("accuracy over items", 1.0, note=WILSON)
    pooled = tuple(each for each in made.people.measures if each.statistic != unanimous.statistic)
    told = replace(made, people=replace(made.people, measures=(*pooled, unanimous)))
    assert (
        "For pooled answers and cells at 0 or 100\u202f% (each original as one case), Wilson's"
        " interval was taken (Wilson 1927)." in words(told)
    )


def test_lme4_is_cited_for_its_notation(made: Material) -> None:
    sentences = words(made).split(". ")
    (with_it,) = [each for each in sentences if "Bates" in each]
    assert with_it.startswith("In the notation of lme4, it was correct ~ ")


def test_of_models_that_did_not_run_here_nothing_is_said_of_their_subwords(made: Material) -> None:
    first, second = made.runs
    said = "summed over subwords"
    assert "Surprisals were summed over subwords, where a model has these." in words(made)
    published = replace(first, signature="published:m|file:x.tab")
    tabled = replace(second, signature="model:table|file:0123")
    text = words(replace(made, runs=(published, second)))
    assert "read from a published file" in text
    assert "Surprisals of " in text
    assert said in text
    text = words(replace(made, runs=(published, tabled)))
    assert "read from a table of surprisals" in text
    assert said not in text


def test_what_goes_with_peoples_success_is_pearsons_r() -> None:
    page = of_suites()
    assert page.suites is not None
    rows: tuple[Row, ...] = tuple({"rater": each, "correlation": 0.1} for each in ("m", "humans"))
    for shallow, said in (
        (rows[:1], "(point-biserial r)"),
        (rows[1:], "(Pearson's r of shares of right answers)"),
        (rows, "(of models point-biserial r, of people Pearson's r of shares of right answers)"),
    ):
        assert said in words(replace(page, suites=replace(page.suites, shallow=shallow)))


def test_one_item_is_one_and_a_table_of_pairs_is_called_a_table() -> None:
    page = of_suites()
    assert page.suites is not None
    name, item = next(iter(page.items.items()))
    bare = replace(item, licence="", source="pairs")
    suites = replace(page.suites, predicted=page.suites.predicted[:1])
    text = words(replace(page, items={name: bare}, suites=suites))
    assert "Test items were taken from a table of the researchers (“pairs”)." in text
    assert "There was 1 item in 1 suite or paradigm." in text
