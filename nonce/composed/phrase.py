"""Phrases of a composed sentence: function words, their forms and how they are written.

A phrase is a sequence of syntactic words. The form of an article depends on the number, gender and
case of its noun and on the letters that follow. Two function words are written as one if the
treebank does so (*di il* → *del*), and some words are joined to the next (Hebrew *ב*, *l'*).

A *position* is a place of a noun in a clause; its *heads* are the words that the noun depends on.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from .suffixes import most_used
from .thresholds import LIMIT
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
JOINABLE_TAGS = ("ADP", "DET", "SCONJ")
BARE_CASES = {"nmod": "Gen", "obl": "Ins"}  # cases without an adposition, beside `LOCAL`
MAX_PREFIX_LETTERS = 3  # of the next word, on which a function word's form may depend


class ComposedWord(NamedTuple):
    """A syntactic word of a composed sentence; or a written token, with the annotation of the last
    content word in it."""

    form: str
    upos: str
    feats: str = "_"
    role: str = ""  # cue, target, attractor, or "" for function words and predicates
    lemma: str = "_"
    space: str = " "  # before it


COMMA = ComposedWord(",", "PUNCT", lemma=",")


@dataclass(frozen=True)
class Modifier:
    """A kind of noun phrase or relative clause, without its noun: one that can stand between head
    and target, or that can begin a sentence."""

    position: NounPosition
    with_article: bool
    definite: str  # value of its noun's feature Definite
    n: int  # uses in the treebank
    n_subjects: int  # uses between a subject and its target
    relative: str = ""  # the relative word of an object relative clause
    comma: bool = False
    heads: frozenset[str] = field(default=frozenset(), compare=False)
    """lemmas of the words that it can depend on; empty if it goes with any"""

    @property
    def name(self) -> str:
        """Return its name: `nmod:of`, `obl:Ine`, `relative:that`."""
        return f"relative:{self.relative}" if self.relative else self.position.name

    @property
    def start(self) -> list[ComposedWord]:
        """Return the words that a relative clause begins with: its relative word, after a comma if
        the language has one there."""
        word = ComposedWord(self.relative, "PRON", "PronType=Rel", lemma=self.relative)
        return [*([COMMA] if self.comma else []), word]


@dataclass
class PhraseWriter:
    """The spelling of function words in a language: their forms before other words, contractions,
    and what is joined to the next word."""

    counts: TreebankCounts
    _forms_by_prefix: dict[int, dict[str, Counter[str]]] = field(default_factory=dict)
    """`id` of a table of forms → first letters of the next word → uses of each form; for
    `form_before`"""

    def article(self, number: str, gender: str, case: str, following: str) -> str | None:
        """Return the form of the definite article before the word `following`; `None` if the
        treebank does not show it."""
        seen = self.counts.articles.get((number, gender, case))
        form = self.form_before(seen, following) if seen else None
        return form or self.form_before(self._articles, following)

    @cached_property
    def _articles(self) -> Counter[tuple[str, str]]:
        """(article, next word) → uses, whatever the noun's number, gender and case."""
        return sum(self.counts.articles.values(), Counter())

    def adposition(self, lemma: str, following: str) -> str | None:
        """Return an adposition's form before the word `following` ("" for a postposition); `None`
        if the treebank does not show it."""
        return self.form_before(self.counts.adpositions[lemma], following)

    def form_before(self, seen: Mapping[tuple[str, str], int], following: str) -> str | None:
        """Return the form of a function word before the word `following`: the one that nearly all
        words with the same first three letters have before them, or else the same first two, the
        first one, or any. Return `None` if no form predominates.

        `seen`: (form, next word) → uses; it must not change, as it is indexed once.
        """
        table = self._forms_by_prefix.get(id(seen))
        if table is None:
            table = self._forms_by_prefix[id(seen)] = {}
            for (form, next_word), n in seen.items():
                for length in range(MAX_PREFIX_LETTERS + 1):
                    table.setdefault(next_word[:length], Counter())[form] += n
        for length in range(MAX_PREFIX_LETTERS, -1, -1):
            uses = table.get(following.lower()[:length], Counter[str]())
            form, n = most_used(uses)
            min_share = LIMIT["shape"] if length else LIMIT["shape_any"]
            if uses.total() >= 2 and n >= min_share * uses.total():
                return form
        return None

    def tokens(self, words: Sequence[ComposedWord]) -> list[ComposedWord]:
        """Return the words of a sentence as written tokens: function words are contracted or joined
        to the next word, blanks are set, and the first letter is a capital."""
        tokens: list[ComposedWord] = []
        prefix, space = "", " "  # what is joined to the next word; the blank before it
        index = 0
        while index < len(words):
            word = words[index]
            following = words[index + 1] if index + 1 < len(words) else None
            contraction, is_joined = "", False
            if following is not None and not word.role:  # a function word
                contraction = self._contraction(word, following)
                is_joined = contraction.endswith("+") or (not contraction and self.is_joined(word))
            index += 2 if contraction else 1
            if is_joined:
                prefix += contraction.removesuffix("+") or word.form
                continue
            if contraction and following is not None:
                word = word._replace(form=contraction, feats=following.feats)
            space = "" if word.upos == "PUNCT" else space
            tokens.append(word._replace(form=prefix + word.form, space=space))
            is_elided = word.upos in (*JOINABLE_TAGS, "PRON") and word.form.endswith(ELIDED)
            prefix, space = "", "" if is_elided else " "
        first, *others = tokens
        # `title`, not `upper`: Georgian has capitals for whole words only
        capitalised = first.form[:1].title() + first.form[1:]
        return [first._replace(form=capitalised, space=""), *others]

    def _contraction(self, word: ComposedWord, following: ComposedWord) -> str:
        """Return the contraction of an adposition and the word after it (*di il* → *del*); "" if
        they are written apart. A final `+` means that it is joined to a third word."""
        seen = self.counts.pairs.get((word.form, following.form))
        if not seen or word.upos != "ADP":
            return ""
        text, n = most_used(seen)
        if text.endswith("+") or seen[f"{text}+"]:
            # With and without a third word it is one contraction; "" counts those written apart.
            n = seen.total() - seen[""]
        return text if n >= LIMIT["contraction"] * seen.total() else ""

    def is_prefixed(self, modifier: Modifier) -> bool:
        """Tell whether a modifier's adposition is joined to the word after it."""
        return self.is_joined(ComposedWord(modifier.position.adposition, "ADP"))

    def is_joined(self, word: ComposedWord) -> bool:
        """Tell whether a word is a function word that is joined to the word after it."""
        seen = self.counts.attached.get(word.form)
        return word.upos in JOINABLE_TAGS and bool(seen) and self.is_attached(word.form)

    def is_attached(self, form: str) -> bool:
        """Tell whether nearly all uses of a form in the treebank are written as one with the word
        after it; true if the treebank has no uses."""
        seen = self.counts.attached.get(form, Counter[bool]())
        return seen[True] >= LIMIT["contraction"] * seen.total()


def with_role(words: Iterable[ComposedWord], role: str) -> list[ComposedWord]:
    """Return words in which those that have a role (cue, target, attractor) get another one."""
    return [word._replace(role=role) if word.role else word for word in words]


# what is productive between a subject and its target


def shortages(seen: PositionCounts) -> str:
    """Return the counts that are too low to call a modifier productive, as text ("3 heads of 10,
    1 nouns of 20"); "" if none is."""
    counts_and_minima = {
        "heads": (len(seen.heads), LIMIT["modifier_heads"]),
        "nouns": (len(seen.nouns), LIMIT["modifier_nouns"]),
        "subjects": (seen.uses["subject"], LIMIT["modifier_subjects"]),
        "in each number": (min(seen.numbers[number] for number in NUMBERS), LIMIT["modifier_each"]),
    }
    return ", ".join(
        f"{n} {name} of {minimum:g}"
        for name, (n, minimum) in counts_and_minima.items()
        if n < minimum
    )


def has_article(seen: PositionCounts) -> bool:
    """Tell whether nouns in a position of the clause get the definite article in composed sets, as
    they often have it in the treebank."""
    n = seen.uses["article"]
    return n >= LIMIT["article"] * (n + seen.uses["plain"]) > 0


def definite_of(seen: PositionCounts, *, prefer_definite: bool = True) -> str:
    """Return the value of the feature Definite that nouns in a position of the clause get in sets:
    the most frequent one, or `Def` if it is preferred and not rare; "" if nouns of the language do
    not have the feature."""
    uses = {value: n for value, n in seen.definite.items() if value != "Cons"}  # construct state
    if prefer_definite and uses.get("Def", 0) >= LIMIT["article"] * sum(uses.values()) > 0:
        return "Def"
    return max(sorted(uses), key=uses.__getitem__, default="")


def modifiers(
    counts: TreebankCounts,
    writer: PhraseWriter,
    kinds: Sequence[Kind],
    *,
    with_articles: bool,
    excluded_adpositions: Set[str],
) -> list[Modifier]:
    """Return the modifiers (kinds of phrases) that are productive between a subject and its target:
    seen with many nouns and heads. The most frequent come first.

    Obliques, which depend on the predicate, are used only if the language has fewer than two kinds
    of modifiers that follow their noun and depend on it.

    Args:
        counts: counts of the treebank.
        writer: tells which adpositions are joined to the next word.
        kinds: kinds of targets, whose subjects' cases no modifier may have.
        with_articles: whether the language has articles, so that nouns without one are left out.
        excluded_adpositions: adpositions after which a plural verb is right, too (*with*).
    """
    controlling = {kind.case for kind in kinds} - {""}
    # (adposition, case) → uses in any position
    n_of_marking: Counter[tuple[str, str]] = Counter()
    for position, seen in counts.positions.items():
        n_of_marking[position.adposition, position.case] += seen.numbers.total()
    candidates: list[Modifier] = []
    adnominal: list[Modifier] = []  # candidates that depend on a noun in many of their uses
    for position, seen in sorted(counts.positions.items()):
        adposition, case, n = position.adposition, position.case, seen.numbers.total()
        article, is_nmod = has_article(seen), position.kind == "nmod"
        if (
            position.kind not in BARE_CASES
            or not excluded_adpositions.isdisjoint((adposition, f"{adposition}+{case}"))
            or (not adposition and case not in {BARE_CASES[position.kind], *LOCAL})
            or case in controlling  # a target could agree with it
            or shortages(seen)
            or seen.uses["single"] < LIMIT["modifier_singular"] * n  # such as *between*
            or (adposition and not _is_adposition(counts, adposition))
            # No noun without its article (*as candidate*), unless the adposition may hide it, as
            # Hebrew *ב* does.
            or (with_articles and not article and not writer.is_attached(adposition))
        ):
            continue
        share = n / n_of_marking[adposition, case]
        is_mostly_nmod = is_nmod and share >= LIMIT["modifier_own"]
        is_seldom_required = n_governed(counts, seen) <= LIMIT["modifier_governed"] * n
        has_many_heads = len(seen.heads) >= LIMIT["modifier_free"]
        goes_with_any = has_many_heads and (is_mostly_nmod or is_seldom_required)
        modifier = Modifier(
            position, article, definite_of(seen, prefer_definite=not adposition), n,
            seen.uses["subject"], heads=frozenset(() if goes_with_any else seen.heads),
        )  # fmt: skip
        candidates.append(modifier)
        if is_nmod and share >= LIMIT["modifier_noun"]:
            adnominal.append(modifier)
    following = [modifier for modifier in candidates if modifier.position.kind == "nmod"]
    chosen = next((group for group in (adnominal, following) if len(group) >= 2), candidates)
    return sorted(chosen, key=lambda modifier: (-modifier.n_subjects, modifier.name))


def n_governed(counts: TreebankCounts, seen: PositionCounts) -> int:
    """Return the number of uses of a position whose head (the word that the noun depends on) seems
    to require it: a large share of the head's own uses have a noun in this position."""
    return sum(
        n
        for head, n in seen.heads.items()
        if n >= 2 and n >= LIMIT["governed"] * counts.lemma_uses(head, *OPEN_TAGS)
    )


def object_relatives(
    counts: TreebankCounts, case: str, *, with_articles: bool, definite: str
) -> list[Modifier]:
    """Return the kinds of object relative clauses whose subject is in a case: one for each frequent
    relative word, such as *that*, if the noun before it can be singular or plural, and a noun can
    be the subject after it. Elided words (*qu'*) are left out."""
    clauses = []
    for word, seen in sorted(counts.relatives.items()):
        n, n_commas = seen["n"], seen["comma"]
        has_comma, has_none = n_commas >= 0.9 * n, n_commas <= 0.3 * n  # before the word
        in_both_numbers = min(seen[number] for number in NUMBERS) >= 1
        n_as_adposition, n_as_any = counts.lemma_uses(word, "ADP"), counts.lemma_uses(word)
        is_adposition = n_as_adposition > LIMIT["noun_form"] * n_as_any
        if (
            n >= LIMIT["relative_uses"]
            and in_both_numbers
            and seen["noun"] >= LIMIT["relative_nouns"]
            and not word.endswith(ELIDED)
            and not is_adposition
            and (has_comma or has_none)
        ):
            position = NounPosition("relative", "", False, case)
            clauses.append(Modifier(position, with_articles, definite, n, n, word, has_comma))
    return clauses


def _is_adposition(counts: TreebankCounts, lemma: str) -> bool:
    """Tell whether a word is an adposition in most of its uses."""
    return counts.lemma_uses(lemma, "ADP", "PART") >= LIMIT["adposition"] * counts.lemma_uses(lemma)
