"""Results of Ibex (its last version, 2021) and of PCIbex, which writes the same file with more.

    # 8. PennElementType.
    # 9. PennElementName.
    1760000120,…,Selector,choice

Lines are values without quotes, named by comments between them. The names change on the way: a
group of comments that starts at number k renames the columns from k on for the lines after it, and
those below k keep theirs. So a line means what the comments above it say, and no header holds for a
file. Nor does a place: what an experiment logs can stand before what the program writes. In values
a comma is `%2C` and control characters are `%00` to `%1F` and `%7F`; every other `%` is a percent
sign (ibex, `www/util.js`).

Of Ibex's own controllers these are read: `Question` (a choice; after a sentence, a rating),
`FlashSentence` and `DashedSentence` (a sentence to be rated), `Form` (a field may tell the person).
Words with their reading times are left out and counted. Items are found by the texts shown. An
answer `NULL` is none. A trial of PCIbex is several lines, one for every event that was logged.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

from ....data.errors import InputError
from ....data.items.item import Item
from .._sheet import is_number, text_in
from ..column_names import (
    KEYS,
    ColumnNames,
    column_uses,
    judgment_of,
    kept_fields,
    names_of,
    option_index,
    platform_of,
)
from ..imported import (
    Arrived,
    Imported,
    ImportOptions,
    about_strangers,
    assembled,
    without_readings,
)
from ..judgment import Judgment, Session, kind_named
from ..lookup import lookup_of

NAMED = re.compile(r"#\s*([0-9]{1,4})\.\s+(.*)")
ENCODED = re.compile(r"%(2C|7F|[01][0-9A-F])", re.IGNORECASE)
INTEGER = re.compile(r"[0-9]+")
FIRST = ("time", "md5", "controller", "order", "element", "label", "group")
ALIASES = {  # newer farm and older one
    "Results reception time": "time", "Time results were received": "time",
    "MD5 hash of participant's IP address": "md5", "Controller name": "controller",
    "Order number of item": "order", "Item number": "order", "Inner element number": "element",
    "Element number": "element", "Label": "label", "Type": "label", "Latin Square Group": "group",
    "Group": "group",
}  # fmt: skip
MOST_COLUMNS = 1_000
NULL = "NULL"
QUESTION, ANSWER = "Question (NULL if none)", "Answer"
CORRECT, ANSWER_TIME = "Whether or not answer was correct (NULL if N/A)", "Time taken to answer"
NUMBER, WORD = "Word number", "Word"
SENTENCE = "Sentence (or sentence MD5)"
FIELD_NAME, FIELD_VALUE = "Field name", "Field value"
DASHED, PENN_DASHED = "DashedSentence", "Controller-DashedSentence"
PENN = "PennController"
CHOICES = {("Selector", "Selection"), ("Key", "PressedKey"), ("Key", "Key"), ("Scale", "Choice")}
"""(PennElementType, Parameter) of what a person chose."""
SORT, ELEMENT, PARAMETER, VALUE, TIME = (  # columns of every line; others may stand before them
    *("PennElementType", "PennElementName", "Parameter", "Value", "EventTime"),
)
NEVER = ("Never", NULL, "")  # event times of what did not happen
NONE_CHOSEN = "No selection happened"


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line: the seven values that every line has, and all others by name."""

    location: str  # file:line
    time: str  # seconds since 1970, when the results came in
    md5: str  # of the participant's address
    controller: str
    order: str  # of the trial
    element: str
    label: str
    fields: Mapping[str, str]  # all others by the names that hold here, "" where the line ends
    # before; of several columns of one name the first

    @property
    def session(self) -> str:
        """One submission. Addresses can be shared, so the time goes with them."""
        return f"{self.md5}/{self.time}"

    def value(self, name: str) -> str:
        """The value in the column called `name`. Raises `InputError` if none is."""
        if name not in self.fields:
            available = ", ".join(map(repr, self.fields)) or "none besides those of every line"
            wrong = f"no column {name!r}; there are {available}"
            right = "the results file with all its comment lines, as Ibex gives it"
            raise InputError(self.location, wrong, right, kind="missing")
        return self.fields[name]


PeopleBySession: TypeAlias = Mapping[str, str]
"""Session → person."""


def read(paths: Sequence[Path], items: Sequence[Item], options: ImportOptions) -> Imported:
    """Read the judgments in results files.

    Raises `InputError` if no line is about a known item, for numbers that are none, and as `join`
    does. A person is who a form or a logged column says, else (address, time of sending).
    """
    names = names_of(options.table)
    lines = [record for path in paths for record in records(path)]
    people, platforms, facts = _people(lines, names, options)
    penn, n_changes = _penn_trials([e for e in lines if e.controller == PENN], people, names)
    claims = [*penn, *_questions(lines, people)]
    lookup = lookup_of(items)
    matched, strangers = [], dict[str, None]()
    for claim in claims:
        if claim.item or lookup.identified(claim).item in lookup.by_id:
            matched.append(claim)
        elif claim.chosen or claim.rating is not None:
            strangers[claim.prefix or claim.option_1] = None
    read_notes = without_readings(str(paths[0]), sum(map(_is_reading, lines)), len(matched))
    if lines and not matched:
        wrong = f"no line is about a known item ({', '.join(list(strangers)[:5]) or 'no answers'})"
        right = "the suite that was shown (--suite, --items), or --map item=COLUMN"
        raise InputError(str(paths[0]), wrong, right, kind="empty")
    positions = {line.location: position for position, line in enumerate(lines)}
    matched.sort(key=lambda claim: positions[claim.origin])
    ended = {line.session: _utc(line) for line in lines}
    times: dict[str, set[str]] = {}
    for line in lines:
        times.setdefault(line.md5, set()).add(line.time)
    notes = [*read_notes]
    if shared := sum(len(stamps) > 1 for stamps in times.values()):
        notes.append(
            f"{shared} addresses sent results more than once: the same person again, or several "
            "behind one address; each sending counts as a person unless an id was logged"
        )
    if n_changes:
        notes.append(f"{n_changes} answers were changed before the trial ended: the last counts")
    fields = dict.fromkeys(name for line in lines for name in line.fields)
    arrived = Arrived(
        n_files=len(paths),
        n_rows=len(lines),
        judgments=matched,
        sessions=[Session(people[s], s, ended_at=ended[s], facts=facts[s]) for s in ended],
        n_others=len(lines) - len(matched),
        in_order=True,
        platform="ibex",
        platforms=platforms,
        notes=(*notes, *about_strangers(strangers)),
        columns=column_uses(fields, {**names, "chosen": (VALUE, ANSWER), "rt_ms": (ANSWER_TIME,)}),
    )
    return assembled(arrived, items, options)


def records(path: Path) -> list[LogLine]:
    """All lines of data. Raises `InputError` where a line has values that no comment names."""
    names: list[str] = []
    standard: dict[str, int] = {}
    logged: dict[str, int] = {}
    parsed, was_data = [], False
    for number, line in enumerate(text_in(path).split("\n"), start=1):
        line, location = line.removesuffix("\r"), f"{path}:{number}"
        if not line.strip():
            continue
        if line.startswith("#"):
            comment = NAMED.fullmatch(line)
            if comment is None:
                continue
            start = int(comment[1])
            if was_data:  # a new group: names from there on are forgotten
                del names[start - 1 :]
            if not 1 <= start <= min(len(names) + 1, MOST_COLUMNS):
                wrong = f"column {start} is named where there are {len(names)} before it"
                right = f"the name of column {len(names) + 1}"
                raise InputError(location, wrong, right, kind="format")
            names[start - 1 : start] = [comment[2].rstrip().rstrip(".")]  # some end in two
            was_data = False
            continue
        if not was_data:
            standard, logged = {}, {}
            for index, name in enumerate(names):
                alias = ALIASES.get(name, "")
                if alias and alias not in standard:  # an experiment may log a "Group" of its own
                    standard[alias] = index
                else:
                    logged.setdefault(name, index)
        was_data = True
        values = [ENCODED.sub(lambda match: chr(int(match[1], 16)), v) for v in line.split(",")]
        column = standard.get("controller", len(values))
        if (  # some files until 2021 name the controller's column, and their lines lack it
            len(values) == len(names) - 1
            and standard.get("order") == column + 1
            and INTEGER.fullmatch(values[column])
        ):
            values.insert(column, "")
        if len(values) > len(names):
            wrong = f"{len(values)} values, and the comments above name {len(names)} columns"
            right = "the results file with all its comment lines, as Ibex gives it"
            raise InputError(location, wrong, right, kind="format")
        for name in FIRST:
            if standard.get(name, len(values)) >= len(values):
                wrong, right = f"a line without its {name}", "a results file as Ibex writes it"
                raise InputError(location, wrong, right, kind="format")
        fields = {name: values[i] if i < len(values) else "" for name, i in logged.items()}
        time, md5, controller, order, element, label = (values[standard[n]] for n in FIRST[:-1])
        parsed.append(LogLine(location, time, md5, controller, order, element, label, fields))
    return parsed


def _people(
    lines: Sequence[LogLine], names: ColumnNames, options: ImportOptions
) -> tuple[dict[str, str], dict[str, str], dict[str, dict[str, str]]]:
    """Session → person; person → platform, where it is told; session → what is to be kept."""
    people: dict[str, str] = {}
    platforms: dict[str, str] = {}
    facts: dict[str, dict[str, str]] = {}
    for line in lines:
        fields = line.fields
        if line.controller == "Form":
            fields = {line.value(FIELD_NAME): line.value(FIELD_VALUE)}
        facts[line.session] = kept_fields(fields, options.table.keep, facts.get(line.session))
        ids = (name for name in names["participant"] if fields.get(name, NULL) not in ("", NULL))
        if name := next(ids, ""):
            people[line.session] = fields[name]
            platforms[fields[name]] = platform_of(names, (name,)) or "local"
    for line in lines:
        people.setdefault(line.session, line.session)
    return people, platforms, facts


def _questions(lines: Sequence[LogLine], people: PeopleBySession) -> Iterator[Judgment]:
    """Answers to questions: choices after a prefix, or ratings of the sentence shown before
    (`AcceptabilityJudgment`, `DashedAcceptabilityJudgment`)."""
    flashed: dict[tuple[str, str, str], str] = {}
    for line in lines:
        trial = line.session, line.order, line.element
        is_whole = line.controller == DASHED and NUMBER not in line.fields  # words went by alone
        if line.controller == "FlashSentence" or is_whole:
            flashed[trial] = line.value(SENTENCE)
        if line.controller != "Question":
            continue
        question, answer = line.value(QUESTION), line.value(ANSWER)
        sentence = flashed.get(trial, "") if question == NULL else ""
        missing, correct, kind = answer == NULL, line.value(CORRECT), kind_named(line.label)
        if sentence and not missing:
            _demand_rating(line, answer)
        if correct not in ("1", "0", NULL, ""):
            raise InputError(
                line.location, f"correct is {correct!r}", "1, 0 or NULL", kind="format"
            )
        cells = {
            "participant": people[line.session],
            "session": line.session,
            "trial_id": "/".join(trial),
            "condition": "" if kind else line.label,
            "kind": kind,
            "prefix": "" if question == NULL else question,
            "option_1": sentence,
            "at": _utc(line),
        }
        if not missing:
            cells["rating" if sentence else "chosen"] = answer
            cells["correct"] = "" if correct == NULL else correct
            cells["rt_ms"] = _time(line, ANSWER_TIME)
        yield judgment_of(cells, line.location)


def _is_reading(line: LogLine) -> bool:
    """Whether the line is a word of self-paced reading, which has a number."""
    if line.controller == PENN and line.value(SORT) == PENN_DASHED:
        return line.value(PARAMETER).isdecimal()
    return line.controller == DASHED and NUMBER in line.fields


def _penn_trials(
    lines: Sequence[LogLine], people: PeopleBySession, names: ColumnNames
) -> tuple[list[Judgment], int]:
    """One judgment for each trial of PCIbex that names an item or has a choice; and how many
    choices a later one of the same trial replaced.

    Of several choices the last counts. A trial with no choice, or with one that never happened, is
    a missing answer. The time is that of the choice since its element was printed, or else since
    the trial began.
    """
    trials: dict[tuple[str, str], list[LogLine]] = {}
    for line in lines:
        trials.setdefault((line.session, line.order), []).append(line)
    judgments, n_changes = [], 0
    for rows in trials.values():
        choices = [row for row in rows if (row.value(SORT), row.value(PARAMETER)) in CHOICES]
        logged = _logged(rows, names)
        words = any(row.value(SORT) == PENN_DASHED for row in rows)
        if not choices and (words or not logged["item"]):
            continue
        made_choices = [
            row
            for row in choices
            if row.value(TIME) not in NEVER
            or (row.value(VALUE) != "NA" and NONE_CHOSEN not in row.fields.get("Comments", ""))
        ]
        n_changes += max(0, len(made_choices) - 1)
        final = (choices or rows)[-1]
        options = logged["option_1"] or logged["sentence"], logged["option_2"]
        if not any(options) and choices and final.value(SORT) == "Selector":
            # a selector notes its two names in its comments, in the order shown
            noted = final.fields.get("Comments", "").split(";")
            labels = [name for name in noted if name != NONE_CHOSEN]
            options = (labels[0], labels[1]) if len(labels) == 2 else options
        cells = {
            **logged,
            "correct": "",
            "participant": people[final.session],
            "session": final.session,
            "trial_id": logged["trial_id"] or f"{final.session}/{final.order}",
            "kind": kind_named(logged["kind"] or final.label),
            "option_1": options[0],
            "option_2": options[1],
            "at": _answer_time([final, *reversed(rows)]),
        }
        if made_choices:
            cells |= _answer(made_choices[-1], options, rows, logged)
        judgments.append(judgment_of(cells, final.location))
    return judgments, n_changes


def _logged(rows: Sequence[LogLine], names: ColumnNames) -> dict[str, str]:
    """What the experiment logged of a trial, under our names; "" for what it did not."""
    fields: dict[str, str] = {}
    for row in rows:
        fields.update((k, v) for k, v in row.fields.items() if v not in ("", NULL))
    return {
        field: next((fields[name] for name in usual if name in fields), "")
        for field, usual in names.items()
    }


def _answer(
    choice: LogLine, options: tuple[str, str], rows: Sequence[LogLine], logged: Mapping[str, str]
) -> dict[str, str]:
    """What was chosen, or the rating, and how long it took."""
    value, element = choice.value(VALUE), choice.value(ELEMENT)
    prints = [r for r in rows if r.value(PARAMETER) == "Print" and r.value(ELEMENT) == element]
    starts = [r for r in rows if r.value(PARAMETER) == "_Trial_" and r.value(VALUE) == "Start"]
    since = [row for row in (prints or starts)[:1] if row.value(TIME) not in NEVER]
    is_timed = since and choice.value(TIME) not in NEVER
    timing = {"rt_ms": str(_event_ms(choice) - _event_ms(since[0])) if is_timed else ""}
    if choice.value(SORT) == "Scale" and not options[1]:
        _demand_rating(choice, value)
        return {**timing, "rating": value}
    if not any(options):
        return {**timing, "chosen": value}
    keys = {logged[name].lower(): i for i, name in enumerate(("key_1", "key_2")) if logged[name]}
    index = option_index(value, options, (keys or KEYS) if all(options) else {})
    if index is None:
        wrong = f"{value!r} was chosen among {options[0]!r} and {options[1]!r}"
        right = "one of these, or log key_1 and key_2 with the names or keys that stand for them"
        raise InputError(choice.location, wrong, right, kind="format")
    return {**timing, "chosen_index": str(index)}


def _demand_rating(line: LogLine, answer: str) -> None:
    if not is_number(answer):
        right = "a number on the scale"
        raise InputError(line.location, f"the rating is {answer!r}", right, kind="format")


def _time(line: LogLine, name: str) -> str:
    """A time in milliseconds; "" for `NULL`."""
    text = line.value(name)
    if text in ("", NULL):
        return ""
    if not is_number(text) or not 0 <= float(text) < float("inf"):
        raise InputError(
            line.location, f"{name} is {text!r}", "milliseconds, or NULL", kind="format"
        )
    return text


def _event_ms(line: LogLine) -> float:
    text = line.value(TIME)
    if not is_number(text) or not abs(float(text)) < 1e14:
        right = "milliseconds since 1970, or Never"
        raise InputError(line.location, f"{TIME} is {text!r}", right, kind="format")
    return float(text)


def _answer_time(lines: Sequence[LogLine]) -> str:
    timed = [line for line in lines if line.value(TIME) not in NEVER]
    if not timed:
        return ""
    moment = datetime.fromtimestamp(_event_ms(timed[0]) / 1000, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def _utc(line: LogLine) -> str:
    """When the results came in, as UTC; "" for `NULL`."""
    if line.time in ("", NULL):
        return ""
    if INTEGER.fullmatch(line.time) is None or len(line.time) > 11:
        wrong, right = f"the time is {line.time!r}", "seconds since 1970"
        raise InputError(line.location, wrong, right, kind="format")
    return datetime.fromtimestamp(int(line.time), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
