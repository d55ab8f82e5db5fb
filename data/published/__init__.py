"""Reference figures that others published, each with its source: facts to set one's own beside.

Two shapes of file: the agreement tables of Gulordava et al. 2018 (languages × constructions ×
originals and variants), whose percentages stand as printed and become shares in the records; and
one for all controlled suites, a line a cell (table, block, row, model), shares from 0 to 1.
"""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class PublishedAccuracy:
    """One cell of a published table."""

    language: str  # BCP-47
    model: str  # as the publication calls it; "humans" for people
    condition: str  # "original" or "nonce"
    construction: str  # POS tags joined by blanks, without direction; "all" for the whole set
    accuracy: float
    sd: float | None  # over models of one kind, n − 1
    source: str


@dataclass(frozen=True, slots=True)
class PublishedModel:
    """One trained model behind a published mean."""

    language: str  # BCP-47
    model: str
    accuracy: float  # over both conditions
    accuracy_original: float
    accuracy_nonce: float
    perplexity: float  # on the authors' validation text
    settings: str
    source: str


@dataclass(frozen=True, slots=True)
class PublishedFigure:
    """One cell of a published table or figure about controlled suites."""

    name: str  # the publication, one of FIGURES
    table: str  # "Table 1", "Figure 5"; "by suite" for what it has no table of
    block: str  # what the publication groups its rows by; empty where it does not
    row: str  # condition, circuit, suite, phenomenon or paradigm, as the publication calls it
    model: str  # likewise; "humans" for people
    measure: str  # "accuracy" (a share), or "perplexity" (per word)
    value: float
    half_width: float | None  # of the publication's own 95 % interval, where it prints one
    n: int | None  # items (answers of people; suites or models of a mean), where it says
    source: str


def accuracies(name: str) -> tuple[PublishedAccuracy, ...]:
    """The agreement tables called `name`, one of `NAMES`, in the order of the publication."""
    return tuple(
        PublishedAccuracy(
            language=row["language"],
            model=row["model"],
            condition=row["condition"],
            construction=row["construction"],
            accuracy=_share(row["accuracy"]),
            sd=_share(row["sd"]) if row["sd"] else None,
            source=row["source"],
        )
        for row in _rows(NAMES[name])
    )


def models(name: str) -> tuple[PublishedModel, ...]:
    """The single models behind the means of `accuracies(name)`."""
    return tuple(
        PublishedModel(
            language=row["language"],
            model=row["model"],
            accuracy=_share(row["accuracy_total"]),
            accuracy_original=_share(row["accuracy_original"]),
            accuracy_nonce=_share(row["accuracy_nonce"]),
            perplexity=float(row["valid_perplexity"]),
            settings=row["settings"],
            source=row["source"],
        )
        for row in _rows(NAMES[name].replace(".csv", "_models.csv"))
    )


def figures(name: str) -> tuple[PublishedFigure, ...]:
    """The figures called `name`, one of `FIGURES`, in the order of the publication."""
    return tuple(
        PublishedFigure(
            name=name,
            table=row["table"],
            block=row["block"],
            row=row["row"],
            model=row["model"],
            measure=row["measure"],
            value=float(row["value"]),
            half_width=float(row["half_width"]) if row["half_width"] else None,
            n=int(row["n"]) if row["n"] else None,
            source=row["source"],
        )
        for row in _rows(FIGURES[name])
    )


NAMES: Mapping[str, str] = {"gulordava2018": "gulordava2018.csv"}
"""Published agreement tables by name, and the files they are in."""

FIGURES: Mapping[str, str] = {
    "marvin2018": "marvin2018.csv",
    "hu2020-syntaxgym": "hu2020_syntaxgym.csv",
    "hu2020-reflexives": "hu2020_reflexives.csv",
    "warstadt2020": "warstadt2020.csv",
}
"""Published figures on controlled suites by name, and the files they are in."""


def _share(percent: str) -> float:
    return round(float(percent) / 100, 6)  # 94.7 / 100 would be 0.9470000000000001


def _rows(file: str) -> Iterator[dict[str, str]]:
    text = files(__name__).joinpath(file).read_text(encoding="utf-8")
    yield from csv.DictReader(text.splitlines())
