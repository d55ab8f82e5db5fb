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
Words with their reading times are other rows. Items are found by the texts shown. An
answer `NULL` is none. A trial of PCIbex is several lines, one for every event that was logged.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ....data.errors import InputError
from ....data.items.item import Item
from ....data.records import malformed
from ..claims import OTHER, claim_frame, facts_among, is_known
from ..imported import Arrived, ImportOptions
from ..judgment import kind_named, utc
from ..lookup import lookup_of, option_index
from ..sheet import (
    LEFT_AND_RIGHT,
    ColumnNames,
    column_uses,
    first_of,
    integer,
    names_of,
    number,
    platform_of,
    text_in,
)

NAMED = re.compile(r"#\s*([0-9]{1,4})\.\s+(.*)")
ENCODED = re.compile(r"%(2C|7F|[01][0-9A-F])", re.IGNORECASE)
INTEGER = re.compile(r"[0-9]{1,11}")
ALIASES = {  # newer farm and older one
    "Results reception time": "#time", "Time results were received": "#time",
    "MD5 hash of participant's IP address": "#md5", "Controller name": "#controller",
    "Order number of item": "#order", "Item number": "#order",
    "Inner element number": "#element", "Element number": "#element", "Label": "#label",
    "Type": "#label", "Latin Square Group": "#group", "Group": "#group",
}  # fmt: skip
FIRST = ("#time", "#md5", "#controller", "#order", "#element", "#label", "#group")
MOST_COLUMNS = 1_000
NULL = "NULL"
QUESTION, ANSWER = "Question (NULL if none)", "Answer"
CORRECT, ANSWER_TIME = "Whether or not answer was correct (NULL if N/A)", "Time taken to answer"
NUMBER = "Word number"
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


class LogLine(dict[str, str]):
    """The values of one line by the names that hold there, "" where the line ends before; those
    that every line has by the names of `FIRST`, which an experiment cannot log."""

    location: str  # file:line
    session: str  # one submission: addresses can be shared, so the time goes with them

    def __missing__(self, name: str) -> str:
        available = ", ".join(repr(each) for each in self if each not in FIRST)
        wrong = f"no column {name!r}; there are {available or 'none besides those of every line'}"
        right = "the results file with all its comment lines, as Ibex gives it"
        raise InputError(self.location, wrong, right, kind="missing")

    def value(self, name: str) -> str:
        """Return the value under a name; "" for `NULL`."""
        return "" if self[name] == NULL else self[name]

    def event_ms(self) -> float | None:
        """Return the time of the event in milliseconds; None for what did not happen. Raises
        `InputError` where it is no time."""
        is_never = self[TIME] in NEVER
        return None if is_never else number(self[TIME], TIME, self.location)

    def received(self) -> str:
        """Return when the results came in, as UTC; "" for `NULL`."""
        seconds = integer(self.value("#time"), "the time", self.location)
        return "" if seconds is None else utc(seconds, self.location)

    @property
    def person(self) -> Mapping[str, str]:
        """Return what the line may say of a person: the field of a form, else all of it."""
        return {self[FIELD_NAME]: self[FIELD_VALUE]} if self["#controller"] == "Form" else self


def read(paths: Sequence[Path], items: Sequence[Item], options: ImportOptions) -> Arrived:
    """Read the judgments in results files.

    Raises `InputError` for numbers that are none, and for choices of neither option. A person is
    who a form or a logged column says, else (address, time of sending).
    """
    names, lookup = names_of(options.table), lookup_of(items)
    lines = [line for path in paths for line in records(path)]
    people = _people(lines, names)
    trials: dict[tuple[str, str], list[LogLine]] = {}
    for line in lines:
        if line["#controller"] == PENN:
            trials.setdefault((line.session, line["#order"]), []).append(line)
    answers = [answer for rows in trials.values() for answer in _penn_answer(rows, names)]
    claims = dict[str, dict[str, str]]()
    for line, cells in (*answers, *_questions(lines)):
        is_ours = bool(cells.get("item")) or is_known(cells, line.location, lookup)
        claims[line.location] = cells if is_ours else {**cells, "other": OTHER}
    ended = {line.session: line.received() for line in lines}
    addresses = Counter(session.rpartition("/")[0] for session in ended)
    shared = sum(n > 1 for n in addresses.values())
    n_changes = sum(max(0, len(_made(rows)) - 1) for rows in trials.values())
    notes = {
        f"{shared} addresses sent results more than once: the same person again, or several "
        "behind one address; each sending counts as a person unless an id was logged": shared,
        f"{n_changes} answers were changed before the trial ended: the last counts": n_changes,
    }
    rows = []
    for line in lines:
        cells = claims.get(line.location, {"other": OTHER})
        who = people.get(line.session, {"participant": line.session})
        facts = facts_among(line.person, options.table.keep)
        visit = {"session": line.session, "ended_at": ended[line.session]}
        rows.append((line.location, {**cells, **who, **facts, **visit}))
    fields = dict.fromkeys(name for line in lines for name in line if name not in FIRST)
    return Arrived(
        paths,
        claim_frame(rows),
        lookup=lookup,
        in_order=True,
        platform="ibex",
        notes=[note for note, n in notes.items() if n],
        columns=column_uses(fields, {**names, "chosen": (VALUE, ANSWER), "rt_ms": (ANSWER_TIME,)}),
    )


def records(path: Path) -> Iterator[LogLine]:
    """Yield all lines of data. Raises `InputError` where a line has values that no comment
    names."""
    names: list[str] = []
    columns: dict[str, int] = {}
    was_data = False
    for n, line in enumerate(text_in(path).split("\n"), start=1):
        line, location = line.removesuffix("\r"), f"{path}:{n}"
        if line.startswith("#"):
            if comment := NAMED.fullmatch(line):
                start = int(comment[1])
                if was_data:  # a new group: names from there on are forgotten
                    del names[start - 1 :]
                if not 1 <= start <= min(len(names) + 1, MOST_COLUMNS):
                    wrong = f"column {start} is named where there are {len(names)} before it"
                    right = f"the name of column {len(names) + 1}"
                    raise malformed(location, wrong, right)
                names[start - 1 : start] = [comment[2].rstrip().rstrip(".")]  # some end in two
                was_data = False
        elif line.strip():
            if not was_data:
                columns = {}
                for index, name in enumerate(names):  # an experiment may log a "Group" of its own
                    alias = ALIASES.get(name, "")
                    columns.setdefault(alias if alias and alias not in columns else name, index)
            was_data = True
            yield _record(line, columns, len(names), location)


def _record(line: str, columns: Mapping[str, int], n_names: int, location: str) -> LogLine:
    values = [ENCODED.sub(lambda match: chr(int(match[1], 16)), v) for v in line.split(",")]
    place = columns.get("#controller", len(values))
    if (  # some files until 2021 name the controller's column, and their lines lack it
        len(values) == n_names - 1
        and columns.get("#order") == place + 1
        and INTEGER.fullmatch(values[place])
    ):
        values.insert(place, "")
    right = "the results file with all its comment lines, as Ibex gives it"
    if len(values) > n_names:
        wrong = f"{len(values)} values, and the comments above name {n_names} columns"
        raise malformed(location, wrong, right)
    for name in FIRST:
        if columns.get(name, len(values)) >= len(values):
            raise malformed(location, f"a line without its {name[1:]}", right)
    record = LogLine((name, values[i] if i < len(values) else "") for name, i in columns.items())
    record.location, record.session = location, f"{record['#md5']}/{record['#time']}"
    return record


def _people(lines: Sequence[LogLine], names: ColumnNames) -> dict[str, dict[str, str]]:
    """Return session → cells for the person and the platform, where a line says who it was."""
    people: dict[str, dict[str, str]] = {}
    for line in lines:
        fields = line.person
        ids = (name for name in names["participant"] if fields.get(name, NULL) not in ("", NULL))
        if name := next(ids, ""):
            platform = platform_of(names, (name,)) or "local"
            people[line.session] = {"participant": fields[name], "platform": platform}
    return people


def _questions(lines: Sequence[LogLine]) -> Iterator[tuple[LogLine, dict[str, str]]]:
    """Yield answers to questions: choices after a prefix, or ratings of the sentence shown before
    (`AcceptabilityJudgment`, `DashedAcceptabilityJudgment`)."""
    flashed: dict[tuple[str, str, str], str] = {}
    for line in lines:
        trial = line.session, line["#order"], line["#element"]
        is_whole = line["#controller"] == DASHED and NUMBER not in line  # words went by alone
        if line["#controller"] == "FlashSentence" or is_whole:
            flashed[trial] = line[SENTENCE]
        if line["#controller"] != "Question":
            continue
        prefix, answer, kind = line.value(QUESTION), line.value(ANSWER), kind_named(line["#label"])
        sentence = "" if prefix else flashed.get(trial, "")
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


def _made(rows: Iterable[LogLine]) -> list[LogLine]:
    """Return the choices in a trial that did happen."""
    return [
        row
        for row in rows
        if (row[SORT], row[PARAMETER]) in CHOICES
        and (
            row[TIME] not in NEVER
            or (row[VALUE] != "NA" and NONE_CHOSEN not in row.get("Comments", ""))
        )
    ]


def _penn_answer(
    rows: Sequence[LogLine], names: ColumnNames
) -> Iterator[tuple[LogLine, dict[str, str]]]:
    """Yield the answer of a trial of PCIbex that names an item or has a choice.

    Of several choices the last counts. A trial with no choice, or with one that never happened, is
    a missing answer. The time is that of the choice since its element was printed, or else since
    the trial began.
    """
    choices = [row for row in rows if (row[SORT], row[PARAMETER]) in CHOICES]
    fields = {
        k: v for row in rows for k, v in row.items() if k not in FIRST and v not in ("", NULL)
    }
    cells = first_of(fields, names)
    if not choices and (any(row[SORT] == PENN_DASHED for row in rows) or not cells["item"]):
        return
    final = (choices or rows)[-1]
    options = cells["option_1"] or cells["sentence"], cells["option_2"]
    if not any(options) and choices and final[SORT] == "Selector":
        # a selector notes its two names in its comments, in the order shown
        noted = [e for e in final.get("Comments", "").split(";") if e != NONE_CHOSEN]
        options = (noted[0], noted[1]) if len(noted) == 2 else options
    timed = next((row for row in (final, *reversed(rows)) if row[TIME] not in NEVER), None)
    cells |= {
        "correct": "",
        "trial_id": cells["trial_id"] or f"{final.session}/{final['#order']}",
        "kind": kind_named(cells["kind"] or final["#label"]),
        "option_1": options[0],
        "option_2": options[1],
        "at": utc((timed.event_ms() or 0) / 1000, timed.location) if timed is not None else "",
    }
    if made := _made(rows):
        cells |= _answer(made[-1], options, rows, cells)
    yield final, cells


def _answer(
    choice: LogLine, options: tuple[str, str], rows: Sequence[LogLine], cells: Mapping[str, str]
) -> dict[str, str]:
    """Return what was chosen, or the rating, and how long it took."""
    value, element = choice[VALUE], choice[ELEMENT]
    prints = [row for row in rows if row[PARAMETER] == "Print" and row[ELEMENT] == element]
    starts = [row for row in rows if row[PARAMETER] == "_Trial_" and row[VALUE] == "Start"]
    since = [row.event_ms() for row in (prints or starts)[:1]]
    begun, ended = since[0] if since else None, choice.event_ms()
    timing = {"rt_ms": "" if begun is None or ended is None else str(ended - begun)}
    if choice[SORT] == "Scale" and not options[1]:
        return {**timing, "rating": value}
    if not any(options):
        return {**timing, "chosen": value}
    keys = {cells[name].lower(): i for i, name in enumerate(("key_1", "key_2")) if cells[name]}
    index = option_index(value, options, (keys or LEFT_AND_RIGHT) if all(options) else {})
    if index is None:
        wrong = f"{value!r} was chosen among {options[0]!r} and {options[1]!r}"
        right = "one of these, or log key_1 and key_2 with the names or keys that stand for them"
        raise malformed(choice.location, wrong, right)
    return {**timing, "chosen_index": str(index)}
