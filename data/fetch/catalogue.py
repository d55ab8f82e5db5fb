"""The catalogue of what can be fetched: treebanks, releases and published sets by name.

Three tables are in this folder. `releases.tsv`: version, date, number of treebanks, handle of the
archive in the LINDAT repository, SHA-256 of the archive where known. `treebanks.tsv`: code as in
file names, repository, releases it was in, names it had before (after `valdan/releases.json` of
UniversalDependencies/docs-automation). `sets.tsv`: the parts of published sets, as `SetPart` has
them.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from ..errors import InputError
from ..registry import abridged, guess
from ..tables import read_tsv

TABLES = Path(__file__).parent
VERSION = re.compile(r"[0-9]+\.[0-9]+(?:-test)?")  # 2.0-test: the test files of 2.0, held back
COMMIT = re.compile(r"[0-9a-f]{40}")
PART = re.compile(r"[a-z][a-z_]*")


@dataclass(frozen=True, slots=True)
class TreebankEntry:
    """A treebank of the table."""

    code: str  # "it_isdt", as its files are called
    repository: str  # "UD_Italian-ISDT"
    releases: Sequence[str]  # "2.0-2.5": the runs of releases it was in
    former: Sequence[str]  # names it had before

    @property
    def language(self) -> str:
        """The language's code, which is the first part of the treebank's."""
        return self.code.partition("_")[0]

    def in_release(self, version: str) -> bool:
        """Return whether the treebank is in a release; a newer one counts as the table's last."""
        release_order = min(_order(version), _order(list(releases())[-1]))
        runs = (run.partition("-") for run in self.releases)
        return any(_order(start) <= release_order <= _order(end or start) for start, _, end in runs)


@dataclass(frozen=True, slots=True)
class SetPart:
    """A published test set or lexicon, or one part of it: files of an archive, or a file."""

    name: str
    part: str  # "" where the set has no parts; "*": any, in place of {part} in the other cells
    address: str
    revision: str  # a commit; "" for the newest at its first use
    files: str  # pattern of their paths
    licence: str  # SPDX id
    language: str


@cache
def releases() -> dict[str, dict[str, str]]:
    """Return the rows of the releases by version, oldest first."""
    return {row["version"]: row for row in read_tsv(TABLES / "releases.tsv")}


@cache
def treebanks() -> tuple[TreebankEntry, ...]:
    """Return all treebanks that were in any release of the table, by language."""
    rows = [row.values() for row in read_tsv(TABLES / "treebanks.tsv")]
    return tuple(
        TreebankEntry(code, repository, runs.split(), former.split())
        for code, repository, runs, former in rows
    )


@cache
def published_sets() -> dict[str, list[SetPart]]:
    """Return the parts of all published sets by the set's name."""
    sets: dict[str, list[SetPart]] = {}
    for row in read_tsv(TABLES / "sets.tsv"):
        sets.setdefault(row["name"], []).append(SetPart(**row))
    return sets


def parts_named(name: str, part: str) -> list[SetPart]:
    """Return the part of a set that has this name, or all its parts for "".

    Raises `InputError` for a part that is not there, and for "" where any language is a part.
    """
    parts, part = published_sets()[name], part.casefold()
    pattern, any_part = parts[-1], parts[-1].part == "*"
    named = [row for row in parts if part in ("", row.part.casefold())]
    if any_part and PART.fullmatch(part) and not named:
        cells = {
            name: getattr(pattern, name).replace("{part}", part) for name in ("address", "files")
        }
        named = [replace(pattern, part=part, language=part, **cells)]
    if not named or (any_part and not part):
        wrong = f"there is no part {part!r}" if part else "it comes by part"
        names = "the code of a language" if any_part else ", ".join(row.part for row in parts)
        right = f"{name}:PART, where PART is {names}" if names else name
        raise InputError(name, wrong, right, kind="unknown")
    return named


def treebanks_of_release(version: str, language: str = "") -> list[TreebankEntry]:
    """Return the treebanks of a release, all or those of a language code."""
    released = [treebank for treebank in treebanks() if treebank.in_release(version)]
    return [treebank for treebank in released if language in ("", treebank.language)]


def version_of(text: str, location: str) -> str:
    """Return a version without its leading `r` or `v`; the newest of the table for "".

    A version newer than the table is accepted, since the code host may know it. Raises `InputError`
    if it is no version, or older than release 2.0.
    """
    oldest, *_, newest = releases()
    bare = (text[1:] if text[:1] in ("r", "v") else text) or newest
    if VERSION.fullmatch(bare) is None or _order(bare) < _order(oldest):
        wrong = f"{text!r} is no release of Universal Dependencies 2"
        raise InputError(location, wrong, f"a version from {oldest} to {newest}", kind="value")
    return bare


def _order(version: str) -> tuple[int, int]:
    """Return a key that sorts releases: 2.9 before 2.10; `-test` counts as the release itself."""
    major, minor = version.removesuffix("-test").split(".")
    return int(major), int(minor)


def find(text: str, version: str) -> tuple[TreebankEntry | list[SetPart], str]:
    """Return what `NAME[:PART][@VERSION]` names, and the version.

    `version` is that of a treebank without one; "" stands for the pinned commit of a set. Raises
    `InputError` if nothing has that name, and for a version that cannot be.
    """
    name, _, pinned = text.partition("@")
    name, _, part = name.partition(":")
    if name.casefold() in published_sets():
        if pinned and not COMMIT.fullmatch(pinned):
            wrong, right = "this is not a commit", "its 40 hexadecimal digits"
            raise InputError(text, wrong, right, kind="value")
        return parts_named(name.casefold(), part), pinned
    entry = None if part else treebank_named(name)
    if entry is None:
        raise _unknown(text.partition("@")[0])
    version = version_of(pinned or version, name)
    if not entry.in_release(version):
        wrong = f"is not in this release, but in {' and '.join(entry.releases)}"
        right = f"{entry.code}@{entry.releases[-1].rpartition('-')[2]}"
        raise InputError(f"{entry.repository}@{version}", wrong, right, kind="unknown")
    return entry, version


def treebank_named(name: str) -> TreebankEntry | None:
    """Return the treebank whose code or repository, present or former, is `name`; case is ignored.

    A former name that now belongs to another treebank means that other one.
    """
    return _by_name().get(name.casefold())


@cache
def _by_name() -> dict[str, TreebankEntry]:
    former = {name.casefold(): entry for entry in treebanks() for name in entry.former}
    present = {entry.repository.casefold(): entry for entry in treebanks()}
    return {**former, **present, **{entry.code.casefold(): entry for entry in treebanks()}}


def _unknown(name: str) -> InputError:
    """Return the error for a name that nothing has, with similar names, or those of a language."""
    if codes := [entry.code for entry in treebanks() if entry.language == name.casefold()]:
        right = f"{abridged(codes, 20)}, or --language {name} for all of a release"
    else:
        names = [name for entry in treebanks() for name in (entry.code, entry.repository)]
        near = guess(name, [*names, *published_sets()])
        right = f"{near}a treebank, as it_isdt, a language, or one of {', '.join(published_sets())}"
    wrong = "neither a treebank nor a published set has this name"
    return InputError(repr(name), wrong, right, kind="unknown")
