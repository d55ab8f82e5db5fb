"""The matching levels: how similar a replacement must be to the word it replaces.

Each level is a file, and includes the levels before it; `morphology`, the rule's own conditions
(`lexicon.py`), has no file. A module defines `LEVEL`, a record whose `observer` sees each sentence
of the treebank once, in the pass that also reads the lexicon, and then makes a `Matcher`, which
narrows down the candidates for a word.
"""

from ....data.errors import InputError
from ....data.registry import load, nearest
from . import frame, frequency, unseen
from .level import Level

MORPHOLOGY = "morphology"
LEVELS = {level.name: level for level in (frequency.LEVEL, frame.LEVEL, unseen.LEVEL)}
LOWEST = f"+{next(iter(LEVELS))}"  # the last one tried if the recipe names no level
GROUP = "colorless_green.levels"


def levels_up_to(name: str) -> tuple[Level, ...]:
    """Return the levels beyond `morphology`, up to the one that is named.

    Args:
        name: `morphology`, a key of `LEVELS`, or a level of another distribution, which comes after
            all of ours; with or without `+`.

    Returns:
        The levels, each of which narrows the one before it; none for `morphology`.

    Raises:
        InputError: no level has this name.

    >>> [level.name for level in levels_up_to("+frame")]
    ['frequency', 'frame']
    """
    name = name.removeprefix("+")
    if name == MORPHOLOGY:
        return ()
    names = list(LEVELS)  # each includes those before it
    selected = names[: names.index(name) + 1] if name in names else [*names, name]
    try:
        return tuple(load(LEVELS, level, "level", GROUP) for level in selected)
    except InputError as error:
        if error.kind != "unknown":
            raise
        right = nearest(name, [MORPHOLOGY, *(f"+{level}" for level in names)])
        raise InputError("level", error.wrong, right, kind="unknown") from None
