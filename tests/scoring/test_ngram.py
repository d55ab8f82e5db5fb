"""N-gram models through KenLM: against a reader of our own, against the contract, and broken."""

import gzip
import math
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.data.files import numbered_lines
from colorless_green.scoring import LoadOptions, Query, Scorer, Surprisals
from colorless_green.scoring.arpa import read, write
from colorless_green.scoring.backends.ngram import load
from colorless_green.scoring.training.kneser_ney import estimate
from colorless_green.scoring.training.ngram import train
from colorless_green.scoring.words import entry_word
from tests.scoring.contract import CLAIMS, Case, Claim, claim_name
from tests.scoring.ngram_oracle import log10_p, table_of, texts, training_text

OPTIONS = LoadOptions()
NO_START = LoadOptions(bos="none")
TREEBANKS = Path(__file__).resolve().parents[2].parent / "shared" / "treebanks"
TEXT = ("the key to the cabinets is here", "the keys to the cabinet are here", "the keys are old")
WORDS = ("the", "key", "keys", "to", "cabinet", "cabinets", "is", "are", "here", "old")

# every kind of blank but line ends inside, letters of several scripts, marks, controls
words = st.text(st.sampled_from("aé́я中 \u00a0\u2028\u3000\t\x0b\x85\\-<"), min_size=1, max_size=4)
queries = st.lists(
    st.builds(
        Query,
        st.lists(st.sampled_from("abcdx"), max_size=8).map(tuple),
        st.lists(st.lists(st.sampled_from("abcdx"), max_size=4).map(tuple), max_size=3).map(tuple),
    ),
    max_size=8,
)


def trained(folder: Path, *sentences: str, order: int = 3) -> Path:
    return train(training_text(sentences or TEXT), folder, order=order).path


def saved(folder: Path, text: list[tuple[str, ...]], order: int, prune: tuple[int, ...]) -> Path:
    model = estimate(text, order, prune)
    write(folder / "any.arpa", model.vocabulary, model.sections)
    return folder / "any.arpa"


def answer(scorer: Scorer, prefix: str, continuation: str) -> Surprisals:
    query = Query(tuple(prefix.split()), (tuple(continuation.split()),))
    (score,) = scorer.score([query])
    return score.continuations[0]


@pytest.fixture(params=["auto", "none"])
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Case:
    options = LoadOptions(bos=request.param)
    ours = trained(tmp_path / "ours")
    theirs = trained(tmp_path / "theirs", *TEXT, "the cabinets are old")
    return Case(
        load=partial(load, str(ours), options),
        other=partial(load, str(theirs), options),
        queries=(
            Query((), (("the",), ("keys", "are", "old"), ())),
            Query(("the", "keys"), (("are",), ("is", "here", "</s>"), ("dogs", "are"))),
            Query(("the", "dogs", "near", "the", "cabinet"), (("are",), ("is",))),
            Query(("a", "b", "to", "the", "cabinet"), (("are", "old"), ("is",))),
        ),
        following=tuple((word,) for word in (*WORDS, "</s>", "<unk>")),
        unknown=("dogs", "near", "a", "b"),
        sum_error=2e-6,  # KenLM's float32
    )


@pytest.mark.parametrize("claim", CLAIMS, ids=claim_name)
def test_an_ngram_model_keeps_the_contract(claim: Claim, case: Case) -> None:
    claim(case)


@given(texts, st.integers(2, 6), st.sampled_from([(), (0, 0, 1)]), queries, st.booleans())
def test_kenlm_and_a_plain_reader_agree(
    tmp_path_factory: pytest.TempPathFactory,
    text: list[tuple[str, ...]],
    order: int,
    prune: tuple[int, ...],
    asked: list[Query],
    bos: bool,
) -> None:
    path = saved(tmp_path_factory.mktemp("ngram"), text, order, prune)
    table = table_of(read(path))
    scorer = load(str(path), OPTIONS if bos else NO_START)
    start = ("<s>",) if bos else ()
    for query, score in zip(asked, scorer.score(asked), strict=True):
        for continuation, found in zip(query.continuations, score.continuations, strict=True):
            seen = [w if (w,) in table else "<unk>" for w in (*query.prefix, *continuation)]
            first = len(query.prefix)
            expected = [
                log10_p(table, (*start, *seen[:i]), seen[i]) for i in range(first, len(seen))
            ]
            log10s = [-bits / math.log2(10) for bits in found.bits]
            assert log10s == pytest.approx(expected, abs=1e-5)
            assert found.oov == tuple(word == "<unk>" for word in seen[first:])
        assert score.prefix_oov == sum((word,) not in table for word in query.prefix)


@given(st.lists(words, min_size=1, max_size=5))
def test_a_word_of_any_characters_is_found_again(
    tmp_path_factory: pytest.TempPathFactory, sentence: list[str]
) -> None:
    path = saved(tmp_path_factory.mktemp("ngram"), [tuple(sentence)], 2, ())
    (score,) = load(str(path), OPTIONS).score([Query((), (tuple(sentence), ("other",)))])
    assert not any(score.continuations[0].oov)
    assert score.continuations[1].oov == (True,)
    names = [entry.words for entry in read(path) if len(entry.words) == 1]
    assert set(names[3:]) == {(entry_word(word),) for word in sentence}


@pytest.mark.shared
def test_words_with_blanks_of_a_vietnamese_treebank_are_known(tmp_path: Path) -> None:
    path = TREEBANKS / "UD_Vietnamese-VTB" / "vi_vtb-ud-dev.conllu.gz"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    cells = (line.split("\t") for _, line in numbered_lines(path))
    words = tuple(each[1] for each in cells if each[0].isdecimal())
    assert sum(" " in word for word in words) > 1000
    scorer = load(str(saved(tmp_path, [words], 2, ())), OPTIONS)
    (score,) = scorer.score([Query(words, (words,))])
    assert score.prefix_oov == sum(score.continuations[0].oov) == 0


def test_the_sentence_start_is_seen_or_not_as_asked(tmp_path: Path) -> None:
    folder = str(trained(tmp_path / "m"))
    always, none = load(folder, LoadOptions(bos="always")), load(folder, NO_START)
    assert answer(always, "the", "keys").bits < answer(none, "the", "keys").bits
    # out of sight of a model of order 3 after two words
    assert answer(always, "the keys", "are") == answer(none, "the keys", "are")
    assert always.signature == load(folder, OPTIONS).signature != none.signature


def test_a_known_sentence_end_may_be_asked_for_but_a_sentence_start_is_no_word(
    tmp_path: Path,
) -> None:
    scorer = load(str(trained(tmp_path / "m")), OPTIONS)
    assert answer(scorer, "the keys are old", "</s>").oov == (False,)
    assert answer(scorer, "the keys", "<s>") == answer(scorer, "the keys", "dogs")


def test_the_signature_says_what_the_numbers_depend_on(tmp_path: Path) -> None:
    from importlib.metadata import version

    from colorless_green import __version__

    folder = trained(tmp_path / "m")
    pairs = dict(pair.split(":") for pair in load(str(folder), OPTIONS).signature.split("|"))
    assert len(pairs.pop("files")) == 16
    assert pairs == {
        "model": "ngram",
        "order": "3",
        "bos": "<s>",
        "device": "cpu",
        "dtype": "float32",
        "kenlm": f"ufal.kenlm {version('ufal.kenlm')}",
        "colorless": __version__,
    }


def test_a_packed_arpa_file_gives_the_same_numbers(tmp_path: Path) -> None:
    plain = trained(tmp_path / "m") / "model.arpa"
    packed = tmp_path / "model.arpa.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    asked = [Query(("the", "keys"), (("are", "here"),))]
    ours, theirs = (list(load(str(path), OPTIONS).score(asked)) for path in (plain, packed))
    assert ours == theirs


def test_the_same_text_gives_the_same_bytes(tmp_path: Path) -> None:
    text = training_text(TEXT, ["the key is old"])
    folders = [train(text, tmp_path / name, seed=n) for n, name in enumerate("ab")]
    assert folders[0].digest() == folders[1].digest()


def test_training_tells_what_a_reader_should_know(tmp_path: Path) -> None:
    about = train(training_text(["a a b a", "b a a b"], ["a x b"]), tmp_path / "m", order=6).about
    table = table_of(read(tmp_path / "m" / "model.arpa"))
    log10s = [
        log10_p(table, ("<s>",), "a"),
        log10_p(table, ("<s>", "a", "<unk>"), "b"),
        log10_p(table, ("<s>", "a", "<unk>", "b"), "</s>"),
    ]
    fallback = (
        "the counts of counts give no discounts (usual for small or repetitive text); "
        "0.5, 1.0, 1.5 are used"
    )
    assert about == {
        "kind": "ngram",
        "vocabulary_size": 2,
        "n_sentences": 2,
        "n_words": 8,
        "order": 6,
        "prune": [],
        "n_grams": [5, 7, 7, 6, 4, 2],
        "discounts": [[0.5, 1.0, 1.5]] * 6,
        "fallback": [True] * 6,
        "held_out_sentences": 1,
        "held_out_words": 3,
        "held_out_oov": 1,
        "held_out_perplexity": pytest.approx(10 ** (-sum(log10s) / 3), rel=1e-5),
        "warnings": [f"order {n}: {fallback}" for n in range(1, 7)],
    }


def test_a_model_of_lower_order_than_asked_for_says_so(tmp_path: Path) -> None:
    about = train(training_text(["a", "b"]), tmp_path / "m", order=5).about
    assert about["order"] == 3
    assert about["warnings"][-1] == "order 3 instead of 5: there are no longer n-grams"
    assert about["held_out_perplexity"] is None


def test_a_pruned_model_is_smaller_and_loads(tmp_path: Path) -> None:
    text = training_text([*TEXT] * 2 + ["the old keys are here"])
    about = train(text, tmp_path / "m", order=4, prune=(0, 0, 1)).about
    whole = train(text, tmp_path / "whole", order=4).about
    assert about["discounts"] == whole["discounts"]
    assert about["n_grams"][:2] == whole["n_grams"][:2]
    assert about["n_grams"][2] < whole["n_grams"][2]
    assert answer(load(str(tmp_path / "m"), OPTIONS), "the keys", "are").bits[0] > 0


@pytest.mark.parametrize(
    ("order", "prune", "message"),
    [
        (1, (), "--order: 1; 2 to 6, which KenLM reads"),
        (7, (), "--order: 7; 2 to 6, which KenLM reads"),
        (
            3,
            (1, 1),
            "--prune: 1 1; up to 3 numbers, the first 0 and none smaller than the one before",
        ),
        (
            3,
            (0, 2, 1),
            "--prune: 0 2 1; up to 3 numbers, the first 0 and none smaller than the one before",
        ),
        (
            2,
            (0, 0, 0),
            "--prune: 0 0 0; up to 2 numbers, the first 0 and none smaller than the one before",
        ),
        (3, (0, 9), "--prune: no 2-gram is left; numbers below 9"),
    ],
)
def test_options_that_make_no_model_are_refused(
    tmp_path: Path, order: int, prune: tuple[int, ...], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        train(training_text(TEXT), tmp_path / "m", order=order, prune=prune)
    assert str(caught.value) == message
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            LoadOptions(dtype="float16"),
            "--dtype: 'float16' for an n-gram model, which has no choice of it; float32",
        ),
        (LoadOptions(bos="often"), "--bos: 'often'; one of auto, always, none"),
    ],
)
def test_options_that_an_ngram_model_lacks_are_refused(
    tmp_path: Path, options: LoadOptions, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        load(str(trained(tmp_path / "m")), options)
    assert str(caught.value) == message


KINDS = "a folder made by colorless train ngram, an ARPA file or a KenLM binary, of order 2 to 6"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"{}: the file ends here; \data\ in an ARPA file"),
        (b"the keys are\n", r"{}:1: 'the keys are'; \data\ in an ARPA file"),
        (b"\xff\xfe", "{}:1: byte 0xff is not UTF-8; a file saved as UTF-8"),
        (
            b"\\data\\\nngram 1=3\n\n\\1-grams:\n-1\t<unk>\n-1\t<s>\n-1\t</s>\n\n\\end\\\n",
            "{}: a model of order 1; KenLM reads orders 2 to 6",
        ),
        (
            b"\\data\\\n" + b"".join(b"ngram %d=1\n" % n for n in range(1, 8)),
            "{}: a model of order 7; KenLM reads orders 2 to 6",
        ),
        (
            b"\\data\\\nngram 1=2\nngram 2=1\n\n\\1-grams:\n-1\t<unk>\n1\ta\n",
            "{}:7: the log10 probability 1; a number that is at most 0",
        ),
        (
            b"\\data\\\nngram 1=2\nngram 2=1\n\n\\1-grams:\n"
            b"-1\t<unk>\n-1\ta\n\n\\2-grams:\n-1\ta a\n\n\\end\\\n",
            "{}: KenLM cannot read it (The ARPA file is missing <s> and the model is configured "
            "to reject these models. Run build_binary -s to disable this check. Byte: 52); "
            + KINDS,
        ),
        (
            b"mmap lm http://kheafield.com/code format version 5\n\0",
            "{}: KenLM cannot read it (This looks like a binary file but got sent to the ARPA "
            "parser. Did you compress the binary file or pass a binary file where only ARPA files "
            "are accepted? Byte: 51); " + KINDS,
        ),
    ],
    ids=["empty", "text", "bytes", "order 1", "order 7", "positive", "no start", "binary"],
)
def test_a_file_that_is_no_model_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "model.arpa"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        load(str(path), OPTIONS)
    assert str(caught.value) == message.format(path)


def test_a_cut_off_gzip_file_is_refused(tmp_path: Path) -> None:
    plain = trained(tmp_path / "m") / "model.arpa"
    packed = tmp_path / "model.arpa.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes())[:-40])
    with pytest.raises(InputError) as caught:
        load(str(packed), OPTIONS)
    assert str(caught.value) == f"{packed}: the gzip file is cut off; download it again"


def test_a_model_that_is_not_there_or_not_named_is_refused(tmp_path: Path) -> None:
    messages = []
    for spec in (str(tmp_path / "no.arpa"), ""):
        with pytest.raises(InputError) as caught:
            load(spec, OPTIONS)
        messages.append(str(caught.value))
    assert messages == [
        f"{tmp_path / 'no.arpa'}: there is no such file or folder; {KINDS}",
        f"--model ngram: no path after the name; {KINDS}",
    ]


def test_the_end_of_a_sentence_is_one_more_number_and_that_of_the_word_for_it(
    tmp_path: Path,
) -> None:
    scorer = load(str(trained(tmp_path)), OPTIONS)
    prefix, rest = ("the", "keys"), ("are", "old")
    (ended,) = scorer.score([Query(prefix, (rest, ()), ends=True)])
    (spelt,) = scorer.score([Query(prefix, ((*rest, "</s>"), ("</s>",)))])
    for one, other in zip(ended.continuations, spelt.continuations, strict=True):
        assert one.bits == other.bits
    assert ended.continuations[0].spans == ((0, 1), (1, 2), (2, 2))
    assert ended.continuations[1].spans == ((0, 0),)
