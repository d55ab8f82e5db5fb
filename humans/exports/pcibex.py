"""A project for PCIbex (PennController), in the folders that PCIbex and its GitHub link expect.

`chunk_includes/trials.csv` has a row for each trial; its list is a group of PCIbex's Latin square.
`data_includes/main.js` shows the trials in the order of the table and logs what the import needs.
Neither contains right answers, except those of practice trials.
"""

import html
import json
import string
from pathlib import Path

from ...data.errors import InputError
from ...data.languages import direction
from ..study import Trial
from ..study.settings import CONSENT, POINTS
from ..study.study import Study, read_instructions
from . import Files, row_of, to_csv

COLUMNS = (
    *("group", "list", "block", "kind", "task", "item", "condition", "prefix"),
    *("option_1", "option_2", "sentence", "right"),
)
SCRIPT_TEMPLATE = Path(__file__).with_name("pcibex.js")


def files(study: Study, *, experiment: str = "", excel_safe: bool = False) -> Files:
    """Return the files of a PCIbex project: path → content.

    Raises `InputError` for the scale magnitude, whose typed numbers PCIbex logs in a form that the
    import does not read.
    """
    settings = study.settings
    if settings.task == "rating" and settings.scale not in POINTS:
        wrong = f"the scale is {settings.scale}"
        raise InputError("to", wrong, ", ".join(POINTS), kind="unsupported")
    script = string.Template(SCRIPT_TEMPLATE.read_text(encoding="utf-8")).substitute(
        points=json.dumps([str(point) for point in POINTS.get(settings.scale, ())]),
        slider=json.dumps(settings.scale == "slider"),
        deadline=settings.deadline_ms,
        blank=json.dumps(" ___" if settings.task == "form" else ""),
        direction=json.dumps(direction(settings.language)),
    )
    consent = [f"<h1>{html.escape(settings.title)}</h1>", "<dl>"]
    for name in CONSENT:
        value = getattr(settings, name)
        text = ", ".join(value) if isinstance(value, tuple) else str(value)
        consent.append(f"<dt>{name.replace('_', ' ')}</dt><dd>{html.escape(text)}</dd>")
    texts = read_instructions(study.folder)
    instructions = texts.get(settings.language) or next(iter(texts.values()))
    # Markdown is shown as it is, and HTML in it is escaped
    paragraphs = [f"<p>{html.escape(part.strip())}</p>" for part in instructions.split("\n\n")]
    return {
        "chunk_includes/trials.csv": to_csv(COLUMNS, map(_row, study.trials)),
        "chunk_includes/consent.html": "\n".join([*consent, "</dl>", ""]).encode(),
        "chunk_includes/instructions.html": "\n".join([*paragraphs, ""]).encode(),
        "data_includes/main.js": script.encode(),
    }


def _row(trial: Trial) -> dict[str, object]:
    """Return the row of a trial in `trials.csv`; the list is group A to Z, then L27, L28, …"""
    n, letters = trial.list, string.ascii_uppercase  # lists are numbered from 1
    row = {"group": letters[n - 1] if n <= len(letters) else f"L{n}", **row_of(trial)}
    if trial.task == "rating":  # the only option is the sentence to rate
        row["sentence"], row["option_1"] = row["option_1"], ""
    if trial.kind != "practice":  # participants must not get the right answers
        row["right"] = ""
    return row
