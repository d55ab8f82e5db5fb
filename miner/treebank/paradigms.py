"""Which forms a lemma has, and what a form can be: every analysis that a treebank shows."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple, TypeAlias

from ...data.items.features import UNMARKED_IN_PLURALS, normal, value_of, with_value
from ...data.items.tree import Sentence

Analysis: TypeAlias = tuple[str, str, str, str]
"""(form, lemma, UPOS, FEATS as written)"""
MISSING = "_"  # a lemma the treebank does not give; never a lemma shared by everything
RARE = 0.05  # share of a form's uses below which a reading is taken for an error of annotation
CLASSES = {"AUX": "VERB", "PROPN": "NOUN"}  # one lemma's forms are often tagged both ways
ALIKE = 0.5  # of the lemmas that show both of two cells, those that spell them alike
ENDING = 2  # last letters that tell a noun's class, with its gender and case
MIN_NOUNS = 3  # nouns of a class from which it is believed

ParadigmCell: TypeAlias = tuple[str, ...]
"""A place in a paradigm, as far as it matters for being spelled alike."""
_Numbers: TypeAlias = dict[tuple[str, str], dict[str, str]]
"""(value of a feature, case) → form → FEATS"""


def count_analyses(sentences: Sequence[Sentence], counts: Counter[Analysis]) -> None:
    """Add every row of the sentences to a count, as the paper's `collect_paradigms.py` does.

    A multiword token is counted as (form, _, _, _), an empty node as its line has it.

    Args:
        sentences: the sentences.
        counts: (form, lemma, UPOS, FEATS) → how often; changed in place.

    >>> from colorless_green.data import sample
    >>> from colorless_green.miner import read
    >>> counts: Counter[Analysis] = Counter()
    >>> count_analyses(list(read(sample.treebank("en"))), counts)
    >>> counts["actor", "actor", "NOUN", "Number=Sing"]
    11
    """
    counts.update(chain.from_iterable(map(_analyses, sentences)))


def _analyses(sentence: Sentence) -> Iterable[Analysis]:
    words = zip(sentence.forms, sentence.lemmas, sentence.upos, sentence.feats, strict=True)
    if not sentence.extras:
        return words
    rows = [line.split("\t") for _, line in sentence.extras if line[0] != "#"]
    return chain(words, [(cells[1], cells[2], cells[3], cells[5]) for cells in rows])


@dataclass(frozen=True)
class Paradigms:
    """The analyses of a treebank, in the order first seen, and the forms a lemma has there.

    Attributes:
        counts: (form, lemma, UPOS, FEATS) → how often; FEATS are sorted by code point, so that
            equal sets of features are equal strings.

    >>> sings = ("sings", "sing", "VERB", "Number=Sing")
    >>> sing = ("sing", "sing", "VERB", "Number=Plur")
    >>> Paradigms({sings: 3, sing: 1}).partners("sing", "VERB", "Number=Sing", "Number", "Plur")
    ('sing',)
    """

    counts: Mapping[Analysis, int]

    @cached_property
    def forms(self) -> Mapping[tuple[str, str, str], tuple[tuple[str, int], ...]]:
        """Return (lemma, UPOS, FEATS) → its forms with counts, most frequent first, ties by first
        seen."""
        table: dict[tuple[str, str, str], list[tuple[str, int]]] = {}
        for (form, lemma, upos, feats), n in self.counts.items():
            if lemma != MISSING:
                table.setdefault((lemma, upos, feats), []).append((form, n))
        return {key: tuple(sorted(seen, key=lambda pair: -pair[1])) for key, seen in table.items()}

    def partners(
        self, lemma: str, upos: str, feats: str, feature: str, value: str
    ) -> tuple[str, ...]:
        """Return a lemma's forms with these FEATS but `value` of `feature`; most frequent first."""
        counts = self.counted(lemma, upos, with_value(feats, feature, value))
        return tuple(sorted(counts, key=lambda form: -counts[form]))

    def counted(self, lemma: str, upos: str, feats: str) -> dict[str, int]:
        """Return the forms of a lemma with this POS and these normal FEATS, in the order first
        seen, and how often."""
        return self.counted_if(lemma, upos, lambda other: other == feats)

    def counted_if(self, lemma: str, upos: str, fits: Callable[[str], bool]) -> dict[str, int]:
        """Return the forms of a lemma with this POS and fitting FEATS, in the order first seen, and
        how often."""
        counts: dict[str, int] = {}
        for analysis in self._by_lemma.get(lemma, ()) if lemma != MISSING else ():
            form, _, tag, feats = analysis
            if tag == upos and fits(feats):
                counts[form] = counts.get(form, 0) + self.counts[analysis]
        return counts

    @cached_property
    def _by_lemma(self) -> Mapping[str, Sequence[Analysis]]:
        """Return lemma → its analyses, in the order first seen: enough to look up single words, at
        a fifth of the cost of `forms`."""
        table: dict[str, list[Analysis]] = {}
        for analysis in self.counts:
            table.setdefault(analysis[1], []).append(analysis)
        return table

    @cached_property
    def form_readings(self) -> "Forms":
        """Return the readings of each form, of whatever lemma."""
        return Forms(self)

    @cached_property
    def by_form(self) -> Mapping[str, Sequence[tuple[str, str, int]]]:
        """Return form → its analyses as (UPOS, FEATS, count), in the order first seen."""
        table: dict[str, list[tuple[str, str, int]]] = {}
        for (form, _, upos, feats), n in self.counts.items():
            table.setdefault(form, []).append((upos, feats, n))
        return table


class FormAnalysis(NamedTuple):
    """One analysis of a form."""

    lemma: str
    upos: str  # AUX counts as VERB, PROPN as NOUN
    feats: str  # normal
    n: int


class Forms:
    """All readings of a treebank's forms, upper and lower case together.

    Readings with less than 5 % of a form's uses are taken for errors of annotation; AUX is taken
    for VERB and PROPN for NOUN. Make it by `Paradigms.form_readings`.

    Args:
        paradigms: the treebank's analyses.

    >>> fish = {("fish", "fish", "NOUN", f"Number={value}"): 5 for value in ("Sing", "Plur")}
    >>> Forms(Paradigms(fish)).reveals("fish", "NOUN", "Number=Sing", "Number")
    False
    """

    def __init__(self, paradigms: Paradigms) -> None:
        self._counts = paradigms.counts
        self._by_lowercase: dict[str, list[Analysis]] = {}  # form in small letters → its analyses
        for analysis in paradigms.counts:
            form, lemma, upos, _ = analysis
            if lemma != MISSING or upos != MISSING:
                self._by_lowercase.setdefault(form.casefold(), []).append(analysis)
        self._readings: dict[tuple[str, str, str], tuple[FormAnalysis, ...]] = {}
        self._revealing: dict[tuple[str, str, str, str], bool] = {}
        self._alike: dict[tuple[ParadigmCell, ParadigmCell], bool] = {}
        self._of_nouns: dict[str, Mapping[str, _Numbers]] = {}
        self._classes: dict[tuple[str, ...], Mapping[str, tuple[int, int]]] = {}

    def _seen(self, small: str) -> dict[tuple[str, str, str], int]:
        """Return (lemma, part of speech, FEATS) of a form in small letters, in the order first
        seen, and how often; AUX is VERB, PROPN is NOUN."""
        seen: dict[tuple[str, str, str], int] = {}
        for analysis in self._by_lowercase.get(small, ()):
            _, lemma, upos, feats = analysis
            key = (lemma, CLASSES.get(upos, upos), feats)
            seen[key] = seen.get(key, 0) + self._counts[analysis]
        return seen

    def readings(self, form: str, upos: str = "", lemma: str = "") -> tuple[FormAnalysis, ...]:
        """Return the readings of a form, those with this part of speech (AUX is VERB, PROPN is
        NOUN) and of this lemma where one is named; in the order first seen, rare ones left out."""
        key = (form, upos, lemma)
        if key not in self._readings:
            kind = CLASSES.get(upos, upos)
            readings = [
                FormAnalysis(*analysis, n)
                for analysis, n in self._seen(form.casefold()).items()
                if kind in ("", analysis[1]) and lemma in ("", analysis[0])
            ]
            min_uses = RARE * sum(reading.n for reading in readings)
            self._readings[key] = tuple(reading for reading in readings if reading.n >= min_uses)
        return self._readings[key]

    def capitals(self, form: str, upos: str) -> tuple[int, int]:
        """Count how often a form with this part of speech begins with a small letter, and how often
        with a capital."""
        counts = [0, 0]
        for analysis in self._by_lowercase.get(form.casefold(), ()):
            if analysis[2] == upos:
                counts[analysis[0][:1].isupper()] += self._counts[analysis]
        return counts[0], counts[1]

    def share(self, form: str, fits: Callable[[FormAnalysis], bool]) -> float:
        """Return the share of a form's uses that fit; 0 for one the treebank does not show."""
        readings = self.readings(form)
        total = sum(reading.n for reading in readings)
        return sum(reading.n for reading in readings if fits(reading)) / total if total else 0.0

    def reveals(self, form: str, upos: str, feats: str, feature: str) -> bool:
        """Tell whether a form shows the value that these FEATS have of a feature.

        It does if no reading of it with this part of speech (and, where FEATS tell one, person) has
        another value, or none. A form that the treebank does not show is taken to show it.
        """
        key = (form, upos, feats, feature)
        if key not in self._revealing:
            value, person = value_of(feats, feature), value_of(feats, "Person")
            self._revealing[key] = all(
                value_of(reading.feats, feature) == value
                for reading in self.readings(form, upos)
                if value_of(reading.feats, "Person") in (None, person) or person is None
            )
        return self._revealing[key]

    def either_case(self, form: str, upos: str, feats: str) -> bool:
        """Tell whether a word in the nominative could be an accusative by its spelling: by the
        readings of its own form, or since most words of its class (part of speech, gender,
        animacy, number) spell both alike. True where the treebank marks no case on it, or shows
        no two cases."""
        cases = value_of(feats, "Case")
        if cases is None or "Acc" in cases.split(","):
            return True
        nominative, accusative = (_case_cell(upos, feats, case) for case in ("Nom", "Acc"))
        readings = self.readings(form, upos)
        of_class = [
            reading for reading in readings if _case_cell(upos, reading.feats, "Nom") == nominative
        ]
        for reading in of_class:
            cells = self._cased.get(reading.lemma, {})
            if nominative in cells and accusative in cells:
                return form.casefold() in cells[accusative]
        return self._spelled_alike(self._cased.values(), nominative, accusative, unseen=True)

    def spelled_like(self, form: str, reading: FormAnalysis, kind: str) -> bool:
        """Tell whether a finite form is spelled like the infinitive (`Inf`) or imperative (`Imp`)
        of its lemma, or, where the treebank does not show that, like most verbs of its class
        (tense, mood, number, person; English *grow*, German *finden*)."""
        attested = self._verbs.get(reading.lemma, {}).get((kind,))
        if attested:
            return form.casefold() in attested
        return self._spelled_alike(self._verbs.values(), _verb_cell(reading.feats), (kind,))

    def likely_syncretic(self, form: str, lemma: str, feats: str, feature: str) -> bool:
        """Tell whether a noun is spelled alike in another value of the feature, since most nouns of
        its class are (case, gender, animacy and last letters: Czech *situace*); false where the
        treebank shows its own other form, or too few nouns of the class."""
        own_value, case = value_of(feats, feature), value_of(feats, "Case") or ""
        nouns = self._nouns(feature)
        if own_value is None or any(
            value != own_value and its_case == case for value, its_case in nouns.get(lemma, {})
        ):
            return False
        key = (
            feature,
            own_value,
            case,
            *(value_of(feats, name) or "" for name in UNMARKED_IN_PLURALS),
        )
        if key not in self._classes:
            self._classes[key] = _by_ending(nouns.values(), own_value, case, key[3:])
        n_alike, n_both = self._classes[key].get(form.casefold()[-ENDING:], (0, 0))
        return n_both >= MIN_NOUNS and n_alike > ALIKE * n_both

    def _nouns(self, feature: str) -> Mapping[str, _Numbers]:
        """Return lemma of a noun → (value of the feature, case) → its forms, with FEATS."""
        if feature not in self._of_nouns:
            nouns: dict[str, _Numbers] = {}
            for form in self._by_lowercase:
                for lemma, upos, feats in self._seen(form):
                    value = value_of(feats, feature) if upos == "NOUN" else None
                    if value is not None and lemma != MISSING:
                        cell = (value, value_of(feats, "Case") or "")
                        nouns.setdefault(lemma, {}).setdefault(cell, {})[form] = feats
            self._of_nouns[feature] = nouns
        return self._of_nouns[feature]

    def numbers_alike(self, feats: str, value: str) -> bool:
        """Tell whether most verbs spell the forms with these FEATS and those with another Number
        alike (English past tenses)."""
        cell = _verb_cell(feats)
        other_cell = (*cell[:3], value, *cell[4:])
        return self._spelled_alike(self._verbs.values(), cell, other_cell)

    def persons_alike(self, feats: str, person: str) -> bool:
        """Tell whether most verbs spell the forms with these FEATS and those of another person
        alike (German *wir stehen*, *sie stehen*)."""
        cell = _verb_cell(feats)
        return self._spelled_alike(self._verbs.values(), cell, (*cell[:4], person))

    def _spelled_alike(
        self,
        lemmas: Iterable[Mapping[ParadigmCell, set[str]]],
        cell: ParadigmCell,
        other_cell: ParadigmCell,
        unseen: bool = False,
    ) -> bool:
        """Tell whether most lemmas that show both cells have a form in common there; `unseen` where
        none shows both."""
        if (cell, other_cell) not in self._alike:
            complete = [cells for cells in lemmas if cell in cells and other_cell in cells]
            n_alike = sum(1 for cells in complete if cells[cell] & cells[other_cell])
            self._alike[cell, other_cell] = n_alike >= ALIKE * len(complete) if complete else unseen
        return self._alike[cell, other_cell]

    @cached_property
    def _verbs(self) -> Mapping[str, Mapping[ParadigmCell, set[str]]]:
        """Return lemma of a verb → cell → its forms."""
        return self._by_cell(lambda upos, feats: _verb_cell(feats) if upos == "VERB" else ())

    @cached_property
    def _cased(self) -> Mapping[str, Mapping[ParadigmCell, set[str]]]:
        """Return lemma → cell in the nominative or accusative → its forms."""

        def cell_of(upos: str, feats: str) -> ParadigmCell:
            case = value_of(feats, "Case")
            return _case_cell(upos, feats, case) if case in ("Nom", "Acc") else ()

        return self._by_cell(cell_of)

    def _by_cell(
        self, cell_of: Callable[[str, str], ParadigmCell]
    ) -> Mapping[str, Mapping[ParadigmCell, set[str]]]:
        """Return lemma → cell → its forms; `cell_of`: () for words of none."""
        by_lemma: dict[str, dict[ParadigmCell, set[str]]] = {}
        for form in self._by_lowercase:
            for lemma, upos, feats in self._seen(form):
                if cell := cell_of(upos, feats):
                    by_lemma.setdefault(lemma, {}).setdefault(cell, set()).add(form)
        return by_lemma


def _case_cell(upos: str, feats: str, case: str) -> ParadigmCell:
    """Return the cell of a case, of words that decline alike as far as FEATS tell."""
    traits = (value_of(feats, name) or "" for name in (*UNMARKED_IN_PLURALS, "Number"))
    return (case, CLASSES.get(upos, upos), *traits)


def _verb_cell(feats: str) -> ParadigmCell:
    """Return `("Inf",)`, `("Imp",)`, or tense, mood, number and person of another form."""
    if value_of(feats, "VerbForm") == "Inf":
        return ("Inf",)
    if value_of(feats, "Mood") == "Imp":
        return ("Imp",)
    names = ("VerbForm", "Tense", "Mood", "Number", "Person")
    return tuple(value_of(feats, name) or "" for name in names)


def paradigms_of(
    counts: Mapping[Analysis, int],
    *,
    letters_only: bool,
    repair: Callable[[str], str] | None = None,
) -> Paradigms:
    """Make paradigms of counted analyses.

    Args:
        counts: (form, lemma, UPOS, FEATS as written) → how often.
        letters_only: keep only forms that are all letters, as the released scripts do
            (`str.isalpha`).
        repair: FEATS → repaired FEATS; `None`: as annotated.

    Returns:
        The analyses with repaired, sorted FEATS, in the order first seen.

    >>> paradigms_of({("cats", "cat", "NOUN", "Number=Plur"): 2}, letters_only=True).forms
    {('cat', 'NOUN', 'Number=Plur'): (('cats', 2),)}
    """
    repaired_feats = {
        feats: normal(repair(feats) if repair else feats) for feats in {key[3] for key in counts}
    }
    chosen: Mapping[Analysis, int] = counts
    if letters_only:
        chosen = {key: n for key, n in counts.items() if key[0].isalpha()}
    normalised: dict[Analysis, int] = {}
    for (form, lemma, upos, feats), n in chosen.items():
        key = (form, lemma, upos, repaired_feats[feats])
        normalised[key] = normalised.get(key, 0) + n
    return Paradigms(normalised)


def surface_forms(counts: Iterable[Analysis]) -> frozenset[str]:
    """Collect the forms of a treebank, multiword tokens included: its vocabulary.

    Args:
        counts: (form, lemma, UPOS, FEATS) of each analysis.

    Returns:
        The forms, as written.

    >>> sorted(surface_forms([("cats", "cat", "NOUN", "_"), ("Cats", "cat", "NOUN", "_")]))
    ['Cats', 'cats']
    """
    return frozenset(form for form, _, _, _ in counts)


def _by_ending(
    nouns: Iterable[_Numbers], own_value: str, case: str, traits: ParadigmCell
) -> Mapping[str, tuple[int, int]]:
    """Return last letters of a form with a value → (nouns that spell another value alike, nouns
    that show both) in this case, of those with this Gender and Animacy."""
    counts: dict[str, tuple[int, int]] = {}
    for cells in nouns:
        other_forms = [
            form
            for (value, its_case), forms in cells.items()
            if value != own_value and its_case == case
            for form in forms
        ]
        for form, feats in cells.get((own_value, case), {}).items() if other_forms else ():
            if tuple(value_of(feats, name) or "" for name in UNMARKED_IN_PLURALS) == traits:
                n_alike, n_both = counts.get(form[-ENDING:], (0, 0))
                counts[form[-ENDING:]] = (n_alike + (form in other_forms), n_both + 1)
    return counts
