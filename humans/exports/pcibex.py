"""A project for PCIbex (PennController), laid out as its farm and its link to GitHub expect.

`chunk_includes/trials.csv` has a row for each trial, its list as the Latin square's group;
`data_includes/main.js` shows them in the order of the table and logs what the import needs. The
right form is in neither, save that of practice trials. Task `reading` uses Ibex's own
`DashedSentence`; a question on what was read is a trial of its own after it.
"""

import html
import json
import string
from collections.abc import Iterator

from colorless_green.data.errors import InputError
from colorless_green.data.languages import direction
from colorless_green.humans.exports import Files, to_csv
from colorless_green.humans.settings import CONSENT
from colorless_green.humans.study import Study, Trial, read_instructions

COLUMNS = (
    *("group", "list", "block", "kind", "task", "item", "condition", "prefix"),
    *("option_1", "option_2", "sentence", "right"),
)
POINTS = {  # of the scale, as they are logged
    "5": range(1, 6),
    "7": range(1, 8),
    "slider": range(101),
}


def files(study: Study, *, experiment: str = "", excel_safe: bool = False) -> Files:
    """The project's files, by their places in it. Raises `InputError` for numbers that people type,
    which PCIbex logs in another shape."""
    settings = study.settings
    if settings.task == "rating" and settings.scale not in POINTS:
        right = f"{', '.join(POINTS)}"
        raise InputError("--to pcibex", f"the scale is {settings.scale}", right, kind="unsupported")
    page = string.Template(MAIN).substitute(
        points=json.dumps([str(point) for point in POINTS.get(settings.scale, ())]),
        slider=json.dumps(settings.scale == "slider"),
        deadline=settings.deadline_ms,
        blank=json.dumps(" ___" if settings.task == "form" else ""),
        direction=json.dumps(direction(settings.language)),
    )
    rows = [_row(trial, study.key[trial.trial_id]) for trial in study.trials]
    return {
        "chunk_includes/trials.csv": to_csv(COLUMNS, rows),
        "chunk_includes/consent.html": "\n".join(_consent(study)).encode(),
        "chunk_includes/instructions.html": "\n".join(_instructions(study)).encode(),
        "data_includes/main.js": page.encode(),
    }


def group(number: int) -> str:
    """The name of a list as a group: A to Z, then L27 and on."""
    letters = string.ascii_uppercase
    return letters[number - 1] if number <= len(letters) else f"L{number}"


def _row(trial: Trial, right: str) -> dict[str, object]:
    single = trial.task in ("rating", "reading")
    return {
        "group": group(trial.list),
        "list": trial.list,
        "block": trial.block,
        "kind": trial.kind,
        "task": trial.task,
        "item": trial.item,
        "condition": trial.condition,
        "prefix": trial.prefix,
        "option_1": "" if single else trial.options[0],
        "option_2": "" if single else trial.options[1],
        "sentence": " ".join(trial.options) if single else "",
        "right": right if trial.kind == "practice" else "",
    }


def _consent(study: Study) -> Iterator[str]:
    yield f"<h1>{html.escape(study.settings.title)}</h1>"
    yield "<dl>"
    for name in CONSENT:
        value = getattr(study.settings, name)
        text = ", ".join(value) if isinstance(value, tuple) else str(value)
        yield f"<dt>{name.replace('_', ' ')}</dt><dd>{html.escape(text)}</dd>"
    yield "</dl>"
    yield ""


def _instructions(study: Study) -> Iterator[str]:
    """The text as it is written: its marks are readable, and nothing in it becomes markup."""
    texts = read_instructions(study.folder)
    text = texts.get(study.settings.language) or next(iter(texts.values()))
    for part in text.split("\n\n"):
        yield f"<p>{html.escape(part.strip())}</p>"
    yield ""


MAIN = """\
// Made by colorless humans export, which says how answers are imported again.
PennController.ResetPrefix(null);
DebugOff();
Sequence(
  "consent", "instructions", anyOf("practice", "target", "filler", "check", "question"),
  SendResults(), "end"
);

const DIRECTION = $direction, GAP = $blank, DEADLINE_MS = $deadline;
const SLIDER = $slider;  // for ratings
const POINTS = $points;  // and what is logged for each of them

newTrial("consent",
  newHtml("consent", "consent.html").print(),
  newButton("agree", "✓").center().print().wait()
);

const WHO = GetURLParameter("PROLIFIC_PID") || GetURLParameter("participant") || "NULL";

newTrial("instructions",
  newHtml("instructions", "instructions.html").print(),
  newButton("begin", "→").center().print().wait()
).log("participant", WHO);

const escaped = words => words.replace(/&/g, "&amp;").replace(/</g, "&lt;");
const text = (name, words) => newText(name, escaped(words)).css("direction", DIRECTION);

// The options are elements with the names that key_1 and key_2 are logged with.
const choice = row => [
  text("prefix", row.prefix ? row.prefix + GAP : "").center().print(),
  text("option_1", row.option_1),
  text("option_2", row.option_2),
  newCanvas("options", "90vw", "6em")
    .add("center at 25%", "middle at 50%", getText(DIRECTION === "rtl" ? "option_2" : "option_1"))
    .add("center at 75%", "middle at 50%", getText(DIRECTION === "rtl" ? "option_1" : "option_2"))
    .center().print(),
  ...(DEADLINE_MS ? [newTimer("deadline", DEADLINE_MS).start()] : []),
  newSelector("choice").add(getText("option_1"), getText("option_2"))
    .keys(...(DIRECTION === "rtl" ? ["J", "F"] : ["F", "J"])),
  ...(row.kind === "practice" ? [] : [getSelector("choice").log()]),
  ...(DEADLINE_MS
    ? [getSelector("choice").callback(getTimer("deadline").stop()), getTimer("deadline").wait()]
    : [getSelector("choice").wait()]),
  ...(row.kind === "practice"
    ? [getSelector("choice")
        .test.selected(getText(row.right === row.option_1 ? "option_1" : "option_2"))
        .success(newText("good", "✓").center().print())
        .failure(newText("bad", "✗").center().print()),
       newButton("on", "→").center().print().wait()]
    : [])
];

const rating = row => [
  text("sentence", row.sentence).center().print(),
  SLIDER ? newScale("rating", ...POINTS).slider().center().print()
         : newScale("rating", ...POINTS).button().center().print(),
  ...(row.kind === "practice" ? [] : [getScale("rating").log()]),
  newButton("on", "→").center().print().wait(getScale("rating").test.selected())
];

const reading = row => [
  newController("DashedSentence", { s: row.sentence }).print(),
  ...(row.kind === "practice" ? [] : [getController("DashedSentence").log()]),
  getController("DashedSentence").wait().remove()
];

const TASKS = { form: choice, sentence: choice, question: choice, rating, reading };

Template(GetTable("trials.csv").setGroupColumn("group"), row => {
  const trial = newTrial(row.kind, ...TASKS[row.task](row));
  // The columns of DashedSentence come after those that are logged: there the sentence tells all.
  if (row.kind === "practice" || row.task === "reading") return trial;
  return trial
    .log("participant", WHO)
    .log("list", row.list).log("item", row.item).log("condition", row.condition)
    .log("prefix", row.prefix).log("option_1", row.option_1).log("option_2", row.option_2)
    .log("sentence", row.sentence).log("key_1", "option_1").log("key_2", "option_2");
});

newTrial("end", newText("thanks", "✓").center().print(), newButton("stay").wait());
"""
