"""Files in, line by line with their places; files out, whole or not at all."""

import gzip
import hashlib
import json
import os
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO

from colorless_green.data.errors import InputError

MANIFEST = "manifest.json"


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked if its name ends in `.gz`.

    A file that is missing, a folder, unreadable, or whose gzip data are broken or cut off is an
    `InputError`, also when that shows only while reading.
    """
    place = str(path)
    try:
        with gzip.open(path) if path.suffix == ".gz" else open(path, "rb") as stream:
            yield stream  # type: ignore[misc]  # GzipFile reads like a BinaryIO
    except FileNotFoundError:
        raise InputError(
            place, "there is no such file", "the path of a file", kind="missing"
        ) from None
    except IsADirectoryError:
        raise InputError(
            place, "this is a folder", "the path of a file", kind="unreadable"
        ) from None
    except EOFError:
        raise InputError(
            place, "the gzip file is cut off", "download it again", kind="format"
        ) from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise InputError(
            place, f"not a whole gzip file ({error})", "download it again", kind="format"
        ) from None
    except OSError as error:
        wrong = f"cannot be read ({error.strerror or error})"
        raise InputError(place, wrong, "a file you may read", kind="unreadable") from None


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """(line number from 1, line without its end) of a UTF-8 text file, gzipped or not.

    Lines end at LF only (`str.splitlines` would also split at U+2028 and others, which are legal
    inside a field); a CR before it and a byte order mark are dropped. Raises `InputError` with the
    line where the bytes are not UTF-8.
    """
    with opened(path) as stream:
        for number, raw in enumerate(stream, start=1):
            try:
                line = raw.decode("utf-8")
            except UnicodeDecodeError as error:
                raise InputError(
                    f"{path}:{number}",
                    f"byte {raw[error.start]:#04x} is not UTF-8",
                    "a file saved as UTF-8",
                    kind="unreadable",
                ) from None
            if number == 1:
                line = line.removeprefix("\ufeff")
            yield number, line.rstrip("\n").removesuffix("\r")


def read_text(path: Path) -> str:
    """A whole UTF-8 text file, gzipped or not, with LF line ends."""
    return "\n".join(line for _, line in numbered_lines(path))


@contextmanager
def write_whole(path: Path) -> Iterator[IO[str]]:
    """A text stream (UTF-8, LF) whose file appears under `path` only once all is written.

    Written beside, synced, renamed: after an error, Ctrl-C or a full disk the old file is there.
    A name that ends in `.gz` is packed, without a time stamp, so that the bytes repeat.
    """
    with write_whole_bytes(path) as stream:
        if path.suffix == ".gz":
            with gzip.GzipFile(filename="", fileobj=stream, mode="wb", mtime=0) as packed:
                yield from _as_text(packed)  # type: ignore[arg-type]
        else:
            yield from _as_text(stream)


def _as_text(stream: BinaryIO) -> Iterator[IO[str]]:
    import io

    text = io.TextIOWrapper(stream, encoding="utf-8", newline="\n", write_through=False)
    yield text
    text.flush()
    text.detach()


@contextmanager
def write_whole_bytes(path: Path) -> Iterator[BinaryIO]:
    """Like `write_whole`, for bytes."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise unwritable(path, error) from error
    beside = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        beside.chmod(0o666 & ~_umask())
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise unwritable(path, error) from error
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def unwritable(path: Path, error: OSError) -> InputError:
    """The error for a file or folder that the system does not let us write."""
    return InputError(
        str(path),
        f"cannot be written ({error.strerror or error})",
        "a place with room to write",
        kind="unwritable",
    )


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def sha256_file(path: Path) -> str:
    """SHA-256 (hex) of a file's bytes as they lie on disk."""
    digest = hashlib.sha256()
    with open(path, "rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def write_manifest(folder: Path, names: Iterable[str], about: Mapping[str, object]) -> None:
    """The last file of a folder: readers trust only what it lists, with SHA-256."""
    files = {name: sha256_file(folder / name) for name in sorted(names)}
    with write_whole(folder / MANIFEST) as stream:
        json.dump({**about, "files": files}, stream, ensure_ascii=False, indent=1, sort_keys=True)
        stream.write("\n")


def read_manifest(folder: Path) -> dict[str, object]:
    """What `write_manifest` said of a folder, after checking that the files are those it lists."""
    path = folder / MANIFEST
    if not path.is_file():
        raise InputError(
            str(folder),
            f"there is no {MANIFEST}, so it was not written to its end",
            "write again",
            kind="missing",
        )
    try:
        about = json.loads(read_text(path))
        files = about["files"]
        listed = {str(name): str(digest) for name, digest in files.items()}
    except (ValueError, KeyError, AttributeError, TypeError):
        raise InputError(
            str(path), "this is no manifest", "a folder this tool wrote", kind="format"
        ) from None
    for name, digest in listed.items():
        file = folder / name
        if Path(name).name != name:
            raise InputError(
                str(path), f"{name!r} leads out of the folder", "plain file names", kind="unsafe"
            )
        if not file.is_file() or sha256_file(file) != digest:
            raise InputError(
                str(file), "is missing or was changed", "write the folder again", kind="changed"
            )
    return dict(about)
