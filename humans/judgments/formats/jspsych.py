"""Data of jsPsych 6, 7 and 8, as JSON or CSV; a file has the data of one person or of several.

JSON may be one array, several arrays one after the other, nested arrays, or an object per line. A
value is missing if it is absent or null (in CSV: an empty cell or `null`).

An experiment chooses the names of the data that it adds to trials. Usual names are known; others
are given with `--map OURS=THEIRS`. A trial is an answer if it names an item or shows the texts of
one; other trials (instructions, consent, surveys) are counted as other rows. The options are those
in `choices`, if the trial has them, rather than those in other fields.
"""

import html
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from ....data.errors import InputError
from ....data.items.item import Item
from ....data.records import DECODER, malformed
from ..claims import OTHER_ROW, VERDICTS, claim_frame, facts_among, is_known
from ..imported import Arrived, ImportOptions
from ..judgment import kind_named
from ..lookup import lookup_of, normal_form, normal_sentence, option_index
from ..sheet import (
    LEFT_AND_RIGHT,
    ColumnNames,
    column_uses,
    demand_one_reading,
    logged_names,
    platform_of,
    sheet_of,
    text_in,
)

FILE = "@file"  # `--map participant=@file` means that every file is a person
READING_PLUGIN = "self-paced-reading"  # it has no judgments
RESPONSES = ("response", "button_pressed", "key_press")  # the last two are of version 6
OWN_FIELDS: ColumnNames = {  # names of jsPsych's own fields
    "chosen": RESPONSES, "rt_ms": ("rt",), "options": ("choices",), "text shown": ("stimulus",),
    "plugin": ("trial_type",), "trial": ("trial_index",),
}  # fmt: skip
KEY_OF_CODE = {"70": "f", "74": "j", "37": "arrowleft", "39": "arrowright", "49": "1", "50": "2"}
"""Codes that version 6 wrote for keys (JavaScript's `keyCode`) → names of keys."""
TAG = re.compile(r"<[^<>]*>")
MAX_DEPTH = 3  # levels of nested arrays: people, components, trials
SPACE = " \t\r\n,\ufeff"  # characters that may stand between JSON values
BLANK = re.compile(f"[{SPACE}]*")
LONE_SURROGATE = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])")


Fields: TypeAlias = Mapping[str, Any]
"""The data of one trial: name → value."""
Trial: TypeAlias = tuple[str, Fields]
"""The location of a trial in its file, and its fields."""


@dataclass(frozen=True, slots=True)
class TrialBatch:
    """The trials of one file (or of one result of a server), and what is known of the person."""

    path: Path
    trials: Iterable[Trial]
    # cells about person, session, platform and times
    visit: Mapping[str, str] = field(default_factory=dict)
    default_person: str = ""  # the participant if neither the server nor the trials name one


def read(paths: Sequence[Path], items: Sequence[Item], options: ImportOptions) -> Arrived:
    """Read files of jsPsych into claims (answers as the files state them, not yet checked).

    Raises `InputError` as `read_batches` does.
    """
    batches = (TrialBatch(path, trials_in(text_in(path), path)) for path in paths)
    return read_batches(paths, batches, items, options)


def trials_in(text: str, path: Path) -> Iterator[Trial]:
    """Yield all trials in the text of a file, in order; `path` is for messages.

    Raises `InputError` for a text that is neither JSON nor CSV.
    """
    if text.lstrip(SPACE)[:1] in ("[", "{"):
        for location, value in _json_values(text, path):
            yield from _nested_trials(location, value)
    else:
        sheet = sheet_of(text, path, ("trial_type", "trial_index"))
        if sheet.delimiter == ";":  # saved by a spreadsheet, which may have changed numbers
            times = ((location, row.get("rt", "")) for location, row in sheet.rows)
            demand_one_reading(times, "rt", "the file as jsPsych saved it")
        for location, row in sheet.rows:
            yield location, {name: _parse_cell(cell) for name, cell in row.items() if cell}


def _json_values(text: str, path: Path) -> Iterator[tuple[str, Any]]:
    """Yield (location, value) for each of the JSON values that follow one another in a text."""
    right = "the data as jsPsych saves them"
    if LONE_SURROGATE.search(text):
        wrong = "half of a character (a lone surrogate)"
        raise InputError(str(path), wrong, right, kind="unreadable")
    offset = len(text) - len(text.lstrip(SPACE))
    line, n_counted = 1, 0  # the line's number counts the line breaks before this position
    while offset < len(text):
        line += text.count("\n", n_counted, offset)
        n_counted, location = offset, f"{path}:{line}"
        try:
            value, offset = DECODER.raw_decode(text, offset)
        except (ValueError, RecursionError) as error:
            raise malformed(location, f"not JSON ({error})", right) from None
        yield location, value
        blank = BLANK.match(text, offset)
        offset = blank.end() if blank else offset


def _nested_trials(location: str, value: Any, depth: int = MAX_DEPTH) -> Iterator[Trial]:
    """Yield all objects in nested lists, with their locations.

    Raises `InputError` for other values, and for more than `depth` levels of lists.
    """
    if isinstance(value, dict):
        yield location, value
        return
    if not isinstance(value, list) or depth == 0:
        wrong, right = "neither a trial nor a list of trials", "the data as jsPsych saves them"
        raise malformed(location, wrong, right)
    for n, inner in enumerate(value, start=1):
        is_trial = isinstance(inner, dict)
        place = f"{location}, trial {n}" if is_trial else location
        yield from _nested_trials(place, inner, depth - 1)


def _parse_cell(cell: str) -> Any:
    """Return the value of a cell of jsPsych's CSV, in which objects, arrays and null are JSON."""
    if cell == "null":
        return None
    try:
        return json.loads(cell) if cell[:1] in "[{" else cell
    except (ValueError, RecursionError):
        return cell


def first_value(fields: Fields, *names: str) -> Any:
    """Return the value of the first of these fields that is not missing; None if all are."""
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def text_of(fields: Fields, *names: str) -> str:
    """Return the value that `first_value` finds, as text; "" for None, a list or an object."""
    value = first_value(fields, *names)
    if value is None or isinstance(value, dict | list):
        return ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip()


def html_text(markup: Any) -> str:
    """Return the text in a piece of HTML, without tags, entities and repeated blanks."""
    return " ".join(html.unescape(TAG.sub(" ", str(markup or ""))).split())


def is_keyed(fields: Fields) -> bool:
    """Tell whether a trial is answered by keys."""
    return "keyboard" in text_of(fields, "trial_type")


def button_labels(fields: Fields) -> list[str]:
    """Return the labels of a trial's buttons, or its keys, from `choices`; an empty list without
    these."""
    value = fields.get("choices")
    return [html_text(choice) for choice in value] if isinstance(value, list) else []


def read_batches(
    paths: Sequence[Path],
    batches: Iterable[TrialBatch],
    items: Sequence[Item],
    options: ImportOptions,
) -> Arrived:
    """Make claims (answers not yet checked) of all trials in the batches, read one by one.

    Raises `InputError` for an answer without a participant, for an unknown response, and if no
    trial has a field for the response.
    """
    names, lookup, keep = logged_names(options.table), lookup_of(items), options.table.keep
    claims = list[tuple[str, dict[str, str]]]()
    columns = dict[str, None]()
    n_answers = n_without_response = 0
    for batch, (location, fields) in ((b, trial) for b in batches for trial in b.trials):
        columns |= dict.fromkeys(name for name, value in fields.items() if value is not None)
        cells = _shown_cells(fields, names) | _visit_cells(batch, fields, names)
        response = fields.get("response")  # of a survey, an object with facts about the person
        values = {**(response if isinstance(response, dict) else {}), **fields}
        cells |= facts_among({name: text_of(values, name) for name in keep}, keep)
        if "event" in fields and "trial_type" not in fields:  # an event of the browser
            cells |= {"other": OTHER_ROW, "n_blurs": str(int(text_of(fields, "event") == "blur"))}
        elif text_of(fields, "trial_type") == READING_PLUGIN or not (
            cells["item"] or is_known(cells, location, lookup)
        ):
            cells["other"] = OTHER_ROW
        elif not cells["participant"]:
            right = f"--map participant=FIELD, or {FILE} where every file is a person"
            raise malformed(location, "nothing says who answered", right)
        else:
            n_answers += 1
            n_without_response += fields.keys().isdisjoint(RESPONSES)
            answer = _answer_cells(fields, cells, location, options.table.missing or ())
            cells |= {"correct": "", **answer}
        claims.append((location, cells))
    if n_answers and n_without_response == n_answers:
        wrong = f"no trial has a field response; the fields are {', '.join(columns)}"
        raise InputError(str(paths[0]), wrong, "the data with what people answered", kind="missing")
    note = f"trials without a field response, not even null: {n_without_response}"
    return Arrived(
        paths,
        claim_frame(claims),
        lookup=lookup,
        in_order=True,
        notes=[note] if n_without_response else [],
        columns=column_uses(columns, {**names, **OWN_FIELDS}),
    )


def _visit_cells(batch: TrialBatch, fields: Fields, names: ColumnNames) -> dict[str, str]:
    """Return the cells about participant, session and trial id.

    What the server says of the person goes before what the trial says.
    """
    stated = text_of(fields, *names["participant"])
    if names["participant"] == (FILE,):
        stated = batch.path.stem
    visit = {"participant": stated or batch.default_person, **batch.visit}
    if stated and "participant" not in batch.visit:
        present = [name for name, value in fields.items() if value is not None]
        visit["platform"] = platform_of(names, present)
    visit["session"] = visit.get("session") or text_of(fields, *names["session"])
    index, trial_id = text_of(fields, "trial_index"), text_of(fields, *names["trial_id"])
    new_id = f"{visit['session']}/{visit['participant']}/{index}" if index else ""
    return {**visit, "trial_id": trial_id or new_id}


def _shown_cells(fields: Fields, names: ColumnNames) -> dict[str, str]:
    """Return the cells about what a trial showed: kind, prefix, options, response time.

    The options are in the order of the buttons, if these are labelled with them. Without two
    options, the text shown is a sentence to rate, in `option_1`.
    """
    cells = {name: text_of(fields, *usual) for name, usual in names.items()}
    stimulus = cells["sentence"] or normal_sentence(html_text(fields.get("stimulus")))
    options = [html_text(cells[name]) for name in ("option_1", "option_2")]
    buttons = [] if is_keyed(fields) else button_labels(fields)
    if not any(options):
        options = buttons if len(buttons) == 2 else options
    elif {*map(normal_form, options)} <= {*map(normal_form, buttons)}:
        labels = [text for text in buttons if normal_form(text) in map(normal_form, options)]
        options = labels if len(labels) == 2 else options  # two buttons may have one label
    first, second = options
    # without options the text shown is a sentence to rate; with two of them, and no item named, it
    # is the prefix by which the item is found
    shown_prefix = stimulus if second and not cells["item"] else ""
    return {
        **cells,
        "kind": kind_named(cells["kind"]),
        "prefix": cells["prefix"] or shown_prefix,
        "option_1": first if second else stimulus,
        "option_2": second,
        "rt_ms": text_of(fields, "rt"),
    }


def _answer_cells(
    fields: Fields, cells: Mapping[str, str], location: str, missing: Collection[str]
) -> dict[str, str]:
    """Return the cells about the response: the place of the chosen option, or the rating.

    A rating comes from a slider, a Likert page, or more than two buttons. The result is empty
    without a response, or for a button in `missing`. Raises `InputError` for a response that stands
    for no option.
    """
    plugin, response = text_of(fields, "trial_type"), first_value(fields, *RESPONSES)
    if "slider" in plugin or "likert" in plugin:
        ratings = response if isinstance(response, dict) else {"": response}
        if len(ratings) > 1:
            wrong = f"{len(ratings)} answers on one page"
            raise malformed(location, wrong, "one scale on each page")
        return {"rating": text_of(ratings, *ratings)}
    if response is None:
        return {}
    text, wrong = str(response).strip(), f"response is {response!r}"
    options = (cells["option_1"], cells["option_2"]) if cells["option_2"] else ()
    buttons = [] if is_keyed(fields) else button_labels(fields)
    if len(buttons) > 2 and text.isdecimal():  # the number of a button, from 0
        if int(text) >= len(buttons):
            right = f"the number of a button, 0 to {len(buttons) - 1}"
            raise malformed(location, wrong, right)
        label = buttons[int(text)]
        if not options:
            return {"rating": label}
        if label in missing:
            return {}
        index = option_index(label, options)
        wrong = f"button {text}, {label!r}, is neither option"
        right = f'an option, or {{"missing": ["{label}"]}} in the map where it means no answer'
    elif options and all(options):
        keys: Mapping[str, int] = {"0": 0, "1": 1}  # numbers of buttons
        hint = ""
        if is_keyed(fields):
            keys, text = _option_keys(fields, cells), KEY_OF_CODE.get(text, text).lower()
            hint = "; --map key_1=FIELD names other keys"
        index = keys[text] if text in keys else option_index(text, options)
        right = f"one of {', '.join(keys)}, or null{hint}"
    else:
        right = "save the choices (save_trial_parameters), or --map option_1=FIELD option_2=FIELD"
        raise malformed(location, f"{wrong}, and nothing says what the options were", right)
    if index is None:
        raise malformed(location, wrong, right)
    verdict = cells["correct"].lower()
    return {"chosen_index": str(index), "correct": verdict if verdict in VERDICTS else ""}


def _option_keys(fields: Fields, cells: Mapping[str, str]) -> Mapping[str, int]:
    """Return key → place (0 or 1) of the option that it chooses.

    The trial's own `key_1` and `key_2` count. Without them, of usual keys the left one is the first
    option; other keys choose the options in the order in which `choices` lists them.
    """
    keys = [cells["key_1"], cells["key_2"]]
    if not all(keys):
        keys = [KEY_OF_CODE.get(key, key) for key in button_labels(fields)]
        if len(keys) != 2 or all(key.lower() in LEFT_AND_RIGHT for key in keys):
            return LEFT_AND_RIGHT
    return {key.lower(): index for index, key in enumerate(keys)}
