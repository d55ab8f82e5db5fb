"""The embedded sample: made by its grammar, and fit for what the demo does with it."""

import json
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from colorless_green.data import Sentence, letter_class
from colorless_green.data.sample import LANGUAGES, N_SENTENCES, SEED, grammar, treebank
from colorless_green.miner import MinedTreebank, Rule, mine_treebank, read, surface_of
from colorless_green.miner import treebank as treebank_of
from tests.builders import colorless, mistake

CONTENT = ("ADJ", "ADV", "NOUN", "NUM", "PROPN", "VERB")
CONSTRUCTIONS = {
    "en": {
        "L__NOUN_NOUN_ADV_VERB", "L__NOUN_NOUN_VERB", "L__NOUN_VERB_VERB", "L__PRON_VERB_VERB",
        "R__VERB_NOUN_CCONJ_VERB",
    },
    "it": {
        "L__DET_ADJ_NOUN", "L__NOUN_NOUN_AUX_ADJ", "L__NOUN_NOUN_AUX_VERB", "L__NOUN_NOUN_VERB",
        "L__NOUN_VERB_AUX_ADJ", "L__NOUN_VERB_VERB", "R__ADJ_NOUN_CCONJ_ADJ",
        "R__VERB_NOUN_CCONJ_VERB",
    },
}  # fmt: skip


def drawn(language: str, *options: str) -> str:
    """Return what the grammar of a language gives on the command line."""
    run = colorless("grammar", str(grammar(language)), *options, cwd=Path.cwd())
    assert run.returncode == 0
    return run.stdout


@cache
def sentences(language: str) -> tuple[Sentence, ...]:
    return tuple(read(Path(str(treebank(language)))))


@cache
def mined(language: str, rule: str) -> MinedTreebank:
    source = treebank_of([Path(str(treebank(language)))], language=language)
    return mine_treebank(source, Rule(extends=rule))


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_sentences_are_exactly_what_the_grammar_makes(language: str) -> None:
    made = drawn(language, "--make", "treebank", "--sample", str(N_SENTENCES), "--seed", str(SEED))
    assert treebank(language).read_text(encoding="utf-8") == made


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_comes_twice(language: str) -> None:
    texts = [each.comment("text") for each in sentences(language)]
    assert len(set(texts)) == len(texts) == N_SENTENCES


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_grammar_has_millions_of_other_sentences(language: str) -> None:
    rows = map(json.loads, drawn(language, "--count", "--json").splitlines())
    assert sum(row["n_sentences"] for row in rows) > 1_000_000_000
    own = {each.comment("text") for each in sentences(language)}
    lines = drawn(
        language, "--make", "treebank", "--sample", "3000", "--seed", str(SEED + 1)
    ).splitlines()
    others = [line.removeprefix("# text = ") for line in lines if line.startswith("# text = ")]
    assert len(set(others)) == 3_000
    assert sum(each in own for each in others) < 30


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_vocabulary_is_small(language: str) -> None:
    words = {form for each in sentences(language) for form in surface_of(each, "merged").forms}
    assert 250 <= len(words) <= 400


@pytest.mark.parametrize("rule", ["released", "strict"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_both_rules_accept_the_constructions_of_agreement_and_no_others(
    language: str, rule: str
) -> None:
    found = [each for each in mined(language, rule).constructions if each.accepted]
    names = {name if rule == "released" else f"X{name[1:]}" for name in CONSTRUCTIONS[language]}
    assert {each.name for each in found} == names


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_construction_has_enough_originals_of_either_number(language: str) -> None:
    result = mined(language, "released")
    for name in CONSTRUCTIONS[language]:
        values = Counter(each.value for each in result.agreements if each.construction == name)
        assert 15 <= sum(values.values()) <= 45
        assert min(values["Sing"], values["Plur"]) >= 10


@pytest.mark.parametrize("language", LANGUAGES)
def test_both_numbers_are_about_equally_frequent(language: str) -> None:
    rows = [
        (upos, feats)
        for each in sentences(language)
        for upos, feats in zip(each.upos, each.feats, strict=True)
    ]
    for upos in ("NOUN", "VERB"):
        singular = sum("Number=Sing" in feats for tag, feats in rows if tag == upos)
        plural = sum("Number=Plur" in feats for tag, feats in rows if tag == upos)
        assert 0.45 < singular / (singular + plural) < 0.55


@pytest.mark.parametrize("language", LANGUAGES)
def test_nearly_every_content_word_has_three_rivals_for_its_place(language: str) -> None:
    """A rival has its UPOS, FEATS and letter class, occurs twice and is no other UPOS."""
    rows = [
        (form, upos, feats)
        for each in sentences(language)
        for form, upos, feats in zip(each.forms, each.upos, each.feats, strict=True)
    ]
    tags: dict[str, set[str]] = {}
    for form, upos, _ in rows:
        tags.setdefault(form, set()).add(upos)
    rivals: dict[tuple[object, ...], set[str]] = {}
    for (form, upos, feats), n in Counter(rows).items():
        if n >= 2 and len(tags[form]) == 1:
            rivals.setdefault((upos, feats, letter_class(form)), set()).add(form)
    places = [each for each in rows if each[1] in CONTENT]
    short = [
        form
        for form, upos, feats in places
        if len(rivals.get((upos, feats, letter_class(form)), set()) - {form}) < 3
    ]
    assert len(short) < 0.02 * len(places), Counter(short)


def test_a_language_the_sample_lacks_is_an_error_that_names_those_it_has() -> None:
    with mistake("unknown", "the embedded sample"):
        treebank("de")
