"""The same request again is answered from the store; another one is worked on."""

from pathlib import Path

import pytest

import colorless_green as cg
from colorless_green.data import sample
from colorless_green.data.store import Store
from colorless_green.nonce import rejections_of


class Work:
    """Hears what a function works on."""

    def __init__(self) -> None:
        self.tasks: set[str] = set()

    def __call__(self, task: str, done: int, total: int | None = None) -> None:
        self.tasks.add(task)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store with a mining and composed sets."""
    path = tmp_path_factory.mktemp("requests") / "colorless.db"
    mining = cg.mine(str(sample.treebank("en")), rule=cg.Rule(undecided=True), store=path)
    cg.make_nonce(mining, level="+frequency", n=1, store=path)
    cg.compose(mining, sets=3, store=path)
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


def test_originals_left_out_are_told_again(store: Path) -> None:
    made, again = (cg.make_nonce(n=1, store=store) for _ in range(2))
    assert made.account is not None
    assert again.account is not None
    assert made.kept is not None
    assert made.account.rejections.height > 1  # type: ignore[attr-defined]
    with Store(store) as opened:
        for left_out in (again.account.rejections, rejections_of(opened, made.kept.id)):  # type: ignore[attr-defined]
            assert left_out.equals(made.account.rejections)  # type: ignore[attr-defined]


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
        {"recipe": cg.Recipe(exclude=("none",))},
        {"words": "pseudo"},
        {"recipe": cg.Recipe(all_targets=True)},
        {"construction": "L__NOUN*"},
    ],
    ids=str,
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
        recipe = cg.Recipe(frequencies=str(file))
        cg.make_nonce(n=1, recipe=recipe, store=store, progress=work)
        tasks.append(bool(work.tasks))
    assert tasks == [True, False, True]


def test_composed_sets_of_before_are_the_same(store: Path) -> None:
    first, again, more = Work(), Work(), Work()
    made = cg.compose(sets=4, store=store, progress=first)
    same = cg.compose(sets=4, store=store, progress=again)
    cg.compose(sets=5, store=store, progress=more)
    assert first.tasks
    assert not again.tasks
    assert more.tasks
    assert same == made
    assert same.kept == made.kept
    assert same.account is not None
    assert made.account is not None
    assert same.account.to_frame().equals(made.account.to_frame())
