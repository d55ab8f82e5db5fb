"""The learning curve: its table, and its figure."""

import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from colorless_green.scoring import Epoch, draw_curves, read_curve, write_curves
from tests.builders import mistake


def curve(*losses: float, accuracy: float | None = 0.5, suite: str = "toy") -> list[Epoch]:
    """An epoch for each held-out loss."""
    return [
        Epoch(n, 10 * n, 0.1, loss + 0.1, loss, accuracy, suite, 1.5)
        for n, loss in enumerate(losses, start=1)
    ]


def test_a_curve_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "curve.tsv"
    assert read_curve(path) == ()
    header = "epoch step lr train_loss valid_loss valid_perplexity accuracy suite seconds"
    row = "1 10 0.1 2.1 2.0 7.39 0.5 toy 1.5"
    path.write_text("".join(f"{each.replace(' ', chr(9))}\n" for each in (header, row)), "utf-8")
    assert read_curve(path) == tuple(curve(2.0))
    path.write_text(path.read_text("utf-8").replace("10", "ten"), encoding="utf-8")
    with mistake("format", path):
        read_curve(path)


def test_the_curves_of_several_seeds_are_one_table(tmp_path: Path) -> None:
    write_curves(tmp_path / "curve.tsv", {3: curve(2.0, 1.5), 1: curve(1.0)})
    rows = (tmp_path / "curve.tsv").read_text("utf-8").splitlines()
    assert rows[0].split("\t")[:3] == ["seed", "epoch", "step"]
    assert [row.split("\t")[:2] for row in rows[1:]] == [["3", "1"], ["3", "2"], ["1", "1"]]


def drawn(path: Path, *curves: list[Epoch]) -> str:
    """The figure of these trainings."""
    draw_curves(path, curves, "word")
    return path.read_text("utf-8")


@pytest.mark.slow
def test_the_same_curves_give_the_same_bytes_whatever_they_took(tmp_path: Path) -> None:
    slow = [replace(each, seconds=99.0) for each in curve(3.0, 2.0)]
    assert slow != curve(3.0, 2.0)
    first = drawn(tmp_path / "a.svg", curve(3.0, 2.0))
    assert first == drawn(tmp_path / "b.svg", slow)
    assert first != drawn(tmp_path / "c.svg", curve(3.0, 1.5))
    assert "dc:date" not in first


@pytest.mark.slow
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


@pytest.mark.slow
def test_several_seeds_are_a_line_each_and_their_mean_in_either_panel(tmp_path: Path) -> None:
    one = drawn(tmp_path / "a.svg", curve(3.0, 2.0))
    assert n_lines(one) == 3  # training, held-out; accuracy
    three = drawn(tmp_path / "b.svg", curve(3.0, 2.0), curve(3.1, 2.2), curve(3.0, 2.5, 2.0))
    assert n_lines(three) == 9  # training, three held-out and their mean; three and theirs
    alone = drawn(tmp_path / "c.svg", curve(3.0, 2.0, accuracy=None, suite=""))
    assert n_lines(alone) == 2


@pytest.mark.slow
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


def vertices(svg: str) -> list[int]:
    """How many points each line of data has, in the order they are drawn."""
    found = []
    for group in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}g"):
        if group.get("id", "").startswith("line2d"):
            for path in group.findall("{http://www.w3.org/2000/svg}path"):
                if path.get("clip-path") and "#e2e2e2" not in path.get("style", ""):
                    found.append(path.get("d", "").count("L") + 1)
    return found


@pytest.mark.slow
@given(st.lists(st.integers(1, 9), min_size=2, max_size=4))
@settings(max_examples=3)
def test_a_mean_goes_as_far_as_all_seeds_did(
    tmp_path_factory: pytest.TempPathFactory, lengths: list[int]
) -> None:
    path = tmp_path_factory.mktemp("curves") / "a.svg"
    curves = [curve(*(2.0 + n / 7 for n in range(length))) for length in lengths]
    found = vertices(drawn(path, *curves))
    assert found.count(min(lengths)) >= 3  # training, held-out, accuracy
    for length in lengths:
        assert length in found


@pytest.mark.parametrize("losses", [(900.0, 2.0), (2.0, 2.0, 2.0), (0.01, 0.02), (9.0, 0.1)])
def test_there_are_some_ticks_in_every_range(losses: tuple[float, ...], tmp_path: Path) -> None:
    root = ET.fromstring(drawn(tmp_path / "a.svg", curve(*losses)))
    groups = list(root.iter("{http://www.w3.org/2000/svg}g"))
    for axis in (each for each in groups if each.get("id", "").startswith("matplotlib.axis_")):
        labels = [each for each in axis.iter() if each.get("id", "").startswith("text_")]
        assert 2 <= len(labels) <= 40
