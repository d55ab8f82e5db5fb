"""What is left out, by name, and that it is counted."""

from pathlib import Path

import pytest

from colorless_green.miner import FILTERS
from tests.builders import mistake, relational
from tests.miner.mining import BETWEEN, mined


def sentence(
    *more: str,
    subject: str = "keys/key/NOUN/Number=Plur/5/nsubj",
    verb: str = "open/open/VERB/Number=Plur/0/root",
) -> str:
    """Subject, three words, verb, and whatever comes after (from position 6)."""
    return relational(subject, *BETWEEN, verb, *more)


CASES = {
    "conjuncts": sentence("locks/lock/NOUN/_/1/conj"),
    "quantities": sentence(subject="lot/lot/NOUN/Number=Sing/5/nsubj"),
    "collectives": sentence(subject="police/police/NOUN/Number=Sing/5/nsubj"),
    "expletives": sentence("there/there/PRON/_/5/expl"),
    "clauses": sentence("said/say/VERB/_/5/csubj"),
    "typo": sentence(subject="kyes/key/NOUN/Number=Plur|Typo=Yes/5/nsubj"),
    "foreign": sentence(verb="aperto/aprire/VERB/Foreign=Yes|Number=Plur/0/root"),
    "reparandum": relational(
        "keys/key/NOUN/Number=Plur/5/nsubj",
        *BETWEEN,
        "open/open/VERB/Number=Plur/6/reparandum",
        "shut/shut/VERB/_/0/root",
    ),
    "goeswith": sentence("ing/ing/X/_/5/goeswith"),
    "ambiguous": sentence(subject="keys/key/NOUN/Number=Plur,Sing/5/nsubj"),
    "parallels": relational(
        "keys/key/NOUN/Number=Plur/0/root",
        *["x/x/ADP/_/5/case"] * 3,
        "locks/lock/NOUN/Number=Plur/1/conj",
    ),
}


def left_out(path: Path, block: str, filters: tuple[str, ...], language: str = "en") -> object:
    stages = mined(path, "tested", block, language=language, filters=filters).stages
    return stages.n_left_out, stages.n_with_feature


def test_there_is_a_case_for_every_filter() -> None:
    assert set(CASES) == set(FILTERS)


@pytest.mark.parametrize("name", CASES)
def test_a_filter_leaves_out_what_it_is_named_for_and_counts_it(tmp_path: Path, name: str) -> None:
    assert left_out(tmp_path, CASES[name], (name,)) == ({name: 1}, 0)
    assert left_out(tmp_path, CASES[name], ("none",)) == ({}, 1)


def test_a_sound_instance_passes_every_filter(tmp_path: Path) -> None:
    assert left_out(tmp_path, sentence(), ("all",)) == ({}, 1)


def test_an_instance_is_counted_for_the_first_filter_it_meets(tmp_path: Path) -> None:
    both = sentence("locks/lock/NOUN/_/1/conj", "there/there/PRON/_/5/expl")
    assert left_out(tmp_path, both, ("expletives", "conjuncts")) == ({"conjuncts": 1}, 0)


def test_nouns_of_quantity_are_those_of_the_language(tmp_path: Path) -> None:
    assert left_out(tmp_path, CASES["quantities"], ("quantities",), "fi") == ({}, 1)


def test_filters_of_subjects_look_at_subjects_alone(tmp_path: Path) -> None:
    block = sentence("locks/lock/NOUN/_/1/conj", subject="keys/key/NOUN/Number=Plur/5/obj")
    assert left_out(tmp_path, block, ("conjuncts",)) == ({}, 1)


def test_objects_that_a_path_begins_at_are_looked_at_too(tmp_path: Path) -> None:
    block = relational(
        "gizonak/gizon/NOUN/Case=Abs|Number=Plur/5/obj",
        *BETWEEN,
        "ikusi/ikusi/VERB/_/0/root",
        "ditu/ukan/AUX/Number[abs]=Plur/5/aux",
        "mutila/mutil/NOUN/_/1/conj",
    )
    assert left_out(tmp_path, block, ("conjuncts",), "eu") == ({"conjuncts": 1}, 0)


def test_the_relation_of_a_word_is_no_matter_of_what_stands_below_it(tmp_path: Path) -> None:
    """The men is a coordinated subject, but of another verb than that of its relative clause."""
    block = relational(
        "men/man/NOUN/Number=Plur/7/nsubj",
        "who/who/PRON/PronType=Rel/6/nsubj",
        *["x/x/ADP/_/6/obl"] * 3,
        "know/know/VERB/Number=Plur/1/acl:relcl",
        "go/go/VERB/_/0/root",
        "dogs/dog/NOUN/_/1/conj",
    )
    assert left_out(tmp_path, block, ("conjuncts",)) == ({}, 1)


def test_an_unknown_filter_is_refused(tmp_path: Path) -> None:
    with mistake("unknown", "--filter"):
        mined(tmp_path, "tested", sentence(), filters=("verbs",))
