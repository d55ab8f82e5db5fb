"""Look up by name what is registered: rules, formats, backends; and messages about names.

A table maps names to objects. An object that needs a heavy package is entered as a string
`.module:attribute`, relative to this package, and imported when it is first used. Other
distributions (plug-ins) add entries through the entry point group of the table
(`colorless_green.rules`, `.formats`, `.backends`).
"""

import sys
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from fnmatch import fnmatchcase
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from .errors import InputError
from .shell import resource

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

PACKAGE = __name__.removesuffix(".data.registry")
T = TypeVar("T")
Names: TypeAlias = str | Iterable[str] | None
"""One name, several, or none, as a caller from Python may give them"""


def listed(names: Names) -> tuple[str, ...]:
    """Return one name, several names or none as a tuple of names.

    >>> listed("L__NOUN*"), listed(["Number", "Gender"]), listed(None)
    (('L__NOUN*',), ('Number', 'Gender'), ())
    """
    return () if names is None else (names,) if isinstance(names, str) else tuple(names)


N_LISTED = 40  # names that a message lists; of more names it tells only the number


def look_up(table: Mapping[str, T], name: str, location: str) -> T:
    """Return the entry of a table called `name`.

    Raises `InputError`, at `location`, with the most similar name and all names if there is none.
    """
    if name in table:
        return table[name]
    right = nearest(name, sorted(table))
    raise InputError(location, f"no such name {name!r}", right, kind="unknown")


def nearest(name: str, candidates: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: the most similar name, then all names.

    Args:
        name: the unknown name.
        candidates: the names that exist, in the order in which to list them.

    Returns:
        The text. Case is ignored; if no name is similar, it only lists all names.

    >>> nearest("Testd", ["released", "strict", "tested"])
    "did you mean 'tested'? one of released, strict, tested"
    >>> nearest("zebra", ["released", "strict", "tested"])
    'one of released, strict, tested'
    """
    names = list(dict.fromkeys(candidates))
    listing = f"one of {abridged(names, N_LISTED)}" if names else "there is none yet"
    return did_you_mean(name, names) + listing


def abridged(names: Iterable[str], limit: int) -> str:
    """Return a list of names as text: at most `limit` of them, and how many more there are.

    >>> abridged(["one", "two", "three"], 2)
    'one, two and 1 more'
    """
    every = list(names)
    more = f" and {len(every) - limit} more" if len(every) > limit else ""
    return ", ".join(every[:limit]) + more


def counted(n: int, noun: str) -> str:
    """Return a number with the noun that it counts, in singular or plural.

    >>> counted(1, "person"), counted(1_200, "person"), counted(0, "trial")
    ('1 person', '1,200 people', '0 trials')
    """
    return f"{n:,} {noun if n == 1 else 'people' if noun == 'person' else f'{noun}s'}"


def fits(name: str, pattern: str) -> bool:
    """Return whether a name fits a pattern, in which `*` is any text and `?` any character.

    Brackets stand for themselves, since names of constructions have them:
    `L__NOUN__VERB[Fin]__nsubj`.
    """
    return fnmatchcase(name, pattern.replace("[", "[[]"))


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    """Return the text `did you mean 'X'? `, where X is the candidate most similar to `name`.

    It is "" if no candidate is similar. A candidate in parts (`de_gsd/tested`) is also compared by
    its first part alone.
    """
    names = list(candidates)
    by_lower_case = {candidate.partition("/")[0].casefold(): candidate for candidate in names}
    by_lower_case |= {candidate.casefold(): candidate for candidate in names}
    similar = get_close_matches(name.casefold(), by_lower_case, n=1)
    return f"did you mean {by_lower_case[similar[0]]!r}? " if similar else ""


def load(table: Mapping[str, Any], name: str, location: str, group: str) -> Any:
    """Return the object called `name` in `table` or in the entry points of `group`, imported.

    Raises:
        InputError: the name is unknown, a package that it needs is not installed, or a plug-in
            cannot be imported.
    """
    if name not in table:  # only now, since finding plug-ins takes time
        found_plugins = plugins(group)
        if name in found_plugins:
            return _load_plugin(found_plugins[name], location)
        look_up({**found_plugins, **table}, name, location)  # raises: the name is in neither
    entry = table[name]
    if not isinstance(entry, str):
        return entry
    module, _, attribute = entry.partition(":")
    try:
        return getattr(import_module(module, PACKAGE), attribute)
    except ModuleNotFoundError as error:
        raise InputError(
            location,
            f"needs the Python package {error.name!r}, which is not installed",
            EXTRAS.get((error.name or "").partition(".")[0], "pip install 'colorless-green[all]'"),
            kind="dependency",
        ) from error


def _load_plugin(plugin: "EntryPoint", location: str) -> Any:
    """Return the object that a plug-in registers. Raises `InputError` if it cannot be imported."""
    distribution = plugin.dist.name if plugin.dist else plugin.module
    wrong = f"the plug-in {plugin.name!r} of {distribution} cannot be loaded"
    try:
        return plugin.load()
    except ModuleNotFoundError as error:
        wrong = f"the plug-in {plugin.name!r} of {distribution} needs the Python package "
        wrong += f"{error.name!r}, which is not installed"
        raise InputError(location, wrong, "install that package", kind="dependency") from error
    except Exception as error:  # importing a plug-in can raise anything
        wrong += f" ({type(error).__name__}: {error})"
        right = f"a version of {distribution} for this version of colorless"
        raise InputError(location, wrong, right, kind="dependency") from error


def plugin_file(table: Mapping[str, Any], name: str, location: str, group: str) -> tuple[Path, ...]:
    """Return the file of the plug-in that registers `name`, as a tuple of one path.

    The tuple is empty for a name that `table` has, and for a plug-in without a file.
    """
    if name in table or name not in (found_plugins := plugins(group)):
        return ()
    _load_plugin(found_plugins[name], location)
    file = sys.modules[found_plugins[name].module].__file__
    return (Path(file),) if file else ()


def plugins(group: str) -> "dict[str, EntryPoint]":
    """Return the entry points that other distributions register in a group, by name.

    Finding them takes a tenth of a short command's time.
    """
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in entry_points(group=group)}


_PACKAGES = [line.split("\t") for line in resource(__package__, "packages.tsv").splitlines()[1:]]
EXTRAS = {
    package: f"pip install 'colorless-green[{extra}]'" for package, extra, _ in _PACKAGES if extra
}
"""A package that the base install lacks → the command that installs it"""
PURPOSES = {package: purpose for package, _, purpose in _PACKAGES if purpose}
"""A package that some commands need → its purpose"""
