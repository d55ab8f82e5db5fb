"""Trials of people as a frame with a row per trial, their sessions, and tallies by item.

From import to report, trials are a frame with the columns of `TRIALS`.
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
"""The kinds of trial: a target is about an item of the suite, a check tests attention, and practice
comes before all others."""
LABELS: Mapping[str, str] = {  # words that experiments use → kind of trial
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
- session: one visit of the person. trial_id: unique; a second row with the same was sent twice.
- item: item id. source: the item's `cluster_id`, over which intervals are computed.
- construction: of the item. condition: original, nonce or the experiment's own.
- kind: target, filler, check or practice; "" if the file does not say, until that is resolved.
- position: place of the trial in its session, from 1. list: the study's list that the person saw.
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
"""The columns of a frame of sessions: what a platform says of one visit of a person. A row with an
empty `session` is about all visits of the person. Statuses are in capitals; `test_run`: the session
is the researchers' own; `n_blurs`: how often the page lost the focus. For each column about people
that the user asked to keep, a column `fact:NAME` follows, null if the session has no value."""
FACT = "fact:"  # prefix of the names of columns about people
PERSON = ("participant",)  # columns that identify a person
SESSION = ("participant", "session")  # columns that identify a session
ANSWERED = (pl.col("chosen") != "") | pl.any_horizontal(
    pl.col("chosen_index", "rating").is_not_null()
)
"""True for trials with an answer: a form or the place of an option, or a rating."""
IS_RATING = (
    pl.col("rating").is_not_null()
    & pl.col("chosen_index").is_null()
    & (pl.col("chosen") + pl.col("option_2") == "")
)
"""True for trials in which one sentence was rated. A choice is none of these, even if it has a
rating that says how sure the person was."""


def trials_of(rows: Iterable[Mapping[str, str | float | None]]) -> pl.DataFrame:
    """Put answers into a frame of trials.

    Args:
        rows: one for each trial, with any columns of `TRIALS`; the others are missing values. A row
            without a kind is a target.

    Returns:
        A frame with these trials, in order, and all columns of `TRIALS`.

    >>> trials_of([{"participant": "anna", "item": "i1", "chosen": "are"}])["chosen"].to_list()
    ['are']
    """
    trials = frame(rows, TRIALS).with_columns(pl.col("kind").fill_null("target"))
    return trials.with_columns(pl.selectors.string().fill_null(""))


def no_rows(columns: Mapping[str, type]) -> pl.DataFrame:
    """Return a frame that has these columns and no rows."""
    return pl.DataFrame(schema=pl.Schema(columns))


def kind_named(label: str) -> str:
    """Translate an experiment's word for a kind of trial into ours; "" for an unknown word."""
    return LABELS.get(label.strip().lower(), "")


def kind_at(label: str, location: str) -> str:
    """Translate a word for a kind of trial into ours. Raises `InputError` for an unknown word."""
    if kind := kind_named(label):
        return kind
    raise InputError(location, f"kind is {label!r}", nearest(label, LABELS), kind="unknown")


def utc(seconds: float, location: str) -> str:
    """Write seconds since 1970 as a UTC time such as `2026-01-31T12:00:00Z`.

    A float gets milliseconds, too. Raises `InputError` for a year beyond 9999.
    """
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        wrong, right = f"{seconds:g} s since 1970 is no date", "write the time as the platform does"
        raise InputError(location, wrong, right, kind="format") from None
    precision = "milliseconds" if isinstance(seconds, float) else "seconds"
    return moment.isoformat(timespec=precision).replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class Tally:
    """The numbers of right answers and of all answers to one item.

    Attributes:
        item: item id.
        source: the item's `cluster_id`, over which intervals are computed.
        construction: the item's construction; "" if it has none.
        condition: the item's kind, such as original or nonce.
        right: number of right answers, from 0 to `total`.
        total: number of all answers; 0 if nobody answered.
        n_attractors: number of attractors of the item; None if unknown.
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
        """The share of right answers, from 0 to 1; undefined for a total of 0."""
        return self.right / self.total

    @property
    def majority(self) -> float:
        """1 if more answers are right than wrong, ½ for a tie, else 0."""
        n_wrong = self.total - self.right
        return 0.5 if self.right == n_wrong else float(self.right > n_wrong)


def levels(conditions: Iterable[str]) -> tuple[str, ...]:
    """Return each condition once: first kinds of item, originals before nonce variants, then other
    conditions by name."""
    present = set(conditions)
    kinds = [kind for kind in ITEM_KINDS if kind in present]
    return (*kinds, *sorted(present.difference(ITEM_KINDS)))


def tally_of(item: Item, right: int, total: int) -> Tally:
    """Make the tally of an item from two counts.

    Args:
        item: the item; its source, construction, kind and number of attractors go into the tally.
        right: number of right answers.
        total: number of all answers.

    Returns:
        The tally.

    >>> import colorless_green as cg
    >>> from pathlib import Path
    >>> _ = Path("pairs.csv").write_text("good,bad\\nThe keys are here.,The keys is here.\\n")
    >>> tally_of(cg.load_suite("pairs.csv", language="en").items[0], right=9, total=10).share
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

    Fillers, checks, practice, ratings and missing answers are not counted; an item whose answers
    are all missing has a total of 0.

    Args:
        trials: single answers, with the columns of `TRIALS`.
        items: item id → item, for all target trials.

    Returns:
        A tally for each item, in the order in which items first occur in the trials.

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
    return tuple(tally_of(items[item], right, total) for item, right, total in counts.iter_rows())
