"""A callback of transformers' `Trainer` that scores suites while a model is trained."""

from typing import Any

import polars as pl
import transformers

from .learning_curve import CurveRequest
from .score import score


class ScoringCallback(transformers.TrainerCallback):
    """A callback that scores suites every N training steps.

    Attributes:
        request: what is scored, and how often.
        accuracy: a row a step, suite and kind of items so far: `step`, and the columns of `score`'s
            accuracies.
    """

    def __init__(self, request: CurveRequest) -> None:
        self.request = request
        self._rows: list[pl.DataFrame] = []
        self._last = -1

    @property
    def accuracy(self) -> pl.DataFrame:
        """The accuracies so far, by step."""
        return pl.concat(self._rows) if self._rows else pl.DataFrame({"step": []})

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Score the model after a step that is one of every N."""
        if state.global_step % self.request.every == 0:
            self._score(kwargs["model"], state)

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Score the trained model."""
        self._score(kwargs["model"], state)

    def _score(self, model: Any, state: Any) -> None:
        step, request = int(state.global_step), self.request
        if step == self._last or not state.is_world_process_zero:
            return
        self._last = step
        given = (model, request.tokenizer, f"{request.name}@{step}")
        scores = score(request.suites, [given], method=request.method, store=request.store)
        table = scores.accuracy(by="kind")
        self._rows.append(table.select(pl.lit(step).alias("step"), pl.all()))
