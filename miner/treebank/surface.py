"""A sentence as its surface tokens: multiword tokens merged, as the released scripts do it.

`del` stands for `di` + `il` in the tree. Merging keeps the first word's lemma, POS, FEATS, head and
relation under the whole token's form; dependents of the other words move to it, and all positions
shift left. The scripts forget one thing: the arc from a deleted word's head to the deleted word.
That *ghost arc* stays a candidate; its dependent keeps its own form and annotation, but its
position is that of the token after the merged one:

    words    di  il  più  piccolo  e  antico  corpo        il ← corpo
    surface  del     più  piccolo  e  antico  corpo        (il) ← corpo, counted from `più` on

The rule `released` counts ghost arcs, since the published sets hold items made from them; they are
flagged wherever they appear.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, NamedTuple, TypeAlias

from ...data.items.tree import Sentence, Tree

Merging: TypeAlias = Literal["ghosts", "merged", "apart"]
"""What becomes of multiword tokens: merged with the arcs of the words inside kept (`ghosts`) or
dropped (`merged`), or the words stay apart in the tree and are one in the text (`apart`)."""
CORRECT_FORM = "CorrectForm="  # in MISC: how a misspelt word should be written


class Arc(NamedTuple):
    """A dependency between two surface positions (0-based); never one from the root."""

    dependent: int  # of a ghost, the position of the token after the merged one
    head: int
    ghost: int = -1  # the ghost's word in the sentence, where the dependent is one


@dataclass(frozen=True, slots=True)
class Surface:
    """A sentence as columns over surface tokens, or over words where they stay apart. `heads` are
    0-based, −1 for the root; a merged token whose first word hung on another word inside it is its
    own head."""

    sentence: Sentence
    forms: tuple[str, ...]
    lemmas: tuple[str, ...]
    upos: tuple[str, ...]
    feats: tuple[str, ...]
    heads: tuple[int, ...]
    deprels: tuple[str, ...]
    arcs: tuple[Arc, ...] | None = None  # None: one for each token but the root, in order
    first_words: tuple[int, ...] | None = None  # surface position → word index; None: the same
    tokens: tuple[int, ...] | None = None  # words apart: position → surface token; None: the same

    def __len__(self) -> int:
        return len(self.forms)


def surface_of(sentence: Sentence, merging: Merging) -> Surface:
    """View a sentence as its surface tokens, multiword tokens merged or not.

    Args:
        sentence: the sentence.
        merging: `ghosts` (merged, arcs of the words inside kept), `merged` (these arcs dropped) or
            `apart` (the words of the tree, each knowing its token).

    Returns:
        Columns over tokens, or over words with `apart`.

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
    firsts = [0, *accumulate(n_words for _, _, n_words in tokens)][:-1]
    arcs = _arcs(sentence, positions, firsts, merging == "ghosts")
    forms = tuple([form for form, _, _ in tokens])
    columns = sentence.lemmas, sentence.upos, sentence.feats, sentence.deprels
    lemmas, upos, feats, deprels = (tuple([x[index] for index in firsts]) for x in columns)
    word_heads = [sentence.heads[index] for index in firsts]
    heads = tuple([-1 if head < 0 else positions[head] for head in word_heads])
    return Surface(sentence, forms, lemmas, upos, feats, heads, deprels, arcs, tuple(firsts))


def tree_of(sentence: Sentence) -> Tree:
    """Return the words of a sentence with the surface token that each stands in.

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
    """Yield the form of each surface token, whether the next follows without a blank, and the
    number of its words."""
    words, begin = list(zip(sentence.forms, sentence.misc, strict=True)), 0
    for multiword in (*sentence.ranges, None):
        for form, misc in words[begin : multiword.first if multiword else None]:
            yield form, misc != "_" and "SpaceAfter=No" in misc.split("|"), 1
        if multiword is not None:
            glued = "SpaceAfter=No" in multiword.misc.split("|")
            yield multiword.form, glued, multiword.last - multiword.first + 1
            begin = multiword.last + 1


def _positions(sentence: Sentence) -> tuple[int, ...]:
    """Return the surface token of each word."""
    if not sentence.ranges:
        return tuple(range(len(sentence)))
    tokens = enumerate(surface_tokens(sentence))
    return tuple([position for position, (_, _, n_words) in tokens for _ in range(n_words)])


def _arcs(
    sentence: Sentence, positions: Sequence[int], firsts: list[int], with_ghosts: bool
) -> tuple[Arc, ...]:
    """Return all arcs in the order of their dependents, those that merging moved last."""
    first_words = set(firsts)
    unmoved: list[Arc] = []
    moved: list[tuple[int, int, Arc]] = []  # sorted by the deleted head, then by the dependent
    for index, head in enumerate(sentence.heads):
        if head < 0 or not (with_ghosts or index in first_words):
            continue
        if index in first_words:
            arc = Arc(positions[index], positions[head])
        else:
            arc = Arc(positions[index] + 1, positions[head], index)
        if head in first_words:
            unmoved.append(arc)
        else:
            moved.append((head, index, arc))
    return (*unmoved, *[arc for _, _, arc in sorted(moved)])


def spaces_before(surface: Surface) -> tuple[str, ...]:
    """Return what separates each token from the one before it in raw text.

    `# text` has it, where its words are those of the sentence; else `SpaceAfter=No` does.

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
    gaps = set(accumulate(map(len, text.split())))  # letters before each stretch of white space
    ends = accumulate(len("".join(form.split())) for form, _, _ in tokens[:-1])
    return ("", *(" " if end in gaps else "" for end in ends))


def contradicts_text(sentence: Sentence) -> bool:
    """Tell whether `# text` differs from the tokens of a sentence in more than white space."""
    text = sentence.comment("text")
    forms = [form for form, _, _ in surface_tokens(sentence)] if sentence.ranges else sentence.forms
    joined = "".join(forms)
    if text is None or text.replace(" ", "") == joined:  # nearly always, and quickly told
        return False
    return "".join(text.split()) != "".join(joined.split())


def misspelt(surface: Surface) -> list[int]:
    """Return the rows of words whose MISC, or that of their multiword token, has `CorrectForm`."""
    sentence = surface.sentence
    words = {index for index, misc in enumerate(sentence.misc) if CORRECT_FORM in misc}
    for token in sentence.ranges:
        if CORRECT_FORM in token.misc:
            words.update(range(token.first, token.last + 1))
    if not words or surface.first_words is None:
        return sorted(words)
    positions = _positions(sentence)
    return sorted({positions[word] for word in words})
