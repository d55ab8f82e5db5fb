"""The units of a table laid over a text: which letters each stands for.

Known units match letter by letter, so the only choice is how far an unknown one reaches. It stands
for letters of one word, never over a blank: for the word without its punctuation if what follows
then fits, else for more of it, else for less. Hence several unknown words in a row are a word each,
where syntaxgym-core gives all of them to the region of the first.
"""

from collections.abc import Iterator, Sequence

from colorless_green.nonce.penn import penn
from colorless_green.scoring.align import Span
from colorless_green.scoring.tables.line import Bare, Unit


def laid(units: Sequence[Unit], text: Bare, *, whole: bool) -> tuple[Span, ...] | None:
    """For each unit from the first on the letters it stands for, half-open; `None` where the units
    are not the text.

    `whole`: the text is all units, not only the first of them. If not, the last span reaches over
    the end of a text that ends within a unit.
    """
    n_letters = len(text.letters)
    if not n_letters and not whole:
        return ()
    spans: list[Span] = []
    tried: set[Span] = set()  # (unit, letter) from which no way leads on, or one that is being gone
    ways = [_ends(units, text, 0, 0, whole)]
    while ways:
        start = spans[-1][1] if spans else 0
        end = next(ways[-1], None)
        if end is None:
            ways.pop()
            if spans:
                spans.pop()
            continue
        following = len(spans) + 1
        if end >= n_letters and (not whole or following == len(units)):
            return (*spans, (start, end))
        if (following, end) not in tried:
            tried.add((following, end))
            spans.append((start, end))
            ways.append(_ends(units, text, following, end, whole))
    return None


def _ends(units: Sequence[Unit], text: Bare, index: int, start: int, whole: bool) -> Iterator[int]:
    """Where the unit can end that begins at letter `start`, best first."""
    if index == len(units):
        return
    letters = units[index].letters
    if letters is None:
        yield from _unknown_ends(text, start)
        return
    found = text.letters[start : start + len(letters)]
    if found == letters or (not whole and found and letters.startswith(found)):
        yield start + len(letters)


def _unknown_ends(text: Bare, start: int) -> Iterator[int]:
    if start >= len(text.letters):
        return
    last = text.chunks[start]
    given = set()
    end = start
    for word in penn(text.letters[start:last]):
        end += len(word)
        given.add(end)
        yield end
    yield from (each for each in range(last, start, -1) if each not in given)
