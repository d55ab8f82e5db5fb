"""Sequence-to-sequence models as scorers: against one call a continuation, and the contract."""

import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st

from colorless_green import load_model
from colorless_green.scoring import Query, Scorer, Surprisals
from tests.builders import mistake
from tests.scoring.contract import CLAIMS, OF_BYTES, OF_TEXT, Case, Claim, assert_near, claim_name
from tests.scoring.tiny_encoders import (
    bart,
    bert,
    byte_pairs,
    masked_folder,
    sentencepiece,
    seq2seq_folder,
    t5,
    wordpiece,
)
from tests.scoring.tiny_models import broken_layers, cutter_of, hushed, reads, total

OPTIONS: dict[str, Any] = {"device": "cpu"}
NOISE = 5e-5 / math.log(2)  # 5e-5 nats: float32 beside float64; 2.2e-5 were seen on a busy machine
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


def load(spec: object, **changes: Any) -> Scorer:
    return load_model(f"seq2seq:{spec}", **{**OPTIONS, **changes}).scorer


def plain_model(folder: Path) -> Any:
    """Return the model in float64, as transformers loads it."""
    auto: Any = transformers.AutoModelForSeq2SeqLM
    with hushed():
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


def answer(scorer: Scorer, prefix: str, continuation: str) -> Surprisals:
    (score,) = scorer.score([Query(prefix, (continuation,))])
    return score.continuations[0]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["t5", "bart"])
@pytest.mark.parametrize("claim", CLAIMS, ids=claim_name)
def test_keeps_the_contract(
    claim: Claim, kind: str, folders: dict[str, Path], tmp_path: Path
) -> None:
    def other() -> Scorer:
        config, cutter, _ = KINDS[kind]
        tokenizer = cutter()
        return load(seq2seq_folder(tmp_path, config(len(tokenizer)), tokenizer, seed=1))

    claim(
        Case(
            load=lambda: load(folders[kind]),
            other=other,
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
    """After what the decoder starts with: the model's own sign, and the tokenizer's BOS."""
    scorer = load(f"{folders[kind]}?eos=yes" if eos else folders[kind])
    model, cutter, lead = plain_model(folders[kind]), cutter_of(folders[kind]), KINDS[kind][2]
    for query, score in zip(QUERIES, scorer.score(QUERIES), strict=True):
        for continuation, found in zip(query.continuations, score.continuations, strict=True):
            ids = cutter(str(continuation).strip(), add_special_tokens=False)["input_ids"]
            ended = [*ids, 2][: len(ids) + eos]
            wanted = plain_bits(model, cutter, str(query.prefix), lead, ended)
            assert found.bits == pytest.approx(wanted, abs=NOISE)
            assert len(found.spans) == len(found.oov) == len(wanted)


@pytest.mark.slow
@settings(max_examples=10)
@given(st.integers(40, 200), st.permutations(QUERIES))
def test_neither_order_nor_batches_change_a_number(
    folders: dict[str, Path], fits: int, asked: list[Query]
) -> None:
    wanted = dict(zip(QUERIES, load(folders["bart"]).score(QUERIES), strict=True))
    small = load(folders["bart"])
    with reads(fits):
        scores = list(small.score(asked))
    for query, score in zip(asked, scores, strict=True):
        for one, other in zip(score.continuations, wanted[query].continuations, strict=True):
            assert_near(one, other, NOISE)


def test_each_prefix_is_encoded_once_and_equal_rows_are_read_once(folders: dict[str, Path]) -> None:
    scorer = load(folders["bart"])
    asked = [Query("The key", (" is", " are")), Query("The key ", (" is",)), Query("The", (" is",))]
    with reads() as found:
        scores = list(scorer.score(asked))
    n_subwords = {len(each.bits) for score in scores for each in score.continuations}
    n_decoded = 2 if n_subwords == {1} else 3
    assert sum(rows for rows, _ in found) == 2 + n_decoded  # "The key" and "The" are encoded


def test_probabilities_of_all_first_subwords_sum_to_one(folders: dict[str, Path]) -> None:
    cutter, lead = cutter_of(folders["t5"]), KINDS["t5"][2]
    entries = cutter.get_vocab()
    texts = {text: id_ for text, id_ in entries.items() if text.startswith("▁") and len(text) > 1}
    asked = Query("The keys", tuple(text.replace("▁", " ") for text in texts))
    (score,) = load(folders["t5"]).score([asked])
    first = {
        id_: each.bits[0]
        for id_, each in zip(texts.values(), score.continuations, strict=True)
        if len(each.bits) == 1
    }
    assert len(first) > 5
    model = plain_model(folders["t5"])
    others = sum(
        2 ** -plain_bits(model, cutter, "The keys", lead, [id_])[0]
        for id_ in range(model.config.vocab_size)
        if id_ not in first
    )
    assert sum(2**-each for each in first.values()) + others == pytest.approx(1)


@pytest.mark.parametrize("kind", ["t5", "bart"])
def test_the_blank_before_a_continuation_is_in_its_first_span(
    kind: str, folders: dict[str, Path]
) -> None:
    """On the decoder's side it is no blank: a text of its own begins there."""
    scorer = load(folders[kind])
    with_blank, without = (answer(scorer, "The keys", text) for text in (" are here", "are here"))
    assert with_blank.bits == without.bits
    assert with_blank.spans[0][0] == 0
    assert with_blank.spans[-1][1] == len(" are here")


def test_the_end_of_the_output_stands_at_the_last_character(folders: dict[str, Path]) -> None:
    usual, ended = (
        load_model(f"seq2seq:{folders['bart']}{option}", **OPTIONS) for option in ("", "?eos=yes")
    )
    left, right = (answer(each.scorer, "The keys", " are here") for each in (usual, ended))
    assert right.bits[:-1] == pytest.approx(left.bits, abs=NOISE)
    assert right.spans == (*left.spans, (8, 9))
    assert total(right) > total(left)
    assert "|eos:yes|" in ended.scorer.signature
    assert "|eos:no|" in usual.scorer.signature
    assert (usual.name, ended.name) == (folders["bart"].name, f"{folders['bart'].name}?eos=yes")


def test_without_bos_the_decoder_reads_its_start_alone(folders: dict[str, Path]) -> None:
    model, cutter = plain_model(folders["bart"]), cutter_of(folders["bart"])
    ids = cutter("are here", add_special_tokens=False)["input_ids"]
    for bos, lead in (("none", (2,)), ("auto", (2, 0))):
        scorer = load(folders["bart"], bos=bos)
        wanted = plain_bits(model, cutter, "The keys", lead, ids)
        assert answer(scorer, "The keys", " are here").bits == pytest.approx(wanted, abs=NOISE)
        assert f"|decoder:{bos} {','.join(map(str, lead))}|" in scorer.signature


def test_an_empty_continuation_is_no_surprise(folders: dict[str, Path]) -> None:
    assert answer(load(f"{folders['t5']}?eos=yes"), "The keys", "") == Surprisals((), (), ())


@pytest.mark.parametrize("kind", ["t5", "bart"])
def test_a_control_token_in_a_text_is_text(kind: str, folders: dict[str, Path]) -> None:
    """On either side: a sign that ends a text would end it in the middle."""
    model = load_model(f"seq2seq:{folders[kind]}", **OPTIONS)
    cutter = cutter_of(folders[kind])
    n_called = len(cutter(" </s> are", add_special_tokens=False)["input_ids"])
    found = answer(model.scorer, "The keys", " </s> are")
    assert len(found.bits) > n_called
    assert len(model.notes) == 1
    with reads() as batches:
        answer(model.scorer, "The </s> keys", " are")
    assert batches[0][1] > len(cutter("The </s> keys")["input_ids"])


def test_unknown_words_of_the_prefix_are_counted(folders: dict[str, Path]) -> None:
    (score,) = load(folders["t5"]).score([Query("The 国 or 国", (" is",))])
    assert score.prefix_oov == 2


def test_where_padding_changes_answers_rows_are_read_one_by_one(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here the encoder's is not told to anyone."""
    stack: Any = transformers.models.t5.modeling_t5.T5Stack
    forward = stack.forward
    masks = ("attention_mask", "encoder_attention_mask")

    def careless(self: Any, **given: Any) -> Any:
        return forward(self, **{**given, **dict.fromkeys(masks)})

    monkeypatch.setattr(stack, "forward", careless)
    scorer = load(folders["t5"])
    with reads() as found:
        list(scorer.score(QUERIES))
    assert {rows for rows, _ in found} == {1}


@pytest.mark.parametrize("kind", ["t5", "bart"])
def test_half_precision_ends_in_a_float32_head(kind: str, folders: dict[str, Path]) -> None:
    """So near decisions are no ties: a head of half precision gives logits in coarse steps."""
    half, usual = load(folders[kind], dtype="bfloat16"), load(folders[kind])
    for one, other in zip(half.score(QUERIES), usual.score(QUERIES), strict=True):
        for left, right in zip(one.continuations, other.continuations, strict=True):
            assert total(left) == pytest.approx(total(right), rel=0.05, abs=0.5)
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.,()"
    (score,) = half.score([Query("The", tuple(letters))])
    bits = {each.bits for each in score.continuations if len(each.bits) == 1 and not each.oov[0]}
    n = sum(len(each.bits) == 1 and not each.oov[0] for each in score.continuations)
    assert len(bits) == n


def test_a_request_without_a_prefix_is_refused(folders: dict[str, Path]) -> None:
    with mistake("empty", "query 'The keys are here.'"):
        answer(load(folders["t5"]), "", "The keys are here.")


@pytest.mark.parametrize(
    ("prefix", "continuation"), [("." * 47, " is"), ("The", " " + "." * 48)], ids=["in", "out"]
)
def test_a_text_longer_than_the_model_reads_is_refused(
    prefix: str, continuation: str, folders: dict[str, Path]
) -> None:
    """Encoder and decoder have 48 positions each; both read two specials of BART's."""
    scorer = load(folders["bart"])
    shorter = (each.replace(".", "", 1) for each in (prefix, continuation))
    assert answer(scorer, *shorter).bits
    far, near = scorer.score([Query(prefix, (continuation,)), Query("The", (" key",))])
    (refused,) = far.continuations
    assert (refused.bits, re.findall("[0-9]+", refused.refused)) == ((), ["49", "48"])
    assert near.continuations[0].bits


def test_a_continuation_that_leaves_no_subword_is_refused(folders: dict[str, Path]) -> None:
    with mistake("unsupported", "query 'The key '"):
        answer(load(folders["t5"]), "The key", " ")


def test_a_model_that_answers_nan_is_an_error(folders: dict[str, Path]) -> None:
    scorer = load(folders["bart"])
    with mistake("unsupported", "query 'The keys are'"), broken_layers():
        answer(scorer, "The keys", " are")


def test_models_of_other_kinds_are_refused(tmp_path: Path) -> None:
    transformers.GPT2Config(n_embd=8).save_pretrained(tmp_path / "gpt2")
    tokenizer = wordpiece()
    masked_folder(tmp_path / "bert", bert(len(tokenizer)), tokenizer)
    for name in ("gpt2", "bert"):
        with mistake("unsupported", tmp_path / name):
            load(tmp_path / name)


def test_a_model_that_does_not_say_how_its_decoder_starts_is_refused(tmp_path: Path) -> None:
    tokenizer = without_front()
    config = t5(len(tokenizer), decoder_start_token_id=None)
    with mistake("unsupported", tmp_path):
        load(seq2seq_folder(tmp_path, config, tokenizer))


@pytest.mark.parametrize(
    ("option", "value", "kind"),
    [("bos", "never", "unknown"), ("boundary", "eos", "unsupported"), ("dtype", "int8", "unknown")],
)
def test_options_it_cannot_obey_are_refused(
    option: str, value: str, kind: Any, folders: dict[str, Path]
) -> None:
    with mistake(kind, option):
        load(folders["t5"], **{option: value})
