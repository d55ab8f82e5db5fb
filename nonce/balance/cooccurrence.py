"""What nouns of each value are seen with, and what speaks against another value of a noun.

*a*, *each* and *many* carry no Number, but stand with one value alone; *between* and *one of* ask
for plurals; a count noun in the singular asks for a determiner. None of it is a list: a treebank
shows it. Nor can a group of words that agree have another value where it holds a numeral, a name,
a pronoun bound by the noun, or a verb that marks several arguments.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from colorless_green.miner.features import conflict, loosened, parse_feats, value_of
from colorless_green.miner.significance import upper_tail
from colorless_green.miner.tree import Tree
from colorless_green.nonce.balance.concord import NOMINAL, Group, Words, children_of, relation

if TYPE_CHECKING:
    from colorless_green.nonce.balance.inflection import Inflection

Neighbour: TypeAlias = tuple[str, str]
"""(place, word): below a noun the form of a word that does not carry the feature, or the lemma of
one that does; the lemma above it; or a bare noun with its adposition"""
Bareness: TypeAlias = tuple[str, str, bool]
"""(lemma of a noun, value, whether it has an adposition)"""

BELOW, LEMMA, ABOVE, PHRASE = "below", "lemma", "above", "phrase"
ATTENDANTS = frozenset({"det", "amod", "nummod", "case"})
DETERMINERS = frozenset({"det", "nummod"})
ARGUMENTS = frozenset({"nsubj", "obj", "iobj", "obl", "nmod"})

FEWEST = 5  # sightings from which a word can be bound to a value
FIXED = 3  # sightings from which a bare noun with an adposition, always of one value, is a phrase
ALWAYS = 0.9  # of its sightings: the rest are errors and coordinations
SURE = 0.001  # chance that a word indifferent to the value would be seen so one-sidedly
PRIOR = 3  # sightings that the noun's place counts for beside those of its lemma
MANY = 20  # adjectives after a determiner from which a rare ending is a wrong one
RARE = 0.05  # share of an ending up to which it is rare
ARTICLES = 0.02  # share of nouns with an indefinite article from which a value has one
ALONE = 0.25  # share of bare uses from which a noun may be bare

FIXING = {  # relation of a dependent → what it makes of its noun
    "nummod": "has a numeral",
    "appos": "has an apposition",
    "flat": "is part of a name",
    "goeswith": "is written apart",
    "fixed": "is part of a fixed expression",
}
NAMING = frozenset({"nmod", "compound", "flat", "appos"})
INSIDE = {  # a noun's own relation → why its value is not its own
    "appos": "is an apposition",
    "compound": "is part of a compound",
    "flat": "is part of a name",
    "goeswith": "is a piece of a word",
    "fixed": "is part of a fixed expression",
    "reparandum": "was taken back",
}


@dataclass(frozen=True)
class Cooccurrence:
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
        if place == PHRASE:  # *zu Hause*, *for example*: known by its words alone
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


def cooccurrence_of(sentences: Iterable[Words], feature: str) -> Cooccurrence:
    """What every noun that carries the feature is seen with."""
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
            first = determiner_of(words, below)
            determiner = words.forms[first].lower() if first >= 0 else ""
            for each in below:
                is_told = value_of(words.feats[each], feature) is not None
                if relation(words, each) == "amod" and is_told:
                    key = (determiner, words.upos[each], loosened(words.feats[each], feature))
                    endings.setdefault(key, Counter())[words.forms[each][-1:].lower()] += 1
    shares = {key: (n_bare, n) for key, (n_bare, n) in bare.items()}
    return Cooccurrence(feature, values, neighbours, shares, indefinite, endings)


def is_indefinite(feats: str) -> bool:
    """Whether FEATS are those of an indefinite article."""
    return value_of(feats, "Definite") == "Ind" and value_of(feats, "PronType") == "Art"


def neighbours_of(words: Words, index: int, below: Sequence[int], feature: str) -> list[Neighbour]:
    """The words around a noun that may ask for a value of the feature: what attends it (Hebrew
    *rabim* "many" has a singular, which means "great"), what an `nmod` hangs on, and its own phrase
    where it is bare. A coordinated noun has none above it, nor adpositions: *between the man and
    the woman*."""
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


def obstacles(
    tree: Tree, group: Group, node: int, value: str, forms: "Inflection", target: int
) -> Iterator[str]:
    """Reasons why the group cannot have another value, the first of which is enough."""
    children = children_of(tree)
    members = frozenset(group.members)
    is_relative = "Rel" in (value_of(tree.feats[node], "PronType") or "").split(",")
    if is_relative and node not in group.controllers:
        yield f"stands for another word: {tree.forms[node]}"
    is_head = tree.upos[node] in NOMINAL | {"PRON"} or is_argument(tree, node)
    if group.members == (node,) and not is_head:
        is_finite = value_of(tree.feats[node], "VerbForm") == "Fin"
        if node in group.idle or not is_finite:
            yield f"agrees with nothing: {tree.forms[node]}"
    for index in group.members:
        types = (value_of(tree.feats[index], "PronType") or "").split(",")
        if index != target and tree.upos[index] == "DET" and {"Tot", "Ind"} & set(types):
            yield f"tells how many: {tree.forms[index]}"  # *todos los libros*, *todo el libro*
        if index in group.untold and index not in group.controllers and index != target:
            yield f"has a subject that tells nothing: {tree.forms[index]}"
    for controller, agreeing, kind in group.loose:
        if (controller in members) != (agreeing in members):
            pair = [
                value if each in members else value_of(tree.feats[each], forms.feature) or ""
                for each in (controller, agreeing)
            ]
            if not forms.concord.allows(kind, pair[0], pair[1]):
                yield f"may have to follow: {tree.forms[controller]}, {tree.forms[agreeing]}"
    for index in group.members:
        if tree.upos[index] in NOMINAL or index == node:
            yield from _around(tree, children[index], index, value, forms)
            yield from _uncoupled(tree, children[index], index, members, forms.feature)
        yield from _marked(tree, children, index, forms.feature, target)
    yield from _bound_pronouns(tree, members, node, forms.feature, target)


def _around(
    tree: Tree, below: Sequence[int], index: int, value: str, forms: "Inflection"
) -> Iterator[str]:
    """What a noun's neighbours have against another value."""
    form, own, feats = tree.forms[index], relation(tree, index), parse_feats(tree.feats[index])
    if tree.upos[index] == "PRON" and feats.get("Gender") == "Neut":
        yield f"may stand for no noun: {form}"  # *it rains*
    is_construct = own == "compound" and index > tree.heads[index]  # Hebrew *pkidey ha-gviya*
    if own in INSIDE and not is_construct:
        yield f"{INSIDE[own]}: {form}"
    if tree.lemmas[index].lower() in forms.quantities and tree.upos[index] == "NOUN":
        yield f"is a quantity: {form}"
    if _is_name(tree, index, below):
        yield f"is part of a name: {form}"
    for each in below:
        if relation(tree, each) in FIXING and (
            relation(tree, each) != "appos" or value_of(tree.feats[each], forms.feature)
        ):
            yield f"{FIXING[relation(tree, each)]}: {form}"
    for place, word in neighbours_of(tree, index, below, forms.feature):
        bound = forms.cooccurrence.bound_to(place, word)
        if bound not in (None, value):
            yield f"asks for {bound}: {word}"
        if place == ABOVE and word in forms.quantities:
            yield f"is what there is a quantity of: {form}"
    if tree.upos[index] == "NOUN" and is_argument(tree, index) and not has_determiner(tree, below):
        has_adposition = any(relation(tree, each) == "case" for each in below)
        if not forms.cooccurrence.may_be_bare(tree.lemmas[index], value, has_adposition):
            yield f"needs a determiner: {form}"


def _is_name(tree: Tree, index: int, below: Sequence[int]) -> bool:
    """Whether a noun is written with the capital of a name (*the Andaman Islands*), or is followed
    by the name of the one it means (*il romanziere Melville*)."""
    if tree.upos[index] != "NOUN":
        return False
    form, lemma = tree.forms[index], tree.lemmas[index]
    if index > 0 and form[:1].isupper() and form[1:].islower() and lemma[:1].islower():
        return True
    heads = {tree.heads[each] for each in range(len(tree)) if relation(tree, each) == "case"}
    return any(
        each > index and tree.upos[each] == "PROPN" and relation(tree, each) in NAMING
        for each in below
        if each not in heads
    )


def _uncoupled(
    tree: Tree, below: Sequence[int], index: int, members: frozenset[int], feature: str
) -> Iterator[str]:
    """A predicate noun's copula or auxiliary that has its value, but not because of a subject (*das
    waren schöne Tage*)."""
    value = value_of(tree.feats[index], feature)
    for each in below:
        is_helper = relation(tree, each) in ("cop", "aux")
        if is_helper and each not in members and value_of(tree.feats[each], feature) == value:
            yield f"may have to follow: {tree.forms[index]}, {tree.forms[each]}"


def _marked(
    tree: Tree, children: Sequence[Sequence[int]], index: int, feature: str, target: int
) -> Iterator[str]:
    """Verbs that mark several arguments, and nouns that mark their possessor, under layers of the
    feature: which of them is meant is not told here, so none but the target may."""
    head = tree.heads[index]
    if head < 0 or tree.upos[index] not in NOMINAL | {"PRON"}:
        return
    for each in (head, *children[head]):
        if each in (target, index) or (each != head and relation(tree, each) not in ("aux", "cop")):
            continue
        if f"{feature}[" in tree.feats[each]:
            yield f"is marked on: {tree.forms[each]}"


def _bound_pronouns(
    tree: Tree, members: frozenset[int], node: int, feature: str, target: int
) -> Iterator[str]:
    """Reciprocals and reflexives of the third person anywhere, and after the noun, up to the
    target, third persons that may stand for it."""
    end = target if target >= 0 else len(tree)
    for index in range(len(tree)):
        if index in members or tree.upos[index] not in ("PRON", "DET"):
            continue
        entries = parse_feats(tree.feats[index])
        if entries.get("PronType") == "Rcp":
            yield f"is reciprocal: {tree.forms[index]}"
        told = entries.get(f"{feature}[psor]") or entries.get(feature)
        if (
            entries.get("PronType") != "Prs"
            or told != value_of(tree.feats[node], feature)
            or entries.get("Person", "3") != "3"
            or conflict(tree.feats[index], tree.feats[node])
        ):
            continue
        if entries.get("Reflex") == "Yes":
            yield f"is reflexive: {tree.forms[index]}"
        elif "Person" in entries and node < index < end and not _is_inside(tree, index, node):
            yield f"may stand for the noun: {tree.forms[index]}"


def _is_inside(tree: Tree, index: int, node: int) -> bool:
    """Whether a word stands below a noun, not in a clause about it: *the back of her neck*."""
    for _ in range(len(tree)):
        if index == node:
            return True
        if index < 0 or tree.deprels[index] == "acl:relcl":
            return False
        index = tree.heads[index]
    return False
