"""What researchers should know of a design before anybody sees it."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from textwrap import wrap
from typing import cast

from ...data.items.item import KINDS, Item
from ...data.tables import Row
from ..judgments.rules import RULES
from .fillers import FillerPool
from .lists import SourceFacts, SourceVersions, flag_counts, is_unseen
from .stimulus import CHOICES, Stimulus, Version, condition, is_determiner_noun
from .study import TRIALS, Trial

SHOWN, WIDTH, NO_BREAK = 20, 100, "\N{NO-BREAK SPACE}"
LONG_LIST = 300  # trials: half an hour or so
LONG = 40  # words before the gap: a sentence of three lines, to be kept in mind
RULE = "max_filler_errors"
FEW = 10  # deciding fillers: of fewer, two wrong ones are more than a fifth
IN_WORDS = {  # the constraints of an order
    "side": "the right option at most three times in a row on one side",
    "value": "the same value at most three times in a row",
    "start": "fillers at the start",
    "targets": "at most two targets in a row",
    "construction": "no construction twice in a row",
}
UNSEEN = (
    "the {what} have not been checked for wrong forms that may be right: colorless nonce does it "
    "(docs/sets.md)"
)


@dataclass(frozen=True, slots=True)
class LeftOutSources:
    """How many sources are no targets, and why."""

    n_sources: int  # there were
    doubts: tuple[tuple[str, ...], ...]  # of each that is left out for them
    n_few: int  # since they have fewer versions than one person is to see
    n_twins: int  # since another one stems from the same sentence


def about_study(rows: Sequence[Row]) -> Iterator[str]:
    """Yield what a person gets, by the table of lists."""
    kinds = {"target": "targets", "filler": "fillers", "check": "checks", "practice": "practice"}
    n = {kind: cast("int", rows[0][f"n_{column}"]) for kind, column in kinds.items()}
    n_trials = n["target"] + n["filler"] + n["check"]
    yield (
        f"study: {_counted(len(rows), 'list')} of {_counted(n_trials, 'trial')}: "
        f"{_counted(n['target'], 'target')}, {_counted(n['filler'], 'filler')}, "
        f"{_counted(n['check'], 'attention check')}; "
        f"{_counted(n['practice'], 'practice trial')} before"
    )
    if n_trials > LONG_LIST:
        yield f"{n_trials} trials are many for one person: --per-construction N draws fewer sources"


def _counted(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"


def about_items(trials: Sequence[Trial], folder: Path) -> Iterator[str]:
    """Yield the beginning of list 1 as people see it, in lines of at most `WIDTH` characters."""
    opening = [trial for trial in trials if trial.list == 1 and trial.kind != "practice"][:SHOWN]
    yield f"the first {len(opening)} trials of list 1, as people see them (all: {folder / TRIALS}):"
    for trial in opening:
        head = f"{trial.position:4}  {trial.kind:<8}"
        options = [f"[{option}]" for option in trial.options]
        if trial.prefix:  # the options on one line
            options = [f"{trial.prefix} ___  " + NO_BREAK.join(options).replace(" ", NO_BREAK)]
        lines = [
            line
            for text in options
            for line in wrap(
                text, WIDTH - len(head), break_long_words=False, break_on_hyphens=False
            )
        ]
        text_block = ("\n" + " " * len(head)).join(lines)
        yield f"{head}{text_block}".replace(NO_BREAK, " ")


def about_determiners(
    items: Sequence[Item], testable: Sequence[Item], constructions: Sequence[str]
) -> Iterator[str]:
    """Yield how many items are left out since nobody can judge them in isolation."""
    out = {} if constructions else {i.cluster_id: i for i in items if is_determiner_noun(i)}
    if out:
        names = ", ".join(sorted({item.construction for item in out.values()}))
        yield (
            f"{len(out)} determiner–noun sources left out, which nobody can judge in isolation "
            f"({names}); --construction PATTERN brings them in"
        )


def about_default(n_found: int, n_used: int, n_targets: int) -> Iterator[str]:
    """Yield which fillers were chosen where nobody asked for any."""
    if n_used:
        shortage = f"only {n_used} for {n_targets} targets, " if n_used < n_targets else ""
        yield f"fillers: {shortage}of the constructions not tested (--fillers FILE, SUITE or none)"
    elif n_found:
        yield (
            f"no fillers: the constructions not tested have {n_found} for {n_targets} targets; "
            "--per-construction N for fewer targets, or --fillers FILE or SUITE"
        )
    else:
        yield (
            "no fillers: all constructions are tested; --construction PATTERN tests some and takes "
            "fillers from the others, --fillers FILE or SUITE brings your own"
        )


def about_lists(
    lists: Sequence[Sequence[Version]],
    sources: Sequence[SourceVersions],
    n_max: int,
    n_same: int,
    rows: Sequence[Row],
) -> Iterator[str]:
    """What a Latin square or an order could not keep. `n_max`: versions of the fullest source;
    `n_same`: items whose two forms are one; `rows`: the table of lists."""
    if n_same:
        yield f"{n_same} items left out: their two forms are the same"
    if fewer := sum(len(source.versions) < n_max for source in sources):
        yield (
            f"{fewer} of {len(sources)} sources have fewer than {n_max} versions: some of their "
            "versions are in several lists"
        )
    if len(lists) % n_max:
        yield f"{len(lists)} lists for {n_max} versions: not every version is shown equally often"
    counts = [Counter((v.item.construction, condition(v)) for v in versions) for versions in lists]
    spans = [[count[cell] for count in counts] for cell in set().union(*counts)]
    worst = max((max(span) - min(span) for span in spans), default=0)
    if worst > 1:
        yield f"between lists, a construction × condition differs by up to {worst} trials"
    relaxed = Counter(name for row in rows for name in str(row["relaxed"]).split(", ") if name)
    for name, n in relaxed.items():
        yield f"in {n} of {len(rows)} lists the order breaks a rule: {IN_WORDS[name]} ({name})"


def about_targets(
    items: Sequence[Item],
    lists: Sequence[Sequence[Version]],
    gone: LeftOutSources,
    facts: SourceFacts,
) -> Iterator[str]:
    """What is left out of the suite's items, what is doubtful among the targets of the lists, and a
    person's share of them."""
    if gone.doubts:
        flags = flag_counts(gone.doubts)
        yield f"{len(gone.doubts)} of {gone.n_sources} sources left out as doubtful ({flags})"
    if gone.n_few:
        yield (
            f"{gone.n_few} of {gone.n_sources} sources left out: they have fewer versions than "
            "--versions"
        )
    if gone.n_twins:
        yield (
            f"{gone.n_twins} of {gone.n_sources} sources left out: another source is from the same "
            "sentence"
        )
    if is_unseen(items):
        yield UNSEEN.format(what="targets")
    targets = [version.item.cluster_id for version in lists[0]]
    doubts = [facts.doubts[source] for source in targets if source in facts.doubts]
    if doubts:
        yield (
            f"{len(doubts)} of {len(targets)} targets are doubtful ({flag_counts(doubts)}): their "
            "wrong form may be right; they are kept, as in the published sets (--set "
            "drop_flagged=true leaves them out)"
        )
    counts = [Counter(version.item.kind for version in of_list) for of_list in lists]
    by_kind = {kind: [count[kind] for count in counts] for kind in KINDS}
    kinds = ", ".join(
        f"{_span(numbers)} {kind}" for kind, numbers in by_kind.items() if any(numbers)
    )
    yield f"targets of a participant: {len(targets)} ({kinds})"


def about_people(lists: Sequence[Sequence[Version]]) -> Iterator[str]:
    """Yield how many judgments each item and condition has if every list has one person."""
    by_item = Counter(version.item.item_id for of_list in lists for version in of_list)
    cells = Counter(condition(version) for of_list in lists for version in of_list)
    by_condition = ", ".join(f"{n:,} in {cell}" for cell, n in sorted(cells.items()))
    mean = sum(by_item.values()) / len(by_item)
    yield (
        f"with {len(lists)} participants: {mean:.1f} judgments per item "
        f"({_span([*by_item.values()])}), {by_condition}"
    )


def about_lengths(
    lists: Sequence[Sequence[Stimulus]], nontargets: Sequence[Stimulus]
) -> Iterator[str]:
    """How much people read of the targets of each list and of the fillers, in words between blanks:
    up to the gap, or all; and where the text before the gap is that of another target."""
    fillers = [filler for filler in nontargets if filler.kind == "filler"]
    full = not lists[0][0].prefix
    texts = {
        stimulus.item + stimulus.sole_condition: stimulus.first if full else stimulus.prefix
        for of_list in (*lists, fillers)
        for stimulus in of_list
    }
    lengths = [len(text.split()) for text in texts.values()]
    span = "in a sentence" if full else "before the gap"
    yield f"words {span}: {median(lengths):g} at the median, {max(lengths)} at most"
    n_long = sum(length > LONG for length in lengths)
    if n_long:
        yield f"{n_long} of {len(lengths)} items have more than {LONG} words {span}"
    repeats = [len(of_list) - len({stimulus.prefix for stimulus in of_list}) for of_list in lists]
    if not full and max(repeats):
        yield (
            f"of a participant's {len(lists[0])} targets, {_span(repeats)} have the same text "
            "before the gap as another"
        )


def _span(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return str(low) if low == high else f"{low} to {high}"


def about_fillers(
    nontargets: Sequence[Stimulus],
    pool: FillerPool,
    facts: SourceFacts,
    decide: Collection[str] | None,
    tested: Collection[str],
) -> Iterator[str]:
    """What a person's fillers are: which are doubtful, which are of a construction that is
    `tested`, and which `decide` on people by how many are answered wrong."""
    fillers = [filler for filler in nontargets if filler.kind == "filler"]
    if not fillers:
        return
    kinds = Counter(filler.condition for filler in fillers)
    by_kind = ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items(), reverse=True))
    yield f"fillers of a participant: {len(fillers)} ({by_kind})"
    if is_unseen(pool.items):
        yield UNSEEN.format(what="fillers")
    doubts = [facts.doubts[filler.source] for filler in fillers if filler.source in facts.doubts]
    if doubts:
        yield f"{len(doubts)} of {len(fillers)} fillers are doubtful ({flag_counts(doubts)})"
    n_shared = sum(
        bool(filler.construction) and filler.construction in tested for filler in fillers
    )
    if n_shared:
        yield f"{n_shared} of {len(fillers)} fillers are of a construction that is also tested"
    if fillers[0].task in CHOICES:
        yield _deciding(fillers, decide, is_table=pool.kinds is not None)


def _deciding(
    fillers: Sequence[Stimulus], decide: Collection[str] | None, *, is_table: bool
) -> str:
    """How many fillers may decide on people, and how few wrong ones do."""
    n, threshold = (
        sum(decide is None or filler.item in decide for filler in fillers),
        float(RULES[RULE].default),
    )
    if decide is None:
        why = "their table has no column unambiguous"
    else:
        why = "as their table says" if is_table else "originals without doubts"
    counted = f"{n} of {len(fillers)} fillers count for excluding participants ({why})"
    better = "a table of fillers with a column unambiguous can provide more"
    if not n:
        return f"{counted}: {RULE} excludes nobody; {better}"
    n_wrong = next(wrong for wrong in range(n + 1) if wrong / n > threshold)
    message = f"{counted}: {n_wrong} wrong answers exceed {RULE} = {threshold:g}"
    return f"only {message}; {better}" if n < FEW else message
