"""The card of a folder for publishing: what it is, where it is from, what may be done with it.

The text is `card.md.jinja`; here is what it is told. No date and no path, so that the same suite
gives the same card.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from ..items.item import Item
from ..items.suite import Suite
from ..shell import resource, template
from ..version import __version__
from .licences import UNKNOWN, hub_id, licences_of, link

if TYPE_CHECKING:
    from jinja2 import Template

SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", **{char: f"\\{char}" for char in "\\`|[]"}}
FAULTY_YAML = re.compile(
    r"[^\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\x7f-\x9f\u2028\u2029]"
)
FREQUENCIES = "frequencies_from"  # the fact that names the list by which words were chosen


@dataclass(frozen=True, slots=True)
class Configuration:
    """The items that are loaded together: of one language, construction and set of licences."""

    name: str
    language: str
    construction: str
    licences: tuple[str, ...]  # SPDX ids that all bind; none where unknown
    items: tuple[Item, ...]

    @property
    def file(self) -> str:
        """The name of its file."""
        return f"{self.name}.jsonl"


def card(suite: Suite, form: str, title: str, configurations: Sequence[Configuration] = ()) -> str:
    """Return the README of a folder of a suite.

    Args:
        suite: what is in the folder.
        form: the folder's format, which says how it is used: "huggingface" or "harness".
        title: its heading.
        configurations: of a Hugging Face dataset.
    """
    markdown = markdown_template(resource(__package__, "card.md.jinja"))
    by_item = [licences_of(item) for item in suite.items]
    all_licences = dict.fromkeys(chain.from_iterable(group or ("",) for group in by_item))
    if configurations:  # in their order
        groups = (configuration.licences or ("",) for configuration in configurations)
        all_licences = dict.fromkeys(chain.from_iterable(groups))
    languages = {item.language.partition("-")[0] for item in suite.items}
    flags = Counter(flag for item in suite.items if item.agreement for flag in item.agreement.flags)
    return markdown.render(
        suite=suite,
        form=form,
        title=title,
        version=__version__,
        sources=list(dict.fromkeys(item.source for item in suite.items)),
        configurations=configurations,
        counted=list(map(_counts, configurations)),
        hub_ids=list(dict.fromkeys(map(hub_id, all_licences))),
        others=[licence for licence in all_licences if hub_id(licence) == "other"],
        languages=sorted(languages - {"und", ""}),
        size=next((name for below, name in SIZES if len(suite.items) < below), "n>1M"),
        from_ud=any(item.source.startswith("UD_") for item in suite.items),
        making=list(_making(suite)),
        flags=sorted(flags.items()),
        licences=[
            (_together(licences), " ".join(filter(None, map(link, licences))), n)
            for licences, n in Counter(by_item).items()
        ],
    )


def markdown_template(text: str) -> "Template":
    """Return a template of Markdown, in which `md` keeps a text in its cell, and `yaml` quotes
    one."""
    return template(text, is_page=False, md=_cell, yaml=_yaml, link=link)


def _counts(configuration: Configuration) -> tuple[object, ...]:
    kinds = Counter(item.kind for item in configuration.items)
    return (
        configuration.name, configuration.language, configuration.construction,
        _together(configuration.licences), kinds["original"], kinds["nonce"],
        len(configuration.items),
    )  # fmt: skip


def _together(licences: Sequence[str]) -> str:
    return " AND ".join(licences) or UNKNOWN


def _making(suite: Suite) -> Iterator[tuple[str, str]]:
    """Yield what is known of how the items came to be; counts of losses are in the suite's
    `meta`."""
    agreements = [item.agreement for item in suite.items if item.agreement is not None]
    yield "generator", f"colorless-green {__version__}"
    yield "suite", suite.name
    for name in ("treebank", "rule", "level", "seed", "feature"):
        raw = (getattr(agreement, name) for agreement in agreements)
        values = list(dict.fromkeys("" if value is None else str(value) for value in raw))
        if values not in ([], [""]):
            yield name, ", ".join(value or "none" for value in values)
    lists = dict.fromkeys(item.facts.get(FREQUENCIES, "") for item in suite.items)
    yield from (("frequencies", source) for source in lists if source)
    yield from suite.meta.items()


def _yaml(text: str) -> str:
    """Return a text as a quoted YAML scalar: JSON's, with what YAML does not take bare escaped
    too."""
    quoted = json.dumps(text, ensure_ascii=False)
    return FAULTY_YAML.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)


def _cell(value: object) -> str:
    """Return a text that stays in its cell, and is text for a browser."""
    return "".join(ESCAPES.get(char, char) for char in " ".join(str(value).split()))
