"""Turn outcomes into accuracies with intervals, one row for each cell of each marginal.

A marginal is a choice of factors, such as kind and value; a cell is the group of items that agree
in these. Intervals are over clusters, which are items that depend on each other.
"""

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
from .run import LABEL_COLUMNS, Run

VALUE, BALANCED = "value", "balanced"  # names of columns
JOINT = "joint"  # prediction of the rows that count sets of items, not items
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
"""The factors of each marginal. In its rows the other factors are empty, which means all."""
SHOWN_MARGINALS = (("kind",), ("kind", "value"), ("kind", "n_attractors"), ("kind", "construction"))
"""Marginals that people are shown, in this order. None mixes originals with nonce variants."""
ITEM_COLUMNS = ("item_id", *FACTORS, "cluster_id", "set_id")
UNKNOWN_NOTE = f"(?:^|;)(?:{OOV}|{OOV_KEPT})(?:;|$)"  # a note that a scored word is unknown
MEMBERS = "members"  # column: a number by which rows about the same items are recognised
CELL = "cell"  # column: the number of a row's cell
COMPOSED = "composed"  # the kind of the items of composed sets
RELATION, FIRST_NOUN, OPENING = "relation", "first_noun", "opening"  # facts of composed items
FACTS = {RELATION: "", FIRST_NOUN: "none", OPENING: ""}
"""Facts that are factors of composed items, with their values for items that lack them: the number
of the nouns between cue and target compared with the cue's (none, same, opposite); that of the
first noun if it is not the cue; what stands before the cue."""
ACCURACY_COLUMNS: schema.Schema = {**schema.ACCURACY, **dict.fromkeys(FACTS, str), MEMBERS: float}


def factors_frame(items: Sequence[Item]) -> pl.DataFrame:
    """Tabulate the factors of items, for `accuracy_frame`.

    Args:
        items: the items of a suite.

    Returns:
        One row per item: its id, factors, cluster and set, and for a composed item the `FACTS`; ""
        for what it does not have.

    >>> from colorless_green.data import Item
    >>> items = [Item("a1", "suite", "a1", "en", "", "", {})]
    >>> factors_frame(items).select("kind", "cluster_id").row(0)
    ('suite', 'a1')
    """
    item_table = table_of(items)
    table = item_table.frame.with_columns(pl.Series("cluster_id", item_table.clusters))
    facts: dict[str, pl.Expr] = dict.fromkeys(FACTS, pl.lit(""))
    if (table["kind"] == COMPOSED).any():
        is_composed = pl.col("kind") == COMPOSED
        for name, default in FACTS.items():
            fact = pl.col("facts").str.json_path_match(f"$.{name}").fill_null(default)
            facts[name] = pl.when(is_composed).then(fact).otherwise(pl.lit(""))
    return table.select(*ITEM_COLUMNS, **facts)


def accuracy_frame(
    items: pl.DataFrame,
    runs: Sequence[Run],
    marginals: Sequence[tuple[str, ...]] = MARGINALS,
    *,
    intervals: bool = True,
) -> pl.DataFrame:
    """Turn the outcomes of models on one suite into accuracies: the columns of accuracy.tsv.

    The rows of a run are the cells of each prediction and marginal, in the order of their names. If
    items are in sets, there are the same rows for sets, with the prediction `joint` (`joint NAME`
    if the suite has several). The last rows are for groups of two or more models: the mean of their
    accuracies in each cell, and the sample standard deviation (n − 1), without run or model.

    Args:
        items: as `factors_frame` returns them; those without an outcome do not count.
        runs: the runs of models on the suite. `n_common` and `accuracy_common` are over the items
            that all runs of one method have a credit for; they are empty if it has one run.
        marginals: the factors of each marginal.
        intervals: False leaves `low` and `high` empty.

    Returns:
        One row per cell, with shares from 0 to 1 and intervals over clusters. `n_oov` counts items
        with an unknown scored word, left out or kept; items that are left out (without a credit)
        count in no other column. `balanced` is the mean of the accuracies of the values (*balanced
        accuracy*), if there are several. An inequality within a prediction (`PREDICTION: …`) has
        rows for coarse marginals only. `members` is equal for rows of a run that stand for the same
        items; it is not written to files.

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
    cluster, _ = _codes(items["cluster_id"])
    sets, _ = _codes(items["set_id"])
    sets[(items["set_id"] == "").to_numpy()] = -1
    values, _ = _codes(items["value"])
    members_by_run = [_outcomes_by_prediction(items, run.outcomes) for run in runs]
    common = _common_items(runs, members_by_run, len(items))
    tables = []  # for each run its columns, and the credits by cluster of each row
    for run, by_prediction in zip(runs, members_by_run, strict=True):
        for name, members in by_prediction.items():
            if (run.method, name) in common:
                all_have_credit = common[run.method, name][members.row]
                by_prediction[name] = replace(members, common=all_have_credit)
        cells = _cells_of(by_prediction, partitions, sets, values)
        tables.append(_columns(run, cells, cluster))
    clusters = [group for _, groups in tables for group in groups]
    limits = accuracy_intervals(clusters) if intervals else [None] * len(clusters)
    columns = {
        name: [value for table, _ in tables for value in table[name]] for name in ACCURACY_COLUMNS
    }
    columns["low"] = [interval.low if interval else None for interval in limits]
    columns["high"] = [interval.high if interval else None for interval in limits]
    table = _with_balanced(pl.DataFrame(columns, ACCURACY_COLUMNS).fill_nan(None))
    return pl.concat([table, _group_means(table)]) if any(run.group for run in runs) else table


def _common_items(
    runs: Sequence[Run], members_by_run: Sequence[Mapping[str, "_Members"]], n_items: int
) -> dict[tuple[str, str], Truths]:
    """Return (method, prediction) → (items,) True for an item for which all runs by the method have
    a credit. A method and prediction with one run is left out."""
    masks: dict[tuple[str, str], list[Truths]] = {}
    for run, by_prediction in zip(runs, members_by_run, strict=True):
        for name, members in by_prediction.items():
            has_credit = np.zeros(n_items, dtype=bool)
            has_credit[members.row[~np.isnan(members.credit)]] = True
            masks.setdefault((run.method, name), []).append(has_credit)
    return {key: np.logical_and.reduce(group) for key, group in masks.items() if len(group) > 1}


def _cells_of(
    by_prediction: Mapping[str, "_Members"],
    partitions: Sequence["_Partition"],
    sets: Integers,
    values: Integers,
) -> list["_Cells"]:
    """Return the cells of each prediction and marginal, and those of sets if items are in sets.
    `sets` and `values`: (items,) the number of each item's set, −1 for none, and of its value."""
    cells: list[_Cells] = []
    for name, members in by_prediction.items():
        # An inequality within a prediction has rows for coarse marginals only.
        is_part = any(name.startswith(f"{prediction}: ") for prediction in by_prediction)
        chosen = [each for each in partitions if not is_part or len(each.names) < 2]
        cells += [_Cells(name, each, members, each.cell[members.row]) for each in chosen]
        if (sets >= 0).any() and not is_part:
            joint = f"{JOINT} {name}" if len(by_prediction) > 1 else JOINT
            cells += [_joint_cells(joint, each, members, sets, values) for each in chosen]
    return cells


@dataclass(frozen=True, slots=True)
class _Members:
    """The items, or sets of items, that a prediction was judged on: columns with a value each."""

    row: Integers  # the row of the item, or of the first item of a set
    credit: Floats  # NaN if it is left out
    tie: Truths
    unknown: Truths  # it has a scored word that the model does not know
    number: Floats  # a random number for each item; sums of them tell groups of items apart
    common: Truths | None = None  # all runs of the method have a credit for it

    def take(self, rows: Integers | Truths) -> "_Members":
        """Return the members in these rows: numbers of rows, or a mask."""
        columns = {field.name: getattr(self, field.name) for field in fields(self)}
        selected: dict[str, Any] = {
            name: None if column is None else column[rows] for name, column in columns.items()
        }
        return _Members(**selected)


@dataclass(frozen=True, slots=True)
class _Partition:
    """The cells of a marginal, and the cell that each item is in."""

    names: tuple[str, ...]  # the factors of the marginal
    cell: Integers  # (items,) the number of its cell; -1 for an item without one of the factors
    keys: Mapping[str, Sequence[str]]  # factor → its value in each cell


@dataclass(frozen=True, slots=True)
class _Cells:
    """The cells of a marginal (a choice of factors), with the items or sets judged in them."""

    prediction: str
    partition: _Partition
    members: _Members
    cell: Integers  # the cell of each member


def _codes(names: pl.Series) -> tuple[Integers, list[str]]:
    """Assign a number to each distinct name, in alphabetic order. Return the number of each name,
    then the distinct names, by number."""
    texts = names.cast(pl.String)
    codes = texts.rank("dense").to_numpy().astype(np.int64) - 1
    return codes, texts.unique().sort().to_list()


def _partitions(items: pl.DataFrame, marginals: Sequence[tuple[str, ...]]) -> list[_Partition]:
    """Divide items into the cells of each marginal: groups that agree in all its factors. An item
    for which one of the factors is empty is in no cell."""
    factors = {name for marginal in marginals for name in marginal}
    codes_and_names = {factor: _codes(items[factor]) for factor in factors}
    is_empty = {factor: (items[factor] == "").to_numpy() for factor in factors}
    partitions = []
    for marginal in marginals:
        # one number for each combination of values: their codes are its digits
        combination, has_factors = np.zeros(len(items), dtype=np.int64), np.ones(len(items), bool)
        for factor in marginal:
            codes, names = codes_and_names[factor]
            has_factors &= ~is_empty[factor]
            combination = combination * len(names) + codes
        remaining, inverse = np.unique(combination[has_factors], return_inverse=True)
        cell = np.full(len(items), -1, dtype=np.int64)
        cell[has_factors] = inverse
        keys: dict[str, Sequence[str]] = {}
        for factor in reversed(marginal):  # the last digit comes off first
            _, names = codes_and_names[factor]
            remaining, digits = np.divmod(remaining, len(names))
            keys[factor] = [names[digit] for digit in digits.tolist()]
        partitions.append(_Partition(marginal, cell, keys))
    return partitions


def _outcomes_by_prediction(items: pl.DataFrame, outcomes: pl.DataFrame) -> dict[str, _Members]:
    """Group outcomes by prediction: return its name → the items judged by it, with their credits.
    Each item gets the same random number under all predictions."""
    item_rows = items.select("item_id").with_row_index("row")
    table = outcomes.select(
        "item_id", pl.col("prediction").cast(pl.String), "credit", "tie",
        pl.col("note").cast(pl.String).str.contains(UNKNOWN_NOTE).alias("unknown"),
    ).join(item_rows, on="item_id", how="left", maintain_order="left")  # fmt: skip
    random_numbers = uniform(np.random.PCG64(0), len(items))
    by_prediction = {}
    groups = table.partition_by("prediction", maintain_order=True, as_dict=True)
    for (name,), group in groups.items():
        row = group["row"].to_numpy().astype(np.int64)
        credit = group["credit"].cast(pl.Float64).fill_null(float("nan")).to_numpy()
        tie, unknown = group["tie"].to_numpy(), group["unknown"].to_numpy()
        by_prediction[str(name)] = _Members(row, credit, tie, unknown, random_numbers[row])
    return by_prediction


def _joint_cells(
    name: str, partition: _Partition, members: _Members, sets: Integers, values: Integers
) -> _Cells:
    """Find the complete sets of items in each cell, and their credits, for joint accuracy. The
    credit of a set is the product of the credits of its items: 1 only if all are right.

    A set is complete if it has two or more values, with the same number of items in each. Guessing
    gets 1/4 on sets of two. A model that always prefers the same form gets 0, since the form that
    is right in one value is wrong in the other. A set is left out if one of its items is, and has
    an unknown word if one of its items has.

    Args:
        name: the name of the joint prediction.
        partition: the cells.
        members: the items that the prediction was judged on.
        sets: (items,) the number of each item's set; -1 for none.
        values: (items,) the code of each item's value.
    """
    inside = members.take((partition.cell[members.row] >= 0) & (sets[members.row] >= 0))
    n_sets, n_values = int(sets.max(initial=0)) + 1, int(values.max(initial=0)) + 1
    # Number the sets within cells. `first` is the first member of each, `group` each member's set.
    set_in_cell = partition.cell[inside.row] * n_sets + sets[inside.row]
    _, first, group = np.unique(set_in_cell, return_index=True, return_inverse=True)
    n = len(first)
    # Count the members of each set with each value.
    pairs, counts = np.unique(group * n_values + values[inside.row], return_counts=True)
    set_of_pair = pairs // n_values
    largest, smallest = np.zeros(n, dtype=np.int64), np.full(n, len(inside.row) + 1)
    np.maximum.at(largest, set_of_pair, counts)
    np.minimum.at(smallest, set_of_pair, counts)
    credit = np.ones(n)
    np.multiply.at(credit, group, inside.credit)
    has_tie = np.bincount(group, inside.tie, n) > 0
    has_unknown = np.bincount(group, inside.unknown, n) > 0
    number = np.bincount(group, inside.number, n).astype(np.float64)
    common = None
    if inside.common is not None:
        common = np.bincount(group, ~inside.common, n) == 0
    of_sets = _Members(inside.row[first], credit, has_tie, has_unknown, number, common)
    is_complete = (np.bincount(set_of_pair) > 1) & (largest == smallest)
    complete = np.flatnonzero(is_complete)
    chosen = of_sets.take(complete[np.argsort(first[complete])])  # in the order of items
    return _Cells(name, partition, chosen, partition.cell[chosen.row])


def _columns(
    run: Run, blocks: Sequence[_Cells], cluster: Integers
) -> tuple[dict[str, list[Cell]], list[Clustered]]:
    """Compute the rows of one run in the table of accuracies.

    Args:
        run: the run, for the columns that name it.
        blocks: the cells of each prediction and marginal.
        cluster: (items,) the number of each item's cluster.

    Returns:
        The columns, in which intervals are still missing. Then for each row its credits by cluster,
        from which its interval is computed.
    """
    columns: dict[str, list[Cell]] = {name: [] for name in ACCURACY_COLUMNS}
    groups: list[Clustered] = []
    for block in blocks:
        inside = block.cell >= 0
        counts, clusters = _cell_counts(block.members.take(inside), block.cell[inside], cluster)
        groups += clusters
        n_rows = len(clusters)
        counts["prediction"] = [block.prediction] * n_rows
        for name, keys in block.partition.keys.items():
            counts[name] = [keys[cell] for cell in counts[CELL]]
        for name, column in columns.items():
            column += counts.get(name, [None] * n_rows)
    columns |= {name: [value] * len(groups) for name, value in run.label().items()}
    return columns, groups


def _cell_counts(
    members: _Members, cell: Integers, cluster: Integers
) -> tuple[dict[str, Any], list[Clustered]]:
    """Count the members of each cell, and average their credits. `cell` is the cell of each member.

    Returns the columns of counts and accuracies, with a row for each cell that has members; then
    for each such cell its credits by cluster.
    """
    n = int(cell.max(initial=-1)) + 1
    filled = np.flatnonzero(np.bincount(cell, minlength=n))
    has_credit = ~np.isnan(members.credit)
    counted_cell, credit = cell[has_credit], members.credit[has_credit]
    clusters = clustered(credit, cluster[members.row[has_credit]], counted_cell, n)
    n_items = np.bincount(counted_cell, minlength=n)
    columns: dict[str, NDArray[Any]] = {
        CELL: np.arange(n),
        "n_items": n_items,
        "n_clusters": np.array([len(sums) for sums, _ in clusters]),
        "n_ties": np.bincount(counted_cell, members.tie[has_credit], n).astype(np.int64),
        "n_oov": np.bincount(cell, members.unknown, n).astype(np.int64),
        MEMBERS: np.bincount(cell, members.number, n),
    }
    with np.errstate(invalid="ignore"):  # a cell may have no items that count
        columns["accuracy"] = np.bincount(counted_cell, credit, n) / n_items
        if members.common is not None:
            common = members.common
            columns["n_common"] = np.bincount(cell[common], minlength=n)
            sums = np.bincount(cell[common], members.credit[common], n)
            columns["accuracy_common"] = sums / columns["n_common"]
    counts = {name: column[filled].tolist() for name, column in columns.items()}
    return counts, [clusters[index] for index in filled.tolist()]


def _with_balanced(table: pl.DataFrame) -> pl.DataFrame:
    """Add balanced accuracy to the rows that are over all values: the mean of the accuracies of the
    values. A model that always prefers the most frequent value gains nothing by it."""
    factors = (name for name in (*FACTORS, *FACTS) if name != VALUE)
    all_but_value = [*LABEL_COLUMNS, "prediction", *factors]
    balanced = (
        table.filter(pl.col(VALUE).is_not_null(), pl.col("accuracy").is_not_null())
        .group_by(all_but_value)
        .agg(pl.col("accuracy").mean().alias(BALANCED), pl.len().alias("n"))
        .filter(pl.col("n") > 1)
    )
    joined = table.drop(BALANCED).join(
        balanced, on=all_but_value, how="left", nulls_equal=True, maintain_order="left"
    )
    mean = pl.when(pl.col(VALUE).is_null()).then(BALANCED).otherwise(None)
    return joined.with_columns(mean.alias(BALANCED)).select(*ACCURACY_COLUMNS)


def _group_means(table: pl.DataFrame) -> pl.DataFrame:
    """Average accuracies over the models of a group, which differ in their seeds only. Return a row
    for each cell and each group of two or more models, with the mean and the standard deviation."""
    names = ("group", "method", "policy", "suite", "prediction", *FACTORS, *FACTS)
    grouped = (
        table.filter(pl.col("group") != "", pl.col("accuracy").is_not_null())
        .group_by(names, maintain_order=True)
        .agg(
            pl.len().alias("n"),
            pl.col("accuracy").alias("accuracies"),
            pl.col("n_items", "n_clusters", "n_common", MEMBERS).first(),
            pl.col(BALANCED, "accuracy_common").mean(),
        )
        .filter(pl.col("n") > 1)
    )
    n, accuracy = grouped["n"].to_numpy(), grouped["accuracies"].explode().to_numpy()
    group = np.repeat(np.arange(len(n)), n)
    means = np.bincount(group, accuracy, len(n)) / n
    variance = np.bincount(group, (accuracy - means[group]) ** 2, len(n)) / (n - 1)
    summary = grouped.with_columns(
        pl.Series("accuracy", means), pl.Series("sd", np.sqrt(variance), pl.Float64)
    )
    missing = [name for name in ACCURACY_COLUMNS if name not in summary.columns]
    return summary.with_columns(pl.lit(None).alias(name) for name in missing).select(
        pl.col(name).cast(pl.DataType.from_python(kind)) for name, kind in ACCURACY_COLUMNS.items()
    )


def for_people(table: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of `accuracy_frame` that people are shown.

    Args:
        table: accuracies of one suite or several.

    Returns:
        Rows by kind, then by value and by number of attractors, then by construction. The models of
        a cell follow each other. No two rows of a model stand for the same items.

    >>> from colorless_green.data import Item
    >>> from colorless_green.scoring import Outcome, outcomes_frame
    >>> items = factors_frame([Item("a1", "suite", "a1", "en", "", "", {})])
    >>> outcomes = outcomes_frame([Outcome("a1", "p", 1.0, 2.5, False, False)])
    >>> run = Run(model="model", suite="toy", outcomes=outcomes)
    >>> table = accuracy_frame(items, [run])
    >>> for_people(table).select("suite", "kind", "accuracy").rows()
    [('toy', 'suite', 1.0)]
    """
    place = pl.lit(None, pl.Int64)  # of a row's marginal among those that are shown
    for number, marginal in enumerate(SHOWN_MARGINALS):
        is_of_marginal = [pl.col(name).is_not_null() == (name in marginal) for name in FACTORS]
        place = pl.when(*is_of_marginal).then(number).otherwise(place)
    suites = table["suite"].unique(maintain_order=True)
    order = (
        pl.col("suite").cast(pl.Enum(suites)),
        pl.col("place"),
        pl.col("kind").cast(pl.Enum(KINDS)),
        pl.col("value"),
        pl.col("n_attractors").cast(pl.Int64, strict=False),  # 10 after 9
        pl.col("n_attractors"),  # texts that are no numbers
        pl.col("construction"),
    )
    rows = table.with_columns(place.alias("place")).filter(pl.col("place").is_not_null())
    identity = ("run", "model", "group", "suite", "prediction", MEMBERS)
    return rows.sort(order, maintain_order=True).unique(identity, keep="first", maintain_order=True)
