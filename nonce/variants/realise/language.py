"""The spelling rules in a language's file: sounds, words with several shapes, words written as one.

Each language has a TOML file in `languages/`; docs/tutorial-plugin.md describes its keys. All forms
are in lower case and with the straight apostrophe; case and apostrophe follow the text.

A function word depends on the sound class at which its neighbour begins or ends. The file lists the
classes, and a word has the first that matches; without a list, the class is the first two letters
as vowel (V) or consonant (C), in any alphabet whose vowels are known.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from typing import Annotated, Literal, TypeAlias, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, StringConstraints

from ....data.errors import ErrorKind, InputError
from ....data.registry import nearest
from ...toml_table import read_table
from ..pseudo.letters import is_vowel

ELSE = "else"  # key for every sound class that a rule does not name
MAX_ABBREVIATION = 4  # letters; longer ones are mostly read as words
SCRIPTS = (
    "LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "GEORGIAN", "DEVANAGARI", "BENGALI", "GURMUKHI",
    "GUJARATI", "ORIYA", "TAMIL", "TELUGU", "KANNADA", "MALAYALAM", "SINHALA",
)  # fmt: skip


def _split_words(value: object) -> list[str]:
    """Split the value of a key at blanks. Raises `ValueError` if it is not a text."""
    if not isinstance(value, str):
        raise ValueError('text in quotes, "…"')
    return value.split()


def _checked_sound(value: object) -> object:
    """Return the name of a sound class unchanged. Raises `ValueError` if it is not one word."""
    if not isinstance(value, str) or value in ("", ELSE) or " " in value:
        raise ValueError(f"a short word, not {ELSE!r}")
    return value


Words: TypeAlias = Annotated[frozenset[str], BeforeValidator(_split_words)]


@dataclass(frozen=True, slots=True)
class SoundClass:
    """A class of word beginnings (or, in `WritingRules.ending`, of word ends). A word belongs to
    the first class of the file that matches it."""

    name: Annotated[str, BeforeValidator(_checked_sound)]
    pattern: re.Pattern[str] | None = None  # of the beginning or end; None: match by words only
    stems: Annotated[tuple[str, ...], BeforeValidator(_split_words)] = ()  # beginnings of words
    words: Words = frozenset()  # whole words
    upper: StrictBool = False  # only for abbreviations, which are two to four capitals


def classifier(classes: Sequence[SoundClass], *, at_end: bool = False) -> Callable[[str], str]:
    """Return a function from a form to the sound class of its beginning or, with `at_end`, of its
    end. It returns "" for a form that no class matches. Signs before the first letter or digit are
    skipped; results are cached."""

    @cache
    def sound(form: str) -> str:
        """Return the sound class of a form, "" for none."""
        if not at_end:
            # from the first letter or digit on
            form = next((form[n:] for n, char in enumerate(form) if char.isalnum()), "")
            if not classes:
                return first_vowels_and_consonants(form)
        lower, abbreviation = form.lower().replace("’", "'"), is_abbreviation(form)
        for entry in classes if form else ():
            if entry.upper and not abbreviation:
                continue
            if lower in entry.words or (entry.stems and lower.startswith(entry.stems)):
                return entry.name
            if entry.pattern is not None:
                find = entry.pattern.search if at_end else entry.pattern.match
                if find(form if entry.upper else lower):
                    return entry.name
        return ""

    return sound


def is_abbreviation(form: str) -> bool:
    """Tell whether a form, or its part before a hyphen, is an abbreviation: one to four capital
    letters, or more if none is a vowel. Dots (`U.S.`) and an ending (`MPs`) do not count."""
    core = form.partition("-")[0].replace("’", "'").replace(".", "")
    core = core.removesuffix("'s").removesuffix("s")
    if not (core.isalpha() and core.isupper()):
        return False
    return len(core) <= MAX_ABBREVIATION or not any(map(is_vowel, core.lower()))


def first_vowels_and_consonants(form: str) -> str:
    """Return `V` (vowel) or `C` (consonant) for each of the first two letters, as `VC`; "" in a
    script whose vowels are not known."""
    kinds = [_letter_kind(letter) for letter in unicodedata.normalize("NFC", form.lower())[:2]]
    return "".join(kinds) if kinds and kinds[0] else ""


def _letter_kind(letter: str) -> str:
    """Return `V` for a vowel, `C` for a consonant, and "" for a character of a script whose vowels
    are not known."""
    name = unicodedata.name(letter, "")
    if not name.startswith(SCRIPTS) or not (letter.isalpha() or "VOWEL SIGN" in name):
        return ""
    return "V" if is_vowel(letter) and letter != "й" else "C"


ANY = "*"  # any part of speech
BOUNDARY = "|"  # between the words of a token, in the patterns of seams
FOLDER = files(__package__) / "languages"

Tag: TypeAlias = Literal[
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN",
    "PUNCT", "SCONJ", "SYM", "VERB", "X",
]  # fmt: skip
UPOS: tuple[str, ...] = get_args(Tag)
CLOSED_UPOS: frozenset[Tag] = frozenset({"ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ"})


def _checked_code(value: object) -> object:
    """Return the code of a language unchanged. Raises `ValueError` if it is not two or three
    letters."""
    if not isinstance(value, str) or re.fullmatch("[a-z]{2,3}", value) is None:
        raise ValueError('a BCP-47 code without region, as "it"')
    return value


def _feature_pairs(value: object) -> list[tuple[str, ...]]:
    """Split features as UD writes them (`A=B|C=D`) into pairs of name and value. Raises
    `ValueError` if they are written otherwise."""
    pairs = [tuple(pair.split("=", 1)) for pair in str(value).split("|")]
    if not all(len(pair) == 2 and all(pair) for pair in pairs):
        raise ValueError('features as UD writes them, "A=B|C=D"')
    return pairs


def _shapes_by_sound(value: object) -> dict[str, object]:
    """Return sound class → shapes of a word, from a table of a language file. There a key can name
    several classes, and its value be one form or a list. Raises `ValueError` if it is no table."""
    if not isinstance(value, dict):
        raise ValueError('a table, { V = "an", else = "a" }')
    shapes = {name: forms for names, forms in value.items() for name in names.split()}
    return {name: [forms] if isinstance(forms, str) else forms for name, forms in shapes.items()}


Upos: TypeAlias = frozenset[Tag]
Features: TypeAlias = Annotated[tuple[tuple[str, str], ...], BeforeValidator(_feature_pairs)]
Forms: TypeAlias = Annotated[tuple[str, ...], Field(min_length=1)]


@dataclass(frozen=True, slots=True, eq=False)
class Alternation:
    """The shapes of one word by the sound of its neighbour. A rule with a single shape says that
    this form belongs to a word that does not vary, and not to another rule's."""

    shapes: Annotated[dict[str, Forms], BeforeValidator(_shapes_by_sound)]
    """Sound, or `ELSE` → legal shapes, the usual one first."""
    upos: Upos = frozenset()  # of the word itself; empty: any
    when: Features = ()  # features that the word or its head must have
    before: Upos = frozenset()  # parts of speech of the neighbour; any other counts as `ELSE`
    next: re.Pattern[str] | None = None  # form of the neighbour; any other counts as `ELSE`
    after: StrictBool = False  # whether the neighbour is the word before, not the word after

    @property
    def forms(self) -> tuple[str, ...]:
        """Return all shapes of the word."""
        return tuple(dict.fromkeys(form for legal in self.shapes.values() for form in legal))

    def legal(self, sound: str) -> tuple[str, ...]:
        """Return the shapes that the word may have next to a neighbour of this sound class, the
        usual one first."""
        return self.shapes.get(sound, self.shapes[ELSE])


@dataclass(frozen=True, slots=True)
class Contractions:
    """Pairs of words that are written as one."""

    joined: Annotated[
        dict[
            Annotated[str, StringConstraints(pattern=r"^\S+ \S+$")],
            Annotated[str, StringConstraints(min_length=1)],
        ],
        Field(min_length=1),
    ]
    """The two words → how they are written."""
    upos: Upos = frozenset()  # of the second; empty: any
    optional: StrictBool = False  # whether the two may stay apart


@dataclass(frozen=True, slots=True)
class SeamRule:
    """A change where two words meet in one token; `BOUNDARY` is between them."""

    pattern: re.Pattern[str]
    becomes: str = ""


@dataclass(frozen=True, slots=True)
class ClosedWords:
    """Words that must not be replaced. All conditions that are given must hold; those on the next
    and previous word require that it is written together with the word."""

    upos: Upos = frozenset()
    feats: Features = ()
    form: re.Pattern[str] | None = None  # of the whole word
    before: Upos = frozenset()  # UPOS of the next word
    next: re.Pattern[str] | None = None  # the next word
    previous: re.Pattern[str] | None = None  # the word before


@dataclass(frozen=True, slots=True)
class FixedOnset:
    """Words whose replacement must begin alike because of the word directly before them."""

    same: Literal["sound", "letter"]  # what the replacement must share with the word
    after: Annotated[
        frozenset[Tag | Literal["*"]], BeforeValidator(lambda v: [v] if v == ANY else v)
    ] = frozenset()  # UPOS of the word before; `ANY` for every word
    words: Words = frozenset()  # its form


class WritingRules(BaseModel):
    """All spelling rules of one language, as its file has them."""

    model_config = ConfigDict(extra="forbid")

    language: Annotated[str, BeforeValidator(_checked_code)]
    about: str = ""  # one line for people
    attach: Literal["", "'"] = ""  # a shape that ends in it is written without a blank after it
    sound: tuple[SoundClass, ...] = ()  # none: vowels and consonants, as `VC`
    ending: tuple[SoundClass, ...] = ()
    alternation: tuple[Alternation, ...] = ()
    contraction: tuple[Contractions, ...] = ()
    seam: tuple[SeamRule, ...] = ()
    closed: tuple[ClosedWords, ...] = ()
    fixed: tuple[FixedOnset, ...] = ()

    @cached_property
    def onset(self) -> Callable[[str], str]:
        """Return the function from a form to the sound class of its beginning."""
        return classifier(self.sound)

    @cached_property
    def end(self) -> Callable[[str], str]:
        """Return the function from a form to the sound class of its end."""
        return classifier(self.ending, at_end=True)

    @cached_property
    def rules_of_shape(self) -> Mapping[str, Sequence[Alternation]]:
        """Return shape → the rules of words with that shape."""
        rules: dict[str, list[Alternation]] = {}
        for rule in self.alternation:
            for shape in rule.forms:
                rules.setdefault(shape, []).append(rule)
        return rules

    @cached_property
    def contractions(self) -> Mapping[tuple[str, ...], tuple[str, Contractions]]:
        """Return (first word, second word) → how the two are written as one, and the entry of the
        file that says so."""
        return {
            tuple(pair.split()): (joined, entry)
            for entry in self.contraction
            for pair, joined in entry.joined.items()
        }

    @cached_property
    def attached(self) -> frozenset[str]:
        """Return the shapes and contractions after which no blank is written (French *l'*)."""
        contractions = {joined for joined, _ in self.contractions.values()}
        shapes = contractions.union(self.rules_of_shape)
        return frozenset(filter(self.is_elided, shapes))

    def is_elided(self, form: str) -> bool:
        """Tell whether a form ends in the sign after which the language writes no blank."""
        return self.attach != "" and plain(form).endswith(self.attach)

    def contracted(self, first: str, second: str, upos: str) -> tuple[str, bool]:
        """Return the contraction of two words ("" if there is none), and whether it is obligatory.
        `upos` is the part of speech of the second word."""
        contraction, entry = self.contractions.get((plain(first), plain(second)), ("", None))
        if entry is None or (entry.upos and upos not in entry.upos):
            return "", False
        return contraction, not entry.optional

    def shapes_key(self, rule: Alternation, form: str, upos: str, *, loud: bool) -> str:
        """Return the key under which a rule has the shapes for this neighbour: its sound class, or
        `ELSE` if it does not meet the rule's conditions. In a sentence all in capitals (`loud`) no
        word is an abbreviation."""
        if (rule.before and upos not in rule.before) or (
            rule.next and rule.next.fullmatch(plain(form)) is None
        ):
            return ELSE
        return self.end(form) if rule.after else self.onset(form.lower() if loud else form)


@lru_cache(maxsize=256)
def language_of(code: str) -> WritingRules:
    """Return the rules of a language, given its BCP-47 code without region. For a language without
    a file no word is adapted, so a word after a function word must keep its first letter and its
    sound."""
    path = FOLDER / f"{code}.toml"
    if not code.isalpha() or not path.is_file():
        closed_class = (FixedOnset("letter", after=CLOSED_UPOS),)
        return WritingRules.model_construct(language=code, fixed=closed_class)
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
    "contraction": Contractions, "closed": ClosedWords, "fixed": FixedOnset,
}  # fmt: skip


def parse_language(text: str, path: str) -> WritingRules:
    """Return the rules of a language from their text; `path` names it in messages.

    Raises:
        InputError: with the entry, counted from 1, and the key at fault.
    """

    def location(keys: Sequence[str | int]) -> str:
        """Return the place of an entry in the file, for messages, given its keys: the section, and
        the entry's index from 0."""
        if len(keys) < 2:
            return path
        section, index, *_ = keys
        return f"{path}: {section} {int(index) + 1}"

    rules = read_table(WritingRules, TABLES, text, path, location)
    for section, index, wrong, right, kind in _faults(rules):
        raise InputError(location((section, index)), wrong, right, kind=kind)
    return rules


def _faults(rules: WritingRules) -> Iterator[tuple[str, int, str, str, ErrorKind]]:
    """Yield the faults of entries that are well-formed by themselves: section, index of the entry,
    what is wrong, what to write instead, and the kind of fault."""
    last = rules.sound[-1] if rules.sound else SoundClass("C", re.compile(""))
    has_all_words = last.pattern is not None and last.pattern.pattern == "" and not last.upper
    if not has_all_words:  # every word must have a sound
        wrong, right = "the last sound leaves words out", 'write pattern = ""'
        yield "sound", len(rules.sound) - 1, wrong, right, "format"
    for index, rule in enumerate(rules.alternation):
        classes = rules.ending if rule.after else rules.sound
        known = [ELSE, *sorted(entry.name for entry in classes)]
        for name in rule.shapes.keys() - known:
            right = nearest(name, known) if classes else "write [[sound]] tables first"
            yield "alternation", index, f"no such sound {name!r}", right, "unknown"
        if ELSE not in rule.shapes:
            right = "write a shape before every other sound"
            yield "alternation", index, f"the shapes have no {ELSE!r}", right, "missing"
    for section, right in (
        ("closed", "write one at least"),
        ("fixed", 'write after = ["DET"] or words = "du au"'),
    ):
        for index, entry in enumerate(getattr(rules, section)):
            if entry in (ClosedWords(), FixedOnset("sound"), FixedOnset("letter")):
                yield section, index, "there is no condition", right, "missing"


def plain(form: str) -> str:
    """Return a form in lower case with a straight apostrophe, as the language files write words."""
    return form.lower().replace("’", "'")
