"""Whether a model has learned a language at all: a text must surprise it less than its shuffle.

A conversion that mixed up tensors, a tokenizer of another model or weights drawn at random load
without a sound and give numbers. They all fail here.
"""

import math
import statistics
from collections.abc import Sequence

from ...data.seeds import generator, shuffled
from ..questions.query import Query, Scorer, Stretch

N_SHUFFLES = 8
DEVIATIONS = 2.0  # of the shuffles, by which the text must be below their mean
SANITY_TEXTS = (
    "The children went to the river in the morning, and when they came home, "
    "their mother was sitting at the table with a cup of tea.",
    "Les enfants sont allés à la rivière le matin, et quand ils sont rentrés à la maison, "
    "leur mère était assise à la table avec une tasse de thé.",
    "Die Kinder gingen am Morgen zum Fluss, und als sie nach Hause kamen, "
    "saß ihre Mutter mit einer Tasse Tee am Tisch.",
    "I bambini sono andati al fiume la mattina, e quando sono tornati a casa, "
    "la madre era seduta al tavolo con una tazza di tè.",
    "Los niños fueron al río por la mañana, y cuando volvieron a casa, "
    "su madre estaba sentada a la mesa con una taza de té.",
    "Утром дети пошли на реку, а когда они вернулись домой, мать сидела за столом с чашкой чая.",
    "הילדים הלכו בבוקר אל הנהר, וכאשר חזרו הביתה ישבה אמם ליד השולחן עם כוס תה.",
)


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
    answers = zip(texts, _bits(scorer, texts), strict=True)
    read = [(text, found) for text, found in answers if found is not None]
    if not read:  # no text of thirty words fits in; that says nothing of its weights
        return ""
    if not all(math.isfinite(found) for _, found in read):
        return "its surprisals are not finite"
    best, bits = min(read, key=lambda each: each[1] / sum(map(len, each[0])))
    first_word, *other_words = best
    orders = [
        (first_word, *shuffled(generator(n, "sanity"), other_words)) for n in range(N_SHUFFLES)
    ]
    mixed = [found for found in _bits(scorer, orders) if found is not None]
    if len(mixed) < N_SHUFFLES:  # in another order its words make more subwords
        return ""
    if bits < statistics.fmean(mixed) - DEVIATIONS * statistics.stdev(mixed):
        return ""
    return (
        f"a text surprises it as much as its words in any order "
        f"({bits:.0f} bits, shuffled {statistics.fmean(mixed):.0f}): "
        "untrained, or its conversion is broken"
    )


def _bits(scorer: Scorer, texts: Sequence[tuple[str, ...]]) -> list[float | None]:
    """Return the surprisal of each text after its first word, which some models cannot score; None
    of a text that is too long for the model."""
    queries = [
        Query(_stretch(scorer.unit, words[:1]), (_stretch(scorer.unit, words[1:], lead=" "),))
        for words in texts
    ]
    answers = [score.continuations[0] for score in scorer.score(queries)]
    return [None if answer.refused else sum(answer.bits) for answer in answers]


def _stretch(unit: str, words: tuple[str, ...], lead: str = "") -> Stretch:
    return words if unit == "words" else lead + " ".join(words)
