"""The card (README) of a folder for publishing: its content, its sources, its licences.

The template is `card.md.jinja`; this module fills it in. A card has no date and no path, so that
the same suite always gives the same card.
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

# (limit, name of the hub for fewer items)
SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
MD_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", **{char: f"\\{char}" for char in "\\`|[]"}}
NOT_ALLOWED_IN_YAML = re.compile(
    r"[^\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\x7f-\x9f\u2028\u2029]"
)
FREQUENCIES_FACT = "frequencies_from"  # the fact that names the list of frequencies behind an item


@dataclass(frozen=True, slots=True)
class Configuration:
    """The items that a user loads together: of one language, construction and set of licences."""

    name: str
    language: str
    construction: str
    licences: tuple[str, ...]  # SPDX ids, all of which apply; empty if unknown
    items: tuple[Item, ...]

    @property
    def file(self) -> str:
        """The name of the file with its items."""
        return f"{self.name}.jsonl"


def card(
    suite: Suite, format_name: str, title: str, configurations: Sequence[Configuration] = ()
) -> str:
    """Return the card of a folder with a suite, as Markdown.

    Args:
        suite: the suite in the folder.
        format_name: the folder's format, "huggingface" or "harness", which decides how to use it.
        title: the heading.
        configurations: the configurations of a Hugging Face dataset.
    """
    markdown = markdown_template(resource(__package__, "card.md.jinja"))
    by_item = [licences_of(item) for item in suite.items]
    groups = by_item
    if configurations:  # the same licences, but in the order of the configurations
        groups = [configuration.licences for configuration in configurations]
    # Each once; "" stands for an unknown one.
    all_licences = dict.fromkeys(chain.from_iterable(group or ("",) for group in groups))
    n_items, languages = len(suite.items), {item.language.partition("-")[0] for item in suite.items}
    flags = Counter(flag for item in suite.items if item.agreement for flag in item.agreement.flags)
    return markdown.render(
        suite=suite,
        form=format_name,
        title=title,
        version=__version__,
        sources=list(dict.fromkeys(item.source for item in suite.items)),
        configurations=configurations,
        counted=list(map(_configuration_row, configurations)),
        hub_ids=list(dict.fromkeys(map(hub_id, all_licences))),
        others=[licence for licence in all_licences if hub_id(licence) == "other"],
        languages=sorted(languages - {"und", ""}),
        size=next((name for limit, name in SIZES if n_items < limit), "n>1M"),
        from_ud=any(item.source.startswith("UD_") for item in suite.items),
        making=list(_facts_of_making(suite)),
        flags=sorted(flags.items()),
        licences=[
            (_licence_text(licences), " ".join(filter(None, map(link, licences))), n)
            for licences, n in Counter(by_item).items()
        ],
    )


def markdown_template(text: str) -> "Template":
    """Return a template of Markdown with three filters: `md` for a text in a cell of a table,
    `yaml` for a quoted text, `link` for the address of a licence."""
    return template(text, is_page=False, md=_escaped_markdown, yaml=_quoted_yaml, link=link)


def _configuration_row(configuration: Configuration) -> tuple[object, ...]:
    """Return the cells of a configuration in the card's table: name, language, construction,
    licences, and numbers of originals (mined sentences), of nonce variants and of all items."""
    kinds = Counter(item.kind for item in configuration.items)
    return (
        configuration.name, configuration.language, configuration.construction,
        _licence_text(configuration.licences), kinds["original"], kinds["nonce"],
        len(configuration.items),
    )  # fmt: skip


def _licence_text(licences: Sequence[str]) -> str:
    """Return licences as one text, or "unknown" for none."""
    return " AND ".join(licences) or UNKNOWN


def _facts_of_making(suite: Suite) -> Iterator[tuple[str, str]]:
    """Yield (name, text) for each fact on how the items were made, such as treebank and seed.

    The last ones are the suite's `meta`, which counts originals (mined sentences) without variants.
    """
    agreements = [item.agreement for item in suite.items if item.agreement is not None]
    yield "generator", f"colorless-green {__version__}"
    yield "suite", suite.name
    for name in ("treebank", "rule", "level", "seed", "feature"):
        values = dict.fromkeys(getattr(agreement, name) for agreement in agreements)
        texts = ["" if value is None else str(value) for value in values]
        if any(texts):  # else there is no agreement, or none has this fact
            yield name, ", ".join(text or "none" for text in dict.fromkeys(texts))
    lists = dict.fromkeys(item.facts.get(FREQUENCIES_FACT, "") for item in suite.items)
    yield from (("frequencies", source) for source in lists if source)
    yield from suite.meta.items()


def _quoted_yaml(text: str) -> str:
    """Return a text as a quoted YAML scalar: a JSON string in which the characters that YAML does
    not allow are escaped, too."""
    quoted = json.dumps(text, ensure_ascii=False)
    return NOT_ALLOWED_IN_YAML.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)


def _escaped_markdown(value: object) -> str:
    """Return a value as text for a cell of a Markdown table, with special characters escaped."""
    return "".join(MD_ESCAPES.get(char, char) for char in " ".join(str(value).split()))
