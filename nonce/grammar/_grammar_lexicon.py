"""The words of a grammar: paradigms and entries from TOML to word lists.

A form is written under the values it has, `Plur = "authors"` or `"Fem Plur" = "rosse"`; in a
paradigm `~` stands for the stem, as in a dictionary. What an entry *shows* (a feature given by
name, as `Gender = "Fem"`) is in its FEATS; what it only goes *with* (`with = "Sing"`) is not.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any, TypeAlias

from ...data.errors import ErrorKind, InputError
from ...data.registry import nearest
from ._file import WordsTable
from ._notation import TomlSource
from .grammar import EntryForm, EntryWord, LexicalEntry, ValueKey, WordList

UPOS = (
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN",
    "PUNCT", "SCONJ", "SYM", "VERB", "X",
)  # fmt: skip
SHARED_KEYS = {"paradigm", "with_", "tree"}  # an entry's own goes before its list's
ENTRY_KEYS = ("stems", "lemma", "paradigm", "feats", "with", "form", "tree")
FEAT = re.compile(r"([A-Za-z0-9]+(?:\[[a-z0-9]+\])?)=([A-Za-z0-9,]+)")
TREE_WORD = re.compile(r"([A-Z]+)(\*?)(?::([a-z]+(?::[a-z]+)?)(?:@([1-9]))?)?")

Paradigm: TypeAlias = Mapping[frozenset[str], str]
"""Patterns of forms, with `~` for the stem, by the values they stand under; that of the lemma under
no value."""


@dataclass(frozen=True, slots=True)
class Features:
    """What can agree: feature → values, value → feature, and the features FEATS never show."""

    values: Mapping[str, tuple[str, ...]]
    owner: Mapping[str, str]
    hidden: frozenset[str]

    def under(self, key: str) -> frozenset[str] | None:
        """The values a form stands under: `Plur`, `Fem Plur`; `None` if that is no such key."""
        values = key.split()
        owners = {self.owner.get(value) for value in values}
        fits = values and None not in owners and len(owners) == len(values)
        return frozenset(values) if fits else None


def read_paradigms(
    table: Mapping[str, Mapping[str, str]], features: Features, source: TomlSource
) -> dict[str, Paradigm]:
    """`[paradigms.NAME]`: forms by value, and `lemma` (the stem itself if absent)."""
    result: dict[str, Paradigm] = {}
    for name, patterns in table.items():
        forms = {frozenset[str](): patterns.get("lemma", "~")}
        for key, pattern in patterns.items():
            if key != "lemma":
                values = features.under(key)
                if values is None:
                    wrong = f"paradigm {name!r} has the key {key!r}"
                    right = nearest(key, features.owner)
                    raise source.error(wrong, right, "paradigms", name, kind="unknown")
                forms[values] = pattern
        result[name] = forms
    return result


def read_words(
    name: str,
    words: WordsTable,
    features: Features,
    paradigms: Mapping[str, Paradigm],
    source: TomlSource,
) -> WordList:
    """The words of `[lexicon.NAME]`."""
    reader = _Reader(name, words, features, paradigms, source)
    entries = tuple(entry for raw in words.entries for entry in reader.entries(raw))
    reader.quote = ""
    seen = set()
    restricted: set[str] = set()
    for entry in entries:
        key = (entry.lemma, tuple(entry.forms.items()))
        if key in seen:
            raise reader.error(f"{entry.lemma!r} stands in it twice", "each word once", "conflict")
        seen.add(key)
        restricted.update(entry.only)
        if len(entry.forms) < prod(len(features.values[feature]) for feature in entry.varies):
            restricted.update(entry.varies)
    varies = tuple(
        feature for feature in features.values if any(feature in e.varies for e in entries)
    )
    return WordList(name, entries, varies, frozenset(restricted), words.repeat, words.glue)


class _Reader:
    """A word list while it is read; `quote` is the text that finds the line of an entry."""

    def __init__(
        self,
        name: str,
        shared: WordsTable,
        features: Features,
        paradigms: Mapping[str, Paradigm],
        source: TomlSource,
    ) -> None:
        self.name, self.shared, self.features = name, shared, features
        self.paradigms, self.source, self.quote = paradigms, source, ""

    def error(self, wrong: str, right: str, kind: ErrorKind = "format") -> InputError:
        return self.source.error(
            f"word list {self.name!r}: {wrong}", right, "lexicon", self.name, "entries",
            kind=kind, quote=self.quote,
        )  # fmt: skip

    def entries(self, raw: str | Mapping[str, Any]) -> list[LexicalEntry]:
        """One element of `entries`: a word, or a table for one or (`stems`) several."""
        if isinstance(raw, str):
            raw = {"stems": raw} if len(raw.split()) == 1 else {"lemma": raw}
        self.quote = text = ""
        if ("stems" in raw) != ("lemma" in raw):
            text = str(raw.get("stems", raw.get("lemma"))).strip()
        if not text:
            right = 'a "word", or a table with stems or lemma'
            raise self.error(f"the entry {raw!r} is no word", right)
        self.quote = text
        features = self.features
        for key in raw:
            if key not in (*ENTRY_KEYS, *features.values) and features.under(key) is None:
                right = nearest(key, ENTRY_KEYS) + ", a feature or its values"
                raise self.error(f"unknown key {key!r}", right, "unknown")
        shared = self.shared.model_dump(by_alias=True, exclude_unset=True, include=SHARED_KEYS)
        table = {**shared, **raw}
        paradigm: Paradigm = {frozenset(): "~"}
        if "paradigm" in table and "form" not in raw:
            name = table["paradigm"]
            if name not in self.paradigms:
                names = ", ".join(self.paradigms) or "none"
                raise self.error(f"no such paradigm {name!r}", f"one of {names}", "unknown")
            paradigm = self.paradigms[name]
        lone = "lemma" in raw
        return [
            self._entry(stem, lone, table, paradigm) for stem in ([text] if lone else text.split())
        ]

    def _entry(
        self, stem: str, lone: bool, table: Mapping[str, Any], paradigm: Paradigm
    ) -> LexicalEntry:
        """One lexeme; its own forms go before those of its paradigm."""
        features = self.features
        patterns = {under: pattern.replace("~", stem) for under, pattern in paradigm.items()}
        lemma = patterns.pop(frozenset())
        lemma = stem if lone else lemma
        for name, text in table.items():
            values = features.under(name)
            if values is not None and name not in features.values and name not in ENTRY_KEYS:
                patterns[values] = str(text)
        if not patterns:
            patterns[frozenset()] = str(table.get("form", lemma))
        owners = {frozenset(features.owner[value] for value in key) for key in patterns}
        if len(owners) > 1:
            raise self.error("its forms stand under different features", "all under the same ones")
        varies = tuple(feature for feature in features.values if feature in next(iter(owners)))
        only, feats = self._restrictions(table, varies)
        fixed = self._feats(self.shared.feats) | self._feats(table.get("feats")) | feats
        parts = self._parts(lemma, table.get("tree", ""))
        forms: dict[ValueKey, EntryForm] = {}
        for key in product(*(features.values[feature] for feature in varies)):
            pattern = patterns.get(frozenset(key))
            if pattern is None:
                continue
            words = tuple(pattern.split())
            if len(words) != len(parts):
                wrong = f"the form {pattern!r} has {len(words)} words, its tree {len(parts)}"
                raise self.error(wrong, 'as many as in the lemma and in tree = "AUX*:cop ADJ"')
            pairs = zip(varies, key, strict=True)
            seen = {feature: value for feature, value in pairs if feature not in features.hidden}
            forms[key] = EntryForm(words, feats_text(fixed | seen))
        return LexicalEntry(lemma, parts, varies, forms, only)

    def _restrictions(
        self, table: Mapping[str, Any], varies: tuple[str, ...]
    ) -> tuple[dict[str, tuple[str, ...]], dict[str, str]]:
        """What an entry can stand with (feature → values), and what of it FEATS show."""
        features = self.features
        only: dict[str, tuple[str, ...]] = {}
        for value in str(table.get("with", "")).split():
            owner = features.owner.get(value)
            if owner is None:
                right = nearest(value, features.owner)
                raise self.error(f"no such value {value!r}", right, "unknown")
            only[owner] = (*only.get(owner, ()), value)
        feats = {}
        for feature in features.values:
            if feature not in table:
                continue
            value = str(table[feature])
            if value not in features.values[feature]:
                right = nearest(value, features.values[feature])
                raise self.error(f"{feature} is {value!r}", right, "unknown")
            if feature in varies:
                wrong = f"{feature} is fixed, but its forms vary in it"
                raise self.error(wrong, "one of the two", "conflict")
            only[feature] = (value,)
            if feature not in features.hidden:
                feats[feature] = value
        return only, feats

    def _feats(self, text: object) -> dict[str, str]:
        """A FEATS column as written: `Mood=Ind|Tense=Pres`."""
        pairs = {}
        for pair in str(text).split("|") if text and text != "_" else ():
            match = FEAT.fullmatch(pair)
            if match is None:
                raise self.error(f"feats has {pair!r}", "Name=Value pairs joined by |")
            pairs[match[1]] = match[2]
        return pairs

    def _parts(self, lemma: str, tree: object) -> tuple[EntryWord, ...]:
        """The words of an entry: one of the list's UPOS, or as `tree` says (`AUX*:cop ADJ`). A word
        hangs on the head or, with `@3` behind its relation, on the third."""
        if not tree:
            upos = self.shared.upos
            if upos not in UPOS:
                raise self.error(f"upos is {upos!r}", nearest(upos, UPOS), "unknown")
            return (EntryWord(lemma, upos, None, "", True),)
        lemmas = lemma.split()
        matches = [TREE_WORD.fullmatch(word) for word in str(tree).split()]
        parsed = [match for match in matches if match is not None and match[1] in UPOS]
        heads = [index for index, match in enumerate(parsed) if not match[3]]
        if len(parsed) != len(matches) or len(parsed) != len(lemmas) or len(heads) != 1:
            right = 'one UPOS:relation for each word, the head without one: "AUX*:cop ADJ"'
            raise self.error(f"tree is {tree!r}", right)
        up = [
            None if not match[3] else int(match[4]) - 1 if match[4] else heads[0]
            for match in parsed
        ]
        reached: set[int | None] = {None}  # from where the way up ends at the head
        for _ in up:
            reached |= {n for n, head in enumerate(up) if head in reached}
        if not reached.issuperset(range(len(up))):
            raise self.error(f"tree is {tree!r}", "after @ the number of a word nearer the head")
        return tuple(
            EntryWord(word, match[1], head, match[3] or "", bool(match[2]))
            for word, match, head in zip(lemmas, parsed, up, strict=True)
        )


def feats_text(pairs: Mapping[str, str]) -> str:
    """FEATS in UD's order: by name, regardless of case (UD 2, format page). `_` for none."""
    return "|".join(f"{n}={pairs[n]}" for n in sorted(pairs, key=str.lower)) or "_"
