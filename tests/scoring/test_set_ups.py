"""Published set-ups by name, each against its formula, computed one sentence a call in float64."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from tokenizers import processors

import colorless_green as cg
from tests.builders import mistake
from tests.scoring.tiny_encoders import (
    bert,
    byte_pairs,
    masked_folder,
    roberta,
    sentencepiece,
    wordpiece,
)
from tests.scoring.tiny_models import causal_folder, cutter_of, gpt2, hushed, plain_model

PAIRS = [
    ("The keys to the cabinet aren't here, unbelievably.", "The key aren't here, unbelievably."),
    ("Keys are here (perhaps).", "Cabinets is here."),
    ("Ключи от шкафа лежат здесь.", "Ключ лежат здесь."),
]
COUNTED = ("The keys are here.", "The key is here, or there.", "Ключи лежат здесь.")
NOISE = 1e-4  # bits

Words = Callable[[str, Any], list[int]]
"""(text, its encoding) → the word of each of its subwords"""


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a causal model whose tokenizer puts nothing before a text, as GPT-2's."""
    return causal_folder(tmp_path_factory.mktemp("bare"), gpt2())


@pytest.fixture(scope="module")
def dressed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a causal model whose tokenizer puts a BOS before a text, and no EOS behind, as
    Llama's."""
    cutter = sentencepiece()
    cutter.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 0)]
    )
    return causal_folder(tmp_path_factory.mktemp("dressed"), gpt2(n_ids=len(cutter)), cutter=cutter)


MASKED: dict[str, tuple[Callable[[int], Any], Callable[[], Any]]] = {
    "bert": (bert, wordpiece),
    "roberta": (roberta, byte_pairs),
}


@pytest.fixture(scope="module", params=MASKED)
def masked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    config, cutter = MASKED[request.param]
    tokenizer = cutter()
    folder = tmp_path_factory.mktemp(request.param)
    return masked_folder(folder, config(len(tokenizer)), tokenizer)


def found(spec: str, method: str | cg.Method) -> list[tuple[float, float]]:
    table = cg.score_pairs(PAIRS, spec, method=method, device="cpu")
    return list(zip(table["right_bits"], table["wrong_bits"], strict=True))


def expected(formula: Callable[[str], float]) -> Any:
    """Return minus what a set-up makes of a sentence, by ln p, in bits."""
    pairs = [tuple(-formula(text) / math.log(2) for text in pair) for pair in PAIRS]
    return [pytest.approx(pair, abs=NOISE) for pair in pairs]


def ln_p(model: Any, ids: Sequence[int]) -> list[float]:
    """ln p of every id but the first."""
    with torch.inference_mode():
        table = model(torch.tensor([list(ids)])).logits[0].double().log_softmax(-1)
    return [table[n, after].item() for n, after in enumerate(ids[1:])]


@pytest.mark.parametrize("kind", ["bare", "dressed"])
def test_minicons_takes_the_mean_of_all_but_the_first_id(
    kind: str, request: pytest.FixtureRequest
) -> None:
    folder: Path = request.getfixturevalue(kind)
    model, cutter = plain_model(folder), cutter_of(folder)

    def formula(text: str) -> float:
        scores = ln_p(model, cutter(text)["input_ids"])
        return sum(scores) / len(scores)

    assert found(f"causal:{folder}", "minicons") == expected(formula)


@pytest.mark.parametrize("kind", ["bare", "dressed"])
def test_multiblimp_sums_all_but_the_first_id(kind: str, request: pytest.FixtureRequest) -> None:
    folder: Path = request.getfixturevalue(kind)
    model, cutter = plain_model(folder), cutter_of(folder)
    wanted = expected(lambda text: sum(ln_p(model, cutter(text)["input_ids"])))
    assert found(f"causal:{folder}", "jumelet2025") == wanted


def test_the_harness_divides_by_characters(bare: Path) -> None:
    model, cutter = plain_model(bare), cutter_of(bare)

    def formula(text: str) -> float:
        return sum(ln_p(model, [cutter.eos_token_id, *cutter(text)["input_ids"]])) / len(text)

    assert found(f"causal:{bare}", "lm-eval-multiblimp") == expected(formula)


@pytest.mark.parametrize("kind", ["bare", "dressed"])
def test_slor_of_a_causal_model(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """The frequencies are those of ids: "▁The" is one, at the start of a sentence and within."""
    folder: Path = request.getfixturevalue(kind)
    model, cutter = plain_model(folder), cutter_of(folder)

    def formula(text: str) -> float:
        ids = cutter(text, add_special_tokens=False)["input_ids"]
        p_m = sum(ln_p(model, [cutter.bos_token_id, *ids]))
        return (p_m - ln_unigram(cutter, ids)) / len(ids)

    assert found(f"causal:{folder}", slor(tmp_path)) == expected(formula)


def slor(folder: Path) -> cg.Method:
    path = folder / "text.txt"
    path.write_text("\n".join(COUNTED), encoding="utf-8")
    return cg.Method(extends="suijkerbuijk2025", unigrams=path)


def ln_unigram(cutter: Any, ids: Sequence[int]) -> float:
    """ln p of ids by their counts in COUNTED, each and what never came with one more; the end of
    each sentence is counted, too."""
    texts = [cutter(text, add_special_tokens=False)["input_ids"] for text in COUNTED]
    counts = Counter([each for text in texts for each in text] + [-1] * len(texts))
    size = counts.total() + len(counts) + 1
    return sum(math.log((counts[each] + 1) / size) for each in ids)


def masked_model(folder: Path) -> Any:
    auto: Any = transformers.AutoModelForMaskedLM
    with hushed():
        return auto.from_pretrained(folder).double().eval()


def pll(model: Any, cutter: Any, text: str, words: Words | None) -> list[float]:
    """ln p of each subword, it and the later ones of its word under masks; None: it alone."""
    cut = cutter(text, return_offsets_mapping=True)
    places = [n for n, word in enumerate(cut.word_ids()) if word is not None]
    own = list(range(len(places))) if words is None else words(text, cut)
    scores = []
    for n, place in enumerate(places):
        ids = torch.tensor([cut["input_ids"]])
        ids[0, [other for m, other in enumerate(places) if m >= n and own[m] == own[n]]] = (
            cutter.mask_token_id
        )
        with torch.inference_mode():
            table = model(input_ids=ids).logits[0, place].log_softmax(-1)
        scores.append(table[cut["input_ids"][place]].item())
    return scores


def by_tokenizer(text: str, cut: Any) -> list[int]:
    return [word for word in cut.word_ids() if word is not None]


def by_blanks(text: str, cut: Any) -> list[int]:
    """Words between blanks; every mark at the end of one is a word of its own."""
    cuts = [0]
    for n, character in enumerate(text):
        at_end = not text[n:].split(" ")[0].strip(".,()'")
        if n and (text[n - 1] == " " or (character in ".,)" and at_end) or text[n - 1] == "("):
            cuts.append(n)
    places = [n for n, word in enumerate(cut.word_ids()) if word is not None]
    spans = [cut["offset_mapping"][place] for place in places]
    solid = [start + (text[start] == " ") for start, _ in spans]
    return [sum(start <= at for start in cuts) for at in solid]


@pytest.mark.parametrize(
    ("method", "words"), [("kauf2023", by_tokenizer), ("kauf2023-blanks", by_blanks)]
)
def test_masks_go_to_the_end_of_a_word_of_either_kind(
    method: str, words: Words, masked: Path
) -> None:
    model, cutter = masked_model(masked), cutter_of(masked)
    wanted = expected(lambda text: sum(pll(model, cutter, text, words)))
    assert found(f"masked:{masked}", method) == wanted


def test_the_two_kinds_of_word_differ(masked: Path) -> None:
    assert found(f"masked:{masked}", "kauf2023") != found(f"masked:{masked}", "kauf2023-blanks")


def test_minicons_masks_each_subword_alone(masked: Path) -> None:
    model, cutter = masked_model(masked), cutter_of(masked)

    def formula(text: str) -> float:
        scores = pll(model, cutter, text, None)
        return sum(scores) / len(scores)

    assert found(f"masked:{masked}", "minicons") == expected(formula)


def test_slor_of_a_masked_model(masked: Path, tmp_path: Path) -> None:
    model, cutter = masked_model(masked), cutter_of(masked)

    def formula(text: str) -> float:
        ids = cutter(text, add_special_tokens=False)["input_ids"]
        return (sum(pll(model, cutter, text, None)) - ln_unigram(cutter, ids)) / len(ids)

    assert found(f"masked:{masked}?pll=original", slor(tmp_path)) == expected(formula)


def test_a_text_of_one_subword_has_no_score_where_the_first_is_not_scored(bare: Path) -> None:
    pairs = [("the", "The keys"), ("The keys are", "The keys is")]
    table = cg.score_pairs([("a", "b"), *pairs], f"causal:{bare}", method="jumelet2025")
    assert table["credit"].is_null().to_list() == [True, False, False]


def test_masks_are_said_once(masked: Path) -> None:
    with mistake("conflict", f"{masked}?pll=original"):
        found(f"masked:{masked}?pll=original", "kauf2023")


@pytest.mark.parametrize("measure", ["target", "one-prefix", "two-prefix", "pmi", "ew", "mw"])
def test_a_region_is_not_asked_for_without_its_first_subword(measure: Any) -> None:
    with mistake("conflict", "Method: bos"):
        cg.Method(measure=measure, bos="tokenizer")


def test_a_model_that_skips_the_first_subword_is_another_one_in_the_store(
    bare: Path, tmp_path: Path
) -> None:
    pairs, store = tmp_path / "pairs.csv", tmp_path / "s.db"
    pairs.write_text("good,bad\nThe keys are,The keys is\n", encoding="utf-8")
    spec = f"causal:{bare}"
    skipped = cg.score(pairs, spec, method="jumelet2025", store=store).outcomes
    with mistake("unsupported", "query 'The keys are'"):
        cg.score(pairs, spec, method=cg.Method(extends="sentence", bos="none"), store=store)
    assert skipped["credit"].null_count() == 0
