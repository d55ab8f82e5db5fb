"""The answer in words: the best score over the suites, beside chance, people and the others."""

from collections.abc import Iterator, Mapping, Sequence

from colorless_green.data.tables import Row
from colorless_green.humans.collection.scores import CIRCUIT, SCORE
from colorless_green.humans.page.marginals import SAID, panel_name
from colorless_green.humans.page.material import Line, Material, Suites
from colorless_green.humans.page.numbers import THIN, count, limits, number, percent, text, whole
from colorless_green.humans.page.paper.clause import listed
from colorless_green.humans.page.raters import Rater, toys
from colorless_green.humans.page.suites.blocks import of_level
from colorless_green.humans.rated import HUMANS
from colorless_green.nonce.audit.baselines import CUE_FINDERS

FEWEST = 10  # items of a circuit that is named as the best or the weakest


def answer(material: Material, suites: Suites, raters: Sequence[Rater]) -> tuple[Line, ...]:
    """Sentences, the first of which answers the question of the page. A toy is never the best; of
    originals and nonce variants the score over the variants is told."""
    every = of_level(suites.scores, SCORE, raters)
    names = {text(row, "name") for row in every}
    name = "nonce" if "nonce" in names else min(names, default="")
    rows = [row for row in every if text(row, "name") == name]
    labels = {rater.name: rater.label for rater in raters}
    small = toys(material)
    models = [row for row in rows if text(row, "rater") != HUMANS]
    grown = [row for row in models if text(row, "rater") not in small]
    people = [row for row in rows if text(row, "rater") == HUMANS]
    told = tuple(_people(people[0], material.simulated)) if people else ()
    if not models:
        return (Line("No model has been scored yet.", "unscored"), *told)
    if not grown:
        said = "Only a toy model was" if len(models) == 1 else "Only toy models were"
        return (
            Line(f"{said} scored, so that none is the best.", "toys"),
            *_shared(suites, rows, labels),
            *told,
        )
    best = max(grown, key=lambda row: number(row, "accuracy") or 0.0)
    label = labels[text(best, "rater")]
    return (
        Line(_first(best, label, len(grown)), "best", text(best, "rater")),
        *_baseline(suites, best),
        *_shared(suites, rows, labels),
        *_circuits(suites, raters, best, label),
        *told,
        *_toys([labels[text(row, "rater")] for row in models if row not in grown]),
    )


def _baseline(suites: Suites, best: Row) -> Iterator[Line]:
    """Whether the score is above the best guess that knows no grammar."""
    blind = [
        row
        for row in suites.baselines
        if text(row, "name") == text(best, "name") and text(row, "rater") not in CUE_FINDERS
    ]
    if not blind:
        return
    guess = max(blind, key=lambda row: number(row, "accuracy") or 0.0)
    how = suites.above[text(best, "name"), text(best, "rater"), text(guess, "rater")]
    said = SAID[how]
    yield Line(
        f"What needs no grammar reaches {percent(number(guess, 'accuracy'))}{THIN}% on the same"
        f" items ({text(guess, 'rater')}, the best of the baselines), {said}.",
        "baseline",
        text(guess, "rater"),
        how,
    )


def _shared(suites: Suites, rows: Sequence[Row], labels: Mapping[str, str]) -> Iterator[Line]:
    """Of what the scores are, where not everybody answered everything."""
    if not suites.shared or not rows or len(labels) < 2:
        return
    n_items, n_suites = whole(rows[0], "n_items"), whole(rows[0], "n_suites")
    over = "one suite" if n_suites == 1 else f"{count(n_suites)} suites"
    told = [
        f"{labels[rater]} {count(n)} ({count(n_own)} {'suite' if n_own == 1 else 'suites'})"
        for rater, n, n_own, _ in suites.shared
    ]
    there = suites.shared[0][3]
    alone = [labels[r] for r, *_ in suites.shared if r not in {text(w, "rater") for w in rows}]
    yield Line(
        f"These scores are of the {count(n_items)} items of {over} (of {count(there)} items) that"
        f" all of them answered. Answered by each: {listed(told)}."
        + (
            f" Too few in common with the others, and in no score: {listed(alone)}."
            if alone
            else ""
        ),
        "items",
    )


def _toys(names: Sequence[str]) -> Iterator[Line]:
    if names:
        yield Line(
            f"Not counted among the models, since they are toys: {', '.join(names)}.", "toys"
        )


def _first(row: Row, label: str, n_models: int) -> str:
    who = (
        f"Of {n_models} models, {label} does best: it reaches" if n_models > 1 else f"{label} is at"
    )
    n_suites, chance = whole(row, "n_suites"), number(row, "chance")
    over = "one suite" if n_suites == 1 else f"the mean of {count(n_suites)} suites"
    if text(row, "name"):
        over = f"{panel_name(text(row, 'name'))}, {over}"
    low, high = number(row, "low"), number(row, "high")
    parts = [f"95{THIN}% interval {limits(low, high)}"] if low is not None else []
    parts += [f"chance {percent(chance)}{THIN}%"] if chance is not None else []
    said = f" ({', '.join(parts)})" if parts else ""
    result = f"{who} {percent(number(row, 'accuracy'))}{THIN}% in {over}{said}"
    if chance is None or low is None or high is None or low > chance:
        return f"{result}."
    if high < chance:
        return f"{result}, which is worse than guessing."
    return f"{result}, which cannot be told from guessing."


def _circuits(suites: Suites, raters: Sequence[Rater], best: Row, label: str) -> Iterator[Line]:
    own = [
        row
        for row in of_level(suites.scores, CIRCUIT, raters)
        if text(row, "rater") == text(best, "rater") and whole(row, "n_items") >= FEWEST
    ]
    if len(own) > 1:
        own.sort(key=lambda row: number(row, "accuracy") or 0.0)
        low, high = own[0], own[-1]
        yield Line(
            f"{label} is best at {text(high, 'name')} ({percent(number(high, 'accuracy'))}{THIN}%)"
            f" and weakest at {text(low, 'name')} ({percent(number(low, 'accuracy'))}{THIN}%).",
            "circuits",
            text(best, "rater"),
        )


def _people(row: Row, simulated: bool) -> Iterator[Line]:
    who = "Simulated judgments are" if simulated else "People are"
    over = "one suite" if whole(row, "n_suites") == 1 else f"{count(whole(row, 'n_suites'))} suites"
    yield Line(f"{who} at {percent(number(row, 'accuracy'))}{THIN}% in {over}.", "people", HUMANS)
