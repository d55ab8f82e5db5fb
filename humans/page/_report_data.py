"""Everything a report is made of, in one piece: read from the store, and nothing else is asked."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from ...data.items.item import Item
from ...data.items.prediction import chance
from ...data.items.suite import Suite
from ...data.progress import Progress, silent
from ...data.registry import abridged, load
from ...data.store import Store, home
from ...data.version import __version__
from ...miner.mining_rows import load_rows
from ...nonce.audit.audit_suite import suite_guesses
from ...scoring.outcomes.accuracy import COMPOSED, accuracy_frame, factors_frame
from ...scoring.outcomes.collection import SuiteItem, Unit
from ...scoring.outcomes.run import TOY, Run
from ..analysis import figures
from ..collection.collect import CollectedAnswers, SuiteResults, with_clusters
from ..collection.result_tables import Tables
from ..collection.suite_scores import above_baselines, guess_rows
from ..judgments.answers import SuiteAnswers, recorded
from ..judgments.judgment import Judgment, Tally, judgments_of, tallies
from ..measures.measure import Measure, evidence_of
from ..papers import PAPERS, PAPERS_GROUP
from ..papers.paper_table import OWN, PaperFigures
from ..statistics.rater_accuracy import HUMANS, Credits
from ..statistics.runs import short_labels
from ..statistics.shared_items import SharedItems, common_by_kind
from ._parts import Rater, Record, series

SHOWN_NAMES = 3  # of suites in a title
SHOWN_EXAMPLES = 2  # originals of each construction
SHOWN_VARIANTS = 3  # of each of them
PACKAGES = (
    *("numpy", "scipy", "ufal.kenlm", "torch", "transformers", "tokenizers"),
    "matplotlib",
)


Example = tuple[Item, Sequence[Item]]
"""An original and some of its nonce variants"""


@dataclass(frozen=True, slots=True)
class PredictionSummary:
    """What is predicted of a suite's items, and how often it would hold by chance."""

    suite: str
    circuit: str
    n_items: int
    prediction: str  # the formula as written
    chance: float | None  # None where it hangs on the size of the values
    method: str  # chance was found


@dataclass(frozen=True, slots=True)
class SuitesData:
    """What the page on controlled suites shows, beside runs, examples and judgments."""

    raters: tuple[str, ...]  # people first; a group stands for its models
    predicted: tuple[PredictionSummary, ...]
    scores: tuple[Record, ...]  # columns of collection.tsv
    paired: tuple[Record, ...]  # columns of paired.tsv
    correlations: tuple[Record, ...]  # columns of correlations.tsv
    shallow: tuple[Record, ...]  # columns of shallow.tsv
    regions: tuple[Record, ...]  # columns of regions.tsv
    papers: tuple[tuple[str, PaperFigures], ...]  # (name, its tables with one's own columns)
    baselines: tuple[Record, ...]  # columns of collection.tsv; on the items in common
    above: Mapping[tuple[str, str, str], str]
    """(name of a score, rater, baseline) → whether the rater is above: `yes`, `no`, `unclear`"""
    shared: tuple[tuple[str, int, int, int], ...]
    """(rater, its items, its suites, items that were there), of whom not all answered everything"""


@dataclass(frozen=True, slots=True)
class PeopleData:
    """Who was asked about one suite, whose answers do not count, and what follows from the rest."""

    answers: SuiteAnswers = field(default_factory=SuiteAnswers)
    recorded: tuple[Judgment, ...] = ()  # everybody's trials, whether they count or not
    everybody: tuple[Tally, ...] = ()  # as if no rule had left anything out
    measures: tuple[Measure, ...] = ()  # accuracies, correlations, reliability


@dataclass(frozen=True, slots=True)
class ReportData:
    """What one page shows; all but the title may be empty, and the page says what is not there."""

    title: str
    figures: tuple[tuple[str, str], ...]  # (what, how much), shown beside the answer
    examples: tuple[Example, ...]
    runs: tuple[Run, ...]
    outcomes: Mapping[str, Credits]  # model, then group → item → outcome
    tallies: tuple[Tally, ...]
    simulated: bool  # the judgments are made up by a program
    people: PeopleData  # who gave them; only on one suite
    items: Mapping[str, Item]  # what tallies and outcomes are about
    clusters: Mapping[str, str]  # item → the cluster that intervals and tests are over
    common: Mapping[str, SharedItems[str]]  # kind → who is compared on what
    comparison: tuple[Record, ...]  # columns of comparison.tsv, and how intervals were made
    constructions: tuple[Record, ...] = ()  # columns of constructions.tsv
    rejections: tuple[tuple[str, int], ...] = ()  # (reason, how many sentences)
    accuracy: tuple[Record, ...] = ()  # columns of accuracy.tsv
    baselines: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # → item → credit
    suites: SuitesData | None = (
        None  # of controlled suites; then there is no accuracy by construction
    )

    @property
    def versions(self) -> dict[str, str]:
        """Of this program and the packages that it counts and draws with."""
        return {"colorless-green": __version__, **_versions()}

    @property
    def n_originals(self) -> int:
        """Of agreement items: those that can be in a training text."""
        return 0 if self.suites else sum(e.kind == "original" for e in self.items.values())

    @property
    def asked(self) -> bool:
        """Whether somebody gave an answer that is right or wrong and counts."""
        return any(tally.total for tally in self.tallies)


@cache
def _versions() -> dict[str, str]:
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions


def agreement_material(
    store: Store, results: SuiteResults, progress: Progress = silent
) -> ReportData:
    """Everything the page on a suite of agreement items shows. The comparison is that of the verb
    `compare`: by the same functions, on the same items."""
    suite, judged, runs = results.suite, results.judged, results.runs
    outcomes = results.outcomes()
    suite_row = store.one("SELECT treebank_id FROM suite WHERE suite_id = ?", (results.suite_id,))
    treebank_id = suite_row["treebank_id"] if suite_row else None
    rejected = load_rows(store, "rejection", treebank_id) if treebank_id else []
    reasons = Counter(str(row["reason"]).partition(":")[0] for row in rejected)
    comparison = Tables(home(store), (results,)).cells.rows(named=True) if judged.tallies else ()
    return ReportData(
        title=_title(suite),
        figures=tuple(_figures(suite)),
        examples=tuple(_examples(suite)),
        runs=runs,
        outcomes=outcomes,
        tallies=judged.tallies,
        simulated=judged.simulated,
        people=_people(results, progress),
        items={item.item_id: item for item in suite.items},
        clusters=results.clusters(),
        common=common_by_kind(suite.items, judged.tallies, outcomes),
        comparison=tuple(comparison),
        constructions=tuple(load_rows(store, "construction", treebank_id) if treebank_id else []),
        rejections=tuple(reasons.most_common()),
        accuracy=tuple(accuracy_frame(factors_frame(suite.items), runs).to_dicts()),
        baselines=_baselines(store, results, progress),
    )


def suites_material(
    store: Store, results: Sequence[SuiteResults], progress: Progress = silent
) -> ReportData:
    """Everything the page on controlled suites shows, on one or on several."""
    tables = Tables(home(store), tuple(results))
    collection = tables.gathered
    shallow, regions = tables.shallow_and_regions
    names = [result.suite.name for result in results]
    preview = abridged(names, SHOWN_NAMES)
    runs = {run.signature: run for result in results for run in result.runs}
    guesses: dict[str, dict[SuiteItem, float]] = {}
    for result in results:
        for name, credits in _baselines(store, result, progress).items():
            by_key = guesses.setdefault(name, {})
            by_key.update({(result.suite.name, item): credit for item, credit in credits.items()})
    items = [item for result in results for item in result.suite.items]
    outcomes: dict[str, dict[str, tuple[float | None, float | None]]] = {}
    for result in results:
        for model, of_model in result.outcomes().items():
            outcomes.setdefault(model, {}).update(of_model)
    tallies = tuple(tally for result in results for tally in result.judged.tallies)
    units = "suites" if len(names) == len(collection.units) else "paradigms"
    return ReportData(
        title=names[0] if len(names) == 1 else f"{len(names)} suites: {preview}",
        figures=(
            (units, f"{len(collection.units):,}"),
            ("items", f"{len(items):,}"),
            ("models", f"{len(runs):,}"),
        ),
        examples=tuple(_first_items(collection.units)),
        runs=tuple(runs.values()),
        outcomes=outcomes,
        tallies=tallies,
        simulated=any(result.judged.simulated for result in results),
        people=_people(results[0], progress) if len(results) == 1 else PeopleData(),
        items={item.item_id: item for item in items},
        clusters={k: name for result in results for k, name in result.clusters().items()},
        common=common_by_kind(items, tallies, outcomes),
        comparison=tuple(tables.cells.rows(named=True))
        if any(result.judged.tallies for result in results)
        else (),
        suites=SuitesData(
            raters=collection.listed,
            predicted=tuple(_predicted(collection.units, results)),
            scores=tuple(tables.collection.rows(named=True)),
            paired=tuple(tables.paired.rows(named=True)),
            correlations=tuple(tables.correlations.rows(named=True)),
            shallow=tuple(shallow.rows(named=True)),
            regions=tuple(regions.rows(named=True)),
            papers=tuple(_papers(results)),
            baselines=tuple(guess_rows(collection, guesses)),
            above=above_baselines(collection, guesses),
            shared=tuple(_uneven(collection)),
        ),
    )


def _baselines(
    store: Store, results: SuiteResults, progress: Progress
) -> dict[str, dict[str, float]]:
    """The audit's baselines on every pair, as `audit` has them without options; nothing where the
    items are no pairs, or nobody answered."""
    suite = results.suite
    if not suite.table.is_pair().any() or not (results.runs or results.judged.tallies):
        return {}
    baselines: dict[str, dict[str, float]] = {}
    guesses = suite_guesses(suite, results.suite_id, store, progress)
    for name, item, credit in guesses.credits.iter_rows():
        baselines.setdefault(name, {})[item] = credit
    return baselines


def _people(results: SuiteResults, progress: Progress) -> PeopleData:
    """Who was asked, and all statistics of what they said; nothing where nobody was."""
    evidence, answers = evidence_of(results), results.judged
    trials = recorded(answers)
    return PeopleData(
        answers=answers,
        recorded=judgments_of(trials),
        everybody=with_clusters(tallies(trials, evidence.items), results.clusters()),
        measures=tuple(figures(evidence, progress)),
    )


def _uneven(collection: CollectedAnswers) -> Iterator[tuple[str, int, int, int]]:
    """Raters that did not answer everything: how many items, of how many suites."""
    n_items = sum(len(unit.items) for unit in collection.units)
    for rater in collection.listed:
        counts = [len(common.answered.get(rater, ())) for common in collection.common.values()]
        if sum(counts) < n_items:
            yield rater, sum(counts), sum(n > 0 for n in counts), n_items


def _first_items(units: Sequence[Unit]) -> Iterator[Example]:
    """The first item of the first unit of each circuit."""
    seen: set[str] = set()
    for unit in units:
        if unit.circuit not in seen:
            seen.add(unit.circuit)
            yield unit.items[0], ()


def _predicted(
    units: Sequence[Unit], results: Sequence[SuiteResults]
) -> Iterator[PredictionSummary]:
    suites = {result.suite.name: result.suite for result in results}
    for unit in units:
        for prediction in suites[unit.suite].predictions[:1]:
            guess = chance(prediction)
            yield PredictionSummary(
                unit.name, unit.circuit, len(unit.items), prediction.source, guess.value, guess.how
            )


def _papers(results: Sequence[SuiteResults]) -> Iterator[tuple[str, PaperFigures]]:
    """The papers in whose tables some of these results belong; Gulordava's are about treebanks."""
    for name in (paper for paper in PAPERS if paper != "gulordava2018"):
        figures: PaperFigures = load(PAPERS, name, "--published", PAPERS_GROUP)(results)
        if any(value.origin == OWN for value in figures.values):
            yield name, figures


def _title(suite: Suite) -> str:
    """A suite that was mined by its treebank, any other by its name."""
    mined = [item.agreement for item in suite.items if item.agreement is not None]
    sources = {item.source for item in suite.items}
    if len(mined) < len(suite.items) or len(sources) > 1:
        return suite.name
    features = ", ".join(sorted({agreement.feature for agreement in mined}))
    rules = ", ".join(sorted({agreement.rule for agreement in mined}))
    how = "composed sets" if all(item.kind == COMPOSED for item in suite.items) else f"rule {rules}"
    return f"{features} agreement in {sources.pop()} ({how})"


def _figures(suite: Suite) -> Iterator[tuple[str, str]]:
    names = {"original": "original sentences", "nonce": "nonce variants"}
    for kind, n in Counter(item.kind for item in suite.items).items():
        yield names.get(kind, f"{kind} items"), f"{n:,}"
    constructions = {
        item.agreement.construction for item in suite.items if item.agreement is not None
    }
    yield "constructions", str(len(constructions))


def _examples(suite: Suite) -> Iterator[Example]:
    """The first originals of each construction, one of each value if there are, with variants."""
    variants: dict[str, list[Item]] = {}
    for item in suite.items:
        if item.kind == "nonce":
            variants.setdefault(item.cluster_id, []).append(item)
    groups: dict[str, dict[str, Item]] = {}
    for item in suite.items:
        if item.kind == "original" and item.agreement is not None:
            chosen = groups.setdefault(item.agreement.construction, {})
            if len(chosen) < SHOWN_EXAMPLES:
                chosen.setdefault(item.agreement.value, item)
    for originals in groups.values():
        for original in originals.values():
            yield original, variants.get(original.item_id, [])[:SHOWN_VARIANTS]


def raters(material: ReportData) -> tuple[Rater, ...]:
    """People first (if anybody was asked), then models: runs in order, then groups. Models whose
    group has a mean of several are represented by that mean."""
    if material.suites is not None:
        names = [name for name in material.suites.raters if name != HUMANS]
    else:
        run_models = {run.model for run in material.runs}
        groups = [name for name in material.outcomes if name not in run_models]
        models = dict.fromkeys(run.model for run in material.runs if run.group not in groups)
        names = [*models, *groups]
    humans = people(material)
    return (*([humans] if humans else []), *series(names, labels_of(material, names)))


def labels_of(material: ReportData, names: Sequence[str]) -> Mapping[str, str]:
    """Short labels, with what a reader must know wherever they stand: that a model is a toy, and
    how it was asked where that is not the same for all."""
    methods = {name: run.method for run in material.runs for name in (run.group, run.model)}
    uneven = len({run.method for run in material.runs}) > 1 and material.suites is None
    small = toys(material)
    return {
        name: label
        + (f" ({methods[name]})" if uneven and methods.get(name) else "")
        + (" (toy)" if name in small else "")
        for name, label in short_labels(names).items()
    }


def toys(material: ReportData) -> dict[str, str]:
    """Models that are toys, and groups that have one, with the reason as far as it is known."""
    reasons: dict[str, str] = {}
    for run in material.runs:
        if run.toy:
            for name in filter(None, (run.model, run.group)):
                reasons[name] = run.toy if run.toy != TOY else ""
    return reasons


def people(material: ReportData) -> Rater | None:
    """People as a rater; None where nobody answered anything."""
    if not any(tally.total for tally in material.tallies):
        return None
    label = "people (simulated)" if material.simulated else "people"
    return Rater(HUMANS, label, "star", 0)


def raters_in_rows(rows: Sequence[Mapping[str, object]], raters: Sequence[Rater]) -> list[Rater]:
    """The raters that some row is about."""
    names = {row["rater"] for row in rows}
    return [rater for rater in raters if rater.name in names]
