"""Judgments as rows of the store, and back; runs and outcomes as the comparison wants them."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from colorless_green.data.errors import InputError
from colorless_green.data.store import Store
from colorless_green.humans.judgment import Judgment, Tally
from colorless_green.humans.rated import Credits, averaged
from colorless_green.scoring.accuracy import RunLabel
from colorless_green.scoring.outcome import Outcome, outcomes_frame, outcomes_in
from colorless_green.scoring.rows import load_outcomes, save_run

Record = TypeVar("Record")


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run with its model, as the report shows it."""

    label: RunLabel
    signature: str
    device: str
    about: Mapping[str, Any]  # the model.json of a trained model, or empty
    exposed: int | None
    outcomes: tuple[Outcome, ...]
    prediction: str  # the suite's first
    part: str = ""  # which items were asked for, where not all were

    def credits(self) -> Credits:
        """Item → (credit, margin) under the suite's first prediction."""
        return {
            each.item_id: (each.credit, each.margin_bits)
            for each in self.outcomes
            if each.prediction == self.prediction
        }


@dataclass(frozen=True, slots=True)
class StoredJudgments:
    """The judgments of a suite, counted up by item."""

    name: str
    simulated: bool
    tallies: tuple[Tally, ...]
    answers: tuple[Judgment, ...] = ()  # that count, where it is known who gave them


USUAL = "target"  # the method of agreement suites
NO_JUDGMENTS = StoredJudgments("", False, ())


def load_judgments(store: Store, suite_id: int) -> StoredJudgments:
    """All judgments of a suite, those of several imports added up; `NO_JUDGMENTS` if none."""
    sets = list(
        store.rows(
            "SELECT name, simulated FROM judgment_set WHERE suite_id = ? ORDER BY judgment_set_id",
            (suite_id,),
        )
    )
    if not sets:
        return NO_JUDGMENTS
    pooled: dict[str, Tally] = {}
    for tally in records_of(store, suite_id, "tally", Tally):
        if (before := pooled.get(tally.item)) is not None:
            right, total = before.right + tally.right, before.total + tally.total
            tally = replace(tally, right=right, total=total)
        pooled[tally.item] = tally
    return StoredJudgments(
        name=", ".join(str(each["name"]) for each in sets),
        simulated=any(each["simulated"] for each in sets),
        tallies=tuple(pooled.values()),
        answers=tuple(records_of(store, suite_id, "judgment", Judgment)),
    )


def records_of(
    store: Store, suite_id: int, table: str, record: Callable[..., Record], where: str = ""
) -> list[Record]:
    """The records of a table that the imports of a suite have, in their order; `where` is a
    further condition in SQL."""
    query = (
        f"SELECT {table}.record FROM {table} JOIN judgment_set USING (judgment_set_id) "
        f"WHERE suite_id = ? {where} ORDER BY {table}.rowid"
    )
    rows = store.connection.execute(query, (suite_id,))
    return [record(**each) for each in json.loads(f"[{','.join(text for (text,) in rows)}]")]


def judged_or_scored(store: Store) -> int:
    """The id of the suite that was scored or judged last. Raises `InputError` if none was."""
    row = store.one(
        "SELECT suite_id FROM (SELECT suite_id, used FROM run UNION ALL "
        "SELECT suite_id, used FROM judgment_set) "
        "WHERE suite_id IS NOT NULL ORDER BY used DESC LIMIT 1"
    )
    if row is None:
        right = "colorless score, or humans import"
        raise InputError(str(store.path), "nothing is scored or judged yet", right, kind="empty")
    return int(row["suite_id"])


def load_runs(
    store: Store, suite_id: int, suite_name: str, run_ids: Collection[int] | None = None
) -> list[StoredRun]:
    """The newest run of every model on a suite, in the order in which the models came; `part` says
    where it covers only some of the items. With `run_ids` of these runs, and no others."""
    wanted = "finished = 1"
    if run_ids is not None:
        wanted = f"run_id IN ({', '.join('?' * len(run_ids))})"
    rows = store.rows(
        "SELECT run_id FROM (SELECT run_id, model_id, ROW_NUMBER() OVER (PARTITION BY model_id "
        f"ORDER BY used DESC, run_id DESC) AS place FROM run WHERE suite_id = ? AND {wanted}) "
        "WHERE place = 1 ORDER BY model_id",
        (suite_id, *(run_ids or ())),
    )
    return [_stored_run(store, int(row["run_id"]), suite_name) for row in list(rows)]


def outcomes_of(runs: Sequence[StoredRun]) -> dict[str, Credits]:
    """Every model by its name, then, by the group's name, the mean of the models of every group
    that has several: the seeds of one setting are one rater, and no sample to test over."""
    found = {run.label.model: run.credits() for run in runs}
    groups: dict[str, list[Credits]] = {}
    for run in runs:
        if run.label.group:
            groups.setdefault(run.label.group, []).append(run.credits())
    for group, credits in groups.items():
        if len(credits) > 1:
            found.setdefault(group, averaged(credits))
    return found


def told_apart(runs: Sequence[StoredRun]) -> Iterator[str]:
    """What a reader must know of runs that stand side by side: how each was asked, where that is
    not the usual way or not the same for all."""
    methods = {run.label.method for run in runs}
    for run in runs:
        if len(methods) > 1 or run.label.method != USUAL:
            yield f"{run.label.model}: asked by {run.label.method}"
        if run.part:
            yield f"{run.label.model}: {run.part}"


def short_labels(names: Sequence[str]) -> Mapping[str, str]:
    """Labels without the folders of a path: `ngram:demo/models/ngram` is `ngram`.

    A name whose short form is another's too keeps its whole length.
    """
    found = {}
    for name in names:
        kind, colon, path = name.partition(":")
        last = path.replace("\\", "/").rstrip("/").rpartition("/")[2]
        found[name] = name if not colon else last if last.startswith(kind) else (
            f"{kind}:{last}" if last else kind
        )  # fmt: skip
    labels = list(found.values())
    return {name: each if labels.count(each) == 1 else name for name, each in found.items()}


def _stored_run(store: Store, run_id: int, suite_name: str) -> StoredRun:
    row = store.one(
        'SELECT run.method, run.options, run.exposed, model.name, model."group", model.signature, '
        "model.device, model.about FROM run JOIN model USING (model_id) WHERE run_id = ?",
        (run_id,),
    )
    assert row is not None
    outcomes = tuple(outcomes_in(load_outcomes(store, run_id)))
    options: dict[str, str] = json.loads(row["options"])
    parts = (("limit", "the first {} items only"), ("sample", "{} items of each construction only"))
    return StoredRun(
        label=RunLabel(str(run_id), row["name"], row["group"], row["method"], suite_name),
        signature=row["signature"],
        device=row["device"],
        about=json.loads(row["about"]),
        exposed=row["exposed"],
        outcomes=outcomes,
        prediction=options.get("prediction", outcomes[0].prediction if outcomes else ""),
        part=", ".join(text.format(options[name]) for name, text in parts if name in options),
    )


def save_published_run(
    store: Store,
    *,
    model: str,
    signature: str,
    suite_id: int,
    outcomes: Sequence[Outcome],
    now: str,
) -> None:
    """A model whose numbers came with a file: known by that file. Call in a transaction."""
    known = store.one("SELECT model_id FROM model WHERE signature = ?", (signature,))
    blank = dict.fromkeys(("spec", "group", "device"), "")
    row = {"signature": signature, "name": model, **blank, "about": "{}"}
    model_id = int(known["model_id"]) if known else store.insert("model", row)
    save_run(
        store,
        model_id=model_id,
        suite_id=suite_id,
        method="target",
        options={"oov": "keep", "ties": "share"},
        exposed=None,
        outcomes=outcomes_frame(outcomes),
        now=now,
    )
