"""Stores for pages, and the pages: models with totals of simulated people; people one by one."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from colorless_green.data import Item
from colorless_green.data.seeds import generator
from tests.humans.answer_material import Session
from tests.humans.pages import Page
from tests.humans.report_material import (
    HOSTILE,
    MODELS,
    constructions,
    hebrew,
    hostile,
    items,
    outcomes,
    tallies,
)
from tests.humans.stored import Kept
from tests.humans.trial_records import Judgment

N_PEOPLE, N_FILLERS = 20, 10
CARELESS, DISTRACTED, RETURNED = "p03", "p07", "p11"  # each goes by another rule
STUDY = """\
task = "form"
institution = "Somewhere"
duration_minutes = 12
[exclude]
max_filler_errors = 0.2
max_failed_checks = 0
"""


def everything(*, people: bool = True, simulated: bool = True) -> Kept:
    """Four models and simulated totals on items in two languages, one of them hostile, from a
    treebank with a hostile name."""
    kept = Kept()
    suite = [
        replace(each, source=f"Made-up {HOSTILE}") for each in (*items(6, 2), *hebrew(), hostile())
    ]
    rejected = [*["a word is not in the vocabulary: x"] * 1234, *["no other form"] * 56]
    suite_id = kept.suite(suite, mined=constructions(), rejected=rejected)
    for model, credits in outcomes(suite).items():
        exposed = 12 if "ngram" in model else None
        about = {"held_out_perplexity": 431.27 if "unigram" in model else 52.1}
        kept.run(suite_id, model, credits, exposed=exposed, about=about)
    if people:
        counts = {each.item: (each.right, each.total) for each in tallies(suite)}
        kept.totals(counts, simulated=simulated)
    return kept


@cache
def full() -> Page:
    """Its page, with drawings."""
    return everything().report(drawn=True)


@cache
def undrawn() -> Page:
    return everything().report()


@cache
def without_people() -> Page:
    return everything(people=False).report(drawn=True)


def asked(
    suite: Sequence[Item],
    given: Sequence[Judgment],
    sessions: Sequence[Session] = (),
    models: Sequence[str] = tuple(MODELS)[-2:],
    study: str = STUDY,
) -> Kept:
    """People's answers to a suite, under the rules of a study, beside models."""
    kept = Kept()
    suite_id = kept.suite(suite)
    found = outcomes(suite)
    for model in models:
        kept.run(suite_id, model, found[model])
    kept.people(given, sessions, study=kept.file("study.toml", study))
    return kept


ASKED = items(6, 2)


@cache
def answered() -> Kept:
    """Twenty people, three of whom are left out, and two models."""
    return asked(ASKED, trials(ASKED), visits())


@cache
def answered_page() -> Page:
    return answered().report()


@cache
def answered_drawn() -> Page:
    return answered().report(drawn=True)


def visits() -> list[Session]:
    return [
        Session(
            participant=f"p{place:02}",
            session=f"p{place:02}-1",
            status="RETURNED" if f"p{place:02}" == RETURNED else "APPROVED",
            duration_s=300.0 + place,
        )
        for place in range(N_PEOPLE)
    ]


def trials(suite: Sequence[Item]) -> tuple[Judgment, ...]:
    """Return what made-up people did: each saw one version of every original (a Latin square),
    fillers, a check and a trial of practice. Some are better than others, and not all is
    answered."""
    found: list[Judgment] = []
    for person in (f"p{number:02}" for number in range(N_PEOPLE)):
        turn = int(person[1:])
        rng = generator(17, person)
        own = [each for place, each in enumerate(suite) if (place + place // 3 + turn) % 3 == 0]
        ease = 0.75 + 0.2 * rng.random()
        for item in own:
            assert item.agreement is not None
            share = ease - 0.1 * (item.kind == "nonce") - 0.1 * len(item.agreement.attractors)
            found.append(_answer(person, item.item_id, "target", rng.random() < share, item))
        for number in range(N_FILLERS):
            right = person != CARELESS or number > 4
            found.append(_answer(person, f"filler-{number}", "filler", right))
        found.append(_answer(person, "check-1", "check", person != DISTRACTED))
        found.append(_answer(person, "practice-1", "practice", True))
    return tuple(
        replace(each, chosen="", chosen_index=None, correct=None, rt_ms=None)
        if each.kind == "target" and number % 41 == 7
        else replace(each, rt_ms=600.0 + 37 * (number % 29))
        for number, each in enumerate(found)
    )


def _answer(person: str, item: str, kind: str, right: bool, of: Item | None = None) -> Judgment:
    agreement = of.agreement if of is not None else None
    first, second = (agreement.right, agreement.wrong) if agreement else ("are", "is")
    return Judgment(
        participant=person,
        session=f"{person}-1",
        trial_id=f"{person}/{item}",
        item=item,
        source=of.cluster_id if of is not None else "",
        construction=agreement.construction if agreement else "",
        condition=of.kind if of is not None else "",
        kind=kind,
        list=str(1 + int(person[1:]) % 3),
        prefix="what stands before",
        option_1=first,
        option_2=second,
        chosen=first if right else second,
        chosen_index=int(not right),
        correct_form=first,
        correct=int(right),
        at=f"2026-03-{1 + int(person[1:]) % 5:02}T10:00:00Z",
    )
