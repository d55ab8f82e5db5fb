"""How alike a replacement must be: the matching levels, one a file, each with all those before it.

`morphology` is the rule's own conditions (`lexicon.py`) and has no file. A module defines `LEVEL`,
a record whose `observer` sees each sentence of the treebank once, in the pass that also reads the
lexicon, and then makes a `Matcher`.
"""

from colorless_green.data.errors import InputError
from colorless_green.data.registry import load, nearest
from colorless_green.nonce.levels.level import Level

MORPHOLOGY = "morphology"
LEVELS = {
    "frequency": "colorless_green.nonce.levels.frequency:LEVEL",
    "frame": "colorless_green.nonce.levels.frame:LEVEL",
    "unseen": "colorless_green.nonce.levels.unseen:LEVEL",
}
LOWEST = f"+{next(iter(LEVELS))}"  # and the last; morphology serves nobody who did not ask for it
GROUP = "colorless_green.levels"


def levels_up_to(name: str) -> tuple[Level, ...]:
    """The levels beyond `morphology` that the option `--level` asks for.

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
    names = list(LEVELS)
    wanted = names[: names.index(name) + 1] if name in names else [*names, name]
    try:
        return tuple(load(LEVELS, level, "--level", GROUP) for level in wanted)
    except InputError as error:
        if error.kind != "unknown":
            raise
        right = nearest(name, [MORPHOLOGY, *(f"+{level}" for level in names)])
        raise InputError("--level", error.wrong, right, kind="unknown") from None
