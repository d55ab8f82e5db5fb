"""A researcher's hand work on a study, and people who take part in it over HTTP, by a script."""

import csv
import re
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from colorless_green.data.seeds import generator
from colorless_green.data.tables import read_jsonl
from colorless_green.humans import Trial

OUTBOX = 18  # answers of a request: the page sends what has gathered while one was under way
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
    """An answer as it was sent."""

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
    trials: tuple[Mapping[str, Any], ...]  # as the server told them
    given: tuple[Given, ...]


@contextmanager
def page(address: str) -> Iterator[httpx2.Client]:
    """A client that speaks as the study's own page."""
    origin = {"Origin": address.rstrip("/")}
    with httpx2.Client(base_url=address, headers=origin, timeout=60, trust_env=False) as client:
        yield client


def take_part(client: httpx2.Client, script: Script, key: Mapping[str, str]) -> Visit:
    """Consent, every trial, the two questions at the end. `key` is trial → right option, which the
    server does not tell."""
    window = secrets.token_hex(16)
    consent = client.get("study.json").json()["consent_version"]
    start = {"request": secrets.token_hex(32), "consent": consent, "window": window}
    start |= {"language": "it", "device": "mouse", "browser": "firefox", "screen": "large"}
    told = posted(client, "session", start)
    token, trials = told["token"], tuple(told["trials"])
    given = tuple(_given(script, trials, key))
    sent = [_answer(each, seq) for seq, each in enumerate(given, start=1)]
    for first in range(0, len(sent), OUTBOX):
        batch = sent[first : first + OUTBOX]
        reply = posted(client, "trials", {"window": window, "trials": batch}, token)
        assert reply["accepted"] == [each["record"] for each in batch]
    if len(given) == len(trials):
        end = {"count": len(given), "native": "yes", "help": "no", "n_blurs": 0}
        assert posted(client, "finish", end, token)["missing"] == []
    return Visit(script.name, told["participant"], told["session"], trials, given)


def posted(
    client: httpx2.Client, name: str, body: Mapping[str, Any], token: str = ""
) -> dict[str, Any]:
    """The reply to a request that is to succeed."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    reply = client.post(f"api/{name}", json=body, headers=headers)
    assert reply.status_code in (200, 201), reply.text
    return dict(reply.json())


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


def _answer(given: Given, seq: int) -> dict[str, Any]:
    """The answer as the page words it."""
    place = given.shown.index(given.chosen)
    return {
        "record": secrets.token_hex(16),
        "trial": given.trial,
        "seq": seq,
        "chosen_index": place,
        "chosen": given.chosen,
        "side": ("left", "right")[place],
        "rt_ms": given.rt_ms,
        "input": "keyboard",
        "at": f"2026-01-01T10:{seq // 60:02}:{seq % 60:02}.000Z",
    }


def fillers_table(items: Path, path: Path) -> frozenset[str]:
    """Fillers as a researcher would pick them from another treebank: those are called unambiguous
    against whose original the tool has nothing to say. Returns these."""
    columns = (
        *("item", "source", "construction", "condition", "kind", "value", "unambiguous"),
        *("prefix", "correct_form", "wrong_form"),
    )
    rows = [row for _, row in read_jsonl(items)]
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
