"""Sections: how far people's judgments repeat, and how sentences were rated. Their tables are rows
of measures.csv."""

from collections.abc import Collection, Iterator

import polars as pl

from ...data import schema
from ...data.tables import frame
from ..measures.consistency import CONSISTENCY
from ..measures.correlations import CEILING, CODINGS, OF_CEILING, SHARES
from ..measures.ratings import (
    CEILING_OF_RATINGS,
    DIFFERENCE,
    FLAT,
    HIGHER,
    MEANS,
    NO_MAGNITUDE,
    RATING_RHO,
    SIDELESS,
)
from ..statistics.rater_accuracy import HUMANS
from . import _formats as form
from ._formats import THIN
from ._page_table import Column, Table
from ._parts import Section
from ._report_data import ReportData

HALVES, WHOLE = "split-half ρ", "Spearman–Brown"
ALPHA, PAIRWISE = "Krippendorff's α", "pairwise agreement"
MAJORITY = "majority right"
REPEATED = (HALVES, WHOLE, CEILING, SHARES, OF_CEILING, MAJORITY, PAIRWISE, ALPHA, CONSISTENCY)
RATED = (*MEANS.values(), DIFFERENCE, HIGHER, RATING_RHO, CEILING_OF_RATINGS)
OUTSIDE = {  # ratings that count nowhere, or hardly, and why
    FLAT: "people gave one rating to all sentences: they have no z-scores and are left out of"
    " these",
    SIDELESS: "ratings are of sentences that are not known to be the right or the wrong one of"
    " their item; they count only in the mean and spread of who gave them",
    NO_MAGNITUDE: "magnitudes are not above 0 and count nowhere",
}


def _measures(material: ReportData, name: str, title: str, statistics: Collection[str],
              digits: int, note: str, *, by_construction: bool) -> Table:  # fmt: skip
    """Return a table of some statistics, each in its order."""
    order = {statistic: index for index, statistic in enumerate(statistics)}
    rows = frame((m.as_row(schema.MEASURES) for m in material.people.measures), schema.MEASURES)
    shown = [HUMANS, *(rater.name for rater in material.raters)]
    rows = rows.filter(pl.col("statistic").is_in(list(order)), pl.col("rater").is_in(shown))
    if not by_construction:
        rows = rows.filter(construction="")
    return Table(
        name,
        title,
        [
            Column("statistic", "statistic"),
            Column("sentences", "kind", form.kind_cell),
            Column("construction", "construction", form.code),
            Column("rater", "rater", lambda name: form.text(material.labels[name])),
            Column("answers as", "level"),
            Column("items", "n", form.count_cell),
            Column("value", "value low high", form.decimals(digits, "undefined")),
            Column("remarks", "note"),
        ],
        rows.sort(pl.col("statistic").replace_strict(order), maintain_order=True),
        note,
    )


def reliability(material: ReportData) -> Iterator[Section]:
    """Yield how far judgments repeat, and how near to that any model comes; nothing where nobody
    was asked."""
    measures = [m for m in material.people.measures if not m.construction]
    if not any(measure.statistic == MAJORITY for measure in measures):
        return
    codings = {measure.level for measure in measures if measure.statistic == PAIRWISE}
    facts = {
        "is_split": any(measure.statistic == HALVES for measure in measures),
        "codings": codings,
        "first_coding": {CODINGS[0]},
    }
    note = (
        f"Below a value its 95{THIN}% interval. A model's ρ is Spearman's, of people's share of"
        " right answers with its margin in bits; it can be expected to reach the ceiling, not 1."
        f" Krippendorff's α is nominal: “{CODINGS[0]}” is the usual coding; “{CODINGS[1]}” takes"
        " the same answers by the value of the form that was chosen. Error consistency is Cohen's"
        " kappa of right and wrong: 1 where a model and most people fail on the same items, 0 where"
        " they do so no more often than their accuracies make them."
    )
    title = "Reliability, ceiling and agreement"
    table = _measures(
        material, "reliability-table", title, REPEATED, 3, note, by_construction=False
    )
    yield Section("reliability", "How far judgments repeat", facts, tables=(table,))


def ratings(material: ReportData) -> Iterator[Section]:
    """Yield how sentences were rated, right ones and wrong ones."""
    by_statistic = {measure.statistic: measure for measure in material.people.measures}
    measures = [m for m in material.people.measures if m.statistic in RATED]
    if not measures and SIDELESS not in by_statistic:
        return
    facts = {
        "levels": {measure.level for measure in measures},
        "unknown_scale": any("not known" in measure.note for measure in measures),
        "outside": [
            (by_statistic[name].value, by_statistic[name].n, why)
            for name, why in OUTSIDE.items()
            if name in by_statistic
        ],
    }
    table = _measures(material, "ratings-table", "Ratings", RATED, 2, "", by_construction=True)
    yield Section("ratings", "How sentences were rated", facts, tables=(table,))
