"""The result of `score`: accuracies, and the outcomes and surprisals that they come from."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import polars as pl

from ...data import schema
from ...data.items.item import FACTORS, KINDS
from ...data.registry import look_up
from ...data.result import SOLVED, Result, interval_text, n_solved
from ...data.store import MEMORY, Store
from ...data.tables import Cell, Row, frame
from ..questions.region_surprisals import region_frame
from .accuracy import (
    BALANCED,
    FACTS,
    FIRST_NOUN,
    JOINT,
    MARGINALS,
    OPENING,
    RELATION,
    VALUE,
    accuracy_frame,
    factors_frame,
    for_people,
)
from .asking import ALL
from .run import BASELINE, LABEL_COLUMNS, Run

COLUMNS_OF_SETS = (  # columns that people are shown for composed sets
    "suite", "model", "policy", "n_items", "opposed", "accuracy", SOLVED,
    "relative_sets", "none", "same", "opposite", "first_opposite", "Sing", "Plur",
)  # fmt: skip
WHOLE_SUITE = ("n_items", "n_ties", "n_oov", "n_common", "accuracy_common")
FINER_FACTORS = ("construction", "n_attractors", "level")
RANK_COLUMN = "rank"  # not shown: the accuracy by which baselines are ordered
N_BEST_BASELINES = 3  # the number of baselines of each kind that people are shown
SHOWN_COLUMNS = (  # columns that people are shown, if they say anything
    "suite", "prediction", "kind", "level", "value", "n_attractors", "construction", *FACTS,
    "model", "policy", "n_items", BALANCED, "accuracy", "low", "high", "n_common",
    "accuracy_common", "n_ties", "n_oov",
)  # fmt: skip
ALWAYS_SHOWN = ("model", "n_items", "accuracy", "low", "high", "n_ties", "n_oov")
RELATIONS = ("none", "same", "opposite")
NO_FIRST_NOUN, OPPOSITE = "none", "opposite"
# accuracies on composed sets, whose sentences may begin with a noun that is not the head
OPPOSED = "opposed"  # the headline: first noun and nouns before the target in the other number
FIRST_OPPOSITE = "first_opposite"  # the first noun, not the head, in the other number
JOINT_PLAIN = "joint_plain"  # share of solved sets, over sentences that begin with the head
RELATIVE, JOINT_RELATIVE = "relative", "joint_relative"  # the same, targets in relative clauses
NAMES_OF_CELLS: Mapping[tuple[Cell, ...], Mapping[str, str]] = {
    (False, None, None, None): {"accuracy": "accuracy", "n_items": "n_items", "n_oov": "n_oov"},
    **{(False, None, NO_FIRST_NOUN, name): {name: "accuracy"} for name in RELATIONS},
    (False, None, OPPOSITE, None): {FIRST_OPPOSITE: "accuracy"},
    (False, None, OPPOSITE, OPPOSITE): {OPPOSED: "accuracy"},
    (True, None, None, None): {"n_sets": "n_items", JOINT: "accuracy"},
    (True, None, NO_FIRST_NOUN, None): {"n_sets_plain": "n_items", JOINT_PLAIN: "accuracy"},
    (True, RELATIVE, None, None): {"n_sets_relative": "n_items", JOINT_RELATIVE: "accuracy"},
}
"""(whether a row of accuracies over all values is of sets, its opening, first noun and relation) →
column of `Scores.cells` → the column of the row that it is from"""
# column that people are shown → the columns with the share of sets solved and the number of sets
SETS_SOLVED = {SOLVED: (JOINT, "n_sets"), "relative_sets": (JOINT_RELATIVE, "n_sets_relative")}
COMPOSED_MARGINALS = (  # marginals of composed sets
    (), (VALUE,), (FIRST_NOUN,), (FIRST_NOUN, RELATION), (FIRST_NOUN, RELATION, VALUE),
    (OPENING,),
)  # fmt: skip
SHOWN_BASELINES = (  # baselines that people are shown beside models on composed sets
    "majority_value", "unigram", "nearest_noun", "adjacent_word", "window", "first_noun",
)  # fmt: skip
KEY_COLUMNS = (*LABEL_COLUMNS, "prediction", *FACTORS, *FACTS)


@dataclass(frozen=True, repr=False, eq=False)
class Scores(Result):
    """Accuracies of models on suites, with the outcomes and surprisals that they come from.

    Printed, it has a row for each model and suite, with the accuracy of each kind and value.

    Attributes:
        table: all accuracies, as in accuracy.tsv.
        store: the store with surprisals and outcomes.
        runs: a run for each model on each suite.
        baselines: runs of guesses without grammar on the same items.
        of_composed: True if all suites are composed sets, for which people are shown `cells`.
        by: the columns by which people are shown accuracies; empty: kind and value.
    """

    table: pl.DataFrame = field(default_factory=pl.DataFrame)
    store: Store | Path = MEMORY
    runs: tuple[Run, ...] = ()
    baselines: tuple[Run, ...] = ()
    of_composed: bool = False
    by: tuple[str, ...] = ()

    @property
    def run_ids(self) -> tuple[int, ...]:
        """The numbers of the runs in the store, one for each model on each suite."""
        return tuple(run.run_id for run in self.runs if run.run_id is not None)

    @property
    def suite_ids(self) -> tuple[int, ...]:
        """The numbers of the suites in the store, in the order in which they were named."""
        return tuple(dict.fromkeys(run.suite_id for run in self.runs if run.suite_id is not None))

    def to_frame(self) -> pl.DataFrame:
        """Return all accuracies: of each marginal of each prediction, run and group of models.
        Those that people are shown come first."""
        return frame(self.rows, schema.ACCURACY)

    def accuracy(self, by: str | Sequence[str] | None = None) -> pl.DataFrame:
        """Return accuracies over all items, or over the items of each cell.

        Args:
            by: the columns whose values make a cell: one or several of kind, level, construction,
                value, n_attractors and, for composed sets, relation and first_noun; None: no cells.

        Returns:
            One row for each cell, prediction and run, and for each group of models (seeds of one
            setting) their mean; intervals are 95 %, by a bootstrap over clusters of items.

        Raises:
            InputError: for a column that is none of these.
        """
        marginal = marginal_of(by)
        if marginal in MARGINALS:  # these are in the table already
            is_of_marginal = [pl.col(name).is_not_null() == (name in marginal) for name in FACTORS]
            return self.table.filter(*is_of_marginal)
        columns = [*schema.ACCURACY, *(name for name in FACTS if name in marginal)]
        return accuracies(self.runs, self.baselines, (marginal,)).select(columns)

    @cached_property
    def cells(self) -> pl.DataFrame:
        """The accuracies on composed sets, a row for each suite and model, baselines last.

        `opposed`, the headline, is the accuracy on sentences whose first noun and whose nouns
        between head and target all have the other number than the head (if all sentences of a suite
        begin with the head, only the nouns between count). `first_opposite` is the accuracy if the
        first noun is not the head and has the other number.

        `joint` is the share of sets with all items right, `joint_plain` this share over sentences
        that begin with the head, and `joint_relative` over sets with targets in relative clauses,
        which `joint` and `joint_plain` leave out. `none`, `same` and `opposite` are accuracies by
        the number of the nouns between head and target, `opposite Sing` and the like also by the
        head's number; all of these are over sentences that begin with the head.
        """
        names = {name for row in self._summaries.values() for name in row}
        leading = (
            "suite", "model", "policy", "n_items", "n_oov", OPPOSED, "accuracy", "n_sets", JOINT,
            "n_sets_plain", JOINT_PLAIN, "n_sets_relative", JOINT_RELATIVE, FIRST_OPPOSITE,
            *RELATIONS,
        )  # fmt: skip
        # The other names are a value (`Sing`), or a relation and a value (`same Sing`).
        values = sorted({name.split()[-1] for name in names} - {*leading}, reverse=True)
        combined = [f"{relation} {value}" for relation in RELATIONS for value in values]
        columns = (*leading, *values, *combined)
        return frame(self._summaries.values(), [name for name in columns if name in names])

    @cached_property
    def _summaries(self) -> dict[tuple[str, ...], dict[str, Cell]]:
        """(suite, run, model, policy, method) → the row of `cells`."""
        summaries: dict[tuple[str, ...], dict[str, Cell]] = {}
        table = accuracies(self.runs, self.baselines, COMPOSED_MARGINALS, intervals=False)
        key_columns = ("suite", "run", "model", "policy", "method")
        for row in table.iter_rows(named=True):
            key = tuple(str(row[name] or "") for name in key_columns)
            summary = summaries.setdefault(key, {"suite": row["suite"], "model": row["model"]})
            summary["policy"] = row["policy"] or None
            summary |= _cells_of(row)
        for summary in summaries.values():
            # If all sentences begin with the head, there is no first noun that could be opposed.
            summary.setdefault(OPPOSED, summary.get(OPPOSITE))
            _set_relatives_apart(summary)
        return summaries

    def shown(self) -> pl.DataFrame:
        """Return the table that is printed: accuracies by the columns of `by`, if it has any; or
        for composed sets some columns of `cells`; or a row for each model, with its accuracy by
        kind and value."""
        if self.by:
            return super().shown()
        if not self.of_composed:
            return self._by_kind_and_value()
        rows = []
        for (*_, method), summary in self._summaries.items():
            name = str(summary["model"])
            if method != BASELINE or name in SHOWN_BASELINES:
                solved_cells = {
                    column: n_solved(summary.get(share), summary.get(n))
                    for column, (share, n) in SETS_SOLVED.items()
                }
                rows.append(summary | solved_cells | _label_cells(summary, method))
        return frame(rows, [name for name in COLUMNS_OF_SETS if any(row.get(name) for row in rows)])

    def _by_kind_and_value(self) -> pl.DataFrame:
        """Return a row for each suite, prediction and model, and for the best baselines.

        A row has the accuracy on each kind of items (such as `original`, `nonce`), and on each
        value (such as `Sing`, `Plur`) of the items of the suite's last kind.
        """
        visible = self.rows[: len(self.rows) - self.n_hidden]  # hidden rows are last
        predictions: dict[Cell, list[str]] = {}
        for suite, name in dict.fromkeys((row["suite"], row["prediction"]) for row in visible):
            predictions.setdefault(suite, []).append(str(name))
        coarse = self.table.filter(pl.all_horizontal(pl.col(FINER_FACTORS).is_null()))
        coarse = coarse.cast({"kind": pl.Enum(KINDS)}).sort("kind", maintain_order=True)
        # A later row takes the place of an earlier one, so this is the last kind of each suite.
        last_kind: dict[Cell, Cell] = dict(coarse.select("suite", "kind").drop_nulls().iter_rows())
        n_kinds = dict(
            coarse.group_by("suite").agg(pl.col("kind").drop_nulls().n_unique()).iter_rows()
        )
        rows: dict[tuple[Cell, ...], dict[str, Cell]] = {}
        for row in coarse.iter_rows(named=True):
            suite, name = row["suite"], row["prediction"]
            if name not in predictions.get(suite, ()):
                continue
            # A row of sets adds to the row of the prediction that their items were judged by.
            judged = predictions[suite][0] if name == JOINT else name.removeprefix(f"{JOINT} ")
            label = {column: row[column] for column in LABEL_COLUMNS}
            summary = rows.setdefault((*label.values(), judged), {**label, "prediction": judged})
            kind, value, accuracy = row["kind"], row[VALUE], row["accuracy"]
            is_of_sets = judged != name
            if is_of_sets:
                if not kind and not value:
                    summary[SOLVED] = n_solved(accuracy, row["n_items"])
            elif value and kind == last_kind[suite]:
                summary[value] = accuracy
            elif kind and not value:
                column = kind if n_kinds[suite] > 1 else "accuracy"
                summary[column] = interval_text(accuracy, row["low"], row["high"])
                summary[RANK_COLUMN] = accuracy
            elif not kind:
                summary |= {column: row[column] for column in WHOLE_SUITE}
        shown = [row | _label_cells(row, row["method"]) for row in _cut_baselines([*rows.values()])]
        names_of_predictions = [
            {name.removeprefix(f"{JOINT} ") for name in names} - {JOINT}
            for names in predictions.values()
        ]
        has_several = any(len(names) > 1 for names in names_of_predictions)
        return frame(shown, _columns_by_kind_and_value(shown, with_prediction=has_several))

    @cached_property
    def outcomes(self) -> pl.DataFrame:
        """A row for each item, prediction and run: both sentences, the surprisals in bits that are
        compared, credit, margin, tie and note."""
        return _of_runs(self.runs, schema.OUTCOMES, Run.outcomes_table)

    @cached_property
    def surprisals(self) -> pl.DataFrame:
        """A row for each region of each sentence that a prediction needs, and for each run."""
        asked = [run for run in self.runs if run.asked is not None]
        return _of_runs(asked, schema.SCORES, _region_surprisals)


def _columns_by_kind_and_value(
    rows: Sequence[Mapping[str, Cell]], *, with_prediction: bool
) -> list[str]:
    """Return the columns, with a value in some of the rows, that people are shown of the table by
    kind and value. `with_prediction`: if a suite has several predictions."""
    fixed = {"prediction", "accuracy", SOLVED, RANK_COLUMN, *KINDS, *LABEL_COLUMNS, *WHOLE_SUITE}
    values = sorted({name for row in rows for name in row} - fixed, reverse=True)
    columns = ["suite", *(["prediction"] if with_prediction else []), "model", "policy", "n_items"]
    columns += [*KINDS, "accuracy", *values, SOLVED, "n_ties"]
    if any(row["n_common"] not in (None, row["n_items"]) for row in rows):
        columns += ["n_common", "accuracy_common"]
    return [name for name in columns if any(row.get(name) is not None for row in rows)]


def _label_cells(row: Mapping[str, Cell], method: Cell) -> dict[str, Cell]:
    """Return the texts of the columns `model` and `policy` in a printed row: a baseline has a dash
    before its name, a group of models is called its mean."""
    if method == BASELINE:
        return {"model": f"– {row['model']}", "policy": "finds cue" if row["policy"] else None}
    return {"model": row["model"] or f"{row['group']}: mean", "policy": row["policy"] or None}


def _cut_baselines(rows: Sequence[dict[str, Cell]]) -> Iterator[dict[str, Cell]]:
    """Drop the rows of all but the best baselines.

    Yields the rows suite by suite, those of models first. Then come the best of the baselines that
    find the cue (which have a policy), and of those that do not, by falling accuracy.
    """
    n_baselines: Counter[tuple[Cell, bool]] = Counter()
    for suite in dict.fromkeys(row["suite"] for row in rows):
        of_suite = [row for row in rows if row["suite"] == suite]
        yield from (row for row in of_suite if row["method"] != BASELINE)
        baselines = [row for row in of_suite if row["method"] == BASELINE]
        for row in sorted(baselines, key=lambda row: -float(row.get(RANK_COLUMN) or 0)):
            group = (suite, bool(row["policy"]))
            n_baselines[group] += 1
            if n_baselines[group] <= N_BEST_BASELINES:
                yield row


def _cells_of(row: Row) -> dict[str, Cell]:
    """Return the columns of `Scores.cells` (name → value) that follow from one row of accuracies on
    composed sets; empty if none does.

    A row is over one cell of items or of sets: it has an opening, a first noun, a relation and a
    value, each None for all.
    """
    first, relation, value = row[FIRST_NOUN], row[RELATION], row[VALUE]
    of_sets = row["prediction"] == JOINT
    if value is not None:
        is_named = not of_sets and first in (None, NO_FIRST_NOUN)
        return {f"{relation or ''} {value}".strip(): row["accuracy"]} if is_named else {}
    names = NAMES_OF_CELLS.get((of_sets, row[OPENING], first, relation), {})
    return {name: row[source] for name, source in names.items()}


def _set_relatives_apart(summary: dict[str, Cell]) -> None:
    """Take the sets with targets in relative clauses out of the columns `joint` and `n_sets` of a
    row of `Scores.cells`, which is changed. A row without such sets stays as it is."""
    n, n_relative = summary.get("n_sets"), summary.get("n_sets_relative")
    joint, of_relatives = summary.get(JOINT), summary.get(JOINT_RELATIVE)
    if not (n and n_relative) or joint is None or of_relatives is None:
        return
    n_others = int(n) - int(n_relative)
    n_right = float(joint) * int(n) - float(of_relatives) * int(n_relative)
    summary["n_sets"], summary[JOINT] = n_others, n_right / n_others if n_others else None


def _of_runs(
    runs: Sequence[Run], columns: schema.Schema, rows: Callable[[Run], pl.DataFrame]
) -> pl.DataFrame:
    """Join the tables of several runs into one, with the columns that name the run.

    Args:
        runs: the runs.
        columns: the columns of the result, with their types.
        rows: makes the table of one run.
    """
    types = {name: pl.DataType.from_python(kind) for name, kind in columns.items()}
    tables = [
        rows(run)
        .with_columns(pl.lit(value).alias(name) for name, value in run.label().items())
        .select(pl.col(name).cast(dtype) for name, dtype in types.items())
        for run in runs
    ]
    return pl.concat(tables) if tables else pl.DataFrame(schema=types)


def accuracies(
    runs: Sequence[Run],
    baselines: Sequence[Run] = (),
    marginals: Sequence[tuple[str, ...]] = MARGINALS,
    *,
    intervals: bool = True,
) -> pl.DataFrame:
    """Return the accuracies (see `accuracy_frame`) of runs and baselines, suite by suite. The first
    run of a suite must have its items."""
    by_suite: dict[tuple[int | None, str], list[Run]] = {}
    for run in (*runs, *baselines):
        by_suite.setdefault((run.suite_id, run.suite), []).append(run)
    tables = [
        accuracy_frame(factors_frame(members[0].items), members, marginals, intervals=intervals)
        for members in by_suite.values()
    ]
    return pl.concat(tables)


def marginal_of(by: str | Iterable[str] | None) -> tuple[str, ...]:
    """Return the columns of the option `by`, in the order of tables. Raises `InputError` for an
    unknown column."""
    names = (by,) if isinstance(by, str) else tuple(by or ())
    for name in names:
        look_up(dict.fromkeys((*FACTORS, *FACTS)), name, "by")
    return tuple(name for name in (*FACTORS, *FACTS) if name in names)


def ordered_for_people(scores: Scores, predictions: str) -> Scores:
    """Return the scores with rows and columns for people: first the rows that they are shown, then
    the others, which are hidden.

    Args:
        scores: the scores, with their table, runs and baselines, and `by`.
        predictions: the predictions to show of a suite with several: first, all or each.
    """
    table = scores.table
    shown: dict[object, set[object]] = {}
    for (suite,), group in table.group_by("suite", maintain_order=True):
        names = group["prediction"].unique(maintain_order=True)
        shown[suite] = set(selected_predictions(names, predictions))
    candidates = scores.accuracy(scores.by) if scores.by else for_people(table)
    visible = [row for row in candidates.to_dicts() if row["prediction"] in shown[row["suite"]]]
    visible_keys = {tuple(map(row.get, KEY_COLUMNS)) for row in visible}
    hidden = [
        row for row in table.to_dicts() if tuple(map(row.get, KEY_COLUMNS)) not in visible_keys
    ]
    columns = [
        name
        for name in SHOWN_COLUMNS
        if name in ALWAYS_SHOWN or _says_more(name, visible, scores.by)
    ]
    return replace(
        scores,
        rows=[*visible, *hidden],
        columns=tuple(columns),
        n_hidden=len(hidden),
        table=table.select(list(schema.ACCURACY)),
    )


def selected_predictions(available: Iterable[str], predictions: str) -> list[str]:
    """Return those of the available predictions that people are shown. `predictions` is first, all
    or each."""
    names = list(available)
    if predictions == "all" and ALL in names:
        return [ALL]
    if predictions == "each" or not names:
        return names
    return [names[0], *(name for name in names if name in (JOINT, f"{JOINT} {names[0]}"))]


def _says_more(name: str, rows: Sequence[Row], by: Sequence[str]) -> bool:
    """Tell if a column of these rows is worth showing: it has values that the other columns, or the
    choice of columns `by`, do not imply."""
    if name == BALANCED:
        return any(row["kind"] == "nonce" and row[name] is not None for row in rows)
    if name in ("n_common", "accuracy_common"):
        return any(row["n_common"] not in (None, row["n_items"]) for row in rows)
    if name in ("policy", *FACTORS, *FACTS):
        return name in by or (name == "kind" and not by) or any(row.get(name) for row in rows)
    return len({row[name] for row in rows}) > 1


def _region_surprisals(run: Run) -> pl.DataFrame:
    """Return the surprisals in bits of a run that has them, a row for each region of a sentence."""
    assert run.asked is not None
    return region_frame(run.asked.plan, run.asked.surprisal)
