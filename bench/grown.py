"""Write an artificial text of any length, with ever new words and n-grams, as in real text.

    python -m bench.grown N_WORDS OUT CONLLU…

The text is a random walk through the sentences of treebanks. In six of ten cases, the next word is
one that follows the last two words somewhere in them; in three, one that follows the last word;
else any word. Sentence ends count as words. One word in fifty gets the second half of another word,
so that new types never cease. The same call gives the same text.
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
P_AFTER_TWO, P_AFTER_TWO_OR_ONE = 0.6, 0.9  # that the next word follows the last two, or one
P_NEW = 0.02  # that a word is made up


def artificial_sentences(sentences: Iterable[Sequence[str]], n_words: int) -> Iterator[list[str]]:
    """Yield artificial sentences until they have `n_words` words together, or a few more."""
    draw = random.Random(0).random
    flat = [END, *(word for sentence in sentences for word in (*sentence, END))]
    after_one, after_two = defaultdict(list), defaultdict(list)
    for (last_but_one, last), word in zip(pairwise(flat), flat[2:], strict=False):
        after_one[last].append(word)
        after_two[last_but_one, last].append(word)

    def any_of(words: Sequence[str]) -> str:
        """Draw one of the words."""
        return words[int(draw() * len(words))]

    last_but_one, last, n_made = END, END, 0
    sentence: list[str] = []
    while n_made < n_words or sentence:
        chance = draw()
        if chance < P_AFTER_TWO and (last_but_one, last) in after_two:
            word = any_of(after_two[last_but_one, last])
        elif chance < P_AFTER_TWO_OR_ONE and last in after_one:
            word = any_of(after_one[last])
        else:
            word = any_of(flat)
        if word != END:
            if draw() < P_NEW:  # the first half of the word and the second of another
                other = any_of(flat)
                word = (word[: len(word) // 2] + other[len(other) // 2 :]).strip() or word
            sentence.append(word)
            n_made += 1
        elif sentence:
            yield sentence
            sentence = []
        last_but_one, last = last, word


def main() -> None:
    """Write the text to OUT, a sentence per line."""
    n_words, out, *treebanks = sys.argv[1:]
    sentences = [sentence for name in treebanks for sentence in read_conllu(Path(name))]
    with write_whole(Path(out)) as stream:
        for sentence in artificial_sentences(sentences, int(n_words)):
            stream.write(" ".join(sentence) + "\n")


if __name__ == "__main__":
    main()
