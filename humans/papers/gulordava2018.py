"""Gulordava et al. 2018, Tables 1 to 3: accuracies by language, construction and kind.

The published values are about the paper's own items. If one's own items come from another treebank,
release or vocabulary, the two columns do not measure the same thing.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

import polars as pl

from ...data.errors import InputError
from ...data.items.item import Item
from ...data.published import published
from ..collection.collect import SuiteResults
from ..judgments.judgment import Tally
from ..statistics.rater_accuracy import Credits, rater_accuracies, ties_wrong
from .paper_table import PUBLISHED, PaperFigures, PublishedValue, unlike_measures

NAME, TABLE = "gulordava2018", "Tables 1–3"
ALL = "all"  # the published tables' word for all constructions together


def tables(results: Sequence[SuiteResults]) -> PaperFigures:
    """Return the paper's values for the languages of some suites, and beside them one's own
    results: the accuracies of models and people on these suites."""
    outcomes: dict[str, dict[str, tuple[float | None, float | None]]] = {}
    for run in chain.from_iterable(result.runs for result in results):
        outcomes.setdefault(run.model, {}).update(run.credits())
    items = tuple(chain.from_iterable(result.suite.items for result in results))
    tallies = tuple(chain.from_iterable(result.tallies for result in results))
    values = tuple(published_comparison(items, tallies, outcomes))
    return PaperFigures(values, tuple(unlike_measures(values)))


def published_comparison(
    items: Sequence[Item], tallies: Sequence[Tally], outcomes: Mapping[str, Credits]
) -> Iterator[PublishedValue]:
    """Set one's own results in Tables 1 to 3 of Gulordava et al. 2018, cell by cell.

    A cell is a language, a kind (original or nonce) and a construction. The paper names
    constructions by their POS tags, without a direction: `L__NOUN_VERB_VERB` and
    `R__NOUN_VERB_VERB` are both `NOUN VERB VERB`. Ties count as wrong, as in the paper's
    `results.py`.

    Args:
        items: one's own items, in any language.
        tallies: people's answers to them.
        outcomes: model → credits and margins, as `rater_accuracies` takes them.

    Yields:
        For each cell in the languages of the items the published values, then those of people and
        models on the items that belong in it.

    Raises:
        InputError: where no item is in a language that the tables have.

    >>> from pathlib import Path
    >>> from colorless_green.humans import read_items
    >>> _ = Path("items.csv").write_text("correct_form,wrong_form\\nare,is\\n")
    >>> first = next(published_comparison(read_items(Path("items.csv"), "it").items, (), {}))
    >>> first.row, first.rater, first.value
    ('all, original', 'unigram', 0.546)
    """
    key_columns = ["language", "condition", "construction", "model"]
    # some values are repeated in the tables
    figures = published(NAME).unique(key_columns, keep="first", maintain_order=True)
    by_language: dict[str, list[Item]] = {}
    for item in items:
        by_language.setdefault(item.language.partition("-")[0].lower(), []).append(item)
    languages = figures["language"].unique(maintain_order=True).to_list()
    if by_language.keys().isdisjoint(languages):
        wrong = f"no figures for {', '.join(map(repr, by_language)) or 'an empty suite'}"
        right = f"items in {', '.join(languages)}"
        raise InputError("published", wrong, right, kind="unsupported")
    strict = {model: ties_wrong(credits) for model, credits in outcomes.items()}
    for language in (code for code in languages if code in by_language):
        cells = figures.filter(pl.col("language") == language)
        for (kind, tags), group in cells.group_by("condition", "construction", maintain_order=True):
            place = {"table": TABLE, "block": language, "row": f"{tags}, {kind}"}
            for row in group.iter_rows(named=True):
                yield PublishedValue(
                    **place, rater=row["model"], origin=PUBLISHED, value=row["accuracy"],
                    sd=row["sd"], source=row["source"],
                )  # fmt: skip
            chosen = [
                item
                for item in by_language[language]
                if item.kind == kind and tags in (ALL, _tags_of(item.construction))
            ]
            for rating in rater_accuracies("", chosen, tallies, strict):
                if not rating.construction:
                    yield PublishedValue(
                        **place, rater=rating.rater, value=rating.accuracy,
                        limits=rating.limits, n=rating.n_items,
                    )  # fmt: skip


def _tags_of(construction: str) -> str:
    """Return the paper's name of a construction, its tags without the direction: `NOUN VERB VERB`
    for `L__NOUN_VERB_VERB`."""
    _, _, tags = construction.partition("__")
    return tags.replace("_", " ")
