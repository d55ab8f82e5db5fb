"""The tables of docs/patterns.md and docs/mining.md that are made from the package's own.

`python -m tests.mining_tables` writes them anew between their marks.
"""

import re
from pathlib import Path

from colorless_green.miner import FILTERS, ORDERS, Pattern, Word, built_in

DOCS = Path(__file__).resolve().parents[1] / "docs"
MARKED = r"(<!-- {} -->\n).*?(\n<!-- end -->)"


def listed(names: frozenset[str]) -> str:
    """Names in their order, as a cell of a table."""
    return ", ".join(name or "none" for name in sorted(names)).replace("|", "\\|")


def conditions(word: Word) -> str:
    """What a pattern asks of a word."""
    feats = []
    for name, values in word.feats.items():
        wanted = [listed(values - {""}), "none" if "" in values else ""]
        feats.append(f"{name}={' or '.join(filter(None, wanted))}")
    parts = [
        listed(word.upos),
        *feats,
        f"lemma {listed(word.lemma)}" if word.lemma else "",
        f"relation {listed(word.deprel)}" if word.deprel else "",
        f"has {listed(word.has)}" if word.has else "",
        f"lacks {listed(word.lacks)}" if word.lacks else "",
    ]
    return "; ".join(filter(None, parts))


def asks(pattern: Pattern) -> str:
    """All conditions of a pattern but its path."""
    orders = {code: name for name, code in ORDERS.items() if code}
    feature = pattern.feature
    if pattern.agreeing_feature not in ("", feature):
        feature = f"{feature or 'the feature'}, {pattern.agreeing_feature} of the agreeing word"
    parts = [
        f"**controller** {conditions(pattern.controller)}",
        *(f"**via** {conditions(word)}" for word in pattern.via),
        f"**agreeing** {conditions(pattern.agreeing)}",
        f"**order** {orders.get(pattern.order, '')}",
        f"**feature** {feature}",
        f"**only** {listed(pattern.languages)}",
    ]
    return ". ".join(part for part in parts if not part.endswith("** "))


def patterns() -> str:
    """The built-in patterns with all that they ask."""
    lines = ["| name | path | what it is | conditions |", "|---|---|---|---|"]
    for name, pattern in built_in().items():
        steps = [
            f"{'<' if each.up else '>'}{'|'.join(sorted(each.relations)) or '*'}"
            for each in pattern.path
        ]
        path = " ".join(steps).replace("|", "\\|")
        lines.append(f"| `{name}` | `{path}` | {pattern.about} | {asks(pattern)} |")
    return "\n".join(lines)


def filters() -> str:
    """The filters with what they look for."""
    lines = ["| filter | of | leaves out | looks for |", "|---|---|---|---|"]
    for name, each in FILTERS.items():
        about = " ".join((each.test.__doc__ or "").split())
        terms = "; ".join(f"{place}: {listed(wanted)}" for place, wanted in each.terms.items())
        of = "subjects" if each.of_subjects else "all"
        only = f"; only {listed(each.languages)}" if each.languages else ""
        lines.append(f"| `{name}` | {of}{only} | {about} | {terms or 'values'} |")
    return "\n".join(lines)


PLACES = {"patterns.md": ("patterns", patterns), "mining.md": ("filters", filters)}


def page(name: str) -> str:
    """A page with its table made anew."""
    mark, make = PLACES[name]
    text = (DOCS / name).read_text(encoding="utf-8")
    return re.sub(MARKED.format(mark), lambda found: found[1] + make() + found[2], text, flags=re.S)


if __name__ == "__main__":
    for each in PLACES:
        (DOCS / each).write_text(page(each), encoding="utf-8")
