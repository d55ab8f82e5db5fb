"""What a form can be, by a treebank: every reading of it, whoever's form it is."""

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias
from weakref import finalize

from colorless_green.miner.features import UNTOLD_IN_PLURALS, value_of
from colorless_green.miner.paradigms import MISSING, Paradigms

RARE = 0.05  # share of a form's uses below which a reading is taken for an error of annotation
CLASSES = {"AUX": "VERB", "PROPN": "NOUN"}  # one lemma's forms are often tagged both ways
CASES = ("Nom", "Acc")
ALIKE = 0.5  # of the lemmas of a class that show both cases, those that spell them alike


VerbCells: TypeAlias = dict[str, dict[tuple[str, ...], set[str]]]


class Reading(NamedTuple):
    """One analysis of a form."""

    lemma: str
    upos: str  # AUX counts as VERB, PROPN as NOUN
    feats: str  # normal
    n: int


class Forms:
    """The readings of a treebank's forms, capitals aside. Make it with `Forms.of`, once."""

    def __init__(self, paradigms: Paradigms) -> None:
        self._readings: dict[str, dict[tuple[str, str, str], int]] = {}
        for (form, lemma, upos, feats), n in paradigms.counts.items():
            if lemma != MISSING or upos != MISSING:
                seen = self._readings.setdefault(form.casefold(), {})
                key = (lemma, CLASSES.get(upos, upos), feats)
                seen[key] = seen.get(key, 0) + n
        self._cells: dict[tuple[str, str, str], dict[str, dict[str, set[str]]]] | None = None
        self._alike: dict[tuple[str, str, str], bool] = {}
        self._verbs: VerbCells | None = None
        self._like: dict[tuple[tuple[str, ...], str], bool] = {}
        self._telling: dict[tuple[str, str, str, str], bool] = {}
        self._found: dict[tuple[str, str, str], tuple[Reading, ...]] = {}

    @classmethod
    def of(cls, paradigms: Paradigms) -> "Forms":
        """The forms of these very paradigms: made at the first call, remembered as long as the
        paradigms live."""
        key = id(paradigms)
        if key not in _MADE:
            _MADE[key] = cls(paradigms)
            finalize(paradigms, _MADE.pop, key, None)
        return _MADE[key]

    def readings(self, form: str, upos: str = "", lemma: str = "") -> tuple[Reading, ...]:
        """The readings of a form, those with this part of speech (AUX is VERB, PROPN is NOUN) and
        of this lemma where one is named; in the order first seen, rare ones left out."""
        key = (form, upos, lemma)
        if key not in self._found:
            self._found[key] = tuple(self._read(*key))
        return self._found[key]

    def _read(self, form: str, upos: str, lemma: str) -> Iterator[Reading]:
        kind = CLASSES.get(upos, upos)
        found = [
            Reading(*key, n)
            for key, n in self._readings.get(form.casefold(), {}).items()
            if kind in ("", key[1]) and lemma in ("", key[0])
        ]
        total = sum(each.n for each in found)
        yield from (each for each in found if each.n >= RARE * total)

    def share(self, form: str, fits: Callable[[Reading], bool]) -> float:
        """Of the uses of a form, those that fit; 0 for one the treebank does not show."""
        found = self.readings(form)
        total = sum(each.n for each in found)
        return sum(each.n for each in found if fits(each)) / total if total else 0.0

    def tells(self, form: str, upos: str, feats: str, feature: str) -> bool:
        """Whether no reading of the form with this part of speech (and, where FEATS tell one,
        person) has another value of the feature than these FEATS, or none: a form the treebank does
        not show tells what it is told to."""
        key = (form, upos, feats, feature)
        if key not in self._telling:
            value, person = value_of(feats, feature), value_of(feats, "Person")
            self._telling[key] = all(
                value_of(each.feats, feature) == value
                for each in self.readings(form, upos)
                if value_of(each.feats, "Person") in (None, person) or person is None
            )
        return self._telling[key]

    def either_case(self, form: str, upos: str, feats: str) -> bool:
        """Whether a word in the nominative could be an accusative, by its spelling: by the readings
        of its own form, or since most words of its class (part of speech, gender, animacy, number)
        spell both alike. True where the treebank marks no case on it, or shows no two cases."""
        own = value_of(feats, "Case")
        if own is None or "Acc" in own.split(","):
            return True
        kind = _class(upos, feats)
        cells = self._case_cells().get(kind, {})
        mine = {
            each.lemma for each in self.readings(form, upos) if _class(upos, each.feats) == kind
        }
        for lemma in mine:
            if {"Acc", "Nom"} <= cells.get(lemma, {}).keys():
                return form.casefold() in cells[lemma]["Acc"]
        if kind not in self._alike:
            both = [cell for cell in cells.values() if {"Acc", "Nom"} <= cell.keys()]
            alike = sum(1 for cell in both if cell["Nom"] & cell["Acc"])
            self._alike[kind] = alike >= ALIKE * len(both)
        return self._alike[kind]

    def spelled_like(self, form: str, reading: Reading, kind: str) -> bool:
        """Whether a finite form is spelled like the infinitive (`Inf`) or imperative (`Imp`) of its
        lemma, or, where the treebank does not show that, like most verbs of its class (tense,
        mood, number, person; English *grow*, German *finden*)."""
        verbs, classes = self._verb_cells()
        shown = verbs.get(reading.lemma, {}).get((kind,))
        if shown:
            return form.casefold() in shown
        cell = _verb_cell(reading.feats)
        if (cell, kind) not in classes:
            both = [cells for cells in verbs.values() if cell in cells and (kind,) in cells]
            alike = sum(1 for cells in both if cells[cell] & cells[(kind,)])
            classes[(cell, kind)] = bool(both) and alike >= ALIKE * len(both)
        return classes[(cell, kind)]

    def unmarked(self, feats: str, value: str) -> bool:
        """Whether most verbs spell the forms with these FEATS and those with another Number alike
        (English past tenses)."""
        verbs, classes = self._verb_cells()
        cell = _verb_cell(feats)
        if (cell, value) not in classes:
            other = (*cell[:3], value, *cell[4:])
            both = [cells for cells in verbs.values() if cell in cells and other in cells]
            alike = sum(1 for cells in both if cells[cell] & cells[other])
            classes[(cell, value)] = bool(both) and alike >= ALIKE * len(both)
        return classes[(cell, value)]

    def _verb_cells(self) -> tuple[VerbCells, dict[tuple[tuple[str, ...], str], bool]]:
        """Lemma → cell → its forms; and what is known of a cell."""
        if self._verbs is None:
            self._verbs = {}
            for form, seen in self._readings.items():
                for lemma, upos, feats in seen:
                    if upos == "VERB":
                        cells = self._verbs.setdefault(lemma, {})
                        cells.setdefault(_verb_cell(feats), set()).add(form)
        return self._verbs, self._like

    def _case_cells(self) -> dict[tuple[str, str, str], dict[str, dict[str, set[str]]]]:
        """Class → lemma → case → its forms."""
        if self._cells is None:
            self._cells = {}
            for form, seen in self._readings.items():
                for lemma, upos, feats in seen:
                    case = value_of(feats, "Case")
                    if case in CASES:
                        kind = self._cells.setdefault(_class(upos, feats), {})
                        kind.setdefault(lemma, {}).setdefault(case, set()).add(form)
        return self._cells


_MADE: dict[int, Forms] = {}  # by identity: paradigms hold a dictionary and cannot be hashed


def _class(upos: str, feats: str) -> tuple[str, str, str]:
    """Words that decline alike as far as FEATS tell."""
    told = [value_of(feats, name) or "" for name in UNTOLD_IN_PLURALS]
    return CLASSES.get(upos, upos), "|".join(told), value_of(feats, "Number") or ""


def _verb_cell(feats: str) -> tuple[str, ...]:
    """`("Inf",)`, `("Imp",)`, or tense, mood, number and person of another form."""
    if value_of(feats, "VerbForm") == "Inf":
        return ("Inf",)
    if value_of(feats, "Mood") == "Imp":
        return ("Imp",)
    told = ("VerbForm", "Tense", "Mood", "Number", "Person")
    return tuple(value_of(feats, name) or "" for name in told)
