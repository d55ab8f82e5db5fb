"""File formats of suites. Each module defines a `FORMAT`, a record of functions to read and write.

All other rooms use `read_suite` and `write_suite`, which choose the format.
"""

from dataclasses import replace
from pathlib import Path

import polars as pl

from ..errors import InputError
from ..files import manifest_facts, read_manifest
from ..items.suite import Suite
from ..registry import abridged, load, nearest
from .detect import ENDINGS, format_to_read, suites_in
from .format import Format, benchmark_files, manifest_value
from .licences import demand_licences

FORMATS = {  # name → the module's record, imported when it is first used
    "blimp": ".data.formats.blimp:FORMAT",
    "clams": ".data.formats.clams:FORMAT",
    "gold": ".data.formats.aligned:GOLD",
    "harness": ".data.formats.harness:FORMAT",
    "huggingface": ".data.formats.huggingface:FORMAT",
    "jsonl": ".data.formats.jsonl:FORMAT",
    "linzen2016": ".data.formats.aligned:LINZEN",
    "marvin_linzen": ".data.formats.marvin_linzen:FORMAT",
    "multiblimp": ".data.formats.multiblimp:FORMAT",
    "pair_table": ".data.formats.pair_table:FORMAT",
    "reflexives": ".data.formats.reflexives:FORMAT",
    "syntaxgym": ".data.formats.syntaxgym:FORMAT",
    "syntaxgym_csv": ".data.formats.syntaxgym_csv:FORMAT",
    "tab": ".data.formats.tab:FORMAT",
}
GROUP = "colorless_green.formats"


def read_suite(path: Path, format_name: str = "") -> Suite:
    """Read a suite from a file or folder.

    Args:
        path: the file or folder; files that end in `.gz` are unpacked.
        format_name: a key of `FORMATS`, or a format of another distribution; "": the format is
            recognised by the content, or else by the ending.

    Returns:
        The suite, with the name that the file gives it, or else the path's.

    Raises:
        InputError: the format is unknown or cannot be recognised, the content does not fit it, or
            the folder holds several suites.

    >>> _ = Path("pairs.csv").write_text("good,bad\\nThe keys are old.,The keys is old.\\n")
    >>> read_suite(Path("pairs.csv"))
    pairs: 1 item
    kind: suite
    right: The keys are old.
    wrong: The keys is old.
    """
    suites = read_suites(path, format_name)
    if len(suites) > 1:
        names = abridged((suite.name for suite in suites), 5)
        wrong = f"a folder of {len(suites)} suites ({names}), but one is needed"
        right = f"one of its files, or colorless import {path}, then one of these names"
        raise InputError(str(path), wrong, right, kind="conflict")
    return suites[0]


def read_suites(path: Path, format_name: str = "") -> tuple[Suite, ...]:
    """Read all suites of a file or folder.

    In a folder of SyntaxGym's JSON or CSV, of tables of pairs, or of our JSON lines, each file is a
    suite. A benchmark has a suite for each language; so has a folder of another tool (CLAMS) with
    items in several languages. Anything else is one suite.

    Args:
        path: as for `read_suite`.
        format_name: as for `read_suite`.

    Returns:
        The suites in the order of their files' names; no two have the same name.

    Raises:
        InputError: as for `read_suite`, and if two files have suites of the same name.

    >>> Path("suites").mkdir()
    >>> for name in ("gender", "number"):
    ...     _ = Path("suites", f"{name}.csv").write_text("good,bad\\nKeys are old.,Keys is old.\\n")
    >>> [suite.name for suite in read_suites(Path("suites"))]
    ['gender', 'number']
    """
    if languages := benchmark_files(path):
        for code in languages:
            read_manifest(path / code)  # raises an error if a file was changed
        return tuple(
            replace(read_suite(file, "jsonl"), name=code) for code, file in languages.items()
        )
    files = suites_in(path)
    if not files:
        suite = format_named(format_name).read(path)
        return _split_by_language(_add_fetched_facts(suite, path), path)
    suites: dict[str, Suite] = {}
    for file in files:
        suite = read_suite(file, format_name)
        if suite.name in suites:
            wrong = f"another file of its folder is a suite called {suite.name!r} too"
            raise InputError(str(file), wrong, "a name of its own for each", kind="conflict")
        suites[suite.name] = suite
    return tuple(suites.values())


def _add_fetched_facts(suite: Suite, path: Path) -> Suite:
    """Fill gaps of a suite from the manifest of the folder that `fetch` made for it.

    Return a suite in which items without a language have the manifest's language, source and
    licence. If the suite was named after a folder that is called like the version, it has the name
    of the published set. A suite that was not fetched is returned unchanged.
    """
    manifest = manifest_facts(path if path.is_dir() else path.parent)
    if "retrieved" not in manifest:  # a key that only `fetch` writes
        return suite
    language, name = str(manifest.get("language") or ""), str(manifest.get("name") or "")
    origin = {"language": language, "source": name, "licence": str(manifest.get("licence") or "")}
    table = suite.table
    is_unknown = table.frame["language"] == "und"
    if language and is_unknown.any():
        columns = {}
        for key, value in origin.items():
            texts = table.frame[key].cast(pl.String)
            filled = pl.select(pl.when(is_unknown).then(pl.lit(value)).otherwise(texts)).to_series()
            columns[key] = filled.cast(table.frame[key].dtype)
        suite = replace(suite, items=table.changed(table.sentences, **columns))
    return replace(suite, name=name) if suite.name == manifest.get("version") else suite


def _split_by_language(suite: Suite, path: Path) -> tuple[Suite, ...]:
    """Split a suite that was read from another tool's folder into a suite for each language.

    Any other suite, and one of a single language, is returned alone and unchanged.
    """
    is_of_another_tool = path.is_dir() and not manifest_value(path, "format")
    if not is_of_another_tool or not suite.items:
        return (suite,)
    languages = suite.table.frame["language"].fill_null("")
    codes = sorted(languages.unique())
    if len(codes) == 1:
        return (suite,)
    return tuple(
        replace(
            suite,
            name=f"{suite.name}/{code or 'und'}",
            items=suite.table.take((languages == code).arg_true().to_numpy()),
        )
        for code in codes
    )


def write_suite(
    suite: Suite,
    path: Path,
    format_name: str = "",
    *,
    vocabulary: frozenset[str] | None = None,
    licence_ok: bool = False,
) -> None:
    """Write a suite, whole or not at all.

    Args:
        suite: the suite to write.
        path: the file, or the folder for formats of several files.
        format_name: a key of `FORMATS`, or a format that another installed package adds; "" chooses
            by the ending of `path`.
        vocabulary: the known words, for formats that mark unknown ones.
        licence_ok: also write items without a known licence, which some formats refuse.

    Raises:
        InputError: the format is unknown, can only be read, or cannot hold the suite.

    >>> _ = Path("pairs.csv").write_text("good,bad\\nThe keys are old.,The keys is old.\\n")
    >>> write_suite(read_suite(Path("pairs.csv")), Path("pairs.jsonl"))
    >>> len(read_suite(Path("pairs.jsonl")).items)
    1
    """
    file_format = format_named(format_to_write(path, format_name))
    assert file_format.write is not None, "`format_to_write` refuses what can only be read"
    if file_format.needs_licence and not licence_ok:
        demand_licences(suite.items)
    file_format.write(suite, path, vocabulary)


def format_named(name: str = "") -> Format:
    """Return the functions that read and write a format.

    Args:
        name: a key of `FORMATS`, or a format of another distribution; "" for a format whose `read`
            recognises the format of each path.

    Returns:
        A record of `read` and `write`; `write` is `None` for formats that can only be read.

    Raises:
        InputError: for an unknown name. With "", `read` raises it if it recognises no format.

    >>> _ = Path("pairs.csv").write_text("good,bad\\nThe keys are old.,The keys is old.\\n")
    >>> format_named("pair_table").read(Path("pairs.csv")).name
    'pairs'
    """
    if not name:
        return Format(lambda path: format_named(format_to_read(path, FORMATS)).read(path))
    file_format: Format = load(FORMATS, name, "--format", GROUP)
    return file_format


def format_to_write(path: Path, format_name: str = "") -> str:
    """Return the name of the format in which a file is to be written.

    It is `format_name`, or if that is "", the format of the file's ending. Raises `InputError` if
    no format has the ending, for an unknown name, and for a format that can only be read.
    """
    file_name = path.name.removesuffix(".gz")
    by_ending = (name for ending, name in ENDINGS.items() if file_name.endswith(ending))
    name = format_name or next(by_ending, "")
    if not name:
        writable = [name for name in sorted(FORMATS) if format_named(name).write is not None]
        right = f"--format with {nearest('', writable)}"
        raise InputError(str(path), "its name does not tell its format", right, kind="format")
    if format_named(name).write is None:
        location = "--format" if format_name else str(path)
        right = "pair_table or blimp for pairs, syntaxgym for other designs, jsonl for everything"
        raise InputError(location, f"{name} is read, but not written", right, kind="unsupported")
    return name
