"""A study on disk: what is shown to whom in what order, and, apart from it, what is right.

`trials.jsonl` and `key.jsonl` are laid down by the design and held by the manifest's hashes;
`study.toml` and `instructions.LANG.md` are the researchers' own, who edit them. The key is in a
file that only its owner may read, and nothing that goes to a participant is made from it.
"""

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
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
from .settings import SETTINGS, TASKS, Settings, read_settings, to_toml

TRIALS, KEY = "trials.jsonl", "key.jsonl"
MADE_BY = "colorless humans design"
TRIAL_ID = re.compile(r"[A-Za-z0-9-]+")
INSTRUCTIONS = re.compile(r"instructions\.([A-Za-z0-9-]+)\.md")
N_OPTIONS = {"form": 2, "sentence": 2, "rating": 1}


@dataclass(frozen=True, slots=True)
class Trial:
    """What is on one screen.

    Attributes:
        trial_id: unique in the study: letters, digits and `-`.
        list: from 1.
        block: from 1; practice is in block 1.
        position: in its list, from 1; practice is counted apart, before the others.
        kind: target, filler, check or practice.
        task: form, sentence or rating.
        item: item id.
        source: the item's `cluster_id`.
        construction: the item's construction.
        condition: the item's condition.
        prefix: the text before the target; "" where whole sentences are shown.
        options: as shown: two forms or sentences, or the one sentence that is rated.
        language: BCP-47 code.
    """

    trial_id: str
    list: int
    block: int
    position: int
    kind: str
    task: str
    item: str
    source: str
    construction: str
    condition: str
    prefix: str
    options: tuple[str, ...]
    language: str


@dataclass(frozen=True)
class Study:
    """A study as it is in its folder.

    Attributes:
        settings: what the researchers say of it.
        trials: list by list, in the order shown.
        key: trial_id → the right option, "" where there is none; no page holds it.
        folder: where the study is.
    """

    settings: Settings
    trials: tuple[Trial, ...]
    key: Mapping[str, str]
    folder: Path

    @cached_property
    def lists(self) -> Mapping[int, Mapping[str, Trial]]:
        """List → trial_id → trial, in the order shown."""
        by_list: dict[int, dict[str, Trial]] = {}
        for trial in self.trials:
            by_list.setdefault(trial.list, {})[trial.trial_id] = trial
        return dict(sorted(by_list.items()))


def page_fields(trial: Trial) -> dict[str, Any]:
    """What a participant's machine is told of a trial: nothing that says what is asked about, what
    sort of trial it is (but for practice, which has feedback), or what is right."""
    return {
        "trial_id": trial.trial_id,
        "block": trial.block,
        "position": trial.position,
        "practice": trial.kind == "practice",
        "task": trial.task,
        "prefix": trial.prefix,
        "options": list(trial.options),
        "language": trial.language,
    }


def write_study(
    folder: Path,
    settings: Settings,
    trials: Sequence[Trial],
    key: Mapping[str, str],
    instructions: Mapping[str, str],
    entries: Mapping[str, object],
) -> None:
    """Writes a study into a new folder.

    Args:
        folder: new or empty.
        settings: for `study.toml`.
        trials: of all lists, for `trials.jsonl`.
        key: trial_id → the right option, for `key.jsonl`, which its owner alone can read.
        instructions: language → Markdown, for `instructions.LANG.md`.
        entries: further entries of the manifest.

    Raises:
        InputError: for a folder that holds something, or that cannot be written.

    >>> trial = Trial("t1", 1, 1, 1, "target", "form", "i1", "s1", "nsubj", "nonce",
    ...               "the keys", ("are", "is"), "en")
    >>> settings = Settings("Agreement", "en", "form", seed=0)
    >>> write_study(Path("new"), settings, [trial], {"t1": "are"}, {"en": "Choose."}, {})
    >>> sorted(path.name for path in Path("new").iterdir())
    ['instructions.en.md', 'key.jsonl', 'manifest.json', 'study.toml', 'trials.jsonl']
    """
    new_folder(folder, "a new folder for a new study")
    lines = (to_json({"trial_id": name, "right": right}) for name, right in key.items())
    write_private(folder / KEY, "".join(f"{line}\n" for line in lines).encode())
    write_jsonl(folder / TRIALS, map(asdict, trials))
    with write_whole(folder / SETTINGS) as stream:
        stream.write(to_toml(settings))
    for language, text in instructions.items():
        with write_whole(folder / f"instructions.{language}.md") as stream:
            stream.write(text)
    write_manifest(folder, (TRIALS, KEY), {"made_by": MADE_BY, **entries})


def new_folder(folder: Path, right: str) -> None:
    """Makes a folder. Raises `InputError` (saying what would be `right`) for one that holds
    something, or that cannot be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        is_empty = not any(folder.iterdir())
    except OSError as error:
        raise unwritable(folder, error) from error
    if not is_empty:
        raise InputError(str(folder), "the folder is not empty", right, kind="conflict")


def write_private(path: Path, content: bytes) -> None:
    """A whole file that only its owner may read, and nobody else could at any time."""
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
    """Reads a study from its folder and checks that it is whole.

    Args:
        folder: as `design_study` or `write_study` made it.

    Returns:
        The study.

    Raises:
        InputError: for trials or a key that were changed, settings that do not fit them, and a key
            that others than its owner may read.

    >>> trial = Trial("t1", 1, 1, 1, "target", "form", "i1", "s1", "nsubj", "nonce",
    ...               "the keys", ("are", "is"), "en")
    >>> settings = Settings("Agreement", "en", "form", seed=0)
    >>> write_study(Path("study"), settings, [trial], {"t1": "are"}, {"en": "Choose."}, {})
    >>> read_study(Path("study")).key
    {'t1': 'are'}
    """
    right = f"the folder of a study, which {MADE_BY} makes"
    manifest = read_manifest(folder, right)
    listed = manifest.get("files")
    if not isinstance(listed, dict) or not {TRIALS, KEY} <= listed.keys():
        raise InputError(str(folder / MANIFEST), "this is not a study", right, kind="format")
    settings = read_settings(folder / SETTINGS)
    laid_down = {"task": settings.task, "seed": settings.seed, "scale": settings.scale}
    for name, value in laid_down.items():
        if manifest.get(name, value) != value:
            wrong = f"{value!r}, but the study was designed with {manifest[name]!r}"
            right = "the design's own, or a new design"
            raise InputError(f"{folder / SETTINGS}: {name}", wrong, right, kind="changed")
    trials = tuple(_trial(row, location) for location, row in json_lines(folder / TRIALS))
    demand_private(folder / KEY, "the answer key")
    lines = (row for _, row in json_lines(folder / KEY))
    key = {str(row.get("trial_id")): str(row.get("right", "")) for row in lines}
    if [trial.trial_id for trial in trials] != list(key):
        right = "write the study again"
        raise InputError(str(folder / KEY), "not the key of these trials", right, kind="changed")
    return Study(settings, trials, key, folder)


def kinds_in(folder: Path) -> dict[str, str]:
    """Item → what sort of trial it is, as the design of the study in a folder has it; of an item
    that is several, and of all in a folder without trials, nothing."""
    by_item: dict[str, set[str]] = {}
    if (folder / TRIALS).is_file():
        for _, row in json_lines(folder / TRIALS):
            if row.get("kind") in KINDS:
                by_item.setdefault(str(row.get("item")), set()).add(str(row["kind"]))
    return {item: kinds.pop() for item, kinds in by_item.items() if len(kinds) == 1}


def _trial(row: Mapping[str, Any], location: str) -> Trial:
    names = [field.name for field in fields(Trial)]
    try:
        values = {name: row[name] for name in names}
        trial = Trial(**{**values, "options": tuple(map(str, row["options"]))})
        fits = (
            TRIAL_ID.fullmatch(trial.trial_id) is not None
            and trial.kind in KINDS
            and trial.task in TASKS
            and min(trial.list, trial.block, trial.position) >= 1
            and len(trial.options) == N_OPTIONS[trial.task]
        )
    except (KeyError, TypeError):
        fits = False
    if not fits:
        raise InputError(
            location, f"no trial in {json.dumps(row)[:60]}", "write the study again", kind="changed"
        )
    return trial


def read_instructions(folder: Path) -> dict[str, str]:
    """Reads the instructions of a study, as the researchers have edited them.

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
        raise InputError(
            str(folder), "no instructions", "a file instructions.LANG.md", kind="missing"
        )
    return instructions
