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
UNKNOWN = ("extra_forbidden", "unexpected_keyword_argument")  # pydantic's errors for unknown keys


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
        line = re.search(r"line (\d+)", position)
        location = f"{path}:{line[1] if line else len(text.splitlines())}"
        wrong = f"this is not TOML ({message})"
        raise InputError(location, wrong, "write valid TOML", kind="format") from None
    except ValidationError as error:
        faults = error.errors(include_url=False)
    fault = min(faults, key=lambda entry: entry["type"] not in UNKNOWN)  # unknown keys first
    loc = [part for part in fault["loc"] if part != "[key]"]
    n = 2 if isinstance(loc[1:2] and loc[1], int) else 0  # name and index of a table in a list
    *tables, name = [*loc[:n], *takewhile(lambda part: isinstance(part, str), loc[n:])]
    kind: ErrorKind = "format"
    wrong, keys = f"{name} is {fault['input']!r:.60}", [*tables, name]
    right = in_our_words(fault["msg"].removeprefix("Value error, "))
    right = right.replace("String should match pattern", "text that matches")
    if fault["type"] == "literal_error":
        kind = "unknown"
    elif fault["type"] == "missing":
        wrong, right, kind, keys = f"there is no {name!r}", f"write {name} = …", "missing", tables
    elif fault["type"] in UNKNOWN:
        record = table_models[str(tables[0])] if tables else model
        names = (
            [field.name for field in fields(record)]
            if is_dataclass(record)
            else [field.alias or key for key, field in record.model_fields.items()]
        )
        wrong, right, kind = f"unknown key {name!r}", nearest(str(name), names), "unknown"
    raise InputError(locate(keys), wrong, right, kind=kind)
