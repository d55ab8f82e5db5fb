"""Causal models as scorers: against one call a text in float64, the contract, and odd texts."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from colorless_green.data.errors import InputError
from colorless_green.scoring import LoadOptions, Query, Surprisals, refusal
from colorless_green.scoring.backends.causal import Causal, load
from colorless_green.scoring.batches import ahead
from colorless_green.scoring.memory import Memory
from tests.scoring.contract import CLAIMS, OF_BYTES, Case, Claim, claim_name
from tests.scoring.tiny_models import (
    causal_folder,
    gpt2,
    plain_bits,
    plain_model,
    tokenizer,
    total,
)

OPTIONS = LoadOptions(device="cpu")
NOISE = 2e-5  # bits
QUERIES = (
    Query("The keys to the cabinet", (" is", " are", " are here.")),
    Query("The key", (" is", ".", " to the cabinets is here")),
    Query("", ("The key is here.", "Ключи", "ספר")),
    Query("Ключи от шкафа", (" лежат", " лежит здесь.")),
    Query("זה  ", ("כאן",)),
)
PIECES = ["The", " key", "s", " is", " are", " cabinet", ".", " ", "Ключ", "и", "ספר", "é", "国"]
texts = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)
queries = st.lists(
    st.builds(Query, texts, st.lists(texts, max_size=3).map(tuple)), min_size=1, max_size=5
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return causal_folder(tmp_path_factory.mktemp("gpt2"), gpt2())


@pytest.fixture(scope="module")
def scorer(folder: Path) -> Causal:
    return load(str(folder), OPTIONS)


@pytest.fixture(scope="module")
def plain(folder: Path) -> Any:
    return plain_model(folder)


@pytest.mark.parametrize("claim", CLAIMS, ids=claim_name)
def test_keeps_the_contract(claim: Claim, folder: Path, tmp_path: Path) -> None:
    other = causal_folder(tmp_path, gpt2(), seed=1)
    claim(
        Case(
            load=lambda: load(str(folder), OPTIONS),
            other=lambda: load(str(other), OPTIONS),
            queries=tuple(query for query in QUERIES if not str(query.prefix).endswith(" ")),
            noise_bits=NOISE,
            why_not=OF_BYTES,
        )
    )


def text_bits(model: Any, scorer: Causal, text: str) -> float:
    """The plain answer: the whole text, one call."""
    ids = scorer.tokenizer(text, add_special_tokens=False)["input_ids"]
    return sum(plain_bits(model, [*scorer.lead, *ids])) if ids else 0.0


@given(queries)
@settings(max_examples=20)
def test_a_surprisal_is_that_of_the_whole_text_less_that_of_the_prefix(
    scorer: Causal, plain: Any, asked: list[Query]
) -> None:
    """Wherever the border falls, within a word or a character too."""
    for query, score in zip(asked, scorer.score(asked), strict=True):
        assert isinstance(query.prefix, str)
        before = text_bits(plain, scorer, query.prefix.rstrip())
        for continuation, answer in zip(query.continuations, score.continuations, strict=True):
            assert isinstance(continuation, str)
            text = query.prefix + continuation
            wanted = text_bits(plain, scorer, text) - before if continuation else 0.0
            assert total(answer) == pytest.approx(wanted, abs=NOISE * (len(text) + 2))


def test_every_subword_has_its_own_number(scorer: Causal, plain: Any) -> None:
    text = "The keys to the cabinet are here."
    (score,) = scorer.score([Query("", (text,))])
    ids = scorer.tokenizer(text)["input_ids"]
    assert score.continuations[0].bits == pytest.approx(plain_bits(plain, [0, *ids]), abs=NOISE)


@given(queries, st.integers(1, 60))
@settings(max_examples=15)
def test_the_size_of_batches_changes_no_number(
    scorer: Causal, asked: list[Query], budget: int
) -> None:
    small = replace(scorer, reader=replace(scorer.reader, memory=Memory(budget, 1 + budget // 9)))
    for one, other in zip(scorer.score(asked), small.score(asked), strict=True):
        assert one.prefix_oov == other.prefix_oov == 0
        for left, right in zip(one.continuations, other.continuations, strict=True):
            assert left.spans == right.spans
            assert left.bits == pytest.approx(right.bits, abs=NOISE)


def test_probabilities_of_all_next_subwords_sum_to_one(scorer: Causal) -> None:
    """Those that go on from the prefix without joining it: here all that begin with a blank."""
    entries = dict(scorer.tokenizer.get_vocab())
    begin = [text for text in entries if text.startswith("Ġ") and text[1:].isascii()]
    asked = Query("The keys", tuple(" " + text[1:] for text in begin if len(text) > 1))
    (score,) = scorer.score([asked])
    assert all(len(answer.bits) == 1 for answer in score.continuations)
    found = sum(2 ** -total(answer) for answer in score.continuations)
    ids = [0, *scorer.tokenizer("The keys")["input_ids"]]
    with torch.inference_mode():
        p = scorer.reader.model(torch.tensor([ids])).logits[0, -1].double().softmax(-1)
    assert p.sum().item() == pytest.approx(1)
    wanted = sum(p[entries[text]].item() for text in begin if len(text) > 1)
    assert found == pytest.approx(wanted, abs=1e-6)


def test_a_blank_goes_with_the_word_after_it(scorer: Causal) -> None:
    (score,) = scorer.score([Query("The keys", (" are here",))])
    assert score.continuations[0].spans == ((0, 4), (4, 9))


def test_bytes_of_one_character_have_its_span(scorer: Causal) -> None:
    (score,) = scorer.score([Query("The", (" 国",))])
    assert score.continuations[0].spans == ((0, 1), (1, 2), (1, 2), (1, 2))


def test_blanks_at_the_end_of_a_prefix_count_to_the_continuation(scorer: Causal) -> None:
    (usual, odd) = scorer.score([Query("The keys", (" are",)), Query("The keys ", ("are",))])
    assert odd.continuations[0].spans == ((-1, 3),)
    assert odd.continuations[0].bits == usual.continuations[0].bits


def test_a_border_within_a_word_shows_in_the_span(scorer: Causal) -> None:
    (score,) = scorer.score([Query("The ke", ("ys are",))])
    (answer,) = score.continuations
    assert answer.spans[0][0] < 0 < answer.spans[0][1]
    assert answer.spans[-1] == (2, 6)
    assert len(answer.bits) == len(answer.spans) == len(answer.oov)


def test_two_continuations_of_a_cut_word_compare_as_the_whole_texts(scorer: Causal) -> None:
    (cut,) = scorer.score([Query("The ke", ("y is", "ys are"))])
    (whole,) = scorer.score([Query("The", (" key is", " keys are"))])
    margins = [total(each.continuations[0]) - total(each.continuations[1]) for each in (cut, whole)]
    assert margins[0] == pytest.approx(margins[1], abs=NOISE)


def test_an_empty_continuation_is_no_surprise(scorer: Causal) -> None:
    (score,) = scorer.score([Query("The keys ", ("",))])
    assert score.continuations == (Surprisals((), (), ()),)


def test_a_first_word_has_no_blank_and_follows_the_bos_token(scorer: Causal, plain: Any) -> None:
    (score,) = scorer.score([Query("", ("The",))])
    ids = scorer.tokenizer("The")["input_ids"]
    assert score.continuations[0].spans == ((0, 3),)
    assert score.continuations[0].bits == pytest.approx(plain_bits(plain, [0, *ids]), abs=NOISE)


def test_a_text_that_brings_its_bos_token_gets_no_second_one(scorer: Causal) -> None:
    usual, own, inside = scorer.score(
        [
            Query("The keys", (" are",)),
            Query("<|endoftext|>The keys", (" are",)),
            Query("The<|endoftext|> keys", (" are",)),
        ]
    )
    assert own.continuations == usual.continuations
    assert inside.continuations != usual.continuations
    (whole,) = scorer.score([Query("", ("<|endoftext|>The",))])
    (bare,) = scorer.score([Query("", ("The",))])
    assert whole.continuations[0].bits == bare.continuations[0].bits


def test_without_bos_the_prefix_alone_is_the_condition(folder: Path, plain: Any) -> None:
    scorer = load(str(folder), replace(OPTIONS, bos="none"))
    (score,) = scorer.score([Query("The keys", (" are here",))])
    ids = scorer.tokenizer("The keys are here")["input_ids"]
    assert score.continuations[0].bits == pytest.approx(plain_bits(plain, ids)[-2:], abs=NOISE)


def test_without_bos_a_first_word_has_no_number(folder: Path) -> None:
    scorer = load(str(folder), replace(OPTIONS, bos="none"))
    with pytest.raises(InputError) as error:
        list(scorer.score([Query("", ("The keys are here.",))]))
    assert str(error.value) == (
        "query 'The keys are here.': nothing stands before its first subword, which so has no "
        "probability; a prefix, or --bos auto or always"
    )


def test_a_text_longer_than_the_model_reads_is_refused(scorer: Causal) -> None:
    fits, too_long = "The" + " keys" * 95, "The" + " keys" * 96
    (score,) = scorer.score([Query("", (fits,))])
    assert len(score.continuations[0].bits) == 96
    first, second = scorer.score([Query("The", (" key",)), Query("", (too_long, fits))])
    assert first.continuations[0].bits
    assert second.continuations == (
        refusal("97 subwords to read, where the model reads 96 at most"),
        score.continuations[0],
    )


def test_a_continuation_that_leaves_no_subword_is_refused(tmp_path: Path) -> None:
    scorer = load(str(causal_folder(tmp_path, gpt2(n_ids=6), cutter=word_level())), OPTIONS)
    with pytest.raises(InputError) as error:
        list(scorer.score([Query("the key", (" ",))]))
    assert str(error.value) == (
        "query 'the key ': the tokenizer makes no subword of the continuation ' '; "
        "characters that it knows"
    )


def word_level() -> Any:
    """A tokenizer of whole words whose offsets leave blanks out, with an unknown word."""
    words = {"<bos>": 0, "<unk>": 1, "the": 2, "key": 3, "keys": 4, "are": 5}
    made = Tokenizer(models.WordLevel(words, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    wrap: Any = transformers.PreTrainedTokenizerFast
    return wrap(tokenizer_object=made, bos_token="<bos>", unk_token="<unk>")


def test_what_the_vocabulary_lacks_is_flagged_and_ties_exactly(tmp_path: Path) -> None:
    scorer = load(str(causal_folder(tmp_path, gpt2(n_ids=6), cutter=word_level())), OPTIONS)
    (score,) = scorer.score([Query("the foxes and keys", (" are", " is", " was"))])
    assert score.prefix_oov == 2
    assert [answer.oov for answer in score.continuations] == [(False,), (True,), (True,)]
    assert [answer.spans for answer in score.continuations] == [((0, 4),), ((0, 3),), ((0, 4),)]
    assert score.continuations[1].bits == score.continuations[2].bits


def test_a_tokenizer_of_more_ids_than_the_model_is_refused(tmp_path: Path) -> None:
    folder = causal_folder(tmp_path, gpt2(n_ids=260))
    with pytest.raises(InputError) as error:
        list(load(str(folder), OPTIONS).score([Query("The keys", (" are",))]))
    highest = max(tokenizer()("The keys are")["input_ids"])
    assert str(error.value) == (
        f"query 'The keys are': the tokenizer's id {highest} is not among the model's 260; "
        "model and tokenizer that belong together"
    )


def test_a_model_that_answers_nan_is_an_error(scorer: Causal) -> None:
    assert scorer.reader.head is not None
    broken = replace(scorer.reader.head, scale=torch.nan)
    sick = replace(scorer, reader=replace(scorer.reader, head=broken))
    with pytest.raises(InputError) as error:
        list(sick.score([Query("The keys", (" are",))]))
    assert str(error.value) == "query 'The keys are': the model answers NaN; --dtype float32"


def metaspace(scheme: str) -> Any:
    """A SentencePiece-like tokenizer: `▁` for blanks, `scheme` says whether one is put in front."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme)
    trainer = trainers.BpeTrainer(special_tokens=["<s>"], show_progress=False)
    made.train_from_iterator(["The keys are", "The key is"] * 2, trainer)
    wrap: Any = transformers.PreTrainedTokenizerFast
    return wrap(tokenizer_object=made, bos_token="<s>")


@pytest.mark.parametrize("scheme", ["always", "never"])
def test_a_dummy_prefix_of_the_tokenizer_stays_where_the_text_begins(
    scheme: str, tmp_path: Path
) -> None:
    cutter = metaspace(scheme)
    folder = causal_folder(tmp_path, gpt2(n_ids=len(cutter)), cutter=cutter)
    scorer = load(str(folder), OPTIONS)
    plain = plain_model(folder)
    (first, later) = scorer.score([Query("", ("The keys",)), Query("The keys", (" are",))])
    assert first.continuations[0].spans == ((0, 3), (3, 8))
    assert later.continuations[0].spans == ((0, 4),)
    ids = cutter("The keys are")["input_ids"]
    assert [*first.continuations[0].bits, *later.continuations[0].bits] == pytest.approx(
        plain_bits(plain, [0, *ids]), abs=NOISE
    )


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision_ends_in_a_float32_head(dtype: str, folder: Path, scorer: Causal) -> None:
    half = load(str(folder), replace(OPTIONS, dtype=dtype))
    assert half.reader.model.dtype == getattr(torch, dtype)
    assert half.reader.head is not None
    assert half.reader.head.weight.dtype == torch.float32
    assert half.reader.packs_to
    for one, other in zip(half.score(QUERIES), scorer.score(QUERIES), strict=True):
        for left, right in zip(one.continuations, other.continuations, strict=True):
            assert total(left) == pytest.approx(total(right), rel=0.05, abs=0.5)
            assert left != right


def test_the_end_of_a_text_is_the_tokenizers_own_sign(scorer: Causal, plain: Any) -> None:
    texts = ("The keys are here.", "Ключи лежат здесь.", "זה כאן")
    queries = [Query("The keys", (" are here.",), ends=True), Query("", texts, ends=True)]
    first, second = scorer.score(queries)
    for text, answer in zip(texts, second.continuations, strict=True):
        ids = [*scorer.lead, *scorer.cut([text])[text].ids, scorer.tokenizer.eos_token_id]
        assert answer.bits == pytest.approx(plain_bits(plain, ids), abs=NOISE)
        assert answer.spans[-1] == (len(text), len(text))
    assert first.continuations[0].bits[-1] == pytest.approx(
        second.continuations[0].bits[-1], abs=NOISE
    )


def test_what_is_prepared_ahead_comes_in_order_with_its_errors_in_their_place() -> None:
    def half(number: int) -> int:
        if number == 5:
            raise InputError("here", "an odd number", "an even one", kind="value")
        return number // 2

    found: list[int] = []
    with pytest.raises(InputError):
        found.extend(ahead(half, iter([2, 4, 5, 6])))
    halves = ahead(half, [2, 4, 5, 6])
    assert [next(halves), next(halves)] == [1, 2]
    assert list(ahead(half, [])) == []


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning:torch")  # of torch's own making
@pytest.mark.skipif(shutil.which("g++") is None, reason="torch compiles with g++, which is absent")
def test_a_compiled_model_has_the_numbers_of_one_that_is_not(folder: Path, scorer: Causal) -> None:
    compiled = load(str(folder), replace(OPTIONS, compile=True))
    assert compiled.reader.packs_to == scorer.reader.packs_to
    assert "compiled:yes" in compiled.signature
    for one, other in zip(compiled.score(QUERIES), scorer.score(QUERIES), strict=True):
        for left, right in zip(one.continuations, other.continuations, strict=True):
            assert left.bits == pytest.approx(right.bits, abs=NOISE)
