"""A pattern: two words, the path of dependencies between them, and the conditions on each.

In UD the copula and the auxiliary hang on the predicate, beside the subject: what agrees are
siblings, and no single arc joins them. A pattern names such a path:

    [[pattern]]
    name = "subject-copula"
    path = ["<nsubj", ">cop"]        # up the arc nsubj, then down the arc cop

The walk begins at the **controller** (the word that has the feature by itself) and ends at the
**agreeing** word. Which of the two comes first in the sentence is the cue, the other the target.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from ...data.errors import InputError
from ...data.files import read_text
from ...data.registry import look_up, nearest

ARC = "arc"  # the paper's: every dependency
ABSENT = ""  # as a value of a feature: the word does not carry it
BUILT_IN = ("languages.toml", "layered.toml", "ud.toml")  # the most particular first
NAME = re.compile(r"[a-z0-9][a-z0-9-]*")
STEP = re.compile(r"([<>])([^\s<>|]+(?:\|[^\s<>|]+)*)")
UPOS = frozenset(
    {
        *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON"),
        *("PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X", "_"),
    }
)
ORDERS = {"any": "", "controller-first": "L", "agreeing-first": "R"}


@dataclass(frozen=True, slots=True)
class WordConditions:
    """The conditions on a word. Empty ones ask nothing.

    Attributes:
        upos: parts of speech, of which it must have one.
        feats: feature → values of which it must have one; "" stands for not carrying it.
        lemma: lemmas, of which it must have one.
        deprel: its relation to its head; `nsubj` stands for `nsubj:pass`, too.
        has: relations, each of which some dependent must have.
        lacks: relations that no dependent may have.
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
        via: the conditions on the words between the two on the path, in order; empty: none.
        order: `L` controller first, `R` agreeing word first, "" either.
        feature: the feature; "": those that are mined.
        agreeing_feature: the name under which the agreeing word carries it; "": the same.
        languages: codes of the languages it is for; empty: all.
        about: what agrees, in words.

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
    """Return the patterns of names and files.

    Args:
        names: names of built-in patterns, TOML files of one's own, `all` (every built-in one for
            the language), or `arc` (every dependency), which is no pattern and left out.
        language: BCP-47 code; regions do not count.

    Returns:
        The patterns, each once.

    Raises:
        InputError: a name is unknown, or a file is faulty.

    >>> [pattern.name for pattern in patterns_named(("arc", "subject-copula"), "en")]
    ['subject-copula']
    """
    patterns: dict[str, Pattern] = {}
    if set(names) == {ARC}:  # nothing to read, for the rules of the paper
        return ()
    table, code = built_in(), language.partition("-")[0]
    for name in names:
        if name == "all":
            patterns |= {x.name: x for x in table.values() if code in (x.languages or {code})}
        elif name.endswith(".toml"):
            for pattern in parse_patterns(read_text(Path(name)), name):
                if pattern.name in table:
                    location = f"{name}: {pattern.name}"
                    raise InputError(location, "a built-in name", "another name", kind="conflict")
                patterns[pattern.name] = pattern
        elif name != ARC:
            choices: dict[str, Any] = {**table, ARC: None, "all": None}
            patterns[name] = look_up(choices, name, "patterns")
    return tuple(patterns.values())


def parse_patterns(text: str, location: str) -> tuple[Pattern, ...]:
    """Read patterns from a TOML text, as the top of this module shows it.

    Args:
        text: tables `[[pattern]]`.
        location: what messages call the text.

    Returns:
        The patterns, in order.

    Raises:
        InputError: with the pattern and the key at fault.

    >>> parse_patterns('[[pattern]]\\nname = "verbs"\\npath = ["<nsubj"]', "own.toml")[0].name
    'verbs'
    """
    import tomllib  # here: the rules of the paper have no patterns

    try:
        content = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise _fault(location, f"not TOML ({error})", "[[pattern]] with name and path") from None
    tables = content.get("pattern")
    if not isinstance(tables, list) or not tables or set(content) != {"pattern"}:
        raise _fault(location, "no pattern in it, or something else", "only [[pattern]] tables")
    patterns: dict[str, Pattern] = {}
    for table in tables:
        pattern = _pattern(table, location)
        if patterns.setdefault(pattern.name, pattern) is not pattern:
            location, wrong = f"{location}: {pattern.name}", "two patterns of this name"
            raise InputError(location, wrong, "a name for each", kind="conflict")
    return tuple(patterns.values())


def _fault(location: str, wrong: str, right: str) -> InputError:
    return InputError(location, wrong, right, kind="format")


def _pattern(table: Any, location: str) -> Pattern:
    if not isinstance(table, dict):
        raise _fault(location, f"a pattern is {table!r}", "a table [[pattern]]")
    name = table.get("name")
    if not isinstance(name, str) or NAME.fullmatch(name) is None or name in (ARC, "all"):
        raise _fault(location, f"name is {name!r}", "small letters, digits and hyphens")
    label = f"{location}: {name}"
    _only_keys(table, Pattern.__dataclass_fields__, label)
    path: list[Step] = []
    for step in _texts(table, "path", label):
        match = STEP.fullmatch(step)
        if match is None:
            raise _fault(label, f"a step of the path is {step!r}", '"<nsubj", ">aux|cop", ">*"')
        relations = frozenset(match[2].split("|"))
        path.append(Step(match[1] == "<", frozenset() if "*" in relations else relations))
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
        controller=_word(table.get("controller", {}), f"{label}: controller"),
        agreeing=_word(table.get("agreeing", {}), f"{label}: agreeing"),
        via=tuple(_word(entry, f"{label}: via") for entry in via),
        order=ORDERS[order],
        feature=feature,
        agreeing_feature=_text(table, "agreeing_feature", label) or feature,
        languages=frozenset(_texts(table, "languages", label)),
        about=_text(table, "about", label),
    )


def _word(table: Any, location: str) -> WordConditions:
    if not isinstance(table, dict):
        raise _fault(location, f"this is {table!r}", '{ upos = ["NOUN"], feats = { … } }')
    _only_keys(table, WordConditions.__dataclass_fields__, location)
    feats = table.get("feats", {})
    if not isinstance(feats, dict):
        right = '{ VerbForm = "Fin", Mood = ["Ind", ""] }'
        raise _fault(location, f"feats is {feats!r}", right)
    word = WordConditions(
        feats={key: frozenset(_texts(feats, key, f"{location}: feats")) for key in feats},
        **{key: frozenset(_texts(table, key, location)) for key in table if key != "feats"},
    )
    for tag in sorted(word.upos - UPOS):
        raise InputError(location, f"upos is {tag!r}", nearest(tag, sorted(UPOS)), kind="unknown")
    return word


def _only_keys(table: Mapping[str, Any], names: Mapping[str, Any], location: str) -> None:
    for key in table:
        if key not in names:
            raise InputError(location, f"unknown key {key!r}", nearest(key, names), kind="unknown")


def _text(table: Mapping[str, Any], key: str, location: str) -> str:
    value = table.get(key, "")
    if not isinstance(value, str):
        raise _fault(location, f"{key} is {value!r}", "a text")
    return value


def _texts(table: Mapping[str, Any], key: str, location: str) -> list[str]:
    """Return a text or a list of texts as a list; none where the key is missing."""
    value = table.get(key, [])
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(isinstance(text, str) for text in values):
        raise _fault(location, f"{key} is {value!r}", "a text or a list of texts")
    return values


def matches(relation: str, labels: frozenset[str]) -> bool:
    """Return whether a relation has one of the labels: `nsubj` stands for its subtypes too,
    `nsubj:pass` for itself alone."""
    return relation in labels or relation.partition(":")[0] in labels
