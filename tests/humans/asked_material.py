"""Synthetic material of a page with single answers: made-up people, trials, rules, statistics."""

from collections.abc import Sequence
from dataclasses import asdict, replace

from colorless_green.data.seeds import generator
from colorless_green.humans.analysing import figures, mixed_model
from colorless_green.humans.comparison import as_row, compare
from colorless_green.humans.evidence import Answers, ImportedSet, everybody
from colorless_green.humans.exclusion import Rules, excluded
from colorless_green.humans.judgment import Judgment, Session, Tally
from colorless_green.humans.measures.measure import Evidence
from colorless_green.humans.report.material import Material, People, Run
from colorless_green.humans.report.parts import Cell, Section, Table
from colorless_green.humans.tally import tallies
from colorless_green.nonce.item import Item
from tests.humans.report_material import (
    MODELS,
    accuracies,
    agreement_item,
    items,
    outcomes,
)

RULES = Rules(max_filler_errors=0.2, max_failed_checks=0)
N_PEOPLE, N_FILLERS = 20, 10
CARELESS, DISTRACTED, RETURNED = "p03", "p07", "p11"  # each goes by another rule


def trials(suite: Sequence[Item]) -> tuple[Judgment, ...]:
    """What made-up people did: each saw one version of every original (a Latin square), fillers, a
    check and a trial of practice. Some are better than others, and not all is answered."""
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


def answers(suite: Sequence[Item], rules: Rules = RULES) -> Answers:
    """The trials under rules, as an import keeps them."""
    given = trials(suite)
    sessions = tuple(
        Session(
            participant=person,
            session=f"{person}-1",
            status="RETURNED" if person == RETURNED else "APPROVED",
            duration_s=300.0 + place,
        )
        for place, person in enumerate(dict.fromkeys(each.participant for each in given))
    )
    found = excluded(given, rules, sessions)
    stays = {each.trial_id for each in found.kept}
    return Answers(
        imports=(
            ImportedSet(
                name="answers.jsonl",
                format="jspsych",
                files=(("answers.jsonl", "0" * 64),),
                summary={"n_judgments": len(given)},
                rules=asdict(rules),
                rules_digest=rules.digest,
                is_post_hoc=False,
                is_simulated=False,
                study={"task": "form", "payment_amount": 2.5, "payment_currency": "EUR"},
            ),
        ),
        counted=found.kept,
        left_out=tuple(each for each in given if each.trial_id not in stays),
        gone=found.gone,
        undefined=found.undefined,
        sessions=sessions,
    )


def asked(suite: Sequence[Item] = items(6, 2), given: Answers | None = None) -> Material:
    """A report on single answers of people, with everything that is computed of them; two models
    and no other part of a page."""
    kept = given or answers(suite)
    models = list(MODELS)[-2:]
    found = {model: credits for model, credits in outcomes(suite).items() if model in models}
    by_id = {item.item_id: item for item in suite}
    counted = tallies(kept.counted, by_id)
    evidence = Evidence("synthetic", by_id, counted, kept.counted, found)
    fitted, said = mixed_model(evidence)
    return Material(
        title="Answers of made-up people",
        runs=tuple(Run(model, f"model:{model.partition(':')[0]}|torch:2.0.0") for model in models),
        accuracy=accuracies(suite, found),
        outcomes=found,
        tallies=counted,
        people=People(
            answers=kept,
            everybody=everybody(kept, by_id),
            measures=(*figures(evidence), *fitted),
            said=tuple(said),
        ),
        items=by_id,
        comparison=tuple(as_row(row) for row in compare("synthetic", suite, counted, found)),
        versions=(("colorless-green", "0.1.0"), ("numpy", "2.4.6")),
    )


def of_one_model(suite: Sequence[Item], *, right: int, margin: float) -> Material:
    """All items judged alike by three people and by one model."""
    return Material(
        "One model",
        accuracy=({"model": "m"},),
        outcomes={"m": {item.item_id: (float(margin > 0), margin) for item in suite}},
        tallies=tuple(Tally(i.item_id, i.cluster_id, "", i.kind, right, 3) for i in suite),
        items={item.item_id: item for item in suite},
    )


def treebank_item(treebank: str, variant: int) -> Item:
    """An Italian original (0) or a variant of it, from a treebank of this name."""
    made = agreement_item(
        "le cose di ieri sono" if variant else "le case di ieri sono",
        *(1, 4, "è"),
        variant=variant,
        language="it",
        attractors=(2,),
    )
    assert made.agreement is not None
    return replace(made, source=treebank, agreement=replace(made.agreement, treebank=treebank))


def of(found: Section | None, table: str) -> Table:
    """The table of this name in a section."""
    assert found is not None
    (own,) = (each for each in found.tables if each.name == table)
    return own


def rows(table: Table) -> list[dict[str, Cell]]:
    """Its rows by the headings of their columns."""
    names = [cell.text for cell in table.columns]
    return [dict(zip(names, row, strict=True)) for row in table.rows]


def words(found: Section | None) -> str:
    """All paragraphs of a section."""
    assert found is not None
    return " ".join(found.text)
