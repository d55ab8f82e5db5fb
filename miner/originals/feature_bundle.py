"""UniMorph bundles: what a row says of a form, and when two bundles can be true of one word.

    V;IND;PRS;3;SG        values, in no order that means anything
    MASC+FEM              both at once; SG/PL or {SG/PL}: one of them
    PSS(3,SG), NOM(3,SG)  values of an argument (UniMorph 4); older files write PSS3S, ARGNO3S

To compare bundles, we turn each into *readings*: every value goes to its *dimension* such as Number
or Case (`schema.tsv`, after Sylak-Glassman 2016, The Composition and Use of the UniMorph Schema),
alternatives give several readings, and implied values are added (IND is finite, V.PTCP is a verb).
Two readings contradict each other if they have different values for one dimension; a dimension that
only one of them mentions is no contradiction.

The table `ud.tsv` translates UD's tags (after McCarthy et al. 2018, Marrying Universal Dependencies
and Universal Morphology): UD feature, UD value, UniMorph value. `UPOS` is among the features;
`Layer` gives the argument that a layered feature is about (`Number[psor]=Sing` is `PSS(SG)`). Tags
that are not in it have no counterpart: Poss, NumType and PronType, the values Count, Ptan and Coll
of Number, Pos of Degree.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice, product
from math import prod
from pathlib import Path
from typing import TypeAlias

from ...data.items.features import CACHE_SIZE, parse_feats
from ...data.tables import read_tsv

BundleReading: TypeAlias = frozenset[tuple[str, str]]
"""(dimension, value) pairs that are true at the same time; `A+B` gives two pairs of one dimension.
The dimensions of an argument (possessor, object …) are named after it: `PSS(Number)`. A value that
the schema lacks (LGSPEC1) is a dimension of its own."""

MAX_READINGS = 256  # of a bundle; in fifty-eight treebanks no word has more than four
CLOSING_BRACKETS = {"(": ")", "{": "}"}
ARGUMENT_PATTERN = re.compile(r"([^()]+)\((.+)\)")
OLD_ARGUMENT_PATTERN = re.compile(
    r"(PSS|ARG(?:NO|AC|ABS?|ERG?|DA|IO|BE))"
    r"([0-4]?)(SG|DU|PL|[SDP])?(INFM|FORM|MASC|FEM|[IEMF])?"
)
OLD_ARGUMENT_NAMES = {
    "ARGNO": "NOM", "ARGAC": "ACC", "ARGAB": "ABS", "ARGABS": "ABS", "ARGER": "ERG",
    "ARGERG": "ERG", "ARGDA": "DAT", "ARGIO": "DAT", "ARGBE": "BEN",
}  # fmt: skip
OLD_ARGUMENT_VALUES = {
    "S": "SG", "D": "DU", "P": "PL", "I": "INCL", "E": "EXCL", "M": "MASC", "F": "FEM",
}  # fmt: skip
UNIMORPH_FOLDER = Path(__file__).parent / "unimorph"
_ROWS = {row["value"]: row for row in read_tsv(UNIMORPH_FOLDER / "schema.tsv")}
SCHEMA: Mapping[str, BundleReading] = {
    value: frozenset(
        (_ROWS[part]["dimension"], part) for part in (row["reads_as"] or value).split("+")
    )
    for value, row in _ROWS.items()
}
CASES = frozenset(value for value, pairs in SCHEMA.items() if ("Case", value) in pairs)
POSITIVE: BundleReading = frozenset({("Comparison", "positive")})
GRADABLE: BundleReading = frozenset({("Word class", "ADJ"), ("Word class", "ADV")})  # either
LAYERED_FEATURE = re.compile(r"(.+)\[(.+)\]")
# (UD feature, UD value) → UniMorph value
UNIMORPH_BY_UD = {
    (row["feature"], row["value"]): row["unimorph"] for row in read_tsv(UNIMORPH_FOLDER / "ud.tsv")
}
DECLINED_VERBS = frozenset({"V.PTCP", "V.MSDR"})  # verbs that have case themselves, as nouns do


@lru_cache(maxsize=CACHE_SIZE)
def readings(bundle: str) -> tuple[BundleReading, ...]:
    """Return the readings of a bundle: one for each choice among its alternatives.

    In a verb's bundle, `NOM(3,SG)` is the subject that it agrees with, and becomes the person and
    number of the verb, as in UD; other arguments keep their own dimensions. In the bundle of a
    word that has case, `ACC(PL)` is its case and number.

    Args:
        bundle: values separated by `;` or, as in segmented files, `|`; "" says nothing.

    Returns:
        The readings, each once.

    Raises:
        ValueError: the bundle has brackets that do not match, an empty value, or more than 256
            alternatives; the message says which.

    >>> [("Number", "PL") in reading for reading in readings("N;SG/PL")]
    [False, True]
    """
    values = dict.fromkeys(_split(bundle, ";|")) if bundle else {}
    is_verbal = bool(values.keys() & {"V", "AUX"}) and not values.keys() & DECLINED_VERBS
    return tuple(dict.fromkeys(_unions([_value_readings(value, is_verbal) for value in values])))


@lru_cache(maxsize=CACHE_SIZE)
def listed_readings(bundle: str) -> tuple[BundleReading, ...]:
    """Return the readings of a row's bundle, with the positive degree added to adjectives and
    adverbs without a degree, since UniMorph has no value for it."""
    return tuple(
        reading | POSITIVE
        if reading & GRADABLE and "Comparison" not in dimensions(reading)
        else reading
        for reading in readings(bundle)
    )


def readings_of_value(value: str) -> tuple[BundleReading, ...]:
    """Return the readings of a single value, as `unimorph_value` gives it; its arguments are read
    as those of a verb."""
    return tuple(_value_readings(value, is_verbal=True))


def _split(text: str, separators: str) -> list[str]:
    """Split a text at `separators` outside brackets, and strip the parts. Raises `ValueError` for
    an empty part, and for brackets that do not match."""
    parts, start, open_brackets = [], 0, ""
    for index, letter in enumerate(text):
        if letter in CLOSING_BRACKETS:
            open_brackets += CLOSING_BRACKETS[letter]
        elif letter in ")}":
            if open_brackets[-1:] != letter:
                raise ValueError("brackets that do not match")
            open_brackets = open_brackets[:-1]
        elif letter in separators and not open_brackets:
            parts.append(text[start:index].strip())
            start = index + 1
    if open_brackets:
        raise ValueError("brackets that do not match")
    parts.append(text[start:].strip())
    if "" in parts:
        raise ValueError("an empty value")
    return parts


def _alternatives(value: str) -> Iterator[str]:
    """Yield the alternatives of a value: A and B for `A/B`, xAy and xBy for `x{A/B}y`. Raises
    `ValueError` for braces inside braces."""
    start, end = value.find("{"), value.find("}")
    if start < 0:  # no braces
        yield from _split(value, "/")
        return
    if "{" in value[start + 1 : end]:
        raise ValueError("braces inside braces")
    for option in _split(value[start + 1 : end], "/"):
        yield from _alternatives(value[:start] + option + value[end + 1 :])


def _unions(alternatives_by_value: Sequence[Sequence[BundleReading]]) -> list[BundleReading]:
    """Return the union of readings for each way to pick one alternative of every value.

    If there are more than `MAX_READINGS` ways, values with several alternatives are ignored.
    """
    if prod(map(len, alternatives_by_value)) > MAX_READINGS:
        alternatives_by_value = [each for each in alternatives_by_value if len(each) == 1]
    return [frozenset().union(*choice) for choice in product(*alternatives_by_value)]


def _value_readings(value: str, is_verbal: bool) -> list[BundleReading]:
    """Return the reading of each alternative that a value allows.

    `is_verbal` tells that the value stands in the bundle of a verb.
    """
    distinct: dict[BundleReading, None] = {}
    alternatives = list(islice(_alternatives(value), MAX_READINGS + 1))  # there may be billions
    if len(alternatives) > MAX_READINGS:
        raise ValueError(f"more than {MAX_READINGS} alternatives")
    for alternative in alternatives:
        parts = [_part_readings(part, is_verbal) for part in _split(alternative, "+")]
        distinct |= dict.fromkeys(_unions(parts))
    return list(distinct)


def _part_readings(text: str, is_verbal: bool) -> list[BundleReading]:
    """Return the readings of a value without `/` or `+`: one that the schema lists, an argument
    such as `NOM(3,SG)`, or an unknown value. There is one reading for each alternative inside."""
    if text in SCHEMA:
        return [SCHEMA[text]]
    old_argument = OLD_ARGUMENT_PATTERN.fullmatch(text)
    if old_argument:  # PSS3S → PSS(3,SG), ARGNO1P → NOM(1,PL)
        name, *parts = old_argument.groups()
        inner = ",".join(OLD_ARGUMENT_VALUES.get(part, part) for part in parts if part)
        text = f"{OLD_ARGUMENT_NAMES.get(name, name)}({inner})" if inner else text
    argument = ARGUMENT_PATTERN.fullmatch(text)
    if argument is None:  # an unknown value is a dimension of its own
        return [frozenset({(text, text)})]
    name, inner = argument.groups()
    alternatives = _unions([_value_readings(value, is_verbal) for value in _split(inner, ",")])
    if is_verbal and name == "NOM":  # the subject's person and number are those of the verb
        return alternatives
    if not is_verbal and name in CASES:  # ACC(PL) is the case and the number of the word itself
        return [reading | SCHEMA[name] for reading in alternatives]
    return [
        frozenset((f"{name}({dimension})", value) for dimension, value in reading)
        for reading in alternatives
    ]


def compatible(left: BundleReading, right: BundleReading) -> bool:
    """Return whether two readings can be true of one form.

    They can if, in every dimension that both have, the values of one contain those of the other:
    MASC+FEM is compatible with MASC, but IN+ESS not with IN+ALL.

    >>> (noun,), (verb,) = readings("N;PL"), readings("V;PL")
    >>> compatible(noun, verb)
    False
    """
    return dimensions(left - right).isdisjoint(dimensions(right - left))


def dimensions(reading: BundleReading) -> set[str]:
    """Return the dimensions that a reading mentions."""
    return {dimension for dimension, _ in reading}


def unimorph_value(feature: str, value: str) -> str | None:
    """Translate the value of a UD feature into UniMorph's terms.

    Args:
        feature: the feature; a layered one (`Number[psor]`) gives a value of its argument.
        value: its value; parts of a multiple value (`Acc,Nom`) without a counterpart are left out.

    Returns:
        The UniMorph value, a multiple one as alternatives (`ACC/NOM`); `None` if there is none.

    >>> unimorph_value("Number", "Plur"), unimorph_value("Number[psor]", "Sing")
    ('PL', 'PSS(SG)')
    >>> unimorph_value("PronType", "Rel") is None
    True
    """
    layered = LAYERED_FEATURE.fullmatch(feature)
    name, layer = layered.groups() if layered else (feature, "")
    values = dict.fromkeys(
        UNIMORPH_BY_UD[name, part] for part in value.split(",") if (name, part) in UNIMORPH_BY_UD
    )
    argument = UNIMORPH_BY_UD.get(("Layer", layer)) if layered else ""
    if not values or argument is None:
        return None
    alternatives = "/".join(values)
    return f"{argument}({alternatives})" if argument else alternatives


@lru_cache(maxsize=CACHE_SIZE)
def bundle_of(upos: str, feats: str) -> str:
    """Translate a UPOS and FEATS into a UniMorph bundle; tags without a counterpart are left out.

    Features of one argument are joined: `Number[psor]=Sing|Person[psor]=3` gives `PSS(SG,3)`.

    >>> bundle_of("NOUN", "Case=Nom|Number=Plur")
    'N;NOM;PL'
    """
    values: list[str] = []
    arguments: dict[str, list[str]] = {}  # PSS → the values inside PSS(…)
    for feature, value in {"UPOS": upos, **parse_feats(feats)}.items():
        counterpart = unimorph_value(feature, value)
        if counterpart is not None and feature.endswith("]"):
            name, _, inner = counterpart.removesuffix(")").partition("(")
            arguments.setdefault(name, []).append(inner)
        elif counterpart is not None:
            values.append(counterpart)
    return ";".join([*values, *(f"{name}({','.join(x)})" for name, x in arguments.items())])
