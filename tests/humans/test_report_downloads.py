"""The files inside the page: nothing is rounded, nothing is lost, nothing runs."""

import csv
from io import StringIO

import pytest

from tests.humans.pages import Page, number, numbers
from tests.humans.report_material import (
    MODELS,
    agreement_item,
    hebrew,
    hostile,
    items,
    outcomes,
    tallies,
)
from tests.humans.report_pages import answered_page, full, without_people
from tests.humans.stored import Kept, of_margins
from tests.humans.trial_records import Judgment

PAGES = {"totals": full, "people": answered_page, "models": without_people}
RUN = ("=", "+", "-", "@", "\t", "\r")
EVIL = ("=1+2", "+x", "-cmd|' /C calc'!A0", "@SUM(1)", "\t=1", 'say "x", y', "a\nb")


@pytest.fixture(scope="module", params=PAGES)
def page(request: pytest.FixtureRequest) -> Page:
    return PAGES[request.param]()


@pytest.fixture(scope="module")
def evil() -> Page:
    """Return a page whose every name is a formula to a spreadsheet, or breaks a line in two."""
    kept = Kept()
    suite = [
        agreement_item("a b c d e", 1, 3, text.strip(), number=n, construction=text)
        for n, text in enumerate(EVIL)
    ]
    names = [item.item_id for item in suite]
    suite_id = kept.suite(suite)
    for text in EVIL:
        kept.run(suite_id, text, of_margins(dict.fromkeys(names, -1.5)))
    kept.people(
        [
            Judgment(text, trial_id=f"{m}{n}", item=item, chosen="d", correct_form="d", list=text)
            for m, item in enumerate(names)
            for n, text in enumerate(EVIL)
        ]
    )
    return kept.report()


@pytest.mark.slow
def test_every_table_is_a_file_row_by_row_and_cell_by_cell(page: Page) -> None:
    assert len(page.tables) > 8
    for name in page.tables:
        rows = list(csv.reader(StringIO(page.files[f"table-{name}.csv"])))
        assert len({len(row) for row in rows}) == 1
        assert len(rows) == 1 + len(page.rows(name))
        assert [each for each in rows[0] if not each.endswith("(second line)")] == (
            page.columns(name)
        )


@pytest.mark.slow
def test_numbers_are_in_the_files_unrounded(page: Page) -> None:
    n = 0
    for name in page.tables:
        for row in page.rows(name):
            for cell in row.values():
                shown = numbers(cell.text)
                if cell.value is None or len(shown) != 1 or cell.text[0] in "<>":
                    continue
                digits = len(cell.text.partition(".")[2])
                assert abs(cell.value - shown[0]) <= 0.5 * 10**-digits + 1e-9, (name, cell)
                n += cell.value != shown[0]
    assert n > 50  # of which the page shows less than the file


def test_numbers_below_zero_have_a_true_minus_on_the_page_and_a_plain_one_in_files(
    page: Page,
) -> None:
    cells = [each for each in page.root.all("td", "number") if number(each.text) is not None]
    assert cells
    assert not [each.text for each in cells if each.text.startswith("-")]
    for name in page.tables:
        assert "\u2212" not in page.files[f"table-{name}.csv"].partition("\n")[2]


def test_no_cell_is_a_formula_to_a_spreadsheet(page: Page, evil: Page) -> None:
    for each in (page, evil):
        for name, content in each.files.items():
            if name.endswith(".csv"):
                cells = [cell for row in csv.reader(StringIO(content)) for cell in row]
                assert not [c for c in cells if c.startswith(RUN) and number(c) is None], name


def test_names_that_break_lines_leave_every_row_whole(evil: Page) -> None:
    rows = evil.file("items.csv")
    assert len(rows) == len(EVIL)
    assert {len(row) for row in rows} == {len(rows[0])}


def test_the_items_are_all_there_with_everybodys_answers() -> None:
    rows = {row["item"]: row for row in full().file("items.csv")}
    suite = [*items(6, 2), *hebrew(), hostile()]
    assert {item.item_id for item in suite} == rows.keys()
    found = outcomes(suite)
    for tally in tallies(suite):
        own = rows[tally.item]
        assert (own["people_right"], own["people_total"]) == (str(tally.right), str(tally.total))
        for model in MODELS:
            credit, margin = found[model][tally.item]
            assert number(own[f"{model}: margin_bits"]) == (margin and round(margin, 6))
            assert number(own[f"{model}: credit"]) == credit


def test_files_hold_what_the_page_has_and_no_single_answers() -> None:
    def data(page: Page) -> list[str]:
        return [name for name in page.files if not name.startswith(("table-", "references"))]

    assert data(full()) == ["accuracy.csv", "comparison.csv", "measures.csv", "items.csv"]
    assert data(answered_page()) == [
        *("accuracy.csv", "comparison.csv", "measures.csv", "exclusions.csv", "items.csv")
    ]
    assert data(without_people()) == ["accuracy.csv", "items.csv"]
    kept = Kept()
    item = agreement_item("a b c d e", 1, 3, "x")
    suite_id = kept.suite([item])
    kept.run(suite_id, "m", {})
    assert data(kept.report()) in ([], ["accuracy.csv"])
