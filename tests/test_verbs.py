"""Laws of all verbs: each is made from its public function alone, and helps."""

import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

import pytest

import colorless_green
from colorless_green import Result, cli, load_suite
from colorless_green.data.errors import InputError
from colorless_green.data.store import StoreLike
from colorless_green.verbs.command import command, parameters_of, sections_of
from tests.builders import colorless, whole_command

WHOLE = [(name,) for name in cli.VERBS] + [("humans", name) for name in cli.HUMANS_VERBS]
MOST = 12  # options of a verb, without those about printing
UNCOUNTED = {"--ray", "--as", "--json", "--quiet", "--help"}


def function_of(verb: tuple[str, ...]) -> Any:
    names = cli.HUMANS_VERBS if verb[0] == "humans" else cli.VERBS
    return getattr(colorless_green, names[verb[-1]])


def made(verb: tuple[str, ...]) -> Any:
    found: Any = whole_command()
    for name in verb:
        found = found.get_command(None, name)
    return found


@pytest.mark.parametrize("verb", WHOLE, ids=" ".join)
def test_every_parameter_has_an_entry_and_every_entry_is_a_parameter(verb: tuple[str, ...]) -> None:
    function = function_of(verb)
    sections = sections_of(function)
    entries = re.findall(r"^    (\w+): ", f"\n{sections['Args']}", re.M)
    assert entries == list(inspect.signature(function).parameters)
    names = {entry.name for entry in parameters_of(function, sections["Args"])}
    in_memory = {"people"} if verb != ("run",) else set()  # what only Python can give
    assert names - {"set"} == set(entries) - {"progress", "write", *in_memory}


@pytest.mark.parametrize("verb", WHOLE, ids=" ".join)
def test_a_verb_has_few_options_and_no_group_of_rare_ones(verb: tuple[str, ...]) -> None:
    options = [each for each in made(verb).params if each.param_type_name == "option"]
    counted = [each.opts[0] for each in options if each.opts[0] not in UNCOUNTED]
    assert len(counted) <= MOST, counted
    assert {each.rich_help_panel for each in options} == {None, "Printing"}


@pytest.mark.parametrize("verb", WHOLE, ids=" ".join)
def test_help_ends_with_two_examples_that_parse(verb: tuple[str, ...]) -> None:
    """Every option of an example is one of the verb."""
    help_text = colorless(*verb, "--help", cwd=Path.cwd()).stdout
    examples = [each.strip() for each in help_text.partition("Examples:\n")[2].splitlines() if each]
    assert len(examples) == 2
    known = {name for each in made(verb).params for name in (*each.opts, *each.secondary_opts)}
    for line in examples:
        assert line.startswith(" ".join(("colorless", *verb)))
        assert set(re.findall(r"(?<= )--?[a-z][\w-]*", line)) <= known


def plant(
    bed: str,
    seeds: str | int = "",
    *,
    n: int = 3,
    soil: Literal["sand", "clay"] = "clay",
    from_: str | Path | None = None,
    deep: bool = False,
    watered: bool | None = None,
    names: list[str] | None = None,
    store: StoreLike = None,
) -> Result:
    """Plant a bed: for the tests alone.

    Args:
        bed: where.
        seeds: which.
        n: how many.
        soil: what it
            grows in.
        from_: whence.
        deep: whether deep.
        watered: whether watered.
        names: of the plants.
        store: kept there.
    """
    if n < 1:
        raise InputError("n", f"{n} plants", "1 or more", kind="value")
    if from_:
        raise InputError("from_", "far", "near", kind="value")
    return Result([{"given": repr((bed, seeds, n, soil, deep, watered, names))}], ("given",))


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        ("east", "('east', '', 3, 'clay', False, None, None)"),
        ("east 7 -n 5 --soil sand --deep", "('east', '7', 5, 'sand', True, None, None)"),
        ("east --watered --names a --names b", "('east', '', 3, 'clay', False, True, ['a', 'b'])"),
        ("east --no-watered", "('east', '', 3, 'clay', False, False, None)"),
    ],
)
def test_only_what_was_given_is_handed_over(
    line: str, printed: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(colorless_green, "plant", plant, raising=False)
    command("plant", "plant").main(line.split(), standalone_mode=False)
    assert printed in capsys.readouterr().out


@pytest.mark.parametrize(("line", "location"), [("-n 0", "-n"), ("--from x", "--from")])
def test_a_mistake_about_a_parameter_is_told_of_the_option(
    line: str, location: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(colorless_green, "plant", plant, raising=False)
    with pytest.raises(InputError) as caught:
        command("plant", "plant").main(["east", *line.split()], standalone_mode=False)
    assert caught.value.location == location


def test_what_a_command_line_cannot_say_is_refused_when_the_verb_is_made() -> None:
    def planted(bed: complex) -> None:
        """Plant."""

    with pytest.raises(TypeError):
        list(parameters_of(planted, "    bed: where."))
    with pytest.raises(TypeError):
        list(parameters_of(load_suite, ""))


@pytest.mark.slow
@pytest.mark.parametrize("verb", WHOLE, ids=" ".join)
def test_no_help_of_a_verb_loads_torch(verb: tuple[str, ...]) -> None:
    assert loaded_by((*verb, "--help")).isdisjoint({"torch", "transformers", "matplotlib"})


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


def loaded_by(words: tuple[str, ...]) -> set[str]:
    """Return the modules that a command line loads."""
    code = (
        "import atexit, sys\n"
        "atexit.register(lambda: print(*sys.modules, file=sys.stderr))\n"
        "from colorless_green import cli\n"
        "sys.argv[1:] = sys.argv[1].split()\n"
        "cli.main()\n"
    )
    command_line = [sys.executable, "-c", code, " ".join(words)]
    done = subprocess.run(command_line, capture_output=True, text=True, check=True)
    assert "Usage: colorless" in done.stdout
    return set(done.stderr.split())


@pytest.mark.parametrize("verb", [(), ("humans",)], ids=" ".join)
def test_help_loads_nothing_heavy(verb: tuple[str, ...]) -> None:
    """What keeps `--help` under 0.2 seconds."""
    heavy = {"pydantic", "numpy", "polars", "torch", "rich", "httpx2", "langcodes"}
    assert loaded_by((*verb, "--help")).isdisjoint(heavy)


def test_the_whole_command_helps_and_names_every_verb() -> None:
    text = colorless("--help", cwd=Path.cwd()).stdout
    assert all(re.search(rf"^  {name}\b", text, re.M) for name in cli.VERBS)
