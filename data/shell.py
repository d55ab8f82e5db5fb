"""Templates that escape, one base of style and policies by hashes, for all our pages."""

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
    """Return the template of a page, in which outside text stays text, or of another text, which
    ends as it does. A name without a value is an error."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=is_page, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=not is_page,
    )  # fmt: skip
    environment.filters.update(filters)
    return environment.from_string(text)


def style_sheet(css: str) -> str:
    """Return the style sheet that all pages share, followed by a page's own."""
    return resource(__package__, "base.css") + css


def resource(package: str, name: str) -> str:
    """Read a text file that is part of a package."""
    return files(package).joinpath(name).read_text(encoding="utf-8")


def source_of(text: str) -> str:
    """Return how a content security policy allows the one element that holds exactly this text
    (CSP Level 3, §2.3.1)."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode('ascii')}'"
