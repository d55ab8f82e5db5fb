"""`matching_for`: the words of variants, from one reading of a treebank and further files."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

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
    Treebank,
    licences_by_file,
    named_word_lists,
    sentences,
)
from ...miner.treebank_mining import repair_for
from .ambiguity.pair import VerbUses
from .frames.usable_forms import misspelt_words
from .frequencies import TREEBANK, WORDFREQ, Frequencies, frequencies_named
from .levels import levels_up_to
from .levels.level import Level, LevelSetting
from .lexicon import Lexicon
from .pseudo import pseudo_words
from .realise import realiser
from .recipe import HIGHEST, Recipe
from .slots import Matching

TYPO = "Typo=Yes"  # in FEATS


def matching_for(
    source: Treebank,
    recipe: Recipe,
    rule_name: str,
    repair_name: str,
    features: Iterable[str] = ("Number",),
    on_bad: OnBad | None = None,
) -> Matching:
    """Read a treebank once and prepare the words, rules and levels that variants are made with.

    Args:
        source: treebank of the words.
        recipe: how words are drawn; it names further files.
        rule_name: name of the rule by which the originals were mined.
        repair_name: name of the repair with which they were mined.
        features: features that agree in the originals, by their names at the cue.
        on_bad: called with each bad sentence of the treebank; None: a bad sentence is an error.

    Returns:
        The words, rules and levels, as `variants` takes them.

    Raises:
        InputError: an unknown rule or repair, a file that cannot be read, or text in another
            language.

    >>> from colorless_green.data import sample
    >>> from colorless_green.miner import treebank
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
    analyses = Counter[Analysis]()
    # one licence a file; words need their own only if the files differ
    licence_of = list(licences_by_file(source).values()) if " AND " in source.licence else []
    repair = REPAIRS.get(repair_for(source, repair_name))
    for file, sentence in sentences(source, repair=repair, on_bad=on_bad):
        count_analyses([sentence], analyses)
        if indices := misspelt_words(sentence):
            columns = sentence.forms, sentence.lemmas, sentence.upos, sentence.feats
            words = list(zip(*columns, strict=True))
            misspelt.update(words[index] for index in indices)
        for form in sentence.forms if licence_of else ():
            licences.setdefault(form.lower(), set()).add(licence_of[file])
        verbs.observe(sentence)
        for counts in cue_counts.values():
            counts.observe(sentence)
        for observer in observers:
            observer.observe(sentence)
    paradigms = paradigms_of(analyses, letters_only=False)
    if not rule.replacement.same_class:  # the published sets have misspelt words
        well_spelt = {
            (form, lemma, upos, feats): n
            for (form, lemma, upos, feats), n in analyses.items()
            if TYPO not in feats
        }
        analyses = Counter(well_spelt) - misspelt
    lists = named_word_lists(recipe.unimorph or ())
    lexicon = Lexicon(
        paradigms=paradigms_of(analyses, letters_only=rule.letters_only),
        vocabulary=(
            read_vocabulary(recipe.vocabulary) if recipe.vocabulary else surface_forms(analyses)
        ),
        conditions=rule.replacement,
        partner=rule.partner,
        word_list=word_list_of(lists.get(code), source.language),
        closed=recipe.vocabulary is not None,
        language=code,
    )
    is_pseudo = recipe.words == "pseudo"
    return Matching(
        lexicon=lexicon,
        realiser=realiser(code),
        paradigms=paradigms,
        verbs=verbs,
        levels=tuple(
            (level, observer.matcher(lexicon))
            for level, observer in zip(levels, observers, strict=True)
        ),
        pseudo=pseudo_words(paradigms, lexicon.vocabulary) if is_pseudo else None,
        cue_counts=cue_counts,
        digests=_digests_by_kind(recipe, levels, frequencies),
        licences=licences,
    )


def _digests_by_kind(
    recipe: Recipe, levels: Sequence[Level], frequencies: Frequencies | None
) -> dict[str, str]:
    """Return kind of file (`frequencies`, `texts`) → a digest of the content of the files that the
    levels use. In place of a digest, frequencies of wordfreq have its name and version, and those
    of the treebank the name `treebank`."""
    digests = {}
    if levels:
        source = recipe.frequencies or TREEBANK
        is_file = source not in (TREEBANK, WORDFREQ)
        name = frequencies.name if frequencies else TREEBANK
        digests["frequencies"] = content_digest(Path(source)) if is_file else name
    if any(level.name == "unseen" for level in levels):
        digests["texts"] = " ".join(sorted(map(content_digest, recipe.seen_in or ())))
    return digests
