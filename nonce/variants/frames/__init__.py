"""Frames: what a word is used with, learned from a treebank, for the matching level `+frame`; and
which words may stand in a slot.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ....data.items.features import normal
from ....data.items.tree import Sentence, Tree
from ....miner.search.filters import nouns
from ....miner.treebank.paradigms import Analysis
from ....miner.treebank.view import TreeView, key_of
from ..ambiguity.pair import entries
from ._noun_frames import (
    Fact,
    WordUse,
    determiner_disagrees,
    determiner_of,
    use_of_name,
    use_of_noun,
)
from ._predicate_frames import use_of_adjective, use_of_adverb, use_of_verb
from ._word_facts import (
    NOUN,
    Collocation,
    PosLemma,
    WordFacts,
    bundles_of,
    collocation_at,
    idiomatic_pairs,
)
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

READERS: Mapping[str, Callable[[TreeView, int], WordUse]] = {
    "VERB": use_of_verb,
    "NOUN": use_of_noun,
    "PROPN": use_of_name,
    "ADJ": use_of_adjective,
    "ADV": use_of_adverb,
}
CONTENT = frozenset(READERS)
CLITIC = frozenset({"DET", "PRON"})
KINDS = {"ADJ": "determining", "VERB": "idioms", "NOUN": "counts"}  # of `languages.toml`
COMPOUND = frozenset({("place", "compound"), ("compounded", "yes")})
NO_FACTS: frozenset[Fact] = frozenset()
VARIETY = 4  # nouns seen in a pattern (adposition and determiner) that is no idiom
GRADED = 3  # adjectives seen with a degree adverb: *tuiki tärkeä* "utterly important"


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


def is_listed(upos: str, lemma: str, language: str) -> bool:
    """Tell whether a word is one of those of a language that frames leave alone."""
    return upos in KINDS and lemma in entries(KINDS[upos], language)


class FrameCounter:
    """Counts what words are used with, sentence by sentence; keeps no sentence.

    Args:
        language: BCP-47 code.

    Attributes:
        language: as given.
        uses: (UPOS, lemma, facts of a use) → times.
        partners: (word, fact, noun that it was seen with).
        collocations: verb and word below it that could be a bundle → times.
        analyses: (form, lemma, UPOS, FEATS) → times.
        contradicted: analysis of a noun → times that a determiner has another case or number.
        clitics: (form in small letters, UPOS) of words after one with an accent for them.

    >>> from colorless_green.data import sample
    >>> from colorless_green.miner import sentences, treebank
    >>> bank = [sentence for _, sentence in sentences(treebank([sample.treebank("en")]))]
    >>> counter = FrameCounter("en")
    >>> for sentence in bank:
    ...     counter.observe(sentence)
    >>> index, first = counter.index(), bank[0]  # Some old editors ignored that actor.
    >>> verb = index.slots(first)[3].frame
    >>> [index.admits(verb, form, lemma, "VERB", first.feats[3])
    ...     for form, lemma in (("admired", "admire"), ("arrived", "arrive"))]
    [True, False]
    """

    def __init__(self, language: str) -> None:
        self.language = language  # BCP-47
        self.uses: Counter[tuple[str, str, tuple[Fact, ...]]] = Counter()
        self.partners: set[tuple[PosLemma, Fact, str]] = set()
        self.collocations: Counter[Collocation] = Counter()
        self.analyses: Counter[Analysis] = Counter()
        self.contradicted: Counter[Analysis] = Counter()
        self.clitics: set[tuple[str, str]] = set()

    def observe(self, sentence: Sentence) -> None:
        """Count the words of one sentence.

        Args:
            sentence: of the treebank.
        """
        view = TreeView(sentence)
        words = list(zip(view.forms, view.lemmas, view.upos, view.feats, strict=True))
        self.analyses.update(words)
        for row in {*misspelt_rows(sentence), *truncated_rows(view)}:  # none may be drawn
            self.analyses[words[row]] -= 1
        for index, upos in enumerate(view.upos):
            if upos in CONTENT:
                use = READERS[upos](view, index)
                if use.is_informative:
                    word = (upos, view.key(index))
                    self.uses[*word, use.facts] += 1
                    self.partners.update((word, fact, noun) for fact, noun in use.partners)
            if index and upos in CLITIC and has_clitic_accent(view.forms[index - 1]):
                self.clitics.add((view.forms[index].lower(), upos))
            collocation = collocation_at(view, index)
            if collocation is not None:
                self.collocations[collocation] += 1
            if upos == NOUN and determiner_disagrees(view, index):
                self.contradicted[words[index]] += 1

    def index(self) -> "FrameIndex":
        """Return what has been learned so far.

        Returns:
            The frames of words, and which words may stand in them.
        """
        by_lemma, bundled = Counter[str](), Counter[PosLemma]()
        for (form, lemma, _, _), n in self.analyses.items():
            by_lemma[key_of(form, lemma)] += n
        bundles = bundles_of(self.collocations, by_lemma)
        for collocation in bundles:
            bundled[collocation.upos, collocation.dependent] += self.collocations[collocation]
        facts = WordFacts(self.uses, self.partners)
        return FrameIndex(
            self.language.partition("-")[0],
            facts,
            {word: facts.able(word, bundled[word]) for word in facts.facts},
            bundles | idiomatic_pairs(self.collocations, facts.articles),
            usable_forms_of(self.analyses, CONTENT, self.language, self.contradicted),
            frozenset(self.clitics),
        )


@dataclass(frozen=True)
class FrameIndex:
    """The words that may stand in a place, learned from a treebank. Built by `FrameCounter.index`.

    Attributes:
        language: BCP-47 code, without region.
        facts: seen of each word, with counts.
        able: (UPOS, lemma) → what a frame may ask of it.
        bundles: verbs and words below them that stay together.
        usable_forms: which forms may be drawn.
        clitics: (form in small letters, UPOS) of words that put an accent on the word before them.
    """

    language: str
    facts: WordFacts
    able: Mapping[PosLemma, frozenset[Fact]]
    bundles: frozenset[Collocation]
    usable_forms: UsableForms
    clitics: frozenset[tuple[str, str]] = frozenset()

    def slots(self, words: Sentence | Tree) -> tuple[FrameSlot, ...]:
        """Return the frame and reason of every word, the tree looked at once.

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
            and not is_listed(upos, key, self.language)
            and not (upos == NOUN and self.is_time(key, frame.demands))
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

    def is_time(self, noun: str, facts: Iterable[Fact]) -> bool:
        """Tell whether a noun of time stands with an adposition or in a case of adverbials."""
        in_phrase = any(question == "role" for question, _ in facts)
        return in_phrase and noun in entries("times", self.language)

    def _slot(self, view: TreeView, index: int) -> FrameSlot:
        upos, form = view.upos[index], view.forms[index]
        if upos not in CONTENT:
            reason = "numeral" if upos == "NUM" else "function word"
            return FrameSlot(Frame(upos, NO_FACTS), reason)
        use = READERS[upos](view, index)
        cell = (upos, normal(view.feats[index]))
        frame = Frame(
            upos,
            self.facts.demands(upos, use.facts),
            form[-1:].lower() if cell in self.usable_forms.inflected else "",
            index + 1 < len(view)
            and (view.forms[index + 1].lower(), view.upos[index + 1]) in self.clitics,
        )
        if use.bound:
            return FrameSlot(frame, use.bound)
        word = _SlotWord(self, view, index, use, frame)
        return FrameSlot(frame, next((reason for reason, test in TESTS if test(word)), ""))


class _SlotWord(NamedTuple):
    """A word whose slot is free by its tree alone, as the tests look at it."""

    frames: FrameIndex
    view: TreeView
    node: int
    use: WordUse
    frame: Frame

    @property
    def lemma(self) -> str:
        return self.view.key(self.node)


def _is_quantifier(word: _SlotWord) -> bool:
    upos, language = word.frame.upos, word.frames.language
    is_quantity = upos == NOUN and word.lemma in nouns("quantity", language)
    return is_quantity or is_listed(upos, word.lemma, language)


def _is_odd_form(word: _SlotWord) -> bool:
    """Tell whether a form of a cell that holds lemmas is truncated or has a particle inside:
    *dir*, *festzustellen*."""
    upos, form = word.frame.upos, word.view.forms[word.node]
    if (upos, normal(word.view.feats[word.node])) not in word.frames.usable_forms.citation:
        return False
    particle = upos == "VERB" and form.lower() != word.lemma
    return particle or is_truncated(form, word.view.lemmas[word.node])


def _is_of_closed_class(word: _SlotWord) -> bool:
    form, feats = word.view.forms[word.node], word.view.feats[word.node]
    return bool(closed_class(word.frame.upos, form, feats, word.frames.usable_forms.endings))


def _lacks_feature(word: _SlotWord) -> bool:
    marked = word.frames.usable_forms.marked if word.frame.upos == NOUN else ()
    return any(not word.view.feature(word.node, name) for name in marked)


def _is_idiom(word: _SlotWord) -> bool:
    """Tell whether a noun stands in an idiom of its own, or in a compound where these are few."""
    facts = word.frames.facts
    idioms = facts.idioms(word.lemma) if word.frame.upos == NOUN else frozenset()
    idioms |= frozenset() if facts.compounds else COMPOUND
    return not idioms.isdisjoint(word.use.facts)


def _is_seldom(word: _SlotWord, question: str, least: int) -> bool:
    """Tell whether few words were seen with one of a word's facts."""
    variety = word.frames.facts.variety
    return any(
        fact[0].startswith(question) and variety[word.frame.upos, fact] < least
        for fact in word.use.facts
    )


def _has_determining_adjective(word: _SlotWord) -> bool:
    """Tell whether an adjective does the work of a noun's determiner: *egész évben* "the whole
    year"."""
    view, listed = word.view, entries("determining", word.frames.language)
    adjectives = view.dependents(word.node, "amod") if word.frame.upos == NOUN else ()
    return determiner_of(view, word.node)[0] == "none" and any(
        view.key(adjective) in listed for adjective in adjectives
    )


def _shares_determiner(word: _SlotWord) -> bool:
    """Tell whether a noun is coordinated with another, and the second has no determiner of its
    own: *in Amt und Würde*, *auf diese Art und Weise*, *i trasferimenti e passaggi*."""
    view, head = word.view, word.view.first_conjunct(word.node)
    if word.frame.upos != NOUN or not word.frames.facts.articles:
        return False
    conjuncts = [noun for noun in view.dependents(head, "conj") if view.upos[noun] == NOUN]
    return any(
        determiner_of(view, noun)[0] == "none"
        and not view.marked_by(noun)
        and (view.feature(noun, "Number") != "Plur" or determiner_of(view, head)[0] != "none")
        and word.node in (noun, head)
        for noun in conjuncts
    )


def _replaces_determiner(word: _SlotWord) -> bool:
    """Tell whether an adjective may stand for the determiner that its noun needs: *altra
    scuola*."""
    view, frames = word.view, word.frames
    if word.frame.upos != "ADJ" or view.relations[view.first_conjunct(word.node)] != "amod":
        return False
    noun = view.heads[view.first_conjunct(word.node)]
    bare = (f"det {view.feature(noun, 'Number')}", "none")
    return (
        bare[0] != "det Plur"
        and determiner_of(view, noun)[0] == "none"
        and (NOUN, bare) not in frames.facts.free
        and bare not in frames.able.get((NOUN, view.key(noun)), NO_FACTS)
    )


def _is_bundled(word: _SlotWord) -> bool:
    """Tell whether a word comes together with its head or a dependent."""
    words = (word.node, *word.view.children[word.node])
    return any(collocation_at(word.view, each) in word.frames.bundles for each in words)


def _is_rare(word: _SlotWord) -> bool:
    """Tell whether a word was seldom seen so though it had occasion to."""
    key = (word.frame.upos, word.lemma)
    missing = word.frame.demands - word.frames.able.get(key, NO_FACTS)
    return any(word.frames.facts.is_rare(key, fact) for fact in missing)


TESTS: tuple[tuple[str, Callable[[_SlotWord], bool]], ...] = (
    ("accent of a clitic", lambda word: has_clitic_accent(word.view.forms[word.node])),
    ("quantifier", _is_quantifier),
    ("truncated form", _is_odd_form),
    ("closed class", _is_of_closed_class),
    ("feature not marked", _lacks_feature),
    ("bundle", _is_idiom),
    ("fixed phrase", lambda word: _is_seldom(word, "within ", VARIETY)),
    ("fixed phrase", _has_determining_adjective),
    (
        "time",
        lambda word: word.frame.upos == NOUN and word.frames.is_time(word.lemma, word.use.facts),
    ),
    ("bundle", _shares_determiner),
    ("bundle", lambda word: _is_seldom(word, "graded", GRADED)),
    ("instead of a determiner", _replaces_determiner),
    ("bundle", _is_bundled),
    ("rare use", _is_rare),
)
"""Why a word stays that its tree leaves free → the test that tells so; the first that holds counts.
"""
