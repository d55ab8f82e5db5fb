"""Plain text, one sentence a line, for surprisals without predictions.

Each line that is not blank is an item with one condition, `sentence`. Words are those of `penn`.
It is only read.
"""

from pathlib import Path

from ..items.item import Item, Region, item_id
from ..items.sentences import penn
from ..items.suite import Suite, checked
from ..records import lines, malformed, stem
from .format import Format
from .pair_formats import SENTENCE


def read(path: Path) -> Suite:
    """Read the sentences of a file, in its order; the suite is named after it.

    The same sentence can come twice. Raises `InputError` for a file without any, and for a control
    character within a line: one with a tab is a table's.
    """
    name = stem(path, (".txt",))
    items = []
    for number, (location, line) in enumerate(lines(path), start=1):
        sentence = line.strip()
        control_character = next((letter for letter in sentence if letter < " "), "")
        if control_character:
            right = "one sentence a line, nothing else"
            raise malformed(location, f"{control_character!r} in a sentence", right)
        if sentence:
            identity = item_id(name, number, sentence)
            region = Region(SENTENCE, penn(sentence), sentence)
            own = (identity, "suite", identity, "und", name, "")
            conditions = {SENTENCE: ((region,),)}
            items.append(Item(*own, conditions, facts={"line": str(number)}))
    return checked(Suite(name, tuple(items), ()), str(path), "one sentence a line")


FORMAT = Format(read)
