"""The two rules, case by case (mining facts §4.3 and §4.4)."""

from pathlib import Path

import pytest

from colorless_green.miner.mine import Mining, Request, mine
from colorless_green.miner.rules.released import conditional_entropy
from colorless_green.miner.treebank import treebank
from tests.builders import agreeing, conllu, write_conllu

SING, PLUR, DUAL = "Sing", "Plur", "Dual"


def mined(path: Path, rule: str, *blocks: str, **options: object) -> Mining:
    source = treebank([write_conllu(path / "xx-ud-train.conllu", *blocks)])
    return mine(source, Request(rule, **options))  # type: ignore[arg-type]


def pairs(cue: str, target: str, times: int) -> list[str]:
    """Sentences with cue and target of given values, three words between."""
    return [
        conllu(
            f"c{cue}/NOUN/{cue}/5",
            "x/ADP/-/5",
            "x/ADP/-/5",
            "x/ADP/-/5",
            f"t{target}/VERB/{target}/0",
            sent_id=f"{cue}{target}{number}",
        )
        for number in range(times)
    ]


def accepted(mining: Mining) -> list[tuple[str, ...]]:
    return [each.values for each in mining.constructions if each.accepted]


@pytest.mark.parametrize(
    ("gap", "released", "strict"),
    [(2, False, False), (3, True, True), (13, True, True), (14, False, True)],
)
def test_the_gap_has_its_limits(tmp_path: Path, gap: int, released: bool, strict: bool) -> None:
    upos = ["NOUN", *["ADP"] * gap, "VERB"]
    block = agreeing(upos, SING, "s")
    assert bool(mined(tmp_path, "released", block).stages.n_with_feature) is released
    assert bool(mined(tmp_path, "strict", block).stages.n_with_feature) is strict


@pytest.mark.parametrize(
    ("cells", "released", "strict"),
    [
        ({(SING, SING): 6, (PLUR, PLUR): 6, (SING, PLUR): 1, (PLUR, SING): 1}, True, False),
        ({(SING, SING): 6, (PLUR, PLUR): 6, (SING, PLUR): 2}, False, False),
        ({(SING, SING): 6, (PLUR, PLUR): 5}, False, False),
        ({(SING, SING): 10, (PLUR, PLUR): 10}, True, True),
        ({(SING, PLUR): 8, (PLUR, SING): 8}, True, False),
    ],
)
def test_a_table_is_kept_or_not(
    tmp_path: Path, cells: dict[tuple[str, str], int], released: bool, strict: bool
) -> None:
    blocks = [block for (cue, target), n in cells.items() for block in pairs(cue, target, n)]
    assert bool(accepted(mined(tmp_path, "released", *blocks))) is released
    assert bool(accepted(mined(tmp_path, "strict", *blocks))) is strict


def test_a_rejected_construction_says_why_under_each_rule(tmp_path: Path) -> None:
    blocks = [*pairs(SING, SING, 6), *pairs(PLUR, PLUR, 4), *pairs(PLUR, SING, 2)]
    released, strict = (mined(tmp_path, rule, *blocks) for rule in ("released", "strict"))
    assert [each.reason for each in released.constructions] == ["2 do not agree (H = 0.450 nat)"]
    assert [each.reason for each in strict.constructions] == [
        "2 do not agree; 4 with Plur, 6 with Sing, needs 10 of two values"
    ]


def test_opposite_values_pass_the_released_test_and_give_nothing(tmp_path: Path) -> None:
    mining = mined(tmp_path, "released", *pairs(SING, PLUR, 8), *pairs(PLUR, SING, 8))
    assert accepted(mining) == [(PLUR, SING)]
    assert mining.originals == ()
    assert {each.reason for each in mining.rejections} == {
        "cue and target differ: Sing, Plur",
        "cue and target differ: Plur, Sing",
    }


def test_three_values_are_three_pairs(tmp_path: Path) -> None:
    blocks = [block for value in (SING, PLUR, DUAL) for block in pairs(value, value, 6)]
    assert accepted(mined(tmp_path, "released", *blocks)) == [
        (DUAL, PLUR),
        (DUAL, SING),
        (PLUR, SING),
    ]


def test_a_word_outside_the_heads_subtree_stops_the_released_rule_alone(tmp_path: Path) -> None:
    block = conllu(
        "c/NOUN/Sing/5", "x/ADP/-/6", "x/ADP/-/5", "x/ADP/-/5", "t/VERB/Sing/6", "r/VERB/-/0"
    )
    released, strict = (mined(tmp_path, rule, block).stages for rule in ("released", "strict"))
    assert (released.n_near, released.n_with_feature) == (2, 0)
    assert (strict.n_near, strict.n_with_feature) == (2, 1)


@pytest.mark.parametrize("feats", ["-", "Number[psor]=Sing", "NumType=Card"])
def test_a_word_without_the_very_feature_is_not_counted(tmp_path: Path, feats: str) -> None:
    block = conllu(f"c/NOUN/{feats}/5", "x/ADP/-/5", "x/ADP/-/5", "x/ADP/-/5", "t/VERB/Sing/0")
    assert mined(tmp_path, "released", block).stages.n_with_feature == 0


def test_context_is_what_hangs_on_cue_or_target_or_outside_the_gap(tmp_path: Path) -> None:
    block = conllu(
        "c/NOUN/Sing/5",
        "a/ADJ/-/3",  # hangs on a word between: no context
        "n/NOUN/-/1",
        "p/ADP/-/6",  # hangs outside
        "t/VERB/Sing/6",
        "r/VERB/-/0",
    )
    assert [each.name for each in mined(tmp_path, "strict", block).constructions] == [
        "X__NOUN_NOUN_ADP_VERB"
    ]


def test_direction_is_part_of_the_released_key_and_left_comes_first(tmp_path: Path) -> None:
    right = conllu(
        "t/VERB/Sing/0", "x/ADP/-/1", "x/ADP/-/1", "x/ADP/-/1", "c/NOUN/Sing/1", sent_id="right"
    )
    left = conllu("c/NOUN/Sing/5", "x/ADP/-/5", "x/ADP/-/5", "x/ADP/-/5", "t/VERB/Sing/0")
    mining = mined(tmp_path, "released", right, left)
    assert [each.name for each in mining.constructions] == [
        "L__NOUN_ADP_ADP_ADP_VERB",
        "R__VERB_ADP_ADP_ADP_NOUN",
    ]


GHOST = conllu(
    "1-2 del",
    "di/ADP/-/7",
    "il/DET/Sing/7",
    "più/ADV/-/4",
    "piccolo/ADJ/Sing/7",
    "e/CCONJ/-/6",
    "antico/ADJ/Sing/4",
    "corpo/NOUN/Sing/0",
)


def test_a_ghost_arc_is_counted_from_the_token_after_the_merged_one(tmp_path: Path) -> None:
    mining = mined(tmp_path, "released", GHOST)
    (construction,) = mining.constructions
    assert (construction.name, construction.n) == ("L__DET_ADJ_NOUN", 1)


@pytest.mark.parametrize(("rule", "ghosts"), [("released", False), ("strict", True)])
def test_without_ghosts_there_is_no_instance(tmp_path: Path, rule: str, ghosts: bool) -> None:
    assert mined(tmp_path, rule, GHOST, ghosts=ghosts).constructions == ()


def test_an_original_made_from_a_ghost_is_flagged_and_keeps_the_ghosts_form(
    tmp_path: Path,
) -> None:
    plural = (
        GHOST.replace("\tdel\t", "\tdei\t")
        .replace("\til\til\t", "\ti\til\t")
        .replace("Sing", "Plur")
        .replace("corpo\tcorpo", "corpi\tcorpo")
    )
    blocks = [
        block.replace("sent_id = s1", f"sent_id = s{number}")
        for number, block in enumerate([GHOST, plural] * 6)
    ]
    mining = mined(tmp_path, "released", *blocks)
    original = mining.originals[0]
    assert (original.cue, original.forms[original.cue_index]) == ("il", "più")
    assert original.flags == ("ghost", "same_sentence", "same_target")
    assert (original.right, original.wrong) == ("corpo", "corpi")


def test_a_loop_made_by_merging_is_below_nothing(tmp_path: Path) -> None:
    """A word hangs on the second word of a token whose first word hangs on it: once merged, the
    two hang on each other and reach no head (found on UD_Turkish-IMST: 4 arcs too many)."""
    block = conllu(
        "c/NOUN/Sing/6",
        "2-3 ab",
        "a/X/-/4",
        "b/X/-/6",
        "x/X/-/3",
        "y/X/-/6",
        "t/VERB/Sing/0",
    )
    assert mined(tmp_path, "released", block).stages.n_with_feature == 0
    assert mined(tmp_path, "strict", block).stages.n_with_feature == 1


def test_entropy_is_computed_over_doubled_columns() -> None:
    """n Sing–Sing, n Plur–Plur, 2 Plur–Sing: H falls below 0.001 only from about n = 13,100 on."""
    table = {(SING, SING): 5_000, (PLUR, PLUR): 5_000, (PLUR, SING): 2}
    assert conditional_entropy(table, (PLUR, SING)) == pytest.approx(0.0024, abs=5e-5)
    table = {(SING, SING): 13_200, (PLUR, PLUR): 13_200, (PLUR, SING): 2}
    assert conditional_entropy(table, (PLUR, SING)) < 0.001
