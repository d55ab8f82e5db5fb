"""Who is shown: people and models, each with a short label, a shape and a colour.

Shape and colour go together everywhere on the page, so that neither has to be told from the other
alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from colorless_green.humans.page.material import TOY, Material
from colorless_green.humans.page.tables import text
from colorless_green.humans.rated import HUMANS
from colorless_green.humans.rows import short_labels

PEOPLE_SHAPE = "star"
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
    """People first (if anybody was asked), then models: runs in order, then groups. Models whose
    group has a mean of several are represented by that mean."""
    if material.suites is not None:
        names = [name for name in material.suites.raters if name != HUMANS]
    else:
        known = {run.model for run in material.runs}
        groups = [name for name in material.outcomes if name not in known]
        models = dict.fromkeys(run.model for run in material.runs if run.group not in groups)
        names = [*models, *groups]
    asked = people(material)
    return (*([asked] if asked else []), *series(names, labels_of(material, names)))


def series(names: Sequence[str], labels: Mapping[str, str] | None = None) -> list[Rater]:
    """One after the other, each with a shape and a colour."""
    return [
        Rater(name, labels[name] if labels else name or "sentence", SHAPES[n % len(SHAPES)],
              1 + n % N_COLOURS)
        for n, name in enumerate(names)
    ]  # fmt: skip


def labels_of(material: Material, names: Sequence[str]) -> Mapping[str, str]:
    """Short labels, with what a reader must know wherever they stand: that a model is a toy, and
    how it was asked where that is not the same for all."""
    methods = {name: run.method for run in material.runs for name in (run.group, run.model)}
    uneven = len({run.method for run in material.runs}) > 1 and material.suites is None
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


def of_rows(rows: Sequence[Mapping[str, object]], raters: Sequence[Rater]) -> list[Rater]:
    """The raters that some row is about."""
    names = {text(row, "rater") for row in rows}  # type: ignore[arg-type]
    return [rater for rater in raters if rater.name in names]
