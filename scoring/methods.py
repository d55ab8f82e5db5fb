"""Methods: what is asked of a model to decide about an item.

A method makes of a suite the suite that is asked, and of its outcomes those of the items. Most ask
for another suite only: whole sentences for regions, a pair cut at its critical word, a target with
and without its context.

    target       what the suite predicts; of pairs, the target given its prefix
    sentence     whole sentences in the place of regions ("simple LM method", Warstadt et al. 2020)
    one-prefix   two words after one prefix (Linzen et al. 2016; Warstadt et al. 2020, §6.4)
    two-prefix   one word after two prefixes (Wilcox et al. 2019; Warstadt et al. 2020, §6.4)
    pmi          surprisal less that after a premise alone (Holtzman et al. 2021), by default none
    ew, mw       all target lemmas that fit a prefix, each counting the same, or as the model
                 expects them (Newman et al. 2021, §3)

The acceptability measures of whole sentences (`meanlp`, `slor`, …) are in `acceptability.py`.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import polars as pl

from colorless_green.data.errors import InputError
from colorless_green.nonce.formats.pairs import (
    BY_PREFIX,
    ONE_PREFIX,
    TWO_PREFIX,
    Pair,
    conditions_of,
    pair_of,
    parted,
)
from colorless_green.nonce.item import Item, Region, Target, Wording
from colorless_green.nonce.mined import PREFIX, REST, RIGHT, TARGET, WRONG
from colorless_green.nonce.penn import penn
from colorless_green.nonce.prediction import Cell, Prediction, comparisons, parse
from colorless_green.nonce.suite import AGREEMENT, WHOLE, Suite
from colorless_green.scoring.evaluate import Floats
from colorless_green.scoring.outcome import (
    FRAGILE,
    LEMMAS_LEFT_OUT,
    NO_PAIR,
    OOV,
    REFUSED,
    Outcome,
    outcomes_frame,
)

CELL = re.compile(r"\(\s*(?P<region>[^;()%]+?)\s*;\s*%(?P<condition>[^%]+)%\s*\)")
LEMMA = "/"  # between an item's id and the number of one of its lemmas


@dataclass(frozen=True, slots=True)
class Asking:
    """The suite that is asked, and the items that the method cannot ask about, with the reason."""

    suite: Suite
    left_out: Mapping[str, str] = field(default_factory=dict)
    less: Mapping[Cell, Cell] = field(default_factory=dict)
    """What is taken off a (condition, region) before it is judged: another one's surprisal"""


Values = Mapping[Cell, Floats]
Join = Callable[[pl.DataFrame, Floats, Floats], tuple[float, float]]
"""Outcomes of an item's lemmas, bits of their right and wrong forms → credit and margin"""


@dataclass(frozen=True, slots=True)
class Method:
    """How the predictions of a suite are put to a model."""

    asking: Callable[[Suite, str], Asking]  # the text is the premise of `pmi`
    join: Join | None = None  # the outcomes of an item's lemmas to that of the item


def by_target(suite: Suite, premise: str) -> Asking:
    """What the suite predicts, as it stands."""
    return Asking(suite)


def by_sentence(suite: Suite, premise: str) -> Asking:
    """Every region of a prediction becomes the whole sentence; predictions that so become equal
    are one. Raises `InputError` for one that so compares a sentence with itself."""
    found: dict[str, Prediction] = {}
    for prediction in suite.predictions:
        source = CELL.sub(rf"({WHOLE};%\g<condition>%)", prediction.source)
        place = f"{suite.name}: prediction {prediction.name}"
        whole = found.setdefault(
            source, parse(source, prediction.name, place, optional=prediction.optional)
        )
        for each in comparisons(whole.formula):
            if each.left == each.right:
                wrong = "it compares regions of one sentence, which as a whole is one"
                raise InputError(place, wrong, "--method target", kind="unsupported")
    return Asking(replace(suite, predictions=tuple(found.values())))


def by_one_prefix(suite: Suite, premise: str) -> Asking:
    """Pairs cut where their sentences first differ; those that BLiMP says do not allow it, and
    what is no pair, are left out."""
    return _cut(suite, ONE_PREFIX, _after_one_prefix)


def by_two_prefixes(suite: Suite, premise: str) -> Asking:
    """Pairs whose makers say which word follows the two prefixes; others are left out."""
    return _cut(suite, TWO_PREFIX, lambda pair: pair if pair.method == TWO_PREFIX else None)


def _after_one_prefix(pair: Pair) -> Pair | None:
    if pair.method == ONE_PREFIX:
        return pair
    parts = parted(pair.right, pair.wrong)
    return None if parts is None else replace(pair, parts=parts)


def _cut(suite: Suite, kind: str, cut: Callable[[Pair], Pair | None]) -> Asking:
    items: list[Item] = []
    left_out: dict[str, str] = {}
    for item in suite.items:
        own = _pair(item)
        pair = own and cut(own)
        allowed = item.facts.get("methods", "")  # BLiMP's, where it says
        if pair is None or (allowed and f"{kind}_method" not in allowed.split()):
            left_out[item.item_id] = NO_PAIR
        elif pair == own:  # cut so already, with words of its own
            items.append(item)
        else:
            items.append(replace(item, conditions=conditions_of(pair)))
    return Asking(replace(suite, items=tuple(items), predictions=(BY_PREFIX,)), left_out)


def _pair(item: Item) -> Pair | None:
    try:
        return pair_of(item)
    except InputError:
        return None


def by_pmi(suite: Suite, premise: str) -> Asking:
    """Of each region its surprisal less that after the premise alone: of what the context adds to
    it nothing but that is left. Forms that are frequent anyhow win nothing by it.

    A whole sentence has no context: what is predicted of one is not asked. Raises `InputError`
    where nothing else is predicted.
    """
    of_regions = [
        each for each in suite.predictions if WHOLE not in {region for _, region in each.cells()}
    ]
    if not of_regions:
        wrong = "it predicts of whole sentences, which have no context to take off"
        raise InputError(suite.name, wrong, "--method sentence", kind="unsupported")
    cells = dict.fromkeys(cell for each in of_regions for cell in each.cells())
    less = {cell: (f"alone-{n}", cell[1]) for n, cell in enumerate(cells, start=1)}
    items = tuple(
        replace(item, conditions={**item.conditions, **_conditions_alone(item, less, premise)})
        for item in suite.items
    )
    return Asking(replace(suite, items=items, predictions=tuple(of_regions)), less=less)


def _conditions_alone(
    item: Item, less: Mapping[Cell, Cell], premise: str
) -> dict[str, tuple[Wording, ...]]:
    """What stands after the premise, of the conditions that the item has."""
    return {
        alone: tuple(_alone(wording, region, premise) for wording in item.conditions[condition])
        for (condition, region), (alone, _) in less.items()
        if condition in item.conditions
    }


def _alone(wording: Wording, region: str, premise: str) -> Wording:
    (kept,) = (each for each in wording if each.region == region)
    before = Region("premise", penn(premise), premise)
    if not premise:
        return before, replace(kept, text=kept.text.lstrip())
    return before, replace(kept, text=f" {kept.text.lstrip()}")


def by_lemmas(suite: Suite, premise: str) -> Asking:
    """An item for each of its target lemmas; those without are left out."""
    items: list[Item] = []
    left_out: dict[str, str] = {}
    for item in suite.items:
        if item.targets and _is_cut(item):
            items += [_with(item, n, target) for n, target in enumerate(item.targets, start=1)]
        else:
            left_out[item.item_id] = NO_PAIR
    return Asking(replace(suite, items=tuple(items), predictions=(AGREEMENT,)), left_out)


def _is_cut(item: Item) -> bool:
    return set(item.conditions) == {RIGHT, WRONG} and all(
        tuple(region.region for region in wording) == (PREFIX, TARGET, REST)
        for wordings in item.conditions.values()
        for wording in wordings
    )


def _with(item: Item, number: int, target: Target) -> Item:
    forms = {RIGHT: target.right, WRONG: target.wrong}
    conditions = {
        name: tuple(_replaced(wording, form) for wording in item.conditions[name])
        for name, form in forms.items()
    }
    agreement = item.agreement and replace(
        item.agreement, right=target.right, wrong=target.wrong, lemma=target.lemma
    )
    name = f"{item.item_id}{LEMMA}{number}"
    return replace(item, item_id=name, conditions=conditions, agreement=agreement, targets=())


def _replaced(wording: Wording, form: str) -> Wording:
    prefix, target, rest = wording
    blank = target.text[: len(target.text) - len(target.text.lstrip())]
    return prefix, Region(TARGET, (form,), blank + form), rest


def equally(own: pl.DataFrame, right: Floats, wrong: Floats) -> tuple[float, float]:
    """EW: the mean of the lemmas' credits, and of their margins."""
    margins = own["margin_bits"].fill_null(0.0)
    return math.fsum(own["credit"]) / own.height, math.fsum(margins) / own.height


def by_mass(own: pl.DataFrame, right: Floats, wrong: Floats) -> tuple[float, float]:
    """MW: what of the probability of all forms is on right ones, and how many bits they lead."""
    rights, wrongs = _together(right), _together(wrong)
    return 1 / (1 + 2 ** min(rights - wrongs, 1_000.0)), wrongs - rights


def _together(bits: Floats) -> float:
    """Surprisal of any of several events that exclude each other."""
    least = float(bits.min())
    return least - math.log2(math.fsum(2 ** (least - each) for each in bits.tolist()))


METHODS = {
    "target": Method(by_target),
    "sentence": Method(by_sentence),
    "one-prefix": Method(by_one_prefix),
    "two-prefix": Method(by_two_prefixes),
    "pmi": Method(by_pmi),
    "ew": Method(by_lemmas, equally),
    "mw": Method(by_lemmas, by_mass),
}


def joined(
    suite: Suite, asking: Asking, method: Method, found: pl.DataFrame, values: Values
) -> pl.DataFrame:
    """The outcomes of a suite's items from those of what was asked.

    Args:
        suite: whose items are told of, in their order; one that was not asked about has no credit
            but the reason.
        asking: what was asked.
        method: how.
        found: the outcomes of the items that were asked.
        values: (condition, region) → bits of these items.
    """
    if method.join is not None:
        found = outcomes_frame(_of_lemmas(asking, method.join, found, values))
    if asking.left_out:
        predictions = [each.name for each in asking.suite.predictions]
        notes = asking.left_out.items()
        gone = [
            Outcome(n, p, None, None, False, False, note) for n, note in notes for p in predictions
        ]
        found = pl.concat([found, outcomes_frame(gone)])
    if method.join is None and not asking.left_out:
        return found
    order = pl.DataFrame({"item_id": suite.table.frame["item_id"]}).with_row_index("row")
    return (
        found.join(order, on="item_id", maintain_order="left")
        .sort("row", maintain_order=True)
        .drop("row")
    )


def _of_lemmas(
    asking: Asking, join: Join, found: pl.DataFrame, values: Values
) -> Iterator[Outcome]:
    """One outcome for each item, from those of its lemmas; there is one prediction."""
    right, wrong = (values[condition, TARGET] for condition in (RIGHT, WRONG))
    frame = found.with_row_index("row").with_columns(
        pl.col("item_id")
        .str.split(LEMMA)
        .list.slice(0, pl.col("item_id").str.count_matches(LEMMA))
        .list.join(LEMMA)
    )
    for (item_id,), own in frame.group_by("item_id", maintain_order=True):
        prediction, flagged = own["prediction"][0], bool(own["oov"].any())
        counted = own.filter(pl.col("credit").is_not_null())
        if not counted.height:
            note = REFUSED if (own["note"] == REFUSED).any() else OOV
            yield Outcome(str(item_id), prediction, None, None, False, flagged, note)
            continue
        rows = counted["row"].to_numpy()
        credit, margin = join(counted, right[rows], wrong[rows])
        notes = {note for each in counted["note"] for note in each.split(";")} - {"", FRAGILE}
        if counted.height < own.height:
            notes.add(LEMMAS_LEFT_OUT)
        tie = bool(counted["tie"].all())
        yield Outcome(
            str(item_id), prediction, credit, margin, tie, flagged, ";".join(sorted(notes))
        )
