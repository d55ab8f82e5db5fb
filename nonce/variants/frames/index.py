"""The frame of a slot, and which words may stand in it."""

import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple, TypeAlias

from ....data.items.features import normal, parse_feats
from ....data.items.tree import Sentence, Tree
from ....miner.search.filters import nouns
from ....miner.treebank.paradigms import Analysis
from ....miner.treebank.view import TreeView, key_of
from ._noun_frames import determiner_of, use_of_name, use_of_noun
from ._predicate_frames import GAP, GOVERNED_CLAUSES, use_of_adjective, use_of_adverb, use_of_verb
from ._use import (
    Collocation,
    Fact,
    NounPartner,
    WordUse,
    collocation_at,
    collocations_of,
    determiner_disagrees,
)
from ._word_facts import NOUN, FrameEvidence, PosLemma, bundles, verb_adjective_pairs
from .frame_thresholds import FrameThresholds
from .usable_forms import (
    UsableForms,
    closed_class,
    has_clitic_accent,
    is_truncated,
    misspelt_rows,
    takes_clitic_accent,
    truncated_rows,
    usable_forms_of,
)

Reader: TypeAlias = Callable[[TreeView, int], WordUse]
READERS: Mapping[str, Reader] = {
    "VERB": use_of_verb,
    "NOUN": use_of_noun,
    "PROPN": use_of_name,
    "ADJ": use_of_adjective,
    "ADV": use_of_adverb,
}
CONTENT = frozenset(READERS)
CLITIC = frozenset({"DET", "PRON"})
CONCORD = ("Case", "Number")  # of a noun and its determiners, where the language has it
KINDS = {"ADJ": "determining", "VERB": "idioms", "NOUN": "counts"}  # of `languages.toml`
COMPOUND = frozenset({("place", "compound"), ("compounded", "yes")})
NO_FACTS: frozenset[Fact] = frozenset()


class Frame(NamedTuple):
    """The demands of a slot on the word that fills it."""

    upos: str
    demands: frozenset[Fact]
    ending: str = ""  # last letter, where it tells what FEATS do not
    before_clitic: bool = False  # whether what follows would put a second accent on it


class FrameSlot(NamedTuple):
    """A word's frame, and why it must stay as it is ("" where it is free)."""

    frame: Frame
    bound: str


@lru_cache
def lemmas_of(kind: str, language: str) -> frozenset[str]:
    """Lemmas of a language that frames leave alone, from `languages.toml`."""
    text = (files(__package__) / "languages.toml").read_text(encoding="utf-8")
    table: dict[str, dict[str, list[str]]] = tomllib.loads(text)
    return frozenset(table.get(language, {}).get(kind, ()))


class FrameCounter:
    """Counts what words are used with, sentence by sentence; keeps no sentence.

    Args:
        language: BCP-47 code.
        thresholds: what must be seen how often.

    Attributes:
        language: as given.
        thresholds: as given.
        uses: (UPOS, lemma, facts of a use) → times.
        partners: (UPOS, lemma, noun that a use was seen with) → times.
        collocations: verb and word below it that could be a bundle → times.
        analyses: (form, lemma, UPOS, FEATS) → times.
        contradicted: (feature, analysis of a noun) → times that a determiner has another value.
        compared: (feature, whether the determiner's value is another) → times that both tell it.
        clitics: (form in small letters, UPOS) of words after one with an accent for them.

    >>> from colorless_green.data import sample
    >>> from colorless_green.miner import sentences, treebank
    >>> bank = [sentence for _, sentence in sentences(treebank([sample.treebank("en")]))]
    >>> counter = FrameCounter("en")
    >>> for sentence in bank:
    ...     counter.observe(sentence)
    >>> index, first = counter.index(), bank[0]  # Some old editors ignored that actor.
    >>> verb = index.frame_of(first, 3)
    >>> [index.admits(verb, form, lemma, "VERB", first.feats[3])
    ...     for form, lemma in (("admired", "admire"), ("arrived", "arrive"))]
    [True, False]
    """

    def __init__(self, language: str, thresholds: FrameThresholds = FrameThresholds()) -> None:
        self.language = language  # BCP-47
        self.thresholds = thresholds
        self.uses: Counter[tuple[str, str, tuple[Fact, ...]]] = Counter()
        self.partners: Counter[tuple[str, str, NounPartner]] = Counter()
        self.collocations: Counter[Collocation] = Counter()
        self.analyses: Counter[Analysis] = Counter()
        self.contradicted: Counter[tuple[str, Analysis]] = Counter()  # by a determiner: feature
        self.compared: Counter[tuple[str, bool]] = Counter()  # feature, whether told otherwise
        self.clitics: set[tuple[str, str]] = set()

    def observe(self, sentence: Sentence) -> None:
        """Count the words of one sentence.

        Args:
            sentence: of the treebank.
        """
        view = TreeView(sentence)
        self.analyses.update(zip(view.forms, view.lemmas, view.upos, view.feats, strict=True))
        for row in (*misspelt_rows(sentence), *truncated_rows(view)):  # none may be drawn
            self.analyses[view.forms[row], view.lemmas[row], view.upos[row], view.feats[row]] -= 1
        for index, upos in enumerate(view.upos):
            read = READERS.get(upos)
            use = read(view, index) if read is not None else None
            if use is not None and use.is_informative:
                lemma = view.key(index)
                self.uses[upos, lemma, use.facts] += 1
                for partner in use.partners:
                    self.partners[upos, lemma, partner] += 1
            if index and upos in CLITIC and has_clitic_accent(view.forms[index - 1]):
                self.clitics.add((view.forms[index].lower(), upos))
            collocation = collocation_at(view, index)
            if collocation is not None:
                self.collocations[collocation] += 1
            for name in CONCORD if upos == NOUN else ():
                disagrees = determiner_disagrees(view, index, name)
                if disagrees is not None:
                    self.compared[name, disagrees] += 1
                if disagrees:
                    noun = view.forms[index], view.lemmas[index], NOUN, view.feats[index]
                    self.contradicted[name, noun] += 1

    def index(self) -> "FrameIndex":
        """Return what has been learned so far.

        Returns:
            The frames of words, and which words may stand in them.
        """
        facts: dict[PosLemma, Counter[Fact]] = {}
        uses, by_lemma, bundled = Counter[PosLemma](), Counter[str](), Counter[PosLemma]()
        for (upos, lemma, seen), n in self.uses.items():
            uses[upos, lemma] += n
            counts = facts.setdefault((upos, lemma), Counter())
            for fact in seen:
                counts[fact] += n
        for (form, lemma, _, _), n in self.analyses.items():
            by_lemma[key_of(form, lemma)] += n
        fixed = bundles(self.collocations, by_lemma, self.thresholds)
        for collocation in fixed:
            bundled[collocation.upos, collocation.dependent] += self.collocations[collocation]
        evidence = FrameEvidence(self.thresholds, facts, uses, fixed, self.partners)
        concord = tuple(
            name
            for name in CONCORD
            if self.thresholds.concord.reached(
                self.compared[name, False], self.compared[name, False] + self.compared[name, True]
            )
        )
        wrong: Counter[Analysis] = Counter()
        for (name, noun), n in self.contradicted.items():
            wrong[noun] += n if name in concord else 0
        fixed |= verb_adjective_pairs(self.collocations, evidence.articles, self.thresholds)
        evidence = replace(evidence, bundles=fixed)
        _ = evidence.free, evidence.counting, evidence.compounds  # now, not at the first slot
        return FrameIndex(
            self.language.partition("-")[0],
            evidence,
            {word: evidence.able(word, bundled[word]) for word in evidence.facts},
            usable_forms_of(self.analyses, CONTENT, self.language, self.thresholds, wrong),
            concord,
            frozenset(self.clitics),
        )


@dataclass(frozen=True)
class FrameIndex:
    """The words that may stand in a place, learned from a treebank. Built by `FrameCounter.index`.

    Attributes:
        language: BCP-47 code, without region.
        evidence: facts seen of each word, with counts.
        able: (UPOS, lemma) → what a frame may ask of it.
        usable_forms: which forms may be drawn.
        concord: features in which nouns and their determiners are alike.
        clitics: (form in small letters, UPOS) of words that put an accent on the word before them.
    """

    language: str
    evidence: FrameEvidence
    able: Mapping[PosLemma, frozenset[Fact]]
    usable_forms: UsableForms
    concord: tuple[str, ...] = ()
    clitics: frozenset[tuple[str, str]] = frozenset()

    def frame_of(self, words: Sentence | Tree, index: int) -> Frame:
        """Return the frame that a word stands in; without meaning where the word is bound.

        Args:
            words: the sentence.
            index: of the word, from 0.

        Returns:
            What the slot asks of a word that fills it.
        """
        return self._slot(TreeView(words), index).frame

    def bound(self, words: Sentence | Tree, index: int) -> str:
        """Return why a word must stay as it is.

        Args:
            words: the sentence.
            index: of the word, from 0.

        Returns:
            The reason; "" where it is free.
        """
        return self._slot(TreeView(words), index).bound

    def slots(self, words: Sentence | Tree) -> tuple[FrameSlot, ...]:
        """Frame and reason of every word, the tree looked at once.

        Args:
            words: the sentence.

        Returns:
            One entry per word, in order.
        """
        view = TreeView(words)
        return tuple(self._slot(view, index) for index in range(len(view)))

    def admits(self, frame: Frame, form: str, lemma: str, upos: str, feats: str) -> bool:
        """Tell whether a word has been seen to do all that a frame asks, and its form is sound.

        Args:
            frame: of the slot.
            form: of the word.
            lemma: of the word.
            upos: its part of speech.
            feats: its FEATS.

        Returns:
            Whether it may fill the slot.
        """
        key = key_of(form, lemma)
        return (
            upos == frame.upos
            and frame.demands <= self.able.get((upos, key), NO_FACTS)
            and (form, lemma, upos, normal(feats)) in self.usable_forms.analyses
            and form.lower().endswith(frame.ending)
            and not (frame.before_clitic and takes_clitic_accent(form))
            and not closed_class(upos, form, feats, self.usable_forms.endings)
            and key not in lemmas_of(KINDS.get(upos, ""), self.language)
            and not (upos == NOUN and self._is_time(key, frame.demands))
        )

    def is_sound(self, form: str, lemma: str, upos: str) -> bool:
        """Tell whether a form is neither a likely misspelling nor accented for a clitic.

        Args:
            form: the wrong form of a target.
            lemma: its lemma.
            upos: its part of speech.
        """
        slip = (form.lower(), lemma, upos) in self.usable_forms.slips
        return not slip and not has_clitic_accent(form)

    def _is_time(self, noun: str, facts: Iterable[Fact]) -> bool:
        """Tell whether a noun of time stands with an adposition or in a case of adverbials."""
        in_phrase = any(question == "role" for question, _ in facts)
        return in_phrase and noun in lemmas_of("times", self.language)

    def _slot(self, view: TreeView, index: int) -> FrameSlot:
        upos = view.upos[index]
        read = READERS.get(upos)
        if read is None:
            reason = "numeral" if upos == "NUM" else "function word"
            return FrameSlot(Frame(upos, NO_FACTS), reason)
        use = read(view, index)
        cell = (upos, normal(view.feats[index]))
        ending = view.forms[index][-1:].lower() if cell in self.usable_forms.inflected else ""
        follows = view.forms[index + 1 : index + 2], view.upos[index + 1 : index + 2]
        before_clitic = any(
            (form.lower(), tag) in self.clitics for form, tag in zip(*follows, strict=True)
        )
        demands = self.evidence.demands(upos, use.facts)
        frame = Frame(upos, demands, ending, before_clitic)
        return FrameSlot(frame, self._reason(view, index, use, frame))

    def _reason(self, view: TreeView, index: int, use: WordUse, frame: Frame) -> str:
        upos, lemma, form = frame.upos, view.key(index), view.forms[index]
        word = (upos, lemma)
        if use.bound and not (use.bound == GAP and self.evidence.is_transitive(word)):
            return use.bound
        if has_clitic_accent(form):
            return "accent of a clitic"
        if view.feature(index, "ExtPos"):
            return "fixed"
        if lemma in lemmas_of(KINDS.get(upos, ""), self.language):
            return "idiom" if upos == "VERB" else "quantifier"
        cell = (upos, normal(view.feats[index]))
        if cell in self.usable_forms.citation and is_truncated(form, view.lemmas[index]):
            return "truncated form"
        if upos == "VERB" and cell in self.usable_forms.citation and form.lower() != lemma:
            return "form with a particle"  # *festzustellen*
        if use.clause >= 0 and not self._lacks_object(view, use.clause):
            return "adverbial relative"
        reason = closed_class(upos, form, view.feats[index], self.usable_forms.endings)
        if reason:
            return reason
        if upos == NOUN:
            reason = self._reason_of_noun(view, index, use)
        elif upos == "ADJ":
            reason = self._reason_of_adjective(view, index, use)
        if reason:
            return reason
        if upos == "VERB" and view.relations[index] == "xcomp":
            clauses = view.dependents(view.heads[index], "ccomp")
            if any(clause > index for clause in clauses):
                return "clause beside it"  # *sich fragen lassen, warum …*
        if any(
            collocation in self.evidence.bundles for collocation in collocations_of(view, index)
        ):
            return "bundle"
        missing = frame.demands - self.able.get(word, NO_FACTS)
        return "rare use" if any(self.evidence.is_rare(word, fact) for fact in missing) else ""

    def _reason_of_noun(self, view: TreeView, index: int, use: WordUse) -> str:
        lemma = view.key(index)
        feats = parse_feats(view.feats[index])
        if any(name not in feats for name in self.usable_forms.marked):
            return "untold feature"
        if lemma in nouns("quantity", self.language):
            return "quantity"
        if not (self.evidence.compounds or COMPOUND.isdisjoint(use.facts)):
            return "bundle"
        if not self.evidence.idioms(lemma).isdisjoint(use.facts):
            return "bundle"
        if any(determiner_disagrees(view, index, name) for name in self.concord):
            return "disagreement"
        t, variety = self.evidence.thresholds, self.evidence.variety
        if any(f[0][:7] == "within " and variety.get((NOUN, f), 0) < t.variety for f in use.facts):
            return "fixed phrase"  # its adposition and determiner were seen with few nouns
        if self._is_time(lemma, use.facts):
            return "time"
        if determiner_of(view, index)[0] == "none" and any(
            view.key(adjective) in lemmas_of("determining", self.language)
            for adjective in view.dependents(index, "amod")
        ):
            return "fixed phrase"  # *egész évben* "the whole year"
        if self.evidence.articles and self._shares_determiner(view, index):
            return "bundle"
        if not view.dependents(index, "nummod"):
            return ""
        facts = self.evidence.facts.get((NOUN, lemma), Counter[Fact]())
        counted = sum(n for (_, answer), n in facts.items() if answer == "num")
        uses = self.evidence.uses.get((NOUN, lemma), 0)
        return "measure" if counted >= self.evidence.thresholds.unit * uses else ""

    def _shares_determiner(self, view: TreeView, index: int) -> bool:
        """Tell whether a noun is coordinated with another, and the second has no determiner of its
        own: *in Amt und Würde*, *auf diese Art und Weise*, *i trasferimenti e passaggi*."""
        head = view.first_conjunct(index)
        conjuncts = [noun for noun in view.dependents(head, "conj") if view.upos[noun] == NOUN]
        return any(
            determiner_of(view, noun)[0] == "none"
            and not view.marked_by(noun)
            and (view.feature(noun, "Number") != "Plur" or determiner_of(view, head)[0] != "none")
            and index in (noun, head)
            for noun in conjuncts
        )

    def _reason_of_adjective(self, view: TreeView, index: int, use: WordUse) -> str:
        """Return why an adjective stays: it may stand for the determiner that its noun needs, as
        *altra scuola*."""
        if view.key(index) in self.evidence.determining:
            return "quantifier"
        t, variety = self.evidence.thresholds, self.evidence.variety
        if any(f[0] == "graded" and variety.get(("ADJ", f), 0) < t.graded for f in use.facts):
            return "bundle"  # *tuiki tärkeä* "utterly important"
        for question, answer in use.facts:
            kind, _, number = question.partition(" ")
            bare = (f"det {number}", "none")
            if kind != "attribute" or answer != "none" or number == "Plur":
                continue
            noun = (NOUN, view.key(view.heads[view.first_conjunct(index)]))
            free = (NOUN, bare) in self.evidence.free
            if not free and bare not in self.able.get(noun, NO_FACTS):
                return "instead of a determiner"
        return ""

    def _lacks_object(self, view: TreeView, clause: int) -> bool:
        """Tell whether the lowest predicate of a clause without a relative pronoun has lost its
        object: *the book I want to read*, not *the day I arrived*."""
        for _ in range(len(view)):
            below = view.dependents(clause, *GOVERNED_CLAUSES)
            if not below:
                break
            clause = below[-1]
        return (
            view.upos[clause] == "VERB"
            and use_of_verb(view, clause).bound == GAP
            and self.evidence.is_transitive(("VERB", view.key(clause)))
        )
