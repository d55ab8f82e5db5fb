"""The public function `compare`: models beside people, on one suite or several, and beside the
published results of a paper.

A tally is one item with the number of people who chose the right form, and of all who answered.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl

from ..data import schema
from ..data.errors import InputError
from ..data.files import write_folder
from ..data.items.suite import Suite
from ..data.registry import Names, counted, listed, load
from ..data.result import Result
from ..data.statistics.differences import LEVEL
from ..data.store import Store, StoreLike, open_store, reference_to
from ..data.tables import demand_ending, frame, write_table
from ..scoring.outcomes.scores import Scores
from .collection.collect import SuiteResults, chosen_suites, results_of
from .collection.result_tables import Tables
from .collection.suite_scores import SUITE
from .judgments.answers import why_unjudged
from .judgments.judgment import levels
from .measures.correlations import cell_correlations
from .papers import PAPERS, PAPERS_GROUP
from .papers.paper_table import OWN_COLUMN, PaperFigures, terminal_table
from .read import Judgments
from .statistics.accuracy_estimates import item_accuracy, pooled_accuracy
from .statistics.rater_accuracy import (
    HUMANS,
    MAJORITY,
    MIN_CORRELATED_ITEMS,
    SHARE,
    TOO_FEW,
    margins_of,
)
from .statistics.runs import newest_note, run_notes, short_labels
from .statistics.shared_items import comparison_notes

SHOWN_COLUMNS = (  # columns of comparison.tsv that the command line shows
    *("kind", "rater", "n_items", "accuracy", "low", "high"),
    *("difference", "difference_low", "difference_high", "p", "note"),
)
SMALLEST_PRINTED_P = 0.0001  # smaller ones are printed as `<` this

ScoresOrNames: TypeAlias = Scores | str | Sequence[str] | None
"""What `score` returned, or names of suites in a store (patterns with `*` and `?`); None for the
suite that was scored or judged last."""


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class Comparison(Result):
    """Models and people on the same items, as `compare` returns it.

    Its own table is what the command line shows: of one suite the accuracies by kind and
    construction, of several the scores over them. The frames are computed when asked for.

    Attributes:
        tables: what the frames are made from.
        figures: one's own figures in a paper's tables, which `write` then writes; None where no
            paper was named.
    """

    tables: Tables
    figures: pl.DataFrame | None = None

    def shown(self) -> pl.DataFrame:
        """Return the rows and columns to print. In a paper's tables the rows that have results of
        one's own come first."""
        table = super().shown()
        own = [name for name in table.columns if name.startswith(OWN_COLUMN)]
        has_no_own = pl.all_horizontal(pl.col(own).is_null())
        return table.sort(has_no_own, maintain_order=True) if own else table

    @property
    def cells(self) -> pl.DataFrame:
        """Each rater on each suite, kind and construction, beside people: the columns of
        `comparison.tsv`, and how the intervals were made."""
        return self.tables.cells

    @property
    def collection(self) -> pl.DataFrame:
        """Scores over suites: all, by circuit, by modifier, and of each suite."""
        return self.tables.collection

    @property
    def paired(self) -> pl.DataFrame:
        """Tests between raters, over suites and within each."""
        return self.tables.paired

    @property
    def correlations(self) -> pl.DataFrame:
        """Pearson's and Spearman's correlation of each two raters' accuracies, over suites."""
        return self.tables.correlations

    @property
    def regions(self) -> pl.DataFrame:
        """Surprisal by region and condition, where the store has surprisals."""
        return self.tables.regions

    def write(self, path: str | Path) -> None:
        """Write the comparison into a file or folder.

        Args:
            path: a file, whose ending says the form: it gets `cells` (beside a publication,
                `figures`). Or a folder, a name without an ending, which gets all tables.

        Raises:
            InputError: for another ending, or where nothing can be written.
        """
        path = Path(path)
        if self.figures is not None:
            write_table(path, self.figures)
        elif path.suffix and not path.is_dir():
            write_table(path, self.cells.select(list(schema.COMPARISON)))
        else:
            with write_folder(path, {"made_by": "colorless compare"}) as folder:
                cells = self.cells.select(list(schema.COMPARISON))
                write_table(folder / "comparison.tsv", cells)
                for name in ("collection", "paired", "correlations", "regions"):
                    write_table(folder / f"{name}.tsv", getattr(self, name))


def compare(
    scores: ScoresOrNames = None,
    people: Judgments | None = None,
    *,
    published: str = "",
    construction: Names = None,
    out: str | Path | None = None,
    store: StoreLike = None,
) -> Comparison:
    """Compare models with people and with published figures, on one suite or several.

    Args:
        scores: suites: names, @numbers, or patterns with `*` and `?`; or what `score` returned,
            whose runs alone are used [default: the one scored or judged last].
        people: what `read_judgments` returned. If it is kept in another store than the scores, it
            is added to theirs first.
        published: a paper whose tables the results are set in: gulordava2018, marvin2018,
            hu2020-syntaxgym, hu2020-reflexives or warstadt2020.
        construction: only items of these constructions: a name, or a pattern with `*` and `?`.
        out: file for the table, or folder for all tables.
        store: the project's database, where suites that are named are.

    Returns:
        The comparison as a table, with further frames; `found` is false where there is nothing to
        compare.

    Raises:
        InputError: for names that no suite or paper has, for people who judged other items than the
            models, for a store other than that of the scores, and where nothing was scored or
            judged.

    Commands:
        colorless compare
        colorless compare 'number_*' --published hu2020-syntaxgym --out published.tsv

    >>> import colorless_green as cg
    >>> _ = Path("items.csv").write_text(
    ...     "item,source,kind,prefix,correct_form,wrong_form\\n"
    ...     "i1,s1,target,the keys,are,is\\ni2,s2,target,the key,is,are\\n")
    >>> _ = Path("answers.csv").write_text(
    ...     "participant,item,chosen\\nanna,i1,are\\nanna,i2,are\\nbert,i1,are\\n")
    >>> people = cg.read_judgments("answers.csv", items="items.csv")
    >>> cg.compare(people=people).to_frame().select("rater", "n_items", "accuracy").rows()
    [('humans', 2, 0.5)]
    """
    path = Path(out) if out is not None else None
    if path is not None and (published or (path.suffix and not path.is_dir())):
        demand_ending(path)
    with open_store(store_of(scores, people, store), existing=True) as opened_store:
        results = suite_results(
            opened_store, scores, people, listed(construction), equal_forms=bool(published)
        )
        if published:
            comparison = _compare_with_paper(published, opened_store, results)
        else:
            comparison = _compare_with_people(opened_store, results)
    if scores is None and people is None:
        note = newest_note(results[0].suite.name)
        comparison = replace(comparison, messages=(note, *comparison.messages))
    if path is not None:
        comparison.write(path)
    return comparison


def store_of(scores: ScoresOrNames, people: Judgments | None, store: StoreLike) -> StoreLike:
    """Return the store to work with: the store of the scores, else the named store, else the store
    of the people.

    Raises `InputError` for arguments of a wrong type, and for a named store that is not the one in
    which the scores are kept.
    """
    names = [scores] if isinstance(scores, str) else scores
    if not isinstance(scores, Scores) and not (
        names is None or (isinstance(names, Sequence) and all(isinstance(n, str) for n in names))
    ):
        wrong = f"{type(scores).__name__} is neither scores nor the names of suites"
        right = "what score returned, or names; what read_judgments returned is people"
        raise InputError("scores", wrong, right, kind="value")
    if people is not None and not isinstance(people, Judgments):
        wrong = f"{type(people).__name__} is not what people answered"
        right = "what one call of read_judgments returned; the name of a file to write is out"
        raise InputError("people", wrong, right, kind="value")
    if not isinstance(scores, Scores):
        return store if store is not None or people is None else people.kept.store
    if store is not None and _store_key(store) != _store_key(scores.store):
        wrong = f"the scores are not kept in {_store_key(store)}"
        right = "no store beside scores, or the names of suites in it"
        raise InputError("store", wrong, right, kind="conflict")
    return scores.store


def _store_key(store: Store | str | Path) -> Store | Path:
    """Return a key that is equal for an open store and for the path of the same store: its path,
    or the store itself if it is in memory."""
    store_home = reference_to(store) if isinstance(store, Store) else Path(store)
    return store_home.resolve() if isinstance(store_home, Path) else store_home


def suite_results(
    store: Store,
    scores: ScoresOrNames,
    people: Judgments | None,
    constructions: Sequence[str],
    *,
    equal_forms: bool = False,
) -> tuple[SuiteResults, ...]:
    """Return suites with their runs and judgments: the suites of the scores, or the named ones.
    People who are kept in another store are added to this one first.

    `equal_forms` keeps items whose two forms are the same word. Raises `InputError` if nobody
    answered any item of the constructions.
    """
    run_ids: tuple[int, ...] | None = None
    if isinstance(scores, Scores):
        suite_ids, run_ids = list(scores.suite_ids), scores.run_ids
    elif scores is None and people is not None and people.kept.is_in(store):
        suite_ids = [people.kept.id]
    else:
        suite_ids = chosen_suites(store, [scores] if isinstance(scores, str) else scores or ())
    results = results_of(store, suite_ids, run_ids, constructions, equal_forms=equal_forms)
    if people is not None and not (people.kept.is_in(store) and people.kept.id in suite_ids):
        suites_without_runs = results_of(store, suite_ids, ())
        judged_id = _id_of_judged_suite(suites_without_runs, people)
        with store.transaction():
            people.save(store, judged_id)
        results = results_of(store, suite_ids, run_ids, constructions, equal_forms=equal_forms)
    if constructions and not any(map(_is_answered, results)):
        raise InputError(
            "construction",
            f"no item of {', '.join(constructions)} was scored or judged",
            "other constructions, or score their items too",
            kind="empty",
        )
    return results


def _is_answered(results: SuiteResults) -> bool:
    """Return True if a model scored an item, or a person chose a form or rated a sentence."""
    judged = results.judged
    if any(run.outcomes.height for run in results.runs) or results.is_answered:
        return True
    return any("target" in trials["kind"] for trials in (judged.trials, judged.trials_left_out))


def _id_of_judged_suite(results: Sequence[SuiteResults], people: Judgments) -> int:
    """Return the id of the first suite that has all items that people judged. Raises `InputError`
    if there is none; the message names the suite that lacks the fewest items."""
    source = people.source
    judged = {tally.item for tally in source.imported.tallies}
    judged |= {*source.imported.trials.filter(kind="target")["item"]}

    def n_lacking(result: SuiteResults) -> int:
        """Count the judged items that a suite lacks."""
        return len(judged - result.items.keys())

    closest = min(results, key=n_lacking, default=None)  # the first one, if several lack as few
    if closest is not None and n_lacking(closest) == 0:
        return closest.suite_id
    names = ", ".join(result.suite.name for result in results)
    wrong = f"they judged other items than those of {names}"
    right = "scores and judgments of one suite"
    if closest is not None and (n := n_lacking(closest)) < len(judged):
        wrong = f"of the {len(judged)} items that they judged, {closest.suite.name} lacks {n}"
        right = "score the suite that was judged (limit scores fewer items of it)"
    raise InputError("people", wrong, right, kind="conflict")


def is_agreement(suite: Suite) -> bool:
    """Return True if all items of a suite are agreement items, which have accuracies by kind."""
    return bool(suite.items) and bool((suite.table.frame["value"] != "").all())


def _compare_with_people(store: Store, results: tuple[SuiteResults, ...]) -> Comparison:
    """Compare models with people: on one suite by its accuracies, on several by mean accuracies
    over suites."""
    tables = Tables(reference_to(store), results)
    messages = [line for result in results for line in _messages(result, len(results) > 1)]
    is_one_agreement_suite = len(results) == 1 and is_agreement(results[0].suite)
    if is_one_agreement_suite or len(tables.answers.units) == 1:
        return _compare_on_one_suite(tables, results[0], messages)
    return _compare_over_suites(tables, messages)


def _compare_on_one_suite(
    tables: Tables, result: SuiteResults, messages: Sequence[str]
) -> Comparison:
    """Compare the accuracies of models and people on a suite: by kind, and by kind and construction
    in rows that come last and are not printed."""
    is_of_all = pl.col("construction") == ""  # all constructions together
    rows = tables.cells.filter(is_of_all).rows(named=True)
    messages = [*messages, *filter(None, map(_people_minus_model, rows))]
    if not rows:
        message = f"{result.suite.name}: no item counts for people or models"
        if any(run.unknown_items for run in result.runs):
            message += "; the models know too few of its words: colorless score --set oov=keep"
        messages.append(message)
    return _laid_out(tables, tables.cells, is_of_all, SHOWN_COLUMNS, messages)


def _compare_over_suites(tables: Tables, messages: Sequence[str]) -> Comparison:
    """Compare the mean accuracies of models and people over suites. Rows of single suites come last
    and are not printed."""
    columns = [name for name in schema.COLLECTION if name not in ("suites_low", "suites_high")]
    paired = tables.paired.filter(pl.col("n_suites") > 1).rows(named=True)
    messages = [*messages, *map(_rater_minus_other, paired)]
    return _laid_out(tables, tables.collection, pl.col("level") != SUITE, columns, messages)


def _laid_out(
    tables: Tables,
    table: pl.DataFrame,
    is_printed: pl.Expr,
    columns: Sequence[str],
    messages: Sequence[str],
) -> Comparison:
    """Make the comparison that shows one of the tables: the rows that are printed first, and those
    of the columns in which they have a value."""
    printed = table.filter(is_printed)
    rows = [*printed.rows(named=True), *table.filter(~is_printed).rows(named=True)]
    return Comparison(
        rows,
        [name for name in columns if printed[name].count()],
        messages,
        found=bool(rows),
        n_hidden=len(table) - len(printed),
        tables=tables,
    )


def _people_minus_model(row: Mapping[str, Any]) -> str:
    """Say by how many percentage points people and a model differ on the items of a kind.

    People count by the choice of their majority, and by their share of right answers; the sentence
    also says who is better by both. It is "" for a row that has no such difference.
    """
    if row["construction"] or not row["measure"]:
        return ""
    parts = []
    for name, measure in (("majority", MAJORITY), ("share", SHARE)):
        limits = row[f"{name}_difference_low"], row[f"{name}_difference_high"]
        if (value := row[f"{name}_difference"]) is not None:
            parts.append(f"{measure} {_points(value, *limits)}")
    parts.sort(key=lambda part: not part.startswith(row["measure"]))  # the row's measure first
    if row["better"]:
        parts.append(f"{row['better']} better by both")
    elif len(parts) > 1:
        parts.append("they do not both exclude 0 on one side: nothing is concluded")
    return f"people − {row['rater']}, {row['kind']}: {'; '.join(parts)}"


def _rater_minus_other(row: Mapping[str, Any]) -> str:
    """Say by how many percentage points the mean accuracies of two raters (models or people) over
    suites differ, with interval and p. `row` is from paired.tsv."""
    p = ""
    if row["p"] is not None and row["p_holm"] is not None:
        p = f", {_p_text(row['p'])} (Holm {row['p_holm']:.4f})"
    # the smallest p that a test over so few suites can give
    if row["p_floor"] is not None and row["p_floor"] > LEVEL:
        p += f", which {row['n_suites']} suites cannot bring below {row['p_floor']:.2g}"
    points = _points(row["difference"], row["low"], row["high"])
    return (
        f"{row['rater']} − {row['other']}: {points}{p}, {row['n_suites']} suites, "
        f"{row['n_items']} items"
    )


def _points(difference: float, low: float | None, high: float | None) -> str:
    """Return a difference of accuracies in percentage points, with its interval if there is one."""
    interval = "" if low is None or high is None else f" [{100 * low:+.1f}, {100 * high:+.1f}]"
    return f"{100 * difference:+.1f} points{interval}"


def _p_text(p: float) -> str:
    """Return a p-value as a text, such as `p 0.0123` or `p < 0.0001`."""
    return f"p {p:.4f}" if p >= SMALLEST_PRINTED_P else f"p < {SMALLEST_PRINTED_P}"


def _compare_with_paper(name: str, store: Store, results: tuple[SuiteResults, ...]) -> Comparison:
    """Set one's own results beside the published ones in a paper's tables.

    The printed rows have a column for each rater (model or people); `figures`, which is written to
    a file, has a row for each value.
    """
    paper: Callable[[Sequence[SuiteResults]], PaperFigures] = load(
        PAPERS, name, "published", PAPERS_GROUP
    )
    figures = paper(results)
    models = dict.fromkeys(run.model for result in results for run in result.runs)
    rows, columns = terminal_table(figures, short_labels(list(models)))
    has_own = any(value.origin == "own" for value in figures.values)
    absence = () if has_own else (f"no result belongs in the tables of {name}",)
    return Comparison(
        rows,
        columns,
        (*figures.notes, *absence, *(line for r in results for line in _lines_on_people(r))),
        found=has_own,
        tables=Tables(reference_to(store), results),
        figures=frame((v.as_row(schema.PUBLISHED) for v in figures.values), schema.PUBLISHED),
    )


def _messages(result: SuiteResults, with_name: bool) -> Iterator[str]:
    """Yield remarks on the answers to a suite (nobody answered, simulated, items left out), then
    people's accuracies and correlations with models. `with_name` puts the suite's name before each.
    """
    judged, runs = result.judged, result.runs
    prefix = f"{result.suite.name}: " if with_name else ""
    if not result.is_answered:
        reason = why_unjudged(judged)
        if reason or not runs:
            yield f"{result.suite.name}: {reason or 'neither scored nor judged yet'}"
    if judged.simulated:
        yield f"{prefix}the judgments are SIMULATED, made by a program"
    yield from (f"{prefix}{note}" for note in run_notes(runs))
    if result.n_equal:
        items = counted(result.n_equal, "item")
        yield f"{prefix}{items} with one word as both forms: left out"
    labels = {rater: rater for rater in (HUMANS, *result.outcomes)}  # in notes, the full names
    for kind, basis in result.shared.items():
        if note := comparison_notes(kind, basis, labels):
            yield f"{prefix}{note}"
    yield from (f"{prefix}{line}" for line in _lines_on_people(result))


def _lines_on_people(result: SuiteResults) -> Iterator[str]:
    """Yield the numbers that Gulordava et al. 2018 give of people, as lines of text: their accuracy
    by kind, and its correlation with each model's margin."""
    for kind in levels(tally.condition for tally in result.tallies):
        answered = [tally for tally in result.tallies if tally.condition == kind and tally.total]
        mean, pooled = item_accuracy(answered), pooled_accuracy(answered)
        if mean is None or pooled is None:
            continue
        yield f"people, {kind}: {mean:.1%} (mean over {len(answered)} items), {pooled:.1%} (pooled)"
        for run in result.runs:
            margins = margins_of(result.matched.get(run.model, {}))
            rho = next(cell_correlations(kind, answered, run.model, margins), None)
            if rho is not None and rho.note == TOO_FEW:
                yield (
                    f"{run.model}, {kind}: {rho.n} items are too few for a "
                    f"correlation with people; {MIN_CORRELATED_ITEMS} are needed"
                )
            elif rho is not None and rho.value is not None:
                interval = "" if rho.low is None else f" [{rho.low:.2f}, {rho.high:.2f}]"
                p = "" if rho.p is None else f", {_p_text(rho.p)}"
                yield (
                    f"Spearman of (right − wrong) answers with {run.model}'s margin, "
                    f"{kind}: {rho.value:.3f}{interval}{p}, {rho.n} items"
                )
