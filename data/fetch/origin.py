"""Where folders come from: one archive or repository at a time, of which some or all are taken.

A release is an archive in the LINDAT repository; a treebank or published set is the archive that
the code host makes of a revision, or a repository of the hub, which makes none. Only one process at
a time works on an origin.
"""

import json
import re
import shutil
from collections import defaultdict
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from ..errors import InputError
from ..files import sha256_file, write_whole
from ..registry import nearest
from ..tables import Row
from . import catalogue
from ._archive import unpack
from .catalogue import RELEASE_FILE, PublishedSet, is_readme_or_licence
from .treebank_folder import Download, FetchCall, locked, treebank, writing

ARCHIVE = "https://github.com/{repository}/archive/{revision}.tar.gz"
HUB_LIST = "https://huggingface.co/api/datasets/{repository}/tree/{revision}?recursive=true"
HUB_FILE = "https://huggingface.co/datasets/{repository}/resolve/{revision}/{path}"
LINDAT = "https://lindat.mff.cuni.cz/repository/server/api/core/bitstreams/handle/11234/"
WHOLE = "whole_release.json"  # the names of all folders of an origin, beside them
SHARED = "+"  # for files that each folder gets
MOST_LIST_BYTES = 64 << 20
COMMIT = re.compile(r"[0-9a-f]{40}")
PART = re.compile(r"[a-z][a-z_]*")
Target: TypeAlias = Callable[[str], Path | None]
"""Where to write the file with a path, or None."""


@dataclass(frozen=True, slots=True)
class Origin:
    """An archive or repository."""

    name: str  # of its archive in the cache
    url: str
    key_of: Callable[[str], str | None]  # path in it → folder; SHARED; None: is left out
    download: Callable[[str], Download]  # of a folder
    source: Mapping[str, str]  # host, repository, revision for the manifests; {}: the archive's
    sha256: str = ""  # of the archive; "" where not known
    index: Path | None = None  # file with the names of all folders; None: there is only one


def treebank_row(repository: str, version: str, call: FetchCall) -> Row:
    """Fetch a treebank from the tag of its own repository; return its row."""
    entry = catalogue.treebank_named(repository)

    def key_of(path: str) -> str | None:
        if is_readme_or_licence(path):
            return SHARED
        return repository if RELEASE_FILE.fullmatch(path) else None

    source = _source("github", f"UniversalDependencies/{repository}", f"r{version}")
    origin = _repository(source, key_of, lambda _: treebank(repository, version))
    if entry and not entry.in_release(version):
        runs = " and ".join(f"{start} to {end}" for start, end in entry.releases)
        location, right = f"{repository}@{version}", f"{entry.code}@{entry.releases[-1][1]}"
        raise InputError(location, f"is not in this release, but in {runs}", right, kind="unknown")
    try:
        return _taken(origin, {repository}, set(), call)[0]
    except InputError as error:
        if error.kind == "missing" and not entry:
            raise catalogue.unknown_name_error(repository) from None
        raise


def release_rows(version: str, names: Set[str], optional: Set[str], call: FetchCall) -> list[Row]:
    """Fetch treebanks from a release's archive: those named, and others if it has them, or else
    all; return their rows."""
    release, name = catalogue.release_of(version), f"ud-treebanks-v{version}.tgz"

    def key_of(path: str) -> str | None:
        repository, _, file = path.partition("/")
        kept = RELEASE_FILE.fullmatch(file) or is_readme_or_licence(file)
        if not (kept and catalogue.REPOSITORY.fullmatch(repository)):
            return None
        entry = catalogue.treebank_named(repository)  # as it is called now
        return entry.repository if entry else repository

    url, sha256 = f"{LINDAT}{release.handle}/{name}", release.sha256 or call.first_use(name)
    index = call.cache / "ud" / f"r{version}" / WHOLE
    origin = Origin(name, url, key_of, lambda key: treebank(key, version), {}, sha256, index)
    return _taken(origin, names, optional, call)


def set_rows(published: PublishedSet, part: str, version: str, call: FetchCall) -> list[Row]:
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
    commit = commit or call.first_use(repository, _newest(repository, call))
    pattern = re.compile(published.files.replace("{part}", part))

    def key_of(path: str) -> str | None:
        if match := pattern.fullmatch(path):
            return str(match.groupdict().get("part") or part).casefold()
        return SHARED if is_readme_or_licence(path) else None

    def download(key: str) -> Download:
        language = catalogue.language_code(key) or key or published.language
        path, full = Path("published", name, commit, key), f"{name}:{key}" if key else name
        return Download("published set", full, commit, path, language, published.licence)

    index = call.cache / "published" / name / commit / WHOLE if "(?P" in published.files else None
    origin = _repository(_source(published.host, repository, commit), key_of, download, index)
    return _taken(origin, {part} if part or not index else set(), set(), call)


def _source(host: str, repository: str, revision: str) -> dict[str, str]:
    return {"host": host, "repository": repository, "revision": revision}


def _archive_name(source: Mapping[str, str]) -> str:
    return "{repository}@{revision}.tar.gz".format(**source).replace("/", "-")


def _repository(
    source: dict[str, str],
    key_of: Callable[[str], str | None],
    download: Callable[[str], Download],
    index: Path | None = None,
) -> Origin:
    """Return the origin for a revision of a repository."""
    url = (HUB_LIST if source["host"] == "hub" else ARCHIVE).format(**source)
    return Origin(_archive_name(source), url, key_of, download, source, "", index)


def _newest(repository: str, call: FetchCall) -> str:
    """Return the commit of a repository's newest archive, which is put into the cache."""
    newest, folder = _source("github", repository, "HEAD"), call.cache / "archives"
    url, archive = ARCHIVE.format(**newest), folder / _archive_name(newest)
    with locked(archive, call.cache), writing(archive):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            call.network.save(url, archive)
            commit = unpack(archive, lambda _: None)
            if not COMMIT.fullmatch(commit):
                wrong = f"the archive names no commit, but {commit!r:.200}"
                raise InputError(url, wrong, "another mirror", kind="format")
            archive.replace(folder / _archive_name({**newest, "revision": commit}))
        finally:
            archive.unlink(missing_ok=True)
    return commit


def _taken(origin: Origin, names: Set[str], optional: Set[str], call: FetchCall) -> list[Row]:
    """Return the rows of the folders named and of optional ones (of all if there are none), from
    the disk or else the network.

    The archive stays in the cache after a part of it was taken, and is removed once all was.
    """
    archive, wanted = call.cache / "archives" / origin.name, names | optional
    stage = archive.with_name(f"{archive.name}.part")
    with locked(archive, call.cache):
        known = _names_in(origin.index)
        keys = known & wanted if known and wanted else known or wanted
        rows = {key: call.existing_row(origin.download(key)) for key in sorted(keys)}
        if not rows or None in rows.values():
            shutil.rmtree(stage, ignore_errors=True)  # of a call that was killed
            try:
                with writing(stage):
                    stage.mkdir(parents=True)
                    rows = _fetched(origin, archive, stage, wanted, call)
                    if origin.index and not (wanted or call.out):
                        with write_whole(origin.index) as stream:
                            json.dump(list(rows), stream, indent=1)
                    if not (wanted and origin.index):
                        archive.unlink(missing_ok=True)
            except InputError as error:
                if error.kind in ("format", "unsafe", "changed", "conflict"):  # a page "moved", say
                    archive.unlink(missing_ok=True)
                raise
            finally:
                shutil.rmtree(stage, ignore_errors=True)
    found = {key: row for key, row in rows.items() if row}
    for key in sorted(names - found.keys()) or ([] if found else [""]):
        download, wrong = origin.download(key), "is not there, or not with data"
        right = nearest(key, sorted(known | rows.keys()))
        raise InputError(f"{download.name}@{download.version}", wrong, right, kind="missing")
    return list(found.values())


def _names_in(index: Path | None) -> Set[str]:
    """Return the names of an index; none if it is not there, or not whole."""
    try:
        names = json.loads(index.read_text(encoding="utf-8")) if index else []
        return {name for name in names if re.fullmatch(r"\w[\w-]*", name)}
    except (OSError, ValueError, TypeError):
        return set()


def _fetched(
    origin: Origin, archive: Path, stage: Path, wanted: Set[str], call: FetchCall
) -> dict[str, Row | None]:
    """Bring the files of the folders wanted (of all if none is) to `stage`, and from there into
    their folders; return the rows by folder, None for those not wanted."""
    files: dict[str, dict[Path, str]] = defaultdict(dict)

    def target(path: str) -> Path | None:
        path = path.partition("/")[2]  # without the one folder at the top
        if (key := origin.key_of(path)) is None:
            return None
        file, taken = stage / f"_{key}" / path.rpartition("/")[2], files[key]
        if wanted and key not in (SHARED, *wanted):
            return None
        if file.name.casefold() in {other.name.casefold() for other in taken}:
            wrong = f"two of its files have one name, {file.name}"
            raise InputError(origin.download(key).name, wrong, "another revision", kind="conflict")
        file.parent.mkdir(exist_ok=True)
        taken[file] = path
        return file

    bring = _bring_from_hub if origin.source.get("host") == "hub" else _bring_archive
    digest = bring(origin, archive, stage, target, call)
    shared = files.pop(SHARED, {})
    rows: dict[str, Row | None] = dict.fromkeys(sorted(files))
    for key in rows:
        if own := files[key]:
            for file, path in shared.items():
                own[Path(shutil.copy(file, stage / f"_{key}"))] = path
            source = origin.source or {"archive": origin.name, "sha256": digest}
            download = origin.download(key)
            rows[key] = call.existing_row(download) or call.put(download, own, source)
    if not origin.source:
        call.first_use(origin.name, digest)
    return rows


def _bring_archive(
    origin: Origin, archive: Path, stage: Path, target: Target, call: FetchCall
) -> str:
    """Write the files of an archive, from the cache or the network; return its SHA-256."""
    digest = sha256_file(archive) if archive.is_file() else ""
    if not digest or origin.sha256 not in ("", digest):
        digest = call.network.save(origin.url, stage / archive.name, origin.sha256)
        (stage / archive.name).replace(archive)
    unpack(archive, target, call.network.progress)
    return digest


def _bring_from_hub(
    origin: Origin, archive: Path, stage: Path, target: Target, call: FetchCall
) -> str:
    """Write the files of a list of the hub, which knows the SHA-256 of large ones."""
    path = stage / "list of files"
    call.network.save(origin.url, path, max_bytes=MOST_LIST_BYTES)
    try:
        files = [
            (
                str(entry["path"]),
                int(large["size"]),
                str(large["oid"] if large is not entry else ""),
            )
            for entry in json.loads(path.read_bytes())
            if entry["type"] == "file" and (large := entry.get("lfs") or entry)
        ]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        wrong = "the answer is not a complete list"
        raise InputError(origin.url, wrong, "another mirror", kind="format") from None
    for name, size, sha256 in files:
        if file := target(f"/{name}"):
            url = HUB_FILE.format(path=name, **origin.source)
            call.network.save(url, file, sha256, size)
            if file.stat().st_size != size:
                wrong = f"is shorter than {size} bytes"
                raise InputError(url, wrong, "another mirror", kind="changed")
    return ""
