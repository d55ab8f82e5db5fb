"""What is counted of the clauses of a treebank: nouns, what stands between subject and target,
predicates, what stands before a subject."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple, TypeAlias

from ...data.items.features import parse_feats
from ...miner.treebank.paradigms import MISSING, Analysis

LOCAL = frozenset(
    {"Abl", "Ade", "All", "Del", "Ela", "Ill", "Ine", "Loc", "Sbl", "Sub", "Sup"}
)  # cases that no verb agrees with and no noun governs
CONTROLLING = ("", "Nom", "Abs", "Erg")  # of subjects

NUMBERS = ("Sing", "Plur")
OPEN_TAGS = ("NOUN", "VERB", "ADJ")
CLOSED_TAGS = ("ADP", "ADV", "AUX", "CCONJ", "DET", "NUM", "PART", "PRON", "SCONJ")
CLOSED = ("auxiliary", "copula")  # kinds of targets that are no predicates themselves


class Cell(NamedTuple):
    """The cell of a noun's or a predicate's form; "" for what the word does not carry."""

    number: str
    case: str = ""
    definite: str = ""
    gender: str = ""
    animacy: str = ""


Cells: TypeAlias = dict[Cell, Counter[str]]
"""Cell → the forms seen there"""


class NounPosition(NamedTuple):
    """A place of a clause that a noun can stand in: its function word, on which side, its case."""

    kind: str  # "subject", "nmod" (after its head), "obl" (between subject and target)
    adposition: str  # lemma; "" for a bare case
    postposed: bool  # whether the adposition follows its noun
    case: str

    @property
    def marking(self) -> str:
        """Return what marks a noun in this place: its adposition or its case."""
        return self.adposition or self.case

    @property
    def name(self) -> str:
        """Return the name of a modifier in this place: `nmod:of`, `obl:Ine`."""
        return f"{self.kind}:{self.marking}"


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
    feature: str = ""  # that agrees
    part: str = ""  # the singular, of words with several paradigms in one

    @property
    def entries(self) -> Mapping[str, str]:
        """Return the FEATS as a mapping."""
        return parse_feats(self.feats or "_")

    def feats_with(self, entry: str) -> str:
        """Return the FEATS of its form that has an entry too."""
        return "|".join(sorted(filter(None, (self.feats, entry))))


class PredicateWord(NamedTuple):
    """A predicate before its auxiliary or copula."""

    upos: str
    lemma: str
    form: str
    has_number: bool


class PositionCounts:
    """The nouns seen in a place."""

    def __init__(self) -> None:
        self.heads = Counter[str]()
        self.nouns: set[str] = set()
        self.numbers = Counter[str]()
        self.definite = Counter[str]()  # Definite of the noun
        self.uses = Counter[str]()
        """uses with an "article", with no other determiner ("plain"), "single" (singular and not
        coordinated), between a "subject" and its target"""


class TreebankCounts:
    """Counts over a treebank. A `Counter[str]` without a word more counts uses by what is so of
    them: `frames["see"]["object"]` are the uses of *see* with an object."""

    def __init__(self) -> None:
        self.analyses = Counter[Analysis]()
        # nouns: their forms, and the places that they stand in
        self.nouns: dict[str, Cells] = {}
        self.genders: defaultdict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
        """noun → (gender, animacy)"""
        self.positions: defaultdict[NounPosition, PositionCounts] = defaultdict(PositionCounts)
        self.fronts: defaultdict[NounPosition, Counter[str]] = defaultdict(Counter)
        self.front_nouns: defaultdict[NounPosition, set[str]] = defaultdict(set)
        self.object_cases = Counter[str]()
        self.dependent_cases = Counter[str]()  # of bare nouns below verbs that are no subjects
        self.adverbials = Counter[str]()
        """nouns whose bare subject's or object's case tells a time or measure: *týden*"""
        # function words: each form with the word after it, and what is written as one
        self.articles: defaultdict[tuple[str, str, str], Counter[tuple[str, str]]] = defaultdict(
            Counter
        )
        """(number, gender, case) of the noun → (form, next word)"""
        self.adpositions: defaultdict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
        self.pairs: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        """two function words in a row → how they are written: as one, or "" as two"""
        self.attached: defaultdict[str, Counter[bool]] = defaultdict(Counter)
        """function word → written as one with the word after it"""
        # predicates: their forms, and what they stand with
        self.predicates: dict[Predicate, Cells] = {}
        self.agreement: defaultdict[Kind, Counter[bool]] = defaultdict(Counter)
        self.frames: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.auxiliaries: defaultdict[tuple[str, bool], Counter[str]] = defaultdict(Counter)
        """(lemma of auxiliary or copula, whether it is passive) → what verbs with it have"""
        self.predicates_of: defaultdict[
            Predicate, Counter[tuple[PredicateWord, str, bool, bool]]
        ] = defaultdict(Counter)
        """auxiliary or copula → a predicate with it, the value of the two, whether the predicate
        stands right before it, and whether it has no object or complement"""
        self.predicate_order = Counter[tuple[str, bool]]()
        """(kind of target, whether the predicate stands before it)"""
        self.bare = Counter[tuple[str, bool]]()
        """(FEATS of a predicate adjective less what agrees, without copula)"""
        # order, and what stands before a subject
        self.object_order = Counter[bool]()  # before its verb, after it
        self.final: defaultdict[bool, Counter[bool]] = defaultdict(Counter)
        """clause with a subordinator, or without → whether its target ends it"""
        self.subordinators = Counter[str]()  # of clauses that a target ends
        self.pronouns: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.relatives: defaultdict[str, Counter[str]] = defaultdict(Counter)
        """relative word that is an object → number of its antecedent, "comma" before it"""
        self.complements: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        """(verb, subordinator) → its uses"""
        self.complementisers: defaultdict[str, Counter[str]] = defaultdict(Counter)
        """subordinator of complement clauses → its uses"""
        self.complementiser_forms: defaultdict[str, Counter[tuple[str, str]]] = defaultdict(Counter)

    @cached_property
    def _by_form(self) -> dict[str, Counter[tuple[str, str, str]]]:
        """Small form → (UPOS, number, case) of its uses."""
        table: dict[str, Counter[tuple[str, str, str]]] = {}
        for (form, _, upos, feats), n in self.analyses.items():
            if upos != MISSING:
                entries = parse_feats(feats)
                use = upos, entries.get("Number", ""), case_of(entries)
                table.setdefault(form.lower(), Counter())[use] += n
        return table

    def uses(
        self, form: str, upos: str | None = None, number: str | None = None, case: str | None = None
    ) -> int:
        """Count the uses of a form, in small or capital letters, as what is asked for."""
        wanted = (upos, number, case)
        return sum(
            n
            for use, n in self._by_form.get(form.lower(), {}).items()
            if all(value in (None, own) for value, own in zip(wanted, use, strict=True))
        )

    @cached_property
    def _by_lemma(self) -> dict[str, Counter[str]]:
        """Lemma → UPOS of its uses."""
        table: dict[str, Counter[str]] = {}
        for (form, lemma, upos, _), n in self.analyses.items():
            table.setdefault(form.lower() if lemma == MISSING else lemma, Counter())[upos] += n
        return table

    def lemma_uses(self, lemma: str, *tags: str) -> int:
        """Count the uses of a lemma with these UPOS, or with any."""
        seen = self._by_lemma.get(lemma, Counter[str]())
        return sum(seen[upos] for upos in tags or seen)


def case_of(feats: Mapping[str, str]) -> str:
    """Return the case of a noun; of several the last, and none where the nominative is among them,
    which is then no case of its own (Romanian `Acc,Nom`)."""
    cases = feats.get("Case", "").split(",")
    return cases[-1] if len(cases) == 1 or "Nom" not in cases else ""
