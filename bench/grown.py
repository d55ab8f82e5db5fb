"""Text of any length that grows as text does: longer, it has more words and more n-grams.

    python -m bench.grown N_WORDS OUT CONLLU…

A walk through the sentences of treebanks. The next word is, in six of ten cases, one that follows
the last two somewhere there; in three, one that follows the last one; else any word. Sentence ends
are words to it. One word in fifty is put together from the first half of it and the second half of
any other, so that new types never cease; seeded, so that the same call gives the same text.
"""

import random
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from bench.measure import read_conllu
from colorless_green.data.files import write_whole

END = "\n"
AFTER_TWO, AFTER_ONE = 0.6, 0.9  # shares, added up
NEW = 0.02


def grown(sentences: Iterable[Sequence[str]], n_words: int) -> Iterator[list[str]]:
    """Sentences with `n_words` words together, or a few more."""
    draw = random.Random(0).random
    flat = [END, *(word for sentence in sentences for word in (*sentence, END))]
    after_one, after_two = defaultdict(list), defaultdict(list)
    for pair, word in zip(pairwise(flat), flat[2:], strict=False):
        after_one[pair[1]].append(word)
        after_two[pair].append(word)

    def any_of(words: Sequence[str]) -> str:
        return words[int(draw() * len(words))]

    before, last, made = END, END, 0
    sentence: list[str] = []
    while made < n_words or sentence:
        where = draw()
        if where < AFTER_TWO and (before, last) in after_two:
            word = any_of(after_two[before, last])
        elif where < AFTER_ONE and last in after_one:
            word = any_of(after_one[last])
        else:
            word = any_of(flat)
        if word != END:
            if draw() < NEW:
                other = any_of(flat)
                word = (word[: len(word) // 2] + other[len(other) // 2 :]).strip() or word
            sentence.append(word)
            made += 1
        elif sentence:
            yield sentence
            sentence = []
        before, last = last, word


def main() -> None:
    n_words, out, *treebanks = sys.argv[1:]
    sentences = [sentence for name in treebanks for sentence in read_conllu(Path(name))]
    with write_whole(Path(out)) as stream:
        for sentence in grown(sentences, int(n_words)):
            stream.write(" ".join(sentence) + "\n")


if __name__ == "__main__":
    main()
