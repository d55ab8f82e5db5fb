"""A sentence of a treebank as the counting of composed sets looks at it."""

from ...data.items.features import parse_feats
from ...data.items.tree import Sentence
from ...miner.treebank.view import TreeView
from .counts import CLOSED

UNFIT = frozenset({
    "Abbr", "Typo", "Foreign", "Clitic", "Number[psor]", "Person[psor]", "Number[psed]",
    "ExtPos", "NumType", "PronType", "Poss", "Person[dat]", "Reflex",
})  # fmt: skip
"""FEATS of words whose form says more than their cell."""


class ClauseView(TreeView):
    """A tree with what is asked of its clauses again and again."""

    __slots__ = ("entries", "numbers")

    def __init__(self, sentence: Sentence) -> None:
        super().__init__(sentence)
        self.forms = tuple(form.strip("_") or form for form in sentence.forms)  # ה_ of Hebrew
        self.entries = [parse_feats(feats) for feats in sentence.feats]
        self.numbers = [list(filter(is_number, entries)) for entries in self.entries]

    def article(self, index: int) -> int | None:
        """Return the definite article of a noun, where it stands before it."""
        for child in self.dependents(index, "det"):
            feats = self.entries[child]
            is_definite = feats.get("Definite", "Def") == "Def"
            if feats.get("PronType") == "Art" and is_definite and child < index:
                return child
        return None

    def subject(self, predicate: int) -> int | None:
        """Return the subject of a predicate."""
        return next(iter(self.dependents(predicate, "nsubj")), None)

    def kind_of(self, index: int) -> str:
        """Return the kind of target that a word is by itself, "" for none."""
        upos, form = self.upos[index], self.entries[index].get("VerbForm")
        if form == "Part":
            return "participle"
        if upos == "AUX" and form in (None, "Fin"):
            return "copula" if self.relations[index] == "cop" else "auxiliary"
        if upos == "VERB" and form in (None, "Fin"):
            return "verb"
        return "adjective" if upos == "ADJ" else ""

    def target(self, predicate: int) -> tuple[str, int | None]:
        """Return what agrees with the subject of a predicate, itself or its auxiliary or copula,
        and of what kind it is; ("", None) where nothing can."""
        helpers = self.dependents(predicate, "aux", "cop")
        for kind, relation in zip(CLOSED, ("aux", "cop"), strict=True):
            for child in helpers:
                is_finite = self.entries[child].get("VerbForm", "Fin") == "Fin"
                if self.relations[child] == relation and is_finite and self.numbers[child]:
                    return kind, child
        kind = "" if helpers or not self.numbers[predicate] else self.kind_of(predicate)
        return (kind, predicate) if kind and kind not in CLOSED else ("", None)

    def span(self, index: int) -> tuple[int, int]:
        """Return the first and the last word below a word or itself, punctuation left out."""
        spans = [self.span(each) for each in self.children[index] if self.upos[each] != "PUNCT"]
        return min([index, *(first for first, _ in spans)]), max([index, *(n for _, n in spans)])


def is_number(name: str) -> bool:
    """Tell whether a feature is the number that a word agrees in."""
    return name == "Number" or (name.startswith("Number[") and name not in UNFIT)
