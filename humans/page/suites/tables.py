"""Tables: what is predicted and by chance, scores with their counts, tests between raters."""

from collections.abc import Sequence
from dataclasses import replace

from colorless_green.data.tables import Row
from colorless_green.humans.collection.scores import OWN, SCORE, SUITE
from colorless_green.humans.page.marginals import panel_name
from colorless_green.humans.page.material import Suites
from colorless_green.humans.page.numbers import (
    count,
    limits,
    number,
    p_value,
    percent,
    points,
    text,
    whole,
)
from colorless_green.humans.page.parts import Cell, Table, heading
from colorless_green.humans.page.raters import Rater
from colorless_green.humans.page.values import INTERVAL, counted, interval, share
from colorless_green.nonce.audit.baselines import CUE_FINDERS

MOST_TESTS = 20  # within suites; the file has them all


def predictions(suites: Suites) -> Table | None:
    """A row a suite; None without suites."""
    if not suites.predicted:
        return None
    return Table(
        name="predictions",
        title="Predictions",
        columns=(
            heading("suite"),
            heading("circuit"),
            heading("items", "number"),
            heading("prediction", "code"),
            heading("chance, %", "number"),
        ),
        rows=tuple(
            (
                Cell(each.suite),
                Cell(each.circuit),
                Cell(count(each.n_items), sort="number"),
                Cell(each.prediction, sort="code"),
                Cell(percent(each.chance), each.how, sort="number"),
            )
            for each in suites.predicted
        ),
        note=(
            "(6;%name%) is the surprisal of region 6 in the condition of that name, (*;%name%) that"
            " of the whole sentence; & is and, | is or. Chance: how often it would hold of values"
            " that mean nothing."
        ),
    )


def scores(suites: Suites, raters: Sequence[Rater]) -> Table | None:
    """Scores, circuits and modifiers with ties and unknown words; None without rows."""
    labels = {rater.name: rater.label for rater in raters}
    rows = [
        row for row in suites.scores if text(row, "level") != SUITE and text(row, "rater") in labels
    ]
    if not rows:
        return None
    return Table(
        name="scores",
        title="Scores",
        columns=(
            heading("over"),
            heading("rater"),
            heading("suites", "number"),
            heading("items", "number"),
            heading("right, %", "number"),
            heading("other items", "number"),
            heading("other suites", "number"),
            heading("chance, %", "number"),
            heading("ties", "number"),
            heading("OOV", "number"),
        ),
        rows=tuple(_score(row, labels) for row in rows),
        note=(
            "Means over suites. Two 95 % intervals: were other items drawn for the same suites, and"
            " were other suites of the sort drawn. OOV are items of which a word-level model does"
            " not know a scored word; they are left out unless the run was told to keep them. All"
            " are over the suites and items that every rater could answer, but where a row says"
            " that it is over all that its rater answered: such rows do not compare."
        ),
    )


def _score(row: Row, labels: dict[str, str]) -> tuple[Cell, ...]:
    sd = number(row, "sd")
    return (
        Cell(_over(row)),
        Cell(labels[text(row, "rater")]),
        Cell(count(whole(row, "n_suites")), sort="number"),
        Cell(count(whole(row, "n_items")), sort="number"),
        replace(
            share(number(row, "accuracy")),
            below="" if sd is None else f"sd {points(sd).removeprefix('+')}",
        ),
        Cell(limits(number(row, "low"), number(row, "high")), sort="number"),
        Cell(limits(number(row, "suites_low"), number(row, "suites_high")), sort="number"),
        share(number(row, "chance")),
        Cell(count(whole(row, "n_ties")), sort="number"),
        Cell(count(whole(row, "n_oov")), sort="number"),
    )


def baselines(suites: Suites) -> Table | None:
    """What the audit's guesses reach over the same suites and items; None without any."""
    if not suites.baselines:
        return None
    return Table(
        name="baselines",
        title="What needs no grammar",
        columns=(
            heading("baseline"),
            heading("over"),
            heading("finds the cue"),
            heading("suites", "number"),
            heading("items", "number"),
            heading("right, %", "number"),
            *INTERVAL,
        ),
        rows=tuple(
            (
                Cell(text(row, "rater"), sort="code"),
                Cell(_over(row)),
                Cell("yes" if text(row, "rater") in CUE_FINDERS else "no", sort="short"),
                counted(whole(row, "n_suites")),
                counted(whole(row, "n_items")),
                share(number(row, "accuracy")),
                *interval(number(row, "low"), number(row, "high")),
            )
            for row in suites.baselines
        ),
        note=(
            "The audit's guesses, on the suites and items that raters are compared on, as far as"
            " they can judge them all. Those that find the cue by the way the items are made are no"
            " measure of what needs no grammar."
        ),
    )


def _over(row: Row) -> str:
    """`all suites`, `originals`, a circuit; of what the rater alone answered, that it is so."""
    level, name = text(row, "level"), text(row, "name")
    if level == OWN:
        return f"all it answered{f', {panel_name(name)}' if name else ''}"
    return (panel_name(name) if level == SCORE else name) if name else "all suites"


def tests(suites: Suites, raters: Sequence[Rater]) -> Table | None:
    """Differences of raters on the same items, over all suites and in each; None without pairs."""
    labels = {rater.name: rater.label for rater in raters}
    rows = [
        row
        for row in suites.paired
        if text(row, "rater") in labels and text(row, "other") in labels
    ]
    if not rows:
        return None
    over = [row for row in rows if whole(row, "n_suites") > 1]
    within = [row for row in rows if whole(row, "n_suites") == 1]
    within.sort(key=_p)
    left_out = len(within) - MOST_TESTS
    return Table(
        name="tests",
        title="Differences between raters, on the same items",
        columns=(
            heading("over"),
            heading("rater"),
            heading("other"),
            heading("items", "number"),
            heading("rater, %", "number"),
            heading("other, %", "number"),
            heading("difference", "number"),
            heading("p", "number"),
            heading("p (Holm)", "number"),
        ),
        rows=tuple(_test(row, labels) for row in (*over, *within[:MOST_TESTS])),
        note=(
            "Difference in percentage points with its 95 % interval. p is two-sided, from flipping"
            " the sign of whole suites (all suites) or of items; Holm's adjustment is over the"
            " pairs of raters, within suites over pairs and suites."
            + (f" The {left_out} suites with the largest p are not listed." if left_out > 0 else "")
        ),
    )


def _all(kind: str, n_suites: int) -> str:
    return f"{panel_name(kind)}, {n_suites} suites" if kind else f"all {n_suites} suites"


def _p(row: Row) -> float:
    """Rows without a p last."""
    p = number(row, "p")
    return 2.0 if p is None else p


def _test(row: Row, labels: dict[str, str]) -> tuple[Cell, ...]:
    n_suites = whole(row, "n_suites")
    low, high = number(row, "low"), number(row, "high")
    interval = "" if low is None else f"{points(low)} to {points(high)}"
    floor, difference = number(row, "p_floor"), number(row, "difference")
    return (
        Cell(text(row, "name") if n_suites == 1 else _all(text(row, "name"), n_suites)),
        Cell(labels[text(row, "rater")]),
        Cell(labels[text(row, "other")]),
        Cell(count(whole(row, "n_items")), sort="number"),
        share(number(row, "accuracy")),
        share(number(row, "other_accuracy")),
        replace(
            share(difference := number(row, "difference")), text=points(difference), below=interval
        ),
        Cell(
            p_value(p := number(row, "p")),
            f"≥ {floor:.3f}" if floor is not None and 0.05 / 4 < floor < 1 else "",
            sort="number",
            value=p,
        ),
        Cell(p_value(p := number(row, "p_holm")), sort="number", value=p),
    )
