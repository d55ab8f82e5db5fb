"""A researcher's hand work on a study, and people who take part in it by a script."""

import csv
import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from colorless_green.data.records import json_lines
from colorless_green.data.seeds import generator
from colorless_green.humans import Trial

OF_TRIAL = ("list", "kind", "item", "condition", "prefix")  # beside an answer
SAID = "said for a test"
N_ATTENTIVE, INATTENTIVE, LEAVER, REACHED = 8, "reads nothing", "leaves", 20
EMPTY = re.compile(r'^(\w+) = ""', re.MULTILINE)
COMPLETION = re.compile(r"^\[completion\].*?(?=^#)", re.MULTILINE | re.DOTALL)


def fill_in(settings: Path) -> None:
    """Says something in every empty text of a designed study's `study.toml`, as with an editor;
    addresses to go to at the end stay empty."""
    text = settings.read_text(encoding="utf-8")
    addresses = COMPLETION.search(text)
    assert addresses is not None
    before, after = text[: addresses.start()], text[addresses.end() :]
    before = EMPTY.sub(rf'\1 = "{SAID}"', before).replace(
        "duration_minutes = 0", "duration_minutes = 9"
    )
    settings.write_text(before + addresses[0] + after, encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Script:
    """What somebody does: for the trial's name and its right option, the chance to choose that one
    (otherwise the other); None where they leave the page for good."""

    name: str
    chance: Callable[[int, str], float | None]  # (number of the trial, from 0; its name)
    rt_ms: tuple[int, int] = (600, 1800)


@dataclass(frozen=True, slots=True)
class Given:
    """An answer."""

    trial: str
    shown: tuple[str, ...]
    chosen: str
    rt_ms: int


@dataclass(frozen=True, slots=True)
class Visit:
    """A session as the one who had it knows of it, in the order of the answers."""

    script: str
    participant: str
    session: str
    trials: tuple[Mapping[str, Any], ...]  # as the page is told them
    given: tuple[Given, ...]


def take_part(
    number: int, trials: Sequence[Mapping[str, Any]], script: Script, key: Mapping[str, str]
) -> Visit:
    """Every trial of a list, as the page is told it. `key` is trial → right option, which the page
    is not told."""
    who = f"P{number}"
    return Visit(
        script.name, who, str(1 + number), tuple(trials), tuple(_given(script, trials, key))
    )


def rows_of(visit: Visit) -> list[dict[str, Any]]:
    """Return the visit as the page writes it: trials that were not reached have no answer."""
    given = {each.trial: each for each in visit.given}
    rows: list[dict[str, Any]] = []
    for trial in visit.trials:
        answer = given.get(trial["trial_id"])
        if answer is None and trial["practice"]:
            continue
        rows.append(
            {
                "trial_type": "html-button-response",
                "trial_index": len(rows),
                "trial_id": f"{visit.session}/{trial['trial_id']}",
                "session": visit.session,
                "participant": visit.participant,
                **{name: trial[name] for name in OF_TRIAL},
                **({"correct_form": trial["right"]} if trial["practice"] else {}),
                "stimulus": html.escape(trial["prefix"]),
                "choices": [html.escape(each) for each in trial["options"]],
                "response": answer and answer.shown.index(answer.chosen),
                "rt": answer and answer.rt_ms,
                **({"native": "yes", "help": "no"} if len(given) == len(visit.trials) else {}),
            }
        )
    return rows


def _given(
    script: Script, trials: Sequence[Mapping[str, Any]], key: Mapping[str, str]
) -> Iterator[Given]:
    for number, trial in enumerate(trials):
        name, options = trial["trial_id"], tuple(trial["options"])
        chance = script.chance(number, name)
        if chance is None:
            return
        rng = generator(0, f"{script.name}\t{name}")
        place = options.index(key[name])
        chosen = options[place if rng.random() < chance else 1 - place]
        low, high = script.rt_ms
        yield Given(name, options, chosen, low + int(rng.random() * (high - low)))


def fillers_table(items: Path, path: Path) -> frozenset[str]:
    """Fillers as a researcher would pick them from another treebank: those are called unambiguous
    against whose original the tool has nothing to say. Returns these."""
    columns = (
        *("item", "source", "construction", "condition", "kind", "value", "unambiguous"),
        *("prefix", "correct_form", "wrong_form"),
    )
    rows = [row for _, row in json_lines(items)]
    doubtful = {row["cluster_id"] for row in rows if row["flags"]}
    clear = {str(row["item_id"]) for row in rows if row["cluster_id"] not in doubtful}
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, columns)
        writer.writeheader()
        for item in rows:
            before = item["conditions"]["right"][0][0]["text"]
            cells = (
                *(item["item_id"], item["cluster_id"], item["construction"], item["kind"]),
                *("filler", item["value"], int(item["item_id"] in clear)),
                *(before, item["right"], item["wrong"]),
            )
            writer.writerow(dict(zip(columns, cells, strict=True)))
    return frozenset(clear)


def speakers(
    trials: Mapping[str, Trial], clear: frozenset[str], hard: Mapping[str, int]
) -> Iterator[Script]:
    """Eight people who know Italian, one who presses anything, one who leaves before the middle.

    Nonce targets and attractors (`hard`: item → how many) lead astray; fillers that are not clear
    are answered against the annotation more often than not.
    """

    def attentive(_: int, name: str) -> float:
        trial = trials[name]
        if trial.kind == "target":
            easy = 0.97 if trial.condition == "original" else 0.85
            return easy - 0.1 * hard[trial.item]
        if trial.kind == "filler":
            return 0.97 if trial.item in clear else 0.3
        return 1.0

    def anything(_: int, __: str) -> float:
        return 0.5

    def leaves(number: int, name: str) -> float | None:
        return attentive(number, name) if number < REACHED else None

    for number in range(N_ATTENTIVE):
        if number == 2:
            yield Script(INATTENTIVE, anything, (300, 500))
        if number == 4:
            yield Script(LEAVER, leaves)
        yield Script(f"speaker {number + 1}", attentive)
