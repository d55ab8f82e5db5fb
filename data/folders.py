"""Folders out, whole or not at all: the complete old output or the complete new one.

A file is replaced by renaming another one over it; a folder cannot be, unless it is empty. So two
folders change places (`renameat2` on Linux, `renamex_np` on macOS), which is one step, and the old
one is deleted under the new one's name. Where the file system cannot do that, the old one is put
aside first; a run that is killed between the two steps leaves nothing under the name, and the next
one brings the old folder back. A folder that cannot be moved at all is written file by file.
"""

import errno
import json
import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from platform import node
from secrets import token_hex
from typing import Any

from colorless_green.data.errors import InputError
from colorless_green.data.files import MANIFEST, unwritable, write_manifest

NEW, ASIDE = "new", "old"
OURS = re.compile(
    r"\.(?P<name>.+)\.colorless-(?P<part>new|old)-(?P<host>[0-9a-f]{8})-(?P<pid>[1-9]\d{0,8})-"
)
CANNOT_MOVE = (errno.EXDEV, errno.EBUSY)  # a lower layer of overlayfs; a bind mount
CANNOT_SWAP = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, *CANNOT_MOVE)
AT_FDCWD = -100
RENAME_EXCHANGE = RENAME_SWAP = 2  # linux/fs.h; macOS sys/stdio.h


@contextmanager
def write_folder(folder: Path, about: Mapping[str, object]) -> Iterator[Path]:
    """An empty folder to write files into (no folders), which then takes the place of `folder`.

    At the end the manifest is added (`about`, with `made_by`, and the hash of every file), all is
    synced, and in one step `folder` is the new one: also when the process is killed at any moment,
    it is the old output, complete, or the new one, complete. After an error it is the old one. The
    old output is then deleted, if that is what it is: files of the manifest alone,
    with the same `made_by`, in a folder that is neither the current one nor a mount point.

    From a folder without a manifest nothing is deleted, and it stays the folder it is. The files
    are put in one by one, each whole, over those of the same name, and the manifest comes last: a
    run that is killed meanwhile leaves a folder without a manifest, which no reader trusts, but
    never a mixture that is listed.

    What earlier runs of this machine left beside or in `folder` when they were killed is removed.
    Raises `InputError` if `folder` is a file, cannot be written, or is an output of another maker
    (whose manifest, and with it the trust in its files, would be lost); one that is raised inside
    and whose place is in the new folder gets the place that it would have had.
    """
    target = folder.resolve()  # of a link, where it leads
    if target.exists() and not target.is_dir():
        raise InputError(str(folder), "this is a file", "the path of a folder", kind="conflict")
    maker = about.get("made_by")
    try:
        _tidy(target)
        _demand_no_others(folder, maker)
        beside = _replaceable(target, maker) and _has_room(target.parent)
        fresh = _name(target.parent if beside else target, target.name, NEW)
        fresh.mkdir(parents=True)
    except OSError as error:
        raise unwritable(folder, error) from error
    try:
        try:
            yield fresh
        except InputError as error:
            place = error.place.replace(str(fresh), str(folder))
            raise error.at(place) from error
        try:
            names = sorted(os.listdir(fresh))
            assert MANIFEST not in names, "the manifest is ours to write"
            assert all((fresh / name).is_file() for name in names), "a manifest lists files"
            write_manifest(fresh, names, about)
            _sync(*(fresh / name for name in names), fresh)
            if fresh.parent != target and _replaceable(target, maker):
                _take_place(fresh, target)
            else:
                _put_in(fresh, target)
        except OSError as error:
            raise unwritable(folder, error) from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)  # an unfinished new one, or by now the old one


def _name(room: Path, name: str, part: str) -> Path:
    """A new name in `room` that says which folder it is for, and whose it is."""
    return room / f".{name}.colorless-{part}-{_host()}-{os.getpid()}-{token_hex(4)}"


def _host() -> str:
    """This machine in eight letters: process numbers of others on a shared disk say nothing."""
    return sha256(node().encode()).hexdigest()[:8]


def _has_room(parent: Path) -> bool:
    """Whether a folder can be made in `parent`, or `parent` first."""
    return os.access(parent, os.W_OK) or not parent.exists()


def _replaceable(target: Path, maker: object) -> bool:
    """Whether the whole folder can go: it is not there, is empty, or is an output of `maker`."""
    try:
        names = set(os.listdir(target))
    except FileNotFoundError:
        return True
    if os.path.ismount(target) or os.path.samefile(target, os.curdir):
        return False
    return not names or (MANIFEST in names and names <= {MANIFEST, *_listed(target, maker)})


def _demand_no_others(folder: Path, maker: object) -> None:
    about = _about(folder)
    if about and about.get("made_by") != maker:
        raise InputError(
            str(folder),
            f"this folder is the output of {about.get('made_by', 'something else')}",
            "another folder, so that its manifest stays",
            kind="conflict",
        )


def _listed(target: Path, maker: object) -> set[str]:
    """The files of a folder that `maker` made; none of another one, or without a manifest."""
    about = _about(target)
    return set(about["files"]) if about.get("made_by") == maker else set()


def _about(target: Path) -> dict[str, Any]:
    """What a folder's manifest says; nothing without one, or where it is none of ours."""
    try:
        about = json.loads((target / MANIFEST).read_bytes())
        return about if isinstance(about["files"], dict) else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _take_place(fresh: Path, target: Path) -> None:
    """Makes `fresh` the folder `target`; what was there is then called as `fresh` was, or gone."""
    if not target.exists():
        fresh.rename(target)
    else:
        shutil.copymode(target, fresh)
        if not _swapped(fresh, target):
            _put_aside(fresh, target)
    _sync(target.parent)


def _swapped(one: Path, other: Path) -> bool:
    """Whether two folders could change places, in one step; if so, they have."""
    if os.name != "posix":
        return False
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    names = os.fsencode(one), os.fsencode(other)
    try:
        if sys.platform == "darwin":
            failed = library.renamex_np(*names, RENAME_SWAP)
        else:
            failed = library.renameat2(AT_FDCWD, names[0], AT_FDCWD, names[1], RENAME_EXCHANGE)
    except AttributeError:  # a system, or a C library, without it
        return False
    if failed and ctypes.get_errno() not in CANNOT_SWAP:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(other))
    return not failed


def _put_aside(fresh: Path, target: Path) -> None:
    """The place of `target` for `fresh` in two steps; after a failure between, one back."""
    aside = _name(target.parent, target.name, ASIDE)
    try:
        target.rename(aside)
    except OSError as error:
        if error.errno not in CANNOT_MOVE:
            raise
        _copy_in(fresh, target)
        return
    try:
        fresh.rename(target)
    except BaseException:
        aside.rename(target)
        raise
    shutil.rmtree(aside, ignore_errors=True)


def _copy_in(fresh: Path, target: Path) -> None:
    """As `_put_in` for a `target` into which nothing can be moved from outside."""
    inside = _name(target, target.name, NEW)
    try:
        shutil.copytree(fresh, inside)
        _sync(*inside.iterdir())
        _put_in(inside, target)
    finally:
        shutil.rmtree(inside, ignore_errors=True)


def _put_in(fresh: Path, target: Path) -> None:
    """Moves the files of `fresh` into `target`, the manifest last and not beside older files."""
    (target / MANIFEST).unlink(missing_ok=True)
    _sync(target)
    names = sorted(os.listdir(fresh), key=lambda name: (name == MANIFEST, name))
    for name in names:
        if name == MANIFEST:
            _sync(target)
        (fresh / name).replace(target / name)
    _sync(target)


def _tidy(target: Path) -> None:
    """Removes what killed runs left of `target`; an old output they put aside comes back first."""
    for room in (target.parent, target):
        for path in sorted(room.iterdir()) if room.is_dir() else ():
            match = OURS.match(path.name)
            if match is None or match["name"] != target.name or not _is_abandoned(match, path):
                continue
            if match["part"] == ASIDE and not target.exists():
                path.rename(target)
            else:
                shutil.rmtree(path, ignore_errors=True)


def _is_abandoned(match: re.Match[str], path: Path) -> bool:
    """Whether a folder is of a process of this machine that has ended."""
    if os.name != "posix" or match["host"] != _host() or path.is_symlink():
        return False  # on Windows, asking after a process would end it
    try:
        os.kill(int(match["pid"]), 0)
    except ProcessLookupError:
        return True
    except OSError:  # another user's
        return False
    return False


def _sync(*paths: Path) -> None:
    """Has the system write files and folders (their lists of names) to the disk."""
    for path in paths:
        if os.name != "posix" and path.is_dir():
            continue  # there a folder cannot be opened
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
