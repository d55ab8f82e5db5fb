"""Figures of the page on controlled suites: surprisal by region and condition, one a suite."""

from collections.abc import Iterator, Sequence

from colorless_green.data.tables import Row
from colorless_green.humans.collection.scores import SCORE
from colorless_green.humans.page.drawings import Axis, Mark, lines
from colorless_green.humans.page.material import Suites, of_rows
from colorless_green.humans.page.parts import (
    THIN,
    Cell,
    Figure,
    Panel,
    Rater,
    figure,
    number,
    series,
    text,
    whole,
)
from colorless_green.nonce.formats.pairs import SENTENCE

LONGEST = 14  # letters of a region's name


def regions(suites: Suites, raters: Sequence[Rater]) -> Iterator[Figure]:
    """A figure for each suite whose regions are known, a panel for each model; of several
    suites the model with the best score alone. Whole sentences have no regions to tell
    apart."""
    rows = suites.regions
    known = of_rows(rows, raters)
    names = list(dict.fromkeys(text(row, "suite") for row in rows))
    if len(names) > 1:
        by_name = {rater.name: rater for rater in raters}
        scores = [r for r in suites.scores if r["level"] == SCORE and r["rater"] in by_name]
        scores.sort(key=lambda row: -(number(row, "accuracy") or 0.0))
        known = [by_name[text(row, "rater")] for row in scores[:1]]
    formulas = {each.suite: each.prediction for each in suites.predicted}
    for place, name in enumerate(names):
        own = [row for row in rows if text(row, "suite") == name]
        if any(text(row, "region") != SENTENCE for row in own):
            formula = formulas.get(name, "")
            yield _figure(name, f"regions-figure-{place}", own, known, formula)


def _figure(
    suite: str, name: str, rows: Sequence[Row], raters: Sequence[Rater], formula: str
) -> Figure:
    legend = series(dict.fromkeys(text(row, "condition") for row in rows))
    labels = {rater.name: rater.label for rater in raters}
    return figure(
        name,
        suite,
        f"Mean surprisal over items, with 95{THIN}% intervals. Grey: regions of the prediction"
        + (f", {formula}." if formula else "."),
        [
            _panel(rater.label, own, legend)
            for rater in raters
            if (own := [row for row in rows if text(row, "rater") == rater.name])
        ],
        legend,
        [row for row in rows if text(row, "rater") in labels],
        {
            "condition": "condition code",
            "region": "region short",
            "model": lambda row: Cell(labels[text(row, "rater")]),
            "in the prediction": lambda row: Cell("yes" if whole(row, "predicted") else ""),
            "items": "n_items count",
            "bits": "surprisal_bits 2",
            "95 % low": "low 2",
            "95 % high": "high 2",
        },
        data_title=f"Surprisal by region, {suite}",
    )


def _panel(heading: str, rows: Sequence[Row], legend: Sequence[Rater]) -> Panel:
    looks = {rater.name: rater for rater in legend}
    ordered = sorted(rows, key=lambda row: whole(row, "position"))
    marks = []
    for row in ordered:
        bits = number(row, "surprisal_bits") or 0.0
        says = f"{text(row, 'condition')}, {text(row, 'region')}: {bits:.2f} bits"
        ends = number(row, "low"), number(row, "high")
        marks.append(Mark(looks[text(row, "condition")], bits, *ends, says, whole(row, "position")))
    ticks = {float(whole(row, "position")): _short(text(row, "region")) for row in ordered}
    shaded = sorted({whole(row, "position") for row in rows if whole(row, "predicted")})
    top = max(max(mark.value, mark.high or 0.0) for mark in marks)
    across = Axis("", ticks, (min(ticks) - 0.5, max(ticks) + 0.5))
    up = Axis("surprisal, bits", ends=(0, 1.05 * top or 1.0))
    return lines(heading, marks, across, up, smaller=1.5, shaded=shaded)


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
