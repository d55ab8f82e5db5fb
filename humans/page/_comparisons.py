"""Sections: models and people, over all items and item by item, and the items on which they
disagree."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from ...data.items.item import Item
from ...data.languages import direction
from ...data.seeds import generator
from ...data.statistics.intervals import wilson
from ..judgments.answers import unjudged
from ..judgments.judgment import Tally, levels
from ..judgments.lookup import forms, prefix, printed, sentences
from ..measures.correlations import ANSWERS, BY_T
from ..statistics.rater_accuracy import FEW_RATERS, FEWEST_CORRELATED, HUMANS, SHARE
from ..statistics.shared_items import on_common
from . import _parts as form
from ._drawings import SOFT, Axis, MarkStyle, PlotMark, lines
from ._examples import bits
from ._parts import NONE, Column, Panel, Rater, Section, Table, TableCell, figure
from ._report_data import ReportData

SEED = 0
ISOLATE, END_OF_ISOLATE = "\u2068", "\u2069"  # Unicode's: a stretch with a direction of its own
SHOWN_PREFIX = 56  # letters of a prefix that a mark says, the last ones
MOST_QUOTED = 1000  # marks; of more no texts: items.csv has them
JITTER = 0.6  # answers
SIGNS = {  # of items of each kind in a drawing
    "original": ("diamond", "diamonds"),
    "nonce": ("circle", "circles"),
    "composed": ("plus", "plus signs"),
    "template": ("square", "squares"),
    "suite": ("triangle", "triangles"),
}
SHOWN = 20  # items of each sort of disagreement, per model
OF_PEOPLE = "of_accuracy of_low of_high of_n_items"
CELL = ["suite", "kind", "construction"]


def comparison_section(material: ReportData) -> Section:
    """Return the section of models and people, which says so where nobody was asked or nothing was
    compared."""
    tables = tuple(_comparison(material)) if material.asked else ()
    why = "" if material.asked else unjudged(material.people.answers)
    return Section("people", "Models and people", why, tables=tables, is_open=True)


def _comparison(material: ReportData) -> Iterator[Table]:
    """Yield a table with a row for each model and kind, with people's accuracy; then the same by
    construction."""
    rows = material.comparison.filter(pl.col("rater").is_in([r.name for r in material.raters]))
    judged = rows.filter(rater=HUMANS)["suite"].unique()
    rows = rows.filter(pl.col("suite").is_in(judged.to_list()))
    people = rows.filter(rater=HUMANS).select(
        *CELL,
        pl.col("accuracy", "low", "high", "n_items", "majority", "raters").name.prefix("of_"),
    )
    has_suites = rows["suite"].n_unique() > 1
    models = rows.filter(pl.col("rater") != HUMANS)
    models = models.join(people, CELL, "left", maintain_order="left")
    judges = "simulated" if material.simulated else "people"
    few = f"With fewer than {FEW_RATERS} answers an item, shares say more than majorities."
    for is_split in (False, True):
        table = models.filter((pl.col("construction") != "") == is_split)
        title = f"Models and people{', by construction' if is_split else ''}"
        yield Table(
            "comparison-constructions" if is_split else "comparison",
            title + (" (simulated judgments)" if material.simulated else ""),
            [
                *([Column("construction", "construction kind", _construction)] if is_split else []),
                *([] if is_split else [Column("sentences", "kind", form.kind_cell)]),
                *([Column("suite", "suite")] if has_suites else []),
                Column("model", "rater", lambda name: TableCell(material.labels[name])),
                Column(f"majority of {judges}, %", "of_majority of_raters", _majority),
                Column("model, %", "accuracy low high n_items", form.estimate),
                Column("difference", _ends("majority"), form.difference),
                Column("p", "majority_p", form.p_value),
                Column(f"share of {judges}, %", OF_PEOPLE, form.estimate),
                Column("choice share, %", "choice_share", form.share),
                Column("difference of shares", _ends("share"), form.difference),
                Column("p of shares", "share_p", form.p_value),
                Column("p (Holm)", "p_holm", form.p_value),
                Column("better", "better"),
                Column("ρ", "spearman", form.decimals(2)),
                Column("remarks", "note"),
            ],
            table,
            few if SHARE in table["measure"] else "",
            is_folded=is_split,
        )  # fmt: skip


def _ends(measure: str) -> str:
    return " ".join(f"{measure}_difference{end}" for end in ("", "_low", "_high"))


def _construction(name: str, kind: str) -> TableCell:
    return form.code(name, form.kind_name(kind))


def _majority(value: float | None, raters: float | None) -> TableCell:
    return form.share(value, "" if raters is None else f"{raters:.1f} answers an item")


def scatter(material: ReportData) -> Iterator[Section]:
    """Yield a drawing for each model: how sure people are of an item against how sure the model is
    (Gulordava et al. 2018, §5). The numbers are those of items.csv."""
    by_rater: dict[Rater, list[tuple[Tally, float]]] = {}
    for rater in material.raters:
        outcomes = material.outcomes.get(rater.name, {})
        for tally in material.tallies:
            margin = outcomes.get(tally.item, (None, None))[1]
            shared = material.common.get(tally.condition)
            if shared is None or tally.item not in shared.of(rater.name):
                continue
            if tally.total and margin is not None and math.isfinite(margin):
                by_rater.setdefault(rater, []).append((tally, margin))
    if not by_rater:
        return
    is_quoted = sum(map(len, by_rater.values())) <= MOST_QUOTED
    kinds = {tally.condition for pairs in by_rater.values() for tally, _ in pairs}
    signs = [
        f"{sign} are {form.kind_name(kind)}" for kind, (_, sign) in SIGNS.items() if kind in kinds
    ]
    subject = "Simulated judgments" if material.simulated else "People"
    drawing = figure(
        "people-figure",
        f"{subject} and models, item by item",
        (f"{form.enumeration(signs).capitalize()}. " if len(signs) > 1 else "")
        + f"Marks are moved up or down, each always the same way (seed {SEED}), by less than"
        f" {JITTER / 2:.1f} answers, so that fewer hide each other.",
        [_panel(material, rater, pairs, is_quoted) for rater, pairs in by_rater.items()],
        (),
    )
    yield Section("items", "Item by item", figures=(drawing,))


def _panel(
    material: ReportData, rater: Rater, pairs: Sequence[tuple[Tally, float]], is_quoted: bool
) -> Panel:
    marks = []
    for tally, margin in pairs:
        y = 2 * tally.right - tally.total + JITTER * (generator(SEED, tally.item).random() - 0.5)
        alt = ""
        if is_quoted:
            quote = _quoted(material.items[tally.item]) or tally.item
            alt = f"{quote} · {tally.right} of {tally.total} right · {form.signed(margin, 1)} bits"
        shape, _ = SIGNS.get(tally.condition, ("circle", ""))
        look = Rater(tally.condition, "", shape, rater.colour)
        is_hollow = tally.condition != "original"
        marks.append(PlotMark(look, y, None, None, alt, margin, is_hollow))
    marks.sort(key=lambda mark: not mark.hollow)  # originals, the fewer, on top
    notes = tuple(_correlations(material, rater, pairs))
    return lines(
        rater.label,
        marks,
        Axis("model: log-odds of the right form, bits"),
        Axis("right − wrong answers"),
        style=MarkStyle(joined=False, smaller=3),
        levels=[(0, SOFT)],
        alt=" ".join(notes) or rater.label,
        notes=notes,
    )


def _quoted(item: Item) -> str:
    """Return `… the end of its prefix: right / wrong`, kept apart from what is around it where it
    runs from right to left; empty where the item has no forms."""
    pair = forms(item)
    if pair is None:
        return ""
    context = printed(prefix(item))
    if len(context) > SHOWN_PREFIX:
        context = f"… {context[-SHOWN_PREFIX:].partition(' ')[2]}"
    quote = f"{context}: {' / '.join(pair)}" if context else " / ".join(pair)
    return quote if direction(item.language) == "ltr" else f"{ISOLATE}{quote}{END_OF_ISOLATE}"


def _correlations(
    material: ReportData, rater: Rater, pairs: Sequence[tuple[Tally, float]]
) -> Iterator[str]:
    """Yield ρ of each kind with its interval and p, as the analysis has it; of several suites
    together there is none."""
    measures = material.people.measures
    for kind in levels(tally.condition for tally, _ in pairs):
        n = sum(tally.condition == kind for tally, _ in pairs)
        key = ANSWERS, rater.name, kind, ""
        rows = [m for m in measures if (m.statistic, m.rater, m.kind, m.construction) == key]
        if not rows or rows[0].value is None:
            why = "no variation" if n >= FEWEST_CORRELATED else f"{FEWEST_CORRELATED} are needed"
            if measures:
                yield f"{form.kind_name(kind)}: n = {form.count(n)}, no correlation ({why})."
            continue
        rho = form.decimals(2)(rows[0].value, rows[0].low, rows[0].high)
        bounds = f" [{rho.below.replace(' to ', ', ')}]" if rho.below else ""
        ps = ""
        for measure in (row for row in rows if row.p is not None):
            scheme, _, is_floor = measure.note.partition(", ")
            sign, digits = ("≤", 4) if is_floor else ("=", 3)
            scheme = f" ({scheme})" if scheme != BY_T else ""
            ps += f", p {sign} {measure.p:.{digits}f}{scheme}"
        yield f"{form.kind_name(kind)}: ρ = {rho.text}{bounds}{ps}, n = {form.count(rows[0].n)}."


def disagreements(material: ReportData) -> Iterator[Section]:
    """Yield the items on which most people and a model disagree, both ways round, the best model
    first."""
    tallies, outcomes = on_common(material.common, material.tallies, material.outcomes)
    ranking: list[tuple[float, Rater, list[tuple[Tally, float, float]]]] = []
    for rater in material.raters:
        credits = outcomes.get(rater.name, {}) if rater.name != HUMANS else {}
        both = [
            (tally, credit, margin)
            for tally in tallies
            for credit, margin in [credits.get(tally.item, (None, None))]
            if tally.total and credit is not None and margin is not None
        ]
        if both:
            ranking.append((sum(credit for _, credit, _ in both) / len(both), rater, both))
    ranking.sort(key=lambda entry: -entry[0])  # stable
    if not ranking:
        return
    people = material.labels[HUMANS]
    counts: list[tuple[str, int, int, int]] = []
    tables: list[Table] = []
    for rank, (_, rater, both) in enumerate(ranking, start=1):
        only_people = [e for e in both if 2 * e[0].right > e[0].total and e[1] < 0.5]
        only_people.sort(key=lambda e: (-_limit(e[0], 0), e[2], e[0].item))
        only_model = [e for e in both if 2 * e[0].right < e[0].total and e[1] > 0.5]
        only_model.sort(key=lambda e: (_limit(e[0], 1), -e[2], e[0].item))
        counts.append((rater.label, len(both), len(only_people), len(only_model)))
        for name, cases, title in (
            ("people", only_people, f"Most {people} right, {rater.label} wrong"),
            ("model", only_model, f"{rater.label} right, most {people} wrong"),
        ):
            tables.append(_cases(material, f"disagree-{name}-{rank}", title, cases))
    facts = {"shown": SHOWN, "counts": counts}
    title = "Where models and people disagree"
    yield Section("disagreements", title, facts, tables=tuple(tables))


def _limit(tally: Tally, end: int) -> float:
    limits = wilson(tally.right, tally.total)
    assert limits is not None  # somebody answered
    return (limits.low, limits.high)[end]


def _cases(
    material: ReportData, name: str, title: str, cases: Sequence[tuple[Tally, float, float]]
) -> Table:
    rows = [
        {"of": f"of {form.count(tally.total)}", "n_right": tally.right, "margin": margin,
         **_item_cells(material.items[tally.item])}
        for tally, _, margin in cases[:SHOWN]
    ]  # fmt: skip
    more = len(cases) - len(rows)
    return Table(
        name,
        title,
        [
            Column("sentence up to the form", "before"),
            Column("right / wrong", "forms"),
            Column("right sentence", "right"),
            Column("wrong sentence", "wrong"),
            Column("right (simulated)" if material.simulated else "people right", "n_right of",
                   form.count_cell),
            Column("margin, bits", "margin", _margin),
            Column("construction", "construction kind", form.code),
            Column("from", "from"),
        ],
        rows,
        f"{form.count(len(cases))} in all, {form.count(more)} not shown." if more else "",
    )  # fmt: skip


def _margin(margin: float) -> TableCell:
    return TableCell(bits(margin), "", "number", margin)


def _item_cells(item: Item) -> Mapping[str, Any]:
    """Return what a table tells of an item: its sentence up to the form and both forms, without
    agreement both sentences; and which sentence of a treebank or publication it is."""
    facts, pair = item.agreement, sentences(item) or ("", "")
    texts = {
        "before": prefix(item) if facts else "",
        "forms": " / ".join(forms(item) or ()) if facts else "",
        "right": "" if facts else pair[0],
        "wrong": "" if facts else pair[1],
    }
    which = (facts.sent_id or f"number {facts.number}") if facts else item.item_id
    if facts and item.kind == "nonce":
        which = f"variant {facts.variant} of {which}"
    return {
        **{
            k: TableCell(printed(t) or NONE, language=t and item.language) for k, t in texts.items()
        },
        "construction": item.construction or NONE,
        "kind": form.kind_name(item.kind).removesuffix("s"),
        "from": TableCell(item.source or (facts.treebank if facts else NONE), which),
    }
