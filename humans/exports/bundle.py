"""The page that `colorless humans serve` shows, for a place that only hands out files.

A folder with the built page, `study.json` (what is said to people, and where answers go) and
`list-N.json` (what list N shows). Where answers go: `download` to the person's own machine, `jatos`
by `jatos.submitResultData`, or `datapipe` to the experiment with the id given. The page saves an
array of jsPsych's rows, one for each recorded trial, with the trial's own fields beside the answer,
its `trial_id` behind the session's (`SESSION/1-7`), so that `humans import` takes it as it is.

The key is in none of the files. Practice trials alone bring their right answer, for the feedback.
A completion address is in `study.json` for everybody to read: without a server of ours nobody else
could send people back.
"""

import json
from functools import partial

from colorless_green.data.errors import InputError
from colorless_green.humans.exports import Files
from colorless_green.humans.study import Study
from colorless_green.humans.web.site import about, site_files, trials_of

RECORDED = ("list", "kind", "item", "condition")  # fields that the page writes beside an answer


def _files(study: Study, *, to: str, experiment: str = "", excel_safe: bool = False) -> Files:
    """Raises `InputError` where the package came without the built page, and without the id of an
    experiment to send answers to."""
    answers = {"to": to}
    if to == "datapipe":
        if not experiment:
            right = "the experiment's id as DataPipe shows it"
            raise InputError("--experiment", "no id", right, kind="missing")
        answers["experiment"] = experiment
    files = {path.removeprefix("/"): file.content for path, file in site_files(study).items()}
    del files[""]  # the same as index.html
    files["study.json"] = _json(
        {
            **about(study),
            "completion": dict(study.settings.completion),
            "lists": list(study.lists),
            "answers": answers,
        }
    )
    for number, trials in study.lists.items():
        rows = [
            {**trial, **{name: getattr(trials[trial["trial_id"]], name) for name in RECORDED}}
            for trial in trials_of(study, number)
        ]
        files[f"list-{number}.json"] = _json(rows)
    return files


def _json(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()


download = partial(_files, to="download")
"""A page that hands people their answers as a file."""

jatos = partial(_files, to="jatos")
"""The same for JATOS: the folder is the study's assets, `index.html` its component."""

datapipe = partial(_files, to="datapipe")
"""The same for DataPipe (pipe.jspsych.org), which puts answers on the Open Science Framework."""
