"""Reference figures that others published, each with its source: facts to set one's own beside.

Percentages stand in the files as printed; the records have shares from 0 to 1.
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


def accuracies(name: str) -> tuple[PublishedAccuracy, ...]:
    """The tables called `name`, one of `NAMES`, in the order of the publication."""
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


NAMES: Mapping[str, str] = {"gulordava2018": "gulordava2018.csv"}
"""Published sets of figures by name, and the files they are in."""


def _share(percent: str) -> float:
    return round(float(percent) / 100, 6)  # 94.7 / 100 would be 0.9470000000000001


def _rows(file: str) -> Iterator[dict[str, str]]:
    text = files(__name__).joinpath(file).read_text(encoding="utf-8")
    yield from csv.DictReader(text.splitlines())
