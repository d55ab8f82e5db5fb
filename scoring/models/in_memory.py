"""Models of transformers that a program has in memory."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from .model_folder import Trained

Given: TypeAlias = tuple[Any, Any] | tuple[Any, Any, str]
"""A model of transformers, its tokenizer, and the name that it goes by in tables"""


@dataclass(frozen=True, slots=True, eq=False)
class InMemory:
    """A model, its tokenizer, and the name it goes by; "" for that of its configuration."""

    model: Any
    tokenizer: Any
    name: str = ""

    @property
    def spec(self) -> str:
        """Return its name, the location in messages."""
        return self.name


def is_given(value: Any) -> bool:
    """Return whether a tuple is a model beside its tokenizer, and not several models' names."""
    names = (Trained, str, Path, tuple)
    is_tuple = isinstance(value, tuple) and len(value) in (2, 3)
    return is_tuple and not isinstance(value[0], names) and not hasattr(value[0], "scorer")
