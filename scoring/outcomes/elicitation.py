"""Ways to ask a model about an item (elicitations), by the `measure` of a method.

A way of asking turns a suite into the suite that is asked, for example with whole sentences in
place of regions, pairs divided at their critical word, or targets without their context. Some also
combine the outcomes of several asked items into that of one item.

    target       what the suite predicts; of pairs, the target given its prefix
    sentence     whole sentences in the place of regions ("simple LM method", Warstadt et al. 2020)
    one-prefix   two words after one prefix (Linzen et al. 2016; Warstadt et al. 2020, §6.4)
    two-prefix   one word after two prefixes (Wilcox et al. 2019; Warstadt et al. 2020, §6.4)
    pmi          surprisal less that after a premise alone, which is empty unless the method has
                 one (Holtzman et al. 2021)
    ew, mw       all target lemmas that fit a prefix, with equal weights, or weighted by their
                 probability (Newman et al. 2021, §3)

The acceptability measures of whole sentences (`meanlp`, `slor`, …) are in
`questions/region_surprisals.py`.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

import polars as pl

from ...data.arrays import Floats
from ...data.errors import InputError
from ...data.formats.pair_formats import (
    BY_PREFIX,
    ONE_PREFIX,
    TWO_PREFIX,
    SentencePair,
    divide,
    pair_of,
)
from ...data.formula.expression import RegionKey, comparisons
from ...data.items.item import (
    PREFIX,
    REST,
    RIGHT,
    TARGET,
    WRONG,
    Item,
    Region,
    Wording,
    is_pair,
    sentence_text,
)
from ...data.items.prediction import WHOLE, Prediction, parse_prediction
from ...data.items.sentences import penn
from ...data.items.suite import AGREEMENT, Suite
from .evaluate import (
    FRAGILE,
    LEMMAS_LEFT_OUT,
    NO_PAIR,
    OOV,
    OUTCOME_DTYPES,
    REFUSED,
    Outcome,
    outcomes_frame,
)

CELL_IN_FORMULA = re.compile(r"\(\s*(?P<region>[^;()%]+?)\s*;\s*%(?P<condition>[^%]+)%\s*\)")
LEMMA = "/"  # separates the id of an item and the number of one of its lemmas
CUT = (PREFIX, TARGET, REST)  # the regions of a sentence divided at its critical word


@dataclass(frozen=True, slots=True)
class MethodSuite:
    """The suite that is asked by a method.

    Attributes:
        suite: the suite, with the items, regions and predictions that the method needs.
        left_out: the ids of the items that the method cannot ask about.
        minus: (condition, region) → the one whose surprisal is subtracted from it.
    """

    suite: Suite
    left_out: Sequence[str] = ()
    minus: Mapping[RegionKey, RegionKey] = field(default_factory=dict)


Values = Mapping[RegionKey, Floats]
"""(condition, region) → surprisals in bits, one for each item"""
Join = Callable[[pl.DataFrame, Floats, Floats], tuple[float, float]]
"""(outcomes of an item's lemmas, surprisals of their right and of their wrong forms) → the credit
of the item and its margin in bits"""


@dataclass(frozen=True, slots=True)
class Elicitation:
    """A way of asking a model about the items of a suite.

    Attributes:
        change: makes the suite that is asked from a suite and the premise of `pmi`.
        join: combines the outcomes of an item's lemmas; None if the items themselves are asked.
    """

    change: Callable[[Suite, str], MethodSuite]
    join: Join | None = None


def by_target(suite: Suite, premise: str) -> MethodSuite:
    """Return a suite to be asked about as it is; the premise is not used."""
    return MethodSuite(suite)


def by_sentence(suite: Suite, premise: str) -> MethodSuite:
    """Change the predictions of a suite so that they compare whole sentences, not regions (parts).
    Predictions that become equal are merged. The premise is not used. Raises `InputError` for a
    prediction that would compare a sentence with itself."""
    predictions: dict[str, Prediction] = {}
    for prediction in suite.predictions:
        source = CELL_IN_FORMULA.sub(rf"({WHOLE};%\g<condition>%)", prediction.source)
        location = f"{suite.name}: prediction {prediction.name}"
        complete = predictions.setdefault(
            source,
            parse_prediction(source, prediction.name, location, optional=prediction.optional),
        )
        for comparison in comparisons(complete.formula):
            if comparison.left == comparison.right:
                wrong = "it compares regions within one sentence, not whole sentences"
                raise InputError(location, wrong, "measure target", kind="unsupported")
    return MethodSuite(replace(suite, predictions=tuple(predictions.values())))


def _change_items(
    suite: Suite, change: Callable[[Item], Sequence[Item]], prediction: Prediction
) -> MethodSuite:
    """Replace each item of a suite by the items that `change` returns, to be asked under one
    prediction. An item for which it returns none is left out."""
    changed = [(item, change(item)) for item in suite.items]
    items = tuple(chain.from_iterable(new_items for _, new_items in changed))
    left_out = [item.item_id for item, new_items in changed if not new_items]
    return MethodSuite(replace(suite, items=items, predictions=(prediction,)), left_out)


def _fit_pair(item: Item, method: str) -> SentencePair | None:
    """Return the two sentences of a pair that may be asked about by a method of BLiMP, `ONE_PREFIX`
    or `TWO_PREFIX`; `None` for any other item, and for a pair that BLiMP marks as unfit."""
    blimp_methods = item.facts.get("methods", "")
    is_allowed = not blimp_methods or f"{method}_method" in blimp_methods.split(" ")
    if not (is_allowed and is_pair(item)):
        return None
    sentences = (sentence_text(wording) for (wording,) in item.conditions.values())
    return pair_of(item) if all(map(str.strip, sentences)) else None


def by_one_prefix(suite: Suite, premise: str) -> MethodSuite:
    """Divide the two sentences of a pair where they first differ, to compare the two words there.
    Items that are not pairs, and pairs that BLiMP marks as unfit, are left out. The premise is not
    used."""
    return _change_items(suite, _divided, BY_PREFIX)


def _divided(item: Item) -> list[Item]:
    """Return a pair whose sentences are divided where they first differ, unless the pair says
    itself where its one prefix ends; [] for an item that cannot be divided."""
    pair = _fit_pair(item, ONE_PREFIX)
    if pair is None:
        return []
    if pair.method == ONE_PREFIX:
        return [item]
    both_parts = divide(pair.right, pair.wrong)
    if both_parts is None:
        return []
    conditions: dict[str, tuple[Wording, ...]] = {}
    for condition, parts in zip((RIGHT, WRONG), both_parts, strict=True):
        texts = zip(CUT, (parts.prefix, parts.gap + parts.word, parts.rest), strict=True)
        conditions[condition] = (tuple(Region(name, penn(text), text) for name, text in texts),)
    return [replace(item, conditions=conditions)]


def by_two_prefixes(suite: Suite, premise: str) -> MethodSuite:
    """Keep the pairs that have one target after two different prefixes, whose surprisals are
    compared. Only the suite can say where the target stands, so that all pairs that it does not
    divide in this way are left out. The premise is not used."""

    def keep(item: Item) -> list[Item]:
        """Return the item if it is such a pair, else []."""
        pair = _fit_pair(item, TWO_PREFIX)
        return [item] if pair is not None and pair.method == TWO_PREFIX else []

    return _change_items(suite, keep, BY_PREFIX)


def by_pmi(suite: Suite, premise: str) -> MethodSuite:
    """Give each item a copy of its regions (parts of sentences) after the premise alone, whose
    surprisals are subtracted. What is left is due to the context: frequent forms have no advantage.

    A whole sentence has no context, so predictions about whole sentences are dropped. Raises
    `InputError` if there is no other prediction.
    """
    of_regions = tuple(
        prediction
        for prediction in suite.predictions
        if WHOLE not in {region for _, region in prediction.cells()}
    )
    if not of_regions:
        wrong = "its predictions are about whole sentences, which have no context to subtract"
        raise InputError(suite.name, wrong, "measure sentence", kind="unsupported")
    cells = dict.fromkeys(cell for prediction in of_regions for cell in prediction.cells())
    # The copies of each cell have a condition of their own.
    minus = {cell: (f"alone-{n}", cell[1]) for n, cell in enumerate(cells, start=1)}
    items = []
    for item in suite.items:
        copies = {
            copy: tuple(
                _after_premise(wording, region, premise) for wording in item.conditions[name]
            )
            for (name, region), (copy, _) in minus.items()
            if name in item.conditions
        }
        items.append(replace(item, conditions={**item.conditions, **copies}))
    return MethodSuite(replace(suite, items=tuple(items), predictions=of_regions), minus=minus)


def _after_premise(wording: Wording, name: str, premise: str) -> Wording:
    """Return a new sentence: the premise, and behind it the regions of this name in a sentence; the
    premise alone if the sentence has none."""
    blank = " " if premise else ""
    named = [region for region in wording if region.region == name]
    regions = (replace(region, text=blank + region.text.lstrip()) for region in named)
    return (Region("premise", penn(premise), premise), *regions)


def by_lemmas(suite: Suite, premise: str) -> MethodSuite:
    """Make a copy of each item for each of its target lemmas (verbs that fit the prefix), with the
    lemma's right and wrong form as targets. Items without target lemmas are left out. The premise
    is not used."""
    return _change_items(suite, _copies_by_lemma, AGREEMENT)


def _copies_by_lemma(item: Item) -> list[Item]:
    """Return the copies of an item with its target lemmas; [] for an item whose sentences, right
    and wrong, are not divided into prefix, target and rest."""
    wordings = [wording for wordings in item.conditions.values() for wording in wordings]
    names = {tuple(region.region for region in wording) for wording in wordings}
    if item.conditions.keys() != {RIGHT, WRONG} or names != {CUT}:
        return []
    copies = []
    for number, target in enumerate(item.targets, start=1):
        conditions = {
            condition: tuple(_with_target(wording, form) for wording in item.conditions[condition])
            for condition, form in ((RIGHT, target.right), (WRONG, target.wrong))
        }
        agreement = item.agreement and replace(
            item.agreement, right=target.right, wrong=target.wrong
        )
        copies.append(
            replace(
                item, item_id=f"{item.item_id}{LEMMA}{number}", conditions=conditions,
                agreement=agreement,
            )
        )  # fmt: skip
    return copies


def _with_target(wording: Wording, form: str) -> Wording:
    """Return a sentence divided into prefix, target and rest with another form as its target."""
    prefix, target, rest = wording
    blank = target.text.removesuffix(target.text.lstrip())
    return (prefix, Region(TARGET, (form,), blank + form), rest)


def equally_weighted(outcomes: pl.DataFrame, right: Floats, wrong: Floats) -> tuple[float, float]:
    """Return the credit and the margin in bits of an item under the measure ew: the means over its
    lemmas. The surprisals of right and wrong forms are not used."""
    margins = outcomes["margin_bits"].fill_null(0.0)
    return math.fsum(outcomes["credit"]) / outcomes.height, math.fsum(margins) / outcomes.height


def by_mass(outcomes: pl.DataFrame, right: Floats, wrong: Floats) -> tuple[float, float]:
    """Return the credit and the margin in bits of an item under the measure mw.

    The credit is the share of the right forms in the probability of all forms; the margin is the
    surprisal of the wrong forms less that of the right ones. `outcomes` is not used.
    """
    margin = _surprisal_of_any(wrong) - _surprisal_of_any(right)
    credit = 1 / (1 + 2 ** min(-margin, 1_000.0))  # a larger power would overflow
    return credit, margin


def _surprisal_of_any(bits: Floats) -> float:
    """Return the surprisal in bits of the event that any one of several forms occurs, from the
    surprisals of the forms."""
    lowest = float(bits.min())
    return lowest - math.log2(math.fsum(2 ** (lowest - value) for value in bits.tolist()))


ELICITATIONS = {
    "target": Elicitation(by_target),
    "sentence": Elicitation(by_sentence),
    "one-prefix": Elicitation(by_one_prefix),
    "two-prefix": Elicitation(by_two_prefixes),
    "pmi": Elicitation(by_pmi),
    "ew": Elicitation(by_lemmas, equally_weighted),
    "mw": Elicitation(by_lemmas, by_mass),
}


def item_outcomes(
    suite: Suite,
    method_suite: MethodSuite,
    method: Elicitation,
    outcomes: pl.DataFrame,
    values: Values,
) -> pl.DataFrame:
    """Turn the outcomes of the items that were asked into outcomes of the suite's own items.

    Args:
        suite: its items are in order; one that was left out gets no credit, and a note.
        method_suite: the suite that was asked.
        method: the way of asking.
        outcomes: the outcomes of the items that were asked.
        values: (condition, region) → surprisals in bits of these items.

    Returns:
        A row per item and prediction, in the columns of `outcomes_frame`.
    """
    if method.join is not None:
        outcomes = outcomes_frame(_of_lemmas(method_suite, method.join, outcomes, values))
    if not method_suite.left_out:
        return outcomes
    names = [prediction.name for prediction in method_suite.suite.predictions]
    predictions = pl.DataFrame({"prediction": names})
    left_out = pl.DataFrame({"item_id": method_suite.left_out}).join(predictions, how="cross")
    empty = {"credit": None, "margin_bits": None, "tie": False, "oov": False, "note": NO_PAIR}
    left_out = left_out.with_columns(**{name: pl.lit(value) for name, value in empty.items()})
    outcomes = pl.concat([outcomes, left_out.cast(pl.Schema(OUTCOME_DTYPES))])
    order = pl.DataFrame({"item_id": suite.table.frame["item_id"]}).with_row_index("row")
    return (
        outcomes.join(order, on="item_id", maintain_order="left")
        .sort("row", maintain_order=True)
        .drop("row")
    )


def _of_lemmas(
    method_suite: MethodSuite, join: Join, outcomes: pl.DataFrame, values: Values
) -> Iterator[Outcome]:
    """Combine the outcomes of an item's target lemmas into one outcome for each item.

    Args:
        method_suite: the suite that was asked, with an item for each lemma.
        join: combines credits and surprisals of lemmas.
        outcomes: the outcomes of lemmas; those without a credit do not count.
        values: (condition, region) → surprisals in bits.
    """
    right, wrong = (values[condition, TARGET] for condition in (RIGHT, WRONG))
    frame = outcomes.with_row_index("row").with_columns(
        pl.col("item_id").str.replace(f"{LEMMA}[0-9]+$", "")
    )
    for (item_id,), lemmas in frame.group_by("item_id", maintain_order=True):
        prediction, has_oov = lemmas["prediction"][0], bool(lemmas["oov"].any())
        counted = lemmas.filter(pl.col("credit").is_not_null())
        if not counted.height:
            note = REFUSED if (lemmas["note"] == REFUSED).any() else OOV
            yield Outcome(str(item_id), prediction, None, None, False, has_oov, note)
            continue
        rows = counted["row"].to_numpy()
        credit, margin = join(counted, right[rows], wrong[rows])
        notes = {note for text in counted["note"] for note in text.split(";")} - {"", FRAGILE}
        if counted.height < lemmas.height:
            notes.add(LEMMAS_LEFT_OUT)
        is_tie, note = bool(counted["tie"].all()), ";".join(sorted(notes))
        yield Outcome(str(item_id), prediction, credit, margin, is_tie, has_oov, note)
