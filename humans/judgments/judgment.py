"""What people did: one trial a row of a frame, as every import format fills it, and who did it.

Trials are a frame with the columns of `TRIALS` from import to report.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import polars as pl

from ...data.errors import InputError
from ...data.items.item import KINDS as ITEM_KINDS
from ...data.items.item import Item, factors_of
from ...data.registry import nearest
from ...data.tables import frame

KINDS = ("target", "filler", "check", "practice")
"""What a trial is: about an item of the suite, a filler, an attention check, or practice before the
others."""
LABELS: Mapping[str, str] = {  # what experiments call them
    "target": "target", "experiment": "target", "experimental": "target", "critical": "target",
    "test": "target", "filler": "filler", "foil": "filler", "control": "filler",
    "check": "check", "attention": "check", "attention_check": "check", "catch": "check",
    "practice": "practice", "training": "practice", "exercise": "practice",
    "question": "filler", "comprehension": "filler", "comprehension_question": "filler",
}  # fmt: skip
TRIALS: Mapping[str, type] = {
    "participant": str, "session": str, "trial_id": str, "item": str, "source": str,
    "construction": str, "condition": str, "kind": str, "position": int, "list": str,
    "prefix": str, "option_1": str, "option_2": str, "chosen": str, "chosen_index": int,
    "correct_form": str, "correct": int, "rating": float, "rt_ms": float, "at": str,
    "origin": str,
}  # fmt: skip
"""The columns of a frame of trials, one a row; a trial without an answer is a row too.

A missing text is empty, a missing number null. A choice has two options. A rating has the sentence
shown as `option_1`, a `rating`, and neither a choice nor a right answer.

- participant: a pseudonym; never a platform's id, unless an import was told so.
- session: one visit of the person. trial_id: unique; twice the same is a row that was sent twice.
- item, source, construction: of the item; source is its `cluster_id`, which intervals resample.
- condition: original, nonce or the experiment's own.
- kind: target, filler, check or practice; "" while a file is read that does not say.
- position: of the trial in its session, from 1. list: the list of the study that the person saw.
- prefix: the text before the form. option_1, option_2: the options, in the order shown.
- chosen: the text of the option chosen; chosen_index: 0 or 1, its place among the options.
- correct_form: the right option. correct: 1 if `chosen` is `correct_form` (after NFC and trimming),
  else 0; null without an answer. Imports recompute it wherever the texts are known.
- rating: of a rated sentence, on the study's scale. rt_ms: response time in milliseconds.
- at: time of the answer, in UTC. origin: file:line, for messages.
"""
SESSIONS: Mapping[str, type] = {
    "participant": str, "session": str, "status": str, "test_run": bool, "started_at": str,
    "ended_at": str, "duration_s": float, "n_blurs": int,
}  # fmt: skip
"""The columns of a frame of sessions, each one visit of a person (with an empty `session`, all of
them) as a platform tells of it. Statuses are in capitals; `test_run`: made by the researchers
themselves; `n_blurs`: how often the page lost the focus. A column `FACT` and its name follows for
each column about people that was kept by request, null where a session has no such fact."""
FACT = "fact:"  # before the name of a column about people that is kept
PERSON = ("participant",)
SESSION = ("participant", "session")  # who answered, and in which visit
ANSWERED = (pl.col("chosen") != "") | pl.any_horizontal(
    pl.col("chosen_index", "rating").is_not_null()
)
"""Whether a person did something: chose a form (or the place of one), or gave a rating."""
IS_RATING = (
    pl.col("rating").is_not_null()
    & pl.col("chosen_index").is_null()
    & (pl.col("chosen") + pl.col("option_2") == "")
)
"""Whether one sentence was rated, and nothing chosen: a choice may have a rating beside it that
says how sure somebody was."""


def trials_of(rows: Iterable[Mapping[str, str | float | None]]) -> pl.DataFrame:
    """Put answers into a frame of trials.

    Args:
        rows: one for each trial, with columns of `TRIALS`; what a row lacks is missing, and without
            a kind it is a target.

    Returns:
        One row each, in order, with all columns of `TRIALS`.

    >>> trials_of([{"participant": "anna", "item": "i1", "chosen": "are"}])["chosen"].to_list()
    ['are']
    """
    trials = frame(rows, TRIALS).with_columns(pl.col("kind").fill_null("target"))
    return trials.with_columns(pl.selectors.string().fill_null(""))


def no_rows(columns: Mapping[str, type]) -> pl.DataFrame:
    """Return a frame with columns and without rows."""
    return pl.DataFrame(schema=pl.Schema(columns))


def kind_named(label: str) -> str:
    """Return the kind of trial that an experiment's word for it means; "" where it means none."""
    return LABELS.get(label.strip().lower(), "")


def kind_at(label: str, location: str) -> str:
    """Return the kind that a word means. Raises `InputError` for a word that means none."""
    if kind := kind_named(label):
        return kind
    raise InputError(location, f"kind is {label!r}", nearest(label, LABELS), kind="unknown")


def utc(seconds: float, location: str) -> str:
    """Return a time since 1970 as text. Raises `InputError` for a year beyond 9999."""
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        wrong, right = f"{seconds:g} s since 1970 is no date", "write the time as the platform does"
        raise InputError(location, wrong, right, kind="format") from None
    thousandths = "milliseconds" if isinstance(seconds, float) else "seconds"
    return moment.isoformat(timespec=thousandths).replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class Tally:
    """The number of right answers to one item, and of all.

    Attributes:
        item: item id.
        source: the item's `cluster_id`, which intervals resample.
        construction: the item's construction; "" where it has none.
        condition: the item's kind: original, nonce or another.
        right: right answers, from 0 to `total`.
        total: all answers; 0 for an item without data.
        n_attractors: attractors of the item; None where not known.
    """

    item: str
    source: str
    construction: str
    condition: str
    right: int
    total: int
    n_attractors: int | None = None

    @property
    def share(self) -> float:
        """Return the share of right answers, from 0 to 1; not defined for a total of 0."""
        return self.right / self.total

    @property
    def majority(self) -> float:
        """1 where more answers are right than wrong, ½ where as many are, else 0."""
        return (self.right * 2 > self.total) + (self.right * 2 == self.total) / 2


def levels(conditions: Iterable[str]) -> tuple[str, ...]:
    """Return each condition once: kinds of item in their own order (originals before nonce
    variants), then others by name."""
    seen = set(conditions)
    return (*[kind for kind in ITEM_KINDS if kind in seen], *sorted(seen.difference(ITEM_KINDS)))


def tallied(item: Item, right: int, total: int) -> Tally:
    """Make the tally of an item from two counts.

    Args:
        item: the item, which gives source, construction, kind and number of attractors.
        right: right answers.
        total: all answers.

    Returns:
        The tally.

    >>> import colorless_green as cg
    >>> from pathlib import Path
    >>> _ = Path("pairs.csv").write_text("good,bad\\nThe keys are here.,The keys is here.\\n")
    >>> tallied(cg.load_suite("pairs.csv", language="en").items[0], right=9, total=10).share
    0.9
    """
    factors = factors_of(item)
    return Tally(
        item=item.item_id,
        source=item.cluster_id,
        construction=factors["construction"],
        condition=item.kind,
        right=right,
        total=total,
        n_attractors=int(factors["n_attractors"]) if factors["n_attractors"] else None,
    )


def tallies(trials: pl.DataFrame, items: Mapping[str, Item]) -> tuple[Tally, ...]:
    """Count right and all answers for each item with a target trial.

    Fillers, checks, practice, ratings and missing answers are not counted; an item whose every
    answer is missing has a total of 0.

    Args:
        trials: single answers, with the columns of `TRIALS`.
        items: item id → item, of all targets among them.

    Returns:
        A tally for each item, in the order in which the items first come.

    >>> import colorless_green as cg
    >>> from pathlib import Path
    >>> _ = Path("pairs.csv").write_text("good,bad\\nThe keys are here.,The keys is here.\\n")
    >>> item = cg.load_suite("pairs.csv", language="en").items[0]
    >>> said = ("anna", "The keys are here.", 1), ("bert", "The keys is here.", 0)
    >>> answers = [{"participant": who, "item": item.item_id, "chosen": form, "correct": right}
    ...            for who, form, right in said]
    >>> [(found.right, found.total) for found in tallies(trials_of(answers), {item.item_id: item})]
    [(1, 2)]
    """
    has_form = (pl.col("correct_form") != "") | (pl.col("chosen") != "")
    counts = (
        trials.filter(has_form, kind="target")
        .group_by("item", maintain_order=True)
        .agg(pl.col("correct").sum(), pl.col("correct").count().alias("total"))
    )
    return tuple(tallied(items[item], right, total) for item, right, total in counts.iter_rows())
