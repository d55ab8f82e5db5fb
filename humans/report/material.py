"""Everything a report is made of, handed over in one piece; the page asks for nothing else."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from colorless_green.data.tables import Row
from colorless_green.humans.comparison import Credits
from colorless_green.humans.judgment import Tally
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


@dataclass(frozen=True, slots=True)
class Example:
    """An original and some of its nonce variants."""

    original: Item
    variants: tuple[Item, ...] = ()


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
    comparison: tuple[Row, ...] = ()  # columns of comparison.tsv
    versions: tuple[tuple[str, str], ...] = ()  # (package or file, version or hash)
    notes: tuple[str, ...] = ()  # further sentences for the method section
