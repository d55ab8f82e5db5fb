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
from typing import NamedTuple

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


def by_one_prefix(suite: Suite, premise: str) -> MethodSuite:
    """Divide the two sentences of a pair where they first differ, to compare the two words there.
    Items that are not pairs, and pairs that BLiMP marks as unfit, are left out. The premise is not
    used."""
    table, sentences = suite.table, suite.table.sentences
    pairs = _pairs(table, ONE_PREFIX)
    usable = pairs.usable
    regions: dict[int, Sequence[RegionPart]] = {}
    undivided = np.flatnonzero(usable & ~pairs.has_one_prefix)
    rights, wrongs = pairs.right[undivided], pairs.wrong[undivided]
    right_texts, wrong_texts = sentences.texts_of(rights), sentences.texts_of(wrongs)
    columns = (undivided, rights, wrongs, right_texts, wrong_texts)
    for row, right, wrong, right_text, wrong_text in zip(*columns, strict=True):
        divided = divide(right_text, wrong_text)
        if divided is None:
            usable[row] = False
            continue
        for sentence, part in zip((right, wrong), divided, strict=True):
            texts = (part.prefix, part.gap + part.word, part.rest)
            regions[sentence] = [(name, text, None) for name, text in zip(CUT, texts, strict=True)]
    changed = table.changed(sentences.replaced(regions)) if regions else table
    return _subset(suite, changed, usable, BY_PREFIX)


def by_two_prefixes(suite: Suite, premise: str) -> MethodSuite:
    """Keep the pairs that have one target after two different prefixes, whose surprisals are
    compared. Only the suite can say where the target stands, so that all pairs that it does not
    divide in this way are left out. The premise is not used."""
    pairs = _pairs(suite.table, TWO_PREFIX)
    usable = pairs.usable & pairs.has_one_target & ~pairs.has_one_prefix
    return _subset(suite, suite.table, usable, BY_PREFIX)


def _subset(suite: Suite, table: ItemTable, usable: Truths, prediction: Prediction) -> MethodSuite:
    """Return a suite with the usable items of a table under one prediction, and with the ids of the
    items that are left out."""
    left_out = table.frame["item_id"].filter(pl.Series(~usable)).to_list()
    items = table.take(np.flatnonzero(usable)) if left_out else table
    return MethodSuite(replace(suite, items=items, predictions=(prediction,)), left_out)


class _Pairs(NamedTuple):
    """The pairs among items: columns with a value for each item."""

    usable: Truths  # it is a pair, and may be asked about by the method
    right: NDArray[np.int64]  # row of its right sentence
    wrong: NDArray[np.int64]  # row of its wrong sentence
    has_one_prefix: Truths  # both are divided into prefix, target, rest, and have equal prefixes
    has_one_target: Truths  # both are divided so, and have the same target


def _pairs(table: ItemTable, kind: str) -> _Pairs:
    """Find the items that are pairs of sentences and may be asked about by a method of BLiMP, which
    is `ONE_PREFIX` or `TWO_PREFIX`."""
    columns, n = table.sentences, len(table)
    item, has_text, is_divided = (
        columns.item_of_sentence(),
        columns.has_text(),
        columns.regions_are(CUT),
    )
    sentences = np.zeros((2, n), np.int64)  # the row of the right sentence, of the wrong one
    is_pair = np.bincount(item, minlength=n) == 2
    for side, name in enumerate((RIGHT, WRONG)):
        rows = np.flatnonzero((columns.condition == code_of(name, columns.conditions)) & has_text)
        is_pair &= np.bincount(item[rows], minlength=n) == 1
        sentences[side, item[rows]] = rows
    methods = table.frame["facts"].str.json_path_match("$.methods").fill_null("")  # of BLiMP
    allows_kind = methods.str.split(" ").list.contains(f"{kind}_method")
    is_pair &= (methods == "").to_numpy() | allows_kind.to_numpy()

    divided_pairs = np.flatnonzero(is_pair & is_divided[sentences].all(0))
    # A sentence's first region is its prefix, and the second its target.
    prefix = columns.of_sentence[sentences[:, divided_pairs]]
    # Texts are compared by numbers, equal for equal texts and 0 for an empty one.
    number_of: dict[str, int] = {"": 0}
    full_text, stripped_text = (
        np.array([number_of.setdefault(text, len(number_of)) for text in texts], np.int64)
        for texts in (columns.texts, map(str.strip, columns.texts))
    )
    right_prefix, wrong_prefix = full_text[columns.chunk[prefix]]
    right_target, wrong_target = stripped_text[columns.chunk[prefix + 1]]
    have_targets = (right_target != 0) & (wrong_target != 0)
    has_one_prefix, has_one_target = np.zeros(n, bool), np.zeros(n, bool)
    has_one_prefix[divided_pairs] = (right_prefix == wrong_prefix) & have_targets
    has_one_target[divided_pairs] = (right_target == wrong_target) & have_targets
    right, wrong = sentences
    return _Pairs(is_pair, right, wrong, has_one_prefix, has_one_target)


def by_pmi(suite: Suite, premise: str) -> MethodSuite:
    """Give each item a copy of its regions (parts of sentences) after the premise alone, whose
    surprisals are subtracted. What is left is due to the context: frequent forms have no advantage.

    A whole sentence has no context, so predictions about whole sentences are dropped. Raises
    `InputError` if there is no other prediction.
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
    minus = {
        (condition, region): (f"alone-{n}", region)
        for n, (condition, region) in enumerate(cells, start=1)
    }
    sentences = suite.table.sentences
    # Each item keeps its sentences and gets a copy of those with a region to subtract. Each cell's
    # copies have a condition of their own, with a code after those of the suite.
    codes = [code_of(condition, sentences.conditions) for condition, _ in minus]
    copied = [np.flatnonzero(sentences.condition == code) for code in codes]
    rows = np.concatenate([np.arange(len(sentences.condition)), *copied])
    new_codes = len(sentences.conditions) + np.repeat(range(len(copied)), list(map(len, copied)))
    # Sort the sentences by item; a stable sort leaves an item's own sentences before the copies.
    order = np.argsort(sentences.item_of_sentence()[rows], kind="stable")
    item = sentences.item_of_sentence()[rows][order]
    condition = np.concatenate([sentences.condition, new_codes]).astype(np.int32)[order]
    extended = replace(
        sentences.gathered(rows[order], np.searchsorted(item, np.arange(len(suite.table) + 1))),
        condition=condition,
        conditions=(*sentences.conditions, *(name for name, _ in minus.values())),
    )
    region_of_code = dict(enumerate((region for _, region in minus), len(sentences.conditions)))
    new_regions = {
        row: _after_premise(extended, row, region_of_code[code], premise)
        for row, code in enumerate(condition.tolist())
        if code in region_of_code
    }
    items = suite.table.changed(extended.replaced(new_regions))
    return MethodSuite(replace(suite, items=items, predictions=tuple(of_regions)), minus=minus)


def _after_premise(columns: Sentences, row: int, region: str, premise: str) -> list[RegionPart]:
    """Return the regions (name, text, words) of a new sentence: the premise, and behind it the
    region of this name in the sentence of this row."""
    ((text, words),) = ((text, words) for name, text, words in columns.parts(row) if name == region)
    blank = " " if premise else ""
    return [("premise", premise, None), (region, blank + text.lstrip(), words)]


def by_lemmas(suite: Suite, premise: str) -> MethodSuite:
    """Make a copy of each item for each of its target lemmas (verbs that fit the prefix), with the
    lemma's right and wrong form as targets. Items without target lemmas are left out. The premise
    is not used."""
    table, n = suite.table, len(suite.table)
    sentences = table.sentences
    codes = [code_of(name, sentences.conditions) for name in (RIGHT, WRONG)]
    is_fit = sentences.regions_are(CUT) & np.isin(sentences.condition, codes)
    item_of_sentence = sentences.item_of_sentence()
    usable = np.bincount(item_of_sentence[~is_fit], minlength=n) == 0
    for code in codes:
        usable &= (
            np.bincount(sentences.item_of_sentence()[sentences.condition == code], minlength=n) > 0
        )
    n_targets = np.where(usable, [len(item.targets) for item in table], 0).astype(np.int64)
    repeated = table.take(np.repeat(np.arange(n), n_targets))
    numbers = [number for n in n_targets.tolist() for number in range(n)]  # of each copy's lemma
    forms, has_equal_forms = [], []
    for item, number in zip(repeated, numbers, strict=True):
        target = item.targets[number]
        forms.append((target.right, target.wrong))
        has_equal_forms.append(item.agreement is not None and target.right == target.wrong)
    copies = repeated.sentences
    owners = zip(copies.item_of_sentence().tolist(), copies.condition.tolist(), strict=True)
    new_regions: dict[int, Sequence[RegionPart]] = {}
    for sentence, (row, code) in enumerate(owners):
        prefix, (_, text, _), rest = copies.parts(sentence)
        form = forms[row][codes.index(code)]
        blank = text.removesuffix(text.lstrip())  # before the old target
        new_regions[sentence] = [prefix, (TARGET, blank + form, (form,)), rest]
    items = repeated.changed(
        copies.replaced(new_regions),
        item_id=repeated.frame["item_id"]
        + pl.Series([f"{LEMMA}{n + 1}" for n in numbers], dtype=pl.String),
        equal_forms=pl.Series(has_equal_forms, dtype=pl.Boolean),
    )
    left_out = table.frame["item_id"].filter(pl.Series(n_targets == 0)).to_list()
    return MethodSuite(replace(suite, items=items, predictions=(AGREEMENT,)), left_out)


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
