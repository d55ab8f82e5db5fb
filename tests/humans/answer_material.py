"""Synthetic answers of single people: who is good, which sources are hard, all by a seed; and a
folder in which answers are imported."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from colorless_green import Judgments
from colorless_green.data.files import Paths
from colorless_green.data.seeds import generator
from colorless_green.data.store import Store, StoreLike
from colorless_green.data.tables import frame
from colorless_green.humans import (
    Credits,
    ExclusionRecord,
    Imported,
    ImportRequest,
    Rules,
    apply_rules,
    import_judgments,
)
from tests.humans.trial_records import Judgment, trials_of


def import_answers(files: Paths, *, store: StoreLike = None, **request: Any) -> Judgments:
    """As `read_judgments`, with what only our own demo may ask for: `hashed`, `simulated`."""
    return import_judgments(ImportRequest(files=files, **request), store)


class Project:
    """A folder with a table of items, perhaps a file of answers, and a store."""

    def __init__(self, folder: Path, items: str, answers: str = "") -> None:
        self.folder, self.store = folder, folder / "colorless.db"
        self.items = self.file("items.csv", items)
        self.answers = self.file("answers.csv", answers)

    def file(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def run(self, *paths: Path, **options: Any) -> Judgments:
        options = {"items": self.items, "store": self.store, **options}
        return import_answers(paths or (self.answers,), **options)

    def look(self, text: str, name: str = "answers.csv", **options: Any) -> pl.DataFrame:
        return self.run(self.file(name, text), dry_run=True, **options).to_frame()

    def stored(self, table: str = "judgment") -> list[dict[str, Any]]:
        """Return the records of a table of the store, or its rows where it has none."""
        with Store(self.store) as store:
            rows = list(store.rows(f"SELECT * FROM {table} ORDER BY rowid"))
        return [json.loads(row["record"]) if "record" in row else row for row in rows]


def credits_of(imported: Imported) -> dict[str, Credits]:
    """Model → item → (credit, margin), of a file that brings a model's numbers."""
    return {
        model: {
            row["item_id"]: (row["credit"], row["margin_bits"]) for row in frame.rows(named=True)
        }
        for model, frame in imported.outcomes.items()
    }


@dataclass(frozen=True)
class Session:
    """A visit of a person: a row of a frame of sessions."""

    participant: str
    session: str = ""
    status: str = ""
    test_run: bool = False
    started_at: str = ""
    ended_at: str = ""
    duration_s: float | None = None
    n_blurs: int | None = None
    facts: Mapping[str, str] = field(default_factory=dict)


def session_frame(sessions: Sequence[Session]) -> pl.DataFrame:
    rows = [asdict(each) | {f"fact:{n}": e for n, e in each.facts.items()} for each in sessions]
    for row in rows:
        del row["facts"]
    facts = dict.fromkeys(name for row in rows for name in row if name.startswith("fact:"))
    others = {"test_run": bool, "duration_s": float, "n_blurs": int}
    types = {n: others.get(n, str) for n in Session.__annotations__ if n != "facts"}
    return frame(rows, {**types, **dict.fromkeys(facts, str)})


@dataclass(frozen=True)
class Sieved:
    """What `apply_rules` returns, with records in place of a frame."""

    kept: tuple[Judgment, ...]
    gone: tuple[ExclusionRecord, ...]
    undefined: tuple[ExclusionRecord, ...]


def sieved(judgments: Sequence[Judgment], rules: Rules, sessions: Sequence[Session] = ()) -> Sieved:
    found = apply_rules(trials_of(judgments), rules, session_frame(sessions))
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
    """Return an answer to the only item of its source, unless `item` says which."""
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
