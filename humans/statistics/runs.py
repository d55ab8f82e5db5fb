"""Runs of the store, their outcomes as the comparison wants them, and how they are called."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...data.errors import InputError
from ...data.store import Store
from ...scoring.outcomes.score_rows import keep_model, load_outcomes, save_run
from ...scoring.questions.outcome import OOV, OOV_KEPT, Outcome, outcomes_frame, outcomes_in
from .rater_accuracy import Credits, averaged

USUAL = "target"  # the method of agreement suites


READ: Mapping[str, str] = {  # how signatures of models begin that did not run here → where from
    "published:": "a published file",
    "model:table|": "a table of surprisals",
}
TOY = "toy"  # where no reason is told


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run with its model, as comparison and report show it."""

    run_id: int
    model: str  # the name that accuracies, outcomes and comparisons use
    group: str  # models of one group are seeds of one setting
    method: str
    signature: str
    device: str
    about: Mapping[str, Any]  # the model.json of a trained model, or empty
    exposed: int | None  # originals in its training text
    outcomes: tuple[Outcome, ...]
    prediction: str  # the suite's first
    part: str = ""  # which items were asked for, where not all were

    @property
    def perplexity(self) -> float | None:
        """Per word, on held-out text."""
        return self.about.get("held_out_perplexity")

    @property
    def toy(self) -> str:
        """Why a model is too small or untrained to stand for anything, as its card says, or that it
        is so; empty of any other. A model that failed the sanity gate is a toy, too."""
        flag = self.about.get("toy") or self.about.get("sanity")
        reason = flag if isinstance(flag, str) else self.about.get("toy_reason")
        return str(reason or TOY) if flag else ""

    @property
    def unknown(self) -> frozenset[str]:
        """Items with a scored word outside the vocabulary."""
        outcomes = (outcome for outcome in self.outcomes if outcome.prediction == self.prediction)
        return frozenset(e.item_id for e in outcomes if {OOV, OOV_KEPT} & set(e.note.split(";")))

    @property
    def read_from(self) -> str:
        """Where its numbers were read; empty of a model that ran here."""
        return next(
            (source for begin, source in READ.items() if self.signature.startswith(begin)), ""
        )

    @property
    def policy(self) -> str:
        """What its numbers depend on beside itself: method, first token, unit, number type."""
        fields = dict(part.partition(":")[::2] for part in self.signature.split("|"))
        unit = "subwords" if "tokenizer" in fields else "words"
        parts = [f"method {self.method}"]
        if not self.read_from:
            bos = fields.get("bos") or "none"
            parts += [f"first token {'id ' * bos.isdecimal()}{bos}", f"unit {unit}"]
            parts += [fields["dtype"]] if "dtype" in fields else []
        return ", ".join(parts)

    def credits(self) -> Credits:
        """Item → (credit, margin) under the suite's first prediction."""
        return {
            outcome.item_id: (outcome.credit, outcome.margin_bits)
            for outcome in self.outcomes
            if outcome.prediction == self.prediction
        }


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


def newest_note(suite: str) -> str:
    """Say that a suite was chosen since nothing was named.

    >>> newest_note("blimp")
    'suite blimp, the one that was scored or judged last'
    """
    return f"suite {suite}, the one that was scored or judged last"


def load_runs(
    store: Store, suite_id: int, run_ids: Collection[int] | None = None
) -> list[StoredRun]:
    """The newest run of every model on a suite, in the order in which the models came; `part` says
    where it covers only some of the items. With `run_ids` of these runs, and no others."""
    condition = "finished = 1"
    if run_ids is not None:
        condition = f"run_id IN ({', '.join('?' * len(run_ids))})"
    rows = store.rows(
        "SELECT run_id FROM (SELECT run_id, model_id, ROW_NUMBER() OVER (PARTITION BY model_id "
        f"ORDER BY used DESC, run_id DESC) AS place FROM run WHERE suite_id = ? AND {condition}) "
        "WHERE place = 1 ORDER BY model_id",
        (suite_id, *(run_ids or ())),
    )
    return [_stored_run(store, int(row["run_id"])) for row in list(rows)]


def outcomes_of(runs: Sequence[StoredRun]) -> dict[str, Credits]:
    """Every model by its name, then, by the group's name, the mean of the models of every group
    that has several: the seeds of one setting are one rater, and no sample to test over."""
    outcomes = {run.model: run.credits() for run in runs}
    groups: dict[str, list[Credits]] = {}
    for run in runs:
        if run.group:
            groups.setdefault(run.group, []).append(run.credits())
    for group, credits in groups.items():
        if len(credits) > 1:
            outcomes.setdefault(group, averaged(credits))
    return outcomes


def run_notes(runs: Sequence[StoredRun]) -> Iterator[str]:
    """What a reader must know of runs that stand side by side: how each was asked, where that is
    not the usual way or not the same for all."""
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


def _stored_run(store: Store, run_id: int) -> StoredRun:
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
        run_id=run_id,
        model=row["name"],
        group=row["group"],
        method=row["method"],
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
) -> str:
    """A model whose numbers came with a file: known by its name there and the file's content (the
    ends of `signature`). Its name in the store: another if one of other numbers has that already.
    Call in a transaction."""
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
        outcomes=outcomes_frame(outcomes),
        now=now,
    )
    return name
