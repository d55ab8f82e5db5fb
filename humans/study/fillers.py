"""Trials that are no targets: fillers, attention checks, practice."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from ...data.errors import InputError
from ...data.items.item import Item
from ...data.seeds import generator, shuffled
from .lists import SourceFacts, Sources
from .settings import POINTS, StudyPlan
from .texts import Texts
from .trial import CHOICES, Trial, Version, trial_of, versions

UNCLEAR = ("not unambiguous",)  # in place of the flags of a table's sources
NUMBER = "10"  # what a check of magnitude estimation asks for
SETTINGS = {"check": "checks", "practice": "practice"}  # kind of trial → the setting of its number


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


Parts: TypeAlias = tuple[str, tuple[str, ...], str]
"""Prefix, options, right answer."""


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
