"""Papers whose tables one's own results can stand beside."""

from collections.abc import Mapping

PAPERS: Mapping[str, str] = {
    "gulordava2018": "colorless_green.humans.papers.gulordava2018:tables",
    "marvin2018": "colorless_green.humans.papers.counting:MARVIN",
    "hu2020-syntaxgym": "colorless_green.humans.papers.syntaxgym:tables",
    "hu2020-reflexives": "colorless_green.humans.papers.counting:REFLEXIVES",
    "warstadt2020": "colorless_green.humans.papers.counting:WARSTADT",
}
"""Name → a function from results on suites to what stands in the paper's tables."""
PAPERS_GROUP = "colorless_green.papers"  # entry points of other packages
