"""Matching levels: each narrows what the one before it left, and says whom it can serve."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import colorless_green as cg
from colorless_green import Recipe
from colorless_green.data import Item
from colorless_green.data.sample import treebank as sample
from colorless_green.miner import (
    Rule,
    mine_treebank,
    sentences,
    suite_of,
    treebank,
)
from colorless_green.nonce import (
    CONTENT_UPOS,
    LEVELS,
    Matching,
    VariantSet,
    base_of,
    levels_for,
    levels_up_to,
    matching_for,
    variants,
)
from tests.builders import mistake, relational, shared, write_conllu


def test_levels_stand_on_each_other_in_a_fixed_order() -> None:
    assert list(LEVELS) == ["frequency", "frame", "unseen"]
    assert [level.name for level in levels_up_to("+unseen")] == list(LEVELS)
    assert [level.name for level in levels_up_to("frequency")] == ["frequency"]
    assert levels_up_to("morphology") == ()


def test_an_unknown_level_is_an_error() -> None:
    with mistake("unknown", "level"):
        levels_up_to("semantics")


@cache
def prepared(path: Path, level: str, rule: str = "tested") -> tuple[Sequence[Item], Matching]:
    source = treebank([path])
    originals = suite_of(mine_treebank(source, Rule(extends=rule))).items
    return originals, matching_for(source, Recipe(level=level), rule, "auto")


@pytest.mark.shared
@pytest.mark.parametrize("name", ["UD_English-GUM", "UD_Italian-ParTUT", "UD_Finnish-TDT"])
def test_each_level_admits_a_part_of_what_the_one_before_it_does(name: str) -> None:
    path = shared("treebanks", name)
    originals, matching = prepared(path, "unseen")
    n_narrowed = 0
    for item in originals[:60]:
        base = base_of(item, matching)
        assert not isinstance(base, str)
        for wide, narrow in pairwise(levels_for(base, matching, 4)[0]):
            assert narrow.pools.keys() <= wide.pools.keys()
            for node, pool in narrow.pools.items():
                assert set(pool) <= set(wide.pools[node])
                n_narrowed += len(pool) < len(wide.pools[node])
    assert n_narrowed > 20


@pytest.mark.shared
def test_what_a_level_can_serve_falls_from_level_to_level_and_is_what_it_makes() -> None:
    path = shared("treebanks", "UD_English-GUM")
    originals, matching = prepared(path, "unseen")
    made = variants(originals, matching, 2)
    served = list(made.served.values())
    assert served == sorted(served, reverse=True)
    assert list(made.served) == ["morphology", "+frequency", "+frame", "+unseen"]
    with_variants = {item.cluster_id for item in made.items if item.kind == "nonce"}
    assert made.served["+unseen"] >= len(with_variants) > 0
    assert {item.agreement.level for item in made.items if item.agreement} == {"", "+unseen"}


@pytest.mark.shared
def test_a_lower_level_serves_only_where_that_was_asked_for() -> None:
    path = shared("treebanks", "UD_English-GUM")
    originals, matching = prepared(path, "unseen")
    made = variants(originals, matching, 2, lower_levels=True)
    levels = Counter(item.agreement.level for item in made.items if item.agreement)
    assert levels["+unseen"] > 0
    assert levels["+frequency"] > 0
    assert levels["morphology"] == 0
    n_served = len({item.cluster_id for item in made.items if item.kind == "nonce"})
    assert made.served["+unseen"] < n_served <= made.served["morphology"]


@cache
def mined(path: Path) -> cg.Mining:
    return cg.mine(path)


def by_original(suite: cg.Suite) -> dict[str, list[Item]]:
    """Original → its variants, where it has some."""
    found: dict[str, list[Item]] = {}
    for item in suite.items:
        if item.kind == "nonce":
            found.setdefault(item.cluster_id, []).append(item)
    return found


def level_of(item: Item) -> str:
    assert item.agreement is not None
    return item.agreement.level


def is_unrestrained(item: Item) -> bool:
    return item.agreement is not None and "unrestrained" in item.agreement.flags


FEW = "*__subject-second-verb"  # a construction of few originals


def too_low(mining: cg.Mining, **options: Any) -> tuple[set[str], dict[str, str]]:
    """Return the originals that have no variants without a level, or variants of a lower one
    than the highest that serves them alone; and the level that each original has without one."""
    order = [f"+{name}" for name in LEVELS]
    alone: dict[str, str] = {}
    for level in order:
        alone |= dict.fromkeys(
            by_original(cg.make_nonce(mining, n=1, level=level, **options)), level
        )
    found = by_original(cg.make_nonce(mining, n=1, **options))
    served = {original: level_of(items[0]) for original, items in found.items()}
    assert set(served.values()) <= set(order)
    too_low = {
        original
        for original, level in alone.items()
        if original not in served or order.index(served[original]) < order.index(level)
    }
    return too_low, served


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "options"),
    [
        ("en", {}),
        ("it", {}),
        ("en", {"words": "pseudo", "construction": FEW}),
    ],
)
def test_without_a_level_each_original_has_the_highest_that_serves_it_alone_or_a_higher_one(
    language: str, options: dict[str, Any]
) -> None:
    found, served = too_low(mined(Path(str(sample(language)))), **options)
    assert not found
    assert served


@pytest.mark.shared
@pytest.mark.parametrize(
    "name", ["UD_German-GSD", pytest.param("UD_French-Sequoia", marks=pytest.mark.thorough)]
)
def test_of_a_real_treebank_no_original_is_without_variants_that_some_level_serves(
    name: str,
) -> None:
    mining = mined(shared("treebanks", name))
    found, served = too_low(mining)
    assert not found
    assert "+frequency" in served.values()


def left_alone(item: Item, matching: Matching) -> set[int]:
    """Return the tokens, the target's left out, that `+frame` leaves as they are in an original."""
    base = base_of(item, matching)
    assert not isinstance(base, str)
    tokens = base.tree.tokens
    matcher = matching.levels[1][1]
    nodes = (node for node in range(len(tokens)) if node != base.target)
    return {
        tokens[node]
        for node in nodes
        if base.tree.upos[node] in CONTENT_UPOS
        and (node > base.target or matcher.stays(base.word_at(node)))
    }


@pytest.mark.shared
def test_words_of_fixed_use_are_replaced_where_the_flag_says_so_and_nowhere_else() -> None:
    path = shared("treebanks", "UD_German-GSD")
    originals, matching = prepared(path, "unseen")
    by_id = {item.item_id: item for item in originals}
    made = variants(originals, matching, 2, lower_levels=True)
    n_flagged = 0
    for item in (item for item in made.items if item.kind == "nonce"):
        facts = item.agreement
        assert facts is not None
        original = by_id[item.cluster_id].agreement
        assert original is not None
        if original.tree is None or len(set(original.tree.tokens)) < len(original.tree):
            continue
        fixed = left_alone(by_id[item.cluster_id], matching)
        changed = fixed.intersection(facts.substitutions) - {facts.target_index}
        assert bool(changed) == is_unrestrained(item)
        n_flagged += is_unrestrained(item)
        cue = original.tree.tokens[original.cue_node]
        assert not is_unrestrained(item) or cue not in fixed or changed == {cue}
    assert n_flagged > 10


@pytest.mark.shared
def test_a_level_that_was_asked_for_is_never_loosened() -> None:
    mining = mined(shared("treebanks", "UD_German-GSD"))
    for level in ("+frequency", "+frame"):
        assert not any(map(is_unrestrained, cg.make_nonce(mining, n=1, level=level).items))


def drawn_pairs(made: VariantSet) -> list[tuple[str, str]]:
    """Neighbouring content words of variants, up to the target."""
    found = []
    for item in made.items:
        facts = item.agreement
        if item.kind == "nonce" and facts is not None:
            end = facts.target_index + 1
            words = list(zip(facts.tokens[:end], facts.upos[:end], strict=True))
            for (one, tag), (other, other_tag) in pairwise(words):
                if {tag, other_tag} <= CONTENT_UPOS:
                    found.append((one.lower(), other.lower()))
    return found


@pytest.mark.shared
def test_no_two_content_words_of_an_unseen_variant_stand_together_in_the_treebank() -> None:
    path = shared("treebanks", "UD_English-GUM")
    originals, matching = prepared(path, "unseen")
    seen = {
        (one.lower(), other.lower())
        for _, sentence in sentences(treebank([path]))
        for one, other in zip(sentence.forms, sentence.forms[1:], strict=False)
    }
    pairs = drawn_pairs(variants(originals, matching, 3))
    assert pairs
    assert not seen.intersection(pairs)
    looser = matching_for(treebank([path]), Recipe(level="morphology"), "tested", "auto")
    assert seen.intersection(drawn_pairs(variants(originals, looser, 60)))


@pytest.mark.shared
def test_frequent_words_replace_frequent_words() -> None:
    path = shared("treebanks", "UD_English-GUM")
    originals, matching = prepared(path, "frequency")
    counts = Counter(
        form.lower() for _, sentence in sentences(treebank([path])) for form in sentence.forms
    )
    for item in variants(originals, matching, 2).items:
        facts = item.agreement
        assert facts is not None
        if item.kind == "nonce":
            width = 2 ** int(item.facts["octaves"])
            original = next(each for each in originals if each.item_id == item.cluster_id)
            before = original.agreement
            assert before is not None
            for index in set(facts.substitutions) - {facts.target_index}:
                if before.tree is not None and before.tree.tokens.count(index) == 1:
                    old = counts[before.tokens[index].lower()]
                    assert old / width <= counts[facts.tokens[index].lower()] <= old * width
            assert item.facts["frequencies"] == "treebank"


def agreeing(noun: str, verb: str, value: str, number: int) -> str:
    forms = (f"{noun}s", verb) if value == "Plur" else (noun, f"{verb}s")
    return relational(
        f"{forms[0]}/{noun}/NOUN/Number={value}/5/nsubj",
        "of/of/ADP/_/3/case",
        "it/it/PRON/_/1/nmod",
        "now/now/PART/_/5/discourse",
        f"{forms[1]}/{verb}/VERB/Number={value}/0/root",
        f"{number}/{number}/X/_/5/discourse",  # equal sentences count once
        sent_id=f"{noun}-{verb}-{value}-{number}",
    )


def small(path: Path) -> Path:
    """Two frequent nouns and verbs, and two rare ones; the verbs begin alike, since in a language
    of which nothing is known the word before them might depend on it."""
    blocks = [
        agreeing(noun, verb, value, number)
        for noun, verb, copies in (
            ("cat", "run", 16),
            ("dog", "rip", 16),
            ("elk", "rub", 1),
            ("emu", "rap", 1),
        )
        for value in ("Sing", "Plur")
        for number in range(copies)
    ]
    return write_conllu(path / "xx-ud-train.conllu", *blocks)


def test_a_window_is_widened_only_as_far_as_is_needed(tmp_path: Path) -> None:
    source = treebank([small(tmp_path)])
    originals = suite_of(mine_treebank(source, Rule(min_gap=2, undecided=True))).items
    matching = matching_for(source, Recipe(level="+frequency"), "tested", "auto")
    matcher = matching.levels[0][1]
    item = next(each for each in originals if each.agreement and each.agreement.cue == "cat")
    base = base_of(item, matching)
    assert not isinstance(base, str)
    place = base.word_at(0)
    pool = matching.lexicon.donors(place.form, place.upos, place.feats)
    assert {each.form for each in pool} == {"dog", "elk", "emu"}
    assert [each.form for each in matcher.narrow(place, pool, 1)] == ["dog"]
    assert len(matcher.narrow(place, pool, 4)) == 3
    (slots,) = [each for each in levels_for(base, matching, 1)[0] if each.level == "+frequency"]
    assert slots.width == 1
    (slots,) = [each for each in levels_for(base, matching, 3)[0] if each.level == "+frequency"]
    assert slots.width == 4


def with_adverb(noun: str, adverb: str, feats: str, value: str) -> str:
    verb = "run" if value == "Plur" else "runs"
    return relational(
        f"{noun}{'s' * (value == 'Plur')}/{noun}/NOUN/Number={value}/6/nsubj",
        "of/of/ADP/_/3/case",
        "it/it/PRON/_/1/nmod",
        "now/now/PART/_/6/discourse",
        f"{adverb}/{adverb}/ADV/{feats}/6/advmod",
        f"{verb}/run/VERB/Number={value}/0/root",
        sent_id=f"{noun}-{adverb}-{value}",
    )


def test_closed_adverbs_and_negations_stay_at_every_level_above_morphology(tmp_path: Path) -> None:
    adverbs = [("soon", "_"), ("still", "_"), ("never", "Polarity=Neg"), ("nowise", "Polarity=Neg")]
    blocks = [
        with_adverb(noun, *adverb, value)
        for noun in ("cat", "dog")
        for adverb in adverbs
        for value in ("Sing", "Plur")
    ]
    source = treebank([write_conllu(tmp_path / "xx-ud-train.conllu", *blocks)], language="en")
    items = suite_of(mine_treebank(source, Rule(min_gap=2, undecided=True))).items
    for level in ("frequency", "frame"):
        matching = matching_for(source, Recipe(level=level), "tested", "auto")
        base = base_of(items[0], matching)
        assert not isinstance(base, str)
        assert 4 in levels_for(base, matching, 1)[0][0].pools
        assert all(matcher.stays(base.word_at(4)) for _, matcher in matching.levels)


@pytest.mark.slow
@pytest.mark.parametrize(("level", "pointed"), [("+frame", True), (None, False)])
def test_a_level_that_serves_few_points_to_lower_ones(level: str | None, pointed: bool) -> None:
    made = cg.make_nonce(
        mined(Path(str(sample("it")))), level=level, n=1, construction="L__NOUN__ADJ*"
    )
    assert made.account is not None
    assert any("without --level" in each for each in made.account.messages) is pointed
