"""How numbers were computed, in words for a paper: only of what was computed."""

import re
from collections.abc import Iterator, Sequence

from colorless_green.humans.measures import correlations
from colorless_green.humans.measures.correlations import ANSWERS, SHARES
from colorless_green.humans.measures.measure import Measure
from colorless_green.humans.measures.repeatability import BY_COUNTS, BY_PEOPLE
from colorless_green.humans.page.marginals import limits_of, panel_name
from colorless_green.humans.page.material import Material, Suites
from colorless_green.humans.page.numbers import THIN, number, text
from colorless_green.humans.page.paper.clause import Clause, clause, listed
from colorless_green.humans.rated import HUMANS
from colorless_green.humans.statistics import (
    BY_BOTH,
    FREE,
    PERMUTATIONS,
    SIGN_FLIPS,
    SOURCES,
    SPLITS,
    WITHIN,
)
from colorless_green.humans.statistics.flips import EXACT_SOURCES
from colorless_green.nonce.intervals import RESAMPLES, WILSON

FITTED = re.compile(r"mixed model: (?P<formula>.+) \(logit, Laplace\), (?P<n>[0-9,]+) judgments")
PRIOR = re.compile(r"under a normal prior \(SD (?P<sd>[0-9.]+) log-odds\)")
MARGIN = {  # on a suite of agreement items?
    True: "how much less surprising the right form was, in bits",
    False: "how far the prediction was from failing, in bits",
}
PACKAGE = "glmm"  # that fits mixed models
REMARKS = {  # how what is said of a fit begins → what a paper has to say
    "the fit did NOT converge": "The fit did not converge",
    "the fit is singular": "The fit was singular (an SD of 0 or a correlation of ±1)",
    "nearly separated": "Some coefficients were nearly separated",
    "separated": "Some coefficients were separated: their size is that of the prior",
}
P_95 = f"95{THIN}%"
PERMUTED = {  # how a measure says what was permuted → in words
    correlations.PERMUTED[FREE]: "of items freely",
    correlations.PERMUTED[WITHIN]: "of items within each {}",
    correlations.PERMUTED[SOURCES]: "of whole {}s",
}


def statistics(material: Material) -> Iterator[Clause]:
    """Accuracy, intervals, tests, correlations, reliability, agreement, mixed model."""
    found = material.people.measures
    asked = any(each.total for each in material.tallies)
    if asked:
        yield clause(
            "People's accuracy was the share of right answers within an item, averaged over items",
            "gulordava2018",
        )
    yield from _shared(material)
    if material.suites is not None:
        yield from _suites(material.suites)
    else:
        yield from _intervals(material, found)
    yield from _other_intervals(material, found)
    yield from _differences(material)
    yield from _correlations(material)
    yield from _reliability(found)
    yield from _agreement(found)
    yield from _mixed(material)


def _shared(material: Material) -> Iterator[Clause]:
    """On which items raters were compared, where not everybody answered everything."""
    if material.suites is not None:
        if material.suites.shared and len(material.suites.raters) > 1:
            yield clause("Scores were over the suites and items that all raters had answered")
        return
    uneven = {
        kind: each
        for kind, each in material.common.items()
        if len(each.together) > 1 and any(len(own) < each.n_items for own in each.own.values())
    }
    if uneven:
        told = [f"{len(each.items):,} {panel_name(kind)}" for kind, each in uneven.items()]
        yield clause(f"Raters were compared on the items that all had answered: {listed(told)}")


def _intervals(material: Material, found: Sequence[Measure]) -> Iterator[Clause]:
    """Of accuracies on one suite of agreement items."""
    scored = any(number(row, "low") is not None for row in material.accuracy)
    accuracies = (each for each in found if each.statistic.startswith("accuracy"))
    bootstrap = any("bootstrap over sources" in each.note for each in accuracies)
    if scored or bootstrap:
        yield clause(
            f"{P_95} intervals of accuracies were percentile bootstraps ({RESAMPLES:,} resamples of"
            " originals with all their variants, fixed seed)",
            "efron1993",
        )


def _other_intervals(material: Material, found: Sequence[Measure]) -> Iterator[Clause]:
    """Of people's accuracies, beside the bootstrap over sources; the second is on the page of
    agreement items alone."""
    agreeing = material.suites is None
    if agreeing and any(each.note == BY_BOTH for each in found):
        yield clause(
            "Intervals of people's accuracy resampled originals and participants, independently of"
            " each other"
        )
    one = "each original" if agreeing else "each item (or set of items)"
    pooled = any(each.statistic == "accuracy pooled" for each in found)
    of_models = (limits.method for row in material.accuracy if (limits := limits_of(row)))
    alike = WILSON in of_models or any(each.note.startswith(WILSON) for each in found)
    if pooled or alike:
        what = [
            *(["pooled answers"] if pooled else []),
            *([f"cells at 0 or 100{THIN}% ({one} as one case)"] if alike else []),
        ]
        yield clause(f"For {listed(what)}, Wilson's interval was taken", "wilson1927")


def _suites(suites: Suites) -> Iterator[Clause]:
    """Of collections of controlled suites."""
    if any(number(row, "low") is not None for row in suites.scores):
        yield clause(
            f"{P_95} intervals were percentile bootstraps ({RESAMPLES:,} resamples of items within"
            " each suite, or of whole suites, fixed seed)",
            "efron1993",
        )
    if any(number(row, "p") is not None for row in suites.paired):
        adjusted = any(number(row, "p_holm") is not None for row in suites.paired)
        yield clause(
            "Raters were compared pairwise by two-sided sign-flip tests, over suites and over the"
            f" items of a suite{', with Holm’s adjustment' if adjusted else ''}",
            *(["holm1979"] if adjusted else []),
        )
    if suites.correlations:
        yield clause(
            "Accuracies by suite were correlated between raters (Pearson's r, Spearman's ρ)"
        )
    if any(number(row, "correlation") is not None for row in suites.shallow):
        raters = {text(row, "rater") for row in suites.shallow}
        r = "point-biserial r" if HUMANS not in raters else "Pearson's r of shares of right answers"
        if HUMANS in raters and raters - {HUMANS}:
            r = "of models point-biserial r, of people Pearson's r of shares of right answers"
        yield clause(
            f"Success was correlated with shallow properties of items ({r})", "warstadt2020"
        )


def _differences(material: Material) -> Iterator[Clause]:
    models = [row for row in material.comparison if text(row, "rater") != HUMANS]
    if not any(number(row, "p") is not None for row in models):
        return
    units = "originals" if material.suites is None else "items (or sets of items)"
    yield clause(
        "People and models were compared on the items that all have: the difference of accuracies"
        f" was tested by flipping the signs of the mean differences of whole {units} (two-sided,"
        f" exact up to {EXACT_SOURCES}, else {SIGN_FLIPS:,} random flips)"
    )
    if any(number(row, "difference_low") is not None for row in models):
        yield clause(
            f"The {P_95} interval of a difference was a percentile bootstrap, with people and model"
            f" on the same resamples of {units}"
        )
    if any(number(row, "p_holm") is not None for row in models):
        yield clause(
            "Over the constructions of a model, p-values were adjusted after Holm", "holm1979"
        )


def _correlations(material: Material) -> Iterator[Clause]:
    known = [
        each
        for each in material.people.measures
        if each.statistic in (ANSWERS, SHARES) and each.value is not None
    ]
    if not known:
        return
    ways = []
    if any(each.statistic == ANSWERS for each in known):
        ways.append("right minus wrong answers")
    if any(each.statistic == SHARES for each in known):
        ways.append("the share of right answers")
    yield clause(
        f"Models' margins ({MARGIN[material.suites is None]}) were correlated with"
        f" {listed(ways)} (Spearman's ρ with mid-ranks; intervals by the same bootstrap)",
        "gulordava2018",
    )
    tested = {each.note.partition(",")[0] for each in known if each.p is not None}
    schemes = [said for scheme, said in PERMUTED.items() if scheme in tested]
    unit = "original" if material.suites is None else "set"
    if schemes:
        yield clause(
            "The correlation with right minus wrong answers was tested two-sided, by"
            f" {PERMUTATIONS:,} random permutations"
            f" {listed([each.format(unit) for each in schemes])}"
        )


def _reliability(found: Sequence[Measure]) -> Iterator[Clause]:
    notes = {each.note for each in found if each.statistic == "split-half ρ"}
    ways = []
    if BY_PEOPLE in notes:
        ways.append("splitting participants")
    if BY_COUNTS in notes:
        ways.append("splitting each item's answers as if participants were alike")
    if ways:
        yield clause(
            f"Reliability was the mean ρ between halves over {SPLITS:,} random splits, by"
            f" {' and by '.join(ways)}, taken to the whole by the Spearman–Brown formula",
            "spearman1910",
            "brown1910",
        )
    if any(each.statistic == "noise ceiling" and each.value is not None for each in found):
        yield clause("The noise ceiling of a model's ρ was its square root")


def _agreement(found: Sequence[Measure]) -> Iterator[Clause]:
    statistics = {each.statistic for each in found if each.value is not None}
    if "Krippendorff's α" in statistics:
        yield clause(
            "Agreement among participants was measured by the share of pairs that agreed,"
            " Krippendorff's α (nominal) and Fleiss' κ, generalised to unequal numbers of answers",
            "krippendorff2004",
            "fleiss1971",
        )
    elif "pairwise agreement" in statistics:
        yield clause("Agreement among participants was measured by the share of pairs that agreed")


def _mixed(material: Material) -> Iterator[Clause]:
    """The model that was fitted; where there is none, nothing."""
    fitted = next((match for each in material.people.said if (match := FITTED.match(each))), None)
    if fitted is None:
        return
    prior = next((match for each in material.people.said if (match := PRIOR.match(each))), None)
    version = dict(material.versions).get(PACKAGE)
    with_what = f"with the package {PACKAGE}{f' {version}' if version else ''}"
    if prior is not None:
        with_what = f"under a normal prior (SD {prior['sd']}) on coefficients"
    yield clause(
        f"Single answers ({fitted['n']}) were fitted by a logit mixed model with crossed random"
        f" effects, by Laplace approximation {with_what}"
    )
    yield clause(f"In the notation of lme4, it was {fitted['formula']}", "bates2015")
    for begin, told in REMARKS.items():
        if any(each.startswith(begin) for each in material.people.said):
            yield clause(told)
    methods = {
        each.note.partition(",")[0]
        for each in material.people.measures
        if each.statistic == "χ² of a variable"
    }
    if methods:
        names = {"likelihood ratio": "likelihood-ratio tests", "Wald": "Wald's tests"}
        yield clause(
            f"Variables were tested by {listed([names[each] for each in sorted(methods)])}"
        )
