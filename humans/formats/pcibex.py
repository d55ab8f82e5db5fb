"""Trials of PCIbex: several lines each, one for every event that was logged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from colorless_green.data.errors import InputError
from colorless_green.humans.formats.answers import KEYS
from colorless_green.humans.formats.blocks import Record
from colorless_green.humans.formats.names import Names
from colorless_green.humans.formats.sheet import is_number
from colorless_green.humans.judgment import Judgment, Reading, kind_named
from colorless_green.humans.lookup import normal

PENN = "PennController"
CHOICES = {("Selector", "Selection"), ("Key", "PressedKey"), ("Key", "Key"), ("Scale", "Choice")}
"""(PennElementType, Parameter) of what a person chose."""
SORT, ELEMENT, PARAMETER, VALUE, TIME = (  # columns of every line; others may stand before them
    *("PennElementType", "PennElementName", "Parameter", "Value", "EventTime"),
)
COMMENTS = "Comments"
DASHED = "Controller-DashedSentence"
READING_TIME, SENTENCE = "Reading time", "Sentence (or sentence MD5)"  # more columns of its lines
NEVER = ("Never", "NULL", "")  # event times of what did not happen
NONE_CHOSEN = "No selection happened"


@dataclass(frozen=True, slots=True)
class Penn:
    """What PCIbex's own trials hold."""

    judgments: tuple[Judgment, ...]
    readings: tuple[Reading, ...]
    n_changes: int  # choices that a later one of the same trial replaced


def penn_trials(lines: Sequence[Record], people: Mapping[str, str], names: Names) -> Penn:
    """One judgment for each trial that names an item or has a choice; one reading for each word.

    Of several choices the last counts. A trial with no choice, or with one that never happened, is
    a missing answer. The time is that of the choice since its element was printed, or else since
    the trial began.
    """
    trials: dict[tuple[str, str], list[Record]] = {}
    for line in lines:
        trials.setdefault((line.session, line.order), []).append(line)
    judgments, readings, n_changes = [], [], 0
    for rows in trials.values():
        words = [row for row in rows if row.value(SORT) == DASHED]
        readings += [_reading(row, people, names) for row in words if _is_word(row)]
        choices = [row for row in rows if (row.value(SORT), row.value(PARAMETER)) in CHOICES]
        logged = _logged(rows, names)
        if not logged["item"] and not choices:
            continue
        if words and not choices:
            continue
        made = [row for row in choices if not _never(row)]
        n_changes += max(0, len(made) - 1)
        judgments.append(_judgment(rows, choices, made, logged, people))
    return Penn(tuple(judgments), tuple(readings), n_changes)


def _logged(rows: Sequence[Record], names: Names) -> dict[str, str]:
    """What the experiment logged of a trial, under our names; "" for what it did not."""
    fields: dict[str, str] = {}
    for row in rows:
        fields.update((k, v) for k, v in row.fields.items() if v not in ("", "NULL"))
    return {
        ours: next((fields[name] for name in usual if name in fields), "")
        for ours, usual in names.items()
    }


def _never(row: Record) -> bool:
    return row.value(TIME) in NEVER and (row.value(VALUE) == "NA" or NONE_CHOSEN in _comments(row))


def _comments(row: Record) -> str:
    return row.fields.get(COMMENTS, "")


def _judgment(
    rows: Sequence[Record],
    choices: Sequence[Record],
    made: Sequence[Record],
    logged: Mapping[str, str],
    people: Mapping[str, str],
) -> Judgment:
    first = (choices or rows)[-1]
    kind = kind_named(logged["kind"] or first.label)
    claim = Judgment(
        participant=people[first.session],
        session=first.session,
        trial_id=logged["trial_id"] or f"{first.session}/{first.order}",
        item=logged["item"],
        condition=logged["condition"],
        kind=kind or "target",
        list=logged["list"],
        prefix=logged["prefix"],
        option_1=logged["option_1"] or logged["sentence"],
        option_2=logged["option_2"],
        correct_form=logged["correct_form"],
        at=_at(first, rows),
        origin=first.place,
    )
    shown = _shown(choices)
    if shown and not claim.option_1 and not claim.option_2:
        claim = replace(claim, option_1=shown[0], option_2=shown[1])
    return _answered(claim, made[-1], rows, logged) if made else claim


def _shown(choices: Sequence[Record]) -> list[str]:
    """The two names that a selector notes in its comments, in the order shown; else none."""
    if not choices or choices[-1].value(SORT) != "Selector":
        return []
    names = [name for name in _comments(choices[-1]).split(";") if name != NONE_CHOSEN]
    return names if len(names) == 2 else []


def _answered(
    claim: Judgment, choice: Record, rows: Sequence[Record], logged: Mapping[str, str]
) -> Judgment:
    value = choice.value(VALUE)
    timed = replace(claim, rt_ms=_since_shown(choice, rows))
    if choice.value(SORT) == "Scale" and not claim.option_2:
        if not is_number(value):
            raise InputError(choice.place, f"the rating is {value!r}", "a number", kind="format")
        return replace(timed, rating=float(value))
    options = [claim.option_1, claim.option_2]
    shown = [normal(option) for option in options]
    keys = [logged["key_1"].lower(), logged["key_2"].lower()]
    known = {key: place for place, key in enumerate(keys) if key} or KEYS
    if shown.count(normal(value)) == 1:
        index = shown.index(normal(value))
    elif all(options) and value.lower() in known:
        index = known[value.lower()]
    elif not any(options):
        return replace(timed, chosen=value)
    else:
        raise InputError(
            choice.place,
            f"{value!r} was chosen among {options[0]!r} and {options[1]!r}",
            "one of these, or log key_1 and key_2 with the names or keys that stand for them",
            kind="format",
        )
    return replace(timed, chosen=options[index], chosen_index=index)


def _since_shown(choice: Record, rows: Sequence[Record]) -> float | None:
    """Milliseconds from the element's Print, or the trial's Start, to the choice."""
    prints = [
        row
        for row in rows
        if row.value(PARAMETER) == "Print" and row.value(ELEMENT) == choice.value(ELEMENT)
    ]
    starts = [
        row for row in rows if row.value(PARAMETER) == "_Trial_" and row.value(VALUE) == "Start"
    ]
    before = (prints or starts)[:1]
    if not before or before[0].value(TIME) in NEVER or choice.value(TIME) in NEVER:
        return None
    return _event_ms(choice) - _event_ms(before[0])


def _event_ms(row: Record) -> float:
    text = row.value(TIME)
    if not is_number(text) or not abs(float(text)) < 1e14:
        raise InputError(
            row.place, f"EventTime is {text!r}", "milliseconds since 1970, or Never", kind="format"
        )
    return float(text)


def _at(first: Record, rows: Sequence[Record]) -> str:
    timed = [row for row in (first, *reversed(rows)) if row.value(TIME) not in NEVER]
    if not timed:
        return ""
    moment = datetime.fromtimestamp(_event_ms(timed[0]) / 1000, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def _is_word(row: Record) -> bool:
    """Lines of the controller's own events have a name where words have their number."""
    return row.value(PARAMETER).isdecimal() and row.value(PARAMETER).isascii()


def _reading(row: Record, people: Mapping[str, str], names: Names) -> Reading:
    logged = _logged([row], names)
    kind = kind_named(row.label)
    time = row.value(READING_TIME)
    if not is_number(time):
        raise InputError(row.place, f"the reading time is {time!r}", "milliseconds", kind="format")
    return Reading(
        participant=people[row.session],
        session=row.session,
        trial_id=f"{row.session}/{row.order}",
        item=logged["item"],
        shown="",
        source="",
        construction="",
        condition=logged["condition"] or ("" if kind else row.label),
        kind=kind or "target",
        sentence=row.value(SENTENCE),
        word_index=int(row.value(PARAMETER)[:9]) - 1,
        word=row.value(VALUE),
        rt_ms=float(time),
        at=_at(row, [row]),
        origin=row.place,
    )
