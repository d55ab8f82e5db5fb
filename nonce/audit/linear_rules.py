"""Linear rules: guesses at the value of a target from the annotated words before it.

A rule sees the words in their order and knows no dependency. It returns the values that it takes
for possible; none where it finds nothing, which leaves it undecided.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from ...data.items.features import value_of
from ...data.items.item import Agreement

NOUNS = frozenset({"NOUN", "PROPN"})
NOMINALS = NOUNS | {"PRON"}
COMMAS = frozenset(",،，、")
SUBORDINATOR = "subordinator"  # fact: index of the token that holds the last one, however annotated

Values: TypeAlias = frozenset[str]


class PrefixWord(NamedTuple):
    """An annotated token before the target."""

    upos: str
    values: Values  # of those that the item may have; several where it is annotated `Fem,Masc`
    opens_clause: bool  # a subordinator, a relative word or a comma


def annotated_prefix(agreement: Agreement, facts: Mapping[str, str]) -> list[PrefixWord]:
    """Return the tokens before the target of an annotated item, with the values that they carry
    under the name that the feature has on cue or target."""
    names = {
        name or agreement.feature for name in (agreement.cue_feature, agreement.target_feature)
    }
    options = {agreement.value, *agreement.values}
    words = []
    for index in range(agreement.target_index):
        upos, feats = agreement.upos[index], agreement.feats[index]
        marked = {value for name in names for value in (value_of(feats, name) or "").split(",")}
        opens_clause = (
            "SCONJ" in upos.split("+")
            or agreement.tokens[index] in COMMAS
            or value_of(feats, "PronType") == "Rel"
            or facts.get(SUBORDINATOR) == str(index)
        )
        words.append(PrefixWord(upos, Values(marked & options), opens_clause))
    return words


def first_noun(words: Sequence[PrefixWord]) -> Values:
    """Guess by the first noun: the value of the first noun or name before the target."""
    return next(iter(_noun_values(words)), Values())


def second_noun(words: Sequence[PrefixWord]) -> Values:
    """Guess by the second noun: the value of the second noun or name before the target."""
    return next(iter(_noun_values(words)[1:]), Values())


def nearest_noun(words: Sequence[PrefixWord]) -> Values:
    """Guess by the nearest noun: the value of the last noun, name or pronoun before the target."""
    nominals = (word.values for word in reversed(words) if word.upos in NOMINALS and word.values)
    return next(nominals, Values())


def after_subordinator(words: Sequence[PrefixWord]) -> Values:
    """Guess by the noun after the last subordinator: the value of the first noun or name after the
    last subordinating conjunction, relative word or comma before the target; of the first noun
    where there is none of these."""
    openings = [index for index, word in enumerate(words) if word.opens_clause]
    return first_noun(words[openings[-1] :] if openings else words)


def vote_of_nouns(words: Sequence[PrefixWord]) -> Values:
    """Guess by the vote of all nouns: the value that most nouns and names before the target
    have."""
    votes: Counter[str] = Counter()
    for values in _noun_values(words):
        votes.update(values)
    return Values(value for value in votes if votes[value] == max(votes.values()))


def first_word(words: Sequence[PrefixWord]) -> Values:
    """Guess by the first word with the feature: the value of the first word before the target
    that has it."""
    return next((word.values for word in words if word.values), Values())


def nearest_word(words: Sequence[PrefixWord]) -> Values:
    """Guess by the nearest word with the feature: the value of the last word before the target
    that has it."""
    return first_word(words[::-1])


def _noun_values(words: Sequence[PrefixWord]) -> list[Values]:
    """Return the values of the nouns and names that carry any, in their order."""
    return [word.values for word in words if word.upos in NOUNS and word.values]
