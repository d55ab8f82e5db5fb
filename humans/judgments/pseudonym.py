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

from ...data.errors import InputError
from ...data.files import unwritable

LENGTH = 16
PSEUDONYM = re.compile(rf"[A-Z2-7]{{{LENGTH}}}")
"""Matches a pseudonym."""
KEY = re.compile(r"[0-9a-f]{64}")
OTHERS = 0o077  # permissions of everybody but the owner


def demand_private(path: Path, label: str) -> None:
    """Raises `InputError` for a file that others than its owner may read."""
    if os.name == "posix" and path.stat().st_mode & OTHERS:
        wrong, right = f"others may read {label}", f"chmod 600 {path.name}"
        raise InputError(str(path), wrong, right, kind="unsafe")


def pseudonym(key: bytes, platform: str, identity: str) -> str:
    """Makes the name under which a person's answers are stored.

    Args:
        key: a secret; without it nobody can find the person from the name, or the name from the id.
        platform: that gave the id, such as prolific.
        identity: the id; blanks around it do not count.

    Returns:
        16 characters A–Z and 2–7, the same for the same arguments; "" for an empty id.

    >>> pseudonym(b"secret", "prolific", "5f0c2a")
    'AQCRTOKE3YVAFR4C'
    """
    identity = identity.strip()
    if not identity:
        return ""
    digest = hmac.new(key, f"{platform}:{identity}".encode(), hashlib.sha256).digest()
    return base64.b32encode(digest)[:LENGTH].decode("ascii")


def key_in(path: Path, new: bytes = b"") -> bytes:
    """Reads the key of pseudonyms from a file; where there is none, makes one.

    Args:
        path: the file; a new one can be read by its owner alone (mode 600).
        new: the key of a new file, 32 bytes; empty: a random one.

    Returns:
        32 bytes.

    Raises:
        InputError: for a file that holds no key or that others may read, or cannot be made, or
            that another process has made meanwhile with another key than `new`.

    >>> key_in(Path("people.key")) == key_in(Path("people.key"))
    True
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
