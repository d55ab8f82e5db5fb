"""One's own accuracies beside the figures of a publication, counted as the publication counts.

The figures are facts about other models on the publication's own items; where one's items come
from another treebank, release or vocabulary, the two columns are no measurement of one thing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from colorless_green.data.errors import InputError
from colorless_green.data.published import AGREEMENT, published
from colorless_green.data.registry import named
from colorless_green.humans.judgment import Tally
from colorless_green.humans.rated import Credits, rated, ties_wrong
from colorless_green.humans.tally import construction
from colorless_green.nonce.item import Item

ALL = "all"  # what the published tables write for a whole set


@dataclass(frozen=True, slots=True)
class Beside:
    """One rater in one published cell. `construction` is the publication's label."""

    language: str
    kind: str
    construction: str
    rater: str
    origin: str  # "published" or "own"
    n_items: int | None  # None where the publication's tables do not say
    accuracy: float
    sd: float | None = None  # over models of one kind
    low: float | None = None
    high: float | None = None
    source: str = ""


def label(name: str) -> str:
    """The publication's label for one of our constructions: its POS tags, direction dropped.

    `L__NOUN_VERB_VERB` and `R__NOUN_VERB_VERB` are both `NOUN VERB VERB`.
    """
    return name.partition("__")[2].replace("_", " ")


def beside(
    name: str,
    items: Sequence[Item],
    tallies: Sequence[Tally],
    outcomes: Mapping[str, Credits],
) -> tuple[Beside, ...]:
    """For each cell of the published tables called `name`: their raters, then people and models
    of one's own, as far as `items` (of the published languages) reach into that cell.

    Ties count as wrong here whatever the outcomes say, as the paper's scripts have it
    (`results.py`: strictly more probable). Raises `InputError` for an unknown name, or where no
    item is in a language that the tables have.
    """
    named(dict.fromkeys(AGREEMENT, name), name, "--published")
    cell = ["language", "condition", "construction", "model"]
    figures = published(name).unique(cell, keep="first", maintain_order=True)  # some stand twice
    spoken = dict.fromkeys(_primary(item.language) for item in items)
    languages = figures["language"].unique(maintain_order=True).to_list()
    shared = [each for each in languages if each in spoken]
    if not shared:
        wrong = f"no figures for {', '.join(map(repr, spoken)) or 'an empty suite'}"
        right = f"items in {', '.join(languages)}"
        raise InputError(f"--published {name}", wrong, right, kind="unsupported")
    strict = {model: ties_wrong(credits) for model, credits in outcomes.items()}
    rows: list[Beside] = []
    for language in shared:
        own = [item for item in items if _primary(item.language) == language]
        theirs = figures.filter(pl.col("language") == language)
        cells = theirs.group_by("condition", "construction", maintain_order=True)
        for (kind, tags), found in cells:
            for row in found.iter_rows(named=True):
                facts = (row["model"], "published", None, row["accuracy"], row["sd"])
                rows.append(Beside(language, str(kind), str(tags), *facts, source=row["source"]))
            chosen = [
                item
                for item in own
                if item.kind == kind and tags in (ALL, label(construction(item)))
            ]
            for total in rated("", chosen, tallies, strict):
                if not total.construction:
                    ours = (total.rater, "own", total.n_items, total.accuracy, None)
                    limits = total.low, total.high
                    rows.append(Beside(language, str(kind), str(tags), *ours, *limits))
    return tuple(rows)


def _primary(language: str) -> str:
    """`it` of `it-CH`."""
    return language.partition("-")[0].lower()
