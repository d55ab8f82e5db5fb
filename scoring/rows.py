"""Models, scores and outcomes as rows of the store, and back.

An answer is kept once for each model and question: 3 bytes, then 4 (float32) or 8 (float64) a
subword for −log p in the model's own unit, 2 for its span (none where subwords are whole words),
1 for what is unknown where something is. A run keeps its outcomes as one frame; surprisals of
regions follow from the answers. Not the outcomes: a measure hangs on a text that is not here.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from colorless_green.data.progress import Progress, silent
from colorless_green.data.store import Store
from colorless_green.scoring.columns import (
    BITS,
    LOG10,
    NATS,
    Answers,
    Integers,
    answers_of,
    joined,
)
from colorless_green.scoring.outcome import OUTCOMES, Outcome, outcomes_frame
from colorless_green.scoring.plan import Plan
from colorless_green.scoring.query import Scorer

if TYPE_CHECKING:
    from colorless_green.scoring.specs import Model

LOOKED_UP = 2_000  # keys a statement asks for at once; SQLite allows 32,766
CHUNK = 256  # questions at once to a scorer that does not say how many it likes
UNITS = (BITS, LOG10, NATS)
DOUBLE, UNKNOWN, WIDE, WORDS, GONE = 4, 8, 16, 32, 64
"""Bits of an answer's first byte, whose lowest two are a number of UNITS: float64; there are
unknown subwords; spans of 8 bytes; spans are whole words, and not kept; refused, with the reason"""
HEAD = 3  # bytes: these, and how many words around are unknown


def save_model(store: Store, model: "Model") -> tuple[int, str]:
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


def stored_answers(store: Store, model_id: int, plan: Plan) -> Iterator[tuple[Integers, Answers]]:
    """What the store knows of the questions of a plan: their rows, with the answers."""
    yield from _known(store, model_id, _keys(plan))


def answers(
    scorer: Scorer,
    plan: Plan,
    store: Store | None = None,
    model_id: int = 0,
    *,
    progress: Progress = silent,
) -> Iterator[tuple[Integers, Answers]]:
    """Every answer that a plan needs: those that the store knows, and the rest from the model.

    Args:
        scorer: the model.
        plan: what is wanted of it.
        store: where answers are looked up, and kept chunk by chunk, so that an interrupted run
            loses no more than one; None for neither.
        model_id: of the model in the store.
        progress: is told how many questions are answered.

    Yields:
        Rows of the plan's questions with their answers.
    """
    keys = [] if store is None else _keys(plan)
    unknown = np.ones(plan.n_questions, bool)
    done = 0
    for rows, found in _known(store, model_id, keys) if store is not None else ():
        unknown[rows] = False
        yield rows, found
        done += len(rows)
        progress("queries scored", done, plan.n_questions)
    first = 0
    for questions in plan.questions:
        rows = first + np.flatnonzero(unknown[first : first + len(questions)])
        size = getattr(scorer, "chunk", CHUNK)
        parts = [rows[start : start + size] for start in range(0, len(rows), size)]
        asked = (questions.take((part - first).tolist()) for part in parts)
        for part, found in zip(parts, answers_of(scorer, asked), strict=True):
            if store is not None:
                blobs = zip([keys[n] for n in part.tolist()], packed(found), strict=True)
                with store.transaction():  # those another process has added stay
                    store.insert_many(
                        "score",
                        ("model_id", "query", "answer"),
                        ((model_id, *each) for each in blobs),
                        keep_old=True,
                    )
            yield part, found
            done += len(part)
            progress("queries scored", done, plan.n_questions)
        first += len(questions)


def _keys(plan: Plan) -> list[bytes]:
    return [key for questions in plan.questions for key in questions.keys(plan.unit)]


def _known(
    store: Store, model_id: int, keys: Sequence[bytes]
) -> Iterator[tuple[Integers, Answers]]:
    if store.one("SELECT 1 FROM score WHERE model_id = ? LIMIT 1", (model_id,)) is None:
        return
    for start in range(0, len(keys), LOOKED_UP):
        some = keys[start : start + LOOKED_UP]
        query = (
            "SELECT query, answer FROM score WHERE model_id = ? AND query IN "
            f"({', '.join('?' * len(some))})"
        )
        row_of = {key: start + n for n, key in enumerate(some)}
        found = {
            row_of[row["query"]]: row["answer"] for row in store.rows(query, (model_id, *some))
        }
        if found:
            yield np.array(list(found), np.int64), unpacked(list(found.values()))


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
    """The outcomes of a run, item by item: a frame of `outcome.OUTCOMES`."""
    row = store.one("SELECT outcomes FROM run WHERE run_id = ?", (run_id,))
    assert row is not None
    if row["outcomes"] is not None:
        return pl.read_ipc(BytesIO(row["outcomes"]))
    names = ", ".join(OUTCOMES)  # kept by an earlier version, row by row
    rows = store.rows(f"SELECT {names} FROM outcome WHERE run_id = ?", (run_id,))
    return outcomes_frame(Outcome(**each) for each in rows)


def packed(answers: Answers) -> list[bytes]:
    """Each answer as bytes."""
    n, lengths = len(answers), np.diff(answers.offsets)
    row = np.repeat(np.arange(n), lengths)
    first = answers.offsets[:-1][lengths > 0]
    before = np.zeros(len(row), np.int64)
    before[1:] = answers.ends[:-1]
    before[first] = 0
    gap, width = answers.starts - before, answers.ends - answers.starts
    index = np.arange(len(row)) - answers.offsets[:-1][row]
    whole = np.bincount(row, (answers.starts != index) | (width != 1), n) == 0
    wide = np.bincount(row, (np.abs(gap) > 127) | (width < 0) | (width > 255), n) > 0
    unknown = np.bincount(row, answers.oov, n) > 0
    kind = UNITS.index(answers.unit) + DOUBLE * (answers.raw.dtype == np.float64)
    kinds = kind + UNKNOWN * unknown + np.where(whole, WORDS, WIDE * wide)
    heads = np.zeros((n, HEAD), np.uint8)
    heads[:, 0] = kinds
    heads[:, 1:] = np.minimum(answers.prefix_oov, 65_535).astype("<u2").view(np.uint8).reshape(n, 2)
    size = answers.raw.dtype.itemsize
    raw = answers.raw.astype(answers.raw.dtype.newbyteorder("<")).tobytes()
    narrow = (gap.astype(np.int8).tobytes(), width.astype(np.uint8).tobytes())
    broad = (gap.astype("<i4").tobytes(), width.astype("<i4").tobytes())
    oov = answers.oov.astype(np.uint8).tobytes()
    found = []
    bounds = answers.offsets.tolist()
    for n, (kind, head) in enumerate(zip(kinds.tolist(), heads, strict=True)):
        a, b = bounds[n], bounds[n + 1]
        parts = [head.tobytes(), raw[size * a : size * b]]
        if n in answers.refused:
            head[0] |= GONE
            parts = [head.tobytes(), answers.refused[n].encode()]
        elif not kind & WORDS:
            by, spans = (4, broad) if kind & WIDE else (1, narrow)
            parts += [each[by * a : by * b] for each in spans]
        if kind & UNKNOWN:
            parts.append(oov[a:b])
        found.append(b"".join(parts))
    return found


def unpacked(blobs: Sequence[bytes]) -> Answers:
    """The answers of `packed`; there must be one at least."""
    data = np.frombuffer(b"".join(blobs), np.uint8)
    offsets = np.concatenate([[0], np.cumsum([len(blob) for blob in blobs])]).astype(np.int64)
    kinds = data[offsets[:-1]]
    parts, rows = [], []
    for kind in np.unique(kinds).tolist():
        own = np.flatnonzero(kinds == kind)
        rows.append(own)
        parts.append(_unpacked(kind, data, offsets[:-1][own], np.diff(offsets)[own]))
    back = np.argsort(np.concatenate(rows), kind="stable")
    return joined(parts).take(back) if len(parts) > 1 else parts[0]


def _unpacked(kind: int, data: NDArray[np.uint8], starts: Integers, lengths: Integers) -> Answers:
    """Answers of one kind."""
    dtype = np.dtype("<f8" if kind & DOUBLE else "<f4")
    by = 0 if kind & WORDS else 4 if kind & WIDE else 1
    each_size = dtype.itemsize + 2 * by + (kind & UNKNOWN > 0)
    n = np.zeros(len(starts), np.int64) if kind & GONE else (lengths - HEAD) // each_size
    offsets = np.concatenate([[0], np.cumsum(n)]).astype(np.int64)
    at = starts + HEAD

    def column(size: int, dtype: Any) -> NDArray[Any]:
        nonlocal at
        widths = n * size
        begin = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
        where = np.repeat(at - begin[:-1], widths) + np.arange(begin[-1])
        at = at + widths
        found: NDArray[Any] = data[where].view(dtype)
        return found

    raw = column(dtype.itemsize, dtype).astype(dtype.newbyteorder("="))
    row = np.repeat(np.arange(len(n)), n)
    if by:
        gap = column(by, "<i4" if by == 4 else np.int8).astype(np.int64)
        width = column(by, "<i4" if by == 4 else np.uint8).astype(np.int64)
        ends = np.cumsum(gap + width)  # each gap begins at the end of the one before
        base = np.concatenate([[0], ends])[offsets[:-1]]
        ends = ends - base[row]
        spans = ends - width, ends
    else:
        index = np.arange(len(row)) - offsets[:-1][row]
        spans = index, index + 1
    oov = column(1, np.uint8) > 0 if kind & UNKNOWN else np.zeros(len(row), bool)
    around = np.stack([data[starts + 1], data[starts + 2]], 1).reshape(-1).view("<u2")
    refused = {}
    if kind & GONE:
        for n_row, (start, length) in enumerate(
            zip(starts.tolist(), lengths.tolist(), strict=True)
        ):
            refused[n_row] = data[start + HEAD : start + length].tobytes().decode()
    return Answers(
        offsets, raw, spans[0].astype(np.int32), spans[1].astype(np.int32), oov,
        around.astype(np.int32), UNITS[kind & 3], refused,
    )  # fmt: skip
