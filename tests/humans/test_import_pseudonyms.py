"""Names for people: the same for the same person, telling nothing, from a key of its own."""

import base64
import hashlib
import hmac
import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.humans import KeyFile, pseudonym
from tests.builders import mistake

KEY = bytes(range(32))


def key_in(path: Path) -> bytes:
    """Return the key that an import reads or makes, and saves."""
    file = KeyFile(path)
    key = file.key()
    file.save()
    return key


def test_a_pseudonym_is_the_stated_function_of_key_platform_and_id() -> None:
    digest = hmac.new(KEY, b"prolific:5f1d0c9a", hashlib.sha256).digest()
    assert pseudonym(KEY, "prolific", "5f1d0c9a") == base64.b32encode(digest).decode()[:16]


@given(st.text(min_size=1).filter(str.strip), st.sampled_from(["prolific", "mturk"]))
def test_a_pseudonym_is_sixteen_letters_and_digits(identity: str, platform: str) -> None:
    found = pseudonym(KEY, platform, identity.encode("utf-8", "replace").decode())
    assert re.fullmatch("[A-Z2-7]{16}", found)


def test_people_platforms_and_keys_are_told_apart() -> None:
    names = {
        pseudonym(key, platform, identity)
        for key in (KEY, KEY[::-1])
        for platform in ("prolific", "mturk")
        for identity in ("A1", "A2")
    }
    assert len(names) == 8


def test_nobody_has_no_name() -> None:
    assert pseudonym(KEY, "prolific", " ") == ""


def test_a_key_is_made_once_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "colorless.key"
    key = key_in(path)
    assert len(key) == 32
    assert key_in(path) == key
    if os.name == "posix":
        assert path.stat().st_mode & 0o777 == 0o600
    assert key_in(tmp_path / "other.key") != key


def test_a_key_that_another_process_has_made_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    file = KeyFile(tmp_path / "colorless.key")
    file.key()
    other = key_in(tmp_path / "colorless.key")
    with mistake("conflict", tmp_path / "colorless.key"):
        file.save()
    assert key_in(tmp_path / "colorless.key") == other


def test_a_file_that_holds_no_key_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "colorless.key"
    path.write_text("secret\n", encoding="utf-8")
    path.chmod(0o600)
    with mistake("format", path):
        key_in(path)


@pytest.mark.skipif(os.name != "posix", reason="permissions as POSIX has them")
def test_a_key_that_others_may_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "colorless.key"
    key_in(path)
    path.chmod(0o644)
    with mistake("unsafe", path):
        key_in(path)
