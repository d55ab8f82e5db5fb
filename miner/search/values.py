"""The value of a noun that does not carry the feature itself, from the words that depend on it.

Wolof nouns show their class only on their determiners, French names their gender only on the
article. What is taken from there counts for the search; the FEATS of the sentence stay as the
treebank has them, and an original names the words that reveal the value.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...data.items.features import value_of, with_value
from ...data.items.tree import Sentence
from .patterns.pattern import matches

NOUNS = frozenset({"NOUN", "PROPN"})
CIRCULAR = "value-from"  # why instances are left out, beside the names of filters


def value_words(
    sentence: Sentence, features: Sequence[str], relations: frozenset[str]
) -> dict[tuple[str, int], int]:
    """Return (feature, noun) → the first dependent that carries the feature, for nouns without it
    whose dependents of these relations all have one value."""
    words: dict[tuple[str, int], int] = {}
    for feature in features:
        by_noun: dict[int, list[tuple[str, int]]] = {}
        for word, head in enumerate(sentence.heads):
            if (
                head >= 0
                and sentence.upos[head] in NOUNS
                and matches(sentence.deprels[word], relations)
                and value_of(sentence.feats[head], feature) is None
                and (value := value_of(sentence.feats[word], feature)) is not None
            ):
                by_noun.setdefault(head, []).append((value, word))
        for noun, found in by_noun.items():
            if len({value for value, _ in found}) == 1:
                words[feature, noun] = found[0][1]
    return words


def with_dependent_values(sentence: Sentence, sources: Mapping[tuple[str, int], int]) -> Sentence:
    """Return the sentence as if its nouns carried the values of these dependents."""
    feats = list(sentence.feats)
    for (feature, noun), word in sources.items():
        value = value_of(sentence.feats[word], feature)
        assert value is not None
        feats[noun] = with_value(feats[noun], feature, value)
    return replace(sentence, feats=tuple(feats))
