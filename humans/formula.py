"""The formula of a mixed model, in the notation of lme4, over a fixed set of variables.

Only names from the two tables below can stand in it, so a formula that has been read can be put
into a script or handed to another program as it is, whatever the data hold.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from colorless_green.data.errors import InputError
from colorless_green.data.registry import nearest

OPTION = "--formula"
RESPONSE = "correct"
FACTORS = ("condition", "construction")
NUMBERS = ("attractors", "gap", "position", "margin")
VARIABLES = (*FACTORS, *NUMBERS)
GROUPINGS = ("participant", "source", "item")
EXAMPLE = "condition * attractors + (1 | participant) + (1 | source)"

_PART = re.compile(r"\s*(\([^()]*\)|[^()+]+)\s*(\+|$)")


@dataclass(frozen=True, slots=True)
class Grouping:
    """A random intercept for each of a grouping's members, and slopes correlated with it."""

    name: str  # one of GROUPINGS
    slopes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MixedFormula:
    """Fixed terms (each one variable, or several that interact) and groupings; an intercept."""

    terms: tuple[tuple[str, ...], ...]  # main effects before interactions, else as written
    groupings: tuple[Grouping, ...]

    @property
    def variables(self) -> tuple[str, ...]:
        """Every variable once, in order of appearance, those of slopes last."""
        fixed = [name for term in self.terms for name in term]
        slopes = [name for grouping in self.groupings for name in grouping.slopes]
        return tuple(dict.fromkeys([*fixed, *slopes]))

    def __str__(self) -> str:
        fixed = [":".join(term) for term in self.terms]
        random = [
            f"({' + '.join(['1', *grouping.slopes])} | {grouping.name})"
            for grouping in self.groupings
        ]
        return f"{RESPONSE} ~ {' + '.join([*(fixed or ['1']), *random])}"


def parse(text: str) -> MixedFormula:
    """Reads `a * b + c:d + (1 + a | participant) + (1 | source)`; `correct ~` may stand before it.

    `a * b` is `a + b + a:b`. Raises `InputError` for anything else, for an unknown name, for slopes
    of what is no fixed term (their mean would be taken for 0), and where no grouping is given (an
    ordinary logistic regression would take answers for independent).
    """
    response, tilde, body = text.rpartition("~")
    if tilde and response.strip() != RESPONSE:
        raise _error(text, f"it explains {response.strip()!r}", f"{RESPONSE} ~ …")
    terms: list[tuple[str, ...]] = []
    groupings: list[Grouping] = []
    for part in _parts(body, text):
        if part.startswith("("):
            groupings.append(_grouping(part[1:-1], text))
        elif part != "1":
            terms += _expanded(part, text)
    if not groupings:
        raise _error(text, "there is no random effect", EXAMPLE)
    for slope in (name for grouping in groupings for name in grouping.slopes):
        if (slope,) not in terms:
            raise _error(
                text, f"{slope!r} has slopes but no fixed term", f"{slope} + {body.strip()}"
            )
    names = [grouping.name for grouping in groupings]
    for name in names:
        if names.count(name) > 1:
            raise _error(text, f"{name!r} twice", "one bracket for each grouping")
    ordered = sorted(dict.fromkeys(terms), key=len)  # stable
    return MixedFormula(tuple(ordered), tuple(groupings))


def without(formula: MixedFormula, variable: str) -> MixedFormula:
    """The formula without the fixed terms that `variable` is in; slopes stay."""
    return replace(formula, terms=tuple(term for term in formula.terms if variable not in term))


def _parts(body: str, text: str) -> list[str]:
    parts: list[str] = []
    end = 0
    while end < len(body) or not parts:
        match = _PART.match(body, end)
        if match is None or (match[2] and match.end() == len(body)):
            raise _error(text, "it cannot be read", EXAMPLE)
        parts.append(match[1].strip())
        end = match.end()
    return parts


def _expanded(part: str, text: str) -> list[tuple[str, ...]]:
    """`a * b` as a, b and a:b; every product of the factors between the stars."""
    factors = [
        tuple(_variable(name, text) for name in factor.split(":")) for factor in part.split("*")
    ]
    result = []
    for size in range(1, len(factors) + 1):
        for chosen in combinations(factors, size):
            term = tuple(
                sorted({name for factor in chosen for name in factor}, key=VARIABLES.index)
            )
            result.append(term)
    return result


def _grouping(inner: str, text: str) -> Grouping:
    left, bar, name = inner.partition("|")
    if not bar:
        raise _error(text, f"({inner}) has no |", "(1 | participant)")
    name = name.strip()
    if name not in GROUPINGS:
        raise _error(text, f"no such grouping {name!r}", nearest(name, GROUPINGS))
    slopes = [slope.strip() for slope in left.split("+")]
    named = [_variable(slope, text) for slope in slopes if slope != "1"]
    return Grouping(name, tuple(dict.fromkeys(named)))


def _variable(name: str, text: str) -> str:
    if name.strip() not in VARIABLES:
        raise _error(text, f"no such variable {name.strip()!r}", nearest(name.strip(), VARIABLES))
    return name.strip()


def _error(text: str, wrong: str, right: str) -> InputError:
    return InputError(f"{OPTION} {text!r}", wrong, right, kind="value")


def default(varying: Sequence[str], *, several_items: bool) -> MixedFormula:
    """What is asked of most experiments: condition, attractors and their interaction, as far as
    they are among `varying`; people and sources by chance, and items where sources have several."""
    fixed = [name for name in ("condition", "attractors") if name in varying]
    terms: list[tuple[str, ...]] = [(name,) for name in fixed]
    if len(fixed) > 1:
        terms.append(tuple(fixed))
    names = GROUPINGS if several_items else GROUPINGS[:2]
    return MixedFormula(tuple(terms), tuple(Grouping(name) for name in names))
