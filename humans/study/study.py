"""A study on disk: the trials of each list and, apart from them, the right answers.

`trials.jsonl` and `key.jsonl` are laid down by the design and held by the manifest's hashes;
`study.toml` and `instructions.LANG.md` are the researchers' own, who edit them. The key is in a
file that only its owner may read, and nothing that goes to a participant is made from it.
"""

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ...data.errors import InputError
from ...data.files import (
    MANIFEST,
    read_manifest,
    read_text,
    unwritable,
    write_manifest,
    write_whole,
)
from ...data.records import json_lines, to_json
from ...data.tables import write_jsonl
from ..judgments.judgment import KINDS
from ..judgments.pseudonym import demand_private
from . import CHOICES, SHOWN, Trial
from .settings import SETTINGS, TASKS, Settings, read_settings, to_toml

TRIALS, KEY = "trials.jsonl", "key.jsonl"
MADE_BY = "colorless humans design"
TRIAL_ID = re.compile(r"[A-Za-z0-9-]+")
INSTRUCTIONS = re.compile(r"instructions\.([A-Za-z0-9-]+)\.md")


@dataclass(frozen=True)
class Study:
    """A study as it is in its folder.

    Attributes:
        settings: what the researchers say of it.
        trials: list by list, in the order shown, with what is right, which no page holds.
        folder: where the study is.
    """

    settings: Settings
    trials: tuple[Trial, ...]
    folder: Path

    @cached_property
    def lists(self) -> Mapping[int, Sequence[Trial]]:
        """List → its trials, in the order shown."""
        by_list: dict[int, list[Trial]] = {}
        for trial in self.trials:
            by_list.setdefault(trial.list, []).append(trial)
        return dict(sorted(by_list.items()))


def write_study(
    folder: Path,
    settings: Settings,
    trials: Sequence[Trial],
    instructions: Mapping[str, str],
    entries: Mapping[str, object],
) -> None:
    """Write a study into a new folder.

    Args:
        folder: new or empty.
        settings: for `study.toml`.
        trials: of all lists: for `trials.jsonl`, and what is right for `key.jsonl`, which its owner
            alone can read.
        instructions: language → Markdown, for `instructions.LANG.md`.
        entries: further entries of the manifest.

    Raises:
        InputError: for a folder that holds something, or that cannot be written.

    >>> trial = Trial(trial_id="t1", list=1, position=1, kind="target", task="form", item="i1",
    ...               source="s1", prefix="the keys", options=("are", "is"), language="en",
    ...               right="are")
    >>> settings = Settings("Agreement", "en", "form", seed=0)
    >>> write_study(Path("new"), settings, [trial], {"en": "Choose."}, {})
    >>> sorted(path.name for path in Path("new").iterdir())
    ['instructions.en.md', 'key.jsonl', 'manifest.json', 'study.toml', 'trials.jsonl']
    """
    new_folder(folder, "a new folder for a new study")
    key = (to_json({"trial_id": trial.trial_id, "right": trial.right}) for trial in trials)
    write_private(folder / KEY, "".join(f"{line}\n" for line in key).encode())
    write_jsonl(folder / TRIALS, (trial.shown() for trial in trials))
    with write_whole(folder / SETTINGS) as stream:
        stream.write(to_toml(settings))
    for language, text in instructions.items():
        with write_whole(folder / f"instructions.{language}.md") as stream:
            stream.write(text)
    write_manifest(folder, (TRIALS, KEY), {"made_by": MADE_BY, **entries})


def new_folder(folder: Path, right: str) -> None:
    """Make a folder. Raises `InputError` (saying what would be `right`) for one that holds
    something, or that cannot be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        is_empty = not any(folder.iterdir())
    except OSError as error:
        raise unwritable(folder, error) from error
    if not is_empty:
        raise InputError(str(folder), "the folder is not empty", right, kind="conflict")


def write_private(path: Path, content: bytes) -> None:
    """Write a whole file that only its owner may read, and nobody else could at any time."""
    temporary = path.with_name(f".{path.name}")
    try:
        temporary.unlink(missing_ok=True)
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except OSError as error:
        raise unwritable(path, error) from error


def read_study(folder: Path) -> Study:
    """Read a study from its folder and check that it is whole.

    Args:
        folder: as `design_study` or `write_study` made it.

    Returns:
        The study.

    Raises:
        InputError: for trials or a key that were changed, settings that do not fit them, and a key
            that others than its owner may read.

    >>> trial = Trial(trial_id="t1", list=1, position=1, kind="target", task="form", item="i1",
    ...               source="s1", prefix="the keys", options=("are", "is"), language="en",
    ...               right="are")
    >>> settings = Settings("Agreement", "en", "form", seed=0)
    >>> write_study(Path("study"), settings, [trial], {"en": "Choose."}, {})
    >>> read_study(Path("study")).trials == (trial,)
    True
    """
    right = f"the folder of a study, which {MADE_BY} makes"
    manifest = read_manifest(folder, right)
    listed = manifest.get("files")
    if not isinstance(listed, dict) or not {TRIALS, KEY} <= listed.keys():
        raise InputError(str(folder / MANIFEST), "this is not a study", right, kind="format")
    settings = read_settings(folder / SETTINGS)
    for name in ("task", "seed", "scale"):
        value, designed = getattr(settings, name), manifest.get(name)
        if designed not in (None, value):
            wrong = f"{value!r}, but the study was designed with {designed!r}"
            right = "the design's own, or a new design"
            raise InputError(f"{folder / SETTINGS}: {name}", wrong, right, kind="changed")
    trials = [_trial(row, location) for location, row in json_lines(folder / TRIALS)]
    demand_private(folder / KEY, "the answer key")
    key = [row for _, row in json_lines(folder / KEY)]
    if [trial.trial_id for trial in trials] != [row.get("trial_id") for row in key]:
        right = "write the study again"
        raise InputError(str(folder / KEY), "not the key of these trials", right, kind="changed")
    pairs = zip(trials, key, strict=True)
    whole = (replace(trial, right=str(row.get("right", ""))) for trial, row in pairs)
    return Study(settings, tuple(whole), folder)


def shown_in(folder: Path) -> tuple[dict[str, str], list[dict[str, str]]]:
    """Return what a study's folder says of what was shown: item → kind of trial, without items of
    several kinds; and fillers, checks and practice with two options, by columns of a table of
    items, if the key is there. Nothing without trials."""
    by_item: dict[str, set[str]] = {}
    others: dict[str, dict[str, str]] = {}
    trials, key = folder / TRIALS, folder / KEY
    rows = list(json_lines(trials)) if trials.is_file() else []
    rights = (
        {r.get("trial_id"): r.get("right") for _, r in json_lines(key)} if key.is_file() else {}
    )
    for location, row in rows:
        if row.get("kind") in KINDS:
            by_item.setdefault(str(row.get("item")), set()).add(str(row["kind"]))
        if not key.is_file():
            continue
        trial = replace(_trial(row, location), right=str(rights.get(row.get("trial_id")) or ""))
        wrong = [option for option in trial.options if option != trial.right]
        if trial.kind != "target" and len(wrong) == 1 < len(trial.options):
            names = ("item", "kind", "source", "construction", "condition", "prefix", "language")
            forms = {"correct_form": trial.right, "wrong_form": wrong[0]}
            others.setdefault(trial.item, {**{n: getattr(trial, n) for n in names}, **forms})
    kinds = {item: found.pop() for item, found in by_item.items() if len(found) == 1}
    return kinds, list(others.values())


def _trial(row: Mapping[str, Any], location: str) -> Trial:
    try:
        values = {name: row[name] for name in SHOWN}
        trial = Trial(**{**values, "options": tuple(map(str, row["options"]))})
        fits = (
            TRIAL_ID.fullmatch(trial.trial_id) is not None
            and trial.kind in KINDS
            and trial.task in TASKS
            and min(trial.list, trial.block, trial.position) >= 1
            and len(trial.options) == 1 + (trial.task in CHOICES)
        )
    except (KeyError, TypeError):
        fits = False
    if not fits:
        wrong = f"no trial in {json.dumps(row)[:60]}"
        raise InputError(location, wrong, "write the study again", kind="changed")
    return trial


def read_instructions(folder: Path) -> dict[str, str]:
    """Read the instructions of a study, as the researchers have edited them.

    Args:
        folder: of the study.

    Returns:
        Language → what participants read before they begin, in Markdown.

    Raises:
        InputError: where there are none.

    >>> _ = Path("instructions.en.md").write_text("Choose the word that continues the sentence.")
    >>> read_instructions(Path())
    {'en': 'Choose the word that continues the sentence.'}
    """
    instructions = {
        match[1]: read_text(path)
        for path in sorted(folder.iterdir())
        if (match := INSTRUCTIONS.fullmatch(path.name))
    }
    if not instructions:
        right = "a file instructions.LANG.md"
        raise InputError(str(folder), "no instructions", right, kind="missing")
    return instructions
