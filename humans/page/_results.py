"""Figures and tables of accuracies, and curves over attractors, distance and training steps.

A point is a record of one rater's accuracy on some items: those of a kind (original, nonce variant,
composed), or of one value of a dimension (a construction, a number of attractors) within the kind.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from ...data.languages import direction
from ...data.statistics.crossed import OVER_BOTH
from ...scoring.outcomes.run import STEP_PATTERN
from ..collection.suite_scores import CIRCUIT, MODIFIER, SUITE
from ..measures.accuracies import FEW_ITEMS
from ..statistics.rater_accuracy import HUMANS
from . import _parts as fmt
from ._accuracies import (
    CHANCE,
    LAST_CURVE_POINT,
    KindAccuracies,
    PageScores,
    compared_on,
    method_sentences,
)
from ._construction_words import in_words
from ._drawings import SOFT, Axis, MarkStyle, block_panel, mark_panel, share_mark
from ._parts import (
    NO_NUMBER,
    RIGHT,
    THIN,
    Column,
    Figure,
    Panel,
    Record,
    Table,
    TableCell,
    figure,
    pivot,
    raters_with_looks,
)

MAX_DRAWN_VALUES = 40  # values of a dimension; more are only in the table
MAX_VALUES_IN_ANSWER = 12  # a dimension with more values is not in the first figure
SAME_ITEMS = "All raters are on the items that all of them could answer."
HEADINGS = {  # dimension → heading of its column, where it is not the dimension's name
    "cell": "cell of the set",  # the nouns between head and target, and the first noun
    "value": "value of the feature",
}
WITH_FIGURE = ("construction", CIRCUIT, MODIFIER)  # dimensions that have a figure of their own
RULE_COLUMNS = (
    Column("strongest rule, %", "rule"),
    Column("strongest that does not see the head, %", "blind"),
)
POINT_COLUMNS = (
    Column("sentences", "panel", fmt.short),
    Column("rater", "label"),
    Column("suites", "n_suites", fmt.count_cell),
    Column("items", "n_items", fmt.count_cell),
    *RIGHT,
)


def _chance_column(rows: Sequence[Record]) -> list[Column]:
    """Return a list of one column with the accuracy of guessing; an empty list if that is 50 % in
    all rows."""
    is_usual = all(row["chance"] in (CHANCE, None) for row in rows)
    return [] if is_usual else [Column("chance, %", "chance", fmt.share)]


def answer_figure(scores: PageScores) -> Iterator[Figure]:
    """Yield the figure at the top of the page: every rater's accuracy on all items and, for the
    dimensions in the answer, on the items of each value. Yield nothing if nobody answered."""
    points = scores.points()
    for dimension in scores.in_answer:
        # two dimensions may have a value in common, which is drawn once
        drawn = {point["value"] for point in points}
        by_value = [point for point in scores.points(dimension) if point["value"] not in drawn]
        if 1 < len({point["value"] for point in by_value}) <= MAX_VALUES_IN_ANSWER:
            points += by_value
    has_people = any(point["rater"] == HUMANS for point in points)
    subject = "People, models" if has_people else "Models"
    caption = method_sentences(scores.material)
    if has_people:
        caption = f"For people it is the mean over items of the share of right answers. {caption}"
    title = f"{subject} and the strongest rule, on the same items"
    if points:
        yield _block_figure(scores, points, "answer-figure", title, "items that are", caption)


def detail_figures(scores: PageScores) -> Iterator[Figure]:
    """Yield a figure of accuracies by construction, or by circuit and by modifier. It has at most
    `MAX_DRAWN_VALUES` values, those with the most items."""
    for dimension in (name for name in scores.in_detail if name in WITH_FIGURE):
        points = scores.points(dimension)
        sizes: dict[str, int] = {}  # value → the number of items of the rater with the most
        for point in points:
            sizes[point["value"]] = max(sizes.get(point["value"], 0), point["n_items"])
        largest = sorted(sizes, key=lambda value: -sizes[value])[:MAX_DRAWN_VALUES]
        shown = {"", *largest}  # "" is the value of points on all items
        n_more = len(sizes) - MAX_DRAWN_VALUES
        more = f"The {n_more} {dimension}s with the fewest items are only in the table."
        title, caption = f"Accuracy by {dimension}", more if n_more > 0 else ""
        if points:
            points = [point for point in scores.points() + points if point["value"] in shown]
            yield _block_figure(scores, points, f"{dimension}s-figure", title, dimension, caption)


def _block_figure(
    scores: PageScores, points: Sequence[Record], name: str, title: str, heading: str,
    caption: str,
) -> Figure:  # fmt: skip
    """Return a figure of accuracies (points) with a panel for each kind of items. In a panel, each
    value of the dimension has a block of marks, one for each rater. `name` becomes the figure's id;
    `heading` stands above the values in the table of its numbers."""
    all_items = "all constructions" if heading == "construction" else "all items"
    if len(scores.material.tables.answers.units) > 1 and not scores.material.is_by_kind:
        all_items = f"all {scores.material.unit}s"
    rows = [
        {**point, "block": point["value"] or all_items,
         "named": fmt.code(point["value"]) if point["value"] else fmt.short(all_items),
         "rule": scores.rule_cell(point)}
        for point in points
    ]  # fmt: skip
    methods = "; ".join(dict.fromkeys(row["method"] for row in rows if row["method"]))
    has_rule = any(row["rule"].value is not None for row in rows)
    drawn = {row["rater"] for row in rows}
    raters = [rater for rater in scores.material.raters if rater.name in drawn]
    chance = "" if _chance_column(rows) else f", 50{THIN}%"
    return figure(
        name,
        title,
        f"Share of items that are right. Lines are 95{THIN}% intervals"
        f" ({methods or 'none here'}); the dashed line is chance{chance}."
        + (" The grey bar is the strongest rule that knows no syntax." if has_rule else "")
        + f" {SAME_ITEMS}{' ' if caption else ''}{caption}",
        [
            block_panel(panel, [row for row in rows if row["panel"] == panel], raters,
                   "right, per cent of items")
            for panel in dict.fromkeys(row["panel"] for row in rows)
        ],
        raters,
        [Column(heading, "named"), *POINT_COLUMNS, *_chance_column(rows), RULE_COLUMNS[0]],
        rows,
    )  # fmt: skip


CURVES = {  # dimension → name of the figure, unit, title
    "n_attractors": ("attractors-figure", "attractors", "Accuracy by number of attractors"),
    "gap": ("distance-figure", "tokens between", "Accuracy by distance"),
}


def curve_figures(scores: KindAccuracies) -> Iterator[Figure]:
    """Yield a figure of accuracy by number of attractors (nouns between that could lead astray),
    and one of accuracy by distance in tokens. A figure with fewer than two points is left out. A
    rater that has too few items in common with the others is in neither."""
    looks = {rater.name: rater for rater in scores.material.raters}
    for dimension, (name, unit, title) in CURVES.items():
        rows = [
            {**point, "look": looks[point["rater"]], "x": float(point["value"].removesuffix("+")),
             "tick": f"{point['value']}\n{fmt.count(point['n_items'])}"}
            for point in scores.points(dimension)
            if point["value"] and not point["is_apart"]
        ]  # fmt: skip
        caption = f"{LAST_CURVE_POINT[dimension]} and more are one point."
        if len({row["x"] for row in rows}) > 1:
            yield _curve_figure(scores, rows, name, title, unit, caption)


def learning_figures(scores: PageScores) -> Iterator[Figure]:
    """Yield the figure of accuracy by training step; nothing if no model was scored at two steps
    or more. Each kind of items has a panel, each model a curve. One dashed line is chance, the
    other the strongest rule that knows no syntax."""
    steps = {run.model: run.step for run in scores.material.runs if run.step is not None}
    labels = scores.material.labels
    # a family is all checkpoints of one training: models whose labels differ only in the step
    families = {name: STEP_PATTERN.sub("", labels[name]).rstrip("/-_") for name in steps}
    n_checkpoints = Counter(families.values())
    names = [name for name, family in families.items() if n_checkpoints[family] > 1]
    points = [
        {**point, "family": families[point["rater"]], "step": steps[point["rater"]] or 0}
        for point in scores.points()
        if point["rater"] in names and not point["is_apart"]
    ]
    drawn_families = sorted({point["family"] for point in points})
    looks = {look.name: look for look in raters_with_looks(drawn_families)}
    rows = [
        {**point, "look": looks[point["family"]], "value": str(point["step"]),
         "x": float(point["step"])}
        for point in points
    ]  # fmt: skip
    rows.sort(key=lambda row: (row["panel"], row["look"].name, row["x"]))
    if rows:
        title = "Accuracy in the course of training"
        yield _curve_figure(scores, rows, "learning-figure", title, "training step", "")


def _curve_figure(
    scores: PageScores, rows: Sequence[Record], name: str, title: str, unit: str, caption: str
) -> Figure:
    """Return a figure of accuracy by a number (attractors, tokens or training steps, named by
    `unit`), with a panel for each kind of items. `rows` are points with `x`, the number, and
    `look`, the series that a mark belongs to."""
    legend = list(dict.fromkeys(row["look"] for row in rows))
    legend.sort(key=lambda look: look.colour)
    return figure(
        name,
        title,
        f"{caption} Points from fewer than {FEW_ITEMS} items are hollow. Lines upright are"
        f" 95{THIN}% intervals. {SAME_ITEMS}",
        [
            _curve_panel(scores, panel, unit, [row for row in rows if row["panel"] == panel])
            for panel in dict.fromkeys(row["panel"] for row in rows)
        ],
        legend,
        [Column(unit, "value"), *POINT_COLUMNS],
        rows,
    )


def _curve_panel(scores: PageScores, heading: str, unit: str, rows: Sequence[Record]) -> Panel:
    """Return the drawing of the accuracies on one kind of items, with a dashed line at chance. If
    the axis is of training steps, a second dashed line is at the strongest rule."""
    marks = []
    for row in rows:
        share, n = fmt.percent(row["accuracy"]), fmt.count(row["n_items"])
        alt = f"{row['label']}, {row['value']} {unit}: {share} %, n = {n}"
        ends = row["low"], row["high"]
        mark = share_mark(
            row["look"], row["accuracy"], *ends, alt, row["x"], hollow=row["n_items"] < FEW_ITEMS
        )
        marks.append(mark)
    first_row, *_ = rows
    ticks = {row["x"]: row["tick"] for row in rows if "tick" in row}  # none for training steps
    dashed, across = [first_row["chance"]], Axis(unit)
    if ticks:
        ends = min(ticks) - 0.5, max(ticks) + 0.5  # half a place beside the outer marks
        across = Axis(f"{unit} (below: number of items)", ticks, ends)
    elif rule := scores.strongest(first_row["kind"]):
        dashed.append(rule.accuracy)
    levels = [(100 * accuracy, SOFT) for accuracy in dashed if accuracy is not None]
    return mark_panel(heading, marks, across, style=MarkStyle(spread=0.36), levels=levels)


def total_table(scores: PageScores) -> Table:
    """Return the table of accuracies on all items, with a row for each kind of items and rater.
    The members of groups, such as the seeds of one model, have rows, too."""
    material = scores.material
    rows = scores.with_rules(scores.totals())
    notes = [compared_on(scores, name) for name in dict.fromkeys(row["kind"] for row in rows)]
    if any(row.get("all") is not None for row in rows):
        notes.append("Figures on all that a rater answered cannot be compared with each other.")
    if any(row["method"] == OVER_BOTH for row in rows):
        notes.append(
            "People's interval is over sources and people: it asks what others would answer, too."
        )
    return Table(
        "accuracy",
        "Accuracy, on the same items",
        [
            Column("rater", "label of_group"),
            Column("sentences", "panel", fmt.short),
            Column("suites", "n_suites", fmt.count_cell),
            Column("items", "n_items left_out", fmt.count_cell),
            Column("originals", "n_sources", fmt.count_cell),
            Column("right, %", "accuracy detail", fmt.share),
            *RIGHT[1:],
            Column("other suites", "suites_low suites_high", _interval_cell),
            *_chance_column(rows),
            *RULE_COLUMNS,
            Column(
                "right on all it answered, %",
                "all all_low all_high all_n",
                fmt.share_with_interval,
            ),
            Column("ties", "n_ties", fmt.count_cell),
            Column("OOV", "n_oov", fmt.count_cell),
        ],
        rows,
        " ".join(filter(None, [*notes, method_sentences(material)])),
    )


def _interval_cell(low: float | None, high: float | None) -> TableCell:
    """Format an interval of a share as `92.3–96.3`, in per cent; a dash without one."""
    return TableCell(fmt.limits(low, high), sort="number")


def pivot_table(scores: PageScores, dimension: str) -> Table:
    """Return the table of accuracies by the values of a dimension, such as `construction`. It has a
    row for each value and kind of items, and a column for each rater and the strongest rule. The
    name of a construction has its meaning in words and an example below."""
    points = [point for point in scores.points(dimension) if point["value"]]
    examples: dict[str, str] = {}
    for item in scores.material.items.values():
        if (facts := item.agreement) and direction(item.language) == "ltr":
            pair = f"{facts.cue} … {facts.right} / {facts.wrong}"
            examples.setdefault(item.construction, pair)
    values = list(dict.fromkeys(point["value"] for point in points))
    points.sort(key=lambda point: values.index(point["value"]))

    def value_cell(value: str) -> TableCell:
        """Format a value of the dimension; below a construction stand its meaning and example."""
        if dimension not in ("construction", SUITE):
            return fmt.short(value)
        below = filter(None, [in_words(value), examples.get(value)])
        return fmt.code(value, "; for example ".join(below))

    raters = [rater.name for rater in scores.material.raters]
    heading = scores.material.unit if dimension == SUITE else HEADINGS.get(dimension, dimension)
    return Table(
        f"by-{dimension}",
        f"Accuracy by {heading}",
        [
            Column(heading, "value", value_cell),
            Column("sentences", "panel", fmt.short),
            *([Column("circuit", "circuit")] if dimension == SUITE else []),
            *(Column(rater.label, (rater.name,)) for rater in scores.material.raters),
            *_chance_column(points),
            *RULE_COLUMNS,
        ],
        scores.with_rules(pivot(points, ("value", "panel"), raters)),
    )


def rule_table(scores: PageScores) -> Table:
    """Return the table of rules that know no syntax, with their accuracies on the items that raters
    are compared on. Its note names the rules left out, which cannot judge all these items."""
    by_kind = {kind: {rule.name: rule for rule in rules} for kind, rules in scores.rules.items()}
    names = list(scores.material.guesses)
    judged = [name for name in names if any(name in rules for rules in by_kind.values())]
    left_out = [name for name in names if name not in judged]
    rows: list[Record] = []
    for name in judged:
        of_kind = {kind: rules[name] for kind, rules in by_kind.items() if name in rules}
        any_rule, *_ = of_kind.values()
        rows.append({
            "name": name,
            "phrase": any_rule.phrase,
            "sees_head": any(rule.sees_head for rule in of_kind.values()),
            **dict.fromkeys(by_kind, NO_NUMBER),
            **{kind: fmt.share_with_interval(rule.accuracy, rule.low, rule.high, rule.n_items)
               for kind, rule in of_kind.items()},
        })  # fmt: skip
    return Table(
        "baselines",
        "Rules that know no syntax",
        [
            Column("baseline", "name phrase", fmt.code),
            Column("finds the cue", "sees_head", fmt.yes_no),
            *(Column(f"{fmt.kind_name(name)}, %", (name,)) for name in by_kind),
        ],
        rows,
        f"Left out, as they cannot judge all items: {', '.join(left_out)}." if left_out else "",
        is_folded=True,
    )
