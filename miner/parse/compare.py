"""A parse beside the gold treebank of the same text: words, tags, trees, and what is mined.

Words, tags and trees are measured as in the CoNLL 2018 shared task (Zeman et al. 2018, "Evaluation
Measures"): tokens are spans of characters of the text without blanks, and only words whose spans
(or, inside multiword tokens, whose forms) correspond are compared. Our own implementation of that
definition; what is mined is compared by sentence text and places.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from colorless_green.data.errors import InputError
from colorless_green.data.tables import Row
from colorless_green.miner.parse.text import surface_tokens
from colorless_green.miner.tree import Sentence

COLUMNS = ("measure", "n_gold", "n_parsed", "n_same", "precision", "recall", "f1")
# The features that count for UFeats (Zeman et al. 2018; the list of the shared task's script).
UNIVERSAL_FEATURES = re.compile(
    r"(?:Abbr|Animacy|Aspect|Case|Definite|Degree|Evident|Foreign|Gender|Mood|Number|NumType|"
    r"Person|Polarity|Polite|Poss|PronType|Reflex|Tense|VerbForm|Voice)="
)
SHOWN = 20  # characters of either text where they part


class Span(NamedTuple):
    """A stretch of the text without blanks: half-open, in characters."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Word:
    """A syntactic word in the whole file."""

    span: Span  # of its multiword token, if it is in one
    in_range: bool
    form: str
    upos: str
    feats: str  # universal features alone, sorted
    head: int  # index among all words of the file; −1 for a root
    deprel: str  # without subtype


@dataclass(frozen=True, slots=True)
class Annotation:
    """A whole file as spans of its text without blanks."""

    text: str
    tokens: tuple[Span, ...]
    sentences: tuple[Span, ...]
    places: tuple[str, ...]  # `file:line` of each sentence
    words: tuple[Word, ...]


@dataclass(slots=True)
class _Reading:
    """An annotation in the making."""

    parts: list[str] = field(default_factory=list)
    end: int = 0
    tokens: list[Span] = field(default_factory=list)
    sentences: list[Span] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)


def annotation_of(sentences: Iterable[Sentence]) -> Annotation:
    """The spans and words of all sentences; the whole file is held in memory."""
    reading = _Reading()
    for sentence in sentences:
        start, offset = reading.end, len(reading.words)
        for index, (span, in_range) in enumerate(_token_spans(sentence, reading)):
            head = sentence.heads[index]
            reading.words.append(
                Word(
                    span,
                    in_range,
                    sentence.forms[index],
                    sentence.upos[index],
                    _universal(sentence.feats[index]),
                    head + offset if head >= 0 else -1,
                    sentence.deprels[index].partition(":")[0],
                )
            )
        reading.sentences.append(Span(start, reading.end))
        reading.places.append(sentence.place)
    return Annotation(
        "".join(reading.parts),
        tuple(reading.tokens),
        tuple(reading.sentences),
        tuple(reading.places),
        tuple(reading.words),
    )


def _token_spans(sentence: Sentence, reading: _Reading) -> Iterator[tuple[Span, bool]]:
    """Adds the surface tokens of a sentence; the span of each word, and if it is in a range."""
    firsts = {each.first for each in sentence.ranges}
    index = 0
    for form, _, n_words in surface_tokens(sentence):
        form = "".join(form.split())
        span = Span(reading.end, reading.end + len(form))
        reading.parts.append(form)
        reading.tokens.append(span)
        reading.end = span.end
        yield from ((span, index in firsts),) * n_words
        index += n_words


def _universal(feats: str) -> str:
    return "|".join(sorted(filter(UNIVERSAL_FEATURES.match, feats.split("|"))))


def annotation_rows(gold: Annotation, parsed: Annotation) -> Iterator[Row]:
    """One row each for tokens, sentences, words, and on aligned words UPOS, UFeats, UAS, LAS.

    `n_same` over `n_parsed` is the precision, over `n_gold` the recall; f1 is their harmonic mean
    (0–1). Raises `InputError` where the texts differ in anything but blanks.
    """
    _check_same_text(gold, parsed)
    yield measure("tokens", gold.tokens, parsed.tokens)
    yield measure("sentences", gold.sentences, parsed.sentences)
    pairs = aligned(gold.words, parsed.words)
    n_gold, n_parsed = len(gold.words), len(parsed.words)
    yield row("words", n_gold, n_parsed, len(pairs))
    gold_index = {theirs: ours for ours, theirs in pairs}
    gold_index[-1] = -1  # a root's head is a root's head
    same = Counter[str]()
    for ours, theirs in pairs:
        one, other = gold.words[ours], parsed.words[theirs]
        same["upos"] += one.upos == other.upos
        same["ufeats"] += one.feats == other.feats
        attached = one.head == gold_index.get(other.head)
        same["uas"] += attached
        same["las"] += attached and one.deprel == other.deprel
    for name in ("upos", "ufeats", "uas", "las"):
        yield row(name, n_gold, n_parsed, same[name])


def _check_same_text(gold: Annotation, parsed: Annotation) -> None:
    if gold.text == parsed.text:
        return
    pairs = enumerate(zip(gold.text, parsed.text, strict=False))
    shorter = min(len(gold.text), len(parsed.text))
    at = next((index for index, (one, other) in pairs if one != other), shorter)
    number = max(0, bisect_left([span.end for span in parsed.sentences], at + 1))
    place = parsed.places[min(number, len(parsed.places) - 1)]
    theirs, ours = parsed.text[at : at + SHOWN], gold.text[at : at + SHOWN]
    raise InputError(
        place, f"the text goes on {theirs!r}", f"{ours!r}, as in the gold treebank", kind="format"
    )


def aligned(gold: Sequence[Word], parsed: Sequence[Word]) -> list[tuple[int, int]]:
    """Pairs of indices of words that correspond, in order.

    Outside multiword tokens words correspond if their spans are the same. Inside a stretch that
    multiword tokens of either side cover together, the words that lie wholly in it correspond as
    a longest common subsequence of their forms, case ignored (of several, the one found by
    matching where possible and else passing over gold words first). That is the shared task's
    description; its script also lets some words beside such a stretch into it, which makes no
    difference on real treebanks (none on UD English EWT).
    """
    stretches = _stretches(gold, parsed)
    gold_inside, gold_outside = _divided(gold, stretches)
    parsed_inside, parsed_outside = _divided(parsed, stretches)
    pairs = [
        (gold_outside[span], parsed_outside[span])
        for span in gold_outside
        if span in parsed_outside
    ]
    for ours, theirs in zip(gold_inside, parsed_inside, strict=True):
        forms = [
            [words[index].form.lower() for index in indices]
            for words, indices in ((gold, ours), (parsed, theirs))
        ]
        pairs += [(ours[one], theirs[other]) for one, other in common(*forms)]
    return sorted(pairs)


def _stretches(gold: Sequence[Word], parsed: Sequence[Word]) -> list[Span]:
    """The spans of all multiword tokens of both sides, those that overlap joined."""
    result: list[Span] = []
    for span in sorted({word.span for word in (*gold, *parsed) if word.in_range}):
        if result and span.start < result[-1].end:
            result[-1] = Span(result[-1].start, max(result[-1].end, span.end))
        else:
            result.append(span)
    return result


def _divided(
    words: Sequence[Word], stretches: Sequence[Span]
) -> tuple[list[list[int]], dict[Span, int]]:
    """Indices of the words wholly inside each stretch; and span → index of those outside all.

    Words that stick out of a stretch correspond to none: no word of the other side has their span.
    """
    inside: list[list[int]] = [[] for _ in stretches]
    outside: dict[Span, int] = {}
    ends = [span.end for span in stretches]
    for index, word in enumerate(words):
        number = bisect_left(ends, word.span.end)
        if number < len(stretches) and stretches[number].start <= word.span.start:
            inside[number].append(index)
        else:
            outside[word.span] = index
    return inside, outside


def common(one: Sequence[str], other: Sequence[str]) -> Iterator[tuple[int, int]]:
    """A longest common subsequence as pairs of indices, in order; see `aligned` for ties."""
    n, m = len(one), len(other)
    longest = [[0] * (m + 1) for _ in range(n + 1)]
    for i in reversed(range(n)):
        for j in reversed(range(m)):
            same = longest[i + 1][j + 1] + 1 if one[i] == other[j] else 0
            longest[i][j] = max(same, longest[i + 1][j], longest[i][j + 1])
    i = j = 0
    while i < n and j < m:
        if one[i] == other[j]:
            yield i, j
            i, j = i + 1, j + 1
        elif longest[i][j] == longest[i + 1][j]:
            i += 1
        else:
            j += 1


def measure(name: str, gold: Iterable[Hashable], parsed: Iterable[Hashable]) -> Row:
    """How many of `parsed` are in `gold` too; what comes twice counts twice."""
    ours, theirs = Counter(gold), Counter(parsed)
    return row(name, ours.total(), theirs.total(), (ours & theirs).total())


def row(name: str, n_gold: int, n_parsed: int, n_same: int) -> Row:
    """A row of the table; a share of nothing is empty."""
    return {
        "measure": name,
        "n_gold": n_gold,
        "n_parsed": n_parsed,
        "n_same": n_same,
        "precision": n_same / n_parsed if n_parsed else None,
        "recall": n_same / n_gold if n_gold else None,
        "f1": 2 * n_same / (n_gold + n_parsed) if n_gold + n_parsed else None,
    }
