"""Studies for other platforms: filled in there, they come back unchanged; the key stays here."""

import csv
import io
import json
import re
import shlex
import shutil
import stat
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.data.store import MEMORY, Store
from colorless_green.data.tables import read_tsv
from colorless_green.humans.designing import Plan
from colorless_green.humans.exporting import export_study
from colorless_green.humans.exports import ExportOptions, Files, bundle, mturk, pcibex, table
from colorless_green.humans.formats import ibex, jatos, jspsych
from colorless_green.humans.formats import mturk as mturk_results
from colorless_green.humans.imported import ImportOptions, Read
from colorless_green.humans.importing import Request, import_judgments
from colorless_green.humans.itemtable import ItemTable, read_items
from colorless_green.humans.judgment import Judgment
from colorless_green.humans.lookup import forms
from colorless_green.humans.study import Study, read_study
from colorless_green.humans.web import site
from colorless_green.nonce.rows import save_suite
from colorless_green.nonce.suite import Suite
from tests.humans.filled_in import (
    Answer,
    answers,
    as_page,
    write_jatos,
    write_json,
    write_mturk,
    write_pcibex,
)
from tests.humans.study_material import FILLERS, questions, study, suite

ITEMS = suite((6, 6), 1)
PLAIN = ExportOptions()
TASKS = ("form", "sentence", "rating", "reading")


@pytest.fixture(autouse=True)
def _built_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that is built, whether or not this checkout's is."""
    static = tmp_path / "static"
    (static / "texts").mkdir(parents=True)
    (static / "index.html").write_text("<!doctype html>", encoding="utf-8")
    (static / "texts" / "en.json").write_text("{}", encoding="utf-8")
    monkeypatch.setattr(site, "STATIC", static)


def made(tmp_path: Path, task: str, n_blocks: int = 1, seed: int = 0) -> Study:
    return study(
        tmp_path / "study",
        Plan(task=task, fillers="pool", n_blocks=n_blocks, seed=seed, n_checks=1),
        ITEMS,
        questions((*ITEMS, *FILLERS)) if task == "reading" else (),
    )


def known(own: Study, tmp_path: Path) -> tuple[Sequence[object], ImportOptions, ItemTable]:
    """The suite and the table that `--to csv` writes, as `humans import --items` has them."""
    path = tmp_path / "items.csv"
    path.write_bytes(table.files(own, PLAIN)["items.csv"])
    return _read(path)


def _read(path: Path) -> tuple[Sequence[object], ImportOptions, ItemTable]:
    found = read_items(path, "en")
    others = [each for each in found.items if each.item_id not in {i.item_id for i in ITEMS}]
    return (*ITEMS, *others), ImportOptions(kinds=found.kinds), found


def imported(
    read: Read, path: Path, own: Study, tmp_path: Path, task: str
) -> tuple[tuple[Judgment, ...], tuple[tuple[object, ...], ...]]:
    """Judgments, and words read as (participant, item, number, word, time)."""
    if task in ("rating", "reading"):
        items, options = (*ITEMS, *FILLERS), ImportOptions()
        if task == "reading":  # the checks of reading are choices
            table_items, options, _ = known(own, tmp_path)
            items = (*items, *(each for each in table_items if each not in ITEMS))  # type: ignore[arg-type]
        found = read([path], items, options)
    else:
        table_items, options, _ = known(own, tmp_path)
        found = read([path], table_items, options)  # type: ignore[arg-type]
    readings = tuple(
        (each.participant, each.item, each.kind, each.word_index, each.word, each.rt_ms)
        for each in found.readings
    )
    return found.judgments, readings


def told(given: Sequence[Answer], own: Study) -> list[tuple[object, ...]]:
    """What should come back of each choice and rating, in the words of a judgment."""
    whole = {each.item_id: each for each in (*ITEMS, *FILLERS)}
    rows: list[tuple[object, ...]] = []
    for each in given:
        trial = each.trial
        if trial.task == "reading":
            continue
        options = trial.options
        right = own.key[trial.trial_id]
        if trial.task == "sentence" and trial.item in {item.item_id for item in ITEMS}:
            pair = forms(whole[trial.item])
            assert pair is not None
            shown = tuple(pair[0] if text == right else pair[1] for text in options)
            options, right = (shown[0], shown[1]), pair[0]
        chosen = "" if each.index is None else options[each.index]
        correct = None if each.index is None else int(chosen == right)
        second = options[1] if len(options) == 2 else ""
        about = (each.participant, trial.item, trial.kind)
        rows.append((*about, options[0], second, chosen, correct, each.rating))
    return rows


def as_rows(judgments: Sequence[Judgment]) -> list[tuple[object, ...]]:
    return [
        (e.participant, e.item, e.kind, e.option_1, e.option_2, e.chosen, e.correct, e.rating)
        for e in judgments
    ]


def words(given: Sequence[Answer]) -> tuple[tuple[object, ...], ...]:
    return tuple(
        (each.participant, each.trial.item, each.trial.kind, number, word, time)
        for each in given
        if each.trial.task == "reading"
        for number, (word, time) in enumerate(zip(each.trial.options, each.words_ms, strict=True))
    )


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("to", ["static", "datapipe"])
def test_what_the_page_saves_without_a_server_comes_back_unchanged(
    tmp_path: Path, task: str, to: str
) -> None:
    own = made(tmp_path, task)
    files = getattr(bundle, to)(own, ExportOptions("abc"))
    given = answers(own)
    path = write_json(tmp_path / "data.json", as_page(files, given))
    judgments, readings = imported(jspsych.read, path, own, tmp_path, task)
    assert as_rows(judgments) == told(given, own)
    assert readings == words(given)
    shown = [each.trial for each in given if each.trial.task != "reading"]
    for judgment, trial in zip(judgments, shown, strict=True):
        assert judgment.condition == trial.condition or trial.kind == "check"
        assert judgment.list == str(trial.list)
    times = [each.rt_ms for each in given if each.trial.task != "reading"]
    assert [each.rt_ms for each in judgments] == times
    ids = {(e.participant, f"session-{e.participant}/{e.trial.trial_id}") for e in given}
    assert {(e.participant, e.trial_id) for e in judgments} <= ids


@pytest.mark.parametrize("task", TASKS)
def test_what_comes_out_of_jatos_is_what_was_answered(tmp_path: Path, task: str) -> None:
    own = made(tmp_path, task)
    given = answers(own)
    rows = as_page(bundle.jatos(own, PLAIN), given)
    path = write_jatos(tmp_path / "jatos.zip", rows)
    judgments, readings = imported(jatos.read, path, own, tmp_path, task)
    assert as_rows(judgments) == told(given, own)
    assert readings == words(given)


@pytest.mark.parametrize("task", TASKS)
def test_what_comes_out_of_pcibex_is_what_was_answered(tmp_path: Path, task: str) -> None:
    own = made(tmp_path, task)
    given = answers(own)
    path = write_pcibex(tmp_path / "results.csv", pcibex.files(own, PLAIN), given)
    judgments, readings = imported(ibex.read, path, own, tmp_path, task)
    assert as_rows(judgments) == told(given, own)
    assert readings == words(given)
    assert [e.rt_ms for e in judgments] == [e.rt_ms for e in given if e.trial.task != "reading"]


@pytest.mark.parametrize("task", TASKS[:2])
def test_what_comes_out_of_mechanical_turk_is_what_was_answered(tmp_path: Path, task: str) -> None:
    own = made(tmp_path, task)
    given = answers(own)
    path = write_mturk(tmp_path / "batch.csv", mturk.files(own, PLAIN), given)
    judgments, _ = imported(mturk_results.read, path, own, tmp_path, task)
    assert as_rows(judgments) == told(given, own)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("to", ["static", "jatos", "pcibex"])
def test_the_key_leaves_with_practice_alone(tmp_path: Path, task: str, to: str) -> None:
    """What is exported is the same if in every recorded trial the other option is right."""
    own = made(tmp_path, task)
    write = {"static": bundle.static, "jatos": bundle.jatos, "pcibex": pcibex.files}[to]
    practice = {trial.trial_id for trial in own.trials if trial.kind == "practice"}
    key = {
        trial.trial_id: own.key[trial.trial_id]
        if trial.trial_id in practice
        else next((each for each in trial.options if each != own.key[trial.trial_id]), "")
        for trial in own.trials
    }
    other = Study(own.settings, own.trials, key, own.folder)
    assert write(own, PLAIN) == write(other, PLAIN)


def test_the_place_of_the_right_option_tells_nothing(tmp_path: Path) -> None:
    own = made(tmp_path, "form")
    for number in {trial.list for trial in own.trials}:
        targets = [t for t in own.trials if t.list == number and t.kind == "target"]
        first = sum(t.options[0] == own.key[t.trial_id] for t in targets)
        assert abs(2 * first - len(targets)) <= 1


def test_a_bundle_is_the_page_the_study_and_a_file_for_each_list(tmp_path: Path) -> None:
    own = made(tmp_path, "form")
    files = bundle.datapipe(own, ExportOptions("abc"))
    assert sorted(files) == [
        "index.html", "list-1.json", "list-2.json", "study.json", "texts/en.json",
    ]  # fmt: skip
    about = json.loads(files["study.json"])
    assert about["answers"] == {"to": "datapipe", "experiment": "abc"}
    assert about["lists"] == [1, 2]
    shown = [trial.trial_id for trial in own.trials if trial.list == 1]
    assert [each["trial_id"] for each in json.loads(files["list-1.json"])] == shown


def test_datapipe_without_an_experiment_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        bundle.datapipe(made(tmp_path, "form"), PLAIN)
    assert str(error.value) == ("--experiment: no id; the experiment's id as DataPipe shows it")


def test_a_bundle_without_the_built_page_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site, "STATIC", tmp_path / "nowhere")
    with pytest.raises(InputError, match="the page is not built"):
        bundle.static(made(tmp_path, "form"), PLAIN)


def test_mechanical_turk_has_the_papers_six_columns_and_prints_no_answer(tmp_path: Path) -> None:
    files = mturk.files(made(tmp_path, "form"), PLAIN)
    header = files["list-1.csv"].decode().partition("\n")[0]
    assert header == "opt1,opt2,type,corr_opt,sent,full_id"
    assert b"corr_opt" not in files["question.html"]
    kinds = {row["type"] for row in _rows(files, "list-1.csv")}
    assert kinds == {"target_original", "target_generated", "control", "check"}


def test_texts_that_mechanical_turk_would_run_are_refused(tmp_path: Path) -> None:
    own = made(tmp_path, "form")
    last = own.trials[-1]
    object.__setattr__(last, "prefix", "The <b>key</b>")
    with pytest.raises(InputError) as error:
        mturk.files(own, PLAIN)
    assert str(error.value) == (
        f"--to mturk: item {last.item}: 'The <b>key</b>' would be markup; another platform"
    )


def test_ratings_do_not_go_to_mechanical_turk_nor_magnitudes_to_pcibex(tmp_path: Path) -> None:
    own = study(tmp_path / "m", Plan(task="rating", fillers="pool", scale="magnitude"), ITEMS)
    with pytest.raises(InputError) as error:
        mturk.files(own, PLAIN)
    assert str(error.value) == "--to mturk: the task is rating; one of form, sentence"
    with pytest.raises(InputError) as error:
        pcibex.files(own, PLAIN)
    assert str(error.value) == "--to pcibex: the scale is magnitude; 5, 7, slider"


@given(st.integers(1, 60))
def test_groups_of_pcibex_have_different_names(number: int) -> None:
    assert len({pcibex.group(each) for each in range(1, number + 1)}) == number


@pytest.mark.parametrize("task", TASKS)
def test_the_script_for_pcibex_is_javascript(tmp_path: Path, task: str) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node")
    path = tmp_path / "main.js"
    path.write_bytes(pcibex.files(made(tmp_path, task), PLAIN)["data_includes/main.js"])
    done = subprocess.run([node, "--check", str(path)], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("task", TASKS)
def test_the_script_for_pcibex_shows_every_row_of_its_table(tmp_path: Path, task: str) -> None:
    files = pcibex.files(made(tmp_path, task), PLAIN)
    script = files["data_includes/main.js"].decode()
    shown = re.findall(r'"(\w+)"', script.split("anyOf(")[1].split(")")[0])
    tasks = script.split("const TASKS = {")[1].split("}")[0]
    rows = _rows(files, "chunk_includes/trials.csv")
    assert {row["kind"] for row in rows} <= set(shown)
    assert all(re.search(rf"\b{row['task']}\b", tasks) for row in rows)
    assert any(row["kind"] == "question" for row in rows) == (task == "reading")


def test_what_the_researchers_write_is_escaped_in_pages(tmp_path: Path) -> None:
    own = made(tmp_path, "form")
    (own.folder / "instructions.en.md").write_text("<script>x</script>", encoding="utf-8")
    files = pcibex.files(own, PLAIN)
    assert b"<script>" not in files["chunk_includes/instructions.html"]


def test_tables_hold_every_trial_with_its_answer_and_every_item_once(tmp_path: Path) -> None:
    own = made(tmp_path, "form")
    files = table.files(own, PLAIN)
    rows = _rows(files, "trials.csv")
    assert [row["trial_id"] for row in rows] == [trial.trial_id for trial in own.trials]
    assert {row["trial_id"]: row["right"] for row in rows} == dict(own.key)
    items = _rows(files, "items.csv")
    assert {row["item"] for row in items} == {trial.item for trial in own.trials}
    assert len(items) == len({row["item"] for row in items})


def test_a_cell_that_a_spreadsheet_would_run_is_shown_as_text_if_asked_for(
    tmp_path: Path,
) -> None:
    own = made(tmp_path, "form")
    object.__setattr__(own.trials[-1], "prefix", "=1+1")
    plain, safe = (
        _rows(table.files(own, ExportOptions(excel_safe=each)), "trials.csv")[-1]["prefix"]
        for each in (False, True)
    )
    assert (plain, safe) == ("=1+1", "'=1+1")


def _rows(files: Files, name: str) -> list[Mapping[str, str]]:
    return list(csv.DictReader(io.StringIO(files[name].decode())))


@pytest.mark.parametrize(
    ("to", "task"),
    [
        *(("static", "form"), ("jatos", "sentence"), ("pcibex", "form"), ("mturk", "form")),
        *(("static", "reading"), ("pcibex", "reading"), ("static", "rating")),
    ],
)
def test_what_the_message_of_an_export_says_imports_every_answer(
    tmp_path: Path, to: str, task: str
) -> None:
    """The store has the suite; fillers, checks and questions are in no suite of it."""
    own, out = made(tmp_path, task), tmp_path / "out"
    said = export_study(own.folder, to, out, PLAIN).messages
    files = {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in out.rglob("*")
        if path.is_file()
    }
    given = answers(own)
    path = tmp_path / "results"
    if to == "mturk":
        write_mturk(path, files, given)
    elif to == "pcibex":
        write_pcibex(path, files, given)
    else:
        (write_jatos if to == "jatos" else write_json)(path, as_page(files, given))
    told = shlex.split(said[0].removeprefix("answers come back with "))
    assert told[:4] == ["colorless", "humans", "import", "FILE"]
    asked = dict(zip(told[4::2], map(Path, told[5::2]), strict=True))
    assert list(asked) == ["--study", "--items"] or (task == "rating" and "--items" not in asked)
    store = Store(MEMORY)
    with store.transaction():
        save_suite(store, Suite("s", ITEMS, ()), "imported", treebank_id=None, now="")
    request = Request(items=asked.get("--items"), hashed=False, out=tmp_path / "tables")
    import_judgments([path], store, request, now="")
    rows = list(read_tsv(tmp_path / "tables" / "judgments.tsv"))
    whole = Counter(
        (each.participant, each.trial.item, each.trial.kind, right)
        for each in given
        if each.trial.task != "reading"
        for right in [_right(each, own)]
    )
    assert whole == Counter(
        (row["participant"], row["item"], row["kind"], row["correct"]) for row in rows
    )
    if task != "rating":
        assert {row["kind"] for row in rows} >= {"check"}


def _right(given: Answer, own: Study) -> str:
    """1, 0, or nothing where there is no answer or none that is right."""
    if given.index is None:
        return ""
    return str(int(given.trial.options[given.index] == own.key[given.trial.trial_id]))


def test_the_items_of_an_export_lie_beside_the_key_for_the_researcher_alone(
    tmp_path: Path,
) -> None:
    own, out = made(tmp_path, "form"), tmp_path / "out"
    said = export_study(own.folder, "pcibex", out, PLAIN).messages
    items = own.folder / "items.csv"
    assert said == [
        f"answers come back with colorless humans import FILE --study {own.folder / 'study.toml'} "
        f"--items {items}",
        "--items tells it the fillers and attention checks, which the suite may lack",
        f"{items} holds what is right: keep it from participants",
    ]
    assert stat.S_IMODE(items.stat().st_mode) == 0o600
    assert not list(out.rglob("items.csv"))
    assert items.read_bytes() == table.files(own, PLAIN)["items.csv"]
    before = items.read_bytes()
    export_study(own.folder, "static", tmp_path / "again", ExportOptions(excel_safe=True))
    assert items.read_bytes() == before
    assert read_study(own.folder) == own


def test_a_study_of_targets_alone_needs_no_items(tmp_path: Path) -> None:
    own = study(tmp_path / "study", Plan(task="form", fillers="none", n_checks=0), ITEMS)
    said = export_study(own.folder, "static", tmp_path / "out", PLAIN).messages
    assert said == [
        f"answers come back with colorless humans import FILE --study {own.folder / 'study.toml'}"
    ]
    assert not (own.folder / "items.csv").exists()


def test_tables_name_their_own_items(tmp_path: Path) -> None:
    own, out = made(tmp_path, "form"), tmp_path / "out"
    said = export_study(own.folder, "csv", out, PLAIN).messages
    assert said[0].endswith(f"--items {out / 'items.csv'}")
    assert said[-1] == "items.csv and trials.csv hold what is right: keep them from participants"
    assert not (own.folder / "items.csv").exists()


def test_an_export_needs_texts_on_consent_and_a_new_folder(tmp_path: Path) -> None:
    own = made(tmp_path, "form")
    out = tmp_path / "out"
    result = export_study(own.folder, "pcibex", out, PLAIN)
    assert {str(row["file"]) for row in result.rows} == {
        path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()
    }
    with pytest.raises(InputError) as error:
        export_study(own.folder, "pcibex", out, PLAIN)
    assert str(error.value) == f"{out}: the folder is not empty; a new folder for the export"
    settings = own.folder / "study.toml"
    text = settings.read_text("utf-8").replace('"a university"', '" "')
    settings.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        export_study(own.folder, "mturk", tmp_path / "other", PLAIN)
    assert str(error.value) == f"{settings}: not filled in: institution; a text for each"
    assert export_study(own.folder, "csv", tmp_path / "tables", PLAIN).found


def test_an_unknown_platform_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        export_study(tmp_path, "qualtrics", tmp_path / "out", PLAIN)
    assert str(error.value) == (
        "--to: no such name 'qualtrics'; one of csv, datapipe, jatos, mturk, pcibex, static"
    )
