"""What lists show: targets, by a Latin square, and fillers, attention checks and practice.

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
from dataclasses import dataclass, field, replace
from itertools import accumulate, combinations
from typing import TypeAlias, TypeVar

from ...data.errors import InputError
from ...data.items.item import Item
from ...data.seeds import generator, shuffled
from ...nonce.variants.ambiguity import AMBIGUOUS, FLAGS
from . import CHOICES, Trial, Version, trial_of, versions
from .settings import POINTS, StudyPlan
from .texts import Texts

Sources: TypeAlias = Mapping[str, Sequence[Version]]
"""Source (`cluster_id`) → its versions; its construction is that of the first."""
Factors: TypeAlias = tuple[str, str, str]
Key = TypeVar("Key", bound=Hashable)
MOST_SEARCHED = 24  # versions: beyond, looking at every exchange takes seconds
GHOST = "ghost"  # cue or target is no word of its own: the sentence is not as it was written
DOUBTS = frozenset({*FLAGS, AMBIGUOUS, GHOST})
"""Flags that speak against a pair. Not among them: same_sentence and same_target (which are looked
at as sentences, below), multiword and unimorph, which say where a form is from."""
UNCLEAR = ("not unambiguous",)  # in place of the flags of a table's sources
NUMBER = "10"  # what a check of magnitude estimation asks for
SETTINGS = {"check": "checks", "practice": "practice"}  # kind of trial → the setting of its number
Parts: TypeAlias = tuple[str, tuple[str, ...], str]
"""Prefix, options, right answer of a shipped trial."""


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


@dataclass(frozen=True, slots=True)
class FillerPool:
    """The items that fillers, attention checks and practice trials are taken from.

    Attributes:
        items: all of them.
        kinds: item id → kind of trial that it is for; None: all are fillers (a suite).
        unambiguous: ids of fillers with no doubt about the right answer, as a table says; None
            where no table says it.
        is_default: whether nobody asked for them: then fewer than there are targets do.
    """

    items: tuple[Item, ...] = ()
    kinds: Mapping[str, str] | None = None
    unambiguous: frozenset[str] | None = None
    is_default: bool = False

    def of(self, kind: str) -> tuple[Item, ...]:
        """Return the items for one kind of trial, in their order."""
        if self.kinds is None:
            return self.items if kind == "filler" else ()
        return tuple(item for item in self.items if self.kinds.get(item.item_id) == kind)

    def with_unclear(self, facts: SourceFacts) -> SourceFacts:
        """Return what is known of sources, and what a table says: it has a doubt about those of
        which no item is unambiguous."""
        if self.unambiguous is None:
            return facts
        clear = {item.cluster_id for item in self.items if item.item_id in self.unambiguous}
        unclear = {item.cluster_id: UNCLEAR for item in self.items if item.cluster_id not in clear}
        return replace(facts, doubts={**facts.doubts, **unclear})


def draw_fillers(
    pool: FillerPool, targets: Sources, n_wanted: int, facts: SourceFacts, plan: StudyPlan
) -> tuple[Trial, ...]:
    """Draw so many fillers, each of another source and sentence, none of a source of the targets or
    of its sentence.

    First come sources that nothing is known against, among these first those whose construction is
    not tested. As far as the items go, each stratum (kind, that is original or nonce; value of the
    feature, so that singular and plural are right equally often; of single sentences condition)
    comes equally often, and so does each of the three; among the items for it, those of the
    construction that was drawn least. Raises `InputError` if there are too few and somebody asked
    for them.
    """
    tested = {own[0].item.construction for own in targets.values()}
    used = {facts.sentence(source) for source in targets}

    def rank(version: Version) -> tuple[bool, bool]:
        return version.item.cluster_id in facts.doubts, version.item.construction in tested

    def is_free(version: Version) -> bool:
        return facts.sentence(version.item.cluster_id) not in used

    strata: dict[tuple[str, ...], list[Version]] = {}
    for item in pool.of("filler"):
        if facts.sentence(item.cluster_id) not in used:
            for version in versions(item, plan.task):
                key = item.kind, version.value, version.sole_condition
                strata.setdefault(key, []).append(version)
    waiting = {
        key: sorted(shuffled(generator(plan.seed, "\t".join(["fillers", *key])), own), key=rank)
        for key, own in sorted(strata.items())
    }
    chosen: list[Version] = []
    counts, margins = Counter[tuple[str, ...]](), Counter[tuple[int, str]]()
    constructions = Counter[str]()
    while len(chosen) < n_wanted:
        waiting = {key: own for key, queue in waiting.items() if (own := [*filter(is_free, queue)])}
        if not waiting:
            break
        best = min(rank(queue[0]) for queue in waiting.values())
        stratum = min(
            (key for key, queue in waiting.items() if rank(queue[0]) == best),
            key=lambda key: (counts[key], sum(margins[factor] for factor in enumerate(key)), key),
        )
        version = min(
            (candidate for candidate in waiting[stratum] if rank(candidate) == best),
            key=lambda candidate: constructions[candidate.item.construction],
        )
        chosen.append(version)
        used.add(facts.sentence(version.item.cluster_id))
        counts[stratum] += 1
        margins.update(enumerate(stratum))
        constructions[version.item.construction] += 1
    if len(chosen) < n_wanted and not pool.is_default:
        wrong = f"{len(chosen)} fillers for {n_wanted} targets"
        right = (
            f"{n_wanted} fillers in a table or suite; at most {len(chosen)} targets (fewer of "
            "--per-construction, --construction, --versions); or none"
        )
        raise InputError("fillers", wrong, right, kind="value")
    return tuple(trial_of(version, plan.task, "filler", plan.language) for version in chosen)


def deciding_fillers(
    fillers: Sequence[Trial], pool: FillerPool, facts: SourceFacts, task: str
) -> frozenset[str] | None:
    """Return those of the fillers that may decide on people by how many they get wrong; None where
    nobody says, where there are none, and where they have no right answer.

    Of a table those that it calls unambiguous. Of a suite those of sources that nothing is known
    against, and no nonce among them: drawn words may have made another reading possible that nobody
    has looked for.
    """
    if task not in CHOICES:
        return None
    if pool.kinds is not None:
        return pool.unambiguous
    clear = (f.item for f in fillers if f.condition != "nonce" and f.source not in facts.doubts)
    return frozenset(clear) if fillers else None


def checks_or_practice(
    pool: FillerPool, kind: str, n_wanted: int, plan: StudyPlan
) -> tuple[Trial, ...]:
    """Return so many trials of a kind: the pool's own, else those that come with the language.

    Raises `InputError` where there are too few.
    """
    wording, there = plan.wording, "are in the file of --fillers"
    own = [found for item in pool.of(kind) if (found := versions(item, plan.task))]
    trials = [
        replace(trial_of(each[n % len(each)], plan.task, kind, plan.language), construction="")
        for n, each in enumerate(own)
    ]
    if not own:
        there = f"come with the language {plan.language!r}"
        shipped = () if wording is None else wording.words if kind == "check" else wording.practice
        trials = [_shipped(kind, n, plan, wording) for n in range(len(shipped)) if wording]
    if n_wanted > len(trials):
        wrong = f"{n_wanted} requested, but {len(trials) or 'none'} {there}"
        fewer = f"{len(trials)} or fewer" if trials else "0"
        right = f"{fewer}, or rows of kind {kind} in the file of --fillers"
        raise InputError(SETTINGS[kind], wrong, right, kind="value" if trials else "missing")
    return tuple(trials[:n_wanted])


def _shipped(kind: str, number: int, plan: StudyPlan, wording: Texts) -> Trial:
    """Return a trial of no item of the suite."""
    parts = _check if kind == "check" else _practised
    prefix, options, right = parts(number, plan, wording)
    name = f"{kind}-{number + 1}"
    return Trial(
        kind=kind,
        task=plan.task,
        item=name,
        source=name,
        prefix=prefix,
        options=options,
        language=plan.language,
        right=right,
    )


def _check(number: int, plan: StudyPlan, wording: Texts) -> Parts:
    """Return an attention check. The first word is the second option of the check before: which one
    is asked for, the sentence alone says."""
    text, words, scale = wording.check, wording.words, str(plan.settings.scale)
    word = words[number]
    if plan.task == "form":
        return text["form"].format(word=word), (word, words[(number + 1) % len(words)]), word
    if plan.task == "sentence":
        right = text["right"].format(word=word)
        return "", (right, text["wrong"].format(word=word)), right
    if scale == "magnitude":
        return "", (text["number"].format(number=NUMBER),), NUMBER
    end = number % 2
    return "", (text["highest" if end else "lowest"],), str(POINTS[scale][-end])


def _practised(number: int, plan: StudyPlan, wording: Texts) -> Parts:
    """Return a practice sentence. Of rated sentences every other one is wrong."""
    example = wording.practice[number]
    if plan.task == "form":
        return example.prefix, (example.right, example.wrong), example.right
    right, wrong = (
        f"{example.prefix} {form}{example.rest}" for form in (example.right, example.wrong)
    )
    if plan.task == "sentence":
        return "", (right, wrong), right
    return "", (wrong if number % 2 else right,), ""
