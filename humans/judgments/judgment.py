"""What people did: one trial a row of a frame, as every import format fills it, and who did it.

Trials are a frame with the columns of `TRIALS` from import to report; `judgments_of` makes records
of its rows for whoever counts single answers.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import starmap
from types import NoneType
from typing import get_args, get_type_hints

import polars as pl

from ...data.errors import InputError
from ...data.items.item import KINDS as ITEM_KINDS
from ...data.items.item import Item, factors_of
from ...data.registry import nearest

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


@dataclass(frozen=True, slots=True)
class Judgment:
    """One trial of one person; a trial without an answer is a row too.

    An empty text and `None` mean missing. A choice has two options. A rating has the sentence shown
    as `option_1`, a `rating`, and neither a choice nor a right answer.

    Attributes:
        participant: a pseudonym; never a platform's id, unless an import was told so.
        session: one visit of the person.
        trial_id: unique; the same id twice is a row that was sent twice.
        item: item id.
        source: the item's `cluster_id`, which intervals resample.
        construction: the item's construction.
        condition: original, nonce or the experiment's own.
        kind: target, filler, check or practice; "" while a file is read that does not say.
        position: of the trial in its session, from 1.
        list: the list of the study that the person saw.
        prefix: the text before the form.
        option_1: the first option, in the order shown.
        option_2: the second option.
        chosen: the text of the option chosen.
        chosen_index: 0 or 1, the place of the option chosen; None where it is not known.
        correct_form: the text of the right option.
        correct: 1 if `chosen` is `correct_form` (after NFC and trimming), else 0; None without an
            answer. Imports recompute it wherever the texts are known.
        rating: of a rated sentence, on the study's scale.
        rt_ms: response time in milliseconds.
        at: time of the answer, in UTC.
        origin: file:line, for messages.
    """

    participant: str
    session: str = ""
    trial_id: str = ""
    item: str = ""
    source: str = ""
    construction: str = ""
    condition: str = ""
    kind: str = "target"
    position: int | None = None
    list: str = ""
    prefix: str = ""
    option_1: str = ""
    option_2: str = ""
    chosen: str = ""
    chosen_index: int | None = None
    correct_form: str = ""
    correct: int | None = None
    rating: float | None = None
    rt_ms: float | None = None
    at: str = ""
    origin: str = ""


TRIALS: Mapping[str, type] = {
    name: next(t for t in (*get_args(kind), kind) if t is not NoneType)
    for name, kind in get_type_hints(Judgment).items()
}
"""The columns of a frame of trials: text is never null and empty where it is missing."""
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


def trials_of(judgments: Iterable[Judgment]) -> pl.DataFrame:
    """Put records into a frame of trials.

    Args:
        judgments: one for each trial.

    Returns:
        One row each, in order, with the columns of `TRIALS`.

    >>> trials_of([Judgment("anna", item="i1", chosen="are")])["chosen"].to_list()
    ['are']
    """
    rows = [tuple(getattr(judgment, name) for name in TRIALS) for judgment in judgments]
    return pl.DataFrame(rows, pl.Schema(TRIALS), orient="row")


def judgments_of(trials: pl.DataFrame) -> tuple[Judgment, ...]:
    """Return the rows of a frame of trials as records."""
    return tuple(starmap(Judgment, trials.select(*TRIALS).iter_rows()))


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


def rates(judgment: Judgment) -> bool:
    """Tell whether one sentence was rated, and nothing chosen: a choice may have a rating beside
    it that says how sure somebody was."""
    chose = judgment.chosen or judgment.option_2 or judgment.chosen_index is not None
    return judgment.rating is not None and not chose


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
    >>> answers = [Judgment("anna", item=item.item_id, chosen="The keys are here.", correct=1),
    ...            Judgment("bert", item=item.item_id, chosen="The keys is here.", correct=0)]
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
