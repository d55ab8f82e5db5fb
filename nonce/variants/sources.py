"""Where the words of variants come from: one reading of a treebank, and the files named."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...data.errors import InputError
from ...data.items.features import normal
from ...data.items.tree import Sentence
from ...data.memo import content_digest
from ...data.vocabulary import read_vocabulary
from ...miner.originals.cue_words import CueWordCounter
from ...miner.originals.unimorph.wordlist import word_list_of
from ...miner.rules import procedure_named
from ...miner.treebank.conllu import OnBad
from ...miner.treebank.paradigms import Analysis, count_analyses, paradigms_of, surface_forms
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
from .frequencies import TREEBANK, WORDFREQ, Frequencies, frequencies_named
from .levels import MORPHOLOGY, levels_up_to
from .levels.level import Level, LevelSetting
from .lexicon import Lexicon
from .pseudo.pseudowords import pseudo_words
from .realise.sentence_plan import realiser
from .slots import CONTENT_UPOS, Matching

COMMON = 50_000  # words of wordfreq that no pseudo-word may be, where it is asked for
COMPATIBLE = 0.8  # of a lexicon's content words, with features that the treebank has for a word


@dataclass(frozen=True, slots=True)
class Sources:
    """The files that words, and what is known of them, come from.

    Attributes:
        treebanks: of the words; none: the one that was mined.
        vocabulary: a file of the words that models know; None: those of the treebank.
        word_lists: `LANGUAGE=FILE` of UniMorph.
        frequencies: `treebank`, `wordfreq`, or a file of words and counts.
        texts: whose word pairs count as seen at level `+unseen`.
        lexicons: further treebanks or parsed text, for evidence and words.
    """

    treebanks: tuple[Path, ...] = ()
    vocabulary: Path | None = None
    word_lists: tuple[str, ...] = ()
    frequencies: str = TREEBANK
    texts: tuple[Path, ...] = ()
    lexicons: tuple[Path, ...] = ()

    @property
    def files(self) -> tuple[Path, ...]:
        """All files beside the treebanks that are there to be read."""
        lists = named_word_lists(self.word_lists).values()
        counts = () if self.frequencies in (TREEBANK, WORDFREQ) else (Path(self.frequencies),)
        words = () if self.vocabulary is None else (self.vocabulary,)
        paths = (*words, *lists, *counts, *self.texts, *self.lexicons)
        return tuple(path for path in paths if path.exists())


@dataclass(frozen=True, slots=True)
class VariantKind:
    """What kind of variants is asked for.

    Attributes:
        level: `morphology`, or the last of the levels beyond it.
        keep_tail: whether words after the target stay; None: as the level has it.
        pseudo: whether content words become pseudo-words.
    """

    level: str = MORPHOLOGY
    keep_tail: bool | None = None
    pseudo: bool = False


def matching_for(
    source: Treebank,
    sources: Sources,
    rule_name: str,
    repair_name: str,
    kind: VariantKind = VariantKind(),
    features: Iterable[str] = ("Number",),
) -> Matching:
    """Read a treebank once and prepare all that variants are made with.

    Args:
        source: treebank of the words.
        sources: further files. Where they name treebanks, a bad sentence is an error; else it is
            passed over, since mining has reported it.
        rule_name: of the rule by which the originals were mined.
        repair_name: of the repair with which they were mined.
        kind: of variants.
        features: that agree in the originals, as their cues have them.

    Returns:
        What `variants` takes.

    Raises:
        InputError: an unknown rule, repair or level, a file that cannot be read, or text in another
            language.

    >>> from colorless_green.data import sample
    >>> bank = treebank([sample.treebank("en")])
    >>> matching = matching_for(bank, Sources(), "tested", "none", VariantKind("+frame"))
    >>> [level.name for level, _ in matching.levels]
    ['frequency', 'frame']
    """
    rule = procedure_named(rule_name)
    repair = repair_for(source, repair_name)
    language, base = source.language, source.language.partition("-")[0]
    levels = levels_up_to(kind.level)
    frequencies = frequencies_named(sources.frequencies, language)
    setting = LevelSetting(language, frequencies, sources.texts)
    observers = [level.observer(setting) for level in levels]
    counters = {feature: CueWordCounter(feature) for feature in features}
    on_bad: OnBad | None = None if sources.treebanks else lambda fault: None
    seen: set[int] = set()
    licences: dict[str, set[str]] = {}
    text = _with_licences(source, repair, on_bad, licences)
    levels_see = [observer.observe for observer in observers]
    all_see = [*levels_see, *(counter.observe for counter in counters.values())]
    analyses = _observed(text, all_see, seen, count_repeats=True)
    lexicons = [_lexicon_of(path, language) for path in sources.lexicons]
    cells = frozenset((upos, normal(feats)) for _, _, upos, feats in analyses)
    for bank in lexicons:
        text = _sentences(bank, repair_for(bank, repair_name), None)
        for analysis, count in _compatible(_observed(text, levels_see, seen), cells):
            analyses[analysis] += count
    words = read_vocabulary(sources.vocabulary) if sources.vocabulary else surface_forms(analyses)
    paradigms = paradigms_of(analyses, letters_only=False)
    lexicon = Lexicon(
        paradigms_of(analyses, letters_only=True) if rule.letters_only else paradigms,
        words,
        rule.replacement,
        rule.partner,
        word_list_of(named_word_lists(sources.word_lists).get(base), language),
        closed=sources.vocabulary is not None,
    )
    with_common = kind.pseudo and sources.frequencies == WORDFREQ
    common: list[str] = []  # what no pseudo-word may be
    if with_common:
        import wordfreq  # is installed and knows the language: `frequencies_named` has asked

        common = list(wordfreq.top_n_list(base, COMMON))
    used = frequencies if levels or with_common else None
    return Matching(
        lexicon,
        realiser(base),
        tuple(
            (level, observer.matcher(lexicon))
            for level, observer in zip(levels, observers, strict=True)
        ),
        kind.keep_tail,
        pseudo_words(paradigms, words.union(common)) if kind.pseudo else None,
        paradigms,
        {feature: counter.counts() for feature, counter in counters.items()},
        _files(sources, levels, used),
        frequencies=used.name if used else "",
        lexicons=tuple((bank.name, bank.licence) for bank in lexicons),
        licences=licences,
    )


def _lexicon_of(path: Path, language: str) -> Treebank:
    """A further lexicon. Raises `InputError` where its path tells another language."""
    lexicon = treebank([path])
    if lexicon.language == UNDETERMINED:
        return replace(lexicon, language=language)
    words_code, text_code = (code.partition("-")[0] for code in (language, lexicon.language))
    if UNDETERMINED != words_code != text_code:
        wrong = f"text of {text_code!r} for words of {words_code!r}"
        raise InputError("--lexicon", wrong, "one language", kind="conflict")
    return lexicon


def _compatible(
    analyses: Counter[Analysis], cells: frozenset[tuple[str, str]]
) -> Iterator[tuple[Analysis, int]]:
    """The analyses of a lexicon that the treebank's annotation could have; none where too few are
    alike, so that it is evidence for frames alone."""
    content = {analysis: n for analysis, n in analyses.items() if analysis[2] in CONTENT_UPOS}
    compatible = {
        analysis: n
        for analysis, n in content.items()
        if (analysis[2], normal(analysis[3])) in cells
    }
    if sum(compatible.values()) >= COMPATIBLE * sum(content.values()):
        yield from compatible.items()


def _files(
    sources: Sources, levels: Sequence[Level], frequencies: Frequencies | None
) -> dict[str, str]:
    """What the files that levels look at hold, as digests: names and places do not matter. Of
    wordfreq its version."""
    digests = {}
    if sources.lexicons:
        digests["lexicons"] = " ".join(sorted(map(content_digest, sources.lexicons)))
    if frequencies is not None:
        listed = sources.frequencies == WORDFREQ
        digests["frequencies"] = (
            frequencies.name if listed else content_digest(Path(sources.frequencies))
        )  # fmt: skip
    elif levels:
        digests["frequencies"] = TREEBANK
    if any(level.name == "unseen" for level in levels):
        digests["texts"] = " ".join(sorted(map(content_digest, sources.texts)))
    return digests


def _sentences(source: Treebank, repair: str, on_bad: OnBad | None) -> Iterator[Sentence]:
    for _, sentence in sentences(source, repair=REPAIRS.get(repair), on_bad=on_bad):
        yield sentence


def _with_licences(
    source: Treebank, repair: str, on_bad: OnBad | None, licences: dict[str, set[str]]
) -> Iterator[Sentence]:
    """The sentences; where the files of a treebank have several licences, `licences` comes to hold
    those under which each form in small letters is shown."""
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
    """The analyses of all sentences, each of which the observers see too; a sentence that was seen
    before counts only with `count_repeats`, so that a text which is named twice is not twice the
    evidence."""
    analyses: Counter[Analysis] = Counter()
    for sentence in text:
        key = hash(sentence.forms)
        if count_repeats or key not in seen:
            count_analyses([sentence], analyses)
            for observe in observers:
                observe(sentence)
        seen.add(key)
    return analyses
