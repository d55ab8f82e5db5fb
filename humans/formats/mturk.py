"""Batch results of Mechanical Turk: a row an assignment, with one trial or several.

Columns are found by name. Two layouts are known: that of Gulordava et al. (2018), one trial a row,
and that of BLiMP (Warstadt et al. 2020), trials numbered in the columns' names. Others are given
with `--map`, where `{n}` stands for the number of the trial: `--map chosen=Answer.Choice{n}`.

Answers are taken from the leading digit of `1. The sentence` where there is one: the text after it
is cut at an apostrophe in BLiMP's. `Approve` and `Reject` are filled in later, so that rows may end
before them. Times are Pacific.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.registry import nearest
from colorless_green.humans.assemble import assembled
from colorless_green.humans.formats.names import keep_into
from colorless_green.humans.formats.sheet import Line, Sheet, duration, sheet_of, text_in
from colorless_green.humans.imported import Arrived, Imported, ImportOptions
from colorless_green.humans.judgment import Judgment, Session, kind_named
from colorless_green.humans.lookup import normal
from colorless_green.nonce.item import Item

WORKERS = ("WorkerId", "anonCode")
N_LATE = 2  # columns Approve and Reject
TASK_ANSWERS = "Answer.taskAnswers"
GULORDAVA: Mapping[str, str] = {
    "item": "Input.full_id", "kind": "Input.type", "prefix": "Input.sent",
    "option_1": "Input.opt1", "option_2": "Input.opt2", "correct_place": "Input.corr_opt",
    "chosen": "Answer.Answer",
}  # fmt: skip
BLIMP: Mapping[str, str] = {
    "item": "Input.item_{n}_condition", "option_1": "Input.field_{n}_1",
    "option_2": "Input.field_{n}_2", "chosen": "Answer.Choice{n}", "list": "Input.list",
}  # fmt: skip
OURS = (
    *("item", "kind", "condition", "list", "prefix", "option_1", "option_2"),
    *("correct_form", "correct_place", "chosen"),
)
TYPES = {  # Gulordava et al. 2018: kind and condition
    "target_original": ("target", "original"),
    "target_generated": ("target", "nonce"),
    "control": ("filler", ""),
}
SKIPPED = "foil"  # rows that the paper's script leaves out
CHECK = "attnchk"  # BLiMP's attention check
ANSWERED = re.compile(r"_?ans([12])")  # ends the condition in BLiMP: which option is right
PLACED = re.compile(r"([12])(?:\.(?:\s.*)?)?", re.DOTALL)
NONE_CHOSEN = ("", "{}", "NA")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
MOMENT = re.compile(r"\w{3} (\w{3}) (\d{1,2}) (\d{2}):(\d{2}):(\d{2}) P([DS])T (\d{4})")


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a trial of a row is: our names → columns. The number is 0 for the only one."""

    number: int
    columns: Mapping[str, str]


def read(paths: Sequence[Path], items: Sequence[Item], options: ImportOptions) -> Imported:
    """The judgments in batch files, assignments that were rejected included (rules leave them out).

    Raises `InputError` for a layout that is not known, an answer that is neither option, and as
    `join` does.
    """
    sheets = [_sheet(path) for path in paths]
    claims: list[Judgment] = []
    sessions: list[Session] = []
    n_rows = n_skipped = 0
    for sheet in sheets:
        slots = _slots(sheet, options)
        for line in sheet.lines:
            n_rows += 1
            found = list(_claims(line, slots))
            n_skipped += not found
            claims += found
            sessions.append(_session(line, options))
    return assembled(
        Arrived(
            n_files=len(sheets),
            n_rows=n_rows,
            judgments=claims,
            sessions=sessions,
            n_others=n_skipped,
            own_ids=False,
            platform="mturk",
        ),
        items,
        options,
    )


def _sheet(path: Path) -> Sheet:
    sheet = sheet_of(text_in(path), path, ("AssignmentId", *WORKERS), n_optional=N_LATE)
    if TASK_ANSWERS not in sheet.columns:
        return sheet
    lines = tuple(Line(e.place, {**e.cells, **_task_answers(e)}) for e in sheet.lines)
    columns = tuple(dict.fromkeys(name for line in lines for name in line.cells))
    return Sheet(sheet.path, sheet.delimiter, columns, lines)


def _task_answers(line: Line) -> dict[str, str]:
    """Newer batches have all answers as JSON in one cell; here as columns like the older ones'."""
    try:
        (answers,) = json.loads(line.cells[TASK_ANSWERS] or "[{}]")
        found = {}
        for name, value in answers.items():
            if isinstance(value, dict):  # radio buttons: option → whether it is on
                value = next((option for option, on in value.items() if on is True), "")
            found[f"Answer.{name}"] = str(value)
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise InputError(
            line.place,
            f"{TASK_ANSWERS} is not an array of one object",
            "the batch as downloaded",
            kind="format",
        ) from None
    return found


def _slots(sheet: Sheet, options: ImportOptions) -> list[Slot]:
    """The trials of each row, by their numbers, wherever their columns stand."""
    stated = {
        **{name: source.column for name, source in options.table.columns.items()},
        **options.columns,
    }
    for name in stated:
        if name not in OURS:
            raise InputError(
                "--map", f"no such field {name!r}", nearest(name, OURS), kind="unknown"
            )
    layout = next(
        (known for known in (GULORDAVA, BLIMP) if _numbers(known["chosen"], sheet.columns)), {}
    )
    layout = {**layout, **stated}
    if "chosen" not in layout or not (numbers := _numbers(layout["chosen"], sheet.columns)):
        raise InputError(
            f"{sheet.path}:1",
            f"no known layout; the columns are {', '.join(_own(sheet.columns))}",
            "--map item=Input.COLUMN --map chosen=Answer.COLUMN, with {n} for a trial's number",
            kind="format",
        )
    return [
        Slot(
            number,
            {
                ours: pattern.replace("{n}", str(number))
                for ours, pattern in layout.items()
                if pattern.replace("{n}", str(number)) in sheet.columns
            },
        )
        for number in numbers
    ]


def _own(columns: Sequence[str]) -> list[str]:
    """The columns of the study, without those that every batch has."""
    return [name for name in columns if name.startswith(("Input.", "Answer."))]


def _numbers(pattern: str, columns: Sequence[str]) -> list[int]:
    """The numbers that `{n}` has in the columns, ascending; 0 for a column without one."""
    if "{n}" not in pattern:
        return [0] if pattern in columns else []
    shape = re.compile(re.escape(pattern).replace(r"\{n\}", "([0-9]{1,4})"))
    return sorted(int(found[1]) for name in columns if (found := shape.fullmatch(name)))


def _claims(line: Line, slots: Sequence[Slot]) -> Iterator[Judgment]:
    who = _worker(line)
    assignment = line.cells.get("AssignmentId", "")
    for slot in slots:
        cells = {ours: line.cells[column] for ours, column in slot.columns.items()}
        if cells.get("kind") == SKIPPED:
            continue
        kind, condition = _kind(cells)
        shown = cells.get("option_1", ""), cells.get("option_2", "")
        index = _chosen(cells["chosen"], shown, line)
        right = _right(cells, shown, line)
        yield Judgment(
            participant=who,
            session=assignment,
            trial_id=f"{assignment}/{slot.number}" if assignment else "",
            item=ANSWERED.sub("", cells.get("item", ""))
            if _tells(cells)
            else cells.get("item", ""),
            condition=condition,
            kind=kind,
            position=slot.number or None,
            list=cells.get("list", ""),
            prefix=cells.get("prefix", ""),
            option_1=shown[0],
            option_2=shown[1],
            chosen="" if index is None else shown[index],
            chosen_index=index,
            correct_form=right,
            at=_utc(line.cells.get("SubmitTime", "")),
            origin=line.place,
        )


def _worker(line: Line) -> str:
    who = next((line.cells[name] for name in WORKERS if line.cells.get(name)), "")
    if not who:
        raise InputError(line.place, "no worker", f"a column {' or '.join(WORKERS)}", kind="format")
    return who


def _tells(cells: Mapping[str, str]) -> bool:
    """Whether the item's cell ends by telling the right option, as BLiMP's does."""
    return ANSWERED.search(cells.get("item", "")[-5:]) is not None


def _kind(cells: Mapping[str, str]) -> tuple[str, str]:
    """Kind and condition, as far as the row tells them."""
    label = cells.get("kind", "")
    if label in TYPES:
        return TYPES[label]
    if cells.get("item", "").startswith(CHECK):
        return "check", ""
    return kind_named(label) or "target", cells.get("condition", "")


def _right(cells: Mapping[str, str], shown: tuple[str, str], line: Line) -> str:
    """The right form: stated, or the option at the stated place (1 or 2)."""
    place = cells.get("correct_place", "")
    if not place and _tells(cells):
        place = cells["item"][-1]
    if not place:
        return cells.get("correct_form", "")
    if place not in ("1", "2"):
        raise InputError(line.place, f"the right option is {place!r}", "1 or 2", kind="format")
    return shown[int(place) - 1]


def _chosen(answer: str, shown: tuple[str, str], line: Line) -> int | None:
    """Which option was chosen: by its text, or by the digit before it."""
    if answer in NONE_CHOSEN:
        return None
    options = [normal(option) for option in shown]
    if options.count(normal(answer)) == 1:
        return options.index(normal(answer))
    placed = PLACED.fullmatch(answer)
    if placed is None:
        raise InputError(
            line.place,
            f"the answer is {answer!r}",
            f"{shown[0]!r}, {shown[1]!r}, 1 or 2",
            kind="format",
        )
    return int(placed[1]) - 1


def _session(line: Line, options: ImportOptions) -> Session:
    facts: dict[str, str] = {}
    keep_into(facts, line.cells, options.keep)
    timed = line.cells.get("WorkTimeInSeconds", "") not in NONE_CHOSEN
    return Session(
        participant=_worker(line),
        session=line.cells.get("AssignmentId", ""),
        status=line.cells.get("AssignmentStatus", "").upper(),
        started_at=_utc(line.cells.get("AcceptTime", "")),
        ended_at=_utc(line.cells.get("SubmitTime", "")),
        duration_s=duration(line, "WorkTimeInSeconds") if timed else None,
        facts=facts,
    )


def _utc(text: str) -> str:
    """`Thu Oct 09 08:11:00 PDT 2025` as UTC; "" for what is written otherwise."""
    found = MOMENT.fullmatch(text)
    if found is None or found[1] not in MONTHS:
        return ""
    zone = timezone(timedelta(hours=-7 if found[6] == "D" else -8))
    day, hour, minute, second = map(int, found.group(2, 3, 4, 5))
    month = MONTHS.index(found[1]) + 1
    try:
        moment = datetime(int(found[7]), month, day, hour, minute, second, tzinfo=zone)
        return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError):
        return ""
