"""Section: whose answers do not count, by which rule, and what the numbers were with them."""

from collections.abc import Iterator, Sequence

from colorless_green.humans.exclusion import Excluded
from colorless_green.humans.judgment import Tally
from colorless_green.humans.measures.accuracies import of_people
from colorless_green.humans.measures.measure import Evidence, Measure
from colorless_green.humans.page.marginals import panel_name
from colorless_green.humans.page.material import Material
from colorless_green.humans.page.numbers import NONE, count, limits, percent
from colorless_green.humans.page.parts import Cell, Section, Table, heading
from colorless_green.humans.page.raters import Rater
from colorless_green.humans.page.stated import files_of, speaking, stated_with
from colorless_green.humans.stored import ImportedSet

RULES = {  # in words, for a reader
    "duplicate": "a trial that was sent twice (the first is kept)",
    "practice": "practice",
    "status": "status on the platform",
    "test_run": "made by the researchers themselves",
    "first_session_only": "a later session of somebody who had taken part",
    "min_answered_fraction": "answered too few of the trials",
    "max_filler_errors": "wrong on too many fillers",
    "max_failed_checks": "failed attention checks",
    "max_question_errors": "wrong on too many questions",
    "min_median_rt_ms": "too fast on the whole (median, ms)",
    "max_blurs": "left the page too often",
    "min_rt_ms": "answer too fast, ms",
    "max_rt_ms": "answer too slow, ms",
    "min_judgments": "item with too few answers",
}
WHOLE = ("person", "session")  # levels at which people go, or a session of theirs
COUNTED = ("accuracy over items", "accuracy pooled")


def section(material: Material, raters: Sequence[Rater]) -> Section | None:
    """None where only totals are known, or nobody was asked."""
    people = material.people
    if not people.answers.counted and not people.answers.left_out:
        return None
    gone, undefined = people.answers.gone, people.answers.undefined
    tables = [_rules(gone, people.answers.imports)] if gone else []
    if undefined:
        tables.append(_undefined(undefined))
    if any(each.rule not in ("practice", "duplicate") for each in gone):
        if any(each.level != "trial" for each in gone):
            tables.append(_who(gone))
        if any(each.total for each in material.people.everybody):
            tables.append(_both(material))
    return Section(
        name="exclusions",
        title="Whose answers do not count",
        text=tuple(_text(material)),
        tables=tuple(tables),
    )


def _text(material: Material) -> Iterator[str]:
    answers = material.people.answers
    if not any(each.rule not in ("practice", "duplicate") for each in answers.gone):
        yield "No rule left out anybody's answers."
    else:
        yield (
            "Rules were given with the import; unless they say otherwise, sessions that the"
            " platform refused and the researchers' own runs go, too. They were applied in one"
            " order: whom one removes, the next does not ask. What they left out is kept apart, so"
            " that the numbers with everybody stand beside those of the page."
        )
    later = [each for each in speaking(answers.imports) if each.is_post_hoc]
    if later:
        yield (
            f"The rules of {files_of(later)} are not those of the first import of single answers:"
            " these exclusions are post hoc, and should be reported as such."
        )


def _rules(gone: Sequence[Excluded], imports: Sequence[ImportedSet]) -> Table:
    """A line for each rule, threshold and level; below the threshold the files whose import had it,
    where not all had the same rules."""
    found: dict[tuple[str, str, str], list[Excluded]] = {}
    for each in gone:
        found.setdefault((each.rule, each.threshold, each.level), []).append(each)
    with_sessions = any(each.level == "session" for each in gone)
    return Table(
        name="exclusion-rules",
        title="Rules that left something out",
        columns=(
            heading("rule"),
            heading("threshold"),
            heading("people", "number"),
            *([heading("sessions", "number")] if with_sessions else []),
            heading("trials", "number"),
        ),
        rows=tuple(
            (
                Cell(_rule(rule), rule),
                Cell(threshold or NONE, stated_with(imports, own[0])),
                _count(len({each.participant for each in own}) if level in WHOLE else None),
                *([_count(len(own) if level == "session" else None)] if with_sessions else []),
                _count(sum(each.n_trials for each in own)),
            )
            for (rule, threshold, level), own in found.items()
        ),
    )


def _undefined(undefined: Sequence[Excluded]) -> Table:
    rules: dict[str, set[str]] = {}
    for each in undefined:
        rules.setdefault(each.rule, set()).add(each.participant)
    return Table(
        name="exclusion-undefined",
        title="Rules with nothing to measure",
        columns=(heading("rule"), heading("people, who stay in", "number")),
        rows=tuple((Cell(_rule(rule), rule), _count(len(own))) for rule, own in rules.items()),
    )


def _who(gone: Sequence[Excluded]) -> Table:
    return Table(
        name="exclusion-people",
        title="People, sessions and items left out",
        columns=(
            heading("who or what", "code"),
            heading("rule"),
            heading("measured"),
            heading("threshold"),
            heading("trials", "number"),
        ),
        rows=tuple(
            (
                Cell(each.item or each.participant, each.session, sort="code"),
                Cell(_rule(each.rule), each.rule),
                Cell(each.value or NONE),
                Cell(each.threshold or NONE),
                _count(each.n_trials),
            )
            for each in gone
            if each.level != "trial"
        ),
        note="People stand under pseudonyms, which tell nothing to whoever lacks the study's key.",
    )


def _both(material: Material) -> Table:
    """The main numbers as they stand on the page and as they would be with everybody."""
    kept, every = (
        {(each.statistic, each.kind): each for each in _accuracies(material, tallies)}
        for tallies in (material.tallies, material.people.everybody)
    )
    return Table(
        name="exclusion-effect",
        title="With and without exclusions",
        columns=(
            heading("people's accuracy, %"),
            heading("sentences"),
            heading("without those left out", "number"),
            heading("with everybody", "number"),
        ),
        rows=tuple(
            (
                Cell(statistic.removeprefix("accuracy ")),
                Cell(panel_name(kind), sort="short"),
                _accuracy(kept.get((statistic, kind))),
                _accuracy(every[statistic, kind]),
            )
            for statistic, kind in every
        ),
        note="Practice and trials that were sent twice are in neither.",
    )


def _accuracies(material: Material, tallies: Sequence[Tally]) -> Iterator[Measure]:
    evidence = Evidence("", material.items, tuple(tallies), (), {})
    return (each for each in of_people(evidence) if each.statistic in COUNTED)


def _accuracy(found: Measure | None) -> Cell:
    if found is None or found.value is None:
        return Cell(NONE, sort="number")
    below = f"{limits(found.low, found.high)}, n {count(found.n)}"
    return Cell(percent(found.value), below, sort="number", value=100 * found.value)


def _rule(name: str) -> str:
    fact = name.removeprefix("required.")
    return RULES.get(name, f"answer on “{fact}”" if fact != name else name)


def _count(n: int | None) -> Cell:
    return Cell(count(n), sort="number", value=n)
