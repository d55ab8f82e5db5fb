"""Sentences of a small grammar in which a verb agrees with a noun some words before it."""

import random
from collections.abc import Sequence

from colorless_green.data.seeds import choose, generator
from colorless_green.scoring import Line, TrainingText, split_lines

NOUNS = ("author", "pilot", "farmer", "manager", "teacher", "guard", "dancer", "lawyer")
THINGS = ("table", "house", "garden", "river", "village", "school", "tower", "field")
VERBS = ("laugh", "smile", "swim", "run", "sleep", "wait", "leave", "speak")
FRIENDLY = ("admire", "like", "see", "know", "help", "follow")
NEAR = ("near", "behind", "beside", "above", "from")


def subject(rng: random.Random, plural: bool) -> list[str]:
    """Return a noun phrase; with a modifier in four cases of five, whose nouns have any number."""
    words = ["the", choose(rng, NOUNS) + "s" * plural]
    kind = rng.random()
    if kind < 0.5:
        words += [choose(rng, NEAR), "the", choose(rng, THINGS) + "s" * (rng.random() < 0.5)]
    if kind < 0.2:
        words += [choose(rng, NEAR), "the", choose(rng, THINGS) + "s" * (rng.random() < 0.5)]
    elif kind >= 0.8:
        others = rng.random() < 0.5
        words += ["that", "the", choose(rng, NOUNS) + "s" * others]
        words += [choose(rng, FRIENDLY) + "s" * (not others)]
    return words


def sentence(rng: random.Random) -> Line:
    """Return a subject and a verb, with a capital and a full stop."""
    plural = rng.random() < 0.5
    words = [*subject(rng, plural), choose(rng, VERBS) + "s" * (not plural), "."]
    words[0] = words[0].capitalize()
    return Line(tuple(words), " ".join(words[:-1]) + ".")


def text(n: int, seed: int = 0) -> TrainingText:
    """`n` sentences, split."""
    rng = generator(seed, "text")
    return split_lines([sentence(rng) for _ in range(n)], "test")


def pairs(n: int) -> Sequence[tuple[tuple[str, ...], str, str]]:
    """(words before the verb, the form that agrees, the other), three or more words between."""
    rng = generator(1, "pairs")
    found: list[tuple[tuple[str, ...], str, str]] = []
    while len(found) < n:
        plural, verb = rng.random() < 0.5, choose(rng, VERBS)
        words = subject(rng, plural)
        if len(words) >= 5:
            right, wrong = verb + "s" * (not plural), verb + "s" * plural
            found.append(((words[0].capitalize(), *words[1:]), right, wrong))
    return found
