"""What composed sentences can begin with before the subject: a matrix clause, a fronted phrase.

In *The editors say that the report near the candidates* the first noun is not the one that the
target agrees with, so that "agree with the first noun" does not solve a set with such cells.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ._predicates import PredicateParadigm
from .blocks import NounPool, Phrases, SetMaterial
from .phrase import COMMA, ComposedWord, Modifier, definite_of, has_article, n_governed, with_role
from .suffixes import most_used
from .thresholds import LIMIT
from .treebank_counts import LOCAL, NUMBERS, Cell, Kind, NounPosition

FIRST = "first"  # the role of a noun before the subject


@dataclass(frozen=True)
class MatrixClause:
    """The beginning of a sentence that a complement clause follows: a verb and a subordinator, as
    in *The editors say that*; its subject is chosen for each set."""

    verb: PredicateParadigm
    kind: Kind  # what agrees, in which feature, with subjects in which case
    subordinator: str  # lemma
    comma: bool  # before the subordinator
    n: int  # uses of the verb with it

    @property
    def name(self) -> str:
        """Return the verb and the subordinator: `say that`."""
        return f"{self.verb.predicate.lemma} {self.subordinator}"


@dataclass(frozen=True)
class Openings:
    """The matrix clauses and fronted phrases that the sentences of a language can begin with."""

    material: SetMaterial

    @cached_property
    def clauses(self) -> tuple[MatrixClause, ...]:
        """The matrix clauses in the present tense or, if few verbs have a present, in the present
        and past; one for each verb and subordinator, sorted by these. Of several forms of a verb
        (conjugations, aspects) the most frequent is used."""
        counts, rules = self.material.counts, self.material.rules
        marks = self._subordinators()
        main_mark = max(marks, key=lambda mark: counts.complementisers[mark]["n"], default="")
        tables: dict[str, dict[tuple[str, str], MatrixClause]] = {"Pres": {}, "Past": {}}
        for verb, tense, kind in self._matrix_verbs():
            lemma = verb.predicate.lemma
            for mark, has_comma in marks.items():
                is_listed = lemma in rules.matrix and mark == main_mark
                best = tables[tense].get((lemma, mark))
                is_best = best is None or best.verb.n < verb.n
                if is_best and (is_listed or self._is_matrix(lemma, mark)):
                    n = counts.complements[lemma, mark]["n"]
                    tables[tense][lemma, mark] = MatrixClause(verb, kind, mark, has_comma, n)
        present, past = tables["Pres"], tables["Past"]
        chosen = present if len(present) >= LIMIT["matrix_present"] else past | present
        return tuple(chosen[key] for key in sorted(chosen))

    def _matrix_verbs(self) -> Iterator[tuple[PredicateParadigm, str, Kind]]:
        """Yield the active verbs that matrix clauses can have, each with its tense (`Pres` or
        `Past`) and its kind."""
        rules = self.material.rules
        tenses = ("Pres", "Past") if rules.past_matrix else ("Pres",)
        for kind in self.material.kinds:
            if kind.target not in ("verb", "participle") or kind.feature != "Number":
                continue
            verbs, _ = self.material.predicates.usable_paradigms(kind, matrix=True)
            for verb in verbs:
                feats = verb.predicate.entries
                tense = feats.get("Tense", "Pres" if kind.target == "participle" else "")
                if (
                    verb.predicate.upos == "VERB"
                    and feats.get("Voice") != "Pass"
                    # Hungarian verbs are definite before a clause.
                    and feats.get("Definite", "Def") == "Def"
                    and verb.predicate.lemma not in rules.no_matrix
                    and tense in tenses
                ):
                    yield verb, tense, kind

    def _subordinators(self) -> dict[str, bool]:
        """Return the frequent subordinators of complement clauses: lemma → whether a comma precedes
        it."""
        table = self.material.counts.complementisers
        total = sum(seen["n"] for seen in table.values())
        return {
            mark: seen["comma"] >= LIMIT["mark_comma"] * seen["n"]
            for mark, seen in sorted(table.items())
            if seen["n"] >= LIMIT["mark_share"] * total and mark not in self.material.rules.dated
        }

    def _is_matrix(self, lemma: str, mark: str) -> bool:
        """Tell whether a verb can be that of a matrix clause: with the subordinator `mark` it takes
        clauses in the indicative, and it needs no further complement."""
        counts = self.material.counts
        uses, frame = counts.complements[lemma, mark], counts.frames[lemma]
        n = uses["n"]
        is_single = n == 1 and frame["clause"] >= 2  # seen once with this subordinator
        min_bare = 1 if is_single else 2
        min_share = LIMIT["matrix_single" if is_single else "matrix_complement"]
        keeps_subjunctive = self.material.code == "de"  # there it marks reported speech
        return (
            uses["bare"] >= max(min_bare, LIMIT["matrix_bare"] * n)
            and (keeps_subjunctive or uses["subjunctive"] <= LIMIT["matrix_subjunctive"] * n)
            and (self._has_subjunctive or uses["conditional"] <= LIMIT["matrix_conditional"] * n)
            and uses["future"] <= LIMIT["matrix_future"] * n
            and uses["adjacent"] >= LIMIT["matrix_adjacent"] * n
            and uses["negated"] <= LIMIT["matrix_negated"] * n
            and uses["personal"] >= max(1, LIMIT["matrix_personal"] * n)
            and frame["clause"] >= min_share * frame["n"]
        )

    @cached_property
    def _has_subjunctive(self) -> bool:
        """True if complement clauses of the language are in the subjunctive often enough."""
        complements = self.material.counts.complements.values()
        return sum(uses["subjunctive"] for uses in complements) >= LIMIT["subjunctives"]

    @cached_property
    def fronts(self) -> dict[Modifier, NounPool]:
        """The phrases that can begin a main clause, before its subject (Russian *в домах*), each
        with the nouns that it may have."""
        material, counts = self.material, self.material.counts
        fronts: dict[Modifier, NounPool] = {}
        with_articles = any(has_article(material.subject(kind.case)) for kind in material.kinds)
        for position, seen in sorted(counts.fronts.items()):
            anywhere, n_straight = counts.positions[position], seen["straight"]
            n, article = anywhere.numbers.total(), has_article(anywhere)
            # the share of uses at the beginning, times the share that no head seems to require
            free_share = seen["n"] / n * (1 - n_governed(counts, anywhere) / n)
            if (
                (not position.adposition and position.case not in LOCAL)
                or position.adposition in material.rules.no_front
                or n_straight < LIMIT["front_straight"] * seen["n"]
                or anywhere.uses["single"] < LIMIT["modifier_singular"] * n
                or (n_straight < LIMIT["front_many"] and free_share < LIMIT["front_share"])
                or (with_articles and not article
                    and not material.writer.is_attached(position.adposition))
            ):  # fmt: skip
                continue
            comma = material.rules.front_comma or seen["comma"] > LIMIT["front_comma"] * seen["n"]
            definite = definite_of(anywhere, prefer_definite=not position.adposition)
            front = Modifier(position, article, definite, seen["n"], n_straight, comma=comma)
            lemmas = counts.front_nouns[position] & material.pairs(position.case, definite).keys()
            pool = material.pool(front, sorted(lemmas), FIRST)
            if len(pool) >= LIMIT["front_nouns"]:
                fronts[front] = pool
        return fronts

    def front_words(self, front: Modifier, noun: str) -> Phrases:
        """Return number of the noun → the words of a fronted phrase with this noun, and the comma
        after the phrase if the language has one."""
        comma = [COMMA] if front.comma else []
        return {number: [*words, *comma] for number, words in self.fronts[front][noun].items()}

    def clause_words(self, clause: MatrixClause, lemma: str, mark: str, after: Phrases) -> Phrases:
        """Return number → the words of a matrix clause with this subject, from the subject to the
        subordinator.

        Args:
            clause: its verb must have forms that agree with the subject.
            lemma: the subject's noun.
            mark: form of the subordinator.
            after: number → what stands between subject and verb; empty for nothing.
        """
        predicate = clause.verb.predicate
        forms = clause.verb.pair(self.material.nouns.gender(lemma))
        assert forms is not None
        end = [COMMA] if clause.comma else []
        end.append(ComposedWord(mark, "SCONJ", lemma=clause.subordinator))
        words: dict[str, list[ComposedWord]] = {}
        for number, phrase in self.material.subjects[clause.kind.case][lemma].items():
            feats = predicate.feats_with(f"Number={number}")
            verb = ComposedWord(forms[number].form, "VERB", feats, lemma=predicate.lemma)
            words[number] = [*with_role(phrase, FIRST), *after.get(number, ()), verb, *end]
        return words

    def subordinator_form(self, lemma: str, following: str) -> str | None:
        """Return the form that a subordinator has before the word `following`, or else the form
        that predominates before all words; `None` if none does."""
        seen = self.material.counts.complementiser_forms[lemma]
        chosen = self.material.writer.form_before(seen, following)
        if chosen is not None:
            return chosen
        uses: Counter[str] = Counter()  # of each form: German *daß* beside *dass*
        for (form, _), n in seen.items():
            uses[form] += n
        form, n = most_used(uses)
        return form if n >= LIMIT["mark_form"] * uses.total() else None

    def can_follow(self, front: Modifier, head: str, case: str) -> bool:
        """Tell whether a head right after a fronted phrase can only be a subject, not a genitive of
        the phrase: Russian *В домах мужчины* is also *in the man's houses*."""
        material = self.material
        genitives = material.counts.positions.get(NounPosition("nmod", "", False, "Gen"))
        if genitives is None or genitives.numbers.total() < LIMIT["modifier_heads"]:
            return True
        definite = material.definite(case)
        forms = {filled.form.lower() for filled in material.pairs(case, definite)[head].values()}
        for number in NUMBERS:
            cell = Cell(number, "Gen", definite)
            genitive = material.nouns.form(head, cell)
            if genitive is None:
                return False  # it might be like the head's form
            seen = {form.lower() for form in material.nouns.cells[head].get(cell, ())}
            if not forms.isdisjoint({genitive.form.lower(), *seen}):
                return False
        return True
