"""A learning curve from inside a training: suites are scored every so many steps."""

from pathlib import Path
from typing import Any

from ..data.registry import load
from ..data.store import StoreLike
from ..data.validate import demand_at_least
from .models.backends import GROUP
from .outcomes.method import Method
from .selection import Suites

CALLBACKS = {"training": ".scoring._training_curve:ScoringCallback"}


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
    callback = load(CALLBACKS, "training", "callback", GROUP)
    return callback(suites, tokenizer, every, name, method=method, store=store)
