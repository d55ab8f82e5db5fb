"""Items with their predictions, under one name."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from colorless_green.data.errors import InputError
from colorless_green.data.registry import nearest
from colorless_green.nonce.item import Item
from colorless_green.nonce.prediction import Prediction, parse, to_list

AGREEMENT = parse("(target;%right%) < (target;%wrong%)", "agreement", "agreement prediction")
"""The prediction of every mined pair: the target is less surprising in its right form."""

WHOLE = "*"  # the region of a formula that means the whole sentence


@dataclass(frozen=True, slots=True)
class Suite:
    """Items and what is predicted of each; `metric` says how a region's subwords are combined."""

    name: str
    items: tuple[Item, ...]
    predictions: tuple[Prediction, ...] = (AGREEMENT,)
    metric: str = "sum"
    meta: dict[str, str] = field(default_factory=dict)


def checked(suite: Suite, place: str) -> Suite:
    """`suite` itself, if every prediction finds its conditions and regions in every item.

    Raises `InputError` at the first item where one is missing, or where an item id comes twice.
    """
    seen: set[str] = set()
    for item in suite.items:
        where = f"{place}: item {item.item_id}"
        if item.item_id in seen:
            raise InputError(
                where, "this item_id comes twice", "one line for each item", kind="conflict"
            )
        seen.add(item.item_id)
        for prediction in suite.predictions:
            if not prediction.optional:
                for condition, region in prediction.cells():
                    _check_cell(item, prediction.name, condition, region, where)
    return suite


def applies(prediction: Prediction, item: Item) -> bool:
    """Whether the item is one of those the prediction speaks of: an optional one of those that
    have all its conditions and regions, another one of all."""
    return not prediction.optional or all(
        condition in item.conditions
        and all(
            region == WHOLE or any(region == each.region for each in wording)
            for wording in item.conditions[condition]
        )
        for condition, region in prediction.cells()
    )


def _check_cell(item: Item, name: str, condition: str, region: str, where: str) -> None:
    who = f"the prediction {name!r}"
    if condition not in item.conditions:
        raise InputError(
            where,
            f"{who} names the condition {condition!r}, which the item lacks",
            nearest(condition, item.conditions),
            kind="unknown",
        )
    for wording in item.conditions[condition]:
        names = [each.region for each in wording]
        if region != WHOLE and region not in names:
            raise InputError(
                where,
                f"{who} names the region {region!r}, which condition {condition!r} lacks",
                nearest(region, names),
                kind="unknown",
            )


def content_hash(items: Sequence[Item], predictions: Sequence[Prediction]) -> str:
    """SHA-256 (hex) over everything a score or an outcome can depend on, in item order."""
    digest = hashlib.sha256()
    for item in items:
        digest.update(repr((item.item_id, sorted(item.conditions.items()))).encode())
    for prediction in predictions:
        digest.update(repr(tuple(to_list(prediction))).encode())
    return digest.hexdigest()
