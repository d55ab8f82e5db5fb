"""A grammar file to a checked grammar. Every mistake in it is an error with file and line."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from colorless_green.data.errors import InputError
from colorless_green.data.files import read_text
from colorless_green.data.registry import nearest
from colorless_green.nonce.formats.pairs import FULL
from colorless_green.nonce.grammar.check import check_levels, check_rules, check_shape
from colorless_green.nonce.grammar.expand import counted
from colorless_green.nonce.grammar.language import Design, Grammar, Sandhi, Shape, Sound, Spelling
from colorless_green.nonce.grammar.lexicon import GLUE, Features, read_paradigms, read_words
from colorless_green.nonce.grammar.notation import Alternative, Source, parse, walk, with_macros
from colorless_green.nonce.grammar.shapes import Rules, shapes_of
from colorless_green.nonce.grammar.wordings import applies, check_wordings, regions_of
from colorless_green.nonce.item import RIGHT, WRONG
from colorless_green.nonce.prediction import parse as parse_prediction
from colorless_green.nonce.suite import AGREEMENT, WHOLE

TABLES = (
    "features", "selection", "indices", "paradigms", "lexicon", "macros", "phrases", "sentences",
    "sounds", "contractions", "suite",
)  # fmt: skip
NEEDED = ("name", "language", "features", "lexicon", "sentences")
KEYS = ("name", "language", "licence", "capital", "stop", *TABLES, "sandhi")
SUITE_KEYS = ("conditions", "facts", "average", "swap", "predictions", "constructions")
SANDHI_KEYS = {"form", "before", "becomes"}


def load_grammar(path: Path) -> Grammar:
    """The grammar in a TOML file (`docs/suites.md` describes the language)."""
    return parse_grammar(read_text(path), str(path))


def parse_grammar(text: str, path: str) -> Grammar:
    """A grammar from its text; `path` names it in messages.

    Raises `InputError` for what is no TOML, an unknown or missing key, a rule that cannot be read,
    a name that stands for nothing, a phrase inside itself, an index that no word fixes, a template
    without a sentence; and for a section [suite] that does not fit the templates.
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        found = re.search(r" \(at line (\d+), column (\d+)\)$", message)
        line = found[1] if found else str(text.count("\n") + 1)
        wrong = message[: found.start()] if found else message.removesuffix(" (at end of document)")
        raise InputError(
            f"{path}:{line}", f"this is not TOML ({wrong})", "valid TOML", kind="format"
        ) from None
    source = Source(path, tuple(text.split("\n")))
    file = _Section(table, source)
    file.knows(table, KEYS)
    for key in NEEDED:
        if not table.get(key):
            right = ", ".join(NEEDED)
            raise InputError(f"{path}:1", f"there is no {key!r}", right, kind="missing")
    sections = {key: file.section(key) for key in TABLES}
    rules = _rules({key: each.table for key, each in sections.items()}, source)
    templates = _alternatives(sections["sentences"].table, "sentences", source, rules.macros)
    check_rules(rules.phrases, "phrases", rules, source)
    check_rules(templates, "sentences", rules, source)
    check_levels(rules, source)
    written = [each for found in (*rules.phrases.values(), *templates.values()) for each in found]
    shapes = _shapes(templates, rules, source)
    design = None
    if "suite" in table:
        design = _design(sections["suite"], shapes, (*rules.indices, *rules.lists))
        check_wordings(shapes, design, source)
    return Grammar(
        name=file.text("name"),
        language=file.text("language"),
        licence=file.text("licence"),
        place=path,
        features=rules.features.values,
        spelling=_spelling(file, sections["sounds"].table, sections["contractions"].table),
        shapes=shapes,
        weighted=any(one.weight is not None for each in written for one in walk(each)),
        design=design,
    )


@dataclass(frozen=True, slots=True)
class _Section:
    """A table of the file, and the names under which it stands there."""

    table: Mapping[str, Any]
    source: Source
    keys: tuple[str, ...] = ()

    def error(self, key: str, right: str) -> InputError:
        wrong = f"{key} is {self.table[key]!r}"
        return self.source.error(wrong, right, *self.keys, key, shows=key if self.keys else "")

    def section(self, key: str) -> "_Section":
        """A table in it, empty if it is not there."""
        if not isinstance(value := self.table.get(key, {}), dict):
            raise self.error(key, f"a table [{'.'.join((*self.keys, key))}]")
        return _Section(value, self.source, (*self.keys, key))

    def text(self, key: str) -> str:
        """A text in it, "" if it is not there; within sections it must not be empty."""
        if not isinstance(value := self.table.get(key, ""), str) or (self.keys and not value):
            raise self.error(key, 'text in quotes, "…"')
        return value

    def names(self, key: str) -> tuple[str, ...]:
        """A list of names in it, each once."""
        value = self.table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
            raise self.error(key, 'a list of names, ["right", "wrong"]')
        if len(set(value)) < len(value):
            raise self.source.error(
                f"{key} has a name twice", "each name once", *self.keys, key,
                kind="conflict", shows=key,
            )  # fmt: skip
        return tuple(value)

    def knows(self, found: Iterable[str], names: Sequence[str], key: str = "") -> None:
        """Raises `InputError` for a name that is not one of these."""
        for name in found:
            if name not in names:
                place = (*self.keys, key) if key else self.keys or (name,)
                wrong = f"unknown {'name' if self.keys else 'key'} {name!r}"
                right, shows = nearest(name, names), name if self.keys else ""
                raise self.source.error(wrong, right, *place, kind="unknown", shows=shows)


def _rules(tables: Mapping[str, Mapping[str, Any]], source: Source) -> Rules:
    """Everything a name in a rule can stand for, each name for one thing."""
    values: dict[str, tuple[str, ...]] = {}
    owner: dict[str, str] = {}
    for section in ("features", "selection"):  # shown in FEATS, and never shown
        for name, found in tables[section].items():
            if not isinstance(found, list) or not found or not _are_texts(found):
                right = 'a list of values, ["Sing", "Plur"]'
                raise source.error(f"{name} is {found!r}", right, section, name)
            for value in found:
                if value in owner:
                    wrong = f"the value {value!r} belongs to {owner[value]} already"
                    right = "another name: a value says which feature it is of"
                    raise source.error(wrong, right, section, name, kind="conflict")
                owner[value] = name
            values[name] = tuple(found)
    features = Features(values, owner, frozenset(tables["selection"]))
    paradigms = read_paradigms(tables["paradigms"], features, source)
    lists = {
        name: read_words(name, table, features, paradigms, source)
        for name, table in tables["lexicon"].items()
    }
    for name, feature in tables["indices"].items():
        if feature not in values:
            wrong, right = f"no such feature {feature!r}", nearest(str(feature), values)
            raise source.error(wrong, right, "indices", name, kind="unknown")
        if name in owner:
            wrong = f"{name!r} is a value too"
            raise source.error(wrong, "another letter", "indices", name, kind="conflict")
    macros: dict[str, tuple[Alternative, ...]] = {}
    for name in tables["macros"]:  # one may use those before it
        macros |= _alternatives({name: tables["macros"][name]}, "macros", source, macros)
    phrases = _alternatives(tables["phrases"], "phrases", source, macros)
    for section, names in (("macros", macros), ("phrases", phrases)):
        for name in names:
            if name in lists or (name in macros and name in phrases):
                wrong = f"{name!r} is a {'word list' if name in lists else 'phrase'} too"
                raise source.error(wrong, "another name", section, name, kind="conflict")
    return Rules(features, tables["indices"], lists, phrases, macros)


def _are_texts(values: Sequence[object]) -> bool:
    return all(isinstance(each, str) for each in values)


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
        if not isinstance(rules, list) or not rules or not _are_texts(rules):
            right = "a rule in quotes, or a list of them"
            raise source.error(f"{name} is {found!r}", right, section, name)
        result[name] = tuple(
            with_macros(
                parse(
                    " ".join(each.split()),
                    source.place(section, name, shows=each.strip().partition("\n")[0]),
                ),
                macros,
            )
            for each in rules
        )
    return result


def _shapes(
    templates: Mapping[str, tuple[Alternative, ...]], rules: Rules, source: Source
) -> tuple[Shape, ...]:
    """All shapes with a derivation. An alternative's weight is shared out among its shapes."""
    result: list[Shape] = []
    for name, alternatives in templates.items():
        at = source.place("sentences", name)
        before = len(result)
        for alternative in alternatives:
            found = [each for each in map(counted, shapes_of(name, alternative, rules)) if each.n]
            for each in found:
                check_shape(each, rules, at)
            share = 1.0 if alternative.weight is None else alternative.weight
            total = sum(each.weight for each in found)
            result += [replace(each, weight=share * each.weight / total) for each in found]
        if len(result) == before:
            right = "words and phrases whose features can meet"
            raise InputError(at, f"the template {name!r} has no sentence", right, kind="format")
    return tuple(replace(each, number=number) for number, each in enumerate(result))


def _spelling(
    file: _Section, sounds: Mapping[str, Any], contractions: Mapping[str, Any]
) -> Spelling:
    source, capital = file.source, file.table.get("capital", True)
    if not isinstance(capital, bool):
        raise file.error("capital", "true or false")
    stop = file.text("stop")
    known = {}
    for name, found in sounds.items():
        if not isinstance(found, dict) or not set(found) <= {"starts", "also", "never"}:
            wrong = f"the sound {name!r} cannot be read"
            raise source.error(wrong, 'starts = "a e i o u"', "sounds", name)
        starts, also, never = (
            str(found.get(key, "")).lower().split() for key in ("starts", "also", "never")
        )
        known[name] = Sound(tuple(starts), frozenset(also), frozenset(never))
    joined = {}
    for pair, written in contractions.items():
        if len(pair.split()) != 2 or not isinstance(written, str):
            wrong = f"the contraction {pair!r} cannot be read"
            raise source.error(wrong, '"di il" = "del"', "contractions", pair)
        first, second = pair.split()
        joined[first, second] = written
    rules = file.table.get("sandhi", [])
    if not isinstance(rules, list):
        raise source.error("sandhi is no list of tables", "[[sandhi]]", "sandhi")
    sandhi: list[Sandhi] = []
    for number, rule in enumerate(rules):
        optional = {"upos", "drops", "glue"}
        if not isinstance(rule, dict) or not SANDHI_KEYS <= set(rule) <= SANDHI_KEYS | optional:
            wrong = "the sandhi rule cannot be read"
            right = "form, before and becomes; upos, drops and glue if wanted"
            raise source.error(wrong, right, "sandhi", number=number)
        before, glue = rule["before"], rule.get("glue", "")
        if before not in known:
            right = nearest(str(before), known) if known else "a table [sounds.vowel]"
            wrong = f"no such sound {before!r}"
            raise source.error(wrong, right, "sandhi", number=number, kind="unknown")
        if glue not in ("", *GLUE):
            right = nearest(str(glue), GLUE)
            wrong = f"glue is {glue!r}"
            raise source.error(wrong, right, "sandhi", number=number, kind="unknown")
        becomes, upos = str(rule["becomes"]), str(rule.get("upos", ""))
        drops = frozenset(str(rule.get("drops", "")).split())
        forms = str(rule["form"]).split()  # it may name several
        sandhi += [Sandhi(form, known[before], becomes, upos, drops, glue) for form in forms]
    return Spelling(capital, stop, tuple(sandhi), joined)


def _design(suite: _Section, shapes: Sequence[Shape], names: Sequence[str]) -> Design:
    """The section `[suite]`; `names` are the grammar's letters and word lists.

    Every key can be left out; then a template's items are pairs of the conditions `right` and
    `wrong`, one sentence each, and it is predicted of them what is predicted of every mined pair,
    and of the whole sentence.
    """
    source = suite.source
    suite.knows(suite.table, SUITE_KEYS)
    default = suite.names("conditions") or (RIGHT, WRONG)
    conditions = {shape.template: default for shape in shapes}
    facts: dict[str, Mapping[str, str]] = {name: {} for name in conditions}
    constructions = suite.section("constructions")
    constructions.knows(constructions.table, tuple(conditions))
    for name in constructions.table:
        own = constructions.section(name)
        conditions[name] = own.names("conditions") or conditions[name]
        facts[name] = {key: own.text(key) for key in own.table if key != "conditions"}
    for shape in shapes:
        found = conditions[shape.template]
        n = shape.n_conditions
        if len(found) != n:
            marked = f"is marked for {n} conditions" if n > 1 else "marks nothing"
            wrong = f"the template {shape.template!r} {marked}, and {len(found)} are named"
            raise source.error(
                f"{wrong} ({', '.join(found)})", "a mark for each condition",
                "sentences", shape.template,
            )  # fmt: skip
        if n == 1 and not any(slot.region for slot in shape.slots):
            wrong = f"the template {shape.template!r} has no target: no mark, and no region"
            raise source.error(wrong, "a region, as in Verb{target}", "sentences", shape.template)
    letters = suite.section("facts")
    average = suite.names("average")
    swap = suite.table.get("swap", [])
    if not isinstance(swap, list) or not all(
        isinstance(each, list) and len(each) == 2 and _are_texts(each) for each in swap
    ):
        raise suite.error("swap", 'pairs of word lists, [["Noun", "Other"]]')
    suite.knows(letters.table, names, "facts")
    suite.knows(average, names, "average")
    suite.knows((name for pair in swap for name in pair), names, "swap")
    formulas = suite.section("predictions")
    predictions = tuple(
        parse_prediction(formula, name, source.place("suite", "predictions", shows=name))
        for name, formula in (
            {name: formulas.text(name) for name in formulas.table}
            or {each.name: each.source for each in (AGREEMENT, FULL)}
        ).items()
    )
    for each in predictions:
        if not any(applies(each, shape, conditions[shape.template]) for shape in shapes):
            named = dict.fromkeys(one for shape in shapes for one in conditions[shape.template])
            regions = dict.fromkeys(one for shape in shapes for one in regions_of(shape))
            raise source.error(
                f"no template has what the prediction {each.name!r} speaks of",
                f"conditions {', '.join(named)} and regions {', '.join((*regions, WHOLE))}",
                "suite", "predictions", kind="unknown", shows=each.name,
            )  # fmt: skip
    for shape in shapes:
        found = conditions[shape.template]
        if not any(applies(each, shape, found) for each in predictions):
            wrong = f"nothing is predicted of the template {shape.template!r}"
            right = f"[suite.predictions] of {', '.join(found)}"
            raise source.error(wrong, right, "sentences", shape.template, kind="missing")
    return Design(
        conditions=conditions,
        facts=facts,
        letters={key: letters.text(key) for key in letters.table}
        or {name: name for shape in shapes for name, _ in shape.letters},
        average=frozenset(average),
        swap=tuple((one, other) for one, other in swap),
        predictions=predictions,
    )
