"""Phrases of a composed sentence: function words, their shapes and how they are written.

A phrase is a row of words of the tree. What an article looks like is told by number, gender and
case of its noun and the letters that follow; two function words are written as one where the
treebank does so (*di il* → *del*), and some words lean on the next (Hebrew *ב*, *l'*).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from .suffixes import most_used
from .thresholds import T
from .treebank_counts import (
    LOCAL,
    NUMBERS,
    OPEN_TAGS,
    Kind,
    NounPosition,
    PositionCounts,
    TreebankCounts,
)

ELIDED = ("'", "’")
LEANING = ("ADP", "DET", "SCONJ")
BARE = {"nmod": "Gen", "obl": "Ins"}  # cases without an adposition, beside `LOCAL`
LETTERS = 3  # of the next word that a function word's shape may depend on


class ComposedWord(NamedTuple):
    """A word of the tree in a composed sentence, or a surface token with what its last content word
    tells."""

    form: str
    upos: str
    feats: str = "_"
    role: str = ""  # cue, target, attractor, or "" for function words and predicates
    lemma: str = "_"
    space: str = " "  # before it


COMMA = ComposedWord(",", "PUNCT", lemma=",")


@dataclass(frozen=True)
class Modifier:
    """A phrase that can stand between controller and target."""

    position: NounPosition
    with_article: bool
    definite: str  # Definite of its noun
    n: int  # uses
    n_subjects: int  # of these with a subject before and its target after them
    relative: str = ""  # the relative word of an object relative clause
    comma: bool = False
    heads: frozenset[str] = field(default=frozenset(), compare=False)  # empty: goes with any

    @property
    def name(self) -> str:
        """Return its kind: `nmod:of`, `obl:Ine`, `relative:that`."""
        return f"relative:{self.relative}" if self.relative else self.position.name

    @property
    def start(self) -> list[ComposedWord]:
        """Return the words that a relative clause begins with."""
        word = ComposedWord(self.relative, "PRON", "PronType=Rel", lemma=self.relative)
        return [*([COMMA] if self.comma else []), word]


@dataclass
class PhraseWriter:
    """The ways in which a language writes function words."""

    counts: TreebankCounts
    _shapes: dict[int, dict[str, Counter[str]]] = field(default_factory=dict)

    def article(self, number: str, gender: str, case: str, following: str) -> str | None:
        """Return the definite article before a word; none where the treebank does not tell."""
        own = self.counts.articles.get((number, gender, case))
        shape = self.shape(own, following) if own else None
        return shape or self.shape(self._articles, following)

    @cached_property
    def _articles(self) -> Counter[tuple[str, str]]:
        """All articles with the words after them: number, gender or case may not matter."""
        return sum(self.counts.articles.values(), Counter())

    def adposition(self, lemma: str, following: str) -> str | None:
        """Return an adposition's form before a word; after one where none follows."""
        return self.shape(self.counts.adpositions[lemma], following)

    def shape(self, seen: Mapping[tuple[str, str], int], following: str) -> str | None:
        """Return the form seen before the letters that a word begins with: three, two, one, none.
        `seen`: (form, next word) → how often."""
        table = self._shapes.get(id(seen))
        if table is None:
            table = self._shapes[id(seen)] = {}
            for (form, next_word), n in seen.items():
                for length in range(LETTERS + 1):
                    table.setdefault(next_word[:length], Counter())[form] += n
        for length in range(LETTERS, -1, -1):
            forms = table.get(following.lower()[:length], Counter[str]())
            form, n = most_used(forms)
            share = T["shape"] if length else T["shape_any"]
            if forms.total() >= 2 and n >= share * forms.total():
                return form
        return None

    def tokens(self, words: Sequence[ComposedWord]) -> list[ComposedWord]:
        """Return words as they are written: contractions, those that lean on the next, capitals."""
        tokens: list[ComposedWord] = []
        text, space, index = "", " ", 0
        while index < len(words):
            word, following = words[index], words[index + 1 : index + 2]
            is_function = not word.role and bool(following)
            joined = self._contraction(word, following[0]) if is_function else ""
            index += 2 if joined else 1
            if joined.endswith("+") or (is_function and not joined and self.leans(word)):
                text += joined[:-1] or word.form
                continue
            if joined:
                word = word._replace(form=joined, feats=following[0].feats)
            space = "" if word.upos == "PUNCT" else space
            tokens.append(word._replace(form=text + word.form, space=space))
            is_tight = word.upos in (*LEANING, "PRON") and word.form.endswith(ELIDED)
            text, space = "", "" if is_tight else " "
        form = tokens[0].form
        return [tokens[0]._replace(form=form[:1].upper() + form[1:], space=""), *tokens[1:]]

    def _contraction(self, word: ComposedWord, following: ComposedWord) -> str:
        """Return how an adposition and the word after it are written as one, "" where they are not;
        with `+` where they lean on a third."""
        seen = self.counts.pairs.get((word.form, following.form))
        if not seen or word.upos != "ADP":
            return ""
        text, n = most_used(seen)
        if text.endswith("+") or seen[f"{text}+"]:
            n = seen.total() - seen[""]
        return text if n >= T["contraction"] * seen.total() else ""

    def is_prefixed(self, modifier: Modifier) -> bool:
        """Tell whether a modifier's adposition is written as one with the word after it."""
        return self.leans(ComposedWord(modifier.position.adposition, "ADP"))

    def leans(self, word: ComposedWord) -> bool:
        """Tell whether a word is written as one with the word after it."""
        seen = self.counts.attached.get(word.form)
        return word.upos in LEANING and bool(seen) and self.is_attached(word.form)

    def is_attached(self, form: str) -> bool:
        """Tell whether nearly all uses of a form are one with the word after it, if any."""
        seen = self.counts.attached.get(form, Counter[bool]())
        return seen[True] >= T["contraction"] * seen.total()


def with_role(words: Iterable[ComposedWord], role: str) -> list[ComposedWord]:
    """Return words whose content word has another role."""
    return [word._replace(role=role) if word.role else word for word in words]


# what is productive between a subject and its target


def shortages(seen: PositionCounts) -> str:
    """Return what of a modifier is too little to call it productive; "" if nothing."""
    counts = {
        "heads": (len(seen.heads), T["modifier_heads"]),
        "nouns": (len(seen.nouns), T["modifier_nouns"]),
        "subjects": (seen.uses["subject"], T["modifier_subjects"]),
        "in each number": (min(seen.numbers[number] for number in NUMBERS), T["modifier_each"]),
    }
    return ", ".join(f"{n} {unit} of {floor:g}" for unit, (n, floor) in counts.items() if n < floor)


def has_article(seen: PositionCounts) -> bool:
    """Tell whether the nouns of a place get the definite article."""
    n = seen.uses["article"]
    return n >= T["article"] * (n + seen.uses["plain"]) > 0


def definite_of(seen: PositionCounts, *, prefer_definite: bool = True) -> str:
    """Return the value of Definite that most nouns of a place have, if they carry it; or the
    definite one where that is not rare."""
    values = {value: n for value, n in seen.definite.items() if value != "Cons"}
    if prefer_definite and values.get("Def", 0) >= T["article"] * sum(values.values()) > 0:
        return "Def"
    return max(sorted(values), key=values.__getitem__, default="")


def modifiers(
    counts: TreebankCounts,
    writer: PhraseWriter,
    kinds: Sequence[Kind],
    *,
    with_articles: bool,
    company: Set[str],
) -> list[Modifier]:
    """Return what is productive between a subject and its target, the most frequent first, without
    adpositions of `company`, after which a plural is right as well.

    Dependents of the predicate serve where the language has fewer than two kinds of modifiers
    after their noun.
    """
    controlling = {kind.case for kind in kinds} - {""}
    by_case: Counter[tuple[str, str]] = Counter()
    for position, seen in counts.positions.items():
        by_case[position.adposition, position.case] += seen.numbers.total()
    candidates: list[Modifier] = []
    adnominal: list[Modifier] = []  # whose phrases are mostly below nouns
    for position, seen in sorted(counts.positions.items()):
        adposition, case, n = position.adposition, position.case, seen.numbers.total()
        article, is_nmod = has_article(seen), position.kind == "nmod"
        if (
            position.kind not in BARE
            or not company.isdisjoint((adposition, f"{adposition}+{case}"))
            or (not adposition and case not in {BARE[position.kind], *LOCAL})
            or case in controlling
            or shortages(seen)
            or seen.uses["single"] < T["modifier_singular"] * n
            or (adposition and not _is_adposition(counts, adposition))
            # *as candidate*; Hebrew *ב* may hide the article
            or (with_articles and not article and not writer.is_attached(adposition))
        ):
            continue
        share = n / by_case[adposition, case]
        is_own = is_nmod and share >= T["modifier_own"]
        is_free = is_own or n_governed(counts, seen) <= T["modifier_governed"] * n
        is_free = is_free and len(seen.heads) >= T["modifier_free"]
        modifier = Modifier(
            position, article, definite_of(seen, prefer_definite=not adposition), n,
            seen.uses["subject"], heads=frozenset(() if is_free else seen.heads),
        )  # fmt: skip
        candidates.append(modifier)
        if is_nmod and share >= T["modifier_noun"]:
            adnominal.append(modifier)
    following = [modifier for modifier in candidates if modifier.position.kind == "nmod"]
    chosen = next((few for few in (adnominal, following) if len(few) >= 2), candidates)
    return sorted(chosen, key=lambda modifier: (-modifier.n_subjects, modifier.name))


def n_governed(counts: TreebankCounts, seen: PositionCounts) -> int:
    """Count the uses of a position in which its head seems to ask for it."""
    return sum(
        n
        for head, n in seen.heads.items()
        if n >= 2 and n >= T["governed"] * counts.lemma_uses(head, *OPEN_TAGS)
    )


def object_relatives(
    counts: TreebankCounts, case: str, *, with_articles: bool, definite: str
) -> list[Modifier]:
    """Return object relative clauses with a relative word that says nothing of its antecedent."""
    clauses = []
    for word, seen in sorted(counts.relatives.items()):
        n, n_commas = seen["n"], seen["comma"]
        is_regular = n_commas >= 0.9 * n or n_commas <= 0.3 * n
        both = min(seen[number] for number in NUMBERS) >= 1
        adposition = counts.lemma_uses(word, "ADP") > T["noun_form"] * counts.lemma_uses(word)
        if n >= T["relative_uses"] and both and is_regular and not adposition:
            position, comma = NounPosition("relative", "", False, case), n_commas >= 0.9 * n
            clauses.append(Modifier(position, with_articles, definite, n, n, word, comma))
    return clauses


def _is_adposition(counts: TreebankCounts, lemma: str) -> bool:
    """Tell whether a word is an adposition in most of its uses."""
    return counts.lemma_uses(lemma, "ADP", "PART") >= T["adposition"] * counts.lemma_uses(lemma)
