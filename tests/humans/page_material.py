"""Studies to show on the page, with few trials of every kind."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from colorless_green import export_study
from colorless_green.humans import Study, Trial, read_study, write_study
from tests.humans.study_material import filled_in

KINDS = ("practice", "filler", "target", "target", "check")
SENTENCES = {
    "en": ("The keys to the cabinet", ("are", "is")),
    "it": ("Le chiavi dell’armadio", ("sono", "è")),
    "he": ("המפתחות של הארון הגדול", ("נמצאים", "נמצא")),
}
INSTRUCTIONS = """\
# What you will do

You see the beginning of a sentence. Choose what goes on **better**.

- Press *F* or *J*, or tap.
- <script>alert(1)</script> stays as it is.
"""


def trial(number: int, list_: int, kind: str, task: str, language: str = "en") -> Trial:
    """Return a trial; the right option is shown first in every other one."""
    prefix, forms = SENTENCES[language]
    order = forms if number % 2 else (forms[1], forms[0])
    options: tuple[str, ...] = order
    if task == "sentence":
        options = tuple(f"{prefix} {form} ({number})." for form in order)
    elif task == "rating":
        options = (f"{prefix} {order[0]} ({number}).",)
    made = Trial(
        trial_id=f"{list_}-{number}",
        list=list_,
        block=1 if number < 4 else 2,
        position=number,
        kind=kind,
        task=task,
        item=f"item-{number}",
        source=f"source-{number}",
        construction="L__NOUN_VERB_VERB",
        condition="original",
        prefix=f"{prefix} ({number})" if task == "form" else "",
        options=options,
        language=language,
    )
    return replace(made, right=right(made))


def right(trial: Trial) -> str:
    """Return the right answer to a trial of ours; "" where there is none."""
    forms = {right_form for _, (right_form, _) in SENTENCES.values()}
    if trial.task in ("form", "sentence"):
        found = (each for each in trial.options if forms & {*each.split()})
        return next(found, trial.options[0])
    return "1" if trial.kind == "check" else ""


def write(
    folder: Path,
    *,
    task: str = "form",
    n_lists: int = 2,
    kinds: Sequence[str] = KINDS,
    language: str = "en",
    change: Callable[[Trial], Trial] = lambda trial: trial,
    **changes: Any,
) -> Study:
    """Return a study in a new folder, as the design writes it."""
    trials = [
        change(replace(trial(number, list_, kind, task, language), position=position))
        for list_ in range(1, n_lists + 1)
        for number, kind in enumerate(kinds, start=1)
        for position in [sum(each != "practice" for each in kinds[:number]) or 1]
    ]
    told = replace(filled_in("form"), task=task, language=language, **changes)  # type: ignore[arg-type]
    write_study(folder, told, trials, {language: INSTRUCTIONS}, {"task": task})
    return read_study(folder)


def page_of(folder: Path, to: str = "download", **options: Any) -> Path:
    """Return the page of a new study in this folder, exported beside it."""
    experiment = "abc" if to == "datapipe" else ""
    write(folder, **options)
    out = folder.with_name(f"{folder.name}-{to}")
    export_study(folder, to=to, out=out, experiment=experiment)
    return out / "index.html"
