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
from ._noun_frames import Fact, WordUse, is_bare

PosLemma: TypeAlias = tuple[str, str]
"""(UPOS, lemma in small letters)"""
NOUN = "NOUN"
NEEDS_TWO_NOUNS = frozenset({"nmod", "obl"})  # questions whose answer needs two different nouns
NEVER_DEMANDED = frozenset({"compounded", "within", "graded"})  # questions that no frame asks


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
    "nmod": Threshold(3, of_all=True),  # and two nouns below it: `NEEDS_TWO_NOUNS`
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
ENOUGH_EXPECTED_USES = 3.0  # where so many are expected, none has a chance of e^−3 = 5 %
AMPLE_USES = 10  # of a word with so many uses, a fact below its threshold is an idiom or an error

FREE_QUESTIONS = (  # question, UPOS, share of the frequent words that show the fact
    ("obl", "VERB", 0.8),
    ("adverb", "VERB", 0.5),
    ("nmod", "NOUN", 0.45),
    ("clause", "NOUN", 0.3),
    ("role", "NOUN", 0.6),
)
"""Facts so common that no frame demands them."""
FREQUENT = 10  # uses
FREE_BARE = 0.5  # share of the nouns with five uses that are bare in `OFTEN_BARE` of their uses
OFTEN_BARE = 0.3
FREE_ROLE = 0.35  # share of the nouns bare three times that are bare in this role
FREE_RELATIVE = 0.4  # share of the antecedents that a relative pronoun goes with
COMPOUND_SHARE = 0.2  # share of the nouns with five uses that were seen to modify another
ARTICLE_SHARE = 0.15  # share of singulars with a definite determiner in languages with articles

BUNDLES = (Threshold(5, 0.03), Threshold(3, 0.1), Threshold(2, 0.3))  # of the rarer word's uses
MIN_BARE_PARTNERS = 3  # different words that a verb needs in a relation; fewer are an idiom
IDIOM_BARE = Threshold(3, 0.5)  # of the bare uses, those with this adposition: *at night*
IDIOM_WITHIN = Threshold(3, 0.4)  # of a number's uses with an adposition: *ai sensi di*
IDIOM_LIFT = 5.0  # times as common with this noun as with all nouns
IDIOM_SHARE = 0.8  # share of uses in one idiom from which a noun is never drawn

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
        if any(
            threshold.reached(n, min(uses[pair.head], uses[pair.dependent]))
            for threshold in BUNDLES
        )
    )


def idiomatic_pairs(
    collocations: Iterable[Collocation], *, has_articles: bool
) -> frozenset[Collocation]:
    """Return the collocations of a verb with an adjective (*nötig haben* "need"), or, in a language
    with articles, with a bare noun (*napirendre kerül* "comes on the agenda"), in which the verb
    was seen with so few different words that it may be an idiom."""
    tags = ("ADJ", NOUN) if has_articles else ("ADJ",)
    pairs = [pair for pair in collocations if pair.upos in tags]
    n_partners = Counter((pair.head, pair.relation, pair.upos) for pair in pairs)
    return frozenset(
        pair
        for pair in pairs
        if n_partners[pair.head, pair.relation, pair.upos] < MIN_BARE_PARTNERS
    )


class WordFacts:
    """Counts of the facts seen of each word, and what a frame may demand of it. Observe all uses
    before the first question.

    `facts`: word → fact → uses; `n_answers`: word → question → uses that answer it; `uses`: word →
    all uses.
    """

    def __init__(self) -> None:
        self.facts: defaultdict[PosLemma, Counter[Fact]] = defaultdict(Counter)
        self.n_answers: defaultdict[PosLemma, Counter[str]] = defaultdict(Counter)  # by question
        self.uses: Counter[PosLemma] = Counter()
        # (word, fact) → nouns that it was seen with
        self._partners: defaultdict[tuple[PosLemma, Fact], set[str]] = defaultdict(set)

    def observe(self, word: PosLemma, use: WordUse) -> None:
        """Count the facts of one use of a word."""
        self.uses[word] += 1
        self.facts[word].update(use.facts)
        self.n_answers[word].update(fact.question for fact in use.facts)
        for fact, noun in use.partners:
            self._partners[word, fact].add(noun)

    @cached_property
    def variety(self) -> Mapping[tuple[str, Fact], int]:
        """Return (UPOS, fact) → number of different words seen with it."""
        return Counter((upos, fact) for (upos, _), facts in self.facts.items() for fact in facts)

    @cached_property
    def shares_of_answers(self) -> Mapping[tuple[str, Fact], float]:
        """Return (UPOS, fact) → how often words of this UPOS answer the fact's question so, as a
        share of all their answers to it."""
        n_answered: Counter[tuple[str, Fact]] = Counter()
        totals: Counter[tuple[str, str]] = Counter()
        for (upos, _), facts in self.facts.items():
            for fact, n in facts.items():
                n_answered[upos, fact] += n
                totals[upos, fact.question] += n
        return {
            (upos, fact): n / totals[upos, fact.question] for (upos, fact), n in n_answered.items()
        }

    @property
    def has_articles(self) -> bool:
        """Tell whether the nouns of the language have articles."""
        return self.shares_of_answers.get((NOUN, Fact("det Sing", "def")), 0.0) >= ARTICLE_SHARE

    @cached_property
    def has_compounds(self) -> bool:
        """Tell whether any noun of the language may modify another, as in English and Hebrew."""
        nouns = self._words(NOUN, min_uses=5)
        n_modifiers = sum(Fact("place", "compound") in self.facts[word] for word in nouns)
        return n_modifiers >= COMPOUND_SHARE * len(nouns) > 0

    def _words(self, upos: str, min_uses: int = 0) -> list[PosLemma]:
        """Return the words of a part of speech that have at least `min_uses` uses."""
        return [word for word in self.facts if word[0] == upos and self.uses[word] >= min_uses]

    # what frames demand

    def demands(self, upos: str, facts: Iterable[Fact]) -> frozenset[Fact]:
        """Return the facts that a frame demands of a word, given the facts of the use that it would
        replace. Facts that are common to most words (free ones) are left out."""
        demanded: set[Fact] = set()
        for fact in facts:
            kind, _, number = fact.question.partition(" ")
            if kind == "quantified" and number != "Plur":
                fact = self.demand_of_quantifier.get(fact, fact)
            elif kind in (*NEVER_DEMANDED, "quantified") or (kind, fact.answer) == ("det", "quant"):
                continue
            if (upos, fact) not in self.free_facts:
                demanded.add(fact)
        return frozenset(demanded)

    @cached_property
    def demand_of_quantifier(self) -> Mapping[Fact, Fact]:
        """Return ("quantified Sing", quantifier) → the fact it demands of a noun: that it takes an
        indefinite article (*every*: count nouns), or stands without determiner (*much*: mass
        nouns)."""
        # quantifier → how much more often its nouns have an indefinite article than none
        excess_of: defaultdict[Fact, float] = defaultdict(float)
        for word, facts in self.facts.items():
            for fact, n in facts.items():
                kind, _, number = fact.question.partition(" ")
                if kind == "quantified":
                    det = f"det {number}"
                    excess = facts[Fact(det, "ind")] - facts[Fact(det, "none")]
                    excess_of[fact] += n * excess / self.n_answers[word][det]
        return {
            fact: Fact(fact.question.replace("quantified", "det"), "ind" if excess >= 0 else "none")
            for fact, excess in excess_of.items()
        }

    @cached_property
    def free_facts(self) -> frozenset[tuple[str, Fact]]:
        """Return (UPOS, fact) of the facts that no frame demands: facts common to the words of a
        part of speech; bare nouns if they are common (no articles, English plurals), else the roles
        in which bare nouns are common; relative pronouns that go with any noun."""
        free: set[tuple[str, Fact]] = set()
        for question, upos, share in FREE_QUESTIONS:
            free.update(self._common_answers(upos, self._words(upos, FREQUENT), question, share))
        nouns = self._words(NOUN)
        questions = {question for word in nouns for question in self.n_answers[word]}
        for question in questions:
            kind, _, number = question.partition(" ")
            if kind == "bare":
                free.update(self._free_if_bare(nouns, number))
        for role in ("nsubj ", "obj "):
            antecedents = [
                word
                for word in nouns
                if any(
                    fact.question == "relative" and fact.answer.startswith(role)
                    for fact in self.facts[word]
                )
            ]
            free.update(self._common_answers(NOUN, antecedents, "relative", FREE_RELATIVE, role))
        return frozenset(free)

    def _free_if_bare(self, nouns: list[PosLemma], number: str) -> Iterator[tuple[str, Fact]]:
        """Yield the free facts about nouns without determiner, in singular or plural (`number`). If
        most nouns are often bare, these are: having no determiner, and all roles of bare nouns;
        else only the roles that bare nouns often have."""
        det, bare = f"det {number}", f"bare {number}"
        n_det = {word: self.n_answers[word][det] for word in nouns}
        known = [word for word in nouns if n_det[word] >= 5]
        no_determiner = Fact(det, "none")
        often_bare = [w for w in known if self.facts[w][no_determiner] >= OFTEN_BARE * n_det[w]]
        if known and len(often_bare) >= FREE_BARE * len(known):
            yield NOUN, no_determiner
            min_bare, min_share = 1, 0.0
        else:
            min_bare, min_share = 3, FREE_ROLE
        seen_bare = [word for word in nouns if self.n_answers[word][bare] >= min_bare]
        yield from self._common_answers(NOUN, seen_bare, bare, min_share)

    def _common_answers(
        self, upos: str, words: list[PosLemma], question: str, share: float, start: str = ""
    ) -> Iterator[tuple[str, Fact]]:
        """Yield (UPOS, fact) for each answer to a question that at least this share of the words
        was seen with, if the answer begins with `start`."""
        n_words = Counter(
            fact
            for word in words
            for fact in self.facts[word]
            if fact.question == question and fact.answer.startswith(start)
        )
        yield from ((upos, fact) for fact, n in n_words.items() if n >= share * len(words))

    # what words can do

    def abilities(self, word: PosLemma, n_bundled: int) -> frozenset[Fact]:
        """Return the facts that a word was seen with often enough, so that it can meet a frame that
        demands them. `n_bundled` says how often the word was the noun of a bundle (an idiom)."""
        facts, n_answers = self.facts[word], self.n_answers[word]
        word_upos, lemma = word
        idioms = self.idioms(lemma) if word_upos == NOUN else frozenset()
        if any(facts[idiom] >= IDIOM_SHARE * self.uses[word] for idiom in idioms):
            return frozenset()
        attested = {
            fact for fact, n in facts.items() if self._is_attested(word, fact, n, idioms, n_bundled)
        }
        for upos, fact in self._open_facts:
            n_expected = n_answers[fact.question] * self.shares_of_answers[upos, fact]
            if upos == word_upos and (fact in facts or n_expected < ENOUGH_EXPECTED_USES):
                attested.add(fact)
        return frozenset(attested)

    def _is_attested(
        self, word: PosLemma, fact: Fact, n: int, idioms: frozenset[Fact], n_bundled: int
    ) -> bool:
        """Tell whether a word was seen with a fact often enough to rely on it. `n` says how often;
        uses in `idioms` and bundles (`n_bundled`) are subtracted."""
        kind, _, number = fact.question.partition(" ")
        lacks_nouns = kind in NEEDS_TWO_NOUNS and len(self._partners[word, fact]) < 2
        if is_open(fact) or lacks_nouns:
            return False
        upos, _ = word
        threshold = _threshold(upos, fact)
        if threshold is MASS:
            bare_idioms = [idiom for idiom in idioms if idiom.question == f"bare {number}"]
            n -= n_bundled + sum(self.facts[word][idiom] for idiom in bare_idioms)
        return threshold is None or threshold.reached(n, self._occasions(word, fact))

    def _occasions(self, word: PosLemma, fact: Fact) -> int:
        """Return the number of uses in which a word could have shown a fact: all its uses, or those
        that answer the fact's question."""
        upos, _ = word
        threshold = _threshold(upos, fact)
        of_all = threshold is None or threshold.of_all
        return self.uses[word] if of_all else self.n_answers[word][fact.question]

    @cached_property
    def _open_facts(self) -> tuple[tuple[str, Fact], ...]:
        """Return (UPOS, fact) of all open facts that were seen. A fact is open if most words have
        it."""
        return tuple((upos, fact) for upos, fact in self.shares_of_answers if is_open(fact))

    def is_rarely_seen(self, word: PosLemma, fact: Fact) -> bool:
        """Tell whether a fact that is not attested of a word had enough opportunities to be seen,
        so that the use at hand is an idiom or an error."""
        is_one_of_many = fact.question == "nmod"  # a noun can have many adpositions below it
        return (
            word in self.facts and not is_one_of_many and self._occasions(word, fact) >= AMPLE_USES
        )

    def idioms(self, lemma: str) -> frozenset[Fact]:
        """Return the facts about a noun that are idioms: mostly bare with one adposition (*at
        night*), or mostly with one adposition and one kind of determiner (*ai sensi di*), much more
        often than other nouns."""
        word = (NOUN, lemma)
        facts, uses = self.facts.get(word, Counter[Fact]()), self.uses[word]
        idioms: set[Fact] = set()
        for fact, n in facts.items():
            kind, _, number = fact.question.partition(" ")
            if kind == "within":
                total = facts[Fact("number", number)]
                usual_share = self.shares_of_answers[NOUN, fact]
                is_frequent = IDIOM_WITHIN.reached(n, total)
                is_idiom = is_frequent and n / total >= IDIOM_LIFT * usual_share
            else:
                is_bare = kind == "bare" and fact.answer.startswith("by ") and n >= 0.1 * uses
                is_idiom = is_bare and IDIOM_BARE.reached(n, self.n_answers[word][fact.question])
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
