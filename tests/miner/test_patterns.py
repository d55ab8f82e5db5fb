"""Paths between words that agree: reading them, finding them, and what they are called."""

import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import ErrorKind
from colorless_green.miner import MinedTreebank, Rule, built_in, parse_patterns, search_for
from tests.builders import few_examples, mistake, relational
from tests.miner.mining import BETWEEN, contrary
from tests.miner.mining import mined as mined_by


def mined(path: Path, *blocks: str, language: str = "en", **options: object) -> MinedTreebank:
    return mined_by(path, "tested", *blocks, language=language, **options)  # type: ignore[arg-type]


def names(mining: MinedTreebank) -> dict[str, str]:
    return {each.name: each.feature for each in mining.constructions}


STEPS = st.lists(
    st.sampled_from(["<nsubj", ">nsubj", "<amod", ">amod", ">*", "<*"]), min_size=1, max_size=3
)


@few_examples
@given(st.lists(STEPS, min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_no_two_words_count_twice_for_one_feature(
    tmp_path_factory: pytest.TempPathFactory, paths: list[list[str]], random: Random
) -> None:
    """Every word has a value of its own, so that each instance is told as an exception."""
    folder = tmp_path_factory.mktemp("p")
    rows = [
        f"w{i}/w/NOUN/Number=V{i}/{random.randint(1, i - 1)}/"
        f"{random.choice(['nsubj', 'amod', 'obj'])}"
        for i in range(2, 9)
    ]
    own = folder / "p.toml"
    own.write_text(
        "\n".join(
            f'[[pattern]]\nname = "p{rank}"\npath = {path}' for rank, path in enumerate(paths)
        )
    )
    mining = mined(
        folder,
        relational("w1/w/NOUN/Number=V1/0/root", *rows),
        patterns=("arc", str(own)),
        filters=("none",),
        min_gap=0,
        min_n=1,
        exceptions=True,
    )
    pairs = [(each.cue_index, each.target_index) for each in mining.disagreements]
    assert len(pairs) == len(set(pairs)) == mining.stages.n_with_feature > 0


def test_a_path_that_goes_round_in_circles_ends(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    steps = ", ".join(['">*", "<*"'] * 40)
    path.write_text(f'[[pattern]]\nname = "round"\npath = [{steps}, ">*"]\n', encoding="utf-8")
    block = relational("w1/w/NOUN/Number=Sing/0/root", *["w/w/NOUN/Number=Sing/1/nmod"] * 12)
    assert names(mined(tmp_path, block, patterns=(str(path),), filters=("none",)))


def test_the_form_that_is_sought_differs_in_the_targets_own_feature(tmp_path: Path) -> None:
    blocks = [
        relational(
            f"gizon{value}/gizon/NOUN/Case=Erg|Number={value}/5/nsubj",
            *BETWEEN,
            "ikusi/ikusi/VERB/_/0/root",
            f"{form}/ukan/AUX/Number[abs]=Sing|Number[erg]={value}/5/aux",
            f"o/o/NOUN/Case=Abs|{contrary(f'Number={value}')}/5/obl",
        )
        for value, form in (("Sing", "du"), ("Plur", "dute"))
    ] * 8
    original = mined(tmp_path, *blocks, language="eu").agreements[0]
    assert (original.right, original.wrong) == ("du", "dute")
    assert original.feature == "Number~Number[erg]"
    assert (original.cue_feature, original.target_feature) == ("Number", "Number[erg]")


PAGE = Path(__file__).resolve().parents[2] / "docs" / "mining.md"
OWN = """
[[pattern]]
name = "my-determiner"
path = ["<det"]
order = "controller-first"
controller = { upos = "DET", feats = { PronType = ["Dem", ""] }, lacks = ["advmod"] }
agreeing = { upos = ["NOUN"], lemma = ["key", "lock"], has = ["amod"], deprel = "obj" }
"""


def determiner(*, lemma: str = "key", prontype: str = "PronType=Dem", relation: str = "obj") -> str:
    return relational(
        f"these/this/DET/Number=Plur|{prontype}/5/det",
        *["x/x/ADJ/_/5/amod"] * 3,
        f"{lemma}s/{lemma}/NOUN/Number=Plur/6/{relation}",
        "hold/hold/VERB/_/0/root",
    )


@pytest.mark.parametrize(
    ("block", "found"),
    [
        (determiner(), True),
        (determiner(lemma="door"), False),
        (determiner(prontype="PronType=Art"), False),
        (determiner(prontype="Gender=Fem"), True),
        (determiner(relation="obl"), False),
    ],
)
def test_a_pattern_of_ones_own_asks_what_it_says(tmp_path: Path, block: str, found: bool) -> None:
    path = tmp_path / "own.toml"
    path.write_text(OWN, encoding="utf-8")
    mining = mined(tmp_path, block, patterns=(str(path),))
    assert names(mining) == ({"L__DET__NOUN__my-determiner": "Number"} if found else {})


def names_of(pattern: str, language: str) -> set[str]:
    search = search_for(Rule(patterns=(pattern,)), ["Number"], language)
    return {each.name for each in search.patterns}


def test_the_built_in_patterns_are_read_and_told_apart_by_language() -> None:
    table = built_in()
    assert {"subject-copula", "subject-auxiliary", "subject-participle"} <= set(table)
    steps = [(each.up, set(each.relations)) for each in table["subject-copula"].path]
    assert steps == [(True, {"nsubj"}), (False, {"cop"})]
    assert all(each.about for each in table.values())
    hindi, english = (names_of("all", language) for language in ("hi-Deva", "en"))
    assert "unmarked-object" in hindi - english
    assert names_of("arc", "en") == set()


A = '[[pattern]]\nname = "a"\n'
A_PATH = f'{A}path = ["<nsubj"]\n'


@pytest.mark.parametrize(
    ("text", "kind", "place"),
    [
        ("[[pattern", "format", ""),
        ("x = " + "[" * 3000, "format", ""),
        ("x = 1", "format", ""),
        ('[[pattern]]\nname = "A b"', "format", ""),
        ('[[pattern]]\nname = "arc"', "format", ""),
        (A, "format", ": a"),
        (f'{A}path = ["nsubj"]', "format", ": a"),
        (f"{A_PATH}via = [{{}}]", "format", ": a"),
        (f'{A_PATH}order = ["any"]', "format", ": a"),
        (f'{A_PATH}order = "left"', "unknown", ": a"),
        (f'{A_PATH}controller = {{ upos = ["NOMEN"] }}', "unknown", ": a: controller"),
        (f"{A_PATH}controler = {{}}", "unknown", ": a"),
        (f"{A_PATH}agreeing = {{ feats = {{ Number = 1 }} }}", "format", ": a: agreeing: feats"),
        (A_PATH * 2, "conflict", ": a"),
    ],
)
def test_a_mistake_in_a_pattern_is_told_with_its_place(
    text: str, kind: ErrorKind, place: str
) -> None:
    with mistake(kind, f"p.toml{place}"):
        parse_patterns(text, "p.toml")


def test_a_pattern_of_ones_own_has_a_name_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text(A_PATH.replace('"a"', '"subject-copula"'), encoding="utf-8")
    with mistake("conflict", f"{path}: subject-copula"):
        names_of(str(path), "en")
    with mistake("unknown", "patterns"):
        names_of("subject-adverb", "en")


def test_the_example_of_the_documentation_is_a_pattern() -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (pattern,) = parse_patterns(example, "docs/mining.md")
    assert pattern.agreeing.feats == {"Variant": frozenset({"Short"})}
