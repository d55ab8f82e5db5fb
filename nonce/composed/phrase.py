"""Phrases of a composed sentence: function words, their shapes and how they are written.

A phrase is a row of words of the tree. What an article looks like is told by number, gender and
case of its noun and the letters that follow; two function words are written as one where the
treebank does so (*di il* → *del*), and some words lean on the next (Hebrew *ב*, *l'*).
"""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from ._treebank_counts import GENITIVE, LOCAL, Kind, NounPosition, PositionCounts, TreebankCounts
from .suffixes import NUMBERS
from .thresholds import T

ELIDED = ("'", "’")
NONE = ""


class ComposedWord(NamedTuple):
    """A word of the tree in a composed sentence."""

    form: str
    upos: str
    feats: str
    role: str  # cue, target, attractor, or "" for function words and predicates
    lemma: str = "_"


class ComposedToken(NamedTuple):
    """A surface token, with what its last content word tells."""

    form: str
    upos: str
    feats: str
    role: str
    space: str  # what stands before it


@dataclass(frozen=True)
class Modifier:
    """What can stand between controller and target."""

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
        """Its kind: `nmod:of`, `obl:Ine`, `relative:that`."""
        if self.relative:
            return f"relative:{self.relative}"
        return position_name(self.position)


@dataclass
class PhraseWriter:
    """How a language writes function words."""

    harvest: TreebankCounts
    _shapes: dict[int, dict[tuple[str, ...], Counter[str]]] = field(default_factory=dict)

    def article(self, number: str, gender: str, case: str, following: str) -> str | None:
        """The definite article before a word; none where the treebank does not tell."""
        keys = ((number, gender, case), (number, gender, ""), (number, "", case))
        for key in filter(self.harvest.articles.__contains__, keys):
            shape = self.shape(self.harvest.articles[key], following)
            if shape is not None:
                return shape
        return self.shape(self._articles, following)

    @cached_property
    def _articles(self) -> Counter[tuple[str, str]]:
        """All articles with the words after them: number, gender or case may not matter."""
        return sum(self.harvest.articles.values(), Counter())

    def adposition(self, lemma: str, following: str, *, postposed: bool) -> str | None:
        """An adposition's form before a word, or after one."""
        seen = self.harvest.adpositions[lemma]
        if postposed:
            forms: Counter[str] = Counter()
            for (form, _), n in seen.items():
                forms[form] += n
            form, n = max(sorted(forms.items()), key=lambda entry: entry[1])
            return form if n >= T["shape"] * forms.total() else None
        return self.shape(seen, following)

    def shape(self, seen: Mapping[tuple[str, str], int], following: str) -> str | None:
        """The form seen before the letters that `following` begins with: three, two, one, none."""
        table = self._shapes.get(id(seen))
        if table is None:
            table = {}
            for (form, next_word), n in seen.items():
                for length in range(4):
                    table.setdefault((next_word[:length],), Counter())[form] += n
            self._shapes[id(seen)] = table
        for length in (3, 2, 1, 0):
            counts = table.get((following.lower()[:length],))
            if counts and counts.total() >= 2:
                form, n = max(sorted(counts.items()), key=lambda entry: entry[1])
                if n >= (T["shape"] if length else T["shape_any"]) * counts.total():
                    return form
        return None

    def tokens(self, words: Sequence[ComposedWord]) -> list[ComposedToken]:
        """The words as they are written: contractions, words that lean on the next, capitals."""
        tokens: list[ComposedToken] = []
        text, space = "", " "
        index = 0
        while index < len(words):
            word = words[index]
            next_word = words[index + 1] if index + 1 < len(words) else None
            if word.role == NONE and next_word is not None and word.upos == "ADP":
                joined = self._contraction(word.form, next_word.form)
                if joined.endswith("+"):
                    text += joined[:-1]
                    index += 2
                    continue
                if joined:
                    tokens.append(ComposedToken(text + joined, "ADP", next_word.feats, NONE, space))
                    text, space = "", NONE if joined.endswith(ELIDED) else " "
                    index += 2
                    continue
            if word.role == NONE and next_word is not None and self._attaches(word):
                text += word.form
                index += 1
                continue
            space = NONE if word.upos == "PUNCT" else space
            tokens.append(ComposedToken(text + word.form, word.upos, word.feats, word.role, space))
            tight = word.upos in ("ADP", "DET", "PRON", "SCONJ") and word.form.endswith(ELIDED)
            text, space = "", NONE if tight else " "
            index += 1
        form = tokens[0].form
        return [tokens[0]._replace(form=form[:1].upper() + form[1:], space=""), *tokens[1:]]

    def _contraction(self, first: str, second: str) -> str:
        seen = self.harvest.pairs.get((first, second))
        if not seen:
            return ""
        text, n = max(sorted(seen.items()), key=lambda entry: entry[1])
        if text.endswith("+") or seen[text.rstrip("+") + "+"]:
            n = seen.total() - seen[""]
        return text if n >= T["contraction"] * seen.total() else ""

    def is_subordinator(self, form: str) -> bool:
        """Whether a form opens subordinate clauses and does little else."""
        counts: Counter[bool] = Counter()
        for (word, _, upos, _), n in self.harvest.analyses.items():
            if word.lower() == form:
                counts[upos == "SCONJ"] += n
        return counts[True] >= T["shape"] * counts.total()

    def attaches(self, modifier: Modifier) -> bool:
        """Whether a modifier's adposition is written as one with the word after it."""
        form = modifier.position.adposition
        return bool(form) and self._attaches(ComposedWord(form, "ADP", "_", NONE))

    def _attaches(self, word: ComposedWord) -> bool:
        if word.upos not in ("ADP", "DET", "SCONJ"):
            return False
        seen = self.harvest.attached.get(word.form, Counter[bool]())
        return seen[True] >= T["contraction"] * seen.total() > 0


def position_name(position: NounPosition) -> str:
    """What a modifier in a place is called: `nmod:of`, `obl:Ine`."""
    return f"{position.kind}:{position.adposition or position.case}"


def shortages(uses: PositionCounts) -> str:
    """What of a modifier is too little to call it productive; "" if nothing."""
    counts = {
        "heads": (len(uses.heads), T["modifier_heads"]),
        "nouns": (len(uses.nouns), T["modifier_nouns"]),
        "subjects": (uses.n_subjects, T["modifier_subjects"]),
        "in each number": (min(uses.numbers[number] for number in NUMBERS), T["modifier_each"]),
    }
    return ", ".join(f"{n} {unit} of {floor:g}" for unit, (n, floor) in counts.items() if n < floor)


def has_article(uses: PositionCounts) -> bool:
    """Whether the nouns of a place get the definite article."""
    n = uses.articles[True]
    return n >= T["article_uses"] and n >= T["article"] * uses.articles.total()


def definite_of(uses: PositionCounts, *, prefer_definite: bool = True) -> str:
    """The value of Definite that most nouns of a place have, if they carry it; or the definite one
    where that is not rare."""
    by_value: Counter[str] = Counter()
    for (_, value), n in uses.definite.items():
        by_value[value] += n
    del by_value["Cons"]
    if not by_value:
        return ""
    if prefer_definite and by_value["Def"] >= T["article"] * by_value.total():
        return "Def"
    return max(sorted(by_value), key=by_value.__getitem__)


def modifiers(
    harvest: TreebankCounts,
    kinds: Sequence[Kind],
    *,
    with_articles: bool,
    company: Set[str] = frozenset(),
) -> list[Modifier]:
    """Return what is productive between a subject and its target, the most frequent first, without
    adpositions of `company`, after which a plural is right as well.

    Dependents of the predicate serve where the language has fewer than two kinds of modifiers
    after their noun.
    """
    controlling = {kind.case for kind in kinds} - {""}
    total: Counter[str] = Counter()
    by_case: Counter[tuple[str, str]] = Counter()
    for position, uses in harvest.positions.items():
        total[position.adposition] += uses.numbers.total()
        by_case[position.adposition, position.case] += uses.numbers.total()
    by_form = _adposition_share(harvest)
    candidates: list[Modifier] = []
    shares: dict[NounPosition, float] = {}
    for position, uses in sorted(harvest.positions.items()):
        n = uses.numbers.total()
        bare = not position.adposition
        cases = {GENITIVE} if position.kind == "nmod" else {"Ins"}
        if (
            position.kind not in ("nmod", "obl")
            or position.adposition in company
            or f"{position.adposition}+{position.case}" in company
            or (bare and position.case not in {*cases, *LOCAL})
            or position.case in controlling
            or shortages(uses)
            or uses.single[True] < T["modifier_singular"] * n
            or (not bare and n < T["modifier_case"] * total[position.adposition])
            or (not bare and by_form.get(position.adposition, 1.0) < T["adposition"])
        ):
            continue
        if position.kind == "obl" and uses.order[True] < T["between"] * uses.order.total():
            continue
        article = has_article(uses)
        attached = harvest.attached.get(position.adposition, Counter[bool]())
        if with_articles and not article and attached[True] < T["contraction"] * attached.total():
            continue  # *as candidate*; Hebrew *ב* may hide the article
        definite = definite_of(uses, prefer_definite=bare)
        share = n / by_case[position.adposition, position.case]
        shares[position] = share
        governed = n_governed(harvest, uses)
        adnominal = position.kind == "nmod" and share >= T["modifier_own"]
        free = adnominal or governed <= T["modifier_governed"] * n
        free = free and len(uses.heads) >= T["modifier_free"]
        heads = frozenset[str]() if free else frozenset(uses.heads)
        candidates.append(Modifier(position, article, definite, n, uses.n_subjects, heads=heads))
    following = [modifier for modifier in candidates if modifier.position.kind == "nmod"]
    nominal = [
        modifier for modifier in following if shares[modifier.position] >= T["modifier_noun"]
    ]
    chosen = nominal if len(nominal) >= 2 else following if len(following) >= 2 else candidates
    return sorted(chosen, key=lambda modifier: (-modifier.n_subjects, modifier.name))


def n_governed(harvest: TreebankCounts, uses: PositionCounts) -> int:
    """Count the uses of a position in which its head seems to ask for it."""
    return sum(
        seen
        for head, seen in uses.heads.items()
        if seen >= 2 and seen >= T["governed"] * harvest.lemmas[head]
    )


def object_relatives(
    harvest: TreebankCounts, case: str, uses: float, *, with_articles: bool, definite: str
) -> list[Modifier]:
    """Return object relative clauses with a relative word that says nothing of its antecedent,
    where there are so many uses of it."""
    clauses = []
    for word, seen in sorted(harvest.relatives.items()):
        numbers: Counter[str] = Counter()
        for (number, _), n in seen.items():
            numbers[number] += n
        n = numbers.total()
        if min(numbers[number] for number in NUMBERS) < uses / 6 or n < uses:
            continue
        comma = harvest.relative_comma[word][True] >= 0.9 * n
        if not comma and harvest.relative_comma[word][True] > 0.3 * n:
            continue
        position = NounPosition("relative", "", False, case)
        clauses.append(Modifier(position, with_articles, definite, n, n, word, comma))
    return clauses


def _adposition_share(harvest: TreebankCounts) -> dict[str, float]:
    """Lemma of an adposition → share of its uses as one."""
    as_adposition: Counter[str] = Counter()
    totals: Counter[str] = Counter()
    for (form, lemma, upos, _), n in harvest.analyses.items():
        key = (lemma if lemma != "_" else form).lower()
        if key in harvest.adpositions:
            totals[key] += n
            as_adposition[key] += n * (upos in ("ADP", "PART"))
    return {word: as_adposition[word] / totals[word] for word in totals if totals[word]}
