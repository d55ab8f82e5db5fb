"""The account of making variants: what became of the originals, as a table and as messages."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from ...data import schema
from ...data.errors import InputError
from ...data.items.item import Agreement, Item
from ...data.items.suite import Suite
from ...data.result import Result
from ...data.store import Store
from ...data.tables import Row, frame
from .ambiguity import AMBIGUOUS
from .levels import LOWEST, MORPHOLOGY
from .repeated_frames import REPEATED_FRAME
from .variant import KEPT_TARGET, UNRESTRAINED, Shortfall, VariantSet

# columns that say where an original comes from
ORIGIN_COLUMNS = ("treebank", "sent_id", "cue_index", "target_index", "construction")
MAX_NAMED = 5  # the other shortfalls are only counted


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An original that was left out because of its flags, and the reason."""

    item: Item
    flags: tuple[str, ...]  # those for which it was left out
    reason: str  # the doubts, in words


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class NonceAccount(Result):
    """The account of making variants, with a row per construction."""

    rejections: pl.DataFrame  # originals that were left out, with reasons


def facts_of(item: Item) -> Agreement:
    """Return the agreement facts of a mined item. Raises `InputError` for an item without them."""
    if item.agreement is None:
        raise InputError(
            f"item {item.item_id}", "no facts of agreement", "mined originals", kind="unsupported"
        )
    return item.agreement


def account_rows(
    suite: Suite,
    originals: Sequence[Item],
    shortfalls: Sequence[Shortfall],
    excluded: Sequence[LeftOut],
) -> Iterator[Row]:
    """Yield a table row for each construction, with the numbers of its originals, of their
    variants, of the originals with too few variants (`n_short`), and of those left out."""
    by_id = {item.item_id: facts_of(item).construction for item in originals}
    counts = Counter((facts_of(item).construction, item.kind) for item in suite.items)
    counts.update((by_id[shortfall.item_id], "short") for shortfall in shortfalls)
    counts.update((by_id[left_out.item.item_id], "left out") for left_out in excluded)
    for construction in dict.fromkeys(by_id.values()):
        yield {
            "construction": construction,
            "n_originals": counts[construction, "original"],
            "n_variants": counts[construction, "nonce"],
            "n_short": counts[construction, "short"],
            "n_left_out": counts[construction, "left out"],
        }


def account_messages(
    suite: Suite, items: Sequence[Item], made: VariantSet, excluded: Sequence[LeftOut], level: str
) -> Iterator[str]:
    """Yield messages for people: what became of the originals, and what to try next if no variant
    was made. `items` are all originals, `excluded` those left out because of their flags, and
    `level` is the highest level that was tried."""
    variants = [item for item in suite.items if item.kind == "nonce"]
    if len(made.served) > 1:
        yield from _level_messages(variants, made)
    if excluded:
        reasons = Counter(flag for left_out in excluded for flag in left_out.flags)
        del reasons[AMBIGUOUS]  # it never stands without a more precise flag
        listed = _count_text(reasons.most_common())
        yield f"{len(excluded)} of {len(items)} originals left out: {listed}"
    if n_kept := sum(KEPT_TARGET in facts_of(item).flags for item in variants):
        yield (f"{n_kept} of {len(variants)} variants keep the target: no other pair of forms fits")
    if n_repeated := sum(REPEATED_FRAME in facts_of(item).flags for item in variants):
        yield (
            f"{n_repeated} of {len(variants)} variants keep half of the content words before the "
            f"target, which come back with one value only ({REPEATED_FRAME})"
        )
    yield from _shortfall_messages(items, made.shortfalls)
    if not variants and len(excluded) > len(made.shortfalls):
        yield "no variant: most originals were left out; try --set exclude=none"
    elif not variants:
        other_level = "--level morphology, or " if level != MORPHOLOGY else ""
        yield f"no variant; try {other_level}a larger treebank with --treebank"


def _level_messages(variants: Sequence[Item], made: VariantSet) -> Iterator[str]:
    """Yield messages about levels: how many originals each could serve, the levels of the variants,
    and for how many originals even words of fixed use were replaced."""
    yield f"originals with words for variants of each level: {_count_text(made.served.items())}"
    levels_of_originals = {(item.cluster_id, facts_of(item).level) for item in variants}
    n_at = Counter(level for _, level in levels_of_originals)
    counts = [(level, n_at[level]) for level in reversed([*made.served]) if n_at[level]]
    some_unserved = max(made.served.values()) > n_at.total()
    has_lower = len(counts) == 1 and some_unserved and not n_at[LOWEST]
    hint = "; without --level, lower levels serve the others" if has_lower else ""
    yield f"made at the strictest level with words: {_count_text(counts) or 'none'}{hint}"
    unrestrained = {item.cluster_id for item in variants if UNRESTRAINED in facts_of(item).flags}
    if unrestrained:
        yield (
            f"for {len(unrestrained)} of them words of fixed use had to be replaced, too (flag "
            f"{UNRESTRAINED})"
        )


def _shortfall_messages(items: Sequence[Item], shortfalls: Sequence[Shortfall]) -> Iterator[str]:
    """Yield messages about originals with fewer variants than were asked for: why some have none,
    then the first `MAX_NAMED` one by one."""
    reasons = [shortfall.reason for shortfall in shortfalls if not shortfall.n_made]
    if reasons:
        # without the level before a reason and the words in quotes, equal reasons count together
        why = Counter(re.sub(r"^\+?\w+: | ?'[^']*'", "", reason) for reason in reasons)
        yield f"{len(reasons)} originals have no variant: {_count_text(why.most_common())}"
    by_id = {item.item_id: facts_of(item) for item in items}
    for shortfall in shortfalls[:MAX_NAMED]:
        facts = by_id[shortfall.item_id]
        yield (
            f"{facts.construction} {facts.number} ({facts.sent_id}): {shortfall.n_made} of "
            f"{shortfall.n_asked} variants; {shortfall.reason}"
        )
    if len(shortfalls) > MAX_NAMED:
        yield f"… and {len(shortfalls) - MAX_NAMED} more originals with fewer variants"


def _count_text(counts: Iterable[tuple[str, int]]) -> str:
    """Return names with their counts as one text: `first 3, second 2`."""
    return ", ".join(f"{name} {n}" for name, n in counts)


def rejections_frame(excluded: Iterable[LeftOut]) -> pl.DataFrame:
    """Return a table of the originals that were left out: where each comes from, and why it was
    left out."""
    rows = (
        {name: getattr(facts_of(left_out.item), name) for name in ORIGIN_COLUMNS}
        | {"reason": left_out.reason}
        for left_out in excluded
    )
    return frame(rows, schema.REJECTIONS)


def account_from(values: Mapping[str, Any]) -> NonceAccount:
    """Build an account from the values that a store keeps of it, by field name."""
    return NonceAccount(**{**values, "rejections": frame(values["rejections"], schema.REJECTIONS)})


def rejections_of(store: Store, suite_id: int) -> pl.DataFrame:
    """Return the originals that were left out of a suite of nonce variants, with reasons.

    Args:
        store: store that has the suite.
        suite_id: number of the suite.

    Returns:
        A row for each, as in rejections.tsv.

    Raises:
        InputError: the store does not know how the suite was made, or it is of another kind.
    """
    query = "SELECT result FROM request WHERE suite_id = ? ORDER BY created DESC LIMIT 1"
    row = store.one(query, (suite_id,))
    values = json.loads(row["result"]) if row is not None else {}
    if "rejections" not in values:
        wrong = "the store does not know what was left out of this suite"
        right = "a suite that colorless nonce has made in this store"
        raise InputError("rejected", wrong, right, kind="missing")
    return account_from(values).rejections
