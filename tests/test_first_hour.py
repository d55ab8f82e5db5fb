"""The mistakes of a user's first hour get the right answer: the class and the place of each, and
where it is a name, the nearest that exists."""

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

from tests.builders import Run, colorless, refused


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the sample's English treebank, mined, and its variants; nothing here writes."""
    folder = tmp_path_factory.mktemp("project")
    sample = files("colorless_green.data.sample") / "en.conllu"
    (folder / "en_sample.conllu").write_bytes(sample.read_bytes())
    mined = colorless("mine", "en_sample.conllu", "--rule", "tested", "-q", cwd=folder)
    assert mined.returncode == 0, mined.stderr
    yield folder


def suggests(run: Run, name: str) -> bool:
    """Whether the mistake names it before anything else that would be right."""
    assert run.error is not None
    return name in run.error.right.partition("?")[0]


def test_a_suite_that_is_not_there_is_answered_with_the_nearest(project: Path) -> None:
    for verb, *more in (["audit"], ["report"], ["score", "--model", "uniform"]):
        done = colorless(verb, "en_sampel", *more, cwd=project)
        refused(done, "missing", "en_sampel")
        assert suggests(done, "en_sample"), verb
    done = colorless("report", "en_sampel*", cwd=project)  # nothing there was scored
    refused(done, "unknown", "en_sampel*")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("it_isdd", "it_isdt"), ("UD_Italian-ISTD", "UD_Italian-ISDT"), ("blmip", "blimp")],
)
def test_a_name_to_fetch_is_answered_with_the_nearest(
    tmp_path: Path, typed: str, meant: str
) -> None:
    done = colorless("fetch", typed, cwd=tmp_path)
    refused(done, "unknown", repr(typed))
    assert suggests(done, meant)
