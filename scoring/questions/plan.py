"""A suite to the questions a model must answer, in columns, each asked once.

Only the regions that predictions need are asked for: what stands before the first of them is the
prefix, what stands after the last is never computed, and told only to a model that looks ahead, as
the suffix. Equal continuations of a prefix are asked once, in whatever items they stand. What the
store has not is asked of the model.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.arrays import Integers, Truths, blocks, offsets_of
from ...data.formula.expression import RegionKey
from ...data.items.item import Item
from ...data.items.item_table import ItemTable, table_of
from ...data.items.prediction import WHOLE, Prediction
from ...data.items.sentences import Sentences, code_of, penn
from ...data.items.suite import Suite
from ...data.progress import Progress, silent
from ...data.store import Store, sealed
from .answer_columns import (
    KEY,
    WORD,
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
"""What becomes of the end of the sentence where a model says it: not asked for; part of the whole
sentence (`*`) alone; part of its last region too, as syntaxgym-core has it."""
CHUNK = 256  # questions at once to a scorer that does not say how many it likes
MINUS_NOTHING: Mapping[RegionKey, RegionKey] = MappingProxyType({})


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """The sentences that are asked about, with the regions of what is asked, and the questions.

    Sentences are those of `table.sentences`, regions those from the first to the last one wanted.

    Attributes:
        table: the items.
        unit: what the model reads, `words` or `text`.
        questions: those without and those with the end of the sentence.
        sentence: (asked,) row in `table.sentences`.
        question: (asked,) row in the questions; −1 for an empty continuation.
        of_sentence: (asked + 1,) where the regions of each begin.
        region: (regions,) row in the regions of `table.sentences`.
        start: (regions,) where each begins in the continuation, in characters or words.
        end: (regions,) where it ends, half-open.
        slot: (regions,) the first region of the sentence that has this one's name.
        holds_end: (asked,) the region that the end of the sentence counts to, or −1.
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
        """True where something is asked that nothing precedes."""
        return any(not prefix.strip() for part in self.questions for prefix in part.prefixes)

    @property
    def item(self) -> Integers:
        """(asked,): the item of each sentence."""
        return self.table.sentences.item()[self.sentence]

    @property
    def condition(self) -> NDArray[np.int32]:
        """(asked,): its condition."""
        return self.table.sentences.condition[self.sentence]

    @property
    def name(self) -> NDArray[np.int32]:
        """(regions,): the number of its name."""
        return self.table.sentences.name[self.region]

    @property
    def owner(self) -> Integers:
        """(regions,): which of the sentences that are asked about it is in."""
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
        minus: (condition, region) → a further one that it needs.

    Returns:
        The distinct questions, and which region of which sentence each answer is about.

    >>> from pathlib import Path
    >>> from colorless_green import load_suite
    >>> _ = Path("keys.tsv").write_text("right\\twrong\\nthe keys are .\\tthe keys is .\\n")
    >>> plan_suite(load_suite("keys.tsv"), "text").questions[0].continuations
    ['the keys are .', 'the keys is .']
    """
    table, columns = suite.table, suite.table.sentences
    item, owner = columns.item(), columns.sentence()
    regions = np.zeros(len(columns.name), bool)
    complete = np.zeros(len(columns.condition), bool)
    for prediction in suite.predictions:
        concerned = applying(prediction, table)
        cells = prediction.cells()
        for condition, region in (*cells, *(minus[cell] for cell in cells if cell in minus)):
            sentences = columns.condition == code_of(condition, columns.conditions)
            sentences &= concerned[item]
            if region == WHOLE:
                complete |= sentences
            else:
                regions |= sentences[owner] & (columns.name == code_of(region, columns.names))
    return _plan(table, unit, regions | complete[owner], complete, looks_ahead=looks_ahead, eos=eos)


def applying(prediction: Prediction, table: ItemTable) -> Truths:
    """Return (items,): whether a prediction is about each: an optional one about those that have
    all its conditions and regions, another one about all."""
    return table.applies(prediction.cells()) if prediction.optional else np.ones(len(table), bool)


def plan_sentences(items: Sequence[Item], unit: str, *, looks_ahead: bool, eos: str) -> Plan:
    """Plan to ask for every sentence of every condition as a whole, whatever is predicted of it.

    Args:
        items: the items.
        unit: what the model reads, `words` or `text`.
        looks_ahead: the model is told what follows, too.
        eos: the end of the sentence, as of `plan_suite`.

    Returns:
        The distinct questions, and which sentence each answer is about.

    >>> from pathlib import Path
    >>> from colorless_green import load_suite
    >>> _ = Path("keys.tsv").write_text("right\\twrong\\nthe keys are .\\tthe keys is .\\n")
    >>> items = load_suite("keys.tsv").items
    >>> plan_sentences(items, "text", looks_ahead=False, eos="none").n_questions
    2
    """
    table = table_of(items)
    regions = np.ones(len(table.sentences.name), bool)
    complete = np.ones(len(table.sentences.condition), bool)
    return _plan(table, unit, regions, complete, looks_ahead=looks_ahead, eos=eos)


def _plan(
    table: ItemTable, unit: str, regions: Truths, complete: Truths, *, looks_ahead: bool, eos: str
) -> Plan:
    """Return the plan for some regions of a table; `complete` marks sentences asked as a whole."""
    columns = table.sentences
    texts: Sequence[str] = columns.texts
    if unit == "words":
        words = zip(columns.texts, columns.words, strict=True)
        texts = [WORD.join(penn(text) if own is None else own) for text, own in words]
    sentence, low, high = _extents(columns, regions)
    ends = _ends(columns, texts, unit)
    start_of, end_of = columns.of_sentence[sentence], columns.of_sentence[sentence + 1]
    to_the_end = ends[end_of] == ends[high]
    asks_end = to_the_end & ((eos == "region") | ((eos == "sentence") & complete[sentence]))
    layout = _laid_out(columns, low, high, ends, asks_end & (eos == "region"))
    del ends  # of a million pairs it is many megabytes
    bounds = [start_of, low, high, *[end_of] * looks_ahead]
    parts, stretches = _stretches(columns, bounds, texts, WORD if unit == "words" else "")
    del texts
    question, questions = _questions(parts, stretches, asks_end)
    return Plan(table, unit, questions, sentence, question, *layout)


def _extents(columns: Sentences, regions: Truths) -> tuple[Integers, Integers, Integers]:
    """Return the sentences with a region that is asked, the first such region of each, and the
    region after the last."""
    chosen = np.flatnonzero(regions)
    sentence, first = np.unique(columns.sentence()[chosen], return_index=True)
    last = np.append(first[1:], len(chosen))[: len(first)] - 1
    return sentence, chosen[first], chosen[last] + 1


def _ends(columns: Sentences, texts: Sequence[str], unit: str) -> Integers:
    """Return where each region begins if all are laid end to end, in characters or words; one more
    for the last end."""
    sizes = n_words(texts) if unit == "words" else np.array(list(map(len, texts)), np.int64)
    return offsets_of(sizes[columns.chunk])


def _laid_out(
    columns: Sentences, low: Integers, high: Integers, ends: Integers, holds: Truths
) -> tuple[Integers, Integers, NDArray[np.int32], NDArray[np.int32], Integers, Integers]:
    """Return `of_sentence`, `region`, `start`, `end`, `slot` and `holds_end` of a plan.

    Args:
        columns: the sentences.
        low: the first region of each sentence that is asked.
        high: the region after its last.
        ends: as `_ends` has them.
        holds: the sentences whose last region with text holds the end of the sentence.
    """
    n_regions = high - low
    of_sentence = np.concatenate([[0], np.cumsum(n_regions)]).astype(np.int64)
    owner = np.repeat(np.arange(len(low)), n_regions)
    region = np.arange(of_sentence[-1]) + np.repeat(low - of_sentence[:-1], n_regions)
    holds_end = np.full(len(low), -1)
    filled = np.flatnonzero((ends[region + 1] > ends[region]) & holds[owner])
    holds_end[owner[filled]] = filled  # later regions overwrite earlier ones
    base = np.repeat(ends[low], n_regions)
    start, end = ((ends[region + k] - base).astype(np.int32) for k in (0, 1))
    slot = _slots(columns.name[region], owner, len(columns.names))
    return of_sentence, region, start, end, slot, holds_end


def _stretches(
    columns: Sentences, bounds: Sequence[Integers], texts: Sequence[str], separator: str
) -> tuple[list[Integers], list[str]]:
    """Return every prefix, continuation and suffix once, and for each sentence their numbers.

    Args:
        columns: the sentences.
        bounds: the regions at which prefixes, continuations and suffixes begin and end.
        texts: by chunk.
        separator: between the texts of regions.
    """
    numbered: dict[str, int] = {}
    parts = []
    for starts, ends in pairwise(bounds):
        number = np.empty(len(starts), np.int64)
        for length in np.unique(ends - starts).tolist():
            rows = np.flatnonzero(ends - starts == length)
            begin = starts[rows]
            unique, which = _distinct([columns.chunk[begin + k] for k in range(length)], len(rows))
            steps, numbers = np.arange(length), []
            for firsts in blocks(begin[unique]):
                for chunks in columns.chunk[firsts[:, None] + steps].tolist():
                    text = separator.join(filter(None, [texts[n] for n in chunks]))
                    numbers.append(numbered.setdefault(text, len(numbered)))
            number[rows] = np.array(numbers, np.int64)[which]
        parts.append(number)
    return parts, list(numbered)


def _slots(name: NDArray[np.int32], owner: Integers, n_names: int) -> Integers:
    """Return for each region the first one of its sentence that has its name: as a rule itself."""
    by_name = (owner[name == code] for code in range(n_names))
    if not any((numbers[1:] == numbers[:-1]).any() for numbers in by_name):
        return np.arange(len(name))
    index, which = _distinct([owner, name], len(name))
    return index[which]


def _distinct(columns: Iterable[NDArray[Any]], n: int) -> tuple[Integers, Integers]:
    """Return the index at which each distinct row of some columns of `n` numbers first occurs, in
    order, and for each row the number of its distinct row."""
    index, which = np.zeros(min(n, 1), np.int64), np.zeros(n, np.int64)
    for column in columns:
        key = which * (int(column.max(initial=0)) + 1) + column
        _, index, which = np.unique(key, return_index=True, return_inverse=True)
    return index, which


def _questions(
    parts: Sequence[Integers], stretches: Sequence[str], asks_end: Truths
) -> tuple[Integers, list[Questions]]:
    """Return the question of each sentence, −1 for an empty one, and the distinct questions in the
    order of their texts, so that what begins alike is together.

    Args:
        parts: prefixes, continuations and, for a model that looks ahead, suffixes, by number.
        stretches: their texts.
        asks_end: which are asked with the end of the sentence: these come last.
    """
    rank = np.empty(len(stretches), np.int64)
    rank[sorted(range(len(stretches)), key=stretches.__getitem__)] = np.arange(len(stretches))
    empty = np.array([not stretch for stretch in stretches], bool)[parts[1]]
    question, questions, n_done = np.full(len(parts[0]), -1), [], 0
    for with_end in (False, True):
        rows = np.flatnonzero((asks_end == with_end) & (asks_end | ~empty))
        if len(rows):
            index, which = _distinct((rank[part[rows]] for part in parts), len(rows))
            columns = (part[rows[index]].tolist() for part in parts)
            texts = [[stretches[n] for n in numbers] for numbers in columns]
            suffixes = texts[2] if len(parts) > 2 else None
            questions.append(Questions(texts[0], texts[1], suffixes, with_end))
            question[rows] = n_done + which
            n_done += len(index)
    return question, questions


def stored_answers(store: Store, model_id: int, plan: Plan) -> Iterator[tuple[Integers, Answers]]:
    """Look up what the store knows of the questions of a plan.

    Args:
        store: the store.
        model_id: the model there.
        plan: what is wanted of it.

    Yields:
        Rows of the plan's questions with their answers.
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
    """Get every answer that a plan needs: those that the store knows, and the rest from the model.

    Args:
        scorer: the model.
        plan: what is wanted of it.
        store: where answers are looked up, and kept chunk by chunk, so that an interrupted run
            loses no more than one; None for neither.
        model_id: of the model in the store.
        progress: is told how many questions are answered.

    Yields:
        Rows of the plan's questions with their answers.

    >>> from pathlib import Path
    >>> from colorless_green import load_model, load_suite
    >>> from colorless_green.scoring import plan_suite
    >>> _ = Path("words.txt").write_text("the key keys is are old .")
    >>> _ = Path("keys.tsv").write_text("right\\twrong\\nthe keys are .\\tthe keys is .\\n")
    >>> plan = plan_suite(load_suite("keys.tsv"), "words")
    >>> [rows.tolist() for rows, _ in answer_plan(load_model("uniform:words.txt").scorer, plan)]
    [[0, 1]]
    """
    keys = np.zeros(0, KEY) if store is None else _keys(plan)
    unknown = np.ones(plan.n_questions, bool)
    n_done = 0
    for rows, answered in _stored(store, model_id, keys) if store is not None else ():
        unknown[rows] = False
        yield rows, answered
        n_done += len(rows)
        progress("queries scored", n_done, plan.n_questions)
    offset = 0
    for questions in plan.questions:
        rows = offset + np.flatnonzero(unknown[offset : offset + len(questions)])
        size = getattr(scorer, "chunk", CHUNK)
        parts = [rows[start : start + size] for start in range(0, len(rows), size)]
        chunks = (questions.take((part - offset).tolist()) for part in parts)
        for part, reply in zip(parts, answers_of(scorer, chunks), strict=True):
            if plan.unit == "words":
                demand_every_word(questions, (part - offset).tolist(), reply)
            if store is not None:
                key_bytes = keys[part].tobytes()
                packed = sealed(packed_answers(reply))
                row = {"model_id": model_id, "keys": key_bytes, "answers": packed}
                with store.transaction():
                    store.insert("score", row)
            yield part, reply
            n_done += len(part)
            progress("queries scored", n_done, plan.n_questions)
        offset += len(questions)


def _keys(plan: Plan) -> NDArray[np.bytes_]:
    keys = [questions.keys(plan.unit) for questions in plan.questions]
    return np.concatenate([np.zeros(0, KEY), *keys])


def _stored(
    store: Store, model_id: int, requested: NDArray[np.bytes_]
) -> Iterator[tuple[Integers, Answers]]:
    beginnings = np.zeros(1 << 16, bool)  # of two bytes: most keys of a block have none of few
    beginnings[requested.view(np.uint16)[::8]] = True
    # sorted and searched by the first half of each, a number
    order = np.argsort(_first_half(requested))
    ordered = _first_half(requested)[order]
    seen = np.zeros(len(requested), bool)
    blocks = store.rows("SELECT score_id, keys FROM score WHERE model_id = ?", (model_id,))
    for block in list(blocks) if len(requested) else ():
        keys = np.frombuffer(block["keys"], KEY)
        near = np.flatnonzero(beginnings[keys.view(np.uint16)[::8]])
        halves = _first_half(keys[near])
        index = np.minimum(np.searchsorted(ordered, halves), len(ordered) - 1)
        near, rows = near[ordered[index] == halves], order[index[ordered[index] == halves]]
        new = (requested[rows] == keys[near]) & ~seen[rows]
        hits, rows = near[new], rows[new]
        if not len(hits):
            continue
        seen[rows] = True
        row = store.one("SELECT answers FROM score WHERE score_id = ?", (block["score_id"],))
        assert row is not None
        yield rows, unpacked_answers(store.unsealed(row["answers"])).take(hits)


def _first_half(keys: NDArray[np.bytes_]) -> NDArray[np.uint64]:
    """Return the first 8 bytes of each key as a number."""
    return np.ascontiguousarray(keys.view(np.uint64)[::2])
