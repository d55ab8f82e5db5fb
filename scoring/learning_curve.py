"""Score suites every N steps of a training by transformers, for a learning curve."""

from pathlib import Path
from typing import Any

import polars as pl

from ..data.registry import load
from ..data.store import StoreLike
from ..data.validate import demand_at_least
from .outcomes.method import Method
from .score import score
from .selection import Suites

TRANSFORMERS = {"callback": "transformers:TrainerCallback"}


def scoring_callback(
    suites: Suites,
    tokenizer: Any,
    *,
    every: int = 500,
    name: str = "training",
    method: Method | str | Path | None = None,
    store: StoreLike = None,
) -> Any:
    """Return a callback of transformers' `Trainer` that scores suites every N training steps.

    The model is asked as it is, in evaluation mode, and trained on. Each time it is a model of its
    own in the store, `NAME@STEP`, so that `compare` and `report` show the curve.

    Args:
        suites: what `score` takes.
        tokenizer: the model's.
        every: training steps from one time to the next; the end of the training counts, too.
        name: of the models in tables, before `@STEP`.
        method: how the model is asked, as `score` takes it.
        store: where scores are kept.

    Returns:
        The callback, for `Trainer(..., callbacks=[callback])`. Its `accuracy` is a frame with a row
        a step, suite and kind of items so far: `step`, and the columns of `score`'s accuracies.

    Raises:
        InputError: fewer than one step, or transformers is not installed.

    >>> import colorless_green as cg
    >>> from pathlib import Path
    >>> _ = Path("pairs.csv").write_text("good,bad\\nThe keys are old.,The keys is old.\\n")
    >>> callback = cg.scoring_callback("pairs.csv", None, every=100, method="sentence")
    >>> callback.accuracy.height
    0
    """
    demand_at_least(1, every=every)
    base: Any = load(TRANSFORMERS, "callback", "callback", "")  # imported when it is needed
    accuracies: list[pl.DataFrame] = []  # one for each time

    class ScoringCallback(base):  # type: ignore[misc]  # its type is not known before the import
        """A callback that scores the suites during a training and keeps the accuracies."""

        last_step = -1  # the step of the last time; none yet

        @property
        def accuracy(self) -> pl.DataFrame:
            """The accuracies at each step so far."""
            return pl.concat(accuracies) if accuracies else pl.DataFrame({"step": []})

        def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            """Score the model after every Nth step."""
            if state.global_step % every == 0:
                self.on_train_end(args, state, control, **kwargs)

        def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            """Score the model, unless it was scored after the same step."""
            step = int(state.global_step)
            # of several processes that train together, only the first one scores
            if step == self.last_step or not state.is_world_process_zero:
                return
            self.last_step = step
            model = (kwargs["model"], tokenizer, f"{name}@{step}")
            scores = score(suites, [model], method=method, store=store)
            accuracies.append(scores.accuracy(by="kind").with_columns(step=pl.lit(step)))

    return ScoringCallback()
