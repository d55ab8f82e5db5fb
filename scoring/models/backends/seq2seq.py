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
    distinct_texts,
    query_location,
)
from ..hf import TextScorer, checkpoint, longest_input, special_ids, special_ids_around, unknown_id
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
        wholes = [prefix + text for prefix, text in zip(prefixes, continuations, strict=True)]
        _check_prefixes(prefixes, wholes)
        texts, (source, target) = distinct_texts(  # read by the encoder, written by the decoder
            map(str.rstrip, prefixes), map(str.lstrip, continuations)
        )
        cuts = self.cutter(texts)
        n_characters = np.fromiter(map(len, continuations), np.int64, n)
        n_blanks = n_characters - np.fromiter(map(len, map(str.lstrip, continuations)), np.int64, n)
        n_subwords = cuts.lengths[target]
        check_subwords(wholes, continuations, (n_characters > 0) & (n_subwords == 0))
        check_ids(texts, cuts.ids, cuts.offsets[:-1], self.reader.n_ids)
        n_encoder_ids = cuts.lengths[source] + sum(map(len, self.around))
        n_decoder_ids = len(self.lead) + n_subwords + n_end - 1  # the last id is only predicted
        refused = self.refusals(np.maximum(n_encoder_ids, n_decoder_ids))
        rows = np.setdiff1d(np.flatnonzero(n_characters), list(refused))  # questions to answer
        counts = n_subwords[rows]
        n_scored = counts + n_end
        offsets = offsets_of(n_scored)
        inner = range_indices(offsets[:-1], counts)  # all scored ids but the ends of outputs
        index = range_indices(cuts.offsets[target[rows]], counts)  # the same ids in `cuts`
        ids = np.full(offsets[-1], self.closing[0] if n_end else 0, np.int64)
        ids[inner] = cuts.ids[index]
        ends = np.repeat(n_characters[rows], n_scored)
        starts = ends - 1  # the end of an output has the span of the last character
        shift = np.repeat(n_blanks[rows], counts)
        starts[inner], ends[inner] = cuts.starts[index] + shift, cuts.ends[index] + shift
        starts[offsets[:-1]] = 0  # the first subword has the blanks before it
        oov = np.zeros(len(ids), bool)
        oov[inner] = cuts.ids[index] == self.unknown
        nats = self._read(cuts, source[rows], ids, offsets)
        n_answers = np.zeros(n, np.int64)
        n_answers[rows] = n_scored
        return Answers(
            offsets_of(n_answers),
            checked_surprisals(nats, wholes, np.repeat(rows, n_scored)),
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
        distinct_sources, text_of = np.unique(sources, return_inverse=True)
        texts = [
            np.concatenate(
                [leading, cuts.ids[cuts.offsets[source] : cuts.offsets[source + 1]], trailing]
            )
            for source in distinct_sources
        ]
        lead = np.array(self.lead, np.int32)
        row_numbers: dict[tuple[int, bytes], int] = {}  # (its text, decoder row) → number
        row_of = []
        for nth, text in enumerate(text_of.tolist()):
            read = ids[offsets[nth] : offsets[nth + 1] - 1]  # the last id is only predicted
            row = np.concatenate([lead, read.astype(np.int32)])
            row_of.append(row_numbers.setdefault((text, row.tobytes()), len(row_numbers)))
        row_texts = [text for text, _ in row_numbers]
        rows = [np.frombuffer(row, np.int32) for _, row in row_numbers]
        lengths = [len(row) + len(texts[text]) for text, row in zip(row_texts, rows, strict=True)]
        counts = np.diff(offsets)
        with torch.inference_mode(), full_precision():
            states = encode(self.reader, texts)

            def logits(numbers: Integers, nth: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
                """Return the logits at places of the decoder rows of these numbers."""
                batch = [states[row_texts[number]] for number in numbers]
                return _logits(self.reader, batch, [rows[number] for number in numbers], nth, index)

            # The last id of `lead` predicts the first id of a continuation.
            positions = range_indices(np.full(len(counts), len(lead) - 1), counts)
            row_index = np.repeat(np.array(row_of, np.int64), counts)
            return self.reader.read(np.array(lengths, np.int64), row_index, positions, ids, logits)


def _check_prefixes(prefixes: Sequence[str], wholes: Sequence[str]) -> None:
    """Raise `InputError` for the first prefix that is blank; `wholes` are prefixes with their
    continuations."""
    for prefix, text in zip(prefixes, wholes, strict=True):
        if not prefix.strip():
            wrong = "the encoder has nothing to read, since it reads the prefix"
            right = "method one-prefix or two-prefix, or a causal or masked model"
            raise InputError(query_location(text), wrong, right, kind="empty")


def encode(reader: RowReader, texts: Sequence[Row]) -> list[torch.Tensor]:
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
    leading, trailing = special_ids_around(tokenizer, as_target=True)
    closing: Ids = ()
    if chosen["eos"] == "yes":
        eos = tokenizer.eos_token_id
        closing = trailing[:1] or (() if eos is None else (eos,))
        if not closing:
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
        reader=tested_reader(model, weights.device),
        around=special_ids_around(tokenizer),
        lead=lead,
        closing=closing,
        unknown=unknown_id(tokenizer),
        longest=longest_input(model),
        signature=pretrained.signature(weights, decoder=decoder, eos=chosen["eos"]),
        chunk=CHUNK_SIZE,
        name=Path(spec).name if isinstance(spec, str) else spec.name,
        remarks=weights.notes,
    )


def tested_reader(model: Any, device: torch.device) -> RowReader:
    """Return a reader of `model` with the settings that a self-test on two short rows allows.

    The test finds out if the head can be given the needed positions alone, and if padding leaves
    the logits unchanged.
    """
    untested = untested_reader(model, device)
    # Arbitrary ids: texts of 4 and 9 for the encoder, rows of 3 and 6 for the decoder.
    texts = [((7 * np.arange(n) + 5) % untested.n_ids).astype(np.int32) for n in (4, 9)]
    rows = [((5 * np.arange(n) + 3) % untested.n_ids).astype(np.int32) for n in (3, 6)]

    def probe(
        reader: RowReader, is_padded: bool, nth: torch.Tensor, index: torch.Tensor
    ) -> torch.Tensor:
        """Return logits of the first test row, read beside the second if `is_padded`."""
        n = 2 if is_padded else 1
        return _logits(reader, encode(reader, texts[:n]), rows[:n], nth, index)

    with torch.inference_mode(), full_precision():
        return untested.self_tested(
            model.get_decoder(), len(rows[0]), probe, min_batch_ids=MIN_BATCH_IDS
        )
