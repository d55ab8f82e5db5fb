"""Where the words of variants come from: one reading of a treebank, and the files named."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from ...data.errors import InputError
from ...data.items.features import normal
from ...data.items.tree import Sentence
from ...data.memo import content_digest
from ...data.vocabulary import read_vocabulary
from ...miner.originals.cue_words import CueWordCounts
from ...miner.originals.unimorph.wordlist import word_list_of
from ...miner.rules import procedure_named
from ...miner.treebank.conllu import OnBad
from ...miner.treebank.paradigms import (
    Analysis,
    Paradigms,
    count_analyses,
    paradigms_of,
    surface_forms,
)
from ...miner.treebank.repair import REPAIRS
from ...miner.treebank.treebank import (
    UNDETERMINED,
    Treebank,
    licences_by_file,
    named_word_lists,
    sentences,
    treebank,
)
from ...miner.treebank_mining import repair_for
from ...miner.verdict.procedure import Procedure
from .ambiguity.verb_uses import VerbUses
from .frames.usable_forms import misspelt_rows
from .frequencies import TREEBANK, WORDFREQ, Frequencies, frequencies_named
from .levels import levels_up_to
from .levels.level import Level, LevelSetting, Observer
from .lexicon import Lexicon
from .pseudo.pseudowords import pseudo_words
from .realise.sentence_plan import realiser
from .recipe import HIGHEST, Recipe
from .slots import CONTENT_UPOS, Matching

COMMON = 50_000  # words of wordfreq that no pseudo-word may be, where it is asked for
TYPO = "Typo=Yes"  # in FEATS
COMPATIBLE = 0.8  # of a lexicon's content words, with features that the treebank has for a word


@dataclass(frozen=True, slots=True)
class WordsRead:
    """The findings of one reading of a treebank and of the lexicons.

    Attributes:
        analyses: of all words, with how often each was seen.
        observers: of the levels, which have seen every sentence.
        cue_counts: feature → words that reveal its value beyond FEATS.
        licences: form in small letters → licences under which it is shown.
        lexicons: the further treebanks that were read.
        verbs: what verbs stand with.
        misspelt: analyses of words that the annotation corrects, with how often each was seen.
    """

    analyses: Counter[Analysis]
    observers: tuple[Observer, ...]
    cue_counts: Mapping[str, CueWordCounts]
    licences: Mapping[str, Set[str]]
    lexicons: tuple[Treebank, ...]
    verbs: VerbUses
    misspelt: Counter[Analysis]


def matching_for(
    source: Treebank,
    recipe: Recipe,
    rule_name: str,
    repair_name: str,
    features: Iterable[str] = ("Number",),
    on_bad: OnBad | None = None,
) -> Matching:
    """Read a treebank once and prepare all that variants are made with.

    Args:
        source: treebank of the words.
        recipe: how words are drawn; it names further files.
        rule_name: of the rule by which the originals were mined.
        repair_name: of the repair with which they were mined.
        features: that agree in the originals, as their cues have them.
        on_bad: called with each bad sentence of the treebank; None: that is an error.

    Returns:
        What `variants` takes.

    Raises:
        InputError: an unknown rule or repair, a file that cannot be read, or text in another
            language.

    >>> from colorless_green.data import sample
    >>> bank = treebank([sample.treebank("en")])
    >>> matching = matching_for(bank, Recipe(level="+frame"), "tested", "none")
    >>> [level.name for level, _ in matching.levels]
    ['frequency', 'frame']
    """
    rule, base = procedure_named(rule_name), source.language.partition("-")[0]
    levels = levels_up_to(recipe.level or HIGHEST)
    frequencies = frequencies_named(recipe.frequencies or TREEBANK, source.language)
    setting = LevelSetting(source.language, frequencies, recipe.seen_in or ())
    read = _read_words(source, recipe, levels, setting, repair_name, features, on_bad)
    lexicon, paradigms = _lexicon_and_paradigms(source, recipe, rule, read)
    is_pseudo, has_list = recipe.words == "pseudo", recipe.frequencies == WORDFREQ
    common: list[str] = []  # what no pseudo-word may be
    if is_pseudo and has_list:
        import wordfreq  # is installed and knows the language: `frequencies_named` has asked

        common = list(wordfreq.top_n_list(base, COMMON))
    used = frequencies if levels or (is_pseudo and has_list) else None
    return Matching(
        lexicon,
        realiser(base),
        tuple(
            (level, observer.matcher(lexicon))
            for level, observer in zip(levels, read.observers, strict=True)
        ),
        recipe.tail == "keep" if recipe.tail else None,
        pseudo_words(paradigms, lexicon.vocabulary.union(common)) if is_pseudo else None,
        paradigms,
        read.cue_counts,
        read.verbs,
        _digests(recipe, levels, used),
        frequencies=used.name if used else "",
        lexicons=tuple((bank.name, bank.licence) for bank in read.lexicons),
        licences=read.licences,
    )


def _read_words(
    source: Treebank,
    recipe: Recipe,
    levels: Sequence[Level],
    setting: LevelSetting,
    repair_name: str,
    features: Iterable[str],
    on_bad: OnBad | None,
) -> WordsRead:
    """Read the treebank and then the lexicons, and return what both show."""
    observers = tuple(level.observer(setting) for level in levels)
    cue_counts = {feature: CueWordCounts(feature) for feature in features}
    seen: set[int] = set()
    licences: dict[str, set[str]] = {}
    text = _with_licences(source, repair_for(source, repair_name), on_bad, licences)
    levels_see = [observer.observe for observer in observers]
    verbs, misspelt = VerbUses(), Counter[Analysis]()
    all_see: list[Callable[[Sentence], None]] = [
        *levels_see,
        *(counts.observe for counts in cue_counts.values()),
        verbs.observe,
        partial(_count_misspelt, misspelt),
    ]
    analyses = _observed(text, all_see, seen, count_repeats=True)
    lexicons = tuple(_lexicon_of(path, source.language) for path in recipe.lexicon or ())
    cells = frozenset((upos, normal(feats)) for _, _, upos, feats in analyses)
    for bank in lexicons:
        text = _sentences(bank, repair_for(bank, repair_name), None)
        for analysis, count in _compatible(_observed(text, levels_see, seen), cells):
            analyses[analysis] += count
    return WordsRead(analyses, observers, cue_counts, licences, lexicons, verbs, misspelt)


def _lexicon_and_paradigms(
    source: Treebank, recipe: Recipe, rule: Procedure, read: WordsRead
) -> tuple[Lexicon, Paradigms]:
    """Return the words that may replace others, and all paradigms of the treebank."""
    paradigms = paradigms_of(read.analyses, letters_only=False)
    analyses: Mapping[Analysis, int] = read.analyses
    if not rule.replacement.same_class:  # the published sets have misspelt words
        analyses = _without_misspelt(read)
    lists = named_word_lists(recipe.unimorph or ())
    lexicon = Lexicon(
        paradigms_of(analyses, letters_only=rule.letters_only),
        read_vocabulary(recipe.vocabulary) if recipe.vocabulary else surface_forms(analyses),
        rule.replacement,
        rule.partner,
        word_list_of(lists.get(source.language.partition("-")[0]), source.language),
        closed=recipe.vocabulary is not None,
    )
    return lexicon, paradigms


def _count_misspelt(counts: Counter[Analysis], sentence: Sentence) -> None:
    """Count the words of a sentence that the annotation corrects."""
    for row in misspelt_rows(sentence):
        columns = sentence.forms, sentence.lemmas, sentence.upos, sentence.feats
        form, lemma, upos, feats = (column[row] for column in columns)
        counts[form, lemma, upos, feats] += 1


def _without_misspelt(read: WordsRead) -> Mapping[Analysis, int]:
    """Return the analyses that were read, less those of words that are marked as misspelt."""
    if not read.misspelt and not any(TYPO in feats for _, _, _, feats in read.analyses):
        return read.analyses
    sound = {analysis: n - read.misspelt[analysis] for analysis, n in read.analyses.items()}
    return {analysis: n for analysis, n in sound.items() if n > 0 and TYPO not in analysis[3]}


def _lexicon_of(path: Path, language: str) -> Treebank:
    """Return a further lexicon. Raises `InputError` where its path names another language."""
    lexicon = treebank([path])
    if lexicon.language == UNDETERMINED:
        return replace(lexicon, language=language)
    words_code, text_code = (code.partition("-")[0] for code in (language, lexicon.language))
    if UNDETERMINED != words_code != text_code:
        wrong = f"text of {text_code!r} for words of {words_code!r}"
        raise InputError("lexicon", wrong, "one language", kind="conflict")
    return lexicon


def _compatible(
    analyses: Counter[Analysis], cells: frozenset[tuple[str, str]]
) -> Iterator[tuple[Analysis, int]]:
    """Yield the analyses of a lexicon that the treebank's annotation could have; none where too
    few are alike, so that it is evidence for frames alone."""
    content = {analysis: n for analysis, n in analyses.items() if analysis[2] in CONTENT_UPOS}
    compatible = {
        analysis: n
        for analysis, n in content.items()
        if (analysis[2], normal(analysis[3])) in cells
    }
    if sum(compatible.values()) >= COMPATIBLE * sum(content.values()):
        yield from compatible.items()


def _digests(
    recipe: Recipe, levels: Sequence[Level], frequencies: Frequencies | None
) -> dict[str, str]:
    """Return digests of the files that levels look at, whatever their names; of wordfreq its
    version."""
    digests = {}
    if recipe.lexicon:
        digests["lexicons"] = " ".join(sorted(map(content_digest, recipe.lexicon)))
    if frequencies is not None:
        has_list = recipe.frequencies == WORDFREQ
        digests["frequencies"] = (
            frequencies.name if has_list else content_digest(Path(recipe.frequencies or ""))
        )
    elif levels:
        digests["frequencies"] = TREEBANK
    if any(level.name == "unseen" for level in levels):
        digests["texts"] = " ".join(sorted(map(content_digest, recipe.seen_in or ())))
    return digests


def _sentences(source: Treebank, repair: str, on_bad: OnBad | None) -> Iterator[Sentence]:
    for _, sentence in sentences(source, repair=REPAIRS.get(repair), on_bad=on_bad):
        yield sentence


def _with_licences(
    source: Treebank, repair: str, on_bad: OnBad | None, licences: dict[str, set[str]]
) -> Iterator[Sentence]:
    """Yield the sentences; where the files of a treebank have several licences, `licences` comes to
    hold those under which each form in small letters is shown."""
    is_mixed = " AND " in source.licence
    of_files = list(licences_by_file(source).values())
    for index, sentence in sentences(source, repair=REPAIRS.get(repair), on_bad=on_bad):
        for form in sentence.forms if is_mixed else ():
            licences.setdefault(form.lower(), set()).add(of_files[index])
        yield sentence


def _observed(
    text: Iterable[Sentence],
    observers: Sequence[Callable[[Sentence], None]],
    seen: set[int],
    *,
    count_repeats: bool = False,
) -> Counter[Analysis]:
    """Count the analyses of all sentences, which the observers see, too. A sentence that was seen
    before counts only with `count_repeats`: a text that is named twice is no more evidence."""
    analyses: Counter[Analysis] = Counter()
    for sentence in text:
        key = hash(sentence.forms)
        if count_repeats or key not in seen:
            count_analyses([sentence], analyses)
            for observe in observers:
                observe(sentence)
        seen.add(key)
    return analyses
