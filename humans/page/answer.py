"""The answer in words: what the best model does, beside people and beside guessing."""

from collections.abc import Sequence

from colorless_green.humans.page.constructions import ACCEPTED
from colorless_green.humans.page.marginals import ALL_ITEMS, NAMES, Point, marginal
from colorless_green.humans.page.material import Material
from colorless_green.humans.page.numbers import THIN, count, limits, percent, signed, text, whole
from colorless_green.humans.page.raters import Rater
from colorless_green.humans.rated import HUMANS

CHANCE = 0.5


def answer(material: Material, raters: Sequence[Rater]) -> tuple[str, ...]:
    """One to four sentences, the first of which answers the question of the page."""
    found = marginal(material, raters)
    models = [point for point in found if point.rater.name != HUMANS]
    if not models:
        return (_unscored(material), *_people(found, material))
    nonce = [point for point in models if point.panel == NAMES["nonce"]]
    main = nonce or [point for point in models if point.panel == models[0].panel]
    best = max(main, key=lambda point: point.accuracy)
    return (
        _first(best, len({point.rater.name for point in models})),
        *_originals(best, found),
        *_weakest(best, main),
        *_people(found, material, best.panel),
    )


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


def _originals(best: Point, found: Sequence[Point]) -> list[str]:
    """The same model on the originals, where the first sentence was about variants."""
    for point in found:
        if (
            point.rater == best.rater
            and point.panel == NAMES["original"]
            and point.panel != best.panel
        ):
            change = signed(100 * (best.accuracy - point.accuracy), 1)
            return [
                f"On the {count(point.n_items)} originals, where meaning can help, it reaches"
                f" {percent(point.accuracy)}{THIN}% ({change} points from there to the variants)."
            ]
    return []


def _weakest(best: Point, main: Sequence[Point]) -> list[str]:
    weakest = min(main, key=lambda point: point.accuracy)
    if weakest.rater == best.rater:
        return []
    return [
        f"The weakest, {weakest.rater.label}, reaches {percent(weakest.accuracy)}{THIN}%"
        f" of {count(weakest.n_items)}."
    ]


def _people(found: Sequence[Point], material: Material, panel: str = "") -> list[str]:
    people = [point for point in found if point.rater.name == HUMANS]
    chosen = [point for point in people if point.panel == panel] or people
    if not chosen:
        return []
    point = chosen[0]
    who = "Simulated judgments are" if material.simulated else "People are"
    interval = f", {limits(point.low, point.high)}" if point.low is not None else ""
    return [
        f"{who} right {percent(point.accuracy)}{THIN}% of the time (mean over"
        f" {count(point.n_items)} {_named(point)}{interval})."
    ]


def _named(point: Point) -> str:
    """`1,071 nonce variants`, `1 original`, `348 items` of suites."""
    name = "items" if point.panel in (NAMES["suite"], ALL_ITEMS) else point.panel
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
