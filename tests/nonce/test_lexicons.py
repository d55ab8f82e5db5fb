"""Further lexicons (`--lexicon`): evidence for frames, and words where the annotation is alike."""

from collections.abc import Sequence
from pathlib import Path

import pytest

import colorless_green as cg
from colorless_green import Recipe
from colorless_green.data import Item
from colorless_green.miner import Rule, mine_treebank, suite_of, treebank
from colorless_green.nonce import matching_for, variants
from tests.builders import mistake, relational, write_conllu

THE = "the/the/DET/Definite=Def|PronType=Art"


def sentence(noun: str, verb: str, value: str, other: str, feats: str = "") -> str:
    """the NOUN of the OTHER VERBs: a noun and a verb that agree."""
    noun_form, verb_form = (f"{noun}s", verb) if value == "Plur" else (noun, f"{verb}s")
    return relational(
        f"{THE}/2/det",
        f"{noun_form}/{noun}/NOUN/Number={value}{feats}/6/nsubj",
        "of/of/ADP/_/5/case",
        f"{THE}/5/det",
        f"{other}/{other}/NOUN/Number=Sing{feats}/2/nmod",
        f"{verb_form}/{verb}/VERB/Number={value}{feats}/0/root",
        sent_id=f"{noun}-{verb}-{value}-{other}",
    )


def bank(path: Path, nouns: Sequence[str], feats: str = "", copies: int = 6) -> Path:
    """A treebank of these nouns with each of two verbs."""
    blocks = [
        sentence(noun, verb, value, f"{other}{'x' * copy}", feats)
        for noun in nouns
        for verb in ("sleep", "snore")
        for value in ("Sing", "Plur")
        for copy, other in zip(
            range(copies), ["sea", "hill", "wall", "tree", "bank", "road"], strict=False
        )
    ]
    return write_conllu(path, *blocks)


def made(source: Path, *lexicons: Path) -> list[Item]:
    """The variants of a treebank's originals at `+frame`."""
    own = treebank([source])
    originals = suite_of(mine_treebank(own, Rule())).items
    matching = matching_for(own, Recipe(level="+frame", lexicon=lexicons), "tested", "auto")
    return [item for item in variants(originals, matching, 3).items if item.kind == "nonce"]


def cues(items: Sequence[Item]) -> set[str]:
    return {item.agreement.cue.rstrip("s") for item in items if item.agreement is not None}


def test_words_of_a_further_lexicon_are_drawn_and_items_say_so(tmp_path: Path) -> None:
    source = bank(tmp_path / "en_own-ud-train.conllu", ("dog", "cat"))
    further = bank(tmp_path / "en_more-ud-train.conllu", ("elk", "emu"))
    alone, both = made(source), made(source, further)
    assert not cues(alone) & {"elk", "emu"}
    assert cues(both) & {"elk", "emu"}
    assert all("lexicons" not in item.facts for item in alone)
    assert all(item.facts["lexicons"] for item in both)


def test_other_annotation_is_evidence_and_gives_no_words(tmp_path: Path) -> None:
    source = bank(tmp_path / "en_own-ud-train.conllu", ("dog", "cat"))
    further = bank(tmp_path / "en_more-ud-train.conllu", ("elk", "emu"), "|Style=Rare")
    assert not cues(made(source, further)) & {"elk", "emu"}


def test_a_text_that_is_named_twice_is_no_more_evidence(tmp_path: Path) -> None:
    source = bank(tmp_path / "en_own-ud-train.conllu", ("dog", "cat", "cow"), copies=2)
    once, twice = (
        matching_for(treebank([source]), Recipe(level="+frame", lexicon=more), "tested", "auto")
        for more in ((), (source, source))
    )
    assert once.paradigms.counts == twice.paradigms.counts
    assert len(made(source)) == len(made(source, source))


def test_text_of_another_language_is_refused(tmp_path: Path) -> None:
    source = bank(tmp_path / "en_own-ud-train.conllu", ("dog", "cat"))
    with mistake("conflict", "lexicon"):
        made(source, bank(tmp_path / "de_more-ud-train.conllu", ("elk",)))


def test_the_public_function_takes_lexicons(tmp_path: Path) -> None:
    source = bank(tmp_path / "en_own-ud-train.conllu", ("dog", "cat"))
    further = bank(tmp_path / "en_more-ud-train.conllu", ("elk", "emu"))
    mining = cg.mine(source, rule="tested", store=tmp_path / "c.db")
    suite = cg.make_nonce(
        mining, recipe=cg.Recipe(level="+frame", lexicon=(further,)), store=tmp_path / "c.db"
    )
    found = [item for item in suite.items if item.kind == "nonce"]
    assert cues(found) & {"elk", "emu"}
    with pytest.raises(cg.InputError):
        cg.make_nonce(mining, recipe=cg.Recipe(lexicon=(tmp_path / "no",)), store=tmp_path / "c.db")
