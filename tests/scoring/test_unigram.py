"""Unigram and uniform models: what they say, what they refuse, and the contract."""

import math
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from colorless_green import load_model
from colorless_green.data.files import write_manifest
from colorless_green.scoring import Line, Query, Scorer, TrainingText, read_model, train_one
from tests.builders import mistake
from tests.scoring.contract import CLAIMS, Case, Claim, claim_name
from tests.scoring.ngram_oracle import arpa_table, texts, training_text

TEXT = training_text(["the cat sleeps", "the cats sleep", "cats sleep"], ["the dog sleeps"])


def trained(folder: Path, *sentences: str, kind: str = "unigram") -> Path:
    return train_one(kind, training_text(sentences), folder).path


def load(kind: str, path: Path | str, **options: Any) -> Scorer:
    return load_model(f"{kind}:{path}", **options).scorer


def bits_of(scorer: Scorer, *words: str) -> tuple[float, ...]:
    (score,) = scorer.score([Query((), (words,))])
    return score.continuations[0].bits


@pytest.mark.parametrize("kind", ["unigram", "uniform"])
@pytest.mark.parametrize("claim", CLAIMS, ids=claim_name)
def test_models_without_context_keep_the_contract(claim: Claim, kind: str, tmp_path: Path) -> None:
    texts = {
        "ours": ("the cat sleeps", "the nhà nước sleeps"),
        "theirs": ("the cat sleeps sleeps", "a dog too"),
    }
    if kind == "unigram":
        ours, theirs = (trained(tmp_path / name, *lines) for name, lines in texts.items())
    else:
        ours, theirs = (tmp_path / name for name in texts)
        for name, lines in texts.items():
            (tmp_path / name).write_text("\n".join(" ".join(lines).split(" ")), "utf-8")
    claim(
        Case(
            load=partial(load, kind, ours),
            other=partial(load, kind, theirs),
            queries=(
                Query((), (("the",), ("cat", "sleeps"), ())),
                Query(("the", "cat"), (("sleeps",), ("dog", "the"))),
                Query(("the", "dog"), (("sleeps",),)),
            ),
            following=tuple((w,) for w in ("the", "cat", "sleeps", "nhà", "nước", "<unk>")),
            unknown=("dog",),
        )
    )


def test_a_word_is_as_likely_as_its_share_of_the_text_and_one_more_word(tmp_path: Path) -> None:
    model = load("unigram", trained(tmp_path / "m", "a a a b", "b c c"))
    assert bits_of(model, "a", "c", "z") == (math.log2(8 / 3), 2, 3)  # 3/8, 2/8, 1/8


@given(texts)
def test_counts_keep_their_ratios_and_sum_to_one(
    tmp_path_factory: pytest.TempPathFactory, text: list[tuple[str, ...]]
) -> None:
    counts = Counter(word for words in text for word in words)
    lines = tuple(Line(words, " ".join(words)) for words in text)
    folder = train_one("unigram", TrainingText(lines, ()), tmp_path_factory.mktemp("m")).path
    model = load("unigram", folder)
    p = {word: 2 ** -bits_of(model, word)[0] for word in [*counts, "unknown"]}
    assert sum(p.values()) == pytest.approx(1, abs=1e-12)
    for word, n in counts.items():
        assert p[word] / p["unknown"] == pytest.approx(n)


def test_equal_counts_tie_exactly(tmp_path: Path) -> None:
    model = load("unigram", trained(tmp_path / "m", "is are is are x"))
    assert len(set(bits_of(model, "is", "are"))) == 1


def test_counts_are_written_by_falling_count_then_by_word(tmp_path: Path) -> None:
    trained(tmp_path / "m", "b a c c", "nhà\u00a0nước")
    assert (tmp_path / "m" / "counts.tsv").read_text(encoding="utf-8") == (
        "word\tcount\nc\t2\na\t1\nb\t1\nnhà\u00a0nước\t1\n"
    )


def test_training_tells_what_a_reader_should_know(tmp_path: Path) -> None:
    folder = train_one("unigram", TEXT, tmp_path / "m")
    assert read_model(tmp_path / "m", "unigram").card == folder.card
    assert folder.card == {
        "kind": "unigram",
        "language": "",
        "treebank": "",
        "vocabulary_size": 5,
        "n_sentences": 3,
        "n_words": 8,
        "held_out_sentences": 1,
        "held_out_words": 3,
        "held_out_oov": 1,
        "held_out_perplexity": pytest.approx((9 / 2 * 9 / 1) ** 0.5),  # the, sleeps
        "warnings": [],
    }


def test_unigram_ngram_and_uniform_models_of_one_text_know_the_same_words(tmp_path: Path) -> None:
    lines = ("the cat sleeps", "the nhà\u00a0nước sleeps")
    counted = trained(tmp_path / "unigram", *lines)
    modelled = trained(tmp_path / "ngram", *lines, kind="ngram")
    rows = (counted / "counts.tsv").read_text("utf-8").splitlines()[1:]
    words = [row.split("\t")[0] for row in rows]
    listed = {gram[0] for gram in arpa_table(modelled / "model.arpa") if len(gram) == 1}
    assert listed - {*words} == {"<unk>", "<s>", "</s>"}
    (tmp_path / "words.txt").write_text("\n".join([*words, "<unk>"]), "utf-8")
    floor = load("uniform", tmp_path / "words.txt")
    n = len(words) + 1  # and the unknown one
    assert bits_of(floor, "the", "nhà\u00a0nước", "dog") == (math.log2(n),) * 3


@pytest.mark.parametrize(
    ("kind", "place", "wrong"),
    [("unigram", "no", "missing"), ("unigram", "counts.tsv", "format"), ("uniform", "", "missing")],
)
def test_a_model_that_is_not_there_is_refused(
    kind: str, place: str, wrong: Any, tmp_path: Path
) -> None:
    (tmp_path / "counts.tsv").write_text("word\tcount\na\t1\n")
    spec = str(tmp_path / place) if place else ""
    with mistake(wrong, spec or f"--model {kind}"):
        load(kind, spec)


def test_a_bad_count_is_refused(tmp_path: Path) -> None:
    folder = trained(tmp_path / "m", "a b")
    (folder / "counts.tsv").write_text("word\tcount\na\t0\n")
    write_manifest(folder, ["counts.tsv", "model.json", "seen.u64"], {})
    with mistake("format", folder / "counts.tsv"):
        load("unigram", folder)


def test_it_stays_on_the_cpu_whatever_the_device_of_other_models(tmp_path: Path) -> None:
    folder = trained(tmp_path / "m", "a b")
    assert "device:cpu" in load("unigram", folder, device="cuda:0").signature
    with mistake("value", "dtype"):
        load("unigram", folder, dtype="bfloat16")


def test_text_with_a_word_that_models_keep_for_themselves_is_refused(tmp_path: Path) -> None:
    with mistake("format", "training text"):
        trained(tmp_path / "m", "the </s> cat")
    assert not (tmp_path / "m").exists()
