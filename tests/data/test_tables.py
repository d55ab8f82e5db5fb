"""Tables in every form: what goes in comes out, and no cell does harm where it is opened."""

import csv
import io
import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data import schema, tables
from colorless_green.data.tables import (
    TableForm,
    frame,
    guard_cell,
    read_tsv,
    unguard_cell,
    write_table,
)
from tests.builders import colorless, conllu, mistake, write_conllu

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
ROWS = st.lists(
    st.fixed_dictionaries(
        {"sent_id": st.none() | TEXTS, "n": st.none() | st.integers(-(2**62), 2**62)},
        optional={"p": FLOATS},
    ),
    min_size=1,
)
COLUMNS = {"sent_id": str, "n": int, "p": float}
TABLE = frame(
    [
        {"level": "+frame", "sent_id": "=HYPERLINK(1)", "n": 3, "rate": 0.5, "margin_bits": -0.5},
        {"level": "morphology", "sent_id": "50%_a|b", "n": None, "rate": 1.0, "margin_bits": 2e-7},
    ]
)


@given(rows=ROWS)
def test_a_tsv_file_is_read_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, str | int | float | None]]
) -> None:
    path = tmp_path_factory.mktemp("tsv") / "t.tsv"
    assert write_table(path, frame(rows, COLUMNS)) == len(rows)
    read = list(read_tsv(path, ("sent_id", "n", "p")))
    assert [row["sent_id"] for row in read] == [row["sent_id"] or "" for row in rows]
    assert [int(row["n"]) if row["n"] else None for row in read] == [row["n"] for row in rows]
    assert [float(row["p"]) if row["p"] else None for row in read] == [row.get("p") for row in rows]


@given(rows=ROWS)
def test_a_parquet_file_and_json_lines_keep_every_value(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, str | int | float | None]]
) -> None:
    folder = tmp_path_factory.mktemp("forms")
    table = frame(rows, COLUMNS)
    write_table(folder / "t.parquet", table)
    write_table(folder / "t.jsonl", table)
    assert pl.read_parquet(folder / "t.parquet").equals(table)
    lines = (folder / "t.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    assert [json.loads(line) for line in lines] == list(table.iter_rows(named=True))


@given(text=TEXTS)
def test_no_text_from_outside_is_a_formula_in_a_csv_file_and_none_is_lost(text: str) -> None:
    cell = guard_cell(text)
    assert unguard_cell(cell) == text
    assert cell[:1] not in tuple("=+-@\t\r") or tables.NO_FORMULA.fullmatch(cell)
    (_, row) = csv.reader(io.StringIO(tables.to_csv(frame([{"form": text or "x"}])), newline=""))
    assert row == [guard_cell(text or "x")]


def test_in_csv_numbers_and_the_names_of_levels_stay_as_they_are() -> None:
    first, _ = csv.DictReader(io.StringIO(tables.to_csv(TABLE)))
    assert first == {
        "level": "+frame", "sent_id": "'=HYPERLINK(1)", "n": "3", "rate": "0.5",
        "margin_bits": "-0.5",
    }  # fmt: skip


def test_a_value_of_another_type_than_its_schema_is_no_row() -> None:
    with pytest.raises(TypeError):
        frame([{"n": "three"}], {"n": int})


def test_markdown_and_latex_escape_what_they_would_read_as_markup() -> None:
    assert r"50%\_a\|b" in tables.to_markdown(TABLE)
    assert r"50\%\_a\textbar{}b &" in tables.to_latex(TABLE)
    assert tables.to_latex(TABLE).count(r"\\") == 1 + TABLE.height


@pytest.mark.parametrize("name", ["t.xlsx", "t", "t.tsv.bz2"])
def test_a_name_that_says_no_form_is_refused_before_anything_is_written(
    tmp_path: Path, name: str
) -> None:
    with mistake("unknown", f"--out {tmp_path / name}"):
        write_table(tmp_path / name, TABLE)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("form", ["table", "csv", "tsv", "jsonl", "markdown", "latex"])
def test_the_forms_of_one_table_have_the_same_figures(tmp_path: Path, form: TableForm) -> None:
    blocks = [
        conllu(f"the{n}/DET/-/2", "cat/NOUN/Sing/3", "sees/VERB/Sing/0", sent_id=f"s{n}")
        for n in range(7)
    ]
    write_conllu(tmp_path / "toy.conllu", *blocks)
    run = colorless(
        "mine",
        "toy.conllu",
        "--language",
        "en",
        "--set",
        "min_gap=0",
        "--rule",
        "tested",
        "--as",
        form,
        cwd=tmp_path,
    )
    assert run.stdout.count("Sing-Sing:7") >= 1
    if form == "jsonl":
        rows = [json.loads(line) for line in run.stdout.splitlines()]
        assert set(rows[0]) == set(schema.CONSTRUCTIONS)
        same = colorless(
            "mine toy.conllu --language en --set min_gap=0 --rule tested --json", cwd=tmp_path
        )
        assert same.stdout == run.stdout
