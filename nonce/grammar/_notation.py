"""The notation of rules. A rule looks like `NP[n]:nsubj Adv?:advmod Verb[n!] Stop:punct`:

    alternative := [ "[" argument* "]" ] item* [ "@" weight ]
    item        := atom [ "[" argument* "]" ] [ "{" region "}" ] [ "?" ] [ ":" relation ]
    atom        := name [ "#" row ] | "(" alternative ( "|" alternative )* ")"
    argument    := ( letter | value ) ( "!" | ( "/" ( letter | "-" letter | value ) )* )

A name is a word list, a phrase or a macro. The item without a relation is the head of its
alternative; all others depend on it. Brackets at the start are what the phrase itself passes on in
place of its head's values (`[Plur] Name (And:cc Name):conj`). `X?:r` is short for `(X | ):r`.
An argument with strokes has one value for each condition, `Noun[n/n/-n]`, and `-n` is the value of
two that `n` has not; `n!` is `n` in the first condition and another value in the others.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import NamedTuple, NoReturn

from ...data.errors import ErrorKind, InputError
from ...data.registry import nearest
from ._lexicon import Features
from .grammar import WordList

NUMBER, NAME, RELATION = r"\d+(?:\.\d+)?", r"[^\W\d][\w-]*", "[a-z]+"
WORD = f"{NUMBER}|{NAME}"
TOKEN = re.compile(rf"{WORD}|\S")
MAX_DEPTH = 50  # of brackets within each other


class Argument(NamedTuple):
    """A letter or a value in square brackets, and how it changes (as in `Term`)."""

    name: str
    changes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RuleItem:
    """A name with its arguments, or a group (then `name` is empty)."""

    name: str
    group: tuple["Alternative", ...]
    arguments: Mapping[str, Argument]  # by feature
    relation: str = ""  # "" for the head
    row: str = ""  # words with one row are chosen together
    region: str = ""


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way to write a phrase: items in order."""

    passed: Mapping[str, Argument]  # what the phrase passes on in place of its head's values
    items: tuple[RuleItem, ...]
    weight: float | None = None  # None where none is written

    @property
    def is_weighted(self) -> bool:
        """True if a weight is written here or in a group."""
        inner = (option for item in self.items for option in item.group)
        return self.weight is not None or any(option.is_weighted for option in inner)


@dataclass(frozen=True, slots=True)
class RuleNames:
    """The names that can be used in a rule."""

    features: Features
    indices: Mapping[str, str]  # letter → feature
    lists: Mapping[str, WordList]
    parts: Collection[str]  # phrases and macros


def parse_rule(rule: str, names: RuleNames, location: str) -> Alternative:
    """Return one rule, parsed.

    Raises:
        InputError: at `location`, with the column (from 1) where the rule cannot be read on; or for
            a name that is none, an alternative without exactly one head, and arguments that exclude
            each other.
    """
    reader = _Reader(rule, names, location)
    alternative = reader.alternative()
    if reader.text:
        reader.fail("a name, a group, @ or the end")
    if not alternative.items:
        reader.fail("at least one name")
    return alternative


class _Reader:
    """The tokens of a rule with their columns, and the index of the next one."""

    def __init__(self, rule: str, names: RuleNames, location: str) -> None:
        self.rule, self.names, self.location, self.index, self.depth = rule, names, location, 0, 0
        self.tokens = [(match[0], match.start() + 1) for match in TOKEN.finditer(rule)]
        self.tokens.append(("", len(rule) + 1))

    @property
    def text(self) -> str:
        """The next token; "" at the end."""
        return self.tokens[self.index][0]

    def fail(self, right: str) -> NoReturn:
        text, column = self.tokens[self.index]
        wrong = f"has {text!r} at column {column}" if text else f"ends at column {column}"
        self.refuse(wrong, f"write {right}")

    def refuse(self, wrong: str, right: str, kind: ErrorKind = "format") -> NoReturn:
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
        if not self.accepts(mark):
            self.fail(repr(mark))

    def alternative(self) -> Alternative:
        passed = self.arguments()
        items = []
        while self.text == "(" or re.fullmatch(NAME, self.text):
            items.append(self.item())
        weight = None
        if self.accepts("@"):
            weight = float(self.word(NUMBER, "a weight above 0 after @"))
            if not weight > 0 or not isfinite(weight):
                self.index -= 1
                self.fail("a weight above 0 after @")
        heads = [item for item in items if not item.relation]
        if items and len(heads) != 1:
            right = "write exactly one, the head; the others say how they depend on it"
            self.refuse(f"has {len(heads)} items of one alternative without a relation", right)
        if heads and any(not inner.items for inner in heads[0].group):
            self.refuse("has a head that can be absent", "write a head that is always there")
        if passed and not items:
            self.refuse("has an empty alternative with values", "write none, or words with them")
        if any(argument.changes for argument in passed.values()):
            right = "write values that are the same in all conditions; mark the words"
            self.refuse("passes on what changes", right)
        return Alternative(passed, tuple(items), weight)

    def item(self) -> RuleItem:
        names, name, row, region = self.names, "", "", ""
        group: list[Alternative] = []
        if self.text != "(":
            name = self.word(NAME, "a name")
            if name not in names.lists and name not in names.parts:
                right = nearest(name, [*names.lists, *names.parts])
                self.refuse(f"has {name!r}, which is no word list or phrase", right, "unknown")
            row = self.word(WORD, "the name of a row") if self.accepts("#") else ""
            if row and name not in names.lists:
                self.refuse(f"has the phrase {name!r} in a row", "write word lists in rows")
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.fail(f"at most {MAX_DEPTH} brackets within each other")
        while not name and self.accepts("|" if group else "("):
            group.append(self.alternative())
        self.depth -= 1
        if not name:
            self.expect(")")
        arguments = self.arguments(names.lists.get(name))
        if self.accepts("{"):
            region = self.word(WORD, "the name of a region")
            self.expect("}")
        item = RuleItem(name, tuple(group), arguments, "", row, region)
        if self.accepts("?"):
            item = RuleItem("", (Alternative({}, (item,)), Alternative({}, ())), {})
        relation = []
        while self.accepts(":"):
            relation.append(self.word(RELATION, "a relation in lower case, as in :nsubj"))
        return replace(item, relation=":".join(relation))

    def arguments(self, words: WordList | None = None) -> dict[str, Argument]:
        """Return what stands in square brackets, if that is next; `words` is the list it is asked
        of, if it is one."""
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
        names = self.names
        name = self.word(WORD, "a letter or a value")
        feature = names.indices.get(name) or names.features.owner.get(name)
        if feature is None:
            right = nearest(name, [*names.indices, *names.features.owner])
            self.refuse(f"has {name!r}, which is no letter or value", right, "unknown")
        domain = names.features.values[feature]
        if self.accepts("!"):
            return feature, Argument(name, tuple(range(len(domain))))
        others = [value for value in domain if value != name] if name in domain else []
        changes = [0]
        while self.accepts("/"):
            sign = "-" if self.accepts("-") else ""
            written = sign + self.word(WORD, "a letter or a value")
            if written == f"-{name}" and len(domain) != 2:
                wrong = f"has {written!r}, but {feature} has {len(domain)} values"
                self.refuse(wrong, "write - for features of two values")
            known = {name: 0, f"-{name}": 1}
            known |= {value: number for number, value in enumerate(others, start=1)}
            if written not in known:
                wrong = f"has {written!r} after {name!r} and a stroke"
                self.refuse(wrong, nearest(written, known), "unknown")
            changes.append(known[written])
        return feature, Argument(name, tuple(changes) if len(changes) > 1 else ())
