"""What the method text is made from: counts and decisions, as the records have them.

`templates/method.jinja` has the words; a sentence is there only where its fact is, and nothing is
read back out of words.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from colorless_green.humans.answers import SuiteAnswers, sessions_left_out
from colorless_green.humans.exclusion import ExclusionRecord
from colorless_green.humans.judgment import QUESTION, Judgment, session_of
from colorless_green.humans.measures.correlations import (
    ANSWERS,
    BY_COUNTS,
    BY_PEOPLE,
    CEILING,
    PERMUTED,
    SHARES,
)
from colorless_green.humans.page.accuracies import Accuracies
from colorless_green.humans.page.agreement import BY
from colorless_green.humans.page.comparisons import repository
from colorless_green.humans.page.constructions import ACCEPTED
from colorless_green.humans.page.parts import (
    THIN,
    Rater,
    count,
    enumeration,
    panel_name,
    plural,
)
from colorless_green.humans.page.people import (
    BY_ITSELF,
    files_of,
    files_with_rule,
    imports_with_answers,
)
from colorless_green.humans.page.references import PAPERS, cited
from colorless_green.humans.page.reliability import ALPHA, HALVES, PAIRWISE
from colorless_green.humans.page.report_data import ReportData
from colorless_green.humans.rater_accuracy import HUMANS
from colorless_green.humans.rules import REQUIRED, RULES, SHARE, TIME
from colorless_green.humans.runs import StoredRun, short_labels
from colorless_green.humans.statistics.correlation import FREE, SOURCES, WITHIN
from colorless_green.humans.statistics.people import BY_BOTH
from colorless_green.nonce.intervals import BOOTSTRAP, WILSON
from colorless_green.nonce.item import Agreement, Item, factors_of
from colorless_green.nonce.prediction import TIE_BITS

SOURCES_OF: Mapping[str, tuple[str, ...]] = {  # what items say of where they are from → works
    "Gulordava et al. 2018": ("gulordava2018",),
    "Linzen et al. 2016 (Gulordava et al. 2018)": ("linzen2016", "gulordava2018"),
    "Marvin & Linzen 2018": ("marvin2018",),
    "Hu et al. 2020 (reflexives)": ("hu2020reflexives",),
    "BLiMP": ("warstadt2020",),
    "CLAMS": ("mueller2020",),
}
KINDS: Mapping[str, str] = {
    "original": "original sentence", "nonce": "nonce variant", "composed": "composed item",
    "template": "template item", "suite": "item",
}  # fmt: skip
TRIALS: Mapping[str, str] = {  # kinds, in the order of a text
    "target": "target trial", "filler": "filler", "check": "attention check", QUESTION: "question",
}  # fmt: skip
NAMED = 3  # sources that are named one by one
IN_SIGNATURES = ("torch", "transformers")  # versions that a model's signature tells


def facts(accuracies: Accuracies) -> Mapping[str, Any]:
    """Everything the template may say."""
    material = accuracies.material
    measures = material.people.measures
    models = [rater for rater in accuracies.raters if rater.name != HUMANS]
    return {
        **_items(material),
        **_models(material, models),
        **_people(material),
        **_statistics(accuracies),
        "statistics": {measure.statistic for measure in measures if measure.value is not None},
        "versions": material.versions,
        "ran_on": [
            f"{package} {version}"
            for package in IN_SIGNATURES
            for version in dict.fromkeys(
                value
                for run in material.runs
                for name, _, value in [e.partition(":") for e in run.signature.split("|")]
                if name == package
            )
        ],
    }


def _items(material: ReportData) -> dict[str, Any]:
    items = tuple(material.items.values())
    agreements = [item.agreement for item in items if item.agreement is not None]
    kinds = Counter(item.kind for item in items)
    sources = list(dict.fromkeys(_origin(item) for item in items))
    works = [key for source in sources for key in SOURCES_OF.get(source, ())]
    # A set that goes by its paper's name is cited, not named and cited.
    named = [source for source in sources if source not in map(cited, works)]
    if len(named) > NAMED:
        named = [*named[:NAMED], f"{count(len(named) - NAMED)} more"]
    nonce_items = [
        i for i in items if i.kind == "nonce" and i.agreement is not None and i.agreement.level
    ]
    variants: list[Agreement] = [
        item.agreement for item in nonce_items if item.agreement is not None
    ]
    sizes = Counter(item.cluster_id for item in nonce_items)
    predicted = material.suites.predicted if material.suites else ()
    return {
        "n_items": len(items),
        "mined": list(dict.fromkeys(item.source for item in items)),
        "treebanks": [name for name in dict.fromkeys(i.source for i in items) if repository(name)],
        "n_candidates": len(material.constructions),
        "n_accepted": sum(row["verdict"] == ACCEPTED for row in material.constructions),
        "features": list(dict.fromkeys(agreement.feature for agreement in agreements)),
        "rules": [*dict.fromkeys(filter(None, (row["rule"] for row in material.constructions)))]
        or list(dict.fromkeys(agreement.rule for agreement in agreements)),
        "n_sets": len({item.set_id for item in items if item.kind == "composed"}),
        "taken_from": named or ["a published set"],
        "taken_works": works,
        "licences": sorted({item.licence for item in items if item.licence}),
        "by_kind": [plural(kinds[kind], name) for kind, name in KINDS.items() if kinds[kind]],
        "n_constructions": len({agreement.construction for agreement in agreements}),
        "n_variants": _spread(list(sizes.values())) if sizes else "",
        "levels": list(dict.fromkeys(variant.level for variant in variants)),
        "seeds": sorted({str(variant.seed) for variant in variants if variant.seed is not None}),
        "n_with_attractors": sum(factors_of(i)["n_attractors"] not in ("", "0") for i in items),
        "paper_works": [PAPERS[name] for name, _ in material.suites.papers if name in PAPERS]
        if material.suites
        else [],
        "n_units": len(predicted),
        "n_circuits": len({unit.circuit for unit in predicted} - {""}),
    }


def _origin(item: Item) -> str:
    """Its source in words. Pairs of a table of the researchers' own have no other source than the
    table's name, which alone would tell a reader nothing."""
    is_own = (
        item.agreement is None and not item.licence and set(item.conditions) == {"right", "wrong"}
    )
    is_name = is_own and item.source.replace(".", "").replace("-", "").isidentifier()
    return f"a table of the researchers (“{item.source}”)" if is_name else item.source


def _spread(values: Sequence[float]) -> str:
    """`20`, or `10 to 21`: the least and the most of some counts."""
    low, high = count(min(values)), count(max(values))
    return low if low == high else f"{low} to {high}"


def _models(material: ReportData, models: Sequence[Rater]) -> dict[str, Any]:
    runs = material.runs
    labels = short_labels(list(dict.fromkeys(run.model for run in runs)))
    groups = Counter(run.group for run in runs if run.group)
    methods: dict[str, dict[str, None]] = {}
    for run in runs:
        if run.method:
            methods.setdefault(run.method, {})[labels[run.model]] = None
    ties = {
        labels[run.model]: [
            credit
            for credit, margin in material.outcomes.get(run.model, {}).values()
            if credit is not None and margin is not None and abs(margin) <= TIE_BITS
        ]
        for run in runs
        if material.outcomes.get(run.model)
    }
    return {
        "models": [rater.label for rater in models],
        "groups": [(r.label, groups[r.name]) for r in models if groups.get(r.name, 0) > 1],
        "read": _named(runs, labels, lambda run: run.read_from),
        "own": [labels[run.model] for run in runs if not run.read_from],
        "n_runs": len(runs),
        "perplexities": [
            f"{run.perplexity:,.1f} for {labels[run.model]}"
            for run in runs
            if run.perplexity is not None
        ],
        "methods": [
            (*name.partition(" ")[::2], list(names) if len(methods) > 1 else [])
            for name, names in methods.items()
        ],
        "has_ties": any(ties.values()),
        "ties": [f"{count(len(tied))} for {label}" for label, tied in ties.items() if tied],
        "tie_credits": sorted({credit for tied in ties.values() for credit in tied}),
        "any_outcomes": bool(ties),
        "left_out": _named(runs, labels, lambda run: _left_out(material, run)),
        "exposed": _named(runs, labels, lambda run: _exposed(run, material.n_originals)),
        "parts": _named(runs, labels, lambda run: run.part),
    }


def _named(
    runs: Sequence[StoredRun], labels: Mapping[str, str], of: Any
) -> list[tuple[list[str], Any]]:
    """(models, what is so of them all), those alike together; nothing where it is empty."""
    groups: dict[Any, dict[str, None]] = {}
    for run in runs:
        if value := of(run):
            groups.setdefault(value, {})[labels[run.model]] = None
    return [(list(names), shared) for shared, names in groups.items()]


def _exposed(run: StoredRun, n_originals: int) -> tuple[str, ...]:
    """Originals in its training text, of how many; nothing where that is not known."""
    known = run.exposed is not None and n_originals
    return (count(run.exposed), count(n_originals)) if known else ()


def _left_out(material: ReportData, run: StoredRun) -> tuple[int, int] | None:
    """Items with an unknown scored word, and items that did not count."""
    credits = material.outcomes.get(run.model, {}).values()
    n_left = sum(credit is None for credit, _ in credits)
    n_unknown = len(run.unknown)
    if material.suites is not None:
        rows = (row for row in material.suites.scores if row["rater"] == run.model)
        n_unknown = max((r["n_oov"] for r in rows if r["level"] == "score"), default=0)
    return (n_unknown, n_left) if n_unknown or n_left else None


def _people(material: ReportData) -> dict[str, Any]:
    answers = material.people.answers
    tests, later = (
        sessions_left_out(answers, "test_run"),
        sessions_left_out(answers, "first_session_only"),
    )
    trials = material.people.recorded
    days = sorted({trial.at[:10] for trial in trials} - {""})
    minutes = [e.duration_s / 60 for e in answers.sessions if e.duration_s and not e.test_run]
    stated: dict[str, dict[str, None]] = {}
    for imported in imports_with_answers(answers.imports):
        for name, value in imported.study.items():
            stated.setdefault(name, {}).setdefault(str(value))
    study = {name: next(iter(values)) for name, values in stated.items() if len(values) == 1}
    judged = [tally for tally in material.tallies if tally.total]
    totals = [tally.total for tally in judged]
    target = {
        e.participant for e in answers.counted if e.kind == "target" and e.correct is not None
    }
    formats: dict[str, list[Any]] = {}
    for imported in imports_with_answers(answers.imports):
        formats.setdefault(imported.format, []).append(imported)
    return {
        "asked": bool(trials) or bool(judged),
        "single": bool(trials),
        "simulated": material.simulated,
        "n_participants": len({trial.participant for trial in trials}),
        "n_sessions": len(set(map(session_of, trials))),
        "n_tests": len(tests),
        "days": days,
        "minutes": f"{median(minutes):.1f}" if minutes else "",
        "study": study,
        "task": study.get("task") or _task(trials),
        "formats": [(name, files_of(imports)) for name, imports in formats.items()],
        "seen": list(_seen([e for e in trials if session_of(e) not in later] if later else trials)),
        "n_lists": len({trial.list for trial in trials} - {""}),
        "excluded": list(_excluded(answers)),
        "spared": list(_spared(answers)),
        "undefined": Counter(
            rule for rule, _ in {(case.rule, case.participant) for case in answers.undefined}
        ).items(),
        "required": any(
            imported.rules.get("required") for imported in imports_with_answers(answers.imports)
        ),
        "post_hoc": files_of([e for e in imports_with_answers(answers.imports) if e.is_post_hoc]),
        "n_practice": sum(case.n_trials for case in answers.gone if case.rule == "practice"),
        "n_answers": sum(totals),
        "n_judged": len(judged),
        "n_kept": len(target),
        "per_item": (f"mean {sum(totals) / len(judged):.1f}, " if len(set(totals)) > 1 else "")
        + _spread(totals)
        if judged
        else "",
        "only_totals": bool(answers.imports) and not target,
    }


def _task(trials: Sequence[Judgment]) -> str:
    """What people did in most trials, as far as the trials show it."""
    targets = [trial for trial in trials if trial.kind == "target"]
    if any(trial.rating is not None for trial in targets):
        return "rating"
    if targets and all(trial.option_1 and trial.option_2 for trial in targets):
        return "form" if all(trial.prefix for trial in targets) else "sentence"
    return ""


def _seen(trials: Sequence[Judgment]) -> Iterator[str]:
    """How many trials of each kind a participant had; practice apart."""
    people = dict.fromkeys(trial.participant for trial in trials)
    for kind, name in TRIALS.items():
        counts = Counter(trial.participant for trial in trials if trial.kind == kind)
        if counts:
            values = [counts[person] for person in people]
            yield f"{_spread(values)} {name}{'' if max(values) == 1 else 's'}"


def _excluded(answers: SuiteAnswers) -> Iterator[Mapping[str, Any]]:
    """Each rule that left something out, in its order, with counts; those who stay are counted
    where the rule could not judge them."""
    by_rule: dict[tuple[str, str, str, str], list[ExclusionRecord]] = {}
    for case in answers.gone:
        if case.rule not in (*BY_ITSELF, "test_run"):
            value = case.value if case.rule == "status" or case.rule.startswith("required.") else ""
            by_rule.setdefault((case.level, case.rule, case.threshold, value), []).append(case)
    for (level, rule, threshold, value), cases in by_rule.items():
        yield {
            "level": level,
            "n": len(cases) if level != "trial" else sum(case.n_trials for case in cases),
            "n_trials": sum(case.n_trials for case in cases),
            **_rule(answers, rule, threshold, value, cases),
        }


def _rule(
    answers: SuiteAnswers, rule: str, threshold: str, value: str, cases: Sequence[ExclusionRecord]
) -> dict[str, Any]:
    """What the text says of a rule: in words, with its threshold as people read it, which fillers
    decided, from which file it is."""
    definition, shown, because = RULES.get(rule), threshold, ""
    if definition:
        if definition.unit == SHARE:
            shown = f"{100 * float(threshold):g}{THIN}%"
        elif definition.unit == TIME:
            shown = f"{float(threshold):,g}"
        because = (definition.at_zero if threshold == "0" else "") or definition.because
        whose = "its participant" if len(cases) == 1 else "their participants"
        because = because.format(threshold=shown, value=value, whose=whose)
    rules = [imported.rules for imported in imports_with_answers(answers.imports)]
    deciding = {
        len(ruleset["unambiguous"]) for ruleset in rules if ruleset.get("unambiguous") is not None
    }
    return {
        "rule": rule,
        "because": because,
        "fact": rule.removeprefix(REQUIRED),
        "threshold": shown,
        "value": value,
        "deciding": max(deciding) if rule == "max_filler_errors" and deciding else None,
        "stated": files_with_rule(answers.imports, cases[0]),
    }


def _spared(answers: SuiteAnswers) -> Iterator[Mapping[str, Any]]:
    """The rules about people that were set, could judge somebody who stays and removed nobody."""
    used = {(case.rule, case.threshold) for case in answers.gone}
    people = {trial.participant for trial in answers.counted or answers.left_out}
    unjudged: dict[tuple[str, str], set[str]] = {}
    for case in answers.undefined:
        unjudged.setdefault((case.rule, case.threshold), set()).add(case.participant)
    used |= {rule for rule, participants in unjudged.items() if participants >= people}
    seen: set[tuple[str, str]] = set()
    for imported in imports_with_answers(answers.imports):
        for rule in (name for name, definition in RULES.items() if definition.of_people):
            value = imported.rules.get(rule)
            threshold = "" if value is None else f"{value:g}"
            if value is not None and (rule, threshold) not in used | seen:
                seen.add((rule, threshold))
                nobody = ExclusionRecord("person", "", "", "", rule, "", threshold, 0)
                yield _rule(answers, rule, threshold, "", [nobody])


def _statistics(accuracies: Accuracies) -> dict[str, Any]:
    material, suites = accuracies.material, accuracies.material.suites
    measures = material.people.measures
    shown = [p for dimension in ("", *BY) for p in accuracies.by(dimension)]
    methods = {point.limits.method for point in shown if point.limits}
    models = [row for row in material.comparison if row["rater"] != HUMANS]
    correlations = [e for e in measures if e.statistic in (ANSWERS, SHARES) and e.value is not None]
    tested = {
        name for name in PERMUTED for e in correlations if e.p and e.note.startswith(PERMUTED[name])
    }
    uneven = {
        kind: common
        for kind, common in material.common.items()
        if len(common.together) > 1
        and any(len(items) < common.n_items for items in common.own.values())
    }
    halves = {measure.note for measure in measures if measure.statistic == HALVES}
    return {
        "agreeing": suites is None,
        "compared_on": enumeration(
            [f"{count(len(common.items))} {panel_name(kind)}" for kind, common in uneven.items()]
        ),
        "shared": bool(suites and suites.shared and len(suites.raters) > 1),
        "bootstrap": BOOTSTRAP in methods
        or bool(suites and any(row["low"] is not None for row in suites.scores)),
        "two_way": BY_BOTH in methods,
        "wilson": WILSON in methods,
        "pooled": any(measure.statistic == "accuracy pooled" for measure in measures),
        "tests": _has(models, "p"),
        "intervals_of_differences": _has(models, "difference_low"),
        "holm": _has(models, "p_holm") or bool(suites and _has(suites.paired, "p_holm")),
        "suite_tests": bool(suites and _has(suites.paired, "p")),
        "suite_correlations": bool(suites and suites.correlations),
        "shallow": bool(suites and _has(suites.shallow, "correlation")),
        "correlated": [
            words
            for name, words in (
                (ANSWERS, "right minus wrong answers"),
                (SHARES, "the share of right answers"),
            )
            if any(measure.statistic == name for measure in correlations)
        ],
        "permuted": [name for name in (FREE, WITHIN, SOURCES) if name in tested],
        "split": [name for name in (BY_PEOPLE, BY_COUNTS) if name in halves],
        "by_people": BY_PEOPLE,
        "alpha": ALPHA,
        "pairwise": PAIRWISE,
        "ceiling": CEILING,
        "baselines": sorted(material.baselines) or sorted(
            {row["rater"] for row in suites.baselines} if suites else ()
        ),
    }  # fmt: skip


def _has(rows: Sequence[Mapping[str, Any]], column: str) -> bool:
    return any(row.get(column) is not None for row in rows)
