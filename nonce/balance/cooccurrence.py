"""What nouns of each value are seen with, and what speaks against another value of a noun.

*a*, *each* and *many* carry no Number, but stand with one value alone; *between* and *one of* ask
for plurals; a count noun in the singular asks for a determiner. None of it is a list: a treebank
shows it. Nor can a group of words that agree have another value where it holds a numeral, a name,
a pronoun bound by the noun, or a verb that marks several arguments.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING, TypeAlias

from colorless_green.miner.features import conflict, loosened, parse_feats, value_of
from colorless_green.miner.significance import upper_tail
from colorless_green.miner.view import AUXILIARY, TreeView
from colorless_green.nonce.balance.concord import NOMINAL, ConcordGroup, Words

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
    bare: Mapping[Bareness, Sequence[int]]  # with "" as lemma: all; (without determiner, all)
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
        value = max(seen, key=lambda candidate: seen[candidate])
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
        counts = self.endings.get((determiner, upos, loosened(feats, self.feature)), {})
        n = sum(counts.values())
        if n < MANY:
            return list(forms)
        return [form for form in forms if counts.get(form[-1:].lower(), 0) >= RARE * n]


def cooccurrence_of(sentences: Iterable[Words], feature: str) -> Cooccurrence:
    """What every noun that carries the feature is seen with."""
    values: Counter[str] = Counter()
    neighbours: dict[Neighbour, Counter[str]] = {}
    bare: dict[Bareness, list[int]] = {}
    endings: dict[tuple[str, str, str], Counter[str]] = {}
    indefinite: Counter[str] = Counter()
    for words in sentences:
        view = TreeView(words)
        for index, upos in enumerate(view.upos):
            value = view.value(index, feature) if upos in NOMINAL else None
            if value is None:
                continue
            values[value] += 1
            below = view.children[index]
            for neighbour in neighbours_of(view, index, below, feature):
                neighbours.setdefault(neighbour, Counter())[value] += 1
            if any(is_indefinite(view.feats[child]) for child in below):
                indefinite[value] += 1
            if upos == "NOUN" and is_argument(view, index):
                has_adposition = bool(view.dependents(index, "case"))
                is_bare = not has_determiner(view, below)
                for lemma in ("", view.lemmas[index]):
                    cell = bare.setdefault((lemma, value, has_adposition), [0, 0])
                    cell[0] += is_bare
                    cell[1] += 1
            first = determiner_of(view, below)
            determiner = view.forms[first].lower() if first >= 0 else ""
            for adjective in view.dependents(index, "amod"):
                if view.value(adjective, feature) is not None:
                    key = (
                        determiner,
                        view.upos[adjective],
                        loosened(view.feats[adjective], feature),
                    )
                    endings.setdefault(key, Counter())[view.forms[adjective][-1:].lower()] += 1
    return Cooccurrence(feature, values, neighbours, bare, indefinite, endings)


def is_indefinite(feats: str) -> bool:
    """Whether FEATS are those of an indefinite article."""
    return value_of(feats, "Definite") == "Ind" and value_of(feats, "PronType") == "Art"


def neighbours_of(
    view: TreeView, index: int, below: Sequence[int], feature: str
) -> list[Neighbour]:
    """The words around a noun that may ask for a value of the feature: what attends it (Hebrew
    *rabim* "many" has a singular, which means "great"), what an `nmod` hangs on, and its own phrase
    where it is bare. A coordinated noun has none above it, nor adpositions: *between the man and
    the woman*."""
    is_single = not view.dependents(index, "conj")
    attending = view.dependents(index, *ATTENDANTS)
    untold = [word for word in attending if view.value(word, feature) is None]
    neighbours = [
        (BELOW, view.forms[word].lower())
        for word in untold
        if is_single or view.relations[word] != "case"
    ]
    neighbours += [(LEMMA, view.lemmas[word].lower()) for word in attending if word not in untold]
    head = view.heads[index]
    if view.relations[index] == "nmod" and head >= 0 and is_single:
        neighbours.append((ABOVE, view.lemmas[head].lower()))
    cases = view.dependents(index, "case")
    if cases and view.upos[index] == "NOUN" and not has_determiner(view, below):
        neighbours.append((PHRASE, f"{view.forms[cases[0]].lower()} {view.lemmas[index]}"))
    return neighbours


def is_argument(view: TreeView, index: int) -> bool:
    """Whether a noun stands where it would have a determiner if it needs one: titles, lists, names
    and first parts of compounds do not."""
    return view.relations[index] in ARGUMENTS


def has_determiner(view: TreeView, below: Iterable[int]) -> bool:
    """Whether a noun has a determiner, a numeral or a possessor in its place."""
    return any(
        view.relations[child] in DETERMINERS
        or view.deprels[child] in ("nmod:poss", "det:poss")
        or view.upos[child] == "DET"
        or view.feature(child, "Poss") == "Yes"
        for child in below
    )


def determiner_of(view: TreeView, below: Iterable[int]) -> int:
    """A noun's first determiner; −1 if it has none."""
    return next((child for child in below if view.upos[child] == "DET"), -1)


def obstacles(
    view: TreeView, group: ConcordGroup, node: int, value: str, forms: "Inflection", target: int
) -> Iterator[str]:
    """Reasons why the group cannot have another value, the first of which is enough."""
    members = frozenset(group.members)
    is_relative = "Rel" in view.feature(node, "PronType").split(",")
    if is_relative and node not in group.controllers:
        yield f"stands for another word: {view.forms[node]}"
    is_head = view.upos[node] in NOMINAL | {"PRON"} or is_argument(view, node)
    if group.members == (node,) and not is_head:
        is_finite = view.feature(node, "VerbForm") == "Fin"
        if node in group.idle or not is_finite:
            yield f"agrees with nothing: {view.forms[node]}"
    for index in group.members:
        types = view.feature(index, "PronType").split(",")
        if index != target and view.upos[index] == "DET" and {"Tot", "Ind"} & set(types):
            yield f"tells how many: {view.forms[index]}"  # *todos los libros*, *todo el libro*
        if index in group.untold and index not in group.controllers and index != target:
            yield f"has a subject that tells nothing: {view.forms[index]}"
    for controller, agreeing, kind in group.loose:
        if (controller in members) != (agreeing in members):
            pair = [
                value if word in members else view.value(word, forms.feature) or ""
                for word in (controller, agreeing)
            ]
            if not forms.concord.allows(kind, pair[0], pair[1]):
                yield f"may have to follow: {view.forms[controller]}, {view.forms[agreeing]}"
    for index in group.members:
        if view.upos[index] in NOMINAL or index == node:
            yield from _around(view, view.children[index], index, value, forms)
            current = view.value(index, forms.feature)
            for auxiliary in view.dependents(index, *AUXILIARY):  # *das waren schöne Tage*
                if auxiliary not in members and view.value(auxiliary, forms.feature) == current:
                    yield f"may have to follow: {view.forms[index]}, {view.forms[auxiliary]}"
        yield from _marked(view, index, forms.feature, target)
    yield from _bound_pronouns(view, members, node, forms.feature, target)


def _around(
    view: TreeView, below: Sequence[int], index: int, value: str, forms: "Inflection"
) -> Iterator[str]:
    """What a noun's neighbours have against another value."""
    form, relation, feats = view.forms[index], view.relations[index], parse_feats(view.feats[index])
    if view.upos[index] == "PRON" and feats.get("Gender") == "Neut":
        yield f"may stand for no noun: {form}"  # *it rains*
    is_construct = relation == "compound" and index > view.heads[index]  # Hebrew *pkidey ha-gviya*
    if relation in INSIDE and not is_construct:
        yield f"{INSIDE[relation]}: {form}"
    if view.lemmas[index].lower() in forms.quantities and view.upos[index] == "NOUN":
        yield f"is a quantity: {form}"
    if _is_name(view, index, below):
        yield f"is part of a name: {form}"
    for child in below:
        if view.relations[child] in FIXING and (
            view.relations[child] != "appos" or view.value(child, forms.feature)
        ):
            yield f"{FIXING[view.relations[child]]}: {form}"
    for place, word in neighbours_of(view, index, below, forms.feature):
        bound = forms.cooccurrence.bound_to(place, word)
        if bound not in (None, value):
            yield f"asks for {bound}: {word}"
        if place == ABOVE and word in forms.quantities:
            yield f"is what there is a quantity of: {form}"
    if view.upos[index] == "NOUN" and is_argument(view, index) and not has_determiner(view, below):
        has_adposition = bool(view.dependents(index, "case"))
        if not forms.cooccurrence.may_be_bare(view.lemmas[index], value, has_adposition):
            yield f"needs a determiner: {form}"


def _is_name(view: TreeView, index: int, below: Sequence[int]) -> bool:
    """Whether a noun is written with the capital of a name (*the Andaman Islands*), or is followed
    by the name of the one it means (*il romanziere Melville*)."""
    if view.upos[index] != "NOUN":
        return False
    form, lemma = view.forms[index], view.lemmas[index]
    if index > 0 and form[:1].isupper() and form[1:].islower() and lemma[:1].islower():
        return True
    heads = {view.heads[node] for node in range(len(view)) if view.relations[node] == "case"}
    return any(
        child > index and view.upos[child] == "PROPN" and view.relations[child] in NAMING
        for child in below
        if child not in heads
    )


def _marked(view: TreeView, index: int, feature: str, target: int) -> Iterator[str]:
    """Verbs that mark several arguments, and nouns that mark their possessor, under layers of the
    feature: which of them is meant is not told here, so none but the target may."""
    head = view.heads[index]
    if head < 0 or view.upos[index] not in NOMINAL | {"PRON"}:
        return
    for word in (head, *view.dependents(head, *AUXILIARY)):
        if word not in (target, index) and f"{feature}[" in view.feats[word]:
            yield f"is marked on: {view.forms[word]}"


def _bound_pronouns(
    view: TreeView, members: frozenset[int], node: int, feature: str, target: int
) -> Iterator[str]:
    """Reciprocals and reflexives of the third person anywhere, and after the noun, up to the
    target, third persons that may stand for it."""
    end = target if target >= 0 else len(view)
    for index in range(len(view)):
        if index in members or view.upos[index] not in ("PRON", "DET"):
            continue
        entries = parse_feats(view.feats[index])
        if entries.get("PronType") == "Rcp":
            yield f"is reciprocal: {view.forms[index]}"
        value = entries.get(f"{feature}[psor]") or entries.get(feature)
        if (
            entries.get("PronType") != "Prs"
            or value != view.value(node, feature)
            or entries.get("Person", "3") != "3"
            or conflict(view.feats[index], view.feats[node])
        ):
            continue
        if entries.get("Reflex") == "Yes":
            yield f"is reflexive: {view.forms[index]}"
        elif "Person" in entries and node < index < end:
            path = (index, *view.ancestors(index))  # up to the noun: *the back of her neck*
            clauses = (word == node or view.deprels[word] == "acl:relcl" for word in path)
            if next(compress(path, clauses), -1) != node:  # or a clause about it
                yield f"may stand for the noun: {view.forms[index]}"
