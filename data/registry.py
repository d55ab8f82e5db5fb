"""Look up what is registered by name: a rule, a format, a backend.

A table maps names to strings `package.module:attribute`, imported when first asked for, so that a
heavy module loads only for those who named it. Other distributions add entries through the entry
point group of the table (`colorless_green.rules`, `.formats`, `.backends`).
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, TypeVar

from colorless_green.data.errors import InputError

T = TypeVar("T")


def named(table: Mapping[str, T], name: str, place: str) -> T:
    """The entry called `name`; if there is none, an error that lists those there are."""
    if name in table:
        return table[name]
    raise InputError(
        place, f"no such name {name!r}", f"one of {', '.join(sorted(table))}", kind="unknown"
    )


def load(table: Mapping[str, str], name: str, place: str, group: str) -> Any:
    """The object behind `name`, from `table` or from the entry points of `group`.

    Raises `InputError` if the name is unknown, or if it is known and its extra is not installed.
    """
    known = table if name in table else {**_outside(group), **table}  # ours come first
    module, _, attribute = named(known, name, place).partition(":")
    try:
        return getattr(import_module(module), attribute)
    except ModuleNotFoundError as error:
        raise InputError(
            place,
            f"{name!r} needs the Python package {error.name!r}, which is not installed",
            f"install it with the extra that brings it: {EXTRAS.get(error.name or '', 'all')}",
            kind="dependency",
        ) from error


def _outside(group: str) -> dict[str, str]:
    """What other distributions register. Looking through them takes a tenth of a short command."""
    from importlib.metadata import entry_points

    return {entry.name: entry.value for entry in entry_points(group=group)}


EXTRAS = {  # which extra brings a package that the base install lacks
    "torch": "pip install 'colorless-green[score]'",
    "transformers": "pip install 'colorless-green[score]'",
    "safetensors": "pip install 'colorless-green[score]'",
    "tokenizers": "pip install 'colorless-green[score]'",
    "matplotlib": "pip install 'colorless-green[humans]'",
    "scipy": "pip install 'colorless-green[humans]'",
    "stanza": "pip install 'colorless-green[parse]'",
    "ray": "pip install 'colorless-green[cluster]'",
    "glmm": "pip install 'colorless-green[humans]'",
    "starlette": "pip install 'colorless-green[humans]'",
    "wordfreq": "pip install 'colorless-green[frequencies]'",
    "pandas": "pip install 'colorless-green[pandas]'",
}
