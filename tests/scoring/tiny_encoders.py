"""Masked and sequence-to-sequence models with random weights, and tokenizers of every sort they
come with, trained on a few sentences."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import transformers
from tokenizers import (
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

from tests.scoring.tiny_models import byte_level, model_folder

TEXTS = (
    "The keys to the cabinet are here, unbelievably.",
    "The key to the cabinets is here, or there (perhaps).",
    "Die Schlüssel zum Schrank liegen hier.",
    "Ключи от шкафа лежат здесь. ספר זה כאן.",
)
WIDTH: dict[str, Any] = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
HEADS: dict[str, Any] = {**WIDTH, "intermediate_size": 24}

Build = Callable[[], Any]


def wordpiece() -> Any:
    """As BERT's uncased: in lower case, without accents, [CLS] … [SEP]. Its words are some of
    TEXTS; all others it spells in letters."""
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    known = "the key keys to cabinet is are here there die hier liegen un ##believ ##ably"
    letters = sorted(
        {each for text in TEXTS for each in text.lower() if not each.isspace()} | {"u"}
    )
    entries = [*names, *known.split(), *letters, *(f"##{each}" for each in letters)]
    vocabulary = {text: index for index, text in enumerate(entries)}
    made = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return _wrapped(made, names)


def byte_pairs(n_subwords: int = 320, *, trim_offsets: bool = True) -> Any:
    """As RoBERTa's and BART's: bytes, a blank at the start of a subword, <s> … </s>."""
    names = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    made = byte_level(TEXTS * 2, n_subwords, names)
    made.post_processor = processors.RobertaProcessing(
        ("</s>", 2), ("<s>", 0), trim_offsets=trim_offsets, add_prefix_space=False
    )
    return _wrapped(made, [names[1], names[3], names[0], names[2], names[4]])


def sentencepiece(front: str = "<s>", n_subwords: int = 150) -> Any:
    """As XLM-R's (`front` "<s>") and T5's (`front` ""): a unigram model over "▁", NFKC."""
    made = Tokenizer(models.Unigram())
    made.normalizer = normalizers.NFKC()
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    made.decoder = decoders.Metaspace()
    names = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trainer = trainers.UnigramTrainer(
        vocab_size=n_subwords, special_tokens=names, unk_token="<unk>", show_progress=False
    )
    made.train_from_iterator(TEXTS * 4, trainer)
    made.post_processor = processors.TemplateProcessing(
        single=f"{front} $A </s>".strip(), special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return _wrapped(made, [names[1], names[3], names[0], names[2], names[4]])


def _wrapped(made: Tokenizer, names: list[str]) -> Any:
    pad, unknown, start, end, mask = names
    wrap: Any = transformers.PreTrainedTokenizerFast
    return wrap(
        tokenizer_object=made,
        pad_token=pad,
        unk_token=unknown,
        cls_token=start,
        sep_token=end,
        bos_token=start,
        eos_token=end,
        mask_token=mask,
    )


def masked_folder(folder: Path, config: Any, tokenizer: Any, seed: int = 0) -> Path:
    """Return a masked model's folder."""
    return model_folder(folder, transformers.AutoModelForMaskedLM, config, tokenizer, seed)


def seq2seq_folder(folder: Path, config: Any, tokenizer: Any, seed: int = 0) -> Path:
    """Return a sequence-to-sequence model's folder."""
    return model_folder(folder, transformers.AutoModelForSeq2SeqLM, config, tokenizer, seed)


def bert(n_ids: int, n_positions: int = 96) -> Any:
    """Return a BERT of `n_ids` subwords."""
    return transformers.BertConfig(
        vocab_size=n_ids, max_position_embeddings=n_positions, pad_token_id=0, **HEADS
    )


def roberta(n_ids: int, n_positions: int = 98, kind: str = "RobertaConfig") -> Any:
    """Return a RoBERTa (or XLM-R): positions are counted from behind the padding id, 1."""
    return getattr(transformers, kind)(
        vocab_size=n_ids, max_position_embeddings=n_positions, pad_token_id=1, bos_token_id=0,
        eos_token_id=2, type_vocab_size=1, **HEADS,
    )  # fmt: skip


def t5(n_ids: int, kind: str = "T5Config", **changes: Any) -> Any:
    """Return a T5 (or mT5) whose decoder starts with the padding id, as theirs do."""
    return getattr(transformers, kind)(**{
        "vocab_size": n_ids, "d_model": 16, "d_kv": 8, "d_ff": 24, "num_layers": 2, "num_heads": 2,
        "decoder_start_token_id": 1, "pad_token_id": 1, "eos_token_id": 2, **changes,
    })  # fmt: skip


def bart(n_ids: int, n_positions: int = 48) -> Any:
    """Return a BART, whose decoder starts with </s>, and reads <s> next."""
    return transformers.BartConfig(
        vocab_size=n_ids, d_model=16, encoder_layers=2, decoder_layers=2, encoder_ffn_dim=24,
        decoder_ffn_dim=24, encoder_attention_heads=2, decoder_attention_heads=2,
        max_position_embeddings=n_positions, pad_token_id=1, bos_token_id=0, eos_token_id=2,
        decoder_start_token_id=2, forced_eos_token_id=2,
    )  # fmt: skip
