"""Suites and studies to design, export and fill in."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeAlias

from colorless_green import DesignSettings, design_study
from colorless_green.data import Item, Region, Suite, save_suite
from colorless_green.data.result import Result
from colorless_green.data.store import MEMORY, Store
from colorless_green.humans import (
    FillerPool,
    Settings,
    Study,
    StudyDesign,
    StudyPlan,
    Trial,
    lay_out_study,
    read_study,
    write_study,
)

VALUES = ("Sing", "Plur")
TASKS = ("form", "sentence", "rating")
Plan: TypeAlias = dict[str, Any]


def item(
    number: int,
    *,
    kind: str = "original",
    variant: int = 0,
    construction: str = "NOUN_VERB",
    name: str = "s",
    cell: str = "",
    language: str = "en",
) -> Item:
    """Return an item with a prefix, two forms and a full stop; its number tells its source."""
    source = f"{name}{number}"
    before = f"The {construction.lower()} {name} {number} of {variant}{cell}"
    value = VALUES[number % 2]
    right, wrong = ("sings", "sing") if value == "Sing" else ("sing", "sings")

    def wording(form: str) -> tuple[Region, ...]:
        return (
            Region("prefix", tuple(before.split()), before),
            Region("target", (form,), f" {form}"),
            Region("rest", (".",), "."),
        )

    return Item(
        item_id=f"{source}-{variant}{cell}",
        kind=kind,
        cluster_id=source,
        language=language,
        source="made for a test",
        licence="",
        conditions={"right": (wording(right),), "wrong": (wording(wrong),)},
        cell=cell,
        facts={"construction": construction, "value": value},
    )


def suite(
    sizes: Sequence[int], n_nonce: int = 1, *, name: str = "s", language: str = "en"
) -> tuple[Item, ...]:
    """Return sources in constructions of these sizes, each an original with so many nonce
    variants."""
    items = []
    number = 0
    for place, size in enumerate(sizes):
        for _ in range(size):
            number += 1
            for variant in range(n_nonce + 1):
                kind = "nonce" if variant else "original"
                made = item(
                    number,
                    kind=kind,
                    variant=variant,
                    construction=f"{name.upper()}_{place}",
                    name=name,
                    language=language,
                )
                items.append(made)
    return tuple(items)


FILLERS = suite((20, 20, 20), 1, name="f")


def planned(task: str = "form", **options: Any) -> Plan:
    """Return what a design is asked for: the options of `design_study` and its settings, by
    name."""
    return {"task": task, **options}


def with_settings(plan: Plan) -> Plan:
    """Return the plan with all that are settings of a design in one record."""
    names = {field.name for field in fields(DesignSettings)}
    own = {name: value for name, value in plan.items() if name in names}
    others = {name: value for name, value in plan.items() if name not in names}
    return {**others, "settings": DesignSettings(**own)}


def design(suite: Suite | str, out: Path, store: Store | None = None, **plan: Any) -> Result:
    """As `design_study`, settings among the options."""
    return design_study(suite, out, store=store, **with_settings(plan))


def changed(plan: Plan, **options: Any) -> Plan:
    """Return the same, but for these options."""
    return {**plan, **options}


def designed(
    items: Sequence[Item],
    plan: Plan,
    pool: FillerPool = FillerPool(FILLERS),
    language: str = "en",
) -> StudyDesign:
    """Return a design with fillers from a pool, unless the plan has none."""
    options = with_settings(plan)
    where = None if options.pop("fillers", "") == "none" else pool
    return lay_out_study(items, where, StudyPlan(language=language, **options))


def bare(items: Sequence[Item], **changes: Any) -> StudyDesign:
    """Return a design in English without anything beside the targets, unless it is asked for."""
    return designed(items, planned(**{"fillers": "none", "checks": 0, "practice": 0, **changes}))


def lists_of(made: StudyDesign | Study) -> dict[int, list[Trial]]:
    """Return the recorded trials of each list, in the order shown."""
    found: dict[int, list[Trial]] = {}
    for trial in made.trials:
        if trial.kind != "practice":
            found.setdefault(trial.list, []).append(trial)
    return found


def numbers(text: str) -> list[str]:
    """Return the figures that a message tells, in order of size as texts: its wording is not
    looked at."""
    return sorted(re.findall(r"\d+(?:\.\d+)?", text))


def tells(messages: Iterable[str], *figures: object) -> bool:
    """Whether one of the messages has exactly these figures."""
    return sorted(map(str, figures)) in [numbers(each) for each in messages]


def store_of(path: Path | None = None, **suites: Sequence[Item]) -> Store:
    """Return a store (in memory, unless there is a path) with suites of these names."""
    store = Store(path or MEMORY)
    with store.transaction():
        for name, items in suites.items():
            save_suite(store, Suite(name, tuple(items)), "imported", treebank_id=None, now="")
    return store


def filled_in(task: Any, seed: int = 0, scale: Any = "7") -> Settings:
    """Return settings with which a page would start."""
    return Settings(
        title="How sentences go on",
        language="en",
        task=task,
        seed=seed,
        researcher="N. N.",
        institution="a university",
        contact_email="n.n@example.org",
        ethics_board="the board",
        approval_number="12/2026",
        purpose="how sentences are built",
        procedure="choose",
        duration_minutes=10,
        payment="none",
        risks="none are known",
        data_kept="answers and times",
        retention_until="2036",
        withdrawal="until the end of the session",
        data_sharing="without names",
        consent_statement="I agree.",
        minimum_age=18,
        languages_required=("en",),
        scale=scale,
    )


def study(
    folder: Path,
    plan: Plan,
    items: Sequence[Item] = suite((6, 6), 1),
) -> Study:
    """Return a study in a folder, filled in."""
    made = designed(items, plan)
    own = {"seed": 0, "scale": 7, **plan}
    own["scale"] = str(own["scale"])
    about = {name: own[name] for name in ("task", "seed", "scale")}
    settings = filled_in(**about)
    write_study(folder, settings, made.trials, {"en": "# Choose\n"}, about)
    return read_study(folder)
