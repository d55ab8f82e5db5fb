"""Agreement where the counts bear it out.

Two words that have nothing to do with each other share their number in 55 to 65 % of the cases,
since most words are singular; and a real agreement is rarely without exceptions, since treebanks
have errors and coordinations. So a construction is accepted if its words agree more often than
words of the same sentences would by chance (`evidence.within_sentences`, Benjamini–Hochberg over
every test that was made), if the lower bound of the rate reaches the floor, and if the instances
that are not of the most frequent value agree in more than half of the cases. Both bounds count
instances of one sentence, document or pair of lemmas as less than independent ones, as far as they
share their value (`evidence.design_effect`). With fewer than eight sentences that could have shown
otherwise no test is made and nothing accepted. Where the rate is high but the instances are few,
the verdict is undecided. Multiword tokens stay apart in the tree, so that the noun inside Hebrew
*ha-yeled* agrees as a noun.

What fails or is mixed is split by features of its words: participles that agree in 116 of 116 cases
are no witnesses against finite verbs, nor these against them. A split is one that a grammar would
state: by VerbForm, Mood, Case or PronType of one end. It is chosen greedily to depth two; where
there are instances enough on one half of the documents, and then judged on the other half.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl

from ...data.statistics.significance import fdr_adjusted, wilson_limits
from ..originals.wrong_form import partner
from ..search.filters import FILTERS
from ..search.instances import OF_FEATURE, Selection
from ..search.pattern import ARC
from ..verdict.construction import (
    Condition,
    Construction,
    ConstructionKey,
    ContingencyTable,
    Procedure,
    Replacement,
    Thresholds,
)
from ..verdict.counts import rows_of, tables
from ..verdict.evidence import (
    MIN_INFORMATIVE,
    OTHER_FLOOR,
    TRAITS,
    Evidence,
    InstanceArrays,
    lower_bound,
    n_needed,
    sample_of,
)

MIN_GAP, MAX_GAP = 3, 13  # as far as the paper's candidates, so that the rules can be compared
DEPTH = 2
MIN_PART = 20  # instances
MIN_BOTH = 80  # instances of a part from which on one half of the documents chooses, one judges
HIGH = 0.9  # a rate from which on few instances leave a construction undecided


class Objection(NamedTuple):
    """A reason not to accept a construction."""

    text: str
    few: bool = False  # more instances might mend it


class ConstructionPart(NamedTuple):
    """A construction, or those of its instances that meet some conditions."""

    sample: InstanceArrays
    evidence: Evidence
    conditions: tuple[Condition, ...] = ()
    halved: bool = False  # chosen on one half of the documents, judged on the other


def decide(instances: pl.DataFrame, thresholds: Thresholds) -> list[Construction]:
    """Return a verdict for each construction, in the order of first occurrence, parts behind the
    whole; those with fewer than `min_n` instances are not tested."""
    counted = tables(instances)
    large = [key for key, table in counted.items() if sum(table.values()) >= thresholds.min_n]
    if not large:
        return [_too_rare(key, table, thresholds) for key, table in counted.items()]
    sample, values, traits = sample_of(instances)
    rows = rows_of(instances)
    cases: dict[ConstructionKey, list[ConstructionPart]] = {}
    for key in large:
        subsample = sample.where(rows[key])
        whole = ConstructionPart(subsample, subsample.evidence())
        cases[key] = [whole, *parts_of(whole, key.feature, traits, thresholds.floor)]
    q_values = iter(_q_values([part.evidence.p for parts in cases.values() for part in parts]))
    constructions: list[Construction] = []
    for key, table in counted.items():
        if key not in cases:
            constructions.append(_too_rare(key, table, thresholds))
            continue
        whole, *parts = cases[key]
        q = next(q_values)
        verdicts = [
            _judged(key, part.sample.table(values), part, next(q_values), thresholds)
            for part in parts
        ]
        accepted = [verdict.name for verdict in verdicts if verdict.accepted]
        constructions.append(_judged(key, table, whole, q, thresholds, accepted))
        undecided = any(verdict.undecided for verdict in verdicts)
        if accepted or (undecided and constructions[-1].verdict == "rejected"):
            constructions += verdicts  # else it stays whole
    return constructions


def _q_values(p_values: Sequence[float | None]) -> list[float | None]:
    """Return q for each p; `None` where no test was made, which can accept nothing."""
    tested = [index for index, p in enumerate(p_values) if p is not None]
    q_values: list[float | None] = [None] * len(p_values)
    for index, q in zip(tested, fdr_adjusted([p for p in p_values if p is not None]), strict=True):
        q_values[index] = q
    return q_values


def _too_rare(
    key: ConstructionKey, table: ContingencyTable, thresholds: Thresholds
) -> Construction:
    """Return the verdict on a construction with too few instances to be looked at."""
    reason = f"{sum(table.values())} instances, needs {thresholds.min_n}"
    return _with_interval(Construction(key.name, key.feature, _agreed(table), table, False, reason))


def _with_interval(verdict: Construction) -> Construction:
    low, high = wilson_limits(verdict.rate, verdict.n)
    return replace(verdict, low=low, high=high)


def _agreed(table: ContingencyTable) -> tuple[str, ...]:
    return tuple(sorted({cue for cue, target in table if cue == target}))


def _judged(
    key: ConstructionKey,
    table: ContingencyTable,
    part: ConstructionPart,
    q: float | None,
    thresholds: Thresholds,
    parts: Sequence[str] = (),
) -> Construction:
    """Return the verdict on a construction or a part of one. `parts`: those accepted of one that
    was split."""
    objections = list(_objections(table, part, q, thresholds, parts))
    verdict = Construction(
        name=part_name(key.name, part.conditions),
        feature=key.feature,
        values=_agreed(table),
        table=table,
        accepted=not objections,
        reason="; ".join(each.text for each in sorted(objections, key=lambda each: each.few)),
        p=part.evidence.p,
        q=q,
        undecided=bool(objections)
        and all(each.few for each in objections)
        and part.evidence.rate >= HIGH,
        evidence=part.evidence,
        base=key.name if part.conditions else "",
        conditions=part.conditions,
        halved=part.halved,
        rate_unambiguous=part.sample.rate_unambiguous(),
        rate_pairs=part.sample.rate_pairs(),
    )
    return _with_interval(verdict)


def _objections(
    table: ContingencyTable,
    part: ConstructionPart,
    q: float | None,
    thresholds: Thresholds,
    parts: Sequence[str],
) -> Iterator[Objection]:
    """Yield what speaks against agreement, and what is too little to tell."""
    evidence, is_high = part.evidence, part.evidence.rate >= HIGH
    seen, agreed = {value for cell in table for value in cell}, _agreed(table)
    if len(seen) < 2:
        yield Objection(f"one value only ({min(seen)})")
    elif len(agreed) < 2:
        yield Objection(f"agreement seen with one value only ({''.join(agreed) or 'none'})")
    if parts:
        yield Objection(f"taken apart: {', '.join(parts)}")
    if evidence.bound < thresholds.floor:
        yield _low_bound(part, thresholds.floor)
    if len(seen) > 1 and evidence.bound_other < OTHER_FLOOR:
        yield Objection(
            f"of the {evidence.n_other} without the most frequent value "
            f"{evidence.n_other_agree} agree",
            few=2 * evidence.n_other_agree > evidence.n_other,
        )
    if q is None:
        yield Objection(
            f"{evidence.n_informative} informative sentences, needs {MIN_INFORMATIVE}",
            few=is_high,
        )
    elif q > thresholds.alpha:
        q_text, _ = _told_apart(q, thresholds.alpha, "g", 2)
        yield Objection(f"no more than by chance (q = {q_text})", few=is_high)


def _low_bound(part: ConstructionPart, floor: float) -> Objection:
    """Return the objection that the bound is below the floor, with what more it would take."""
    evidence = part.evidence
    bound_text, floor_text = _told_apart(evidence.bound, floor, "%", 0)
    text = f"{evidence.rate:.1%} agree, at least {bound_text}, needs {floor_text}"
    more = n_needed(evidence.rate, evidence.deff, evidence.n, floor)
    if more is None or evidence.rate < HIGH:
        return Objection(text)
    more *= 2 if part.halved else 1  # half of them would come to those that judge
    return Objection(f"{text}: {more} more {'instance' if more == 1 else 'instances'}", few=True)


def _told_apart(value: float, threshold: float, form: str, digits: int) -> tuple[str, str]:
    """Return two numbers with as many digits as it takes to see which is larger."""
    for n in range(digits, 9):
        texts = f"{value:.{n}{form}}", f"{threshold:.{n}{form}}"
        if texts[0] != texts[1]:
            break
    return texts


def parts_of(
    whole: ConstructionPart, feature: str, values: Sequence[Sequence[str]], floor: float
) -> list[ConstructionPart]:
    """Return the parts of a construction that fails, or that is mixed; none where no split helps.
    `values`: those of each trait."""
    traits = [number for number, (_, name) in enumerate(TRAITS) if name not in feature.split("~")]
    if len(whole.sample.cue) < 2 * MIN_PART or whole.evidence.p is None:
        return []  # nor would its parts be tested
    parts = _split(whole, traits, values, floor)
    return parts if any(part.evidence.passes(floor) for part in parts) else []


def _split(
    whole: ConstructionPart, traits: Sequence[int], values: Sequence[Sequence[str]], floor: float
) -> list[ConstructionPart]:
    """Return the parts by the trait that promises most, and theirs in turn."""
    halved = _is_large(whole.sample)
    choosing = whole.sample.where(whole.sample.even) if halved else whole.sample
    min_size = MIN_PART // 2 if halved else MIN_PART
    best, chosen = (-1.0, 0.0), -1
    for trait in traits:
        samples = [sample for _, sample in _by_value(choosing, trait)]
        if len(samples) < 2:
            continue
        large = [sample.evidence() for sample in samples if len(sample.cue) >= min_size]
        if whole.evidence.passes(floor) and not any(_is_low(each, floor) for each in large):
            continue
        n_passing = sum(each.n for each in large if _may_pass(each, floor))
        promise = float(n_passing), _gain(samples)
        if promise > best:
            best, chosen = promise, trait
    parts: list[ConstructionPart] = []
    for code, sample in _by_value(whole.sample, chosen) if chosen >= 0 else ():
        if len(sample.cue) < MIN_PART:
            continue
        conditions = (*whole.conditions, Condition(*TRAITS[chosen], values[chosen][code]))
        halved = _is_large(sample)
        judging = sample.where(~sample.even) if halved else sample
        part = ConstructionPart(sample, judging.evidence(), conditions, halved)
        deeper: list[ConstructionPart] = []
        if not part.evidence.passes(floor) and len(conditions) < DEPTH:
            others = [trait for trait in traits if trait != chosen]
            deeper = _split(part, others, values, floor)
        helps = any(each.evidence.passes(floor) for each in deeper)
        parts += deeper if helps else [part]
    return parts


def _is_large(sample: InstanceArrays) -> bool:
    """Return whether there are enough instances, in both halves of the documents."""
    n_even, n = int(sample.even.sum()), len(sample.even)
    return n >= MIN_BOTH and min(n_even, n - n_even) >= MIN_PART


def _by_value(sample: InstanceArrays, trait: int) -> Iterator[tuple[int, InstanceArrays]]:
    """Yield the values of a trait, as numbers, and the instances that have each."""
    codes = sample.traits[:, trait]
    for code in np.unique(codes).tolist():
        yield code, sample.where(codes == code)


def _gain(samples: Sequence[InstanceArrays]) -> float:
    """Return how much a split tells of agreement: the likelihood-ratio statistic G."""
    hits = np.array([float(sample.agree.sum()) for sample in samples])
    n = np.array([float(len(sample.agree)) for sample in samples])
    return _entropy(hits.sum(), n.sum()) - sum(map(_entropy, hits, n))


def _entropy(hits: float, total: float) -> float:
    rates = np.array([hits, total - hits]) / total
    rates = rates[rates > 0]
    return float(-(rates * np.log(rates)).sum() * total)


def _may_pass(evidence: Evidence, floor: float) -> bool:
    """Return whether a part of half the documents promises to pass: its bound, at twice the
    size."""
    doubled = lower_bound(evidence.rate, 2 * evidence.n / evidence.deff)
    return evidence.rate > floor and doubled >= floor


def _is_low(evidence: Evidence, floor: float) -> bool:
    """Return whether the rate of a part is clearly below the floor."""
    return 1 - lower_bound(1 - evidence.rate, evidence.n / evidence.deff) < floor


def part_name(name: str, conditions: Sequence[Condition]) -> str:
    """Return the name of a part: `L__NOUN__VERB__nsubj` with finite verbs is
    `L__NOUN__VERB[Fin]__nsubj`."""
    stem, mark, feature = name.partition(OF_FEATURE)
    direction, *words = stem.split("__")
    if len(words) == 3 or (len(words) == 2 and "_" not in words[0]):  # coarse: cue, target, what
        ends, suffixes, joint = words[:2], words[2:], "__"
    else:
        ends, suffixes, joint = words[0].split("_"), words[1:], "_"
    for index, end in ((0, "cue"), (-1, "target")):
        labels = [condition.label for condition in conditions if condition.end == end]
        if labels:
            ends[index] += f"[{','.join(labels)}]"
    return "__".join([direction, joint.join(ends), *suffixes]) + mark + feature


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
