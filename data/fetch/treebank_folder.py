"""A fetched folder: its path, its checksum at first use, and how it is filled.

A folder appears under its name in one step, after every file in it was checked, with a
`manifest.json` that says what it is and lists the files.
"""

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..files import (
    MANIFEST,
    read_manifest,
    sha256_file,
    unwritable,
    write_folder,
    write_whole,
)
from ..tables import Row
from . import catalogue
from ._transfer import Network
from .catalogue import LICENCE, README, RELEASE_FILE, text_of

COLUMNS = ("name", "version", "language", "licence", "path", "size_bytes", "status")
WITHHELD = "withheld"  # texts that are not public: every form is "_"


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder that COLORLESS_CACHE names, or else the system's folder for caches."""
    if environment.get("COLORLESS_CACHE"):
        return Path(environment["COLORLESS_CACHE"]).expanduser()
    from platformdirs import user_cache_path

    return user_cache_path("colorless-green", appauthor=False)


def folder_facts(folder: Path) -> dict[str, Any] | None:
    """Return a folder's manifest without checking its files; None if it has none."""
    try:
        value = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn the error of a full disk, or of a folder we may not write to, into an `InputError`."""
    try:
        yield
    except OSError as error:
        raise unwritable(path, error) from error


@contextmanager
def locked(path: Path, cache: Path) -> Iterator[None]:
    """Lock `path` against other processes. The system frees the lock of a dead process."""
    name = hashlib.sha256(str(path.absolute()).encode()).hexdigest()[:32]
    with writing(cache):
        (cache / "locks").mkdir(parents=True, exist_ok=True)
        handle = open(cache / "locks" / name, "ab")  # noqa: SIM115  # closed below
    with handle:
        with suppress(OSError):  # where the system or the disk has no locks, nothing waits
            if sys.platform == "win32":
                import msvcrt

                msvcrt.locking(handle.fileno(), msvcrt.LK_LOCK, 1)
            else:
                import fcntl

                fcntl.flock(handle, fcntl.LOCK_EX)
        yield


@dataclass(frozen=True, slots=True)
class Download:
    """A folder to fetch."""

    kind: str  # "treebank" or "published set"
    name: str  # "UD_Italian-ISDT", "multiblimp:nld"
    version: str  # "2.16", or a commit
    path: Path  # in the cache: ud/r2.16/UD_Italian-ISDT
    language: str = ""  # "": known from the names of its files
    licence: str = ""  # SPDX id; "": known from its own files

    def facts_in(self, folder: Path) -> dict[str, Any]:
        """Return a folder's manifest if it is this download's and no file has changed; else {}."""
        with suppress(InputError):
            facts = read_manifest(folder)
            if (facts.get("name"), facts.get("version")) == (self.name, self.version):
                return facts
        return {}


def treebank(repository: str, release: str) -> Download:
    """Return the download of a treebank as it was in a release."""
    return Download("treebank", repository, release, Path("ud", f"r{release}", repository))


@dataclass(frozen=True, slots=True)
class FetchCall:
    """One call of `fetch`: what all its parts share, and how it fills a folder."""

    network: Network
    cache: Path
    out: Path | None  # None: into the cache
    now: str  # for the manifest
    notes: list[str] = field(default_factory=list)  # messages for the end

    def first_use(self, key: str, value: str = "") -> str:
        """Return what was recorded under `key` at its first use; if nothing was, record `value`.

        Raises `InputError` if `value` is another one.
        """
        path = self.cache / "first_use.json"
        with locked(path, self.cache):
            try:
                record = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
                values = {name: str(record[name]["value"]) for name in record}
            except (OSError, ValueError, KeyError, TypeError):
                wrong, right = "this is not a record of first uses", "the file as it was, or none"
                raise InputError(str(path), wrong, right, kind="format") from None
            if value and key not in record:
                record[key] = {"value": value, "first_use": self.now}
                with write_whole(path) as stream:
                    json.dump(record, stream, ensure_ascii=False, indent=1, sort_keys=True)
                    stream.write("\n")
        earlier = values.get(key, value)
        if value and earlier != value:
            wrong = f"is not what it was on its first use: its hash is {value}, was {earlier}"
            right = f"the old state; if you trust the new one, remove the entry from {path}"
            raise InputError(key, wrong, right, kind="changed")
        return earlier

    def folder(self, download: Download) -> Path:
        """Return the path that a folder gets: in the cache, or under `--out`."""
        if self.out is None:
            return self.cache / download.path
        return self.out / download.name.replace(":", "-")

    def existing_row(self, download: Download) -> Row | None:
        """Return the row of a folder that exists unchanged, or is copied from the cache, or whose
        text was found to be withheld; None if it is to be fetched.

        Raises `InputError` if `--out` has a folder of that name that is something else.
        """
        folder, cached = self.folder(download), self.cache / download.path
        if facts := download.facts_in(folder):
            return self.row(folder, facts, "cached")
        if self.out and folder.exists():
            wrong = f"exists and is not {download.name} {download.version}"
            raise InputError(str(folder), wrong, "another --out", kind="conflict")
        if facts := download.facts_in(cached):
            with write_folder(folder, facts) as staged, writing(folder):
                for name in facts["files"]:
                    shutil.copyfile(cached / name, staged / name)
            return self.row(folder, facts, "copied")
        if self.first_use(f"text of {download.name}@{download.version}"):
            return {"name": download.name, "version": download.version, "status": WITHHELD}
        return None

    def row(self, folder: Path, facts: Mapping[str, Any], status: str) -> Row:
        """Return the row for a folder with its manifest."""
        if facts["note"]:
            self.notes.append(f"{facts['name']}: {facts['note']}")
        size = sum((folder / name).stat().st_size for name in facts["files"])
        cells = {name: facts[name] or None for name in COLUMNS[:4]}
        return {**cells, "path": str(folder), "size_bytes": size, "status": status}

    def put(self, download: Download, files: Mapping[Path, str], source: Mapping[str, str]) -> Row:
        """Move files into their folder, with a manifest, in one step; return its row.

        Args:
            download: which folder.
            files: where each file is → its path in the archive or repository.
            source: facts for the manifest. Of a revision, the hash of all files together is
                recorded at its first use, and must be that later.
        """
        name, names = f"{download.name}@{download.version}", {path.name: path for path in files}
        readme, terms = (text_of(names, which) for which in (README, LICENCE))
        if download.kind == "treebank" and catalogue.withholds_text(readme):
            self.first_use(f"text of {name}", WITHHELD)
            return {"name": download.name, "version": download.version, "status": WITHHELD}
        if "revision" in source:
            lines = sorted(f"{sha256_file(file)} {path}\n" for file, path in files.items())
            self.first_use(
                f"content of {name}", hashlib.sha256("".join(lines).encode()).hexdigest()
            )
        codes = [match[1] for name in sorted(names) if (match := RELEASE_FILE.fullmatch(name))]
        declared = download.licence and (download.licence, "")
        licence, note = declared or catalogue.licence_of(readme, terms)
        facts = {key: getattr(download, key) for key in ("kind", "name", "version")}
        facts |= {"retrieved": self.now, **source, "licence": licence, "note": note}
        facts["language"] = download.language or "".join(codes[:1])
        folder = self.folder(download)
        with write_folder(folder, facts) as staged:
            for file in files:
                shutil.move(file, staged / file.name)
        return self.row(folder, folder_facts(folder) or {}, "fetched")
