"""Training a small GPT-2 from scratch, with a byte-level BPE of its own, on raw text.

Every sentence is a sequence of its own, `<|endoftext|>` text `<|endoftext|>`, just how the scorer
asks. The folder is one that transformers loads by itself: `model.safetensors`, `config.json`,
`tokenizer.json`.
"""

import math
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, TypeAlias

import tokenizers
import torch
import transformers
from tokenizers import decoders, models, pre_tokenizers, trainers
from torch.nn.functional import cross_entropy

from colorless_green.data.progress import Progress, silent
from colorless_green.scoring.backends.causal import Causal, assemble
from colorless_green.scoring.columns import Questions
from colorless_green.scoring.device import choose, full_precision
from colorless_green.scoring.hf import SEPARATOR, quiet
from colorless_green.scoring.training.causal_size import Setting, setting
from colorless_green.scoring.training.curve import CURVE, Quiz, watching
from colorless_green.scoring.training.folder import ModelFolder, finish_model
from colorless_green.scoring.training.loop import (
    CHECKPOINT,
    EVALUATED,
    IGNORED,
    Task,
    by_length,
    check_mixed,
    finished_model,
    fit,
    identity,
    measures,
    products,
    repeatable,
    seeded,
    threads,
)
from colorless_green.scoring.training.request import Request
from colorless_green.scoring.training.sizes import TransformerSize
from colorless_green.scoring.training.text import Line, TrainingText
from colorless_green.scoring.words import SHORT

FILES = (
    "config.json",
    "generation_config.json",
    "model.safetensors",
    "tokenizer.json",
    "tokenizer_config.json",
)
KIND = "causal"
DEFAULT = Request()
DECAY, BETAS = 0.01, (0.9, 0.98)  # AdamW's; a shorter memory than usual, for short trainings


Sentences: TypeAlias = Sequence[Sequence[int]]
"""Ids, each sentence with a separator at both ends."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Ids and the ids that follow them, both `(batch, time)`."""

    ids: torch.Tensor
    targets: torch.Tensor  # IGNORED behind a row's end


def train(
    text: TrainingText,
    folder: Path,
    request: Request = DEFAULT,
    *,
    seed: int = 0,
    device: str = "auto",
    resume: bool = False,
    quiz: Quiz | None = None,
    progress: Progress = silent,
    clock: Callable[[], float] = monotonic,
) -> ModelFolder:
    """A GPT-2 trained on `text.train`, in `folder`; the weights of its best epoch on held-out text.

    With `resume` an interrupted training goes on from its last whole epoch, and a finished one is
    returned as it is. After each epoch `curve.tsv` has a row more, with the quiz's accuracy of the
    model as it stands; the manifest does not list it, since seconds differ between equal trainings.
    Sentences longer than the model can read are cut. `about` has the held-out perplexity per word
    and sentence end, and per subword. Raises `InputError` for an unknown size or device, for
    `mixed` without a GPU, and for a checkpoint of another training.
    """
    place, chosen = choose(device), setting(request)
    check_mixed(chosen.mixed, place)
    wanted = identity(text, KIND, *chosen.parts(), seed)
    done = finished_model(folder, KIND, wanted) if resume else None
    if done is not None:
        return done
    tokenizer = byte_pairs([line.text for line in text.train], chosen.size.n_subwords)
    with threads(chosen.size.n_threads), seeded(seed, place), full_precision(), repeatable(place):
        model: Any = transformers.GPT2LMHeadModel(_config(chosen.size, len(tokenizer)))
        model.to(place)
        sentences = _sentences(text.train, tokenizer), _sentences(text.held_out, tokenizer)
        task = _task(model, chosen, *sentences, seed, wanted)

        def scorer() -> Causal:  # anew each time: what its self-test finds hangs on the weights
            lead = (tokenizer.bos_token_id,)
            return assemble(model.eval(), tokenizer, lead, place, str(folder), signature="")

        losses = fit(task, folder, resume, progress, watching(folder / CURVE, quiz, scorer, clock))
    with quiet():
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    about = {
        **text.origin(),
        "size": request.name,
        "seed": seed,
        "group": f"{KIND}-{request.name}-{identity(text, KIND, *chosen.parts())[:SHORT]}",
        "options": chosen.options(),
        "identity": wanted,
        "vocabulary_size": len(tokenizer),
        **measures(text, model, losses),
        **held_out_about(scorer(), text.held_out),
        "warnings": _warnings(sentences[0], chosen.size.n_positions),
    }
    made = finish_model(folder, KIND, about, FILES, [*text.train, *text.held_out])
    shutil.rmtree(folder / CHECKPOINT)
    return made


def byte_pairs(texts: Sequence[str], n_subwords: int) -> Any:
    """A byte-level BPE (no text is unknown to it) of at most `n_subwords` units.

    They are the document separator, the 256 bytes, and merges of pairs seen at least twice. As in
    GPT-2 a blank goes with the word after it, and no merge crosses from one word to the next.
    """
    made = tokenizers.Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=n_subwords,
        min_frequency=2,
        special_tokens=[SEPARATOR],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(texts, trainer, len(texts))
    wrap: Any = transformers.PreTrainedTokenizerFast  # untyped
    return wrap(tokenizer_object=made, bos_token=SEPARATOR, eos_token=SEPARATOR)


def _config(size: TransformerSize, n_subwords: int) -> transformers.GPT2Config:
    return transformers.GPT2Config(
        vocab_size=n_subwords,
        n_positions=size.n_positions,
        n_embd=size.width,
        n_layer=size.n_layers,
        n_head=size.n_heads,
        resid_pdrop=size.dropout,
        embd_pdrop=size.dropout,
        attn_pdrop=size.dropout,
        bos_token_id=0,
        eos_token_id=0,
    )


def _task(
    model: Any, chosen: Setting, sentences: Sentences, held_out: Sentences, seed: int, wanted: str
) -> Task[Batch]:
    size = chosen.size
    most = size.n_positions + 1  # the last id is predicted, not read
    lengths = [len(each) for each in sentences]
    ranked = sorted(held_out, key=len)

    def batches(epoch: int) -> Sequence[Batch]:
        orders = by_length(lengths, size.n_rows, seed, epoch)
        return [batch([sentences[nth][:most] for nth in each]) for each in orders]

    starts = range(0, len(ranked), EVALUATED)
    evaluated = [
        batch([each[:most] for each in ranked[start : start + EVALUATED]]) for start in starts
    ]

    def loss(some: Batch) -> tuple[torch.Tensor, int]:
        ids, targets = some.ids.to(model.device), some.targets.to(model.device)
        counted = targets != IGNORED
        with products(model.device, mixed=chosen.mixed and model.training):
            hidden = model.transformer(input_ids=ids, use_cache=False).last_hidden_state
            logits = model.lm_head(hidden[counted])
        return cross_entropy(logits.float(), targets[counted], reduction="sum"), len(logits)

    optimiser = torch.optim.AdamW(
        model.parameters(), lr=size.schedule.rate, betas=BETAS, weight_decay=DECAY, fused=True
    )
    return Task(
        "train the causal model",
        wanted,
        seed,
        model,
        optimiser,
        size.schedule,
        batches,
        evaluated,
        loss,
    )


def _sentences(lines: Sequence[Line], tokenizer: Any) -> list[list[int]]:
    """Each line's ids between two separators."""
    if not lines:
        return []
    end = tokenizer.eos_token_id
    found = tokenizer([line.text for line in lines], add_special_tokens=False)["input_ids"]
    return [[end, *ids, end] for ids in found]


def _warnings(sentences: Sentences, n_positions: int) -> list[str]:
    n_cut = sum(len(each) > n_positions + 1 for each in sentences)
    return [f"sentences cut after {n_positions} subwords: {n_cut}"] if n_cut else []


def batch(sentences: Sentences) -> Batch:
    """Sentences under each other, padded behind their ends."""
    longest = max(map(len, sentences)) - 1
    ids = torch.zeros(len(sentences), longest, dtype=torch.long)
    targets = torch.full_like(ids, IGNORED)
    for nth, sentence in enumerate(sentences):
        whole = torch.tensor(sentence)
        ids[nth, : len(whole) - 1] = whole[:-1]
        targets[nth, : len(whole) - 1] = whole[1:]
    return Batch(ids, targets)


def held_out_about(scorer: Causal, lines: Sequence[Line]) -> dict[str, object]:
    """What the model makes of held-out sentences, asked as the scorer asks it.

    Sentences longer than the model can read are left out.
    """
    texts = [line.text for line in lines]
    questions = Questions([""] * len(texts), texts, ends=True)
    answers = list(scorer.answers([questions])) if texts else []
    refused = answers[0].refused if answers else {}
    bits = [each for answer in answers for each in answer.bits.tolist()]
    fitting = [line for n, line in enumerate(lines) if n not in refused]
    n_words = sum(len(line.words) for line in fitting)
    n_units = n_words + len(fitting)  # a sentence's end is predicted too
    return {
        "held_out_sentences": len(fitting),
        "held_out_words": n_words,
        "held_out_oov": 0,
        "held_out_subwords": len(bits),
        "held_out_perplexity": 2 ** (math.fsum(bits) / n_units) if n_units else None,
        "held_out_perplexity_per_subword": 2 ** (math.fsum(bits) / len(bits)) if bits else None,
    }
