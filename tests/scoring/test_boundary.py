"""Probabilities of words, not of their beginnings: they telescope, and with the end sum to 1."""

import itertools
import math
import unicodedata
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers

from colorless_green import load_model
from colorless_green.scoring import Query, Scorer
from tests.builders import mistake
from tests.scoring.tiny_models import causal_folder, gpt2, plain_model, tokenizer, total

OPTIONS: dict[str, Any] = {"device": "cpu", "boundary": "space+eos"}
NOISE = 5e-5  # bits


def load(folder: Path, **changes: Any) -> Scorer:
    return load_model(f"causal:{folder}", **{**OPTIONS, **changes}).scorer


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return causal_folder(tmp_path_factory.mktemp("gpt2"), gpt2())


@pytest.fixture(scope="module")
def scorer(folder: Path) -> Scorer:
    return load(folder)


def mass(folder: Path, text: str, begin: set[str]) -> float:
    """P_B after the document separator and `text`, by one call and a loop over the vocabulary."""
    with torch.inference_mode():
        ids = torch.tensor([[0, *tokenizer()(text)["input_ids"]]])
        p = plain_model(folder)(ids).logits[0, -1].double().softmax(-1)
    return float(sum(p[n].item() for entry, n in tokenizer().get_vocab().items() if entry in begin))


BEGIN = {entry for entry in tokenizer().get_vocab() if entry.startswith("Ġ")} | {"<|endoftext|>"}
STOPS = {
    entry
    for entry in tokenizer().get_vocab()
    if entry.isascii() and unicodedata.category(entry[0]).startswith("P")
}


@pytest.mark.parametrize(
    ("boundary", "begin"), [("space+eos", BEGIN), ("space+eos+punct", BEGIN | STOPS)]
)
def test_a_word_is_corrected_by_the_formula(boundary: str, begin: set[str], folder: Path) -> None:
    asked = [Query("The keys to the", (" cabinet", " k", " cabinets are"))]
    corrected = load(folder, boundary=boundary)
    (found,), (usual,) = corrected.score(asked), load(folder, boundary="none").score(asked)
    for text, one, other in zip(
        asked[0].continuations, found.continuations, usual.continuations, strict=True
    ):
        before = mass(folder, "The keys to the", begin)
        after = mass(folder, f"The keys to the{text!s}", begin)
        wanted = total(other) + math.log2(before) - math.log2(after)
        assert total(one) == pytest.approx(wanted, abs=NOISE)
        assert one.spans == other.spans
    assert f"|boundary:{boundary}|" in corrected.signature


def test_the_words_of_a_text_sum_to_the_whole(scorer: Scorer) -> None:
    """One word after the other or all at once: what stands between them cancels."""
    words = ["The", " keys", " to", " the", " cabinet", " are", " here."]
    queries = [Query("".join(words[:n]), (words[n],)) for n in range(len(words))]
    one_by_one = [total(score.continuations[0]) for score in scorer.score(queries)]
    (whole,) = scorer.score([Query("", ("".join(words),))])
    assert sum(one_by_one) == pytest.approx(total(whole.continuations[0]), abs=NOISE)
    assert all(bits >= 0 for bits in whole.continuations[0].bits)


def test_every_word_within_a_text_has_its_own_number(scorer: Scorer) -> None:
    (whole,) = scorer.score([Query("The", (" keys are here",))])
    answer = whole.continuations[0]
    for start, end, prefix in ((0, 5, "The"), (5, 9, "The keys"), (9, 14, "The keys are")):
        (alone,) = scorer.score([Query(prefix, (" keys are here"[start:end],))])
        inside = [
            bits
            for bits, span in zip(answer.bits, answer.spans, strict=True)
            if start <= span[0] < end
        ]
        assert sum(inside) == pytest.approx(total(alone.continuations[0]), abs=NOISE)


@pytest.mark.slow
def test_all_words_and_the_end_sum_to_one(tmp_path: Path) -> None:
    """Pimentel & Meister (2024): over all words and p(end | c) / P_B(c); not without correction.

    Of a model with two letters, each with and without a blank before it. The words are summed up to
    a length after which what is left is too small to see.
    """
    pieces = ("</s>", "▁a", "▁b", "a", "b")
    made = Tokenizer(models.Unigram([(piece, -1.0) for piece in pieces], 0, byte_fallback=False))
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never")
    wrap: Any = transformers.PreTrainedTokenizerFast
    cutter = wrap(tokenizer_object=made, bos_token="</s>", eos_token="</s>")
    folder = causal_folder(tmp_path, gpt2(n_positions=24, n_ids=5), cutter=cutter)
    assert cutter(" a bb")["input_ids"] == [1, 2, 4]
    words = tuple(
        f" {''.join(letters)}"
        for n in range(1, 13)
        for letters in itertools.product("ab", repeat=n)
    )
    with torch.inference_mode():
        p = plain_model(folder)(torch.tensor([[0, 1]])).logits[0, -1].softmax(-1)
    sums = {}
    for boundary in ("none", "space+eos"):
        (score,) = load(folder, boundary=boundary).score([Query(" a", words)])
        sums[boundary] = sum(2 ** -total(each) for each in score.continuations)
    end = p[0].item() / p[:3].sum().item()
    assert sums["space+eos"] + end == pytest.approx(1, abs=1e-3)
    assert abs(sums["none"] + p[0].item() - 1) > 0.1


def test_a_first_word_without_a_blank_is_divided_by_what_may_start_a_text(
    folder: Path, scorer: Scorer
) -> None:
    (found,) = scorer.score([Query("", ("The",))])
    (usual,) = load(folder, boundary="none").score([Query("", ("The",))])
    start = mass(folder, "", {entry for entry in tokenizer().get_vocab() if entry[0] != "Ġ"})
    wanted = (
        total(usual.continuations[0]) + math.log2(start) - math.log2(mass(folder, "The", BEGIN))
    )
    assert total(found.continuations[0]) == pytest.approx(wanted, abs=NOISE)


def test_a_cut_word_is_corrected_once_at_each_end(scorer: Scorer) -> None:
    """S(whole) − S(prefix), both corrected: a border within a word is no end of one."""
    (cut,) = scorer.score([Query("The ke", ("y is", "ys are"))])
    (whole,) = scorer.score([Query("The", (" key is", " keys are"))])
    margins = [total(each.continuations[0]) - total(each.continuations[1]) for each in (cut, whole)]
    assert margins[0] == pytest.approx(margins[1], abs=NOISE)


def test_a_tokenizer_without_marks_of_blanks_is_refused(tmp_path: Path) -> None:
    wrap: Any = transformers.PreTrainedTokenizerFast
    made = Tokenizer(models.WordLevel({"a": 0, "<unk>": 1}, unk_token="<unk>"))
    cutter = wrap(tokenizer_object=made, unk_token="<unk>", bos_token="a")
    folder = causal_folder(tmp_path, gpt2(n_ids=2), cutter=cutter)
    with mistake("unsupported", "boundary"):
        load(folder)
