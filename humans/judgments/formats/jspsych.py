"""Data of jsPsych 6, 7 and 8, as JSON or CSV, of one person a file or of many.

JSON may be one array, several in a row, nested ones, or an object a line. A value that a row lacks
and one that is null are both missing, in CSV too, where they are an empty cell and `null`.

What an experiment adds to its trials has names of its own choosing; those that are usual are known,
others are given with `--map OURS=THEIRS`. A trial counts as one of ours if it names an item, or if
what it showed is an item's; all others (instructions, consent, surveys) are counted and left. What
was shown (`choices`) counts before what else the trial says of its options.
"""

import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ....data.errors import InputError
from ....data.items.item import Item
from ....data.records import DECODER
from .._sheet import decimal_sign, number, sheet_of, text_in, with_point
from ..claims import VERDICTS, claim_frame
from ..column_names import (
    LEFT_AND_RIGHT,
    ColumnNames,
    column_uses,
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
from ..judgment import Session, kind_named
from ..lookup import Lookup, lookup_of, normal, plain

FILE = "@file"  # `--map participant=@file`: every file is a person
READING = "self-paced-reading"
RESPONSES = ("response", "button_pressed", "key_press")  # the later two in version 6
OWN: ColumnNames = {  # what jsPsych itself calls things
    "chosen": RESPONSES, "rt_ms": ("rt",), "options": ("choices",), "text shown": ("stimulus",),
    "plugin": ("trial_type",), "trial": ("trial_index",),
}  # fmt: skip
CODES = {"70": "f", "74": "j", "37": "arrowleft", "39": "arrowright", "49": "1", "50": "2"}
"""What version 6 wrote for keys (JavaScript's `keyCode`)."""
TAG = re.compile(r"<[^<>]*>")
NESTED = 3  # arrays in arrays: people, then components, then trials
SPACE = " \t\r\n,\ufeff"
BLANK = re.compile(f"[{SPACE}]*")
SURROGATE = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])")


@dataclass(frozen=True, slots=True)
class LoggedTrial:
    """One object of a browser's data, and where it stands; null fields are not in it."""

    location: str
    fields: Mapping[str, Any]
    names: frozenset[str] = frozenset()  # of all its fields, null ones too

    def get(self, *names: str) -> Any:
        """Return the first of these fields that is there; None if none is."""
        return next((self.fields[name] for name in names if name in self.fields), None)

    def text(self, *names: str) -> str:
        """Return the same as text; numbers are written out."""
        return _text(self.get(*names))

    @property
    def by_key(self) -> bool:
        """Tell whether keys were pressed."""
        return "keyboard" in self.text("trial_type")

    @property
    def choices(self) -> Sequence[str]:
        """Return the labels of the buttons (or the keys) as text; empty where there are none."""
        value = self.get("choices")
        return [stripped(choice) for choice in value] if isinstance(value, list) else []


@dataclass(frozen=True, slots=True)
class TrialBatch:
    """The trials of one file (or one result of a server), and what is known of whose they are."""

    path: Path
    trials: Iterable[LoggedTrial]
    participant: str = ""  # where the server knows
    otherwise: str = ""  # where neither server nor trials know better
    platform: str = ""  # whose id `participant` is
    session: str = ""


def read(paths: Sequence[Path], items: Sequence[Item], options: ImportOptions) -> Imported:
    """Read the judgments in files of jsPsych. Raises `InputError` as `imported_from` does."""
    batches = (TrialBatch(path, trials_in(text_in(path), path)) for path in paths)
    return imported_from(batches, items, options)


def trials_in(text: str, path: Path) -> Iterator[LoggedTrial]:
    """Yield every object in a file, in order. Raises `InputError` for what is neither JSON nor
    CSV."""
    objects: Iterable[tuple[str, dict[str, Any]]]
    if text.lstrip(SPACE)[:1] in ("[", "{"):
        objects = (value for top in _values(text, path) for value in _objects(top, NESTED))
    else:
        sheet = sheet_of(text, path, ("trial_type", "trial_index"))
        rows = [(line.location, dict(line.cells)) for line in sheet.lines]
        if sheet.delimiter != ",":  # a spreadsheet has been here: numbers may have its marks
            decimal = decimal_sign((row.get("rt", "") for _, row in rows), ",", times=True)
            for _, row in rows:
                row["rt"] = with_point(row.get("rt", ""), decimal)
        objects = (
            (location, {name: _unpacked(cell) for name, cell in row.items() if cell})
            for location, row in rows
        )
    for location, fields in objects:
        present = {name: value for name, value in fields.items() if value is not None}
        yield LoggedTrial(location, present, frozenset(fields))


def _values(text: str, path: Path) -> Iterator[tuple[str, Any]]:
    """Yield (place, value) of the JSON values that stand one after another."""
    if SURROGATE.search(text):
        wrong, right = "half of a character (a lone surrogate)", "the data as jsPsych saves them"
        raise InputError(str(path), wrong, right, kind="unreadable")
    offset, line, counted = 0, 1, 0
    while True:
        match = BLANK.match(text, offset)
        offset = match.end() if match else offset
        if offset == len(text):
            return
        line += text.count("\n", counted, offset)
        counted, location = offset, f"{path}:{line}"
        try:
            value, offset = DECODER.raw_decode(text, offset)
        except (ValueError, RecursionError) as error:
            right = "data as jsPsych saves them"
            raise InputError(location, f"not JSON ({error})", right, kind="format") from None
        yield location, value


def _objects(top: tuple[str, Any], depth: int) -> Iterator[tuple[str, dict[str, Any]]]:
    location, value = top
    if isinstance(value, dict):
        yield location, value
        return
    if not isinstance(value, list) or depth == 0:
        wrong, right = "neither a trial nor a list of trials", "the data as jsPsych saves them"
        raise InputError(location, wrong, right, kind="format")
    for n, inner in enumerate(value, start=1):
        inner_location = f"{location}, trial {n}" if isinstance(inner, dict) else location
        yield from _objects((inner_location, inner), depth - 1)


def _unpacked(cell: str) -> Any:
    """Return what a cell of jsPsych's CSV stands for: objects, arrays and null are JSON text."""
    if cell == "null":
        return None
    try:
        return json.loads(cell) if cell[:1] in "[{" else cell
    except (ValueError, RecursionError):
        return cell


def _text(value: Any) -> str:
    if value is None or isinstance(value, dict | list):
        return ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip()


def stripped(markup: Any) -> str:
    """Return the text of a piece of HTML: no tags, no entities, one blank between words."""
    return " ".join(html.unescape(TAG.sub(" ", str(markup or ""))).split())


@dataclass(slots=True)
class TrialReader:
    """Reads trials one by one, and gathers what they hold; keys are (participant, session)."""

    names: ColumnNames
    lookup: Lookup
    options: ImportOptions
    claims: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    blurs: dict[tuple[str, str], int] = field(default_factory=dict)  # times the page was left
    facts: dict[tuple[str, str], dict[str, str]] = field(default_factory=dict)
    platforms: dict[str, str] = field(default_factory=dict)
    strangers: dict[str, None] = field(default_factory=dict)  # choices about no known item
    fields: dict[str, None] = field(default_factory=dict)  # names of all of them
    files: dict[Path, None] = field(default_factory=dict)
    n_trials: int = 0
    n_silent: int = 0  # without a field for the response
    n_words: int = 0  # of self-paced reading

    def read(self, batch: TrialBatch, trial: LoggedTrial) -> None:
        """Add what a trial of a batch holds. Raises `InputError` if it is nobody's."""
        self.n_trials += 1
        self.fields |= dict.fromkeys(trial.fields)
        session = batch.session or trial.text(*self.names["session"])
        participant = self._participant(batch, trial)
        key = participant, session
        self._keep(key, trial)
        if "event" in trial.fields and "trial_type" not in trial.fields:  # of the browser
            self.blurs[key] = self.blurs.get(key, 0) + (trial.text("event") == "blur")
            return
        if participant and (platform := platform_of(self.names, trial.fields)):
            self.platforms.setdefault(participant, platform)
        cells = _shown(trial, self.names) | {"participant": participant, "session": session}
        of_texts = {**cells, "origin": trial.location}
        if not cells["item"] and self.lookup.item_of(of_texts) not in self.lookup.by_id:
            if cells["option_2"]:
                self.strangers[cells["prefix"] or cells["option_1"]] = None
            return
        if not participant:
            wrong = "nothing says who answered"
            right = f"--map participant=FIELD, or {FILE} where every file is a person"
            raise InputError(trial.location, wrong, right, kind="format")
        if trial.text("trial_type") == READING:
            self.n_words += 1
            return
        self.n_silent += trial.names.isdisjoint(RESPONSES)
        index = trial.text("trial_index")
        if index and not cells["trial_id"]:
            cells["trial_id"] = f"{session}/{participant}/{index}"
        verdict = cells.pop("correct").lower()
        cells |= _answer(trial, cells, self.options.table.missing or ())
        if cells.get("chosen_index") and verdict in VERDICTS:
            cells["correct"] = verdict
        self.claims.append((trial.location, {**cells, "rt_ms": trial.text("rt")}))

    def _participant(self, batch: TrialBatch, trial: LoggedTrial) -> str:
        if self.names["participant"] == (FILE,):
            return batch.participant or batch.path.stem
        return batch.participant or trial.text(*self.names["participant"]) or batch.otherwise

    def _keep(self, key: tuple[str, str], trial: LoggedTrial) -> None:
        """Keep the columns asked for: fields of the trial itself, or of a survey's response."""
        if keep := self.options.table.keep:
            answers = trial.get("response")
            values = {**(answers if isinstance(answers, dict) else {}), **trial.fields}
            texts = {name: _text(values.get(name)) for name in keep}
            self.facts[key] = kept_fields(texts, keep, self.facts.get(key))

    def sessions(self, sessions: Sequence[Session]) -> list[Session]:
        """Return the sessions that a server tells of, with what the trials say of them."""
        owners = {cells["session"]: cells["participant"] for _, cells in self.claims}
        owned = [replace(e, participant=owners.get(e.session, e.participant)) for e in sessions]
        visits = {(visit.participant, visit.session): visit for visit in owned}
        for key in (*self.blurs, *self.facts):
            visits.setdefault(key, Session(*key))
        return [
            replace(visit, n_blurs=self.blurs.get(key), facts=self.facts.get(key, {}))
            for key, visit in visits.items()
            if key[0]
        ]


def imported_from(
    batches: Iterable[TrialBatch],
    items: Sequence[Item],
    options: ImportOptions,
    sessions: Sequence[Session] = (),
) -> Imported:
    """Return what is in the batches, which are read one by one. `sessions` are what a server says
    of them.

    Raises `InputError` if no trial is about an item, if one is nobody's, if its response is not
    one of those its plugin gives, if no trial has a field for the response, and as `assembled`.
    """
    lookup = lookup_of(items)
    reader = TrialReader(names_of(options.table), lookup, options)
    for batch in batches:
        reader.files[batch.path] = None
        if batch.platform:
            reader.platforms[batch.participant or batch.otherwise] = batch.platform
        for trial in batch.trials:
            reader.read(batch, trial)
    location, listing = str(next(iter(reader.files), "")), ", ".join(reader.fields)
    notes = [*without_readings(location, reader.n_words, len(reader.claims))]
    if reader.n_trials and not reader.claims:
        wrong = f"no trial is about a known item; the fields are {listing}"
        right = "--map item=FIELD, or the suite that was shown (--suite, --items)"
        raise InputError(location, wrong, right, kind="empty")
    if reader.n_trials and reader.n_silent == len(reader.claims):
        wrong = f"no trial has a field response; the fields are {listing}"
        raise InputError(location, wrong, "the data with what people answered", kind="missing")
    notes += about_strangers(reader.strangers)
    if reader.n_silent:
        notes.append(f"trials without a field response, not even null: {reader.n_silent}")
    arrived = Arrived(
        n_files=len(reader.files),
        n_rows=reader.n_trials,
        claims=claim_frame(reader.claims),
        sessions=reader.sessions(sessions),
        n_others=reader.n_trials - len(reader.claims),
        in_order=True,
        platforms=reader.platforms,
        notes=notes,
        columns=column_uses(reader.fields, {**reader.names, **OWN}),
    )
    return assembled(arrived, items, options, lookup)


def _shown(trial: LoggedTrial, names: ColumnNames) -> dict[str, str]:
    """Return what was shown, under our names. What has no options is a sentence. The options are
    in the order of the buttons, where these have their texts."""
    cells = {name: trial.text(*usual) for name, usual in names.items()}
    stimulus = cells["sentence"] or plain(stripped(trial.get("stimulus")))
    options = [stripped(cells[name]) for name in ("option_1", "option_2")]
    buttons = [] if trial.by_key else trial.choices
    if not any(options):
        options = [*buttons] if len(buttons) == 2 else options
    elif {*map(normal, options)} <= {*map(normal, buttons)}:
        options = [text for text in buttons if normal(text) in map(normal, options)]
    is_choice = bool(options[1])
    return {
        **cells,
        "kind": kind_named(cells["kind"]),
        "prefix": cells["prefix"] or ("" if cells["item"] or not is_choice else stimulus),
        "option_1": options[0] if is_choice else stimulus,
        "option_2": options[1],
    }


def _answer(trial: LoggedTrial, cells: Mapping[str, str], missing: Sequence[str]) -> dict[str, str]:
    """Return the place of the option chosen, or the rating of a trial with a scale (a slider, a
    Likert page, or more than two buttons with numbers on them); nothing where nothing was done.

    A response is only looked at for the option it stands for, so that a word `null` is a word.
    Raises `InputError` for a response that fits none.
    """
    plugin, location, choices = trial.text("trial_type"), trial.location, trial.choices
    value = trial.get(*RESPONSES)
    wrong = f"response is {value!r}"

    def refused(wrong: str, right: str) -> InputError:
        return InputError(location, wrong, right, kind="format")

    if "slider" in plugin or "likert" in plugin:
        if isinstance(value, dict):
            if len(value) > 1:
                raise refused(f"{len(value)} answers on one page", "one scale on each page")
            value = next(iter(value.values()), None)
        return {"rating": _text(value)}
    if value is None:
        return {}
    text = str(value).strip()
    options = (cells["option_1"], cells["option_2"]) if cells["option_2"] else ()
    if choices and not trial.by_key and len(choices) > 2 and text.isdecimal():
        if int(text) >= len(choices):
            raise refused(wrong, f"the number of a button, 0 to {len(choices) - 1}")
        label = choices[int(text)]
        if not options:
            number(label, "the button", location)
            return {"rating": label}
        if label in missing:
            return {}
        index = option_index(label, options)
        if index is None:
            right = f'an option, or {{"missing": ["{label}"]}} in the map where it means no answer'
            raise refused(f"button {text}, {label!r}, is neither option", right)
        return {"chosen_index": str(index)}
    if not all(options) or not options:
        right = "save the choices (save_trial_parameters), or --map option_1=FIELD option_2=FIELD"
        raise refused(f"{wrong}, and nothing says what the options were", right)
    if not trial.by_key and text in ("0", "1"):
        return {"chosen_index": text}
    keys = _keys(trial, cells)
    index = keys.get(CODES.get(text, text).lower()) if trial.by_key else None
    index = option_index(text, options) if index is None else index
    if index is None:
        right = f"0 or 1 for a button, a key ({', '.join(keys)}; or --map key_1=FIELD), or null"
        raise refused(wrong, right)
    return {"chosen_index": str(index)}


def _keys(trial: LoggedTrial, cells: Mapping[str, str]) -> Mapping[str, int]:
    """Return which option a key stands for: as the trial says; else the key on the left is the
    first, whatever the order in which keys are allowed; else as they are listed."""
    stated = [cells[name] for name in ("key_1", "key_2")]
    allowed = [CODES.get(key, key) for key in trial.choices]
    if all(stated):
        return {key.lower(): index for index, key in enumerate(stated)}
    if len(allowed) != 2 or all(key.lower() in LEFT_AND_RIGHT for key in allowed):
        return LEFT_AND_RIGHT
    return {key.lower(): index for index, key in enumerate(allowed)}
