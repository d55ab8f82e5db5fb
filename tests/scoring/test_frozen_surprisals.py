"""What a tiny model of every kind answers, digit by digit: no change of the code may move it.

The weights are drawn by NumPy's PCG64 bit stream, and every vocabulary is written out here, so that
the models are the same whatever version of torch or tokenizers there is. Written anew by
`pytest --update-golden`, which is for new kinds and new questions only.
"""

import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from colorless_green import convert, load_model
from colorless_green.scoring import Line, Query, Stretch, TrainingText, train_one
from tests.conftest import Golden
from tests.scoring.checkpoints import WORDS, checkpoint, vocabulary

TABLE = Path(__file__).parent / "frozen_surprisals.tsv"
QUERIES = (  # prefix, continuation, suffix; words where the model reads words
    ("the keys", " are", " here ."),
    ("the keys", " is", " here ."),
    ("the key to the keys", " is here", " ."),
    ("the key to the keys", " are here", " ."),
    ("the keys to the cabinet", " are", ""),
    ("", "the key", " is here ."),
    ("", "unbelievably", ""),
    ("the unbelievable key", " is", " here ."),
    ("the key to", " unbelievable cabinets", " is here ."),
    ("the ключ", " is", ""),
    ("the key", " ключ is", " here ."),
    ("the cabinet is here", " .", ""),
)
LETTERS = "abcdefghijklmnopqrstuvwxyz."
MERGES = "t h|th e|k e|ke y|i s|a r|ar e|h e|he r|her e|Ġ the|Ġ key|Ġ t|Ġt o|Ġ is|Ġ are|Ġ here|u n"
ARPA = """\\data\\
ngram 1=9
ngram 2=6
ngram 3=2

\\1-grams:
-99\t<s>\t-0.5
-1.25\t</s>
-1.5\t<unk>\t-0.125
-0.75\tthe\t-0.375
-1.0\tkey\t-0.25
-1.125\tkeys\t-0.25
-0.875\tis\t-0.0625
-1.375\tare\t-0.75
-1.625\there\t-0.1875

\\2-grams:
-0.25\t<s> the\t-0.125
-0.625\tthe key\t-0.3125
-0.6875\tthe keys\t-0.5
-0.4375\tkey is\t-0.25
-0.5625\tkeys are\t-0.125
-0.1875\tare here\t-0.0625

\\3-grams:
-0.3125\t<s> the keys
-0.09375\tthe keys are

\\end\\
"""
SENTENCES = ("the keys are here .", "the key is here .", "the cabinet is here .", "key to the key")
SIZE: dict[str, Any] = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}


def drawn(module: Any, width: float) -> None:
    """Weights evenly from -width to width; vectors narrower, scales of norms around 1."""
    with torch.no_grad():
        for name, value in module.named_parameters():
            raw = np.random.PCG64(zlib.crc32(name.encode())).random_raw(value.numel())
            even = (raw >> np.uint64(11)) * 2.0**-52 - 1.0
            scale = any(part in name.lower() for part in ("norm", "ln_")) and "bias" not in name
            found = even * width + 0.0 if value.dim() > 1 else 0.2 * even + float(scale)
            value.copy_(torch.tensor(found.reshape(value.shape), dtype=torch.float32))


def wrapped(made: Tokenizer, start: str, end: str) -> Any:
    wrap: Any = transformers.PreTrainedTokenizerFast
    return wrap(
        tokenizer_object=made, unk_token="<unk>", pad_token="<pad>", mask_token="<mask>",
        bos_token=start, cls_token=start, eos_token=end, sep_token=end,
    )  # fmt: skip


def pair_tokenizer() -> Any:
    """Byte pairs over the letters of English only, so that other letters are unknown."""
    pairs = [(pair.split(" ")[0], pair.split(" ")[1]) for pair in MERGES.split("|")]
    entries = ["<unk>", "<pad>", "<mask>", "<s>", "Ġ", *LETTERS, *map("".join, pairs)]
    made = Tokenizer(
        models.BPE({text: n for n, text in enumerate(entries)}, pairs, unk_token="<unk>")
    )
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    return wrapped(made, "<s>", "<s>")


def piece_tokenizer() -> Any:
    """Word pieces, [CLS] … [SEP]."""
    words = "the key keys to cabinet is are here un ##believ ##able ##ably ##s ."
    entries = ["<pad>", "<unk>", "<cls>", "<sep>", "<mask>", *words.split(" ")]
    made = Tokenizer(models.WordPiece({t: n for n, t in enumerate(entries)}, unk_token="<unk>"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.BertProcessing(("<sep>", 3), ("<cls>", 2))
    return wrapped(made, "<cls>", "<sep>")


def unigram_tokenizer() -> Any:
    """Pieces of SentencePiece, as T5 has them."""
    known = ["▁the", "▁key", "▁to", "▁is", "▁are", "▁here", "▁cabinet", "able", "▁un", "▁", "s"]
    pieces = [(name, 0.0) for name in ("<pad>", "</s>", "<unk>", "<mask>")]
    pieces += [(text, -1.0 - n / 8) for n, text in enumerate(known)]
    pieces += [(letter, -8.0 - n / 8) for n, letter in enumerate(LETTERS) if letter != "s"]
    made = Tokenizer(models.Unigram(pieces, 2, byte_fallback=False))
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    made.decoder = decoders.Metaspace()
    made.post_processor = processors.TemplateProcessing("$A </s>", special_tokens=[("</s>", 1)])
    return wrapped(made, "</s>", "</s>")


def transformer(folder: Path, auto: Any, tokenizer: Any, make: Callable[..., Any]) -> str:
    model = auto.from_config(make(vocab_size=len(tokenizer)))
    drawn(model, 0.7)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


def causal(folder: Path) -> str:
    return "causal:" + transformer(
        folder,
        transformers.AutoModelForCausalLM,
        pair_tokenizer(),
        lambda **given: transformers.GPT2Config(
            n_positions=64, n_embd=16, n_layer=2, n_head=2, bos_token_id=3, eos_token_id=3, **given
        ),
    )


def masked(folder: Path) -> str:
    return "masked:" + transformer(
        folder,
        transformers.AutoModelForMaskedLM,
        piece_tokenizer(),
        lambda **given: transformers.BertConfig(
            max_position_embeddings=64, intermediate_size=24, pad_token_id=0, **SIZE, **given
        ),
    )


def seq2seq(folder: Path) -> str:
    t5: Any = transformers.T5Config
    return "seq2seq:" + transformer(
        folder,
        transformers.AutoModelForSeq2SeqLM,
        unigram_tokenizer(),
        lambda **given: t5(
            d_model=16, d_kv=8, d_ff=24, num_layers=2, num_heads=2, decoder_start_token_id=0,
            pad_token_id=0, eos_token_id=1, **given,
        ),
    )  # fmt: skip


def recurrent(kind: str) -> Callable[[Path], str]:
    def made(folder: Path) -> str:
        folder.mkdir()
        words = vocabulary(folder / "vocab.txt")
        checkpoint(folder / "model.pt", kind, fill=lambda model: drawn(model, 2.0))
        convert(folder / "model.pt", vocabulary=words, out=folder / "model")
        return f"recurrent:{folder / 'model'}"

    return made


def ngram(folder: Path) -> str:
    folder.mkdir()
    (folder / "model.arpa").write_text(ARPA, "utf-8")
    return f"ngram:{folder / 'model.arpa'}"


def unigram(folder: Path) -> str:
    lines = tuple(Line(tuple(each.split()), each) for each in SENTENCES)
    return f"unigram:{train_one('unigram', TrainingText(lines, lines[:1]), folder).path}"


def uniform(folder: Path) -> str:
    folder.mkdir()
    (folder / "words.txt").write_text("\n".join(WORDS), "utf-8")
    return f"uniform:{folder / 'words.txt'}"


KINDS: dict[str, Callable[[Path], str]] = {
    "causal": causal,
    "masked": masked,
    "seq2seq": seq2seq,
    "lstm": recurrent("LSTM"),
    "gru": recurrent("GRU"),
    "srnn": recurrent("RNN_TANH"),
    "ngram": ngram,
    "unigram": unigram,
    "uniform": uniform,
}
EXACT = ("ngram", "unigram", "uniform")  # whose numbers no batch and no library moves
FEWER = {"unigram": 7, "uniform": 3}  # questions: no context means anything to them


def rows(folder: Path) -> Iterator[dict[str, object]]:
    """Yield what every kind answers to QUERIES; a sequence-to-sequence model needs a prefix."""
    for kind, made in KINDS.items():
        scorer = load_model(made(folder / kind), device="cpu").scorer
        asked = [each for each in QUERIES if each[0] or kind != "seq2seq"][: FEWER.get(kind)]

        def stretch(text: str, unit: str = scorer.unit) -> Stretch:
            return tuple(text.split()) if unit == "words" else text

        queries = [
            Query(stretch(prefix), (stretch(continuation),), stretch(suffix))
            for prefix, continuation, suffix in asked
        ]
        for (prefix, continuation, suffix), score in zip(asked, scorer.score(queries), strict=True):
            (answer,) = score.continuations
            exact = kind in EXACT
            bits = [round(each, 12 if exact else 6) for each in answer.bits]
            yield {
                "model": kind,
                "prefix": prefix.strip(),
                "continuation": continuation.strip(),
                "suffix": suffix.strip(),
                "n_subwords": len(answer.bits),
                "spans": [f"{start}:{end}" for start, end in answer.spans],
                "oov": [int(each) for each in answer.oov],
                "prefix_oov": score.prefix_oov,
                "bits": [] if exact else bits,
                "exact_bits": bits if exact else [],
            }


@pytest.mark.slow
def test_every_kind_of_model_answers_as_ever(tmp_path: Path, golden: Golden) -> None:
    golden(TABLE, list(rows(tmp_path)), {"bits": 1e-4, "exact_bits": 1e-9})
