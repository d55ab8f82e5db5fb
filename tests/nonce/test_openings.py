"""Cells of composed sets that begin with another noun than the head."""

from collections import Counter
from collections.abc import Iterator
from itertools import cycle, product
from pathlib import Path

import pytest

import colorless_green as cg
from colorless_green.data import Agreement, Item
from tests.builders import shared
from tests.nonce.composing import NOUNS, Word, clauses, conllu_rows, mined

SAYING = ("claim", "think", "report", "deny")
FINITE = "Mood=Ind|Number={}|Person=3|Tense=Pres|VerbForm=Fin"


def the(head: int) -> Word:
    return ("the", "the", "DET", "Definite=Def|PronType=Art", head, "det")


def noun(lemma: str, number: str, head: int, rel: str) -> Word:
    return (lemma + "s" * (number == "Plur"), lemma, "NOUN", f"Number={number}", head, rel)


def verb(lemma: str, number: str, head: int, rel: str) -> Word:
    return (lemma + "s" * (number == "Sing"), lemma, "VERB", FINITE.format(number), head, rel)


def opened_clauses(*, obj: bool = False, inverted: bool = False) -> Iterator[list[str]]:
    """Yield the banner claims that the border arrives; inside the border the carpet arrives."""
    subjects, verbs = cycle(NOUNS), cycle(SAYING)
    for value, other in [*product(("Sing", "Plur"), repeat=2)] * 12:
        ends = [verb("arrive", other, 3, "ccomp")]
        beside = [("him", "he", "PRON", "PronType=Prs", 3, "obj")] if obj else []
        n = 4 + len(beside)
        yield conllu_rows(
            the(2), noun(next(subjects), value, 3, "nsubj"), verb(next(verbs), value, 0, "root"),
            *beside, ("that", "that", "SCONJ", "_", n + 3, "mark"), the(n + 2),
            noun(next(subjects), other, n + 3, "nsubj"), *ends,
        )  # fmt: skip
        front = [("inside", "inside", "ADP", "_", 3, "case"), the(3)]
        target = 4 if inverted else 6
        place = noun(next(subjects), value, target, "obl")
        subject = [the(6 if inverted else 5), noun(next(subjects), other, target, "nsubj")]
        predicate = [verb("arrive", other, 0, "root")]
        yield conllu_rows(
            *front, place, *(predicate + subject if inverted else subject + predicate)
        )


def composed(folder: Path, extra: Iterator[list[str]]) -> cg.Suite:
    return cg.compose(mined(folder, [*clauses(), *extra]), sets=100)


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> cg.Suite:
    return composed(tmp_path_factory.mktemp("openings"), opened_clauses())


def agreement(item: Item) -> Agreement:
    assert item.agreement is not None
    return item.agreement


def number_of(feats: str) -> str:
    return feats.partition("Number=")[2].partition("|")[0]


def nouns(item: Item) -> list[str]:
    """Return the number of each noun before the target, in order."""
    found = agreement(item)
    return [
        number_of(feats)
        for upos, feats in zip(found.upos[: found.target_index], found.feats, strict=False)
        if upos == "NOUN"
    ]


def by_set(suite: cg.Suite, opening: str) -> dict[str, list[Item]]:
    sets: dict[str, list[Item]] = {}
    for item in suite.items:
        if item.facts["opening"] == opening:
            sets.setdefault(item.set_id, []).append(item)
    return sets


@pytest.mark.parametrize("opening", ["clause", "front"])
def test_first_noun_head_and_attractor_are_crossed(suite: cg.Suite, opening: str) -> None:
    sets = by_set(suite, opening)
    assert len(sets) == len({item.set_id for item in suite.items})
    for items in sets.values():
        cells = Counter((nouns(item)[0], agreement(item).value, nouns(item)[-1]) for item in items)
        assert cells == Counter(product(("Sing", "Plur"), repeat=3))


def test_facts_say_what_stands_before_the_target(suite: cg.Suite) -> None:
    for item in suite.items:
        found = agreement(item)
        head = number_of(found.feats[found.cue_index])
        before = nouns(item)
        if item.facts["opening"]:
            expected = "same" if before[0] == head else "opposite"
        else:
            expected = "none"
            assert before[0] == head
        assert item.facts["first_noun"] == expected
        if int(item.facts["n_modifiers"]):
            relation = "same" if before[-1] == head else "opposite"
            assert item.facts["relation"] == relation


def test_every_second_matrix_subject_has_a_modifier_of_the_other_number(suite: cg.Suite) -> None:
    with_modifier = 0
    for items in by_set(suite, "clause").values():
        second = [nouns(item)[1] for item in items if len(nouns(item)) == 4]
        assert len(second) in (0, 8)
        with_modifier += bool(second)
        assert all(n[1] != n[0] for n in map(nouns, items) if len(n) == 4)
    assert abs(2 * with_modifier - len(by_set(suite, "clause"))) <= 1


def test_heads_and_attractors_are_the_same_nouns(suite: cg.Suite) -> None:
    """So a bag of words cannot learn which nouns are heads."""
    heads, others = Counter[str](), Counter[str]()
    for item in suite.items:
        if item.cell == "Sing.none":
            found = agreement(item)
            heads[found.tokens[found.cue_index]] += 1
        elif item.cell.startswith("Sing.") and item.cell.endswith(".Sing"):
            words = agreement(item).tokens
            others.update(word for word in words if word in NOUNS)
    assert len(heads) > len(NOUNS) / 2
    assert len(set(heads) & set(others)) > 0.8 * len(heads)


def test_sentences_read_as_they_should(suite: cg.Suite) -> None:
    for item in suite.items:
        text = " ".join(agreement(item).tokens)
        assert text[0].isupper()
        if item.facts["opening"] == "clause":
            assert " that the " in text
        elif item.facts["opening"] == "front":
            assert text.startswith("Inside the ")


def test_a_verb_that_has_an_object_beside_its_clause_opens_no_set(tmp_path: Path) -> None:
    suite = composed(tmp_path, opened_clauses(obj=True))
    assert not by_set(suite, "clause")
    assert by_set(suite, "front")


def test_no_phrase_is_fronted_where_the_subject_follows_the_verb_then(tmp_path: Path) -> None:
    suite = composed(tmp_path, opened_clauses(inverted=True))
    assert by_set(suite, "clause")
    assert not by_set(suite, "front")


def test_without_clauses_and_fronts_a_set_begins_with_its_head(tmp_path: Path) -> None:
    suite = composed(tmp_path, iter(()))
    assert {item.facts["first_noun"] for item in suite.items} == {"none"}


@pytest.mark.shared
@pytest.mark.parametrize(
    ("treebanks", "least"),
    [
        (["UD_English-EWT", "UD_English-GUM"], {"clause": 500, "front": 500}),
        (["UD_German-GSD"], {"clause": 450}),
        (["UD_Hebrew-HTB", "UD_Hebrew-IAHLTwiki"], {"clause": 50}),
    ],
)
def test_real_treebanks_have_sets_with_openings(
    treebanks: list[str], least: dict[str, int]
) -> None:
    paths = [shared(f"treebanks/{name}") for name in treebanks]
    suite = cg.compose(cg.mine(paths[0], store=":memory:"), treebank=paths)
    assert all(len(by_set(suite, opening)) >= n for opening, n in least.items())


@pytest.mark.shared
def test_where_order_is_free_no_adjective_that_may_belong_to_a_later_noun_is_a_target() -> None:
    bank = shared("treebanks/UD_Ukrainian-IU")
    suite = cg.compose(cg.mine(bank, store=":memory:"), treebank=bank)
    assert suite.items
    for item in suite.items:
        is_bare = item.facts["target_kind"] in ("adjective", "participle")
        assert not is_bare or "Case=" not in agreement(item).target_feats


def test_the_joint_accuracy_of_an_audit_is_that_of_sets_that_begin_with_the_head() -> None:
    from colorless_green.data import sample

    suite = cg.compose(cg.mine(str(sample.treebank("en"))), sets=20)
    assert suite.account is not None
    account = suite.account.rows[0]
    assert int(str(account["n_relative_sets"])) > 0
    rows = [row for row in cg.audit(suite).rows if row.get("n_sets") is not None]
    overall = {str(row["baseline"]): row for row in rows if row["n_items"] == account["n_items"]}
    assert {row["n_sets"] for row in overall.values()} == {account["n_sets"]}
    assert float(str(overall["majority_value"]["joint"])) < 1e-3
