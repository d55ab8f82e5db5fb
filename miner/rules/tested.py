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

import polars as pl

from ...data.statistics.significance import fdr_adjusted, wilson
from ..originals.wrong_form import partner
from ..search.candidate_pairs import Selection
from ..search.filters import FILTERS
from ..search.patterns.pattern import ARC
from ..verdict.construction import Construction, ConstructionKey, ContingencyTable
from ..verdict.counts import rows_of, tables
from ..verdict.evidence import OTHER_FLOOR, n_needed, sample_of
from ..verdict.procedure import Procedure, Replacement, Thresholds
from ..verdict.splits import ConstructionPart, part_name, parts_of

MIN_GAP, MAX_GAP = 3, 13  # as far as the paper's candidates, so that the rules can be compared
HIGH = 0.9  # a rate from which on few instances leave a construction undecided


def decide(instances: pl.DataFrame, thresholds: Thresholds) -> list[Construction]:
    """One verdict for each construction, in the order of first occurrence, parts behind the whole;
    those with fewer than `min_n` instances are not tested."""
    counted = tables(instances)
    large = [key for key, table in counted.items() if sum(table.values()) >= thresholds.min_n]
    if not large:
        return [_judged(key, table, thresholds) for key, table in counted.items()]
    sample, values, traits = sample_of(instances)
    rows = rows_of(instances)
    cases: dict[ConstructionKey, list[ConstructionPart]] = {}
    for key in large:
        subsample = sample.where(rows[key])
        undivided = ConstructionPart(subsample, subsample.evidence())
        cases[key] = [undivided, *parts_of(undivided, key.feature, traits, thresholds.floor)]
    q_values = iter(fdr_adjusted([part.evidence.p for parts in cases.values() for part in parts]))
    constructions: list[Construction] = []
    for key, table in counted.items():
        if key not in cases:
            constructions.append(_judged(key, table, thresholds))
            continue
        undivided, *parts = cases[key]
        q = next(q_values)
        verdicts = [
            _judged(key, part.sample.table(values), thresholds, part, next(q_values))
            for part in parts
        ]
        accepted = [verdict.name for verdict in verdicts if verdict.accepted]
        constructions.append(_judged(key, table, thresholds, undivided, q, accepted))
        undecided = any(verdict.undecided for verdict in verdicts)
        if accepted or (undecided and constructions[-1].verdict == "rejected"):
            constructions += verdicts  # else it stays whole
    return constructions


def _judged(
    key: ConstructionKey,
    table: ContingencyTable,
    thresholds: Thresholds,
    part: ConstructionPart | None = None,
    q: float = 1.0,
    parts: Sequence[str] = (),
) -> Construction:
    """The verdict on a construction or a part of one, of which `part` is `None` where it is too
    rare to be tested; `parts`: those accepted of one that was taken apart."""
    n = sum(table.values())
    agreed = tuple(sorted({cue for cue, target in table if cue == target}))
    low, high = wilson(sum(m for (cue, target), m in table.items() if cue == target), n)
    if part is None:
        reason = f"{n} instances, needs {thresholds.min_n}"
        return Construction(key.name, key.feature, agreed, table, False, reason, low=low, high=high)
    against, short = _objections(table, agreed, part, q, thresholds, parts)
    unambiguous, by_pair = part.sample.alternative_rates()
    return Construction(
        name=part_name(key.name, part.conditions),
        feature=key.feature,
        values=agreed,
        table=table,
        accepted=not against and not short,
        reason="; ".join([*against, *short]),
        p=part.evidence.p,
        q=q,
        low=low,
        high=high,
        undecided=bool(short) and not against and part.evidence.rate >= HIGH,
        evidence=part.evidence,
        base=key.name if part.conditions else "",
        conditions=part.conditions,
        halved=part.halved,
        rate_telling=unambiguous,
        rate_pairs=by_pair,
    )


def _objections(
    table: ContingencyTable,
    agreed: Sequence[str],
    part: ConstructionPart,
    q: float,
    thresholds: Thresholds,
    parts: Sequence[str],
) -> tuple[list[str], list[str]]:
    """What tells against agreement, and what more instances might mend."""
    seen = {value for cell in table for value in cell}
    evidence, floor = part.evidence, thresholds.floor
    against: list[str] = []
    short: list[str] = []
    if len(seen) < 2:
        against.append(f"one value only ({min(seen)})")
    elif len(agreed) < 2:
        against.append(f"agreement seen with one value only ({''.join(agreed) or 'none'})")
    if parts:
        against.append(f"taken apart: {', '.join(parts)}")
    if evidence.bound < floor:
        digits = next((n for n in range(6) if f"{evidence.bound:.{n}%}" != f"{floor:.{n}%}"), 6)
        bound = (
            f"{evidence.rate:.1%} agree, at least {evidence.bound:.{digits}%}, "
            f"needs {floor:.{digits}%}"
        )
        more = (
            n_needed(evidence.rate, evidence.deff, evidence.n, floor)
            if evidence.rate >= HIGH
            else None
        )
        if more is None:
            against.append(bound)
        else:
            more *= 2 if part.halved else 1  # half of them would come to those that judge
            short.append(f"{bound}: {more} more {'instance' if more == 1 else 'instances'}")
    if len(seen) > 1 and evidence.bound_other < OTHER_FLOOR:
        is_promising = 2 * evidence.n_other_agree > evidence.n_other
        (short if is_promising else against).append(
            f"of the {evidence.n_other} without the most frequent value "
            f"{evidence.n_other_agree} agree"
        )
    if q > (alpha := thresholds.alpha):
        digits = next((n for n in range(2, 9) if f"{q:.{n}g}" != f"{alpha:.{n}g}"), 9)
        chance = f"no more than by chance (q = {q:.{digits}g})"
        (short if evidence.rate >= HIGH else against).append(chance)
    return against, short


RULE = Procedure(
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
