"""A Latin square: which list shows which version of a source.

A *source* is an original with everything made from it (a cluster of the suite), and nobody sees
two versions of one. In list l the source number s is shown in version (s + l) mod k, so that each
of k lists has another version of it. Sources are shuffled within their construction and numbered
through, so that the sources of a construction take consecutive versions; and versions are in an
order in which all stretches of equal length hold about the same of every condition (`even_order`).
Hence lists differ by at most one in how often a construction comes in a condition.

What is known against sources is recorded of originals alone: `colorless nonce` looks at their trees
(docs/sets.md). A variant shares the build of its original, and so its doubts.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, combinations
from typing import TypeAlias, TypeVar

from ...data.errors import InputError
from ...data.items.item import Item
from ...data.seeds import generator, shuffled
from ...nonce.variants.ambiguity import AMBIGUOUS, FLAGS
from .trial import Version

Sources: TypeAlias = Mapping[str, Sequence[Version]]
"""Source (`cluster_id`) → its versions; its construction is that of the first."""
Factors: TypeAlias = tuple[str, str, str]
Key = TypeVar("Key", bound=Hashable)
MOST_SEARCHED = 24  # versions: beyond, looking at every exchange takes seconds
GHOST = "ghost"  # cue or target is no word of its own: the sentence is not as it was written
DOUBTS = frozenset({*FLAGS, AMBIGUOUS, GHOST})
"""Flags that speak against a pair. Not among them: same_sentence and same_target (which are looked
at as sentences, below), multiword and unimorph, which say where a form is from."""


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """Doubts about sources (clusters of a suite), and the sentences that they are from."""

    doubts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Source → the flags against it, sorted; a source without any is not in it."""
    sentences: Mapping[str, str] = field(default_factory=dict)  # source → its sentence, if known

    def sentence(self, source: str) -> str:
        """Return what sources that stem from one sentence share; the source itself where none is
        known."""
        return self.sentences.get(source, source)


def source_facts(items: Iterable[Item]) -> SourceFacts:
    """Return what the items' makers have recorded of their sources."""
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


def is_unchecked(items: Sequence[Item]) -> bool:
    """Tell whether nobody has looked for doubts in agreement items. Composing does, and so does
    `nonce`, which also records what tempts and what leaks: somewhere in a suite is one of these."""
    agreements = [item.agreement for item in items if item.agreement and item.kind != "composed"]
    return bool(agreements) and not any(
        agreement.nominals or agreement.leaks or DOUBTS.intersection(agreement.flags)
        for agreement in agreements
    )


def flag_counts(doubts: Iterable[Sequence[str]]) -> str:
    """Count the sources with each flag, the most frequent first; the common mark `ambiguous` only
    where it is alone."""
    counts = Counter(
        flag for flags in doubts for flag in flags if flag != AMBIGUOUS or len(flags) == 1
    )
    return ", ".join(f"{flag} {n}" for flag, n in counts.most_common())


def sources_of(versions: Iterable[Version]) -> Sources:
    """Group versions by source, in the order in which sources first come."""
    sources: dict[str, list[Version]] = {}
    for version in versions:
        sources.setdefault(version.item.cluster_id, []).append(version)
    return sources


def one_per_sentence(sources: Sources, facts: SourceFacts, seed: int) -> Sources:
    """Keep one source of each sentence: one that nothing speaks against, if there is one, of
    several one at random. Two would answer each other: the text before one gap has the right form
    of another."""
    candidates = shuffled(generator(seed, "sources of a sentence"), [*sources])
    chosen: dict[str, str] = {}
    for source in sorted(candidates, key=lambda candidate: candidate in facts.doubts):
        chosen.setdefault(facts.sentence(source), source)
    return {
        name: members for name, members in sources.items() if chosen[facts.sentence(name)] == name
    }


def limited(sources: Sources, limit: int | None, seed: int) -> Sources:
    """Keep at most so many sources of each construction, drawn at random; in their order."""
    if limit is None:
        return sources
    chosen: set[str] = set()
    for construction, names in _by_construction(sources):
        chosen.update(shuffled(generator(seed, f"sources drawn\t{construction}"), names)[:limit])
    return {name: members for name, members in sources.items() if name in chosen}


def _by_construction(sources: Sources) -> list[tuple[str, list[str]]]:
    groups: dict[str, list[str]] = {}
    for name, members in sources.items():
        groups.setdefault(members[0].item.construction, []).append(name)
    return sorted(groups.items())


def latin_square(
    sources: Sources, n_lists: int, seed: int, n_seen: int = 1
) -> tuple[tuple[Version, ...], ...]:
    """Return for each list `n_seen` versions of every source, sources in the same order in all.

    Of several versions the first ones of all sources come before the second ones; they lie as far
    apart in the order of versions as can be.

    With as many lists as a source has versions, and one seen, each version is in exactly one list.
    A source that lacks some of the versions that others have shows its others of the same
    condition again; sources in other conditions are rotated apart. Each source must have `n_seen`
    versions. Raises `InputError` without sources.
    """
    if not sources:
        right = "a suite with items for this task"
        raise InputError("suite", "no item to show", right, kind="empty")
    groups: dict[tuple[Factors, ...], dict[str, Sequence[Version]]] = {}
    for name, members in sources.items():
        groups.setdefault(tuple(sorted({v.factors for v in members})), {})[name] = members
    lists: list[list[list[Version]]] = [[] for _ in range(n_lists)]
    for factors, group in sorted(groups.items()):
        cycle, number = _cycle(factors, group), 0
        for construction, names in _by_construction(group):
            for name in shuffled(generator(seed, f"sources\t{construction}"), names):
                members = sources[name]
                for shift, of_list in enumerate(lists):
                    indices = dict[int, None]()  # among the source's versions
                    for turn in range(len(cycle)):
                        step = number + shift + turn * max(1, len(cycle) // n_seen) + turn // n_seen
                        needed, which = cycle[step % len(cycle)]
                        fit = [n for n, v in enumerate(members) if v.factors == needed]
                        indices[fit[which % len(fit)]] = None
                    of_list.append([members[n] for n in indices][:n_seen])
                number += 1
    return tuple(
        tuple(seen[nth] for nth in range(n_seen) for seen in of_list if nth < len(seen))
        for of_list in lists
    )


def _cycle(factors: Sequence[Factors], group: Sources) -> list[tuple[Factors, int]]:
    """Return (factors, number of the version with them from 0) in an even order, each as often as
    the source with most of it has it."""
    counts = [Counter(version.factors for version in members) for members in group.values()]
    cells = [
        (levels, n) for levels in factors for n in range(max(count[levels] for count in counts))
    ]
    return [cells[index] for index in even_order([levels for levels, _ in cells])]


def even_order(keys: Sequence[Key]) -> tuple[int, ...]:
    """Return the indices of `keys` in a circular order that spreads equal keys evenly, those of one
    key in their own order.

    Any two stretches of it that are equally long hold each key equally often, or one of them once
    more: always for two keys, and for any number that come equally often; else where exchanging
    two at a time leads there (at most `MOST_SEARCHED` keys).
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
    cost = unevenness(word) if len(indices) > 2 and len(word) <= MOST_SEARCHED else 0
    while cost:
        tries = []
        for i, j in combinations(range(len(word)), 2):
            if word[i] != word[j]:
                changed = list(word)
                changed[i], changed[j] = changed[j], changed[i]
                tries.append((unevenness(changed), changed))
        best, changed = min(tries)
        if best >= cost:
            break
        word, cost = changed, best
    waiting = [iter(of_key) for of_key in indices.values()]
    return tuple(next(waiting[letter]) for letter in word)


def unevenness(word: Sequence[Hashable]) -> int:
    """Return how far a circular word is from even: summed over letters and lengths of stretches, by
    how much more than one the letter's numbers in stretches of that length differ."""
    total, length = 0, len(word)
    for letter in dict.fromkeys(word):
        sums = list(accumulate((symbol == letter for symbol in (*word, *word)), initial=0))
        for size in range(1, length):
            counts = [sums[start + size] - sums[start] for start in range(length)]
            total += max(0, max(counts) - min(counts) - 1)
    return total
