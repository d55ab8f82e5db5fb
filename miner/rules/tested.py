"""Agreement where the counts bear it out: an exact test, and a floor for the rate.

Two words that have nothing to do with each other share their number in 55 to 65 % of the cases,
since most words are singular; and a real agreement is rarely without exceptions, since treebanks
have errors and coordinations. So a construction is accepted if its words agree significantly more
often than their marginal frequencies would have them agree (one-sided exact binomial test,
Benjamini–Hochberg over every construction with enough instances) and in at least `floor` of its
instances. Multiword tokens stay apart in the tree, so that the noun inside Hebrew *ha-yeled*
agrees as a noun.
"""

from collections.abc import Mapping

from colorless_green.miner.construction import Construction, Table
from colorless_green.miner.filters import FILTERS
from colorless_green.miner.partner import partner
from colorless_green.miner.patterns.pattern import ARC
from colorless_green.miner.rule import Key, Replacement, Rule, Thresholds, nothing_unfit
from colorless_green.miner.selection import Selection
from colorless_green.miner.significance import adjusted, upper_tail, wilson

MIN_GAP, MAX_GAP = 3, 13  # as far as the paper's candidates, so that the rules can be compared


def decide(tables: Mapping[Key, Table], thresholds: Thresholds) -> list[Construction]:
    """One verdict for each construction, in the order of first occurrence; those with fewer than
    `min_n` instances are not tested."""
    counted = [
        Construction(key.name, key.feature, _values(table), table, False, "")
        for key, table in tables.items()
    ]
    tested = [each for each in counted if each.n >= thresholds.min_n]
    p_values = [upper_tail(each.n_agree, each.n, each.expected) for each in tested]
    q_values = adjusted(p_values)
    tests = {id(each): pair for each, *pair in zip(tested, p_values, q_values, strict=True)}
    return [_verdict(each, tests.get(id(each)), thresholds) for each in counted]


def _values(table: Table) -> tuple[str, ...]:
    """The values in which cue and target agree somewhere."""
    return tuple(sorted({cue for cue, target in table if cue == target}))


def _verdict(
    counted: Construction, test: list[float] | None, thresholds: Thresholds
) -> Construction:
    if test is None:
        reason = f"{counted.n} instances, needs {thresholds.min_n}"
        return _judged(counted, reason, None, None)
    p, q = test
    reasons: list[str] = []
    if len(_seen(counted)) < 2:
        reasons.append(f"one value only ({_seen(counted)[0]})")
    elif q > thresholds.alpha:
        digits = next((n for n in range(2, 9) if f"{q:.{n}g}" != f"{thresholds.alpha:.{n}g}"), 9)
        reasons.append(f"no more than by chance (q = {q:.{digits}g})")
    if counted.rate < thresholds.floor:
        reasons.append(_too_low(counted.rate, thresholds.floor))
    if not reasons and len(counted.values) < 2:
        reasons.append(f"agreement seen with one value only ({counted.values[0]})")
    return _judged(counted, "; ".join(reasons), p, q)


def _too_low(rate: float, floor: float) -> str:
    """That a rate is below the floor, with as many digits as tell the two apart."""
    digits = next((n for n in range(6) if f"{rate:.{n}%}" != f"{floor:.{n}%}"), 6)
    return f"{rate:.{digits}%} agree, needs {floor:.{digits}%}"


def _seen(counted: Construction) -> list[str]:
    return sorted({value for cell in counted.table for value in cell})


def _judged(counted: Construction, reason: str, p: float | None, q: float | None) -> Construction:
    low, high = wilson(counted.n_agree, counted.n)
    return Construction(
        counted.name, counted.feature, counted.values, counted.table, not reason, reason, p, q,
        low, high,
    )  # fmt: skip


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
