"""Masked models as scorers: against one row a call, the contract, and what they must refuse."""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.scoring import LoadOptions, Query, Surprisals, refusal
from colorless_green.scoring.backends.masked import HIDDEN, Masked, load, reader, word_starts
from colorless_green.scoring.pretrained import quiet
from colorless_green.scoring.reads import ONE_BY_ONE, Limits
from tests.scoring.contract import CLAIMS, OF_BYTES, OF_TEXT, Case, Claim, claim_name
from tests.scoring.tiny_encoders import (
    HEADS,
    bert,
    byte_pairs,
    masked_folder,
    roberta,
    sentencepiece,
    total,
    wordpiece,
)

OPTIONS = LoadOptions(device="cpu")
NOISE = 2e-5 / math.log(2)  # 2e-5 nats
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


@pytest.fixture(scope="module")
def scorer(folders: dict[str, Path]) -> Masked:
    return load(str(folders["bert"]), OPTIONS)


def plain_model(folder: Path) -> Any:
    """The model in float64, as transformers loads it."""
    auto: Any = transformers.AutoModelForMaskedLM
    with quiet():
        return auto.from_pretrained(folder).double().eval()


def plain_bits(model: Any, tokenizer: Any, words: Sequence[str], variant: str) -> list[float]:
    """−log2 p of each subword of a text that is given word by word, one row a call."""
    text, ends = "".join(words), [len("".join(words[: n + 1])) for n in range(len(words))]
    cut = tokenizer(text, return_offsets_mapping=True)
    special = tokenizer(text, return_special_tokens_mask=True)["special_tokens_mask"]
    places = [n for n, flag in enumerate(special) if not flag]
    following = [n + (text[n] == " ") for n, _ in cut["offset_mapping"][places[0] : places[-1] + 1]]
    own = [next(n for n, end in enumerate(ends) if at < end) for at in following]
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


@pytest.mark.parametrize("kind", ["bert", "roberta", "xlm-roberta"])
@pytest.mark.parametrize("claim", CLAIMS, ids=claim_name)
def test_keeps_the_contract(
    claim: Claim, kind: str, folders: dict[str, Path], tmp_path: Path
) -> None:
    config, cutter = KINDS[kind]
    tokenizer = cutter()
    other = masked_folder(tmp_path, config(len(tokenizer)), tokenizer, seed=1)
    claim(
        Case(
            load=lambda: load(str(folders[kind]), OPTIONS),
            other=lambda: load(str(other), OPTIONS),
            queries=QUERIES,
            unknown=None if kind == "roberta" else " 国",
            noise_bits=NOISE,
            why_not=OF_BYTES if kind == "roberta" else OF_TEXT,
        )
    )


@pytest.mark.parametrize("variant", HIDDEN)
@pytest.mark.parametrize("kind", KINDS)
def test_every_variant_agrees_with_one_row_a_call(
    kind: str, variant: str, folders: dict[str, Path]
) -> None:
    scorer = load(f"{folders[kind]}?pll={variant}", OPTIONS)
    (score,) = scorer.score([Query("", ("".join(WORDS),), "")])
    wanted = plain_bits(plain_model(folders[kind]), scorer.tokenizer, WORDS, variant)
    assert score.continuations[0].bits == pytest.approx(wanted, abs=NOISE)
    assert scorer.reader.body is not None


@pytest.mark.parametrize("variant", HIDDEN)
def test_a_target_has_its_share_of_the_whole_text(variant: str, folders: dict[str, Path]) -> None:
    """Prefix and suffix are seen, not scored; only what is masked differs by variant."""
    scorer = load(f"{folders['roberta']}?pll={variant}", OPTIONS)
    whole, part = scorer.score(
        [
            Query("", ("".join(WORDS),), ""),
            Query("".join(WORDS[:3]), ("".join(WORDS[3:6]),), "".join(WORDS[6:])),
        ]
    )
    start = len("".join(WORDS[:3]))
    spans = [span[0] - start for span in whole.continuations[0].spans]
    first = spans.index(0)
    n = len(part.continuations[0].bits)
    assert n == len(scorer.tokenizer("".join(WORDS[3:6]), add_special_tokens=False)["input_ids"])
    assert part.continuations[0].bits == pytest.approx(
        whole.continuations[0].bits[first : first + n], abs=NOISE
    )


@contextmanager
def rows_read(scorer: Masked) -> Iterator[list[int]]:
    """How many rows each call of the model has."""
    found: list[int] = []

    def count(_module: Any, _args: Any, inputs: Any) -> None:
        found.append(len(inputs["input_ids"]))

    hook = scorer.reader.model.register_forward_pre_hook(count, with_kwargs=True)
    yield found
    hook.remove()


def test_a_pair_of_one_subword_each_is_one_row(scorer: Masked) -> None:
    with rows_read(scorer) as found:
        (score,) = scorer.score([Query("The keys to the cabinet", (" is", " are"), " here.")])
    assert [len(answer.bits) for answer in score.continuations] == [1, 1]
    assert found == [1]


def test_a_target_of_several_subwords_is_a_chain(folders: dict[str, Path]) -> None:
    """One row a subword by word-l2r, whose first one is the only one of whole-word."""
    asked = Query("The keys", (" unbelievably",), " here.")
    found = {}
    for variant in HIDDEN:
        scorer = load(f"{folders['bert']}?pll={variant}", OPTIONS)
        with rows_read(scorer) as rows:
            (score,) = scorer.score([asked])
        found[variant] = score.continuations[0].bits
        n = len(found[variant])
        assert n > 2
        assert sum(rows) == (1 if variant == "whole-word" else n)
    assert found["word-l2r"][0] == pytest.approx(found["whole-word"][0], abs=NOISE)
    assert found["word-l2r"][-1] == pytest.approx(found["original"][-1], abs=NOISE)
    assert found["word-l2r"][0] != pytest.approx(found["original"][0], abs=NOISE)


@settings(max_examples=10)
@given(st.integers(1, 200), st.integers(1, 9), st.permutations(QUERIES))
def test_neither_order_nor_batches_change_a_number(
    scorer: Masked, n_ids: int, n_places: int, asked: list[Query]
) -> None:
    limits = Limits(n_ids, n_places)
    small = replace(scorer, reader=replace(scorer.reader, limits=limits))
    usual = dict(zip(QUERIES, scorer.score(QUERIES), strict=True))
    for query, score in zip(asked, small.score(asked), strict=True):
        for one, other in zip(score.continuations, usual[query].continuations, strict=True):
            assert (one.spans, one.oov) == (other.spans, other.oov)
            assert one.bits == pytest.approx(other.bits, abs=NOISE)


def test_what_follows_changes_the_number_and_none_is_the_end_of_the_text(scorer: Masked) -> None:
    here, there, end, none = scorer.score(
        Query("The keys", (" are",), suffix) for suffix in (" here.", " there.", "", None)
    )
    assert end == none
    assert len({total(score.continuations[0]) for score in (here, there, end)}) == 3


def test_probabilities_of_all_words_in_one_place_sum_to_their_share(
    scorer: Masked, folders: dict[str, Path]
) -> None:
    """With the plain model's own mass of the other ids they make one."""
    entries = dict(scorer.tokenizer.get_vocab())
    whole = [text for text in entries if text.isalpha() and text.isascii()]
    asked = Query("The keys", tuple(f" {text}" for text in whole), " here.")
    (score,) = scorer.score([asked])
    single = [(text, each) for text, each in zip(whole, score.continuations, strict=True)
              if len(each.bits) == 1]  # fmt: skip
    ids = scorer.tokenizer(f"The keys {scorer.tokenizer.mask_token} here.", return_tensors="pt")
    place = ids["input_ids"][0].tolist().index(scorer.mask)
    with torch.inference_mode():
        p = plain_model(folders["bert"])(**ids).logits[0, place].softmax(-1)
    others = set(range(len(p))) - {entries[text] for text, _ in single}
    assert len(single) > 20
    assert sum(2 ** -total(each) for _, each in single) + p[list(others)].sum() == pytest.approx(1)


def test_forms_that_the_tokenizer_makes_alike_tie_exactly(scorer: Masked) -> None:
    """In lower case, without accents; and two words outside the vocabulary."""
    (cased, unknown) = scorer.score(
        [Query("Die", (" Schlüssel", " SCHLUSSEL"), " hier."), Query("The", (" 国", " 囯"), ".")]
    )
    assert cased.continuations[0].bits == cased.continuations[1].bits
    assert unknown.continuations[0].bits == unknown.continuations[1].bits
    assert [answer.oov for answer in unknown.continuations] == [(True,), (True,)]


def test_unknown_words_around_the_target_are_counted_on_both_sides(scorer: Masked) -> None:
    (score,) = scorer.score([Query("The 国", (" is", " are"), " 囯 here.")])
    assert score.prefix_oov == 2


def test_specials_are_read_and_never_scored(scorer: Masked) -> None:
    (score,) = scorer.score([Query("", ("The keys are here.",), "")])
    ids = scorer.tokenizer("The keys are here.")["input_ids"]
    assert scorer.around == ((ids[0],), (ids[-1],))
    assert len(score.continuations[0].bits) == len(ids) - 2


def test_bytes_of_one_character_have_its_span(folders: dict[str, Path]) -> None:
    (score,) = load(str(folders["roberta"]), OPTIONS).score([Query("The", (" 国",), " is")])
    assert set(score.continuations[0].spans) == {(0, 1), (1, 2)}
    assert len(score.continuations[0].bits) == 4


def test_a_subword_across_the_border_counts_to_the_continuation(scorer: Masked) -> None:
    (score,) = scorer.score([Query("The cab", ("inet",), "s are here")])
    ((start, *_), *_) = score.continuations[0].spans
    assert start < 0
    assert score.continuations[0].spans[-1][1] == len("inet")


def test_an_empty_continuation_is_no_surprise(scorer: Masked) -> None:
    (score,) = scorer.score([Query("The cab", ("",), "inet")])
    assert score.continuations == (Surprisals((), (), ()),)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        (" are", ["are"]),
        ("The keys are here.", ["The", "keys", "are", "here", "."]),
        ("(un-done) aren't «so»…", ["(", "un-done", ")", "aren't", "«", "so", "»", "…"]),
        (" ?! 100% a", ["?", "!", "100", "%", "a"]),
        ("国语好。", ["国语好", "。"]),
    ],
)
def test_words_are_between_blanks_less_the_punctuation_at_their_ends(
    text: str, words: list[str]
) -> None:
    starts = [*word_starts(text), len(text)]
    found = [text[start:end].strip() for start, end in pairwise(starts)]
    assert found == words


def test_without_a_head_of_its_own_the_whole_is_computed(folders: dict[str, Path]) -> None:
    """A head that looks at all places at once cannot be given some of them."""

    class Centred(torch.nn.Module):
        def __init__(self, head: Any) -> None:
            super().__init__()
            self.head = head

        def forward(self, hidden: torch.Tensor) -> torch.Tensor:
            logits: torch.Tensor = self.head(hidden)
            return logits - logits[:, :1]

    model = plain_model(folders["bert"]).float()
    model.cls = Centred(model.cls)
    assert reader(model, torch.device("cpu"), "here").body is None


def test_where_padding_changes_answers_rows_are_read_one_by_one(folders: dict[str, Path]) -> None:
    model = plain_model(folders["bert"]).float()
    forward = model.forward
    model.forward = lambda input_ids, attention_mask: forward(input_ids=input_ids)
    found = reader(model, torch.device("cpu"), "here")
    assert found.limits == ONE_BY_ONE
    careful = replace(load(str(folders["bert"]), OPTIONS), reader=found)
    usual = load(str(folders["bert"]), OPTIONS)
    for one, other in zip(careful.score(QUERIES), usual.score(QUERIES), strict=True):
        for left, right in zip(one.continuations, other.continuations, strict=True):
            assert left.bits == pytest.approx(right.bits, abs=NOISE)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision_ends_in_a_float32_head(dtype: str, folders: dict[str, Path]) -> None:
    half = load(str(folders["roberta"]), replace(OPTIONS, dtype=dtype))
    usual = load(str(folders["roberta"]), OPTIONS)
    assert half.reader.model.get_output_embeddings().weight.dtype == torch.float32
    assert half.reader.body is not None
    for one, other in zip(half.score(QUERIES), usual.score(QUERIES), strict=True):
        for left, right in zip(one.continuations, other.continuations, strict=True):
            assert total(left) == pytest.approx(total(right), rel=0.05, abs=0.5)
            assert left != right


@pytest.mark.parametrize(
    ("variant", "theirs"), [("original", "original"), ("word-l2r", "within_word_l2r")]
)
def test_agrees_with_minicons(variant: str, theirs: str, folders: dict[str, Path]) -> None:
    minicons: Any = pytest.importorskip("minicons.scorer")
    scorer = load(f"{folders['bert']}?pll={variant}", OPTIONS)
    tokenizer = copy(scorer.tokenizer)
    tokenizer.batch_encode_plus = tokenizer.__call__  # minicons calls it by its older name
    peer = minicons.MaskedLMScorer(scorer.reader.model, "cpu", tokenizer=tokenizer)
    texts = ["The keys to the cabinet are here, unbelievably.", "Die Schlüssel liegen hier."]
    wanted = peer.sequence_score(
        texts,
        reduction=lambda nats: nats.sum().item(),
        PLL_metric=theirs,  # 0.3.39 forgets here what its constructor was told
    )
    (score,) = scorer.score([Query("", tuple(texts), "")])
    found = [-total(answer) * math.log(2) for answer in score.continuations]
    assert found == pytest.approx(wanted, abs=1e-4)


def refused(spec: object, options: LoadOptions = OPTIONS) -> str:
    with pytest.raises(InputError) as error:
        load(str(spec), options)
    return str(error.value)


def test_a_causal_model_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "gpt2"
    transformers.GPT2Config(n_embd=8).save_pretrained(folder)
    assert refused(folder) == (
        f"{folder}: a model of type 'gpt2' is no masked model; causal:{folder}"
    )
    tokenizer = wordpiece()
    config = bert(len(tokenizer))
    config.is_decoder = True
    folder = masked_folder(tmp_path / "bert", config, tokenizer)
    assert refused(folder) == (
        f"{folder}: the model does not look ahead: later ids leave earlier answers as they are; "
        f"causal:{folder}"
    )


def test_a_sequence_to_sequence_model_is_refused(tmp_path: Path) -> None:
    transformers.BartConfig(d_model=8).save_pretrained(tmp_path)
    assert refused(tmp_path) == (
        f"{tmp_path}: a model of type 'bart' is no masked model; seq2seq:{tmp_path}"
    )


def test_a_tokenizer_without_a_mask_is_refused(tmp_path: Path) -> None:
    tokenizer = wordpiece()
    tokenizer.mask_token = None
    folder = masked_folder(tmp_path, bert(len(tokenizer)), tokenizer)
    assert refused(folder) == (f"{folder}: its tokenizer has no mask token; that of a masked model")


def test_a_slow_tokenizer_is_refused(tmp_path: Path) -> None:
    config = transformers.EsmConfig(vocab_size=9, **HEADS)
    folder = masked_folder(tmp_path, config, wordpiece())
    for path in folder.glob("tokenizer*"):
        path.unlink()
    (folder / "vocab.txt").write_text("<cls>\n<pad>\n<eos>\n<unk>\na\n<mask>\n", "utf-8")
    assert refused(folder) == (
        f"{folder}: EsmTokenizer is a slow tokenizer, without character offsets; "
        "a model with a tokenizer.json"
    )


def test_weights_that_a_checkpoint_lacks_are_never_drawn_at_random(tmp_path: Path) -> None:
    tokenizer = wordpiece()
    config = bert(len(tokenizer))
    auto: Any = transformers.AutoModel
    with quiet():
        auto.from_config(config).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    assert refused(tmp_path) == (
        f"{tmp_path}: the weights lack cls.predictions.bias; those of a masked model"
    )


@pytest.mark.parametrize(("kind", "n_read"), [("bert", 96), ("roberta", 96)])
def test_a_text_longer_than_the_model_reads_is_refused(
    kind: str, n_read: int, folders: dict[str, Path]
) -> None:
    """RoBERTa's 98 positions begin behind its padding id, 1."""
    scorer = load(str(folders[kind]), OPTIONS)
    fits, too_long = "key" + " key" * (n_read - 3), "key" + " key" * (n_read - 2)
    if kind == "roberta":
        fits, too_long = "." * (n_read - 2), "." * (n_read - 1)
    list(scorer.score([Query("", (fits,), "")]))
    near, far = scorer.score([Query("The", (" key",)), Query("", (too_long,), "")])
    assert near.continuations[0].bits
    why = f"{n_read + 1} subwords to read, where the model reads {n_read} at most"
    assert far.continuations == (refusal(why),)


def test_a_continuation_that_leaves_no_subword_is_refused(scorer: Masked) -> None:
    with pytest.raises(InputError) as error:
        list(scorer.score([Query("the key", (" ",), "")]))
    assert str(error.value) == (
        "query 'the key ': the tokenizer makes no subword of the continuation ' '; "
        "characters that it knows"
    )


def test_a_tokenizer_of_more_ids_than_the_model_is_refused(tmp_path: Path) -> None:
    folder = masked_folder(tmp_path, bert(10), wordpiece())
    with pytest.raises(InputError) as error:
        list(load(str(folder), OPTIONS).score([Query("The keys", (" are",))]))
    highest = max(wordpiece()("The keys are")["input_ids"])
    assert str(error.value) == (
        f"query 'The keys are': the tokenizer's id {highest} is not among the model's 10; "
        "model and tokenizer that belong together"
    )


def test_a_model_that_answers_nan_is_an_error(folders: dict[str, Path]) -> None:
    sick = load(str(folders["bert"]), OPTIONS)
    with torch.no_grad():
        sick.reader.model.cls.predictions.bias[3] = torch.nan
    with pytest.raises(InputError) as error:
        list(sick.score([Query("The keys", (" are",), " here")]))
    assert str(error.value) == "query 'The keys are here': the model answers NaN; --dtype float32"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"bos": "none"},
            "--bos: 'none' for a masked model, which reads its own specials around every text; "
            "auto or always",
        ),
        ({"boundary": "eos"}, "--boundary: 'eos' for a masked model, which has none; none"),
        ({"dtype": "int8"}, "--dtype: no such type 'int8'; one of float32, bfloat16, float16"),
    ],
)
def test_options_it_cannot_obey_are_refused(
    changes: dict[str, Any], message: str, folders: dict[str, Path]
) -> None:
    assert refused(folders["bert"], replace(OPTIONS, **changes)) == message


@pytest.mark.parametrize("option", ["pll=best", "eos=yes", "pll", ""])
def test_an_option_that_is_not_there_is_refused(option: str, folders: dict[str, Path]) -> None:
    spec = f"{folders['bert']}?{option}"
    assert refused(spec) == (
        f"{spec}: no such option {option!r}; one of pll=word-l2r, pll=original, pll=whole-word"
    )


def test_signature_and_name_tell_the_variant(folders: dict[str, Path]) -> None:
    folder = folders["bert"]
    usual, named, other = (
        load(f"{folder}{option}", OPTIONS) for option in ("", "?pll=word-l2r", "?pll=original")
    )
    assert usual.signature == named.signature != other.signature
    assert "|pll:word-l2r|specials:2+3|" in usual.signature
    assert (usual.name, other.name) == (
        f"{folder.name}?pll=word-l2r",
        f"{folder.name}?pll=original",
    )
    pairs = [pair.split(":", 1)[0] for pair in usual.signature.split("|")]
    assert pairs == [
        "model", "weights", "tokenizer", "pll", "specials", "device", "dtype", "attention",
        "torch", "transformers", "tokenizers", "colorless",
    ]  # fmt: skip
