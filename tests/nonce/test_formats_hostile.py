"""Files that are broken or meant to harm: one line says what is wrong, and nothing is run."""

import gzip
import json
import pickle
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from colorless_green.data import FORMATS, item_id, read_suite, write_suite
from colorless_green.data.errors import ErrorKind, InputError
from tests.builders import mistake
from tests.nonce.format_material import rare_suite, refuses

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
MULTI = (
    "sen", "wrong_sen", "prefix", "head", "swap_head", "child_features", "head_features",
    "metadata", "attractors", "phenomenon", "lang",
)  # fmt: skip


def gym(**changes: Any) -> str:
    return json.dumps({**GYM, **changes})


def gym_item(**changes: Any) -> str:
    return gym(items=[{**GYM["items"][0], **changes}])


def multi(child_features: str, attractors: str = "[]") -> str:
    """Return a MultiBLiMP table of one row."""
    row = ("a b", "a c", "a", "b", "c", child_features, "{}", "{}", attractors, "P", "en")
    return "\t".join(MULTI) + "\n" + "\t".join(row) + "\n"


WRONG: dict[str, tuple[str, str, str, ErrorKind, str]] = {  # file, content, format, kind, place
    "nothing": ("x", "", "", "format", ""),
    "prose": ("x.md", "Call me Ishmael.\n", "", "format", ""),
    "other table": ("x.tsv", "a\tb\n1\t2\n", "", "missing", ":1"),
    "other object": ("x", '{"a": 1}', "", "format", ""),
    "deep JSON": ("x.json", DEEP, "syntaxgym", "format", ""),
    "deep line": ("x.jsonl", DEEP, "jsonl", "format", ":1"),
    "cut off": ("x.jsonl", "{\n", "jsonl", "format", ":1"),
    "a list": ("x.jsonl", "[1]\n", "jsonl", "format", ":1"),
    "a kind alone": ("x.jsonl", '{"kind": "original"}\n', "jsonl", "format", ":1"),
    "no kind of ours": ("x.jsonl", '{"kind": "x"}\n', "jsonl", "unknown", ":1"),
    "deep key": (
        "x.jsonl", json.dumps(BLIMP)[:-1] + ', "k": ' + "[" * 30 + "]" * 30 + "}", "",
        "format", ":1",
    ),
    "NaN": ("x.jsonl", '{"sentence_good": NaN, "sentence_bad": ""}', "", "format", ":1"),
    "beyond floats": (
        "x.jsonl", '{"sentence_good": 1e999, "sentence_bad": ""}', "", "format", ":1",
    ),
    "half a surrogate": (
        "x.jsonl", '{"sentence_good": "\\udc00", "sentence_bad": "x"}', "", "unreadable", ":1",
    ),
    "two objects in a line": (
        "x.jsonl", f"{json.dumps(BLIMP)}, {json.dumps(BLIMP)}", "blimp", "format", ":1",
    ),
    "an object in two lines": (
        "x.jsonl", json.dumps(BLIMP)[:-1] + ', "k": {"x": 1}\n"y": 2}\n', "", "format", ":1",
    ),
    "a text in two lines": (
        "x.jsonl", json.dumps(BLIMP)[:-1] + ', "k": "x\ny"}\n', "", "format", ":1",
    ),
    "one sentence": ("x.jsonl", '{"sentence_good": "a"}', "blimp", "format", ":1"),
    "no text": ("x.jsonl", '{"sentence_good": 1, "sentence_bad": "a"}', "", "format", ":1"),
    "empty sentence": (
        "x.jsonl", '{"sentence_good": " ", "sentence_bad": "a"}', "", "format", ":1",
    ),
    "other prefix": ("x.jsonl", json.dumps({**BLIMP, **PREFIX}), "", "format", ":1"),
    "a list as a pair's": ("x.jsonl", json.dumps({**BLIMP, "pairID": [3]}), "", "format", ":1"),
    "a fraction as a pair's": ("x.jsonl", json.dumps({**BLIMP, "pairID": 0.5}), "", "format", ":1"),
    "a truth as a pair's": ("x.jsonl", json.dumps({**BLIMP, "pairID": True}), "", "format", ":1"),
    "unknown kind": ("x.jsonl", json.dumps({**BLIMP, "kind": "k"}), "", "unknown", ":1"),
    "twice": (
        "x.jsonl", (json.dumps({**BLIMP, "item_id": "i"}) + "\n") * 2, "", "conflict", ": item i",
    ),
    "metric": ("x.json", gym(meta={"name": "n", "metric": "all"}), "", "unknown", ""),
    "several metrics": (
        "x.json", gym(meta={"name": "n", "metric": ["sum", "mean"]}), "", "unknown", "",
    ),
    "old prediction": (
        "x.json", gym(predictions=[{"relation": "greaterthan", "region_number": 3}]), "",
        "format", ": prediction 1",
    ),
    "other prediction": (
        "x.json", gym(predictions=[{"type": "ranking", "formula": "1 < 2"}]), "",
        "format", ": prediction 1",
    ),
    "formula": (
        "x.json", gym(predictions=[{"type": "formula", "formula": "(1;%x%) <"}]), "",
        "format", ": prediction 1: column 10",
    ),
    "no such region": (
        "x.json", gym(predictions=[{"type": "formula", "formula": "(9;%x%) < (1;%x%)"}]), "",
        "unknown", f": item {item_id('n', 1)}",
    ),
    "regions from 0": ("x.json", gym(region_meta={"0": "a", "1": "b"}), "", "format", ""),
    "regions missing": ("x.json", gym(region_meta={"1": "a"}), "", "format", ": item 1"),
    "conditions twice": (
        "x.json", gym_item(conditions=GYM["items"][0]["conditions"] * 2), "",
        "conflict", ": item 1",
    ),
    "no condition": ("x.json", gym_item(conditions=[]), "", "format", ": item 1"),
    "no item": ("x.json", gym(items=[]), "", "empty", ""),
    "item number": ("x.json", gym_item(item_number=True), "", "format", ": item 1"),
    "item number twice": ("x.json", gym(items=GYM["items"] * 2), "", "conflict", ": item 2"),
    "item number of thousands of digits": (
        "x.json", gym().replace('"item_number": 1', '"item_number": ' + "9" * 6000), "",
        "format", "",
    ),
    "open quotes": ("x.csv", CSV + '1,x,1,a,"open\n', "", "format", ":2"),
    "broken quotes": ("x.csv", CSV + '1,x,1,a,"b"c\n', "", "format", ":2"),
    "long cell": ("x.csv", CSV + "1,x,1,a," + "b" * 17_000_000 + "\n", "", "unsafe", ":2"),
    "short row": ("x.csv", CSV + "1,x,1\n", "", "format", ":2"),
    "no column": ("x.csv", "item_number\n", "syntaxgym_csv", "missing", ":1"),
    "column twice": (
        "x.csv", CSV.replace("region_name", "region_name,region_name"), "", "conflict", ":1",
    ),
    "a header alone": ("x.csv", CSV.replace(",", ";"), "", "format", ""),
    "no number": ("x.csv", CSV + "one,x,1,a,b\n", "", "format", ":2"),
    "renamed region": ("x.csv", CSV + "1,x,1,a,b\n2,x,1,c,b\n", "", "format", ":3"),
    "not by turns": ("x.txt", "True\ta b\nTrue\ta c\n", "", "format", ":2"),
    "one too many": ("x.txt", "True\ta b\nFalse\ta c\nTrue\ta b\n", "", "format", ":3"),
    "no label": ("x.txt", "True\ta b\nMaybe\ta c\n", "", "format", ":2"),
    "code in a cell": ("x.tsv", multi("__import__('os').abort()"), "", "format", ":2"),
    "deep cell": ("x.tsv", multi("[" * 9_000), "", "format", ":2"),
    "attractors": ("x.tsv", multi("{}", "[1]"), "", "format", ":2"),
    "surprisals of tokens": (
        "x.txt", "sentence_id\ttoken_id\ttoken\tsurprisal\n", "", "format", "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told_with_its_place(tmp_path: Path, name: str) -> None:
    file, content, form, kind, place = WRONG[name]
    path = tmp_path / file
    path.write_text(content, "utf-8", newline="")
    refuses(kind, f"{path}{place}", path, form)


def test_another_text_under_our_key_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    ours: dict[str, Any] = {"items": [], "predictions": [], "meta": {}}
    path.write_text(gym(meta={**GYM["meta"], "colorless": ours}), "utf-8")
    with mistake("empty", "suite n"):
        read_suite(path)


@pytest.mark.parametrize("form", sorted(FORMATS))
@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"\x00" * 50, b"{}", b"[]\n", b"null\n"])
def test_no_content_ends_in_a_traceback(tmp_path: Path, form: str, content: bytes) -> None:
    for name in ("x", "x.gz"):
        (tmp_path / name).write_bytes(content)
    (tmp_path / "folder").mkdir()
    for name in ("x", "x.gz", "none", "folder"):
        with pytest.raises(InputError):
            read_suite(tmp_path / name, form)


class Harm:
    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        return (pytest.fail, ("a pickle was loaded",))


@pytest.mark.parametrize("name", ["x.pickle", "x.jsonl", "x.json", "x.tab.gz"])
def test_a_pickle_is_never_loaded(tmp_path: Path, name: str) -> None:
    content = pickle.dumps(Harm())
    path = tmp_path / name
    path.write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    refuses("unsafe", path, path)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["jsonl", "blimp", "clams", "tab", "multiblimp", "syntaxgym_csv"])
def test_a_line_of_a_hundred_megabytes_is_refused(tmp_path: Path, form: str) -> None:
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(b"x" * 1_000_000, 1) * 100)
    refuses("unsafe", f"{path}:1", path, form)


@pytest.mark.slow
def test_a_document_that_unpacks_to_more_than_a_gigabyte_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.json.gz"
    path.write_bytes(gzip.compress(b'{"meta": "') + gzip.compress(b"a" * (1 << 24), 1) * 64)
    refuses("unsafe", path, path)


def test_a_folder_that_tells_no_format_is_told_to_be_one(tmp_path: Path) -> None:
    refuses("format", tmp_path, tmp_path)


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    """Return a folder of tasks as it was written."""
    write_suite(rare_suite(), tmp_path / "tasks", "harness")
    return tmp_path / "tasks"


def say(manifest: Path, **changes: object) -> Path:
    """Return a manifest that says something else under some keys."""
    about = json.loads(manifest.read_text("utf-8"))
    manifest.write_text(json.dumps({**about, **changes}), "utf-8")
    return manifest


def files_of(folder: Path) -> dict[str, str]:
    return dict(json.loads((folder / "manifest.json").read_text("utf-8"))["files"])


def test_a_manifest_does_not_lead_out_of_its_folder(tasks: Path) -> None:
    manifest = say(tasks / "manifest.json", files={**files_of(tasks), "../secret": ""})
    refuses("unsafe", manifest, tasks, "harness")


def test_the_python_of_a_task_folder_is_not_run_by_its_reader(tasks: Path) -> None:
    (tasks / "dataset.py").write_text("raise SystemExit('run')", "utf-8")
    digest = sha256((tasks / "dataset.py").read_bytes()).hexdigest()
    say(tasks / "manifest.json", files={**files_of(tasks), "dataset.py": digest})
    assert read_suite(tasks) == rare_suite()


@pytest.mark.parametrize(
    "change",
    [
        {"format": "blimp"},
        {"predictions": [["a"]]},
        {"predictions": [[1]]},
        {"meta": {"a": 1}},
        {"files": {}},
    ],
)
def test_a_manifest_that_says_something_else_is_told(
    tasks: Path, change: dict[str, object]
) -> None:
    refuses("format", say(tasks / "manifest.json", **change), tasks, "harness")


def test_a_deep_manifest_is_no_manifest(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(DEEP, "utf-8")
    for form in ("harness", "huggingface"):
        refuses("format", tmp_path / "manifest.json", tmp_path, form)
    refuses("format", tmp_path, tmp_path)
