"""All data of a report page: suites, people's answers, models' results, and statistics of them.

A kind is how an item was made: original (a corpus sentence), nonce variant or composed. A rater is
whoever answered: a model, a group of models (such as seeds of one), or people.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from ...data.items.item import Item
from ...data.progress import Progress, silent
from ...data.registry import abridged
from ...data.store import Store, reference_to
from ...data.tables import Row
from ...miner.mining_rows import load_rows
from ...nonce.audit.audit import suite_guesses
from ...scoring.outcomes.accuracy import COMPOSED, RELATION
from ...scoring.outcomes.collection import SuiteItem
from ...scoring.outcomes.run import TOY, Run
from ..analysis import figures
from ..collection.collect import SuiteResults, with_clusters
from ..collection.result_tables import Tables
from ..collection.suite_scores import Guesses
from ..comparison import is_agreement
from ..judgments.answers import SuiteAnswers, trials_recorded
from ..judgments.judgment import Tally, tallies
from ..measures import Measure
from ..statistics.people import AnswerTable
from ..statistics.rater_accuracy import HUMANS, Credits
from ..statistics.runs import short_labels
from ..statistics.shared_items import SharedItems, common_by_kind
from . import _parts as fmt
from ._parts import Rater, raters_with_looks

ACCEPTED = "accepted"
MAX_TITLE_NAMES = 3  # of suites in a title
MAX_EXAMPLES = 3  # examples of each construction
RELATIONS = ("none", "same", "opposite")  # of the nouns between to the head of a composed item


@dataclass(frozen=True)
class PeopleData:
    """People's answers to one suite, and the statistics of them."""

    answers: SuiteAnswers
    everybody: tuple[Tally, ...] = ()  # counts of answers by item, with the excluded ones
    measures: tuple[Measure, ...] = ()  # accuracies, correlations, reliability

    @cached_property
    def recorded(self) -> pl.DataFrame:
        """All trials (one answer each) as a table: those that count and the excluded ones."""
        return trials_recorded(self.answers)


@dataclass(frozen=True)
class ReportData:
    """The suites of one page with the answers of people and models to them.

    Attributes:
        results: the suites with their runs and judgments.
        tables: comparison, scores over suites, tests and surprisals by region.
        guesses: baseline (a rule of `audit` that knows no syntax) → (suite, item) → credit, which
            is 1 if the baseline is right, 0 if it is wrong.
        constructions: rows of constructions.tsv of the treebank that the items are from.
        people: people's answers, if they were asked about exactly one suite; else empty.
    """

    results: tuple[SuiteResults, ...]
    tables: Tables
    guesses: Guesses
    constructions: tuple[Row, ...]
    people: PeopleData

    @cached_property
    def is_by_kind(self) -> bool:
        """True if all items are agreement items and no kind of item is in two suites. The page
        then reports accuracies by kind of item; otherwise it reports means over suites."""
        suites = [result.suite for result in self.results]
        n_suites = Counter(kind for suite in suites for kind in {item.kind for item in suite.items})
        return all(map(is_agreement, suites)) and max(n_suites.values()) == 1

    @cached_property
    def items(self) -> Mapping[str, Item]:
        """All items by their ids."""
        return {key: item for result in self.results for key, item in result.items.items()}

    @cached_property
    def clusters(self) -> Mapping[str, str]:
        """Item id → cluster id. A cluster is the items made from one source sentence; intervals and
        tests resample clusters."""
        return {key: name for result in self.results for key, name in result.clusters.items()}

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """One run (a model's scores of a suite) for each model; its runs on other suites are left
        out."""
        runs = (run for result in self.results for run in result.runs)
        return tuple({run.signature: run for run in runs}.values())

    @cached_property
    def outcomes(self) -> Mapping[str, Credits]:
        """Model or group → item id → (credit from 0 to 1, margin: surprisal of the wrong form
        minus that of the right form, in bits)."""
        outcomes: dict[str, dict[str, tuple[float | None, float | None]]] = {}
        for result in self.results:
            for model, credits in result.outcomes.items():
                outcomes.setdefault(model, {}).update(credits)
        return outcomes

    @cached_property
    def tallies(self) -> tuple[Tally, ...]:
        """A tally for each item: how many people answered it, and how many of them were right."""
        return tuple(tally for result in self.results for tally in result.tallies)

    @cached_property
    def answers(self) -> AnswerTable:
        """People's single answers, without the excluded ones."""
        return AnswerTable.of(pl.concat([result.judged.trials for result in self.results]))

    @cached_property
    def common(self) -> Mapping[str, SharedItems[str]]:
        """Kind of items → the raters that are compared, and the items that all of them answered."""
        return common_by_kind(self.items.values(), self.tallies, self.outcomes)

    @property
    def comparison(self) -> pl.DataFrame:
        """The rows of comparison.tsv; an empty table if people gave no answers."""
        return self.tables.cells if self.tallies else self.tables.cells.clear()

    @property
    def simulated(self) -> bool:
        """True if the judgments were made up by a program."""
        return any(result.judged.simulated for result in self.results)

    @property
    def has_people(self) -> bool:
        """True if people gave an answer that counts and is right or wrong."""
        return any(tally.total for tally in self.tallies)

    @property
    def unit(self) -> str:
        """The word for what a score averages over: `suite`, or `construction` if a suite is
        divided into its constructions."""
        one_unit_per_suite = len(self.tables.answers.units) == len(self.results)
        return "suite" if one_unit_per_suite else "construction"

    @cached_property
    def toys(self) -> dict[str, str]:
        """Name → reason, for each toy model (one too small to be taken seriously) and each group
        that has one; the reason is "" if none was given."""
        reasons: dict[str, str] = {}
        for run in self.runs:
            if run.toy_reason:
                for name in filter(None, (run.model, run.group)):
                    reasons[name] = run.toy_reason if run.toy_reason != TOY else ""
        return reasons

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """Rater → short label for the page. The label marks a toy model and, if models were scored
        by different methods, names the method."""
        methods = {name: run.method for run in self.runs for name in (run.group, run.model)}
        is_uneven = len({run.method for run in self.runs}) > 1 and self.is_by_kind
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
        """The raters on the page: people if they answered, models, groups of models. A model in a
        group of several is not listed; the group's mean stands for it."""
        if self.is_by_kind:
            run_models = {run.model for run in self.runs}
            groups = [name for name in self.outcomes if name not in run_models]
            models = dict.fromkeys(run.model for run in self.runs if run.group not in groups)
            names = [*models, *groups]
        else:
            names = [name for name in self.tables.answers.listed if name != HUMANS]
        people = [Rater(HUMANS, self.labels[HUMANS], "star", 0)] if self.has_people else []
        return (*people, *raters_with_looks(names, self.labels))

    @property
    def title(self) -> str:
        """The title of the page. For items mined from one treebank it names the agreement feature
        and the treebank; otherwise it names the first suites."""
        names = [result.suite.name for result in self.results]
        items = self.items.values()
        agreements = [item.agreement for item in items if item.agreement]
        sources = {item.source for item in items}
        if not self.is_by_kind or len(agreements) < len(items) or len(sources) > 1:
            preview = abridged(names, MAX_TITLE_NAMES)
            return names[0] if len(names) == 1 else f"{len(names)} suites: {preview}"
        features = ", ".join(sorted({agreement.feature for agreement in agreements}))
        rules = {item.agreement.rule for item in items if item.agreement and item.kind != COMPOSED}
        origins = [f"rule {', '.join(sorted(rules))}"] if rules else []
        origins += ["composed sets"] if any(item.kind == COMPOSED for item in items) else []
        return f"{features} agreement in {sources.pop()} ({' and '.join(origins)})"

    def sizes(self) -> Iterator[tuple[str, str]]:
        """Yield (name of what is counted, count as text) pairs for the top of the page."""
        if self.is_by_kind:
            for kind, n in Counter(item.kind for item in self.items.values()).items():
                yield fmt.kind_name(kind), f"{n:,}"
            constructions = {item.construction for item in self.items.values()} - {""}
            yield "constructions", str(len(constructions))
        else:
            yield f"{self.unit}s", f"{len(self.tables.answers.units):,}"
            yield "items", f"{sum(len(result.suite.items) for result in self.results):,}"
            yield "models", f"{len(self.runs):,}"


def report_data(
    store: Store, results: Sequence[SuiteResults], progress: Progress = silent
) -> ReportData:
    """Collect the data of a page from the results of one suite or several. Comparisons are
    computed by the functions of `compare`, on the same items. `audit`'s baselines are run, too."""
    guesses: dict[str, dict[SuiteItem, float]] = {}
    for result in results:
        # The same baselines as `audit` without options; none if nobody answered.
        if result.suite.table.is_pair().any() and (result.runs or result.tallies):
            audited = suite_guesses(result.suite, result.suite_id, store, progress)
            for name, item, credit in audited.credits.iter_rows():
                guesses.setdefault(name, {})[result.suite.name, item] = credit
    return ReportData(
        results=tuple(results),
        tables=Tables(reference_to(store), tuple(results)),
        guesses=guesses,
        constructions=_construction_rows(store, results),
        people=_people_data(results, progress),
    )


def _construction_rows(store: Store, results: Sequence[SuiteResults]) -> tuple[Row, ...]:
    """Return a row for each construction mined from the treebank of the suites. To the stored row
    it adds `n_items` and `lost`, the most frequent reason why a match became no item ("" if there
    is none). Return no rows if the suites are not all agreement items of one treebank."""
    query = "SELECT treebank_id FROM suite WHERE suite_id = ?"
    rows = [store.one(query, (result.suite_id,)) for result in results]
    treebank_id, *other_ids = {row["treebank_id"] if row else None for row in rows}
    if other_ids or not treebank_id or not all(is_agreement(result.suite) for result in results):
        return ()
    n_items = Counter(item.construction for result in results for item in result.suite.items)
    lost: defaultdict[str, Counter[str]] = defaultdict(
        Counter
    )  # construction → reason → number of matches lost
    for row in load_rows(store, "rejection", treebank_id):
        reason, _, _ = str(row["reason"]).partition(":")  # without the details
        lost[str(row["construction"])][reason] += 1
    return tuple(
        {
            **row,
            "n_items": n_items[name],
            "lost": next((reason for reason, _ in lost[name].most_common(1)), ""),
        }
        for row in load_rows(store, "construction", treebank_id)
        for name in [str(row["construction"])]
    )


def _people_data(results: Sequence[SuiteResults], progress: Progress) -> PeopleData:
    """Return people's answers to the one suite that they judged, and the statistics of these.
    Return an empty record if they judged no suite or more than one."""
    judged = [result for result in results if result.judged.imports]
    if len(judged) != 1:
        return PeopleData(SuiteAnswers())
    (result,) = judged
    all_tallies = tallies(trials_recorded(result.judged), result.items)
    return PeopleData(
        answers=result.judged,
        everybody=with_clusters(all_tallies, result.clusters),
        measures=tuple(figures(result, progress)),
    )


def examples(material: ReportData) -> Iterator[tuple[str, Sequence[Item]]]:
    """Yield (name, example items) pairs: up to three items of each construction. On a page over
    suites there is a pair for each circuit (group of suites): the first item of its first suite, or
    the first three items if there is only one circuit."""
    if material.is_by_kind:
        for result in material.results:
            yield from _construction_examples(result.suite.items)
        return
    units = material.tables.answers.units
    first = {unit.circuit: unit for unit in reversed(units)}  # reversed: the first one is kept
    for circuit in dict.fromkeys(unit.circuit for unit in units):
        n_items = MAX_EXAMPLES if len(first) == 1 else 1
        yield first[circuit].name, first[circuit].items[:n_items]


def _construction_examples(items: Sequence[Item]) -> Iterator[tuple[str, Sequence[Item]]]:
    """Yield (construction, up to three items) pairs. The items are an original and two of its
    variants, or items of a composed set that differ in the nouns between head and target (none,
    same value as the head, opposite value). The construction's first items fill free places."""
    groups: dict[str, list[Item]] = {}
    for item in items:
        if item.agreement is not None:
            groups.setdefault(item.construction, []).append(item)
    for construction, members in groups.items():
        head = next((item for item in members if item.kind == "original"), members[0])
        head_id = head.set_id or head.cluster_id
        of_head = [item for item in members if (item.set_id or item.cluster_id) == head_id]
        if head.kind == COMPOSED:
            # reversed, so that the first item of each relation is kept
            by_relation = {item.facts.get(RELATION, ""): item for item in reversed(of_head)}
            of_head = [by_relation[name] for name in RELATIONS if name in by_relation]
        if head.kind != COMPOSED:
            of_head.sort(key=lambda item: item is not head)  # the original first
        others = [item for item in members if item not in of_head]
        yield construction, [*of_head, *others][:MAX_EXAMPLES]
