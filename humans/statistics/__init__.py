"""Statistics of people, and of models beside people; seeded, vectorised.

Everything here takes plain numbers, tallies or judgments and returns records. `None` stands for
"undefined" (a correlation with a constant, an interval from one source), never a number.
"""

from colorless_green.humans.statistics.accuracy import FEW_SOURCES as FEW_SOURCES
from colorless_green.humans.statistics.accuracy import Figure as Figure
from colorless_green.humans.statistics.accuracy import Spread as Spread
from colorless_green.humans.statistics.accuracy import (
    construction_accuracy as construction_accuracy,
)
from colorless_green.humans.statistics.accuracy import curve as curve
from colorless_green.humans.statistics.accuracy import item_accuracy as item_accuracy
from colorless_green.humans.statistics.accuracy import item_interval as item_interval
from colorless_green.humans.statistics.accuracy import pooled_accuracy as pooled_accuracy
from colorless_green.humans.statistics.accuracy import spread as spread
from colorless_green.humans.statistics.correlation import FREE as FREE
from colorless_green.humans.statistics.correlation import PERMUTATIONS as PERMUTATIONS
from colorless_green.humans.statistics.correlation import SCHEMES as SCHEMES
from colorless_green.humans.statistics.correlation import SOURCES as SOURCES
from colorless_green.humans.statistics.correlation import WITHIN as WITHIN
from colorless_green.humans.statistics.correlation import correlation as correlation
from colorless_green.humans.statistics.correlation import mid_ranks as mid_ranks
from colorless_green.humans.statistics.correlation import pearson as pearson
from colorless_green.humans.statistics.correlation import permutation_p as permutation_p
from colorless_green.humans.statistics.correlation import spearman as spearman
from colorless_green.humans.statistics.correlation import spearman_interval as spearman_interval
from colorless_green.humans.statistics.flips import EXACT_SOURCES as EXACT_SOURCES
from colorless_green.humans.statistics.flips import LEVEL as LEVEL
from colorless_green.humans.statistics.flips import SIGN_FLIPS as SIGN_FLIPS
from colorless_green.humans.statistics.flips import SignFlip as SignFlip
from colorless_green.humans.statistics.flips import holm as holm
from colorless_green.humans.statistics.flips import sign_flip as sign_flip
from colorless_green.humans.statistics.people import BY_BOTH as BY_BOTH
from colorless_green.humans.statistics.people import SPLITS as SPLITS
from colorless_green.humans.statistics.people import AnswerTable as AnswerTable
from colorless_green.humans.statistics.people import Judged as Judged
from colorless_green.humans.statistics.people import people_limits as people_limits
from colorless_green.humans.statistics.people import raters as raters
from colorless_green.humans.statistics.people import split_by_counts as split_by_counts
from colorless_green.humans.statistics.people import split_by_people as split_by_people
from colorless_green.humans.statistics.people import two_way_interval as two_way_interval
from colorless_green.nonce.intervals import Limits as Limits
from colorless_green.nonce.intervals import mean_interval as mean_interval
from colorless_green.nonce.intervals import wilson as wilson
