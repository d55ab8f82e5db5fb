"""What a language's file says: sounds, words with several shapes, words written as one.

A TOML file a language in `languages/`; docs/tutorial-plugin.md describes its keys. All forms are in
lower case and with the straight apostrophe; case and apostrophe follow the text.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import Annotated, ClassVar, Literal, TypeAlias, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, StringConstraints

from ....data.errors import ErrorKind, InputError
from ....data.registry import nearest
from ...toml_table import read_table

ELSE = "else"  # the key for every sound that a rule does not name
ANY = "*"  # as a part of speech: whichever
BOUNDARY = "|"  # between the words of a token, in the patterns of seams
FOLDER = files(__package__) / "languages"

Tag: TypeAlias = Literal[
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN",
    "PUNCT", "SCONJ", "SYM", "VERB", "X",
]  # fmt: skip
UPOS: tuple[str, ...] = get_args(Tag)
CLOSED_UPOS: frozenset[Tag] = frozenset({"ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ"})
ONLY_THESE = ConfigDict(extra="forbid")


def _code(value: object) -> object:
    """Return the code of a language."""
    if not isinstance(value, str) or re.fullmatch("[a-z]{2,3}", value) is None:
        raise ValueError('a BCP-47 code without region, as "it"')
    return value


def _words(value: object) -> list[str]:
    """Return the words of a text."""
    if not isinstance(value, str):
        raise ValueError('text in quotes, "…"')
    return value.split()


def _sound_name(value: object) -> object:
    """Return the name of a sound, which is one word."""
    if not isinstance(value, str) or value in ("", ELSE) or " " in value:
        raise ValueError(f"a short word, not {ELSE!r}")
    return value


def _features(value: object) -> list[tuple[str, ...]]:
    """Return the pairs of features as UD writes them."""
    pairs = [tuple(pair.split("=", 1)) for pair in str(value).split("|")]
    if not all(len(pair) == 2 and all(pair) for pair in pairs):
        raise ValueError('features as UD writes them, "A=B|C=D"')
    return pairs


def _shapes(value: object) -> dict[str, object]:
    """Return shapes by sound, where a key can name several sounds and have one form or more."""
    if not isinstance(value, dict):
        raise ValueError('a table, { V = "an", else = "a" }')
    shapes = {name: forms for names, forms in value.items() for name in names.split()}
    return {name: [forms] if isinstance(forms, str) else forms for name, forms in shapes.items()}


Words: TypeAlias = Annotated[frozenset[str], BeforeValidator(_words)]
Upos: TypeAlias = frozenset[Tag]
Features: TypeAlias = Annotated[tuple[tuple[str, str], ...], BeforeValidator(_features)]
Forms: TypeAlias = Annotated[tuple[str, ...], Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class SoundClass:
    """A class of beginnings (or, in `WritingRules.endings`, of ends) of words. A word belongs to
    the first class that has it."""

    __pydantic_config__: ClassVar[ConfigDict] = ONLY_THESE

    name: Annotated[str, BeforeValidator(_sound_name)]
    pattern: re.Pattern[str] | None = None  # none: no word for its letters alone
    stems: Annotated[tuple[str, ...], BeforeValidator(_words)] = ()  # beginnings spelled out
    words: Words = frozenset()  # whole words
    upper: StrictBool = False  # only for abbreviations, which are two to four capitals


@dataclass(frozen=True, slots=True, eq=False)
class Alternation:
    """The shapes of one word by the sound of its neighbour. With one shape and no choice it says
    that this form is *not* another rule's."""

    __pydantic_config__: ClassVar[ConfigDict] = ONLY_THESE

    shapes: Annotated[dict[str, Forms], BeforeValidator(_shapes)]
    """Sound, or `ELSE` → legal shapes, the usual one first."""
    upos: Upos = frozenset()  # of the word itself; empty: any
    when: Features = ()  # features the word, or the word it depends on, has
    before: Upos = frozenset()  # UPOS the neighbour must have, or it counts as `ELSE`
    next: re.Pattern[str] | None = None  # what the neighbour must look like, or it is `ELSE`
    after: StrictBool = False  # whether the neighbour is the word before it

    @property
    def varies(self) -> bool:
        """Return whether there is more than one shape."""
        return len(self.shapes) > 1

    @property
    def forms(self) -> tuple[str, ...]:
        """Return all its shapes."""
        return tuple(dict.fromkeys(form for legal in self.shapes.values() for form in legal))

    def legal(self, sound: str) -> tuple[str, ...]:
        """Return the shapes that the word may have next to a sound."""
        return self.shapes.get(sound, self.shapes[ELSE])


@dataclass(frozen=True, slots=True)
class Contraction:
    """Two words that are written as one."""

    joined: str
    upos: frozenset[str]  # of the second; empty: any
    obligatory: bool  # whether the two may not stay apart


@dataclass(frozen=True, slots=True)
class ContractionTable:
    """The contractions of one entry: the two words → how they are written."""

    __pydantic_config__: ClassVar[ConfigDict] = ONLY_THESE

    joined: Annotated[
        dict[
            Annotated[str, StringConstraints(pattern=r"^\S+ \S+$")],
            Annotated[str, StringConstraints(min_length=1)],
        ],
        Field(min_length=1),
    ]
    upos: Upos = frozenset()
    optional: StrictBool = False


@dataclass(frozen=True, slots=True)
class SeamRule:
    """A change where two words meet in one token; `BOUNDARY` is between them."""

    __pydantic_config__: ClassVar[ConfigDict] = ONLY_THESE

    pattern: re.Pattern[str]
    becomes: str = ""


@dataclass(frozen=True, slots=True)
class ClosedWords:
    """Words that cannot be exchanged. Every condition that is given must hold; those on neighbours
    ask for a neighbour written together with the word."""

    __pydantic_config__: ClassVar[ConfigDict] = ONLY_THESE

    upos: Upos = frozenset()
    feats: Features = ()
    form: re.Pattern[str] | None = None  # of the whole word
    before: Upos = frozenset()  # UPOS of the next word
    next: re.Pattern[str] | None = None  # the next word
    previous: re.Pattern[str] | None = None  # the word before


@dataclass(frozen=True, slots=True)
class FixedOnset:
    """Words whose beginning cannot be changed because of the word directly before them."""

    __pydantic_config__: ClassVar[ConfigDict] = ONLY_THESE

    same: Literal["sound", "letter"]  # what a replacement must have in common
    after: Annotated[
        frozenset[Tag | Literal["*"]], BeforeValidator(lambda v: [v] if v == ANY else v)
    ] = frozenset()  # UPOS of the word before; `ANY` for every word
    words: Words = frozenset()  # its form


class LanguageFile(BaseModel):
    """A language file."""

    model_config = ONLY_THESE

    language: Annotated[str, BeforeValidator(_code)]
    about: str = ""
    attach: Literal["", "'"] = ""
    sound: list[SoundClass] = []
    ending: list[SoundClass] = []
    alternation: list[Alternation] = []
    contraction: list[ContractionTable] = []
    seam: list[SeamRule] = []
    closed: list[ClosedWords] = []
    fixed: list[FixedOnset] = []


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
        """Return whether two neighbours must be written as one; `upos` is that of the second."""
        rule = self.contractions.get((first, plain(second)))
        return rule is not None and rule.obligatory and (not rule.upos or upos in rule.upos)


def plain(form: str) -> str:
    """Return a form as the files write it."""
    return form.lower().replace("’", "'")


@lru_cache(maxsize=256)
def language_of(code: str) -> WritingRules:
    """Return the rules of a language by BCP-47 code without region. Without a file nothing is
    repaired, so a word after a function word keeps its first letter and its sound."""
    path = FOLDER / f"{code}.toml"
    if not code.isalpha() or not path.is_file():
        return WritingRules(code, has_rules=False, fixed=(FixedOnset("letter", after=CLOSED_UPOS),))
    return parse_language(path.read_text(encoding="utf-8"), f"{code}.toml")


def realiser_languages() -> tuple[str, ...]:
    """Return the languages that have a file of spelling rules, as for *an apple*, *a key*.

    Returns:
        Their BCP-47 codes, sorted.

    >>> realiser_languages()[:3], "en" in realiser_languages()
    (('af', 'ar', 'bg'), True)
    """
    names = (path.name for path in FOLDER.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


TABLES = {
    "sound": SoundClass, "ending": SoundClass, "alternation": Alternation, "seam": SeamRule,
    "contraction": ContractionTable, "closed": ClosedWords, "fixed": FixedOnset,
}  # fmt: skip


def parse_language(text: str, path: str) -> WritingRules:
    """Return the rules of a language from their text; `path` names it in messages.

    Raises:
        InputError: with the entry, counted from 1, and the key at fault.
    """

    def location(keys: Sequence[str | int]) -> str:
        """Return the location of an entry."""
        return f"{path}: {keys[0]} {int(keys[1]) + 1}" if len(keys) > 1 else path

    def fault(
        section: str, index: int, wrong: str, right: str, kind: ErrorKind = "missing"
    ) -> InputError:
        """Return the error at an entry."""
        return InputError(location((section, index)), wrong, right, kind=kind)

    file = read_table(LanguageFile, TABLES, text, path, location)
    sounds = file.sound
    if sounds and (sounds[-1].pattern is None or sounds[-1].pattern.pattern or sounds[-1].upper):
        wrong = "the last sound leaves words out"  # every word must have a sound
        raise fault("sound", len(sounds) - 1, wrong, 'write pattern = ""', "format")
    ahead: dict[str, tuple[Alternation, ...]] = {}
    behind: dict[str, tuple[Alternation, ...]] = {}
    for index, rule in enumerate(file.alternation):
        known = [ELSE, *sorted(sound.name for sound in (file.ending if rule.after else sounds))]
        for name in rule.shapes:
            if name not in known:
                right = nearest(name, known) if len(known) > 1 else "write [[sound]] tables first"
                raise fault("alternation", index, f"no such sound {name!r}", right, "unknown")
        if ELSE not in rule.shapes:
            right = "write a shape before every other sound"
            raise fault("alternation", index, f"the shapes have no {ELSE!r}", right)
        side = behind if rule.after else ahead
        for shape in rule.forms:
            side[shape] = (*side.get(shape, ()), rule)
    for section, empty, right in (
        ("closed", ClosedWords(), "write one at least"),
        ("fixed", FixedOnset("sound"), 'write after = ["DET"] or words = "du au"'),
    ):
        for index, entry in enumerate(getattr(file, section)):
            if entry == empty or entry == FixedOnset("letter"):
                raise fault(section, index, "there is no condition", right)
    contractions = {
        (first, second): Contraction(joined, table.upos, not table.optional)
        for table in file.contraction
        for pair, joined in table.joined.items()
        for first, second in [pair.split()]
    }
    shapes = {*ahead, *behind, *(contraction.joined for contraction in contractions.values())}
    attach = file.attach
    return WritingRules(
        code=file.language,
        about=file.about,
        attach=attach,
        sounds=tuple(sounds),
        endings=tuple(file.ending),
        ahead=ahead,
        behind=behind,
        contractions=contractions,
        joiners=frozenset(first for (first, _), c in contractions.items() if c.obligatory),
        seams=tuple(file.seam),
        closed=tuple(file.closed),
        fixed=tuple(file.fixed),
        attached=frozenset(shape for shape in shapes if attach and shape.endswith(attach)),
    )
