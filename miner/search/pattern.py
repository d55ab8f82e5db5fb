"""A pattern: a path of dependencies between two words that agree, with conditions on the words.

In UD, the copula and the auxiliary depend on the predicate, and so does the subject. So the words
that agree are siblings, and no single dependency joins them. A pattern names the path:

    [[pattern]]
    name = "subject-copula"
    path = ["<nsubj", ">cop"]        # up the arc nsubj, then down the arc cop

The path begins at the **controller** (the word that has the feature by itself) and ends at the
**agreeing** word. Whichever comes first in the sentence is the cue, the other the target.
"""

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from ...data.errors import InputError
from ...data.files import read_text
from ...data.registry import look_up, nearest

ARC = "arc"  # stands for every dependency, as in the paper
ABSENT = ""  # as a feature's value: the word does not carry the feature
BUILT_IN = ("languages.toml", "layered.toml", "ud.toml")  # the most specific first
NAME = re.compile(r"[a-z0-9][a-z0-9-]*")
STEP = re.compile(r"([<>])([^\s<>|]+(?:\|[^\s<>|]+)*)")
UPOS = frozenset(
    {
        *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON"),
        *("PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X", "_"),
    }
)
ORDERS = {"any": "", "controller-first": "L", "agreeing-first": "R"}  # in TOML → `Pattern.order`


@dataclass(frozen=True, slots=True)
class WordConditions:
    """The conditions on a word; an empty one is always met.

    Attributes:
        upos: it has one of these parts of speech.
        feats: feature → it has one of these values; "" means that it does not carry the feature.
        lemma: it has one of these lemmas.
        deprel: it has one of these relations to its head; `nsubj` includes `nsubj:pass`.
        has: for each of these relations, it has a dependent with it.
        lacks: it has no dependent with any of these relations.
    """

    upos: frozenset[str] = frozenset()
    feats: Mapping[str, frozenset[str]] = field(default_factory=dict, hash=False)
    lemma: frozenset[str] = frozenset()
    deprel: frozenset[str] = frozenset()
    has: frozenset[str] = frozenset()
    lacks: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Step:
    """One arc of the path: `up` from a dependent to its head, or down."""

    up: bool
    relations: frozenset[str]  # empty: any


@dataclass(frozen=True, slots=True)
class Pattern:
    """A query for pairs of words: the path between them, and the conditions on each word.

    Attributes:
        name: small letters, digits and hyphens.
        path: the arcs from the controller to the agreeing word.
        controller: the conditions on the controller.
        agreeing: the conditions on the agreeing word.
        via: the conditions on the words in between on the path, in order; empty: none.
        order: `L` controller first, `R` agreeing word first, "" either.
        feature: the feature that agrees; "": each feature that is mined.
        agreeing_feature: the name of the feature on the agreeing word; "": the same.
        languages: codes of the languages that it applies to; empty: all.
        about: a description of what agrees with what.

    >>> (pattern,) = parse_patterns('[[pattern]]\\nname = "mine"\\npath = ["<nsubj", ">cop"]', "")
    >>> pattern.path[0]
    Step(up=True, relations=frozenset({'nsubj'}))
    """

    name: str
    path: tuple[Step, ...]
    controller: WordConditions = WordConditions()
    agreeing: WordConditions = WordConditions()
    via: tuple[WordConditions, ...] = ()
    order: str = ""
    feature: str = ""
    agreeing_feature: str = ""
    languages: frozenset[str] = frozenset()
    about: str = ""


@cache
def built_in() -> Mapping[str, Pattern]:
    """Return the patterns that come with the package.

    Returns:
        Name → pattern, those of single languages first.

    >>> built_in()["subject-copula"].about
    'the copula agrees with the subject of a predicate that is no verb'
    """
    folder = files(__package__) / "patterns"
    patterns: dict[str, Pattern] = {}
    for name in BUILT_IN:
        text = (folder / name).read_text(encoding="utf-8")
        patterns |= {pattern.name: pattern for pattern in parse_patterns(text, name)}
    return patterns


def patterns_named(names: tuple[str, ...], language: str) -> tuple[Pattern, ...]:
    """Return the patterns that names and files stand for.

    Args:
        names: names of built-in patterns, the user's TOML files, `all` (every built-in pattern of
            the language), or `arc` (every dependency), which is no pattern and is left out.
        language: BCP-47 code; its region is ignored.

    Returns:
        The patterns, each once.

    Raises:
        InputError: a name is unknown, or a file is faulty.

    >>> [pattern.name for pattern in patterns_named(("arc", "subject-copula"), "en")]
    ['subject-copula']
    """
    patterns: dict[str, Pattern] = {}
    if set(names) == {ARC}:  # no need to read files for the rules of the paper
        return ()
    table, code = built_in(), language.partition("-")[0]
    for name in names:
        if name == "all":
            patterns |= {
                pattern.name: pattern
                for pattern in table.values()
                if not pattern.languages or code in pattern.languages
            }
        elif name.endswith(".toml"):
            for pattern in parse_patterns(read_text(Path(name)), name):
                if pattern.name in table:
                    location = f"{name}: {pattern.name}"
                    raise InputError(location, "a built-in name", "another name", kind="conflict")
                patterns[pattern.name] = pattern
        elif name != ARC:
            choices: dict[str, Any] = {**table, ARC: None, "all": None}  # as a message lists them
            patterns[name] = look_up(choices, name, "patterns")
    return tuple(patterns.values())


def parse_patterns(text: str, location: str) -> tuple[Pattern, ...]:
    """Parse patterns from a TOML text (the top of this module shows one).

    Args:
        text: tables `[[pattern]]`.
        location: the name of the text in error messages.

    Returns:
        The patterns, in order.

    Raises:
        InputError: a pattern is faulty; the message names it and the key.

    >>> parse_patterns('[[pattern]]\\nname = "verbs"\\npath = ["<nsubj"]', "own.toml")[0].name
    'verbs'
    """
    import tomllib  # not at the top, since the rules of the paper need no patterns

    try:
        content = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise _fault(location, f"not TOML ({error})", "[[pattern]] with name and path") from None
    tables = content.get("pattern")
    if not isinstance(tables, list) or not tables or set(content) != {"pattern"}:
        raise _fault(location, "no pattern in it, or something else", "only [[pattern]] tables")
    patterns: dict[str, Pattern] = {}
    for table in tables:
        pattern = _parse_pattern(table, location)
        if patterns.setdefault(pattern.name, pattern) is not pattern:
            location, wrong = f"{location}: {pattern.name}", "two patterns of this name"
            raise InputError(location, wrong, "a name for each", kind="conflict")
    return tuple(patterns.values())


def _fault(location: str, wrong: str, right: str) -> InputError:
    """Return the error for a text that is not in the format of patterns."""
    return InputError(location, wrong, right, kind="format")


def _parse_pattern(table: Any, location: str) -> Pattern:
    """Turn a TOML table into a pattern. Raises `InputError` for its first fault."""
    if not isinstance(table, dict):
        raise _fault(location, f"a pattern is {table!r}", "a table [[pattern]]")
    name = table.get("name")
    if not isinstance(name, str) or NAME.fullmatch(name) is None or name in (ARC, "all"):
        raise _fault(location, f"name is {name!r}", "small letters, digits and hyphens")
    label = f"{location}: {name}"
    _demand_known_keys(table, Pattern.__dataclass_fields__, label)
    path: list[Step] = []
    for step in _texts(table, "path", label):
        match = STEP.fullmatch(step)
        if match is None:
            raise _fault(label, f"a step of the path is {step!r}", '"<nsubj", ">aux|cop", ">*"')
        direction, relations = match[1], frozenset(match[2].split("|"))
        path.append(Step(direction == "<", frozenset() if "*" in relations else relations))
    if not path:
        raise _fault(label, "no path", 'path = ["<nsubj"], or longer')
    via = table.get("via", [])
    if not isinstance(via, list) or (via and len(via) != len(path) - 1):
        raise _fault(label, "via does not fit the path", f"{len(path) - 1} tables, or none")
    order = _text(table, "order", label) or "any"
    if order not in ORDERS:
        raise InputError(label, f"order is {order!r}", nearest(order, ORDERS), kind="unknown")
    feature = _text(table, "feature", label)
    return Pattern(
        name=name,
        path=tuple(path),
        controller=_parse_conditions(table.get("controller", {}), f"{label}: controller"),
        agreeing=_parse_conditions(table.get("agreeing", {}), f"{label}: agreeing"),
        via=tuple(_parse_conditions(entry, f"{label}: via") for entry in via),
        order=ORDERS[order],
        feature=feature,
        agreeing_feature=_text(table, "agreeing_feature", label) or feature,
        languages=frozenset(_texts(table, "languages", label)),
        about=_text(table, "about", label),
    )


def _parse_conditions(table: Any, location: str) -> WordConditions:
    """Turn a TOML table into the conditions on a word. Raises `InputError` for its first fault."""
    if not isinstance(table, dict):
        raise _fault(location, f"this is {table!r}", '{ upos = ["NOUN"], feats = { … } }')
    _demand_known_keys(table, WordConditions.__dataclass_fields__, location)
    feats = table.get("feats", {})
    if not isinstance(feats, dict):
        right = '{ VerbForm = "Fin", Mood = ["Ind", ""] }'
        raise _fault(location, f"feats is {feats!r}", right)
    word = WordConditions(
        feats={key: frozenset(_texts(feats, key, f"{location}: feats")) for key in feats},
        **{key: frozenset(_texts(table, key, location)) for key in table if key != "feats"},
    )
    for tag in sorted(word.upos - UPOS):  # tags that UD does not have
        raise InputError(location, f"upos is {tag!r}", nearest(tag, sorted(UPOS)), kind="unknown")
    return word


def _demand_known_keys(table: Mapping[str, Any], names: Mapping[str, Any], location: str) -> None:
    """Raise `InputError` for a key that is not among `names`."""
    for key in table:
        if key not in names:
            raise InputError(location, f"unknown key {key!r}", nearest(key, names), kind="unknown")


def _text(table: Mapping[str, Any], key: str, location: str) -> str:
    """Return the text under a key, "" if the key is missing. Raises `InputError` for no text."""
    value = table.get(key, "")
    if not isinstance(value, str):
        raise _fault(location, f"{key} is {value!r}", "a text")
    return value


def _texts(table: Mapping[str, Any], key: str, location: str) -> list[str]:
    """Return the text or texts under a key as a list, empty if the key is missing. Raises
    `InputError` for other values."""
    value = table.get(key, [])
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(isinstance(text, str) for text in values):
        raise _fault(location, f"{key} is {value!r}", "a text or a list of texts")
    return values


def matches(relation: str, labels: Container[str]) -> bool:
    """Return whether a relation is one of the labels, or a subtype of one: the label `nsubj`
    matches `nsubj:pass` too."""
    return relation in labels or relation.partition(":")[0] in labels
