"""The page of the Python interface: `python -m tests.api_reference > docs/api.md`."""

import inspect
import json
import re
import sys
from dataclasses import fields, is_dataclass
from functools import cached_property
from textwrap import dedent

import colorless_green as cg
from colorless_green.data.result import Result

INTRODUCTION = """# The Python interface, name by name

Made from signatures and docstrings; a test holds it to that. [python.md](python.md) is the guide.
"""


def reference() -> str:
    """The whole page: functions, then the classes of what they return."""
    names = sorted(cg.__all__)
    functions = [name for name in names if inspect.isfunction(getattr(cg, name))]
    classes = [name for name in names if inspect.isclass(getattr(cg, name))]
    parts = [INTRODUCTION, *map(function, functions), *map(described, classes)]
    return "\n".join(parts)


def function(name: str) -> str:
    """One function: its call, and its docstring as it stands."""
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


def described(name: str) -> str:
    """One class: what it is, and its public attributes and methods with their first sentences."""
    found = getattr(cg, name)
    own = {each: value for kind in reversed(found.__mro__) for each, value in vars(kind).items()}
    of_result = set(vars(Result)) if issubclass(found, Result) and found is not Result else set()
    inherited = {each.name for each in fields(Result)} if of_result else set()
    lines = [
        f"- `.{each.name}`: {_type(each.type)}"
        for each in (fields(found) if is_dataclass(found) else ())
        if each.name not in inherited and not each.name.startswith("_")
    ]
    for each in sorted(own):
        value = inspect.getattr_static(found, each)
        is_method = inspect.isfunction(value)
        is_shown = is_method or isinstance(value, property | cached_property)
        if each.startswith("_") or each in of_result or not is_shown:
            continue
        doc = inspect.getdoc(getattr(found, each)) or ""
        first = " ".join(doc.partition("\n\n")[0].split())
        lines.append(f"- `.{each}{'()' if is_method else ''}`: {first}")
    head = f"## {name}\n\n{dedent(inspect.getdoc(found) or '').strip()}\n"
    if of_result:
        lines.append("- and all of a `Result`")
    return head + ("\n" + "\n".join(lines) + "\n" if lines else "")


def _type(found: object) -> str:
    """A type as code has it, without its module."""
    name = found if isinstance(found, str) else getattr(found, "__name__", str(found))
    if not isinstance(found, str | type):
        name = str(found)
    return re.sub(r"\b[\w.]+\.(?=\w)", "", name)


if __name__ == "__main__":
    sys.stdout.write(reference())
