"""The files inside the page: nothing is rounded, nothing is lost, nothing runs."""

import csv
import math
from base64 import b64decode
from io import StringIO

from hypothesis import given
from hypothesis import strategies as st

from colorless_green.humans.formats.sheet import is_number
from colorless_green.humans.report.downloads import address, files, table_csv
from colorless_green.humans.report.material import Material
from colorless_green.humans.report.parts import Cell, Table
from tests.humans.report_material import HOSTILE, material, without_people

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
CELLS = st.one_of(
    st.builds(Cell, st.text(max_size=8), st.text(max_size=4)),
    st.builds(lambda n: Cell(f"{n:,.1f}".replace("-", "\u2212"), sort="number", value=n), NUMBERS),
)
TABLES = st.integers(1, 4).flatmap(
    lambda width: st.builds(
        lambda columns, rows: Table("t", "T", tuple(columns), tuple(map(tuple, rows))),
        st.lists(st.builds(Cell, st.text(max_size=6)), min_size=width, max_size=width),
        st.lists(st.lists(CELLS, min_size=width, max_size=width), max_size=5),
    )
)
RUN = ("=", "+", "-", "@", "\t", "\r")


def read(text: str) -> list[list[str]]:
    return list(csv.reader(StringIO(text)))


@given(TABLES)
def test_a_tables_numbers_come_back_unrounded(table: Table) -> None:
    found = read(table_csv(table))
    assert len(found) == 1 + len(table.rows)
    numbers = [cell.value for row in table.rows for cell in row if cell.value is not None]
    texts = [cell for row in found[1:] for cell in row if is_number(cell)]
    assert all(any(math.isclose(float(t), n, abs_tol=0) for t in texts) for n in numbers)


@given(TABLES)
def test_every_line_of_a_file_has_as_many_cells(table: Table) -> None:
    assert len({len(row) for row in read(table_csv(table))}) == 1


@given(TABLES)
def test_no_cell_is_a_formula_to_a_spreadsheet(table: Table) -> None:
    cells = [cell for row in read(table_csv(table)) for cell in row]
    assert not [each for each in cells if each[:1] in RUN and each and not is_number(each)]


def test_signs_thin_blanks_and_missing_numbers_are_as_programs_read_them() -> None:
    row = (
        Cell("\u22121.5", "n 3", sort="number"),
        Cell("+2.0", sort="number"),
        Cell("12,544", sort="number"),
        Cell("\u2013", sort="number"),
        Cell("95\u202f%"),
    )
    columns = tuple(Cell(name) for name in "abcde")
    assert table_csv(Table("t", "T", columns, (row,))) == (
        "a,a (second line),b,c,d,e\n-1.5,n 3,2.0,12544,,95 %\n"
    )


@given(st.text())
def test_an_address_holds_the_very_text(text: str) -> None:
    head, _, body = address(text, "text/csv").partition(";base64,")
    assert head == "data:text/csv;charset=utf-8"
    assert b64decode(body).decode() == text


def test_the_items_are_all_there_with_everybodys_answers() -> None:
    made = material()
    (found,) = [each for each in files(made) if each.name == "items.csv"]
    rows = list(csv.DictReader(StringIO(found.content)))
    tallies = {each.item: each for each in made.tallies}
    assert {row["item"] for row in rows} == tallies.keys()
    for row in rows:
        tally = tallies[row["item"]]
        assert (int(row["people_right"]), int(row["people_total"])) == (tally.right, tally.total)
        for model, credits in made.outcomes.items():
            margin = credits[row["item"]][1]
            assert row[f"{model}: margin_bits"] == ("" if margin is None else str(margin))


def test_files_hold_what_the_page_has_and_no_single_answers() -> None:
    names = [each.name for each in files(material())]
    assert names == ["accuracy.csv", "comparison.csv", "measures.csv", "items.csv"]
    assert [each.name for each in files(without_people())] == ["accuracy.csv", "items.csv"]
    assert files(Material(title=HOSTILE)) == ()
