"""The whole way in Italian, with nothing but the command line: mined, made nonce, designed,
exported to JATOS, answered, imported, scored beside a model of the same day, reported.

What the scripted people answered is known, so every figure about people is counted again by hand.
"""

import csv
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from statistics import mean
from typing import Any
from urllib.parse import unquote

import pytest

from colorless_green.data.records import json_lines
from colorless_green.data.store import Store
from colorless_green.data.tables import read_tsv
from colorless_green.humans import KeyFile, Study, Trial, pseudonym, read_study
from tests.builders import colorless, shared
from tests.humans.circle import (
    INATTENTIVE,
    LEAVER,
    REACHED,
    SAID,
    Visit,
    fill_in,
    fillers_table,
    rows_of,
    speakers,
    take_part,
)
from tests.humans.filled_in import told_in, write_jatos
from tests.humans.study_material import numbers

pytestmark = [pytest.mark.shared, pytest.mark.slow]
STORE, REPORT = "colorless.db", "report.html"
IMPORT = (
    *("humans", "import", "results.zip", "--study", "study/study.toml"),
    *("--out", "imported"),
)
KINDS = ("original", "nonce")


@dataclass(frozen=True, slots=True)
class Circle:
    """What there is at the end, and what was said on the way: verb → (rows, messages)."""

    folder: Path
    study: Study
    items: Mapping[str, Mapping[str, Any]]  # of the suite that was designed from, by id
    clear: frozenset[str]  # fillers that a researcher found unambiguous
    visits: tuple[Visit, ...]
    said: Mapping[str, tuple[list[dict[str, Any]], str]]

    def trial(self, name: str) -> Trial:
        return next(each for each in self.study.trials if each.trial_id == name)

    def stay(self) -> list[Visit]:
        return [each for each in self.visits if each.script not in (INATTENTIVE, LEAVER)]

    def counts(self, visits: Sequence[Visit], kind: str = "") -> dict[str, tuple[int, int]]:
        """Item → (right, answered), by hand; of targets, of one kind of item if any is named."""
        found: defaultdict[str, list[bool]] = defaultdict(list)
        for visit in visits:
            for given in visit.given:
                trial = self.trial(given.trial)
                if trial.kind == "target" and kind in ("", trial.condition):
                    found[trial.item].append(given.chosen == trial.right)
        return {item: (sum(own), len(own)) for item, own in found.items()}

    def by_item(self, visits: Sequence[Visit], kind: str = "") -> float:
        return mean(right / n for right, n in self.counts(visits, kind).values())

    def pooled(self, visits: Sequence[Visit], kind: str = "") -> float:
        rights, totals = zip(*self.counts(visits, kind).values(), strict=True)
        return float(sum(rights) / sum(totals))


def run(folder: Path, *arguments: str) -> tuple[list[dict[str, Any]], str]:
    """(rows, messages) of a verb that ends well."""
    done = colorless(*arguments, cwd=folder)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


@pytest.fixture(scope="module")
def circle(tmp_path_factory: pytest.TempPathFactory) -> Circle:
    folder = tmp_path_factory.mktemp("circle")
    for treebank in ("UD_Italian-VIT", "UD_Italian-ParTUT"):  # the second one is what is tested
        run(
            folder, "mine", "--rule", "released", str(shared("treebanks", treebank)), "--json", "-q"
        )
        run(
            folder,
            "nonce",
            "--level",
            "morphology",
            "-n",
            "3",
            "--out",
            f"{treebank}.jsonl",
            "--json",
            "-q",
        )
    clear = fillers_table(folder / "UD_Italian-VIT.jsonl", folder / "fillers.csv")
    design = ("humans", "design", "--fillers", "fillers.csv", "--per-construction", "5")
    run(folder, *design, "--out", "study", "--json")
    fill_in(folder / "study" / "study.toml")
    study = read_study(folder / "study")
    items = {row["item_id"]: row for _, row in json_lines(folder / "UD_Italian-ParTUT.jsonl")}
    hard = {item: int(row["n_attractors"]) for item, row in items.items()}
    trials = {each.trial_id: each for each in study.trials}
    run(folder, "humans", "export", "study", "--to", "jatos", "--out", "jatos", "--json")
    told = told_in({"index.html": (folder / "jatos" / "index.html").read_bytes()})
    key = {name: each.right for name, each in trials.items()}
    visits = tuple(
        take_part(number, told["trials"][str(1 + number % len(study.lists))], each, key)
        for number, each in enumerate(speakers(trials, clear, hard))
    )
    write_jatos(folder / "results.zip", {each.participant: rows_of(each) for each in visits})
    said = {}
    for name, verb in {
        "import": IMPORT,
        "train": ("train", "ngram"),
        "score": ("score", "--out", "scores"),
        "analyse": ("humans", "analyse"),
        "compare": ("compare",),
    }.items():
        said[name] = run(folder, *verb, "--json")
    assert colorless("report", "-q", cwd=folder).returncode == 0
    secret = KeyFile(folder / "colorless.key").key()
    stored_visits = tuple(
        replace(
            each,
            participant=pseudonym(secret, "local", each.participant),
            session=pseudonym(secret, "local/session", each.session),
        )
        for each in visits
    )
    return Circle(folder, study, items, clear, stored_visits, said)


def stored(circle: Circle, *tables: str) -> list[dict[str, Any]]:
    """Return the records in tables of the store."""
    with Store(circle.folder / STORE) as store:
        return [
            json.loads(row["record"])
            for table in tables
            for row in list(store.rows(f"SELECT record FROM {table}"))
        ]


def counted(circle: Circle) -> dict[str, int]:
    """How many rows each table of the store has, but for that of requests answered before."""
    with Store(circle.folder / STORE) as store:
        names = [
            str(row["name"])
            for row in list(store.rows("SELECT name FROM sqlite_master WHERE type = 'table'"))
        ]
        return {
            name: int(next(iter(store.rows(f'SELECT count(*) AS n FROM "{name}"')))["n"])
            for name in names
            if name != "request"
        }


def test_every_answer_is_in_the_store_as_it_was_given(circle: Circle) -> None:
    """Trial by trial, with its place, item, condition and order; what was not reached is a row
    without an answer."""
    expected = {}
    for visit in circle.visits:
        given = {each.trial: each for each in visit.given}
        for place, told in enumerate(visit.trials, start=1):
            trial, answer = circle.trial(told["trial_id"]), given.get(told["trial_id"])
            if trial.kind == "practice" and answer is None:
                continue
            right = trial.right
            expected[visit.session, trial.item] = {
                "participant": visit.participant,
                "list": str(trial.list),
                "position": place,
                "kind": trial.kind,
                "item": trial.item,
                "source": trial.source,
                **({"condition": trial.condition} if trial.kind in ("target", "filler") else {}),
                "prefix": trial.prefix,
                "option_1": told["options"][0],
                "option_2": told["options"][1],
                "correct_form": right,
                "chosen": answer.chosen if answer else "",
                "correct": int(answer.chosen == right) if answer else None,
                "rt_ms": answer.rt_ms if answer else None,
            }
    found = {
        (each["session"], each["item"]): each for each in stored(circle, "judgment", "left_out")
    }
    assert found.keys() == expected.keys()
    for name, row in expected.items():
        assert {column: found[name][column] for column in row} == row


def test_everybody_sees_a_whole_list_and_each_source_once(circle: Circle) -> None:
    lists = Counter(circle.trial(visit.trials[0]["trial_id"]).list for visit in circle.visits)
    assert lists == {1: 3, 2: 3, 3: 2, 4: 2}
    for visit in circle.visits:
        seen = [circle.trial(each["trial_id"]) for each in visit.trials]
        assert seen == [each for each in circle.study.trials if each.list == seen[0].list]
        sources = [each.source for each in seen if each.kind == "target"]
        assert len(sources) == len(set(sources))


def test_each_item_has_as_many_answers_as_its_list_had_people(circle: Circle) -> None:
    people = Counter(circle.trial(visit.trials[0]["trial_id"]).list for visit in circle.stay())
    assert len(people) == 4
    expected: Counter[str] = Counter()
    for trial in circle.study.trials:
        if trial.kind == "target":
            expected[trial.item] += people[trial.list]
    tallies = {each["item"]: (each["right"], each["total"]) for each in stored(circle, "tally")}
    assert {item: total for item, (_, total) in tallies.items()} == expected
    assert tallies == circle.counts(circle.stay())


def test_who_reads_nothing_and_who_leaves_are_left_out_and_listed(circle: Circle) -> None:
    by_script = {each.script: each for each in circle.visits}
    n_trials = len(by_script[LEAVER].trials) - 3  # without practice
    wrong = [
        given.chosen != circle.trial(given.trial).right
        for given in by_script[INATTENTIVE].given
        if circle.trial(given.trial).item in circle.clear
    ]
    gone = list(read_tsv(circle.folder / "imported" / "exclusions.tsv"))
    listed = {row["participant"]: row for row in gone if row["level"] == "person"}
    for script, rule, value in (
        (LEAVER, "min_answered_fraction", (REACHED - 3) / n_trials),
        (INATTENTIVE, "max_filler_errors", mean(wrong)),
    ):
        row = listed.pop(by_script[script].participant)
        assert (row["rule"], row["n_trials"]) == (rule, str(n_trials))
        assert float(row["value"]) == pytest.approx(value, abs=1e-4)
    assert not listed
    (line,) = (each for each in circle.said["import"][1].splitlines() if row["rule"] in each)
    assert numbers(line) == sorted(["1", str(n_trials)])


def test_fillers_that_the_researcher_found_doubtful_exclude_nobody(circle: Circle) -> None:
    """Somebody who stays was wrong on more than the fifth of all fillers, not of the clear ones."""

    def errors(visit: Visit, counts: Callable[[Trial], bool]) -> float:
        own = [each for each in visit.given if counts(circle.trial(each.trial))]
        return mean(each.chosen != circle.trial(each.trial).right for each in own)

    stay = circle.stay()
    assert any(errors(each, lambda trial: trial.kind == "filler") > 0.2 for each in stay)
    assert all(errors(each, lambda trial: trial.item in circle.clear) <= 0.2 for each in stay)


def test_the_import_tells_the_accuracy_that_was_given(circle: Circle) -> None:
    (row,), messages = circle.said["import"]
    assert row["participants"] == len(circle.visits)
    asked = [circle.trial(each["trial_id"]) for visit in circle.visits for each in visit.trials]
    assert row["items"] == len({each.item for each in asked})
    assert row["missing"] == sum(len(each.trials) - len(each.given) for each in circle.visits)
    by_item, pooled = circle.by_item(circle.stay()), circle.pooled(circle.stay())
    assert by_item != pytest.approx(pooled)  # items have different numbers of people
    everybody = circle.by_item(circle.visits)
    told = numbers(messages)
    assert {f"{100 * each:.2f}" for each in (by_item, pooled, everybody)} <= {*told}


@pytest.mark.parametrize("kind", KINDS)
def test_compare_and_analyse_tell_the_accuracy_that_was_given(circle: Circle, kind: str) -> None:
    by_item, pooled = circle.by_item(circle.stay(), kind), circle.pooled(circle.stay(), kind)
    counts, known = circle.counts(circle.stay(), kind), credits(circle, kind)
    both = [right / n for item, (right, n) in counts.items() if item in known]
    compared = cell(circle, kind, "humans")
    assert compared["accuracy"] == pytest.approx(mean(both))
    assert compared["n_items"] == len(both) < len(counts)  # the model does not know every word
    told = {
        row["statistic"]: row["value"]
        for row in reversed(circle.said["analyse"][0])
        if (row["kind"], row["rater"], row["construction"]) == (kind, "humans", "")
    }
    assert told["accuracy over items"] == pytest.approx(by_item)
    assert told["accuracy pooled"] == pytest.approx(pooled)


def credits(circle: Circle, kind: str) -> dict[str, float]:
    """Return what the model earned on the items of a kind that it did not leave out."""
    return {
        row["item_id"]: float(row["credit"])
        for row in read_tsv(circle.folder / "scores" / "outcomes.tsv")
        if row["credit"] and circle.items[row["item_id"]]["kind"] == kind
    }


def cell(circle: Circle, kind: str, rater: str) -> dict[str, Any]:
    """Return the row of `compare` over all constructions of a kind."""
    (found,) = (
        row
        for row in circle.said["compare"][0]
        if (row["kind"], row["construction"], row["rater"]) == (kind, "", rater)
    )
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_the_model_is_compared_on_the_items_that_people_judged(circle: Circle, kind: str) -> None:
    known = credits(circle, kind)
    counts = circle.counts(circle.stay(), kind)
    both = counts.keys() & known.keys()
    assert len(both) < len(known)  # the design left some originals out
    row = cell(circle, kind, "ngram")
    assert row["n_items"] == len(both)
    assert row["accuracy"] == pytest.approx(mean(known[item] for item in both))
    majority = {
        item: (1 + (2 * right > n) - (2 * right < n)) / 2 for item, (right, n) in counts.items()
    }
    difference = mean(majority[item] - known[item] for item in both)
    assert row["majority_difference"] == pytest.approx(difference)


def test_the_model_has_seen_no_sentence_that_is_asked_about(circle: Circle) -> None:
    with Store(circle.folder / STORE) as store:
        assert [row["exposed"] for row in list(store.rows("SELECT exposed FROM run"))] == [0]


def test_the_page_has_the_people_the_model_and_the_study(circle: Circle) -> None:
    html = (circle.folder / REPORT).read_text(encoding="utf-8")
    lines = [numbers(re.sub(r"<[^>]+>", " ", row)) for row in re.findall("(?s)<tr.*?</tr>", html)]
    for kind in KINDS:
        rows = cell(circle, kind, "ngram"), cell(circle, kind, "humans")
        figures = Counter(
            each for row in rows for each in (f"{100 * row['accuracy']:.1f}", str(row["n_items"]))
        )
        assert any(figures <= Counter(line) for line in lines)
    answered = {
        row["item"]: (int(row["people_right"]), int(row["people_total"]))
        for row in carried(html, "items.csv")
        if row["people_total"] not in ("", "0")
    }
    assert answered == {
        i: counts for i, counts in circle.counts(circle.stay()).items() if counts[1]
    }
    assert html.count(SAID) > 2  # researcher, institution and more, from study.toml
    gone = {row["participant"] for row in carried(html, "exclusions.csv") if row["participant"]}
    told = {each.script for each in circle.visits if each.participant in gone}
    assert told >= {INATTENTIVE, LEAVER}
    cases = carried(html, "exclusions.csv")
    left_out = {row["participant"] for row in cases if row["level"] in ("person", "session")}
    assert not left_out & {each.participant for each in circle.stay()}


def carried(html: str, name: str) -> list[dict[str, str]]:
    """Return the rows of a file inside the page."""
    found = re.search(rf'download="{re.escape(name)}"[^>]*? href="data:[^,]*,([^"]*)"', html)
    assert found is not None, name
    return list(csv.DictReader(StringIO(unquote(found[1]))))


def test_the_same_once_more_changes_nothing(circle: Circle) -> None:
    before, counts = (circle.folder / REPORT).read_bytes(), counted(circle)
    tables = {each: each.read_bytes() for each in (circle.folder / "imported").iterdir()}
    (row,), _ = run(circle.folder, *IMPORT, "--json")
    assert row == circle.said["import"][0][0]
    assert run(circle.folder, "score", "--out", "scores", "--json")[0] == circle.said["score"][0]
    assert colorless("report", "-q", cwd=circle.folder).returncode == 0
    assert (circle.folder / REPORT).read_bytes() == before
    assert counted(circle) == counts
    assert {each: each.read_bytes() for each in (circle.folder / "imported").iterdir()} == tables
