"""Fetch treebanks and published sets by name: one archive or file at a time, into folders.

A release is an archive in the LINDAT repository; a treebank or published set is the archive that
the code host makes of a revision, or a file of the hub.
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
NEWEST = "HEAD"  # the revision of a repository whose first use decides
SHARED = "+"  # for files that each folder gets


@dataclass(frozen=True, slots=True)
class Origin:
    """An archive or a file, and the folders that are made of it."""

    url: str
    folders: Sequence[Folder]
    sha256: str | None = None  # None: its bytes may change; "": not known yet


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
    origins = [_origin(*request, call) for request in requests]
    origins += [_release(version, call)] if all_ else []
    rows = [row for origin in origins for row in _rows(origin, call)]
    if any(row["version"] == "2.0" for row in rows):
        call.notes.append("release 2.0 held its test files back; version 2.0-test has them")
    return Result(rows, COLUMNS, tuple(dict.fromkeys(call.notes)))


def _origin(named: TreebankEntry | list[SetPart], version: str, call: FetchCall) -> Origin:
    """Return the origin of a treebank, or of parts of a published set.

    Of a set, `version` is the commit to take, "" for the one of the table; if the table has none,
    it is the newest at the first fetch, which is then recorded.
    """
    if isinstance(named, TreebankEntry):
        folder = Folder(named.repository, version, RELEASE_FILE, named.language)
        return Origin(REPOSITORY.format(named.repository, version), [folder])
    version = version or named[0].revision
    version = version or call.first_use(f"{named[0].name}/{named[0].part}") or NEWEST
    folders = []
    for row in named:
        name = f"{row.name}:{row.part.casefold()}" if row.part else row.name
        folders.append(Folder(name, version, re.compile(row.files), row.language, row.licence))
    return Origin(named[0].address.format(revision=version), folders)


def _release(version: str, call: FetchCall) -> Origin:
    """Return the archive of a release, with all its treebanks as they are called now."""
    row = catalogue.releases().get(version)
    if row is None:
        wrong = "the address of its archive is unknown"
        raise InputError(f"release {version}", wrong, "single treebanks", kind="unknown")
    folders = []
    for entry in catalogue.treebanks_of_release(version):
        names = "|".join([entry.repository, *entry.former])
        kept = "|".join(pattern.pattern for pattern in (RELEASE_FILE, README, LICENCE))
        files = re.compile(f"(?:{names})/(?:{kept})")
        folders.append(Folder(entry.repository, version, files, entry.language))
    archive = f"ud-treebanks-v{version}.tgz"
    sha256 = row["sha256"] or call.first_use(archive)
    return Origin(LINDAT.format(row["handle"], archive), folders, sha256)


def _rows(origin: Origin, call: FetchCall) -> list[Row]:
    """Return the rows of an origin's folders, from the disk or else from the network."""
    if None in (rows := [call.existing(folder) for folder in origin.folders]):
        with stage_in(call.cache) as stage:
            # another process may have brought them meanwhile
            if None in (rows := [call.existing(folder) for folder in origin.folders]):
                return _fetched(origin, stage, call)
    return [row for row in rows if row]


def _fetched(origin: Origin, stage: Path, call: FetchCall) -> list[Row]:
    """Download an origin; return the rows of the folders that are made of it."""
    packed = stage / Path(urlsplit(origin.url).path).name
    sha256 = download(origin.url, packed, call.progress, origin.sha256 or "")
    files: dict[str, dict[Path, str]] = defaultdict(dict)

    def target(path: str) -> Path | None:
        path = path.partition("/")[2]  # without the one folder at the top
        names = (folder.name for folder in origin.folders if folder.files.fullmatch(path))
        name = next(names, SHARED if README.fullmatch(path) or LICENCE.fullmatch(path) else None)
        if name is None:
            return None
        file = stage / f"_{name}" / path.rpartition("/")[2]
        file.parent.mkdir(exist_ok=True)
        files[name][file] = path
        return file

    commit = ""
    if packed.suffix in (".gz", ".tgz"):
        commit = unpack(packed, target, call.progress)
    else:
        files[origin.folders[0].name][packed] = packed.name
    shared, rows = files.pop(SHARED, {}), []
    for folder in origin.folders:
        if not (own := files.get(folder.name)):
            continue
        folder_stage = stage / f"_{folder.name}"
        own |= {Path(shutil.copy(file, folder_stage)): path for file, path in shared.items()}
        if folder.version == NEWEST:
            if not COMMIT.fullmatch(commit):
                wrong = f"the archive names no commit, but {commit!r:.200}"
                raise InputError(origin.url, wrong, "another mirror", kind="format")
            commit = call.first_use(folder.name.replace(":", "/"), commit)
            folder = replace(folder, version=commit)
        if origin.sha256 is None:  # the code host may pack the same files anew
            call.first_use(f"content of {folder.name}@{folder.version}", content_hash(own))
        source = {"url": origin.url, "sha256": sha256}
        rows.append(call.existing(folder) or call.put(folder, own, source))
    if origin.sha256 is not None:
        call.first_use(packed.name, sha256)
    if not rows:
        folder = origin.folders[0]
        location, wrong = f"{folder.name}@{folder.version}", f"has no data in {origin.url}"
        raise InputError(location, wrong, "another version", kind="missing")
    return rows
