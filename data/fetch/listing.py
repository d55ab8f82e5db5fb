"""Which files a revision of a repository has, with the hash of each."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from colorless_green.data.errors import InputError
from colorless_green.data.fetch import address
from colorless_green.data.fetch.address import Origin
from colorless_green.data.fetch.transfer import Expected, blob_id, text_at
from colorless_green.data.fetch.wire import Wire, shown

MOST_LIST_BYTES = 64 << 20  # the code host itself stops at 7 MB
MOST_FILE_BYTES = 4 << 30  # of one file; the largest of release 2.18 has a tenth of it
MOST_FOLDER_FILES = 100_000
PLAIN_FILE = ("100644", "100755")  # modes of git; 120000 is a link, 160000 another repository
HEX = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
COMMIT = re.compile(r"[0-9a-f]{40}")
SAFE_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")
DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Blob:
    """A file of a revision."""

    path: str  # in the repository, with slashes
    size: int
    hash: str  # git blob id (40 hex digits), or SHA-256 (64) of a file kept outside git

    @property
    def expected(self) -> Expected:
        """What a download of it is checked against."""
        if len(self.hash) == 64:
            return Expected(self.size, self.size, sha256=self.hash)
        return Expected(self.size, self.size, blob=self.hash)


def blobs(
    source: Origin, host: str, repository: str, revision: str, wire: Wire
) -> tuple[Blob, ...]:
    """All plain files of a revision whose path is safe, by path; for a folder as mirror, those
    that lie there. On the code host only the top level of a treebank's repository is asked for.

    Raises `NotThere` if the server does not know it, `InputError` for an answer that is no list.
    """
    if source.folder is not None:
        folder = address.file_in(source.folder, host, repository, revision)
        return tuple(_in_folder(folder))
    url = address.listing(source, host, repository, revision)
    deep = "" if host == "hub" or _top_level_suffices(repository) else "?recursive=1"
    text = text_at(url + deep, MOST_LIST_BYTES, wire, "application/json")
    return tuple(sorted(_parsed(text, url), key=lambda blob: blob.path))


def _top_level_suffices(repository: str) -> bool:
    # Below it lie thousands of files that are not part of a release
    return repository.startswith("UniversalDependencies/")


def _in_folder(folder: Path) -> Iterator[Blob]:
    if not folder.is_dir():
        raise InputError(
            str(folder), "the mirror has no such folder", "a mirror that has it", kind="missing"
        )
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    for path in paths[:MOST_FOLDER_FILES]:
        name = path.relative_to(folder).as_posix()
        if is_safe(name):
            yield Blob(name, path.stat().st_size, blob_id(path))


def _parsed(text: str, url: str) -> Iterator[Blob]:
    try:
        value = json.loads(text)
        if isinstance(value, dict):
            if value.get("truncated"):
                raise InputError(
                    shown(url), "its list of files is cut short", "another --mirror", kind="network"
                )
            found = [_of_code_host(each) for each in value["tree"]]
        else:
            found = [_of_hub(each) for each in value]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError(
            shown(url),
            "what it sends is no list of files",
            "another --mirror, or try later",
            kind="format",
        ) from None
    for blob in found:
        if blob is not None and is_safe(blob.path) and 0 <= blob.size <= MOST_FILE_BYTES:
            yield blob


def _of_code_host(each: dict[str, Any]) -> Blob | None:
    if each["type"] != "blob" or each.get("mode", PLAIN_FILE[0]) not in PLAIN_FILE:
        return None
    return _blob(each["path"], each["size"], each["sha"])


def _of_hub(each: dict[str, Any]) -> Blob | None:
    if each["type"] != "file":
        return None
    kept = each.get("lfs") or each
    return _blob(each["path"], kept["size"], kept["oid"])


def _blob(path: object, size: object, digest: object) -> Blob:
    if not (isinstance(path, str) and isinstance(digest, str)) or type(size) is not int:
        raise TypeError
    if HEX.fullmatch(digest) is None:
        raise ValueError
    return Blob(path, size, digest)


def is_safe(path: str) -> bool:
    """Whether every part of a path is a plain name, on any system."""
    parts = path.split("/")
    return all(SAFE_PART.fullmatch(each) and not DEVICES.fullmatch(each) for each in parts) and (
        len(path) <= 240
    )


def newest_revision(source: Origin, repository: str, wire: Wire) -> str:
    """The commit a repository's default branch is at. Raises `NotThere`, or `InputError`."""
    url = address.head(source, repository)
    try:
        commit = json.loads(text_at(url, MOST_LIST_BYTES, wire, "application/json"))["sha"]
    except (ValueError, KeyError, TypeError, RecursionError):
        commit = ""
    if not isinstance(commit, str) or COMMIT.fullmatch(commit) is None:
        raise InputError(
            shown(url), "what it sends names no commit", "another --mirror", kind="network"
        )
    return commit


def fingerprint(files: Iterable[Blob]) -> str:
    """One SHA-256 for a list of files, whatever their order: paths and hashes."""
    lines = sorted(f"{blob.hash} {blob.path}\n" for blob in files)
    return sha256("".join(lines).encode()).hexdigest()
