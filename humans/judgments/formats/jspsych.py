"""Data of jsPsych 6, 7 and 8, as JSON or CSV, of one person a file or of many.

JSON may be one array, several in a row, nested ones, or an object a line. A value that a row lacks
and one that is null are both missing, in CSV too, where they are an empty cell and `null`.

What an experiment adds to its trials has names of its own choosing; those that are usual are known,
others are given with `--map OURS=THEIRS`. A trial counts as one of ours if it names an item, or if
what it showed is an item's; all others (instructions, consent, surveys) are counted and left.
"""

import html
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ....data.errors import InputError
from ....data.items.item import Item
from .._sheet import SheetRow, decimal_sign, number, sheet_of, text_in, with_point
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
from ..lookup import Lookup, lookup_of, plain

FILE = "@file"  # `--map participant=@file`: every file is a person
READING = "self-paced-reading"
RESPONSES = ("response", "button_pressed", "key_press")  # the later two in version 6
OWN: ColumnNames = {  # what jsPsych itself calls things
    "chosen": RESPONSES, "rt_ms": ("rt",), "options": ("choices",), "text shown": ("stimulus",),
    "plugin": ("trial_type",), "trial": ("trial_index",),
}  # fmt: skip
FLAGS = {"": None, "true": 1, "false": 0, "1": 1, "0": 0}
CODES = {"70": "f", "74": "j", "37": "arrowleft", "39": "arrowright", "49": "1", "50": "2"}
"""What version 6 wrote for keys (JavaScript's `keyCode`)."""
TAG = re.compile(r"<[^<>]*>")
NESTED = 3  # arrays in arrays: people, then components, then trials
SPACE = " \t\r\n,\ufeff"
SURROGATE = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])")


@dataclass(frozen=True, slots=True)
class LoggedTrial:
    """One object of a browser's data, and where it stands; null fields are not in it."""

    location: str
    fields: Mapping[str, Any]
    names: frozenset[str] = frozenset()  # of all its fields, null ones too

    def get(self, *names: str) -> Any:
        """The first of these fields that is there; None if none is."""
        return next((self.fields[name] for name in names if name in self.fields), None)

    def text(self, *names: str) -> str:
        """The same as text; numbers are written out."""
        value = self.get(*names)
        if value is None or isinstance(value, dict | list):
            return ""
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        return str(value).strip()

    @property
    def by_key(self) -> bool:
        """Whether keys were pressed."""
        return "keyboard" in self.text("trial_type")

    @property
    def choices(self) -> Sequence[str]:
        """The labels of the buttons (or the keys) as text; empty where there are none."""
        value = self.get("choices")
        return [stripped(choice) for choice in value] if isinstance(value, list) else []


@dataclass(frozen=True, slots=True)
class TrialBatch:
    """The trials of one file (or one result of a server), and what is known of whose they are."""

    path: Path
    trials: Sequence[LoggedTrial]
    participant: str = ""  # where the server knows
    otherwise: str = ""  # where neither server nor trials know better
    platform: str = ""  # whose id `participant` is
    session: str = ""


def read(paths: Sequence[Path], items: Sequence[Item], options: ImportOptions) -> Imported:
    """The judgments in files of jsPsych. Raises `InputError` as `arrived` and `join` do."""
    batches = [TrialBatch(path, trials_in(text_in(path), path)) for path in paths]
    return assembled(arrived(batches, items, options), items, options)


def trials_in(text: str, path: Path) -> list[LoggedTrial]:
    """Every object in a file, in order. Raises `InputError` for what is neither JSON nor CSV."""
    if text.lstrip(SPACE)[:1] in ("[", "{"):
        objects = [value for top in _values(text, path) for value in _objects(top, NESTED)]
    else:
        sheet = sheet_of(text, path, ("trial_type", "trial_index"))
        rows = [dict(line.cells) for line in sheet.lines]
        if sheet.delimiter != ",":  # a spreadsheet has been here: numbers may have its marks
            decimal = decimal_sign((row.get("rt", "") for row in rows), ",", times=True)
            for row in rows:
                row["rt"] = with_point(row.get("rt", ""), decimal)
        objects = [
            (line.location, {name: _unpacked(cell) for name, cell in row.items() if cell})
            for line, row in zip(sheet.lines, rows, strict=True)
        ]
    return [
        LoggedTrial(location, {n: v for n, v in fields.items() if v is not None}, frozenset(fields))
        for location, fields in objects
    ]


def _values(text: str, path: Path) -> Iterator[tuple[str, Any]]:
    """(place, value) of the JSON values that stand one after another."""
    if SURROGATE.search(text):
        wrong, right = "half of a character (a lone surrogate)", "the data as jsPsych saves them"
        raise InputError(str(path), wrong, right, kind="unreadable")
    decoder = json.JSONDecoder(parse_constant=_refused)
    offset, line, counted = 0, 1, 0
    while True:
        while offset < len(text) and text[offset] in SPACE:
            offset += 1
        if offset == len(text):
            return
        line += text.count("\n", counted, offset)
        counted = offset
        location = f"{path}:{line}"
        try:
            value, offset = decoder.raw_decode(text, offset)
        except (ValueError, RecursionError) as error:
            right = "data as jsPsych saves them"
            raise InputError(location, f"not JSON ({error})", right, kind="format") from None
        yield location, value


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is no number of JSON")


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
    """What jsPsych's CSV has in a cell: JSON text of objects, arrays and null; else the text."""
    if cell == "null":
        return None
    try:
        return json.loads(cell) if cell[:1] in "[{" else cell
    except (ValueError, RecursionError):
        return cell


def stripped(markup: Any) -> str:
    """The text of a piece of HTML: no tags, no entities, one blank between words."""
    return " ".join(html.unescape(TAG.sub(" ", str(markup or ""))).split())


@dataclass(slots=True)
class TrialReader:
    """Reads trials one by one, and gathers what they hold; keys are (participant, session)."""

    names: ColumnNames
    lookup: Lookup
    keep: Sequence[str]
    judgments: list[Judgment] = field(default_factory=list)
    blurs: dict[tuple[str, str], int] = field(default_factory=dict)  # times the page was left
    facts: dict[tuple[str, str], dict[str, str]] = field(default_factory=dict)
    platforms: dict[str, str] = field(default_factory=dict)
    strangers: dict[str, None] = field(default_factory=dict)  # choices about no known item
    n_silent: int = 0  # without a field for the response
    n_read: int = 0  # of self-paced reading

    def read(self, batch: TrialBatch, trial: LoggedTrial) -> None:
        """Add what a trial of a batch holds. Raises `InputError` if it is nobody's."""
        session = batch.session or trial.text(*self.names["session"])
        participant = self._participant(batch, trial)
        key = participant, session
        self._keep(key, trial)
        if "event" in trial.fields and "trial_type" not in trial.fields:  # of the browser
            self.blurs[key] = self.blurs.get(key, 0) + (trial.text("event") == "blur")
            return
        if participant and (platform := platform_of(self.names, trial.fields)):
            self.platforms.setdefault(participant, platform)
        claim = _claim(trial, self.names, participant, session)
        if not claim.item and self.lookup.identified(claim).item not in self.lookup.by_id:
            if claim.option_2:
                self.strangers[claim.prefix or claim.option_1] = None
            return
        if not participant:
            wrong = "nothing says who answered"
            right = f"--map participant=FIELD, or {FILE} where every file is a person"
            raise InputError(trial.location, wrong, right, kind="format")
        if trial.text("trial_type") == READING:
            self.n_read += 1
            return
        self.n_silent += trial.names.isdisjoint(RESPONSES)
        self.judgments.append(_answered(trial, claim, self.names))

    def _participant(self, batch: TrialBatch, trial: LoggedTrial) -> str:
        if self.names["participant"] == (FILE,):
            return batch.participant or batch.path.stem
        return batch.participant or trial.text(*self.names["participant"]) or batch.otherwise

    def _keep(self, key: tuple[str, str], trial: LoggedTrial) -> None:
        """Keep the columns asked for: fields of the trial itself, or of a survey's response."""
        if self.keep:
            answers = trial.get("response")
            values = {**(answers if isinstance(answers, dict) else {}), **trial.fields}
            texts = {name: LoggedTrial("", values).text(name) for name in self.keep}
            self.facts[key] = kept_fields(texts, self.keep, self.facts.get(key))

    def sessions(self, sessions: Sequence[Session]) -> list[Session]:
        """Return the sessions that a server tells of, with what the trials say of them."""
        owners = {answer.session: answer.participant for answer in self.judgments}  # know it best
        owned = [replace(e, participant=owners.get(e.session, e.participant)) for e in sessions]
        visits = {(visit.participant, visit.session): visit for visit in owned}
        for key in (*self.blurs, *self.facts):
            visits.setdefault(key, Session(*key))
        return [
            replace(
                visit,
                n_blurs=self.blurs.get(key, visit.n_blurs),
                facts={**visit.facts, **self.facts.get(key, {})},
            )
            for key, visit in visits.items()
            if key[0]
        ]


def arrived(
    batches: Sequence[TrialBatch],
    items: Sequence[Item],
    options: ImportOptions,
    sessions: Sequence[Session] = (),
) -> Arrived:
    """Return what is in the batches. `sessions` are what a server says of them.

    Raises `InputError` if no trial is about an item, if one is nobody's, if its response is not
    one of those its plugin gives, or if no trial has a field for the response.
    """
    reader = TrialReader(names_of(options.table), lookup_of(items), options.table.keep)
    for batch in batches:
        if batch.platform:
            reader.platforms[batch.participant or batch.otherwise] = batch.platform
        for trial in batch.trials:
            reader.read(batch, trial)
    trials = [trial for batch in batches for trial in batch.trials]
    fields = dict.fromkeys(name for trial in trials for name in trial.fields)
    location = str(batches[0].path) if batches else ""
    notes = [*without_readings(location, reader.n_read, len(reader.judgments))]
    if trials:
        _demand_answers(reader, location, ", ".join(fields))
    notes += about_strangers(reader.strangers)
    if reader.n_silent:
        notes.append(f"trials without a field response, not even null: {reader.n_silent}")
    return Arrived(
        n_files=len({batch.path for batch in batches}),
        n_rows=len(trials),
        judgments=reader.judgments,
        sessions=reader.sessions(sessions),
        n_others=len(trials) - len(reader.judgments),
        in_order=True,
        platforms=reader.platforms,
        notes=notes,
        columns=column_uses(fields, {**reader.names, **OWN}),
    )


def _demand_answers(reader: TrialReader, location: str, listing: str) -> None:
    """Refuse trials of which none is about a known item, or none has a response."""
    if not reader.judgments:
        wrong = f"no trial is about a known item; the fields are {listing}"
        right = "--map item=FIELD, or the suite that was shown (--suite, --items)"
        raise InputError(location, wrong, right, kind="empty")
    if reader.n_silent == len(reader.judgments):
        wrong = f"no trial has a field response; the fields are {listing}"
        raise InputError(location, wrong, "the data with what people answered", kind="missing")


def _claim(trial: LoggedTrial, names: ColumnNames, participant: str, session: str) -> Judgment:
    """The trial without its answer: what was shown to whom. What has no options is a sentence."""
    cells = {name: trial.text(*usual) for name, usual in names.items()}
    stimulus = cells["sentence"] or plain(stripped(trial.get("stimulus")))
    option_1, option_2 = stripped(cells["option_1"]), stripped(cells["option_2"])
    if not option_1 and not option_2 and len(trial.choices) == 2 and not trial.by_key:
        option_1, option_2 = trial.choices
    index = trial.text("trial_index")
    return judgment_of(
        {
            **cells,
            "participant": participant,
            "session": session,
            "trial_id": cells["trial_id"] or (f"{session}/{participant}/{index}" if index else ""),
            "kind": kind_named(cells["kind"]),
            "prefix": cells["prefix"] or ("" if cells["item"] or not option_2 else stimulus),
            "option_1": option_1 if option_2 else stimulus,
            "option_2": option_2,
            "correct": "",
        },
        trial.location,
    )


def _answered(trial: LoggedTrial, claim: Judgment, names: ColumnNames) -> Judgment:
    """The trial with its answer, and how long it took; a missing answer is neither right nor
    wrong."""
    index, rating = _answer(trial, claim, names)
    time = trial.get("rt")
    verdict = FLAGS.get(trial.text(*names["correct"]).lower())
    return replace(
        claim,
        chosen="" if index is None else (claim.option_1, claim.option_2)[index],
        chosen_index=index,
        correct=None if index is None and rating is None else verdict,
        rating=rating,
        rt_ms=None if isinstance(time, list) else _number(time, "rt", trial.location, 0),
    )


def _answer(
    trial: LoggedTrial, claim: Judgment, names: ColumnNames
) -> tuple[int | None, float | None]:
    """The option chosen, by its place, or the rating of a trial with a scale (a slider, a Likert
    page, or more than two buttons with numbers on them); twice None where nothing was done.

    A response is only looked at for the option it stands for, so that a word `null` is a word.
    Raises `InputError` for a response that fits none.
    """
    plugin, location, choices = trial.text("trial_type"), trial.location, trial.choices
    options = (claim.option_1, claim.option_2) if claim.option_2 else ("", "")
    value = trial.get(*RESPONSES)
    wrong = f"response is {value!r}"
    if "slider" in plugin or "likert" in plugin:
        if isinstance(value, dict):
            if len(value) > 1:
                wrong, right = f"{len(value)} answers on one page", "one scale on each page"
                raise InputError(location, wrong, right, kind="format")
            value = next(iter(value.values()), None)
        return None, _number(value, "response", location)
    if not any(options) and len(choices) > 2 and not trial.by_key:
        button = _number(value, "response", location)
        if button is None:
            return None, None
        if button not in range(len(choices)):
            right = f"the number of a button, 0 to {len(choices) - 1}"
            raise InputError(location, wrong, right, kind="format")
        return None, _number(choices[int(button)], "the button", location)
    if value is None:
        return None, None
    if not all(options):
        right = "save the choices (save_trial_parameters), or --map option_1=FIELD option_2=FIELD"
        wrong += ", and nothing says what the options were"
        raise InputError(location, wrong, right, kind="format")
    text = str(value).strip()
    if not trial.by_key and text in ("0", "1"):
        return int(text), None
    keys = [trial.text(*names[name]) for name in ("key_1", "key_2")]
    keymap = KEYS
    if all(keys):
        keymap = {key.lower(): i for i, key in enumerate(keys)}
    elif trial.by_key and len(choices) == 2:
        keymap = {CODES.get(key, key).lower(): i for i, key in enumerate(choices)}
    index = keymap.get(CODES.get(text, text).lower()) if trial.by_key else None
    index = option_index(text, options) if index is None else index
    if index is None:
        right = f"0 or 1 for a button, a key ({', '.join(keymap)}; or --map key_1=FIELD), or null"
        raise InputError(location, wrong, right, kind="format")
    return index, None


def _number(value: Any, name: str, location: str, lowest: float = -math.inf) -> float | None:
    """A number, also as text; None for a missing one."""
    text = "" if value is None else str(value).strip()
    return number(SheetRow(location, {name: text}), name, lowest)
