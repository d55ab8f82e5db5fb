"""View a sentence as surface tokens, with multiword tokens merged as in the released scripts.

Italian `del` is `di` + `il` in the tree. A merged token has its own form, and the lemma, POS,
FEATS, head and relation of its first word; dependents of its other words become its own, and all
positions shift left. The scripts overlooked one thing: the arc to a deleted word from its head.
This *ghost arc* stays a candidate; its dependent, the *ghost*, keeps its form and annotation, but
has the position of the token after the merged one:

    words    di  il  più  piccolo  e  antico  corpo        il ← corpo
    surface  del     più  piccolo  e  antico  corpo        (il) ← corpo, counted from `più` on

The rule `released` counts ghost arcs, because the published sets contain items made from them; all
originals made from them have a flag.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, NamedTuple, TypeAlias

from ...data.items.tree import Sentence, Tree

Merging: TypeAlias = Literal["ghosts", "merged", "apart"]
"""The treatment of multiword tokens: merged, with ghost arcs kept (`ghosts`) or dropped (`merged`);
or left as separate words that share one token of the text (`apart`)."""
CORRECT_FORM = "CorrectForm="  # in MISC: how a misspelt word should be written


class Arc(NamedTuple):
    """A dependency between two surface positions (0-based), root excluded."""

    dependent: int  # for a ghost, the position of the token after the merged one
    head: int
    ghost: int = -1  # the ghost's word in the sentence; −1: the dependent is no ghost


@dataclass(frozen=True, slots=True)
class Surface:
    """A sentence as columns over surface tokens, or over words if these stay apart.

    `heads` are 0-based, −1 for the root; a merged token is its own head if its first word depended
    on another word inside it.
    """

    sentence: Sentence
    forms: tuple[str, ...]
    lemmas: tuple[str, ...]
    upos: tuple[str, ...]
    feats: tuple[str, ...]
    heads: tuple[int, ...]
    deprels: tuple[str, ...]
    arcs: tuple[Arc, ...] | None = None  # None: one per row except the root, in order
    first_words: tuple[int, ...] | None = None  # position → its first word; None: the same number
    tokens: tuple[int, ...] | None = None  # if words stay apart: word → token; None: the same

    def __len__(self) -> int:
        return len(self.forms)


def surface_of(sentence: Sentence, merging: Merging) -> Surface:
    """View a sentence as its surface tokens, multiword tokens merged or not.

    Args:
        sentence: the sentence.
        merging: `ghosts` (merged, ghost arcs kept), `merged` (ghost arcs dropped) or `apart` (the
            words of the tree, with the token of each).

    Returns:
        Columns over tokens; with `apart`, over words.

    >>> from colorless_green.data import sample
    >>> from colorless_green.miner import read
    >>> surface_of(next(read(sample.treebank("it"))), "merged").forms[:3]
    ('Lui', 'vende', 'i')
    """
    if not sentence.ranges or merging == "apart":
        return Surface(
            sentence,
            sentence.forms,
            sentence.lemmas,
            sentence.upos,
            sentence.feats,
            sentence.heads,
            sentence.deprels,
            tokens=_positions(sentence) if sentence.ranges else None,
        )
    positions = _positions(sentence)
    tokens = list(surface_tokens(sentence))
    # the words of all tokens before it are the number of a token's first word
    *first_words, _ = [0, *accumulate(n_words for _, _, n_words in tokens)]
    forms = tuple([form for form, _, _ in tokens])
    columns = sentence.lemmas, sentence.upos, sentence.feats, sentence.deprels
    lemmas, upos, feats, deprels = (tuple([x[index] for index in first_words]) for x in columns)
    word_heads = [sentence.heads[index] for index in first_words]
    return Surface(
        sentence,
        forms,
        lemmas,
        upos,
        feats,
        heads=tuple([-1 if head < 0 else positions[head] for head in word_heads]),
        deprels=deprels,
        arcs=_arcs(sentence, positions, set(first_words), with_ghosts=merging == "ghosts"),
        first_words=tuple(first_words),
    )


def tree_of(sentence: Sentence) -> Tree:
    """Return the tree of a sentence's words, with the surface token that each word is part of.

    Args:
        sentence: the sentence.

    Returns:
        Its columns, and the 0-based token of each word.

    >>> from colorless_green.data import sample
    >>> from colorless_green.miner import read
    >>> tree_of(next(read(sample.treebank("en")))).tokens
    (0, 1, 2, 3, 4, 5, 6)
    """
    columns = sentence.forms, sentence.lemmas, sentence.upos, sentence.feats
    return Tree(*columns, sentence.heads, sentence.deprels, _positions(sentence))


def surface_tokens(sentence: Sentence) -> Iterator[tuple[str, bool, int]]:
    """Yield (form, whether the next token follows without a blank, number of words) for each
    surface token."""
    words, begin = list(zip(sentence.forms, sentence.misc, strict=True)), 0
    for multiword in (*sentence.ranges, None):  # None: the words after the last multiword token
        for form, misc in words[begin : multiword.first if multiword else None]:
            yield form, misc != "_" and "SpaceAfter=No" in misc.split("|"), 1
        if multiword is not None:
            is_glued = "SpaceAfter=No" in multiword.misc.split("|")
            yield multiword.form, is_glued, multiword.last - multiword.first + 1
            begin = multiword.last + 1


def _positions(sentence: Sentence) -> tuple[int, ...]:
    """Return, for each word of the tree, the 0-based surface token that it is part of."""
    if not sentence.ranges:
        return tuple(range(len(sentence)))
    tokens = enumerate(surface_tokens(sentence))
    return tuple([position for position, (_, _, n_words) in tokens for _ in range(n_words)])


def _arcs(
    sentence: Sentence, positions: Sequence[int], first_words: set[int], with_ghosts: bool
) -> tuple[Arc, ...]:
    """Return all arcs in the order of their dependents; those whose head was merged away come last.

    A word is merged away if it is not the first word of its token (one of `first_words`).
    `positions` has the token of each word.
    """
    unmoved: list[Arc] = []
    moved: list[tuple[int, int, Arc]] = []  # (head that was merged away, dependent, arc)
    for index, head in enumerate(sentence.heads):
        if head < 0 or not (with_ghosts or index in first_words):
            continue
        if index in first_words:
            arc = Arc(positions[index], positions[head])
        else:  # a ghost, which has the position of the next token
            arc = Arc(positions[index] + 1, positions[head], ghost=index)
        if head in first_words:
            unmoved.append(arc)
        else:
            moved.append((head, index, arc))
    return (*unmoved, *[arc for _, _, arc in sorted(moved)])


def spaces_before(surface: Surface) -> tuple[str, ...]:
    """Return the space between each token and the one before it in raw text.

    It is taken from `# text` if this has the words of the sentence, else from `SpaceAfter=No`.

    Args:
        surface: a sentence whose multiword tokens are merged.

    Returns:
        "" or " " for each token; "" for the first.

    >>> from colorless_green.data import sample
    >>> from colorless_green.miner import read
    >>> spaces_before(surface_of(next(read(sample.treebank("en"))), "merged"))
    ('', ' ', ' ', ' ', ' ', ' ', '')
    """
    sentence = surface.sentence
    tokens, text = list(surface_tokens(sentence)), sentence.comment("text")
    if text is None or contradicts_text(sentence):
        return ("", *("" if is_glued else " " for _, is_glued, _ in tokens[:-1]))
    # both count letters from the beginning: up to each stretch of white space, to each token's end
    gaps = set(accumulate(map(len, text.split())))
    ends = accumulate(len("".join(form.split())) for form, _, _ in tokens[:-1])
    return ("", *(" " if end in gaps else "" for end in ends))


def contradicts_text(sentence: Sentence) -> bool:
    """Tell whether `# text` differs from the tokens of a sentence in more than white space."""
    text = sentence.comment("text")
    forms = [form for form, _, _ in surface_tokens(sentence)] if sentence.ranges else sentence.forms
    joined = "".join(forms)
    if text is None or text.replace(" ", "") == joined:  # true of nearly all sentences, and fast
        return False
    return "".join(text.split()) != "".join(joined.split())


def misspelt(surface: Surface) -> list[int]:
    """Return the rows of words with `CorrectForm` in MISC, their own or their multiword token's."""
    sentence = surface.sentence
    words = {index for index, misc in enumerate(sentence.misc) if CORRECT_FORM in misc}
    for token in sentence.ranges:
        if CORRECT_FORM in token.misc:
            words.update(range(token.first, token.last + 1))
    if not words or surface.first_words is None:
        return sorted(words)
    positions = _positions(sentence)
    return sorted({positions[word] for word in words})
