"""What is shown beside the targets: fillers, attention checks, practice."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ...data.errors import InputError
from ...data.items.item import Item
from ...data.seeds import generator, shuffled
from .lists import SourceFacts
from .settings import POINTS
from .stimulus import CHOICES, Stimulus, Version, stimulus, versions
from .texts import PracticeSentence, Texts, languages

TRIALS_PER_CHECK = 25  # one attention check for so many trials
UNCLEAR = ("not unambiguous",)  # what stands for the flags of a table's sources
NUMBER = "10"  # what a check of magnitude estimation asks for


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
        """The items for one kind of trial, in their order."""
        if self.kinds is None:
            return self.items if kind == "filler" else ()
        return tuple(item for item in self.items if self.kinds.get(item.item_id) == kind)

    def with_unclear(self, facts: SourceFacts) -> SourceFacts:
        """What is known of sources, with the word of a table that says which are unambiguous: it
        has a doubt about those of which no item is."""
        if self.unambiguous is None:
            return facts
        clear = {item.cluster_id for item in self.items if item.item_id in self.unambiguous}
        unclear = {item.cluster_id: UNCLEAR for item in self.items if item.cluster_id not in clear}
        return replace(facts, doubts={**facts.doubts, **unclear})


def fillers(
    items: Iterable[Item],
    n_wanted: int,
    task: str,
    seed: int,
    *,
    language: str = "",
    barred: Collection[str] = (),
    tested: Collection[str] = (),
    facts: SourceFacts = SourceFacts(),
    demand_all: bool = True,
) -> tuple[Stimulus, ...]:
    """Draw so many fillers, each of another source and sentence, none of a source in `barred` or of
    its sentence.

    First come sources that nothing is known against, among these first those whose construction is
    not in `tested`. As far as the items go, each stratum (kind, that is original or nonce; value of
    the feature, so that singular and plural are right equally often; of single sentences condition)
    comes equally often, and so does each of the three; among the items for it, those of the
    construction that was drawn least. Raises `InputError` if there are too few and `demand_all`.
    """

    def rank(version: Version) -> tuple[bool, bool]:
        item = version.item
        return item.cluster_id in facts.doubts, item.construction in tested

    barred_sentences = {facts.sentence(source) for source in barred}
    free = (item for item in items if facts.sentence(item.cluster_id) not in barred_sentences)
    strata: dict[tuple[str, ...], list[Version]] = {}
    for item in free:
        value = item.agreement.value if item.agreement else item.facts.get("value", "")
        for version in versions(item, task):
            strata.setdefault((item.kind, value, version.sole_condition), []).append(version)
    waiting = {
        key: sorted(shuffled(generator(seed, "fillers\t" + "\t".join(key)), candidates), key=rank)
        for key, candidates in sorted(strata.items())
    }
    chosen: list[Version] = []
    counts, margins = dict.fromkeys(waiting, 0), Counter[tuple[int, str]]()
    constructions, used = Counter[str](), set[str]()
    while len(chosen) < n_wanted:
        for queue in waiting.values():
            queue[:] = [v for v in queue if facts.sentence(v.item.cluster_id) not in used]
        best = min((rank(queue[0]) for queue in waiting.values() if queue), default=None)
        if best is None:
            break
        stratum = min(
            (key for key, queue in waiting.items() if queue and rank(queue[0]) == best),
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
    if len(chosen) < n_wanted and demand_all:
        wrong = f"{len(chosen)} fillers for {n_wanted} targets"
        right = (
            f"{n_wanted} fillers in a table or suite; at most {len(chosen)} targets (fewer of "
            "--per-construction, --construction, --versions); or none"
        )
        raise InputError("fillers", wrong, right, kind="value")
    return tuple(stimulus(version, task, "filler", language) for version in chosen)


def deciding_fillers(
    nontargets: Iterable[Stimulus], pool: FillerPool, facts: SourceFacts, task: str
) -> frozenset[str] | None:
    """Those of the fillers (`nontargets`) that may decide on people by how many they get
    wrong; None where nobody says, where there are none, and where they have no right answer.

    Of a table those that it calls unambiguous. Of a suite those of sources that nothing is known
    against, and no nonce among them: drawn words may have made another reading possible that nobody
    has looked for.
    """
    if task not in CHOICES:
        return None
    if pool.kinds is not None:
        return pool.unambiguous
    filler_trials = [filler for filler in nontargets if filler.kind == "filler"]
    if not filler_trials:
        return None
    clear = (filler for filler in filler_trials if filler.condition != "nonce")
    return frozenset(filler.item for filler in clear if filler.source not in facts.doubts)


def checks(
    pool: FillerPool,
    n_wanted: int,
    task: str,
    *,
    language: str,
    scale: str = "7",
    shipped: Texts | None = None,
) -> tuple[Stimulus, ...]:
    """So many attention checks: the pool's own, else those that come with the language.
    Raises `InputError` if there are too few."""
    words = shipped.words if shipped else ()
    from_pool = _from_pool(pool, n_wanted, "check", task, language, len(words) if shipped else None)
    if from_pool or not shipped:
        return from_pool
    return tuple(
        _shipped("check", number, task, language, _check(shipped.check, task, scale, number, words))
        for number in range(n_wanted)
    )


def _check(
    text: Mapping[str, str], task: str, scale: str, number: int, words: Sequence[str]
) -> tuple[str, str, str, str]:
    """(prefix, option, other option, right answer). The first word is the second option of the
    check before: which is wanted, only the sentence tells."""
    word = words[number]
    if task == "form":
        return text["form"].format(word=word), word, words[(number + 1) % len(words)], word
    if task == "sentence":
        right = text["right"].format(word=word)
        return "", right, text["wrong"].format(word=word), right
    if scale == "magnitude":
        return "", text["number"].format(number=NUMBER), "", NUMBER
    end = number % 2
    return "", text["highest" if end else "lowest"], "", str(POINTS[scale][-end])


def practice(
    pool: FillerPool, n_wanted: int, task: str, *, language: str, shipped: Texts | None = None
) -> tuple[Stimulus, ...]:
    """So many practice trials: the pool's own, else those that come with the language. Of rated
    sentences every other one is wrong. Raises `InputError` if there are too few."""
    examples = shipped.practice if shipped else ()
    from_pool = _from_pool(
        pool, n_wanted, "practice", task, language, len(examples) if shipped else None
    )
    return from_pool or tuple(
        _shipped("practice", number, task, language, _practised(example, number, task))
        for number, example in enumerate(examples[:n_wanted])
    )


def _practised(example: PracticeSentence, number: int, task: str) -> tuple[str, str, str, str]:
    """As `_check`."""
    if task == "form":
        return example.prefix, example.right, example.wrong, example.right
    right, wrong = (
        f"{example.prefix} {form}{example.rest}" for form in (example.right, example.wrong)
    )
    if task == "sentence":
        return "", right, wrong, right
    return "", wrong if number % 2 else right, "", ""


def _shipped(
    kind: str, number: int, task: str, language: str, parts: tuple[str, str, str, str]
) -> Stimulus:
    """A trial of no item of the suite."""
    name, (prefix, first, second, right) = f"{kind}-{number + 1}", parts
    return Stimulus(
        kind=kind,
        task=task,
        item=name,
        source=name,
        prefix=prefix,
        first=first,
        second=second,
        language=language,
        right=right,
    )


def _from_pool(
    pool: FillerPool, n_wanted: int, kind: str, task: str, language: str, n_shipped: int | None
) -> tuple[Stimulus, ...]:
    """The pool's own, if it has any. Raises `InputError` where there are fewer than are wanted, or
    fewer than the language has (None: no texts come with it)."""
    setting = "checks" if kind == "check" else "practice"
    per_item = [item_versions for item in pool.of(kind) if (item_versions := versions(item, task))]
    if not per_item and n_shipped is None and n_wanted:
        wrong = f"none come with the language {language!r}"
        right = (
            f"rows of kind {kind} in the file of --fillers, 0, or --set language=CODE, one of "
            f"{', '.join(languages())}"
        )
        raise InputError(setting, wrong, right, kind="missing")
    n_there = len(per_item) or n_shipped or 0
    if n_wanted > n_there:
        origin = "are in the file of --fillers" if per_item else f"come with {language!r}"
        wrong = f"{n_wanted} requested, but {n_there} {origin}"
        right = f"{n_there} or fewer, or rows of kind {kind} in the file of --fillers"
        raise InputError(setting, wrong, right, kind="value")
    return tuple(
        replace(
            stimulus(alternatives[number % len(alternatives)], task, kind, language),
            construction="",
        )
        for number, alternatives in enumerate(per_item[:n_wanted])
    )
