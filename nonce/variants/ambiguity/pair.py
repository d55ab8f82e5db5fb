"""A minimal pair in its sentence, as the tests for doubts take it; and counts of verbs' objects."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files

from ....data.items.features import genders_conflict, value_of
from ....data.items.tree import Sentence, Tree
from ....miner.originals.cue_words import PLURALS, AgreementView
from ....miner.treebank.paradigms import MISSING, FormAnalysis
from ....miner.treebank.view import (
    AUXILIARY,
    SUBJECT,
    VERBAL,
    is_finite_form,
    key_of,
    paired_value,
    relation_of,
)

MIN_USES_OF_INTRANSITIVE = 3  # uses, all without object, that a verb needs to be intransitive
MIN_USES_OF_IMPERSONAL = 5  # uses that a form needs to be impersonal
MAX_SUBJECT_SHARE = 0.3  # largest share of an impersonal form's uses that have a subject
MIN_CLAUSE_SHARE = 0.5  # smallest share of an impersonal form's uses that have a clause
CLAUSES = frozenset({"ccomp", "xcomp", "csubj"})
SHARED_SUBJECT = frozenset({"xcomp", "acl", "conj"})  # verbs whose subject is another word's


class VerbUses:
    """Counts of the objects, subjects and clauses that verbs have in a treebank. Observe all
    sentences before the first question.

    >>> from colorless_green.data import sample
    >>> from colorless_green.miner import read
    >>> uses = VerbUses()
    >>> for sentence in read(sample.treebank("en")):
    ...     uses.observe(sentence)
    >>> uses.may_take_object("ignore"), uses.may_take_object("improvise")
    (True, False)
    """

    def __init__(self) -> None:
        self._lemmas = Counter[str]()
        self._with_object = Counter[str]()
        self._forms = Counter[str]()
        self._with_subject = Counter[str]()
        self._with_clause = Counter[str]()

    def observe(self, sentence: Sentence | Tree) -> None:
        """Count the verbs of a sentence, and those with an object, a subject or a clause. An
        infinitive counts as an object, an object with an adposition does not."""
        relations = [relation_of(deprel) for deprel in sentence.deprels]
        arcs = list(zip(sentence.heads, relations, strict=True))
        with_adposition = {head for head, relation in arcs if relation == "case"}
        objects = {
            head
            for index, (head, relation) in enumerate(arcs)
            if (relation == "obj" and index not in with_adposition)
            or (relation == "xcomp" and "VerbForm=Inf" in sentence.feats[index])
        }
        subjects = {head for head, relation in arcs if relation == "nsubj"}
        clauses = {head for head, relation in arcs if relation in CLAUSES}
        for index, upos in enumerate(sentence.upos):
            if upos in VERBAL:
                form = sentence.forms[index]
                lemma = key_of(form, sentence.lemmas[index])
                self._lemmas[lemma] += 1
                self._with_object[lemma] += index in objects
                if relations[index] not in SHARED_SUBJECT:
                    lower = form.casefold()
                    self._forms[lower] += 1
                    self._with_subject[lower] += index in subjects
                    self._with_clause[lower] += index in clauses

    def may_take_object(self, lemma: str) -> bool:
        """Tell whether a verb was seen with an object or an infinitive, or too rarely to be called
        intransitive."""
        return self._with_object[lemma] > 0 or self._lemmas[lemma] < MIN_USES_OF_INTRANSITIVE

    def is_impersonal(self, form: str) -> bool:
        """Tell whether a form is mostly used with a clause and without a subject (Greek
        *πρέπει*)."""
        lower = form.casefold()
        n_uses = self._forms[lower]
        return (
            n_uses >= MIN_USES_OF_IMPERSONAL
            and self._with_subject[lower] <= MAX_SUBJECT_SHARE * n_uses
            and self._with_clause[lower] >= MIN_CLAUSE_SHARE * n_uses
        )


OTHER_NUMBER = {"Sing": "Plur", "Plur": "Sing"}
PERSONS = ("1", "2", "3")
MIN_USES_OF_USUAL = 30  # uses that make a form usual
MAX_SLIPS = 2  # uses of it with another lemma that may be misspellings; more are a spelling
ANY_CLAUSE = -1  # no predicate: the words before the target may belong to any clause


@dataclass(frozen=True, kw_only=True)
class MinimalPair(AgreementView):
    """A minimal pair in its sentence; cue before target.

    The forms are words, without what a multiword token adds.

    Attributes:
        view: the tree.
        cue: word of the tree, from 0.
        target: word of the tree, from 0.
        feature: name of the feature that agrees; two names are joined by `~`.
        value: value of the feature at the cue and the right form.
        forms: analyses of each form of the treebank, with counts.
        cue_counts: words that show the value though their FEATS do not; None: only FEATS count.
        right: the form that agrees.
        wrong: the form that does not.
        lemma: lemma of the target.
        language: BCP-47 code, without region.
        verbs: counts of the objects, subjects and clauses that verbs have.
    """

    right: str
    wrong: str
    lemma: str
    language: str
    verbs: VerbUses = field(default_factory=VerbUses)

    @property
    def upos(self) -> str:
        """Return the target's part of speech."""
        return self.view.upos[self.target]

    @property
    def feats(self) -> str:
        """Return the target's FEATS."""
        return self.view.feats[self.target]

    @cached_property
    def verbal(self) -> bool:
        """Tell whether the target is a finite verb, auxiliary or copula (not a participle)."""
        copula = self.view.relations[self.target] == "cop"
        return copula or is_finite_form(self.upos, self.feats)

    @cached_property
    def wrong_readings(self) -> Sequence[FormAnalysis]:
        """Return the analyses of the wrong form in the treebank, with their counts, that have the
        target's lemma and part of speech."""
        return self.forms.readings(self.wrong, self.upos, self.lemma)

    @cached_property
    def wrong_value(self) -> str:
        """Return the wrong form's value of the feature, "" if it is unknown."""
        counts = Counter[str]()
        for reading in self.wrong_readings:
            value = paired_value(reading.feats, self.feature)
            if value not in (None, self.value):
                counts[value] += reading.n
        return counts.most_common(1)[0][0] if counts else OTHER_NUMBER.get(self.value, "")

    @cached_property
    def pluralised(self) -> bool:
        """Tell whether the wrong form is a plural and the right one a singular."""
        return self.wrong_value in PLURALS and self.value not in PLURALS

    @cached_property
    def bound(self) -> bool:
        """Tell whether a word of the target's own phrase stands before it and admits only the right
        form. Such a word is an auxiliary or copula of the same predicate, or a determiner or
        adjective of a noun."""
        same_phrase = [self.predicate, *self.view.dependents(self.predicate, *AUXILIARY, "det")]
        if self.upos in ("NOUN", "PROPN"):
            same_phrase += self.view.children[self.target]
        return any(leak.node in same_phrase for leak in self.leaks)

    @cached_property
    def own_subject(self) -> int:
        """Return the first subject of the target's predicate as a word of the tree; −1 if it has no
        subject of its own."""
        return next(iter(self.view.dependents(self.predicate, *SUBJECT)), -1)

    @cached_property
    def controller(self) -> int:
        """Return the noun that the target agrees with, as a word of the tree: the cue, or the first
        subject of the target's or the cue's predicate. −1 means that it does not stand before the
        target."""
        if self.tie in ("subject", "relative", "attribute"):
            return self.cue
        first_conjunct = self.view.first_conjunct(self.view.predicate_of(self.cue))
        subjects = (
            child
            for predicate in (self.predicate, first_conjunct)
            for child in self.view.dependents(predicate, *SUBJECT)
            if child < self.target
        )
        return next(subjects, -1)

    @cached_property
    def clause_start(self) -> int:
        """Return the first word of the target's clause, as an index in the tree."""
        return self.view.first_below(self.predicate)

    @cached_property
    def open_words(self) -> tuple[int, ...]:
        """Return the words before the target that it could be attached to or coordinated with,
        nearest first."""
        clause = ANY_CLAUSE if self.tie == "subject" else self.predicate
        return self.view.frontier(self.target, clause)

    def value_at(self, node: int) -> str | None:
        """Return the value of the feature at a word, or `None` if it is unknown. If the word's
        FEATS have no value, it is that of a determiner, adjective or participle of the word; a name
        counts as a singular."""
        modifiers = self.view.dependents(node, "det", "amod", "acl")
        words = (node, *(modifier for modifier in modifiers if modifier < self.target))
        values = (self.view.value(word, self.feature) for word in words)
        is_name = self.view.upos[node] == "PROPN" and self.feature == "Number"
        return next(filter(None, values), "Sing" if is_name else None)

    def agrees_with(self, node: int) -> bool:
        """Tell whether the wrong form could agree with a word: in the feature, and without a
        conflict in Gender or Animacy."""
        if self.value_at(node) != self.wrong_value:
            return False
        feats = self.view.feats[node]
        readings = [
            reading.feats
            for reading in self.wrong_readings
            if paired_value(reading.feats, self.feature) == self.wrong_value
        ]
        return any(
            not genders_conflict(reading_feats, feats) for reading_feats in readings or [self.feats]
        )

    def may_be_object(self, node: int) -> bool:
        """Tell whether a noun, together with its determiners and adjectives, is spelled alike as
        subject and as object (German *die Aufträge*, not *der Auftrag*)."""
        view = self.view
        modifiers = (child for child in view.children[node] if view.feature(child, "Case") == "Nom")
        return all(
            self.forms.either_case(view.forms[word], view.upos[word], view.feats[word])
            for word in (node, *modifiers)
        )

    @property
    def may_take_object(self) -> bool:
        """Tell whether the target's predicate can take an object, as far as the treebank shows;
        true if nothing is known of it."""
        return self.verbs.may_take_object(self.view.key(self.predicate))

    def fits_person(self, feats: str) -> bool:
        """Tell whether FEATS allow the person that the target must have: its own or, if it shows
        none, the third."""
        person = value_of(self.feats, "Person")
        return value_of(feats, "Person") in (None, person if person in PERSONS else "3")

    def words_of(self, kind: str) -> frozenset[str]:
        """Return the words that a table of `languages.toml` lists for the pair's language."""
        return entries(kind, self.language)

    def is_language(self, kind: str) -> bool:
        """Tell whether the language is of a kind: `overt_subjects` (finite verbs need a spoken
        subject), `one_determiner` (no demonstrative follows a definite article), `verb_last_below`
        (subordinate clauses end in their finite verb)."""
        return self.language in entries("languages", kind)

    def is_other_word(self, node: int) -> bool:
        """Tell whether the form of a word is frequent, but hardly ever has the lemma that it has
        here. It is then likely a misspelling of another form."""
        form, lemma = self.view.forms[node], self.view.lemmas[node]
        if lemma == MISSING or lemma.casefold() == form.casefold():
            return False
        n_of_form, n_of_lemma = (
            sum(reading.n for reading in self.forms.readings(form, lemma=wanted))
            for wanted in ("", lemma)  # "": with any lemma
        )
        return n_of_form >= MIN_USES_OF_USUAL and n_of_lemma <= MAX_SLIPS


@cache
def entries(kind: str, key: str) -> frozenset[str]:
    """Return the entries of a key in a table of `languages.toml`, or none if the table lacks the
    key. Mostly the table (`kind`) is a kind of word and the key a language."""
    return frozenset(_language_tables()[kind].get(key, ()))


@cache
def _language_tables() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Read `languages.toml` once, and return its tables: table → key → entries."""
    import tomllib

    text = (files(__package__) / "languages.toml").read_text("utf-8")
    table: dict[str, dict[str, list[str]]] = tomllib.loads(text)
    return table
