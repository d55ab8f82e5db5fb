"""Component oracle. N-gram models of text in files: those of their lines, KenLM's numbers, whole or
not at all."""

import gzip
import json
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green import Training, load_model
from colorless_green.data.files import numbered_lines
from colorless_green.data.seeds import generator
from colorless_green.scoring import Line, ModelFolder, Query, TrainingText, split_lines, train_one
from colorless_green.scoring.models.model_folder import seen_by
from colorless_green.scoring.models.training_text import split_files
from tests.builders import mistake, shared
from tests.scoring.ngram_oracle import Table, arpa_table, log10_p, texts, training_text

Gram = tuple[str, ...]
ARPA = "model.arpa"

prunes = st.sampled_from([(), (0, 0, 1), (0, 0, 1, 2)])


def of_words(text: Sequence[Gram]) -> TrainingText:
    return TrainingText(tuple(Line(words, " ".join(words)) for words in text), ())


def made(
    folder: Path,
    text: TrainingText | Sequence[Gram],
    order: int = 5,
    prune: tuple[int, ...] = (),
    **options: Any,
) -> ModelFolder:
    of = text if isinstance(text, TrainingText) else of_words(text)
    return train_one("ngram", of, folder, Training(order=order, prune=prune[:order]), **options)


def arpa(folder: Path, *given: Any, **options: Any) -> bytes:
    return (made(folder, *given, **options).path / ARPA).read_bytes()


def zipfian(n_sentences: int, n_types: int) -> Iterator[Gram]:
    rng = generator(0, "zipfian")
    for _ in range(n_sentences):
        n_words = 1 + int(rng.random() * 30)
        yield tuple(f"w{int(n_types ** rng.random())}" for _ in range(n_words))


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
    table = arpa_table(made(tmp_path, training_text(lines), 3).path / ARPA)
    assert [sum(len(gram) == n for gram in table) for n in (1, 2, 3)] == sizes
    assert {g: table[tuple(g.split())][0] for g in log10s} == pytest.approx(log10s, abs=1e-6)
    assert {g: table[tuple(g.split())][1] for g in weights} == pytest.approx(weights, abs=1e-6)


@pytest.fixture(scope="module")
def newspaper(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Gram], Table]:
    """Return a model of Portuguese-Bosque's dev part its text, its n-grams."""
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
    model = made(folder, text, 5, (0, 0, 0, 1)).path / ARPA
    return model, text, arpa_table(model)


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


@pytest.mark.slow
def test_memory_is_that_of_the_ngrams_not_of_the_words_as_text(tmp_path: Path) -> None:
    lines = [" ".join(words) for words in zipfian(3_000, 300)] * 3
    text = split_files([saved(tmp_path, lines)], "text")
    made(tmp_path / "first", text)  # what is imported on the way is not counted
    tracemalloc.start()
    try:
        n_grams = sum(made(tmp_path / "m", text).card["n_grams"])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert sum(line.count(" ") + 1 for line in lines) > n_grams  # 60 bytes each as strings
    assert peak < 80 * n_grams


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
    other = made(tmp_path / "large", large, 4, (0, 0, 1))
    for name in (ARPA, "seen.u64"):
        assert (one.path / name).read_bytes() == (other.path / name).read_bytes()
    assert other.card == one.card
    assert json.loads((other.path / "model.json").read_text()) == other.card
    assert seen_by(other, [tuple("agl"), ("z",)]) == 1
    scorer = load_model(f"ngram:{other.path}").scorer
    (score,) = scorer.score([Query(("a", "g"), (("l",),))])
    assert score.continuations[0].bits[0] > 0
    assert sorted(path.name for path in other.path.iterdir()) == [
        "manifest.json", "model.arpa", "model.json", "seen.u64",
    ]  # fmt: skip


@given(texts, st.lists(st.lists(st.sampled_from("abcx"), max_size=6), min_size=1), prunes)
def test_held_out_text_is_measured_as_kenlm_measures_it(
    tmp_path_factory: pytest.TempPathFactory,
    text: list[Gram],
    held_out: list[list[str]],
    prune: tuple[int, ...],
) -> None:
    folder = tmp_path_factory.mktemp("m")
    model = made(folder, training_text(map(" ".join, text), map(" ".join, held_out)), 3, prune)
    scorer = load_model(f"ngram:{folder}").scorer
    asked = [Query((), ((*" ".join(words).split(" "), "</s>"),)) for words in held_out]
    answers = [score.continuations[0] for score in scorer.score(asked)]
    oov = [is_oov for answer in answers for is_oov in answer.oov]
    bits = [bits for answer in answers for bits in answer.bits]
    known = [each for each, is_oov in zip(bits, oov, strict=True) if not is_oov]
    assert model.card["held_out_oov"] == sum(oov)
    assert model.card["held_out_words"] == len(oov) - len(held_out)
    assert model.card["held_out_perplexity"] == pytest.approx(2 ** fmean(known), rel=1e-5)


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
    made(tmp_path / "m", text, progress=told)
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
    assert list((tmp_path / "m").glob("*")) == []


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
        made(tmp_path / "none", [])
    with mistake("value", "prune"):
        made(tmp_path / "m", split_files([saved(tmp_path, SENTENCES)], "x"), 5, (0, 999))
    assert list((tmp_path / "m").glob("*")) == []


# ------------------------------------------------------------------------------- breaking it off


def test_nothing_is_left_behind_when_it_is_interrupted(tmp_path: Path) -> None:
    text, whole = split_files([saved(tmp_path, SENTENCES)], "text"), Told()
    made(tmp_path / "whole", text, progress=whole)
    assert len(whole.tasks) > 4
    for number in range(len(whole.tasks)):
        folder = tmp_path / str(number)
        with pytest.raises(KeyboardInterrupt):
            made(folder, text, progress=Told(until=number))
        assert list(folder.glob("*")) == [], list(whole.tasks)[number]


LIMITED = """
import resource, sys
from pathlib import Path
from colorless_green.data.errors import InputError
from colorless_green.scoring import TrainingText, train_one
from colorless_green.scoring.models.training_text import split_files
text, folder, limited, room = sys.argv[1:]
large = split_files([Path(text)], "text")
train_one("ngram", TrainingText(large.held_out, ()), Path(folder) / "before")  # imports everything
limit = int(room)
if limited == "AS":
    limit += int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(getattr(resource, f"RLIMIT_{limited}"), (limit, limit))
try:
    train_one("ngram", large, Path(folder) / "m")
except InputError as error:
    print(error.kind, error.location)
"""


def limited(folder: Path, lines: Sequence[str], resource: str, room: int) -> str:
    """Return what training says that has only so much room; it must leave nothing behind."""
    arguments = [str(saved(folder, lines)), str(folder), resource, str(room)]
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, *arguments], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert list((folder / "m").glob("*")) == []
    return done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="there are no limits of files")
@pytest.mark.parametrize("room", [100, 4_000])
def test_a_full_disk_is_named_and_nothing_half_written(tmp_path: Path, room: int) -> None:
    said = limited(tmp_path, SENTENCES, "FSIZE", room)
    assert said == f"unwritable {tmp_path / 'm' / ARPA}\n"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory in use is read from /proc")
@pytest.mark.parametrize("room", [1 << 20, 1 << 23])
def test_ngrams_that_do_not_fit_in_memory_are_refused(tmp_path: Path, room: int) -> None:
    lines = [" ".join(words) for words in zipfian(30_000, 3_000)]
    assert limited(tmp_path, lines, "AS", room) == "resources training text\n"
