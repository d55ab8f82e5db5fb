"""A component oracle: lme4 fits the table and script for R as it fitted the stored model; and
nothing that data hold could make them run."""

import csv
import math
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.files import read_manifest
from colorless_green.humans.coding import CENTRED, TREATMENT
from colorless_green.humans.formula import parse
from colorless_green.humans.mixed import fit, term_tests
from colorless_green.humans.tidy import COLUMNS, cell, quoted, script, write_tidy
from tests.builders import shared
from tests.humans.observed import Observation, made, stored, tabled

WHOLE = "condition * attractors + (1 | participant) + (1 | source)"
EVIL = '"); system("touch run"); c("'
HOSTILE = ("=1+2", "'=1+2", "@x", "-1", "a\rb", "a\nb", "a\x00b", 'say "x", y', EVIL, "ñ語🙂")


def written(folder: Path, rows: list[Observation]) -> list[dict[str, str]]:
    write_tidy(folder, tabled(rows), parse(WHOLE), TREATMENT)
    with open(folder / "tidy.csv", encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def hostile() -> list[Observation]:
    rows = made(len(HOSTILE), len(HOSTILE))
    return [
        replace(
            row,
            participant=HOSTILE[int(row.participant[1:])],
            source=HOSTILE[int(row.source[1:])],
            condition=EVIL if row.condition == "nonce" else row.condition,
        )
        for row in rows
    ]


def test_every_answer_is_a_row_with_what_is_known_of_it(tmp_path: Path) -> None:
    rows = [*made(3, 4), replace(made(1, 1)[0], attractors=None)]
    found = written(tmp_path, rows)
    assert len(found) == len(rows)
    assert tuple(found[0]) == COLUMNS
    assert found[-1]["attractors"] == ""
    for row, cells in zip(rows, found, strict=True):
        for column in COLUMNS:
            value = getattr(row, column)
            assert cells[column] == ("" if value is None else str(value))
    assert read_manifest(tmp_path)["formula"] == f"correct ~ {WHOLE}".replace(
        "condition * attractors", "condition + attractors + condition:attractors"
    )


@given(st.text(), st.text())
def test_no_text_is_a_formula_and_texts_without_controls_stay_apart(a: str, b: str) -> None:
    first, second = cell(a), cell(b)
    assert isinstance(first, str)
    assert not first.startswith(("=", "+", "-", "@"))
    assert not any(ord(each) < 32 for each in first)
    if not any(ord(each) < 32 for each in a + b):
        assert (first == second) == (a == b)


@given(st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"])))
def test_a_string_of_r_holds_nothing_but_plain_characters(text: str) -> None:
    found = quoted(text)
    assert re.fullmatch(r'"([A-Za-z0-9 _.-]|\\U\{[0-9a-f]+\})*"', found)
    inside = re.sub(r"\\U\{([0-9a-f]+)\}", lambda m: chr(int(m[1], 16)), found[1:-1])
    assert inside == text


def test_levels_of_the_data_stand_in_the_script_as_code_points_alone() -> None:
    text = script(tabled(hostile()), parse(WHOLE), TREATMENT)
    assert "system" in text
    assert 'system("' not in text
    assert "system(" not in text


def test_the_script_tests_each_variable_and_centres_when_asked() -> None:
    text = script(tabled(made()), parse(f"gap + margin + {WHOLE}"), CENTRED)
    assert text.count("print(anova(") == 4
    assert "contrasts(tidy$condition) <- contr.treatment(2) - 1 / 2\n" in text
    assert "tidy$gap <- tidy$gap - mean(tidy$gap)\n" in text
    assert "tidy$margin <- as.numeric(scale(tidy$margin))\n" in text
    reduced = "correct ~ gap + margin + attractors + (1 | participant) + (1 | source)"
    assert f"anova(fitted_model({reduced}), model)" in text


def r_says(folder: Path) -> str:
    """What the script prints; skips where R or lme4 is not installed."""
    program = shutil.which("Rscript")
    if program is None:
        pytest.skip("needs Rscript with lme4")
    run = subprocess.run(
        [program, "analysis.R"], cwd=folder, capture_output=True, text=True, check=False
    )
    if "there is no package called" in run.stderr:
        pytest.skip("needs lme4 for R")
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.mark.shared
@pytest.mark.parametrize("coding", [TREATMENT, CENTRED])
def test_the_script_gives_our_estimates_and_standard_errors(tmp_path: Path, coding: str) -> None:
    """To every digit that R prints, lme4 1.1.31; at its own tolerances the second one differs."""
    rows = stored(shared("published", "humans", "lme4", "data.csv"))
    found = fit(tabled(rows), parse(WHOLE), coding=coding)
    write_tidy(tmp_path, tabled(rows), parse(WHOLE), coding)
    said = r_says(tmp_path)
    for each in found.coefficients:
        assert f"{each.estimate:.4f}" in said
        assert f"{each.se:.4f}" in said
    assert "-1058.1" in said
    for test in term_tests(tabled(rows), found, coding=coding):
        printed = (float(each) for each in re.findall(r"\d+\.\d+", said))
        assert any(math.isclose(each, test.chisq, rel_tol=2e-4) for each in printed)


@pytest.mark.slow
def test_r_reads_hostile_texts_and_runs_none(tmp_path: Path) -> None:
    rows = hostile()
    write_tidy(tmp_path, tabled(rows), parse(WHOLE), TREATMENT)
    said = r_says(tmp_path)
    n = len(HOSTILE)
    assert f"Number of obs: {n * n}, groups:  participant, {n}; source, {n}" in said
    assert not (tmp_path / "run").exists()
