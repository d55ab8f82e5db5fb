"""An agreement rule from outside: a construction is kept if more than half of it agrees.

Too lenient for science (unrelated words share their number in 55 to 65 % of the cases), but short.
In the `pyproject.toml` of the package that holds it:

    [project.entry-points."colorless_green.rules"]
    majority = "my_package.majority_rule:RULE"
"""

from dataclasses import replace

import polars as pl

from colorless_green.miner.construction import Construction, Key, Table
from colorless_green.miner.counts import tables
from colorless_green.miner.rule import Thresholds
from colorless_green.miner.rules.strict import RULE as STRICT


def decide(instances: pl.DataFrame, thresholds: Thresholds) -> list[Construction]:
    """One verdict for each construction, with the reason where it is rejected."""
    return [_verdict(key, table) for key, table in tables(instances).items()]


def _verdict(key: Key, table: Table) -> Construction:
    n_agree = sum(n for (cue, target), n in table.items() if cue == target)
    n = sum(table.values())
    reason = "" if 2 * n_agree > n else f"{n_agree} of {n} agree, needs more than half"
    values = tuple(sorted({cue for cue, target in table if cue == target}))
    return Construction(key.name, key.feature, values, table, not reason, reason)


RULE = replace(STRICT, name="majority", about="more than half agree", decide=decide)
