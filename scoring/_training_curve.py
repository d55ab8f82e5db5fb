"""A callback of transformers' `Trainer` that scores suites while a model is trained."""

from typing import Any

import polars as pl
import transformers

from .score import score
from .selection import Suites


class ScoringCallback(transformers.TrainerCallback):
    """A callback that scores suites every N training steps.

    Attributes:
        accuracy: a row a step, suite and kind of items so far: `step`, and the columns of `score`'s
            accuracies.
    """

    def __init__(
        self, suites: Suites, tokenizer: Any, every: int, name: str, **options: Any
    ) -> None:
        self._suites, self._tokenizer, self._every, self._name = suites, tokenizer, every, name
        self._options = options  # of `score`
        self._rows: list[pl.DataFrame] = []
        self._last = -1

    @property
    def accuracy(self) -> pl.DataFrame:
        """The accuracies so far, by step."""
        return pl.concat(self._rows) if self._rows else pl.DataFrame({"step": []})

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Score the model after a step that is one of every N."""
        if state.global_step % self._every == 0:
            self._score(kwargs["model"], state)

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Score the trained model."""
        self._score(kwargs["model"], state)

    def _score(self, model: Any, state: Any) -> None:
        step = int(state.global_step)
        if step == self._last or not state.is_world_process_zero:
            return
        self._last = step
        given = (model, self._tokenizer, f"{self._name}@{step}")
        scores = score(self._suites, [given], **self._options)
        table = scores.accuracy(by="kind")
        self._rows.append(table.with_columns(pl.lit(step).alias("step")))
