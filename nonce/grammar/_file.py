"""What stands in a grammar file: its keys and the types of their values, checked by pydantic."""

import re
import tomllib
from itertools import takewhile
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
)
from pydantic_core import PydanticCustomError

from ...data.errors import ErrorKind, InputError
from ...data.registry import nearest
from ._notation import TomlSource


def _once(names: list[str]) -> list[str]:
    if len(set(names)) < len(names):
        raise PydanticCustomError("conflict", "each name once")
    return names


Text: TypeAlias = Annotated[str, StringConstraints(min_length=1)]
Two: TypeAlias = Annotated[str, StringConstraints(pattern=r"^\s*\S+\s+\S+\s*$")]
Names: TypeAlias = Annotated[list[Text], AfterValidator(_once)]
Values: TypeAlias = Annotated[list[str], Field(min_length=1)]
RuleTexts: TypeAlias = Annotated[
    list[str],
    BeforeValidator(lambda value: [value] if isinstance(value, str) else value),
    Field(min_length=1),
]
"""A rule, or several"""
Glue: TypeAlias = Literal["", "left", "right", "both", "clitic"]
"""How a word joins its neighbours; a clitic is one token with the word after it."""


class TomlTable(BaseModel):
    """A table of the file, which has no other keys."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class WordsTable(TomlTable):
    """`[lexicon.NAME]`; what an entry has of `paradigm`, `with` and `tree` goes before these."""

    upos: str = ""
    entries: Annotated[list[str | dict[str, Any]], Field(min_length=1)]
    feats: str = ""
    repeat: bool = True
    glue: Glue = ""
    paradigm: str = ""
    with_: str = Field("", alias="with")
    tree: str = ""


class SoundsTable(TomlTable):
    """`[sounds.NAME]`"""

    starts: str = ""
    also: str = ""
    never: str = ""


class SandhiRule(TomlTable):
    """`[[sandhi]]`; `form` may name several."""

    form: str
    before: str
    becomes: str
    upos: str = ""
    drops: str = ""
    glue: Glue = ""


class ConstructionTable(TomlTable):
    """`[suite.constructions.NAME]`: conditions of a template, and whatever is known of it."""

    model_config = ConfigDict(strict=True, frozen=True, extra="allow")
    __pydantic_extra__: dict[str, Text] = Field(init=False)

    conditions: Names = []


class SuiteSection(TomlTable):
    """`[suite]`"""

    conditions: Names = []
    facts: dict[str, Text] = {}
    average: Names = []
    swap: list[Annotated[list[Text], Field(min_length=2, max_length=2)]] = []
    predictions: dict[str, Text] = {}
    constructions: dict[str, ConstructionTable] = {}


class GrammarFile(TomlTable):
    """A grammar file (`docs/suites.md` describes the language)."""

    name: Text
    language: Text
    licence: str = ""
    capital: bool = True
    stop: str = ""
    features: Annotated[dict[str, Values], Field(min_length=1)]  # shown in FEATS
    selection: dict[str, Values] = {}  # and never shown
    indices: dict[str, str] = {}
    paradigms: dict[str, dict[str, str]] = {}
    lexicon: Annotated[dict[str, WordsTable], Field(min_length=1)]
    macros: dict[str, RuleTexts] = {}
    phrases: dict[str, RuleTexts] = {}
    sentences: Annotated[dict[str, RuleTexts], Field(min_length=1)]
    sounds: dict[str, SoundsTable] = {}
    contractions: dict[Two, str] = {}
    suite: SuiteSection | None = None
    sandhi: list[SandhiRule] = []


SECTIONS: dict[str, type[TomlTable]] = {
    "lexicon": WordsTable, "sounds": SoundsTable, "sandhi": SandhiRule, "suite": SuiteSection,
}  # fmt: skip
EXPECTED = {  # by the sort of a fault, in the words of TOML
    "string_type": 'text in quotes, "…"', "string_too_short": 'text in quotes, "…"',
    "bool_type": "true or false", "list_type": "a list, […]", "dict_type": "a table",
    "model_type": "a table", "too_short": "one at least", "string_pattern_mismatch": "two words",
}  # fmt: skip


def read_file(source: TomlSource) -> GrammarFile:
    """The file of these lines. Raises `InputError` for what is no TOML, and for a key that is
    unknown, missing or of another type."""
    text = "\n".join(source.lines)
    try:
        return GrammarFile.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        message, _, position_text = str(error).partition(" (at ")
        line = re.search(r"line (\d+)", position_text)
        location = f"{source.path}:{line[1] if line else len(source.lines)}"
        wrong = f"this is not TOML ({message})"
        raise InputError(location, wrong, "valid TOML", kind="format") from None
    except ValidationError as error:
        faults = error.errors(include_url=False)
    fault = next((entry for entry in faults if entry["type"] == "extra_forbidden"), faults[0])
    loc = [part for part in fault["loc"] if part != "[key]"]
    keys = [str(key) for key in takewhile(lambda part: isinstance(part, str), loc)]
    number = next((part for part in loc if isinstance(part, int)), 0)
    name = loc[-1] if loc[0] == "sandhi" else keys[-1]
    wrong = f"{name} is {fault['input']!r:.60}"
    right = EXPECTED.get(fault["type"], fault["msg"].removeprefix("Input should be "))
    kind: ErrorKind = "format"
    if fault["type"] == "missing":
        wrong, right = f"there is no {name!r}", f"{name} = …"
        kind = "missing" if len(loc) == 1 else "format"
    elif fault["type"] == "extra_forbidden":
        table = SECTIONS.get(keys[0], GrammarFile) if len(loc) > 1 else GrammarFile
        names = [field.alias or key for key, field in table.model_fields.items()]
        wrong, right, kind = f"unknown key {name!r}", nearest(str(name), names), "unknown"
    elif fault["type"] in ("literal_error", "conflict"):
        kind = "unknown" if fault["type"] == "literal_error" else "conflict"
    table_name = ".".join(keys[:-1])
    wrong = f"{table_name}: {wrong}" if table_name else wrong
    raise source.error(wrong, right, *keys, number=number, kind=kind)
