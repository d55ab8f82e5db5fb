"""Where things are on the network: the shape of every address, in one place.

A mirror takes the place of all hosts. As a base address (`https://example.org/ud`) it answers the
same paths as the hosts do:

    BASE/repos/OWNER/NAME/git/trees/REVISION         list of the files, as the code host gives it
    BASE/repos/OWNER/NAME/commits/HEAD               the newest revision (only where none is pinned)
    BASE/OWNER/NAME/REVISION/PATH                    a file
    BASE/api/datasets/OWNER/NAME/tree/REVISION       list of the files of a data set on the hub
    BASE/datasets/OWNER/NAME/resolve/REVISION/PATH   a file of it
    BASE/repository/server/api/core/bitstreams/handle/11234/HANDLE/ud-treebanks-vX.Y.tgz

As a folder (a path, or a `file://` address) it holds the files at the same places and needs no
lists; an archive may also lie at its top.
"""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from colorless_green.data.errors import InputError
from colorless_green.data.fetch.catalogue import Release

CODE_HOST = "https://api.github.com"
FILE_HOST = "https://raw.githubusercontent.com"
HUB = "https://huggingface.co"
LINDAT = "https://lindat.mff.cuni.cz"
PLACE = "--mirror"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where things are asked for: the hosts themselves, a mirror's address, or a folder."""

    base: str = ""  # without a slash at its end; "" for the hosts themselves
    folder: Path | None = None


def origin(mirror: str) -> Origin:
    """The origin that `--mirror` names; "" for the hosts themselves.

    Raises `InputError` for what is neither an http(s) address nor a folder that exists.
    """
    if not mirror:
        return Origin()
    try:
        parts = urlsplit(mirror)
    except ValueError:
        raise InputError(
            PLACE, f"{mirror!r} is no address", "an http(s) address", kind="value"
        ) from None
    if parts.scheme in ("http", "https") and parts.netloc:
        if parts.query or parts.fragment:
            raise InputError(
                PLACE, f"{mirror!r} has a query", "an address that paths can follow", kind="value"
            )
        return Origin(base=mirror.rstrip("/"))
    folder = Path(unquote(parts.path)) if parts.scheme == "file" else Path(mirror)
    if not folder.is_dir():
        raise InputError(
            PLACE,
            f"there is no folder {mirror!r}",
            "a folder, or an http(s) address",
            kind="missing",
        )
    return Origin(folder=folder)


def listing(source: Origin, host: str, repository: str, revision: str) -> str:
    """Address of the list of all files of a revision with their blob ids."""
    if host == "hub":
        path = f"api/datasets/{repository}/tree/{revision}"
        return f"{source.base or HUB}/{quote(path)}?recursive=true"
    return f"{source.base or CODE_HOST}/{quote(f'repos/{repository}/git/trees/{revision}')}"


def head(source: Origin, repository: str) -> str:
    """Address that tells the newest revision of a repository on the code host."""
    return f"{source.base or CODE_HOST}/{quote(f'repos/{repository}/commits/HEAD')}"


def file(source: Origin, host: str, repository: str, revision: str, path: str) -> str:
    """Address of one file of a revision."""
    base = source.base or (HUB if host == "hub" else FILE_HOST)
    return f"{base}/{quote(_file_path(host, repository, revision, path))}"


def file_in(folder: Path, host: str, repository: str, revision: str, path: str = "") -> Path:
    """Where a folder that serves as a mirror has one file of a revision (or all of them)."""
    return folder / _file_path(host, repository, revision, path)


def _file_path(host: str, repository: str, revision: str, path: str) -> str:
    if host == "hub":
        return f"datasets/{repository}/resolve/{revision}/{path}"
    return f"{repository}/{revision}/{path}"


def archive_name(version: str) -> str:
    """What the archive of a release is called."""
    return f"ud-treebanks-v{version}.tgz"


def archives(source: Origin, release: Release) -> tuple[str, ...]:
    """Addresses of a release's archive, to be tried in this order: the repository moved once."""
    base, name = source.base or LINDAT, archive_name(release.version)
    return tuple(
        f"{base}/repository/{way}/handle/11234/{release.handle}/{name}"
        for way in ("server/api/core/bitstreams", "xmlui/bitstream")
    )


def archives_in(folder: Path, release: Release) -> tuple[Path, ...]:
    """Where a folder that serves as a mirror may have a release's archive."""
    deep = "repository/server/api/core/bitstreams/handle/11234"
    name = archive_name(release.version)
    return (folder / name, folder / deep / release.handle / name)
