"""Papers whose tables one's own results can stand beside, one a file."""

from collections.abc import Mapping

PAPERS: Mapping[str, str] = {
    "gulordava2018": "colorless_green.humans.papers.gulordava2018:beside",
    "marvin2018": "colorless_green.humans.papers.marvin2018:beside",
    "hu2020-syntaxgym": "colorless_green.humans.papers.syntaxgym:beside",
    "hu2020-reflexives": "colorless_green.humans.papers.reflexives:beside",
    "warstadt2020": "colorless_green.humans.papers.warstadt2020:beside",
}
"""Name → a function from results on suites to what stands in the paper's tables."""
PAPERS_GROUP = "colorless_green.papers"  # entry points of other packages
