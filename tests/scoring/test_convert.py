"""Conversion of pickled networks: bit-equal where they are honest, refused where they are not."""

import io
import os
import pickle
import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from colorless_green import convert, load_model
from colorless_green.data.errors import InputError
from colorless_green.scoring import Query, read_model
from tests.builders import mistake
from tests.scoring.checkpoints import (
    WORDS,
    RNNModel,
    checkpoint,
    module_called_model,
    tensors,
    vocabulary,
)
from tests.scoring.tiny_models import plain_gates, weights

CPU: dict[str, Any] = {"device": "cpu"}


def converted(tmp_path: Path, **options: Any) -> Path:
    out = tmp_path / "out"
    words = vocabulary(tmp_path / "vocab.txt")
    convert(tmp_path / "model.pt", vocabulary=words, out=out, **options)
    return out


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN_TANH", "RNN_RELU"])
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("zipped", [False, True])
def test_every_weight_is_the_same_bits(kind: str, tied: bool, zipped: bool, tmp_path: Path) -> None:
    state = checkpoint(tmp_path / "model.pt", kind, tied=tied, zipped=zipped)
    found = weights(converted(tmp_path))
    assert found.keys() == state.keys()
    assert all(torch.equal(found[name], state[name]) for name in state)


def test_a_converted_network_scores_as_its_equations_say(tmp_path: Path) -> None:
    state = checkpoint(tmp_path / "model.pt")
    scorer = load_model(str(converted(tmp_path)), **CPU).scorer
    (score,) = scorer.score([Query(("the", "keys"), (("are", "here"),))])
    ids = [WORDS.index(each) for each in ("<eos>", "the", "keys", "are", "here")]
    wanted = plain_gates(state, 2, ids)[2:]
    assert score.continuations[0].bits == pytest.approx(wanted, abs=1e-5)


def test_a_folder_says_where_it_is_from(tmp_path: Path) -> None:
    checkpoint(tmp_path / "model.pt")
    words = vocabulary(tmp_path / "vocab.txt")
    result = convert(tmp_path / "model.pt", vocabulary=words, out=tmp_path / "out")
    (row,) = result.rows
    about = read_model(tmp_path / "out", "recurrent").card
    assert about["source"] == "model.pt"
    assert about["source_sha256"] == row["source_sha256"]
    assert row["vocabulary_size"] == len(WORDS)
    assert row["rnn_type"] == "LSTM"


def test_the_same_file_gives_the_same_bytes(tmp_path: Path) -> None:
    checkpoint(tmp_path / "model.pt")
    words = vocabulary(tmp_path / "vocab.txt")
    for name in ("one", "two"):
        convert(tmp_path / "model.pt", vocabulary=words, out=tmp_path / name)
    one, two = (
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}
        for name in ("one", "two")
    )
    assert one == two


def test_the_order_of_an_n_gram_network_is_told_to_it(tmp_path: Path) -> None:
    checkpoint(tmp_path / "model.pt")
    scorer = load_model(str(converted(tmp_path, order=3)), **CPU).scorer
    near, far, other = (
        next(iter(scorer.score([Query(tuple(prefix.split()), (("is",),))])))
        for prefix in ("the keys to", "key keys to", "the key to")
    )
    assert near == far != other


def edited(path: Path, old: bytes, new: bytes) -> None:
    """Write a checkpoint of the older format with other names in its pickle."""
    content = path.read_bytes()
    assert old in content
    path.write_bytes(content.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"ctorch\nFloatStorage\n", b"ctorch.cuda\nFloatStorage\n"),
        (b"_rebuild_tensor_v2\n", b"_rebuild_tensor\n"),
        (b"ctorch._utils\n_rebuild_parameter\n", b"ctorch.nn.parameter\nParameter\n"),
    ],
)
def test_files_from_a_gpu_and_from_older_versions_are_read(
    old: bytes, new: bytes, tmp_path: Path
) -> None:
    state = checkpoint(tmp_path / "model.pt")
    edited(tmp_path / "model.pt", old, new)
    found = weights(converted(tmp_path))
    assert all(torch.equal(found[name], state[name]) for name in state)


def saved(path: Path, model: torch.nn.Module, *, zipped: bool = True) -> None:
    with module_called_model():
        torch.save(model, path, _use_new_zipfile_serialization=zipped)


def test_numbers_of_another_width_become_float32(tmp_path: Path) -> None:
    model = RNNModel("LSTM", 6, 7, 2, False).double()
    saved(tmp_path / "model.pt", model)
    found = weights(converted(tmp_path))
    assert all(torch.equal(found[name], value.float()) for name, value in tensors(model).items())


def test_weights_that_lie_in_one_storage_are_told_apart(tmp_path: Path) -> None:
    """As cuDNN leaves them: each a part of one buffer."""
    model = RNNModel("LSTM", 6, 7, 2, False)
    buffer = torch.cat([each.detach().flatten() for each in model.rnn.parameters()])
    start = 0
    for value in model.rnn.parameters():
        value.data = buffer[start : start + value.numel()].view_as(value)
        start += value.numel()
    saved(tmp_path / "model.pt", model, zipped=False)
    found = weights(converted(tmp_path))
    assert all(torch.equal(found[name], value) for name, value in tensors(model).items())


class Bomb:
    """Calls a function when it is unpickled."""

    def __init__(self, function: Callable[..., object], *arguments: object) -> None:
        self.call = function, arguments

    def __reduce__(self) -> Any:
        return self.call


def armed(path: Path, bomb: object, *, zipped: bool) -> None:
    """Write an honest checkpoint with something else in it."""
    model: Any = RNNModel("LSTM", 6, 7, 2, False)
    model.extra = bomb
    saved(path, model, zipped=zipped)


BOMBS: Sequence[Callable[[Path], Bomb]] = [
    lambda mark: Bomb(os.system, f"touch {mark}"),
    lambda mark: Bomb(eval, f"open({str(mark)!r}, 'w')"),
    lambda mark: Bomb(Path.touch, mark),
    lambda mark: Bomb(torch.load, mark),
    lambda mark: Bomb(torch.hub.load_state_dict_from_url, "x"),
]


@pytest.mark.parametrize("bomb", BOMBS)
@pytest.mark.parametrize("zipped", [False, True])
def test_a_file_that_would_run_something_is_refused_before_it_does(
    bomb: Callable[[Path], Bomb], zipped: bool, tmp_path: Path
) -> None:
    path, mark = tmp_path / "model.pt", tmp_path / "sprung"
    armed(path, bomb(mark), zipped=zipped)
    with mistake("unsafe", path):
        converted(tmp_path)
    assert not mark.exists()
    assert not (tmp_path / "out").exists()


def raw(path: Path, program: bytes) -> None:
    """Write a zip-format file around a pickle."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("m/data.pkl", program)


def by_stack() -> bytes:
    """Return a call whose name is put together on the stack, where no look at the text finds it."""
    return b"\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x04true\x85R."


PROGRAMS = [
    (by_stack(), "unsafe"),
    (b"\x80\x02\x82\x01.", "unsafe"),  # EXT1
    (b"(S'true'\nios\nsystem\n.", "unsafe"),  # INST
    (b"cmodel\nRNNModel.__init__\n.", "format"),
    (b"ccollections\nOrderedDict.clear\n.", "unsafe"),
    (b"ctorch._utils\n_import_dotted_name\n.", "unsafe"),
    (b"\x80\x02Nr\xff\xff\xff\x7f.", "format"),  # it counts to 2 ** 31 - 1, which costs nothing
    (b"\x80\x02N", "format"),  # no end
    (b"\x80\x02).", "format"),
    (b"\x80\x02QQ.", "format"),
    # a key of a hundred tuples, each holding the one before it twice: hashing it never ends
    (b"\x80\x02})" + b"q\x00h\x00\x86" * 100 + b"Ns.", "unsafe"),
    # BUILD on a storage, to give it another size than the one in the file
    (
        b"\x80\x02(U\x07storagectorch\nFloatStorage\nU\x010U\x03cpuK\x01tQ}b.",
        "format",
    ),
]


@pytest.mark.parametrize(("program", "kind"), PROGRAMS)
def test_a_pickle_that_is_no_module_is_refused(program: bytes, kind: Any, tmp_path: Path) -> None:
    raw(tmp_path / "model.pt", program)
    with mistake(kind, tmp_path / "model.pt"):
        converted(tmp_path)


def rezipped(path: Path, change: Callable[[str, bytes], bytes], compression: int) -> None:
    """Write the same archive with other contents."""
    with zipfile.ZipFile(path) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in contents.items():
            archive.writestr(name, change(name, content))


def test_a_compressed_archive_is_refused_unopened(tmp_path: Path) -> None:
    """A gigabyte of zeros packs into a megabyte."""
    path = tmp_path / "model.pt"
    checkpoint(path, zipped=True)
    rezipped(path, lambda name, content: content, zipfile.ZIP_DEFLATED)
    with mistake("unsafe", tmp_path / "model.pt"):
        converted(tmp_path)


def test_a_tensor_larger_than_its_bytes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.pt"
    checkpoint(path, zipped=True)
    rezipped(path, lambda name, each: each[:8] if "/data/" in name else each, zipfile.ZIP_STORED)
    with mistake("format", tmp_path / "model.pt"):
        converted(tmp_path)


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("share", [0.2, 0.5, 0.9, 0.999])
def test_a_file_that_is_cut_off_is_refused(zipped: bool, share: float, tmp_path: Path) -> None:
    path = tmp_path / "model.pt"
    checkpoint(path, zipped=zipped)
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    with mistake("format", path):
        converted(tmp_path)


def test_a_storage_that_claims_more_than_the_file_has_is_refused(tmp_path: Path) -> None:
    """In the pickle, and again before the numbers: nothing of that size is asked of the memory."""
    path = tmp_path / "model.pt"
    checkpoint(path)
    n_numbers, claimed = len(WORDS) * 6, 1 << 40
    edited(
        path, bytes([0x4B, n_numbers]) + b"N", b"\x8a\x06" + claimed.to_bytes(6, "little") + b"N"
    )
    edited(path, n_numbers.to_bytes(8, "little"), claimed.to_bytes(8, "little"))
    with mistake("format", path):
        converted(tmp_path)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("<unk>\n<eos>\nthe\n", "conflict"),
        ("<unk>\n<eos>\nthe\nthe\n", "conflict"),
        ("<unk>\nthe\n", "missing"),
    ],
)
def test_a_vocabulary_that_does_not_fit_is_refused(content: str, kind: Any, tmp_path: Path) -> None:
    checkpoint(tmp_path / "model.pt")
    words = tmp_path / "vocab.txt"
    words.write_text(content)
    with mistake(kind, words):
        convert(tmp_path / "model.pt", vocabulary=words, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def without_end(model: Any) -> None:
    """Tuples that hold each other twice, where the dropout should be: to print them never ends."""
    for _ in range(100):
        model.drop.p = (model.drop.p, model.drop.p)


def repeating(model: Any) -> None:
    """Strides of 0: a terabyte from four bytes."""
    model.encoder.weight = torch.nn.Parameter(torch.zeros(1).expand(1 << 20, 1 << 20))


def without_number(model: Any) -> None:
    model.decoder.bias.data[3] = torch.nan


@pytest.mark.parametrize(
    ("change", "kind", "location"),
    [
        (repeating, "format", ""),
        (without_end, "value", ": dropout"),
        (lambda model: setattr(model, "decoder", torch.nn.Linear(5, len(WORDS))), "format", ""),
        (
            lambda model: setattr(model, "rnn", torch.nn.LSTM(6, 7, 2, bidirectional=True)),
            "unknown",
            "",
        ),
        (without_number, "format", ""),
    ],
    ids=["repeats", "no end", "sizes", "backwards", "no number"],
)
def test_a_network_that_cannot_be_is_refused(
    change: Callable[[Any], None], kind: Any, location: str, tmp_path: Path
) -> None:
    model = RNNModel("LSTM", 6, 7, 2, False)
    change(model)
    saved(tmp_path / "model.pt", model)
    with mistake(kind, f"{tmp_path / 'model.pt'}{location}"):
        converted(tmp_path)


def test_a_state_dict_is_no_module(tmp_path: Path) -> None:
    torch.save(RNNModel("LSTM", 6, 7, 2, False).state_dict(), tmp_path / "model.pt")
    with mistake("format", tmp_path / "model.pt"):
        converted(tmp_path)


def test_a_missing_and_an_empty_file_are_refused(tmp_path: Path) -> None:
    words = vocabulary(tmp_path / "vocab.txt")
    (tmp_path / "empty").touch()
    for name in ("none", "empty"):
        with mistake("unreadable", tmp_path / name):
            convert(tmp_path / name, vocabulary=words, out=tmp_path / "out")


def test_a_folder_that_holds_a_model_is_not_written_over(tmp_path: Path) -> None:
    checkpoint(tmp_path / "model.pt")
    out = converted(tmp_path)
    with mistake("conflict", out):
        converted(tmp_path)


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> dict[bool, bytes]:
    folder = tmp_path_factory.mktemp("honest")
    for zipped in (False, True):
        checkpoint(folder / str(zipped), zipped=zipped)
    return {zipped: (folder / str(zipped)).read_bytes() for zipped in (False, True)}


@given(
    st.booleans(),
    st.lists(st.tuples(st.floats(0, 1), st.binary(max_size=4)), max_size=3),
    st.floats(0, 1),
)
def test_a_damaged_file_is_converted_or_refused_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory,
    honest: dict[bool, bytes],
    zipped: bool,
    damages: list[tuple[float, bytes]],
    kept: float,
) -> None:
    content = bytearray(honest[zipped])
    for where, new in damages:
        place = int(where * len(content))
        content[place : place + len(new)] = new
    if kept < 0.2:
        del content[int(5 * kept * len(content)) :]
    folder = tmp_path_factory.mktemp("damaged")
    (folder / "model.pt").write_bytes(bytes(content))
    with suppress(InputError):
        converted(folder)
    assert (folder / "out").exists() == (folder / "out" / "manifest.json").exists()


def test_the_bombs_here_would_go_off(tmp_path: Path) -> None:
    """Else the refusals above would say nothing."""
    armed(tmp_path / "model.pt", Bomb(Path.touch, tmp_path / "sprung"), zipped=True)
    with module_called_model():
        torch.load(tmp_path / "model.pt", weights_only=False)
    assert (tmp_path / "sprung").exists()
    assert pickle.load(io.BytesIO(by_stack())) == 0
