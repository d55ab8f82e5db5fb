"""Sections: who was asked, whose answers do not count, and every participant in a line.

Single answers are on no page: whether those may be shown to everybody is for the consent of those
who gave them to say.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from ..judgments.answers import ImportedSet, SuiteAnswers, sessions_left_out
from ..judgments.exclusion import ExclusionRecord
from ..judgments.judgment import Judgment, answered, levels, rates, session_of
from ..judgments.rules import REQUIRED, RULES
from ..statistics.accuracy_estimates import item_accuracy, item_interval
from ..statistics.people import AnswerTable
from . import _formats as form
from ._formats import NO_NUMBER, NONE, TableCell
from ._parts import Section
from ._report_data import PeopleData, ReportData
from ._table import Column, Table

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
MOST_LISTS = 3  # that are named
BY_ITSELF = ("practice", "duplicate")  # rules that say nothing of people
WHOLE = ("person", "session")  # levels at which people go, or a session of theirs
WRONG_ON = {"filler": "wrong fillers", "check": "failed checks"}  # how well somebody attended


def imports_with_answers(imports: Sequence[ImportedSet]) -> list[ImportedSet]:
    """Return imports that hold answers; a table of items alone says nothing of people."""
    return [e for e in imports if e.summary.get("n_judgments")]


def study(material: ReportData) -> Iterator[Section]:
    """Yield where the judgments come from, as a reviewer asks for it."""
    imports = material.people.answers.imports
    if imports:
        tables = (
            _pairs("study-people", "People", _counts(material.people)),
            _pairs("study-facts", "The study", _facts(imports)),
            _imports(imports),
        )
        yield Section("study", "Who was asked", tables=tables)


def _pairs(name: str, title: str, rows: Mapping[str, str]) -> Table:
    columns = [Column("what", "what"), Column("value", "value")]
    return Table(name, title, columns, [{"what": k, "value": v} for k, v in rows.items()])


def _counts(people: PeopleData) -> dict[str, str]:
    """Return counts, and what the sessions say of themselves; nothing of files without
    answers."""
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
    entries = {label: form.count(n) for label, n in rows.items() if n}
    if not visits:
        total = sum(imported.summary.get("n_judgments") or 0 for imported in answers.imports)
        entries = {"answers (only totals are known)": form.count(total)} if total else {}
    days = sorted(trial.at[:10] for trial in everyone if trial.at)
    if days:
        when = days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]} (UTC)"
        entries["answered on"] = when
    minutes = [e.duration_s / 60 for e in answers.sessions if e.duration_s and not e.test_run]
    if minutes:
        entries["median duration of a session"] = f"{median(minutes):.1f} minutes"
    consents = {
        session.facts["consent"] for session in answers.sessions if session.facts.get("consent")
    }
    if consents:
        digests = ", ".join(version[:SHOWN_DIGEST] for version in sorted(consents))
        entries["version of the consent (SHA-256)"] = digests
    return entries


def _facts(imports: Sequence[ImportedSet]) -> dict[str, str]:
    """Return what the study files say; each only once."""
    by_name: dict[str, dict[str, None]] = {}
    for imported in imports_with_answers(imports):
        for name in FACTS:
            if name in imported.study:
                by_name.setdefault(name, {}).setdefault(str(imported.study[name]))
    return {FACTS[name]: "; ".join(by_name[name]) for name in FACTS if name in by_name}


def _rules_of(imported: ImportedSet) -> TableCell:
    """Say whether its rules are the first ones; totals have nobody to leave out."""
    if imported.is_simulated:
        return TableCell("simulated")
    if not imports_with_answers([imported]):
        return TableCell("none: no answers")
    if imported.summary.get("n_participants", 0) is None:
        return TableCell("none: only totals")
    if imported.is_post_hoc:
        return TableCell("others than the first import's (post hoc)", sort="no")
    return TableCell("those of the first import of single answers")


def _imports(imports: Sequence[ImportedSet]) -> Table:
    rows = [
        {
            "file": name,
            "format": imported.format or NONE,
            "n": TableCell("", sort="number")
            if index
            else form.count_cell(imported.summary.get("n_judgments")),
            "rules": _rules_of(imported),
            "digest": digest,
        }
        for imported in imports
        for index, (name, digest) in enumerate(imported.files or ((imported.name, ""),))
    ]
    return Table(
        "study-imports",
        "Files of judgments",
        [
            Column("file", "file"),
            Column("format", "format"),
            Column("answers of the import", "n"),
            Column("rules", "rules"),
            Column("SHA-256", "digest", form.code),
        ],
        rows,
    )


def exclusions(material: ReportData) -> Iterator[Section]:
    """Yield whose answers do not count, by which rule, and what the numbers were with them."""
    answers = material.people.answers
    if not answers.counted and not answers.left_out:
        return
    has_people = any(case.rule not in BY_ITSELF for case in answers.gone)
    later = [e for e in imports_with_answers(answers.imports) if e.is_post_hoc]
    files = [name for e in later for name, _ in e.files or ((e.name, ""),)]
    undefined: dict[str, set[str]] = {}
    for case in answers.undefined:
        undefined.setdefault(case.rule, set()).add(case.participant)
    yield Section(
        "exclusions",
        "Whose answers do not count",
        {"left_out": has_people, "later": ", ".join(dict.fromkeys(files))},
        tables=(
            _rules(answers),
            Table(
                "exclusion-undefined",
                "Rules with nothing to measure",
                [Column("rule", "words rule"), Column("people, who stay in", "n", form.count_cell)],
                [
                    {"words": rule_in_words(rule), "rule": rule, "n": len(people)}
                    for rule, people in undefined.items()
                ],
            ),
            *([_with_everybody(material)] if has_people else []),
        ),
    )


def rule_in_words(name: str) -> str:
    """Return the words of a rule of exclusion; one of the researchers' own by its name."""
    fact = name.removeprefix(REQUIRED)
    words = RULES[name].words if name in RULES else name
    return f"answer on “{fact}”" if fact != name else words


def _rules(answers: SuiteAnswers) -> Table:
    """Return a line for each rule, threshold and level; of rules of people also of those that
    spared everybody, if they had something to measure."""
    by_rule: dict[tuple[str, str, str], list[ExclusionRecord]] = {}
    for case in answers.gone:
        by_rule.setdefault((case.rule, case.threshold, case.level), []).append(case)
    n_people = len({trial.participant for trial in answers.counted or answers.left_out})
    unjudged = Counter(rule for rule, _ in {(e.rule, e.participant) for e in answers.undefined})
    used = {(rule, threshold) for rule, threshold, _ in by_rule}
    for imported in imports_with_answers(answers.imports):
        for rule, value in imported.rules.items():
            is_limit = rule in RULES and RULES[rule].of_people and isinstance(value, int | float)
            if is_limit and unjudged[rule] < n_people and (rule, f"{value:g}") not in used:
                by_rule.setdefault((rule, f"{value:g}", "person"), [])
    return Table(
        "exclusion-rules",
        "Rules of exclusion",
        [
            Column("rule", "words rule"),
            Column("threshold", "threshold"),
            Column("people", "people", form.count_cell),
            Column("sessions", "sessions", form.count_cell),
            Column("trials", "trials", form.count_cell),
        ],
        [
            {
                "words": rule_in_words(rule),
                "rule": rule,
                "threshold": threshold or NONE,
                "people": len({case.participant for case in group}) if level in WHOLE else None,
                "sessions": len(group) if level == "session" else None,
                "trials": sum(case.n_trials for case in group),
            }
            for (rule, threshold, level), group in by_rule.items()
        ],
        "Every case, with what was measured, is in exclusions.csv.",
    )


def _with_everybody(material: ReportData) -> Table:
    """Return people's accuracy as it is on the page and as it would be with everybody, with the
    interval that people have everywhere."""
    people = material.people
    sides = {
        "counted": (material.tallies, AnswerTable.of(people.answers.counted)),
        "everybody": (people.everybody, AnswerTable.of(people.recorded)),
    }
    rows: list[dict[str, Any]] = []
    for kind in levels(tally.condition for tally in people.everybody if tally.total):
        row: dict[str, Any] = {"kind": kind}
        for side, (tallies, judgments) in sides.items():
            judged = [tally for tally in tallies if tally.total and tally.condition == kind]
            found = item_interval(judged, judgments)
            ends = (found.low, found.high) if found else (None, None)
            row[side] = form.estimate(item_accuracy(judged), *ends, len(judged))
        rows.append(row)
    return Table(
        "exclusion-effect",
        "People's accuracy with and without exclusions",
        [
            Column("sentences", "kind", form.kind_cell),
            Column("without those left out", "counted"),
            Column("with everybody", "everybody"),
        ],
        rows,
        "Practice and trials that were sent twice are in neither.",
    )


def participants(material: ReportData) -> Iterator[Section]:
    """Yield every participant in a line, for whoever has to answer for the data."""
    answers = material.people.answers
    trials: dict[str, list[Judgment]] = {}
    for trial in material.people.recorded:
        if trial.kind != "practice":
            trials.setdefault(trial.participant, []).append(trial)
    if not trials:
        return
    counting: dict[str, list[Judgment]] = {}
    for trial in answers.counted:
        counting.setdefault(trial.participant, []).append(trial)
    rows = [
        _participant(name, own, counting.get(name), _words_of_rules(answers, name))
        for name, own in trials.items()
    ]
    rows.sort(key=lambda row: (not row["counts"], row["name"]))
    every = [trial for own in trials.values() for trial in own]
    kinds = levels(t.condition for t in every if t.kind == "target" and t.correct_form)
    table = Table(
        "participants-table",
        f"Participants ({form.count(len(rows))})",
        [
            Column("pseudonym", "name", form.code),
            Column("counts", "counts why", form.yes_no),
            Column("sessions", "n_sessions", form.count_cell),
            Column("trials", "n_trials", form.count_cell),
            Column("answered", "n_answered", form.count_cell),
            *(Column(f"right on {form.kind_name(kind)}, %", (f"right {kind}",)) for kind in kinds),
            *(Column(name, (f"wrong {kind}",)) for kind, name in WRONG_ON.items()),
            Column("median time, ms", "time", form.count_cell),
            Column("list", "lists", form.short),
            Column("date", "days", form.short),
        ],
        [{**dict.fromkeys([f"right {kind}" for kind in kinds], NO_NUMBER), **row} for row in rows],
        "For people some of whose answers count, shares are over the answers that count. A missing"
        " answer does not count as wrong. Dates and times are UTC.",
    )
    yield Section("participants", "Participants", tables=(table,))


def _words_of_rules(answers: SuiteAnswers, participant: str) -> str:
    """Return the rules that removed somebody, or a session of theirs."""
    rules = dict.fromkeys(
        case.rule for case in answers.gone if case.level in WHOLE
        and case.participant == participant
    )  # fmt: skip
    return ", ".join(map(rule_in_words, rules))


def _participant(
    name: str, trials: Sequence[Judgment], counting: Sequence[Judgment] | None, why: str
) -> dict[str, Any]:
    """Return the row of somebody; of those who count, shares are over the answers that count."""
    judged = [trial for trial in counting or trials if trial.correct is not None]
    times = [trial.rt_ms for trial in trials if answered(trial) and trial.rt_ms is not None]
    lists = sorted({trial.list for trial in trials} - {""})
    days = sorted({trial.at[:10] for trial in trials} - {""})
    row: dict[str, Any] = {
        "name": name,
        "counts": counting is not None,
        "why": why or "no trial of theirs is left" if counting is None
        else f"but a session: {why}" if why else "",
        "n_sessions": len({trial.session for trial in trials}),
        "n_trials": len(trials),
        "n_answered": sum(map(answered, trials)),
        "time": median(times) if times else None,
        "lists": f"{form.count(len(lists))} lists" if len(lists) > MOST_LISTS else ", ".join(lists),
        "days": " to ".join(dict.fromkeys([days[0], days[-1]])) if days else NONE,
    }  # fmt: skip
    for kind in {trial.condition for trial in judged if trial.kind == "target"}:
        own = [t.correct or 0 for t in judged if (t.kind, t.condition) == ("target", kind)]
        row[f"right {kind}"] = form.share(sum(own) / len(own), f"of {form.count(len(own))}")
    for kind in WRONG_ON:
        own = [trial.correct or 0 for trial in judged if trial.kind == kind]
        below = f"of {form.count(len(own))}" if own else ""
        row[f"wrong {kind}"] = form.count_cell(own.count(0) if own else None, below)
    return row
