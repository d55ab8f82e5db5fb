"""The forms that a lemma has, and the readings that a form has, in the analyses of a treebank.

A *reading* of a form is one lemma, part of speech and FEATS that it has been annotated with. A
*cell* is a place in a paradigm (Nom of feminine plurals). Two cells are *alike* if most lemmas
spell their forms in both the same way.
"""

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
MISSING = "_"  # stands for a lemma that the treebank does not give
MIN_READING_SHARE = 0.05  # of a form's uses; a rarer reading counts as an annotation error
CLASS_OF_POS = {"AUX": "VERB", "PROPN": "NOUN"}  # one lemma's forms are often tagged both ways
MIN_SHARE_ALIKE = 0.5  # two cells are alike if this share of the lemmas with both spell them alike
N_LAST_LETTERS = 2  # last letters that, with gender and case, tell a noun's class
MIN_NOUNS = 3  # with fewer nouns, nothing is concluded about a class

ParadigmCell: TypeAlias = tuple[str, ...]
"""The values that name a place in a paradigm, those that matter for its spelling."""
_CellForms: TypeAlias = dict[tuple[str, str], dict[str, str]]
"""A noun's forms: (value of a feature, case) → form → FEATS."""


def count_analyses(sentences: Sequence[Sentence], counts: Counter[Analysis]) -> None:
    """Count the analyses in every row of the sentences, as the paper's `collect_paradigms.py` does.

    A multiword token is counted as (form, _, _, _), an empty node with the columns of its line.

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
    """Return the analyses of a sentence: words, then multiword tokens and empty nodes."""
    words = zip(sentence.forms, sentence.lemmas, sentence.upos, sentence.feats, strict=True)
    if not sentence.extras:
        return words
    rows = [line.split("\t") for _, line in sentence.extras if line[0] != "#"]
    return chain(words, [(form, lemma, upos, feats) for _, form, lemma, upos, _, feats, *_ in rows])


@dataclass(frozen=True)
class Paradigms:
    """The analyses of a treebank, in the order first seen, and the forms of each lemma in them.

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
        """Map (lemma, UPOS, FEATS) to its (form, count) pairs, most frequent first, ties in the
        order first seen."""
        table: dict[tuple[str, str, str], list[tuple[str, int]]] = {}
        for (form, lemma, upos, feats), n in self.counts.items():
            if lemma != MISSING:
                table.setdefault((lemma, upos, feats), []).append((form, n))
        return {
            key: tuple(sorted(forms, key=lambda form_count: -form_count[1]))
            for key, forms in table.items()
        }

    def partners(
        self, lemma: str, upos: str, feats: str, feature: str, value: str
    ) -> tuple[str, ...]:
        """Return the lemma's forms whose FEATS are these with `value` for `feature`, most frequent
        first."""
        counts = self.counted(lemma, upos, with_value(feats, feature, value))
        return tuple(sorted(counts, key=lambda form: -counts[form]))

    def counted(self, lemma: str, upos: str, feats: str) -> dict[str, int]:
        """Count the forms of a lemma with this POS and exactly these FEATS (sorted by code point);
        return form → count, in the order first seen."""
        return self.counted_if(lemma, upos, lambda other: other == feats)

    def counted_if(self, lemma: str, upos: str, fits: Callable[[str], bool]) -> dict[str, int]:
        """Count the forms of a lemma with this POS and FEATS that `fits` accepts; return form →
        count, in the order first seen."""
        counts: dict[str, int] = {}
        for analysis in self._by_lemma.get(lemma, ()) if lemma != MISSING else ():
            form, _, tag, feats = analysis
            if tag == upos and fits(feats):
                counts[form] = counts.get(form, 0) + self.counts[analysis]
        return counts

    @cached_property
    def _by_lemma(self) -> Mapping[str, Sequence[Analysis]]:
        """Map a lemma to its analyses in the order first seen. It is enough to look up a word,
        and takes a fifth of the time of `forms`."""
        table: dict[str, list[Analysis]] = {}
        for analysis in self.counts:
            _, lemma, _, _ = analysis
            table.setdefault(lemma, []).append(analysis)
        return table

    @cached_property
    def form_readings(self) -> "Forms":
        """Return all readings of each form, with any lemma."""
        return Forms(self)

    @cached_property
    def by_form(self) -> Mapping[str, Sequence[tuple[str, str, int]]]:
        """Map a form to its analyses as (UPOS, FEATS, count), in the order first seen."""
        table: dict[str, list[tuple[str, str, int]]] = {}
        for (form, _, upos, feats), n in self.counts.items():
            table.setdefault(form, []).append((upos, feats, n))
        return table


class FormAnalysis(NamedTuple):
    """One reading of a form, with its number of uses."""

    lemma: str
    upos: str  # AUX counts as VERB, PROPN as NOUN
    feats: str  # sorted by code point
    n: int


class Forms:
    """All readings of a treebank's forms; upper and lower case do not count.

    Readings with less than 5 % of a form's uses are ignored as annotation errors; AUX counts as
    VERB and PROPN as NOUN. Make it with `Paradigms.form_readings`.

    Args:
        paradigms: the treebank's analyses.

    >>> fish = {("fish", "fish", "NOUN", f"Number={value}"): 5 for value in ("Sing", "Plur")}
    >>> Forms(Paradigms(fish)).reveals("fish", "NOUN", "Number=Sing", "Number")
    False
    """

    def __init__(self, paradigms: Paradigms) -> None:
        self._counts = paradigms.counts
        self._by_lowercase: dict[str, list[Analysis]] = {}  # lowercase form → its analyses
        for analysis in paradigms.counts:
            form, lemma, upos, _ = analysis
            if lemma != MISSING or upos != MISSING:
                self._by_lowercase.setdefault(form.casefold(), []).append(analysis)
        self._readings: dict[tuple[str, str, str], tuple[FormAnalysis, ...]] = {}
        self._revealing: dict[tuple[str, str, str, str], bool] = {}
        # two cells → are they spelled alike? (`None`: no lemma is seen in both)
        self._alike: dict[tuple[ParadigmCell, ParadigmCell], bool | None] = {}
        self._noun_forms: dict[str, Mapping[str, _CellForms]] = {}  # by feature
        self._noun_classes: dict[tuple[str, ...], Mapping[str, tuple[int, int]]] = {}

    def _reading_counts(self, lowercase_form: str) -> dict[tuple[str, str, str], int]:
        """Count the readings of a form; return (lemma, POS, FEATS) → count, in the order first
        seen; AUX counts as VERB, PROPN as NOUN."""
        counts: dict[tuple[str, str, str], int] = {}
        for analysis in self._by_lowercase.get(lowercase_form, ()):
            _, lemma, upos, feats = analysis
            key = (lemma, CLASS_OF_POS.get(upos, upos), feats)
            counts[key] = counts.get(key, 0) + self._counts[analysis]
        return counts

    def readings(self, form: str, upos: str = "", lemma: str = "") -> tuple[FormAnalysis, ...]:
        """Return the readings of a form, in the order first seen, without rare ones.

        If given, `upos` and `lemma` select readings; AUX counts as VERB, PROPN as NOUN.
        """
        key = (form, upos, lemma)
        if key not in self._readings:
            word_class, counts = CLASS_OF_POS.get(upos, upos), self._reading_counts(form.casefold())
            readings = [
                FormAnalysis(its_lemma, its_class, feats, n)
                for (its_lemma, its_class, feats), n in counts.items()
                if word_class in ("", its_class) and lemma in ("", its_lemma)
            ]
            min_uses = MIN_READING_SHARE * sum(reading.n for reading in readings)
            self._readings[key] = tuple(reading for reading in readings if reading.n >= min_uses)
        return self._readings[key]

    def capitals(self, form: str, upos: str) -> tuple[int, int]:
        """Count the uses of a form with this POS; return (uses that begin with a small letter, uses
        that begin with a capital)."""
        n_small = n_capital = 0
        for analysis in self._by_lowercase.get(form.casefold(), ()):
            spelling, _, its_upos, _ = analysis
            if its_upos == upos and spelling[:1].isupper():
                n_capital += self._counts[analysis]
            elif its_upos == upos:
                n_small += self._counts[analysis]
        return n_small, n_capital

    def share(self, form: str, fits: Callable[[FormAnalysis], bool]) -> float:
        """Return the share of a form's uses whose reading `fits` accepts; 0 for an unknown form."""
        readings = self.readings(form)
        total = sum(reading.n for reading in readings)
        return sum(reading.n for reading in readings if fits(reading)) / total if total else 0.0

    def reveals(self, form: str, upos: str, feats: str, feature: str) -> bool:
        """Tell whether a form alone gives away the value that these FEATS have for a feature.

        It does if all its readings with this POS (and with this Person, if FEATS state one) have
        the same value. A form that the treebank does not contain counts as giving it away.
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
        """Tell whether a nominative could also be an accusative, judged by its spelling.

        The forms of its own lemma decide, else most words of its class (POS, gender, animacy,
        number). Return `True` if the treebank marks no case on the word, or no word of its class
        is seen in both cases.
        """
        cases = value_of(feats, "Case")
        if cases is None or "Acc" in cases.split(","):
            return True
        nominative, accusative = (_case_cell(upos, feats, case) for case in ("Nom", "Acc"))
        readings = self.readings(form, upos)
        same_class = [
            reading for reading in readings if _case_cell(upos, reading.feats, "Nom") == nominative
        ]
        for reading in same_class:
            cells = self._case_forms.get(reading.lemma, {})
            if nominative in cells and accusative in cells:
                return form.casefold() in cells[accusative]
        return self._spelled_alike(
            self._case_forms.values(), nominative, accusative, if_unseen=True
        )

    def spelled_like(self, form: str, reading: FormAnalysis, kind: str) -> bool:
        """Tell whether a finite verb is spelled like its infinitive (`kind`: `Inf`) or imperative
        (`Imp`), as English *grow* and German *finden* are.

        If the treebank does not show the lemma's infinitive or imperative, most verbs of the same
        tense, mood, number and person decide.
        """
        other_cell = (kind,)  # of infinitives or imperatives
        attested = self._verb_forms.get(reading.lemma, {}).get(other_cell)
        if attested:
            return form.casefold() in attested
        return self._spelled_alike(self._verb_forms.values(), _verb_cell(reading.feats), other_cell)

    def likely_syncretic(self, form: str, lemma: str, feats: str, feature: str) -> bool:
        """Tell whether a noun's form probably has another value of the feature, too, because most
        nouns of its class do (same case, gender, animacy and last letters: Czech *situace*).

        Return `False` if the treebank shows the noun with another value, or too few such nouns.
        """
        own_value, case = value_of(feats, feature), value_of(feats, "Case") or ""
        nouns = self._nouns(feature)
        if own_value is None or any(
            value != own_value and its_case == case for value, its_case in nouns.get(lemma, {})
        ):
            return False
        traits = tuple(value_of(feats, name) or "" for name in UNMARKED_IN_PLURALS)
        key = (feature, own_value, case, *traits)
        if key not in self._noun_classes:
            self._noun_classes[key] = _counts_by_ending(nouns.values(), own_value, case, traits)
        ending = form.casefold()[-N_LAST_LETTERS:]
        n_alike, n_both = self._noun_classes[key].get(ending, (0, 0))
        return n_both >= MIN_NOUNS and n_alike > MIN_SHARE_ALIKE * n_both

    def _nouns(self, feature: str) -> Mapping[str, _CellForms]:
        """Map each noun's lemma to (value of the feature, case) → form → FEATS."""
        if feature not in self._noun_forms:
            nouns: dict[str, _CellForms] = {}
            for form in self._by_lowercase:
                for lemma, upos, feats in self._reading_counts(form):
                    value = value_of(feats, feature) if upos == "NOUN" else None
                    if value is not None and lemma != MISSING:
                        cell = (value, value_of(feats, "Case") or "")
                        nouns.setdefault(lemma, {}).setdefault(cell, {})[form] = feats
            self._noun_forms[feature] = nouns
        return self._noun_forms[feature]

    def numbers_alike(self, feats: str, value: str) -> bool:
        """Tell whether most verbs spell the form with these FEATS and that with another Number
        (`value`) alike, as English past tenses do."""
        cell = _verb_cell(feats)
        other_cell = (*cell[:3], value, *cell[4:])  # Number comes fourth, Person last
        return self._spelled_alike(self._verb_forms.values(), cell, other_cell)

    def persons_alike(self, feats: str, person: str) -> bool:
        """Tell whether most verbs spell the form with these FEATS and that of another `person`
        alike (German *wir stehen*, *sie stehen*)."""
        cell = _verb_cell(feats)
        return self._spelled_alike(self._verb_forms.values(), cell, (*cell[:4], person))

    def _spelled_alike(
        self,
        lemmas: Iterable[Mapping[ParadigmCell, set[str]]],
        cell: ParadigmCell,
        other_cell: ParadigmCell,
        *,
        if_unseen: bool = False,
    ) -> bool:
        """Tell whether at least half of the lemmas seen in both cells (places in a paradigm) have a
        form in common there; return `if_unseen` if no lemma is seen in both.

        `lemmas` has the forms of each lemma by cell: those of verbs, or those of cases, which have
        no cell in common, so that two cells are enough as the key of what is remembered.
        """
        key = (cell, other_cell)
        if key not in self._alike:
            complete = [cells for cells in lemmas if cell in cells and other_cell in cells]
            n_alike = sum(1 for cells in complete if cells[cell] & cells[other_cell])
            self._alike[key] = n_alike >= MIN_SHARE_ALIKE * len(complete) if complete else None
        is_alike = self._alike[key]
        return if_unseen if is_alike is None else is_alike

    @cached_property
    def _verb_forms(self) -> Mapping[str, Mapping[ParadigmCell, set[str]]]:
        """Map each verb's lemma to cell (place in the paradigm) → forms."""
        return self._by_cell(lambda upos, feats: _verb_cell(feats) if upos == "VERB" else ())

    @cached_property
    def _case_forms(self) -> Mapping[str, Mapping[ParadigmCell, set[str]]]:
        """Map each lemma to cell → forms, for cells of the nominative or accusative."""

        def cell_of(upos: str, feats: str) -> ParadigmCell:
            """Return the cell of a nominative or accusative, () for other words."""
            case = value_of(feats, "Case")
            return _case_cell(upos, feats, case) if case in ("Nom", "Acc") else ()

        return self._by_cell(cell_of)

    def _by_cell(
        self, cell_of: Callable[[str, str], ParadigmCell]
    ) -> Mapping[str, Mapping[ParadigmCell, set[str]]]:
        """Map each lemma to cell → forms; `cell_of` gives the cell of a POS and FEATS, () if words
        with them are left out."""
        by_lemma: dict[str, dict[ParadigmCell, set[str]]] = {}
        for form in self._by_lowercase:
            for lemma, upos, feats in self._reading_counts(form):
                if cell := cell_of(upos, feats):
                    by_lemma.setdefault(lemma, {}).setdefault(cell, set()).add(form)
        return by_lemma


def _case_cell(upos: str, feats: str, case: str) -> ParadigmCell:
    """Return the cell of a case for words with this POS and the gender, animacy and number in FEATS
    (words of one cell are taken to decline alike)."""
    traits = (value_of(feats, name) or "" for name in (*UNMARKED_IN_PLURALS, "Number"))
    return (case, CLASS_OF_POS.get(upos, upos), *traits)


def _verb_cell(feats: str) -> ParadigmCell:
    """Return the cell of a verb form: `("Inf",)`, `("Imp",)`, or its verb form, tense, mood,
    number and person."""
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
    """Make paradigms from counted analyses.

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
        feats: normal(repair(feats) if repair else feats)
        for feats in {feats for _, _, _, feats in counts}
    }
    normalised: dict[Analysis, int] = {}
    for (form, lemma, upos, feats), n in counts.items():
        if form.isalpha() or not letters_only:
            analysis = (form, lemma, upos, repaired_feats[feats])
            normalised[analysis] = normalised.get(analysis, 0) + n
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


def _counts_by_ending(
    nouns: Iterable[_CellForms], own_value: str, case: str, traits: ParadigmCell
) -> Mapping[str, tuple[int, int]]:
    """Count nouns that spell another value of the feature like `own_value`, by the form's ending.

    Return a map from the last letters of a form to two numbers: the nouns that spell both values
    alike, and all nouns seen with both. Only forms in this case count whose Gender and Animacy are
    `traits`.
    """
    counts: dict[str, tuple[int, int]] = {}
    for cells in nouns:
        other_forms = [
            form
            for (value, its_case), forms in cells.items()
            if value != own_value and its_case == case
            for form in forms
        ]
        if not other_forms:
            continue
        for form, feats in cells.get((own_value, case), {}).items():
            if tuple(value_of(feats, name) or "" for name in UNMARKED_IN_PLURALS) == traits:
                ending = form[-N_LAST_LETTERS:]
                n_alike, n_both = counts.get(ending, (0, 0))
                counts[ending] = (n_alike + (form in other_forms), n_both + 1)
    return counts
