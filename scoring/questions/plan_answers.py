"""The answers to a plan: those that the store has, and the rest from the model.

The answers to a chunk of questions are kept as one row: their keys, and their columns as bytes.
That is 20 bytes a question, and for each subword 4 (float32) or 8 (float64) for −log p in the
model's own unit and 2 for its span, where subwords are not whole words.
"""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.arrays import Integers
from ...data.progress import Progress, silent
from ...data.store import Store, sealed
from .answer_columns import KEY, Answers, answers_of, demand_every_word
from .plan import Plan
from .query import Scorer

CHUNK = 256  # questions at once to a scorer that does not say how many it likes


def stored_answers(store: Store, model_id: int, plan: Plan) -> Iterator[tuple[Integers, Answers]]:
    """Look up what the store knows of the questions of a plan.

    Args:
        store: the store.
        model_id: the model there.
        plan: what is wanted of it.

    Yields:
        Rows of the plan's questions with their answers.
    """
    yield from _stored(store, model_id, _keys(plan))


def answer_plan(
    scorer: Scorer,
    plan: Plan,
    store: Store | None = None,
    model_id: int = 0,
    *,
    progress: Progress = silent,
) -> Iterator[tuple[Integers, Answers]]:
    """Get every answer that a plan needs: those that the store knows, and the rest from the model.

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
    for rows, answered in _stored(store, model_id, keys) if store is not None else ():
        unknown[rows] = False
        yield rows, answered
        n_done += len(rows)
        progress("queries scored", n_done, plan.n_questions)
    offset = 0
    for questions in plan.questions:
        rows = offset + np.flatnonzero(unknown[offset : offset + len(questions)])
        size = getattr(scorer, "chunk", CHUNK)
        parts = [rows[start : start + size] for start in range(0, len(rows), size)]
        chunks = (questions.take((part - offset).tolist()) for part in parts)
        for part, reply in zip(parts, answers_of(scorer, chunks), strict=True):
            if plan.unit == "words":
                demand_every_word(questions, (part - offset).tolist(), reply)
            if store is not None:
                key_bytes = keys[part].tobytes()
                packed = sealed(packed_answers(reply))
                row = {"model_id": model_id, "keys": key_bytes, "answers": packed}
                with store.transaction():
                    store.insert("score", row)
            yield part, reply
            n_done += len(part)
            progress("queries scored", n_done, plan.n_questions)
        offset += len(questions)


def _keys(plan: Plan) -> NDArray[np.bytes_]:
    keys = [questions.keys(plan.unit) for questions in plan.questions]
    return np.concatenate([np.zeros(0, KEY), *keys])


def _stored(
    store: Store, model_id: int, requested: NDArray[np.bytes_]
) -> Iterator[tuple[Integers, Answers]]:
    beginnings = np.zeros(1 << 16, bool)  # of two bytes: most keys of a block have none of few
    beginnings[requested.view(np.uint16)[::8]] = True
    # sorted and searched by the first half of each, a number
    order = np.argsort(_first_half(requested))
    ordered = _first_half(requested)[order]
    seen = np.zeros(len(requested), bool)
    blocks = store.rows("SELECT score_id, keys FROM score WHERE model_id = ?", (model_id,))
    for block in list(blocks) if len(requested) else ():
        keys = np.frombuffer(block["keys"], KEY)
        near = np.flatnonzero(beginnings[keys.view(np.uint16)[::8]])
        halves = _first_half(keys[near])
        index = np.minimum(np.searchsorted(ordered, halves), len(ordered) - 1)
        near, rows = near[ordered[index] == halves], order[index[ordered[index] == halves]]
        new = (requested[rows] == keys[near]) & ~seen[rows]
        hits, rows = near[new], rows[new]
        if not len(hits):
            continue
        seen[rows] = True
        row = store.one("SELECT answers FROM score WHERE score_id = ?", (block["score_id"],))
        assert row is not None
        yield rows, unpacked_answers(store.unsealed(row["answers"])).take(hits)


def _first_half(keys: NDArray[np.bytes_]) -> NDArray[np.uint64]:
    """Return the first 8 bytes of each key as a number."""
    return np.ascontiguousarray(keys.view(np.uint64)[::2])


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
        previous = np.zeros(len(row), np.int64)
        previous[1:] = answers.ends[:-1]
        previous[index == 0] = 0
        columns |= {
            "gap": answers.starts - previous,
            "width": answers.ends - answers.starts,
        }
    if answers.oov.any():
        columns["oov"] = np.packbits(answers.oov)
    columns = {
        name: column if name == "raw" else _narrow(column) for name, column in columns.items()
    }
    header = {
        "unit": answers.unit,
        "columns": [[name, column.dtype.str, len(column)] for name, column in columns.items()],
        "refused": [[n, why] for n, why in answers.refused.items()],
    }
    head = json.dumps(header, ensure_ascii=False).encode()
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
    head, _, body = data.partition(b"\n")
    header = json.loads(head)
    columns: dict[str, NDArray[Any]] = {}
    start = 0
    for name, dtype, n in header["columns"]:
        columns[name] = np.frombuffer(body, dtype, n, start)
        start += columns[name].nbytes
    offsets = np.concatenate([[0], np.cumsum(columns["length"], dtype=np.int64)])
    n = int(offsets[-1])
    base = np.repeat(offsets[:-1], columns["length"])
    starts = np.arange(n) - base
    ends = starts + 1
    if "gap" in columns:  # each from the end of the one before
        width = columns["width"].astype(np.int64)
        reach = np.concatenate([[0], np.cumsum(columns["gap"].astype(np.int64) + width)])
        ends = reach[1:] - reach[base]
        starts = ends - width
    oov = np.zeros(n, bool)
    if "oov" in columns:
        oov = np.unpackbits(columns["oov"], count=n).astype(bool)
    return Answers(
        offsets, columns["raw"], starts.astype(np.int32), ends.astype(np.int32), oov,
        columns["prefix_oov"].astype(np.int32), header["unit"], dict(header["refused"]),
    )  # fmt: skip
