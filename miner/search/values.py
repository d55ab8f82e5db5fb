"""The value of a noun that does not carry the feature itself, from the words that hang on it.

Wolof nouns show their class only on their determiners, French names their gender only on the
article. What is taken from there is looked up for counting; the FEATS of the sentence stay as the
treebank has them, and an original names the words that told.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ...data.items.features import value_of, with_value
from ...data.items.tree import Sentence
from .patterns.pattern import matches

NOUNS = frozenset({"NOUN", "PROPN"})
CIRCULAR = "value-from"  # why instances are left out, beside the names of filters


class DependentValue(NamedTuple):
    """What a word's dependents tell of it."""

    value: str
    by: int  # 0-based word: the first that tells it


def value_from_dependents(
    upos: Sequence[str],
    feats: Sequence[str],
    heads: Sequence[int],
    deprels: Sequence[str],
    feature: str,
    relations: frozenset[str],
) -> dict[int, DependentValue]:
    """Gives nouns and names that do not carry a feature the value of their dependents.

    Args:
        upos: POS of each word of a sentence.
        feats: FEATS of each word.
        heads: head of each word, 0-based, -1 for the root.
        deprels: relation of each word to its head.
        feature: the feature.
        relations: relations of dependents that are asked; `det` stands for its subtypes, too.

    Returns:
        0-based word → value and the dependent that tells it, for each noun whose dependents that
        carry the feature all have one value.

    >>> upos, feats = ("DET", "PROPN"), ("Gender=Fem", "_")
    >>> value_from_dependents(upos, feats, (1, -1), ("det", "root"), "Gender", frozenset({"det"}))
    {1: DependentValue(value='Fem', by=0)}
    """
    by_noun: dict[int, list[DependentValue]] = {}
    for index, head in enumerate(heads):
        if (
            head >= 0
            and upos[head] in NOUNS
            and matches(deprels[index], relations)
            and value_of(feats[head], feature) is None
            and (value := value_of(feats[index], feature)) is not None
        ):
            by_noun.setdefault(head, []).append(DependentValue(value, index))
    return {
        noun: claims[0]
        for noun, claims in by_noun.items()
        if len({claim.value for claim in claims}) == 1
    }


def value_words(
    sentence: Sentence, features: Sequence[str], relations: frozenset[str]
) -> dict[tuple[str, int], int]:
    """(feature, noun) → the word that tells the noun's value."""
    columns = sentence.upos, sentence.feats, sentence.heads, sentence.deprels
    return {
        (feature, noun): claim.by
        for feature in features
        for noun, claim in value_from_dependents(*columns, feature, relations).items()
    }


def with_dependent_values(sentence: Sentence, sources: Mapping[tuple[str, int], int]) -> Sentence:
    """The sentence as if its nouns carried what their dependents tell of them."""
    feats = list(sentence.feats)
    for (feature, noun), word in sources.items():
        value = value_of(sentence.feats[word], feature)
        assert value is not None
        feats[noun] = with_value(feats[noun], feature, value)
    return replace(sentence, feats=tuple(feats))
