"""Figures of the page on controlled suites: scores, circuits, modifiers, suites × raters,
perplexity, correlations, shallow predictors, surprisal by region."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

from ...data.formats.pair_formats import SENTENCE
from ...scoring.outcomes.collection import WITH, WITHOUT
from ..collection.shallow import PREDICTORS
from ..collection.suite_scores import CIRCUIT, MODIFIER, SCORE, SUITE
from ._drawings import (
    RATER,
    Axis,
    MarkGroup,
    MarkStyle,
    PlotMark,
    blocks,
    fields,
    lines,
    share_mark,
    share_text,
)
from ._parts import (
    COUNTS,
    NONE,
    RIGHT,
    THIN,
    Column,
    Figure,
    Panel,
    Rater,
    Record,
    TableCell,
    code,
    count,
    count_cell,
    decimal,
    figure,
    interval,
    panel_name,
    percent,
    points,
    series,
    share,
    signed,
)
from ._report_data import ReportData, SuitesData, raters_in_rows

MOST_RATERS = 8  # columns of fields that have room for a number
STEPS = ((1, 1.5, 2, 3, 5, 7), (1, 2, 5), (1,))  # of a logarithmic scale, from fine to coarse
MOST_TICKS = 6
CORRELATED = {"pearson": "Pearson's r", "spearman": "Spearman's ρ"}


class SuitePage:
    """What is drawn and tabulated of the suites of one page."""

    def __init__(self, material: ReportData, suites: SuitesData, raters: Sequence[Rater]) -> None:
        self.material = material
        self.suites = suites
        self.raters = raters
        self.by_name = {rater.name: rater for rater in raters}

    def _level(self, level: str) -> list[Record]:
        """The rows of collection.tsv of one level, those of the raters that are shown."""
        rows = (row for row in self.suites.scores if row["level"] == level)
        return [row for row in rows if row["rater"] in self.by_name]

    def _mark(self, row: Record, name: str, *, hollow: bool = False) -> PlotMark:
        """A rater's accuracy under a name."""
        rater, low, high = self.by_name[row["rater"]], row["low"], row["high"]
        value = row["accuracy"]
        alt = share_text(name, rater.label, value, low, high, row["n_items"])
        return share_mark(rater, value, low, high, alt, hollow=hollow)

    def _columns(self, heading: str) -> Mapping[str, Column]:
        return {
            heading: lambda row: TableCell(row["name"] or "all suites"),
            "rater": lambda row: TableCell(self.by_name[row["rater"]].label),
            **COUNTS,
            **RIGHT,
            "chance, %": "chance share",
        }

    def figures(self) -> Iterator[Figure]:
        """All but the scores and the regions, in the order of the page."""
        for make in (self._circuits, self._suites, self._modifiers, self._perplexity,
                     self._matrix, self._shallow):  # fmt: skip
            yield from make()

    def scores(self) -> Iterator[Figure]:
        """Raters by score, the best on top (Hu et al. 2020, Figure 1)."""
        rows = self._level(SCORE)
        rows.sort(key=lambda row: (row["name"], -row["accuracy"]))
        if not rows:
            return
        groups = []
        for row in rows:
            kind, label = row["name"], self.by_name[row["rater"]].label
            heading = f"{label}, {panel_name(kind)}" if kind else label
            groups.append(MarkGroup(heading, (self._mark(row, heading),), row["chance"]))
        yield figure(
            "scores-figure",
            "Score over all suites",
            "The unweighted mean of the accuracies of all suites (the SG score of Hu and others"
            " 2020; of a suite with several constructions each counts as one). Lines are 95 %"
            " intervals over items within the same suites. The dashed line is chance: the mean of"
            " the suites'. All are over the items that every rater could answer.",
            [blocks("", groups)],
            (),
            rows,
            self._columns("score"),
        )

    def _circuits(self) -> Iterator[Figure]:
        """A block for each circuit (Hu et al. 2020, Figure 5) or phenomenon, if there are two."""
        rows = self._level(CIRCUIT)
        names = list(dict.fromkeys(row["name"] for row in rows))
        if len(names) < 2:
            return
        groups = []
        for circuit in names:
            by_rater = {row["rater"]: row for row in rows if row["name"] == circuit}
            marks = tuple(
                self._mark(by_rater[r.name], circuit) for r in self.raters if r.name in by_rater
            )
            chance = next(iter(by_rater.values()))["chance"]
            groups.append(MarkGroup(circuit, marks, chance))
        half = (len(groups) + 1) // 2 if len(groups) * len(self.raters) > 24 else len(groups)
        parts = [part for part in (groups[:half], groups[half:]) if part]
        yield figure(
            "circuits-figure",
            "Score by circuit",
            "The unweighted mean of the accuracies of a circuit's (phenomenon's) suites, with 95 %"
            " intervals over items. Dashed: the mean chance of its suites.",
            [blocks("", part) for part in parts],
            self.raters,
            rows,
            self._columns("circuit"),
        )

    def _modifiers(self) -> Iterator[Figure]:
        """Are scores stable when a modifier is put in? (Hu et al. 2020, Figure 6)"""
        rows = self._level(MODIFIER)
        if not rows:
            return
        by_cell = {(row["rater"], row["name"]): row for row in rows}
        groups = []
        for rater in self.raters:
            plain, modified = (by_cell.get((rater.name, name)) for name in (WITHOUT, WITH))
            if plain is None or modified is None:
                continue
            change = modified["accuracy"] - plain["accuracy"]
            heading = f"{rater.label}: {points(change)} points"
            marks = (self._mark(plain, heading), self._mark(modified, heading, hollow=True))
            groups.append(MarkGroup(heading, marks, plain["chance"]))
        n_pairs = max(row["n_suites"] for row in rows)
        pairs = "one pair of suites" if n_pairs == 1 else f"{n_pairs} pairs of suites"
        yield figure(
            "modifiers-figure",
            "With and without modifiers",
            f"The mean of {pairs}, the one without a modifier (filled) and the same with one"
            f" (hollow), with 95{THIN}% intervals over items; points are the difference. Dashed:"
            " chance.",
            [blocks("", groups)],
            (),
            rows,
            self._columns("modifier"),
        )

    def _suites(self) -> Iterator[Figure]:
        """Every suite and every rater, a field each; a panel for each circuit."""
        by_cell = {(r["name"], r["rater"]): r for r in self._level(SUITE)}
        names = list(dict.fromkeys(suite for suite, _ in by_cell))
        if len(names) < 2:
            return
        circuits = {predicted.suite: predicted.circuit for predicted in self.suites.predicted}
        groups: dict[str, list[str]] = {}
        for suite in names:
            groups.setdefault(circuits.get(suite, ""), []).append(suite)
        heads, more = self.raters[:MOST_RATERS], len(self.raters) - MOST_RATERS

        def field(suite: str, rater: Rater) -> tuple[float | None, str, str]:
            row = by_cell.get((suite, rater.name))
            value, n = (row["accuracy"], row["n_items"]) if row else (None, 0)
            alt = f"{suite}, {rater.label}: {percent(value)} %, n = {count(n)}"
            return value, NONE if value is None else f"{100 * value:.0f}", alt

        def cell(rater: Rater) -> Callable[[str], TableCell]:
            def suite_cell(suite: str) -> TableCell:
                row = by_cell.get((suite, rater.name))
                if row is None:
                    return share(None)
                return share(row["accuracy"], interval(row["low"], row["high"], row["n_items"]))

            return suite_cell

        chances = {suite: row["chance"] for (suite, _), row in by_cell.items()}
        yield figure(
            "suites-figure",
            "Suites and models",
            "Per cent of a suite's items for which its prediction holds; the fuller the colour, the"
            " more. Chance differs from suite to suite: the table has it."
            + (f" {more} models are only in the table." if more > 0 else ""),
            [
                fields(circuit, rows, heads,
                       {(name, rater.name): field(name, rater) for name in rows for rater in heads})
                for circuit, rows in groups.items()
            ],
            heads,
            names,
            {
                "suite": lambda suite: code(suite),
                "circuit": lambda suite: TableCell(circuits.get(suite, "")),
                **{f"{rater.label}, %": cell(rater) for rater in self.raters},
                "chance, %": lambda suite: share(chances[suite]),
            },
            "Below each the 95 % interval over items and the number of items.",
        )  # fmt: skip

    def _perplexity(self) -> Iterator[Figure]:
        """Score against perplexity (Hu et al. 2020, Figure 2): a mark for each model with one, a
        line for each other."""
        perplexities = {
            r.model: r.perplexity for r in self.material.runs if r.perplexity is not None
        }
        scores = self._level(SCORE)
        score_name = scores[-1]["name"] if scores else ""  # of originals and variants the variants'
        rows = {row["rater"]: row for row in scores if row["name"] == score_name}
        scored = [rater for rater in self.raters if rater.name in rows]
        logs = [
            math.log10(perplexities[rater.name]) for rater in scored if rater.name in perplexities
        ]
        if not logs:
            return
        ends = min(logs) - 0.15, max(logs) + 0.15
        marks, dashed = [], []
        for rater in scored:
            row, perplexity = rows[rater.name], perplexities.get(rater.name)
            value = row["accuracy"]
            if perplexity is None:
                dashed.append((100 * value, RATER.format(rater.colour)))
                continue
            alt = f"{rater.label}: perplexity {perplexity:,.1f}, score {percent(value)} %"
            limits = row["low"], row["high"]
            marks.append(share_mark(rater, value, *limits, alt, math.log10(perplexity)))
        ticks = {math.log10(tick): f"{tick:,g}" for tick in _round_numbers(*ends)}
        across, up = Axis("perplexity", ticks, ends), Axis("score, per cent", ends=(0, 102))
        yield figure(
            "perplexity-figure",
            "Score and perplexity",
            "The score over all suites against perplexity on each model's own held-out text, on a"
            " logarithmic scale; lower is better. Perplexities compare only between models with the"
            " same text and the same units. Dashed lines are raters without one.",
            [lines("", marks, across, up, style=MarkStyle(joined=False), levels=dashed)],
            scored,
            [
                {**rows[r.name], "label": r.label, "perplexity": perplexities.get(r.name)}
                for r in scored
            ],
            {
                "rater": "label",
                "perplexity": "perplexity 1",
                "score, %": "accuracy share",
                "95 % low": "low share",
                "95 % high": "high share",
            },
        )

    def _matrix(self) -> Iterator[Figure]:
        """Which raters find the same suites hard (Warstadt et al. 2020, Figure 1)."""
        rows = self.suites.correlations
        by_pair = {(r["rater"], r["other"]): r for r in rows}
        by_pair |= {(other, row_rater): row for (row_rater, other), row in by_pair.items()}
        raters = [rater for rater in self.raters if any(rater.name in pair for pair in by_pair)]
        if len(raters) < 2:
            return

        def field(rater: Rater, other: Rater, measure: str) -> tuple[float | None, str, str]:
            value = by_pair.get((rater.name, other.name), {}).get(measure)
            rounded = NONE if value is None else signed(value, 2).removeprefix("+")
            return value, rounded, f"{rater.label} and {other.label}: {rounded}"

        yield figure(
            "correlations-figure",
            "Who finds the same suites hard",
            "Correlation of two raters' accuracies over the suites (or paradigms) that all have."
            " Blue fields are positive, orange ones negative; a dash is no variation.",
            [
                fields(
                    label,
                    [rater.label for rater in raters],
                    raters,
                    {
                        (row_rater.label, other.name): field(row_rater, other, measure)
                        for row_rater in raters
                        for other in raters
                        if row_rater is not other
                    },
                )
                for measure, label in CORRELATED.items()
            ],
            raters,
            rows,
            {
                "rater": lambda row: TableCell(self.by_name[row["rater"]].label),
                "other": lambda row: TableCell(self.by_name[row["other"]].label),
                "suites": "n_suites count",
                **{label: f"{measure} 2" for measure, label in CORRELATED.items()},
            },
        )

    def _shallow(self) -> Iterator[Figure]:
        """Success by what is not grammar: length, probability, confidence (Warstadt et al. 2020,
        Figure 2)."""
        rows = [row for row in self.suites.shallow if row["rater"] in self.by_name]
        if not rows:
            return
        panels = []
        for predictor in PREDICTORS:
            of_predictor = [row for row in rows if row["predictor"] == predictor]
            bins = [row for row in of_predictor if row["bin"]]
            if not of_predictor:
                continue
            notes = tuple(
                f"{self.by_name[row['rater']].label}: r ="
                f" {NONE if (r := row['correlation']) is None else signed(r, 2)},"
                f" n = {count(row['n_items'])}"
                for row in of_predictor
                if not row["bin"]
            )
            n_bins = max((row["bin"] for row in bins), default=1)
            ticks = {float(n): str(n) for n in range(1, n_bins + 1)}
            panels.append(
                lines(
                    f"{predictor}: {PREDICTORS[predictor]}",
                    [self._quantile(row, predictor) for row in bins],
                    Axis(f"{predictor}, from low to high", ticks, (0.5, n_bins + 0.5)),
                    Axis("right, per cent", ends=(0, 102)),
                    style=MarkStyle(smaller=1),
                    alt=" ".join(notes),
                    notes=notes,
                )
            )
        yield figure(
            "shallow-figure",
            "What else goes with success",
            "All items by quantiles of a predictor, from the lowest values to the highest; equal"
            f" values stand together, so that there may be fewer than ten. Lines are 95{THIN}%"
            " intervals over items; r is the point-biserial correlation, of people Pearson's with"
            " the share of right answers. Probabilities are there where whole sentences were"
            " scored.",
            panels,
            raters_in_rows(rows, self.raters),
            rows,
            {
                "predictor": "predictor short",
                "rater": lambda row: TableCell(self.by_name[row["rater"]].label),
                "quantile": lambda row: (
                    count_cell(row["bin"]) if row["bin"] else TableCell("all", sort="number")
                ),
                "from": "from 1",
                "to": "to 1",
                "items": "n_items count",
                **RIGHT,
                "r": lambda row: decimal(None if row["bin"] else row["correlation"], 2),
            },
        )

    def _quantile(self, row: Record, predictor: str) -> PlotMark:
        ends = [row[name] for name in ("from", "to")]
        bounds = " to ".join(f"{end:,.1f}" for end in ends if end is not None) or "all"
        rater, value = self.by_name[row["rater"]], row["accuracy"]
        alt = (
            f"{rater.label}, {predictor} {bounds}: {percent(value)} %, n = {count(row['n_items'])}"
        )
        limits = row["low"], row["high"]
        return share_mark(rater, value, *limits, alt, row["bin"])


def _round_numbers(low: float, high: float) -> list[float]:
    """Round numbers whose logarithms lie between, as many as there is room for."""
    fitting: list[float] = []
    for steps in STEPS:
        numbers = [step * 10.0**power for power in range(8) for step in steps]
        fitting = [value for value in numbers if low <= math.log10(value) <= high]
        if len(fitting) <= MOST_TICKS:
            break
    return fitting


LONGEST = 14  # letters of a region's name


def regions(suites: SuitesData, raters: Sequence[Rater]) -> Iterator[Figure]:
    """A figure for each suite whose regions are known, a panel for each model; of several
    suites the model with the best score alone. Whole sentences have no regions to tell
    apart."""
    rows = suites.regions
    chosen = raters_in_rows(rows, raters)
    names = list(dict.fromkeys(row["suite"] for row in rows))
    if len(names) > 1:
        by_name = {rater.name: rater for rater in raters}
        scores = [r for r in suites.scores if r["level"] == SCORE and r["rater"] in by_name]
        scores.sort(key=lambda row: -row["accuracy"])
        chosen = [by_name[row["rater"]] for row in scores[:1]]
    formulas = {predicted.suite: predicted.prediction for predicted in suites.predicted}
    for index, name in enumerate(names):
        suite_rows = [row for row in rows if row["suite"] == name]
        if any(row["region"] != SENTENCE for row in suite_rows):
            formula = formulas.get(name, "")
            yield _figure(name, f"regions-figure-{index}", suite_rows, chosen, formula)


def _figure(
    suite: str, name: str, rows: Sequence[Record], raters: Sequence[Rater], formula: str
) -> Figure:
    legend = series(dict.fromkeys(row["condition"] for row in rows))
    labels = {rater.name: rater.label for rater in raters}
    return figure(
        name,
        suite,
        f"Mean surprisal over items, with 95{THIN}% intervals. Grey: regions of the prediction"
        + (f", {formula}." if formula else "."),
        [
            _panel(rater.label, rater_rows, legend)
            for rater in raters
            if (rater_rows := [row for row in rows if row["rater"] == rater.name])
        ],
        legend,
        [row for row in rows if row["rater"] in labels],
        {
            "condition": "condition code",
            "region": "region short",
            "model": lambda row: TableCell(labels[row["rater"]]),
            "in the prediction": lambda row: TableCell("yes" if row["predicted"] else ""),
            "items": "n_items count",
            "bits": "surprisal_bits 2",
            "95 % low": "low 2",
            "95 % high": "high 2",
        },
        data_title=f"Surprisal by region, {suite}",
    )


def _panel(heading: str, rows: Sequence[Record], legend: Sequence[Rater]) -> Panel:
    looks = {rater.name: rater for rater in legend}
    ordered = sorted(rows, key=lambda row: row["position"])
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
    shaded = sorted({row["position"] for row in rows if row["predicted"]})
    top = max(max(mark.value, mark.high or 0.0) for mark in marks)
    across = Axis("", ticks, (min(ticks) - 0.5, max(ticks) + 0.5))
    up = Axis("surprisal, bits", ends=(0, 1.05 * top or 1.0))
    return lines(heading, marks, across, up, style=MarkStyle(smaller=1.5), shaded=shaded)
