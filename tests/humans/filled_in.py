"""Exported studies filled in by a program, as each platform would write the answers down.

Only what was exported is looked at, and the key to say what the answers are.
"""

import csv
import io
import json
import random
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from colorless_green.data.seeds import choose, generator
from colorless_green.humans import Study, Trial

Files: TypeAlias = Mapping[str, bytes]  # path in the folder → content
PEOPLE = ("P1", "P2", "P3")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person did in a trial: the place of an option, or a rating."""

    participant: str
    trial: Trial
    index: int | None
    rating: float | None
    rt_ms: float | None


def answers(study: Study, seed: int = 0) -> list[Answer]:
    """Each person answers one list, right in three of four; now and then nobody answers."""
    found = []
    rng = generator(seed, "answers")
    n_lists = max(trial.list for trial in study.trials)
    for number, who in enumerate(PEOPLE):
        for trial in study.trials:
            if trial.list == 1 + number % n_lists and trial.kind != "practice":
                found.append(_answer(who, trial, trial.right, rng))
    return found


def _answer(who: str, trial: Trial, right: str, rng: random.Random) -> Answer:
    rt = float(300 + int(rng.random() * 3000))
    if trial.task == "rating":
        return Answer(who, trial, None, float(choose(rng, range(1, 8))), rt)
    if rng.random() < 0.05:
        return Answer(who, trial, None, None, None)
    place = trial.options.index(right)
    return Answer(who, trial, place if rng.random() < 0.75 else 1 - place, None, rt)


PLUGINS = {
    "form": "html-button-response",
    "sentence": "html-button-response",
    "rating": "survey-likert",
}


def told_in(files: Files) -> dict[str, Any]:
    """All that a page knows of its study."""
    page = files["index.html"].decode()
    block = re.search(r'<script type="application/json" id="study">(.*?)</script>', page)
    assert block is not None
    return dict(json.loads(block[1]))


def as_page(files: Files, given: Sequence[Answer]) -> dict[str, list[dict[str, Any]]]:
    """Person → the rows that the page saves, made from what it was told of its list."""
    lists = told_in(files)["trials"].values()
    told = {each["trial_id"]: each for of_list in lists for each in of_list}
    rows: dict[str, list[dict[str, Any]]] = {}
    for answer in given:
        own = rows.setdefault(answer.participant, [])
        own.append(_row(told[answer.trial.trial_id], answer, len(own)))
    return rows


def _row(told: Mapping[str, Any], answer: Answer, index: int) -> dict[str, Any]:
    session = f"session-{answer.participant}"
    row: dict[str, Any] = {
        "trial_type": PLUGINS[told["task"]],
        "trial_index": index,
        "participant": answer.participant,
        "session": session,
        "trial_id": f"{session}/{told['trial_id']}",
        **{name: told[name] for name in ("item", "kind", "list", "condition")},
        "rt": answer.rt_ms,
    }
    if told["task"] == "rating":
        return {**row, "sentence": told["options"][0], "response": {"Q0": answer.rating}}
    return {
        **row,
        "prefix": told["prefix"],
        "option_1": told["options"][0],
        "option_2": told["options"][1],
        "response": answer.index,
    }


def write_json(path: Path, rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> Path:
    """One file of everybody's arrays, one after another."""
    path.write_text("\n".join(json.dumps(own) for own in rows.values()), encoding="utf-8")
    return path


def write_jatos(path: Path, rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> Path:
    """Return an archive as JATOS hands it out, without metadata."""
    with zipfile.ZipFile(path, "w") as archive:
        for number, own in enumerate(rows.values(), start=1):
            name = f"study_result_{number}/comp-result_{number}/data.txt"
            archive.writestr(name, json.dumps(own))
    return path


def write_pcibex(path: Path, files: Files, given: Sequence[Answer]) -> Path:
    """Return a results file of the newer farm: the columns that main.js logs stand before the
    comments."""
    table = list(csv.DictReader(io.StringIO(files["chunk_includes/trials.csv"].decode())))
    shown = {(row["list"], row["item"]): row for row in table}
    columns = (
        *("participant", "list", "item", "condition", "prefix", "option_1", "option_2"),
        *("sentence", "key_1", "key_2"),
    )
    first = (
        *("Results reception time", "MD5 hash of participant's IP address", "Controller name"),
        *("Order number of item", "Inner element number", "Label", "Latin Square Group"),
        *("PennElementType", "PennElementName", "Parameter", "Value", "EventTime"),
    )
    lines: list[str] = []
    for order, answer in enumerate(given):
        row = shown[str(answer.trial.list), answer.trial.item]
        logged = {
            **row,
            "participant": answer.participant,
            "key_1": "option_1",
            "key_2": "option_2",
        }
        start = 1_760_000_000_000 + order * 10_000
        head = (
            str(1_760_000_000 + PEOPLE.index(answer.participant)),
            f"{PEOPLE.index(answer.participant):032x}",
            "PennController",
            str(order),
            "0",
            row["kind"],
            row["group"],
        )
        extra = tuple(logged[name] for name in columns)
        lines += _comments([*first, *columns, "Comments"])
        begun = ("PennController", str(order), "_Trial_", "Start", str(start))
        lines.append(_encoded(*head, *begun, *extra, "NULL"))
        lines.append(_encoded(*head, *_event(answer, start), *extra, "NULL"))
    text = "\n".join(["#", "# Results on Thursday October 09 2025 08:55:20 UTC", *lines, ""])
    path.write_text(text, encoding="utf-8")
    return path


def _comments(names: Sequence[str]) -> list[str]:
    return [f"# {number}. {name}." for number, name in enumerate(names, start=1)]


def _event(answer: Answer, start: int) -> tuple[str, ...]:
    if answer.rating is not None:
        at = start + int(answer.rt_ms or 0)
        return "Scale", "rating", "Choice", f"{answer.rating:g}", str(at)
    if answer.index is None:
        return "Selector", "choice", "Selection", "NA", "Never"
    at = start + int(answer.rt_ms or 0)
    return "Selector", "choice", "Selection", f"option_{answer.index + 1}", str(at)


def _encoded(*values: str) -> str:
    return ",".join(value.replace(",", "%2C") for value in values)
