"""Words that tell the value besides the cue: where they stand, and originals without any between;
and the value that a noun has from its determiner."""

from pathlib import Path

from colorless_green.data import Agreement
from colorless_green.miner import MinedTreebank
from tests.builders import mistake, relational
from tests.miner.mining import clauses, contrary, mined

SING = "Number=Sing"
GO = clauses(20, Sing=("goes", "go"), Plur=("go", "go"))


def of_words(path: Path, *rows: str, **options: object) -> MinedTreebank:
    """Return what is mined of one sentence beside forty that make its construction accepted."""
    return mined(path, "tested", *GO, relational(*rows, sent_id="own"), **options)  # type: ignore[arg-type]


def own(mining: MinedTreebank) -> list[Agreement]:
    return [each for each in mining.agreements if each.sent_id.endswith("own")]


RELATIVE = (
    f"this/this/DET/{SING}/2/det",
    f"key/key/NOUN/{SING}/8/nsubj",
    "that/that/PRON/PronType=Rel/4/nsubj",
    f"opens/open/VERB/{SING}|VerbForm=Fin/2/acl:relcl",
    "the/the/DET/_/6/det",
    "doors/door/NOUN/Number=Plur/4/obj",
    f"has/have/AUX/{SING}|VerbForm=Fin/8/aux",
    f"goes/go/VERB/{SING}/0/root",
    f"sings/sing/VERB/{SING}/8/conj",
)


def test_words_that_tell_the_value_are_told_by_where_they_stand(tmp_path: Path) -> None:
    (found,) = own(of_words(tmp_path, *RELATIVE))
    assert (found.cues_before, found.cues_between, found.cues_beside_target) == ((0,), (3,), (6, 8))


def test_an_attractor_and_its_own_phrase_tell_nothing(tmp_path: Path) -> None:
    rows = (
        f"key/key/NOUN/{SING}/6/nsubj",
        "to/to/ADP/_/4/case",
        "these/this/DET/Number=Plur/4/det",
        "doors/door/NOUN/Number=Plur/1/nmod",
        "often/often/ADV/_/6/advmod",
        f"goes/go/VERB/{SING}/0/root",
    )
    mining = of_words(tmp_path, *rows, distant=True)
    (found,) = own(mining)
    assert found.attractors == (3,)
    assert (found.cues_before, found.cues_between, found.cues_beside_target) == ((), (), ())


def test_distant_turns_what_is_told_between_into_rejections(tmp_path: Path) -> None:
    near = of_words(tmp_path / "all", *RELATIVE)
    far = of_words(tmp_path / "far", *RELATIVE, distant=True)
    assert own(far) == []
    assert len(far.agreements) + 1 == len(near.agreements)
    (reason,) = (each.reason for each in far.rejections if each.sent_id.endswith("own"))
    assert "opens" in reason
    assert "has" in reason
    for each in far.agreements:
        told = (*each.cues_between, *each.cues_beside_target)
        assert all(token >= each.target_index for token in told)
    numbers = sorted(each.number for each in far.agreements)
    assert numbers == list(range(len(numbers)))


def articles(n: int) -> list[str]:
    """Clauses whose subject tells its number by its article alone."""
    return [
        relational(
            f"{article}/le/DET/Number={value}/2/det",
            "prix/prix/NOUN/_/6/nsubj",
            *("x/x/ADP/_/6/obl",) * 3,
            f"{verb}/go/VERB/Number={value}/0/root",
            f"o/o/NOUN/{contrary(f'Number={value}')}/6/obl",
        )
        for article, value, verb in (("le", "Sing", "goes"), ("les", "Plur", "go"))
        for _ in range(n)
    ]


def test_an_original_names_the_word_that_told_its_value(tmp_path: Path) -> None:
    assert mined(tmp_path / "own", "tested", *articles(10)).agreements == ()
    mining = mined(tmp_path / "det", "tested", *articles(10), value_from=("det",))
    assert len(mining.agreements) == 20
    for each in mining.agreements:
        assert each.value_from == (0,)
        assert each.feats[each.cue_index] == "_"
        assert each.value == ("Sing" if each.tokens[0] == "le" else "Plur")


def test_a_noun_does_not_agree_with_the_word_that_told_its_value(tmp_path: Path) -> None:
    rows = [
        relational(
            f"le/le/DET/Number={value}/5/det",
            *("x/x/ADV/_/5/advmod",) * 3,
            "prix/prix/NOUN/_/0/root",
        )
        for value in ("Sing", "Plur") * 10
    ]
    mining = mined(tmp_path, "tested", *rows, value_from=("det",))
    assert mining.stages.n_with_feature == 0
    assert sum(mining.stages.n_left_out.values()) == 20


def test_a_relation_that_the_treebank_does_not_have_is_told(tmp_path: Path) -> None:
    with mistake("unknown", "value_from"):
        mined(tmp_path, "tested", *GO, value_from=("determiner",))
