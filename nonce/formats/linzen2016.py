"""The sentences of Linzen, Dupoux & Goldberg 2016 as Gulordava et al. 2018 (§4) tested them; read
only.

Line-aligned `.text`, `.gold` and `.eval`; the `.gold` has four cells: index of the target verb,
right form, wrong form, number of attractors (nouns between subject and verb whose number is not the
subject's). English from Wikipedia, lower case, words between blanks. Where the cue is, is not said.
"""

from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.nonce.formats import Format, read_only
from colorless_green.nonce.formats.aligned import Line, gold_of, read_lines, whole
from colorless_green.nonce.item import RIGHT, WRONG, Item, item_id, wording
from colorless_green.nonce.suite import Suite, checked

N_CELLS = 4
SOURCE, LICENCE = "Linzen et al. 2016 (Gulordava et al. 2018)", "CC-BY-NC-4.0"
CONSTRUCTION = "subject verb"
MOST_ATTRACTORS = 1_000
NAME = "subj_agr_filtered"  # the released files; others of the form may be in any language


def read(path: Path) -> Suite:
    """The suite of a set, by any of its files or their folder; named after the `.gold`.

    Its prediction is that of agreement; the fact `n_attr` is the number of attractors. Both forms
    are those of the `.gold`, also where the sentence has another case of the letters. Raises
    `InputError` with the line of what is not of the format.
    """
    gold = gold_of(path) or path
    name = gold.name.removesuffix(".gz").removesuffix(".gold")
    found = read_lines(path, N_CELLS, 0)
    items = tuple(_item(name, number, line) for number, line in enumerate(found))
    if not items:
        raise InputError(str(gold), "no line in it", "four cells a line", kind="empty")
    return checked(Suite(name, items), str(gold))


def _item(name: str, number: int, line: Line) -> Item:
    target, right, wrong, n_attr = line.cells
    index = whole(target, line.place, len(line.tokens))
    if not (right.strip() and wrong.strip()):
        raise InputError(
            line.place, "a form is empty", "the right and the wrong form", kind="format"
        )
    spaces = ("", *[" "] * (len(line.tokens) - 1))
    before, after = line.tokens[:index], line.tokens[index + 1 :]
    is_released = name == NAME
    identity = item_id(name, number, " ".join(line.tokens))
    return Item(
        item_id=identity,
        kind="suite",
        cluster_id=identity,
        language="en" if is_released else "und",
        source=SOURCE if is_released else name,
        licence=LICENCE if is_released else "",
        conditions={
            condition: (wording((*before, form, *after), spaces, index),)
            for condition, form in ((RIGHT, right), (WRONG, wrong))
        },
        facts={
            "construction": CONSTRUCTION,
            "n_attr": str(whole(n_attr, line.place, MOST_ATTRACTORS)),
            "item_number": str(number),
        },
    )


FORMAT = Format(read, read_only("linzen2016"))
