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
from operator import add
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
import transformers
from numpy.typing import NDArray

from ....data.arrays import Integers, offsets_of, range_indices, shared_prefix_lengths
from ....data.errors import InputError
from ...questions.answer_columns import NATS, Answers, Questions
from ...questions.query import TOKENIZER, LoadOptions, policy_text
from .._boundary import BoundaryIds, BoundaryMasses, borders, boundary_masses
from .._causal_reader import CausalReader, ForwardPlan, IdQueries, forward_plan, read
from .._subwords import (
    SubwordTexts,
    SubwordTokenizer,
    check_ids,
    check_subwords,
    checked_surprisals,
    distinct,
    first_subword_after,
    quoted,
)
from ..hf import TextScorer, checkpoint, longest_input, special_ids, unknown_id
from ..model_folder import InMemory, is_model_folder
from ..origin import reason
from ..sanity import sanity_fault
from ..selftest import reader

N_TEXTS = (128, 8_192)  # fewest and most in a chunk: enough to share beginnings and fill batches
WORK = {"cpu": 1 << 37, "cuda": 1 << 41}  # texts × parameters in a chunk: some seconds of work

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
        for chunk in prefetched(self._prepare, chunks):
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
        rows, recut = np.flatnonzero(aligned.n_scored), np.flatnonzero(aligned.n_replaced)
        counts = np.concatenate([aligned.n_scored[rows], aligned.n_replaced[recut]])
        sequences = np.repeat(np.concatenate([aligned.full[rows], aligned.prefix[recut]]), counts)
        n_shared = aligned.n_shared[np.concatenate([rows, recut])]
        positions = range_indices(n_shared + n_lead - 1, counts)
        targets = ids[starts[sequences] + positions + 1].astype(np.int64)
        queries: tuple[Integers, ...] = (sequences, positions, targets)
        masses = None
        if self.borders is not None:
            bounds = offsets_of(counts)
            ended = np.append(np.full(len(rows), not n_end), aligned.ends_word[recut])
            final = bounds[1:][ended] - 1
            masses = boundary_masses(self.borders, targets, positions, bounds[:-1], final, n_lead)
            extra = masses.queries(sequences, positions)
            queries = tuple(np.concatenate(arrays) for arrays in zip(queries, extra, strict=True))
        plan = forward_plan(IdQueries(ids, starts, *queries), self.reader)
        return Chunk(questions, aligned, targets, masses, plan)

    def _align(self, questions: Questions) -> AlignedQuestions:
        """Cut the texts of questions into subwords, and return for each question which of these are
        to be scored. Raises `InputError` as `answers` does."""
        prefixes, n, n_end = questions.prefixes, len(questions), int(questions.ends)
        texts, (full, prefix) = distinct(
            map(add, prefixes, questions.continuations), map(str.rstrip, prefixes)
        )
        cuts = self.cutter(texts)
        nonempty = np.fromiter(map(bool, questions.continuations), bool, n)
        n_full, n_prefix = cuts.lengths[full], cuts.lengths[prefix]
        limit = np.where(nonempty, np.minimum(n_prefix, n_full), 0)
        n_shared = shared_prefix_lengths(cuts.ids, cuts.offsets[prefix], cuts.offsets[full], limit)
        first_scored = nonempty & (n_shared == 0) & (n_full + n_end > 0)
        if self.skips_first:
            n_shared = np.where(first_scored & (n_prefix == 0), 1, n_shared)
            first_scored &= n_prefix > 0
        n_scored = np.where(nonempty, n_full + n_end - n_shared, 0)
        n_replaced = np.where(nonempty, np.maximum(n_prefix - n_shared, 0), 0)
        n_merged, ends_word = np.ones(n, np.int64), np.zeros(n, bool)
        recut = np.flatnonzero(n_replaced)  # questions whose prefix alone is cut otherwise
        if len(recut):
            borders = np.array([len(texts[number]) for number in prefix[recut]])
            start = first_subword_after(texts, cuts, full[recut], n_shared[recut], borders)
            n_merged[recut] += start - n_shared[recut]
            for row in recut.tolist():  # a word ends if a blank parts prefix and continuation
                continuation = questions.continuations[row]
                ends_word[row] = prefixes[row][-1:].isspace() or continuation[:1].isspace()
        if not self.lead and first_scored.any():
            wrong = "its first subword has no probability, since nothing precedes it"
            location, right = quoted(texts[full[first_scored.argmax()]]), "a prefix, or bos auto"
            raise InputError(location, wrong, right, kind="unsupported")
        single = np.flatnonzero(nonempty & (n_full > 0) & (n_scored == 0) & self.skips_first)
        refused = dict.fromkeys(single.tolist(), SINGLE_SUBWORD)
        is_corrected = self.borders is not None  # then the position after a word is read as well
        for n_read, count in (
            (n_full + n_end - 1 + (is_corrected and not n_end), n_scored),
            (n_prefix - 1 + is_corrected * ends_word, n_replaced),
        ):
            refused.update(self.refused((len(self.lead) + n_read) * (count > 0)) | refused)
        rows = list(refused)
        n_scored[rows] = n_replaced[rows] = 0
        lacks_subword = (n_scored < n_merged) & nonempty
        lacks_subword[rows] = False
        check_subwords([texts[number] for number in full], questions.continuations, lacks_subword)
        return AlignedQuestions(
            texts, cuts, full, prefix, n_shared, n_scored, n_merged, n_replaced, ends_word, refused
        )

    def _answer(self, chunk: Chunk, log_p: NDArray[np.float64]) -> Answers:
        """Return the answers to a chunk, given ln p of each id (and mass) of its plan, in order."""
        aligned, cuts = chunk.aligned, chunk.aligned.cuts
        nats = log_p[: len(chunk.targets)]
        if chunk.masses is not None:
            nats = chunk.masses.corrected(nats, log_p[len(nats) :])
        rows, recut = np.flatnonzero(aligned.n_scored), np.flatnonzero(aligned.n_replaced)
        bounds = offsets_of(np.concatenate([aligned.n_scored[rows], aligned.n_replaced[recut]]))
        texts = np.repeat(aligned.full[np.concatenate([rows, recut])], np.diff(bounds))
        raw = checked_surprisals(nats, aligned.texts, texts)
        counts = aligned.n_scored[rows]
        index = range_indices(cuts.offsets[aligned.full[rows]] + aligned.n_shared[rows], counts)
        lengths = np.fromiter(map(len, chunk.questions.prefixes), np.int64, len(chunk.questions))
        base = np.repeat(lengths[rows], counts)
        starts, ends = (np.append(offsets, 0)[index] - base for offsets in (cuts.starts, cuts.ends))
        if chunk.questions.ends:
            final = bounds[1 : len(rows) + 1] - 1
            tails = [len(chunk.questions.continuations[row]) for row in rows.tolist()]
            starts[final] = ends[final] = tails
        oov = chunk.targets[: len(index)] == self.unknown
        keep = np.ones(len(index), dtype=bool)
        n_rows = len(rows)
        for nth, row in enumerate(recut.tolist()):
            start = bounds[np.searchsorted(rows, row)]
            merged = slice(start, start + aligned.n_merged[row])
            replaced = slice(*bounds[n_rows + nth : n_rows + nth + 2])
            raw[start] = math.fsum(raw[merged]) - math.fsum(raw[replaced])
            ends[start], oov[start] = ends[merged.stop - 1], oov[merged].any()
            keep[merged.start + 1 : merged.stop] = False
        n_kept = np.where(aligned.n_scored, aligned.n_scored - aligned.n_merged + 1, 0)
        return Answers(
            offsets_of(n_kept),
            raw[: len(index)][keep].astype(np.float32),
            starts[keep].astype(np.int32),
            ends[keep].astype(np.int32),
            oov[keep],
            cuts.count(self.unknown)[aligned.prefix].astype(np.int32),
            NATS,
            aligned.refused,
        )


def prefetched(prepare: Callable[[T], U], values: Iterable[T]) -> Iterator[U]:
    """Yield `prepare(value)` for each value, computed in a thread while the one before is used.

    An error of `prepare` is raised when its result is due, after all results before it.
    """
    iterator = iter(values)
    with ThreadPoolExecutor(1) as pool:
        futures = (pool.submit(prepare, value) for value in iterator)
        pending = next(futures, None)
        while pending is not None:
            result = pending.result()
            pending = next(futures, None)
            yield result


def load(spec: str | InMemory, options: LoadOptions) -> Causal:
    """Return the scorer of the model that `spec` names; if it fails the sanity test of `sanity.py`,
    the scorer has a note for the user.

    Such a model is not refused, since an untrained one can serve as a control. A model trained by
    this program is not tested: it was measured on held-out text. Raises `InputError` as `loaded`
    does.
    """
    scorer = loaded(spec, options)
    if isinstance(spec, InMemory) or is_model_folder(Path(spec)):
        return scorer
    try:
        wrong = sanity_fault(scorer)
    except InputError:  # a model that cannot read thirty words may still be sound
        wrong = ""
    return replace(scorer, remarks=(*scorer.remarks, f"{spec}: {wrong}")) if wrong else scorer


def loaded(spec: str | InMemory, options: LoadOptions) -> Causal:
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
        tested = reader(model, device, location)  # its self-test runs the compiled model
    except compiler_errors as error:
        wrong = f"torch cannot ({reason(error)})"
        raise InputError("compile", wrong, "compile false", kind="unsupported") from None
    skips_first = options.bos == TOKENIZER and not lead
    words = borders(tokenizer, options.boundary, tested.n_logits, device)
    reading = {"reading": "packed" if tested.shape.widest else "plain"}
    if options.compile:
        reading["compiled"] = "yes"
    bos = ",".join(map(str, lead)) or ("first subword" if skips_first else "none")
    signature = pretrained.signature(weights, reading, bos=bos, boundary=options.boundary)
    choices = filter(None, (tokenizer.bos_token, tokenizer.eos_token, "none"))
    return replace(
        assemble(tested, tokenizer, lead, signature),
        reader=tested if words is None else replace(tested, sets=words.sets),
        borders=words,
        skips_first=skips_first,
        bos_choices=tuple(dict.fromkeys(choices)),
        policy=policy_text(
            TOKENIZER if skips_first else "".join(tokenizer.convert_ids_to_tokens(lead)), options
        ),
        remarks=(
            *weights.notes,
            *([f"{location}: every text is read alone: {tested.why}"] if tested.why else []),
        ),
    )


def use_fused_gelu(model: Any) -> None:
    """Replace, in place, the GELU activations that transformers computes in six steps by torch's.

    The formula is the same (tanh approximation), except for rounding; a CPU then reads GPT-2 in 0.7
    of the time (`bench/scoring.py`).
    """
    slow = (transformers.activations.NewGELUActivation, transformers.activations.FastGELUActivation)
    for module in [*model.modules()]:
        for name, part in module.named_children():
            if isinstance(part, slow):
                setattr(module, name, torch.nn.GELU(approximate="tanh"))


def assemble(reader: CausalReader, tokenizer: Any, lead: tuple[int, ...], signature: str) -> Causal:
    """Return a scorer made of a reader (the model, and the tested way to read it), its tokenizer
    and its signature, with the special ids `lead` in front of every text."""
    n_parameters = sum(parameter.numel() for parameter in reader.model.parameters())
    n_texts = WORK[reader.device.type] // max(1, n_parameters)
    return Causal(
        cutter=SubwordTokenizer(tokenizer),
        reader=reader,
        lead=lead,
        unknown=unknown_id(tokenizer),
        longest=longest_input(reader.model),
        signature=signature,
        chunk=min(max(n_texts, N_TEXTS[0]), N_TEXTS[1]),
        end=tokenizer.eos_token or "",
        end_id=tokenizer.eos_token_id or 0,
    )
