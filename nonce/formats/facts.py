"""Keys that a format does not know, as the facts of an item (texts by name), and back.

What is no text becomes JSON, and its name is noted under JSON_KEYS, so that 5 comes back as 5 and
"5" as "5".
"""

import json
from collections.abc import Mapping
from typing import Any

from colorless_green.data.errors import InputError

JSON_KEYS = "json_keys"
DEEPEST = 20  # far below where writing JSON meets Python's limit of recursion


def to_facts(values: Mapping[str, Any], place: str) -> dict[str, str]:
    """JSON values as texts, in their order. Raises `InputError` for a value with more than DEEPEST
    lists and objects inside each other."""
    for name, value in values.items():
        if _is_deep(value):
            wrong = f"{name!r:.40} is nested more than {DEEPEST} deep"
            raise InputError(place, wrong, "plain values", kind="format")
    facts = {
        name: value if isinstance(value, str) else _written(value)
        for name, value in values.items()
        if name != JSON_KEYS
    }
    others = [name for name in facts if not isinstance(values[name], str)]
    return {**facts, JSON_KEYS: _written(others)} if others else facts


def from_facts(facts: Mapping[str, str]) -> dict[str, Any]:
    """The values of `to_facts`; a text where the note or what it is about is not as it was left."""
    others = _read(facts.get(JSON_KEYS, "[]"))
    noted = others if isinstance(others, list) else []
    return {
        name: _read(value) if name in noted else value
        for name, value in facts.items()
        if name != JSON_KEYS
    }


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
    return bool(level)


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _read(text: str) -> Any:
    try:
        value = json.loads(text)
        _written(value)
    except (ValueError, RecursionError):
        return text
    return text if _is_deep(value) else value
