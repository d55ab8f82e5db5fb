"""Component oracle: instances found in columns, beside a plain walk through every tree; and the
words that might have been the cue, beside a count by hand."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from colorless_green.data import Sentence, value_of
from colorless_green.miner import procedure_named, read
from colorless_green.miner.search.instances import Search
from colorless_green.miner.search.pattern import Pattern, Step, WordConditions
from colorless_green.miner.verdict.counts import count
from tests.builders import relational, write_conllu
from tests.miner.mining import mined

UPOS = ("NOUN", "NOUN", "VERB", "PRON", "PUNCT")
RELATIONS = ("nsubj", "nsubj:pass", "conj", "conj:and", "obj", "aux")
FEATS = ("_", "Number=Sing", "Number=Plur", "Number=Plur,Sing", "Number=Sing|VerbForm=Fin")
CONDITIONS: Mapping[str, frozenset[str]] = {"VerbForm": frozenset({"Fin", ""})}

some = partial(st.frozensets, max_size=2)
words = st.builds(
    WordConditions,
    upos=some(st.sampled_from(UPOS)),
    feats=st.sampled_from([{}, CONDITIONS, {"Number": frozenset({"Sing"})}]),
    lemma=st.sampled_from([frozenset(), frozenset(), frozenset({"a"})]),
    deprel=some(st.sampled_from(RELATIONS)),
    has=some(st.sampled_from(RELATIONS), max_size=1),
    lacks=some(st.sampled_from(RELATIONS)),
)
loose = st.one_of(st.just(WordConditions()), words)
steps = st.builds(Step, st.booleans(), some(st.sampled_from(RELATIONS)))


@st.composite
def patterns(draw: st.DrawFn) -> Pattern:
    path = tuple(draw(st.lists(steps, min_size=1, max_size=3)))
    via = tuple(draw(loose) for _ in path[1:]) if draw(st.booleans()) else ()
    order = draw(st.sampled_from(["", "L", "R"]))
    return Pattern("p", path, draw(loose), draw(loose), via, order)


@st.composite
def blocks(draw: st.DrawFn) -> list[str]:
    """Sentences of random trees; no form twice in one."""
    found = []
    for number in range(draw(st.integers(1, 3))):
        n = draw(st.integers(1, 10))
        order = draw(st.permutations(range(1, n + 1)))
        heads = {order[0]: 0}
        for rank, word in enumerate(order[1:], start=1):
            heads[word] = order[draw(st.integers(0, rank - 1))]
        rows = [
            f"w{word}/{draw(st.sampled_from('ab'))}/{draw(st.sampled_from(UPOS))}/"
            f"{draw(st.sampled_from(FEATS))}/{heads[word]}/{draw(st.sampled_from(RELATIONS))}"
            for word in range(1, n + 1)
        ]
        found.append(relational(*rows, sent_id=f"s{number}"))
    return found


def read_back(folder: Path, of: list[str]) -> list[Sentence]:
    return list(read(write_conllu(folder / "x.conllu", *of)))


def asked(found: tuple[Pattern, ...], *, arcs: bool, min_gap: int, max_gap: int | None) -> Search:
    own = procedure_named("tested").selection
    names = tuple(each.name for each in found) + (("arc",) if arcs else ())
    selection = replace(own, patterns=names, filters=(), min_gap=min_gap, max_gap=max_gap)
    return Search(selection, found, ("Number",), "xx", evidence=True)


def is_one(relation: str, wanted: frozenset[str]) -> bool:
    return not wanted or relation in wanted or relation.split(":")[0] in wanted


def fits(sentence: Sentence, word: int, asked_for: WordConditions) -> bool:
    below = [
        relation
        for head, relation in zip(sentence.heads, sentence.deprels, strict=True)
        if head == word
    ]
    return (
        (not asked_for.upos or sentence.upos[word] in asked_for.upos)
        and all(
            (value_of(sentence.feats[word], name) or "") in values
            for name, values in asked_for.feats.items()
        )
        and (not asked_for.lemma or sentence.lemmas[word] in asked_for.lemma)
        and is_one(sentence.deprels[word], asked_for.deprel)
        and all(any(is_one(each, frozenset({name})) for each in below) for name in asked_for.has)
        and not any(is_one(each, frozenset({name})) for each in below for name in asked_for.lacks)
    )


def walk(sentence: Sentence, pattern: Pattern) -> Iterator[tuple[int, int]]:
    """Yield controller and agreeing word of every match."""
    n = len(sentence.heads)
    for controller in range(n):
        if not fits(sentence, controller, pattern.controller):
            continue
        here = {controller}
        for rank, step in enumerate(pattern.path):
            reached = set()
            for at in here:
                if step.up:
                    if sentence.heads[at] >= 0 and is_one(sentence.deprels[at], step.relations):
                        reached.add(sentence.heads[at])
                else:
                    reached |= {
                        child
                        for child in range(n)
                        if sentence.heads[child] == at
                        and is_one(sentence.deprels[child], step.relations)
                    }
            if rank < len(pattern.via):
                reached = {each for each in reached if fits(sentence, each, pattern.via[rank])}
            here = reached
        for agreeing in here - {controller}:
            right = {"": True, "L": controller < agreeing, "R": controller > agreeing}
            if right[pattern.order] and fits(sentence, agreeing, pattern.agreeing):
                yield controller, agreeing


def plain(sentence: Sentence, search: Search) -> dict[tuple[int, int], tuple[int, int, str]]:
    """(cue, target) → (controller, agreeing word, what it was found by), paths first."""
    selection = search.selection
    found: dict[tuple[int, int], tuple[int, int, str]] = {}

    def claim(controller: int, agreeing: int, what: str) -> None:
        gap = abs(controller - agreeing) - 1
        far = selection.max_gap is not None and gap > selection.max_gap
        values = [value_of(sentence.feats[each], "Number") for each in (controller, agreeing)]
        if gap >= selection.min_gap and not far and None not in values:
            pair = min(controller, agreeing), max(controller, agreeing)
            found.setdefault(pair, (controller, agreeing, what))

    for pattern in search.patterns:
        for controller, agreeing in walk(sentence, pattern):
            claim(controller, agreeing, pattern.name)
    if "arc" in selection.patterns:
        for word, head in enumerate(sentence.heads):
            if head >= 0 and "PUNCT" not in (sentence.upos[word], sentence.upos[head]):
                claim(word, head, "")
    return found


def name(sentence: Sentence, controller: int, agreeing: int, what: str) -> str:
    cue, target = sorted((controller, agreeing))
    return "__".join(
        [
            "L" if controller < agreeing else "R",
            sentence.upos[cue],
            sentence.upos[target],
            what or sentence.deprels[controller],
        ]
    )


gaps = st.tuples(st.integers(0, 2), st.sampled_from([None, 3, 13]))


@given(blocks(), st.lists(patterns(), max_size=2), st.booleans(), gaps)
@settings(max_examples=25, deadline=None)
def test_what_is_found_in_columns_is_what_a_walk_finds(
    tmp_path_factory: pytest.TempPathFactory,
    of: list[str],
    paths: list[Pattern],
    arcs: bool,
    gap: tuple[int, int | None],
) -> None:
    sentences = read_back(tmp_path_factory.mktemp("columns"), of)
    numbered = tuple(replace(each, name=f"p{rank}") for rank, each in enumerate(paths))
    search = asked(numbered, arcs=arcs, min_gap=gap[0], max_gap=gap[1])
    columns = ("construction", "cue_value", "target_value", "controller", "agreeing")
    rows = count(sentences, search).instances.select("sentence", *columns).rows()
    for sentence in sentences:
        expected = {
            (
                name(sentence, controller, agreeing, what),
                *compared(sentence, cue, target),
                controller,
                agreeing,
            )
            for (cue, target), (controller, agreeing, what) in plain(sentence, search).items()
        }
        listed = [tuple(row) for number, *row in rows if number == sentence.number]
        assert set(listed) == expected
        assert len(listed) == len(expected)


def compared(sentence: Sentence, cue: int, target: int) -> list[str]:
    """Return the two values, or what they have in common: words agree if they share a value."""
    values = [str(value_of(sentence.feats[each], "Number")) for each in (cue, target)]
    shared = set(values[0].split(",")) & set(values[1].split(","))
    return [",".join(sorted(shared))] * 2 if shared and values[0] != values[1] else values


def conjuncts(sentence: Sentence, word: int) -> set[int]:
    """Return the words that are coordinated with a word, itself among them."""
    found, size = {word}, 0
    while len(found) > size:
        size = len(found)
        for each, head in enumerate(sentence.heads):
            if sentence.deprels[each].split(":")[0] == "conj" and head >= 0:
                found |= {each, head} if found & {each, head} else set()
    return found


def alike(sentence: Sentence, cue: int, target: int, others: set[int]) -> tuple[int, int]:
    """How many words might be the cue, and how many of them match the target."""
    wanted = set(str(value_of(sentence.feats[target], "Number")).split(","))
    left_out = ({target} | others | conjuncts(sentence, cue)) - {cue}
    candidates = [
        set(value.split(","))
        for word, feats in enumerate(sentence.feats)
        if (value := value_of(feats, "Number"))
        and sentence.upos[word] == sentence.upos[cue]
        and word not in left_out
    ]
    return len(candidates), sum(1 for each in candidates if each & wanted)


@given(blocks(), patterns(), st.booleans())
@settings(max_examples=25, deadline=None)
def test_words_like_the_cue_are_counted_as_by_hand(
    tmp_path_factory: pytest.TempPathFactory, of: list[str], path: Pattern, arcs: bool
) -> None:
    """The cue and the words of its POS that carry the feature, less the target, less other cues of
    the target by the same path, less what is coordinated with the cue."""
    sentences = read_back(tmp_path_factory.mktemp("alike"), of)
    search = asked((path,), arcs=arcs, min_gap=0, max_gap=None)
    expected: Counter[tuple[object, ...]] = Counter()
    for number, sentence in enumerate(sentences):
        found = plain(sentence, search)
        for (cue, target), (controller, agreeing, what) in found.items():
            others: set[int] = set()
            if what:
                others = {a for (a, b), each in found.items() if b == target and each[2] == what}
            elif cue == controller:
                others = {
                    each
                    for each, head in enumerate(sentence.heads)
                    if head == target and sentence.deprels[each] == sentence.deprels[cue]
                }
            key = name(sentence, controller, agreeing, what)
            ends = sentence.forms[cue], sentence.forms[target]
            expected[(number, key, *ends, *alike(sentence, cue, target, others))] += 1
    table = count(iter(sentences), search).instances
    columns = ("sentence", "construction", "cue", "target", "n_alike", "n_matching")
    assert Counter(table.select(columns).iter_rows()) == expected


@pytest.mark.slow
def test_a_sentence_of_five_thousand_siblings_is_mined(tmp_path: Path) -> None:
    """Nouns and coordinated verbs by turns, around the verb that all hang on."""
    random = Random(1)
    n, root = 5_000, 2_500
    kinds = [random.random() < 0.5 for _ in range(n)]
    values = [random.choice(("Sing", "Plur")) for _ in range(n)]
    rows = [
        f"n/n/NOUN/Number={value}/{root + 1}/nsubj"
        if noun
        else f"v/v/VERB/Number={value}/{root + 1}/conj"
        for noun, value in zip(kinds, values, strict=True)
    ]
    kinds[root] = False
    rows[root] = "r/r/VERB/Number=Sing/0/root"
    mining = mined(tmp_path, "tested", relational(*rows), filters=("none",))
    near = range(4, 15)
    second = sum(
        1
        for noun in range(n)
        if kinds[noun]
        for verb in (*(noun - d for d in near), *(noun + d for d in near))
        if 0 <= verb < n and not kinds[verb] and verb != root
    )
    stages = mining.stages
    assert stages.n_by_pattern == {"subject-second-verb": second}
    assert stages.n_with_feature == second + 2 * len(near)


@pytest.mark.slow
def test_a_sentence_of_more_words_than_sixteen_bits_count_is_mined(tmp_path: Path) -> None:
    n = 1 << 16
    rows = [f"n/n/NOUN/Number=Sing/{n + 9}/obl"] * (n + 8)
    rows[n + 3] = f"n/n/NOUN/Number=Plur/{n + 9}/nsubj"
    rows.append("v/v/VERB/Number=Plur/0/root")
    mining = mined(tmp_path, "tested", relational(*rows), filters=("none",))
    assert {each.name: each.n for each in mining.constructions} == {
        "L__NOUN__VERB__nsubj": 1,
        "L__NOUN__VERB__obl": 10,
    }
