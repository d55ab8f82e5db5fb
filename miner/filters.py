"""Instances that say nothing about agreement, left out by name and counted.

A treebank's exceptions are seldom the grammar's: a coordinated subject takes a plural verb though
its first conjunct is singular (33 to 100 % agreement instead of about 98 %), *a number of people
are* agrees with what stands below the head, a typo has the annotation of the word that was meant.
Filters about subjects look at arcs that begin at a subject and paths that begin at a subject or an
object; the others at all. "Nominal" takes in numbers and words that no class fits.
"""

from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from colorless_green.data.errors import InputError
from colorless_green.data.registry import named
from colorless_green.miner.columns import Block, Bools, Ints

if TYPE_CHECKING:
    from colorless_green.miner.instances import Found, Search

SUBJECT = frozenset({"nsubj", "csubj"})
ARGUMENT = frozenset({"nsubj", "csubj", "obj", "iobj"})  # what a verb may agree with along a path
CLAUSAL = frozenset({"csubj", "nsubj:outer", "csubj:outer"})
PARALLEL = frozenset({"appos", "list", "flat", "compound", "parataxis", "dislocated", "nsubj"})
NOMINAL = frozenset({"NOUN", "PROPN", "PRON", "NUM", "SYM", "X"})
NOUNS = frozenset({"NOUN", "PROPN", "PRON"})
MODIFIERS = frozenset({"amod", "det"})
NUMERALS = frozenset({"nummod", "det:numgov", "det:nummod"})
SEMITIC = frozenset({"am", "ar", "he", "mt"})
GENDERLESS = frozenset({"hi", "ur"})  # no pronoun tells gender
COLLECTIVE = frozenset({"Coll"})

Test: TypeAlias = Callable[[Block, "Found", str], Bools]
"""(block, instances, language without its region) → which of the instances are left out."""


def _predicate(block: Block, found: "Found") -> Ints:
    """What the subject hangs on: where an instance begins at a subject, there is one."""
    return block.heads[found.controller]


def _is_noun_of(kind: str, language: str, block: Block, words: Ints) -> Bools:
    """Whether the lemmas are on a language's list of nouns."""
    wanted = nouns(kind, language)
    if not wanted:
        return np.zeros(len(words), bool)
    return np.array([block.lemma(word).lower() in wanted for word in words], bool)


def has_conjunct(block: Block, found: "Found", language: str) -> Bools:
    """One of the two is a noun that is coordinated: its number is not that of the whole; or, where
    it is Number that is compared, one of several modifiers, which may each be singular beside a
    plural or a singular noun (*первый и второй классы*, *класс*)."""
    several = block.has_child(frozenset({"conj"}))
    modifiers = _either(found, block.has_relation(MODIFIERS) & several)
    return _either(found, block.has_upos(NOUNS) & several) | (found.number & modifiers)


def has_numeral(block: Block, found: "Found", language: str) -> Bools:
    """One of the two is a noun with a numeral, which may govern its form (*pięć kobiet* + Sing)."""
    return _either(found, block.has_upos(NOUNS) & block.has_child(NUMERALS))


def is_quantity(block: Block, found: "Found", language: str) -> Bools:
    """The subject is a number or a noun of quantity (*a lot of*)."""
    numeral = block.has_upos(frozenset({"NUM", "SYM"}))
    return numeral[found.controller] | _is_noun_of("quantity", language, block, found.controller)


def is_collective(block: Block, found: "Found", language: str) -> Bools:
    """The subject is a noun of one form and many members (*police*), by FEATS or by a list."""
    collective = block.has_feats({"Number": COLLECTIVE})[found.controller]
    return collective | _is_noun_of("collective", language, block, found.controller)


def has_expletive(block: Block, found: "Found", language: str) -> Bools:
    """The predicate has an expletive beside the subject (*there are reasons*)."""
    return block.has_child(frozenset({"expl"}))[_predicate(block, found)]


def is_clausal(block: Block, found: "Found", language: str) -> Bools:
    """The subject is a clause, or that of an outer clause, or there is such a one beside it."""
    own = block.has_relation(CLAUSAL)[found.controller]
    return own | block.has_child(CLAUSAL)[_predicate(block, found)]


def is_imperative(block: Block, found: "Found", language: str) -> Bools:
    """The verb is an imperative of the second person, whose subject is who is spoken to."""
    wanted = {"Mood": frozenset({"Imp"}), "Person": frozenset({"2"})}
    nouns = block.has_upos(frozenset({"NOUN", "PROPN"}))[found.controller]
    return nouns & block.has_feats(wanted)[found.agreeing]


def is_genderless(block: Block, found: "Found", language: str) -> Bools:
    """Gender is compared, and the subject is a pronoun that has none of its own: of the first
    person, of the second but in Semitic, any in Hindi and Urdu. Its annotation is the verb's."""
    persons = frozenset({"1"} if language in SEMITIC else {"1", "2"})
    pronouns = block.has_upos(frozenset({"PRON"}))
    if language not in GENDERLESS:
        pronouns = pronouns & block.has_feats({"Person": persons})
    return found.gender & pronouns[found.controller]


def has_typo(block: Block, found: "Found", language: str) -> Bools:
    """One of the two is misspelt: FEATS are those of the word that was meant."""
    return _either(found, block.has_feats({"Typo": frozenset({"Yes"})}))


def is_foreign(block: Block, found: "Found", language: str) -> Bools:
    """One of the two is of another language."""
    return _either(found, block.has_feats({"Foreign": frozenset({"Yes"})}))


def is_repaired(block: Block, found: "Found", language: str) -> Bools:
    """One of the two stands in a stretch that the speaker took back."""
    taken_back = block.has_relation(frozenset({"reparandum"}))
    if not taken_back.any():
        return np.zeros(len(found), bool)
    return _either(found, block.above(np.arange(len(block)), lambda _, at: taken_back[at]))


def is_split(block: Block, found: "Found", language: str) -> Bools:
    """One of the two is a piece of a word written apart, or has such a piece."""
    wanted = frozenset({"goeswith"})
    return _either(found, block.has_relation(wanted) | block.has_child(wanted))


def is_ambiguous(block: Block, found: "Found", language: str) -> Bools:
    """One of the two has several values at once (`Number=Plur,Sing`)."""
    return found.ambiguous


def is_parallel(block: Block, found: "Found", language: str) -> Bools:
    """Two coordinated words of any kind, which share a value where they share what they agree with;
    two nominals side by side (*Mr Jones, the owner*) or one said of the other (*the cars are a
    problem*), which may have one number but need not."""
    arcs = (found.ghost < 0) & (found.pattern < 0)
    coordinated = block.are_relations(found.deprels, frozenset({"conj"}))
    side_by_side = block.are_relations(found.deprels, PARALLEL)
    nominal = block.are_upos(found.upos, NOMINAL) & block.has_upos(NOMINAL)[found.agreeing]
    return arcs & (coordinated | (side_by_side & nominal))


def _either(found: "Found", words: Bools) -> Bools:
    """Whether one of the two is among some words; of a ghost the other counts."""
    return words[found.agreeing] | ((found.ghost < 0) & words[found.controller])


def _of_subject(block: Block, found: "Found") -> Bools:
    """Whether an instance begins at a subject, or, along a path, at another argument. Where the
    agreeing word stands below the controller (a noun and its relative clause), the controller's
    own relation is no matter of the two."""
    path = found.pattern >= 0
    relations = block.deprels[found.controller]
    subject = np.where(
        path,
        block.are_relations(relations, ARGUMENT),
        block.are_relations(relations, SUBJECT),
    )
    rows = np.flatnonzero(path & subject)
    controller = found.controller[rows]
    subject[rows] = ~block.above(found.agreeing[rows], lambda row, at: at == controller[row])
    return subject


OF_SUBJECTS: Mapping[str, Test] = {
    "quantities": is_quantity,
    "collectives": is_collective,
    "expletives": has_expletive,
    "clauses": is_clausal,
    "imperatives": is_imperative,
    "genderless": is_genderless,
}
OF_ALL: Mapping[str, Test] = {
    "conjuncts": has_conjunct,
    "numerals": has_numeral,
    "typo": has_typo,
    "foreign": is_foreign,
    "reparandum": is_repaired,
    "goeswith": is_split,
    "ambiguous": is_ambiguous,
    "parallels": is_parallel,
}
FILTERS = {**OF_SUBJECTS, **OF_ALL}
ALL, NONE = "all", "none"


def filters_named(names: tuple[str, ...]) -> tuple[str, ...]:
    """The filters of `--filter NAME …` in the order of the table; `all` and `none` stand alone.
    Raises `InputError` for an unknown name."""
    if names == (ALL,):
        return tuple(FILTERS)
    if names == (NONE,):
        return ()
    for name in names:
        if name in (ALL, NONE):
            raise InputError(
                "--filter", f"{name!r} beside other names", f"{name} alone", kind="conflict"
            )
        named({**FILTERS, ALL: None, NONE: None}, name, "--filter")
    return tuple(name for name in FILTERS if name in names)


def left_out_by(block: Block, found: "Found", search: "Search") -> Ints:
    """For each instance the number of the first filter of the search that leaves it out, or −1."""
    reasons = np.full(len(found), -1)
    filters = search.selection.filters
    if not filters or not len(found):
        return reasons
    language = search.language.partition("-")[0]
    of_subject = _of_subject(block, found)
    for number, name in enumerate(filters):
        rows = np.flatnonzero((reasons < 0) & (of_subject if name in OF_SUBJECTS else True))
        hit = FILTERS[name](block, found.where(rows), language)
        reasons[rows[hit]] = number
    return reasons


@cache
def nouns(kind: str, language: str) -> frozenset[str]:
    """Lemmas of quantity or collective nouns of a language, from `nouns.toml`."""
    import tomllib

    text = (files("colorless_green.miner") / "nouns.toml").read_text(encoding="utf-8")
    table: dict[str, dict[str, list[str]]] = tomllib.loads(text)
    return frozenset(table[kind].get(language, ()))
