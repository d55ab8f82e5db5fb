"""A grammar file to a checked grammar. Every mistake in it is an error with file and line."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from colorless_green.data.errors import InputError
from colorless_green.data.files import read_text
from colorless_green.data.registry import nearest
from colorless_green.nonce.grammar.check import check_levels, check_rules, check_shape
from colorless_green.nonce.grammar.count import counted
from colorless_green.nonce.grammar.design import read_design
from colorless_green.nonce.grammar.language import Grammar, Sandhi, Shape, Sound, Spelling
from colorless_green.nonce.grammar.lexicon import GLUE, Features, read_paradigms, read_words
from colorless_green.nonce.grammar.notation import Alternative, parse, walk, with_macros
from colorless_green.nonce.grammar.places import Source, place
from colorless_green.nonce.grammar.shapes import Rules, shapes_of
from colorless_green.nonce.grammar.wordings import check_wordings

TABLES = (
    "features", "selection", "indices", "paradigms", "lexicon", "macros", "phrases", "sentences",
    "sounds", "contractions", "suite",
)  # fmt: skip
TEXTS = ("name", "language", "licence")
NEEDED = ("name", "language", "features", "lexicon", "sentences")
KEYS = (*TEXTS, "capital", "stop", *TABLES, "sandhi")


def load_grammar(path: Path) -> Grammar:
    """The grammar in a TOML file (`docs/grammar.md` describes the language)."""
    return parse_grammar(read_text(path), str(path))


def parse_grammar(text: str, path: str) -> Grammar:
    """A grammar from its text; `path` names it in messages.

    Raises `InputError` for what is no TOML, an unknown or missing key, a rule that cannot be read,
    a name that stands for nothing, a phrase inside itself, an index that no word fixes, a template
    without a sentence.
    """
    source = Source(path, tuple(text.split("\n")))
    table = _toml(text, path)
    unknown = [key for key in table if key not in KEYS]
    if unknown:
        at = place(source, unknown[0])
        raise InputError(
            at, f"unknown key {unknown[0]!r}", nearest(unknown[0], KEYS), kind="unknown"
        )
    for key in NEEDED:
        if not table.get(key):
            raise InputError(
                f"{path}:1", f"there is no {key!r}", f"{', '.join(NEEDED)}", kind="missing"
            )
    tables = {key: _table(table, key, source) for key in TABLES}
    features = _features(tables, source)
    rules = _rules(tables, features, source)
    templates = _alternatives(tables["sentences"], "sentences", source, rules.macros)
    check_rules(rules.phrases, "phrases", rules, source)
    check_rules(templates, "sentences", rules, source)
    check_levels(rules, source)
    written = [each for found in (*rules.phrases.values(), *templates.values()) for each in found]
    shapes = _shapes(templates, rules, source)
    names = (*rules.indices, *rules.lists)
    design = read_design(tables["suite"], shapes, names, source) if "suite" in table else None
    if design is not None:
        check_wordings(shapes, design, rules.features, source)
    return Grammar(
        name=_text(table, "name", source),
        language=_text(table, "language", source),
        licence=_text(table, "licence", source),
        place=path,
        features=features.values,
        spelling=_spelling(table, tables, source),
        shapes=shapes,
        weighted=any(one.weight is not None for each in written for one in walk(each)),
        design=design,
    )


def _toml(text: str, path: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        found = re.search(r" \(at line (\d+), column (\d+)\)$", message)
        line = found[1] if found else str(text.count("\n") + 1)
        wrong = message[: found.start()] if found else message.removesuffix(" (at end of document)")
        raise InputError(
            f"{path}:{line}", f"this is no TOML ({wrong})", "valid TOML", kind="format"
        ) from None


def _text(table: Mapping[str, Any], key: str, source: Source) -> str:
    value = table.get(key, "")
    if not isinstance(value, str):
        raise InputError(
            place(source, key), f"{key} is {value!r}", 'text in quotes, "…"', kind="format"
        )
    return value


def _table(table: Mapping[str, Any], key: str, source: Source) -> dict[str, Any]:
    value = table.get(key, {})
    if not isinstance(value, dict):
        raise InputError(
            place(source, key), f"{key} is no table", f"a table [{key}]", kind="format"
        )
    return value


def _features(tables: Mapping[str, Mapping[str, Any]], source: Source) -> Features:
    """`[features]` (shown) and `[selection]` (never shown); a value belongs to one of them only."""
    values: dict[str, tuple[str, ...]] = {}
    owner: dict[str, str] = {}
    for table in ("features", "selection"):
        for name, found in tables[table].items():
            at = place(source, table, name)
            if (
                not isinstance(found, list)
                or not found
                or not all(isinstance(each, str) for each in found)
            ):
                raise InputError(
                    at, f"{name} is {found!r}", 'a list of values, ["Sing", "Plur"]', kind="format"
                )
            for value in found:
                if value in owner:
                    wrong = f"the value {value!r} belongs to {owner[value]} already"
                    raise InputError(
                        at,
                        wrong,
                        "another name: a value says which feature it is of",
                        kind="conflict",
                    )
                owner[value] = name
            values[name] = tuple(found)
    return Features(values, frozenset(tables["selection"]))


def _rules(tables: Mapping[str, Mapping[str, Any]], features: Features, source: Source) -> Rules:
    """Everything a name in a rule can stand for, each name for one thing."""
    paradigms = read_paradigms(tables["paradigms"], features, source)
    lists = {
        name: read_words(name, table, features, paradigms, source)
        for name, table in tables["lexicon"].items()
    }
    indices = {}
    for name, feature in tables["indices"].items():
        if feature not in features.values:
            right = nearest(str(feature), features.values)
            raise InputError(
                place(source, "indices", name),
                f"no such feature {feature!r}",
                right,
                kind="unknown",
            )
        if features.feature_of(name) is not None:
            raise InputError(
                place(source, "indices", name),
                f"{name!r} is a value too",
                "another letter",
                kind="conflict",
            )
        indices[name] = feature
    macros: dict[str, tuple[Alternative, ...]] = {}
    for name in tables["macros"]:  # one may use those before it
        macros |= _alternatives({name: tables["macros"][name]}, "macros", source, macros)
    phrases = _alternatives(tables["phrases"], "phrases", source, macros)
    for section, names in (("macros", macros), ("phrases", phrases)):
        for name in names:
            if name in lists or (name in macros and name in phrases):
                what = "word list" if name in lists else "phrase"
                at = place(source, section, name)
                raise InputError(at, f"{name!r} is a {what} too", "another name", kind="conflict")
    owner = {value: name for name, values in features.values.items() for value in values}
    return Rules(features.values, owner, indices, lists, phrases, macros)


def _alternatives(
    table: Mapping[str, Any],
    section: str,
    source: Source,
    macros: Mapping[str, tuple[Alternative, ...]],
) -> dict[str, tuple[Alternative, ...]]:
    """Name → parsed rules, each written as one string or a list of strings."""
    result = {}
    for name, found in table.items():
        rules = [found] if isinstance(found, str) else found
        if (
            not isinstance(rules, list)
            or not rules
            or not all(isinstance(each, str) for each in rules)
        ):
            at = place(source, section, name)
            raise InputError(
                at, f"{name} is {found!r}", "a rule in quotes, or a list of them", kind="format"
            )
        places = (
            place(source, section, name, shows=each.strip().partition("\n")[0]) for each in rules
        )
        result[name] = tuple(
            with_macros(parse(" ".join(each.split()), at), macros)
            for each, at in zip(rules, places, strict=True)
        )
    return result


def _shapes(
    templates: Mapping[str, tuple[Alternative, ...]], rules: Rules, source: Source
) -> tuple[Shape, ...]:
    """All shapes with a derivation. An alternative's weight is shared out among its shapes."""
    result: list[Shape] = []
    for name, alternatives in templates.items():
        at = place(source, "sentences", name)
        before = len(result)
        for alternative in alternatives:
            found = [counted(each, rules.features) for each in shapes_of(name, alternative, rules)]
            found = [each for each in found if each.n]
            for each in found:
                check_shape(each, rules.features, at)
            share = 1.0 if alternative.weight is None else alternative.weight
            total = sum(each.weight for each in found)
            result += [replace(each, weight=share * each.weight / total) for each in found]
        if len(result) == before:
            right = "words and phrases whose features can meet"
            raise InputError(at, f"the template {name!r} has no sentence", right, kind="format")
    return tuple(replace(each, number=number) for number, each in enumerate(result))


def _spelling(
    table: Mapping[str, Any], tables: Mapping[str, Mapping[str, Any]], source: Source
) -> Spelling:
    capital = table.get("capital", True)
    if not isinstance(capital, bool):
        raise InputError(
            place(source, "capital"), f"capital is {capital!r}", "true or false", kind="format"
        )
    stop = _text(table, "stop", source)
    sounds = {}
    for name, found in tables["sounds"].items():
        if not isinstance(found, dict) or not set(found) <= {"starts", "also", "never"}:
            at = place(source, "sounds", name)
            raise InputError(
                at, f"the sound {name!r} cannot be read", 'starts = "a e i o u"', kind="format"
            )
        words = {key: str(found.get(key, "")).lower().split() for key in ("also", "never")}
        starts = tuple(str(found.get("starts", "")).lower().split())
        sounds[name] = Sound(starts, frozenset(words["also"]), frozenset(words["never"]))
    contractions = {}
    for pair, joined in tables["contractions"].items():
        words_of_pair = pair.split()
        if len(words_of_pair) != 2 or not isinstance(joined, str):
            at = place(source, "contractions", pair)
            raise InputError(
                at, f"the contraction {pair!r} cannot be read", '"di il" = "del"', kind="format"
            )
        contractions[words_of_pair[0], words_of_pair[1]] = joined
    rules = table.get("sandhi", [])
    if not isinstance(rules, list):
        raise InputError(
            place(source, "sandhi"), "sandhi is no list of tables", "[[sandhi]]", kind="format"
        )
    sandhi = tuple(
        each for number, rule in enumerate(rules) for each in _sandhi(rule, number, sounds, source)
    )
    return Spelling(capital, stop, sounds, sandhi, contractions)


def _sandhi(rule: object, number: int, sounds: Iterable[str], source: Source) -> Iterable[Sandhi]:
    """One `[[sandhi]]` table; it may name several forms."""
    at = place(source, "sandhi", number=number)
    if not isinstance(rule, dict) or not {"form", "before", "becomes"} <= set(rule) <= {
        "form", "before", "becomes", "upos", "drops", "glue",
    }:  # fmt: skip
        right = "form, before and becomes; upos, drops and glue if wanted"
        raise InputError(at, "the sandhi rule cannot be read", right, kind="format")
    if rule["before"] not in sounds:
        right = nearest(str(rule["before"]), sounds) if sounds else "a table [sounds.vowel]"
        raise InputError(at, f"no such sound {rule['before']!r}", right, kind="unknown")
    if rule.get("glue", "") not in ("", *GLUE):
        raise InputError(
            at, f"glue is {rule['glue']!r}", nearest(str(rule["glue"]), GLUE), kind="unknown"
        )
    return [
        Sandhi(
            form=form,
            before=rule["before"],
            becomes=str(rule["becomes"]),
            upos=str(rule.get("upos", "")),
            drops=frozenset(str(rule.get("drops", "")).split()),
            glue=rule.get("glue", ""),
        )
        for form in str(rule["form"]).split()
    ]
