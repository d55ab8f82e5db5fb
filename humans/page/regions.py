"""Figures of the page on controlled suites: surprisal by region and condition, one a suite."""

from collections.abc import Iterator, Sequence

from colorless_green.data.tables import Row
from colorless_green.humans.collection.scores import SCORE
from colorless_green.humans.page.drawings import Axis, Spot, figure, lines
from colorless_green.humans.page.material import Suites
from colorless_green.humans.page.parts import Drawing, Figure, Panel
from colorless_green.humans.page.raters import Rater, of_rows, series
from colorless_green.humans.page.tables import (
    THIN,
    Cell,
    code,
    counted,
    decimal,
    number,
    short,
    table,
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
    legend = series(list(dict.fromkeys(text(row, "condition") for row in rows)))
    labels = {rater.name: rater.label for rater in raters}
    panels = [
        Panel(
            rater.label,
            _region_lines(
                [row for row in rows if text(row, "rater") == rater.name],
                legend,
                f"{name}-{n}",
                f"Surprisal by region: {suite}, {rater.label}",
            ),
        )
        for n, rater in enumerate(raters)
        if any(text(row, "rater") == rater.name for row in rows)
    ]
    return figure(
        name,
        suite,
        f"Mean surprisal over items, with 95{THIN}% intervals. Grey: regions of the prediction"
        + (f", {formula}." if formula else "."),
        panels,
        legend,
        table(
            f"{name}-data",
            f"Surprisal by region, {suite}: the numbers in the figure",
            [row for row in rows if text(row, "rater") in labels],
            {
                "condition": lambda row: code(text(row, "condition")),
                "region": lambda row: short(text(row, "region")),
                "model": lambda row: Cell(labels[text(row, "rater")]),
                "in the prediction": lambda row: Cell("yes" if whole(row, "predicted") else ""),
                "items": lambda row: counted(whole(row, "n_items")),
                "bits": lambda row: decimal(number(row, "surprisal_bits"), 2),
                "95 % low": lambda row: decimal(number(row, "low"), 2),
                "95 % high": lambda row: decimal(number(row, "high"), 2),
            },
        ),
    )


def _region_lines(rows: Sequence[Row], legend: Sequence[Rater], name: str, title: str) -> Drawing:
    looks = {rater.name: rater for rater in legend}
    ordered = sorted(rows, key=lambda row: whole(row, "position"))
    spots = []
    for row in ordered:
        bits = number(row, "surprisal_bits") or 0.0
        says = f"{text(row, 'condition')}, {text(row, 'region')}: {bits:.2f} bits"
        ends = number(row, "low"), number(row, "high")
        spots.append(Spot(looks[text(row, "condition")], whole(row, "position"), bits, *ends, says))
    ticks = {float(whole(row, "position")): _short(text(row, "region")) for row in ordered}
    shaded = sorted({whole(row, "position") for row in rows if whole(row, "predicted")})
    top = max(max(spot.y, spot.high or 0.0) for spot in spots)
    across = Axis("", ticks, (min(ticks) - 0.5, max(ticks) + 0.5))
    up = Axis("surprisal, bits", ends=(0, 1.05 * top or 1.0))
    return lines(spots, name, title, across, up, smaller=1.5, shaded=shaded)


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
