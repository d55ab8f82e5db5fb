"""The learning curve: what is noted after every epoch of a training, as a table and as a figure.

The figure has held-out perplexity, and accuracy beside it, over epochs: one line a seed, thin, a
dot at the epoch whose weights were kept; of several seeds also their mean, thick, as far as all of
them got. The same curves give the same bytes with one Matplotlib.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import exp
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...data import schema
from ...data.errors import InputError
from ...data.files import write_whole
from ...data.tables import Row, frame, read_tsv, write_table
from ..questions.query import Scorer
from .sizes import best

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CURVE, FIGURE = "curve.tsv", "curve.svg"
WIDTH, HEIGHT = 4.2, 3.2  # inches, of one panel
HELD_OUT, TRAINING, ACCURACY = "#1f6f50", "#8a8a8a", "#1f4e8c"
MARGIN = 1.08  # of the highest and lowest value; a training's first epoch may leave the picture
HIGHEST = 50.0  # nats; a first epoch can be so bad that its perplexity is no number
STYLE = Path(__file__).with_name("curve.mplstyle")


@dataclass(frozen=True, slots=True)
class Epoch:
    """A row of the learning curve: the figures recorded after an epoch.

    Attributes:
        epoch: its number, from 1.
        step: batches learned from since the start.
        lr: the learning rate at its last batch.
        train_loss: mean nats per unit of the epoch's batches, as they were learned from.
        valid_loss: mean nats per unit of the held-out text, after it.
        accuracy: of the model as it stood on `suite`, 0 to 1; `None` where no item of it counts.
        suite: name of the suite that was asked; "" for none.
        seconds: that it took, the held-out text included.
    """

    epoch: int
    step: int
    lr: float
    train_loss: float
    valid_loss: float
    accuracy: float | None
    suite: str
    seconds: float

    def row(self) -> Row:
        """Return the epoch as a row of the table, with its perplexity."""
        return {**asdict(self), "valid_perplexity": exp(self.valid_loss)}


@dataclass(frozen=True, slots=True)
class EpochSuite:
    """A suite that the model so far is asked after every epoch.

    Attributes:
        suite: its name.
        accuracy: model → accuracy, 0 to 1; `None` where no item of it counts.
    """

    suite: str
    accuracy: Callable[[Scorer], float | None]


def write_curve(path: Path, epochs: Sequence[Epoch]) -> None:
    """Write the table of all epochs so far."""
    write_table(path, frame((epoch.row() for epoch in epochs), schema.CURVE))


def write_curves(path: Path, curves: Mapping[int, Sequence[Epoch]]) -> None:
    """Write the learning curves of several trainings as one table.

    Args:
        path: the file; its ending says the format.
        curves: seed → epochs.

    >>> write_curves(Path("curves.tsv"), {7: [Epoch(1, 40, 0.01, 4.5, 4.2, None, "", 2.5)]})
    >>> Path("curves.tsv").read_text().split("\\n")[0].split("\\t")[:4]
    ['seed', 'epoch', 'step', 'lr']
    """
    rows = ({"seed": seed, **epoch.row()} for seed, epochs in curves.items() for epoch in epochs)
    write_table(path, frame(rows, {"seed": int, **schema.CURVE}))


def read_curve(path: Path) -> tuple[Epoch, ...]:
    """Read the learning curve of one training.

    Args:
        path: the file that `write_curve` wrote.

    Returns:
        Its epochs, in order; empty where there is no such file.

    Raises:
        InputError: the file is another one.

    >>> write_curve(Path("curve.tsv"), [Epoch(1, 40, 0.01, 4.5, 4.2, None, "", 2.5)])
    >>> read_curve(Path("curve.tsv"))[0].valid_loss
    4.2
    """
    if not path.is_file():
        return ()
    kinds: dict[str, Any] = {**schema.CURVE}
    del kinds["valid_perplexity"]
    curve = []
    try:
        for row in read_tsv(path, schema.CURVE):
            values = {name: kind(row[name]) for name, kind in kinds.items() if row[name]}
            curve.append(Epoch(**{"accuracy": None, "suite": "", **values}))
    except (ValueError, TypeError):
        wrong, right = "a cell is no number", f"a {CURVE} of colorless train"
        raise InputError(str(path), wrong, right, kind="format") from None
    return tuple(curve)


def best_accuracy(epochs: Sequence[Epoch], suite: str) -> float | None:
    """Return the accuracy on `suite` after the epoch whose weights are kept, if it was asked
    then."""
    best_epoch = epochs[best([epoch.valid_loss for epoch in epochs])] if epochs else None
    return best_epoch.accuracy if best_epoch is not None and best_epoch.suite == suite else None


def draw_curves(path: Path, curves: Sequence[Sequence[Epoch]], unit: str) -> None:
    """Draws the learning curves of trainings of one setting, as SVG.

    Args:
        path: the file.
        curves: the epochs of each training, one or more. Accuracies are drawn of the suite asked
            last.
        unit: what a perplexity is per, as `word`.
    """
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    suites = [epoch.suite for curve in curves for epoch in curve if epoch.accuracy is not None]
    with matplotlib.rc_context(fname=STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # in a suite's name
        n_panels = 2 if suites else 1
        figure = Figure(figsize=(WIDTH * n_panels, HEIGHT), layout="constrained")
        panels = figure.subplots(1, n_panels, squeeze=False)[0]
        _perplexity(panels[0], curves)
        panels[0].set_title(f"perplexity per {unit}")
        if suites:
            suite = suites[-1]

            def share(epoch: Epoch) -> float | None:
                return epoch.accuracy and 100 * epoch.accuracy if epoch.suite == suite else None

            _lines(panels[1], curves, share, "accuracy", ACCURACY)
            panels[1].set_ylim(top=min(panels[1].get_ylim()[1], 101.0))
            panels[1].set_title(f"accuracy on {suite}, per cent")
        n_epochs = max(map(len, curves))
        margin = max(0.3, 0.03 * n_epochs)
        for axes in panels:
            axes.set_xlim(1 - margin, n_epochs + margin)
            axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))
            axes.set_xlabel("epoch")
            axes.grid(axis="y", which="major")
            axes.set_axisbelow(True)
        with write_whole(path) as stream:
            figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})


def _perplexity(axes: "Axes", curves: Sequence[Sequence[Epoch]]) -> None:
    """Training dashed, held-out in full; from 1, 2 and 5 times powers of ten, or, where less than
    a power of ten lies between lowest and highest, evenly set ones."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter

    learned = [[exp(min(epoch.train_loss, HIGHEST)) for epoch in curve] for curve in curves]
    style: dict[str, Any] = {"color": TRAINING, "linestyle": (0, (4, 2)), "linewidth": 1.2}
    means = _means(learned)
    axes.plot(range(1, len(means) + 1), means, label="training", **style)
    held_out = _lines(
        axes, curves, lambda epoch: exp(min(epoch.valid_loss, HIGHEST)), "held-out", HELD_OUT
    )
    displayed = [value for line in (*held_out, *(line[1:] for line in learned)) for value in line]
    low, high = min(displayed) / MARGIN, max(displayed) * MARGIN
    ticks = [digit * 10.0**power for power in range(-1, 12) for digit in (1, 2, 5)]
    if high < 10 * low:
        ticks = list(MaxNLocator(6, steps=[1, 2, 5, 10]).tick_values(low, high))
    axes.set_yscale("log")
    axes.set_yticks([tick for tick in ticks if low <= tick <= high])
    axes.set_ylim(low, high)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.tick_params(axis="y", which="minor", length=0)
    axes.legend(frameon=False, handlelength=1.8)


def _lines(
    axes: "Axes",
    curves: Sequence[Sequence[Epoch]],
    value: Callable[[Epoch], float | None],
    series: str,
    colour: str,
) -> list[list[float]]:
    """Each seed's line with its dot, and the mean of several; the values of each line."""
    alone = len(curves) == 1
    style: dict[str, Any] = {"linewidth": 2.0} if alone else {"linewidth": 0.8, "alpha": 0.45}
    lines = []
    for nth, curve in enumerate(curves):
        points = {epoch.epoch: level for epoch in curve if (level := value(epoch)) is not None}
        lines.append(list(points.values()))
        axes.plot(list(points), lines[-1], color=colour, label=series if alone else None, **style)
        best_epoch = best([epoch.valid_loss for epoch in curve]) + 1
        if best_epoch in points:
            label = "weights kept" if nth == 0 else None
            axes.plot(
                [best_epoch], [points[best_epoch]], "o", color=colour, markersize=4, label=label
            )
    if not alone:
        means, label = _means(lines), f"{series}, mean of {len(curves)} seeds"
        axes.plot(range(1, len(means) + 1), means, color=colour, linewidth=2.2, label=label)
    return lines


def _means(lines: Sequence[Sequence[float]]) -> list[float]:
    """Return the mean of several lines, at each epoch that all have."""
    return [sum(values) / len(lines) for values in zip(*lines, strict=False)]
