"""Hu et al. 2020: SG scores (Figure 1), circuits (5), modifiers (6), suites, perplexity (Table 4).

An item is right where the suite's first prediction holds; the SG score is the mean over suites,
less those that the authors' analysis drops. The paper prints plots: its figures are recomputed from
the results by item that it released.
"""

from collections.abc import Iterator, Sequence

from colorless_green.data.registry import abridged
from colorless_green.humans.collection.gathered import SuiteResults
from colorless_green.humans.papers.counting import SHOWN, earned, notes_on_methods, strictly
from colorless_green.humans.papers.layout import (
    OWN,
    PERPLEXITY,
    PUBLISHED,
    Beside,
    Value,
    published,
)
from colorless_green.scoring.collection import (
    UnitScore,
    by_circuit,
    by_modifier,
    mean_of,
    unit_scores,
    units_of,
)

NAME = "hu2020-syntaxgym"
SCORES, CIRCUITS, MODIFIERS, PERPLEXITIES = "Figure 1", "Figure 5", "Figure 6", "Table 4"
SUITES = "by suite"
HELD_OUT = "own held-out text"
METHODS = ("target", "target eos=region")


def tables(results: Sequence[SuiteResults]) -> Beside:
    """The tables with one's own columns. Circuits and scores of the paper are over its 31 suites,
    one's own over those that are here: so Figure 1 has a row more, in which the paper's models
    have the mean over the very same suites."""
    theirs = published(NAME)
    known = dict.fromkeys(each.row for each in theirs if each.table == SUITES)
    used = [each for each in results if each.suite.name in known]
    units = units_of([each.suite for each in used])
    here = [unit.name for unit in units]
    these = "this suite" if len(here) == 1 else f"these {len(here)} suites"
    keys = {key: ("", "") for unit in units for key in unit.keys}
    own: list[Value] = []
    for rater, members in earned(
        used, lambda _, outcomes, run: strictly(outcomes.get(run.prediction)), keys
    ).items():
        credits = {key: credit for key, (_, credit) in members.items()}
        own += _own(rater, these, unit_scores(units, credits))
    notes = []
    if others := [each.suite.name for each in results if each.suite.name not in known]:
        left_out = "no published figure of these suites, or dropped by the paper's analysis"
        notes.append(f"{left_out}; left out: {abridged(others, SHOWN)}")
    if missing := [name for name in known if name not in here]:
        notes.append(f"suites of the paper that are not here: {abridged(missing, SHOWN)}")
    notes += notes_on_methods(used, METHODS, "setup hu2020")
    return Beside(
        (*_with_same(theirs, here, these), *own, *_perplexities(used)),
        tuple(notes),
        frozenset((SCORES, MODIFIERS, PERPLEXITIES, "by corpus")),
    )


def _with_same(theirs: Sequence[Value], here: Sequence[str], these: str) -> Iterator[Value]:
    """The published values, and after those of Figure 1 the means over the suites that are here."""
    if not here:
        yield from theirs
        return
    scores = [each for each in theirs if each.table == SCORES]
    yield from scores
    for model in dict.fromkeys(each.rater for each in scores):
        own = [e for e in theirs if (e.table, e.rater) == (SUITES, model) and e.row in here]
        value = sum(each.value for each in own) / len(own)
        yield Value(SCORES, "", these, model, PUBLISHED, value, n=len(own), source=own[0].source)
    yield from (each for each in theirs if each.table != SCORES)


def _own(rater: str, these: str, scores: Sequence[UnitScore]) -> Iterator[Value]:
    rows = (
        (SCORES, these, scores),
        *((CIRCUITS, name, members) for name, members in by_circuit(scores).items()),
        *((MODIFIERS, name, members) for name, members in by_modifier(scores).items()),
    )
    for table, row, members in rows:
        if mean := mean_of(members):
            figure = rater, OWN, mean.accuracy
            yield Value(table, "", row, *figure, limits=mean.items, n=mean.n_units)
    for each in scores:
        place = SUITES, each.unit.circuit, each.unit.name
        yield Value(*place, rater, OWN, each.accuracy, limits=each.interval, n=each.n_items)


def _perplexities(results: Sequence[SuiteResults]) -> Iterator[Value]:
    """One's own models' on their held-out text, where they have one."""
    found: dict[str, float] = {}
    for run in (run for each in results for run in each.runs):
        perplexity = run.about.get("held_out_perplexity")
        if perplexity is not None:
            found.setdefault(run.model, float(perplexity))
    for model, perplexity in found.items():
        yield Value(PERPLEXITIES, "", HELD_OUT, model, OWN, perplexity, PERPLEXITY)
