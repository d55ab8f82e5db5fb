"""The notation of rules: `NP[n]:nsubj Adv?:advmod Verb[n!] Stop:punct`.

    alternative := [ "[" argument* "]" ] item* [ "@" weight ]
    item        := atom [ "[" argument* "]" ] [ "{" region "}" ] [ "?" ] [ ":" relation ]
    atom        := name [ "#" row ] | "(" alternative ( "|" alternative )* ")"
    argument    := ( index | value ) ( "!" | ( "/" [ "-" ] ( index | value ) )* )

A name is a word list, a phrase or a macro. The item without a relation is the head of its
alternative; all others hang on it. Brackets at the start are what the phrase itself passes on in
place of its head's values (`[Plur] Name (And:cc Name):conj`). `X?:r` is short for `(X | ):r`.
An argument with strokes has one value for each condition, `Noun[n/n/-n]`, and `-n` is the value of
two that `n` has not; `n!` is `n` in the first condition and another value in the others.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import NoReturn

from colorless_green.data.errors import InputError

SCANNER = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<name>[^\W\d][\w-]*)|(?P<mark>[][(){}|?:@!/#-]))"
)
RELATION = re.compile(r"[a-z]+")


@dataclass(frozen=True, slots=True)
class Argument:
    """An index or a value in square brackets, and what stands in its place in other conditions."""

    name: str
    flips: bool  # written with `!`: every other value, one a condition
    others: tuple[str, ...] = ()  # for each condition after the first: `n`, `Sing` or `-n`


@dataclass(frozen=True, slots=True)
class Item:
    """A name with its arguments, or a group (then `name` is empty)."""

    name: str
    group: tuple["Alternative", ...]
    arguments: tuple[Argument, ...]
    relation: str  # "" for the head
    row: str = ""  # words with one row are chosen together
    region: str = ""


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way to write a phrase: items in order."""

    own: tuple[Argument, ...]  # what the phrase passes on in place of its head's values
    items: tuple[Item, ...]
    weight: float | None = None  # None where none is written


def parse(source: str, place: str) -> Alternative:
    """One rule. Raises `InputError` at `place` with the column (from 1) of the first fault."""
    reader = _Reader(source, place)
    alternative = reader.alternative()
    if reader.kind is not None:
        reader.fail("a name, a group, @ or the end")
    if not alternative.items:
        reader.fail("at least one name")
    return alternative


def with_macros(
    alternative: Alternative, macros: Mapping[str, tuple[Alternative, ...]]
) -> Alternative:
    """The alternative with each macro's name replaced by the macro, as if it stood there. Macros
    that `macros` hold are looked at no further: they were expanded themselves."""
    items = tuple(
        replace(item, name="", group=macros[item.name])
        if item.name in macros
        else replace(item, group=tuple(with_macros(each, macros) for each in item.group))
        for item in alternative.items
    )
    return replace(alternative, items=items)


def walk(alternative: Alternative) -> Iterator[Alternative]:
    """The alternative itself and all that stand in its groups, outermost first."""
    yield alternative
    for item in alternative.items:
        for each in item.group:
            yield from walk(each)


class _Reader:
    """A place in a rule; `kind` and `text` are the piece that comes next, `None` at the end."""

    def __init__(self, source: str, place: str) -> None:
        self.source, self.place, self.start, self.end = source, place, 0, 0
        self.kind: str | None = None
        self.text = ""
        self.advance()

    def advance(self) -> str:
        """Goes on to the next piece and returns the one just read."""
        text = self.text
        self.start = self.end
        match = SCANNER.match(self.source, self.end)
        if match is None:
            self.kind, self.text = None, self.source[self.end :].strip()
            if self.text:
                self.fail("names, brackets [ ] ( ) { }, and the marks | ? : @ ! / - #")
            return text
        self.kind, self.text, self.end = match.lastgroup, match[match.lastgroup or 0], match.end()
        return text

    def fail(self, right: str) -> NoReturn:
        rest = self.source[self.start :].strip()
        column = len(self.source) - len(self.source[self.start :].lstrip()) + 1
        found = f"{rest.split()[0]!r}" if rest else "the end"
        raise InputError(
            self.place,
            f"the rule {self.source!r} has {found} at column {column}",
            right,
            kind="format",
        )

    def takes(self, mark: str) -> bool:
        """Whether the next piece is this mark; if so, it is read."""
        found = self.kind == "mark" and self.text == mark
        if found:
            self.advance()
        return found

    def needs(self, mark: str) -> None:
        if not self.takes(mark):
            self.fail(repr(mark))

    def alternative(self) -> Alternative:
        own = self.arguments()
        items = []
        while self.kind == "name" or (self.kind == "mark" and self.text == "("):
            items.append(self.item())
        return Alternative(own, tuple(items), self.weight())

    def weight(self) -> float | None:
        if not self.takes("@"):
            return None
        if self.kind != "number" or not isfinite(float(self.text)) or float(self.text) <= 0:
            self.fail("a weight above 0 after @")
        return float(self.advance())

    def item(self) -> Item:
        group: tuple[Alternative, ...] = ()
        name = self.advance() if self.kind == "name" else ""
        if not name:
            group = self.group()
        row = self.word("the name of a row") if name and self.takes("#") else ""
        item = Item(name, group, self.arguments(), "", row, self.region())
        if self.takes("?"):
            item = Item("", (Alternative((), (item,)), Alternative((), ())), (), "")
        return replace(item, relation=self.relation()) if self.takes(":") else item

    def group(self) -> tuple[Alternative, ...]:
        self.needs("(")
        alternatives = [self.alternative()]
        while self.takes("|"):
            alternatives.append(self.alternative())
        self.needs(")")
        return tuple(alternatives)

    def arguments(self) -> tuple[Argument, ...]:
        found: list[Argument] = []
        if not self.takes("["):
            return ()
        while self.kind in ("name", "number"):
            found.append(self.argument())
        if not found:
            self.fail("an index or a value")
        self.needs("]")
        return tuple(found)

    def argument(self) -> Argument:
        name = self.advance()
        if self.takes("!"):
            return Argument(name, True)
        others = []
        while self.takes("/"):
            sign = "-" if self.takes("-") else ""
            others.append(sign + self.word("an index or a value"))
        return Argument(name, False, tuple(others))

    def word(self, right: str) -> str:
        if self.kind not in ("name", "number"):
            self.fail(right)
        return self.advance()

    def region(self) -> str:
        if not self.takes("{"):
            return ""
        name = self.word("the name of a region")
        self.needs("}")
        return name

    def relation(self) -> str:
        parts = [self.relation_part()]
        while self.takes(":"):
            parts.append(self.relation_part())
        return ":".join(parts)

    def relation_part(self) -> str:
        if self.kind != "name" or RELATION.fullmatch(self.text) is None:
            self.fail("a relation in lower case, as in :nsubj or :acl:relcl")
        return self.advance()
