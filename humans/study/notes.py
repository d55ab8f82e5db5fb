"""Notes on a design, for the researchers before they run the study."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from pathlib import Path
from statistics import median
from textwrap import wrap

from ...data.items.item import KINDS
from ...data.registry import counted
from ...data.tables import Row
from ..judgments.rules import RULES
from . import CHOICES, Trial, Version
from .lists import FillerPool, SourceFacts, Sources, flag_counts, is_unchecked
from .order import CONSTRAINTS
from .study import TRIALS

N_OPENING, WIDTH = 20, 100  # trials that are listed, characters of a line
NO_BREAK = "\N{NO-BREAK SPACE}"
MANY_TRIALS = 300  # of one person, which take about half an hour
MANY_WORDS = 40  # before the gap, which fill three lines
FILLER_RULE = "max_filler_errors"
FEW_FILLERS = 10  # fillers that can exclude people; with fewer, two errors exceed the usual fifth
UNCHECKED = (
    "the {} have not been checked for wrong forms that may be right: colorless nonce does it "
    "(docs/sets.md)"
)


def about_study(rows: Sequence[Row]) -> Iterator[str]:
    """Yield how many trials of each kind a person gets, from the rows of `StudyDesign`."""
    first_row, *_ = rows  # all lists have the same numbers
    targets, fillers, checks, practice = (
        int(str(first_row[f"n_{kind}"])) for kind in ("targets", "fillers", "checks", "practice")
    )
    n_trials = targets + fillers + checks
    yield (
        f"study: {counted(len(rows), 'list')} of {counted(n_trials, 'trial')}: "
        f"{counted(targets, 'target')}, {counted(fillers, 'filler')}, "
        f"{counted(checks, 'attention check')}; {counted(practice, 'practice trial')} before"
    )
    if n_trials > MANY_TRIALS:
        yield f"{n_trials} trials are many for one person: --per-construction N draws fewer sources"


def about_opening(trials: Sequence[Trial], folder: Path) -> Iterator[str]:
    """Yield the first trials of list 1 as people see them, in lines of at most `WIDTH`
    characters."""
    first_list = [trial for trial in trials if trial.list == 1 and trial.kind != "practice"]
    opening = first_list[:N_OPENING]
    yield f"the first {len(opening)} trials of list 1, as people see them (all: {folder / TRIALS}):"
    for trial in opening:
        head = f"{trial.position:4}  {trial.kind:<8}"
        texts = [f"[{option}]" for option in trial.options]
        if trial.prefix:  # no line breaks within or between the options
            texts = [f"{trial.prefix} ___  " + NO_BREAK.join(texts).replace(" ", NO_BREAK)]
        indent = " " * len(head)
        wrapped = "\n".join(
            line
            for text in texts
            for line in wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent,
                             break_long_words=False, break_on_hyphens=False)
        )  # fmt: skip
        yield (head + wrapped.removeprefix(indent)).replace(NO_BREAK, " ")


def about_default(n_found: int, n_used: int, n_targets: int) -> str:
    """Return a note that says which fillers (distractors) were used, or why none were, for a user
    who did not choose any."""
    if n_used:
        shortage = f"only {n_used} for {n_targets} targets, " if n_used < n_targets else ""
        return f"fillers: {shortage}of the constructions not tested (--fillers FILE, SUITE or none)"
    return (
        f"no fillers: the constructions not tested have {n_found} for {n_targets} targets; test "
        "fewer with --construction or --per-construction, or bring your own: --fillers FILE or "
        "SUITE"
    )


def about_lists(
    lists: Sequence[Sequence[Version]], sources: Sources, rows: Sequence[Row]
) -> Iterator[str]:
    """Yield a note for each way in which lists are not balanced, and for each rule of order that
    they break.

    `rows` are those of `StudyDesign`, one per list.
    """
    n_most = max(map(len, sources.values()))
    if n_fewer := sum(len(versions) < n_most for versions in sources.values()):
        yield (
            f"{n_fewer} of {len(sources)} sources have fewer than {n_most} versions: some of their "
            "versions are in several lists"
        )
    if len(lists) % n_most:
        yield (
            f"{len(lists)} lists for {n_most} versions: not every version is shown equally often; "
            "a multiple would"
        )
    relaxed = Counter(name for row in rows for name in str(row["relaxed"]).split(", ") if name)
    first_row, *_ = rows  # all lists have the same number of fillers
    for name, n in relaxed.items():
        why = "" if first_row["n_fillers"] else "; fillers would help"
        rule = f"{CONSTRAINTS[name]} ({name})"
        yield f"in {n} of {len(rows)} lists the order breaks a rule: {rule}{why}"


def about_targets(
    lists: Sequence[Sequence[Version]], sources: Sources, facts: SourceFacts, *, is_people: bool
) -> Iterator[str]:
    """Yield notes on the targets: the doubtful ones, how many of each kind a person sees and, if
    each list is for one person (`is_people`), how many judgments each item gets."""
    if is_unchecked([version.item for of_list in lists for version in of_list]):
        yield UNCHECKED.format("targets")
    targets = [version.item.cluster_id for version in lists[0]]
    doubts = [facts.doubts[source] for source in targets if source in facts.doubts]
    if doubts:
        yield (
            f"{len(doubts)} of {len(targets)} targets are doubtful ({flag_counts(doubts)}): their "
            "wrong form may be right; they are kept, as in the published sets (--set "
            "drop_flagged=true leaves them out)"
        )
    counts = [Counter(map(_kind_or_relation, of_list)) for of_list in lists]
    order = (*KINDS, *sorted({*chain(*counts)}))  # kinds of items, then relations by name
    names = sorted({*chain(*counts)}, key=order.index)
    kinds = [f"{_range_of([count[name] for count in counts])} {name}" for name in names]
    yield f"targets of a participant: {len(targets)} ({', '.join(kinds)})"
    if is_people:
        items = Counter(version.item.item_id for of_list in lists for version in of_list)
        conditions = sum(counts, Counter[str]())
        by_condition = ", ".join(f"{n:,} {name}" for name, n in sorted(conditions.items()))
        yield (
            f"with {len(lists)} participants: {items.total() / len(items):.1f} judgments per item "
            f"({_range_of(items.values())}): {by_condition}"
        )
        every = {version.item.item_id for members in sources.values() for version in members}
        if n := len(every) - len(items):
            yield f"{n:,} of {len(every):,} items are in no list"


def _kind_or_relation(version: Version) -> str:
    """Return the relation of a composed item's modifiers to its head; else the kind of item."""
    return version.relation or version.item.kind


def about_lengths(lists: Sequence[Sequence[Trial]], fillers: Sequence[Trial]) -> Iterator[str]:
    """Yield notes on the number of words that people read, before the gap or in whole sentences,
    and on targets of a list that have the same text before the gap as another target."""
    first_trial = lists[0][0]
    whole_sentences = not first_trial.prefix
    texts = {
        (trial.item, trial.condition): trial.options[0] if whole_sentences else trial.prefix
        for of_list in (*lists, fillers)
        for trial in of_list
    }
    lengths = [len(text.split()) for text in texts.values()]
    span = "in a sentence" if whole_sentences else "before the gap"
    yield f"words {span}: {median(lengths):g} at the median, {max(lengths)} at most"
    if n_long := sum(length > MANY_WORDS for length in lengths):
        yield f"{n_long} of {len(lengths)} items have more than {MANY_WORDS} words {span}"
    if whole_sentences and first_trial.relation:
        yield "composed items end at the verb: their clauses are unfinished; --task form suits them"
    repeats = [len(of_list) - len({trial.prefix for trial in of_list}) for of_list in lists]
    if not whole_sentences and max(repeats):
        yield (
            f"of a participant's {len(lists[0])} targets, {_range_of(repeats)} have the same text "
            "before the gap as another"
        )


def _range_of(counts: Collection[int]) -> str:
    """Write the lowest and the highest count, "3 to 5"; one number if they are equal."""
    low, high = min(counts), max(counts)
    return str(low) if low == high else f"{low} to {high}"


def about_fillers(
    fillers: Sequence[Trial],
    pool: FillerPool,
    facts: SourceFacts,
    deciding: Collection[str] | None,
    tested: Collection[str],
) -> Iterator[str]:
    """Yield notes on a person's fillers: the doubtful ones, those of a `tested` construction, and
    those on which errors can exclude a participant.

    `deciding` has the ids of these last ones; None if a table does not say.
    """
    n_fillers, counts = len(fillers), Counter(filler.condition for filler in fillers)
    by_condition = ", ".join(f"{n} {name}" for name, n in sorted(counts.items(), reverse=True))
    yield f"fillers of a participant: {n_fillers} ({by_condition})"
    if is_unchecked(pool.items):
        yield UNCHECKED.format("fillers")
    doubts = [facts.doubts[filler.source] for filler in fillers if filler.source in facts.doubts]
    if doubts:
        yield f"{len(doubts)} of {n_fillers} fillers are doubtful ({flag_counts(doubts)})"
    n_shared = sum(filler.construction in tested for filler in fillers if filler.construction)
    if n_shared:
        yield f"{n_shared} of {n_fillers} fillers are of a construction that is also tested"
    first_filler, *_ = fillers
    if first_filler.task not in CHOICES:  # the same for all
        return
    n_deciding = sum(deciding is None or filler.item in deciding for filler in fillers)
    if deciding is None:
        why = "their table has no column unambiguous"
    else:
        why = "originals without doubts" if pool.kinds is None else "as their table says"
    message = f"{n_deciding} of {n_fillers} fillers count for excluding participants ({why})"
    threshold = float(RULES[FILLER_RULE].default)
    # the fewest errors that exclude a person; 0 if no number does
    n_wrong = next((n for n in range(1, n_deciding + 1) if n / n_deciding > threshold), 0)
    limit = f"{n_wrong} wrong answers exceed {FILLER_RULE} = {threshold:g}"
    message += f": {limit if n_wrong else f'{FILLER_RULE} excludes nobody'}"
    if n_deciding < FEW_FILLERS:
        message = f"only {message}; a table of fillers with a column unambiguous can provide more"
    yield message
