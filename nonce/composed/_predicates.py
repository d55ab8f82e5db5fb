"""The predicates of a treebank whose singular and plural forms are both known.

A *kind* of target is what agrees (verb, participle, adjective, auxiliary, copula), the feature that
it agrees in, and its subject's case. A *cell* is a combination of number, gender and animacy.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING
from unicodedata import normalize

from ..variants.ambiguity.pair import OTHER_NUMBER, entries
from ..variants.frames.usable_forms import is_word
from .suffixes import CellFiller, FilledForm, dominant_forms, exchange_of
from .thresholds import LIMIT, CompositionRules
from .treebank_counts import (
    CLOSED,
    NUMBERS,
    SUBJECT_CASES,
    Cell,
    Cells,
    Kind,
    Predicate,
    TreebankCounts,
)

if TYPE_CHECKING:
    from ...miner.originals.wordlist import UniMorph

ACCENTS = "\u0301\u0342"  # Greek acute and circumflex; a form with two stands before an enclitic
LEMMA_CELL = Cell("")  # holds the lemma, from which suffix rules may derive forms, too
MARKED_FEATURES = frozenset({
    "Poss", "Foreign", "Style", "Reflex", "PronType", "NumType", "Clitic", "Polite",
})  # fmt: skip
PLAIN_VALUES = {
    "Mood": ("Ind",), "Polarity": ("Pos",), "Case": ("Nom", "Abs"), "Degree": ("Pos",),
}  # fmt: skip
"""Feature → the values that a plain statement has; a word without the feature has the first."""


@dataclass(frozen=True)
class PredicateParadigm:
    """A predicate (a word in one tense, mood and so on) with its forms in both numbers."""

    predicate: Predicate
    forms: Mapping[Cell, FilledForm]
    frame: Counter[str]  # dependent, such as "object" → uses of the lemma with it; "n": all uses
    n: int  # uses of its forms in this tense, mood and so on

    def pair(self, gender: tuple[str, str]) -> dict[str, FilledForm] | None:
        """Return number → the form that agrees with a subject of this (gender, animacy); `None`
        unless there is exactly one in each number and they differ."""
        forms: dict[str, FilledForm] = {}
        for number in NUMBERS:
            fitting = [
                form
                for cell, form in sorted(self.forms.items())
                if cell.number == number
                and all(map(_is_compatible, (cell.gender, cell.animacy), gender))
            ]
            spellings = {filled.form for filled in fitting}
            if len(spellings) != 1:
                return None
            forms[number] = fitting[0]
        return forms if forms["Sing"].form != forms["Plur"].form else None

    @property
    def spellings(self) -> set[str]:
        """Return the spellings of its forms."""
        return {filled.form for filled in self.forms.values()}

    @property
    def is_transitive(self) -> bool:
        """Tell whether it usually has accusative objects (Russian verbs in *-ся* have none,
        Ukrainian *належати* has dative ones)."""
        is_active = self.predicate.entries.get("Voice", "Act") == "Act"
        return is_active and self.frame["accusative"] >= LIMIT["opener_object"] * self.frame["n"]

    @property
    def takes_object(self) -> bool:
        """Tell whether a noun before the predicate may be read as an object: of the predicate
        itself, or of an infinitive, clause or participle that could follow it."""
        is_passive = "Voice=Pass" in self.predicate.feats
        return (
            self.predicate.target in CLOSED
            # The object of an infinitive may come first: *документи поїхав перевіряти директор*.
            or exceeds(self.frame, "complement", "verb_complement")
            or (exceeds(self.frame, "object", "verb_object") and not is_passive)
        )


def exceeds(frame: Counter[str], dependent: str, threshold: str) -> bool:
    """Tell whether the share of a word's uses that have a dependent is above a threshold.

    `frame`: dependent, such as "object" → number of uses with it; "n" → all uses. `threshold`: its
    name in `thresholds.tsv`.
    """
    return frame[dependent] > LIMIT[threshold] * frame["n"]


def _is_compatible(value: str, required: str) -> bool:
    """Tell whether two values of a feature, such as `Fem,Masc` and `Fem`, overlap; a form without
    the feature goes with any."""
    return not value or not set(value.split(",")).isdisjoint(required.split(","))


@dataclass(frozen=True)
class Predicates:
    """The predicates of a treebank, from which those usable in composed sets are chosen."""

    counts: TreebankCounts
    language: CompositionRules
    word_list: "UniMorph | None" = None
    code: str = ""  # BCP-47 code of the language

    def usable_paradigms(
        self, kind: Kind, *, matrix: bool = False
    ) -> tuple[list[PredicateParadigm], Counter[str]]:
        """Return the paradigms of the kind's predicates whose singular and plural forms are both
        known, and a count of the reasons why the rest were rejected.

        `matrix`: apply the looser requirements for matrix-clause verbs, which are never scored.
        """
        usable: list[PredicateParadigm] = []
        rejections: Counter[str] = Counter()
        for _, group in sorted(self._groups(kind).items()):
            attested = {predicate: dominant_forms(cells) for predicate, cells in group.items()}
            forms = {
                predicate: {cell: filled.form for cell, filled in by_cell.items()}
                | ({LEMMA_CELL: predicate.lemma} if predicate.lemma != "_" else {})
                for predicate, by_cell in attested.items()
            }
            # One class for all: the predicates of a group share their suffix rules.
            filler = CellFiller[Predicate](forms, lambda predicate: "", self.word_list)
            for predicate in sorted(group):
                paradigm = self._complete_forms(predicate, attested, filler)
                reason = self._rejection_reason(predicate, paradigm, kind.case, matrix=matrix)
                if reason:
                    rejections[reason] += 1
                    continue
                n = sum(uses.total() for uses in group[predicate].values())
                frame = self._dependent_counts(predicate, group[predicate])
                usable.append(PredicateParadigm(predicate, paradigm, frame, n))
        return usable, rejections

    def _groups(self, kind: Kind) -> dict[str, dict[Predicate, Cells]]:
        """Return the predicates of a kind that can make plain statements, in groups that have the
        same FEATS apart from those that agree: FEATS → predicate → cell → counts of its forms.
        Suffix rules are learned within such a group."""
        groups: dict[str, dict[Predicate, Cells]] = {}
        for predicate, all_cells in self.counts.predicates.items():
            feats = predicate.feats
            cells = {cell: seen for cell, seen in all_cells.items() if cell.number in NUMBERS}
            if (
                predicate.target != kind.target
                or predicate.feature != kind.feature
                # a subject in the absolutive has no ergative beside it
                or (kind.feature == "Number[abs]" and "[erg]" in feats)
                # its singular looks like an absolutive plural
                or (kind.feature == "Number[erg]" and "Number[abs]=Plur" in feats)
                or not self._is_plain(predicate)
                or (
                    kind.target in ("adjective", "participle")
                    and feats not in self._bare_feats(kind.target)
                )
            ):
                continue
            parts = _split_paradigms(cells) if kind.target in CLOSED else [("", cells)]
            for name, part in parts:
                groups.setdefault(feats + name, {})[predicate._replace(part=name)] = part
        return groups

    def _is_plain(self, predicate: Predicate) -> bool:
        """Tell whether a predicate's FEATS are those of a plain statement: indicative, affirmative,
        third person, and so on."""
        entries = predicate.entries
        tense = entries.get("Tense")
        has_aspect = entries.get("Aspect") == "Perf" or predicate.lemma in self.language.perfective
        is_perfective = has_aspect and tense != "Past"
        # Basque verbs have several persons, as `Person[abs]`; `Person` itself is always third here.
        persons = [value for name, value in entries.items() if name.startswith("Person[")]
        return (
            all(entries.get(name, values[0]) in values for name, values in PLAIN_VALUES.items())
            and all(person == "3" for person in persons)
            and not (is_perfective and self.language.perfective_needs_particle)
            and MARKED_FEATURES.isdisjoint(entries)
            and tense != "Pqp"
        )

    def _bare_feats(self, target: str) -> list[str]:
        """Return the FEATS of the adjectives or participles (`target` says which) that are often
        predicates without a copula or auxiliary. If a language has short forms of them (Russian),
        return only the FEATS of these."""
        seen = self.counts.bare
        wants_participle = target == "participle"
        bare = [
            feats
            for (feats, is_bare), n in seen.items()
            if is_bare
            and ("VerbForm" in feats) == wants_participle
            and n >= LIMIT["agreement_uses"]
            and n >= LIMIT["bare_adjective"] * (n + seen[feats, False])
        ]
        return [feats for feats in bare if "Variant=Short" in feats] or bare

    def _complete_forms(
        self,
        predicate: Predicate,
        attested: Mapping[Predicate, Mapping[Cell, FilledForm]],
        filler: CellFiller[Predicate],
    ) -> dict[Cell, FilledForm]:
        """Return a predicate's form for each number, gender and animacy that its group has;
        `filler` supplies forms that the treebank lacks. Return {} if the suffix rules contradict a
        form in the treebank.

        `attested`: predicate of the group → cell → its predominant form in the treebank.
        """
        own = attested[predicate]
        if any(filler.contradicts(predicate, cell, form) for cell, form in own.items()):
            return {}
        filled = dict(own)
        for cell in sorted({cell for by_cell in attested.values() for cell in by_cell}):
            # no form of a gender that the predicate is never seen in; "" is no gender
            is_seen_gender = not cell.gender or any(cell.gender == other.gender for other in own)
            if cell not in own and is_seen_gender:
                lemma, upos, feats = predicate.lemma, predicate.upos, predicate.feats
                form = filler.fill(predicate, cell, lemma, upos, feats)
                if form is not None:
                    filled[cell] = form
        return filled

    def _dependent_counts(self, predicate: Predicate, cells: Cells) -> Counter[str]:
        """Return dependent ("object", "clause" …) → number of a predicate's uses with it, and "n" →
        all uses. For a copula or auxiliary, count the dependents of the verbs used with it."""
        if predicate.target not in CLOSED:
            return self.counts.frames[predicate.lemma]
        forms = {form for seen in cells.values() for form in seen}
        is_also_active = not forms.isdisjoint(self._active_forms[predicate.lemma])
        is_passive = "Voice=Pass" in predicate.feats and not is_also_active
        return self.counts.auxiliaries[predicate.lemma, is_passive]

    @cached_property
    def _active_forms(self) -> defaultdict[str, set[str]]:
        """Auxiliary → its forms that are not always passive: German *wird*."""
        forms: defaultdict[str, set[str]] = defaultdict(set)
        for predicate, cells in self.counts.predicates.items():
            if predicate.upos == "AUX" and "Voice=Pass" not in predicate.feats:
                forms[predicate.lemma].update(*cells.values())
        return forms

    def _rejection_reason(
        self,
        predicate: Predicate,
        forms: Mapping[Cell, FilledForm],
        subject_case: str,
        *,
        matrix: bool,
    ) -> str:
        """Return the reason why a predicate may not be used in sets with subjects in a case; "" if
        it may. `matrix`: whether it is for a matrix clause, which has looser requirements."""
        if {cell.number for cell in forms} != set(NUMBERS):
            return "without sure forms in both numbers"
        by_number = {cell.number: filled.form for cell, filled in forms.items()}
        if not self.language.differ(by_number["Sing"], by_number["Plur"]):
            return "one form for both numbers"
        for cell, filled in forms.items():
            if reason := self._reject_form(predicate.upos, cell.number, filled.form, matrix=matrix):
                return reason
        n = sum(filled.n for filled in forms.values())
        if n < LIMIT["matrix_tokens" if matrix else "verb_tokens"]:
            return "too rare"
        language, frame = self.language, self.counts.frames[predicate.lemma]
        if subject_case and any(
            frame[case] > LIMIT["subject_case"] * frame["subject"]
            for case in SUBJECT_CASES
            if case != subject_case and predicate.upos == "VERB"
        ):
            return "with a subject in another case"  # Georgian, Hindi: by tense and aspect
        if matrix:
            return ""
        lemma, is_verb = predicate.lemma, predicate.target == "verb" or predicate.upos == "VERB"
        has_bound_object = language.object_suffixes and exceeds(frame, "object", "verb_object")
        reasons = {
            "impersonal": lemma in language.impersonal,
            # *the tour let*: the past
            "forms of both numbers": lemma in entries("uninflected_past", self.code),
            "with an infinitive of purpose": lemma in language.motion,
            "forms with an object": is_verb and has_bound_object,
            "too rare": is_verb and frame["n"] < LIMIT["verb_uses"],
            "without a subject": is_verb and frame["subject"] < LIMIT["verb_subject"],
            "with reflexive or particle": is_verb and exceeds(frame, "bound", "verb_bound"),
            "with a prepositional complement": is_verb
            and exceeds(frame, "oblique", "verb_oblique"),
        }
        return next((reason for reason, is_true in reasons.items() if is_true), "")

    def _reject_form(self, upos: str, number: str, form: str, *, matrix: bool) -> str:
        """Return the reason why a predicate with this form may not be used, such as an ambiguity of
        the form; "" if it may be used. In matrix clauses the form may be ambiguous in number: *say*
        and *know* are also infinitives."""
        uses = self.counts.uses
        n, n_other_number = uses(form), uses(form, number=OTHER_NUMBER[number])
        if uses(form, upos) < LIMIT["matrix_own_pos" if matrix else "verb_own_pos"] * n:
            return "forms of another part of speech"
        if matrix:
            return "no word" if form in self.language.dated or not is_word(form) else ""
        if uses(form, "NOUN") > LIMIT["noun_form"] * n:
            return "forms of a noun"  # reads as a compound with the head: *crime produce*
        if n_other_number > 0.1 * (uses(form, number=number) + n_other_number):
            return "forms of both numbers"
        is_bound = sum(mark in ACCENTS for mark in normalize("NFD", form)) > 1
        return "no word" if is_bound or not (form.isalpha() or is_word(form)) else ""


def _split_paradigms(cells: Cells) -> list[tuple[str, Cells]]:
    """Split the forms of a copula or auxiliary into the paradigms that its annotation lumps
    together: Basque *da/dira* and *zen/ziren*, pairs that begin and end alike. Return a list of
    (name, cell → counts of forms), one for each paradigm. Forms that need no splitting, because
    they inflect for gender or one form predominates in each number, are returned as one paradigm
    with the name ""."""
    if any(cell.gender for cell in cells) or len(dominant_forms(cells)) == 2:
        return [("", cells)]
    frequent: dict[str, list[tuple[str, Cell, int]]] = {}  # number → (form, cell, uses)
    for number in NUMBERS:
        in_number = [(cell, seen) for cell, seen in cells.items() if cell.number == number]
        min_uses = max(3, 0.1 * sum(seen.total() for _, seen in in_number))
        frequent[number] = sorted(
            (form, cell, n) for cell, seen in in_number for form, n in seen.items() if n >= min_uses
        )
    return [
        (f"#{sing}", {sing_cell: Counter({sing: n_sing}), plur_cell: Counter({plur: n_plur})})
        for sing, sing_cell, n_sing in frequent["Sing"]
        for plur, plur_cell, n_plur in frequent["Plur"]
        if _differs_by_infix(sing, plur)
    ]


def _differs_by_infix(form: str, other_form: str) -> bool:
    """Tell whether one of two forms is the other with letters inserted in the middle, as Basque
    *dira* is *da* with *ir*."""
    endings = exchange_of(form, other_form)  # what follows their common first letters
    ending, longer_ending = sorted(endings, key=len)
    begin_alike = form[0] == other_form[0]
    return ending != "" and begin_alike and longer_ending.endswith(ending)
