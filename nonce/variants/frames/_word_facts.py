"""What a treebank shows of each word: which facts were seen of it often enough to rely on.

A fact is an answer to a question (*which arguments?* – *obj*). Three kinds of fact are told apart:

* **free** ones are so common that they say nothing of a word (`in` beside a verb, no article in
  Russian); no frame asks for them;
* **open** ones hold of most words (an adjective before a definite noun), so that only a word that
  was never seen so, though it had occasion to, cannot have them;
* all others must have been **shown**: seen in enough uses, and in enough of the word's uses.

An adposition below a verb, adjective or noun may belong to another; so two nouns must have been
seen with it.

The thresholds were chosen on readings of English and Italian sets, those of three attestations and
of variety on German, Finnish, Hungarian and Russian ones.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple, TypeAlias

from ....miner.treebank.view import TreeView
from ._noun_frames import Fact, is_bare

PosLemma: TypeAlias = tuple[str, str]
"""(UPOS, lemma in small letters)"""
NOUN = "NOUN"
BACKED = frozenset({"nmod", "obl"})  # questions of which one noun is no evidence
INNER = frozenset({"compounded", "within", "graded"})  # questions that no frame asks


class Threshold(NamedTuple):
    """The least number and share of uses in which something must have been seen of a word."""

    uses: int
    share: float = 0  # of the uses in which its question arose, or of all
    of_all: bool = False

    def reached(self, n: int, total: int) -> bool:
        """Tell whether `n` of `total` is as much."""
        return n >= self.uses and n >= self.share * total


ATTESTED: Mapping[str, Threshold] = {
    "args": Threshold(3, 0.15),  # one use may be an error of annotation, two the same one
    "alone": Threshold(2, 0.25),  # *put* has its object alone now and then, *see* mostly
    "obl": Threshold(3, 0.06, of_all=True),  # an adposition is one of several
    "adverb": Threshold(2, of_all=True),
    "aux": Threshold(1, of_all=True),  # *be* or *have*: a verb has one
    "det": Threshold(2, 0.05),
    "bare": Threshold(1),
    "place": Threshold(1, of_all=True),
    "nmod": Threshold(3, of_all=True),  # and two nouns below it: `backed`
    "clause": Threshold(3, of_all=True),
    "role": Threshold(1),  # the adposition or case that it stands with: not *seit Ländern*
    "relative": Threshold(1, of_all=True),
    "name": Threshold(2, 0.1),
    "article": Threshold(2, 0.1),
    "attribute": Threshold(2, 0.1),
    "order": Threshold(1),  # before a numeral; the others are open
    "degree": Threshold(1, of_all=True),
    "modifies": Threshold(2, 0.1),
}
"""The first word of a question → how often one of its answers must have been seen of a word."""
INTRANSITIVE = Threshold(3, 0.3)  # objects are left out of sentences that could have one
MASS = Threshold(3, 0.35)  # bare singulars of count nouns: headings, notes and idioms
UNGOVERNED = Threshold(2, 0.5)  # of adjectives that govern nothing: not *capace di*
OCCASIONS = 3.0  # expected sightings after which none at all is telling: e^−3 = 5 %
AMPLE = 10  # uses after which what was not seen often enough is an idiom or an error

FREE = (  # question, UPOS, share of the words with ten uses that were seen so
    ("obl", "VERB", 0.8),
    ("adverb", "VERB", 0.5),
    ("nmod", "NOUN", 0.45),
    ("clause", "NOUN", 0.3),
    ("role", "NOUN", 0.6),
)
"""What no frame asks for, since it is so common."""
FREE_BARE = 0.5  # of nouns with five determiner slots, those that are bare in 30 % of them
FREE_ROLE = 0.35  # of nouns bare three times: a role in which most bare ones stand
FREE_RELATIVE = 0.4  # of antecedents: relative pronouns that go with any noun
COMPOUNDS = 0.2  # of nouns with five uses, those that modified one: any noun may
ARTICLES = 0.15  # of singulars that are definite by a word beside them: such a language

BUNDLES = (Threshold(5, 0.03), Threshold(3, 0.1), Threshold(2, 0.3))  # of the rarer word's uses
BARE_PARTNERS = 3  # words that a verb must be seen with in a relation, to tell no idiom
IDIOM_BARE = Threshold(3, 0.5)  # of the bare uses with this adposition: *at night*
IDIOM_WITHIN = Threshold(3, 0.4)  # of a number's uses with an adposition: *ai sensi di*
IDIOM_LIFT = 5.0  # times the share among all nouns with an adposition
IDIOMATIC = 0.8  # uses that are one idiom, after which a noun is drawn nowhere

# words that come together

EXPLETIVE = "neuter subject"  # relation of *es* with *gibt*, where it is annotated as any subject
PAIRED = frozenset({"obj", "obl", "xcomp", "ccomp", "iobj", "nsubj"})
PERSONAL = ("Prs", "Rel", "")  # PronType of what stands beside any verb


class Collocation(NamedTuple):
    """A verb and a word below it, by their lemmas, that could be a bundle."""

    head: str
    relation: str
    upos: str  # of the dependent
    dependent: str


def collocation_at(view: TreeView, index: int) -> Collocation | None:
    """Return what a word makes with its head, if exchanging one of the two could leave
    ungrammatical text behind: a verb with a noun below it that has no determiner (*take place*),
    with a verb (*let know*), or with a pronoun that is not personal (*per quanto riguarda*); *have
    a question* may become *have a horse*."""
    relation, head, upos = view.relations[index], view.heads[index], view.upos[index]
    if relation not in PAIRED or head < 0 or view.upos[head] != "VERB":
        return None
    if upos == "ADJ" and relation in ("xcomp", "obl") and not view.marked_by(index):
        relation = f"{relation}+{view.feature(index, 'Case')}"  # *lehetővé tesz* "makes possible"
    elif upos == "PRON":
        if relation == "nsubj" and view.feature(index, "Gender") == "Neut":
            relation = EXPLETIVE
        elif view.feature(index, "PronType") in PERSONAL:
            return None
    elif relation == "nsubj" or not (upos == "VERB" or is_bare(view, index)):
        return None
    return Collocation(view.key(head), relation, upos, view.key(index))


def bundles_of(
    collocations: Mapping[Collocation, int], uses: Mapping[str, int]
) -> frozenset[Collocation]:
    """Return words that come together, light verbs and their nouns, bare adverbials, *let … know*:
    collocations of which the rarer word is often found with the other. `uses`: how often each
    lemma was seen."""

    return frozenset(
        pair
        for pair, n in collocations.items()
        if any(t.reached(n, min(uses[pair.head], uses[pair.dependent])) for t in BUNDLES)
    )


def idiomatic_pairs(collocations: Iterable[Collocation], articles: bool) -> frozenset[Collocation]:
    """Return pairs of a verb and an adjective (*nötig haben* "need"), or, in a language with
    articles, a bare noun (*napirendre kerül* "comes on the agenda"), where the verb was seen with
    too few of them in this relation to tell an idiom from a phrase."""
    kinds = ("ADJ", NOUN) if articles else ("ADJ",)
    seen = Counter(pair[:3] for pair in collocations)
    return frozenset(
        pair for pair in collocations if pair.upos in kinds and seen[pair[:3]] < BARE_PARTNERS
    )


class WordFacts:
    """The facts seen of each word, with counts, and what follows from them."""

    def __init__(
        self,
        uses: Mapping[tuple[str, str, tuple[Fact, ...]], int],
        partners: Iterable[tuple[PosLemma, Fact, str]],
    ) -> None:
        self.facts: dict[PosLemma, Counter[Fact]] = {}
        self.asked: defaultdict[PosLemma, Counter[str]] = defaultdict(Counter)  # the questions
        self.uses: Counter[PosLemma] = Counter()
        self.variety: Counter[tuple[str, Fact]] = Counter()  # words of a UPOS seen with a fact
        for (upos, lemma, facts), n in uses.items():
            self.uses[upos, lemma] += n
            counts, asked = self.facts.setdefault((upos, lemma), Counter()), Counter[str]()
            for fact in facts:
                counts[fact] += n
                asked[fact[0]] += n
            self.asked[upos, lemma] += asked
        for (upos, _), counts in self.facts.items():
            self.variety.update((upos, fact) for fact in counts)
        nouns = Counter((word, fact) for word, fact, _ in partners)
        self.backed = frozenset(key for key, n in nouns.items() if n >= 2)

    @cached_property
    def rates(self) -> Mapping[tuple[str, Fact], float]:
        """Return the share of each answer among all answers to its question, by UPOS."""
        answers: Counter[tuple[str, Fact]] = Counter()
        totals: Counter[tuple[str, str]] = Counter()
        for (upos, _), facts in self.facts.items():
            for fact, n in facts.items():
                answers[upos, fact] += n
                totals[upos, fact[0]] += n
        return {(upos, fact): n / totals[upos, fact[0]] for (upos, fact), n in answers.items()}

    @property
    def articles(self) -> bool:
        """Tell whether nouns have articles."""
        return self.rates.get((NOUN, ("det Sing", "def")), 0.0) >= ARTICLES

    @cached_property
    def compounds(self) -> bool:
        """Tell whether any noun may modify another, as in English and Hebrew."""
        nouns = self._words(NOUN, 5)
        seen = sum(("place", "compound") in self.facts[word] for word in nouns)
        return seen >= COMPOUNDS * len(nouns) > 0

    def _words(self, upos: str, uses: int = 0) -> list[PosLemma]:
        return [word for word in self.facts if word[0] == upos and self.uses[word] >= uses]

    # what frames ask

    def demands(self, upos: str, facts: Iterable[Fact]) -> frozenset[Fact]:
        """Return what a frame asks of the word that fills it: the facts of the use less the free
        ones."""
        demanded: set[Fact] = set()
        for fact in facts:
            kind, _, number = fact[0].partition(" ")
            if kind == "quantified" and number != "Plur":
                fact = self.counting.get(fact, fact)
            elif kind in (*INNER, "quantified") or (kind, fact[1]) == ("det", "quant"):
                continue
            if (upos, fact) not in self.free:
                demanded.add(fact)
        return frozenset(demanded)

    @cached_property
    def counting(self) -> Mapping[Fact, Fact]:
        """Return ("quantified Sing", quantifier) → what it asks of a noun: to be counted (`every`),
        as after an indefinite article, or not (`much`), as where nothing stands before it."""
        counted: defaultdict[Fact, float] = defaultdict(float)
        for word, facts in self.facts.items():
            for fact, n in facts.items():
                kind, _, number = fact[0].partition(" ")
                if kind == "quantified":
                    det = f"det {number}"
                    excess = facts[det, "ind"] - facts[det, "none"]
                    counted[fact] += n * excess / self.asked[word][det]
        return {
            fact: (fact[0].replace("quantified", "det"), "ind" if weight >= 0 else "none")
            for fact, weight in counted.items()
        }

    @cached_property
    def free(self) -> frozenset[tuple[str, Fact]]:
        """Return (UPOS, fact) of what no frame asks for: what is common with words of a kind; bare
        nouns where they are common (no articles, English plurals), else the roles in which most
        bare ones are seen; relative pronouns that go with any noun."""
        free: set[tuple[str, Fact]] = set()
        for question, upos, share in FREE:
            free.update(self._common(upos, self._words(upos, 10), question, share))
        nouns = self._words(NOUN)
        for bare in {q for word in nouns for q in self.asked[word] if q.startswith("bare ")}:
            zero = (f"det {bare[5:]}", "none")
            often = [word for word in nouns if self.asked[word][zero[0]] >= 5]
            able = [w for w in often if self.facts[w][zero] >= 0.3 * self.asked[w][zero[0]]]
            if is_free := len(able) >= FREE_BARE * len(often) > 0:
                free.add((NOUN, zero))
            seen = [word for word in nouns if self.asked[word][bare] >= (1 if is_free else 3)]
            free.update(self._common(NOUN, seen, bare, 0.0 if is_free else FREE_ROLE))
        for role in ("nsubj ", "obj "):
            antecedents = [
                word
                for word in nouns
                if any(f[0] == "relative" and f[1].startswith(role) for f in self.facts[word])
            ]
            free.update(self._common(NOUN, antecedents, "relative", FREE_RELATIVE, role))
        return frozenset(free)

    def _common(
        self, upos: str, words: list[PosLemma], question: str, share: float, start: str = ""
    ) -> Iterator[tuple[str, Fact]]:
        """Yield facts that a share of the words has been seen with."""
        seen = Counter(
            fact
            for word in words
            for fact in self.facts[word]
            if fact[0] == question and fact[1].startswith(start)
        )
        yield from ((upos, fact) for fact, n in seen.items() if n >= share * len(words))

    # what words can do

    def able(self, word: PosLemma, bundled: int) -> frozenset[Fact]:
        """Return what a word may be asked for; `bundled`: how often it was the noun of a bundle."""
        facts, asked = self.facts[word], self.asked[word]
        idioms = self.idioms(word[1]) if word[0] == NOUN else frozenset()
        if any(facts[idiom] >= IDIOMATIC * self.uses[word] for idiom in idioms):
            return frozenset()
        attested = {
            fact for fact, n in facts.items() if self._is_attested(word, fact, n, idioms, bundled)
        }
        attested.update(
            fact
            for upos, fact in self._open
            if upos == word[0]
            and (fact in facts or asked[fact[0]] * self.rates[upos, fact] < OCCASIONS)
        )
        return frozenset(attested)

    def _is_attested(
        self, word: PosLemma, fact: Fact, n: int, idioms: frozenset[Fact], bundled: int
    ) -> bool:
        """Tell whether a word was seen with a fact often enough."""
        kind, _, number = fact[0].partition(" ")
        unbacked = kind in BACKED and (word, fact) not in self.backed
        if is_open(fact) or unbacked:
            return False
        threshold = _threshold(word[0], fact)
        if threshold is MASS:
            bare, facts = f"bare {number}", self.facts[word]
            n -= bundled + sum(facts[idiom] for idiom in idioms if idiom[0] == bare)
        return threshold is None or threshold.reached(n, self._occasions(word, fact))

    def _occasions(self, word: PosLemma, fact: Fact) -> int:
        """Return how often a word could have been seen with a fact."""
        threshold = _threshold(word[0], fact)
        of_all = threshold is None or threshold.of_all
        return self.uses[word] if of_all else self.asked[word][fact[0]]

    @cached_property
    def _open(self) -> tuple[tuple[str, Fact], ...]:
        return tuple((upos, fact) for upos, fact in self.rates if is_open(fact))

    def is_rare(self, word: PosLemma, fact: Fact) -> bool:
        """Tell whether a fact that a word has not been seen with often enough is one that it had
        ample occasion for: the use at hand is an idiom or an error."""
        one_of_many = fact[0] == "nmod"  # places below a noun
        return word in self.facts and not one_of_many and self._occasions(word, fact) >= AMPLE

    def idioms(self, lemma: str) -> frozenset[Fact]:
        """Return ways in which a noun stands that are idioms: mostly bare with one adposition (*at
        night*), or most often with one adposition and one kind of determiner (*ai sensi di*), much
        more often than other nouns."""
        word = (NOUN, lemma)
        facts, uses = self.facts.get(word, Counter[Fact]()), self.uses[word]
        idioms: set[Fact] = set()
        for fact, n in facts.items():
            kind, _, number = fact[0].partition(" ")
            if kind == "within":
                total = facts["number", number]
                often = IDIOM_WITHIN.reached(n, total)
                is_idiom = often and n / total >= IDIOM_LIFT * self.rates[NOUN, fact]
            else:
                bare = kind == "bare" and fact[1].startswith("by ") and n >= 0.1 * uses
                is_idiom = bare and IDIOM_BARE.reached(n, self.asked[word][fact[0]])
            if is_idiom:
                idioms.add(fact)
        return frozenset(idioms)


def _threshold(upos: str, fact: Fact) -> Threshold | None:
    """Return how often a fact must have been seen of a word; None: once."""
    question, answer = fact
    kind = question.partition(" ")[0]
    if upos == "VERB" and fact == ("args ", ""):
        return INTRANSITIVE
    if (kind, answer) == ("det", "none"):
        return MASS
    if upos == "ADJ" and kind == "alone":
        return UNGOVERNED
    return ATTESTED.get(kind)


def is_open(fact: Fact) -> bool:
    """Tell whether a fact holds of any word that does not show otherwise."""
    question, answer = fact
    if question == "order":
        return answer != "before numeral"
    if question == "number" or question.startswith("attribute "):
        return True
    return (question.startswith("det ") and answer == "def") or (
        question == "det Plur" and answer in ("none", "num")
    )
