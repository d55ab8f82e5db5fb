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

from colorless_green.data import schema
from colorless_green.data.errors import InputError
from colorless_green.data.files import write_whole
from colorless_green.data.tables import Row, frame, read_tsv, write_table
from colorless_green.scoring.query import Scorer
from colorless_green.scoring.training.sizes import best

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
    """What is noted after an epoch: a row of the learning curve."""

    epoch: int  # from 1
    step: int  # batches learned from since the start
    lr: float  # at its last batch
    train_loss: float  # mean nats per unit of the epoch's batches, as they were learned from
    valid_loss: float  # mean nats per unit of the held-out text, after it
    accuracy: float | None  # of the model as it stood on `suite`; None where no item of it counts
    suite: str  # "" if none was asked
    seconds: float  # that it took, the held-out text included

    def row(self) -> Row:
        """Under schema.CURVE."""
        return {**asdict(self), "valid_perplexity": exp(self.valid_loss)}


@dataclass(frozen=True, slots=True)
class EpochSuite:
    """A suite that the model so far is asked after every epoch."""

    suite: str  # its name
    accuracy: Callable[[Scorer], float | None]  # 0–1; None where no item of it counts


def write_curve(path: Path, epochs: Sequence[Epoch]) -> None:
    """Writes the table of all epochs so far."""
    write_table(path, frame((epoch.row() for epoch in epochs), schema.CURVE))


def write_curves(path: Path, curves: Mapping[int, Sequence[Epoch]]) -> None:
    """Writes the table of several trainings, by their seeds."""
    rows = ({"seed": seed, **epoch.row()} for seed, epochs in curves.items() for epoch in epochs)
    write_table(path, frame(rows, {"seed": int, **schema.CURVE}))


def read_curve(path: Path) -> tuple[Epoch, ...]:
    """Reads what `write_curve` wrote; () where there is no such file.

    Raises:
        InputError: the file is another one.
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


def kept_accuracy(epochs: Sequence[Epoch], suite: str) -> float | None:
    """The accuracy on `suite` after the epoch whose weights are kept, if it was asked then."""
    kept = epochs[best([epoch.valid_loss for epoch in epochs])] if epochs else None
    return kept.accuracy if kept is not None and kept.suite == suite else None


def draw_curves(path: Path, curves: Sequence[Sequence[Epoch]], unit: str) -> None:
    """Writes the figure of one or more trainings of one setting, each with an epoch or more, as
    SVG; `unit` is what a perplexity is per. Accuracies are drawn of the suite asked last."""
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
    shown = [value for line in (*held_out, *(line[1:] for line in learned)) for value in line]
    low, high = min(shown) / MARGIN, max(shown) * MARGIN
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
    what: str,
    colour: str,
) -> list[list[float]]:
    """Each seed's line with its dot, and the mean of several; the values of each line."""
    alone = len(curves) == 1
    style: dict[str, Any] = {"linewidth": 2.0} if alone else {"linewidth": 0.8, "alpha": 0.45}
    lines = []
    for nth, curve in enumerate(curves):
        points = {epoch.epoch: level for epoch in curve if (level := value(epoch)) is not None}
        lines.append(list(points.values()))
        axes.plot(list(points), lines[-1], color=colour, label=what if alone else None, **style)
        kept = best([epoch.valid_loss for epoch in curve]) + 1
        if kept in points:
            label = "weights kept" if nth == 0 else None
            axes.plot([kept], [points[kept]], "o", color=colour, markersize=4, label=label)
    if not alone:
        means, label = _means(lines), f"{what}, mean of {len(curves)} seeds"
        axes.plot(range(1, len(means) + 1), means, color=colour, linewidth=2.2, label=label)
    return lines


def _means(lines: Sequence[Sequence[float]]) -> list[float]:
    """The mean of several lines, at each epoch that all have."""
    return [sum(values) / len(lines) for values in zip(*lines, strict=False)]
