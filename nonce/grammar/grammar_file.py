"""The keys of a grammar file, the types of their values (checked by pydantic), and their lines."""

import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from ...data.errors import ErrorKind, InputError
from ...data.items.item import RIGHT, WRONG
from ..toml_table import read_table

KEY = r"""^\s*\[+[^=]*(?<![\w-]){0}["'\s]*[].]|(?:^|[{{,])\s*["']?{0}["']?\s*[=.]"""
FEATS = r"^_?$|^[A-Za-z0-9]+(\[[a-z0-9]+\])?=[^|=\s]+(\|[A-Za-z0-9]+(\[[a-z0-9]+\])?=[^|=\s]+)*$"

Text: TypeAlias = Annotated[str, StringConstraints(min_length=1)]
Two: TypeAlias = Annotated[str, StringConstraints(pattern=r"^\S+ \S+$")]
Feats: TypeAlias = Annotated[str, StringConstraints(pattern=FEATS)]
FeatureValues: TypeAlias = Annotated[list[str], Field(min_length=1)]
Split: TypeAlias = Annotated[
    list[str], BeforeValidator(lambda value: value.split() if isinstance(value, str) else value)
]
"""Words with blanks between them"""
RuleTexts: TypeAlias = Annotated[
    list[str], BeforeValidator(lambda value: [value] if isinstance(value, str) else value)
]
"""A rule, or several"""
Glue: TypeAlias = Literal["", "left", "right", "both", "clitic"]
"""How a word joins its neighbours; a clitic is one token with the word after it."""


class TomlTable(BaseModel):
    """A table of the file, which has no other keys."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class Entry(TomlTable):
    """An entry of a word list: one word, or (`stems`) several of one paradigm. Other keys are
    features, and values with the form for them."""

    model_config = ConfigDict(strict=True, frozen=True, extra="allow")
    __pydantic_extra__: dict[str, Text] = Field(init=False)

    stems: Split = []
    lemma: str = ""
    form: str = ""
    paradigm: str = ""
    feats: Feats = ""
    with_: Split | None = Field(None, alias="with")
    tree: str = ""

    @model_validator(mode="before")
    @classmethod
    def _table(cls, entry: object) -> object:
        """Return the table that a mere word stands for."""
        if not isinstance(entry, str):
            return entry
        return {"stems" if len(entry.split()) == 1 else "lemma": entry}

    @model_validator(mode="after")
    def _is_word(self) -> "Entry":
        if bool(self.stems) == bool(self.lemma):
            raise ValueError('write a "word", or a table with stems or lemma')
        return self


class WordsTable(TomlTable):
    """`[lexicon.NAME]`; what an entry has of `paradigm`, `with` and `tree` goes before these."""

    upos: str = ""
    entries: Annotated[list[Entry], Field(min_length=1)]
    feats: Feats = ""
    repeat: bool = True
    glue: Glue = ""
    paradigm: str = ""
    with_: Split = Field([], alias="with")
    tree: str = ""


class Sound(TomlTable):
    """`[sounds.NAME]`: beginnings of words, and words that go against their beginning."""

    starts: Split = []
    also: Split = []
    never: Split = []

    def begins(self, word: str) -> bool:
        """Return whether the word begins with the sound."""
        lower = word.lower()
        return lower in self.also or (
            lower.startswith(tuple(self.starts)) and lower not in self.never
        )


class Sandhi(TomlTable):
    """`[[sandhi]]`: what a form becomes before a sound, as `il` becomes `l'` before a vowel."""

    form: Split  # or several
    before: str
    becomes: str
    upos: str = ""  # "" for any
    drops: Split = []  # features the new form no longer shows
    glue: Glue = ""


class SuiteTable(TomlTable):
    """`[suite]`, which says how derivations become items."""

    conditions: list[Text] = []
    facts: dict[str, Text] = {}  # letter → the fact that its value is; others do not show
    average: list[str] = []  # letters and lists in which the wordings of one item differ
    swap: list[Annotated[list[str], Field(min_length=2, max_length=2)]] = []
    predictions: dict[str, Text] = {}
    constructions: dict[str, dict[str, Text | list[Text]]] = {}  # what is known of a template

    def conditions_of(self, template: str) -> Sequence[str]:
        """Return the names of a template's conditions: its own, or those of all."""
        own = self.constructions.get(template, {}).get("conditions", [])
        return own or self.conditions or (RIGHT, WRONG)

    def facts_of(self, template: str) -> dict[str, str]:
        """Return what is known of all items of a template."""
        known = self.constructions.get(template, {}).items()
        return {"construction": template} | {k: v for k, v in known if isinstance(v, str)}


class GrammarFile(TomlTable):
    """A grammar file (`docs/suites.md` describes the language)."""

    name: Text
    language: Text
    licence: str = ""  # SPDX id of what it generates
    capital: bool = True  # whether a sentence begins with a capital letter
    stop: str = ""  # what ends every sentence; "" for nothing but what the templates say
    features: Annotated[dict[str, FeatureValues], Field(min_length=1)]  # shown in FEATS
    selection: dict[str, FeatureValues] = {}  # and never shown
    indices: dict[str, str] = {}
    paradigms: dict[str, dict[str, str]] = {}
    lexicon: Annotated[dict[str, WordsTable], Field(min_length=1)]
    macros: dict[str, RuleTexts] = {}
    phrases: dict[str, RuleTexts] = {}
    sentences: Annotated[dict[str, RuleTexts], Field(min_length=1)]
    sounds: dict[str, Sound] = {}
    contractions: dict[Two, str] = {}  # two neighbours → one multiword token
    suite: SuiteTable | None = None
    sandhi: list[Sandhi] = []


class GrammarSource:
    """The text of a grammar file, in which keys are looked for: the standard library's reader of
    TOML does not tell their lines."""

    def __init__(self, path: str, text: str) -> None:
        self.path, self.lines = path, text.split("\n")
        tables = {"lexicon": WordsTable, "sounds": Sound, "sandhi": Sandhi, "suite": SuiteTable}
        self.file = read_table(GrammarFile, tables, text, path, lambda keys: self.location(*keys))

    def location(self, *keys: Any, quote: str = "") -> str:
        """Return `path:line` of a key, given with the names of its tables: the first line from that
        of each table that has the next key, a number standing for so many lines with the key before
        it. `quote`: the first line from there in which this text is."""
        line, pattern = 0, ""
        for key in keys:
            is_number = isinstance(key, int)
            pattern = pattern if is_number else KEY.format(re.escape(key))
            for _ in range(key if is_number else 1):
                following = enumerate(self.lines[line + is_number :], start=line + is_number)
                line = next((n for n, text in following if re.search(pattern, text)), line)
        following = enumerate(self.lines[line:], start=line)
        return f"{self.path}:{next((n for n, text in following if quote in text), line) + 1}"

    def error(
        self, wrong: str, right: str, *keys: Any, kind: ErrorKind = "format", quote: str = ""
    ) -> InputError:
        """Return the error at a key."""
        return InputError(self.location(*keys, quote=quote), wrong, right, kind=kind)
