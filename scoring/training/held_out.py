"""Held-out perplexity of an ARPA file of any size: its lines are passed by once, and kept are those
that the held-out sentences ask for. (KenLM would load the whole file.)"""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from colorless_green.scoring import arpa
from colorless_green.scoring.training.text import Line
from colorless_green.scoring.words import END, START, UNKNOWN, entry_word

Gram: TypeAlias = tuple[str, ...]

BITS = math.log2(10)


def held_out_about(path: Path, lines: Sequence[Line], order: int) -> dict[str, object]:
    """What the model of `order` in an ARPA file that `arpa.write` made says of sentences, each read
    from its start to its end; `held_out_perplexity` is None where there are none."""
    words = {entry_word(word) for line in lines for word in line.words} - {START}
    known = {entry.words[0] for entry in arpa.listed(path, 1, words)}
    sentences = [
        (START, *(word if (word := entry_word(each)) in known else UNKNOWN for each in line.words))
        for line in lines
    ]
    grams = {gram for sentence in sentences for gram in _grams((*sentence, END), order)}
    wanted = {" ".join(gram) for gram in grams}
    table = {
        entry.words: (entry.log10_p, entry.log10_backoff)
        for entry in arpa.listed(path, order, wanted)
    }
    bits = [
        -BITS * _log10_p(table, (*sentence, END)[max(0, last + 1 - order) : last + 1])
        for sentence in sentences
        for last in range(1, len(sentence) + 1)
        if (*sentence, END)[last] != UNKNOWN
    ]
    n_words = sum(len(line.words) for line in lines)
    return {
        "held_out_sentences": len(lines),
        "held_out_words": n_words,
        "held_out_oov": n_words + len(lines) - len(bits),
        "held_out_perplexity": 2 ** (math.fsum(bits) / len(bits)) if bits else None,
    }


def _grams(words: Gram, order: int) -> Iterator[Gram]:
    for n in range(1, order + 1):
        yield from zip(*(words[start:] for start in range(n)), strict=False)


def _log10_p(table: dict[Gram, tuple[float, float]], gram: Gram) -> float:
    """log10 of the probability of the last word after those before it."""
    total = 0.0
    while gram not in table:
        total += table.get(gram[:-1], (0.0, 0.0))[1]
        gram = gram[1:]
    return total + table[gram][0]
