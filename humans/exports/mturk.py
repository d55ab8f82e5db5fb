"""Batches for Mechanical Turk in the layout of Gulordava et al. (2018): one trial a HIT.

`list-N.csv` has the paper's six columns, which come back as `Input.*`; `question.html` is the HIT's
page. The column `corr_opt` travels with the batch, as it did in the paper, and the page does not
print it; the answer is the option's place, which no apostrophe can cut off. A worker may take HITs
of several lists unless the requester sees to it.
"""

import html
from collections.abc import Iterator

from colorless_green.data.errors import InputError
from colorless_green.data.languages import direction
from colorless_green.humans.exports import Files, to_csv
from colorless_green.humans.stimulus import CHOICES
from colorless_green.humans.study import Study, Trial

COLUMNS = ("opt1", "opt2", "type", "corr_opt", "sent", "full_id")
TYPES = {("target", "original"): "target_original", ("target", "nonce"): "target_generated"}
SORTS = {"filler": "control"}
MARKUP = ("<", "&", "${")


def files(study: Study, *, experiment: str = "", excel_safe: bool = False) -> Files:
    """The batch of each list, and the page. Practice is left out: a HIT gives no feedback.

    Raises `InputError` for a task without two options, and for texts that would be markup on the
    page, into which Mechanical Turk pastes them as they are.
    """
    task = study.settings.task
    if task not in CHOICES:
        raise InputError(
            "--to mturk", f"the task is {task}", f"one of {', '.join(CHOICES)}", kind="unsupported"
        )
    batches = {}
    for number, trials in study.lists.items():
        shown = [trial for trial in trials.values() if trial.kind != "practice"]
        rows = [_row(trial, study.key[trial.trial_id]) for trial in shown]
        batches[f"list-{number}.csv"] = to_csv(COLUMNS, rows)
    return {**batches, "question.html": "\n".join(_page(study)).encode()}


def _row(trial: Trial, right: str) -> dict[str, object]:
    for text in (trial.prefix, *trial.options):
        if any(mark in text for mark in MARKUP):
            raise InputError(
                f"--to mturk: item {trial.item}",
                f"{text!r} would be markup",
                "another platform",
                kind="unsafe",
            )
    return {
        "opt1": trial.options[0],
        "opt2": trial.options[1],
        "type": TYPES.get((trial.kind, trial.condition), SORTS.get(trial.kind, trial.kind)),
        "corr_opt": 1 + trial.options.index(right),
        "sent": trial.prefix,
        "full_id": trial.item,
    }


def _page(study: Study) -> Iterator[str]:
    settings = study.settings
    marked = ' dir="rtl"' if direction(settings.language) == "rtl" else ""
    yield f'<div lang="{html.escape(settings.language)}"{marked}>'
    yield f"<h1>{html.escape(settings.title)}</h1>"
    for name in ("purpose", "procedure", "risks", "data_kept", "withdrawal", "consent_statement"):
        yield f"<p>{html.escape(getattr(settings, name))}</p>"
    yield f"<p>{html.escape(settings.researcher)}, {html.escape(settings.institution)}, "
    yield f"{html.escape(settings.contact_email)}</p>"
    gap = " ___" if settings.task == "form" else ""
    yield f"<fieldset><legend><bdi>${{sent}}</bdi>{gap}</legend>"
    for place in (1, 2):
        yield f'<label><input type="radio" name="Answer" value="{place}" required>'
        yield f"<bdi>${{opt{place}}}</bdi></label>"
    yield "</fieldset>"
    yield '<p><input type="submit"></p>'
    yield "</div>"
    yield ""
