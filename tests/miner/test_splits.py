"""Constructions taken apart: by what, judged on what, and what becomes of the parts."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from colorless_green.miner import (
    Construction,
    Rule,
    Thresholds,
    mine_treebank,
    procedure_named,
    treebank,
)
from tests.builders import write_conllu
from tests.miner.mining import accepted, clause, instances, mined, told_apart

SING, PLUR = "Sing", "Plur"
WHOLE = "L__NOUN__VERB__nsubj"
FIN, PART = "L__NOUN__VERB[Fin]__nsubj", "L__NOUN__VERB[Part]__nsubj"
Row = dict[str, object]


def row(cue: str, target: str, verbform: str, **more: object) -> Row:
    feats = f"Number={target}|VerbForm={verbform}"
    return {"cue_value": cue, "target_value": target, "target_feats": feats, **more}


def mixed(n: int, **more: object) -> list[Row]:
    """`n` finite verbs of each Number that agree, and as many participles that never change."""
    return [
        row(value, target, verbform, **more)
        for value in (SING, PLUR)
        for target, verbform in ((value, "Fin"), (SING, "Part"))
        for _ in range(n)
    ]


def decided(rows: list[Row]) -> dict[str, Construction]:
    """Return the verdicts by name; every row has a document of its own, unless it names one."""
    found = procedure_named("tested").decide(instances(rows), Thresholds())
    return {each.name: each for each in found}


def test_what_agrees_in_finite_verbs_alone_is_taken_apart_and_named_by_them() -> None:
    found = decided(mixed(15))
    assert {name: each.verdict for name, each in found.items()} == {
        WHOLE: "rejected",
        FIN: "accepted",
        PART: "rejected",
    }
    assert FIN in found[WHOLE].reason
    assert found[FIN].base == found[PART].base == WHOLE
    assert (found[WHOLE].n, found[FIN].n, found[PART].n) == (60, 30, 30)
    assert [each.label for each in found[FIN].conditions] == ["Fin"]


def test_a_word_without_the_feature_is_named_by_that() -> None:
    rows = [{**each, "cue_feats": "Case=Nom"} for each in mixed(15) if "Fin" in str(each)]
    rows += [{**each, "cue_feats": "_"} for each in mixed(15) if "Part" in str(each)]
    rows = [{**each, "target_feats": "_"} for each in rows]
    found = decided(rows)
    assert {name for name, each in found.items() if each.accepted} == {"L__NOUN[Nom]__VERB__nsubj"}
    assert "L__NOUN[-Case]__VERB__nsubj" in found


def test_a_part_is_taken_apart_once_more_and_no_further() -> None:
    """Finite verbs in the indicative agree with the nominative."""
    rows = []
    for cue in (SING, PLUR):
        for verbform, mood, case in (
            ("Fin", "Ind", "Nom"),
            ("Fin", "Ind", "Acc"),
            ("Fin", "Sub", "Nom"),
            ("Part", "_", "Nom"),
        ):
            target = cue if (verbform, mood, case) == ("Fin", "Ind", "Nom") else SING
            each = row(cue, target, verbform, cue_feats=f"Case={case}")
            each["target_feats"] = f"Mood={mood}|VerbForm={verbform}"
            rows += [each] * 15
    found = decided([{**each, "digest": n, "document": n} for n, each in enumerate(rows)])
    (name,) = (name for name, each in found.items() if each.accepted)
    assert len(found[name].conditions) == 2
    assert max(len(each.conditions) for each in found.values()) == 2


def test_what_agrees_as_a_whole_stays_whole() -> None:
    rows = [row(value, value, form) for value in (SING, PLUR) for form in ("Fin", "Part")] * 15
    assert list(decided(rows)) == [WHOLE]


def test_a_part_needs_instances_enough() -> None:
    assert list(decided(mixed(9))) == [WHOLE]


@pytest.mark.parametrize("seed", range(5))
def test_taking_noise_apart_accepts_nothing(seed: int) -> None:
    """Values that have nothing to do with each other, beside features that have nothing to do
    with them; some with four features to be split by, and from few instances to many."""
    random = Random(seed)

    def feats(value: str) -> str:
        moods, cases = ("Ind", "Sub", "Cnd"), ("Nom", "Acc")
        return (
            f"Case={random.choice(cases)}|Mood={random.choice(moods)}|Number={value}"
            f"|PronType={random.choice(cases)}|VerbForm={random.choice(moods)}"
        )

    rows: list[Row] = []
    for rank, n in enumerate([25, 60, 200, 600]):
        for share in (0.5, 0.8):
            for _ in range(n):
                cue, target = (SING if random.random() < share else PLUR for _ in range(2))
                rows.append(
                    {
                        "construction": f"L__NOUN__VERB__n{rank}-{share}",
                        "cue_value": cue,
                        "target_value": target,
                        "cue_feats": feats(cue),
                        "target_feats": feats(target),
                    }
                )
    assert not any(each.accepted for each in decided(rows).values())


def test_a_large_part_is_chosen_on_half_of_the_documents_and_judged_on_the_others() -> None:
    rows = [{**each, "document": n % 7} for n, each in enumerate(mixed(50))]
    found = decided(rows)[FIN]
    assert (found.accepted, found.halved, found.n) == (True, True, 100)
    assert found.evidence is not None
    odd = sum(1 for each in rows if int(str(each["document"])) % 2 and "Fin" in str(each))
    assert found.evidence.n == odd


def test_a_small_part_is_judged_on_all_of_its_instances() -> None:
    found = decided(mixed(30))[FIN]
    assert (found.accepted, found.halved) == (True, False)
    assert found.evidence is not None
    assert found.evidence.n == found.n == 60


def test_what_holds_in_the_half_that_chose_alone_is_not_accepted() -> None:
    even = mixed(50, document=0)
    odd = [
        row(value, SING, verbform, document=1)
        for value in (SING, PLUR)
        for verbform in ("Fin", "Part")
        for _ in range(50)
    ]
    assert not any(each.accepted for each in decided([*even, *odd]).values())


@pytest.mark.parametrize("document", [0, 1])
def test_documents_that_all_fall_into_one_half_are_not_halved(document: int) -> None:
    found = decided(mixed(60, document=document))
    assert found[FIN].accepted
    assert not found[FIN].halved


def both_kinds(n: int) -> Iterator[str]:
    """`n` sentences in the order finite verb and converb, Sing and Plur; no two alike."""
    for number in range(n):
        value, verbform = (SING, PLUR)[number // 2 % 2], ("Fin", "Conv")[number % 2]
        target = value if verbform == "Fin" else SING
        form = f"go{target}" if verbform == "Fin" else "gone"
        yield clause(f"Number={value}", f"{form}/go/Number={target}|VerbForm={verbform}")


def test_originals_come_from_the_part_that_agrees_alone(tmp_path: Path) -> None:
    mining = mined(tmp_path, "tested", *both_kinds(80))
    assert accepted(mining) == {FIN}
    assert {each.construction for each in mining.agreements} == {FIN}
    assert len(mining.agreements) == 40
    assert {(each.right, each.wrong) for each in mining.agreements} == {
        ("goSing", "goPlur"),
        ("goPlur", "goSing"),
    }
    assert all("VerbForm=Fin" in each.target_feats for each in mining.agreements)


def test_rejections_and_exceptions_stand_under_the_part_they_belong_to(tmp_path: Path) -> None:
    odd = clause("Number=Sing", "go/go/Number=Plur|VerbForm=Fin")
    mining = mined(tmp_path, "tested", *both_kinds(80), odd, exceptions=True)
    (exception,) = [each for each in mining.disagreements if each.construction == FIN]
    assert (exception.verdict, exception.target) == ("accepted", "go")
    assert {each.construction for each in mining.rejections} == {FIN}
    of_part = {each.verdict for each in mining.disagreements if each.construction != FIN}
    assert of_part <= {"rejected"}


def test_what_is_undecided_with_an_undecided_part_stays_whole() -> None:
    """Else the same instances would give originals twice. In these sentences nearly every word
    would have matched, so that no test can tell."""
    alike = {"n_alike": 50, "n_matching": 49}
    rows = [row(SING, SING, "Fin", cue_feats="Case=Nom", **alike)] * 40
    rows += [row(PLUR, PLUR, "Fin", cue_feats="Case=Nom", **alike)] * 8
    rows += [row(PLUR, SING, "Fin", cue_feats="Case=Acc", **alike)] * 4
    rows += [row(SING, SING, "Fin", cue_feats="Case=Acc", **alike)] * 20
    found = decided(rows)
    assert {name: each.verdict for name, each in found.items()} == {WHOLE: "undecided"}


def test_words_that_share_a_value_agree(tmp_path: Path) -> None:
    blocks = [
        clause(f"Number={cue}", f"{form}/go/Number={target}")
        for cue, form, target in (("Plur", "go", "Plur,Sing"), ("Sing", "goes", "Sing"))
        for _ in range(12)
    ]
    (found,) = mined(tmp_path, "tested", *blocks, filters=("none",)).constructions
    assert (found.n_agree, found.n, set(found.values)) == (24, 24, {"Plur", "Sing"})


def test_documents_are_those_that_the_files_mark(tmp_path: Path) -> None:
    """The first has one sentence, the second two … of finite verbs: those of odd number judge."""
    sizes = range(1, 21)
    fillers = told_apart(both_kinds(2 * sum(sizes)))
    blocks = []
    for size in sizes:
        own = [next(fillers) for _ in range(2 * size)]
        blocks += ["# newdoc\n" + own[0], *own[1:]]
    mining = mined(tmp_path, "tested", *blocks)
    (found,) = (each for each in mining.constructions if each.name == FIN)
    assert found.evidence is not None
    assert found.n == sum(sizes)
    assert found.evidence.n == sum(size for n, size in enumerate(sizes, 1) if n % 2)


def test_where_none_are_marked_fifty_sentences_are_a_document(tmp_path: Path) -> None:
    mining = mined(tmp_path, "tested", *both_kinds(350))
    (found,) = (each for each in mining.constructions if each.name == FIN)
    assert found.evidence is not None
    assert (found.halved, found.n, found.evidence.n) == (True, 175, 75)


@pytest.mark.slow
def test_small_files_are_documents_too(tmp_path: Path) -> None:
    """More of them than a byte counts."""
    blocks = [
        block.replace("sent_id = s1", f"sent_id = {number}")
        for number, block in enumerate(told_apart(both_kinds(1200)))
    ]
    for number in range(300):
        write_conllu(tmp_path / f"{number:03}.conllu", *blocks[4 * number : 4 * number + 4])
    mining = mine_treebank(treebank([tmp_path], name="x"), Rule())
    (found,) = (each for each in mining.constructions if each.name == FIN)
    assert found.evidence is not None
    assert (found.halved, found.n, found.evidence.n) == (True, 600, 300)
