"""What composed sentences can begin with before the subject: a matrix clause, a fronted phrase.

In *The editors say that the report near the candidates* the first noun is not the one that the
target agrees with, so that "agree with the first noun" is no answer to a set with such cells.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...data.items.features import parse_feats
from ._predicates import PredicateParadigm, targets
from ._treebank_counts import LOCAL, NounCell, NounPosition, SubordinatorCounts
from .blocks import NounPool, SetMaterial, in_both_numbers
from .phrase import ComposedWord, Modifier, definite_of, has_article, n_governed
from .suffixes import NUMBERS
from .thresholds import T

FIRST = "first"  # the role of a noun before the subject
COMMA = ComposedWord(",", "PUNCT", "_", "", ",")


@dataclass(frozen=True)
class MatrixClause:
    """A verb that has a clause as its complement, with the subordinator of this."""

    verb: PredicateParadigm
    case: str  # of its subject
    subordinator: str  # its lemma
    comma: bool  # before the subordinator
    n: int  # uses of the verb with it

    @property
    def name(self) -> str:
        """The verb and the subordinator: `say that`."""
        return f"{self.verb.predicate.lemma} {self.subordinator}"


@dataclass(frozen=True)
class Openings:
    """The matrix clauses and fronted phrases that the sentences of a language can begin with."""

    material: SetMaterial

    @cached_property
    def clauses(self) -> tuple[MatrixClause, ...]:
        """The matrix clauses, in the present, or also in the past where few verbs have one."""
        harvest, rules = self.material.harvest, self.material.rules
        marks = _complementisers(harvest.complementisers, rules.dated)
        main = max(marks, key=lambda mark: harvest.complementisers[mark].n, default="")
        present: dict[tuple[str, str], MatrixClause] = {}
        past: dict[tuple[str, str], MatrixClause] = {}
        for kind in self.material.kinds:
            if kind.target not in ("verb", "participle") or kind.feature != "Number":
                continue
            verbs, _ = targets(harvest, kind, rules, self.material.unimorph, matrix=True)
            for verb in verbs:
                feats = parse_feats(verb.predicate.feats.partition("@")[0].strip("|") or "_")
                lemma = verb.predicate.lemma
                if (
                    verb.predicate.upos != "VERB"
                    or feats.get("Voice") == "Pass"
                    or feats.get("Definite", "Def") != "Def"
                    or lemma in rules.no_matrix
                ):
                    continue
                table = present
                if feats.get("Tense", "Pres" if kind.target == "participle" else "") != "Pres":
                    table = past
                    if feats.get("Tense") != "Past" or not rules.past_matrix:
                        continue
                for mark, comma in marks.items():
                    n = harvest.complements[lemma, mark].n
                    is_listed = lemma in rules.matrix and mark == main
                    if is_listed or self._is_matrix(lemma, mark):
                        clause = MatrixClause(verb, kind.case, mark, comma, n)
                        best = table.get((lemma, mark))
                        if best is None or best.verb.n < verb.n:
                            table[lemma, mark] = clause
        chosen = present if len(present) >= T["matrix_present"] else past | present
        return tuple(chosen[key] for key in sorted(chosen))

    def _is_matrix(self, lemma: str, mark: str) -> bool:
        """Tell whether a verb takes a clause in the indicative and needs nothing else."""
        harvest = self.material.harvest
        uses, frame = harvest.complements[lemma, mark], harvest.frames[lemma]
        n, moods = uses.n, uses.moods
        once = n == 1 and frame.n_clause >= 2
        share = T["matrix_single" if once else "matrix_complement"]
        keeps_subjunctive = self.material.language.partition("-")[0] == "de"  # reported speech
        return (
            n >= 1
            and (once or n - moods["Sub"] >= T["matrix_indicative"])
            and (keeps_subjunctive or moods["Sub"] <= T["matrix_subjunctive"] * n)
            and (self._has_subjunctive or moods["Cnd"] <= T["matrix_conditional"] * n)
            and uses.n_future <= T["matrix_future"] * n
            and uses.n_bare >= T["matrix_bare"] * n
            and (once or uses.n_bare >= 2)
            and uses.n_adjacent >= T["matrix_adjacent"] * n
            and uses.n_negated <= T["matrix_negated"] * n
            and uses.n_personal >= max(1, T["matrix_personal"] * n)
            and frame.n_clause >= share * frame.n
        )

    @cached_property
    def _has_subjunctive(self) -> bool:
        seen = sum(uses.moods["Sub"] for uses in self.material.harvest.complements.values())
        return seen >= T["subjunctives"]

    @cached_property
    def fronts(self) -> dict[Modifier, NounPool]:
        """The phrases that can begin a main clause whose subject follows, with their nouns."""
        material, harvest = self.material, self.material.harvest
        fronts: dict[Modifier, NounPool] = {}
        with_articles = any(has_article(material.subject(kind.case)) for kind in material.kinds)
        for position, seen in sorted(harvest.fronts.items()):
            uses = harvest.positions[position]
            n, straight = uses.numbers.total(), seen.n_subject_first
            floor = T["front_straight_many" if straight >= 8 else "front_straight"]
            article = has_article(uses)
            attached = harvest.attached.get(position.adposition, Counter[bool]())
            if (
                (not position.adposition and position.case not in LOCAL)
                or position.adposition in material.rules.no_front
                or straight < T["front_uses"]
                or straight < floor * seen.n
                or uses.single[True] < T["modifier_singular"] * n
                or (straight < T["front_many"]
                    and seen.n / n * (1 - n_governed(harvest, uses) / n) < T["front_share"])
                or (with_articles and not article
                    and attached[True] < T["contraction"] * attached.total())
            ):  # fmt: skip
                continue
            comma = material.rules.front_comma or seen.n_comma > T["front_comma"] * seen.n
            definite = definite_of(uses, prefer_definite=not position.adposition)
            front = Modifier(position, article, definite, seen.n, straight, comma=comma)
            pool = in_both_numbers({
                lemma: {number: self._front_words(front, lemma, number) for number in NUMBERS}
                for lemma in seen.nouns
                if lemma in material.pairs(position.case, definite)
            })  # fmt: skip
            if len(pool) >= T["front_nouns"]:
                fronts[front] = pool
        return fronts

    def _front_words(self, front: Modifier, lemma: str, number: str) -> list[ComposedWord] | None:
        words = self.material.phrase(front, lemma, number, FIRST)
        return words and [*words, *([COMMA] if front.comma else [])]

    def matrix_subjects(self, clause: MatrixClause) -> Mapping[str, dict[str, list[ComposedWord]]]:
        """Return the nouns that can be the subject of a matrix clause, as words in both numbers."""
        return self.material.subjects(clause.case)

    def clause_words(
        self, clause: MatrixClause, lemma: str, mark: str, after: Mapping[str, list[ComposedWord]]
    ) -> dict[str, list[ComposedWord]] | None:
        """Return a matrix clause with a subject in both numbers, up to the subordinator `mark`;
        `None` where the verb has no forms for it. `after`: what follows the subject, by number."""
        forms = clause.verb.pair(self.material.nouns.gender(lemma))
        if forms is None:
            return None
        words: dict[str, list[ComposedWord]] = {}
        predicate = clause.verb.predicate
        bare_feats = predicate.feats.rpartition("@")[0].strip("|")
        for number, phrase in self.material.subjects(clause.case)[lemma].items():
            subject = [word._replace(role=FIRST) if word.role else word for word in phrase]
            feats = "|".join(sorted(filter(None, (bare_feats, f"Number={number}"))))
            verb = ComposedWord(forms[number].form, "VERB", feats, "", predicate.lemma)
            subordinator = ComposedWord(mark, "SCONJ", "_", "", clause.subordinator)
            comma = [COMMA] if clause.comma else []
            words[number] = [*subject, *after.get(number, ()), verb, *comma, subordinator]
        return words

    def subordinator_form(self, lemma: str, following: str) -> str | None:
        """Return the form of a subordinator before a word; `None` where none is usual."""
        seen = self.material.harvest.complementisers[lemma].forms
        shape = self.material.writer.shape(seen, following)
        if shape is not None:
            return shape
        forms: Counter[str] = Counter()
        for (form, _), n in seen.items():
            forms[form] += n
        form, n = max(sorted(forms.items()), key=lambda entry: entry[1])
        return form if n >= T["mark_form"] * forms.total() else None

    @cached_property
    def _genitives_follow(self) -> bool:
        """True where nouns have bare genitives after them, as which a subject might be read."""
        uses = self.material.harvest.positions.get(NounPosition("nmod", "", False, "Gen"))
        return uses is not None and uses.numbers.total() >= T["modifier_heads"]

    def can_follow(self, front: Modifier, head: str, case: str) -> bool:
        """Tell whether a head after a fronted phrase can only be a subject: where genitives follow
        nouns, *В домах мужчины* is in the man's houses."""
        if not self._genitives_follow:
            return True
        material = self.material
        definite = material.definite(case)
        own = {form.form.lower() for form in material.pairs(case, definite)[head].values()}
        for number in NUMBERS:
            genitive = NounCell("Gen", number, definite)
            filled = material.nouns.form(head, genitive)
            seen = {form.lower() for form in material.nouns.cells[head].get(genitive, ())}
            if filled is None or filled.form.lower() in own or not own.isdisjoint(seen):
                return False
        return True


def _complementisers(
    seen: Mapping[str, SubordinatorCounts], dated: Sequence[str]
) -> dict[str, bool]:
    """Return the subordinators of complement clauses, and whether a comma precedes each."""
    total = sum(counts.n for counts in seen.values())
    return {
        mark: counts.n_comma >= T["mark_comma"] * counts.n
        for mark, counts in sorted(seen.items())
        if counts.n >= max(T["mark_uses"], T["mark_share"] * total)
        and counts.n_infinite < T["mark_infinite"] * counts.n
        and mark not in dated
    }
