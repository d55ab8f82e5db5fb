"""The languages of a benchmark: which treebanks each is made from, and what it is known by."""

import re
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from ...data.errors import InputError
from ...data.files import sha256_file
from ...data.items.item import Item
from ...data.languages import checked_language
from ...data.registry import look_up
from ...data.version import __version__
from ...miner.originals.wrong_form import UNIMORPH_LICENCE
from ...miner.treebank.treebank import (
    UNDETERMINED,
    Treebank,
    named_word_lists,
    treebank,
    treebanks_in,
)
from ._benchmark_folder import NOT_PUBLIC, licence_note

RELEASE = re.compile(r"-r(\d+(?:\.\d+)*)$")  # behind a treebank's name: an older release of it


@dataclass(frozen=True, slots=True)
class BenchmarkRequest:
    """The options of every language; part of what a finished one is known by."""

    n_sets: int
    attractors: int
    seed: int
    skip_bad: bool
    license_ok: bool


@dataclass(frozen=True, slots=True)
class LanguageJob:
    """A language: its treebanks, and the UniMorph list if there is one."""

    language: str
    treebanks: tuple[Treebank, ...]
    unimorph: Path | None
    parts: tuple[tuple[Treebank, ...], ...]  # that may be published, the largest first
    conflict: str = ""  # why not all of them may

    def made_from(self, request: BenchmarkRequest) -> dict[str, Any]:
        """Return everything that the result depends on, with the digests of the files."""
        files = {
            f"{bank.name}/{file.name}": digest_of(file)
            for bank in self.treebanks
            for file in bank.files
        }
        unimorph = digest_of(self.unimorph) if self.unimorph else ""
        options = asdict(request) | {"unimorph": unimorph}
        return {"version": __version__, "options": options, "files": files}

    def left_out(self, part: Sequence[Treebank]) -> str:
        """Return the treebanks that are not in a part, and why; "" where all are."""
        omitted = ", ".join(bank.name for bank in self.treebanks if bank not in part)
        return f"{omitted}: left out, {self.conflict}" if omitted else ""


def jobs_of(
    paths: Sequence[Path],
    language: str,
    only: Sequence[str],
    unimorph: Sequence[str],
    license_ok: bool,
) -> tuple[list[LanguageJob], list[str]]:
    """Return the languages in the order of their codes, and messages on treebanks left out."""
    if not paths:
        raise InputError("benchmark", "no path is given", "treebanks", kind="missing")
    by_files: dict[tuple[Path, ...], Treebank] = {}
    for path in paths:
        for bank in treebanks_in(path) if path.is_dir() else [treebank([path])]:
            by_files.setdefault(tuple(file.resolve() for file in bank.files), bank)
    messages: list[str] = []
    languages: dict[str, dict[tuple[str, tuple[float, ...]], list[Treebank]]] = {}
    for bank in sorted(by_files.values(), key=lambda entry: (entry.name, entry.files)):
        name = "".join(char if char.isprintable() else "\ufffd" for char in bank.name)
        code = bank.language if bank.language != UNDETERMINED else language
        if not code:
            messages.append(
                f"{name}: left out, its language is unknown; name it with --language CODE"
            )
            continue
        match = RELEASE.search(name)
        release = tuple(map(float, match[1].split("."))) if match else (float("inf"),)
        releases = languages.setdefault(checked_language(code), {})
        releases.setdefault((RELEASE.sub("", name), release), []).append(replace(bank, name=name))
    for code in only:
        look_up(languages, code, "only")
    if not languages:
        wrong = "no treebank whose language is known"
        raise InputError(str(paths[0]), wrong, "--language CODE", kind="missing")
    lists = named_word_lists(unimorph)
    jobs = []
    for code in sorted(set(only) or languages):
        releases = languages[code]
        newest = dict(sorted(releases))  # of each treebank, its last release
        used: list[Treebank] = []
        for (plain, release), banks in releases.items():
            if newest[plain] == release:
                used += banks
            else:
                older = ", ".join(bank.name for bank in banks)
                messages.append(f"{older}: left out, an older release of {plain}")
        word_list = lists.get(code.partition("-")[0])
        parts, conflict = publishable(used, license_ok, UNIMORPH_LICENCE if word_list else "")
        jobs.append(LanguageJob(code, tuple(used), word_list, parts, conflict))
    return jobs, messages


def publishable(
    treebanks: Sequence[Treebank], license_ok: bool, words_licence: str
) -> tuple[tuple[tuple[Treebank, ...], ...], str]:
    """Return the largest parts of a language's treebanks that may be published, the largest
    first, and why not all of them may; all of them, where any or none may be published."""
    facts = {"words_licence": words_licence} if words_licence else {}

    def note(licences: Collection[str]) -> str:
        joined = " AND ".join(licences) * all(licences)
        return licence_note([Item("", "composed", "", "", "", joined, {}, facts=facts)], license_ok)

    distinct = tuple(dict.fromkeys(bank.licence for bank in treebanks))
    conflict = note(distinct) if len(distinct) > 1 else ""
    fitting: list[frozenset[str]] = []
    for n in range(len(distinct) if conflict else 0, 0, -1):
        for licences in map(frozenset, combinations(distinct, n)):
            if not any(licences < larger for larger in fitting) and not note(licences):
                fitting.append(licences)
    parts = [tuple(b for b in treebanks if b.licence in licences) for licences in fitting]
    if not parts:
        return (tuple(treebanks),), ""
    parts.sort(key=lambda part: -sum(file.stat().st_size for bank in part for file in bank.files))
    return tuple(parts), conflict.partition(NOT_PUBLIC)[0]


def digest_of(file: Path) -> str:
    """Return the digest of an input. Raise `InputError` for a file that cannot be read, or whose
    path no store can keep."""
    try:
        str(file).encode()
        return sha256_file(file)
    except (OSError, UnicodeEncodeError) as error:
        wrong = getattr(error, "strerror", "") or "its path is no UTF-8"
        location, right = ascii(str(file)), "a file you may read, under a name in UTF-8"
        raise InputError(location, f"cannot be read ({wrong})", right, kind="unreadable") from None
