"""Recurrent networks as scorers: against gates written out by hand, the contract, and broken."""

import json
import math
import pickle
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from colorless_green import load_model
from colorless_green.scoring import Query, Scorer, Surprisals
from tests.builders import mistake
from tests.scoring.checkpoints import WORDS, RNNModel
from tests.scoring.contract import CLAIMS, Case, Claim, assert_near, claim_name
from tests.scoring.tiny_models import (
    N_LAYERS,
    break_folder,
    network,
    network_folder,
    plain_gates,
    total,
    weights,
)

OPTIONS: dict[str, Any] = {"device": "cpu"}
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


def load(spec: object, **changes: Any) -> Scorer:
    return load_model(f"recurrent:{spec}", **{**OPTIONS, **changes}).scorer


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return network_folder(tmp_path_factory.mktemp("network"))


@pytest.fixture(scope="module")
def scorer(folder: Path) -> Scorer:
    return load(folder)


def answer(scorer: Scorer, prefix: str, continuation: str) -> Surprisals:
    (score,) = scorer.score([Query(tuple(prefix.split()), (tuple(continuation.split()),))])
    return score.continuations[0]


def word_id(word: str) -> int:
    entry = word.replace(" ", "\u00a0")
    return WORDS.index(entry) if entry in WORDS else WORDS.index("<unk>")


def ids_of(*words: str) -> list[int]:
    """Behind the sign that every query starts with."""
    return [word_id(word) for word in ("<eos>", *words)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "order"), [("LSTM", None), ("GRU", 3), ("LSTM", 5)], ids=lambda value: str(value)
)
@pytest.mark.parametrize("claim", CLAIMS, ids=claim_name)
def test_keeps_the_contract(claim: Claim, kind: str, order: int | None, tmp_path: Path) -> None:
    one = network_folder(tmp_path / "one", kind, order=order)
    claim(
        Case(
            load=lambda: load(one),
            other=lambda: load(network_folder(tmp_path / "other", kind, order=order, seed=1)),
            queries=QUERIES,
            following=tuple((word,) for word in WORDS),
            unknown=("nothing", "at-all"),
            noise_bits=NOISE,
            sum_error=NOISE,
        )
    )


@pytest.mark.slow
@pytest.mark.parametrize("ends", [False, True])
@given(asked=queries)
@settings(max_examples=20)
def test_every_number_is_that_of_the_gates_written_out(
    folder: Path, scorer: Scorer, ends: bool, asked: list[Query]
) -> None:
    """The end of a sentence is the sign that ends lines."""
    tensors = weights(folder)
    asked = [replace(query, ends=ends) for query in asked]
    for query, score in zip(asked, scorer.score(asked), strict=True):
        for continuation, found in zip(query.continuations, score.continuations, strict=True):
            ids = ids_of(*query.prefix, *continuation, *["<eos>"] * ends)
            wanted = plain_gates(tensors, N_LAYERS, ids)[len(query.prefix) :]
            assert found.bits == pytest.approx(wanted, abs=NOISE)
            if ends:
                assert found.spans[-1] == (len(continuation), len(continuation))
                assert not found.oov[-1]


@pytest.mark.slow
def test_thousands_of_questions_at_once_are_answered_as_a_few_are(scorer: Scorer) -> None:
    prefixes = [*product(WORDS[2:8], repeat=5)]
    asked = [Query(prefix, (("is",), ("are", "here"))) for prefix in prefixes]
    assert len(asked) > 7_000
    together = list(scorer.score(asked))
    for start in range(0, len(asked), 700):
        few = asked[start : start + 7]
        for one, other in zip(scorer.score(few), together[start : start + 7], strict=True):
            for left, right in zip(one.continuations, other.continuations, strict=True):
                assert_near(left, right, NOISE)


@pytest.mark.slow
def test_what_many_texts_begin_with_is_read_once(scorer: Scorer) -> None:
    prefix = tuple(WORDS[2 + n % 9] for n in range(200))

    class Counting(TorchDispatchMode):  # type: ignore[no-untyped-call]
        n = 0  # numbers that come out of any operation

        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            found = func(*args, **(kwargs or {}))
            self.n += sum(each.numel() for each in tree_leaves(found) if torch.is_tensor(each))
            return found

    def cost(*asked: Query) -> int:
        with Counting() as counting:  # type: ignore[no-untyped-call]
            list(scorer.score(asked))
        return int(counting.n)

    one = cost(Query(prefix, (("is",),)))
    many = [Query(prefix, ((a, b),)) for a in ("is", "are") for b in ("here", "the", "key")]
    assert one > 0
    assert cost(*many) < 1.2 * one
    assert cost(Query(prefix[1:], (("is",),)), Query(prefix, (("is",),))) > 1.8 * one


def one_by_one(model: RNNModel, ids: Sequence[int], order: int | None) -> list[float]:
    """−log2 p of every id but the first by torch's own layers, one call for each word."""
    found = []
    for place in range(1, len(ids)):
        first = 0 if order is None else max(0, place - order + 1)
        with torch.inference_mode():
            logits, _ = model(torch.tensor(ids[first:place]).unsqueeze(1))
            nats = logits[-1, 0].double().log_softmax(-1)[ids[place]]
        found.append(-nats.item() / math.log(2))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("order", [None, 3])
@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN_TANH", "RNN_RELU"])
@given(asked=queries)
@settings(max_examples=8)
def test_every_kind_of_network_says_what_torchs_layers_say_one_by_one(
    kind: str, order: int | None, asked: list[Query], tmp_path_factory: pytest.TempPathFactory
) -> None:
    std = 0.3 if kind == "RNN_RELU" else 0.7  # else its states grow until float32 is too coarse
    folder = network_folder(tmp_path_factory.mktemp("kind"), kind, order=order, std=std)
    model = network(kind, std=std)
    for query, score in zip(asked, load(folder).score(asked), strict=True):
        for continuation, found in zip(query.continuations, score.continuations, strict=True):
            ids = ids_of(*query.prefix, *continuation)
            wanted = one_by_one(model, ids, order)[len(query.prefix) :]
            assert found.bits == pytest.approx(wanted, rel=1e-6, abs=NOISE)


def test_an_n_gram_network_does_not_see_beyond_its_reach(tmp_path: Path) -> None:
    for name, order in (("ngram", 3), ("whole", None)):
        scorer = load(network_folder(tmp_path / name, order=order))
        near, far = (answer(scorer, f"{first} keys to", "the") for first in ("the", "key"))
        assert (near == far) == (order is not None)


def test_a_sure_thing_costs_nothing_however_large_the_logits(tmp_path: Path) -> None:
    folder = network_folder(tmp_path)
    tensors = weights(folder)
    tensors["decoder.bias"] = torch.linspace(-2_000, 2_000, len(WORDS))
    break_folder(folder, weights__safetensors=safetensors.torch.save(tensors))
    assert answer(load(folder), "the", WORDS[-1]).bits == (0.0,)


STREAM = "the keys are here . <eos>\nthe key is here .\nto the cabinet nothing is here . <eos>\n"


@pytest.fixture(scope="module")
def stream(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stream") / "generated.text"
    path.write_text(STREAM * 3 + "keys to keys are here . <eos>\n", "utf-8")
    return path


def protocol(network: RNNModel, text: str) -> list[float | None]:
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
            logits, state = network(read, state)
            rows = logits[:, 0].double().log_softmax(-1)
        for row, following in zip(rows, ids[start + 1 :], strict=False):
            found.append(-row[following].item() / math.log(2))
    return found


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN_TANH"])
def test_a_stream_has_the_numbers_of_the_papers_protocol(
    kind: str, stream: Path, tmp_path: Path
) -> None:
    scorer = load(f"{network_folder(tmp_path, kind)}?stream={stream}")
    wanted = protocol(network(kind), stream.read_text("utf-8"))
    sentences = [line.split() for line in stream.read_text("utf-8").splitlines()]
    assert len(wanted) == sum(len(words) + (words[-1] != "<eos>") for words in sentences)
    starts = {"keys to keys": len(wanted) - 7, "the key is": 6, "to the cabinet": 12, "the": 0}
    continuations = [("are", "is"), ("here",), ("nothing", "key"), ("keys",)]
    asked = [
        Query(tuple(begin.split()), tuple((word,) for word in words))
        for begin, words in zip(starts, continuations, strict=True)
    ]
    for query, score, start in zip(asked, scorer.score(asked), starts.values(), strict=True):
        expected = wanted[start + len(query.prefix)]
        assert score.continuations[0].bits == pytest.approx([expected], abs=NOISE)


def test_a_longer_continuation_goes_on_from_its_place_in_the_stream(
    folder: Path, stream: Path
) -> None:
    wanted = protocol(network(), stream.read_text("utf-8"))
    asked = [Query(("the", "key"), (("is", "here", "."), ("are", "here")))]
    (score,) = load(f"{folder}?stream={stream}").score(asked)
    assert score.continuations[0].bits == pytest.approx(wanted[8:11], abs=NOISE)
    assert len(score.continuations[1].bits) == 2


@pytest.mark.parametrize("claim", CLAIMS, ids=claim_name)
def test_a_stream_keeps_the_contract(
    claim: Claim, folder: Path, stream: Path, tmp_path: Path
) -> None:
    """What is asked does not move what else is asked: places in the file count, not queries."""
    asked = (
        Query(("the", "key"), (("is",),)),
        Query(("keys", "to", "keys"), (("are",), ("are", "here"))),
        Query(("to",), (("the",), ("the", "cabinet"))),
    )
    claim(
        Case(
            load=lambda: load(f"{folder}?stream={stream}"),
            other=lambda: load(f"{network_folder(tmp_path, seed=1)}?stream={stream}"),
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
    assert len({load(spec).signature for spec in specs}) == 3


def test_what_is_not_in_the_stream_is_refused(folder: Path, stream: Path) -> None:
    scorer = load(f"{folder}?stream={stream}")
    with mistake("missing", stream):
        answer(scorer, "the cabinet", "is")
    with mistake("unsupported", stream):
        answer(scorer, "", "the")


def test_specs_that_make_no_sense_are_refused(folder: Path, stream: Path, tmp_path: Path) -> None:
    ngram = network_folder(tmp_path / "ngram", order=3)
    (tmp_path / "empty").write_text("\n \n")
    spec = f"{folder}?mode=stream"
    with mistake("unknown", f"--model recurrent:{spec}"):
        load(spec)
    spec = f"{ngram}?stream={stream}"
    with mistake("unsupported", f"--model recurrent:{spec}"):
        load(spec)
    with mistake("empty", tmp_path / "empty"):
        load(f"{folder}?stream={tmp_path}/empty")


def test_two_unknown_words_are_exactly_as_surprising(scorer: Scorer) -> None:
    one, other = (total(answer(scorer, "the", word)) for word in ("nothing", "nobody"))
    assert one == other


def test_a_word_with_a_blank_in_it_is_one_word(scorer: Scorer) -> None:
    (score,) = scorer.score([Query((), (("con gái",), ("con\u00a0gái",)))])
    one, other = score.continuations
    assert one == other
    assert one.oov == (False,)


def test_a_network_with_one_embedding_for_in_and_output_is_read_from_one_tensor(
    tmp_path: Path,
) -> None:
    folder = network_folder(tmp_path, tied=True)
    tensors = weights(folder)
    assert "decoder.weight" not in tensors
    tensors["decoder.weight"] = tensors["encoder.weight"]
    wanted = plain_gates(tensors, N_LAYERS, ids_of("the", "key"))
    assert answer(load(folder), "", "the key").bits == pytest.approx(wanted, abs=NOISE)


def test_the_signature_says_what_numbers_depend_on(scorer: Scorer) -> None:
    assert scorer.unit == "words"
    keys = [pair.partition(":")[0] for pair in scorer.signature.split("|")]
    assert keys == ["model", "files", "bos", "mode", "device", "dtype", "torch", "colorless"]


def shape_file(**changes: object) -> Callable[[Path], bytes]:
    def made(folder: Path) -> bytes:
        found = json.loads((folder / "config.json").read_text("utf-8"))
        return json.dumps({**found, **changes}).encode()

    return made


def tensors_without(*names: str, **more: torch.Tensor) -> Callable[[Path], bytes]:
    def made(folder: Path) -> bytes:
        kept = {name: value for name, value in weights(folder).items() if name not in names}
        packed: bytes = safetensors.torch.save({**kept, **more})
        return packed

    return made


BIAS = "decoder.bias"
BROKEN: Sequence[tuple[str, bytes | Callable[[Path], bytes], str, str]] = [
    ("vocabulary.txt", b"<unk>\n<eos>\nthe\nthe\n", "vocabulary.txt:4", "format"),
    ("vocabulary.txt", b"<unk>\n\n", "vocabulary.txt:2", "format"),
    ("vocabulary.txt", b"<unk>\nthe\n", "vocabulary.txt", "missing"),
    ("vocabulary.txt", b"<unk>\n<eos>\n", "config.json", "conflict"),
    ("config.json", b"[1]", "config.json", "format"),
    ("config.json", b"{", "config.json", "format"),
    ("config.json", b'{"ninp": 3}', "config.json", "missing"),
    ("config.json", shape_file(rnn_type="QRNN"), "config.json", "unknown"),
    ("config.json", shape_file(order=1), "config.json: order", "value"),
    ("config.json", shape_file(nlayers=0), "config.json: nlayers", "value"),
    ("config.json", shape_file(ninp=True), "config.json: ninp", "value"),
    ("config.json", shape_file(dropout=1), "config.json: dropout", "value"),
    ("config.json", shape_file(tied=True), "config.json", "conflict"),
    ("weights.safetensors", tensors_without("rnn.bias_hh_l1"), "weights.safetensors", "format"),
    (
        "weights.safetensors",
        tensors_without(extra=torch.zeros(2)),
        "weights.safetensors",
        "unknown",
    ),
    *(
        ("weights.safetensors", tensors_without(**{BIAS: tensor}), "weights.safetensors", "format")
        for tensor in (
            torch.zeros(3),
            torch.full((12,), torch.nan),
            torch.zeros(12, dtype=torch.int32),
        )
    ),
]


@pytest.mark.parametrize(("name", "content", "place", "kind"), BROKEN)
def test_a_folder_that_does_not_fit_together_is_refused(
    name: str, content: bytes | Callable[[Path], bytes], place: str, kind: Any, tmp_path: Path
) -> None:
    folder = network_folder(tmp_path)
    new = content if isinstance(content, bytes) else content(folder)
    break_folder(folder, **{name.replace(".", "__"): new})
    with mistake(kind, folder / place):
        load(folder)


class Trap:
    """Makes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        return Path.touch, (self.path,)  # type: ignore[return-value]


def test_a_pickle_under_the_name_of_the_weights_is_never_opened(tmp_path: Path) -> None:
    folder, trap = network_folder(tmp_path / "network"), tmp_path / "sprung"
    break_folder(folder, weights__safetensors=pickle.dumps(Trap(trap)))
    with mistake("format", folder / "weights.safetensors"):
        load(folder)
    assert not trap.exists()
    pickle.loads((folder / "weights.safetensors").read_bytes())
    assert trap.exists()  # it would have sprung


def test_a_folder_changed_by_hand_is_refused(tmp_path: Path) -> None:
    folder = network_folder(tmp_path)
    (folder / "vocabulary.txt").write_bytes(b"<unk>\n<eos>\n")
    with mistake("changed", folder / "vocabulary.txt"):
        load(folder)


def test_a_folder_whose_manifest_knows_no_weights_is_refused(tmp_path: Path) -> None:
    folder = network_folder(tmp_path)
    hidden = (folder / "weights.safetensors").read_bytes()
    (folder / "weights.safetensors").unlink()
    break_folder(folder)
    (folder / "weights.safetensors").write_bytes(hidden)
    with mistake("format", folder):
        load(folder)


def test_a_path_that_is_not_there_is_an_error_that_says_so(tmp_path: Path) -> None:
    with mistake("missing", tmp_path / "nowhere"):
        load(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("option", "value", "kind"),
    [("dtype", "bfloat16", "value"), ("bos", "none", "value"), ("device", "tpu", "unknown")],
)
def test_options_it_cannot_obey_are_refused(
    folder: Path, option: str, value: str, kind: Any
) -> None:
    with mistake(kind, option):
        load(folder, **{option: value})
