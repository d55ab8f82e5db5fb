"""A component oracle: our reader of pickles of texts against Python's, and what it refuses."""

import gzip
import os
import pickle
import pickletools
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data import detect_format, read_suite
from colorless_green.data.errors import InputError
from colorless_green.data.formats import marvin_linzen
from colorless_green.data.formats.marvin_linzen import MOST_BYTES, read_pickle
from tests.nonce.format_material import refuses

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
members = st.lists(st.lists(texts, max_size=5).map(tuple), max_size=4)
dictionaries = st.dictionaries(texts, members, max_size=4)
PAIR = (("a b", "a c"),)


@given(dictionaries, st.integers(0, 5))
def test_what_python_pickles_is_read_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, value: dict[str, list[tuple[str, ...]]], protocol: int
) -> None:
    path = tmp_path_factory.mktemp("p") / "x.pickle"
    path.write_bytes(pickle.dumps(value, protocol))
    found = read_pickle(path)
    assert found == value
    assert list(found) == list(value)


@given(st.binary(max_size=40), st.sampled_from([b"", b"\x80\x04", b"(dp0\n", b"\x80\x02}q\x00("]))
def test_any_bytes_are_read_as_python_reads_them_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, start: bytes
) -> None:
    path = tmp_path_factory.mktemp("p") / "x.pickle"
    path.write_bytes(start + content)
    try:
        found = read_pickle(path)
    except InputError:
        return
    assert found == pickle.loads(start + content)


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("shorten", [bytes, pickletools.optimize])
def test_a_pickle_of_any_protocol_is_told_by_its_beginning(
    tmp_path: Path, protocol: int, shorten: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "x"
    path.write_bytes(shorten(pickle.dumps({"k": list(PAIR)}, protocol)))
    if (protocol, shorten) == (0, pickletools.optimize):  # "(dVk\n" could be anything
        assert detect_format(path) == ""
    else:
        assert detect_format(path) == "marvin_linzen"
        assert read_suite(path).items


def test_a_pickle_of_python_2_has_escapes_and_bytes_of_either_encoding(tmp_path: Path) -> None:
    path = tmp_path / "x.pickle"
    path.write_bytes(
        b"(dp0\nS'k'\np1\n(lp2\n(S'it\\'s \\x41\\xe9'\np3\nS\"\\xc3\\xa9\"\np4\ntp5\nas."
    )
    assert read_pickle(path) == {"k": [("it's Aé", "é")]}


def test_a_text_that_is_remembered_can_be_used_again(tmp_path: Path) -> None:
    path = tmp_path / "x.pickle"
    path.write_bytes(b"(dp0\nS'k'\np1\n(lp2\n(g1\ng1\ntp5\nas.")
    assert read_pickle(path) == {"k": [("k", "k")]}


class Calls:
    """What a pickle of a harmful kind is made of."""

    def __reduce__(self) -> tuple[Callable[[str], int], tuple[str]]:
        return (os.system, ("exit 1",))


class Built:
    """An object with a state."""

    def __init__(self) -> None:
        self.state = 1


HARMFUL = {
    "a call": pickle.dumps(Calls(), 4),
    "a call in a pair": pickle.dumps({"k": [(Calls(), "a")]}, 2),
    "a class by text": b"cos\nsystem\n(S'exit 1'\ntR.",
    "a call alone": b"(S'exit 1'\ntR.",
    "an instance": b"(S'exit 1'\nios\nsystem\n.",
    "an object": pickle.dumps(Built(), 4),
    "a state": b"}}b.",
    "a registered class": b"\x80\x02\x82\x01.",
    "a persistent id": b"Psomewhere\n.",
    "another": b"\x80\x02]Q.",
    "a number": pickle.dumps({"k": [(1, 2)]}, 2),
    "a huge number": b"L" + b"9" * 100 + b"L\n.",
    "bytes": pickle.dumps({"k": [(b"a",)]}, 3),
    "a set": pickle.dumps({"a"}, 4),
    "no instruction": b"\x80\x02\xff.",
    "a tuple twice in itself": b"\x80\x02)" + b"2\x86" * 60 + b".",
    "a key of tuples twice in each other": b"\x80\x02})" + b"q\x00h\x00\x86" * 60 + b"]s.",
    "half of a surrogate pair": b"(Vk\n](V\\ud800\ntad.",
    "a wide member used often": pickle.dumps({"k": [("",) * 1_001]}, 2),
    "a tuple of a tuple": b"\x80\x02)\x85.",
    "a list in itself": b"\x80\x02]q\x00h\x00a.",
    "a list of texts": pickle.dumps({"k": ["a"]}, 2),
    "a tuple for a key": pickle.dumps({("a",): []}, 2),
    "a list": pickle.dumps([("a", "b")], 2),
    "a text": pickle.dumps("a", 2),
    "a size of gigabytes": b"\x80\x04\x8d" + (1 << 40).to_bytes(8, "little") + b"a.",
    "an index of gigabytes": b"\x80\x02]r\xff\xff\xff\x7f0.",
    "an unknown protocol": b"\x80\x06}.",
    "an end too soon": b"(dp0\nS'k'",
    "nothing to end with": b".",
    "no mark": b"t.",
    "an unknown memory": b"g0\n.",
    "a memory of nothing": b"p0\n.",
    "a memory without a number": b"]p-1\n.",
    "no quotes": b"Sabc\n.",
    "half an escape": b"S'\\x4'\n.",
    "half a letter": b"\x80\x02X\x01\x00\x00\x00\xc3.",
    "a key without a value": b"(S'k'\nd.",
    "an item of no list": b"})a.",
}


@pytest.mark.parametrize("name", HARMFUL)
def test_a_pickle_of_anything_else_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.pickle"
    path.write_bytes(HARMFUL[name])
    refuses("unsafe", path, path, "marvin_linzen")


def test_an_index_of_gigabytes_takes_no_memory(tmp_path: Path) -> None:
    """Python's own reader makes a table as long as the largest index."""
    path = tmp_path / "x.pickle"
    path.write_bytes(b"\x80\x02}r\xff\xff\xff\xff.")
    assert read_pickle(path) == {}


@pytest.mark.parametrize(
    ("member", "n", "name", "bound"),
    [
        (("ab", "cd"), 1 << 6, "MOST_MEMBERS", 1 << 12),
        (("a" * (1 << 10),), 1, "MOST_CHARACTERS", 1 << 16),
    ],
)
def test_lists_that_are_shared_count_as_often_as_they_are_used(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    member: tuple[str, ...],
    n: int,
    name: str,
    bound: int,
) -> None:
    monkeypatch.setattr(marvin_linzen, name, bound)
    shared = [member] * n
    weight = n if name == "MOST_MEMBERS" else len(member[0])
    path = tmp_path / "x.pickle"
    for more, is_refused in ((0, False), (1, True)):
        value = {str(key): shared for key in range(bound // weight + more)}
        path.write_bytes(pickle.dumps(value, 2))
        if is_refused:
            refuses("unsafe", path, path, "marvin_linzen")
        else:
            assert read_pickle(path) == value


def test_a_pickle_that_unpacks_to_more_than_its_bound_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.pickle.gz"
    path.write_bytes(gzip.compress(pickle.dumps({"k": [("a" * MOST_BYTES,)]}, 2), 1))
    refuses("unsafe", path, path)
