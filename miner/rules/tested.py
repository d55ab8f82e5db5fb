"""The rule `tested`: a construction is accepted if statistics show that its words agree.

Two unrelated words have the same number in 55 to 65 % of all cases, since most words are singular;
and real agreement is rarely without exceptions, since treebanks have errors and coordinations. So a
construction is accepted if three things are true:

- its words agree more often than by chance, compared with other words of the same sentences
  (`evidence.within_sentences`, Benjamini–Hochberg over all tests of the run);
- the lower bound of its agreement rate reaches the floor;
- the lower bound of the rate over instances without the most frequent value reaches one half.

The bounds allow for instances of one sentence, document or pair of lemmas that are alike
(`evidence.design_effect`). With fewer than eight informative sentences, no test is made and nothing
accepted. If the rate is high but the instances are few, the verdict is undecided. Multiword tokens
stay apart in the tree, so that the noun inside Hebrew *ha-yeled* agrees as a noun.

A construction that fails or is mixed is split into *parts* by a *trait*, a feature that a grammar
would name: VerbForm, Mood, Case or PronType of cue or target. So participles that agree in 116 of
116 cases do not speak for or against finite verbs. Splits are chosen greedily to depth two. If
there are enough instances, one half of the documents chooses a part, and the other half judges it.
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

MIN_GAP, MAX_GAP = 3, 13  # as in the released scripts, so that the rules can be compared
MAX_CONDITIONS = 2  # on a part: a construction is split, and its parts once more
MIN_PART = 20  # instances of a part
MIN_FOR_HALVING = 80  # with as many instances, half of the documents choose a part, half judge it
HIGH_RATE = 0.9  # with at least this rate, a construction with few instances is undecided


class Objection(NamedTuple):
    """A reason not to accept a construction."""

    text: str
    is_for_few: bool = False  # it may be due to too few instances


class ConstructionPart(NamedTuple):
    """A construction, or a part of it: the instances that meet some conditions."""

    sample: InstanceArrays
    evidence: Evidence  # of the whole sample; if `halved`, of the half that judges
    conditions: tuple[Condition, ...] = ()
    halved: bool = False  # chosen on one half of the documents, judged on the other


def decide(instances: pl.DataFrame, thresholds: Thresholds) -> list[Construction]:
    """Return a verdict on each construction, in the order of first occurrence.

    Constructions with fewer than `min_n` instances are not tested. If a construction was split
    with success, the verdicts on its parts follow.
    """
    by_key = tables(instances)
    large = [key for key, table in by_key.items() if sum(table.values()) >= thresholds.min_n]
    if not large:
        return [_untested_verdict(key, table, thresholds) for key, table in by_key.items()]
    sample, values, trait_values = sample_of(instances)
    rows = rows_of(instances)
    tested: dict[ConstructionKey, list[ConstructionPart]] = {}  # the whole, then its parts
    for key in large:
        subsample = sample.where(rows[key])
        whole = ConstructionPart(subsample, subsample.evidence())
        tested[key] = [whole, *parts_of(whole, key.feature, trait_values, thresholds.floor)]
    # One q for each construction and part, in the order of `tested`, which is that of `by_key`.
    q_values = iter(_q_values([part.evidence.p for parts in tested.values() for part in parts]))
    constructions: list[Construction] = []
    for key, table in by_key.items():
        if key not in tested:
            constructions.append(_untested_verdict(key, table, thresholds))
            continue
        whole, *parts = tested[key]
        q = next(q_values)
        part_verdicts = [
            _verdict(key, part.sample.table(values), part, next(q_values), thresholds)
            for part in parts
        ]
        accepted_parts = [verdict.name for verdict in part_verdicts if verdict.accepted]
        verdict_on_whole = _verdict(key, table, whole, q, thresholds, accepted_parts)
        constructions.append(verdict_on_whole)
        has_undecided = any(verdict.undecided for verdict in part_verdicts)
        if accepted_parts or (has_undecided and verdict_on_whole.verdict == "rejected"):
            constructions += part_verdicts
    return constructions


def _q_values(p_values: Sequence[float | None]) -> list[float | None]:
    """Adjust the p values of all tests for their number (Benjamini–Hochberg); return the q values.

    A construction without a test has `None` for both.
    """
    tested = [index for index, p in enumerate(p_values) if p is not None]
    q_values: list[float | None] = [None] * len(p_values)
    for index, q in zip(tested, fdr_adjusted([p for p in p_values if p is not None]), strict=True):
        q_values[index] = q
    return q_values


def _untested_verdict(
    key: ConstructionKey, table: ContingencyTable, thresholds: Thresholds
) -> Construction:
    """Return the verdict `rejected` on a construction with too few instances to be tested."""
    reason = f"{sum(table.values())} instances, needs {thresholds.min_n}"
    return _with_interval(
        Construction(key.name, key.feature, _agreed_values(table), table, False, reason)
    )


def _with_interval(verdict: Construction) -> Construction:
    """Add the 95 % interval of the agreement rate to a construction."""
    low, high = wilson_limits(verdict.rate, verdict.n)
    return replace(verdict, low=low, high=high)


def _agreed_values(table: ContingencyTable) -> tuple[str, ...]:
    """Return the values that cue and target share in at least one instance, sorted by name."""
    return tuple(sorted({cue for cue, target in table if cue == target}))


def _verdict(
    key: ConstructionKey,
    table: ContingencyTable,
    part: ConstructionPart,
    q: float | None,
    thresholds: Thresholds,
    accepted_parts: Sequence[str] = (),
) -> Construction:
    """Judge a construction, or a part of one.

    `accepted_parts` are the names of its parts that were accepted, if it was split.
    """
    objections = list(_objections(table, part, q, thresholds, accepted_parts))
    sorted_objections = sorted(objections, key=lambda objection: objection.is_for_few)
    verdict = Construction(
        name=part_name(key.name, part.conditions),
        feature=key.feature,
        values=_agreed_values(table),
        table=table,
        accepted=not objections,
        reason="; ".join(objection.text for objection in sorted_objections),
        p=part.evidence.p,
        q=q,
        undecided=bool(objections)
        and all(objection.is_for_few for objection in objections)
        and part.evidence.rate >= HIGH_RATE,
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
    accepted_parts: Sequence[str],
) -> Iterator[Objection]:
    """Yield the reasons not to accept a construction or part; nothing if there is no reason."""
    evidence, is_high = part.evidence, part.evidence.rate >= HIGH_RATE
    all_values = {value for pair in table for value in pair}
    agreed = _agreed_values(table)
    if len(all_values) < 2:
        yield Objection(f"one value only ({min(all_values)})")
    elif len(agreed) < 2:
        yield Objection(f"agreement seen with one value only ({''.join(agreed) or 'none'})")
    if accepted_parts:
        yield Objection(f"taken apart: {', '.join(accepted_parts)}")
    if evidence.bound < thresholds.floor:
        yield _low_bound(part, thresholds.floor)
    if len(all_values) > 1 and evidence.bound_other < OTHER_FLOOR:
        yield Objection(
            f"of the {evidence.n_other} without the most frequent value "
            f"{evidence.n_other_agree} agree",
            is_for_few=2 * evidence.n_other_agree > evidence.n_other,
        )
    if q is None:
        yield Objection(
            f"{evidence.n_informative} informative sentences, needs {MIN_INFORMATIVE}",
            is_for_few=is_high,
        )
    elif q > thresholds.alpha:
        q_text, _ = _distinct_texts(q, thresholds.alpha, "g", 2)
        yield Objection(f"no more than by chance (q = {q_text})", is_for_few=is_high)


def _low_bound(part: ConstructionPart, floor: float) -> Objection:
    """Return the objection that the lower bound of the rate is below the floor, with the number of
    further instances that would be needed."""
    evidence = part.evidence
    bound_text, floor_text = _distinct_texts(evidence.bound, floor, "%", 0)
    text = f"{evidence.rate:.1%} agree, at least {bound_text}, needs {floor_text}"
    n_more = n_needed(evidence.rate, evidence.deff, evidence.n, floor)
    if n_more is None or evidence.rate < HIGH_RATE:
        return Objection(text)
    n_more *= 2 if part.halved else 1  # only half of them would be in the half that judges
    return Objection(f"{text}: {n_more} more instance{'' if n_more == 1 else 's'}", is_for_few=True)


def _distinct_texts(value: float, threshold: float, code: str, digits: int) -> tuple[str, str]:
    """Format two numbers with as many digits as it takes to tell them apart, from `digits` to 8.

    `code` is the format type, `g` or `%`. Return the texts of both.
    """
    for n_digits in range(digits, 9):
        value_text, threshold_text = f"{value:.{n_digits}{code}}", f"{threshold:.{n_digits}{code}}"
        if value_text != threshold_text:
            break
    return value_text, threshold_text


def parts_of(
    whole: ConstructionPart, feature: str, values: Sequence[Sequence[str]], floor: float
) -> list[ConstructionPart]:
    """Return the parts of a construction that fails or is mixed; an empty list if no part passes.

    `values` are the names of each trait's values. A trait is an index in `TRAITS`; the feature that
    is compared is none.
    """
    traits = [number for number, (_, name) in enumerate(TRAITS) if name not in feature.split("~")]
    if len(whole.sample.cue) < 2 * MIN_PART or whole.evidence.p is None:
        return []  # its parts could not be tested
    parts = _split(whole, traits, values, floor)
    return parts if any(part.evidence.passes(floor) for part in parts) else []


def _split(
    whole: ConstructionPart, traits: Sequence[int], values: Sequence[Sequence[str]], floor: float
) -> list[ConstructionPart]:
    """Split a construction by the most promising of these traits; split the parts in turn.

    Return the parts, none if no trait divides it.
    """
    best_trait = _most_promising_trait(whole, traits, floor)
    if best_trait is None:
        return []
    parts: list[ConstructionPart] = []
    for code, sample in _by_value(whole.sample, best_trait):
        if len(sample.cue) < MIN_PART:
            continue
        condition = Condition(*TRAITS[best_trait], values[best_trait][code])
        conditions = (*whole.conditions, condition)
        halved = _is_large(sample)
        judging = sample.where(~sample.even) if halved else sample
        part = ConstructionPart(sample, judging.evidence(), conditions, halved)
        deeper: list[ConstructionPart] = []
        if not part.evidence.passes(floor) and len(conditions) < MAX_CONDITIONS:
            others = [trait for trait in traits if trait != best_trait]
            deeper = _split(part, others, values, floor)
        is_better = any(subpart.evidence.passes(floor) for subpart in deeper)
        parts += deeper if is_better else [part]
    return parts


def _most_promising_trait(
    whole: ConstructionPart, traits: Sequence[int], floor: float
) -> int | None:
    """Return the trait by which to split a construction, None if there is none.

    A trait is the more promising, the more instances are in parts that may pass; ties go to the
    trait that tells more of agreement (`_rate_difference`), then to the first. If the whole passes,
    a trait counts only if some part has a low rate.
    """
    halved = _is_large(whole.sample)
    choosing = whole.sample.where(whole.sample.even) if halved else whole.sample
    min_size = MIN_PART // 2 if halved else MIN_PART
    promises: dict[int, tuple[int, float]] = {}
    for trait in traits:
        samples = [sample for _, sample in _by_value(choosing, trait)]
        if len(samples) < 2:
            continue
        large = [sample.evidence() for sample in samples if len(sample.cue) >= min_size]
        if whole.evidence.passes(floor) and not any(_is_low(evidence, floor) for evidence in large):
            continue
        n_passing = sum(evidence.n for evidence in large if _may_pass(evidence, floor))
        promises[trait] = n_passing, _rate_difference(samples)
    return max(promises, key=lambda trait: promises[trait], default=None)


def _is_large(sample: InstanceArrays) -> bool:
    """Return whether the instances are enough to choose a part on one half of the documents, and to
    judge it on the other."""
    n_even, n = int(sample.even.sum()), len(sample.even)
    return n >= MIN_FOR_HALVING and min(n_even, n - n_even) >= MIN_PART


def _by_value(sample: InstanceArrays, trait: int) -> Iterator[tuple[int, InstanceArrays]]:
    """Yield (code of a value, instances with this value) for each value of a trait.

    `trait` is an index in `TRAITS`, the features by which a construction may be split.
    """
    codes = sample.traits[:, trait]
    for code in np.unique(codes).tolist():
        yield code, sample.where(codes == code)


def _rate_difference(samples: Sequence[InstanceArrays]) -> float:
    """Measure how much the agreement rates of these samples differ: half the likelihood-ratio
    statistic G, in nats."""
    n_agree = np.array([float(sample.agree.sum()) for sample in samples])
    n = np.array([float(len(sample.agree)) for sample in samples])
    return _entropy(n_agree.sum(), n.sum()) - sum(map(_entropy, n_agree, n))


def _entropy(n_agree: float, n: float) -> float:
    """Return the entropy (nats) of agreeing or not, summed over `n` instances."""
    rates = np.array([n_agree, n - n_agree]) / n
    rates = rates[rates > 0]
    return float(-(rates * np.log(rates)).sum() * n)


def _may_pass(evidence: Evidence, floor: float) -> bool:
    """Return whether a part may pass, given its evidence from half of the documents: the bound for
    twice as many instances reaches the floor."""
    doubled = lower_bound(evidence.rate, 2 * evidence.n / evidence.deff)
    return evidence.rate > floor and doubled >= floor


def _is_low(evidence: Evidence, floor: float) -> bool:
    """Return whether the agreement rate is clearly below the floor: its upper bound is."""
    return 1 - lower_bound(1 - evidence.rate, evidence.n / evidence.deff) < floor


def part_name(name: str, conditions: Sequence[Condition]) -> str:
    """Name a part of a construction: the part of `L__NOUN__VERB__nsubj` with finite verbs is
    `L__NOUN__VERB[Fin]__nsubj`."""
    stem, mark, feature = name.partition(OF_FEATURE)
    direction, *words = stem.split("__")
    is_coarse = len(words) == 3 or (len(words) == 2 and "_" not in words[0])
    if is_coarse:  # NOUN__VERB__nsubj
        tags, suffixes, separator = words[:2], words[2:], "__"
    else:  # NOUN_VERB_VERB, or NOUN_VERB_VERB__nsubj
        tags, suffixes, separator = words[0].split("_"), words[1:], "_"
    for index, end in ((0, "cue"), (-1, "target")):
        labels = [condition.label for condition in conditions if condition.end == end]
        if labels:
            tags[index] += f"[{','.join(labels)}]"
    return "__".join([direction, separator.join(tags), *suffixes]) + mark + feature


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
