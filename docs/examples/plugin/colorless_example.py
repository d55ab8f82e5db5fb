"""A plug-in for colorless-green: an agreement rule and a model family, both as short as can be.

The rule keeps a construction if more than half of its instances agree. That is too lenient for
research (unrelated words share their number in 55 to 65 % of the cases). The model prefers shorter
forms: each letter costs the same number of bits.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import polars as pl

from colorless_green.miner import Construction, Thresholds, procedure_named, tables
from colorless_green.scoring import LoadOptions, Query, Score, Stretch, Surprisals


def decide(instances: pl.DataFrame, thresholds: Thresholds) -> list[Construction]:
    """One verdict for each construction, with the reason where it is rejected."""
    verdicts = []
    for key, table in tables(instances).items():
        n = sum(table.values())
        n_agree = sum(count for (cue, target), count in table.items() if cue == target)
        reason = "" if 2 * n_agree > n else f"{n_agree} of {n} agree, needs more than half"
        values = tuple(sorted({cue for cue, target in table if cue == target}))
        verdict = Construction(key.name, key.feature, values, dict(table), not reason, reason)
        verdicts.append(verdict)
    return verdicts


RULE = replace(
    procedure_named("strict"), name="majority", about="more than half agree", decide=decide
)


@dataclass(frozen=True)
class Letters:
    """A model that reads raw text and finds all letters equally surprising."""

    n_letters: int
    name: str = "letters"  # in tables

    @property
    def signature(self) -> str:
        """All that the numbers depend on: another alphabet is another model."""
        return f"model:letters|n_letters:{self.n_letters}"

    @property
    def unit(self) -> str:
        """It wants raw text, not words."""
        return "text"

    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        """One score for each query, in their order."""
        for query in queries:
            yield Score(tuple(map(self._surprisals, query.continuations)))

    def _surprisals(self, text: Stretch) -> Surprisals:
        n = len(text)
        spans = tuple((index, index + 1) for index in range(n))
        return Surprisals((math.log2(self.n_letters),) * n, spans, (False,) * n)


def load(spec: str, options: LoadOptions) -> Letters:
    """Return the model behind `letters:N`, for an alphabet of N letters."""
    return Letters(int(spec or 26))
