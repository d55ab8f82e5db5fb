"""Nouns that may stand in composed sets, and their forms.

A *cell* is a combination of number, case and definiteness that a noun has a form for.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ..variants.frames.usable_forms import usable_forms_of
from .suffixes import RULE, TREEBANK, CellFiller, FilledForm, most_used
from .thresholds import LIMIT, CompositionRules
from .treebank_counts import (
    CLOSED_TAGS,
    CONTROLLING,
    LOCAL,
    NUMBERS,
    OPEN_TAGS,
    Cell,
    Cells,
    TreebankCounts,
)

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
        forms = [form for cells in nouns.values() for seen in cells.values() for form in seen]
        n_capitalised = sum(form[:1].isupper() for form in forms)
        if n_capitalised > len(forms) - n_capitalised:
            return nouns
        lowercased: dict[str, Cells] = {}
        for lemma, cells in nouns.items():
            for cell, seen in cells.items():
                counts = lowercased.setdefault(lemma, {}).setdefault(cell, Counter())
                for form, n in seen.items():
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
        # A frequent noun needs only one use of its rarer number: rules supply other forms.
        min_rarer = 1 if n >= LIMIT["noun_filled"] else LIMIT["noun_each"]
        return (
            lemma.lower() not in self.language.collective
            and n_rarer >= min_rarer
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
        usable = usable_forms_of(self.counts.analyses, frozenset(OPEN_TAGS), self.code, {})
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
                and (cell not in self._citation_cells or form.lower() == _form_of(lemma).lower())
                and (form, lemma) in self._drawable_forms
                and not form.endswith(tuple(self.language.bound_endings.get(cell.case, ())))
                # A form that rarely has this number and case may be mistagged.
                and uses(form, "NOUN", cell.number, cell.case)
                >= LIMIT["noun_cell"] * uses(form, "NOUN")
                and not self._filler.contradicts(lemma, cell, filled)
            )
            return filled if is_reliable else None
        if cell in self._citation_cells:
            return FilledForm(_form_of(lemma), RULE, 0)
        if cell.case in LOCAL and all(cell.case != other.case for other in cells):
            return None  # Basque forms the local cases of animate nouns differently
        gender, _ = self.gender(lemma)
        is_weak = gender == "Masc" and lemma.endswith(tuple(self.language.weak))
        # No rule of other nouns fits the oblique singular of a weak noun (German *den Experten*).
        by_rules = not is_weak or cell.number == "Plur" or cell.case == "Nom"
        entries = {"Case": cell.case, "Definite": cell.definite}
        feats = "|".join(f"{name}={value}" for name, value in entries.items() if value)
        return self._filler.fill(lemma, cell, lemma, "NOUN", feats, by_rules=by_rules)

    @cached_property
    def _citation_cells(self) -> frozenset[Cell]:
        """The cells, such as the nominative singular, whose forms are nearly always the lemma."""
        seen: defaultdict[Cell, Counter[bool]] = defaultdict(Counter)
        for lemma, cells in self.cells.items():
            for cell, forms in cells.items():
                form, _ = most_used(forms)
                seen[cell][form.lower() == _form_of(lemma).lower()] += 1
        return frozenset(
            cell
            for cell, is_lemma in seen.items()
            if is_lemma[True] >= LIMIT["citation"] * is_lemma.total()
        )

    def pair(self, lemma: str, case: str, definite: str) -> dict[str, FilledForm] | None:
        """Return number → form of a noun in a case, or `None` unless both forms are known, differ,
        begin with the same two letters, and are unambiguous in number."""
        singular, plural = (self.form(lemma, Cell(number, case, definite)) for number in NUMBERS)
        if singular is None or plural is None:
            return None
        lowercase = singular.form.lower(), plural.form.lower()
        begin_alike = lowercase[0][:2] == lowercase[1][:2]
        if not self.language.differ(*lowercase) or not begin_alike:
            return None
        n = sum(seen.total() for seen in self.cells[lemma].values())
        is_oblique = case not in (*CONTROLLING, "Acc")
        if is_oblique and max(singular.n, plural.n) > LIMIT["one_form"] * n:
            return None  # a relational noun, used as a postposition: *ellentétben*, *puolella*
        if any(self._is_in_both_numbers(form, case) for form in lowercase):
            return None
        return {"Sing": singular, "Plur": plural}

    def _is_in_both_numbers(self, form: str, case: str) -> bool:
        """Tell whether nouns use a form both as a singular and as a plural of a case, and the rarer
        use is not just an error of annotation."""
        uses = [self.counts.uses(form, "NOUN", number, case) for number in NUMBERS]
        n_rarer, n_commoner = sorted(uses)
        return n_rarer >= 1 and n_rarer >= 0.1 * n_commoner

    # readings

    def looks_like_object(self, lemma: str, case: str, definite: str) -> bool:
        """Tell whether a noun that is a subject in this case may be read as an object, in either
        number, because its form is also an accusative."""
        if case not in ("Nom", ""):  # "": nouns of the language have no case
            return False
        objects = self.counts.object_cases
        if case and objects[case] >= LIMIT["object_case"] * objects.total():
            return True
        if case and not self._accusative_is_nominative:
            return False  # no noun of the language has an accusative
        cells = self.cells[lemma]
        for number in NUMBERS:
            forms = cells.get(Cell(number, case, definite), ())
            if any(self.counts.uses(form, "NOUN", case="Acc") for form in forms):
                return True
            # A form that the treebank lacks is judged by other nouns of its gender and number; if
            # there are none, it may be read as an object.
            noun_class = self.gender(lemma), number
            is_unseen = not forms or Cell(number, "Acc", definite) not in cells
            if is_unseen and self._accusative_is_nominative.get((*noun_class, ""), True):
                return True
            # Another accusative may be just a variant: Latin *urbis* beside *urbes*.
            if any(self._accusative_is_nominative.get((*noun_class, form[-2:])) for form in forms):
                return True
        return False

    @cached_property
    def _accusative_is_nominative(self) -> dict[tuple[tuple[str, str], str, str], bool]:
        """((gender, animacy), number, last two letters of the nominative, or "" for all) → whether
        nouns often have the same form in the nominative as in the accusative."""
        counts: defaultdict[tuple[tuple[str, str], str, str], Counter[bool]] = defaultdict(Counter)
        for lemma, cells in self.cells.items():
            for cell, seen in cells.items():
                accusative = cells.get(cell._replace(case="Acc"))
                if cell.case == "Nom" and accusative:
                    is_alike = not set(seen).isdisjoint(accusative)
                    for ending in {"", *(form[-2:] for form in seen)}:
                        counts[self.gender(lemma), cell.number, ending][is_alike] += 1
        share = LIMIT["syncretism"]
        return {key: alike[True] >= share * alike.total() for key, alike in counts.items()}

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


def _form_of(lemma: str) -> str:
    """Return a lemma as it is spelled in texts: Finnish ones show by `#` where compounds join."""
    return lemma.replace("#", "")
