"""Which forms may be drawn at all: no abbreviation, typo, foreign or truncated word, look-alike."""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ....data.items.features import CACHED, NO_FEATS, normal, parse_feats
from ....data.items.tree import Sentence
from ....miner.originals.wrong_form import distance
from ....miner.search.filters import nouns
from ....miner.treebank.paradigms import MISSING, Analysis
from ....miner.treebank.surface import CORRECT_FORM, misspelt, surface_of
from ....miner.treebank.view import TreeView, key_of
from ..ambiguity.pair import entries
from .frame_thresholds import FrameThresholds

BARRED = frozenset({"Abbr", "Typo", "Foreign", "ExtPos", "Style", "NumType", "PronType", "Poss"})
MATCHED = ("Number", "Gender", "Case")
STEM = 3  # letters before the ending of an adverb of an open class: not *on-ly*
HYPHENS = frozenset({"-", "\u2010", "\u2011"})
MIXED = frozenset({"LATIN", "CYRILLIC", "GREEK"})  # scripts with letters that look alike
ACUTE = "[\u03ac-\u03af\u03cc-\u03ce\u0390\u03b0]"  # Greek vowels with an accent
TWO_ACCENTS = re.compile(f"{ACUTE}.*{ACUTE}")  # the second is there for a clitic that follows
ACCENTED = re.compile(ACUTE)
VOWELS = re.compile("αι|ει|οι|ου|υι|αυ|ευ|ηυ|[αεηιουωϊϋ]")
JOINER = "\u200c"  # inside Persian words


@dataclass(frozen=True)
class UsableForms:
    """The forms of a treebank that may be drawn, and what tells so."""

    analyses: frozenset[Analysis]  # FEATS normal: the forms that may stand in place of others
    marked: tuple[str, ...]  # features that the language's nouns tell; no other can be matched
    citation: frozenset[tuple[str, str]]  # (UPOS, FEATS) most of whose forms are their lemmas
    inflected: frozenset[tuple[str, str]]  # (UPOS, FEATS) that do not tell the whole ending
    endings: tuple[str, ...]  # of adverbs made from adjectives
    slips: frozenset[tuple[str, str, str]]  # (form, lemma, UPOS) of likely misspellings


def usable_forms_of(
    analyses: Mapping[Analysis, int],
    content: frozenset[str],
    language: str,
    thresholds: FrameThresholds,
    contradicted: Mapping[Analysis, int],
) -> UsableForms:
    """Return what counted analyses show of their forms, for words of the UPOS `content`.

    A form must be letters; in small letters, and its lemma too, unless it is a name (which has one
    capital) or the language writes nouns with capitals; of a lemma seen twice with its part of
    speech; hardly ever of another part of speech; not beaten two to one by another form of its cell
    (*dir* beside *dire*); the lemma itself where its cell holds lemmas (*struck* is no infinitive);
    no plural without a singular. `contradicted`: how often the determiner of a noun tells another
    case or number.
    """
    table = _Table(analyses, thresholds)
    code = language.partition("-")[0]
    kinds = ("quantity", "collective")  # say little of the verb's number
    excluded = frozenset().union(*(nouns(kind, code) | entries(kind, code) for kind in kinds))
    usable = frozenset(
        (form, lemma, upos, normal(feats))
        for form, lemma, upos, feats in analyses
        if upos in content
        and (upos != "NOUN" or lemma.lower() not in excluded)
        and table.is_usable(form, lemma, upos, feats)
        and contradicted.get((form, lemma, upos, feats), 0)
        <= thresholds.contradicted * analyses[form, lemma, upos, feats]
    )
    return UsableForms(
        usable,
        table.marked,
        table.citation,
        _inflected(analyses, thresholds),
        productive_endings(analyses, thresholds),
        table.slips(),
    )


def misspelt_rows(sentence: Sentence) -> Sequence[int]:
    """Return the rows of a sentence's words that its MISC corrects."""
    marks = (*sentence.misc, *(token.misc for token in sentence.ranges))
    return misspelt(surface_of(sentence, "apart")) if CORRECT_FORM in "".join(marks) else ()


def truncated_rows(view: TreeView) -> Sequence[int]:
    """Return the words that share the end of a later one: German *Staats - und Parteichefs*."""
    if HYPHENS.isdisjoint(view.forms):
        return ()
    return [
        row
        for row, following in enumerate(zip(view.forms[1:], view.upos[2:], strict=False))
        if following[0] in HYPHENS and following[1] == "CCONJ"
    ]


@lru_cache(maxsize=CACHED)
def is_word(form: str) -> bool:
    """Letters with their marks; three of them in scripts that have capitals, where shorter ones
    are mostly abbreviations (*km*, *см*), prefixes and names of letters."""
    scripts = {unicodedata.name(letter, "").split(" ")[0] for letter in form if letter.isalpha()}
    if len(scripts & MIXED) > 1:
        return False  # *пpиходит* with a Latin letter
    letters = all(
        letter.isalpha() or letter == JOINER or unicodedata.category(letter)[0] == "M"
        for letter in form
    )
    if has_clitic_accent(form):
        return False
    return letters and form[:1].isalpha() and (len(form) > 2 or form.lower() == form.upper())


def has_clitic_accent(form: str) -> bool:
    """Tell whether a Greek word has a second accent for a clitic behind it (*πράξεών του*)."""
    return TWO_ACCENTS.search(form.lower()) is not None


def takes_clitic_accent(form: str) -> bool:
    """Tell whether a Greek word is accented on the third syllable from its end, so that it would
    need a second accent before a clitic."""
    accent = ACCENTED.search(form.lower())
    return accent is not None and len(VOWELS.findall(form.lower()[accent.end() :])) >= 2


def closed_class(upos: str, form: str, feats: str, endings: tuple[str, ...]) -> str:
    """Return why a word is not of an open class though its part of speech is, or "": a negation, or
    an adverb without one of the endings that make adverbs of adjectives."""
    entries = parse_feats(feats)
    if entries.get("Polarity") == "Neg" or "Neg" in entries.get("PronType", ""):
        return "negation"
    if upos != "ADV":
        return ""
    small = form.lower()
    is_open = any(small.endswith(end) and len(small) >= len(end) + STEM for end in endings)
    closed = not is_open or "PronType" in entries or entries.get("Degree", "Pos") != "Pos"
    return "adverb of a closed class" if closed else ""


def is_truncated(form: str, lemma: str) -> bool:
    """Tell whether a form is its lemma less one or two last letters (*dir*, *ingegner*); said of
    cells that hold lemmas."""
    small, full = form.lower(), lemma.lower()
    return 1 <= len(full) - len(small) <= 2 and full.startswith(small)


class _Table:
    """Counts over all forms, by which one of them is judged."""

    def __init__(self, analyses: Mapping[Analysis, int], thresholds: FrameThresholds) -> None:
        self.thresholds = thresholds
        self.by_form: Counter[str] = Counter()
        self.by_use: Counter[tuple[str, str]] = Counter()
        self.by_word: Counter[tuple[str, str]] = Counter()
        self.cells: dict[tuple[str, str, str], Counter[str]] = {}
        self.citing: dict[tuple[str, str], list[int]] = {}
        self.feats_of: dict[tuple[str, str, str], Counter[str]] = {}
        self.genders: dict[str, Counter[str]] = {}  # of nouns, by lemma
        self.gendered: dict[str, Counter[str]] = {}  # of adjectives, by form
        self.by_ending: dict[tuple[str, str, str], list[int]] = {}
        self.singular: set[str] = set()
        self.capitals = [0, 0]
        self.by_number: dict[tuple[str, str], Counter[str]] = {}
        self.by_spelling: Counter[tuple[str, str]] = Counter()
        counts: Counter[str] = Counter()
        for (form, lemma, upos, feats), n in analyses.items():
            if upos == "NOUN":
                counts.update({name: n for name in MATCHED if name in parse_feats(feats)})
            self._add(form, lemma, upos, feats, n)
        threshold = thresholds.feature_marked * sum(self.capitals)
        self.marked = tuple(name for name in MATCHED if counts[name] >= threshold > 0)
        self.citation = frozenset(
            cell for cell, (uncited, cited) in self.citing.items() if cited > uncited
        )

    def _add(self, form: str, lemma: str, upos: str, feats: str, n: int) -> None:
        small, entries = form.lower(), parse_feats(feats)
        self.by_form[small] += n
        self.by_use[small, upos] += n
        self.by_spelling[form, upos] += n
        self.by_word[upos, key_of(form, lemma)] += n
        if upos == "NOUN":
            self.capitals[form[:1].isupper()] += n
        if upos == "ADJ" and "Gender" in entries:
            self.gendered.setdefault(small, Counter())[entries["Gender"]] += n
        if "Number" in entries:
            self.by_number.setdefault((small, upos), Counter())[entries["Number"]] += n
        for name in MATCHED:
            tally = self.by_ending.setdefault((upos, name, small[-1:]), [0, 0])
            tally[name in entries] += 1
        if lemma == MISSING or not is_word(form):
            return
        cell = (upos, normal(feats))
        if upos == "NOUN":
            self.genders.setdefault(lemma, Counter())[entries.get("Gender", "")] += n
            if entries.get("Number") != "Plur":
                self.singular.add(lemma.lower())
        self.feats_of.setdefault((small, lemma, upos), Counter())[cell[1]] += n
        self.cells.setdefault((lemma, *cell), Counter())[small] += n
        self.citing.setdefault(cell, [0, 0])[small == lemma.lower()] += 1

    def slips(self) -> frozenset[tuple[str, str, str]]:
        """Return the forms seen once that are a letter away from a frequent form of their cell."""
        return frozenset(
            (form, lemma, upos)
            for (lemma, upos, _), cell in self.cells.items()
            for frequent, n in cell.items()
            if n >= self.thresholds.slip and len(cell) > 1
            for form, uses in cell.items()
            if uses == 1 == self.by_use[form, upos] and distance(form, frequent) == 1
        )

    def is_usable(self, form: str, lemma: str, upos: str, feats: str) -> bool:
        t, small = self.thresholds, form.lower()
        return (
            is_word(form)
            and self._is_spelled(form, lemma, upos)
            and self.by_word[upos, key_of(form, lemma)] >= t.lemma_uses
            and self.by_use[small, upos] >= t.own_pos * self.by_form[small]
            and self._is_well_annotated(form, lemma, upos, feats)
            and (lemma == MISSING or self._is_usual(small, lemma, upos, normal(feats)))
        )

    def _is_spelled(self, form: str, lemma: str, upos: str) -> bool:
        if form.lower() == form.upper():
            return True  # no capitals
        if upos == "PROPN":
            usual = self.by_spelling[form, upos] >= self.thresholds.usual_capital
            inner = form[:1].isupper() and not form.isupper()  # *McDonald*
            return form == form.capitalize() or (usual and inner)
        if upos == "NOUN" and self.capitals[1] > self.capitals[0]:
            return form == form.capitalize()
        careless = self.by_spelling[form.capitalize(), upos] > self.by_spelling[form, upos]
        return form == form.lower() and lemma[:1] == lemma[:1].lower() and not careless

    def _is_well_annotated(self, form: str, lemma: str, upos: str, feats: str) -> bool:
        """Tell whether the annotation says no evil, and all that it should."""
        t, entries = self.thresholds, parse_feats(feats)
        if not BARRED.isdisjoint(entries):
            return False
        if upos == "ADJ":
            for name in MATCHED:  # that adjectives which end like it have
                n_unmarked, n_marked = self.by_ending[upos, name, form[-1:].lower()]
                if name not in entries and n_marked >= t.feature_marked * (n_unmarked + n_marked):
                    return False
            genders = self.gendered[form.lower()] if "Gender" in entries else Counter[str]()
            if genders[entries.get("Gender", "")] == 1 < len(genders):
                return False  # seen once in this gender, and in another, too: likely an error
        numbers = self.by_number.get((form.lower(), upos), Counter[str]())
        if numbers[entries.get("Number", "")] < t.own_number * numbers.total():
            return False
        if upos != "NOUN":
            return True
        if any(name not in entries for name in self.marked):
            return False
        if lemma == MISSING:
            return True
        seen = self.feats_of.get((form.lower(), lemma, upos), Counter[str]())
        uses, n = seen.total(), seen[normal(feats)]
        if "Case" in entries and uses >= t.own_case.uses and n < t.own_case.share * uses:
            return False
        if entries.get("Number") == "Plur" and form == lemma and n < t.zero_plural:
            return False
        genders = self.genders[lemma]
        if t.outdone * genders[entries.get("Gender", "")] <= max(genders.values()):
            return False
        return entries.get("Number") != "Plur" or lemma.lower() in self.singular

    def _is_usual(self, form: str, lemma: str, upos: str, feats: str) -> bool:
        t, cell = self.thresholds, self.cells[lemma, upos, feats]
        rival = max((n for alternative, n in cell.items() if alternative != form), default=0)
        if t.outdone * cell[form] <= rival or cell[form] == rival == 1:
            return False
        features = set(feats.split("|")) - {NO_FEATS}
        seen = self.feats_of[form, lemma, upos]
        if any(
            n >= t.outdone * seen[feats] and features < set(alternative.split("|"))
            for alternative, n in seen.items()
        ):
            return False  # more often annotated with these features and others
        if form == lemma.lower() or upos == "PROPN":
            return True
        uncited, cited = self.citing[upos, feats]
        if uncited + cited >= t.citation.uses and cited >= t.citation.share * (uncited + cited):
            return False
        return not ((upos, feats) in self.citation and is_truncated(form, lemma))


def productive_endings(
    analyses: Mapping[Analysis, int], thresholds: FrameThresholds
) -> tuple[str, ...]:
    """Return the endings that make adverbs of adjectives (*-ly*, *-mente*, *-sti*): adverbs that
    have one are an open class. Enough adverbs must have an ending, and begin like adjectives that
    the treebank shows. Longest first."""
    adverbs: set[str] = set()
    stems: set[str] = set()
    for form, lemma, upos, _ in analyses:
        key = key_of(form, lemma)
        if upos == "ADV" and is_word(form):
            adverbs.add(form.lower())
        elif upos == "ADJ" and is_word(key):
            stems.update(key[:length] for length in range(4, len(key) + 1))
    by_ending: dict[str, list[bool]] = {}
    for adverb in adverbs:
        for length in range(2, min(6, len(adverb) - 3)):
            stem = adverb[:-length]
            by_ending.setdefault(adverb[-length:], []).append(
                stem[: max(4, len(stem) - 1)] in stems
            )
    floor, share = thresholds.adverb_ending.uses, thresholds.adverb_ending.share
    endings = (
        e for e, fits in by_ending.items() if floor <= len(fits) and sum(fits) >= share * len(fits)
    )
    return tuple(sorted(endings, key=lambda ending: (-len(ending), ending)))


def _inflected(
    analyses: Mapping[Analysis, int], thresholds: FrameThresholds
) -> frozenset[tuple[str, str]]:
    """(UPOS, normal FEATS) of adjectives and verbs whose lemmas, often enough where it could be
    seen, have forms of different last letters: German *guter* and *gute*, which FEATS do not tell
    apart though the article decides."""
    endings: dict[tuple[str, str, str], Counter[str]] = {}
    for (form, lemma, upos, feats), n in analyses.items():
        if upos in ("ADJ", "VERB") and lemma != MISSING and is_word(form):
            cell = endings.setdefault((upos, normal(feats), lemma), Counter())
            cell[form[-1].lower()] += n
    cells: dict[tuple[str, str], list[int]] = {}  # → lemmas with one ending, with several
    overall: dict[str, list[int]] = {}
    for (upos, feats, _), cell in endings.items():
        for counts in (cells.setdefault((upos, feats), [0, 0]), overall.setdefault(upos, [0, 0])):
            counts[len(cell) > 1] += cell.total() >= 2
    min_lemmas, share = thresholds.varied.uses, thresholds.varied.share
    varied: set[tuple[str, str]] = set()
    for (upos, feats), tally in cells.items():
        n_uniform, n_varied = tally if sum(tally) >= min_lemmas else overall[upos]
        if n_varied >= share * (n_uniform + n_varied) > 0:
            varied.add((upos, feats))
    return frozenset(varied)
