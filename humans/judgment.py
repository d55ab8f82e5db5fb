"""What people did: one answer a row, as every import format fills it, and who gave it."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from colorless_green.data.errors import InputError
from colorless_green.data.registry import nearest
from colorless_green.nonce.item import Item, factors_of

QUESTION = "question"  # on what was read: a sort of trial and a task
KINDS = ("target", "filler", "check", "practice", QUESTION)
LABELS: Mapping[str, str] = {  # what experiments call them
    "target": "target", "experiment": "target", "experimental": "target", "critical": "target",
    "test": "target", "filler": "filler", "foil": "filler", "control": "filler",
    "check": "check", "attention": "check", "attention_check": "check", "catch": "check",
    "practice": "practice", "training": "practice", "exercise": "practice",
    "question": QUESTION, "comprehension": QUESTION, "comprehension_question": QUESTION,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Judgment:
    """A trial. Empty strings and `None` mean missing; no answer is a row of its own.

    A choice has the two options; a rating has the sentence shown as `option_1`, a `rating`, and
    neither a choice nor a right answer. `correct` is always recomputed from
    `chosen == correct_form` (after NFC and trimming).
    """

    participant: str  # opaque; never a platform's id
    session: str = ""
    trial_id: str = ""  # unique; drops rows that were sent twice
    item: str = ""  # item_id
    source: str = ""  # cluster_id: what intervals resample
    construction: str = ""
    condition: str = ""  # original, nonce or the experiment's own
    kind: str = "target"  # one of KINDS; while a file is read "" where it does not say
    position: int | None = None  # 1-based among the judgments of the session
    list: str = ""
    prefix: str = ""
    option_1: str = ""  # in the order shown
    option_2: str = ""
    chosen: str = ""
    chosen_index: int | None = None  # 0 or 1
    correct_form: str = ""
    correct: int | None = None  # 0 or 1; None for no answer
    rating: float | None = None
    rt_ms: float | None = None
    at: str = ""  # UTC
    origin: str = ""  # file:line, for messages


def cells_of(record: Any) -> dict[str, Any]:
    """The fields of one of these records by name; unlike `asdict`, no copies of their values."""
    return {name: getattr(record, name) for name in record.__slots__}


def kind_named(label: str) -> str:
    """The sort of trial that an experiment's own word for it means; "" where it means none."""
    return LABELS.get(label.strip().lower(), "")


def kind_at(label: str, place: str) -> str:
    """As `kind_named`. Raises `InputError` for a word that means none."""
    if kind := kind_named(label):
        return kind
    raise InputError(place, f"kind is {label!r}", nearest(label, LABELS), kind="unknown")


def answered(judgment: Judgment) -> bool:
    """Whether the person did something: chose a form (or the place of one), or gave a rating."""
    return bool(judgment.chosen or judgment.chosen_index is not None or judgment.rating is not None)


def rates(judgment: Judgment) -> bool:
    """Whether one sentence was rated, and nothing chosen: a choice may have a rating beside it
    that says how sure somebody was."""
    chose = judgment.chosen or judgment.option_2 or judgment.chosen_index is not None
    return judgment.rating is not None and not chose


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One word of a sentence that was read word by word, and how long it stood there."""

    participant: str
    session: str
    trial_id: str  # the same for all words of a trial
    item: str
    shown: str = ""  # the item's condition whose sentence this is
    source: str = ""
    construction: str = ""
    condition: str
    kind: str  # one of KINDS
    sentence: str
    word_index: int  # from 0
    word: str
    rt_ms: float | None
    at: str
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Session:
    """What a platform says of one visit of a person; with an empty `session`, of all of them."""

    participant: str
    session: str = ""
    status: str = ""  # the platform's word in capitals: APPROVED, REJECTED, FINISHED
    test_run: bool = False  # made by the researchers themselves
    started_at: str = ""  # UTC where the platform says so, else as the file has it
    ended_at: str = ""
    duration_s: float | None = None
    n_blurs: int | None = None  # how often the page lost the focus; None where nobody looked
    facts: Mapping[str, str] = field(default_factory=dict)  # columns kept by request


def session_of(trial: Judgment | Reading) -> tuple[str, str]:
    """Who, and in which visit."""
    return trial.participant, trial.session


def is_among(trial: Judgment | Reading, sessions: Collection[tuple[str, str]]) -> bool:
    """Whether the trial is of one of these sessions; one without a name stands for all of a
    person's."""
    return session_of(trial) in sessions or (trial.participant, "") in sessions


@dataclass(frozen=True, slots=True)
class Tally:
    """Aggregated judgments of one item: 0 ≤ right ≤ total; a total of 0 is an item without data."""

    item: str
    source: str
    construction: str
    condition: str
    right: int
    total: int
    n_attractors: int | None = None

    @property
    def share(self) -> float:
        """Of right answers, where there are any."""
        return self.right / self.total


def tallied(item: Item, right: int, total: int) -> Tally:
    """The tally of an item that `right` of `total` people answered correctly."""
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


def tallies(judgments: Iterable[Judgment], items: Mapping[str, Item]) -> tuple[Tally, ...]:
    """One tally for each item with a target trial, in order of the items' first appearance.

    Fillers, checks, practice and ratings are left out, and so are missing answers: an item whose
    every answer is missing has a total of 0. `items` maps item ids to items.
    """
    counts: dict[str, list[int]] = {}
    for judgment in judgments:
        if judgment.kind != "target" or not (judgment.correct_form or judgment.chosen):
            continue
        count = counts.setdefault(judgment.item, [0, 0])
        if judgment.correct is not None:
            count[0] += judgment.correct
            count[1] += 1
    return tuple(tallied(items[item], right, total) for item, (right, total) in counts.items())
