"""The answer in words: the best score over the suites, beside chance, people and the others."""

from collections.abc import Iterator, Sequence

from colorless_green.data.tables import Row
from colorless_green.humans.collection.scores import CIRCUIT, SCORE
from colorless_green.humans.page.material import Suites
from colorless_green.humans.page.numbers import THIN, count, limits, number, percent, text, whole
from colorless_green.humans.page.raters import Rater
from colorless_green.humans.page.suites.blocks import of_level
from colorless_green.humans.rated import HUMANS

FEWEST = 10  # items of a circuit that is named as the best or the weakest


def answer(suites: Suites, raters: Sequence[Rater], *, simulated: bool) -> tuple[str, ...]:
    """One to four sentences, the first of which answers the question of the page."""
    rows = of_level(suites.scores, SCORE, raters)
    labels = {rater.name: rater.label for rater in raters}
    models = [row for row in rows if text(row, "rater") != HUMANS]
    people = [row for row in rows if text(row, "rater") == HUMANS]
    told = tuple(_people(people[0], simulated)) if people else ()
    if not models:
        return ("No model has been scored yet.", *told)
    best = max(models, key=lambda row: number(row, "accuracy") or 0.0)
    label = labels[text(best, "rater")]
    return (_first(best, label, len(models)), *_circuits(suites, raters, best, label), *told)


def _first(row: Row, label: str, n_models: int) -> str:
    who = (
        f"Of {n_models} models, {label} does best: it reaches" if n_models > 1 else f"{label} is at"
    )
    n_suites, chance = whole(row, "n_suites"), number(row, "chance")
    over = "one suite" if n_suites == 1 else f"the mean of {count(n_suites)} suites"
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


def _circuits(suites: Suites, raters: Sequence[Rater], best: Row, label: str) -> Iterator[str]:
    own = [
        row
        for row in of_level(suites.scores, CIRCUIT, raters)
        if text(row, "rater") == text(best, "rater") and whole(row, "n_items") >= FEWEST
    ]
    if len(own) > 1:
        own.sort(key=lambda row: number(row, "accuracy") or 0.0)
        low, high = own[0], own[-1]
        yield (
            f"{label} is best at {text(high, 'name')} ({percent(number(high, 'accuracy'))}{THIN}%)"
            f" and weakest at {text(low, 'name')} ({percent(number(low, 'accuracy'))}{THIN}%)."
        )


def _people(row: Row, simulated: bool) -> Iterator[str]:
    who = "Simulated judgments are" if simulated else "People are"
    over = "one suite" if whole(row, "n_suites") == 1 else f"{count(whole(row, 'n_suites'))} suites"
    yield f"{who} at {percent(number(row, 'accuracy'))}{THIN}% in {over}."
