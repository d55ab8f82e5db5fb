"""Observations for component oracles of mixed models: stored ones, and short ones made up."""

import csv
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

import polars as pl

from colorless_green.data.seeds import generator
from colorless_green.humans.coding import SCHEMA


@dataclass(frozen=True, slots=True)
class Observation:
    """A row of the table that models are fitted to."""

    participant: str
    source: str
    item: str
    condition: str
    construction: str
    attractors: int | None
    gap: int | None
    position: int | None
    margin: float | None
    rt_ms: float | None
    correct: int


def tabled(rows: Sequence[Observation]) -> pl.DataFrame:
    return pl.DataFrame(list(map(astuple, rows)), SCHEMA, orient="row")


def observation(
    participant: str,
    source: str,
    correct: int,
    *,
    condition: str = "original",
    attractors: int | None = 0,
    construction: str = "c",
    gap: int | None = 3,
    margin: float | None = None,
) -> Observation:
    return Observation(
        participant=participant,
        source=source,
        item=f"{source}/{condition}",
        condition=condition,
        construction=construction,
        attractors=attractors,
        gap=gap,
        position=1,
        margin=margin,
        rt_ms=None,
        correct=correct,
    )


def stored(path: Path) -> list[Observation]:
    """Those of a file with participant, source, condition, attractor, position, correct."""
    with open(path, encoding="utf-8", newline="") as stream:
        return [
            Observation(
                participant=row["participant"],
                source=row["source"],
                item=f"{row['source']}/{row['condition']}",
                condition=row["condition"],
                construction="",
                attractors=int(row["attractor"]),
                gap=None,
                position=int(row["position"]),
                margin=None,
                rt_ms=None,
                correct=int(row["correct"]),
            )
            for row in csv.DictReader(stream)
        ]


def made(n_people: int = 8, n_sources: int = 10, seed: int = 0) -> list[Observation]:
    """Everybody answers every source once, half of them as nonce; nonce and attractors are hard."""
    rng = generator(seed, "observed")
    found = []
    for p in range(n_people):
        for s in range(n_sources):
            nonce, attractors = (p + s) % 2, s % 3 % 2
            easy = 0.85 - 0.2 * nonce - 0.15 * attractors - 0.1 * (p % 3) + 0.05 * (s % 4)
            found.append(
                observation(
                    f"p{p}",
                    f"s{s}",
                    int(rng.random() < easy),
                    condition="nonce" if nonce else "original",
                    attractors=attractors,
                    construction="abc"[s % 3],
                    gap=3 + s % 4,
                    margin=round(4 * rng.random() - 1, 3),
                )
            )
    return found
