"""Who is shown in the figures: people and models, each with a short label, a shape and a colour.

Shape and colour go together everywhere on the page, so that neither has to be told from the other
alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from colorless_green.humans.page.material import Material
from colorless_green.humans.page.numbers import text
from colorless_green.humans.rated import HUMANS

PEOPLE_SHAPE = "star"
TOY = "toy"  # where no reason is told
SHAPES = ("square", "triangle", "diamond", "circle", "plus", "down", "cross", "pentagon")
N_COLOURS = 7  # --r1 … --r7 of the style sheet; --r0 is people's


@dataclass(frozen=True, slots=True)
class Rater:
    """A model, a group of models, or people (named `humans`)."""

    name: str  # as the tables have it
    label: str  # short and unique
    shape: str
    colour: int  # number of the style sheet's variable


def raters(material: Material) -> tuple[Rater, ...]:
    """People first (if anybody was asked), then models: runs in order, then what else the
    accuracies name. Models whose group has a mean of several are represented by that mean."""
    names = model_names(material)
    labels = labels_of(material, names)
    shown = [
        Rater(name, labels[name], SHAPES[place % len(SHAPES)], 1 + place % N_COLOURS)
        for place, name in enumerate(names)
    ]
    asked = people(material)
    return (asked, *shown) if asked else tuple(shown)


def labels_of(material: Material, names: Sequence[str]) -> Mapping[str, str]:
    """Short labels, with what a reader must know wherever they stand: that a model is a toy, and
    how it was asked where that is not the same for all."""
    methods = {
        text(row, "model") or text(row, "group"): text(row, "method") for row in material.accuracy
    }
    uneven = len(set(methods.values())) > 1
    small = toys(material)
    return {
        name: label
        + (f" ({methods[name]})" if uneven and methods.get(name) else "")
        + (" (toy)" if name in small else "")
        for name, label in short_labels(names).items()
    }


def toys(material: Material) -> dict[str, str]:
    """Models that are toys, and groups that have one, with the reason as far as it is known."""
    found: dict[str, str] = {}
    for run in material.runs:
        if run.toy:
            for name in filter(None, (run.model, run.group)):
                found[name] = run.toy if run.toy != TOY else ""
    return found


def people(material: Material) -> Rater | None:
    """People as a rater; None where nobody answered anything."""
    if not any(tally.total for tally in material.tallies):
        return None
    label = "people (simulated)" if material.simulated else "people"
    return Rater(HUMANS, label, PEOPLE_SHAPE, 0)


def model_names(material: Material) -> list[str]:
    """Names of the models and groups that figures show, each once."""
    if material.suites is not None:
        return [name for name in material.suites.raters if name != HUMANS]
    members: dict[str, set[str]] = {}
    for row in material.accuracy:
        if text(row, "model"):
            members.setdefault(text(row, "group"), set()).add(text(row, "model"))
    grouped = {name for name in means(material) if name and len(members.get(name, ())) > 1}
    hidden = {model for group in grouped for model in members[group]}
    found = [run.model for run in material.runs]
    found += [text(row, "model") for row in material.accuracy]
    models = [name for name in dict.fromkeys(found) if name and name not in hidden]
    return [*models, *(name for name in means(material) if name in grouped)]


def means(material: Material) -> list[str]:
    """Groups that have rows of their own: means over their models."""
    rows = [row for row in material.accuracy if not text(row, "model") and text(row, "group")]
    return list(dict.fromkeys(text(row, "group") for row in rows))


def short_labels(names: Sequence[str]) -> Mapping[str, str]:
    """Labels without the folders of a path: `ngram:demo/models/ngram` is `ngram`.

    A name whose short form is another's too keeps its whole length.
    """
    short = {name: _short(name) for name in names}
    return {
        name: label if list(short.values()).count(label) == 1 else name
        for name, label in short.items()
    }


def _short(name: str) -> str:
    kind, colon, path = name.partition(":")
    if not colon:
        return name
    last = path.replace("\\", "/").rstrip("/").rpartition("/")[2]
    if last.startswith(kind):
        return last
    return f"{kind}:{last}" if last else kind
