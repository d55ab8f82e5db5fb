"""Word for word, what people are told most often when they design, serve and analyse a study."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from colorless_green.data.errors import InputError
from colorless_green.humans import (
    FillerPool,
    analyse,
    collect_answers,
    design_study,
    export_study,
    plan_power,
    read_study,
    serve_study,
)
from tests.humans import served
from tests.humans.study_material import (
    Plan,
    changed,
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
    """The folder of a study, with something else in its settings."""
    folder = study(path / "s", PLAN, ITEMS).folder
    settings = folder / "study.toml"
    settings.write_text(settings.read_text("utf-8").replace(old, new), encoding="utf-8")
    return folder


def served_study(path: Path) -> Path:
    return served.write(path / "s").folder


def design_of(path: Path, plan: Plan) -> None:
    with store_of(s=ITEMS) as store:
        design_study("s", path / "s", store=store, **plan)


MISTAKES: Mapping[str, Callable[[Path], object]] = {
    "--task: no such name 'maze'; one of form, rating, reading, sentence": lambda path: designed(
        ITEMS, planned("maze")
    ),
    "--fillers: no source of fillers is given; a file, a suite, rest (the constructions that "
    "--construction leaves), or none": lambda path: design_of(path, planned("form")),
    "--fillers: 4 fillers for 12 targets; 12 fillers in a table or suite; at most 4 targets (fewer "
    "of --per-construction, --construction, --versions); or none": lambda path: designed(
        ITEMS, PLAN, FillerPool(suite((4,), 1, name="f"))
    ),
    "--checks: 13 requested, but 12 come with 'en'; 12 or fewer, or rows of kind check in the file "
    "of --fillers": lambda path: designed(ITEMS, changed(PLAN, checks=13)),
    "--practice: none come with the language 'fi'; rows of kind practice in the file of "
    "--fillers, 0, or --language with one of de, en, es, fr, he, it, ru": lambda path: designed(
        ITEMS, planned("form", fillers="none", checks=0), language="fi"
    ),
    "--task form: item s1-0: its conditions are a, b, c; right and wrong; or --task rating or "
    "reading, which show one sentence": lambda path: designed(
        [replace(item(1), conditions=FORM)], PLAN
    ),
    "{path}/s: the folder is not empty; a new folder for a new study": lambda path: design_of(
        of_study(path).parent, planned("form", fillers="none")
    ),
    "{path}/s/study.toml: consent.payment_amount: -1; at least 0": lambda path: read_study(
        of_study(path, "payment_amount = 0.0", "payment_amount = -1")
    ),
    "{path}/s/study.toml: task: 'sentence', but the study was designed with 'form'; the design's "
    "own, or a new design": lambda path: read_study(of_study(path, '"form"', '"sentence"')),
    "{path}/s/study.toml: empty texts: payment; every text that people read before they "
    "consent": lambda path: serve_study(of_study(path, 'payment = "none"', 'payment = " "')),
    "{path}/s/study.toml: not filled in: payment; a text for each": lambda path: export_study(
        of_study(path, 'payment = "none"', 'payment = " "'), "jatos", path / "out"
    ),
    "--to: no such name 'qualtrics'; one of csv, datapipe, jatos, mturk, pcibex, "
    "static": lambda path: export_study(path, "qualtrics", path / "out"),
    "{path}/s/answers.db: there are no answers; colorless humans serve STUDY collects "
    "some": lambda path: collect_answers(served_study(path)),
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


def test_what_an_export_says_of_the_way_back(tmp_path: Path) -> None:
    folder = of_study(tmp_path)
    assert export_study(folder, "jatos", tmp_path / "out").messages == [
        f"answers come back with colorless humans import FILE --study {folder}/study.toml "
        f"--items {folder}/items.csv",
        "--items tells it the fillers and attention checks, which the suite may lack",
        f"{folder}/items.csv holds what is right: keep it from participants",
    ]


def test_what_has_come_in_is_told(tmp_path: Path) -> None:
    own = served.write(tmp_path / "s", payment_amount=0.5, payment_currency="EUR")
    time = served.Time()
    with served.serving(own, time) as client:
        person = served.Person(client, own)
        person.start()
        time.seconds = 90
        person.send(*(person.answer(number) for number in range(len(person.trials))))
        person.finish()
    assert collect_answers(own.folder).messages == [
        "0 did not consent; 0 test runs",
        "paid at the median: 0.50 EUR for 1.5 minutes, 20.00 EUR an hour",
    ]


def test_what_a_power_analysis_says() -> None:
    found = plan_power(24, participants=(10, 40, 160), accuracy_2=0.84, studies=100)
    assert found.messages == [
        "assumed: 94.0% and 84.0% right, log-odds 3.23 and 2.01, SD of people 0.8, of sources "
        "0.73, of the effect over sources 0",
        "test: sign flips over sources, two-sided",
        "100 simulated studies for each number: the Monte-Carlo error of a power is 0.050 or less",
        "24 sources: 40 people are enough for a power of 0.8 (0.99 [0.95, 1.00], 864 usable "
        "judgments)",
    ]


def test_what_is_said_of_a_suite_that_nobody_judged() -> None:
    assert analyse("s", store=store_of(s=ITEMS)).messages == [
        "s: nobody has judged it yet; colorless humans import"
    ]
