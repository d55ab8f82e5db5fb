"""Turn outcomes into accuracies with intervals, one row for each cell of each marginal.

A marginal is a choice of factors, such as kind and value; a cell is the group of items that agree
in these. Intervals are over clusters, which are items that depend on each other.
"""

from collections.abc import Sequence
from itertools import chain, product

import numpy as np
import polars as pl

from ...data import schema
from ...data.items.item import FACTORS, KINDS, Item
from ...data.items.item_table import table_of
from ...data.statistics.intervals import Proportion, accuracy_intervals, clustered
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
COMPOSED = "composed"  # the kind of the items of composed sets
RELATION, FIRST_NOUN, OPENING = "relation", "first_noun", "opening"  # facts of composed items
FACTS = {RELATION: "", FIRST_NOUN: "none", OPENING: ""}
"""Facts that are factors of composed items, with their values for items that lack them: the number
of the nouns between cue and target compared with the cue's (none, same, opposite); that of the
first noun if it is not the cue; what stands before the cue."""
ACCURACY_TYPES = {
    name: pl.DataType.from_python(kind)
    for name, kind in {**schema.ACCURACY, **dict.fromkeys(FACTS, str), MEMBERS: int}.items()
}
"""The columns of `accuracy_frame`, with the types of their values"""


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
    if not runs:
        return pl.DataFrame(schema=ACCURACY_TYPES)
    # a random number for each item, the same in all runs; `members` combines those of a cell
    random_numbers = (np.random.PCG64(0).random_raw(len(items)) >> 1).astype(np.int64)
    factors = sorted({VALUE, *chain.from_iterable(marginals)})
    described_items = items.select(
        "item_id",
        pl.col(*factors, "set_id").cast(pl.String).replace("", None),
        pl.Series(MEMBERS, random_numbers),
        cluster=pl.col("cluster_id").rank("dense").cast(pl.Int64),
    )
    judged = _judged_items(runs)
    tables = []
    for number, run in enumerate(runs):
        of_run = judged.filter(pl.col("run") == number)
        members = of_run.join(described_items, on="item_id", maintain_order="left")
        members = members.drop("run", "method", "item_id")
        rows = _rows_of_run(members, marginals, intervals=intervals)
        label = {name: pl.lit(value) for name, value in run.label().items()}
        tables.append(_as_accuracies(rows.with_columns(**label)))
    table = _with_balanced(pl.concat(tables))
    return pl.concat([table, _group_means(table)]) if any(run.group for run in runs) else table


def _judged_items(runs: Sequence[Run]) -> pl.DataFrame:
    """Tabulate the outcomes of runs: the number of the run, its method, item, prediction, credit,
    tie, `unknown` (a scored word is unknown), and `common`: whether all runs of the method that
    have the prediction have a credit for the item, null if only one has it."""
    outcomes = pl.concat(
        run.outcomes.select(
            "item_id", pl.col("prediction").cast(pl.String), "credit", "tie",
            unknown=pl.col("note").cast(pl.String).str.contains(UNKNOWN_NOTE),
            run=pl.lit(number), method=pl.lit(run.method),
        )
        for number, run in enumerate(runs)
    )  # fmt: skip
    n_runs = pl.col("run").n_unique().over("method", "prediction")
    n_credits = pl.col("credit").count().over("method", "prediction", "item_id")
    return outcomes.with_columns(common=pl.when(n_runs > 1).then(n_credits == n_runs))


def _rows_of_run(
    judged: pl.DataFrame, marginals: Sequence[tuple[str, ...]], *, intervals: bool
) -> pl.DataFrame:
    """Return the rows of one run in the table of accuracies: for each prediction the cells of all
    marginals, and then of the same marginals those of sets. `judged` are its outcomes, each with
    the factors of its item."""
    names = judged["prediction"].unique(maintain_order=True).to_list()
    inequalities = [name for name in names if any(name.startswith(f"{each}: ") for each in names)]
    judged = judged.with_columns(pl.col("prediction").cast(pl.Enum(names)))
    is_whole = pl.col("prediction").is_in(inequalities).not_()
    of_whole_predictions = judged.filter(is_whole) if inequalities else judged
    cells = []
    # factors that no item has give no cells; one marginal stays, for the columns of the table
    present = {name for name in judged.columns if judged[name].null_count() < len(judged)}
    filled = [marginal for marginal in marginals if present.issuperset(marginal)] or marginals[:1]
    has_sets = "set_id" in present
    for are_sets, marginal in product((False, True) if has_sets else (False,), filled):
        members = judged if len(marginal) < 2 else of_whole_predictions
        if are_sets:
            members = _complete_sets(of_whole_predictions, marginal)
        rows = _cells(members, marginal, intervals=intervals)
        cells.append(rows.with_columns(is_joint=pl.lit(are_sets)))
    table = pl.concat(cells, how="diagonal_relaxed").sort("prediction", maintain_order=True)
    name = pl.col("prediction").cast(pl.String)
    joint = pl.format(f"{JOINT} {{}}", name) if len(names) > 1 else pl.lit(JOINT)
    return table.with_columns(prediction=pl.when("is_joint").then(joint).otherwise(name))


def _complete_sets(judged: pl.DataFrame, marginal: Sequence[str]) -> pl.DataFrame:
    """Return the complete sets of items in each cell of a marginal, for joint accuracy, with the
    columns of `judged` that `_cells` needs. The credit of a set is the product of the credits of
    its items: 1 only if all are right.

    A set is complete if it has two or more values, with the same number of items in each. Guessing
    gets 1/4 on sets of two. A model that always prefers the same form gets 0, since the form that
    is right in one value is wrong in the other. A set is left out if one of its items is, and has
    an unknown word if one of its items has.
    """
    keys = ("prediction", *marginal, "set_id")
    n_of_value = pl.col("n_of_value")
    return (
        judged.drop_nulls((*marginal, "set_id"))
        .group_by(keys, maintain_order=True)
        .agg(
            pl.col("credit").fill_null(float("nan")).product(),
            pl.col("tie", "unknown").any(),
            pl.col("common").all(ignore_nulls=False),
            pl.col("cluster").first(),
            pl.col(MEMBERS).bitwise_xor(),
            n_of_value=pl.col(VALUE).unique_counts(),
        )
        .filter(n_of_value.list.len() > 1, n_of_value.list.min() == n_of_value.list.max())
        .with_columns(pl.col("credit").fill_nan(None))
    )


def _cells(members: pl.DataFrame, marginal: Sequence[str], *, intervals: bool) -> pl.DataFrame:
    """Count the members (items or sets) of each cell of a marginal and average their credits, for
    each prediction. Return a row for each cell that has members, in the order of their names."""
    keys = ("prediction", *marginal)
    credit, common = pl.col("credit"), pl.col("common")
    has_credit = credit.is_not_null()
    cells = (
        members.drop_nulls(marginal)  # a member that lacks one of the factors is in no cell
        .group_by(keys)
        .agg(
            pl.col(MEMBERS).bitwise_xor(),  # equal only for cells with the same members
            n_items=credit.count(),
            n_clusters=pl.col("cluster").filter(has_credit).n_unique(),
            n_common=pl.when(common.first().is_not_null()).then(common.sum()),
            n_ties=(pl.col("tie") & has_credit).sum(),
            n_oov=pl.col("unknown").sum(),
            credits=credit.drop_nulls(),
            common_credits=credit.filter(common).drop_nulls(),
            clusters=pl.col("cluster").filter(has_credit),
        )
        .sort(keys)
    )
    limits: list[Proportion | None] = [None] * len(cells)
    if intervals:
        groups = zip(cells["credits"], cells["clusters"], strict=True)
        limits = accuracy_intervals(
            [clustered(credits.to_numpy(), clusters.to_numpy())[0] for credits, clusters in groups]
        )
    return cells.with_columns(
        _means(cells["credits"]).alias("accuracy"),
        _means(cells["common_credits"]).alias("accuracy_common"),
        pl.Series("low", [limit and limit.low for limit in limits], pl.Float64),
        pl.Series("high", [limit and limit.high for limit in limits], pl.Float64),
    ).drop("credits", "common_credits", "clusters")


def _means(lists: pl.Series) -> pl.Series:
    """Return the mean of each list of numbers, null for an empty one. The numbers are added in
    their order, so that the means are equal to the last bit on every computer."""
    means = [np.cumsum(values)[-1] / len(values) if len(values) else None for values in lists]
    return pl.Series(means, dtype=pl.Float64)


def _as_accuracies(table: pl.DataFrame) -> pl.DataFrame:
    """Return a table with the columns of accuracies in their types; those that it lacks are
    empty."""
    missing = [pl.lit(None).alias(name) for name in ACCURACY_TYPES if name not in table.columns]
    return table.with_columns(missing).select(
        pl.col(name).cast(dtype) for name, dtype in ACCURACY_TYPES.items()
    )


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
    return joined.with_columns(mean.alias(BALANCED)).select(*ACCURACY_TYPES)


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
    return _as_accuracies(summary)


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
