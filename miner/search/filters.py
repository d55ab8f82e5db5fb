"""Filters: each leaves out and counts instances (pairs of words) that say nothing about agreement.

Most exceptions to agreement in a treebank are not exceptions in the grammar: a coordinated subject
takes a plural verb although its first conjunct is singular (33 to 100 % agreement instead of about
98 %), *a number of people are* agrees with a word below the head, a typo has the annotation of the
word that was meant. Filters about subjects apply to dependencies of a subject and to paths from a
subject or an object; the others apply to all instances. "Nominal" includes numbers and UPOS X.

The *controller* is the word that has the feature by itself (a noun), the *agreeing* word the other.
"""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple
from unicodedata import combining

import numpy as np

from ...data.arrays import Integers, Truths
from ...data.errors import InputError
from ...data.registry import look_up
from .pattern import ABSENT
from .token_columns import Block, InstanceColumns

SUBJECT = ("nsubj", "csubj")
ARGUMENT = (*SUBJECT, "obj", "iobj")  # what a verb may agree with along a path
CLAUSAL = ("csubj", "nsubj:outer", "csubj:outer")
PARALLEL = ("appos", "list", "flat", "compound", "parataxis", "dislocated", "nsubj")
NUMERALS, MODIFIERS = ("nummod", "det:numgov", "det:nummod"), ("amod", "det")
NOUNS, NOMINAL = ("NOUN", "PROPN", "PRON"), ("NOUN", "PROPN", "PRON", "NUM", "SYM", "X")
SEMITIC = frozenset({"am", "ar", "he", "mt"})
HINDI_URDU = frozenset({"hi", "ur"})
BARE_VERBS = frozenset({"ar", "fa", "ka", "tr"})  # plurals of things may have a singular verb
LONG_A = ("ā", "ा", "ا", "ہ")  # endings of lemmas, in Latin, Devanagari and Arabic script


@dataclass(frozen=True, slots=True)
class Candidates:
    """The instances of a block of sentences that a filter judges.

    Methods return columns with one entry per instance.
    """

    block: Block
    instances: InstanceColumns
    language: str  # without its region

    @property
    def controller(self) -> Integers:
        """The controller of each instance."""
        return self.instances.controller

    @property
    def agreeing(self) -> Integers:
        """The agreeing word of each instance."""
        return self.instances.agreeing

    @property
    def predicate(self) -> Integers:
        """The head of each controller; every instance of a subject has one."""
        return self.block.heads[self.controller]

    def either(self, words: Truths) -> Truths:
        """Tell whether one of an instance's two words is marked in `words` (a truth value for each
        word of the block); a ghost does not count."""
        return words[self.agreeing] | ((self.instances.ghost < 0) & words[self.controller])

    def compare(self, feature: str) -> Truths:
        """Tell whether an instance compares this feature or a layer of it (`Number[psor]`)."""
        compared: Truths = np.char.startswith(self.instances.feature, feature)
        return compared

    def listed(self, kind: str, words: Integers) -> Truths:
        """Tell which of these words have a lemma on the language's list of nouns of a kind."""
        lemmas = nouns(kind, self.language)
        if not lemmas:
            return np.zeros(len(words), bool)
        listed = [_without_vowel_signs(self.block.lemma(word)) in lemmas for word in words]
        return np.array(listed, bool)


def _without_vowel_signs(lemma: str) -> str:
    """Return a lemma in lower case without the vowel signs of Arabic, which word lists omit."""
    return "".join(character for character in lemma if not combining(character)).lower()


def has_conjunct(pairs: Candidates) -> Truths:
    """Find where one of the two words is a coordinated noun, whose number is not that of the whole
    coordination; or where Number is compared and one of them is a coordinated modifier, which may
    be singular beside a plural or a singular noun (*первый и второй классы*, *класс*)."""
    block = pairs.block
    coordinated = block.has_child("conj")
    modifiers = pairs.either(block.has_relation(*MODIFIERS) & coordinated)
    return pairs.either(block.has_upos(*NOUNS) & coordinated) | (
        pairs.compare("Number") & modifiers
    )


def is_quantity(pairs: Candidates) -> Truths:
    """Find where the subject is a number or a noun of quantity (*a lot of*)."""
    numbers = pairs.block.has_upos("NUM", "SYM")[pairs.controller]
    return numbers | pairs.listed("quantity", pairs.controller)


def is_collective(pairs: Candidates) -> Truths:
    """Find where the subject is a noun of one form and many members (*police*), by FEATS or by
    a list."""
    collective = pairs.block.has_feats(Number={"Coll"})[pairs.controller]
    return collective | pairs.listed("collective", pairs.controller)


def is_clausal(pairs: Candidates) -> Truths:
    """Find where the subject is a clause or the subject of an outer clause, or where the predicate
    has such a subject besides."""
    clausal = pairs.block.has_relation(*CLAUSAL)[pairs.controller]
    return clausal | pairs.block.has_child(*CLAUSAL)[pairs.predicate]


def is_imperative(pairs: Candidates) -> Truths:
    """Find where the subject is a noun or name and the verb an imperative of the second person: its
    real subject is the person addressed."""
    is_name = pairs.block.has_upos("NOUN", "PROPN")[pairs.controller]
    return is_name & pairs.block.has_feats(Mood={"Imp"}, Person={"2"})[pairs.agreeing]


def is_genderless(pairs: Candidates) -> Truths:
    """Find where Gender is compared, and the subject is a pronoun without a gender of its own, so
    that it is annotated with the verb's: pronouns of the first person, of the second except in
    Semitic, all in Hindi and Urdu."""
    persons = {"1"} if pairs.language in SEMITIC else {"1", "2"}
    pronouns = pairs.block.has_upos("PRON")
    if pairs.language not in HINDI_URDU:
        pronouns = pronouns & pairs.block.has_feats(Person=persons)
    return pairs.compare("Gender") & pronouns[pairs.controller]


def is_thing(pairs: Candidates) -> Truths:
    """Find where Number is compared, and the subject is a plural not known to mean people: in
    Arabic, Georgian, Persian and Turkish its verb may be singular (*kitaplar geldi*, the books
    came). Animacy tells (for a relative pronoun, that of its antecedent), or a list of nouns."""
    block, controller = pairs.block, pairs.controller
    plural = pairs.compare("Number") & block.has_feats(Number={"Plur"})[controller]
    plural &= pairs.instances.forward
    relative = block.has_feats(PronType={"Rel"})[controller]
    antecedent = np.where(relative, block.heads[pairs.predicate], controller)
    inanimate = plural & block.has_feats(Animacy={"Inan"})[antecedent]
    if not nouns("people", pairs.language):
        return inanimate
    rows = np.flatnonzero(plural & block.has_upos("NOUN")[controller])
    inanimate[rows] |= ~pairs.listed("people", controller[rows])
    return inanimate


def is_unmarked(pairs: Candidates) -> Truths:
    """Find where Number is compared, and one of the two words is a noun with the same form in
    singular and plural, so that its annotation is uncertain: in Hindi and Urdu a noun in the direct
    case that is neither feminine nor ends in -ā (*ghar*, house or houses)."""
    words = pairs.block.has_upos("NOUN") & pairs.block.has_feats(
        Case={"Nom"}, Gender={"Masc", ABSENT}
    )
    for word in np.flatnonzero(words):
        words[word] = not pairs.block.lemma(int(word)).endswith(LONG_A)
    return pairs.compare("Number") & pairs.either(words)


def is_honorific(pairs: Candidates) -> Truths:
    """Find where Number or Person is compared, and the verb is a plural of respect for one person,
    which is annotated as either number (Hindi and Urdu *pitā āe haĩ*, father has come)."""
    polite = pairs.block.has_feats(Polite={"Form"})[pairs.agreeing]
    return (pairs.compare("Number") | pairs.compare("Person")) & polite


def is_personless(pairs: Candidates) -> Truths:
    """Find where Person is compared, and the verb's form does not show it: in Hindi and Urdu only
    singulars of the present, the future and the subjunctive do; participles, the past and the
    plural (*ham haĩ*, we are, *ve haĩ*, they are) do not."""
    is_present = pairs.block.has_feats(Tense={"Pres", "Fut"}, Number={"Sing"})
    is_subjunctive = pairs.block.has_feats(Mood={"Sub"}, Number={"Sing"})
    return pairs.compare("Person") & ~(is_present | is_subjunctive)[pairs.agreeing]


def is_of_genitive(pairs: Candidates) -> Truths:
    """Find where Case is compared, and a genitive between an adjective and its noun depends on one
    of them: the adjective may belong to the genitive, and its ending in Georgian does not show this
    (*axali pormebis šekmna*, creation of new forms)."""
    block, instances = pairs.block, pairs.instances
    is_unclear = np.zeros(len(instances), bool)
    genitives = np.flatnonzero(block.has_upos(*NOUNS) & block.has_feats(Case={"Gen"}))
    modifiers = block.are_relations(instances.deprels, *MODIFIERS) & pairs.compare("Case")
    for row in np.flatnonzero(modifiers & instances.forward):
        first, last = pairs.controller[row], pairs.agreeing[row]
        genitives_between = genitives[(genitives > first) & (genitives < last)]
        is_unclear[row] = np.isin(block.heads[genitives_between], (first, last)).any()
    return is_unclear


def has_own_subject(pairs: Candidates) -> Truths:
    """Find where the verb of a clause that depends on a noun has a subject of its own, with
    which it agrees (*the day when the rules change*); for a relative pronoun see `antecedent-
    verb`."""
    block, instances = pairs.block, pairs.instances
    verbs = block.has_upos("VERB", "AUX") & block.has_child(*SUBJECT)
    clause = block.are_relations(instances.deprels, "acl") & (instances.pattern < 0)
    return clause & verbs[pairs.controller] & block.has_upos(*NOUNS)[pairs.agreeing]


def is_repaired(pairs: Candidates) -> Truths:
    """Find where one of the two words is in a part of the sentence that the speaker took back."""
    block, reparandum = pairs.block, pairs.block.has_relation("reparandum")
    if not reparandum.any():  # in nearly all blocks of written text
        return np.zeros(len(pairs.instances), bool)
    words = np.arange(len(block))
    return pairs.either(block.self_or_ancestor_is(words, lambda _, places: reparandum[places]))


def is_parallel(pairs: Candidates) -> Truths:
    """Find where the two words are coordinated, so that they have one value only if they agree with
    the same word; or are two nominals side by side (*Mr Jones, the owner*) or one as the predicate
    of the other (*the cars are a problem*), which may have the same number but need not."""
    block, instances = pairs.block, pairs.instances
    are_arcs = (instances.ghost < 0) & (instances.pattern < 0)
    coordinated = block.are_relations(instances.deprels, "conj")
    side_by_side = block.are_relations(instances.deprels, *PARALLEL)
    nominal = block.are_upos(instances.upos, *NOMINAL) & block.has_upos(*NOMINAL)[pairs.agreeing]
    return are_arcs & (coordinated | (side_by_side & nominal))


def has_numeral(pairs: Candidates) -> Truths:
    """Find where one of the two words is a noun with a numeral, which may govern its form (*pięć
    kobiet* + Sing)."""
    return pairs.either(pairs.block.has_upos(*NOUNS) & pairs.block.has_child(*NUMERALS))


def has_expletive(pairs: Candidates) -> Truths:
    """Find where the predicate has an expletive beside the subject (*there are reasons*)."""
    return pairs.block.has_child("expl")[pairs.predicate]


def has_typo(pairs: Candidates) -> Truths:
    """Find where one of the two words is misspelt (`Typo=Yes`, or `CorrectForm` in MISC): its FEATS
    are those of the word that was meant."""
    typos = pairs.block.has_feats(Typo={"Yes"})
    typos[pairs.block.misspelt] = True
    return pairs.either(typos)


def is_foreign(pairs: Candidates) -> Truths:
    """Find where one of the two words is of another language."""
    return pairs.either(pairs.block.has_feats(Foreign={"Yes"}))


def is_split(pairs: Candidates) -> Truths:
    """Find where one of the two words is a piece of a word written apart, or has such a piece."""
    return pairs.either(pairs.block.has_relation("goeswith") | pairs.block.has_child("goeswith"))


def is_ambiguous(pairs: Candidates) -> Truths:
    """Find where one of the two words has several values at once (`Number=Plur,Sing`)."""
    return pairs.instances.ambiguous


def _have_subject(block: Block, instances: InstanceColumns) -> Truths:
    """Tell which instances have a subject as controller (the word that has the feature by itself).

    Along a path of dependencies, any argument of a verb counts as a subject; but a controller above
    the agreeing word (a noun with its relative clause) does not, whatever its own relation.
    """
    is_path = instances.pattern >= 0
    is_argument, is_subject = (
        block.has_relation(*relations)[instances.controller] for relations in (ARGUMENT, SUBJECT)
    )
    have_subject = np.where(is_path, is_argument, is_subject)
    rows = np.flatnonzero(is_path & have_subject)
    controller = instances.controller[rows]
    have_subject[rows] = ~block.self_or_ancestor_is(
        instances.agreeing[rows], lambda walkers, places: places == controller[walkers]
    )
    return have_subject


class Filter(NamedTuple):
    """A filter: a condition, and the instances to which it is applied."""

    condition: Callable[[Candidates], Truths]  # its docstring appears in the list of filters
    of_subjects: bool = False  # apply it only to instances with a subject as controller
    languages: frozenset[str] = frozenset()  # empty: all


FILTERS: Mapping[str, Filter] = {
    "conjuncts": Filter(has_conjunct),
    "numerals": Filter(has_numeral),
    "quantities": Filter(is_quantity, of_subjects=True),
    "collectives": Filter(is_collective, of_subjects=True),
    "expletives": Filter(has_expletive, of_subjects=True),
    "clauses": Filter(is_clausal, of_subjects=True),
    "imperatives": Filter(is_imperative, of_subjects=True),
    "genderless": Filter(is_genderless, of_subjects=True),
    "things": Filter(is_thing, of_subjects=True, languages=BARE_VERBS),
    "unmarked-plurals": Filter(is_unmarked, languages=HINDI_URDU),
    "honorifics": Filter(is_honorific, of_subjects=True, languages=HINDI_URDU),
    "personless": Filter(is_personless, of_subjects=True, languages=HINDI_URDU),
    "genitives": Filter(is_of_genitive, languages=frozenset({"ka"})),
    "own-subjects": Filter(has_own_subject),
    "typo": Filter(has_typo),
    "foreign": Filter(is_foreign),
    "reparandum": Filter(is_repaired),
    "goeswith": Filter(is_split),
    "ambiguous": Filter(is_ambiguous),
    "parallels": Filter(is_parallel),
}
"""All filters, in the order of application: an instance is counted under the first that fits it.

The rule `tested` applies all of them unless the setting `filters` names others. So a new filter
changes the minings of its languages."""
ALL, NONE = "all", "none"


def filters_named(names: tuple[str, ...]) -> tuple[str, ...]:
    """Check the names of filters and return them in the order of `FILTERS`; `all` gives every name,
    `none` none.

    Raises `InputError` for an unknown name, and for `all` or `none` beside other names.
    """
    if names == (ALL,):
        return tuple(FILTERS)
    if names == (NONE,):
        return ()
    for name in names:
        if name in (ALL, NONE):
            wrong = f"{name!r} together with other names"
            raise InputError("filters", wrong, f"{name} alone", kind="conflict")
        choices: dict[str, Any] = {**FILTERS, ALL: None, NONE: None}
        look_up(choices, name, "filters")
    return tuple(name for name in FILTERS if name in names)


def left_out_by(
    block: Block, instances: InstanceColumns, filters: Sequence[str], language: str
) -> Integers:
    """Return, for each instance, the index in `filters` of the first filter that leaves it out; −1
    if none does."""
    filter_indices = np.full(len(instances), -1)
    if not filters or not len(instances):
        return filter_indices
    language = language.partition("-")[0]
    have_subject = _have_subject(block, instances)
    for number, name in enumerate(filters):
        entry = FILTERS[name]
        if entry.languages and language not in entry.languages:
            continue
        is_judged = filter_indices < 0
        if entry.of_subjects:
            is_judged &= have_subject
        rows = np.flatnonzero(is_judged)
        is_hit = entry.condition(Candidates(block, instances.where(rows), language))
        filter_indices[rows[is_hit]] = number
    return filter_indices


@cache
def nouns(kind: str, language: str) -> frozenset[str]:
    """Return a language's lemmas of one kind of nouns (`quantity`, `collective` or `people`) from
    `nouns.toml`; an empty set if the language has no such list."""
    text = (files(__package__) / "nouns.toml").read_text(encoding="utf-8")
    table: dict[str, dict[str, list[str]]] = tomllib.loads(text)
    return frozenset(table[kind].get(language, ()))
