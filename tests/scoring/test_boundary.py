"""Probabilities of words, not of their beginnings: they telescope, and with the end sum to 1."""

import itertools
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers

from colorless_green.data.errors import InputError
from colorless_green.scoring import LoadOptions, Query
from colorless_green.scoring.backends.causal import Causal, load
from colorless_green.scoring.boundary import BEGIN, borders, corrected
from tests.scoring.tiny_models import causal_folder, gpt2, plain_model, tokenizer, total

OPTIONS = LoadOptions(device="cpu", boundary="space+eos")
NOISE = 5e-5  # bits


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return causal_folder(tmp_path_factory.mktemp("gpt2"), gpt2())


@pytest.fixture(scope="module")
def scorer(folder: Path) -> Causal:
    return load(str(folder), OPTIONS)


def mass(plain: Any, cutter: Any, text: str) -> float:
    """P_B after the document separator and `text`, by one call and a loop over the vocabulary."""
    ids = [0, *cutter(text)["input_ids"]]
    with torch.inference_mode():
        p = plain(torch.tensor([ids])).logits[0, -1].double().softmax(-1)
    begin = [n for entry, n in cutter.get_vocab().items() if entry.startswith("Ġ")]
    return float(sum(p[n].item() for n in [*begin, 0]))


def test_a_word_is_corrected_by_the_formula(folder: Path, scorer: Causal) -> None:
    plain = plain_model(folder)
    bare = load(str(folder), replace(OPTIONS, boundary="none"))
    asked = [Query("The keys to the", (" cabinet", " k", " cabinets are"))]
    (found,), (usual,) = scorer.score(asked), bare.score(asked)
    for text, one, other in zip(
        asked[0].continuations, found.continuations, usual.continuations, strict=True
    ):
        before = mass(plain, scorer.tokenizer, "The keys to the")
        after = mass(plain, scorer.tokenizer, f"The keys to the{text!s}")
        wanted = total(other) + math.log2(before) - math.log2(after)
        assert total(one) == pytest.approx(wanted, abs=NOISE)
        assert one.spans == other.spans


def test_the_words_of_a_text_sum_to_the_whole(scorer: Causal) -> None:
    """One word after the other or all at once: what stands between them cancels."""
    words = ["The", " keys", " to", " the", " cabinet", " are", " here."]
    queries = [Query("".join(words[:n]), (words[n],)) for n in range(len(words))]
    one_by_one = [total(score.continuations[0]) for score in scorer.score(queries)]
    (whole,) = scorer.score([Query("", ("".join(words),))])
    assert sum(one_by_one) == pytest.approx(total(whole.continuations[0]), abs=NOISE)
    assert all(bits >= 0 for bits in whole.continuations[0].bits)


def test_every_word_within_a_text_has_its_own_number(scorer: Causal) -> None:
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


def small() -> Any:
    """A tokenizer with two subwords, each with and without a blank: `▁a ▁b a b`."""
    entries = {"</s>": 0, "▁a": 1, "▁b": 2, "a": 3, "b": 4}
    import transformers

    made = Tokenizer(models.BPE(entries, []))
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never")
    wrap: Any = transformers.PreTrainedTokenizerFast
    return wrap(tokenizer_object=made, bos_token="</s>", eos_token="</s>")


def test_all_words_and_the_end_sum_to_one() -> None:
    """Pimentel & Meister (2024): over all words and p(end | c) / P_B(c); not without correction.

    A model that knows only the last id; the words are summed up to a length, after which what is
    left is a geometric series too small to see.
    """
    p = torch.tensor(
        [[0.1, 0.4, 0.3, 0.1, 0.1], [0.2, 0.3, 0.2, 0.2, 0.1], [0.3, 0.2, 0.2, 0.1, 0.2],
         [0.2, 0.3, 0.3, 0.1, 0.1], [0.3, 0.3, 0.3, 0.05, 0.05]], dtype=torch.float64
    )  # fmt: skip
    words = borders(small(), "space+eos", 5, torch.device("cpu"))
    assert words is not None
    assert words.sets.T.tolist() == [[1, 1, 1, 0, 0], [1, 0, 0, 1, 1]]
    masses = (p @ words.sets[:, 0].double()).log()
    sums = {"corrected": 0.0, "bare": 0.0}
    from colorless_green.scoring.batches import Chain

    for n in range(10):
        for word in itertools.product((1, 2), *[(3, 4)] * n):
            ids = (1, *word)
            chain = words.asking(Chain(ids, 1), 0, ended=True)
            bare = [p[ids[i - 1], ids[i]].log().item() for i in range(1, len(ids))]
            added = [masses[ids[at]].item() for at, which in chain.masses if which == BEGIN]
            assert len(added) == 2
            sums["corrected"] += math.exp(math.fsum(corrected(chain, [*bare, *added])))
            sums["bare"] += math.exp(math.fsum(bare))
    end = p[1, 0].item() / masses[1].exp().item()
    assert sums["corrected"] + end == pytest.approx(1, abs=1e-4)
    assert abs(sums["bare"] + p[1, 0].item() - 1) > 0.1


def test_a_first_word_without_a_blank_is_divided_by_what_may_start_a_text(
    folder: Path, scorer: Causal
) -> None:
    plain = plain_model(folder)
    (found,) = scorer.score([Query("", ("The",))])
    (usual,) = load(str(folder), replace(OPTIONS, boundary="none")).score([Query("", ("The",))])
    with torch.inference_mode():
        p = plain(torch.tensor([[0]])).logits[0, -1].double().softmax(-1)
    start = sum(p[n].item() for t, n in scorer.tokenizer.get_vocab().items() if t[0] != "Ġ")
    after = mass(plain, scorer.tokenizer, "The")
    wanted = total(usual.continuations[0]) + math.log2(start) - math.log2(after)
    assert total(found.continuations[0]) == pytest.approx(wanted, abs=NOISE)


def test_with_punctuation_in_the_set_a_full_stop_ends_a_word(folder: Path, scorer: Causal) -> None:
    wide = load(str(folder), replace(OPTIONS, boundary="space+eos+punct"))
    assert wide.borders is not None
    assert scorer.borders is not None
    vocabulary = scorer.tokenizer.get_vocab()
    added = wide.borders.begins - scorer.borders.begins
    assert {vocabulary["."], vocabulary[","]} <= added
    assert vocabulary["s"] not in added
    asked = [Query("The", (" keys",))]
    (narrow,), (broad,) = scorer.score(asked), wide.score(asked)
    assert narrow != broad
    assert "|boundary:space+eos+punct|" in wide.signature


def test_a_cut_word_is_corrected_once_at_each_end(scorer: Causal) -> None:
    """S(whole) − S(prefix), both corrected: a border within a word is no end of one."""
    (cut,) = scorer.score([Query("The ke", ("y is", "ys are"))])
    (whole,) = scorer.score([Query("The", (" key is", " keys are"))])
    margins = [total(each.continuations[0]) - total(each.continuations[1]) for each in (cut, whole)]
    assert margins[0] == pytest.approx(margins[1], abs=NOISE)


def test_a_tokenizer_without_marks_of_blanks_is_refused() -> None:
    import transformers

    wrap: Any = transformers.PreTrainedTokenizerFast
    made = Tokenizer(models.WordLevel({"a": 0, "<unk>": 1}, unk_token="<unk>"))
    with pytest.raises(InputError) as error:
        borders(wrap(tokenizer_object=made), "space+eos", 2, torch.device("cpu"))
    assert str(error.value) == (
        "--boundary: this tokenizer marks no blanks at the start of words; none"
    )
    assert borders(tokenizer(), "none", 330, torch.device("cpu")) is None
