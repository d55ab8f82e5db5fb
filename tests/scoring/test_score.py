"""The functions score and score_pairs: what they take, what they return, what is asked again."""

import csv
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path

import polars as pl
import pytest

import colorless_green as cg
from colorless_green import Model
from colorless_green.data import sample, schema
from colorless_green.data.errors import ErrorKind
from colorless_green.data.store import Store
from colorless_green.scoring import Query, Score, Surprisals
from tests.builders import colorless, mistake
from tests.scoring.test_score_command import TEXT, pair, table

NOUNS = ["key", "keys", "dog", "dogs", "author", "authors"] * 2
FACTORS = ("kind", "level", "construction", "value", "n_attractors")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a suite of 12 pairs in two constructions, a unigram and a bigram model."""
    place = tmp_path_factory.mktemp("score")
    lines = [json.dumps(pair(noun, number)) for number, noun in enumerate(NOUNS)]
    (place / "pairs.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (place / "text.txt").write_text("\n".join(TEXT * 3) + "\n", encoding="utf-8")
    for kind in ("unigram", "ngram"):
        cg.train(kind, place / "text.txt", out=place / kind)
    return place


@pytest.fixture(scope="module")
def scores(folder: Path) -> cg.Scores:
    return cg.score(folder / "pairs.jsonl", [folder / "unigram", folder / "ngram"])


@dataclass(frozen=True)
class Counting:
    """A scorer that finds the shorter form more likely, and counts what it is asked."""

    asked: list[Query] = field(default_factory=list)
    signature: str = "model:counting"
    unit: str = "text"

    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        for query in queries:
            self.asked.append(query)
            sizes = [len(each) for each in query.continuations]
            yield Score(tuple(Surprisals((float(n),), ((0, n),), (False,)) for n in sizes))


def test_what_the_function_returns_is_what_the_verb_writes(
    folder: Path, scores: cg.Scores, tmp_path: Path
) -> None:
    models = ("--model", str(folder / "unigram"), "--model", str(folder / "ngram"))
    done = colorless(
        "score", str(folder / "pairs.jsonl"), *models, "--out", "out", "--as", "csv", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    for name in ("accuracy", "outcomes", "surprisals"):
        frame = scores.table if name == "accuracy" else getattr(scores, name)
        cg.Result(frame.to_dicts(), frame.columns).write(tmp_path / f"{name}.tsv")
        file = "scores" if name == "surprisals" else name
        assert table(tmp_path / f"{name}.tsv") == table(tmp_path / "out" / f"{file}.tsv")
    assert scores.to_frame().columns == list(schema.ACCURACY)
    assert sorted(map(str, scores.to_frame().rows())) == sorted(map(str, scores.table.rows()))
    assert next(csv.reader(done.stdout.splitlines())) == list(schema.ACCURACY)


def test_frames_are_there_when_the_store_was_closed(folder: Path, tmp_path: Path) -> None:
    found = cg.score(folder / "pairs.jsonl", folder / "ngram", store=tmp_path / "s.db")
    assert found.store == tmp_path / "s.db"
    assert set(found.surprisals["item_id"]) == set(found.outcomes["item_id"])
    with Store(tmp_path / "s.db") as store:
        runs = [row["run_id"] for row in store.rows("SELECT run_id FROM run")]
        suites = [row["suite_id"] for row in store.rows("SELECT suite_id FROM suite")]
    assert (list(found.run_ids), list(found.suite_ids)) == (runs, suites)


@pytest.mark.parametrize("n", range(len(FACTORS) + 1))
def test_every_marginal_is_the_mean_credit_of_its_items(
    n: int, folder: Path, scores: cg.Scores
) -> None:
    """Of those that score writes, and of those that it does not."""
    suite = cg.load_suite(folder / "pairs.jsonl")
    facts = pl.DataFrame(
        [
            {"item_id": item.item_id, "kind": item.kind, "construction": item.facts["uid"]}
            for item in suite.items
        ]
    )
    outcomes = scores.outcomes.join(facts, on="item_id").with_columns(
        pl.lit("").alias(name) for name in ("level", "value", "n_attractors")
    )
    for by in combinations(FACTORS, n):
        expected = {
            (row["run"], row["prediction"], *(row[name] for name in by)): row["credit"]
            for row in outcomes.group_by("run", "prediction", *by)
            .agg(pl.col("credit").mean())
            .iter_rows(named=True)
            if all(row[name] for name in by)
        }
        rows = scores.accuracy(by).iter_rows(named=True)
        found = {
            (row["run"], row["prediction"], *(row[name] for name in by)): row["accuracy"]
            for row in rows
        }
        assert found == pytest.approx(expected)


def test_a_marginal_that_was_written_is_computed_alike(scores: cg.Scores) -> None:
    written = scores.accuracy(["construction", "kind"])
    computed = replace(scores, table=scores.table.clear()).accuracy("level")
    assert computed.is_empty()
    assert written.filter(pl.col("construction").is_null()).is_empty()
    with mistake("unknown", "by"):
        scores.accuracy("gap")


def test_nothing_is_asked_twice(folder: Path, tmp_path: Path) -> None:
    scorer = Counting()
    model = Model("counting", "counting", scorer)
    path = folder / "pairs.jsonl"
    first = cg.score(path, model, store=tmp_path / "s.db")
    n = len(scorer.asked)
    again = cg.score(path, model, store=tmp_path / "s.db")
    assert n == len(scorer.asked) > 0
    assert again.to_frame().equals(first.to_frame())
    cg.score(path, model)  # kept nowhere
    assert len(scorer.asked) == 2 * n


def test_a_suite_that_is_kept_is_scored_where_it_is_kept(folder: Path, tmp_path: Path) -> None:
    suite = cg.load_suite(folder / "pairs.jsonl", store=tmp_path / "s.db")
    assert suite.kept is not None
    found = cg.score(suite, folder / "ngram")
    assert (found.store, found.suite_ids) == (tmp_path / "s.db", (suite.kept.id,))
    elsewhere = cg.score(suite, folder / "ngram", store=tmp_path / "t.db")
    assert elsewhere.store == tmp_path / "t.db"
    cut = replace(suite, items=suite.items[:3])  # another suite, whatever it remembers
    assert cg.score(cut, folder / "ngram").suite_ids != found.suite_ids


def test_a_suite_of_the_store_keeps_its_name_beside_a_file_of_the_same_name(
    folder: Path, tmp_path: Path
) -> None:
    cg.load_suite(folder / "pairs.jsonl", store=tmp_path / "s.db")
    file = tmp_path / "pairs.jsonl"
    file.write_text(json.dumps(pair("key", 0)) + "\n", encoding="utf-8")
    found = cg.score(["pairs", file], folder / "ngram", store=tmp_path / "s.db")
    assert [run.suite for run in found.runs] == ["pairs", str(file)]


def test_suites_models_and_what_was_trained_may_be_one_or_several(
    folder: Path, tmp_path: Path
) -> None:
    trained = cg.train("unigram", folder / "text.txt", out=tmp_path / "m")
    path = folder / "pairs.jsonl"
    one = cg.score(path, trained)
    several = cg.score([str(path), path], [trained, folder / "ngram", trained.folders[0]])
    assert one.accuracy()["accuracy"].to_list() == (
        several.accuracy().filter(model="m")["accuracy"].to_list()
    )
    assert set(several.accuracy()["model"]) == {"m", "ngram"}


def test_only_items_of_the_constructions_that_are_named_are_scored(folder: Path) -> None:
    path, model = folder / "pairs.jsonl", folder / "ngram"
    everything = cg.score(path, model, store=(store := folder / "c.db"))
    for patterns in ("plural", ["pl*"], ["plural", "p*"]):
        found = cg.score(path, model, construction=patterns, store=store)
        assert set(found.accuracy("construction")["construction"]) == {"plural"}
        wanted = everything.accuracy("construction").filter(construction="plural")
        assert found.accuracy()["accuracy"].to_list() == wanted["accuracy"].to_list()
        assert found.run_ids != everything.run_ids
    with mistake("unknown", "construction"):
        cg.score(path, model, construction=["plural", "dual"])


@pytest.mark.parametrize("method", ["sentence", "target", "one-prefix", "meanlp"])
def test_pairs_have_the_numbers_of_a_suite_of_them(
    method: str, folder: Path, tmp_path: Path
) -> None:
    rows = [pair(noun, n) for n, noun in enumerate(NOUNS[:6])]
    pairs = [(row["sentence_good"], row["sentence_bad"]) for row in rows]
    lines = [f"{right}\t{wrong}" for right, wrong in pairs]
    (tmp_path / "p.tsv").write_text("\n".join(["good\tbad", *lines]) + "\n", encoding="utf-8")
    found = cg.score_pairs(pairs, folder / "ngram", method=method)
    assert list(zip(found["right"], found["wrong"], strict=True)) == pairs
    scores = cg.score(tmp_path / "p.tsv", folder / "ngram", method=method)
    name = "full" if method in ("sentence", "meanlp") else "prefix"
    outcomes = scores.outcomes.filter(prediction=name)
    for column in ("credit", "margin_bits"):
        assert found[column].to_list() == outcomes[column].to_list()
    assert found["margin_bits"].to_list() == pytest.approx(
        (found["wrong_bits"] - found["right_bits"]).to_list()
    )
    if method != "meanlp":
        regions = (
            scores.surprisals if method == "sentence" else scores.surprisals.filter(region="target")
        )
        sums = regions.group_by("item_id", "condition", maintain_order=True).agg(
            pl.col("surprisal_bits").sum()
        )
        for condition in ("right", "wrong"):
            assert found[f"{condition}_bits"].to_list() == pytest.approx(
                sums.filter(condition=condition)["surprisal_bits"].to_list()
            )


def test_pairs_of_any_iterable_come_back_in_order_with_what_is_wrong_with_them(
    folder: Path,
) -> None:
    ties = cg.score_pairs(iter([("a b", "b a"), ("a b", "b a")]), f"unigram:{folder / 'unigram'}")
    assert ties["credit"].to_list() == [None, None]
    assert ties["note"].to_list() == ["oov", "oov"]
    kept = cg.score_pairs(
        [("a b", "b a")],
        folder / "unigram",
        method=cg.Method(extends="sentence", oov="keep", ties="wrong"),
    )
    assert kept["credit"].to_list() == [0.0]
    assert kept["tie"].to_list() == [True]
    assert cg.score_pairs([], folder / "unigram").is_empty()
    for wrong in [("one",), ("", "a"), ("a", "b", "c")]:
        with mistake("format", "pairs"):
            cg.score_pairs([wrong], folder / "unigram")  # type: ignore[list-item]


def in_language(folder: Path, language: str, place: Path) -> Path:
    """Return the suite of the folder, in a language."""
    suite = cg.load_suite(folder / "pairs.jsonl", language=language)
    cg.export(suite, place / f"{language}.jsonl")
    return place / f"{language}.jsonl"


def test_models_of_the_suites_language_are_taken_and_others_left_out(
    folder: Path, tmp_path: Path
) -> None:
    store = tmp_path / "s.db"
    for name, language in (("english", "en"), ("german", "de"), ("some", "")):
        text, out = folder / "text.txt", tmp_path / name
        cg.train("unigram", text, out=out, language=language, store=store)
        about = json.loads((out / "model.json").read_text(encoding="utf-8"))
        assert about["language"] == language
    found = cg.score(in_language(folder, "en-GB", tmp_path), store=store)
    assert set(found.accuracy()["model"]) == {"english", "some"}
    assert sum("german" in each for each in found.messages) == 1
    assert sum("some" in each and "english" not in each for each in found.messages) >= 1
    everything = cg.score(in_language(folder, "und", tmp_path), store=store)
    assert set(everything.accuracy()["model"]) == {"english", "german", "some"}
    (tmp_path / "some" / "manifest.json").unlink()
    with mistake("missing", "model"):
        cg.score(in_language(folder, "fi", tmp_path), store=store)


def test_a_model_of_another_language_that_is_named_is_asked_and_told_of(
    folder: Path, tmp_path: Path
) -> None:
    made = cg.train("unigram", folder / "text.txt", out=tmp_path / "german", language="de")
    assert cg.load_model(made.folders[0]).languages == ("de",)
    for language, n in (("en", 1), ("de-AT", 0), ("und", 0)):
        found = cg.score(in_language(folder, language, tmp_path), made)
        assert len(found.accuracy()) == len(cg.score(folder / "pairs.jsonl", made).accuracy())
        assert sum("german: a model of de" in each for each in found.messages) == n


def test_a_model_folder_of_before_languages_is_read(folder: Path, tmp_path: Path) -> None:
    made = cg.train("unigram", folder / "text.txt", out=tmp_path / "old", language="en")
    for name in ("model.json", "manifest.json"):
        path = tmp_path / "old" / name
        about = json.loads(path.read_text(encoding="utf-8"))
        for key in ("language", "treebank"):
            about.pop(key, None)
        if name == "manifest.json":
            about["files"]["model.json"] = hashlib.sha256(
                (tmp_path / "old" / "model.json").read_bytes()
            ).hexdigest()
        path.write_text(json.dumps(about), encoding="utf-8")
    assert cg.load_model(made.folders[0]).languages == ()
    assert len(cg.score(folder / "pairs.jsonl", made).accuracy())


def test_every_spec_is_looked_at_before_a_model_is_asked(folder: Path, tmp_path: Path) -> None:
    for typo, place in (("./typo", "./typo"), ("ngram:typo", "typo"), ("ngrm:typo", None)):
        scorer = Counting()
        kind: ErrorKind = "missing" if place else "unknown"
        with mistake(kind, place or f"--model {typo}"):
            cg.score(folder / "pairs.jsonl", [Model("counting", "counting", scorer), typo])
        assert scorer.asked == []


@pytest.mark.parametrize(
    "none", [None, [], (), iter(())], ids=["None", "list", "tuple", "iterator"]
)
def test_no_model_named_in_whatever_way_is_every_model_trained(
    none: Iterable[Path] | None, folder: Path, tmp_path: Path
) -> None:
    with mistake("missing", "model"):
        cg.score(folder / "pairs.jsonl", none, store=tmp_path / "empty.db")
    made = cg.train("unigram", folder / "text.txt", out=tmp_path / "m", store=tmp_path / "s.db")
    found = cg.score(folder / "pairs.jsonl", none, store=tmp_path / "s.db")
    assert set(found.accuracy()["model"]) == {made.folders[0].name}


def test_the_advice_where_no_model_fits_names_none_of_another_language(
    folder: Path, tmp_path: Path
) -> None:
    store = tmp_path / "s.db"
    cg.train("unigram", folder / "text.txt", out=tmp_path / "german", language="de", store=store)
    with pytest.raises(cg.InputError) as caught:
        cg.score(in_language(folder, "en", tmp_path), store=store)
    assert (caught.value.kind, caught.value.location) == ("missing", "model")
    assert "german" in caught.value.wrong
    assert "german" not in caught.value.right


def test_a_suite_without_items_is_a_mistake(folder: Path) -> None:
    suite = replace(cg.load_suite(folder / "pairs.jsonl"), items=(), name="none")
    for construction in (None, "plural"):
        with mistake("empty", "suite none"):
            cg.score(suite, folder / "ngram", construction=construction)


def test_where_no_item_counts_nothing_was_found_until_unknown_words_are_kept(
    folder: Path, scores: cg.Scores, tmp_path: Path
) -> None:
    (tmp_path / "pairs.csv").write_text("good,bad\nxx yy,xx zz\n", encoding="utf-8")
    found = cg.score(tmp_path / "pairs.csv", folder / "ngram")
    assert not found.found
    assert sum("oov=keep" in each for each in found.messages) == 1
    kept = cg.score(tmp_path / "pairs.csv", folder / "ngram", method=cg.Method(oov="keep"))
    both = cg.score([tmp_path / "pairs.csv", folder / "pairs.jsonl"], folder / "ngram")
    for each in (scores, kept, both):
        assert each.found
        assert not any("oov=keep" in message for message in each.messages)
    model = ("--model", str(folder / "ngram"))
    assert colorless("score", "pairs.csv", *model, cwd=tmp_path).returncode == 1


def test_results_can_be_compared_and_looked_for(folder: Path, scores: cg.Scores) -> None:
    other = cg.score(folder / "pairs.jsonl", folder / "unigram")
    assert scores == scores
    assert scores != other
    assert scores in [other, scores]
    assert scores not in [other]


def test_a_mining_is_found_where_it_is_kept_and_its_model_remembered_where_it_is_said(
    tmp_path: Path,
) -> None:
    treebank = str(sample.treebank("en"))
    mining = cg.mine(treebank, language="en", store=tmp_path / "mine.db")
    usual = cg.train("unigram", mining, out=tmp_path / "usual")
    other = cg.train("unigram", mining, out=tmp_path / "other", store=tmp_path / "new" / "tr.db")
    for name, trained in (("mine.db", usual), ("new/tr.db", other)):
        with Store(tmp_path / name) as store:
            rows = list(store.rows("SELECT path, treebank_id FROM trained"))
        assert [row["path"] for row in rows] == [str(trained.folders[0].resolve())]
        assert (rows[0]["treebank_id"] is None) == (name != "mine.db")
    counts = [(made.folders[0] / "counts.tsv").read_bytes() for made in (usual, other)]
    assert counts[0] == counts[1]


def test_pairs_without_a_word_in_common_are_cut_whole_and_a_mere_beginning_is_left_out(
    folder: Path, tmp_path: Path
) -> None:
    pairs = [("the key is", "old cats"), ("the key", "the key is")]
    found = cg.score_pairs(pairs, folder / "ngram", method="one-prefix")
    assert found["credit"].is_null().to_list() == [False, True]
    assert found["note"].to_list()[1] == "no_pair"
    lines = [f"{right},{wrong}" for right, wrong in pairs]
    (tmp_path / "p.csv").write_text("\n".join(["good,bad", *lines]) + "\n", encoding="utf-8")
    scores = cg.score(tmp_path / "p.csv", folder / "ngram", method="one-prefix")
    assert scores.outcomes["credit"].to_list() == found["credit"].to_list()
    whole = cg.score_pairs(pairs, folder / "ngram", method="target")
    sentences = cg.score_pairs(pairs, folder / "ngram")
    assert whole["right_bits"].to_list() == sentences["right_bits"].to_list()
