"""Judgments as a plain table, and an R script that fits mixed models to it with lme4.

All names in the script's formulas are ours; what the data bring (levels of conditions) is in
strings whose unusual characters are written as numbers, and in cells that no spreadsheet takes for
a formula.
"""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from ...data.files import write_folder, write_whole
from ...data.items.item import Item
from ...data.shell import resource
from ...data.tables import Cell, guarded
from ..judgments.judgment import levels, tallied
from .rater_accuracy import Credits, margins_of

TABLE, SCRIPT = "tidy.csv", "analysis.R"
SCHEMA = {
    **dict.fromkeys(("participant", "source", "item", "condition", "construction"), pl.String),
    **dict.fromkeys(("attractors", "gap", "position"), pl.Int64),
    "rt_ms": pl.Float64,
    "correct": pl.Int64,
}
"""Null: not known of this item or answer. `gap`: tokens between cue and target; `position`: of the
trial in its session, from 1; `correct`: 0 or 1. A column `margin MODEL` follows for each model."""
PICTURES = {code: 0x2400 + code for code in range(32)}  # R ends a line at a carriage return
PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _.-")


def write_tidy(folder: Path, rows: pl.DataFrame) -> None:
    """Write `tidy.csv` (an answer a row, as `observations` gives them) and `analysis.R`."""
    with write_folder(folder, {"made_by": "colorless humans analyse"}) as new:
        with write_whole(new / TABLE) as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(map(cell, rows.columns))
            for row in rows.iter_rows():
                writer.writerow(map(cell, row))
        with write_whole(new / SCRIPT) as stream:
            stream.write(script(rows))


def observations(
    trials: pl.DataFrame, items: Mapping[str, Item], outcomes: Mapping[str, Credits]
) -> pl.DataFrame:
    """Return the answered targets in their order, with the columns of `SCHEMA` and the margin (in
    bits) of each model; null where it is not finite."""
    margins = {f"margin {model}": margins_of(credits) for model, credits in outcomes.items()}
    facts = pl.DataFrame(
        {
            "item": list(items),
            "source": [item.cluster_id for item in items.values()],
            "kind": [item.kind for item in items.values()],
            "attractors": [tallied(item, 0, 0).n_attractors for item in items.values()],
            "gap": [item.agreement.gap if item.agreement else None for item in items.values()],
            **{name: [of_model.get(item) for item in items] for name, of_model in margins.items()},
        },
        {"item": str, "source": str, "kind": str, "attractors": int, "gap": int}
        | dict.fromkeys(margins, float),
    )
    answers = trials.filter(pl.col("correct").is_not_null(), kind="target")
    joined = answers.drop("source", "kind").join(facts, on="item", maintain_order="left")
    condition = pl.when(pl.col("condition") == "").then("kind").otherwise("condition")
    finite = (pl.when(pl.col(name).is_finite()).then(name).alias(name) for name in margins)
    return joined.with_columns(condition.alias("condition"), *finite).select(*SCHEMA, *margins)


def cell(value: Cell) -> Cell:
    """Return a cell that no spreadsheet runs and no reader breaks in two: control characters become
    their pictures (U+2400 to U+241F). Texts without them stay different."""
    return guarded(value.translate(PICTURES)) if isinstance(value, str) else value


def script(rows: pl.DataFrame) -> str:
    """Return the R script: it reads the table and fits condition, attractors and their interaction,
    as far as they vary, with the maximal random slopes first."""
    variables = [
        name for name in ("condition", "attractors") if rows[name].drop_nulls().n_unique() > 1
    ]
    conditions = levels(rows["condition"])
    contrasts = [f"condition_{n}" for n in range(2, len(conditions) + 1)]
    by_variable = {"condition": contrasts, "attractors": ["attractors"]}

    def terms(names: Sequence[str]) -> list[str]:
        """Return the main effects and the interaction of variables."""
        main = [term for name in names for term in by_variable[name]]
        crossed = [f"{contrast}:attractors" for contrast in contrasts] if len(names) == 2 else []
        return [*main, *crossed]

    groupings = {
        grouping: [
            name
            for name in variables
            if rows.drop_nulls(name).n_unique([grouping, name])
            > rows.drop_nulls(name)[grouping].n_unique()
        ]
        for grouping in ("participant", "source")
    }
    if rows.n_unique(["source", "item"]) > rows["source"].n_unique():  # several items of a source
        groupings["item"] = []
    formulas = []
    for bar in ("|", "||", ""):
        random = [
            f"({' + '.join(['1', *terms(names)])} {bar} {grouping})"
            if bar and names
            else f"(1 | {grouping})"
            for grouping, names in groupings.items()
        ]
        formulas.append(f"correct ~ {' + '.join([*(terms(variables) or ['1']), *random])}")
    columns = (
        f"tidy${name} <- as.numeric(tidy$condition == conditions[{n}])\n"
        for n, name in enumerate(contrasts, start=2)
    )
    text = resource(__package__, SCRIPT)
    for name, value in {
        "variables": ", ".join(f'"{name}"' for name in ["correct", *variables]),
        "columns": "".join(columns),
        "formulas": ",\n  ".join(dict.fromkeys(formulas)),
        "conditions": ", ".join(quoted(str(cell(condition))) for condition in conditions),
    }.items():
        text = text.replace(f"@{name}@", value)
    return text


def quoted(text: str) -> str:
    """Return a string of R: what is no plain character is written as its code point (not 0, which R
    does not have)."""
    safe = (char if char in PLAIN else f"\\U{{{ord(char):x}}}" for char in text)
    return f'"{"".join(safe)}"'
