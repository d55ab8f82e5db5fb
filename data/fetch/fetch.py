"""Fetch treebanks and published sets by name: one archive or file at a time, into folders.

A whole release is an archive in the LINDAT repository. A single treebank or published set is the
archive that the code host (GitHub) makes of a revision, or a file of the hub (Hugging Face).
"""

import re
import shutil
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from ..errors import InputError
from ..files import user_path
from ..languages import checked_language
from ..progress import Progress, silent
from ..registry import Names, listed
from ..result import Result
from ..store import now
from ..tables import Row
from . import catalogue
from ._download import download, mirror_address, unpack
from .catalogue import COMMIT, SetPart, TreebankEntry
from .fetched_folder import (
    COLUMNS,
    LICENCE,
    README,
    RELEASE_FILE,
    FetchCall,
    Folder,
    cache_folder,
    content_hash,
    stage_in,
)

REPOSITORY = "https://github.com/UniversalDependencies/{}/archive/r{}.tar.gz"
LINDAT = "https://lindat.mff.cuni.cz/repository/server/api/core/bitstreams/handle/11234/{}/{}"
NEWEST = "HEAD"  # the newest revision of a repository; the commit of its first fetch is kept
FOR_ALL_FOLDERS = "+"  # in place of a folder's name: files that go into every folder


@dataclass(frozen=True, slots=True)
class Download:
    """An archive or a file on a server, and the folders that are made of it."""

    url: str
    folders: Sequence[Folder]
    sha256: str | None = None  # None: the server may pack the same files anew; "": not known yet


def fetch(
    names: Names = None,
    *,
    language: str = "",
    all_: bool = False,
    release: str = "",
    out: str | Path | None = None,
    progress: Progress = silent,
) -> Result:
    """Download treebanks and published test sets; verify them and record their licences.

    Each becomes a folder with licence and manifest; what is there already is not downloaded again.
    Where the environment variable COLORLESS_MIRROR has an http(s) address, that is asked in place
    of all hosts.

    Args:
        names: treebanks and published test sets, such as UD_Italian-ISDT, it_isdt@2.16, blimp,
            multiblimp:nld, turblimp or unimorph:ita
        language: code of a language: all its treebanks
        all_: the archive of the whole release
        release: UD release for names without @RELEASE [default: the newest]
        out: store the data here instead of in the cache
        progress: called with the KiB of each file as it arrives

    Returns:
        One row a folder, in the order asked for; its status is `fetched` or `cached`.

    Raises:
        InputError: for any mistake of the user or of a server.

    Commands:
        colorless fetch UD_German-GSD
        colorless fetch multiblimp:nld unimorph:nld

    >>> fetch("it_isdt").rows[0]["licence"]  # doctest: +SKIP
    'CC-BY-NC-SA-3.0'
    """
    version = catalogue.version_of(release, "release")
    code = checked_language(language)
    treebanks = catalogue.treebanks_of_release(version, code) if code else []
    if code and not treebanks:
        wrong = f"release {version} has no treebank of {code!r}"
        raise InputError("language", wrong, "another release or language", kind="unknown")
    requests = [catalogue.find(name, version) for name in listed(names)]
    requests += [(entry, version) for entry in treebanks]
    if not (requests or all_):
        right = "a name such as it_isdt or blimp, a language, or all"
        raise InputError("names", "no name is given", right, kind="missing")
    mirror_address()
    call = FetchCall(cache_folder(), user_path(out) if out else None, now(), progress)
    downloads = [_download_of(*request, call) for request in requests]
    downloads += [_release_download(version, call)] if all_ else []
    rows = [row for source in downloads for row in _folder_rows(source, call)]
    if any(row["version"] == "2.0" for row in rows):
        call.notes.append("release 2.0 held its test files back; version 2.0-test has them")
    return Result(rows, COLUMNS, tuple(dict.fromkeys(call.notes)))


def _download_of(named: TreebankEntry | list[SetPart], version: str, call: FetchCall) -> Download:
    """Return the download of a treebank in a release, or of parts of a published set.

    For a set, `version` is the commit to take. If it is "", the commit of the table is taken; if
    the table has none, the newest one at the first fetch, which is then recorded.
    """
    if isinstance(named, TreebankEntry):
        folder = Folder(named.repository, version, RELEASE_FILE, named.language)
        return Download(REPOSITORY.format(named.repository, version), [folder])
    first_part = named[0]
    version = version or first_part.revision
    version = version or call.first_use(f"{first_part.name}/{first_part.part}") or NEWEST
    folders = []
    for row in named:
        name = f"{row.name}:{row.part.casefold()}" if row.part else row.name
        folders.append(Folder(name, version, re.compile(row.files), row.language, row.licence))
    return Download(first_part.address.format(revision=version), folders)


def _release_download(version: str, call: FetchCall) -> Download:
    """Return the download of a whole release, with a folder for each of its treebanks.

    A folder has the present name of its treebank, whatever the treebank was called in the release.
    """
    row = catalogue.releases().get(version)
    if row is None:
        wrong = "the address of its archive is unknown"
        raise InputError(f"release {version}", wrong, "fetch single treebanks", kind="unknown")
    folders = []
    for entry in catalogue.treebanks_of_release(version):
        names = "|".join([entry.repository, *entry.former])
        kept_files = "|".join(pattern.pattern for pattern in (RELEASE_FILE, README, LICENCE))
        files = re.compile(f"(?:{names})/(?:{kept_files})")
        folders.append(Folder(entry.repository, version, files, entry.language))
    archive = f"ud-treebanks-v{version}.tgz"
    sha256 = row["sha256"] or call.first_use(archive)
    return Download(LINDAT.format(row["handle"], archive), folders, sha256)


def _folder_rows(source: Download, call: FetchCall) -> list[Row]:
    """Return the result's row for each folder of a download; if any folder is missing, download."""
    if None in (rows := [call.existing(folder) for folder in source.folders]):
        with stage_in(call.cache) as stage:
            # another process may have made the folders while this one waited for the cache
            if None in (rows := [call.existing(folder) for folder in source.folders]):
                return _download_folders(source, stage, call)
    return [row for row in rows if row]


def _download_folders(source: Download, stage: Path, call: FetchCall) -> list[Row]:
    """Download an archive or a file, make its folders, and return the result's row for each.

    `stage` is an empty folder for what has arrived and is not yet checked.
    """
    packed = stage / Path(urlsplit(source.url).path).name
    sha256 = download(source.url, packed, call.progress, source.sha256 or "")
    files, commit = _unpacked_files(source, packed, stage, call)
    shared, rows = files.pop(FOR_ALL_FOLDERS, {}), []
    for folder in source.folders:
        if not (folder_files := files.get(folder.name)):
            continue
        for file, path in shared.items():
            copied = shutil.copy(file, stage / f"_{folder.name}")
            folder_files[Path(copied)] = path
        if folder.version == NEWEST:
            if not COMMIT.fullmatch(commit):
                wrong = f"the archive names no commit, but {commit!r:.200}"
                raise InputError(source.url, wrong, "use another mirror", kind="format")
            commit = call.first_use(folder.name.replace(":", "/"), commit)
            folder = replace(folder, version=commit)
        if source.sha256 is None:  # the archive's bytes may change, its files must not
            key = f"content of {folder.name}@{folder.version}"
            call.first_use(key, content_hash(folder_files))
        facts = {"url": source.url, "sha256": sha256}
        rows.append(call.existing(folder) or call.put(folder, folder_files, facts))
    if source.sha256 is not None:
        call.first_use(packed.name, sha256)
    if not rows:
        folder = source.folders[0]
        location, wrong = f"{folder.name}@{folder.version}", f"has no data in {source.url}"
        raise InputError(location, wrong, "ask for another version", kind="missing")
    return rows


def _unpacked_files(
    source: Download, packed: Path, stage: Path, call: FetchCall
) -> tuple[dict[str, dict[Path, str]], str]:
    """Unpack the file that was downloaded, each folder's files into a folder `_NAME` of `stage`.

    Return folder's name → file on disk → its path in the archive, and the commit that the archive
    names, "" for none. A download that is not an archive is the one file of the one folder.
    """
    if packed.suffix not in (".gz", ".tgz"):
        folder, *_ = source.folders
        return {folder.name: {packed: packed.name}}, ""
    files: dict[str, dict[Path, str]] = defaultdict(dict)

    def target(path: str) -> Path | None:
        """Return where to unpack a member of the archive, and note it in `files`; None: skip it."""
        _, _, path = path.partition("/")  # without the one folder at the top
        is_for_all = README.fullmatch(path) or LICENCE.fullmatch(path)
        names = (folder.name for folder in source.folders if folder.files.fullmatch(path))
        name = next(names, FOR_ALL_FOLDERS if is_for_all else None)
        if name is None:
            return None
        file = stage / f"_{name}" / path.rpartition("/")[2]
        file.parent.mkdir(exist_ok=True)
        files[name][file] = path
        return file

    commit = unpack(packed, target, call.progress)
    return files, commit
