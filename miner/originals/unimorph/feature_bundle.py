"""UniMorph bundles: what a row says of a form, and when two of them can be true of one word.

    V;IND;PRS;3;SG        values, in no order that means anything
    MASC+FEM              both at once; SG/PL or {SG/PL}: one of them
    PSS(3,SG), NOM(3,SG)  values of an argument (UniMorph 4); older files write PSS3S, ARGNO3S

A bundle is kept as the set of its values, each spelled one way. To be compared it is read: every
value goes to its dimension (`schema.tsv`, after Sylak-Glassman 2016, The Composition and Use of the
UniMorph Schema), alternatives give several readings, and what a value implies is written out (IND
is finite, V.PTCP is a verb). Two readings contradict each other where they have different values
for one dimension; what only one of them says contradicts nothing.

What UD's tags are called in a bundle is the table `ud.tsv` (after McCarthy et al. 2018, Marrying
Universal Dependencies and Universal Morphology): UD feature, UD value, UniMorph value. `UPOS` is
among the features; `Layer` says which argument a layered feature speaks of (`Number[psor]=Sing` is
`PSS(SG)`). What is not in it has no counterpart: Poss, NumType and PronType as a whole, the values
Count, Ptan and Coll of Number, Pos of Degree.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from itertools import islice, product
from math import prod
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from ....data.items.features import CACHED, parse_feats
from ....data.tables import read_tsv

Bundle: TypeAlias = frozenset[str]
"""Values as `canonical` spells them."""

BundleReading: TypeAlias = Mapping[str, frozenset[str]]
"""Dimension → its values, more than one for `A+B`. An argument's dimensions are named after it:
`PSS(Number)`. A value that the schema lacks (LGSPEC1) is a dimension of its own."""

Atoms: TypeAlias = frozenset[tuple[str, str]]
"""(dimension, value) pairs that hold together."""

LONGEST = 256  # characters of a bundle; real ones stay below 100, nested brackets need a bound
MAX_READINGS = 256  # readings of a bundle; in fifty-eight treebanks no word has more than four
CLOSING = {"(": ")", "{": "}"}
SLOT = re.compile(r"([^()]+)\((.+)\)")
TEMPLATE = re.compile(
    r"(PSS|ARG(?:NO|AC|ABS?|ERG?|DA|IO|BE))"
    r"([0-4]?)(SG|DU|PL|[SDP])?(INFM|FORM|MASC|FEM|[IEMF])?"
)
TEMPLATE_SLOTS = {
    "ARGNO": "NOM", "ARGAC": "ACC", "ARGAB": "ABS", "ARGABS": "ABS", "ARGER": "ERG",
    "ARGERG": "ERG", "ARGDA": "DAT", "ARGIO": "DAT", "ARGBE": "BEN",
}  # fmt: skip
TEMPLATE_LETTERS = {
    "S": "SG", "D": "DU", "P": "PL", "I": "INCL", "E": "EXCL", "M": "MASC", "F": "FEM",
}  # fmt: skip
HERE = Path(__file__).parent
_ROWS = {row["value"]: row for row in read_tsv(HERE / "schema.tsv")}
SCHEMA: Mapping[str, Atoms] = {
    value: frozenset(
        (_ROWS[atom]["dimension"], atom) for atom in (row["reads_as"] or value).split("+")
    )
    for value, row in _ROWS.items()
}
RANKS = {value: rank for rank, value in enumerate(SCHEMA)}
CASES = frozenset(value for value, atoms in SCHEMA.items() if ("Case", value) in atoms)
NOTHING: frozenset[str] = frozenset()
POSITIVE: BundleReading = MappingProxyType({"Comparison": frozenset({"positive"})})
LAYERED = re.compile(r"(.+)\[(.+)\]")
UD = {(row["feature"], row["value"]): row["unimorph"] for row in read_tsv(HERE / "ud.tsv")}
DECLINED = frozenset({"V.PTCP", "V.MSDR"})  # verbs that have case themselves, as nouns do


def parse_bundle(text: str) -> Bundle:
    """Reads a UniMorph bundle.

    Args:
        text: values separated by `;` or, as in segmented files, `|`.

    Returns:
        The values, each spelled one way; those that the schema lacks as they are.

    Raises:
        ValueError: brackets that do not match, an empty value, more than 256 characters or
            alternatives; the text says which.

    >>> sorted(parse_bundle("V;PRS;3;SG/PL"))
    ['3', 'PRS', 'SG/PL', 'V']
    """
    if len(text) > LONGEST:
        raise ValueError(f"more than {LONGEST} characters")
    return frozenset(map(canonical, _split(text, ";|")))


def canonical(value: str) -> str:
    """One spelling for a value: braces multiplied out, parts in the order of the schema.

    `{2/1}` is `1/2`, `FEM+MASC` is `MASC+FEM`, `PSS(SG,3)` is `PSS(3,SG)`. Raises `ValueError` as
    `parse_bundle` does.
    """

    def atom(text: str) -> str:
        slot = SLOT.fullmatch(text)
        return f"{slot[1]}({_sorted(',', map(canonical, _split(slot[2], ',')))})" if slot else text

    alternatives = set(islice(_alternatives(value), MAX_READINGS + 1))
    if len(alternatives) > MAX_READINGS:
        raise ValueError(f"more than {MAX_READINGS} alternatives")
    return _sorted(
        "/", (_sorted("+", map(atom, _split(alternative, "+"))) for alternative in alternatives)
    )


def _sorted(mark: str, values: Iterable[str]) -> str:
    """The distinct values by the place in the schema of the first name in each, joined."""

    def rank(value: str) -> tuple[int, str]:
        return RANKS.get(re.split(r"[/+(]", value, maxsplit=1)[0], len(RANKS)), value

    return mark.join(sorted(set(values), key=rank))


def _alternatives(value: str) -> Iterator[str]:
    """`A/B` and `x{A/B}y` taken apart, one alternative after the other."""
    start, end = value.find("{"), value.find("}")
    if start < 0:
        yield from _split(value, "/")
        return
    if "{" in value[start + 1 : end]:
        raise ValueError("braces inside braces")
    for option in _split(value[start + 1 : end], "/"):
        yield from _alternatives(value[:start] + option + value[end + 1 :])


def _split(text: str, marks: str) -> list[str]:
    """Parts of a text between `marks` that stand outside brackets, without blanks around them."""
    parts, start, awaited = [], 0, ""
    for index, letter in enumerate(text):
        if letter in CLOSING:
            awaited += CLOSING[letter]
        elif letter in ")}":
            if awaited[-1:] != letter:
                raise ValueError("brackets that do not match")
            awaited = awaited[:-1]
        elif letter in marks and not awaited:
            parts.append(text[start:index].strip())
            start = index + 1
    if awaited:
        raise ValueError("brackets that do not match")
    parts.append(text[start:].strip())
    if "" in parts:
        raise ValueError("an empty value")
    return parts


@lru_cache(maxsize=65_536)  # far above the bundles of any language, and a bound for hostile input
def readings(bundle: Bundle) -> tuple[BundleReading, ...]:
    """Tells what a bundle can mean, one reading for each choice among its alternatives.

    In a verb's bundle `NOM(3,SG)` is the subject it agrees with: person and number of the verb, as
    UD has them; other slots stay apart. In a declined word's bundle `ACC(PL)` is case and number.

    Args:
        bundle: the bundle, as `parse_bundle` reads it.

    Returns:
        The readings: dimension → its values.

    >>> for reading in readings(parse_bundle("N;SG/PL")):
    ...     print(sorted(reading["Number"]))
    ['SG']
    ['PL']
    """
    verbal = not bundle.isdisjoint({"V", "AUX"}) and bundle.isdisjoint(DECLINED)
    choices = [_atoms(value, verbal) for value in sorted(bundle)]
    return tuple(map(_reading, dict.fromkeys(_unions(choices))))


@lru_cache(maxsize=65_536)
def listed_readings(bundle: Bundle) -> tuple[BundleReading, ...]:
    """What the bundle of a row can mean. An adjective or adverb without a degree is in the
    positive, for which UniMorph has no value."""
    return tuple(
        merged(reading, POSITIVE)
        if "Comparison" not in reading and reading.get("Word class", NOTHING) & {"ADJ", "ADV"}
        else reading
        for reading in readings(bundle)
    )


def readings_of(value: str) -> tuple[BundleReading, ...]:
    """What one value can mean that a feature of UD became; its slots are always arguments."""
    return tuple(map(_reading, dict.fromkeys(_atoms(value, verbal=True))))


def _reading(atoms: Atoms) -> BundleReading:
    table: dict[str, set[str]] = {}
    for dimension, value in atoms:
        table.setdefault(dimension, set()).add(value)
    return MappingProxyType({of: frozenset(values) for of, values in table.items()})


def _unions(choices: Sequence[Sequence[Atoms]]) -> list[Atoms]:
    """One of each, in all ways; where there are too many, what has alternatives says nothing."""
    if prod(map(len, choices)) > MAX_READINGS:
        choices = [choice for choice in choices if len(choice) == 1]
    return [frozenset().union(*choice) for choice in product(*choices)]


def _atoms(value: str, verbal: bool) -> list[Atoms]:
    """The alternatives of a value."""
    alternatives: list[Atoms] = []
    for alternative in _split(value, "/"):
        alternatives += _unions([_atom(atom, verbal) for atom in _split(alternative, "+")])
    return alternatives


def _atom(text: str, verbal: bool) -> list[Atoms]:
    if text in SCHEMA:
        return [SCHEMA[text]]
    if template := TEMPLATE.fullmatch(text):  # PSS3S → PSS(3,SG), ARGNO1P → NOM(1,PL)
        name, *parts = template.groups()
        inner = ",".join(TEMPLATE_LETTERS.get(part, part) for part in parts if part)
        text = f"{TEMPLATE_SLOTS.get(name, name)}({inner})" if inner else text
    slot = SLOT.fullmatch(text)
    if slot is None:
        return [frozenset({(text, text)})]
    name = slot[1]
    unions = _unions([_atoms(value, verbal) for value in _split(slot[2], ",")])
    if verbal and name == "NOM":
        return unions
    if not verbal and name in CASES:
        return [atoms | SCHEMA[name] for atoms in unions]
    return [frozenset((f"{name}({of})", value) for of, value in atoms) for atoms in unions]


def compatible(left: BundleReading, right: BundleReading) -> bool:
    """Tells whether two readings can be true of one form.

    They can if, in every dimension they share, the values of one contain those of the other:
    MASC+FEM goes with MASC, IN+ESS not with IN+ALL.

    Args:
        left: a reading.
        right: another one; their order does not matter.

    Returns:
        Whether they contradict each other nowhere.

    >>> (noun,), (verb,) = readings(parse_bundle("N;PL")), readings(parse_bundle("V;PL"))
    >>> compatible(noun, verb)
    False
    """
    return all(
        left[dimension] <= right[dimension] or left[dimension] >= right[dimension]
        for dimension in left.keys() & right.keys()
    )


def holds(reading: BundleReading, required: BundleReading) -> bool:
    """Tells whether a reading says all that another one says.

    Args:
        reading: the reading.
        required: what it must say.

    Returns:
        Whether it has all values of every dimension of `required`.

    >>> holds({"Number": frozenset({"PL"})}, {"Number": frozenset({"SG"})})
    False
    """
    return all(values <= reading.get(of, NOTHING) for of, values in required.items())


def merged(reading: BundleReading, added: BundleReading) -> BundleReading:
    """Joins two compatible readings.

    Args:
        reading: a reading.
        added: another one.

    Returns:
        What the two say together.

    >>> merged({"Number": frozenset({"PL"})}, {"Case": frozenset({"NOM"})})["Number"]
    frozenset({'PL'})
    """
    return {of: reading.get(of, NOTHING) | added.get(of, NOTHING) for of in {**reading, **added}}


def without(reading: BundleReading, freed: Set[str]) -> BundleReading:
    """A reading without some dimensions."""
    return {of: values for of, values in reading.items() if of not in freed}


def unimorph_value(feature: str, value: str) -> str | None:
    """Translates the value of a UD feature to UniMorph's.

    Args:
        feature: the feature; of a layered one the value becomes its argument's slot.
        value: its value; of several (`Acc,Nom`) those without a counterpart are left out.

    Returns:
        The value, several as alternatives (`NOM/ACC`); `None` if there is no counterpart.

    >>> unimorph_value("Number", "Plur"), unimorph_value("Number[psor]", "Sing")
    ('PL', 'PSS(SG)')
    >>> unimorph_value("PronType", "Rel") is None
    True
    """
    layered = LAYERED.fullmatch(feature)
    name = layered[1] if layered else feature
    values = [UD[name, part] for part in value.split(",") if (name, part) in UD]
    slot = UD.get(("Layer", layered[2])) if layered else ""
    if not values or slot is None:
        return None
    joined = "/".join(values)
    return canonical(f"{slot}({joined})" if slot else joined)


@lru_cache(maxsize=CACHED)
def bundle_of(upos: str, feats: str) -> Bundle:
    """Translates a UD word's annotation to a UniMorph bundle.

    Layers of one argument share a slot: `Number[psor]=Sing|Person[psor]=3` gives `PSS(3,SG)`.

    Args:
        upos: its part of speech.
        feats: the column as CoNLL-U has it.

    Returns:
        The values that have a counterpart; the bundle may be empty.

    >>> sorted(bundle_of("NOUN", "Case=Nom|Number=Plur"))
    ['N', 'NOM', 'PL']
    """
    values: set[str] = set()
    slots: dict[str, list[str]] = {}
    for feature, value in {"UPOS": upos, **parse_feats(feats)}.items():
        counterpart = unimorph_value(feature, value)
        if counterpart is not None and feature.endswith("]"):
            name, _, inner = counterpart.removesuffix(")").partition("(")
            slots.setdefault(name, []).append(inner)
        elif counterpart is not None:
            values.add(counterpart)
    return frozenset(values | {canonical(f"{name}({','.join(x)})") for name, x in slots.items()})
