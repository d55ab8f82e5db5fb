"""Component oracle. The learning curve: its table."""

from pathlib import Path

from colorless_green.scoring import read_curve
from colorless_green.scoring.training.trained_files import Epoch, write_curves
from tests.builders import mistake


def curve(*losses: float, accuracy: float | None = 0.5, suite: str = "toy") -> list[Epoch]:
    """Return an epoch for each held-out loss."""
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
