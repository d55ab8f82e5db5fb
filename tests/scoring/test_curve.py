"""The learning curve: its table, and its figure."""

import math
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.scoring import Epoch, draw_curves, read_curve, write_curves
from colorless_green.scoring.training.curve import kept_accuracy, write_curve
from colorless_green.scoring.training.figure import mean, ticks

lines = st.dictionaries(st.integers(1, 9), st.floats(0, 100), max_size=9)


def curve(*losses: float, accuracy: float | None = 0.5, suite: str = "toy") -> list[Epoch]:
    """An epoch for each held-out loss."""
    return [
        Epoch(n, 10 * n, 0.1, loss + 0.1, loss, accuracy, suite, 1.5)
        for n, loss in enumerate(losses, start=1)
    ]


def test_a_curve_is_read_as_it_was_written(tmp_path: Path) -> None:
    for epochs in (curve(2.0, 1.5), curve(2.25, accuracy=None, suite="")):
        write_curve(tmp_path / "curve.tsv", epochs)
        assert read_curve(tmp_path / "curve.tsv") == tuple(epochs)
    assert read_curve(tmp_path / "none.tsv") == ()


def test_a_curve_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "curve.tsv"
    write_curve(path, curve(2.0))
    path.write_text(path.read_text("utf-8").replace("2", "two"), encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_curve(path)
    assert str(error.value) == f"{path}: a cell is no number; a curve.tsv of colorless train"


def test_the_curves_of_several_seeds_are_one_table(tmp_path: Path) -> None:
    write_curves(tmp_path / "curve.tsv", {3: curve(2.0, 1.5), 1: curve(1.0)})
    rows = (tmp_path / "curve.tsv").read_text("utf-8").splitlines()
    assert rows[0].split("\t")[:3] == ["seed", "epoch", "step"]
    assert [row.split("\t")[:2] for row in rows[1:]] == [["3", "1"], ["3", "2"], ["1", "1"]]


def test_the_kept_accuracy_is_that_of_the_best_epoch_on_the_suite_that_is_meant() -> None:
    epochs = [*curve(2.0, accuracy=0.5), *curve(1.0, accuracy=0.75), *curve(1.5, accuracy=1.0)]
    assert kept_accuracy(epochs, "toy") == 0.75
    assert kept_accuracy(epochs, "other") is None
    assert kept_accuracy([], "toy") is None


def drawn(path: Path, *curves: list[Epoch]) -> str:
    """The figure of these trainings."""
    draw_curves(path, curves, "word")
    return path.read_text("utf-8")


def test_the_same_curves_give_the_same_bytes_whatever_they_took(tmp_path: Path) -> None:
    slow = [replace(each, seconds=99.0) for each in curve(3.0, 2.0)]
    assert slow != curve(3.0, 2.0)
    first = drawn(tmp_path / "a.svg", curve(3.0, 2.0))
    assert first == drawn(tmp_path / "b.svg", slow)
    assert first != drawn(tmp_path / "c.svg", curve(3.0, 1.5))
    assert "dc:date" not in first


def test_the_figure_leaves_the_users_settings_alone(tmp_path: Path) -> None:
    import matplotlib

    before = matplotlib.rcParams["svg.hashsalt"], matplotlib.rcParams["font.size"]
    drawn(tmp_path / "a.svg", curve(3.0, 2.0))
    assert (matplotlib.rcParams["svg.hashsalt"], matplotlib.rcParams["font.size"]) == before


def n_lines(svg: str) -> int:
    """Lines of data: what is drawn and not filled, within the axes, and no tick or grid."""
    root = ET.fromstring(svg)
    name = "{http://www.w3.org/2000/svg}"
    found = [
        path
        for group in root.iter(f"{name}g")
        if group.get("id", "").startswith("line2d")
        for path in group.findall(f"{name}path")
        if path.get("clip-path") and "fill: none" in path.get("style", "")
    ]
    grid = [path for path in found if "#e2e2e2" in path.get("style", "")]
    return len(found) - len(grid)


def test_several_seeds_are_a_line_each_and_their_mean_in_either_panel(tmp_path: Path) -> None:
    one = drawn(tmp_path / "a.svg", curve(3.0, 2.0))
    assert n_lines(one) == 3  # training, held-out; accuracy
    three = drawn(tmp_path / "b.svg", curve(3.0, 2.0), curve(3.1, 2.2), curve(3.0, 2.5, 2.0))
    assert n_lines(three) == 9  # training, three held-out and their mean; three and theirs
    alone = drawn(tmp_path / "c.svg", curve(3.0, 2.0, accuracy=None, suite=""))
    assert n_lines(alone) == 2


@pytest.mark.filterwarnings("error")
def test_odd_curves_are_drawn_whole_and_with_numbers_alone(tmp_path: Path) -> None:
    odd = {
        "one epoch": [curve(2.0)],
        "a bad start, odd letters": [curve(900.0, 2.0, suite="一致 $x_1$")],
        "level": [curve(2.0, 2.0, 2.0)],
        "accuracy of one seed only": [curve(2.0, 1.0), curve(2.0, 1.0, accuracy=None)],
    }
    for number, (name, curves) in enumerate(odd.items()):
        path = tmp_path / f"{number}.svg"
        assert n_lines(drawn(path, *curves)) >= 3, name
        coordinates = path.read_text("utf-8")
        assert "nan" not in coordinates, name
        assert "inf" not in coordinates, name


@given(st.lists(lines, min_size=1, max_size=5))
def test_a_mean_stands_where_every_line_does(found: list[dict[int, float]]) -> None:
    for epoch in range(1, 10):
        here = [line[epoch] for line in found if epoch in line]
        if len(here) == len(found):
            assert mean(found)[epoch] == pytest.approx(math.fsum(here) / len(here))
        else:
            assert epoch not in mean(found)


@given(st.floats(0.5, 1e5), st.floats(1.2, 1e4))
def test_there_are_ticks_in_every_range_and_all_within_it(low: float, ratio: float) -> None:
    found = ticks(low, low * ratio)
    assert 2 <= len(found) <= 16
    assert found == sorted(found)
    assert all(low <= each <= low * ratio for each in found)
