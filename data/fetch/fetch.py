"""Treebanks and published sets by name: the function `fetch`."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.fetch import catalogue
from colorless_green.data.fetch.archive import from_archive
from colorless_green.data.fetch.catalogue import RELEASE_FILE, PublishedSet
from colorless_green.data.fetch.folder import (
    COLUMNS,
    WITHHELD,
    Download,
    FetchCall,
    about,
    cache_folder,
)
from colorless_green.data.fetch.transfer import Blob, DownloadSource, HttpSettings, NotFound
from colorless_green.data.files import MANIFEST, write_whole
from colorless_green.data.languages import suggested
from colorless_green.data.progress import Progress, silent
from colorless_green.data.registry import nearest
from colorless_green.data.result import Result
from colorless_green.data.store import now as clock
from colorless_green.data.tables import Row

LIST_COLUMNS = ("name", "what", "version", "language", "licence", "status")
COMMIT = re.compile(r"[0-9a-f]{40}")
PART = re.compile(r"[a-z][a-z_]*")


def fetch(
    names: str | Sequence[str] | None = None,
    *,
    language: str = "",
    everything: bool = False,
    listing: bool = False,
    release: str = "",
    mirror: str = "",
    out: str | Path | None = None,
    progress: Progress = silent,
    now: str = "",
    wire: HttpSettings = HttpSettings(),
) -> Result:
    """Downloads treebanks and published test sets, each as a folder with licence and manifest.

    Args:
        names: `it_isdt@2.16`, `UD_Italian-ISDT`, `blimp`, `multiblimp:nld`; one or several.
        language: all treebanks of a language (code or English name) besides.
        everything: read the release's archive instead of the treebanks' repositories; with names
            or a language, take only these from it.
        listing: fetch nothing; rows are what there is in the release and whether the cache has it,
            and names choose rows by a part of their name.
        release: for names without a version; "" is the newest of the table.
        mirror: an address or a folder in place of all hosts.
        out: a folder in place of the cache.
        progress: told the KiB of each file.
        now: the time for the manifest; "" for the clock's.
        wire: how to wait for a server.

    Returns:
        One row a folder, in the order asked for; its status is `fetched`, `cached`, `copied` (from
        the cache to `out`) or `withheld` (its texts are not public).

    Raises:
        InputError: for every mistake, of the user or of a server.

    >>> fetch("it_isdt", listing=True).rows[0]["language"]
    'it'
    """
    names = [names] if isinstance(names, str) else names or ()
    version = catalogue.version_of(release, "--release")
    code = catalogue.language_code(language) if language else ""
    if code is None:
        wrong = f"no treebank of the language {language!r}"
        right = f"{suggested(language)}a code or an English name that --list shows"
        raise InputError("--language", wrong, right, kind="unknown")
    if listing:
        return _listed(names, code, version)
    wanted = [catalogue.name_parts(name, version) for name in names]
    if not (wanted or code or everything):
        right = "a name, --language CODE, or --all; --list shows names"
        raise InputError("fetch", "no name is given", right, kind="missing")
    with closing(DownloadSource(mirror, wire, progress)) as source:
        call = FetchCall(source, cache_folder(), None if out is None else Path(out), now or clock())
        rows = list(_rows(wanted, code, version, everything, call))
    if any(row["version"] == "2.0" for row in rows):
        call.notes.append("release 2.0 held its test files back; version 2.0-test has them")
    found = any(row["status"] != WITHHELD for row in rows)
    return Result(rows, COLUMNS, tuple(dict.fromkeys(call.notes)), found)


def _rows(
    wanted: Sequence[tuple[str, str, str]], code: str, version: str, everything: bool, do: FetchCall
) -> Iterator[Row]:
    in_archives: dict[str, set[str]] = {}
    for name, part, at in wanted:
        if published := catalogue.set_named(name):
            yield from _set(published, part, at, do)
        elif everything:
            in_archives.setdefault(at, set()).add(name)
        else:
            row = _treebank(name, at, do)
            if row["status"] == WITHHELD:
                wrong = "its text is withheld (every form is '_'), so nothing can be mined from it"
                right = "another treebank, or one rebuilt from the source that its README names"
                raise InputError(f"{name}@{at}", wrong, right, kind="empty")
            yield row
    if everything:
        if code or not in_archives:
            in_archives.setdefault(version, set())
        for at, names in in_archives.items():
            yield from from_archive(at, names, code if at == version else "", do)
    elif code:
        treebanks = catalogue.of_release(version, code)
        if not treebanks:
            wrong = f"release {version} has no treebank of {code!r}"
            raise InputError("--language", wrong, "a newer --release", kind="unknown")
        for treebank in treebanks:
            row = _treebank(treebank.repository, version, do)
            if row["status"] == WITHHELD:
                do.notes.append(
                    f"{treebank.repository}: its texts are withheld, so it was left out"
                )
            yield row


def _listed(names: Sequence[str], code: str, version: str) -> Result:
    """What there is in a release, in a language, with a part of a name; and what is cached."""
    cells: list[tuple[str, ...]] = []
    for entry in catalogue.of_release(version):
        facts = about(cache_folder() / "ud" / f"r{version}" / entry.repository) or {}
        licence, status = str(facts.get("licence", "")), "cached" if facts else ""
        cells.append((entry.code, entry.repository, version, entry.language, licence, status))
    for record in catalogue.published_sets():
        part = ":LANGUAGE" if "{part}" in record.repository else "[:PART]" * record.has_parts
        kept = (cache_folder() / "published" / record.name).glob(f"*/**/{MANIFEST}")
        status = "cached" if any(about(path.parent) for path in kept) else ""
        at = record.commit("")[:10]
        cells.append((record.name + part, record.what, at, record.language, record.licence, status))
    rows: list[Row] = [
        dict(zip(LIST_COLUMNS, (cell or None for cell in row), strict=True))
        for row in cells
        if (not code or {code, "mul"} & set(row[3].split()))
        and (not names or any(name.casefold() in f"{row[0]} {row[1]}".casefold() for name in names))
    ]
    return Result(rows, LIST_COLUMNS, (), bool(rows))


def _treebank(repository: str, version: str, do: FetchCall) -> Row:
    """A treebank from the tag of its own repository."""
    entry, place = catalogue.treebank_named(repository), f"{repository}@{version}"
    where = ("github", f"UniversalDependencies/{repository}", f"r{version}")

    def files() -> list[Blob]:
        if entry and not entry.in_release(version):
            runs = " and ".join(f"{first} to {last}" for first, last in entry.releases)
            wrong, right = f"is not in this release, but in {runs}", entry.releases[-1][1]
            raise InputError(place, wrong, f"{entry.code}@{right}", kind="unknown")
        try:
            blobs = do.source.listing(*where)
        except NotFound:
            if not entry:
                raise catalogue.unknown(repository) from None
            blobs = []
        if not any(RELEASE_FILE.fullmatch(blob.path) for blob in blobs):
            wrong, right = "its repository has no such release", "another release or --mirror"
            raise InputError(place, wrong, right, kind="missing")
        return [blob for blob in blobs if catalogue.is_kept(blob.path)]

    return do.delivered(do.treebank(repository, version), where, files)


def _set(published: PublishedSet, part: str, version: str, do: FetchCall) -> list[Row]:
    """The parts of a published set (`part`: one of them, "" for all), files of one commit.

    `version`: a commit to take instead of the one of the table, "" for that one; where the table
    has none, the newest when it was first fetched, which is then recorded.
    """
    part, name = part.casefold(), published.name
    place = f"{name}:{part}" if part else name
    if part and not (published.has_parts and PART.fullmatch(part)):
        raise InputError(place, "there is no such part", name, kind="unknown")
    if not part and "{part}" in published.repository:
        raise InputError(place, "each language is one part", f"{name}:ita, say", kind="missing")
    if version and not COMMIT.fullmatch(version):
        right = "its 40 hexadecimal digits"
        raise InputError(f"{name}@{version}", "this is not a commit", right, kind="value")
    repository = published.repository.replace("{part}", part)
    commit = version or published.commit(part) or do.first_use(repository)
    commit = commit or do.first_use(repository, do.source.newest(repository))
    where = (published.host, repository, commit)
    rows, parts = [], {} if part or not published.has_parts else _parts(published, "", where, do)
    for key in parts or [part]:
        language = catalogue.language_code(key) or key or published.language
        folder, full = Path("published", name, commit, key), f"{name}:{key}" if key else name
        download = Download("published set", full, commit, folder, language, published.licence)

        def files(of: str = key) -> list[Blob]:
            return (parts or _parts(published, of, where, do))[of]

        rows.append(do.delivered(download, where, files))
    return rows


def _parts(
    published: PublishedSet, part: str, where: tuple[str, str, str], do: FetchCall
) -> dict[str, list[Blob]]:
    """The files of each part of a set (of `part` at least), those that say what it is with each."""
    listed, parts = _listed_at(where, do), dict[str, list[Blob]]()
    pattern = re.compile(published.files.replace("{part}", re.escape(part)))
    for blob in listed:
        if match := pattern.fullmatch(blob.path):
            of = match.groupdict().get("part") or part
            parts.setdefault(of.casefold(), []).append(blob)
    if not parts or part not in ("", *parts):
        place = f"{published.name}:{part}" if part else published.name
        right = nearest(part, sorted(parts)) if parts else "another commit"
        raise InputError(place, "there is no such part", right, kind="unknown")
    shared = [blob for blob in listed if catalogue.is_about(blob.path)]
    return {of: [*parts[of], *shared] for of in sorted(parts)}


def _listed_at(where: tuple[str, str, str], do: FetchCall) -> list[Blob]:
    """The files of a commit. The list is kept, since a commit's files never change."""
    kept = do.cache / "lists" / f"{where[1].replace('/', '-')}@{where[2]}.json"
    try:
        return [Blob(*values) for values in json.loads(kept.read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError):  # not kept yet, or not whole
        listed = do.source.listing(*where)
    if do.source.folder is None:  # a folder may have a part of them only
        with write_whole(kept) as stream:
            json.dump([[blob.path, blob.size, blob.hash] for blob in listed], stream)
    return listed
