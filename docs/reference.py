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
    """Add the pages to those of the folder, when MkDocs calls this by its name."""
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
    settings: dict[str, Any] = {"prog_name": "colorless", "terminal_width": 90}
    for verb in ((), *VERBS):  # (): the help of the command itself
        printed = CliRunner().invoke(cli.app, [*verb, "--help"], **settings).stdout.strip("\n")
        lines = "\n".join(line.rstrip() for line in printed.split("\n"))
        parts.append(f"## {' '.join(('colorless', *verb))}\n\n```text\n{lines}\n```\n")
    return "\n".join(parts)


def interface() -> str:
    """Return the page of the package's public names: functions, then the classes that these take
    and return."""
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
                f"`{flag.name}`"
                + (" †" if flag.settled_later else "")
                + (" ‡" if flag.undecidable else ""),
                flag.meaning,
                flag.example,
                ", ".join(flag.languages.split()),
            )
            for flag in FINDINGS.values()
            if flag.family == family
        ]
        parts += [f"### {title}\n", _table(("name", "meaning", "example", "read in"), rows)]
    parts += [
        "## Baselines of the audit\n",
        _table(
            ("name", "guesses", "learns", "finds the cue by construction"),
            (
                (f"`{name}`", rule.guess, _yes_no(rule.keys is not None), _yes_no(rule.finds_cue))
                for name, rule in BASELINES.items()
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


def _yes_no(value: bool) -> str:
    """Return `yes` or `no`."""
    return "yes" if value else "no"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _filters() -> Iterable[Sequence[str]]:
    """Yield a row for each filter of instances: name, constructions and languages that it is for,
    and what it leaves out."""
    for name, rule in FILTERS.items():
        languages = f"; only {', '.join(sorted(rule.languages))}" if rule.languages else ""
        about = " ".join((rule.condition.__doc__ or "").split()).removeprefix("Find ")
        yield f"`{name}`", ("subjects" if rule.of_subjects else "all") + languages, about


def _patterns() -> Iterable[Sequence[str]]:
    """Yield a row for each pattern: name, path through the tree (`<` up to the head, `>` down),
    description, languages."""
    for name, pattern in built_in().items():
        steps = (
            ("<" if step.up else ">") + ("\\|".join(sorted(step.relations)) or "*")
            for step in pattern.path
        )
        path = f"`{' '.join(steps)}`"
        yield f"`{name}`", path, pattern.about, ", ".join(sorted(pattern.languages))


def _function(name: str) -> str:
    """Return a function's section: its call with all defaults, and its docstring."""
    function = getattr(cg, name)
    arguments = ",\n    ".join(map(_argument, inspect.signature(function).parameters.values()))
    doc = inspect.getdoc(function) or ""
    return f"## {name}\n\n```python\ncg.{name}(\n    {arguments},\n)\n```\n\n```text\n{doc}\n```\n"


def _argument(parameter: inspect.Parameter) -> str:
    """Return a parameter as `name=default`, or as its name if it has no default."""
    default = parameter.default
    if default is inspect.Parameter.empty:
        return parameter.name
    shown = default.__name__ if callable(default) else repr(default)
    if " at 0x" in shown:  # an address in memory, which differs from run to run
        shown = f"{type(default).__name__}()"
    if isinstance(default, str):
        shown = json.dumps(default)  # with double quotes
    return f"{parameter.name}={shown}"


def _class(name: str) -> str:
    """Return a class's section: its docstring, and its public attributes and methods, each with the
    first paragraph about it."""
    described = getattr(cg, name)
    is_result = issubclass(described, Result) and described is not Result
    # what every `Result` has is described once, under `Result`
    of_result = {*vars(Result), *(field.name for field in fields(Result))} if is_result else set()
    doc, meanings = _meanings(inspect.getdoc(described) or "")
    lines = [
        f"- `.{field.name}` ({_type(field.type)}): {meanings.get(field.name, '')}"
        .removesuffix(": ")
        for field in (fields(described) if is_dataclass(described) else ())
        if field.name not in of_result and not field.name.startswith("_")
    ]  # fmt: skip
    members = {member for base in described.__mro__ for member in vars(base)}
    for member in sorted(members - of_result):
        value = inspect.getattr_static(described, member)
        is_method = inspect.isfunction(value)
        is_described = is_method or isinstance(value, property | cached_property)
        if member.startswith("_") or not is_described:
            continue
        first_paragraph, _, _ = (inspect.getdoc(getattr(described, member)) or "").partition("\n\n")
        about = " ".join(first_paragraph.split())
        lines.append(f"- `.{member}{'()' if is_method else ''}`: {about}")
    head = f"## {name}\n\n```text\n{doc.strip()}\n```\n"
    if is_result:
        lines.append("- and all of a `Result`")
    return head + ("\n" + "\n".join(lines) + "\n" if lines else "")


def _meanings(doc: str) -> tuple[str, dict[str, str]]:
    """Return a class's docstring without its section on attributes, and attribute → meaning."""
    about, _, rest = doc.partition("Attributes:\n")
    section, _, more = rest.partition("\n\n")
    # what is before the first name, then names and meanings in turn
    _, *entries = re.split(r"^ {4}((?:\w+, )*\w+): ", f"\n{section}", flags=re.M)
    meanings = {
        name: " ".join(meaning.split())
        for names, meaning in zip(entries[::2], entries[1::2], strict=True)
        for name in names.split(", ")
    }
    return f"{about}{more}".strip(), meanings


def _type(annotation: object) -> str:
    """Return a type as code has it, without its module."""
    name = annotation.__name__ if isinstance(annotation, type) else str(annotation)
    return re.sub(r"\b[\w.]+\.(?=\w)", "", name)


if __name__ == "__main__":
    print(PAGES[sys.argv[1]]())
