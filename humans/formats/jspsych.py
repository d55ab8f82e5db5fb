"""Data of jsPsych 6, 7 and 8, as JSON or CSV, of one person a file or of many.

JSON may be one array, several in a row, nested ones, or an object a line. A value that a row lacks
and one that is null are both missing, in CSV too, where they are an empty cell and `null`.

What an experiment adds to its trials has names of its own choosing; those that are usual are known,
others are given with `--map OURS=THEIRS`. A trial counts as one of ours if it names an item, or if
what it showed is an item's; all others (instructions, consent, surveys) are counted and left.
"""

import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from colorless_green.data.errors import InputError
from colorless_green.data.tables import SURROGATE
from colorless_green.humans.formats.columns import (
    Names,
    keep_into,
    names_of,
    platform_of,
    taken_for,
)
from colorless_green.humans.formats.sheet import decimal_sign, sheet_of, text_in, with_point
from colorless_green.humans.imported import Arrived, Imported, ImportOptions, about_strangers
from colorless_green.humans.join import assembled
from colorless_green.humans.judgment import Judgment, Reading, Session, kind_named
from colorless_green.humans.lookup import lookup_of, normal, plain
from colorless_green.nonce.item import Item

FILE = "@file"  # `--map participant=@file`: every file is a person
READING = "self-paced-reading"
RESPONSES = ("response", "button_pressed", "key_press")  # the later two in version 6
OWN: Names = {  # what jsPsych itself calls things
    "chosen": RESPONSES, "rt_ms": ("rt",), "options": ("choices",), "text shown": ("stimulus",),
    "plugin": ("trial_type",), "trial": ("trial_index",),
}  # fmt: skip
FLAGS = {"": None, "true": 1, "false": 0, "1": 1, "0": 0}
KEYS = {  # of the first and the second option, where the experiment does not say
    "f": 0, "arrowleft": 0, "leftarrow": 0, "1": 0,
    "j": 1, "arrowright": 1, "rightarrow": 1, "2": 1,
}  # fmt: skip
CODES = {"70": "f", "74": "j", "37": "arrowleft", "39": "arrowright", "49": "1", "50": "2"}
"""What version 6 wrote for keys (JavaScript's `keyCode`)."""
TAG = re.compile(r"<[^<>]*>")
NESTED = 3  # arrays in arrays: people, then components, then trials
SPACE = " \t\r\n,\ufeff"


@dataclass(frozen=True, slots=True)
class Trial:
    """One object of a browser's data, and where it stands; null fields are not in it."""

    place: str
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
        if isinstance(value, float) and value == int(value):
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
        return [stripped(each) for each in value] if isinstance(value, list) else []


@dataclass(frozen=True, slots=True)
class Batch:
    """The trials of one file (or one result of a server), and what is known of whose they are."""

    path: Path
    trials: Sequence[Trial]
    participant: str = ""  # where the server knows
    otherwise: str = ""  # where neither server nor trials know better
    platform: str = ""  # whose id `participant` is
    session: str = ""


def read(paths: Sequence[Path], items: Sequence[Item], options: ImportOptions) -> Imported:
    """The judgments in files of jsPsych. Raises `InputError` as `arrived` and `join` do."""
    batches = [Batch(path, trials_in(text_in(path), path)) for path in paths]
    return assembled(arrived(batches, items, options), items, options)


def trials_in(text: str, path: Path) -> list[Trial]:
    """Every object in a file, in order. Raises `InputError` for what is neither JSON nor CSV."""
    if text.lstrip(SPACE)[:1] in ("[", "{"):
        found = [value for top in _values(text, path) for value in _objects(top, path, NESTED)]
    else:
        sheet = sheet_of(text, path, ("trial_type", "trial_index"))
        rows = [dict(line.cells) for line in sheet.lines]
        if sheet.delimiter != ",":  # a spreadsheet has been here: numbers may have its marks
            decimal = decimal_sign((row.get("rt", "") for row in rows), ",", times=True)
            for row in rows:
                row["rt"] = with_point(row.get("rt", ""), decimal)
        found = [
            (line.place, {name: _unpacked(cell) for name, cell in row.items() if cell})
            for line, row in zip(sheet.lines, rows, strict=True)
        ]
    return [
        Trial(place, {n: v for n, v in fields.items() if v is not None}, frozenset(fields))
        for place, fields in found
    ]


def _values(text: str, path: Path) -> Iterator[tuple[str, Any]]:
    """(place, value) of the JSON values that stand one after another."""
    if SURROGATE.search(text):
        wrong, right = "half of a surrogate pair", "text that is Unicode"
        raise InputError(str(path), wrong, right, kind="unreadable")
    decoder = json.JSONDecoder(parse_constant=_refused)
    at, line, counted = 0, 1, 0
    while True:
        while at < len(text) and text[at] in SPACE:
            at += 1
        if at == len(text):
            return
        line += text.count("\n", counted, at)
        counted = at
        place = f"{path}:{line}"
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            right = "data as jsPsych saves them"
            raise InputError(place, f"not JSON ({error})", right, kind="format") from None
        yield place, value


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is no number of JSON")


def _objects(top: tuple[str, Any], path: Path, depth: int) -> Iterator[tuple[str, dict[str, Any]]]:
    place, value = top
    if isinstance(value, dict):
        yield place, value
        return
    if not isinstance(value, list) or depth == 0:
        wrong = "neither an object nor an array of them"
        raise InputError(place, wrong, "an array of trials", kind="format")
    for number, inner in enumerate(value, start=1):
        where = f"{place}, trial {number}" if isinstance(inner, dict) else place
        yield from _objects((where, inner), path, depth - 1)


def _unpacked(cell: str) -> Any:
    """What jsPsych's CSV has in a cell: JSON text of objects, arrays and null; else the text."""
    if cell == "null":
        return None
    if cell[:1] in "[{":
        try:
            return json.loads(cell)
        except (ValueError, RecursionError):
            return cell
    return cell


def stripped(markup: Any) -> str:
    """The text of a piece of HTML: no tags, no entities, one blank between words."""
    return " ".join(html.unescape(TAG.sub(" ", str(markup or ""))).split())


def arrived(
    batches: Iterable[Batch],
    items: Sequence[Item],
    options: ImportOptions,
    sessions: Sequence[Session] = (),
) -> Arrived:
    """What is in the batches. `sessions` are what a server says of them.

    Raises `InputError` if no trial is about an item, if one is nobody's, if its response is not
    one of those its plugin gives, or if no trial has a field for the response.
    """
    reader = _Reader(names_of(options.table, options.columns), options.keep)
    lookup = lookup_of(items)
    n_rows, paths = 0, dict[Path, None]()
    for batch in batches:
        n_rows += len(batch.trials)
        paths[batch.path] = None
        if batch.platform:
            reader.platforms[batch.participant or batch.otherwise] = batch.platform
        for trial in batch.trials:
            claim = reader.shown(trial, batch)
            if claim is None:
                continue
            if claim.item or lookup.identified(claim).item in lookup.by_id:
                reader.answered(claim, trial)
            elif claim.option_2:
                reader.strangers[claim.prefix or claim.option_1] = None
    place, fields = str(next(iter(paths), "")), ", ".join(reader.keys)
    if n_rows and not reader.judgments and not reader.readings:
        wrong = f"no trial is about a known item; the fields are {fields}"
        right = "--map item=FIELD, or the suite that was shown (--suite, --items)"
        raise InputError(place, wrong, right, kind="empty")
    if reader.judgments and len(reader.without) == len(reader.judgments):
        wrong = f"no trial has a field response; the fields are {fields}"
        raise InputError(place, wrong, "the data with what people answered", kind="missing")
    notes = list(about_strangers(list(reader.strangers)))
    if reader.without:
        notes.append(f"trials without a field response, not even null: {len(reader.without)}")
    n_trials = len(reader.judgments) + len({each.trial_id for each in reader.readings})
    return Arrived(
        n_files=len(paths),
        n_rows=n_rows,
        judgments=reader.judgments,
        readings=reader.readings,
        sessions=reader.sessions(sessions),
        n_others=n_rows - n_trials,
        in_order=True,
        platforms=reader.platforms,
        notes=notes,
        columns=taken_for(reader.keys, {**reader.names, **OWN}),
    )


@dataclass(frozen=True, slots=True)
class _Reader:
    """What has come together from batches; grows while they are read."""

    names: Names
    keep: Sequence[str]
    judgments: list[Judgment] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)
    blurs: dict[tuple[str, str], int] = field(default_factory=dict)
    facts: dict[tuple[str, str], dict[str, str]] = field(default_factory=dict)
    strangers: dict[str, None] = field(default_factory=dict)  # choices about no known item
    platforms: dict[str, str] = field(default_factory=dict)
    keys: dict[str, None] = field(default_factory=dict)  # names of fields seen, in order
    without: list[str] = field(default_factory=list)  # places of trials that lack a response

    def shown(self, trial: Trial, batch: Batch) -> Judgment | None:
        """The trial without its answer: what was shown to whom; None for an event of the browser.
        What has no options is a sentence."""
        names, keep = self.names, self.keep
        self.keys.update(dict.fromkeys(trial.fields))
        session = batch.session or trial.text(*names["session"])
        who = batch.participant or trial.text(*names["participant"]) or batch.otherwise
        if names["participant"] == (FILE,):
            who = batch.participant or batch.path.stem
        if keep:  # fields of the trial itself or of a survey's response
            response = trial.get("response")
            told = Trial("", {**(response if isinstance(response, dict) else {}), **trial.fields})
            facts = self.facts.setdefault((who, session), {})
            keep_into(facts, {name: told.text(name) for name in keep}, keep)
        if "event" in trial.fields and "trial_type" not in trial.fields:
            n_blurs = self.blurs.get((who, session), 0) + (trial.text("event") == "blur")
            self.blurs[who, session] = n_blurs
            return None
        platform = platform_of(names, trial.fields)
        if platform and who:
            self.platforms.setdefault(who, platform)

        def text(ours: str) -> str:
            return trial.text(*names[ours])

        stimulus = text("sentence") or plain(stripped(trial.get("stimulus")))
        shown = stripped(text("option_1")), stripped(text("option_2"))
        if not any(shown) and len(trial.choices) == 2 and not trial.by_key:
            shown = trial.choices[0], trial.choices[1]
        index = trial.text("trial_index")
        return Judgment(
            participant=who,
            session=session,
            trial_id=text("trial_id") or (f"{session}/{who}/{index}" if index else ""),
            item=text("item"),
            condition=text("condition"),
            kind=kind_named(text("kind")),
            list=text("list"),
            prefix=text("prefix") or ("" if text("item") or not shown[1] else stimulus),
            option_1=shown[0] if shown[1] else stimulus,
            option_2=shown[1],
            correct_form=text("correct_form"),
            at=text("at"),
            origin=trial.place,
        )

    def answered(self, claim: Judgment, trial: Trial) -> None:
        """Adds a trial that is one of ours, with what was done in it."""
        if not claim.participant:
            right = f"--map participant=FIELD, or {FILE} where every file is a person"
            raise InputError(trial.place, "no participant", right, kind="format")
        if trial.text("trial_type") == READING:
            self.readings.extend(_readings(trial, claim))
            return
        if trial.names.isdisjoint(RESPONSES):
            self.without.append(trial.place)
        options = (claim.option_1, claim.option_2) if claim.option_2 else ("", "")
        keys = trial.text(*self.names["key_1"]), trial.text(*self.names["key_2"])
        index, rating = _answer(trial, options, keys)
        value = trial.get("rt")
        rt_ms = None if isinstance(value, list) else _number(value, "rt", trial.place)
        if rt_ms is not None and rt_ms < 0:
            raise InputError(trial.place, f"rt is {rt_ms:g}", "0 or more", kind="format")
        verdict = FLAGS.get(trial.text(*self.names["correct"]).lower())
        self.judgments.append(
            replace(
                claim,
                chosen="" if index is None else options[index],
                chosen_index=index,
                correct=None if index is None and rating is None else verdict,
                rating=rating,
                rt_ms=rt_ms,
            )
        )

    def sessions(self, known: Sequence[Session]) -> list[Session]:
        """What the server says, with what the trials add. Whose a session is, its trials know
        best."""
        owners = {each.session: each.participant for each in self.judgments}
        named = [replace(e, participant=owners.get(e.session, e.participant)) for e in known]
        found = {(each.participant, each.session): each for each in named}
        for key in (*self.blurs, *self.facts):
            found.setdefault(key, Session(*key))
        return [
            replace(
                each,
                n_blurs=self.blurs.get(key, each.n_blurs),
                facts={**each.facts, **self.facts.get(key, {})},
            )
            for key, each in found.items()
            if key[0]
        ]


def _answer(
    trial: Trial, options: tuple[str, str], keys: tuple[str, str]
) -> tuple[int | None, float | None]:
    """The option chosen, by its place, or the rating of a trial with a scale (a slider, a Likert
    page, or more than two buttons with numbers on them); twice None where nothing was done.

    `keys` are those of the two options, where the experiment says so. A response is only looked at
    for the option it stands for, so that a word `null` is a word. Raises `InputError` for a
    response that fits none.
    """
    plugin, place, choices = trial.text("trial_type"), trial.place, trial.choices
    value = trial.get(*RESPONSES)
    if "slider" in plugin or "likert" in plugin:
        if isinstance(value, dict):
            if len(value) > 1:
                wrong = f"{len(value)} answers on one page"
                raise InputError(place, wrong, "one scale a trial", kind="format")
            value = next(iter(value.values()), None)
        return None, _number(value, "response", place)
    if not any(options) and len(choices) > 2 and not trial.by_key:
        button = _number(value, "response", place)
        if button is not None and button not in range(len(choices)):
            right = f"a button from 0 to {len(choices) - 1}"
            raise InputError(place, f"response is {value!r}", right, kind="format")
        rating = None if button is None else _number(choices[int(button)], "the button", place)
        return None, rating
    if value is None:
        return None, None
    if not all(options):
        wrong = f"response is {value!r}, and nothing says what the options were"
        right = "save the choices (save_trial_parameters), or --map option_1=FIELD option_2=FIELD"
        raise InputError(place, wrong, right, kind="format")
    text = str(value).strip()
    if not trial.by_key and text in ("0", "1"):
        return int(text), None
    known: Mapping[str, int] = KEYS
    if all(keys):
        known = {each.lower(): at for at, each in enumerate(keys)}
    elif trial.by_key and len(choices) == 2:
        known = {CODES.get(each, each).lower(): at for at, each in enumerate(choices)}
    key = CODES.get(text, text).lower()
    if trial.by_key and key in known:
        return known[key], None
    shown = [normal(option) for option in options]
    if shown.count(normal(text)) == 1:
        return shown.index(normal(text)), None
    right = f"0 or 1 for a button, one of the keys {', '.join(known)} (--map key_1=FIELD), or null"
    raise InputError(place, f"response is {value!r}", right, kind="format")


def _number(value: Any, what: str, place: str) -> float | None:
    """A number, also as text; None for a missing one."""
    if value is None or value == "":
        return None
    try:
        found = float("nan") if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        found = float("nan")
    if not abs(found) < float("inf"):
        raise InputError(place, f"{what} is {value!r}", "a number, or null", kind="format")
    return found


def _readings(trial: Trial, claim: Judgment) -> list[Reading]:
    words, times = trial.get("word"), trial.get("rt")
    if not isinstance(words, list) or not isinstance(times, list) or len(words) != len(times):
        wrong = "words and times do not belong together"
        raise InputError(trial.place, wrong, "arrays `word` and `rt`", kind="format")
    shown = trial.get("sentence")
    sentence = " ".join(map(str, shown)) if isinstance(shown, list) else str(shown or "")
    return [
        Reading(
            participant=claim.participant,
            session=claim.session,
            trial_id=claim.trial_id,
            item=claim.item,
            condition=claim.condition,
            kind=claim.kind,
            sentence=sentence or " ".join(map(str, words)),
            word_index=place,
            word=str(word),
            rt_ms=_number(time, "rt", trial.place),
            at=claim.at,
            origin=trial.place,
        )
        for place, (word, time) in enumerate(zip(words, times, strict=True))
    ]
