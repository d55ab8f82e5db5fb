"""Files that are broken or meant to harm: one line says what is wrong, and nothing is run."""

import gzip
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from colorless_green.data.errors import InputError
from colorless_green.nonce.formats import FORMATS, format_of, records
from colorless_green.nonce.formats.multiblimp import NEEDED
from tests.nonce.format_material import rare_suite

LIST = ", ".join(sorted(FORMATS))
UNTOLD = f"its content does not tell its format; --format with one of {LIST}"
DEEP = "[" * 100_000 + "]" * 100_000
GYM: dict[str, Any] = {
    "meta": {"name": "n", "metric": "sum"},
    "region_meta": {"1": "a", "2": "b"},
    "predictions": [{"type": "formula", "formula": "(1;%x%) < (2;%x%)"}],
    "items": [
        {
            "item_number": 1,
            "conditions": [
                {
                    "condition_name": "x",
                    "regions": [
                        {"region_number": 1, "content": "A"},
                        {"region_number": 2, "content": "b"},
                    ],
                }
            ],
        }
    ],
}
BLIMP = {"sentence_good": "The key is here.", "sentence_bad": "The key are here."}
PREFIX = {
    "one_prefix_prefix": "The keys",
    "one_prefix_word_good": "is",
    "one_prefix_word_bad": "are",
}
CSV = "item_number,condition_name,region_number,region_name,content\n"
MULTI = "\t".join(NEEDED) + "\n"


def gym(**changes: Any) -> str:
    return json.dumps({**GYM, **changes})


def gym_item(**changes: Any) -> str:
    return gym(items=[{**GYM["items"][0], **changes}])


WRONG = {  # file, content, format, message behind the path
    "nothing": ("x", "", "", f": {UNTOLD}"),
    "prose": ("x.md", "Call me Ishmael.\n", "", f": {UNTOLD}"),
    "other table": ("x.tsv", "a\tb\n1\t2\n", "", f": {UNTOLD}"),
    "other object": ("x", '{"a": 1}', "", f": {UNTOLD}"),
    "deep JSON": ("x.json", DEEP, "syntaxgym", ": not JSON (maximum recursion depth exceeded"),
    "deep line": ("x.jsonl", DEEP, "jsonl", ":1: not JSON (maximum recursion depth exceeded"),
    "deep key": (
        "x.jsonl",
        json.dumps(BLIMP)[:-1] + ', "k": ' + "[" * 30 + "]" * 30 + "}",
        "",
        ":1: 'k' is nested more than 20 deep; plain values",
    ),
    "NaN": (
        "x.jsonl",
        '{"sentence_good": NaN, "sentence_bad": ""}',
        "",
        ":1: not JSON (NaN is no number of JSON); one JSON object a line",
    ),
    "beyond floats": (
        "x.jsonl",
        '{"sentence_good": 1e999, "sentence_bad": ""}',
        "",
        ":1: not JSON (1e999 is no number of JSON); one JSON object a line",
    ),
    "half a surrogate": (
        "x.jsonl",
        '{"sentence_good": "\\udc00", "sentence_bad": "x"}',
        "",
        ":1: half of a surrogate pair; text that is Unicode",
    ),
    "one sentence": (
        "x.jsonl",
        '{"sentence_good": "a"}',
        "blimp",
        ":1: no key 'sentence_bad'; the keys of ",
    ),
    "no text": (
        "x.jsonl",
        '{"sentence_good": 1, "sentence_bad": "a"}',
        "",
        ":1: 'sentence_good' is 1; a value of type str",
    ),
    "empty sentence": (
        "x.jsonl",
        '{"sentence_good": " ", "sentence_bad": "a"}',
        "",
        ":1: an empty sentence; two sentences",
    ),
    "other prefix": (
        "x.jsonl",
        json.dumps({**BLIMP, **PREFIX}),
        "",
        ":1: 'The key is here.' does not begin with 'The keys' and 'is'; "
        "the prefix and critical word of this sentence",
    ),
    "a number as a pair's": (
        "x.jsonl",
        json.dumps({**BLIMP, "pairID": 3}),
        "",
        ":1: 'pairID' is 3; a value of type str",
    ),
    "unknown kind": (
        "x.jsonl",
        json.dumps({**BLIMP, "kind": "k"}),
        "",
        ":1: kind is 'k'; one of original, nonce, template, suite",
    ),
    "twice": (
        "x.jsonl",
        (json.dumps({**BLIMP, "item_id": "i"}) + "\n") * 2,
        "",
        ": item i: this item_id comes twice; one line for each item",
    ),
    "metric": (
        "x.json",
        gym(meta={"name": "n", "metric": "all"}),
        "",
        ": the metric is 'all'; one of sum, mean, median, range, max, min",
    ),
    "old prediction": (
        "x.json",
        gym(predictions=[{"relation": "greaterthan", "region_number": 3}]),
        "",
        ": prediction 1: it is a relation, as in the oldest suites; "
        '{"type": "formula", "formula": "…"}',
    ),
    "formula": (
        "x.json",
        gym(predictions=[{"type": "formula", "formula": "(1;%x%) <"}]),
        "",
        ": prediction 1: column 10: the end in a formula; "
        "a region like (3;%condition%), a number or a bracket",
    ),
    "no such region": (
        "x.json",
        gym(predictions=[{"type": "formula", "formula": "(9;%x%) < (1;%x%)"}]),
        "",
        "the prediction 'prediction_1' names the region '9', which condition 'x' lacks; "
        "one of 1, 2",
    ),
    "regions from 0": (
        "x.json",
        gym(region_meta={"0": "a", "1": "b"}),
        "",
        ": 'region_meta' does not count its regions from 1; a SyntaxGym suite",
    ),
    "regions missing": (
        "x.json",
        gym(region_meta={"1": "a"}),
        "",
        ": item 1: condition 'x' does not have the regions of 'region_meta' in order; "
        "regions 1 to 1",
    ),
    "conditions twice": (
        "x.json",
        gym_item(conditions=GYM["items"][0]["conditions"] * 2),
        "",
        ": item 1: two conditions 'x'; conditions with names of their own",
    ),
    "no condition": (
        "x.json",
        gym_item(conditions=[]),
        "",
        ": item 1: it has no condition; a SyntaxGym suite",
    ),
    "no item": ("x.json", gym(items=[]), "", ": no item in it; a SyntaxGym suite"),
    "item number": (
        "x.json",
        gym_item(item_number=True),
        "",
        ": item 1: 'item_number' is True; a value of type int",
    ),
    "another text under our key": (
        "x.json",
        gym(meta={**GYM["meta"], "colorless": {"items": [], "predictions": [], "meta": {}}}),
        "",
        "suite n: there is no item in it; a suite with items",
    ),
    "open quotes": (
        "x.csv",
        CSV + '1,x,1,a,"open\n',
        "",
        ":2: not a table (unexpected end of data); cells quoted as CSV",
    ),
    "broken quotes": (
        "x.csv",
        CSV + '1,x,1,a,"b"c\n',
        "",
        ":2: not a table (',' expected after '\"'); cells quoted as CSV",
    ),
    "long cell": (
        "x.csv",
        CSV + "1,x,1,a," + "b" * 200_000 + "\n",
        "",
        ":2: not a table (field larger than field limit (131072)); cells quoted as CSV",
    ),
    "short row": ("x.csv", CSV + "1,x,1\n", "", ":2: 3 cells; 5, as in the header"),
    "no column": (
        "x.csv",
        "item_number\n",
        "syntaxgym_csv",
        ":1: no column 'condition_name'; a header ",
    ),
    "column twice": (
        "x.csv",
        CSV.replace("region_name", "content"),
        "syntaxgym_csv",
        ":1: no column 'region_name'; a header with item_number, ",
    ),
    "no number": (
        "x.csv",
        CSV + "one,x,1,a,b\n",
        "",
        ":2: item_number is 'one'; a whole number",
    ),
    "renamed region": (
        "x.csv",
        CSV + "1,x,1,a,b\n2,x,1,c,b\n",
        "",
        ":3: region 1 is called 'c'; 'a', as before",
    ),
    "not by turns": (
        "x.txt",
        "True\ta b\nTrue\ta c\n",
        "",
        ":2: True where False is due; True and False by turns",
    ),
    "one too many": (
        "x.txt",
        "True\ta b\nFalse\ta c\nTrue\ta b\n",
        "",
        ":3: a True without its False; True and False by turns",
    ),
    "no label": (
        "x.txt",
        "True\ta b\nMaybe\ta c\n",
        "",
        ":2: 'Maybe\\ta c'; True or False, a tab, and a sentence",
    ),
    "code in a cell": (
        "x.tsv",
        MULTI + "a b\ta c\ta\tb\tc\t__import__('os').abort()\t{}\t{}\t[]\tP\ten\n",
        "",
        ":2: child_features is \"__import__('os').abort()\"; a Python dict of plain values",
    ),
    "deep cell": (
        "x.tsv",
        MULTI + f"a b\ta c\ta\tb\tc\t{'[' * 9_000}\t{{}}\t{{}}\t[]\tP\ten\n",
        "",
        f":2: child_features is '{'[' * 39}; a Python dict of plain values",
    ),
    "attractors": (
        "x.tsv",
        MULTI + "a b\ta c\ta\tb\tc\t{}\t{}\t{}\t[1]\tP\ten\n",
        "",
        ":2: an attractor without a form; a MultiBLiMP table",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told_in_one_line(tmp_path: Path, name: str) -> None:
    file, content, form, message = WRONG[name]
    path = tmp_path / file
    path.write_text(content, "utf-8", newline="")
    with pytest.raises(InputError) as caught:
        format_of(path, form).read(path)
    said = str(caught.value)
    assert message in said
    assert "\n" not in said
    assert len(said) < 400 + len(str(path))


@pytest.mark.parametrize("form", sorted(set(FORMATS) - {"lines"}))  # to which all text is right
@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"\x00" * 50, b"{}", b"[]\n", b"null\n"])
def test_no_content_ends_in_a_traceback(tmp_path: Path, form: str, content: bytes) -> None:
    for path in (tmp_path / "x", tmp_path / "x.gz"):
        path.write_bytes(content)
        with pytest.raises(InputError):
            format_of(path, form).read(path)
    with pytest.raises(InputError):
        format_of(tmp_path / "none", form).read(tmp_path / "none")
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError):
        format_of(tmp_path / "folder", form).read(tmp_path / "folder")


class Harm:
    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        return (pytest.fail, ("a pickle was loaded",))


@pytest.mark.parametrize("name", ["x.pickle", "x.jsonl", "x.json", "x.tab.gz"])
def test_a_pickle_is_never_loaded(tmp_path: Path, name: str) -> None:
    content = pickle.dumps(Harm())
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    with pytest.raises(InputError, match="a pickle that is refused: it has the instruction "):
        format_of(tmp_path / name, "").read(tmp_path / name)


@pytest.mark.parametrize("form", ["jsonl", "blimp", "clams", "tab", "multiblimp", "syntaxgym_csv"])
def test_a_line_of_a_hundred_megabytes_is_refused(tmp_path: Path, form: str) -> None:
    path = tmp_path / "x.gz"
    with gzip.open(path, "wb", compresslevel=1) as stream:
        for _ in range(100):
            stream.write(b"x" * 1_000_000)
    with pytest.raises(InputError) as caught:
        format_of(path, form).read(path)
    assert str(caught.value) == f"{path}:1: a line of more than 16 MiB; one item a line"


def test_a_document_that_unpacks_to_more_than_its_bound_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "LARGEST_DOCUMENT", 1 << 20)
    path = tmp_path / "x.json.gz"
    path.write_bytes(gzip.compress(b'{"meta": "' + b"a" * (1 << 20)))
    with pytest.raises(InputError) as caught:
        format_of(path, "").read(path)
    assert str(caught.value) == (
        f"{path}: more than 1 MiB, unpacked; a suite in several files, or as JSON lines"
    )


def test_a_number_of_thousands_of_digits_is_told_without_pythons_settings(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(GYM).replace('"item_number": 1', '"item_number": ' + "9" * 6000))
    with pytest.raises(InputError) as caught:
        format_of(path, "").read(path)
    assert str(caught.value) == f"{path}: not JSON (a number of 6,000 digits); a SyntaxGym suite"


def test_an_item_number_that_comes_twice_is_told_as_the_file_has_it(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps({**GYM, "items": GYM["items"] * 2}))
    with pytest.raises(InputError) as caught:
        format_of(path, "").read(path)
    assert str(caught.value) == (
        f"{path}: item 2: the item_number 1 comes twice; a number of its own for each item"
    )


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("x.txt", "sentence_id\ttoken_id\ttoken\tsurprisal\n"),
        ("x.csv", "suite,item_number,condition_name,region_number,surprisal_sum\n"),
    ],
)
def test_a_table_of_surprisals_is_told_from_a_suite(tmp_path: Path, name: str, header: str) -> None:
    path = tmp_path / name
    path.write_text(header)
    with pytest.raises(InputError) as caught:
        format_of(path, "").read(path)
    assert str(caught.value) == (
        f"{path}: these are surprisals, not sentences; score SUITE --model table:{path}"
    )


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_a_table_between_other_signs_is_told_so(tmp_path: Path, delimiter: str) -> None:
    columns = ["item_number", "condition_name", "region_number", "region_name", "content"]
    path = tmp_path / "x.csv"
    path.write_text(delimiter.join(columns) + "\n")
    with pytest.raises(InputError) as caught:
        format_of(path, "").read(path)
    assert str(caught.value) == (
        f"{path}:1: its columns are not between commas; a header with {', '.join(columns)}"
    )


def test_a_folder_that_tells_no_format_is_told_to_be_one(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        format_of(tmp_path, "").read(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}: its content does not tell its format; one of its files, or --format with "
        f"one of {LIST}"
    )


def test_a_manifest_does_not_lead_out_of_its_folder(tmp_path: Path) -> None:
    form = format_of(tmp_path, "harness")
    form.write(rare_suite(), tmp_path / "tasks", None)
    manifest = tmp_path / "tasks" / "manifest.json"
    about = json.loads(manifest.read_text("utf-8"))
    about["files"]["../secret"] = ""
    manifest.write_text(json.dumps(about), "utf-8")
    with pytest.raises(InputError) as caught:
        form.read(tmp_path / "tasks")
    assert str(caught.value) == (
        f"{manifest}: '../secret' leads out of the folder; plain file names"
    )


def test_the_python_of_a_task_folder_is_not_run_by_its_reader(tmp_path: Path) -> None:
    form = format_of(tmp_path, "harness")
    form.write(rare_suite(), tmp_path / "tasks", None)
    manifest = tmp_path / "tasks" / "manifest.json"
    about = json.loads(manifest.read_text("utf-8"))
    (tmp_path / "tasks" / "dataset.py").write_text("raise SystemExit('run')", "utf-8")
    from colorless_green.data.files import sha256_file

    about["files"]["dataset.py"] = sha256_file(tmp_path / "tasks" / "dataset.py")
    manifest.write_text(json.dumps(about), "utf-8")
    assert form.read(tmp_path / "tasks") == rare_suite()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "blimp"}, "this folder's format is 'blimp'; 'harness', or --format with the "),
        ({"predictions": [["a"]]}, "a prediction of another shape; [name, formula] or [name, form"),
        ({"predictions": [[1]]}, "'predictions' is no list of pairs; names and formulas"),
        ({"meta": {"a": 1}}, "'a' is 1; a value of type str"),
        ({"files": {}}, "it does not list items.jsonl; export the suite again"),
    ],
)
def test_a_manifest_that_says_something_else_is_told(
    tmp_path: Path, change: dict[str, object], message: str
) -> None:
    form = format_of(tmp_path, "harness")
    form.write(rare_suite(), tmp_path / "tasks", None)
    manifest = tmp_path / "tasks" / "manifest.json"
    about = json.loads(manifest.read_text("utf-8"))
    manifest.write_text(json.dumps({**about, **change}), "utf-8")
    with pytest.raises(InputError) as caught:
        form.read(tmp_path / "tasks")
    assert str(caught.value).startswith(f"{manifest}: {message}")


def test_a_deep_manifest_is_no_manifest(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(DEEP, "utf-8")
    for form in ("harness", "huggingface"):
        with pytest.raises(InputError, match="this is no manifest; a folder this tool wrote"):
            format_of(tmp_path, form).read(tmp_path)
    with pytest.raises(InputError, match="its content does not tell its format"):
        format_of(tmp_path, "").read(tmp_path)
