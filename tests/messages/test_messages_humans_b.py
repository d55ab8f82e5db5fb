"""Word for word, what people are told most often when they design, export and analyse a study."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from colorless_green import analyse, export_study
from colorless_green.data.errors import InputError
from colorless_green.humans import FillerPool, read_study
from tests.humans.study_material import (
    Plan,
    changed,
    design,
    designed,
    item,
    planned,
    store_of,
    study,
    suite,
)

ITEMS = suite((6, 6), 1)
PLAN = planned("form", fillers="pool", checks=1)
FORM = {name: item(1).conditions["right"] for name in ("a", "b", "c")}


def of_study(path: Path, old: str = "", new: str = "") -> Path:
    """Return the folder of a study, with something else in its settings."""
    folder = study(path / "s", PLAN, ITEMS).folder
    settings = folder / "study.toml"
    settings.write_text(settings.read_text("utf-8").replace(old, new), encoding="utf-8")
    return folder


def design_of(path: Path, plan: Plan) -> None:
    with store_of(s=ITEMS) as store:
        design("s", path / "s", store=store, **plan)


MISTAKES: Mapping[str, Callable[[Path], object]] = {
    "task: 'maze'; 'form', 'sentence' or 'rating'": lambda path: designed(ITEMS, planned("maze")),
    "fillers: 4 fillers for 12 targets; 12 fillers in a table or suite; at most 4 targets (fewer "
    "of --per-construction, --construction, --versions); or none": lambda path: designed(
        ITEMS, PLAN, FillerPool(suite((4,), 1, name="f"))
    ),
    "checks: 13 requested, but 12 come with the language 'en'; 12 or fewer, or rows of kind check "
    "in the file of --fillers": lambda path: designed(ITEMS, changed(PLAN, checks=13)),
    "practice: 3 requested, but none come with the language 'fi'; 0, or rows of kind practice "
    "in the file of --fillers": lambda path: designed(
        ITEMS, planned("form", fillers="none", checks=0), language="fi"
    ),
    "task: item s1-0: its conditions are a, b, c; right and wrong; or --task rating, "
    "which shows one sentence": lambda path: designed([replace(item(1), conditions=FORM)], PLAN),
    "{path}/s: the folder is not empty; give a new folder for a new study": lambda path: design_of(
        of_study(path).parent, planned("form", fillers="none")
    ),
    "{path}/s/study.toml: consent.minimum_age: -1; at least 0": lambda path: read_study(
        of_study(path, "minimum_age = 18", "minimum_age = -1")
    ),
    "{path}/s/study.toml: task: 'sentence', but the study was designed with 'form'; "
    "give the design's "
    "own, or a new design": lambda path: read_study(of_study(path, '"form"', '"sentence"')),
    "{path}/s/study.toml: not filled in: payment; fill in each of them": lambda path: export_study(
        of_study(path, 'payment = "none"', 'payment = " "'), to="jatos", out=path / "out"
    ),
    "to: no such name 'qualtrics'; "
    "give one of csv, datapipe, download, jatos, pcibex": lambda path: export_study(
        path, to="qualtrics", out=path / "out"
    ),
}


@pytest.mark.parametrize("wanted", MISTAKES)
def test_a_mistake_is_told_in_these_words(tmp_path: Path, wanted: str) -> None:
    with pytest.raises(InputError) as caught:
        MISTAKES[wanted](tmp_path)
    assert str(caught.value) == wanted.replace("{path}", str(tmp_path))


def test_what_a_design_says_of_its_material() -> None:
    assert designed(suite((6, 6), 1), PLAN).messages == (
        "targets of a participant: 12 (6 original, 6 nonce)",
        "fillers of a participant: 12 (6 original, 6 nonce)",
        "only 6 of 12 fillers count for excluding participants (originals without doubts): 2 wrong "
        "answers exceed max_filler_errors = 0.2; a table of fillers with a column unambiguous can "
        "provide more",
        "words before the gap: 6 at the median, 6 at most",
    )


STEPS = {
    "download": [
        "open {out}/index.html in a browser: at the end it saves the answers as a file",
        "one browser deals the 2 lists in turn; on several machines add ?list=1 to ?list=2",
        "answers leave the page at the end: a page that is closed before loses them",
    ],
    "jatos": [
        "make {out} the assets of a study in JATOS, and index.html its component",
        "the batch session data deal the 2 lists in turn; ?list=N at a study link names one",
        "JATOS has each answer at once: of a page that is closed before the end, those so far",
    ],
    "datapipe": [
        "put {out} on a web host; at DataPipe enable data collection and condition assignment",
        "with 2 conditions DataPipe deals the 2 lists in turn; ?list=N names one",
        "answers leave the page at the end: a page that is closed before loses them",
    ],
    "pcibex": [
        "PCIbex deals the 2 lists by its counter",
        "answers leave the page at the end: a page that is closed before loses them",
    ],
}


@pytest.mark.parametrize("to", STEPS)
def test_what_an_export_says_of_the_way_there_and_back(tmp_path: Path, to: str) -> None:
    folder, out = of_study(tmp_path), tmp_path / "out"
    experiment = "abc" if to == "datapipe" else ""
    assert export_study(folder, to=to, out=out, experiment=experiment).messages == [
        *(step.format(out=out) for step in STEPS[to]),
        f"answers come back with colorless humans import FILE --study {folder}/study.toml",
    ]


def test_the_whole_account_of_a_design(tmp_path: Path) -> None:
    plan = planned("form", construction=("S_0",), lists=2, checks=0)
    with store_of(s=suite((7, 7), 1)) as store:
        messages = design("s", tmp_path / "study", store=store, **plan).messages
    folder = tmp_path / "study"
    assert messages[0] == (
        "study: 2 lists of 14 trials: 7 targets, 7 fillers, 0 attention checks; 3 practice trials "
        "before"
    )
    assert "fillers: of the constructions not tested (--fillers FILE, SUITE or none)" in messages
    begun = messages.index(
        f"the first 14 trials of list 1, as people see them (all: {folder}/trials.jsonl):"
    )
    assert messages[begun + 1] == "   1  filler  The s_1 s 10 of 0 ___  [sings] [sing]"
    assert messages[begun + 15 :] == [
        "power, original − nonce                10     20     40 participants (10 a list; "
        "--participants N)",
        "   5 points (94% and 89% right)      0.01   0.04   0.09",
        "  10 points (94% and 84% right)      0.06   0.14   0.36",
        "  by Student's t over sources and people (7 sources), p < 0.05; 500 made-up studies",
        "  assumed: SD of participants 0.8, of sources 0.73 in log-odds; 10% of participants "
        "excluded",
        f"next: fill in the 16 empty texts of {folder}/study.toml, then colorless humans export "
        f"{folder} --to jatos (or datapipe, pcibex, download, csv)",
    ]


def test_what_is_said_of_a_suite_that_nobody_judged() -> None:
    assert analyse("s", store=store_of(s=ITEMS)).messages == [
        "s: nobody has judged it yet; colorless humans import"
    ]
