"""Settings from outside, checked against the fields of a record by pydantic."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

from .errors import InputError
from .registry import nearest

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T", bound="DataclassInstance")


def validated(record: type[T], data: Mapping[str, Any], location: str) -> T:
    """Return a record with the given values, checked.

    Args:
        record: a dataclass; its annotations say what each field may be, and a field without a
            default is required.
        data: values by name of field; a list counts as a tuple, nothing else is converted.
        location: the file or option; a fault is at `location: name`, a missing field at `location`.

    Raises:
        InputError: the first fault: a name that is no field or a word that is none of a `Literal`
            (kind `unknown`), a field that is missing (`missing`), a value of another type or range
            (`value`).
    """
    from pydantic import ConfigDict, ValidationError, create_model  # takes long to import

    declared = fields(record)
    for name in data:
        if name not in [field.name for field in declared]:
            right = nearest(name, (field.name for field in declared))
            raise InputError(f"{location}: {name}", "no such setting", right, kind="unknown")
    needed = {f.name for f in declared if f.default is f.default_factory is MISSING}
    types = get_type_hints(record, include_extras=True)
    columns: dict[str, Any] = {
        field.name: (types[field.name], ... if field.name in needed else None) for field in declared
    }
    config = ConfigDict(strict=True, arbitrary_types_allowed=True)
    model = create_model(record.__name__, __config__=config, **columns)
    values = {k: tuple(v) if isinstance(v, list) else v for k, v in data.items()}
    try:
        checked = model.model_validate(values)
        return record(**{name: getattr(checked, name) for name in data})
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
    name = str(fault["loc"][0])
    if fault["type"] == "missing":
        right = f"a line {name} = …"
        raise InputError(location, f"no setting {name!r}", right, kind="missing") from None
    is_word = fault["type"] == "literal_error" and isinstance(fault["input"], str)
    right = fault["msg"].removeprefix("Input should be ").rstrip(".")
    right = right.replace("greater than or equal to", "at least")
    raise InputError(
        f"{location}: {name}", repr(fault["input"]), right, kind="unknown" if is_word else "value"
    )
