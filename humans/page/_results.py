"""Accuracies on agreement items: the answer at a glance, tables by cell, value and construction,
curves over attractors and distance, and the rules that know no syntax."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...data.items.item import Item
from ...data.statistics.crossed import OVER_BOTH
from ...scoring.outcomes.accuracy import RELATION
from ...scoring.outcomes.run import STEP
from ..measures.accuracies import FEW_ITEMS
from ..statistics.rater_accuracy import HUMANS
from . import _page_table as form
from ._accuracies import CHANCE, LAST, Accuracies, compared_on, policies
from ._constructions import in_words
from ._drawings import SOFT, Axis, MarkStyle, PlotMark, blocks, lines, share_mark
from ._page_table import NO_NUMBER, RIGHT, THIN, Column, Table, TableCell, pivot
from ._parts import Figure, Panel, Rater, Record, figure, series

MOST = 40  # constructions drawn; the table has them all
MOST_VALUES = 12  # of a dimension that the first figure shows
SAME_ITEMS = "All raters are on the items that all of them could answer."
BY = {"cell": "cell of the set", "value": "value of the feature", "construction": "construction"}
RULES = (
    Column("strongest rule, %", "rule"),
    Column("strongest that does not see the head, %", "blind"),
)
POINT = (
    Column("sentences", "panel", form.short),
    Column("rater", "label"),
    Column("items", "n_items", form.count_cell),
    *RIGHT,
)


def answer_figure(accuracies: Accuracies) -> Iterator[Figure]:
    """Yield the figure of all items, then of each cell of the sets and value of the feature;
    nothing where nobody answered."""
    points = accuracies.points()
    for dimension in (RELATION, "cell", "value"):
        seen = {point["value"] for point in points}
        by_value = [point for point in accuracies.points(dimension) if point["value"] not in seen]
        if 1 < len({point["value"] for point in by_value}) <= MOST_VALUES:
            points += by_value
    subject = "People, models" if any(p["rater"] == HUMANS for p in points) else "Models"
    caption = policies(accuracies.material)
    if subject != "Models":
        caption = f"For people it is the mean over items of the share of right answers. {caption}"
    title = f"{subject} and the strongest rule, on the same items"
    if points:
        yield _blocks(accuracies, points, "answer-figure", title, "items that are", caption)


def construction_figure(accuracies: Accuracies) -> Iterator[Figure]:
    """Yield the figure of constructions; if these are too many, of the largest."""
    points = accuracies.points("construction")
    sizes: dict[str, int] = {}
    for point in points:
        sizes[point["value"]] = max(sizes.get(point["value"], 0), point["n_items"])
    shown = {"", *sorted(sizes, key=lambda name: -sizes[name])[:MOST]}
    points = [point for point in accuracies.points() + points if point["value"] in shown]
    n_more = len(sizes) - MOST
    more = f"The {n_more} constructions with the fewest items are only in the table."
    title = "Accuracy by construction"
    if points:
        caption = more if n_more > 0 else ""
        yield _blocks(accuracies, points, "constructions-figure", title, "construction", caption)


def _blocks(
    accuracies: Accuracies, points: Sequence[Record], name: str, title: str, heading: str,
    caption: str,
) -> Figure:  # fmt: skip
    """Return a figure with a panel for each kind of sentences, a block for each value."""
    all_items = "all constructions" if heading == "construction" else "all items"
    rows = [
        {**point, "block": point["value"] or all_items, "chance": CHANCE,
         "named": form.code(point["value"]) if point["value"] else form.short(all_items),
         "rule": accuracies.cell_of_rule(point)}
        for point in points
    ]  # fmt: skip
    methods = "; ".join(dict.fromkeys(row["method"] for row in rows if row["method"]))
    has_rule = any(row["rule"].value is not None for row in rows)
    raters = [r for r in accuracies.raters if any(row["rater"] == r.name for row in rows)]
    return figure(
        name,
        title,
        f"Share of items for which the right form won. Lines are 95{THIN}% intervals"
        f" ({methods or 'none here'}); the dashed line is chance, 50{THIN}%."
        + (" The grey bar is the strongest rule that knows no syntax." if has_rule else "")
        + f" {SAME_ITEMS}{' ' if caption else ''}{caption}",
        [
            blocks(panel, [row for row in rows if row["panel"] == panel], raters,
                   "right, per cent of items")
            for panel in dict.fromkeys(row["panel"] for row in rows)
        ],
        raters,
        [Column(heading, "named"), *POINT, RULES[0]],
        rows,
    )  # fmt: skip


CURVES = {  # dimension → name of the figure, unit, title, caption
    "n_attractors": (
        "attractors-figure",
        "attractors",
        "Accuracy by number of attractors",
        "Attractors are words between cue and target with the cue's part of speech and another"
        " value of the feature (Gulordava et al. 2018, Figure 2).",
    ),
    "gap": (
        "distance-figure",
        "tokens between",
        "Accuracy by distance",
        "Distance is the number of tokens between cue and target.",
    ),
}


def curves(accuracies: Accuracies) -> Iterator[Figure]:
    """Yield the curve over attractors and that over distance, each only where there are two
    points. A rater that has too few items in common with the others has no curve."""
    for dimension, (name, unit, title, caption) in CURVES.items():
        points = [p for p in accuracies.points(dimension) if p["value"] and not p["is_apart"]]
        if len({point["value"] for point in points}) < 2:
            continue
        names = {point["rater"] for point in points}
        raters = [rater for rater in accuracies.raters if rater.name in names]
        yield figure(
            name,
            title,
            f"{caption} {LAST[dimension]} and more are one point. Points from fewer than"
            f" {FEW_ITEMS} items are hollow. Lines are 95{THIN}% intervals. {SAME_ITEMS} The dashed"
            f" line is chance, 50{THIN}%.",
            [
                _curve(panel, unit, [p for p in points if p["panel"] == panel], raters)
                for panel in dict.fromkeys(point["panel"] for point in points)
            ],
            raters,
            [Column(unit, "value"), *POINT],
            points,
        )


def _curve(heading: str, unit: str, points: Sequence[Record], raters: Sequence[Rater]) -> Panel:
    by_name = {rater.name: rater for rater in raters}
    ticks, marks = {}, []
    for row in points:
        value, n, x = row["value"], row["n_items"], float(row["value"].removesuffix("+"))
        ticks[x] = f"{value}\n{form.count(n)}"
        mark = _mark(row, by_name[row["rater"]], x, f", {value} {unit}")
        marks.append(replace(mark, hollow=n < FEW_ITEMS))
    sides = min(ticks) - 0.5, max(ticks) + 0.5
    across = Axis(f"{unit} (below: number of items)", ticks, sides)
    return lines(heading, marks, across, style=MarkStyle(spread=0.36), levels=[(50, SOFT)])


def _mark(row: Record, look: Rater, x: float, where: str = "") -> PlotMark:
    ends = row["accuracy"], row["low"], row["high"]
    alt = f"{row['label']}{where}: {form.percent(ends[0])} %, n = {form.count(row['n_items'])}"
    return share_mark(look, *ends, alt, x)


def learning_curves(accuracies: Accuracies) -> Iterator[Figure]:
    """Yield accuracy against training steps, where a model was scored at several, each kind of
    sentences a panel; the dotted line is the strongest rule."""
    steps = {run.model: run.step for run in accuracies.material.runs if run.step is not None}
    families = {n: STEP.sub("", accuracies.material.labels[n]).rstrip("/-_") for n in steps}
    points = [p for p in accuracies.points() if p["rater"] in steps and not p["is_apart"]]
    counts = Counter(families[name] for name in steps)
    points = [point for point in points if counts[families[point["rater"]]] > 1]
    if not points:
        return
    legend = series(sorted({families[point["rater"]] for point in points}))
    looks = {rater.name: rater for rater in legend}
    rows = [
        {**point, "step": steps[point["rater"]], "look": looks[families[point["rater"]]]}
        for point in points
    ]
    rows.sort(key=lambda row: (row["panel"], row["look"].name, row["step"]))
    yield figure(
        "learning-figure",
        "Accuracy in the course of training",
        f"One mark a checkpoint, by training step. Lines upright are 95{THIN}% intervals. Lines"
        f" across are chance, 50{THIN}%, and the strongest rule that knows no syntax. {SAME_ITEMS}",
        [
            _learning_panel(accuracies, panel, [row for row in rows if row["panel"] == panel])
            for panel in dict.fromkeys(row["panel"] for row in rows)
        ],
        legend,
        [Column("step", "step", form.count_cell), *POINT],
        rows,
    )


def _learning_panel(accuracies: Accuracies, heading: str, rows: Sequence[Record]) -> Panel:
    rule = accuracies.strongest(rows[0]["kind"])
    levels = [(50.0, SOFT), *([(100 * rule.accuracy, SOFT)] if rule is not None else [])]
    marks = [_mark(row, row["look"], float(row["step"])) for row in rows]
    return lines(heading, marks, Axis("training step"), levels=levels)


def total_table(accuracies: Accuracies) -> Table:
    """Return the table of totals: every model, single seeds too."""
    material = accuracies.material
    rows = accuracies.with_rules(accuracies.totals())
    notes = [compared_on(material, name) for name in material.common]
    if any(row["all"] is not None for row in rows):
        notes.append("Figures on all that a rater answered cannot be compared with each other.")
    notes.append(
        "OOV: items with a scored word that a model's vocabulary lacks; they are left out unless"
        " the run was told to keep them. Pooled: all right answers over all answers."
    )
    if any(row["method"] == OVER_BOTH for row in rows):
        notes.append(
            "People's interval is over sources and people: it asks what others would answer, too."
        )
    return Table(
        "accuracy",
        "Accuracy, on the same items",
        [
            Column("rater", "label of_group"),
            Column("sentences", "panel", form.short),
            Column("items", "n_items left_out", form.count_cell),
            Column("originals", "n_sources", form.count_cell),
            Column("right, %", "accuracy detail", form.share),
            *RIGHT[1:],
            *RULES,
            Column("right on all it answered, %", "all all_low all_high all_n", form.estimate),
            Column("ties", "ties", form.count_cell),
            Column("OOV", "oov", form.count_cell),
        ],
        rows,
        " ".join(filter(None, [*notes, policies(material)])),
    )


def pivot_table(accuracies: Accuracies, dimension: str) -> Table:
    """Return a table with a row for each value and kind, a column for each rater, and one for the
    strongest rule."""
    points = [point for point in accuracies.points(dimension) if point["value"]]
    examples: dict[str, Item] = {}
    for item in accuracies.material.items.values():
        if item.agreement is not None:
            examples.setdefault(item.construction, item)
    values = list(dict.fromkeys(point["value"] for point in points))
    points.sort(key=lambda point: values.index(point["value"]))

    def named(value: str) -> TableCell:
        if dimension != "construction":
            return form.short(value)
        return form.code(value, in_words(value, examples.get(value)))

    raters = [rater.name for rater in accuracies.raters]
    return Table(
        f"by-{dimension}",
        f"Accuracy by {BY[dimension]}",
        [
            Column(BY[dimension], "value", named),
            Column("sentences", "panel", form.short),
            *(Column(rater.label, (rater.name,)) for rater in accuracies.raters),
            *RULES,
        ],
        accuracies.with_rules(pivot(points, ("value", "panel"), raters)),
        "Per cent right; below it the 95 % interval and the number of items, which are the same"
        " for all of a row.",
    )


def rule_table(accuracies: Accuracies) -> Table:
    """Return the table of what each rule makes of the items that raters are compared on."""
    names = [*accuracies.material.baselines]
    by_kind = {kind: {r.name: r for r in of} for kind, of in accuracies.rules.items() if of}
    judged = [name for name in names if any(name in rules for rules in by_kind.values())]
    lacking = [name for name in names if name not in judged]
    rows: list[Record] = []
    for name in judged:
        found = {kind: rules[name] for kind, rules in by_kind.items() if name in rules}
        first = next(iter(found.values()))
        rows.append({
            "name": name,
            "phrase": first.phrase,
            "sees_head": any(rule.sees_head for rule in found.values()),
            **{kind: form.estimate(rule.accuracy, rule.low, rule.high, rule.n_items)
               for kind, rule in found.items()},
        })  # fmt: skip
    return Table(
        "baselines",
        "Rules that know no syntax",
        [
            Column("baseline", "name phrase", form.code),
            Column("finds the cue", "sees_head", form.yes_no),
            *(Column(f"{form.kind_name(name)}, %", (name,)) for name in by_kind),
        ],
        [{**dict.fromkeys(by_kind, NO_NUMBER), **row} for row in rows],
        "The audit's baselines, on the items that models and people are compared on; below each its"
        " 95 % interval and the number of items. Those that find the cue by the way the items are"
        " made are right for a good reason, and do not measure what is possible without syntax."
        + (f" They cannot judge all items, and are left out: {', '.join(lacking)}." if lacking
           else ""),
        is_folded=True,
    )  # fmt: skip
