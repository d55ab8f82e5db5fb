"""Section: what was done, as a table of facts with their numbers, for a method section."""

from collections import Counter
from collections.abc import Iterator

from ...data.formula.expression import TIE_BITS
from ...data.items.item import factors_of
from ...data.statistics.differences import EXACT_SOURCES, SIGN_FLIPS, SQUARE_AND_ADD
from ...data.statistics.intervals import OVER_SOURCES
from ...data.statistics.rank_correlation import PERMUTATIONS
from ..judgments.answers import sessions_left_out
from ..judgments.exclusion import ExclusionRecord
from ..judgments.judgment import session_of
from ..judgments.rules import RULES
from ..measures.correlations import BY_T, WITHIN
from ..statistics.people import SPLITS
from ._accuracies import Accuracies, compared_on
from ._parts import Section
from ._people import BY_ITSELF, imports_with_answers, rule_in_words
from ._report_data import ACCEPTED, ReportData
from ._table import Column, Table, count, enumeration, kind_name, plural


def method_section(accuracies: Accuracies) -> Section:
    """Return the section; every fact is there only where it is true."""
    material = accuracies.material
    facts = [*_items(material), *_models(material), *_people(material), *_statistics(accuracies)]
    facts.append(("program", enumeration([f"{k} {v}" for k, v in material.versions.items()])))
    rows = [{"what": what, "how": how} for what, how in facts if how]
    columns = [Column("what", "what"), Column("how", "how")]
    note = "What to cite is in docs/method.md of the program."
    table = Table("facts", "Facts", columns, rows, note)
    return Section("method", "What was done", tables=(table,))


def _items(material: ReportData) -> Iterator[tuple[str, str]]:
    items = material.items.values()
    agreements = [item.agreement for item in items if item.agreement is not None]
    mined = material.constructions
    yield "source of the items", enumeration(dict.fromkeys(item.source for item in items))
    yield "licence", enumeration(sorted({item.licence for item in items} - {""}))
    if mined:
        n_accepted = sum(row["verdict"] == ACCEPTED for row in mined)
        yield (
            "rule of agreement",
            enumeration(dict.fromkeys(str(row["rule"]) for row in mined if row["rule"])),
        )
        yield "constructions accepted", f"{count(n_accepted)} of {count(len(mined))}"
    yield "feature", enumeration(dict.fromkeys(a.feature for a in agreements))
    kinds = Counter(item.kind for item in items)
    yield "items", enumeration(f"{count(n)} {kind}" for kind, n in kinds.items())
    if n_sets := len({item.set_id for item in items if item.kind == "composed"}):
        yield "composed sets", count(n_sets)
    variants = [a for a in agreements if a.level]
    yield "level of the variants", enumeration(dict.fromkeys(e.level for e in variants))
    yield (
        "seed of the variants",
        enumeration(sorted({str(a.seed) for a in variants if a.seed is not None})),
    )
    if agreements:
        n_attracted = sum(factors_of(item)["n_attractors"] not in ("", "0") for item in items)
        yield "items with attractors", count(n_attracted)
    if material.suites:
        yield f"{material.suites.unit}s", count(material.suites.predicted.height)


def _models(material: ReportData) -> Iterator[tuple[str, str]]:
    for run in material.runs:
        answers = material.outcomes.get(run.model, {}).values()
        n_ties = sum(m is not None and abs(m) <= TIE_BITS for c, m in answers if c is not None)
        n_out = sum(credit is None for credit, _ in answers)
        parts = [
            run.read_from and f"read from {run.read_from}",
            run.how_asked,
            run.perplexity is not None and f"perplexity {run.perplexity:,.1f} per word",
            n_ties and f"ties: {count(n_ties)}",
            run.unknown and f"items with an unknown scored word: {count(len(run.unknown))}",
            n_out and f"items left out: {count(n_out)}",
            run.part,
        ]
        yield f"model {material.labels[run.model]}", "; ".join(str(part) for part in parts if part)


def _people(material: ReportData) -> Iterator[tuple[str, str]]:
    answers, trials = material.people.answers, material.people.recorded
    if trials:
        yield "participants", count(len({trial.participant for trial in trials}))
        yield "sessions", count(len(set(map(session_of, trials))))
    if tests := sessions_left_out(answers, "test_run"):
        yield "sessions of the researchers, not counted", count(len(tests))
    gone: dict[tuple[str, str, str], list[ExclusionRecord]] = {}
    for case in answers.gone:
        if case.rule not in (*BY_ITSELF, "test_run"):
            gone.setdefault((case.level, case.rule, case.threshold), []).append(case)
    for (level, rule, threshold), cases in gone.items():
        n_trials = sum(case.n_trials for case in cases)
        units = "" if level == "trial" else f"{plural(len(cases), level)}, "
        limit = f" ({threshold})" if threshold else ""
        yield f"left out: {rule_in_words(rule)}{limit}", f"{units}{plural(n_trials, 'trial')}"
    n_people = len({trial.participant for trial in answers.counted or answers.left_out})
    unjudged = Counter(rule for rule, _ in {(e.rule, e.participant) for e in answers.undefined})
    rules = {
        (rule, f"{value:g}")
        for imported in imports_with_answers(answers.imports)
        for rule, value in imported.rules.items()
        if rule in RULES and RULES[rule].of_people and isinstance(value, int | float)
    }
    for rule, threshold in sorted(rules - {(rule, limit) for _, rule, limit in gone}):
        if unjudged[rule] < n_people:
            yield f"left out: {rule_in_words(rule)} ({threshold})", "nobody"
    judged = [tally for tally in material.tallies if tally.total]
    if judged:
        counting = {e.participant for e in answers.counted if e.kind == "target"}
        n = sum(tally.total for tally in judged)
        people = f" by {plural(len(counting), 'participant')}" if counting else ""
        yield "answers analysed", f"{count(n)}{people} to {plural(len(judged), 'item')}"
        low, high = min(t.total for t in judged), max(t.total for t in judged)
        yield "answers an item", f"{low} to {high}, mean {n / len(judged):.1f}"
    yield "judgments", "simulated by a program" if material.simulated and judged else ""


def _statistics(accuracies: Accuracies) -> Iterator[tuple[str, str]]:
    material = accuracies.material
    measures = [m for m in material.people.measures if m.value is not None]
    methods = dict.fromkeys(point["method"] for point in accuracies.points() if point["method"])
    flips = f"exact up to {EXACT_SOURCES} clusters, else {count(SIGN_FLIPS)} random flips"
    for kind in material.common:
        yield f"compared on, {kind_name(kind)}", compared_on(material, kind)
    yield "95 % intervals", enumeration([OVER_SOURCES] if material.suites else methods)
    if material.comparison["p"].count():
        yield "tests of differences", f"people and models: {SQUARE_AND_ADD}, Holm"
    if len(accuracies.raters) > 2 or (material.suites and material.suites.paired["p"].count()):
        yield "tests between raters", f"sign flips ({flips})"
    if any(m.p is not None and m.note == BY_T for m in measures):
        yield "tests of Spearman's ρ", BY_T
    if any(m.p is not None and m.note.startswith(WITHIN) for m in measures):
        yield "tests of ρ within sources", f"{count(PERMUTATIONS)} permutations"
    if any(m.statistic == "split-half ρ" for m in measures):
        yield "reliability", f"{count(SPLITS)} splits of people, Spearman–Brown"
    if any(m.statistic == "Krippendorff's α" for m in measures):
        yield "agreement among people", "Krippendorff's α, nominal"
