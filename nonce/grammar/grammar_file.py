"""A grammar file: its keys, the types of their values (checked by pydantic), their lines; and its
words, from TOML to word lists.

A form is written under the values it has, `Plur = "authors"` or `"Fem Plur" = "rosse"`; in a
paradigm `~` is the stem, as in a dictionary. What an entry *shows* (a feature given by name, as
`Gender = "Fem"`) is in its FEATS; what it is only used *with* (`with = "Sing"`) is not.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

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
from ...data.registry import nearest
from ..toml_table import read_table
from ..variants.realise.language import UPOS

KEY = r"""^\s*\[+[^=]*(?<![\w-]){0}["'\s]*[].]|(?:^|[{{,])\s*["']?{0}["']?\s*[=.]"""
TREE_WORD = re.compile(rf"({'|'.join(UPOS)})(\*?)(?::([a-z]+(?::[a-z]+)?)(?:@([1-9]))?)?")
FEATS = r"^_?$|^[A-Za-z0-9]+(\[[a-z0-9]+\])?=[^|=\s]+(\|[A-Za-z0-9]+(\[[a-z0-9]+\])?=[^|=\s]+)*$"

ValueKey: TypeAlias = tuple[str, ...]
"""One value for each feature an entry varies in, or for each variable of a shape."""
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


ENTRY_KEYS = tuple(field.alias or name for name, field in Entry.model_fields.items())


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


class EntryWord(NamedTuple):
    """One word of an entry. Most entries have one; `is tall` has two and is still one choice."""

    lemma: str
    upos: str
    head: int | None  # 0-based within the entry; None for the word the others depend on
    relation: str  # to that head; "" for the entry's own head
    inflects: bool  # whether it carries the entry's FEATS


class EntryForm(NamedTuple):
    """The words of an entry for one key."""

    words: tuple[str, ...]  # as many as the entry has parts
    feats: str  # FEATS of the part that inflects, in UD's order; "_" for none


@dataclass(frozen=True, slots=True, eq=False)
class LexicalEntry:
    """One choice of a word list: a lexeme with its forms. Two entries are equal if they are one."""

    lemma: str
    parts: tuple[EntryWord, ...]
    varies: tuple[str, ...]  # the features its form depends on
    forms: Mapping[ValueKey, EntryForm]
    only: Mapping[str, Sequence[str]]  # feature → the values it can have; absent = all

    def admits(self, values: Mapping[str, str]) -> bool:
        """Return whether the entry can be used where its features have these values; a feature
        that is not given can have any."""
        return all(values.get(name, only[0]) in only for name, only in self.only.items()) and any(
            all(values.get(name, own) == own for name, own in zip(self.varies, key, strict=True))
            for key in self.forms
        )

    def form(self, values: Mapping[str, str]) -> EntryForm:
        """Return the form for the values of features."""
        return self.forms[tuple(values[feature] for feature in self.varies)]


@dataclass(frozen=True, slots=True, eq=False)
class WordList:
    """The words that can fill a slot. With `repeat` false no sentence has one of them twice."""

    name: str
    entries: tuple[LexicalEntry, ...]
    varies: tuple[str, ...]  # features some entry varies in
    restricted: frozenset[str]  # features on which it depends which entries can be used
    repeat: bool
    glue: str  # how its words join their neighbours: "", or a value of `Glue`

    def has(self, feature: str) -> bool:
        """Return whether any word has a value of a feature."""
        return any(feature in (*entry.varies, *entry.only) for entry in self.entries)

    def always_show(self, feature: str) -> bool:
        """Return whether every word has exactly one value of a feature."""
        own = ((entry.varies, entry.only.get(feature, ())) for entry in self.entries)
        return all(feature in varies or len(only) == 1 for varies, only in own)


class Lexicon:
    """The features of a grammar and their values, and its words."""

    def __init__(self, source: GrammarSource) -> None:
        self.source, self.file = source, source.file
        self.features = {
            name: tuple(values)
            for name, values in {**self.file.features, **self.file.selection}.items()
        }
        self.owner = {value: name for name, values in self.features.items() for value in values}

    def word_list(self, name: str) -> WordList:
        """Return the words of `[lexicon.NAME]`."""
        table = self.file.lexicon[name]
        entries: dict[object, LexicalEntry] = {}
        for raw in table.entries:
            for entry in self._entries(name, raw):
                if (key := (entry.lemma, *entry.forms.items())) in entries:
                    wrong = f"{entry.lemma!r} is in it twice"
                    raise self._error(name, entry.lemma, wrong, "write each word once", "conflict")
                entries[key] = entry
        varies, restricted = set[str](), set[str]()
        for entry in entries.values():
            varies.update(entry.varies)
            restricted.update(entry.only)
            if len(entry.forms) < prod(len(self.features[feature]) for feature in entry.varies):
                restricted.update(entry.varies)
        return WordList(
            name,
            tuple(entries.values()),
            tuple(feature for feature in self.features if feature in varies),
            frozenset(restricted),
            table.repeat,
            table.glue,
        )

    def _error(
        self, name: str, entry: str, wrong: str, right: str, kind: ErrorKind = "format"
    ) -> InputError:
        """Return the error at an entry of a list."""
        keys, wrong = ("lexicon", name, "entries"), f"word list {name!r}: {wrong}"
        return self.source.error(wrong, right, *keys, kind=kind, quote=entry)

    def _entries(self, name: str, raw: Entry) -> Iterator[LexicalEntry]:
        """Yield the lexemes of an entry; its own forms go before those of its paradigm."""
        table, text = self.file.lexicon[name], raw.lemma or raw.stems[0]
        paradigm: Mapping[str, str] = {}
        if (called := raw.paradigm or table.paradigm) and not raw.form:
            if called not in self.file.paradigms:
                right = nearest(called, self.file.paradigms)
                raise self._error(name, text, f"no such paradigm {called!r}", right, "unknown")
            paradigm = self.file.paradigms[called]
        forms = {**paradigm, **(raw.model_extra or {})}
        patterns: dict[frozenset[str], str] = {}
        only: dict[str, list[str]] = {}
        shown: dict[str, str] = {}
        for key, pattern in forms.items():
            values = [pattern] if key in self.features else key.split()
            owners = {self.owner.get(value) for value in values}
            if key in self.features and owners == {key}:
                only[key] = values
                shown |= {} if key in self.file.selection else {key: pattern}
            elif None not in owners and len(owners) == len(values) and key not in self.features:
                patterns[frozenset(values)] = pattern
            elif key != "lemma":
                right = nearest(key, [*ENTRY_KEYS, *self.features, *self.owner])
                error = self._error(name, key, f"unknown key {key!r}", right, "unknown")
                at = self.source.location("paradigms", called)
                raise error.at(at) if key in paradigm else error
        for value in table.with_ if raw.with_ is None else raw.with_:
            if value not in self.owner:
                right = nearest(value, self.owner)
                raise self._error(name, text, f"no such value {value!r}", right, "unknown")
            only.setdefault(self.owner[value], []).append(value)
        varies = {frozenset(self.owner[value] for value in key) for key in patterns}
        if len(varies) > 1:
            right = "give all of them values of the same features"
            raise self._error(name, text, "its forms have values of different features", right)
        feats = _pairs(table.feats) | _pairs(raw.feats) | shown
        for stem in raw.stems or [raw.lemma]:
            lemma = raw.lemma or paradigm.get("lemma", "~").replace("~", stem)
            own = {key: text.replace("~", stem) for key, text in patterns.items()}
            own = own or {frozenset[str](): raw.form or lemma}
            yield self._entry(name, raw, lemma, own, feats, only)

    def _entry(
        self,
        name: str,
        raw: Entry,
        lemma: str,
        patterns: Mapping[frozenset[str], str],
        feats: Mapping[str, str],
        only: Mapping[str, list[str]],
    ) -> LexicalEntry:
        """Return one lexeme with its forms (values → words)."""
        owners = {self.owner[value] for value in next(iter(patterns))}
        varies = tuple(feature for feature in self.features if feature in owners)
        parts = self._parts(name, lemma, raw.tree or self.file.lexicon[name].tree)
        forms = {}
        for key in product(*(self.features[feature] for feature in varies)):
            if frozenset(key) in patterns:
                words = tuple(patterns[frozenset(key)].split())
                if len(words) != len(parts):
                    wrong = f"{' '.join(words)!r} has {len(words)} words, its tree {len(parts)}"
                    right = 'write as many as in the lemma and in tree = "AUX*:cop ADJ"'
                    raise self._error(name, lemma, wrong, right)
                pairs = zip(varies, key, strict=True)
                shown = {name: value for name, value in pairs if name in self.file.features}
                forms[key] = EntryForm(words, feats_text({**feats, **shown}))
        return LexicalEntry(lemma, parts, varies, forms, only)

    def _parts(self, name: str, lemma: str, tree: str) -> tuple[EntryWord, ...]:
        """Return the words of an entry: one of the list's UPOS, or as `tree` says (`AUX*:cop ADJ`).
        A word depends on the head or, with `@3` behind its relation, on the third."""
        if not tree:
            upos = self.file.lexicon[name].upos
            if upos not in UPOS:
                keys = ("lexicon", name, "upos")
                right = nearest(upos, UPOS)
                raise self.source.error(f"upos is {upos!r}", right, *keys, kind="unknown")
            return (EntryWord(lemma, upos, None, "", True),)
        lemmas = lemma.split()
        matches = [match for word in tree.split() if (match := TREE_WORD.fullmatch(word))]
        tops = [index for index, match in enumerate(matches) if not match[3]]
        if not len(matches) == len(tree.split()) == len(lemmas) or len(tops) != 1:
            right = 'write a UPOS:relation for each word, the head without one: "AUX*:cop ADJ"'
            raise self._error(name, lemma, f"tree is {tree!r}", right)
        heads = [int(match[4]) - 1 if match[4] else tops[0] for match in matches]
        return tuple(
            EntryWord(word, match[1], head if match[3] else None, match[3] or "", bool(match[2]))
            for word, match, head in zip(lemmas, matches, heads, strict=True)
        )


def _pairs(feats: str) -> dict[str, str]:
    """Return the pairs of a FEATS column: `Mood=Ind|Tense=Pres`."""
    return dict(pair.split("=", 1) for pair in feats.split("|") if feats not in ("", "_"))


def feats_text(pairs: Mapping[str, str]) -> str:
    """Return FEATS in UD's order: by name, regardless of case (UD 2, format page). `_` for
    none."""
    return "|".join(f"{n}={pairs[n]}" for n in sorted(pairs, key=str.lower)) or "_"
