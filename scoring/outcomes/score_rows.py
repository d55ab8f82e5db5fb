"""Models, runs and their outcomes as rows of the store, and back.

A run keeps its outcomes as one frame; surprisals of regions follow from the answers. Not the
outcomes: a measure hangs on a text that is not here.
"""

import hashlib
import json
from collections.abc import Mapping
from io import BytesIO

import polars as pl

from ...data.store import Store, sealed
from ..models.specs import Model
from ..questions.outcome import OUTCOMES, Outcome, outcomes_frame
from .run import Run

UNKEYED = ("prediction", "record")  # options that do not identify a run
PARTS = {"limit": "the first {} items only", "sample": "{} items of each construction only"}


def save_model(store: Store, model: Model) -> tuple[int, str]:
    """Keep a model in the store, by its signature. Call it in a transaction.

    Args:
        store: the store.
        model: the model.

    Returns:
        (id, name) there; a name that another model has already gets four hex digits of the
        signature.

    >>> from pathlib import Path
    >>> from colorless_green import load_model
    >>> _ = Path("words.txt").write_text("the key keys is are old .")
    >>> with Store(Path("kept.db")) as store, store.transaction():
    ...     save_model(store, load_model("uniform:words.txt"))
    (1, 'words.txt')
    """
    card = json.dumps(dict(model.folder.card) if model.folder else {})
    facts = {"spec": model.spec, "group": model.group, "device": model.device, "about": card}
    return keep_model(store, model.scorer.signature, model.name, facts)


def keep_model(
    store: Store, signature: str, name: str, facts: Mapping[str, str]
) -> tuple[int, str]:
    """Return (id, name) of a model, known by its signature. A name that another model has already
    gets four hex digits of the signature. Call in a transaction."""
    row = store.one("SELECT model_id, name FROM model WHERE signature = ?", (signature,))
    if row is not None:
        return int(row["model_id"]), str(row["name"])
    if store.one("SELECT 1 FROM model WHERE name = ?", (name,)) is not None:
        name = f"{name}-{hashlib.sha256(signature.encode()).hexdigest()[:4]}"
    return store.insert("model", {"signature": signature, "name": name, **facts}), name


def save_run(
    store: Store,
    *,
    model_id: int,
    suite_id: int,
    method: str,
    options: Mapping[str, str],
    exposed: int | None,
    outcomes: pl.DataFrame,
    now: str,
) -> int:
    """Keep a finished run with its outcomes. Call it in a transaction.

    Args:
        store: the store.
        model_id: the model there.
        suite_id: the suite there.
        method: how the model was asked.
        options: what of the setting is not as usual.
        exposed: originals of the suite that the model was trained on; `None` where nobody knows.
        outcomes: as `outcomes_frame` makes them.
        now: the time, in ISO 8601.

    Returns:
        The run's id; the same run again replaces nothing and has its old one.
    """
    # the first prediction follows from suite and method, and a record may have several names
    pairs = sorted((name, value) for name, value in options.items() if name not in UNKEYED)
    parts = (model_id, suite_id, method, pairs)
    key = hashlib.sha256(repr(parts).encode()).hexdigest()
    row = store.one("SELECT run_id FROM run WHERE key = ?", (key,))
    if row is not None:
        store.execute("UPDATE run SET used = ? WHERE run_id = ?", (store.tick(), row["run_id"]))
        return int(row["run_id"])
    return store.insert(
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
            "outcomes": _written(outcomes),
            "n_items": outcomes["item_id"].n_unique(),
        },
    )


def _written(frame: pl.DataFrame) -> bytes:
    stream = BytesIO()
    frame.write_ipc(stream, compression="zstd")
    return sealed(stream.getvalue())


def load_outcomes(store: Store, run_id: int) -> pl.DataFrame:
    """Read the outcomes of a stored run.

    Args:
        store: the store.
        run_id: the run there.

    Returns:
        One row per item and prediction; columns are the fields of `Outcome`.

    >>> import colorless_green as cg
    >>> from pathlib import Path
    >>> _ = Path("words.txt").write_text("the key keys is are old .")
    >>> _ = Path("keys.tsv").write_text("right\\twrong\\nthe keys are .\\tthe keys is old .\\n")
    >>> with Store(Path("kept.db")) as store:
    ...     scores = cg.score("keys.tsv", "uniform:words.txt", store=store)
    ...     load_outcomes(store, scores.run_ids[0]).select("prediction", "margin_bits").rows()
    [('full', 3.0), ('prefix', 3.0), ('all', 3.0)]
    """
    row = store.one("SELECT outcomes FROM run WHERE run_id = ?", (run_id,))
    assert row is not None
    if row["outcomes"] is not None:
        return pl.read_ipc(BytesIO(store.unsealed(row["outcomes"])))
    names = ", ".join(OUTCOMES)  # kept by an earlier version, row by row
    rows = store.rows(f"SELECT {names} FROM outcome WHERE run_id = ?", (run_id,))
    return outcomes_frame(Outcome(**row) for row in rows)


def stored_run(store: Store, run_id: int) -> Run:
    """Return a run of the store with its model; what was asked is not read."""
    row = store.one(
        "SELECT run.suite_id, run.method, run.options, run.exposed, suite.name AS suite, "
        'model.name AS model, model."group", model.signature, model.device, model.about '
        "FROM run JOIN model USING (model_id) JOIN suite USING (suite_id) WHERE run_id = ?",
        (run_id,),
    )
    assert row is not None
    outcomes = load_outcomes(store, run_id)
    options: dict[str, str] = json.loads(row["options"])
    first = outcomes["prediction"][0] if outcomes.height else ""
    names = ("suite_id", "method", "exposed", "suite", "model", "group", "signature", "device")
    return Run(
        **{name: row[name] for name in names},
        run_id=run_id,
        number=str(run_id),
        outcomes=outcomes,
        about=json.loads(row["about"]),
        prediction=options.get("prediction", first),
        part=", ".join(text.format(options[n]) for n, text in PARTS.items() if n in options),
    )
