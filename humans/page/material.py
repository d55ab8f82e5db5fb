"""Everything a report is made of, handed over in one piece; the page asks for nothing else."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from colorless_green.data.tables import Row
from colorless_green.humans.common import Common
from colorless_green.humans.judgment import Tally
from colorless_green.humans.measures.measure import Measure
from colorless_green.humans.papers.layout import Beside
from colorless_green.humans.rated import Credits
from colorless_green.humans.stored import Answers
from colorless_green.nonce.item import Item


@dataclass(frozen=True, slots=True)
class Run:
    """One model on the suite, under one signature."""

    model: str  # the name that accuracies, outcomes and comparisons use
    signature: str
    device: str = ""
    group: str = ""  # models of one group are seeds of one setting
    exposure: str = ""  # "12 of 41 originals were in the training text"
    perplexity: float | None = None  # per word (or the model's own unit) on held-out text
    perplexity_unit: str = "word"
    toy: str = ""  # why it is one: too small or untrained to stand for anything


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence of the answer, and what it says as a script can read it."""

    text: str
    says: str  # "best", "items", "baseline", "originals", "weakest", "people", "toys" …
    rater: str = ""  # whom it names
    above: str = ""  # whether the model is above the baseline: "yes", "no" or "unclear"


@dataclass(frozen=True, slots=True)
class Example:
    """An original and some of its nonce variants."""

    original: Item
    variants: tuple[Item, ...] = ()


@dataclass(frozen=True, slots=True)
class Predicted:
    """What is predicted of a suite's items, and how often it would hold by chance."""

    suite: str
    circuit: str
    n_items: int
    prediction: str  # the formula as written
    chance: float | None  # None where it hangs on the size of the values
    how: str  # chance was found


@dataclass(frozen=True, slots=True)
class Suites:
    """What the page on controlled suites shows, beside runs, examples and judgments."""

    raters: tuple[str, ...]  # people first; a group stands for its models
    predicted: tuple[Predicted, ...]
    scores: tuple[Row, ...]  # columns of collection.tsv
    paired: tuple[Row, ...] = ()  # columns of paired.tsv
    correlations: tuple[Row, ...] = ()  # columns of correlations.tsv
    shallow: tuple[Row, ...] = ()  # columns of shallow.tsv
    regions: tuple[Row, ...] = ()  # columns of regions.tsv
    papers: tuple[tuple[str, Beside], ...] = ()  # (name, its tables with one's own columns)
    baselines: tuple[Row, ...] = ()  # columns of collection.tsv; on the items in common
    above: Mapping[tuple[str, str, str], str] = field(default_factory=dict)
    """(name of a score, rater, baseline) → whether the rater is above: `yes`, `no`, `unclear`"""
    shared: tuple[tuple[str, int, int, int], ...] = ()
    """(rater, its items, its suites, items that were there), of whom not all answered everything"""


@dataclass(frozen=True, slots=True)
class People:
    """Who was asked about one suite, whose answers do not count, and what follows from the rest."""

    answers: Answers = field(default_factory=Answers)
    everybody: tuple[Tally, ...] = ()  # as if no rule had left anything out
    measures: tuple[Measure, ...] = ()  # accuracies, correlations, reliability, curves, mixed model
    said: tuple[str, ...] = ()  # what must be known of the mixed model, or why there is none


@dataclass(frozen=True, slots=True)
class Material:
    """What one page shows; all but the title may be empty, and the page says what is not there."""

    title: str
    figures: tuple[tuple[str, str], ...] = ()  # (what, how much), shown beside the answer
    constructions: tuple[Row, ...] = ()  # columns of constructions.tsv
    rejections: tuple[tuple[str, int], ...] = ()  # (reason, how many sentences)
    examples: tuple[Example, ...] = ()
    runs: tuple[Run, ...] = ()
    accuracy: tuple[Row, ...] = ()  # columns of accuracy.tsv
    outcomes: Mapping[str, Credits] = field(default_factory=dict)  # model → item → outcome
    tallies: tuple[Tally, ...] = ()
    simulated: bool = False  # the judgments are made up by a program
    people: People = field(default_factory=People)  # who gave them; only on one suite
    items: Mapping[str, Item] = field(default_factory=dict)  # what tallies and outcomes are about
    common: Mapping[str, Common[str]] = field(
        default_factory=dict
    )  # kind → who is compared on what
    baselines: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # → item → credit
    comparison: tuple[Row, ...] = ()  # columns of comparison.tsv
    versions: tuple[tuple[str, str], ...] = ()  # (package or file, version or hash)
    notes: tuple[str, ...] = ()  # further sentences for the method section
    suites: Suites | None = None  # of controlled suites; then there is no accuracy by construction
