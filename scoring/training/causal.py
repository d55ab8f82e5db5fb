"""Training a small GPT-2 from scratch, with a byte-level BPE of its own, on raw text.

Every sentence is a sequence of its own, `<|endoftext|>` text `<|endoftext|>`, just as the scorer
reads it. Sentences of nearly the same length form a batch, so that there is hardly any padding, and
no mask is needed to separate sentences. The resulting folder can be loaded by transformers alone:
`model.safetensors`, `config.json`, `tokenizer.json`.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers
import torch
import transformers
from tokenizers import decoders, models, pre_tokenizers, trainers

from ..models.backends.causal import Causal, assemble
from ..models.hf import SEPARATOR
from ..models.origin import quiet
from ..models.selftest import tested_reader
from ..models.training_text import Line, TrainingText
from . import _loop as loop
from ._batches import Batch, SentenceArray, batches_by_length, random_batches
from .sizes import TransformerSize

FILES = (
    "config.json",
    "generation_config.json",
    "model.safetensors",
    "tokenizer.json",
    "tokenizer_config.json",
)
WEIGHT_DECAY, BETAS = 0.01, (0.9, 0.98)  # of AdamW; for short trainings a shorter memory
N_AT_ONCE = 10_000  # sentences given to the tokenizer at once


def build(
    text: TrainingText, folder: Path, size: TransformerSize, device: torch.device, seed: int
) -> loop.TrainingTask:
    """Return the task of training a new GPT-2 of `size` on a text, with a tokenizer trained on
    it."""
    limit = size.n_positions
    tokenizer = byte_pairs([line.text for line in text.train], size.n_subwords)
    learned, held_out = encode(text.train, tokenizer), encode(text.held_out, tokenizer)
    lengths, held_out_lengths = learned.lengths(limit), held_out.lengths(limit)
    held_out_order = batches_by_length(held_out_lengths, range(len(held_out_lengths)), size.n_rows)
    config = transformers.GPT2Config(
        vocab_size=len(tokenizer), n_positions=limit, n_embd=size.width, n_layer=size.n_layers,
        n_head=size.n_heads, resid_pdrop=size.dropout, embd_pdrop=size.dropout,
        attn_pdrop=size.dropout, bos_token_id=0, eos_token_id=0,
        activation_function="gelu_pytorch_tanh",  # GPT-2's own function, as one kernel
    )  # fmt: skip
    model: Any = transformers.GPT2LMHeadModel(config)
    model.to(device)

    def logits(batch: Batch) -> torch.Tensor:
        """Return the logits of a batch's targets."""
        hidden = model.transformer(input_ids=batch.ids, use_cache=False).last_hidden_state
        scores: torch.Tensor = model.lm_head(hidden.flatten(0, 1)[batch.rows])
        return scores

    def scorer() -> Causal:
        """Return a new scorer of the model, since its self-test depends on the present weights."""
        reader = tested_reader(model.eval(), device, str(folder))
        return assemble(reader, tokenizer, lead=(tokenizer.bos_token_id,), signature="")

    def write() -> Sequence[str]:
        """Write model and tokenizer to the folder, and return the names of the files."""
        with quiet():
            model.save_pretrained(folder)
            tokenizer.save_pretrained(folder)
        return FILES

    n_cut = int((learned.starts.diff() > limit).sum())  # sentences with more ids to predict
    warnings = [f"sentences cut after {limit} subwords: {n_cut}"] if n_cut else []
    return loop.TrainingTask(
        model,
        loop.Optimiser(model, "adam", BETAS, WEIGHT_DECAY),
        lambda epoch: learned.batches(
            random_batches(lengths, size.n_rows, seed, epoch), limit, device, time_first=False
        ),
        lambda: held_out.batches(held_out_order, limit, device, time_first=False),
        logits,
        scorer,
        write=write,
        card={"vocabulary_size": len(tokenizer), "warnings": warnings},
        vocabulary=None,
    )


train = partial(loop.train, "causal", build)
"""A GPT-2, trained as `_loop.train` says. Its perplexity is per word and sentence end. Sentences
longer than it can read are cut."""


def byte_pairs(texts: Sequence[str], n_subwords: int) -> Any:
    """Train a byte-level BPE tokenizer of at most `n_subwords` subwords on some texts.

    They are the document separator, the 256 bytes, and merges of pairs seen at least twice. As in
    GPT-2 a blank belongs to the word after it, and no merge crosses from one word to the next. No
    text is unknown to it.
    """
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=n_subwords,
        min_frequency=2,
        special_tokens=[SEPARATOR],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer, len(texts))
    tokenizer_class: Any = transformers.PreTrainedTokenizerFast  # untyped
    return tokenizer_class(tokenizer_object=tokenizer, bos_token=SEPARATOR, eos_token=SEPARATOR)


def encode(lines: Iterable[Line], tokenizer: Any) -> SentenceArray:
    """Tokenise sentences, and return their subword ids as one array with separators."""
    texts = [line.text for line in lines]
    encode_batch = tokenizer.backend_tokenizer.encode_batch
    ids = [
        np.array(encoding.ids, dtype=np.int32)
        for start in range(0, len(texts), N_AT_ONCE)
        for encoding in encode_batch(texts[start : start + N_AT_ONCE], add_special_tokens=False)
    ]
    lengths = np.fromiter(map(len, ids), np.int64, len(ids))
    all_ids = np.concatenate([np.empty(0, np.int32), *ids])  # also if there are no sentences
    return SentenceArray.from_ids(all_ids, lengths, tokenizer.eos_token_id)
