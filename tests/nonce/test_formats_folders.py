"""What a beginner hands over: tables of pairs of one's own, broken lines, folders of suites."""

import json
from pathlib import Path

import pytest

from colorless_green.data import Suite, read_suite, read_suites, write_suite
from colorless_green.data.errors import InputError
from tests.builders import colorless, mistake, refused
from tests.nonce.format_material import pair, refuses, told

RIGHT, WRONG = "The keys are here.", "The keys is here."


@pytest.mark.parametrize("ending", ["csv", "tsv"])
@pytest.mark.parametrize(
    "header",
    [
        ("right", "wrong"),
        ("right_sentence", "wrong_sentence"),
        ("correct", "incorrect"),
        ("acceptable", "unacceptable"),
        ("Good", "Bad"),
        ("sentence_good", "sentence_bad"),
        ("grammatical", "ungrammatical"),
    ],
)
def test_a_table_of_pairs_is_read_under_any_usual_names(
    tmp_path: Path, header: tuple[str, str], ending: str
) -> None:
    path, between = tmp_path / f"x.{ending}", "," if ending == "csv" else "\t"
    rows = [("paradigm", *header, "id"), ("number", RIGHT, WRONG, "7")]
    path.write_text("".join(between.join(row) + "\n" for row in rows), "utf-8")
    suite = read_suite(path)
    (item,) = suite.items
    said = {name: "".join(r.text for r in each[0]) for name, each in item.conditions.items()}
    assert said == {"right": RIGHT, "wrong": WRONG}
    assert told(item) == {"construction": "number", "paradigm": "number", "id": "7"}
    assert [prediction.name for prediction in suite.predictions] == ["full", "prefix"]


@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.csv.gz"])
def test_a_table_without_such_columns_is_answered_with_columns_that_would_do(
    tmp_path: Path, name: str
) -> None:
    import gzip

    path = tmp_path / name
    text = "first,second\na b,a c\n".replace(",", "," if "csv" in name else "\t").encode()
    path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    with pytest.raises(InputError) as caught:
        read_suite(path)
    assert (caught.value.kind, caught.value.location) == ("missing", f"{path}:1")
    for column in ("right", "wrong", "sentence_good", "sentence_bad"):
        assert column in caught.value.right
    assert "item_number" not in str(caught.value)


def test_a_table_that_lacks_one_column_of_a_format_is_told_which(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("item_number,condition_name,region_number,region_name\n1,a,1,x\n", "utf-8")
    with pytest.raises(InputError) as caught:
        read_suite(path)
    assert (caught.value.kind, caught.value.location) == ("missing", f"{path}:1")
    assert "content" in caught.value.wrong


PAIR = json.dumps({"sentence_good": RIGHT, "sentence_bad": WRONG})
BROKEN = {
    "cut off": (PAIR[:30], 1),
    "cut off later": (f"{PAIR}\n{PAIR[:30]}", 2),
    "cut off before the second key": (f"{PAIR[:20]}\n{PAIR}", 1),
    "without a key": (json.dumps({"sentence_good": RIGHT}), 1),
    "without a key later": (f"{PAIR}\n\n{json.dumps({'sentence_good': RIGHT})}", 3),
    "of another type": (f"{PAIR}\n{json.dumps({'sentence_good': 1, 'sentence_bad': WRONG})}", 2),
    "no object": (f"{PAIR}\n[1]", 2),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_line_of_blimp_is_named_by_its_line_in_its_own_format(
    tmp_path: Path, fault: str
) -> None:
    content, line = BROKEN[fault]
    path = tmp_path / "x.jsonl"
    path.write_text(content + "\n", "utf-8")
    refuses("format", f"{path}:{line}", path)
    with pytest.raises(InputError) as caught:
        read_suite(path)
    for other in ("'kind'", "item_id", "conditions"):  # of our own lines
        assert other not in str(caught.value)


def test_lines_of_no_format_are_answered_with_keys_that_would_do(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"good": "a", "bad": "b"}\n', "utf-8")
    with pytest.raises(InputError) as caught:
        read_suite(path)
    assert (caught.value.kind, caught.value.location) == ("format", f"{path}:1")
    assert "sentence_good" in caught.value.right


@pytest.mark.parametrize("verb", [("score", "--model", "uniform:words"), ("audit",), ("nonce",)])
def test_no_verb_advises_an_option_that_it_lacks(tmp_path: Path, verb: tuple[str, ...]) -> None:
    (tmp_path / "x.dat").write_text("?", "utf-8")
    (tmp_path / "words").write_text("a\nb\n", "utf-8")
    done = colorless(verb[0], "x.dat", *verb[1:], cwd=tmp_path)
    refused(done, "format", "x.dat")
    assert done.error is not None
    assert done.error.right.startswith("colorless import x.dat --format ")


def folder_of(tmp_path: Path, *names: str, ending: str = "json") -> Path:
    folder = tmp_path / "several"
    folder.mkdir(exist_ok=True)
    for name in names:
        suite = Suite(name, (pair(1, "The keys", " are", " is", "."),))
        write_suite(suite, folder / f"{name}.{ending}")
    return folder


@pytest.mark.parametrize("ending", ["json", "jsonl", "csv"])
def test_a_folder_of_suites_is_all_of_them(tmp_path: Path, ending: str) -> None:
    folder = folder_of(tmp_path, "b", "a", ending=ending)
    (folder / "README.md").write_text("What these are.", "utf-8")
    (folder / f".hidden.{ending}").write_text("?", "utf-8")
    suites = read_suites(folder)
    assert suites == tuple(read_suite(folder / f"{name}.{ending}") for name in ("a", "b"))
    with mistake("conflict", folder):
        read_suite(folder)


def test_a_table_of_pairs_each_in_a_folder_is_a_suite_each(tmp_path: Path) -> None:
    for name in ("a.csv", "b.tsv"):
        header = "right,wrong\nx y,x z\n"
        text = header if name.endswith("csv") else header.replace(",", "\t")
        (tmp_path / name).write_text(text, "utf-8")
    assert [suite.name for suite in read_suites(tmp_path)] == ["a", "b"]


def test_a_folder_of_several_languages_is_a_suite_each(tmp_path: Path) -> None:
    folder = tmp_path / "clams"
    folder.mkdir()
    texts = {"de_simple": "die Katze", "de_long": "der Hund", "fr_simple": "le chat"}
    for name, text in texts.items():
        lines = f"True\t{text} a b\nFalse\t{text} a c\n"
        (folder / f"{name}.txt").write_text(lines, "utf-8")
    for format_name in ("", "clams"):
        suites = read_suites(folder, format_name)
        found = {s.name: {(i.language, i.construction) for i in s.items} for s in suites}
        assert found == {
            "clams/de": {("de", "simple"), ("de", "long")},
            "clams/fr": {("fr", "simple")},
        }
        with mistake("conflict", folder):
            read_suite(folder, format_name)
    (folder / "fr_simple.txt").unlink()
    assert [suite.name for suite in read_suites(folder)] == ["clams"]


def test_of_anything_else_there_is_one_suite(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, "a")
    suite = read_suite(folder / "a.json")
    assert read_suites(folder / "a.json") == read_suites(folder) == (suite,)
    assert read_suite(folder) == suite
    blimp = tmp_path / "blimp"
    write_suite(read_suite(folder / "a.json"), blimp, "blimp")
    assert read_suites(blimp) == (read_suite(blimp),)


def test_a_file_that_is_no_suite_and_two_of_one_name_are_refused(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, "a", "b")
    (folder / "c.json").write_bytes((folder / "a.json").read_bytes())
    with mistake("conflict", folder / "c.json"):
        read_suites(folder)
    (folder / "c.json").write_text('{"cases": []}', "utf-8")
    with mistake("format", folder / "c.json"):
        read_suites(folder)


def test_a_folder_is_scored_and_imported_suite_by_suite(tmp_path: Path) -> None:
    folder_of(tmp_path, "b", "a")
    (tmp_path / "words").write_text("The\nkeys\nare\nis\n.\n<unk>\n", "utf-8")
    scored = colorless("score several --model uniform:words --json", cwd=tmp_path)
    rows = [json.loads(line) for line in scored.stdout.splitlines()]
    assert (scored.returncode, {row["suite"] for row in rows}) == (0, {"a", "b"})
    imported = colorless("import several --json", cwd=tmp_path)
    assert [json.loads(line)["suite"] for line in imported.stdout.splitlines()] == ["a", "b"]
    refused(colorless("audit several", cwd=tmp_path), "conflict", "several")


def test_a_file_that_a_written_folder_does_not_list_is_none_of_its_own(tmp_path: Path) -> None:
    suite = Suite("s", (pair(1, "The keys", " are", " is", "."),))
    write_suite(suite, tmp_path / "out", "blimp")
    (tmp_path / "out" / "zzz.jsonl").write_text(f"{PAIR}\n", "utf-8")
    assert len(read_suite(tmp_path / "out").items) == 1
