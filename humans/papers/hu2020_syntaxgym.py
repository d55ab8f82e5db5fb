"""Hu et al. 2020: SG scores (Figure 1), circuits (5), modifiers (6), suites, perplexity (Table 4).

An item is right if the suite's first prediction holds. The SG score is the mean accuracy over
suites, without those that the authors' analysis drops; circuits are groups of suites. The paper
prints plots, so its values were recomputed from the results by item that it released.
"""

from collections.abc import Iterator, Mapping, Sequence

from ...data.items.item import Item
from ...data.registry import abridged
from ...scoring.outcomes.collection import (
    UnitScore,
    by_circuit,
    by_modifier,
    mean_of,
    unit_scores,
    units_of,
)
from ...scoring.outcomes.evaluate import Outcome
from ...scoring.outcomes.run import Run
from ..collection.collect import SuiteResults
from ..statistics.rater_accuracy import HUMANS
from .paper_table import (
    MAX_NAMES,
    OWN,
    PERPLEXITY,
    PUBLISHED,
    PaperFigures,
    PublishedValue,
    earned_credits,
    notes_on_methods,
    published,
    strict_credit,
    unlike_measures,
)

NAME = "hu2020-syntaxgym"
SCORES, CIRCUITS, MODIFIERS, PERPLEXITIES = "Figure 1", "Figure 5", "Figure 6", "Table 4"
SUITES = "by suite"
HELD_OUT = "own held-out text"
METHODS = ("target", "target eos=region")


def tables(results: Sequence[SuiteResults]) -> PaperFigures:
    """Return the paper's published values with the user's own results on the same suites.

    The paper's scores are means over its 31 suites, the user's over the suites that are here.
    Therefore Figure 1 gets one more row, with the paper's models' means over these suites only.
    """
    values = published(NAME)
    paper_suites = dict.fromkeys(value.row for value in values if value.table == SUITES)
    used = [result for result in results if result.suite.name in paper_suites]
    units = units_of([result.suite for result in used])
    present = [unit.name for unit in units]
    label = "this suite" if len(present) == 1 else f"these {len(present)} suites"
    # all items of these suites count, whatever the row of the paper
    rows = {key: ("", "") for unit in units for key in unit.keys}
    own_values: list[PublishedValue] = []
    for rater, members in earned_credits(used, _first_credit, rows).items():
        credits = {key: credit for key, (_, credit) in members.items()}
        own_values += _own_values(rater, label, unit_scores(units, credits))
    notes = [*unlike_measures(own_values)]
    if unused := [result.suite.name for result in results if result.suite.name not in paper_suites]:
        left_out = "no published figure of these suites, or dropped by the paper's analysis"
        notes.append(f"{left_out}; left out: {abridged(unused, MAX_NAMES)}")
    if missing := [name for name in paper_suites if name not in present]:
        notes.append(f"suites of the paper that are not here: {abridged(missing, MAX_NAMES)}")
    notes += notes_on_methods(used, METHODS, "hu2020")
    figures = (*_with_means_of_present(values, present, label), *own_values, *_perplexities(used))
    return PaperFigures(figures, tuple(notes))


def _first_credit(item: Item, outcomes: Mapping[str, Outcome], run: Run) -> float | None:
    """Return a model's credit, 1 or 0, under the run's first prediction; None if the item was left
    out. The item is not used."""
    return strict_credit(outcomes.get(run.prediction))


def _with_means_of_present(
    values: Sequence[PublishedValue], present: Sequence[str], label: str
) -> Iterator[PublishedValue]:
    """Yield the published values, and add a row (named `label`) to Figure 1, with the accuracies of
    the paper's models averaged over the suites that are present."""
    if not present:
        yield from values
        return
    scores = [value for value in values if value.table == SCORES]
    yield from scores
    for model in dict.fromkeys(score.rater for score in scores):
        by_suite = [
            value
            for value in values
            if (value.table, value.rater) == (SUITES, model) and value.row in present
        ]
        yield PublishedValue(
            table=SCORES, block="", row=label, rater=model, origin=PUBLISHED,
            value=sum(of_suite.value for of_suite in by_suite) / len(by_suite),
            n=len(by_suite), source=by_suite[0].source,
        )  # fmt: skip
    yield from (value for value in values if value.table != SCORES)


def _own_values(rater: str, label: str, scores: Sequence[UnitScore]) -> Iterator[PublishedValue]:
    """Yield a rater's values for the paper's tables, from its accuracies on suites.

    They are the mean over all suites (in a row named `label`), over circuits (suites about one
    phenomenon), over suites with and without a modifier, and each suite. A rater is a model or
    people.
    """
    rows = (
        (SCORES, label, scores),
        *((CIRCUITS, name, members) for name, members in by_circuit(scores).items()),
        *((MODIFIERS, name, members) for name, members in by_modifier(scores).items()),
    )
    for table, row, members in rows:
        if mean := mean_of(members, shares=rater == HUMANS):  # `items`: interval over items
            yield PublishedValue(
                table=table, block="", row=row, rater=rater, origin=OWN,
                value=mean.accuracy, limits=mean.items, n=mean.n_units,
            )  # fmt: skip
    for score in scores:
        if mean := mean_of([score], shares=rater == HUMANS):
            yield PublishedValue(
                table=SUITES, block=score.unit.circuit, row=score.unit.name, rater=rater,
                origin=OWN, value=mean.accuracy, limits=mean.items, n=mean.n_items,
            )  # fmt: skip


def _perplexities(results: Sequence[SuiteResults]) -> Iterator[PublishedValue]:
    """Yield the perplexity on held-out text of each of one's own models for which it is known."""
    perplexities: dict[str, float] = {}
    for run in (run for result in results for run in result.runs):
        perplexity = run.about.get("held_out_perplexity")
        if perplexity is not None:
            perplexities.setdefault(run.model, float(perplexity))
    for model, perplexity in perplexities.items():
        yield PublishedValue(
            table=PERPLEXITIES, block="", row=HELD_OUT, rater=model, origin=OWN,
            value=perplexity, measure=PERPLEXITY,
        )  # fmt: skip
