"""What a treebank's verbs stand with: objects, subjects and clauses."""

from collections import Counter

from ....data.items.tree import Sentence, Tree
from ....miner.treebank.view import VERBAL, key_of, relation_of

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
