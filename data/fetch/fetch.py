"""Treebanks and published sets by name: the function `fetch`."""

import json
import os
import re
import shutil
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

from ..errors import InputError
from ..files import MANIFEST, sha256_file, write_whole
from ..languages import suggest_language
from ..progress import Progress, silent
from ..registry import Names, listed, nearest
from ..result import Result
from ..store import now
from ..tables import Row
from . import catalogue
from ._archive import unpack
from ._transfer import COMMIT, MIRROR, DownloadSource, HttpSettings, NotFound, RemoteFile
from .catalogue import RELEASE_FILE, PublishedSet
from .treebank_folder import (
    COLUMNS,
    WITHHELD,
    Download,
    FetchCall,
    cache_folder,
    demand_text,
    folder_facts,
    locked,
    treebank,
    writing,
)

WHOLE_RELEASE = "whole_release.json"  # the names of all treebanks of the archive
LIST_COLUMNS = ("name", "what", "version", "language", "licence", "status")
PART = re.compile(r"[a-z][a-z_]*")
WIRE = HttpSettings()


def fetch(
    names: Names = None,
    *,
    language: str = "",
    all_: bool = False,
    list_: bool = False,
    release: str = "",
    out: str | Path | None = None,
    progress: Progress = silent,
) -> Result:
    """Download treebanks and published test sets; verify them and record their licences.

    Each becomes a folder with licence and manifest. Where the environment variable
    COLORLESS_MIRROR has an http(s) address, that is asked in place of the usual hosts.

    Args:
        names: treebanks and published test sets, such as UD_Italian-ISDT, it_isdt@2.16, blimp,
            multiblimp:nld or unimorph:ita
        language: all treebanks of this language (code or English name)
        all_: download the archive of the whole release; with names or a language, unpack only
            those treebanks
        list_: list what is available and what is in the cache, with names by a part of their name
        release: UD release for names without @RELEASE [default: the newest]
        out: store the data here instead of in the cache
        progress: called with the KiB of each file as it arrives

    Returns:
        One row a folder, in the order asked for; its status is `fetched`, `cached`, `copied` (from
        the cache to `out`) or `withheld` (its texts are not public).

    Raises:
        InputError: for any mistake of the user or of a server.

    Commands:
        colorless fetch UD_German-GSD
        colorless fetch --list --language Italian

    >>> fetch("it_isdt", list_=True).rows[0]["language"]
    'it'
    """
    specs = listed(names)
    version = catalogue.version_of(release, "release")
    code = catalogue.language_code(language) if language else ""
    if code is None:
        wrong = f"no treebank of the language {language!r}"
        right = f"{suggest_language(language)}a code or an English name that --list shows"
        raise InputError("language", wrong, right, kind="unknown")
    if list_:
        return _listed(specs, code, version)
    keys = [catalogue.name_parts(name, version) for name in specs]
    if not (keys or code or all_):
        right = "a name, a language, or all; --list shows names"
        raise InputError("names", "no name is given", right, kind="missing")
    with closing(DownloadSource(os.environ.get(MIRROR, ""), WIRE, progress)) as source:
        call = FetchCall(source, cache_folder(), None if out is None else Path(out), now())
        rows = list(_rows(keys, code, version, all_, call))
    if any(row["version"] == "2.0" for row in rows):
        call.notes.append("release 2.0 held its test files back; version 2.0-test has them")
    found = any(row["status"] != WITHHELD for row in rows)
    return Result(rows, COLUMNS, tuple(dict.fromkeys(call.notes)), found)


def _rows(
    keys: Sequence[tuple[str, str, str]], code: str, version: str, everything: bool, call: FetchCall
) -> Iterator[Row]:
    in_archives: dict[str, set[str]] = {}
    for name, part, revision in keys:
        if published := catalogue.set_named(name):
            yield from _set(published, part, revision, call)
        elif everything:
            in_archives.setdefault(revision, set()).add(name)
        else:
            row = _treebank(name, revision, call)
            if row["status"] == WITHHELD:
                wrong = "its text is withheld (every form is '_'), so nothing can be mined from it"
                right = "another treebank, or one rebuilt from the source that its README names"
                raise InputError(f"{name}@{revision}", wrong, right, kind="empty")
            yield row
    if everything:
        if code or not in_archives:
            in_archives.setdefault(version, set())
        for revision, names in in_archives.items():
            yield from _from_archive(revision, names, code if revision == version else "", call)
    elif code:
        treebanks = catalogue.treebanks_of_release(version, code)
        if not treebanks:
            wrong = f"release {version} has no treebank of {code!r}"
            raise InputError("language", wrong, "a newer release", kind="unknown")
        for entry in treebanks:
            row = _treebank(entry.repository, version, call)
            if row["status"] == WITHHELD:
                call.notes.append(f"{entry.repository}: its texts are withheld, so it was left out")
            yield row


def _listed(names: Sequence[str], code: str, version: str) -> Result:
    """List what a release has (of a language, with a part of a name), and whether it is cached."""
    cells: list[tuple[str, ...]] = []
    for entry in catalogue.treebanks_of_release(version):
        facts = folder_facts(cache_folder() / treebank(entry.repository, version, {}).path) or {}
        licence, status = str(facts.get("licence", "")), "cached" if facts else ""
        cells.append((entry.code, entry.repository, version, entry.language, licence, status))
    for record in catalogue.published_sets():
        part = "[:PART]" if record.has_parts else ""
        part = ":LANGUAGE" if "{part}" in record.repository else part
        manifests = (cache_folder() / "published" / record.name).glob(f"*/**/{MANIFEST}")
        status = "cached" if any(folder_facts(path.parent) for path in manifests) else ""
        commit = record.commit("")[:10]
        name = record.name + part
        cells.append((name, record.what, commit, record.language, record.licence, status))
    rows: list[Row] = [
        dict(zip(LIST_COLUMNS, (cell or None for cell in row), strict=True))
        for row in cells
        if (not code or {code, "mul"} & set(row[3].split()))
        and (not names or any(name.casefold() in f"{row[0]} {row[1]}".casefold() for name in names))
    ]
    return Result(rows, LIST_COLUMNS, (), bool(rows))


def _treebank(repository: str, version: str, call: FetchCall) -> Row:
    """Fetch a treebank from the tag of its own repository; return its row."""
    entry, location = catalogue.treebank_named(repository), f"{repository}@{version}"
    source = _revision("github", f"UniversalDependencies/{repository}", f"r{version}")
    download = treebank(repository, version, source)

    def fill(folder: Path) -> None:
        if entry and not entry.in_release(version):
            runs = " and ".join(f"{start} to {end}" for start, end in entry.releases)
            wrong, right = f"is not in this release, but in {runs}", entry.releases[-1][1]
            raise InputError(location, wrong, f"{entry.code}@{right}", kind="unknown")
        try:
            files = call.source.listing(source)
        except NotFound:
            if not entry:
                raise catalogue.unknown_name_error(repository) from None
            files = []
        if not any(RELEASE_FILE.fullmatch(file.path) for file in files):
            wrong, right = "its repository has no such release", "another release or mirror"
            raise InputError(location, wrong, right, kind="missing")
        call.bring(download, [file for file in files if catalogue.is_kept(file.path)], folder)

    return call.delivered(download, fill)


def _revision(host: str, repository: str, revision: str) -> dict[str, str]:
    return {"host": host, "repository": repository, "revision": revision}


def _from_archive(version: str, names: Collection[str], code: str, call: FetchCall) -> list[Row]:
    """Fetch treebanks from a release's archive: those named, those of a language, or else all.

    The archive stays in the cache after a part of it was taken, and is removed once all was.
    """
    folder, everything = call.cache / "ud" / f"r{version}", not (names or code)

    def chosen(repository: str) -> bool:
        language = repository.removeprefix("UD_").partition("-")[0]
        of_code = bool(code) and catalogue.language_code(language) == code
        return everything or of_code or repository in names

    with locked(folder, call.cache):
        try:
            listed = json.loads((folder / WHOLE_RELEASE).read_text(encoding="utf-8"))
            listed = [name for name in listed if catalogue.REPOSITORY.fullmatch(name)]
        except (OSError, ValueError, TypeError):
            listed = []  # not fetched yet, or not whole
        cached = [_existing(treebank(name, version, {}), call) for name in listed if chosen(name)]
        rows = [row for row in cached if row]
        if not rows or len(rows) < len(cached):
            archive, rows = _unpack(version, chosen, call)
            if everything and rows and call.out is None:
                with write_whole(folder / WHOLE_RELEASE) as stream:
                    json.dump([row["name"] for row in rows], stream, indent=1)
                archive.unlink()
    missing = sorted(set(names) - {row["name"] for row in rows})
    if missing or not rows:
        spec, wrong = f"{(missing or ['release'])[0]}@{version}", "is not in the archive with text"
        raise InputError(spec, wrong, "another release", kind="missing")
    return rows


def _existing(download: Download, call: FetchCall) -> Row | None:
    with locked(call.folder(download), call.cache):
        return call.existing_row(download)


def _unpack(version: str, chosen: Callable[[str], bool], call: FetchCall) -> tuple[Path, list[Row]]:
    """Unpack the wanted treebanks of a release's archive; return the archive and their rows.

    The archive must have the checksum of the table or, if the table has none, of its first use.
    """
    release = catalogue.release_of(version)
    path = call.cache / "archives" / f"ud-treebanks-v{version}.tgz"
    sha256 = release.sha256 or call.first_use(path.name)
    for leftover in path.parent.glob(f".{path.name}.*"):
        leftover.unlink()  # of a call that was killed
    digest = sha256_file(path) if path.is_file() else ""
    if not digest or sha256 not in ("", digest):
        digest = call.source.bring_archive(release.handle, path, sha256)
    stage = (call.out or call.cache / "ud" / f"r{version}") / f".release-{version}.part"

    def target(parts: tuple[str, ...]) -> Path | None:
        if len(parts) != 3 or not catalogue.REPOSITORY.fullmatch(parts[1]):
            return None
        entry = catalogue.treebank_named(parts[1])  # as it is called now
        folder = stage / (entry.repository if entry else parts[1])
        if not (chosen(folder.name) and catalogue.is_kept(parts[2])):
            return None
        folder.mkdir(parents=True, exist_ok=True)
        return folder / parts[2]

    def delivered(unpacked: Path) -> Row:
        def fill(folder: Path) -> None:
            demand_text(unpacked)
            for path in unpacked.iterdir():
                path.rename(folder / path.name)

        source = {"archive": path.name, "sha256": digest}
        return call.delivered(treebank(unpacked.name, version, source), fill)

    shutil.rmtree(stage, ignore_errors=True)  # of an interrupted call: the archive is read again
    try:
        with writing(stage):
            unpack(path, target, call.source.progress)
            rows = [delivered(folder) for folder in sorted(stage.glob("*"))]
    except InputError as error:
        if error.kind in ("format", "unsafe") and not sha256:
            path.unlink()  # such as a page that says "moved", which must not be recorded
        raise
    finally:
        shutil.rmtree(stage, ignore_errors=True)
    call.first_use(path.name, digest)
    withheld = [str(row["name"]) for row in rows if row["status"] == WITHHELD]
    if withheld:
        call.notes.append(f"left out, since their texts are withheld: {', '.join(withheld)}")
    return path, [row for row in rows if row["status"] != WITHHELD]


def _set(published: PublishedSet, part: str, version: str, call: FetchCall) -> list[Row]:
    """Fetch a part of a published set, or with "" all parts, from one commit; return their rows.

    `version` is the commit to take, "" for the one of the table; if the table has none, it is the
    newest at the first fetch, which is then recorded.
    """
    part, name = part.casefold(), published.name
    location = f"{name}:{part}" if part else name
    if part and not (published.has_parts and PART.fullmatch(part)):
        raise InputError(location, "there is no such part", name, kind="unknown")
    if not part and "{part}" in published.repository:
        raise InputError(location, "each language is one part", f"{name}:ita, say", kind="missing")
    if version and not COMMIT.fullmatch(version):
        right = "its 40 hexadecimal digits"
        raise InputError(f"{name}@{version}", "this is not a commit", right, kind="value")
    repository = published.repository.replace("{part}", part)
    commit = version or published.commit(part) or call.first_use(repository)
    commit = commit or call.first_use(repository, call.source.newest(repository))
    source = _revision(published.host, repository, commit)
    rows, parts = [], {} if part or not published.has_parts else _parts(published, "", source, call)
    for key in parts or [part]:
        language = catalogue.language_code(key) or key or published.language
        path, full = Path("published", name, commit, key), f"{name}:{key}" if key else name
        download = Download(
            "published set", full, commit, path, source, language, published.licence
        )

        def fill(folder: Path, download: Download = download, key: str = key) -> None:
            files = (parts or _parts(published, key, source, call))[key]
            call.bring(download, files, folder)

        rows.append(call.delivered(download, fill))
    return rows


def _parts(
    published: PublishedSet, part: str, source: dict[str, str], call: FetchCall
) -> dict[str, list[RemoteFile]]:
    """Return the files of each part of a set (of `part` at least), each with README and licence.

    The list of a commit's files is kept in the cache, since it never changes.
    """
    path = call.cache / "lists" / "{repository}@{revision}.json".format(**source).replace("/", "-")
    try:
        listed = [RemoteFile(**file) for file in json.loads(path.read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError):  # not fetched yet, not whole, or of version 1
        listed = call.source.listing(source)
        with write_whole(path) as stream:
            json.dump([asdict(file) for file in listed], stream)
    parts: dict[str, list[RemoteFile]] = {}
    pattern = re.compile(published.files.replace("{part}", re.escape(part)))
    for file in listed:
        if match := pattern.fullmatch(file.path):
            part_name = match.groupdict().get("part") or part
            parts.setdefault(part_name.casefold(), []).append(file)
    if not parts or part not in ("", *parts):
        location = f"{published.name}:{part}" if part else published.name
        right = nearest(part, sorted(parts)) if parts else "another commit"
        raise InputError(location, "there is no such part", right, kind="unknown")
    shared = [file for file in listed if catalogue.is_readme_or_licence(file.path)]
    return {part_name: [*parts[part_name], *shared] for part_name in sorted(parts)}
