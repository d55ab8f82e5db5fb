"""Check values from outside against the fields of a record (a dataclass), with pydantic."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

from .errors import InputError
from .registry import nearest

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T", bound="DataclassInstance")
PLAINER = {  # pydantic's words → plainer ones
    "greater than or equal to": "at least",
    "less than or equal to": "at most",
    "greater than": "more than",
    "a valid integer": "a whole number",
    "a valid number": "a number",
    "a valid string": "text",
    "a valid boolean": "true or false",
    "a valid tuple": "a list, such as [1, 2]",
}


def validate_record(record: type[T], data: Mapping[str, Any], location: str) -> T:
    """Make a record of values, after checking them.

    Args:
        record: a dataclass; a value must fit the annotation of its field, and a field without a
            default is required.
        data: name of field → value; a list counts as a tuple, nothing else is converted.
        location: the file or option, for messages: a fault is at `location: name`, a missing field
            at `location`.

    Raises:
        InputError: all faults at once: a name that is not a field or a word that is not in a
            `Literal` (kind `unknown`), a missing field (`missing`), a value of another type or
            range (`value`).
    """
    raise_all(faults_in(record, data, location))
    return record(**{k: tuple(v) if isinstance(v, list) else v for k, v in data.items()})


def faults_in(record: Any, data: Mapping[str, Any], location: str = "") -> list[InputError]:
    """Return every fault that `validate_record` would raise for these values.

    If `location` is "", each is located at the name of its field.
    """
    from pydantic import ValidationError  # takes long to import

    names = [field.name for field in fields(record)]
    prefix = f"{location}: " if location else ""
    faults = [
        InputError(prefix + name, "no such setting", nearest(name, names), kind="unknown")
        for name in data
        if name not in names
    ]
    values = {k: tuple(v) if isinstance(v, list) else v for k, v in data.items()}
    try:
        _pydantic_model(record).model_validate(values)
    except ValidationError as error:
        by_name: dict[str, list[Any]] = {}  # a union gives a fault for each of its members
        for fault in error.errors(include_url=False):
            field_name, *_ = fault["loc"]
            by_name.setdefault(str(field_name), []).append(fault)
        for name, field_faults in by_name.items():
            merged = _merge_faults(name, data.get(name), field_faults)
            faults.append(merged.at(location if merged.kind == "missing" else prefix + name))
    return faults


@cache
def _pydantic_model(record: Any) -> Any:
    """Return the pydantic model that checks values for the fields of a dataclass."""
    from pydantic import ConfigDict, create_model

    types = get_type_hints(record, include_extras=True)
    columns: dict[str, Any] = {}
    for field in fields(record):
        is_required = field.default is MISSING and field.default_factory is MISSING
        # `...` is pydantic's default for a required field; None stands for any default
        columns[field.name] = (types[field.name], ... if is_required else None)
    config = ConfigDict(strict=True, arbitrary_types_allowed=True)
    return create_model(record.__name__, __config__=config, **columns)


def check_fields(record: Any) -> None:
    """Raise `InputError` with all faults of a record's own values, each located at its field."""
    raise_all(faults_in(type(record), {f.name: getattr(record, f.name) for f in fields(record)}))


def demand_at_least(least: int, **numbers: object) -> None:
    """Raise `InputError` for all parameters that are not None and not whole numbers ≥ `least`.

    `numbers` are the parameters, name → value.
    """
    raise_all(
        InputError(name, repr(n), f"a whole number, at least {least}", kind="value")
        for name, n in numbers.items()
        if n is not None and (type(n) is not int or n < least)
    )


def _merge_faults(name: str, value: object, faults: Sequence[Mapping[str, Any]]) -> InputError:
    """Return pydantic's faults of one field as one error in our words, located at its name."""
    types = {fault["type"] for fault in faults}
    if "missing" in types:
        return InputError(name, f"no setting {name!r}", f"a line {name} = …", kind="missing")
    # "none_required" is pydantic's fault for the None in `X | None`, which says nothing of use
    messages = (fault["msg"] for fault in faults if fault["type"] != "none_required")
    right = " or ".join(dict.fromkeys(map(in_our_words, messages)))
    wrong = repr(str(value) if isinstance(value, Path) else value)
    is_unknown_word = "literal_error" in types and isinstance(value, str)
    return InputError(name, wrong, right, kind="unknown" if is_unknown_word else "value")


def in_our_words(message: str) -> str:
    """Turn a message of pydantic into a plainer phrase that says what value would be right."""
    right = message.removeprefix("Input should be ").rstrip(".")
    for pydantic, plain in PLAINER.items():
        right = right.replace(pydantic, plain)
    return right


def raise_all(faults: Iterable[InputError]) -> None:
    """Raise the faults, if there are any, as one error with a line for each.

    It has the location and the kind of the first fault.
    """
    every = [*faults]
    if not every:
        return
    first, *others = every
    if not others:
        raise first
    right = "\n".join([first.right, *map(str, others)])
    raise InputError(first.location, first.wrong, right, kind=first.kind)
