"""Results that other programs computed: recognised, joined by text, kept and compared as any."""

import csv
import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import colorless_green as cg
from colorless_green.data.errors import ErrorKind, InputError

PAIRS = [
    ("the keys are old .", "the keys is old ."),
    ("the key is old .", "the key are old ."),
    ("a dog  barks .", "a dog bark ."),
    ("dogs bark .", "dogs barks ."),
]
BITS = [(30.25, 33.5), (28.0, 27.0), (21.5, 22.75), (19.0, 19.0)]  # right, wrong
MARGINS = [3.25, -1.0, 1.25, 0.0]
CREDITS = [1.0, 0.0, 1.0, 0.5]


def suite(folder: Path) -> Path:
    path = folder / "pairs.csv"
    path.write_text("good,bad\n" + "".join(f"{a},{b}\n" for a, b in PAIRS), encoding="utf-8")
    return path


def sample(n: int, *, blank: str = " ", gold: int = 0) -> dict[str, Any]:
    """Return what the harness logs of an item: natural logarithms, the right choice first or
    second."""
    texts, bits = PAIRS[n], BITS[n]
    order = (0, 1) if gold == 0 else (1, 0)
    return {
        "doc_id": n,
        "doc": {"sentence_good": texts[0], "sentence_bad": texts[1]},
        "target": str(gold),
        "arguments": {
            f"gen_args_{place}": {"arg_0": "", "arg_1": f"{blank}{texts[side]}"}
            for place, side in enumerate(order)
        },
        "filtered_resps": [[str(-bits[side] * math.log(2)), "False"] for side in order],
    }


def jsonl(path: Path, rows: Sequence[Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def harness(folder: Path) -> Path:
    own = folder / "some__model"
    own.mkdir()
    (own / "results_2026-01-01.json").write_text('{"model_name": "some/model"}', "utf-8")
    rows = [sample(n, gold=n % 2) for n in range(len(PAIRS))]
    return jsonl(own / "samples_blimp_2026-01-01.jsonl", rows)


def table(header: str, per_bit: float) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        path = folder / "scores.csv"
        rows = [f'"{t}",{-b * per_bit}' for pair, both in zip(PAIRS, BITS, strict=True)
                for t, b in zip(pair, both, strict=True)]  # fmt: skip
        path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
        return path

    return write


WRITERS: dict[str, Callable[[Path], Path]] = {
    "harness": harness,
    "nats": table("sentence,score_nats", math.log(2)),
    "log10": table("text,logprob_log10", math.log10(2)),
    "bits": table("sentence,surprisal_bits", -1.0),
}


@pytest.mark.parametrize("kind", WRITERS)
def test_what_another_program_computed_is_a_run_like_any(kind: str, tmp_path: Path) -> None:
    pairs, file, store = suite(tmp_path), WRITERS[kind](tmp_path), tmp_path / "s.db"
    scores = cg.score(pairs, from_=file, store=store, baselines=True)
    assert scores.outcomes["margin_bits"].to_list() == pytest.approx(MARGINS, abs=1e-6)
    assert scores.outcomes["credit"].to_list() == CREDITS
    assert scores.outcomes["method"].unique().to_list() == ["sentence"]
    name = "some/model" if kind == "harness" else "scores"
    assert scores.outcomes["model"].unique().to_list() == [name]
    (row,) = cg.compare(store=store).rows[:1]
    assert (row["rater"], row["accuracy"]) == (name, sum(CREDITS) / len(CREDITS))
    again = cg.score(pairs, from_=file, store=store)
    assert again.run_ids == scores.run_ids
    assert any("as computed by" in message for message in again.messages)


def test_the_model_of_a_file_can_be_named(tmp_path: Path) -> None:
    scores = cg.score(suite(tmp_path), "gpt-5", from_=harness(tmp_path))
    assert scores.outcomes["model"].unique().to_list() == ["gpt-5"]


def test_what_is_preferred_has_no_margin(tmp_path: Path) -> None:
    """As BabyLM's pipeline writes it."""
    said = [{"id": f"keys_{n}", "pred": f" {PAIRS[n][n % 2]}"} for n in range(3)]
    path = tmp_path / "predictions.json"
    path.write_text(json.dumps({"blimp": {"keys": {"predictions": said}}}), encoding="utf-8")
    scores = cg.score(suite(tmp_path), from_=path)
    assert scores.outcomes["credit"].to_list() == [1.0, 0.0, 1.0]
    assert scores.outcomes["margin_bits"].null_count() == 3
    assert any("1 of 4 items" in message for message in scores.messages)


def test_our_own_outcomes_come_back(tmp_path: Path) -> None:
    pairs, file = suite(tmp_path), harness(tmp_path)
    cg.score(pairs, from_=file, out=tmp_path / "out")
    scores = cg.score(pairs, from_=tmp_path / "out" / "outcomes.tsv")
    assert scores.outcomes["credit"].to_list() == CREDITS


def test_outcomes_of_several_methods_come_back_as_several_runs(tmp_path: Path) -> None:
    pairs = suite(tmp_path)
    cg.score(pairs, from_=harness(tmp_path), out=tmp_path / "out")
    first = (tmp_path / "out" / "outcomes.tsv").read_text("utf-8")
    header, *lines = first.splitlines()
    credit, method = (header.split("\t").index(name) for name in ("credit", "method"))

    def as_other_method(line: str) -> str:
        cells = line.split("\t")
        cells[method], cells[credit] = "sentence slor", str(1 - float(cells[credit]))
        return "\t".join(cells)

    both = tmp_path / "both.tsv"
    both.write_text("\n".join([first.rstrip("\n"), *map(as_other_method, lines)]) + "\n", "utf-8")
    outcomes = cg.score(pairs, from_=both).outcomes
    credits = {
        method: rows["credit"].to_list()
        for (method,), rows in outcomes.group_by("method", maintain_order=True)
    }
    assert list(credits)[1:] == ["sentence slor"]
    assert sorted(credits.values()) == sorted([CREDITS, [1 - credit for credit in CREDITS]])


QUOTED = [('"Come!" he said .', '"Come!" he say .'), ('"Come, he said .', '"Come, he say .')]


@pytest.mark.parametrize("name", ["outcomes.tsv", "outcomes.csv"])
def test_sentences_that_begin_with_a_quotation_mark_come_back(name: str, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.jsonl"
    jsonl(pairs, [{"sentence_good": a, "sentence_bad": b} for a, b in QUOTED])
    rows = [(text, -2.0 - n) for n, text in enumerate(text for pair in QUOTED for text in pair)]
    results = tmp_path / "scores.csv"
    with results.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([("sentence", "score_nats"), *rows])
    first = cg.score(pairs, from_=results)
    first.outcomes.write_csv(tmp_path / "outcomes.csv")
    cg.score(pairs, from_=results, out=tmp_path / "out")
    folder = tmp_path if name.endswith("csv") else tmp_path / "out"
    again = cg.score(pairs, from_=folder / name).outcomes
    assert first.outcomes["credit"].to_list() == [1.0, 1.0]
    for column in ("credit", "margin_bits"):
        assert again[column].to_list() == pytest.approx(first.outcomes[column].to_list())


def test_a_run_of_results_from_elsewhere_cannot_be_made_again(tmp_path: Path) -> None:
    cg.score(suite(tmp_path), from_=harness(tmp_path), out=tmp_path / "out")
    with pytest.raises(InputError) as caught:
        cg.score(tmp_path / "out" / "run.toml")
    assert caught.value.kind == "missing"


def test_a_table_with_quotes_that_are_open_is_refused(tmp_path: Path) -> None:
    text = 'sentence\tscore_nats\n"the keys are old .\t-3\nthe keys is old .\t-4\n'
    path = scored("s.tsv", text)(tmp_path)
    with pytest.raises(InputError) as caught:
        cg.score(suite(tmp_path), from_=path)
    assert (caught.value.kind, caught.value.location) == ("format", f"{path}:2")


def test_a_folder_of_the_harness_is_one_run_of_one_model(tmp_path: Path) -> None:
    """Of its tasks, a file each; of a task that was run twice, the newer one."""
    pairs, store, folder = suite(tmp_path), tmp_path / "s.db", tmp_path / "some__model"
    harness(tmp_path).unlink()
    for n, task in enumerate(("keys", "dogs")):
        rows = [sample(2 * n + k) for k in (0, 1)]
        jsonl(folder / f"samples_{task}_2026-01-01.jsonl", rows)
    older = sample(0)
    older["filtered_resps"] = [["-9", "False"], ["-1", "False"]]
    jsonl(folder / "samples_keys_2025-01-01.jsonl", [older])
    scores = cg.score(pairs, from_=folder, store=store)
    assert scores.outcomes["credit"].to_list() == CREDITS
    assert scores.outcomes["model"].unique().to_list() == ["some/model"]
    assert len(cg.score(pairs, from_=folder, store=store).run_ids) == 1
    (row,) = cg.compare(store=store).rows[:1]
    assert row["n_items"] == 4
    with pytest.raises(InputError) as caught:
        cg.score(pairs, from_=tmp_path)
    assert (caught.value.kind, caught.value.location) == ("missing", str(tmp_path))


def test_a_run_of_the_harness_is_reported_with_people(tmp_path: Path) -> None:
    """As docs/scoring.md shows it."""
    pairs, store, people = suite(tmp_path), tmp_path / "s.db", tmp_path / "people.csv"
    ratings = [f"p{n},{text},{6 - 4 * side}" for n in range(4) for pair in PAIRS
               for side, text in enumerate(pair)]  # fmt: skip
    people.write_text("\n".join(["participant,sentence,rating", *ratings]) + "\n", "utf-8")
    cg.score(pairs, from_=harness(tmp_path).parent, store=store)
    judgments = cg.read_judgments(people, suite="pairs", store=store)
    assert judgments.rows[0]["judgments"] == 4 * 2 * len(PAIRS)
    cg.report("pairs", store=store, out=tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "some/model" in page
    assert "4 people" in page


def test_what_was_not_found_is_told_in_both_directions(tmp_path: Path) -> None:
    pairs = suite(tmp_path)
    rows = [sample(n) for n in (0, 1)]
    other = sample(2)
    other["arguments"]["gen_args_0"]["arg_1"] = " quite another sentence"
    found = cg.score(pairs, from_=jsonl(tmp_path / "samples.jsonl", [*rows, other]))
    assert found.outcomes.height == 2
    told = "\n".join(found.messages)
    assert "2 of 4 items" in told
    assert "2 of 6 texts" in told


def scored(name: str, text: str) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        path = folder / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def turned(folder: Path) -> Path:
    """Return the file calls right what the suite calls wrong."""
    rows = [sample(n) for n in range(4)]
    for row in rows:
        row["target"] = "1"
    return jsonl(folder / "samples.jsonl", rows)


def truncated(folder: Path) -> Path:
    path = jsonl(folder / "samples.jsonl", [sample(0), sample(1)])
    path.write_text(path.read_text("utf-8")[:-40], encoding="utf-8")
    return path


def three(folder: Path) -> Path:
    row = sample(0)
    row["filtered_resps"].append(["-3", "False"])
    row["arguments"]["gen_args_2"] = {"arg_0": "", "arg_1": "x"}
    return jsonl(folder / "samples.jsonl", [row])


BAD: dict[str, tuple[ErrorKind, Callable[[Path], Path]]] = {
    "of another task": ("empty", scored("s.csv", "sentence,score_nats\nnobody asked,-1\n")),
    "turned": ("conflict", turned),
    "truncated": ("format", truncated),
    "three choices": ("unsupported", three),
    "no base": ("missing", scored("s.csv", "sentence,score\nthe keys are old .,-1\n")),
    "both signs": ("format", scored("s.csv", "sentence,score_nats\na,-1\nb,2\n")),
    "no number": ("format", scored("s.csv", "sentence,score_nats\na,x\n")),
    "two numbers": ("conflict", scored("s.csv", "sentence,score_nats\na,-1\na,-2\n")),
    "other columns": ("format", scored("s.csv", "a,b\n1,2\n")),
    "no results": ("format", scored("s.json", '{"a": [1, 2]}')),
    "empty": ("empty", scored("s.csv", "")),
    "a header alone": ("empty", scored("s.csv", "sentence,score_nats\n")),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_result_is_one_line_and_keeps_nothing(name: str, tmp_path: Path) -> None:
    kind, write = BAD[name]
    store = tmp_path / "s.db"
    with pytest.raises(InputError) as caught:
        cg.score(suite(tmp_path), from_=write(tmp_path), store=store)
    assert caught.value.kind == kind
    assert not [row for row in cg.status(store=store).rows if row["what"] in ("run", "model")]


def test_a_base_is_given_behind_the_file(tmp_path: Path) -> None:
    path = table("sentence,score", math.log10(2))(tmp_path)
    scores = cg.score(suite(tmp_path), from_=f"{path}?base=10")
    assert scores.outcomes["margin_bits"].to_list() == pytest.approx(MARGINS, abs=1e-6)
    with pytest.raises(InputError):
        cg.score(suite(tmp_path), from_=f"{path}?base=7")


def test_a_base_that_the_header_denies_is_refused(tmp_path: Path) -> None:
    path = table("sentence,surprisal_bits", -1.0)(tmp_path)
    cg.score(suite(tmp_path), from_=f"{path}?base=2")
    with pytest.raises(InputError) as caught:
        cg.score(suite(tmp_path), from_=f"{path}?base=e")
    assert (caught.value.kind, caught.value.location) == ("conflict", str(path))


def test_scores_of_several_models_are_told_apart(tmp_path: Path) -> None:
    rows = ["model,sentence,score_nats"]
    for model, factor in (("small", 1), ("large", 2)):
        for pair, both in zip(PAIRS, BITS, strict=True):
            rows += [f"{model},{t},{-factor * b}" for t, b in zip(pair, both, strict=True)]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    found = cg.score(suite(tmp_path), from_=path).outcomes
    small, large = (found.filter(model=name)["margin_bits"] for name in ("small", "large"))
    assert large.to_list() == pytest.approx([2 * value for value in small])
