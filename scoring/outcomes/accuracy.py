"""Outcomes to accuracies: one row for each cell of each marginal, with intervals over clusters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ...data import schema
from ...data.arrays import Floats, Integers, Truths
from ...data.items.item import FACTORS, KINDS, Item
from ...data.items.item_table import table_of
from ...data.statistics.intervals import Clustered, accuracy_intervals, clustered, uniform
from ...data.tables import Cell
from .evaluate import OOV, OOV_KEPT
from .run import LABEL, Run

VALUE, BALANCED = "value", "balanced"
JOINT = "joint"  # the prediction of rows whose unit is a set
MARGINALS: tuple[tuple[str, ...], ...] = (
    (),
    ("kind",),
    ("kind", "value"),
    ("kind", "n_attractors"),
    ("construction",),
    ("kind", "construction"),
    ("kind", "construction", "value"),
    ("kind", "construction", "n_attractors"),
)
"""Which factors a row holds fixed; the others are empty, which means all."""
SHOWN = (("kind",), ("kind", "value"), ("kind", "n_attractors"), ("kind", "construction"))
"""Marginals that people are shown, in this order: none that pools originals and nonce variants"""
ITEM = ("item_id", *FACTORS, "cluster_id", "set_id")
UNKNOWN = f"(?:^|;)(?:{OOV}|{OOV_KEPT})(?:;|$)"  # among the notes of an outcome
MEMBERS = "members"
CELL = "cell"
COMPOSED = "composed"  # a kind of item
RELATION, FIRST_NOUN, OPENING = "relation", "first_noun", "opening"
FACTS = {RELATION: "", FIRST_NOUN: "none", OPENING: ""}
"""Facts of composed items, factors of their sets, and what it means that an item lacks one: the
number of the nouns between cue and target against the cue's (none, same, opposite), that of the
first noun, where it is not the cue, and what stands before the cue"""
COLUMNS: schema.Schema = {**schema.ACCURACY, **dict.fromkeys(FACTS, str), MEMBERS: float}


def factors_frame(items: Sequence[Item]) -> pl.DataFrame:
    """Tabulate what `accuracy_frame` must know of items.

    Args:
        items: the items of a suite.

    Returns:
        One row per item: its id, factors, cluster, set, and of a composed one relation and first
        noun; "" where there is none.

    >>> from colorless_green.data import Item
    >>> items = [Item("a1", "suite", "a1", "en", "", "", {})]
    >>> factors_frame(items).select("kind", "cluster_id").row(0)
    ('suite', 'a1')
    """
    whole = table_of(items)
    table = whole.frame.with_columns(pl.Series("cluster_id", whole.clusters))
    facts: dict[str, pl.Expr] = dict.fromkeys(FACTS, pl.lit(""))
    if (table["kind"] == COMPOSED).any():
        is_composed = pl.col("kind") == COMPOSED
        for name, default in FACTS.items():
            fact = pl.col("facts").str.json_path_match(f"$.{name}").fill_null(default)
            facts[name] = pl.when(is_composed).then(fact).otherwise(pl.lit(""))
    return table.select(*ITEM, **facts)


def accuracy_frame(
    items: pl.DataFrame,
    runs: Sequence[Run],
    marginals: Sequence[tuple[str, ...]] = MARGINALS,
    *,
    intervals: bool = True,
) -> pl.DataFrame:
    """Turn the outcomes of models on one suite into accuracies: the columns of accuracy.tsv.

    For each run, the cells of each prediction and marginal in the order of their names; then, where
    items stand in sets, the same with sets for items, their prediction called `joint` (`joint NAME`
    in a suite with several predictions). Last, for each group of two or more models, their mean in
    each cell, with the sample standard deviation over the models (n − 1) and no run or model.

    Args:
        items: as `factors_frame` makes them; those without an outcome count nowhere.
        runs: of models on the suite. `n_common` and `accuracy_common` are of the items that all
            runs of one method have a credit for, and empty if it has one run.
        marginals: factors to hold fixed.
        intervals: else `low` and `high` stay empty.

    Returns:
        One row per cell, shares from 0 to 1, intervals over clusters. `n_oov` counts items with an
        unknown scored word, left out or kept; items that were left out (no credit) count nowhere
        else. `balanced` is the mean of the accuracies of the values (*balanced accuracy*), where
        there are several. Of an inequality within a prediction (`PREDICTION: …`) only the coarse
        marginals are told. `members` is equal where rows of one run stand for the same items, and
        not for files.

    >>> from colorless_green.data import Item
    >>> from colorless_green.scoring import Outcome, outcomes_frame
    >>> items = [Item(name, "suite", name, "en", "", "", {}) for name in ("a1", "a2")]
    >>> found = [Outcome(item.item_id, "p", credit, 2.5 * credit, False, False)
    ...          for item, credit in zip(items, (1.0, 0.0))]
    >>> runs = [Run(model="model", outcomes=outcomes_frame(found))]
    >>> accuracy_frame(factors_frame(items), runs).select("kind", "n_items", "accuracy").rows()
    [(None, 2, 0.5), ('suite', 2, 0.5)]
    """
    partitions = _partitions(items, marginals)
    owner, sets, values = (_codes(items[name])[0] for name in ("cluster_id", "set_id", "value"))
    sets[(items["set_id"] == "").to_numpy()] = -1
    by_run = [_outcomes_by_prediction(items, run.outcomes) for run in runs]
    answered: dict[tuple[str, str], list[Truths]] = {}
    for run, by_prediction in zip(runs, by_run, strict=True):
        for name, members in by_prediction.items():
            able = np.zeros(len(items), dtype=bool)
            able[members.row[~np.isnan(members.credit)]] = True
            answered.setdefault((run.method, name), []).append(able)
    common = {
        key: np.logical_and.reduce(masks) for key, masks in answered.items() if len(masks) > 1
    }
    parts = []
    for run, by_prediction in zip(runs, by_run, strict=True):
        cells: list[_Cells] = []
        for name, members in by_prediction.items():
            if (run.method, name) in common:
                members = replace(members, common=common[run.method, name][members.row])
            is_part = any(name.startswith(f"{prediction}: ") for prediction in by_prediction)
            joint = f"{JOINT} {name}" if len(by_prediction) > 1 else JOINT
            fine = [
                partition for partition in partitions if not is_part or len(partition.names) < 2
            ]
            cells += [
                _Cells(name, partition, members, partition.cell[members.row]) for partition in fine
            ]
            if (sets >= 0).any() and not is_part:
                cells += [
                    _joint_cells(joint, partition, members, sets, values) for partition in fine
                ]
        parts.append(_columns(run, cells, owner))
    clusters = [group for _, groups in parts for group in groups]
    limits = accuracy_intervals(clusters) if intervals else [None] * len(clusters)
    columns = {name: [cell for cells, _ in parts for cell in cells[name]] for name in COLUMNS}
    columns["low"] = [interval.low if interval else None for interval in limits]
    columns["high"] = [interval.high if interval else None for interval in limits]
    table = _balanced(pl.DataFrame(columns, COLUMNS).fill_nan(None))
    return pl.concat([table, _groups(table)]) if any(run.group for run in runs) else table


@dataclass(frozen=True, slots=True)
class _Members:
    """Items or sets under one prediction: parallel columns."""

    row: Integers  # of the item, or of a set's first
    credit: Floats  # NaN where it was left out
    tie: Truths
    unknown: Truths
    number: Floats  # by which items are told apart
    common: Truths | None = None  # all models have a credit for it

    def take(self, rows: Integers | Truths) -> "_Members":
        columns: list[Any] = [getattr(self, field.name) for field in fields(self)]
        selected: list[Any] = [None if column is None else column[rows] for column in columns]
        return _Members(*selected)


@dataclass(frozen=True, slots=True)
class _Partition:
    """The cells of a marginal."""

    names: tuple[str, ...]
    cell: Integers  # of each item; -1 for one that lacks a factor
    keys: Mapping[str, Sequence[str]]  # the factors that are held fixed, of each cell


@dataclass(frozen=True, slots=True)
class _Cells:
    """The cells of a marginal under a prediction."""

    prediction: str
    partition: _Partition
    members: _Members
    cell: Integers


def _codes(names: pl.Series) -> tuple[Integers, list[str]]:
    """Return the index of each name among the distinct ones in order, and these."""
    texts = names.cast(pl.String)
    codes = texts.rank("dense").to_numpy().astype(np.int64) - 1
    return codes, texts.unique().sort().to_list()


def _partitions(items: pl.DataFrame, marginals: Sequence[tuple[str, ...]]) -> list[_Partition]:
    factors = {name: _codes(items[name]) for name in dict.fromkeys(sum(marginals, ()))}
    lacks = {name: (items[name] == "").to_numpy() for name in factors}
    partitions = []
    for marginal in marginals:
        code = np.zeros(len(items), dtype=np.int64)
        for name in marginal:
            code = code * len(factors[name][1]) + factors[name][0]
        has = ~np.logical_or.reduce([np.zeros(len(items), bool), *(lacks[e] for e in marginal)])
        distinct, inverse = np.unique(code[has], return_inverse=True)
        cell = np.full(len(items), -1, dtype=np.int64)
        cell[has] = inverse
        keys: dict[str, Sequence[str]] = {}
        for name in reversed(marginal):
            distinct, level = np.divmod(distinct, len(factors[name][1]))
            keys[name] = [factors[name][1][n] for n in level.tolist()]
        partitions.append(_Partition(marginal, cell, keys))
    return partitions


def _outcomes_by_prediction(items: pl.DataFrame, outcomes: pl.DataFrame) -> dict[str, _Members]:
    """Return the outcomes of each prediction, in the order in which they come."""
    item_rows = items.select("item_id").with_row_index("row")
    table = outcomes.select(
        "item_id", pl.col("prediction").cast(pl.String), "credit", "tie",
        pl.col("note").cast(pl.String).str.contains(UNKNOWN).alias("unknown"),
    ).join(item_rows, on="item_id", how="left", maintain_order="left")  # fmt: skip
    numbers = uniform(np.random.PCG64(0), len(items))
    by_prediction = {}
    for (name,), group in table.partition_by(
        "prediction", maintain_order=True, as_dict=True
    ).items():  # fmt: skip
        row = group["row"].to_numpy().astype(np.int64)
        credit = group["credit"].cast(pl.Float64).fill_null(float("nan")).to_numpy()
        tie, unknown = group["tie"].to_numpy(), group["unknown"].to_numpy()
        by_prediction[str(name)] = _Members(row, credit, tie, unknown, numbers[row])
    return by_prediction


def _joint_cells(
    name: str, partition: _Partition, members: _Members, sets: Integers, values: Integers
) -> _Cells:
    """One member for each complete set in a cell, at the place of its first item: the product of
    their credits, so 1 only if all are right, and a tie's share where there is one.

    Complete is a set with as many items in each of two or more values; others say nothing of
    pairs. A coin gets 1/4 on sets of two; what always prefers the same form gets 0, since the form
    that is right in one value is wrong in the other (joint accuracy). A set with an
    item that was left out is left out, and counted as unknown where that item was.
    """
    inside = members.take((partition.cell[members.row] >= 0) & (sets[members.row] >= 0))
    code = partition.cell[inside.row] * (int(sets.max(initial=0)) + 1) + sets[inside.row]
    _, index, group = np.unique(code, return_index=True, return_inverse=True)
    n_values = int(values.max(initial=0)) + 1
    pairs, counts = np.unique(group * n_values + values[inside.row], return_counts=True)
    largest = np.zeros(len(index), dtype=np.int64)
    smallest = np.full(len(index), len(inside.row) + 1)
    np.maximum.at(largest, pairs // n_values, counts)
    np.minimum.at(smallest, pairs // n_values, counts)
    credit = np.ones(len(index))
    np.multiply.at(credit, group, inside.credit)
    columns = (inside.tie, inside.unknown, inside.number)
    sums = [np.bincount(group, column, len(index)).astype(np.float64) for column in columns]
    common = None
    if inside.common is not None:
        common = np.bincount(group, ~inside.common, len(index)) == 0
    of_sets = _Members(inside.row[index], credit, sums[0] > 0, sums[1] > 0, sums[2], common)
    complete = np.flatnonzero((np.bincount(pairs // n_values) > 1) & (largest == smallest))
    chosen = of_sets.take(complete[np.argsort(index[complete])])
    return _Cells(name, partition, chosen, partition.cell[chosen.row])


def _columns(
    run: Run, blocks: Sequence[_Cells], owner: Integers
) -> tuple[dict[str, list[Cell]], list[Clustered]]:
    """Return the columns of one run, less the intervals, and what these are made of."""
    columns: dict[str, list[Cell]] = {name: [] for name in COLUMNS}
    groups: list[Clustered] = []
    for block in blocks:
        inside = block.cell >= 0
        measured, clusters = _measures(block.members.take(inside), block.cell[inside], owner)
        groups += clusters
        n_rows = len(clusters)
        measured["prediction"] = [block.prediction] * n_rows
        for name, keys in block.partition.keys.items():
            measured[name] = [keys[cell] for cell in measured[CELL]]
        for name, column in columns.items():
            column += measured.get(name, [None] * n_rows)
    columns |= {name: [value] * len(groups) for name, value in run.label().items()}
    return columns, groups


def _measures(
    members: _Members, cell: Integers, owner: Integers
) -> tuple[dict[str, Any], list[Clustered]]:
    """Columns of each cell that has members, and the clusters of those that were not left out."""
    n = int(cell.max(initial=-1)) + 1
    filled = np.flatnonzero(np.bincount(cell, minlength=n))
    counted = ~np.isnan(members.credit)
    cells, credit = cell[counted], members.credit[counted]
    clusters = clustered(credit, owner[members.row[counted]], cells, n)
    n_items = np.bincount(cells, minlength=n)
    columns: dict[str, NDArray[Any]] = {
        CELL: np.arange(n),
        "n_items": n_items,
        "n_clusters": np.array([len(sums) for sums, _ in clusters]),
        "n_ties": np.bincount(cells, members.tie[counted], n).astype(np.int64),
        "n_oov": np.bincount(cell, members.unknown, n).astype(np.int64),
        MEMBERS: np.bincount(cell, members.number, n),
    }
    with np.errstate(invalid="ignore"):  # of no items
        columns["accuracy"] = np.bincount(cells, credit, n) / n_items
        if members.common is not None:
            shared = members.common
            columns["n_common"] = np.bincount(cell[shared], minlength=n)
            sums = np.bincount(cell[shared], members.credit[shared], n)
            columns["accuracy_common"] = sums / columns["n_common"]
    measures = {name: column[filled].tolist() for name, column in columns.items()}
    return measures, [clusters[index] for index in filled.tolist()]


def _balanced(table: pl.DataFrame) -> pl.DataFrame:
    """Add the mean over the values, where all are told, of the accuracies of each cell: what always
    prefers the same value gains nothing by that most items have it."""
    cell = [*LABEL, "prediction", *(name for name in (*FACTORS, *FACTS) if name != VALUE)]
    of_values = (
        table.filter(pl.col(VALUE).is_not_null(), pl.col("accuracy").is_not_null())
        .group_by(cell)
        .agg(pl.col("accuracy").mean().alias(BALANCED), pl.len().alias("n"))
        .filter(pl.col("n") > 1)
    )
    joined = table.drop(BALANCED).join(
        of_values, on=cell, how="left", nulls_equal=True, maintain_order="left"
    )
    mean = pl.when(pl.col(VALUE).is_null()).then(BALANCED).otherwise(None)
    return joined.with_columns(mean.alias(BALANCED)).select(*COLUMNS)


def _groups(table: pl.DataFrame) -> pl.DataFrame:
    """Return the mean accuracies of models of one group."""
    names = ("group", "method", "policy", "suite", "prediction", *FACTORS, *FACTS)
    grouped = (
        table.filter(pl.col("group") != "", pl.col("accuracy").is_not_null())
        .group_by(names, maintain_order=True)
        .agg(
            pl.len().alias("n"),
            pl.col("accuracy").alias("each"),
            pl.col("n_items", "n_clusters", "n_common", MEMBERS).first(),
            pl.col(BALANCED, "accuracy_common").mean(),
        )
        .filter(pl.col("n") > 1)
    )
    n, accuracy = grouped["n"].to_numpy(), grouped["each"].explode().to_numpy()
    owner = np.repeat(np.arange(len(n)), n)
    means = np.bincount(owner, accuracy, len(n)) / n
    spread = np.bincount(owner, (accuracy - means[owner]) ** 2, len(n)) / (n - 1)
    summary = grouped.with_columns(
        pl.Series("accuracy", means), pl.Series("sd", np.sqrt(spread), pl.Float64)
    )
    lacking = [name for name in COLUMNS if name not in summary.columns]
    return summary.with_columns(pl.lit(None).alias(name) for name in lacking).select(
        pl.col(name).cast(pl.DataType.from_python(kind)) for name, kind in COLUMNS.items()
    )


def for_people(table: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of `accuracy_frame` that people are shown.

    Args:
        table: accuracies of one suite or several.

    Returns:
        Rows by kind, then by value and by attractors, then by construction, the models of one cell
        under each other; no two rows of a model stand for the same items.

    >>> from colorless_green.data import Item
    >>> from colorless_green.scoring import Outcome, outcomes_frame
    >>> items = factors_frame([Item("a1", "suite", "a1", "en", "", "", {})])
    >>> outcomes = outcomes_frame([Outcome("a1", "p", 1.0, 2.5, False, False)])
    >>> run = Run(model="model", suite="toy", outcomes=outcomes)
    >>> table = accuracy_frame(items, [run])
    >>> for_people(table).select("suite", "kind", "accuracy").rows()
    [('toy', 'suite', 1.0)]
    """
    rank = pl.lit(None, pl.Int64)
    for number, marginal in enumerate(SHOWN):
        fixed = [pl.col(name).is_not_null() == (name in marginal) for name in FACTORS]
        rank = pl.when(*fixed).then(number).otherwise(rank)
    suites = table["suite"].unique(maintain_order=True)
    order = (
        pl.col("suite").cast(pl.Enum(suites)),
        pl.col("place"),
        pl.col("kind").cast(pl.Enum(KINDS)),
        pl.col("value"),
        pl.col("n_attractors").cast(pl.Int64, strict=False),
        pl.col("n_attractors"),
        pl.col("construction"),
    )
    rows = table.with_columns(rank.alias("place")).filter(pl.col("place").is_not_null())
    identity = ("run", "model", "group", "suite", "prediction", MEMBERS)
    return rows.sort(order, maintain_order=True).unique(identity, keep="first", maintain_order=True)
