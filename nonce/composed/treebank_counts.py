"""The counts of a treebank that composed sets are based on: nouns and their positions, function
words, predicates, word order, and what precedes a subject."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple, TypeAlias

from ...data.items.features import parse_feats
from ...data.items.tree import Sentence
from ...miner.treebank.paradigms import MISSING, Analysis

LOCAL = frozenset(
    {"Abl", "Ade", "All", "Del", "Ela", "Ill", "Ine", "Loc", "Sbl", "Sub", "Sup"}
)  # cases that no verb agrees with and no noun governs
EXCLUDED_FEATURES = frozenset({
    "Abbr", "Typo", "Foreign", "Clitic", "Number[psor]", "Person[psor]", "Number[psed]",
    "ExtPos", "NumType", "PronType", "Poss", "Person[dat]", "Reflex",
})  # fmt: skip
"""FEATS of words whose form expresses more than number, case and definiteness; not counted."""
PARADIGM_FEATURES = frozenset({
    "Aspect", "Case", "Clitic", "Definite", "Degree", "Evident", "Foreign", "Mood", "NumType",
    "PartForm", "Person", "Polarity", "Polite", "Poss", "PronType", "Reflex", "Style", "Tense",
    "Variant", "VerbForm", "Voice",
})  # fmt: skip
"""Features that differ between paradigms of a predicate, not within one."""
SUBJECT_CASES = ("Nom", "Abs", "Erg")
CONTROLLING = ("", *SUBJECT_CASES)  # cases of subjects that verbs agree with

NUMBERS = ("Sing", "Plur")
OPEN_TAGS = ("NOUN", "VERB", "ADJ")
FUNCTION_TAGS = ("ADP", "DET", "SCONJ", "PRON", "PART")
CLOSED_TAGS = ("ADP", "ADV", "AUX", "CCONJ", "DET", "NUM", "PART", "PRON", "SCONJ")
CLOSED = ("auxiliary", "copula")  # sorts of targets that are not predicates themselves


class Cell(NamedTuple):
    """The features that one form of a noun or predicate has in its paradigm; "" for those that the
    word does not have."""

    number: str
    case: str = ""
    definite: str = ""
    gender: str = ""
    animacy: str = ""


Cells: TypeAlias = dict[Cell, Counter[str]]
"""Cell → counts of its forms"""


class NounPosition(NamedTuple):
    """A position of a noun in a clause, with its adposition and case."""

    kind: str  # "subject", "nmod" (after its head), "obl" (between subject and target)
    adposition: str  # lemma; "" for a bare case
    postposed: bool  # whether the adposition follows its noun
    case: str

    @property
    def marking(self) -> str:
        """Return what marks a noun in this position: its adposition, or else its case."""
        return self.adposition or self.case

    @property
    def name(self) -> str:
        """Return the name of a modifier in this position: `nmod:of`, `obl:Ine`."""
        return f"{self.kind}:{self.marking}"


class Kind(NamedTuple):
    """A kind of target: the sort of word, the feature it agrees in, and its subject's case.

    Its `repr` is part of the ids of sets (`compose.items_of`): another name makes other ids."""

    target: str  # verb, auxiliary, copula, adjective, participle
    feature: str  # "Number", "Number[abs]"
    case: str


class Predicate(NamedTuple):
    """A word in one paradigm, whose forms differ only in number, gender and animacy."""

    target: str  # sort of target, as in `Kind`
    upos: str
    lemma: str
    feats: str  # shared by all forms
    feature: str = ""  # that agrees
    part: str = ""  # "#" and the singular, if the annotation lumps several paradigms together

    @property
    def entries(self) -> Mapping[str, str]:
        """Return the FEATS as feature → value."""
        return parse_feats(self.feats or "_")

    def feats_with(self, entry: str) -> str:
        """Return the FEATS of one of its forms, which has `entry` (`Number=Sing`) in addition."""
        return "|".join(sorted(filter(None, (self.feats, entry))))


class PredicateWord(NamedTuple):
    """A form of a predicate that is used with an auxiliary or copula (`has_number`: whether it
    inflects for number, too)."""

    upos: str
    lemma: str
    form: str
    has_number: bool


class PositionCounts:
    """Counts of the nouns in one position of the clause."""

    def __init__(self) -> None:
        self.heads = Counter[str]()  # lemmas that the nouns depend on
        self.nouns: set[str] = set()  # lemmas
        self.numbers = Counter[str]()
        self.definite = Counter[str]()  # value of the noun's feature Definite
        self.uses = Counter[str]()
        """uses with an "article", without a determiner ("plain"), "single" (singular and not
        coordinated), between a "subject" and its target"""


FormsBefore: TypeAlias = Counter[tuple[str, str]]
"""(form of a function word, next word) → uses"""
SubjectClass: TypeAlias = tuple[Kind, str, tuple[str, str]]
"""(kind of target, number of its subject, the subject's (gender, animacy))"""


class TreebankCounts:
    """Counts over a treebank. A `Counter[str]` that has no comment counts the uses of which a fact
    is true: `frames["see"]["object"]` is the number of uses of *see* with an object."""

    def __init__(self) -> None:
        self.analyses = Counter[Analysis]()
        # nouns: their forms and positions
        self.nouns: dict[str, Cells] = {}
        self.genders: defaultdict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
        """noun → (gender, animacy)"""
        self.positions: defaultdict[NounPosition, PositionCounts] = defaultdict(PositionCounts)
        self.fronts: defaultdict[NounPosition, Counter[str]] = defaultdict(Counter)
        """position of a noun whose phrase begins a sentence → uses: all ("n"), those in which the
        subject precedes the target ("straight"), and those with a "comma" after the phrase"""
        self.front_nouns: defaultdict[NounPosition, set[str]] = defaultdict(set)
        self.object_cases = Counter[str]()  # cases of direct objects
        self.dependent_cases = Counter[str]()
        """cases of nouns without adposition that depend on verbs and are not subjects"""
        self.adverbials = Counter[str]()
        """nouns used as bare adverbials in a subject's or object's case, as of time: *týden*"""
        # function words: their forms before other words, and what is written as one
        self.articles: defaultdict[tuple[str, str, str], FormsBefore] = defaultdict(Counter)
        """(number, gender, case) of the noun → (form, next word)"""
        self.adpositions: defaultdict[str, FormsBefore] = defaultdict(Counter)
        self.pairs: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        """adposition and determiner in a row → their contraction, "" where they are written apart;
        with a final `+` where they are joined to a third word"""
        self.attached: defaultdict[str, Counter[bool]] = defaultdict(Counter)
        """function word → whether it is written as one with the word after it"""
        # predicates: their forms, and what they are used with
        self.predicates: dict[Predicate, Cells] = {}
        self.agreement_by_class: defaultdict[SubjectClass, Counter[bool]] = defaultdict(Counter)
        """(kind of target, number of its subject, the subject's (gender, animacy)) → whether it has
        that number"""
        self.frames: defaultdict[str, Counter[str]] = defaultdict(Counter)
        """lemma of a predicate → its uses ("n") and those with each sort of dependent ("object")"""
        self.auxiliaries: defaultdict[tuple[str, bool], Counter[str]] = defaultdict(Counter)
        """(lemma of auxiliary or copula, whether it is passive) → facts about verbs with it"""
        self.predicates_of: defaultdict[
            Predicate, Counter[tuple[PredicateWord, str, bool, bool]]
        ] = defaultdict(Counter)
        """auxiliary or copula → (a predicate with it, the subject's number, whether the predicate
        stands right before it, whether it has no object or complement)"""
        self.predicate_order = Counter[tuple[str, bool]]()
        """(auxiliary or copula, whether the predicate precedes it)"""
        self.bare = Counter[tuple[str, bool]]()
        """(FEATS of a predicate adjective or participle but for those that agree, whether it has no
        copula or auxiliary)"""
        # word order, and what precedes a subject
        self.object_order = Counter[bool]()  # whether an object precedes its verb
        self.final_targets: defaultdict[bool, Counter[bool]] = defaultdict(Counter)
        """whether a clause has a subordinator → whether its target ends it"""
        self.subordinators = Counter[str]()  # of clauses that end with their target
        self.pronouns: defaultdict[str, Counter[str]] = defaultdict(Counter)
        """pronoun of the first or second person → uses as "object", in a "subject"'s case, in a
        case in which it may be an "apposition", "first" in its clause, and as an object that stands
        "apart" from the verb after it"""
        self.relatives: defaultdict[str, Counter[str]] = defaultdict(Counter)
        """relative word that is an object → number of its antecedent; "comma" before it"""
        self.complements: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        """(verb, subordinator of its complement clause) → facts about the clause and the verb"""
        self.complementisers: defaultdict[str, Counter[str]] = defaultdict(Counter)
        """subordinator of complement clauses → its uses, and those after a comma"""
        self.complementiser_forms: defaultdict[str, FormsBefore] = defaultdict(Counter)
        """subordinator of complement clauses → (its form, next word)"""

    def count_spellings(self, sentence: Sentence) -> None:
        """Count how often each function word of a sentence is written as one with the word after
        it, and the written forms of an adposition and determiner in a row (*di il* → *del*)."""
        # index of each word in a multiword token, but for its last → the token
        token_of = {
            index: token for token in sentence.ranges for index in range(token.first, token.last)
        }
        # Underscores mark words that are parts of a token: Hebrew *ה_*.
        forms = [(form.strip("_") or form).lower() for form in sentence.forms]
        for index, upos in enumerate(sentence.upos[:-1]):
            if upos not in FUNCTION_TAGS:
                continue
            token = token_of.get(index)
            self.attached[forms[index]][token is not None] += 1
            if upos != "ADP" or sentence.upos[index + 1] != "DET":
                continue
            written = self.pairs[forms[index], forms[index + 1]]
            if token is None:
                written[""] += 1
            elif (token.first, token.last) == (index, index + 1):
                written[token.form.lower()] += 1
            elif (token.first, token.last) == (index, index + 2):
                # Both are joined to a third word, whose form ends the token.
                start, third_word, rest = token.form.lower().rpartition(forms[index + 2])
                if third_word and not rest:
                    written[f"{start}+"] += 1

    @cached_property
    def agreement(self) -> Mapping[Kind, Counter[bool]]:
        """Kind of target → whether it has the number of its subject."""
        table: defaultdict[Kind, Counter[bool]] = defaultdict(Counter)
        for (kind, _, _), seen in self.agreement_by_class.items():
            table[kind].update(seen)
        return table

    @cached_property
    def _by_form(self) -> dict[str, Counter[tuple[str, str, str]]]:
        """Lowercase form → (UPOS, number, case) of its uses."""
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
        """Return the number of uses of a form (upper and lower case are not told apart) that have
        this UPOS, number and grammatical case; `None` stands for any."""
        required = (upos, number, case)
        return sum(
            n
            for use, n in self._by_form.get(form.lower(), {}).items()
            if all(value in (None, actual) for value, actual in zip(required, use, strict=True))
        )

    @cached_property
    def _by_lemma(self) -> dict[str, Counter[str]]:
        """Lemma → UPOS of its uses."""
        table: dict[str, Counter[str]] = {}
        for (form, lemma, upos, _), n in self.analyses.items():
            table.setdefault(form.lower() if lemma == MISSING else lemma, Counter())[upos] += n
        return table

    def lemma_uses(self, lemma: str, *tags: str) -> int:
        """Return the number of uses of a lemma with one of these UPOS tags; without tags, the
        number of all its uses."""
        seen = self._by_lemma.get(lemma, Counter[str]())
        return sum(seen[upos] for upos in tags or seen)


def is_number(name: str) -> bool:
    """Tell whether a feature is a number in which predicates agree: `Number`, `Number[abs]`."""
    return name == "Number" or (name.startswith("Number[") and name not in EXCLUDED_FEATURES)


def tally(seen: Counter[str], **facts: bool) -> None:
    """Add one to the count of each fact that is true of one use of a word."""
    seen.update(name for name, is_true in facts.items() if is_true)


def case_of(feats: Mapping[str, str]) -> str:
    """Return the grammatical case in FEATS; "" for none. Of several cases return the last, but ""
    if the nominative is among them: the word is then not marked for case (Romanian `Acc,Nom`)."""
    cases = feats.get("Case", "").split(",")
    return cases[-1] if len(cases) == 1 or "Nom" not in cases else ""
