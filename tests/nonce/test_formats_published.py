"""The published sets as their readers give them, and mined ones through every format."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from colorless_green.data import (
    Item,
    Suite,
    pair_of,
    read_suite,
    read_suites,
    sentence_text,
    write_suite,
)
from colorless_green.data.files import numbered_lines
from colorless_green.miner import Rule, mine_treebank, suite_of, treebank
from tests.builders import shared
from tests.nonce.format_material import ENDINGS, again, content, pair, told, twice

SAMPLE = Path(__file__).resolve().parents[2] / "data" / "sample"
WORDS = {"gold", "tab"}  # which have blanks between words
EQUAL_WORDS = {  # all 1,000 pairs have the same words
    "adjunct_island",
    "complex_NP_island",
    "coordinate_structure_constraint_complex_left_branch",
    "ellipsis_n_bar_1",
    "left_branch_island_echo_question",
    "left_branch_island_simple_question",
    "matrix_question_npi_licensor_present",
    "only_npi_scope",
    "principle_A_domain_3",
    "principle_A_reconstruction",
    "sentential_negation_npi_scope",
    "sentential_subject_island",
}


def files() -> dict[str, Path]:
    """Each paradigm of BLiMP with its file; a packed twin of a plain file is the same."""
    folder = shared("published", "blimp", "data")
    return {path.name.split(".")[0]: path for path in sorted(folder.glob("*.jsonl*"), reverse=True)}


@pytest.fixture(scope="module")
def paradigms() -> dict[str, Suite]:
    return {name: read_suite(path, "blimp") for name, path in files().items()}


@pytest.mark.shared
@pytest.mark.slow
def test_blimp_is_read_as_it_is(paradigms: dict[str, Suite]) -> None:
    assert len(paradigms) == 55
    items = [item for suite in paradigms.values() for item in suite.items]
    assert len(items) == 55_000
    methods = Counter(
        suite.items[0].facts["methods"].replace("simple_LM_method", "").strip()
        for suite in paradigms.values()
    )
    assert methods == {"one_prefix_method": 15, "two_prefix_method": 18, "": 22}
    assert {item.facts["field"] for item in items} == {
        "morphology", "syntax", "semantics", "syntax_semantics"
    }  # fmt: skip
    assert len({item.facts["phenomenon"] for item in items}) == 13
    for uid, suite in paradigms.items():
        assert [item.facts["pair_id"] for item in suite.items] == [str(n) for n in range(1_000)]
        assert {item.facts["uid"] for item in suite.items} == {uid}
    assert {(item.language, item.source, item.licence) for item in items} == {
        ("en", "BLiMP", "CC-BY-4.0")
    }


@pytest.mark.shared
@pytest.mark.slow
def test_identical_pairs_of_blimp_are_kept(paradigms: dict[str, Suite]) -> None:
    found = [
        (uid, item.facts["pair_id"])
        for uid, suite in paradigms.items()
        for item in suite.items
        if pair_of(item).right == pair_of(item).wrong
    ]
    assert sorted(found) == [
        ("passive_1", "324"), ("passive_1", "810"), ("principle_A_case_2", "105"),
        ("principle_A_case_2", "287"), ("principle_A_case_2", "372"), ("principle_A_case_2", "816"),
        ("principle_A_case_2", "967"),
    ]  # fmt: skip


@pytest.mark.shared
@pytest.mark.slow
def test_critical_words_of_blimp_lose_their_blanks(paradigms: dict[str, Suite]) -> None:
    """1,134 in the whole set; each prefix, a blank and the word begin their sentence."""
    assert (
        sum(
            lines_with(path, '"two_prefix_word": " ')
            for name, path in files().items()
            if paradigms[name].items[0].facts["methods"].endswith("two_prefix_method")
        )
        == 1_134
    )
    for suite in paradigms.values():
        method = suite.items[0].facts["methods"].split()[-1].removesuffix("_method")
        for item in suite.items:
            found = pair_of(item)
            assert found.method == (method if method in ("one_prefix", "two_prefix") else "")
            for parts in found.parts or ():
                assert (parts.gap, parts.word) == (" ", parts.word.strip())


def lines_with(path: Path, text: str) -> int:
    return sum(text in line for _, line in numbered_lines(path))


@pytest.mark.shared
@pytest.mark.slow
def test_pairs_with_the_same_words_are_told_honestly_where_nothing_was_published(
    paradigms: dict[str, Suite], tmp_path: Path
) -> None:
    items = (
        replace(item, facts=told(item)) for suite in paradigms.values() for item in suite.items
    )
    write_suite(Suite("all", tuple(items)), tmp_path / "b", "blimp")
    whole = {
        path.stem
        for path in (tmp_path / "b").glob("*.jsonl")
        if lines_with(path, '"lexically_identical": true') == 1_000
    }
    assert whole == EQUAL_WORDS


@pytest.mark.shared
def test_a_folder_of_blimp_is_one_suite_and_a_packed_twin_is_no_second_file() -> None:
    suite = read_suite(shared("published", "blimp", "data"))
    assert len(suite.items) == 55_000
    assert [each.name for each in suite.predictions] == ["full"]


@pytest.mark.shared
@pytest.mark.parametrize(
    ("language", "n", "phenomena", "n_duplicates", "n_sentences"),
    [
        ("eng", 770, {"SV-P": 453, "SV-#": 317}, 29, 614),
        ("ell", 1_096, {"SV-P": 656, "SV-#": 440}, 2, 574),
        ("nld", 2_331, {"SV-P": 1_531, "SV-#": 800}, 176, 1_804),
    ],
)
def test_multiblimp_is_read_as_it_is(
    language: str, n: int, phenomena: dict[str, int], n_duplicates: int, n_sentences: int
) -> None:
    suite = read_suite(shared("published", "multiblimp", f"{language}.tsv.gz"))
    assert len(suite.items) == n
    assert Counter(item.facts["construction"] for item in suite.items) == phenomena
    pairs = [(pair_of(item).right, pair_of(item).wrong) for item in suite.items]
    assert len(pairs) - len(set(pairs)) == n_duplicates
    assert len({right for right, _ in pairs}) == n_sentences
    assert all(right != wrong for right, wrong in pairs)
    assert [each.name for each in suite.predictions] == ["full", "prefix"]
    assert {item.language for item in suite.items} == {
        {"eng": "en", "ell": "el", "nld": "nl"}[language]
    }
    assert {item.licence for item in suite.items} == {""}
    adjacent = sum(abs(int(item.facts["distance"])) == 1 for item in suite.items)
    assert adjacent == {"eng": 350, "ell": 242, "nld": 713}[language]
    assert (
        sum("parted" in item.facts for item in suite.items)
        == {"eng": 2, "ell": 0, "nld": 2}[language]
    )


@pytest.mark.shared
@pytest.mark.slow
def test_clams_is_read_as_it_is() -> None:
    """Right and wrong lines by turns, so half as many pairs as lines."""
    suites = read_suites(shared("published", "clams"))
    assert [suite.name for suite in suites] == ["clams/de", "clams/fr", "clams/he"]
    items = [item for suite in suites for item in suite.items]
    n_pairs = Counter((item.language, item.cell) for item in items)
    french = {case: n for (language, case), n in n_pairs.items() if language == "fr"}
    assert french == {
        "simple_agrmt": 280,
        "vp_coord": 980,
        "long_vp_coord": 500,
        "subj_rel": 11_200,
        "obj_rel_within_anim": 11_200,
        "obj_rel_across_anim": 11_200,
        "prep_anim": 14_000,
    }
    assert {language for language, _ in n_pairs} == {"de", "fr", "he"}
    for suite in suites:
        assert {item.language for item in suite.items} == {suite.name[-2:]}
        assert [each.name for each in suite.predictions] == ["full", "prefix"]
    for item in items:
        for wordings in item.conditions.values():
            words = [word for region in wordings[0] for word in region.words]
            assert " ".join(words) == sentence_text(wordings[0])


def test_a_clams_folder_of_the_repository_tells_its_language(tmp_path: Path) -> None:
    (tmp_path / "fr_evalset").mkdir()
    path = tmp_path / "fr_evalset" / "simple_agrmt.txt"
    path.write_text("True\tles chats sont là\nFalse\tles chats est là\n", "utf-8")
    (item,) = read_suite(path).items
    assert (item.language, item.cell, item.licence) == ("fr", "simple_agrmt", "Apache-2.0")
    target = item.conditions["wrong"][0][1]
    assert (target.region, target.words, target.text) == ("target", ("est",), " est")


def test_other_sets_in_blimps_format_are_not_taken_for_blimp(tmp_path: Path) -> None:
    item = pair(1, "The keys", " are", " is", " here.")
    (own,) = again(Suite("s", (item,)), "blimp", tmp_path / "mine.jsonl").items
    assert (own.language, own.source, own.licence, own.item_id) == ("und", "s", "MIT", item.item_id)
    (tmp_path / "other.jsonl").write_text(
        '{"sentence_good": "a b", "sentence_bad": "a c"}', "utf-8"
    )
    (foreign,) = read_suite(tmp_path / "other.jsonl").items
    assert (foreign.language, foreign.source, foreign.licence) == ("und", "other", "")
    assert foreign.facts["uid"] == "other"


@pytest.fixture(scope="module", params=["en", "it"])
def sampled(request: pytest.FixtureRequest) -> Suite:
    return suite_of(mine_treebank(treebank([SAMPLE / f"{request.param}.conllu"]), Rule()))


def sentences(items: Sequence[Item]) -> list[tuple[str, str]]:
    return sorted((pair_of(item).right, pair_of(item).wrong) for item in items)


@pytest.mark.slow
@pytest.mark.parametrize("name", ENDINGS)
def test_what_was_mined_is_exported_as_it_was_read_and_keeps_its_sentences(
    sampled: Suite, name: str, tmp_path: Path
) -> None:
    first, second = twice(sampled, name, tmp_path)
    assert content(second) == content(first)
    if name.partition(" ")[0] not in WORDS:
        found = read_suite(first, name.partition(" ")[0])
        assert sentences(found.items) == sentences(sampled.items)


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "UD_Hebrew-HTB",
        "UD_Turkish-IMST",
        pytest.param("UD_Armenian-BSUT", marks=pytest.mark.thorough),
        pytest.param("UD_French-Sequoia", marks=pytest.mark.thorough),
        pytest.param("UD_Persian-Seraji", marks=pytest.mark.thorough),
    ],
)
def test_what_was_mined_in_any_script_keeps_the_law(name: str, tmp_path: Path) -> None:
    suite = suite_of(mine_treebank(treebank([shared("treebanks", name)]), Rule(undecided=True)))
    assert suite.items
    for form in ENDINGS:
        first, second = twice(suite, form, tmp_path / form.replace(" ", "_"))
        assert content(second) == content(first)
