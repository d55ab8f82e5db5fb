"""What a model is asked and what it answers. Backends know nothing of items, suites or people."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

HALF = ("float16", "bfloat16")
AUTO = "auto"  # of devices, number types and masks
TOKENIZER = "tokenizer"  # of `bos`: what the tokenizer itself puts before a text
Masking: TypeAlias = Literal[
    "auto", "original", "word-l2r", "whole-word", "word-l2r+tokenizer", "whole-word+tokenizer"
]
"""What is masked for a subword of a masked model, by whose words"""

Stretch: TypeAlias = str | tuple[str, ...]
"""Raw text (unit "text") or whole words (unit "words"). Offsets into a stretch count characters
(code points) of the one, words of the other; in both cases they are half-open."""

Span: TypeAlias = tuple[int, int]
"""Start and end, half-open, in characters (code points)."""


@dataclass(frozen=True, slots=True)
class Query:
    """A prefix and the continuations that compete after it.

    Raw text keeps the blank between prefix and continuation at the start of the continuation.

    Attributes:
        prefix: what stands before: words, or raw text, by the model's unit.
        continuations: what is scored, each by itself.
        suffix: what follows, for models that look both ways; others ignore it.
        ends: whether each continuation is asked for together with the end of the sentence behind
            it: one more subword, whose span is empty and stands at the end. Only for models of
            which `says_end`.

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
        bits: −log2 p of each subword given all before it; ≥ 0, but see `spans`.
        spans: where each stands in the continuation, half-open, in characters or words. A first one
            that begins below 0 straddles the border to the prefix: its bits are those that the
            whole text has more than the prefix alone.
        oov: whether the vocabulary lacks it.
        refused: why the model cannot read the text; then there are no bits.
    """

    bits: tuple[float, ...]
    spans: tuple[tuple[int, int], ...]
    oov: tuple[bool, ...]
    refused: str = ""


def refusal(why: str) -> Surprisals:
    """Make the answer of a model that cannot read a text, as one that is too long for it.

    Args:
        why: what is wrong with the text.

    Returns:
        An answer without bits.

    >>> refusal("1,025 subwords, the model reads 1,024").bits
    ()
    """
    return Surprisals((), (), (), why)


def too_long(n_read: int, longest: int) -> str:
    """Why a text was refused that has more subwords, specials included, than a model reads."""
    return f"{n_read} subwords to read, where the model reads {longest} at most"


@dataclass(frozen=True, slots=True)
class Score:
    """The answer to one query.

    Attributes:
        continuations: the surprisals of each continuation, in their order.
        prefix_oov: words that the vocabulary lacks, of the prefix and of a suffix looked at.
    """

    continuations: tuple[Surprisals, ...]
    prefix_oov: int = 0


class Scorer(Protocol):
    """Anything that can tell how surprising words are: what a backend implements.

    Prefix state is reset for every query. Attributes that a scorer may have besides: `looks_ahead`,
    if set, it is given what follows as the suffix; `end`, the sign by which it knows the end of a
    sentence, for which it may then be asked; `word_level`, if set, it flags whole words as unknown,
    whatever its unit; `name`, by which it goes in tables; `languages`, by which a suite in another
    language is noticed; `notes`, told with its results; `policy`, what `policy_of` returns.
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
        """Answers queries.

        Args:
            queries: prefixes with their continuations: words or raw text, by `unit`.

        Returns:
            One score for each query, in their order: surprisals in bits.
        """
        ...


def looks_ahead(scorer: Scorer) -> bool:
    """Tells whether a model's answers depend on what follows; most models read from left to right.

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
    """Tells whether a model can say how surprising the end of a sentence is.

    Args:
        scorer: the model.

    Returns:
        Whether it has an attribute `end` that is not empty.

    >>> from types import SimpleNamespace
    >>> says_end(SimpleNamespace(end="</s>")), says_end(SimpleNamespace())
    (True, False)
    """
    return bool(getattr(scorer, "end", ""))


def policy_of(scorer: Scorer) -> str:
    """Tells how a model is queried, as far as its numbers depend on it.

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
    parts = dict(pair.partition(":")[::2] for pair in scorer.signature.split("|"))
    dtype = parts.get("dtype", "") if parts.get("dtype") in HALF else "float32"
    options = LoadOptions(dtype=dtype, boundary=parts.get("boundary", "none"))
    return policy_text(parts.get("bos"), options)


def word_level(scorer: Scorer) -> bool:
    """Return whether the scorer flags whole words as unknown, of which then nothing is known, and
    no pieces of words."""
    return scorer.unit == "words" or bool(getattr(scorer, "word_level", False))


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """The options of a backend on the command line; its signature notes those that it obeyed.

    Attributes:
        device: `auto`, `cpu`, `cuda` or `cuda:n`.
        dtype: `float32`, `bfloat16`, `float16`, or `auto`: as the checkpoint has it.
        bos: the first token before a text: `auto`, `none`, `tokenizer` or a token.
        boundary: where a word counts as ended: `none`, `space+eos` or `space+eos+punct`.
        pll: what is masked for a subword of a masked model.
        compile: by torch.compile: slow to begin, faster on a GPU in long runs.
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
    """In one line what a model's numbers depend on beside itself; `bos`: "" for none before a text,
    None where the question does not arise."""
    parts = [] if bos is None else [f"bos={bos or 'none'}"]
    if options.dtype not in ("float32", AUTO):
        parts.append(f"dtype={options.dtype}")
    if options.boundary != "none":
        parts.append(f"boundary={options.boundary}")
    return " ".join(parts)


class BackendLoader(Protocol):
    """The type of a backend's `load`, which makes a scorer of the model spec after the colon."""

    def __call__(self, spec: str, options: LoadOptions) -> Scorer: ...
