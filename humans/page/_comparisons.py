"""Sections that set models beside people: over all items, item by item, and the items on which
most people and a model choose differently.

A tally is one item with the number of people who chose the right form, and of all who answered.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from ...data.items.item import Item
from ...data.languages import direction
from ...data.seeds import generator
from ...data.statistics.intervals import wilson
from ..judgments.answers import why_unjudged
from ..judgments.judgment import Tally, levels
from ..judgments.lookup import forms_of, prefix_of, printed_text, sentences_of
from ..measures.correlations import ANSWERS, BY_T
from ..statistics.rater_accuracy import FEW_RATERS, HUMANS, MIN_CORRELATED_ITEMS, SHARE
from ..statistics.shared_items import answers_on_common_items
from . import _parts as fmt
from ._drawings import SOFT, Axis, MarkStyle, PlotMark, mark_panel
from ._examples import bits
from ._parts import DASH, Column, Panel, Rater, Section, Table, TableCell, figure
from ._report_data import ReportData

SEED = 0
ISOLATE, END_OF_ISOLATE = "\u2068", "\u2069"  # enclose a text with a writing direction of its own
MAX_QUOTED_LETTERS = 56  # letters of a sentence before its target that a mark quotes, the last ones
MAX_QUOTING_MARKS = 1000  # marks; if there are more, none quotes its item (items.csv has them)
JITTER = 0.6  # answers: the range over which marks are moved up or down
MARK_SHAPES = {  # kind of items → shape of its marks, plural of the shape
    "original": ("diamond", "diamonds"),
    "nonce": ("circle", "circles"),
    "composed": ("plus", "plus signs"),
    "template": ("square", "squares"),
    "suite": ("triangle", "triangles"),
}
MAX_LISTED_ITEMS = 20  # items listed in each table of disagreements
CASE_COLUMNS = {
    **{"item": pl.String, "n_right": pl.Int64, "n_people": pl.Int64},
    **dict.fromkeys(("low", "high", "credit", "margin"), pl.Float64),
}
PEOPLE_COLUMNS = "of_accuracy of_low of_high of_n_items"  # in a model's row `of_…` are people's
ROW_KEY = ["suite", "kind", "construction"]  # of rows that are about the same items


def comparison_section(material: ReportData) -> Section:
    """Return the section that compares models with people. If people gave no answers, or all
    are excluded, it has no tables and says why."""
    tables = tuple(_comparison_tables(material)) if material.has_people else ()
    absence_note = "" if material.has_people else why_unjudged(material.people.answers)
    return Section("people", "Models and people", absence_note, tables=tables, is_open=True)


def _comparison_tables(material: ReportData) -> Iterator[Table]:
    """Yield two tables of the accuracies of models and people on the same items: the first has a
    row for each model and kind of items, the second also splits by construction."""
    raters = [rater.name for rater in material.raters]
    rows = material.comparison.filter(pl.col("rater").is_in(raters))
    judged = rows.filter(rater=HUMANS)["suite"].unique()
    rows = rows.filter(pl.col("suite").is_in(judged.to_list()))
    people = rows.filter(rater=HUMANS).select(
        *ROW_KEY,
        pl.col("accuracy", "low", "high", "n_items", "majority", "raters").name.prefix("of_"),
    )
    has_suites = rows["suite"].n_unique() > 1
    models = rows.filter(pl.col("rater") != HUMANS)
    models = models.join(people, ROW_KEY, "left", maintain_order="left")
    judges = "simulated" if material.simulated else "people"
    note = f"With fewer than {FEW_RATERS} answers an item, shares say more than majorities."
    for is_split in (False, True):
        table = models.filter((pl.col("construction") != "") == is_split)
        title = f"Models and people{', by construction' if is_split else ''}"
        yield Table(
            "comparison-constructions" if is_split else "comparison",
            title + (" (simulated judgments)" if material.simulated else ""),
            [
                Column("construction", "construction kind", _construction_cell)
                if is_split
                else Column("sentences", "kind", fmt.kind_cell),
                *([Column("suite", "suite")] if has_suites else []),
                Column("model", "rater", lambda name: TableCell(material.labels[name])),
                Column(f"majority of {judges}, %", "of_majority of_raters", _majority_cell),
                Column("model, %", "accuracy low high n_items", fmt.share_with_interval),
                Column("difference", _difference_columns("majority"), fmt.difference),
                Column("p", "majority_p", fmt.p_value),
                Column(f"share of {judges}, %", PEOPLE_COLUMNS, fmt.share_with_interval),
                Column("choice share, %", "choice_share", fmt.share),
                Column("difference of shares", _difference_columns("share"), fmt.difference),
                Column("p of shares", "share_p", fmt.p_value),
                Column("p (Holm)", "p_holm", fmt.p_value),
                Column("better", "better"),
                Column("ρ", "spearman", fmt.decimals(2)),
                Column("remarks", "note"),
            ],
            table,
            note if SHARE in table["measure"] else "",
            is_folded=is_split,
        )  # fmt: skip


def _difference_columns(measure: str) -> str:
    """Return the names, separated by blanks, of the fields with people's accuracy minus a model's
    and its interval. `measure` is people's accuracy by `majority` or by `share`."""
    return " ".join(f"{measure}_difference{end}" for end in ("", "_low", "_high"))


def _construction_cell(name: str, kind: str) -> TableCell:
    """Format a construction's name, with the kind of its items below."""
    return fmt.code(name, fmt.kind_name(kind))


def _majority_cell(value: float | None, raters: float | None) -> TableCell:
    """Format the accuracy of people's majority, with the mean number of answers an item below."""
    return fmt.share(value, "" if raters is None else f"{raters:.1f} answers an item")


def scatter_section(material: ReportData) -> Iterator[Section]:
    """Yield the section *Item by item*, with a scatter plot for each model; nothing if people and
    models share no items. A mark is an item: its x is the model's margin (log-odds of the right
    form, in bits), its y the number of people's right minus wrong answers (Gulordava et al. 2018,
    §5). items.csv has the numbers."""
    by_rater: dict[Rater, list[tuple[Tally, float]]] = {}
    for rater in material.raters:
        outcomes = material.outcomes.get(rater.name, {})
        for tally in material.tallies:
            _, margin = outcomes.get(tally.item, (None, None))
            shared = material.common.get(tally.condition)
            if shared is None or tally.item not in shared.items_of(rater.name):
                continue
            if tally.total and margin is not None and math.isfinite(margin):
                by_rater.setdefault(rater, []).append((tally, margin))
    if not by_rater:
        return
    is_quoted = sum(map(len, by_rater.values())) <= MAX_QUOTING_MARKS
    kinds = {tally.condition for pairs in by_rater.values() for tally, _ in pairs}
    meanings = [
        f"{shapes} are {fmt.kind_name(kind)}"
        for kind, (_, shapes) in MARK_SHAPES.items()
        if kind in kinds
    ]
    subject = "Simulated judgments" if material.simulated else "People"
    drawing = figure(
        "people-figure",
        f"{subject} and models, item by item",
        (f"{fmt.enumeration(meanings).capitalize()}. " if len(meanings) > 1 else "")
        + f"Marks are moved up or down, each always the same way (seed {SEED}), by less than"
        f" {JITTER / 2:.1f} answers, so that fewer hide each other.",
        [_scatter_panel(material, rater, pairs, is_quoted) for rater, pairs in by_rater.items()],
        (),
    )
    yield Section("items", "Item by item", figures=(drawing,))


def _scatter_panel(
    material: ReportData, rater: Rater, pairs: Sequence[tuple[Tally, float]], is_quoted: bool
) -> Panel:
    """Return one model's scatter plot. Each pair is an item's tally of people's answers and the
    model's margin in bits. If `is_quoted`, a mark that is pointed at shows its item."""
    marks = []
    for tally, margin in pairs:
        jitter = JITTER * (generator(SEED, tally.item).random() - 0.5)
        right_minus_wrong = 2 * tally.right - tally.total
        alt = ""
        if is_quoted:
            quote = _item_quote(material.items[tally.item]) or tally.item
            alt = f"{quote} · {tally.right} of {tally.total} right · {fmt.signed(margin, 1)} bits"
        shape, _ = MARK_SHAPES.get(tally.condition, ("circle", ""))
        look = Rater(tally.condition, "", shape, rater.colour)  # a kind's shape, a model's colour
        is_hollow = tally.condition != "original"
        marks.append(PlotMark(look, right_minus_wrong + jitter, None, None, alt, margin, is_hollow))
    marks.sort(key=lambda mark: not mark.hollow)  # originals, the fewer, on top
    notes = tuple(_correlation_lines(material, rater, pairs))
    return mark_panel(
        rater.label,
        marks,
        Axis("model: log-odds of the right form, bits"),
        Axis("right − wrong answers"),
        style=MarkStyle(joined=False, smaller=3),
        levels=[(0, SOFT)],
        alt=" ".join(notes) or rater.label,
        notes=notes,
    )


def _item_quote(item: Item) -> str:
    """Quote an item as `… last words before the target: right / wrong`. Return "" for an item
    without two forms. A text that runs from right to left is enclosed in Unicode isolates."""
    pair = forms_of(item)
    if pair is None:
        return ""
    context = printed_text(prefix_of(item))
    if len(context) > MAX_QUOTED_LETTERS:
        _, _, whole_words = context[-MAX_QUOTED_LETTERS:].partition(" ")
        context = f"… {whole_words}"
    quote = f"{context}: {' / '.join(pair)}" if context else " / ".join(pair)
    return quote if direction(item.language) == "ltr" else f"{ISOLATE}{quote}{END_OF_ISOLATE}"


def _correlation_lines(
    material: ReportData, rater: Rater, pairs: Sequence[tuple[Tally, float]]
) -> Iterator[str]:
    """Yield a line of text for each kind of items: Spearman's ρ of people's right minus wrong
    answers with the model's margin, its interval and p, as `analyse` computed them. On a page with
    several judged suites these were not computed, and nothing is yielded."""
    measures = material.people.measures
    for kind in levels(tally.condition for tally, _ in pairs):
        n = sum(tally.condition == kind for tally, _ in pairs)
        of_kind = (m for m in measures if m.kind == kind and not m.construction)
        rows = [m for m in of_kind if m.statistic == ANSWERS and m.rater == rater.name]
        if not rows or rows[0].value is None:
            is_enough = n >= MIN_CORRELATED_ITEMS
            reason = "no variation" if is_enough else f"{MIN_CORRELATED_ITEMS} are needed"
            if measures:
                yield f"{fmt.kind_name(kind)}: n = {fmt.count(n)}, no correlation ({reason})."
            continue
        first_row, *_ = rows  # all rows have the same ρ; they differ in the test
        rho_cell = fmt.decimals(2)(first_row.value, first_row.low, first_row.high)
        bounds = f" [{rho_cell.below.replace(' to ', ', ')}]" if rho_cell.below else ""
        p_values = ""
        for measure in (row for row in rows if row.p is not None):
            # the note names the test; ", p ≤ …" after it says that p is the lowest possible
            test, _, is_floor = measure.note.partition(", ")
            sign, digits = ("≤", 4) if is_floor else ("=", 3)
            other_test = f" ({test})" if test != BY_T else ""
            p_values += f", p {sign} {measure.p:.{digits}f}{other_test}"
        n_items = fmt.count(first_row.n)
        yield f"{fmt.kind_name(kind)}: ρ = {rho_cell.text}{bounds}{p_values}, n = {n_items}."


def _answered_cases(material: ReportData, model: str) -> pl.DataFrame:
    """Return a row for each item that both people and a model answered: the numbers of people who
    were right and of all, with Wilson's interval (`low`, `high`) of their share, and the model's
    credit (1 if right, 0.5 for a tie, 0 if wrong) and margin in bits."""
    tallies, outcomes = answers_on_common_items(
        material.common, material.tallies, material.outcomes
    )
    rows = []
    for tally in tallies:
        credit, margin = outcomes.get(model, {}).get(tally.item, (None, None))
        limits = wilson(tally.right, tally.total)  # None if nobody answered
        if limits is not None and credit is not None and margin is not None:
            ends = limits.low, limits.high
            rows.append((tally.item, tally.right, tally.total, *ends, credit, margin))
    return pl.DataFrame(rows, CASE_COLUMNS, orient="row")


def disagreement_section(material: ReportData) -> Iterator[Section]:
    """Yield the section of items on which most people and a model disagree; nothing if they share
    no items. Each model, the most accurate first, has two tables: items where most people are right
    and the model is wrong, and items where it is the other way round."""
    models = [rater for rater in material.raters if rater.name != HUMANS]
    cases_of = {rater: _answered_cases(material, rater.name) for rater in models}
    judged = {rater: cases for rater, cases in cases_of.items() if len(cases)}
    ranking = sorted(judged, key=lambda rater: -judged[rater]["credit"].sum() / len(judged[rater]))
    people, lead = material.labels[HUMANS], 2 * pl.col("n_right") - pl.col("n_people")
    counts: list[tuple[str, int, int, int]] = []
    tables: list[Table] = []
    for rank, rater in enumerate(ranking, start=1):
        cases = judged[rater]
        only_people = cases.filter(lead > 0, pl.col("credit") < 0.5)
        only_people = only_people.sort("low", "margin", "item", descending=[True, False, False])
        only_model = cases.filter(lead < 0, pl.col("credit") > 0.5)
        only_model = only_model.sort("high", "margin", "item", descending=[False, True, False])
        counts.append((rater.label, len(cases), len(only_people), len(only_model)))
        for name, one_sided, title in (
            ("people", only_people, f"Most {people} right, {rater.label} wrong"),
            ("model", only_model, f"{rater.label} right, most {people} wrong"),
        ):
            tables.append(_cases_table(material, f"disagree-{name}-{rank}", title, one_sided))
    if tables:
        facts = {"shown": MAX_LISTED_ITEMS, "counts": counts}
        title = "Where models and people disagree"
        yield Section("disagreements", title, facts, tables=tuple(tables))


def _cases_table(material: ReportData, name: str, title: str, cases: pl.DataFrame) -> Table:
    """Return a table of the first `MAX_LISTED_ITEMS` items on which people and a model disagree."""
    rows = [
        {**case, **_item_cells(material.items[case["item"]])}
        for case in cases.head(MAX_LISTED_ITEMS).iter_rows(named=True)
    ]
    n_more = len(cases) - len(rows)
    return Table(
        name,
        title,
        [
            Column("sentence up to the form", "before"),
            Column("right / wrong", "forms"),
            Column("right sentence", "right"),
            Column("wrong sentence", "wrong"),
            Column("right (simulated)" if material.simulated else "people right",
                   "n_right n_people", _people_right_cell),
            Column("margin, bits", "margin", _margin_cell),
            Column("construction", "construction kind", fmt.code),
            Column("from", "from"),
        ],
        rows,
        f"{fmt.count(len(cases))} in all, {fmt.count(n_more)} not shown." if n_more else "",
    )  # fmt: skip


def _people_right_cell(n_right: int, n_people: int) -> TableCell:
    """Format the number of people who are right, with the number of all below."""
    return fmt.count_cell(n_right, f"of {fmt.count(n_people)}")


def _margin_cell(margin: float) -> TableCell:
    """Format a margin in bits."""
    return TableCell(bits(margin), "", "number", margin)


def _item_cells(item: Item) -> Mapping[str, Any]:
    """Return field → table cell for the fields that identify an item. An agreement item has the
    sentence up to the target and both forms, any other item its right and its wrong sentence. All
    have their construction, kind and source."""
    facts = item.agreement
    right, wrong = sentences_of(item) or ("", "")
    texts = {
        "before": prefix_of(item) if facts else "",
        "forms": " / ".join(forms_of(item) or ()) if facts else "",
        "right": "" if facts else right,
        "wrong": "" if facts else wrong,
    }
    place = (facts.sent_id or f"number {facts.number}") if facts else item.item_id
    if facts and item.kind == "nonce":
        place = f"variant {facts.variant} of {place}"
    return {
        **{
            name: TableCell(printed_text(text) or DASH, language=item.language if text else "")
            for name, text in texts.items()
        },
        "construction": item.construction or DASH,
        "kind": fmt.kind_name(item.kind).removesuffix("s"),
        "from": TableCell(item.source or (facts.treebank if facts else DASH), place),
    }
