"""A page as its reader has it: parsed, its tables as rows, its drawings as marks, its files."""

import csv
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html.parser import HTMLParser
from io import StringIO
from urllib.parse import unquote

VOID = {"meta", "link", "br", "wbr", "hr", "input", "img"}
PAIR = re.compile(r"M ?(-?[\d.]+) (-?[\d.]+)\s*L ?(-?[\d.]+) (-?[\d.]+)\s*")
PAIRS = re.compile(f"(?:{PAIR.pattern})+")


@dataclass
class Node:
    """An element with what is in it."""

    tag: str
    attrs: dict[str, str] = field(default_factory=dict)
    inside: "list[Node | str]" = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(each if isinstance(each, str) else each.text for each in self.inside)

    @property
    def id(self) -> str:
        return self.attrs.get("id", "")

    def __iter__(self) -> "Iterator[Node]":
        """Yield this and every element in it, in their order."""
        yield self
        for each in self.inside:
            if isinstance(each, Node):
                yield from each

    def all(self, tag: str, of: str = "") -> "list[Node]":
        """Elements in it with this tag, of this class if one is named."""
        return [
            each
            for each in self
            if each is not self
            and each.tag == tag
            and (not of or of in each.attrs.get("class", "").split())
        ]

    def one(self, tag: str, of: str = "") -> "Node":
        (found,) = self.all(tag, of)
        return found


class _Parser(HTMLParser):
    """Builds the tree; a tag that closes another than the last that is open is a fault."""

    def __init__(self) -> None:
        super().__init__()
        self.open = [Node("")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        made = Node(tag, {name: value or "" for name, value in attrs})
        self.open[-1].inside.append(made)
        if tag not in VOID:
            self.open.append(made)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].inside.append(Node(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        self.open[-1].inside.append(data)


@dataclass(frozen=True)
class Cell:
    """A cell of a table; its number is that of the table's file, which is not rounded."""

    text: str
    below: str = ""
    value: float | None = None
    language: str = ""


@dataclass(frozen=True)
class Mark:
    """A mark of a drawing: where it stands, in its pixels, what it says, and how it looks."""

    x: float
    y: float
    alt: str
    style: str


class Page:
    """A page of HTML whose every tag is closed."""

    def __init__(self, html: str) -> None:
        self.html = html
        parser = _Parser()
        parser.feed(html)
        parser.close()
        assert len(parser.open) == 1
        self.root = parser.open[0]
        self.by_id = {each.id: each for each in self.root if each.id}

    @property
    def ids(self) -> list[str]:
        return [each.id for each in self.root if "id" in each.attrs]

    @property
    def references(self) -> list[str]:
        """All that is linked, fetched or referred to."""
        names = ("href", "xlink:href", "src", "action")
        told = ("aria-labelledby", "aria-describedby")
        return [
            *(each.attrs[name] for each in self.root for name in names if name in each.attrs),
            *(f"#{each.attrs[name]}" for each in self.root for name in told if name in each.attrs),
        ]

    @property
    def sections(self) -> list[str]:
        return [each.id for each in self.root.all("section")]

    @property
    def tables(self) -> list[str]:
        """The names of all tables."""
        return [each.id for each in self.root.all("div", "scroll")]

    @property
    def figures(self) -> list[str]:
        return [each.id for each in self.root.all("figure")]

    @cached_property
    def files(self) -> dict[str, str]:
        """The files that the page carries, by their names."""
        found = {}
        for link in self.root.all("a"):
            if "download" in link.attrs:
                head, _, body = link.attrs["href"].partition(";charset=utf-8,")
                assert head.startswith("data:")
                found[link.attrs["download"]] = unquote(body, errors="strict")
        return found

    def file(self, name: str) -> list[dict[str, str]]:
        """Return the rows of a CSV file of the page."""
        return list(csv.DictReader(StringIO(self.files[name])))

    def columns(self, table: str) -> list[str]:
        return [each.text for each in self.by_id[table].one("thead").all("th")]

    def rows(self, table: str) -> list[dict[str, Cell]]:
        """Return the rows of a table by the headings of their columns; none where it is not
        there."""
        if table not in self.by_id:
            return []
        columns = self.columns(table)
        numbers = self.file(f"table-{table}.csv")
        shown = self.by_id[table].one("tbody").all("tr")
        assert len(shown) == len(numbers)
        return [
            {
                name: _cell(node, row[name])
                for name, node in zip(
                    columns, [n for n in tr if n.tag in ("th", "td")], strict=True
                )
            }
            for tr, row in zip(shown, numbers, strict=True)
        ]

    def note(self, table: str) -> str:
        """Return what stands below a table."""
        nodes = list(self.root)
        inside = sum(1 for _ in self.by_id[table])
        after = nodes[nodes.index(self.by_id[table]) + inside]
        assert after.tag == "p"
        return after.text

    def data(self, figure: str) -> list[dict[str, Cell]]:
        """Return the numbers in a figure."""
        return self.rows(f"{figure}-data")

    def panels(self, figure: str) -> list[Node]:
        """Return the drawings of a figure, each with its heading and what stands below it."""
        return self.by_id[figure].all("div", "panel") if figure in self.by_id else []


def _cell(node: Node, written: str) -> Cell:
    below = node.all("span", "below")
    whole = node.text
    second = below[0].text if below else ""
    languages = [each.attrs["lang"] for each in node if "lang" in each.attrs]
    return Cell(
        whole.removesuffix(second).strip() if second else whole.strip(),
        second.strip(),
        number(written),
        languages[0] if languages else "",
    )


def number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def numbers(text: str) -> list[float]:
    """Every number in a text, as programs write it or people do."""
    plain = text.replace("\u2212", "-").replace("\u202f", " ")
    return [float(each.replace(",", "")) for each in re.findall(r"-?\d[\d,]*(?:\.\d+)?", plain)]


def marks(panel: Node) -> list[Mark]:
    """Its marks that say what they are."""
    found = []
    for group, node in _with_groups(panel.one("svg")):
        titles = node.all("title") if node.tag in ("use", "path") else []
        if titles:
            x, y = (float(node.attrs.get(name, "nan")) for name in "xy")
            style = f"{group.attrs.get('style', '')};{node.attrs.get('style', '')}"
            found.append(Mark(x, y, titles[0].text, style))
    return found


def _with_groups(svg: Node) -> Iterator[tuple[Node, Node]]:
    for each in svg.inside:
        if isinstance(each, Node):
            yield svg, each
            yield from _with_groups(each)


@dataclass(frozen=True)
class Stroke:
    """A straight line of a drawing from one place to another."""

    start: tuple[float, float]
    end: tuple[float, float]
    style: str


def strokes(panel: Node) -> list[Stroke]:
    """Its straight lines, of which a path may hold several; but those that shapes are made of."""
    return [
        Stroke(
            (float(m[1]), float(m[2])),
            (float(m[3]), float(m[4])),
            f"{each.attrs.get('style', '')};",
        )
        for each in panel.one("svg").all("path")
        if not each.id and PAIRS.fullmatch(each.attrs.get("d", ""))
        for m in PAIR.finditer(each.attrs["d"])
    ]


def scale(places: Sequence[float], values: Sequence[float]) -> tuple[float, float]:
    """(factor, shift) from pixels to values of the axis on which they all lie."""
    low, high = (pick(range(len(values)), key=lambda n: values[n]) for pick in (min, max))
    factor = (values[high] - values[low]) / (places[high] - places[low])
    shift = values[low] - factor * places[low]
    for place, value in zip(places, values, strict=True):
        assert math.isclose(factor * place + shift, value, abs_tol=abs(factor) * 0.02 + 1e-9)
    return factor, shift
