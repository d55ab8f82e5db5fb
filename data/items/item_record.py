"""Turn an item into plain values and back, for our JSON lines and for the store.

The fields of the item come first; the fields of its agreement stand beside them and not nested, so
that a reader of tables can use the file. `text`, `right_value`, `pronoun_cue`, `n_attractors` and
`original_id` repeat what other keys say, for people; they are not read back.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields, replace
from functools import cache
from typing import Any

from ..errors import InputError
from ..records import get, malformed, text
from ..registry import nearest
from ..validate import in_our_words
from .features import parse_feats
from .item import KINDS, TEXT_FIELDS, Agreement, Item, Target, sentence_text
from .tree import Tree

AGREEMENT_FIELDS = [field.name for field in fields(Agreement)]
GAP_PLACE = AGREEMENT_FIELDS.index("wrong") + 1  # in a record the key `gap`, no field, stands here
AGREEMENT_KEYS = (*AGREEMENT_FIELDS[:GAP_PLACE], "gap", *AGREEMENT_FIELDS[GAP_PLACE:])
ITEM_KEYS = (*TEXT_FIELDS, "conditions", "targets", "facts")
RECORD_FIELDS = ("nominals", "leaks")  # fields that are lists of records
TREE_COLUMNS = tuple(field.name for field in fields(Tree))


def to_record(item: Item) -> dict[str, Any]:
    """Return an item as a dictionary of values that JSON can hold, keys in the documented order."""
    record: dict[str, Any] = {name: getattr(item, name) for name in TEXT_FIELDS}
    record["conditions"] = {
        name: [
            [
                {"region": region.region, "words": list(region.words), "text": region.text}
                for region in wording
            ]
            for wording in wordings
        ]
        for name, wordings in item.conditions.items()
    }
    record["targets"] = list(map(asdict, item.targets))
    if item.agreement is not None:
        for name in AGREEMENT_KEYS:
            value = getattr(item.agreement, name)
            record[name] = list(value) if isinstance(value, tuple) else value
        tree = item.agreement.tree
        record["tree"] = tree and {name: list(getattr(tree, name)) for name in TREE_COLUMNS}
        for name in RECORD_FIELDS:
            record[name] = [entry._asdict() for entry in record[name]]
        record["wrong_forms"] = dict(item.agreement.wrong_forms)
        record["right_value"] = item.agreement.value
        record["pronoun_cue"] = item.agreement.cue_upos == "PRON"
        record["n_attractors"] = len(item.agreement.attractors)
        record["original_id"] = item.cluster_id
        record["text"] = sentence_text(next(iter(item.conditions.values()))[0])
    record["facts"] = dict(item.facts)
    return record


def details_of(item: Item) -> str:
    """Return the agreement and the further targets of an item as JSON; "" if it has neither."""
    if item.agreement is None and not item.targets:
        return ""
    keys = {"targets", *AGREEMENT_KEYS} if item.agreement is not None else {"targets"}
    details = {key: value for key, value in to_record(item).items() if key in keys}
    return json.dumps(details, ensure_ascii=False)


def parse_details(details: str, location: str) -> tuple[Agreement | None, tuple[Target, ...]]:
    """Read what `details_of` wrote: return the agreement, None without one, and further targets."""
    if not details:
        return None, ()
    record = json.loads(details)
    targets = _to_type(tuple[Target, ...], record["targets"], location)
    return _parse_agreement(record, location), targets


def from_record(record: Mapping[str, Any], location: str) -> Item:
    """Return the item that a dictionary of plain values describes, as `to_record` writes it.

    Raises `InputError` for a missing key or a value of another type.
    """
    kind = text(record, "kind", location)
    if kind not in KINDS:
        raise InputError(location, f"kind is {kind!r}", nearest(kind, KINDS), kind="unknown")
    values = {name: record[name] for name in ITEM_KEYS if name in record}
    item: Item = _to_type(Item, values, location)
    for name, wordings in item.conditions.items():
        if not wordings or not all(wordings):
            wrong = f"condition {name!r} has no sentence, or one without regions"
            raise malformed(location, wrong, "sentences, each a list of regions")
    return replace(item, agreement=_parse_agreement(record, location))


def _to_type(kind: Any, values: object, location: str) -> Any:
    """Convert plain values to an object of the type `kind`, after checking them against the type.

    Raises `InputError` for the first key that is missing or has a value of another type.
    """
    from pydantic import ValidationError

    try:
        return _type_adapter(kind).validate_python(values)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
    keys = ": ".join(map(str, fault["loc"]))
    if fault["type"] == "missing":
        raise malformed(location, f"no key {keys!r}", "every key that an item has")
    raise malformed(location, f"{keys!r} is {fault['input']!r:.40}", in_our_words(fault["msg"]))


@cache
def _type_adapter(kind: Any) -> Any:
    """Return pydantic's validator for a type."""
    from pydantic import TypeAdapter  # takes long to import

    return TypeAdapter(kind)


def _parse_agreement(record: Mapping[str, Any], location: str) -> Agreement | None:
    """Return the agreement in an item's record; None if the item is not one of agreement.

    Raises `InputError` for values that contradict each other.
    """
    if "construction" not in record:
        return None
    values = {name: record[name] for name in AGREEMENT_FIELDS if name in record}
    agreement: Agreement = _to_type(Agreement, values, location)
    gap = get(record, "gap", int, location)
    for wrong, right in _contradictions(agreement, gap):
        raise malformed(location, wrong, right)
    if agreement.upos and not agreement.spaces:  # a record of another program may leave them out
        spaces = ("", *[" "] * (len(agreement.tokens) - 1))
        agreement = replace(agreement, spaces=spaces)
    return agreement


def _contradictions(facts: Agreement, gap: int) -> Iterator[tuple[str, str]]:
    """Yield two texts for each contradiction in an agreement: what is wrong, what would be right.

    `gap` is the number of tokens between cue and target that the record states.
    """
    tree, n_tokens = facts.tree, len(facts.tokens)
    if not 0 <= facts.cue_index < facts.target_index < n_tokens:
        yield (
            f"cue_index {facts.cue_index}, target_index {facts.target_index}",
            f"0 ≤ cue_index < target_index < {n_tokens}",
        )
    if gap != facts.gap:
        yield f"gap is {gap}", "the tokens between cue and target"
    for feats in (facts.target_feats, *facts.feats, *(tree.feats if tree else ())):
        try:
            parse_feats(feats)
        except ValueError as error:
            yield str(error), "Name=Value joined by |, or _"
    for name in ("upos", "feats", "spaces"):
        if len(getattr(facts, name)) not in (0, n_tokens):
            yield f"{name!r} is not as long as 'tokens'", f"{n_tokens} entries"
    if facts.right != facts.tokens[facts.target_index]:
        yield "'right' does not stand at target_index", "the token there"
    if not (facts.right.startswith(facts.before) and facts.right.endswith(facts.after)):
        yield "'before' or 'after' is no part of 'right'", "its parts"
    if tree is None:
        return
    if any(len(getattr(tree, name)) != len(tree) for name in TREE_COLUMNS):
        yield "'tree' has columns of different lengths", "one entry a word"
    if not all(-1 <= head < len(tree) for head in tree.heads):
        yield "'tree' has a head outside the sentence", "0-based, -1 for the root"
    if not all(0 <= token < n_tokens for token in tree.tokens):
        yield "'tree' has a token outside the sentence", f"0 to {n_tokens - 1}"
    for name, index in (("cue", facts.cue_index), ("target", facts.target_index)):
        node = getattr(facts, f"{name}_node")
        if not 0 <= node < len(tree) or tree.tokens[node] != index:
            yield f"'{name}_node' is {node}", f"a word of the tree in token {index}"
