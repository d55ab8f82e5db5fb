"""A whole release, or some of its treebanks, from its one archive.

The archive is brought first, resumed like any file, and its checksum settled: the one of the table,
or the one recorded when it was first used. Then it is read once, member by member.
"""

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.fetch import address, archive
from colorless_green.data.fetch.cache import (
    Errand,
    agrees,
    locked,
    recalled,
    staging,
    unusable,
)
from colorless_green.data.fetch.catalogue import REPOSITORY, Release, entry_named, release_of
from colorless_green.data.fetch.licence import withholds_text
from colorless_green.data.fetch.parcel import Delivery, at_hand, destination, finished
from colorless_green.data.fetch.transfer import Expected, download, fault_of
from colorless_green.data.fetch.treebanks import is_release_file, treebank_parcel
from colorless_green.data.fetch.wire import NotThere
from colorless_green.data.files import sha256_file, write_whole

MOST_BYTES = 16 << 30  # packed; release 2.18 has 0.7 GB
WHOLE = "whole_release.json"  # what all treebanks of the archive are called


def fetch_release(
    version: str, wanted: Callable[[str], bool], whole: bool, errand: Errand
) -> list[Delivery]:
    """The treebanks of a release whose repository is `wanted`, by name; those without text are
    left out. `whole` says that `wanted` takes every one.

    The archive stays in the cache after a part of it was taken, and goes when all was. Raises
    `InputError` if nothing in it is wanted.
    """
    folder = _folder(version, errand)
    with locked(errand.cache, folder, errand.wire.sleep):
        names = _names_of_whole(folder)
        if names is not None:
            found = [_at_hand(name, version, errand) for name in names if wanted(name)]
            if found and all(found):
                return [each for each in found if each is not None]
        release = release_of(version)
        if release is None:
            raise InputError(
                f"release {version}",
                "where its archive lies is not known",
                "single treebanks",
                kind="format",
            )
        path, sha256 = archive_of(release, errand)
        try:
            deliveries, withheld = _unpacked(path, sha256, version, wanted, errand)
        except InputError:
            if errand.source.folder is None and not known_sha256(release, errand):
                path.unlink()  # a page that says "moved", say: it must not be taken for known
            raise
        agrees(errand, path.name, sha256)
        if not deliveries:
            raise InputError(
                str(path), "holds no treebank that was asked for", "other names", kind="empty"
            )
        if whole and errand.out is None:
            _note_whole(folder, [str(each.row["name"]) for each in deliveries])
            if errand.source.folder is None:
                path.unlink(missing_ok=True)
    if withheld:
        last = deliveries[-1]
        note = f"left out, since their texts are withheld: {', '.join(sorted(withheld))}"
        deliveries[-1] = Delivery(last.row, (*last.notes, note))
    return deliveries


def _folder(version: str, errand: Errand) -> Path:
    return (errand.cache / treebank_parcel("UD_Any", version).place).parent


def _names_of_whole(folder: Path) -> list[str] | None:
    try:
        names = json.loads((folder / WHOLE).read_text(encoding="utf-8"))
        return [str(name) for name in names if REPOSITORY.fullmatch(name)]
    except (OSError, ValueError, TypeError):
        return None


def _note_whole(folder: Path, names: list[str]) -> None:
    with write_whole(folder / WHOLE) as stream:
        json.dump(sorted(names), stream, indent=1)
        stream.write("\n")


def _at_hand(repository: str, version: str, errand: Errand) -> Delivery | None:
    parcel = treebank_parcel(repository, version)
    with locked(errand.cache, destination(parcel, errand), errand.wire.sleep):
        return at_hand(parcel, errand)


def archive_of(release: Release, errand: Errand) -> tuple[Path, str]:
    """(where the archive is, its SHA-256), brought if it is not there.

    The checksum of the release holds, or, if it has none, the one of the archive's first use.
    Raises `InputError`.
    """
    name = address.archive_name(release.version)
    expected = Expected(MOST_BYTES, sha256=known_sha256(release, errand))
    if errand.source.folder is not None:
        path = _archive_in(errand.source.folder, release)
        if fault := fault_of(path, expected):
            raise InputError(
                str(path), fault, f"the archive of release {release.version}", kind="format"
            )
    else:
        path = errand.cache / "archives" / name
        if not (path.is_file() and not fault_of(path, expected)):
            path.unlink(missing_ok=True)
            path.parent.mkdir(parents=True, exist_ok=True)
            _bring_archive(release, path, expected, errand)
    return path, expected.sha256 or sha256_file(path)


def known_sha256(release: Release, errand: Errand) -> str:
    """The checksum of the table, or of the archive's first use; "" before that."""
    name = address.archive_name(release.version)
    return release.sha256 or recalled(errand.cache, name) or ""


def _archive_in(folder: Path, release: Release) -> Path:
    for path in address.archives_in(folder, release):
        if path.is_file():
            return path
    name = address.archive_name(release.version)
    raise InputError(
        str(folder), f"the mirror has no {name}", "a mirror that has it", kind="format"
    )


def _bring_archive(release: Release, path: Path, expected: Expected, errand: Errand) -> None:
    for url in address.archives(errand.source, release):
        try:
            download(url, path, expected, errand.wire, errand.progress)
            return
        except NotThere:
            continue
    raise InputError(
        f"release {release.version}",
        "its archive is not where it was",
        "single treebanks, or --mirror with the archive",
        kind="network",
    )


def _unpacked(
    path: Path, sha256: str, version: str, wanted: Callable[[str], bool], errand: Errand
) -> tuple[list[Delivery], list[str]]:
    """(deliveries by name, names of those without text) of an archive whose checksum holds."""
    stage = (errand.out or _folder(version, errand)) / f".release-{version}.part"
    shutil.rmtree(stage, ignore_errors=True)  # of an interrupted call: the archive is read again
    there: dict[str, Delivery | None] = {}

    def target(parts: tuple[str, ...]) -> Path | None:
        repository = _repository_of(parts)
        if repository is None or not wanted(repository):
            return None
        if repository not in there:
            there[repository] = _at_hand(repository, version, errand)
        if there[repository] is not None:
            return None
        (stage / repository).mkdir(parents=True, exist_ok=True)
        return stage / repository / parts[2]

    try:
        archive.unpack(path, target, errand.progress)
        facts = {"archive": path.name, "sha256": sha256}
        for repository, found in there.items():
            if found is None:
                there[repository] = _settled(stage / repository, version, facts, errand)
    except OSError as error:
        raise unusable(stage, error) from error
    finally:
        shutil.rmtree(stage, ignore_errors=True)
    deliveries = [there[name] for name in sorted(there)]
    withheld = [name for name, found in there.items() if found is None]
    return [each for each in deliveries if each is not None], withheld


def _repository_of(parts: tuple[str, ...]) -> str | None:
    """The repository (as it is called now) of a file that is kept; None for any other member."""
    if len(parts) != 3 or not REPOSITORY.fullmatch(parts[1]) or not is_release_file(parts[2]):
        return None
    entry = entry_named(parts[1])
    return entry.repository if entry is not None else parts[1]


def _settled(
    unpacked: Path, version: str, facts: Mapping[str, object], errand: Errand
) -> Delivery | None:
    """A treebank's unpacked files under their name; None if its texts are withheld."""
    parcel = treebank_parcel(unpacked.name, version)
    names = sorted(path.name for path in unpacked.iterdir())
    for name in names:
        if name.startswith("README"):
            readme = (unpacked / name).read_text(encoding="utf-8", errors="replace")
            if withholds_text(readme):
                return None
    folder = destination(parcel, errand)
    with locked(errand.cache, folder, errand.wire.sleep):
        found = at_hand(parcel, errand)  # another process may have brought it meanwhile
        if found is not None:
            return found
        staged = staging(folder)
        shutil.rmtree(staged)
        unpacked.rename(staged)
        return finished(parcel, names, facts, errand)
