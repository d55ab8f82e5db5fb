"""Outcomes to accuracies: one row for each marginal, with intervals over clusters."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

import polars as pl

from colorless_green.data.tables import Row
from colorless_green.nonce.intervals import cluster_interval
from colorless_green.nonce.item import Item
from colorless_green.scoring.outcome import OOV, OOV_KEPT, Outcome, outcomes_in

JOINT = "joint"  # the prediction of rows whose unit is a set
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
        construction = item.facts.get("construction") or item.facts.get("uid", "")
        n_attractors = item.facts.get("n_attr", "")
        return dict(zip(FACTORS, (item.kind, "", construction, "", n_attractors), strict=True))
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
    items: Sequence[Item],
    outcomes: Sequence[Outcome] | pl.DataFrame,
    label: RunLabel,
    marginals: Sequence[tuple[str, ...]] = MARGINALS,
) -> Iterator[Row]:
    """Rows of accuracy.tsv for one run: of each marginal its cells in the order of the items; then,
    where items stand in sets (`set_id`), the same marginals with sets for items (`jointly`), their
    prediction called `joint` (`joint NAME` in a suite with several predictions).

    `n_oov` counts items with an unknown scored word, left out or kept. Items that were left out
    (no credit) count nowhere else. Of an inequality within a prediction (`PREDICTION: …`) only the
    coarse marginals are told.
    """
    if isinstance(outcomes, pl.DataFrame):
        outcomes = tuple(outcomes_in(outcomes))
    by_id = {item.item_id: item for item in items}
    factors = {identity: factors_of(item) for identity, item in by_id.items()}
    predictions = list(dict.fromkeys(outcome.prediction for outcome in outcomes))
    in_sets = any(item.set_id for item in items)
    for prediction in predictions:
        own = [outcome for outcome in outcomes if outcome.prediction == prediction]
        joint = f"{JOINT} {prediction}" if len(predictions) > 1 else JOINT
        is_part = any(prediction.startswith(f"{whole}: ") for whole in predictions)
        for name in (prediction, joint)[: 1 + (in_sets and not is_part)]:
            coarse = [each for each in marginals if len(each) < 2]
            for cell, members in _cells(own, factors, coarse if is_part else marginals):
                counted = members if name == prediction else jointly(members, by_id, factors)
                if counted:
                    measures = _measures(counted, by_id)
                    yield {**asdict(label), "prediction": name, **cell, **measures}


def _cells(
    outcomes: Sequence[Outcome],
    factors: Mapping[str, Mapping[str, str]],
    marginals: Sequence[tuple[str, ...]],
) -> Iterator[tuple[dict[str, str], list[Outcome]]]:
    """(factors held fixed, outcomes) for each cell of each marginal."""
    for marginal in marginals:
        cells: dict[tuple[str, ...], list[Outcome]] = {}
        for outcome in outcomes:
            key = tuple(factors[outcome.item_id][factor] for factor in marginal)
            if all(key):
                cells.setdefault(key, []).append(outcome)
        for key in sorted(cells):
            yield dict(zip(marginal, key, strict=True)), cells[key]


def jointly(
    members: Sequence[Outcome],
    by_id: Mapping[str, Item],
    factors: Mapping[str, Mapping[str, str]],
) -> list[Outcome]:
    """One outcome for each complete set among these items, under the id of its first: the product
    of their credits, so 1 only if all are right, and a tie's share where there is one.

    Complete is a set with as many items in each of two or more values; others say nothing of
    pairs. A coin gets 1/4 on sets of two; what always prefers the same form gets 0, since the form
    that is right in one value is wrong in the other (joint accuracy: facts §3.3). A set with an
    item that was left out is left out, and counted as unknown where that item was.
    """
    sets: dict[str, list[Outcome]] = {}
    for outcome in members:
        set_id = by_id[outcome.item_id].set_id
        if set_id:
            sets.setdefault(set_id, []).append(outcome)
    return [_joined(each) for each in sets.values() if _is_complete(each, factors)]


def _is_complete(members: Sequence[Outcome], factors: Mapping[str, Mapping[str, str]]) -> bool:
    counts = Counter(factors[outcome.item_id]["value"] for outcome in members)
    return len(counts) > 1 and len(set(counts.values())) == 1


def _joined(members: Sequence[Outcome]) -> Outcome:
    credits = [outcome.credit for outcome in members if outcome.credit is not None]
    margins = [outcome.margin_bits for outcome in members if outcome.margin_bits is not None]
    notes = dict.fromkeys(note for outcome in members for note in outcome.note.split(";") if note)
    first = members[0]
    return Outcome(
        first.item_id,
        first.prediction,
        math.prod(credits) if len(credits) == len(members) else None,
        min(margins, default=None),
        any(outcome.tie for outcome in members),
        any(outcome.oov for outcome in members),
        ";".join(notes),
    )


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
