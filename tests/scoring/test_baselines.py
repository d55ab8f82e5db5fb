"""`score` with the audit's baselines beside models, each first token, and what is a toy."""

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import colorless_green as cg
from colorless_green.data import Target, sample, table_of, unpacked_table
from colorless_green.nonce import BASELINES
from colorless_green.scoring import Questions
from tests.builders import mistake
from tests.scoring.tiny_models import causal_folder, gpt2


@pytest.fixture(scope="module")
def suite() -> cg.Suite:
    return cg.mine(str(sample.treebank("en"))).originals


@pytest.fixture
def words() -> str:
    """Return a model that knows a word or two."""
    return f"uniform:{Path(__file__)}"


@pytest.fixture(scope="module")
def scores(suite: cg.Suite, tmp_path_factory: pytest.TempPathFactory) -> cg.Scores:
    """Return a model that lacks one form, and one that knows every word."""
    place = tmp_path_factory.mktemp("baselines")
    facts = [item.agreement for item in suite.items if item.agreement is not None]
    words = {word for each in facts for word in (*each.tokens, each.wrong)}
    (place / "all.txt").write_text("\n".join(sorted(words)), encoding="utf-8")
    (place / "most.txt").write_text("\n".join(sorted(words - {facts[0].right})), encoding="utf-8")
    return cg.score(
        suite, [f"uniform:{place / name}.txt" for name in ("most", "all")], baselines=True
    )


def whole(scores: cg.Scores) -> pl.DataFrame:
    return scores.accuracy(by="kind")


def test_baselines_stand_on_the_items_that_every_model_could_answer(
    suite: cg.Suite, scores: cg.Scores
) -> None:
    rows = whole(scores)
    models = rows.filter(pl.col("method") != "baseline")
    (common,) = set(models["n_common"])
    assert 0 < common < models["n_items"].max() == len(suite.items)
    assert rows.filter(model="majority_value")["n_items"].item() == common
    credited = scores.outcomes.filter(pl.col("credit").is_not_null())
    answered = set.intersection(
        *(set(own["item_id"]) for _, own in credited.group_by("run"))
    )  # fmt: skip
    assert len(answered) == common


def test_baselines_are_those_of_the_audit(suite: cg.Suite) -> None:
    alone = cg.score(
        suite, f"uniform:{Path(__file__)}", method=cg.Method(oov="keep"), baselines=True
    )
    audited = cg.audit(suite).to_frame().filter(
        pl.all_horizontal(pl.col("kind", "relation").is_null()), pl.col("baseline") != "hard"
    )  # fmt: skip
    told = {name: round(value, 9) for name, value in audited.select("baseline", "accuracy").rows()}
    rows = whole(alone).filter(method="baseline").select("model", "accuracy").rows()
    assert {name: round(value, 9) for name, value in rows} == told


@pytest.mark.slow
def test_baselines_asked_again_are_the_same_and_others_of_a_part(
    tmp_path: Path, words: str
) -> None:
    originals = cg.mine(str(sample.treebank("en")), store=tmp_path / "store.db").originals
    tables = [
        whole(
            cg.score(
                asked,
                words,
                method=cg.Method(oov="keep"),
                baselines=True,
                store=tmp_path / "store.db",
            )
        ).filter(method="baseline")
        for asked in (originals, originals, replace(originals, items=originals.items[:60]))
    ]
    assert tables[0].equals(tables[1])
    assert not tables[0].equals(tables[2])


def test_what_finds_the_cue_by_construction_is_named_so(scores: cg.Scores) -> None:
    rows = whole(scores).filter(method="baseline")
    named = set(rows.filter(policy="finds the cue")["model"])
    assert named == {name for name, each in BASELINES.items() if each.finds_cue}
    assert set(rows.filter(~pl.col("model").is_in(named))["policy"]) == {""}


def test_a_model_alone_has_no_baselines_beside_it_unless_they_are_asked_for(
    suite: cg.Suite, scores: cg.Scores
) -> None:
    alone = cg.score(suite, f"uniform:{Path(__file__)}", method=cg.Method(oov="keep"))
    assert "baseline" not in set(alone.table["method"])
    assert "baseline" in set(scores.table["method"])


def test_each_first_token_is_a_row_of_its_own_with_its_policy(
    suite: cg.Suite, tmp_path: Path
) -> None:
    """The choices are those of the model's files, and each has the numbers it has alone."""
    folder = causal_folder(tmp_path / "m", gpt2())
    found = cg.score(suite, f"causal:{folder}", method=cg.Method(bos="each"), limit=9)
    policies = found.table["policy"].unique(maintain_order=True).to_list()
    assert len(policies) > 1
    assert "bos=none" in policies
    for run in found.runs:
        token = run.policy.removeprefix("bos=")
        alone = cg.score(suite, f"causal:{folder}", method=cg.Method(bos=token), limit=9)
        assert alone.runs[0].outcomes.equals(run.outcomes)


def test_a_choice_that_cannot_be_asked_is_told_and_the_others_are(tmp_path: Path) -> None:
    """Nothing stands before the first word of a whole sentence."""
    (tmp_path / "pairs.csv").write_text("good,bad\nthe keys are,the keys is\n", encoding="utf-8")
    folder = causal_folder(tmp_path / "m", gpt2())
    found = cg.score(tmp_path / "pairs.csv", f"causal:{folder}", method=cg.Method(bos="each"))
    assert "bos=none" not in set(found.table["policy"])
    assert any("bos=none" in each for each in found.messages)
    with mistake("unsupported", "query 'the keys are'"):
        cg.score(tmp_path / "pairs.csv", f"causal:{folder}", method=cg.Method(bos="none"))


def test_a_toy_is_called_one_in_every_row(suite: cg.Suite, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("".join(f"the key {n} is old .\n" for n in range(60)), encoding="utf-8")
    cg.train("ngram", text, out=tmp_path / "m")
    model = cg.load_model(tmp_path / "m")
    assert model.folder is not None
    about = {**model.folder.card, "toy": True, "unigram_perplexity": 2.0}
    toy = replace(model, folder=replace(model.folder, card=about))
    found = cg.score(suite, toy, method=cg.Method(oov="keep"))
    assert all(each.startswith("toy") for each in found.table["policy"])
    assert any("toy" in each for each in found.messages)


@pytest.mark.slow
def test_baselines_are_shown_beside_what_the_method_asks(suite: cg.Suite, words: str) -> None:
    """Their prediction is the one that is shown of the models, whatever the method calls it."""
    for method in (
        cg.Method(extends="one-prefix", oov="keep"),
        cg.Method(oov="keep", predictions="all"),
    ):
        found = cg.score(suite, words, method=method, baselines=True)
        shown = found.rows[: len(found.rows) - found.n_hidden]
        of_models = {row["prediction"] for row in shown if row["method"] != "baseline"}
        assert {row["prediction"] for row in shown if row["method"] == "baseline"} == of_models


def test_no_row_is_lost_between_what_is_shown_and_what_is_hidden(scores: cg.Scores) -> None:
    assert scores.to_frame().height == scores.table.height


def test_a_suite_without_predictions_has_no_baselines(suite: cg.Suite, words: str) -> None:
    bare = replace(suite, predictions=())
    assert cg.score(bare, words, method=cg.Method(oov="keep"), baselines=True).table.height == 0


def test_regions_are_remembered_though_nothing_is_asked_of_the_first_item(
    words: str, tmp_path: Path
) -> None:
    lines = ["good,bad", "The cat,The cat slept here", "the keys are,the keys is"]
    (tmp_path / "pairs.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    store = tmp_path / "s.db"
    found = cg.score(
        tmp_path / "pairs.csv",
        words,
        method=cg.Method(extends="one-prefix", oov="keep"),
        store=store,
    )
    assert found.outcomes["note"].to_list()[0] == "no_pair"
    assert cg.compare(found).regions.height > 0


def test_items_with_other_targets_are_another_suite(suite: cg.Suite) -> None:
    others = ((), (Target("is", "are", "be"),), (Target("was", "were", "be"),))
    made = [tuple(replace(item, targets=some) for item in suite.items) for some in others]
    assert len({table_of(items).digest for items in made}) == len(others)
    assert all(
        unpacked_table(table_of(each).packed()).digest == table_of(each).digest for each in made
    )


def test_a_sign_between_parts_that_a_text_has_itself_makes_no_two_questions_one() -> None:
    both = Questions(["a\x1eb", "a", "a"], ["c", "b\x1ec", "b"])
    assert len(set(both.keys("text"))) == 3


def test_models_without_the_first_token_are_left_out_and_the_others_scored(
    suite: cg.Suite, tmp_path: Path
) -> None:
    has, lacks = (f"causal:{causal_folder(tmp_path / name, gpt2())}" for name in ("has", "lacks"))
    config = tmp_path / "lacks" / "tokenizer.json"
    config.write_text(config.read_text(encoding="utf-8").replace("<|endoftext|>", "<|end|>"))
    settings = tmp_path / "lacks" / "tokenizer_config.json"
    settings.write_text(settings.read_text(encoding="utf-8").replace("<|endoftext|>", "<|end|>"))
    found = cg.score(suite, [lacks, has], method=cg.Method(bos="<|endoftext|>"), limit=9)
    assert len(found.runs) == 1
    assert any(each.startswith(f"{lacks}: left out") for each in found.messages)
    with mistake("unknown", "bos"):
        cg.score(suite, [lacks], method=cg.Method(bos="<|endoftext|>"), limit=9)
    with mistake("unknown", "bos"):
        cg.score(suite, [lacks, lacks], method=cg.Method(bos="<|endoftext|>"), limit=9)
