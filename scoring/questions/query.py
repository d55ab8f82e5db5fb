"""Queries to a model and its answers. Backends, which run models, know no items or suites."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

HALF_PRECISION = ("float16", "bfloat16")  # number types
AUTO = "auto"  # a device, number type or masking
TOKENIZER = "tokenizer"  # value of `bos`: what the tokenizer itself puts before a text
Masking: TypeAlias = Literal[
    "auto", "original", "word-l2r", "whole-word", "word-l2r+tokenizer", "whole-word+tokenizer"
]
"""The subwords that are masked when a masked model scores one; and what counts as a word: what
stands between blanks, or what the tokenizer says"""

Stretch: TypeAlias = str | tuple[str, ...]
"""A piece of a sentence as a model reads it: raw text (unit "text") or whole words (unit "words").
Positions in it count characters (code points) or words; spans are half-open."""

Span: TypeAlias = tuple[int, int]
"""Start and end, half-open, in characters (code points)."""


@dataclass(frozen=True, slots=True)
class Query:
    """A prefix and the continuations that are scored after it.

    In raw text the blank between prefix and continuation is the start of the continuation.

    Attributes:
        prefix: what precedes the continuations: words or raw text, by the model's unit.
        continuations: what is scored, each by itself.
        suffix: what follows, for models that look both ways; others ignore it.
        ends: True if the end of the sentence is scored behind each continuation: one more subword,
            whose span is empty and stands at the end. Only for models for which `says_end` is true.

    >>> Query(("the", "keys"), (("are",), ("is",))).continuations
    (('are',), ('is',))
    """

    prefix: Stretch
    continuations: tuple[Stretch, ...]
    suffix: Stretch | None = None
    ends: bool = False


@dataclass(frozen=True, slots=True)
class Surprisals:
    """The surprisals of one continuation, subword by subword (the model's own units).

    Attributes:
        bits: −log2 p of each subword given all before it; at least 0, but see `spans`.
        spans: start and end of each in the continuation, half-open, in characters or words. If the
            first begins below 0, it straddles the border to the prefix. Its bits are then the
            surprisal of the text up to its end, less that of the prefix alone.
        oov: True for each that is not in the vocabulary.
        refused: why the model cannot read the text; then there are no bits. Empty if it can.
    """

    bits: tuple[float, ...]
    spans: tuple[tuple[int, int], ...]
    oov: tuple[bool, ...]
    refused: str = ""


def refusal(why: str) -> Surprisals:
    """Make the answer of a model that cannot read a text, for example because it is too long.

    Args:
        why: what is wrong with the text.

    Returns:
        An answer without bits.

    >>> refusal("1,025 subwords, the model reads 1,024").bits
    ()
    """
    return Surprisals((), (), (), why)


def too_long(n_read: int, longest: int) -> str:
    """Return the reason for refusing a text of `n_read` subwords, special ones included, if a model
    reads at most `longest`."""
    return f"{n_read} subwords to read, where the model reads {longest} at most"


@dataclass(frozen=True, slots=True)
class Score:
    """The answer to one query.

    Attributes:
        continuations: the surprisals of each continuation, in their order.
        prefix_oov: the number of words in the prefix, and in a suffix that was looked at, that are
            not in the vocabulary.
    """

    continuations: tuple[Surprisals, ...]
    prefix_oov: int = 0


class Scorer(Protocol):
    """A model that can be asked for the surprisal of words. Every backend implements it.

    Each query is answered by itself, without memory of the one before. A scorer may have further
    attributes: `looks_ahead` (true: it is given what follows, as the suffix); `end` (its token for
    the end of a sentence, which may then be asked for); `word_level` (true: it marks whole words as
    unknown, whatever its unit); `name` (for tables); `languages` (a suite in another language gets
    a remark); `notes` (remarks for its results); `policy` (returned by `policy_of`).
    """

    @property
    def signature(self) -> str:
        """Everything that its numbers depend on, as `key:value` pairs joined by `|`."""
        ...

    @property
    def unit(self) -> str:
        """ "words" or "text": what it reads."""
        ...

    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        """Answer queries.

        Args:
            queries: prefixes with their continuations: words or raw text, by `unit`.

        Returns:
            One score for each query, in order, with surprisals in bits.
        """
        ...


def looks_ahead(scorer: Scorer) -> bool:
    """Tell if a model's answers depend on what follows. Most models read from left to right.

    Args:
        scorer: the model.

    Returns:
        Its attribute `looks_ahead`; false without one.

    >>> from types import SimpleNamespace
    >>> looks_ahead(SimpleNamespace(looks_ahead=True)), looks_ahead(SimpleNamespace())
    (True, False)
    """
    return bool(getattr(scorer, "looks_ahead", False))


def says_end(scorer: Scorer) -> bool:
    """Tell if a model can give the surprisal of the end of a sentence.

    Args:
        scorer: the model.

    Returns:
        True if it has an attribute `end` that is not empty.

    >>> from types import SimpleNamespace
    >>> says_end(SimpleNamespace(end="</s>")), says_end(SimpleNamespace())
    (True, False)
    """
    return bool(getattr(scorer, "end", ""))


def policy_of(scorer: Scorer) -> str:
    """Describe in a few words how a model is queried, as far as its numbers depend on it.

    Args:
        scorer: the model.

    Returns:
        Its own `policy`, if it has one; else the first token, boundary correction and number type
        of its signature, as `bos=<s>` or `bos=none dtype=bfloat16`.

    >>> from types import SimpleNamespace
    >>> policy_of(SimpleNamespace(signature="model:gpt2|bos:none|dtype:bfloat16"))
    'bos=none dtype=bfloat16'
    """
    policy = getattr(scorer, "policy", None)
    if policy is not None:
        return str(policy)
    parts: dict[str, str] = {}
    for pair in scorer.signature.split("|"):
        name, _, value = pair.partition(":")
        parts[name] = value
    dtype = parts.get("dtype", "")
    options = LoadOptions(
        dtype=dtype if dtype in HALF_PRECISION else "float32",
        boundary=parts.get("boundary", "none"),
    )
    return policy_text(parts.get("bos"), options)


def word_level(scorer: Scorer) -> bool:
    """Return True if the scorer marks whole words as unknown, so that it has no surprisal for them;
    other models split unknown words into subwords."""
    return scorer.unit == "words" or bool(getattr(scorer, "word_level", False))


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """Options for loading a model. The signature of its scorer names those that had an effect.

    Attributes:
        device: `auto`, `cpu`, `cuda` or `cuda:n`.
        dtype: `float32`, `bfloat16`, `float16`, or `auto`: as the checkpoint has it.
        bos: the first token before a text: `auto`, `none`, `tokenizer` or a token.
        boundary: which characters end a word: `none`, `space+eos` or `space+eos+punct`.
        pll: the subwords that are masked when a masked model scores one.
        compile: use torch.compile, which is slow to begin and faster on a GPU in long runs.
        trust_remote_code: run code that comes with a model.
    """

    device: str = "auto"
    dtype: str = "float32"
    bos: str = "auto"
    boundary: str = "none"
    pll: Masking = "auto"
    compile: bool = False
    trust_remote_code: bool = False


def policy_text(bos: str | None, options: LoadOptions) -> str:
    """Return in one line the options that a model's numbers depend on. `bos` is the first token
    before a text, "" if there is none, None for models without such a choice."""
    parts = [] if bos is None else [f"bos={bos or 'none'}"]
    if options.dtype not in ("float32", AUTO):
        parts.append(f"dtype={options.dtype}")
    if options.boundary != "none":
        parts.append(f"boundary={options.boundary}")
    return " ".join(parts)


class BackendLoader(Protocol):
    """The type of a backend's function `load`, which loads the model that a spec names after the
    colon."""

    def __call__(self, spec: str, options: LoadOptions) -> Scorer: ...
