"""Frames, for the matching level `+frame`: what a word is used with, learned from a treebank, and
which words may fill a slot (the place of a word in a sentence).
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
    closed_class_reason,
    has_clitic_accent,
    is_truncated,
    misspelt_words,
    takes_clitic_accent,
    truncated_words,
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
# UPOS → table of `languages.toml` with words of this UPOS that frames never replace
STAYING_WORDS = {"ADJ": "determining", "VERB": "idioms", "NOUN": "counts"}
COMPOUND = frozenset({Fact("place", "compound"), Fact("compounded", "yes")})
NO_FACTS: frozenset[Fact] = frozenset()
# different nouns that a pattern of adposition and determiner needs to be no idiom
MIN_NOUNS_OF_PATTERN = 4
# adjectives that a degree adverb needs to be no idiom: *tuiki tärkeä* "utterly important"
MIN_GRADED_ADJECTIVES = 3


class Frame(NamedTuple):
    """The conditions that a word must meet to fill a slot (the place of a word in a sentence)."""

    upos: str
    demands: frozenset[Fact]  # facts that must have been seen of the word
    ending: str = ""  # last letter, for FEATS whose forms have different endings
    before_clitic: bool = False  # whether a clitic follows, which can put an accent on the word


class FrameSlot(NamedTuple):
    """The frame of a word (what it is used with), and the reason why the word must stay as it is,
    "" for none."""

    frame: Frame
    stays: str


def is_listed(upos: str, lemma: str, language: str) -> bool:
    """Tell whether `languages.toml` lists a word as one that frames never replace."""
    return upos in STAYING_WORDS and lemma in entries(STAYING_WORDS[upos], language)


class FrameCounter:
    """Counts what the words of a treebank are used with, sentence by sentence.

    Args:
        language: BCP-47 code.

    Attributes:
        language: BCP-47 code.
        facts: counts of the facts seen of each word.
        collocations: verb and dependent that could be an idiom → times.
        analyses: (form, lemma, UPOS, FEATS) → times.
        contradicted: analysis of a noun → times that its determiner had another case or number.
        clitics: (form in small letters, UPOS) of words after one that they put an accent on.

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
        self.language = language
        self.facts = WordFacts()
        self.collocations: Counter[Collocation] = Counter()
        self.analyses: Counter[Analysis] = Counter()
        self.contradicted: Counter[Analysis] = Counter()
        self.clitics: set[tuple[str, str]] = set()

    def observe(self, sentence: Sentence) -> None:
        """Count the words of one sentence.

        Args:
            sentence: sentence of the treebank.
        """
        view = TreeView(sentence)
        words = list(zip(view.forms, view.lemmas, view.upos, view.feats, strict=True))
        self.analyses.update(words)
        for index in {*misspelt_words(sentence), *truncated_words(view)}:  # these may not be drawn
            self.analyses[words[index]] -= 1
        for index, upos in enumerate(view.upos):
            if upos in CONTENT:
                use = READERS[upos](view, index)
                if use.is_informative:
                    self.facts.observe((upos, view.key(index)), use)
            if index and upos in CLITIC and has_clitic_accent(view.forms[index - 1]):
                self.clitics.add((view.forms[index].lower(), upos))
            collocation = collocation_at(view, index)
            if collocation is not None:
                self.collocations[collocation] += 1
            if upos == NOUN and determiner_disagrees(view, index):
                self.contradicted[words[index]] += 1

    def index(self) -> "FrameIndex":
        """Build the index of frames from the sentences observed so far.

        Returns:
            The frames of words, and which words may stand in them.
        """
        by_lemma, n_bundled = Counter[str](), Counter[PosLemma]()
        for (form, lemma, _, _), n in self.analyses.items():
            by_lemma[key_of(form, lemma)] += n
        bundles = bundles_of(self.collocations, by_lemma)
        for collocation in bundles:
            n_bundled[collocation.upos, collocation.dependent] += self.collocations[collocation]
        facts = self.facts
        return FrameIndex(
            language=self.language.partition("-")[0],
            facts=facts,
            abilities={word: facts.abilities(word, n_bundled[word]) for word in facts.facts},
            bundles=bundles | idiomatic_pairs(self.collocations, has_articles=facts.has_articles),
            usable_forms=usable_forms_of(self.analyses, CONTENT, self.language, self.contradicted),
            clitics=frozenset(self.clitics),
        )


@dataclass(frozen=True)
class FrameIndex:
    """The frames of words learned from a treebank, which tell what may fill a slot. Built by
    `FrameCounter.index`.

    Attributes:
        language: BCP-47 code, without region.
        facts: facts seen of each word, with counts.
        abilities: (UPOS, lemma) → the facts that a frame may demand of the word.
        bundles: collocations of a verb and a dependent that are never split.
        usable_forms: the forms that may be drawn.
        clitics: (form in small letters, UPOS) of words that put an accent on the word before them.
    """

    language: str
    facts: WordFacts
    abilities: Mapping[PosLemma, frozenset[Fact]]
    bundles: frozenset[Collocation]
    usable_forms: UsableForms
    clitics: frozenset[tuple[str, str]] = frozenset()

    def slots(self, words: Sentence | Tree) -> tuple[FrameSlot, ...]:
        """Return for every word its frame, and the reason why it must stay.

        Args:
            words: the sentence.

        Returns:
            One entry per word, in order.
        """
        view = TreeView(words)
        return tuple(self._slot(view, index) for index in range(len(view)))

    def admits(self, frame: Frame, form: str, lemma: str, upos: str, feats: str) -> bool:
        """Tell whether a word may fill a slot: it was seen with all facts that the frame demands,
        and its form may be drawn.

        Args:
            frame: frame of the slot.
            form: form of the word.
            lemma: its lemma.
            upos: its part of speech.
            feats: its FEATS.

        Returns:
            Whether it may fill the slot.
        """
        key = key_of(form, lemma)
        return (
            upos == frame.upos
            and frame.demands <= self.abilities.get((upos, key), NO_FACTS)
            and (form, lemma, upos, normal(feats)) in self.usable_forms.analyses
            and form.lower().endswith(frame.ending)
            and not (frame.before_clitic and takes_clitic_accent(form))
            and not closed_class_reason(upos, form, feats, self.usable_forms.endings)
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
        is_slip = (form.lower(), lemma, upos) in self.usable_forms.slips
        return not is_slip and not has_clitic_accent(form)

    def is_time(self, noun: str, facts: Iterable[Fact]) -> bool:
        """Tell whether a noun names a time (*day*) and its facts say that it stands with an
        adposition, or in a case that makes it an adverbial."""
        in_phrase = any(fact.question == "role" for fact in facts)
        return in_phrase and noun in entries("times", self.language)

    def _slot(self, view: TreeView, index: int) -> FrameSlot:
        """Return the frame of one word, and the reason why the word must stay, "" for none."""
        upos, form = view.upos[index], view.forms[index]
        if upos not in CONTENT:
            reason = "numeral" if upos == "NUM" else "function word"
            return FrameSlot(Frame(upos, NO_FACTS), reason)
        use = READERS[upos](view, index)
        tag = (upos, normal(view.feats[index]))
        frame = Frame(
            upos,
            demands=self.facts.demands(upos, use.facts),
            ending=form[-1:].lower() if tag in self.usable_forms.inflected else "",
            before_clitic=index + 1 < len(view)
            and (view.forms[index + 1].lower(), view.upos[index + 1]) in self.clitics,
        )
        if use.stays:
            return FrameSlot(frame, use.stays)
        word = _SlotWord(self, view, index, use, frame)
        return FrameSlot(frame, next((reason for reason, test in SLOT_TESTS if test(word)), ""))


class _SlotWord(NamedTuple):
    """A word of a sentence, with all that the tests of `SLOT_TESTS` look at. They decide whether it
    must stay, after its tree alone has given no reason."""

    frames: FrameIndex
    view: TreeView
    node: int
    use: WordUse
    frame: Frame

    @property
    def lemma(self) -> str:
        """Return the lemma in small letters."""
        return self.view.key(self.node)


def _is_quantifier(word: _SlotWord) -> bool:
    """Tell whether a word is a noun of quantity (*a number of*), or listed as one that stays."""
    upos, language = word.frame.upos, word.frames.language
    is_quantity = upos == NOUN and word.lemma in nouns("quantity", language)
    return is_quantity or is_listed(upos, word.lemma, language)


def _is_odd_form(word: _SlotWord) -> bool:
    """Tell whether a word is truncated, or has a particle inside, though its FEATS are those of
    citation forms: *dir*, *festzustellen*."""
    upos, form = word.frame.upos, word.view.forms[word.node]
    if (upos, normal(word.view.feats[word.node])) not in word.frames.usable_forms.citation:
        return False
    has_particle = upos == "VERB" and form.lower() != word.lemma
    return has_particle or is_truncated(form, word.view.lemmas[word.node])


def _is_of_closed_class(word: _SlotWord) -> bool:
    """Tell whether a word is a negation or an adverb of a closed class."""
    form, feats = word.view.forms[word.node], word.view.feats[word.node]
    return bool(closed_class_reason(word.frame.upos, form, feats, word.frames.usable_forms.endings))


def _lacks_feature(word: _SlotWord) -> bool:
    """Tell whether a noun lacks a feature that the nouns of the language have."""
    required = word.frames.usable_forms.marked if word.frame.upos == NOUN else ()
    return any(not word.view.feature(word.node, name) for name in required)


def _is_idiom(word: _SlotWord) -> bool:
    """Tell whether a noun stands in an idiom (a phrase that it is mostly seen in), or in a compound
    in a language with few compounds."""
    facts = word.frames.facts
    idioms = facts.idioms(word.lemma) if word.frame.upos == NOUN else frozenset()
    idioms |= frozenset() if facts.has_compounds else COMPOUND
    return not idioms.isdisjoint(word.use.facts)


def _has_seldom_fact(word: _SlotWord, question: str, n_needed: int) -> bool:
    """Tell whether this use of a word has a fact that fewer than `n_needed` different words were
    seen with. Only facts whose question begins with `question` count."""
    n_words = word.frames.facts.variety
    return any(
        fact.question.startswith(question) and n_words[word.frame.upos, fact] < n_needed
        for fact in word.use.facts
    )


def _has_determining_adjective(word: _SlotWord) -> bool:
    """Tell whether a noun has an adjective in the place of a determiner: *egész évben* "the whole
    year"."""
    view, listed = word.view, entries("determining", word.frames.language)
    adjectives = view.dependents(word.node, "amod") if word.frame.upos == NOUN else ()
    return determiner_of(view, word.node).kind == "none" and any(
        view.key(adjective) in listed for adjective in adjectives
    )


def _shares_determiner(word: _SlotWord) -> bool:
    """Tell whether a noun is coordinated with another, and the second of the two has no determiner
    of its own: *in Amt und Würde*, *auf diese Art und Weise*, *i trasferimenti e passaggi*."""
    view, head = word.view, word.view.first_conjunct(word.node)
    if word.frame.upos != NOUN or not word.frames.facts.has_articles:
        return False
    conjuncts = [noun for noun in view.dependents(head, "conj") if view.upos[noun] == NOUN]
    head_is_bare = determiner_of(view, head).kind == "none"
    return any(
        determiner_of(view, noun).kind == "none"
        and not view.marked_by(noun)
        # two bare plurals share nothing: *letters and books*
        and not (view.feature(noun, "Number") == "Plur" and head_is_bare)
        for noun in conjuncts
        if word.node in (noun, head)
    )


def _replaces_determiner(word: _SlotWord) -> bool:
    """Tell whether an adjective may stand in the place of the determiner that its noun needs:
    *altra scuola*."""
    view, frames = word.view, word.frames
    if word.frame.upos != "ADJ" or view.relations[view.first_conjunct(word.node)] != "amod":
        return False
    noun = view.heads[view.first_conjunct(word.node)]
    no_determiner = Fact(f"det {view.feature(noun, 'Number')}", "none")
    return (
        view.feature(noun, "Number") != "Plur"
        and determiner_of(view, noun).kind == "none"
        and (NOUN, no_determiner) not in frames.facts.free_facts
        and no_determiner not in frames.abilities.get((NOUN, view.key(noun)), NO_FACTS)
    )


def _is_bundled(word: _SlotWord) -> bool:
    """Tell whether a word forms an idiom (a bundle) with its head or a dependent."""
    nodes = (word.node, *word.view.children[word.node])
    return any(collocation_at(word.view, node) in word.frames.bundles for node in nodes)


def _is_rare(word: _SlotWord) -> bool:
    """Tell whether the frame demands something that the word itself was not seen with often enough,
    though it had many opportunities. The use at hand is then an idiom or an error."""
    key = (word.frame.upos, word.lemma)
    unmet = word.frame.demands - word.frames.abilities.get(key, NO_FACTS)
    return any(word.frames.facts.is_rarely_seen(key, fact) for fact in unmet)


SLOT_TESTS: tuple[tuple[str, Callable[[_SlotWord], bool]], ...] = (
    ("accent of a clitic", lambda word: has_clitic_accent(word.view.forms[word.node])),
    ("quantifier", _is_quantifier),
    ("truncated form", _is_odd_form),
    ("closed class", _is_of_closed_class),
    ("feature not marked", _lacks_feature),
    ("bundle", _is_idiom),
    ("fixed phrase", lambda word: _has_seldom_fact(word, "within ", MIN_NOUNS_OF_PATTERN)),
    ("fixed phrase", _has_determining_adjective),
    (
        "time",
        lambda word: word.frame.upos == NOUN and word.frames.is_time(word.lemma, word.use.facts),
    ),
    ("bundle", _shares_determiner),
    ("bundle", lambda word: _has_seldom_fact(word, "graded", MIN_GRADED_ADJECTIVES)),
    ("instead of a determiner", _replaces_determiner),
    ("bundle", _is_bundled),
    ("rare use", _is_rare),
)
"""Why a word stays as it is → the test for that reason; the first that holds counts."""
