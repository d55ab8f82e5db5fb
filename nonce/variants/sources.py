"""Where the words of variants come from: one reading of a treebank, and the files named."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from ...data.errors import InputError
from ...data.items.features import normal
from ...data.items.tree import Sentence
from ...data.memo import content_digest
from ...data.vocabulary import read_vocabulary
from ...miner.originals.cue_words import CueWordCounts
from ...miner.originals.wordlist import word_list_of
from ...miner.rules import procedure_named
from ...miner.treebank.conllu import OnBad
from ...miner.treebank.paradigms import (
    Analysis,
    count_analyses,
    paradigms_of,
    surface_forms,
)
from ...miner.treebank.treebank import (
    REPAIRS,
    UNDETERMINED,
    Treebank,
    licences_by_file,
    named_word_lists,
    sentences,
    treebank,
)
from ...miner.treebank_mining import repair_for
from .ambiguity.pair import VerbUses
from .frames.usable_forms import misspelt_rows
from .frequencies import TREEBANK, WORDFREQ, Frequencies, frequencies_named
from .levels import levels_up_to
from .levels.level import Level, LevelSetting
from .lexicon import Lexicon
from .pseudo.pseudowords import pseudo_words
from .realise.sentence_plan import realiser
from .recipe import HIGHEST, Recipe
from .slots import CONTENT_UPOS, Matching

COMMON = 50_000  # words of wordfreq that no pseudo-word may be, where it is asked for
TYPO = "Typo=Yes"  # in FEATS
COMPATIBLE = 0.8  # of a lexicon's content words, with features that the treebank has for a word


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
    rule, code = procedure_named(rule_name), source.language.partition("-")[0]
    levels = levels_up_to(recipe.level or HIGHEST)
    frequencies = frequencies_named(recipe.frequencies or TREEBANK, source.language)
    setting = LevelSetting(source.language, frequencies, recipe.seen_in or ())
    observers = [level.observer(setting) for level in levels]
    cue_counts = {feature: CueWordCounts(feature) for feature in features}
    verbs, misspelt = VerbUses(), Counter[Analysis]()
    licences: dict[str, set[str]] = {}
    text = _with_licences(source, repair_for(source, repair_name), on_bad, licences)
    seen: set[int] = set()
    levels_see = [observer.observe for observer in observers]
    cues_see = [counts.observe for counts in cue_counts.values()]
    all_see: list[Callable[[Sentence], None]] = [
        *levels_see,
        *cues_see,
        verbs.observe,
        partial(_count_misspelt, misspelt),
    ]
    analyses = _observed(text, all_see, seen, count_repeats=True)
    cells = frozenset((upos, normal(feats)) for _, _, upos, feats in analyses)
    lexicons = [_lexicon_of(path, source.language) for path in recipe.lexicon or ()]
    for bank in lexicons:
        text = _with_licences(bank, repair_for(bank, repair_name), None, {})
        analyses.update(_compatible(_observed(text, levels_see, seen), cells))
    paradigms = paradigms_of(analyses, letters_only=False)
    if not rule.replacement.same_class:  # the published sets have misspelt words
        analyses = Counter({row: n for row, n in analyses.items() if TYPO not in row[3]}) - misspelt
    lists = named_word_lists(recipe.unimorph or ())
    lexicon = Lexicon(
        paradigms_of(analyses, letters_only=rule.letters_only),
        read_vocabulary(recipe.vocabulary) if recipe.vocabulary else surface_forms(analyses),
        rule.replacement,
        rule.partner,
        word_list_of(lists.get(code), source.language),
        closed=recipe.vocabulary is not None,
    )
    is_pseudo, has_list = recipe.words == "pseudo", recipe.frequencies == WORDFREQ
    common: list[str] = []  # what no pseudo-word may be
    if is_pseudo and has_list:
        import wordfreq  # is installed and knows the language: `frequencies_named` has asked

        common = list(wordfreq.top_n_list(code, COMMON))
    used = frequencies if levels or (is_pseudo and has_list) else None
    return Matching(
        lexicon,
        realiser(code),
        paradigms,
        verbs,
        tuple(
            (level, observer.matcher(lexicon))
            for level, observer in zip(levels, observers, strict=True)
        ),
        recipe.tail == "keep" if recipe.tail else None,
        pseudo_words(paradigms, lexicon.vocabulary.union(common)) if is_pseudo else None,
        cue_counts,
        _digests(recipe, levels, used),
        frequencies=used.name if used else "",
        lexicons=tuple((bank.name, bank.licence) for bank in lexicons),
        licences=licences,
    )


def _count_misspelt(counts: Counter[Analysis], sentence: Sentence) -> None:
    """Count the words of a sentence that the annotation corrects."""
    columns = list(zip(sentence.forms, sentence.lemmas, sentence.upos, sentence.feats, strict=True))
    counts.update(columns[row] for row in misspelt_rows(sentence))


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
) -> Mapping[Analysis, int]:
    """Return the analyses of a lexicon that the treebank's annotation could have; none where too
    few are alike, so that it is evidence for frames alone."""
    content = {row: n for row, n in analyses.items() if row[2] in CONTENT_UPOS}
    compatible = {row: n for row, n in content.items() if (row[2], normal(row[3])) in cells}
    enough = sum(compatible.values()) >= COMPATIBLE * sum(content.values())
    return compatible if enough else {}


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
