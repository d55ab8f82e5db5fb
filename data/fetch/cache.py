"""The folder in which what was fetched is kept, and how something gets into it.

A folder of data appears under its name in one step, after every file in it was checked, with a
`manifest.json` that says what it is and lists the files. Until then it is `.NAME.part` beside it,
where an interrupted call goes on. One process at a time works on one folder.
"""

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from colorless_green.data.errors import InputError
from colorless_green.data.fetch.address import Origin
from colorless_green.data.fetch.wire import Wire
from colorless_green.data.files import MANIFEST, read_manifest, write_manifest, write_whole
from colorless_green.data.progress import Progress

VARIABLE = "COLORLESS_CACHE"  # names a place, changes no result
FIRST_USE = "first_use.json"
LOCK_POLL_S = 0.2


@dataclass(frozen=True, slots=True)
class Errand:
    """What all parts of one call of `fetch` share: from where, to where, when, and how."""

    source: Origin
    cache: Path
    out: Path | None  # None: into the cache
    now: str  # for the manifest
    wire: Wire
    progress: Progress


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """The folder the environment variable COLORLESS_CACHE names, or the system's for caches."""
    if environment.get(VARIABLE):
        return Path(environment[VARIABLE]).expanduser()
    from platformdirs import user_cache_path

    return user_cache_path("colorless-green", appauthor=False)


def about(folder: Path) -> dict[str, Any] | None:
    """What a folder's manifest says, without a look at its files; None if it has none."""
    try:
        value = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def verified(folder: Path) -> dict[str, Any] | None:
    """What a folder's manifest says if every file it lists is there as it was; else None."""
    if about(folder) is None:
        return None
    try:
        return read_manifest(folder)
    except InputError:
        return None


@contextmanager
def locked(cache: Path, folder: Path, errand_wait: Callable[[float], None]) -> Iterator[None]:
    """No other process works on `folder` meanwhile. The system frees the lock of one that died."""
    name = sha256(str(folder.absolute()).encode()).hexdigest()[:32]
    path = cache / "locks" / name
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = open(path, "ab")  # noqa: SIM115  # closed below; here only its opening may fail
    except OSError as error:
        raise unusable(cache, error) from error
    with handle:
        while not _taken(handle):
            errand_wait(LOCK_POLL_S)
        yield  # closing the file frees the lock


if sys.platform == "win32":
    import msvcrt

    def _taken(handle: IO[bytes]) -> bool:
        try:
            msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _taken(handle: IO[bytes]) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def staging(folder: Path) -> Path:
    """The folder in which `folder` is put together; what an interrupted call left is in it."""
    path = folder.with_name(f".{folder.name}.part")
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unusable(path, error) from error
    return path


def finish(folder: Path, names: Sequence[str], facts: Mapping[str, object]) -> None:
    """Gives the staged files their manifest and, in one step, their folder's name.

    What else was staged is removed; a folder that was there before (whose files were changed, or it
    would not be replaced) goes only after the new one stands.
    """
    staged, old = staging(folder), folder.with_name(f".{folder.name}.old")
    try:
        for path in sorted(staged.iterdir()):
            if path.name not in names:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        write_manifest(staged, names, facts)
        shutil.rmtree(old, ignore_errors=True)
        if folder.exists():
            folder.rename(old)
        staged.rename(folder)
        shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        raise unusable(folder, error) from error


def copy(source: Path, folder: Path) -> None:
    """A verified folder's files and manifest, copied to another place in one step."""
    facts = dict(read_manifest(source))
    names = sorted(_listed(facts))
    staged = staging(folder)
    try:
        for name in names:
            shutil.copyfile(source / name, staged / name)
    except OSError as error:
        raise unusable(staged, error) from error
    del facts["files"]
    finish(folder, names, facts)


def _listed(facts: Mapping[str, Any]) -> list[str]:
    files = facts.get("files")
    return list(files) if isinstance(files, dict) else []


def n_bytes(folder: Path, facts: Mapping[str, Any]) -> int:
    """Size of the files a manifest lists."""
    return sum((folder / name).stat().st_size for name in _listed(facts))


def unusable(path: Path, error: OSError) -> InputError:
    """The error for a place that cannot be written to."""
    return InputError(
        str(path),
        f"cannot be written ({error.strerror or error})",
        f"room there, or another folder in the environment variable {VARIABLE} or by --out",
        kind="unwritable",
    )


def recalled(cache: Path, key: str) -> str | None:
    """What was recorded under `key` on its first use, None if nothing was."""
    entry = _first_uses(cache).get(key)
    return str(entry["value"]) if entry else None


def agrees(errand: Errand, key: str, value: str) -> None:
    """Records `value` on the first use of `key`; `InputError` if another one was recorded."""
    path = errand.cache / FIRST_USE
    with locked(errand.cache, path, errand.wire.sleep):
        known = _first_uses(errand.cache)
        if key not in known:
            known[key] = {"value": value, "first_use": errand.now}
            with write_whole(path) as stream:
                json.dump(known, stream, ensure_ascii=False, indent=1, sort_keys=True)
                stream.write("\n")
            return
    entry = known[key]
    if entry["value"] != value:
        raise InputError(
            key,
            f"is not what it was on its first use ({entry['first_use']}): its hash is {value}, "
            f"was {entry['value']}",
            f"the old state; if you trust the new one, remove the entry from {path}",
            kind="changed",
        )


def _first_uses(cache: Path) -> dict[str, dict[str, str]]:
    path = cache / FIRST_USE
    if not path.exists():
        return {}
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        return {
            str(key): {"value": str(entry["value"]), "first_use": str(entry["first_use"])}
            for key, entry in value.items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise InputError(
            str(path),
            "this is no record of first uses",
            "the file as it was written, or none",
            kind="format",
        ) from None
