"""Predictions: what a suite claims of each of its items, as a formula over region surprisals.

The language is that of SyntaxGym (Hu et al. 2020, §3): `(region;%condition%)` is the surprisal of
a region, `(*;%condition%)` that of the whole sentence; they are joined by `+ -` and numbers,
compared by `< > =`, combined by `& |` and brackets. `data/formula/expression.py` has its grammar,
`data/formula/evaluation.py` what it means.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..errors import InputError
from ..formula.evaluation import Chance, chance_of
from ..formula.expression import (
    Combination,
    Formula,
    RegionKey,
    cells_of,
    comparisons,
    parse_formula,
)

OPTIONAL = "optional"
WHOLE = "*"  # the region of a formula that means the whole sentence


@dataclass(frozen=True, slots=True)
class Prediction:
    """A named claim about each item of a suite, as a formula over surprisals of regions, in bits.

    Attributes:
        name: unique in its suite.
        source: the formula as written.
        formula: the formula as a tree.
        warnings: one for each place where the formula may be misread, with its column.
        optional: whether it applies only to items that have all its conditions and regions.
    """

    name: str
    source: str
    formula: Formula
    warnings: tuple[str, ...] = ()
    optional: bool = False

    def cells(self) -> tuple[RegionKey, ...]:
        """Return every (condition, region) in the formula, each once, in order of appearance."""
        return cells_of(self.formula)


def parse_prediction(
    source: str, name: str, location: str, *, optional: bool = False
) -> Prediction:
    """Read a prediction in the notation of SyntaxGym (Hu et al. 2020, §3).

    Args:
        source: the formula, as `(target;%right%) < (target;%wrong%)`: of surprisals, in bits.
        name: the prediction's name.
        location: the file or option that has it, for messages.
        optional: whether it applies only to items that have all its conditions and regions.

    Returns:
        The prediction, with a warning for each place where the formula may be misread.

    Raises:
        InputError: with the column (from 1) of the first character that does not fit.

    >>> parse_prediction("(2;%match%) < (2;%mismatch%)", "agreement", "my suite").cells()
    (('match', '2'), ('mismatch', '2'))
    """
    formula, warnings = parse_formula(source, location)
    return Prediction(name, source, formula, warnings, optional)


def inequalities(prediction: Prediction) -> tuple[Prediction, ...]:
    """Return each comparison of a prediction's formula as a prediction of its own.

    Args:
        prediction: a prediction of one or more comparisons.

    Returns:
        Predictions named `NAME: LEFT < RIGHT`, as written, in their order, each once.

    >>> both = parse_prediction("(1;%a%) < (1;%b%) & (1;%a%) < (1;%c%)", "p", "here")
    >>> [part.name for part in inequalities(both)]
    ['p: (1;%a%) < (1;%b%)', 'p: (1;%a%) < (1;%c%)']
    """
    by_source = {
        part.source: Prediction(
            f"{prediction.name}: {part.source}", part.source, part, (), prediction.optional
        )
        for part in comparisons(prediction.formula)
    }
    return tuple(by_source.values())


def conjunction(predictions: Sequence[Prediction], name: str = "all") -> Prediction:
    """Return a prediction that holds for an item if all the given ones hold for it.

    Args:
        predictions: one or more.
        name: the name of the new prediction.

    Returns:
        Their formulas joined by `&`; optional if one of them is.

    >>> conjunction([parse_prediction(f"(1;%a%) < (1;%{x}%)", x, "here") for x in "bc"]).source
    '((1;%a%) < (1;%b%)) & ((1;%a%) < (1;%c%))'
    """
    assert predictions, "nothing is no prediction"
    if len(predictions) == 1:
        (only,) = predictions
        return replace(only, name=name)
    source = " & ".join(f"({part.source.strip()})" for part in predictions)
    formula = Combination("&", tuple(part.formula for part in predictions))
    return Prediction(name, source, formula, (), any(part.optional for part in predictions))


def to_list(prediction: Prediction) -> list[str]:
    """Return a prediction as the list of texts that files and the store hold.

    It is [name, formula], and [name, formula, "optional"] for an optional prediction.
    """
    return [prediction.name, prediction.source, *[OPTIONAL] * prediction.optional]


def from_list(values: object, location: str) -> Prediction:
    """Return the prediction that `to_list` made a list of. Raises `InputError` for another list."""
    match values:
        case [str(name), str(source), *options] if options in ([], [OPTIONAL]):
            origin = f"{location}: prediction {name}"
            return parse_prediction(source, name, origin, optional=bool(options))
    right = f"[name, formula] or [name, formula, {OPTIONAL!r}]"
    raise InputError(location, "a prediction of another shape", right, kind="format")


def chance(prediction: Prediction) -> Chance:
    """Return the probability that a prediction holds by chance.

    Surprisals are taken to be independent draws from one continuous distribution. The probability
    is counted over all orders of the values, found by symmetry, or simulated
    (`formula/evaluation.py`). For two kinds of formula the counted chance differs from the one that
    Hu et al. (2020) give.

    Args:
        prediction: any prediction.

    Returns:
        The probability as `value`, 0–1 (None if it depends on how large surprisals are), and in
        words `how` it was found.

    >>> chance(parse_prediction("(1;%a%) < (1;%b%) & (1;%a%) < (1;%c%)", "p", "here"))
    Chance(value=0.3333333333333333, how='counted over 6 orders')
    """
    return chance_of(prediction.formula)
