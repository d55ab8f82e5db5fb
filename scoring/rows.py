"""Models, scores and outcomes as rows of the store, and back."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from colorless_green.data.store import Store
from colorless_green.scoring.evaluate import Answer
from colorless_green.scoring.outcome import Outcome
from colorless_green.scoring.plan import Asked, Plan, query_hash
from colorless_green.scoring.query import Surprisals
from colorless_green.scoring.specs import Model

LOOKED_UP = 500  # keys a statement asks for at once; SQLite allows 32,766


def save_model(store: Store, model: Model) -> tuple[int, str]:
    """(id, name) of a model, known by its signature. A name that another model has already gets
    four hex digits of the signature. Call in a transaction."""
    signature = model.scorer.signature
    known = store.one("SELECT model_id, name FROM model WHERE signature = ?", (signature,))
    if known is not None:
        return int(known["model_id"]), str(known["name"])
    name = model.name
    if store.one("SELECT 1 FROM model WHERE name = ?", (name,)) is not None:
        name = f"{name}-{hashlib.sha256(signature.encode()).hexdigest()[:4]}"
    model_id = store.insert(
        "model",
        {
            "signature": signature,
            "name": name,
            "spec": model.spec,
            "group": model.group,
            "device": model.device,
            "about": json.dumps(dict(model.folder.about) if model.folder else {}),
        },
    )
    return model_id, name


def load_answers(store: Store, model_id: int, plan: Plan, unit: str) -> dict[Asked, Answer]:
    """What the store knows already of the plan's questions."""
    asked = {query_hash(unit, each.asked): each.asked for each in plan.requests}
    keys = list(asked)
    found: dict[Asked, Answer] = {}
    for start in range(0, len(keys), LOOKED_UP):
        some = keys[start : start + LOOKED_UP]
        query = (
            "SELECT query, surprisals FROM score WHERE model_id = ? AND query IN "
            f"({', '.join('?' * len(some))})"
        )
        for row in store.rows(query, (model_id, *some)):
            found[asked[row["query"]]] = _answer(json.loads(row["surprisals"]))
    return found


def _answer(record: Mapping[str, Any]) -> Answer:
    surprisals = Surprisals(
        tuple(float(each) for each in record["bits"]),
        tuple((int(start), int(end)) for start, end in record["spans"]),
        tuple(bool(each) for each in record["oov"]),
        str(record.get("refused", "")),
    )
    return Answer(surprisals, int(record["prefix_oov"]))


def save_answers(
    store: Store, model_id: int, unit: str, new: Iterable[tuple[Asked, Answer]]
) -> None:
    """Adds answers in a transaction of their own; those another process has added stay."""
    with store.transaction():
        store.insert_many(
            "score",
            ("model_id", "query", "surprisals"),
            (
                (
                    model_id,
                    query_hash(unit, asked),
                    json.dumps(
                        {
                            "bits": answer.surprisals.bits,
                            "spans": answer.surprisals.spans,
                            "oov": answer.surprisals.oov,
                            "prefix_oov": answer.prefix_oov,
                            **_refused(answer.surprisals),
                        }
                    ),
                )
                for asked, answer in new
            ),
            keep_old=True,
        )


def _refused(surprisals: Surprisals) -> dict[str, str]:
    return {"refused": surprisals.refused} if surprisals.refused else {}


def save_run(
    store: Store,
    *,
    model_id: int,
    suite_id: int,
    method: str,
    options: Mapping[str, str],
    exposed: int | None,
    outcomes: Sequence[Outcome],
    now: str,
) -> int:
    """A finished run with its outcomes; its id. The same run again replaces nothing. Call in a
    transaction."""
    # which prediction is the first follows from the suite and the method, and old runs lack it
    told = sorted((name, value) for name, value in options.items() if name != "prediction")
    parts = (model_id, suite_id, method, told)
    key = hashlib.sha256(repr(parts).encode()).hexdigest()
    known = store.one("SELECT run_id FROM run WHERE key = ?", (key,))
    if known is not None:
        store.execute("UPDATE run SET used = ? WHERE run_id = ?", (store.tick(), known["run_id"]))
        return int(known["run_id"])
    run_id = store.insert(
        "run",
        {
            "key": key,
            "model_id": model_id,
            "suite_id": suite_id,
            "method": method,
            "options": json.dumps(dict(options)),
            "exposed": exposed,
            "finished": 1,
            "used": store.tick(),
            "created": now,
        },
    )
    store.insert_many(
        "outcome",
        ("run_id", "item_id", "prediction", "credit", "margin_bits", "tie", "oov", "note"),
        (
            (
                run_id,
                each.item_id,
                each.prediction,
                each.credit,
                each.margin_bits,
                int(each.tie),
                int(each.oov),
                each.note,
            )
            for each in outcomes
        ),
    )
    return run_id


def load_outcomes(store: Store, run_id: int) -> Iterator[Outcome]:
    """The outcomes of a run, by item."""
    for row in store.rows("SELECT * FROM outcome WHERE run_id = ?", (run_id,)):
        yield Outcome(
            row["item_id"],
            row["prediction"],
            row["credit"],
            row["margin_bits"],
            bool(row["tie"]),
            bool(row["oov"]),
            row["note"],
        )
