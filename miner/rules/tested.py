"""Agreement where the counts bear it out.

Two words that have nothing to do with each other share their number in 55 to 65 % of the cases,
since most words are singular; and a real agreement is rarely without exceptions, since treebanks
have errors and coordinations. So a construction is accepted if its words agree more often than
words of the same sentences would by chance (`evidence.within_sentences`, Benjamini–Hochberg over
every test that was made), if the lower bound of the rate reaches the floor, and if the instances
that are not of the most frequent value agree in more than half of the cases. What fails or is mixed
is taken apart (`splits`). Where the rate is high but the instances are few, the verdict is
undecided. Multiword tokens stay apart in the tree, so that the noun inside Hebrew *ha-yeled* agrees
as a noun.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl

from colorless_green.miner.construction import Construction, Table
from colorless_green.miner.counts import tables
from colorless_green.miner.evidence import OTHER_FLOOR, Evidence, evidence, n_needed
from colorless_green.miner.filters import FILTERS
from colorless_green.miner.partner import partner
from colorless_green.miner.patterns.pattern import ARC
from colorless_green.miner.rule import Replacement, Rule, Thresholds, nothing_unfit
from colorless_green.miner.selection import Selection
from colorless_green.miner.significance import adjusted, wilson
from colorless_green.miner.splits import Condition, name_of, parts_of

MIN_GAP, MAX_GAP = 3, 13  # as far as the paper's candidates, so that the rules can be compared
HIGH = 0.9  # a rate from which on few instances leave a construction undecided


@dataclass(frozen=True, slots=True)
class _Case:
    """A construction, or a part of one, before the verdict."""

    base: str
    instances: pl.DataFrame
    evidence: Evidence
    conditions: tuple[Condition, ...] = ()
    halved: bool = False


def decide(instances: pl.DataFrame, thresholds: Thresholds) -> list[Construction]:
    """One verdict for each construction, in the order of first occurrence, parts behind the whole;
    those with fewer than `min_n` instances are not tested."""
    counted = tables(instances)
    large = [name for name, table in counted.items() if sum(table.values()) >= thresholds.min_n]
    of_name = instances.partition_by("feature", "construction", as_dict=True) if large else {}
    cases: dict[tuple[str, str], list[_Case]] = {}
    for feature, name in large:
        own = of_name[(feature, name)]
        pooled = evidence(own)
        parts = parts_of(own, pooled, thresholds.floor)
        cases[(feature, name)] = [
            _Case(name, own, pooled),
            *(
                _Case(name, each.instances, each.evidence, each.conditions, each.halved)
                for each in parts
            ),
        ]
    q_values = iter(adjusted([case.evidence.p for each in cases.values() for case in each]))
    found: list[Construction] = []
    for key, table in counted.items():
        if key not in cases:
            n = sum(table.values())
            reason = f"{n} instances, needs {thresholds.min_n}"
            found.append(_judged(key.feature, key.name, table, reason))
            continue
        (whole, q), *others = [(case, next(q_values)) for case in cases[key]]
        verdicts = [_verdict(key.feature, *each, thresholds) for each in others]
        accepted = [each.name for each in verdicts if each.accepted]
        found.append(_verdict(key.feature, whole, q, thresholds, accepted))
        undecided = any(each.undecided for each in verdicts)
        if accepted or (undecided and found[-1].verdict == "rejected"):
            found += verdicts  # else it stays whole
    return found


def _verdict(
    feature: str, case: _Case, q: float, thresholds: Thresholds, parts: Sequence[str] = ()
) -> Construction:
    """The verdict on a case; `parts`: those accepted of one that was taken apart."""
    table = next(iter(tables(case.instances).values()))
    name = name_of(case.base, case.conditions)
    seen = {value for cell in table for value in cell}
    each, floor = case.evidence, thresholds.floor
    against: list[str] = []  # what tells against agreement
    short: list[str] = []  # what more instances might mend
    if len(seen) < 2:
        against.append(f"one value only ({min(seen)})")
    elif len(_values(table)) < 2:
        against.append(f"agreement seen with one value only ({''.join(_values(table)) or 'none'})")
    if parts:
        against.append(f"taken apart: {', '.join(parts)}")
    if each.bound < floor:
        more = n_needed(each.rate, each.deff, each.n, floor) if each.rate >= HIGH else None
        if more and case.halved:  # half of them would come to the documents that judge
            more *= 2
        bound = f"{each.rate:.1%} agree, at least {_digits(each.bound, floor)}"
        if more is None:
            against.append(f"{bound}, needs {_digits(floor, each.bound)}")
        else:
            instances = "instance" if more == 1 else "instances"
            short.append(f"{bound}, needs {_digits(floor, each.bound)}: {more} more {instances}")
    if len(seen) > 1 and each.bound_other < OTHER_FLOOR:
        few = 2 * each.n_other_agree > each.n_other
        other = (
            f"of {each.n_other} instances that are not of the most frequent value "
            f"{each.n_other_agree} agree"
        )
        (short if few else against).append(other)
    if q > thresholds.alpha:
        chance = f"no more than by chance (q = {_digits_of(q, thresholds.alpha)})"
        (short if each.rate >= HIGH else against).append(chance)
    telling, pairs = _other_rates(case.instances)
    undecided = bool(short) and not against and each.rate >= HIGH
    return replace(
        _judged(feature, name, table, "; ".join([*against, *short]), each.p, q),
        undecided=undecided,
        evidence=each,
        base=case.base if case.conditions else "",
        conditions=case.conditions,
        halved=case.halved,
        rate_telling=telling,
        rate_pairs=pairs,
    )


def _other_rates(instances: pl.DataFrame) -> tuple[float | None, float]:
    """The rate without forms that occur with several values, and with each pair of forms once."""
    agree = pl.col("cue_value") == pl.col("target_value")
    telling = instances.filter(~pl.col("syncretic")).select(agree.mean()).item()
    rates = instances.group_by("cue", "target").agg(agree.mean().alias("rate"))
    pairs = rates.sort("rate").select(pl.col("rate").mean()).item()
    return telling, pairs


def _values(table: Table) -> tuple[str, ...]:
    """The values in which cue and target agree somewhere."""
    return tuple(sorted({cue for cue, target in table if cue == target}))


def _digits(share: float, other: float) -> str:
    """A share in percent, with as many digits as tell it from another."""
    digits = next((n for n in range(6) if f"{share:.{n}%}" != f"{other:.{n}%}"), 6)
    return f"{share:.{digits}%}"


def _digits_of(one: float, other: float) -> str:
    digits = next((n for n in range(2, 9) if f"{one:.{n}g}" != f"{other:.{n}g}"), 9)
    return f"{one:.{digits}g}"


def _judged(
    feature: str,
    name: str,
    table: Table,
    reason: str,
    p: float | None = None,
    q: float | None = None,
) -> Construction:
    n = sum(table.values())
    low, high = wilson(sum(m for (cue, target), m in table.items() if cue == target), n)
    return Construction(name, feature, _values(table), table, not reason, reason, p, q, low, high)


RULE = Rule(
    name="tested",
    about="more agreement than chance, and enough of it",
    selection=Selection(
        min_gap=MIN_GAP,
        max_gap=MAX_GAP,
        gap_in="words",
        merging="apart",
        projective=False,
        punctuation=False,
        directed=True,
        context="outside",
        by="coarse",
        patterns=("all", ARC),
        filters=tuple(FILTERS),
    ),
    tests=True,
    letters_only=False,
    decide=decide,
    unfit=nothing_unfit,
    partner=partner,
    replacement=Replacement(
        other_pos_share=0.10,
        min_count=1,
        letters_only=False,
        same_class=False,
        pure_lemma=False,
        by_partner=True,
    ),
)
