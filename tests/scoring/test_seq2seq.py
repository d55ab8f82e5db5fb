"""Sequence-to-sequence models as scorers: against one call a continuation, and the contract."""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.scoring import LoadOptions, Query, Surprisals, refusal
from colorless_green.scoring.backends.seq2seq import Seq2Seq, load, reader
from colorless_green.scoring.pretrained import quiet
from colorless_green.scoring.reads import ONE_BY_ONE, Limits
from tests.scoring.contract import CLAIMS, OF_BYTES, OF_TEXT, Case, Claim, claim_name
from tests.scoring.tiny_encoders import (
    bart,
    bert,
    byte_pairs,
    masked_folder,
    sentencepiece,
    seq2seq_folder,
    t5,
    total,
    wordpiece,
)

OPTIONS = LoadOptions(device="cpu")
NOISE = 2e-5 / math.log(2)  # 2e-5 nats
QUERIES = (
    Query("The keys to the cabinet", (" are", " is", " are here.")),
    Query("The key", (" is", " unbelievably perhaps")),
    Query("Die", (" Schlüssel", " Ключи")),
    Query("ספר זה", (" כאן",)),
)


def without_front() -> Any:
    return sentencepiece("")


def mt5(n_ids: int) -> Any:
    return t5(n_ids, "MT5Config", tie_word_embeddings=False, feed_forward_proj="gated-gelu")


def marian(n_ids: int) -> Any:
    return transformers.MarianConfig(
        vocab_size=n_ids, d_model=16, encoder_layers=2, decoder_layers=2, encoder_ffn_dim=24,
        decoder_ffn_dim=24, encoder_attention_heads=2, decoder_attention_heads=2,
        max_position_embeddings=48, pad_token_id=1, decoder_start_token_id=1, eos_token_id=2,
    )  # fmt: skip


KINDS: dict[str, tuple[Callable[[int], Any], Callable[[], Any], tuple[int, ...]]] = {
    "t5": (t5, without_front, (1,)),
    "mt5": (mt5, without_front, (1,)),
    "bart": (bart, byte_pairs, (2, 0)),
    "marian": (marian, without_front, (1,)),
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    found = {}
    for kind, (config, cutter, _) in KINDS.items():
        tokenizer = cutter()
        folder = tmp_path_factory.mktemp(kind)
        found[kind] = seq2seq_folder(folder, config(len(tokenizer)), tokenizer)
    return found


def plain_model(folder: Path) -> Any:
    """The model in float64, as transformers loads it."""
    auto: Any = transformers.AutoModelForSeq2SeqLM
    with quiet():
        return auto.from_pretrained(folder).double().eval()


def plain_bits(
    model: Any, tokenizer: Any, prefix: str, lead: Sequence[int], ids: Sequence[int]
) -> list[float]:
    """−log2 p of each of `ids`, by a call for this continuation alone."""
    read = tokenizer(prefix, return_tensors="pt")
    whole = [*lead, *ids]
    with torch.inference_mode():
        found = model(
            input_ids=read["input_ids"], decoder_input_ids=torch.tensor([whole[:-1]])
        ).logits[0]
    nats = found.log_softmax(-1)[range(len(whole) - 1), whole[1:]]
    return [-each / math.log(2) for each in nats.tolist()][len(lead) - 1 :]


@pytest.mark.parametrize("kind", ["t5", "bart"])
@pytest.mark.parametrize("claim", CLAIMS, ids=claim_name)
def test_keeps_the_contract(
    claim: Claim, kind: str, folders: dict[str, Path], tmp_path: Path
) -> None:
    config, cutter, _ = KINDS[kind]
    tokenizer = cutter()
    other = seq2seq_folder(tmp_path, config(len(tokenizer)), tokenizer, seed=1)
    claim(
        Case(
            load=lambda: load(str(folders[kind]), OPTIONS),
            other=lambda: load(str(other), OPTIONS),
            queries=QUERIES,
            unknown=None if kind == "bart" else " 国",
            noise_bits=NOISE,
            why_not=OF_BYTES if kind == "bart" else OF_TEXT,
        )
    )


@pytest.mark.parametrize("eos", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_every_number_agrees_with_one_call_a_continuation(
    kind: str, eos: bool, folders: dict[str, Path]
) -> None:
    scorer = load(f"{folders[kind]}?eos=yes" if eos else str(folders[kind]), OPTIONS)
    model, lead = plain_model(folders[kind]), KINDS[kind][2]
    assert scorer.lead == lead
    assert scorer.reader.decoder is not None
    for query, score in zip(QUERIES, scorer.score(QUERIES), strict=True):
        for continuation, answer in zip(query.continuations, score.continuations, strict=True):
            assert isinstance(continuation, str)
            ids = scorer.tokenizer(continuation.strip(), add_special_tokens=False)["input_ids"]
            wanted = plain_bits(
                model, scorer.tokenizer, str(query.prefix), lead, [*ids, 2][: len(ids) + eos]
            )
            assert answer.bits == pytest.approx(wanted, abs=NOISE)
            assert len(answer.spans) == len(answer.oov) == len(wanted)


@settings(max_examples=10)
@given(st.integers(1, 200), st.integers(1, 9), st.permutations(QUERIES))
def test_neither_order_nor_batches_change_a_number(
    folders: dict[str, Path], n_ids: int, n_places: int, asked: list[Query]
) -> None:
    usual = load(str(folders["bart"]), OPTIONS)
    small = replace(usual, reader=replace(usual.reader, limits=Limits(n_ids, n_places)))
    wanted = dict(zip(QUERIES, usual.score(QUERIES), strict=True))
    for query, score in zip(asked, small.score(asked), strict=True):
        for one, other in zip(score.continuations, wanted[query].continuations, strict=True):
            assert (one.spans, one.oov) == (other.spans, other.oov)
            assert one.bits == pytest.approx(other.bits, abs=NOISE)


@contextmanager
def rows_read(module: Any) -> Iterator[list[int]]:
    """How many rows each call of a module has."""
    found: list[int] = []

    def count(_module: Any, _args: Any, inputs: Any) -> None:
        found.append(len(inputs["input_ids"]))

    hook = module.register_forward_pre_hook(count, with_kwargs=True)
    yield found
    hook.remove()


def test_each_prefix_is_encoded_once_and_equal_rows_are_read_once(folders: dict[str, Path]) -> None:
    scorer = load(str(folders["bart"]), OPTIONS)
    model = scorer.reader.model
    asked = [Query("The key", (" is", " are")), Query("The key ", (" is",)), Query("The", (" is",))]
    with rows_read(model.get_encoder()) as encoded, rows_read(model.get_decoder()) as decoded:
        scores = list(scorer.score(asked))
    assert sum(encoded) == 2  # "The key" and "The"
    n_rows = {len(answer.bits) for score in scores for answer in score.continuations}
    assert sum(decoded) == (2 if n_rows == {1} else 3)


def test_probabilities_of_all_first_subwords_sum_to_one(folders: dict[str, Path]) -> None:
    scorer = load(str(folders["t5"]), OPTIONS)
    entries = scorer.tokenizer.get_vocab()
    texts = {text: id_ for text, id_ in entries.items() if text.startswith("▁") and len(text) > 1}
    (score,) = scorer.score([Query("The keys", tuple(text.replace("▁", " ") for text in texts))])
    first = {
        id_: answer.bits[0]
        for id_, answer in zip(texts.values(), score.continuations, strict=True)
        if len(answer.bits) == 1
    }
    assert len(first) > 5
    model = plain_model(folders["t5"])
    others = sum(
        2 ** -plain_bits(model, scorer.tokenizer, "The keys", scorer.lead, [id_])[0]
        for id_ in range(model.config.vocab_size)
        if id_ not in first
    )
    assert sum(2**-each for each in first.values()) + others == pytest.approx(1)


def test_the_blank_before_a_continuation_is_in_its_first_span(folders: dict[str, Path]) -> None:
    """On the decoder's side it is no blank: a text of its own begins there."""
    for kind in ("t5", "bart"):
        with_blank, without = load(str(folders[kind]), OPTIONS).score(
            [Query("The keys", (" are here",)), Query("The keys", ("are here",))]
        )
        assert with_blank.continuations[0].bits == without.continuations[0].bits
        assert with_blank.continuations[0].spans[0][0] == 0
        assert with_blank.continuations[0].spans[-1][1] == len(" are here")


def test_the_end_of_the_output_stands_at_the_last_character(folders: dict[str, Path]) -> None:
    usual = load(str(folders["bart"]), OPTIONS)
    ended = load(f"{folders['bart']}?eos=yes", OPTIONS)
    asked = [Query("The keys", (" are here",))]
    (one,), (other,) = (list(each.score(asked)) for each in (usual, ended))
    left, right = one.continuations[0], other.continuations[0]
    assert right.bits[:-1] == pytest.approx(left.bits, abs=NOISE)
    assert right.spans == (*left.spans, (8, 9))
    assert total(right) > total(left)
    assert "|eos:yes|" in ended.signature
    assert "|eos:no|" in usual.signature
    assert (usual.name, ended.name) == (folders["bart"].name, f"{folders['bart'].name}?eos=yes")


def test_without_bos_the_decoder_reads_its_start_alone(folders: dict[str, Path]) -> None:
    bare = load(str(folders["bart"]), replace(OPTIONS, bos="none"))
    usual = load(str(folders["bart"]), OPTIONS)
    assert (bare.lead, usual.lead) == ((2,), (2, 0))
    assert "|decoder:none 2|" in bare.signature
    assert "|decoder:auto 2,0|" in usual.signature


def test_an_empty_continuation_is_no_surprise(folders: dict[str, Path]) -> None:
    (score,) = load(f"{folders['t5']}?eos=yes", OPTIONS).score([Query("The keys", ("",))])
    assert score.continuations == (Surprisals((), (), ()),)


def test_unknown_words_of_the_prefix_are_counted(folders: dict[str, Path]) -> None:
    (score,) = load(str(folders["t5"]), OPTIONS).score([Query("The 国 or 国", (" is",))])
    assert score.prefix_oov == 2


def test_where_padding_changes_answers_rows_are_read_one_by_one(folders: dict[str, Path]) -> None:
    model = plain_model(folders["t5"]).float()
    forward = model.forward

    def careless(**inputs: Any) -> Any:
        return forward(**{**inputs, "attention_mask": None})

    model.forward = careless
    assert reader(model, torch.device("cpu")).limits == ONE_BY_ONE


@pytest.mark.parametrize("kind", ["t5", "bart"])
def test_half_precision_ends_in_a_float32_head(kind: str, folders: dict[str, Path]) -> None:
    half = load(str(folders[kind]), replace(OPTIONS, dtype="bfloat16"))
    usual = load(str(folders[kind]), OPTIONS)
    assert half.reader.model.get_output_embeddings().weight.dtype == torch.float32
    for one, other in zip(half.score(QUERIES), usual.score(QUERIES), strict=True):
        for left, right in zip(one.continuations, other.continuations, strict=True):
            assert total(left) == pytest.approx(total(right), rel=0.05, abs=0.5)


def refused(spec: object, options: LoadOptions = OPTIONS) -> str:
    with pytest.raises(InputError) as error:
        load(str(spec), options)
    return str(error.value)


def unanswered(scorer: Seq2Seq, query: Query) -> str:
    with pytest.raises(InputError) as error:
        list(scorer.score([query]))
    return str(error.value)


def test_a_request_without_a_prefix_is_refused(folders: dict[str, Path]) -> None:
    scorer = load(str(folders["t5"]), OPTIONS)
    assert unanswered(scorer, Query("", ("The keys are here.",))) == (
        "query 'The keys are here.': the encoder has no text to read, for it reads the prefix; "
        "a suite whose predictions leave a prefix, or a causal or masked model"
    )


@pytest.mark.parametrize(
    ("prefix", "continuation"), [("." * 47, " is"), ("The", " " + "." * 48)], ids=["in", "out"]
)
def test_a_text_longer_than_the_model_reads_is_refused(
    prefix: str, continuation: str, folders: dict[str, Path]
) -> None:
    """Encoder and decoder have 48 positions each; both read two specials of BART's."""
    scorer = load(str(folders["bart"]), OPTIONS)
    (score,) = scorer.score(
        [Query(prefix.replace(".", "", 1), (continuation.replace(".", "", 1),))]
    )
    assert score.continuations[0].bits
    far, near = scorer.score([Query(prefix, (continuation,)), Query("The", (" key",))])
    assert far.continuations == (refusal("49 subwords to read, where the model reads 48 at most"),)
    assert near.continuations[0].bits


def test_a_continuation_that_leaves_no_subword_is_refused(folders: dict[str, Path]) -> None:
    scorer = load(str(folders["t5"]), OPTIONS)
    assert unanswered(scorer, Query("The key", (" ",))) == (
        "query 'The key ': the tokenizer makes no subword of the continuation ' '; "
        "characters that it knows"
    )


def test_a_model_that_answers_nan_is_an_error(folders: dict[str, Path]) -> None:
    sick = load(str(folders["bart"]), OPTIONS)
    with torch.no_grad():
        sick.reader.model.final_logits_bias[0, 3] = torch.nan
    assert unanswered(sick, Query("The keys", (" are",))) == (
        "query 'The keys are': the model answers NaN; --dtype float32"
    )


def test_models_of_other_kinds_are_refused(tmp_path: Path) -> None:
    transformers.GPT2Config(n_embd=8).save_pretrained(tmp_path / "gpt2")
    folder = tmp_path / "gpt2"
    assert refused(folder) == (
        f"{folder}: a model of type 'gpt2' is no seq2seq model; causal:{folder}"
    )
    tokenizer = wordpiece()
    folder = masked_folder(tmp_path / "bert", bert(len(tokenizer)), tokenizer)
    assert refused(folder) == (
        f"{folder}: a model of type 'bert' is no seq2seq model; masked:{folder}"
    )


def test_a_model_that_does_not_say_how_its_decoder_starts_is_refused(tmp_path: Path) -> None:
    tokenizer = without_front()
    config = t5(len(tokenizer), decoder_start_token_id=None)
    folder = seq2seq_folder(tmp_path, config, tokenizer)
    assert refused(folder) == (
        f"{folder}: its config.json does not say what the decoder starts with; "
        "one with a decoder_start_token_id"
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bos": "never"}, "--bos: no such policy 'never'; auto, always or none"),
        ({"boundary": "eos"}, "--boundary: 'eos' for a seq2seq model, which has none; none"),
        ({"dtype": "int8"}, "--dtype: no such type 'int8'; one of float32, bfloat16, float16"),
    ],
)
def test_options_it_cannot_obey_are_refused(
    changes: dict[str, Any], message: str, folders: dict[str, Path]
) -> None:
    assert refused(folders["t5"], replace(OPTIONS, **changes)) == message
