"""Recurrent networks as scorers: against gates written out by hand, the contract, and broken."""

import json
import pickle
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import pytest
import safetensors.torch
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.scoring.backends.recurrent import EOS, Recurrent, load
from colorless_green.scoring.query import LoadOptions, Query
from tests.scoring.contract import CLAIMS, Case, Claim, claim_name
from tests.scoring.tiny_models import (
    SHAPE,
    WORDS,
    break_folder,
    network_folder,
    plain_gates,
    total,
    weights,
)

OPTIONS = LoadOptions(device="cpu")
NOISE = 1e-5  # bits
QUERIES = (
    Query(("the", "keys", "to", "the", "cabinet"), (("is",), ("are",), ("are", "here", "."))),
    Query((), (("the", "key"), ("key",), ("is", "nothing"))),
    Query(("the", "nothing", "the"), (("keys", "are", "here"), (), ("con gái",))),
)
words = st.lists(st.sampled_from([*WORDS, "nothing", "con gái"]), max_size=9).map(tuple)
queries = st.lists(
    st.builds(Query, words, st.lists(words, max_size=3).map(tuple)), min_size=1, max_size=6
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return network_folder(tmp_path_factory.mktemp("network"))


@pytest.fixture(scope="module")
def scorer(folder: Path) -> Recurrent:
    return load(str(folder), OPTIONS)


@pytest.mark.parametrize("claim", CLAIMS, ids=claim_name)
def test_keeps_the_contract(claim: Claim, folder: Path, tmp_path: Path) -> None:
    other = network_folder(tmp_path, seed=1)
    claim(
        Case(
            load=lambda: load(str(folder), OPTIONS),
            other=lambda: load(str(other), OPTIONS),
            queries=QUERIES,
            following=tuple((word,) for word in WORDS),
            unknown=("nothing", "at-all"),
            noise_bits=NOISE,
            sum_error=NOISE,
        )
    )


@given(queries)
@settings(max_examples=25)
def test_every_number_is_that_of_the_gates_written_out(
    folder: Path, scorer: Recurrent, asked: list[Query]
) -> None:
    tensors = weights(folder)
    for query, score in zip(asked, scorer.score(asked), strict=True):
        for continuation, answer in zip(query.continuations, score.continuations, strict=True):
            ids = [word_id(word) for word in (EOS, *query.prefix, *continuation)]
            wanted = plain_gates(tensors, SHAPE.nlayers, ids)[len(query.prefix) :]
            assert answer.bits == pytest.approx(wanted, abs=NOISE)


def word_id(word: str) -> int:
    entry = word.replace(" ", "\u00a0")
    return WORDS.index(entry) if entry in WORDS else WORDS.index("<unk>")


@given(queries, st.integers(1, 40))
@settings(max_examples=15)
def test_the_size_of_batches_changes_no_number(
    scorer: Recurrent, asked: list[Query], budget: int
) -> None:
    for one, other in zip(
        scorer.score(asked), replace(scorer, budget=budget).score(asked), strict=True
    ):
        for left, right in zip(one.continuations, other.continuations, strict=True):
            assert left.bits == pytest.approx(right.bits, abs=NOISE)


def test_two_unknown_words_are_exactly_as_surprising(scorer: Recurrent) -> None:
    (score,) = scorer.score([Query(("the",), (("nothing",), ("nobody",)))])
    assert total(score.continuations[0]) == total(score.continuations[1])


def test_a_word_with_a_blank_in_it_is_one_word(scorer: Recurrent) -> None:
    (score,) = scorer.score([Query((), (("con gái",), ("con\u00a0gái",)))])
    one, other = score.continuations
    assert one == other
    assert one.oov == (False,)


def test_a_network_with_one_embedding_for_in_and_output_is_read_from_one_tensor(
    tmp_path: Path,
) -> None:
    shape = replace(SHAPE, tied=True, nhid=SHAPE.ninp)
    folder = network_folder(tmp_path, shape)
    assert "decoder.weight" not in weights(folder)
    (score,) = load(str(folder), OPTIONS).score([Query((), (("the", "key"),))])
    tied = {**weights(folder), "decoder.weight": weights(folder)["encoder.weight"]}
    wanted = plain_gates(tied, shape.nlayers, [word_id(each) for each in (EOS, "the", "key")])
    assert score.continuations[0].bits == pytest.approx(wanted, abs=NOISE)


def test_the_signature_says_what_numbers_depend_on(scorer: Recurrent) -> None:
    assert scorer.unit == "words"
    keys = [pair.partition(":")[0] for pair in scorer.signature.split("|")]
    assert keys == ["model", "files", "bos", "device", "dtype", "torch", "colorless"]


def shape_file(**changes: object) -> bytes:
    return json.dumps({**asdict(SHAPE), **changes}).encode()


def tensors_without(*names: str, **more: torch.Tensor) -> Callable[[Path], bytes]:
    def made(folder: Path) -> bytes:
        kept = {name: value for name, value in weights(folder).items() if name not in names}
        packed: bytes = safetensors.torch.save({**kept, **more})
        return packed

    return made


REMEDY = "a folder made by colorless train recurrent"
SPOKEN_OF = "the weights config.json speaks of"
BROKEN: Sequence[tuple[str, bytes | Callable[[Path], bytes], str]] = [
    (
        "vocabulary__txt",
        b"<unk>\n<eos>\nthe\nthe\n",
        "vocabulary.txt:4: 'the' stands on line 3 too; every word once",
    ),
    ("vocabulary__txt", b"<unk>\n\n", "vocabulary.txt:2: the line is empty; one word a line"),
    (
        "vocabulary__txt",
        b"<unk>\nthe\n",
        "vocabulary.txt: '<eos>' is missing; a line for each of <unk>, <eos>",
    ),
    (
        "vocabulary__txt",
        b"<unk>\n<eos>\n",
        "config.json: ntoken is 12, but vocabulary.txt has 2 lines; as many as there are lines",
    ),
    ("config__json", b"[1]", f"config.json: this is no network's shape; {REMEDY}"),
    ("config__json", b"{", f"config.json: this is no network's shape; {REMEDY}"),
    ("config__json", b'{"ninp": 3}', f"config.json: this is no network's shape; {REMEDY}"),
    ("config__json", shape_file(rnn_type="GRU"), "config.json: rnn_type is 'GRU'; LSTM"),
    (
        "config__json",
        shape_file(nlayers=0),
        "config.json: sizes are 12, 6, 7, 0; whole numbers above 0",
    ),
    (
        "config__json",
        shape_file(ninp=True),
        "config.json: sizes are 12, True, 7, 2; whole numbers above 0",
    ),
    (
        "config__json",
        shape_file(dropout=1),
        "config.json: dropout is 1; a number from 0 to below 1",
    ),
    (
        "config__json",
        shape_file(tied=True),
        "config.json: tied is True, ninp 6, nhid 7; true or false, and equal widths if true",
    ),
    (
        "weights__safetensors",
        tensors_without("rnn.bias_hh_l1"),
        f"weights.safetensors: no tensor 'rnn.bias_hh_l1'; {SPOKEN_OF}",
    ),
    (
        "weights__safetensors",
        tensors_without(extra=torch.zeros(2)),
        f"weights.safetensors: an unknown tensor 'extra'; {SPOKEN_OF}",
    ),
    (
        "weights__safetensors",
        tensors_without(**{"decoder.bias": torch.zeros(3)}),
        f"weights.safetensors: decoder.bias has the shape (3,), not (12,); {SPOKEN_OF}",
    ),
    (
        "weights__safetensors",
        tensors_without(**{"decoder.bias": torch.full((12,), torch.nan)}),
        f"weights.safetensors: decoder.bias is not finite float32; {REMEDY}",
    ),
    (
        "weights__safetensors",
        tensors_without(**{"decoder.bias": torch.zeros(12, dtype=torch.int32)}),
        f"weights.safetensors: decoder.bias is not finite float32; {REMEDY}",
    ),
]


@pytest.mark.parametrize(("name", "content", "message"), BROKEN)
def test_a_folder_that_does_not_fit_together_is_refused(
    name: str, content: bytes | Callable[[Path], bytes], message: str, tmp_path: Path
) -> None:
    folder = network_folder(tmp_path)
    break_folder(folder, **{name: content if isinstance(content, bytes) else content(folder)})
    with pytest.raises(InputError) as error:
        load(str(folder), OPTIONS)
    assert str(error.value) == f"{folder}/{message}"


class Trap:
    """Makes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        return Path.touch, (self.path,)  # type: ignore[return-value]


def test_a_pickle_under_the_name_of_the_weights_is_never_opened(tmp_path: Path) -> None:
    folder, trap = network_folder(tmp_path / "network"), tmp_path / "sprung"
    break_folder(folder, weights__safetensors=pickle.dumps(Trap(trap)))
    with pytest.raises(InputError, match="not a safetensors file"):
        load(str(folder), OPTIONS)
    assert not trap.exists()
    pickle.loads((folder / "weights.safetensors").read_bytes())
    assert trap.exists()  # it would have sprung


def test_a_folder_changed_by_hand_is_refused(tmp_path: Path) -> None:
    folder = network_folder(tmp_path)
    (folder / "vocabulary.txt").write_bytes(b"<unk>\n<eos>\n")
    with pytest.raises(InputError) as error:
        load(str(folder), OPTIONS)
    assert str(error.value) == (
        f"{folder}/vocabulary.txt: is missing or was changed; write the folder again"
    )


def test_a_folder_whose_manifest_knows_no_weights_is_refused(tmp_path: Path) -> None:
    folder = network_folder(tmp_path)
    hidden = (folder / "weights.safetensors").read_bytes()
    (folder / "weights.safetensors").unlink()
    break_folder(folder)
    (folder / "weights.safetensors").write_bytes(hidden)
    with pytest.raises(InputError) as error:
        load(str(folder), OPTIONS)
    assert str(error.value) == (
        f"{folder}: its manifest.json does not list weights.safetensors; {REMEDY}"
    )


def test_a_path_that_is_not_there_is_an_error_that_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        load(str(tmp_path / "nowhere"), OPTIONS)
    assert str(error.value) == f"{tmp_path}/nowhere: there is no such file or folder; {REMEDY}"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            LoadOptions(dtype="bfloat16"),
            "--dtype: 'bfloat16' for a recurrent model, which has no choice of it; float32",
        ),
        (
            LoadOptions(bos="none"),
            "--bos: 'none' for a recurrent model, which learned from lines after <eos>; "
            "auto or always",
        ),
        (LoadOptions(device="tpu"), "--device: no such device 'tpu'; auto, cpu, cuda or cuda:N"),
    ],
)
def test_options_it_cannot_obey_are_refused(
    folder: Path, options: LoadOptions, message: str
) -> None:
    with pytest.raises(InputError) as error:
        load(str(folder), options)
    assert str(error.value) == message
