"""Agreement items as JSON lines, one item a line, loss-free.

The keys of an item come first, in the order of the design's table; the facts of agreement stand
flattened beside them, so that a table reader can use the file. `text`, `right_value`,
`pronoun_cue`, `n_attractors` and `original_id` repeat what other keys say, for readers; they are
not read back.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, get_type_hints

from colorless_green.data.errors import InputError
from colorless_green.data.registry import nearest
from colorless_green.data.tables import write_jsonl
from colorless_green.miner.features import parse_feats
from colorless_green.miner.tree import Tree
from colorless_green.nonce.formats import Format
from colorless_green.nonce.formats.records import get, integers, json_lines, listed, text, texts
from colorless_green.nonce.item import (
    KINDS,
    Agreement,
    Item,
    Leak,
    Nominal,
    Region,
    Target,
    Wording,
    sentence_text,
)
from colorless_green.nonce.prediction import Prediction, from_list, to_list
from colorless_green.nonce.suite import AGREEMENT, Suite, checked

FACTS = tuple(field.name for field in fields(Agreement))
TUPLES_OF_INT = {
    "attractors",
    "substitutions",
    "value_from",
    "cues_before",
    "cues_between",
    "cues_beside_target",
}
TUPLES_OF_TEXT = {"values", "tokens", "upos", "feats", "spaces", "flags"}
LATER: dict[str, Any] = {  # files of version 0.1 lack them
    "cue_feature": "",
    "target_feature": "",
    "before": "",
    "after": "",
    "tree": None,
    "cue_node": -1,
    "target_node": -1,
    "nominals": (),
    "leaks": (),
    "wrong_value": "",
    "wrong_forms": {},
    "value_from": (),
    "cues_before": (),
    "cues_between": (),
    "cues_beside_target": (),
}
INTEGERS = {"number", "cue_index", "target_index", "gap", "variant", "cue_node", "target_node"}
COLUMNS = tuple(field.name for field in fields(Tree))
RECORDS: dict[str, type[Nominal] | type[Leak]] = {"nominals": Nominal, "leaks": Leak}


def write(suite: Suite, path: Path, vocabulary: frozenset[str] | None = None) -> None:
    """One line for each item; the suite's name is the file's stem. The vocabulary is not looked at.

    Where other things are predicted than that of agreement, every line has them as `predictions`:
    name to formula, or to a list of the formula and `optional`. Raises `InputError` for another
    metric, which a file of items has no place for.
    """
    if suite.items and suite.metric != "sum":
        raise InputError(
            f"suite {suite.name}",
            f"its metric is {suite.metric!r}, and JSON lines mean the sum",
            "--format syntaxgym",
            kind="unsupported",
        )
    stated = {
        name: [source, *marks] if marks else source
        for name, source, *marks in map(to_list, suite.predictions)
    }
    more = {} if suite.predictions == (AGREEMENT,) else {"predictions": stated}
    write_jsonl(path, (to_record(item) | more for item in suite.items))


def read(path: Path) -> Suite:
    """The suite of a file written by `write`. A prediction that some lines do not state is
    optional. Raises `InputError` with the line of a bad item."""
    items: list[Item] = []
    found: dict[str, Prediction] = {}
    n_stated: Counter[str] = Counter()
    parsed: dict[tuple[str, ...], Prediction] = {}
    for place, record in json_lines(path):
        for values in _stated(record, place):
            each = parsed.get(values) or parsed.setdefault(values, from_list(values, place))
            if found.setdefault(each.name, each) != each:
                wrong = f"the prediction {each.name!r} has another formula than on a line before"
                raise InputError(place, wrong, "one formula for each name", kind="conflict")
            n_stated[each.name] += 1
        items.append(from_record(record, place))
    if not items:
        raise InputError(str(path), "no item in it", "one JSON object a line", kind="empty")
    name = path.name.removesuffix(".gz").removesuffix(".jsonl")
    predictions = tuple(
        replace(each, optional=each.optional or n_stated[each.name] < len(items))
        for each in found.values()
    )
    return checked(Suite(name, tuple(items), predictions), str(path))


def _stated(record: Mapping[str, Any], place: str) -> Iterator[tuple[str, ...]]:
    """What a line says is predicted of its item, as for `from_list`; without a word, agreement."""
    if "predictions" not in record:
        yield tuple(to_list(AGREEMENT))
        return
    for name, stated in get(record, "predictions", dict, place).items():
        values = [stated] if isinstance(stated, str) else stated
        if not (isinstance(values, list) and all(isinstance(each, str) for each in values)):
            raise InputError(
                place, f"the prediction {name!r} is no formula", "name to formula", kind="format"
            )
        yield (name, *values)


def to_record(item: Item) -> dict[str, Any]:
    """An item as plain values, keys in the promised order."""
    record: dict[str, Any] = {
        "item_id": item.item_id,
        "kind": item.kind,
        "cluster_id": item.cluster_id,
        "set_id": item.set_id,
        "cell": item.cell,
        "language": item.language,
        "source": item.source,
        "licence": item.licence,
        "conditions": {
            name: [[_region_record(region) for region in wording] for wording in wordings]
            for name, wordings in item.conditions.items()
        },
        "targets": [
            {
                "right": each.right,
                "wrong": each.wrong,
                "lemma": each.lemma,
                "source": each.source,
            }
            for each in item.targets
        ],
    }
    if item.agreement is not None:
        for name in FACTS:
            value = getattr(item.agreement, name)
            record[name] = list(value) if isinstance(value, tuple) else value
        tree = item.agreement.tree
        record["tree"] = tree and {name: list(getattr(tree, name)) for name in COLUMNS}
        for name in RECORDS:
            record[name] = [each._asdict() for each in getattr(item.agreement, name)]
        record["wrong_forms"] = dict(item.agreement.wrong_forms)
        record["right_value"] = item.agreement.value
        record["pronoun_cue"] = item.agreement.cue_upos == "PRON"
        record["n_attractors"] = len(item.agreement.attractors)
        record["original_id"] = item.cluster_id
        record["text"] = sentence_text(next(iter(item.conditions.values()))[0])
    record["facts"] = dict(item.facts)
    return record


def details_of(item: Item) -> str:
    """What is known of agreement and of further targets, as JSON; "" where nothing is."""
    if item.agreement is None and not item.targets:
        return ""
    names = {"targets", *FACTS} if item.agreement is not None else {"targets"}
    record = to_record(item)
    return json.dumps({name: record[name] for name in record if name in names}, ensure_ascii=False)


def of_details(details: str, place: str) -> tuple[Agreement | None, tuple[Target, ...]]:
    """Agreement and targets of what `details_of` wrote."""
    if not details:
        return None, ()
    record = json.loads(details)
    agreement = _agreement(record, place) if "construction" in record else None
    return agreement, _targets(record, place)


def _region_record(region: Region) -> dict[str, Any]:
    return {"region": region.region, "words": list(region.words), "text": region.text}


def from_record(record: Mapping[str, Any], place: str) -> Item:
    """The item of a record. Raises `InputError` for a key that is missing or of another type."""
    kind = text(record, "kind", place)
    if kind not in KINDS:
        raise InputError(place, f"kind is {kind!r}", nearest(kind, KINDS), kind="unknown")
    conditions = get(record, "conditions", dict, place)
    return Item(
        item_id=text(record, "item_id", place),
        kind=kind,
        cluster_id=text(record, "cluster_id", place),
        set_id=text(record, "set_id", place),
        cell=text(record, "cell", place),
        language=text(record, "language", place),
        source=text(record, "source", place),
        licence=text(record, "licence", place),
        conditions={
            name: tuple(_wording(each, place) for each in _wordings(conditions, name, place))
            for name in conditions
        },
        targets=_targets(record, place),
        agreement=_agreement(record, place) if "construction" in record else None,
        facts=_facts(record, place),
    )


def _targets(record: Mapping[str, Any], place: str) -> tuple[Target, ...]:
    return tuple(
        Target(
            text(each, "right", place),
            text(each, "wrong", place),
            text(each, "lemma", place),
            text(each, "source", place) if "source" in each else "treebank",
        )
        for each in listed(record, "targets", place)
    )


def _facts(record: Mapping[str, Any], place: str) -> dict[str, str]:
    facts = record.get("facts", {})
    if not isinstance(facts, dict):
        raise InputError(place, "'facts' is no object", "names with texts", kind="format")
    return {str(name): text(facts, name, place) for name in facts}


def _agreement(record: Mapping[str, Any], place: str) -> Agreement:
    values: dict[str, Any] = {}
    for name in FACTS:
        if name in LATER and name not in record:
            values[name] = LATER[name]
        elif name == "tree":
            values[name] = None if record[name] is None else _tree(record[name], place)
        elif name in RECORDS:
            values[name] = _records(record, name, place)
        elif name == "wrong_forms":
            forms = get(record, name, dict, place)
            values[name] = {str(each): text(forms, each, place) for each in forms}
        elif name in TUPLES_OF_TEXT:
            values[name] = tuple(texts(record, name, place))
        elif name in TUPLES_OF_INT:
            values[name] = tuple(integers(record, name, place))
        elif name in INTEGERS:
            values[name] = get(record, name, int, place)
        elif name == "seed":
            values[name] = None if record.get(name) is None else get(record, name, int, place)
        else:
            values[name] = text(record, name, place)
    agreement = Agreement(**values)
    n_tokens = len(agreement.tokens)
    if not 0 <= agreement.cue_index < agreement.target_index < n_tokens:
        raise InputError(
            place,
            f"cue_index {agreement.cue_index}, target_index {agreement.target_index}",
            f"0 ≤ cue_index < target_index < {n_tokens}",
            kind="format",
        )
    if agreement.gap != agreement.target_index - agreement.cue_index - 1:
        raise InputError(
            place, f"gap is {agreement.gap}", "the tokens between cue and target", kind="format"
        )
    tree = agreement.tree
    for feats in (agreement.target_feats, *agreement.feats, *(tree.feats if tree else ())):
        try:
            parse_feats(feats)
        except ValueError as error:
            raise InputError(
                place, str(error), "Name=Value joined by |, or _", kind="format"
            ) from None
    for name in ("upos", "feats", "spaces"):
        if len(getattr(agreement, name)) not in (0, n_tokens):
            raise InputError(
                place, f"{name!r} is not as long as 'tokens'", f"{n_tokens} entries", kind="format"
            )
    if agreement.upos and not agreement.spaces:
        agreement = replace(agreement, spaces=("", *[" "] * (n_tokens - 1)))
    if agreement.right != agreement.tokens[agreement.target_index]:
        raise InputError(
            place, "'right' does not stand at target_index", "the token there", kind="format"
        )
    if not agreement.right.startswith(agreement.before) or not agreement.right.endswith(
        agreement.after
    ):
        raise InputError(
            place, "'before' or 'after' is no part of 'right'", "its parts", kind="format"
        )
    if tree is not None:
        _check_tree(agreement, tree, place)
    return agreement


def _records(record: object, name: str, place: str) -> tuple[Any, ...]:
    """Named tuples of whole numbers and texts, as `RECORDS` has them."""
    kind = RECORDS[name]
    types = get_type_hints(kind)
    return tuple(
        kind(**{key: get(each, key, types[key], place) for key in kind._fields})
        for each in listed(record, name, place)
    )


def _tree(record: object, place: str) -> Tree:
    columns: dict[str, Any] = {
        name: tuple((integers if name in ("heads", "tokens") else texts)(record, name, place))
        for name in COLUMNS
    }
    return Tree(**columns)


def _check_tree(agreement: Agreement, tree: Tree, place: str) -> None:
    """Columns of one length, heads and tokens that exist, cue and target where they are said."""
    n_words, n_tokens = len(tree), len(agreement.tokens)
    if any(len(getattr(tree, name)) != n_words for name in COLUMNS):
        raise InputError(
            place, "'tree' has columns of different lengths", "one entry a word", kind="format"
        )
    if not all(-1 <= head < n_words for head in tree.heads):
        raise InputError(
            place,
            "'tree' has a head outside the sentence",
            "0-based, -1 for the root",
            kind="format",
        )
    if not all(0 <= token < n_tokens for token in tree.tokens):
        raise InputError(
            place, "'tree' has a token outside the sentence", f"0 to {n_tokens - 1}", kind="format"
        )
    for name, node, token in (
        ("cue", agreement.cue_node, agreement.cue_index),
        ("target", agreement.target_node, agreement.target_index),
    ):
        if not 0 <= node < n_words or tree.tokens[node] != token:
            raise InputError(
                place,
                f"'{name}_node' is {node}",
                f"a word of the tree in token {token}",
                kind="format",
            )


def _wordings(conditions: object, name: str, place: str) -> list[Any]:
    found = listed(conditions, name, place)
    if not found:
        raise InputError(
            place, f"condition {name!r} has no sentence", "one sentence or more", kind="format"
        )
    return found


def _wording(regions: object, place: str) -> Wording:
    if not isinstance(regions, list) or not regions:
        raise InputError(place, "a condition without regions", "a list of regions", kind="format")
    return tuple(
        Region(
            text(region, "region", place),
            tuple(texts(region, "words", place)),
            text(region, "text", place),
        )
        for region in regions
    )


FORMAT = Format(read, write)
