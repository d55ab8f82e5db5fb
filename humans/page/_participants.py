"""Section: every participant in a line, for whoever has to answer for the data.

Single answers are on no page: whether those may be shown to everybody is for the consent of those
who gave them to say.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from ...data.statistics.intervals import wilson
from ..judgments.answers import SuiteAnswers
from ..judgments.judgment import Judgment, answered, levels
from ..statistics.accuracy_estimates import spread
from ._drawings import INK, Axis, MarkStyle, lines, share_mark
from ._parts import (
    NO_NUMBER,
    NONE,
    THIN,
    Figure,
    Panel,
    Rater,
    Section,
    Table,
    TableCell,
    code,
    count,
    count_cell,
    figure,
    limits,
    panel_name,
    percent,
    share,
    short,
    table,
)
from ._people import WHOLE, rule_in_words
from ._report_data import ReportData

WRONG_ON: Mapping[str, str] = {  # kinds of trial that say how well somebody attended
    "filler": "wrong fillers", "check": "failed checks",
}  # fmt: skip
MOST_LISTS = 3  # whose names are told
PANELS = {"target": "target sentences", "filler": "fillers"}
COUNTS = Rater("counts", "answers count", "circle", 0)
LEFT_OUT = Rater("left out", "left out", "cross", 2)
CROWD = 40  # people; of more, the marks are smaller


@dataclass(frozen=True, slots=True)
class _Participant:
    """One of those who took part, and what they did."""

    name: str
    trials: tuple[Judgment, ...]
    right: Mapping[tuple[str, str], list[int]]
    """Kind of trial (and condition, or none) → which answers are right, of those that count; of
    somebody with none of all"""
    counts: bool  # some of what they did
    rules: tuple[str, ...]  # that removed them, or one of their sessions


def participants(material: ReportData) -> Iterator[Section]:
    """Every participant in a line, for whoever has to answer for the data."""
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
    rules: dict[str, dict[str, None]] = {}
    for case in answers.gone:
        if case.level in WHOLE:
            rules.setdefault(case.participant, {}).setdefault(case.rule)
    people = [
        _Participant(
            name,
            tuple(judgments),
            _right(counting.get(name, judgments)),
            name in counting,
            tuple(rules.get(name, ())),
        )
        for name, judgments in trials.items()
    ]
    people.sort(key=lambda person: (not person.counts, person.name))
    yield Section(
        "participants",
        "Participants",
        None,
        tuple(_people_figure(people, answers)),
        tuple(_people_table(people)),
    )


def _right(trials: Sequence[Judgment]) -> dict[tuple[str, str], list[int]]:
    by_kind: dict[tuple[str, str], list[int]] = {}
    for trial in trials:
        if trial.correct is not None:
            by_kind.setdefault((trial.kind, ""), []).append(trial.correct)
            if trial.condition:
                by_kind.setdefault((trial.kind, trial.condition), []).append(trial.correct)
    return by_kind


def _people_table(people: Sequence[_Participant]) -> Sequence[Table]:
    trials = [trial for person in people for trial in person.trials]
    kinds = levels(t.condition for t in trials if t.kind == "target" and t.correct_form)
    present = {trial.kind for trial in trials}

    def verdict(person: _Participant) -> TableCell:
        why = ", ".join(map(rule_in_words, person.rules))
        if person.counts:
            return TableCell("yes", f"but a session: {why}" if why else "", "yes")
        return TableCell("no", why or "no trial of theirs is left", "no")

    def right(kind: str) -> Callable[[_Participant], TableCell]:
        def cell(person: _Participant) -> TableCell:
            answers = person.right.get(("target", kind), [])
            return share(sum(answers) / len(answers), f"of {count(len(answers))}") if answers else (
                NO_NUMBER
            )  # fmt: skip

        return cell

    def wrong(kind: str) -> Callable[[_Participant], TableCell]:
        def cell(person: _Participant) -> TableCell:
            answers = person.right.get((kind, ""), [])
            below = f"of {count(len(answers))}" if answers else ""
            return count_cell(answers.count(0) if answers else None, below)

        return cell

    def time(person: _Participant) -> TableCell:
        times = [t.rt_ms for t in person.trials if answered(t) and t.rt_ms is not None]
        return count_cell(median(times) if times else None)

    def lists(person: _Participant) -> TableCell:
        names = sorted({trial.list for trial in person.trials} - {""})
        text = f"{count(len(names))} lists" if len(names) > MOST_LISTS else ", ".join(names)
        return short(text or NONE)

    def days(person: _Participant) -> TableCell:
        dates = sorted({trial.at[:10] for trial in person.trials} - {""})
        return short(" to ".join(dict.fromkeys([dates[0], dates[-1]])) if dates else NONE)

    return table(
        "participants-table",
        f"Participants ({count(len(people))})",
        people,
        {
            "pseudonym": "name code",
            "counts": verdict,
            "sessions": lambda person: count_cell(len({trial.session for trial in person.trials})),
            "trials": lambda person: count_cell(len(person.trials)),
            "answered": lambda person: count_cell(sum(map(answered, person.trials))),
            **{f"right on {panel_name(kind)}, %": right(kind) for kind in kinds},
            **{name: wrong(kind) for kind, name in WRONG_ON.items() if kind in present},
            "median time, ms": time,
            "list": lists,
            "date": days,
        },
        "For people some of whose answers count, shares are over the answers that count. A missing"
        " answer does not count as wrong. Dates and times are UTC.",
        drop_empty=True,
    )


@dataclass(frozen=True, slots=True)
class _Share:
    """The answers of one person to one kind of trial; `low` and `high` are Wilson's limits."""

    kind: str
    name: str
    look: Rater
    n_right: int
    n: int
    low: float
    high: float

    @property
    def share(self) -> float:
        return self.n_right / self.n


def _people_figure(people: Sequence[_Participant], answers: SuiteAnswers) -> Iterator[Figure]:
    """How often each person was right, the least often first, and who was left out."""
    rows = [*_shares(people)]
    if not rows:
        return
    accuracy = {row.name: row.share for row in rows if row.kind == "target"}
    names = sorted({row.name for row in rows}, key=lambda name: (accuracy.get(name, -1.0), name))
    ranks = {name: rank for rank, name in enumerate(names, start=1)}
    rows.sort(key=lambda row: (list(PANELS).index(row.kind), ranks[row.name]))
    thresholds = (imported.rules.get("max_filler_errors") for imported in answers.imports)
    bounds = sorted({1 - float(errors) for errors in thresholds if errors is not None})
    by_kind = {kind: [row for row in rows if row.kind == kind] for kind in PANELS}
    looks = [look for look in (COUNTS, LEFT_OUT) if any(row.look is look for row in rows)]
    yield figure(
        "participants-figure",
        "Accuracy by participant",
        "People stand from the least to the greatest accuracy on target sentences, in all panels in"
        f" this order. Lines are 95{THIN}% intervals (Wilson: treats answers as independent)."
        + (" Crosses are people whose answers do not count." if LEFT_OUT in looks else "")
        + (" The dashed line is the fewest fillers right that were asked for." if bounds else ""),
        [_people_panel(of_kind, ranks, bounds) for of_kind in by_kind.values() if of_kind],
        looks,
        rows,
        {
            "participant": lambda row: code(row.name),
            "place": lambda row: count_cell(ranks[row.name]),
            "trials": lambda row: TableCell(PANELS[row.kind]),
            "answers": lambda row: TableCell(
                "count" if row.look is COUNTS else "left out",
                sort="yes" if row.look is COUNTS else "no",
            ),
            "right": lambda row: count_cell(row.n_right),
            "of": lambda row: count_cell(row.n),
            "right, %": lambda row: share(row.share),
            "95 % low": lambda row: share(row.low),
            "95 % high": lambda row: share(row.high),
        },
    )


def _shares(people: Sequence[_Participant]) -> Iterator[_Share]:
    for kind in PANELS:
        for person in people:
            right = person.right.get((kind, ""))
            exact = wilson(sum(right), len(right)) if right else None
            if right and exact is not None:
                look = COUNTS if person.counts else LEFT_OUT
                yield _Share(kind, person.name, look, sum(right), len(right), exact.low, exact.high)


def _people_panel(
    rows: Sequence[_Share], ranks: Mapping[str, int], bounds: Sequence[float]
) -> Panel:
    """Return the drawing of one kind of trial."""
    marks = [
        share_mark(
            row.look, row.share, row.low, row.high,
            f"{row.name}: {percent(row.share)} % [{limits(row.low, row.high)}], "
            f"{count(row.n_right)} of {count(row.n)} right, {row.look.label}",
            ranks[row.name],
        )
        for row in rows
    ]  # fmt: skip
    quartiles = spread([row.share for row in rows])
    alt = ""
    if len(rows) > CROWD and quartiles is not None:
        n_out = sum(row.look is LEFT_OUT for row in rows)
        values = [mark.value for mark in marks]
        alt = (
            f"{count(len(rows))} people, {count(n_out)} of them left out; accuracy from"
            f" {min(values):.1f} to {max(values):.1f} %, quartiles {percent(quartiles.p25)},"
            f" {percent(quartiles.p50)}, {percent(quartiles.p75)} %"
        )
    smaller = 0.0 if len(ranks) <= CROWD else 3.0
    return lines(
        PANELS[rows[0].kind],
        marks,
        Axis("people, by accuracy on target sentences", ends=(0.5, len(ranks) + 0.5)),
        Axis("right, per cent of answers", ends=(0, 102)),
        style=MarkStyle(joined=False, thick=1.2, smaller=smaller),
        levels=[(100 * bound, INK) for bound in bounds if rows[0].kind == "filler"],
        alt=alt,
    )
