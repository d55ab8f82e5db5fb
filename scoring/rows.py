"""Models, scores and outcomes as rows of the store, and back.

The answers to a chunk of questions are kept as one row: their keys, and their columns as bytes.
That is 20 bytes a question, and for each subword 4 (float32) or 8 (float64) for −log p in the
model's own unit and 2 for its span, where subwords are not whole words. A run keeps its outcomes as
one frame; surprisals of regions follow from the answers. Not the outcomes: a measure hangs on a
text that is not here.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ..data.arrays import Integers
from ..data.progress import Progress, silent
from ..data.store import Store
from .columns import KEY, Answers, answers_of, demand_every_word
from .outcome import OUTCOMES, Outcome, outcomes_frame
from .plan import Plan
from .query import Scorer

if TYPE_CHECKING:
    from .specs import Model

CHUNK = 256  # questions at once to a scorer that does not say how many it likes


def save_model(store: Store, model: "Model") -> tuple[int, str]:
    """Keeps a model in the store, by its signature. Call it in a transaction.

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
    about = json.dumps(dict(model.folder.about) if model.folder else {})
    facts = {"spec": model.spec, "group": model.group, "device": model.device, "about": about}
    return keep_model(store, model.scorer.signature, model.name, facts)


def keep_model(
    store: Store, signature: str, name: str, facts: Mapping[str, str]
) -> tuple[int, str]:
    """(id, name) of a model, known by its signature. A name that another model has already gets
    four hex digits of the signature. Call in a transaction."""
    row = store.one("SELECT model_id, name FROM model WHERE signature = ?", (signature,))
    if row is not None:
        return int(row["model_id"]), str(row["name"])
    if store.one("SELECT 1 FROM model WHERE name = ?", (name,)) is not None:
        name = f"{name}-{hashlib.sha256(signature.encode()).hexdigest()[:4]}"
    return store.insert("model", {"signature": signature, "name": name, **facts}), name


def stored_answers(store: Store, model_id: int, plan: Plan) -> Iterator[tuple[Integers, Answers]]:
    """Looks up what the store knows of the questions of a plan.

    Args:
        store: the store.
        model_id: the model there.
        plan: what is wanted of it.

    Yields:
        Rows of the plan's questions with their answers.
    """
    yield from _known(store, model_id, _keys(plan))


def answer_plan(
    scorer: Scorer,
    plan: Plan,
    store: Store | None = None,
    model_id: int = 0,
    *,
    progress: Progress = silent,
) -> Iterator[tuple[Integers, Answers]]:
    """Gets every answer that a plan needs: those that the store knows, and the rest from the model.

    Args:
        scorer: the model.
        plan: what is wanted of it.
        store: where answers are looked up, and kept chunk by chunk, so that an interrupted run
            loses no more than one; None for neither.
        model_id: of the model in the store.
        progress: is told how many questions are answered.

    Yields:
        Rows of the plan's questions with their answers.

    >>> from pathlib import Path
    >>> from colorless_green import load_model, load_suite
    >>> from colorless_green.scoring import plan_suite
    >>> _ = Path("words.txt").write_text("the key keys is are old .")
    >>> _ = Path("keys.tsv").write_text("right\\twrong\\nthe keys are .\\tthe keys is .\\n")
    >>> plan = plan_suite(load_suite("keys.tsv"), "words")
    >>> [rows.tolist() for rows, _ in answer_plan(load_model("uniform:words.txt").scorer, plan)]
    [[0, 1]]
    """
    keys = np.zeros(0, KEY) if store is None else _keys(plan)
    unknown = np.ones(plan.n_questions, bool)
    n_done = 0
    for rows, answered in _known(store, model_id, keys) if store is not None else ():
        unknown[rows] = False
        yield rows, answered
        n_done += len(rows)
        progress("queries scored", n_done, plan.n_questions)
    first = 0
    for questions in plan.questions:
        rows = first + np.flatnonzero(unknown[first : first + len(questions)])
        size = getattr(scorer, "chunk", CHUNK)
        parts = [rows[start : start + size] for start in range(0, len(rows), size)]
        chunks = (questions.take((part - first).tolist()) for part in parts)
        for part, reply in zip(parts, answers_of(scorer, chunks), strict=True):
            if plan.unit == "words":
                demand_every_word(questions, (part - first).tolist(), reply)
            if store is not None:
                key_bytes = keys[part].tobytes()
                row = {"model_id": model_id, "keys": key_bytes, "answers": packed_answers(reply)}
                with store.transaction():
                    store.insert("score", row)
            yield part, reply
            n_done += len(part)
            progress("queries scored", n_done, plan.n_questions)
        first += len(questions)


def _keys(plan: Plan) -> NDArray[np.bytes_]:
    keys = [questions.keys(plan.unit) for questions in plan.questions]
    return np.concatenate([np.zeros(0, KEY), *keys])


def _known(
    store: Store, model_id: int, wanted: NDArray[np.bytes_]
) -> Iterator[tuple[Integers, Answers]]:
    order = np.argsort(wanted)
    ordered = wanted[order]
    seen = np.zeros(len(wanted), bool)
    blocks = store.rows("SELECT score_id, keys FROM score WHERE model_id = ?", (model_id,))
    for block in list(blocks) if len(wanted) else ():
        keys = np.frombuffer(block["keys"], KEY)
        at = np.minimum(np.searchsorted(ordered, keys), len(ordered) - 1)
        hits = np.flatnonzero((ordered[at] == keys) & ~seen[order[at]])
        if not len(hits):
            continue
        rows = order[at[hits]]
        seen[rows] = True
        row = store.one("SELECT answers FROM score WHERE score_id = ?", (block["score_id"],))
        assert row is not None
        yield rows, unpacked_answers(row["answers"]).take(hits)


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
    """Keeps a finished run with its outcomes. Call it in a transaction.

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
    # which prediction is the first follows from the suite and the method, and old runs lack it
    pairs = sorted((name, value) for name, value in options.items() if name != "prediction")
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
    return stream.getvalue()


def load_outcomes(store: Store, run_id: int) -> pl.DataFrame:
    """Reads the outcomes of a stored run.

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
        return pl.read_ipc(BytesIO(row["outcomes"]))
    names = ", ".join(OUTCOMES)  # kept by an earlier version, row by row
    rows = store.rows(f"SELECT {names} FROM outcome WHERE run_id = ?", (run_id,))
    return outcomes_frame(Outcome(**row) for row in rows)


def packed_answers(answers: Answers) -> bytes:
    """Packs answers as bytes: a line of JSON about the columns, then the columns.

    Args:
        answers: the answers.

    Returns:
        The bytes, as the store keeps them.

    >>> from pathlib import Path
    >>> from colorless_green import load_model
    >>> from colorless_green.scoring import Questions
    >>> _ = Path("words.txt").write_text("the key keys is are old .")
    >>> scorer = load_model("uniform:words.txt").scorer
    >>> (answers,) = answers_of(scorer, [Questions(["the"], ["keys"])])
    >>> unpacked_answers(packed_answers(answers)).bits
    array([3.])
    """
    lengths = np.diff(answers.offsets)
    row = np.repeat(np.arange(len(answers)), lengths)
    columns: dict[str, NDArray[Any]] = {
        "length": lengths, "raw": answers.raw, "prefix_oov": answers.prefix_oov,
    }  # fmt: skip
    index = np.arange(len(row)) - answers.offsets[:-1][row]
    if (answers.starts != index).any() or (answers.ends != index + 1).any():  # no whole words
        before = np.zeros(len(row), np.int64)
        before[1:] = answers.ends[:-1]
        before[index == 0] = 0
        columns |= {
            "gap": answers.starts - before,
            "width": answers.ends - answers.starts,
        }
    if answers.oov.any():
        columns["oov"] = np.packbits(answers.oov)
    columns = {
        name: column if name == "raw" else _narrow(column) for name, column in columns.items()
    }
    about = {
        "unit": answers.unit,
        "columns": [[name, column.dtype.str, len(column)] for name, column in columns.items()],
        "refused": [[n, why] for n, why in answers.refused.items()],
    }
    head = json.dumps(about, ensure_ascii=False).encode()
    return b"\n".join((head, b"".join(column.tobytes() for column in columns.values())))


def _narrow(column: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers in the smallest type that holds them."""
    low, high = int(column.min(initial=0)), int(column.max(initial=0))
    return column.astype(np.promote_types(np.min_scalar_type(low), np.min_scalar_type(high)))


def unpacked_answers(data: bytes) -> Answers:
    """Unpacks what `packed_answers` packed.

    Args:
        data: the bytes.

    Returns:
        The answers.
    """
    head, _, rest = data.partition(b"\n")
    about = json.loads(head)
    columns: dict[str, NDArray[Any]] = {}
    start = 0
    for name, dtype, n in about["columns"]:
        columns[name] = np.frombuffer(rest, dtype, n, start)
        start += columns[name].nbytes
    offsets = np.concatenate([[0], np.cumsum(columns["length"], dtype=np.int64)])
    n = int(offsets[-1])
    first = np.repeat(offsets[:-1], columns["length"])
    starts = np.arange(n) - first
    ends = starts + 1
    if "gap" in columns:  # each from the end of the one before
        width = columns["width"].astype(np.int64)
        reach = np.concatenate([[0], np.cumsum(columns["gap"].astype(np.int64) + width)])
        ends = reach[1:] - reach[first]
        starts = ends - width
    oov = np.zeros(n, bool)
    if "oov" in columns:
        oov = np.unpackbits(columns["oov"], count=n).astype(bool)
    return Answers(
        offsets, columns["raw"], starts.astype(np.int32), ends.astype(np.int32), oov,
        columns["prefix_oov"].astype(np.int32), about["unit"], dict(about["refused"]),
    )  # fmt: skip
