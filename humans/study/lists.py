"""What lists show: targets, by a Latin square, and fillers, attention checks and practice.

A *source* is an original sentence with all items made from it (a cluster of the suite). Each way of
showing a source is a *version*. By default nobody sees two versions of one source: list l shows
source number s in version (s + l) mod k, so that k lists show k different versions of it. Sources
are shuffled within their construction and then numbered, so that the sources of a construction take
consecutive versions. Versions are in an order in which all stretches of equal length contain about
the same number of each condition (`even_order`). So for each construction and condition, the
numbers of trials in any two lists differ by at most one.

A *doubt* is a reason why the wrong form of a source may be right. `colorless nonce` finds doubts in
the tree of the original (docs/sets.md); they hold for its variants too, which have the same tree.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
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
"""Source (`cluster_id`) → its versions; the source's construction is that of the first version."""
Factors: TypeAlias = tuple[str, str, str]
"""(kind, cell, condition) of a version, as `Version.factors` has them."""
Stratum: TypeAlias = tuple[str, str, str]
"""(kind, value of the feature, condition of a single sentence) of fillers"""
Key = TypeVar("Key", bound=Hashable)
MAX_SEARCHED_KEYS = 24  # with more, trying every exchange takes seconds
GHOST = "ghost"  # flag: cue or target is a word inside a contraction, such as "de" in "del"
DOUBTS = frozenset({*FLAGS, AMBIGUOUS, GHOST})
"""Flags that are doubts. The flags same_sentence and same_target are not among them (see
`one_per_sentence`), nor multiword and unimorph, which say where a form is from."""
UNCLEAR = ("not unambiguous",)  # the doubt about sources that a table does not call unambiguous
NUMBER_ASKED = "10"  # the answer that an attention check asks for in magnitude estimation
# kind of trial → setting with its number:
SETTING_OF_KIND = {"check": "checks", "practice": "practice"}
TrialTexts: TypeAlias = tuple[str, tuple[str, ...], str]
"""Prefix, options and right answer of a trial that comes with the language."""


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """Doubts about sources (reasons why a wrong form may be right), and their sentences."""

    doubts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Source → its flags, sorted; sources without flags are left out."""
    sentences: Mapping[str, str] = field(default_factory=dict)  # source → its sentence, if known

    def sentence(self, source: str) -> str:
        """Return the text or id of the sentence that a source is from; the source's own id if the
        sentence is not known."""
        return self.sentences.get(source, source)


def source_facts(items: Iterable[Item]) -> SourceFacts:
    """Collect the doubts about sources (reasons why a wrong form may be right) and the sentences
    of sources, from the agreement records of their items."""
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
    """Tell whether the agreement items were never checked for wrong forms that may be right.

    `colorless nonce` checks them, and leaves flags, nominals or leaks on at least some items of a
    suite. Composed items are checked when they are made.
    """
    agreements = [item.agreement for item in items if item.agreement and item.kind != "composed"]
    return bool(agreements) and not any(
        agreement.nominals or agreement.leaks or DOUBTS.intersection(agreement.flags)
        for agreement in agreements
    )


def flag_counts(doubts: Iterable[Sequence[str]]) -> str:
    """Write how many sources have each flag, the most frequent first: "ambiguous 3, ghost 1".

    The general flag `ambiguous` is counted only for sources without a more specific one.
    """
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
    """Keep one source from each sentence, drawn at random from those without doubts if there are
    any.

    Two gaps of one sentence would give away answers: the text before the second gap contains the
    right form of the first.
    """
    candidates = shuffled(generator(seed, "sources of a sentence"), [*sources])
    chosen: dict[str, str] = {}
    for source in sorted(candidates, key=lambda candidate: candidate in facts.doubts):
        chosen.setdefault(facts.sentence(source), source)
    return {
        name: members for name, members in sources.items() if chosen[facts.sentence(name)] == name
    }


def limit_per_construction(sources: Sources, limit: int | None, seed: int) -> Sources:
    """Keep at most `limit` sources of each construction, drawn at random, in the order given."""
    if limit is None:
        return sources
    chosen: set[str] = set()
    for construction, names in _by_construction(sources):
        chosen.update(shuffled(generator(seed, f"sources drawn\t{construction}"), names)[:limit])
    return {name: members for name, members in sources.items() if name in chosen}


def _by_construction(sources: Sources) -> list[tuple[str, list[str]]]:
    """Return (construction, its sources) pairs, sorted by construction."""
    groups: dict[str, list[str]] = {}
    for name, members in sources.items():
        groups.setdefault(members[0].item.construction, []).append(name)
    return sorted(groups.items())


def latin_square(
    sources: Sources, n_lists: int, seed: int, n_seen: int = 1
) -> tuple[tuple[Version, ...], ...]:
    """Choose for each list `n_seen` versions of every source, by a Latin square.

    All lists have the sources in the same order. With several versions per source, a list has the
    first versions of all sources, then the second ones; the versions of a source are as far apart
    in the cycle of versions as possible.

    If there are as many lists as versions of a source and `n_seen` is 1, each version is in exactly
    one list. A source that lacks a version of a condition shows another one of that condition
    again. Sources with different sets of conditions are rotated separately. Each source must have
    at least `n_seen` versions. Raises `InputError` if there are no sources.
    """
    if not sources:
        right = "a suite with items for this task"
        raise InputError("suite", "no item to show", right, kind="empty")
    groups: dict[tuple[Factors, ...], dict[str, Sequence[Version]]] = {}
    for name, members in sources.items():
        factors_of_source = tuple(sorted({version.factors for version in members}))
        groups.setdefault(factors_of_source, {})[name] = members
    lists: list[list[list[Version]]] = [[] for _ in range(n_lists)]  # list → source → versions
    for factors, group in sorted(groups.items()):
        cycle, source_number = _version_cycle(factors, group), 0
        for construction, names in _by_construction(group):
            for name in shuffled(generator(seed, f"sources\t{construction}"), names):
                for list_number, shown in enumerate(lists):
                    start = source_number + list_number
                    shown.append(_seen_versions(sources[name], cycle, start, n_seen))
                source_number += 1
    # in each list the first version of every source, then the second of every source, …
    return tuple(
        tuple(seen[nth] for nth in range(n_seen) for seen in shown if nth < len(seen))
        for shown in lists
    )


def _seen_versions(
    versions: Sequence[Version], cycle: Sequence[tuple[Factors, int]], start: int, n_seen: int
) -> list[Version]:
    """Choose `n_seen` different versions of a source: the one at place `start` of the cycle, and
    others as far from it and from each other as possible."""
    distance = max(1, len(cycle) // n_seen)
    indices = dict[int, None]()  # places in `versions`, each once, in the order chosen
    for turn in range(len(cycle)):
        # one more place after every `n_seen` turns, which have gone through the whole cycle
        place = start + turn * distance + turn // n_seen
        needed, nth = cycle[place % len(cycle)]
        fitting = [n for n, version in enumerate(versions) if version.factors == needed]
        indices[fitting[nth % len(fitting)]] = None  # with too few of them, one is shown again
    return [versions[index] for index in indices][:n_seen]


def _version_cycle(factors: Sequence[Factors], group: Sources) -> list[tuple[Factors, int]]:
    """Return the cycle of versions that the sources (original sentences) of a group go through.

    Each step is (factors, n), the nth version with these factors, from 0. Factors come as often as
    in the source that has most versions with them, and are spread evenly.
    """
    counts = [Counter(version.factors for version in members) for members in group.values()]
    steps = [
        (wanted, n) for wanted in factors for n in range(max(count[wanted] for count in counts))
    ]
    return [steps[index] for index in even_order([wanted for wanted, _ in steps])]


def even_order(keys: Sequence[Key]) -> tuple[int, ...]:
    """Return the indices of `keys` in a circular order that spreads equal keys evenly.

    Equal keys stay in the order given. In an even order the counts of a key in any two stretches of
    equal length differ by at most one. The result is always even for two different keys, and for
    keys that are equally frequent. For others, exchanges of two places are tried as long as they
    make the order more even (with at most `MAX_SEARCHED_KEYS` keys).
    """
    indices_of: dict[Key, list[int]] = {}
    for index, key in enumerate(keys):
        indices_of.setdefault(key, []).append(index)
    # a letter is the number of a key; the ideal places of its n occurrences are (0.5 + i) / n
    ideal_places = [
        ((occurrence + 0.5) / len(indices), letter)
        for letter, indices in enumerate(indices_of.values())
        for occurrence in range(len(indices))
    ]
    word = [letter for _, letter in sorted(ideal_places)]
    cost = unevenness(word) if len(indices_of) > 2 and len(word) <= MAX_SEARCHED_KEYS else 0
    while cost:
        exchanges = []
        for i, j in combinations(range(len(word)), 2):
            if word[i] != word[j]:
                changed = list(word)
                changed[i], changed[j] = changed[j], changed[i]
                exchanges.append((unevenness(changed), changed))
        lowest, changed = min(exchanges)
        if lowest >= cost:
            break
        word, cost = changed, lowest
    unplaced = [iter(indices) for indices in indices_of.values()]  # of each letter's key
    return tuple(next(unplaced[letter]) for letter in word)


def unevenness(word: Sequence[Hashable]) -> int:
    """Measure how unevenly letters are spread over a circular word; 0 means even.

    For each letter and length, take the letter's highest minus its lowest count in stretches of
    that length, minus the 1 that an even word may have. The result is the sum of these.
    """
    total, length = 0, len(word)
    for letter in dict.fromkeys(word):
        n_before = list(accumulate((symbol == letter for symbol in (*word, *word)), initial=0))
        for size in range(1, length):
            counts = [n_before[start + size] - n_before[start] for start in range(length)]
            total += max(0, max(counts) - min(counts) - 1)
    return total


@dataclass(frozen=True, slots=True)
class FillerPool:
    """The items that fillers, attention checks and practice trials are taken from.

    Attributes:
        items: all items of the pool.
        kinds: item id → kind of trial: filler, check or practice; None if all are fillers (from a
            suite).
        unambiguous: ids of the fillers that a table calls unambiguous; None if no table says so.
        is_default: True if the user asked for no fillers; then fewer than targets are enough.
    """

    items: tuple[Item, ...] = ()
    kinds: Mapping[str, str] | None = None
    unambiguous: frozenset[str] | None = None
    is_default: bool = False

    def items_for(self, kind: str) -> tuple[Item, ...]:
        """Return the items for one kind of trial, in the order given."""
        if self.kinds is None:
            return self.items if kind == "filler" else ()
        return tuple(item for item in self.items if self.kinds.get(item.item_id) == kind)

    def with_unclear(self, facts: SourceFacts) -> SourceFacts:
        """Return `facts` with a further doubt about each source without an unambiguous item.

        Return `facts` unchanged if no table says which fillers are unambiguous.
        """
        if self.unambiguous is None:
            return facts
        clear = {item.cluster_id for item in self.items if item.item_id in self.unambiguous}
        unclear = {item.cluster_id: UNCLEAR for item in self.items if item.cluster_id not in clear}
        return replace(facts, doubts={**facts.doubts, **unclear})


def draw_fillers(
    pool: FillerPool, targets: Sources, n_wanted: int, facts: SourceFacts, plan: StudyPlan
) -> tuple[Trial, ...]:
    """Draw `n_wanted` fillers at random, each from a different sentence, and none from a sentence
    of the targets.

    Sources without doubts (reasons why a wrong form may be right) are preferred, and among these
    the ones whose construction is not tested.
    Strata are drawn equally often as far as possible, and so are kinds, values and conditions taken
    alone, so that for example singular and plural are right equally often. Within a stratum the
    construction that was drawn least comes next. Raises `InputError` if the user asked for fillers
    and there are too few.
    """
    tested = {versions[0].item.construction for versions in targets.values()}
    used = {facts.sentence(source) for source in targets}

    def rank(version: Version) -> tuple[bool, bool]:
        """Return (has doubts, is of a tested construction); the lowest rank is drawn first."""
        return version.item.cluster_id in facts.doubts, version.item.construction in tested

    def is_free(version: Version) -> bool:
        """Tell whether no target or chosen filler is from the same sentence."""
        return facts.sentence(version.item.cluster_id) not in used

    strata: dict[Stratum, list[Version]] = {}
    for item in pool.items_for("filler"):
        for version in filter(is_free, versions(item, plan.task)):
            key = item.kind, version.value, version.sole_condition
            strata.setdefault(key, []).append(version)
    # stratum → its versions, those of the lowest rank first
    waiting = {
        key: sorted(shuffled(generator(plan.seed, "\t".join(["fillers", *key])), queue), key=rank)
        for key, queue in sorted(strata.items())
    }
    chosen: list[tuple[Stratum, Version]] = []
    while len(chosen) < n_wanted:
        free = {key: [*filter(is_free, queue)] for key, queue in waiting.items()}
        waiting = {key: queue for key, queue in free.items() if queue}
        if not waiting:
            break
        lowest_rank = {key: rank(queue[0]) for key, queue in waiting.items()}
        best = min(lowest_rank.values())
        # of the strata drawn least, the one whose kind, value and condition were drawn least
        n_drawn = Counter(stratum for stratum, _ in chosen)
        n_of_part = Counter(part for stratum, _ in chosen for part in enumerate(stratum))
        _, _, stratum = min(
            (n_drawn[key], sum(n_of_part[part] for part in enumerate(key)), key)
            for key, its_rank in lowest_rank.items()
            if its_rank == best
        )
        n_of_construction = Counter(version.item.construction for _, version in chosen)
        version = min(
            (candidate for candidate in waiting[stratum] if rank(candidate) == best),
            key=lambda candidate: n_of_construction[candidate.item.construction],
        )
        chosen.append((stratum, version))
        used.add(facts.sentence(version.item.cluster_id))
    if len(chosen) < n_wanted and not pool.is_default:
        wrong = f"{len(chosen)} fillers for {n_wanted} targets"
        right = (
            f"{n_wanted} fillers in a table or suite; at most {len(chosen)} targets (fewer of "
            "--per-construction, --construction, --versions); or none"
        )
        raise InputError("fillers", wrong, right, kind="value")
    return tuple(trial_of(version, plan.task, "filler", plan.language) for _, version in chosen)


def deciding_fillers(
    fillers: Sequence[Trial], pool: FillerPool, facts: SourceFacts, task: str
) -> frozenset[str] | None:
    """Return the ids of the fillers on which wrong answers may exclude a participant.

    Fillers from a table must be called unambiguous there. Fillers from a suite must have no doubts
    and must not be nonce, since random words may have made the wrong form right. The result is None
    if the table doesn't say, if there are no fillers, or if the task has no right answers.
    """
    if task not in CHOICES:
        return None
    if pool.kinds is not None:
        return pool.unambiguous
    if not fillers:
        return None
    unchanged = (filler for filler in fillers if filler.condition != "nonce")
    return frozenset(filler.item for filler in unchanged if filler.source not in facts.doubts)


def checks_or_practice(
    pool: FillerPool, kind: str, n_wanted: int, plan: StudyPlan
) -> tuple[Trial, ...]:
    """Return `n_wanted` trials of a kind, "check" or "practice".

    They come from the pool if it has any, else from the texts that come with the language. Raises
    `InputError` if there are too few.
    """
    wording, origin = plan.wording, "are in the file of --fillers"
    by_item = [found for item in pool.items_for(kind) if (found := versions(item, plan.task))]
    trials = [
        # sentences to rate are the first version of one item, the second of the next, …
        replace(trial_of(shown[n % len(shown)], plan.task, kind, plan.language), construction="")
        for n, shown in enumerate(by_item)
    ]
    if not by_item:
        origin = f"come with the language {plan.language!r}"
        trials = [] if wording is None else list(_shipped_trials(kind, plan, wording))
    if n_wanted > len(trials):
        wrong = f"{n_wanted} requested, but {len(trials) or 'none'} {origin}"
        fewer = f"{len(trials)} or fewer" if trials else "0"
        right = f"{fewer}, or rows of kind {kind} in the file of --fillers"
        raise InputError(SETTING_OF_KIND[kind], wrong, right, kind="value" if trials else "missing")
    return tuple(trials[:n_wanted])


def _shipped_trials(kind: str, plan: StudyPlan, wording: Texts) -> Iterator[Trial]:
    """Yield the check or practice trials that come with the language."""
    texts_of = _check_texts if kind == "check" else _practice_texts
    for number, (prefix, options, right) in enumerate(texts_of(plan, wording), start=1):
        name = f"{kind}-{number}"
        yield Trial(
            kind=kind,
            task=plan.task,
            item=name,
            source=name,
            prefix=prefix,
            options=options,
            language=plan.language,
            right=right,
        )


def _check_texts(plan: StudyPlan, wording: Texts) -> Iterator[TrialTexts]:
    """Yield prefix, options and right answer of attention checks, whose texts ask for a certain
    answer.

    In form choice, the word asked for is the wrong option of the check before, so that only the
    text tells which word to choose.
    """
    text, scale = wording.check, str(plan.settings.scale)
    for number, word in enumerate(wording.words):
        if plan.task == "form":
            next_word = wording.words[(number + 1) % len(wording.words)]
            yield text["form"].format(word=word), (word, next_word), word
        elif plan.task == "sentence":
            right = text["right"].format(word=word)
            yield "", (right, text["wrong"].format(word=word)), right
        elif scale == "magnitude":
            yield "", (text["number"].format(number=NUMBER_ASKED),), NUMBER_ASKED
        else:
            lowest, *_, highest = POINTS[scale]
            end, answer = ("highest", highest) if number % 2 else ("lowest", lowest)
            yield "", (text[end],), str(answer)


def _practice_texts(plan: StudyPlan, wording: Texts) -> Iterator[TrialTexts]:
    """Yield prefix, options and right answer of practice trials. Of sentences to rate, every second
    one is wrong."""
    for number, example in enumerate(wording.practice):
        forms = example.right, example.wrong
        right, wrong = (f"{example.prefix} {form}{example.rest}" for form in forms)
        if plan.task == "form":
            yield example.prefix, forms, example.right
        elif plan.task == "sentence":
            yield "", (right, wrong), right
        else:
            yield "", (wrong if number % 2 else right,), ""
