"""From a plan to what tests look at: what a model was asked, its answers, the outcomes alone."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from colorless_green.data import Suite
from colorless_green.scoring import (
    Answers,
    JudgingRules,
    Outcome,
    Plan,
    Query,
    Score,
    Surprisals,
    answer_plan,
    outcomes_in,
    outcomes_of,
    packed_answers,
    surprisal_of,
)

Given = Iterable[tuple[NDArray[np.int64], Answers]]


def outcomes(
    suite: Suite, plan: Plan, given: Given, judge: JudgingRules, metric: str = "sum"
) -> list[Outcome]:
    return list(outcomes_in(outcomes_of(suite, plan, surprisal_of(plan, given, metric), judge)))


@dataclass
class Same:
    """Answers everything alike; notes what it was asked."""

    answer: Surprisals = field(default_factory=lambda: Surprisals((), (), ()))
    unit: str = "text"
    signature: str = "same"
    asked: list[Query] = field(default_factory=list)

    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        for query in queries:
            self.asked.append(query)
            yield Score((self.answer,) * len(query.continuations))


def queries(plan: Plan) -> list[Query]:
    """Return what a model is asked that answers a plan query by query (and refuses each)."""
    model = Same(Surprisals((), (), (), refused="not read"), plan.unit)
    list(answer_plan(model, plan))
    return model.asked


def exact(found: Answers) -> list[bytes]:
    """Each answer, to the last bit."""
    return [packed_answers(found.take(np.array([n]))) for n in range(len(found))]


def told(given: Given) -> dict[int, bytes]:
    """Row of the questions → the answer, to the last bit."""
    return {
        row: each
        for rows, found in given
        for row, each in zip(rows.tolist(), exact(found), strict=True)
    }
