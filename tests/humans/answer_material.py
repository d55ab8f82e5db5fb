"""Synthetic answers of single people: who is good, which sources are hard, all by a seed."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from colorless_green.data.files import Paths
from colorless_green.data.seeds import generator
from colorless_green.data.store import StoreLike
from colorless_green.humans import (
    ExclusionRecord,
    ImportRequest,
    Judgment,
    Judgments,
    Rules,
    Session,
    excluded,
    import_judgments,
    trials_of,
)


def import_answers(files: Paths, *, store: StoreLike = None, **request: Any) -> Judgments:
    """As `read_judgments`, with what only our own demo may ask for: `hashed`, `simulated`."""
    return import_judgments(ImportRequest(files=files, **request), store)


@dataclass(frozen=True)
class Sieved:
    """What `excluded` returns, with records in place of a frame."""

    kept: tuple[Judgment, ...]
    gone: tuple[ExclusionRecord, ...]
    undefined: tuple[ExclusionRecord, ...]


def sieved(judgments: Sequence[Judgment], rules: Rules, sessions: Sequence[Session] = ()) -> Sieved:
    found = excluded(trials_of(judgments), rules, sessions)
    kept = tuple(Judgment(*row) for row in found.kept.iter_rows())
    return Sieved(kept, found.gone, found.undefined)


def answers(
    n_people: int,
    n_sources: int,
    *,
    n_items: int = 1,
    spread: float = 1.5,
    seed: int = 0,
    ease: float = 1.0,
) -> list[Judgment]:
    """Everybody answers every item; `spread` is that of people's and of sources' log-odds."""
    rng = generator(seed, "answers")

    def drawn() -> float:
        return spread * (sum(rng.random() for _ in range(12)) - 6)

    people = [drawn() for _ in range(n_people)]
    sources = [drawn() for _ in range(n_sources)]
    return [
        answer(
            f"p{p}",
            f"s{s}",
            int(rng.random() < 1 / (1 + math.exp(-(ease + people[p] + sources[s])))),
            item=f"s{s}/{k}",
        )
        for p in range(n_people)
        for s in range(n_sources)
        for k in range(n_items)
    ]


def answer(
    participant: str, source: str, correct: int | None, *, item: str = "", kind: str = "target"
) -> Judgment:
    """An answer to the only item of its source, unless `item` says which."""
    return Judgment(
        participant=participant,
        trial_id=f"{participant}/{item or source}",
        item=item or source,
        source=source,
        construction="c",
        condition="nonce",
        kind=kind,
        correct_form="right",
        chosen={1: "right", 0: "wrong", None: ""}[correct],
        correct=correct,
    )
