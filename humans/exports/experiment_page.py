"""The web page of an experiment with a study in it: a single file, `index.html`, for any browser.

There are three versions. They differ in where answers go: `download` saves a file on the
participant's machine, `jatos` calls `jatos.submitResultData`, and `datapipe` sends answers to a
DataPipe experiment. The page saves an array with one row per trial, as jsPsych does: the fields of
the trial and the answer. The `trial_id` has the session before it (`SESSION/1-7`), so that
`humans import` reads the data as they are.

The page contains no right answers, except those of practice trials, for feedback. Anybody can read
the completion address and the debriefing in the file.
"""

import base64
import hashlib
import json
import string
from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from ...data.errors import InputError
from ...data.files import read_text
from ...data.languages import direction
from ...data.records import parse_json
from ..study import Trial
from ..study.settings import CONSENT, OUTCOMES, missing_settings
from ..study.study import Study, read_instructions
from ..study.texts import TEMPLATE_LANGUAGE, texts
from . import Files

STATIC = Path(__file__).with_name("static")
LICENCES = "THIRD_PARTY.txt"
PAGE_SETTINGS = (  # settings of a study that the page needs
    *("title", "language", "task", "scale", "deadline_ms", "minimum_rt_ms"),
    *("redirect_seconds", "debriefing"),
)
# fields of a trial that the page shows or uses, and those that it only saves with the answer
SHOWN = ("trial_id", "block", "position", "task", "prefix", "options", "language")
RECORDED = ("list", "kind", "item", "condition")
RIBBON = "Preview: placeholder texts, answers are not kept"
PLACEHOLDERS: Mapping[str, object] = {
    "duration_minutes": 10,
    "minimum_age": 18,
    "languages_required": ("en",),
}
"""Values that a preview shows for empty settings that are not texts."""
CONNECTIONS = {  # what the page's security policy lets it connect to, and load scripts from
    "download": "",
    "datapipe": "; connect-src https://pipe.jspsych.org",
    "jatos": " 'self'; connect-src 'self' ws: wss:; worker-src 'self'",
}


def _page_files(study: Study, *, to: str, experiment: str = "", excel_safe: bool = False) -> Files:
    """Return the page with a study in it, and the licences of the software in the page.

    `to` says where answers go: download, jatos or datapipe. Raises `InputError` for datapipe
    without the id of an experiment.
    """
    answers = {"to": to}
    if to == "datapipe":
        if not experiment:
            right = "the experiment's id as DataPipe shows it"
            raise InputError("experiment", "no id", right, kind="missing")
        answers["experiment"] = experiment
    return _page({**_page_data(study), "answers": answers}, CONNECTIONS[to])


download = partial(_page_files, to="download")
"""A page that saves people's answers as a file on the machine where they took part."""

jatos = partial(_page_files, to="jatos")
"""The same for JATOS: the folder is the study's assets, `index.html` its component."""

datapipe = partial(_page_files, to="datapipe")
"""The same for DataPipe (pipe.jspsych.org), which puts answers on the Open Science Framework."""


def preview_files(study: Study) -> Files:
    """Return a preview of the page, which keeps no answers.

    It has placeholders for the texts that are still empty, and a ribbon on every screen says that
    it is a preview.
    """
    data, empty = _page_data(study), missing_settings(study.settings)
    filled = {name: PLACEHOLDERS.get(name, f"[{name.replace('_', ' ')}]") for name in empty}
    replaced = {
        "title": filled.get("title", data["title"]),
        "consent": {**data["consent"], **filled},
        "answers": {"to": "preview"},
        "ribbon": RIBBON,
    }
    return _page({**data, **replaced}, "")


def _page(data: Mapping[str, object], connections: str) -> Files:
    """Put data, script and style into the page's template; return the page and the licences.

    `connections` is added to the page's security policy, which allows only its own code.
    """
    script, style = (read_text(STATIC / name) for name in ("page.js", "page.css"))
    policy = (
        f"default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; "
        f"style-src {_policy_hash(style)}; script-src {_policy_hash(script)}{connections}"
    )
    page = string.Template(read_text(STATIC / "index.html")).substitute(
        policy=policy,
        icon=base64.b64encode((STATIC / "icon.svg").read_bytes()).decode(),
        style=style,
        script=script,
        # escape "<", so that no text can close the script element that it stands in
        study=json.dumps(data, ensure_ascii=False).replace("<", "\\u003c"),
    )
    return {"index.html": page.encode(), LICENCES: (STATIC / LICENCES).read_bytes()}


def _policy_hash(code: str) -> str:
    """Return the hash of a piece of code in the form that a security policy has it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}'"


def _page_data(study: Study) -> dict[str, Any]:
    """Return the data of a study that the page contains, except where answers go."""
    settings, instructions = asdict(study.settings), read_instructions(study.folder)
    page_languages = dict.fromkeys((study.settings.language, *instructions))
    languages = {*page_languages, *(trial.language for trial in study.trials)}
    return {
        **{name: settings[name] for name in PAGE_SETTINGS},
        "completion": {name: settings["completion"].get(name, "") for name in OUTCOMES},
        "consent": {name: settings[name] for name in CONSENT},
        "instructions": instructions,
        "texts": {language: _page_texts(study.folder, language) for language in page_languages},
        "rtl": sorted(code for code in languages if direction(code) == "rtl"),
        "lists": list(study.lists),
        "trials": {n: list(map(_trial_data, trials)) for n, trials in study.lists.items()},
    }


def _trial_data(trial: Trial) -> dict[str, Any]:
    """Return the fields of a trial that the page contains; the right answer only for practice."""
    is_practice = trial.kind == "practice"
    right = {"right": trial.right} if is_practice else {}
    names = (*SHOWN, *RECORDED)
    return {"practice": is_practice, **right, **{name: getattr(trial, name) for name in names}}


def _page_texts(folder: Path, language: str) -> dict[str, str]:
    """Return the page's texts (labels of buttons and so on) in a language: name → text.

    The study's own `page.LANG.json` replaces the texts that come with the package; texts that are
    in neither are English. The entry `language` tells the language of the texts. Raises
    `InputError` for a file that is not an object of texts.
    """
    codes = (language, language.partition("-")[0])
    file = next((p for code in codes if (p := folder / f"page.{code}.json").is_file()), None)
    bundled, english = texts(language), texts(TEMPLATE_LANGUAGE)
    assert english is not None, "it comes with the package"
    words = _read_texts(file) if file is not None else bundled.page if bundled is not None else {}
    return {**english.page, **words, "language": language if words else TEMPLATE_LANGUAGE}


def _read_texts(path: Path) -> dict[str, str]:
    """Read a study's own texts of the page: name → text."""
    right = "an object of names and texts, like the bundled ones"
    words = parse_json(read_text(path), str(path), right)
    if not isinstance(words, dict) or not all(isinstance(text, str) for text in words.values()):
        raise InputError(str(path), "not an object of texts", right, kind="format")
    return words
