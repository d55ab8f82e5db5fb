"""Counting the words and clauses of a treebank, for composed sets.

One pass over the sentences fills a `TreebankCounts`; nothing is decided here. The words counted are
syntactic words (UD), in lowercase except for nouns, whose capitals some languages need.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from ...data.items.features import parse_feats
from ...data.items.tree import Sentence
from ...miner.treebank.paradigms import MISSING, count_analyses
from ...miner.treebank.view import TreeView
from .treebank_counts import (
    CLOSED,
    CONTROLLING,
    EXCLUDED_FEATURES,
    PARADIGM_FEATURES,
    SUBJECT_CASES,
    Cell,
    Kind,
    NounPosition,
    Predicate,
    PredicateWord,
    TreebankCounts,
    case_of,
    is_number,
    tally,
)

BOUND_RELATIONS = ("compound:prt", "compound:svc")  # of words that change a verb, beside `expl`
COMPLEMENT_RELATIONS = ("obj", "iobj", "xcomp", "csubj", "compound", "expl")
SUBORDINATE_RELATIONS = ("acl", "advcl", "ccomp", "csubj")


def count_treebank(sentences: Iterable[Sentence]) -> TreebankCounts:
    """Count everything in a treebank that composed sets depend on."""
    counts = TreebankCounts()
    for sentence in sentences:
        count_analyses([sentence], counts.analyses)
        counts.count_spellings(sentence)
        _Clauses(sentence, counts).count()
    return counts


class _Clauses(TreeView):
    """A sentence whose words and clauses are being counted."""

    __slots__ = ("attached", "counts", "entries", "numbers")

    def __init__(self, sentence: Sentence, counts: TreebankCounts) -> None:
        super().__init__(sentence)
        self.counts = counts
        self.forms = tuple(form.strip("_") or form for form in sentence.forms)  # ה_ of Hebrew
        self.entries = [parse_feats(feats) for feats in sentence.feats]
        self.numbers = [list(filter(is_number, entries)) for entries in self.entries]
        # words to which the next word is attached: their forms may be bound (Hebrew *חובות|י*)
        self.attached = frozenset(
            index for token in sentence.ranges for index in range(token.first, token.last)
        )

    def article(self, index: int) -> int | None:
        """Return the index of the definite article before a noun, or `None`."""
        for child in self.dependents(index, "det"):
            feats = self.entries[child]
            is_definite = feats.get("Definite", "Def") == "Def"
            if feats.get("PronType") == "Art" and is_definite and child < index:
                return child
        return None

    def noun_class(self, index: int) -> tuple[str, str]:
        """Return the (gender, animacy) of a noun; "" for what is not marked."""
        feats = self.entries[index]
        return feats.get("Gender", ""), feats.get("Animacy", "")

    def subject(self, predicate: int) -> int | None:
        """Return the index of a predicate's nominal subject, or `None`."""
        return next(iter(self.dependents(predicate, "nsubj")), None)

    def target_sort(self, index: int) -> str:
        """Return the sort of target (word that agrees with a subject) to which a word belongs by
        its annotation: verb, participle, adjective, auxiliary or copula; "" if to none."""
        upos, form = self.upos[index], self.entries[index].get("VerbForm")
        if form == "Part":
            return "participle"
        if upos == "AUX" and form in (None, "Fin"):
            return "copula" if self.relations[index] == "cop" else "auxiliary"
        if upos == "VERB" and form in (None, "Fin"):
            return "verb"
        return "adjective" if upos == "ADJ" else ""

    def agreeing_word(self, predicate: int) -> tuple[str, int | None]:
        """Return the sort and the index of the word that agrees with a predicate's subject: the
        predicate itself, its auxiliary or its copula. Return ("", None) if no word agrees."""
        for sort, relation in (("auxiliary", "aux"), ("copula", "cop")):
            for child in self.dependents(predicate, relation):
                is_finite = self.entries[child].get("VerbForm", "Fin") == "Fin"
                if is_finite and self.numbers[child]:
                    return sort, child
        sort = self.target_sort(predicate)
        agrees = self.numbers[predicate] and not self.dependents(predicate, "aux", "cop")
        return (sort, predicate) if agrees and sort not in ("", *CLOSED) else ("", None)

    def span(self, index: int) -> tuple[int, int]:
        """Return the first and the last index of a word and all words that depend on it, directly
        or not; punctuation is left out."""
        spans = [self.span(child) for child in self.children[index] if self.upos[child] != "PUNCT"]
        firsts, lasts = [first for first, _ in spans], [last for _, last in spans]
        return min([index, *firsts]), max([index, *lasts])

    def count(self) -> None:
        """Count every word of the sentence."""
        for index, upos in enumerate(self.upos):
            if self.relations[index] == "ccomp":
                self._count_complement(index)
            if upos == "NOUN":
                self._count_noun(index)
            elif upos in ("VERB", "AUX", "ADJ"):
                self._count_predicate(index)
            elif upos == "PRON" and self.entries[index].get("Person") in ("1", "2"):
                self._count_pronoun(index)

    # nouns

    def _count_noun(self, index: int) -> None:
        """Count a common noun's form and gender, its article, and its position in the clause."""
        feats, lemma, counts = self.entries[index], self.lemmas[index], self.counts
        number = feats.get("Number", "")
        if (
            not EXCLUDED_FEATURES.isdisjoint(feats)
            or index in self.attached
            or lemma == MISSING
            or number == "Ptan"
            or "," in number
            or self.dependents(index, "flat", "goeswith", "fixed")
            or (self.relations[index] == "compound" and "Case" in feats)  # German *Friedens-*
        ):
            return
        cell = Cell(number, case_of(feats), feats.get("Definite", ""))
        counts.nouns.setdefault(lemma, {}).setdefault(cell, Counter())[self.forms[index]] += 1
        counts.genders[lemma][self.noun_class(index)] += 1
        article, marks = self.article(index), self.dependents(index, "case")
        if article is not None and article == index - 1:
            key = (number, feats.get("Gender", ""), cell.case)
            counts.articles[key][self.forms[article].lower(), self.forms[index].lower()] += 1
        if not self.dependents(index, "nummod") and len(marks) <= 1:
            self._count_position(index, cell, article, marks)

    def _count_position(
        self, index: int, cell: Cell, article: int | None, marks: Sequence[int]
    ) -> None:
        """Count a noun in its position, which depends on its adposition, case and head. Leave out
        phrases with an adposition that `_adposition` refuses.

        `article`: index of its definite article. `marks`: indices of its adpositions, one at most.
        """
        counts, adposition, is_postposed = self.counts, "", False
        if marks:
            found = self._adposition(index, article, *marks)
            if found is None:
                return
            adposition, is_postposed = found
        head, relation = self.heads[index], self.relations[index]
        if relation == "obj":
            counts.object_cases[cell.case] += 1
        if relation in ("obj", "iobj", "obl") and not marks and self.upos[head] == "VERB":
            counts.dependent_cases[cell.case] += 1
        if relation == "obl" and not marks and cell.case in ("", "Nom", "Acc"):
            counts.adverbials[self.lemmas[index]] += 1
        if relation == "nsubj" and not marks:
            kind = "subject"
        elif relation == "nmod" and head < index and self.upos[head] == "NOUN":
            kind = "nmod"
        elif relation in ("obl", "nmod"):
            kind = "obl"
        else:
            return
        position = NounPosition(kind, adposition, is_postposed, cell.case)
        seen = counts.positions[position]
        seen.heads[self.lemmas[head]] += 1
        seen.nouns.add(self.lemmas[index])
        seen.numbers[cell.number] += 1
        relations = {self.relations[child] for child in self.children[index]}
        if relations <= {"case", "det", "punct"}:  # other dependents require the article: Romanian
            seen.definite[cell.definite] += 1
        modifies_subject = kind == "nmod" and self.relations[head] == "nsubj"
        tally(
            seen.uses,
            article=article is not None,
            plain="det" not in relations,
            single=cell.number == "Sing" and "conj" not in relations,
            subject=modifies_subject and index < self.heads[head],  # before the predicate
        )
        if kind == "obl" and relation == "obl":
            self._count_oblique(index, position)

    def _adposition(self, noun: int, article: int | None, mark: int) -> tuple[str, bool] | None:
        """Count the form that a noun's adposition (at index `mark`) has before the next word.
        Return its lemma and whether it follows the noun; `None` if it is no simple adposition, or
        if words separate it from the noun and none of them depends on the noun."""
        if self.upos[mark] not in ("ADP", "PART") or self.children[mark]:
            return None
        lemma, is_postposed = self.key(mark), mark > noun
        following = self.forms[mark + 1].lower() if mark + 1 < len(self) else ""
        self.counts.adpositions[lemma][self.forms[mark].lower(), following] += 1
        start = noun if article is None else article
        is_adjacent = mark == noun + 1 if is_postposed else mark == start - 1
        has_dependent_between = any(mark < child < noun for child in self.children[noun])
        return (lemma, is_postposed) if is_adjacent or has_dependent_between else None

    def _count_oblique(self, index: int, position: NounPosition) -> None:
        """Count where in a main clause an oblique noun stands: between subject and target, or in a
        phrase that begins the sentence."""
        head, uses = self.heads[index], self.counts.positions[position].uses
        subject, target = self.subject(head), self.agreeing_word(head)[1]
        if subject is None or target is None:
            return
        is_subordinate = self.dependents(head, "mark") or "acl" in self.relations[head]
        tally(uses, subject=subject < index < target and not is_subordinate)
        first, last = self.span(index)
        is_first = all(upos == "PUNCT" for upos in self.upos[:first])
        if self.heads[head] < 0 and is_first and last < min(subject, target):
            comma = self.forms[last + 1] == ","
            tally(self.counts.fronts[position], n=True, straight=subject < target, comma=comma)
            self.counts.front_nouns[position].add(self.lemmas[index])

    def _count_pronoun(self, index: int) -> None:
        """Count a pronoun of the first or second person: its case, function and place."""
        feats, is_object = self.entries[index], self.relations[index] == "obj"
        case = feats.get("Case", "")
        tally(
            self.counts.pronouns[self.forms[index].lower()],
            object=is_object and case in ("Acc", "Par"),
            subject=case in CONTROLLING,
            apposition=case == "Acc" and feats.get("Number") == "Plur",
            first=index == 0 or self.upos[index - 1] in ("PUNCT", "CCONJ"),
            apart=is_object and index + 1 < self.heads[index],
        )

    # predicates

    def _count_predicate(self, index: int) -> None:
        """Count a predicate's form and dependents, and the agreement and word order of its
        clause."""
        counts, feats, upos = self.counts, self.entries[index], self.upos[index]
        self._count_dependents(index)
        self._count_form(index)
        subject, (kind, target) = self.subject(index), self.agreeing_word(index)
        if subject is not None and (upos == "ADJ" or feats.get("VerbForm") == "Part"):
            is_bare = not self.dependents(index, "cop", "aux")
            counts.bare[self._paradigm_feats(index), is_bare] += 1
        if target is None:
            return
        if kind in CLOSED and upos in ("VERB", "ADJ"):
            self._count_combination(index, kind, target, subject)
        if subject is None or self.upos[subject] != "NOUN" or subject >= target:
            return
        if self.dependents(subject, "case", "nummod", "conj"):
            return
        case, number = case_of(self.entries[subject]), self.entries[subject].get("Number", "")
        noun_class = self.noun_class(subject)
        for feature in self.numbers[target]:
            is_same = self.entries[target][feature] == number
            subject_class = Kind(kind, feature, case), number, noun_class
            counts.agreement_by_class[subject_class][is_same] += 1
        self._count_final(index, subject, target)
        if kind in CLOSED:
            counts.predicate_order[kind, index < target] += 1
            is_passive = self.entries[target].get("Voice") == "Pass"
            has_object = bool(self.dependents(index, "obj"))
            tally(counts.auxiliaries[self.lemmas[target], is_passive], n=True, object=has_object)

    def _count_dependents(self, index: int) -> None:
        """Add a predicate to the counts of its lemma (how often it has an object, a clause …), by
        which predicates are chosen for composed sentences; for verbs also the order of objects."""
        is_verb, objects = self.upos[index] == "VERB", self.dependents(index, "obj")
        nominal = [
            child
            for child in objects
            if self.upos[child] == "NOUN" and not self.dependents(child, "case")
        ]
        frame = self.counts.frames[self.lemmas[index]]
        tally(
            frame,
            n=self.upos[index] in ("ADJ", "VERB"),
            complement=bool(self.dependents(index, "xcomp", "csubj", "ccomp"))
            or any(
                self.entries[child].get("VerbForm") == "Inf"
                for child in self.dependents(index, "advcl")
            ),
            clause=bool(self.dependents(index, "ccomp")),
        )
        if not is_verb:
            return
        tally(
            frame,
            object=bool(objects),
            accusative=any(
                self.entries[child].get("Case", "Acc") in ("Acc", "Par") for child in objects
            ),
            nominal=bool(nominal),
            subject=bool(self.dependents(index, "nsubj")),
            **{case: self._has_subject_in(index, case) for case in SUBJECT_CASES},
            oblique=bool(self.dependents(index, "obl")),
            bound=any(
                self.deprels[child] in BOUND_RELATIONS
                or self.deprels[child].startswith("expl")
                or self.entries[child].get("Reflex") == "Yes"
                for child in self.children[index]
            ),
        )
        for noun in nominal:  # those with a case only in main clauses
            if "Case" not in self.entries[noun] or self.relations[index] == "root":
                self.counts.object_order[noun < index] += 1
        if self.relations[index] == "acl":
            self._count_relative(index)

    def _has_subject_in(self, verb: int, case: str) -> bool:
        """Tell whether a verb has a nominal subject in a case; an adposition makes it an ergative
        (Hindi *ne*)."""
        return any(
            ("Erg" if self.dependents(child, "case") else self.entries[child].get("Case")) == case
            for child in self.dependents(verb, "nsubj")
        )

    def _count_final(self, index: int, subject: int, target: int) -> None:
        """Count whether the target, the word that agrees, ends its clause; and if it does, count
        the clause's subordinator."""
        marks = [child for child in self.dependents(index, "mark") if child < subject]
        dependents = self.dependents(index, "obj", "iobj", "obl", "advmod", "xcomp")
        is_final = index <= target and all(child <= target for child in dependents)
        self.counts.final_targets[bool(marks)][is_final] += 1
        if len(marks) == 1 and is_final and self.upos[marks[0]] == "SCONJ":
            self.counts.subordinators[self.forms[marks[0]].lower()] += 1

    def _count_combination(self, index: int, kind: str, target: int, subject: int | None) -> None:
        """Count a predicate's combination with its copula or auxiliary (`kind`), if it has one."""
        if len(self.dependents(index, "aux", "cop")) > 1:
            return
        if kind == "copula" and self.entries[index].get("VerbForm") == "Inf":
            return  # such an infinitive needs its particle: *ist zu empfehlen*
        number, precedes = "", False
        if subject is not None and self.upos[subject] == "NOUN":
            number = self.entries[subject].get("Number", "")
            precedes = subject < index == target - 1
        form, has_number = self.forms[index].lower(), bool(self.numbers[index])
        word = PredicateWord(self.upos[index], self.lemmas[index], form, has_number)
        predicate = Predicate(kind, self.upos[target], self.lemmas[target], "")
        is_bare = not self.dependents(index, "obj", "iobj", "xcomp", "ccomp")
        self.counts.predicates_of[predicate][word, number, precedes, is_bare] += 1

    def _paradigm_feats(self, index: int) -> str:
        """Return the FEATS that a predicate's form shares with its whole paradigm: those that do
        not agree. Any person counts as the third."""
        entries = {
            name: "3" if name == "Person" else value
            for name, value in self.entries[index].items()
            if name in PARADIGM_FEATURES or name.startswith("Person[")
        }
        return "|".join(sorted(f"{name}={value}" for name, value in entries.items()))

    def _count_form(self, index: int) -> None:
        """Count a predicate's form in its paradigm, once for each feature in which it may agree:
        Basque verbs have several, such as `Number[abs]` and `Number[erg]`."""
        feats, kind = self.entries[index], self.target_sort(index)
        if (
            not kind
            or "Typo" in feats
            or "Abbr" in feats
            or feats.get("Person", "3") not in ("3", "1,2,3")
            or self.lemmas[index] == MISSING
            or any(name.endswith("[dat]") for name in feats)
            or (self.upos[index] == "AUX" and not self._is_main_auxiliary(index, kind))
        ):
            return
        paradigm_feats, form = self._paradigm_feats(index), self.forms[index].lower()
        gender, animacy = feats.get("Gender", ""), feats.get("Animacy", "")
        for feature in self.numbers[index]:
            others = sorted(other for other in self.numbers[index] if other != feature)
            other_pairs = (f"{other}={feats[other]}" for other in others)
            all_feats = "|".join(filter(None, (paradigm_feats, *other_pairs)))
            key = Predicate(kind, self.upos[index], self.lemmas[index], all_feats, feature)
            cell = Cell(feats[feature], gender=gender, animacy=animacy)
            cells = self.counts.predicates.setdefault(key, {})
            cells.setdefault(cell, Counter())[form] += 1

    def _is_main_auxiliary(self, index: int, kind: str) -> bool:
        """Tell whether an auxiliary is finite and in a main clause; in a subordinate one it may
        have a special form (Basque *duen*, *dela*)."""
        head = self.heads[index]
        return kind in CLOSED and (head < 0 or self.relations[head] not in SUBORDINATE_RELATIONS)

    # clauses below a noun or a verb

    def _count_relative(self, index: int) -> None:
        """Count the relative word of an object relative clause that follows its noun directly or
        after a comma. `index`: of the clause's verb."""
        head, subject = self.heads[index], self.subject(index)
        words = [
            child for child in self.dependents(index, "obj", "mark") if head < child <= head + 2
        ]
        if (
            self.upos[head] != "NOUN"
            or not words
            or self.entries[index].get("VerbForm", "Fin") != "Fin"
        ):
            return
        word = words[0]
        has_comma = word == head + 2
        has_noun = subject is not None and self.upos[subject] == "NOUN" and word < subject < index
        if (
            self.upos[word] not in ("PRON", "SCONJ", "DET")
            or not (
                self.is_pronominal(word, "Rel") or (has_noun and self._lacks_relative_object(index))
            )
            or (has_comma and self.upos[head + 1] != "PUNCT")
        ):
            return
        seen = self.counts.relatives[self.forms[word].lower()]
        seen[self.entries[head].get("Number", "")] += 1
        tally(seen, n=True, comma=has_comma, noun=has_noun)

    def _lacks_relative_object(self, clause: int) -> bool:
        """Tell whether a clause below a noun is an object relative clause although its subordinator
        is no pronoun. Under a plain `acl` it may say what the noun is about (*the fact that …*)."""
        return self.deprels[clause] == "acl:relcl" and not self.dependents(clause, "obj")

    def _count_complement(self, clause: int) -> None:
        """Count a complement clause (*say that …*) that follows its verb and begins with a
        subordinator. `clause`: index of the clause's predicate."""
        verb = self.heads[clause]
        marks = [child for child in self.dependents(clause, "mark") if self.upos[child] == "SCONJ"]
        is_opened = bool(marks) and marks[0] == self.span(clause)[0]
        if not is_opened or self.upos[verb] != "VERB" or not 0 <= verb < marks[0]:
            return
        mark, (_, finite) = marks[0], self.agreeing_word(clause)
        lemma, has_comma = self.key(mark), self.forms[mark - 1] == ","
        tally(self.counts.complementisers[lemma], n=True, comma=has_comma)
        if mark + 1 < len(self):
            following = self.forms[mark].lower(), self.forms[mark + 1].lower()
            self.counts.complementiser_forms[lemma][following] += 1
        feats = self.entries[clause if finite is None else finite]
        n_between = mark - verb - 1
        tally(
            self.counts.complements[self.lemmas[verb], lemma],
            n=True,
            subjunctive=feats.get("Mood") == "Sub",
            conditional=feats.get("Mood") == "Cnd",
            future=feats.get("Tense") == "Fut",
            bare=not any(map(self._is_complement, self.children[verb])),
            adjacent=n_between == (1 if has_comma else 0),
            negated=any(
                self.entries[index].get("Polarity") == "Neg"
                for index in (verb, *self.children[verb])
            ),
            personal=self._is_personal(verb),
        )

    def _is_complement(self, index: int) -> bool:
        """Tell whether a dependent may be a complement that a verb needs beside its clause."""
        relation, feats = self.relations[index], self.entries[index]
        return (
            relation in COMPLEMENT_RELATIONS
            or feats.get("Reflex") == "Yes"
            or (relation == "obl" and (self.upos[index] == "PRON" or feats.get("Case") == "Dat"))
            or (relation == "advmod" and feats.get("PronType") == "Dem")
        )

    def _is_personal(self, verb: int) -> bool:
        """Tell whether a verb's subject is a noun, a name or a personal pronoun (not *it*); or, if
        it has no subject, whether the verb is in the first or second person."""
        subject = self.subject(verb)
        if subject is None:
            _, finite = self.agreeing_word(verb)
            return self.entries[verb if finite is None else finite].get("Person") in ("1", "2")
        feats = self.entries[subject]
        is_person = feats.get("PronType") == "Prs" and feats.get("Gender") != "Neut"
        return self.upos[subject] in ("NOUN", "PROPN") or is_person
