"""What nouns of each value are seen with: what tells number, or asks for it, without FEATS.

*a*, *each* and *many* carry no Number, but stand with one value alone; *between* and *one of* ask
for plurals; a count noun in the singular asks for a determiner. None of it is a list: a treebank
shows it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from colorless_green.miner.features import loosened, value_of
from colorless_green.miner.significance import upper_tail
from colorless_green.nonce.balance.concord import Words, children_of, relation

Neighbour: TypeAlias = tuple[str, str]
"""(place, word): below a noun the form of a word that does not carry the feature, or the lemma of
one that does; the lemma above it; or a bare noun with its adposition"""
Bareness: TypeAlias = tuple[str, str, bool]
"""(lemma of a noun, value, whether it has an adposition)"""

BELOW, LEMMA, ABOVE, PHRASE = "below", "lemma", "above", "phrase"
ATTENDANTS = frozenset({"det", "amod", "nummod", "case"})
DETERMINERS = frozenset({"det", "nummod"})
ARGUMENTS = frozenset({"nsubj", "obj", "iobj", "obl", "nmod"})
NOMINAL = frozenset({"NOUN", "PROPN"})

FEWEST = 5  # sightings from which a word can be bound to a value
FIXED = 3  # sightings from which a bare noun with an adposition, always of one value, is a phrase
ALWAYS = 0.9  # of its sightings: the rest are errors and coordinations
SURE = 0.001  # chance that a word indifferent to the value would be seen so one-sidedly
PRIOR = 3  # sightings that the noun's place counts for beside those of its lemma
MANY = 20  # adjectives after a determiner from which a rare ending is a wrong one
RARE = 0.05  # share of an ending up to which it is rare
ARTICLES = 0.02  # share of nouns with an indefinite article from which a value has one
ALONE = 0.25  # share of bare uses from which a noun may be bare


@dataclass(frozen=True)
class Company:
    """Counts over the nouns of a treebank that carry the feature."""

    feature: str
    values: Mapping[str, int]  # value → nouns
    neighbours: Mapping[Neighbour, Mapping[str, int]]  # word → value of its noun → sightings
    bare: Mapping[Bareness, tuple[int, int]]  # with "" as lemma: all; (without determiner, all)
    indefinite: Mapping[str, int]  # value → nouns with an indefinite article
    endings: Mapping[tuple[str, str, str], Mapping[str, int]]
    """(form of the determiner or "", POS, FEATS of an adjective) → its last letter → sightings"""

    def bound_to(self, place: str, word: str) -> str | None:
        """The value that a word without the feature asks of its noun; `None` if it asks none."""
        seen = self.neighbours.get((place, word), {})
        n = sum(seen.values())
        if place == PHRASE:  # *zu Hause*, *for example*: known by its words, not by its company
            return next(iter(seen)) if self.indefinite and n >= FIXED and len(seen) == 1 else None
        if n < FEWEST:
            return None
        value = max(seen, key=lambda each: seen[each])
        share = self.values.get(value, 0) / max(1, sum(self.values.values()))
        is_bound = seen[value] >= ALWAYS * n and upper_tail(seen[value], n, share) <= SURE
        return value if is_bound else None

    def may_be_bare(self, lemma: str, value: str, has_adposition: bool) -> bool:
        """Whether a noun may stand without a determiner. Where the value has an indefinite article,
        a bare noun is a mass or a fixed phrase, and its lemma must be seen so; elsewhere it is
        merely indefinite, and its lemma is looked at beside all nouns."""
        n_bare, n = self.bare.get((lemma, value, has_adposition), (0, 0))
        if self.indefinite.get(value, 0) >= ARTICLES * self.values.get(value, 0):
            return n_bare > 0 and n_bare >= ALONE * n
        all_bare, total = self.bare.get(("", value, has_adposition), (0, 0))
        usual = all_bare / total if total else 1.0
        return (n_bare + PRIOR * usual) / (n + PRIOR) >= ALONE

    def ending(self, determiner: str, upos: str, feats: str, forms: Iterable[str]) -> list[str]:
        """Of the forms of an adjective those with the ending that is usual after a determiner
        (German *die neuen*, but *neue*); all of them where nothing is seen."""
        known = self.endings.get((determiner, upos, loosened(feats, self.feature)), {})
        n = sum(known.values())
        if n < MANY:
            return list(forms)
        return [form for form in forms if known.get(form[-1:].lower(), 0) >= RARE * n]


def company_of(sentences: Iterable[Words], feature: str) -> Company:
    """The company of every noun that carries the feature."""
    values: Counter[str] = Counter()
    neighbours: dict[Neighbour, Counter[str]] = {}
    bare: dict[Bareness, list[int]] = {}
    endings: dict[tuple[str, str, str], Counter[str]] = {}
    indefinite: Counter[str] = Counter()
    for words in sentences:
        children = children_of(words)
        for index, upos in enumerate(words.upos):
            value = value_of(words.feats[index], feature) if upos in NOMINAL else None
            if value is None:
                continue
            values[value] += 1
            below = children[index]
            for neighbour in neighbours_of(words, index, below, feature):
                neighbours.setdefault(neighbour, Counter())[value] += 1
            if any(is_indefinite(words.feats[each]) for each in below):
                indefinite[value] += 1
            if upos == "NOUN" and is_argument(words, index):
                has_adposition = any(relation(words, each) == "case" for each in below)
                is_bare = not has_determiner(words, below)
                for lemma in ("", words.lemmas[index]):
                    cell = bare.setdefault((lemma, value, has_adposition), [0, 0])
                    cell[0] += is_bare
                    cell[1] += 1
            for key, letter in _endings(words, below, feature):
                endings.setdefault(key, Counter())[letter] += 1
    shares = {key: (n_bare, n) for key, (n_bare, n) in bare.items()}
    return Company(feature, values, neighbours, shares, indefinite, endings)


def is_indefinite(feats: str) -> bool:
    """Whether FEATS are those of an indefinite article."""
    return value_of(feats, "Definite") == "Ind" and value_of(feats, "PronType") == "Art"


def neighbours_of(words: Words, index: int, below: Iterable[int], feature: str) -> list[Neighbour]:
    """The words around a noun that may ask for a value of the feature: what attends it (Hebrew
    *rabim* "many" has a singular, which means "great"), what an `nmod` hangs on, and its own phrase
    where it is bare. A coordinated noun has none above it, nor adpositions: *between the man and
    the woman*."""
    below = list(below)
    is_single = not any(relation(words, each) == "conj" for each in below)
    found = [
        (BELOW, words.forms[each].lower())
        for each in below
        if relation(words, each) in ATTENDANTS
        and value_of(words.feats[each], feature) is None
        and (is_single or relation(words, each) != "case")
    ]
    found += [
        (LEMMA, words.lemmas[each].lower())
        for each in below
        if relation(words, each) in ATTENDANTS and value_of(words.feats[each], feature) is not None
    ]
    head = words.heads[index]
    if relation(words, index) == "nmod" and head >= 0 and is_single:
        found.append((ABOVE, words.lemmas[head].lower()))
    cases = [words.forms[each].lower() for each in below if relation(words, each) == "case"]
    if cases and words.upos[index] == "NOUN" and not has_determiner(words, below):
        found.append((PHRASE, f"{cases[0]} {words.lemmas[index]}"))
    return found


def is_argument(words: Words, index: int) -> bool:
    """Whether a noun stands where it would have a determiner if it needs one: titles, lists, names
    and first parts of compounds do not."""
    return relation(words, index) in ARGUMENTS


def has_determiner(words: Words, below: Iterable[int]) -> bool:
    """Whether a noun has a determiner, a numeral or a possessor in its place."""
    return any(
        relation(words, each) in DETERMINERS
        or words.deprels[each] in ("nmod:poss", "det:poss")
        or words.upos[each] == "DET"
        or value_of(words.feats[each], "Poss") == "Yes"
        for each in below
    )


def determiner_of(words: Words, below: Iterable[int]) -> int:
    """A noun's first determiner; −1 if it has none."""
    return next((each for each in below if words.upos[each] == "DET"), -1)


def _endings(
    words: Words, below: Iterable[int], feature: str
) -> Iterable[tuple[tuple[str, str, str], str]]:
    below = list(below)
    first = determiner_of(words, below)
    determiner = words.forms[first].lower() if first >= 0 else ""
    for each in below:
        if relation(words, each) == "amod" and value_of(words.feats[each], feature) is not None:
            key = (determiner, words.upos[each], loosened(words.feats[each], feature))
            yield key, words.forms[each][-1:].lower()
