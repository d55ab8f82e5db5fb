"""The learning curve as a figure: held-out perplexity, and accuracy beside it, over epochs.

One line a seed, thin, a dot at the epoch whose weights were kept; of several seeds also their mean,
thick, as far as all of them got. The same curves give the same bytes with one Matplotlib.
"""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from math import exp
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from colorless_green.data.files import write_whole
from colorless_green.scoring.training.curve import Epoch
from colorless_green.scoring.training.schedule import best

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FIGURE = "curve.svg"
WIDTH, HEIGHT = 4.2, 3.2  # inches, of one panel
INK, SOFT, RULE = "#1c1c1c", "#6b6b6b", "#e2e2e2"
COLOURS = {"held-out": "#1f6f50", "training": "#8a8a8a", "accuracy": "#1f4e8c"}
N_TICKS = 8
MARGIN = 1.08  # of the highest and lowest value; a training's first epoch may leave the picture
HIGHEST = 50.0  # nats; a first epoch can be so bad that its perplexity is no number
SETTINGS: dict[str, Any] = {
    "svg.hashsalt": "colorless",  # ids of clips and markers are made of it, not of chance
    "svg.fonttype": "path",  # letters look alike on every machine
    "font.family": "DejaVu Sans",  # comes with Matplotlib
    "font.size": 10,
    "text.parse_math": False,  # a `$` in a suite's name is a `$`
    "text.color": INK,
    "axes.edgecolor": SOFT,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "grid.color": RULE,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
}

Line = Mapping[int, float]
"""Epoch (from 1) → value"""


def available() -> bool:
    """Whether Matplotlib is installed (it comes with the extra `humans`)."""
    return find_spec("matplotlib") is not None


def draw_curves(path: Path, curves: Sequence[Sequence[Epoch]], unit: str) -> None:
    """Writes the figure of one or more trainings of one setting, each with an epoch or more, as
    SVG; `unit` is what a perplexity is per. Accuracies are drawn of the suite asked last."""
    import matplotlib
    from matplotlib.figure import Figure

    asked = [each.suite for curve in curves for each in curve if each.accuracy is not None]
    suite = asked[-1] if asked else ""
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # in a suite's name
        matplotlib.rcdefaults()
        parameters: Any = matplotlib.rcParams  # its keys are typed one by one
        parameters.update(SETTINGS)
        n_panels = 2 if suite else 1
        figure = Figure(figsize=(WIDTH * n_panels, HEIGHT), layout="constrained")
        panels = figure.subplots(1, n_panels, squeeze=False)[0]
        _perplexity(panels[0], curves, unit)
        if suite:
            _accuracy(panels[1], curves, suite)
        n_epochs = max(epoch.epoch for curve in curves for epoch in curve)
        for axes in panels:
            _epochs(axes, n_epochs)
        with write_whole(path) as stream:
            figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})


def _perplexity(axes: "Axes", curves: Sequence[Sequence[Epoch]], unit: str) -> None:
    from matplotlib.ticker import FuncFormatter, NullFormatter

    training = [_perplexities((each.epoch, each.train_loss) for each in own) for own in curves]
    held_out = [_perplexities((each.epoch, each.valid_loss) for each in own) for own in curves]
    _thick(axes, mean(training), "training", linestyle=(0, (4, 2)), linewidth=1.2)
    _lines(axes, held_out, curves, "held-out")
    shown = [value for line in held_out for value in line.values()]
    shown += [value for line in training for epoch, value in line.items() if epoch > 1]
    low, high = min(shown) / MARGIN, max(shown) * MARGIN
    axes.set_yscale("log")
    axes.set_yticks(ticks(low, high))
    axes.set_ylim(low, high)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.tick_params(axis="y", which="minor", length=0)
    axes.set_title(f"perplexity per {unit}")
    axes.legend(frameon=False, handlelength=1.8)


def _perplexities(losses: Iterable[tuple[int, float]]) -> dict[int, float]:
    return {epoch: exp(min(nats, HIGHEST)) for epoch, nats in losses}


def _accuracy(axes: "Axes", curves: Sequence[Sequence[Epoch]], suite: str) -> None:
    accuracies = [
        {
            each.epoch: 100 * each.accuracy
            for each in curve
            if each.accuracy is not None and each.suite == suite
        }
        for curve in curves
    ]
    _lines(axes, accuracies, curves, "accuracy")
    axes.set_ylim(top=min(axes.get_ylim()[1], 101.0))
    axes.set_title(f"accuracy on {suite}, per cent")


def _lines(
    axes: "Axes", lines: Sequence[Line], curves: Sequence[Sequence[Epoch]], what: str
) -> None:
    """Each seed's line with its dot, and the mean of several."""
    alone = len(lines) == 1
    for nth, (line, curve) in enumerate(zip(lines, curves, strict=True)):
        kept = best([each.valid_loss for each in curve]) + 1
        axes.plot(
            list(line),
            list(line.values()),
            color=COLOURS[what],
            linewidth=2.0 if alone else 0.8,
            alpha=1.0 if alone else 0.45,
            label=what if alone else None,
        )
        if kept in line:
            label = "weights kept" if nth == 0 else None
            axes.plot([kept], [line[kept]], "o", color=COLOURS[what], markersize=4, label=label)
    if not alone:
        _thick(axes, mean(lines), f"{what}, mean of {len(lines)} seeds", COLOURS[what])


def _thick(
    axes: "Axes", line: Line, label: str, colour: str = COLOURS["training"], **style: Any
) -> None:
    style = {"linewidth": 2.2, **style}
    axes.plot(list(line), list(line.values()), color=colour, label=label, **style)


def _epochs(axes: "Axes", n_epochs: int) -> None:
    step = max(1, -(-n_epochs // N_TICKS))
    axes.set_xticks(range(step, n_epochs + 1, step) if step > 1 else range(1, n_epochs + 1))
    margin = max(0.3, 0.03 * n_epochs)
    axes.set_xlim(1 - margin, n_epochs + margin)
    axes.set_xlabel("epoch")
    axes.grid(axis="y", which="major")
    axes.set_axisbelow(True)


def mean(lines: Sequence[Line]) -> dict[int, float]:
    """The mean of several lines, at each epoch where all have a value."""
    return {
        epoch: fmean(line[epoch] for line in lines)
        for epoch in lines[0]
        if all(epoch in line for line in lines)
    }


def ticks(low: float, high: float) -> list[float]:
    """Round numbers between two above 0: 1, 2 and 5 times powers of ten, or, where less than a
    power of ten lies between the two, evenly set ones."""
    from matplotlib.ticker import MaxNLocator

    if high < 10 * low:
        found = MaxNLocator(6, steps=[1, 2, 5, 10]).tick_values(low, high)
    else:
        found = [digit * 10.0**power for power in range(-1, 12) for digit in (1, 2, 5)]
    return [float(each) for each in found if low <= each <= high]
