"""The trials of a study, list by list: targets, fillers, checks and practice, in their orders."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ...data.errors import InputError
from ...data.items.item import Item
from ...data.items.suite import select_items
from ...data.tables import Row
from . import Trial, Version, is_determiner_noun, notes, trial_of, versions
from .lists import (
    FillerPool,
    SourceFacts,
    Sources,
    checks_or_practice,
    deciding_fillers,
    draw_fillers,
    flag_counts,
    latin_square,
    limited,
    one_per_sentence,
    source_facts,
    sources_of,
)
from .order import add_sides, arrange
from .settings import StudyPlan

TRIALS_PER_CHECK = 25  # one attention check for so many trials


@dataclass(frozen=True, slots=True)
class StudyDesign:
    """A study before it is written.

    Attributes:
        trials: of all lists, list by list, each in the order shown.
        rows: one per list: how many trials of each kind, how many blocks, right options first.
        messages: what should be known before anybody takes part.
        unambiguous: the fillers whose errors may exclude people; None where nothing says which.
        lists: the versions of targets that each list shows.
    """

    trials: tuple[Trial, ...]
    rows: tuple[Row, ...]
    messages: tuple[str, ...]
    unambiguous: frozenset[str] | None
    lists: tuple[tuple[Version, ...], ...]


def laid_out(items: Sequence[Item], pool: FillerPool | None, plan: StudyPlan) -> StudyDesign:
    """Lay out the lists of a study, without writing anything.

    Args:
        items: of the suite; the targets are those of the plan's constructions.
        pool: fillers, and perhaps checks and practice sentences of one's own; None: no fillers.
        plan: what is asked for.

    Returns:
        The trials of all lists, a row for each list, and messages.

    Raises:
        InputError: the items do not suffice for the plan.
    """
    messages: list[str] = []
    task, source = plan.task, pool or FillerPool()
    facts = source_facts((*items, *source.items))
    filler_facts = source.with_unclear(facts)
    sources = choose_sources(items, facts, plan, messages)
    n_lists = plan.participants or plan.settings.lists or max(map(len, sources.values()), default=0)
    lists = latin_square(sources, n_lists, plan.seed, plan.versions)
    drawn = draw_fillers(source, sources, len(lists[0]) if pool else 0, filler_facts, plan)
    # of those that nobody asked for, too few would not keep targets apart
    fillers = () if source.is_default and 2 * len(drawn) < len(lists[0]) else drawn
    checks, practice = _beside(source, len(lists[0]) + len(fillers), plan, messages)
    targets = [[trial_of(v, task, "target", plan.language) for v in own] for own in lists]
    trials: list[Trial] = []
    rows: list[Row] = []
    for number, own in enumerate(targets, start=1):
        of_list, row = _list(number, [*own, *fillers, *checks], practice, plan)
        trials += of_list
        rows.append(row)
    decide = deciding_fillers(fillers, source, facts, task)
    messages += notes.about_lists(lists, sources, rows)
    messages += notes.about_targets(lists, sources, facts, is_people=plan.participants is not None)
    if source.is_default:
        messages.append(notes.about_default(len(drawn), len(fillers), len(lists[0])))
    if fillers:
        tested = {own[0].item.construction for own in sources.values()}
        messages += notes.about_fillers(fillers, source, filler_facts, decide, tested)
    messages += notes.about_lengths(targets, fillers)
    return StudyDesign(tuple(trials), tuple(rows), tuple(messages), decide, lists)


def choose_sources(
    items: Sequence[Item], facts: SourceFacts, plan: StudyPlan, messages: list[str]
) -> Sources:
    """Return the sources of the targets, drawn from the items of a suite; say what is left out.

    Raises `InputError` where none of them can be asked about.
    """
    testable = select_items(items, plan.construction)
    out = [] if plan.construction else [item for item in testable if is_determiner_noun(item)]
    if out:
        testable = tuple(item for item in testable if not is_determiner_noun(item))
        names = ", ".join(sorted({item.construction for item in out}))
        messages.append(
            f"{len({item.cluster_id for item in out})} determiner–noun sources left out, which "
            f"nobody can judge in isolation ({names}); --construction PATTERN brings them in"
        )
    if items and not testable and not plan.construction:
        wrong = "all items are of determiner–noun constructions, hard to judge in isolation"
        raise InputError("construction", wrong, "a pattern that names them", kind="empty")
    by_item = [versions(item, plan.task) for item in testable]
    if n_same := sum(not of_item for of_item in by_item):
        messages.append(f"{n_same} items left out: their two forms are the same")
    every = sources_of(version for of_item in by_item for version in of_item)

    def note(sources: Sources, remaining: Sources, why: str) -> None:
        if n := len(sources) - len(remaining):
            messages.append(f"{n} of {len(every)} sources left out{why}")

    flagged = facts.doubts if plan.settings.drop_flagged else {}
    clear = {name: own for name, own in every.items() if name not in flagged}
    flags = flag_counts(flagged[name] for name in every if name in flagged)
    if every and not clear:
        wrong = f"all {len(every)} originals are flagged ({flags})"
        raise InputError("drop_flagged", wrong, "other material, or all of it", kind="empty")
    note(every, clear, f" as doubtful ({flags})")
    enough = {name: own for name, own in clear.items() if len(own) >= plan.versions}
    if clear and not enough:
        n_most = max(map(len, clear.values()))
        wrong = f"{plan.versions}, but no source has more than {n_most} (its original counts)"
        raise InputError("versions", wrong, f"{n_most} or fewer", kind="value")
    note(clear, enough, ": they have fewer versions than --versions")
    single = one_per_sentence(enough, facts, plan.seed)
    note(enough, single, ": another source is from the same sentence")
    return limited(single, plan.per_construction, plan.seed)


def _beside(
    pool: FillerPool, n_trials: int, plan: StudyPlan, messages: list[str]
) -> tuple[tuple[Trial, ...], tuple[Trial, ...]]:
    """Return the attention checks and practice trials that every list shows.

    Raises `InputError` where there are too few, and where the trials are fewer than the blocks.
    """
    blocks, wording = plan.settings.blocks or 1, plan.wording
    if n_trials < blocks:
        raise InputError("blocks", f"{blocks} for {n_trials} trials", "fewer blocks", kind="value")
    n_checks, n_usual = plan.settings.checks, round(n_trials / TRIALS_PER_CHECK)
    if n_checks is None:
        n_checks = min(n_usual, len(pool.of("check")) or (len(wording.words) if wording else 0))
        if n_checks < n_usual:
            messages.append(
                f"{n_checks} attention checks for {n_trials} trials, since there are no more; "
                f"{n_usual} are usual (rows of kind check in the file of --fillers)"
            )
    return (
        checks_or_practice(pool, "check", n_checks, plan),
        checks_or_practice(pool, "practice", plan.settings.practice or 0, plan),
    )


def _list(
    number: int, trials: Sequence[Trial], practice: Sequence[Trial], plan: StudyPlan
) -> tuple[list[Trial], Row]:
    """Return the trials of a list in their order, practice first, and the row of the list."""
    label, n_blocks = f"list {number}", plan.settings.blocks or 1
    sided = add_sides(trials, plan.seed, label)
    ordered, relaxed = arrange(sided, n_blocks, plan.seed, label)
    sides = {trial.item: trial for trial in add_sides(practice, plan.seed, f"{label}, practice")}
    warmups = [sides[trial.item] for trial in practice]  # in the order of the texts
    kinds = Counter(trial.kind for trial in ordered)
    row: Row = {
        "list": number,
        "n_targets": kinds["target"],
        "n_fillers": kinds["filler"],
        "n_checks": kinds["check"],
        "n_practice": len(practice),
        "n_blocks": n_blocks,
        "right_first": sum(trial.right_first is True for trial in ordered),
        "relaxed": ", ".join(relaxed),
    }
    return [*_numbered(warmups, number, "p"), *_numbered(ordered, number)], row


def _numbered(trials: Sequence[Trial], number: int, mark: str = "") -> Iterator[Trial]:
    for position, trial in enumerate(trials, start=1):
        name = f"{number}-{mark}{position}"
        yield replace(trial, trial_id=name, list=number, position=position)
