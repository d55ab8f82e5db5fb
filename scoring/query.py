"""What a model is asked and what it answers. Backends know nothing of items, suites or people."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeAlias

Stretch: TypeAlias = str | tuple[str, ...]
"""Raw text (unit "text") or whole words (unit "words"). Offsets into a stretch count characters
(code points) of the one, words of the other; in both cases they are half-open."""


@dataclass(frozen=True, slots=True)
class Query:
    """A prefix and the continuations that compete after it.

    Raw text keeps the blank between prefix and continuation at the start of the continuation.
    `suffix` is what follows, for models that look both ways; others ignore it.
    """

    prefix: Stretch
    continuations: tuple[Stretch, ...]
    suffix: Stretch | None = None


@dataclass(frozen=True, slots=True)
class Surprisals:
    """How surprising one continuation is, subword by subword (the model's own units)."""

    bits: tuple[float, ...]  # −log2 p of each subword given all before it; ≥ 0, but see `spans`
    spans: tuple[tuple[int, int], ...]
    """Where each stands in the continuation. A first one that begins below 0 straddles the border
    to the prefix: its bits are those that the whole text has more than the prefix alone."""
    oov: tuple[bool, ...]  # whether the vocabulary lacks it


@dataclass(frozen=True, slots=True)
class Score:
    """The answer to one query: one `Surprisals` for each continuation, in their order."""

    continuations: tuple[Surprisals, ...]
    prefix_oov: int = 0  # words that the vocabulary lacks, of the prefix and of a suffix looked at


class Scorer(Protocol):
    """Anything that can say how surprising words are. Prefix state is reset for every query.

    One that has an attribute `looks_ahead` and sets it is given what follows as the suffix; one
    that has an attribute `name` goes by that in tables.
    """

    @property
    def signature(self) -> str:
        """Everything its numbers depend on, as `key:value` pairs joined by `|`."""
        ...

    @property
    def unit(self) -> str:
        """ "words" or "text": the kind of stretch it wants."""
        ...

    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        """One score for each query, in the order of the queries."""
        ...


def looks_ahead(scorer: Scorer) -> bool:
    """Whether its answers depend on what follows; most models read from left to right."""
    return bool(getattr(scorer, "looks_ahead", False))


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """What the command line can ask of a backend; each notes in its signature what it obeyed."""

    device: str = "auto"  # auto, cpu, cuda or cuda:n
    dtype: str = "float32"
    bos: str = "auto"  # auto, always or none
    boundary: str = "none"  # word-boundary correction


class Load(Protocol):
    """What a backend module's `load` is: the part of the model spec after the colon to a scorer."""

    def __call__(self, spec: str, options: LoadOptions) -> Scorer: ...
