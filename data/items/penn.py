"""Raw text as words, for suites that do not say how they are tokenised.

The manner of the Penn Treebank (Marcus et al. 1993), for word-level models: punctuation stands
apart, `hasn't` is `has n't`, `author's` is `author 's`. Letters of every script stay together;
where a script sets no blanks, a stretch without punctuation is one word.
"""

import re
import unicodedata
from functools import lru_cache
from itertools import chain, repeat

CLITIC = re.compile(r"(?<=\w)(n['’]t|['’](?:s|re|ve|ll|d|m))$", re.IGNORECASE)
ABBREVIATION = re.compile(r"(?:\w\.){2,}")  # U.S.: its last dot belongs to it
INITIAL = re.compile(r"\w\.")  # J.: so does this one, unless the text ends there


def penn(text: str) -> tuple[str, ...]:
    """Return the words of a text, in the manner of the Penn Treebank (Marcus et al. 1993).

    Args:
        text: of one sentence or part of one.

    Returns:
        The words in order, none for a blank text. Joined with nothing in between they are the text
        without its white space.

    >>> penn("The authors' book hasn't sold.")
    ('The', 'authors', "'", 'book', 'has', "n't", 'sold', '.')
    """
    *chunks, last_chunk = text.split() or [""]
    if not "".join(chunks).isalnum():  # as they mostly are, and then words
        chunks = list(chain.from_iterable(map(_words, chunks, repeat(True))))
    return (*chunks, *_words(last_chunk, False))


@lru_cache(maxsize=1 << 17)  # a text has far fewer distinct stretches than stretches
def _words(chunk: str, goes_on: bool) -> tuple[str, ...]:
    start, end = 0, len(chunk)
    while start < end and _is_mark(chunk[start]) and CLITIC.fullmatch("x" + chunk[start:]) is None:
        start += 1
    while end > start and _is_mark(chunk[end - 1]):
        if ABBREVIATION.fullmatch(chunk, start, end):
            break
        if goes_on and INITIAL.fullmatch(chunk, start, end):
            break
        end -= 1
    core = chunk[start:end]
    clitic = CLITIC.search(core)
    cores = [core[: clitic.start()], clitic[0]] if clitic else [core]
    return (*chunk[:start], *(part for part in cores if part), *chunk[end:])


def _is_mark(letter: str) -> bool:
    """Return whether a letter is punctuation or a sign; the apostrophe of `'s` is dealt with by its
    own rule."""
    return unicodedata.category(letter)[0] in "PS"
