"""A language's TOML file, checked. docs/realise.md describes its keys."""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

from colorless_green.data.errors import InputError
from colorless_green.data.files import read_text
from colorless_green.data.registry import nearest
from colorless_green.nonce.realise.language import (
    ANY,
    ELSE,
    Alternation,
    Closed,
    Contraction,
    Fixed,
    Language,
    Seam,
    Sound,
    neutral,
)

T = TypeVar("T")
UPOS = frozenset(
    {
        *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON"),
        *("PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"),
    }
)
KEYS = (
    "language", "about", "attach", "sound", "ending", "alternation", "contraction", "seam",
    "closed", "fixed",
)  # fmt: skip
ENTRY_KEYS = {
    "sound": ("name", "pattern", "stems", "words", "upper"),
    "ending": ("name", "pattern", "words"),
    "alternation": ("shapes", "upos", "when", "before", "next", "after"),
    "contraction": ("joined", "upos", "optional"),
    "seam": ("pattern", "becomes"),
    "closed": ("upos", "feats", "form", "before", "next", "previous"),
    "fixed": ("same", "after", "words"),
}
FOLDER = "colorless_green.nonce.realise"


@lru_cache(maxsize=256)
def language_of(code: str) -> Language:
    """The rules of a language by BCP-47 code (regions do not count); neutral without a file."""
    own = code.partition("-")[0].lower()
    path = files(FOLDER) / "languages" / f"{own}.toml"
    if not own.isalpha() or not path.is_file():
        return neutral(own)
    return parse_language(path.read_text(encoding="utf-8"), f"{own}.toml")


def realiser_languages() -> tuple[str, ...]:
    """The codes of the languages that have a file, sorted."""
    folder = files(FOLDER) / "languages"
    names = (each.name for each in folder.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def load_language(path: Path) -> Language:
    """The rules in a TOML file. Raises `InputError` with the entry and the key at fault."""
    return parse_language(read_text(path), str(path))


def parse_language(text: str, path: str) -> Language:
    """A language from its text; `path` names it in messages. Entries are counted from 1."""
    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(path, f"this is no TOML ({error})", "valid TOML", kind="format") from None
    _only(table, KEYS, path)
    code = _text(table, "language", path)
    if re.fullmatch(r"[a-z]{2,3}", code) is None:
        raise InputError(
            path, f"language is {code!r}", 'a BCP-47 code without region, as "it"', kind="format"
        )
    sounds = _entries(table, "sound", path, _sound)
    endings = _entries(table, "ending", path, _sound)
    _last_is_rest(sounds, path)
    kinds = {"ahead": {each.name for each in sounds}, "behind": {each.name for each in endings}}
    found = _entries(table, "alternation", path, lambda entry, at: _alternation(entry, at, kinds))
    attach = _text(table, "attach", path)
    if attach not in ("", "'"):
        raise InputError(path, f"attach is {attach!r}", "an apostrophe, or nothing", kind="format")
    contractions = dict(
        pair
        for group in _entries(table, "contraction", path, _contractions)
        for pair in group.items()
    )
    ahead, behind = (_by_shape(each for where, each in found if where == side) for side in kinds)
    shapes = {*ahead, *(each.joined for each in contractions.values())}
    return Language(
        code=code,
        about=_text(table, "about", path),
        attach=attach,
        sounds=sounds,
        endings=endings,
        ahead=ahead,
        behind=behind,
        contractions=contractions,
        joiners=frozenset(first for (first, _), each in contractions.items() if each.obligatory),
        seams=_entries(table, "seam", path, _seam),
        closed=_entries(table, "closed", path, _closed),
        fixed=_entries(table, "fixed", path, _fixed),
        attached=frozenset(each for each in shapes if attach and each.endswith(attach)),
    )


def _entries(
    table: Mapping[str, Any], key: str, path: str, make: Callable[[Mapping[str, Any], str], T]
) -> tuple[T, ...]:
    """Each entry of an array of tables, made by `make(entry, place)`."""
    found = table.get(key, [])
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise InputError(
            path, f"{key} is no list of tables", f"{key} = [{{ … }}, …]", kind="format"
        )
    result = []
    for number, entry in enumerate(found, start=1):
        at = f"{path}: {key} {number}"
        _only(entry, ENTRY_KEYS[key], at)
        result.append(make(entry, at))
    return tuple(result)


def _sound(entry: Mapping[str, Any], at: str) -> Sound:
    name = _text(entry, "name", at)
    if not name or name == ELSE or " " in name:
        raise InputError(at, f"name is {name!r}", f"a short word, not {ELSE!r}", kind="format")
    upper = entry.get("upper", False)
    if not isinstance(upper, bool):
        raise InputError(at, f"upper is {upper!r}", "true or false", kind="format")
    return Sound(
        name,
        _pattern(entry, "pattern", at),
        tuple(_words(entry, "stems", at)),
        frozenset(_words(entry, "words", at)),
        upper,
    )


def _last_is_rest(sounds: tuple[Sound, ...], path: str) -> None:
    """Every word must have a sound, so the last class takes what is left."""
    if sounds and (sounds[-1].pattern is None or sounds[-1].pattern.pattern or sounds[-1].upper):
        raise InputError(
            f"{path}: sound {len(sounds)}",
            "the last sound leaves words out",
            'pattern = ""',
            kind="format",
        )


def _alternation(
    entry: Mapping[str, Any], at: str, kinds: Mapping[str, set[str]]
) -> tuple[str, Alternation]:
    """Whether it looks ahead or behind, and the rule."""
    after = entry.get("after", False)
    if not isinstance(after, bool):
        raise InputError(at, f"after is {after!r}", "true or false", kind="format")
    side = "behind" if after else "ahead"
    shapes = entry.get("shapes")
    if not isinstance(shapes, dict) or not shapes:
        raise InputError(at, f"shapes is {shapes!r}", '{ V = "an", else = "a" }', kind="format")
    legal: dict[str, tuple[str, ...]] = {}
    for key in shapes:
        for name in key.split():
            if name != ELSE and name not in kinds[side]:
                known = nearest(name, [ELSE, *sorted(kinds[side])])
                right = known if kinds[side] else f"{ELSE}, or [[sound]] tables first"
                raise InputError(at, f"no such sound {name!r}", right, kind="unknown")
            legal[name] = tuple(_forms(shapes, key, at))
    if ELSE not in legal:
        raise InputError(
            at, f"the shapes have no {ELSE!r}", "a shape before every other sound", kind="missing"
        )
    return side, Alternation(
        legal,
        _upos(entry, "upos", at),
        _features(entry, "when", at),
        _upos(entry, "before", at),
        _pattern(entry, "next", at),
    )


def _by_shape(found: Iterable[Alternation]) -> dict[str, tuple[Alternation, ...]]:
    result: dict[str, tuple[Alternation, ...]] = {}
    for rule in found:
        for shape in rule.forms:
            result[shape] = (*result.get(shape, ()), rule)
    return result


def _contractions(entry: Mapping[str, Any], at: str) -> dict[tuple[str, str], Contraction]:
    joined = entry.get("joined")
    if not isinstance(joined, dict) or not joined:
        raise InputError(at, f"joined is {joined!r}", 'joined = { "di il" = "del" }', kind="format")
    optional = entry.get("optional", False)
    if not isinstance(optional, bool):
        raise InputError(at, f"optional is {optional!r}", "true or false", kind="format")
    upos = _upos(entry, "upos", at)
    result = {}
    for pair, form in joined.items():
        words = pair.split(" ")
        if len(words) != 2 or not isinstance(form, str) or not form:
            raise InputError(at, f"{pair!r} is {form!r}", '"di il" = "del"', kind="format")
        result[words[0], words[1]] = Contraction(form, upos, not optional)
    return result


def _seam(entry: Mapping[str, Any], at: str) -> Seam:
    pattern = _pattern(entry, "pattern", at)
    if pattern is None:
        raise InputError(
            at, "there is no pattern", r'pattern = "ل\\|ال", becomes = "ل|ل"', kind="missing"
        )
    return Seam(pattern, _text(entry, "becomes", at))


def _closed(entry: Mapping[str, Any], at: str) -> Closed:
    if not entry:
        raise InputError(
            at, "no condition", f"one of {', '.join(ENTRY_KEYS['closed'])}", kind="missing"
        )
    return Closed(
        _upos(entry, "upos", at),
        _features(entry, "feats", at),
        _pattern(entry, "form", at),
        _upos(entry, "before", at),
        _pattern(entry, "next", at),
        _pattern(entry, "previous", at),
    )


def _fixed(entry: Mapping[str, Any], at: str) -> Fixed:
    same = entry.get("same")
    if same not in ("sound", "letter"):
        raise InputError(at, f"same is {same!r}", '"sound" or "letter"', kind="format")
    after = _forms(entry, "after", at) if entry.get("after") == ANY else _upos(entry, "after", at)
    words = frozenset(_words(entry, "words", at))
    if not after and not words:
        raise InputError(at, "no condition", 'after = ["DET"] or words = "du au"', kind="missing")
    return Fixed(same, frozenset(after), words)


def _only(table: Mapping[str, Any], keys: Iterable[str], at: str) -> None:
    for key in table:
        if key not in keys:
            raise InputError(at, f"unknown key {key!r}", nearest(key, keys), kind="unknown")


def _text(table: Mapping[str, Any], key: str, at: str) -> str:
    value = table.get(key, "")
    if not isinstance(value, str):
        raise InputError(at, f"{key} is {value!r}", 'text in quotes, "…"', kind="format")
    return value


def _words(table: Mapping[str, Any], key: str, at: str) -> list[str]:
    return _text(table, key, at).split()


def _forms(table: Mapping[str, Any], key: str, at: str) -> list[str]:
    """One form, or a list of them."""
    value = table.get(key)
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, list) or not found or not all(isinstance(e, str) for e in found):
        raise InputError(
            at, f"{key} is {value!r}", 'a form in quotes, "…", or a list of them', kind="format"
        )
    return found


def _pattern(table: Mapping[str, Any], key: str, at: str) -> re.Pattern[str] | None:
    if key not in table:
        return None
    try:
        return re.compile(_text(table, key, at))
    except re.error as error:
        raise InputError(
            at, f"{key} is no pattern ({error})", "a regular expression", kind="format"
        ) from None


def _upos(table: Mapping[str, Any], key: str, at: str) -> frozenset[str]:
    value = table.get(key, [])
    known = ", ".join(sorted(UPOS))
    if not isinstance(value, list):
        raise InputError(at, f"{key} is {value!r}", f"a list of {known}", kind="format")
    for each in value:
        if each not in UPOS:
            raise InputError(
                at, f"{key} has {each!r}", nearest(str(each), sorted(UPOS)), kind="unknown"
            )
    return frozenset(value)


def _features(table: Mapping[str, Any], key: str, at: str) -> tuple[tuple[str, str], ...]:
    result = []
    for each in filter(None, _text(table, key, at).split("|")):
        name, equals, value = each.partition("=")
        if not equals or not name or not value:
            raise InputError(
                at,
                f"{key} is {table[key]!r}",
                'features as UD writes them, "A=B|C=D"',
                kind="format",
            )
        result.append((name, value))
    return tuple(result)
