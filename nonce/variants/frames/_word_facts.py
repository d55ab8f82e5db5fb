"""The facts that a treebank shows of each word often enough to rely on.

A fact is an answer to a question (*which arguments?* – *obj*). There are three sorts of facts:

* **free** facts are so common that they say nothing about a word (`in` beside a verb, no article in
  Russian); no frame demands them;
* **open** facts hold of most words (an adjective before a definite noun), so a word has them unless
  it was never seen with them in spite of many opportunities;
* all others must be **attested**: seen in enough uses, and in a large enough share of them.

An adposition below a verb, adjective or noun may be attached wrongly; so it must have been seen
with two different nouns.

The thresholds were chosen by reading English and Italian sets; those of three uses and of variety,
by reading German, Finnish, Hungarian and Russian ones.
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
BACKED = frozenset({"nmod", "obl"})  # questions whose answer needs two different nouns
INNER = frozenset({"compounded", "within", "graded"})  # questions that no frame asks


class Threshold(NamedTuple):
    """The least number and share of uses in which something must have been seen of a word."""

    uses: int
    share: float = 0  # of the uses that answer the fact's question
    of_all: bool = False  # whether the share is of all uses

    def reached(self, n: int, total: int) -> bool:
        """Tell whether `n` of `total` uses are enough."""
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
OCCASIONS = 3.0  # with so many expected uses, seeing none has a chance of e^−3 = 5 %
AMPLE = 10  # in a word with so many uses, a fact below its threshold is an idiom or an error

FREE = (  # question, UPOS, share of the words with ten uses that show the fact
    ("obl", "VERB", 0.8),
    ("adverb", "VERB", 0.5),
    ("nmod", "NOUN", 0.45),
    ("clause", "NOUN", 0.3),
    ("role", "NOUN", 0.6),
)
"""Facts so common that no frame demands them."""
FREE_BARE = 0.5  # share of the nouns with five uses that are bare in 30 % of their uses
FREE_ROLE = 0.35  # share of the nouns bare three times that are bare in this role
FREE_RELATIVE = 0.4  # share of the antecedents that a relative pronoun goes with
COMPOUNDS = 0.2  # share of the nouns with five uses that were seen to modify another
ARTICLES = 0.15  # share of singulars with a definite determiner in languages with articles

BUNDLES = (Threshold(5, 0.03), Threshold(3, 0.1), Threshold(2, 0.3))  # of the rarer word's uses
BARE_PARTNERS = 3  # different words that a verb needs in a relation; fewer are an idiom
IDIOM_BARE = Threshold(3, 0.5)  # of the bare uses, those with this adposition: *at night*
IDIOM_WITHIN = Threshold(3, 0.4)  # of a number's uses with an adposition: *ai sensi di*
IDIOM_LIFT = 5.0  # times as common with this noun as with all nouns
IDIOMATIC = 0.8  # share of uses in one idiom from which a noun is never drawn

# words that come together

EXPLETIVE = "neuter subject"  # relation of *es* with *gibt*, where it is annotated as any subject
PAIRED = frozenset({"obj", "obl", "xcomp", "ccomp", "iobj", "nsubj"})
PERSONAL = ("Prs", "Rel", "")  # PronType of pronouns that go with any verb


class Collocation(NamedTuple):
    """A verb and a dependent of it, by lemma, that could be an idiom (a bundle)."""

    head: str
    relation: str
    upos: str  # of the dependent
    dependent: str


def collocation_at(view: TreeView, index: int) -> Collocation | None:
    """Return the collocation of a word and its head if replacing one of the two could make the text
    ungrammatical, else `None`.

    The head is a verb, and the word a noun without determiner (*take place*), a verb (*let know*),
    or a pronoun that is not personal (*per quanto riguarda*). *Have a question* is none: *have a
    horse* is grammatical.
    """
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
    """Return the bundles (idioms) among collocations: those whose rarer word occurs mostly with the
    other. They are light verbs and their nouns, bare adverbials, *let … know*. `uses` says how
    often each lemma was seen."""

    return frozenset(
        pair
        for pair, n in collocations.items()
        if any(t.reached(n, min(uses[pair.head], uses[pair.dependent])) for t in BUNDLES)
    )


def idiomatic_pairs(collocations: Iterable[Collocation], articles: bool) -> frozenset[Collocation]:
    """Return the collocations of a verb with an adjective (*nötig haben* "need"), or, in a language
    with articles, with a bare noun (*napirendre kerül* "comes on the agenda"), in which the verb
    was seen with so few different words that it may be an idiom."""
    tags = ("ADJ", NOUN) if articles else ("ADJ",)
    n_partners = Counter(pair[:3] for pair in collocations)
    return frozenset(
        pair for pair in collocations if pair.upos in tags and n_partners[pair[:3]] < BARE_PARTNERS
    )


class WordFacts:
    """Counts of the facts seen of each word, and what a frame may demand of it.

    `facts`: word → fact → uses; `n_answers`: word → question → uses that answer it; `uses`: word →
    all uses; `variety`: (UPOS, fact) → different words seen with it.
    """

    def __init__(
        self,
        uses: Mapping[tuple[str, str, tuple[Fact, ...]], int],
        partners: Iterable[tuple[PosLemma, Fact, str]],
    ) -> None:
        self.facts: dict[PosLemma, Counter[Fact]] = {}
        self.n_answers: defaultdict[PosLemma, Counter[str]] = defaultdict(Counter)  # by question
        self.uses: Counter[PosLemma] = Counter()
        self.variety: Counter[tuple[str, Fact]] = Counter()
        for (upos, lemma, facts), n in uses.items():
            self.uses[upos, lemma] += n
            counts, n_answers = self.facts.setdefault((upos, lemma), Counter()), Counter[str]()
            for fact in facts:
                counts[fact] += n
                n_answers[fact[0]] += n
            self.n_answers[upos, lemma] += n_answers
        for (upos, _), counts in self.facts.items():
            self.variety.update((upos, fact) for fact in counts)
        n_nouns = Counter((word, fact) for word, fact, _ in partners)
        self.backed = frozenset(key for key, n in n_nouns.items() if n >= 2)

    @cached_property
    def rates(self) -> Mapping[tuple[str, Fact], float]:
        """Return (UPOS, fact) → the share of words of that UPOS with this fact.

        A fact is a pair of question and answer; the shares of all answers to a question sum to 1.
        """
        answers: Counter[tuple[str, Fact]] = Counter()
        totals: Counter[tuple[str, str]] = Counter()
        for (upos, _), facts in self.facts.items():
            for fact, n in facts.items():
                answers[upos, fact] += n
                totals[upos, fact[0]] += n
        return {(upos, fact): n / totals[upos, fact[0]] for (upos, fact), n in answers.items()}

    @property
    def articles(self) -> bool:
        """Tell whether the nouns of the language have articles."""
        return self.rates.get((NOUN, ("det Sing", "def")), 0.0) >= ARTICLES

    @cached_property
    def compounds(self) -> bool:
        """Tell whether any noun of the language may modify another, as in English and Hebrew."""
        nouns = self._words(NOUN, 5)
        n_modifiers = sum(("place", "compound") in self.facts[word] for word in nouns)
        return n_modifiers >= COMPOUNDS * len(nouns) > 0

    def _words(self, upos: str, uses: int = 0) -> list[PosLemma]:
        """Return the words of a part of speech that have at least `uses` uses."""
        return [word for word in self.facts if word[0] == upos and self.uses[word] >= uses]

    # what frames ask

    def demands(self, upos: str, facts: Iterable[Fact]) -> frozenset[Fact]:
        """Return the facts that a frame demands of a word, given the facts of the use that it would
        replace. Facts that are common to most words (free ones) are left out."""
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
        """Return ("quantified Sing", quantifier) → the fact it demands of a noun: that it takes an
        indefinite article (*every*: count nouns), or stands without determiner (*much*: mass
        nouns)."""
        weights: defaultdict[Fact, float] = defaultdict(float)
        for word, facts in self.facts.items():
            for fact, n in facts.items():
                kind, _, number = fact[0].partition(" ")
                if kind == "quantified":
                    determiner = f"det {number}"
                    excess = facts[determiner, "ind"] - facts[determiner, "none"]
                    weights[fact] += n * excess / self.n_answers[word][determiner]
        return {
            fact: (fact[0].replace("quantified", "det"), "ind" if weight >= 0 else "none")
            for fact, weight in weights.items()
        }

    @cached_property
    def free(self) -> frozenset[tuple[str, Fact]]:
        """Return (UPOS, fact) of the facts that no frame demands: facts common to the words of a
        part of speech; bare nouns if they are common (no articles, English plurals), else the roles
        in which bare nouns are common; relative pronouns that go with any noun."""
        free: set[tuple[str, Fact]] = set()
        for question, upos, share in FREE:
            free.update(self._common(upos, self._words(upos, 10), question, share))
        nouns = self._words(NOUN)
        for roles in {q for word in nouns for q in self.n_answers[word] if q.startswith("bare ")}:
            det = roles.replace("bare", "det")  # with the number: "bare Sing", "det Sing"
            known = [w for w in nouns if self.n_answers[w][det] >= 5]
            bare = [w for w in known if self.facts[w][det, "none"] >= 0.3 * self.n_answers[w][det]]
            if is_free := len(bare) >= FREE_BARE * len(known) > 0:
                free.add((NOUN, (det, "none")))
            words = [w for w in nouns if self.n_answers[w][roles] >= (1 if is_free else 3)]
            free.update(self._common(NOUN, words, roles, 0.0 if is_free else FREE_ROLE))
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
        """Yield (UPOS, fact) for each answer to a question that at least this share of the words
        was seen with, if the answer begins with `start`."""
        n_words = Counter(
            fact
            for word in words
            for fact in self.facts[word]
            if fact[0] == question and fact[1].startswith(start)
        )
        yield from ((upos, fact) for fact, n in n_words.items() if n >= share * len(words))

    # what words can do

    def able(self, word: PosLemma, n_bundled: int) -> frozenset[Fact]:
        """Return the facts that a word was seen with often enough, so that it can meet a frame that
        demands them. `n_bundled` says how often the word was the noun of a bundle (an idiom)."""
        facts, n_answers = self.facts[word], self.n_answers[word]
        idioms = self.idioms(word[1]) if word[0] == NOUN else frozenset()
        if any(facts[idiom] >= IDIOMATIC * self.uses[word] for idiom in idioms):
            return frozenset()
        attested = {
            fact for fact, n in facts.items() if self._is_attested(word, fact, n, idioms, n_bundled)
        }
        attested.update(
            fact
            for upos, fact in self._open
            if upos == word[0]
            and (fact in facts or n_answers[fact[0]] * self.rates[upos, fact] < OCCASIONS)
        )
        return frozenset(attested)

    def _is_attested(
        self, word: PosLemma, fact: Fact, n: int, idioms: frozenset[Fact], n_bundled: int
    ) -> bool:
        """Tell whether a word was seen with a fact often enough to rely on it. `n` says how often;
        uses in `idioms` and bundles (`n_bundled`) are subtracted."""
        kind, _, number = fact[0].partition(" ")
        unbacked = kind in BACKED and (word, fact) not in self.backed
        if is_open(fact) or unbacked:
            return False
        threshold = _threshold(word[0], fact)
        if threshold is MASS:
            bare, facts = f"bare {number}", self.facts[word]
            n -= n_bundled + sum(facts[idiom] for idiom in idioms if idiom[0] == bare)
        return threshold is None or threshold.reached(n, self._occasions(word, fact))

    def _occasions(self, word: PosLemma, fact: Fact) -> int:
        """Return the number of uses in which a word could have shown a fact: all its uses, or those
        that answer the fact's question."""
        threshold = _threshold(word[0], fact)
        of_all = threshold is None or threshold.of_all
        return self.uses[word] if of_all else self.n_answers[word][fact[0]]

    @cached_property
    def _open(self) -> tuple[tuple[str, Fact], ...]:
        """Return (UPOS, fact) of all open facts that were seen. A fact is open if most words have
        it."""
        return tuple((upos, fact) for upos, fact in self.rates if is_open(fact))

    def is_rare(self, word: PosLemma, fact: Fact) -> bool:
        """Tell whether a fact that is not attested of a word had enough opportunities to be seen,
        so that the use at hand is an idiom or an error."""
        one_of_many = fact[0] == "nmod"  # places below a noun
        return word in self.facts and not one_of_many and self._occasions(word, fact) >= AMPLE

    def idioms(self, lemma: str) -> frozenset[Fact]:
        """Return the facts about a noun that are idioms: mostly bare with one adposition (*at
        night*), or mostly with one adposition and one kind of determiner (*ai sensi di*), much more
        often than other nouns."""
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
                is_idiom = bare and IDIOM_BARE.reached(n, self.n_answers[word][fact[0]])
            if is_idiom:
                idioms.add(fact)
        return frozenset(idioms)


def _threshold(upos: str, fact: Fact) -> Threshold | None:
    """Return how often a word of this part of speech must have been seen with a fact. `None` means
    that a single use is enough."""
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
    """Tell whether a fact is open: assumed of any word that was not seen to lack it."""
    question, answer = fact
    if question == "order":
        return answer != "before numeral"
    if question == "number" or question.startswith("attribute "):
        return True
    return (question.startswith("det ") and answer == "def") or (
        question == "det Plur" and answer in ("none", "num")
    )
