"""Text of any size: the same model to the byte as in memory, in bounded memory, whole or not."""

import gzip
import json
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.data.files import numbered_lines
from colorless_green.data.progress import silent
from colorless_green.data.seeds import choose, generator
from colorless_green.scoring import (
    LargeText,
    Line,
    LoadOptions,
    Query,
    seen_by,
    split_files,
    split_lines,
)
from colorless_green.scoring.arpa import Entry, listed, read, write
from colorless_green.scoring.backends.ngram import ARPA, load
from colorless_green.scoring.training import ngram
from colorless_green.scoring.training.counts import counted_on_disk
from colorless_green.scoring.training.folder import SEEN
from colorless_green.scoring.training.kneser_ney import estimate
from colorless_green.scoring.training.large import write_arpa
from colorless_green.scoring.training.seen import holds, write_seen
from colorless_green.scoring.training.text import HELD_OUT_MOST, fingerprints, plain_lines
from tests.builders import shared
from tests.scoring.ngram_oracle import Table, log10_p, table_of, texts, total_p, training_text

Gram = tuple[str, ...]

prunes = st.sampled_from([(), (0,), (0, 0, 1), (0, 1), (0, 1, 2), (0, 0, 0, 1), (0, 9)])
memories = st.sampled_from([1, 300, 3_000, 30_000, 1_000_000])
ragged = st.lists(st.lists(st.sampled_from("abcde"), max_size=9).map(tuple), min_size=1, max_size=9)


def on_disk(
    folder: Path, text: Sequence[Gram], order: int, prune: Sequence[int] = (), memory: int = 1000
) -> Path:
    path = folder / "large.arpa"
    with counted_on_disk(iter(text), order, prune, folder, memory) as counts:
        write_arpa(counts, path)
    assert list(folder.iterdir()) == [path]
    return path


def in_memory(folder: Path, text: Sequence[Gram], order: int, prune: Sequence[int]) -> Path:
    model = estimate(text, order, prune)
    write(folder / "small.arpa", model.vocabulary, model.sections)
    return folder / "small.arpa"


@given(ragged, st.integers(1, 7), prunes, memories)
@example([()], 5, (), 1)  # nothing but one sentence end
@example([("a",)] * 40, 7, (), 1)  # many runs of the same n-gram
@example([("a", "b", "c")] * 3 + [("a", "b", "d"), ()], 4, (0, 0, 2), 1)
def test_the_file_is_that_of_the_estimator_in_memory_to_the_byte(
    tmp_path_factory: pytest.TempPathFactory,
    text: list[Gram],
    order: int,
    prune: tuple[int, ...],
    memory: int,
) -> None:
    large = on_disk(tmp_path_factory.mktemp("large"), text, order, prune, memory)
    small = in_memory(tmp_path_factory.mktemp("small"), text, order, prune)
    assert large.read_bytes() == small.read_bytes()


@pytest.mark.parametrize("n_types", [400, 3_000])
@pytest.mark.parametrize("prune", [(), (0, 0, 1)])
def test_so_is_that_of_a_text_with_discounts_of_its_own(
    tmp_path_factory: pytest.TempPathFactory, n_types: int, prune: tuple[int, ...]
) -> None:
    text = list(zipfian(400, n_types))
    assert not all(discount.fallback for discount in estimate(text, 3).discounts)
    large = on_disk(tmp_path_factory.mktemp("large"), text, 6, prune, 20_000)
    small = in_memory(tmp_path_factory.mktemp("small"), text, 6, prune)
    assert large.read_bytes() == small.read_bytes()


def zipfian(n_sentences: int, n_types: int) -> Iterator[Gram]:
    rng = generator(0, "zipfian")
    for _ in range(n_sentences):
        n_words = 1 + int(rng.random() * 30)
        yield tuple(f"w{int(n_types ** rng.random())}" for _ in range(n_words))


@given(texts, st.integers(1, 6), st.integers(0, 9))
def test_the_order_of_sentences_and_the_memory_do_not_show(
    tmp_path_factory: pytest.TempPathFactory, text: list[Gram], order: int, seed: int
) -> None:
    rng = generator(seed, "memory")
    first = on_disk(tmp_path_factory.mktemp("a"), text, order, (), choose(rng, [1, 500, 5_000]))
    other = on_disk(tmp_path_factory.mktemp("b"), text[::-1], order, (), 100_000)
    assert first.read_bytes() == other.read_bytes()


# kpu/kenlm, lm/common/test_data/toy0.arpa and toy1.arpa (lmplz, order 3, --discount_fallback)
TOYS = [
    (
        ["a a b a", "b a a b"],
        [5, 7, 7],
        {
            "<unk>": -0.90309,
            "a": -0.46943438,
            "</s>": -0.5720968,
            "b": -0.5720968,
            "<s> a": -0.37712017,
            "b a": -0.2984526,
            "a </s>": -0.58682007,
            "<s> a a": -0.14885087,
            "b a </s>": -0.42082912,
            "a a b": -0.20102891,
        },
        {"a": -0.30103, "b": -0.30103, "<s>": -0.30103, "</s>": 0, "<unk>": 0},
    ),
    (
        ["a a b b b b b b b", "c"],
        [6, 7, 6],
        {
            "<unk>": -1,
            "a": -0.6146491,
            "</s>": -0.6146491,
            "b": -0.6146491,
            "c": -0.7659168,
            "b b": -0.3422159,
            "b b b": -0.13375957,
            "b b </s>": -0.7462621,
        },
        {"b b": -0.47712123},
    ),
]


@pytest.mark.parametrize(("lines", "sizes", "log10s", "weights"), TOYS)
def test_the_toy_corpora_of_kenlm_give_the_files_that_lmplz_made(
    tmp_path: Path,
    lines: list[str],
    sizes: list[int],
    log10s: dict[str, float],
    weights: dict[str, float],
) -> None:
    table = table_of(read(on_disk(tmp_path, [tuple(line.split()) for line in lines], 3)))
    assert [sum(len(gram) == n for gram in table) for n in (1, 2, 3)] == sizes
    assert {g: table[tuple(g.split())][0] for g in log10s} == pytest.approx(log10s, abs=1e-6)
    assert {g: table[tuple(g.split())][1] for g in weights} == pytest.approx(weights, abs=1e-6)


@pytest.fixture(scope="module")
def newspaper(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Gram], Table]:
    """A model of Portuguese-Bosque's dev part made in a megabyte, its text, its n-grams."""
    path = shared("treebanks", "UD_Portuguese-Bosque", "pt_bosque-ud-dev.conllu.gz")
    sentences: list[list[str]] = [[]]
    for _, line in numbered_lines(path):
        cells = line.split("\t")
        if cells[0].isdecimal():
            sentences[-1].append(cells[1])
        elif not line:
            sentences.append([])
    text = [tuple(words) for words in sentences if words]
    arpa = on_disk(tmp_path_factory.mktemp("newspaper"), text, 5, (0, 0, 0, 1), 1 << 20)
    return arpa, text, table_of(read(arpa))


@pytest.mark.shared
def test_a_real_text_sums_to_one_after_what_it_has_and_has_not_seen(
    newspaper: tuple[Path, list[Gram], Table],
) -> None:
    _, text, table = newspaper
    rng = generator(0, "contexts")
    contexts: list[Gram] = [(), ("<s>",), ("<s>", "<unk>"), ("<unk>", "<unk>")]
    for n_words in (1, 2, 3, 4, 5):
        words = ("<s>", *choose(rng, text))
        contexts += [words[:n_words], words[-n_words:], (*words[:n_words], "<unk>", *words[:1])]
    for context in contexts:
        assert total_p(table, context) == pytest.approx(1, abs=1e-8), context


@pytest.mark.shared
def test_kenlm_reads_a_real_text_as_the_plain_reader_does(
    newspaper: tuple[Path, list[Gram], Table],
) -> None:
    import kenlm

    path, text, table = newspaper
    model = kenlm.Model(str(path))
    for words in [*text[:40], *(words[::-1] for words in text[:10]), ("xyzzy", "de", "xyzzy")]:
        seen = ["<s>", *(word if (word,) in table else "<unk>" for word in words), "</s>"]
        expected = [log10_p(table, seen[:last], seen[last]) for last in range(1, len(seen))]
        found = [log10 for log10, _, _ in model.full_scores(" ".join(words))]
        assert found == pytest.approx(expected, abs=1e-5)


def test_memory_stays_within_the_bound_beside_the_vocabulary(tmp_path: Path) -> None:
    memory = 4 << 20
    tracemalloc.start()
    try:
        path = tmp_path / "model.arpa"
        with counted_on_disk(zipfian(6_000, 300), 5, (), tmp_path, memory) as counts:
            n_words = counts.n_words
            write_arpa(counts, path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert n_words > 90_000  # in memory some 30 MB
    assert peak < memory + (2 << 20)  # lines of the file on their way


SENTENCES = [f"{a} {b} {c}" for a in "abcdef" for b in "ghijk" for c in "lmn"]


def saved(folder: Path, lines: Sequence[str], name: str = "text.txt") -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    data = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


def test_a_model_of_files_is_that_of_their_lines(tmp_path: Path) -> None:
    paths = [saved(tmp_path, SENTENCES[:50]), saved(tmp_path, SENTENCES[40:] * 2, "more.txt.gz")]
    small = split_lines((line for path in paths for _, line in plain_lines(path)), "text")
    made = ngram.train(small, tmp_path / "small", order=4, prune=(0, 0, 1))
    large = split_files(paths, "text")
    assert (tuple(large.train), large.held_out) == (small.train, small.held_out)
    assert len(large.train) == len(small.train)
    model = ngram.train(large, tmp_path / "large", order=4, prune=(0, 0, 1), memory=2_000)
    for name in (ARPA, SEEN):
        assert (model.path / name).read_bytes() == (made.path / name).read_bytes()
    approximately = pytest.approx(made.about["held_out_perplexity"], rel=1e-6)  # KenLM: float32
    assert model.about == {**made.about, "held_out_perplexity": approximately}
    assert json.loads((model.path / "model.json").read_text()) == model.about
    assert seen_by(model, [tuple("agl"), ("z",)]) == 1
    scorer = load(str(model.path), LoadOptions())
    (score,) = scorer.score([Query(("a", "g"), (("l",),))])
    assert score.continuations[0].bits[0] > 0
    assert sorted(path.name for path in model.path.iterdir()) == [
        "manifest.json",
        "model.arpa",
        "model.json",
        "seen.u64",
    ]


def test_lines_in_memory_whose_arrays_do_not_fit_are_counted_on_disk(tmp_path: Path) -> None:
    text = training_text(SENTENCES, ["a g x", "a g </s>"])
    told: list[str] = []
    ngram.train(
        text, tmp_path / "disk", memory=1_000, progress=lambda task, done, total: told.append(task)
    )
    ngram.train(text, tmp_path / "memory")
    assert list(dict.fromkeys(told)) == [
        "read the text",
        "sort the n-grams",
        "count n-grams",
        "sort by context",
        "write the model",
        "measure the held-out perplexity",
    ]
    disk, memory = ((tmp_path / name / ARPA).read_bytes() for name in ("disk", "memory"))
    assert disk == memory


@given(texts, st.lists(st.lists(st.sampled_from("abcx"), max_size=6), min_size=1))
def test_held_out_text_is_measured_as_kenlm_measures_it(
    tmp_path_factory: pytest.TempPathFactory, text: list[Gram], held_out: list[list[str]]
) -> None:
    lines = training_text(map(" ".join, text), map(" ".join, held_out))
    found, expected = (
        ngram.train(lines, tmp_path_factory.mktemp("m"), order=3, memory=memory).about
        for memory in (1, ngram.MEMORY)
    )
    assert found == {
        **expected,
        "held_out_perplexity": pytest.approx(expected["held_out_perplexity"], rel=1e-5),
    }


def test_progress_says_which_share_is_done(tmp_path: Path) -> None:
    told: dict[str, list[tuple[int, int | None]]] = {}
    ngram.train(
        split_files([saved(tmp_path, SENTENCES)], "text"),
        tmp_path / "m",
        memory=1_000,
        progress=lambda task, done, total: told.setdefault(task, []).append((done, total)),
    )
    for task in ("read the text", "sort the n-grams", "count n-grams", "write the model"):
        done = [each for each, _ in told[task]]
        assert len(done) > 2
        assert done == sorted(done)
        assert told[task][-1][0] == told[task][-1][1]


# ---------------------------------------------------------------------------------------- the text


def test_words_are_split_where_lmplz_splits_and_nowhere_else(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    data = "a\tb  c\rd\0e \r\n\r\n\n \t \nnhà\u00a0nước x\u3000y\u2028z\u0085w\x0bv\x0cu\r\n f"
    path.write_bytes(data.encode())
    assert list(plain_lines(path)) == [
        (1, Line(("a", "b", "c", "d", "e"), "a\tb  c\rd\0e")),
        (5, Line(("nhà\u00a0nước", "x\u3000y\u2028z\u0085w\x0bv\x0cu"), data.split("\n")[4][:-1])),
        (6, Line(("f",), "f")),
    ]


def test_line_ends_empty_lines_and_packing_do_not_show(tmp_path: Path) -> None:
    plain = split_files([saved(tmp_path, SENTENCES)], "text")
    others = [
        saved(tmp_path, [f"{line}\r" for line in SENTENCES], "crlf.txt"),
        saved(tmp_path, [f"{line}\n" for line in SENTENCES], "empty.txt"),
        saved(tmp_path, SENTENCES, "packed.txt.gz"),
    ]
    arpa = ngram.train(plain, tmp_path / "plain").path / ARPA
    for path in others:
        found = ngram.train(split_files([path], "text"), tmp_path / path.stem).path / ARPA
        assert found.read_bytes() == arpa.read_bytes()


def test_only_so_many_sentences_are_held_out(tmp_path: Path) -> None:
    path = saved(tmp_path, [f"w{n}" for n in range(50_000)])
    large = split_files([path], "text")
    assert len(large.held_out) == HELD_OUT_MOST
    assert len(large.train) == sum(1 for _ in large.train) == 50_000 - HELD_OUT_MOST


@pytest.mark.parametrize("word", ["<unk>", "<s>", "</s>"])
def test_a_word_that_models_keep_is_refused_with_file_and_line(tmp_path: Path, word: str) -> None:
    files = [saved(tmp_path, SENTENCES), saved(tmp_path, ["a b", "", f"a {word} c b"], "more.txt")]
    with pytest.raises(InputError) as caught:
        ngram.train(split_files(files, "text"), tmp_path / "m")
    assert str(caught.value) == (
        f"{tmp_path / 'more.txt'}:3: it has the word '{word}'; "
        "text without <unk>, <s>, </s>, which models keep for themselves"
    )
    assert list((tmp_path / "m").iterdir()) == []


@pytest.mark.parametrize(
    ("lines", "wrong"),
    [
        (["a"], "1 sentence of text"),
        (["a", "b"], "2 sentences of text"),
        (["a"] * 60, "60 sentences of text, too much alike to hold some of them out"),
        (["x47"] * 60, "60 sentences of text, all of which would be held out"),
    ],
)
def test_too_little_text_is_refused(tmp_path: Path, lines: list[str], wrong: str) -> None:
    with pytest.raises(InputError) as caught:
        split_files([saved(tmp_path, lines)], "text.txt")
    assert str(caught.value) == f"text.txt: {wrong}; at least forty different ones or so"


def test_no_sentences_and_too_much_pruning_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught, counted_on_disk([], 3, (), tmp_path, 1000):
        pass
    assert str(caught.value) == "training text: there are no sentences; one sentence or more"
    with pytest.raises(InputError) as caught:
        ngram.train(split_files([saved(tmp_path, SENTENCES)], "x"), tmp_path / "m", prune=(0, 999))
    assert str(caught.value) == "--prune: no 2-gram is left; numbers below 999"
    assert list((tmp_path / "m").iterdir()) == []


@given(st.lists(st.text("ab ", min_size=1).filter(str.strip), max_size=60), memories)
def test_fingerprints_sorted_on_disk_are_those_sorted_in_memory(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], memory: int
) -> None:
    path = tmp_path_factory.mktemp("seen") / SEEN
    text = training_text(lines).train
    write_seen(path, text, memory)
    assert path.read_bytes() == fingerprints(text)
    assert holds(path, text[::-1] * 2, memory)
    assert not holds(path, (*text, Line(("c",), "c")), memory)
    assert holds(path, text[1:], memory) == (fingerprints(text[1:]) == fingerprints(text))


def test_listed_ngrams_are_found_up_to_an_order(tmp_path: Path) -> None:
    path = on_disk(tmp_path, [("a", "b"), ("a", "c")], 3)
    table = table_of(read(path))
    found = list(listed(path, 2, {"a", "a b", "<s> a b", "b a"}))
    assert found == [Entry(gram, *table[gram]) for gram in (("a",), ("a", "b"))]
    assert [entry.words for entry in listed(path, 3, {"<s> a b"})] == [("<s>", "a", "b")]


# ------------------------------------------------------------------------------- breaking it off


def phases(text: LargeText, folder: Path) -> list[str]:
    told: list[str] = []
    ngram.train(text, folder, memory=500, progress=lambda task, *_: told.append(task))
    return list(dict.fromkeys(told))


def test_nothing_is_left_behind_when_it_is_interrupted(tmp_path: Path) -> None:
    text = split_files([saved(tmp_path, SENTENCES)], "text")
    for number, phase in enumerate(phases(text, tmp_path / "whole")[:5]):
        folder = tmp_path / str(number)

        def interrupt(task: str, done: int, total: int | None, phase: str = phase) -> None:
            if task == phase:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            ngram.train(text, folder, memory=500, progress=interrupt)
        assert list(folder.iterdir()) == [], phase


LIMITED = """
import resource, sys
from pathlib import Path
from colorless_green.data.errors import InputError
from colorless_green.scoring.training import ngram
from colorless_green.scoring.training.text import split_files
text, folder, limit = sys.argv[1:]
large = split_files([Path(text)], "text")
resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))  # a disk that is soon full
try:
    ngram.train(large, Path(folder), memory=500)
except InputError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no limits of files")
@pytest.mark.parametrize("limit", [100, 1_000, 2_000, 4_000])
def test_a_full_disk_is_named_and_nothing_half_written(tmp_path: Path, limit: int) -> None:
    text, folder = saved(tmp_path, SENTENCES), tmp_path / "m"
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(text), str(folder), str(limit)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ,
    )
    assert done.stderr == ""
    assert done.stdout.removeprefix(f"{folder}{os.sep}{ARPA}").removeprefix(str(folder)) == (
        ": cannot be written (File too large); a place with room to write\n"
    )
    assert list(folder.iterdir()) == []


def test_silence_is_the_default(tmp_path: Path) -> None:
    with counted_on_disk([("a",)], 2, (), tmp_path, 1_000, silent) as counts:
        assert [level.n_kept for level in counts.levels] == [4, 2]
        assert (counts.n_words, len(counts.vocabulary)) == (1, 4)
