"""Causal models as scorers: against one call a text in float64, the contract, and odd texts."""

import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

from colorless_green import load_model
from colorless_green.scoring import Query, Score, Scorer, Surprisals
from tests.builders import mistake
from tests.scoring.contract import CLAIMS, OF_BYTES, Case, Claim, assert_near, claim_name
from tests.scoring.tiny_encoders import byte_pairs
from tests.scoring.tiny_models import (
    broken_layers,
    causal_folder,
    change_weights,
    cutter_of,
    gpt2,
    plain_bits,
    plain_model,
    reads,
    tokenizer,
    total,
)

OPTIONS: dict[str, Any] = {"device": "cpu"}
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


def load(folder: Path, options: dict[str, Any] = OPTIONS) -> Scorer:
    return load_model(f"causal:{folder}", **options).scorer


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return causal_folder(tmp_path_factory.mktemp("gpt2"), gpt2())


@pytest.fixture(scope="module")
def scorer(folder: Path) -> Scorer:
    return load(folder)


@pytest.fixture(scope="module")
def plain(folder: Path) -> Any:
    return plain_model(folder)


def answer(scorer: Scorer, prefix: str, continuation: str, **options: Any) -> Surprisals:
    (score,) = scorer.score([Query(prefix, (continuation,), **options)])
    return score.continuations[0]


def ids_of(text: str) -> list[int]:
    """By the tokenizer of `folder`, without specials."""
    found: list[int] = tokenizer()(text)["input_ids"]
    return found


def assert_all_near(found: Sequence[Score], wanted: Sequence[Score]) -> None:
    for one, other in zip(found, wanted, strict=True):
        assert one.prefix_oov == other.prefix_oov
        for left, right in zip(one.continuations, other.continuations, strict=True):
            assert_near(left, right, NOISE)


@pytest.mark.parametrize("claim", CLAIMS, ids=claim_name)
def test_keeps_the_contract(claim: Claim, folder: Path, tmp_path: Path) -> None:
    claim(
        Case(
            load=lambda: load(folder),
            other=lambda: load(causal_folder(tmp_path, gpt2(), seed=1)),
            queries=tuple(query for query in QUERIES if not str(query.prefix).endswith(" ")),
            noise_bits=NOISE,
            why_not=OF_BYTES,
        )
    )


@pytest.mark.slow
@given(queries)
@settings(max_examples=20)
def test_a_surprisal_is_that_of_the_whole_text_less_that_of_the_prefix(
    scorer: Scorer, plain: Any, asked: list[Query]
) -> None:
    """Wherever the border falls, within a word or a character too."""

    def whole(text: str) -> float:
        ids = ids_of(text)
        return sum(plain_bits(plain, [0, *ids])) if ids else 0.0

    for query, score in zip(asked, scorer.score(asked), strict=True):
        assert isinstance(query.prefix, str)
        for continuation, found in zip(query.continuations, score.continuations, strict=True):
            text = f"{query.prefix}{continuation}"
            wanted = whole(text) - whole(query.prefix.rstrip()) if continuation else 0.0
            assert total(found) == pytest.approx(wanted, abs=NOISE * (len(text) + 2))


def test_every_subword_has_its_own_number(scorer: Scorer, plain: Any) -> None:
    text = "The keys to the cabinet are here."
    wanted = plain_bits(plain, [0, *ids_of(text)])
    assert answer(scorer, "", text).bits == pytest.approx(wanted, abs=NOISE)


@pytest.mark.slow
@given(queries, st.integers(96, 160))
@settings(max_examples=15)
def test_a_full_memory_changes_no_number(
    folder: Path, scorer: Scorer, asked: list[Query], fits: int
) -> None:
    other = load(folder)
    with reads(fits):
        tight = list(other.score(asked))
    assert_all_near(tight, list(scorer.score(asked)))


def test_what_texts_begin_with_is_read_once(scorer: Scorer) -> None:
    """The last id of a text is asked for, and not read."""
    start = "The keys to the cabinet"
    with reads() as found:
        list(scorer.score([Query(start, (" is", " are")), Query(start, (" here", " is"))]))
    assert sum(rows * time for rows, time in found) == 1 + len(ids_of(start))


def test_probabilities_of_all_next_subwords_sum_to_one(scorer: Scorer, plain: Any) -> None:
    """Those that go on from the prefix without joining it: here all that begin with a blank."""
    entries = dict(tokenizer().get_vocab())
    begin = [text for text in entries if text[:1] == "Ġ" and text[1:].isascii() and text != "Ġ"]
    (score,) = scorer.score([Query("The keys", tuple(" " + text[1:] for text in begin))])
    assert all(len(each.bits) == 1 for each in score.continuations)
    with torch.inference_mode():
        p = plain(torch.tensor([[0, *ids_of("The keys")]])).logits[0, -1].softmax(-1)
    wanted = sum(p[entries[text]].item() for text in begin)
    assert sum(2 ** -total(each) for each in score.continuations) == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("size", [200.0, -200.0])
def test_logits_of_any_size_are_normalised(size: float, tmp_path: Path) -> None:
    config = transformers.GPTJConfig(
        vocab_size=330, n_positions=96, n_embd=16, n_layer=2, n_head=2, rotary_dim=4
    )
    folder = causal_folder(tmp_path, config)
    before = list(load(folder).score(QUERIES))
    change_weights(folder, lm_head__bias=torch.full((330,), size))
    assert_all_near(list(load(folder).score(QUERIES)), before)


@pytest.mark.parametrize(
    ("prefix", "continuation", "spans"),
    [
        pytest.param("The keys", " are here", ((0, 4), (4, 9)), id="a blank goes with its word"),
        pytest.param("The", " 国", ((0, 1), (1, 2), (1, 2), (1, 2)), id="bytes of a character"),
        pytest.param("", "The", ((0, 3),), id="a first word has no blank"),
        pytest.param("The keys ", "", (), id="nothing"),
    ],
)
def test_spans_are_in_characters_of_the_continuation(
    prefix: str, continuation: str, spans: tuple[tuple[int, int], ...], scorer: Scorer
) -> None:
    assert answer(scorer, prefix, continuation).spans == spans


def test_offsets_that_a_tokenizer_trims_make_no_difference(tmp_path: Path) -> None:
    found = []
    for trims in (True, False):
        cutter = byte_pairs(trim_offsets=trims)
        folder = causal_folder(tmp_path / str(trims), gpt2(n_ids=len(cutter)), cutter=cutter)
        found.append(list(load(folder).score(QUERIES)))
    assert found[0] == found[1]


def test_characters_that_a_tokenizer_drops_belong_to_no_subword(tmp_path: Path) -> None:
    cutter = word_level()
    cutter.backend_tokenizer.normalizer = normalizers.Strip()
    cutter.backend_tokenizer.pre_tokenizer = pre_tokenizers.Split("#", "removed")
    scorer = load(causal_folder(tmp_path, gpt2(n_ids=6), cutter=cutter))
    assert answer(scorer, "the#", "key#keys").spans == ((0, 3), (4, 8))


def test_blanks_at_the_end_of_a_prefix_count_to_the_continuation(scorer: Scorer) -> None:
    usual, odd = answer(scorer, "The keys", " are"), answer(scorer, "The keys ", "are")
    assert odd.spans == ((-1, 3),)
    assert odd.bits == usual.bits


def test_a_border_within_a_word_shows_in_the_span(scorer: Scorer) -> None:
    found = answer(scorer, "The ke", "ys are")
    assert found.spans[0][0] < 0 < found.spans[0][1]
    assert found.spans[-1] == (2, 6)
    assert len(found.bits) == len(found.spans) == len(found.oov)


def test_two_continuations_of_a_cut_word_compare_as_the_whole_texts(scorer: Scorer) -> None:
    (cut,) = scorer.score([Query("The ke", ("y is", "ys are"))])
    (whole,) = scorer.score([Query("The", (" key is", " keys are"))])
    margins = [total(each.continuations[0]) - total(each.continuations[1]) for each in (cut, whole)]
    assert margins[0] == pytest.approx(margins[1], abs=NOISE)


def test_a_control_token_that_a_text_spells_out_is_text(
    folder: Path, scorer: Scorer, plain: Any
) -> None:
    text = "<|endoftext|>The keys<|endoftext|> are"
    ids = cutter_of(folder)(text, split_special_tokens=True)["input_ids"]
    assert 0 not in ids
    found = answer(scorer, "", text)
    assert found.bits == pytest.approx(plain_bits(plain, [0, *ids]), abs=NOISE)
    assert found.spans[0] == (0, 1)
    assert found.spans[-1] == (len(text) - 4, len(text))


def test_how_many_texts_spell_out_a_control_token_is_noted(folder: Path) -> None:
    model = load_model(f"causal:{folder}", **OPTIONS)
    before = model.notes
    list(model.scorer.score([Query("The", (" <|endoftext|>", " key")), Query("", ("<|end",))]))
    assert model.notes == before + model.notes[len(before) :]
    assert len(model.notes) == len(before) + 1
    assert re.findall("[0-9]+", model.notes[-1]) == ["1"]


def test_without_bos_the_prefix_alone_is_the_condition(folder: Path, plain: Any) -> None:
    scorer = load(folder, {**OPTIONS, "bos": "none"})
    wanted = plain_bits(plain, ids_of("The keys are here"))[-2:]
    assert answer(scorer, "The keys", " are here").bits == pytest.approx(wanted, abs=NOISE)
    with mistake("unsupported", "query 'The keys are here.'"):
        answer(scorer, "", "The keys are here.")


def test_a_text_longer_than_the_model_reads_is_refused(scorer: Scorer) -> None:
    fits, too_long = "The" + " keys" * 95, "The" + " keys" * 96
    (alone,) = scorer.score([Query("", (fits,))])
    assert len(alone.continuations[0].bits) == 96
    first, second = scorer.score([Query("The", (" key",)), Query("", (too_long, fits))])
    assert first.continuations[0].bits
    refused, read = second.continuations
    assert (refused.bits, read) == ((), alone.continuations[0])
    assert re.findall("[0-9]+", refused.refused) == ["97", "96"]


def word_level() -> Any:
    """Return a tokenizer of whole words whose offsets leave blanks out, with an unknown word."""
    words = {"<bos>": 0, "<unk>": 1, "the": 2, "key": 3, "keys": 4, "are": 5}
    made = Tokenizer(models.WordLevel(words, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    wrap: Any = transformers.PreTrainedTokenizerFast
    return wrap(tokenizer_object=made, bos_token="<bos>", unk_token="<unk>")


def test_a_continuation_that_leaves_no_subword_is_refused(tmp_path: Path) -> None:
    scorer = load(causal_folder(tmp_path, gpt2(n_ids=6), cutter=word_level()))
    with mistake("unsupported", "query 'the key '"):
        answer(scorer, "the key", " ")


def test_what_the_vocabulary_lacks_is_flagged_and_ties_exactly(tmp_path: Path) -> None:
    scorer = load(causal_folder(tmp_path, gpt2(n_ids=6), cutter=word_level()))
    (score,) = scorer.score([Query("the foxes and keys", (" are", " is", " was"))])
    assert score.prefix_oov == 2
    assert [each.oov for each in score.continuations] == [(False,), (True,), (True,)]
    assert [each.spans for each in score.continuations] == [((0, 4),), ((0, 3),), ((0, 4),)]
    assert score.continuations[1].bits == score.continuations[2].bits


def test_a_tokenizer_of_more_ids_than_the_model_is_refused(tmp_path: Path) -> None:
    scorer = load(causal_folder(tmp_path, gpt2(n_ids=260)))
    with mistake("conflict", "query 'The keys are'"):
        answer(scorer, "The keys", " are")


def test_a_model_that_answers_nan_is_an_error(tmp_path: Path) -> None:
    folder = causal_folder(tmp_path, gpt2())
    scorer = load(folder)
    with mistake("unsupported", "query 'The keys are'"), broken_layers():
        answer(scorer, "The keys", " are")


def metaspace(scheme: str) -> Any:
    """Return a SentencePiece-like tokenizer: `▁` for blanks, `scheme` says whether one is put in
    front."""
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
    scorer = load(causal_folder(tmp_path, gpt2(n_ids=len(cutter)), cutter=cutter))
    first, later = answer(scorer, "", "The keys"), answer(scorer, "The keys", " are")
    assert first.spans == ((0, 3), (3, 8))
    assert later.spans == ((0, 4),)
    wanted = plain_bits(plain_model(tmp_path), [0, *cutter("The keys are")["input_ids"]])
    assert [*first.bits, *later.bits] == pytest.approx(wanted, abs=NOISE)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision_ends_in_a_float32_head(dtype: str, folder: Path, scorer: Scorer) -> None:
    """So near decisions are no ties: a head of half precision gives logits in coarse steps."""
    half = load(folder, {**OPTIONS, "dtype": dtype})
    assert f"|dtype:{dtype}|" in half.signature
    assert "|reading:packed|" in half.signature
    for one, other in zip(half.score(QUERIES), scorer.score(QUERIES), strict=True):
        for left, right in zip(one.continuations, other.continuations, strict=True):
            assert total(left) == pytest.approx(total(right), rel=0.05, abs=0.5)
            assert left != right
    letters = [text for text in tokenizer().get_vocab() if text.isascii() and text.isalpha()]
    (score,) = half.score([Query(".", tuple(letters))])
    bits = [each.bits[0] for each in score.continuations if len(each.bits) == 1]
    assert len(set(bits)) == len(bits) > 40


def test_the_end_of_a_text_is_the_tokenizers_own_sign(
    folder: Path, scorer: Scorer, plain: Any
) -> None:
    end = cutter_of(folder).eos_token_id
    for text in ("The keys are here.", "Ключи лежат здесь.", "זה כאן"):
        found = answer(scorer, "", text, ends=True)
        assert found.bits == pytest.approx(plain_bits(plain, [0, *ids_of(text), end]), abs=NOISE)
        assert found.spans[-1] == (len(text), len(text))
    inside = answer(scorer, "The keys", " are here.", ends=True)
    whole = answer(scorer, "", "The keys are here.", ends=True)
    assert inside.bits[-1] == pytest.approx(whole.bits[-1], abs=NOISE)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning:torch")  # of torch's own making
@pytest.mark.skipif(shutil.which("g++") is None, reason="torch compiles with g++, which is absent")
def test_a_compiled_model_has_the_numbers_of_one_that_is_not(folder: Path, scorer: Scorer) -> None:
    compiled = load(folder, {**OPTIONS, "compile": True})
    assert "|reading:packed|" in compiled.signature
    assert "compiled:yes" in compiled.signature
    some = QUERIES[:2]
    assert_all_near(list(compiled.score(some)), list(scorer.score(some)))
