"""The same request again is answered from the store; another one is worked on."""

from pathlib import Path

import pytest

import colorless_green as cg
from colorless_green.data import sample


class Work:
    """Hears what a function works on."""

    def __init__(self) -> None:
        self.tasks: set[str] = set()

    def __call__(self, task: str, done: int, total: int | None = None) -> None:
        self.tasks.add(task)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a mining and composed sets."""
    path = tmp_path_factory.mktemp("requests") / "colorless.db"
    mining = cg.mine(str(sample.treebank("en")), store=path)
    cg.make_nonce(mining, level="+frequency", n=1, store=path)
    cg.compose(mining, n_sets=3, store=path)
    return path


@pytest.mark.slow
def test_variants_of_before_are_the_same(store: Path) -> None:
    first, again = Work(), Work()
    made = cg.make_nonce(level="+frequency", n=2, seed=1, store=store, progress=first)
    same = cg.make_nonce(level="+frequency", n=2, seed=1, store=store, progress=again)
    assert first.tasks
    assert not again.tasks
    assert same == made
    assert same.kept == made.kept
    assert same.account is not None
    assert made.account is not None
    assert same.account.to_frame().equals(made.account.to_frame())
    assert same.account.shown().equals(made.account.shown())
    assert same.account.found == made.account.found
    assert set(made.account.messages) < set(same.account.messages)


def test_originals_left_out_are_told_again(store: Path, tmp_path: Path) -> None:
    files = [tmp_path / "first.tsv", tmp_path / "again.tsv"]
    for file in files:
        cg.make_nonce(n=1, store=store, rejections=file)
    assert files[0].read_text() == files[1].read_text()
    assert len(files[0].read_text().splitlines()) > 1


def test_what_was_made_again_is_the_newest(store: Path) -> None:
    asked = {"level": "+frequency", "n": 1, "store": store}
    made = cg.make_nonce(**asked)  # type: ignore[arg-type]
    cg.make_nonce(level="+frequency", n=1, seed=7, store=store)
    cg.make_nonce(**asked)  # type: ignore[arg-type]
    assert cg.load_suite(store=store).name == made.name


@pytest.mark.slow
@pytest.mark.parametrize(
    "other",
    [
        {"seed": 3},
        {"n": 2},
        {"level": "morphology"},
        {"exclude": "none"},
        {"tail": "keep"},
        {"words": "pseudo"},
        {"all_targets": True},
        {"construction": "L__NOUN*"},
    ],
    ids=lambda other: next(iter(other)),
)
def test_another_option_is_another_request(store: Path, other: dict[str, object]) -> None:
    work = Work()
    usual = {"level": "+frequency", "n": 1, "store": store, "progress": work}
    cg.make_nonce(**(usual | other))  # type: ignore[arg-type]
    assert work.tasks


@pytest.mark.slow
def test_a_changed_file_is_another_request(store: Path, tmp_path: Path) -> None:
    file = tmp_path / "counts.txt"
    tasks = []
    for text in ("the 10\n", "the 10\n", "the 11\n"):
        file.write_text(text)
        work = Work()
        cg.make_nonce(n=1, frequencies=str(file), store=store, progress=work)
        tasks.append(bool(work.tasks))
    assert tasks == [True, False, True]


def test_composed_sets_of_before_are_the_same(store: Path) -> None:
    first, again, more = Work(), Work(), Work()
    made = cg.compose(n_sets=4, store=store, progress=first)
    same = cg.compose(n_sets=4, store=store, progress=again)
    cg.compose(n_sets=5, store=store, progress=more)
    assert first.tasks
    assert not again.tasks
    assert more.tasks
    assert same == made
    assert same.kept == made.kept
    assert same.account is not None
    assert made.account is not None
    assert same.account.to_frame().equals(made.account.to_frame())
