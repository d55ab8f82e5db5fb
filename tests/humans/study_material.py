"""Suites and studies to design, export and fill in."""

from collections.abc import Sequence
from pathlib import Path

from colorless_green.humans.designing import Designed, Plan, design
from colorless_green.humans.fillers import Pool
from colorless_green.humans.questions import Question
from colorless_green.humans.settings import Settings
from colorless_green.humans.study import Study, read_study, write_study
from colorless_green.nonce.item import Item, Region

VALUES = ("Sing", "Plur")


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
    """An item with a prefix, two forms and a full stop; its number tells its source."""
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
    """Sources in constructions of these sizes, each an original with so many nonce variants."""
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


def questions(items: Sequence[Item]) -> tuple[Question, ...]:
    """A question on each item."""
    return tuple(
        Question(each.item_id, "", f"Who is {each.item_id}?", "a singer", "a dancer", "made:1")
        for each in items
    )


def designed(
    items: Sequence[Item],
    plan: Plan,
    pool: Pool = Pool(FILLERS),
    asked: Sequence[Question] = (),
) -> Designed:
    """A design in English."""
    return design(items, pool, plan, "en", asked)


def filled_in(task: str, seed: int = 0, scale: str = "7") -> Settings:
    """Settings with which a page would start."""
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
    asked: Sequence[Question] = (),
) -> Study:
    """A study in a folder, filled in."""
    made = designed(items, plan, asked=asked)
    settings = filled_in(plan.task, plan.seed, plan.scale)
    about = {"task": plan.task, "seed": plan.seed, "scale": plan.scale}
    write_study(folder, settings, made.trials, made.key, {"en": "# Choose\n"}, about)
    return read_study(folder)
