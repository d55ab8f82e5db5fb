"""Who sees which version of a source: a Latin square, source by source.

A *source* is an original with everything made from it (a cluster of the suite), and nobody sees
two versions of one. In list l the source number s is shown in version (s + l) mod k, so that each
of k lists has another version of it. Sources are shuffled within their construction and numbered
through, so that the sources of a construction take consecutive versions; and versions stand in an
order in which all stretches of equal length hold about the same of every condition (`even_order`).
Hence lists differ by at most one in how often a construction comes in a condition.

What is known against sources is told of originals alone: `colorless nonce` looks at their trees
(docs/sets.md). A variant shares the build of its original, and so its doubts.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TypeAlias, TypeVar

from ...data.errors import InputError
from ...data.items.item import Item
from ...data.seeds import generator, shuffled
from ...nonce.variants.ambiguity import AMBIGUOUS, FLAGS
from .stimulus import Version

Factors: TypeAlias = tuple[str, str, str]
Key = TypeVar("Key", bound=Hashable)
MOST_SEARCHED = 24  # versions: beyond, looking at every exchange takes seconds
GHOST = "ghost"  # cue or target is no word of its own: the sentence is not as it was written
DOUBTS = frozenset({*FLAGS, AMBIGUOUS, GHOST})
"""Flags that speak against a pair. Not among them: same_sentence and same_target (which are looked
at as sentences, below), multiword and unimorph, which tell where a form is from."""


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """What is known of sources (clusters of a suite) before anybody sees them."""

    doubts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Source → the flags against it, sorted; a source without any is not in it."""
    sentences: Mapping[str, str] = field(default_factory=dict)  # source → its sentence, if known

    def sentence(self, source: str) -> str:
        """What sources that stem from one sentence share; the source itself where none is known."""
        return self.sentences.get(source, source)


def source_facts(items: Iterable[Item]) -> SourceFacts:
    """What the items' makers have told of their sources."""
    doubts: dict[str, set[str]] = {}
    sentences: dict[str, str] = {}
    for item in items:
        agreement = item.agreement
        if agreement is None:
            continue
        doubts.setdefault(item.cluster_id, set()).update(DOUBTS.intersection(agreement.flags))
        if item.kind == "original":
            sentences[item.cluster_id] = " ".join(agreement.tokens)
        elif agreement.sent_id:
            sentence_id = "\t".join((agreement.treebank, agreement.file, agreement.sent_id))
            sentences.setdefault(item.cluster_id, sentence_id)
    flagged = {source: tuple(sorted(flags)) for source, flags in doubts.items() if flags}
    return SourceFacts(flagged, sentences)


def is_unseen(items: Sequence[Item]) -> bool:
    """Whether nobody has looked for doubts in agreement items: whoever does also tells what tempts
    and what leaks, so that somewhere in a suite there is some of the three."""
    agreements = [item.agreement for item in items if item.agreement is not None]
    return bool(agreements) and not any(
        agreement.nominals or agreement.leaks or DOUBTS.intersection(agreement.flags)
        for agreement in agreements
    )


def flag_counts(doubts: Iterable[Sequence[str]]) -> str:
    """How many sources have each flag, the most frequent first; the common mark `ambiguous` only
    where it stands alone."""
    counts = Counter(
        flag for flags in doubts for flag in flags if flag != AMBIGUOUS or len(flags) == 1
    )
    return ", ".join(f"{flag} {n}" for flag, n in counts.most_common())


@dataclass(frozen=True, slots=True)
class SourceVersions:
    """What a person may see one version of."""

    source: str  # cluster_id
    construction: str
    versions: tuple[Version, ...]


def sources_of(versions: Iterable[Version]) -> tuple[SourceVersions, ...]:
    """The versions by source, in the order in which sources first come. A source has the
    construction of its first item."""
    by_source: dict[str, list[Version]] = {}
    for version in versions:
        by_source.setdefault(version.item.cluster_id, []).append(version)
    return tuple(
        SourceVersions(name, members[0].item.construction, tuple(members))
        for name, members in by_source.items()
    )


def one_per_sentence(
    sources: Sequence[SourceVersions], facts: SourceFacts, seed: int
) -> tuple[SourceVersions, ...]:
    """One source of each sentence: one that nothing speaks against, if there is one, of several
    one at random; in their order. Two would tell of each other: the text before one gap has the
    right form of another."""
    candidates = shuffled(generator(seed, "sources of a sentence"), sources)
    by_sentence: dict[str, SourceVersions] = {}
    for source in sorted(candidates, key=lambda candidate: candidate.source in facts.doubts):
        by_sentence.setdefault(facts.sentence(source.source), source)
    chosen = {source.source for source in by_sentence.values()}
    return tuple(source for source in sources if source.source in chosen)


def limited(
    sources: Sequence[SourceVersions], limit: int | None, seed: int
) -> tuple[SourceVersions, ...]:
    """At most so many sources of each construction, drawn at random; the others keep their
    order."""
    if limit is None:
        return tuple(sources)
    chosen: set[str] = set()
    for name, members in _by_construction(sources):
        sample = shuffled(generator(seed, f"sources drawn\t{name}"), members)[:limit]
        chosen.update(source.source for source in sample)
    return tuple(source for source in sources if source.source in chosen)


def latin_square(
    sources: Sequence[SourceVersions], n_lists: int, seed: int, n_seen: int = 1
) -> tuple[tuple[Version, ...], ...]:
    """For each list `n_seen` versions of every source, sources in the same order in all of them.

    Of several versions the first ones of all sources come before the second ones; they lie as far
    apart in the order of versions as can be.

    With as many lists as a source has versions, and one seen, each version is in exactly one list.
    A source that lacks some of the versions that others have shows its others of the same
    condition again; sources in other conditions are rotated apart. Each source must have `n_seen`
    versions. Raises `InputError` without sources.
    """
    if not sources:
        raise InputError(
            "suite", "no item to show", "a suite with items for this task", kind="empty"
        )
    groups: dict[tuple[Factors, ...], list[SourceVersions]] = {}
    for source in sources:
        groups.setdefault(tuple(sorted({v.factors for v in source.versions})), []).append(source)
    lists: list[list[tuple[Version, ...]]] = [[] for _ in range(n_lists)]
    for factors, group in sorted(groups.items()):
        cycle, number = _cycle(factors, group), 0
        for name, members in _by_construction(group):
            for source in shuffled(generator(seed, f"sources\t{name}"), members):
                for shift, of_list in enumerate(lists):
                    indices = dict[int, None]()  # places among the source's versions
                    for turn in range(len(cycle)):
                        step = number + shift + turn * max(1, len(cycle) // n_seen) + turn // n_seen
                        needed, which = cycle[step % len(cycle)]
                        fit = [n for n, v in enumerate(source.versions) if v.factors == needed]
                        indices[fit[which % len(fit)]] = None
                    of_list.append(tuple(source.versions[n] for n in indices)[:n_seen])
                number += 1
    return tuple(
        tuple(seen[nth] for nth in range(n_seen) for seen in of_list if nth < len(seen))
        for of_list in lists
    )


def _cycle(
    factors: Sequence[Factors], group: Sequence[SourceVersions]
) -> list[tuple[Factors, int]]:
    """(what, the how manieth of it from 0) in an even order, each as often as the source with most
    of it has it."""
    counts = [Counter(version.factors for version in source.versions) for source in group]
    cells = [
        (levels, n) for levels in factors for n in range(max(count[levels] for count in counts))
    ]
    return [cells[index] for index in even_order([levels for levels, _ in cells])]


def _by_construction(sources: Iterable[SourceVersions]) -> list[tuple[str, list[SourceVersions]]]:
    groups: dict[str, list[SourceVersions]] = {}
    for source in sources:
        groups.setdefault(source.construction, []).append(source)
    return sorted(groups.items())


def even_order(keys: Sequence[Key]) -> tuple[int, ...]:
    """The places of `keys` (0-based) in a circular order that spreads equal keys evenly, those of
    one key in their own order.

    Any two stretches of it that are equally long hold each key equally often, or one of them once
    more: always for two keys, and for any number that come equally often; else where exchanging
    two places at a time leads there (at most `MOST_SEARCHED` keys).
    """
    indices: dict[Key, list[int]] = {}
    for index, key in enumerate(keys):
        indices.setdefault(key, []).append(index)
    due = [
        ((number + 0.5) / len(of_key), letter)
        for letter, of_key in enumerate(indices.values())
        for number in range(len(of_key))
    ]
    word = [letter for _, letter in sorted(due)]
    if len(indices) > 2 and len(word) <= MOST_SEARCHED:
        word = _improved(word)
    waiting = [iter(of_key) for of_key in indices.values()]
    return tuple(next(waiting[letter]) for letter in word)


def _improved(word: list[int]) -> list[int]:
    """The word after the best exchanges of two letters, as long as one makes it more even."""
    cost = unevenness(word)
    while cost:
        tries = []
        for i, j in combinations(range(len(word)), 2):
            if word[i] != word[j]:
                changed = list(word)
                changed[i], changed[j] = changed[j], changed[i]
                tries.append((unevenness(changed), changed))
        best, changed = min(tries)
        if best >= cost:
            return word
        word, cost = changed, best
    return word


def unevenness(word: Sequence[Hashable]) -> int:
    """How far a circular word is from even: summed over letters and lengths of stretches, by how
    much more than one the letter's numbers in stretches of that length differ. 0 for an even one.
    """
    total, length = 0, len(word)
    for letter in dict.fromkeys(word):
        sums = [0]
        for symbol in (*word, *word):
            sums.append(sums[-1] + (symbol == letter))
        for size in range(1, length):
            counts = [sums[start + size] - sums[start] for start in range(length)]
            total += max(0, max(counts) - min(counts) - 1)
    return total
