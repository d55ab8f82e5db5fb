"""The experiment's page with a study in it: one file, `index.html`, that a browser opens anywhere,
from a disk too.

Where answers go: `download` to the person's own machine, `jatos` by `jatos.submitResultData`, or
`datapipe` to the experiment with the id given. The page saves an array of jsPsych's rows, one for
each recorded trial, with the trial's own fields and the answer, its `trial_id` behind the
session's (`SESSION/1-7`), so that `humans import` takes it as it is.

The key is not in it. Practice trials alone bring their right answer, for the feedback. A completion
address and the debriefing are in the file for everybody to read.
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
from ..study.settings import CONSENT, OUTCOMES, missing
from ..study.study import Study, read_instructions
from ..study.texts import MODEL, texts
from . import Files

STATIC = Path(__file__).with_name("static")
LICENCES = "THIRD_PARTY.txt"
SETTINGS = (
    *("title", "language", "task", "scale", "deadline_ms", "minimum_rt_ms"),
    *("redirect_seconds", "debriefing"),
)
SHOWN = ("trial_id", "block", "position", "task", "prefix", "options", "language")
RECORDED = ("list", "kind", "item", "condition")  # fields that the page writes with an answer
RIBBON = "Preview: placeholder texts, answers are not kept"
PLACEHOLDERS: Mapping[str, object] = {
    "duration_minutes": 10,
    "minimum_age": 18,
    "languages_required": ("en",),
}
"""In a preview, for settings that are no texts."""
CONNECTIONS = {  # what the page may reach, and load a script from
    "download": "",
    "datapipe": "; connect-src https://pipe.jspsych.org",
    "jatos": " 'self'; connect-src 'self' ws: wss:; worker-src 'self'",
}


def _files(study: Study, *, to: str, experiment: str = "", excel_safe: bool = False) -> Files:
    """Return the page with a study in it, and the licences of what the page is made of.

    Raises `InputError` where there is no id of an experiment to send answers to.
    """
    answers = {"to": to}
    if to == "datapipe":
        if not experiment:
            right = "the experiment's id as DataPipe shows it"
            raise InputError("experiment", "no id", right, kind="missing")
        answers["experiment"] = experiment
    return _page({**_page_data(study), "answers": answers}, CONNECTIONS[to])


download = partial(_files, to="download")
"""A page that saves people's answers as a file on the machine where they took part."""

jatos = partial(_files, to="jatos")
"""The same for JATOS: the folder is the study's assets, `index.html` its component."""

datapipe = partial(_files, to="datapipe")
"""The same for DataPipe (pipe.jspsych.org), which puts answers on the Open Science Framework."""


def preview_files(study: Study) -> Files:
    """Return the page with placeholders for texts that are still to be written, and a ribbon that
    says so on every screen; it keeps no answers."""
    data, empty = _page_data(study), missing(study.settings)
    filled = {name: PLACEHOLDERS.get(name, f"[{name.replace('_', ' ')}]") for name in empty}
    placeholders = {
        "title": filled.get("title", data["title"]),
        "consent": {**data["consent"], **filled},
        "answers": {"to": "preview"},
        "ribbon": RIBBON,
    }
    return _page({**data, **placeholders}, "")


def _page(data: Mapping[str, object], connections: str) -> Files:
    script, style = (read_text(STATIC / name) for name in ("page.js", "page.css"))
    policy = (
        f"default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; "
        f"style-src {_hash(style)}; script-src {_hash(script)}{connections}"
    )
    page = string.Template(read_text(STATIC / "index.html")).substitute(
        policy=policy,
        icon=base64.b64encode((STATIC / "icon.svg").read_bytes()).decode(),
        style=style,
        script=script,
        # no text of a study may end the element that it is in
        study=json.dumps(data, ensure_ascii=False).replace("<", "\\u003c"),
    )
    return {"index.html": page.encode(), LICENCES: (STATIC / LICENCES).read_bytes()}


def _hash(code: str) -> str:
    """Return the source expression that allows this very code in a page's policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}'"


def _page_data(study: Study) -> dict[str, Any]:
    """Return all that the page knows of a study, but for where answers go."""
    settings, instructions = asdict(study.settings), read_instructions(study.folder)
    pages = dict.fromkeys((study.settings.language, *instructions))
    of_trials = {trial.language for trial in study.trials}
    return {
        **{name: settings[name] for name in SETTINGS},
        "completion": {name: settings["completion"].get(name, "") for name in OUTCOMES},
        "consent": {name: settings[name] for name in CONSENT},
        "instructions": instructions,
        "texts": {language: _texts(study.folder, language) for language in pages},
        "rtl": sorted(code for code in {*pages, *of_trials} if direction(code) == "rtl"),
        "lists": list(study.lists),
        "trials": {number: list(map(_trial, trials)) for number, trials in study.lists.items()},
    }


def _trial(trial: Trial) -> dict[str, Any]:
    """Return what a participant's machine knows of a trial: nothing that is right, but for
    practice, which has feedback."""
    practice = trial.kind == "practice"
    right = {"right": trial.right} if practice else {}
    names = (*SHOWN, *RECORDED)
    return {"practice": practice, **right, **{name: getattr(trial, name) for name in names}}


def _texts(folder: Path, language: str) -> dict[str, str]:
    """Return the words of the page in a language, and which `language` they are in.

    The study's own `page.LANG.json` goes before the texts that come with the page; what neither has
    is in English. Raises `InputError` for a file that is no object of texts.
    """
    codes = (language, language.partition("-")[0])
    file = next((p for code in codes if (p := folder / f"page.{code}.json").is_file()), None)
    bundled, english = texts(language), texts(MODEL)
    assert english is not None, "it comes with the package"
    words = _own_texts(file) if file is not None else bundled.page if bundled is not None else {}
    return {**english.page, **words, "language": language if words else MODEL}


def _own_texts(path: Path) -> dict[str, str]:
    right = "an object of names and texts, like the bundled ones"
    words = parse_json(read_text(path), str(path), right)
    if not isinstance(words, dict) or not all(isinstance(text, str) for text in words.values()):
        raise InputError(str(path), "not an object of texts", right, kind="format")
    return words
