"""The data behind the page, as files that it carries with it. Single answers are not among them."""

from collections.abc import Iterable, Iterator, Sequence

from colorless_green.data import schema
from colorless_green.data.schema import Schema
from colorless_green.data.tables import Cell as Value
from colorless_green.data.tables import Row, frame, to_csv
from colorless_green.humans.exclusion import as_row as excluded_row
from colorless_green.humans.lookup import forms, prefix
from colorless_green.humans.page.material import Material
from colorless_green.humans.page.tables import CSV, Download
from colorless_green.nonce.item import factors_of

MARGIN_DIGITS = 6  # decimals: no surprisal is sure to more, and 16 are a tenth of the page
ITEM_COLUMNS = (
    *("item", "source", "kind", "construction", "value", "n_attractors", "gap", "language"),
    *("prefix", "right", "wrong", "people_right", "people_total"),
)


def downloads(material: Material) -> Iterator[Download]:
    """What the page's numbers are made of, as far as there is anything."""
    models = [name for name, credits in material.outcomes.items() if credits]
    columns = [*ITEM_COLUMNS]
    for name in models:
        columns += [f"{name}: credit", f"{name}: margin_bits"]
    files: tuple[tuple[str, str, Schema | Sequence[str], Iterable[Row]], ...] = (
        (
            "accuracy.csv",
            "accuracy of every model on all that it could answer, in all and along each dimension",
            schema.ACCURACY,
            material.accuracy,
        ),
        (
            "comparison.csv",
            "people and models by kind and construction",
            schema.COMPARISON,
            material.comparison,
        ),
        (
            "measures.csv",
            "all other statistics, with intervals and how they were made",
            schema.MEASURES,
            (each.as_row(schema.MEASURES) for each in material.people.measures),
        ),
        (
            "exclusions.csv",
            "who or what was left out, by which rule",
            schema.EXCLUSIONS,
            map(excluded_row, material.people.answers.gone),
        ),
        (
            "items.csv",
            "every item with its answers, and each model's credit and margin in bits",
            columns,
            _items(material, models),
        ),
    )
    for name, about, shape, rows in files:
        table = frame(rows, shape)
        if table.height:
            yield Download(name, about, CSV, to_csv(table))


def _items(material: Material, models: Sequence[str]) -> Iterator[Row]:
    tallies = {tally.item: tally for tally in material.tallies}
    for identity, item in material.items.items():
        tally, factors, pair = tallies.get(identity), factors_of(item), forms(item) or ("", "")
        known = [name for name in models if identity in material.outcomes[name]]
        if not tally and not known:
            continue
        row: dict[str, Value] = {
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
        for name in known:
            row[f"{name}: credit"], margin = material.outcomes[name][identity]
            row[f"{name}: margin_bits"] = None if margin is None else round(margin, MARGIN_DIGITS)
        yield row
