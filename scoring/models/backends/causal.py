"""Causal Transformers and their kin: whatever transformers loads as a causal language model.

Prefix and continuation are tokenised as one text, and the subwords are told apart by their
characters (`scoring/models/_subwords.py`). Blanks at the end of a prefix count to the continuation,
as the subword after them has them. A first subword that begins before the continuation has a span
that begins below 0; where it replaces subwords of the prefix, its bits are the difference
S(whole text) − S(prefix), which alone of all bits can be below 0.
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
from ...questions.query import LoadOptions, policy_text
from .._boundary import BoundaryIds, BoundaryMasses, borders, masses
from .._causal_reader import CausalReader, ForwardPlan, IdQueries, prepared, read
from .._subwords import (
    SubwordTexts,
    SubwordTokenizer,
    check_known,
    check_subwords,
    distinct,
    place,
    reaching,
    surprising,
)
from ..hf import TextScorer, checkpoint, longest_input, reason, special_ids, unknown_id
from ..model_folder import is_model_folder
from ..sanity import sanity_fault
from ..selftest import reader

N_TEXTS = (128, 8_192)  # looked at together, at least and at most: to share and to fill batches
WORK = {"cpu": 1 << 37, "cuda": 1 << 41}  # texts × parameters looked at together: some seconds

T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True, slots=True, eq=False)
class PlacedQuestions:
    """Questions among the subwords of their texts, row by row. Of one that is empty or refused
    nothing is wanted."""

    texts: Sequence[str]  # each distinct text, and each distinct prefix without blanks at its end
    cuts: SubwordTexts
    whole: Integers  # which of them a question's text is
    bare: Integers  # and its prefix
    shared: Integers  # how many subwords these two have in common at their start
    n_wanted: Integers  # subwords behind those, and the end
    n_first: Integers  # how many of them are reported as the first; normally 1
    n_instead: Integers  # what the prefix alone has in their place; normally 0
    whole_words: NDArray[np.bool_]  # where a word ends with what the prefix alone has
    refused: dict[int, str]


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """Questions, and what the model is to read for them."""

    questions: Questions
    placed: PlacedQuestions
    whats: Integers  # wanted ids: those of whole texts, then those of prefixes alone
    masses: BoundaryMasses | None
    reading: ForwardPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Causal(TextScorer):
    """A causal model that scores raw text."""

    reader: CausalReader
    lead: tuple[int, ...]  # special ids in front of every text
    borders: BoundaryIds | None = None  # of words, where their probabilities are corrected
    end: str = ""  # the tokenizer's sign for the end of a text, if it has one
    end_id: int = 0
    bos_choices: tuple[str, ...] = ()  # that a user may want to compare: tokens, and "none"
    policy: str = ""  # what stands before a text, and what else moves numbers, for tables
    languages: tuple[str, ...] = ()

    def answers(self, chunks: Iterable[Questions]) -> Iterator[Answers]:
        """The answers to each chunk; a text that is too long for the model is refused in its place.
        The next chunk is cut while the model reads.

        Raises `InputError` with the start of a text that has nothing before its first subword, or
        no subword in its continuation.
        """
        for chunk in prefetched(self._prepared, chunks):
            yield self._answered(chunk, read(self.reader, chunk.reading))

    def segmented(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
        """Each text in the characters of its subwords, as answers have them."""
        cuts = self.cutter(texts)
        spans = list(zip(cuts.starts.tolist(), cuts.ends.tolist(), strict=True))
        bounds = zip(texts, cuts.offsets[:-1].tolist(), cuts.offsets[1:].tolist(), strict=True)
        return [tuple(text[a:b] for a, b in spans[first:last]) for text, first, last in bounds]

    def _prepared(self, questions: Questions) -> Chunk:
        """Questions with what the model must be asked."""
        placed = self._placed(questions)
        cuts, n_lead, n_end = placed.cuts, len(self.lead), int(questions.ends)
        starts = offsets_of(cuts.lengths + n_lead + n_end)[:-1]
        ids = np.full(len(cuts.ids) + len(starts) * (n_lead + n_end), self.end_id, np.int32)
        ids[starts[:, None] + np.arange(n_lead)] = self.lead
        ids[range_indices(starts + n_lead, cuts.lengths)] = cuts.ids
        check_known(placed.texts, ids, starts, self.reader.n_ids)
        rows, across = np.flatnonzero(placed.n_wanted), np.flatnonzero(placed.n_instead)
        counts = np.concatenate([placed.n_wanted[rows], placed.n_instead[across]])
        sequences = np.repeat(np.concatenate([placed.whole[rows], placed.bare[across]]), counts)
        firsts = placed.shared[np.concatenate([rows, across])]
        at = range_indices(firsts + n_lead - 1, counts)
        whats = ids[starts[sequences] + at + 1].astype(np.int64)
        asked: tuple[Integers, ...] = (sequences, at, whats)
        corrections = None
        if self.borders is not None:
            bounds = offsets_of(counts)
            ended = np.append(np.full(len(rows), not n_end), placed.whole_words[across])
            last = bounds[1:][ended] - 1
            corrections = masses(self.borders, whats, at, bounds[:-1], last, n_lead)
            more = corrections.asked(sequences, at)
            asked = tuple(np.concatenate(arrays) for arrays in zip(asked, more, strict=True))
        reading = prepared(IdQueries(ids, starts, *asked), self.reader)
        return Chunk(questions, placed, whats, corrections, reading)

    def _placed(self, questions: Questions) -> PlacedQuestions:
        """Find where continuations begin among the subwords of their texts."""
        prefixes, n, n_end = questions.prefixes, len(questions), int(questions.ends)
        texts, (whole, bare) = distinct(
            map(add, prefixes, questions.continuations), map(str.rstrip, prefixes)
        )
        cuts = self.cutter(texts)
        nonempty = np.fromiter(map(bool, questions.continuations), bool, n)
        n_whole, n_bare = cuts.lengths[whole], cuts.lengths[bare]
        most = np.where(nonempty, np.minimum(n_bare, n_whole), 0)
        common = shared_prefix_lengths(cuts.ids, cuts.offsets[bare], cuts.offsets[whole], most)
        n_wanted = np.where(nonempty, n_whole + n_end - common, 0)
        n_instead = np.where(nonempty, n_bare - common, 0)
        n_first, whole_words = np.ones(n, np.int64), np.zeros(n, bool)
        across = np.flatnonzero(n_instead)
        if len(across):
            borders = np.array([len(texts[number]) for number in bare[across]])
            first = reaching(texts, cuts, whole[across], common[across], borders)
            n_first[across] += first - common[across]
            for row in across.tolist():  # a blank stands between prefix and continuation
                continuation = questions.continuations[row]
                whole_words[row] = prefixes[row][-1:].isspace() or continuation[:1].isspace()
        alone = nonempty & (common == 0) & (n_whole + n_end > 0)
        if not self.lead and alone.any():
            wrong = "its first subword has no probability, since nothing precedes it"
            at, right = place(texts[whole[alone.argmax()]]), "a prefix, or --bos auto"
            raise InputError(at, wrong, right, kind="unsupported")
        refused: dict[int, str] = {}
        corrected = self.borders is not None  # then what follows a word is read as well
        for n_read, wanted in (
            (n_whole + n_end - 1 + (corrected and not n_end), n_wanted),
            (n_bare - 1 + corrected * whole_words, n_instead),
        ):
            refused.update(self.refused((len(self.lead) + n_read) * (wanted > 0)) | refused)
        rows = list(refused)
        n_wanted[rows] = n_instead[rows] = 0
        none = (n_wanted < n_first) & nonempty
        none[rows] = False
        check_subwords([texts[number] for number in whole], questions.continuations, none)
        return PlacedQuestions(
            texts, cuts, whole, bare, common, n_wanted, n_first, n_instead, whole_words, refused
        )

    def _answered(self, chunk: Chunk, log_p: NDArray[np.float64]) -> Answers:
        """The answers to a chunk, by ln p of what was asked for it."""
        placed, cuts = chunk.placed, chunk.placed.cuts
        nats = log_p[: len(chunk.whats)]
        if chunk.masses is not None:
            nats = chunk.masses.corrected(nats, log_p[len(nats) :])
        rows, across = np.flatnonzero(placed.n_wanted), np.flatnonzero(placed.n_instead)
        bounds = offsets_of(np.concatenate([placed.n_wanted[rows], placed.n_instead[across]]))
        texts = np.repeat(placed.whole[np.concatenate([rows, across])], np.diff(bounds))
        raw = surprising(nats, placed.texts, texts)
        counts = placed.n_wanted[rows]
        at = range_indices(cuts.offsets[placed.whole[rows]] + placed.shared[rows], counts)
        lengths = np.fromiter(map(len, chunk.questions.prefixes), np.int64, len(chunk.questions))
        before = np.repeat(lengths[rows], counts)
        starts, ends = (np.append(offsets, 0)[at] - before for offsets in (cuts.starts, cuts.ends))
        if chunk.questions.ends:
            last = bounds[1 : len(rows) + 1] - 1
            tails = [len(chunk.questions.continuations[row]) for row in rows.tolist()]
            starts[last] = ends[last] = tails
        oov = chunk.whats[: len(at)] == self.unknown
        kept = np.ones(len(at), dtype=bool)
        n_rows = len(rows)
        for nth, row in enumerate(across.tolist()):
            start = bounds[np.searchsorted(rows, row)]
            first = slice(start, start + placed.n_first[row])
            alone = slice(*bounds[n_rows + nth : n_rows + nth + 2])
            raw[start] = math.fsum(raw[first]) - math.fsum(raw[alone])
            ends[start], oov[start] = ends[first.stop - 1], oov[first].any()
            kept[first.start + 1 : first.stop] = False
        n_kept = np.where(placed.n_wanted, placed.n_wanted - placed.n_first + 1, 0)
        return Answers(
            offsets_of(n_kept),
            raw[: len(at)][kept].astype(np.float32),
            starts[kept].astype(np.int32),
            ends[kept].astype(np.int32),
            oov[kept],
            cuts.count(self.unknown)[placed.bare].astype(np.int32),
            NATS,
            placed.refused,
        )


def prefetched(prepare: Callable[[T], U], values: Iterable[T]) -> Iterator[U]:
    """`map(prepare, values)`, each prepared by a thread while the one before it is used.

    An error of `prepare` is raised in its place, after what comes before it.
    """
    iterator = iter(values)
    with ThreadPoolExecutor(1) as pool:
        futures = (pool.submit(prepare, value) for value in iterator)
        waiting = next(futures, None)
        while waiting is not None:
            result = waiting.result()
            waiting = next(futures, None)
            yield result


def load(spec: str, options: LoadOptions) -> Causal:
    """The model and tokenizer of `spec`, with a note if it fails the sanity gate (`sanity.py`).

    A note, not a refusal: an untrained model is a control. A model that was trained here has been
    measured on held-out text, and is a toy or not. Raises `InputError` as `loaded` does.
    """
    scorer = loaded(spec, options)
    if is_model_folder(Path(spec)):
        return scorer
    try:
        wrong = sanity_fault(scorer)
    except InputError:  # it cannot read a text of thirty words; that says nothing of its weights
        wrong = ""
    return replace(scorer, told=(*scorer.told, f"{spec}: {wrong}")) if wrong else scorer


def loaded(spec: str, options: LoadOptions) -> Causal:
    """The model and tokenizer of `spec`: a folder, or `NAME` or `NAME@REVISION` on the hub.

    Raises `InputError` for what cannot be loaded whole, for a slow tokenizer, for a model that
    looks ahead, and for options it cannot obey.
    """
    pretrained = checkpoint("causal", spec, options)
    tokenizer, device = pretrained.tokenizer, pretrained.device
    lead = special_ids(tokenizer, options.bos)
    model = pretrained.model()
    in_one_step(model)
    refusals: tuple[type[Exception], ...] = ()
    if options.compile:
        from torch._dynamo.exc import TorchDynamoException
        from torch._inductor.exc import InductorError

        refusals = (TorchDynamoException, InductorError)
        model.base_model.compile(dynamic=True)
    try:
        how = reader(model, device, spec)  # its self-test runs what is compiled
    except refusals as error:
        wrong = f"torch cannot ({reason(error)})"
        raise InputError("--compile", wrong, "no --compile", kind="unsupported") from None
    words = borders(tokenizer, options.boundary, how.n_logits, device)
    reading = {"reading": "packed" if how.shape.widest else "plain"}
    if options.compile:
        reading["compiled"] = "yes"
    bos = ",".join(map(str, lead)) or "none"
    signature = pretrained.signature(model, reading, bos=bos, boundary=options.boundary)
    choices = filter(None, (tokenizer.bos_token, tokenizer.eos_token, "none"))
    return replace(
        assemble(how, tokenizer, lead, signature),
        reader=how if words is None else replace(how, sets=words.sets),
        borders=words,
        bos_choices=tuple(dict.fromkeys(choices)),
        policy=policy_text("".join(tokenizer.convert_ids_to_tokens(lead)), options),
        told=(f"{spec}: every text is read alone: {how.why}",) if how.why else (),
    )


def in_one_step(model: Any) -> None:
    """Puts torch's own GELU in the place of those that transformers writes as six steps.

    The formula is the same (tanh approximation), rounding apart; GPT-2 is read in 0.7 of the time
    on a CPU (`bench/scoring.py`).
    """
    slow = (transformers.activations.NewGELUActivation, transformers.activations.FastGELUActivation)
    for module in [*model.modules()]:
        for name, part in module.named_children():
            if isinstance(part, slow):
                setattr(module, name, torch.nn.GELU(approximate="tanh"))


def assemble(how: CausalReader, tokenizer: Any, lead: tuple[int, ...], signature: str) -> Causal:
    """The scorer of a model and tokenizer in memory, `lead` before every text."""
    n_parameters = sum(parameter.numel() for parameter in how.model.parameters())
    wanted = WORK[how.device.type] // max(1, n_parameters)
    return Causal(
        cutter=SubwordTokenizer(tokenizer),
        reader=how,
        lead=lead,
        unknown=unknown_id(tokenizer),
        longest=longest_input(how.model),
        signature=signature,
        chunk=min(max(wanted, N_TEXTS[0]), N_TEXTS[1]),
        end=tokenizer.eos_token or "",
        end_id=tokenizer.eos_token_id or 0,
    )
