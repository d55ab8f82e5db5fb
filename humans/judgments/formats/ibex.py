"""Results of Ibex (its last version, 2021) and of PCIbex, which uses the same format.

    # 8. PennElementType.
    # 9. PennElementName.
    1760000120,…,Selector,choice

A line has values separated by commas. Comments before it give the names of its columns. A later
group of comments that starts at number k renames the columns from k on for the lines after it;
columns below k keep their names. So there is no header for the whole file, and a column may have
any place. In values, `%2C` is a comma, and `%00` to `%1F` and `%7F` are control characters; any
other `%` is a percent sign (ibex, `www/util.js`).

These controllers of Ibex are read: `Question` (a choice, or a rating of the sentence before it),
`FlashSentence` and `DashedSentence` (a sentence to rate), and `Form` (a field may have the
participant's id). Words with their reading times are other rows. Items are found by the texts
shown. `NULL` means no answer. A trial of PCIbex has several lines, one for each logged event.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ....data.errors import InputError
from ....data.items.item import Item
from ....data.records import malformed
from ..claims import OTHER_ROW, claim_frame, facts_among, is_known
from ..imported import Arrived, ImportOptions
from ..judgment import kind_named, utc
from ..lookup import lookup_of, option_index
from ..sheet import (
    LEFT_AND_RIGHT,
    ColumnNames,
    column_uses,
    integer,
    logged_names,
    number,
    our_cells,
    platform_of,
    text_in,
)

COLUMN_COMMENT = re.compile(r"#\s*([0-9]{1,4})\.\s+(.*)")  # number and name of a column
ENCODED = re.compile(r"%(2C|7F|[01][0-9A-F])", re.IGNORECASE)
INTEGER = re.compile(r"[0-9]{1,11}")
ALIASES = {  # names of the columns in every line, in newer and older files → our names
    "Results reception time": "#time", "Time results were received": "#time",
    "MD5 hash of participant's IP address": "#md5", "Controller name": "#controller",
    "Order number of item": "#order", "Item number": "#order",
    "Inner element number": "#element", "Element number": "#element", "Label": "#label",
    "Type": "#label", "Latin Square Group": "#group", "Group": "#group",
}  # fmt: skip
IN_EVERY_LINE = ("#time", "#md5", "#controller", "#order", "#element", "#label", "#group")
MAX_COLUMNS = 1_000
NULL = "NULL"
QUESTION, ANSWER = "Question (NULL if none)", "Answer"
CORRECT, ANSWER_TIME = "Whether or not answer was correct (NULL if N/A)", "Time taken to answer"
WORD_NUMBER = "Word number"
SENTENCE = "Sentence (or sentence MD5)"
FIELD_NAME, FIELD_VALUE = "Field name", "Field value"
DASHED, PENN_DASHED = "DashedSentence", "Controller-DashedSentence"
PENN = "PennController"
CHOICE_EVENTS = {
    ("Selector", "Selection"),
    ("Key", "PressedKey"),
    ("Key", "Key"),
    ("Scale", "Choice"),
}
"""(PennElementType, Parameter) of lines that log a choice."""
ELEMENT_TYPE, ELEMENT_NAME, PARAMETER, VALUE, TIME = (  # columns of every line of PCIbex
    *("PennElementType", "PennElementName", "Parameter", "Value", "EventTime"),
)
NO_TIMES = ("Never", NULL, "")  # event times of events that did not happen
NONE_CHOSEN = "No selection happened"


class LogLine(dict[str, str]):
    """A line of results: name of a column → value; "" for columns after the end of the line.

    The columns that every line has are under the names in `IN_EVERY_LINE`, which begin with #, so
    that an experiment cannot use them.
    """

    location: str  # file:line
    session: str  # address/time of a submission; people can share an address

    def __missing__(self, name: str) -> str:
        """Raise `InputError` for a column that the line does not have."""
        available = ", ".join(repr(column) for column in self if column not in IN_EVERY_LINE)
        wrong = f"no column {name!r}; there are {available or 'none besides those of every line'}"
        right = "the results file with all its comment lines, as Ibex gives it"
        raise InputError(self.location, wrong, right, kind="missing")

    def value(self, name: str) -> str:
        """Return the value of a column; "" for `NULL`."""
        return "" if self[name] == NULL else self[name]

    def event_ms(self) -> float | None:
        """Return the time of the event in milliseconds; None for an event that did not happen.

        Raises `InputError` for a value that is not a time.
        """
        if self[TIME] in NO_TIMES:
            return None
        return number(self[TIME], TIME, self.location)

    def received(self) -> str:
        """Return the time at which the results were sent, in UTC; "" for `NULL`."""
        seconds = integer(self.value("#time"), "the time", self.location)
        return "" if seconds is None else utc(seconds, self.location)

    @property
    def person(self) -> Mapping[str, str]:
        """The values that may identify or describe the person: the field of a form, or all."""
        return {self[FIELD_NAME]: self[FIELD_VALUE]} if self["#controller"] == "Form" else self


def read(paths: Sequence[Path], items: Sequence[Item], options: ImportOptions) -> Arrived:
    """Read results files into claims (answers as the files state them, not yet checked).

    A participant is named by a form or a logged column; otherwise each submission (address and
    time) counts as a person. Raises `InputError` for invalid numbers, and for a choice that is
    neither option.
    """
    names, lookup = logged_names(options.table), lookup_of(items)
    lines = [line for path in paths for line in lines_in(path)]
    people = _people_of(lines, names)
    # (session, number of the trial) → the events of a trial of PCIbex
    trials: dict[tuple[str, str], list[LogLine]] = {}
    for line in lines:
        if line["#controller"] == PENN:
            trials.setdefault((line.session, line["#order"]), []).append(line)
    answers = [answer for events in trials.values() for answer in _penn_answer(events, names)]
    cells_at = dict[str, dict[str, str]]()  # location → cells of the answer
    for line, cells in (*answers, *_question_answers(lines)):
        is_ours = bool(cells.get("item")) or is_known(cells, line.location, lookup)
        cells_at[line.location] = cells if is_ours else {**cells, "other": OTHER_ROW}
    ended = {line.session: line.received() for line in lines}
    claims = []
    for line in lines:
        cells = cells_at.get(line.location, {"other": OTHER_ROW})
        person = people.get(line.session, {"participant": line.session})
        facts = facts_among(line.person, options.table.keep)
        visit = {"session": line.session, "ended_at": ended[line.session]}
        claims.append((line.location, {**cells, **person, **facts, **visit}))
    fields = dict.fromkeys(name for line in lines for name in line if name not in IN_EVERY_LINE)
    return Arrived(
        paths,
        claim_frame(claims),
        lookup=lookup,
        in_order=True,
        platform="ibex",
        notes=[*_notes(ended, trials.values())],
        columns=column_uses(fields, {**names, "chosen": (VALUE, ANSWER), "rt_ms": (ANSWER_TIME,)}),
    )


def _notes(sessions: Iterable[str], trials: Iterable[Sequence[LogLine]]) -> Iterator[str]:
    """Yield a note on addresses that sent results more than once, and one on changed answers, if
    there are any. `trials` are those of PCIbex, each with its events."""
    n_sessions_of = Counter(session.rpartition("/")[0] for session in sessions)  # by address
    n_shared = sum(n > 1 for n in n_sessions_of.values())
    if n_shared:
        yield (
            f"{n_shared} addresses sent results more than once: the same person again, or several "
            "behind one address; each sending counts as a person unless an id was logged"
        )
    n_changes = sum(max(0, len(_choices_made(events)) - 1) for events in trials)
    if n_changes:
        yield f"{n_changes} answers were changed before the trial ended: the last counts"


def lines_in(path: Path) -> Iterator[LogLine]:
    """Yield all lines of results in a file, with the column names that hold there.

    Raises `InputError` for a line with values that no comment names.
    """
    names: list[str] = []  # of the columns, which the comments number from 1
    columns: dict[str, int] = {}
    was_data = False  # True if the line before had values
    for n, line in enumerate(text_in(path).split("\n"), start=1):
        line, location = line.removesuffix("\r"), f"{path}:{n}"
        if line.startswith("#"):
            if comment := COLUMN_COMMENT.fullmatch(line):
                start = int(comment[1])
                if was_data:  # a new group of comments replaces the names from here on
                    del names[start - 1 :]
                if not 1 <= start <= min(len(names) + 1, MAX_COLUMNS):
                    wrong = f"column {start} is named where there are {len(names)} before it"
                    right = f"the name of column {len(names) + 1}"
                    raise malformed(location, wrong, right)
                names[start - 1 : start] = [comment[2].rstrip().rstrip(".")]
                was_data = False
        elif line.strip():
            if not was_data:
                columns = _index_columns(names)
            was_data = True
            yield _parse_line(line, columns, len(names), location)


def _index_columns(names: Sequence[str]) -> dict[str, int]:
    """Return column → index of its values, for the names in comments; those that every line has
    get the names in `IN_EVERY_LINE`."""
    columns: dict[str, int] = {}
    for index, name in enumerate(names):
        # only the first "Group" is Ibex's; the experiment may log another
        alias = ALIASES.get(name, "")
        columns.setdefault(alias if alias and alias not in columns else name, index)
    return columns


def _parse_line(line: str, columns: Mapping[str, int], n_names: int, location: str) -> LogLine:
    """Split a line of results into its values; `columns` is column name → index of the value."""
    values = [ENCODED.sub(lambda match: chr(int(match[1], 16)), v) for v in line.split(",")]
    of_controller = columns.get("#controller", len(values))
    if (  # lines of some files until 2021 lack the controller, which the comments name
        len(values) == n_names - 1
        and columns.get("#order") == of_controller + 1
        and INTEGER.fullmatch(values[of_controller])  # this is the order number
    ):
        values.insert(of_controller, "")
    right = "the results file with all its comment lines, as Ibex gives it"
    if len(values) > n_names:
        wrong = f"{len(values)} values, and the comments above name {n_names} columns"
        raise malformed(location, wrong, right)
    for name in IN_EVERY_LINE:
        if columns.get(name, len(values)) >= len(values):
            raise malformed(location, f"a line without its {name.removeprefix('#')}", right)
    record = LogLine((name, values[i] if i < len(values) else "") for name, i in columns.items())
    record.location, record.session = location, f"{record['#md5']}/{record['#time']}"
    return record


def _people_of(lines: Sequence[LogLine], names: ColumnNames) -> dict[str, dict[str, str]]:
    """Return session → cells `participant` and `platform`, for sessions that log an id."""
    people: dict[str, dict[str, str]] = {}
    for line in lines:
        fields = line.person
        ids = (name for name in names["participant"] if fields.get(name, NULL) not in ("", NULL))
        if name := next(ids, ""):
            platform = platform_of(names, (name,)) or "local"
            people[line.session] = {"participant": fields[name], "platform": platform}
    return people


def _question_answers(lines: Sequence[LogLine]) -> Iterator[tuple[LogLine, dict[str, str]]]:
    """Yield (line, cells) for each answer to a `Question` of Ibex; cells: our column → text.

    It is a choice after a prefix, or a rating of the sentence shown before it in the same trial
    (`AcceptabilityJudgment`, `DashedAcceptabilityJudgment`).
    """
    sentences: dict[tuple[str, str, str], str] = {}  # trial → the sentence shown
    for line in lines:
        trial = line.session, line["#order"], line["#element"]
        is_whole = line["#controller"] == DASHED and WORD_NUMBER not in line  # not a single word
        if line["#controller"] == "FlashSentence" or is_whole:
            sentences[trial] = line[SENTENCE]
        if line["#controller"] != "Question":
            continue
        prefix, answer, kind = line.value(QUESTION), line.value(ANSWER), kind_named(line["#label"])
        sentence = "" if prefix else sentences.get(trial, "")
        cells = {
            "trial_id": "/".join(trial),
            "condition": "" if kind else line["#label"],
            "kind": kind,
            "prefix": prefix,
            "option_1": sentence,
            "at": line.received(),
        }
        if answer:
            cells["rating" if sentence else "chosen"] = answer
            cells["correct"], cells["rt_ms"] = line.value(CORRECT), line.value(ANSWER_TIME)
        yield line, cells


def _choices_made(events: Iterable[LogLine]) -> list[LogLine]:
    """Return the choices among the events of a trial, without those that never happened."""
    return [
        event
        for event in events
        if (event[ELEMENT_TYPE], event[PARAMETER]) in CHOICE_EVENTS
        and (
            event[TIME] not in NO_TIMES
            or (event[VALUE] != "NA" and NONE_CHOSEN not in event.get("Comments", ""))
        )
    ]


def _penn_answer(
    events: Sequence[LogLine], names: ColumnNames
) -> Iterator[tuple[LogLine, dict[str, str]]]:
    """Yield (line, cells) for the answer in a trial of PCIbex, given the lines of its events.

    A trial that has no choice and names no item yields nothing. The last of several choices counts;
    a trial without a choice that happened is a missing answer. The response time runs from when the
    element of the choice was printed, or else from the start of the trial.
    """
    choices = [
        event for event in events if (event[ELEMENT_TYPE], event[PARAMETER]) in CHOICE_EVENTS
    ]
    fields = {
        name: value
        for event in events
        for name, value in event.items()
        if name not in IN_EVERY_LINE and value not in ("", NULL)
    }
    cells = our_cells(fields, names)
    is_reading = any(event[ELEMENT_TYPE] == PENN_DASHED for event in events)
    if not choices and (is_reading or not cells["item"]):
        return
    final = (choices or events)[-1]  # the last choice; without any, the end of the trial
    options = cells["option_1"] or cells["sentence"], cells["option_2"]
    if not any(options) and choices and final[ELEMENT_TYPE] == "Selector":
        # the comments of a selector name its options, in the order shown
        noted = [name for name in final.get("Comments", "").split(";") if name != NONE_CHOSEN]
        if len(noted) == 2:
            first, second = noted
            options = first, second
    # the time of the answer, or else of the last event that has a time
    timed = next((e for e in (final, *reversed(events)) if e[TIME] not in NO_TIMES), None)
    cells |= {
        "correct": "",
        "trial_id": cells["trial_id"] or f"{final.session}/{final['#order']}",
        "kind": kind_named(cells["kind"] or final["#label"]),
        "option_1": options[0],
        "option_2": options[1],
        "at": utc((timed.event_ms() or 0) / 1000, timed.location) if timed is not None else "",
    }
    if made := _choices_made(events):
        cells |= _choice_cells(made[-1], options, events, cells)
    yield final, cells


def _choice_cells(
    choice: LogLine, options: tuple[str, str], events: Sequence[LogLine], cells: Mapping[str, str]
) -> dict[str, str]:
    """Return the cells about a choice: the option or rating chosen, and the response time in ms.

    Raises `InputError` for a value that stands for neither option.
    """
    value, element = choice[VALUE], choice[ELEMENT_NAME]
    prints = [e for e in events if e[PARAMETER] == "Print" and e[ELEMENT_NAME] == element]
    starts = [e for e in events if e[PARAMETER] == "_Trial_" and e[VALUE] == "Start"]
    begun = next((event.event_ms() for event in prints or starts), None)
    ended = choice.event_ms()
    timing = {"rt_ms": "" if begun is None or ended is None else str(ended - begun)}
    if choice[ELEMENT_TYPE] == "Scale" and not options[1]:  # a rating of one sentence
        return {**timing, "rating": value}
    if not any(options):
        return {**timing, "chosen": value}
    # key → place of the option that it chooses
    keys = {cells[name].lower(): i for i, name in enumerate(("key_1", "key_2")) if cells[name]}
    index = option_index(value, options, (keys or LEFT_AND_RIGHT) if all(options) else {})
    if index is None:
        wrong = f"{value!r} was chosen among {options[0]!r} and {options[1]!r}"
        right = "one of these, or log key_1 and key_2 with the names or keys that stand for them"
        raise malformed(choice.location, wrong, right)
    return {**timing, "chosen_index": str(index)}
