"""The same words in every cell of a factorial block.

A *set* is one wording, an original's or a variant's, in both values and with the numbers of
attractors that can be made of it (`balance.py`); its items have one `set_id`, and `cell` says which
is which.
"""

from collections.abc import Sequence
from dataclasses import replace

from colorless_green.miner.tree import Tree
from colorless_green.nonce.balance.cells import Cell, cells
from colorless_green.nonce.matching import Balance
from colorless_green.nonce.slots import Frame
from colorless_green.nonce.variant import Words

MOST_ATTRACTORS = 2  # where no number was asked for


def cells_of(frame: Frame, words: Words, balance: Balance) -> Sequence[Cell] | str:
    """The cells of one wording, each number of attractors in both values; or why it has none."""
    agreement = frame.agreement
    if agreement.tree is None:
        return "its sentence has no tree"
    feature = agreement.cue_feature or agreement.feature
    others = [value for value in agreement.values if value != agreement.value]
    if len(others) != 1:
        return f"its construction has {len(agreement.values)} values, a block has two"
    most = MOST_ATTRACTORS if balance.attractors is None else balance.attractors
    block = cells(
        exchanged(frame, words),
        frame.cue,
        frame.target,
        feature=feature,
        values=sorted((agreement.value, *others), key=lambda value: (value != "Sing", value)),
        inflection=balance.inflections[feature],
        target_pair=(words.right, words.wrong),
        max_attractors=most,
        target_feature=agreement.target_feature,
    )
    can_be_written = [cell for cell in block.cells if _can_be_written(frame, cell)]
    missing = list(dict.fromkeys(block.missing.values()))
    if len(can_be_written) < len(block.cells):
        missing.append("part of a token that cannot be rebuilt")
    if not missing:
        return can_be_written
    made = [] if balance.attractors is not None else _in_both_values(can_be_written)
    return made or "; ".join(missing)


def _can_be_written(frame: Frame, cell: Cell) -> bool:
    """Whether every word that a cell changes can be written in its place."""
    forms, is_open = frame.tree.forms, frame.plan.open
    return all(form == forms[node] or is_open(node) for node, (form, _) in cell.changed.items())


def _in_both_values(found: Sequence[Cell]) -> list[Cell]:
    numbers = [cell.n_attractors for cell in found]
    return [cell for cell in found if numbers.count(cell.n_attractors) == 2]


def exchanged(frame: Frame, words: Words) -> Tree:
    """The original's tree with new words, their lemmas and, in a cell, their FEATS."""
    tree = frame.tree
    forms, lemmas = list(tree.forms), list(tree.lemmas)
    for node, form in words.forms.items():
        forms[node] = form
        lemmas[node] = words.lemmas.get(node, lemmas[node])
    forms[frame.target] = words.right
    lemmas[frame.target] = words.lemma
    feats = list(tree.feats)
    for node, new in words.feats.items():
        feats[node] = new
    return replace(tree, forms=tuple(forms), lemmas=tuple(lemmas), feats=tuple(feats))


def in_cell(frame: Frame, words: Words, cell: Cell) -> Words:
    """A wording as one cell has it."""
    return replace(
        words,
        forms={**words.forms, **{node: form for node, (form, _) in cell.changed.items()}},
        feats={
            frame.target: cell.target_feats,
            **{node: feats for node, (_, feats) in cell.changed.items()},
        },
        right=cell.right,
        wrong=cell.wrong,
        value=cell.value,
        target_feats=cell.target_feats,
        attractors=cell.attractors,
    )
