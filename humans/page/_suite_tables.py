"""The answer and the tables of the page on controlled suites: what is predicted and by chance,
scores with their counts, tests between raters, and papers' own tables with one's own results in
them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...nonce.audit.baselines import CUE_FINDERS
from ..collection.suite_scores import CIRCUIT, OWN, SCORE, SUITE
from ..papers.paper_table import OWN as OWN_RESULT
from ..papers.paper_table import PERPLEXITY, PaperFigures, PaperTable, PublishedValue, layouts
from ..statistics.rater_accuracy import HUMANS
from ..statistics.runs import short_labels
from ._parts import (
    COUNTS,
    NO_NUMBER,
    RIGHT,
    Rater,
    Record,
    Table,
    TableCell,
    count,
    difference,
    interval,
    limits,
    p_cell,
    panel_name,
    percent,
    points,
    share,
    short,
    table,
)
from ._report_data import ReportData, SuitesData, toys

MOST_TESTS = 20  # within suites; the file has them all
FEWEST = 10  # items of a circuit that is named as the best or the weakest
LEVEL_HOLM = 0.05 / 4
HYPHEN = "\u2011"  # that does not break: the name of a model stays on one line
PAPERS = {  # names of published tables → works
    "gulordava2018": "Gulordava et al. 2018",
    "marvin2018": "Marvin & Linzen 2018",
    "hu2020-syntaxgym": "Hu et al. 2020",
    "hu2020-reflexives": "Hu, Chen & Levy 2020",
    "warstadt2020": "Warstadt et al. 2020",
}


def result_tables(suites: SuitesData, raters: Sequence[Rater]) -> Iterator[Table]:
    """Scores, baselines without grammar, tests."""
    labels = {rater.name: rater.label for rater in raters}
    yield from _scores(suites, labels)
    yield from _baselines(suites)
    yield from _tests(suites, labels)


def predictions(suites: SuitesData) -> Sequence[Table]:
    """A row a suite."""
    return table(
        "predictions",
        "Predictions",
        suites.predicted,
        {
            "suite": "suite",
            "circuit": "circuit",
            "items": "n_items count",
            "prediction": "prediction code",
            "chance, %": lambda predicted: share(predicted.chance, predicted.method),
        },
        "(6;%name%) is the surprisal of region 6 in the condition of that name, (*;%name%) that of"
        " the whole sentence; & is and, | is or. Chance: how often it would hold for random"
        " values.",
    )


def _over(row: Record) -> TableCell:
    """`all suites`, `originals`, a circuit; of what the rater alone answered, that it is so."""
    level, name = row["level"], row["name"]
    if level == OWN:
        return TableCell(f"all it answered{f', {panel_name(name)}' if name else ''}")
    return TableCell((panel_name(name) if level == SCORE else name) if name else "all suites")


def _limits(row: Record, prefix: str = "") -> TableCell:
    low, high = row[f"{prefix}low"], row[f"{prefix}high"]
    return TableCell(limits(low, high), sort="number")


def _scores(suites: SuitesData, labels: Mapping[str, str]) -> Sequence[Table]:
    def right(row: Record) -> TableCell:
        sd = row["sd"]
        below = "" if sd is None else f"sd {points(sd).removeprefix('+')}"
        return share(row["accuracy"], below)

    rows = (row for row in suites.scores if row["rater"] in labels)
    return table(
        "scores",
        "Scores",
        [row for row in rows if row["level"] != SUITE],
        {
            "over": _over,
            "rater": lambda row: TableCell(labels[row["rater"]]),
            **COUNTS,
            "right, %": right,
            "other items": _limits,
            "other suites": lambda row: _limits(row, "suites_"),
            "chance, %": "chance share",
            "ties": "n_ties count",
            "OOV": "n_oov count",
        },
        "Means over suites. Two 95 % intervals: over items within the same suites, and over suites."
        " OOV are items of which a word-level model does not"
        " know a scored word; they are left out unless the run was told to keep them. All are over"
        " the suites and items that every rater could answer, except where a row says that it is"
        " over all that its rater answered: such rows cannot be compared.",
    )


def _baselines(suites: SuitesData) -> Sequence[Table]:
    return table(
        "baselines",
        "Baselines",
        suites.baselines,
        {
            "baseline": "rater code",
            "over": _over,
            "finds the cue": lambda row: short("yes" if row["rater"] in CUE_FINDERS else "no"),
            **COUNTS,
            **RIGHT,
        },
        "The audit's guesses, on the suites and items that raters are compared on, as far as they"
        " can judge them all. Those that find the cue by the way the items are made do not measure"
        " what is possible without grammar.",
        folded=True,
    )


def _tests(suites: SuitesData, labels: Mapping[str, str]) -> Sequence[Table]:
    """Differences of raters on the same items, over all suites and in each."""
    rows = [r for r in suites.paired if r["rater"] in labels and r["other"] in labels]
    over = [row for row in rows if row["n_suites"] > 1]
    singles = [row for row in rows if row["n_suites"] == 1]
    singles.sort(key=lambda row: 2.0 if (p := row["p"]) is None else p)
    left_out = len(singles) - MOST_TESTS

    def scope(row: Record) -> TableCell:
        name, n_suites = row["name"], row["n_suites"]
        if n_suites == 1:
            return TableCell(name)
        return TableCell(
            f"{panel_name(name)}, {n_suites} suites" if name else f"all {n_suites} suites"
        )

    def p(row: Record) -> TableCell:
        floor = row["p_floor"]
        is_shown = floor is not None and LEVEL_HOLM < floor < 1
        return p_cell(row["p"], f"≥ {floor:.3f}" if is_shown else "")

    return table(
        "tests",
        "Differences between raters, on the same items",
        [*over, *singles[:MOST_TESTS]],
        {
            "over": scope,
            "rater": lambda row: TableCell(labels[row["rater"]]),
            "other": lambda row: TableCell(labels[row["other"]]),
            "items": "n_items count",
            "rater, %": "accuracy share",
            "other, %": "other_accuracy share",
            "difference": lambda row: difference(row["difference"], row["low"], row["high"]),
            "p": p,
            "p (Holm)": "p_holm p",
        },
        "Difference in percentage points with its 95 % interval. p is two-sided, from flipping the"
        " sign of whole suites (all suites) or of items; Holm's adjustment is over the pairs of"
        " raters, within suites over pairs and suites."
        + (f" The {left_out} suites with the largest p are not listed." if left_out > 0 else ""),
        folded=True,
    )


def paper_tables(suites: SuitesData) -> Iterator[Table]:
    """Every paper's table that holds something of one's own."""
    for name, figures in suites.papers:
        yield from _paper_tables(name, figures)


def _paper_tables(name: str, figures: PaperFigures) -> Iterator[Table]:
    models = [value.rater for value in figures.values if value.origin == OWN_RESULT]
    labels = short_labels(list(dict.fromkeys(models)))
    used = [layout for layout in layouts(figures) if any(r[0] == OWN_RESULT for r in layout.raters)]
    for index, layout in enumerate(used):
        sources = dict.fromkeys(v.source for v in layout.cells.values() if v.source)
        note = f"Published: {'; '.join(sources)}. Ties are wrong here, as in the paper."
        if index == len(used) - 1 and figures.notes:
            note += f" To note: {'; '.join(figures.notes)}."
        title = f"{PAPERS.get(name, name)}, {layout.table}"
        shape = _across if layout.across else _down
        columns, rows = shape(layout, labels)
        yield Table(f"paper-{name}-{index}", title, columns, rows, note)


_Shaped = tuple[tuple[str, ...], tuple[tuple[TableCell, ...], ...]]


def _across(layout: PaperTable, labels: Mapping[str, str]) -> _Shaped:
    """Raters are rows."""
    columns = ("model", *(row.replace("_", " ") for _, row, _ in layout.rows))
    return columns, tuple(
        (
            short(_label(rater, labels)),
            *(_value(layout.cell(row, rater)) for row in layout.rows),
        )
        for rater in layout.raters
    )


def _down(layout: PaperTable, labels: Mapping[str, str]) -> _Shaped:
    """Raters are columns, one's own where they are seen without scrolling."""
    raters = sorted(layout.raters, key=lambda rater: rater[0] != OWN_RESULT)
    columns = (layout.table, *(_label(rater, labels).replace("-", HYPHEN) for rater in raters))
    return columns, tuple(
        (TableCell(name, block), *(_value(layout.cell((block, name, measure), r)) for r in raters))
        for block, name, measure in layout.rows
    )


def _label(rater: tuple[str, str], labels: Mapping[str, str]) -> str:
    origin, name = rater
    return f"own: {labels[name]}" if origin == OWN_RESULT else name


def _value(value: PublishedValue | None) -> TableCell:
    if value is None:
        return NO_NUMBER
    if value.measure == PERPLEXITY:
        return TableCell(f"{value.value:,.2f}", sort="number")
    n = int(value.n) if value.origin == OWN_RESULT and value.n is not None else None
    if value.half_width is not None:
        parts = [f"± {percent(value.half_width)}", f"n {count(n)}" if n is not None else ""]
        return TableCell(percent(value.value), ", ".join(filter(None, parts)), sort="number")
    return TableCell(percent(value.value), interval(value.low, value.high, n), sort="number")


def suites_answer(
    material: ReportData, suites: SuitesData, raters: Sequence[Rater]
) -> Mapping[str, Any]:
    """Of controlled suites: of originals and nonce variants the score over the variants."""
    labels = {rater.name: rater.label for rater in raters}
    scores = [r for r in suites.scores if r["level"] == SCORE and r["rater"] in labels]
    names = {row["name"] for row in scores}
    name = "nonce" if "nonce" in names else min(names, default="")
    rows = [row for row in scores if row["name"] == name]
    small = toys(material)
    models = [row for row in rows if row["rater"] != HUMANS]
    grown = [row for row in models if row["rater"] not in small]
    best = max(grown, key=lambda row: row["accuracy"], default=None)
    guess, verdict = _best_guess(suites, best) if best else (None, "")
    circuits = sorted(
        (
            row
            for row in suites.scores
            if best
            and row["level"] == CIRCUIT
            and row["rater"] == best["rater"]
            and row["n_items"] >= FEWEST
        ),
        key=lambda row: row["accuracy"],
    )
    present = {row["rater"] for row in rows}
    return {
        "name": name,
        "labels": labels,
        "models": models,
        "best": best,
        "n_models": len(grown),
        "guess": guess,
        "above": verdict,
        "rows": rows,
        "shared": suites.shared if len(labels) > 1 and rows else (),
        "alone": [labels[rater] for rater, *_ in suites.shared if rater not in present],
        "weakest": circuits[0] if len(circuits) > 1 else None,
        "strongest": circuits[-1] if len(circuits) > 1 else None,
        "people": next((row for row in rows if row["rater"] == HUMANS), None),
        "toys": [labels[row["rater"]] for row in models if row not in grown],
    }


def _best_guess(suites: SuitesData, best: Record) -> tuple[Record | None, str]:
    blind = [
        row
        for row in suites.baselines
        if row["name"] == best["name"] and row["rater"] not in CUE_FINDERS
    ]
    guess = max(blind, key=lambda row: row["accuracy"], default=None)
    if guess is None:
        return None, ""
    return guess, suites.above[best["name"], best["rater"], guess["rater"]]
