"""Nominals between cue and target, and words that give the answer away."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data import Tree
from colorless_green.miner import (
    AgreementView,
    Analysis,
    Forms,
    Rule,
    TreeView,
    count_analyses,
    mine_treebank,
    paradigms_of,
    sentences,
    treebank,
)
from tests.builders import shared
from tests.nonce.doubtful import agreement, as_rows, tree

KEYS = as_rows(
    "The/the/DET/_/3/det old/old/ADJ/_/3/amod keys/key/NOUN/Plur/9/nsubj to/to/ADP/_/6/case "
    "the/the/DET/_/6/det cabinet/cabinet/NOUN/Sing/3/nmod by/by/ADP/_/8/case "
    "us/we/PRON/Plur/6/nmod are/be/AUX/Plur/0/root"
)


def told(*rows: str, cue: int, target: int, value: str, more: tuple[str, ...] = ()) -> list[str]:
    """Return the leaks as `kind:form`."""
    own = tree(*rows)
    found = agreement(own, cue - 1, target - 1, value, readings=more).leaks
    return [f"{each.kind}:{own.forms[each.node]}" for each in found]


def test_every_noun_name_and_pronoun_between_is_listed_with_depth_and_value() -> None:
    found = agreement(tree(*KEYS), 2, 8, "Plur").nominals
    assert [tuple(each) for each in found] == [(5, 1, "Sing"), (7, 2, "Plur")]


def test_depth_is_counted_up_to_the_word_above_both() -> None:
    own = tree(
        "boys/boy/NOUN/Plur/3/nsubj",
        "dogs/dog/NOUN/Plur/3/obj",
        "saw/see/VERB/_/0/root",
        "cats/cat/NOUN/Plur/3/obj",
        "run/run/VERB/Plur/3/xcomp",
    )
    assert [each.depth for each in agreement(own, 0, 4, "Plur").nominals] == [1, 1]


def test_a_determiner_that_shows_no_number_tells_nothing() -> None:
    assert told(*KEYS, cue=3, target=9, value="Plur") == []


def test_a_determiner_and_an_adjective_of_the_cue_tell() -> None:
    rows = as_rows(
        "Queste/questo/DET/Plur/3/det vecchie/vecchio/ADJ/Plur/3/amod "
        "chiavi/chiave/NOUN/Plur/6/nsubj di/di/ADP/_/5/case casa/casa/NOUN/Sing/3/nmod "
        "sono/essere/AUX/Plur/0/root"
    )
    assert told(*rows, cue=3, target=6, value="Plur") == ["D:Queste", "A:vecchie"]


def test_a_form_that_has_the_other_value_elsewhere_tells_nothing() -> None:
    rows = as_rows(
        "die/der/DET/Plur/2/det Frauen/Frau/NOUN/Plur/3/nsubj gehen/gehen/VERB/Plur/0/root"
    )
    assert told(*rows, cue=2, target=3, value="Plur") == ["D:die"]
    assert told(*rows, cue=2, target=3, value="Plur", more=("Die/der/DET/Sing",)) == []


def test_another_person_is_no_other_value() -> None:
    rows = as_rows(
        "cats/cat/NOUN/Plur/3/nsubj were/be/AUX/Plur+Person=3/3/aux seen/see/VERB/Plur/0/root"
    )
    more = ("were/be/AUX/Sing+Person=2",)
    assert told(*rows, cue=1, target=3, value="Plur", more=more) == ["V:were"]


def test_a_numeral_without_the_feature_tells_a_plural() -> None:
    rows = as_rows(
        "two/two/NUM/NumType=Card/2/nummod keys/key/NOUN/Plur/3/nsubj work/work/VERB/Plur/0/root"
    )
    assert told(*rows, cue=2, target=3, value="Plur") == ["D:two"]
    single = (rows[0], "ev/ev/NOUN/Sing/3/nsubj", "var/var/VERB/Sing/0/root")
    assert told(*single, cue=2, target=3, value="Sing") == []


def test_the_verb_of_a_relative_clause_tells_where_the_noun_is_its_subject() -> None:
    def clause(subject: str) -> list[str]:
        rows = (
            "donne/donna/NOUN/Plur/4/nsubj",
            subject,
            "vedono/vedere/VERB/Plur+VerbForm=Fin/1/acl:relcl",
            "ridono/ridere/VERB/Plur+VerbForm=Fin/0/root",
        )
        return told(*rows, cue=1, target=4, value="Plur")

    assert clause("che/che/PRON/PronType=Rel/3/nsubj") == ["V:vedono"]
    assert clause("uomini/uomo/NOUN/Plur/3/nsubj") == []


def test_auxiliaries_before_the_participle_tell() -> None:
    rows = as_rows(
        "chiavi/chiave/NOUN/Plur/4/nsubj:pass sono/essere/AUX/Plur/4/aux:pass "
        "state/essere/AUX/Plur/4/aux:pass viste/vedere/VERB/Plur+VerbForm=Part/0/root"
    )
    assert told(*rows, cue=1, target=4, value="Plur") == ["V:sono", "V:state"]
    assert told(*rows, cue=1, target=3, value="Plur") == ["V:sono"]


def test_the_subject_of_coordinated_verbs_tells() -> None:
    rows = as_rows(
        "she/she/PRON/Sing/2/nsubj takes/take/VERB/Sing+VerbForm=Fin/0/root "
        "cars/car/NOUN/Plur/2/obj and/and/CCONJ/_/5/cc "
        "drives/drive/VERB/Sing+VerbForm=Fin/2/conj"
    )
    assert told(*rows, cue=2, target=5, value="Sing") == ["S:she"]


def test_the_noun_of_coordinated_adjectives_tells() -> None:
    rows = as_rows(
        "case/casa/NOUN/Plur/0/root nuove/nuovo/ADJ/Plur/1/amod e/e/CCONJ/_/4/cc "
        "belle/bello/ADJ/Plur/2/conj"
    )
    assert told(*rows, cue=2, target=4, value="Plur") == ["S:case"]


def test_the_feature_may_have_two_names() -> None:
    own = tree(
        "gizonak/gizon/NOUN/Plur/2/obj",
        "ikusi/ikusi/VERB/_/0/root",
        "ditu/ukan/AUX/Number[abs]=Plur/2/aux",
        "ditzan/edin/AUX/Number[abs]=Plur/2/aux",
    )
    found = agreement(own, 0, 3, "Plur", feature="Number~Number[abs]").leaks
    assert [own.forms[each.node] for each in found] == ["ditu"]
    assert agreement(own, 0, 3, "Plur").leaks == ()


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """Any tree of three to nine words, with any tags."""
    size = draw(st.integers(3, 9))
    upos = st.sampled_from(("NOUN", "PROPN", "PRON", "VERB", "AUX", "ADJ", "DET", "NUM", "ADP"))
    feats = st.sampled_from(
        ("_", "Number=Sing", "Number=Plur", "Number=Sing|VerbForm=Fin", "Number=Plur|VerbForm=Part")
    )
    names = ("nsubj", "obj", "conj", "aux", "cop", "det", "acl", "acl:relcl", "amod", "nmod")
    order = draw(st.permutations(range(size)))
    heads = [-1] * size
    for rank in range(1, size):
        heads[order[rank]] = order[draw(st.integers(0, rank - 1))]
    words = [draw(st.sampled_from("abcdef")) for _ in range(size)]
    return Tree(
        tuple(words),
        tuple(words),
        tuple(draw(upos) for _ in range(size)),
        tuple(draw(feats) for _ in range(size)),
        tuple(heads),
        tuple("root" if head < 0 else draw(st.sampled_from(names)) for head in heads),
        tuple(range(size)),
    )


@given(trees(), st.data())
def test_what_is_found_stands_where_it_is_said_to_stand(own: Tree, data: st.DataObject) -> None:
    cue = data.draw(st.integers(0, len(own) - 2))
    target = data.draw(st.integers(cue + 1, len(own) - 1))
    pair = agreement(own, cue, target, "Plur")
    for each in pair.nominals:
        assert cue < each.node < target
        assert (own.heads[each.node] >= 0) <= each.depth <= len(own)  # 0 for the root alone
        assert f"Number={each.value}" in own.feats[each.node]
    found = pair.leaks
    assert [each.node for each in found] == sorted({each.node for each in found})
    for leak in found:
        assert leak.node < target
        assert leak.node != cue
        assert leak.kind in "SDVA"
        assert "Number=Sing" not in own.feats[leak.node]


@given(trees(), st.data())
def test_what_stands_behind_the_target_does_not_matter_to_nominals(
    own: Tree, data: st.DataObject
) -> None:
    cue = data.draw(st.integers(0, len(own) - 2))
    target = data.draw(st.integers(cue + 1, len(own) - 1))
    feats = (*own.feats[: target + 1], *("_" for _ in own.feats[target + 1 :]))
    bare = Tree(own.forms, own.lemmas, own.upos, feats, own.heads, own.deprels, own.tokens)
    both = [agreement(each, cue, target, "Plur").nominals for each in (own, bare)]
    assert both[0] == both[1]


@pytest.mark.shared
def test_nearly_every_italian_original_has_a_leak_as_in_the_published_set(tmp_path: Path) -> None:
    """Of 30 Italian originals that were read all had one, 63 % between the two."""
    from collections import Counter

    source = treebank([shared("treebanks", "UD_Italian-ParTUT")])
    counts: Counter[Analysis] = Counter()
    for _, sentence in sentences(source):
        count_analyses([sentence], counts)
    forms = Forms(paradigms_of(counts, letters_only=False))
    originals = [
        each for each in mine_treebank(source, Rule(extends="released")).agreements if each.tree
    ]
    found = []
    for each in originals:
        assert each.tree is not None
        pair = AgreementView(
            view=TreeView(each.tree),
            cue=each.cue_node,
            target=each.target_node,
            feature="Number",
            value=each.value,
            forms=forms,
        )
        found.append(pair.leaks)
    assert len(found) == 35
    assert sum(map(bool, found)) == 33
    assert sum(any(leak.kind == "D" for leak in each) for each in found) == 32
