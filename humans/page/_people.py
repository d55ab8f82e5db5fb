"""Sections about people: who was asked, whose answers do not count, how sentences were rated."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any

import polars as pl

from ..judgments.answers import ImportedSet, sessions_left_out
from ..judgments.exclusion import ExclusionRecord
from ..judgments.judgment import FACT, answered, levels, rates, session_of
from ..judgments.rules import REQUIRED, RULES
from ..measures.measure import Measure
from ..measures.ratings import (
    DIFFERENCE,
    FLAT,
    GIVEN,
    HIGHER,
    LOGARITHM,
    MEANS,
    NO_MAGNITUDE,
    RIGHT,
    SIDELESS,
    WRONG,
    Z,
)
from ..statistics.accuracy_estimates import item_accuracy, item_interval, pooled_accuracy
from ..statistics.people import AnswerTable
from ._parts import (
    NO_NUMBER,
    NONE,
    Section,
    Table,
    TableCell,
    code,
    count,
    count_cell,
    interval,
    panel_name,
    share,
    short,
    signed,
    table,
)
from ._report_data import PeopleData, ReportData

FACTS: Mapping[str, str] = {  # of a study file, in the order of the page
    "title": "title", "task": "task", "language": "language", "scale": "scale",
    "researcher": "researcher", "institution": "institution", "ethics_board": "ethics board",
    "approval_number": "approval number", "minimum_age": "minimum age, years",
    "languages_required": "native languages required", "procedure": "procedure",
    "duration_minutes": "duration told, minutes", "payment": "payment",
    "deadline_ms": "deadline, ms", "minimum_rt_ms": "shortest time taken for an answer, ms",
    "data_sharing": "data sharing", "seed": "seed of the design",
}  # fmt: skip
SHOWN_DIGEST = 16  # hex digits
BY_ITSELF = ("practice", "duplicate")  # rules that say nothing of people
WHOLE = ("person", "session")  # levels at which people go, or a session of theirs
APART = {  # ratings that stand outside, and why
    FLAT: "people gave one rating to all sentences: they have no z-scores and are left out of"
    " these",
    SIDELESS: "ratings are of sentences that are not known to be the right or the wrong one of"
    " their item; they count only in the mean and spread of who gave them",
    NO_MAGNITUDE: "magnitudes are not above 0 and count nowhere",
}
SCORED = {GIVEN: "as given", LOGARITHM: "logarithm", Z: "z"}  # in the order of a table


def imports_with_answers(imports: Sequence[ImportedSet]) -> list[ImportedSet]:
    """Return imports that hold answers; a table of items alone says nothing of people."""
    return [e for e in imports if e.summary.get("n_judgments")]


def files_of(imports: Sequence[ImportedSet]) -> str:
    """`a.csv, b.csv`: the names of their files, each once."""
    names = (name for imported in imports for name, _ in imported.files or ((imported.name, ""),))
    return ", ".join(dict.fromkeys(names))


def files_with_rule(imports: Sequence[ImportedSet], gone: ExclusionRecord) -> str:
    """The files whose import had the rule of `gone` with its threshold; empty where all imports
    have the same rules, so that nothing has to be told apart, and for rules without a threshold."""
    with_answers = imports_with_answers(imports)
    if len({imported.rules_digest for imported in with_answers}) < 2:
        return ""
    return files_of(
        [imported for imported in with_answers if _has(imported.rules, gone.rule, gone.threshold)]
    )


def _has(rules: Mapping[str, Any], rule: str, threshold: str) -> bool:
    fact = rule.removeprefix("required.")
    if fact != rule:
        return threshold == " or ".join(rules.get("required", {}).get(fact, ()))
    value = rules.get(rule)
    return isinstance(value, int | float) and f"{value:g}" == threshold


def study(material: ReportData) -> Iterator[Section]:
    """Where the judgments come from, as a reviewer asks for it."""
    answers = material.people.answers
    if answers.imports:
        tables = (*_counts(material.people), *_facts(answers.imports), *_imports(answers.imports))
        yield Section("study", "Who was asked", tables=tables)


def _counts(people: PeopleData) -> Sequence[Table]:
    """Counts, and what the sessions say of themselves; nothing of files without answers."""
    answers = people.answers
    tests, everyone = sessions_left_out(answers, "test_run"), people.recorded
    visits = set(map(session_of, everyone))
    targets = [trial for trial in answers.counted if trial.kind == "target"]
    kinds = [trial.kind for trial in answers.counted]
    rows = {
        "people": len({participant for participant, _ in visits}),
        "people whose answers count": len({trial.participant for trial in answers.counted}),
        "sessions": len(visits),
        "sessions made by the researchers, not among these": len(tests),
        "lists": len({trial.list for trial in everyone} - {""}),
        "trials with target sentences that count": len(targets),
        "ratings among them": sum(map(rates, targets)),
        "without an answer": sum(not answered(trial) for trial in targets),
        "trials with fillers that count": kinds.count("filler"),
        "attention checks that count": kinds.count("check"),
    }
    entries = {label: count(n) for label, n in rows.items() if n}
    if not visits:
        total = sum(imported.summary.get("n_judgments") or 0 for imported in answers.imports)
        entries = {"answers (only totals are known)": count(total)} if total else {}
    days = sorted(trial.at[:10] for trial in everyone if trial.at)
    if days:
        when = days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]} (UTC)"
        entries["answered on"] = when
    durations = answers.sessions.filter((pl.col("duration_s") > 0) & ~pl.col("test_run"))
    minutes = (durations["duration_s"] / 60).to_list()
    if minutes:
        entries["median duration of a session"] = f"{median(minutes):.1f} minutes"
    consents = set[str]()
    if (consent := f"{FACT}consent") in answers.sessions.columns:
        consents = {*answers.sessions[consent].drop_nulls()} - {""}
    if consents:
        digests = ", ".join(version[:SHOWN_DIGEST] for version in sorted(consents))
        entries["version of the consent (SHA-256)"] = digests
    return _pairs("study-people", "People", entries)


def _facts(imports: Sequence[ImportedSet]) -> Sequence[Table]:
    """What the study files say; each only once."""
    by_name: dict[str, dict[str, None]] = {}
    for imported in imports_with_answers(imports):
        for name in FACTS:
            if name in imported.study:
                by_name.setdefault(name, {}).setdefault(str(imported.study[name]))
    rows = {FACTS[name]: "; ".join(by_name[name]) for name in FACTS if name in by_name}
    return _pairs("study-facts", "The study", rows)


def _pairs(name: str, title: str, rows: Mapping[str, str]) -> Sequence[Table]:
    columns = {"what": lambda row: TableCell(row[0]), "value": lambda row: TableCell(row[1])}
    return table(name, title, rows.items(), columns)


def _imports(imports: Sequence[ImportedSet]) -> Sequence[Table]:
    def rules(imported: ImportedSet) -> TableCell:
        """Whether its rules are the first ones; totals have nobody to leave out."""
        if imported.is_simulated:
            return TableCell("simulated")
        if not imports_with_answers([imported]):
            return TableCell("none: no answers")
        if imported.summary.get("n_participants", 0) is None:
            return TableCell("none: only totals")
        if imported.is_post_hoc:
            return TableCell("others than the first import's (post hoc)", sort="no")
        return TableCell("those of the first import of single answers")

    return table(
        "study-imports",
        "Files of judgments",
        [
            (imported, index, name, digest)
            for imported in imports
            for index, (name, digest) in enumerate(imported.files or ((imported.name, ""),))
        ],
        {
            "file": lambda row: TableCell(row[2]),
            "format": lambda row: TableCell(row[0].format or NONE),
            "answers of the import": lambda row: (
                TableCell("", sort="number")
                if row[1]
                else count_cell(row[0].summary.get("n_judgments"))
            ),
            "rules": lambda row: rules(row[0]),
            "SHA-256": lambda row: code(row[3]),
        },
    )


def exclusions(material: ReportData) -> Iterator[Section]:
    """Whose answers do not count, by which rule, and what the numbers were with them."""
    answers = material.people.answers
    if not answers.counted and not answers.left_out:
        return
    of_people = [case for case in answers.gone if case.rule not in BY_ITSELF]
    later = [imported for imported in imports_with_answers(answers.imports) if imported.is_post_hoc]
    undefined: dict[str, set[str]] = {}
    for case in answers.undefined:
        undefined.setdefault(case.rule, set()).add(case.participant)
    yield Section(
        "exclusions",
        "Whose answers do not count",
        {"told": of_people, "later": files_of(later)},
        tables=(
            *_rules(answers.gone, answers.imports),
            *table(
                "exclusion-undefined",
                "Rules with nothing to measure",
                undefined.items(),
                {
                    "rule": lambda row: TableCell(rule_in_words(row[0]), row[0]),
                    "people, who stay in": lambda row: count_cell(len(row[1])),
                },
            ),
            *(_gone(answers.gone) if of_people else ()),
            *(_with_everybody(material) if of_people else ()),
        ),
    )


def rule_in_words(name: str) -> str:
    """A rule of exclusion; one of the researchers' own by its name."""
    fact = name.removeprefix(REQUIRED)
    words = RULES[name].words if name in RULES else name
    return f"answer on “{fact}”" if fact != name else words


def _rules(cases: Sequence[ExclusionRecord], imports: Sequence[ImportedSet]) -> Sequence[Table]:
    """A line for each rule, threshold and level; below the threshold the files whose import had it,
    where not all had the same rules."""
    by_rule: dict[tuple[str, str, str], list[ExclusionRecord]] = {}
    for case in cases:
        by_rule.setdefault((case.rule, case.threshold, case.level), []).append(case)
    with_sessions = any(case.level == "session" for case in cases)
    return table(
        "exclusion-rules",
        "Rules that left something out",
        by_rule.values(),
        {
            "rule": lambda group: TableCell(rule_in_words(group[0].rule), group[0].rule),
            "threshold": lambda group: TableCell(
                group[0].threshold or NONE, files_with_rule(imports, group[0])
            ),
            "people": lambda group: count_cell(
                len({case.participant for case in group}) if group[0].level in WHOLE else None
            ),
            "sessions": (
                lambda group: count_cell(len(group) if group[0].level == "session" else None)
            )
            if with_sessions
            else None,
            "trials": lambda group: count_cell(sum(case.n_trials for case in group)),
        },
    )


def _gone(cases: Sequence[ExclusionRecord]) -> Sequence[Table]:
    return table(
        "exclusion-people",
        "People, sessions and items left out",
        [case for case in cases if case.level != "trial"],
        {
            "who or what": lambda case: code(case.item or case.participant, case.session),
            "rule": lambda case: TableCell(rule_in_words(case.rule), case.rule),
            "measured": lambda case: TableCell(case.value or NONE),
            "threshold": lambda case: TableCell(case.threshold or NONE),
            "trials": "n_trials count",
        },
        "People are listed under pseudonyms, which cannot be traced without the study's key.",
    )


def _with_everybody(material: ReportData) -> Sequence[Table]:
    """The main numbers as they stand on the page and as they would be with everybody, with the
    interval that people have everywhere."""
    answers, everybody = material.people.answers, material.people.everybody
    if not any(tally.total for tally in everybody):
        return ()
    sides = (
        (material.tallies, AnswerTable.of(answers.counted)),
        (everybody, AnswerTable.of(material.people.recorded)),
    )

    def cell(kind: str, pooled: bool, side: int) -> TableCell:
        tallies, judgments = sides[side]
        judged = [tally for tally in tallies if tally.total and tally.condition == kind]
        if not judged:
            return NO_NUMBER
        if pooled:
            n = sum(tally.total for tally in judged)
            return share(pooled_accuracy(judged), interval(None, None, n))
        limits = item_interval(judged, judgments)
        low, high = (limits.low, limits.high) if limits else (None, None)
        return share(item_accuracy(judged), interval(low, high, len(judged)))

    rows = [
        (k, p) for k in levels(e.condition for e in everybody if e.total) for p in (False, True)
    ]
    return table(
        "exclusion-effect",
        "With and without exclusions",
        rows,
        {
            "people's accuracy, %": lambda row: TableCell("pooled" if row[1] else "over items"),
            "sentences": lambda row: short(panel_name(row[0])),
            "without those left out": lambda row: cell(row[0], row[1], 0),
            "with everybody": lambda row: cell(row[0], row[1], 1),
        },
        "Practice and trials that were sent twice are in neither. Intervals are over people and"
        " originals.",
    )


def ratings(material: ReportData) -> Iterator[Section]:
    """How sentences were rated, right ones beside wrong ones."""
    by_statistic = {measure.statistic: measure for measure in material.people.measures}
    measures = [
        measure
        for measure in material.people.measures
        if measure.statistic in (*MEANS.values(), DIFFERENCE, HIGHER)
    ]
    if measures or SIDELESS in by_statistic:
        yield Section(
            "ratings",
            "How sentences were rated",
            {
                "levels": {measure.level for measure in measures},
                "unknown_scale": any("not known" in measure.note for measure in measures),
                "apart": [
                    (by_statistic[name].value, by_statistic[name].n, why)
                    for name, why in APART.items()
                    if name in by_statistic
                ],
            },
            tables=(
                *_ratings("ratings-kinds", "Ratings", [e for e in measures if not e.construction]),
                *_ratings(
                    "ratings-constructions",
                    "Ratings by construction",
                    [measure for measure in measures if measure.construction],
                ),
            ),
        )


def _ratings(name: str, title: str, measures: Sequence[Measure]) -> Sequence[Table]:
    cells: dict[tuple[str, str, str], dict[str, Measure]] = {}
    for level in SCORED:
        for measure in measures:
            if measure.level == level:
                key = measure.kind, measure.construction, level
                cells.setdefault(key, {})[measure.statistic] = measure
    order = list(dict.fromkeys((measure.kind, measure.construction) for measure in measures))

    def rating(statistic: str, *, sign: bool = False) -> Callable[[Any], TableCell]:
        def cell(key: tuple[str, str, str]) -> TableCell:
            measure = cells[key].get(statistic)
            if measure is None or measure.value is None:
                return NO_NUMBER
            numbers = [
                signed(v, 2) for v in (measure.value, measure.low, measure.high) if v is not None
            ]
            texts = [number if sign else number.removeprefix("+") for number in numbers]
            return TableCell(texts[0], " to ".join(texts[1:]), "number", measure.value)

        return cell

    def higher(key: tuple[str, str, str]) -> TableCell:
        measure = cells[key].get(HIGHER)
        return share(measure.value, interval(measure.low, measure.high)) if measure else share(None)

    return table(
        name,
        title,
        sorted(cells, key=lambda key: order.index(key[:2])),
        {
            "sentences": lambda key: (
                code(key[1], panel_name(key[0])) if key[1] else TableCell(panel_name(key[0]))
            ),
            "scored": lambda key: short(SCORED[key[2]]),
            "right": rating(MEANS[RIGHT]),
            "wrong": rating(MEANS[WRONG]),
            "right − wrong": rating(DIFFERENCE, sign=True),
            "higher when right, %": higher,
            "items with both": lambda key: count_cell(
                cells[key][DIFFERENCE].n if DIFFERENCE in cells[key] else 0
            ),
        },
    )
