"""The phrases that are productive between a subject and its target."""

from collections import Counter
from collections.abc import Sequence, Set

from .counts import LOCAL, NUMBERS, OPEN_TAGS, Kind, NounPosition, PositionCounts, TreebankCounts
from .phrase import Modifier, PhraseWriter
from .thresholds import T

BARE = {"nmod": "Gen", "obl": "Ins"}  # cases without an adposition, beside `LOCAL`


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
        if min(seen[number] for number in NUMBERS) >= 1 and is_regular:
            position, comma = NounPosition("relative", "", False, case), n_commas >= 0.9 * n
            clauses.append(Modifier(position, with_articles, definite, n, n, word, comma))
    return clauses


def _is_adposition(counts: TreebankCounts, lemma: str) -> bool:
    """Tell whether a word is an adposition in most of its uses."""
    return counts.lemma_uses(lemma, "ADP", "PART") >= T["adposition"] * counts.lemma_uses(lemma)
