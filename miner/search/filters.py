"""Instances that say nothing about agreement, left out by name and counted.

A treebank's exceptions are seldom the grammar's: a coordinated subject takes a plural verb though
its first conjunct is singular (33 to 100 % agreement instead of about 98 %), *a number of people
are* agrees with what stands below the head, a typo has the annotation of the word that was meant.
Filters about subjects look at arcs that begin at a subject and paths that begin at a subject or an
object; the others at all. "Nominal" takes in numbers and words that no class fits.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple, TypeAlias
from unicodedata import combining

import numpy as np

from ...data.arrays import Integers, Truths
from ...data.errors import InputError
from ...data.registry import look_up
from .token_columns import Block, InstanceColumns

SUBJECT = frozenset({"nsubj", "csubj"})
ARGUMENT = frozenset({"nsubj", "csubj", "obj", "iobj"})  # what a verb may agree with along a path
CLAUSAL = frozenset({"csubj", "nsubj:outer", "csubj:outer"})
PARALLEL = frozenset({"appos", "list", "flat", "compound", "parataxis", "dislocated", "nsubj"})
NOMINAL = frozenset({"NOUN", "PROPN", "PRON", "NUM", "SYM", "X"})
NOUNS = frozenset({"NOUN", "PROPN", "PRON"})
NUMERALS = frozenset({"nummod", "det:numgov", "det:nummod"})
VERBS, CLAUSE = frozenset({"VERB", "AUX"}), frozenset({"acl"})
MODIFIERS = frozenset({"amod", "det"})
NUMBERS = frozenset({"NUM", "SYM"})
CONJUNCT, EXPLETIVE, PIECE = frozenset({"conj"}), frozenset({"expl"}), frozenset({"goeswith"})
REPARANDUM, YES = frozenset({"reparandum"}), frozenset({"Yes"})
COLLECTIVE = frozenset({"Coll"})
SEMITIC = frozenset({"am", "ar", "he", "mt"})
NUMBER, PERSON = "Number", "Person"
COMMON = frozenset({"NOUN"})
PLURAL, INANIMATE = {NUMBER: frozenset({"Plur"})}, {"Animacy": frozenset({"Inan"})}
RELATIVE = {"PronType": frozenset({"Rel"})}
HINDI_URDU = frozenset({"hi", "ur"})
BARE_VERBS = frozenset({"ar", "fa", "ka", "tr"})  # a plural of things may have a singular verb
UNMARKED = {"Case": frozenset({"Nom"}), "Gender": frozenset({"Masc", ""})}
LONG_A = ("ā", "ा", "ا", "ہ")
POLITE = {"Polite": frozenset({"Form"})}
SINGULAR = frozenset({"Sing"})
PRESENT = {"Tense": frozenset({"Pres", "Fut"}), NUMBER: SINGULAR}
SUBJUNCTIVE = {"Mood": frozenset({"Sub"}), NUMBER: SINGULAR}
GENITIVE = {"Case": frozenset({"Gen"})}
COMMANDS = {"Mood": frozenset({"Imp"}), "Person": frozenset({"2"})}

Test: TypeAlias = Callable[[Block, InstanceColumns, str], Truths]
"""(block, instances, language without its region) → which of the instances are left out."""


def _predicate(block: Block, instances: InstanceColumns) -> Integers:
    """What the subject hangs on: where an instance begins at a subject, there is one."""
    return block.heads[instances.controller]


def _is_listed_noun(kind: str, language: str, block: Block, words: Integers) -> Truths:
    """Whether the lemmas are on a language's list of nouns."""
    listed_nouns = nouns(kind, language)
    if not listed_nouns:
        return np.zeros(len(words), bool)
    lemmas = map(block.lemma, words)
    # without the vowel signs of Arabic, which treebanks write and word lists do not
    bare = (
        "".join(character for character in lemma if not combining(character)) for lemma in lemmas
    )
    return np.array([lemma.lower() in listed_nouns for lemma in bare], bool)


def _compares(instances: InstanceColumns, name: str) -> Truths:
    """Whether it is this feature that is compared, of whatever layer."""
    compared: Truths = np.char.startswith(instances.feature, name)
    return compared


def has_conjunct(block: Block, instances: InstanceColumns, language: str) -> Truths:
    """One of the two is a noun that is coordinated: its number is not that of the whole; or, where
    it is Number that is compared, one of several modifiers, which may each be singular beside a
    plural or a singular noun (*первый и второй классы*, *класс*)."""
    coordinated = block.has_child(CONJUNCT)
    modifiers = _either(instances, block.has_relation(MODIFIERS) & coordinated)
    return _either(instances, block.has_upos(NOUNS) & coordinated) | (
        _compares(instances, NUMBER) & modifiers
    )


def has_numeral(block: Block, instances: InstanceColumns, language: str) -> Truths:
    """One of the two is a noun with a numeral, which may govern its form (*pięć kobiet* + Sing)."""
    return _either(instances, block.has_upos(NOUNS) & block.has_child(NUMERALS))


def is_quantity(block: Block, instances: InstanceColumns, language: str) -> Truths:
    """The subject is a number or a noun of quantity (*a lot of*)."""
    numeral = block.has_upos(NUMBERS)
    return numeral[instances.controller] | _is_listed_noun(
        "quantity", language, block, instances.controller
    )


def is_collective(block: Block, instances: InstanceColumns, language: str) -> Truths:
    """The subject is a noun of one form and many members (*police*), by FEATS or by a list."""
    collective = block.has_feats({"Number": COLLECTIVE})[instances.controller]
    return collective | _is_listed_noun("collective", language, block, instances.controller)


def has_expletive(block: Block, instances: InstanceColumns, language: str) -> Truths:
    """The predicate has an expletive beside the subject (*there are reasons*)."""
    return block.has_child(EXPLETIVE)[_predicate(block, instances)]


def is_thing(block: Block, instances: InstanceColumns, language: str) -> Truths:
    """Number is compared, and the subject is a plural that is not known to be of people, after
    which the verb may be singular in Arabic, Georgian, Persian and Turkish (*kitaplar geldi*, the
    books came): by Animacy, a relative pronoun by that of its antecedent, or by a list."""
    plural = (
        _compares(instances, NUMBER)
        & instances.forward
        & block.has_feats(PLURAL)[instances.controller]
    )
    relative = block.has_feats(RELATIVE)[instances.controller]
    antecedent = np.where(relative, block.heads[_predicate(block, instances)], instances.controller)
    inanimate = plural & block.has_feats(INANIMATE)[antecedent]
    if not nouns("people", language):
        return inanimate
    rows = np.flatnonzero(plural & block.has_upos(COMMON)[instances.controller])
    inanimate[rows] |= ~_is_listed_noun("people", language, block, instances.controller[rows])
    return inanimate


def is_unmarked(block: Block, instances: InstanceColumns, language: str) -> Truths:
    """Number is compared, and one of the two is a noun whose plural is like its singular, so that
    either may be annotated as one: in Hindi and Urdu a noun in the direct case that is neither
    feminine nor ends in -ā (*ghar*, house or houses)."""
    words = block.has_upos(COMMON) & block.has_feats(UNMARKED)
    for word in np.flatnonzero(words):
        words[word] = not block.lemma(int(word)).endswith(LONG_A)
    return _compares(instances, NUMBER) & _either(instances, words)


def is_honorific(block: Block, instances: InstanceColumns, language: str) -> Truths:
    """Number or Person is compared, and the verb is a plural of respect beside one person, which
    is annotated either way (Hindi and Urdu *pitā āe haĩ*, father has come)."""
    polite = block.has_feats(POLITE)[instances.agreeing]
    return (_compares(instances, NUMBER) | _compares(instances, PERSON)) & polite


def is_personless(block: Block, instances: InstanceColumns, language: str) -> Truths:
    """Person is compared, and the verb's form does not tell it: in Hindi and Urdu only singulars of
    the present, the future and the subjunctive do; participles, the past and the plural (*ham haĩ*,
    we are, *ve haĩ*, they are) do not."""
    marks_person = block.has_feats(PRESENT) | block.has_feats(SUBJUNCTIVE)
    return _compares(instances, PERSON) & ~marks_person[instances.agreeing]


def is_of_genitive(block: Block, instances: InstanceColumns, language: str) -> Truths:
    """Case is compared, and between an adjective and its noun stands a genitive that hangs on one
    of them: the adjective may belong to it, which in Georgian its ending does not tell (*axali
    pormebis šekmna*, creation of new forms)."""
    hit = np.zeros(len(instances), bool)
    genitives = np.flatnonzero(block.has_upos(NOUNS) & block.has_feats(GENITIVE))
    modifiers = block.are_relations(instances.deprels, MODIFIERS) & _compares(instances, "Case")
    for row in np.flatnonzero(modifiers & instances.forward):
        ends = instances.controller[row], instances.agreeing[row]
        genitives_between = genitives[(genitives > ends[0]) & (genitives < ends[1])]
        hit[row] = np.isin(block.heads[genitives_between], ends).any()
    return hit


def is_clausal(block: Block, instances: InstanceColumns, language: str) -> Truths:
    """The subject is a clause, or that of an outer clause, or there is such a one beside it."""
    clausal = block.has_relation(CLAUSAL)[instances.controller]
    return clausal | block.has_child(CLAUSAL)[_predicate(block, instances)]


def has_own_subject(block: Block, instances: InstanceColumns, language: str) -> Truths:
    """The verb of a clause that hangs on a noun has a subject of its own, with which it agrees
    (*the day when the rules change*); a relative pronoun is another matter (`antecedent-verb`)."""
    verbs = block.has_upos(VERBS) & block.has_child(SUBJECT)
    clause = block.are_relations(instances.deprels, CLAUSE) & (instances.pattern < 0)
    return clause & verbs[instances.controller] & block.has_upos(NOUNS)[instances.agreeing]


def is_imperative(block: Block, instances: InstanceColumns, language: str) -> Truths:
    """The verb is an imperative of the second person, whose subject is spoken to, and no noun."""
    nouns = block.has_upos(frozenset({"NOUN", "PROPN"}))[instances.controller]
    return nouns & block.has_feats(COMMANDS)[instances.agreeing]


def is_genderless(block: Block, instances: InstanceColumns, language: str) -> Truths:
    """Gender is compared, and the subject is a pronoun that has none of its own: of the first
    person, of the second but in Semitic, any in Hindi and Urdu. Its annotation is the verb's."""
    persons = frozenset({"1"} if language in SEMITIC else {"1", "2"})
    pronouns = block.has_upos(frozenset({"PRON"}))
    if language not in HINDI_URDU:
        pronouns = pronouns & block.has_feats({"Person": persons})
    return _compares(instances, "Gender") & pronouns[instances.controller]


def has_typo(block: Block, instances: InstanceColumns, language: str) -> Truths:
    """One of the two is misspelt, by `Typo=Yes` or `CorrectForm` in MISC: FEATS are those of the
    word that was meant."""
    typos = block.has_feats({"Typo": YES}).copy()
    typos[block.misspelt] = True
    return _either(instances, typos)


def is_foreign(block: Block, instances: InstanceColumns, language: str) -> Truths:
    """One of the two is of another language."""
    return _either(instances, block.has_feats({"Foreign": YES}))


def is_repaired(block: Block, instances: InstanceColumns, language: str) -> Truths:
    """One of the two stands in a stretch that the speaker took back."""
    reparandum = block.has_relation(REPARANDUM)
    if not reparandum.any():
        return np.zeros(len(instances), bool)
    return _either(instances, block.meets(np.arange(len(block)), lambda _, node: reparandum[node]))


def is_split(block: Block, instances: InstanceColumns, language: str) -> Truths:
    """One of the two is a piece of a word written apart, or has such a piece."""
    return _either(instances, block.has_relation(PIECE) | block.has_child(PIECE))


def is_ambiguous(block: Block, instances: InstanceColumns, language: str) -> Truths:
    """One of the two has several values at once (`Number=Plur,Sing`)."""
    return instances.ambiguous


def is_parallel(block: Block, instances: InstanceColumns, language: str) -> Truths:
    """Two coordinated words of any kind, which share a value where they share what they agree with;
    two nominals side by side (*Mr Jones, the owner*) or one said of the other (*the cars are a
    problem*), which may have one number but need not."""
    arcs = (instances.ghost < 0) & (instances.pattern < 0)
    coordinated = block.are_relations(instances.deprels, CONJUNCT)
    side_by_side = block.are_relations(instances.deprels, PARALLEL)
    nominal = block.are_upos(instances.upos, NOMINAL) & block.has_upos(NOMINAL)[instances.agreeing]
    return arcs & (coordinated | (side_by_side & nominal))


def _either(instances: InstanceColumns, words: Truths) -> Truths:
    """Whether one of the two is among some words; of a ghost the other counts."""
    return words[instances.agreeing] | ((instances.ghost < 0) & words[instances.controller])


def _of_subject(block: Block, instances: InstanceColumns) -> Truths:
    """Whether an instance begins at a subject, or, along a path, at another argument. Where the
    agreeing word stands below the controller (a noun and its relative clause), the controller's
    own relation is no matter of the two."""
    path = instances.pattern >= 0
    of_path, of_arc = (
        block.has_relation(relations)[instances.controller] for relations in (ARGUMENT, SUBJECT)
    )
    subject = np.where(path, of_path, of_arc)
    rows = np.flatnonzero(path & subject)
    controller = instances.controller[rows]
    subject[rows] = ~block.meets(instances.agreeing[rows], lambda n, node: node == controller[n])
    return subject


class Filter(NamedTuple):
    """A filter: its test, and of what it is asked."""

    test: Test
    of_subjects: bool = False  # about instances that begin at a subject
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
"""All filters, in the order in which they are asked: an instance counts for the first that fits.

They are not opt-in: the rule `tested` applies all of them unless `--filter` names others, so that
one more changes what it mines in every language that the filter is for."""
ALL, NONE = "all", "none"


def filters_named(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the filters of these names in the order of the table; `all` and `none` stand alone.
    Raises `InputError` for an unknown name."""
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
    """Return for each instance the number of the first filter that leaves it out, or −1."""
    reasons = np.full(len(instances), -1)
    if not filters or not len(instances):
        return reasons
    language = language.partition("-")[0]
    of_subject = _of_subject(block, instances)
    for number, name in enumerate(filters):
        criterion = FILTERS[name]
        if criterion.languages and language not in criterion.languages:
            continue
        rows = np.flatnonzero((reasons < 0) & (of_subject if criterion.of_subjects else True))
        hit = criterion.test(block, instances.where(rows), language)
        reasons[rows[hit]] = number
    return reasons


@cache
def nouns(kind: str, language: str) -> frozenset[str]:
    """Lemmas of quantity or collective nouns of a language, from `nouns.toml`."""
    import tomllib

    text = (files(__package__) / "nouns.toml").read_text(encoding="utf-8")
    table: dict[str, dict[str, list[str]]] = tomllib.loads(text)
    return frozenset(table[kind].get(language, ()))
