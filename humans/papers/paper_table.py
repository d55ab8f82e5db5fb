"""Values in papers' tables, published and one's own, and papers whose rows are means over items.

These papers count strictly: the sentence with the larger sum of log-probabilities wins, and a tie
is wrong.

- Marvin & Linzen 2018, Table 1: 15 conditions, each pooled over animate and inanimate files. The
  item's fact `table` names the comparison of an NPI triple that a row shows.
- Warstadt et al. 2020, Tables 3 and 4, with the values of the authors' corrected results: a
  phenomenon is the mean over its paradigms, and so is the whole set.
- Hu, Chen & Levy 2020, Table 3: the mean over three pronouns. An item is right if the pronoun's
  surprisal is higher in the ungrammatical condition than in both others; three equal surprisals
  count 1/3 (the paper draws at random). Items of the authors' files that are not behind the table
  are left out.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from ...data.formats.pair_formats import FULL
from ...data.formats.reflexives import LICENSING
from ...data.formula.expression import TIE_BITS
from ...data.items.item import Item
from ...data.items.item_table import table_of
from ...data.published import rows as published_rows
from ...data.registry import abridged
from ...data.statistics.intervals import Interval, accuracy_interval
from ...data.tables import Row
from ...scoring.outcomes.collection import SuiteItem
from ...scoring.outcomes.evaluate import Outcome, outcomes_in
from ...scoring.outcomes.run import Run
from ..collection.collect import SuiteResults
from ..statistics.accuracy_estimates import Estimate
from ..statistics.rater_accuracy import HUMANS

PUBLISHED, OWN = "published", "own"
OWN_COLUMN = "own: "  # names of one's own columns begin with this
ACCURACY, PERPLEXITY, HALF_WIDTH = "accuracy", "perplexity", "half-width"


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedValue(Estimate):
    """One rater in one row of a published table.

    Attributes:
        table: the table's name in the paper.
        row: the paper's label of the row.
        rater: a model or people.
        value: the figure.
        origin: published or own.
        block: a part of the table, such as a language.
        measure: accuracy (from 0 to 1) or perplexity.
        half_width: of the paper's interval.
        sd: over the paper's models of one kind.
        limits: one's own 95 % interval.
        n: items; of a mean over suites or paradigms, their number.
        source: where in the paper a published value is.
    """

    table: str
    row: str
    rater: str
    value: float
    origin: str = OWN
    block: str = ""
    measure: str = ACCURACY
    half_width: float | None = None
    sd: float | None = None
    limits: Interval | None = None
    n: int | None = None
    source: str = ""


@dataclass(frozen=True, slots=True)
class PaperFigures:
    """The values in a paper's tables, published and one's own, and notes for readers."""

    values: tuple[PublishedValue, ...]
    notes: tuple[str, ...] = ()


def unlike_measures(values: Iterable[PublishedValue]) -> Iterator[str]:
    """Yield a note if one's own values are of both people and models. As in the papers, people then
    have a share of right answers, and models one choice for each item."""
    raters = {value.rater for value in values if value.origin == OWN}
    if HUMANS in raters and len(raters) > 1:
        yield (
            "a mixed comparison, as in the paper: people's share of right answers, models' choices "
            "(argmax); without --published, colorless compare compares like with like"
        )


def published(name: str) -> tuple[PublishedValue, ...]:
    """Return the published values of a paper, in its order."""
    return tuple(
        PublishedValue(rater=cell.pop("model"), origin=PUBLISHED, **cell)
        for cell in published_rows(name)
    )


def terminal_table(
    figures: PaperFigures, labels: Mapping[str, str]
) -> tuple[list[Row], tuple[str, ...]]:
    """Lay out the values of a paper for a terminal, with a column for each rater (model or people).

    One's own raters come first, as `own: LABEL`. Below a row with intervals stands one with their
    half-widths. Returns the rows, then the names of the columns to print.

    Args:
        figures: the values.
        labels: name of a model → its label; a model that is not in it has its name.
    """
    rows: list[Row] = []
    raters: dict[str, None] = {}

    def column(value: PublishedValue) -> str:
        """Return the name of the column that a value stands in."""
        is_own = value.origin == OWN
        return f"{OWN_COLUMN}{labels.get(value.rater, value.rater)}" if is_own else value.rater

    for table in dict.fromkeys(value.table for value in figures.values):
        by_row: dict[tuple[str, str, str], list[PublishedValue]] = {}
        for value in sorted(figures.values, key=lambda value: value.origin == OWN):  # own last
            if value.table == table:
                by_row.setdefault((value.block, value.row, value.measure), []).append(value)
        fullest_first = sorted(by_row.values(), key=lambda values: -len(values))
        raters |= dict.fromkeys(column(value) for values in fullest_first for value in values)
        for (block, row, measure), values in by_row.items():
            place = {"table": table, "block": block, "row": row}
            rows.append({**place, "measure": measure, **{column(v): v.value for v in values}})
            half_widths = {column(v): v.half_width for v in values if v.half_width is not None}
            if half_widths:
                rows.append({**place, "measure": HALF_WIDTH, **half_widths})
    places = ("table", "block", "row", "measure")
    # a column with the same text in all rows is not printed
    printed = [name for name in places if name == "row" or len({row[name] for row in rows}) > 1]
    own = [name for name in raters if name.startswith(OWN_COLUMN)]
    return rows, (*printed, *own, *(name for name in raters if name not in own))


RowKey = tuple[str, str]
"""(block, row) of a published table"""
Credit = Callable[[Item, Mapping[str, Outcome], Run], float | None]
"""A function of (item, prediction → outcome, run) that returns the credit, from 0 to 1, which the
model earns on the item; None if the item is not counted"""
MAX_NAMES = 6  # names in a message
OVERALL = "overall"
FROM_OTHER_PAPER = "(M&L)"  # marks rows that a paper takes from another paper


def strict_credit(outcome: Outcome | None) -> float | None:
    """Return the credit of an outcome as the papers' scripts count it: 1 if the prediction holds, 0
    if it fails, is tied or undefined; None if the item was left out."""
    if outcome is None or outcome.credit is None:
        return None
    return float(outcome.margin_bits is not None and outcome.margin_bits > TIE_BITS)


def earned_credits(
    results: Iterable[SuiteResults], credit: Credit
) -> dict[str, dict[SuiteItem, float]]:
    """Return rater → (suite, item) → the credit that the rater earned on the item.

    People earn their share of right answers; `credit` computes what models earn.
    """
    by_rater = defaultdict[str, dict[SuiteItem, float]](dict)
    for result in results:
        suite = result.suite.name
        for tally in (tally for tally in result.tallies if tally.total):
            by_rater[HUMANS][suite, tally.item] = tally.share
        for run in result.runs:
            outcomes = defaultdict[str, dict[str, Outcome]](dict)
            for outcome in outcomes_in(run.outcomes):
                outcomes[outcome.item_id][outcome.prediction] = outcome
            for item_id, item in result.items.items():
                value = credit(item, outcomes[item_id], run)
                if value is not None:
                    by_rater[run.model][suite, item_id] = value
    return by_rater


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A paper whose table has means over items. Called with results on suites, it returns the
    paper's values and one's own.

    Attributes:
        name: name of the paper.
        table: name of the table whose rows are means over items.
        facts: facts of an item that name its block and row, or its row alone.
        credit: computes what a model earns on an item.
        methods: methods of scoring that are the paper's.
        method: name of the `Method` that sets the first of these.
        parts: a fact, and its values: a row is the mean over these values.
        phenomena: name of a further table, with means over the rows of a block and over all rows.
        pooled: true if a row may be over items of several files.
    """

    name: str
    table: str
    facts: tuple[str, ...]
    credit: Credit
    methods: tuple[str, ...]
    method: str
    parts: tuple[str, ...] = ()
    phenomena: str = ""
    pooled: bool = False

    def __call__(self, results: Sequence[SuiteResults]) -> PaperFigures:
        """Return the published values and one's own. A row without items here has no value of one's
        own; a phenomenon of which paradigms are missing has the mean of those that are here."""
        paper_values = published(self.name)
        keys = dict.fromkeys((v.block, v.row) for v in paper_values if v.table == self.table)
        # the facts name block and row, or (if there is one) the row alone
        by_facts = {key[-len(self.facts) :]: key for key in keys}
        items = {(r.suite.name, item.item_id): item for r in results for item in r.suite.items}
        rows = {  # (suite, item) → the row of the paper that the item belongs in, if any
            key: row
            for key, item in items.items()
            if (row := by_facts.get(tuple(item.facts.get(fact, "") for fact in self.facts)))
        }
        own_values: list[PublishedValue] = []
        for rater, credits in earned_credits(results, self.credit).items():
            groups = defaultdict[RowKey, list[tuple[Item, float]]](list)
            for key in (key for key in credits if key in rows):
                groups[rows[key]].append((items[key], credits[key]))
            values = [self._value(row, rater, members) for row, members in groups.items()]
            own_values += [*self._phenomena(rater, values), *values]
        present = {(value.block, value.row) for value in own_values if value.table == self.table}
        notes = [
            *unlike_measures(own_values),
            *self._notes_on_rows(items, rows, keys, present),
            *notes_on_methods(results, self.methods, self.method),
        ]
        return PaperFigures((*paper_values, *own_values), tuple(notes))

    def _notes_on_rows(
        self,
        items: Mapping[SuiteItem, Item],
        rows: Mapping[SuiteItem, RowKey],
        keys: Collection[RowKey],
        present: Collection[RowKey],
    ) -> Iterator[str]:
        """Yield notes on items that are in no row of the paper, on rows that have no items here or
        not all their parts, and on rows with items of several sources.

        Args:
            items: (suite, item id) → item.
            rows: (suite, item id) → the row that the item belongs in, for items with a row.
            keys: all rows of the paper's table.
            present: the rows that have a value of one's own.
        """
        unknown = [
            item.construction or suite
            for (suite, item_id), item in items.items()
            if (suite, item_id) not in rows
        ]
        if unknown:
            names = abridged(dict.fromkeys(unknown), MAX_NAMES)
            yield f"{len(unknown)} items are in no row of the paper: {names}"
        is_unique = len({row for _, row in keys}) == len(keys)
        missing = [
            row if is_unique else f"{block}: {row}"
            for block, row in keys
            if (block, row) not in present and FROM_OTHER_PAPER not in row
        ]
        if missing:
            yield f"rows of the paper without items here: {abridged(missing, MAX_NAMES)}"
        if self.phenomena and missing:
            yield f"{len(present)} of {len(keys)} paradigms are here"
        sources = sorted({items[key].source for key in rows})
        if self.pooled and len(sources) > 1:
            yield f"items of several sources in one row: {', '.join(sources)}"
        for block, row in sorted(present) if self.parts else ():
            in_row = {self._part(items[key]) for key in rows if rows[key] == (block, row)}
            _, *parts = self.parts  # the first is the fact that names an item's part
            if missing_parts := [part for part in parts if part not in in_row]:
                yield f"{row}: no items with {', '.join(missing_parts)}"

    def _part(self, item: Item) -> str:
        """Return the part of its row that an item belongs to, such as a pronoun; "" if rows have no
        parts."""
        if not self.parts:
            return ""
        fact, *_ = self.parts
        return item.facts.get(fact, "")

    def _value(
        self, row: RowKey, rater: str, members: Sequence[tuple[Item, float]]
    ) -> PublishedValue:
        """Average a rater's credits on items into its value in a row of the table. If rows have
        parts, such as pronouns, the value is the mean over the means of the parts."""
        parts = defaultdict[str, list[float]](list)
        for item, credit in members:
            parts[self._part(item)].append(credit)
        limits = accuracy_interval(
            [credit for _, credit in members],
            table_of([item for item, _ in members]).clusters,
            strata=[self._part(item) for item, _ in members],
            least_effect=0.0 if rater == HUMANS else 1.0,
        )
        value = fmean(map(fmean, parts.values()))
        block, row_name = row
        return PublishedValue(
            table=self.table, block=block, row=row_name, rater=rater,
            value=value, limits=limits, n=len(members),
        )  # fmt: skip

    def _phenomena(self, rater: str, rows: Sequence[PublishedValue]) -> Iterator[PublishedValue]:
        """Yield a rater's mean accuracies over the rows of each block (phenomenon), and over all
        rows. There are none if the paper has no table of phenomena."""
        groups: dict[str, list[float]] = {}
        for row in rows if self.phenomena else ():
            groups.setdefault(OVERALL, []).append(row.value)
            groups.setdefault(row.block, []).append(row.value)
        for name, values in groups.items():
            yield PublishedValue(
                table=self.phenomena, row=name, rater=rater, value=fmean(values), n=len(values)
            )


def notes_on_methods(
    results: Sequence[SuiteResults], methods: Sequence[str], paper: str
) -> Iterator[str]:
    """Yield notes on models that were scored by other methods than the paper's, or that lack items
    that the paper counts. `paper` names the method to advise, `methods` are all that fit."""
    by_method: dict[str, dict[str, None]] = {}
    left_out: dict[str, int] = {}
    for run in (run for result in results for run in result.runs):
        if run.method not in methods:
            by_method.setdefault(run.method, {}).setdefault(run.model)
        n = sum(credit is None for credit, _ in run.credits().values())
        left_out[run.model] = left_out.get(run.model, 0) + n
    for method, models in by_method.items():
        names = abridged(models, MAX_NAMES)
        yield f"{names}: scored with {method!r}; as in the paper: score --method {paper}"
    for model, n in left_out.items():
        if n:
            advice = "score --set oov=keep"
            yield f"{model}: {n} items were left out; the paper leaves out none ({advice})"


def _pair_credit(item: Item, outcomes: Mapping[str, Outcome], run: Run) -> float | None:
    """Return a model's credit, 1 or 0, under the prediction that the paper's row shows; None if the
    item was left out. If whole sentences were scored, predictions that became equal were merged
    into the run's first, which is then used."""
    name = item.facts.get("table", FULL.name)
    if name not in outcomes and run.method.startswith("sentence"):
        name = run.prediction
    return strict_credit(outcomes.get(name))


def _licensing_credit(item: Item, outcomes: Mapping[str, Outcome], run: Run) -> float | None:
    """Return a model's credit, 1 or 0, under the prediction about reflexive pronouns; 1/3 for three
    equal surprisals; None for an item that was left out or that the paper does not count. The run
    is not used."""
    outcome = outcomes.get(LICENSING.name)
    if outcome is None or item.facts.get("in_paper") == "no":
        return None
    parts = [part for name, part in outcomes.items() if name.startswith(f"{LICENSING.name}: ")]
    if outcome.credit is not None and parts and all(part.tie for part in parts):
        return 1 / 3
    return strict_credit(outcome)


MARVIN = Paper(
    name="marvin2018",
    table="Table 1",
    facts=("phenomenon", "condition"),
    credit=_pair_credit,
    methods=("sentence period=add", "sentence eos=sentence period=add"),
    method="marvin2018",
    pooled=True,
)
WARSTADT = Paper(
    name="warstadt2020",
    table="Table 4",
    facts=("uid",),
    credit=_pair_credit,
    methods=("sentence",),
    method="warstadt2020",
    phenomena="Table 3",
)
REFLEXIVES = Paper(
    name="hu2020-reflexives",
    table="Table 3",
    facts=("constraint", "construction"),
    credit=_licensing_credit,
    methods=("target",),
    method="target",
    parts=("pronoun", "himself", "herself", "themselves"),
)
