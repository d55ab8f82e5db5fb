"""The messages of a mining: the run, what was left out, and what to try next."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ..data.registry import guess
from ..data.tables import Row
from .rule import TESTED
from .search.patterns.pattern import ARC
from .treebank_mining import MinedTreebank
from .verdict.counts import Stages

FEW = 0.05  # share of words with a feature below which it is hardly one of agreement
SHOWN_FEATURES = 8
SHOWN_FAULTS = 10  # of the sentences left out; the store has them all


def mining_advice(rows: Sequence[Row], rule: str, stages: Stages) -> Iterator[str]:
    """Yield what to try next where nothing was found. `rule`: its label."""
    accepted = [row for row in rows if row["verdict"] == "accepted"]
    lacking = list(_lacking(stages))
    yield from lacking
    if accepted and not lacking and not any(row["n_originals"] for row in accepted):
        yield (
            "no original: the treebank does not show the target's other form; try --unimorph "
            "LANGUAGE=FILE (colorless fetch unimorph:LANGUAGE brings such a list)"
        )
    undecided = [row for row in rows if row["verdict"] == "undecided"]
    if undecided and not any(row["n_originals"] for row in undecided):
        yield (
            f"{len(undecided)} constructions agree in at least 90 % of their instances, which are "
            "too few for a verdict; --set undecided=true includes their originals"
        )
    if accepted or not rows:
        return
    if rule.partition("~")[0] != TESTED:
        yield f"nothing was accepted under the rule {rule}; try --rule {TESTED}"
        return
    tested = [row for row in rows if row["bound"] is not None]
    if not tested:
        largest = max(int(str(row["n"])) for row in rows)
        yield (
            f"no construction has instances enough to be tested (the most frequent has {largest}); "
            f"try a larger treebank, or --set min_n={max(2, largest)}"
        )
        return
    best = max(tested, key=lambda row: (float(str(row["rate"])), int(str(row["n"]))))
    yield (
        f"the best of {len(tested)} constructions tested, {best['construction']}, agrees in "
        f"{float(str(best['rate'])):.0%} of {best['n']} instances: {best['reason']}; try another "
        "--feature, or see the exceptions with --show-exceptions"
    )


def _lacking(stages: Stages) -> Iterator[str]:
    """Yield what most words lack without which there are few originals."""
    total = stages.n_analyses
    if stages.n_known is not None and 2 * stages.n_known < total:
        yield (
            f"only {stages.n_known:,} of {total:,} words are in the vocabulary; not in it are "
            f"{' '.join(map(repr, stages.unknown))}: give a text file of whole words, one a line"
        )
    if 2 * stages.n_lemmas < total:
        yield (
            f"only {stages.n_lemmas:,} of {total:,} words have a lemma, by which the other forms "
            "of a word are found; take a treebank with lemmas, or parse its text with colorless "
            "parse"
        )


def mining_messages(mining: MinedTreebank, faults: Sequence[str]) -> Iterator[str]:
    """Yield the run in sentences, for stderr."""
    stages = mining.stages
    selection = mining.search.selection
    yield (
        f"{mining.treebank.name}: {stages.n_sentences:,} sentences, {stages.n_words:,} words, "
        f"{stages.n_ranges:,} multiword tokens; language {mining.treebank.language}; "
        f"rule {mining.rule.label} ({mining.rule.digest})"
        + (f"; annotation repaired: {mining.repair}" if mining.repair != "none" else "")
    )
    if mining.renumbered:
        yield (
            f"{', '.join(mining.renumbered)}: sentence ids come more than once, so that each has "
            "its line behind it, as weblog-7@1234"
        )
    if mining.parsed_by:
        yield f"parsed by {mining.parsed_by}: a parser's errors are in what follows"
    accepted = sum(construction.accepted for construction in mining.constructions)
    end = (
        f"{stages.n_with_feature:,} → constructions {stages.n_keys:,} → accepted {accepted} → "
        f"originals {len(mining.originals)}"
    )
    if ARC in selection.patterns:
        yield (
            f"arcs {stages.n_arcs:,} → {selection.near} {stages.n_near:,} → {selection.conditions} "
            f"{stages.n_kept:,} → both ends carry {mining.feature} {end}"
        )
    else:
        yield f"paths with {selection.near}, both ends carry {mining.feature} {end}"
    if stages.n_by_pattern:
        yield "of these instances along paths: " + _counted(stages.n_by_pattern)
    if selection.filters:
        left_out = _counted(stages.n_left_out) or "none"
        yield f"left out by filters ({', '.join(selection.filters)}): {left_out}"
    if mining.thresholds is not None:
        yield (
            f"accepted where q ≤ {mining.thresholds.alpha:g} and the rate is at least "
            f"{mining.thresholds.floor:g} with 95 % confidence, of constructions with ≥ "
            f"{mining.thresholds.min_n} instances; bound: that limit of the rate; n_informative: "
            "sentences with another noun or pronoun of another value"
        )
        if stages.n_clauses:
            overt = stages.n_with_subject / stages.n_clauses
            may = "subjects may be unspoken" if stages.null_subjects else "subjects are spoken"
            yield f"{overt:.0%} of {stages.n_clauses:,} finite clauses have a subject: {may}"
    yield from skipped_messages(faults)
    if 2 * stages.n_withheld > stages.n_words:
        yield "more than half of the forms are _: the text of this treebank is withheld"
    if stages.n_contradicted:
        yield (
            f"{stages.n_contradicted:,} sentences have other words than their # text: their spaces "
            "are those of SpaceAfter"
        )
    yield from _unannotated(mining)
    reasons = Counter(rejection.reason.partition(":")[0] for rejection in mining.rejections)
    if reasons:
        yield f"{len(mining.rejections)} instances have no original: {_counted(reasons)}"
    flags = Counter(flag for original in mining.agreements for flag in original.flags)
    if flags:
        yield "flagged originals: " + ", ".join(f"{flag} {n}" for flag, n in sorted(flags.items()))


def _counted(counts: Mapping[str, int]) -> str:
    """Return names with their counts, the most frequent first."""
    ordered = sorted(counts.items(), key=lambda pair: -pair[1])
    return ", ".join(f"{name} {n:,}" for name, n in ordered)


def _unannotated(mining: MinedTreebank) -> Iterator[str]:
    """Yield features that no word carries, or too few for agreement; and those that no two words
    share."""
    stages = mining.stages
    accepted = any(construction.accepted for construction in mining.constructions)
    others = {name: n for name, n in stages.carried.items() if name not in stages.annotated}
    others = dict([*others.items()][:SHOWN_FEATURES])
    advice = (
        f"try --feature with one of {_counted(others)}"
        if others
        else ("take a treebank whose FEATS are annotated, or parse its text with colorless parse")
    )
    for feature, n_words in stages.annotated.items():
        if n_words == 0:
            near = guess(feature, stages.carried)
            yield f"not annotated: no word of this treebank carries {feature}; {near}{advice}"
        elif not accepted and n_words < FEW * stages.n_words:
            yield (
                f"only {n_words:,} of {stages.n_words:,} words carry {feature}, so that words can "
                f"hardly agree in it; {advice}"
            )
    if stages.n_with_feature == 0 and any(stages.annotated.values()):
        yield f"no two of the words that were looked for both carry {mining.feature}"


def skipped_messages(faults: Sequence[str]) -> Iterator[str]:
    """Yield the bad sentences that were left out, the first of them one by one."""
    if faults:
        yield f"{len(faults)} bad sentences skipped:"
        yield from faults[:SHOWN_FAULTS]
    if len(faults) > SHOWN_FAULTS:
        yield f"… and {len(faults) - SHOWN_FAULTS} more"
