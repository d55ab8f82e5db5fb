"""What there is to fetch: releases of Universal Dependencies, their treebanks, published sets.

Three tables lie beside this file. `releases.tsv`: version, date, number of treebanks, handle of the
archive in the LINDAT repository, SHA-256 of the archive where known. `treebanks.tsv`: code as in
file names, repository, releases it was in, names it had before (names, memberships and renamings
after `valdan/releases.json` of UniversalDependencies/docs-automation). `sets.tsv`: where the
published sets lie and at which revision.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.tables import read_tsv

TABLES = Path(__file__).parent
VERSION = re.compile(r"[0-9]+\.[0-9]+(?:-test)?")  # 2.0-test: the test files of 2.0, held back
REPOSITORY = re.compile(r"UD_[A-Z][A-Za-z_]*(?:-[A-Za-z0-9]+)?")
LANGUAGE = re.compile(r"[a-z]{2,3}")


@dataclass(frozen=True, slots=True)
class Release:
    """One release of Universal Dependencies and its archive."""

    version: str  # "2.16"
    date: str  # "2025-05-15"
    n_treebanks: int
    handle: str  # of the archive, after "11234/"
    sha256: str  # of the archive; "" where not known


@dataclass(frozen=True, slots=True)
class Entry:
    """A treebank of the table."""

    code: str  # "it_isdt", as its files are called
    repository: str  # "UD_Italian-ISDT"
    releases: tuple[tuple[str, str], ...]  # first and last of each run of releases it was in
    former: tuple[str, ...]  # repository names it had before, oldest first


@dataclass(frozen=True, slots=True)
class PublishedSet:
    """A published test set or lexicon: files of a repository at a fixed revision."""

    name: str
    host: str  # "github" or "hub"
    repository: str  # "owner/name"; "{part}" stands for the part where each has its own
    revisions: tuple[tuple[str, str], ...]  # (part, commit); part "" for all
    files: str  # pattern of the paths wanted, with a group `part` if the set has parts
    licence: str  # SPDX id
    language: str  # codes, "mul" for many
    what: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """A name as the user wrote it: `NAME[:PART][@VERSION]`."""

    name: str
    part: str
    version: str


@cache
def releases() -> tuple[Release, ...]:
    """All releases, oldest first."""
    return tuple(
        Release(**{**row, "n_treebanks": int(row["n_treebanks"])})  # type: ignore[arg-type]
        for row in read_tsv(TABLES / "releases.tsv")
    )


@cache
def entries() -> tuple[Entry, ...]:
    """All treebanks that ever were in a release of the table, by language."""
    return tuple(
        Entry(
            row["code"],
            row["repository"],
            tuple(_run(run) for run in row["releases"].split()),
            tuple(row["former"].split()),
        )
        for row in read_tsv(TABLES / "treebanks.tsv")
    )


def _run(text: str) -> tuple[str, str]:
    first, _, last = text.partition("-")
    return first, last or first


@cache
def published_sets() -> tuple[PublishedSet, ...]:
    """All published sets."""
    return tuple(
        PublishedSet(
            row["name"],
            row["host"],
            row["repository"],
            tuple(_revision(each) for each in row["revision"].split()),
            row["files"],
            row["licence"],
            row["language"],
            row["what"],
        )
        for row in read_tsv(TABLES / "sets.tsv")
    )


def _revision(text: str) -> tuple[str, str]:
    part, equals, commit = text.partition("=")
    return (part, commit) if equals else ("", part)


def order(version: str) -> tuple[int, int]:
    """Sorts releases: 2.9 before 2.10; `-test` counts as the release itself."""
    major, minor = version.removesuffix("-test").split(".")
    return int(major), int(minor)


def newest() -> str:
    """Version of the newest release of the table."""
    return releases()[-1].version


def checked_version(version: str, place: str) -> str:
    """`version` with or without a leading `r` or `v`, or the newest for "".

    Raises `InputError` if it is no version, or older than release 2.0. One newer than the table is
    let through: the code host may know it.
    """
    bare = version[1:] if version[:1] in ("r", "v") else version
    if not bare:
        return newest()
    if VERSION.fullmatch(bare) is None or order(bare) < order(releases()[0].version):
        raise InputError(
            place,
            f"{version!r} is no release of Universal Dependencies 2",
            f"a version from {releases()[0].version} to {newest()}",
            kind="unknown",
        )
    return bare


def release_of(version: str) -> Release | None:
    """The release of the table, None if the table does not have it."""
    return next((each for each in releases() if each.version == version), None)


def parsed(text: str) -> Wanted:
    """A name of the command line, taken apart."""
    name, _, version = text.partition("@")
    name, _, part = name.partition(":")
    return Wanted(name, part, version)


def set_named(name: str) -> PublishedSet | None:
    """The published set of that name, None if there is none."""
    return next((each for each in published_sets() if each.name == name.casefold()), None)


def entry_named(name: str) -> Entry | None:
    """The treebank whose code or repository, present or former, is `name` (case does not count).

    A former name that now belongs to another treebank means that other one.
    """
    return _by_name().get(name.casefold())


@cache
def _by_name() -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    for entry in entries():
        for former in entry.former:
            found[former.casefold()] = entry
            found[_former_code(entry, former) or former.casefold()] = entry
    for entry in entries():
        found[entry.code.casefold()] = found[entry.repository.casefold()] = entry
    return found


def _former_code(entry: Entry, repository: str) -> str | None:
    """`cs_pdt` for UD_Czech-PDT, now PDTC; None for UD_Czech: `cs` means the language."""
    _, _, name = repository.partition("-")
    return f"{language_of(entry)}_{name.casefold()}" if name else None


def language_of(entry: Entry) -> str:
    """The language code in a treebank's code."""
    return entry.code.partition("_")[0]


def language_name(entry: Entry) -> str:
    """`Ancient Greek` for UD_Ancient_Greek-Perseus."""
    return entry.repository.removeprefix("UD_").partition("-")[0].replace("_", " ")


def in_release(entry: Entry, version: str) -> bool:
    """Whether the table says so; for a release newer than the table, whether it was in the last."""
    at = min(order(version), order(newest()))
    return any(order(first) <= at <= order(last) for first, last in entry.releases)


def of_release(version: str) -> tuple[Entry, ...]:
    """The treebanks of a release."""
    return tuple(entry for entry in entries() if in_release(entry, version))


def code_of_language(language: str, place: str) -> str:
    """The code of a language given by code or name; `InputError` if no treebank has it."""
    code = language_code(language)
    if code is not None:
        return code
    names = sorted({language_name(entry) for entry in entries()})
    near = _near(language, names)
    raise InputError(
        place,
        f"no treebank of the language {language!r}",
        near or "a code like it or grc",
        kind="format",
    )


def language_code(text: str) -> str | None:
    """The code of a language given by code or name; None if no treebank has it."""
    folded = text.casefold().replace("_", " ")
    for entry in entries():
        if folded in (language_of(entry), language_name(entry).casefold()):
            return language_of(entry)
    return None


def unknown(name: str) -> InputError:
    """The error for a name that nothing has, with names like it."""
    names = [each.name for each in published_sets()]
    for entry in entries():
        names += [entry.code, entry.repository]
    code = language_code(name)
    right = f"--language {code} for all treebanks of the language" if code else _near(name, names)
    return InputError(
        repr(name),
        "neither a treebank nor a published set has this name",
        right or "a name that --list shows, or the full name of a repository, UD_Language-Name",
        kind="unknown",
    )


def _near(text: str, names: Sequence[str]) -> str:
    """`it_isdt, it_vit or it_old`: names like a text; "" if none is."""
    folded = {name.casefold(): name for name in names}
    found = [folded[each] for each in get_close_matches(text.casefold(), folded, n=3, cutoff=0.6)]
    if len(found) < 2:
        return "".join(found)
    return f"{', '.join(found[:-1])} or {found[-1]}"
