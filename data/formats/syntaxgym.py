"""SyntaxGym's JSON: conditions × regions with formulas (Hu et al. 2020; syntaxgym-core's schema).

Written: pairs as the conditions `match` and `mismatch`, other conditions under their names; regions
by number, their texts stripped and joined by one blank, as SyntaxGym does. Where that is not the
whole suite (words, spacing, agreement, several sentences in a condition, of which SyntaxGym sees
the first), the items stand whole under `meta.colorless`, so that reading loses nothing.
Read: any suite of the format, evaluated or not. A region's name is its number, the
names for display are kept under `meta`; blanks around and within its content that SyntaxGym would
refuse are taken out and counted in `meta["repaired_regions"]`; words are those of `penn`; other
keys under `meta` are kept. An item's construction is the suite's circuit, which
the released files carry in nothing but their names (Hu et al. 2020, §3.1).
Of an evaluated suite the values of its regions are passed over.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..files import read_text, write_whole
from ..formula.expression import CELL
from ..items.item import RIGHT, WRONG, Item, Region, Wording, item_id
from ..items.item_record import from_record, to_record
from ..items.prediction import parse_prediction, to_list
from ..items.sentences import penn
from ..items.suite import Suite, checked
from ..records import OURS, from_facts, get, json_list, malformed, parse_json, text, to_facts
from ..registry import nearest
from .format import Format, as_published, demand_items, published_fact, suite_from

METRICS = ("sum", "mean", "median", "range", "max", "min")
NAMES, REPAIRED = "region_meta", "repaired_regions"
WHOLE_NUMBER = re.compile("0|[1-9][0-9]{0,17}")
PAIR = {RIGHT: "match", WRONG: "mismatch"}
CONDITION = re.compile(r"[A-Za-z0-9_-]+")
RIGHT_SUITE = "a SyntaxGym suite"
FORMULA = '{"type": "formula", "formula": "…"}'
CIRCUITS = {
    "number": "Agreement",
    "npi": "Licensing",
    "reflexive": "Licensing",
    "npz": "Garden-Path Effects",
    "mvrr": "Garden-Path Effects",
    "subordination": "Gross Syntactic State",  # "Gross Syntactic Expectation" in the paper's text
    "center": "Center Embedding",
    "fgd": "Long-Distance Dependencies",
    "cleft": "Long-Distance Dependencies",
}
PREFIX = re.compile("[^-_0-9]*")
MODIFIERS = ("_mod", "_modifier")


def write(suite: Suite, path: Path, vocabulary: frozenset[str] | None = None) -> None:
    """Write a suite as one file. Raises `InputError` where items differ in conditions or
    regions."""
    document = plain_document(suite)
    if from_document(document, str(path)) != suite:
        document["meta"][OURS] = {
            "predictions": [to_list(prediction) for prediction in suite.predictions],
            "meta": suite.meta,
            "items": [to_record(item) for item in suite.items],
        }
    with write_whole(path) as stream:
        indent = 1 if OURS in document["meta"] else 4  # as the published files have it
        json.dump(document, stream, ensure_ascii=False, indent=indent, allow_nan=False)
        stream.write("\n")


def plain_document(suite: Suite) -> dict[str, Any]:
    """Return what SyntaxGym can hold of a suite, as a document without our key."""
    regions = _regions(suite)
    numbers = {name: str(number) for number, name in enumerate(regions, start=1)}
    conditions = suite.items[0].conditions
    labels = PAIR if set(conditions) == set(PAIR) else {name: name for name in conditions}
    for label in labels.values():
        if CONDITION.fullmatch(label) is None:
            location, wrong = f"suite {suite.name}", f"a condition is called {label!r}"
            raise InputError(location, wrong, "letters, digits, - and _", kind="unsupported")
    meta = from_facts(suite.meta)
    names = meta.get(NAMES)  # that stood in `region_meta` when the suite was read
    counted = list(numbers.values())
    if not (isinstance(names, dict) and list(names) == counted == list(regions)):
        names = dict(zip(counted, regions, strict=True))
    ids = [item.facts.get("item_number", "") for item in suite.items]
    if len(set(ids)) < len(ids) or not all(WHOLE_NUMBER.fullmatch(number) for number in ids):
        ids = [str(number) for number in range(1, len(ids) + 1)]
    skipped = ("name", "metric", OURS, NAMES, REPAIRED)
    return {
        "meta": {
            "name": suite.name,
            "metric": suite.metric,
            **{name: value for name, value in meta.items() if name not in skipped},
        },
        "region_meta": {number: str(name) for number, name in names.items()},
        "predictions": [
            {"type": "formula", "formula": _rename_regions(prediction.source, numbers, labels)}
            for prediction in suite.predictions
        ],
        "items": [
            {"item_number": int(number), "conditions": _conditions(item, labels)}
            for number, item in zip(ids, suite.items, strict=True)
        ],
    }


def _regions(suite: Suite) -> tuple[str, ...]:
    """Return the regions that every sentence of a suite has, in order."""
    demand_items(suite)
    conditions = suite.items[0].conditions
    names = tuple(region.region for region in next(iter(conditions.values()))[0])
    for item in suite.items:
        designs = {
            tuple(region.region for region in wording)
            for wordings in item.conditions.values()
            for wording in wordings
        }
        if set(item.conditions) != set(conditions) or designs != {names}:
            location, right = f"item {item.item_id}", "a suite of one design"
            wrong = "its conditions or regions are not those of the first item"
            raise InputError(location, wrong, right, kind="unsupported")
    return names


def _rename_regions(formula: str, numbers: Mapping[str, str], labels: Mapping[str, str]) -> str:
    """Return a formula with regions by number, as written where they already are."""

    def cell(match: re.Match[str]) -> str:
        region, condition = match["region"], match["condition"]
        number, label = numbers.get(region, region), labels.get(condition, condition)
        return match[0] if (number, label) == (region, condition) else f"({number};%{label}%)"

    return CELL.sub(cell, formula)


def _conditions(item: Item, labels: Mapping[str, str]) -> list[dict[str, Any]]:
    bare = {
        f"{labels[name]} {number}": squeezed(region.text)
        for name, wordings in item.conditions.items()
        for number, region in enumerate(wordings[0], start=1)
    }
    (contents,) = as_published("syntaxgym", item.facts, [bare], sentences=frozenset(bare))
    conditions = []
    for name, wordings in item.conditions.items():
        regions: list[dict[str, Any]] = []
        for number in range(1, len(wordings[0]) + 1):
            key = f"{labels[name]} {number}"
            content = str(contents.get(key, bare[key]))
            regions.append({"region_number": number, "content": content})
        conditions.append({"condition_name": labels[name], "regions": regions})
    return conditions


def squeezed(content: str) -> str:
    """Return a text without white space at its ends, and one blank for each run within."""
    return " ".join(content.split())


def read(path: Path) -> Suite:
    """Read the suite of a file. Raises `InputError` with the location of what is not of the format,
    and where `meta.colorless` says something else than the rest."""
    location = str(path)
    document = document_of(path)
    meta = get(document, "meta", dict, location)
    if OURS not in meta:
        return from_document(document, location)
    own_values = get(meta, OURS, dict, location)
    items = [
        from_record(record, f"{location}: meta.{OURS}: item {number}")
        for number, record in enumerate(json_list(own_values, "items", location), start=1)
    ]
    suite_fields = {name: meta[name] for name in ("name", "metric") if name in meta}
    suite = suite_from({**own_values, **suite_fields}, items, location)
    del meta[OURS]
    if plain_document(suite) != document:
        wrong = f"meta.{OURS} is not what the rest of the file says"
        right = f"the file as it was written, or without meta.{OURS}"
        raise InputError(location, wrong, right, kind="changed")
    return checked(suite, location)


def document_of(path: Path) -> Any:
    """Return the JSON value of a file. NaN, which syntaxgym-core writes for the mean of an empty
    region, is null. Raises `InputError`."""
    source = read_text(path)
    if "NaN" in source:
        with suppress(ValueError, RecursionError):  # told below
            value = json.loads(source, parse_constant=lambda n: None if n == "NaN" else float(n))
            source = json.dumps(value, ensure_ascii=False)
    return parse_json(source, str(path), RIGHT_SUITE)


def from_document(document: Mapping[str, Any], location: str) -> Suite:
    """Return the suite of a document without our key."""
    meta = get(document, "meta", dict, location)
    name, metric = text(meta, "name", location), get(meta, "metric", object, location)
    if metric not in METRICS:
        wrong, right = f"the metric is {metric!r:.60}", nearest(str(metric), METRICS)
        raise InputError(location, wrong, right, kind="unknown")
    names = get(document, "region_meta", dict, location)
    numbers = [str(number) for number in range(1, len(names) + 1)]
    if list(names) != numbers or not names:
        raise malformed(location, "'region_meta' does not count its regions from 1", RIGHT_SUITE)
    results = [
        _item(record, name, numbers, f"{location}: item {number}")
        for number, record in enumerate(json_list(document, "items", location), start=1)
    ]
    if not results:
        raise InputError(location, "no item in it", RIGHT_SUITE, kind="empty")
    seen: set[str] = set()
    for position, (item, _) in enumerate(results, start=1):
        number = item.facts["item_number"]
        if number in seen:
            wrong, right = f"the item_number {number} comes twice", "another one for each item"
            raise InputError(f"{location}: item {position}", wrong, right, kind="conflict")
        seen.add(number)
    other_meta = {key: value for key, value in meta.items() if key not in ("name", "metric")}
    n_repaired = sum(n for _, n in results)
    if n_repaired:
        other_meta[REPAIRED] = str(n_repaired)
    if list(names.values()) != numbers:
        other_meta[NAMES] = {number: text(names, number, location) for number in numbers}
    formulas = []
    for n, record in enumerate(json_list(document, "predictions", location), start=1):
        origin = f"{location}: prediction {n}"
        if not isinstance(record, dict) or record.get("type") != "formula":
            is_old = isinstance(record, dict) and "relation" in record
            wrong = "it is a relation, as in the oldest suites" if is_old else "it is not a formula"
            raise malformed(origin, wrong, FORMULA)
        formulas.append(
            parse_prediction(text(record, "formula", origin), f"prediction_{n}", origin)
        )
    items = tuple(item for item, _ in results)
    return checked(
        Suite(name, items, tuple(formulas), metric, to_facts(other_meta, location)), location
    )


def _item(record: object, name: str, numbers: Sequence[str], location: str) -> tuple[Item, int]:
    """Return an item, and how many of its regions had blanks that do not belong there."""
    number = get(record, "item_number", int, location)
    conditions: dict[str, tuple[Wording, ...]] = {}
    raw: dict[str, str] = {}
    for condition in json_list(record, "conditions", location):
        label = text(condition, "condition_name", location)
        if label in conditions:
            right = "conditions with names of their own"
            raise InputError(location, f"two conditions {label!r}", right, kind="conflict")
        regions = json_list(condition, "regions", location)
        contents = [
            (str(get(region, "region_number", int, location)), text(region, "content", location))
            for region in regions
        ]
        if [n for n, _ in contents] != list(numbers):
            wrong = f"condition {label!r} does not have the regions of 'region_meta' in order"
            raise malformed(location, wrong, f"regions 1 to {len(numbers)}")
        conditions[label] = (_wording(contents),)
        raw |= {f"{label} {n}": content for n, content in contents}
    if not conditions:
        raise malformed(location, "it has no condition", RIGHT_SUITE)
    facts = {"item_number": str(number), "construction": circuit(name)}
    bare = {name: squeezed(content) for name, content in raw.items()}
    facts |= published_fact("syntaxgym", [raw], [bare])
    n_repaired = sum(bare[key] != raw[key] for key in raw)
    identity = item_id(name, number)
    item = Item(identity, "suite", identity, "und", name, "", conditions, facts=facts)
    return item, n_repaired


def _wording(contents: Sequence[tuple[str, str]]) -> Wording:
    """Return regions whose texts are the sentence: a blank before each but the first that is not
    empty."""
    regions = []
    begun = False
    for number, content in contents:
        bare = squeezed(content)
        regions.append(Region(number, penn(bare), f" {bare}" if begun and bare else bare))
        begun = begun or bool(bare)
    return tuple(regions)


def circuit(suite_name: str) -> str:
    """Return the circuit that a suite of SyntaxGym belongs to (Hu et al. 2020, §3.1).

    Args:
        suite_name: as in the released files. What counts is the part up to the first `-`, `_` or
            digit.

    Returns:
        The circuit's name; for a part that the paper does not have, that part itself, and for a
        name that begins with `-`, `_` or a digit, the name.

    >>> circuit("number_prep"), circuit("fgd_subject"), circuit("my_suite")
    ('Agreement', 'Long-Distance Dependencies', 'my')
    """
    match = PREFIX.match(suite_name)
    prefix = match[0] if match else ""
    return CIRCUITS.get(prefix, prefix or suite_name)


def modifier_of(names: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return the suites that are another one with a modifier, as `cleft_modifier` is `cleft` with
    one.

    Args:
        names: of suites; one that comes twice counts once.

    Returns:
        (base, the base with `_mod` or `_modifier`) for each such pair, in the order of the bases.

    >>> modifier_of(["cleft", "cleft_modifier", "npi"])
    (('cleft', 'cleft_modifier'),)
    """
    unique = tuple(dict.fromkeys(names))
    pairs = ((base, base + ending) for base in unique for ending in MODIFIERS)
    return tuple((base, modified) for base, modified in pairs if modified in unique)


FORMAT = Format(read, write)
