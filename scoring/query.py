"""What a model is asked and what it answers. Backends know nothing of items, suites or people."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeAlias

HALF = ("float16", "bfloat16")

Stretch: TypeAlias = str | tuple[str, ...]
"""Raw text (unit "text") or whole words (unit "words"). Offsets into a stretch count characters
(code points) of the one, words of the other; in both cases they are half-open."""

Span: TypeAlias = tuple[int, int]
"""Start and end, half-open, in characters (code points)."""


@dataclass(frozen=True, slots=True)
class Query:
    """A prefix and the continuations that compete after it.

    Raw text keeps the blank between prefix and continuation at the start of the continuation.
    `suffix` is what follows, for models that look both ways; others ignore it.
    """

    prefix: Stretch
    continuations: tuple[Stretch, ...]
    suffix: Stretch | None = None
    ends: bool = False
    """Whether each continuation is asked for together with the end of the sentence behind it: one
    more subword, whose span is empty and stands at the end. Only for models of which `says_end`."""


@dataclass(frozen=True, slots=True)
class Surprisals:
    """How surprising one continuation is, subword by subword (the model's own units)."""

    bits: tuple[float, ...]  # −log2 p of each subword given all before it; ≥ 0, but see `spans`
    spans: tuple[tuple[int, int], ...]
    """Where each stands in the continuation. A first one that begins below 0 straddles the border
    to the prefix: its bits are those that the whole text has more than the prefix alone."""
    oov: tuple[bool, ...]  # whether the vocabulary lacks it
    refused: str = ""  # why the model cannot read the text; then there are no bits


def refusal(why: str) -> Surprisals:
    """The answer of a model that cannot read a text, as one that is too long for it."""
    return Surprisals((), (), (), why)


def too_long(n_read: int, longest: int) -> str:
    """Why a text was refused that has more subwords, specials included, than a model reads."""
    return f"{n_read} subwords to read, where the model reads {longest} at most"


@dataclass(frozen=True, slots=True)
class Score:
    """The answer to one query: one `Surprisals` for each continuation, in their order."""

    continuations: tuple[Surprisals, ...]
    prefix_oov: int = 0  # words that the vocabulary lacks, of the prefix and of a suffix looked at


class Scorer(Protocol):
    """Anything that can say how surprising words are. Prefix state is reset for every query.

    One that has an attribute `looks_ahead` and sets it is given what follows as the suffix; one
    that has an attribute `end` and sets it knows the end of a sentence by that sign and may be
    asked for it; one that has an attribute `word_level` and sets it flags whole words as unknown,
    whatever its unit; one that has an attribute `name` goes by that in tables; one that has an
    attribute `languages` is told of where a suite is in another; `notes` are told with its results,
    `policy` says what `policy_of` would.
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


def says_end(scorer: Scorer) -> bool:
    """Whether it can say how surprising the end of a sentence is."""
    return bool(getattr(scorer, "end", ""))


def policy_of(scorer: Scorer) -> str:
    """What stands before a text and what else moves a model's numbers: `bos=<s>`, `bos=none
    dtype=bfloat16`, … A scorer's own `policy`, if it has one; else what its signature says."""
    policy = getattr(scorer, "policy", None)
    if policy is not None:
        return str(policy)
    parts = dict(pair.partition(":")[::2] for pair in scorer.signature.split("|"))
    dtype = parts.get("dtype", "") if parts.get("dtype") in HALF else "float32"
    options = LoadOptions(dtype=dtype, boundary=parts.get("boundary", "none"))
    return policy_text(parts.get("bos"), options)


def word_level(scorer: Scorer) -> bool:
    """Whether what it flags as unknown are words, of which nothing then is known, and no pieces."""
    return scorer.unit == "words" or bool(getattr(scorer, "word_level", False))


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """What the command line can ask of a backend; each notes in its signature what it obeyed."""

    device: str = "auto"  # auto, cpu, cuda or cuda:n
    dtype: str = "float32"
    bos: str = "auto"  # auto, none or a token
    boundary: str = "none"  # word-boundary correction
    compile: bool = False  # by torch.compile: slow to begin, faster on a GPU in long runs


def policy_text(bos: str | None, options: LoadOptions) -> str:
    """In one line what a model's numbers depend on beside itself; `bos`: "" for none before a text,
    None where the question does not arise."""
    parts = [] if bos is None else [f"bos={bos or 'none'}"]
    if options.dtype != "float32":
        parts.append(f"dtype={options.dtype}")
    if options.boundary != "none":
        parts.append(f"boundary={options.boundary}")
    return " ".join(parts)


class BackendLoader(Protocol):
    """What a backend module's `load` is: the part of the model spec after the colon to a scorer."""

    def __call__(self, spec: str, options: LoadOptions) -> Scorer: ...
