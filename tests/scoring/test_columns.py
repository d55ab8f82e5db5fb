"""Component oracle. Questions, answers, surprisals in columns, against plain loops over objects."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from colorless_green.data import Item, Prediction, Region, Suite, parse_prediction
from colorless_green.scoring import (
    METRICS,
    Answers,
    Plan,
    Stretch,
    Surprisals,
    cell_values,
    packed_answers,
    plan_suite,
    region_frame,
    surprisal_of,
)
from colorless_green.scoring.questions.answer_columns import unpacked_answers
from tests.builders import few_examples
from tests.scoring.column_oracle import PLAIN, Key, stretch, values, wanted

WORD = "\x1f"
UNITS = (1.0, math.log2(10), 1 / math.log(2))  # bits, log10, nats
bits = st.floats(0, 60, width=32) | st.floats(-3, 3, width=32)
Span = tuple[int, int]


def spans_of(length: int, cuts: Sequence[int], before: int, end: bool) -> tuple[Span, ...]:
    """Return a stretch cut into subwords, the first of which may begin before it; the end behind
    it."""
    places = sorted({0, length, *cuts}) if length else []
    found = list(pairwise(places))
    if found and before:
        found[0] = (-before, found[0][1])
        if cuts and cuts[0] == 0:  # one that is of the prefix altogether
            found.insert(0, (-before - 1, -before))
    return (*found, *[(length, length)] * end)


@st.composite
def surprisals(draw: st.DrawFn, length: int, unit: str, end: bool = False) -> Surprisals:
    """Return an answer that a model might give of a stretch of that length."""
    if draw(st.integers(0, 9)) == 0:
        return Surprisals((), (), (), draw(st.sampled_from(["too long", "ß, \n"])))
    cuts = range(1, length)
    if unit == "text":
        cuts = draw(st.lists(st.integers(0, length), max_size=5))  # type: ignore[assignment]
    before = draw(st.integers(0, 3)) if unit == "text" else 0
    spans = spans_of(length, cuts, before, end)
    return Surprisals(
        tuple(draw(bits) for _ in spans), spans, tuple(draw(st.booleans()) for _ in spans)
    )


def answers_of(
    every: Sequence[Surprisals],
    prefix_oov: Sequence[int],
    *,
    dtype: str = "float64",
    unit: float = 1.0,
) -> Answers:
    spans = np.array([span for each in every for span in each.spans], np.int32).reshape(-1, 2)
    return Answers(
        np.cumsum([0, *(len(each.bits) for each in every)]),
        np.array([each for one in every for each in one.bits], dtype),
        spans[:, 0],
        spans[:, 1],
        np.array([each for one in every for each in one.oov], bool),
        np.array(prefix_oov, np.int32),
        unit,
        {n: each.refused for n, each in enumerate(every) if each.refused},
    )


def same(one: Answers, other: Answers) -> bool:
    """Whether two are equal to the last bit."""
    columns = ("offsets", "raw", "starts", "ends", "oov", "prefix_oov")
    pairs = [(getattr(one, name), getattr(other, name)) for name in columns]
    equal = all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in pairs)
    return equal and (one.unit, dict(one.refused)) == (other.unit, dict(other.refused))


@st.composite
def any_answers(draw: st.DrawFn, dtype: str, unit: float) -> Answers:
    """Answers of every kind that the store tells apart, in any order."""
    anything = st.integers(-400, 70_000)
    odd = st.builds(
        lambda spans: Surprisals((1.5,) * len(spans), tuple(spans), (True,) * len(spans)),
        st.lists(st.tuples(anything, anything), max_size=3),
    )
    some = st.sampled_from(["words", "text"]).flatmap(
        lambda kind: st.integers(0, 700).flatmap(
            lambda length: surprisals(min(length, 9) if kind == "words" else length, kind)
        )
    )
    every = draw(st.lists(some | odd, min_size=1, max_size=6))
    around = st.lists(st.integers(0, 70_000), min_size=len(every), max_size=len(every))
    return answers_of(every, draw(around), dtype=dtype, unit=unit)


kinds = st.tuples(st.sampled_from(["float32", "float64"]), st.sampled_from(UNITS))


@given(kinds.flatmap(lambda kind: any_answers(*kind)), st.data())
def test_answers_are_kept_to_the_last_bit(answers: Answers, data: st.DataObject) -> None:
    assert same(unpacked_answers(packed_answers(answers)), answers)
    rows = data.draw(st.lists(st.integers(0, len(answers) - 1), max_size=8))
    taken = answers.take(np.array(rows, np.int64))
    assert same(unpacked_answers(packed_answers(taken)), taken)
    assert same(unpacked_answers(packed_answers(answers)).take(np.array(rows, np.int64)), taken)
    objects = every(answers)
    assert every(taken) == [objects[n] for n in rows]


def every(answers: Answers) -> list[tuple[Surprisals, int]]:
    """Each answer as an object, in bits, with the number of unknown words around."""
    bounds, spans = answers.offsets.tolist(), zip(answers.starts, answers.ends, strict=True)
    own_spans = [(int(start), int(end)) for start, end in spans]
    found = []
    for n, (start, end) in enumerate(pairwise(bounds)):
        bits = tuple(answers.bits[start:end].tolist())
        oov = tuple(answers.oov[start:end].tolist())
        told = Surprisals(bits, tuple(own_spans[start:end]), oov, answers.refused.get(n, ""))
        found.append((told, int(answers.prefix_oov[n])))
    return found


@pytest.mark.parametrize("width", [0, 1, 127, 128, 255, 256])
@pytest.mark.parametrize("gap", [-129, -128, -127, 0, 127, 128, 255, 256])
def test_spans_are_kept_at_the_edges_of_what_a_byte_holds(gap: int, width: int) -> None:
    first = (gap, gap + width)
    second = (first[1] + gap, first[1] + gap + width)
    answers = answers_of([Surprisals((1.0, 2.0), (first, second), (False, True))], [0])
    assert same(unpacked_answers(packed_answers(answers)), answers)


NAMES = ("a", "b", "c")
CONDITIONS = ("x", "y")
pieces = st.sampled_from(["", "", " ", "a", " ab", " the keys", "他喜", " é", "word"])
region = st.builds(
    lambda name, text, words: Region(name, tuple(text.split()) if words is None else words, text),
    st.sampled_from(NAMES),
    pieces,
    st.none() | st.lists(st.sampled_from(["u", "v w", "é"]), max_size=2).map(tuple),
)
wordings = st.lists(region, min_size=1, max_size=4).map(tuple)
conditions = st.dictionaries(
    st.sampled_from(CONDITIONS), st.lists(wordings, min_size=1, max_size=2).map(tuple), min_size=1
)


def prediction(number: int, cells: Sequence[tuple[str, str]]) -> Prediction:
    formula = " & ".join(f"({name};%{condition}%) < 1" for condition, name in cells)
    return parse_prediction(formula, f"p{number}", "here", optional=True)


cells = st.tuples(st.sampled_from(CONDITIONS), st.sampled_from([*NAMES, "*"]))


@st.composite
def suites(draw: st.DrawFn) -> Suite:
    """Items of few texts, so that questions come twice, with predictions of a part of them."""
    every = draw(st.lists(conditions, min_size=1, max_size=3))
    items = tuple(
        Item(f"i{n}", "suite", f"i{n}", "en", "here", "", own) for n, own in enumerate(every)
    )
    wanted_ones = draw(st.lists(st.lists(cells, min_size=1, max_size=2), min_size=1, max_size=3))
    return Suite("s", items, tuple(prediction(n, own) for n, own in enumerate(wanted_ones)))


@dataclass(frozen=True)
class How:
    unit: str
    looks_ahead: bool
    eos: str


hows = st.builds(
    How,
    st.sampled_from(["text", "words"]),
    st.booleans(),
    st.sampled_from(["none", "sentence", "region"]),
)


def planned(suite: Suite, how: How) -> Plan:
    return plan_suite(suite, how.unit, looks_ahead=how.looks_ahead, eos=how.eos)


def keys(plan: Plan) -> list[Key]:
    own, ids = plan.table.sentences, plan.table.frame["item_id"].to_list()
    names = [own.conditions[n] for n in plan.condition.tolist()]
    index = own.index[plan.sentence].tolist()
    return list(zip((ids[n] for n in plan.item.tolist()), names, index, strict=True))


def questions(plan: Plan) -> list[tuple[Any, Any, Any, bool]]:
    """Prefix, continuation, suffix, end, as scorers of objects take them."""

    def taken(text: str) -> Stretch:
        if plan.unit == "words":
            return tuple(text.split(WORD)) if text else ()
        return text

    return [
        (
            taken(prefix),
            taken(continuation),
            None if part.suffixes is None else taken(part.suffixes[n]),
            part.ends,
        )
        for part in plan.questions
        for n, (prefix, continuation) in enumerate(
            zip(part.prefixes, part.continuations, strict=True)
        )
    ]


@given(suites(), hows)
def test_a_plan_asks_everything_once_and_knows_where_its_regions_are(
    suite: Suite, how: How
) -> None:
    plan = planned(suite, how)
    expected = wanted(suite, how.unit, how.looks_ahead, how.eos)
    assert set(keys(plan)) == set(expected)
    assert len(plan.sentence) == len(expected)
    every = questions(plan)
    assert len(set(every)) == len(every) == plan.n_questions
    filled = [each for each in expected.values() if each.continuation or each.ends]
    assert set(every) == {each.question for each in filled}
    names, of = plan.table.sentences.names, plan.of_sentence.tolist()
    wordings = {
        (item.item_id, condition, n): wording
        for item in suite.items
        for condition, own in item.conditions.items()
        for n, wording in enumerate(own)
    }
    for n, key in enumerate(keys(plan)):
        told, rows = expected[key], range(of[n], of[n + 1])
        spans = [(names[plan.name[m]], int(plan.start[m]), int(plan.end[m])) for m in rows]
        assert tuple(spans) == told.regions
        assert [plan.slot[m] - of[n] for m in rows] == [
            [name for name, _, _ in spans].index(name) for name, _, _ in spans
        ]
        held = plan.holds_end[n]
        assert (names[plan.name[held]] if held >= 0 else "") == told.holds_end
        sentence = stretch(wordings[key], how.unit)
        if plan.question[n] < 0:
            assert told not in filled
            continue
        prefix, continuation, suffix, ends = every[plan.question[n]]
        assert (prefix, continuation, suffix, ends) == told.question
        assert sentence[: len(prefix + continuation)] == prefix + continuation
        if how.looks_ahead:
            assert sentence == prefix + continuation + suffix


@few_examples
@given(suites(), hows, st.data())
def test_regions_and_sentences_are_worth_what_a_loop_over_subwords_says(
    suite: Suite, how: How, data: st.DataObject
) -> None:
    plan = planned(suite, how)
    expected = wanted(suite, how.unit, how.looks_ahead, how.eos)
    asked = questions(plan)
    told = [
        data.draw(surprisals(len(continuation), how.unit, ends))
        for _, continuation, _, ends in asked
    ]
    around = [data.draw(st.integers(0, 1)) for _ in asked]
    order = data.draw(st.permutations(range(len(asked))))
    order = order[: data.draw(st.integers(0, len(asked)))] if data.draw(st.booleans()) else order
    size = data.draw(st.integers(1, 4))
    known = {asked[n]: (told[n], around[n]) for n in order}

    def given_ones() -> Iterator[tuple[NDArray[np.int64], Answers]]:
        for start in range(0, len(order), size):
            rows = order[start : start + size]
            yield (
                np.array(rows, np.int64),
                answers_of([told[n] for n in rows], [around[n] for n in rows]),
            )

    nothing = Surprisals((), (), ()), 0
    names, of = plan.table.sentences.names, plan.of_sentence.tolist()
    for metric in METRICS:
        found = surprisal_of(plan, given_ones(), metric)
        means: dict[tuple[str, str, str], list[float]] = {}
        frame = region_frame(plan, found).drop("text").rows()
        for n, key in enumerate(keys(plan)):
            own = expected[key]
            answer, n_around = known.get(own.question, nothing)
            is_known = own.question in known or not (own.continuation or own.ends)
            is_refused = own.empty or bool(answer.refused)
            assert bool(found.known[n]) == is_known
            assert (n in found.refused) == is_refused
            worth = values(own, answer, metric)
            counts = is_known and not is_refused

            bits_of = {name: each[0] if counts else math.nan for name, each in worth.items()}
            assert same_number(found.total[n], bits_of["*"])
            assert (found.n_units[n], found.oov[n]) == worth["*"][1:]
            assert bool(found.prefix_oov[n]) == (n_around > 0)
            means.setdefault((key[0], key[1], "*"), []).append(bits_of["*"])
            for m in range(of[n], of[n + 1]):
                name = names[plan.name[m]]
                assert same_number(found.region[m], bits_of[name]), (metric, key, name)
                assert (found.n_subwords[m], found.region_oov[m]) == worth[name][1:]
                if not is_refused:
                    bits_told = None if math.isnan(bits_of[name]) else bits_of[name]
                    more = worth[name][1:] if is_known else (None, None)
                    assert frame.pop(0) == (*key, name, more[0], bits_told, more[1])
            for name in {name for name, _, _ in own.regions}:
                means.setdefault((*key[:2], name), []).append(bits_of[name])
        assert frame == []
        every = [(condition, name) for condition in CONDITIONS for name in (*NAMES, "*")]
        by_cell = cell_values(plan, found, every, {})
        for (item_id, condition, name), own_values in means.items():
            mean = PLAIN["sum"](own_values) / len(own_values)
            row = plan.table.frame["item_id"].to_list().index(item_id)
            if len(own_values) == len(suite.items[row].conditions[condition]):
                assert same_number(by_cell[condition, name][row], mean)


def same_number(one: float, other: float) -> bool:
    return bool(one == other or (math.isnan(one) and math.isnan(other)))
