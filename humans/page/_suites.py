"""Controlled suites: scores by circuit, modifier and suite, tests between raters, and surprisal by
region."""

from collections.abc import Iterator

import polars as pl

from ...data.formats.pair_formats import SENTENCE
from ...nonce.audit.baselines import BASELINES, CUE_FINDERS
from ..collection.suite_scores import CIRCUIT, MODIFIER, OWN, SCORE, SUITE
from . import _page_table as form
from ._drawings import Axis, MarkStyle, PlotMark, blocks, lines
from ._page_table import RIGHT, THIN, Column, Table, TableCell, pivot
from ._parts import Figure, Panel, Rater, Section, figure, series
from ._report_data import ReportData, SuitesData

MOST_TESTS = 20  # within suites; the file has them all
LEVEL_HOLM = 0.05 / 4
LONGEST = 14  # letters of a region's name
COUNTS = (
    Column("suites", "n_suites", form.count_cell),
    Column("items", "n_items", form.count_cell),
)


def suite_sections(material: ReportData, suites: SuitesData) -> Iterator[Section]:
    """Yield the sections of results, less that of models and people."""
    results = (
        _scores(material, suites),
        _by_suite(material, suites),
        _baselines(suites),
        _tests(material, suites),
    )
    yield Section("results", "Results", tables=results, is_open=True)
    figures = (
        *_levels(material, suites, CIRCUIT, "circuits-figure", "Score by circuit",
                 "The unweighted mean of the accuracies of a circuit's (phenomenon's) suites."),
        *_levels(material, suites, MODIFIER, "modifiers-figure", "With and without modifiers",
                 "The mean over suites that are there with and without a modifier."),
    )  # fmt: skip
    if figures:
        yield Section("figures", "By circuit and modifier", figures=figures)
    if plots := tuple(_regions(material, suites)):
        yield Section("regions", "Surprisal by region", figures=plots)


def score_figure(material: ReportData, suites: SuitesData) -> tuple[Figure, ...]:
    """Return the figure of scores, the best on top (Hu et al. 2020, Figure 1)."""
    return _levels(
        material, suites, SCORE, "scores-figure", f"Score over all {suites.unit}s",
        f"The unweighted mean of the accuracies of all {suites.unit}s, over the items that every"
        " rater could answer.",
    )  # fmt: skip


def _shown(material: ReportData, rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of raters that are shown, with their labels."""
    names = [rater.name for rater in material.raters]
    shown = rows.filter(pl.col("rater").is_in(names))
    return shown.with_columns(label=pl.col("rater").replace(dict(material.labels)))


def _over(level: str, name: str) -> TableCell:
    """Format a score's name; of what the rater alone answered, it says so."""
    if level == OWN:
        return TableCell(f"all it answered{f', {form.kind_name(name)}' if name else ''}")
    return TableCell((form.kind_name(name) if level == SCORE else name) if name else "all")


def _levels(
    material: ReportData, suites: SuitesData, level: str, name: str, title: str, caption: str
) -> tuple[Figure, ...]:
    """Return the figure of a level of scores, a block for each name; nothing of a single circuit
    or without any."""
    rows = _shown(material, suites.scores.filter(level=level))
    if level == SCORE:
        rows = rows.sort("name", -pl.col("accuracy"), maintain_order=True)
    if rows["name"].n_unique() < 1 + (level != SCORE):
        return ()
    raters = [rater for rater in material.raters if rater.name in rows["rater"]]
    caption += (
        f" Lines are 95{THIN}% intervals over items within the same suites; the dashed line is"
        " chance."
    )
    columns = [
        Column(level, "level name", _over),
        Column("rater", "label"),
        *COUNTS,
        *RIGHT,
        Column("chance, %", "chance", form.share),
    ]
    marks = [{**row, "block": _over(level, row["name"]).text} for row in rows.to_dicts()]
    return (figure(name, title, caption, [blocks("", marks, raters)], raters, columns, rows),)


def prediction_table(suites: SuitesData) -> Table:
    """Return the table of predictions, a row a suite."""
    return Table(
        "predictions",
        "Predictions",
        [
            Column("suite", "suite"),
            Column("circuit", "circuit"),
            Column("items", "n_items", form.count_cell),
            Column("prediction", "prediction", form.code),
            Column("chance, %", "chance method", form.share),
        ],
        suites.predicted,
        "(6;%name%) is the surprisal of region 6 in the condition of that name, (*;%name%) that of"
        " the whole sentence; & is and, | is or. Chance: how often it would hold for random"
        " values.",
    )


def _range(low: float | None, high: float | None) -> TableCell:
    return TableCell(form.limits(low, high), sort="number")


def _with_sd(value: float, sd: float | None) -> TableCell:
    return form.share(value, "" if sd is None else f"sd {form.points(sd).removeprefix('+')}")


def _scores(material: ReportData, suites: SuitesData) -> Table:
    return Table(
        "scores",
        "Scores",
        [
            Column("over", "level name", _over),
            Column("rater", "label"),
            *COUNTS,
            Column("right, %", "accuracy sd", _with_sd),
            Column("other items", "low high", _range),
            Column("other suites", "suites_low suites_high", _range),
            Column("chance, %", "chance", form.share),
            Column("ties", "n_ties", form.count_cell),
            Column("OOV", "n_oov", form.count_cell),
        ],
        _shown(material, suites.scores.filter(pl.col("level") != SUITE)),
        f"Means over {suites.unit}s. Two 95 % intervals: over items within the same suites, and"
        " over suites. OOV are items of which a word-level model does not know a scored word; they"
        " are left out unless the run was told to keep them. All are over the suites and items that"
        " every rater could answer, except where a row says that it is over all that its rater"
        " answered: such rows cannot be compared.",
    )


def _by_suite(material: ReportData, suites: SuitesData) -> Table:
    """Return the table of all suites, a column for each rater; nothing of a single suite."""
    rows = _shown(material, suites.scores.filter(level=SUITE))
    circuits = {row["suite"]: row["circuit"] for row in suites.predicted.iter_rows(named=True)}
    table = [
        {**row, "circuit": circuits.get(row["name"], "")}
        for row in pivot(rows.to_dicts(), ("name",), [rater.name for rater in material.raters])
    ]
    return Table(
        "suites",
        f"Every {suites.unit}",
        [
            Column(suites.unit, "name", form.code),
            Column("circuit", "circuit"),
            *(Column(f"{rater.label}, %", (rater.name,)) for rater in material.raters),
            Column("chance, %", "chance", form.share),
        ],
        table if len(table) > 1 else [],
        "Below each the 95 % interval over items and the number of items.",
        is_folded=True,
    )


def _baselines(suites: SuitesData) -> Table:
    rows = [
        {**row, "sees": row["rater"] in CUE_FINDERS, "phrase": BASELINES[row["rater"]].phrase}
        for row in suites.baselines.iter_rows(named=True)
    ]
    return Table(
        "baselines",
        "Rules that know no syntax",
        [
            Column("baseline", "rater phrase", form.code),
            Column("over", "level name", _over),
            Column("finds the cue", "sees", form.yes_no),
            *COUNTS,
            *RIGHT,
        ],
        rows,
        "The audit's baselines, on the suites and items that raters are compared on, as far as they"
        " can judge them all. Those that find the cue by the way the items are made do not measure"
        " what is possible without syntax.",
        is_folded=True,
    )


def _tests(material: ReportData, suites: SuitesData) -> Table:
    """Return differences of raters on the same items, over all suites and in each."""
    labels = {rater.name: rater.label for rater in material.raters}
    names = [*labels]
    shown = pl.col("rater").is_in(names) & pl.col("other").is_in(names)
    pairs = suites.paired.filter(shown).with_columns(pl.col("rater", "other").replace(labels))
    over = pairs.filter(pl.col("n_suites") > 1)
    singles = pairs.filter(n_suites=1).sort("p", nulls_last=True, maintain_order=True)
    n_out = singles.height - MOST_TESTS
    return Table(
        "tests",
        "Differences between raters, on the same items",
        [
            Column("over", "name n_suites", _scope),
            Column("rater", "rater"),
            Column("other", "other"),
            Column("items", "n_items", form.count_cell),
            Column("rater, %", "accuracy", form.share),
            Column("other, %", "other_accuracy", form.share),
            Column("difference", "difference low high", form.difference),
            Column("p", "p p_floor", _p_with_floor),
            Column("p (Holm)", "p_holm", form.p_value),
        ],
        pl.concat([over, singles.head(MOST_TESTS)]),
        "Difference in percentage points with its 95 % interval. p is two-sided, from flipping the"
        " sign of whole suites (all suites) or of items; Holm's adjustment is over the pairs of"
        " raters, within suites over pairs and suites."
        + (f" The {n_out} suites with the largest p are not listed." if n_out > 0 else ""),
        is_folded=True,
    )


def _scope(name: str, n_suites: int) -> TableCell:
    if n_suites == 1:
        return TableCell(name)
    return TableCell(
        f"{form.kind_name(name)}, {n_suites} suites" if name else f"all {n_suites} suites"
    )


def _p_with_floor(p: float | None, floor: float | None) -> TableCell:
    cell = form.p_value(p)
    is_shown = floor is not None and LEVEL_HOLM < floor < 1
    return TableCell(cell.text, f"≥ {floor:.3f}" if is_shown else "", "number", p)


def _regions(material: ReportData, suites: SuitesData) -> Iterator[Figure]:
    """Yield a figure for each suite whose regions are known, a panel for each model; of several
    suites the model with the best score alone. Whole sentences have no regions to tell apart."""
    rows = _shown(material, suites.regions)
    formulas = {row["suite"]: row["prediction"] for row in suites.predicted.iter_rows(named=True)}
    names = rows["suite"].unique(maintain_order=True).to_list()
    if len(names) > 1:
        scores = _shown(material, suites.scores.filter(level=SCORE)).sort("accuracy")
        best = [name for name in scores["rater"] if name in rows["rater"]][-1:]
        rows = rows.filter(pl.col("rater").is_in(best))
    for index, name in enumerate(names):
        of_suite = rows.filter(suite=name)
        if not (of_suite["region"] != SENTENCE).any():
            continue
        legend = series(of_suite["condition"].unique(maintain_order=True))
        formula = f", {formulas[name]}" if formulas.get(name) else ""
        yield figure(
            f"regions-figure-{index}",
            name,
            f"Mean surprisal over items, with 95{THIN}% intervals. Grey: regions of the"
            f" prediction{formula}.",
            [
                _region_panel(label, of_suite.filter(label=label), legend)
                for label in of_suite["label"].unique(maintain_order=True)
            ],
            legend,
            [
                Column("condition", "condition", form.code),
                Column("region", "region", form.short),
                Column("model", "label"),
                Column("in the prediction", "predicted", lambda n: TableCell("yes" if n else "")),
                Column("items", "n_items", form.count_cell),
                Column("bits", "surprisal_bits", form.decimals(2)),
                Column("95 % low", "low", form.decimals(2)),
                Column("95 % high", "high", form.decimals(2)),
            ],
            of_suite,
        )


def _region_panel(heading: str, rows: pl.DataFrame, legend: list[Rater]) -> Panel:
    looks = {rater.name: rater for rater in legend}
    ordered = list(rows.sort("position", maintain_order=True).iter_rows(named=True))
    marks = []
    for row in ordered:
        bits = row["surprisal_bits"]
        alt = f"{row['condition']}, {row['region']}: {bits:.2f} bits"
        ends = row["low"], row["high"]
        marks.append(PlotMark(looks[row["condition"]], bits, *ends, alt, row["position"]))
    ticks = {
        float(row["position"]): name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
        for row in ordered
        for name in [row["region"]]
    }
    shaded = sorted({row["position"] for row in ordered if row["predicted"]})
    top = max(max(mark.value, mark.high or 0.0) for mark in marks)
    across = Axis("", ticks, (min(ticks) - 0.5, max(ticks) + 0.5))
    up = Axis("surprisal, bits", ends=(0, 1.05 * top or 1.0))
    return lines(heading, marks, across, up, style=MarkStyle(smaller=1.5), shaded=shaded)
