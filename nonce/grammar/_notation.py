"""How a grammar file is written: where its keys stand, and the notation of its rules.

A rule looks like `NP[n]:nsubj Adv?:advmod Verb[n!] Stop:punct`:

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

from ...data.errors import ErrorKind, InputError

HEADER = re.compile(r"""\s*\[\[?\s*([\w."'\s-]+?)\s*\]\]?\s*(?:#.*)?""")
KEY = re.compile(r"""\s*("[^"]*"|'[^']*'|[\w-]+)\s*[=.]""")
SCANNER = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<name>[^\W\d][\w-]*)|(?P<mark>[][(){}|?:@!/#-]))"
)
RELATION = re.compile(r"[a-z]+")


@dataclass(frozen=True, slots=True)
class TomlSource:
    """A TOML file's name and lines."""

    path: str
    lines: tuple[str, ...]

    def location(self, *keys: str, number: int = 0, quote: str = "") -> str:
        """`path:line` (from 1) of a key, given as its table's names and its own: the standard
        library's reader of TOML does not say.

        `number` counts tables of the same name (`[[sandhi]]`) from 0. `quote`: the first line from
        the key on in which this text stands, so that an element of a long array is found. What
        cannot be found by reading line by line falls back to the nearest key or header above it.
        """
        headers = [
            (n, re.sub(r"[\s\"']", "", match[1]))
            for n, line in enumerate(self.lines, start=1)
            if (match := HEADER.fullmatch(line))
        ]
        best, line = 0, 1
        for depth in range(len(keys) + 1):
            tables = [n for n, name in headers if name == ".".join(keys[:depth])]
            if depth and number >= len(tables):
                continue
            header = tables[number] if depth else 0
            end = next((n for n, _ in headers if n > header), len(self.lines) + 1)
            key_line = next(
                (
                    n
                    for n in range(header + 1, end if depth < len(keys) else 0)
                    if (match := KEY.match(self.lines[n - 1]))
                    and match[1].strip("\"'") == keys[depth]
                ),
                0,
            )
            if depth + bool(key_line) >= best:
                best, line = depth + bool(key_line), key_line or max(header, 1)
        if quote:
            lines = range(line, len(self.lines) + 1)
            line = next((n for n in lines if quote in self.lines[n - 1]), line)
        return f"{self.path}:{line}"

    def error(
        self,
        wrong: str,
        right: str,
        *keys: str,
        kind: ErrorKind = "format",
        number: int = 0,
        quote: str = "",
    ) -> InputError:
        """What is wrong at the place of a key."""
        location = self.location(*keys, number=number, quote=quote)
        return InputError(location, wrong, right, kind=kind)


@dataclass(frozen=True, slots=True)
class Argument:
    """An index or a value in square brackets, and what stands in its place in other conditions."""

    name: str
    flips: bool  # written with `!`: every other value, one a condition
    changed: tuple[str, ...] = ()  # for each condition after the first: `n`, `Sing` or `-n`


@dataclass(frozen=True, slots=True)
class RuleItem:
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

    passed: tuple[Argument, ...]  # what the phrase passes on in place of its head's values
    items: tuple[RuleItem, ...]
    weight: float | None = None  # None where none is written


def parse(source: str, location: str) -> Alternative:
    """One rule. Raises `InputError` at `location` with the column (from 1) of the first fault."""
    reader = _Reader(source, location)
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
        else replace(item, group=tuple(with_macros(inner, macros) for inner in item.group))
        for item in alternative.items
    )
    return replace(alternative, items=items)


def walk(alternative: Alternative) -> Iterator[Alternative]:
    """The alternative itself and all that stand in its groups, outermost first."""
    yield alternative
    for item in alternative.items:
        for inner in item.group:
            yield from walk(inner)


class _Reader:
    """A place in a rule; `kind` and `text` are the piece that comes next, `None` at the end."""

    def __init__(self, source: str, location: str) -> None:
        self.source, self.location, self.start, self.end = source, location, 0, 0
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
        remainder = self.source[self.start :].strip()
        column = len(self.source) - len(self.source[self.start :].lstrip()) + 1
        piece = f"{remainder.split()[0]!r}" if remainder else "the end"
        wrong = f"the rule {self.source!r} has {piece} at column {column}"
        raise InputError(self.location, wrong, right, kind="format")

    def accepts(self, mark: str) -> bool:
        """Whether the next piece is this mark; if so, it is read."""
        is_next = self.kind == "mark" and self.text == mark
        if is_next:
            self.advance()
        return is_next

    def word(self, right: str) -> str:
        if self.kind not in ("name", "number"):
            self.fail(right)
        return self.advance()

    def alternative(self) -> Alternative:
        arguments = self.arguments()
        items = []
        while self.kind == "name" or (self.kind == "mark" and self.text == "("):
            items.append(self.item())
        weight = None
        if self.accepts("@"):
            if self.kind != "number" or not isfinite(float(self.text)) or float(self.text) <= 0:
                self.fail("a weight above 0 after @")
            weight = float(self.advance())
        return Alternative(arguments, tuple(items), weight)

    def item(self) -> RuleItem:
        name, row, region = "", "", ""
        group: list[Alternative] = []
        if self.kind == "name":
            name = self.advance()
            row = self.word("the name of a row") if self.accepts("#") else ""
        else:
            while self.accepts("|" if group else "("):
                group.append(self.alternative())
            if not self.accepts(")"):
                self.fail("')'")
        arguments = self.arguments()
        if self.accepts("{"):
            region = self.word("the name of a region")
            if not self.accepts("}"):
                self.fail("'}'")
        item = RuleItem(name, tuple(group), arguments, "", row, region)
        if self.accepts("?"):
            item = RuleItem("", (Alternative((), (item,)), Alternative((), ())), (), "")
        parts = []
        while self.accepts(":"):
            if self.kind != "name" or RELATION.fullmatch(self.text) is None:
                self.fail("a relation in lower case, as in :nsubj or :acl:relcl")
            parts.append(self.advance())
        return replace(item, relation=":".join(parts))

    def arguments(self) -> tuple[Argument, ...]:
        arguments: list[Argument] = []
        if not self.accepts("["):
            return ()
        while self.kind in ("name", "number"):
            name, changed = self.advance(), []
            flips = self.accepts("!")
            while not flips and self.accepts("/"):
                sign = "-" if self.accepts("-") else ""
                changed.append(sign + self.word("an index or a value"))
            arguments.append(Argument(name, flips, tuple(changed)))
        if not arguments:
            self.fail("an index or a value")
        if not self.accepts("]"):
            self.fail("']'")
        return tuple(arguments)
