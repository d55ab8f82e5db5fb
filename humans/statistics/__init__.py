"""Statistics of people, and of models beside people; NumPy only, seeded, vectorised.

Everything here takes plain numbers, tallies or judgments and returns records. `None` stands for
"undefined" (a correlation with a constant, an interval from one source), never a number.
"""

from colorless_green.humans.statistics.accuracy import (
    FEW_SOURCES,
    construction_accuracy,
    item_accuracy,
    item_interval,
    pooled_accuracy,
)
from colorless_green.humans.statistics.correlation import (
    FREE,
    PERMUTATIONS,
    SCHEMES,
    SOURCES,
    WITHIN,
    Correlation,
    correlation,
    permutation_p,
    spearman_interval,
)
from colorless_green.humans.statistics.curve import CurvePoint, curve
from colorless_green.humans.statistics.flips import SIGN_FLIPS, SignFlip, holm, sign_flip
from colorless_green.humans.statistics.people import BY_BOTH, people_limits, two_way_interval
from colorless_green.humans.statistics.rank import mid_ranks, spearman
from colorless_green.humans.statistics.raters import Raters, raters
from colorless_green.humans.statistics.reliability import (
    SPLITS,
    Reliability,
    split_by_counts,
    split_by_people,
)
from colorless_green.humans.statistics.spread import Spread, spread
from colorless_green.nonce.intervals import Limits, mean_interval, wilson

__all__ = [
    "BY_BOTH",
    "FEW_SOURCES",
    "FREE",
    "PERMUTATIONS",
    "SCHEMES",
    "SIGN_FLIPS",
    "SOURCES",
    "SPLITS",
    "WITHIN",
    "Correlation",
    "CurvePoint",
    "Limits",
    "Raters",
    "Reliability",
    "SignFlip",
    "Spread",
    "construction_accuracy",
    "correlation",
    "curve",
    "holm",
    "item_accuracy",
    "item_interval",
    "mean_interval",
    "mid_ranks",
    "people_limits",
    "permutation_p",
    "pooled_accuracy",
    "raters",
    "sign_flip",
    "spearman",
    "spearman_interval",
    "split_by_counts",
    "split_by_people",
    "spread",
    "two_way_interval",
    "wilson",
]
