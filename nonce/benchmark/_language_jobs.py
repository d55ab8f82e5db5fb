"""Which languages a benchmark has, and which of their treebanks: a job for each language.

Of two releases of a treebank the newer counts, and of treebanks whose licences exclude each other
the largest selection that may be published.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
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

RELEASE = re.compile(r"-r(\d+(?:\.\d+)*)$")  # ends the name of an older release of a treebank
NO_RELEASE = (float("inf"),)  # a name without a release is that of the newest


@dataclass(frozen=True, slots=True)
class BenchmarkRequest:
    """The options that hold for every language. If they change, languages are made again."""

    n_sets: int
    attractors: int
    seed: int
    skip_bad: bool
    license_ok: bool


@dataclass(frozen=True, slots=True)
class LanguageJob:
    """A language to make: its treebanks, and its UniMorph list if there is one."""

    language: str
    treebanks: tuple[Treebank, ...]  # those that may be published together
    unimorph: Path | None
    left_out: str  # message on further treebanks and why they are left out; "" for none

    @property
    def name(self) -> str:
        """Return the names of the treebanks, joined by ` + `."""
        return " + ".join(bank.name for bank in self.treebanks)

    def made_from(self, request: BenchmarkRequest) -> dict[str, Any]:
        """Return everything that the result depends on: version, options, digests of the files."""
        files = {
            f"{bank.name}/{file.name}": digest_of(file)
            for bank in self.treebanks
            for file in bank.files
        }
        unimorph = digest_of(self.unimorph) if self.unimorph else ""
        options = asdict(request) | {"unimorph": unimorph}
        return {"version": __version__, "options": options, "files": files}


def jobs_of(
    paths: Sequence[Path],
    language: str,
    only: Sequence[str],
    unimorph: Sequence[str],
    license_ok: bool,
) -> tuple[list[LanguageJob], list[str]]:
    """Return a job for each language, in the order of their codes, and messages on treebanks that
    are left out. The parameters are those of `benchmark`."""
    if not paths:
        raise InputError("benchmark", "no path is given", "treebanks", kind="missing")
    by_language, messages = _treebanks_by_language(paths, language)
    for code in only:
        look_up(by_language, code, "only")
    if not by_language:
        wrong = "no treebank whose language is known"
        raise InputError(str(paths[0]), wrong, "--language CODE", kind="missing")
    word_lists = named_word_lists(unimorph)
    jobs = []
    for code in sorted(set(only) or by_language):
        newest, messages_on_releases = _newest_releases(by_language[code])
        messages += messages_on_releases
        word_list = word_lists.get(code.partition("-")[0])
        chosen, conflict = publishable(newest, license_ok, UNIMORPH_LICENCE if word_list else "")
        omitted = ", ".join(bank.name for bank in newest if bank not in chosen)
        left_out = f"{omitted}: left out, {conflict}" if omitted else ""
        jobs.append(LanguageJob(code, chosen, word_list, left_out))
    return jobs, messages


def _treebanks_by_language(
    paths: Iterable[Path], language: str
) -> tuple[Mapping[str, list[Treebank]], list[str]]:
    """Return code of a language → its treebanks, sorted by name, and messages on those of unknown
    language. A treebank that several paths lead to comes once. `language` is the code for treebanks
    whose names do not show one, "" for none."""
    by_files: dict[tuple[Path, ...], Treebank] = {}
    for path in paths:
        for bank in treebanks_in(path) if path.is_dir() else [treebank([path])]:
            by_files.setdefault(tuple(file.resolve() for file in bank.files), bank)
    messages: list[str] = []
    by_language: dict[str, list[Treebank]] = {}
    for bank in sorted(by_files.values(), key=lambda bank: (bank.name, bank.files)):
        name = "".join(char if char.isprintable() else "\ufffd" for char in bank.name)
        code = bank.language if bank.language != UNDETERMINED else language
        if code:
            by_language.setdefault(checked_language(code), []).append(replace(bank, name=name))
        else:
            messages.append(
                f"{name}: left out, its language is unknown; name it with --language CODE"
            )
    return by_language, messages


def _newest_releases(treebanks: Sequence[Treebank]) -> tuple[list[Treebank], list[str]]:
    """Return the treebanks of a language without older releases of the same treebank, and messages
    on those left out. Several treebanks may have the same name and release."""
    newest = dict(sorted(_name_and_release(bank) for bank in treebanks))  # the last one stays
    chosen, messages = [], []
    for bank in treebanks:
        name, release = _name_and_release(bank)
        if newest[name] == release:
            chosen.append(bank)
        else:
            messages.append(f"{bank.name}: left out, an older release of {name}")
    return chosen, messages


def _name_and_release(bank: Treebank) -> tuple[str, tuple[float, ...]]:
    """Return the name of a treebank without its release, and the numbers of the release."""
    match = RELEASE.search(bank.name)
    release = tuple(map(float, match[1].split("."))) if match else NO_RELEASE
    return RELEASE.sub("", bank.name), release


def publishable(
    treebanks: Sequence[Treebank], license_ok: bool, words_licence: str
) -> tuple[tuple[Treebank, ...], str]:
    """Return the largest selection (in bytes) of a language's treebanks that may be published
    together, and the reason why not all may, "" if all may. If no selection may, return all
    treebanks and "". `words_licence`: licence of the word list, "" for none."""
    facts = {"words_licence": words_licence} if words_licence else {}

    def obstacle(licences: Collection[str]) -> str:
        """Return why items under these licences may not be published; "" if they may."""
        joined = " AND ".join(licences) if all(licences) else ""  # "": unknown
        return licence_note([Item("", "composed", "", "", "", joined, {}, facts=facts)], license_ok)

    distinct = tuple(dict.fromkeys(bank.licence for bank in treebanks))
    conflict = obstacle(distinct) if len(distinct) > 1 else ""
    if not conflict:
        return tuple(treebanks), ""
    selections = [
        tuple(bank for bank in treebanks if bank.licence in licences)
        for n_licences in range(len(distinct) - 1, 0, -1)
        for licences in combinations(distinct, n_licences)
        if not obstacle(licences)
    ]
    if not selections:
        return tuple(treebanks), ""

    def size(selection: Sequence[Treebank]) -> int:
        return sum(file.stat().st_size for bank in selection for file in bank.files)

    reason, _, _ = conflict.partition(NOT_PUBLIC)
    return max(selections, key=size), reason


def digest_of(file: Path) -> str:
    """Return the SHA-256 digest of a file. Raise `InputError` if it cannot be read or its path is
    not UTF-8, which the store requires."""
    try:
        str(file).encode()
        return sha256_file(file)
    except (OSError, UnicodeEncodeError) as error:
        wrong = getattr(error, "strerror", "") or "its path is no UTF-8"
        location, right = ascii(str(file)), "a file you may read, under a name in UTF-8"
        raise InputError(location, f"cannot be read ({wrong})", right, kind="unreadable") from None
