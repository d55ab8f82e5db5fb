"""Make a command, such as `colorless mine`, from a public function: its options from the signature,
its help from the docstring.

A keyword-only parameter becomes an option, a positional one an argument. The function gets only
what the user gave, so that defaults stand in its signature alone.
"""

import inspect
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from operator import getitem
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

import typer
from typer.core import TyperCommand
from typer.main import get_command_from_info
from typer.models import CommandInfo

from ..data.configuration import Configuration, configured
from ..data.errors import InputError
from ..data.store import DEFAULT_STORE, MEMORY_NAMES, Store
from . import console

PACKAGE = __package__.partition(".")[0]
SUPPLIED = ("progress", "write")  # parameters that the command line fills, not the user
POSITIONAL_OPTIONS = ("model", "out")  # options, although they are positional parameters in Python
TYPER_TYPES: Mapping[tuple[bool, frozenset[type]], tuple[Any, str]] = {
    # (may be repeated, types of one value) → type for Typer, name of a value in the help
    (False, frozenset({bool})): (bool, ""),
    (False, frozenset({int})): (int, "N"),
    (False, frozenset({float})): (float, "X"),
    (False, frozenset({str})): (str, "TEXT"),
    (False, frozenset({str, int})): (str, "TEXT"),
    (False, frozenset({str, Path})): (str, "PATH"),
    (True, frozenset({str})): (list[str], "TEXT"),
    (True, frozenset({str, Path})): (list[str], "PATH"),
    (True, frozenset({str, int})): (str, "N,N,..."),  # numbers with commas between them
}
ARGS_ENTRY = re.compile(r"^    (\w+): ", re.M)  # a parameter under `Args`
SECTION_HEADING = re.compile(r"^(\w+):\n", re.M)
SUMMARY = "Summary"  # key of a docstring's first paragraph, beside the headings of its sections


class Parameter(NamedTuple):
    """A parameter of a public function, as an option or argument of the command line."""

    name: str
    option: str  # as the user writes it; "" for an argument
    annotation: Any  # for Typer
    default: Any = None  # `inspect.Parameter.empty` if the user must give it
    record: Any = None  # the class of settings that the parameter takes, if it takes any


def _printing_option(
    name: str, annotation: Any, spellings: Sequence[str], help_text: str
) -> Parameter:
    """Return an option about printing; `spellings` are such as --quiet and -q."""
    metavar = None if annotation == (bool | None) else "FORM"
    option = typer.Option(
        *spellings, help=help_text, metavar=metavar, rich_help_panel="Printing", show_default=False
    )
    return Parameter(name, spellings[0], Annotated[annotation, option])


PRINTING = (  # options about printing, the same for every command
    _printing_option(
        "form",
        Literal["table", "csv", "tsv", "jsonl", "markdown", "latex"] | None,
        ["--as"],
        "table, csv, tsv, jsonl, markdown or latex [default: table]",
    ),
    _printing_option(
        "as_json", bool | None, ["--json"], "every row and column (same as --as jsonl)"
    ),
    _printing_option("quiet", bool | None, ["--quiet", "-q"], "no messages and no progress"),
)


class VerbCommand(TyperCommand):
    """A command such as `colorless mine`. Its help puts an option into the group that
    `rich_help_panel` names, by default Options."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; a request for help is answered first and ends the program. Typer
        would first load pydantic to convert options, which takes 0.1 s."""
        if not {*console.HELP}.isdisjoint(args):
            typer.echo(ctx.get_help(), color=ctx.color)
            ctx.exit()
        return super().parse_args(ctx, args)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then the groups of options in the order of their first options."""
        groups: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                panel = getattr(param, "rich_help_panel", None) or "Options"
                if param.param_type_name == "argument":
                    name, text = record
                    panel, record = "Arguments", (name.partition(" <")[0], text)  # without its type
                groups.setdefault(panel, []).append(record)
        for title, records in groups.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples."""
        lines = [line.strip() for line in (self.epilog or "").splitlines() if line.strip()]
        if lines:
            with formatter.section("Examples"):
                for line in lines:
                    formatter.write(f"{'':>{formatter.current_indent}}{line}\n")


def command(name: str, function_name: str) -> Any:
    """Make the command of this name, which calls the public function `function_name`."""
    function = getattr(import_module(PACKAGE), function_name)
    sections = sections_of(function)
    first_clause, *_ = re.split(r"[:;.\n]", sections[SUMMARY], maxsplit=1)
    parameters = list(parameters_of(function, sections.get("Args", "")))

    def run(form: Any, as_json: Any, quiet: Any, **given: Any) -> None:
        """Call the function with the options in `given`, and print its result."""
        task = "" if quiet else first_clause
        try:
            result = _call(function, parameters, given, task)
        except InputError as error:
            raise _with_options(error, parameters, given.get("set") or ()) from error
        has_next_step = not (quiet or as_json or form)
        next_commands = next_step(function_name, result, given) if has_next_step else ""
        console.show(
            _printed_part(result), form or "table", bool(as_json), bool(quiet), next_commands
        )

    # Typer reads options and help from the signature and the docstring of `run`, so both are set.
    all_parameters = [*parameters, *PRINTING]
    run.__signature__ = inspect.Signature([  # type: ignore[attr-defined]
        inspect.Parameter(
            entry.name, inspect.Parameter.KEYWORD_ONLY,
            annotation=entry.annotation, default=entry.default,
        )
        for entry in all_parameters
    ])  # fmt: skip
    run.__annotations__ = {entry.name: entry.annotation for entry in all_parameters}
    run.__doc__ = sections[SUMMARY]
    info = CommandInfo(name, cls=VerbCommand, callback=run, epilog=sections.get("Commands", ""))
    return get_command_from_info(info, pretty_exceptions_short=False, rich_markup_mode=None)


def sections_of(function: Callable[..., Any]) -> dict[str, str]:
    """Return heading → text for the sections of a function's docstring. The key `SUMMARY` has its
    first paragraph.

    >>> sections_of(command)[SUMMARY]
    'Make the command of this name, which calls the public function `function_name`.'
    """
    text = inspect.getdoc(function) or ""
    beginning, *parts = SECTION_HEADING.split(text)  # parts: heading, body, heading, body …
    sections = {
        title: body.partition("\n\n")[0]
        for title, body in zip(parts[::2], parts[1::2], strict=True)
    }
    return {SUMMARY: " ".join(beginning.partition("\n\n")[0].split()), **sections}


def parameters_of(function: Callable[..., Any], arguments: str) -> Iterable[Parameter]:
    """Yield the parameters of a function as options and arguments of the command line.

    Args:
        function: a public function.
        arguments: the section `Args` of its docstring.

    Raises:
        TypeError: for a parameter without an entry in `Args`, or of a type that cannot be given on
            a command line.
    """
    _, *parts = ARGS_ENTRY.split(f"\n{arguments}")  # parts: name, text, name, text …
    helps = {
        name: " ".join(text.replace("`", "").split()).rstrip(".")
        for name, text in zip(parts[::2], parts[1::2], strict=True)
    }
    for name, parameter in inspect.signature(function, eval_str=True).parameters.items():
        if name in SUPPLIED:
            continue
        if name not in helps:
            raise TypeError(f"{function.__name__}: no entry for {name} under Args")
        is_option = parameter.kind is parameter.KEYWORD_ONLY or (
            name in POSITIONAL_OPTIONS and parameter.default is not parameter.empty
        )
        yield from _for_typer(parameter, is_option, helps[name])


def _for_typer(parameter: inspect.Parameter, is_option: bool, text: str) -> Iterable[Parameter]:
    """Declare a parameter for Typer, with `text` as its help, and yield it. Yield nothing for one
    whose value only Python can give. If it takes a record of settings, also yield --set."""
    name, default = parameter.name, parameter.default
    values, is_repeatable, own_classes = _possible_values(parameter.annotation)
    if not values:
        return
    record = next((each for each in own_classes if issubclass(each, Configuration)), None)
    try:
        kind, metavar = _typer_type(values, is_repeatable)
    except KeyError:
        raise TypeError(f"the command line cannot say {name}: {parameter.annotation}") from None
    if own_classes and name != "store":
        kind, metavar = list[str] if record is not None else kind, "NAME|FILE"
    if name == "store":
        text += " [default: colorless.db]" if default is None else ""
    elif default not in (None, "", False, (), parameter.empty):
        text += f" [default: {default}]"
    settings: dict[str, Any] = {"help": text, "show_default": False}
    is_needed = default is parameter.empty  # the user must give it; else it may be None
    if not is_option:
        settings["metavar"] = name.rstrip("_").upper()
        typed: Any = Annotated[kind if is_needed else kind | None, typer.Argument(**settings)]
        yield Parameter(name, "", typed, parameter.empty if is_needed else None)
        return
    option = "-n" if name == "n" else "--" + name.rstrip("_").replace("_", "-")
    spelling = option
    if kind is bool:  # `bool | None` can be true, false or not given, and so needs two spellings
        spelling += f"/--no-{option[2:]}" if NoneType in get_args(parameter.annotation) else ""
    else:
        settings["metavar"] = metavar
    typed = Annotated[kind if is_needed else kind | None, typer.Option(spelling, **settings)]
    yield Parameter(name, option, typed, default if is_needed else None, record)
    if record is not None:
        yield _set_option(record.NOUN)


def _set_option(noun: str) -> Parameter:
    """Return the option --set, which changes a setting of a record; `noun` is the word for it."""
    text = f"change a setting of the {noun}; repeat for several (see: colorless show)"
    if noun == "settings":
        text = "change one of the settings; repeat for several (docs/people.md)"
    option = typer.Option("--set", metavar="KEY=VALUE", help=text, show_default=False)
    return Parameter("set", "--set", Annotated[list[str] | None, option])


def _typer_type(values: Iterable[Any], is_repeatable: bool) -> tuple[Any, str]:
    """Return the type that a parameter has for Typer, and the name of its value in the help.

    `values` are its simple types, or else the words of its Literal. Raises `KeyError` for types
    that a command line cannot give.
    """
    if words := tuple(sorted(value for value in values if not isinstance(value, type))):
        return getitem(Literal, words), "|".join(words)  # type checkers refuse `Literal[words]`
    return TYPER_TYPES[is_repeatable, frozenset(values)]


def _possible_values(annotation: Any) -> tuple[set[Any], bool, list[type]]:
    """Take the type of a parameter apart. Return three things: the simple types and the words of a
    Literal, which a command line can give; whether they may be repeated; and the classes of this
    package in it, which only Python can give."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _possible_values(get_args(annotation)[0])
    if origin is Literal:
        return set(get_args(annotation)), False, []
    if Any in get_args(annotation):  # an object that only a Python program has
        return set(), False, []
    if origin in (Union, UnionType):
        parts = [_possible_values(part) for part in get_args(annotation) if part is not NoneType]
        values = set().union(*(part_values for part_values, _, _ in parts))
        is_repeatable = any(part_is_repeatable for _, part_is_repeatable, _ in parts)
        return values, is_repeatable, [own for _, _, own_classes in parts for own in own_classes]
    if isinstance(origin, type) and issubclass(origin, Iterable):
        values, _, own_classes = _possible_values(get_args(annotation)[0])
        return values, True, own_classes
    if isinstance(annotation, type) and annotation.__module__.partition(".")[0] == PACKAGE:
        return set(), False, [annotation]
    return {annotation}, False, []


def _call(
    function: Callable[..., Any],
    parameters: Iterable[Parameter],
    given: Mapping[str, Any],
    task: str,
) -> Any:
    """Call a public function and return its result. Its arguments are the user's, and those that
    the command line adds. Progress is shown under the heading `task`; "" shows none."""
    accepted = inspect.signature(function).parameters
    values = {name: value for name, value in given.items() if value not in (None, [])}
    settings = values.pop("set", ())  # KEY=VALUE, for the record of settings that a parameter takes
    for entry in parameters:
        if entry.record is not None and (settings or entry.name in values):
            values[entry.name] = configured(entry.record, values.get(entry.name), settings)
    if "store" in accepted:
        values.setdefault("store", DEFAULT_STORE)
    if "write" in accepted:
        values["write"] = console.write
    with console.progress_bars("progress" in accepted and bool(task), task) as progress:
        return function(**values, **({"progress": progress} if "progress" in accepted else {}))


def _printed_part(result: Any) -> Any:
    """Return what is printed of a result. It is its account (rows and messages on how it was made),
    or else the result; a suite in the store adds a message with its number, name and size."""
    # the suite of a mining is its `originals`; other results with items are a suite themselves
    suite, account = getattr(result, "originals", result), getattr(result, "account", result)
    if getattr(suite, "kept", None) is None or not getattr(suite, "items", ()):
        return account
    numbered = f"@{suite.kept.id} {suite.name}: {len(suite.items):,} items"
    return replace(account, messages=[*account.messages, numbered])


def _with_options(
    error: InputError, parameters: Iterable[Parameter], settings: Iterable[str]
) -> InputError:
    """Return an error whose text has options, as the user writes them (`--out`), in place of the
    names of parameters and of settings. An error without such names is returned unchanged."""
    options = {each.name: each.option or each.name.rstrip("_").upper() for each in parameters}
    names = (setting.partition("=")[0].strip() for setting in settings)
    options |= {name: f"--set: {name}" for name in names}
    if error.location not in options and "\n" not in error.right:
        return error
    first, *others = error.right.split("\n")  # each further line is about another fault
    further = (line.partition(": ") for line in others)
    lines = [f"{options.get(name, name)}{colon}{rest}" for name, colon, rest in further]
    location = options.get(error.location, error.location)
    return InputError(location, error.wrong, "\n".join([first, *lines]), kind=error.kind)


NEXT_COMMAND = {  # function → the command to run next, whatever its result
    "score": "report", "compare": "report", "analyse": "report", "read_judgments": "compare",
}  # fmt: skip


def next_step(function: str, result: Any, given: Mapping[str, Any]) -> str:
    """Return one or two command lines that a user can run next; "" if there is none to suggest.

    Args:
        function: name of the public function that was called.
        result: what it returned.
        given: its arguments.

    >>> next_step("score", None, {"store": "my store.db"})
    "colorless report --store 'my store.db'"
    """
    store = str(given.get("store") or DEFAULT_STORE)
    row = dict(result.rows[0]) if getattr(result, "rows", None) else {}
    verbs = [NEXT_COMMAND[function]] if function in NEXT_COMMAND else []
    if function == "mine":
        verbs = ["nonce"] if len(result.originals.items) else ["compose"]
    elif function in ("make_nonce", "compose", "import_suites"):
        number = result.kept.id if getattr(result, "kept", None) else row.get("id")
        verbs = [f"show @{number}", *_scoring_commands(store, f"@{number}")] if number else []
    elif function == "audit":
        verbs = _scoring_commands(store, str(given.get("suite") or ""))
    elif function == "train":
        verbs = _scoring_commands(store, "")
    elif function == "fetch" and "UD_" in str(row.get("folder", "")):
        return f"colorless mine {shlex.quote(str(row['folder']))}"
    elif function == "parse" and given.get("out"):
        return f"colorless mine {shlex.quote(str(given['out']))}"
    if store in MEMORY_NAMES:
        return ""
    option = "" if store == DEFAULT_STORE else f" --store {shlex.quote(store)}"
    return "; ".join(f"colorless {verb}{option}" for verb in verbs)


def _scoring_commands(path: str, suite: str) -> list[str]:
    """Return the command that scores a suite ("" for the newest) in the store at `path`, or before
    a model is trained, `train ngram`. Return [] if the store has no suite, or nothing to train on.
    """
    if not Path(path).is_file():
        return []
    with Store(Path(path)) as store:
        if store.one("SELECT 1 FROM suite") is None:
            return []
        if store.one("SELECT 1 FROM trained") is None:
            return ["train ngram"] if store.one("SELECT 1 FROM treebank") else []
    return [f"score {shlex.quote(suite)}" if suite else "score"]
