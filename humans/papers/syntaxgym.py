"""Hu et al. 2020: SG scores (Figure 1), circuits (5), modifiers (6), suites, perplexity (Table 4).

An item is right where the suite's first prediction holds; the SG score is the mean over suites,
less those that the authors' analysis drops. The paper prints plots: its figures are recomputed from
the results by item that it released.
"""

from collections.abc import Iterator, Mapping, Sequence

from colorless_green.humans.collection.gathered import SuiteResults
from colorless_green.humans.papers.counting import (
    ByPrediction,
    abridged,
    counted,
    notes_on_methods,
    strictly,
)
from colorless_green.humans.papers.layout import (
    OWN,
    PERPLEXITY,
    PUBLISHED,
    Beside,
    Value,
    published,
)
from colorless_green.humans.rows import StoredRun
from colorless_green.nonce.item import Item
from colorless_green.scoring.collection import (
    Key,
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


def beside(results: Sequence[SuiteResults]) -> Beside:
    """The tables with one's own columns. Circuits and scores of the paper are over its 31 suites,
    one's own over those that are here: so Figure 1 has a row more, in which the paper's models
    have the mean over the very same suites."""
    theirs = tuple(published(NAME))
    known = {each.row: each.block for each in theirs if each.table == SUITES}
    used = [each for each in results if each.suite.name in known]
    units = units_of([each.suite for each in used])
    scores = {
        rater: tuple(unit_scores(units, credits)) for rater, credits in _credits(used).items()
    }
    own = [value for rater, found in scores.items() for value in _own(rater, found)]
    here = [unit.name for unit in units]
    return Beside(
        (*_with_same(theirs, here), *own, *_perplexities(used)),
        tuple(_notes(results, known, here)),
        frozenset((SCORES, MODIFIERS, PERPLEXITIES, "by corpus")),
    )


def _credits(results: Sequence[SuiteResults]) -> dict[str, dict[Key, float | None]]:
    found: dict[str, dict[Key, float | None]] = {}
    for each in results:
        rows = counted([each], lambda item: ("", ""), _credit)
        for rater, by_row in rows.items():
            for one in by_row["", ""]:
                found.setdefault(rater, {})[each.suite.name, one.item.item_id] = one.credit
    return found


def _credit(item: Item, outcomes: ByPrediction, run: StoredRun) -> float | None:
    outcome = outcomes.get(run.prediction)
    return None if outcome is None else strictly(outcome)


def _with_same(theirs: Sequence[Value], here: Sequence[str]) -> Iterator[Value]:
    """The published values, and after those of Figure 1 the means over the suites that are here."""
    for each in theirs:
        if each.table == SCORES or not here:
            yield each
    if not here:
        return
    by_suite = [each for each in theirs if each.table == SUITES and each.row in here]
    for model in dict.fromkeys(each.rater for each in theirs if each.table == SCORES):
        own = [each for each in by_suite if each.rater == model]
        value = sum(each.value for each in own) / len(own)
        yield Value(
            SCORES, "", _these(len(here)), model, PUBLISHED, value, n=len(own), source=own[0].source
        )
    yield from (each for each in theirs if each.table != SCORES)


def _these(n: int) -> str:
    return "this suite" if n == 1 else f"these {n} suites"


def _own(rater: str, scores: Sequence[UnitScore]) -> Iterator[Value]:
    yield from _mean(SCORES, _these(len(scores)), rater, scores)
    for name, members in by_circuit(scores).items():
        yield from _mean(CIRCUITS, name, rater, members)
    for name, members in by_modifier(scores).items():
        yield from _mean(MODIFIERS, name, rater, members)
    for each in scores:
        limits = each.interval
        yield Value(
            SUITES,
            each.unit.circuit,
            each.unit.name,
            rater,
            OWN,
            each.accuracy,
            low=limits.low if limits else None,
            high=limits.high if limits else None,
            n=each.n_items,
        )


def _mean(table: str, row: str, rater: str, scores: Sequence[UnitScore]) -> Iterator[Value]:
    mean = mean_of(scores)
    if mean is not None:
        low, high = (mean.items.low, mean.items.high) if mean.items else (None, None)
        yield Value(table, "", row, rater, OWN, mean.accuracy, low=low, high=high, n=mean.n_units)


def _perplexities(results: Sequence[SuiteResults]) -> Iterator[Value]:
    """One's own models' on their held-out text, where they have one."""
    found: dict[str, float] = {}
    for each in results:
        for run in each.runs:
            perplexity = run.about.get("held_out_perplexity")
            if perplexity is not None:
                found.setdefault(run.label.model, float(perplexity))
    for model, perplexity in found.items():
        yield Value(PERPLEXITIES, "", HELD_OUT, model, OWN, perplexity, PERPLEXITY)


def _notes(
    results: Sequence[SuiteResults], known: Mapping[str, str], here: Sequence[str]
) -> Iterator[str]:
    others = [each.suite.name for each in results if each.suite.name not in known]
    if others:
        yield (
            "no published figure of these suites, or dropped by the paper's analysis; left out: "
            + abridged(others)
        )
    missing = [name for name in known if name not in here]
    if missing:
        yield f"suites of the paper that are not here: {abridged(missing)}"
    used = [each for each in results if each.suite.name in known]
    yield from notes_on_methods(used, METHODS, "setup hu2020")
