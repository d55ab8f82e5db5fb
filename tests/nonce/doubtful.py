"""Trees and pairs for tests of doubts and leaks, written as short as they can be read."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from colorless_green.data import Tree, normal
from colorless_green.miner import AgreementView, Analysis, CueWordCounts, Forms, Paradigms, TreeView
from colorless_green.nonce import AmbiguityReason, MinimalPair, VerbUses, doubts


def as_rows(text: str) -> tuple[str, ...]:
    """Rows that stand in one text."""
    return tuple(text.split())


def tree(*rows: str) -> Tree:
    """Return a tree from rows `form/lemma/UPOS/FEATS/head/deprel` (head from 1, 0 for the root),
    each word a token of its own. FEATS in short: `Sing`, `Plur` for Number, `+` for `|`."""
    cells = [row.split("/") for row in rows]
    forms, lemmas, upos, feats, heads, deprels = zip(*cells, strict=True)
    return Tree(
        tuple(forms),
        tuple(lemmas),
        tuple(upos),
        tuple(map(long_feats, feats)),
        tuple(int(head) - 1 for head in heads),
        tuple(deprels),
        tuple(range(len(rows))),
    )


def long_feats(short: str) -> str:
    """`Plur+Case=Nom` as `Case=Nom|Number=Plur`."""
    entries = [f"Number={each}" if each in ("Sing", "Plur") else each for each in short.split("+")]
    return normal("|".join(entries))


def paradigms(each: Tree, readings: Iterable[str] = (), rare: int = -1) -> Paradigms:
    """Return the words of a tree, ten times each (`rare`: the one that is seen once), and
    further readings `form/lemma/UPOS/FEATS`, too (`…/FEATS/2`: twice)."""
    counts: Counter[Analysis] = Counter()
    rows = zip(each.forms, each.lemmas, each.upos, each.feats, strict=True)
    for node, key in enumerate(rows):
        counts[key] += 1 if node == rare else 10
    for reading in readings:
        form, lemma, upos, feats, *uses = reading.split("/")
        counts[(form, lemma, upos, long_feats(feats))] += int(uses[0]) if uses else 10
    return Paradigms(dict(counts))


@dataclass(frozen=True)
class Pair:
    """A pair in its sentence: words from 1 as in the rows; the right form stands there."""

    rows: tuple[str, ...]
    cue: int
    target: int
    wrong: str  # form, or form and FEATS as `cost Plur`, `cost Plur/2` where it was seen twice
    readings: tuple[str, ...] = ()
    language: str = "it"
    rare: int = 0  # word from 1 that the treebank shows once; the others ten times
    verbs: VerbUses = field(default_factory=VerbUses)

    @property
    def tree(self) -> Tree:
        """Its tree."""
        return tree(*self.rows)

    @property
    def paradigms(self) -> Paradigms:
        """What the treebank shows: the tree, the wrong form, the further readings."""
        own, target = self.tree, self.target - 1
        wrong, _, feats = self.wrong.partition(" ")
        other = f"{wrong}/{own.lemmas[target]}/{own.upos[target]}/{feats or self._swapped()}"
        return paradigms(own, (other, *self.readings), self.rare - 1)

    def _swapped(self) -> str:
        feats = self.tree.feats[self.target - 1]
        swap = {"Number=Sing": "Number=Plur", "Number=Plur": "Number=Sing"}
        return "+".join(swap.get(each, each) for each in feats.split("|"))

    @property
    def value(self) -> str:
        """The number of the target."""
        return "Sing" if "Number=Sing" in self.tree.feats[self.target - 1] else "Plur"

    def doubts(self) -> tuple[AmbiguityReason, ...]:
        """Return what there is against it."""
        own, target = self.tree, self.target - 1
        return doubts(
            MinimalPair(
                view=TreeView(own),
                cue=self.cue - 1,
                target=target,
                feature="Number",
                value=self.value,
                forms=Forms(self.paradigms),
                right=own.forms[target],
                wrong=self.wrong.partition(" ")[0],
                lemma=own.lemmas[target],
                language=self.language.partition("-")[0],
                verbs=self.verbs,
            )
        )


def agreement(
    own: Tree,
    cue: int,
    target: int,
    value: str,
    *,
    feature: str = "Number",
    readings: Iterable[str] = (),
    telling: CueWordCounts | None = None,
) -> AgreementView:
    """Cue and target of a tree (0-based), with the words of the tree and further readings as the
    treebank."""
    return AgreementView(
        view=TreeView(own),
        cue=cue,
        target=target,
        feature=feature,
        value=value,
        forms=Forms(paradigms(own, readings)),
        cue_counts=telling,
    )


def pair(place: str, text: str, readings: str = "", language: str = "it") -> Pair:
    """Return a pair from `cue target wrong`, the rows of its sentence and further readings."""
    cue, target, wrong = place.split(" ", 2)
    return Pair(as_rows(text), int(cue), int(target), wrong, as_rows(readings), language)
