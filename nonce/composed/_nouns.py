"""Nouns that may stand in composed sets, and their forms in the cells asked for."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from ...data.items.features import parse_feats, with_value
from ..variants.frames.usable_forms import UsableForms, is_word, usable_forms_of
from ._language_facts import CompositionRules
from ._treebank_counts import LOCAL, NounCell, TreebankCounts, case_of
from .suffixes import NUMBERS, TREEBANK, FilledForm, SuffixRules, change, elected, from_word_list
from .thresholds import T

if TYPE_CHECKING:
    from ...miner.originals.unimorph.wordlist import UniMorph

CLOSED = ("ADP", "ADV", "AUX", "CCONJ", "DET", "NUM", "PART", "PRON", "SCONJ")


@dataclass
class Nouns:
    """The nouns of a treebank that may stand in a composed set."""

    harvest: TreebankCounts
    usable_forms: UsableForms
    language: CompositionRules
    unimorph: "UniMorph | None" = None
    _rules: dict[tuple[NounCell, NounCell], SuffixRules] = field(default_factory=dict)
    _genders: dict[str, tuple[str, str]] = field(default_factory=dict)

    @cached_property
    def cells(self) -> dict[str, dict[NounCell, Counter[str]]]:
        """Lemma → cell → forms, in small letters where the language writes nouns so."""
        capitals = Counter(
            form[:1].isupper()
            for cells in self.harvest.nouns.values()
            for seen in cells.values()
            for form in seen
        )
        if capitals[True] > capitals[False]:
            return self.harvest.nouns
        table: dict[str, dict[NounCell, Counter[str]]] = {}
        for lemma, cells in self.harvest.nouns.items():
            for cell, seen in cells.items():
                small = table.setdefault(lemma, {}).setdefault(cell, Counter())
                for form, n in seen.items():
                    small[form.lower()] += n
        return table

    @cached_property
    def usable(self) -> tuple[str, ...]:
        """Lemmas of common nouns: frequent enough, of one gender, seldom names, in both numbers."""
        lemmas = []
        for lemma, cells in self.cells.items():
            n_tokens = sum(seen.total() for seen in cells.values())
            numbers = self._numbers(lemma)
            genders = self.harvest.noun_feats[lemma]
            is_rare = min(numbers[number] for number in NUMBERS) < T["noun_each"]
            if (
                lemma.lower() not in self.language.collective
                and n_tokens >= T["noun_tokens"]
                and not (is_rare and n_tokens < T["noun_filled"])
                and min(numbers[number] for number in NUMBERS) >= 1
                and numbers["Plur"] >= T["noun_plural"] * (numbers["Sing"] + numbers["Plur"])
                and max(genders.values()) >= T["noun_gender"] * n_tokens
                and self._is_common(lemma)
                and self._function_words[lemma] < n_tokens
            ):
                lemmas.append(lemma)
        return tuple(sorted(lemmas))

    def gender(self, lemma: str) -> tuple[str, str]:
        """Return (gender, animacy) of a noun, as most of its uses have it."""
        if lemma not in self._genders:
            seen = self.harvest.noun_feats[lemma]
            self._genders[lemma] = max(sorted(seen), key=seen.__getitem__)
        return self._genders[lemma]

    def form(self, lemma: str, cell: NounCell) -> FilledForm | None:
        """A noun's form in a cell; none where it is neither seen nor sure."""
        cells = self.cells[lemma]
        seen = cells.get(cell)
        if seen:
            form, n = max(sorted(seen.items()), key=lambda entry: entry[1])
            top = n >= T["noun_top"] * seen.total()
            good = is_word(form) and (form, lemma) in self._usable_nouns
            good = good and not self._is_odd(cell, form) and self._is_plain(lemma, cell, form, n)
            return FilledForm(form, TREEBANK, n) if top and good else None
        if cell.case in LOCAL and all(cell.case != seen_cell.case for seen_cell in cells):
            return None  # Basque has other forms for who lives
        weak = self.gender(lemma)[0] == "Masc" and lemma.endswith(tuple(self.language.weak))
        if weak and cell.number == "Sing" and cell.case != "Nom":
            return self._from_list(lemma, cell)
        return self._from_list(lemma, cell) or self._from_rules(lemma, cell)

    def _from_list(self, lemma: str, cell: NounCell) -> FilledForm | None:
        """The form of a cell by the word list, from that of the other number."""
        counterpart = cell._replace(number="Plur" if cell.number == "Sing" else "Sing")
        forms = self.cells[lemma].get(counterpart)
        if self.unimorph is None or not forms:
            return None
        entries = {"Case": cell.case, "Definite": cell.definite}
        feats = "|".join(f"{name}={value}" for name, value in entries.items() if value)
        feats = with_value(feats or "_", "Number", counterpart.number)
        form = max(sorted(forms), key=forms.__getitem__)
        return from_word_list(self.unimorph, form, lemma, "NOUN", feats, cell.number)

    def _from_rules(self, lemma: str, cell: NounCell, seen: str = "") -> FilledForm | None:
        """The form of a cell by the rules from other cells. `seen`: a form that is checked, whose
        own evidence is left out."""
        votes: Counter[str] = Counter()
        cells, gender = self.cells[lemma], "|".join(self.gender(lemma))
        floor = T["rule_against" if seen else "rule_consistency"]
        for source in sorted(cells):
            form = max(sorted(cells[source]), key=cells[source].__getitem__)
            if source == cell or not is_word(form):
                continue
            without = change(form, seen) if seen else None
            rules = self.rules(source, cell)
            predicted = rules.predict(gender, form, without, floor) if rules.is_sound else ""
            if not predicted and source.number == cell.number and source.case in ("Nom", "Abs", ""):
                rules = self.pooled(source, cell)
                predicted = rules.predict(gender, form, without, floor) if rules.is_sound else ""
            votes[predicted] += bool(predicted)
        del votes[""]
        return elected(votes)

    def _is_plain(self, lemma: str, cell: NounCell, form: str, n: int) -> bool:
        """Whether nothing tells that a form is mistagged: it is seldom of another cell, and what
        rules say of the cell is the same."""
        of_form = self._by_form[form.lower()]
        if of_form[f"{cell.number} {cell.case}"] < T["noun_cell"] * of_form.total():
            return False
        predicted = self._from_rules(lemma, cell, form) if n < T["against"] else None
        return predicted is None or predicted.form.lower() == form.lower()

    def _is_odd(self, cell: NounCell, form: str) -> bool:
        """Whether a form of a cell stands after certain adpositions alone."""
        return form.endswith(tuple(self.language.bound_endings.get(cell.case, ())))

    def pair(self, lemma: str, case: str, definite: str) -> dict[str, FilledForm] | None:
        """A noun's forms in both numbers, if they differ and share their beginning."""
        forms = {number: self.form(lemma, NounCell(case, number, definite)) for number in NUMBERS}
        singular, plural = forms["Sing"], forms["Plur"]
        if singular is None or plural is None:
            return None
        sing, plur = singular.form.lower(), plural.form.lower()
        if sing == plur or sing[:2] != plur[:2]:
            return None
        if case not in ("", "Nom", "Abs", "Erg", "Acc") and any(
            filled.n > T["one_form"] * self._n(lemma) for filled in (singular, plural)
        ):
            return None  # relational: *ellentétben*, *puolella*
        if self._in_both_numbers(sing, case) or self._in_both_numbers(plur, case):
            return None
        return {"Sing": singular, "Plur": plural}

    def rules(self, source: NounCell, cell: NounCell) -> SuffixRules:
        """The suffix rules from one cell to another, by gender."""
        key = (source, cell)
        if key not in self._rules:
            pairs = []
            for lemma, cells in self.cells.items():
                if source in cells and cell in cells:
                    source_form, target_form = (
                        max(sorted(cells[side]), key=cells[side].__getitem__) for side in key
                    )
                    pairs.append(("|".join(self.gender(lemma)), source_form, target_form))
            self._rules[key] = SuffixRules(pairs)
        return self._rules[key]

    def pooled(self, source: NounCell, cell: NounCell) -> SuffixRules:
        """The suffix rules from one case to another whatever the number: many languages have one
        suffix a case, after that of number."""
        key = (source._replace(number=""), cell._replace(number=""))
        if key not in self._rules:
            pairs = []
            for lemma, cells in self.cells.items():
                gender = "|".join(self.gender(lemma))
                for number in NUMBERS:
                    sources, targets = (cells.get(side._replace(number=number)) for side in key)
                    if sources and targets:
                        form = max(sorted(sources), key=sources.__getitem__)
                        pairs.append((gender, form, max(sorted(targets), key=targets.__getitem__)))
            self._rules[key] = SuffixRules(pairs)
        return self._rules[key]

    def looks_like_object(self, lemma: str, case: str, definite: str) -> bool:
        """Whether the noun's controlling case may look like an object's, in either number."""
        if case not in ("Nom", ""):
            return False
        objects = self.harvest.object_cases
        if case and objects[case] >= T["object_case"] * objects.total():
            return True
        if case and not self._syncretism:
            return False  # no noun of the language has an accusative
        for number in NUMBERS:
            forms = self.cells[lemma].get(NounCell(case, number, definite), ())
            if any(self._is_seen_in("Acc", form) for form in forms):
                return True
            unseen = not forms or NounCell("Acc", number, definite) not in self.cells[lemma]
            if unseen and self._syncretism.get((self.gender(lemma), number), True):
                return True
        return False

    def _is_seen_in(self, case: str, form: str) -> bool:
        """Tell whether a form of a noun, also of another lemma, is used in a case: Ukrainian
        *критики* is critics, and of criticism."""
        seen = self._by_form.get(form.lower(), Counter[str]())
        return any(seen[f"{number} {case}"] for number in NUMBERS)

    def may_be_in(self, cases: Sequence[str], lemma: str, case: str, definite: str) -> bool:
        """Tell whether a form of a noun in a case, in either number, is also one in another."""
        own = {
            form.form.lower()
            for number in NUMBERS
            if (form := self.form(lemma, NounCell(case, number, definite))) is not None
        }
        for other in cases:
            for number in NUMBERS:
                cell = NounCell(other, number, definite)
                filled = None if cell in self.cells[lemma] else self.form(lemma, cell)
                if filled and filled.form.lower() in own:
                    return True
        return any(self._is_seen_in(other, form) for other in cases for form in own)

    def is_adverbial(self, lemma: str) -> bool:
        """Whether a noun may stand without an adposition for a time or a measure."""
        n = self.harvest.adverbials[lemma]
        return n > 0 and n > T["adverbial"] * self._n(lemma)

    @cached_property
    def _syncretism(self) -> dict[tuple[tuple[str, str], str], bool]:
        table: dict[tuple[tuple[str, str], str], Counter[bool]] = {}
        for lemma, cells in self.cells.items():
            for cell, seen in cells.items():
                accusative = cells.get(cell._replace(case="Acc"))
                if cell.case == "Nom" and accusative:
                    count = table.setdefault((self.gender(lemma), cell.number), Counter())
                    count[not set(seen).isdisjoint(accusative)] += 1
        return {key: count[True] >= T["syncretism"] * count.total() for key, count in table.items()}

    @cached_property
    def _function_words(self) -> Counter[str]:
        """Lemma → its uses as a word of a closed class: Basque *zer* is no noun."""
        seen: Counter[str] = Counter()
        for (_, lemma, upos, _), n in self.harvest.analyses.items():
            seen[lemma] += n * (upos in CLOSED)
        return seen

    @cached_property
    def _usable_nouns(self) -> frozenset[tuple[str, str]]:
        return frozenset(
            (form, lemma) for form, lemma, upos, _ in self.usable_forms.analyses if upos == "NOUN"
        )

    @cached_property
    def _by_form(self) -> dict[str, Counter[str]]:
        """Small form → number and case of its uses as a noun, "PROPN" for those as a name."""
        table: dict[str, Counter[str]] = {}
        for (form, _, upos, feats), n in self.harvest.analyses.items():
            if upos in ("NOUN", "PROPN"):
                seen = table.setdefault(form.lower(), Counter())
                entries = parse_feats(feats)
                use = f"{entries.get('Number', '')} {case_of(entries)}"
                seen[use if upos == "NOUN" else upos] += n
        return table

    def _in_both_numbers(self, form: str, case: str) -> bool:
        """Whether a form is used in both numbers of a case."""
        seen = self._by_form.get(form, Counter[str]())
        rarer, commoner = sorted(seen[f"{number} {case}"] for number in NUMBERS)
        return rarer >= 1 and rarer >= 0.1 * commoner

    def _is_common(self, lemma: str) -> bool:
        """Whether the forms of a lemma are seldom names, and mostly of no other lemma."""
        seen: Counter[str] = Counter()
        for counts in self.cells[lemma].values():
            for form in counts:
                seen += self._by_form.get(form.lower(), Counter())
        names = seen.pop("PROPN", 0)
        return (
            names < T["noun_name"] * (names + seen.total())
            and self._n(lemma) >= T["noun_own"] * seen.total()
        )

    def _numbers(self, lemma: str) -> Counter[str]:
        numbers: Counter[str] = Counter()
        for cell, seen in self.cells[lemma].items():
            numbers[cell.number] += seen.total()
        return numbers

    def _n(self, lemma: str) -> int:
        return self._numbers(lemma).total()


def usable_content_forms(harvest: TreebankCounts, language: str) -> UsableForms:
    """Which forms may be drawn at all."""
    content = frozenset({"NOUN", "VERB", "ADJ"})
    return usable_forms_of(harvest.analyses, content, language, {})
