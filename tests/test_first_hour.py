"""The mistakes of a user's first hour get the right answer: the class and the place of each, and
where it is a name, the nearest that exists."""

from importlib.resources import files
from pathlib import Path

import pytest

from colorless_green.data.errors import InputError
from colorless_green.data.fetch.catalogue import treebanks
from colorless_green.data.files import MANIFEST
from colorless_green.data.languages import checked_language, suggest_language
from tests.builders import Run, colorless, mistake, refused, relational, write_conllu


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the sample's English treebank, mined, and its variants; nothing here
    writes."""
    folder = tmp_path_factory.mktemp("project")
    sample = files("colorless_green.data.sample") / "en.conllu"
    (folder / "en_sample.conllu").write_bytes(sample.read_bytes())
    mined = colorless("mine en_sample.conllu --language en --rule tested -q", cwd=folder)
    assert mined.returncode == 0, mined.stderr
    return folder


def suggests(run: Run, name: str) -> bool:
    """Whether the mistake names it before anything else that would be right."""
    assert run.error is not None
    first, question, _ = run.error.right.partition("?")
    return bool(question) and name in first


def test_a_suite_that_is_not_there_is_answered_with_the_nearest(project: Path) -> None:
    for verb, *more in (["audit"], ["report"], ["score", "--model", "uniform"]):
        done = colorless(verb, "en_sampel", *more, cwd=project)
        refused(done, "missing", "en_sampel")
        assert suggests(done, "en_sample"), verb
    done = colorless("report en_sampel*", cwd=project)  # nothing there was scored
    refused(done, "unknown", "en_sampel*")


LANGUAGES = [
    ("deutsch", "de (German)"),
    ("German", "de (German)"),
    ("germna", "de (German)"),
    ("italienisch", "it (Italian)"),
    ("italian", "it (Italian)"),
    ("jp", "ja (Japanese)"),
    ("swahili", "sw (Swahili)"),
]


@pytest.mark.parametrize(("typed", "meant"), LANGUAGES)
def test_a_language_by_its_name_is_answered_with_its_code(typed: str, meant: str) -> None:
    with pytest.raises(InputError) as caught:
        checked_language(typed, "--other")
    assert (caught.value.kind, caught.value.location) == ("unknown", "--other")
    first = caught.value.right.partition("?")[0]
    assert meant in first
    assert first.count("(") == 1  # and no other beside it


@pytest.mark.parametrize("typed", ["xx", "zzz", "en-", "de\r\nX", "'de", "x", "zebra crossing"])
def test_what_is_no_language_is_refused(typed: str) -> None:
    with mistake("unknown", "language"):
        checked_language(typed)


def test_codes_of_languages_pass() -> None:
    every = {each.language for each in treebanks()}
    assert {checked_language(code) for code in every} == every
    for code in ("", "und", "qhe", "sr-Latn", "pt-BR", "zh-Hans-CN", "x-mine", "sw"):
        assert checked_language(code) == code
    shortest = {"deu": "de", "ger": "de", "DE": "de", "de_AT": "de-AT", "pt-br": "pt-BR"}
    assert {code: checked_language(code) for code in shortest} == shortest


def test_the_table_has_the_languages_of_the_catalogue() -> None:
    """By the names it has there, so that whoever reads a treebank's name finds its code."""
    for each in treebanks():
        name = each.repository.removeprefix("UD_").partition("-")[0].replace("_", " ")
        assert f" {each.language} (" in suggest_language(name)


@pytest.mark.parametrize(
    "verb",
    [
        ("mine", "en_sample.conllu", "--language", "en", "--store", "none"),
        ("parse", "text.txt"),
        ("import", "pairs.csv"),
        ("fetch",),
    ],
)
def test_every_verb_that_takes_a_language_refuses_what_is_none(
    project: Path, verb: tuple[str, ...]
) -> None:
    done = colorless(*verb, "--language", "deutsch", cwd=project)
    refused(done, "unknown", "--language")
    assert suggests(done, "de (German)")


def test_the_language_of_a_word_list_is_one(project: Path) -> None:
    (project / "words.tsv").write_text("Hund\tHunde\tN;PL\n", encoding="utf-8")
    done = colorless(
        "mine en_sample.conllu --language en --unimorph deutsch=words.tsv", cwd=project
    )
    refused(done, "unknown", "--unimorph")


def mined(project: Path, *options: str) -> Run:
    return colorless(
        "mine", "en_sample.conllu", "--language", "en", "--store", "none", *options, cwd=project
    )


@pytest.mark.parametrize(
    ("setting", "location", "meant"),
    [
        ("relations=nsbj", "--set: relations", "nsubj"),
        ("relations=nsubj:passs", "--set: relations", "nsubj"),
        ("relations=NSUBJ", "--set: relations", "nsubj"),
        ("patterns=subject-copla", "--set: patterns", "subject-copula"),
        ("patterns=ALL", "--set: patterns", "all"),
        ("filters=conjunct", "--set: filters", "conjuncts"),
        ("filters=nonne", "--set: filters", "none"),
        ("min_gpa=4", "--set: min_gpa", "min_gap"),
    ],
)
def test_what_to_mine_is_answered_with_the_nearest_name(
    project: Path, setting: str, location: str, meant: str
) -> None:
    done = mined(project, "--set", setting)
    refused(done, "unknown", location)
    assert suggests(done, repr(meant))


def test_a_rule_is_answered_with_the_nearest_name(project: Path) -> None:
    done = mined(project, "--rule", "testd")
    refused(done, "unknown", "--rule")
    assert suggests(done, "'tested'")


def test_a_feature_in_small_letters_is_answered_with_its_name(project: Path) -> None:
    done = mined(project, "--feature", "number")
    refused(done, "value", "--feature")
    assert suggests(done, "'Number'")


def test_a_feature_that_no_word_carries_is_not_found_and_the_nearest_is_told(project: Path) -> None:
    done = mined(project, "--feature", "Numbr")
    assert (done.returncode, done.error) == (1, None)
    (line,) = (each for each in done.stderr.splitlines() if "Numbr;" in each)
    assert "'Number'" in line
    assert "'Number'" not in mined(project, "--feature", "Number").stderr


def test_a_relation_that_ud_has_or_the_treebank_has_is_looked_for(tmp_path: Path) -> None:
    rows = ("a/a/NOUN/Number=Sing/2/mine:own", "b/b/VERB/Number=Sing/0/root")
    write_conllu(tmp_path / "x.conllu", relational(*rows))
    for relation in ("iobj", "nsubj:pass", "comp:obj", "mine", "mine:own"):
        done = colorless(
            "mine", "x.conllu", "--language", "en", "--set", f"relations={relation}", cwd=tmp_path
        )
        assert (done.returncode, done.error) == (1, None), relation
    for relation in ("mine:ow", "yours"):
        done = colorless(
            "mine", "x.conllu", "--language", "en", "--set", f"relations={relation}", cwd=tmp_path
        )
        refused(done, "unknown", "--set: relations")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("verb", "remedy"),
    [
        (("humans", "export", "{}", "--to", "csv", "--out", "o"), "colorless humans design"),
        (("score", "en_sample/tested/originals", "--model", "recurrent:{}"), "colorless train"),
        (("score", "en_sample/tested/originals", "--model", "unigram:{}"), "colorless train"),
    ],
)
@pytest.mark.parametrize("there", ["nothing", "folder"])
def test_a_folder_that_is_not_there_or_not_whole_is_told_apart(
    project: Path, verb: tuple[str, ...], remedy: str, there: str
) -> None:
    """What is not there was never begun, and neither is what somebody else has written; each time
    the verb that makes such folders is named."""
    name = f"some {there}"
    if there == "folder":
        (project / name).mkdir(exist_ok=True)
        (project / name / "README").write_text("Mine.", encoding="utf-8")
    done = colorless(*(each.format(name) for each in verb), cwd=project)
    refused(done, "missing", name)
    assert done.error is not None
    assert remedy in done.error.right
    assert (MANIFEST in done.error.wrong) == (there == "folder")


def test_a_file_in_place_of_a_folder_is_told(project: Path) -> None:
    done = colorless(
        *("humans", "export", "en_sample.conllu", "--to", "csv", "--out", "o"), cwd=project
    )
    refused(done, "missing", "en_sample.conllu")
