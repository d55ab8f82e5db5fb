"""Independent answers for n-gram tests: back-off by recursion over a dictionary; small texts."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeAlias

from hypothesis import strategies as st

from colorless_green.scoring import Line, TrainingText

Table: TypeAlias = dict[tuple[str, ...], tuple[float, float]]
"""n-gram → (log10 p, log10 back-off)"""

texts = st.lists(
    st.lists(st.sampled_from("abcd"), min_size=1, max_size=7).map(tuple), min_size=1, max_size=9
)
contexts = st.lists(st.sampled_from(["<s>", "a", "b", "c", "d", "<unk>"]), max_size=6).map(tuple)


def arpa_table(path: Path) -> Table:
    """Return the n-grams of an ARPA file that is whole."""
    cells = [line.split("\t") for line in path.read_text("utf-8").split("\n")]
    rows = [row for row in cells if len(row) > 1]
    return {
        tuple(row[1].split(" ")): (float(row[0]), float(row[2]) if len(row) > 2 else 0.0)
        for row in rows
    }


def log10_p(table: Table, context: Sequence[str], word: str) -> float:
    """log10 p(word | context); both with `<unk>` for unknown words. Contexts may be any length."""
    history = tuple(context)
    if (*history, word) in table:
        return table[*history, word][0]
    backoff = table[history][1] if history in table else 0.0
    return backoff + log10_p(table, history[1:], word)


def total_p(table: Table, context: Sequence[str]) -> float:
    """Return the probabilities of all that can follow: every word, `</s>` and `<unk>`, but not
    `<s>`."""
    words = [gram[0] for gram in table if len(gram) == 1 and gram != ("<s>",)]
    return sum(10 ** log10_p(table, context, word) for word in words)


def training_text(train: Iterable[str], held_out: Iterable[str] = ()) -> TrainingText:
    """Sentences written with a space between words."""
    return TrainingText(
        tuple(Line(tuple(line.split(" ")), line) for line in train),
        tuple(Line(tuple(line.split(" ")), line) for line in held_out),
    )
