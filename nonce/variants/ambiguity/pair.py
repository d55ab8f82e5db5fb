"""A minimal pair in its sentence, as the tests for doubts look at it; and what verbs stand with."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files

from ....data.items.features import conflict, value_of
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

KNOWN = 3  # uses after which a verb that was never seen with an object takes none
OFTEN = 5  # uses from which a form can be impersonal
PERSONAL = 0.3  # of an impersonal form's uses, those with a subject, at most
CLAUSAL = 0.5  # and those with a clause, at least
CLAUSES = frozenset({"ccomp", "xcomp", "csubj"})
CONSTRUED = frozenset({"xcomp", "acl", "conj"})  # the subject of these hangs on another word


class VerbUses:
    """Counts of what verbs stand with. Observe all sentences before the first question.

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
        """Count the verbs of a sentence. An object with an adposition is none; an
        infinitive may have one."""
        relations = [relation_of(deprel) for deprel in sentence.deprels]
        arcs = list(zip(sentence.heads, relations, strict=True))
        marked = {head for head, relation in arcs if relation == "case"}
        objects = {
            head
            for index, (head, relation) in enumerate(arcs)
            if (relation == "obj" and index not in marked)
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
                if relations[index] not in CONSTRUED:
                    small = form.casefold()
                    self._forms[small] += 1
                    self._with_subject[small] += index in subjects
                    self._with_clause[small] += index in clauses

    def may_take_object(self, lemma: str) -> bool:
        """Tell whether a verb was seen with an object or an infinitive, or too rarely to say that
        it takes none."""
        return self._with_object[lemma] > 0 or self._lemmas[lemma] < KNOWN

    def is_impersonal(self, form: str) -> bool:
        """Tell whether a form mostly stands with a clause but no subject (Greek *πρέπει*)."""
        small = form.casefold()
        n = self._forms[small]
        return (
            n >= OFTEN
            and self._with_subject[small] <= PERSONAL * n
            and self._with_clause[small] >= CLAUSAL * n
        )


OTHER_NUMBER = {"Sing": "Plur", "Plur": "Sing"}
PERSONS = ("1", "2", "3")
USUAL = 30  # uses of a word that another is misspelt as
SLIPS = 2  # uses of that: more are a spelling
NO_CLAUSE = -1  # no clause begins at the target: what it belongs to is open


@dataclass(frozen=True, kw_only=True)
class MinimalPair(AgreementView):
    """A minimal pair in its sentence; cue before target.

    The forms are words, without what a multiword token adds.

    Attributes:
        view: the tree.
        cue: word of the tree, from 0.
        target: word of the tree, from 0.
        feature: that agrees; two names are joined by `~`.
        value: of cue and target in the right form.
        forms: what each form of the treebank can be.
        cue_counts: which words tell the value beyond FEATS; None: FEATS alone count.
        right: the form that agrees.
        wrong: the form that does not.
        lemma: of the target.
        language: BCP-47 code, without region.
        verbs: what verbs stand with in the treebank; None: unknown.
    """

    right: str
    wrong: str
    lemma: str
    language: str
    verbs: VerbUses | None = None

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
        """Return what the wrong form can be as a form of the target's lemma and part of speech."""
        return self.forms.readings(self.wrong, self.upos, self.lemma)

    @cached_property
    def wrong_value(self) -> str:
        """Return the value of the wrong form; empty where nothing tells it."""
        counts = Counter[str]()
        for reading in self.wrong_readings:
            value = paired_value(reading.feats, self.feature)
            if value not in (None, self.value):
                counts[value] += reading.n
        return counts.most_common(1)[0][0] if counts else OTHER_NUMBER.get(self.value, "")

    @cached_property
    def pluralised(self) -> bool:
        """Tell whether the wrong form is a plural, the right one a singular."""
        return self.wrong_value in PLURALS and self.value not in PLURALS

    @cached_property
    def bound(self) -> bool:
        """Tell whether a word before the target, of the same phrase, lets only the right form
        follow: an auxiliary or copula of the same predicate, or a determiner or adjective of a
        noun."""
        kin = [self.predicate, *self.view.dependents(self.predicate, *AUXILIARY, "det")]
        if self.upos in ("NOUN", "PROPN"):
            kin += self.view.children[self.target]
        return any(leak.node in kin for leak in self.leaks)

    @cached_property
    def own_subject(self) -> int:
        """Return the first subject of the target's predicate; −1 if it has none of its own."""
        return next(iter(self.view.dependents(self.predicate, *SUBJECT)), -1)

    @cached_property
    def controller(self) -> int:
        """Return the noun before the target that it agrees with: the cue, where it is one; −1 if it
        is not there."""
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
        """Return the first word of the clause that the target belongs to."""
        return self.view.first_below(self.predicate)

    @cached_property
    def open_words(self) -> tuple[int, ...]:
        """Return what the target could hang on, or go on: nearest first."""
        clause = NO_CLAUSE if self.tie == "subject" else self.predicate
        return self.view.frontier(self.target, clause)

    def value_at(self, node: int) -> str | None:
        """Return a word's value; where FEATS do not say, that of its determiner, adjective or
        participle, and a name is a singular."""
        modifiers = self.view.dependents(node, "det", "amod", "acl")
        words = (node, *(modifier for modifier in modifiers if modifier < self.target))
        values = (self.view.value(word, self.feature) for word in words)
        is_name = self.view.upos[node] == "PROPN" and self.feature == "Number"
        return next(filter(None, values), "Sing" if is_name else None)

    def agrees_with(self, node: int) -> bool:
        """Tell whether the wrong form could agree with a word: in the feature, and neither Gender
        nor Animacy speak against it."""
        if self.value_at(node) != self.wrong_value:
            return False
        feats = self.view.feats[node]
        readings = [
            reading.feats
            for reading in self.wrong_readings
            if paired_value(reading.feats, self.feature) == self.wrong_value
        ]
        return any(not conflict(reading_feats, feats) for reading_feats in readings or [self.feats])

    def may_be_object(self, node: int) -> bool:
        """Tell whether a noun and its determiners and adjectives could be a subject and an object
        alike, by spelling (German *die Aufträge*, not *der Auftrag*)."""
        view = self.view
        kin = (child for child in view.children[node] if view.feature(child, "Case") == "Nom")
        return all(
            self.forms.either_case(view.forms[word], view.upos[word], view.feats[word])
            for word in (node, *kin)
        )

    @property
    def may_take_object(self) -> bool:
        """Tell whether the treebank does not show that the predicate takes no object."""
        return self.verbs is None or self.verbs.may_take_object(self.view.key(self.predicate))

    def fits_person(self, feats: str) -> bool:
        """Tell whether a reading does not contradict the person the target must have: its own, or
        the third."""
        person = value_of(self.feats, "Person")
        return value_of(feats, "Person") in (None, person if person in PERSONS else "3")

    def words_of(self, kind: str) -> frozenset[str]:
        """Return the words of a kind in the pair's language, from `languages.toml`."""
        return entries(kind, self.language)

    def is_language(self, kind: str) -> bool:
        """Tell whether the language is one of a kind: of `overt_subjects` (finite verbs need a
        subject in sight), of `one_determiner` (no demonstrative stands behind a definite article),
        of `verb_last_below` (subordinate clauses end in their finite verb)."""
        return self.language in entries("languages", kind)

    def is_other_word(self, node: int) -> bool:
        """Tell whether the form of a word is usual, and hardly ever of its lemma."""
        form, lemma = self.view.forms[node], self.view.lemmas[node]
        if lemma == MISSING or lemma.casefold() == form.casefold():
            return False
        n_of_form, n_of_lemma = (
            sum(reading.n for reading in self.forms.readings(form, lemma=key))
            for key in ("", lemma)
        )
        return n_of_form >= USUAL and n_of_lemma <= SLIPS


@cache
def entries(kind: str, key: str) -> frozenset[str]:
    """Return what a table of `languages.toml` says of a key; nothing where it has none."""
    return frozenset(_table()[kind].get(key, ()))


@cache
def _table() -> Mapping[str, Mapping[str, Sequence[str]]]:
    import tomllib

    text = (files(__package__) / "languages.toml").read_text("utf-8")
    table: dict[str, dict[str, list[str]]] = tomllib.loads(text)
    return table
