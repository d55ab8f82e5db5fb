"""What people and models did on one suite, as figures."""

from collections.abc import Callable, Iterator
from pathlib import Path

from ..data.errors import InputError
from ..data.items.suite import Suite
from ..data.progress import Progress, silent, with_progress
from ..data.result import Result
from ..data.store import StoreLike, open_store
from ..data.stored_suites import find_suite, suite_named
from ..data.tables import demand_ending, frame, write_table
from .collection.collect import SuiteResults, results_of
from .judgments.answers import unjudged
from .measures import accuracies, consistency, correlations, ratings
from .measures.measure import COLUMNS, Measure
from .read import Judgments
from .statistics.runs import judged_or_scored, newest_note
from .statistics.tidy import observations, write_tidy


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
    stored = getattr(suite, "kept", None)
    if store is None and stored is not None:
        store = stored.store
    with open_store(store, existing=True) as keeper:
        if isinstance(suite, Judgments):
            suite_id = suite.kept.id
        elif suite:
            judged_suite, stored_id = find_suite(keeper, suite)
            suite_id = suite_named(keeper, judged_suite.name) if stored_id is None else stored_id
        else:
            suite_id = judged_or_scored(keeper)
        (results,) = results_of(keeper, [suite_id])
    messages = [] if suite else [newest_note(results.suite.name)]
    if not results.is_answered:
        reason = unjudged(results.judged) or "nobody has judged it yet; colorless humans import"
        messages.append(f"{results.suite.name}: {reason}")
    measures = list(figures(results, progress))
    if r is not None:
        _write_for_r(Path(r), results)
        messages.append(f"{r}: the single answers, and analysis.R for them")
    if not measures:
        return Result([], COLUMNS, messages, found=False)
    measures.sort(key=_detail)  # stable
    ordered = dict.fromkeys(("statistic", "value", *COLUMNS))
    rows = [measure.as_row(ordered) for measure in measures]
    if path is not None:
        write_table(path, frame(rows, COLUMNS))
    columns = [column for column in COLUMNS if column not in ("construction", "se")]
    return Result(rows, columns, messages, n_hidden=sum(map(_detail, measures)))


def _write_for_r(folder: Path, results: SuiteResults) -> None:
    rows = observations(results.judged.trials, results.items, results.outcomes)
    if rows.is_empty() and results.is_answered:
        right = "single judgments, imported with who gave them"
        raise InputError("r", f"{results.suite.name} has totals only", right, kind="unsupported")
    if rows.is_empty():
        wrong = f"of {results.suite.name} there are no answers that are right or wrong"
        raise InputError("r", wrong, "choices between a right and a wrong form", kind="empty")
    write_tidy(folder, rows)


def _detail(measure: Measure) -> bool:
    return bool(measure.construction) or measure.statistic == accuracies.BY_GAP


def figures(results: SuiteResults, progress: Progress = silent) -> Iterator[Measure]:
    """Yield all figures of people, and of models on the items that all have; of ratings alone those
    of ratings, and nothing where no answer counts."""
    parts: list[Callable[[SuiteResults], Iterator[Measure]]] = [ratings.measures]
    if results.is_answered:
        parts = [
            accuracies.of_people,
            accuracies.model_accuracies,
            accuracies.original_minus_nonce,
            correlations.of_models,
            correlations.reliability,
            correlations.among_people,
            consistency.of_people,
            consistency.of_models,
            lambda e: accuracies.curves_of(e.items, e.tallies, e.matched),
            *parts,
        ]
    for part in with_progress(parts, "statistics", progress, len(parts)):
        yield from part(results)
