"""Which models were scored and how, in words for a paper."""

from collections.abc import Iterator, Mapping, Sequence

from colorless_green.humans.page.material import Material, Run
from colorless_green.humans.page.numbers import count, text, whole
from colorless_green.humans.page.paper.clause import Clause, clause, listed, several, verb
from colorless_green.humans.page.raters import Rater, means, short_labels
from colorless_green.humans.page.runs import READ, own_runs
from colorless_green.humans.rated import HUMANS
from colorless_green.nonce.prediction import TIE_BITS

METHODS: Mapping[str, Clause] = {
    "target": clause(
        "each form was scored by its surprisal given the words before it, and an item was right if"
        " that of the right form was lower",
        "gulordava2018",
    ),
    "sentence": clause(
        "both sentences were scored whole, and an item was right if the surprisal of the right one"
        " was lower",
        "marvin2018",
    ),
    "one-prefix": clause(
        "two words were scored after the prefix that they share, and an item was right if the"
        " surprisal of the right one was lower",
        "linzen2016",
    ),
    "two-prefix": clause(
        "one word was scored after two prefixes, and an item was right if its surprisal after the"
        " right one was lower"
    ),
    "pmi": clause(
        "surprisals were taken less those without the context, and an item was right if that of"
        " the right form was lower"
    ),
    "ew": clause(
        "all forms that fit a prefix were scored, and an item's credit was the share of lemmas"
        " whose right form had the lower surprisal",
        "newman2021",
    ),
    "mw": clause(
        "all forms that fit a prefix were scored, and an item's credit was the share of their"
        " probability that was on right ones",
        "newman2021",
    ),
}


def models(material: Material, raters: Sequence[Rater]) -> Iterator[Clause]:
    """Names, the way of scoring, ties, unknown words, exposure; nothing without models."""
    shown = [rater for rater in raters if rater.name != HUMANS]
    if not shown:
        return
    labels = short_labels(list(dict.fromkeys(run.model for run in material.runs)))
    names = listed([rater.label for rater in shown])
    yield clause(
        f"Surprisals (−log₂ of the probability given everything before, in bits) were those of the"
        f" model{'s' if len(shown) > 1 else ''} {names}"
    )
    yield from _groups(material, shown)
    yield from _read(material.runs, labels)
    yield from _perplexities(material.runs, labels)
    yield from _methods(material)
    yield from _ties(material, labels)
    yield from _left_out(material, labels)
    exposed = {labels[run.model]: run.exposure for run in material.runs if run.exposure}
    yield from _alike(exposed)


def _groups(material: Material, shown: Sequence[Rater]) -> Iterator[Clause]:
    """Seeds of one setting, which are one rater."""
    names = {rater.name: rater.label for rater in shown}
    for group in dict.fromkeys(run.group for run in material.runs if run.group):
        n = sum(run.group == group for run in material.runs)
        if n > 1 and group in names and (group in means(material) or material.suites is not None):
            yield clause(f"{names[group]} was the mean of {count(n)} models of one setting")


def _read(runs: Sequence[Run], labels: Mapping[str, str]) -> Iterator[Clause]:
    """Whose surprisals came with a file; what is known of the others' subwords."""
    for begin, where in READ.items():
        own = [labels[run.model] for run in runs if run.signature.startswith(begin)]
        if own:
            whose = "All" if len(own) == len(runs) else f"Those of {listed(own)}"
            yield clause(f"{whose} were read from {where}")
    own = [labels[run.model] for run in own_runs(runs)]
    if own:
        whose = "" if len(own) == len(runs) else f" of {listed(own)}"
        yield clause(f"Surprisals{whose} were summed over subwords, where a model has these")


def _perplexities(runs: Sequence[Run], labels: Mapping[str, str]) -> Iterator[Clause]:
    units = dict.fromkeys(run.perplexity_unit for run in runs if run.perplexity is not None)
    for unit in units:
        own = [
            f"{run.perplexity:,.1f} for {labels[run.model]}"
            for run in runs
            if run.perplexity is not None and run.perplexity_unit == unit
        ]
        yield clause(f"The perplexity per {unit} on held-out text was {listed(own)}")


def _methods(material: Material) -> Iterator[Clause]:
    """What accuracy rows say of how models were asked; each way once."""
    found: dict[str, dict[str, None]] = {}
    for row in material.accuracy:
        if text(row, "model") and text(row, "method"):
            found.setdefault(text(row, "method"), {}).setdefault(text(row, "model"))
    named = short_labels(list(dict.fromkeys(name for own in found.values() for name in own)))
    for method, own in found.items():
        base, _, options = method.partition(" ")
        how = METHODS.get(base) or clause(f"items were scored by the method “{base}”")
        told = how.text + (f" (options {options})" if options else "")
        whom = f"For {listed([named[name] for name in own])}, " if len(found) > 1 else ""
        yield clause(whom + told if whom else _capital(told), *how.cites)


def _ties(material: Material, labels: Mapping[str, str]) -> Iterator[Clause]:
    """How many, and what they counted, as the outcomes have it."""
    ties = {
        label: [
            credit
            for credit, margin in material.outcomes.get(model, {}).values()
            if credit is not None and margin is not None and abs(margin) <= TIE_BITS
        ]
        for model, label in labels.items()
        if material.outcomes.get(model)
    }
    if not ties:
        return
    credits = {credit for own in ties.values() for credit in own}
    told = listed([f"{count(len(own))} for {label}" for label, own in ties.items() if own])
    if not credits:
        yield clause("There were no ties (within 10⁻⁹ bits)")
    elif credits == {0.5}:
        yield clause(f"Ties (within 10⁻⁹ bits) counted half: {told}")
    elif credits == {0.0}:
        yield clause(f"Ties (within 10⁻⁹ bits) counted as wrong: {told}")
    else:
        yield clause(
            "Ties (within 10⁻⁹ bits) counted by the share of orders of the equal values under which"
            f" the prediction held: {told}"
        )


def _left_out(material: Material, labels: Mapping[str, str]) -> Iterator[Clause]:
    """Items that did not count for a model, and how many had unknown words."""
    told: dict[str, str] = {}
    for model, label in labels.items():
        credits = material.outcomes.get(model, {})
        n_left = sum(credit is None for credit, _ in credits.values())
        n_unknown = _unknown(material, model)
        unknown = f"{several(n_unknown, 'item')} had a scored word outside the vocabulary"
        if n_unknown and n_left == n_unknown:
            told[label] = f"{unknown} and {verb(n_left)} left out"
        elif n_unknown and not n_left:
            told[label] = f"{unknown} and {verb(n_unknown)} kept"
        elif n_unknown:
            told[label] = f"{unknown}; {several(n_left, 'item')} did not count"
        elif n_left:
            told[label] = f"{several(n_left, 'item')} did not count"
    yield from _alike(told)


def _alike(told: Mapping[str, str]) -> Iterator[Clause]:
    """What is said of each model, once where it is the same for several."""
    for what in dict.fromkeys(told.values()):
        names = [label for label, own in told.items() if own == what]
        yield clause(f"For {'each of ' if len(names) > 1 else ''}{listed(names)}, {what}")


def _unknown(material: Material, model: str) -> int:
    """Items with an unknown scored word, left out or kept."""
    if material.suites is not None:
        rows = [row for row in material.suites.scores if text(row, "rater") == model]
        return max(
            (whole(row, "n_oov") for row in rows if text(row, "level") == "score"), default=0
        )
    factors = ("kind", "level", "construction", "value", "n_attractors")
    rows = [
        row
        for row in material.accuracy
        if text(row, "model") == model and not any(text(row, name) for name in factors)
    ]
    return max((whole(row, "n_oov") for row in rows), default=0)


def _capital(said: str) -> str:
    return said[:1].upper() + said[1:]
