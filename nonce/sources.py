"""Where the words of variants come from: one reading of a treebank, and the files named."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from colorless_green.miner.conllu import OnBad
from colorless_green.miner.mine import repair_for, rule_named
from colorless_green.miner.paradigms import (
    Analysis,
    Paradigms,
    count_analyses,
    paradigms_of,
    surface_forms,
)
from colorless_green.miner.repair import REPAIRS
from colorless_green.miner.rule import Rule
from colorless_green.miner.tree import Sentence
from colorless_green.miner.treebank import Treebank, named_word_lists, sentences
from colorless_green.miner.vocabulary import read_vocabulary
from colorless_green.nonce.balance.inflection import inflection
from colorless_green.nonce.frequencies import TREEBANK, frequencies_named
from colorless_green.nonce.levels import MORPHOLOGY, levels_up_to
from colorless_green.nonce.levels.level import Observer, Setting
from colorless_green.nonce.lexicon import Lexicon
from colorless_green.nonce.matching import Balance, Matching
from colorless_green.nonce.pseudo.coin import Pseudo, pseudo_words
from colorless_green.nonce.realise.realiser import realiser

if TYPE_CHECKING:
    from colorless_green.miner.unimorph.wordlist import UniMorph

COMMON = 50_000  # words of wordfreq that no pseudo-word may be, where it is installed


@dataclass(frozen=True, slots=True)
class Sources:
    """The files that words and what is known of them come from."""

    treebanks: tuple[Path, ...] = ()  # none: the one that was mined
    vocabulary: Path | None = None
    word_lists: tuple[str, ...] = ()  # LANGUAGE=FILE of UniMorph
    frequencies: str = TREEBANK
    texts: tuple[Path, ...] = ()  # whose word pairs count as seen


@dataclass(frozen=True, slots=True)
class Kind:
    """What kind of variants is asked for."""

    level: str = MORPHOLOGY
    keep_tail: bool | None = None  # None: as the level has it
    pseudo: bool = False
    balanced: bool = False
    attractors: int | None = None  # of balanced sets: every cell up to so many


def matching_for(
    source: Treebank,
    sources: Sources,
    rule_name: str,
    repair_name: str,
    kind: Kind = Kind(),
    features: Iterable[str] = ("Number",),
) -> Matching:
    """What variants are made with, under a rule and a repair, from one reading of the treebank
    (two for balanced sets, which re-inflect cues for `features`).

    A bad sentence is an error in a treebank that was named here; of one that was mined, the bad
    ones were told then.
    """
    rule = rule_named(rule_name)
    repair = repair_for(source, repair_name)
    language = source.language
    levels = levels_up_to(kind.level)
    setting = Setting(language, frequencies_named(sources.frequencies, language), sources.texts)
    observers = [each.observer(setting) for each in levels]
    on_bad: OnBad | None = None if sources.treebanks else lambda fault: None
    analyses = _observed(_sentences(source, repair, on_bad), observers)
    known = read_vocabulary(sources.vocabulary) if sources.vocabulary else surface_forms(analyses)
    paradigms = paradigms_of(analyses, letters_only=False)
    lexicon = _lexicon(rule, analyses, paradigms, known, sources, language)
    balance = None
    if kind.balanced:
        inflections = {
            feature: inflection(
                paradigms, known, _sentences(source, repair, on_bad), feature, language
            )
            for feature in features
        }
        balance = Balance(inflections, kind.attractors)
    return Matching(
        lexicon,
        realiser(language.partition("-")[0]),
        tuple(
            (each, observer.matcher(lexicon))
            for each, observer in zip(levels, observers, strict=True)
        ),
        kind.keep_tail,
        balance,
        _pseudo(paradigms, known, language) if kind.pseudo else None,
        paradigms,
        {"frequencies": sources.frequencies, **{f"text {each.name}": "" for each in sources.texts}},
    )


def _sentences(source: Treebank, repair: str, on_bad: OnBad | None) -> Iterator[Sentence]:
    for _, sentence in sentences(source, repair=REPAIRS.get(repair), on_bad=on_bad):
        yield sentence


def _observed(found: Iterable[Sentence], observers: Iterable[Observer]) -> Counter[Analysis]:
    """The analyses of all sentences, each of which the observers see too."""
    analyses: Counter[Analysis] = Counter()
    watching = list(observers)
    for sentence in found:
        count_analyses([sentence], analyses)
        for observer in watching:
            observer.observe(sentence)
    return analyses


def _lexicon(
    rule: Rule,
    analyses: Counter[Analysis],
    paradigms: Paradigms,
    known: frozenset[str],
    sources: Sources,
    language: str,
) -> Lexicon:
    own = paradigms_of(analyses, letters_only=True) if rule.letters_only else paradigms
    return Lexicon(
        own,
        known,
        rule.replacement,
        rule.partner,
        _word_list(sources, language),
        closed=sources.vocabulary is not None,
    )


def _word_list(sources: Sources, language: str) -> "UniMorph | None":
    path = named_word_lists(sources.word_lists).get(language.partition("-")[0])
    if path is None:
        return None
    from colorless_green.miner.unimorph.wordlist import read_unimorph

    return read_unimorph(path, language=language)


def _pseudo(paradigms: Paradigms, known: frozenset[str], language: str) -> Pseudo:
    """Pseudo-words that are no words of the treebank, of the vocabulary, nor, where wordfreq is
    installed and knows the language, among its most frequent."""
    try:
        import wordfreq
    except ModuleNotFoundError:
        common: list[str] = []
    else:
        code = language.partition("-")[0]
        listed = code in wordfreq.available_languages()
        common = wordfreq.top_n_list(code, COMMON) if listed else []
    return pseudo_words(paradigms, known.union(common))
