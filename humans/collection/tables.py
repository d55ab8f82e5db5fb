"""Everything that is computed of a collection, as the tables of `compare` and of the report."""

from collections.abc import Iterator
from dataclasses import dataclass

from colorless_green.data.store import Store
from colorless_green.data.tables import Row
from colorless_green.humans.collection import correlations, paired, shallow
from colorless_green.humans.collection.gathered import Collection, SuiteResults
from colorless_green.humans.collection.regions import MOST_UNITS, region_rows
from colorless_green.humans.collection.scores import score_rows
from colorless_green.humans.comparison import as_row, compare
from colorless_green.scoring.collection import Key
from colorless_green.scoring.recall import Recalled, recalled


@dataclass(frozen=True, slots=True)
class Tables:
    """Rows by table."""

    comparison: tuple[Row, ...]  # each suite's own, by kind, construction and rater
    scores: tuple[Row, ...]
    paired: tuple[Row, ...]
    correlations: tuple[Row, ...]
    shallow: tuple[Row, ...]
    regions: tuple[Row, ...]


def tables_of(store: Store, collection: Collection) -> Tables:
    """All tables. Surprisals of sentences and regions are those that the store has; nothing is
    asked of a model."""
    sentences: dict[str, dict[Key, shallow.Sentences]] = {}
    regions: list[Row] = []
    for each in collection.suites:
        for model, found in known_of(store, each):
            own = sentences.setdefault(model, {})
            for item, said in shallow.sentences_of(found).items():
                own[each.suite.name, item] = said
            if model in collection.shown:
                regions += _regions(collection, each, model, found)
    return Tables(
        comparison=tuple(comparison_rows(collection)),
        scores=tuple(score_rows(collection)),
        paired=tuple(paired.rows(paired.paired(collection))),
        correlations=tuple(correlations.rows(correlations.correlations(collection))),
        shallow=tuple(shallow.rows(shallow.shallow(collection, sentences))),
        regions=tuple(regions),
    )


def comparison_rows(collection: Collection) -> Iterator[Row]:
    """Rows of comparison.tsv of every suite."""
    for each in collection.suites:
        suite = each.suite
        for row in compare(suite.name, suite.items, each.judged.tallies, each.outcomes()):
            yield as_row(row)


def known_of(store: Store, each: SuiteResults) -> Iterator[tuple[str, Recalled]]:
    for run in each.runs:
        found = recalled(store, int(run.label.run), each.suite)
        if found is not None:
            yield run.label.model, found


def _regions(
    collection: Collection, each: SuiteResults, model: str, found: Recalled
) -> Iterator[Row]:
    own = [unit for unit in collection.units if unit.suite == each.suite.name]
    if each.suite.predictions and len(own) <= MOST_UNITS:
        yield from region_rows(each.suite, own, model, found)
