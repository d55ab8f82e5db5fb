"""One answer of one participant to one item, as every import format fills it."""

from dataclasses import dataclass

KINDS = ("target", "filler", "check", "practice")


@dataclass(frozen=True, slots=True)
class Judgment:
    """A trial. Empty strings and `None` mean missing; no answer is a row of its own.

    `correct` is always recomputed from `chosen == correct_form` (after NFC and trimming).
    """

    participant: str  # opaque; never a platform's id
    session: str
    trial_id: str  # unique; drops rows that were sent twice
    item: str  # item_id
    source: str  # cluster_id: what intervals resample
    construction: str
    condition: str  # original, nonce or the experiment's own
    kind: str  # one of KINDS
    position: int | None  # 1-based among the judgments of the session
    list: str
    prefix: str
    option_1: str  # in the order shown
    option_2: str
    chosen: str
    chosen_index: int | None  # 0 or 1
    correct_form: str
    correct: int | None  # 0 or 1; None for no answer
    rating: float | None
    rt_ms: float | None
    at: str  # UTC
    origin: str  # file:line, for messages


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
