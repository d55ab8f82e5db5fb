"""A sanity test of a model: a text must have a lower surprisal than its words in random orders.

A model with mixed-up tensors, with the tokenizer of another model or with random weights loads
without an error and gives numbers. All these fail this test.
"""

import math
import statistics
from collections.abc import Sequence
from importlib.resources import files

from ...data.seeds import generator, shuffled
from ..questions.query import Query, Scorer, Stretch

N_SHUFFLES = 8
N_DEVIATIONS = 2.0  # standard deviations by which the text must be below the shuffles' mean
SANITY_TEXTS = tuple(
    files(__package__).joinpath("sanity_texts.txt").read_text(encoding="utf-8").splitlines()
)
"""The same sentence in several languages"""


def sanity_fault(scorer: Scorer) -> str:
    """Find out whether a model's numbers are those of a model that has learned a language.

    Of the built-in texts the one that surprises the model least, for its length, is compared with
    eight shuffles of its words: it must be two standard deviations below their mean. A broken model
    passes by chance in about one case of forty.

    Args:
        scorer: the model.

    Returns:
        What is wrong with its numbers; "" if nothing is.

    >>> from pathlib import Path
    >>> from colorless_green import load_model
    >>> _ = Path("words.txt").write_text("the key keys is are old .")
    >>> sanity_fault(load_model("uniform:words.txt").scorer)[:53]
    'a text surprises it as much as its words in any order'
    """
    texts = [tuple(text.split()) for text in SANITY_TEXTS]
    answers = zip(texts, _total_bits(scorer, texts), strict=True)
    bits_of = {text: bits for text, bits in answers if bits is not None}
    if not bits_of:  # every text is too long for the model, which tells nothing about its weights
        return ""
    if not all(map(math.isfinite, bits_of.values())):
        return "its surprisals are not finite"
    text = min(bits_of, key=lambda words: bits_of[words] / len("".join(words)))
    first_word, *other_words = text
    shuffles = [
        (first_word, *shuffled(generator(n, "sanity"), other_words)) for n in range(N_SHUFFLES)
    ]
    shuffled_bits = [total for total in _total_bits(scorer, shuffles) if total is not None]
    if len(shuffled_bits) < N_SHUFFLES:  # some shuffle has more subwords and is too long
        return ""
    bits, mean_bits = bits_of[text], statistics.fmean(shuffled_bits)
    if bits < mean_bits - N_DEVIATIONS * statistics.stdev(shuffled_bits):
        return ""
    return (
        f"a text surprises it as much as its words in any order "
        f"({bits:.0f} bits, shuffled {mean_bits:.0f}): "
        "untrained, or its conversion is broken"
    )


def _total_bits(scorer: Scorer, texts: Sequence[tuple[str, ...]]) -> list[float | None]:
    """Return for each text the summed surprisal in bits of all words but the first, which some
    models cannot score. It is None for a text that is too long for the model."""
    queries = [
        Query(_stretch(scorer.unit, words[:1]), (_stretch(scorer.unit, words[1:], lead=" "),))
        for words in texts
    ]
    scores = [score.continuations for score in scorer.score(queries)]  # of one continuation each
    return [None if answer.refused else sum(answer.bits) for (answer,) in scores]


def _stretch(unit: str, words: tuple[str, ...], lead: str = "") -> Stretch:
    """Return words in the form that a scorer reads: a tuple if its unit is "words", otherwise one
    text joined by blanks, with `lead` in front."""
    return words if unit == "words" else lead + " ".join(words)
