"""What `score` returns: accuracies, and the outcomes and surprisals that they come of."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path

import polars as pl

from colorless_green.data import schema
from colorless_green.data.registry import named
from colorless_green.data.result import Result
from colorless_green.data.store import MEMORY, Store
from colorless_green.data.tables import Row, frame
from colorless_green.nonce.item import KINDS
from colorless_green.scoring.accuracy import FACTORS, JOINT, MARGINALS, accuracy_rows, group_rows
from colorless_green.scoring.evaluate import region_frame
from colorless_green.scoring.run import ALL, Run

COLUMNS = (  # that people are shown; suite and prediction where there are several
    "suite", "prediction", "kind", "construction", "model", "n_items", "accuracy", "low", "high",
    "n_ties", "n_oov",
)  # fmt: skip


@dataclass(frozen=True, repr=False, eq=False)
class Scores(Result):
    """Models on suites. Shows the accuracies by suite, kind and construction."""

    table: pl.DataFrame = field(default_factory=pl.DataFrame)  # accuracy.tsv
    store: Store | Path = MEMORY  # where surprisals and outcomes are
    runs: tuple[Run, ...] = ()

    @property
    def run_ids(self) -> tuple[int, ...]:
        """Of the store, one for each model on each suite."""
        return tuple(run.run_id for run in self.runs)

    @property
    def suite_ids(self) -> tuple[int, ...]:
        """Of the store, in the order in which the suites were named."""
        return tuple(dict.fromkeys(run.suite_id for run in self.runs))

    def to_frame(self) -> pl.DataFrame:
        """Every accuracy: each marginal of each prediction, run and group of models, those that
        people are shown first."""
        return frame(self.rows, schema.ACCURACY)

    def accuracy(self, by: str | Sequence[str] | None = None) -> pl.DataFrame:
        """Accuracies over all items, or over those of each cell.

        Args:
            by: what is held fixed: one or several of kind, level, construction, value and
                n_attractors; None is nothing.

        Returns:
            One row for each cell, prediction and run, and for each group of models (seeds of one
            setting) their mean; intervals are 95 %, by a bootstrap over clusters of items.

        Raises:
            InputError: for a column that is none of these.
        """
        names = (by,) if isinstance(by, str) else tuple(by or ())
        for name in names:
            named(dict.fromkeys(FACTORS), name, "by")
        wanted = tuple(name for name in FACTORS if name in names)
        if wanted in MARGINALS:
            fixed = [pl.col(name).is_not_null() == (name in names) for name in FACTORS]
            return self.table.filter(*fixed)
        rows = [
            row
            for run in self.runs
            for row in accuracy_rows(run.suite.table, run.outcomes, run.label, (wanted,))
        ]
        return frame([*rows, *group_rows(rows)], schema.ACCURACY)

    @cached_property
    def outcomes(self) -> pl.DataFrame:
        """One row for each item, prediction and run: credit, margin, tie, note."""
        return _of_runs(self.runs, schema.OUTCOMES, lambda run: run.outcomes)

    @cached_property
    def surprisals(self) -> pl.DataFrame:
        """One row for each region of each sentence that a prediction asked for, and run."""
        return _of_runs(
            self.runs, schema.SCORES, lambda run: region_frame(run.asked.plan, run.asked.surprisal)
        )


def _of_runs(
    runs: Sequence[Run], columns: schema.Schema, rows: Callable[[Run], pl.DataFrame]
) -> pl.DataFrame:
    """The rows of several runs, headed by what each is called."""
    types = {name: pl.DataType.from_python(each) for name, each in columns.items()}
    parts = [
        rows(run)
        .with_columns(pl.lit(each).alias(name) for name, each in asdict(run.label).items())
        .select(pl.col(name).cast(each) for name, each in types.items())
        for run in runs
    ]
    return pl.concat(parts) if parts else pl.DataFrame(schema=types)


def scores_of(
    accuracies: Sequence[Row], told: Sequence[str], suites: Sequence[str], aggregate: str
) -> Scores:
    """For people: by suite and kind, then by construction, the models of one cell under each
    other; of several predictions the first, or that all hold, or each."""
    wanted: dict[object, set[object]] = {}
    for suite in suites:
        names = list(
            dict.fromkeys(row["prediction"] for row in accuracies if row["suite"] == suite)
        )
        if aggregate == "all" and ALL in names:
            names = [ALL]
        elif aggregate != "each" and names:
            names = [names[0], *(n for n in names if n in (JOINT, f"{JOINT} {names[0]}"))]
        wanted[suite] = set(names)

    def shown(row: Row) -> bool:
        whole = bool(row.get("kind")) and not row.get("value") and not row.get("n_attractors")
        return whole and row["prediction"] in wanted[row["suite"]]

    first = [row for row in accuracies if shown(row)]
    first.sort(
        key=lambda row: (
            suites.index(str(row["suite"])),
            bool(row.get("construction")),
            KINDS.index(str(row["kind"])),
            row.get("construction") or "",
        )
    )
    rest = [row for row in accuracies if not shown(row)]
    columns = [
        name
        for name in COLUMNS
        if name not in ("suite", "prediction") or len({row[name] for row in first}) > 1
    ]
    table = frame(accuracies, schema.ACCURACY)
    return Scores([*first, *rest], tuple(columns), told, n_hidden=len(rest), table=table)
