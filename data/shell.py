"""What all our pages are made in: templates that escape, one base of style, policies by hashes."""

from base64 import b64encode
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Template


@cache
def template(text: str, **filters: Callable[[str], str]) -> "Template":
    """A page in which text from outside stays text, and a name that nobody gave is an error."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(filters)
    return environment.from_string(text)


def style_sheet(css: str) -> str:
    """What all pages share, then what is a page's own."""
    return resource(__package__, "base.css") + css


def resource(package: str, name: str) -> str:
    """A text that `package` carries with it."""
    return files(package).joinpath(name).read_text(encoding="utf-8")


def source_of(text: str) -> str:
    """How a content security policy allows the one element that holds exactly this text (CSP
    Level 3, §2.3.1)."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode('ascii')}'"
