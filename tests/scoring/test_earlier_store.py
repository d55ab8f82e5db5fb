"""Component oracle. A store of schema 4, whose items and outcomes were kept row by row: nothing is
lost in it."""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import colorless_green as cg
from colorless_green import Model
from colorless_green.data import AGREEMENT, Item, Region, Suite
from colorless_green.data import store as store_module
from colorless_green.data.store import APPLICATION_ID, SCHEMA_VERSION, Store
from colorless_green.scoring import (
    Outcome,
    Query,
    Score,
    Surprisals,
    outcomes_in,
    plan_suite,
    stored_answers,
)
from colorless_green.scoring.outcomes.run import load_outcomes

PAIRS = {"i1": ("The keys", "are", "is"), "i2": ("The key", "is", "are")}


@dataclass(frozen=True)
class Long:
    """Finds longer forms less likely; notes what it was asked."""

    asked: list[Query] = field(default_factory=list)
    signature: str = "model:long"
    unit: str = "text"

    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        for query in queries:
            self.asked.append(query)
            sizes = [len(each) for each in query.continuations]
            yield Score(tuple(Surprisals((float(n),), ((0, n),), (False,)) for n in sizes))


def item(number: str) -> Item:
    prefix, right, wrong = PAIRS[number]

    def wording(form: str) -> tuple[Region, ...]:
        before = Region("prefix", tuple(prefix.split()), prefix)
        return before, Region("target", (form,), f" {form}"), Region("rest", (), "")

    conditions = {"right": (wording(right),), "wrong": (wording(wrong),)}
    facts = {"construction": "pairs"}
    return Item(number, "suite", number, "en", "here", "", conditions, facts=facts)


SUITE = Suite("pairs", (item("i1"), item("i2")))
OUTCOMES = [  # of `Long`, by item as the store gives them
    Outcome("i1", AGREEMENT.name, 0.0, -1.0, False, False),
    Outcome("i2", AGREEMENT.name, 1.0, 1.0, False, True, "fragile"),
    Outcome("i3", AGREEMENT.name, None, None, False, False, "refused"),
]
JUDGMENTS = [
    {"participant": f"p{n}", "item": number, "right": int(n > 0)}
    for n in range(3)
    for number in PAIRS
]


def record(own: Item) -> str:
    """Return a line of a file of items, as items were kept."""
    conditions = {
        name: [
            [{"region": r.region, "words": list(r.words), "text": r.text} for r in wording]
            for wording in wordings
        ]
        for name, wordings in own.conditions.items()
    }
    plain = ("item_id", "kind", "cluster_id", "set_id", "cell", "language", "source", "licence")
    told = {name: getattr(own, name) for name in plain}
    return json.dumps({**told, "conditions": conditions, "targets": [], "facts": dict(own.facts)})


def insert(connection: sqlite3.Connection, table: str, **row: Any) -> None:
    names = ", ".join(f'"{name}"' for name in row)
    marks = ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(row.values()))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "s.db"
    connection = sqlite3.connect(found)
    for number in range(1, 5):
        migration = Path(store_module.__file__).with_name("migrations") / f"{number}.sql"
        connection.executescript(migration.read_text(encoding="utf-8"))
    predictions = json.dumps([[AGREEMENT.name, AGREEMENT.source]])
    content = f"None:pairs:{'0' * 64}"  # a hash of that version's
    insert(connection, "suite", content=content, name="pairs", kind="imported", metric="sum",
           predictions=predictions, meta="{}", used=1, created="then")  # fmt: skip
    for n, own in enumerate(SUITE.items):
        insert(connection, "item", suite_id=1, position=n, item_id=own.item_id, kind=own.kind,
               cluster_id=own.cluster_id, record=record(own))  # fmt: skip
    insert(connection, "model", signature="model:long", name="long", spec="long", group="",
           device="", about="{}")  # fmt: skip
    insert(connection, "run", key="k", model_id=1, suite_id=1, method="target",
           options='{"oov": "exclude", "ties": "share", "prediction": "agreement"}', finished=1,
           used=2, created="then")  # fmt: skip
    for each in OUTCOMES:
        insert(connection, "outcome", run_id=1, item_id=each.item_id, prediction=each.prediction,
               credit=each.credit, margin_bits=each.margin_bits, tie=each.tie, oov=each.oov,
               note=each.note)  # fmt: skip
    insert(connection, "score", model_id=1, query="0" * 32, surprisals='{"bits": [1.0]}')
    insert(connection, "judgment_set", content="j", name="answers", suite_id=1, simulated=0,
           summary="{}", used=3, created="then")  # fmt: skip
    for judgment in JUDGMENTS:
        insert(connection, "judgment", judgment_set_id=1, record=json.dumps(judgment))
    connection.execute("UPDATE clock SET reading = 3")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute("PRAGMA user_version = 4")
    connection.commit()
    connection.close()
    return found


def ids(store: Store, table: str) -> list[int]:
    return sorted(int(row[f"{table}_id"]) for row in store.rows(f"SELECT * FROM {table}"))


def test_its_suites_outcomes_and_judgments_are_there(path: Path) -> None:
    suite = cg.load_suite("pairs", store=path)
    assert suite == SUITE
    assert cg.load_suite(store=path).items == SUITE.items
    rows = {row["what"]: row for row in cg.status(store=path).rows}
    assert (rows["suite"]["n"], rows["suite"]["language"]) == (2, "en")
    assert (rows["run"]["n"], rows["judgments"]["n"]) == (3, len(JUDGMENTS))
    with Store(path) as store:
        assert list(outcomes_in(load_outcomes(store, 1))) == OUTCOMES
        told = [json.loads(row["record"]) for row in store.rows("SELECT record FROM judgment")]
        assert told == JUDGMENTS
        version = store.one("PRAGMA user_version")
        assert version == {"user_version": SCHEMA_VERSION}


@pytest.mark.parametrize("what", ["pairs", SUITE])
def test_its_models_are_asked_anew_and_its_suite_stays_the_one_that_people_judged(
    path: Path, what: str | Suite
) -> None:
    wanted = plan_suite(SUITE, "text")
    with Store(path) as store:
        assert list(stored_answers(store, 1, wanted)) == []
    scorer = Long()
    model = Model("long", "long", scorer)
    scores = cg.score(what, model, store=path)
    assert scores.suite_ids == (1,)
    assert len(scorer.asked) == len(SUITE.items)
    assert scores.outcomes["credit"].to_list() == [0.0, 1.0]
    again = cg.score(what, model, store=path)
    assert len(scorer.asked) == len(SUITE.items)
    assert again.outcomes.equals(scores.outcomes)
    assert again.surprisals.equals(scores.surprisals)
    with Store(path) as store:
        assert ids(store, "suite") == ids(store, "model") == [1]
        assert ids(store, "run") == sorted({1, *scores.run_ids})
        row = store.one("SELECT suite_id FROM judgment_set")
        assert row == {"suite_id": 1}
        assert list(outcomes_in(load_outcomes(store, 1))) == OUTCOMES
        assert [len(rows) for rows, _ in stored_answers(store, 1, wanted)] == [4]


def test_a_suite_of_it_that_is_read_again_is_no_other(path: Path) -> None:
    kept = cg.load_suite("pairs", store=path)
    assert kept.kept is not None
    assert kept.kept.id == 1
    file = path.with_name("pairs.jsonl")
    cg.export(kept, file)
    again = cg.load_suite(file, store=path)
    assert again.kept is not None
    assert again.kept.id == 1
