"""Section: every participant in a line, for whoever has to answer for the data."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from colorless_green.humans.judgment import Judgment, answered
from colorless_green.humans.observation import levels
from colorless_green.humans.page.marginals import panel_name
from colorless_green.humans.page.material import Material
from colorless_green.humans.page.numbers import NONE, count, percent
from colorless_green.humans.page.parts import Cell, Section, Table, heading
from colorless_green.humans.page.people import participants_figure
from colorless_green.humans.page.people.exclusions import RULES
from colorless_green.humans.page.raters import Rater
from colorless_green.humans.stored import Answers, recorded

WRONG: Mapping[str, str] = {  # kinds of trial that say how well somebody attended
    "filler": "wrong fillers", "check": "failed checks", "question": "wrong on questions",
}  # fmt: skip
MOST_LISTS = 3  # whose names are told
ABOUT = (
    "People stand under pseudonyms, made from their platform's id with the study's key: the same"
    " person has the same one in every import while the key is there, and nobody without the key"
    " can tell whose it is. Trials are those that were recorded, without practice and what was"
    " sent twice. Single answers are not on this page."
)


def section(material: Material, raters: Sequence[Rater]) -> Section | None:
    """None where nobody was asked, or only totals are known."""
    answers = material.people.answers
    found = _participants(answers)
    if not found:
        return None
    text = "The participants are simulated. " if material.simulated else ""
    drawn = participants_figure.figure(material, raters)
    return Section(
        name="participants",
        title="Participants",
        text=(text + ABOUT,),
        figures=(drawn,) if drawn else (),
        tables=(_table(found),),
    )


@dataclass(frozen=True, slots=True)
class _Participant:
    """One of those who took part, and what they did."""

    name: str
    trials: tuple[Judgment, ...]
    counts: bool  # some of what they did
    rules: tuple[str, ...]  # that removed them, or one of their sessions

    def of(self, kind: str) -> tuple[Judgment, ...]:
        """The trials of a kind."""
        return tuple(each for each in self.trials if each.kind == kind)


def _participants(answers: Answers) -> list[_Participant]:
    """By pseudonym, those left out last."""
    trials: dict[str, list[Judgment]] = {}
    for each in recorded(answers):
        if each.kind != "practice":
            trials.setdefault(each.participant, []).append(each)
    counted = {each.participant for each in answers.counted}
    rules: dict[str, dict[str, None]] = {}
    for gone in answers.gone:
        if gone.level in ("person", "session"):
            rules.setdefault(gone.participant, {}).setdefault(gone.rule)
    found = [
        _Participant(name, tuple(own), name in counted, tuple(rules.get(name, ())))
        for name, own in trials.items()
    ]
    return sorted(found, key=lambda each: (not each.counts, each.name))


def _table(found: Sequence[_Participant]) -> Table:
    every = [trial for each in found for trial in each.trials]
    kinds = levels(
        trial.condition for trial in every if trial.kind == "target" and trial.correct_form
    )
    shown = {trial.kind for trial in every}
    columns = [
        ("pseudonym", "code"),
        ("counts", "text"),
        ("sessions", "number"),
        ("trials", "number"),
        ("answered", "number"),
        *((f"right on {panel_name(kind)}, %", "number") for kind in kinds),
        *((name, "number") for kind, name in WRONG.items() if kind in shown),
        ("median time, ms", "number"),
        ("list", "short"),
        ("date", "short"),
    ]
    rows = [list(_row(each, kinds, shown)) for each in found]
    told = [n for n in range(len(columns)) if any(row[n].text != NONE for row in rows)]
    return Table(
        name="participants-table",
        title=f"Participants ({count(len(found))})",
        columns=tuple(heading(*columns[n]) for n in told),
        rows=tuple(tuple(row[n] for n in told) for row in rows),
        note="Answers that were not given are not wrong ones. Dates and times are UTC.",
    )


def _row(each: _Participant, kinds: Sequence[str], shown: set[str]) -> Iterator[Cell]:
    yield Cell(each.name, sort="code")
    yield _verdict(each)
    yield _number(len({trial.session for trial in each.trials}))
    yield _number(len(each.trials))
    yield _number(sum(map(answered, each.trials)))
    for kind in kinds:
        yield _right([trial for trial in each.of("target") if trial.condition == kind])
    for kind in WRONG:
        if kind in shown:
            yield _wrong(each.of(kind))
    times = [t.rt_ms for t in each.trials if answered(t) and t.rt_ms is not None]
    middle = median(times) if times else None
    yield Cell(count(middle), sort="number", value=middle)
    yield Cell(_lists(each.trials), sort="short")
    yield Cell(_days(each.trials), sort="short")


def _verdict(each: _Participant) -> Cell:
    why = ", ".join(RULES.get(rule, rule) for rule in each.rules)
    if each.counts:
        return Cell("yes", f"but a session: {why}" if why else "", sort="yes")
    return Cell("no", why or "no trial of theirs is left", sort="no")


def _right(trials: Sequence[Judgment]) -> Cell:
    known = [trial.correct for trial in trials if trial.correct is not None]
    if not known:
        return Cell(NONE, sort="number")
    share = sum(known) / len(known)
    return Cell(percent(share), f"of {count(len(known))}", sort="number", value=100 * share)


def _wrong(trials: Sequence[Judgment]) -> Cell:
    known = [trial.correct for trial in trials if trial.correct is not None]
    if not known:
        return Cell(NONE, sort="number")
    n = known.count(0)
    return Cell(count(n), f"of {count(len(known))}", sort="number", value=n)


def _lists(trials: Sequence[Judgment]) -> str:
    """Their names; of many how many there are."""
    lists = sorted({trial.list for trial in trials} - {""})
    if len(lists) > MOST_LISTS:
        return f"{count(len(lists))} lists"
    return ", ".join(lists) or NONE


def _days(trials: Sequence[Judgment]) -> str:
    days = sorted({trial.at[:10] for trial in trials} - {""})
    if not days:
        return NONE
    return days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"


def _number(n: int) -> Cell:
    return Cell(count(n), sort="number", value=n)
