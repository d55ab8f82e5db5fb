"""The verb `fetch`: names, a language or a release into folders; or the list of what there is."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.fetch import address
from colorless_green.data.fetch.cache import Errand, about, cache_folder
from colorless_green.data.fetch.catalogue import (
    PublishedSet,
    Wanted,
    checked_version,
    code_of_language,
    entry_named,
    language_code,
    language_of,
    of_release,
    parsed,
    published_sets,
    set_named,
)
from colorless_green.data.fetch.parcel import Delivery, Withheld
from colorless_green.data.fetch.published import fetch_set, has_parts
from colorless_green.data.fetch.release import fetch_release
from colorless_green.data.fetch.treebanks import fetch_treebank, repository_named, treebank_parcel
from colorless_green.data.fetch.wire import REAL, Wire
from colorless_green.data.progress import Progress, silent
from colorless_green.data.tables import Result, Row

COLUMNS = ("name", "version", "language", "licence", "path", "size_bytes", "status")
LIST_COLUMNS = ("name", "what", "version", "language", "licence", "status")


def fetch(
    names: Sequence[str],
    *,
    language: str,
    everything: bool,
    listing: bool,
    release: str,
    mirror: str,
    out: Path | None,
    now: str,
    progress: Progress = silent,
    wire: Wire = REAL,
) -> Result:
    """Treebanks and published sets by name (`it_isdt@2.16`, `UD_Italian-ISDT`, `blimp`,
    `multiblimp:nld`), all treebanks of a language, or, from the archive, a release.

    `language`: a code or an English name, "" for none. `everything`: read the release's archive
    instead of the treebanks' repositories; with names or a language, take only these from it.
    `release`: for names without a version; "" is the newest of the table. `mirror`: an address or
    a folder in place of all hosts. `out`: a folder in place of the cache. With `listing` nothing
    is fetched: rows are what there is in that release, and whether the cache has it; names then
    choose rows by a part of their name.

    One row a folder, in the order asked for: name, version, language, licence (SPDX), path, size in
    bytes, and `fetched`, `cached`, `copied` (from the cache to `out`) or `withheld` (its texts are
    not public). Every mistake, of the user or of a server, is an `InputError`.
    """
    version = checked_version(release, "--release")
    code = code_of_language(language, "--language") if language else ""
    if listing:
        return _listed(names, code, version, cache_folder())
    wanted = [_known(parsed(name), version) for name in names]
    if not (wanted or code or everything):
        raise InputError(
            "fetch",
            "nothing is named",
            "a name, --language CODE, or --all; --list shows names",
            kind="missing",
        )
    errand = Errand(address.origin(mirror), cache_folder(), out, now, wire, progress)
    deliveries: list[Delivery] = []
    treebanks: list[Wanted] = []  # to be had from archives
    for each in wanted:
        published = set_named(each.name)
        if published is not None:
            deliveries += fetch_set(published, each.part, each.version, errand)
        elif everything:
            treebanks.append(each)
        else:
            deliveries.append(_explicit(each, errand))
    if everything:
        deliveries += _from_archives(treebanks, code, version, errand)
    else:
        deliveries += [_of_language(name, version, errand) for name in _names(code, version)]
    return _result(deliveries)


def _known(wanted: Wanted, version: str) -> Wanted:
    """What was named, a treebank with its version; `InputError` if nothing can have that name."""
    if set_named(wanted.name) is not None:
        return wanted
    repository_named(wanted.name)
    if wanted.part:
        raise InputError(
            f"{wanted.name}:{wanted.part}",
            "a treebank has no parts",
            f"{wanted.name} alone",
            kind="format",
        )
    at = checked_version(wanted.version, wanted.name) if wanted.version else version
    return Wanted(wanted.name, "", at)


def _names(code: str, version: str) -> list[str]:
    if not code:
        return []
    found = [each.repository for each in of_release(version) if language_of(each) == code]
    if not found:
        raise InputError(
            "--language",
            f"release {version} has no treebank of {code!r}",
            "a newer --release",
            kind="value",
        )
    return found


def _explicit(wanted: Wanted, errand: Errand) -> Delivery:
    try:
        return fetch_treebank(wanted.name, wanted.version, errand)
    except Withheld:
        raise InputError(
            f"{wanted.name}@{wanted.version}",
            "its texts are withheld, every form is '_', so that nothing can be mined from it",
            "another treebank, or one rebuilt from the source that its README names",
            kind="format",
        ) from None


def _of_language(name: str, version: str, errand: Errand) -> Delivery:
    try:
        return fetch_treebank(name, version, errand)
    except Withheld as withheld:
        row: Row = {"name": withheld.name, "version": version, "status": "withheld"}
        return Delivery(row, (f"{withheld.name}: its texts are withheld, so it was left out",))


def _from_archives(
    treebanks: Sequence[Wanted], code: str, version: str, errand: Errand
) -> list[Delivery]:
    """From the archive of each release: the treebanks named, those of a language, or all."""
    by_version: dict[str, set[str]] = {}
    for each in treebanks:
        by_version.setdefault(each.version, set()).add(repository_named(each.name))
    if code or not treebanks:
        by_version.setdefault(version, set())
    deliveries = []
    for at, repositories in by_version.items():
        whole = at == version and not code and not treebanks

        def wanted(
            repository: str, at: str = at, chosen: set[str] = repositories, whole: bool = whole
        ) -> bool:
            of_code = bool(code) and at == version and _language(repository) == code
            return whole or of_code or repository in chosen

        found = fetch_release(at, wanted, whole, errand)
        missing = sorted(repositories - {str(each.row["name"]) for each in found})
        if missing:
            raise InputError(
                f"{missing[0]}@{at}",
                "is not in the archive, or without text",
                "another release",
                kind="format",
            )
        deliveries += found
    return deliveries


def _language(repository: str) -> str:
    """The language of a repository, by the table or by another of the same language."""
    entry = entry_named(repository)
    name = repository.removeprefix("UD_").partition("-")[0]
    return language_of(entry) if entry is not None else language_code(name) or ""


def _result(deliveries: Sequence[Delivery]) -> Result:
    rows = [each.row for each in deliveries]
    messages = [note for each in deliveries for note in each.notes]
    if any(row["version"] == "2.0" for row in rows):
        messages.append("release 2.0 held its test files back; version 2.0-test has them")
    found = any(row["status"] != "withheld" for row in rows)
    return Result(rows, COLUMNS, tuple(messages), found)


def _listed(names: Sequence[str], code: str, version: str, cache: Path) -> Result:
    rows: list[Row] = [*_treebank_rows(code, version, cache), *_set_rows(code, cache)]
    if names:
        parts = [name.casefold() for name in names]
        rows = [
            row
            for row in rows
            if any(part in f"{row['name']} {row['what']}".casefold() for part in parts)
        ]
    return Result(rows, LIST_COLUMNS, (), bool(rows))


def _treebank_rows(code: str, version: str, cache: Path) -> Iterable[Row]:
    for entry in of_release(version):
        if code and language_of(entry) != code:
            continue
        facts = about(cache / treebank_parcel(entry.repository, version).place) or {}
        yield {
            "name": entry.code,
            "what": entry.repository,
            "version": version,
            "language": language_of(entry),
            "licence": str(facts.get("licence", "")) or None,
            "status": "cached" if facts else None,
        }


def _set_rows(code: str, cache: Path) -> Iterable[Row]:
    for published in published_sets():
        if code and code not in published.language.split() and published.language != "mul":
            continue
        yield {
            "name": f"{published.name}{_parts_shown(published)}",
            "what": published.what,
            "version": dict(published.revisions).get("", "")[:10] or None,
            "language": published.language,
            "licence": published.licence,
            "status": "cached" if _is_kept(published, cache) else None,
        }


def _parts_shown(published: PublishedSet) -> str:
    if "{part}" in published.repository:
        return ":LANGUAGE"
    return "[:PART]" if has_parts(published) else ""


def _is_kept(published: PublishedSet, cache: Path) -> bool:
    folder = cache / "published" / published.name
    return any(about(each.parent) is not None for each in folder.glob("*/**/manifest.json"))
