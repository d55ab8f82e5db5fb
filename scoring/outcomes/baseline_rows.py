"""The audit's baselines beside models: guesses without grammar, on the items they answered."""

from collections.abc import Sequence

import polars as pl

from ...data.items.suite import Suite
from ...data.progress import Progress, silent
from ...data.store import Store
from ...nonce.audit.audit import suite_guesses
from ...nonce.audit.baselines import CUE_FINDERS
from ..questions.outcome import OUTCOMES
from .run import BASELINE, Run

FINDS_CUE = "finds the cue"  # the policy of a baseline that does so by construction


def guesses_on(
    store: Store,
    suite: Suite,
    suite_id: int,
    outcomes: Sequence[pl.DataFrame],
    prediction: str,
    progress: Progress = silent,
) -> tuple[list[Run], str]:
    """Return the baselines' outcomes on the pairs of a suite that every model has answered, and the
    audit's sentence on the strongest; nothing for a suite without pairs.

    Args:
        store: where the treebank's frequencies are looked up, and what baselines made of the suite.
        suite: as it was asked.
        suite_id: of the whole suite in the store.
        outcomes: of the models.
        prediction: the one that is shown of the models; "" for none, and then there is nothing.
        progress: told of each baseline that is done.
    """
    if not prediction or not suite.table.is_pair().any():
        return [], ""
    common = set(suite.table.frame["item_id"])
    for frame in outcomes:
        common.intersection_update(frame.drop_nulls("credit")["item_id"])
    guesses = suite_guesses(suite, suite_id, store, progress)
    guessed = guesses.credits.filter(pl.col("item_id").is_in(common)).with_columns(
        prediction=pl.lit(prediction),
        margin_bits=pl.lit(None, pl.Float64),
        tie=pl.lit(False),
        oov=pl.lit(False),
        note=pl.lit(""),
    )
    runs = [
        Run(
            model=str(name),
            outcomes=rows.select(list(OUTCOMES)),
            suite_id=suite_id,
            suite=suite.name,
            method=BASELINE,
            policy=FINDS_CUE if name in CUE_FINDERS else "",
        )
        for (name,), rows in guessed.group_by("baseline", maintain_order=True)
    ]
    return runs, f"{suite.name}: {guesses.verdict}"
