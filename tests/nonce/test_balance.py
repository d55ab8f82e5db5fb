"""Factorial blocks: which cells there are, what stands in them, and what is said of the rest."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.sample import treebank as sample
from colorless_green.miner import (
    REPAIRS,
    Analysis,
    MineRequest,
    Tree,
    TreeView,
    attractors,
    count_analyses,
    mine,
    paradigms_of,
    surface_forms,
    treebank,
    value_of,
)
from colorless_green.miner import (
    sentences as sentences_of,
)
from colorless_green.nonce import BalancedSet, Inflection, cells, inflection, with_changes
from tests.builders import few_examples, shared
from tests.nonce.reinflecting import listed, text_of, tree, words

S, P = "Number=Sing", "Number=Plur"
LEXICON = listed(
    f"key/key/NOUN/{S}", f"keys/key/NOUN/{P}", f"door/door/NOUN/{S}", f"doors/door/NOUN/{P}",
    f"man/man/NOUN/{S}", f"men/man/NOUN/{P}", f"is/be/AUX/{S}", f"are/be/AUX/{P}",
    f"this/this/DET/{S}", f"these/this/DET/{P}", f"dust/dust/NOUN/{S}",
)  # fmt: skip
KEY = (
    f"the/the/DET/-/2/det key/key/NOUN/{S}/10/nsubj to/to/ADP/-/5/case these/this/DET/{P}/5/det "
    f"doors/door/NOUN/{P}/2/nmod of/of/ADP/-/8/case the/the/DET/-/8/det man/man/NOUN/{S}/5/nmod "
    f"is/be/AUX/{S}/10/cop old/old/ADJ/-/0/root"
)
VALUES = ("Sing", "Plur")
NUMBER = words(LEXICON)


def block(
    what: str, n: int, *, forms: Inflection = NUMBER, values: Sequence[str] = VALUES
) -> BalancedSet:
    """The block of a sentence whose cue is its first noun and whose target its first AUX."""
    sentence = tree(what)
    return cells(
        sentence,
        sentence.upos.index("NOUN"),
        sentence.upos.index("AUX"),
        feature="Number",
        values=values,
        inflection=forms,
        target_pair=("is", "are"),
        max_attractors=n,
    )


def shown(what: str, made: BalancedSet) -> dict[str, str]:
    """Cell → its words up to the target's right form."""
    sentence = tree(what)
    end = sentence.upos.index("AUX")
    return {
        cell.name: text_of((*with_changes(sentence, cell.changed).forms[:end], cell.right))
        for cell in made.cells
    }


def test_every_cell_has_the_cue_and_the_attractors_that_it_is_called_after() -> None:
    assert shown(KEY, block(KEY, 2)) == {
        "Sing-0": "the key to this door of the man is",
        "Plur-0": "the keys to these doors of the men are",
        "Sing-1": "the key to this door of the men is",
        "Plur-1": "the keys to these doors of the man are",
        "Sing-2": "the key to these doors of the men is",
        "Plur-2": "the keys to this door of the man are",
    }


def test_the_two_values_of_a_block_swap_the_pair_of_the_target() -> None:
    made = block(KEY, 1)
    assert {(cell.value, cell.right, cell.wrong, cell.target_feats) for cell in made.cells} == {
        ("Sing", "is", "are", S),
        ("Plur", "are", "is", P),
    }


def test_cells_that_cannot_be_made_are_told_and_the_others_stand() -> None:
    made = block(KEY, 3)
    assert not made.is_complete
    assert set(made.missing) == {"Sing-3", "Plur-3"}
    assert len(made.cells) == 6


def test_a_noun_of_one_number_leaves_the_cells_in_which_it_need_not_change() -> None:
    dusty = KEY.replace(f"man/man/NOUN/{S}", f"dust/dust/NOUN/{S}")
    made = block(dusty, 1)
    assert shown(dusty, made) == {
        "Sing-0": "the key to this door of the dust is",
        "Plur-1": "the keys to these doors of the dust are",
    }
    assert set(made.missing) == {"Plur-0", "Sing-1"}
    assert all("dust" in reason for reason in made.missing.values())


def test_a_cue_that_cannot_change_leaves_its_own_value() -> None:
    dusty = KEY.replace(f"key/key/NOUN/{S}", f"dust/dust/NOUN/{S}")
    made = block(dusty, 0)
    assert [cell.name for cell in made.cells] == ["Sing-0"]
    assert set(made.missing) == {"Plur-0"}
    assert "dust" in made.missing["Plur-0"]


def test_a_cue_with_neither_value_has_no_block() -> None:
    made = block(KEY, 0, values=("Dual", "Plur"))
    assert (made.cells, set(made.missing)) == ((), {"Dual-0", "Plur-0"})


def test_a_target_that_nothing_ties_to_the_cue_gives_no_block() -> None:
    made = block(KEY.replace("/10/nsubj", "/10/dep"), 0)
    assert (made.cells, set(made.missing)) == ((), {"Sing-0", "Plur-0"})


def test_an_indefinite_article_is_definite_in_the_whole_block() -> None:
    definite = [
        f"the/the/DET/Definite=Def|PronType=Art/2/det {noun}/man/NOUN/{value}/0/root"
        for noun, value in (("man", S), ("men", P))
    ]
    some = f"a/a/DET/Definite=Ind|PronType=Art/2/det man/man/NOUN/{S}/0/root"
    forms = words(LEXICON, *definite * 12, *[some] * 40)
    sentence = (
        f"A/a/DET/Definite=Ind|PronType=Art/2/det man/man/NOUN/{S}/4/nsubj "
        f"is/be/AUX/{S}/4/cop old/old/ADJ/-/0/root"
    )
    made = block(sentence, 0, forms=forms)
    assert shown(sentence, made) == {"Sing-0": "The man is", "Plur-0": "The men are"}
    assert made.exchanged == (0,)


@st.composite
def frames(draw: st.DrawFn) -> str:
    """A cue, up to four nouns below one another, and a copula as the target."""
    values = draw(st.lists(st.sampled_from(VALUES), min_size=1, max_size=5))
    names = {"key": "keys", "door": "doors", "man": "men"}
    rows: list[str] = []
    for n, value in enumerate(values):
        noun = draw(st.sampled_from(sorted(names)))
        form = noun if value == "Sing" else names[noun]
        above = f"{2 * len(values) + 1}/nsubj" if n == 0 else f"{2 * n}/nmod"
        rows += [f"of/of/ADP/-/{2 * n + 2}/case"]
        rows += [f"{form}/{noun}/NOUN/Number={value}/{above}"]
    form = {"Sing": "is", "Plur": "are"}[values[0]]
    last = 2 * len(values) + 1
    rows += [f"old/old/ADJ/-/0/root {form}/be/AUX/Number={values[0]}/{last}/cop"]
    return " ".join(rows)


def check(
    sentence: Tree, cue: int, target: int, made: BalancedSet, n: int, values: Sequence[str]
) -> None:
    """The laws of every complete block."""
    assert Counter(cell.name for cell in made.cells) == Counter(
        f"{value}-{k}" for k in range(n + 1) for value in values
    )
    pairs = {cell.value: (cell.right, cell.wrong) for cell in made.cells}
    assert pairs[values[0]] == pairs[values[1]][::-1]
    for cell in made.cells:
        after = with_changes(sentence, cell.changed)
        assert target not in cell.changed
        assert (len(after), after.upos, after.heads) == (
            len(sentence),
            sentence.upos,
            sentence.heads,
        )
        assert value_of(after.feats[cue], "Number") == cell.value
        found = attractors(
            after.upos, after.feats, cue, target, "Number",
            cue_upos=after.upos[cue], value=cell.value,
        )  # fmt: skip
        assert found == cell.attractors
        assert len(found) == cell.n_attractors


@given(frames(), st.integers(0, 4))
def test_a_block_is_complete_where_there_are_nouns_enough(text: str, n: int) -> None:
    sentence = tree(text)
    made = block(text, n)
    nouns = [i for i, upos in enumerate(sentence.upos) if upos == "NOUN"]
    assert made.is_complete is (n < len(nouns))
    if made.is_complete:
        check(sentence, nouns[0], sentence.upos.index("AUX"), made, n, VALUES)


@few_examples
@given(frames(), st.integers(0, 3))
def test_every_cell_of_a_block_has_the_same_block(text: str, n: int) -> None:
    sentence = tree(text)
    cue, target = sentence.upos.index("NOUN"), sentence.upos.index("AUX")
    own = value_of(sentence.feats[cue], "Number")
    want = {cell.name: with_changes(sentence, cell.changed) for cell in block(text, n).cells}
    for name in want:
        feats = {target: (sentence.forms[target], f"Number={name[:4]}")}
        again = cells(
            with_changes(want[name], feats), cue, target, feature="Number", values=VALUES,
            inflection=NUMBER, target_pair=("is", "are") if name[:4] == own else ("are", "is"),
            max_attractors=n,
        )  # fmt: skip
        for cell in again.cells:
            assert with_changes(want[name], cell.changed).forms == want[cell.name].forms


PART, FINITE = "VerbForm=Part", "VerbForm=Fin"


def passive(noun: str, modal: str, participle: str) -> str:
    """*le ordinanze possono essere presentate*, of which the participle is the target."""
    numbers = {"a": S, "o": S, "e": P, "ono": P}
    return (
        f"{noun}/ordinanza/NOUN/{numbers[noun[-1]]}/4/nsubj "
        f"{modal}/potere/AUX/{numbers['ono' if modal == 'possono' else 'o']}|{FINITE}/4/aux "
        f"essere/essere/AUX/VerbForm=Inf/4/aux "
        f"{participle}/presentare/VERB/{numbers[participle[-1]]}|{PART}/0/root"
    )


def test_an_auxiliary_follows_though_some_of_the_treebank_do_not() -> None:
    sound = [
        passive("ordinanza", "può", "presentata"), passive("ordinanze", "possono", "presentate"),
    ]  # fmt: skip
    odd = passive("ordinanze", "può", "presentate")
    sentence = tree(sound[1])
    made = cells(
        sentence, 0, 3, feature="Number", values=VALUES, inflection=words(*sound * 10, *[odd] * 3),
        target_pair=("presentate", "presentata"), max_attractors=0,
    )  # fmt: skip
    found = [text_of(with_changes(sentence, cell.changed).forms[:3]) for cell in made.cells]
    assert found == ["ordinanza può essere", "ordinanze possono essere"]


def test_a_participle_agrees_as_its_nearest_auxiliary_has_it() -> None:
    """French *les enquêtes ont été classées*, but *ont classé*."""

    def sentence(n: str, *, been: bool) -> str:
        number, end = (S, "") if n == "Sing" else (P, "s")
        have = f"{'a' if number == S else 'ont'}/avoir/AUX/{number}|{FINITE}/{4 if been else 3}/aux"
        told = f"Gender=Fem|{number}" if been else f"Gender=Masc|{S}"
        form = f"classée{end}" if been else "classé"
        rows = [f"enquête{end}/enquête/NOUN/Gender=Fem|{number}/{4 if been else 3}/nsubj", have]
        rows += [f"été/être/AUX/Gender=Masc|{S}|{PART}/4/aux"] if been else []
        return " ".join([*rows, f"{form}/classer/VERB/{told}|{PART}/0/root"])

    shown = [sentence(n, been=been) for n in VALUES for been in (True, False)]
    own = tree(sentence("Plur", been=True))
    made = cells(
        own, 0, 1, feature="Number", values=VALUES, inflection=words(*shown * 10),
        target_pair=("ont", "a"), max_attractors=0,
    )  # fmt: skip
    found = [text_of(with_changes(own, cell.changed).forms[2:]) for cell in made.cells]
    assert found == ["été classée", "été classées"]


Made = tuple[Tree, int, int, tuple[str, str], BalancedSet]
HAVE = frozenset({"avere", "avoir", "have"})


def agreeing_with(view: TreeView, noun: int) -> Iterator[int]:
    """What agrees with a noun in Italian, French and English, as far as it is marked: determiners,
    adjectives, participles that modify it, and of what it is the subject of, verb, auxiliaries,
    copula, and the participle unless its auxiliary is *have*."""
    yield from view.dependents(noun, "det", "amod")
    for each in view.dependents(noun, "acl"):
        has_own = view.dependents(each, "aux", "cop", "nsubj")
        if view.feature(each, "VerbForm") == "Part" and not has_own:
            yield each
    verb = view.heads[noun]
    if view.relations[noun] == "nsubj" and view.upos[verb] in ("VERB", "AUX", "ADJ"):
        helpers = view.dependents(verb, "aux", "cop")
        yield from helpers
        is_participle = view.feature(verb, "VerbForm") == "Part"
        if not (is_participle and helpers and view.lemmas[helpers[-1]] in HAVE):
            yield verb


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "at_least"),
    [
        ("en", 10),
        ("it", 10),
        pytest.param("UD_Italian-VIT", 30, marks=pytest.mark.shared),
        pytest.param("UD_French-Sequoia", 50, marks=pytest.mark.shared),
    ],
)
def test_in_every_cell_whatever_agrees_with_an_inflected_noun_has_its_value(
    name: str, at_least: int
) -> None:
    """By FEATS; not where the treebank's own sentence has another value there."""
    n_cells = 0
    for sentence, _, target, _, found in of_treebank(name, 0):
        for cell in found.cells:
            after = with_changes(sentence, {**cell.changed, target: ("", cell.target_feats)})
            view, n_cells = TreeView(after), n_cells + 1
            for noun in range(len(after)):
                value = value_of(after.feats[noun], "Number")
                if after.upos[noun] not in ("NOUN", "PROPN", "PRON") or value is None:
                    continue
                for each in agreeing_with(view, noun):
                    own = value_of(sentence.feats[each], "Number")
                    if own == value_of(sentence.feats[noun], "Number"):
                        told = f"{cell.name}: {after.forms[noun]} {after.forms[each]}"
                        assert value_of(after.feats[each], "Number") == value, told
    assert n_cells >= at_least


@cache
def of_treebank(name: str, n: int) -> tuple[Made, ...]:
    """The complete blocks of the originals of a treebank, or of a sample."""
    path = shared("treebanks", name) if name.startswith("UD_") else Path(str(sample(name)))
    source = treebank([path])
    mining = mine(source, MineRequest(rule="tested"))
    read = [each for _, each in sentences_of(source, repair=REPAIRS.get(mining.repair))]
    counts: Counter[Analysis] = Counter()
    count_analyses(read, counts)
    forms = inflection(
        paradigms_of(counts, letters_only=False),
        surface_forms(counts),
        read,
        "Number",
        source.language,
    )

    def made() -> Iterator[Made]:
        for each in mining.originals:
            if each.tree is None or "Sing" not in each.values or "Plur" not in each.values:
                continue
            found = cells(
                each.tree, each.cue_node, each.target_node, feature="Number", values=VALUES,
                inflection=forms, target_pair=(each.right, each.wrong), max_attractors=n,
                target_feature=each.target_feature,
            )  # fmt: skip
            if found.is_complete:
                yield each.tree, each.cue_node, each.target_node, VALUES, found

    return tuple(made())


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "n", "at_least"),
    [("UD_Italian-ParTUT", 0, 70), ("UD_Polish-PDB", 1, 20)],
)
def test_the_laws_hold_for_the_originals_of_a_treebank(name: str, n: int, at_least: int) -> None:
    made = of_treebank(name, n)
    assert len(made) >= at_least
    for sentence, cue, target, values, found in made:
        check(sentence, cue, target, found, n, values)


@pytest.mark.shared
def test_lemmas_stay_and_forms_are_those_of_the_treebank() -> None:
    for sentence, _, _, _, found in of_treebank("UD_Italian-ParTUT", 0):
        for cell in found.cells:
            for index, (form, feats) in cell.changed.items():
                old = value_of(sentence.feats[index], "Number")
                assert form
                assert value_of(feats, "Number") != old or index in found.exchanged
