"""Names of constructions: `L__NOUN_VERB_VERB`, made from the annotation of an instance.

A name begins with a direction (`L`: the dependent or a path's controller comes first; `R`: second;
`X`: either). The POS of cue, context and target follow, and the relation if the rule counts by
relation; or else, in *coarse* names, the POS of cue and target alone, and their relation or path
(`L__NOUN__VERB__nsubj`). The *context* are those words between cue and target that the rule takes.
"""

from collections.abc import Sequence

import numpy as np

from ...data.arrays import Integers
from .instances import OF_FEATURE, Finder, feature_name
from .token_columns import Block, InstanceColumns


def construction_names(finder: Finder, block: Block, instances: InstanceColumns) -> list[str]:
    """Return the name of each instance's construction."""
    if finder.search.selection.by != "coarse":
        return _names(finder, block, instances)
    # Coarse names are few, since they have no context: make each one once.
    codes = _codes_of_coarse_names(finder, block, instances)
    _, rows, inverse = np.unique(codes, return_index=True, return_inverse=True)
    names = _names(finder, block, instances.where(rows))
    return [names[row] for row in inverse.tolist()]


def _codes_of_coarse_names(finder: Finder, block: Block, instances: InstanceColumns) -> Integers:
    """Return a number for each instance, equal for instances with the same coarse name."""
    n_upos, n_deprels = len(finder.strings.upos), len(finder.strings.deprels)
    shape = (2, n_upos, n_upos, len(finder.search.patterns) + 1, n_deprels, len(finder.kinds))
    parts = (
        instances.forward.astype(np.int64),
        *_upos_of_ends(block, instances),
        instances.pattern + 1,  # −1 is no pattern
        np.where(instances.pattern < 0, instances.deprels, 0),  # names of paths have no relation
        instances.kind,
    )
    return np.ravel_multi_index(parts, shape)


def _names(finder: Finder, block: Block, instances: InstanceColumns) -> list[str]:
    """Make the name of each instance's construction."""
    search, selection = finder.search, finder.search.selection
    is_coarse, has_several = selection.by == "coarse", len(search.features) > 1
    upos, deprels = list(finder.strings.upos), list(finder.strings.deprels)
    heads, tags = ([], []) if is_coarse else (block.heads.tolist(), block.upos.tolist())
    columns = (
        *instances.ends, *_upos_of_ends(block, instances), instances.forward, instances.pattern,
        instances.deprels, instances.kind,
    )  # fmt: skip
    names = []
    for cue, target, cue_tag, target_tag, controller_first, pattern, deprel, kind in zip(
        *(column.tolist() for column in columns), strict=True
    ):
        context = [""]  # so that two lines join the tags of a coarse name: `NOUN__VERB`
        if not is_coarse:
            words = _context(cue, target, heads, selection.context == "ends")
            context = [upos[tags[word]] for word in words]
        is_directed = selection.directed or is_coarse or pattern >= 0
        direction = ("L" if controller_first else "R") if is_directed else "X"
        name = f"{direction}__{'_'.join([upos[cue_tag], *context, upos[target_tag]])}"
        if pattern >= 0:
            name += f"__{search.patterns[pattern].name}"
        elif selection.by != "pos":
            name += f"__{deprels[deprel]}"
        if has_several:
            name += f"{OF_FEATURE}{feature_name(finder.kinds[kind])}"
        names.append(name)
    return names


def _upos_of_ends(block: Block, instances: InstanceColumns) -> tuple[Integers, Integers]:
    """Return the codes of the POS of cues and of targets."""
    controller, agreeing = instances.upos, block.upos[instances.agreeing]
    forward = instances.forward
    return np.where(forward, controller, agreeing), np.where(forward, agreeing, controller)


def _context(cue: int, target: int, heads: Sequence[int], by_ends: bool) -> list[int]:
    """Return the words between cue and target that belong to the context.

    With `by_ends` these are the words whose head is cue or target; without, those whose head is
    outside the gap between them.
    """
    between = range(cue + 1, target)
    if by_ends:
        return [word for word in between if heads[word] in (cue, target)]
    return [word for word in between if not cue < heads[word] < target or heads[word] == word]
