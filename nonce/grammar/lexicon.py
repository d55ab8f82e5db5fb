"""The words of a grammar: paradigms and entries from TOML to word lists.

A form is written under the values it has, `Plur = "authors"` or `"Fem Plur" = "rosse"`; in a
paradigm `~` stands for the stem, as in a dictionary. What an entry *shows* (a feature given by
name, as `Gender = "Fem"`) is in its FEATS; what it only goes *with* (`with = "Sing"`) is not.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import Any

from colorless_green.data.errors import InputError, Kind
from colorless_green.data.registry import nearest
from colorless_green.nonce.grammar.language import Entry, Form, Key, Part, WordList
from colorless_green.nonce.grammar.places import Source, place

UPOS = (
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN",
    "PUNCT", "SCONJ", "SYM", "VERB", "X",
)  # fmt: skip
GLUE = ("left", "right", "both", "clitic")  # a clitic is one token with the word after it
SHARED_KEYS = ("paradigm", "with", "tree")  # an entry's own goes before its list's
LIST_KEYS = ("upos", "entries", "feats", "repeat", "glue", *SHARED_KEYS)
ENTRY_KEYS = ("stems", "lemma", "paradigm", "feats", "with", "form", "tree")
FEAT = re.compile(r"([A-Za-z0-9]+(?:\[[a-z0-9]+\])?)=([A-Za-z0-9,]+)")
TREE_WORD = re.compile(r"([A-Z]+)(\*?)(?::([a-z]+(?::[a-z]+)?)(?:@([1-9]))?)?")


@dataclass(frozen=True, slots=True)
class Features:
    """What can agree: feature → values, and which of them FEATS never show."""

    values: Mapping[str, tuple[str, ...]]
    hidden: frozenset[str]

    def feature_of(self, value: str) -> str | None:
        """The feature a value belongs to; every value belongs to one."""
        return next((name for name, values in self.values.items() if value in values), None)


@dataclass(frozen=True, slots=True)
class Paradigm:
    """Patterns of forms with `~` for the stem."""

    lemma: str
    forms: Mapping[frozenset[str], str]


@dataclass(frozen=True, slots=True)
class Reading:
    """A word list while it is read: what its entries share, and what their keys can mean."""

    source: Source
    name: str
    shared: Mapping[str, Any]
    features: Features
    paradigms: Mapping[str, Paradigm]
    shows: str = ""  # text that finds the line of the entry at hand

    def error(self, wrong: str, right: str, kind: Kind = "format") -> InputError:
        at = place(self.source, "lexicon", self.name, "entries", shows=self.shows)
        return InputError(at, f"word list {self.name!r}: {wrong}", right, kind=kind)


def read_paradigms(
    table: Mapping[str, Any], features: Features, source: Source
) -> dict[str, Paradigm]:
    """`[paradigms.NAME]`: forms by value, and `lemma` (the stem itself if absent)."""
    result = {}
    for name, patterns in table.items():
        at = place(source, "paradigms", name)
        if not isinstance(patterns, dict) or not all(
            isinstance(each, str) for each in patterns.values()
        ):
            raise InputError(
                at, f"paradigm {name!r} is no table of strings", 'Plur = "~s"', kind="format"
            )
        forms = {}
        for key, pattern in patterns.items():
            if key != "lemma":
                values = _values(key, features)
                if values is None:
                    raise InputError(
                        at,
                        f"paradigm {name!r} has the key {key!r}",
                        _known_values(key, features),
                        kind="unknown",
                    )
                forms[values] = pattern
        result[name] = Paradigm(patterns.get("lemma", "~"), forms)
    return result


def read_words(
    name: str,
    table: object,
    features: Features,
    paradigms: Mapping[str, Paradigm],
    source: Source,
) -> WordList:
    """`[lexicon.NAME]`: `upos`, `entries`, and what all entries share."""
    shared = table if isinstance(table, dict) else {}
    reading = Reading(source, name, shared, features, paradigms)
    if not isinstance(table, dict):
        raise reading.error("this is no table", "upos = … and entries = […]")
    unknown = [key for key in table if key not in LIST_KEYS]
    if unknown:
        raise reading.error(
            f"unknown key {unknown[0]!r}", nearest(unknown[0], LIST_KEYS), "unknown"
        )
    entries = table.get("entries")
    if not isinstance(entries, list) or not entries:
        raise reading.error("it has no entries", 'entries = ["word", …]')
    glue = table.get("glue", "")
    if glue and glue not in GLUE:
        raise reading.error(f"glue is {glue!r}", nearest(str(glue), GLUE), "unknown")
    repeat = table.get("repeat", True)
    if not isinstance(repeat, bool):
        raise reading.error(f"repeat is {repeat!r}", "true or false")
    found = [entry for raw in entries for entry in _entries(raw, reading)]
    _check_distinct(found, reading)
    varies = tuple(each for each in features.values if any(each in e.varies for e in found))
    restricted = frozenset(each for entry in found for each in _restricted(entry, features))
    return WordList(name, tuple(found), varies, restricted, repeat, glue)


def _restricted(entry: Entry, features: Features) -> Iterable[str]:
    """The features an entry is choosy about: named ones, and all it varies in if a form lacks."""
    yield from entry.only
    if len(entry.forms) < prod(len(features.values[each]) for each in entry.varies):
        yield from entry.varies


def _check_distinct(entries: Iterable[Entry], reading: Reading) -> None:
    seen = set()
    for entry in entries:
        words = (entry.lemma, tuple(entry.forms.items()))
        if words in seen:
            raise reading.error(f"{entry.lemma!r} stands in it twice", "each word once", "conflict")
        seen.add(words)


def _entries(raw: object, reading: Reading) -> list[Entry]:
    """One element of `entries`: a word, or a table for one or (`stems`) several."""
    if isinstance(raw, str):
        raw = {"stems": raw} if len(raw.split()) == 1 else {"lemma": raw}
    text = ""
    if isinstance(raw, dict) and ("stems" in raw) != ("lemma" in raw):
        text = str(raw.get("stems", raw.get("lemma"))).strip()
    if not isinstance(raw, dict) or not text:
        right = 'a "word", or a table with stems or lemma'
        raise reading.error(f"the entry {raw!r} is no word", right)
    reading = replace(reading, shows=text)
    _check_keys(raw, reading)
    table = {key: reading.shared[key] for key in SHARED_KEYS if key in reading.shared} | raw
    paradigm = Paradigm("~", {})
    if "paradigm" in table and "form" not in raw:
        name = table["paradigm"]
        if name not in reading.paradigms:
            known = ", ".join(reading.paradigms) or "none"
            raise reading.error(f"no such paradigm {name!r}", f"one of {known}", "unknown")
        paradigm = reading.paradigms[name]
    if "lemma" in raw:
        return [_entry(text, text, table, paradigm, reading)]
    return [
        _entry(paradigm.lemma.replace("~", stem), stem, table, paradigm, reading)
        for stem in text.split()
    ]


def _check_keys(raw: Mapping[str, Any], reading: Reading) -> None:
    features = reading.features
    for key in raw:
        known = key in ENTRY_KEYS or key in features.values or _values(key, features) is not None
        if not known:
            right = nearest(key, ENTRY_KEYS) + ", a feature or its values"
            raise reading.error(f"unknown key {key!r}", right, "unknown")


def _entry(
    lemma: str, stem: str, table: Mapping[str, Any], paradigm: Paradigm, reading: Reading
) -> Entry:
    """One lexeme; its own forms go before those of its paradigm."""
    features = reading.features
    patterns = {under: each.replace("~", stem) for under, each in paradigm.forms.items()}
    for name, text in table.items():
        values = _values(name, features)
        if values is not None and name not in features.values and name not in ENTRY_KEYS:
            patterns[values] = str(text)
    if not patterns:
        patterns[frozenset()] = str(table.get("form", lemma))
    varies = _varies(patterns, reading)
    only, shown = _restrictions(table, varies, reading)
    shared, own = reading.shared.get("feats", ""), table.get("feats", "")
    fixed = _feats(shared, reading) | _feats(own, reading) | shown
    parts = _parts(lemma, table.get("tree", ""), str(reading.shared.get("upos", "")), reading)
    forms: dict[Key, Form] = {}
    for key in product(*(features.values[each] for each in varies)):
        pattern = patterns.get(frozenset(key))
        if pattern is None:
            continue
        words = tuple(pattern.split())
        if len(words) != len(parts):
            wrong = f"the form {pattern!r} has {len(words)} words, its tree {len(parts)}"
            raise reading.error(wrong, 'as many as in the lemma and in tree = "AUX*:cop ADJ"')
        seen = {
            feature: value
            for feature, value in zip(varies, key, strict=True)
            if feature not in features.hidden
        }
        forms[key] = Form(words, feats_text(fixed | seen))
    return Entry(lemma, parts, varies, forms, only)


def _values(key: str, features: Features) -> frozenset[str] | None:
    """The values a form stands under: `Plur`, `Fem Plur`; `None` if that is no such key."""
    values = key.split()
    owners = [features.feature_of(each) for each in values]
    if not values or None in owners or len(set(owners)) < len(owners):
        return None
    return frozenset(values)


def _known_values(value: str, features: Features) -> str:
    return nearest(value, (v for values in features.values.values() for v in values))


def _varies(patterns: Iterable[frozenset[str]], reading: Reading) -> tuple[str, ...]:
    """The features the forms stand under, which must be the same for all forms."""
    features = reading.features
    found = {frozenset(features.feature_of(value) for value in key) for key in patterns}
    if len(found) > 1:
        raise reading.error("its forms stand under different features", "all under the same ones")
    names = found.pop()
    return tuple(each for each in features.values if each in names)


def _restrictions(
    table: Mapping[str, Any], varies: tuple[str, ...], reading: Reading
) -> tuple[dict[str, tuple[str, ...]], dict[str, str]]:
    """What an entry can stand with (feature → values), and what of it FEATS show."""
    features = reading.features
    only: dict[str, tuple[str, ...]] = {}
    for value in str(table.get("with", "")).split():
        feature = features.feature_of(value)
        if feature is None:
            raise reading.error(
                f"no such value {value!r}", _known_values(value, features), "unknown"
            )
        only[feature] = (*only.get(feature, ()), value)
    shown = {}
    for feature in features.values:
        if feature not in table:
            continue
        value = str(table[feature])
        if value not in features.values[feature]:
            right = nearest(value, features.values[feature])
            raise reading.error(f"{feature} is {value!r}", right, "unknown")
        if feature in varies:
            wrong = f"{feature} is fixed, but its forms vary in it"
            raise reading.error(wrong, "one of the two", "conflict")
        only[feature] = (value,)
        if feature not in features.hidden:
            shown[feature] = value
    return only, shown


def _feats(text: object, reading: Reading) -> dict[str, str]:
    """A FEATS column as written: `Mood=Ind|Tense=Pres`."""
    pairs = {}
    for each in str(text).split("|") if text and text != "_" else ():
        match = FEAT.fullmatch(each)
        if match is None:
            raise reading.error(f"feats has {each!r}", "Name=Value pairs joined by |")
        pairs[match[1]] = match[2]
    return pairs


def feats_text(pairs: Mapping[str, str]) -> str:
    """FEATS in UD's order: by name, regardless of case (UD 2, format page). `_` for none."""
    return "|".join(f"{n}={pairs[n]}" for n in sorted(pairs, key=str.lower)) or "_"


def _parts(lemma: str, tree: object, upos: str, reading: Reading) -> tuple[Part, ...]:
    """The words of an entry: one of the list's UPOS, or as `tree` says (`AUX*:cop ADJ`). A word
    hangs on the head or, with `@3` behind its relation, on the third."""
    if not tree:
        if upos not in UPOS:
            raise reading.error(f"upos is {upos!r}", nearest(upos, UPOS), "unknown")
        return (Part(lemma, upos, None, "", True),)
    right = 'one UPOS:relation for each word, the head without one: "AUX*:cop ADJ"'
    lemmas = lemma.split()
    matches = [TREE_WORD.fullmatch(each) for each in str(tree).split()]
    found = [match for match in matches if match is not None and match[1] in UPOS]
    heads = [index for index, match in enumerate(found) if not match[3]]
    if len(found) != len(matches) or len(found) != len(lemmas) or len(heads) != 1:
        raise reading.error(f"tree is {tree!r}", right)
    up = [None if not each[3] else int(each[4]) - 1 if each[4] else heads[0] for each in found]
    if not all(_reaches(up, n) for n in range(len(up))):
        raise reading.error(f"tree is {tree!r}", "after @ the number of a word nearer the head")
    return tuple(
        Part(word, match[1], head, match[3] or "", bool(match[2]))
        for word, match, head in zip(lemmas, found, up, strict=True)
    )


def _reaches(up: Sequence[int | None], start: int) -> bool:
    """Whether the way up from a word ends at the head, and does not leave the entry or go round."""
    place: int | None = start
    for _ in up:
        if place is not None:
            if place >= len(up):
                return False
            place = up[place]
    return place is None
