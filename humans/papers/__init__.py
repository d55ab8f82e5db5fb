"""Papers with whose tables one's own results can be compared."""

from collections.abc import Callable, Mapping, Sequence

from ..collection.collect import SuiteResults
from . import gulordava2018, hu2020_syntaxgym
from .paper_table import MARVIN, REFLEXIVES, WARSTADT, PaperFigures

PAPERS: Mapping[str, Callable[[Sequence[SuiteResults]], PaperFigures]] = {
    "gulordava2018": gulordava2018.tables,
    "marvin2018": MARVIN,
    "hu2020-syntaxgym": hu2020_syntaxgym.tables,
    "hu2020-reflexives": REFLEXIVES,
    "warstadt2020": WARSTADT,
}
"""Name → a function that takes results on suites and returns the paper's values and one's own."""
PAPERS_GROUP = "colorless_green.papers"  # entry points of other packages
