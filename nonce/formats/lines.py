"""Plain text, one sentence a line, for surprisals without predictions.

Each line that is not blank is an item with one condition, `sentence`. Words are those of `penn`.
"""

from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.files import write_whole
from colorless_green.nonce.formats import Format
from colorless_green.nonce.formats.pairs import SENTENCE
from colorless_green.nonce.formats.records import lines, malformed, one_line, stem
from colorless_green.nonce.item import Item, Region, item_id, sentence_text
from colorless_green.nonce.penn import penn
from colorless_green.nonce.suite import Suite, checked

LONGEST_NUMBER = 9  # digits of a line's number
MOST_BLANK = 1_000  # lines without a sentence that are written again


def read(path: Path) -> Suite:
    """The sentences of a file, in its order; the suite is named after it. The same sentence can
    come twice. Raises `InputError` for a file without any, and for a control character within a
    line: one with a tab is a table's."""
    name = stem(path, (".txt",))
    items = []
    for number, (place, line) in enumerate(lines(path), start=1):
        sentence = line.strip()
        odd = next((letter for letter in sentence if letter < " "), "")
        if odd:
            right = "one sentence a line, nothing else"
            raise malformed(place, f"{odd!r} in a sentence", right)
        if sentence:
            identity = item_id(name, number, sentence)
            region = Region(SENTENCE, penn(sentence), sentence)
            conditions, facts = {SENTENCE: ((region,),)}, {"line": str(number)}
            fields = ("suite", identity, "und", name, "")
            items.append(Item(identity, *fields, conditions, facts=facts))
    if not items:
        raise InputError(str(path), "no sentence in it", "one sentence a line", kind="empty")
    return checked(Suite(name, tuple(items), ()), str(path))


def write(suite: Suite, path: Path, vocabulary: frozenset[str] | None = None) -> None:
    """The sentences of a suite, with the blank lines that were between them. Raises `InputError`
    for an item of several sentences."""
    sentences: list[str] = []
    for item in suite.items:
        if set(item.conditions) != {SENTENCE} or len(item.conditions[SENTENCE]) != 1:
            wrong, right = "it is more than a sentence", "another format"
            raise InputError(f"item {item.item_id}", wrong, right, kind="unsupported")
        number = item.facts.get("line", "")
        is_number = number.isascii() and number.isdigit() and len(number) <= LONGEST_NUMBER
        n_blank = int(number) - 1 - len(sentences) if is_number else 0
        if 0 < n_blank <= MOST_BLANK:
            sentences += [""] * n_blank
        sentences.append(one_line(sentence_text(item.conditions[SENTENCE][0])))
    with write_whole(path) as stream:
        stream.writelines(f"{line}\n" for line in sentences)


FORMAT = Format(read, write)
