"""Results of earlier requests, kept in a store so that no request is worked on twice.

A request is a call that makes a suite. Its key is a digest of everything that its result depends
on; kept are its table, its messages, and the number of the suite that it made.
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
    """Return the key of a request: SHA-256 (hex) over this version, a command and its input.

    `verb` is the command's name, `parts` everything that the result depends on. A path counts by
    the name and content of its file, bytes count as they are, and anything else by its `repr`.

    >>> request_key("nonce", 3, ("a",)) == request_key("nonce", 3, ("b",))
    False
    """

    def to_bytes(part: object) -> bytes:
        """Return the bytes by which a part counts in the key."""
        if isinstance(part, Path):
            return os.fsencode(f"{part.name} {content_digest(part)}")
        return part if isinstance(part, bytes) else repr(part).encode()

    part_digests = [hashlib.sha256(to_bytes(part)).digest() for part in (__version__, verb, *parts)]
    return hashlib.sha256(b"".join(part_digests)).hexdigest()


def content_digest(path: Path) -> str:
    """Return the SHA-256 (hex) of the content of a file, or of all files in a folder, by name."""
    files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
    digest = hashlib.sha256()
    for file in files:
        with open(file, "rb") as stream:
            hashlib.file_digest(stream, lambda: digest)  # adds this file to the same digest
    return digest.hexdigest()


def remembered_result(store: Store, key: str) -> tuple[int, dict[str, Any]] | None:
    """Return what a request with this key made before; None if there was no such request.

    Returned are the number of its suite in the store, and the fields of its `Result` by name, whose
    first message says that the result was made before.
    """
    row = store.one("SELECT * FROM request WHERE key = ?", (key,))
    if row is None:
        return None
    values: dict[str, Any] = json.loads(row["result"])
    note = f"made before ({row['created']}) with the same options; taken from {store.path}"
    return row["suite_id"], {**values, "messages": [note, *values.get("messages", ())]}


def remember(store: Store, key: str, result: Result, suite_id: int) -> None:
    """Keep the result of a request in the store, for as long as the store has its suite.

    `key` is the request's `request_key`, `suite_id` the number of the suite that it made.
    """
    values = {field.name: getattr(result, field.name) for field in fields(result)}
    as_json = json.dumps(values, default=_plain, ensure_ascii=False)
    with store.transaction():
        store.insert_many(
            "request",
            ("key", "suite_id", "result", "created"),
            [(key, suite_id, as_json, now())],
            keep_old=True,  # another process may have kept the same request meanwhile
        )


def _plain(value: Collection[object] | pl.DataFrame) -> Sequence[object]:
    """Return a collection or a frame as a list that JSON can hold."""
    return value.to_dicts() if isinstance(value, pl.DataFrame) else list(value)
