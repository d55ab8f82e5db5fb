"""A component oracle of the table and script for R: what they hold, that lme4 gives the stored
estimates with them, and that nothing in the data can run in R."""

import csv
import json
import re
import shutil
import subprocess
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.seeds import generator
from colorless_green.humans.analysis import SCHEMA, r_script, r_string, safe_cell, write_tidy
from tests.builders import shared

EVIL = '"); system("touch run"); c("'
HOSTILE = ("=1+2", "'=1+2", "@x", "-1", "a\rb", "a\nb", "a\x00b", 'say "x", y', EVIL, "ñ語🙂")
MARGIN = f"margin {EVIL}"


def answers(
    n_people: int = 8,
    n_sources: int = 10,
    *,
    names: tuple[str, ...] = (),
    hard: float = 0.2,
    condition: str = "nonce",
) -> pl.DataFrame:
    """Return a table in which everybody answers every source once, half of them as the second
    condition, which is harder by `hard`. `names`: of people and sources, by number."""
    rng, rows = generator(0, "tidy"), []
    for person in range(n_people):
        for source in range(n_sources):
            second, attractors = (person + source) % 2, source % 3 % 2
            easy = 1.0 - hard * second - 0.15 * attractors * second - 0.1 * (person % 3)
            who, what = (
                names[number] if names else f"{letter}{number}"
                for letter, number in (("p", person), ("s", source))
            )
            rows.append(
                (who, what, f"s{source}/{second}", condition if second else "original", "c",
                 attractors, 3, 1, None, int(rng.random() < easy), 4 * rng.random() - 1)
            )  # fmt: skip
    return pl.DataFrame(rows, {**SCHEMA, MARGIN: pl.Float64}, orient="row")


def formulas(text: str) -> list[str]:
    return re.findall(r"^  (correct ~ .*?),?$", text, re.MULTILINE)


def test_the_table_holds_every_answer_under_the_names_of_the_script(tmp_path: Path) -> None:
    rows = answers(3, 4).with_columns(attractors=pl.Series([None, *[1] * 11], dtype=pl.Int64))
    write_tidy(tmp_path, rows)
    with open(tmp_path / "tidy.csv", encoding="utf-8", newline="") as stream:
        found = list(csv.DictReader(stream))
    assert found == [
        {name: "" if value is None else str(value) for name, value in row.items()}
        for row in rows.iter_rows(named=True)
    ]


def test_every_variable_of_the_formulas_is_a_column_or_made_of_one() -> None:
    text = r_script(answers())
    made = set(re.findall(r"^tidy\$(\w+) <- ", text, re.MULTILINE))
    used = {name for each in formulas(text) for name in re.findall(r"[a-z_][a-z_0-9]*", each)}
    assert used - made <= set(SCHEMA)
    assert made == {"condition_2"}


def test_slopes_are_those_that_vary_within_a_grouping_and_models_become_simpler() -> None:
    fixed = "condition_2 + attractors + condition_2:attractors"
    assert formulas(r_script(answers())) == [
        f"correct ~ {fixed} + (1 + {fixed} {bar} participant) + (1 + condition_2 {bar} source)"
        " + (1 | item)"
        for bar in ("|", "||")
    ] + [f"correct ~ {fixed} + (1 | participant) + (1 | source) + (1 | item)"]


def test_what_does_not_vary_is_in_no_formula() -> None:
    rows = answers(condition="original").with_columns(attractors=pl.lit(None, pl.Int64))
    (only,) = {each.replace("||", "|") for each in formulas(r_script(rows))}
    assert only == "correct ~ 1 + (1 | participant) + (1 | source) + (1 | item)"


def test_brackets_and_quotes_of_the_script_are_closed() -> None:
    for rows in (answers(), answers(len(HOSTILE), len(HOSTILE), names=HOSTILE, condition=EVIL)):
        bare = re.sub(r'"(\\.|[^"\\])*"', "", re.sub(r"^ *#.*$", "", r_script(rows), flags=re.M))
        assert '"' not in bare
        opened: list[str] = []
        for each in bare:
            if each in "([{":
                opened.append(each)
            elif each in ")]}":
                assert "([{".index(opened.pop()) == ")]}".index(each)
        assert not opened


@given(st.text(), st.text())
def test_no_text_is_a_formula_and_texts_without_controls_stay_apart(a: str, b: str) -> None:
    first, second = safe_cell(a), safe_cell(b)
    assert isinstance(first, str)
    assert not first.startswith(("=", "+", "-", "@"))
    assert not any(ord(each) < 32 for each in first)
    if not any(ord(each) < 32 for each in a + b):
        assert (first == second) == (a == b)


@given(st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"])))
def test_a_string_of_r_holds_nothing_but_plain_characters(text: str) -> None:
    found = r_string(text)
    assert re.fullmatch(r'"([A-Za-z0-9 _.-]|\\U\{[0-9a-f]+\})*"', found)
    inside = re.sub(r"\\U\{([0-9a-f]+)\}", lambda m: chr(int(m[1], 16)), found[1:-1])
    assert inside == text


def test_conditions_of_the_data_are_code_points_in_the_script() -> None:
    text = r_script(answers(condition=EVIL))
    assert "system" in text
    assert "system(" not in text


def r_says(folder: Path, instead: str = "") -> str:
    """Return what the script prints, with `instead` in place of the fits; skip where R or lme4 is
    not installed."""
    program = shutil.which("Rscript")
    if program is None:
        pytest.skip("needs Rscript with lme4")
    if instead:
        head = (folder / "analysis.R").read_text(encoding="utf-8").partition("for (formula")[0]
        (folder / "analysis.R").write_text(f"{head}\n{instead}\n", encoding="utf-8")
    run = subprocess.run(
        [program, "analysis.R"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if "there is no package called ‘lme4’" in run.stderr:
        pytest.skip("needs lme4 for R")
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.mark.slow
def test_r_reads_hostile_texts_and_runs_none(tmp_path: Path) -> None:
    n = len(HOSTILE)
    write_tidy(tmp_path, answers(n, n, names=HOSTILE, condition=EVIL))
    said = r_says(
        tmp_path, 'cat("rows", nrow(tidy), sum(tidy$condition_2), grep("^margin ", names(tidy)))'
    )
    assert f"rows {n * n} {n * n // 2} 11" in said
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_where_a_condition_has_only_right_answers_r_says_so(tmp_path: Path) -> None:
    rows = answers().with_columns(
        correct=pl.when(pl.col("condition") == "nonce").then(pl.col("correct")).otherwise(1)
    )
    write_tidy(tmp_path, rows)
    assert "The answers are separated" in r_says(tmp_path)
    write_tidy(tmp_path / "other", answers(20, 20, hard=0.3))
    assert "separated" not in r_says(tmp_path / "other")


@pytest.mark.shared
def test_the_last_formula_gives_the_stored_estimates_of_lme4(tmp_path: Path) -> None:
    folder = shared("published", "humans", "lme4", "data.csv").parent
    with open(folder / "data.csv", encoding="utf-8", newline="") as stream:
        rows = [
            (row["participant"], row["source"], row["source"],
             row["condition"], "", int(row["attractor"]), None, int(row["position"]), None,
             int(row["correct"]))
            for row in csv.DictReader(stream)
        ]  # fmt: skip
    write_tidy(tmp_path, pl.DataFrame(rows, SCHEMA, orient="row"))
    said = r_says(
        tmp_path,
        "fit <- glmer(formulas[[length(formulas)]], tidy, binomial, control = control)\n"
        'cat("estimates", fixef(fit), "\\n")',
    )
    expected = json.loads((folder / "reference.json").read_text(encoding="utf-8"))["data"]
    found = [float(each) for each in said.rpartition("estimates ")[2].partition("\n")[0].split()]
    assert found == pytest.approx(list(expected["laplace"]["fixef"].values()), abs=0.001)
