"""The words of a grammar: paradigms and entries from TOML to word lists.

A form is written under the values it has, `Plur = "authors"` or `"Fem Plur" = "rosse"`; in a
paradigm `~` is the stem, as in a dictionary. What an entry *shows* (a feature given by name, as
`Gender = "Fem"`) is in its FEATS; what it is only used *with* (`with = "Sing"`) is not.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import product
from math import prod

from ...data.errors import ErrorKind, InputError
from ...data.registry import nearest
from ..variants.realise.language import UPOS
from .grammar import EntryForm, EntryWord, LexicalEntry, WordList
from .grammar_file import Entry, GrammarSource

TREE_WORD = re.compile(rf"({'|'.join(UPOS)})(\*?)(?::([a-z]+(?::[a-z]+)?)(?:@([1-9]))?)?")

ENTRY_KEYS = tuple(field.alias or name for name, field in Entry.model_fields.items())


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
