"""Names of constructions: `L__NOUN_VERB_VERB`, made from the annotation of an instance.

A name begins with a direction (`L`: the dependent or a path's controller comes first; `R`: second;
`X`: either). The POS of cue, context and target follow, and the relation if the rule counts by
relation; or else, in *coarse* names, the POS of cue and target alone, and their relation or path
(`L__NOUN__VERB__nsubj`). The *context* are those words between cue and target that the rule takes.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ...data.arrays import Integers
from .instances import OF_FEATURE, Finder, feature_name
from .token_columns import Block, InstanceColumns, ranges


def construction_names(finder: Finder, block: Block, instances: InstanceColumns) -> list[str]:
    """Return the name of each instance's construction, joined of columns of texts."""
    search, selection = finder.search, finder.search.selection
    is_coarse, is_path = selection.by == "coarse", instances.pattern >= 0
    is_directed = is_path | (selection.directed or is_coarse)
    letters = np.where(is_directed, np.where(instances.forward, "L", "R"), "X")
    cue_codes, target_codes = _upos_of_ends(block, instances)
    between = "__" if is_coarse else _contexts(finder, block, instances)
    names = letters.astype(object) + "__" + _texts(finder.strings.upos, cue_codes)
    names += between + _texts(finder.strings.upos, target_codes)
    path_names = [*(f"__{pattern.name}" for pattern in search.patterns), ""]  # the last: no path
    names += _texts(path_names, instances.pattern)
    if selection.by != "pos":
        relations = "__" + _texts(finder.strings.deprels, instances.deprels)
        names[~is_path] += relations[~is_path]
    if len(search.features) > 1:
        feature_names = (f"{OF_FEATURE}{feature_name(kind)}" for kind in finder.kinds)
        names += _texts(feature_names, instances.kind)
    return list(names)


def _texts(names: Iterable[str], codes: Integers) -> NDArray[np.object_]:
    """Return the name that each code means, as a column of texts that can be joined by `+`."""
    return np.array([*names], object)[codes]


def _contexts(finder: Finder, block: Block, instances: InstanceColumns) -> NDArray[np.object_]:
    """Return the POS of each instance's context as a column of texts: `_VERB_`, `_` for none.

    The context are the words between cue and target whose head is one of these two or, if the rule
    says so, those whose head is outside the gap.
    """
    cue, target = instances.ends
    row, word = ranges(cue + 1, np.maximum(target - cue - 1, 0))  # all words between, by instance
    head = block.heads[word]
    if finder.search.selection.context == "ends":
        belongs = (head == cue[row]) | (head == target[row])
    else:
        belongs = (head <= cue[row]) | (head >= target[row]) | (head == word)
    contexts = np.full(len(instances), "_", object)
    tags = _texts(finder.strings.upos, block.upos[word[belongs]])
    np.add.at(contexts, row[belongs], tags + "_")
    return contexts


def _upos_of_ends(block: Block, instances: InstanceColumns) -> tuple[Integers, Integers]:
    """Return the codes of the POS of cues and of targets."""
    controller, agreeing = instances.upos, block.upos[instances.agreeing]
    forward = instances.forward
    return np.where(forward, controller, agreeing), np.where(forward, agreeing, controller)
