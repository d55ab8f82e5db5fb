"""The notation of rules. A rule looks like `NP[n]:nsubj Adv?:advmod Verb[n!] Stop:punct`:

    alternative := item* [ "@" weight ]
    item        := atom [ "[" argument* "]" ] [ "{" region "}" ] [ "?" ] [ ":" relation ]
    atom        := name [ "#" row ] | "(" alternative ( "|" alternative )* ")"
    argument    := ( letter | value ) ( "!" | ( "/" ( letter | "-" letter | value ) )* )

A name is a word list, a phrase or a macro. The item without a relation is the head of its
alternative; all others depend on it. `X?:r` is short for `(X | ):r`.
An argument with strokes has one value for each condition, `Noun[n/n/-n]`, and `-n` is the value of
two that `n` has not; `n!` is `n` in the first condition and another value in the others.

A phrase, a macro and a group in brackets are all the same in the end: some ways to write an item.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite, prod
from typing import NamedTuple, NoReturn

from ...data.errors import ErrorKind, InputError
from ...data.registry import nearest
from ._file import GrammarFile, GrammarSource
from ._lexicon import Features
from .grammar import WordList

NUMBER, NAME, RELATION = r"\d+(?:\.\d+)?", r"[^\W\d][\w-]*", "[a-z]+"
WORD = f"{NUMBER}|{NAME}"
TOKEN = re.compile(rf"{WORD}|\S")
MAX_DEPTH = 50  # of brackets, phrases and macros within each other
MAX_WORDS = 1_000_000  # in all ways to write a template, before the words are chosen


class Argument(NamedTuple):
    """A letter or a value in square brackets, and how it changes (as in `Term`)."""

    name: str
    changes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RuleItem:
    """A word list, or the ways to write a phrase, with what a rule asks of it."""

    words: WordList | None
    options: tuple["Alternative", ...] = ()  # where there is no word list
    own_letters: bool = False  # whether the letters of its options are not those of the rule
    arguments: Mapping[str, Argument] = field(default_factory=dict)  # by feature
    relation: str = ""  # "" for the head
    row: str = ""  # words with one row are chosen together
    region: str = ""


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way to write a phrase: items in order."""

    items: tuple[RuleItem, ...]
    weight: float
    n_ways: int  # to multiply it out; counted up to `MAX_WORDS`
    n_words: int  # of the longest of these; the same
    n_levels: int  # of options within each other


def _alternative(items: Sequence[RuleItem], weight: float = 1.0) -> Alternative:
    """Return an alternative with its sizes."""
    n_ways = prod(sum(way.n_ways for way in item.options) or 1 for item in items)
    n_words = sum(max((way.n_words for way in item.options), default=1) for item in items)
    n_levels = 1 + max((way.n_levels for item in items for way in item.options), default=0)
    n_ways, n_words = min(n_ways, MAX_WORDS + 1), min(n_words, MAX_WORDS + 1)
    return Alternative(tuple(items), weight, n_ways, n_words, n_levels)


class Rules:
    """The rules of a grammar, parsed when they are first used."""

    def __init__(
        self,
        file: GrammarFile,
        features: Features,
        lists: Mapping[str, WordList],
        source: GrammarSource,
    ) -> None:
        self.indices, self.features, self.lists, self.source = file.indices, features, lists, source
        self.tables = {"macros": file.macros, "phrases": file.phrases, "sentences": file.sentences}
        self.sections = {name: part for part in ("phrases", "macros") for name in self.tables[part]}
        self.parsed: dict[tuple[str, str], tuple[Alternative, ...]] = {}
        self.depth = 0
        self.weighted = False  # whether any alternative has a weight

    def alternatives(self, section: str, name: str) -> tuple[Alternative, ...]:
        """Return the parsed rules of a name in a section.

        Raises:
            InputError: at the rule, with the column (from 1) where it cannot be read on; or for a
                name that is none, an alternative without exactly one head, arguments that exclude
                each other, and a phrase inside itself.
        """
        if self.depth >= MAX_DEPTH:
            wrong = f"{name!r} holds itself, or has too many phrases within each other"
            raise self.source.error(wrong, f"write {MAX_DEPTH} at most", section, name)
        if (section, name) not in self.parsed:
            self.depth += 1
            readers = [_Reader(rule, self, section, name) for rule in self.tables[section][name]]
            self.parsed[section, name] = tuple(reader.whole() for reader in readers)
            self.depth -= 1
        return self.parsed[section, name]


class _Reader:
    """The tokens of a rule with their columns, and the index of the next one."""

    def __init__(self, rule: str, rules: Rules, section: str, name: str) -> None:
        quote = rule.strip().partition("\n")[0]
        self.location = rules.source.location(section, name, quote=quote)
        self.rule, self.rules, self.index = " ".join(rule.split()), rules, 0
        self.tokens = [(match[0], match.start() + 1) for match in TOKEN.finditer(self.rule)]
        self.tokens.append(("", len(self.rule) + 1))

    @property
    def text(self) -> str:
        """Return the next token; "" at the end."""
        return self.tokens[self.index][0]

    def fail(self, right: str) -> NoReturn:
        """Raise the error that something else is expected here."""
        text, column = self.tokens[self.index]
        wrong = f"has {text!r} at column {column}" if text else f"ends at column {column}"
        self.refuse(wrong, f"write {right}")

    def refuse(self, wrong: str, right: str, kind: ErrorKind = "format") -> NoReturn:
        """Raise the error that the rule is wrong."""
        raise InputError(self.location, f"the rule {self.rule!r:.200} {wrong}", right, kind=kind)

    def accepts(self, mark: str) -> bool:
        """Return whether the next token is this mark; if so, go on to the one after it."""
        is_next = self.text == mark
        self.index += is_next
        return is_next

    def word(self, pattern: str, right: str) -> str:
        """Return the next token, which must match."""
        if not re.fullmatch(pattern, self.text):
            self.fail(right)
        self.index += 1
        return self.tokens[self.index - 1][0]

    def expect(self, mark: str) -> None:
        """Go on to the token after a mark, which must be there."""
        if not self.accepts(mark):
            self.fail(repr(mark))

    def whole(self) -> Alternative:
        """Return the rule, parsed."""
        alternative = self.alternative()
        if self.text:
            self.fail("a name, a group, @ or the end")
        if not alternative.items:
            self.fail("at least one name")
        if alternative.n_levels > MAX_DEPTH:
            self.refuse("has too many phrases within each other", f"write {MAX_DEPTH} at most")
        return alternative

    def alternative(self) -> Alternative:
        """Return the alternative that begins here."""
        items = []
        while self.text == "(" or re.fullmatch(NAME, self.text):
            items.append(self.item())
        weight = 1.0
        if self.accepts("@"):
            weight = float(self.word(NUMBER, "a weight above 0 after @"))
            self.rules.weighted = True
            if not weight > 0 or not isfinite(weight):
                self.index -= 1
                self.fail("a weight above 0 after @")
        heads = [item for item in items if not item.relation]
        if items and len(heads) != 1:
            right = "write exactly one, the head; the others say how they depend on it"
            self.refuse(f"has {len(heads)} items of one alternative without a relation", right)
        if heads and any(not inner.items for inner in heads[0].options):
            self.refuse("has a head that can be absent", "write a head that is always there")
        return _alternative(items, weight)

    def item(self) -> RuleItem:
        """Return the item that begins here."""
        item = self.group() if self.text == "(" else self.named()
        item = replace(item, arguments=self.arguments(item.words))
        if self.accepts("{"):
            item = replace(item, region=self.word(WORD, "the name of a region"))
            self.expect("}")
        if self.accepts("?"):
            item = RuleItem(None, (_alternative([item]), _alternative([])))
        relation = []
        while self.accepts(":"):
            relation.append(self.word(RELATION, "a relation in lower case, as in :nsubj"))
        return replace(item, relation=":".join(relation))

    def group(self) -> RuleItem:
        """Return the group in brackets that begins here."""
        self.rules.depth += 1
        if self.rules.depth > MAX_DEPTH:
            self.fail(f"at most {MAX_DEPTH} brackets within each other")
        options: list[Alternative] = []
        while self.accepts("|" if options else "("):
            options.append(self.alternative())
        self.expect(")")
        self.rules.depth -= 1
        return RuleItem(None, tuple(options))

    def named(self) -> RuleItem:
        """Return the word list, phrase or macro that is named here."""
        rules, name = self.rules, self.word(NAME, "a name")
        if name not in rules.lists and name not in rules.sections:
            right = nearest(name, [*rules.lists, *rules.sections])
            self.refuse(f"has {name!r}, which is no word list or phrase", right, "unknown")
        row = self.word(WORD, "the name of a row") if self.accepts("#") else ""
        if name in rules.lists:
            return RuleItem(rules.lists[name], row=row)
        if row:
            self.refuse(f"has the phrase {name!r} in a row", "write word lists in rows")
        section = rules.sections[name]
        return RuleItem(None, rules.alternatives(section, name), section == "phrases")

    def arguments(self, words: WordList | None = None) -> dict[str, Argument]:
        """Return what is in square brackets, if that is next; `words` is the list it is asked of,
        if it is one."""
        arguments: dict[str, Argument] = {}
        if not self.accepts("["):
            return arguments
        while re.fullmatch(WORD, self.text) or not arguments:
            feature, argument = self.argument()
            if feature in arguments:
                both = f"{arguments[feature].name!r} and {argument.name!r}"
                self.refuse(f"has {both}, both of {feature}", "write one of them", "conflict")
            if words and not any(feature in (*e.varies, *e.only) for e in words.entries):
                wrong = f"has {argument.name!r} on {words.name!r}, no word of which has {feature}"
                self.refuse(wrong, f"write {words.name} without {argument.name}")
            arguments[feature] = argument
        self.expect("]")
        return arguments

    def argument(self) -> tuple[str, Argument]:
        """Return a feature and what is asked of it."""
        features, indices = self.rules.features, self.rules.indices
        name = self.word(WORD, "a letter or a value")
        feature = indices.get(name) or features.owner.get(name)
        if feature is None:
            right = nearest(name, [*indices, *features.owner])
            self.refuse(f"has {name!r}, which is no letter or value", right, "unknown")
        domain = features.values[feature]
        if self.accepts("!"):
            return feature, Argument(name, tuple(range(len(domain))))
        changes = {name: 0}
        if len(domain) == 2:
            changes[f"-{name}"] = 1
        others = [value for value in domain if value != name] if name in domain else []
        changes |= {value: number for number, value in enumerate(others, start=1)}
        marks = [0]
        while self.accepts("/"):
            sign = "-" if self.accepts("-") else ""
            written = sign + self.word(WORD, "a letter or a value")
            if written not in changes:
                kind: ErrorKind = "format" if written == f"-{name}" else "unknown"
                wrong = f"has {written!r} after {name!r} and a stroke"
                self.refuse(wrong, nearest(written, changes), kind)
            marks.append(changes[written])
        return feature, Argument(name, tuple(marks) if len(marks) > 1 else ())
