"""A file that grows chunk by chunk, survives a kill, and appears under its name when complete.

Beside `OUT` lie `OUT.part`, the chunks so far, and `OUT.part.json`, its journal: how many bytes of
it are good, and what they hold. A chunk is first written and synced, then journaled, so that what
the journal counts is on the disk; what a killed run wrote beyond it is cut off when the next one
goes on. At the end the part is renamed and the journal goes.
"""

import gzip
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import BinaryIO

from colorless_green.data.errors import InputError
from colorless_green.data.files import read_text, write_whole
from colorless_green.miner.parse.chunk import Chunk, Tally


@dataclass(slots=True)
class Growing:
    """The open part of an output file."""

    part: Path
    stream: BinaryIO
    identity: str
    tallies: tuple[Tally, ...]  # what the part holds, one for each text
    packed: bool  # each chunk is a gzip member of its own: joined members are one gzip file

    def append(self, chunk: Chunk) -> None:
        """Adds a chunk; once this returns, no kill can lose it."""
        data = chunk.conllu.encode()
        self.stream.write(gzip.compress(data, mtime=0) if self.packed and data else data)
        _sync(self.stream)
        self.tallies = chunk.tallies
        _write_journal(self.part, self.identity, self.stream.tell(), self.tallies)


@contextmanager
def growing(out: Path, identity: str, n_texts: int) -> Iterator[Growing]:
    """The part of `out`, empty or as the last run with the same `identity` left it.

    Leaving it without an exception makes the part `out` (an older `out` is replaced); after an
    exception or a kill, part and journal stay. A name that ends in `.gz` is packed. Raises
    `InputError` where the part is another run's, is written to by another process, or does not
    fit its journal.
    """
    part, journal = part_of(out), journal_of(out)
    if not part.exists() and not journal.exists():
        _write_journal(part, identity, 0, (Tally(),) * n_texts)
    elif not journal.exists():
        raise InputError(
            str(part),
            f"it has no journal {journal.name}",
            "delete it, or another --out",
            kind="conflict",
        )
    try:
        with open(part, "ab") as stream:
            _lock(stream, part)
            n_bytes, tallies = _read_journal(journal, part, identity, n_texts)
            if os.fstat(stream.fileno()).st_size < n_bytes:
                raise InputError(
                    str(part),
                    "is shorter than its journal says",
                    f"delete it and {journal.name}",
                    kind="changed",
                )
            stream.truncate(n_bytes)
            stream.seek(0, os.SEEK_END)
            yield Growing(part, stream, identity, tallies, out.suffix == ".gz")
        os.replace(part, out)  # closed before: an open file cannot be renamed everywhere
        journal.unlink()
    except OSError as error:
        raise InputError(
            str(part),
            f"cannot be written ({error.strerror or error})",
            "a place with room to write; the same again goes on from here",
            kind="unwritable",
        ) from error


def part_of(out: Path) -> Path:
    """Where the chunks are gathered."""
    return out.with_name(out.name + ".part")


def journal_of(out: Path) -> Path:
    """Where it is noted how far they are good."""
    return out.with_name(out.name + ".part.json")


def _sync(stream: BinaryIO) -> None:
    stream.flush()
    os.fsync(stream.fileno())


def _lock(stream: BinaryIO, part: Path) -> None:
    """Keeps a second process off the part. Where the system has no such locks, nothing does."""
    if sys.platform != "win32":
        import fcntl

        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(
                str(part),
                "another process is writing to it",
                "wait for it, or another --out",
                kind="conflict",
            ) from None
        except OSError:  # a file system without locks
            return


def _write_journal(part: Path, identity: str, n_bytes: int, tallies: Sequence[Tally]) -> None:
    about = {
        "identity": identity,
        "n_bytes": n_bytes,
        "tallies": [astuple(each) for each in tallies],
    }
    with write_whole(part.with_name(part.name + ".json")) as stream:
        json.dump(about, stream)


def _read_journal(
    journal: Path, part: Path, identity: str, n_texts: int
) -> tuple[int, tuple[Tally, ...]]:
    try:
        about = json.loads(read_text(journal))
        n_bytes = int(about["n_bytes"])
        tallies = tuple(Tally(*map(int, each)) for each in about["tallies"])
        of_this_run = about["identity"] == identity and len(tallies) == n_texts
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputError(
            str(journal),
            "this is no journal of a parse",
            f"delete it and {part.name}",
            kind="format",
        ) from None
    if not of_this_run:
        raise InputError(
            str(part),
            "it was begun with other texts, another parser or other models",
            f"the same again, or delete it and {journal.name}",
            kind="changed",
        )
    return n_bytes, tallies
