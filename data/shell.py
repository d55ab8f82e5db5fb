"""What all our HTML pages share: templates that escape text, a style sheet, and hashes for their
content security policy."""

from base64 import b64encode
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Template


@cache
def template(text: str, *, is_page: bool = True, **filters: Callable[[Any], str]) -> "Template":
    """Return a Jinja template made of a text.

    In a page, values are escaped, so that text from outside cannot become HTML; in another text
    they are not, and its last line end is kept. A name without a value is an error.
    """
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=is_page, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=not is_page,
    )  # fmt: skip
    environment.filters.update(filters)
    return environment.from_string(text)


def style_sheet(css: str) -> str:
    """Return the style sheet that all pages share, followed by the rules of one page."""
    return resource(__package__, "base.css") + css


def resource(package: str, name: str) -> str:
    """Read a text file that is part of a package."""
    return files(package).joinpath(name).read_text(encoding="utf-8")


def csp_source(text: str) -> str:
    """Return the entry of a content security policy that allows a script or style with exactly this
    text (CSP Level 3, §2.3.1)."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode('ascii')}'"
