"""The learning curve as a figure: held-out perplexity, and accuracy beside it, over epochs.

One line a seed, thin, a dot at the epoch whose weights were kept; of several seeds also their mean,
thick, as far as all of them got. The same curves give the same bytes with one Matplotlib.
"""

import warnings
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from math import exp
from pathlib import Path
from typing import TYPE_CHECKING, Any

from colorless_green.data.files import write_whole
from colorless_green.scoring.training.curve import Epoch
from colorless_green.scoring.training.sizes import best

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FIGURE = "curve.svg"
WIDTH, HEIGHT = 4.2, 3.2  # inches, of one panel
INK, SOFT, RULE = "#1c1c1c", "#6b6b6b", "#e2e2e2"
HELD_OUT, TRAINING, ACCURACY = "#1f6f50", "#8a8a8a", "#1f4e8c"
MARGIN = 1.08  # of the highest and lowest value; a training's first epoch may leave the picture
HIGHEST = 50.0  # nats; a first epoch can be so bad that its perplexity is no number
SETTINGS: dict[str, Any] = {
    "svg.hashsalt": "colorless",  # ids of clips and markers are made of it, not of chance
    "svg.fonttype": "path",  # letters look alike on every machine
    "font.family": "DejaVu Sans",  # comes with Matplotlib
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


def available() -> bool:
    """Whether Matplotlib is installed (it comes with the extra `humans`)."""
    return find_spec("matplotlib") is not None


def draw_curves(path: Path, curves: Sequence[Sequence[Epoch]], unit: str) -> None:
    """Writes the figure of one or more trainings of one setting, each with an epoch or more, as
    SVG; `unit` is what a perplexity is per. Accuracies are drawn of the suite asked last."""
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    asked = [each.suite for curve in curves for each in curve if each.accuracy is not None]
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # in a suite's name
        matplotlib.rcdefaults()
        parameters: Any = matplotlib.rcParams  # its keys are typed one by one
        parameters.update(SETTINGS)
        n_panels = 2 if asked else 1
        figure = Figure(figsize=(WIDTH * n_panels, HEIGHT), layout="constrained")
        panels = figure.subplots(1, n_panels, squeeze=False)[0]
        _perplexity(panels[0], curves)
        panels[0].set_title(f"perplexity per {unit}")
        if asked:
            suite = asked[-1]
            _lines(
                panels[1],
                curves,
                lambda each: each.accuracy and 100 * each.accuracy if each.suite == suite else None,
                "accuracy",
                ACCURACY,
            )
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

    learned = [[exp(min(each.train_loss, HIGHEST)) for each in curve] for curve in curves]
    held_out = [[exp(min(each.valid_loss, HIGHEST)) for each in curve] for curve in curves]
    style: dict[str, Any] = {"color": TRAINING, "linestyle": (0, (4, 2)), "linewidth": 1.2}
    means = _means(learned)
    axes.plot(range(1, len(means) + 1), means, label="training", **style)
    _lines(axes, curves, lambda each: exp(min(each.valid_loss, HIGHEST)), "held-out", HELD_OUT)
    shown = [*(value for line in held_out for value in line)]
    shown += [value for line in learned for value in line[1:]]
    low, high = min(shown) / MARGIN, max(shown) * MARGIN
    found = [digit * 10.0**power for power in range(-1, 12) for digit in (1, 2, 5)]
    if high < 10 * low:
        found = list(MaxNLocator(6, steps=[1, 2, 5, 10]).tick_values(low, high))
    axes.set_yscale("log")
    axes.set_yticks([each for each in found if low <= each <= high])
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
) -> None:
    """Each seed's line with its dot, and the mean of several."""
    alone = len(curves) == 1
    style: dict[str, Any] = {"linewidth": 2.0} if alone else {"linewidth": 0.8, "alpha": 0.45}
    lines = []
    for nth, curve in enumerate(curves):
        points = {each.epoch: found for each in curve if (found := value(each)) is not None}
        lines.append(list(points.values()))
        axes.plot(list(points), lines[-1], color=colour, label=what if alone else None, **style)
        kept = best([each.valid_loss for each in curve]) + 1
        if kept in points:
            label = "weights kept" if nth == 0 else None
            axes.plot([kept], [points[kept]], "o", color=colour, markersize=4, label=label)
    if not alone:
        means, label = _means(lines), f"{what}, mean of {len(curves)} seeds"
        axes.plot(range(1, len(means) + 1), means, color=colour, linewidth=2.2, label=label)


def _means(lines: Sequence[Sequence[float]]) -> list[float]:
    """The mean of several lines, at each epoch that all have."""
    return [sum(values) / len(lines) for values in zip(*lines, strict=False)]
