"""A project for PCIbex (PennController), laid out as its farm and its link to GitHub expect.

`chunk_includes/trials.csv` has a row for each trial, its list as the Latin square's group;
`data_includes/main.js` shows them in the order of the table and logs what the import needs. The
right form is in neither, save that of practice trials.
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
from . import Files, cells, to_csv

COLUMNS = (
    *("group", "list", "block", "kind", "task", "item", "condition", "prefix"),
    *("option_1", "option_2", "sentence", "right"),
)
MAIN = Path(__file__).with_name("pcibex.js")


def files(study: Study, *, experiment: str = "", excel_safe: bool = False) -> Files:
    """Return the project's files, by their paths in it. Raises `InputError` for numbers that people
    type, which PCIbex logs in another shape."""
    settings = study.settings
    if settings.task == "rating" and settings.scale not in POINTS:
        wrong = f"the scale is {settings.scale}"
        raise InputError("to", wrong, ", ".join(POINTS), kind="unsupported")
    page = string.Template(MAIN.read_text(encoding="utf-8")).substitute(
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
    # as it is written: its marks are readable, and nothing in it becomes markup
    parts = [f"<p>{html.escape(part.strip())}</p>" for part in instructions.split("\n\n")]
    return {
        "chunk_includes/trials.csv": to_csv(COLUMNS, map(_row, study.trials)),
        "chunk_includes/consent.html": "\n".join([*consent, "</dl>", ""]).encode(),
        "chunk_includes/instructions.html": "\n".join([*parts, ""]).encode(),
        "data_includes/main.js": page.encode(),
    }


def _row(trial: Trial) -> dict[str, object]:
    number, letters = trial.list, string.ascii_uppercase  # groups are A to Z, then L27 and on
    row = {"group": letters[number - 1] if number <= len(letters) else f"L{number}", **cells(trial)}
    if trial.task == "rating":
        row["sentence"], row["option_1"] = row["option_1"], ""
    if trial.kind != "practice":
        row["right"] = ""
    return row
