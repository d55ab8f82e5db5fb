"""The catalogue of what can be fetched: treebanks, releases and published sets by name.

A published set is a test set or a lexicon that others have put on the network. It may come in
parts, such as one for each language.

The catalogue is three tables in this folder. `releases.tsv`: version, date, number of treebanks,
handle of the archive in the LINDAT repository, SHA-256 of the archive where known. `treebanks.tsv`:
code as in file names, repository, releases it was in, names it had before (after
`valdan/releases.json` of UniversalDependencies/docs-automation). `sets.tsv`: the parts of published
sets, with the columns of `SetPart`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from ..errors import InputError
from ..registry import abridged, did_you_mean
from ..tables import read_tsv

TABLES = Path(__file__).parent
VERSION = re.compile(r"[0-9]+\.[0-9]+(?:-test)?")  # 2.0-test: the test files of 2.0, held back
COMMIT = re.compile(r"[0-9a-f]{40}")
PART_NAME = re.compile(r"[a-z][a-z_]*")


@dataclass(frozen=True, slots=True)
class TreebankEntry:
    """A treebank of Universal Dependencies, as a row of `treebanks.tsv` describes it."""

    code: str  # "it_isdt", as its files are called
    repository: str  # "UD_Italian-ISDT"
    releases: Sequence[str]  # the runs of releases it was in, such as "2.0-2.5"
    former: Sequence[str]  # names of its repository in earlier releases

    @property
    def language(self) -> str:
        """The language's code, such as "it", with which the treebank's code begins."""
        return self.code.partition("_")[0]

    def in_release(self, version: str) -> bool:
        """Return whether the treebank is in a release.

        A release newer than the table is taken to have the treebanks of the table's last one.
        """
        *_, newest = releases()
        key = min(_release_key(version), _release_key(newest))
        for run in self.releases:
            first, _, last = run.partition("-")
            if _release_key(first) <= key <= _release_key(last or first):
                return True
        return False


@dataclass(frozen=True, slots=True)
class SetPart:
    """One part of a published test set or lexicon: a file, or some files of an archive."""

    name: str  # of the set
    part: str  # "": the set has no parts; "*": stands for any name, {part} in the fields below
    address: str
    revision: str  # a commit; "": the one that was the newest at the first fetch
    files: str  # regular expression for the paths of its files in the archive
    licence: str  # SPDX id
    language: str


@cache
def releases() -> dict[str, dict[str, str]]:
    """Return the table of releases, oldest first: version → its row (column → cell)."""
    return {row["version"]: row for row in read_tsv(TABLES / "releases.tsv")}


@cache
def treebanks() -> tuple[TreebankEntry, ...]:
    """Return all treebanks that were in any release of the table, sorted by language."""
    rows = [row.values() for row in read_tsv(TABLES / "treebanks.tsv")]
    return tuple(
        TreebankEntry(code, repository, runs.split(), former.split())
        for code, repository, runs, former in rows
    )


@cache
def published_sets() -> dict[str, list[SetPart]]:
    """Return all published sets: name of the set → its parts."""
    sets: dict[str, list[SetPart]] = {}
    for row in read_tsv(TABLES / "sets.tsv"):
        sets.setdefault(row["name"], []).append(SetPart(**row))
    return sets


def parts_named(name: str, part: str) -> list[SetPart]:
    """Return the parts of the published set `name` that are called `part`; all its parts if `part`
    is "".

    In some sets the code of any language names a part. For these, `part` must not be "". Raises
    `InputError` for that, and if the set has no such part.
    """
    parts, part = published_sets()[name], part.casefold()
    pattern = parts[-1]  # the row of the part "*" is the last of its set
    takes_any_language = pattern.part == "*"
    chosen = [row for row in parts if part in ("", row.part.casefold())]
    if takes_any_language and PART_NAME.fullmatch(part) and not chosen:
        address, files = (text.replace("{part}", part) for text in (pattern.address, pattern.files))
        chosen = [replace(pattern, part=part, language=part, address=address, files=files)]
    if not chosen or (takes_any_language and not part):
        wrong = f"there is no part {part!r}" if part else "it comes by part"
        listed = ", ".join(row.part for row in parts)
        names = "the code of a language" if takes_any_language else listed
        right = f"write {name}:PART, where PART is {names}" if names else f"write {name}"
        raise InputError(name, wrong, right, kind="unknown")
    return chosen


def treebanks_of_release(version: str, language: str = "") -> list[TreebankEntry]:
    """Return the treebanks in a release: those of the language with this code, or all for ""."""
    released = [treebank for treebank in treebanks() if treebank.in_release(version)]
    return [treebank for treebank in released if language in ("", treebank.language)]


def version_of(text: str, location: str) -> str:
    """Return the version of a UD release that a user wrote, without a leading `r` or `v`.

    Args:
        text: what the user wrote; "" means the newest release of the table.
        location: the option that has it, for the message.

    A version newer than the table is accepted, since the code host may have it. Raises `InputError`
    if it is not a version, or older than release 2.0.
    """
    oldest, *_, newest = releases()
    bare = (text[1:] if text[:1] in ("r", "v") else text) or newest
    if VERSION.fullmatch(bare) is None or _release_key(bare) < _release_key(oldest):
        wrong = f"{text!r} is no release of Universal Dependencies 2"
        raise InputError(location, wrong, f"a version from {oldest} to {newest}", kind="value")
    return bare


def _release_key(version: str) -> tuple[int, int]:
    """Return (major, minor), by which releases are sorted: 2.9 before 2.10, "2.0-test" as 2.0."""
    major, minor = version.removesuffix("-test").split(".")
    return int(major), int(minor)


def find(text: str, version: str) -> tuple[TreebankEntry | list[SetPart], str]:
    """Return the treebank, or the parts of a published set, that `NAME[:PART][@VERSION]` names.

    Args:
        text: the name as a user wrote it.
        version: the release to take a treebank from if the name has no @VERSION.

    Returns:
        The treebank and its release; or the set's parts and the commit that the name has, "" for
        none.

    Raises:
        InputError: nothing has that name, or it has no such version.
    """
    name, _, written_version = text.partition("@")
    name, _, part = name.partition(":")
    if name.casefold() in published_sets():
        if written_version and not COMMIT.fullmatch(written_version):
            wrong, right = "this is not a commit", "give its 40 hexadecimal digits"
            raise InputError(text, wrong, right, kind="value")
        return parts_named(name.casefold(), part), written_version
    entry = None if part else treebank_named(name)
    if entry is None:
        raise _unknown_name(text.partition("@")[0])
    version = version_of(written_version or version, name)
    if not entry.in_release(version):
        wrong = f"is not in this release, but in {' and '.join(entry.releases)}"
        *_, last_run = entry.releases
        _, _, newest = last_run.rpartition("-")
        right = f"write {entry.code}@{newest}"
        raise InputError(f"{entry.repository}@{version}", wrong, right, kind="unknown")
    return entry, version


def treebank_named(name: str) -> TreebankEntry | None:
    """Return the treebank that has `name` as its code, its repository or a former repository.

    Case is ignored. A former name of one treebank that is now the name of another means the other.
    """
    return _treebanks_by_name().get(name.casefold())


@cache
def _treebanks_by_name() -> dict[str, TreebankEntry]:
    """Return all treebanks by every name that they have or had, in lower case."""
    former = {name.casefold(): entry for entry in treebanks() for name in entry.former}
    present = {entry.repository.casefold(): entry for entry in treebanks()}
    codes = {entry.code.casefold(): entry for entry in treebanks()}
    return {**former, **present, **codes}  # if two have the same name, the later one counts


def _unknown_name(name: str) -> InputError:
    """Return the error for a name that nothing in the catalogue has.

    If the name is a language's code, the message lists the treebanks of that language; for any
    other name it suggests the most similar one.
    """
    if codes := [entry.code for entry in treebanks() if entry.language == name.casefold()]:
        right = f"name one of {abridged(codes, 20)}, or give --language {name} for all of a release"
    else:
        names = [name for entry in treebanks() for name in (entry.code, entry.repository)]
        near = did_you_mean(name, [*names, *published_sets()])
        sets = ", ".join(published_sets())
        right = f"{near}name a treebank, as it_isdt, a language, or one of {sets}"
    wrong = "neither a treebank nor a published set has this name"
    return InputError(repr(name), wrong, right, kind="unknown")
