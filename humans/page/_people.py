"""Sections about people: whose answers are excluded, how reliable judgments are, and ratings.

A trial is one answer of a person to one sentence or pair; a session is one visit of a person.
A page never shows single answers: only the people who gave them may consent to that.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import polars as pl

from ...data import schema
from ...data.tables import frame
from ..judgments.answers import ImportedSet, SuiteAnswers
from ..judgments.judgment import levels
from ..judgments.rules import REQUIRED, RULES, ExclusionRecord
from ..measures.consistency import CONSISTENCY
from ..measures.correlations import CEILING, CODINGS, OF_CEILING, SHARES
from ..measures.ratings import (
    CEILING_OF_RATINGS,
    DIFFERENCE,
    FLAT,
    HIGHER,
    MEANS,
    NO_MAGNITUDE,
    RATING_RHO,
    SIDELESS,
)
from ..statistics.accuracy_estimates import item_accuracy, item_interval
from ..statistics.people import AnswerTable
from ..statistics.rater_accuracy import HUMANS
from . import _parts as fmt
from ._parts import DASH, Column, Section, Table, TableCell
from ._report_data import ReportData

NOT_ABOUT_PEOPLE = ("practice", "duplicate")  # rules that leave out trials of everybody alike
# levels of a rule that leaves out all trials of a person or session:
WHOLE_LEVELS = ("person", "session")


def imports_with_answers(imports: Sequence[ImportedSet]) -> list[ImportedSet]:
    """Return the imports that brought people's answers, without those of a table of items only."""
    return [imported for imported in imports if imported.summary.get("n_judgments")]


def exclusion_section(material: ReportData) -> Iterator[Section]:
    """Yield the section of excluded answers: how many each rule excludes, and people's accuracy
    with and without them. Yield nothing if people gave no answers."""
    answers = material.people.answers
    if answers.trials.is_empty() and answers.trials_left_out.is_empty():
        return
    has_people = any(case.rule not in NOT_ABOUT_PEOPLE for case in answers.gone)
    imports = imports_with_answers(answers.imports)
    post_hoc = [imported for imported in imports if imported.is_post_hoc]
    post_hoc_files = [
        name
        for imported in post_hoc
        for name in ([file for file, _ in imported.files] or [imported.name])
    ]
    yield Section(
        "exclusions",
        "Whose answers do not count",
        {"left_out": has_people, "later": ", ".join(dict.fromkeys(post_hoc_files))},
        tables=(_rule_table(answers), *([_effect_table(material)] if has_people else [])),
    )


def rule_in_words(name: str) -> str:
    """Return a rule of exclusion in words. A rule that this program does not know is returned as it
    is."""
    fact = name.removeprefix(REQUIRED)
    words = RULES[name].words if name in RULES else name
    return f"answer on “{fact}”" if fact != name else words


def _rule_table(answers: SuiteAnswers) -> Table:
    """Return the table of exclusion rules. For each rule, threshold and level (person, session or
    trial) it has the numbers of people, sessions and trials that were excluded. Rules about people
    are in it even if they excluded nobody."""
    by_rule: dict[tuple[str, str, str], list[ExclusionRecord]] = {}
    for case in answers.gone:
        by_rule.setdefault((case.rule, case.threshold, case.level), []).append(case)
    # a rule cannot judge a person without a trial of the kind that it counts
    unjudged_people = {(case.rule, case.participant) for case in answers.undefined}
    n_unjudged = Counter(rule for rule, _ in unjudged_people)
    with_cases = {(rule, threshold) for rule, threshold, _ in by_rule}
    for imported in imports_with_answers(answers.imports):
        for rule, value in imported.rules.items():
            is_of_people = rule in RULES and RULES[rule].level == "person"
            is_limit = is_of_people and isinstance(value, int | float)
            if is_limit and (rule, f"{value:g}") not in with_cases:  # it excluded nobody
                by_rule.setdefault((rule, f"{value:g}", "person"), [])
    return Table(
        "exclusion-rules",
        "Rules of exclusion",
        [
            Column("rule", "words rule"),
            Column("threshold", "threshold"),
            Column("people", "people", fmt.count_cell),
            Column("sessions", "sessions", fmt.count_cell),
            Column("trials", "trials", fmt.count_cell),
            Column("people without a trial for it", "unjudged", fmt.count_cell),
        ],
        [
            {
                "unjudged": n_unjudged[rule] or None,
                "words": rule_in_words(rule),
                "rule": rule,
                "threshold": threshold or DASH,
                "people": len({case.participant for case in group})
                if level in WHOLE_LEVELS
                else None,
                "sessions": len(group) if level == "session" else None,
                "trials": sum(case.n_trials for case in group),
            }
            for (rule, threshold, level), group in by_rule.items()
        ],
    )


def _effect_table(material: ReportData) -> Table:
    """Return the table of people's accuracy by kind of items, with and without the excluded
    answers."""
    people = material.people
    answers_of = {
        "counted": (material.tallies, material.answers),
        "everybody": (people.everybody, AnswerTable.of(people.recorded)),
    }
    rows: list[dict[str, Any]] = []
    for kind in levels(tally.condition for tally in people.everybody if tally.total):
        row: dict[str, Any] = {"kind": kind}
        for name, (tallies, judgments) in answers_of.items():
            judged = [tally for tally in tallies if tally.total and tally.condition == kind]
            if not judged:
                row[name] = TableCell("nobody", sort="number")
                continue
            interval = item_interval(judged, judgments)
            low, high = (interval.low, interval.high) if interval else (None, None)
            row[name] = fmt.share_with_interval(item_accuracy(judged), low, high, len(judged))
        rows.append(row)
    return Table(
        "exclusion-effect",
        "People's accuracy with and without exclusions",
        [
            Column("sentences", "kind", fmt.kind_cell),
            Column("without those left out", "counted"),
            Column("with everybody", "everybody"),
        ],
        rows,
    )


HALVES, CORRECTED = "split-half ρ", "Spearman–Brown"
ALPHA, PAIRWISE = "Krippendorff's α", "pairwise agreement"
MAJORITY = "majority right"
RELIABILITY = (
    *(HALVES, CORRECTED, CEILING, SHARES, OF_CEILING),
    *(MAJORITY, PAIRWISE, ALPHA, CONSISTENCY),
)
OF_RATINGS = (*MEANS.values(), DIFFERENCE, HIGHER, RATING_RHO, CEILING_OF_RATINGS)
LEFT_OUT_RATINGS = {  # statistic that counts ratings which are left out → the reason
    FLAT: "people gave one rating to all sentences: they have no z-scores and are left out of"
    " these",
    SIDELESS: "ratings are of sentences that are not known to be the right or the wrong one of"
    " their item; they count only in the mean and spread of who gave them",
    NO_MAGNITUDE: "magnitudes are not above 0 and count nowhere",
}


def _stat_table(material: ReportData, name: str, title: str, statistics: Collection[str],
                digits: int, *, by_construction: bool) -> Table:  # fmt: skip
    """Return a table of those measures of people's answers that are named in `statistics`, in
    their order, with `digits` decimals. Measures of single constructions are in it only if
    `by_construction`."""
    order = {statistic: index for index, statistic in enumerate(statistics)}
    rows = frame((m.as_row(schema.MEASURES) for m in material.people.measures), schema.MEASURES)
    shown = [HUMANS, *(rater.name for rater in material.raters)]
    rows = rows.filter(pl.col("statistic").is_in(list(order)), pl.col("rater").is_in(shown))
    if not by_construction:
        rows = rows.filter(construction="")
    return Table(
        name,
        title,
        [
            Column("statistic", "statistic"),
            Column("sentences", "kind", fmt.kind_cell),
            Column("construction", "construction", fmt.code),
            Column("rater", "rater", lambda name: fmt.text(material.labels[name])),
            Column("answers as", "level"),
            Column("items", "n", fmt.count_cell),
            Column("value", "value low high", fmt.decimals(digits, "undefined")),
            Column("remarks", "note"),
        ],
        rows.sort(pl.col("statistic").replace_strict(order), maintain_order=True),
    )


def reliability_section(material: ReportData) -> Iterator[Section]:
    """Yield the section of reliability: how well people agree with each other, and how near models
    come to that limit. Yield nothing if there are no answers."""
    measures = [m for m in material.people.measures if not m.construction]
    if not any(measure.statistic == MAJORITY for measure in measures):
        return
    codings = {measure.level for measure in measures if measure.statistic == PAIRWISE}
    facts = {
        "is_split": any(measure.statistic == HALVES for measure in measures),
        "codings": codings,
        "first_coding": {CODINGS[0]},
    }
    title = "Reliability, ceiling and agreement"
    table = _stat_table(material, "reliability-table", title, RELIABILITY, 3, by_construction=False)
    yield Section("reliability", "How far judgments repeat", facts, tables=(table,))


def rating_section(material: ReportData) -> Iterator[Section]:
    """Yield the section of people's ratings; nothing if there are none.

    Ratings that cannot count, such as those of sentences that are neither right nor wrong, are
    named with the reason.
    """
    by_statistic = {measure.statistic: measure for measure in material.people.measures}
    measures = [m for m in material.people.measures if m.statistic in OF_RATINGS]
    if not measures and SIDELESS not in by_statistic:
        return
    facts = {
        "levels": {measure.level for measure in measures},
        "unknown_scale": any("not known" in measure.note for measure in measures),
        "outside": [
            (by_statistic[name].value, by_statistic[name].n, why)
            for name, why in LEFT_OUT_RATINGS.items()
            if name in by_statistic
        ],
    }
    table = _stat_table(material, "ratings-table", "Ratings", OF_RATINGS, 2, by_construction=True)
    yield Section("ratings", "How sentences were rated", facts, tables=(table,))
