"""Read files line by line with line numbers; write files and folders whole or not at all.

A file is replaced by renaming a new one over it. The system cannot do that with a folder that has
files. So the old and the new folder are swapped in one step (`renameat2` on Linux, `renamex_np` on
macOS), and then the old one is deleted. If the file system cannot swap, the old folder is first
moved aside; if a run is killed between the two steps, there is no folder under the name, and the
next run brings the old one back. A folder that has files of the user, or is the current folder or a
mount point, is not replaced: the new files are moved into it one by one, the manifest last.
"""

import ctypes
import errno
import gzip
import hashlib
import io
import json
import os
import platform
import re
import secrets
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, TypeAlias

from .errors import InputError
from .opening import open_utf8

Paths: TypeAlias = str | Path | Iterable[str | Path] | None
"""One path, several, or none, as a caller from Python may give them"""
MANIFEST = "manifest.json"
STDIN = Path("-")
HOST_DIGEST = hashlib.sha256(platform.node().encode()).hexdigest()[:8]  # stands for this machine
STAGING_NAME = re.compile(
    rf"\.(?P<name>.+)\.colorless-(?P<part>new|old)-{HOST_DIGEST}-(?P<pid>[1-9]\d{{0,8}})-"
)
# Errors of the system. EXDEV: a lower layer of overlayfs; EBUSY: a bind mount.
CANNOT_MOVE = (errno.EXDEV, errno.EBUSY)
CANNOT_SWAP = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, *CANNOT_MOVE)
MAX_TEXT_BYTES = 1 << 30  # of a file that is read as a whole, unpacked
AT_FDCWD, EXCHANGE = -100, 2  # of fcntl.h; RENAME_EXCHANGE (linux/fs.h), RENAME_SWAP (sys/stdio.h)


def listed_paths(paths: Paths) -> list[Path]:
    """Return the paths as a list.

    >>> [path.name for path in listed_paths(["a.conllu", Path("b.conllu")])]
    ['a.conllu', 'b.conllu']
    """
    path_list = [paths] if isinstance(paths, str | Path) else paths or ()
    return [Path(path) for path in path_list]


def user_path(path: str | Path) -> Path:
    """Return a path that a user gave, with `~` or `~NAME` at its beginning replaced.

    Raises `InputError` if the home folder is unknown.

    >>> user_path("~/models").is_absolute()
    True
    """
    try:
        return Path(path).expanduser()
    except RuntimeError:
        wrong, right = "the home folder of this user is unknown", "a path without ~"
        raise InputError(str(path), wrong, right, kind="missing") from None


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (line number from 1, line without its end) of a text file, as `open_utf8` reads it.

    Lines end at LF only (`str.splitlines` would also split at U+2028 and others, which are legal
    inside a field); a CR before it and a byte order mark are dropped. Raises `InputError`, with the
    number of the line, for bytes that are not UTF-8.
    """
    with open_utf8(path) as stream:
        for number, raw_line in enumerate(stream, start=1):
            line = decode_utf8(raw_line, str(path), number)
            if number == 1:
                line = line.removeprefix("\ufeff")
            yield number, line.rstrip("\n").removesuffix("\r")


def decode_utf8(raw: bytes, path: str, first_line: int = 1) -> str:
    """Return bytes of the file `path` as text; `first_line` is the number of their first line.

    Raises `InputError`, with the number of the line, for bytes that are not UTF-8.
    """
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = first_line + raw.count(b"\n", 0, error.start)
        wrong = f"byte {raw[error.start]:#04x} is not UTF-8"
        right = "save the file as UTF-8"
        raise InputError(f"{path}:{line}", wrong, right, kind="unreadable") from None


def read_text(path: Path) -> str:
    """Return the text of a UTF-8 file with LF line ends, the last of which is dropped."""
    return read_document(path).replace("\r\n", "\n").removesuffix("\n")


def read_document(path: Path) -> str:
    """Return the text of a file, as `open_utf8` reads it, without its byte order mark.

    Raises `InputError` for bytes that are not UTF-8, with their line, and for a file of more than
    MAX_TEXT_BYTES bytes, of which no more are read.
    """
    with open_utf8(path) as stream:
        raw = stream.read(MAX_TEXT_BYTES + 1)
    if len(raw) > MAX_TEXT_BYTES:
        wrong = f"more than {MAX_TEXT_BYTES >> 20:,} MiB, unpacked"
        raise InputError(str(path), wrong, "a smaller file, or several", kind="unsafe")
    return decode_utf8(raw, str(path)).removeprefix("\ufeff")


@contextmanager
def write_whole(path: Path) -> Iterator[IO[str]]:
    """Open a text stream (UTF-8, LF) whose file appears under `path` only once all is written.

    The text goes to another file in the same folder, which is synced and renamed at the end. After
    an error, Ctrl-C or a full disk the old file is still there. If the name ends in `.gz`, the text
    is packed, without a time stamp, so that equal texts give equal bytes.
    """
    with write_whole_bytes(path) as stream:
        binary: Any = stream
        if path.suffix == ".gz":
            binary = gzip.GzipFile(filename="", fileobj=stream, mode="wb", mtime=0)
        text = io.TextIOWrapper(binary, encoding="utf-8", newline="\n")
        yield text
        text.flush()
        text.detach()
        if binary is not stream:
            binary.close()  # writes the checksum, and leaves the file open


@contextmanager
def write_whole_bytes(path: Path) -> Iterator[BinaryIO]:
    """Open a stream of bytes whose file appears under `path` only once all is written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise unwritable(path, error) from error
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        mask = os.umask(0)  # the only way to read it is to set it
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)  # mkstemp lets only the owner read
        os.replace(name, path)
    except OSError as error:
        raise unwritable(path, error) from error
    finally:
        Path(name).unlink(missing_ok=True)


def unwritable(path: Path, error: OSError) -> InputError:
    """Return the `InputError` for a file or folder that the system refused to write."""
    wrong = f"cannot be written ({error.strerror or error})"
    return InputError(str(path), wrong, "a writable place with free space", kind="unwritable")


def demand_file(path: Path) -> None:
    """Raise `InputError` if `write_whole` could not write this file. Call it before long work."""
    if os.path.isdir(path):  # unlike `Path.is_dir`, it does not fail for impossible names
        raise InputError(str(path), "this is a folder", "the path of a file", kind="conflict")
    _demand_writable_parent(path, path.absolute().parents)


def _demand_writable_parent(path: Path, ancestors: Iterable[Path]) -> None:
    """Raise `InputError` if the first of the ancestors that exists is not a writable folder."""
    nearest_existing = next(ancestor for ancestor in ancestors if os.path.exists(ancestor))
    if not nearest_existing.is_dir() or not os.access(nearest_existing, os.W_OK):
        error_number = errno.EACCES if nearest_existing.is_dir() else errno.ENOTDIR
        raise unwritable(path, OSError(error_number, os.strerror(error_number)))


def printable(name: str) -> str:
    r"""Return a file's name as UTF-8 text; bytes in it that are not UTF-8 are written as `\xNN`.

    >>> printable("gr\udcfcn")
    'gr\\xfcn'
    """
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def sha256_file(path: Path) -> str:
    """Return the SHA-256 (hex) of a file's bytes as they are on disk."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def write_manifest(folder: Path, names: Iterable[str], facts: Mapping[str, object]) -> None:
    """Write a folder's manifest: its `facts`, and the SHA-256 of each file in `names`.

    It must be the last file that is written: readers trust only the files that it lists.
    """
    files = {name: sha256_file(folder / name) for name in sorted(names)}
    with write_whole(folder / MANIFEST) as stream:
        json.dump({**facts, "files": files}, stream, ensure_ascii=False, indent=1, sort_keys=True)
        stream.write("\n")


def read_manifest(folder: Path, right: str = "a folder that colorless wrote") -> dict[str, Any]:
    """Return the manifest of a folder, after checking the SHA-256 of every file that it lists.

    `right` says for the message which folder is expected, and which command makes it. Raises
    `InputError` if there is no folder or no manifest, or if a file was changed or is gone.
    """
    path = folder / MANIFEST
    if not path.is_file():
        wrong = f"no {MANIFEST} in it: it was made by something else, or is incomplete"
        if not folder.is_dir():
            wrong = "this is a file" if folder.exists() else "there is no such folder"
        raise InputError(str(folder), wrong, right, kind="missing")
    facts = manifest_facts(folder)
    if not facts:
        wrong, right = "this is not a manifest", "a folder this tool wrote"
        raise InputError(str(path), wrong, right, kind="format")
    for name, digest in facts["files"].items():
        file = folder / name
        if Path(name).name != name:
            wrong = f"{name!r} leads out of the folder"
            raise InputError(str(path), wrong, "plain file names", kind="unsafe")
        if not file.is_file() or sha256_file(file) != digest:
            wrong, right = "is missing or was changed", "write the folder again"
            raise InputError(str(file), wrong, right, kind="changed")
    return facts


def manifest_facts(folder: Path) -> dict[str, Any]:
    """Return a folder's manifest without checking the files; {} if it has no readable one."""
    try:
        facts = json.loads((folder / MANIFEST).read_bytes())
        return facts if isinstance(facts["files"], dict) else {}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}


def demand_writable_folder(folder: Path, maker: object) -> None:
    """Raise `InputError` if a command must not write its output to `folder`.

    It must not if `folder` is a file, cannot be written, or holds the output of another command.
    `maker` is the command, as it stands under `made_by` in the manifests that it writes.
    """
    if os.path.exists(folder) and not folder.is_dir():
        raise InputError(str(folder), "this is a file", "the path of a folder", kind="conflict")
    target = folder.resolve()  # follows links
    must_be_writable = (target, *target.parents)
    if target.is_dir() and _may_replace(target) and os.access(target.parent, os.W_OK):
        must_be_writable = (target.parent,)  # the folder is replaced as a whole
    _demand_writable_parent(folder, must_be_writable)
    manifest = manifest_facts(target)
    if manifest and manifest.get("made_by") != maker:
        wrong = f"this folder is the output of {manifest.get('made_by', 'something else')}"
        right = "another folder, so that its manifest stays"
        raise InputError(str(folder), wrong, right, kind="conflict")


@contextmanager
def write_folder(folder: Path, facts: Mapping[str, object]) -> Iterator[Path]:
    """Yield an empty folder to write files into (no folders); at the end it replaces `folder`.

    At the end the manifest is added (`facts`, with `made_by`, and the hash of every file) and all
    is synced. If the process is killed at any moment, `folder` is either the old output or the new
    one, complete; after an error it is the old one. The old output is deleted only if it was made
    by the same command and has no files but those of its manifest.

    A folder with other files stays and loses none of them; so do the current folder and a mount
    point. The new files are moved in one by one, over files of the same name, and the manifest
    comes last. A run that is killed meanwhile leaves a folder without a manifest, which no reader
    trusts; a manifest never lists a mixture of old and new files.

    Leftovers of killed runs on this machine for this folder are removed.

    Raises:
        InputError: `folder` is a file, cannot be written, or is the output of another command
            (whose manifest, and with it the trust in its files, would be lost). If the caller's
            block raises one whose location is in the new folder, the location becomes `folder`.
    """
    target = folder.resolve()  # follows links
    demand_writable_folder(folder, facts.get("made_by"))
    try:
        _remove_leftovers(target)
        is_movable = os.access(target.parent, os.W_OK) or not target.parent.exists()
        parent = target.parent if is_movable and _may_replace(target) else target
        fresh = _staging_path(parent, target.name, "new")
        fresh.mkdir(parents=True)
    except OSError as error:
        raise unwritable(folder, error) from error
    try:
        try:
            yield fresh
        except InputError as error:  # of the caller's block
            raise error.at(error.location.replace(str(fresh), str(folder))) from error
        try:
            names = sorted(os.listdir(fresh))
            assert MANIFEST not in names, "the manifest is ours to write"
            assert all((fresh / name).is_file() for name in names), "a manifest lists files"
            write_manifest(fresh, names, facts)
            _sync(*(fresh / name for name in names), fresh)
            is_beside = fresh.parent != target
            if not (is_beside and _may_replace(target) and _replace_folder(fresh, target)):
                _move_files_into(fresh, target)
        except OSError as error:
            raise unwritable(folder, error) from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)  # it is unfinished, or by now the old output


def _staging_path(parent: Path, name: str, part: str) -> Path:
    """Return a new path in `parent` that tells for which folder, and by which process, it is made.

    `part` is "new" for the new folder or "old" for the old one that is moved aside.
    """
    return parent / f".{name}.colorless-{part}-{HOST_DIGEST}-{os.getpid()}-{secrets.token_hex(4)}"


def _may_replace(target: Path) -> bool:
    """Return whether a folder may be replaced as a whole.

    It may if it is missing or empty, or if all its files are listed in its manifest. The current
    folder and a mount point may not.
    """
    try:
        names = set(os.listdir(target))
    except FileNotFoundError:
        return True
    if os.path.ismount(target) or os.path.samefile(target, os.curdir):
        return False
    return not names or (
        MANIFEST in names and names <= {MANIFEST, *manifest_facts(target).get("files", ())}
    )


def _replace_folder(fresh: Path, target: Path) -> bool:
    """Put the folder `fresh` in place of `target`; return whether that was possible.

    The old folder is then deleted, or has the name of `fresh` (the caller deletes it). False means
    that the system cannot move the old folder; nothing has changed.
    """
    if target.exists():
        shutil.copymode(target, fresh)
        if _exchange_folders(fresh, target):
            _sync(target.parent)
            return True
        aside = _staging_path(target.parent, target.name, "old")
        try:
            target.rename(aside)
        except OSError as error:
            if error.errno in CANNOT_MOVE:
                return False
            raise
        try:
            fresh.rename(target)
        except BaseException:
            aside.rename(target)
            raise
        shutil.rmtree(aside, ignore_errors=True)
    else:
        fresh.rename(target)
    _sync(target.parent)
    return True


def _exchange_folders(fresh: Path, target: Path) -> bool:
    """Swap two folders in one step; return whether the system can do that."""
    library = ctypes.CDLL(None, use_errno=True)
    fresh_name, target_name = os.fsencode(fresh), os.fsencode(target)
    try:
        if sys.platform == "darwin":
            failed = library.renamex_np(fresh_name, target_name, EXCHANGE)
        else:
            failed = library.renameat2(AT_FDCWD, fresh_name, AT_FDCWD, target_name, EXCHANGE)
    except AttributeError:  # the system's C library has no such function
        return False
    if failed and ctypes.get_errno() not in CANNOT_SWAP:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(target))
    return not failed


def _move_files_into(fresh: Path, target: Path) -> None:
    """Move the files of `fresh` into `target`: the old manifest goes first, the new one last."""
    (target / MANIFEST).unlink(missing_ok=True)
    _sync(target)
    for name in sorted(os.listdir(fresh), key=lambda name: (name == MANIFEST, name)):
        if name == MANIFEST:
            _sync(target)
        shutil.move(fresh / name, target / name)  # copies if it is another file system
    _sync(target)


def _remove_leftovers(target: Path) -> None:
    """Delete the staging folders that killed runs left for `target`.

    If a run was killed after it had moved the old output aside, that is renamed to `target` again.
    """
    for folder in (target.parent, target):
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            match = STAGING_NAME.match(path.name)
            if match is None or match["name"] != target.name or path.is_symlink():
                continue
            try:
                os.kill(int(match["pid"]), 0)  # kills nothing; fails if there is no such process
                continue
            except ProcessLookupError:
                pass
            except OSError:  # it belongs to another user
                continue
            if match["part"] == "old" and not target.exists():
                path.rename(target)
            else:
                shutil.rmtree(path, ignore_errors=True)


def _sync(*paths: Path) -> None:
    """Make the system write files, and the lists of names that folders are, to the disk."""
    for path in paths:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def spool_stdin(
    paths: Sequence[Path], ending: str
) -> Iterator[tuple[list[Path], Callable[[InputError], InputError]]]:
    """Yield the paths, `-` replaced by a file that holds standard input, so that it can be read
    twice; and a function that changes an error's location in that file to "standard input".

    `ending` is the ending of the file's name. Errors that the caller's block raises are changed.
    """
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / f"stdin{ending}"
        if STDIN in paths:
            with open(copy, "wb") as stream:
                shutil.copyfileobj(sys.stdin.buffer, stream)

        def relocated(error: InputError) -> InputError:
            """Return the error with "standard input" in place of the copy's path."""
            return error.at(error.location.replace(str(copy), "standard input"))

        try:
            yield [copy if path == STDIN else path for path in paths], relocated
        except InputError as error:
            raise relocated(error) from None
