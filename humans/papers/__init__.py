"""Papers whose tables one's own results are set in."""

from collections.abc import Callable, Mapping, Sequence

from ..collection.collect import SuiteResults
from . import counting, gulordava2018, hu2020_syntaxgym
from .paper_table import PaperFigures

PAPERS: Mapping[str, Callable[[Sequence[SuiteResults]], PaperFigures]] = {
    "gulordava2018": gulordava2018.tables,
    "marvin2018": counting.MARVIN,
    "hu2020-syntaxgym": hu2020_syntaxgym.tables,
    "hu2020-reflexives": counting.REFLEXIVES,
    "warstadt2020": counting.WARSTADT,
}
"""Name → a function from results on suites to the paper's tables with one's own columns."""
PAPERS_GROUP = "colorless_green.papers"  # entry points of other packages
