"""Sections: models beside people, over all items and item by item, and the items on which they
disagree."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence

from ...data.items.item import Item, factors_of
from ...data.languages import direction
from ...data.seeds import generator
from ...data.statistics.intervals import wilson
from ..judgments.answers import unjudged
from ..judgments.judgment import Tally, levels
from ..judgments.lookup import forms, prefix, printed, sentences
from ..measures.correlations import ANSWERS, BY_T, SHARES, cell_correlations
from ..measures.measure import Stratum
from ..statistics.like_with_like import FEW_RATERS, SHARE
from ..statistics.rater_accuracy import FEWEST_CORRELATED, HUMANS
from ..statistics.shared_items import on_common
from ._constructions import bits
from ._drawings import CloudPoint, cloud
from ._parts import (
    NO_NUMBER,
    NONE,
    THIN,
    Column,
    Figure,
    Panel,
    Rater,
    Record,
    Section,
    Table,
    TableCell,
    code,
    count,
    count_cell,
    difference,
    enumeration,
    figure,
    interval,
    panel_name,
    share,
    signed,
    table,
)
from ._report_data import ReportData, labels_of

SEED = 0
ISOLATE, END_OF_ISOLATE = "\u2068", "\u2069"  # Unicode's: a stretch with a direction of its own
SHOWN_PREFIX = 56  # letters of a prefix that a mark tells, the last ones
MOST_QUOTED = 2000  # marks; of more neither their texts nor the shares: items.csv has them
SIDES: Mapping[str, tuple[str, float, float]] = {  # statistic → label, jitter, middle
    ANSWERS: ("right − wrong answers", 0.6, 0.0),
    SHARES: ("right answers, per cent", 3.0, 50.0),
}
SIGNS = {  # of items of each kind in a drawing
    "original": "diamonds",
    "nonce": "circles",
    "composed": "plus signs",
    "template": "squares",
    "suite": "triangles",
}
SHOWN = 20  # items of each sort of disagreement, per model
REPOSITORY = re.compile(r"(UD_[A-Z][A-Za-z_]*-[A-Z][A-Za-z0-9]*)(?:-r[0-9]+\.[0-9]+)?")
ADDRESS = "https://github.com/UniversalDependencies/"


def comparison_section(material: ReportData, raters: Sequence[Rater]) -> Iterator[Section]:
    """Models beside people. That nobody was asked, or nothing compared, is told."""
    tables = tuple(_comparison(material, raters)) if material.asked else ()
    why = "" if material.asked else unjudged(material.people.answers)
    yield Section("people", "Models and people", why, tables=tables, is_open=True)


def _comparison(material: ReportData, raters: Sequence[Rater]) -> Iterator[Table]:
    """One row a model and kind, people's accuracy beside it; then the same by construction."""
    names = {HUMANS, *(rater.name for rater in raters)}
    rows = [row for row in material.comparison if row["rater"] in names]
    people = {_cell(row): row for row in rows if row["rater"] == HUMANS}
    models = [row for row in rows if row["rater"] != HUMANS]
    labels = labels_of(material, list(dict.fromkeys(row["rater"] for row in models)))
    judges = "simulated" if material.simulated else "people"
    with_suites = len({row["suite"] for row in rows}) > 1

    def group(row: Record) -> str:
        suite = [row["suite"]] if with_suites else []
        return " · ".join([panel_name(row["kind"]), *suite])

    def accuracy(row: Record | None) -> TableCell:
        if row is None:
            return NO_NUMBER
        n = row["n_items"]
        below = interval(row["low"], row["high"], None if n is None else int(n))
        return share(row["accuracy"], below)

    def majority(row: Record | None) -> TableCell:
        if row is None:
            return NO_NUMBER
        return share(row["majority"], f"{row['raters']:.1f} answers an item")

    def minus(name: str) -> Column:
        ends = [f"{name}_difference{end}" for end in ("", "_low", "_high")]
        return lambda row: difference(*(row[end] for end in ends))

    for by in (False, True):
        table_rows = [row for row in models if bool(row["construction"]) == by]
        columns: dict[str, Column | None] = {
            "construction": (lambda row: code(row["construction"], group(row))) if by else None,
            "sentences": None if by else lambda row: TableCell(group(row)),
            "model": lambda row: TableCell(labels[row["rater"]]),
            f"majority of {judges}, %": lambda row: majority(people.get(_cell(row))),
            "model, %": accuracy,
            "difference": minus("majority"),
            "p": "majority_p p",
            f"share of {judges}, %": lambda row: accuracy(people.get(_cell(row))),
            "choice share, %": lambda row: share(row["choice_share"]),
            "difference of shares": minus("share"),
            "p of shares": "share_p p",
            "p (Holm)": "p_holm p" if by else None,
            "better": "better" if any(row["better"] for row in table_rows) else None,
            "ρ": "spearman 2",
            "remarks": "note" if any(row["note"] for row in table_rows) else None,
        }
        title = f"Models beside people{', by construction' if by else ''}"
        title += " (simulated judgments)" if material.simulated else ""
        name = "comparison-constructions" if by else "comparison"
        yield from table(name, title, table_rows, columns, _note(table_rows), folded=by)


def _cell(row: Record) -> tuple[str, str, str]:
    return row["suite"], row["kind"], row["construction"]


def _note(rows: Sequence[Record]) -> str:
    """Return what the columns are."""
    note = (
        "Like is compared with like: the form that most people choose (ties half) with the form"
        " that the model finds more probable, and people's share of right answers with the share"
        " of the probability of both forms that the model gives to the right one. Differences are"
        " people minus model, in percentage points, over the items that all have, each with the"
        " interval of its own test, over sources and people (over sources, of these people, where"
        " single answers are not known). One is better where both differences exclude 0 on one"
        " side. ρ is Spearman's correlation of right minus wrong answers with the model's log-odds."
    )
    if any(row["measure"] == SHARE for row in rows):
        note += f" With fewer than {FEW_RATERS} answers an item, shares say more than majorities."
    if any(row["construction"] for row in rows):
        note += " Holm's adjustment is over the constructions of one model."
    return note


def scatter(material: ReportData, raters: Sequence[Rater]) -> Iterator[Section]:
    """How sure people are of an item against how sure a model is (Gulordava et al. 2018, §5): a
    drawing of right minus wrong answers for each model, and one of their share unless every item
    has as many answers, or there are too many items. The numbers are those of items.csv."""
    by_rater: dict[Rater, list[tuple[Tally, float]]] = {}
    for rater in raters:
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
    totals = {tally.total for pairs in by_rater.values() for tally, _ in pairs}
    quoted = 2 * sum(map(len, by_rater.values())) <= MOST_QUOTED
    sides = list(SIDES) if len(totals) > 1 and quoted else [ANSWERS]
    panels = [
        _panel(material, rater, pairs, side, quoted)
        for rater, pairs in by_rater.items()
        for side in sides
    ]
    kinds = {tally.condition for pairs in by_rater.values() for tally, _ in pairs}
    signs = [f"{sign} are {panel_name(kind)}" for kind, sign in SIGNS.items() if kind in kinds]
    drawing = _scatter_figure(material, sides, signs, panels)
    yield Section("items", "Item by item", figures=(drawing,))


def _scatter_figure(
    material: ReportData, sides: Sequence[str], signs: Sequence[str], panels: Sequence[Panel]
) -> Figure:
    subject, alone = "Simulated judgments" if material.simulated else "People", len(sides) == 1
    moved = " or ".join(
        f"{SIDES[side][1] / 2:.1f} {unit}"
        for side, unit in zip(sides, ("answers", "points"), strict=False)
    )
    answers = "simulated answers" if material.simulated else "people's answers"
    return figure(
        "people-figure",
        f"{subject} and models, item by item",
        f"Each mark is an item: {answers} against the model's log-odds (how many bits less"
        f" surprising the right form is), {'' if alone else 'once '}as right minus wrong answers"
        " (as in Gulordava et al. 2018)"
        + (
            "; the share of right ones looks the same where every item has as many answers."
            if alone
            else ", once as the share of right ones, which does not grow with the number of people."
        )
        + (f" {enumeration(signs).capitalize()}." if len(signs) > 1 else "")
        + " Marks are moved up or down, each always"
        f" the same way (seed {SEED}), by less than {moved}, so that fewer hide each other. ρ is"
        f" Spearman's rank correlation with a 95{THIN}% interval (bootstrap over sources), p that"
        " of Student's t for as many items as the sources are worth. The numbers are in items.csv.",
        panels,
        (),
    )


def _panel(
    material: ReportData,
    rater: Rater,
    pairs: Sequence[tuple[Tally, float]],
    side: str,
    quoted: bool,
) -> Panel:
    label, jitter, middle = SIDES[side]
    notes = tuple(_correlations(material, rater, pairs, side))
    dots = []
    for tally, margin in pairs:
        y = 2 * tally.right - tally.total if side == ANSWERS else 100 * tally.right / tally.total
        y += jitter * (generator(SEED, tally.item).random() - 0.5)
        alt = ""
        if quoted:
            quote = _quoted(material.items.get(tally.item)) or tally.item
            alt = f"{quote} · {tally.right} of {tally.total} right · {signed(margin, 1)} bits"
        dots.append(CloudPoint(tally.condition, margin, y, alt))
    across = "model: log-odds of the right form, bits"
    return cloud(f"{rater.label}: {label}", dots, rater, across, label, middle, notes)


def _quoted(item: Item | None) -> str:
    """`… the end of its prefix: right / wrong`, kept apart from what stands beside it where it runs
    from right to left; empty where the item is not known."""
    pair = forms(item) if item is not None else None
    if item is None or pair is None:
        return ""
    context = printed(prefix(item))
    if len(context) > SHOWN_PREFIX:
        context = f"… {context[-SHOWN_PREFIX:].partition(' ')[2]}"
    quote = f"{context}: {' / '.join(pair)}" if context else " / ".join(pair)
    return quote if direction(item.language) == "ltr" else f"{ISOLATE}{quote}{END_OF_ISOLATE}"


def _correlations(
    material: ReportData, rater: Rater, pairs: Sequence[tuple[Tally, float]], side: str
) -> Iterator[str]:
    """ρ of each kind with its interval and p, as the analysis has it; of several suites together
    there is no analysis, and the correlations alone are worked out here."""
    measures = [
        measure
        for measure in material.people.measures
        if measure.statistic == side and measure.rater == rater.name and not measure.construction
    ]
    margins = {tally.item: margin for tally, margin in pairs}
    for kind in levels(tally.condition for tally, _ in pairs):
        rows = [measure for measure in measures if measure.kind == kind]
        tallies = tuple(tally for tally, _ in pairs if tally.condition == kind)
        n, name = len(tallies), panel_name(kind)
        if n < FEWEST_CORRELATED:
            yield f"{name}: n = {n}, too few for a correlation ({FEWEST_CORRELATED} are needed)."
            continue
        if not rows:
            computed = cell_correlations(Stratum(kind, "", tallies), rater.name, margins)
            rows = [measure for measure in computed if measure.statistic == side]
        if not rows or rows[0].value is None:
            yield f"{name}: n = {count(n)}, no variation, so no correlation."
            continue
        main = rows[0]
        bounds = "" if main.low is None else f" [{_rho(main.low)}, {_rho(main.high)}]"
        ps = ""
        for measure in (row for row in rows if row.p is not None):
            scheme, _, is_floor = measure.note.partition(", ")
            sign, digits = ("≤", 4) if is_floor else ("=", 3)
            scheme = f" ({scheme})" if scheme != BY_T else ""
            ps += f", p {sign} {measure.p:.{digits}f}{scheme}"
        yield f"{name}: ρ = {_rho(main.value)}{bounds}{ps}, n = {count(main.n)}."


def _rho(value: float | None) -> str:
    return NONE if value is None else signed(value, 2).removeprefix("+")


def disagreements(material: ReportData, raters: Sequence[Rater]) -> Iterator[Section]:
    """Items on which most people and a model disagree, both ways round, the best model first."""
    tallies, outcomes = on_common(material.common, material.tallies, material.outcomes)
    answered = [tally for tally in tallies if tally.total]
    ranking: list[tuple[float, Rater, list[tuple[Tally, float, float]]]] = []
    for rater in raters:
        credits = outcomes.get(rater.name, {}) if rater.name != HUMANS else {}
        both = [
            (tally, credit, margin)
            for tally in answered
            for credit, margin in [credits.get(tally.item, (None, None))]
            if credit is not None and margin is not None
        ]
        if both:
            ranking.append((sum(credit for _, credit, _ in both) / len(both), rater, both))
    ranking.sort(key=lambda entry: -entry[0])  # stable
    if not ranking:
        return
    people = "people (simulated)" if material.simulated else "people"
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
            tables += _cases(material, f"disagree-{name}-{rank}", title, cases)
    yield Section(
        "disagreements",
        "Where models and people disagree",
        {"shown": SHOWN, "counts": counts},
        tables=tuple(tables),
    )


def _limit(tally: Tally, end: int) -> float:
    limits = wilson(tally.right, tally.total)
    assert limits is not None  # somebody answered
    return (limits.low, limits.high)[end]


def _cases(
    material: ReportData, name: str, title: str, cases: Sequence[tuple[Tally, float, float]]
) -> Sequence[Table]:
    listed = [
        (tally, margin, material.items[tally.item])
        for tally, _, margin in cases[:SHOWN]
        if tally.item in material.items
    ]
    items = [item for *_, item in listed]
    agreeing = all(item.agreement is not None for item in items)

    def sentence(item: Item, side: int) -> TableCell:
        """The right (0) or wrong (1) sentence; of an item without these, its id and nothing."""
        pair = sentences(item)
        if pair is not None:
            return _words(item, pair[side])
        return TableCell(NONE) if side else code(item.item_id)

    def original(item: Item) -> Item | None:
        candidate = material.items.get(item.cluster_id) if item.kind == "nonce" else None
        return candidate if candidate is not None and candidate.agreement is not None else None

    def its_original(item: Item) -> TableCell:
        source_item = original(item)
        if source_item is None or source_item.agreement is None:
            return TableCell(NONE)
        return _words(source_item, f"{prefix(source_item)} {source_item.agreement.right}")

    columns: dict[str, Column | None] = {
        "sentence up to the form": (lambda c: _words(c[2], prefix(c[2]))) if agreeing else None,
        "right / wrong": (lambda c: _words(c[2], " / ".join(forms(c[2]) or ())))
        if agreeing
        else None,
        "right sentence": None if agreeing else lambda c: sentence(c[2], 0),
        "wrong sentence": None if agreeing else lambda c: sentence(c[2], 1),
        "right (simulated)" if material.simulated else "people right": lambda c: count_cell(
            c[0].right, f"of {count(c[0].total)}"
        ),
        "margin, bits": lambda c: TableCell(bits(c[1]), "", "number", c[1]),
        "construction": lambda c: code(
            c[2].construction or NONE, panel_name(c[2].kind).removesuffix("s")
        ),
        "attractors": (lambda c: _attractors(c[2]))
        if any(factors_of(item)["n_attractors"] for item in items)
        else None,
        "from": lambda c: _source(c[2]),
        "its original": (lambda c: its_original(c[2])) if any(map(original, items)) else None,
    }
    more = len(cases) - len(listed)
    note = f"{count(len(cases))} in all, {count(more)} not shown." if more else ""
    return table(name, title, listed, columns, note)


def _words(item: Item, words: str) -> TableCell:
    return TableCell(printed(words), language=item.language) if words else TableCell(NONE)


def _attractors(item: Item) -> TableCell:
    """The words, where they are known, else how many."""
    agreement = item.agreement
    if agreement is not None and agreement.attractors:
        words = ", ".join(agreement.tokens[index] for index in agreement.attractors)
        return TableCell(words, language=item.language)
    n = factors_of(item)["n_attractors"]
    return TableCell("none" if n == "0" else n or NONE)


def _source(item: Item) -> TableCell:
    """The treebank or publication, and which of its sentences."""
    agreement = item.agreement
    if agreement is None:
        return TableCell(item.source or NONE, item.item_id)
    which = agreement.sent_id or f"number {agreement.number}"
    if item.kind == "nonce":
        which = f"variant {agreement.variant} of {which}"
    return TableCell(item.source or agreement.treebank, which, link=repository(agreement.treebank))


def repository(treebank: str) -> str:
    """The address of a treebank of Universal Dependencies, by its name, maybe with a release
    behind it (`UD_Italian-VIT`, `UD_Hebrew-HTB-r2.0`); empty for any other name, so that no text
    from outside becomes an address."""
    match = REPOSITORY.fullmatch(treebank)
    return f"{ADDRESS}{match[1]}" if match else ""
