"""What a treebank shows of each word: which facts were seen of it often enough to rely on.

A fact is an answer to a question (*which arguments?* – *obj*). Three kinds of fact are told apart:

* **free** ones are so common that they say nothing of a word (`in` beside a verb, no article in
  Russian); no frame asks for them;
* **open** ones hold of most words (an adjective before a definite noun), so that only a word that
  was never seen so, though it had occasion to, cannot have them;
* all others must have been **shown**: seen in enough uses, and in enough of the word's uses.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

from colorless_green.nonce.frames.bundles import Pair
from colorless_green.nonce.frames.determining import determining, governs
from colorless_green.nonce.frames.partners import BACKED, Seen, backed
from colorless_green.nonce.frames.use import Fact

Word: TypeAlias = tuple[str, str]
"""(UPOS, lemma in small letters)"""
OCCASIONS = 3.0  # expected sightings after which none at all is telling: e^−3 = 5 %
AMPLE = 10  # uses
NOUN = "NOUN"


class Least(NamedTuple):
    """How often a fact must have been seen of a word."""

    uses: int
    share: float  # of the uses in which its question arose, or of all
    of_all: bool = False


SHOWN: Mapping[str, Least] = {
    "args": Least(2, 0.15),
    "alone": Least(1, 0.25),
    "obl": Least(2, 0.06, of_all=True),
    "adverb": Least(2, 0, of_all=True),
    "aux": Least(1, 0, of_all=True),
    "infinitive": Least(1, 0, of_all=True),
    "subject": Least(1, 0, of_all=True),
    "det": Least(2, 0.05),
    "bare": Least(1, 0),
    "place": Least(1, 0, of_all=True),
    "nmod": Least(1, 0, of_all=True),
    "clause": Least(2, 0, of_all=True),
    "relative": Least(1, 0, of_all=True),
    "name": Least(2, 0.1),
    "article": Least(2, 0.1),
    "attribute": Least(2, 0.1),
    "order": Least(1, 0),  # before a numeral; the others are open
    "degree": Least(1, 0, of_all=True),
    "modifies": Least(2, 0.1),
}
INTRANSITIVE = Least(2, 0.3)  # objects are left out of many sentences that could have one
USUAL_PLACE = ((3, 0.7), (6, 0.4))  # uses and share of a number's uses: either
USUAL_LIFT = 5.0  # times the share among all nouns with an adposition
IDIOMATIC = 0.8  # share of a noun's uses that are one idiom, after which it is drawn nowhere
ARTICLED = {"none": 0.9}  # share of a name's uses; with an article, `WITH_ARTICLE`
WITH_ARTICLE = 0.5
MASS = Least(3, 0.35)  # bare singulars of count nouns stand in headings, notes and idioms


class Free(NamedTuple):
    """When a fact says nothing of a word: a share of the words with so many uses has been seen
    with it."""

    question: str
    upos: str
    uses: int
    share: float


FREE = (
    Free("obl", "VERB", 10, 0.8),
    Free("adverb", "VERB", 10, 0.5),
    Free("infinitive", "VERB", 10, 0.6),
    Free("nmod", NOUN, 10, 0.45),
    Free("clause", NOUN, 10, 0.3),
)
FREE_RELATIVE, FREE_BARE, FREE_ROLE = 0.4, 0.5, 0.35  # shares, see `_free_of_nouns`


@dataclass(frozen=True)
class Evidence:
    """The facts seen of each word, with counts."""

    facts: Mapping[Word, Mapping[Fact, int]]
    uses: Mapping[Word, int]
    bundles: frozenset[Pair]
    partners: Seen

    @cached_property
    def backed(self) -> frozenset[tuple[str, str, Fact]]:
        """(UPOS, lemma, fact) of what more than one noun was seen with."""
        return backed(self.partners, (NOUN, ("det Sing", "none")) in self.free)

    @cached_property
    def determining(self) -> frozenset[str]:
        """Adjectives that do a determiner's work (`determining.py`)."""
        instead: Counter[str] = Counter()
        for (upos, lemma, partner), n in self.partners.items():
            question, _, number = partner.fact[0].partition(" ")
            if (
                upos == "ADJ"
                and question == "before"
                and self._needs(partner.lemma, (f"det {number}", "none"))
            ):
                instead[lemma] += n
        adjectives = [word for word in self.facts if word[0] == "ADJ"]
        return determining(
            {word[1]: self.facts[word] for word in adjectives},
            {word[1]: self.uses[word] for word in adjectives},
            instead,
        )

    def _needs(self, noun: str, bare: Fact) -> bool:
        """Whether a noun was seen often enough and hardly ever bare, so that it needs a
        determiner."""
        word = (NOUN, noun)
        asked = self.asked.get(word, {}).get(bare[0], 0)
        seen = self.facts.get(word, {}).get(bare, 0)
        return (NOUN, bare) not in self.free and asked >= 5 and seen < MASS.share * asked

    @cached_property
    def asked(self) -> Mapping[Word, Mapping[str, int]]:
        """How often each question arose with a word."""
        table: dict[Word, dict[str, int]] = {}
        for word, facts in self.facts.items():
            counts = table[word] = {}
            for (question, _), n in facts.items():
                counts[question] = counts.get(question, 0) + n
        return table

    @cached_property
    def rates(self) -> Mapping[tuple[str, Fact], float]:
        """Share of each answer among all answers to its question, by UPOS."""
        answers: Counter[tuple[str, Fact]] = Counter()
        for (upos, _), facts in self.facts.items():
            for fact, n in facts.items():
                answers[upos, fact] += n
        totals: Counter[tuple[str, str]] = Counter()
        for (upos, (question, _)), n in answers.items():
            totals[upos, question] += n
        return {(upos, fact): n / totals[upos, fact[0]] for (upos, fact), n in answers.items()}

    @cached_property
    def free(self) -> frozenset[tuple[str, Fact]]:
        """(UPOS, fact) of what no frame asks for."""
        return frozenset((*self._free_beside(), *self._free_of_nouns()))

    def _free_beside(self) -> Iterator[tuple[str, Fact]]:
        for rule in FREE:
            words = [w for w in self.facts if w[0] == rule.upos and self.uses[w] >= rule.uses]
            yield from self._common(rule.upos, words, rule.question, rule.share)

    def _common(
        self, upos: str, words: list[Word], question: str, share: float, start: str = ""
    ) -> Iterator[tuple[str, Fact]]:
        """Facts that a share of the words has been seen with."""
        seen = Counter(
            fact
            for word in words
            for fact in self.facts[word]
            if fact[0] == question and fact[1].startswith(start)
        )
        yield from ((upos, fact) for fact, n in seen.items() if n >= share * len(words))

    def _free_of_nouns(self) -> Iterator[tuple[str, Fact]]:
        """Bare nouns where they are common (no articles, English plurals); else the roles in
        which most bare ones are seen; relative pronouns that go with any noun."""
        nouns = [word for word in self.facts if word[0] == NOUN]
        for bare in sorted({q for word in nouns for q in self.asked[word] if q[:5] == "bare "}):
            det = f"det {bare[5:]}"
            often = [word for word in nouns if self.asked[word].get(det, 0) >= 5]
            able = [
                w for w in often if self.facts[w].get((det, "none"), 0) >= 0.3 * self.asked[w][det]
            ]
            free = len(able) >= FREE_BARE * len(often) > 0
            if free:
                yield NOUN, (det, "none")
            seen = [word for word in nouns if self.asked[word].get(bare, 0) >= (1 if free else 3)]
            yield from self._common(NOUN, seen, bare, 0.0 if free else FREE_ROLE)
        for role in ("nsubj ", "obj "):
            antecedents = [
                w
                for w in nouns
                if any(f[0] == "relative" and f[1].startswith(role) for f in self.facts[w])
            ]
            yield from self._common(NOUN, antecedents, "relative", FREE_RELATIVE, role)

    @cached_property
    def compounds(self) -> bool:
        """Whether any noun may modify another, as in English and Hebrew: a fifth of the nouns
        with five uses have done so."""
        nouns = [w for w in self.facts if w[0] == NOUN and self.uses[w] >= 5]
        seen = sum(("place", "compound") in self.facts[word] for word in nouns)
        return seen >= 0.2 * len(nouns) > 0

    @cached_property
    def counting(self) -> Mapping[Fact, Fact]:
        """("quantified Sing", quantifier) → what it asks of a noun: that it is counted (`every`),
        as after an indefinite article, or not (`much`), as where nothing stands before it."""
        weights: dict[Fact, list[float]] = {}
        for word, facts in self.facts.items():
            for (question, quantifier), n in facts.items():
                if question.startswith("quantified "):
                    det = f"det {question.partition(' ')[2]}"
                    asked = self.asked[word][det]
                    pair = weights.setdefault((question, quantifier), [0.0, 0.0])
                    pair[0] += n * facts.get((det, "ind"), 0) / asked
                    pair[1] += n * facts.get((det, "none"), 0) / asked
        return {
            (question, quantifier): (
                f"det {question.partition(' ')[2]}",
                "ind" if counted >= mass else "none",
            )
            for (question, quantifier), (counted, mass) in weights.items()
        }

    def idioms(self, lemma: str) -> frozenset[Fact]:
        """Ways in which a noun stands that are idioms: bare with one adposition half the time and
        three times at least (*at night*), or with the article alone in a quarter of all its uses
        (*in the end*); or otherwise most often with one adposition and one kind of determiner
        (*ai sensi di*), much more often than other nouns."""
        word = (NOUN, lemma)
        facts = self.facts.get(word, {})
        common = frozenset(fact for fact, n in facts.items() if self._is_usual_place(word, fact, n))
        return common | frozenset(
            (question, role)
            for (question, role), n in facts.items()
            if n >= 3
            and role.startswith("by ")
            and (
                (question == "phrase" and 4 * n >= self.uses[word])
                or (
                    question.startswith("bare ")
                    and 2 * n >= self.asked[word][question]
                    and 10 * n >= self.uses[word]
                )
            )
        )

    def _is_usual_place(self, word: Word, fact: Fact, n: int) -> bool:
        question, _, number = fact[0].partition(" ")
        if question != "within":
            return False
        share = n / self.facts[word][("number", number)]
        often = any(n >= least and share >= part for least, part in USUAL_PLACE)
        return often and share >= USUAL_LIFT * self.rates[NOUN, fact]

    def is_rare(self, word: Word, fact: Fact) -> bool:
        """Whether a fact that a word has not been seen with often enough is one that it had ample
        occasion for: the use at hand is an idiom or an error."""
        if fact[0] == "nmod":
            return False  # one of many places that a noun may have below it
        least = SHOWN.get(fact[0].partition(" ")[0])
        if least is None or least.of_all:
            return self.uses.get(word, 0) >= AMPLE
        return self.asked.get(word, {}).get(fact[0], 0) >= AMPLE

    def able(self, word: Word, bundled: int) -> frozenset[Fact]:
        """What a word may be asked for; `bundled`: how often it was the noun of a bundle."""
        facts, asked = self.facts[word], self.asked[word]
        if word[0] == "ADJ" and word[1] in self.determining:
            return frozenset()
        idioms = self.idioms(word[1]) if word[0] == NOUN else frozenset()
        if any(facts[each] >= IDIOMATIC * self.uses[word] for each in idioms):
            return frozenset()
        shown = (fact for fact, n in facts.items() if self._shown(word, fact, n, idioms, bundled))
        return frozenset((*shown, *self._not_barred(word, asked)))

    def _shown(self, word: Word, fact: Fact, n: int, idioms: frozenset[Fact], bundled: int) -> bool:
        question, answer = fact
        kind, _, number = question.partition(" ")
        if fact in idioms or is_open(fact):
            return False  # open facts: `_not_barred`
        if kind in BACKED and (*word, fact) not in self.backed:
            return False
        if (
            word[0] == "ADJ"
            and kind == "alone"
            and answer == "yes"
            and governs(self.facts[word], question)
        ):
            return False
        total = self.uses[word]
        least = SHOWN.get(kind)
        if least is None:
            return True
        if not least.of_all:
            total = self.asked[word][question]
        if kind == "article":
            share = ARTICLED.get(answer, WITH_ARTICLE)
            least = Least(least.uses, share)
        if word[0] == "VERB" and fact == ("args ", ""):
            least = INTRANSITIVE
        if kind == "det" and answer == "none":
            least = MASS
            n -= bundled + sum(
                k
                for each, k in self.facts[word].items()
                if each in idioms and each[0] == f"bare {number}"
            )
        return n >= least.uses and n >= least.share * total

    def _not_barred(self, word: Word, asked: Mapping[str, int]) -> Iterator[Fact]:
        for upos, fact in self.open_facts:
            if upos == word[0] and (
                fact in self.facts[word]
                or asked.get(fact[0], 0) * self.rates[upos, fact] < OCCASIONS
            ):
                yield fact

    @cached_property
    def open_facts(self) -> tuple[tuple[str, Fact], ...]:
        return tuple(each for each in self.rates if is_open(each[1]))


def is_open(fact: Fact) -> bool:
    """Whether a fact holds of any word that does not show otherwise."""
    question, answer = fact
    if question == "order":
        return answer != "before numeral"
    if question == "number" or question.startswith("attribute "):
        return True
    return (question.startswith("det ") and answer == "def") or (
        question == "det Plur" and answer in ("none", "num")
    )


def collect(
    uses: Mapping[tuple[str, str, tuple[Fact, ...]], int],
    bundles: frozenset[Pair],
    partners: Seen,
) -> Evidence:
    """Evidence from counted uses: (UPOS, lemma, facts) → times seen; and from partners."""
    facts: dict[Word, Counter[Fact]] = {}
    totals: Counter[Word] = Counter()
    for (upos, lemma, own), n in uses.items():
        word = (upos, lemma)
        totals[word] += n
        table = facts.setdefault(word, Counter())
        for fact in own:
            table[fact] += n
    return Evidence(facts, totals, bundles, partners)
