"""Pickles of strings: what Python's own reader makes of them, and nothing that a pickle can do."""

import os
import pickle
import pickletools
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.nonce.formats import format_of, pickled
from colorless_green.nonce.formats.pickled import RIGHT, read_pickle
from colorless_green.nonce.formats.told import format_told

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
        assert format_told(path) == ""
    else:
        assert format_told(path) == "marvin_linzen"
        assert format_of(path, "").read(path).items


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


HARMFUL = {  # content, what is said of it
    "a call": (pickle.dumps(Calls(), 4), "it has the instruction STACK_GLOBAL"),
    "a call in a pair": (
        pickle.dumps({"k": [(Calls(), "a")]}, 2), "it has the instruction GLOBAL",
    ),
    "a class by text": (b"cos\nsystem\n(S'exit 1'\ntR.", "it has the instruction GLOBAL"),
    "a call alone": (b"(S'exit 1'\ntR.", "it has the instruction REDUCE"),
    "an instance": (b"(S'exit 1'\nios\nsystem\n.", "it has the instruction INST"),
    "an object": (pickle.dumps(Built(), 4), "it has the instruction STACK_GLOBAL"),
    "a state": (b"}}b.", "it has the instruction BUILD"),
    "a registered class": (b"\x80\x02\x82\x01.", "it has the instruction EXT1"),
    "a persistent id": (b"Psomewhere\n.", "it has the instruction PERSID"),
    "another": (b"\x80\x02]Q.", "it has the instruction BINPERSID"),
    "a number": (pickle.dumps({"k": [(1, 2)]}, 2), "it has the instruction BININT1"),
    "a huge number": (b"L" + b"9" * 100 + b"L\n.", "it has the instruction LONG"),
    "bytes": (pickle.dumps({"k": [(b"a",)]}, 3), "it has the instruction SHORT_BINBYTES"),
    "a set": (pickle.dumps({"a"}, 4), "it has the instruction EMPTY_SET"),
    "no instruction": (b"\x80\x02\xff.", "it has the instruction 0xff, which there is not"),
    "a tuple twice in itself": (b"\x80\x02)" + b"2\x86" * 60 + b".", "it has the instruction DUP"),
    "a tuple of a tuple": (b"\x80\x02)\x85.", "a tuple in it holds something else than texts"),
    "a list in itself": (
        b"\x80\x02]q\x00h\x00a.", "a list in it holds something else than tuples",
    ),
    "a list of texts": (pickle.dumps({"k": ["a"]}, 2), "a list in it holds something else than "),
    "a tuple for a key": (
        pickle.dumps({("a",): []}, 2), "its dictionary holds something else than lists under texts",
    ),
    "a list": (pickle.dumps([("a", "b")], 2), "it holds a list"),
    "a text": (pickle.dumps("a", 2), "it holds a str"),
    "a size of gigabytes": (
        b"\x80\x04\x8d" + (1 << 40).to_bytes(8, "little") + b"a.", "it is cut off",
    ),
    "an index of gigabytes": (b"\x80\x02]r\xff\xff\xff\x7f0.", "it takes from an empty stack"),
    "an unknown protocol": (b"\x80\x06}.", "its protocol is newer than 5"),
    "an end too soon": (b"(dp0\nS'k'", "it is cut off"),
    "nothing to end with": (b".", "it takes from an empty stack"),
    "no mark": (b"t.", "a mark is missing"),
    "an unknown memory": (b"g0\n.", "it recalls what it did not remember"),
    "a memory of nothing": (b"p0\n.", "it remembers what is not there"),
    "a memory without a number": (b"]p-1\n.", "an index in it is no number"),
    "no quotes": (b"Sabc\n.", "a text in it has no quotes"),
    "half an escape": (b"S'\\x4'\n.", "a text in it has a broken escape"),
    "half a letter": (b"\x80\x02X\x01\x00\x00\x00\xc3.", "a text in it is not UTF-8"),
    "a key without a value": (b"(S'k'\nd.", "a key in it has no value"),
    "an item of no list": (b"})a.", "it adds to something that is no list"),
}  # fmt: skip


@pytest.mark.parametrize("name", HARMFUL)
def test_a_pickle_of_anything_else_is_refused_in_one_line(tmp_path: Path, name: str) -> None:
    content, said = HARMFUL[name]
    path = tmp_path / "x.pickle"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        format_of(path, "marvin_linzen").read(path)
    assert str(caught.value).startswith(f"{path}: a pickle that is refused: {said}")
    assert str(caught.value).endswith(f"; {RIGHT}")
    assert "\n" not in str(caught.value)


def test_an_index_of_gigabytes_takes_no_memory(tmp_path: Path) -> None:
    """Python's own reader makes a table as long as the largest index."""
    path = tmp_path / "x.pickle"
    path.write_bytes(b"\x80\x02}r\xff\xff\xff\xff.")
    assert read_pickle(path) == {}


@pytest.mark.parametrize(
    ("bound", "said"),
    [
        ("MOST", "a pickle that is refused: it has more than 10 members"),
        ("LONGEST", "a pickle that is refused: it has more than 10 characters"),
    ],
)
def test_lists_that_are_shared_count_as_often_as_they_are_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: str, said: str
) -> None:
    monkeypatch.setattr(pickled, bound, 10)
    shared = [("ab", "cd")] * 2
    path = tmp_path / "x.pickle"
    path.write_bytes(pickle.dumps({"k": shared, "l": shared}, 2))
    if bound == "MOST":
        assert read_pickle(path)["l"] == shared
    path.write_bytes(pickle.dumps({str(key): shared for key in range(6)}, 2))
    with pytest.raises(InputError) as caught:
        read_pickle(path)
    assert str(caught.value) == f"{path}: {said}; {RIGHT}"


def test_a_pickle_that_unpacks_to_more_than_its_bound_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import gzip

    monkeypatch.setattr(pickled, "LARGEST", 1 << 20)
    path = tmp_path / "x.pickle.gz"
    path.write_bytes(gzip.compress(pickle.dumps({"k": [("a" * (1 << 21),)]}, 2)))
    with pytest.raises(InputError) as caught:
        read_pickle(path)
    assert str(caught.value) == f"{path}: a pickle of more than 1 MiB; {RIGHT}"
