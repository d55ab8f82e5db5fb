"""Text of any size: the same model to the byte as in memory, in bounded memory, whole or not."""

import gzip
import json
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.data.files import numbered_lines
from colorless_green.data.seeds import choose, generator
from colorless_green.scoring import (
    LargeText,
    Line,
    ModelFolder,
    Query,
    Request,
    TrainingText,
    load_model,
    seen_by,
    split_files,
    split_lines,
    train_one,
)
from tests.builders import mistake, shared
from tests.scoring.ngram_oracle import Table, arpa_table, log10_p, texts, total_p, training_text

Gram = tuple[str, ...]
ARPA = "model.arpa"

prunes = st.sampled_from([(), (0,), (0, 0, 1), (0, 1), (0, 1, 2), (0, 0, 0, 1)])
memories = st.sampled_from([1, 300, 3_000, 30_000, 1_000_000])
ragged = st.lists(st.lists(st.sampled_from("abcde"), max_size=9).map(tuple), min_size=1, max_size=9)


def of_words(text: Sequence[Gram]) -> TrainingText:
    return TrainingText(tuple(Line(words, " ".join(words)) for words in text), ())


def made(
    folder: Path,
    text: TrainingText | LargeText | Sequence[Gram],
    order: int = 5,
    prune: tuple[int, ...] = (),
    **options: Any,
) -> ModelFolder:
    """A model; with `memory`, bytes that its counts may take before they go to the disk."""
    of = text if isinstance(text, TrainingText | LargeText) else of_words(text)
    return train_one("ngram", of, folder, Request(order=order, prune=prune[:order]), **options)


def arpa(folder: Path, *given: Any, **options: Any) -> bytes:
    return (made(folder, *given, **options).path / ARPA).read_bytes()


@given(ragged.filter(lambda text: any(text)), st.integers(2, 6), prunes, memories)
@example([("a",)] * 40, 6, (), 1)  # many runs of the same n-gram
@example([("a", "b", "c")] * 3 + [("a", "b", "d"), ()], 4, (0, 0, 2), 1)
def test_the_file_is_that_of_the_estimator_in_memory_to_the_byte(
    tmp_path_factory: pytest.TempPathFactory,
    text: list[Gram],
    order: int,
    prune: tuple[int, ...],
    memory: int,
) -> None:
    folder = tmp_path_factory.mktemp("models")

    def found(name: str, **options: Any) -> object:
        try:
            return arpa(folder / name, text, order, prune, **options)
        except InputError as error:  # nothing is left after such a pruning
            return error.kind, error.place

    assert found("large", memory=memory) == found("small")


@pytest.mark.parametrize("n_types", [400, 3_000])
@pytest.mark.parametrize("prune", [(), (0, 0, 1)])
def test_so_is_that_of_a_text_with_discounts_of_its_own(
    tmp_path: Path, n_types: int, prune: tuple[int, ...]
) -> None:
    text = list(zipfian(400, n_types))
    small = made(tmp_path / "small", text, 6, prune)
    assert not all(small.about["fallback"])
    large = arpa(tmp_path / "large", text, 6, prune, memory=20_000)
    assert large == (small.path / ARPA).read_bytes()


def zipfian(n_sentences: int, n_types: int) -> Iterator[Gram]:
    rng = generator(0, "zipfian")
    for _ in range(n_sentences):
        n_words = 1 + int(rng.random() * 30)
        yield tuple(f"w{int(n_types ** rng.random())}" for _ in range(n_words))


@given(texts, st.integers(2, 6), st.sampled_from([1, 500, 5_000]))
def test_the_order_of_sentences_and_the_memory_do_not_show(
    tmp_path_factory: pytest.TempPathFactory, text: list[Gram], order: int, memory: int
) -> None:
    folder = tmp_path_factory.mktemp("models")
    first = arpa(folder / "a", text, order, memory=memory)
    assert first == arpa(folder / "b", text[::-1], order, memory=100_000)


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


@pytest.mark.parametrize("memory", [1_000, None])
@pytest.mark.parametrize(("lines", "sizes", "log10s", "weights"), TOYS)
def test_the_toy_corpora_of_kenlm_give_the_files_that_lmplz_made(
    tmp_path: Path,
    lines: list[str],
    sizes: list[int],
    log10s: dict[str, float],
    weights: dict[str, float],
    memory: int | None,
) -> None:
    table = arpa_table(made(tmp_path, training_text(lines), 3, memory=memory).path / ARPA)
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
    folder = tmp_path_factory.mktemp("newspaper")
    model = made(folder, text, 5, (0, 0, 0, 1), memory=1 << 20).path / ARPA
    return model, text, arpa_table(model)


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
    lines = [" ".join(words) for words in zipfian(4_000, 300)]
    text = split_files([saved(tmp_path, lines)], "text")
    tracemalloc.start()
    try:
        made(tmp_path / "m", text, memory=memory)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert sum(line.count(" ") + 1 for line in lines) > 55_000  # in memory some 20 MB
    assert peak < memory + (2 << 20)  # lines of the file on their way


SENTENCES = [f"{a} {b} {c}" for a in "abcdef" for b in "ghijk" for c in "lmn"]


def saved(folder: Path, lines: Sequence[str], name: str = "text.txt") -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    data = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


def test_a_model_of_files_is_that_of_their_lines(tmp_path: Path) -> None:
    every = [*SENTENCES[:50], *SENTENCES[40:] * 2]
    small = split_lines([Line(tuple(line.split()), line) for line in every], "text")
    large = split_files(
        [saved(tmp_path, every[:50]), saved(tmp_path, every[50:], "more.txt.gz")], "text"
    )
    assert (tuple(large.train), large.held_out) == (small.train, small.held_out)
    assert len(large.train) == len(small.train)
    one = made(tmp_path / "small", small, 4, (0, 0, 1))
    other = made(tmp_path / "large", large, 4, (0, 0, 1), memory=2_000)
    for name in (ARPA, "seen.u64"):
        assert (one.path / name).read_bytes() == (other.path / name).read_bytes()
    approximately = pytest.approx(one.about["held_out_perplexity"], rel=1e-6)  # KenLM: float32
    assert other.about == {**one.about, "held_out_perplexity": approximately}
    assert json.loads((other.path / "model.json").read_text()) == other.about
    assert seen_by(other, [tuple("agl"), ("z",)]) == 1
    scorer = load_model(f"ngram:{other.path}").scorer
    (score,) = scorer.score([Query(("a", "g"), (("l",),))])
    assert score.continuations[0].bits[0] > 0
    assert sorted(path.name for path in other.path.iterdir()) == [
        "manifest.json", "model.arpa", "model.json", "seen.u64",
    ]  # fmt: skip


@given(st.lists(st.text("ab ", min_size=1).filter(str.strip), min_size=30, max_size=60), memories)
@settings(max_examples=25)
def test_what_was_seen_is_the_same_on_disk_and_in_memory(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], memory: int
) -> None:
    folder = tmp_path_factory.mktemp("seen")
    every = [*lines, *SENTENCES]
    small = split_lines([Line(tuple(line.split()), line.strip()) for line in every], "text")
    one = made(folder / "small", small, 2)
    other = made(folder / "large", split_files([saved(folder, every)], "text"), 2, memory=memory)
    assert (one.path / "seen.u64").read_bytes() == (other.path / "seen.u64").read_bytes()
    known = [line.words for line in small.train]
    assert seen_by(other, [*known, ("c",)]) == len(known)


def test_lines_in_memory_whose_arrays_do_not_fit_are_counted_on_disk(tmp_path: Path) -> None:
    text = training_text(SENTENCES, ["a g x", "a g </s>"])
    disk, memory = Told(), Told()
    files = [
        arpa(tmp_path / "disk", text, memory=1_000, progress=disk),
        arpa(tmp_path / "memory", text, progress=memory),
    ]
    assert files[0] == files[1]
    assert len(disk.tasks) > len(memory.tasks)


@given(texts, st.lists(st.lists(st.sampled_from("abcx"), max_size=6), min_size=1))
def test_held_out_text_is_measured_as_kenlm_measures_it(
    tmp_path_factory: pytest.TempPathFactory, text: list[Gram], held_out: list[list[str]]
) -> None:
    lines = training_text(map(" ".join, text), map(" ".join, held_out))
    found, expected = (
        made(tmp_path_factory.mktemp("m"), lines, 3, memory=memory).about for memory in (1, None)
    )
    assert found == {
        **expected,
        "held_out_perplexity": pytest.approx(expected["held_out_perplexity"], rel=1e-5),
    }


class Told:
    """A progress that remembers; it may break off at the first step of a task."""

    def __init__(self, until: int | None = None) -> None:
        self.tasks: dict[str, list[tuple[int, int | None]]] = {}
        self.until = until

    def __call__(self, task: str, done: int, total: int | None) -> None:
        self.tasks.setdefault(task, []).append((done, total))
        if self.until is not None and len(self.tasks) > self.until:
            raise KeyboardInterrupt


def test_progress_says_which_share_is_done(tmp_path: Path) -> None:
    told = Told()
    text = split_files([saved(tmp_path, SENTENCES)], "text")
    made(tmp_path / "m", text, memory=1_000, progress=told)
    counted = [steps for steps in told.tasks.values() if len(steps) > 2]
    assert len(counted) >= 4  # reading, sorting, counting, writing
    for steps in counted:
        done = [each for each, _ in steps]
        assert done == sorted(done)
        assert steps[-1][0] == steps[-1][1]


# ---------------------------------------------------------------------------------------- the text


def test_words_are_split_where_lmplz_splits_and_nowhere_else(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    data = "a\tb  c\rd\0e \r\n\r\n\n \t \nnhà\u00a0nước x\u3000y\u2028z\u0085w\x0bv\x0cu\r\n f\n"
    path.write_bytes((data + "\n".join(SENTENCES)).encode())
    text = split_files([path], "text")
    found = {*text.train, *text.held_out} - {Line(tuple(each.split()), each) for each in SENTENCES}
    assert found == {
        Line(("a", "b", "c", "d", "e"), "a\tb  c\rd\0e"),
        Line(("nhà\u00a0nước", "x\u3000y\u2028z\u0085w\x0bv\x0cu"), data.split("\n")[4][:-1]),
        Line(("f",), "f"),
    }


def test_line_ends_empty_lines_and_packing_do_not_show(tmp_path: Path) -> None:
    plain = arpa(tmp_path / "plain", split_files([saved(tmp_path, SENTENCES)], "text"))
    for name, lines in (
        ("crlf.txt", [f"{line}\r" for line in SENTENCES]),
        ("empty.txt", [f"{line}\n" for line in SENTENCES]),
        ("packed.txt.gz", SENTENCES),
    ):
        text = split_files([saved(tmp_path, lines, name)], "text")
        assert arpa(tmp_path / f"of {name}", text) == plain


def test_only_so_many_sentences_are_held_out(tmp_path: Path) -> None:
    large = split_files([saved(tmp_path, [f"w{n}" for n in range(50_000)])], "text")
    assert len(large.held_out) == 2_000
    assert len(large.train) == sum(1 for _ in large.train) == 48_000


@pytest.mark.parametrize("word", ["<unk>", "<s>", "</s>"])
def test_a_word_that_models_keep_is_refused_with_file_and_line(tmp_path: Path, word: str) -> None:
    files = [saved(tmp_path, SENTENCES), saved(tmp_path, ["a b", "", f"a {word} c b"], "more.txt")]
    with mistake("format", f"{tmp_path / 'more.txt'}:3"):
        made(tmp_path / "m", split_files(files, "text"))
    assert list((tmp_path / "m").iterdir()) == []


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(["a"], id="one"),
        pytest.param(["a", "b"], id="two"),
        pytest.param(["a"] * 60, id="too much alike"),
        pytest.param(["x47"] * 60, id="all held out"),
    ],
)
def test_too_little_text_is_refused(tmp_path: Path, lines: list[str]) -> None:
    with mistake("empty", "text.txt"):
        split_files([saved(tmp_path, lines)], "text.txt")


def test_no_sentences_and_too_much_pruning_are_refused(tmp_path: Path) -> None:
    with mistake("empty", "training text"):
        made(tmp_path / "none", [], memory=1)
    with mistake("value", "--prune"):
        made(tmp_path / "m", split_files([saved(tmp_path, SENTENCES)], "x"), 5, (0, 999))
    assert list((tmp_path / "m").iterdir()) == []


# ------------------------------------------------------------------------------- breaking it off


def test_nothing_is_left_behind_when_it_is_interrupted(tmp_path: Path) -> None:
    text, whole = split_files([saved(tmp_path, SENTENCES)], "text"), Told()
    made(tmp_path / "whole", text, memory=500, progress=whole)
    assert len(whole.tasks) > 5
    for number in range(len(whole.tasks) - 1):  # the last one measures what is written
        folder = tmp_path / str(number)
        with pytest.raises(KeyboardInterrupt):
            made(folder, text, memory=500, progress=Told(until=number))
        assert list(folder.iterdir()) == [], list(whole.tasks)[number]


LIMITED = """
import resource, sys
from pathlib import Path
from colorless_green.data.errors import InputError
from colorless_green.scoring import split_files, train_one
text, folder, limit = sys.argv[1:]
large = split_files([Path(text)], "text")
resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))  # a disk that is soon full
try:
    train_one("ngram", large, Path(folder), memory=500)
except InputError as error:
    print(error.kind, error.place)
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
    assert done.stdout in (f"unwritable {folder}\n", f"unwritable {folder / ARPA}\n")
    assert list(folder.iterdir()) == []
