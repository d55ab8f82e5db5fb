"""What a language's file says: sounds, words with several shapes, words written as one.

A TOML file a language in `languages/`; docs/tutorial-plugin.md describes its keys. All forms are in
lower case and with the straight apostrophe; case and apostrophe follow the text.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import Any, Literal, TypeAlias

from ....data.errors import ErrorKind, InputError
from ....data.registry import nearest

ELSE = "else"  # the key for every sound that a rule does not name
ANY = "*"  # as a part of speech: whichever
BOUNDARY = "|"  # between the words of a token, in the patterns of seams
CLOSED_UPOS = frozenset({"ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ"})
UPOS = CLOSED_UPOS | {
    "ADJ", "ADV", "INTJ", "NOUN", "NUM", "PROPN", "PUNCT", "SYM", "VERB", "X"
}  # fmt: skip
KEYS = {  # "" is the file itself
    "": (
        "language", "about", "attach", "sound", "ending", "alternation", "contraction", "seam",
        "closed", "fixed",
    ),
    "sound": ("name", "pattern", "stems", "words", "upper"),
    "ending": ("name", "pattern", "words"),
    "alternation": ("shapes", "upos", "when", "before", "next", "after"),
    "contraction": ("joined", "upos", "optional"),
    "seam": ("pattern", "becomes"),
    "closed": ("upos", "feats", "form", "before", "next", "previous"),
    "fixed": ("same", "after", "words"),
}  # fmt: skip
FOLDER = files(__package__) / "languages"

Same: TypeAlias = Literal["sound", "letter"]


@dataclass(frozen=True, slots=True)
class SoundClass:
    """A class of beginnings (or, in `WritingRules.endings`, of ends) of words. A word belongs to
    the first class that has it."""

    name: str
    pattern: re.Pattern[str] | None = None  # none: no word for its letters alone
    stems: tuple[str, ...] = ()  # beginnings spelled out
    words: frozenset[str] = frozenset()  # whole words
    upper: bool = False  # only for abbreviations: two to four capitals, and `pattern` sees those


@dataclass(frozen=True, slots=True, eq=False)
class Alternation:
    """The shapes of one word by the sound of its neighbour. With one shape and no choice it says
    that this form is *not* another rule's."""

    shapes: Mapping[str, tuple[str, ...]]  # sound → legal shapes, the usual one first; or `ELSE`
    upos: frozenset[str] = frozenset()  # of the word itself; empty: any
    when: tuple[tuple[str, str], ...] = ()  # features the word, or the word it hangs on, has
    before: frozenset[str] = frozenset()  # UPOS the neighbour must have, or it counts as `ELSE`
    next: re.Pattern[str] | None = None  # what the neighbour must look like, or it is `ELSE`

    @property
    def varies(self) -> bool:
        """Whether there is more than one shape."""
        return len(self.shapes) > 1

    @property
    def forms(self) -> tuple[str, ...]:
        """All its shapes."""
        return tuple(dict.fromkeys(form for legal in self.shapes.values() for form in legal))

    def legal(self, sound: str) -> tuple[str, ...]:
        """What the word may look like beside a sound; empty if the file does not say."""
        return self.shapes.get(sound) or self.shapes.get(ELSE, ())


@dataclass(frozen=True, slots=True)
class Contraction:
    """Two words that are written as one."""

    joined: str
    upos: frozenset[str]  # of the second; empty: any
    obligatory: bool  # whether the two may not stand apart


@dataclass(frozen=True, slots=True)
class SeamRule:
    """What happens where two words meet in one token; `BOUNDARY` stands between them."""

    pattern: re.Pattern[str]
    becomes: str


@dataclass(frozen=True, slots=True)
class ClosedWords:
    """Words that cannot be exchanged. Every condition that is given must hold; those on neighbours
    ask for a neighbour written together with the word."""

    upos: frozenset[str] = frozenset()
    feats: tuple[tuple[str, str], ...] = ()
    form: re.Pattern[str] | None = None  # of the whole word
    before: frozenset[str] = frozenset()  # UPOS of the next word
    next: re.Pattern[str] | None = None  # the next word
    previous: re.Pattern[str] | None = None  # the word before


@dataclass(frozen=True, slots=True)
class FixedOnset:
    """Words whose beginning cannot be changed, for what stands directly before them."""

    same: Same  # what a replacement must have in common
    after: frozenset[str] = frozenset()  # UPOS of the word before; `ANY` for every word
    words: frozenset[str] = frozenset()  # its form


@dataclass(frozen=True, slots=True, eq=False)
class WritingRules:
    """All rules of one language."""

    code: str  # BCP-47, no region
    has_rules: bool = True
    about: str = ""  # one line for people
    attach: str = ""  # the apostrophe, if no blank is written after a shape that ends in it
    sounds: tuple[SoundClass, ...] = ()  # none: told by the letters of any script
    endings: tuple[SoundClass, ...] = ()
    ahead: Mapping[str, tuple[Alternation, ...]] = field(default_factory=dict)
    """shape → the words that can look like that and change with what follows"""
    behind: Mapping[str, tuple[Alternation, ...]] = field(default_factory=dict)
    """the same for those that change with the end of what is before them"""
    contractions: Mapping[tuple[str, str], Contraction] = field(default_factory=dict)
    joiners: frozenset[str] = frozenset()  # first words of obligatory contractions
    seams: tuple[SeamRule, ...] = ()
    closed: tuple[ClosedWords, ...] = ()
    fixed: tuple[FixedOnset, ...] = ()
    attached: frozenset[str] = frozenset()  # shapes and contractions that end in `attach`

    def joins(self, first: str, second: str, upos: str) -> bool:
        """Whether two neighbours must be written as one; `upos` is that of the second."""
        rule = self.contractions.get((first, plain(second)))
        return rule is not None and rule.obligatory and (not rule.upos or upos in rule.upos)


def plain(form: str) -> str:
    """A form as the files write it."""
    return form.lower().replace("’", "'")


@lru_cache(maxsize=256)
def language_of(code: str) -> WritingRules:
    """The rules of a language by BCP-47 code without region. Without a file nothing is repaired, so
    a word after a function word keeps its first letter and its sound."""
    path = FOLDER / f"{code}.toml"
    if not code.isalpha() or not path.is_file():
        return WritingRules(code, has_rules=False, fixed=(FixedOnset("letter", after=CLOSED_UPOS),))
    return parse_language(path.read_text(encoding="utf-8"), f"{code}.toml")


def realiser_languages() -> tuple[str, ...]:
    """The languages that have a file of spelling rules, as for *an apple*, *a key*.

    Returns:
        Their BCP-47 codes, sorted.

    >>> realiser_languages()[:3], "en" in realiser_languages()
    (('af', 'ar', 'bg'), True)
    """
    names = (path.name for path in FOLDER.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def parse_language(text: str, path: str) -> WritingRules:
    """A language from its text; `path` names it in messages.

    Raises:
        InputError: with the entry, counted from 1, and the key at fault.
    """
    try:
        file = _Entry(tomllib.loads(text), "", path)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(path, f"this is not TOML ({error})", "valid TOML", kind="format") from None
    code = file.text("language")
    if re.fullmatch(r"[a-z]{2,3}", code) is None:
        raise file.wrong("language", code, 'a BCP-47 code without region, as "it"')
    sounds = tuple(map(_sound, file.entries("sound")))
    endings = tuple(map(_sound, file.entries("ending")))
    if sounds and (sounds[-1].pattern is None or sounds[-1].pattern.pattern or sounds[-1].upper):
        raise InputError(  # every word must have a sound
            f"{path}: sound {len(sounds)}",
            "the last sound leaves words out",
            'pattern = ""',
            kind="format",
        )
    ahead: dict[str, tuple[Alternation, ...]] = {}
    behind: dict[str, tuple[Alternation, ...]] = {}
    for entry in file.entries("alternation"):
        looks_behind = entry.flag("after")
        rule = _alternation(entry, {sound.name for sound in (endings if looks_behind else sounds)})
        side = behind if looks_behind else ahead
        for shape in rule.forms:
            side[shape] = (*side.get(shape, ()), rule)
    attach = file.text("attach")
    if attach not in ("", "'"):
        raise file.wrong("attach", attach, "an apostrophe, or nothing")
    contractions: dict[tuple[str, str], Contraction] = {}
    for entry in file.entries("contraction"):
        contractions |= _contractions(entry)
    shapes = {*ahead, *behind, *(contraction.joined for contraction in contractions.values())}
    return WritingRules(
        code=code,
        about=file.text("about"),
        attach=attach,
        sounds=sounds,
        endings=endings,
        ahead=ahead,
        behind=behind,
        contractions=contractions,
        joiners=frozenset(
            first for (first, _), contraction in contractions.items() if contraction.obligatory
        ),
        seams=tuple(map(_seam, file.entries("seam"))),
        closed=tuple(map(_closed, file.entries("closed"))),
        fixed=tuple(map(_fixed, file.entries("fixed"))),
        attached=frozenset(shape for shape in shapes if attach and shape.endswith(attach)),
    )


class _Entry:
    """A table of a file, which its methods read key by key, checked."""

    def __init__(self, table: Mapping[str, Any], sort: str, location: str) -> None:
        self.table, self.location = table, location
        for key in table:
            if key not in KEYS[sort]:
                raise self.error(f"unknown key {key!r}", nearest(key, KEYS[sort]), "unknown")

    def error(self, wrong: str, right: str, kind: ErrorKind = "format") -> InputError:
        return InputError(self.location, wrong, right, kind=kind)

    def wrong(self, key: str, value: object, right: str) -> InputError:
        return self.error(f"{key} is {value!r}", right)

    def entries(self, sort: str) -> Iterator["_Entry"]:
        """Each table of an array of tables."""
        tables = self.table.get(sort, [])
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            raise self.error(f"{sort} is no list of tables", f"{sort} = [{{ … }}, …]")
        for number, table in enumerate(tables, start=1):
            yield _Entry(table, sort, f"{self.location}: {sort} {number}")

    def flag(self, key: str) -> bool:
        value = self.table.get(key, False)
        if not isinstance(value, bool):
            raise self.wrong(key, value, "true or false")
        return value

    def text(self, key: str) -> str:
        value = self.table.get(key, "")
        if not isinstance(value, str):
            raise self.wrong(key, value, 'text in quotes, "…"')
        return value

    def words(self, key: str) -> list[str]:
        return self.text(key).split()

    def mapping(self, key: str, right: str) -> Mapping[str, Any]:
        value = self.table.get(key)
        if not isinstance(value, dict) or not value:
            raise self.wrong(key, value, right)
        return value

    def pattern(self, key: str) -> re.Pattern[str] | None:
        if key not in self.table:
            return None
        try:
            return re.compile(self.text(key))
        except re.error as error:
            raise self.error(f"{key} is no pattern ({error})", "a regular expression") from None

    def upos(self, key: str) -> frozenset[str]:
        value = self.table.get(key, [])
        if not isinstance(value, list):
            raise self.wrong(key, value, f"a list of {', '.join(sorted(UPOS))}")
        for tag in value:
            if tag not in UPOS:
                raise self.error(f"{key} has {tag!r}", nearest(str(tag), sorted(UPOS)), "unknown")
        return frozenset(value)

    def features(self, key: str) -> tuple[tuple[str, str], ...]:
        result = []
        for pair in filter(None, self.text(key).split("|")):
            name, equals, value = pair.partition("=")
            if not equals or not name or not value:
                right = 'features as UD writes them, "A=B|C=D"'
                raise self.wrong(key, self.table[key], right)
            result.append((name, value))
        return tuple(result)


def _sound(entry: _Entry) -> SoundClass:
    name = entry.text("name")
    if not name or name == ELSE or " " in name:
        raise entry.wrong("name", name, f"a short word, not {ELSE!r}")
    upper, words = entry.flag("upper"), frozenset(entry.words("words"))
    return SoundClass(name, entry.pattern("pattern"), tuple(entry.words("stems")), words, upper)


def _alternation(entry: _Entry, sounds: Iterable[str]) -> Alternation:
    valid = [ELSE, *sorted(sounds)]
    legal: dict[str, tuple[str, ...]] = {}
    for names, shapes in entry.mapping("shapes", '{ V = "an", else = "a" }').items():
        for name in names.split():
            if name not in valid:
                right = nearest(name, valid)
                right = right if len(valid) > 1 else f"{ELSE}, or [[sound]] tables first"
                raise entry.error(f"no such sound {name!r}", right, "unknown")
            forms = [shapes] if isinstance(shapes, str) else shapes
            is_list = isinstance(forms, list) and all(isinstance(form, str) for form in forms)
            if not is_list or not forms:
                raise entry.wrong(names, shapes, 'a form in quotes, "…", or a list of them')
            legal[name] = tuple(forms)
    if ELSE not in legal:
        right = "a shape before every other sound"
        raise entry.error(f"the shapes have no {ELSE!r}", right, "missing")
    when, before = entry.features("when"), entry.upos("before")
    return Alternation(legal, entry.upos("upos"), when, before, entry.pattern("next"))


def _contractions(entry: _Entry) -> dict[tuple[str, str], Contraction]:
    joined = entry.mapping("joined", 'joined = { "di il" = "del" }')
    obligatory, upos = not entry.flag("optional"), entry.upos("upos")
    result = {}
    for pair, form in joined.items():
        words = pair.split(" ")
        if len(words) != 2 or not isinstance(form, str) or not form:
            raise entry.wrong(repr(pair), form, '"di il" = "del"')
        result[words[0], words[1]] = Contraction(form, upos, obligatory)
    return result


def _seam(entry: _Entry) -> SeamRule:
    pattern = entry.pattern("pattern")
    if pattern is None:
        right = r'pattern = "ل\|ال", becomes = "ل|ل"'
        raise entry.error("there is no pattern", right, "missing")
    return SeamRule(pattern, entry.text("becomes"))


def _closed(entry: _Entry) -> ClosedWords:
    if not entry.table:
        raise entry.error("no condition", f"one of {', '.join(KEYS['closed'])}", "missing")
    word = (entry.upos("upos"), entry.features("feats"), entry.pattern("form"))
    return ClosedWords(
        *word, entry.upos("before"), entry.pattern("next"), entry.pattern("previous")
    )


def _fixed(entry: _Entry) -> FixedOnset:
    same = entry.table.get("same")
    if same not in ("sound", "letter"):
        raise entry.wrong("same", same, '"sound" or "letter"')
    after = frozenset({ANY}) if entry.table.get("after") == ANY else entry.upos("after")
    words = frozenset(entry.words("words"))
    if not after and not words:
        raise entry.error("no condition", 'after = ["DET"] or words = "du au"', "missing")
    return FixedOnset(same, after, words)
