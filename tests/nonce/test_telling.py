"""Words that tell a value without carrying it, and words that carry it and tell nothing."""

from types import SimpleNamespace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data import Sentence
from colorless_green.miner import CueWordCounts
from tests.nonce.doubtful import agreement, as_rows, tree

FIN = "VerbForm=Fin"


def counted(*phrases: tuple[tuple[str, ...], int]) -> CueWordCounts:
    """Return what a treebank tells that has each of these sentences so many times."""
    counter = CueWordCounts()
    for rows, n in phrases:
        own = tree(*rows)
        columns = {name: getattr(own, name) for name in own.__slots__}
        for _ in range(n):
            counter.observe(cast(Sentence, SimpleNamespace(**columns)))
    return counter


def noun(*attendants: str, value: str = "Sing") -> tuple[str, ...]:
    """Return a noun behind words `form/UPOS/FEATS/relation`."""
    head = len(attendants) + 1
    rows = []
    for each in attendants:
        form, upos, feats, relation = each.split("/")
        rows.append(f"{form}/{form}/{upos}/{feats}/{head}/{relation}")
    return (*rows, f"key/key/NOUN/{value}/0/root")


A = "A/DET/_/det"
FEW = "few/ADJ/_/amod"
THE = "the/DET/_/det"


@pytest.mark.parametrize(("n", "told"), [(19, None), (20, "Sing")])
def test_a_determiner_tells_the_one_value_of_its_nouns(n: int, told: str | None) -> None:
    telling = counted((noun(A), n))
    assert telling.attendant("a", "DET") == told
    assert telling.attendant("a", "NOUN") is None


def test_one_use_in_fifty_may_be_an_error() -> None:
    assert counted((noun(A), 98), (noun(A, value="Plur"), 2)).attendant("a", "DET") == "Sing"
    assert counted((noun(A), 97), (noun(A, value="Plur"), 3)).attendant("a", "DET") is None


def test_what_stands_before_a_word_that_tells_is_not_counted() -> None:
    """*a few keys*, *a full ten keys*"""
    few = (noun(A, FEW, value="Plur"), 20)
    ten = (noun(A, "ten/NUM/_/nummod", value="Plur"), 20)
    telling = counted((noun(A), 60), few, ten)
    assert telling.attendant("a", "DET") == "Sing"
    assert telling.attendant("few", "ADJ") == "Plur"


def test_an_adjective_tells_the_rarer_value_alone() -> None:
    """One that is always seen with singulars may be so by chance: most nouns are."""
    old = "old/ADJ/_/amod"
    telling = counted((noun(old), 40), (noun(), 40), (noun(THE), 60), (noun(FEW, value="Plur"), 20))
    assert telling.attendant("old", "ADJ") is None
    assert telling.attendant("few", "ADJ") == "Plur"


def test_joined_numerals_tell_nothing_of_each_other() -> None:
    rows = as_rows(
        "one/one/NUM/_/4/nummod or/or/CCONJ/_/3/cc two/two/NUM/_/1/conj keys/key/NOUN/Plur/0/root"
    )
    assert counted((rows, 30)).attendant("one", "NUM") is None


def speech(pronoun: str, value: str) -> tuple[str, ...]:
    return (f"{pronoun}/{pronoun}/PRON/_/2/nsubj", f"go/go/VERB/{value}+{FIN}/0/root")


def test_a_pronoun_tells_the_one_value_of_its_verbs() -> None:
    telling = counted((speech("You", "Plur"), 20), (speech("who", "Plur"), 20),
                      (speech("who", "Sing"), 20), (speech("thou", "Sing"), 19))  # fmt: skip
    assert [telling.subject(each) for each in ("you", "who", "thou")] == ["Plur", None, None]


def test_a_pronoun_joined_with_another_tells_nothing() -> None:
    rows = ("you/you/PRON/_/3/nsubj", "me/I/PRON/_/1/conj", f"go/go/VERB/Plur+{FIN}/0/root")
    assert counted((rows, 30)).subject("you") is None


def adjective(noun_value: str, own: str) -> tuple[str, ...]:
    return noun(f"x/ADJ/{own}/amod", value=noun_value)


def test_a_place_agrees_only_if_it_does_beside_nouns_of_every_value() -> None:
    """Most nouns are singulars, so that most Hungarian adjectives agree by accident."""
    telling = counted((adjective("Sing", "Sing"), 300), (adjective("Plur", "Sing"), 20))
    assert not telling.agrees("amod", "ADJ")
    assert telling.agrees("det", "DET")
    few = counted((adjective("Sing", "Sing"), 300), (adjective("Plur", "Sing"), 19))
    assert few.agrees("amod", "ADJ")


SUBJECT = as_rows(
    "A/a/DET/_/3/det nice/nice/ADJ/Sing/3/amod key/key/NOUN/Sing/4/nsubj "
    f"opens/open/VERB/Sing+{FIN}/0/root"
)


def told(rows: tuple[str, ...], telling: CueWordCounts | None, cue: int, target: int) -> list[str]:
    own = tree(*rows)
    value = "Sing" if "Sing" in own.feats[target] else "Plur"
    found = agreement(own, cue, target, value, telling=telling).leaks
    return [f"{each.kind}:{own.forms[each.node]}" for each in found]


def test_leaks_follow_the_treebank() -> None:
    telling = counted(
        (noun(A), 20), (adjective("Sing", "Sing"), 30), (adjective("Plur", "Sing"), 30)
    )
    assert told(SUBJECT, None, 2, 3) == ["A:nice"]
    assert told(SUBJECT, telling, 2, 3) == ["D:A"]
    assert told(SUBJECT, counted(), 2, 3) == ["A:nice"]


def test_a_pronoun_tells_what_its_verbs_have_rather_than_its_own_feats() -> None:
    """*I go … and come*: a singular whose verbs are spelled like plurals."""
    rows = as_rows(
        f"I/I/PRON/Sing/2/nsubj go/go/VERB/Plur+{FIN}/0/root and/and/CCONJ/_/4/cc "
        f"come/come/VERB/Plur+{FIN}/2/conj"
    )
    assert told(rows, None, 1, 3) == []
    assert told(rows, counted((speech("I", "Plur"), 30)), 1, 3) == ["S:I"]
    assert told(rows, counted((speech("I", "Sing"), 30)), 1, 3) == []


def test_the_determiner_of_a_target_that_is_a_noun_tells() -> None:
    rows = (f"is/be/AUX/Sing+{FIN}/3/cop", "a/a/DET/_/3/det", "key/key/NOUN/Sing/0/root")
    assert told(rows, counted((noun(A), 20)), 0, 2) == ["D:a"]


def test_a_telling_of_another_feature_changes_nothing() -> None:
    other = CueWordCounts("Gender")
    assert told(SUBJECT, other, 2, 3) == told(SUBJECT, None, 2, 3)


@given(st.permutations([*[noun(A)] * 6, noun(A, FEW, value="Plur"), speech("you", "Plur")]))
def test_the_order_of_sentences_does_not_matter(sentences: list[tuple[str, ...]]) -> None:
    telling = counted(*((rows, 20) for rows in sentences))
    assert telling.attendant("a", "DET") == "Sing"
    assert telling.attendant("few", "ADJ") == "Plur"
    assert telling.subject("you") == "Plur"
