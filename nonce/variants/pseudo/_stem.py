"""Words cut into what changes and what stays: a lexeme's stem, and the endings of its forms.

    form           prefix  stem    ending           form        prefix  stem   ending
    company                compan  y                machen              mach   en
    companies              compan  ies              gemacht     ge      mach   t

The stem is the longest string that all forms of the lexeme and its lemma have in common, so what is
left over may stand on both sides (German *ge-*, the Arabic article, Welsh mutations). It is taken
for a stem only where what is left over is known from other words: *stand* and *stood* share `st`,
but no other verb ends in `-and`. A lexeme of which one form is seen is cut where words with the
same features are usually cut.
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
SET_ASIDE = ("Typo", "Abbr", "Foreign")  # features of forms that tell nothing of a paradigm
PRINCIPAL_PART = ("VerbForm", "Tense", "Aspect", "Mood", "Voice", "Degree", "HebBinyan")
"""Features whose values may have stems of their own (*stands*, *stood*; Hebrew participles)."""
IN_LEMMAS = str.maketrans("", "", "#+=_-·'’0123456789")  # boundaries and senses, not letters

MIN_STEM = 2  # letters
LONGEST_STEM = 12  # letters: what is drawn two letters at a time soon loses its shape
SURE_STEM = 3  # letters from which on only the lemma's ending is asked for, and prefixes may stand
ENDING_SHARE = 0.005  # of the lexemes with several forms: below, an ending is part of a stem
PREFIX_SHARE = (
    0.01  # of the German nouns 0.4 % begin with la-/lä- (Land), of the verbs 5 % with ge-
)
BUNDLE_SHARE = 0.05  # of the lexemes with these FEATS: an ending that a lone form may be cut at
STRAY_SHARE = 0.1  # of a lexeme's tokens: forms so rare may be left out
FEWEST = 3  # lexemes that must have an ending, in the smallest treebank


class Affixes(NamedTuple):
    """The parts that a form adds to the stem; strings are coded."""

    prefix: str
    ending: str
    stress: Stress  # accents of the stem


@dataclass(frozen=True, slots=True)
class StemSplit:
    """A paradigm as stem and leftovers."""

    stem: str  # coded, without accents that mark stress
    affixes: Mapping[str, Affixes]  # form as it is written → what it adds
    upos: str
    gender: str  # "" where the treebank tells none


@dataclass(frozen=True)
class Lexeme:
    """All that a treebank shows of a lemma with one POS."""

    lemma: str  # as in the treebank
    upos: str
    forms: Mapping[str, Mapping[str, int]]  # form → FEATS → count, both in the order first seen

    @property
    def gender(self) -> str:
        """Return the value of Gender seen most often, ties by first seen."""
        genders: Counter[str] = Counter()
        for seen in self.forms.values():
            for feats, n in seen.items():
                genders[parse_feats(feats).get("Gender", "")] += n
        return genders.most_common(1)[0][0] if genders else ""

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """Return form → tokens."""
        return {form: sum(seen.values()) for form, seen in self.forms.items()}

    def part(self, form: str) -> "Lexeme":
        """Return the forms that share a principal part with `form`."""

        def parts(seen: Mapping[str, int]) -> set[tuple[str | None, ...]]:
            bundles = map(parse_feats, seen)
            return {tuple([bundle.get(name) for name in PRINCIPAL_PART]) for bundle in bundles}

        selected = parts(self.forms.get(form, {}))
        forms = {
            name: seen for name, seen in self.forms.items() if not selected.isdisjoint(parts(seen))
        }
        return Lexeme(self.lemma, self.upos, forms)


def lexemes_of(paradigms: Paradigms) -> dict[tuple[str, str], Lexeme]:
    """Return (lemma, UPOS) → lexeme, open classes only, in the order first seen. Without a lemma
    every form is a lexeme of its own. Typing errors, abbreviations and foreign words are left
    out."""
    grouped: dict[tuple[str, str], dict[str, dict[str, int]]] = {}
    for (form, lemma, upos, feats), n in paradigms.counts.items():
        if upos in OPEN_CLASSES and parse_feats(feats).keys().isdisjoint(SET_ASIDE):
            forms = grouped.setdefault((form if lemma == MISSING else lemma, upos), {})
            seen = forms.setdefault(form, {})
            seen[feats] = seen.get(feats, 0) + n
    return {key: Lexeme(*key, forms) for key, forms in grouped.items()}


def common_part(words: Iterable[str]) -> str:
    """Return the longest string that stands in all of the words; of several the leftmost in the
    shortest word, of words equally short the first by code point."""
    distinct = sorted(set(words), key=lambda word: (len(word), word))
    shortest, other_words = distinct[0], distinct[1:]
    if all(word.startswith(shortest) for word in other_words):
        return shortest
    for size in range(len(shortest), 0, -1):
        for start in range(len(shortest) - size + 1):
            part = shortest[start : start + size]
            if all(part in word for word in other_words):
                return part
    return ""


def bases(spelling: Orthography, lemma: str) -> list[list[str]]:
    """Return what can be a lemma among its forms, in the order to try: the lemma coded, the same
    without vowel points, and nothing (some treebanks have numbers or glosses for lemmas)."""
    unpointed = "".join([char for char in lemma if not is_mark(char)])
    words = (spelling.coded(written.translate(IN_LEMMAS)) for written in (lemma, unpointed))
    return [[word] for word in dict.fromkeys(words) if word] + [[]]


@dataclass(frozen=True)
class Endings:
    """The beginnings and endings that words of a language have, learned from its lexemes."""

    spelling: Orthography
    prefixes: Mapping[str, frozenset[str]]  # UPOS → productive ones
    endings: Mapping[str, frozenset[str]]
    of_bundle: Mapping[tuple[str, str], frozenset[str]]  # (UPOS, FEATS) → endings usual there

    def cut(self, lexeme: Lexeme) -> StemSplit | str:
        """Cut the forms of a lexeme into stem and leftovers, or return why it cannot be cut. Forms
        that make a tenth of its tokens or less may be left out, if that helps."""
        split = self._cut(lexeme)
        if isinstance(split, StemSplit) or len(lexeme.forms) < 2:
            return split
        forms: dict[str, Mapping[str, int]] = {}
        best: StemSplit | None = None
        for form in sorted(lexeme.forms, key=lambda form: -lexeme.counts[form]):
            tried = self._cut(
                Lexeme(lexeme.lemma, lexeme.upos, {**forms, form: lexeme.forms[form]})
            )
            if isinstance(tried, StemSplit):
                best, forms[form] = tried, lexeme.forms[form]
        n_tokens = sum(lexeme.counts[form] for form in forms)
        enough = n_tokens >= (1 - STRAY_SHARE) * sum(lexeme.counts.values())
        return best if best and enough else split

    def _cut(self, lexeme: Lexeme) -> StemSplit | str:
        """Cut all forms of a lexeme as `cut` does."""
        spelling = self.spelling
        if not lexeme.forms:
            return "no such form in the treebank"
        coded = {form: spelling.coded(form) for form in lexeme.forms}
        regular = {coded[form] for form in lexeme.forms if capitals(form) != "mixed"}
        if not regular.issuperset(coded.values()):
            return "capitals inside the word"
        reasons = []
        for base in bases(spelling, lexeme.lemma):
            words = [spelling.without_stress(word) for word in (*coded.values(), *base)]
            stem = self._stem(lexeme, words, bool(base))
            if stem is None:
                reasons.append("endings that few other words have")
            elif len(stem) < MIN_STEM:
                reasons.append("no stem of two letters")
            elif len(stem) > LONGEST_STEM:
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

    def _stem(self, lexeme: Lexeme, words: Sequence[str], lemma_last: bool) -> str | None:
        """Return what the words share, or `None` where what it leaves over is not known from
        others.

        Of short stems everything must be known, of others all prefixes and the ending of the lemma
        (without one, of all forms). A lone form loses the longest ending that is usual for its
        features; if it has none of them it must look like its lemma (not *went*).
        """
        upos = lexeme.upos
        if len(set(words)) == 1:
            word = words[0]
            bundles = [(upos, feats) for seen in lexeme.forms.values() for feats in seen]
            usual = {ending for bundle in bundles for ending in self.of_bundle.get(bundle, ())}
            for ending in sorted(usual, key=lambda ending: (-len(ending), ending)):
                stem = word.removesuffix(ending)
                if word.endswith(ending) and len(stem) >= SURE_STEM:
                    return stem
            return word if lemma_last and word else None
        stem = common_part(words)
        if len(stem) < MIN_STEM:
            return stem
        sides = [word.partition(stem) for word in words]
        prefixes = {prefix for prefix, _, _ in sides if prefix}
        tested = sides[-1:] if lemma_last and len(stem) >= SURE_STEM else sides
        is_productive = (
            prefixes.issubset(self.prefixes.get(upos, ()))
            and not (prefixes and len(stem) < SURE_STEM)
            and {ending for _, _, ending in tested} <= self.endings.get(upos, frozenset())
        )
        return stem if is_productive else None


def learn_endings(spelling: Orthography, lexemes: Iterable[Lexeme]) -> Endings:
    """Learn the endings of a language: what is left over in lexemes with several forms, where
    enough of them have it."""
    prefixes: dict[str, Counter[str]] = defaultdict(Counter)
    endings: dict[str, Counter[str]] = defaultdict(Counter)
    bundles: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    n_lexemes: Counter[str] = Counter()
    for lexeme in lexemes:
        coded = {form: spelling.without_stress(spelling.coded(form)) for form in lexeme.forms}
        for base in bases(spelling, lexeme.lemma):
            words = {*coded.values(), *map(spelling.without_stress, base)}
            stem = common_part(words)
            prefixed = not all(word.startswith(stem) for word in words)
            min_length = SURE_STEM if prefixed else MIN_STEM
            if len(words) > 1 and len(stem) >= min_length:
                break
        else:
            continue
        n_lexemes[lexeme.upos] += 1
        sides = [word.partition(stem) for word in words]
        prefixes[lexeme.upos].update({prefix for prefix, _, _ in sides})
        endings[lexeme.upos].update({ending for _, _, ending in sides})
        ending_of = {form: word.partition(stem)[2] for form, word in coded.items()}
        for feats, ending in {(f, ending_of[form]) for form in coded for f in lexeme.forms[form]}:
            bundles[lexeme.upos, feats][ending] += 1

    def frequent(counts: Counter[str], min_count: float) -> frozenset[str]:
        return frozenset(affix for affix, n in counts.items() if n >= max(FEWEST, min_count))

    return Endings(
        spelling,
        {upos: frequent(n, PREFIX_SHARE * n_lexemes[upos]) for upos, n in prefixes.items()},
        {upos: frequent(n, ENDING_SHARE * n_lexemes[upos]) for upos, n in endings.items()},
        {key: frequent(n, BUNDLE_SHARE * n.total()) for key, n in bundles.items()},
    )
