"""Sequence-to-sequence models (T5, BART, translators): the decoder writes the continuation.

    encoder   the prefix, with the specials that the tokenizer puts around a text
    decoder   [start] [specials that the tokenizer puts in front] continuation

The surprisal of a subword is −log2 p given the whole prefix and the subwords before it. On the
decoder's side the continuation is a text of its own, so the blank at its start is not part of it,
and the model does not see what follows it. The number thus says how well the continuation fits the
prefix as an output fits an input. Translators and summarisers are made for this; a model that has
only learnt to fill spans marked by sentinels (T5 as released) has never seen such outputs: its
numbers can compare two forms, but are not probabilities of the rest of a text.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.utils.rnn import pad_sequence
from transformers.modeling_outputs import BaseModelOutput

from ....data.arrays import Integers, offsets_of, range_indices
from ....data.errors import InputError
from ...questions.answer_columns import NATS, Answers, Questions
from ...questions.query import TOKENIZER, LoadOptions
from .._row_reader import RowReader, untested_reader
from .._subwords import (
    SubwordTexts,
    SubwordTokenizer,
    check_ids,
    check_subwords,
    checked_surprisals,
    distinct,
    quoted,
)
from ..hf import TextScorer, checkpoint, longest_input, special_ids, specials, unknown_id
from ..torch_device import full_precision
from ..words import split_spec

CHUNK_SIZE = 512  # questions whose prefixes are encoded and kept together
MIN_BATCH_IDS = 2_048  # encoder and decoder ids that a batch may hold at least, if memory allows

Ids = tuple[int, ...]
Row = NDArray[np.int32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seq2Seq(TextScorer):
    """A sequence-to-sequence model that scores raw text."""

    reader: RowReader
    around: tuple[Ids, Ids]  # special ids before and after the encoder's text
    lead: Ids  # ids that the decoder reads first
    closing: Ids  # the id that ends an output, if its surprisal is scored; else empty

    def answers(self, chunks: Iterable[Questions]) -> Iterator[Answers]:
        """Yield the answers to each chunk of questions (a prefix and the continuation to score).

        A text that is too long for the model is refused: its answer has a reason and no numbers.
        Raises `InputError` with the start of a text that has no prefix, or whose continuation has
        no subword.
        """
        return map(self._answer, chunks)

    def _answer(self, questions: Questions) -> Answers:
        """Return the surprisals of the continuations of one chunk, with the character span of each
        subword."""
        n, n_end = len(questions), len(self.closing)
        prefixes, continuations = questions.prefixes, questions.continuations
        wholes = [p + c for p, c in zip(prefixes, continuations, strict=True)]
        for prefix, text in zip(prefixes, wholes, strict=True):
            if not prefix.strip():
                wrong = "the encoder has nothing to read, since it reads the prefix"
                right = "method one-prefix or two-prefix, or a causal or masked model"
                raise InputError(quoted(text), wrong, right, kind="empty")
        texts, (source, target) = distinct(
            map(str.rstrip, prefixes), map(str.lstrip, continuations)
        )
        cuts = self.cutter(texts)
        sizes = np.fromiter(map(len, continuations), np.int64, n)
        n_blanks = sizes - np.fromiter((len(text.lstrip()) for text in continuations), np.int64, n)
        counts = cuts.lengths[target]
        check_subwords(wholes, continuations, (sizes > 0) & (counts == 0))
        check_ids(texts, cuts.ids, cuts.offsets[:-1], self.reader.n_ids)
        n_source = cuts.lengths[source] + sum(map(len, self.around))
        n_read = np.maximum(n_source, len(self.lead) + counts + n_end - 1)
        refused = self.refused(n_read)
        rows = np.setdiff1d(np.flatnonzero(sizes), list(refused))
        n_subwords = counts[rows]
        offsets = offsets_of(n_subwords + n_end)
        inner = range_indices(offsets[:-1], n_subwords)  # all but the ends of outputs
        index = range_indices(cuts.offsets[target[rows]], n_subwords)
        ids = np.full(offsets[-1], self.closing[0] if n_end else 0, np.int64)
        ids[inner] = cuts.ids[index]
        starts, ends = (np.repeat(sizes[rows] - k, n_subwords + n_end) for k in (1, 0))
        shift = np.repeat(n_blanks[rows], n_subwords)
        starts[inner], ends[inner] = cuts.starts[index] + shift, cuts.ends[index] + shift
        starts[offsets[:-1]] = 0
        oov = np.zeros(len(ids), bool)
        oov[inner] = cuts.ids[index] == self.unknown
        nats = self._read(cuts, source[rows], ids, offsets)
        n_scored = np.zeros(n, np.int64)
        n_scored[rows] = n_subwords + n_end
        return Answers(
            offsets_of(n_scored),
            checked_surprisals(nats, wholes, np.repeat(rows, n_subwords + n_end)),
            starts.astype(np.int32),
            ends.astype(np.int32),
            oov,
            cuts.count(self.unknown)[source].astype(np.int32),
            NATS,
            refused,
        )

    def _read(
        self, cuts: SubwordTexts, sources: Integers, ids: Integers, offsets: Integers
    ) -> NDArray[np.float64]:
        """Return ln p of each of `ids`, the ids of all continuations, which the decoder writes.

        Continuation n is `ids[offsets[n] : offsets[n + 1]]`, written while the encoder reads the
        text number `sources[n]` of `cuts`. Each text is encoded once, and equal decoder rows are
        read once.
        """
        leading, trailing = (np.array(side, np.int32) for side in self.around)
        distinct_sources, source_of = np.unique(sources, return_inverse=True)
        texts = [
            np.concatenate([leading, cuts.ids[slice(*cuts.offsets[source : source + 2])], trailing])
            for source in distinct_sources
        ]
        lead = np.array(self.lead, np.int32)
        numbers: dict[tuple[int, bytes], int] = {}
        rows = []
        for nth, owner in enumerate(source_of.tolist()):
            written = ids[offsets[nth] : offsets[nth + 1] - 1].astype(np.int32)
            key = owner, np.concatenate([lead, written]).tobytes()
            rows.append(numbers.setdefault(key, len(numbers)))
        decoded = [np.frombuffer(row, np.int32) for _, row in numbers]
        owners = [owner for owner, _ in numbers]
        lengths = [len(row) + len(texts[owner]) for owner, row in zip(owners, decoded, strict=True)]
        counts = np.diff(offsets)
        with torch.inference_mode(), full_precision():
            states = encoded(self.reader, texts)

            def logits(numbers: Integers, nth: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
                """Return the logits at places of the decoder rows of these numbers."""
                batch = [states[owners[row]] for row in numbers]
                return _logits(self.reader, batch, [decoded[row] for row in numbers], nth, index)

            positions = range_indices(np.full(len(counts), len(lead) - 1), counts)
            row_index = np.repeat(np.array(rows, np.int64), counts)
            return self.reader.read(np.array(lengths, np.int64), row_index, positions, ids, logits)


def encoded(reader: RowReader, texts: Sequence[Row]) -> list[torch.Tensor]:
    """Run the encoder on texts of ids, and return its states `(time, width)` for each text."""
    lengths = np.array([len(text) for text in texts], np.int64)
    order = np.argsort(-lengths, kind="stable")

    def encode(start: int, end: int) -> list[torch.Tensor]:
        """Return the encoder's states for the sorted texts `start` to `end`."""
        batch = [texts[number] for number in order[start:end]]
        ids, mask = reader.padded(batch)
        states = reader.model.get_encoder()(input_ids=ids, attention_mask=mask).last_hidden_state
        return [state[: len(text)] for state, text in zip(states, batch, strict=True)]

    no_logits = np.zeros(len(texts) + 1, np.int64)  # the encoder has no head
    parts = list(reader.in_batches(lengths[order], no_logits, encode))
    states = [state for part in parts for state in part]
    return [states[nth] for nth in np.argsort(order)]


def _logits(
    reader: RowReader,
    states: Sequence[torch.Tensor],
    rows: Sequence[Row],
    nth: torch.Tensor,
    index: torch.Tensor,
) -> torch.Tensor:
    """Return the logits `(n, vocabulary)` at n places of decoder rows, given each row's encoder
    states. Place i is the position `index[i]` of the row number `nth[i]`."""
    ids, mask = reader.padded(rows)
    lengths = torch.tensor([len(state) for state in states], device=reader.device)
    batch = pad_sequence(list(states), batch_first=True)
    is_state = torch.arange(batch.shape[1], device=reader.device) < lengths[:, None]
    inputs = {
        "encoder_outputs": BaseModelOutput(last_hidden_state=batch),
        "attention_mask": is_state.long(),
        "decoder_input_ids": ids,
        "decoder_attention_mask": mask,
        "use_cache": False,
    }
    return reader.logits(inputs, nth, index)


def load(spec: str, options: LoadOptions) -> Seq2Seq:
    """Return the scorer of the model that `spec` names: a folder, or `NAME[@REVISION]` on the hub.
    With `?eos=yes` behind it the end of the output is scored too.

    Raises `InputError` for a model that cannot be loaded completely, for a slow tokenizer, and for
    options that it does not support.
    """
    base, chosen = split_spec(spec, {"eos": ("no", "yes")})
    pretrained = checkpoint("seq2seq", base, options)
    tokenizer = pretrained.tokenizer
    leading, trailing = specials(tokenizer, as_target=True)
    closing = trailing[:1] or tuple(filter(None.__ne__, (tokenizer.eos_token_id,)))
    if chosen["eos"] == "no":
        closing = ()
    elif not closing:
        wrong = "its tokenizer has no EOS token"
        raise InputError(pretrained.origin.spec, wrong, "?eos=no", kind="unsupported")
    weights = pretrained.weights()
    model = weights.model
    # Before every output the decoder reads the model's start token, then the token of the option
    # `bos` or, by default, those of the tokenizer (BART's BOS, a translator's language).
    configs = (model.generation_config, model.config)
    starts = [getattr(config, "decoder_start_token_id", None) for config in configs]
    start = next((number for number in starts if isinstance(number, int)), None)
    if start is None:
        wrong = "its config.json does not say what the decoder starts with"
        right = "one with a decoder_start_token_id"
        raise InputError(pretrained.origin.spec, wrong, right, kind="unsupported")
    lead = (
        start,
        *(leading if options.bos in ("auto", TOKENIZER) else special_ids(tokenizer, options.bos)),
    )
    decoder = f"{options.bos} {','.join(map(str, lead))}"
    return Seq2Seq(
        cutter=SubwordTokenizer(tokenizer),
        reader=reader(model, weights.device),
        around=specials(tokenizer),
        lead=lead,
        closing=closing,
        unknown=unknown_id(tokenizer),
        longest=longest_input(model),
        signature=pretrained.signature(weights, decoder=decoder, eos=chosen["eos"]),
        chunk=CHUNK_SIZE,
        name=Path(spec).name if isinstance(spec, str) else spec.name,
        remarks=weights.notes,
    )


def reader(model: Any, device: torch.device) -> RowReader:
    """Return a reader of `model` with the settings that a self-test on two short rows allows.

    The test finds out if the head can be given the needed positions alone, and if padding leaves
    the logits unchanged.
    """
    candidate = untested_reader(model, device)
    texts = [((7 * np.arange(n) + 5) % candidate.n_ids).astype(np.int32) for n in (4, 9)]
    rows = [((5 * np.arange(n) + 3) % candidate.n_ids).astype(np.int32) for n in (3, 6)]

    def test(read: RowReader, padded: bool, nth: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        """Return logits of the first test row, read beside the second if `padded`."""
        return _logits(read, encoded(read, texts[: 1 + padded]), rows[: 1 + padded], nth, index)

    with torch.inference_mode(), full_precision():
        return candidate.tested(model.get_decoder(), 3, test, at_least=MIN_BATCH_IDS)
