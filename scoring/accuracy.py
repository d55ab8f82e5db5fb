"""Outcomes to accuracies: one row for each marginal, with intervals over clusters."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from colorless_green.data.tables import Row
from colorless_green.nonce.intervals import cluster_interval
from colorless_green.nonce.item import Item
from colorless_green.scoring.outcome import OOV, OOV_KEPT, Outcome

ACCURACY_COLUMNS = (
    "run",
    "model",
    "group",
    "method",
    "suite",
    "prediction",
    "kind",
    "level",
    "construction",
    "value",
    "n_attractors",
    "n_items",
    "n_clusters",
    "accuracy",
    "sd",
    "low",
    "high",
    "n_ties",
    "n_oov",
)
FACTORS = ("kind", "level", "construction", "value", "n_attractors")
MARGINALS: tuple[tuple[str, ...], ...] = (
    (),
    ("kind",),
    ("construction",),
    ("kind", "construction"),
    ("kind", "n_attractors"),
    ("kind", "value"),
    ("kind", "construction", "value"),
    ("kind", "construction", "n_attractors"),
)
"""Which factors a row holds fixed; the others are empty, which means all."""


@dataclass(frozen=True, slots=True)
class RunLabel:
    """What a run's rows are headed by."""

    run: str
    model: str
    group: str
    method: str
    suite: str


def factors_of(item: Item) -> dict[str, str]:
    """The values an item has for each factor; empty where it has none."""
    agreement = item.agreement
    if agreement is None:
        construction = item.facts.get("construction", "")
        return dict(zip(FACTORS, (item.kind, "", construction, "", ""), strict=True))
    n_attractors = str(len(agreement.attractors))
    if not agreement.upos:  # imported without annotation: the file's own count
        n_attractors = item.facts.get("n_attr", "")
    return {
        "kind": item.kind,
        "level": agreement.level,
        "construction": agreement.construction,
        "value": agreement.value,
        "n_attractors": n_attractors,
    }


def accuracy_rows(
    items: Sequence[Item], outcomes: Sequence[Outcome], label: RunLabel
) -> Iterator[Row]:
    """Rows of accuracy.tsv for one run: each marginal, its cells in the order of the items.

    `n_oov` counts items with an unknown scored word, left out or kept. Items that were left out
    (no credit) count nowhere else.
    """
    by_id = {item.item_id: item for item in items}
    factors = {identity: factors_of(item) for identity, item in by_id.items()}
    for prediction in dict.fromkeys(outcome.prediction for outcome in outcomes):
        own = [outcome for outcome in outcomes if outcome.prediction == prediction]
        for marginal in MARGINALS:
            cells: dict[tuple[str, ...], list[Outcome]] = {}
            for outcome in own:
                key = tuple(factors[outcome.item_id][factor] for factor in marginal)
                if all(key):
                    cells.setdefault(key, []).append(outcome)
            for key, members in _ordered(cells).items():
                yield {
                    "run": label.run,
                    "model": label.model,
                    "group": label.group,
                    "method": label.method,
                    "suite": label.suite,
                    "prediction": prediction,
                    **dict(zip(marginal, key, strict=True)),
                    **_measures(members, by_id),
                }


def _ordered(
    cells: Mapping[tuple[str, ...], list[Outcome]],
) -> dict[tuple[str, ...], list[Outcome]]:
    return {key: cells[key] for key in sorted(cells)}


def _measures(
    members: Sequence[Outcome], by_id: Mapping[str, Item]
) -> dict[str, int | float | None]:
    counted = [outcome for outcome in members if outcome.credit is not None]
    credits = [outcome.credit for outcome in counted if outcome.credit is not None]
    clusters = [by_id[outcome.item_id].cluster_id for outcome in counted]
    interval = cluster_interval(credits, clusters)
    return {
        "n_items": len(counted),
        "n_clusters": len(set(clusters)),
        "accuracy": sum(credits) / len(credits) if credits else None,
        "sd": None,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
        "n_ties": sum(outcome.tie for outcome in counted),
        "n_oov": sum(bool({OOV, OOV_KEPT} & set(outcome.note.split(";"))) for outcome in members),
    }


def group_rows(rows: Sequence[Row]) -> Iterator[Row]:
    """For each group of two or more models: their mean accuracy in each cell, with the sample
    standard deviation over the models (n − 1) and empty `run` and `model`."""
    cells: dict[tuple[object, ...], list[Row]] = {}
    names = ("group", "method", "suite", "prediction", *FACTORS)
    for row in rows:
        if row.get("group") and row.get("accuracy") is not None:
            cells.setdefault(tuple(row.get(name) for name in names), []).append(row)
    for members in cells.values():
        if len(members) < 2:
            continue
        values = [float(row["accuracy"] or 0.0) for row in members]
        mean = sum(values) / len(values)
        spread = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
        yield {
            **{name: members[0].get(name) for name in names},
            "n_items": members[0]["n_items"],
            "n_clusters": members[0]["n_clusters"],
            "accuracy": mean,
            "sd": spread**0.5,
        }
