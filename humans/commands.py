"""The verbs compare and report: read, call the pure part, write."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from colorless_green.data import schema
from colorless_green.data.files import write_folder, write_whole
from colorless_green.data.progress import Progress, silent
from colorless_green.data.registry import load
from colorless_green.data.result import Result
from colorless_green.data.store import Store
from colorless_green.data.tables import Row, demand_ending, frame, write_table
from colorless_green.humans.collection.gathered import (
    Collection,
    SuiteResults,
    chosen,
    collected,
    results_of,
)
from colorless_green.humans.collection.paired import Paired, paired
from colorless_green.humans.collection.scores import SUITE, score_rows
from colorless_green.humans.collection.tables import comparison_rows, tables_of
from colorless_green.humans.comparison import margins_of
from colorless_green.humans.papers import PAPERS, PAPERS_GROUP
from colorless_green.humans.papers.layout import Beside, rows_of, wide
from colorless_green.humans.report.figurefiles import write_figures
from colorless_green.humans.report.page import figures as figures_of
from colorless_green.humans.report.page import render, style
from colorless_green.humans.report.raters import short_labels
from colorless_green.humans.reporting import is_agreement, material_of, suites_material
from colorless_green.humans.rows import told_apart
from colorless_green.humans.statistics import correlation, item_accuracy, pooled_accuracy
from colorless_green.humans.stored import answers_of, unjudged
from colorless_green.nonce.item import KINDS
from colorless_green.scoring.released.recompute import recomputed


def compare_suites(
    names: Sequence[str], store: Store, *, published: str, out: Path | None
) -> Result:
    """Models beside people on one suite; scores over several; either beside a publication's."""
    if out is not None and (published or (out.suffix and not out.is_dir())):
        demand_ending(out)
    results = results_of(store, chosen(store, names))
    if published:
        return _published(published, results, out)
    collection = collected(results)
    if out is not None:
        _write(store, collection, out)
    messages = [message for each in results for message in _messages(store, each, len(results) > 1)]
    if len(collection.units) == 1 or (len(results) == 1 and is_agreement(results[0].suite)):
        rows = list(comparison_rows(collection))
        shown = [column for column in schema.COMPARISON if column != "suite"]
        return Result(rows, shown, messages, found=bool(rows))
    return _collection(collection, messages)


def _collection(collection: Collection, messages: Sequence[str]) -> Result:
    """Scores over suites: of a terminal's table the suites' own rows are left out."""
    every = list(score_rows(collection))
    first = [row for row in every if row["level"] != SUITE]
    rest = [row for row in every if row["level"] == SUITE]
    columns = [each for each in schema.COLLECTION if any(row[each] is not None for row in first)]
    columns = [each for each in columns if each not in ("suites_low", "suites_high")]
    tests = [_difference(each) for each in paired(collection) if not each.name]
    return Result(
        [*first, *rest], columns, [*messages, *tests], found=bool(every), n_hidden=len(rest)
    )


def _difference(each: Paired) -> str:
    interval = p = ""
    if each.low is not None and each.high is not None:
        interval = f" [{100 * each.low:+.1f}, {100 * each.high:+.1f}]"
    if each.p is not None and each.p_holm is not None:
        p = f", p {each.p:.4f} (Holm {each.p_holm:.4f})"
    return (
        f"{each.rater} − {each.other}: {100 * each.difference:+.1f} points{interval}{p}, "
        f"{each.n_suites} suites, {each.n_items} items"
    )


def _published(name: str, results: Sequence[SuiteResults], out: Path | None) -> Result:
    """One's own results in a paper's tables. The file has one row a value."""
    found: Beside = load(PAPERS, name, "--published", PAPERS_GROUP)(results)
    if out is not None:
        write_table(out, frame(rows_of(found), schema.PUBLISHED))
    models = dict.fromkeys(run.label.model for each in results for run in each.runs)
    rows, columns = wide(found, short_labels(list(models)))
    own = any(each.origin == "own" for each in found.values)
    nothing = () if own else (f"nothing here belongs into the tables of {name}",)
    return Result(rows, columns, (*found.notes, *nothing), found=own)


def _write(store: Store, collection: Collection, out: Path) -> None:
    """A file has comparison.tsv; a folder (a name without an ending) has all tables."""
    if out.suffix and not out.is_dir():
        write_table(out, frame(comparison_rows(collection), schema.COMPARISON))
        return
    tables = tables_of(store, collection)
    with write_folder(out, {"made_by": "colorless compare"}) as folder:
        write_table(folder / "comparison.tsv", frame(tables.comparison, schema.COMPARISON))
        write_table(folder / "collection.tsv", frame(tables.scores, schema.COLLECTION))
        write_table(folder / "paired.tsv", frame(tables.paired, schema.PAIRED))
        write_table(folder / "correlations.tsv", frame(tables.correlations, schema.CORRELATIONS))
        write_table(folder / "shallow.tsv", frame(tables.shallow, schema.SHALLOW))
        write_table(folder / "regions.tsv", frame(tables.regions, schema.REGIONS))


def _messages(store: Store, each: SuiteResults, several: bool) -> Iterator[str]:
    """The figures that Gulordava et al. 2018 give of people, in sentences."""
    judged, runs = each.judged, each.runs
    where = f"{each.suite.name}: " if several else ""
    if not any(tally.total for tally in judged.tallies):
        told = unjudged(answers_of(store, each.suite_id))
        if told or not runs:
            yield f"{each.suite.name}: {told or 'neither scored nor judged yet'}"
    if judged.simulated:
        yield f"{where}the judgments are SIMULATED, made by a program"
    yield from (f"{where}{note}" for note in told_apart(runs))
    seen = {tally.condition for tally in judged.tallies}
    for kind in (*[kind for kind in KINDS if kind in seen], *sorted(seen.difference(KINDS))):
        own = [tally for tally in judged.tallies if tally.condition == kind and tally.total]
        mean, pooled = item_accuracy(own), pooled_accuracy(own)
        if mean is None or pooled is None:
            continue
        yield (
            f"{where}people, {kind}: {mean:.1%} (mean over {len(own)} items), {pooled:.1%} (pooled)"
        )
        for run in runs:
            margins = margins_of(run.credits())
            both = [
                (tally, margin) for tally in own if (margin := margins.get(tally.item)) is not None
            ]
            found = correlation(
                [2.0 * tally.right - tally.total for tally, _ in both],
                [margin for _, margin in both],
                [tally.source for tally, _ in both],
            )
            if found is not None:
                low = "" if found.low is None else f" [{found.low:.2f}, {found.high:.2f}]"
                yield (
                    f"{where}Spearman of (right − wrong) answers with {run.label.model}'s margin, "
                    f"{kind}: {found.rho:.3f}{low}, permutation p {found.p:.4f}, "
                    f"{found.n_items} items"
                )


def recompute_results(path: Path, *, out: Path | None) -> Result:
    """A paper's figures computed again from the results that its authors released item by item."""
    if out is not None:
        demand_ending(out)
    result = recomputed(path)
    if out is not None:
        write_table(out, result.to_frame())
    return result


def write_report(
    names: Sequence[str],
    store: Store,
    *,
    out: Path,
    figures: Path | None = None,
    progress: Progress = silent,
) -> Result:
    """One HTML page: on one suite of agreement items, or on any other suites together; and its
    figures as files in the folder `figures`."""
    results = results_of(store, chosen(store, names))
    if len(results) == 1 and is_agreement(results[0].suite):
        material = material_of(store, results[0], progress)
    else:
        material = suites_material(store, results, progress)
    written = write_figures(figures, figures_of(material), style()) if figures is not None else ()
    page = render(material)
    with write_whole(out) as stream:
        stream.write(page)
    rows: list[Row] = [{"suite": each.suite.name, "report": str(out)} for each in results]
    messages = [f"{figures}: {len(written)} drawings, as SVG and PDF"] if figures else []
    return Result(rows, ("suite", "report"), messages)
