"""Pseudonyms: names for people that reveal nothing of them. With one key, a person keeps one name.

The id that a platform (Prolific, Mechanical Turk) gives a person leads to that person, so it is
never stored. The store has `base32(HMAC-SHA256(key, platform:id))`, cut to 16 characters (80 bits:
among a million people two get the same name with a probability below 10⁻¹²). The key is in a
separate file that only its owner can read. Deleting this file makes the data anonymous.
"""

import base64
import hashlib
import hmac
import os
import re
import secrets
from functools import cache
from pathlib import Path

from ...data.errors import InputError
from ...data.files import unwritable

N_CHARACTERS = 16  # of a pseudonym
PSEUDONYM = re.compile(rf"[A-Z2-7]{{{N_CHARACTERS}}}")
"""Matches a pseudonym."""
KEY_PATTERN = re.compile(r"[0-9a-f]{64}")
PERMISSIONS_OF_OTHERS = 0o077  # bits of a file's mode for everybody except the owner


def demand_private(path: Path, label: str) -> None:
    """Raise `InputError` if anybody except the owner may access a file; `label` names it."""
    if os.name == "posix" and path.stat().st_mode & PERMISSIONS_OF_OTHERS:
        wrong, right = f"others may read {label}", f"chmod 600 {path.name}"
        raise InputError(str(path), wrong, right, kind="unsafe")


def pseudonym(key: bytes, platform: str, identity: str) -> str:
    """Make the name under which a person's answers are stored.

    Args:
        key: a secret; without it nobody can compute the name from the id.
        platform: the platform that gave the id, such as prolific.
        identity: the person's id; blanks around it do not count.

    Returns:
        16 characters A–Z and 2–7, the same for the same arguments; "" for an empty id.

    >>> pseudonym(b"secret", "prolific", "5f0c2a")
    'AQCRTOKE3YVAFR4C'
    """
    identity = identity.strip()
    if not identity:
        return ""
    digest = hmac.new(key, f"{platform}:{identity}".encode(), hashlib.sha256).digest()
    return base64.b32encode(digest)[:N_CHARACTERS].decode("ascii")


class KeyFile:
    """The key of the pseudonyms, and the file that it is kept in.

    The key is read or made when it is first needed. It is saved only with the answers, so that an
    import that is refused leaves no file. Without a path, the key is in memory and is the same for
    the whole process: a file that is read twice gives people the same names.

    >>> file = KeyFile(Path("people.key"))
    >>> key = file.key()
    >>> file.save()
    >>> KeyFile(Path("people.key")).key() == key
    True
    """

    def __init__(self, path: Path | None) -> None:
        self.path, self._key = path, b""  # no key is read or made yet

    def key(self) -> bytes:
        """Return the key, 32 bytes: from the file, or a new one if there is no file.

        Raises `InputError` for a file without a key, or one that others may read.
        """
        if self.path is None:
            return _key_in_memory()
        if not self._key:
            self._key = _read_key(self.path) if self.path.exists() else secrets.token_bytes(32)
        return self._key

    def save(self) -> None:
        """Write the key, if it was used, to a file that only its owner can read.

        Raises `InputError` if the file can't be written, or if another process has written a
        different key meanwhile.
        """
        if self.path is None or not self._key:
            return
        try:
            handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            if _read_key(self.path) != self._key:
                wrong, right = "another process has made a key meanwhile", "the same command again"
                raise InputError(str(self.path), wrong, right, kind="conflict") from None
            return
        except OSError as error:
            raise unwritable(self.path, error) from error
        with os.fdopen(handle, "w", encoding="ascii", newline="\n") as stream:
            stream.write(self._key.hex() + "\n")


@cache
def _key_in_memory() -> bytes:
    """Return a random key, the same one for the whole process."""
    return secrets.token_bytes(32)


def _read_key(path: Path) -> bytes:
    """Read a key from its file. Raises `InputError` for a file without a key or not private."""
    try:
        text = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        text = ""
    if KEY_PATTERN.fullmatch(text) is None:
        right = "64 hexadecimal digits as colorless wrote them, or a free name"
        raise InputError(str(path), "holds no key of pseudonyms", right, kind="format")
    demand_private(path, "this key")
    return bytes.fromhex(text)
