"""Table: which models ran, under which signatures, and what they may have seen before."""

from colorless_green.humans.report.material import Material
from colorless_green.humans.report.numbers import NONE
from colorless_green.humans.report.parts import Cell, Table, heading
from colorless_green.humans.report.raters import short_labels


def table(material: Material) -> Table | None:
    """One row a run; None without runs."""
    if not material.runs:
        return None
    labels = short_labels(list(dict.fromkeys(run.model for run in material.runs)))
    return Table(
        name="runs",
        title="Models and their signatures",
        columns=(
            heading("model"),
            heading("group"),
            heading("device"),
            heading("perplexity", "number"),
            heading("seen before?"),
            heading("signature", "code"),
        ),
        rows=tuple(
            (
                Cell(labels[run.model], run.model if labels[run.model] != run.model else ""),
                Cell(run.group or NONE),
                Cell(run.device or NONE),
                Cell(
                    NONE if run.perplexity is None else f"{run.perplexity:,.1f}",
                    "" if run.perplexity is None else f"per {run.perplexity_unit}",
                    sort="number",
                ),
                Cell(run.exposure or "not known"),
                Cell(run.signature, sort="code"),
            )
            for run in material.runs
        ),
        note=(
            "A signature says everything that the numbers depend on. Perplexities are on held-out"
            " text; they can be compared only between models with the same units and text."
        ),
    )
