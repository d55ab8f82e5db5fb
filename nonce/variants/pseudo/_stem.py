"""Lexemes cut into a stem, which all their forms share, and the endings of the forms.

    form           prefix  stem    ending           form        prefix  stem   ending
    company                compan  y                machen              mach   en
    companies              compan  ies              gemacht     ge      mach   t

The stem is the longest string that all forms of the lexeme and its lemma have in common, so there
may be affixes on both sides (German *ge-*, the Arabic article, Welsh mutations). It counts as a
stem only if its affixes are known from other words: *stand* and *stood* share `st`, but no other
verb ends in `-and`. A lexeme seen in one form is cut before the usual ending of words with the same
features.

Strings called coded are in lower case, one character a letter (`letters.py`).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ....data.items.features import parse_feats
from ....miner.treebank.paradigms import MISSING, Paradigms
from .letters import Orthography, Stress, capitals, is_mark

OPEN_CLASSES = ("NOUN", "PROPN", "VERB", "ADJ", "ADV")
IGNORED_FEATURES = ("Typo", "Abbr", "Foreign")  # features of forms that belong to no paradigm
PRINCIPAL_PART_FEATURES = ("VerbForm", "Tense", "Aspect", "Mood", "Voice", "Degree", "HebBinyan")
"""Features by which a lexeme's forms may differ in stem (*stands*, *stood*; Hebrew participles)."""
NOT_LETTERS = str.maketrans("", "", "#+=_-·'’0123456789")  # boundaries and senses in lemmas

MIN_STEM = 2  # letters
MAX_STEM = 12  # letters; longer random stems do not look like words
MIN_SURE_STEM = 3  # letters of a stem that needs fewer known affixes, and may have prefixes
ENDING_SHARE = 0.005  # share of the lexemes with several forms that makes an ending productive
# the same for a prefix: of German nouns 0.4 % begin with la-/lä- (*Land*), of verbs 5 % with ge-
PREFIX_SHARE = 0.01
BUNDLE_SHARE = 0.05  # share of the lexemes with the same FEATS that makes an ending usual
STRAY_SHARE = 0.1  # share of a lexeme's tokens that may be left out
MIN_LEXEMES = 3  # lexemes that must have an ending, in the smallest treebank


class Affixes(NamedTuple):
    """The parts that a form adds to the stem, as coded strings."""

    prefix: str
    ending: str
    stress: Stress  # accents of the stem


@dataclass(frozen=True, slots=True)
class StemSplit:
    """All forms of a lexeme, cut into the stem that they share and each form's affixes."""

    stem: str  # coded, without accents that mark stress
    affixes: Mapping[str, Affixes]  # form as it is written → its affixes
    upos: str
    gender: str  # "" if the treebank has none


@dataclass(frozen=True)
class Lexeme:
    """All forms that a treebank shows of a lemma with one part of speech."""

    lemma: str  # as in the treebank
    upos: str
    forms: Mapping[str, Mapping[str, int]]  # form → FEATS → count, both in the order first seen

    @property
    def gender(self) -> str:
        """Return the value of Gender that was seen most often (of several, the first); "" if there
        is none."""
        genders: Counter[str] = Counter()
        for by_feats in self.forms.values():
            for feats, n in by_feats.items():
                genders[parse_feats(feats).get("Gender", "")] += n
        return genders.most_common(1)[0][0] if genders else ""

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """Return form → number of tokens."""
        return {form: sum(by_feats.values()) for form, by_feats in self.forms.items()}

    def principal_part(self, form: str) -> "Lexeme":
        """Return the lexeme with only those of its forms that have the same tense, mood, degree
        etc. (`PRINCIPAL_PART_FEATURES`) as `form`, and so may share a stem with it."""

        def parts_of(by_feats: Mapping[str, int]) -> set[tuple[str | None, ...]]:
            """Return the values of these features, for each FEATS of a form."""
            return {
                tuple([values.get(name) for name in PRINCIPAL_PART_FEATURES])
                for values in map(parse_feats, by_feats)
            }

        wanted = parts_of(self.forms.get(form, {}))
        forms = {
            other_form: by_feats
            for other_form, by_feats in self.forms.items()
            if wanted & parts_of(by_feats)
        }
        return Lexeme(self.lemma, self.upos, forms)


def lexemes_of(paradigms: Paradigms) -> dict[tuple[str, str], Lexeme]:
    """Return (lemma, UPOS) → lexeme, for open classes, in the order of the treebank. Each form
    without a lemma is its own lexeme. Misspellings, abbreviations and foreign words are left
    out."""
    grouped: dict[tuple[str, str], dict[str, dict[str, int]]] = {}
    for (form, lemma, upos, feats), n in paradigms.counts.items():
        if upos in OPEN_CLASSES and parse_feats(feats).keys().isdisjoint(IGNORED_FEATURES):
            forms = grouped.setdefault((form if lemma == MISSING else lemma, upos), {})
            by_feats = forms.setdefault(form, {})
            by_feats[feats] = by_feats.get(feats, 0) + n
    return {key: Lexeme(*key, forms) for key, forms in grouped.items()}


def common_part(words: Iterable[str]) -> str:
    """Return the longest string that all words contain, "" if there is none. Of several equally
    long, it is the leftmost in the shortest word."""
    shortest, *other_words = sorted(set(words), key=lambda word: (len(word), word))
    for size in range(len(shortest), 0, -1):
        for start in range(len(shortest) - size + 1):
            part = shortest[start : start + size]
            if all(part in word for word in other_words):
                return part
    return ""


def lemma_variants(spelling: Orthography, lemma: str) -> list[list[str]]:
    """Return lists of one word or none, to be tried in this order as a further form of a lexeme.
    They have the coded lemma, the lemma without vowel points, and nothing (some treebanks have
    numbers or glosses for lemmas)."""
    unpointed = "".join([char for char in lemma if not is_mark(char)])
    words = (spelling.coded(written.translate(NOT_LETTERS)) for written in (lemma, unpointed))
    return [[word] for word in dict.fromkeys(words) if word] + [[]]


@dataclass(frozen=True)
class Endings:
    """The prefixes and endings that words of a language have, learned from its lexemes."""

    spelling: Orthography
    prefixes: Mapping[str, frozenset[str]]  # UPOS → productive ones
    endings: Mapping[str, frozenset[str]]
    of_feats: Mapping[tuple[str, str], frozenset[str]]  # (UPOS, FEATS) → usual endings

    def cut(self, lexeme: Lexeme) -> StemSplit | str:
        """Cut the forms of a lexeme into stem and affixes. Return them or, as a text, the reason
        why it cannot be cut. If that helps, rare forms are left out, up to a tenth of the lexeme's
        tokens."""
        split = self._cut(lexeme)
        if isinstance(split, StemSplit) or len(lexeme.forms) < 2:
            return split
        forms: dict[str, Mapping[str, int]] = {}
        best: StemSplit | None = None  # of the forms so far, the most frequent first
        for form in sorted(lexeme.forms, key=lambda form: -lexeme.counts[form]):
            attempt = self._cut(
                Lexeme(lexeme.lemma, lexeme.upos, {**forms, form: lexeme.forms[form]})
            )
            if isinstance(attempt, StemSplit):
                best, forms[form] = attempt, lexeme.forms[form]
        n_tokens = sum(lexeme.counts[form] for form in forms)
        has_most = n_tokens >= (1 - STRAY_SHARE) * sum(lexeme.counts.values())
        return best if best and has_most else split

    def _cut(self, lexeme: Lexeme) -> StemSplit | str:
        """Cut all forms of a lexeme into stem and affixes. Return them or, as a text, the reason
        why it cannot be cut."""
        spelling = self.spelling
        coded = {form: spelling.coded(form) for form in lexeme.forms}
        regular = {coded[form] for form in lexeme.forms if capitals(form) != "mixed"}
        if not regular.issuperset(coded.values()):  # no spelling of some form is without them
            return "capitals inside the word"
        reasons = []
        for base in lemma_variants(spelling, lexeme.lemma):
            words = [spelling.without_stress(word) for word in (*coded.values(), *base)]
            stem = self._stem(lexeme, words, bool(base))
            if stem is None:
                reasons.append("endings that few other words have")
            elif len(stem) < MIN_STEM:
                reasons.append("no stem of two letters")
            elif len(stem) > MAX_STEM:
                reasons.append("stem of more than twelve letters")
            elif not spelling.is_word(stem):
                reasons.append("not letters alone")
            else:
                affixes = {}
                for form, word in coded.items():
                    start = spelling.without_stress(word).index(stem)
                    end = start + len(stem)
                    stress = spelling.stress_of(word[start:end])
                    affixes[form] = Affixes(word[:start], word[end:], stress)
                return StemSplit(stem, affixes, lexeme.upos, lexeme.gender)
        return reasons[0]

    def _stem(self, lexeme: Lexeme, words: Sequence[str], has_lemma: bool) -> str | None:
        """Return the stem that the words share, or `None` if their affixes are not known from other
        words. `has_lemma` tells whether the last word is the lemma.

        Of a short stem all affixes must be known, of a longer one all prefixes and the ending of
        the lemma (without a lemma, of all forms). A single form loses the longest ending that is
        usual for its features; if it has no such ending, it must equal its lemma (unlike *went*).
        """
        upos = lexeme.upos
        if len(set(words)) == 1:
            word = words[0]
            stem_without_ending = self._without_usual_ending(lexeme, word)
            return stem_without_ending or (word if has_lemma and word else None)
        stem = common_part(words)
        if len(stem) < MIN_STEM:
            return stem
        cut_words = [word.partition(stem) for word in words]
        prefixes = {prefix for prefix, _, _ in cut_words if prefix}
        is_sure = len(stem) >= MIN_SURE_STEM
        to_check = cut_words[-1:] if has_lemma and is_sure else cut_words  # the lemma is the last
        is_productive = (
            prefixes.issubset(self.prefixes.get(upos, ()))
            and (is_sure or not prefixes)
            and {ending for _, _, ending in to_check} <= self.endings.get(upos, frozenset())
        )
        return stem if is_productive else None

    def _without_usual_ending(self, lexeme: Lexeme, word: str) -> str:
        """Return a word, the only form of a lexeme, without the longest ending that is usual for
        its features; "" if it has none, or what is left is short."""
        usual = {
            ending
            for by_feats in lexeme.forms.values()
            for feats in by_feats
            for ending in self.of_feats.get((lexeme.upos, feats), ())
        }
        for ending in sorted(usual, key=lambda ending: (-len(ending), ending)):
            stem = word.removesuffix(ending)
            if word.endswith(ending) and len(stem) >= MIN_SURE_STEM:
                return stem
        return ""


def learn_endings(spelling: Orthography, lexemes: Iterable[Lexeme]) -> Endings:
    """Learn the prefixes and endings of a language: those that enough of its lexemes with several
    forms have."""
    prefixes: dict[str, Counter[str]] = defaultdict(Counter)
    endings: dict[str, Counter[str]] = defaultdict(Counter)
    endings_of_feats: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    n_lexemes: Counter[str] = Counter()
    for lexeme in lexemes:
        coded = {form: spelling.without_stress(spelling.coded(form)) for form in lexeme.forms}
        for base in lemma_variants(spelling, lexeme.lemma):
            words = {*coded.values(), *map(spelling.without_stress, base)}
            stem = common_part(words)
            has_prefixes = not all(word.startswith(stem) for word in words)
            min_length = MIN_SURE_STEM if has_prefixes else MIN_STEM
            if len(words) > 1 and len(stem) >= min_length:
                break
        else:
            continue  # no stem with any variant of the lemma
        n_lexemes[lexeme.upos] += 1
        cut_words = [word.partition(stem) for word in words]
        prefixes[lexeme.upos].update({prefix for prefix, _, _ in cut_words})
        endings[lexeme.upos].update({ending for _, _, ending in cut_words})
        ending_of = {form: word.partition(stem)[2] for form, word in coded.items()}
        # a lexeme counts once for an ending, even if several forms with these FEATS have it
        for feats, ending in {(f, ending_of[form]) for form in coded for f in lexeme.forms[form]}:
            endings_of_feats[lexeme.upos, feats][ending] += 1

    def frequent(counts: Counter[str], min_count: float) -> frozenset[str]:
        """Return the affixes that were counted at least `min_count` and `MIN_LEXEMES` times."""
        return frozenset(affix for affix, n in counts.items() if n >= max(MIN_LEXEMES, min_count))

    return Endings(
        spelling,
        {upos: frequent(n, PREFIX_SHARE * n_lexemes[upos]) for upos, n in prefixes.items()},
        {upos: frequent(n, ENDING_SHARE * n_lexemes[upos]) for upos, n in endings.items()},
        {key: frequent(n, BUNDLE_SHARE * n.total()) for key, n in endings_of_feats.items()},
    )
