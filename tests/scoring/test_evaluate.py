"""Suite to questions to outcomes, with models that are tables."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green import Model
from colorless_green.data import Agreement, Item, Suite, pair
from colorless_green.data.store import Store
from colorless_green.scoring import (
    JudgingRules,
    Outcome,
    Query,
    Questions,
    Score,
    Surprisals,
    answer_plan,
    plan_suite,
    save_model,
)
from tests.builders import mistake
from tests.scoring.judging import Same, outcomes, told


@dataclass
class Table:
    """Surprisals by word (default 1 bit); notes what it was asked."""

    bits: dict[str, float] = field(default_factory=dict)
    unknown: frozenset[str] = frozenset()
    unit: str = "words"
    signature: str = "table"
    asked: list[Query] = field(default_factory=list)

    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        for query in queries:
            self.asked.append(query)
            yield Score(
                tuple(self._of(each) for each in query.continuations),
                sum(word in self.unknown for word in query.prefix),
            )

    def _of(self, words: str | tuple[str, ...]) -> Surprisals:
        return Surprisals(
            tuple(self.bits.get(word, 1.0) for word in words),
            tuple((index, index + 1) for index in range(len(words))),
            tuple(word in self.unknown for word in words),
        )


def item(number: int, right: str, wrong: str, cluster: str = "", variant: int = 0) -> Item:
    tokens = (f"c{number}", "x", "y", "z", right, ".")
    agreement = Agreement(
        treebank="t", file="f", sent_id="s", rule="released", construction="L__NOUN_VERB",
        number=number, feature="Number", values=("Plur", "Sing"), value="Sing", cue_index=0,
        target_index=4, cue="c", cue_upos="NOUN", target_upos="VERB", target_feats="_", lemma="l",
        right=right, wrong=wrong, attractors=(1,) * (number % 2), tokens=tokens,
        upos=("X",) * 6, feats=("_",) * 6, spaces=("", " ", " ", " ", " ", ""), variant=variant,
    )  # fmt: skip
    return Item(
        item_id=f"i{number}-{variant}",
        kind="nonce" if variant else "original",
        cluster_id=cluster or f"i{number}-0",
        language="und",
        source="t",
        licence="",
        conditions=pair(agreement),
        agreement=agreement,
    )


def evaluated(
    suite: Suite, model: Table, *, oov: str = "exclude", ties: str = "share"
) -> list[Outcome]:
    wanted = plan_suite(suite, model.unit)
    how = JudgingRules(word_level=True, oov=oov, ties=ties)
    return outcomes(suite, wanted, answer_plan(model, wanted), how)


@given(st.floats(0, 30), st.floats(0, 30))
def test_the_less_surprising_form_earns_the_credit(right: float, wrong: float) -> None:
    (outcome,) = evaluated(Suite("s", (item(1, "a", "b"),)), Table({"a": right, "b": wrong}))
    assert outcome.margin_bits == pytest.approx(wrong - right)
    if abs(right - wrong) > 1e-8:
        assert outcome.credit == float(right < wrong)


def test_a_tie_is_half_or_wrong_and_counted_either_way() -> None:
    suite = Suite("s", (item(1, "a", "b"),))
    (shared,), (strict,) = (evaluated(suite, Table(), ties=ties) for ties in ("share", "wrong"))
    assert (shared.credit, shared.tie) == (0.5, True)
    assert (strict.credit, strict.tie) == (0.0, True)


def test_a_near_decision_is_marked() -> None:
    (outcome,) = evaluated(Suite("s", (item(1, "a", "b"),)), Table({"a": 1.0, "b": 1.00005}))
    assert (outcome.credit, outcome.note) == (1.0, "fragile")


def test_an_unknown_target_is_left_out_or_kept_as_asked() -> None:
    suite, model = Suite("s", (item(1, "a", "b"),)), Table({"a": 1, "b": 2}, frozenset(["b"]))
    (out,), (kept,) = (evaluated(suite, model, oov=oov) for oov in ("exclude", "keep"))
    assert (out.credit, out.oov, out.note) == (None, True, "oov")
    assert (kept.credit, kept.oov, kept.note) == (1.0, True, "oov_kept")


def test_an_unknown_word_before_the_target_is_flagged_and_counted() -> None:
    (outcome,) = evaluated(Suite("s", (item(1, "a", "b"),)), Table({"b": 2}, frozenset(["x"])))
    assert (outcome.credit, outcome.oov) == (1.0, True)


def test_equal_forms_are_left_out() -> None:
    (outcome,) = evaluated(Suite("s", (item(1, "a", "a"),)), Table())
    assert (outcome.credit, outcome.note) == (None, "equal_forms")


@dataclass
class InFours(Table):
    """Likes to be asked four questions at once."""

    chunk: int = 4


def test_what_is_known_is_not_asked_again_and_new_answers_are_kept_in_chunks(
    tmp_path: Path,
) -> None:
    suite = Suite("s", tuple(item(number, "a", "b") for number in range(5)))
    model, wanted = InFours(), plan_suite(suite, "words")
    count = "SELECT sum(length(keys)) / 16 AS n FROM score"
    with Store(tmp_path / "s.db") as store, Store(tmp_path / "s.db") as other:
        with store.transaction():
            model_id, _ = save_model(store, Model("table", "table", model, None))
        kept, n_kept = [], []
        for each in answer_plan(model, wanted, store, model_id):
            kept.append(each)
            row = other.one(count)
            assert row is not None
            n_kept.append(row["n"])  # what is there for everybody as soon as it is told
        assert n_kept == [4, 8, 10]
        again = InFours()
        assert told(answer_plan(again, wanted, store, model_id)) == told(kept)
        assert again.asked == []
        assert len(told(kept)) == wanted.n_questions == 10


def test_keys_tell_prefix_from_continuation_and_words_from_text() -> None:
    def key(unit: str, prefix: str, continuation: str) -> bytes:
        (found,) = Questions([prefix], [continuation]).keys(unit)
        return bytes(found)

    keys = {
        key("words", "a\x1fb", "c"),
        key("words", "a", "b\x1fc"),
        key("words", "a b", "c"),
        key("text", "a b", "c"),
        key("text", "a\x1fb", "c"),
    }
    assert len(keys) == 5


@pytest.mark.parametrize("n_numbers", [0, 2, 3])
def test_a_model_that_gives_a_word_no_number_or_several_is_refused(n_numbers: int) -> None:
    """What KenLM did with a vertical tab: all later numbers stood at other words."""
    spans = tuple((n, n + 1) for n in range(n_numbers))
    model = Same(Surprisals((1.0,) * n_numbers, spans, (False,) * n_numbers), "words")
    plan = plan_suite(Suite("s", (item(1, "goes", "go"),)), "words")
    with mistake("conflict", "--model"):
        list(answer_plan(model, plan))
