"""Draw the rooms of the package from its imports: `python docs/rooms.py` writes `docs/rooms.svg`.

A floor is a room, and stands above all that it imports. In a room a column is a floor, the ground
on the left: a folder is one box with the number of its modules, a loose file is named. Every
import counts, lazy ones and those for types alone. An arrow that runs back would be drawn in red;
`tests/test_walls.py` holds that there is none.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path

import grimp

PACKAGE = "colorless_green"
ROOMS = {  # as they follow each other: a room imports from rooms before it
    "data": "what is read, written and kept; test items and their files",
    "miner": "treebank → constructions and originals",
    "nonce": "suite → suites: variants, composed sets, grammars, audit",
    "scoring": "suite and models → outcomes, accuracies",
    "humans": "judgments → comparison → page",
    "verbs": "the options of each verb",
    "cli": "the table of verbs",
}
# pixels:
LETTER, TITLE_LINE, BOX_HEIGHT = 6.3, 18, 22  # width of a letter; heights
GAP, ROW_GAP = 26, 6  # between columns, for arrows; between the boxes of a column
MARGIN, HEAD = 150, 28  # the arrows between rooms on the left; the line over each room
MAX_BOXES = 12  # of a column; a floor with more takes several columns
STYLE = """
svg { background: #fff; color: #1b1b1b } .room { fill: #f4f6f2; stroke: #b9c4b4 }
.box { fill: #fff; stroke: #5b7f5b } .file { fill: #fafafa; stroke: #b0b0b0 }
.arrow { fill: none; stroke: #4b6ea8; stroke-opacity: .55 } .back { stroke: #c00; stroke-width: 2 }
text { font: 11px ui-monospace, Menlo, Consolas, monospace; fill: currentColor }
.name { font-weight: bold; font-size: 14px } .tip { fill: #4b6ea8 }
@media (prefers-color-scheme: dark) {
  svg { background: #15181a; color: #e4e6e4 } .room { fill: #1d2224; stroke: #47524a }
  .box { fill: #24302a; stroke: #7fa67f } .file { fill: #1f2426; stroke: #5a6266 }
  .arrow { stroke: #8fb0e8 } .tip { fill: #8fb0e8 } }
"""

Edges = Mapping[str, set[str]]
"""importer → what it imports"""
Rectangle = tuple[float, float, float, float]
"""x, y, width, height"""


def imports() -> dict[str, set[str]]:
    """Return which modules each module imports, all named without the package."""
    graph = grimp.build_graph(PACKAGE, cache_dir=None)
    prefix = f"{PACKAGE}."
    return {
        module.removeprefix(prefix): {
            imported.removeprefix(prefix)
            for imported in graph.find_modules_directly_imported_by(module)
        }
        for module in sorted(graph.modules)
        if module != PACKAGE
    }


def imports_between(modules: Edges, room: str = "") -> dict[str, set[str]]:
    """Return part → the parts that it imports from, for the parts of a room (for rooms, if none is
    named).

    A part is a folder or a loose file; the face of a room (`__init__.py`) is none.
    """
    prefix = f"{room}." if room else ""
    arrows: dict[str, set[str]] = {}
    for module, imported in modules.items():
        if module.startswith(prefix):
            part = _first_name(module.removeprefix(prefix))
            others = {
                _first_name(name.removeprefix(prefix))
                for name in imported
                if name.startswith(prefix)
            }
            arrows.setdefault(part, set()).update(others - {part})
    return {part: others & arrows.keys() for part, others in arrows.items()}


def _first_name(module: str) -> str:
    """Return `a` for `a.b.c`."""
    first, _, _ = module.partition(".")
    return first


def floors(arrows: Edges) -> list[list[str]]:
    """Return the parts by floor, the ground first: each above all that it imports.

    Parts that import each other in a circle come last, on one floor.

    >>> floors({"a": set(), "b": {"a"}, "c": {"a", "b"}, "d": {"a"}})
    [['a'], ['b', 'd'], ['c']]
    """
    all_floors: list[list[str]] = []
    rest = dict(arrows)
    while rest:
        standing = sorted(part for part, imported in rest.items() if not imported & rest.keys())
        floor = standing or sorted(rest)  # nothing can stand: all the rest is in a circle
        all_floors.append(floor)
        for part in floor:
            del rest[part]
    return all_floors


def arrows_back(all_floors: list[list[str]], arrows: Edges) -> set[tuple[str, str]]:
    """Return the arrows (importer, imported) that do not run to a lower floor."""
    floor_of = {part: number for number, floor in enumerate(all_floors) for part in floor}
    return {
        (part, other)
        for part, imported in arrows.items()
        for other in imported
        if floor_of[other] >= floor_of[part]
    }


def drawing() -> str:
    """Return the picture of all rooms, as SVG."""
    modules = imports()
    shapes: list[str] = []
    middle: dict[str, float] = {}
    width, y = 0.0, 10.0
    for room in reversed(ROOMS):
        room_shapes, right, height = _room(modules, room, y)
        middle[room] = y + height / 2
        shapes += room_shapes
        width, y = max(width, right), y + height + 14
    imported_by = imports_between(modules)
    arrows = {room: imported for room, imported in imported_by.items() if room in ROOMS}
    back = arrows_back([[room] for room in ROOMS], arrows)
    shapes += _between_rooms(arrows, middle, back)
    size = f'viewBox="0 0 {width + 10:.0f} {y:.0f}" width="{width + 10:.0f}" height="{y:.0f}"'
    tip = (
        '<marker id="tip" viewBox="0 0 6 6" refX="6" refY="3" markerWidth="6" markerHeight="6" '
        'orient="auto"><path class="tip" d="M0 0 6 3 0 6z"/></marker>'
    )
    body = "\n".join(shapes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" '
        f'aria-label="The rooms of the package and what imports what">\n<style>{STYLE}</style>\n'
        f"<defs>{tip}</defs>\n{body}\n</svg>\n"
    )


def _room(modules: Edges, room: str, y: float) -> tuple[list[str], float, float]:
    """Return a room's shapes, their right edge, and the room's height; `y` is its upper edge."""
    arrows = imports_between(modules, room)
    labels = {part: _label(f"{room}.{part}", modules) for part in arrows}
    all_floors = floors(arrows)
    back = arrows_back(all_floors, arrows)
    boxes, columns_end = _boxes(all_floors, labels, y + HEAD)
    n_title_letters = len(room) + len(ROOMS[room]) + 4
    right = max(columns_end + 10, MARGIN + 30 + LETTER * 1.3 * n_title_letters)
    lowest = max((top + tall for _, top, _, tall in boxes.values()), default=y + HEAD - ROW_GAP)
    height = lowest - y + 10
    shapes = [
        f'<rect class="room" x="{MARGIN}" y="{y:.0f}" width="{right - MARGIN:.0f}" '
        f'height="{height:.0f}" rx="6"/>',
        f'<text class="name" x="{MARGIN + 10}" y="{y + TITLE_LINE:.0f}">{room}'
        f'<tspan font-weight="normal" font-size="11" dx="10">{escape(ROOMS[room])}</tspan></text>',
    ]
    for part, imported in arrows.items():
        for other in sorted(imported):
            (x1, y1, _, h1), (x2, y2, w2, h2) = boxes[part], boxes[other]
            kind = "arrow back" if (part, other) in back else "arrow"
            shapes.append(
                f'<path class="{kind}" marker-end="url(#tip)" d="M{x1:.0f} {y1 + h1 / 2:.0f}'
                f"C{x1 - 18:.0f} {y1 + h1 / 2:.0f} {x2 + w2 + 18:.0f} {y2 + h2 / 2:.0f} "
                f'{x2 + w2 + 1:.0f} {y2 + h2 / 2:.0f}"/>'
            )
    for part, (left, top, wide, tall) in boxes.items():
        kind = "box" if "/" in labels[part] else "file"
        shapes.append(
            f'<rect class="{kind}" x="{left:.0f}" y="{top:.0f}" '
            f'width="{wide:.0f}" height="{tall:.0f}" rx="3"/><text x="{left + 6:.0f}" '
            f'y="{top + 15:.0f}">{labels[part]}</text>'
        )
    return shapes, right, height


def _label(name: str, modules: Iterable[str]) -> str:
    """Return the label of a part (`room.part`): a folder's name with a slash and the number of its
    modules, or a file's name."""
    _, _, part = name.partition(".")
    n_inside = sum(module.startswith(f"{name}.") for module in modules)
    return f"{part}/ {n_inside + 1}" if n_inside else part  # 1: `__init__.py`


def _boxes(
    all_floors: list[list[str]], labels: Mapping[str, str], top: float
) -> tuple[dict[str, Rectangle], float]:
    """Place the parts of a room in columns, each floor right of the one below it; return part →
    box, and the right edge of the last column."""
    boxes: dict[str, Rectangle] = {}
    x = MARGIN + 10.0
    for floor in all_floors:
        for start in range(0, len(floor), MAX_BOXES):
            column = floor[start : start + MAX_BOXES]
            width = max(len(labels[part]) for part in column) * LETTER + 12
            for row, part in enumerate(column):
                boxes[part] = (x, top + row * (BOX_HEIGHT + ROW_GAP), width, BOX_HEIGHT)
            x += width + GAP
    return boxes, x - GAP


def _between_rooms(
    arrows: Edges, middle: Mapping[str, float], back: set[tuple[str, str]]
) -> list[str]:
    """Return the arrows between rooms: arcs on the left, the longer the farther out."""
    order = list(ROOMS)
    n_arrows_to: dict[str, int] = defaultdict(int)  # so far; they end beside each other
    shapes = []
    for room in order:
        for other in sorted(arrows.get(room, set()) & middle.keys(), key=order.index):
            out = MARGIN - 16 * abs(order.index(room) - order.index(other)) - 20
            start, stop = middle[room] - 4, middle[other] + 4 * (n_arrows_to[other] - 1)
            n_arrows_to[other] += 1
            kind = "arrow back" if (room, other) in back else "arrow"
            shapes.append(
                f'<path class="{kind}" marker-end="url(#tip)" d="M{MARGIN} {start:.0f}'
                f'C{out} {start:.0f} {out} {stop:.0f} {MARGIN - 1} {stop:.0f}"/>'
            )
    return shapes


if __name__ == "__main__":
    Path(__file__).with_name("rooms.svg").write_text(drawing(), encoding="utf-8")
