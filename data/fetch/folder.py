"""A fetched folder: where it goes, what it was on its first use, and how it gets into its place.

A folder appears under its name in one step, after every file in it was checked, with a
`manifest.json` that says what it is and lists the files. Until then it is `.NAME.part` beside it,
where an interrupted call goes on. One process at a time works on one folder.
"""

import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from colorless_green.data.errors import InputError
from colorless_green.data.fetch import catalogue
from colorless_green.data.fetch.catalogue import LICENCE, README, RELEASE_FILE, text_of
from colorless_green.data.fetch.catalogue import licence_of as licence_of
from colorless_green.data.fetch.transfer import Blob, DownloadSource, locked, writing
from colorless_green.data.fetch.transfer import HttpSettings as HttpSettings
from colorless_green.data.files import MANIFEST, read_manifest, write_manifest, write_whole
from colorless_green.data.tables import Row

COLUMNS = ("name", "version", "language", "licence", "path", "size_bytes", "status")
WITHHELD = "withheld"  # texts that are not public: every form is "_"


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """The folder the environment variable COLORLESS_CACHE names, or the system's for caches."""
    if environment.get("COLORLESS_CACHE"):
        return Path(environment["COLORLESS_CACHE"]).expanduser()
    from platformdirs import user_cache_path

    return user_cache_path("colorless-green", appauthor=False)


def about(folder: Path) -> dict[str, Any] | None:
    """What a folder's manifest says, without a look at its files; None if it has none."""
    try:
        value = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def _verified(folder: Path) -> dict[str, Any]:
    """What a folder's manifest says if every file it lists is there as it was; else nothing."""
    try:
        return dict(read_manifest(folder))
    except InputError:
        return {}


@dataclass(frozen=True, slots=True)
class Download:
    """A folder to be had."""

    kind: str  # "treebank" or "published set"
    name: str  # "UD_Italian-ISDT", "multiblimp:nld"
    version: str  # "2.16", or a commit
    place: Path  # in the cache: ud/r2.16/UD_Italian-ISDT
    language: str = ""  # "": the names of its files tell
    licence: str = ""  # SPDX id; "": its own files tell


@dataclass(frozen=True, slots=True)
class FetchCall:
    """What all parts of one call of `fetch` share, and how a folder gets into its place."""

    source: DownloadSource
    cache: Path
    out: Path | None  # None: into the cache
    now: str  # for the manifest
    notes: list[str] = field(default_factory=list)  # what is to be said at the end

    def first_use(self, key: str, value: str = "") -> str:
        """What was recorded under `key` on its first use; if nothing was, `value` now is.

        Raises `InputError` if it was another value.
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
        first = values.get(key, value)
        if value and first != value:
            wrong = f"is not what it was on its first use: its hash is {value}, was {first}"
            right = f"the old state; if you trust the new one, remove the entry from {path}"
            raise InputError(key, wrong, right, kind="changed")
        return first

    def treebank(self, repository: str, release: str) -> Download:
        """A treebank as it was in a release."""
        return Download("treebank", repository, release, Path("ud", f"r{release}", repository))

    def folder(self, download: Download) -> Path:
        """Where a folder goes: into the cache, or under `--out`."""
        if self.out is None:
            return self.cache / download.place
        return self.out / download.name.replace(":", "-")

    def staging(self, download: Download) -> Path:
        """The folder in which it is put together; what an interrupted call left is in it."""
        folder = self.folder(download)
        path = folder.with_name(f".{folder.name}.part")
        with writing(path):
            path.mkdir(parents=True, exist_ok=True)
        return path

    def at_hand(self, download: Download) -> Row | None:
        """The row of a folder that stands with all its files as they were, or in the cache.

        Raises `InputError` where `--out` already has a folder of that name that is something else.
        """
        folder, cached = self.folder(download), self.cache / download.place
        facts = _verified(folder)
        if (facts.get("name"), facts.get("version")) == (download.name, download.version):
            return self.row(folder, facts, "cached")
        if self.out is None:
            return None
        if folder.exists():
            wrong = f"exists and is not {download.name} {download.version}"
            raise InputError(str(folder), wrong, "another --out", kind="conflict")
        facts = _verified(cached)
        if not facts:
            return None
        staged = self.staging(download)
        with writing(folder):
            shutil.rmtree(staged)
            staged.mkdir()
            for name in (*facts["files"], MANIFEST):
                shutil.copyfile(cached / name, staged / name)
            staged.rename(folder)
        return self.row(folder, facts, "copied")

    def row(self, folder: Path, facts: Mapping[str, Any], status: str) -> Row:
        """The row for a folder with its manifest."""
        if facts["note"]:
            self.notes.append(f"{facts['name']}: {facts['note']}")
        size = sum((folder / name).stat().st_size for name in facts["files"])
        shown = {name: facts[name] or None for name in COLUMNS[:4]}
        return {**shown, "path": str(folder), "size_bytes": size, "status": status}

    def delivered(
        self, download: Download, where: tuple[str, str, str], files: Callable[[], Sequence[Blob]]
    ) -> Row:
        """The row of a folder: at hand, or its files fetched from (host, repository, revision)."""
        with locked(self.folder(download), self.cache):
            if row := self.at_hand(download):
                return row
            masked = f"text of {download.name}@{download.version}"
            if not self.first_use(masked):
                if row := self.fetched(download, where, files()):
                    return row
                self.first_use(masked, WITHHELD)
            return {"name": download.name, "version": download.version, "status": WITHHELD}

    def fetched(
        self, download: Download, where: tuple[str, str, str], files: Sequence[Blob]
    ) -> Row | None:
        """The row of a folder with these files, each checked, under their last names; None for a
        treebank without text (its README comes first)."""
        blobs = {blob.path.rpartition("/")[2]: blob for blob in files}
        if len({name.casefold() for name in blobs}) < len(files):
            wrong = "two of its files have one name"
            raise InputError(download.name, wrong, "another revision", kind="conflict")
        staged = self.staging(download)
        for name in sorted(blobs, key=lambda name: not README.fullmatch(name)):
            path, blob = staged / name, blobs[name]
            if not (path.is_file() and not blob.fault_of(path)):
                self.source.bring(*where, blob, path)
            readme = text_of(staged, [name], README)
            if download.kind == "treebank" and catalogue.withholds_text(readme):
                shutil.rmtree(staged)
                return None
        lines = sorted(f"{blob.hash} {blob.path}\n" for blob in files)
        self.first_use(f"{download.name}@{where[2]}", sha256("".join(lines).encode()).hexdigest())
        facts = dict(zip(("host", "repository", "revision"), where, strict=True))
        hashes = {name: blob.hash for name, blob in blobs.items()}
        return self.finished(download, {**facts, "hashes": hashes}, list(blobs))

    def finished(
        self, download: Download, source: Mapping[str, object], names: Sequence[str]
    ) -> Row:
        """Gives the staged files their manifest and, in one step, their folder's name.

        What else was staged goes; a folder that stood there (whose files were changed, or it would
        not be replaced) goes only after the new one stands.
        """
        folder, staged = self.folder(download), self.staging(download)
        old = folder.with_name(f".{folder.name}.old")
        readme, terms = (text_of(staged, names, which) for which in (README, LICENCE))
        licence, note = (download.licence, "") if download.licence else licence_of(readme, terms)
        codes = [match[1] for name in names if (match := RELEASE_FILE.fullmatch(name))]
        facts = {name: getattr(download, name) for name in ("kind", "name", "version")}
        facts |= {"language": download.language or "".join(codes[:1]), "retrieved": self.now}
        with writing(folder):
            for path in staged.iterdir():
                if path.name not in names:
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
            write_manifest(staged, names, {**facts, "licence": licence, "note": note, **source})
            shutil.rmtree(old, ignore_errors=True)
            if folder.exists():
                folder.rename(old)
            staged.rename(folder)
            shutil.rmtree(old, ignore_errors=True)
        return self.row(folder, about(folder) or {}, "fetched")
