"""The card of a dataset folder: what it is, where it is from, what may be done with it.

The block between `---` lines is for the hub and for `datasets`; the rest is for people. No date and
no path, so that the same suite gives the same card.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from colorless_green.data.version import __version__
from colorless_green.nonce.formats.licences import hub_id, link
from colorless_green.nonce.item import Agreement, Item
from colorless_green.nonce.suite import Suite

SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", **{each: f"\\{each}" for each in "\\`|[]"}}
FAULTY_YAML = re.compile(
    r"[^\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\x7f-\x9f\u2028\u2029]"
)
COLUMNS = """\
| column | meaning |
|---|---|
| `sentence_good`, `sentence_bad` | the sentence with the form that agrees, and with its rival |
| `prefix`, `word_good`, `word_bad` | the text before the form, and the two forms with the blank \
before them; empty where the prefixes differ |
| `construction`, `feature`, `value` | arc direction, cue, context and target; what agrees, \
and its value in the right form |
| `cue_index`, `target_index` | 0-based places among the words of the sentence |
| `n_attractors` | words between with the cue's part of speech and another value |
| `kind`, `variant`, `level`, `flags` | original or nonce; its number; how alike replacements are; \
what is special about it |
| `item_id`, `cluster_id`, `set_id`, `cell` | the item; the original it is from (what intervals \
should resample); its factorial block and place in it |
| `language`, `source`, `licence` | BCP-47 code; treebank; SPDX ids |
"""
USE = """\
`load_dataset(FOLDER, CONFIG, split="test")`. An item is right if the model finds `sentence_good`
more probable than `sentence_bad`, or `word_good` more probable than `word_bad` after `prefix`;
count a tie as one half. Variants of one original are not independent: resample by `cluster_id`.
"""
LIMITS = """\
What a model could solve without grammar is measured by `colorless audit`. The annotation of a
treebank has errors, and so have items made from it. Originals are sentences of the treebank: names
of persons in them are those of its texts, and models may have seen them.
"""
CITATION = """\
```bibtex
@inproceedings{gulordava-etal-2018-colorless,
  title = {Colorless Green Recurrent Networks Dream Hierarchically},
  author = {Gulordava, Kristina and Bojanowski, Piotr and Grave, Edouard and Linzen, Tal and \
Baroni, Marco},
  booktitle = {Proceedings of NAACL-HLT},
  year = {2018},
}
@article{de-marneffe-etal-2021-universal,
  title = {Universal {D}ependencies},
  author = {de Marneffe, Marie-Catherine and Manning, Christopher D. and Nivre, Joakim and \
Zeman, Daniel},
  journal = {Computational Linguistics},
  volume = {47},
  number = {2},
  year = {2021},
}
```
"""
CONFIGURATION = (
    "config", "language", "construction", "licence", "originals", "variants", "pairs",
)  # fmt: skip
CARD = """\
---
{header}
---

# {name}

{n_items:,} minimal pairs from {sources}, made by colorless-green {version}.

## Configurations

{configurations}

## Columns

{columns}
`provenance.jsonl` has each item whole: treebank, file, sentence, indices, replaced words.

## Use

{use}
## How it was made

{making}

## Flags

{flags}

## Licences

{licences}

Changed from the source: the target's form is swapped; in variants, content words are replaced too.
Where a licence has several parts, all of them bind.

## Limits

{limits}
## Citation

Cite the treebanks named above by their own pages, and:

{citation}"""


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


def card(suite: Suite, configurations: Sequence[Configuration]) -> str:
    """The README of a suite's folder."""
    sources = _distinct(item.source for item in suite.items)
    return CARD.format(
        header="\n".join(_header(suite, configurations)),
        name=_cell(suite.name),
        n_items=len(suite.items),
        sources=_cell(", ".join(sources)),
        version=__version__,
        configurations=_table(CONFIGURATION, map(_configuration_row, configurations)),
        columns=COLUMNS,
        use=USE,
        making=_table(("what", "value"), _making(suite)),
        flags=_table(("flag", "items"), _flags(suite)),
        licences=_table(("licence", "text", "items"), _licence_rows(configurations)),
        limits=LIMITS,
        citation=CITATION,
    )


def _header(suite: Suite, configurations: Sequence[Configuration]) -> Iterator[str]:
    """The YAML block, line by line."""
    every = _distinct(chain.from_iterable(each.licences or ("",) for each in configurations))
    ids = _distinct(map(hub_id, every))
    yield from _yaml_list("license", ids) if len(ids) > 1 else (f"license: {ids[0]}",)
    others = [each for each in every if hub_id(each) == "other"]
    if others:
        yield f"license_name: {_yaml(' AND '.join(others))}"
        if link(others[0]):
            yield f"license_link: {_yaml(link(others[0]))}"
    languages = sorted({each.language.partition("-")[0] for each in configurations} - {"und", ""})
    if languages:
        yield from _yaml_list("language", map(_yaml, languages))
    yield f"pretty_name: {_yaml(suite.name)}"
    yield from _yaml_list("tags", ("minimal-pairs", "agreement", "targeted-syntactic-evaluation"))
    yield from _yaml_list("annotations_creators", ("machine-generated",))
    yield from _yaml_list("language_creators", ("found", "machine-generated"))
    yield from _yaml_list(
        "multilinguality", ("multilingual" if len(languages) > 1 else "monolingual",)
    )
    size = next((name for below, name in SIZES if len(suite.items) < below), "n>1M")
    yield from _yaml_list("size_categories", (size,))
    if any(item.source.startswith("UD_") for item in suite.items):
        yield from _yaml_list("source_datasets", ("extended|universal_dependencies",))
    yield "configs:"
    for each in configurations:
        yield f"- config_name: {_yaml(each.name)}"
        yield "  data_files:"
        yield "  - split: test"
        yield f"    path: {_yaml(each.file)}"


def _yaml_list(key: str, values: Iterable[str]) -> Iterator[str]:
    yield f"{key}:"
    yield from (f"- {value}" for value in values)


def _yaml(text: str) -> str:
    """A text as a quoted YAML scalar: JSON's, with what YAML does not take bare escaped too."""
    quoted = json.dumps(text, ensure_ascii=False)
    return FAULTY_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)


def _configuration_row(configuration: Configuration) -> tuple[object, ...]:
    kinds = Counter(item.kind for item in configuration.items)
    return (
        configuration.name,
        configuration.language,
        configuration.construction,
        _together(configuration.licences),
        kinds["original"],
        kinds["nonce"],
        len(configuration.items),
    )


def _together(licences: Sequence[str]) -> str:
    return " AND ".join(licences) or "unknown"


def _making(suite: Suite) -> Iterator[tuple[object, ...]]:
    """What is known of how the items came to be; counts of losses are in the suite's `meta`."""
    agreements = [item.agreement for item in suite.items if item.agreement is not None]
    yield "generator", f"colorless-green {__version__}"
    yield "suite", suite.name
    for name in ("treebank", "rule", "level", "seed", "feature"):
        values = _distinct(_value(each, name) for each in agreements)
        if values != [] and values != [""]:
            yield name, ", ".join(each or "none" for each in values)
    for name, value in suite.meta.items():
        yield name, value


def _value(agreement: Agreement, name: str) -> str:
    value = getattr(agreement, name)
    return "" if value is None else str(value)


def _flags(suite: Suite) -> Iterator[tuple[object, ...]]:
    flags = Counter(flag for item in suite.items if item.agreement for flag in item.agreement.flags)
    yield from sorted(flags.items())


def _licence_rows(configurations: Sequence[Configuration]) -> Iterator[tuple[object, ...]]:
    n_items: Counter[tuple[str, ...]] = Counter()
    for each in configurations:
        n_items[each.licences] += len(each.items)
    for licences, n in n_items.items():
        yield _together(licences), " ".join(filter(None, map(link, licences))), n


def _table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table, or a line that says that there is nothing."""
    lines = ["| " + " | ".join(map(_cell, map(str, row))) + " |" for row in rows]
    if not lines:
        return "None."
    return "\n".join(("| " + " | ".join(columns) + " |", "|" + "---|" * len(columns), *lines))


def _cell(text: str) -> str:
    """A text that stays in its cell, and is text for a browser."""
    return "".join(ESCAPES.get(each, each) for each in " ".join(text.split()))


def _distinct(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))
