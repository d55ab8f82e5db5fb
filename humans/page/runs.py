"""Table: which models ran, under which signatures, and what they may have seen before."""

from collections.abc import Mapping, Sequence

from colorless_green.humans.page.material import Material, Run
from colorless_green.humans.page.numbers import NONE
from colorless_green.humans.page.parts import Cell, Table, heading
from colorless_green.humans.page.raters import TOY, labels_of

READ: Mapping[str, str] = {  # how the signatures of models begin that did not run here → where from
    "published:": "a published file",
    "model:table|": "a table of surprisals",
}


def own_runs(runs: Sequence[Run]) -> list[Run]:
    """Those of models that were run here, of which it is known how they read a sentence."""
    return [run for run in runs if not run.signature.startswith(tuple(READ))]


def table(material: Material) -> Table | None:
    """One row a run; None without runs."""
    if not material.runs:
        return None
    labels = labels_of(material, list(dict.fromkeys(run.model for run in material.runs)))
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
                Cell(labels[run.model], _whole_name(run, labels[run.model])),
                Cell(run.group or NONE),
                Cell(run.device or NONE),
                Cell(
                    NONE if run.perplexity is None else f"{run.perplexity:,.1f}",
                    "" if run.perplexity is None else f"per {run.perplexity_unit}",
                    sort="number",
                    value=run.perplexity,
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


def _whole_name(run: Run, label: str) -> str:
    """What the short label leaves out: the name, and why a toy is one."""
    parts = [run.model if label != run.model else "", run.toy if run.toy != TOY else ""]
    return "; ".join(filter(None, parts))
