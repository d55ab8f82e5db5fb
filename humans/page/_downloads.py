"""The data behind the page, as files that it carries with it. Single answers are not among them."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict

import polars as pl

from ...data import schema
from ...data.items.item import factors_of
from ...data.tables import Cell, Row, frame, to_csv
from ..judgments.lookup import forms, prefix
from ._parts import EmbeddedFile
from ._report_data import ReportData

MARGIN_DIGITS = 6  # decimals: no surprisal is sure to more, and 16 are a tenth of the page
ITEM_COLUMNS = (
    *("item", "source", "kind", "construction", "value", "n_attractors", "gap", "language"),
    *("prefix", "right", "wrong", "people_right", "people_total"),
)


def downloads(material: ReportData) -> Iterator[EmbeddedFile]:
    """Yield the files that the page's numbers are made of, as far as there is anything."""
    models = [name for name, credits in material.outcomes.items() if credits]
    columns = [*ITEM_COLUMNS]
    for name in models:
        columns += [f"{name}: credit", f"{name}: margin_bits"]
    people = material.people
    measures = [measure.as_row(schema.MEASURES) for measure in people.measures]
    files: tuple[tuple[str, str, pl.DataFrame], ...] = (
        (
            "accuracy.csv",
            "accuracy of every model on all that it could answer, in all and along each dimension",
            material.accuracy.select(c for c in schema.ACCURACY if c in material.accuracy.columns),
        ),
        (
            "comparison.csv",
            "people and models by kind and construction",
            material.comparison.select(list(schema.COMPARISON)),
        ),
        (
            "measures.csv",
            "all other statistics, with intervals and how they were made",
            frame(measures, schema.MEASURES),
        ),
        (
            "exclusions.csv",
            "who or what was left out, by which rule",
            frame(map(asdict, people.answers.gone), schema.EXCLUSIONS),
        ),
        (
            "items.csv",
            "every item with its answers, and each model's credit and margin in bits",
            frame(_items(material, models), columns),
        ),
    )
    for name, about, table in files:
        if table.height:
            yield EmbeddedFile(name, about, to_csv(table))


def _items(material: ReportData, models: Sequence[str]) -> Iterator[Row]:
    tallies = {tally.item: tally for tally in material.tallies}
    for identity, item in material.items.items():
        tally, factors, pair = tallies.get(identity), factors_of(item), forms(item) or ("", "")
        scored_by = [name for name in models if identity in material.outcomes[name]]
        if not tally and not scored_by:
            continue
        row: dict[str, Cell] = {
            "item": identity,
            "source": item.cluster_id,
            "kind": item.kind,
            **{name: factors[name] for name in ("construction", "value", "n_attractors")},
            "gap": item.agreement.gap if item.agreement else None,
            "language": item.language,
            "prefix": prefix(item),
            "right": pair[0],
            "wrong": pair[1],
            "people_right": tally.right if tally else None,
            "people_total": tally.total if tally else None,
        }
        for name in scored_by:
            row[f"{name}: credit"], margin = material.outcomes[name][identity]
            row[f"{name}: margin_bits"] = None if margin is None else round(margin, MARGIN_DIGITS)
        yield row
