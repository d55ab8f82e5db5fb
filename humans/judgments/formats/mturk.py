"""Batch results of Mechanical Turk: a row is an assignment with one or more trials.

Columns are found by name. Two layouts are known: in that of Gulordava et al. (2018) a row has one
trial; in that of BLiMP (Warstadt et al. 2020) names of columns contain the number of the trial.
Other layouts need `--map`, where `{n}` stands for this number: `--map chosen=Answer.Choice{n}`.

If an answer begins with a digit, as in `1. The sentence`, the digit counts, since BLiMP's files cut
the text at an apostrophe. Rows may end before `Approve` and `Reject`, which are filled in later.
Times are Pacific.
"""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from ....data.items.item import Item
from ....data.records import malformed
from ..claims import OTHER_ROW, claim_frame, facts_among
from ..imported import Arrived, ImportOptions
from ..judgment import kind_named
from ..lookup import option_index
from ..sheet import mapped_columns, sheet_of, text_in
from .gulordava import TRIAL_TYPES

WORKER_COLUMNS = ("WorkerId", "anonCode")
N_FILLED_IN_LATER = 2  # columns Approve and Reject, which a row may lack
TASK_ANSWERS = "Answer.taskAnswers"
LAYOUTS: tuple[Mapping[str, str], ...] = (
    {  # Gulordava et al. 2018
        "item": "Input.full_id", "kind": "Input.type", "prefix": "Input.sent",
        "option_1": "Input.opt1", "option_2": "Input.opt2", "correct_place": "Input.corr_opt",
        "chosen": "Answer.Answer",
    },
    {  # Warstadt et al. 2020
        "item": "Input.item_{n}_condition", "option_1": "Input.field_{n}_1",
        "option_2": "Input.field_{n}_2", "chosen": "Answer.Choice{n}", "list": "Input.list",
    },
)  # fmt: skip
OUR_COLUMNS = (  # our columns that `--map` can give
    *("item", "kind", "condition", "list", "prefix", "option_1", "option_2"),
    *("correct_form", "correct_place", "chosen"),
)
VISIT_COLUMNS = {  # ours → theirs
    "session": "AssignmentId", "status": "AssignmentStatus", "started_at": "AcceptTime",
    "ended_at": "SubmitTime", "duration_s": "WorkTimeInSeconds",
}  # fmt: skip
PLACE_OF_NUMBER = {"": "", "1": "0", "2": "1"}  # number of an option → its place, from 0
SKIPPED_TYPE = "foil"  # type of rows that the script of Gulordava et al. leaves out
CHECK_BEGINNING = "attnchk"  # of the ids of BLiMP's attention checks
RIGHT_OPTION = re.compile(r"_?ans([12])$")  # end of BLiMP's ids: number of the right option
OPTION_NUMBER = re.compile(r"([12])(?:\.(?:\s.*)?)?", re.DOTALL)
NONE_CHOSEN = ("", "{}", "NA")
TIME_PATTERN = re.compile(r"\w{3} \w{3} \d{1,2} \d{2}:\d{2}:\d{2} P[DS]T \d{4}")
TIME_FORMAT = "%b %d %H:%M:%S %z %Y"


def read(paths: Sequence[Path], items: Sequence[Item], options: ImportOptions) -> Arrived:
    """Read batch files into claims (answers as the file states them), one for each trial.

    Rejected assignments are read too, and left out later by the rules of exclusion.

    Raises `InputError` for an unknown layout, and for an answer that is neither option.
    """
    sources = mapped_columns(options.table, OUR_COLUMNS)
    mapped = {name: source.column for name, source in sources.items()}
    claims: list[tuple[str, dict[str, str]]] = []
    column_uses: dict[str, str] = {}
    for path in paths:
        sheet = sheet_of(
            text_in(path), path, ("AssignmentId", *WORKER_COLUMNS), n_optional=N_FILLED_IN_LATER
        )
        rows = [(location, _with_answers(location, cells)) for location, cells in sheet.rows]
        columns = dict.fromkeys((*sheet.columns, *(name for _, cells in rows for name in cells)))
        layout = _layout_of(path, columns, mapped)
        column_uses |= dict.fromkeys(columns, "")
        column_uses |= {column: name for names in layout.values() for name, column in names.items()}
        for location, cells in rows:
            visit = _visit_cells(location, cells) | facts_among(cells, options.table.keep)
            session = visit["session"]
            trials = []
            for number, names in layout.items():
                ours = {name: cells.get(column, "") for name, column in names.items()}
                if ours.get("kind") != SKIPPED_TYPE:
                    trials.append(_trial_cells(location, ours, number, session))
            # an assignment without trials is a row that is no answer
            claims += [(location, trial | visit) for trial in trials or [{"other": OTHER_ROW}]]
    frame = claim_frame(claims)
    return Arrived(paths, frame, own_ids=False, platform="mturk", columns=column_uses)


def _with_answers(location: str, cells: Mapping[str, str]) -> dict[str, str]:
    """Return the cells of an assignment with a column for each answer.

    Newer batches have all answers as JSON in the column `Answer.taskAnswers`.
    """
    answer_cells = {}
    try:
        (answers,) = json.loads(cells.get(TASK_ANSWERS) or "[{}]")
        for name, value in answers.items():
            if isinstance(value, dict):  # radio buttons: option → True if it is chosen
                value = next((option for option, chosen in value.items() if chosen is True), "")
            answer_cells[f"Answer.{name}"] = str(value)
    except (ValueError, TypeError, AttributeError, RecursionError):
        wrong = f"{TASK_ANSWERS} does not hold one set of answers"
        raise malformed(location, wrong, "the batch file as Mechanical Turk gives it") from None
    return {**cells, **answer_cells}


def _layout_of(
    path: Path, columns: Collection[str], mapped: Mapping[str, str]
) -> dict[int, dict[str, str]]:
    """Find out which columns belong to which trial of a row (an assignment: one person's work).

    Return number of a trial → our column name → column of the file, by ascending numbers; the
    number is 0 if a row has only one trial. `mapped` is our name → column, from the map. Raises
    `InputError` if no column is known to have the answers.
    """

    def trial_numbers(pattern: str) -> list[int]:
        """Return the numbers n for which there is a column with this name; 0 without `{n}`."""
        if "{n}" not in pattern:
            return [0] if pattern in columns else []
        shape = re.compile(re.escape(pattern).replace(r"\{n\}", "([0-9]{1,4})"))
        return sorted(int(match[1]) for name in columns if (match := shape.fullmatch(name)))

    layout = next((candidate for candidate in LAYOUTS if trial_numbers(candidate["chosen"])), {})
    layout = {**layout, **mapped}
    if "chosen" not in layout or not trial_numbers(layout["chosen"]):
        present = [name for name in columns if name.startswith(("Input.", "Answer."))]
        wrong = f"no column is known to hold the answers; there are {', '.join(present)}"
        right = (
            "--map item=Input.COLUMN --map chosen=Answer.COLUMN, with {n} where the columns have "
            "the number of a trial"
        )
        raise malformed(f"{path}:1", wrong, right)
    return {
        number: {
            name: column
            for name, pattern in layout.items()
            if (column := pattern.replace("{n}", str(number))) in columns
        }
        for number in trial_numbers(layout["chosen"])
    }


def _trial_cells(
    location: str, cells: Mapping[str, str], number: int, session: str
) -> dict[str, str]:
    """Return the cells of a claim for one trial of an assignment.

    `cells` is our column name → cell, and `number` the number of the trial in its row (0: the only
    one). Raises `InputError` for an answer that is neither option.
    """
    item, label, answer = cells.get("item", ""), cells.get("kind", ""), cells["chosen"]
    ending = RIGHT_OPTION.search(item)
    kind, condition = TRIAL_TYPES.get(label, (kind_named(label), cells.get("condition", "")))
    if label not in TRIAL_TYPES and item.startswith(CHECK_BEGINNING):
        kind, condition = "check", ""
    options = cells.get("option_1", ""), cells.get("option_2", "")
    right = cells.get("correct_place", "") or (ending[1] if ending else "")
    if right not in PLACE_OF_NUMBER:
        wrong, remedy = f"the right option is {right!r}", "1 or 2, the number of the right option"
        raise malformed(location, wrong, remedy)
    index = None if answer in NONE_CHOSEN else option_index(answer, options)
    if answer not in NONE_CHOSEN and index is None:
        match = OPTION_NUMBER.fullmatch(answer)
        if match is None:
            remedy = f"one of the options, {options[0]!r} and {options[1]!r}, or its number, 1 or 2"
            raise malformed(location, f"the answer is {answer!r}", remedy)
        index = int(match[1]) - 1  # the number counts from 1
    return {
        **cells,
        "trial_id": f"{session}/{number}" if session else "",
        "item": item[: ending.start()] if ending else item,
        "kind": kind,
        "condition": condition,
        "position": str(number or ""),
        "chosen": "",
        "chosen_index": "" if index is None else str(index),
        "correct_index": PLACE_OF_NUMBER[right],
    }


def _visit_cells(location: str, cells: Mapping[str, str]) -> dict[str, str]:
    """Return the cells about an assignment: participant, session, status and times."""
    visit = {ours: cells.get(theirs, "") for ours, theirs in VISIT_COLUMNS.items()}
    visit |= {name: _utc(visit[name]) for name in ("started_at", "ended_at")}
    worker = next((cells[name] for name in WORKER_COLUMNS if cells.get(name)), "")
    if not worker:
        right = f"an id in a column {' or '.join(WORKER_COLUMNS)}"
        raise malformed(location, "no worker is named", right)
    if visit["duration_s"] in NONE_CHOSEN:
        visit["duration_s"] = ""
    return {**visit, "participant": worker, "at": visit["ended_at"]}


def _utc(text: str) -> str:
    """Convert a time such as `Thu Oct 09 08:11:00 PDT 2025` to UTC; "" for any other text."""
    if TIME_PATTERN.fullmatch(text) is None:
        return ""
    _, _, without_weekday = text.partition(" ")
    zoned = without_weekday.replace("PDT", "-0700").replace("PST", "-0800")
    try:
        moment = datetime.strptime(zoned, TIME_FORMAT)
        return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError):
        return ""
