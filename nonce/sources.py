"""Where the words of variants come from: one reading of a treebank, and the files named."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from colorless_green.data.errors import InputError
from colorless_green.miner.conllu import OnBad
from colorless_green.miner.cue_words import LeakCounter
from colorless_green.miner.features import normal
from colorless_green.miner.mine import repair_for, rule_named
from colorless_green.miner.paradigms import (
    Analysis,
    count_analyses,
    paradigms_of,
    read_vocabulary,
    surface_forms,
)
from colorless_green.miner.repair import REPAIRS
from colorless_green.miner.tree import Sentence
from colorless_green.miner.treebank import (
    UNDETERMINED,
    Treebank,
    licences_by_file,
    named_word_lists,
    sentences,
    treebank,
)
from colorless_green.nonce.balance.inflection import inflection
from colorless_green.nonce.frequencies import TREEBANK, WORDFREQ, Frequencies, frequencies_named
from colorless_green.nonce.levels import MORPHOLOGY, levels_up_to
from colorless_green.nonce.levels.level import Level, Setting
from colorless_green.nonce.lexicon import Lexicon, word_list_of
from colorless_green.nonce.pseudo.coin import pseudo_words
from colorless_green.nonce.realise.plan import realiser
from colorless_green.nonce.slots import CONTENT_UPOS, Matching

COMMON = 50_000  # words of wordfreq that no pseudo-word may be, where it is asked for
COMPATIBLE = 0.8  # of a lexicon's content words, with features that the treebank has for a word


class Watching(Protocol):
    """Whatever takes note of the sentences of a treebank."""

    def observe(self, sentence: Sentence) -> None:
        """Takes note of a sentence."""


@dataclass(frozen=True, slots=True)
class Sources:
    """The files that words and what is known of them come from."""

    treebanks: tuple[Path, ...] = ()  # none: the one that was mined
    vocabulary: Path | None = None
    word_lists: tuple[str, ...] = ()  # LANGUAGE=FILE of UniMorph
    frequencies: str = TREEBANK
    texts: tuple[Path, ...] = ()  # whose word pairs count as seen
    lexicons: tuple[Path, ...] = ()  # further treebanks or parsed text: evidence, and words


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
    frequencies = frequencies_named(sources.frequencies, language)
    setting = Setting(language, frequencies, sources.texts)
    observers = [each.observer(setting) for each in levels]
    tellers = {feature: LeakCounter(feature) for feature in features}
    on_bad: OnBad | None = None if sources.treebanks else lambda fault: None
    seen: set[int] | None = set() if sources.lexicons else None  # of sentences, by their words
    licences: dict[str, set[str]] = {}
    own_text = _once(_with_licences(source, repair, on_bad, licences), seen, again=True)
    analyses = _observed(own_text, [*observers, *tellers.values()])
    further = [_lexicon_of(path, language) for path in sources.lexicons]
    own = frozenset((upos, normal(feats)) for _, _, upos, feats in analyses)
    for each in further:
        text = _sentences(each, repair_for(each, repair_name), None)
        found = _observed(_once(text, seen), observers)
        for analysis, count in _compatible(found, own):
            analyses[analysis] += count
    known = read_vocabulary(sources.vocabulary) if sources.vocabulary else surface_forms(analyses)
    paradigms = paradigms_of(analyses, letters_only=False)
    lexicon = Lexicon(
        paradigms_of(analyses, letters_only=True) if rule.letters_only else paradigms,
        known,
        rule.replacement,
        rule.partner,
        word_list_of(
            named_word_lists(sources.word_lists).get(language.partition("-")[0]), language
        ),
        closed=sources.vocabulary is not None,
    )
    with_common = kind.pseudo and sources.frequencies == WORDFREQ
    common: list[str] = []  # the most frequent words: no pseudo-word is one of them
    if with_common:
        import wordfreq

        common = list(wordfreq.top_n_list(language.partition("-")[0], COMMON))
    used = frequencies if levels or with_common else None
    inflections = None
    if kind.balanced:
        inflections = {
            feature: inflection(
                paradigms, known, _sentences(source, repair, on_bad), feature, language
            )
            for feature in tellers
        }
    return Matching(
        lexicon,
        realiser(language.partition("-")[0]),
        tuple(
            (each, observer.matcher(lexicon))
            for each, observer in zip(levels, observers, strict=True)
        ),
        kind.keep_tail,
        inflections,
        kind.attractors,
        pseudo_words(paradigms, known.union(common)) if kind.pseudo else None,
        paradigms,
        {feature: each.telling() for feature, each in tellers.items()},
        _files(sources, levels, used),
        frequencies=used.name if used else "",
        lexicons=tuple((each.name, each.licence) for each in further),
        licences=licences,
    )


def _lexicon_of(path: Path, language: str) -> Treebank:
    """A further lexicon. Raises `InputError` where its path tells another language."""
    found = treebank([path], renumber=True)  # for its words: any ids will do
    if found.language == UNDETERMINED:
        return replace(found, language=language)
    ours, theirs = (each.partition("-")[0] for each in (language, found.language))
    if UNDETERMINED != ours != theirs:
        wrong = f"text of {theirs!r} for words of {ours!r}"
        raise InputError("--lexicon", wrong, "one language", kind="conflict")
    return found


def _once(
    found: Iterable[Sentence], seen: set[int] | None, *, again: bool = False
) -> Iterator[Sentence]:
    """Sentences that were not seen before (all, with `again`), so that a text which is named twice
    is not twice the evidence."""
    for sentence in found:
        key = hash(sentence.forms) if seen is not None else 0
        if again or seen is None or key not in seen:
            yield sentence
        if seen is not None:
            seen.add(key)


def _compatible(
    found: Counter[Analysis], own: frozenset[tuple[str, str]]
) -> Iterator[tuple[Analysis, int]]:
    """The analyses of a lexicon that the treebank's annotation could have; none where too few are
    alike, so that it is evidence for frames alone."""
    content = {each: n for each, n in found.items() if each[2] in CONTENT_UPOS}
    alike = {each: n for each, n in content.items() if (each[2], normal(each[3])) in own}
    if sum(alike.values()) >= COMPATIBLE * sum(content.values()):
        yield from alike.items()


def _files(
    sources: Sources, levels: Sequence[Level], frequencies: Frequencies | None
) -> dict[str, str]:
    """What the files that levels look at hold, as digests: names and places do not matter. Of
    wordfreq its version."""
    found = {}
    if sources.lexicons:
        held = []
        for path in sources.lexicons:
            inside = sorted(path.rglob("*")) if path.is_dir() else [path]
            digest = sha256()
            for each in filter(Path.is_file, inside):
                digest.update(each.read_bytes())
            held.append(digest.hexdigest())
        found["lexicons"] = " ".join(sorted(held))
    if frequencies is not None and sources.frequencies == WORDFREQ:
        found["frequencies"] = frequencies.name
    elif frequencies is not None:
        found["frequencies"] = sha256(Path(sources.frequencies).read_bytes()).hexdigest()
    elif levels:
        found["frequencies"] = TREEBANK
    for level in levels:
        if level.name == "unseen":
            texts = [sha256(path.read_bytes()).hexdigest() for path in sources.texts]
            found["texts"] = " ".join(sorted(texts))
    return found


def _sentences(source: Treebank, repair: str, on_bad: OnBad | None) -> Iterator[Sentence]:
    for _, sentence in sentences(source, repair=REPAIRS.get(repair), on_bad=on_bad):
        yield sentence


def _with_licences(
    source: Treebank, repair: str, on_bad: OnBad | None, licences: dict[str, set[str]]
) -> Iterator[Sentence]:
    """The sentences; where the files of a treebank have several licences, `licences` comes to hold
    those under which each form in small letters is shown."""
    several = " AND " in source.licence
    of_files = list(licences_by_file(source).values())
    for index, sentence in sentences(source, repair=REPAIRS.get(repair), on_bad=on_bad):
        for form in sentence.forms if several else ():
            licences.setdefault(form.lower(), set()).add(of_files[index])
        yield sentence


def _observed(found: Iterable[Sentence], observers: Iterable[Watching]) -> Counter[Analysis]:
    """The analyses of all sentences, each of which the observers see too."""
    analyses: Counter[Analysis] = Counter()
    watching = list(observers)
    for sentence in found:
        count_analyses([sentence], analyses)
        for observer in watching:
            observer.observe(sentence)
    return analyses
