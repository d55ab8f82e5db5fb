"""What the answer of the page is made from: the best model beside what needs no grammar, people and
guessing, all of one kind of items and on the same items. `templates/answer.jinja` has the words.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from colorless_green.data.tables import Row
from colorless_green.humans.collection.scores import CIRCUIT, SCORE
from colorless_green.humans.page.accuracies import Accuracies, Point, compared_on
from colorless_green.humans.page.constructions import ACCEPTED
from colorless_green.humans.page.material import Material, Suites, toys
from colorless_green.humans.page.parts import Rater, number, text, whole
from colorless_green.humans.rated import HUMANS
from colorless_green.nonce.audit.baselines import CUE_FINDERS

CHANCE = 0.5
FEWEST = 10  # items of a circuit that is named as the best or the weakest


def answer(found: Accuracies) -> Mapping[str, Any]:
    """Of agreement items. A toy is never the best."""
    material = found.material
    points = [point for point in found.by("") if point.kind]
    models = [p for p in points if p.rater.name != HUMANS and not p.apart]
    kind = "nonce" if any(p.kind == "nonce" for p in models) else models[0].kind if models else ""
    small = toys(material)
    main = [point for point in models if point.kind == kind]
    grown = [point for point in main if point.rater.name not in small]
    best = max(grown, key=lambda point: point.accuracy, default=None)
    guess = found.best(kind) if best else None
    people = [point for point in points if point.rater.name == HUMANS]
    weakest = min(grown, key=lambda point: point.accuracy, default=None)
    accepted = [row for row in material.constructions if text(row, "verdict") == ACCEPTED]
    return {
        "kind": kind,
        "best": best,
        "n_models": len(grown),
        "beside_chance": _beside_chance(best),
        "guess": guess,
        "above": found.above(best.rater.name, guess, kind) if best and guess else "",
        "values": _by_value(found, best) if best else [],
        "compared_on": compared_on(material, kind, found.raters) if main else "",
        "originals": next(
            (p for p in models if best and p.rater == best.rater and p.kind == "original" != kind),
            None,
        ),
        "weakest": weakest if best and weakest and weakest.rater != best.rater else None,
        "people": next((p for p in people if p.kind == kind), people[0] if people else None),
        "toys": [point for point in main if point.rater.name in small],
        "why_toys": list(filter(None, dict.fromkeys(small.get(p.rater.name, "") for p in main))),
        "n_accepted": len(accepted),
        "n_originals": sum(whole(row, "n_originals") for row in accepted),
    }


def _beside_chance(best: Point | None) -> str:
    if best is None or best.low is None or best.high is None or best.low > CHANCE:
        return ""
    return "worse" if best.high < CHANCE else "alike"


def _by_value(found: Accuracies, best: Point) -> list[tuple[Point, float | None]]:
    """The best model by value of the feature, each beside the best baseline there."""
    own = [
        point
        for point in found.by("value")
        if point.rater == best.rater and point.kind == best.kind and not point.apart
    ]
    guesses = [found.best_in(point.kind, "value", point.value) for point in own]
    pairs = [(p, g.accuracy if g else None) for p, g in zip(own, guesses, strict=True)]
    return pairs if len(pairs) > 1 else []


def suites_answer(material: Material, suites: Suites, raters: Sequence[Rater]) -> Mapping[str, Any]:
    """Of controlled suites: of originals and nonce variants the score over the variants."""
    labels = {rater.name: rater.label for rater in raters}
    every = [r for r in suites.scores if text(r, "level") == SCORE and text(r, "rater") in labels]
    names = {text(row, "name") for row in every}
    name = "nonce" if "nonce" in names else min(names, default="")
    rows = [row for row in every if text(row, "name") == name]
    small = toys(material)
    models = [row for row in rows if text(row, "rater") != HUMANS]
    grown = [row for row in models if text(row, "rater") not in small]
    best = max(grown, key=lambda row: number(row, "accuracy") or 0.0, default=None)
    guess, above = _best_guess(suites, best) if best else (None, "")
    circuits = sorted(
        (
            row
            for row in suites.scores
            if best
            and text(row, "level") == CIRCUIT
            and text(row, "rater") == text(best, "rater")
            and whole(row, "n_items") >= FEWEST
        ),
        key=lambda row: number(row, "accuracy") or 0.0,
    )
    shown = {text(row, "rater") for row in rows}
    return {
        "name": name,
        "labels": labels,
        "models": models,
        "best": best,
        "n_models": len(grown),
        "guess": guess,
        "above": above,
        "rows": rows,
        "shared": suites.shared if len(labels) > 1 and rows else (),
        "alone": [labels[rater] for rater, *_ in suites.shared if rater not in shown],
        "weakest": circuits[0] if len(circuits) > 1 else None,
        "strongest": circuits[-1] if len(circuits) > 1 else None,
        "people": next((row for row in rows if text(row, "rater") == HUMANS), None),
        "toys": [labels[text(row, "rater")] for row in models if row not in grown],
    }


def _best_guess(suites: Suites, best: Row) -> tuple[Row | None, str]:
    blind = [
        row
        for row in suites.baselines
        if text(row, "name") == text(best, "name") and text(row, "rater") not in CUE_FINDERS
    ]
    guess = max(blind, key=lambda row: number(row, "accuracy") or 0.0, default=None)
    if guess is None:
        return None, ""
    return guess, suites.above[text(best, "name"), text(best, "rater"), text(guess, "rater")]
