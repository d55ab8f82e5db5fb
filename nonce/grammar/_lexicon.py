"""The words of a grammar: paradigms and entries from TOML to word lists.

A form is written under the values it has, `Plur = "authors"` or `"Fem Plur" = "rosse"`; in a
paradigm `~` is the stem, as in a dictionary. What an entry *shows* (a feature given by name, as
`Gender = "Fem"`) is in its FEATS; what it is only used *with* (`with = "Sing"`) is not.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any, TypeAlias

from ...data.errors import ErrorKind, InputError
from ...data.registry import nearest
from ..variants.realise.language import UPOS
from ._file import GrammarSource, WordsTable
from .grammar import EntryForm, EntryWord, LexicalEntry, WordList

SHARED_KEYS = {"paradigm", "with_", "tree"}  # an entry's own goes before its list's
ENTRY_KEYS = ("stems", "lemma", "paradigm", "feats", "with", "form", "tree")
FEAT = re.compile(r"[A-Za-z0-9]+(?:\[[a-z0-9]+\])?=[A-Za-z0-9,]+")
TREE_WORD = re.compile(rf"({'|'.join(UPOS)})(\*?)(?::([a-z]+(?::[a-z]+)?)(?:@([1-9]))?)?")

Paradigm: TypeAlias = Mapping[frozenset[str], str]
"""Patterns of forms, with `~` for the stem, by their values; that of the lemma under no value."""


@dataclass(frozen=True, slots=True)
class Features:
    """The features that can agree, with their values; `hidden` ones are never shown in FEATS."""

    values: Mapping[str, tuple[str, ...]]
    owner: Mapping[str, str]
    hidden: frozenset[str]

    def under(self, key: str) -> frozenset[str] | None:
        """Return the values in the key of a form: `Plur`, `Fem Plur`; `None` if it is no such
        key."""
        values = key.split()
        owners = {self.owner.get(value) for value in values}
        fits = values and None not in owners and len(owners) == len(values)
        return frozenset(values) if fits else None


def read_paradigms(
    table: Mapping[str, Mapping[str, str]], features: Features, source: GrammarSource
) -> dict[str, Paradigm]:
    """Return `[paradigms]`: forms by value, and `lemma` (the stem itself if absent)."""
    result: dict[str, Paradigm] = {}
    for name, patterns in table.items():
        forms = {frozenset[str](): patterns.get("lemma", "~")}
        for key, pattern in patterns.items():
            values = features.under(key)
            if values is not None:
                forms[values] = pattern
            elif key != "lemma":
                wrong = f"paradigm {name!r} has the key {key!r}"
                right = nearest(key, features.owner)
                raise source.error(wrong, right, "paradigms", name, kind="unknown")
        result[name] = forms
    return result


def read_words(
    name: str,
    words: WordsTable,
    features: Features,
    paradigms: Mapping[str, Paradigm],
    source: GrammarSource,
) -> WordList:
    """Return the words of `[lexicon.NAME]`."""
    reader = _EntryReader(name, words, features, paradigms, source)
    entries = tuple(entry for raw in words.entries for entry in reader.entries(raw))
    seen = set()
    restricted: set[str] = set()
    for entry in entries:
        key = (entry.lemma, tuple(entry.forms.items()))
        if key in seen:
            reader.text = entry.lemma
            raise reader.error(
                f"{entry.lemma!r} is in it twice", "write each word once", "conflict"
            )
        seen.add(key)
        restricted.update(entry.only)
        if len(entry.forms) < prod(len(features.values[feature]) for feature in entry.varies):
            restricted.update(entry.varies)
    varies = tuple(f for f in features.values if any(f in entry.varies for entry in entries))
    return WordList(name, entries, varies, frozenset(restricted), words.repeat, words.glue)


class _EntryReader:
    """A word list while it is read; `text` is the lemma or stems of the entry in work."""

    def __init__(
        self,
        name: str,
        shared: WordsTable,
        features: Features,
        paradigms: Mapping[str, Paradigm],
        source: GrammarSource,
    ) -> None:
        self.name, self.shared, self.features = name, shared, features
        self.paradigms, self.source, self.text = paradigms, source, ""

    def error(self, wrong: str, right: str, kind: ErrorKind = "format") -> InputError:
        return self.source.error(
            f"word list {self.name!r}: {wrong}", right, "lexicon", self.name, "entries",
            kind=kind, quote=self.text,
        )  # fmt: skip

    def entries(self, raw: str | Mapping[str, Any]) -> list[LexicalEntry]:
        """Return one element of `entries`: a word, or a table for one or (`stems`) several."""
        features = self.features
        if isinstance(raw, str):
            raw = {"stems": raw} if len(raw.split()) == 1 else {"lemma": raw}
        self.text = ""
        if ("stems" in raw) != ("lemma" in raw):
            self.text = str(raw.get("stems", raw.get("lemma"))).strip()
        if not self.text:
            right = 'write a "word", or a table with stems or lemma'
            raise self.error(f"the entry {raw!r} is no word", right)
        for key in raw:
            if key not in (*ENTRY_KEYS, *features.values) and features.under(key) is None:
                right = nearest(key, ENTRY_KEYS) + ", a feature or its values"
                raise self.error(f"unknown key {key!r}", right, "unknown")
        shared = self.shared.model_dump(by_alias=True, exclude_unset=True, include=SHARED_KEYS)
        table = {key: str(value) for key, value in {**shared, **raw}.items()}
        paradigm: Paradigm = {frozenset(): "~"}
        if "paradigm" in table and "form" not in raw:
            if table["paradigm"] not in self.paradigms:
                right = nearest(table["paradigm"], self.paradigms)
                raise self.error(f"no such paradigm {table['paradigm']!r}", right, "unknown")
            paradigm = self.paradigms[table["paradigm"]]
        stems = [self.text] if "lemma" in raw else self.text.split()
        return [self._entry(stem, table, paradigm) for stem in stems]

    def _entry(self, stem: str, table: Mapping[str, str], paradigm: Paradigm) -> LexicalEntry:
        """Return one lexeme; its own forms go before those of its paradigm."""
        features = self.features
        patterns = {under: pattern.replace("~", stem) for under, pattern in paradigm.items()}
        lemma = patterns.pop(frozenset())
        lemma = stem if "lemma" in table else lemma
        for name, text in table.items():
            values = features.under(name)
            if values is not None and name not in features.values and name not in ENTRY_KEYS:
                patterns[values] = text
        if not patterns:
            patterns[frozenset()] = table.get("form", lemma)
        owners = {frozenset(features.owner[value] for value in key) for key in patterns}
        if len(owners) > 1:
            right = "give all of them values of the same features"
            raise self.error("its forms have values of different features", right)
        varies = tuple(feature for feature in features.values if feature in next(iter(owners)))
        only = self._only(table, varies)
        fixed = self._feats(self.shared.feats) | self._feats(table.get("feats", ""))
        fixed |= {f: table[f] for f in only if f in table and f not in features.hidden}
        parts = self._parts(lemma, table.get("tree", ""))
        forms = {}
        for key in product(*(features.values[feature] for feature in varies)):
            if frozenset(key) not in patterns:
                continue
            words = tuple(patterns[frozenset(key)].split())
            if len(words) != len(parts):
                wrong = (
                    f"the form {' '.join(words)!r} has {len(words)} words, its tree {len(parts)}"
                )
                right = 'write as many as in the lemma and in tree = "AUX*:cop ADJ"'
                raise self.error(wrong, right)
            pairs = zip(varies, key, strict=True)
            shown = {feature: value for feature, value in pairs if feature not in features.hidden}
            forms[key] = EntryForm(words, feats_text(fixed | shown))
        return LexicalEntry(lemma, parts, varies, forms, only)

    def _only(
        self, table: Mapping[str, str], varies: tuple[str, ...]
    ) -> dict[str, tuple[str, ...]]:
        """Return what an entry can be used with: feature → values."""
        features = self.features
        only: dict[str, tuple[str, ...]] = {}
        for value in table.get("with", "").split():
            owner = features.owner.get(value)
            if owner is None:
                right = nearest(value, features.owner)
                raise self.error(f"no such value {value!r}", right, "unknown")
            only[owner] = (*only.get(owner, ()), value)
        for feature in features.values:
            if feature not in table:
                continue
            if table[feature] not in features.values[feature]:
                right = nearest(table[feature], features.values[feature])
                raise self.error(f"{feature} is {table[feature]!r}", right, "unknown")
            if feature in varies:
                wrong = f"{feature} is fixed, but its forms vary in it"
                raise self.error(wrong, "write one of the two", "conflict")
            only[feature] = (table[feature],)
        return only

    def _feats(self, text: str) -> dict[str, str]:
        """Return the pairs of a FEATS column: `Mood=Ind|Tense=Pres`."""
        pairs = text.split("|") if text not in ("", "_") else []
        if not all(map(FEAT.fullmatch, pairs)):
            raise self.error(f"feats is {text!r}", "write Name=Value pairs joined by |")
        return dict(pair.split("=") for pair in pairs)

    def _parts(self, lemma: str, tree: str) -> tuple[EntryWord, ...]:
        """Return the words of an entry: one of the list's UPOS, or as `tree` says (`AUX*:cop ADJ`).
        A word depends on the head or, with `@3` behind its relation, on the third."""
        if not tree:
            upos = self.shared.upos
            if upos not in UPOS:
                raise self.error(f"upos is {upos!r}", nearest(upos, UPOS), "unknown")
            return (EntryWord(lemma, upos, None, "", True),)
        lemmas = lemma.split()
        matches = [match for word in tree.split() if (match := TREE_WORD.fullmatch(word))]
        tops = [index for index, match in enumerate(matches) if not match[3]]
        if not len(matches) == len(tree.split()) == len(lemmas) or len(tops) != 1:
            right = 'write a UPOS:relation for each word, the head without one: "AUX*:cop ADJ"'
            raise self.error(f"tree is {tree!r}", right)
        heads = [int(match[4]) - 1 if match[4] else tops[0] for match in matches]
        above = set(tops)  # words from where the way up ends at the head
        for _ in heads:
            above |= {index for index, head in enumerate(heads) if head in above}
        if len(above) < len(heads):
            right = "write after @ the number of a word nearer the head"
            raise self.error(f"tree is {tree!r}", right)
        return tuple(
            EntryWord(word, match[1], head if match[3] else None, match[3] or "", bool(match[2]))
            for word, match, head in zip(lemmas, matches, heads, strict=True)
        )


def feats_text(pairs: Mapping[str, str]) -> str:
    """Return FEATS in UD's order: by name, regardless of case (UD 2, format page). `_` for
    none."""
    return "|".join(f"{n}={pairs[n]}" for n in sorted(pairs, key=str.lower)) or "_"
