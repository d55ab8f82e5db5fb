"""A study on disk: the trials of each list and, apart from them, the right answers.

The design writes `trials.jsonl` and `key.jsonl`, and the manifest has their hashes, so that changes
are noticed. Researchers edit `study.toml` and `instructions.LANG.md`. The key has right answers;
only its owner may read that file, and nothing that goes to a participant is made from it.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
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
from ...data.records import json_lines
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
    """A study as read from its folder.

    Attributes:
        settings: the settings that the researchers fill in.
        trials: the trials of all lists, list by list, in the order shown, with right answers.
        folder: the folder that the study is in.
    """

    settings: Settings
    trials: tuple[Trial, ...]
    folder: Path

    @cached_property
    def lists(self) -> Mapping[int, Sequence[Trial]]:
        """Number of the list → its trials, in the order shown."""
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
        folder: a new or empty folder.
        settings: the settings, for `study.toml`.
        trials: the trials of all lists, for `trials.jsonl`; their right answers go to `key.jsonl`,
            which only its owner can read.
        instructions: language → Markdown, for `instructions.LANG.md`.
        entries: further entries of the manifest.

    Raises:
        InputError: for a folder that is not empty, or that cannot be written.

    >>> trial = Trial(trial_id="t1", list=1, position=1, kind="target", task="form", item="i1",
    ...               source="s1", prefix="the keys", options=("are", "is"), language="en",
    ...               right="are")
    >>> settings = Settings("Agreement", "en", "form", seed=0)
    >>> write_study(Path("new"), settings, [trial], {"en": "Choose."}, {})
    >>> sorted(path.name for path in Path("new").iterdir())
    ['instructions.en.md', 'key.jsonl', 'manifest.json', 'study.toml', 'trials.jsonl']
    """
    new_folder(folder, "a new folder for a new study")
    with private_files():
        key = ({"trial_id": trial.trial_id, "right": trial.right} for trial in trials)
        write_jsonl(folder / KEY, key)
    write_jsonl(folder / TRIALS, (trial.shown() for trial in trials))
    with write_whole(folder / SETTINGS) as stream:
        stream.write(to_toml(settings))
    for language, text in instructions.items():
        with write_whole(folder / f"instructions.{language}.md") as stream:
            stream.write(text)
    write_manifest(folder, (TRIALS, KEY), {"made_by": MADE_BY, **entries})


def new_folder(folder: Path, right: str) -> None:
    """Make a folder, unless it exists and is empty.

    Raises `InputError` if it is not empty or can't be made; `right` says what the user needs.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        is_empty = not any(folder.iterdir())
    except OSError as error:
        raise unwritable(folder, error) from error
    if not is_empty:
        raise InputError(str(folder), "the folder is not empty", right, kind="conflict")


@contextmanager
def private_files() -> Iterator[None]:
    """Make files that are written meanwhile readable for their owner alone."""
    mask = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(mask)


def read_study(folder: Path) -> Study:
    """Read a study from its folder and check that it is complete and unchanged.

    Args:
        folder: a folder that `design_study` or `write_study` made.

    Returns:
        The study.

    Raises:
        InputError: for trials or a key that were changed, for settings that do not fit them, and
            for a key that others than its owner may read.

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
    for name in ("task", "seed", "scale"):  # what the design has set and nobody may change
        value, designed = getattr(settings, name), manifest.get(name)
        if designed not in (None, value):
            wrong = f"{value!r}, but the study was designed with {designed!r}"
            right = "the design's own, or a new design"
            raise InputError(f"{folder / SETTINGS}: {name}", wrong, right, kind="changed")
    trials = [_trial_in(row, location) for location, row in json_lines(folder / TRIALS)]
    demand_private(folder / KEY, "the answer key")
    key = [row for _, row in json_lines(folder / KEY)]
    if [trial.trial_id for trial in trials] != [row.get("trial_id") for row in key]:
        right = "write the study again"
        raise InputError(str(folder / KEY), "not the key of these trials", right, kind="changed")
    pairs = zip(trials, key, strict=True)
    with_right = (replace(trial, right=str(row.get("right", ""))) for trial, row in pairs)
    return Study(settings, tuple(with_right), folder)


def read_shown_items(folder: Path) -> tuple[dict[str, str], list[dict[str, str]]]:
    """Read from a study's folder which items were shown.

    The first result is item id → kind of trial, without items that were shown as several kinds. The
    second has the fillers, checks and practice trials with two options, as rows of a table of
    items; it is empty if the folder has no key. Both are empty if it has no trials.
    """
    trials_file, key_file = folder / TRIALS, folder / KEY
    located_rows = list(json_lines(trials_file)) if trials_file.is_file() else []
    kinds_of_item: dict[str, set[str]] = {}
    for _, row in located_rows:
        if row.get("kind") in KINDS:
            kinds_of_item.setdefault(str(row.get("item")), set()).add(str(row["kind"]))
    kind_of_item = {item: kinds.pop() for item, kinds in kinds_of_item.items() if len(kinds) == 1}
    if not key_file.is_file():
        return kind_of_item, []
    right_of = {row.get("trial_id"): row.get("right") for _, row in json_lines(key_file)}
    trials = (
        replace(_trial_in(row, location), right=str(right_of.get(row.get("trial_id")) or ""))
        for location, row in located_rows
    )
    return kind_of_item, _item_rows(trial for trial in trials if trial.kind != "target")


def _item_rows(trials: Iterable[Trial]) -> list[dict[str, str]]:
    """Return a row of a table of items for each item of the trials that has a right and a wrong
    option."""
    names = ("item", "kind", "source", "construction", "condition", "prefix", "language")
    rows: dict[str, dict[str, str]] = {}
    for trial in trials:
        not_right = [option for option in trial.options if option != trial.right]
        if len(trial.options) > 1 and len(not_right) == 1:
            (wrong,) = not_right
            forms = {"correct_form": trial.right, "wrong_form": wrong}
            rows.setdefault(trial.item, {**{name: getattr(trial, name) for name in names}, **forms})
    return list(rows.values())


def _trial_in(row: Mapping[str, Any], location: str) -> Trial:
    """Return the trial of a line of `trials.jsonl`. Raises `InputError` if the line is no trial."""
    try:
        values = {name: row[name] for name in SHOWN}
        trial = Trial(**{**values, "options": tuple(map(str, row["options"]))})
        n_options = 2 if trial.task in CHOICES else 1
        fits = (
            TRIAL_ID.fullmatch(trial.trial_id) is not None
            and trial.kind in KINDS
            and trial.task in TASKS
            and min(trial.list, trial.block, trial.position) >= 1
            and len(trial.options) == n_options
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
        folder: the study's folder.

    Returns:
        Language → what participants read before they begin, in Markdown.

    Raises:
        InputError: if the folder has no instructions.

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
