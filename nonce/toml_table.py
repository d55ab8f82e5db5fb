"""Reading TOML files that users write; pydantic checks them, and errors name the line of a key."""

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from itertools import takewhile
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from ..data.errors import ErrorKind, InputError
from ..data.registry import nearest
from ..data.validate import in_our_words

M = TypeVar("M", bound=BaseModel)
UNKNOWN_KEY_ERRORS = ("extra_forbidden", "unexpected_keyword_argument")  # pydantic's types


def read_table(
    model: type[M],
    table_models: Mapping[str, Any],
    text: str,
    path: str,
    locate: Callable[[Sequence[str | int]], str],
) -> M:
    """Read the text of a TOML file into a model.

    Args:
        model: pydantic model of the whole file.
        table_models: top-level key → dataclass or model of the tables under it, whose fields an
            error about an unknown key suggests.
        text: of the file.
        path: of the file, for messages.
        locate: returns the location (`path:line`) of a key, given the keys that lead to it.

    Raises:
        InputError: the text is not TOML, or a key is unknown, missing or has a wrong value.
    """
    try:
        return model.model_validate(tomllib.loads(text))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        message, _, position = str(error).partition(" (at ")
        line_number = re.search(r"line (\d+)", position)
        last_line = len(text.splitlines())
        location = f"{path}:{line_number[1] if line_number else last_line}"
        wrong = f"this is not TOML ({message})"
        raise InputError(location, wrong, "write valid TOML", kind="format") from None
    except ValidationError as error:
        faults = error.errors(include_url=False)
    fault = min(faults, key=lambda entry: entry["type"] not in UNKNOWN_KEY_ERRORS)  # these first
    *tables, name = _keys_to(fault["loc"])
    kind: ErrorKind = "format"
    wrong, keys = f"{name} is {fault['input']!r:.60}", [*tables, name]
    right = in_our_words(fault["msg"].removeprefix("Value error, "))
    right = right.replace("String should match pattern", "text that matches")
    if fault["type"] == "literal_error":  # another word than those allowed
        kind = "unknown"
    elif fault["type"] == "missing":  # the key has no line: locate its table
        wrong, right, kind, keys = f"there is no {name!r}", f"write {name} = …", "missing", tables
    elif fault["type"] in UNKNOWN_KEY_ERRORS:
        record = table_models[str(tables[0])] if tables else model
        names = (
            [field.name for field in fields(record)]
            if is_dataclass(record)
            else [field.alias or key for key, field in record.model_fields.items()]
        )
        wrong, right, kind = f"unknown key {name!r}", nearest(str(name), names), "unknown"
    raise InputError(locate(keys), wrong, right, kind=kind)


def _keys_to(loc: Sequence[str | int]) -> list[str | int]:
    """Return the keys that lead to a fault, from the place that pydantic gives: a table in a list
    (its name and index), if the fault is in one, and names down to the first other index."""
    loc = [part for part in loc if part != "[key]"]
    is_in_list = len(loc) > 1 and isinstance(loc[1], int)
    table, inner = (loc[:2], loc[2:]) if is_in_list else ([], loc)
    return [*table, *takewhile(lambda part: isinstance(part, str), inner)]
