"""The section `[suite]` of a grammar file: conditions, wordings, facts, predictions.

Every key can be left out; then a template's items are pairs of the conditions `right` and `wrong`,
one sentence each, and it is predicted of them what is predicted of every mined pair, and of the
whole sentence.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from colorless_green.data.errors import InputError
from colorless_green.data.registry import nearest
from colorless_green.nonce.formats.pairs import FULL
from colorless_green.nonce.grammar.language import Change, Design, Shape
from colorless_green.nonce.grammar.places import Source, place
from colorless_green.nonce.item import PREFIX, REST, RIGHT, TARGET, WRONG
from colorless_green.nonce.prediction import Prediction, parse
from colorless_green.nonce.suite import AGREEMENT, WHOLE

BETWEEN = "between"  # the region of what stands between two that have a name
KEYS = ("conditions", "facts", "average", "swap", "predictions", "constructions")
DEFAULTS = {each.name: each.source for each in (AGREEMENT, FULL)}


def read_design(
    table: Mapping[str, Any], shapes: Sequence[Shape], names: Sequence[str], source: Source
) -> Design:
    """The design in a `[suite]` table; `names` are the grammar's letters and word lists.

    Raises `InputError` for an unknown key, a value of another type, a name that stands for nothing,
    conditions that are not as many as a template has, a prediction that no template can have.
    """
    _known(table, KEYS, ("suite",), source)
    default = _listed(table, "conditions", ("suite",), source) or (RIGHT, WRONG)
    conditions = {shape.template: default for shape in shapes}
    facts: dict[str, Mapping[str, str]] = {name: {} for name in conditions}
    constructions = _table(table, "constructions", ("suite",), source)
    _known(constructions, tuple(conditions), ("suite", "constructions"), source)
    for name in constructions:
        keys = ("suite", "constructions")
        own = dict(_table(constructions, name, keys, source))
        conditions[name] = _listed(own, "conditions", (*keys, name), source) or conditions[name]
        own.pop("conditions", None)
        facts[name] = {key: _text(own, key, (*keys, name), source) for key in own}
    for shape in shapes:
        _check_conditions(shape, conditions[shape.template], source)
    letters = _table(table, "facts", ("suite",), source)
    average = _listed(table, "average", ("suite",), source)
    swap = _pairs(table, source)
    for key, found in (("facts", letters), ("average", average), ("swap", sum(swap, ()))):
        _known(found, names, ("suite", key), source)
    predictions = _predictions(_table(table, "predictions", ("suite",), source), source)
    _check_predictions(predictions, shapes, conditions, source)
    return Design(
        conditions=conditions,
        facts=facts,
        letters={key: _text(letters, key, ("suite", "facts"), source) for key in letters}
        or {name: name for shape in shapes for name, _ in shape.letters},
        average=frozenset(average),
        swap=swap,
        predictions=predictions,
    )


def regions_of(shape: Shape) -> tuple[str, ...]:
    """The regions its sentences can have: those named in the template, or else the target, which
    is what changes; and what stands before, between and after."""
    named = dict.fromkeys(slot.region for slot in shape.slots if slot.region)
    return (PREFIX, *(named or (TARGET,)), BETWEEN, REST)


def applies(prediction: Prediction, shape: Shape, conditions: Sequence[str]) -> bool:
    """Whether the items of a shape have all that a prediction speaks of."""
    regions = {WHOLE, *regions_of(shape)} - {BETWEEN}
    return all(one in conditions and region in regions for one, region in prediction.cells())


def _check_conditions(shape: Shape, conditions: Sequence[str], source: Source) -> None:
    if len(conditions) == shape.n_conditions:
        return
    at = place(source, "sentences", shape.template)
    changing = any(isinstance(term, Change) for slot in shape.slots for _, term in slot.terms)
    marked = f"is marked for {shape.n_conditions} conditions" if changing else "marks nothing"
    wrong = f"the template {shape.template!r} {marked}, and {len(conditions)} are named"
    raise InputError(
        at, f"{wrong} ({', '.join(conditions)})", "a mark for each condition", kind="format"
    )


def _check_predictions(
    predictions: Sequence[Prediction],
    shapes: Sequence[Shape],
    conditions: Mapping[str, Sequence[str]],
    source: Source,
) -> None:
    """Every prediction is one of some items, and every item has one."""
    for each in predictions:
        if not any(applies(each, shape, conditions[shape.template]) for shape in shapes):
            found = dict.fromkeys(one for shape in shapes for one in conditions[shape.template])
            regions = dict.fromkeys(one for shape in shapes for one in regions_of(shape))
            right = f"conditions {', '.join(found)} and regions {', '.join((*regions, WHOLE))}"
            at = place(source, "suite", "predictions", shows=each.name)
            wrong = f"no template has what the prediction {each.name!r} speaks of"
            raise InputError(at, wrong, right, kind="unknown")
    for shape in shapes:
        own = conditions[shape.template]
        if not any(applies(each, shape, own) for each in predictions):
            at = place(source, "sentences", shape.template)
            wrong = f"nothing is predicted of the template {shape.template!r}"
            raise InputError(at, wrong, f"[suite.predictions] of {', '.join(own)}", kind="missing")


def _predictions(table: Mapping[str, Any], source: Source) -> tuple[Prediction, ...]:
    keys = ("suite", "predictions")
    formulas = {name: _text(table, name, keys, source) for name in table} or DEFAULTS
    return tuple(
        parse(formula, name, place(source, *keys, shows=name)) for name, formula in formulas.items()
    )


def _known(found: object, names: Sequence[str], keys: tuple[str, ...], source: Source) -> None:
    assert isinstance(found, Mapping | tuple)
    for name in found:
        if name not in names:
            at = place(source, *keys, shows=name)
            raise InputError(
                at, f"unknown name {name!r}", nearest(str(name), names), kind="unknown"
            )


def _table(
    table: Mapping[str, Any], key: str, keys: tuple[str, ...], source: Source
) -> Mapping[str, Any]:
    value = table.get(key, {})
    if not isinstance(value, dict):
        at = place(source, *keys, key, shows=key)
        raise InputError(
            at, f"{key} is {value!r}", f"a table [{'.'.join((*keys, key))}]", kind="format"
        )
    return value


def _text(table: Mapping[str, Any], key: str, keys: tuple[str, ...], source: Source) -> str:
    value = table[key]
    if not isinstance(value, str) or not value:
        at = place(source, *keys, key, shows=key)
        raise InputError(at, f"{key} is {value!r}", 'text in quotes, "…"', kind="format")
    return value


def _listed(
    table: Mapping[str, Any], key: str, keys: tuple[str, ...], source: Source
) -> tuple[str, ...]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
        at = place(source, *keys, key, shows=key)
        raise InputError(
            at, f"{key} is {value!r}", 'a list of names, ["right", "wrong"]', kind="format"
        )
    if len(set(value)) < len(value):
        at = place(source, *keys, key, shows=key)
        raise InputError(at, f"{key} has a name twice", "each name once", kind="conflict")
    return tuple(value)


def _pairs(table: Mapping[str, Any], source: Source) -> tuple[tuple[str, str], ...]:
    value = table.get("swap", [])
    if not isinstance(value, list) or not all(
        isinstance(each, list) and len(each) == 2 and all(isinstance(one, str) for one in each)
        for each in value
    ):
        at = place(source, "suite", "swap", shows="swap")
        raise InputError(
            at, f"swap is {value!r}", 'pairs of word lists, [["Noun", "Other"]]', kind="format"
        )
    return tuple((one, other) for one, other in value)
