"""Gulordava et al. 2018, Tables 1 to 3: accuracies by language, construction and kind."""

from collections.abc import Sequence
from itertools import chain

from colorless_green.humans.collection.gathered import SuiteResults
from colorless_green.humans.papers.layout import OWN, PUBLISHED, Beside, Value
from colorless_green.humans.published import Beside as AgreementBeside
from colorless_green.humans.published import beside as agreement_beside
from colorless_green.humans.rated import Credits

NAME = "gulordava2018"


def beside(results: Sequence[SuiteResults]) -> Beside:
    """The rows of the languages that the suites are in: construction and kind, the language as
    block. Raises `InputError` where the paper has none of their languages."""
    items = tuple(chain.from_iterable(each.suite.items for each in results))
    tallies = tuple(chain.from_iterable(each.judged.tallies for each in results))
    outcomes: dict[str, dict[str, tuple[float | None, float | None]]] = {}
    for each in results:
        for run in each.runs:
            outcomes.setdefault(run.label.model, {}).update(run.credits())
    own: dict[str, Credits] = dict(outcomes)
    return Beside(tuple(_value(row) for row in agreement_beside(NAME, items, tallies, own)))


def _value(row: AgreementBeside) -> Value:
    return Value(
        table="Tables 1–3",
        block=row.language,
        row=f"{row.construction}, {row.kind}",
        rater=row.rater,
        origin=PUBLISHED if row.origin == "published" else OWN,
        value=row.accuracy,
        sd=row.sd,
        low=row.low,
        high=row.high,
        n=row.n_items,
        source=row.source,
    )
