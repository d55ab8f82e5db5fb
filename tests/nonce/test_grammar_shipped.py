"""The grammars that come with the tool: their forms, their items, the verb that makes them."""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from colorless_green.data import Item, Suite, checked, format_named, sentence_text
from colorless_green.data.errors import ErrorKind
from colorless_green.nonce import (
    GRAMMARS,
    Grammar,
    grammar_items,
    item_counts,
    load_grammar,
    predictions_of,
)
from tests.builders import colorless, mistake, refused
from tests.nonce.grammars import n_items, of_templates

LANGUAGES = {"finnish": "fi", "hebrew": "he", "russian": "ru"}


@cache
def shipped(name: str) -> Grammar:
    return load_grammar(name)


def templates(name: str) -> list[str]:
    return list(dict.fromkeys(shape.template for shape in shipped(name).shapes))


def drawn(name: str, template: str, n: int = 40) -> list[Item]:
    found = of_templates(shipped(name), template)
    return list(grammar_items(found, n=min(n, n_items(found)), seed=0))


def forms(name: str, lists: tuple[str, ...] = ()) -> Iterator[str]:
    """Every form of every word, or of those in some lists."""
    for shape in shipped(name).shapes:
        for slot in shape.slots:
            if not lists or slot.words.name in lists:
                for entry in slot.words.entries:
                    for form in entry.forms.values():
                        yield from form.words


@pytest.mark.parametrize("name", GRAMMARS)
def test_a_sample_of_every_template_is_a_suite_with_its_predictions(name: str) -> None:
    for template in templates(name):
        found = of_templates(shipped(name), template)
        items = tuple(drawn(name, template))
        checked(Suite(name, items, predictions_of(found)), name)
        assert {(item.kind, item.source, item.licence) for item in items} == {
            ("template", name, "MIT")
        }
        assert all(len(own) == len(set(own)) for item in items for own in item.conditions.values())


@pytest.mark.parametrize("name", LANGUAGES)
def test_pairs_of_a_language_differ_in_one_word(name: str) -> None:
    for template in templates(name):
        for item in drawn(name, template):
            right, wrong = (own[0] for own in item.conditions.values())
            assert item.language == LANGUAGES[name]
            assert [each.region for each in right] == ["prefix", "target", "rest"]
            assert (right[0], right[2]) == (wrong[0], wrong[2])
            assert len(right[1].words) == len(wrong[1].words) == 1


@pytest.mark.parametrize(
    ("name", "template", "right", "wrong"),
    [
        ("finnish", "subj_rel", "Opettaja, joka rakastaa lääkäriä, nauraa.", "nauravat"),
        ("finnish", "obj_rel_within", "Opettaja, jota lääkäri rakastaa, nauraa.", "rakastavat"),
        ("finnish", "postposition", "Opettaja lääkärin vieressä nauraa.", "nauravat"),
        ("finnish", "person_2", "Sinä naurat.", "nauraa"),
        ("russian", "obj_rel_across", "Мальчик, которого монах любит, улыбается.", "улыбаются"),
        ("russian", "genitive", "Друг мальчика улыбается.", "улыбаются"),
        ("russian", "gender_simple", "Мальчик улыбался.", "улыбалась"),
        ("hebrew", "simple", "התלמיד צוחק.", "צוחקים"),
        ("hebrew", "gender_subj_rel", "התלמיד שאוהב את הרופא צוחק.", "צוחקת"),
        ("hebrew", "vp_coord", "התלמיד צוחק ורוקד.", "ורוקדים"),
    ],
)
def test_the_first_item_of_a_construction(name: str, template: str, right: str, wrong: str) -> None:
    first = next(grammar_items(of_templates(shipped(name), template)))
    sentence = first.conditions["right"][0]
    assert sentence_text(sentence) == right
    assert first.conditions["wrong"][0][1].words == (wrong,)


def test_hebrew_words_end_in_final_letters_and_have_them_nowhere_else() -> None:
    words = {word for word in forms("hebrew") if len(word) > 1}
    assert not [word for word in words if re.search("[ךםןףץ].", word)]
    assert not [word for word in words if word[-1] in "כמנפצ"]


def members(name: str, template: str) -> set[tuple[str, str]]:
    """Return the right and the wrong form of the items of a template, a thousand at most."""
    return {
        (item.conditions["right"][0][1].words[0], item.conditions["wrong"][0][1].words[0])
        for item in drawn(name, template, 1_000)
    }


@pytest.mark.slow
def test_no_wrong_hebrew_feminine_is_the_masculine_with_her_behind_it() -> None:
    medial = str.maketrans("ךםןףץ", "כמנפצ")
    found = members("hebrew", "gender_obj_rel_within")
    assert len(found) == 16  # four verbs, two numbers, either gender
    assert not [(he, she) for he, she in found if she == he.translate(medial) + "ה"]


def test_no_wrong_verb_of_a_long_coordination_is_a_past_or_an_object() -> None:
    past_too = {"read", "put", "set", "cut", "let", "hit", "quit", "bet", "cost", "hurt", "spread"}
    nouns_with_to = {"hope", "plan", "wish", "need", "try", "promise", "attempt", "offer"}
    wrong = {wrong for _, wrong in members("marvin_linzen", "long_vp_coord")}
    assert len(wrong) == 10
    assert not {each.removesuffix("s") for each in wrong} & (past_too | nouns_with_to)


def test_finnish_words_have_back_vowels_or_front_ones() -> None:
    simple = set(forms("finnish", ("Noun", "Laughs", "Loves", "Says", "Who", "I", "Behind")))
    assert not [word for word in simple if re.search("[aou]", word) and re.search("[äöy]", word)]


def test_no_russian_word_has_a_letter_that_texts_leave_out() -> None:
    assert not [word for word in forms("russian") if "ё" in word]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["finnish", "hebrew", pytest.param("russian", marks=pytest.mark.thorough)]
)
def test_all_members_of_a_set_have_one_word_order_and_other_values(name: str) -> None:
    found = of_templates(shipped(name), "obj_rel_across")
    sets: dict[str, set[str]] = {}
    for item in grammar_items(found):
        sets.setdefault(item.set_id, set()).add(item.cell)
    cells = {len(own) for own in sets.values()}
    assert cells == {8 if name == "hebrew" else 4}  # numbers of target and attractor, and gender


def test_a_name_that_is_none_is_an_error() -> None:
    with mistake("unknown", "grammar"):
        load_grammar("basque")


def run(folder: Path, *arguments: str, seed: str = "") -> str:
    env = {"PYTHONHASHSEED": seed} if seed else None
    done = colorless("grammar", *arguments, cwd=folder, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_the_verb_lists_counts_and_makes_items(tmp_path: Path) -> None:
    assert [line.split()[0] for line in run(tmp_path, "--list").splitlines()[1:]] == list(GRAMMARS)
    counted = run(tmp_path, "marvin_linzen", "--only", "simple_agrmt", "--count", "--json", "-q")
    assert [json.loads(line) for line in counted.splitlines()] == [
        {"template": "simple_agrmt", "cell": number, "n_items": 70, "n_sentences": 140}
        for number in ("Sing", "Plur")
    ]
    lines = run(tmp_path, "marvin_linzen", "--only", "simple_agrmt").splitlines()
    assert len(lines) == 140
    assert "full" in json.loads(lines[0])["predictions"]


@pytest.mark.slow
def test_the_same_command_writes_the_same_bytes_to_a_file_and_to_the_terminal(
    tmp_path: Path,
) -> None:
    arguments = ("finnish", "--sample", "30", "--seed", "4")
    first, second = (run(tmp_path, *arguments, seed=seed) for seed in "12")
    run(tmp_path, *arguments, "--out", "fi.jsonl")
    assert first == second == (tmp_path / "fi.jsonl").read_text(encoding="utf-8")
    assert len(format_named("").read(tmp_path / "fi.jsonl").items) == 30


def test_an_ending_tells_the_format_and_nothing_is_lost(tmp_path: Path) -> None:
    run(tmp_path, "reflexives", "--only", "2b", "--out", "suite.json")
    suite = format_named("").read(tmp_path / "suite.json")
    found = of_templates(shipped("reflexives"), "2b")
    assert suite.items == tuple(grammar_items(found))
    assert [each.source for each in suite.predictions] == [
        each.source for each in predictions_of(found)
    ]


@pytest.mark.parametrize(
    ("arguments", "kind", "place"),
    [
        ((), "unknown", "GRAMMAR"), (("none.toml",), "missing", "none.toml"),
        (("finnish", "--only", "x"), "unknown", "finnish.toml"),
        (("finnish", "--only", "person_1", "--sample", "20"), "value", "finnish.toml"),
    ],
)  # fmt: skip
def test_a_mistake_on_the_command_line_is_one_line(
    tmp_path: Path, arguments: tuple[str, ...], kind: ErrorKind, place: str
) -> None:
    refused(colorless("grammar", *arguments, cwd=tmp_path), kind, place)


def test_a_grammar_without_a_suite_is_counted_in_sentences_and_made_into_a_treebank(
    tmp_path: Path,
) -> None:
    text = (
        'name = "toy"\nlanguage = "xx"\n[features]\nNumber = ["Sing"]\n[sentences]\n'
        't = "Word"\n[lexicon]\nWord = { upos = "X", entries = ["a", "b"] }\n'
    )
    (tmp_path / "toy.toml").write_text(text, encoding="utf-8")
    counted = run(tmp_path, "toy.toml", "--count", "--json", "--quiet")
    assert json.loads(counted) == {"template": "t", "n_sentences": 2}
    assert run(tmp_path, "toy.toml", "--sample", "2").count("# text") == 2


def test_the_page_on_suites_has_their_sizes() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "suites.md"
    rows = re.findall(r"^\| `(\w+)` \| ([\d,]+) \| ([\d,]+) \|", page.read_text("utf-8"), re.M)
    said = {name: (int(n.replace(",", "")), int(m.replace(",", ""))) for name, n, m in rows}
    assert said == {
        name: tuple(
            sum(int(str(row[key])) for row in item_counts(shipped(name)))
            for key in ("n_items", "n_sentences")
        )
        for name in GRAMMARS
    }


PAGE = Path(__file__).resolve().parents[2] / "docs" / "suites.md"


def block(language: str) -> str:
    """Return the one fenced block of a language on the page."""
    (found,) = re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text("utf-8"), re.S | re.M)
    return str(found)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "doors.toml").write_text(block("toml"), encoding="utf-8")
    return tmp_path


def test_it_makes_as_many_items_as_the_page_says(folder: Path) -> None:
    done = colorless("grammar", "doors.toml", "--count", "--json", cwd=folder)
    n_items = sum(json.loads(line)["n_items"] for line in done.stdout.splitlines())
    said = f"`colorless grammar doors.toml --count` says that it makes {n_items} items."
    assert said in " ".join(PAGE.read_text("utf-8").split())


def test_the_example_on_the_command_line_prints_what_the_page_shows(folder: Path) -> None:
    command, _, shown = block("console").partition("\n")
    done = colorless(*command.removeprefix("$ colorless ").split(), cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == shown + "\n"  # a sentence's block ends with a blank line
