"""Causal Transformers and their kin: whatever transformers loads as a causal language model.

Prefix and continuation are tokenised as one text. A subword belongs to the prefix or to the
continuation by the characters that it covers (`scoring/models/_subwords.py`). Blanks at the end of
a prefix count to the continuation, since they belong to the subword after them. If the first
subword begins before the continuation, its span begins below 0; if the prefix alone is cut into
other subwords in its place, its bits are S(whole text) − S(prefix), the only bits that can be
negative (S: surprisal).
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import add
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
import transformers
from numpy.typing import NDArray

from ....data.arrays import Integers, Truths, offsets_of, range_indices, shared_prefix_lengths
from ....data.errors import InputError
from ...questions.answer_columns import NATS, Answers, Questions
from ...questions.query import TOKENIZER, LoadOptions, policy_text
from .._boundary import BoundaryIds, BoundaryMasses, boundary_ids, boundary_masses
from .._causal_reader import CausalReader, ForwardPlan, IdQueries, forward_plan, read
from .._subwords import (
    SubwordTexts,
    SubwordTokenizer,
    check_ids,
    check_subwords,
    checked_surprisals,
    distinct_texts,
    first_subword_after,
    query_location,
)
from ..hf import TextScorer, checkpoint, longest_input, special_ids, unknown_id
from ..model_folder import InMemory, is_model_folder
from ..origin import error_summary
from ..sanity import sanity_fault
from ..selftest import tested_reader

MIN_CHUNK, MAX_CHUNK = 128, 8_192  # texts: enough to share beginnings and fill batches
CHUNK_WORK = {"cpu": 1 << 37, "cuda": 1 << 41}  # texts × parameters: some seconds of work

SINGLE_SUBWORD = "a single subword, which nothing precedes"

T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True, slots=True, eq=False)
class AlignedQuestions:
    """The subwords to score for each question of a chunk, one array entry per question.

    Nothing is scored for an empty or refused question.
    """

    texts: Sequence[str]  # the distinct texts and the distinct prefixes, these without final blanks
    cuts: SubwordTexts
    full: Integers  # index in `texts` of a question's whole text
    prefix: Integers  # index in `texts` of its prefix
    n_shared: Integers  # subwords that these two have in common at their start
    n_scored: Integers  # subwords of the whole text after those, the end of the text included
    n_merged: Integers  # how many of them are reported together as the first one; normally 1
    n_replaced: Integers  # subwords that the prefix alone has in their place; normally 0
    ends_word: NDArray[np.bool_]  # whether a word ends with the replaced subwords
    refused: dict[int, str]  # question → reason

    @property
    def rows(self) -> Integers:
        """The questions whose whole text is scored."""
        return np.flatnonzero(self.n_scored)

    @property
    def recut(self) -> Integers:
        """The questions whose prefix is scored too, since alone it is cut otherwise."""
        return np.flatnonzero(self.n_replaced)

    @property
    def chain_lengths(self) -> Integers:
        """The number of scored ids of each text: of the whole texts of `rows`, then of the prefixes
        of `recut`."""
        return np.concatenate([self.n_scored[self.rows], self.n_replaced[self.recut]])


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """Questions that are answered together, and the plan of what the model reads for them."""

    questions: Questions
    aligned: AlignedQuestions
    targets: Integers  # ids to score: those of whole texts, then those of prefixes alone
    masses: BoundaryMasses | None
    plan: ForwardPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Causal(TextScorer):
    """A causal model that scores raw text."""

    reader: CausalReader
    lead: tuple[int, ...]  # special ids in front of every text
    borders: BoundaryIds | None = None  # ids that begin words, if word probabilities are corrected
    end: str = ""  # the tokenizer's end-of-text token, "" if it has none
    end_id: int = 0
    skips_first: bool = False  # a text's first subword is read, not scored, as there is no `lead`
    bos_choices: tuple[str, ...] = ()  # values of `bos` worth comparing: tokens, and "none"
    policy: str = ""  # the text before a text and other settings that change scores, for tables
    languages: tuple[str, ...] = ()

    @property
    def needs_prefix(self) -> bool:
        """True if texts need a prefix, because a text's first subword has no probability."""
        return not self.lead and not self.skips_first

    def answers(self, chunks: Iterable[Questions]) -> Iterator[Answers]:
        """Yield the answers to each chunk of questions (a prefix and the continuation to score).

        A text that is too long for the model is refused: its answer has a reason and no numbers.
        The next chunk is tokenised while the model reads.

        Raises `InputError` with the start of a text if nothing precedes its first subword, or if
        its continuation has no subword.
        """
        for chunk in prepared_ahead(self._prepare, chunks):
            yield self._answer(chunk, read(self.reader, chunk.plan))

    def _prepare(self, questions: Questions) -> Chunk:
        """Tokenise questions, and return them with the plan of the ids that the model reads and of
        those that it scores."""
        aligned = self._align(questions)
        cuts, n_lead, n_end = aligned.cuts, len(self.lead), int(questions.ends)
        starts = offsets_of(cuts.lengths + n_lead + n_end)[:-1]
        ids = np.full(len(cuts.ids) + len(starts) * (n_lead + n_end), self.end_id, np.int32)
        ids[starts[:, None] + np.arange(n_lead)] = self.lead
        ids[range_indices(starts + n_lead, cuts.lengths)] = cuts.ids
        check_ids(aligned.texts, ids, starts, self.reader.n_ids)
        rows, recut, counts = aligned.rows, aligned.recut, aligned.chain_lengths
        sequences = np.repeat(np.concatenate([aligned.full[rows], aligned.prefix[recut]]), counts)
        n_shared = aligned.n_shared[np.concatenate([rows, recut])]
        positions = range_indices(n_shared + n_lead - 1, counts)  # the id before each scored one
        targets = ids[starts[sequences] + positions + 1].astype(np.int64)
        queries: tuple[Integers, ...] = (sequences, positions, targets)
        masses = None
        if self.borders is not None:
            offsets = offsets_of(counts)
            firsts, lasts = offsets[:-1], offsets[1:] - 1
            # A word ends with a whole text, unless the end of the text itself is scored.
            ends_word = np.append(np.full(len(rows), not n_end), aligned.ends_word[recut])
            masses = boundary_masses(
                self.borders, targets, positions, firsts, ended=lasts[ends_word], n_lead=n_lead
            )
            extra = masses.queries(sequences, positions)
            queries = tuple(np.concatenate(arrays) for arrays in zip(queries, extra, strict=True))
        plan = forward_plan(IdQueries(ids, starts, *queries), self.reader)
        return Chunk(questions, aligned, targets, masses, plan)

    def _align(self, questions: Questions) -> AlignedQuestions:
        """Cut the texts of questions into subwords, and return for each question which of these are
        to be scored. Raises `InputError` as `answers` does."""
        prefixes, n, n_end = questions.prefixes, len(questions), int(questions.ends)
        texts, (full, prefix) = distinct_texts(
            map(add, prefixes, questions.continuations), map(str.rstrip, prefixes)
        )
        cuts = self.cutter(texts)
        nonempty = np.fromiter(map(bool, questions.continuations), bool, n)
        n_full, n_prefix = cuts.lengths[full], cuts.lengths[prefix]
        limit = np.where(nonempty, np.minimum(n_prefix, n_full), 0)
        n_shared = shared_prefix_lengths(cuts.ids, cuts.offsets[prefix], cuts.offsets[full], limit)
        scores_first = nonempty & (n_shared == 0) & (n_full + n_end > 0)
        if self.skips_first:
            n_shared = np.where(scores_first & (n_prefix == 0), 1, n_shared)
            scores_first &= n_prefix > 0
        if not self.lead and scores_first.any():
            location = query_location(texts[full[scores_first.argmax()]])
            wrong = "its first subword has no probability, since nothing precedes it"
            raise InputError(location, wrong, "a prefix, or bos auto", kind="unsupported")
        aligned = AlignedQuestions(
            texts, cuts, full, prefix, n_shared,
            n_scored=np.where(nonempty, n_full + n_end - n_shared, 0),
            n_replaced=np.where(nonempty, np.maximum(n_prefix - n_shared, 0), 0),
            n_merged=np.ones(n, np.int64), ends_word=np.zeros(n, bool), refused={},
        )  # fmt: skip
        _merge_recut(aligned, questions)
        self._refuse(aligned, nonempty, n_end)
        lacks_subword = (aligned.n_scored < aligned.n_merged) & nonempty
        lacks_subword[list(aligned.refused)] = False
        check_subwords([texts[number] for number in full], questions.continuations, lacks_subword)
        return aligned

    def _refuse(self, aligned: AlignedQuestions, nonempty: Truths, n_end: int) -> None:
        """Refuse, in place, the questions that the model cannot read; none of their subwords is
        scored. `n_end` is 1 if the end of each text is scored, else 0."""
        n_full = aligned.cuts.lengths[aligned.full]
        n_prefix = aligned.cuts.lengths[aligned.prefix]
        if self.skips_first:
            single = np.flatnonzero(nonempty & (n_full > 0) & (aligned.n_scored == 0))
            aligned.refused.update(dict.fromkeys(single.tolist(), SINGLE_SUBWORD))
        # The last id of a text is read only if a mass is needed after it, see `_boundary.py`.
        is_corrected = self.borders is not None
        n_read_full = len(self.lead) + n_full + n_end - 1 + (is_corrected and not n_end)
        n_read_prefix = len(self.lead) + n_prefix - 1 + is_corrected * aligned.ends_word
        for n_read, n_scored in (
            (n_read_full, aligned.n_scored),
            (n_read_prefix, aligned.n_replaced),
        ):
            for row, why in self.refusals(n_read * (n_scored > 0)).items():
                aligned.refused.setdefault(row, why)
        rows = list(aligned.refused)
        aligned.n_scored[rows] = aligned.n_replaced[rows] = 0

    def _answer(self, chunk: Chunk, log_p: NDArray[np.float64]) -> Answers:
        """Return the answers to a chunk, given ln p of each id (and mass) of its plan, in order."""
        aligned, cuts, questions = chunk.aligned, chunk.aligned.cuts, chunk.questions
        log_p, log_masses = np.split(log_p, [len(chunk.targets)])
        if chunk.masses is not None:
            log_p = chunk.masses.corrected(log_p, log_masses)
        rows, recut = aligned.rows, aligned.recut
        chains = offsets_of(aligned.chain_lengths)  # where the scored ids of each text begin
        texts = np.repeat(aligned.full[np.concatenate([rows, recut])], aligned.chain_lengths)
        nats = checked_surprisals(log_p, aligned.texts, texts)
        counts = aligned.n_scored[rows]
        index = range_indices(cuts.offsets[aligned.full[rows]] + aligned.n_shared[rows], counts)
        prefix_lengths = np.fromiter(map(len, questions.prefixes), np.int64, len(questions))
        base = np.repeat(prefix_lengths[rows], counts)
        # An index can be one too high, for the end of the last text; its span is set below.
        starts, ends = (np.append(offsets, 0)[index] - base for offsets in (cuts.starts, cuts.ends))
        if questions.ends:
            text_ends = chains[1 : len(rows) + 1] - 1
            starts[text_ends] = ends[text_ends] = [
                len(questions.continuations[row]) for row in rows.tolist()
            ]
        oov = chunk.targets[: len(index)] == self.unknown
        keep = np.ones(len(index), dtype=bool)
        prefix_bounds = pairwise(chains[len(rows) :].tolist())
        for row, (low, high) in zip(recut.tolist(), prefix_bounds, strict=True):
            start = chains[np.searchsorted(rows, row)]
            end = start + aligned.n_merged[row]
            prefix_nats = math.fsum(nats[low:high])
            nats[start] = math.fsum(nats[start:end]) - prefix_nats
            ends[start], oov[start] = ends[end - 1], oov[start:end].any()
            keep[start + 1 : end] = False
        n_kept = np.where(aligned.n_scored, aligned.n_scored - aligned.n_merged + 1, 0)
        return Answers(
            offsets_of(n_kept),
            nats[: len(index)][keep].astype(np.float32),
            starts[keep].astype(np.int32),
            ends[keep].astype(np.int32),
            oov[keep],
            cuts.count(self.unknown)[aligned.prefix].astype(np.int32),
            NATS,
            aligned.refused,
        )


def _merge_recut(aligned: AlignedQuestions, questions: Questions) -> None:
    """Set `n_merged` and `ends_word`, in place, for the questions whose prefix alone is cut
    otherwise."""
    recut = aligned.recut
    if not len(recut):
        return
    texts, n_shared = aligned.texts, aligned.n_shared[recut]
    borders = np.array([len(texts[number]) for number in aligned.prefix[recut]])
    start = first_subword_after(texts, aligned.cuts, aligned.full[recut], n_shared, borders)
    aligned.n_merged[recut] += start - n_shared
    for row in recut.tolist():  # a word ends if a blank parts prefix and continuation
        prefix, continuation = questions.prefixes[row], questions.continuations[row]
        aligned.ends_word[row] = prefix[-1:].isspace() or continuation[:1].isspace()


def prepared_ahead(prepare: Callable[[T], U], values: Iterable[T]) -> Iterator[U]:
    """Yield `prepare(value)` for each value, computed in a thread while the one before is used.

    An error of `prepare` is raised when its result is due, after all results before it.
    """
    iterator = iter(values)
    with ThreadPoolExecutor(1) as pool:
        futures = (pool.submit(prepare, value) for value in iterator)  # submitted when asked for
        pending = next(futures, None)
        while pending is not None:
            result = pending.result()
            pending = next(futures, None)
            yield result


def load(spec: str | InMemory, options: LoadOptions) -> Causal:
    """Return the scorer of the model that `spec` names; if it fails the sanity test of `sanity.py`,
    the scorer has a note for the user.

    Such a model is not refused, since an untrained one can serve as a control. A model trained by
    this program is not tested: it was measured on held-out text. Raises `InputError` as
    `load_untested` does.
    """
    scorer = load_untested(spec, options)
    if isinstance(spec, InMemory) or is_model_folder(Path(spec)):
        return scorer
    try:
        fault = sanity_fault(scorer)
    except InputError:  # a model that cannot read thirty words may still be sound
        fault = ""
    return replace(scorer, remarks=(*scorer.remarks, f"{spec}: {fault}")) if fault else scorer


def load_untested(spec: str | InMemory, options: LoadOptions) -> Causal:
    """Return the scorer of the model that `spec` names, without the sanity test: a folder, `NAME`
    or `NAME@REVISION` on the hub, or a model in memory.

    Raises `InputError` for a model that cannot be loaded completely, for a slow tokenizer, for a
    model that looks ahead, and for options that it does not support.
    """
    pretrained = checkpoint("causal", spec, options)
    tokenizer, location = pretrained.tokenizer, pretrained.origin.spec
    lead = special_ids(tokenizer, options.bos)
    weights = pretrained.weights()
    model, device = weights.model, weights.device
    if isinstance(spec, str):  # a model in memory is not changed
        use_fused_gelu(model)
    compiler_errors: tuple[type[Exception], ...] = ()
    if options.compile:
        from torch._dynamo.exc import TorchDynamoException
        from torch._inductor.exc import InductorError

        compiler_errors = (TorchDynamoException, InductorError)
        model.base_model.compile(dynamic=True)
    try:
        reader = tested_reader(model, device, location)  # the self-test runs the compiled model
    except compiler_errors as error:
        wrong = f"torch cannot ({error_summary(error)})"
        raise InputError("compile", wrong, "compile false", kind="unsupported") from None
    skips_first = options.bos == TOKENIZER and not lead
    borders = boundary_ids(tokenizer, options.boundary, reader.n_logits, device)
    reading = {"reading": "packed" if reader.row_widths.max_length else "plain"}
    if options.compile:
        reading["compiled"] = "yes"
    bos = ",".join(map(str, lead)) or ("first subword" if skips_first else "none")
    signature = pretrained.signature(weights, reading, bos=bos, boundary=options.boundary)
    bos_choices = filter(None, (tokenizer.bos_token, tokenizer.eos_token, "none"))
    text_before = TOKENIZER if skips_first else "".join(tokenizer.convert_ids_to_tokens(lead))
    remarks = weights.notes
    if reader.why_unshared:
        remarks = (*remarks, f"{location}: every text is read alone: {reader.why_unshared}")
    return replace(
        assemble(reader, tokenizer, lead, signature),
        reader=reader if borders is None else replace(reader, sets=borders.sets),
        borders=borders,
        skips_first=skips_first,
        bos_choices=tuple(dict.fromkeys(bos_choices)),
        policy=policy_text(text_before, options),
        remarks=remarks,
    )


def use_fused_gelu(model: Any) -> None:
    """Replace, in place, the GELU activations that transformers computes in six steps by torch's.

    The formula is the same (tanh approximation), except for rounding; a CPU then reads GPT-2 in 0.7
    of the time (`bench/scoring.py`).
    """
    slow = (transformers.activations.NewGELUActivation, transformers.activations.FastGELUActivation)
    for module in [*model.modules()]:  # a list, since modules are replaced meanwhile
        for name, part in module.named_children():
            if isinstance(part, slow):
                setattr(module, name, torch.nn.GELU(approximate="tanh"))


def assemble(reader: CausalReader, tokenizer: Any, lead: tuple[int, ...], signature: str) -> Causal:
    """Return a scorer made of a reader (the model, and the tested way to read it), its tokenizer
    and its signature, with the special ids `lead` in front of every text."""
    n_parameters = sum(parameter.numel() for parameter in reader.model.parameters())
    n_texts = CHUNK_WORK[reader.device.type] // max(1, n_parameters)
    return Causal(
        cutter=SubwordTokenizer(tokenizer),
        reader=reader,
        lead=lead,
        unknown=unknown_id(tokenizer),
        longest=longest_input(reader.model),
        signature=signature,
        chunk=min(max(n_texts, MIN_CHUNK), MAX_CHUNK),
        end=tokenizer.eos_token or "",
        end_id=tokenizer.eos_token_id or 0,
    )
