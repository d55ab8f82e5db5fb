"""Two analyses of one text side by side: a parse and gold trees, or two parses.

Beside gold trees, words, tags and trees are measured as in the CoNLL 2018 shared task (Zeman et al.
2018, "Evaluation Measures"): tokens are spans of characters of the text without blanks, and only
words whose spans (or, inside multiword tokens, whose forms) correspond are compared. Our own
implementation of that definition; what is mined is compared by sentence text and places.

A parser's mistakes are not marked in what it writes, but a second parser (or the same one with
other models) seldom makes the same: where both give the same tree, the tree is more often right
(Sagae and Tsujii 2007 choose training sentences so). The two may split the text into sentences
otherwise, and one may lack some of it.
"""

import re
from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from colorless_green.data.errors import InputError
from colorless_green.data.tables import Row
from colorless_green.miner.instances import Finder
from colorless_green.miner.mine import MinedTreebank, MineRequest, mine
from colorless_green.miner.parse.text import raw_text
from colorless_green.miner.repair import REPAIRS
from colorless_green.miner.surface import surface_tokens
from colorless_green.miner.tree import Sentence
from colorless_green.miner.treebank import Treebank, sentences

COLUMNS = ("measure", "n_gold", "n_parsed", "n_same", "precision", "recall", "f1")
# The features that count for UFeats (Zeman et al. 2018; the list of the shared task's script).
UNIVERSAL_FEATURES = re.compile(
    r"(?:Abbr|Animacy|Aspect|Case|Definite|Degree|Evident|Foreign|Gender|Mood|Number|NumType|"
    r"Person|Polarity|Polite|Poss|PronType|Reflex|Tense|VerbForm|Voice)="
)
WORDWISE = ("words", "upos", "ufeats", "uas", "las")
SHOWN = 20  # characters of either text where they part
WINDOW = 1_000  # sentences looked ahead for one that both parses have
NO_COUNTERPART = "the second parse has no such sentence"
OTHER_WORDS = "the second parse splits it into other words"
TOO_LOW = "the parses agree too little"

CharacterSpan: TypeAlias = tuple[int, int]
"""A stretch of the text without blanks: half-open, in characters."""

OnDropped: TypeAlias = Callable[[Sentence, str], None]
"""Told each sentence that goes, and which of the three reasons it is."""


class UDWord(NamedTuple):
    """A syntactic word in the whole file."""

    span: CharacterSpan  # of its multiword token, if it is in one
    in_range: bool
    form: str
    upos: str
    feats: str  # universal features alone, sorted
    head: int  # index among all words of the file; −1 for a root
    deprel: str  # without subtype


class Annotation(NamedTuple):
    """A whole file as spans of its text without blanks."""

    text: str
    tokens: list[CharacterSpan]
    sentences: list[CharacterSpan]
    places: list[str]  # `file:line` of each sentence
    words: list[UDWord]


def comparison_rows(
    gold: Treebank, parsed: Treebank, request: MineRequest
) -> tuple[list[Row], MinedTreebank]:
    """A row for each measure, and what was mined from the gold treebank.

    `n_same` over `n_parsed` is the precision, over `n_gold` the recall; f1 is their harmonic mean
    (0–1). The repair "auto" is decided by the gold treebank and then done to both. Raises
    `InputError` where the texts differ in anything but blanks.
    """
    rows = _annotation_rows(_annotation_of(gold), _annotation_of(parsed))
    in_gold, mining = _mined_of(gold, request)
    in_parsed, _ = _mined_of(parsed, replace(request, repair=mining.repair))
    return [*rows, *(measure(name, in_gold[name], in_parsed[name]) for name in in_gold)], mining


def _annotation_of(source: Treebank) -> Annotation:
    """The spans and words of all sentences; the whole file is held in memory."""
    parts: list[str] = []
    annotation = Annotation("", [], [], [], [])
    end = 0
    for _, sentence in sentences(source):
        start, offset = end, len(annotation.words)
        firsts = {token.first for token in sentence.ranges}
        first = 0
        for form, _, n_words in surface_tokens(sentence):
            parts.append("".join(form.split()))
            span = (end, end + len(parts[-1]))
            end = span[1]
            annotation.tokens.append(span)
            for index in range(first, first + n_words):
                head, feats = sentence.heads[index], sentence.feats[index].split("|")
                annotation.words.append(
                    UDWord(
                        span,
                        first in firsts,
                        sentence.forms[index],
                        sentence.upos[index],
                        "|".join(sorted(filter(UNIVERSAL_FEATURES.match, feats))),
                        head + offset if head >= 0 else -1,
                        sentence.deprels[index].partition(":")[0],
                    )
                )
            first += n_words
        annotation.sentences.append((start, end))
        annotation.places.append(sentence.place)
    return annotation._replace(text="".join(parts))


def _annotation_rows(gold: Annotation, parsed: Annotation) -> list[Row]:
    """Tokens, sentences, words, and on aligned words UPOS, UFeats, UAS, LAS."""
    if gold.text != parsed.text:
        letters = enumerate(zip(gold.text, parsed.text, strict=False))
        shorter = min(len(gold.text), len(parsed.text))
        at = next((index for index, (one, other) in letters if one != other), shorter)
        number = bisect_left([end for _, end in parsed.sentences], at + 1)
        place = parsed.places[min(number, len(parsed.places) - 1)]
        wrong = f"the text goes on {parsed.text[at : at + SHOWN]!r}"
        right = f"{gold.text[at : at + SHOWN]!r}, as in the gold treebank"
        raise InputError(place, wrong, right, kind="format")
    pairs = aligned(gold.words, parsed.words)
    gold_index = {parsed_at: gold_at for gold_at, parsed_at in pairs}
    gold_index[-1] = -1  # a root's head is a root's head
    same = Counter({"words": len(pairs)})
    for gold_at, parsed_at in pairs:
        one, other = gold.words[gold_at], parsed.words[parsed_at]
        same["upos"] += one.upos == other.upos
        same["ufeats"] += one.feats == other.feats
        attached = one.head == gold_index.get(other.head)
        same["uas"] += attached
        same["las"] += attached and one.deprel == other.deprel
    n_gold, n_parsed = len(gold.words), len(parsed.words)
    return [
        measure("tokens", gold.tokens, parsed.tokens),
        measure("sentences", gold.sentences, parsed.sentences),
        *(row(name, n_gold, n_parsed, same[name]) for name in WORDWISE),
    ]


def aligned(gold: Sequence[UDWord], parsed: Sequence[UDWord]) -> list[tuple[int, int]]:
    """Pairs of indices of words that correspond, in order.

    Outside multiword tokens words correspond if their spans are the same. Inside a stretch that
    multiword tokens of either side cover together, the words that lie wholly in it correspond as
    a longest common subsequence of their forms, case ignored (of several, the one found by
    matching where possible and else passing over gold words first). That is the shared task's
    description; its script also lets some words beside such a stretch into it, which makes no
    difference on real treebanks (none on UD English EWT).
    """
    stretches: list[
        CharacterSpan
    ] = []  # of all multiword tokens of both sides, those that overlap joined
    for start, end in sorted({word.span for word in (*gold, *parsed) if word.in_range}):
        if stretches and start < stretches[-1][1]:
            stretches[-1] = (stretches[-1][0], max(stretches[-1][1], end))
        else:
            stretches.append((start, end))
    ends = [end for _, end in stretches]

    def divided(words: Sequence[UDWord]) -> dict[int | CharacterSpan, list[int]]:
        """Indices of the words wholly inside each stretch, by its number; of others, by span."""
        indices: dict[int | CharacterSpan, list[int]] = {}
        for index, word in enumerate(words):
            number = bisect_left(ends, word.span[1])
            inside = number < len(stretches) and stretches[number][0] <= word.span[0]
            indices.setdefault(number if inside else word.span, []).append(index)
        return indices

    gold_groups, parsed_groups = divided(gold), divided(parsed)
    pairs: list[tuple[int, int]] = []
    for place in gold_groups.keys() & parsed_groups.keys():
        one, other = gold_groups[place], parsed_groups[place]
        if isinstance(place, int):
            forms = ([gold[i].form.lower() for i in one], [parsed[i].form.lower() for i in other])
            pairs += [(one[i], other[j]) for i, j in longest_common(*forms)]
        else:
            pairs.append((one[-1], other[-1]))
    return sorted(pairs)


def longest_common(one: Sequence[str], other: Sequence[str]) -> Iterator[tuple[int, int]]:
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
    in_gold, in_parsed = Counter(gold), Counter(parsed)  # of a counter, a copy
    return row(name, in_gold.total(), in_parsed.total(), (in_gold & in_parsed).total())


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


def _mined_of(
    source: Treebank, request: MineRequest
) -> tuple[Mapping[str, Counter[Hashable]], MinedTreebank]:
    """Instances, accepted constructions and originals of a treebank, each told by what it can be
    found again by: the text without blanks and 0-based positions, of instances as the rule counts
    them, of originals those of surface tokens.

    An instance is a pair that the rule looks at and whose two ends carry the feature, of whatever
    construction.
    """
    mining = mine(source, request)
    wanted = {(original.file, original.number_in_file) for original in mining.originals}
    texts: dict[tuple[str, int], str] = {}
    places: Counter[Hashable] = Counter()
    values: Counter[Hashable] = Counter()
    stream = (sentence for _, sentence in sentences(source, repair=REPAIRS.get(mining.repair)))
    for surface, instances in Finder(mining.search).instances(stream):
        sentence = surface.sentence
        text = "".join(raw_text(sentence).split())
        if (sentence.file, sentence.number) in wanted:
            texts[(sentence.file, sentence.number)] = text
        for instance in instances:
            place = (text, instance.arc.cue, instance.arc.target)
            places[place] += 1
            values[
                (*place, instance.feature, instance.key, instance.cue_value, instance.target_value)
            ] += 1
    accepted = [construction for construction in mining.constructions if construction.accepted]
    counters = {
        "instances": places,
        "instances, same values": values,
        "constructions": Counter[Hashable](
            (construction.feature, construction.name, construction.values)
            for construction in accepted
        ),
        "originals": Counter[Hashable](
            (
                texts[(original.file, original.number_in_file)],
                original.cue_index,
                original.target_index,
            )
            for original in mining.originals
        ),
    }
    return counters, mining


def agreement(one: Sentence, other: Sentence) -> float:
    """Measures how far two parses of a sentence agree.

    Args:
        one: one parse.
        other: the other; their order does not matter.

    Returns:
        The share (0 to 1) of all words, punctuation too, with the same UPOS, head and relation,
        subtypes aside. 0 where the two have other forms or other multiword tokens.

    >>> from dataclasses import replace
    >>> from colorless_green.data import sample
    >>> from colorless_green.miner import read
    >>> sentence = next(read(sample.treebank("en")))
    >>> agreement(sentence, replace(sentence, upos=("PRON", *sentence.upos[1:])))
    0.8571428571428571
    """
    if not _same_words(one, other):
        return 0.0
    words, other_words = (
        list(zip(side.upos, side.heads, [x.partition(":")[0] for x in side.deprels], strict=True))
        for side in (one, other)
    )
    return sum(a == b for a, b in zip(words, other_words, strict=True)) / len(one)


def _same_words(one: Sentence, other: Sentence) -> bool:
    spans = [[(token.first, token.last) for token in sentence.ranges] for sentence in (one, other)]
    return one.forms == other.forms and spans[0] == spans[1]


def concordant(
    sentences: Iterable[Sentence],
    others: Iterable[Sentence],
    minimum: float,
    *,
    on_dropped: OnDropped = lambda sentence, reason: None,
) -> Iterator[tuple[Sentence, float]]:
    """Keeps the sentences on which two parses of a text agree.

    Args:
        sentences: one parse.
        others: the other parse.
        minimum: least `agreement` of a sentence with its counterpart, 0 to 1.
        on_dropped: called with each sentence that is left out, and why: it has no counterpart,
            other words, or too little agreement.

    Yields:
        (sentence, agreement) in the order of `sentences`.

    Raises:
        InputError: `minimum` is not from 0 to 1.

    >>> from colorless_green.data import sample
    >>> from colorless_green.miner import read
    >>> file = sample.treebank("en")
    >>> sum(1 for _ in concordant(read(file), read(file), 0.9))
    450
    """
    if not 0 <= minimum <= 1:
        wrong = f"{minimum:g} is not a share"
        raise InputError("--min-agreement", wrong, "a number from 0 to 1", kind="value")
    for sentence, other in paired(sentences, others):
        if other is None:
            on_dropped(sentence, NO_COUNTERPART)
            continue
        share = agreement(sentence, other)
        if share >= minimum:
            yield sentence, share
        else:
            on_dropped(sentence, TOO_LOW if _same_words(sentence, other) else OTHER_WORDS)


def paired(
    sentences: Iterable[Sentence], others: Iterable[Sentence], window: int = WINDOW
) -> Iterator[tuple[Sentence, Sentence | None]]:
    """Pairs the sentences of two parses that have the same text.

    Texts are compared without blanks. Where they part, first the characters are followed: if the
    same text was only split into sentences otherwise, the two meet again where both have a sentence
    end, and every sentence with the same two ends in both is paired. Where the texts themselves
    differ (one lacks a stretch), they meet at the nearest pair of equal sentences. No pairs cross,
    and no sentence is in two.

    Args:
        sentences: one parse.
        others: the other parse.
        window: how many sentences ahead on either side equal ones are looked for.

    Yields:
        (sentence, its counterpart or `None`) for each of `sentences`, in order.

    >>> from colorless_green.data import sample
    >>> from colorless_green.miner import read
    >>> one, two, three = list(read(sample.treebank("en")))[:3]
    >>> [other is not None for _, other in paired([one, two, three], [one, three])]
    [True, False, True]
    """
    ours, theirs = _Lookahead(sentences, window), _Lookahead(others, window)
    while ours.key(0) is not None:
        n_ours, n_theirs = 0, 0
        if theirs.key(0) is None:
            n_ours = 1
        elif ours.key(0) != theirs.key(0):
            n_ours, n_theirs = _same_stretch(ours, theirs) or _nearest(ours, theirs)
        for _ in range(n_ours):
            yield ours.pop(), None
        for _ in range(n_theirs):
            theirs.pop()
        if not n_ours and not n_theirs:
            yield ours.pop(), theirs.pop()


class _Lookahead:
    """A stream of sentences that can be looked into, fewer than `window` ahead."""

    def __init__(self, sentences: Iterable[Sentence], window: int) -> None:
        self.stream = iter(sentences)
        self.window = window
        self.waiting: deque[tuple[str, Sentence]] = deque()

    def key(self, index: int) -> str | None:
        """The text, without blanks, of the sentence `index` places ahead; `None` if there is none
        so near."""
        while len(self.waiting) <= index < self.window:
            sentence = next(self.stream, None)
            if sentence is None:
                return None
            self.waiting.append(("".join(raw_text(sentence).split()), sentence))
        return self.waiting[index][0] if index < self.window else None

    def pop(self) -> Sentence:
        """The next sentence, which is then behind."""
        return self.waiting.popleft()[1]


def _same_stretch(ours: _Lookahead, theirs: _Lookahead) -> tuple[int, int] | None:
    """How many sentences of each make up the same characters; `None` if the characters differ."""
    n_ours, n_theirs = 1, 1
    our_rest, their_rest = ours.key(0), theirs.key(0)
    while our_rest is not None and their_rest is not None:
        if our_rest == their_rest:
            return n_ours, n_theirs
        if our_rest.startswith(their_rest):
            our_rest = our_rest[len(their_rest) :]
            their_rest = theirs.key(n_theirs)
            n_theirs += 1
        elif their_rest.startswith(our_rest):
            their_rest = their_rest[len(our_rest) :]
            our_rest = ours.key(n_ours)
            n_ours += 1
        else:
            return None
    return None


def _nearest(ours: _Lookahead, theirs: _Lookahead) -> tuple[int, int]:
    """How many sentences of each to pass over until two have the same text: neither more than
    need be, then few in all, then few of ours. If no two have, all of ours that can be seen."""
    our_places: dict[str | None, int] = {}
    their_places: dict[str | None, int] = {}
    seen = 0
    for distance in range(ours.window):
        our_key, their_key = ours.key(distance), theirs.key(distance)
        if our_key is None and their_key is None:
            break
        our_places.setdefault(our_key, distance)
        their_places.setdefault(their_key, distance)
        seen += our_key is not None
        meetings = []
        if our_key is not None and our_key in their_places:
            meetings.append((distance, their_places[our_key]))
        if their_key is not None and their_key in our_places:
            meetings.append((our_places[their_key], distance))
        if meetings:
            return min(meetings, key=lambda places: (sum(places), places[0]))
    return seen, 0
