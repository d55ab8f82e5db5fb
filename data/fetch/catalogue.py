"""The catalogue of what can be fetched, and the licence that a repository states.

Four tables are in this folder. `releases.tsv`: version, date, number of treebanks, handle of the
archive in the LINDAT repository, SHA-256 of the archive where known. `treebanks.tsv`: code as in
file names, repository, releases it was in, names it had before (after `valdan/releases.json` of
UniversalDependencies/docs-automation). `sets.tsv`: where the published sets are, at which revision.
`licences.tsv`: SPDX id, and a pattern of the licence's name, spaces collapsed; "-only" may turn out
as "-or-later".
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..errors import InputError
from ..registry import guess
from ..tables import read_tsv

TABLES = Path(__file__).parent
VERSION = re.compile(r"[0-9]+\.[0-9]+(?:-test)?")  # 2.0-test: the test files of 2.0, held back
REPOSITORY = re.compile(r"UD_[A-Z][A-Za-z_]*(?:-[A-Za-z0-9]+)?")
# en_ewt-ud-train.conllu; in releases before 2.2 the first of a language has no name: en-ud-train
RELEASE_FILE = re.compile(r"([a-z]{2,3})(?:_[a-z0-9]+)?-ud-[A-Za-z0-9-]+\.conllu")
# Paths from outside: what these patterns and those of sets.tsv let through is a plain name.
README = re.compile(r"README(?:\.[A-Za-z0-9]{1,16})?")
LICENCE = re.compile(r"(?:LICEN[SC]E|COPYING)(?:\.[A-Za-z0-9]{1,16})?")
CC = re.compile(
    r"(?:\bCC[ -]+|\bCreative[ ]Commons[ ]+|creativecommons\.org/licenses/)"
    r"BY(?P<short>(?:[ -]+(?:NC|SA|ND))*)[ -/]+v?(?P<a>[1-4]\.[05])"
    r"|Attribution(?P<long>(?:\s*-\s*(?:Non-?Commercial|Share-?Alike|No-?Derivat\w+))*)"
    r"(?:\s+(?:Generic|International|Unported|License|Licence))*\s+(?P<b>[1-4]\.[05])",
    re.IGNORECASE,
)
CC_TERMS = {"NC": "nc|non-?com", "SA": "sa|share", "ND": "nd|no-?der"}
FIELD = re.compile(r"^[ \t]*(License|Includes text)[ \t]*:[ \t]*(\S.*?)[ \t\r]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Release:
    """One release of Universal Dependencies and its archive."""

    version: str  # "2.16"
    date: str  # "2025-05-15"
    n_treebanks: str
    handle: str  # of the archive, after "11234/"
    sha256: str  # of the archive; "" where not known


@dataclass(frozen=True, slots=True)
class TreebankEntry:
    """A treebank of the table."""

    code: str  # "it_isdt", as its files are called
    repository: str  # "UD_Italian-ISDT"
    releases: tuple[tuple[str, str], ...]  # first and last of each run of releases it was in
    former: tuple[str, ...]  # repository names it had before, oldest first

    @property
    def language(self) -> str:
        """The language's code, which is the first part of the treebank's."""
        return self.code.partition("_")[0]

    @property
    def language_name(self) -> str:
        """The language's English name: `Ancient Greek` for UD_Ancient_Greek-Perseus."""
        return self.repository.removeprefix("UD_").partition("-")[0].replace("_", " ")

    def in_release(self, version: str) -> bool:
        """Return whether the treebank is in a release; a newer one counts as the table's last."""
        release_order = min(_order(version), _order(releases()[-1].version))
        return any(_order(start) <= release_order <= _order(end) for start, end in self.releases)


@dataclass(frozen=True, slots=True)
class PublishedSet:
    """A published test set or lexicon: files of a repository at a fixed revision."""

    name: str
    host: str  # "github" or "hub"
    repository: str  # "owner/name"; "{part}" stands for the part where each has its own
    revision: str  # a commit, or PART=COMMIT of several parts; others are as first used
    files: str  # pattern of the paths wanted, with a group `part` if the set has parts
    licence: str  # SPDX id
    language: str  # codes, "mul" for many
    what: str

    @property
    def has_parts(self) -> bool:
        """True of a set that is divided into parts, by language as a rule."""
        return "{part}" in self.repository or "(?P<part>" in self.files

    def commit(self, part: str) -> str:
        """Return the commit that the table has for a part, "" if it has none."""
        pinned = [pin.rpartition("=") for pin in self.revision.split()]
        return next((commit for of, _, commit in pinned if of in ("", part)), "")


@cache
def releases() -> tuple[Release, ...]:
    """Return all releases of the table, oldest first."""
    return tuple(Release(**row) for row in read_tsv(TABLES / "releases.tsv"))


@cache
def treebanks() -> tuple[TreebankEntry, ...]:
    """Return all treebanks that were in any release of the table, by language."""
    entries = []
    for row in read_tsv(TABLES / "treebanks.tsv"):
        runs = [run.partition("-") for run in row["releases"].split()]
        spans = tuple((start, end or start) for start, _, end in runs)
        entries.append(
            TreebankEntry(row["code"], row["repository"], spans, tuple(row["former"].split()))
        )
    return tuple(entries)


@cache
def published_sets() -> tuple[PublishedSet, ...]:
    """Return all published sets."""
    return tuple(PublishedSet(**row) for row in read_tsv(TABLES / "sets.tsv"))


@cache
def _licences() -> tuple[dict[str, str], ...]:
    return tuple(read_tsv(TABLES / "licences.tsv"))


def treebanks_of_release(version: str, language: str = "") -> list[TreebankEntry]:
    """Return the treebanks of a release, all or those of a language code."""
    released = [treebank for treebank in treebanks() if treebank.in_release(version)]
    return [treebank for treebank in released if language in ("", treebank.language)]


def release_of(version: str) -> Release:
    """Return a release of the table; raise `InputError` if the table does not have it."""
    for release in releases():
        if release.version == version:
            return release
    wrong = "the address of its archive is unknown"
    raise InputError(f"release {version}", wrong, "single treebanks", kind="unknown")


def version_of(text: str, location: str) -> str:
    """Return a version without its leading `r` or `v`; the newest of the table for "".

    A version newer than the table is accepted, since the code host may know it. Raises `InputError`
    if it is no version, or older than release 2.0.
    """
    oldest, newest = releases()[0].version, releases()[-1].version
    bare = (text[1:] if text[:1] in ("r", "v") else text) or newest
    if VERSION.fullmatch(bare) is None or _order(bare) < _order(oldest):
        wrong = f"{text!r} is no release of Universal Dependencies 2"
        raise InputError(location, wrong, f"a version from {oldest} to {newest}", kind="value")
    return bare


def _order(version: str) -> tuple[int, int]:
    """Return a key that sorts releases: 2.9 before 2.10; `-test` counts as the release itself."""
    major, minor = version.removesuffix("-test").split(".")
    return int(major), int(minor)


def name_parts(text: str, version: str) -> tuple[str, str, str]:
    """Split `NAME[:PART][@VERSION]` in three; the name of a treebank is its present repository.

    A full name `UD_Language-Name` that is not in the table is accepted as it is. Raises
    `InputError` if nothing can have that name.
    """
    name, _, pinned = text.partition("@")
    name, _, part = name.partition(":")
    if set_named(name):
        return name, part, pinned
    entry = treebank_named(name)
    if not entry and not ("-" in name and REPOSITORY.fullmatch(name)):
        raise unknown_name_error(name)
    if part:
        wrong = "a treebank has no parts"
        raise InputError(f"{name}:{part}", wrong, f"{name} alone", kind="unknown")
    return entry.repository if entry else name, "", version_of(pinned, name) if pinned else version


def set_named(name: str) -> PublishedSet | None:
    """Return the published set of that name, None if there is none."""
    return {published.name: published for published in published_sets()}.get(name.casefold())


def treebank_named(name: str) -> TreebankEntry | None:
    """Return the treebank whose code or repository, present or former, is `name`; case is ignored.

    A former name that now belongs to another treebank means that other one.
    """
    return _by_name().get(name.casefold())


@cache
def _by_name() -> dict[str, TreebankEntry]:
    by_name: dict[str, TreebankEntry] = {}
    for treebank in treebanks():
        for former in treebank.former:
            by_name[former.casefold()] = treebank
            _, _, name = former.casefold().partition("-")
            if name:  # cs_pdt for UD_Czech-PDT, now PDTC; but cs is the language, not UD_Czech
                by_name[f"{treebank.language}_{name}"] = treebank
    for treebank in treebanks():
        by_name[treebank.code.casefold()] = by_name[treebank.repository.casefold()] = treebank
    return by_name


def language_code(text: str) -> str | None:
    """Return the code of a language given by code or English name; None if no treebank has it."""
    folded = text.casefold().replace("_", " ")
    for treebank in treebanks():
        if folded in (treebank.language, treebank.language_name.casefold()):
            return treebank.language
    return None


def unknown_name_error(name: str) -> InputError:
    """Return the error for a name that nothing has, with similar names."""
    code, names = language_code(name), [published.name for published in published_sets()]
    for treebank in treebanks():
        names += [treebank.code, treebank.repository]
    right = f"{guess(name, names)}a name that --list shows"
    if code:
        right = f"--language {code} for all treebanks of the language"
    wrong = "neither a treebank nor a published set has this name"
    return InputError(repr(name), wrong, right, kind="unknown")


def is_readme_or_licence(path: str) -> bool:
    """Return whether a file is about the other files: a README or a licence."""
    return bool(README.fullmatch(path) or LICENCE.fullmatch(path))


def text_of(files: Mapping[str, Path], which: re.Pattern[str]) -> str:
    """Return the text of the files, by name, that are READMEs, say."""
    paths = [files[name] for name in sorted(files) if which.fullmatch(name)]
    return "".join(path.read_text(encoding="utf-8", errors="replace") for path in paths)


def licence_of(readme: str, licence_text: str) -> tuple[str, str]:
    """Return the licence that a repository states.

    The README's field decides, as it does for the UD site; a licence file that names another one is
    reported, since only the authors can say which one they meant.

    Args:
        readme: Text of the README, "" if there is none.
        licence_text: Text of the licence file, "" if there is none.

    Returns:
        (SPDX id or "", a note about it or "").

    >>> licence_of("License: CC BY-SA 4.0", "")
    ('CC-BY-SA-4.0', '')
    """
    by_readme, by_file = _spdx(_readme_field(readme, "License")), _spdx(licence_text)
    if by_readme and by_file and by_readme != by_file:
        return by_readme, f"its README says {by_readme}, its licence file {by_file}"
    licence = by_readme or by_file
    return licence, "" if licence else "it names no licence that is known here"


def withholds_text(readme: str) -> bool:
    """Return whether a treebank is distributed with every form masked (`Includes text: no`)."""
    return _readme_field(readme, "Includes text").casefold().startswith("no")


def _readme_field(readme: str, field: str) -> str:
    """Return a field of a treebank's README. Fields are near its end; the last of a name counts."""
    return {match[1]: match[2] for match in FIELD.finditer(readme)}.get(field, "")


def _spdx(text: str) -> str:
    """Return the SPDX id of the licence that a text names first; "" if it names no known one.

    Texts name a Creative Commons licence in four ways: `CC BY-SA 4.0`, `Creative Commons BY-SA
    4.0`, by address, and `Attribution-ShareAlike 4.0 International`.
    """
    match = CC.search(text)
    if match is not None:
        terms = (match["short"] or match["long"] or "").casefold()
        abbreviations = [term for term, pattern in CC_TERMS.items() if re.search(pattern, terms)]
        return "-".join(["CC", "BY", *abbreviations, match["a"] or match["b"]])
    plain = " ".join(text.split())
    named = ((row["licence"], re.search(row["pattern"], plain)) for row in _licences())
    hits = [(hit.start(), hit.end(), licence) for licence, hit in named if hit]
    if not hits:
        return ""
    _, end, name = min(hits)
    later = plain[end:].startswith(("-or-later", "+", " or later"))
    return name.replace("-only", "-or-later") if later else name
