"""The data of a report, in one piece: read from the store, and nothing else is asked."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.metadata import PackageNotFoundError, version

import polars as pl

from ...data.items.item import Item
from ...data.items.prediction import chance
from ...data.items.suite import Suite
from ...data.progress import Progress, silent
from ...data.registry import abridged
from ...data.store import Store, home
from ...data.tables import Row, frame
from ...data.version import __version__
from ...miner.mining_rows import load_rows
from ...nonce.audit.audit import suite_guesses
from ...scoring.outcomes.accuracy import COMPOSED, RELATION, accuracy_frame, factors_frame
from ...scoring.outcomes.collection import SuiteItem, Unit
from ...scoring.outcomes.run import TOY, Run
from ..analysis import figures
from ..collection.collect import CollectedAnswers, SuiteResults, with_clusters
from ..collection.result_tables import Tables
from ..collection.suite_scores import above_baselines, guess_rows
from ..comparison import is_agreement
from ..judgments.answers import SuiteAnswers, recorded
from ..judgments.judgment import TRIALS, Tally, tallies
from ..measures.measure import Measure
from ..statistics.accuracy_estimates import NO_ONE
from ..statistics.people import AnswerTable
from ..statistics.rater_accuracy import HUMANS, Credits
from ..statistics.runs import short_labels
from ..statistics.shared_items import SharedItems, common_by_kind
from . import _page_table as form
from ._parts import Rater, series

ACCEPTED = "accepted"
SHOWN_NAMES = 3  # of suites in a title
SHOWN_ITEMS = 3  # of a construction, as examples
PACKAGES = (
    *("numpy", "scipy", "ufal.kenlm", "torch", "transformers", "tokenizers"),
    "matplotlib",
)
RELATIONS = ("none", "same", "opposite")  # of composed items


@dataclass(frozen=True, slots=True)
class SuitesData:
    """The data of controlled suites, beside runs, examples and judgments."""

    unit: str  # what a score is the mean of: "suite" or "construction"
    raters: tuple[str, ...]  # people first; a group stands for its models
    predicted: pl.DataFrame  # prediction and chance of each suite
    scores: pl.DataFrame  # columns of collection.tsv
    paired: pl.DataFrame  # columns of paired.tsv
    regions: pl.DataFrame  # columns of regions.tsv
    baselines: pl.DataFrame  # columns of collection.tsv; on the items in common
    above: Mapping[tuple[str, str, str], str]
    """(name of a score, rater, baseline) → whether the rater is above: `yes`, `no`, `unclear`"""
    uneven: tuple[tuple[str, int, int, int], ...]
    """(rater, its items, its suites, items that were there), of whom not all answered everything"""


@dataclass(frozen=True, slots=True)
class PeopleData:
    """People who were asked about one suite, whose answers do not count, and what follows."""

    answers: SuiteAnswers = field(default_factory=SuiteAnswers)
    recorded: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=pl.Schema(TRIALS)))
    # everybody's trials, whether they count or not
    table: AnswerTable = NO_ONE  # of the answers that count
    everybody: tuple[Tally, ...] = ()  # as if no rule had left anything out
    measures: tuple[Measure, ...] = ()  # accuracies, correlations, reliability


@dataclass(frozen=True)
class ReportData:
    """The data of one page; all but the title may be empty, and the page says what is not there."""

    title: str
    figures: tuple[tuple[str, str], ...]  # (what, how much), shown with the answer
    examples: Mapping[str, Sequence[Item]]  # by construction or circuit
    runs: tuple[Run, ...]
    outcomes: Mapping[str, Credits]  # model, then group → item → outcome
    tallies: tuple[Tally, ...]
    simulated: bool  # the judgments are made up by a program
    people: PeopleData  # only on one suite
    items: Mapping[str, Item]  # what tallies and outcomes are about
    clusters: Mapping[str, str]  # item → the cluster that intervals and tests are over
    common: Mapping[str, SharedItems[str]]  # kind → who is compared on what
    comparison: pl.DataFrame  # columns of comparison.tsv, and how intervals were made
    constructions: tuple[Row, ...] = ()  # columns of constructions.tsv
    rejections: tuple[tuple[str, str], ...] = ()  # (construction, reason) of each match
    accuracy: pl.DataFrame = field(default_factory=pl.DataFrame)  # columns of accuracy.tsv
    baselines: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # → item → credit
    suites: SuitesData | None = None  # of controlled suites: then no accuracy by construction

    @property
    def versions(self) -> dict[str, str]:
        """The versions of this program and the packages that it counts and draws with."""
        return {"colorless-green": __version__, **_versions()}

    @property
    def n_originals(self) -> int:
        """The number of agreement items that can be in a training text."""
        return 0 if self.suites else sum(e.kind == "original" for e in self.items.values())

    @property
    def asked(self) -> bool:
        """True if somebody gave an answer that is right or wrong and counts."""
        return any(tally.total for tally in self.tallies)

    @cached_property
    def toys(self) -> dict[str, str]:
        """Models that are toys, and groups that have one, with the reason as far as it is known."""
        reasons: dict[str, str] = {}
        for run in self.runs:
            if run.toy:
                for name in filter(None, (run.model, run.group)):
                    reasons[name] = run.toy if run.toy != TOY else ""
        return reasons

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """Short labels of all raters, with what a reader must know wherever they are: that a model
        is a toy, and how it was asked where that is not the same for all."""
        methods = {name: run.method for run in self.runs for name in (run.group, run.model)}
        is_uneven = len({run.method for run in self.runs}) > 1 and self.suites is None
        names = list(dict.fromkeys([*(run.model for run in self.runs), *self.outcomes]))
        models = {
            name: label
            + (f" ({methods[name]})" if is_uneven and methods.get(name) else "")
            + (" (toy)" if name in self.toys else "")
            for name, label in short_labels(names).items()
        }
        return {HUMANS: "people (simulated)" if self.simulated else "people", **models}

    @cached_property
    def raters(self) -> tuple[Rater, ...]:
        """People first (if anybody was asked), then models: runs in order, then groups. Models
        whose group has a mean of several are represented by that mean."""
        if self.suites is not None:
            names = [name for name in self.suites.raters if name != HUMANS]
        else:
            run_models = {run.model for run in self.runs}
            groups = [name for name in self.outcomes if name not in run_models]
            models = dict.fromkeys(run.model for run in self.runs if run.group not in groups)
            names = [*models, *groups]
        people = [Rater(HUMANS, self.labels[HUMANS], "star", 0)] if self.asked else []
        return (*people, *series(names, self.labels))


@cache
def _versions() -> dict[str, str]:
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions


def report_data(
    store: Store, results: Sequence[SuiteResults], progress: Progress = silent
) -> ReportData:
    """Return everything the page shows: of one suite of agreement items, of any other, or of
    several. The comparison is that of the verb `compare`: by the same functions, on the same
    items."""
    tables = Tables(home(store), tuple(results))
    suites = [result.suite for result in results]
    items = [item for suite in suites for item in suite.items]
    runs = tuple({run.signature: run for result in results for run in result.runs}.values())
    outcomes: dict[str, dict[str, tuple[float | None, float | None]]] = {}
    for result in results:
        for model, of_model in result.outcomes.items():
            outcomes.setdefault(model, {}).update(of_model)
    judged = tuple(tally for result in results for tally in result.tallies)
    guesses = {result.suite.name: _baselines(store, result, progress) for result in results}
    first = results[0]
    is_mined = len(results) == 1 and is_agreement(first.suite)
    constructions, rejections = _mined(store, first) if is_mined else ((), ())
    units = tables.gathered.units if not is_mined else ()
    names = [suite.name for suite in suites]
    preview = abridged(names, SHOWN_NAMES)
    unit = "suite" if len(units) == len(names) else "construction"
    return ReportData(
        title=_title(suites[0])
        if is_mined
        else names[0]
        if len(names) == 1
        else f"{len(names)} suites: {preview}",
        figures=tuple(
            _sizes(items)
            if is_mined
            else [(f"{unit}s", f"{len(units):,}"), ("items", f"{len(items):,}"),
                  ("models", f"{len(runs):,}")]
        ),
        examples=_examples(items) if is_mined else _first_items(units),
        runs=runs,
        outcomes=outcomes,
        tallies=judged,
        simulated=any(result.judged.simulated for result in results),
        people=_people(first, progress) if len(results) == 1 else PeopleData(),
        items={item.item_id: item for item in items},
        clusters={k: name for result in results for k, name in result.clusters.items()},
        common=common_by_kind(items, judged, outcomes),
        comparison=tables.cells if judged else tables.cells.clear(),
        constructions=constructions,
        rejections=rejections,
        accuracy=accuracy_frame(factors_frame(items), runs) if is_mined else pl.DataFrame(),
        baselines=guesses[first.suite.name] if is_mined else {},
        suites=None if is_mined else _suites(tables, results, guesses, unit),
    )  # fmt: skip


def _suites(
    tables: Tables,
    results: Sequence[SuiteResults],
    guesses: Mapping[str, Mapping[str, Mapping[str, float]]],
    unit: str,
) -> SuitesData:
    collection = tables.gathered
    by_baseline: dict[str, dict[SuiteItem, float]] = {}
    for suite, baselines in guesses.items():
        for name, credits in baselines.items():
            keyed = {(suite, item): credit for item, credit in credits.items()}
            by_baseline.setdefault(name, {}).update(keyed)
    return SuitesData(
        unit=unit,
        raters=collection.listed,
        predicted=frame(_predicted(collection.units, results)),
        scores=tables.collection,
        paired=tables.paired,
        regions=tables.regions,
        baselines=frame(guess_rows(collection, by_baseline)),
        above=above_baselines(collection, by_baseline),
        uneven=tuple(_uneven(collection)),
    )


def _mined(
    store: Store, results: SuiteResults
) -> tuple[tuple[Row, ...], tuple[tuple[str, str], ...]]:
    """Return the constructions of the treebank, each with its number of items here and the reason
    why most of its matches gave none; and the reason of every match that gave no original."""
    suite_row = store.one("SELECT treebank_id FROM suite WHERE suite_id = ?", (results.suite_id,))
    treebank_id = suite_row["treebank_id"] if suite_row else None
    if not treebank_id:
        return (), ()
    reasons = tuple(
        (str(row["construction"]), str(row["reason"]).partition(":")[0])
        for row in load_rows(store, "rejection", treebank_id)
    )
    n_items = Counter(item.construction for item in results.suite.items)
    lost: dict[str, Counter[str]] = {}
    for construction, reason in reasons:
        lost.setdefault(construction, Counter())[reason] += 1
    rows = tuple(
        {
            **row,
            "n_items": n_items[name],
            "lost": lost[name].most_common(1)[0][0] if name in lost else "",
        }
        for row in load_rows(store, "construction", treebank_id)
        for name in [str(row["construction"])]
    )
    return rows, reasons


def _baselines(
    store: Store, results: SuiteResults, progress: Progress
) -> dict[str, dict[str, float]]:
    """Return the audit's baselines on every pair, as `audit` has them without options; nothing
    where the items are no pairs, or nobody answered."""
    suite = results.suite
    if not suite.table.is_pair().any() or not (results.runs or results.tallies):
        return {}
    baselines: dict[str, dict[str, float]] = {}
    guesses = suite_guesses(suite, results.suite_id, store, progress)
    for name, item, credit in guesses.credits.iter_rows():
        baselines.setdefault(name, {})[item] = credit
    return baselines


def _people(results: SuiteResults, progress: Progress) -> PeopleData:
    """Return who was asked, and all statistics of what they said; nothing where nobody was."""
    answers = results.judged
    trials = recorded(answers)
    return PeopleData(
        answers=answers,
        recorded=trials,
        table=results.answers,
        everybody=with_clusters(tallies(trials, results.items), results.clusters),
        measures=tuple(figures(results, progress)),
    )


def _uneven(collection: CollectedAnswers) -> Iterator[tuple[str, int, int, int]]:
    """Yield raters that did not answer everything: how many items, of how many suites."""
    n_items = sum(len(unit.items) for unit in collection.units)
    for rater in collection.listed:
        counts = [len(common.answered.get(rater, ())) for common in collection.common.values()]
        if sum(counts) < n_items:
            yield rater, sum(counts), sum(n > 0 for n in counts), n_items


def _predicted(units: Sequence[Unit], results: Sequence[SuiteResults]) -> Iterator[Row]:
    """Yield the prediction of each suite, and how often it would hold by chance; its circuit where
    there are several."""
    suites = {result.suite.name: result.suite for result in results}
    has_circuits = len({unit.circuit for unit in units}) > 1
    for unit in units:
        for prediction in suites[unit.suite].predictions[:1]:
            guess = chance(prediction)
            yield {
                "suite": unit.name,
                "circuit": unit.circuit if has_circuits else "",
                "n_items": len(unit.items),
                "prediction": prediction.source,
                "chance": guess.value,
                "method": guess.how,
            }


def _title(suite: Suite) -> str:
    """Return the title: of a suite that was mined its treebank, of any other its name."""
    mined = [item.agreement for item in suite.items if item.agreement is not None]
    sources = {item.source for item in suite.items}
    if len(mined) < len(suite.items) or len(sources) > 1:
        return suite.name
    features = ", ".join(sorted({agreement.feature for agreement in mined}))
    rules = ", ".join(sorted({agreement.rule for agreement in mined}))
    how = "composed sets" if all(item.kind == COMPOSED for item in suite.items) else f"rule {rules}"
    return f"{features} agreement in {sources.pop()} ({how})"


def _sizes(items: Sequence[Item]) -> Iterator[tuple[str, str]]:
    """Yield the number of items of each kind, and of constructions."""
    for kind, n in Counter(item.kind for item in items).items():
        yield form.kind_name(kind), f"{n:,}"
    yield "constructions", str(len({item.construction for item in items} - {""}))


def _examples(items: Sequence[Item]) -> dict[str, Sequence[Item]]:
    """Return three items of each construction: an original with two of its variants, of composed
    sets one for each relation of what is between; else the first ones."""
    groups: dict[str, list[Item]] = {}
    for item in items:
        if item.agreement is not None:
            groups.setdefault(item.construction, []).append(item)
    examples: dict[str, Sequence[Item]] = {}
    for construction, members in groups.items():
        head = next((item for item in members if item.kind == "original"), members[0])
        head_id = head.set_id or head.cluster_id
        of_head = [item for item in members if (item.set_id or item.cluster_id) == head_id]
        if head.kind == COMPOSED:
            by_relation = {item.facts.get(RELATION, ""): item for item in reversed(of_head)}
            of_head = [by_relation[name] for name in RELATIONS if name in by_relation]
        of_head.sort(key=lambda item: item is not head and head.kind != COMPOSED)
        others = [item for item in members if item not in of_head]
        examples[construction] = [*of_head, *others][:SHOWN_ITEMS]
    return examples


def _first_items(units: Sequence[Unit]) -> dict[str, Sequence[Item]]:
    """Return the first item of the first unit of each circuit; of a single one the first three."""
    first = {unit.circuit: unit for unit in reversed(units)}
    circuits = dict.fromkeys(unit.circuit for unit in units)
    n_items = SHOWN_ITEMS if len(first) == 1 else 1
    return {first[name].name: first[name].items[:n_items] for name in circuits}
