"""Results of earlier requests, so that the same request is not worked on twice.

A request is identified by a digest of all that its result depends on. Its result is kept in a
store: the table and the messages as they are, and the number of the suite that it made.
"""

import hashlib
import json
import os
from collections.abc import Collection, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import polars as pl

from .result import Result
from .store import Store, now
from .version import __version__


def request_key(verb: str, *parts: object) -> str:
    """Return the SHA-256 (hex) of this version, a verb and all that its result depends on.

    A path counts by its name and content, bytes as they are, all else by its `repr`.

    >>> request_key("nonce", 3, ("a",)) == request_key("nonce", 3, ("b",))
    False
    """

    def to_bytes(part: object) -> bytes:
        if isinstance(part, Path):
            return os.fsencode(f"{part.name} {content_digest(part)}")
        return part if isinstance(part, bytes) else repr(part).encode()

    part_digests = [hashlib.sha256(to_bytes(part)).digest() for part in (__version__, verb, *parts)]
    return hashlib.sha256(b"".join(part_digests)).hexdigest()


def content_digest(path: Path) -> str:
    """Return the SHA-256 (hex) of a file's content, or of a folder's files in the order of their
    names."""
    files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
    digest = hashlib.sha256()
    for file in files:
        with open(file, "rb") as stream:
            hashlib.file_digest(stream, lambda: digest)  # goes on where the last file ended
    return digest.hexdigest()


def remembered_result(store: Store, key: str) -> tuple[int, dict[str, Any]] | None:
    """Return the number of the suite that a request made, and the values of its result; None for a
    new request. The first of the messages says that the result was made before."""
    row = store.one("SELECT * FROM request WHERE key = ?", (key,))
    if row is None:
        return None
    values: dict[str, Any] = json.loads(row["result"])
    note = f"made before ({row['created']}) with the same options; taken from {store.path}"
    return row["suite_id"], {**values, "messages": [note, *values.get("messages", ())]}


def remember(store: Store, key: str, result: Result, suite_id: int) -> None:
    """Keep the result of a request for as long as the store has its suite. Begins a transaction."""
    values = {field.name: getattr(result, field.name) for field in fields(result)}
    as_json = json.dumps(values, default=_plain, ensure_ascii=False)
    with store.transaction():
        store.insert_many(
            "request",
            ("key", "suite_id", "result", "created"),
            [(key, suite_id, as_json, now())],
            keep_old=True,  # another process may have been faster
        )


def _plain(value: Collection[object] | pl.DataFrame) -> Sequence[object]:
    return value.to_dicts() if isinstance(value, pl.DataFrame) else list(value)
