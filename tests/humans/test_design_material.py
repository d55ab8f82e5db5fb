"""Which sources become targets and fillers, which fillers decide on people, and what is said of it:
doubts (flags of an original), sources of one sentence, constructions that are tested too."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.data.store import MEMORY, Store
from colorless_green.humans.designing import Plan, design_study
from colorless_green.humans.doubtful import known_of
from colorless_green.humans.exclusion import Rules, excluded
from colorless_green.humans.fillers import Pool, fillers
from colorless_green.humans.judgment import Judgment
from colorless_green.humans.lists import apart, sources_of
from colorless_green.humans.stimulus import usable
from colorless_green.humans.study import read_study
from colorless_green.nonce.formats.jsonl import FORMAT
from colorless_green.nonce.item import Item, Leak
from colorless_green.nonce.suite import Suite
from tests.humans.report_material import agreement_item
from tests.humans.study_material import designed

LOOKED = Leak("D", 0, "Plur")  # so somebody has looked at the suite
TESTED, OTHER = "L__NOUN_VERB_VERB", "R__NOUN_NOUN_VERB"
PLAN = Plan("form", fillers="pool", n_checks=0, n_practice=0)


def mined(
    number: int,
    *flags: str,
    construction: str = TESTED,
    sentence: str = "",
    value: str = "",
) -> tuple[Item, Item]:
    """A source: an original with these flags, and a nonce variant, which has none."""
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
    n_wanted = data.draw(st.integers(0, number))
    found = fillers(items, n_wanted, "form", seed, tested={TESTED}, known=known_of(items))
    best = [place for place, size in enumerate(sizes) for _ in range(size)]
    assert sorted(rank[each.source] for each in found) == best[:n_wanted]


@given(st.lists(st.integers(0, 6), min_size=2, max_size=12), st.integers(0, 9))
def test_nobody_sees_two_targets_or_fillers_of_one_sentence(wanted: list[int], seed: int) -> None:
    items = [
        each
        for number, sentence in enumerate(wanted)
        for each in mined(number, sentence=f"the keys of {sentence} are gone")
    ]
    sources = sources_of(usable(items, "form")[0])
    kept = apart(sources, known_of(items), seed)
    assert len(kept) == len(set(wanted))
    sentence = {source.source: text for source, text in zip(sources, wanted, strict=True)}
    pool = [*items, *mined(99, sentence="the keys of 99 are gone")]
    taken = {kept[0].source}
    found = fillers(pool, len(kept), "form", seed, taken=taken, known=known_of(pool))
    texts = [sentence.get(each.source, 99) for each in found]
    assert len({*texts, sentence[kept[0].source]}) == len(kept) + 1


def test_of_a_sentence_the_source_without_doubts_stays() -> None:
    text = "the keys of it are gone"
    items = [
        *mined(1, "quantity", sentence=text),
        *mined(2, sentence=text),
        *mined(3, "unrelated", sentence=text),
    ]
    sources = sources_of(usable(items, "form")[0])
    assert apart(sources, known_of(items), 0) == (sources[1],)
    nobody_told = known_of(each for each in items if each.kind == "nonce")  # sent_id tells
    assert len(apart(sources, nobody_told, 0)) == 3


def test_a_variant_has_the_doubts_of_its_original_and_what_is_no_doubt_is_none() -> None:
    items = [*mined(1, "other_noun", "ambiguous"), *mined(2, "same_sentence", "multiword")]
    assert known_of(items).doubts == {items[0].cluster_id: ("ambiguous", "other_noun")}


def test_only_originals_without_doubts_decide_on_people(tmp_path: Path) -> None:
    targets = suite(range(12))
    pool = [
        *suite(range(20, 31), construction=OTHER),
        *suite(range(40, 44), "other_noun", "ambiguous", construction=OTHER),
    ]
    for name, items in (("targets", targets), ("pool", pool)):
        FORMAT.write(Suite(name, tuple(items)), tmp_path / f"{name}.jsonl", None)
    plan = replace(PLAN, fillers=str(tmp_path / "pool.jsonl"))
    with Store(MEMORY) as store:
        design_study(str(tmp_path / "targets.jsonl"), store, plan, out=tmp_path / "study")
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


def messages(items: list[Item], pool: Pool, plan: Plan = PLAN) -> Iterator[str]:
    """What is said of the material; two constructions are too few for every constraint of order."""
    return (each for each in designed(items, plan, pool).messages if "the order of" not in each)


def test_a_person_s_share_is_told() -> None:
    pool = Pool(tuple(suite(range(20, 60), construction=OTHER)))
    assert tuple(messages(suite(range(24)), pool)) == (
        "a person's 24 targets: 12 original, 12 nonce",
        "a person's 24 fillers: 12 original, 12 nonce",
        "12 of 24 fillers may decide on people (originals without doubts): whoever has 3 of them "
        "wrong is above max_filler_errors = 0.2",
        "words before the gap: 5.5 at the median, 6 at most",
    )


def test_what_is_doubtful_or_shared_or_too_little_is_told() -> None:
    pool = Pool(
        (
            *suite(range(20, 24), construction=OTHER),
            *suite(range(30, 32)),
            *suite(range(40, 42), "quantity", construction=OTHER),
        )
    )
    targets = [
        *suite(range(6)),
        *suite(range(6, 8), "other_noun", "ambiguous"),
        *mined(8, "same_sentence", sentence="the keys of L__NOUN_VERB_VERB 0 are gone"),
    ]
    assert tuple(messages(targets, pool)) == (
        "1 of 9 sources left out: another one stems from the same sentence",
        "2 of 8 targets are doubtful (other_noun 2): their wrong form may be right; they stay, as "
        "in the published sets (--drop-flagged leaves them out)",
        "a person's 8 targets: 4 original, 4 nonce",
        "a person's 8 fillers: 4 original, 4 nonce",
        "2 of 8 fillers are doubtful (quantity 2)",
        "2 of 8 fillers are of a construction that is tested too",
        "only 3 of 8 fillers may decide on people (originals without doubts): whoever has 1 of "
        "them wrong is above max_filler_errors = 0.2; a table of fillers (column unambiguous) can "
        "have more that do",
        "words before the gap: 5.5 at the median, 6 at most",
    )


def test_flagged_targets_are_left_out_on_request() -> None:
    targets = [*suite(range(6)), *suite(range(6, 8), "other_noun", "ambiguous")]
    pool = Pool(tuple(suite(range(20, 30), construction=OTHER)))
    found = messages(targets, pool, replace(PLAN, drop_flagged=True))
    assert next(found) == "2 of 8 sources left out as doubtful (other_noun 2)"
    assert next(found) == "a person's 6 targets: 3 original, 3 nonce"


def test_flagged_targets_alone_are_an_error_where_they_are_not_wanted() -> None:
    with pytest.raises(InputError) as error:
        designed(suite(range(2), "quantity"), replace(PLAN, drop_flagged=True))
    assert str(error.value) == (
        "--drop-flagged: all 2 sources are doubtful (quantity 2); other material, or all of it"
    )


def test_fillers_of_which_none_may_decide_are_told_and_decide_on_nobody() -> None:
    pool = Pool(tuple(suite(range(20, 26), "quantity", construction=OTHER)))
    made = designed(suite(range(4)), PLAN, pool)
    assert made.unambiguous == frozenset()
    assert (
        "0 of 4 fillers may decide on people (originals without doubts): max_filler_errors "
        "excludes nobody; a table of fillers (column unambiguous) can have more that do"
    ) in made.messages
    wrong = [
        Judgment(f"P{n}", item=f"f{n}", kind="filler", chosen="a", correct_form="b", correct=0)
        for n in range(4)
    ]
    found = excluded(wrong, Rules(max_filler_errors=0.2, unambiguous=()))
    assert (len(found.kept), found.gone) == (4, ())


def test_a_suite_at_which_nobody_has_looked_is_told() -> None:
    bare = [
        replace(each, agreement=replace(each.agreement, leaks=()))
        for each in suite(range(4))
        if each.agreement
    ]
    found = messages(bare, Pool(tuple(suite(range(20, 30), construction=OTHER))))
    assert next(found) == (
        "nobody has looked whether the wrong forms of the targets are wrong: colorless nonce does "
        "(docs/quality.md)"
    )


def test_a_table_s_own_word_decides_and_its_unambiguous_sources_come_first() -> None:
    items = tuple(suite(range(20, 40), construction=OTHER))
    clear = frozenset(each.item_id for each in items[:16])
    pool = Pool(items, dict.fromkeys((each.item_id for each in items), "filler"), clear)
    made = designed(suite(range(8)), PLAN, pool)
    shown = {trial.item for trial in made.trials if trial.kind == "filler"}
    assert shown < made.unambiguous == clear if made.unambiguous else False
    assert (
        "only 8 of 8 fillers may decide on people (as their table says): whoever has 2 of them "
        "wrong is above max_filler_errors = 0.2; a table of fillers (column unambiguous) can have "
        "more that do"
    ) in made.messages
    silent = designed(suite(range(8)), PLAN, replace(pool, unambiguous=None))
    assert silent.unambiguous is None
    assert any("(their table has no column unambiguous)" in each for each in silent.messages)


def test_a_prefix_of_more_than_forty_words_and_one_that_comes_twice_are_told() -> None:
    long = " ".join(["the", "keys", *(["of"] * 39), "are", "gone"])
    twice = "the keys of two are"
    targets = [
        *mined(1, sentence=long),
        *(each for n in (2, 3) for each in mined(n, sentence=f"{twice} {'gone' * n}")),
    ]
    found = list(messages(targets, Pool(), replace(PLAN, fillers="none")))
    assert found[-3:] == [
        "words before the gap: 5 at the median, 42 at most",
        "2 of 6 items have more than 40 words before the gap: much to read",
        "of a person's 3 targets 1 read like another up to the gap",
    ]


def test_single_sentences_are_measured_whole_and_their_fillers_decide_on_nobody() -> None:
    pool = Pool(tuple(suite(range(20, 40), construction=OTHER)))
    made = designed(suite(range(8)), replace(PLAN, task="rating"), pool)
    assert made.unambiguous is None
    assert made.messages[-1] == "words in a sentence: 7.5 at the median, 8 at most"
    kinds = Counter(each.split(":")[0] for each in made.messages)
    assert "a person's 8 fillers" in kinds
