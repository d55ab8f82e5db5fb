"""Agreement where the counts bear it out: an exact test, and a floor for the rate.

Two words that have nothing to do with each other share their number in 55 to 65 % of the cases,
since most words are singular; and a real agreement is rarely without exceptions, since treebanks
have errors and coordinations. So a construction is accepted if its words agree significantly more
often than their marginal frequencies would have them agree (one-sided exact binomial test,
Benjamini–Hochberg over every construction with enough instances) and in at least `floor` of its
instances. Multiword tokens stay apart in the tree, so that the noun inside Hebrew *ha-yeled*
agrees as a noun.
"""

from collections.abc import Container, Mapping

import polars as pl

from colorless_green.miner.construction import Construction, Table
from colorless_green.miner.counts import tables
from colorless_green.miner.features import (
    UNTOLD_IN_PLURALS,
    conflict,
    loosened,
    normal,
    value_of,
    with_value,
)
from colorless_green.miner.filters import FILTERS
from colorless_green.miner.paradigms import Paradigms
from colorless_green.miner.patterns.pattern import ARC
from colorless_green.miner.rule import End, Replacement, Rule, Thresholds, nothing_unfit
from colorless_green.miner.selection import Selection
from colorless_green.miner.significance import adjusted, upper_tail, wilson

USUAL = 0.05  # uses, as a share of those of the most frequent form of the cell
MIN_GAP, MAX_GAP = 3, 13  # as far as the paper's candidates, so that the rules can be compared


def decide(instances: pl.DataFrame, thresholds: Thresholds) -> list[Construction]:
    """One verdict for each construction, in the order of first occurrence; those with fewer than
    `min_n` instances are not tested."""
    counted = [
        Construction(key.name, key.feature, _values(table), table, False, "")
        for key, table in tables(instances).items()
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


def partner(
    paradigms: Paradigms, vocabulary: Container[str], target: End, feature: str, value: str
) -> tuple[str, str]:
    """The known form with the other value that is spelled most like the target, among those in
    use; none that is a form of the right value too.

    Equal in all but the feature; failing that, FEATS may leave Gender and Animacy out on one side,
    as Slavic and German plurals do (treebank facts §5.3), but not contradict the target's, nor the
    cue's where the target tells none. Spelling stands for what a treebank does not annotate: Basque
    auxiliaries carry no Tense, and by frequency alone a present (*du*) is paired with a past
    (*zuten*) instead of its own plural (*dute*).
    """
    lemma, upos, feats = target.lemma, target.upos, normal(target.feats)
    swapped = with_value(feats, feature, value)
    counts = paradigms.counted(lemma, upos, swapped) or paradigms.counted_if(
        lemma, upos, lambda each: _fits(each, swapped, target, feature)
    )
    if not counts:
        return "", f"no paradigm: {lemma} with {feature}={value}"
    right = paradigms.counted_if(lemma, upos, lambda each: _fits(each, feats, target, feature))
    same = {target.form, *right}
    most_frequent = max(counts, key=lambda form: counts[form])
    different = _usual(counts, same)
    if most_frequent == target.form or not different:
        return "", f"equal forms: {target.form} with {feature}={value} too"
    known = [form for form in different if form in vocabulary]
    if not known:
        return "", f"the other form is out of vocabulary: {different[0]}"
    cased = [each for each in (_cased(form, target) for form in known) if each not in {"", *same}]
    if not cased:
        return "", f"begins otherwise: {target.form}, {known[0]}"
    # of equally near ones the one with the same ending, and of these the more frequent one
    return min(
        cased,
        key=lambda form: (distance(form, target.form), -common_ending(form, target.form)),
    ), ""


def _fits(feats: str, sought: str, target: End, feature: str) -> bool:
    """Whether a form's FEATS are those sought but for Gender and Animacy, and contradict neither
    those of the target nor, where it tells none, those of the word it agrees with."""
    if loosened(feats, feature) != loosened(sought, feature):
        return False
    told = {name for name in UNTOLD_IN_PLURALS if value_of(target.feats, name)}
    others = [
        f"{name}={value}"
        for name in UNTOLD_IN_PLURALS
        if name not in told and name != feature and (value := value_of(target.other_feats, name))
    ]
    return not conflict(feats, sought) and not conflict(feats, "|".join(others) or "_")


def _usual(counts: Mapping[str, int], same: Container[str]) -> list[str]:
    """Forms that are no form of the right value too, most frequent first, less those that are
    rare beside the most frequent one (misspellings, clitics)."""
    different = sorted((form for form in counts if form not in same), key=lambda f: -counts[f])
    return [form for form in different if counts[form] >= USUAL * counts[different[0]]]


def common_ending(one: str, other: str) -> int:
    """The number of letters at the end that two words share."""
    pairs = zip(reversed(one), reversed(other), strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def distance(one: str, other: str) -> int:
    """Letters to be put in, left out or exchanged to make one of the other (Levenshtein 1966)."""
    row = list(range(len(other) + 1))
    for rank, letter in enumerate(one, start=1):
        above, row[0] = row[0], rank
        for place, theirs in enumerate(other, start=1):
            above, row[place] = (
                row[place],
                min(row[place] + 1, row[place - 1] + 1, above + (letter != theirs)),
            )
    return row[-1]


def _cased(form: str, target: End) -> str:
    """A form with the target's capitals or small first letter, so that the two differ in nothing
    but the feature; nothing where one begins with a letter and the other does not."""
    ours, theirs = target.form[:1], form[:1]
    if ours.isalpha() != theirs.isalpha():
        return ""
    if len(target.form) > 1 and target.form.isupper():
        return form.upper()
    if ours.isupper() == theirs.isupper():
        return form
    if target.lemma[:1].isupper():  # a name: its capital is no matter of the sentence
        return ""
    return form[:1].upper() + form[1:] if ours.isupper() else form[:1].lower() + form[1:]


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
