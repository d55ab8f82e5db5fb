"""The reference pages of the site, made from the code: `python docs/reference.py {cli,api,tables}`
prints one, and `mkdocs.yml` names this file, so that `make docs` adds all of them."""

import inspect
import json
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import fields, is_dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from typer.testing import CliRunner

import colorless_green as cg
from colorless_green import cli
from colorless_green.data.result import Result
from colorless_green.miner import FILTERS, built_in
from colorless_green.nonce import (
    BASELINES,
    FINDINGS,
    THRESHOLDS,
    realiser,
    realiser_languages,
)

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

VERBS = (*((verb,) for verb in cli.VERBS), *(("humans", verb) for verb in cli.HUMANS_VERBS))
FAMILIES = {
    "leak": "Leaks: what before the target tells its value",
    "form": "Flags of the forms",
    "parse": "Flags of the place (also marked `ambiguous`)",
    "fault": "Flags of the sentence",
    "note": "Other flags",
}


def on_files(files: "Files", config: "MkDocsConfig") -> "Files":
    """MkDocs calls this: adds the pages to those of the folder."""
    from mkdocs.structure.files import File

    for name, make in PAGES.items():
        files.append(File.generated(config, f"{name}.md", content=make()))
    return files


def command_line() -> str:
    """Return the page with the help of every verb."""
    parts = [
        "# The command line\n\nThis is what `colorless VERB --help` prints. Results go to stdout "
        "(a table, or JSON lines with `--json`), everything else to stderr. Exit codes: 0 done; 1 "
        "done, but what was asked for was not found; 2 wrong usage or input; 130 interrupted. An "
        "error is one line: `place: what is wrong; what would be right`.\n"
    ]
    asked: dict[str, Any] = {"prog_name": "colorless", "terminal_width": 90}
    for verb in ((), *VERBS):
        shown = CliRunner().invoke(cli.app, [*verb, "--help"], **asked).stdout.strip("\n")
        lines = "\n".join(line.rstrip() for line in shown.split("\n"))
        parts.append(f"## {' '.join(('colorless', *verb))}\n\n```text\n{lines}\n```\n")
    return "\n".join(parts)


def interface() -> str:
    """Every public name of the package: functions, then the classes of what they return."""
    names = sorted(cg.__all__)
    functions = [name for name in names if inspect.isfunction(getattr(cg, name))]
    classes = [name for name in names if inspect.isclass(getattr(cg, name))]
    head = (
        "# The Python interface\n\nThis is what `help(cg.NAME)` says. The guide is "
        "[Scoring, in Python](scoring.md#in-python).\n"
    )
    return "\n".join([head, *map(_function, functions), *map(_class, classes)])


def tables() -> str:
    """Return the page of the package's tables: filters, patterns, flags, baselines, thresholds."""
    parts = ["# Tables\n\nThe package's own tables, as the code has them.\n", "## Filters\n"]
    parts.append(_table(("filter", "of", "leaves out"), _filters()))
    parts += ["## Patterns\n", _table(("name", "path", "what it is", "only"), _patterns())]
    parts.append(
        "## Flags and leaks\n\n† mostly settled where whole sentences are scored; ‡ left out at "
        "every level. *Read in*: languages in which a person has read originals with the flag.\n"
    )
    for family, title in FAMILIES.items():
        rows = [
            (
                f"`{each.name}`" + " †" * each.settled_later + " ‡" * each.undecidable,
                each.meaning,
                each.example,
                ", ".join(each.languages.split()),
            )
            for each in FINDINGS.values()
            if each.family == family
        ]
        parts += [f"### {title}\n", _table(("name", "meaning", "example", "read in"), rows)]
    marks = {True: "yes", False: "no"}
    parts += [
        "## Baselines of the audit\n",
        _table(
            ("name", "guesses", "learns", "finds the cue by construction"),
            (
                (f"`{name}`", each.guess, marks[each.keys is not None], marks[each.finds_cue])
                for name, each in BASELINES.items()
            ),
        ),
        "## Thresholds of composed sets\n",
        _table(
            ("name", "value", "what"),
            ((f"`{each.name}`", f"{each.value:g}", each.reason) for each in THRESHOLDS),
        ),
        "## Spelling of new words, by language\n",
        _table(
            ("language", "what its file knows"),
            ((f"`{code}`", realiser(code).rules.about) for code in realiser_languages()),
        ),
    ]
    return "\n".join(parts)


PAGES = {"cli": command_line, "api": interface, "tables": tables}


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _filters() -> Iterable[Sequence[str]]:
    for name, each in FILTERS.items():
        only = f"; only {', '.join(sorted(each.languages))}" if each.languages else ""
        about = " ".join((each.condition.__doc__ or "").split()).removeprefix("Find ")
        yield f"`{name}`", ("subjects" if each.of_subjects else "all") + only, about


def _patterns() -> Iterable[Sequence[str]]:
    for name, pattern in built_in().items():
        steps = (
            ("<" if each.up else ">") + ("\\|".join(sorted(each.relations)) or "*")
            for each in pattern.path
        )
        path = f"`{' '.join(steps)}`"
        yield f"`{name}`", path, pattern.about, ", ".join(sorted(pattern.languages))


def _function(name: str) -> str:
    found = getattr(cg, name)
    arguments = ",\n    ".join(map(_argument, inspect.signature(found).parameters.values()))
    doc = inspect.getdoc(found) or ""
    return f"## {name}\n\n```python\ncg.{name}(\n    {arguments},\n)\n```\n\n```text\n{doc}\n```\n"


def _argument(parameter: inspect.Parameter) -> str:
    default = parameter.default
    if default is inspect.Parameter.empty:
        return parameter.name
    shown = default.__name__ if callable(default) else repr(default)
    if " at 0x" in shown:
        shown = f"{type(default).__name__}()"
    if isinstance(default, str):
        shown = json.dumps(default)
    return f"{parameter.name}={shown}"


def _class(name: str) -> str:
    """Return a class's description, and its public attributes and methods with their first
    sentences."""
    found = getattr(cg, name)
    own = {each: value for kind in reversed(found.__mro__) for each, value in vars(kind).items()}
    of_result = set(vars(Result)) if issubclass(found, Result) and found is not Result else set()
    inherited = {each.name for each in fields(Result)} if of_result else set()
    doc, meanings = _meanings(inspect.getdoc(found) or "")
    lines = [
        f"- `.{each.name}` ({_type(each.type)}): {meanings.get(each.name, '')}".removesuffix(": ")
        for each in (fields(found) if is_dataclass(found) else ())
        if each.name not in inherited and not each.name.startswith("_")
    ]
    for each in sorted(own):
        value = inspect.getattr_static(found, each)
        is_method = inspect.isfunction(value)
        is_shown = is_method or isinstance(value, property | cached_property)
        if each.startswith("_") or each in of_result or not is_shown:
            continue
        about = inspect.getdoc(getattr(found, each)) or ""
        first = " ".join(about.partition("\n\n")[0].split())
        lines.append(f"- `.{each}{'()' if is_method else ''}`: {first}")
    head = f"## {name}\n\n```text\n{doc.strip()}\n```\n"
    if of_result:
        lines.append("- and all of a `Result`")
    return head + ("\n" + "\n".join(lines) + "\n" if lines else "")


def _meanings(doc: str) -> tuple[str, dict[str, str]]:
    """Return a class's docstring without its section on attributes, and attribute → meaning."""
    about, _, rest = doc.partition("Attributes:\n")
    section, _, more = rest.partition("\n\n")
    entries = re.split(r"^ {4}((?:\w+, )*\w+): ", f"\n{section}", flags=re.M)[1:]
    meanings = {
        name: " ".join(meaning.split())
        for names, meaning in zip(entries[::2], entries[1::2], strict=True)
        for name in names.split(", ")
    }
    return f"{about}{more}".strip(), meanings


def _type(found: object) -> str:
    """Return a type as code has it, without its module."""
    name = found if isinstance(found, str) else getattr(found, "__name__", str(found))
    if not isinstance(found, str | type):
        name = str(found)
    return re.sub(r"\b[\w.]+\.(?=\w)", "", name)


if __name__ == "__main__":
    print(PAGES[sys.argv[1]]())
