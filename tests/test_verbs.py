"""Laws of all verbs: each only declares the options of its public function, and helps."""

import inspect
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import typer

import colorless_green
from colorless_green import cli
from tests.builders import colorless, whole_command

WHOLE = [(name,) for name in cli.VERBS] + [("humans", name) for name in cli.HUMANS_VERBS]
MOST = 12  # options outside the advanced groups


def command(verb: tuple[str, ...]) -> Any:
    found: Any = whole_command()
    for name in verb:
        found = found.commands[name]
    return found


def function_of(verb: tuple[str, ...]) -> tuple[Callable[..., Any], dict[str, Any], set[str]]:
    """The function that a verb calls, the defaults of its options, and what else it hands over."""
    callback = (cli.HUMANS_VERBS if verb[0] == "humans" else cli.VERBS)[verb[-1]]
    declared = inspect.signature(callback).parameters
    function = callback(**dict.fromkeys(declared))
    more = set(function.keywords) if isinstance(function, partial) else set[str]()
    function = function.func if isinstance(function, partial) else function
    empty = inspect.Parameter.empty
    return function, {n: e.default for n, e in declared.items() if e.default is not empty}, more


@pytest.mark.parametrize("verb", WHOLE, ids=" ".join)
def test_a_verb_declares_options_of_its_function_with_the_same_defaults(
    verb: tuple[str, ...],
) -> None:
    function, defaults, more = function_of(verb)
    known = inspect.signature(function).parameters
    assert set(defaults) | more <= set(known)
    differing = {
        name: (value, known[name].default)
        for name, value in defaults.items()
        if name != "store"
        and (value or None) != (known[name].default or None)
        and str(value) != str(known[name].default)
    }
    assert differing == {}


@pytest.mark.parametrize("verb", WHOLE, ids=" ".join)
def test_every_option_of_a_public_function_is_one_of_its_verb(verb: tuple[str, ...]) -> None:
    """But what only a caller from Python has: clocks, servers, where lines go."""
    function, _, more = function_of(verb)
    callback = (cli.HUMANS_VERBS if verb[0] == "humans" else cli.VERBS)[verb[-1]]
    own = set(inspect.signature(callback).parameters) | more
    from_python = {"progress", "now", "wire", "people", "simulated", "hashed", "announce", "run"}
    assert set(inspect.signature(function).parameters) - own <= from_python


@pytest.mark.parametrize("verb", WHOLE, ids=" ".join)
def test_few_options_stand_outside_the_advanced_groups(verb: tuple[str, ...]) -> None:
    usual = [
        each.name
        for each in command(verb).params
        if each.param_type_name == "option"
        and not (each.rich_help_panel or "").startswith("Advanced")
    ]
    assert len(usual) <= MOST, usual


@pytest.mark.parametrize("verb", WHOLE, ids=" ".join)
def test_defaults_texts_and_paths_are_converted_as_typer_does(verb: tuple[str, ...]) -> None:
    declared = command(verb)
    context = declared.context_class(declared)
    for param in declared.get_params(context):
        one, by_typer = param.process_value, type(param).process_value
        kind = str(param.type_descriptor.annotation)
        values: list[Any] = [] if param.required else [param.default]
        if "str" in kind or "Path" in kind:
            values += [["a", "b/c", ""], [__file__]] if "list" in kind else ["a", "", "-", __file__]
        for value in values:
            ours, typers = one(context, value), by_typer(param, context, value)
            assert (ours or None) == (typers or None), (param.name, value)
            assert type(ours or None) is type(typers or None), (param.name, value)


@pytest.mark.parametrize("verb", WHOLE, ids=" ".join)
def test_help_ends_with_two_examples_that_parse(verb: tuple[str, ...]) -> None:
    """Every option of an example is one of the verb."""
    help_text = colorless(*verb, "--help", cwd=Path.cwd()).stdout
    examples = [each.strip() for each in help_text.partition("Examples:\n")[2].splitlines() if each]
    assert len(examples) == 2
    known = {name for each in command(verb).params for name in (*each.opts, *each.secondary_opts)}
    for line in examples:
        assert line.startswith(" ".join(("colorless", *verb)))
        assert set(re.findall(r"(?<= )--?[a-z][\w-]*", line)) <= known


def test_no_public_name_is_a_sub_package_and_every_function_has_an_example() -> None:
    names = set(colorless_green.__all__)
    assert not names & {"data", "miner", "nonce", "scoring", "humans", "verbs", "cli"}
    for name in sorted(names):
        found = getattr(colorless_green, name)
        if inspect.isfunction(found):
            doc = inspect.getdoc(found) or ""
            needed = {"Returns:", "Raises:"} | (
                {"Args:"} if inspect.signature(found).parameters else set()
            )
            assert needed <= set(re.findall(r"^\w+:", doc, re.M)), name
            assert ">>>" in doc, name


@pytest.mark.parametrize("verb", [(), ("humans",), ("mine",), ("humans", "design")], ids=" ".join)
def test_help_loads_nothing_heavy(verb: tuple[str, ...]) -> None:
    """What keeps `--help` under 0.3 seconds."""
    code = (
        "import atexit, sys\n"
        "heavy = {'pydantic', 'numpy', 'polars', 'torch', 'rich', 'httpx2', 'langcodes'}\n"
        "atexit.register(lambda: print(sorted(heavy & set(sys.modules)), file=sys.stderr))\n"
        "from colorless_green import cli\n"
        "sys.argv[1:] = sys.argv[1].split()\n"
        "cli.main()\n"
    )
    line = " ".join((*verb, "--help"))
    done = subprocess.run([sys.executable, "-c", code, line], capture_output=True, text=True)
    assert (done.returncode, done.stderr.strip()) == (0, "[]")
    assert "Usage: colorless" in done.stdout


def test_the_whole_command_helps_quickly_and_names_every_verb() -> None:
    shown = colorless("--help", cwd=Path.cwd()).stdout
    assert all(re.search(rf"^  {name}\b", shown, re.M) for name in cli.VERBS)
    assert isinstance(cli.app, typer.Typer)
