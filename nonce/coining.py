"""A wording in pseudo-words: each content word's stem exchanged for a coined one, its endings kept.

The real words are drawn first, under all the conditions of the level, and so lend the pseudo-words
their inflection class, gender and frame.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from colorless_green.nonce.pseudo.coin import Pseudo
from colorless_green.nonce.slots import Frame
from colorless_green.nonce.variant import Words


def coined(
    frame: Frame,
    cells: Sequence[Words],
    pseudo: Pseudo,
    rng: random.Random,
    *,
    with_target: bool,
) -> list[Words] | None:
    """The cells of one wording (or the wording alone) in pseudo-words, the same in every cell;
    `None` where one of them is not to be had. The target stays what it is unless `with_target`."""
    made: dict[int, Mapping[str, str]] = {}
    taken: set[str] = set()
    upos = frame.tree.upos
    first = cells[0]
    for node, forms in _wanted(frame, cells, with_target):
        lemma = first.lemma if node == frame.target else first.lemmas[node]
        new = pseudo.of(rng, lemma, upos[node], forms[0], taken)
        if new is None or not new.keys() >= set(forms):
            return None
        made[node] = new
        taken.update(new.values())
    return [_with(frame, each, made) for each in cells]


def _wanted(
    frame: Frame, cells: Sequence[Words], with_target: bool
) -> Iterator[tuple[int, list[str]]]:
    """Each replaced word with the forms it has in the cells, the target last."""
    for node in cells[0].lemmas:
        yield node, list(dict.fromkeys(each.forms[node] for each in cells))
    if not with_target:
        return
    both = [form for each in cells for form in (each.right, each.wrong)]
    yield frame.target, list(dict.fromkeys(both))


def _with(frame: Frame, words: Words, made: Mapping[int, Mapping[str, str]]) -> Words:
    forms = {node: made[node][form] if node in made else form for node, form in words.forms.items()}
    if frame.target not in made:
        return replace(words, forms=forms)
    target = made[frame.target]
    right, wrong = target[words.right], target[words.wrong]
    lemma = target.get(words.lemma, right)
    return replace(words, forms=forms, right=right, wrong=wrong, lemma=lemma)
