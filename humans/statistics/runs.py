"""Runs of the store, their outcomes as the comparison wants them, and how they are called."""

from collections.abc import Collection, Iterator, Mapping, Sequence

import polars as pl

from ...data.errors import InputError
from ...data.store import Store
from ...scoring.outcomes.run import Run, keep_model, save_run, stored_run
from .rater_accuracy import Credits, averaged

USUAL = "target"  # the method of agreement suites


def judged_or_scored(store: Store) -> int:
    """Return the id of the suite scored or judged last. Raises `InputError` if none was."""
    row = store.one(
        "SELECT suite_id FROM (SELECT suite_id, used FROM run UNION ALL "
        "SELECT suite_id, used FROM judgment_set) "
        "WHERE suite_id IS NOT NULL ORDER BY used DESC LIMIT 1"
    )
    if row is None:
        right = "colorless score, or humans import"
        raise InputError(str(store.path), "nothing is scored or judged yet", right, kind="empty")
    return int(row["suite_id"])


def newest_note(suite: str) -> str:
    """Say that a suite was chosen since nothing was named.

    >>> newest_note("blimp")
    'suite blimp, the one that was scored or judged last'
    """
    return f"suite {suite}, the one that was scored or judged last"


def load_runs(store: Store, suite_id: int, run_ids: Collection[int] | None = None) -> list[Run]:
    """Return the newest run of every model on a suite, in the order in which the models came; with
    `run_ids` of these runs, and no others."""
    condition = "finished = 1"
    if run_ids is not None:
        condition = f"run_id IN ({', '.join('?' * len(run_ids))})"
    rows = store.rows(
        "SELECT run_id FROM (SELECT run_id, model_id, ROW_NUMBER() OVER (PARTITION BY model_id "
        f"ORDER BY used DESC, run_id DESC) AS place FROM run WHERE suite_id = ? AND {condition}) "
        "WHERE place = 1 ORDER BY model_id",
        (suite_id, *(run_ids or ())),
    )
    return [stored_run(store, int(row["run_id"])) for row in list(rows)]


def outcomes_of(runs: Sequence[Run]) -> dict[str, Credits]:
    """Return every model by its name, then, by the group's name, the mean of the models of every
    group that has several: the seeds of one setting are one rater, and no sample to test over."""
    outcomes: dict[str, Credits] = {run.model: run.credits() for run in runs}
    for group, models in groups_of(runs).items():
        outcomes.setdefault(group, averaged([outcomes[model] for model in models]))
    return outcomes


def groups_of(runs: Sequence[Run]) -> dict[str, tuple[str, ...]]:
    """Return the models of every group that has several."""
    groups: dict[str, dict[str, None]] = {}
    for run in runs:
        if run.group:
            groups.setdefault(run.group, {})[run.model] = None
    return {group: tuple(models) for group, models in groups.items() if len(models) > 1}


def run_notes(runs: Sequence[Run]) -> Iterator[str]:
    """Say what a reader must know of runs side by side: how each was asked, where that is not the
    usual way or not the same for all, and which items it covers, where not all."""
    methods = {run.method for run in runs}
    for run in runs:
        if len(methods) > 1 or run.method != USUAL:
            yield f"{run.model}: asked by {run.method}"
        if run.part:
            yield f"{run.model}: {run.part}"


def short_labels(names: Sequence[str]) -> Mapping[str, str]:
    """Labels without the folders of a path: `ngram:demo/models/ngram` is `ngram`.

    A name whose short form is another's too keeps its whole length.
    """
    shortened = {}
    for name in names:
        kind, colon, path = name.partition(":")
        tail = path.replace("\\", "/").rstrip("/").rpartition("/")[2]
        shortened[name] = name if not colon else tail if tail.startswith(kind) else (
            f"{kind}:{tail}" if tail else kind
        )  # fmt: skip
    labels = list(shortened.values())
    return {name: label if labels.count(label) == 1 else name for name, label in shortened.items()}


def save_published_run(
    store: Store,
    *,
    model: str,
    signature: str,
    suite_id: int,
    outcomes: pl.DataFrame,
    now: str,
) -> str:
    """Store a model whose numbers came with a file, known by its name there and the file's content
    (the ends of `signature`).

    Return its name in the store: another if one of other numbers has that already. Call in a
    transaction.
    """
    ends = f"published:{model}|file:", "|" + signature.rpartition("|")[2]
    stored = store.one(
        "SELECT signature FROM model WHERE substr(signature, 1, length(?1)) = ?1 "
        "AND substr(signature, -length(?2)) = ?2",
        ends,
    )
    if stored is not None:  # the same file, perhaps under another name
        signature = str(stored["signature"])
    blank = dict.fromkeys(("spec", "group", "device"), "")
    model_id, name = keep_model(store, signature, model, {**blank, "about": "{}"})
    save_run(
        store,
        model_id=model_id,
        suite_id=suite_id,
        method="target",
        options={"oov": "keep", "ties": "share"},
        exposed=None,
        outcomes=outcomes,
        now=now,
    )
    return name
