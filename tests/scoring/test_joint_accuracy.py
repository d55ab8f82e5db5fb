"""Component oracle. Sets of items: right only if all are, and what no preference for a form can
earn."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import colorless_green as cg
from colorless_green import load_model
from colorless_green.data import Agreement, Item, Suite, pair, sample
from colorless_green.data.tables import Row
from colorless_green.scoring import (
    JudgingRules,
    Outcome,
    answer_plan,
    outcomes_frame,
    plan_suite,
    train_one,
)
from colorless_green.scoring.outcomes.accuracy import accuracy_frame, factors_frame
from colorless_green.scoring.outcomes.run import Run
from tests.scoring.judging import outcomes
from tests.scoring.ngram_oracle import training_text

FORMS = {"Sing": "is", "Plur": "are"}


def item(set_id: str, value: str, n_attractors: int = 0, kind: str = "nonce") -> Item:
    """One cell of a set: `is` or `are` after a cue of one word."""
    right = FORMS[value]
    (wrong,) = set(FORMS.values()) - {right}
    agreement = Agreement(
        treebank="t", file="f", sent_id="s", rule="tested", construction="L__NOUN__AUX__cop",
        number=0, feature="Number", values=("Plur", "Sing"), value=value, cue_index=0,
        target_index=3, cue="c", cue_upos="NOUN", target_upos="AUX", target_feats="_", lemma="be",
        right=right, wrong=wrong, attractors=(1, 2)[:n_attractors],
        tokens=(f"c{value}", "x", "y", right), upos=("X",) * 4, feats=("_",) * 4,
        spaces=("", " ", " ", " "),
    )  # fmt: skip
    return Item(
        item_id=f"{set_id}-{value}-{n_attractors}", kind=kind, cluster_id=f"of {set_id}",
        language="en", source="t", licence="", conditions=pair(agreement), set_id=set_id,
        cell=f"{value}-{n_attractors}", agreement=agreement,
    )  # fmt: skip


def outcome(one: Item, credit: float | None, note: str = "") -> Outcome:
    return Outcome(one.item_id, "agreement", credit, 1.0, credit == 0.5, bool(note), note)


def rows_of(items: Sequence[Item], outs: Sequence[Outcome]) -> list[Row]:
    run = Run(model="m", outcomes=outcomes_frame(outs))
    return list(accuracy_frame(factors_frame(items), [run]).iter_rows(named=True))


def joint(items: Sequence[Item], credits: Sequence[float | None], **fixed: str) -> Row | None:
    """Return the joint row of one marginal; the factors that are not given are empty."""
    outs = [
        outcome(one, credit, "" if credit is not None else "oov")
        for one, credit in zip(items, credits, strict=True)
    ]
    wanted = {name: fixed.get(name) for name in ("kind", "construction", "value", "n_attractors")}
    found = [
        row
        for row in rows_of(items, outs)
        if row["prediction"] == "joint" and {name: row.get(name) for name in wanted} == wanted
    ]
    return found[0] if found else None


BOTH = (item("a", "Sing"), item("a", "Plur"))


@pytest.mark.parametrize(
    ("credits", "expected"),
    [((1.0, 1.0), 1.0), ((1.0, 0.0), 0.0), ((0.5, 1.0), 0.5), ((0.5, 0.5), 0.25)],
)
def test_a_set_is_right_if_all_its_items_are_and_ties_share(
    credits: tuple[float, float], expected: float
) -> None:
    row = joint(BOTH, credits)
    assert row is not None
    assert (row["accuracy"], row["n_items"], row["n_ties"]) == (expected, 1, int(0.5 in credits))


def test_a_set_with_one_value_alone_is_no_pair() -> None:
    items = (*BOTH, item("b", "Sing"))
    row = joint(items, (1.0, 1.0, 0.0))
    assert row is not None
    assert (row["accuracy"], row["n_items"]) == (1.0, 1)
    assert joint(items[2:], (1.0,)) is None


def test_a_set_with_an_item_left_out_is_left_out_and_counted_as_unknown() -> None:
    items = (*BOTH, item("b", "Sing"), item("b", "Plur"))
    row = joint(items, (1.0, 1.0, None, 1.0))
    assert row is not None
    assert (row["accuracy"], row["n_items"], row["n_clusters"], row["n_oov"]) == (1.0, 1, 1, 1)


def test_with_attractors_each_number_of_them_is_a_pair_and_all_are_one_set() -> None:
    items = (*BOTH, item("a", "Sing", 1), item("a", "Plur", 1))
    credits = (1.0, 1.0, 1.0, 0.0)
    everything = joint(items, credits)
    assert everything is not None
    assert everything["accuracy"] == 0.0
    for n, expected in (("0", 1.0), ("1", 0.0)):
        row = joint(items, credits, kind="nonce", n_attractors=n)
        assert row is not None
        assert row["accuracy"] == expected
    assert joint(items, credits, kind="nonce", value="Sing") is None


def test_items_without_sets_give_no_joint_rows() -> None:
    items = tuple(replace(one, set_id="") for one in BOTH)
    rows = rows_of(items, [outcome(one, 1.0) for one in items])
    assert {row["prediction"] for row in rows} == {"agreement"}


def test_several_predictions_have_a_joint_row_each() -> None:
    outs = [replace(outcome(one, 1.0), prediction=name) for name in "pq" for one in BOTH]
    names = dict.fromkeys(row["prediction"] for row in rows_of(BOTH, outs))
    assert list(names) == ["p", "joint p", "q", "joint q"]


@given(st.lists(st.tuples(st.sampled_from([0.0, 1.0]), st.sampled_from([0.0, 1.0])), min_size=1))
def test_joint_accuracy_lies_between_what_both_and_either_direction_allow(
    pairs: list[tuple[float, float]],
) -> None:
    items = [item(f"s{n}", value) for n in range(len(pairs)) for value in ("Sing", "Plur")]
    row = joint(items, [credit for both in pairs for credit in both])
    assert row is not None
    shares = [sum(both[side] for both in pairs) / len(pairs) for side in (0, 1)]
    accuracy = float(row["accuracy"] or 0.0)
    assert max(0.0, sum(shares) - 1) - 1e-9 <= accuracy <= min(shares) + 1e-9
    assert accuracy == pytest.approx(sum(math.prod(both) for both in pairs) / len(pairs))


def test_a_unigram_model_is_right_once_in_every_set_and_never_twice(tmp_path: Path) -> None:
    text = training_text(["cSing is", "cPlur are", "x is y is"])
    folder = train_one("unigram", text, tmp_path).path
    model = load_model(f"unigram:{folder}").scorer
    items = tuple(item(f"s{n}", value) for n in range(7) for value in ("Sing", "Plur"))
    suite = Suite("s", items)
    wanted = plan_suite(suite, model.unit)
    found = outcomes(suite, wanted, answer_plan(model, wanted), JudgingRules(word_level=True))
    factors = ("kind", "construction", "n_attractors", "value")
    everything = [row for row in rows_of(items, found) if not any(map(row.get, factors))]
    rows = {row["prediction"]: row for row in everything}
    assert (rows["agreement"]["accuracy"], rows["agreement"]["n_items"]) == (0.5, 14)
    assert (rows["joint"]["accuracy"], rows["joint"]["n_items"]) == (0.0, 7)


def test_sets_with_targets_in_relative_clauses_have_a_joint_accuracy_of_their_own(
    tmp_path: Path,
) -> None:
    """The first noun is right in all items that begin with the head, and in half of the others."""
    suite = cg.compose(cg.mine(str(sample.treebank("en"))), sets=20)
    assert suite.account is not None
    account = suite.account.rows[0]
    text = training_text(
        [" ".join(item.agreement.tokens) for item in suite.items if item.agreement]
    )
    model = train_one("unigram", text, tmp_path).path
    table = cg.score(suite, f"unigram:{model}", baselines=True).cells
    rule = {str(row["model"]): row for row in table.to_dicts()}["first_noun"]
    assert rule["n_sets_relative"] == account["n_relative_sets"]
    assert rule["n_sets"] == rule["n_sets_plain"] == account["n_sets"]
    assert (rule["joint_plain"], rule["joint_relative"], rule["opposed"]) == (1.0, 0.0, 0.0)
