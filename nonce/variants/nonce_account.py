"""What became of originals when variants were made of them: a table, and sentences."""

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
from .annotate import REPEATED_FRAME, is_near_duplicate
from .levels import LOWEST, MORPHOLOGY
from .variant import KEPT_TARGET, UNRESTRAINED, Shortfall, VariantSet

ORIGIN = ("treebank", "sent_id", "cue_index", "target_index", "construction")  # of an original
SHOWN = 5  # originals of which it is told why they fell short


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An original that was left out, and why."""

    item: Item
    flags: tuple[str, ...]  # those that it was left out for
    reason: str


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class NonceAccount(Result):
    """The account of what became of the originals, by construction."""

    rejections: pl.DataFrame  # originals that were left out, with reasons


def facts_of(item: Item) -> Agreement:
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
    by_id = {item.item_id: facts_of(item).construction for item in originals}
    n_short = Counter(by_id[shortfall.item_id] for shortfall in shortfalls)
    n_excluded = Counter(facts_of(left_out.item).construction for left_out in excluded)
    groups: dict[str, list[Item]] = {construction: [] for construction in by_id.values()}
    for item in suite.items:
        groups.setdefault(facts_of(item).construction, []).append(item)
    for construction, items in groups.items():
        yield {
            "construction": construction,
            "n_originals": sum(item.kind == "original" for item in items),
            "n_variants": sum(item.kind == "nonce" for item in items),
            "n_short": n_short[construction],
            "n_left_out": n_excluded[construction],
            "n_near_duplicates": sum(map(is_near_duplicate, items)),
        }


def account_messages(
    suite: Suite, items: Sequence[Item], parts: Sequence[VariantSet], excluded: Sequence[LeftOut]
) -> Iterator[str]:
    """Say what became of the originals."""
    served: Counter[str] = Counter()
    for part in parts:
        served.update(part.served)
    variants = [item for item in suite.items if item.kind == "nonce"]
    if len(served) > 1:
        yield f"originals that each level can serve: {_listed(served.items())}"
        used = Counter(level for _, level in {(i.cluster_id, facts_of(i).level) for i in variants})
        counts = [(level, used[level]) for level in reversed(served) if used[level]]
        lower = len(counts) == 1 and max(served.values()) > used.total() and not used[LOWEST]
        hint = "; --set fallback=true tries lower levels for the others" if lower else ""
        yield f"originals that each level served: {_listed(counts) or 'none'}{hint}"
        lost = {item.cluster_id for item in suite.items if UNRESTRAINED in facts_of(item).flags}
        if lost:
            yield (
                f"{len(lost)} of them could be served only with words of fixed use replaced "
                f"({UNRESTRAINED})"
            )
    if excluded:
        flags = Counter(
            flag for left_out in excluded for flag in left_out.flags if flag != AMBIGUOUS
        )
        yield f"{len(excluded)} of {len(items)} originals left out: {_listed(flags.most_common())}"
    n_kept = sum(KEPT_TARGET in facts_of(item).flags for item in variants)
    if n_kept:
        yield f"{n_kept} of {len(variants)} variants keep the target: no other pair of forms fits"
    n_repeated = sum(REPEATED_FRAME in facts_of(item).flags for item in variants)
    if n_repeated:
        yield (
            f"{n_repeated} of {len(variants)} variants keep half of the content words before the "
            f"target, which come back with one value only ({REPEATED_FRAME})"
        )
    near = Counter(item.kind for item in suite.items if is_near_duplicate(item))
    if near:
        yield (
            f"near-duplicates: {near['nonce']} variants differ from an earlier one of their "
            f"original in one word only, {near['original']} originals from an earlier one in one "
            "or two content words"
        )
    shortfalls = [shortfall for part in parts for shortfall in part.shortfalls]
    by_id = {item.item_id: item for item in items}
    unserved = [shortfall for shortfall in shortfalls if not shortfall.n_made]
    if unserved:
        why = Counter(
            re.sub(r"^\+?\w+: | ?'[^']*'", "", shortfall.reason) for shortfall in unserved
        )
        yield f"{len(unserved)} originals have no variant: {_listed(why.most_common())}"
    for short in shortfalls[:SHOWN]:
        agreement = facts_of(by_id[short.item_id])
        yield (
            f"{agreement.construction} {agreement.number} ({agreement.sent_id}): {short.n_made} of "
            f"{short.n_asked} variants; {short.reason}"
        )
    if len(shortfalls) > SHOWN:
        yield f"… and {len(shortfalls) - SHOWN} more originals with fewer variants"


def _listed(counts: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{name} {n}" for name, n in counts)


def advice(excluded: Sequence[LeftOut], parts: Sequence[VariantSet], level: str) -> str:
    """Return what to try next where there is no variant."""
    n_short = sum(len(part.shortfalls) for part in parts)
    if len(excluded) > n_short:
        return "no variant: most originals were left out; try --set exclude=none"
    if level != MORPHOLOGY:
        return "no variant; try --level morphology, or a larger treebank with --treebank"
    return "no variant; try a larger treebank with --treebank"


def rejections_frame(excluded: Iterable[LeftOut]) -> pl.DataFrame:
    """Return the originals that were left out as a table, with reasons."""
    facts = [(facts_of(left_out.item), left_out.reason) for left_out in excluded]
    return frame(
        (
            {**{name: getattr(agreement, name) for name in ORIGIN}, "reason": reason}
            for agreement, reason in facts
        ),
        schema.REJECTIONS,
    )


def account_from(values: Mapping[str, Any]) -> NonceAccount:
    """Return an account as a store keeps it."""
    return NonceAccount(**{**values, "rejections": frame(values["rejections"], schema.REJECTIONS)})


def rejections_of(store: Store, suite_id: int) -> pl.DataFrame:
    """Return the originals that were left out of a suite of nonce variants, with reasons.

    Args:
        store: that has the suite.
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
