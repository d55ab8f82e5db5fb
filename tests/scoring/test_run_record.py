"""run.toml: tables are made again from it, to the byte; what differs is told; it may be hostile."""

import json
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import transformers
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import colorless_green as cg
from tests.builders import colorless, mistake, refused
from tests.scoring.test_score_command import TEXT, pair
from tests.scoring.tiny_models import causal_folder, change_weights, gpt2

SAMPLE = Path(cg.__file__).parent / "data" / "sample" / "it.conllu"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pairs as BLiMP has them and as a table, a text, an n-gram model and a tiny GPT-2."""
    folder = tmp_path_factory.mktemp("run")
    nouns = ["key", "keys", "dog", "dogs"]
    lines = [json.dumps(pair(noun, number + 70)) for number, noun in enumerate(nouns)]
    (folder / "pairs.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "suites").mkdir()
    for name in ("one", "two"):
        text = f"good,bad,id\nthe keys are {name} .,the keys is {name} .,{name}-1\n"
        (folder / "suites" / f"{name}.csv").write_text(text, encoding="utf-8")
    (folder / "text.txt").write_text("\n".join(TEXT) + "\n", encoding="utf-8")
    cg.train("ngram", folder / "text.txt", out=folder / "ngram")
    causal_folder(folder / "gpt2", gpt2())
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def differing(scores: cg.Scores) -> list[str]:
    return [message for message in scores.messages if message.endswith("in run.toml")]


@pytest.mark.parametrize("model", ["ngram", "gpt2", "uniform:text.txt"])
@pytest.mark.parametrize(
    ("suite", "options"),
    [
        ("pairs.jsonl", {}),
        ("pairs.jsonl", {"method": "sentence", "limit": 3, "by": "construction"}),
        ("suites", {"method": cg.Method(oov="keep", period="drop"), "baselines": True}),
    ],
)
def test_tables_are_made_again_to_the_byte(
    model: str, suite: str, options: Any, place: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """From another folder, without the store in which the numbers were, and one of other names."""
    monkeypatch.chdir(place)
    cg.score("suites", "ngram", store=tmp_path / "a.db", method="sentence")
    cg.score(suite, model, out=tmp_path / "first", store=tmp_path / "a.db", **options)
    monkeypatch.chdir(tmp_path)
    again = cg.score(tmp_path / "first" / "run.toml", out="second")
    assert differing(again) == []
    assert contents(tmp_path / "second") == contents(tmp_path / "first")


def test_the_command_line_knows_the_file_by_its_content(place: Path, tmp_path: Path) -> None:
    options = ("--model", "ngram", "--set", "ties=wrong", "--out", str(tmp_path / "first"))
    done = colorless("score", "pairs.jsonl", *options, "--store", "none", cwd=place)
    assert done.returncode == 0, done.stderr
    (tmp_path / "first" / "run.toml").rename(tmp_path / "first" / "other.txt")
    done = colorless("score", "first/other.txt", "--out", "second", "--store", "none", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (tmp_path / "first" / "other.txt").rename(tmp_path / "first" / "run.toml")
    assert contents(tmp_path / "second") == contents(tmp_path / "first")
    done = colorless("score", "second/run.toml", "--limit", "2", cwd=tmp_path)
    refused(done, "conflict", "--limit")


def test_a_suite_that_is_in_no_file_is_written(place: Path, tmp_path: Path) -> None:
    """Also one with a metric, for which JSON lines have no place."""
    suite = replace(cg.load_suite(place / "pairs.jsonl"), metric="mean", name="mine")
    cg.score(suite, place / "ngram", out=tmp_path / "first")
    assert differing(cg.score(tmp_path / "first" / "run.toml", out=tmp_path / "second")) == []
    assert contents(tmp_path / "second") == contents(tmp_path / "first")
    assert (tmp_path / "second" / "accuracy.tsv").read_text("utf-8").count("mine") > 1


def test_baselines_of_a_mined_suite_are_made_again_in_its_store_or_differ(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They count words in the treebank, which the store knows."""
    monkeypatch.chdir(tmp_path)
    mining = cg.mine(SAMPLE, store="s.db")
    cg.train("ngram", mining, out="ngram", store="s.db")
    cg.score(mining.originals, "ngram", out="first", baselines=True)
    assert differing(cg.score("first/run.toml", out="second", store="s.db")) == []
    assert contents(Path("second")) == contents(Path("first"))
    (told,) = differing(cg.score("first/run.toml"))
    assert told.startswith("baselines")


def test_what_differs_is_told(place: Path, tmp_path: Path) -> None:
    suite = tmp_path / "pairs.jsonl"
    suite.write_bytes((place / "pairs.jsonl").read_bytes())
    model = causal_folder(tmp_path / "model", gpt2())
    cg.score(suite, model, out=tmp_path / "out")
    run = tmp_path / "out" / "run.toml"
    assert differing(cg.score(run)) == []

    values = safetensors.torch.load_file(model / "model.safetensors")
    change_weights(model, **{name: 2 * value for name, value in values.items()})
    (told,) = differing(cg.score(run))
    assert told.startswith("model: weights: ")

    suite.write_text(suite.read_text("utf-8").replace("cats", "dogs"), encoding="utf-8")
    assert [line.split(":")[0] for line in differing(cg.score(run))] == ["suite pairs", "model"]

    text = run.read_text("utf-8")
    facts = tomllib.loads(text)
    run.write_text(text.replace(facts["versions"]["torch"], "0.4"), encoding="utf-8")
    (line, *_) = differing(cg.score(run))
    assert line == f"torch: {facts['versions']['torch']} here, 0.4 in run.toml"


def test_a_model_in_memory_is_not_asked_again(place: Path, tmp_path: Path) -> None:
    auto: Any = transformers.AutoModelForCausalLM
    tokenizer: Any = transformers.AutoTokenizer
    given_model = auto.from_pretrained(place / "gpt2"), tokenizer.from_pretrained(place / "gpt2")
    cg.score(place / "pairs.jsonl", [(*given_model, "mine")], out=tmp_path / "out")
    with mistake("missing", "mine"):
        cg.score(tmp_path / "out" / "run.toml")


def test_code_of_models_is_not_run_for_a_file(place: Path, tmp_path: Path) -> None:
    cg.score(place / "pairs.jsonl", place / "ngram", out=tmp_path / "out")
    run = tmp_path / "out" / "run.toml"
    trusting = run.read_text("utf-8").replace("remote_code = false", "remote_code = true")
    run.write_text(trusting, encoding="utf-8")
    with mistake("unsafe", run):
        cg.score(run)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value in nested tables and lists."""
    yield path
    steps: Any = value.items() if isinstance(value, dict) else ()
    for key, inner in enumerate(value) if isinstance(value, list) else steps:
        yield from leaves(inner, (*path, key))


def toml(table: dict[str, Any]) -> str:
    """Return a table with tables and lists of tables within, as TOML."""

    def inline(value: Any) -> str:
        if isinstance(value, dict):
            return f"{{{', '.join(f'{json.dumps(k)} = {inline(v)}' for k, v in value.items())}}}"
        if isinstance(value, list):
            return f"[{', '.join(map(inline, value))}]"
        return json.dumps(value)

    return "".join(f"{json.dumps(key)} = {inline(value)}\n" for key, value in table.items())


@pytest.fixture(scope="module")
def run(place: Path) -> dict[str, Any]:
    cg.score(place / "pairs.jsonl", place / "ngram", out=place / "out")
    return tomllib.loads((place / "out" / "run.toml").read_text("utf-8"))


OTHERS: list[Any] = [
    None,
    "",
    "\0",
    "../..",
    "/",
    "x" * 300,
    -1,
    1 << 70,
    0.5,
    True,
    [],
    [[]],
    {},
    {"a": 1},
]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_other_content_is_scored_or_refused(
    data: st.DataObject, run: dict[str, Any], place: Path
) -> None:
    """One value is replaced by another, or is gone."""
    table = json.loads(json.dumps(run))
    path = data.draw(st.sampled_from([path for path in leaves(table) if path]))
    others: list[Any] = [
        None,
        "",
        "\0",
        "../..",
        "/",
        "x" * 300,
        -1,
        1 << 70,
        0.5,
        True,
        [],
        [[]],
        {},
        {"a": 1},
    ]
    value = data.draw(st.sampled_from(others))
    inner = table
    for key in path[:-1]:
        inner = inner[key]
    if value is None:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    made_by = table.pop("made_by", None)
    head = "" if made_by is None else f"made_by = {json.dumps(made_by)}\n"
    file = place / "out" / "hostile.toml"
    file.write_text(head + toml(table), encoding="utf-8")
    with suppress(cg.InputError):
        cg.score(file)


def test_outcomes_have_the_pairs_own_id_and_its_sentences(place: Path) -> None:
    (row, *_) = cg.score(place / "pairs.jsonl", place / "ngram").outcomes.iter_rows(named=True)
    assert (row["pair_id"], row["construction"], row["suite"]) == ("70", "singular", "pairs")
    assert row["right"] == "the key near the cats is old ."
    assert row["wrong_bits"] - row["right_bits"] == pytest.approx(row["margin_bits"])
    pairs = [(row["right"], row["wrong"])]
    (scored,) = cg.score_pairs(pairs, place / "ngram").iter_rows(named=True)
    assert (row["right_bits"], row["wrong_bits"]) == (scored["right_bits"], scored["wrong_bits"])
