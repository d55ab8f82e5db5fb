"""A grammar file: its keys, the types of their values (checked by pydantic) and their lines; and
its word lists.

The key of a form is the values that it has: `Plur = "authors"` or `"Fem Plur" = "rosse"`. In a
paradigm `~` stands for the stem, as in a dictionary. A feature that an entry *shows*, given by name
as in `Gender = "Fem"`, is in its FEATS; one that it is only used *with* (`with = "Sing"`) is not.
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

KEY_PATTERN = r"""^\s*\[+[^=]*(?<![\w-]){0}["'\s]*[].]|(?:^|[{{,])\s*["']?{0}["']?\s*[=.]"""
"""Key `{0}` of a TOML table, in its header, on a line of its own or in an inline table"""
TREE_WORD = re.compile(
    rf"(?P<upos>{'|'.join(UPOS)})(?P<star>\*?)"
    r"(?::(?P<relation>[a-z]+(?::[a-z]+)?)(?:@(?P<head>[1-9]))?)?"
)
FEATS = r"^_?$|^[A-Za-z0-9]+(\[[a-z0-9]+\])?=[^|=\s]+(\|[A-Za-z0-9]+(\[[a-z0-9]+\])?=[^|=\s]+)*$"

ValueKey: TypeAlias = tuple[str, ...]
"""One value for each feature an entry varies in, or for each variable of a shape."""
Text: TypeAlias = Annotated[str, StringConstraints(min_length=1)]
WordPair: TypeAlias = Annotated[str, StringConstraints(pattern=r"^\S+ \S+$")]
Feats: TypeAlias = Annotated[str, StringConstraints(pattern=FEATS)]
FeatureValues: TypeAlias = Annotated[list[str], Field(min_length=1)]
Split: TypeAlias = Annotated[
    list[str], BeforeValidator(lambda value: value.split() if isinstance(value, str) else value)
]
"""A list of words, or a text with blanks between them"""
RuleTexts: TypeAlias = Annotated[
    list[str], BeforeValidator(lambda value: [value] if isinstance(value, str) else value)
]
"""A list of rules, or one rule"""
Glue: TypeAlias = Literal["", "left", "right", "both", "clitic"]
"""How a word joins its neighbours; a clitic is one token with the word after it."""


class TomlTable(BaseModel):
    """A table of the file, in which unknown keys are errors."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class Entry(TomlTable):
    """An entry of a word list: one word, or several `stems` of one paradigm. Further keys are names
    of features, or values whose form they give."""

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
    def _as_table(cls, entry: object) -> object:
        """Return an entry as a table. A text of one word becomes its stem, a text of several words
        its lemma."""
        if not isinstance(entry, str):
            return entry
        return {"stems" if len(entry.split()) == 1 else "lemma": entry}

    @model_validator(mode="after")
    def _demand_stems_or_lemma(self) -> "Entry":
        """Raise `ValueError` unless there are either stems or a lemma."""
        if bool(self.stems) == bool(self.lemma):
            raise ValueError('write a "word", or a table with stems or lemma')
        return self


ENTRY_KEYS = tuple(field.alias or name for name, field in Entry.model_fields.items())


class WordsTable(TomlTable):
    """A word list, `[lexicon.NAME]`. Its `paradigm`, `with` and `tree` are the defaults of its
    entries."""

    upos: str = ""
    entries: Annotated[list[Entry], Field(min_length=1)]
    feats: Feats = ""
    repeat: bool = True
    glue: Glue = ""
    paradigm: str = ""
    with_: Split = Field([], alias="with")
    tree: str = ""


class Sound(TomlTable):
    """A sound that words begin with, `[sounds.NAME]`: the letters for it, words that begin with it
    `also` without these letters, and words that `never` do in spite of them."""

    starts: Split = []
    also: Split = []
    never: Split = []

    def begins(self, word: str) -> bool:
        """Tell whether a word begins with the sound."""
        lower = word.lower()
        return lower in self.also or (
            lower.startswith(tuple(self.starts)) and lower not in self.never
        )


class Sandhi(TomlTable):
    """A rule `[[sandhi]]`: the form that a word takes before a sound, as `il` becomes `l'`."""

    form: Split  # one form or several
    before: str
    becomes: str
    upos: str = ""  # "" for any
    drops: Split = []  # features the new form no longer shows
    glue: Glue = ""


class SuiteTable(TomlTable):
    """The section `[suite]`, which says how derivations become items."""

    conditions: list[Text] = []
    facts: dict[str, Text] = {}  # letter → name of the fact that has its value; others have none
    average: list[str] = []  # letters and word lists in which the wordings of one item differ
    swap: list[Annotated[list[str], Field(min_length=2, max_length=2)]] = []
    predictions: dict[str, Text] = {}
    constructions: dict[str, dict[str, Text | list[Text]]] = {}  # template → conditions and facts

    def conditions_of(self, template: str) -> Sequence[str]:
        """Return the names of a template's conditions: its own, or else those of all templates."""
        own = self.constructions.get(template, {}).get("conditions", [])
        return own or self.conditions or (RIGHT, WRONG)

    def facts_of(self, template: str) -> dict[str, str]:
        """Return the facts that all items of a template have; lists, such as its conditions, are
        left out."""
        entries = self.constructions.get(template, {}).items()
        facts = {name: value for name, value in entries if isinstance(value, str)}
        return {"construction": template} | facts


class GrammarFile(TomlTable):
    """A grammar file (`docs/suites.md` describes the language)."""

    name: Text
    language: Text
    licence: str = ""  # SPDX id of what it generates
    capital: bool = True  # whether a sentence begins with a capital letter
    stop: str = ""  # punctuation added to every sentence; "" for none
    features: Annotated[dict[str, FeatureValues], Field(min_length=1)]  # shown in FEATS
    selection: dict[str, FeatureValues] = {}  # features that are not shown in FEATS
    indices: dict[str, str] = {}
    paradigms: dict[str, dict[str, str]] = {}
    lexicon: Annotated[dict[str, WordsTable], Field(min_length=1)]
    macros: dict[str, RuleTexts] = {}
    phrases: dict[str, RuleTexts] = {}
    sentences: Annotated[dict[str, RuleTexts], Field(min_length=1)]
    sounds: dict[str, Sound] = {}
    contractions: dict[WordPair, str] = {}  # two neighbours → one multiword token
    suite: SuiteTable | None = None
    sandhi: list[Sandhi] = []


class GrammarSource:
    """A grammar file with its text, in which the lines of keys are looked up: the standard
    library's TOML parser does not give them."""

    def __init__(self, path: str, text: str) -> None:
        self.path, self.lines = path, text.split("\n")
        tables = {"lexicon": WordsTable, "sounds": Sound, "sandhi": Sandhi, "suite": SuiteTable}
        self.file = read_table(GrammarFile, tables, text, path, lambda keys: self.location(*keys))

    def location(self, *keys: Any, quote: str = "") -> str:
        """Return `path:line` of a key.

        Args:
            keys: names of the tables around the key, and the key. Each is searched from the line of
                the one before it. A number n after a key stands for its n-th next occurrence.
            quote: text to search for from the line of the key on; "" for the key itself.
        """
        index, pattern = 0, re.compile("")  # of the line where the last key was found; its pattern
        for key in keys:
            if isinstance(key, int):
                for _ in range(key):
                    index = self._find_line(pattern, index + 1, default=index)
            else:
                pattern = re.compile(KEY_PATTERN.format(re.escape(key)))
                index = self._find_line(pattern, index, default=index)
        index = self._find_line(re.compile(re.escape(quote)), index, default=index)
        return f"{self.path}:{index + 1}"

    def _find_line(self, pattern: re.Pattern[str], start: int, *, default: int) -> int:
        """Return the index of the first line from `start` on in which the pattern occurs; `default`
        if there is none."""
        following = enumerate(self.lines[start:], start=start)
        return next((index for index, line in following if pattern.search(line)), default)

    def error(
        self, wrong: str, right: str, *keys: Any, kind: ErrorKind = "format", quote: str = ""
    ) -> InputError:
        """Return an error with the location of a key: what is wrong, and what would be right."""
        return InputError(self.location(*keys, quote=quote), wrong, right, kind=kind)


class EntryWord(NamedTuple):
    """One word of an entry. Most entries have one; `is tall` has two."""

    lemma: str
    upos: str
    head: int | None  # 0-based index within the entry; None for the entry's head word
    relation: str  # to that head; "" for the entry's head word
    inflects: bool  # whether it carries the entry's FEATS


class EntryForm(NamedTuple):
    """An entry's form for one combination of values."""

    words: tuple[str, ...]  # one for each part of the entry
    feats: str  # FEATS of the part that inflects, in UD's order; "_" for none


@dataclass(frozen=True, slots=True, eq=False)
class LexicalEntry:
    """A lexeme of a word list with its forms. Entries are compared by identity."""

    lemma: str
    parts: tuple[EntryWord, ...]
    varies: tuple[str, ...]  # the features that its form depends on
    forms: Mapping[ValueKey, EntryForm]  # values of these features → form
    only: Mapping[str, Sequence[str]]  # feature → the values it can have; others can have any

    def admits(self, values: Mapping[str, str]) -> bool:
        """Tell whether the entry can be used with these values (feature → value). Features that are
        not given can have any value."""
        is_allowed = all(values.get(name, only[0]) in only for name, only in self.only.items())
        return is_allowed and any(
            all(values.get(name, own) == own for name, own in zip(self.varies, key, strict=True))
            for key in self.forms
        )

    def form(self, values: Mapping[str, str]) -> EntryForm:
        """Return the form with these values (feature → value), which must include every feature
        that the form depends on."""
        return self.forms[tuple(values[feature] for feature in self.varies)]


@dataclass(frozen=True, slots=True, eq=False)
class WordList:
    """The words that can fill a slot."""

    name: str
    entries: tuple[LexicalEntry, ...]
    varies: tuple[str, ...]  # features that the form of some entry depends on
    restricted: frozenset[str]  # features whose values decide which entries can be used
    repeat: bool  # false: no sentence has one of its words twice
    glue: str  # how its words join their neighbours: "", or a value of `Glue`

    def has(self, feature: str) -> bool:
        """Tell whether any entry of the list has, or is restricted to, values of a feature."""
        return any(feature in (*entry.varies, *entry.only) for entry in self.entries)

    def always_show(self, feature: str) -> bool:
        """Tell whether every entry shows a feature's value: its form depends on the feature, or
        it has one value only."""
        pairs = ((entry.varies, entry.only.get(feature, ())) for entry in self.entries)
        return all(feature in varies or len(only) == 1 for varies, only in pairs)


class Lexicon:
    """The features of a grammar with their values, and its word lists."""

    def __init__(self, source: GrammarSource) -> None:
        self.source, self.file = source, source.file
        tables = {**self.file.features, **self.file.selection}
        self.features = {name: tuple(values) for name, values in tables.items()}
        self.feature_of = {value: name for name in tables for value in self.features[name]}

    def word_list(self, name: str) -> WordList:
        """Return the word list `[lexicon.NAME]`."""
        table = self.file.lexicon[name]
        entries: dict[object, LexicalEntry] = {}
        for raw in table.entries:
            for entry in self._lexemes(name, raw):
                key = (entry.lemma, *entry.forms.items())
                if key in entries:
                    wrong = f"{entry.lemma!r} is in it twice"
                    raise self._error(name, entry.lemma, wrong, "write each word once", "conflict")
                entries[key] = entry
        varies = {feature for entry in entries.values() for feature in entry.varies}
        restricted = {feature for entry in entries.values() for feature in entry.only}
        for entry in entries.values():
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
        """Return an error with the location of an entry of a word list."""
        keys, wrong = ("lexicon", name, "entries"), f"word list {name!r}: {wrong}"
        return self.source.error(wrong, right, *keys, kind=kind, quote=entry)

    def _lexemes(self, name: str, raw: Entry) -> Iterator[LexicalEntry]:
        """Yield the lexemes (words with all their forms) of an entry of the file: one for each
        stem, or one in all. Its own forms override those of its paradigm. Raise `InputError` for
        unknown names and forms that do not fit. `name`: of the word list."""
        table, quote = self.file.lexicon[name], raw.lemma or raw.stems[0]
        paradigm: Mapping[str, str] = {}
        paradigm_name = raw.paradigm or table.paradigm
        if paradigm_name and not raw.form:
            if paradigm_name not in self.file.paradigms:
                wrong = f"no such paradigm {paradigm_name!r}"
                right = nearest(paradigm_name, self.file.paradigms)
                raise self._error(name, quote, wrong, right, "unknown")
            paradigm = self.file.paradigms[paradigm_name]
        patterns, only, shown = self._sorted_keys(name, raw, paradigm, paradigm_name)
        for value in table.with_ if raw.with_ is None else raw.with_:
            if value not in self.feature_of:
                right = nearest(value, self.feature_of)
                raise self._error(name, quote, f"no such value {value!r}", right, "unknown")
            only.setdefault(self.feature_of[value], []).append(value)
        varies = {frozenset(self.feature_of[value] for value in key) for key in patterns}
        if len(varies) > 1:
            right = "give all of them values of the same features"
            raise self._error(name, quote, "its forms have values of different features", right)
        feats = _parse_feats(table.feats) | _parse_feats(raw.feats) | shown
        for stem in raw.stems or [raw.lemma]:
            lemma = raw.lemma or paradigm.get("lemma", "~").replace("~", stem)
            forms_of_stem = {key: text.replace("~", stem) for key, text in patterns.items()}
            if not patterns:  # a word with one form, whatever the values
                forms_of_stem[frozenset()] = raw.form or lemma
            yield self._lexeme(name, raw, lemma, forms_of_stem, feats, only)

    def _sorted_keys(
        self, name: str, raw: Entry, paradigm: Mapping[str, str], paradigm_name: str
    ) -> tuple[dict[frozenset[str], str], dict[str, list[str]], dict[str, str]]:
        """Sort the keys of an entry and its paradigm by what they say. Return values → form, with ~
        for the stem; feature → the values that the entry can have; and feature → value in the
        entry's FEATS. Raise `InputError` for an unknown key. `name`: of the word list."""
        patterns: dict[frozenset[str], str] = {}
        only: dict[str, list[str]] = {}
        shown: dict[str, str] = {}
        for key, text in {**paradigm, **(raw.model_extra or {})}.items():
            values = key.split()
            features = {self.feature_of.get(value) for value in values}
            if key in self.features and self.feature_of.get(text) == key:  # `Gender = "Fem"`
                only[key] = [text]
                if key not in self.file.selection:
                    shown[key] = text
            elif None not in features and len(features) == len(values) and key not in self.features:
                patterns[frozenset(values)] = text  # `"Fem Plur" = "rosse"`
            elif key != "lemma":
                right = nearest(key, [*ENTRY_KEYS, *self.features, *self.feature_of])
                error = self._error(name, key, f"unknown key {key!r}", right, "unknown")
                in_paradigm = self.source.location("paradigms", paradigm_name)
                raise error.at(in_paradigm) if key in paradigm else error
        return patterns, only, shown

    def _lexeme(
        self,
        name: str,
        raw: Entry,
        lemma: str,
        texts: Mapping[frozenset[str], str],
        feats: Mapping[str, str],
        only: Mapping[str, list[str]],
    ) -> LexicalEntry:
        """Return one lexeme, a word with all its forms.

        Args:
            name: name of its word list.
            raw: its entry in the file.
            lemma: its lemma.
            texts: values → the form with these values, a text with blanks between words.
            feats: FEATS that all forms have.
            only: feature → the values to which the lexeme is restricted.
        """
        any_key = next(iter(texts))  # all keys have values of the same features
        inflected = {self.feature_of[value] for value in any_key}
        varies = tuple(feature for feature in self.features if feature in inflected)
        parts = self._entry_words(name, lemma, raw.tree or self.file.lexicon[name].tree)
        forms = {}
        for key in product(*(self.features[feature] for feature in varies)):
            if frozenset(key) in texts:
                words = tuple(texts[frozenset(key)].split())
                if len(words) != len(parts):
                    wrong = f"{' '.join(words)!r} has {len(words)} words, its tree {len(parts)}"
                    right = 'write as many as in the lemma and in tree = "AUX*:cop ADJ"'
                    raise self._error(name, lemma, wrong, right)
                pairs = zip(varies, key, strict=True)
                shown = {
                    feature: value for feature, value in pairs if feature in self.file.features
                }
                forms[key] = EntryForm(words, feats_text({**feats, **shown}))
        return LexicalEntry(lemma, parts, varies, forms, only)

    def _entry_words(self, name: str, lemma: str, tree: str) -> tuple[EntryWord, ...]:
        """Return the words of an entry: one with the list's UPOS, or those that `tree` describes
        (`AUX*:cop ADJ`). A word depends on the one without a relation, or with `@3` after its
        relation on the third; `*` marks the word that inflects."""
        if not tree:
            upos = self.file.lexicon[name].upos
            if upos not in UPOS:
                keys = ("lexicon", name, "upos")
                right = nearest(upos, UPOS)
                raise self.source.error(f"upos is {upos!r}", right, *keys, kind="unknown")
            return (EntryWord(lemma, upos, None, "", True),)
        lemmas = lemma.split()
        matches = [match for word in tree.split() if (match := TREE_WORD.fullmatch(word))]
        roots = [index for index, match in enumerate(matches) if not match["relation"]]
        all_match = len(matches) == len(tree.split())
        if not all_match or len(matches) != len(lemmas) or len(roots) != 1:
            right = 'write a UPOS:relation for each word, the head without one: "AUX*:cop ADJ"'
            raise self._error(name, lemma, f"tree is {tree!r}", right)
        words = []
        for word, match in zip(lemmas, matches, strict=True):
            upos, star, relation, head_number = match.group("upos", "star", "relation", "head")
            head = int(head_number) - 1 if head_number else roots[0]
            words.append(
                EntryWord(word, upos, head if relation else None, relation or "", star == "*")
            )
        return tuple(words)


def _parse_feats(feats: str) -> dict[str, str]:
    """Return feature → value of a FEATS column: `Mood=Ind|Tense=Pres`."""
    return {} if feats in ("", "_") else dict(pair.split("=", 1) for pair in feats.split("|"))


def feats_text(pairs: Mapping[str, str]) -> str:
    """Return a FEATS column, sorted by name regardless of case as UD requires; `_` for none."""
    return "|".join(f"{name}={pairs[name]}" for name in sorted(pairs, key=str.lower)) or "_"
