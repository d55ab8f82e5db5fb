"""All data of a report: suites, answers and treebank from the store, and figures made of them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from ...data.items.item import Item
from ...data.progress import Progress, silent
from ...data.registry import abridged
from ...data.store import Store, home
from ...data.tables import Row
from ...miner.mining_rows import load_rows
from ...nonce.audit.audit import suite_guesses
from ...scoring.outcomes.accuracy import COMPOSED, RELATION
from ...scoring.outcomes.run import TOY, Run
from ..analysis import figures
from ..collection.collect import SuiteResults, with_clusters
from ..collection.result_tables import Tables
from ..comparison import is_agreement
from ..judgments.answers import SuiteAnswers, recorded
from ..judgments.judgment import Tally, tallies
from ..measures import Measure
from ..statistics.people import AnswerTable
from ..statistics.rater_accuracy import HUMANS, Credits
from ..statistics.runs import short_labels
from ..statistics.shared_items import SharedItems, common_by_kind
from . import _parts as form
from ._parts import Rater, raters_with_looks

ACCEPTED = "accepted"
SHOWN_NAMES = 3  # of suites in a title
SHOWN_ITEMS = 3  # examples of each construction
RELATIONS = ("none", "same", "opposite")  # of the nouns between to the head of a composed item


@dataclass(frozen=True)
class PeopleData:
    """People's answers to one suite, and the statistics of them."""

    answers: SuiteAnswers
    everybody: tuple[Tally, ...] = ()  # right and all answers by item, with those excluded
    measures: tuple[Measure, ...] = ()  # accuracies, correlations, reliability

    @cached_property
    def recorded(self) -> pl.DataFrame:
        """All trials, those that count and those left out."""
        return recorded(self.answers)


@dataclass(frozen=True)
class ReportData:
    """The suites of one page with the answers of people and models to them.

    Attributes:
        results: the suites with their runs and judgments.
        tables: comparison, scores over suites, tests and surprisals by region.
        guesses: suite → baseline of the audit → item → credit.
        constructions: rows of constructions.tsv of the treebank that the items are from.
        people: people's answers, if they were asked about exactly one suite; else empty.
    """

    results: tuple[SuiteResults, ...]
    tables: Tables
    guesses: Mapping[str, Mapping[str, Mapping[str, float]]]
    constructions: tuple[Row, ...]
    people: PeopleData

    @cached_property
    def is_by_kind(self) -> bool:
        """True if all items are agreement items and no kind is in two suites. Then the page has
        accuracies by kind of items, else means over suites."""
        suites = [result.suite for result in self.results]
        n_suites = Counter(kind for suite in suites for kind in {i.kind for i in suite.items})
        return all(map(is_agreement, suites)) and max(n_suites.values()) == 1

    @cached_property
    def items(self) -> Mapping[str, Item]:
        """All items by their ids."""
        return {key: item for result in self.results for key, item in result.items.items()}

    @cached_property
    def clusters(self) -> Mapping[str, str]:
        """Item → its cluster (the items with the same source), the unit of intervals and tests."""
        return {key: name for result in self.results for key, name in result.clusters.items()}

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """One run of each model."""
        runs = (run for result in self.results for run in result.runs)
        return tuple({run.signature: run for run in runs}.values())

    @cached_property
    def outcomes(self) -> Mapping[str, Credits]:
        """Model or group of models → item → (credit from 0 to 1, margin in bits)."""
        outcomes: dict[str, dict[str, tuple[float | None, float | None]]] = {}
        for result in self.results:
            for model, credits in result.outcomes.items():
                outcomes.setdefault(model, {}).update(credits)
        return outcomes

    @cached_property
    def tallies(self) -> tuple[Tally, ...]:
        """For each item the number of people's right answers and of all."""
        return tuple(tally for result in self.results for tally in result.tallies)

    @cached_property
    def answers(self) -> AnswerTable:
        """The single answers of people that count."""
        return AnswerTable.of(pl.concat([result.judged.trials for result in self.results]))

    @cached_property
    def common(self) -> Mapping[str, SharedItems[str]]:
        """Kind of items → the raters that are compared, and the items that all of them answered."""
        return common_by_kind(self.items.values(), self.tallies, self.outcomes)

    @property
    def comparison(self) -> pl.DataFrame:
        """The rows of comparison.tsv; none if people gave no answers."""
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
        """The things over which a score averages: `suite` if each suite is one unit, `construction`
        if suites are divided by construction."""
        one_unit_per_suite = len(self.tables.answers.units) == len(self.results)
        return "suite" if one_unit_per_suite else "construction"

    @cached_property
    def toys(self) -> dict[str, str]:
        """Models that are toys (too small to be taken seriously), and groups that have one, with
        the reason if it is known."""
        reasons: dict[str, str] = {}
        for run in self.runs:
            if run.toy:
                for name in filter(None, (run.model, run.group)):
                    reasons[name] = run.toy if run.toy != TOY else ""
        return reasons

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """Rater → short label, which tells that a model is a toy and, if models were scored in
        different ways, how."""
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
        """The title of the page: for mined items the feature and the treebank, else the names of
        the first suites."""
        names = [result.suite.name for result in self.results]
        facts = [item.agreement for item in self.items.values() if item.agreement]
        sources = {item.source for item in self.items.values()}
        if not self.is_by_kind or len(facts) < len(self.items) or len(sources) > 1:
            preview = abridged(names, SHOWN_NAMES)
            return names[0] if len(names) == 1 else f"{len(names)} suites: {preview}"
        features = ", ".join(sorted({each.feature for each in facts}))
        rules = {
            e.agreement.rule for e in self.items.values() if e.agreement and e.kind != COMPOSED
        }
        parts = [f"rule {', '.join(sorted(rules))}" if rules else ""]
        parts.append(
            "composed sets" if any(i.kind == COMPOSED for i in self.items.values()) else ""
        )
        how = " and ".join(filter(None, parts))
        return f"{features} agreement in {sources.pop()} ({how})"

    def sizes(self) -> Iterator[tuple[str, str]]:
        """Yield counts for the top of the page, as (what, number)."""
        if self.is_by_kind:
            for kind, n in Counter(item.kind for item in self.items.values()).items():
                yield form.kind_name(kind), f"{n:,}"
            constructions = {item.construction for item in self.items.values()} - {""}
            yield "constructions", str(len(constructions))
        else:
            yield f"{self.unit}s", f"{len(self.tables.answers.units):,}"
            yield "items", f"{sum(len(result.suite.items) for result in self.results):,}"
            yield "models", f"{len(self.runs):,}"


def report_data(
    store: Store, results: Sequence[SuiteResults], progress: Progress = silent
) -> ReportData:
    """Return the data of a page about one suite or several. Comparisons are computed as `compare`
    computes them, by the same functions and on the same items."""
    guesses: dict[str, dict[str, dict[str, float]]] = {}
    for result in results:
        by_name = guesses.setdefault(result.suite.name, {})
        # The same baselines as `audit` without options; none if nobody answered.
        if result.suite.table.is_pair().any() and (result.runs or result.tallies):
            audited = suite_guesses(result.suite, result.suite_id, store, progress)
            for name, item, credit in audited.credits.iter_rows():
                by_name.setdefault(name, {})[item] = credit
    return ReportData(
        results=tuple(results),
        tables=Tables(home(store), tuple(results)),
        guesses=guesses,
        constructions=_constructions(store, results),
        people=_people(results, progress),
    )


def _constructions(store: Store, results: Sequence[SuiteResults]) -> tuple[Row, ...]:
    """Return the constructions of the treebank that all suites are from, each with its number of
    items and the most frequent reason why a match gave no item; none if suites differ in their
    treebank."""
    query = "SELECT treebank_id FROM suite WHERE suite_id = ?"
    rows = [store.one(query, (result.suite_id,)) for result in results]
    ids = {row["treebank_id"] if row else None for row in rows}
    treebank_id = ids.pop()
    if ids or not treebank_id or not all(is_agreement(result.suite) for result in results):
        return ()
    n_items = Counter(item.construction for result in results for item in result.suite.items)
    lost: dict[str, Counter[str]] = {}
    for row in load_rows(store, "rejection", treebank_id):
        reason = str(row["reason"]).partition(":")[0]
        lost.setdefault(str(row["construction"]), Counter())[reason] += 1
    return tuple(
        {
            **row,
            "n_items": n_items[name],
            "lost": lost[name].most_common(1)[0][0] if name in lost else "",
        }
        for row in load_rows(store, "construction", treebank_id)
        for name in [str(row["construction"])]
    )


def _people(results: Sequence[SuiteResults], progress: Progress) -> PeopleData:
    """Return people's answers to the suite that was judged, and their statistics; empty if no
    suite was judged, or several."""
    judged = [result for result in results if result.judged.imports]
    if len(judged) != 1:
        return PeopleData(SuiteAnswers())
    (result,) = judged
    all_tallies = tallies(recorded(result.judged), result.items)
    return PeopleData(
        answers=result.judged,
        everybody=with_clusters(all_tallies, result.clusters),
        measures=tuple(figures(result, progress)),
    )


def examples(material: ReportData) -> Iterator[tuple[str, Sequence[Item]]]:
    """Yield (name, example items): for each construction some of its items. On a page over suites,
    for the first suite of each circuit its first item; if there is one circuit, its first three."""
    if material.is_by_kind:
        for result in material.results:
            yield from _of_constructions(result.suite.items)
        return
    units = material.tables.answers.units
    first = {unit.circuit: unit for unit in reversed(units)}
    for circuit in dict.fromkeys(unit.circuit for unit in units):
        n_items = SHOWN_ITEMS if len(first) == 1 else 1
        yield first[circuit].name, first[circuit].items[:n_items]


def _of_constructions(items: Sequence[Item]) -> Iterator[tuple[str, Sequence[Item]]]:
    """Yield (construction, three items): an original and two of its variants; of a composed set one
    item for each relation of the nouns between to the head; else the first items."""
    groups: dict[str, list[Item]] = {}
    for item in items:
        if item.agreement is not None:
            groups.setdefault(item.construction, []).append(item)
    for construction, members in groups.items():
        head = next((item for item in members if item.kind == "original"), members[0])
        head_id = head.set_id or head.cluster_id
        of_head = [item for item in members if (item.set_id or item.cluster_id) == head_id]
        if head.kind == COMPOSED:
            by_relation = {item.facts.get(RELATION, ""): item for item in reversed(of_head)}
            of_head = [by_relation[name] for name in RELATIONS if name in by_relation]
        of_head.sort(key=lambda item: item is not head and head.kind != COMPOSED)
        others = [item for item in members if item not in of_head]
        yield construction, [*of_head, *others][:SHOWN_ITEMS]
