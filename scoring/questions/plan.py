"""Turn a suite into the questions that a model must answer; look up or ask for the answers.

A question is a continuation, whose surprisal is wanted, after a prefix. The continuation of a
sentence reaches from the first to the last region (named part of a sentence) that a prediction
needs. The text before is the prefix. The text after is not scored; a model that looks ahead gets it
as the suffix. Equal questions are asked once. Answers in the store are not computed again.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.arrays import Integers, Truths, blocks, offsets_of, range_indices
from ...data.formula.expression import RegionKey
from ...data.items.item import Item
from ...data.items.item_table import ItemTable, table_of
from ...data.items.prediction import WHOLE, Prediction
from ...data.items.sentences import Sentences, code_of, penn
from ...data.items.suite import Suite
from ...data.progress import Progress, silent
from ...data.store import Store, seal
from .answer_columns import (
    KEY_TYPE,
    WORD_SEP,
    Answers,
    Questions,
    answers_of,
    demand_every_word,
    n_words,
    packed_answers,
    unpacked_answers,
)
from .query import Scorer

EOS = ("none", "sentence", "region")
"""Choices for the surprisal of the end of a sentence: it is not asked for; it counts in whole
sentences (`*`) only; it counts in the last region, too, as in syntaxgym-core."""
QUESTIONS_PER_CHUNK = 256  # the number of questions in a chunk, if the scorer names no other
MINUS_NOTHING: Mapping[RegionKey, RegionKey] = MappingProxyType({})


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """The questions about a suite, with the sentences and regions that their answers belong to.

    "asked" is the number of sentences that are asked about, "regions" that of their regions from
    the first to the last one that is needed.

    Attributes:
        table: the items.
        unit: what the model reads, `words` or `text`.
        questions: first those without the end of the sentence, then those with it.
        sentence: (asked,) row of each sentence in `table.sentences`.
        question: (asked,) row of its question, counted through `questions`; −1 for an empty
            continuation.
        of_sentence: (asked + 1,) index at which the regions of each sentence begin.
        region: (regions,) row of each region in `table.sentences`.
        start: (regions,) where it begins in the continuation, in characters or words.
        end: (regions,) where it ends, half-open.
        slot: (regions,) index of the first region in the sentence with the same name.
        holds_end: (asked,) index of the region that the end of the sentence counts to, or −1.
    """

    table: ItemTable
    unit: str
    questions: Sequence[Questions]
    sentence: Integers
    question: Integers
    of_sentence: Integers
    region: Integers
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    slot: Integers
    holds_end: Integers

    @property
    def n_questions(self) -> int:
        """The number of questions."""
        return sum(map(len, self.questions))

    @property
    def begins_a_text(self) -> bool:
        """True if some question has an empty prefix."""
        return any(not prefix.strip() for part in self.questions for prefix in part.prefixes)

    @property
    def item(self) -> Integers:
        """(asked,): the row of each sentence's item."""
        return self.table.sentences.item_of_sentence()[self.sentence]

    @property
    def condition(self) -> NDArray[np.int32]:
        """(asked,): the code of each sentence's condition."""
        return self.table.sentences.condition[self.sentence]

    @property
    def name(self) -> NDArray[np.int32]:
        """(regions,): the code of each region's name."""
        return self.table.sentences.name[self.region]

    @property
    def owner(self) -> Integers:
        """(regions,): the index of each region's sentence among those that are asked about."""
        return np.repeat(np.arange(len(self.sentence)), np.diff(self.of_sentence))


def plan_suite(
    suite: Suite,
    unit: str,
    *,
    looks_ahead: bool = False,
    eos: str = "none",
    minus: Mapping[RegionKey, RegionKey] = MINUS_NOTHING,
) -> Plan:
    """Plan what the predictions of a suite need of a model, each question once.

    Args:
        suite: whose predictions find their regions (see `nonce.suite.checked`).
        unit: what the model reads, `words` or `text`.
        looks_ahead: the model is told what follows, too.
        eos: the end of the sentence: `none` (not asked for), `sentence` (part of whole sentences)
            or `region` (part of the last region, too).
        minus: (condition, region) → the one whose surprisal is subtracted, which is asked too.

    Returns:
        The distinct questions, and the regions and sentences that each answer belongs to.

    >>> from pathlib import Path
    >>> from colorless_green import load_suite
    >>> _ = Path("keys.tsv").write_text("right\\twrong\\nthe keys are .\\tthe keys is .\\n")
    >>> plan_suite(load_suite("keys.tsv"), "text").questions[0].continuations
    ['the keys are .', 'the keys is .']
    """
    table, columns = suite.table, suite.table.sentences
    item_of_sentence, owner = columns.item_of_sentence(), columns.sentence_of_region()
    needed = np.zeros(len(columns.name), bool)
    as_whole = np.zeros(len(columns.condition), bool)
    for prediction in suite.predictions:
        has_prediction = applying(prediction, table)
        cells = prediction.cells()
        for condition, region in (*cells, *(minus[cell] for cell in cells if cell in minus)):
            sentences = columns.condition == code_of(condition, columns.conditions)
            sentences &= has_prediction[item_of_sentence]
            if region == WHOLE:
                as_whole |= sentences
            else:
                needed |= sentences[owner] & (columns.name == code_of(region, columns.names))
    needed |= as_whole[owner]
    return _plan(table, unit, needed, as_whole, looks_ahead=looks_ahead, eos=eos)


def applying(prediction: Prediction, table: ItemTable) -> Truths:
    """Return (items,): True for each item that a prediction is about. An optional prediction is
    about the items that have all its conditions and regions, any other about all items."""
    return table.applies(prediction.cells()) if prediction.optional else np.ones(len(table), bool)


def plan_sentences(items: Sequence[Item], unit: str, *, looks_ahead: bool, eos: str) -> Plan:
    """Plan to ask for every sentence of every condition as a whole, without regard to predictions.

    Args:
        items: the items.
        unit: what the model reads, `words` or `text`.
        looks_ahead: the model is told what follows, too.
        eos: the end of the sentence, as for `plan_suite`.

    Returns:
        The distinct questions, and the sentence that each answer belongs to.

    >>> from pathlib import Path
    >>> from colorless_green import load_suite
    >>> _ = Path("keys.tsv").write_text("right\\twrong\\nthe keys are .\\tthe keys is .\\n")
    >>> items = load_suite("keys.tsv").items
    >>> plan_sentences(items, "text", looks_ahead=False, eos="none").n_questions
    2
    """
    table = table_of(items)
    all_regions = np.ones(len(table.sentences.name), bool)
    all_sentences = np.ones(len(table.sentences.condition), bool)
    return _plan(table, unit, all_regions, all_sentences, looks_ahead=looks_ahead, eos=eos)


def _plan(
    table: ItemTable, unit: str, needed: Truths, as_whole: Truths, *, looks_ahead: bool, eos: str
) -> Plan:
    """Return the plan for the regions of a table that are needed.

    Args:
        table: the items.
        unit: what the model reads, `words` or `text`.
        needed: (all regions of the table,) True for those that are needed.
        as_whole: (all sentences of the table,) True for those asked as a whole.
        looks_ahead: the model is told what follows, too.
        eos: one of `EOS`.
    """
    columns = table.sentences
    texts: Sequence[str] = columns.texts
    if unit == "words":
        pairs = zip(columns.texts, columns.words, strict=True)
        texts = [WORD_SEP.join(penn(text) if words is None else words) for text, words in pairs]
    sentence, first, stop = _extents(columns, needed)
    offsets = _region_offsets(columns, texts, unit)
    begin_of, end_of = columns.of_sentence[sentence], columns.of_sentence[sentence + 1]
    reaches_end = offsets[end_of] == offsets[stop]
    asks_end = reaches_end & ((eos == "region") | ((eos == "sentence") & as_whole[sentence]))
    layout = _region_layout(columns, first, stop, offsets, asks_end & (eos == "region"))
    del offsets  # for a million pairs these are many megabytes
    bounds = [begin_of, first, stop, *([end_of] if looks_ahead else [])]
    span_numbers, spans = _distinct_spans(
        columns, bounds, texts, WORD_SEP if unit == "words" else ""
    )
    del texts
    question, questions = _questions(span_numbers, spans, asks_end)
    return Plan(table, unit, questions, sentence, question, *layout)


def _extents(columns: Sentences, needed_regions: Truths) -> tuple[Integers, Integers, Integers]:
    """Return three columns over the sentences that have a needed region: the sentence, its first
    needed region, and the region after its last needed one (all as rows of the table)."""
    needed = np.flatnonzero(needed_regions)  # ascending, so those of a sentence stand together
    sentence, first = np.unique(columns.sentence_of_region()[needed], return_index=True)
    last = np.append(first[1:], len(needed))[: len(first)] - 1  # before the next sentence's first
    return sentence, needed[first], needed[last] + 1


def _region_offsets(columns: Sentences, texts: Sequence[str], unit: str) -> Integers:
    """Return (all regions + 1,) the positions at which the regions of all sentences begin, laid end
    to end, and the last one ends: in words if the model reads words, else in characters."""
    sizes = n_words(texts) if unit == "words" else np.array(list(map(len, texts)), np.int64)
    return offsets_of(sizes[columns.chunk])


def _region_layout(
    columns: Sentences, first: Integers, stop: Integers, offsets: Integers, counts_end: Truths
) -> tuple[Integers, Integers, NDArray[np.int32], NDArray[np.int32], Integers, Integers]:
    """Compute the columns of a plan that say where its regions lie: `of_sentence`, `region`,
    `start`, `end`, `slot` and `holds_end`, in this order (see `Plan`).

    Args:
        columns: the sentences of the table.
        first: (asked,) the first region of each sentence that is asked about.
        stop: (asked,) the region after its last.
        offsets: as `_region_offsets` returns them.
        counts_end: (asked,) True if the end of the sentence counts to its last region with text.
    """
    n_regions = stop - first
    of_sentence, region = offsets_of(n_regions), range_indices(first, n_regions)
    owner = np.repeat(np.arange(len(first)), n_regions)  # the sentence of each region
    holds_end = np.full(len(first), -1)
    with_text = np.flatnonzero((offsets[region + 1] > offsets[region]) & counts_end[owner])
    holds_end[owner[with_text]] = with_text  # later regions overwrite earlier ones
    base = np.repeat(offsets[first], n_regions)
    start = (offsets[region] - base).astype(np.int32)
    end = (offsets[region + 1] - base).astype(np.int32)
    slot = _slots(columns.name[region], owner, len(columns.names))
    return of_sentence, region, start, end, slot, holds_end


def _distinct_spans(
    columns: Sentences, bounds: Sequence[Integers], texts: Sequence[str], separator: str
) -> tuple[list[Integers], list[str]]:
    """Join the regions of each sentence into its prefix, continuation and suffix, and number the
    distinct texts.

    Args:
        columns: the sentences of the table; their `chunk` numbers the text of each region.
        bounds: three or four columns over sentences: the regions at which its prefix begins, its
            continuation begins, its continuation ends and, for a suffix, the sentence ends.
        texts: the distinct texts of regions, as the model reads them.
        separator: put between the texts of regions.

    Returns:
        For prefixes, continuations and, if there are four bounds, suffixes: (asked,) numbers. Then
        the texts, by number.
    """
    number_of: dict[str, int] = {}  # text → its number
    columns_of_numbers = []
    for starts, ends in pairwise(bounds):
        number = np.empty(len(starts), np.int64)
        for n_regions in np.unique(ends - starts).tolist():  # spans of one length at a time
            rows = np.flatnonzero(ends - starts == n_regions)
            begin = starts[rows]
            text_columns = [columns.chunk[begin + k] for k in range(n_regions)]
            distinct, distinct_of_row = _distinct_rows(text_columns, len(rows))
            steps, numbers = np.arange(n_regions), []
            for firsts in blocks(begin[distinct]):
                # a row for each span, with the numbers of the texts of its regions
                for text_indexes in columns.chunk[firsts[:, None] + steps].tolist():
                    text = separator.join(filter(None, [texts[n] for n in text_indexes]))
                    numbers.append(number_of.setdefault(text, len(number_of)))
            number[rows] = np.array(numbers, np.int64)[distinct_of_row]
        columns_of_numbers.append(number)
    return columns_of_numbers, list(number_of)


def _slots(name: NDArray[np.int32], owner: Integers, n_names: int) -> Integers:
    """Return for each region the index of the first region of the same name in its sentence, which
    is itself unless a name comes twice. `owner` is the sentence of each region."""
    owners_by_name = (owner[name == code] for code in range(n_names))
    if not any((owners[1:] == owners[:-1]).any() for owners in owners_by_name):
        return np.arange(len(name))
    first_index, distinct_of_row = _distinct_rows([owner, name], len(name))
    return first_index[distinct_of_row]


def _distinct_rows(columns: Iterable[NDArray[Any]], n: int) -> tuple[Integers, Integers]:
    """Find the distinct rows of a table with some columns of `n` integers. Return two arrays: for
    each distinct row, in ascending order, the index at which it first occurs; for each of the `n`
    rows, the number of its distinct row."""
    first_index, distinct_of_row = np.zeros(min(n, 1), np.int64), np.zeros(n, np.int64)
    for column in columns:
        key = distinct_of_row * (int(column.max(initial=0)) + 1) + column
        _, first_index, distinct_of_row = np.unique(key, return_index=True, return_inverse=True)
    return first_index, distinct_of_row


def _questions(
    span_numbers: Sequence[Integers], spans: Sequence[str], asks_end: Truths
) -> tuple[Integers, list[Questions]]:
    """Make the distinct questions, in the order of their texts, so that those with one prefix are
    neighbours.

    Args:
        span_numbers: (asked,) numbers of prefixes, of continuations and perhaps of suffixes.
        spans: the texts that these number.
        asks_end: (asked,) True for a sentence asked with its end; its question comes last.

    Returns:
        (asked,) the question of each sentence, −1 for an empty continuation; and the questions.
    """
    rank = np.empty(len(spans), np.int64)  # of each text among all
    rank[sorted(range(len(spans)), key=spans.__getitem__)] = np.arange(len(spans))
    _, continuations, *_ = span_numbers
    is_empty = np.array([not text for text in spans], bool)[continuations]
    question, questions, n_before = np.full(len(is_empty), -1), [], 0
    for with_end in (False, True):
        rows = np.flatnonzero((asks_end == with_end) & (asks_end | ~is_empty))
        if len(rows):
            ranks = (rank[numbers[rows]] for numbers in span_numbers)
            distinct, distinct_of_row = _distinct_rows(ranks, len(rows))
            columns = (numbers[rows[distinct]].tolist() for numbers in span_numbers)
            prefixes, texts, *suffixes = [[spans[n] for n in column] for column in columns]
            suffix = suffixes[0] if suffixes else None
            questions.append(Questions(prefixes, texts, suffix, with_end))
            question[rows] = n_before + distinct_of_row
            n_before += len(distinct)
    return question, questions


def stored_answers(store: Store, model_id: int, plan: Plan) -> Iterator[tuple[Integers, Answers]]:
    """Look up the answers that the store has to the questions of a plan.

    Args:
        store: the store.
        model_id: the number of the model there.
        plan: the questions.

    Yields:
        Rows of the plan's questions, and their answers.
    """
    yield from _stored(store, model_id, _keys(plan))


def answer_plan(
    scorer: Scorer,
    plan: Plan,
    store: Store | None = None,
    model_id: int = 0,
    *,
    progress: Progress = silent,
) -> Iterator[tuple[Integers, Answers]]:
    """Answer every question of a plan, first from the store, then by the model.

    Args:
        scorer: the model.
        plan: the questions.
        store: where answers are looked up, and kept chunk by chunk, so that an interrupted run
            loses one chunk at most; None: nothing is looked up or kept.
        model_id: the number of the model in the store.
        progress: is told how many questions are answered.

    Yields:
        Rows of the plan's questions, and their answers.

    >>> from pathlib import Path
    >>> from colorless_green import load_model, load_suite
    >>> from colorless_green.scoring import plan_suite
    >>> _ = Path("words.txt").write_text("the key keys is are old .")
    >>> _ = Path("keys.tsv").write_text("right\\twrong\\nthe keys are .\\tthe keys is .\\n")
    >>> plan = plan_suite(load_suite("keys.tsv"), "words")
    >>> [rows.tolist() for rows, _ in answer_plan(load_model("uniform:words.txt").scorer, plan)]
    [[0, 1]]
    """
    keys = np.zeros(0, KEY_TYPE) if store is None else _keys(plan)
    is_open = np.ones(plan.n_questions, bool)
    n_done = 0
    for rows, answers in _stored(store, model_id, keys) if store is not None else ():
        is_open[rows] = False
        yield rows, answers
        n_done += len(rows)
        progress("queries scored", n_done, plan.n_questions)
    offset = 0  # the plan's row of the first of these questions
    for questions in plan.questions:
        rows = offset + np.flatnonzero(is_open[offset : offset + len(questions)])
        size = getattr(scorer, "chunk", QUESTIONS_PER_CHUNK)
        rows_by_chunk = [rows[start : start + size] for start in range(0, len(rows), size)]
        chunks = (questions.take((chunk - offset).tolist()) for chunk in rows_by_chunk)
        for chunk, answers in zip(rows_by_chunk, answers_of(scorer, chunks), strict=True):
            if plan.unit == "words":
                demand_every_word(questions, (chunk - offset).tolist(), answers)
            if store is not None:
                key_bytes, packed = keys[chunk].tobytes(), seal(packed_answers(answers))
                with store.transaction():
                    row = {"model_id": model_id, "keys": key_bytes, "answers": packed}
                    store.insert("score", row)
            yield chunk, answers
            n_done += len(chunk)
            progress("queries scored", n_done, plan.n_questions)
        offset += len(questions)


def _keys(plan: Plan) -> NDArray[np.bytes_]:
    """Return (questions,) the key under which the store has the answer to each question of a plan:
    a hash of 16 bytes."""
    keys = [questions.keys(plan.unit) for questions in plan.questions]
    return np.concatenate([np.zeros(0, KEY_TYPE), *keys])


def _stored(
    store: Store, model_id: int, wanted: NDArray[np.bytes_]
) -> Iterator[tuple[Integers, Answers]]:
    """Look up answers of a model in the store, by the keys (hashes) of their questions. The store
    keeps answers in blocks; a block without a wanted key is not unpacked.

    Args:
        store: the store.
        model_id: the number of the model there.
        wanted: the keys.

    Yields:
        For each block the rows in `wanted` of the keys that it has, and their answers.
    """
    # the first two bytes of a key, a number below 2^16, already rule out most keys of a block
    is_wanted_start = np.zeros(1 << 16, bool)
    is_wanted_start[_first_two_bytes(wanted)] = True
    # keys are sorted, and searched, by their first halves, which are numbers
    order = np.argsort(_first_half(wanted))
    ordered = _first_half(wanted)[order]
    is_found = np.zeros(len(wanted), bool)
    blocks = store.rows("SELECT score_id, keys FROM score WHERE model_id = ?", (model_id,))
    for block in list(blocks) if len(wanted) else ():  # listed, since the loop asks the store, too
        keys = np.frombuffer(block["keys"], KEY_TYPE)
        candidates = np.flatnonzero(is_wanted_start[_first_two_bytes(keys)])
        halves = _first_half(keys[candidates])
        index = np.minimum(np.searchsorted(ordered, halves), len(ordered) - 1)
        same_half = ordered[index] == halves
        candidates, rows = candidates[same_half], order[index[same_half]]
        is_new = (wanted[rows] == keys[candidates]) & ~is_found[rows]
        hits, rows = candidates[is_new], rows[is_new]
        if not len(hits):
            continue
        is_found[rows] = True
        row = store.one("SELECT answers FROM score WHERE score_id = ?", (block["score_id"],))
        assert row is not None
        yield rows, unpacked_answers(store.unseal(row["answers"])).take(hits)


def _first_two_bytes(keys: NDArray[np.bytes_]) -> NDArray[np.uint16]:
    """Return the first two bytes of each key as a number: every eighth pair of bytes."""
    return keys.view(np.uint16)[::8]


def _first_half(keys: NDArray[np.bytes_]) -> NDArray[np.uint64]:
    """Return the first 8 bytes of each key, half of them, as a number."""
    return np.ascontiguousarray(keys.view(np.uint64)[::2])
