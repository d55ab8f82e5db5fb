"""The trials of a study, list by list: targets, fillers, checks and practice, in their orders."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...data.errors import InputError
from ...data.items.item import Item
from ...data.items.suite import select_items
from ...data.tables import Row
from . import notes
from .design_plan import StudyPlan
from .fillers import (
    TRIALS_PER_CHECK,
    FillerPool,
    checks,
    deciding_fillers,
    fillers,
    practice,
)
from .lists import (
    SourceFacts,
    SourceVersions,
    flag_counts,
    latin_square,
    limited,
    one_per_sentence,
    source_facts,
    sources_of,
)
from .notes import LeftOutSources
from .order import TrialOrder, add_sides, arrange, list_trials
from .stimulus import Stimulus, Version, is_determiner_noun, stimulus, versions
from .study import Trial


@dataclass(frozen=True, slots=True)
class StudyDesign:
    """A study before it is written.

    Attributes:
        trials: of all lists, list by list, each in the order shown.
        key: trial_id → the right option; "" where there is none.
        rows: one per list: how many trials of each kind, how many blocks, right options first.
        messages: what should be known before anybody takes part.
        unambiguous: the fillers whose errors may exclude people; None where nothing says which.
        lists: the versions of targets that each list shows.
    """

    trials: tuple[Trial, ...]
    key: Mapping[str, str]
    rows: tuple[Row, ...]
    messages: tuple[str, ...]
    unambiguous: frozenset[str] | None
    lists: tuple[tuple[Version, ...], ...]


@dataclass(frozen=True, slots=True)
class Targets:
    """The targets of all lists, and which sources are none."""

    items: Sequence[Item]  # those that could be asked about
    n_same: int  # of them, with two forms that are the same
    sources: Sequence[SourceVersions]
    gone: LeftOutSources
    lists: tuple[tuple[Version, ...], ...]

    @property
    def n_most(self) -> int:
        """The number of versions of the source that has most."""
        return max((len(source.versions) for source in self.sources), default=0)


@dataclass(frozen=True, slots=True)
class Extras:
    """The trials of every list that are no targets."""

    fillers: tuple[Stimulus, ...]
    n_fillers: int  # drawn, also where they are too few to be used
    checks: tuple[Stimulus, ...]
    n_usual: int  # of checks
    practice: tuple[Stimulus, ...]


def laid_out(items: Sequence[Item], pool: FillerPool | None, plan: StudyPlan) -> StudyDesign:
    """Lay out the lists of a study, without writing anything.

    Args:
        items: of the suite; the targets are those of the plan's constructions.
        pool: fillers, and perhaps checks and practice sentences of one's own; None: no fillers.
        plan: what is asked for.

    Returns:
        The trials of all lists with their key, a row for each list, and messages.

    Raises:
        InputError: the items do not suffice for the plan.
    """
    source = pool or FillerPool()
    facts = source_facts((*items, *source.items))
    targets = choose_targets(items, facts, plan)
    extras = draw_extras(pool, targets, facts, plan)
    target_lists = [
        [stimulus(version, plan.task, "target", plan.language) for version in of_list]
        for of_list in targets.lists
    ]
    keyed, rows = order_lists(target_lists, extras, plan)
    decide = deciding_fillers(extras.fillers, source, facts, plan.task)
    messages = (
        *notes.about_lists(targets.lists, targets.sources, targets.n_most, targets.n_same, rows),
        *notes.about_determiners(items, targets.items, plan.construction),
        *notes.about_targets(items, targets.lists, targets.gone, facts),
        *_about_extras(extras, targets, source, facts, decide),
        *notes.about_lengths(target_lists, extras.fillers),
        *(notes.about_people(targets.lists) if plan.participants else ()),
        *_about_checks(extras, targets, plan),
    )
    key = {trial.trial_id: right for trial, right in keyed}
    trials = tuple(trial for trial, _ in keyed)
    return StudyDesign(trials, key, tuple(rows), messages, decide, targets.lists)


def choose_targets(items: Sequence[Item], facts: SourceFacts, plan: StudyPlan) -> Targets:
    """Return the targets of each list, drawn from the items of a suite.

    Raises `InputError` where none of them can be asked about.
    """
    testable = select_items(items, plan.construction)
    if not plan.construction:
        testable = tuple(item for item in testable if not is_determiner_noun(item))
        if items and not testable:
            wrong = "all items are of determiner–noun constructions, hard to judge in isolation"
            right = "a pattern that names them"
            raise InputError("construction", wrong, right, kind="empty")
    by_item = [versions(item, plan.task) for item in testable]
    every = (version for of_item in by_item for version in of_item)
    clear, gone = _eligible(sources_of(every), facts, plan)
    sources = limited(clear, plan.per_construction, plan.seed)
    n_lists = plan.participants or plan.settings.lists
    n_lists = n_lists or max((len(source.versions) for source in sources), default=0)
    square = latin_square(sources, n_lists, plan.seed, plan.versions)
    n_same = sum(not of_item for of_item in by_item)
    return Targets(testable, n_same, sources, gone, square)


def _eligible(
    sources: Sequence[SourceVersions], facts: SourceFacts, plan: StudyPlan
) -> tuple[Sequence[SourceVersions], LeftOutSources]:
    """Return the sources that can be targets, and which cannot. Raises `InputError` where none is
    left."""
    out = facts.doubts if plan.settings.drop_flagged else {}
    doubts = tuple(out[source.source] for source in sources if source.source in out)
    unflagged = [source for source in sources if source.source not in out]
    if doubts and not unflagged:
        wrong = f"all {len(sources)} originals are flagged ({flag_counts(doubts)})"
        raise InputError("drop_flagged", wrong, "other material, or all of it", kind="empty")
    enough = [source for source in unflagged if len(source.versions) >= plan.versions]
    if unflagged and not enough:
        n_max = max(len(source.versions) for source in unflagged)
        wrong = f"{plan.versions}, but no source has more than {n_max} (its original counts)"
        raise InputError("versions", wrong, f"{n_max} or fewer", kind="value")
    single = one_per_sentence(enough, facts, plan.seed)
    n_few, n_twins = len(unflagged) - len(enough), len(enough) - len(single)
    return single, LeftOutSources(len(sources), doubts, n_few, n_twins)


def draw_extras(
    pool: FillerPool | None, targets: Targets, facts: SourceFacts, plan: StudyPlan
) -> Extras:
    """Return the fillers, checks and practice trials that every list shows with its targets.

    Raises `InputError` where there are too few, and where the trials are fewer than the blocks.
    """
    task, language, settings, words = plan.task, plan.language, plan.settings, plan.wording
    source, n_targets, drawn = pool or FillerPool(), len(targets.lists[0]), tuple[Stimulus, ...]()
    if pool is not None:
        drawn = fillers(
            pool.of("filler"),
            n_targets,
            task,
            plan.seed,
            language=language,
            barred=frozenset(target.source for target in targets.sources),
            tested=frozenset(target.construction for target in targets.sources),
            facts=pool.with_unclear(facts),
            demand_all=not pool.is_default,
        )
    # of those that nobody asked for, too few would not keep targets apart
    used = () if source.is_default and 2 * len(drawn) < n_targets else drawn
    n_trials, blocks = n_targets + len(used), settings.blocks
    if blocks is not None and n_trials < blocks:
        raise InputError("blocks", f"{blocks} for {n_trials} trials", "fewer blocks", kind="value")
    n_usual = round(n_trials / TRIALS_PER_CHECK)  # none for a dozen
    n_there = len(source.of("check")) or (len(words.words) if words else 0)
    n_checks = min(n_usual, n_there) if settings.checks is None else settings.checks
    scale = str(settings.scale)
    checked = checks(source, n_checks, task, language=language, scale=scale, shipped=words)
    practised = practice(source, settings.practice or 0, task, language=language, shipped=words)
    return Extras(used, len(drawn), checked, n_usual, practised)


def order_lists(
    target_lists: Sequence[Sequence[Stimulus]], extras: Extras, plan: StudyPlan
) -> tuple[list[tuple[Trial, str]], list[Row]]:
    """Return the trials of all lists in their orders, each with its right answer, and a row for
    each list."""
    keyed: list[tuple[Trial, str]] = []
    rows = []
    for number, targets in enumerate(target_lists, start=1):
        label, stimuli = f"list {number}", (*targets, *extras.fillers, *extras.checks)
        sided = add_sides(stimuli, plan.seed, label)
        order = arrange(sided, plan.settings.blocks or 1, plan.seed, label)
        sides = {
            practised.item: practised
            for practised in add_sides(extras.practice, plan.seed, f"{label}, practice")
        }
        warmups = [sides[trial.item] for trial in extras.practice]  # in the order told
        of_list = list(list_trials(warmups, order, number))
        keyed += of_list
        rows.append(_row(number, [trial for trial, _ in of_list], order))
    return keyed, rows


def _row(number: int, trials: Sequence[Trial], order: TrialOrder) -> Row:
    kinds = Counter(trial.kind for trial in trials)
    sides = Counter(trial.right_first for block in order.blocks for trial in block)
    return {
        "list": number,
        "n_targets": kinds["target"],
        "n_fillers": kinds["filler"],
        "n_checks": kinds["check"],
        "n_practice": kinds["practice"],
        "n_blocks": len(order.blocks),
        "right_first": sides[True],
        "relaxed": ", ".join(order.relaxed),
    }


def _about_extras(
    extras: Extras,
    targets: Targets,
    pool: FillerPool,
    facts: SourceFacts,
    decide: frozenset[str] | None,
) -> Iterator[str]:
    """Yield which fillers there are, and what is known of them."""
    if pool.is_default:
        n_targets = len(targets.lists[0])
        yield from notes.about_default(extras.n_fillers, len(extras.fillers), n_targets)
    tested = {source.construction for source in targets.sources}
    yield from notes.about_fillers(extras.fillers, pool, pool.with_unclear(facts), decide, tested)


def _about_checks(extras: Extras, targets: Targets, plan: StudyPlan) -> Iterator[str]:
    """Yield that there are fewer attention checks than usual, where nobody said how many."""
    n_checks = len(extras.checks)
    if plan.settings.checks is None and n_checks < extras.n_usual:
        yield (
            f"{n_checks} attention checks for {len(targets.lists[0]) + len(extras.fillers)} trials,"
            f" since there are no more; {extras.n_usual} are usual (rows of kind check in the file"
            " of --fillers)"
        )
