"""Which sources become targets and fillers, which fillers decide on people, and what is said of it:
doubts (flags of an original), sources of one sentence, constructions that are tested too."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data import Item, Leak
from colorless_green.humans import FillerPool, Rules, StudyDesign, read_study
from tests.builders import few_examples, mistake
from tests.humans.answer_material import sieved
from tests.humans.report_material import agreement_item
from tests.humans.study_material import bare, changed, design, designed, planned, store_of, tells
from tests.humans.trial_records import Judgment

LOOKED = Leak("D", 0, "Plur")  # so somebody has looked at the suite
TESTED, OTHER = "L__NOUN_VERB_VERB", "R__NOUN_NOUN_VERB"
PLAN = planned("form", fillers="pool", checks=0, practice=0)


def mined(
    number: int,
    *flags: str,
    construction: str = TESTED,
    sentence: str = "",
    value: str = "",
) -> tuple[Item, Item]:
    """Return a source: an original with these flags, and a nonce variant, which has none."""
    value = value or ("Sing", "Plur")[number % 2]
    text = sentence or f"the keys of {construction} {number} are gone"
    made = []
    for before in ("", "odd "):
        item = agreement_item(
            f"{before}{text}",
            1 + bool(before),
            text.split().index("are") + bool(before),
            "is",
            number=number,
            construction=construction,
            variant=int(bool(before)),
            value=value,
        )
        assert item.agreement is not None
        told = replace(
            item.agreement,
            flags=() if before else tuple(sorted(flags)),
            leaks=(LOOKED,),
            target_feats="_",
            feats=("_",) * len(item.agreement.tokens),
        )
        made.append(replace(item, agreement=told))
    original, nonce = made
    return original, nonce


def suite(numbers: range, *flags: str, construction: str = TESTED) -> list[Item]:
    return [each for number in numbers for each in mined(number, *flags, construction=construction)]


def sources(made: StudyDesign, kind: str) -> list[str]:
    """Those that the first list shows."""
    return [trial.source for trial in made.trials if trial.list == 1 and trial.kind == kind]


def items_of(made: StudyDesign, kind: str) -> set[str]:
    return {trial.item for trial in made.trials if trial.kind == kind}


@pytest.mark.slow
@few_examples
@given(st.lists(st.integers(0, 5), min_size=4, max_size=4), st.integers(0, 9), st.data())
def test_fillers_come_first_without_doubts_and_then_of_other_constructions(
    sizes: list[int], seed: int, data: st.DataObject
) -> None:
    kinds = (((), OTHER), ((), TESTED), (("quantity",), OTHER), (("quantity",), TESTED))
    items: list[Item] = []
    rank: dict[str, int] = {}
    number = 0
    for place, (size, (flags, construction)) in enumerate(zip(sizes, kinds, strict=True)):
        for _ in range(size):
            number += 1
            own = mined(number, *flags, construction=construction)
            items += own
            rank[own[0].cluster_id] = place
    n_wanted = data.draw(st.integers(min(1, number), number))
    if n_wanted:
        targets = suite(range(100, 100 + n_wanted))
        made = designed(targets, changed(PLAN, seed=seed), FillerPool(tuple(items)))
        best = [place for place, size in enumerate(sizes) for _ in range(size)]
        assert sorted(rank[each] for each in sources(made, "filler")) == best[:n_wanted]


@pytest.mark.slow
@few_examples
@given(st.lists(st.integers(0, 6), min_size=2, max_size=12), st.integers(0, 9))
def test_nobody_sees_two_targets_or_fillers_of_one_sentence(wanted: list[int], seed: int) -> None:
    """Of sources that stem from one sentence one is a target; fillers are of other sentences than
    the targets, and than each other."""
    items = [
        each
        for number, sentence in enumerate(wanted)
        for each in mined(number, sentence=f"the keys of {sentence} are gone")
    ]
    text = {item.cluster_id: number for item, number in zip(items[::2], wanted, strict=True)}
    kept = sources(bare(items, seed=seed), "target")
    assert sorted(text[each] for each in kept) == sorted(set(wanted))
    shared = [each for each in items if each.cluster_id == kept[0]]
    targets = [*shared, *suite(range(50, 49 + len(kept)))]
    pool = FillerPool((*items, *mined(99, sentence="the keys of 99 are gone")))
    found = sources(designed(targets, changed(PLAN, seed=seed), pool), "filler")
    assert len(found) == len(kept)
    assert len({text.get(each, 99) for each in (*found, kept[0])}) == len(kept) + 1


def test_of_a_sentence_the_source_without_doubts_stays() -> None:
    text = "the keys of it are gone"
    items = [
        *mined(1, "quantity", sentence=text),
        *mined(2, sentence=text),
        *mined(3, "unrelated", sentence=text),
    ]
    assert sources(bare(items), "target") == [items[2].cluster_id]
    nonce = [each for each in items if each.kind == "nonce"]  # of these sent_id tells
    assert len(sources(bare(nonce), "target")) == 3


def test_a_variant_has_the_doubts_of_its_original_and_what_is_no_doubt_is_none() -> None:
    items = [*mined(1, "other_noun", "ambiguous"), *mined(2, "same_sentence", "multiword")]
    made = bare(items, drop_flagged=True)
    assert items_of(made, "target") == {each.item_id for each in items[2:]}


def test_only_originals_without_doubts_decide_on_people(tmp_path: Path) -> None:
    pool = [
        *suite(range(20, 31), construction=OTHER),
        *suite(range(40, 44), "other_noun", "ambiguous", construction=OTHER),
    ]
    with store_of(targets=suite(range(12)), pool=pool) as store:
        design("targets", tmp_path / "study", store=store, **PLAN)
    told = json.loads((tmp_path / "study" / "manifest.json").read_text("utf-8"))["unambiguous"]
    trials = read_study(tmp_path / "study").trials
    shown = {each.item: each for each in trials if each.kind == "filler"}
    doubtful = {each.cluster_id for each in pool if each.agreement and each.agreement.flags}
    assert told == sorted(
        item
        for item, trial in shown.items()
        if trial.condition == "original" and trial.source not in doubtful
    )
    assert 0 < len(told) < 12


def others(numbers: range, *flags: str) -> list[Item]:
    return suite(numbers, *flags, construction=OTHER)


TWINS = mined(8, "same_sentence", sentence=f"the keys of {TESTED} 0 are gone")
LONG = " ".join(["the", "keys", *(["of"] * 39), "are", "gone"])


@pytest.mark.parametrize(
    ("targets", "pool", "figures"),
    [
        (
            suite(range(24)),
            others(range(20, 60)),
            {
                "a person's targets: originals, nonce": (24, 12, 12),
                "a person's fillers: originals, nonce": (24, 12, 12),
                "fillers that may decide, of all; how many wrong; the rule": (12, 24, 3, 0.2),
                "words before the gap: median, most": (5.5, 6),
            },
        ),
        (
            [*suite(range(6)), *suite(range(6, 8), "other_noun", "ambiguous"), *TWINS],
            [
                *others(range(20, 24)),
                *suite(range(30, 32)),
                *others(range(40, 42), "quantity"),
            ],
            {
                "sources of a sentence that another one is of": (1, 9),
                "doubtful targets, of all, and why": (2, 8, 2),
                "a person's targets: originals, nonce": (8, 4, 4),
                "a person's fillers: originals, nonce": (8, 4, 4),
                "doubtful fillers, of all, and why": (2, 8, 2),
                "fillers of a tested construction": (2, 8),
                "fillers that may decide, of all; how many wrong; the rule": (3, 8, 1, 0.2),
                "words before the gap: median, most": (5.5, 6),
            },
        ),
        (
            suite(range(4)),
            others(range(20, 26), "quantity"),
            {
                "a person's targets: originals, nonce": (4, 2, 2),
                "a person's fillers: originals, nonce": (4, 2, 2),
                "doubtful fillers, of all, and why": (4, 4, 4),
                "fillers that may decide, of all": (0, 4),
                "words before the gap: median, most": (5.5, 6),
            },
        ),
        (
            [
                *mined(1, sentence=LONG),
                *mined(2, sentence="the keys of two are gonegone"),
                *mined(3, sentence="the keys of two are gonegonegone"),
            ],
            [],
            {
                "a person's targets: originals, nonce": (3, 1, 2, 1, 2),  # 1 to 2 of each
                "words before the gap: median, most": (5, 42),
                "items with more words than that": (2, 6, 40),
                "of a person's targets such as read alike": (3, 1),
            },
        ),
    ],
    ids=["clean", "doubtful", "undecided", "long"],
)
def test_what_researchers_should_know_of_a_design_is_told(
    targets: Sequence[Item], pool: Sequence[Item], figures: dict[str, tuple[float, ...]]
) -> None:
    plan = PLAN if pool else changed(PLAN, fillers="none")
    made = designed(targets, plan, FillerPool(tuple(pool)))
    assert [what for what, own in figures.items() if not tells(made.messages, *own)] == []
    broken = {name for row in made.rows for name in str(row["relaxed"]).split(", ")} - {""}
    assert len(made.messages) == len(figures) + len(broken)  # and nothing else


def test_flagged_targets_are_left_out_on_request() -> None:
    targets = [*suite(range(6)), *suite(range(6, 8), "other_noun", "ambiguous")]
    made = designed(
        targets, changed(PLAN, drop_flagged=True), FillerPool(tuple(others(range(20, 30))))
    )
    assert tells(made.messages, 2, 8, 2)
    assert items_of(made, "target") == {each.item_id for each in targets[:12]}


def test_flagged_targets_alone_are_an_error_where_they_are_not_wanted() -> None:
    with mistake("empty", "drop_flagged"):
        designed(suite(range(2), "quantity"), changed(PLAN, drop_flagged=True))


def test_fillers_of_which_none_may_decide_decide_on_nobody() -> None:
    pool = FillerPool(tuple(others(range(20, 26), "quantity")))
    assert designed(suite(range(4)), PLAN, pool).unambiguous == frozenset()
    wrong = [
        Judgment(f"P{n}", item=f"f{n}", kind="filler", chosen="a", correct_form="b", correct=0)
        for n in range(4)
    ]
    found = sieved(wrong, Rules(max_filler_errors=0.2, unambiguous=()))
    assert (len(found.kept), found.gone) == (4, ())


def test_a_suite_at_which_nobody_has_looked_is_told() -> None:
    looked = suite(range(4))
    unseen = [
        replace(each, agreement=replace(each.agreement, leaks=()))
        for each in looked
        if each.agreement
    ]
    before, after = (
        designed(items, PLAN, FillerPool(tuple(others(range(20, 30))))).messages
        for items in (looked, unseen)
    )
    (said,) = set(after) - set(before)
    assert "docs/sets.md" in said
    assert set(before) < set(after)


def test_a_tables_own_word_decides_and_its_unambiguous_sources_come_first() -> None:
    items = tuple(others(range(20, 40)))
    clear = frozenset(each.item_id for each in items[:16])
    pool = FillerPool(items, dict.fromkeys((each.item_id for each in items), "filler"), clear)
    made = designed(suite(range(8)), PLAN, pool)
    assert items_of(made, "filler") < clear
    assert made.unambiguous == clear
    assert tells(made.messages, 8, 8, 2, 0.2)
    silent = designed(suite(range(8)), PLAN, replace(pool, unambiguous=None))
    assert silent.unambiguous is None
    assert tells(silent.messages, 8, 8, 2, 0.2)
    assert set(silent.messages) != set(made.messages)  # who says so is told too


def test_single_sentences_are_measured_whole_and_their_fillers_decide_on_nobody() -> None:
    made = designed(
        suite(range(8)), changed(PLAN, task="rating"), FillerPool(tuple(others(range(20, 40))))
    )
    assert made.unambiguous is None
    assert tells(made.messages, 7.5, 8)  # words in a sentence: median, most
    assert not any("0.2" in each for each in made.messages)  # no rule about them
