"""What the server knows of its study: what it tells pages, and which of it to whom."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from colorless_green.data.errors import InputError
from colorless_green.data.files import read_text
from colorless_green.data.languages import direction
from colorless_green.humans.settings import CONSENT, Settings
from colorless_green.humans.study import Study, Trial, read_instructions, shown
from colorless_green.humans.texts import languages, texts
from colorless_green.humans.web.database import study_id

STATIC = Path(__file__).parent / "static"
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


class StaticFile(NamedTuple):
    """A file that anybody may have."""

    content: bytes
    type: str
    etag: str  # changes with the content


def _file(content: bytes | dict[str, Any], suffix: str = ".json") -> StaticFile:
    if not isinstance(content, bytes):
        content = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
    return StaticFile(content, TYPES[suffix], f'"{hashlib.sha256(content).hexdigest()[:16]}"')


def site_files(study: Study) -> dict[str, StaticFile]:
    """Path → file: all that is served, so that no path can lead to another file.

    The study's own `page.LANG.json` goes before the texts that come with the page. Raises
    `InputError` for one that is no object of texts, and for a package without the built page.
    """
    if not (STATIC / "index.html").is_file():
        right = "npm ci && npm run build in humans/web/page"
        raise InputError("humans serve", "the page is not built", right, kind="missing")
    files = {
        f"/{path.relative_to(STATIC).as_posix()}": _file(path.read_bytes(), path.suffix)
        for path in sorted(STATIC.rglob("*"))
        if path.is_file()
    }
    for language in languages():
        bundled = texts(language)
        assert bundled is not None, "it comes with the package"
        files[f"/texts/{language}.json"] = _file(dict(bundled.page))
    for path in sorted(study.folder.glob("page.*.json")):
        files[f"/texts/{path.name.removeprefix('page.')}"] = _file(_own_texts(path))
    files["/study.json"] = _file(about(study))
    files["/"] = files["/index.html"]
    return files


def _own_texts(path: Path) -> dict[str, str]:
    right = "an object of names and texts, like the bundled ones"
    try:
        words = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise InputError(str(path), f"not JSON ({error})", right, kind="format") from None
    if not isinstance(words, dict) or not all(isinstance(text, str) for text in words.values()):
        raise InputError(str(path), "not an object of texts", right, kind="format")
    return words


def about(study: Study) -> dict[str, Any]:
    """What everybody may know of a study before they consent: `study.json`."""
    settings = asdict(study.settings)
    return {
        "study": study_id(study),
        **{name: settings[name] for name in PAGE_SETTINGS},
        "consent": {name: settings[name] for name in CONSENT},
        "consent_version": consent_version(study.settings),
        "instructions": read_instructions(study.folder),
        "rtl": sorted(
            language for language in page_languages(study) if direction(language) == "rtl"
        ),
        "answers": {"to": "server"},
    }


def page_languages(study: Study) -> set[str]:
    """The languages of the page and of what is on it."""
    translated = (path.name.split(".")[1] for path in study.folder.glob("page.*.json"))
    shown_in = (trial.language for trial in study.trials)
    of_study = (study.settings.language, *read_instructions(study.folder))
    return {*languages(), *translated, *shown_in, *of_study}


def consent_version(settings: Settings) -> str:
    """SHA-256 (hex) over all that people consent to."""
    agreed = {name: asdict(settings)[name] for name in ("title", "deadline_ms", *CONSENT)}
    return hashlib.sha256(json.dumps(agreed, sort_keys=True).encode()).hexdigest()


def trials_of(study: Study, number: int) -> list[dict[str, Any]]:
    """What a page is told of the trials of a list. Of practice alone also the right answer, for the
    feedback."""
    return [
        {**shown(trial), "right": study.key[trial.trial_id]}
        if trial.kind == "practice"
        else shown(trial)
        for trial in study.lists[number].values()
    ]


def end_of(study: Study, number: int, contents: Mapping[str, str]) -> dict[str, str]:
    """What somebody is told who has finished a list: what the study was about, and where they go
    ("" for nowhere), which depends on how many attention checks they answered wrong; no answer is
    not a wrong one. `contents` maps trials to answers, as they are stored."""
    settings, failed = study.settings, 0
    for trial_id, trial in study.lists[number].items():
        if trial.kind == "check" and trial_id in contents:
            given = given_answer(trial, json.loads(contents[trial_id]))
            failed += given not in ("", study.key[trial_id])
    allowed, elsewhere = settings.exclusion.max_failed_checks, settings.completion
    has_failed = allowed is not None and failed > allowed
    completion = (has_failed and elsewhere.get("failed_check")) or elsewhere.get("complete", "")
    return {"debriefing": settings.debriefing, "completion": completion}


def given_answer(trial: Trial, content: Mapping[str, Any]) -> str:
    """An answer as the key has it: the option chosen, or the number given; "" for none."""
    index: int | None = content["chosen_index"]
    if index is not None:
        return trial.options[index]
    return "" if content["rating"] is None else f"{content['rating']:g}"
