"""Masked models as scorers: against one row a call, the contract, and what they must refuse."""

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
    HEADS,
    bert,
    byte_pairs,
    masked_folder,
    roberta,
    sentencepiece,
    wordpiece,
)
from tests.scoring.tiny_models import broken_layers, change_weights, cutter_of, hushed, reads, total

OPTIONS: dict[str, Any] = {"device": "cpu"}
NOISE = 2e-5 / math.log(2)  # 2e-5 nats
VARIANTS = ("word-l2r", "original", "whole-word")
QUERIES = (
    Query("The keys to the cabinet", (" are", " is", " are here"), " or there."),
    Query("The key", (" is", " unbelievably perhaps"), " here"),
    Query("", ("The key is here, or there (perhaps).", "Ключи лежат"), ""),
    Query("", ("Die", "The"), " Schlüssel liegen hier."),
    Query("ספר זה", (" כאן",)),
)
WORDS = ("The", " keys", " (", "unbelievably", ")", " aren't", " here", ".")


def distilbert(n_ids: int) -> Any:
    return transformers.DistilBertConfig(
        vocab_size=n_ids, dim=16, n_layers=2, n_heads=2, hidden_dim=24, max_position_embeddings=96
    )


def electra(n_ids: int) -> Any:
    return transformers.ElectraConfig(
        vocab_size=n_ids, embedding_size=16, max_position_embeddings=96, **HEADS
    )


def modernbert(n_ids: int) -> Any:
    return transformers.ModernBertConfig(
        vocab_size=n_ids, pad_token_id=0, max_position_embeddings=96, **HEADS
    )


def albert(n_ids: int) -> Any:
    return transformers.AlbertConfig(vocab_size=n_ids, embedding_size=8, **HEADS)


def deberta(n_ids: int) -> Any:
    return transformers.DebertaV2Config(
        vocab_size=n_ids, relative_attention=True, pos_att_type=["p2c", "c2p"], **HEADS
    )


def xlm_roberta(n_ids: int) -> Any:
    return roberta(n_ids, kind="XLMRobertaConfig")


KINDS: dict[str, tuple[Callable[[int], Any], Callable[[], Any]]] = {
    "bert": (bert, wordpiece),
    "roberta": (roberta, byte_pairs),
    "xlm-roberta": (xlm_roberta, sentencepiece),
    "distilbert": (distilbert, wordpiece),
    "electra": (electra, wordpiece),
    "modernbert": (modernbert, byte_pairs),
    "albert": (albert, sentencepiece),
    "deberta-v2": (deberta, sentencepiece),
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    found = {}
    for kind, (config, cutter) in KINDS.items():
        tokenizer = cutter()
        folder = tmp_path_factory.mktemp(kind)
        found[kind] = masked_folder(folder, config(len(tokenizer)), tokenizer)
    return found


def load(spec: object, **changes: Any) -> Scorer:
    return load_model(f"masked:{spec}", **{**OPTIONS, **changes}).scorer


@pytest.fixture(scope="module")
def scorer(folders: dict[str, Path]) -> Scorer:
    return load(folders["bert"])


def plain_model(folder: Path) -> Any:
    """Return the model in float64, as transformers loads it."""
    auto: Any = transformers.AutoModelForMaskedLM
    with hushed():
        return auto.from_pretrained(folder).double().eval()


def plain_bits(
    model: Any, tokenizer: Any, words: Sequence[str], variant: str, *, by_tokenizer: bool = False
) -> list[float]:
    """−log2 p of each subword of a text that is given word by word, one row a call;
    `by_tokenizer`: its words are the tokenizer's."""
    text, ends = "".join(words), [len("".join(words[: n + 1])) for n in range(len(words))]
    cut = tokenizer(text, return_offsets_mapping=True)
    special = tokenizer(text, return_special_tokens_mask=True)["special_tokens_mask"]
    places = [n for n, flag in enumerate(special) if not flag]
    following = [n + (text[n] == " ") for n, _ in cut["offset_mapping"][places[0] : places[-1] + 1]]
    own = [next(n for n, end in enumerate(ends) if at < end) for at in following]
    if by_tokenizer:
        own = cut.word_ids()[places[0] : places[-1] + 1]
    found = []
    for place, word in zip(places, own, strict=True):
        seen = {"original": places, "word-l2r": range(place), "whole-word": ()}[variant]
        hidden = [
            other
            for other, its in zip(places, own, strict=True)
            if other == place or (its == word and other not in seen)
        ]
        ids = torch.tensor([cut["input_ids"]])
        ids[0, hidden] = tokenizer.mask_token_id
        with torch.inference_mode():
            nats = model(input_ids=ids).logits[0, place].log_softmax(-1)
        found.append(-nats[cut["input_ids"][place]].item() / math.log(2))
    return found


def answer(scorer: Scorer, prefix: str, continuation: str, suffix: str | None = "") -> Surprisals:
    (score,) = scorer.score([Query(prefix, (continuation,), suffix)])
    return score.continuations[0]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["bert", "roberta", "xlm-roberta"])
@pytest.mark.parametrize("claim", CLAIMS, ids=claim_name)
def test_keeps_the_contract(
    claim: Claim, kind: str, folders: dict[str, Path], tmp_path: Path
) -> None:
    def other() -> Scorer:
        config, cutter = KINDS[kind]
        tokenizer = cutter()
        return load(masked_folder(tmp_path, config(len(tokenizer)), tokenizer, seed=1))

    claim(
        Case(
            load=lambda: load(folders[kind]),
            other=other,
            queries=QUERIES,
            unknown=None if kind == "roberta" else " 国",
            noise_bits=NOISE,
            why_not=OF_BYTES if kind == "roberta" else OF_TEXT,
        )
    )


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_variant_agrees_with_one_row_a_call(
    kind: str, variant: str, folders: dict[str, Path]
) -> None:
    found = answer(load(f"{folders[kind]}?pll={variant}"), "", "".join(WORDS))
    cutter = cutter_of(folders[kind])
    wanted = plain_bits(plain_model(folders[kind]), cutter, WORDS, variant)
    assert found.bits == pytest.approx(wanted, abs=NOISE)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    "words",
    [
        (" are",),
        ("(", "un-done", ")", " aren't", " «", "so", "»", "…"),
        (" ?", "!", " 100", "%", " a"),
        ("国语好", "。"),
    ],
)
def test_words_are_between_blanks_less_the_punctuation_at_their_ends(
    words: tuple[str, ...], variant: str, folders: dict[str, Path]
) -> None:
    folder = folders["roberta"]
    found = answer(load(f"{folder}?pll={variant}"), "", "".join(words))
    wanted = plain_bits(plain_model(folder), cutter_of(folder), words, variant)
    assert found.bits == pytest.approx(wanted, abs=NOISE)


@pytest.mark.parametrize("variant", ["word-l2r", "whole-word"])
@pytest.mark.parametrize("kind", ["bert", "roberta", "xlm-roberta"])
def test_words_can_be_those_of_the_tokenizer(
    kind: str, variant: str, folders: dict[str, Path]
) -> None:
    folder, text = folders[kind], "The un-done keys aren't here (unbelievably)."
    found = answer(load(f"{folder}?pll={variant}&words=tokenizer"), "", text)
    plain = plain_model(folder), cutter_of(folder), [text], variant
    assert found.bits == pytest.approx(plain_bits(*plain, by_tokenizer=True), abs=NOISE)
    between_blanks = answer(load(f"{folder}?pll={variant}"), "", text)
    assert found.bits != between_blanks.bits


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_target_has_its_share_of_the_whole_text(variant: str, folders: dict[str, Path]) -> None:
    """Prefix and suffix are seen, not scored; only what is masked differs by variant."""
    scorer = load(f"{folders['roberta']}?pll={variant}")
    before, inside, after = "".join(WORDS[:3]), "".join(WORDS[3:6]), "".join(WORDS[6:])
    whole, part = answer(scorer, "", "".join(WORDS)), answer(scorer, before, inside, after)
    first = [span[0] for span in whole.spans].index(len(before))
    n = len(part.bits)
    assert n == len(byte_pairs()(inside, add_special_tokens=False)["input_ids"])
    assert part.bits == pytest.approx(whole.bits[first : first + n], abs=NOISE)


def test_a_pair_of_one_subword_each_is_one_row(scorer: Scorer) -> None:
    with reads() as found:
        (score,) = scorer.score([Query("The keys to the cabinet", (" is", " are"), " here.")])
    assert [len(each.bits) for each in score.continuations] == [1, 1]
    assert [rows for rows, _ in found] == [1]


def test_a_target_of_several_subwords_is_a_chain(folders: dict[str, Path]) -> None:
    """One row a subword by word-l2r, whose first one is the only one of whole-word."""
    found = {}
    for variant in VARIANTS:
        scorer = load(f"{folders['bert']}?pll={variant}")
        with reads() as batches:
            found[variant] = answer(scorer, "The keys", " unbelievably", " here.").bits
        n = len(found[variant])
        assert n > 2
        assert sum(rows for rows, _ in batches) == (1 if variant == "whole-word" else n)
    assert found["word-l2r"][0] == pytest.approx(found["whole-word"][0], abs=NOISE)
    assert found["word-l2r"][-1] == pytest.approx(found["original"][-1], abs=NOISE)
    assert found["word-l2r"][0] != pytest.approx(found["original"][0], abs=NOISE)


@pytest.mark.slow
@settings(max_examples=10)
@given(st.integers(40, 200), st.permutations(QUERIES))
def test_neither_order_nor_batches_change_a_number(
    folders: dict[str, Path], scorer: Scorer, fits: int, asked: list[Query]
) -> None:
    usual = dict(zip(QUERIES, scorer.score(QUERIES), strict=True))
    small = load(folders["bert"])
    with reads(fits):
        scores = list(small.score(asked))
    for query, score in zip(asked, scores, strict=True):
        for one, other in zip(score.continuations, usual[query].continuations, strict=True):
            assert_near(one, other, NOISE)


def test_what_follows_changes_the_number_and_none_is_the_end_of_the_text(scorer: Scorer) -> None:
    here, there, end, none = (
        answer(scorer, "The keys", " are", suffix) for suffix in (" here.", " there.", "", None)
    )
    assert end == none
    assert len({total(each) for each in (here, there, end)}) == 3


def test_probabilities_of_all_words_in_one_place_sum_to_their_share(
    scorer: Scorer, folders: dict[str, Path]
) -> None:
    """With the plain model's own mass of the other ids they make one."""
    cutter = wordpiece()
    entries = dict(cutter.get_vocab())
    whole = [text for text in entries if text.isalpha() and text.isascii()]
    (score,) = scorer.score([Query("The keys", tuple(f" {text}" for text in whole), " here.")])
    single = [(text, each) for text, each in zip(whole, score.continuations, strict=True)
              if len(each.bits) == 1]  # fmt: skip
    ids = cutter(f"The keys {cutter.mask_token} here.", return_tensors="pt")
    place = ids["input_ids"][0].tolist().index(cutter.mask_token_id)
    with torch.inference_mode():
        p = plain_model(folders["bert"])(**ids).logits[0, place].softmax(-1)
    others = set(range(len(p))) - {entries[text] for text, _ in single}
    assert len(single) > 20
    assert sum(2 ** -total(each) for _, each in single) + p[list(others)].sum() == pytest.approx(1)


def test_forms_that_the_tokenizer_makes_alike_tie_exactly(scorer: Scorer) -> None:
    """In lower case, without accents; and two words outside the vocabulary."""
    (cased, unknown) = scorer.score(
        [Query("Die", (" Schlüssel", " SCHLUSSEL"), " hier."), Query("The", (" 国", " 囯"), ".")]
    )
    assert cased.continuations[0].bits == cased.continuations[1].bits
    assert unknown.continuations[0].bits == unknown.continuations[1].bits
    assert [each.oov for each in unknown.continuations] == [(True,), (True,)]


def test_unknown_words_around_the_target_are_counted_on_both_sides(scorer: Scorer) -> None:
    (score,) = scorer.score([Query("The 国", (" is", " are"), " 囯 here.")])
    assert score.prefix_oov == 2


@pytest.mark.parametrize("kind", ["bert", "roberta", "xlm-roberta"])
def test_a_control_token_in_a_text_is_text(kind: str, folders: dict[str, Path]) -> None:
    """Else it would be read as what it controls: here a mask, which says nothing of the place."""
    model, cutter = load_model(f"masked:{folders[kind]}", **OPTIONS), cutter_of(folders[kind])
    n_notes = len(model.notes)
    written = f"The {cutter.mask_token} keys {cutter.eos_token}"
    found = answer(model.scorer, "", written)
    assert len(found.bits) > len(cutter(written, add_special_tokens=False)["input_ids"])
    assert found.spans[-1][1] == len(written)
    assert len(model.notes) == n_notes + 1


def test_specials_are_read_and_never_scored(scorer: Scorer) -> None:
    with reads() as found:
        bits = answer(scorer, "", "The keys are here.").bits
    ids = wordpiece()("The keys are here.")["input_ids"]
    assert {time for _, time in found} == {len(ids)}
    assert len(bits) == len(ids) - 2


def test_bytes_of_one_character_have_its_span(folders: dict[str, Path]) -> None:
    found = answer(load(folders["roberta"]), "The", " 国", " is")
    assert set(found.spans) == {(0, 1), (1, 2)}
    assert len(found.bits) == 4


def test_a_subword_across_the_border_counts_to_the_continuation(scorer: Scorer) -> None:
    found = answer(scorer, "The cab", "inet", "s are here")
    assert found.spans[0][0] < 0
    assert found.spans[-1][1] == len("inet")


def test_an_empty_continuation_is_no_surprise(scorer: Scorer) -> None:
    assert answer(scorer, "The cab", "", "inet") == Surprisals((), (), ())


def test_a_head_that_looks_at_all_places_is_given_them_all(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    head = transformers.models.bert.modeling_bert.BertOnlyMLMHead
    forward = head.forward
    monkeypatch.setattr(
        head, "forward", lambda self, hidden: forward(self, hidden - hidden[:, :1].detach())
    )
    wanted = plain_bits(plain_model(folders["bert"]), wordpiece(), WORDS, "original")
    found = answer(load(f"{folders['bert']}?pll=original"), "", "".join(WORDS))
    assert found.bits == pytest.approx(wanted, abs=NOISE)


def test_where_padding_changes_answers_rows_are_read_one_by_one(
    folders: dict[str, Path], scorer: Scorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = list(scorer.score(QUERIES))
    for model in (transformers.BertForMaskedLM, transformers.BertModel):
        forward = model.forward

        def careless(*args: Any, forward: Any = forward, **given: Any) -> Any:
            return forward(*args, **{**given, "attention_mask": None})

        monkeypatch.setattr(model, "forward", careless)
    careful = load(folders["bert"])
    with reads() as found:
        scores = list(careful.score(QUERIES))
    assert {rows for rows, _ in found} == {1}
    for one, other in zip(scores, wanted, strict=True):
        for left, right in zip(one.continuations, other.continuations, strict=True):
            assert_near(left, right, NOISE)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision_ends_in_a_float32_head(dtype: str, folders: dict[str, Path]) -> None:
    """So near decisions are no ties: a head of half precision gives logits in coarse steps."""
    half, usual = load(folders["roberta"], dtype=dtype), load(folders["roberta"])
    for one, other in zip(half.score(QUERIES), usual.score(QUERIES), strict=True):
        for left, right in zip(one.continuations, other.continuations, strict=True):
            assert total(left) == pytest.approx(total(right), rel=0.05, abs=0.5)
            assert left != right
    letters = [text for text in byte_pairs().get_vocab() if text.isascii() and text.isalpha()]
    (score,) = half.score([Query(".", tuple(letters), ".")])
    bits = [each.bits[0] for each in score.continuations if len(each.bits) == 1]
    assert len(set(bits)) == len(bits) > 40


@pytest.mark.parametrize(
    ("variant", "theirs"), [("original", "original"), ("word-l2r", "within_word_l2r")]
)
def test_agrees_with_minicons(variant: str, theirs: str, folders: dict[str, Path]) -> None:
    minicons: Any = pytest.importorskip("minicons.scorer")
    tokenizer = cutter_of(folders["bert"])
    tokenizer.batch_encode_plus = tokenizer.__call__  # minicons calls it by its older name
    model = plain_model(folders["bert"]).float()
    peer = minicons.MaskedLMScorer(model, "cpu", tokenizer=tokenizer)
    texts = ["The un-done keys aren't here, unbelievably.", "Die Schlüssel liegen hier."]
    wanted = peer.sequence_score(
        texts,
        reduction=lambda nats: nats.sum().item(),
        PLL_metric=theirs,  # 0.3.39 forgets here what its constructor was told
    )
    (score,) = load(f"{folders['bert']}?pll={variant}&words=tokenizer").score(
        [Query("", tuple(texts), "")]
    )
    found = [-total(each) * math.log(2) for each in score.continuations]
    assert found == pytest.approx(wanted, abs=1e-4)


def test_models_of_other_kinds_are_refused(tmp_path: Path) -> None:
    transformers.GPT2Config(n_embd=8).save_pretrained(tmp_path / "gpt2")
    transformers.BartConfig(d_model=8).save_pretrained(tmp_path / "bart")
    tokenizer = wordpiece()
    config = bert(len(tokenizer))
    config.is_decoder = True
    for folder in (
        tmp_path / "gpt2",
        tmp_path / "bart",
        masked_folder(tmp_path / "bert", config, tokenizer),  # it does not look ahead
    ):
        with mistake("unsupported", folder):
            load(folder)


def test_a_tokenizer_without_a_mask_is_refused(tmp_path: Path) -> None:
    tokenizer = wordpiece()
    tokenizer.mask_token = None
    with mistake("unsupported", tmp_path):
        load(masked_folder(tmp_path, bert(len(tokenizer)), tokenizer))


def test_a_slow_tokenizer_is_refused(tmp_path: Path) -> None:
    config = transformers.EsmConfig(vocab_size=9, **HEADS)
    folder = masked_folder(tmp_path, config, wordpiece())
    for path in folder.glob("tokenizer*"):
        path.unlink()
    (folder / "vocab.txt").write_text("<cls>\n<pad>\n<eos>\n<unk>\na\n<mask>\n", "utf-8")
    with mistake("unsupported", folder):
        load(folder)


def test_weights_that_a_checkpoint_lacks_are_never_drawn_at_random(tmp_path: Path) -> None:
    tokenizer = wordpiece()
    folder = masked_folder(tmp_path, bert(len(tokenizer)), tokenizer)
    change_weights(folder, cls__predictions__bias=None)
    with mistake("format", folder):
        load(folder)


@pytest.mark.parametrize(("kind", "n_read"), [("bert", 96), ("roberta", 96)])
def test_a_text_longer_than_the_model_reads_is_refused(
    kind: str, n_read: int, folders: dict[str, Path]
) -> None:
    """RoBERTa's 98 positions begin behind its padding id, 1."""
    scorer = load(folders[kind])
    fits, too_long = "key" + " key" * (n_read - 3), "key" + " key" * (n_read - 2)
    if kind == "roberta":
        fits, too_long = "." * (n_read - 2), "." * (n_read - 1)
    assert answer(scorer, "", fits).bits
    near, far = scorer.score([Query("The", (" key",)), Query("", (too_long,), "")])
    assert near.continuations[0].bits
    (refused,) = far.continuations
    assert (refused.bits, re.findall("[0-9]+", refused.refused)) == (
        (),
        [str(n_read + 1), str(n_read)],
    )


def test_a_continuation_that_leaves_no_subword_is_refused(scorer: Scorer) -> None:
    with mistake("unsupported", "query 'the key '"):
        answer(scorer, "the key", " ")


def test_a_tokenizer_of_more_ids_than_the_model_is_refused(tmp_path: Path) -> None:
    scorer = load(masked_folder(tmp_path, bert(10), wordpiece()))
    with mistake("conflict", "query 'The keys are'"):
        answer(scorer, "The keys", " are")


def test_a_model_that_answers_nan_is_an_error(scorer: Scorer) -> None:
    with mistake("unsupported", "query 'The keys are here'"), broken_layers():
        answer(scorer, "The keys", " are", " here")


@pytest.mark.parametrize(
    ("option", "value", "kind"),
    [("bos", "none", "value"), ("boundary", "eos", "unsupported"), ("dtype", "int8", "unknown")],
)
def test_options_it_cannot_obey_are_refused(
    option: str, value: str, kind: Any, folders: dict[str, Path]
) -> None:
    with mistake(kind, option):
        load(folders["bert"], **{option: value})


@pytest.mark.parametrize("option", ["pll=best", "eos=yes", "pll", ""])
def test_an_option_that_is_not_there_is_refused(option: str, folders: dict[str, Path]) -> None:
    spec = f"{folders['bert']}?{option}"
    with mistake("unknown", spec):
        load(spec)


def test_signature_and_name_tell_the_variant(folders: dict[str, Path]) -> None:
    folder = folders["bert"]
    usual, named, other = (
        load_model(f"masked:{folder}{option}", **OPTIONS)
        for option in ("", "?pll=word-l2r", "?pll=original")
    )
    assert usual.scorer.signature == named.scorer.signature != other.scorer.signature
    assert "|pll:word-l2r|specials:2+3|" in usual.scorer.signature
    assert (usual.name, other.name) == (
        f"{folder.name}?pll=word-l2r",
        f"{folder.name}?pll=original",
    )
    pairs = [pair.split(":", 1)[0] for pair in usual.scorer.signature.split("|")]
    assert pairs == [
        "model", "weights", "tokenizer", "pll", "specials", "device", "dtype", "attention",
        "torch", "transformers", "tokenizers", "colorless",
    ]  # fmt: skip
