"""What people see: every table within its terminal, in the columns that were promised, and what can
be run next."""

import csv
import io
import re
import shlex
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

import colorless_green as cg
from colorless_green.data import schema
from colorless_green.data.result import MAX_ROWS, fold_text, to_table
from colorless_green.verbs import console
from tests.builders import colorless

WIDTHS = (100, 80, 40)
OTHERS = {
    "pairs.csv": "good,bad\nThe keys are here.,The keys is here.\nA key is here.,A key are here.\n",
    "items.csv": "item,source,kind,prefix,correct_form,wrong_form\n"
    "i1,s1,target,the keys,are,is\ni2,s2,target,the key,is,are\n",
    "totals.csv": "item,right,total\ni1,9,10\ni2,6,10\n",
}
TABLES = {  # command → the columns that it begins with, of those with values
    "mine sample.conllu --language en": ["verdict", "construction", "n_originals", "n"],
    "nonce": ["construction", "n_originals", "n_variants"],
    "score @2 --baselines": ["model", "policy", "original", "nonce", "Sing", "Plur"],
    "score @2 --by construction": ["construction", "model", "policy", "n_items", "accuracy"],
    "score @3": ["model", "policy", "opposed", "accuracy"],
    "audit @2": ["baseline", "accuracy", "chance"],
    "audit @3": ["baseline", "accuracy", "chance", "sets_solved"],
    "audit @2 --by construction": ["construction", "baseline", "n_items", "accuracy"],
    "compare @2": ["kind", "rater", "n_items", "accuracy"],
    "status": ["id", "what", "name", "n"],
    "humans analyse items": ["statistic"],
    "humans design @2 --out study": ["list"],
}
TEXTS = ("show @1", "show @2", "show @3", "show @2 --rejected", "show sample", "show", "show pairs")
ONE_ROW = ("compose --sets 12", "train unigram", "export @2 --out suite.tab")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the sample's English treebank, gone the whole way."""
    folder = tmp_path_factory.mktemp("a folder")
    treebank = files("colorless_green.data.sample") / "en.conllu"
    (folder / "sample.conllu").write_bytes(treebank.read_bytes())
    for name, text in OTHERS.items():
        (folder / name).write_text(text)
    for line in (
        "mine sample.conllu --language en", "nonce", "compose --sets 12", "train ngram",
        "train unigram", "score @2", "import pairs.csv --language en",
        "humans import totals.csv --items items.csv",
    ):  # fmt: skip
        done = colorless(*line.split(), cwd=folder)
        assert done.returncode == 0, (line, done.stderr)
    return folder


def told(line: str, folder: Path) -> tuple[cg.Result, str]:
    """Return what a command prints, and what it says beside."""
    found: list[cg.Result] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(console, "print_result", lambda result, *_: found.append(result))
        done = colorless(*shlex.split(line), cwd=folder)
    assert done.returncode in (0, 1), done.stderr
    return found[0], done.stderr


@pytest.fixture(scope="module")
def results(project: Path) -> dict[str, cg.Result]:
    """Each command's result, which is laid out anew for each width."""
    return {line: told(line, project)[0] for line in (*TABLES, *ONE_ROW)}


def printed(result: cg.Result, width: int) -> list[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(width))
        return result.to_text()[0].splitlines()


def heads(lines: list[str]) -> list[str]:
    """Return the names of the columns: the first line that is neither `key: value` nor goes on."""
    return next(re.split(r" {2,}", x.strip()) for x in lines if ": " not in x and x[0] != " ")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("line", TABLES)
def test_a_table_fits_and_has_its_columns_in_order(
    line: str, width: int, results: dict[str, cg.Result]
) -> None:
    lines = printed(results[line], width)
    assert max(map(cell_len, lines)) <= width
    in_table = [each for each in lines if ": " not in each]
    assert 2 <= len(in_table) <= 1 + MAX_ROWS + 2  # with what goes on of a heading
    promised = TABLES[line]
    if width == WIDTHS[0]:
        assert heads(in_table)[: len(promised)] == promised
    else:
        assert len(heads(in_table)) >= 1


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("line", ONE_ROW)
def test_one_row_stands_as_keys_and_values(
    line: str, width: int, results: dict[str, cg.Result]
) -> None:
    lines = printed(results[line], width)
    assert max(map(cell_len, lines)) <= width
    assert all(re.match(r"\w+: |  ", each) for each in lines)


@pytest.mark.parametrize("width", WIDTHS)
def test_what_is_shown_fits(width: int, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    for line in TEXTS:
        lines = colorless(*line.split(), cwd=project).stdout.splitlines()
        assert lines, line
        assert max(map(cell_len, lines)) <= width, line


def test_what_a_terminal_leaves_out_is_in_the_file(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = colorless("mine sample.conllu --language en", cwd=project)
    assert "--as csv" in shown.stderr.splitlines()[-2]
    whole = colorless("mine sample.conllu --language en --as csv", cwd=project)
    rows = list(csv.DictReader(io.StringIO(whole.stdout)))
    assert set(rows[0]) == set(schema.CONSTRUCTIONS)
    assert f"all {len(rows)} rows" in shown.stderr
    assert "next:" not in whole.stderr


def test_baselines_are_marked_and_the_best_of_both_sorts_stand_below_the_models(
    results: dict[str, cg.Result],
) -> None:
    rows = printed(results["score @2 --baselines"], 100)[2:]
    names = [re.split(r" {2,}", row)[0] for row in rows]
    assert names[:2] == ["ngram", "unigram"]
    assert len(names) == 2 + 2 * 3
    assert all(name.startswith("– ") for name in names[2:])
    assert "– first_noun" in names
    assert sum("finds cue" in row for row in rows) == 3


def test_an_interval_stands_in_the_cell_of_its_figure(results: dict[str, cg.Result]) -> None:
    lines = printed(results["compare @2"], 100)
    assert not {"low", "high"} & set(heads(lines))
    assert len(re.findall(r"0\.\d{3} \[0\.\d{3}, 0\.\d{3}\]", "\n".join(lines))) == 4


NEXT = {
    "mine sample.conllu --language en": "nonce",
    "nonce": "show @2",
    "compose --sets 12": "show @3",
    "train unigram": "score",
    "score @2": "report",
    "audit @2": "score @2",
    "compare @2": "report",
}


@pytest.mark.parametrize("line", NEXT)
def test_what_is_told_to_be_next_runs(line: str, project: Path) -> None:
    said = told(line, project)[1].splitlines()
    (following,) = [each for each in said if each.startswith("next: ")]
    commands = following.removeprefix("next: ").split("; ")
    assert commands[0].startswith(f"colorless {NEXT[line]}")
    for command in commands:
        done = colorless(*shlex.split(command)[1:], cwd=project)
        assert done.returncode == 0, (command, done.stderr)


@pytest.mark.parametrize("silent", ["--quiet", "--json", "--as csv"])
def test_nothing_is_told_to_be_next_to_programs(silent: str, project: Path) -> None:
    assert "next:" not in colorless("compare", *silent.split(), cwd=project).stderr


def test_what_is_next_names_the_store(project: Path, tmp_path: Path) -> None:
    store = tmp_path / "my store.db"
    line = ("mine", "sample.conllu", "--language", "en", "--store", str(store))
    last = colorless(*line, cwd=project).stderr.splitlines()[-1]
    assert shlex.split(last)[-2:] == ["--store", str(store)]
    assert "next:" not in colorless(*line[:-1], "none", cwd=project).stderr


def test_a_code_page_that_lacks_a_letter_gets_another(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="cp437", newline="\n")
    monkeypatch.setattr("sys.stdout", stream)
    assert console.run(lambda *_, **__: print("→ – łąka ≥ 1"), []) == 0
    stream.flush()
    assert stream.buffer.getvalue().decode("cp437") == "-> - \\u0142\\u0105ka ≥ 1\n"
    done = colorless("show @2", cwd=project, env={"PYTHONIOENCODING": "ascii", "NO_COLOR": "1"})
    assert (done.returncode, done.stderr.count("Traceback")) == (0, 0)


CELLS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=60)


@given(
    rows=st.lists(st.tuples(CELLS, st.floats(0, 1), CELLS, st.integers(0, 9999)), min_size=2),
    width=st.integers(40, 120),
)
def test_any_table_fits(rows: list[tuple[str, float, str, int]], width: int) -> None:
    table = cg.Result([dict(zip("abcd", row, strict=True)) for row in rows], "abcd").shown()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(width))
        assert max(map(cell_len, to_table(table).splitlines())) <= width


@given(text=CELLS, width=st.integers(40, 80))
def test_a_folded_text_has_all_its_letters(text: str, width: int) -> None:
    lines = fold_text(f"{text} {text}", width, 2)
    assert max(map(cell_len, lines)) <= width
    assert "".join("".join(lines).split()) == "".join(f"{text}{text}".split())
