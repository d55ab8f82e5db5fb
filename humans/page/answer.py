"""The answer in words: what the best model does, beside what needs no grammar, people and guessing.

All figures of a sentence, and of the sentences together, are of one kind of items and of the same
items: those that every rater could answer.
"""

from collections.abc import Iterator, Sequence

from colorless_green.humans.common import Common
from colorless_green.humans.page.constructions import ACCEPTED
from colorless_green.humans.page.marginals import (
    ALL_ITEMS,
    NAMES,
    SAID,
    Point,
    above,
    best_guess,
    marginal,
    panel_name,
)
from colorless_green.humans.page.material import Line, Material
from colorless_green.humans.page.numbers import THIN, count, limits, percent, signed, text, whole
from colorless_green.humans.page.paper.clause import listed
from colorless_green.humans.page.raters import Rater, toys
from colorless_green.humans.rated import HUMANS

CHANCE = 0.5


def answer(material: Material, raters: Sequence[Rater]) -> tuple[Line, ...]:
    """Sentences, the first of which answers the question of the page. A toy is never the best."""
    found = [point for point in marginal(material, raters) if point.kind]
    together = [point for point in found if _beside(point, material)]
    models = [point for point in together if point.rater.name != HUMANS]
    if not models:
        return (Line(_unscored(material), "unscored"), *_people(found, material))
    small = toys(material)
    kind = "nonce" if any(point.kind == "nonce" for point in models) else models[0].kind
    main = [point for point in models if point.kind == kind]
    grown = [point for point in main if point.rater.name not in small]
    if not grown:
        return (
            *_all_toys(main, material),
            *_items(material, kind, raters),
            *_people(found, material, kind),
        )
    best = max(grown, key=lambda point: point.accuracy)
    return (
        Line(_first(best, len(grown)), "best", best.rater.name),
        *_baseline(best, material),
        *_items(material, kind, raters),
        *_originals(best, together),
        *_weakest(best, grown),
        *_people(found, material, kind),
        *_toys([point for point in main if point.rater.name in small]),
    )


def _beside(point: Point, material: Material) -> bool:
    return point.rater.name in material.common[point.kind].together


def _first(best: Point, n_models: int) -> str:
    if n_models > 1:
        who = f"Of {n_models} models, {best.rater.label} does best: it prefers"
    else:
        who = f"{best.rater.label} prefers"
    interval = f"95{THIN}% interval {limits(best.low, best.high)}, " if best.low is not None else ""
    result = (
        f"{who} the right form in {percent(best.accuracy)}{THIN}% of {count(best.n_items)}"
        f" {_named(best)} ({interval}chance 50{THIN}%)"
    )
    if best.low is None or best.high is None or best.low > CHANCE:
        return result + "."
    if best.high < CHANCE:
        return result + ", which is worse than guessing."
    return result + ", which cannot be told from guessing."


def _all_toys(main: Sequence[Point], material: Material) -> Iterator[Line]:
    """What toys do, none of them called the best."""
    reasons = dict.fromkeys(toys(material)[point.rater.name] for point in main)
    why = f" ({'; '.join(filter(None, reasons))})" if any(reasons) else ""
    for point in main[:1] if len(main) == 1 else ():
        yield Line(
            f"Only a toy model was scored: {point.rater.label} prefers the right form in"
            f" {percent(point.accuracy)}{THIN}% of {count(point.n_items)} {_named(point)}{why}.",
            "toys",
        )
    if len(main) > 1:
        yield Line(f"All {len(main)} models are toys, so that none is the best{why}.", "toys")


def _toys(main: Sequence[Point]) -> Iterator[Line]:
    if main:
        names = ", ".join(point.rater.label for point in main)
        yield Line(f"Not counted among the models, since they are toys: {names}.", "toys")


def _baseline(best: Point, material: Material) -> Iterator[Line]:
    """Whether the model is above the best guess that knows no grammar."""
    items = material.common[best.kind].items
    guess = best_guess(material, items)
    if guess is None:
        return
    how = above(material, best.rater.name, guess, items)
    said = SAID[how]
    yield Line(
        f"What needs no grammar reaches {percent(guess.accuracy)}{THIN}% of the same items"
        f" ({guess.name}, the best of the baselines), {said}.",
        "baseline",
        guess.name,
        how,
    )


def _items(material: Material, kind: str, raters: Sequence[Rater]) -> Iterator[Line]:
    said = said_of(material, kind, raters)
    if said:
        yield Line(said, "items")


def said_of(material: Material, kind: str, raters: Sequence[Rater]) -> str:
    """How many items the raters have in common and how many each could have stood on; empty where
    everybody answered everything."""
    shared = material.common[kind]
    labels = {rater.name: rater.label for rater in raters}
    uneven = [name for name in labels if 0 < len(shared.own.get(name, ())) < shared.n_items]
    if not uneven or len(shared.own) < 2:
        return ""
    return f"{_shared(shared, panel_name(kind), labels)}{_apart(shared, labels)}"


def _shared(shared: Common[str], name: str, labels: dict[str, str]) -> str:
    parts = [
        f"{label} {count(len(own))}"
        for rater, label in labels.items()
        if 0 < len(own := shared.own.get(rater, frozenset())) < shared.n_items
    ]
    return (
        f"These figures are of the {count(len(shared.items))} {name} (of {count(shared.n_items)})"
        f" that all of them answered. Answered by each: {listed(parts)}."
    )


def _apart(shared: Common[str], labels: dict[str, str]) -> str:
    alone = [labels[rater] for rater in shared.apart if rater in labels]
    if not alone:
        return ""
    return f" Too few in common, and so on items of their own: {', '.join(alone)}."


def _originals(best: Point, found: Sequence[Point]) -> Iterator[Line]:
    """The same model on the originals, where the first sentence was about variants."""
    for point in found:
        if point.rater == best.rater and point.kind == "original" and point.kind != best.kind:
            change = signed(100 * (best.accuracy - point.accuracy), 1)
            yield Line(
                f"On the {count(point.n_items)} originals, where meaning can help, it reaches"
                f" {percent(point.accuracy)}{THIN}% ({change} points from there to the variants).",
                "originals",
                best.rater.name,
            )


def _weakest(best: Point, main: Sequence[Point]) -> Iterator[Line]:
    weakest = min(main, key=lambda point: point.accuracy)
    if weakest.rater != best.rater:
        yield Line(
            f"The weakest, {weakest.rater.label}, reaches {percent(weakest.accuracy)}{THIN}%"
            f" of {count(weakest.n_items)}.",
            "weakest",
            weakest.rater.name,
        )


def _people(found: Sequence[Point], material: Material, kind: str = "") -> Iterator[Line]:
    people = [point for point in found if point.rater.name == HUMANS]
    for point in ([point for point in people if point.kind == kind] or people)[:1]:
        who = "Simulated judgments are" if material.simulated else "People are"
        interval = f", {limits(point.low, point.high)}" if point.low is not None else ""
        yield Line(
            f"{who} right {percent(point.accuracy)}{THIN}% of the time (mean over"
            f" {count(point.n_items)} {_named(point)}{interval}).",
            "people",
            HUMANS,
        )


def _named(point: Point) -> str:
    """`1,071 nonce variants`, `1 original`, `348 items` of suites."""
    name = panel_name(point.kind)
    name = "items" if name in (NAMES["suite"], ALL_ITEMS) else name
    return name.removesuffix("s") if point.n_items == 1 else name


def _unscored(material: Material) -> str:
    accepted = [row for row in material.constructions if text(row, "verdict") == ACCEPTED]
    if not accepted:
        return "No model has been scored yet, and no construction has been accepted."
    originals = sum(whole(row, "n_originals") for row in accepted)
    are = "construction was" if len(accepted) == 1 else "constructions were"
    return (
        f"{count(len(accepted))} {are} accepted, with {count(originals)} originals;"
        " no model has been scored yet."
    )
