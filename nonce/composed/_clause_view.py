"""A sentence of a treebank as the counting of composed sets looks at it."""

from ...data.items.features import parse_feats
from ...data.items.tree import Sentence
from ...miner.treebank.view import relation_of

UNFIT = frozenset({
    "Abbr", "Typo", "Foreign", "Clitic", "Number[psor]", "Person[psor]", "Number[psed]",
    "ExtPos", "NumType", "PronType", "Poss", "Person[dat]", "Reflex",
})  # fmt: skip
"""FEATS of words whose form says more than their cell."""


class ClauseView:
    """A sentence with what is asked of it again and again; words count from 0."""

    def __init__(self, sentence: Sentence) -> None:
        self.forms = tuple(form.strip("_") or form for form in sentence.forms)  # ה_ of Hebrew
        self.lemmas = sentence.lemmas
        self.upos, self.heads = sentence.upos, sentence.heads
        self.rels = list(map(relation_of, sentence.deprels))
        self.deprels = sentence.deprels
        self.feats = [parse_feats(feats) for feats in sentence.feats]
        self.children: list[list[int]] = [[] for _ in sentence.heads]
        for index, head in enumerate(sentence.heads):
            if head >= 0:
                self.children[head].append(index)
        self.sentence = sentence

    def article(self, index: int) -> int | None:
        """Return the definite article of a noun, where it stands before it."""
        for child in self.children[index]:
            feats = self.feats[child]
            if (
                self.rels[child] == "det"
                and feats.get("PronType") == "Art"
                and feats.get("Definite", "Def") == "Def"
                and child < index
            ):
                return child
        return None

    def subject(self, predicate: int) -> int | None:
        """Return the subject of a predicate."""
        for child in self.children[predicate]:
            if self.rels[child] == "nsubj":
                return child
        return None

    def target(self, predicate: int) -> tuple[str, int | None]:
        """Return what agrees with the subject of a predicate, itself or its auxiliary or copula,
        and of what kind it is; ("", None) where nothing can."""
        auxiliary = None
        for child in self.children[predicate]:
            feats = self.feats[child]
            if self.rels[child] in ("cop", "aux") and (
                feats.get("VerbForm", "Fin") == "Fin" and any(map(is_number, feats))
            ):
                if self.rels[child] == "cop":
                    auxiliary = ("copula", child)
                    if not any(self.rels[sibling] == "aux" for sibling in self.children[predicate]):
                        return auxiliary
                elif auxiliary is None or auxiliary[0] == "copula":
                    auxiliary = ("auxiliary", child)
        if auxiliary is not None:
            return auxiliary
        if any(self.rels[child] in ("cop", "aux") for child in self.children[predicate]):
            return ("", None)
        feats, upos = self.feats[predicate], self.upos[predicate]
        if not any(map(is_number, feats)):
            return ("", None)
        if upos == "VERB" and feats.get("VerbForm", "Fin") == "Fin":
            return ("verb", predicate)
        if feats.get("VerbForm") == "Part":
            return ("participle", predicate)
        return ("adjective", predicate) if upos == "ADJ" else ("", None)

    def is_subordinate(self, predicate: int) -> bool:
        """Tell whether a predicate is that of a subordinate clause: it may have a form of its own
        there (Basque *duen*, *dela*)."""
        return predicate >= 0 and self.rels[predicate] in ("acl", "advcl", "ccomp", "csubj")

    def start(self, index: int) -> int:
        """Return the first word below a word or itself, punctuation left out."""
        below = [child for child in self.children[index] if self.upos[child] != "PUNCT"]
        return min([index, *map(self.start, below)])

    def end(self, index: int) -> int:
        """Return the last word below a word or itself, punctuation left out."""
        below = [child for child in self.children[index] if self.upos[child] != "PUNCT"]
        return max([index, *map(self.end, below)])


def is_number(name: str) -> bool:
    """Tell whether a feature is the number that a word agrees in."""
    return name == "Number" or (name.startswith("Number[") and name not in UNFIT)
