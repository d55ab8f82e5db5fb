"""What the server knows of its study: what it tells pages, and which of it to whom."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from colorless_green.data.errors import InputError
from colorless_green.data.files import read_text
from colorless_green.humans.settings import CONSENT, Settings
from colorless_green.humans.study import Study, Trial, read_instructions, shown
from colorless_green.humans.web.database import study_id

STATIC = Path(__file__).parent / "static"
TEXTS_RIGHT = "an object of names and texts, like the bundled ones"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
PAGE_SETTINGS = (
    *("title", "language", "task", "scale", "deadline_ms", "minimum_rt_ms"),
    "redirect_seconds",
)


@dataclass(frozen=True, slots=True)
class File:
    """A file that anybody may have."""

    content: bytes
    type: str
    etag: str


def file(content: bytes, suffix: str) -> File:
    """With its type, and an ETag that changes with the content."""
    return File(content, TYPES[suffix], f'"{hashlib.sha256(content).hexdigest()[:16]}"')


def site_files(study: Study) -> dict[str, File]:
    """Path → file: all that is served, so that no path can lead to another file.

    The study's own `page.LANG.json` goes before the texts that come with the page. Raises
    `InputError` for one that is no object of texts, and for a package without the built page.
    """
    if not (STATIC / "index.html").is_file():
        right = "npm ci && npm run build in humans/web/page"
        raise InputError("humans serve", "the page is not built", right, kind="missing")
    found = {
        f"/{path.relative_to(STATIC).as_posix()}": file(path.read_bytes(), path.suffix)
        for path in sorted(STATIC.rglob("*"))
        if path.is_file()
    }
    for path in sorted(study.folder.glob("page.*.json")):
        language = path.name.removeprefix("page.").removesuffix(".json")
        found[f"/texts/{language}.json"] = file(_own_texts(path), ".json")
    found["/study.json"] = file(_json(about(study)), ".json")
    found["/"] = found["/index.html"]
    return found


def _own_texts(path: Path) -> bytes:
    try:
        texts = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise InputError(str(path), f"not JSON ({error})", TEXTS_RIGHT, kind="format") from None
    if not isinstance(texts, dict) or not all(isinstance(each, str) for each in texts.values()):
        raise InputError(str(path), "not an object of texts", TEXTS_RIGHT, kind="format")
    return _json(texts)


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def about(study: Study) -> dict[str, Any]:
    """What everybody may know of a study before they consent: `study.json`."""
    settings = asdict(study.settings)
    return {
        "study": study_id(study),
        **{name: settings[name] for name in PAGE_SETTINGS},
        "consent": {name: settings[name] for name in CONSENT},
        "consent_version": consent_version(study.settings),
        "instructions": read_instructions(study.folder),
        "answers": {"to": "server"},
    }


def consent_version(settings: Settings) -> str:
    """SHA-256 (hex) over all that people consent to."""
    told = {name: asdict(settings)[name] for name in ("title", "deadline_ms", *CONSENT)}
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Lists:
    """The trials of a study by list, and what is right, which only these methods look at."""

    study: Study

    @cached_property
    def by_list(self) -> Mapping[int, Mapping[str, Trial]]:
        """List → trial_id → trial, in the order shown."""
        found: dict[int, dict[str, Trial]] = {}
        for trial in self.study.trials:
            found.setdefault(trial.list, {})[trial.trial_id] = trial
        return dict(sorted(found.items()))

    def told(self, number: int) -> list[dict[str, Any]]:
        """What a page is told of the trials of a list. Of practice alone also the right answer,
        for the feedback."""
        return [
            {**shown(trial), "right": self.study.key[trial.trial_id]}
            if trial.kind == "practice"
            else shown(trial)
            for trial in self.by_list[number].values()
        ]

    def failed_checks(self, number: int, contents: Mapping[str, str]) -> int:
        """How many attention checks of a list were answered wrong. `contents` maps trials to
        answers, as they are stored; no answer is not a wrong one."""
        failed = 0
        for trial in self.by_list[number].values():
            if trial.kind == "check" and trial.trial_id in contents:
                given = given_answer(trial, json.loads(contents[trial.trial_id]))
                failed += given not in ("", self.study.key[trial.trial_id])
        return failed


def given_answer(trial: Trial, content: Mapping[str, Any]) -> str:
    """An answer as the key has it: the option chosen, or the number given; "" for none."""
    index: int | None = content["chosen_index"]
    if index is not None:
        return trial.options[index]
    return "" if content["rating"] is None else f"{content['rating']:g}"
