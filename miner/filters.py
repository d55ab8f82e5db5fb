"""Instances that say nothing about agreement, left out by name and counted.

A treebank's exceptions are seldom the grammar's: a coordinated subject takes a plural verb though
its first conjunct is singular (33 to 100 % agreement instead of about 98 %), *a number of people
are* agrees with what stands below the head, a typo has the annotation of the word that was meant.
Filters about subjects look at arcs that begin at a subject and paths that begin at a subject or an
object; the others at all.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TypeAlias

from colorless_green.data.errors import InputError
from colorless_green.data.registry import named
from colorless_green.miner.arcs import Instance
from colorless_green.miner.features import value_of
from colorless_green.miner.patterns.match import Children
from colorless_green.miner.patterns.pattern import matches
from colorless_green.miner.surface import Surface

SUBJECT = frozenset({"nsubj", "csubj"})
ARGUMENT = frozenset({"nsubj", "csubj", "obj", "iobj"})  # what a verb may agree with along a path
CLAUSAL = frozenset({"csubj", "nsubj:outer", "csubj:outer"})
PARALLEL = frozenset(
    {"conj", "appos", "list", "flat", "compound", "parataxis", "dislocated", "nsubj"}
)
NOMINAL = frozenset({"NOUN", "PROPN", "PRON", "NUM", "SYM", "X"})
COLLECTIVE = frozenset({"Coll"})


@dataclass(frozen=True, slots=True)
class Place:
    """An instance in its sentence, as filters look at it."""

    surface: Surface
    children: Children
    instance: Instance
    language: str  # BCP-47, without region

    @property
    def controller(self) -> int:
        """The subject, where the instance begins at one."""
        return self.instance.arc.dependent

    @property
    def predicate(self) -> int:
        """What the subject hangs on."""
        return self.surface.heads[self.controller]

    def below(self, index: int) -> list[str]:
        """The relations of a word's dependents."""
        return [self.surface.deprels[child] for child in self.children[index]]


Test: TypeAlias = Callable[[Place], bool]


def has_conjunct(place: Place) -> bool:
    """The subject is coordinated."""
    return any(matches(each, frozenset({"conj"})) for each in place.below(place.controller))


def is_quantity(place: Place) -> bool:
    """The subject is a number, a noun of quantity (*a lot of*), or governed by a numeral."""
    surface, index = place.surface, place.controller
    governed = ("nummod:gov", "det:numgov")
    return (
        surface.upos[index] in ("NUM", "SYM")
        or any(each in governed for each in place.below(index))
        or surface.lemmas[index].lower() in nouns("quantity", place.language)
    )


def is_collective(place: Place) -> bool:
    """The subject is a noun of one form and many members (*police*), by FEATS or by a list."""
    surface, index = place.surface, place.controller
    return value_of(surface.feats[index], "Number") in COLLECTIVE or surface.lemmas[
        index
    ].lower() in nouns("collective", place.language)


def has_expletive(place: Place) -> bool:
    """The predicate has an expletive beside the subject (*there are reasons*)."""
    return any(matches(each, frozenset({"expl"})) for each in place.below(place.predicate))


def is_clausal(place: Place) -> bool:
    """The subject is a clause, or that of an outer clause, or there is such a one beside it."""
    surface = place.surface
    relations = [surface.deprels[place.controller], *place.below(place.predicate)]
    return any(matches(each, CLAUSAL) for each in relations)


def has_typo(place: Place) -> bool:
    """One of the two is misspelt: FEATS are those of the word that was meant."""
    return _either(place, "Typo")


def is_foreign(place: Place) -> bool:
    """One of the two is of another language."""
    return _either(place, "Foreign")


def is_repaired(place: Place) -> bool:
    """One of the two stands in a stretch that the speaker took back."""
    return any(_within(place, index, "reparandum") for index in _ends(place))


def is_split(place: Place) -> bool:
    """One of the two is a piece of a word written apart, or has such a piece."""
    for index in _ends(place):
        if place.surface.deprels[index] == "goeswith" or "goeswith" in place.below(index):
            return True
    return False


def is_ambiguous(place: Place) -> bool:
    """One of the two has several values at once (`Number=Plur,Sing`)."""
    return "," in place.instance.cue_value or "," in place.instance.target_value


def is_parallel(place: Place) -> bool:
    """Two nominals side by side (*the man and the cars*, *Mr Jones, the owner*) or one said of the
    other (*the cars are a problem*), which may have one number but need not."""
    arc = place.instance.arc
    pair = (place.surface.upos[arc.dependent], place.surface.upos[arc.head])
    return (
        arc.ghost < 0
        and not place.instance.pattern
        and matches(place.surface.deprels[arc.dependent], PARALLEL)
        and NOMINAL.issuperset(pair)
    )


def _ends(place: Place) -> tuple[int, ...]:
    arc = place.instance.arc
    return (arc.head,) if arc.ghost >= 0 else (arc.dependent, arc.head)


def _either(place: Place, feature: str) -> bool:
    return any(value_of(place.surface.feats[index], feature) == "Yes" for index in _ends(place))


def _leads_down(place: Place) -> bool:
    """Whether the agreeing word stands below the controller, whose own relation is then no matter
    of the two (a noun and its relative clause)."""
    index = place.instance.arc.head
    for _ in range(len(place.surface)):
        if index < 0 or place.instance.arc.ghost >= 0:
            return False
        above = place.surface.heads[index]
        if above == place.controller:
            return True
        if above == index:
            return False
        index = above
    return False


def _within(place: Place, index: int, relation: str) -> bool:
    """Whether a word or one above it has a relation."""
    for _ in range(len(place.surface)):
        if matches(place.surface.deprels[index], frozenset({relation})):
            return True
        head = place.surface.heads[index]
        if head < 0 or head == index:
            return False
        index = head
    return False


OF_SUBJECTS: Mapping[str, Test] = {
    "conjuncts": has_conjunct,
    "quantities": is_quantity,
    "collectives": is_collective,
    "expletives": has_expletive,
    "clauses": is_clausal,
}
OF_ALL: Mapping[str, Test] = {
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


def filtered_by(place: Place, filters: tuple[str, ...]) -> str:
    """The first filter that leaves an instance out, or nothing."""
    arguments = ARGUMENT if place.instance.pattern else SUBJECT
    of_subject = matches(place.surface.deprels[place.controller], arguments) and not _leads_down(
        place
    )
    for name in filters:
        test = OF_ALL.get(name) or (OF_SUBJECTS[name] if of_subject else None)
        if test is not None and test(place):
            return name
    return ""


@cache
def nouns(kind: str, language: str) -> frozenset[str]:
    """Lemmas of quantity or collective nouns of a language, from `nouns.toml`."""
    import tomllib

    text = (files("colorless_green.miner") / "nouns.toml").read_text(encoding="utf-8")
    table: dict[str, dict[str, list[str]]] = tomllib.loads(text)
    return frozenset(table[kind].get(language, ()))
