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
    own_values: list[PublishedValue] = []
    for rater, credits in earned_credits(used, _first_credit).items():
        own_values += _own_values(rater, label, unit_scores(units, credits))
    notes = [*unlike_measures(own_values)]
    if unused := [result.suite.name for result in results if result.suite.name not in paper_suites]:
        left_out = "no published figure of these suites, or dropped by the paper's analysis"
        notes.append(f"{left_out}; left out: {abridged(unused, MAX_NAMES)}")
    if missing := [name for name in paper_suites if name not in present]:
        notes.append(f"suites of the paper that are not here: {abridged(missing, MAX_NAMES)}")
    notes += notes_on_methods(used, METHODS, "hu2020")
    of_paper = (*values, *_means_of_present(values, present, label))
    figure_1_first = sorted(of_paper, key=lambda value: value.table != SCORES)
    return PaperFigures((*figure_1_first, *own_values, *_perplexities(used)), tuple(notes))


def _first_credit(item: Item, outcomes: Mapping[str, Outcome], run: Run) -> float | None:
    """Return a model's credit, 1 or 0, under the run's first prediction; None if the item was left
    out. The item is not used."""
    return strict_credit(outcomes.get(run.prediction))


def _means_of_present(
    values: Sequence[PublishedValue], present: Sequence[str], label: str
) -> Iterator[PublishedValue]:
    """Yield a row (named `label`) for Figure 1: the accuracies of the paper's models, averaged over
    the suites that are present. There is none if no suite is."""
    by_model: dict[str, list[PublishedValue]] = {}
    for value in values:
        if value.table == SUITES and value.row in present:
            by_model.setdefault(value.rater, []).append(value)
    for model, by_suite in by_model.items():
        yield PublishedValue(
            table=SCORES, row=label, rater=model, origin=PUBLISHED,
            value=sum(of_suite.value for of_suite in by_suite) / len(by_suite),
            n=len(by_suite), source=by_suite[0].source,
        )  # fmt: skip


def _own_values(rater: str, label: str, scores: Sequence[UnitScore]) -> Iterator[PublishedValue]:
    """Yield a rater's values for the paper's tables, from its accuracies on suites.

    They are the mean over all suites (in a row named `label`), over circuits (suites about one
    phenomenon), over suites with and without a modifier, and each suite. A rater is a model or
    people.
    """
    rows: list[tuple[str, str, str, Sequence[UnitScore]]] = [  # table, block, row, scores
        (SCORES, "", label, scores),
        *((CIRCUITS, "", name, members) for name, members in by_circuit(scores).items()),
        *((MODIFIERS, "", name, members) for name, members in by_modifier(scores).items()),
        *((SUITES, score.unit.circuit, score.unit.name, [score]) for score in scores),
    ]
    for table, block, row, members in rows:
        if mean := mean_of(members, shares=rater == HUMANS):
            yield PublishedValue(
                table=table, block=block, row=row, rater=rater,
                value=mean.accuracy, limits=mean.items,  # the interval over items
                n=mean.n_items if table == SUITES else mean.n_units,
            )  # fmt: skip


def _perplexities(results: Sequence[SuiteResults]) -> Iterator[PublishedValue]:
    """Yield the perplexity on held-out text of each of one's own models for which it is known."""
    perplexities: dict[str, float] = {}
    for run in (run for result in results for run in result.runs):
        if run.perplexity is not None:
            perplexities.setdefault(run.model, run.perplexity)
    for model, perplexity in perplexities.items():
        yield PublishedValue(
            table=PERPLEXITIES, row=HELD_OUT, rater=model, value=perplexity, measure=PERPLEXITY
        )
