"""Plain text, one sentence a line, for surprisals without predictions; read only.

Each line that is not blank is an item with one condition, `sentence`. Words are those of `penn`.
"""

from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.nonce.formats import Format, read_only
from colorless_green.nonce.formats.pairs import SENTENCE
from colorless_green.nonce.formats.records import lines
from colorless_green.nonce.item import Item, Region, item_id
from colorless_green.nonce.penn import penn
from colorless_green.nonce.suite import Suite, checked


def read(path: Path) -> Suite:
    """The sentences of a file, in its order; the suite is named after it. The same sentence can
    come twice. Raises `InputError` for a file without any, and for a control character within a
    line: one with a tab is a table's."""
    name = path.name.removesuffix(".gz").removesuffix(".txt")
    items = []
    for number, (place, line) in enumerate(lines(path), start=1):
        sentence = line.strip()
        odd = next((letter for letter in sentence if letter < " "), "")
        if odd:
            raise InputError(
                place, f"{odd!r} in a sentence", "one sentence a line, nothing else", kind="format"
            )
        if sentence:
            identity = item_id(name, number, sentence)
            region = Region(SENTENCE, penn(sentence), sentence)
            items.append(
                Item(
                    item_id=identity,
                    kind="suite",
                    cluster_id=identity,
                    language="und",
                    source=name,
                    licence="",
                    conditions={SENTENCE: ((region,),)},
                    facts={"line": str(number)},
                )
            )
    if not items:
        raise InputError(str(path), "no sentence in it", "one sentence a line", kind="empty")
    return checked(Suite(name, tuple(items), ()), str(path))


FORMAT = Format(read, read_only("lines"))
