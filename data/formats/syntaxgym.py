"""The format of SyntaxGym's JSON: conditions × regions, with formulas as predictions (Hu et al.
2020; the schema of syntaxgym-core).

The writer calls the conditions of a pair `match` and `mismatch` and keeps the names of others.
Regions are numbered, and their texts are stripped, since SyntaxGym joins them by one blank. The
JSON has no place for words, spacing, agreement, or several sentences in a condition (SyntaxGym
takes the first). If a suite has any of these, all its items also stand in full under
`meta.colorless`, so that nothing is lost.

The reader takes any suite of the format, evaluated or not; the values of an evaluated one are
ignored. The name of a region is its number; the names for display are kept under `meta`. Blanks in
a region's content that SyntaxGym would refuse are removed, and these regions are counted in
`meta["repaired_regions"]`. Words are those of `penn`. Other keys under `meta` are kept. The
construction of an item is the suite's circuit (type of phenomenon), which the released files have
only in their names (Hu et al. 2020, §3.1).
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..files import read_text, write_whole
from ..formula.expression import REGION
from ..items.item import RIGHT, WRONG, Item, Region, Wording, item_id
from ..items.item_record import from_record, to_record
from ..items.prediction import Prediction, parse_prediction, to_list
from ..items.sentences import penn
from ..items.suite import Suite, checked
from ..records import OURS, from_facts, get, json_list, malformed, parse_json, text, to_facts
from ..registry import nearest
from .format import PAPERS, Format, as_published, demand_items, published_fact, suite_from

METRICS = ("sum", "mean", "median", "range", "max", "min")
REGION_META, REPAIRED = "region_meta", "repaired_regions"
WHOLE_NUMBER = re.compile("0|[1-9][0-9]{0,17}")
LABELS = {RIGHT: "match", WRONG: "mismatch"}  # our condition → name in the file
CONDITION = re.compile(r"[A-Za-z0-9_-]+")
EXPECTED_SUITE = "a SyntaxGym suite"
EXPECTED_FORMULA = '{"type": "formula", "formula": "…"}'
MODIFIER_ENDINGS = ("_mod", "_modifier")


def write(suite: Suite, path: Path, vocabulary: frozenset[str] | None = None) -> None:
    """Write a suite as one SyntaxGym file. Raises `InputError` if items differ in conditions or
    regions.

    If SyntaxGym's fields cannot hold all of it, the full items are also written under our own key,
    `meta.colorless`, from which `read` restores the suite. `vocabulary` is not used.
    """
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
    """Return a suite as SyntaxGym's JSON document. What SyntaxGym has no field for is left out."""
    regions = _regions(suite)
    numbers = {name: str(number) for number, name in enumerate(regions, start=1)}
    conditions = suite.items[0].conditions
    labels = LABELS if set(conditions) == set(LABELS) else {name: name for name in conditions}
    for label in labels.values():
        if CONDITION.fullmatch(label) is None:
            location, wrong = f"suite {suite.name}", f"a condition is called {label!r}"
            raise InputError(location, wrong, "letters, digits, - and _", kind="unsupported")
    meta = from_facts(suite.meta)
    names = meta.get(REGION_META)  # names for display, from `region_meta` of the file that was read
    region_numbers = list(numbers.values())
    # They are out of date if the regions are not called 1, 2, … any more, as the reader calls them.
    if not (isinstance(names, dict) and list(names) == region_numbers == list(regions)):
        names = dict(zip(region_numbers, regions, strict=True))
    item_numbers = [item.facts.get("item_number", "") for item in suite.items]
    are_unique = len(set(item_numbers)) == len(item_numbers)
    if not (are_unique and all(map(WHOLE_NUMBER.fullmatch, item_numbers))):
        item_numbers = [str(number) for number in range(1, len(suite.items) + 1)]
    skipped = ("name", "metric", OURS, REGION_META, REPAIRED)
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
            for number, item in zip(item_numbers, suite.items, strict=True)
        ],
    }


def _regions(suite: Suite) -> tuple[str, ...]:
    """Return the names of the regions of every sentence of a suite, in order.

    Raises `InputError` if items differ in conditions or regions.
    """
    demand_items(suite)
    conditions = suite.items[0].conditions
    first_sentence, *_ = next(iter(conditions.values()))
    names = tuple(region.region for region in first_sentence)
    for item in suite.items:
        names_of_sentences = {
            tuple(region.region for region in wording)
            for wordings in item.conditions.values()
            for wording in wordings
        }
        if set(item.conditions) != set(conditions) or names_of_sentences != {names}:
            location, right = f"item {item.item_id}", "a suite of one design"
            wrong = "its conditions or regions are not those of the first item"
            raise InputError(location, wrong, right, kind="unsupported")
    return names


def _rename_regions(formula: str, numbers: Mapping[str, str], labels: Mapping[str, str]) -> str:
    """Return a formula with renamed regions and conditions; the rest stays as it was written.

    `numbers` maps names of regions to their numbers, `labels` names of conditions to those in the
    file.
    """

    def cell(match: re.Match[str]) -> str:
        """Return the new text of one `(region;%condition%)`."""
        region, condition = match["region"], match["condition"]
        number, label = numbers.get(region, region), labels.get(condition, condition)
        return match[0] if (number, label) == (region, condition) else f"({number};%{label}%)"

    return REGION.sub(cell, formula)


def _conditions(item: Item, labels: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the conditions of an item as JSON values, a name and regions each. `labels` maps the
    name of a condition to that in the file. A region has its published text if it has the same
    words as then."""
    bare_texts = {
        f"{labels[name]} {number}": squeezed(region.text)
        for name, (sentence, *_) in item.conditions.items()
        for number, region in enumerate(sentence, start=1)
    }
    keys = frozenset(bare_texts)
    (contents,) = as_published("syntaxgym", item.facts, [bare_texts], sentences=keys)
    conditions = []
    for name, (sentence, *_) in item.conditions.items():
        regions: list[dict[str, Any]] = []
        for number in range(1, len(sentence) + 1):
            key = f"{labels[name]} {number}"
            content = str(contents.get(key, bare_texts[key]))
            regions.append({"region_number": number, "content": content})
        conditions.append({"condition_name": labels[name], "regions": regions})
    return conditions


def squeezed(content: str) -> str:
    """Return a text without blanks at its ends and with single blanks between its words."""
    return " ".join(content.split())


def read(path: Path) -> Suite:
    """Read the suite of a file.

    Raises `InputError` for anything that does not fit the format, and if the items under
    `meta.colorless` are not those in the rest of the file.
    """
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
    """Return the JSON value of a file. Raises `InputError` if it cannot be read or is not JSON.

    NaN, which syntaxgym-core writes for the mean of an empty region, becomes null.
    """
    source = read_text(path)
    if "NaN" in source:
        with suppress(ValueError, RecursionError):  # `parse_json` below reports it
            value = json.loads(
                source, parse_constant=lambda name: None if name == "NaN" else float(name)
            )  # the constants are NaN, Infinity and -Infinity
            source = json.dumps(value, ensure_ascii=False)
    return parse_json(source, str(path), EXPECTED_SUITE)


def from_document(document: Mapping[str, Any], location: str) -> Suite:
    """Return the suite in a document of SyntaxGym's JSON that has no items of ours."""
    meta = get(document, "meta", dict, location)
    name, metric = text(meta, "name", location), get(meta, "metric", object, location)
    if metric not in METRICS:
        wrong, right = f"the metric is {metric!r:.60}", nearest(str(metric), METRICS)
        raise InputError(location, wrong, right, kind="unknown")
    names = get(document, "region_meta", dict, location)
    numbers = [str(number) for number in range(1, len(names) + 1)]
    if list(names) != numbers or not names:
        raise malformed(location, "'region_meta' does not count its regions from 1", EXPECTED_SUITE)
    results = [
        _item(record, name, numbers, f"{location}: item {number}")
        for number, record in enumerate(json_list(document, "items", location), start=1)
    ]
    if not results:
        raise InputError(location, "no item in it", EXPECTED_SUITE, kind="empty")
    numbers_so_far: set[str] = set()
    for position, (item, _) in enumerate(results, start=1):
        number = item.facts["item_number"]
        if number in numbers_so_far:
            wrong, right = f"the item_number {number} comes twice", "another one for each item"
            raise InputError(f"{location}: item {position}", wrong, right, kind="conflict")
        numbers_so_far.add(number)
    other_meta = {key: value for key, value in meta.items() if key not in ("name", "metric")}
    if n_repaired := sum(n for _, n in results):
        other_meta[REPAIRED] = str(n_repaired)
    if list(names.values()) != numbers:
        other_meta[REGION_META] = {number: text(names, number, location) for number in numbers}
    items, predictions = tuple(item for item, _ in results), _predictions(document, location)
    return checked(
        Suite(name, items, predictions, metric, to_facts(other_meta, location)), location
    )


def _predictions(document: Mapping[str, Any], location: str) -> tuple[Prediction, ...]:
    """Return the predictions of a document, called `prediction_1` and so on."""
    predictions = []
    for number, record in enumerate(json_list(document, "predictions", location), start=1):
        origin = f"{location}: prediction {number}"
        if not isinstance(record, dict) or record.get("type") != "formula":
            is_old = isinstance(record, dict) and "relation" in record
            wrong = "it is a relation, as in the oldest suites" if is_old else "it is not a formula"
            raise malformed(origin, wrong, EXPECTED_FORMULA)
        formula = text(record, "formula", origin)
        predictions.append(parse_prediction(formula, f"prediction_{number}", origin))
    return tuple(predictions)


def _item(record: object, name: str, numbers: Sequence[str], location: str) -> tuple[Item, int]:
    """Return the item of a record, and the number of its regions in which blanks were removed.

    `name` is the suite's, `numbers` are those of its regions.
    """
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
        raise malformed(location, "it has no condition", EXPECTED_SUITE)
    facts = {"item_number": str(number), "construction": circuit(name)}
    bare = {name: squeezed(content) for name, content in raw.items()}
    facts |= published_fact("syntaxgym", [raw], [bare])
    n_repaired = sum(bare[key] != raw[key] for key in raw)
    identity = item_id(name, number)
    item = Item(identity, "suite", identity, "und", name, "", conditions, facts=facts)
    return item, n_repaired


def _wording(contents: Sequence[tuple[str, str]]) -> Wording:
    """Return a sentence, a tuple of regions, made of the number and the text of each region.

    A region that is not empty gets a blank before it, unless it is the first such region.
    """
    regions = []
    has_text = False
    for number, content in contents:
        bare = squeezed(content)
        regions.append(Region(number, penn(bare), f" {bare}" if has_text and bare else bare))
        has_text = has_text or bool(bare)
    return tuple(regions)


def circuit(suite_name: str) -> str:
    """Return the circuit that a suite of SyntaxGym belongs to (Hu et al. 2020, §3.1).

    Args:
        suite_name: the name, as in the released files. Only its part before the first `-`, `_` or
            digit counts.

    Returns:
        The circuit's name; that part itself if the paper does not have it; the whole name if it
        begins with `-`, `_` or a digit.

    >>> circuit("number_prep"), circuit("fgd_subject"), circuit("my_suite")
    ('Agreement', 'Long-Distance Dependencies', 'my')
    """
    beginning, *_ = re.split("[-_0-9]", suite_name, maxsplit=1)
    circuit_name: str = PAPERS["syntaxgym"].get(beginning, beginning or suite_name)
    return circuit_name


def modifier_of(names: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Find the suites that have a version with a modifier, as `cleft` has `cleft_modifier`.

    Args:
        names: names of suites.

    Returns:
        (name, the same name with `_mod` or `_modifier`) for each such pair, in the order of names,
        each once.

    >>> modifier_of(["cleft", "cleft_modifier", "npi"])
    (('cleft', 'cleft_modifier'),)
    """
    unique = tuple(dict.fromkeys(names))
    pairs = ((base, base + ending) for base in unique for ending in MODIFIER_ENDINGS)
    return tuple((base, modified) for base, modified in pairs if modified in unique)


FORMAT = Format(read, write)
