"""What a language's file says: sounds, words with several shapes, words written as one.

All forms are in lower case and with the straight apostrophe; case and apostrophe follow the text.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

ELSE = "else"  # the key for every sound that a rule does not name
ANY = "*"  # as a part of speech: whichever
BOUNDARY = "|"  # between the words of a token, in the patterns of seams
CLOSED_UPOS = frozenset({"ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ"})

Same: TypeAlias = Literal["sound", "letter"]


@dataclass(frozen=True, slots=True)
class Sound:
    """A class of beginnings (or, in `Language.endings`, of ends) of words. A word belongs to the
    first class that has it."""

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
class Seam:
    """What happens where two words meet in one token; `BOUNDARY` stands between them."""

    pattern: re.Pattern[str]
    becomes: str


@dataclass(frozen=True, slots=True)
class Closed:
    """Words that cannot be exchanged. Every condition that is given must hold; those on neighbours
    ask for a neighbour written together with the word."""

    upos: frozenset[str] = frozenset()
    feats: tuple[tuple[str, str], ...] = ()
    form: re.Pattern[str] | None = None  # of the whole word
    before: frozenset[str] = frozenset()  # UPOS of the next word
    next: re.Pattern[str] | None = None  # the next word
    previous: re.Pattern[str] | None = None  # the word before


@dataclass(frozen=True, slots=True)
class Fixed:
    """Words whose beginning cannot be changed, for what stands directly before them."""

    same: Same  # what a replacement must have in common
    after: frozenset[str] = frozenset()  # UPOS of the word before; `ANY` for every word
    words: frozenset[str] = frozenset()  # its form


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """All rules of one language."""

    code: str  # BCP-47, no region
    has_rules: bool = True
    about: str = ""  # one line for people
    attach: str = ""  # the apostrophe, if no blank is written after a shape that ends in it
    sounds: tuple[Sound, ...] = ()  # none: told by the letters of any script
    endings: tuple[Sound, ...] = ()
    ahead: Mapping[str, tuple[Alternation, ...]] = field(default_factory=dict)
    """shape → the words that can look like that and change with what follows"""
    behind: Mapping[str, tuple[Alternation, ...]] = field(default_factory=dict)
    """the same for those that change with the end of what is before them"""
    contractions: Mapping[tuple[str, str], Contraction] = field(default_factory=dict)
    joiners: frozenset[str] = frozenset()  # first words of obligatory contractions
    seams: tuple[Seam, ...] = ()
    closed: tuple[Closed, ...] = ()
    fixed: tuple[Fixed, ...] = ()
    attached: frozenset[str] = frozenset()  # shapes and contractions that end in `attach`

    def joins(self, first: str, second: str, upos: str) -> bool:
        """Whether two neighbours must be written as one; `upos` is that of the second."""
        found = self.contractions.get((first, plain(second)))
        return found is not None and found.obligatory and (not found.upos or upos in found.upos)


def neutral(code: str) -> Language:
    """A language without a file: nothing is repaired, so a word after a function word keeps its
    first letter and its sound."""
    return Language(code, has_rules=False, fixed=(Fixed("letter", after=CLOSED_UPOS),))


def plain(form: str) -> str:
    """A form as the files write it."""
    return form.lower().replace("’", "'")
