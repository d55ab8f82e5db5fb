"""Ways to ask a model about an item, by the `measure` of a method.

A measure makes of a suite the suite that is asked, and of its outcomes those of the items. Most ask
for another suite only: whole sentences for regions, a pair cut at its critical word, a target with
and without its context.

    target       what the suite predicts; of pairs, the target given its prefix
    sentence     whole sentences in the place of regions ("simple LM method", Warstadt et al. 2020)
    one-prefix   two words after one prefix (Linzen et al. 2016; Warstadt et al. 2020, §6.4)
    two-prefix   one word after two prefixes (Wilcox et al. 2019; Warstadt et al. 2020, §6.4)
    pmi          surprisal less that after a premise alone (Holtzman et al. 2021), by default none
    ew, mw       all target lemmas that fit a prefix, each counting the same, or as the model
                 expects them (Newman et al. 2021, §3)

The acceptability measures of whole sentences (`meanlp`, `slor`, …) are in
`questions/region_surprisals.py`.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ...data.arrays import Floats, Truths
from ...data.errors import InputError
from ...data.formats.pair_formats import BY_PREFIX, ONE_PREFIX, TWO_PREFIX, divide
from ...data.formula.expression import RegionKey, comparisons
from ...data.items.item import PREFIX, REST, RIGHT, TARGET, WRONG
from ...data.items.item_table import ItemTable
from ...data.items.prediction import WHOLE, Prediction, parse_prediction
from ...data.items.sentences import RegionPart, Sentences, code_of
from ...data.items.suite import AGREEMENT, Suite
from .evaluate import (
    FRAGILE,
    LEMMAS_LEFT_OUT,
    NO_PAIR,
    OOV,
    OUTCOMES,
    REFUSED,
    Outcome,
    outcomes_frame,
)

CELL = re.compile(r"\(\s*(?P<region>[^;()%]+?)\s*;\s*%(?P<condition>[^%]+)%\s*\)")
LEMMA = "/"  # between an item's id and the number of one of its lemmas
CUT = (PREFIX, TARGET, REST)  # the regions of a sentence cut at its critical word


@dataclass(frozen=True, slots=True)
class MethodSuite:
    """The suite that is asked, and the items that the method cannot ask about."""

    suite: Suite
    left_out: Sequence[str] = ()
    minus: Mapping[RegionKey, RegionKey] = field(default_factory=dict)
    """What is taken off a (condition, region) before it is judged: another one's surprisal"""


Values = Mapping[RegionKey, Floats]
Join = Callable[[pl.DataFrame, Floats, Floats], tuple[float, float]]
"""Outcomes of an item's lemmas, bits of their right and wrong forms → credit and margin"""


@dataclass(frozen=True, slots=True)
class Elicitation:
    """A way to put the predictions of a suite to a model."""

    asking: Callable[[Suite, str], MethodSuite]  # the text is the premise of `pmi`
    join: Join | None = None  # the outcomes of an item's lemmas to that of the item


def by_target(suite: Suite, premise: str) -> MethodSuite:
    """Ask for what the suite predicts, as it is."""
    return MethodSuite(suite)


def by_sentence(suite: Suite, premise: str) -> MethodSuite:
    """Put the whole sentence in the place of each region; predictions that so become equal are one.
    Raises `InputError` for one that so compares a sentence with itself."""
    predictions: dict[str, Prediction] = {}
    for prediction in suite.predictions:
        source = CELL.sub(rf"({WHOLE};%\g<condition>%)", prediction.source)
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


def by_one_prefix(suite: Suite, premise: str) -> MethodSuite:
    """Cut pairs where their sentences first differ; those that BLiMP says do not allow it, and
    what is no pair, are left out."""
    table, sentences = suite.table, suite.table.sentences
    usable, rights, wrongs, same, _ = _pairs(table, ONE_PREFIX)
    parts: dict[int, Sequence[RegionPart]] = {}
    uncut = np.flatnonzero(usable & ~same)  # the others are cut so already
    pairs = [column[uncut] for column in (rights, wrongs)]
    for row, *pair, right, wrong in zip(
        uncut, *pairs, *map(sentences.texts_of, pairs), strict=True
    ):
        cuts = divide(right, wrong)
        usable[row] = cuts is not None
        for sentence, cut in zip(pair, cuts or (), strict=False):
            texts = (cut.prefix, cut.gap + cut.word, cut.rest)
            parts[sentence] = [(name, text, None) for name, text in zip(CUT, texts, strict=True)]
    return _subset(
        suite, table.changed(sentences.replaced(parts)) if parts else table, usable, BY_PREFIX
    )


def by_two_prefixes(suite: Suite, premise: str) -> MethodSuite:
    """Ask about pairs whose makers say which word follows the two prefixes, and no others."""
    usable, _, _, one_prefix, one_word = _pairs(suite.table, TWO_PREFIX)
    return _subset(suite, suite.table, usable & one_word & ~one_prefix, BY_PREFIX)


def _subset(suite: Suite, table: ItemTable, usable: Truths, prediction: Prediction) -> MethodSuite:
    left_out = table.frame["item_id"].filter(pl.Series(~usable)).to_list()
    items = table.take(np.flatnonzero(usable)) if left_out else table
    return MethodSuite(replace(suite, items=items, predictions=(prediction,)), left_out)


def _pairs(
    table: ItemTable, kind: str
) -> tuple[Truths, NDArray[np.int64], NDArray[np.int64], Truths, Truths]:
    """Find the items that are pairs which may be asked so, their right and wrong sentences, and
    those that are cut after one prefix, and at one word."""
    columns, n = table.sentences, len(table)
    item, filled, cut = columns.item(), columns.has_text(), columns.regions_are(CUT)
    sentences = np.zeros((2, n), np.int64)
    pair = np.bincount(item, minlength=n) == 2
    for which, name in enumerate((RIGHT, WRONG)):
        rows = np.flatnonzero((columns.condition == code_of(name, columns.conditions)) & filled)
        pair &= np.bincount(item[rows], minlength=n) == 1
        sentences[which, item[rows]] = rows
    methods = table.frame["facts"].str.json_path_match("$.methods").fill_null("")  # BLiMP's
    pair &= (methods == "").to_numpy() | methods.str.split(" ").list.contains(
        f"{kind}_method"
    ).to_numpy()

    rows = np.flatnonzero(pair & cut[sentences].all(0))
    prefix = columns.of_sentence[sentences[:, rows]]
    texts: dict[str, int] = {"": 0}
    full, bare = (
        np.array([texts.setdefault(text, len(texts)) for text in strings], np.int64)
        for strings in (columns.texts, map(str.strip, columns.texts))
    )
    word = bare[columns.chunk[prefix + 1]]
    same = np.zeros((2, n), bool)
    same[0, rows] = np.equal(*full[columns.chunk[prefix]])
    same[1, rows] = np.equal(*word)
    same[:, rows] &= (word != 0).all(0)
    return pair, *sentences, *same


def by_pmi(suite: Suite, premise: str) -> MethodSuite:
    """Subtract from each region's surprisal its surprisal after the premise alone, so that only
    what the context adds to the region is left. Frequent forms gain nothing by being frequent.

    A whole sentence has no context, so predictions about one are not asked. Raises `InputError` if
    there is no other prediction.
    """
    of_regions = [
        prediction
        for prediction in suite.predictions
        if WHOLE not in {region for _, region in prediction.cells()}
    ]
    if not of_regions:
        wrong = "its predictions are about whole sentences, which have no context to subtract"
        raise InputError(suite.name, wrong, "measure sentence", kind="unsupported")
    cells = dict.fromkeys(cell for prediction in of_regions for cell in prediction.cells())
    minus = {cell: (f"alone-{n}", cell[1]) for n, cell in enumerate(cells, start=1)}
    sentences = suite.table.sentences
    codes = [code_of(condition, sentences.conditions) for condition, _ in minus]
    alone = [np.flatnonzero(sentences.condition == code) for code in codes]
    copied = np.concatenate([np.arange(len(sentences.condition)), *alone])
    numbers = len(sentences.conditions) + np.repeat(np.arange(len(alone)), list(map(len, alone)))
    order = np.argsort(sentences.item()[copied], kind="stable")  # item by item, first what it had
    item = sentences.item()[copied][order]
    condition = np.concatenate([sentences.condition, numbers]).astype(np.int32)[order]
    extended = replace(
        sentences.gathered(copied[order], np.searchsorted(item, np.arange(len(suite.table) + 1))),
        condition=condition,
        conditions=(*sentences.conditions, *(name for name, _ in minus.values())),
    )
    parts = {
        row: _alone(extended, row, tuple(minus)[code - len(sentences.conditions)][1], premise)
        for row, code in enumerate(condition.tolist())
        if code >= len(sentences.conditions)
    }
    items = suite.table.changed(extended.replaced(parts))
    return MethodSuite(replace(suite, items=items, predictions=tuple(of_regions)), minus=minus)


def _alone(sentences: Sentences, sentence: int, region: str, premise: str) -> list[RegionPart]:
    ((_, text, words),) = (part for part in sentences.parts(sentence) if part[0] == region)
    blank = " " if premise else ""
    return [("premise", premise, None), (region, blank + text.lstrip(), words)]


def by_lemmas(suite: Suite, premise: str) -> MethodSuite:
    """Make an item of each target lemma; items without are left out."""
    table, n = suite.table, len(suite.table)
    sentences = table.sentences
    codes = [code_of(name, sentences.conditions) for name in (RIGHT, WRONG)]
    fits = sentences.regions_are(CUT) & np.isin(sentences.condition, codes)
    usable = np.bincount(sentences.item()[~fits], minlength=n) == 0
    for code in codes:
        usable &= np.bincount(sentences.item()[sentences.condition == code], minlength=n) > 0
    n_targets = np.array([len(item.targets) for item in table], np.int64) * usable
    repeated = table.take(np.repeat(np.arange(n), n_targets))
    numbers = [number for n in n_targets.tolist() for number in range(n)]
    forms, equal = [], []
    for item, number in zip(repeated, numbers, strict=True):
        target = item.targets[number]
        forms.append((target.right, target.wrong))
        equal.append(item.agreement is not None and target.right == target.wrong)
    copies = repeated.sentences
    owners = zip(copies.item().tolist(), copies.condition.tolist(), strict=True)
    parts: dict[int, Sequence[RegionPart]] = {}
    for sentence, (row, code) in enumerate(owners):
        prefix, (_, text, _), rest = copies.parts(sentence)
        form = forms[row][codes.index(code)]
        blank = text[: len(text) - len(text.lstrip())]
        parts[sentence] = [prefix, (TARGET, blank + form, (form,)), rest]
    items = repeated.changed(
        copies.replaced(parts),
        item_id=repeated.frame["item_id"]
        + pl.Series([f"{LEMMA}{n + 1}" for n in numbers], dtype=pl.String),
        equal_forms=pl.Series(equal, dtype=pl.Boolean),
    )
    left_out = table.frame["item_id"].filter(pl.Series(n_targets == 0)).to_list()
    return MethodSuite(replace(suite, items=items, predictions=(AGREEMENT,)), left_out)


def equally_weighted(outcomes: pl.DataFrame, right: Floats, wrong: Floats) -> tuple[float, float]:
    """Average the lemmas' credits, and their margins (EW)."""
    margins = outcomes["margin_bits"].fill_null(0.0)
    return math.fsum(outcomes["credit"]) / outcomes.height, math.fsum(margins) / outcomes.height


def by_mass(outcomes: pl.DataFrame, right: Floats, wrong: Floats) -> tuple[float, float]:
    """Return the share of right forms in the probability of all, and their lead in bits (MW)."""
    rights, wrongs = _surprisal_of_any(right), _surprisal_of_any(wrong)
    return 1 / (1 + 2 ** min(rights - wrongs, 1_000.0)), wrongs - rights


def _surprisal_of_any(bits: Floats) -> float:
    """Return the surprisal of any of several events that exclude each other."""
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
    suite: Suite, asking: MethodSuite, method: Elicitation, outcomes: pl.DataFrame, values: Values
) -> pl.DataFrame:
    """Return the outcomes of a suite's items, from those of what was asked.

    Args:
        suite: the items, in order; one that was not asked about has no credit but the reason.
        asking: what was asked.
        method: how.
        outcomes: the outcomes of the items that were asked.
        values: (condition, region) → bits of these items.

    Returns:
        A row per item and prediction, in the columns of `outcomes_frame`.
    """
    if method.join is not None:
        outcomes = outcomes_frame(_of_lemmas(asking, method.join, outcomes, values))
    if not asking.left_out:
        return outcomes
    names = pl.DataFrame(
        {"prediction": [prediction.name for prediction in asking.suite.predictions]}
    )
    left_out = pl.DataFrame({"item_id": asking.left_out}).join(names, how="cross")
    nothing = {"credit": None, "margin_bits": None, "tie": False, "oov": False, "note": NO_PAIR}
    left_out = left_out.with_columns(**{name: pl.lit(value) for name, value in nothing.items()})
    outcomes = pl.concat([outcomes, left_out.cast(pl.Schema(OUTCOMES))])
    order = pl.DataFrame({"item_id": suite.table.frame["item_id"]}).with_row_index("row")
    return (
        outcomes.join(order, on="item_id", maintain_order="left")
        .sort("row", maintain_order=True)
        .drop("row")
    )


def _of_lemmas(
    asking: MethodSuite, join: Join, outcomes: pl.DataFrame, values: Values
) -> Iterator[Outcome]:
    """Yield an outcome for each item, from those of its lemmas; there is one prediction."""
    right, wrong = (values[condition, TARGET] for condition in (RIGHT, WRONG))
    frame = outcomes.with_row_index("row").with_columns(
        pl.col("item_id").str.replace(f"{LEMMA}[0-9]+$", "")
    )
    for (item_id,), lemmas in frame.group_by("item_id", maintain_order=True):
        prediction, flagged = lemmas["prediction"][0], bool(lemmas["oov"].any())
        counted = lemmas.filter(pl.col("credit").is_not_null())
        if not counted.height:
            note = REFUSED if (lemmas["note"] == REFUSED).any() else OOV
            yield Outcome(str(item_id), prediction, None, None, False, flagged, note)
            continue
        rows = counted["row"].to_numpy()
        credit, margin = join(counted, right[rows], wrong[rows])
        notes = {note for text in counted["note"] for note in text.split(";")} - {"", FRAGILE}
        if counted.height < lemmas.height:
            notes.add(LEMMAS_LEFT_OUT)
        tie = bool(counted["tie"].all())
        yield Outcome(
            str(item_id), prediction, credit, margin, tie, flagged, ";".join(sorted(notes))
        )
