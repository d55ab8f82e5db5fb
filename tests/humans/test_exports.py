"""Studies for other platforms: filled in there, they come back unchanged; the key stays here."""

import base64
import csv
import hashlib
import io
import re
import shlex
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from colorless_green import export_study
from colorless_green.data.tables import read_tsv
from colorless_green.humans import (
    Imported,
    ImportOptions,
    Study,
    forms_of,
    languages,
    read_files,
    read_items,
    read_study,
    texts,
    write_study,
)
from tests.builders import mistake
from tests.humans.answer_material import import_answers
from tests.humans.filled_in import (
    Answer,
    Files,
    answers,
    as_page,
    told_in,
    write_jatos,
    write_json,
    write_pcibex,
)
from tests.humans.study_material import FILLERS, TASKS, planned, store_of, study, suite
from tests.humans.trial_records import Judgment, judgments_of

ITEMS = suite((6, 6), 1)
PAGES = ("download", "datapipe", "jatos")  # one page


def made(tmp_path: Path, task: str, n_blocks: int = 1, seed: int = 0) -> Study:
    return study(
        tmp_path / "study",
        planned(task=task, fillers="pool", blocks=n_blocks, seed=seed, checks=1),
        ITEMS,
    )


def files_in(folder: Path) -> Files:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def exported(own: Study, to: str, **options: Any) -> Files:
    out = Path(tempfile.mkdtemp(dir=own.folder.parent)) / to
    export_study(own.folder, to=to, out=out, **options)
    return files_in(out)


def but_for(own: Study, folder: Path, **last: str) -> Study:
    """Return the same study, with something else in its last trial."""
    trials = [*own.trials[:-1], replace(own.trials[-1], **last)]  # type: ignore[arg-type]
    write_study(folder, own.settings, trials, {"en": "# Choose"}, {})
    return read_study(folder)


def imported(path: Path, own: Study, task: str) -> Imported:
    """Return what is read, with the suite and, where people choose, the table that `--to csv`
    writes: as `humans import --items` has them."""
    if task == "rating":
        return read_files([path], (*ITEMS, *FILLERS))
    table = own.folder.parent / "items.csv"
    table.write_bytes(exported(own, "csv")["items.csv"])
    found = read_items(table, "en")
    others = [each for each in found.items if each.item_id not in {i.item_id for i in ITEMS}]
    return read_files([path], (*ITEMS, *others), ImportOptions(kinds=found.kinds))


def told(given: Sequence[Answer], own: Study) -> list[tuple[object, ...]]:
    """Return what should come back of each choice and rating, in the words of a judgment."""
    whole = {each.item_id: each for each in (*ITEMS, *FILLERS)}
    rows: list[tuple[object, ...]] = []
    for each in given:
        trial = each.trial
        options = trial.options
        right = trial.right
        if trial.task == "sentence" and trial.item in {item.item_id for item in ITEMS}:
            pair = forms_of(whole[trial.item])
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


def results(path: Path, to: str, files: Files, given: Sequence[Answer]) -> Path:
    """Return what a platform hands out once people have answered there."""
    if to == "pcibex":
        return write_pcibex(path, files, given)
    return (write_jatos if to == "jatos" else write_json)(path, as_page(files, given))


@pytest.mark.parametrize(
    ("to", "task"),
    [*product((*PAGES, "pcibex"), TASKS)],
)
def test_what_was_answered_elsewhere_comes_back_unchanged(
    tmp_path: Path, to: str, task: str
) -> None:
    own = made(tmp_path, task)
    given = answers(own)
    files = exported(own, to, experiment="abc")
    found = imported(results(tmp_path / "results", to, files, given), own, task)
    assert as_rows(judgments_of(found.trials)) == told(given, own)
    assert [each.rt_ms for each in judgments_of(found.trials)] == [each.rt_ms for each in given]
    if to in PAGES:
        for judgment, answer in zip(judgments_of(found.trials), given, strict=True):
            own_id = f"session-{answer.participant}/{answer.trial.trial_id}"
            assert (judgment.trial_id, judgment.list) == (own_id, str(answer.trial.list))
            assert judgment.condition == answer.trial.condition or answer.trial.kind == "check"


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("to", ["download", "jatos", "pcibex"])
def test_the_key_leaves_with_practice_alone(tmp_path: Path, task: str, to: str) -> None:
    """What is exported is the same if in every recorded trial the other option is right."""
    own = made(tmp_path, task)
    practice = {trial.trial_id for trial in own.trials if trial.kind == "practice"}
    swapped = [
        trial
        if trial.trial_id in practice
        else replace(trial, right=next((e for e in trial.options if e != trial.right), ""))
        for trial in own.trials
    ]
    write_study(tmp_path / "other", own.settings, swapped, {"en": "# Choose\n"}, {})
    assert exported(own, to) == exported(read_study(tmp_path / "other"), to)


@pytest.mark.parametrize(
    ("language", "way"), [("arz", "rtl"), ("ku-Arab", "rtl"), ("sd-Deva", "ltr"), ("en", "ltr")]
)
def test_other_platforms_write_a_language_as_the_page_does(
    tmp_path: Path, language: str, way: str
) -> None:
    own = made(tmp_path, "form")
    settings = replace(own.settings, language=language)
    write_study(tmp_path / "other", settings, own.trials, {language: "# Choose\n"}, {})
    other = read_study(tmp_path / "other")
    (script,) = (each for name, each in exported(other, "pcibex").items() if name.endswith(".js"))
    assert f'DIRECTION = "{way}"'.encode() in script


def test_the_page_is_one_file_with_the_study_in_it(tmp_path: Path) -> None:
    own = made(tmp_path, "form")
    files = exported(own, "datapipe", experiment="abc")
    assert files.keys() == {"index.html", "THIRD_PARTY.txt"}
    told = told_in(files)
    assert told["answers"] == {"to": "datapipe", "experiment": "abc"}
    assert told["lists"] == [1, 2]
    for number in told["lists"]:
        shown = [trial.trial_id for trial in own.trials if trial.list == number]
        assert [each["trial_id"] for each in told["trials"][str(number)]] == shown


@pytest.mark.parametrize("to", PAGES)
def test_the_page_runs_its_own_script_alone_and_loads_nothing(tmp_path: Path, to: str) -> None:
    """But for JATOS's script from JATOS."""
    experiment = "abc" if to == "datapipe" else ""
    page = exported(made(tmp_path, "form"), to, experiment=experiment)["index.html"].decode()
    found = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert found is not None
    rules = dict(each.strip().split(" ", 1) for each in found[1].split(";"))
    for name, element in (("script-src", "script"), ("style-src", "style")):
        (code,) = re.findall(rf"<{element}>(.*?)</{element}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
        own = " 'self'" if (to, name) == ("jatos", "script-src") else ""
        assert rules[name] == f"'sha256-{digest}'{own}"
    assert rules["default-src"] == "'none'"
    reached = {
        "datapipe": "https://pipe.jspsych.org",
        "jatos": "'self' ws: wss:",
    }
    assert rules.get("connect-src") == reached.get(to)
    assert not re.search(r'(?:src|href)="(?!data:)', page)


@pytest.mark.parametrize("text", ["{", '{"start": 3}'])
def test_texts_of_a_language_of_ones_own_must_be_texts(tmp_path: Path, text: str) -> None:
    own = made(tmp_path, "form")
    path = own.folder / "page.en.json"
    path.write_text(text, encoding="utf-8")
    with mistake("format", path):
        exported(own, "download")


@pytest.mark.parametrize(
    ("language", "file", "spoken"),
    [
        *((code, "", code) for code in languages()),
        *(("it-CH", "", "it-CH"), ("fi", "", "en"), ("fi", "fi", "fi"), ("fi-FI", "fi", "fi-FI")),
        ("de", "de", "de"),
    ],
)
def test_the_page_speaks_the_language_of_the_study_or_english(
    tmp_path: Path, language: str, file: str, spoken: str
) -> None:
    """A file of the study's own goes before the texts that come with the page."""
    own = made(tmp_path, "form")
    settings = replace(own.settings, language=language)
    write_study(tmp_path / "other", settings, own.trials, {language: "# !"}, {})
    if file:
        (tmp_path / "other" / f"page.{file}.json").write_text('{"start": "Aloita"}', "utf-8")
    words = told_in(exported(read_study(tmp_path / "other"), "download"))["texts"][language]
    bundled, english = texts(spoken), texts("en")
    assert english is not None
    expected = {} if file or bundled is None else bundled.page
    own_words = {"start": "Aloita"} if file else {}
    assert words == {**english.page, **expected, **own_words, "language": spoken}


def test_datapipe_without_an_experiment_is_an_error(tmp_path: Path) -> None:
    own = made(tmp_path, "form")
    with mistake("missing", "experiment"):
        exported(own, "datapipe")


def test_magnitudes_do_not_go_to_pcibex(tmp_path: Path) -> None:
    own = study(tmp_path / "m", planned(task="rating", fillers="pool", scale="magnitude"), ITEMS)
    with mistake("unsupported", "to"):
        exported(own, "pcibex")


def test_groups_of_pcibex_have_different_names(tmp_path: Path) -> None:
    own = study(tmp_path / "s", planned("form", fillers="none", checks=0, lists=60), ITEMS)
    rows = _rows(exported(own, "pcibex"), "chunk_includes/trials.csv")
    group = {row["list"]: row["group"] for row in rows}
    assert len(group) == len({*group.values()}) == 60


@pytest.mark.parametrize("task", TASKS)
def test_the_script_for_pcibex_is_javascript(tmp_path: Path, task: str) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node")
    path = tmp_path / "main.js"
    path.write_bytes(exported(made(tmp_path, task), "pcibex")["data_includes/main.js"])
    done = subprocess.run([node, "--check", str(path)], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("task", TASKS)
def test_the_script_for_pcibex_shows_every_row_of_its_table(tmp_path: Path, task: str) -> None:
    files = exported(made(tmp_path, task), "pcibex")
    script = files["data_includes/main.js"].decode()
    shown = re.findall(r'"(\w+)"', script.split("anyOf(")[1].split(")")[0])
    tasks = script.split("const TASKS = {")[1].split("}")[0]
    rows = _rows(files, "chunk_includes/trials.csv")
    assert {row["kind"] for row in rows} <= set(shown)
    assert all(re.search(rf"\b{row['task']}\b", tasks) for row in rows)


def test_what_the_researchers_write_is_escaped_in_pages(tmp_path: Path) -> None:
    own = made(tmp_path, "form")
    (own.folder / "instructions.en.md").write_text("<script>x</script>", encoding="utf-8")
    files = exported(own, "pcibex")
    assert b"<script>" not in files["chunk_includes/instructions.html"]


def test_tables_hold_every_trial_with_its_answer_and_every_item_once(tmp_path: Path) -> None:
    own = made(tmp_path, "form")
    files = exported(own, "csv")
    rows = _rows(files, "trials.csv")
    assert [row["trial_id"] for row in rows] == [trial.trial_id for trial in own.trials]
    assert {row["trial_id"]: row["right"] for row in rows} == {
        each.trial_id: each.right for each in own.trials
    }
    items = _rows(files, "items.csv")
    assert {row["item"] for row in items} == {trial.item for trial in own.trials}
    assert len(items) == len({row["item"] for row in items})


def test_a_cell_that_a_spreadsheet_would_run_is_shown_as_text_if_asked_for(
    tmp_path: Path,
) -> None:
    own = but_for(made(tmp_path, "form"), tmp_path / "other", prefix="=1+1")
    plain, safe = (
        _rows(exported(own, "csv", excel_safe=each), "trials.csv")[-1]["prefix"]
        for each in (False, True)
    )
    assert (plain, safe) == ("=1+1", "'=1+1")


def command(said: Sequence[str]) -> dict[str, Path]:
    """Return the options of the command that imports the answers, as an export tells it."""
    line = next(each for each in said if "colorless humans import" in each)
    words = shlex.split(line[line.index("colorless humans import") :])
    assert words[:4] == ["colorless", "humans", "import", "FILE"]
    return dict(zip(words[4::2], map(Path, words[5::2]), strict=True))


def _rows(files: Files, name: str) -> list[Mapping[str, str]]:
    return list(csv.DictReader(io.StringIO(files[name].decode())))


@pytest.mark.parametrize(
    ("to", "task"),
    [
        *(("download", "form"), ("jatos", "sentence"), ("pcibex", "form")),
        ("download", "rating"),
    ],
)
def test_what_the_message_of_an_export_says_imports_every_answer(
    tmp_path: Path, to: str, task: str
) -> None:
    """The store has the suite; fillers and checks are in no suite of it."""
    own, out = made(tmp_path, task), tmp_path / "out"
    asked = command(export_study(own.folder, to=to, out=out).messages)
    files = files_in(out)
    given = answers(own)
    path = results(tmp_path / "results", to, files, given)
    assert list(asked) == ["--study"]
    import_answers(
        path,
        study=asked["--study"],
        exclude=[
            "max_filler_errors=none",
            "max_failed_checks=none",
            "min_answered_fraction=none",
            "min_median_rt_ms=none",
            "first_session_only=false",
        ],
        hashed=False,
        out=tmp_path / "tables",
        store=store_of(s=ITEMS),
    )
    rows = list(read_tsv(tmp_path / "tables" / "judgments.tsv"))
    whole = Counter(
        (each.participant, each.trial.item, each.trial.kind, right)
        for each in given
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
    return str(int(given.trial.options[given.index] == given.trial.right))


@pytest.mark.parametrize("to", ["pcibex", "download", "csv"])
def test_an_export_leaves_the_study_as_it_was_and_hands_no_items_out(
    tmp_path: Path, to: str
) -> None:
    own, out = made(tmp_path, "form"), tmp_path / "out"
    before = {path.name for path in own.folder.iterdir()}
    said = export_study(own.folder, to=to, out=out).messages
    assert command(said) == {"--study": own.folder / "study.toml"}
    assert {path.name for path in own.folder.iterdir()} == before
    assert read_study(own.folder) == own
    assert bool(list(out.rglob("items.csv"))) == (to == "csv")
    told = [each for each in said if "items.csv" in each and "trials.csv" in each]
    assert bool(told) == (to == "csv")  # they hold what is right


def test_an_export_needs_texts_on_consent_and_a_new_folder(tmp_path: Path) -> None:
    own, out = made(tmp_path, "form"), tmp_path / "out"
    result = export_study(own.folder, to="pcibex", out=out)
    assert {str(row["file"]) for row in result.rows} == files_in(out).keys()
    with mistake("conflict", out):
        export_study(own.folder, to="pcibex", out=out)
    settings = own.folder / "study.toml"
    text = settings.read_text("utf-8").replace('"a university"', '" "')
    settings.write_text(text, encoding="utf-8")
    with mistake("empty", settings):
        export_study(own.folder, to="jatos", out=tmp_path / "other")
    assert export_study(own.folder, to="csv", out=tmp_path / "tables").found


def test_an_unknown_platform_is_an_error(tmp_path: Path) -> None:
    with mistake("unknown", "to"):
        export_study(tmp_path, to="qualtrics", out=tmp_path / "out")
