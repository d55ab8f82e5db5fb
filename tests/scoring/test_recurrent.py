"""Recurrent networks as scorers: against gates written out by hand, the contract, and broken."""

import json
import math
import pickle
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from itertools import pairwise
from pathlib import Path

import pytest
import safetensors.torch
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.scoring import LoadOptions, Query
from colorless_green.scoring.backends.recurrent import EOS, Network, Recurrent, Shape, load
from colorless_green.scoring.recurrent import carried, projection
from colorless_green.scoring.recurrent.carried import Text, tree
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


@given(queries, st.integers(1, 4), st.integers(1, 5), st.integers(1, 5))
@settings(max_examples=25)
def test_the_size_of_batches_changes_no_number(
    scorer: Recurrent, asked: list[Query], n_queries: int, n_nodes: int, n_rows: int
) -> None:
    wanted = list(scorer.score(asked))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(carried, "N_NODES", n_nodes)
        patch.setattr(carried, "N_ROWS", n_rows)
        patch.setattr(projection, "ROWS", n_rows)
        patch.setattr(projection, "COLUMNS", n_nodes)
        found = list(replace(scorer, n_queries=n_queries).score(asked))
    for one, other in zip(wanted, found, strict=True):
        for left, right in zip(one.continuations, other.continuations, strict=True):
            assert left.bits == pytest.approx(right.bits, abs=NOISE)


SHAPES = [
    replace(SHAPE, rnn_type=kind, order=order)
    for kind in ("LSTM", "GRU", "RNN_TANH", "RNN_RELU")
    for order in (None, 3)
]


def one_by_one(network: Network, ids: Sequence[int], order: int | None) -> list[float]:
    """−log2 p of every id but the first by torch's own layers, one call for each word."""
    found = []
    for place in range(1, len(ids)):
        first = 0 if order is None else max(0, place - order + 1)
        with torch.inference_mode():
            hidden, _ = network(torch.tensor(ids[first:place]).unsqueeze(1))
            nats = network.decoder(hidden[-1, 0]).double().log_softmax(-1)[ids[place]]
        found.append(-nats.item() / math.log(2))
    return found


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"{shape.rnn_type}-{shape.order}")
@given(asked=queries)
@settings(max_examples=8)
def test_every_kind_of_network_says_what_torchs_layers_say_one_by_one(
    shape: Shape, asked: list[Query], tmp_path_factory: pytest.TempPathFactory
) -> None:
    model = load(str(network_folder(tmp_path_factory.mktemp("kind"), shape)), OPTIONS)
    if shape.rnn_type == "RNN_RELU":  # else its states grow until float32 is too coarse
        with torch.no_grad():
            for weight in model.network.rnn.parameters():
                weight.mul_(0.3)
    for query, score in zip(asked, model.score(asked), strict=True):
        for continuation, answer in zip(query.continuations, score.continuations, strict=True):
            ids = [word_id(word) for word in (EOS, *query.prefix, *continuation)]
            wanted = one_by_one(model.network, ids, shape.order)[len(query.prefix) :]
            assert answer.bits == pytest.approx(wanted, rel=1e-6, abs=NOISE)


@pytest.mark.parametrize("claim", CLAIMS, ids=claim_name)
@pytest.mark.parametrize("shape", [SHAPES[3], SHAPES[1]], ids=["GRU of order 3", "5-gram"])
def test_other_networks_keep_the_contract(claim: Claim, shape: Shape, tmp_path: Path) -> None:
    one, other = (network_folder(tmp_path / str(seed), shape, seed) for seed in (0, 1))
    claim(
        Case(
            load=lambda: load(str(one), OPTIONS),
            other=lambda: load(str(other), OPTIONS),
            queries=QUERIES,
            following=tuple((word,) for word in WORDS),
            unknown=("nothing", "at-all"),
            noise_bits=NOISE,
            sum_error=NOISE,
        )
    )


def test_an_n_gram_network_does_not_see_beyond_its_reach(tmp_path: Path) -> None:
    model = load(str(network_folder(tmp_path, replace(SHAPE, order=3))), OPTIONS)
    near, far = (
        model.score([Query((first, "keys", "to"), (("the",),))]) for first in ("the", "key")
    )
    assert next(near).continuations == next(far).continuations
    whole = load(str(network_folder(tmp_path / "whole")), OPTIONS)
    near, far = (
        whole.score([Query((first, "keys", "to"), (("the",),))]) for first in ("the", "key")
    )
    assert next(near).continuations != next(far).continuations


def test_a_sure_thing_costs_nothing_however_large_the_logits() -> None:
    decoder = torch.nn.Linear(50, 3)
    with torch.no_grad():
        decoder.weight.copy_(torch.linspace(-40, 41, 150).view(3, 50))
    hidden = torch.ones(1, 50)
    assert projection.projection(decoder).log_probabilities(hidden, [0], [2]) == [0.0]


def test_what_many_texts_begin_with_is_read_once() -> None:
    """Five texts of 6, 6, 6, 3 and 6 ids: the last id of each is read by no one."""
    texts = [
        Text(0, (1, 2, 3, 4, 5, 6), 5),
        Text(0, (1, 2, 3, 4, 5, 7), 5),
        Text(0, (1, 2, 3, 4, 6, 6), 5),
        Text(0, (1, 2, 9), 2),
        Text(1, (1, 2, 3, 4, 5, 6), 5),
    ]
    levels, wanted, places = tree(texts, n_words=10)
    assert [len(level.ids) for level in levels] == [2, 2, 2, 2, 3]
    assert [len(each.nodes) for each in wanted] == [0, 0, 1, 0, 0, 3]
    assert sorted(place for each in places for place in each) == [0, 1, 2, 3, 4]


STREAM = "the keys are here . <eos>\nthe key is here .\nto the cabinet nothing is here . <eos>\n"


@pytest.fixture(scope="module")
def stream(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stream") / "generated.text"
    path.write_text(STREAM * 3 + "keys to keys are here . <eos>\n", "utf-8")
    return path


def protocol(network: Network, text: str) -> list[float | None]:
    """−log2 p of each word of the file by the paper's script: one stream, 20 words a call, the
    state handed on (src/language_models/evaluate_target_word.py). The first word has none."""
    ids = [word_id(word) for line in text.splitlines() for word in (*line.split(), "<eos>")]
    pairs = pairwise(ids)
    ids = [ids[0], *(after for before, after in pairs if (before, after) != (1, 1))]
    found: list[float | None] = [None]
    state = None
    for start in range(0, len(ids) - 1, 20):
        read = torch.tensor(ids[start : min(start + 20, len(ids) - 1)]).unsqueeze(1)
        with torch.inference_mode():
            hidden, state = network(read, state)
            rows = network.decoder(hidden[:, 0]).double().log_softmax(-1)
        for row, following in zip(rows, ids[start + 1 :], strict=False):
            found.append(-row[following].item() / math.log(2))
    return found


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN_TANH"])
def test_a_stream_has_the_numbers_of_the_papers_protocol(
    kind: str, stream: Path, tmp_path: Path
) -> None:
    folder = network_folder(tmp_path, replace(SHAPE, rnn_type=kind))
    model = load(f"{folder}?stream={stream}", OPTIONS)
    wanted = protocol(model.network, stream.read_text("utf-8"))
    sentences = [line.split() for line in stream.read_text("utf-8").splitlines()]
    assert len(wanted) == sum(len(words) + (words[-1] != "<eos>") for words in sentences)
    starts = {"keys to keys": len(wanted) - 7, "the key is": 6, "to the cabinet": 12, "the": 0}
    asked = [Query(tuple(begin.split()), ()) for begin in starts]
    continuations = [("are", "is"), ("here",), ("nothing", "key"), ("keys",)]
    queries = [
        replace(query, continuations=tuple((word,) for word in words))
        for query, words in zip(asked, continuations, strict=True)
    ]
    for query, score, start in zip(queries, model.score(queries), starts.values(), strict=True):
        expected = wanted[start + len(query.prefix)]
        assert score.continuations[0].bits == pytest.approx([expected], abs=NOISE)


def test_a_longer_continuation_goes_on_from_its_place_in_the_stream(
    folder: Path, stream: Path
) -> None:
    model = load(f"{folder}?stream={stream}", OPTIONS)
    wanted = protocol(model.network, stream.read_text("utf-8"))
    (score,) = model.score([Query(("the", "key"), (("is", "here", "."), ("are", "here")))])
    assert score.continuations[0].bits == pytest.approx(wanted[8:11], abs=NOISE)
    assert len(score.continuations[1].bits) == 2


@pytest.mark.parametrize("claim", CLAIMS, ids=claim_name)
def test_a_stream_keeps_the_contract(
    claim: Claim, folder: Path, stream: Path, tmp_path: Path
) -> None:
    """What is asked does not move what else is asked: places in the file count, not queries."""
    other = network_folder(tmp_path, seed=1)
    asked = (
        Query(("the", "key"), (("is",),)),
        Query(("keys", "to", "keys"), (("are",), ("are", "here"))),
        Query(("to",), (("the",), ("the", "cabinet"))),
    )
    claim(
        Case(
            load=lambda: load(f"{folder}?stream={stream}", OPTIONS),
            other=lambda: load(f"{other}?stream={stream}", OPTIONS),
            queries=asked,
            noise_bits=NOISE,
            why_not={
                "probabilities_sum_to_one_after_every_prefix": "only what follows there is known",
                "unknown_words_are_flagged_and_known_ones_not": "the stream has none",
            },
        )
    )


def test_modes_and_streams_have_signatures_of_their_own(
    folder: Path, stream: Path, tmp_path: Path
) -> None:
    (tmp_path / "other").write_text("the key is here\n", "utf-8")
    specs = [str(folder), f"{folder}?stream={stream}", f"{folder}?stream={tmp_path}/other"]
    assert len({load(spec, OPTIONS).signature for spec in specs}) == 3


def test_what_is_not_in_the_stream_is_refused(folder: Path, stream: Path) -> None:
    model = load(f"{folder}?stream={stream}", OPTIONS)
    with pytest.raises(InputError) as error:
        list(model.score([Query(("the", "cabinet"), (("is",), ("are",)))]))
    assert str(error.value) == (
        f"{stream}: no sentence begins with 'the cabinet is'; "
        "the text file of the suite that is scored"
    )
    with pytest.raises(InputError) as error:
        list(model.score([Query((), (("the",),))]))
    assert str(error.value) == (
        f"{stream}: its very first word is asked for, which nothing stands before; "
        "recurrent:DIR without ?stream"
    )


def test_specs_that_make_no_sense_are_refused(folder: Path, stream: Path, tmp_path: Path) -> None:
    ngram = network_folder(tmp_path / "ngram", replace(SHAPE, order=3))
    (tmp_path / "empty").write_text("\n \n")
    wrong = {
        f"{folder}?mode=stream": f"--model recurrent:{folder}?mode=stream: "
        f"no such option 'mode=stream'; {folder}?stream=FILE",
        f"{ngram}?stream={stream}": f"--model recurrent:{ngram}?stream={stream}: an n-gram "
        f"network has no state to carry through a stream; recurrent:{ngram}",
        f"{folder}?stream={tmp_path}/empty": f"{tmp_path}/empty: the file has no sentence; "
        "one sentence a line",
    }
    for spec, message in wrong.items():
        with pytest.raises(InputError) as error:
            load(spec, OPTIONS)
        assert str(error.value) == message


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
    assert keys == ["model", "files", "bos", "mode", "device", "dtype", "torch", "colorless"]


def shape_file(**changes: object) -> bytes:
    return json.dumps({**asdict(SHAPE), **changes}).encode()


def tensors_without(*names: str, **more: torch.Tensor) -> Callable[[Path], bytes]:
    def made(folder: Path) -> bytes:
        kept = {name: value for name, value in weights(folder).items() if name not in names}
        packed: bytes = safetensors.torch.save({**kept, **more})
        return packed

    return made


REMEDY = "a folder made by colorless train recurrent or colorless convert"
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
    (
        "config__json",
        shape_file(rnn_type="QRNN"),
        "config.json: rnn_type is 'QRNN'; one of LSTM, GRU, RNN_TANH, RNN_RELU",
    ),
    (
        "config__json",
        shape_file(order=1),
        "config.json: order is 1; a whole number from 2, or null",
    ),
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


@given(queries)
@settings(max_examples=10)
def test_the_end_of_a_sentence_is_the_sign_that_ends_lines(
    folder: Path, scorer: Recurrent, asked: list[Query]
) -> None:
    tensors = weights(folder)
    ended = [replace(query, ends=True) for query in asked]
    for query, score in zip(ended, scorer.score(ended), strict=True):
        for continuation, answer in zip(query.continuations, score.continuations, strict=True):
            ids = [word_id(word) for word in (EOS, *query.prefix, *continuation, EOS)]
            wanted = plain_gates(tensors, SHAPE.nlayers, ids)[len(query.prefix) :]
            assert answer.bits == pytest.approx(wanted, abs=NOISE)
            assert answer.spans[-1] == (len(continuation), len(continuation))
            assert not answer.oov[-1]
