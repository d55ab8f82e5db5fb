"""The page of a set: one self-contained HTML file, the same bytes for the same suite.

Text of items is hostile until proved otherwise. It stands on the page as JSON that no parser of
HTML can leave, and the script puts it in as text; the page's own policy forbids every other script
and style, every address, and every way to make markup from text.
"""

import json
import re
from collections import Counter
from pathlib import Path

from ...data.files import write_whole
from ...data.items.suite import Suite
from ...data.shell import resource, source_of, style_sheet, template
from ._record import page_data
from .marks import Marks

SCRIPTS = ("table.js", "draw.js", "review.js")
HARMFUL = re.compile("[<>&\u2028\u2029\ud800-\udfff]")  # ends an element or a line, or no UTF-8


def write_page(suite: Suite, path: Path, marks: Marks | None = None) -> None:
    """Write the page of a suite, on which its items are read and marked, whole or not at all.

    The page asks nothing of any other file or host, and names no time: the same suite and marks
    give the same bytes. An empty suite has a page without items.

    Args:
        suite: what is shown.
        path: of the HTML file.
        marks: that the page opens with; None for none. A browser that keeps marks of its own for
            the same items shows those.

    Raises:
        InputError: the file cannot be written.

    >>> write_page(Suite("mine", ()), Path("page.html"))
    >>> Path("page.html").read_text(encoding="utf-8").split("\\n")[0]
    '<!DOCTYPE html>'
    """
    from markupsafe import Markup

    style = style_sheet(resource(__package__, "page.css"))
    script = "\n".join(resource(__package__, f"scripts/{name}") for name in SCRIPTS)
    data = json.dumps(
        page_data(suite, marks or Marks()),
        ensure_ascii=False, separators=(",", ":"), allow_nan=False,
    )  # fmt: skip
    data = HARMFUL.sub(lambda match: f"\\u{ord(match[0]):04x}", data)  # it stays in its element
    kinds = Counter(item.kind for item in suite.items)
    n_others = kinds.total() - kinds["original"] - kinds["nonce"]
    page = template(resource(__package__, "page.html.jinja")).render(
        suite=suite,
        numbers={
            "originals": kinds["original"], "variants": kinds["nonce"], "others": n_others,
        },
        names={
            "language": sorted({item.language for item in suite.items}),
            "source": sorted({item.source for item in suite.items}),
            "licence": sorted({item.licence or "unknown" for item in suite.items}),
        },
        style_source=Markup(source_of(style)),
        script_source=Markup(source_of(script)),
        style=Markup(style),  # both ours, and neither holds a `</`
        script=Markup(script),
        data=Markup(data),
    )  # fmt: skip
    with write_whole(path) as stream:
        stream.write(page)
