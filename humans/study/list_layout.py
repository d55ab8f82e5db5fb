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
    limit_per_construction,
    one_per_sentence,
    source_facts,
    sources_of,
)
from .order import add_sides, arrange
from .settings import StudyPlan

TRIALS_PER_CHECK = 25  # usual number of trials for each attention check


@dataclass(frozen=True, slots=True)
class StudyDesign:
    """The design of a study, before it is written to a folder.

    A *list* is what one participant sees. *Targets* test the constructions; fillers and attention
    checks stand between them.

    Attributes:
        trials: the trials of all lists, list by list, in the order shown.
        rows: a table with a row per list: number of trials of each kind, number of blocks, how
            often the right option is first, and the rules of order that the list breaks.
        messages: notes for the researcher.
        unambiguous: ids of the fillers on which errors may exclude people; None if unknown.
        lists: the versions of targets in each list.
    """

    trials: tuple[Trial, ...]
    rows: tuple[Row, ...]
    messages: tuple[str, ...]
    unambiguous: frozenset[str] | None
    lists: tuple[tuple[Version, ...], ...]


def lay_out_study(items: Sequence[Item], pool: FillerPool | None, plan: StudyPlan) -> StudyDesign:
    """Lay out the lists of a study, without writing anything.

    Args:
        items: the items of the suite; the targets are those of the plan's constructions.
        pool: fillers, and perhaps checks and practice sentences of one's own; None: no fillers.
        plan: the task, the numbers and the settings of the study.

    Returns:
        The trials of all lists, a table row for each list, and messages.

    Raises:
        InputError: if there are too few items for the plan.
    """
    messages: list[str] = []
    task, filler_pool = plan.task, pool or FillerPool()
    facts = source_facts((*items, *filler_pool.items))
    filler_facts = filler_pool.with_unclear(facts)
    sources = choose_sources(items, facts, plan, messages)
    n_lists = plan.participants or plan.settings.lists or max(map(len, sources.values()), default=0)
    lists = latin_square(sources, n_lists, plan.seed, plan.versions)
    n_targets = len(lists[0])
    drawn = draw_fillers(filler_pool, sources, n_targets if pool else 0, filler_facts, plan)
    # default fillers are dropped if too few separate the targets: less than one for every two
    fillers = () if filler_pool.is_default and 2 * len(drawn) < n_targets else drawn
    checks, practice = _checks_and_practice(filler_pool, n_targets + len(fillers), plan, messages)
    targets = [  # the trials of each list
        [trial_of(version, task, "target", plan.language) for version in shown] for shown in lists
    ]
    trials: list[Trial] = []
    rows: list[Row] = []
    for number, list_targets in enumerate(targets, start=1):
        ordered, row = _order_list(number, [*list_targets, *fillers, *checks], practice, plan)
        trials += ordered
        rows.append(row)
    deciding = deciding_fillers(fillers, filler_pool, facts, task)
    messages += notes.about_lists(lists, sources, rows)
    messages += notes.about_targets(lists, sources, facts, is_people=plan.participants is not None)
    if filler_pool.is_default:
        messages.append(notes.about_default(len(drawn), len(fillers), n_targets))
    if fillers:
        tested = {versions[0].item.construction for versions in sources.values()}
        messages += notes.about_fillers(fillers, filler_pool, filler_facts, deciding, tested)
    messages += notes.about_lengths(targets, fillers)
    return StudyDesign(tuple(trials), tuple(rows), tuple(messages), deciding, lists)


def choose_sources(
    items: Sequence[Item], facts: SourceFacts, plan: StudyPlan, messages: list[str]
) -> Sources:
    """Choose the sources of the targets from the items of a suite: source → versions to show.

    A source is an original sentence with all items made from it. Append a message to `messages` for
    each group of sources that is left out. Raises `InputError` if no source remains.
    """
    testable = select_items(items, plan.construction)
    dropped = [] if plan.construction else [item for item in testable if is_determiner_noun(item)]
    if dropped:
        testable = tuple(item for item in testable if not is_determiner_noun(item))
        names = ", ".join(sorted({item.construction for item in dropped}))
        n_sources = len({item.cluster_id for item in dropped})
        messages.append(
            f"{n_sources} determiner–noun sources left out, which "
            f"nobody can judge in isolation ({names}); --construction PATTERN brings them in"
        )
    if items and not testable and not plan.construction:
        wrong = "all items are of determiner–noun constructions, hard to judge in isolation"
        raise InputError("construction", wrong, "a pattern that names them", kind="empty")
    by_item = [versions(item, plan.task) for item in testable]
    if n_same := sum(not item_versions for item_versions in by_item):
        messages.append(f"{n_same} items left out: their two forms are the same")
    all_sources = sources_of(version for item_versions in by_item for version in item_versions)

    def report(sources: Sources, remaining: Sources, why: str) -> None:
        """Append to `messages` that some sources are left out, if fewer remain."""
        if n_left_out := len(sources) - len(remaining):
            messages.append(f"{n_left_out} of {len(all_sources)} sources left out{why}")

    flagged = facts.doubts if plan.settings.drop_flagged else {}
    unflagged = {name: members for name, members in all_sources.items() if name not in flagged}
    flags = flag_counts(flagged[name] for name in all_sources if name in flagged)
    if all_sources and not unflagged:
        wrong = f"all {len(all_sources)} originals are flagged ({flags})"
        raise InputError("drop_flagged", wrong, "other material, or all of it", kind="empty")
    report(all_sources, unflagged, f" as doubtful ({flags})")
    sufficient = {
        name: members for name, members in unflagged.items() if len(members) >= plan.versions
    }
    if unflagged and not sufficient:
        n_most = max(map(len, unflagged.values()))
        wrong = f"{plan.versions}, but no source has more than {n_most} (its original counts)"
        raise InputError("versions", wrong, f"{n_most} or fewer", kind="value")
    report(unflagged, sufficient, ": they have fewer versions than --versions")
    distinct = one_per_sentence(sufficient, facts, plan.seed)
    report(sufficient, distinct, ": another source is from the same sentence")
    return limit_per_construction(distinct, plan.per_construction, plan.seed)


def _checks_and_practice(
    pool: FillerPool, n_trials: int, plan: StudyPlan, messages: list[str]
) -> tuple[tuple[Trial, ...], tuple[Trial, ...]]:
    """Return the attention checks and the practice trials, which are the same in every list.

    Checks that `pool` lacks are made from words of the instructions' language. A remark is added to
    `messages` if there are fewer than usual.

    `n_trials` is the number of targets and fillers in a list. Raises `InputError` if there are too
    few checks or practice sentences, or fewer trials than blocks.
    """
    blocks, wording = plan.settings.blocks or 1, plan.wording
    if n_trials < blocks:
        raise InputError("blocks", f"{blocks} for {n_trials} trials", "fewer blocks", kind="value")
    n_checks, n_usual = plan.settings.checks, round(n_trials / TRIALS_PER_CHECK)
    if n_checks is None:
        n_checks = min(
            n_usual, len(pool.items_for("check")) or (len(wording.words) if wording else 0)
        )
        if n_checks < n_usual:
            messages.append(
                f"{n_checks} attention checks for {n_trials} trials, since there are no more; "
                f"{n_usual} are usual (rows of kind check in the file of --fillers)"
            )
    return (
        checks_or_practice(pool, "check", n_checks, plan),
        checks_or_practice(pool, "practice", plan.settings.practice or 0, plan),
    )


def _order_list(
    number: int, trials: Sequence[Trial], practice: Sequence[Trial], plan: StudyPlan
) -> tuple[list[Trial], Row]:
    """Order the trials of one list: sides of the options, blocks, order, ids.

    Return the trials in the order shown, practice first, and the list's row for `StudyDesign.rows`.
    """
    label, n_blocks = f"list {number}", plan.settings.blocks or 1
    sided = add_sides(trials, plan.seed, label)
    ordered, broken_rules = arrange(sided, n_blocks, plan.seed, label)
    sided_practice = add_sides(practice, plan.seed, f"{label}, practice")
    by_item = {trial.item: trial for trial in sided_practice}
    warmups = [by_item[trial.item] for trial in practice]  # in the order given
    kinds = Counter(trial.kind for trial in ordered)
    row: Row = {
        "list": number,
        "n_targets": kinds["target"],
        "n_fillers": kinds["filler"],
        "n_checks": kinds["check"],
        "n_practice": len(practice),
        "n_blocks": n_blocks,
        "right_first": sum(trial.right_first is True for trial in ordered),
        "relaxed": ", ".join(broken_rules),
    }
    return [*_with_ids(warmups, number, mark="p"), *_with_ids(ordered, number)], row


def _with_ids(trials: Sequence[Trial], number: int, mark: str = "") -> Iterator[Trial]:
    """Yield the trials of list `number` with their position and an id such as `1-p2`."""
    for position, trial in enumerate(trials, start=1):
        trial_id = f"{number}-{mark}{position}"
        yield replace(trial, trial_id=trial_id, list=number, position=position)
