"""Laws of the rule `tested` on whole treebanks: what changes no verdict, what changes it, and what
follows from it."""

from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from colorless_green.miner import (
    Construction,
    MinedTreebank,
    suite_of,
)
from tests.builders import few_examples, relational
from tests.miner.mining import accepted, clause, clauses, contrary, mined, told_apart, with_word

SING, PLUR = "Sing", "Plur"
WHOLE = "L__NOUN__VERB__nsubj"
GO = {"Sing": ("goes", "go"), "Plur": ("go", "go")}
SHARES = st.floats(0, 1, exclude_min=True)
quick = settings(
    few_examples, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@st.composite
def corpora(draw: st.DrawFn) -> list[str]:
    """Clauses that agree more or less, of several kinds, with other nouns in them; under eighty of
    a kind, so that no documents are halved. No two alike."""
    found = []
    for kind in range(draw(st.integers(1, 2))):
        odds = draw(st.sampled_from([0, 1, 5]))
        random = Random(draw(st.integers(0, 10_000)))
        for _ in range(draw(st.integers(8, 40))):
            cue = random.choice((SING, PLUR))
            verbform = random.choice(("Fin", "Conv"))
            target = random.choice((SING, PLUR)) if random.randrange(10) < odds else cue
            others = [
                f"o/o/NOUN/Number={random.choice((SING, PLUR))}/5/obl"
                for _ in range(random.randrange(3))
            ]
            feats = f"Number={target}|VerbForm={verbform}"
            block = clause(f"Number={cue}", f"go{target}/go{kind}/{feats}", *others)
            found.append(block.replace("nsubj", "nsubj:pass") if kind else block)
    return [with_word(block, f"o{number}") for number, block in enumerate(found)]


def verdicts(mining: MinedTreebank) -> dict[str, Construction]:
    return {each.name: each for each in mining.constructions}


def words(mining: MinedTreebank) -> set[tuple[object, ...]]:
    return {(each.construction, each.tokens, each.right, each.wrong) for each in mining.agreements}


@given(corpora(), st.randoms(use_true_random=False))
@quick
def test_the_order_of_the_sentences_changes_no_verdict(
    tmp_path: Path, of: list[str], random: Random
) -> None:
    blocks = [of[start : start + 50] for start in range(0, len(of), 50)]  # stand for documents
    moved = [each for block in blocks for each in random.sample(block, len(block))]
    one, other = mined(tmp_path, "tested", *of), mined(tmp_path, "tested", *moved)
    assert verdicts(one) == verdicts(other)
    assert words(one) == words(other)


@pytest.mark.slow
@given(corpora())
@quick
def test_sentences_that_come_again_count_once(tmp_path: Path, of: list[str]) -> None:
    """Also in other letters, and in another order."""
    one = mined(tmp_path, "tested", *of)
    again = [block.replace("\tgo", "\tGo") for block in reversed(of)]
    for more in (of, again):
        twice = mined(tmp_path, "tested", *of, *more, repeats=True)
        assert verdicts(twice) == verdicts(one)
        assert len(twice.agreements) == len(one.agreements)
        assert twice.stages.n_with_feature == one.stages.n_with_feature
        assert twice.stages.n_left_out["repeats"] == one.stages.n_with_feature


@given(corpora(), SHARES, SHARES, st.sampled_from(["alpha", "floor"]))
@quick
def test_lower_thresholds_accept_no_less(
    tmp_path: Path, of: list[str], one: float, other: float, name: str
) -> None:
    """What is taken apart depends on the floor: this is about what is judged as a whole."""
    low, high = sorted((one, other))
    strict, lenient = (high, low) if name == "floor" else (low, high)

    def wholes(value: float) -> set[str]:
        asked: dict[str, Any] = {name: value}
        mining = mined(tmp_path, "tested", *of, **asked)
        return {
            each.name
            for each in mining.constructions
            if each.accepted and not each.base and "taken apart" not in each.reason
        }

    asked: dict[str, Any] = {name: lenient}
    parts = {each.base for each in mined(tmp_path, "tested", *of, **asked).constructions}
    assert wholes(strict) - parts <= wholes(lenient)


@pytest.mark.parametrize("seed", range(3))
def test_values_that_change_places_within_sentence_and_pos_give_no_agreement(
    tmp_path: Path, seed: int
) -> None:
    """Five nouns and four verbs in each sentence, most of them of the sentence's own value, as in a
    text about one thing: before, subjects agree with their verbs; after, nothing does."""
    random = Random(seed)

    def blocks(*, shuffled: bool) -> list[str]:
        found = []
        for _ in range(150):
            topic = random.choice((SING, PLUR))
            nouns = [topic if random.random() < 0.7 else random.choice((SING, PLUR))
                     for _ in range(5)]  # fmt: skip
            verb = nouns[0]
            if shuffled:
                random.shuffle(nouns)
            rows = [
                f"n{nouns[0]}/n/NOUN/Number={nouns[0]}/5/nsubj",
                *["x/x/ADP/_/5/obl"] * 3,
                f"v{verb}/v/VERB/Number={verb}/0/root",
                *["x/x/ADP/_/5/obl"] * 3,
                *(f"n{value}/n/NOUN/Number={value}/5/obl" for value in nouns[1:]),
            ]
            found.append(relational(*rows))
        return list(told_apart(found))

    assert accepted(mined(tmp_path, "tested", *blocks(shuffled=False))) == {WHOLE}
    assert accepted(mined(tmp_path, "tested", *blocks(shuffled=True))) == set()


def test_undecided_constructions_give_originals_where_they_are_asked_for(tmp_path: Path) -> None:
    blocks = clauses(7, **GO)
    (found,) = mined(tmp_path, "tested", *blocks).constructions
    assert (found.verdict, found.accepted, found.n) == ("undecided", False, 14)
    assert mined(tmp_path, "tested", *blocks).agreements == ()
    mining = mined(tmp_path, "tested", *blocks, undecided=True)
    assert [each.verdict for each in mining.constructions] == ["undecided"]
    assert len(mining.agreements) == 14


def test_what_is_rejected_gives_no_originals_however_undecided_is_set(tmp_path: Path) -> None:
    odd = [clause("Number=Sing", "go/go/Number=Plur"), clause("Number=Plur", "goes/go/Number=Sing")]
    mining = mined(tmp_path, "tested", *clauses(7, **GO), *odd * 3, undecided=True)
    assert [each.verdict for each in mining.constructions] == ["rejected"]
    assert mining.agreements == ()


def second(value: str, *, subject: bool) -> list[str]:
    """Return a sentence with two coordinated verbs and one with a finite verb, with its subject
    or not."""
    feats = f"Number={value}|VerbForm=Fin"
    return [
        relational(
            f"n{value}/n/NOUN/Number={value}/2/nsubj",
            f"see{value}/see/VERB/{feats}/0/root",
            *["x/x/ADP/_/6/obl"] * 3,
            f"go{value}/go/VERB/{feats}/2/conj",
            f"o/o/NOUN/{contrary(f'Number={value}')}/6/obl",
        ),
        relational(
            f"it/it/PRON/_/2/{'nsubj' if subject else 'obj'}", f"see{value}/see/VERB/{feats}/0/root"
        ),
    ]


@pytest.mark.parametrize(("n_without", "flagged"), [(0, False), (2, False), (3, True), (20, True)])
def test_second_verbs_are_flagged_where_one_clause_of_twenty_has_no_subject(
    tmp_path: Path, n_without: int, flagged: bool
) -> None:
    """Forty clauses in all, second conjuncts left aside: 95 % of them are 38."""
    n_with = 20 - n_without
    blocks = [
        block
        for number in range(20)
        for block in second((SING, PLUR)[number % 2], subject=number < n_with)
    ]
    mining = mined(tmp_path, "tested", *blocks)
    assert (mining.stages.n_clauses, mining.stages.n_with_subject) == (40, 40 - n_without)
    assert mining.stages.null_subjects is flagged
    originals = [each for each in mining.agreements if "second-verb" in each.construction]
    assert len(originals) == 20
    assert {("null_subject" in each.flags) for each in originals} == {flagged}
    items = suite_of(mining).items
    assert len(items) >= 20


def test_clauses_with_an_imperative_are_not_counted_and_auxiliaries_stand_for_their_verb(
    tmp_path: Path,
) -> None:
    fin = "Number=Sing|VerbForm=Fin"
    blocks = [
        relational(f"go/go/VERB/Mood=Imp|{fin}/0/root"),
        relational("he/he/PRON/_/3/nsubj", f"has/have/AUX/{fin}/3/aux", "gone/go/VERB/_/0/root"),
        relational("he/he/PRON/_/3/nsubj", f"is/be/AUX/{fin}/3/cop", "new/new/ADJ/_/0/root"),
        relational(f"rains/rain/VERB/{fin}/0/root"),
        relational("it/it/PRON/_/2/expl", f"rains/rain/VERB/{fin}/0/root"),
        relational("that/that/X/_/2/csubj", f"pays/pay/VERB/{fin}/0/root"),
        relational("going/go/VERB/VerbForm=Ger/0/root"),
    ]
    stages = mined(tmp_path, "tested", *blocks).stages
    assert (stages.n_clauses, stages.n_with_subject) == (5, 4)


def test_a_treebank_without_finite_verbs_may_leave_subjects_unspoken(tmp_path: Path) -> None:
    stages = mined(tmp_path, "tested", *clauses(8, **GO)).stages
    assert (stages.n_clauses, stages.null_subjects) == (0, True)
