"""What is counted of the clauses of a treebank: nouns, what stands between subject and target,
predicates."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ...miner.treebank.paradigms import Analysis

LOCAL = frozenset(
    {"Abl", "Ade", "All", "Del", "Ela", "Ill", "Ine", "Loc", "Sbl", "Sub", "Sup"}
)  # cases that no verb agrees with and no noun governs
GENITIVE = "Gen"
CONTROLLING = ("", "Nom", "Abs", "Erg")  # of subjects


class NounCell(NamedTuple):
    """What a noun's form tells beside its lemma; "" for what the word does not carry."""

    case: str
    number: str
    definite: str


class NounPosition(NamedTuple):
    """A place of a clause that a noun can stand in: its function word, on which side, its case."""

    kind: str  # "subject", "nmod" (after its head), "obl" (between subject and target)
    adposition: str  # lemma; "" for a bare case
    postposed: bool  # whether the adposition follows its noun
    case: str


class Kind(NamedTuple):
    """A kind of target, under the feature that it agrees in, with its controller's case.

    Its `repr` is part of the ids of sets (`compose.items_of`): another name makes other ids."""

    target: str  # verb, auxiliary, copula, adjective, participle
    feature: str  # "Number", "Number[abs]"
    case: str


class Predicate(NamedTuple):
    """A word in one paradigm: everything that its forms share but number, gender and animacy."""

    target: str
    upos: str
    lemma: str
    feats: str


class PredicateForm(NamedTuple):
    """One form of a predicate, with what it must share with its controller."""

    number: str
    gender: str
    animacy: str
    form: str


class PredicateWord(NamedTuple):
    """A predicate before its auxiliary or copula."""

    upos: str
    lemma: str
    form: str
    has_number: bool


@dataclass
class PositionCounts:
    """The nouns seen in a place."""

    heads: Counter[str] = field(default_factory=Counter)
    nouns: set[str] = field(default_factory=set)
    n_subjects: int = 0  # of those with it between them and their target
    numbers: Counter[str] = field(default_factory=Counter)
    definite: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(number, Definite of the noun)"""
    articles: Counter[bool] = field(default_factory=Counter)  # of nouns with no other determiner
    single: Counter[bool] = field(default_factory=Counter)  # singular and not coordinated
    order: Counter[bool] = field(default_factory=Counter)  # between subject and target, elsewhere


@dataclass
class ValencyCounts:
    """What a lemma was used with, as a verb."""

    n: int = 0
    n_object: int = 0
    n_accusative: int = 0  # uses of a verb with an object in the accusative, or without a case
    n_bound: int = 0
    n_oblique: int = 0
    n_nominal_object: int = 0
    n_complement: int = 0  # uses with a clause or an infinitive, of purpose too
    n_clause: int = 0
    n_subject: int = 0


@dataclass
class ComplementCounts:
    """What a verb was used with that has a clause of one subordinator."""

    n: int = 0
    moods: Counter[str] = field(default_factory=Counter)  # of the clause's finite word
    n_future: int = 0  # clauses in the future tense
    n_bare: int = 0  # uses without object, oblique pronoun, reflexive or demonstrative
    n_adjacent: int = 0  # with nothing but punctuation before the subordinator
    n_negated: int = 0
    n_personal: int = 0  # subjects that are nouns or persons


@dataclass
class SubordinatorCounts:
    """How a subordinator opens the clauses that are a verb's complement."""

    n: int = 0
    n_infinite: int = 0  # without a finite word that agrees
    n_comma: int = 0
    forms: Counter[tuple[str, str]] = field(default_factory=Counter)  # (form, next word)


@dataclass
class FrontCounts:
    """Main clauses that begin with a noun in one position, before subject and target."""

    n: int = 0
    n_subject_first: int = 0  # the subject before the target
    n_comma: int = 0
    nouns: Counter[str] = field(default_factory=Counter)


@dataclass
class TreebankCounts:
    """Counts over a treebank."""

    analyses: Counter[Analysis] = field(default_factory=Counter)
    nouns: dict[str, dict[NounCell, Counter[str]]] = field(default_factory=dict)
    lemmas: Counter[str] = field(default_factory=Counter)  # of nouns, verbs, adjectives
    noun_feats: dict[str, Counter[tuple[str, str]]] = field(default_factory=dict)
    positions: dict[NounPosition, PositionCounts] = field(
        default_factory=lambda: defaultdict(PositionCounts)
    )
    predicates: dict[Predicate, Counter[PredicateForm]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    agreement: dict[Kind, Counter[bool]] = field(default_factory=lambda: defaultdict(Counter))
    frames: dict[str, ValencyCounts] = field(default_factory=lambda: defaultdict(ValencyCounts))
    articles: dict[tuple[str, str, str], Counter[tuple[str, str]]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    """(number, gender, case) of the noun → (form, next word)"""
    adpositions: dict[str, Counter[tuple[str, str]]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    """lemma → (form, next word)"""
    pairs: dict[tuple[str, str], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """two function words in a row → how they are written: as one, or "" as two"""
    attached: dict[str, Counter[bool]] = field(default_factory=lambda: defaultdict(Counter))
    """function word → written as one with the word after it"""
    relatives: dict[str, Counter[tuple[str, str]]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    """relative word that is an object → (number, gender) of its antecedent"""
    relative_comma: dict[str, Counter[bool]] = field(default_factory=lambda: defaultdict(Counter))
    object_order: Counter[bool] = field(default_factory=Counter)  # before its verb, after it
    pronouns: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """form → uses as object, as subject, as first word, apart from a verb after it"""
    object_cases: Counter[str] = field(default_factory=Counter)
    dependent_cases: Counter[str] = field(default_factory=Counter)
    """case → bare nouns below verbs that are no subjects"""
    adverbials: Counter[str] = field(default_factory=Counter)
    """nouns whose bare subject's or object's case tells a time or measure: *týden*"""
    final: dict[bool, Counter[bool]] = field(default_factory=lambda: defaultdict(Counter))
    """clause with a subordinator, or without → whether its target ends it"""
    subordinators: Counter[str] = field(default_factory=Counter)  # of clauses that a target ends
    predicates_of: dict[Predicate, Counter[tuple[PredicateWord, str, bool, bool]]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    """auxiliary or copula → a predicate with it, the value of the two, whether the predicate
    stands right before it, and whether it has no object or complement"""
    auxiliaries: dict[tuple[str, bool], ValencyCounts] = field(
        default_factory=lambda: defaultdict(ValencyCounts)
    )
    """(lemma of auxiliary or copula, whether it is passive) → what verbs with it were used with"""
    predicate_order: Counter[tuple[str, bool]] = field(default_factory=Counter)
    """(kind of target, whether the predicate stands before it)"""
    complements: dict[tuple[str, str], ComplementCounts] = field(
        default_factory=lambda: defaultdict(ComplementCounts)
    )
    """(verb, subordinator) → its uses"""
    complementisers: dict[str, SubordinatorCounts] = field(
        default_factory=lambda: defaultdict(SubordinatorCounts)
    )
    """subordinator of complement clauses → its uses"""
    fronts: dict[NounPosition, FrontCounts] = field(
        default_factory=lambda: defaultdict(FrontCounts)
    )
    bare: Counter[tuple[str, bool]] = field(default_factory=Counter)
    """(FEATS of a predicate adjective less what agrees, without copula)"""


def case_of(feats: Mapping[str, str]) -> str:
    """The case of a noun; of several the last, and none where the nominative is among them, which
    is then no case of its own (Romanian `Acc,Nom`)."""
    cases = feats.get("Case", "").split(",")
    return cases[-1] if len(cases) == 1 or "Nom" not in cases else ""
