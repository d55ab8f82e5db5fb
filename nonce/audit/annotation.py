"""Guesses at the value that take it from a single word before the target.

They need the annotation of the surface tokens (`upos`, `feats`), which suites from a `.tab` file or
of sentences alone do not have. The value is read under the name that cue or target has it under.
"""

from collections.abc import Iterator, Sequence

from colorless_green.miner.features import value_of
from colorless_green.nonce.audit.credit import share
from colorless_green.nonce.audit.elsewhere import Seen
from colorless_green.nonce.audit.pair import Pair, agreement_of, values_of

NOUNS = frozenset({"NOUN", "PROPN"})


def unannotated(pair: Pair) -> str:
    """Why no word before the target can be asked for its value; empty if it can."""
    agreement = pair.item.agreement
    if agreement is None:
        return "no facts of agreement"
    return "" if agreement.upos and agreement.feats else "no annotation of the words"


def last_noun_value(pair: Pair, _: Seen) -> float:
    """The value of the noun or name before the target that comes last: the cue if none follows."""
    return _guess(pair, [told for upos, told in _told(pair) if upos in NOUNS], -1)


def first_noun_value(pair: Pair, _: Seen) -> float:
    """The value of the first noun or name of the sentence."""
    return _guess(pair, [told for upos, told in _told(pair) if upos in NOUNS], 0)


def nearest_word_value(pair: Pair, _: Seen) -> float:
    """The value of the last word before the target that has one, whatever its part of speech."""
    return _guess(pair, [told for _, told in _told(pair)], -1)


def _told(pair: Pair) -> Iterator[tuple[str, frozenset[str]]]:
    """POS and values of each token before the target that has one of those in question (several,
    where it is annotated `Fem,Masc`)."""
    agreement = agreement_of(pair)
    names = {agreement.cue_feature or agreement.feature}
    names.add(agreement.target_feature or agreement.feature)
    end = agreement.target_index
    for upos, feats in zip(agreement.upos[:end], agreement.feats[:end], strict=True):
        told = frozenset(
            value for name in names for value in (value_of(feats, name) or "").split(",")
        ).intersection(values_of(pair))
        if told:
            yield upos, told


def _guess(pair: Pair, told: Sequence[frozenset[str]], index: int) -> float:
    """The credit of naming what `told[index]` tells; undecided where there is nothing told."""
    values = values_of(pair)
    options = told[index] if told else frozenset(values)
    return share({each: float(each in options) for each in values}, agreement_of(pair).value)
