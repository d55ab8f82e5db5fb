"""The predicates of a treebank whose forms in both numbers are known."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ..variants.ambiguity.pair import OTHER_NUMBER
from ..variants.frames.usable_forms import is_word
from .suffixes import CellFiller, FilledForm, change, tops
from .thresholds import CompositionRules, T
from .treebank_counts import CLOSED, NUMBERS, Cell, Cells, Kind, Predicate, TreebankCounts

if TYPE_CHECKING:
    from ...miner.originals.wordlist import UniMorph

LEMMA = Cell("")  # a cell of all words, from which rules may start
UNUSUAL = frozenset({
    "Poss", "Foreign", "Style", "Reflex", "PronType", "NumType", "Clitic", "Polite",
})  # fmt: skip
PLAIN = {
    "Mood": ("Ind",), "Polarity": ("Pos",), "Case": ("Nom", "Abs"), "Degree": ("Pos",),
}  # fmt: skip
"""Values of a plain statement; the first is meant where a word says nothing"""


@dataclass(frozen=True)
class PredicateParadigm:
    """A predicate with its forms in both numbers."""

    predicate: Predicate
    forms: Mapping[Cell, FilledForm]
    frame: Counter[str]
    n: int  # uses of its forms

    def pair(self, gender: tuple[str, str]) -> dict[str, FilledForm] | None:
        """Return the two forms that go with a controller of this gender and animacy."""
        forms: dict[str, FilledForm] = {}
        for number in NUMBERS:
            fitting = [
                form
                for cell, form in sorted(self.forms.items())
                if cell.number == number
                and all(map(_is_compatible, (cell.gender, cell.animacy), gender))
            ]
            if len({filled.form for filled in fitting}) != 1:
                return None
            forms[number] = fitting[0]
        return forms if forms["Sing"].form != forms["Plur"].form else None

    @property
    def written(self) -> set[str]:
        """Return its forms as they are written."""
        return {filled.form for filled in self.forms.values()}

    @property
    def is_transitive(self) -> bool:
        """Tell whether it has objects in the accusative as a rule, in this paradigm (Russian *-ся*
        has none, Ukrainian *належати* those in the dative)."""
        is_active = self.predicate.entries.get("Voice", "Act") == "Act"
        return is_active and self.frame["accusative"] >= T["opener_object"] * self.frame["n"]

    @property
    def takes_object(self) -> bool:
        """Tell whether an object may stand before it: its own, or that of a clause or a passive
        that is still to come."""
        is_passive = "Voice=Pass" in self.predicate.feats
        return (
            self.predicate.target in CLOSED
            or exceeds(self.frame, "complement", "verb_complement")
            or (exceeds(self.frame, "object", "verb_object") and not is_passive)
        )


def exceeds(frame: Counter[str], dependent: str, threshold: str) -> bool:
    """Tell whether more of a word's uses have a dependent than a threshold allows. An infinitive or
    a clause may have its subject or object before the word (Ukrainian *документи поїхав перевіряти
    директор*)."""
    return frame[dependent] > T[threshold] * frame["n"]


def _is_compatible(value: str, required: str) -> bool:
    return not value or not set(value.split(",")).isdisjoint(required.split(","))


@dataclass(frozen=True)
class Predicates:
    """The predicates of a treebank that may stand in a composed set."""

    counts: TreebankCounts
    language: CompositionRules
    word_list: "UniMorph | None" = None

    def of_kind(
        self, kind: Kind, *, matrix: bool = False
    ) -> tuple[list[PredicateParadigm], Counter[str]]:
        """Return the predicates of a kind whose forms in both numbers are known, and why others are
        not. `matrix`: verbs of matrix clauses, which no model is asked about, need less."""
        usable: list[PredicateParadigm] = []
        lacking: Counter[str] = Counter()
        for _, group in sorted(self._groups(kind).items()):
            seen = {predicate: tops(cells) for predicate, cells in group.items()}
            forms = {
                predicate: {cell: top.form for cell, top in by_cell.items()}
                | ({LEMMA: predicate.lemma} if predicate.lemma != "_" else {})
                for predicate, by_cell in seen.items()
            }
            filler = CellFiller[Predicate](forms, lambda predicate: "", self.word_list)
            for predicate in sorted(group):
                filled = self._filled(predicate, seen, filler)
                reason = self._unfit(predicate, filled, matrix=matrix)
                if reason:
                    lacking[reason] += 1
                    continue
                n = sum(uses.total() for uses in group[predicate].values())
                frame = self._frame(predicate, group[predicate])
                usable.append(PredicateParadigm(predicate, filled, frame, n))
        return usable, lacking

    def _groups(self, kind: Kind) -> dict[str, dict[Predicate, Cells]]:
        """Return the paradigms of a kind in plain statements, by the FEATS that they share."""
        groups: dict[str, dict[Predicate, Cells]] = {}
        for predicate, all_cells in self.counts.predicates.items():
            feats = predicate.feats
            cells = {cell: seen for cell, seen in all_cells.items() if cell.number in NUMBERS}
            if (
                predicate.target != kind.target
                or predicate.feature != kind.feature
                # an absolutive subject has no ergative beside it
                or (kind.feature == "Number[abs]" and "[erg]" in feats)
                # its singular looks like an absolutive plural
                or (kind.feature == "Number[erg]" and "Number[abs]=Plur" in feats)
                or not self._is_plain(predicate)
                or (kind.target not in (*CLOSED, "verb") and feats not in self._bare(kind.target))
            ):
                continue
            for name, part in _split(cells) if kind.target in CLOSED else [("", cells)]:
                groups.setdefault(feats + name, {})[predicate._replace(part=name)] = part
        return groups

    def _is_plain(self, predicate: Predicate) -> bool:
        """Tell whether a paradigm is that of a plain statement."""
        entries = predicate.entries
        tense = entries.get("Tense")
        is_perfective = entries.get("Aspect") == "Perf" and tense != "Past"
        return (
            all(entries.get(name, values[0]) in values for name, values in PLAIN.items())
            and all(v == "3" for name, v in entries.items() if name.startswith("Person["))
            and not (is_perfective and self.language.perfective_needs_particle)
            and UNUSUAL.isdisjoint(entries)
            and tense != "Pqp"
        )

    def _bare(self, target: str) -> list[str]:
        """Return the paradigms of adjectives or participles that are predicates without a copula or
        auxiliary; the short ones alone where a language has them."""
        seen = self.counts.bare
        bare = [
            feats
            for (feats, is_bare), n in seen.items()
            if is_bare
            and ("VerbForm" in feats) == (target == "participle")
            and n >= T["agreement_uses"]
            and n >= T["bare_adjective"] * (n + seen[feats, False])
        ]
        return [feats for feats in bare if "Variant=Short" in feats] or bare

    def _filled(
        self,
        predicate: Predicate,
        seen: Mapping[Predicate, Mapping[Cell, FilledForm]],
        filler: CellFiller[Predicate],
    ) -> dict[Cell, FilledForm]:
        """Return the forms of a predicate in all cells of its group; none where one that was seen
        is against the rule."""
        own = seen[predicate]
        if any(filler.contradicts(predicate, cell, top) for cell, top in own.items()):
            return {}
        filled = dict(own)
        for cell in sorted({cell for by_cell in seen.values() for cell in by_cell}):
            if cell not in own and any(cell.gender in (other.gender, "") for other in own):
                _, upos, lemma, feats, *_ = predicate
                form = filler.filled(predicate, cell, lemma, upos, feats)
                filled.update({cell: form} if form else {})
        return filled

    def _frame(self, predicate: Predicate, cells: Cells) -> Counter[str]:
        """Return what a predicate was used with; for an auxiliary, the verbs with it."""
        if predicate.target not in CLOSED:
            return self.counts.frames[predicate.lemma]
        is_passive = "Voice=Pass" in predicate.feats and self._active[predicate.lemma].isdisjoint(
            form for seen in cells.values() for form in seen
        )
        return self.counts.auxiliaries[predicate.lemma, is_passive]

    @cached_property
    def _active(self) -> defaultdict[str, set[str]]:
        """Auxiliary → its forms that are not passive alone: *wird*."""
        active: defaultdict[str, set[str]] = defaultdict(set)
        for predicate, cells in self.counts.predicates.items():
            if predicate.upos == "AUX" and "Voice=Pass" not in predicate.feats:
                active[predicate.lemma].update(*cells.values())
        return active

    def _unfit(
        self, predicate: Predicate, forms: Mapping[Cell, FilledForm], *, matrix: bool
    ) -> str:
        """Return why a predicate may not be used; "" if it may."""
        if {cell.number for cell in forms} != set(NUMBERS):
            return "without sure forms in both numbers"
        for cell, filled in forms.items():
            if reason := self._unfit_form(predicate.upos, cell.number, filled.form, matrix=matrix):
                return reason
        n = sum(filled.n for filled in forms.values())
        if n < T["matrix_tokens" if matrix else "verb_tokens"]:
            return "too rare"
        if matrix:
            return ""
        language, frame = self.language, self.counts.frames[predicate.lemma]
        if predicate.lemma in language.impersonal:
            return "impersonal"
        if predicate.lemma in language.motion:
            return "with an infinitive of purpose"
        if predicate.target != "verb" and predicate.upos != "VERB":
            return ""
        if language.object_suffixes and exceeds(frame, "object", "verb_object"):
            return "forms with an object"
        if frame["n"] < T["verb_uses"]:
            return "too rare"
        if frame["subject"] < T["verb_subject"]:
            return "without a subject"
        if exceeds(frame, "bound", "verb_bound"):
            return "with reflexive or particle"
        if exceeds(frame, "oblique", "verb_oblique"):
            return "with a prepositional complement"
        return ""

    def _unfit_form(self, upos: str, number: str, form: str, *, matrix: bool) -> str:
        """Return why a form may not be used; "" if it may. In matrix clauses it may be of both
        numbers: *say* and *know* are infinitives too."""
        uses = self.counts.uses
        n, other_number = uses(form), OTHER_NUMBER[number]
        if uses(form, upos) < T["matrix_own_pos" if matrix else "verb_own_pos"] * n:
            return "forms of another part of speech"
        if matrix:
            return "no word" if form in self.language.dated or not is_word(form) else ""
        if uses(form, "NOUN") > T["noun_form"] * n:
            return "forms of a noun"  # which the noun before it might modify: *crime produce*
        if uses(form, number=other_number) > 0.1 * sum(uses(form, number=each) for each in NUMBERS):
            return "forms of both numbers"
        return "" if form.isalpha() or is_word(form) else "no word"


def _split(cells: Cells) -> list[tuple[str, Cells]]:
    """Return the forms of a closed word as paradigms of their own where the annotation does not
    tell them apart: Basque *da/dira* and *zen/ziren*, which share their beginnings and ends."""
    if any(cell.gender for cell in cells) or len(tops(cells)) == 2:
        return [("", cells)]
    uses = [(n, cell, form) for cell, seen in sorted(cells.items()) for form, n in seen.items()]
    often = {
        number: sorted(
            (form, cell, n)
            for n, cell, form in uses
            if cell.number == number
            and n >= max(3, 0.1 * sum(m for m, other, _ in uses if other.number == number))
        )
        for number in NUMBERS
    }
    return [
        (f"#{one}", {sing: Counter({one: n_one}), plur: Counter({several: n_several})})
        for one, sing, n_one in often["Sing"]
        for several, plur, n_several in often["Plur"]
        if _differs_by_infix(one, several)
    ]


def _differs_by_infix(form: str, other_form: str) -> bool:
    """Tell whether a form is another with letters put in."""
    rest, other_rest = sorted(change(form, other_form), key=len)
    return bool(rest) and form[0] == other_form[0] and other_rest.endswith(rest)
