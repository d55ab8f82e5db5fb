"""The value of a noun that does not carry the feature itself, from the words that hang on it.

Wolof nouns show their class only on their determiners, French names their gender only on the
article. What is taken from there is looked up for counting; the FEATS of the sentence stay as the
treebank has them, and an original names the words that told.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from colorless_green.miner.arcs import Found, Instance
from colorless_green.miner.features import value_of, with_value
from colorless_green.miner.patterns.pattern import matches
from colorless_green.miner.surface import Merging, Surface, surface_of
from colorless_green.miner.tree import Sentence

NOUNS = frozenset({"NOUN", "PROPN"})


class Told(NamedTuple):
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
) -> dict[int, Told]:
    """The nouns and names without a feature whose dependents of these relations carry it, all with
    one value: 0-based word → what is told of it. `det` stands for its subtypes, too; of columns of
    one sentence, `heads` 0-based.

    >>> upos, feats = ("DET", "PROPN"), ("Gender=Fem", "_")
    >>> value_from_dependents(upos, feats, (1, -1), ("det", "root"), "Gender", frozenset({"det"}))
    {1: Told(value='Fem', by=0)}
    """
    told: dict[int, list[Told]] = {}
    for index, head in enumerate(heads):
        if (
            head >= 0
            and upos[head] in NOUNS
            and matches(deprels[index], relations)
            and value_of(feats[head], feature) is None
            and (value := value_of(feats[index], feature)) is not None
        ):
            told.setdefault(head, []).append(Told(value, index))
    return {noun: own[0] for noun, own in told.items() if len({each.value for each in own}) == 1}


Find = Callable[[Sentence], tuple[Surface, Found]]
CIRCULAR = "value-from"  # why instances are left out, beside the names of filters


def with_values(
    find: Find, features: Sequence[str], relations: frozenset[str], merging: Merging
) -> Find:
    """What finds the instances of a sentence as `find` does, as if its nouns carried what
    `value_from_dependents` finds. Two words one of which has its value from the other agree with
    nothing, and are left out."""

    def found_in(sentence: Sentence) -> tuple[Surface, Found]:
        told = tellers(sentence, features, relations)
        if not told:
            return find(sentence)
        feats = list(sentence.feats)
        for (feature, noun), word in told.items():
            value = value_of(sentence.feats[word], feature)
            assert value is not None
            feats[noun] = with_value(feats[noun], feature, value)
        _, found = find(replace(sentence, feats=tuple(feats)))
        surface = surface_of(sentence, merging)  # FEATS as the treebank has them
        ends = [tellers_of(surface, instance, told) for instance in found.instances]
        circular = [
            bool(told_by) and not told_by.isdisjoint(nodes_of(surface, instance))
            for told_by, instance in zip(ends, found.instances, strict=True)
        ]
        found.left_out = [*found.left_out, *[CIRCULAR] * sum(circular)]
        found.instances = [
            each for each, drop in zip(found.instances, circular, strict=True) if not drop
        ]
        return surface, found

    return found_in


def tellers(
    sentence: Sentence, features: Sequence[str], relations: frozenset[str]
) -> dict[tuple[str, int], int]:
    """(feature, noun) → the word that tells the noun's value."""
    columns = sentence.upos, sentence.feats, sentence.heads, sentence.deprels
    return {
        (feature, noun): told.by
        for feature in features
        for noun, told in value_from_dependents(*columns, feature, relations).items()
    }


def nodes_of(surface: Surface, instance: Instance) -> tuple[int, ...]:
    """Cue and target as words of the sentence; nothing for a ghost, which is none."""
    if instance.arc.ghost >= 0:
        return ()
    words = surface.first_words or range(len(surface))
    return words[instance.arc.cue], words[instance.arc.target]


def tellers_of(
    surface: Surface, instance: Instance, told: Mapping[tuple[str, int], int]
) -> frozenset[int]:
    """The words that tell the value of a cue or target without it, of those in `told`."""
    features = (instance.cue_feature, instance.target_feature)
    ends = zip(features, nodes_of(surface, instance), strict=False)
    return frozenset(told[end] for end in ends if end in told)
