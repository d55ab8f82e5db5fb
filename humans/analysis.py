"""Analysis of one suite: accuracies, correlations and agreement of people and models; and people's
single answers as a table, with an R script that fits mixed models to it with lme4.

The script's formulas contain only names that we chose. Text from the data (names of conditions) is
in strings, with unusual characters written as numbers, and no cell of the table is one that a
spreadsheet would run as a formula.
"""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import polars as pl

from ..data.errors import InputError
from ..data.files import write_folder, write_whole
from ..data.items.item import Item
from ..data.items.suite import Suite
from ..data.progress import Progress, silent, with_progress
from ..data.result import Result
from ..data.shell import resource
from ..data.store import Store, StoreLike, open_store
from ..data.stored_suites import find_suite, suite_named
from ..data.tables import Cell, demand_ending, frame, guard_cell, write_table
from .collection.collect import SuiteResults, results_of
from .judgments.answers import why_unjudged
from .judgments.judgment import levels, tally_of
from .measures import COLUMNS, Measure, accuracies, consistency, correlations, ratings
from .read import Judgments
from .statistics.rater_accuracy import Credits, margins_of
from .statistics.runs import judged_or_scored, newest_note

TABLE, SCRIPT = "tidy.csv", "analysis.R"
SCHEMA = {
    **dict.fromkeys(("participant", "source", "item", "condition", "construction"), pl.String),
    **dict.fromkeys(("attractors", "gap", "position"), pl.Int64),
    "rt_ms": pl.Float64,
    "correct": pl.Int64,
}
"""Columns of the table of single answers; unknown values are null. `gap`: tokens between cue and
target; `position`: place of the trial in its session, from 1; `correct`: 0 or 1. A column
`margin MODEL` (in bits) follows for each model."""
CONTROL_PICTURES = {code: 0x2400 + code for code in range(32)}  # controls would break R's lines
PLAIN_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _.-")


def analyse(
    suite: Judgments | Suite | str | Path = "",
    *,
    r: str | Path | None = None,
    out: str | Path | None = None,
    store: StoreLike = None,
    progress: Progress = silent,
) -> Result:
    """Analyse people's judgments: accuracy, agreement and reliability, with models of the store.

    Args:
        suite: a suite that was judged, by its name or @number; or what `read_judgments` returned
            [default: the one scored or judged last].
        r: folder for the single answers as a table and an R script that fits mixed models to it.
        out: file for the table.
        store: the project's database, where the suite is.
        progress: called with (task, done, total) as the work proceeds.

    Returns:
        One row per figure; those of constructions and gaps come last and are not shown to people.

    Raises:
        InputError: for unknown names, and where single answers are asked for and only totals are
            known.

    Commands:
        colorless humans analyse
        colorless humans analyse --out figures.tsv --r for-r

    >>> import colorless_green as cg
    >>> _ = Path("items.csv").write_text(
    ...     "item,source,kind,prefix,correct_form,wrong_form\\n"
    ...     "i1,s1,target,the keys,are,is\\ni2,s2,target,the key,is,are\\n")
    >>> _ = Path("totals.csv").write_text("item,right,total\\ni1,9,10\\ni2,6,10\\n")
    >>> people = cg.read_judgments("totals.csv", items="items.csv")
    >>> cg.analyse(people).to_frame().select("statistic", "value").head(2).rows()
    [('accuracy over items', 0.75), ('accuracy pooled', 0.75)]
    """
    path = Path(out) if out is not None else None
    if path is not None:
        demand_ending(path)
    stored = getattr(suite, "kept", None)  # suites and judgments say where they are kept
    if store is None and stored is not None:
        store = stored.store
    with open_store(store, existing=True) as opened:
        (results,) = results_of(opened, [_suite_id(opened, suite)])
    messages = [] if suite else [newest_note(results.suite.name)]
    if not results.is_answered:
        reason = why_unjudged(results.judged) or "nobody has judged it yet; colorless humans import"
        messages.append(f"{results.suite.name}: {reason}")
    measures = list(figures(results, progress))
    if r is not None:
        _write_for_r(Path(r), results)
        messages.append(f"{r}: the single answers, and analysis.R for them")
    if not measures:
        return Result([], COLUMNS, messages, found=False)
    measures.sort(key=_is_detail)  # details last, else in the order in which they came
    names = dict.fromkeys(("statistic", "value", *COLUMNS))  # each once
    rows = [measure.as_row(names) for measure in measures]
    if path is not None:
        write_table(path, frame(rows, COLUMNS))
    columns = [column for column in COLUMNS if column not in ("construction", "se")]
    return Result(rows, columns, messages, n_hidden=sum(map(_is_detail, measures)))


def _suite_id(store: Store, suite: Judgments | Suite | str | Path) -> int:
    """Return the number in the store of the suite to analyse: the one that was judged, the one
    named, or (for "") the one scored or judged last."""
    if isinstance(suite, Judgments):
        return suite.kept.id
    if not suite:
        return judged_or_scored(store)
    found, stored_id = find_suite(store, suite)
    return suite_named(store, found.name) if stored_id is None else stored_id


def _write_for_r(folder: Path, results: SuiteResults) -> None:
    """Write the table of single answers and the R script into a folder.

    Raises `InputError` if no single answer is right or wrong.
    """
    rows = observations(results.judged.trials, results.items, results.outcomes)
    if rows.is_empty() and results.is_answered:
        right = "single judgments, imported with who gave them"
        raise InputError("r", f"{results.suite.name} has totals only", right, kind="unsupported")
    if rows.is_empty():
        wrong = f"of {results.suite.name} there are no answers that are right or wrong"
        raise InputError("r", wrong, "choices between a right and a wrong form", kind="empty")
    write_tidy(folder, rows)


def _is_detail(measure: Measure) -> bool:
    """Tell whether a measure is about one construction or gap; these come last, unprinted."""
    return bool(measure.construction) or measure.statistic == accuracies.BY_GAP


def figures(results: SuiteResults, progress: Progress = silent) -> Iterator[Measure]:
    """Yield all measures (records of one statistic each) of a suite.

    The measures of choices (accuracies, correlations, agreement, curves) come only if people have
    made choices that count; the measures of ratings come last.
    """
    modules: list[Callable[[SuiteResults], Iterator[Measure]]] = [ratings.rating_measures]
    if results.is_answered:
        modules = [
            accuracies.people_accuracies,
            accuracies.model_accuracies,
            accuracies.original_minus_nonce,
            correlations.margin_correlations,
            correlations.reliability,
            correlations.people_agreement,
            correlations.majorities_of_few,
            consistency.error_consistency,
            lambda found: accuracies.curves_of(found.items, found.tallies, found.matched),
            *modules,
        ]
    for measures_of in with_progress(modules, "statistics", progress, len(modules)):
        yield from measures_of(results)


def write_tidy(folder: Path, rows: pl.DataFrame) -> None:
    """Write `tidy.csv`, the table that `observations` returns, and `analysis.R`."""
    with write_folder(folder, {"made_by": "colorless humans analyse"}) as new:
        with write_whole(new / TABLE) as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(map(safe_cell, rows.columns))
            for row in rows.iter_rows():
                writer.writerow(map(safe_cell, row))
        with write_whole(new / SCRIPT) as stream:
            stream.write(r_script(rows))


def observations(
    trials: pl.DataFrame, items: Mapping[str, Item], outcomes: Mapping[str, Credits]
) -> pl.DataFrame:
    """Return a table of the answered target trials, in order, with the columns of `SCHEMA`.

    It also has a column with the margin of each model in bits, null if it is not finite. `outcomes`
    is model → item id → (credit, margin).
    """
    margins = {f"margin {model}": margins_of(credits) for model, credits in outcomes.items()}
    facts = pl.DataFrame(
        {
            "item": list(items),
            "source": [item.cluster_id for item in items.values()],
            "kind": [item.kind for item in items.values()],
            "attractors": [tally_of(item, 0, 0).n_attractors for item in items.values()],
            "gap": [item.agreement.gap if item.agreement else None for item in items.values()],
            **{name: [bits.get(item) for item in items] for name, bits in margins.items()},
        },
        {"item": str, "source": str, "kind": str, "attractors": int, "gap": int}
        | dict.fromkeys(margins, float),
    )
    answers = trials.filter(pl.col("correct").is_not_null(), kind="target")
    joined = answers.drop("source", "kind").join(facts, on="item", maintain_order="left")
    # answers without a condition of the experiment have the kind of their item
    condition = pl.when(pl.col("condition") == "").then("kind").otherwise("condition")
    finite = (pl.when(pl.col(name).is_finite()).then(name).alias(name) for name in margins)
    return joined.with_columns(condition.alias("condition"), *finite).select(*SCHEMA, *margins)


def safe_cell(value: Cell) -> Cell:
    """Make a cell safe: a spreadsheet will not run it, and R will not break it into two lines.

    Control characters are replaced by their pictures (U+2400 to U+241F); numbers stay as they are.
    """
    return guard_cell(value.translate(CONTROL_PICTURES)) if isinstance(value, str) else value


def r_script(rows: pl.DataFrame) -> str:
    """Return the text of an R script that analyses a table of single answers with mixed models.

    It reads the table and fits mixed models with condition, attractors and their interaction as
    fixed effects, as far as these vary in `rows`. It tries the maximal random slopes first, then
    simpler formulas.
    """
    variables = [
        name for name in ("condition", "attractors") if rows[name].drop_nulls().n_unique() > 1
    ]
    conditions = levels(rows["condition"])
    # a 0/1 variable for each condition but the first, with which the others are compared
    contrasts = [f"condition_{n}" for n in range(2, len(conditions) + 1)]
    contrast_lines = (
        f"tidy${name} <- as.numeric(tidy$condition == conditions[{n}])\n"
        for n, name in enumerate(contrasts, start=2)
    )
    text = resource(__package__, SCRIPT)  # with @NAME@ in the places to fill
    for name, value in {
        "variables": ", ".join(f'"{name}"' for name in ["correct", *variables]),
        "columns": "".join(contrast_lines),
        "formulas": ",\n  ".join(dict.fromkeys(_formulas(rows, variables, contrasts))),
        "conditions": ", ".join(r_string(str(safe_cell(condition))) for condition in conditions),
    }.items():
        text = text.replace(f"@{name}@", value)
    return text


def _formulas(
    rows: pl.DataFrame, variables: Sequence[str], contrasts: Sequence[str]
) -> Iterator[str]:
    """Yield formulas of mixed models in R's notation, from the maximal one to the simplest.

    The fixed effects are the `variables` (condition, attractors, both or none); a condition stands
    in a formula by its `contrasts`. Random intercepts and slopes are those of people, of sources
    and, if a source has several items, of items.
    """
    by_variable = {"condition": contrasts, "attractors": ["attractors"]}

    def terms(names: Sequence[str]) -> list[str]:
        """Return the terms for the main effects of these variables and their interaction."""
        main = [term for name in names for term in by_variable[name]]
        crossed = [f"{contrast}:attractors" for contrast in contrasts] if len(names) == 2 else []
        return [*main, *crossed]

    # grouping factor → variables that vary within its groups, which can have random slopes
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
    fixed_effects = terms(variables) or ["1"]
    for bar in ("|", "||", ""):  # correlated slopes, uncorrelated slopes, intercepts only
        random_effects = [
            f"({' + '.join(['1', *terms(names)])} {bar} {grouping})"
            if bar and names
            else f"(1 | {grouping})"
            for grouping, names in groupings.items()
        ]
        yield f"correct ~ {' + '.join([*fixed_effects, *random_effects])}"


def r_string(text: str) -> str:
    """Return a text as a string literal of R, with unusual characters as code points.

    The text must not contain the character 0, which R's strings can't have.
    """
    safe = (char if char in PLAIN_CHARACTERS else f"\\U{{{ord(char):x}}}" for char in text)
    return f'"{"".join(safe)}"'
