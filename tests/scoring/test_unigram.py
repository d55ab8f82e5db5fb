"""Unigram and uniform models: what they say, what they refuse, and the contract."""

import math
from collections import Counter
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given

from colorless_green.data.errors import InputError
from colorless_green.data.files import write_manifest
from colorless_green.scoring import LoadOptions, Query, Scorer, read_model
from colorless_green.scoring.arpa import read
from colorless_green.scoring.backends import ngram, uniform, unigram
from colorless_green.scoring.training import ngram as ngram_training
from colorless_green.scoring.training import unigram as unigram_training
from colorless_green.scoring.training.folder import finish_model
from tests.scoring.contract import CLAIMS, Case, Claim, claim_name
from tests.scoring.ngram_oracle import texts, training_text

OPTIONS = LoadOptions()
TEXT = training_text(["the cat sleeps", "the cats sleep", "cats sleep"], ["the dog sleeps"])


def trained(folder: Path, *sentences: str) -> Path:
    return unigram_training.train(training_text(sentences), folder).path


def bits_of(scorer: Scorer, *words: str) -> tuple[float, ...]:
    (score,) = scorer.score([Query((), (words,))])
    return score.continuations[0].bits


@pytest.fixture(params=["unigram", "uniform"])
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Case:
    load = {"unigram": unigram.load, "uniform": uniform.load}[request.param]
    ours = trained(tmp_path / "ours", "the cat sleeps", "the nhà nước sleeps")
    theirs = trained(tmp_path / "theirs", "the cat sleeps sleeps", "a dog too")
    words = ("the", "cat", "sleeps", "nhà", "nước", "<unk>")
    return Case(
        load=partial(load, str(ours), OPTIONS),
        other=partial(load, str(theirs), OPTIONS),
        queries=(
            Query((), (("the",), ("cat", "sleeps"), ())),
            Query(("the", "cat"), (("sleeps",), ("dog", "the"))),
            Query(("the", "dog"), (("sleeps",),)),
        ),
        following=tuple((word,) for word in words),
        unknown=("dog",),
    )


@pytest.mark.parametrize("claim", CLAIMS, ids=claim_name)
def test_models_without_context_keep_the_contract(claim: Claim, case: Case) -> None:
    claim(case)


def test_a_word_is_as_likely_as_its_share_of_the_text_and_one_more_word(tmp_path: Path) -> None:
    model = unigram.load(str(trained(tmp_path / "m", "a a a b", "b c c")), OPTIONS)
    assert bits_of(model, "a", "c", "z") == (math.log2(8 / 3), 2, 3)  # 3/8, 2/8, 1/8


@given(texts)
def test_counts_keep_their_ratios_and_sum_to_one(text: list[tuple[str, ...]]) -> None:
    counts = Counter(word for words in text for word in words)
    model = unigram.from_counts(counts, "test")
    p = {word: 2 ** -bits_of(model, word)[0] for word in [*counts, "unknown"]}
    assert sum(p.values()) == pytest.approx(1, abs=1e-12)
    for word, n in counts.items():
        assert p[word] / p["unknown"] == pytest.approx(n)


def test_equal_counts_tie_exactly(tmp_path: Path) -> None:
    model = unigram.load(str(trained(tmp_path / "m", "is are is are x")), OPTIONS)
    assert len(set(bits_of(model, "is", "are"))) == 1


def test_counts_are_written_by_falling_count_then_by_word(tmp_path: Path) -> None:
    trained(tmp_path / "m", "b a c c", "nhà\u00a0nước")
    assert (tmp_path / "m" / "counts.tsv").read_text(encoding="utf-8") == (
        "word\tcount\nc\t2\na\t1\nb\t1\nnhà\u00a0nước\t1\n"
    )


def test_the_same_text_gives_the_same_bytes(tmp_path: Path) -> None:
    folders = [unigram_training.train(TEXT, tmp_path / name, seed=n) for n, name in enumerate("ab")]
    assert folders[0].digest() == folders[1].digest()


def test_training_tells_what_a_reader_should_know(tmp_path: Path) -> None:
    folder = unigram_training.train(TEXT, tmp_path / "m")
    assert read_model(tmp_path / "m", "unigram").about == folder.about
    assert folder.about == {
        "kind": "unigram",
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
    text = training_text(["the cat sleeps", "the nhà\u00a0nước sleeps"])
    counted = unigram_training.train(text, tmp_path / "unigram").path
    modelled = ngram_training.train(text, tmp_path / "ngram").path
    known = unigram.read_counts(counted / unigram.COUNTS)
    listed = {entry.words[0] for entry in read(modelled / ngram.ARPA) if len(entry.words) == 1}
    assert listed - set(known) == {"<unk>", "<s>", "</s>"}
    floors = [uniform.load(str(path), OPTIONS) for path in (counted, modelled)]
    assert floors[0].signature == floors[1].signature
    assert floors[0].bits == floors[1].bits


def test_uniform_reads_a_vocabulary_or_an_arpa_file(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("the\ncat\nsleeps\n<unk>\n")
    model = uniform.load(str(tmp_path / "words.txt"), OPTIONS)
    assert bits_of(model, "the", "dog") == (2, 2)  # three words and the unknown one
    folder = ngram_training.train(training_text(["the cat sleeps"]), tmp_path / "m").path
    assert uniform.load(str(folder / ngram.ARPA), OPTIONS).bits == model.bits


def test_uniform_reads_the_words_of_a_recurrent_model(tmp_path: Path) -> None:
    (tmp_path / "vocabulary.txt").write_text("<unk>\n<eos>\nthe\nnhà\u00a0nước\n", "utf-8")
    finish_model(tmp_path, "recurrent", {}, ["vocabulary.txt"], [])
    assert set(uniform.load(str(tmp_path), OPTIONS).bits) == {"the", "nhà\u00a0nước"}


def test_a_folder_whose_kind_has_no_word_list_is_refused(tmp_path: Path) -> None:
    finish_model(tmp_path / "m", "causal", {}, [], [])
    with pytest.raises(InputError) as caught:
        uniform.load(str(tmp_path / "m"), OPTIONS)
    assert str(caught.value) == (
        f"{tmp_path / 'm'}: a model of kind 'causal'; "
        "uniform:FILE with one word a line, or uniform:DIR with a model of whole words"
    )


def test_a_model_that_is_not_there_is_refused(tmp_path: Path) -> None:
    messages = []
    for load, spec in ((unigram.load, str(tmp_path / "no")), (uniform.load, "")):
        with pytest.raises(InputError) as caught:
            load(spec, OPTIONS)
        messages.append(str(caught.value))
    assert messages == [
        f"{tmp_path / 'no'}: there is no such file or folder; "
        "a folder made by colorless train unigram",
        "--model uniform: no path after the name; "
        "uniform:FILE with one word a line, or uniform:DIR with a model of whole words",
    ]


def test_a_file_is_no_unigram_folder(tmp_path: Path) -> None:
    (tmp_path / "counts.tsv").write_text("word\tcount\na\t1\n")
    with pytest.raises(InputError) as caught:
        unigram.load(str(tmp_path / "counts.tsv"), OPTIONS)
    assert str(caught.value) == (
        f"{tmp_path / 'counts.tsv'}: this is a file; a folder made by colorless train unigram"
    )


def test_a_bad_count_is_refused(tmp_path: Path) -> None:
    folder = trained(tmp_path / "m", "a b")
    (folder / "counts.tsv").write_text("word\tcount\na\t0\n")
    write_manifest(folder, ["counts.tsv", "model.json", "seen.u64"], {})
    with pytest.raises(InputError) as caught:
        unigram.load(str(folder), OPTIONS)
    assert str(caught.value) == (
        f"{folder / 'counts.tsv'}: 'a' has the count '0'; whole numbers from 1"
    )


def test_it_stays_on_the_cpu_whatever_the_device_of_other_models(tmp_path: Path) -> None:
    folder = str(trained(tmp_path / "m", "a b"))
    model = unigram.load(folder, LoadOptions(device="cuda:0"))
    assert "device:cpu" in model.signature.split("|")


def test_another_number_type_is_refused(tmp_path: Path) -> None:
    folder = str(trained(tmp_path / "m", "a b"))
    with pytest.raises(InputError) as caught:
        unigram.load(folder, LoadOptions(dtype="bfloat16"))
    assert str(caught.value) == (
        "--dtype: 'bfloat16' for a unigram model, which has no choice of it; float32"
    )


def test_text_with_a_word_that_models_keep_for_themselves_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        trained(tmp_path / "m", "the </s> cat")
    assert str(caught.value) == (
        "training text: it has the word '</s>'; "
        "text without <unk>, <s>, </s>, which models keep for themselves"
    )
    assert not (tmp_path / "m").exists()
