"""Runs of models in the store: load them, give their outcomes to comparisons, and name them.

A run is one model's scores of one suite.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

import polars as pl

from ...data.errors import InputError
from ...data.store import Store
from ...scoring.outcomes.run import Run, keep_model, save_run, stored_run
from .rater_accuracy import Credits, average_runs

USUAL_METHOD = "target"  # the scoring method of agreement suites


def judged_or_scored(store: Store) -> int:
    """Return the id of the suite that was scored or judged last.

    Raises `InputError` if the store has neither scores nor judgments.
    """
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
    """Say which suite was chosen because the user named none.

    >>> newest_note("blimp")
    'suite blimp, the one that was scored or judged last'
    """
    return f"suite {suite}, the one that was scored or judged last"


def load_runs(store: Store, suite_id: int, run_ids: Collection[int] | None = None) -> list[Run]:
    """Load the newest finished run of every model on a suite, in the order of the models' ids.

    With `run_ids` load from these runs only, finished or not.
    """
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
    """Return name → outcomes, first of every model, then of every group with several models.

    The outcomes of a group are the mean of its models. These differ only in their seed, so they are
    one rater and not a sample to test over.
    """
    outcomes: dict[str, Credits] = {run.model: run.credits() for run in runs}
    for group, models in groups_of(runs).items():
        outcomes.setdefault(group, average_runs([outcomes[model] for model in models]))
    return outcomes


def groups_of(runs: Sequence[Run]) -> dict[str, tuple[str, ...]]:
    """Return group → names of its models, for the groups with several models."""
    groups: dict[str, dict[str, None]] = {}  # dictionaries as ordered sets of names
    for run in runs:
        if run.group:
            groups.setdefault(run.group, {})[run.model] = None
    return {group: tuple(models) for group, models in groups.items() if len(models) > 1}


def run_notes(runs: Sequence[Run]) -> Iterator[str]:
    """Yield notes for a reader who compares runs.

    They name the scoring method of each run, unless all runs use the usual one, and the items of
    each run that does not cover all items.
    """
    methods = {run.method for run in runs}
    for run in runs:
        if len(methods) > 1 or run.method != USUAL_METHOD:
            yield f"{run.model}: asked by {run.method}"
        if run.part:
            yield f"{run.model}: {run.part}"


def short_labels(names: Sequence[str]) -> Mapping[str, str]:
    """Return model name → label without the folders of a path: `ngram:demo/models/ngram` → `ngram`.

    Names that would get the same label keep their full length.
    """
    shortened = {name: _without_folders(name) for name in names}
    n_names = Counter(shortened.values())
    return {name: label if n_names[label] == 1 else name for name, label in shortened.items()}


def _without_folders(name: str) -> str:
    """Return the name of a model (`kind:path`) with only the last part of its path. The kind is
    dropped if that part begins with it, as in `ngram:models/ngram-3`."""
    kind, colon, path = name.partition(":")
    if not colon:
        return name
    _, _, last_part = path.replace("\\", "/").rstrip("/").rpartition("/")
    if last_part.startswith(kind):
        return last_part
    return f"{kind}:{last_part}" if last_part else kind


def save_published_run(
    store: Store,
    *,
    model: str,
    signature: str,
    suite_id: int,
    outcomes: pl.DataFrame,
    now: str,
) -> str:
    """Store the outcomes of a model that were published in a file. Call in a transaction.

    The model is the same as a stored one if its name and the file's content are the same: the start
    and the end of `signature`, between which the file's name stands.

    Return the model's name in the store, which is new if another model has that name already.
    """
    _, _, digest = signature.rpartition("|")
    start, end = f"published:{model}|file:", f"|{digest}"
    stored = store.one(
        "SELECT signature FROM model WHERE substr(signature, 1, length(?1)) = ?1 "
        "AND substr(signature, -length(?2)) = ?2",
        (start, end),
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
