"""What a store knows of a model's answers is what the model says."""

from pathlib import Path

import pytest

import colorless_green as cg
from colorless_green.data import sample

pytestmark = pytest.mark.slow  # what they look at is dear to make

PAIRS = "good,bad\nThe keys are old.,The keys is old.\nThe key is old.,The key are old.\n"


@pytest.fixture
def pairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder to work in, with a suite of two pairs."""
    monkeypatch.chdir(tmp_path)
    Path("pairs.csv").write_text(PAIRS)
    return tmp_path


def ngram(folder: Path) -> Path:
    """Return an n-gram model of the sample."""
    text = folder / "text.conllu"
    text.write_text(sample.treebank("en").read_text("utf-8"), "utf-8")
    return cg.train("ngram", text, out=folder / "ngram", language="en").folders[0]


def test_a_model_that_is_asked_something_new_says_what_one_says_that_was_never_asked(
    pairs: Path,
) -> None:
    model = ngram(pairs)
    cg.score("pairs.csv", model, limit=1, method=cg.Method(oov="keep"), store="store.db")
    more = cg.score("pairs.csv", model, method=cg.Method(oov="keep"), store="store.db")
    fresh = cg.score("pairs.csv", model, method=cg.Method(oov="keep"), store="fresh.db")
    bits = [each.surprisals["surprisal_bits"].to_list() for each in (more, fresh)]
    assert bits[0] == bits[1]


def test_a_model_whose_file_was_changed_is_another(pairs: Path) -> None:
    arpa = pairs / "own.arpa"
    text = (ngram(pairs) / "model.arpa").read_text("utf-8")
    found = []
    for unknown in ("-2.5", "-2.5", "-3.5"):
        at = text.index("\t<unk>")
        arpa.write_text(text[: text.rindex("\n", 0, at) + 1] + unknown + text[at:], "utf-8")
        scores = cg.score(
            "pairs.csv", f"ngram:{arpa}", method=cg.Method(oov="keep"), store="store.db"
        )
        found.append(scores.surprisals["surprisal_bits"].to_list())
    assert found[0] == found[1]
    assert found[1] != found[2]


def test_other_options_are_other_numbers(pairs: Path) -> None:
    model = ngram(pairs)
    usual = cg.score("pairs.csv", model, method=cg.Method(oov="keep"), store="store.db")
    cg.score("pairs.csv", model, method=cg.Method(oov="keep"), store="store.db")
    changed = cg.score(
        "pairs.csv", model, method=cg.Method(oov="keep", bos="none"), store="store.db"
    )
    fresh = cg.score("pairs.csv", model, method=cg.Method(oov="keep", bos="none"))
    assert changed.surprisals["surprisal_bits"].equals(fresh.surprisals["surprisal_bits"])
    assert not changed.surprisals["surprisal_bits"].equals(usual.surprisals["surprisal_bits"])
