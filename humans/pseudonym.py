"""Names for people that tell nothing of them: the same for the same person while the key is kept.

A platform's id (Prolific, Mechanical Turk) leads to a person, so it is never stored. What is stored
is `base32(HMAC-SHA256(key, platform:id))`, cut to 16 characters (80 bits: among a million people
two share a name with probability below 10⁻¹²). The key lies in a file of its own outside the data,
readable by its owner alone; whoever deletes it has made the data anonymous.
"""

import base64
import hashlib
import hmac
import os
import re
import secrets
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.files import unwritable

LENGTH = 16
PSEUDONYM = re.compile(rf"[A-Z2-7]{{{LENGTH}}}")
KEY = re.compile(r"[0-9a-f]{64}")
OTHERS = 0o077  # permissions of everybody but the owner


def demand_private(path: Path, what: str) -> None:
    """Raises `InputError` for a file that others than its owner may read."""
    if os.name == "posix" and path.stat().st_mode & OTHERS:
        wrong, right = f"others may read {what}", f"chmod 600 {path.name}"
        raise InputError(str(path), wrong, right, kind="unsafe")


def pseudonym(key: bytes, platform: str, identity: str) -> str:
    """16 characters A–Z and 2–7; equal for equal arguments, and of use to nobody without the key.

    `identity` is taken as it is, without blanks around it. No identity has no name: "" stays "".
    """
    identity = identity.strip()
    if not identity:
        return ""
    digest = hmac.new(key, f"{platform}:{identity}".encode(), hashlib.sha256).digest()
    return base64.b32encode(digest)[:LENGTH].decode("ascii")


def key_in(path: Path, new: bytes = b"") -> bytes:
    """The key in a file; a new file (mode 600) with the key `new`, or a random one, where there is
    none.

    Raises `InputError` for a file that holds something else, or that others may read.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        key = _read_key(path)
        if new and new != key:
            wrong, right = "another process has made a key meanwhile", "the same command again"
            raise InputError(str(path), wrong, right, kind="conflict") from None
        return key
    except OSError as error:
        raise unwritable(path, error) from error
    with os.fdopen(handle, "w", encoding="ascii", newline="\n") as stream:
        stream.write((new or secrets.token_bytes(32)).hex() + "\n")
    return _read_key(path)


def _read_key(path: Path) -> bytes:
    try:
        text = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        text = ""
    if KEY.fullmatch(text) is None:
        right = "64 hexadecimal digits as colorless wrote them, or a free name"
        raise InputError(str(path), "holds no key of pseudonyms", right, kind="format")
    demand_private(path, "this key")
    return bytes.fromhex(text)
