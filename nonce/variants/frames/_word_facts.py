"""What a treebank shows of each word: which facts were seen of it often enough to rely on.

A fact is an answer to a question (*which arguments?* – *obj*). Three kinds of fact are told apart:

* **free** ones are so common that they say nothing of a word (`in` beside a verb, no article in
  Russian); no frame asks for them;
* **open** ones hold of most words (an adjective before a definite noun), so that only a word that
  was never seen so, though it had occasion to, cannot have them;
* all others must have been **shown**: seen in enough uses, and in enough of the word's uses.

Two things need more than one word's counts. An adposition below a verb, adjective or noun may
belong to another (*from the destination to the bus*) or to an adverbial that goes with any verb
(*entrare di nascosto*): so two nouns must have been seen with it, and neither of these two ways
counts. And an adjective may do a determiner's work (*many*, *such*, *same*; Italian *altro*): it
stands before a noun nearly always in the plural, or never after an indefinite article where it was
to be expected, or before determiners, or before nouns that do not stand without one.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from ._use import BARE, EXPLETIVE, Collocation, Fact, NounPartner
from .frame_thresholds import FrameThresholds, UseThreshold

PosLemma: TypeAlias = tuple[str, str]
"""(UPOS, lemma in small letters)"""
NOUN = "NOUN"
BACKED = frozenset({"nmod", "obl"})  # questions of which one noun is no evidence
INNER = frozenset(
    {"phrase", "compounded", "determining", "within", "before", "graded"}
)  # no frame asks


@dataclass(frozen=True)
class FrameEvidence:
    """The facts seen of each word, with counts; what follows from them is worked out once."""

    thresholds: FrameThresholds
    facts: Mapping[PosLemma, Counter[Fact]]
    uses: Counter[PosLemma]
    bundles: frozenset[Collocation]
    partners: Mapping[tuple[str, str, NounPartner], int]  # (UPOS, lemma, with what) → times

    @cached_property
    def asked(self) -> Mapping[PosLemma, Counter[str]]:
        """Count how often each question arose with a word."""
        table: dict[PosLemma, Counter[str]] = {}
        for word, facts in self.facts.items():
            counts = table[word] = Counter()
            for (question, _), n in facts.items():
                counts[question] += n
        return table

    @cached_property
    def variety(self) -> Mapping[tuple[str, Fact], int]:
        """Count how many words of a part of speech were seen with a fact."""
        seen: Counter[tuple[str, Fact]] = Counter()
        for (upos, _), facts in self.facts.items():
            seen.update((upos, fact) for fact in facts)
        return seen

    @cached_property
    def articles(self) -> bool:
        """Tell whether nouns have articles."""
        rate = self.rates.get((NOUN, ("det Sing", "def")), 0.0)
        return rate >= self.thresholds.articles

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

    # what frames ask

    def demands(self, upos: str, facts: Iterable[Fact]) -> frozenset[Fact]:
        """Return what a frame asks of the word that fills it: the facts of the use less the free
        ones."""
        demanded: set[Fact] = set()
        for fact in facts:
            kind, _, number = fact[0].partition(" ")
            if kind == "quantified" and number != "Plur":
                fact = self.counting.get(fact, fact)
            elif (
                kind in INNER
                or kind == "quantified"
                or (kind == "det" and fact[1] == "quant")
                or (kind == "alone" and fact[1] == "no")
            ):
                continue
            if (upos, fact) not in self.free:
                demanded.add(fact)
        return frozenset(demanded)

    @cached_property
    def counting(self) -> Mapping[Fact, Fact]:
        """("quantified Sing", quantifier) → what it asks of a noun: that it is counted (`every`),
        as after an indefinite article, or not (`much`), as where nothing stands before it."""
        weights: dict[Fact, list[float]] = {}
        for word, facts in self.facts.items():
            for (question, quantifier), n in facts.items():
                if question.startswith("quantified "):
                    det = f"det {question.partition(' ')[2]}"
                    n_asked = self.asked[word][det]
                    pair = weights.setdefault((question, quantifier), [0.0, 0.0])
                    pair[0] += n * facts.get((det, "ind"), 0) / n_asked
                    pair[1] += n * facts.get((det, "none"), 0) / n_asked
        return {
            (question, quantifier): (
                f"det {question.partition(' ')[2]}",
                "ind" if counted >= mass else "none",
            )
            for (question, quantifier), (counted, mass) in weights.items()
        }

    @cached_property
    def free(self) -> frozenset[tuple[str, Fact]]:
        """(UPOS, fact) of what no frame asks for: what is common beside words of a kind; bare nouns
        where they are common (no articles, English plurals), else the roles in which most bare ones
        are seen; relative pronouns that go with any noun."""
        t = self.thresholds
        free: set[tuple[str, Fact]] = set()
        for rule in t.free:
            words = [w for w in self.facts if w[0] == rule.upos and self.uses[w] >= rule.uses]
            free.update(self._common(rule.upos, words, rule.question, rule.share))
        nouns = [word for word in self.facts if word[0] == NOUN]
        for bare in {q for word in nouns for q in self.asked[word] if q[:5] == "bare "}:
            zero = (f"det {bare[5:]}", "none")
            often = [w for w in nouns if self.asked[w][zero[0]] >= t.often_determined]
            n_able = sum(
                self.facts[w][zero] >= t.often_bare * self.asked[w][zero[0]] for w in often
            )
            is_free = n_able >= t.free_bare * len(often) > 0
            if is_free:
                free.add((NOUN, zero))
            minimum = 1 if is_free else t.bare_uses
            seen = [word for word in nouns if self.asked[word][bare] >= minimum]
            free.update(self._common(NOUN, seen, bare, 0.0 if is_free else t.free_role))
        for role in ("nsubj ", "obj "):
            antecedents = [
                w
                for w in nouns
                if any(f[0] == "relative" and f[1].startswith(role) for f in self.facts[w])
            ]
            free.update(self._common(NOUN, antecedents, "relative", t.free_relative, role))
        return frozenset(free)

    def _common(
        self, upos: str, words: list[PosLemma], question: str, share: float, start: str = ""
    ) -> Iterator[tuple[str, Fact]]:
        """Facts that a share of the words has been seen with."""
        seen = Counter(
            fact
            for word in words
            for fact in self.facts[word]
            if fact[0] == question and fact[1].startswith(start)
        )
        yield from ((upos, fact) for fact, n in seen.items() if n >= share * len(words))

    @cached_property
    def compounds(self) -> bool:
        """Tell whether any noun may modify another, as in English and Hebrew."""
        min_uses, share = self.thresholds.compounds
        nouns = [w for w in self.facts if w[0] == NOUN and self.uses[w] >= min_uses]
        seen = sum(("place", "compound") in self.facts[word] for word in nouns)
        return seen >= share * len(nouns) > 0

    # what words can do

    def able(self, word: PosLemma, bundled: int) -> frozenset[Fact]:
        """Return what a word may be asked for; `bundled`: how often it was the noun of a bundle."""
        facts, asked = self.facts[word], self.asked[word]
        if word[0] == "ADJ" and word[1] in self.determining:
            return frozenset()
        idioms = self.idioms(word[1]) if word[0] == NOUN else frozenset()
        t = self.thresholds
        if any(facts[idiom] >= t.idiomatic * self.uses[word] for idiom in idioms):
            return frozenset()
        attested = {
            fact for fact, n in facts.items() if self._is_attested(word, fact, n, idioms, bundled)
        }
        attested.update(
            fact
            for upos, fact in self._open
            if upos == word[0]
            and (fact in facts or asked[fact[0]] * self.rates[upos, fact] < t.occasions)
        )
        return frozenset(attested)

    def _is_attested(
        self, word: PosLemma, fact: Fact, n: int, idioms: frozenset[Fact], bundled: int
    ) -> bool:
        """Tell whether a word was seen with a fact often enough."""
        question, answer = fact
        kind, _, number = question.partition(" ")
        if fact in idioms or is_open(fact):
            return False
        if kind in BACKED and (*word, fact) not in self.backed:
            return False
        if word[0] == "ADJ" and kind == "alone" and answer == "yes" and self._governs(word, fact):
            return False
        t = self.thresholds
        requirement = t.attested.get(kind)
        if requirement is None:
            return True
        total = self.uses[word] if requirement.of_all else self.asked[word][question]
        if kind == "article":
            share = t.bare_name if answer == "none" else t.named_with_article
            requirement = UseThreshold(requirement.uses, share)
        elif word[0] == "VERB" and fact == ("args ", ""):
            requirement = t.intransitive
        elif kind == "det" and answer == "none":
            requirement, bare, facts = t.mass, f"bare {number}", self.facts[word]
            n -= bundled + sum(facts[idiom] for idiom in idioms if idiom[0] == bare)
        return requirement.reached(n, total)

    @cached_property
    def _open(self) -> tuple[tuple[str, Fact], ...]:
        return tuple((upos, fact) for upos, fact in self.rates if is_open(fact))

    def is_rare(self, word: PosLemma, fact: Fact) -> bool:
        """Tell whether a fact that a word has not been seen with often enough is one that it had
        ample occasion for: the use at hand is an idiom or an error."""
        if word not in self.facts or fact[0] == "nmod":  # one of many places below a noun
            return False
        requirement = self.thresholds.attested.get(fact[0].partition(" ")[0])
        of_all = requirement is None or requirement.of_all
        n = self.uses[word] if of_all else self.asked[word][fact[0]]
        return n >= self.thresholds.ample

    def is_transitive(self, word: PosLemma) -> bool:
        """Tell whether a verb has an object in most of its uses."""
        counts = {a: n for (q, a), n in self.facts.get(word, {}).items() if q == "args "}
        with_object = sum(n for args, n in counts.items() if "obj+" in args.split())
        return self.thresholds.transitive.reached(with_object, sum(counts.values()))

    def idioms(self, lemma: str) -> frozenset[Fact]:
        """Ways in which a noun stands that are idioms: mostly bare with one adposition (*at
        night*), or with the article alone (*in the end*); or otherwise most often with one
        adposition and one kind of determiner (*ai sensi di*), much more often than other nouns."""
        t, word = self.thresholds, (NOUN, lemma)
        facts, uses = self.facts.get(word, Counter[Fact]()), self.uses[word]
        idioms: set[Fact] = set()
        for fact, n in facts.items():
            kind, _, number = fact[0].partition(" ")
            if kind == "within":
                share = n / facts[("number", number)]
                often = any(n >= limit.uses and share >= limit.share for limit in t.usual_position)
                is_idiom = often and share >= t.usual_lift * self.rates[NOUN, fact]
            elif not fact[1].startswith("by "):
                is_idiom = False
            elif kind == "bare":
                often = t.idiom_bare.reached(n, self.asked[word][fact[0]])
                is_idiom = often and n / uses >= t.idiom_bare_of_all
            else:
                is_idiom = kind == "phrase" and t.idiom_phrase.reached(n, uses)
            if is_idiom:
                idioms.add(fact)
        return frozenset(idioms)

    @cached_property
    def backed(self) -> frozenset[tuple[str, str, Fact]]:
        """(UPOS, lemma, fact) of what more than one noun was seen with."""
        bare_nouns = (NOUN, ("det Sing", "none")) in self.free  # then no sign of an adverbial
        paired = self._correlatives()
        lemmas: dict[tuple[str, str, Fact], set[str]] = {}
        for upos, lemma, (fact, partner, adposition) in self.partners:
            apart = (adposition, fact) in paired or (adposition == BARE and not bare_nouns)
            if fact[0] in BACKED and not apart:
                lemmas.setdefault((upos, lemma, fact), set()).add(partner)
        minimum = self.thresholds.backed
        return frozenset(key for key, partners in lemmas.items() if len(partners) >= minimum)

    def _correlatives(self) -> frozenset[tuple[str, Fact]]:
        """Return pairs of a noun's own adposition and one below it that come together: *from* and
        *to*."""
        pairs, outer, inner = Counter[tuple[str, Fact]](), Counter[str](), Counter[Fact]()
        for (_, _, (fact, _, adposition)), n in self.partners.items():
            if fact[0] == "nmod":
                pairs[adposition, fact] += n
                outer[adposition] += n
                inner[fact] += n
        total = pairs.total()
        min_times, lift = self.thresholds.correlative
        return frozenset(
            (adposition, fact)
            for (adposition, fact), n in pairs.items()
            if adposition and n >= min_times and n * total >= lift * outer[adposition] * inner[fact]
        )

    # adjectives

    @cached_property
    def determining(self) -> frozenset[str]:
        """Adjectives that do a determiner's work, so that they cannot stand for another."""
        t, no_facts = self.thresholds, Counter[Fact]()
        tallies: dict[str, Counter[str]] = {}  # of each adjective: how often it stands where
        for (upos, lemma), facts in self.facts.items():
            if upos == "ADJ":
                counts = tallies[lemma] = Counter()
                for (question, answer), n in facts.items():
                    kind, _, number = question.partition(" ")
                    if kind == "before":
                        counts["noun"] += n
                        counts[number] += n
                        counts["after indefinite"] += n * (number == "Sing" and answer == "ind")
                counts["before determiner"] = facts["determining", "before"]
        for (upos, lemma, partner), n in self.partners.items():
            kind, _, number = partner.fact[0].partition(" ")
            if upos == "ADJ" and kind == "before":  # a bare noun; does it need a determiner?
                noun, bare = (NOUN, partner.lemma), (f"det {number}", "none")
                n_asked = self.asked[noun][bare[0]] if noun in self.facts else 0
                rarely = self.facts.get(noun, no_facts)[bare] < t.mass.share * n_asked
                if n_asked >= t.needs_determiner and rarely and (NOUN, bare) not in self.free:
                    tallies[lemma]["instead"] += n
        usual = sum(tallies.values(), Counter[str]())

        def is_determining(lemma: str, tally: Counter[str]) -> bool:
            if tally["noun"] >= t.plural.uses and tally["Plur"] >= t.plural.share * tally["noun"]:
                return True
            if t.before_determiner.reached(tally["before determiner"], self.uses["ADJ", lemma]):
                return True
            expected = tally["Sing"] * usual["after indefinite"] / max(1, usual["Sing"])
            by_chance, share = t.indefinite
            if expected >= by_chance and tally["after indefinite"] <= share * tally["Sing"]:
                return True
            rate = usual["instead"] / max(1, usual["noun"])
            often = tally["instead"] >= t.instead.share * rate * tally["noun"]
            rare_after = tally["after indefinite"] < expected
            return often and tally["instead"] >= t.instead.uses and rare_after

        return frozenset(lemma for lemma, tally in tallies.items() if is_determining(lemma, tally))

    def _governs(self, word: PosLemma, fact: Fact) -> bool:
        """Tell whether an adjective mostly governs something where it is attribute (or
        predicate, as the question `alone attribute …` says), or, if it is rarely one, anywhere:
        *capace di*."""
        t, mode = self.thresholds.ungoverned, fact[0].split()[1]
        alone_counts = {f: n for f, n in self.facts[word].items() if f[0].startswith("alone ")}
        in_mode = {f: n for f, n in alone_counts.items() if f[0].split()[1] == mode}
        counts = in_mode if sum(in_mode.values()) >= t.uses else alone_counts
        ungoverned = sum(
            n for (question, answer), n in counts.items()
            if answer == "yes" and len(question.split()) == 2
        )  # fmt: skip
        return ungoverned < t.share * sum(counts.values())


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


def bundles(
    pairs: Mapping[Collocation, int], uses: Mapping[str, int], thresholds: FrameThresholds
) -> frozenset[Collocation]:
    """Words that come together, light verbs and their nouns, bare adverbials, *let … know*: pairs
    of which the rarer is often found with the other. `uses`: how often each lemma was seen."""

    def is_bundle(pair: Collocation, n: int) -> bool:
        if pair.relation == EXPLETIVE:
            return thresholds.expletive.reached(n, uses[pair.head])
        rarer = min(uses[pair.head], uses[pair.dependent])
        return any(requirement.reached(n, rarer) for requirement in thresholds.bundle)

    return frozenset(pair for pair, n in pairs.items() if is_bundle(pair, n))


def verb_adjective_pairs(
    pairs: Mapping[Collocation, int], articles: bool, thresholds: FrameThresholds
) -> frozenset[Collocation]:
    """Pairs of a verb and an adjective (*nötig haben* "need"), or, in a language with articles, a
    bare noun (*napirendre kerül* "comes on the agenda"), where the verb was seen with too few of
    them in this relation to tell an idiom from a phrase."""
    kinds = ("ADJ", NOUN) if articles else ("ADJ",)
    seen: dict[tuple[str, str, str], set[str]] = {}
    for pair in pairs:
        seen.setdefault(pair[:3], set()).add(pair.dependent)
    limit = thresholds.bare_partners
    return frozenset(pair for pair in pairs if pair.upos in kinds and len(seen[pair[:3]]) < limit)
