"""Treebanks from a release's one archive, which is read member by member without trust in it.

The archive is brought first and its checksum settled. It is refused as a whole for names that lead
outside, links and devices, sparse files, the same name twice, too many members, too much text, or
more text than honest packing can hold.
"""

import gzip
import json
import math
import os
import re
import shutil
import tarfile
import zlib
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from colorless_green.data.errors import InputError
from colorless_green.data.fetch import catalogue
from colorless_green.data.fetch.folder import Download, FetchCall, locked, treebank, writing
from colorless_green.data.files import sha256_file, write_whole
from colorless_green.data.progress import Progress, silent
from colorless_green.data.tables import Row

WHOLE = "whole_release.json"  # what all treebanks of the archive are called

BLOCK = 1 << 16
MOST_HEADER_BYTES = 1 << 20  # tarfile reads a header whole, however long it says it is
DRIVE = re.compile(r"[A-Za-z]:")


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """What an archive may hold at most."""

    n_members: int = 100_000  # release 2.18 has about 3,000
    n_bytes: int = 64 << 30  # unpacked, all members
    ratio: float = 100.0  # unpacked to packed; treebanks come to about 8
    n_free_bytes: int = 64 << 20  # unpacked, before the ratio counts


class _LimitedStream(gzip.GzipFile):
    """The unpacked stream of a packed file, which stops where it gets too long to be true."""

    def __init__(self, packed: IO[bytes], place: str, limits: ArchiveLimits) -> None:
        super().__init__(fileobj=packed, mode="rb")
        self.packed, self.place, self.limits, self.n_bytes = packed, place, limits, 0
        self.most_bytes = float(MOST_HEADER_BYTES)  # where the header that is read must have ended

    def read(self, size: int | None = -1) -> bytes:
        block = super().read(min(size, BLOCK) if size and size > 0 else BLOCK)
        self.n_bytes += len(block)
        honest = max(self.limits.n_free_bytes, self.limits.ratio * self.packed.tell())
        if self.n_bytes > min(honest, self.limits.n_bytes, self.most_bytes):
            raise _refusal(self.place, f"unpacks to more than {self.n_bytes - len(block)} bytes")
        return block


def unpack(
    archive: Path,
    target: Callable[[tuple[str, ...]], Path | None],
    progress: Progress = silent,
    limits: ArchiveLimits = ArchiveLimits(),
) -> None:
    """Writes the plain files of a gzipped tar archive to new files, in the archive's order.

    Args:
        archive: the `.tgz` file.
        target: where to write a member, given the parts of its name; None to pass over it.
        progress: told the packed KiB that were read.
        limits: what the archive may hold at most.

    Raises:
        InputError: "unsafe" at the first member that an honest archive would not have, "format"
            where the archive is not whole; what was written until then stays.
        FileExistsError: `target` named a file that is there.

    Example:
        unpack(Path("ud.tgz"), lambda parts: folder / parts[-1])
    """
    place, size_kib, seen = str(archive), archive.stat().st_size >> 10, set[str]()
    try:
        with open(archive, "rb") as packed, _LimitedStream(packed, place, limits) as unpacked:
            with tarfile.open(fileobj=unpacked, mode="r|", errorlevel=0) as members:
                for member in members:
                    unpacked.most_bytes = math.inf
                    parts = _checked(member, seen, place, limits)
                    progress(f"{archive.name} (KiB)", packed.tell() >> 10, size_kib)
                    path = target(parts) if member.isreg() else None
                    stream = members.extractfile(member) if path else None
                    if path and stream:
                        with open(path, "xb") as out:
                            shutil.copyfileobj(stream, out, BLOCK)
                    unpacked.most_bytes = members.offset + MOST_HEADER_BYTES
            unpacked.most_bytes = math.inf
            while unpacked.read(BLOCK):
                pass  # to the end of the packed data, where their checksum stands
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile, ValueError) as error:
        # tarfile raises a ValueError at times
        wrong = f"this is not a complete archive ({str(error)!r:.200})"
        raise InputError(place, wrong, "remove it and fetch again", kind="format") from error


def _checked(
    member: tarfile.TarInfo, seen: set[str], place: str, limits: ArchiveLimits
) -> tuple[str, ...]:
    """The parts of a member's name; `InputError` if no honest archive would have the member."""
    name, shown = member.name, f"{member.name!r:.200}"
    parts = tuple(part for part in name.split("/") if part not in ("", "."))
    folded = "/".join(parts).casefold()
    leads_out = name.startswith("/") or ".." in parts or any(map(DRIVE.match, parts))
    if leads_out or "\\" in name or not name.isprintable():
        raise _refusal(place, f"{shown} leads out of the archive")
    if member.type not in (tarfile.DIRTYPE, tarfile.REGTYPE, tarfile.AREGTYPE) or member.issparse():
        raise _refusal(place, f"{shown} is neither a plain file nor a folder")
    if folded in seen and not member.isdir():
        raise _refusal(place, f"{shown} comes twice")
    seen.add(folded)
    if len(seen) > limits.n_members:
        raise _refusal(place, f"has more than {limits.n_members} members")
    return parts


def _refusal(place: str, wrong: str) -> InputError:
    return InputError(place, wrong, "the archive as it was released", kind="unsafe")


def from_archive(version: str, names: Collection[str], code: str, do: FetchCall) -> list[Row]:
    """Return the treebanks named and those of a language, or (neither) all, of an archive.

    The archive stays in the cache after a part of it was taken, and goes when all was.
    """
    folder, whole = do.cache / "ud" / f"r{version}", not (names or code)

    def wanted(repository: str) -> bool:
        language = repository.removeprefix("UD_").partition("-")[0]
        of_code = bool(code) and catalogue.language_code(language) == code
        return whole or of_code or repository in names

    with locked(folder, do.cache):
        try:
            listed = json.loads((folder / WHOLE).read_text(encoding="utf-8"))
            listed = [name for name in listed if catalogue.REPOSITORY.fullmatch(name)]
        except (OSError, ValueError, TypeError):
            listed = []  # not fetched yet, or not whole
        cached = [_at_hand(treebank(name, version), do) for name in listed if wanted(name)]
        rows = [row for row in cached if row]
        if not rows or len(rows) < len(cached):
            archive, rows = _unpacked(version, wanted, do)
            if whole and rows and do.out is None:
                with write_whole(folder / WHOLE) as stream:
                    json.dump([row["name"] for row in rows], stream, indent=1)
                    stream.write("\n")
                archive.unlink()
    missing = sorted(set(names) - {row["name"] for row in rows})
    if missing or not rows:
        place, wrong = f"{(missing or ['release'])[0]}@{version}", "is not in the archive with text"
        raise InputError(place, wrong, "another release", kind="missing")
    return rows


def _at_hand(download: Download, do: FetchCall) -> Row | None:
    with locked(do.folder(download), do.cache):
        return do.at_hand(download)


def _unpacked(version: str, wanted: Callable[[str], bool], do: FetchCall) -> tuple[Path, list[Row]]:
    """Return a release's archive and the rows of those of its treebanks that are wanted.

    The archive's checksum is that of the table or, where that has none, of the first use.
    """
    release = catalogue.release_of(version)
    path = do.cache / "archives" / f"ud-treebanks-v{version}.tgz"
    sha256 = release.sha256 or do.first_use(path.name)
    for left in path.parent.glob(f".{path.name}.*"):
        left.unlink()  # of a call that was killed
    digest = sha256_file(path) if path.is_file() else ""
    if not digest or sha256 not in ("", digest):
        digest = do.source.bring_archive(release.handle, path, sha256)
    stage = (do.out or do.cache / "ud" / f"r{version}") / f".release-{version}.part"

    def target(parts: tuple[str, ...]) -> Path | None:
        if len(parts) != 3 or not catalogue.REPOSITORY.fullmatch(parts[1]):
            return None
        entry = catalogue.treebank_named(parts[1])  # as it is called now
        folder = stage / (entry.repository if entry else parts[1])
        if not (wanted(folder.name) and catalogue.is_kept(parts[2])):
            return None
        folder.mkdir(parents=True, exist_ok=True)
        return folder / parts[2]

    facts, rows, withheld = {"archive": path.name, "sha256": digest}, [], []
    shutil.rmtree(stage, ignore_errors=True)  # of an interrupted call: the archive is read again
    try:
        with writing(stage):
            unpack(path, target, do.source.progress)
            for folder in sorted(stage.iterdir()) if stage.exists() else ():
                if row := _put(folder, treebank(folder.name, version), facts, do):
                    rows.append(row)
                else:
                    withheld.append(folder.name)
    except InputError as error:
        if error.kind in ("format", "unsafe") and not sha256:
            path.unlink()  # a page that says "moved", say: it must not be taken for known
        raise
    finally:
        shutil.rmtree(stage, ignore_errors=True)
    do.first_use(path.name, digest)
    if withheld:
        do.notes.append(f"left out, since their texts are withheld: {', '.join(withheld)}")
    return path, rows


def _put(unpacked: Path, download: Download, facts: dict[str, str], do: FetchCall) -> Row | None:
    """Move a treebank's unpacked files where they go; None if its texts are withheld."""
    readme = catalogue.text_of(unpacked, os.listdir(unpacked), catalogue.README)
    if catalogue.withholds_text(readme):
        return None

    def fill(folder: Path) -> None:
        for path in unpacked.iterdir():
            path.rename(folder / path.name)

    with locked(do.folder(download), do.cache):
        return do.at_hand(download) or do.put(download, facts, fill)
