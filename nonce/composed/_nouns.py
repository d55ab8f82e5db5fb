"""Nouns that may stand in composed sets, and their forms.

A *cell* is a combination of number, case and definiteness that a noun has a form for.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ..variants.frames.usable_forms import usable_forms_of
from .suffixes import TREEBANK, CellFiller, FilledForm, most_used
from .thresholds import LIMIT, CompositionRules
from .treebank_counts import CLOSED_TAGS, CONTROLLING, LOCAL, NUMBERS, Cell, Cells, TreebankCounts

if TYPE_CHECKING:
    from ...miner.originals.wordlist import UniMorph


@dataclass
class Nouns:
    """The nouns of a treebank: the ones that composed sets may use, with their forms."""

    counts: TreebankCounts
    code: str  # of the language
    language: CompositionRules
    word_list: "UniMorph | None" = None

    @cached_property
    def cells(self) -> dict[str, Cells]:
        """Lemma → cell → counts of its forms. Forms are lowercased unless the language writes
        nouns with capitals, as German does."""
        nouns = self.counts.nouns
        is_capitalised = Counter(
            form[:1].isupper()
            for cells in nouns.values()
            for forms in cells.values()
            for form in forms
        )
        if is_capitalised[True] > is_capitalised[False]:
            return nouns
        lowercased: dict[str, Cells] = {}
        for lemma, cells in nouns.items():
            for cell, forms in cells.items():
                counts = lowercased.setdefault(lemma, {}).setdefault(cell, Counter())
                for form, n in forms.items():
                    counts[form.lower()] += n
        return lowercased

    @cached_property
    def usable(self) -> tuple[str, ...]:
        """The lemmas that sets may use: frequent enough, of one gender, seen in both numbers."""
        return tuple(sorted(filter(self._is_usable, self.cells)))

    def _is_usable(self, lemma: str) -> bool:
        """Tell whether a noun's counts in the treebank meet the thresholds for use in sets."""
        uses = Counter[str]()  # by number
        for cell, seen in self.cells[lemma].items():
            uses[cell.number] += seen.total()
        forms = [form for seen in self.cells[lemma].values() for form in seen]
        n, n_rarer = uses.total(), min(uses[number] for number in NUMBERS)
        return (
            lemma.lower() not in self.language.collective
            and n_rarer >= (1 if n >= LIMIT["noun_filled"] else LIMIT["noun_each"])
            and uses["Plur"] >= LIMIT["noun_plural"] * (uses["Sing"] + uses["Plur"])
            and max(self.counts.genders[lemma].values()) >= LIMIT["noun_gender"] * n
            # Most uses of its forms belong to this lemma, not to another noun or to a function
            # word (Basque *zer*).
            and n >= LIMIT["noun_own"] * sum(self.counts.uses(form, "NOUN") for form in forms)
            and n > self.counts.lemma_uses(lemma, *CLOSED_TAGS)
        )

    @cached_property
    def _drawable_forms(self) -> frozenset[tuple[str, str]]:
        """The (form, lemma) pairs that are safe to use: they pass the filter that nonce variants
        (sentences with random words) apply to the words that they draw."""
        content = frozenset({"NOUN", "VERB", "ADJ"})
        usable = usable_forms_of(self.counts.analyses, content, self.code, {})
        return frozenset(
            (form, lemma) for form, lemma, upos, _ in usable.analyses if upos == "NOUN"
        )

    def gender(self, lemma: str) -> tuple[str, str]:
        """Return the (gender, animacy) that a noun has in most of its uses."""
        return self._genders[lemma]

    @cached_property
    def _genders(self) -> dict[str, tuple[str, str]]:
        """Lemma → its most frequent (gender, animacy)."""
        return {
            lemma: max(sorted(seen), key=seen.__getitem__)
            for lemma, seen in self.counts.genders.items()
        }

    # forms

    @cached_property
    def _filler(self) -> CellFiller[str]:
        """The source of forms that the treebank does not show: a word list and suffix rules, with
        separate rules for each gender and animacy."""
        forms = {
            lemma: {cell: most_used(seen)[0] for cell, seen in cells.items()}
            for lemma, cells in self.cells.items()
        }
        return CellFiller(forms, lambda lemma: "|".join(self.gender(lemma)), self.word_list)

    def form(self, lemma: str, cell: Cell) -> FilledForm | None:
        """Return a noun's form for a number, case and definiteness (`cell`): the form in the
        treebank or, if this shows none, the form from a word list or suffix rules. Return `None` if
        there is none or if it may be wrong."""
        cells = self.cells[lemma]
        seen, uses = cells.get(cell), self.counts.uses
        if seen:
            form, n = most_used(seen)
            filled = FilledForm(form, TREEBANK, n)
            is_reliable = (
                n >= LIMIT["noun_top"] * seen.total()
                and (form, lemma) in self._drawable_forms
                and not form.endswith(tuple(self.language.bound_endings.get(cell.case, ())))
                # A form that rarely has this number and case may be mistagged.
                and uses(form, "NOUN", cell.number, cell.case)
                >= LIMIT["noun_cell"] * uses(form, "NOUN")
                and not self._filler.contradicts(lemma, cell, filled)
            )
            return filled if is_reliable else None
        if cell.case in LOCAL and all(cell.case != seen_cell.case for seen_cell in cells):
            return None  # Basque forms the local cases of animate nouns differently
        gender, _ = self.gender(lemma)
        is_weak = gender == "Masc" and lemma.endswith(tuple(self.language.weak))
        by_rules = not is_weak or cell.number == "Plur" or cell.case == "Nom"
        entries = {"Case": cell.case, "Definite": cell.definite}
        feats = "|".join(f"{name}={value}" for name, value in entries.items() if value)
        return self._filler.fill(lemma, cell, lemma, "NOUN", feats, by_rules=by_rules)

    def pair(self, lemma: str, case: str, definite: str) -> dict[str, FilledForm] | None:
        """Return number → form of a noun in a case, or `None` unless both forms are known, differ,
        begin with the same two letters, and are unambiguous in number."""
        pair = {number: self.form(lemma, Cell(number, case, definite)) for number in NUMBERS}
        forms = {number: form for number, form in pair.items() if form is not None}
        lowercase = [form.form.lower() for form in forms.values()]
        if len(lowercase) < 2:
            return None
        singular, plural = lowercase
        if singular == plural or singular[:2] != plural[:2]:
            return None
        n = sum(seen.total() for seen in self.cells[lemma].values())
        if (
            case not in (*CONTROLLING, "Acc")
            and max(form.n for form in forms.values()) > LIMIT["one_form"] * n
        ):
            return None  # a relational noun, used as a postposition: *ellentétben*, *puolella*
        return None if any(self._is_in_both_numbers(form, case) for form in lowercase) else forms

    def _is_in_both_numbers(self, form: str, case: str) -> bool:
        """Tell whether nouns use a form both as a singular and as a plural of a case, and the rarer
        use is not just an error of annotation."""
        rarer, commoner = sorted(self.counts.uses(form, "NOUN", n, case) for n in NUMBERS)
        return rarer >= 1 and rarer >= 0.1 * commoner

    # readings

    def looks_like_object(self, lemma: str, case: str, definite: str) -> bool:
        """Tell whether a noun that is a subject in this case may be read as an object, in either
        number, because its form is also an accusative."""
        if case not in ("Nom", ""):
            return False
        objects = self.counts.object_cases
        if case and objects[case] >= LIMIT["object_case"] * objects.total():
            return True
        if case and not self._syncretism:
            return False  # no noun of the language has an accusative
        cells = self.cells[lemma]
        for number in NUMBERS:
            forms = cells.get(Cell(number, case, definite), ())
            if any(self.counts.uses(form, "NOUN", case="Acc") for form in forms):
                return True
            is_unseen = not forms or Cell(number, "Acc", definite) not in cells
            if is_unseen and self._syncretism.get((self.gender(lemma), number), True):
                return True
        return False

    @cached_property
    def _syncretism(self) -> dict[tuple[tuple[str, str], str], bool]:
        """((gender, animacy), number) → whether nouns often have the same form in the nominative as
        in the accusative."""
        table: defaultdict[tuple[tuple[str, str], str], Counter[bool]] = defaultdict(Counter)
        for lemma, cells in self.cells.items():
            for cell, seen in cells.items():
                accusative = cells.get(cell._replace(case="Acc"))
                if cell.case == "Nom" and accusative:
                    is_alike = not set(seen).isdisjoint(accusative)
                    table[self.gender(lemma), cell.number][is_alike] += 1
        return {
            key: seen[True] >= LIMIT["syncretism"] * seen.total() for key, seen in table.items()
        }

    def may_be_in(self, cases: Sequence[str], lemma: str, case: str, definite: str) -> bool:
        """Tell whether a noun's singular or plural in `case` may be read as a form in one of
        `cases`, of this noun or of another: Ukrainian *критики* is *critics* and *of criticism*."""

        def forms_in(case: str, *, skip_seen: bool) -> Iterator[str]:
            """Yield the noun's known forms in a case; with `skip_seen` only those that the treebank
            does not show."""
            for cell in (Cell(number, case, definite) for number in NUMBERS):
                filled = None if skip_seen and cell in self.cells[lemma] else self.form(lemma, cell)
                if filled is not None:
                    yield filled.form.lower()

        forms = set(forms_in(case, skip_seen=False))
        return any(
            any(self.counts.uses(form, "NOUN", case=other) for form in forms)
            or not forms.isdisjoint(forms_in(other, skip_seen=True))
            for other in cases
        )

    def is_adverbial(self, lemma: str) -> bool:
        """Tell whether a noun is often a bare adverbial of time or measure, as *week* is."""
        n = sum(seen.total() for seen in self.cells[lemma].values())
        return self.counts.adverbials[lemma] > LIMIT["adverbial"] * n
