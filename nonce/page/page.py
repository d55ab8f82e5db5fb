"""The page of a set: one self-contained HTML file, the same bytes for the same suite.

Text of items is hostile until proved otherwise. It stands on the page as JSON that no parser of
HTML can leave, and the script puts it in as text; the page's own policy forbids every other script
and style, every address, and every way to make markup from text.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from colorless_green.data.files import write_whole
from colorless_green.nonce.page.marks import Marks
from colorless_green.nonce.page.record import page_data
from colorless_green.nonce.page.shell import resource, source_of, style_sheet, template
from colorless_green.nonce.suite import Suite

SCRIPTS = ("table.js", "draw.js", "review.js")
MOST_NAMES = 4  # of languages, sources and licences at the top of the page
HARMFUL = re.compile("[<>&\u2028\u2029\ud800-\udfff]")  # ends an element or a line, or no UTF-8


def write_page(suite: Suite, path: Path, marks: Marks | None = None) -> None:
    """Writes the page of a suite, whole or not at all. It opens with `marks`; a browser that keeps
    marks of its own for the same items shows those."""
    with write_whole(path) as stream:
        stream.write(render(suite, marks))


def render(suite: Suite, marks: Marks | None = None) -> str:
    """The HTML of a suite to read and mark. It asks nothing of any other file or host, and names no
    time. An empty suite has a page without items."""
    from markupsafe import Markup

    style, page = style_sheet(_resource("page.css")), _resource("page.html.jinja")
    script = "\n".join(_resource(f"scripts/{name}") for name in SCRIPTS)
    return template(page).render(
        suite=suite,
        figures=_figures(suite),
        policy=_policy(style, script),
        style=Markup(style),  # both ours, and neither holds a `</`
        script=Markup(script),
        data=Markup(_embedded(page_data(suite, marks or Marks()))),
    )


def _policy(style: str, script: str) -> str:
    """The content security policy under which nothing but this style and this script has effect."""
    return "; ".join(
        (
            "default-src 'none'",
            f"style-src {source_of(style)}",
            f"script-src {source_of(script)}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    )


def _embedded(data: Mapping[str, object]) -> str:
    """JSON that stays inside its element whatever the texts in it are."""
    plain = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return HARMFUL.sub(lambda found: f"\\u{ord(found[0]):04x}", plain)


def _figures(suite: Suite) -> list[tuple[str, str]]:
    """What the set is, in a few numbers and names; the numbers that are 0 are left out."""
    kinds = Counter(item.kind for item in suite.items)
    others = kinds.total() - kinds["original"] - kinds["nonce"]
    counts = (("originals", kinds["original"]), ("variants", kinds["nonce"]), ("others", others))
    names = (
        ("language", "languages", {item.language for item in suite.items}),
        ("source", "sources", {item.source for item in suite.items}),
        ("licence", "licences", {item.licence or "unknown" for item in suite.items}),
    )
    return [
        *((what, f"{n:,}") for what, n in counts if n),
        *(
            (one if len(found) == 1 else several, _listed(sorted(found)))
            for one, several, found in names
        ),
    ]


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more if names else "none"


def _resource(name: str) -> str:
    return resource("colorless_green.nonce.page", name)
