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
from ..statistics.rater_accuracy import HUMANS
from ._accuracies import Accuracies, compared_on
from ._agreement import BY
from ._constructions import ACCEPTED
from ._parts import Section, TableCell, count, enumeration, panel_name, plural, table
from ._people import BY_ITSELF, imports_with_answers, rule_in_words
from ._report_data import ReportData, labels_of


def method_section(accuracies: Accuracies) -> Section:
    """Return the section; every fact is there only where it is true."""
    material = accuracies.material
    facts = [*_items(material), *_models(material), *_people(material), *_statistics(accuracies)]
    facts.append(("program", enumeration([f"{k} {v}" for k, v in material.versions.items()])))
    columns = {"what": lambda fact: TableCell(fact[0]), "how": lambda fact: TableCell(fact[1])}
    rows = [fact for fact in facts if fact[1]]
    note = "What to cite is in docs/method.md of the program."
    return Section("method", "What was done", tables=table("facts", "Facts", rows, columns, note))


def _items(material: ReportData) -> Iterator[tuple[str, str]]:
    items = material.items.values()
    agreements = [item.agreement for item in items if item.agreement is not None]
    accepted = sum(row["verdict"] == ACCEPTED for row in material.constructions)
    mined = material.constructions
    yield "source of the items", enumeration(list(dict.fromkeys(item.source for item in items)))
    yield "licence", enumeration(sorted({item.licence for item in items} - {""}))
    if mined:
        rules = dict.fromkeys(str(row["rule"]) for row in mined if row["rule"])
        yield "rule of agreement", enumeration(list(rules))
        yield "constructions accepted", f"{count(accepted)} of {count(len(mined))}"
    features = dict.fromkeys(a.feature for a in agreements)
    yield "feature", enumeration(list(features))
    kinds = Counter(item.kind for item in items)
    yield "items", enumeration([f"{count(n)} {kind}" for kind, n in kinds.items()])
    if n_sets := len({item.set_id for item in items if item.kind == "composed"}):
        yield "composed sets", count(n_sets)
    if variants := [a for a in agreements if a.level]:
        yield "level of the variants", enumeration(list(dict.fromkeys(e.level for e in variants)))
        seeds = sorted({str(a.seed) for a in variants if a.seed is not None})
        yield "seed of the variants", enumeration(seeds)
    n_attracted = sum(factors_of(item)["n_attractors"] not in ("", "0") for item in items)
    yield "items with attractors", count(n_attracted) if agreements else ""
    if material.suites:
        yield "suites or paradigms", count(len(material.suites.predicted))


def _models(material: ReportData) -> Iterator[tuple[str, str]]:
    labels = labels_of(material, list(dict.fromkeys(run.model for run in material.runs)))
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
        yield f"model {labels[run.model]}", "; ".join(str(part) for part in parts if part)


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
    points = [p for dimension in ("", *BY) for p in accuracies.by(dimension)]
    methods = dict.fromkeys(p.limits.method for p in points if p.limits)
    rows = [row for row in material.comparison if row["rater"] != HUMANS]
    if material.suites:
        rows, methods = list(material.suites.paired), dict.fromkeys([OVER_SOURCES])
    for kind in material.common:
        yield f"compared on, {panel_name(kind)}", compared_on(material, kind, accuracies.raters)
    if methods:
        yield "95 % intervals", enumeration(list(methods))
    if any(row["p"] is not None for row in rows):
        adjusted = ", Holm" if any(row["p_holm"] is not None for row in rows) else ""
        flips = f"exact up to {EXACT_SOURCES} clusters, else {count(SIGN_FLIPS)} random flips"
        method = f"sign flips ({flips})" if material.suites else SQUARE_AND_ADD
        yield "tests of differences", f"{method}{adjusted}"
    if any(m.p is not None and m.note == BY_T for m in measures):
        yield "tests of Spearman's ρ", BY_T
    if any(m.p is not None and m.note.startswith(WITHIN) for m in measures):
        yield "tests of ρ within sources", f"{count(PERMUTATIONS)} permutations"
    if any(m.statistic == "split-half ρ" for m in measures):
        yield "reliability", f"{count(SPLITS)} splits of people, Spearman–Brown"
    if any(m.statistic == "Krippendorff's α" for m in measures):
        yield "agreement among people", "Krippendorff's α, nominal"
    guesses = {row["rater"] for row in material.suites.baselines} if material.suites else ()
    yield "baselines", enumeration(sorted(material.baselines or guesses))
