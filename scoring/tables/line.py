"""A sentence of a table: its units, each with a number, and what letters of a text they stand for.

Texts are compared letter by letter without their blanks, so that it does not matter to whom a table
gives the blank between two tokens:

    text     The company's car.          letters  Thecompany'scar.
    units    The|company|'s|car|.        spans    (0,3)(3,10)(10,12)(12,15)(15,16)
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'"})
SPELLINGS: Mapping[str, str] = {  # of the Penn Treebank
    "``": '"', "''": '"', "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{",
    "-RCB-": "}",
}  # fmt: skip
MOSES = re.compile(r"@(\W)@")  # `over @-@ the @-@ counter`
SENTINEL = re.compile(r"^(?:[\u0120\u2581]+|##(?=.))|(?:@@|</w>)$")  # a subword begins or goes on
UNKNOWN = frozenset({"<unk>", "[unk]"})
ENDING = frozenset({"</s>", "<eos>", "[sep]", "<|end_of_text|>", "<|endoftext|>"})
SIGNS = ENDING | {  # no part of any text
    "<s>", "<bos>", "[cls]", "<|begin_of_text|>", "<|startoftext|>", "<pad>", "[pad]"
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Unit:
    """What a table has one number for: a token, or a region."""

    shown: str  # as the table has it
    letters: str | None  # that it stands for; None: some word that the model does not know
    bits: float | None  # None where the table has no number, as before the first word
    oov: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence of a table. `end`: the surprisal of its end, if the table has it."""

    place: str
    units: tuple[Unit, ...]
    end: float | None = None

    @property
    def head(self) -> str:
        """The letters up to the first unit whose letters are not known."""
        found = []
        for unit in self.units:
            if unit.letters is None:
                break
            found.append(unit.letters)
        return "".join(found)

    @property
    def is_open(self) -> bool:
        """Whether it has a word that is not known."""
        return any(unit.letters is None for unit in self.units)


@dataclass(frozen=True, slots=True)
class Bare:
    """A text without its blanks."""

    letters: str
    places: tuple[int, ...]  # of each letter in the text
    chunks: tuple[int, ...]  # for each letter the one before which the next blank stands


def bare(text: str, *, fold: bool) -> Bare:
    """`fold`: without capitals. Quotation marks are straight."""
    places: list[int] = []
    chunks: list[int] = []
    start = 0
    for place, letter in enumerate(text):
        if letter.isspace():
            chunks += [len(places)] * (len(places) - start)
            start = len(places)
        else:
            places.append(place)
    chunks += [len(places)] * (len(places) - start)
    return Bare(letters_of(text, fold=fold), tuple(places), tuple(chunks))


def letters_of(text: str, *, fold: bool = False) -> str:
    """A text without blanks, quotation marks straight; `fold`: small letters where the small
    letter is one letter too."""
    found = "".join(text.split()).translate(QUOTES)
    return "".join(map(_small, found)) if fold else found


def _small(letter: str) -> str:
    small = letter.lower()
    return small if len(small) == 1 else letter


def spelt(token: str) -> str:
    """The letters of a text that a token stands for: without the signs of subwords (`Ġ`, `▁`,
    `##`, `@@`, `</w>`), the Penn Treebank's and Moses's spellings undone."""
    core = SENTINEL.sub("", token)
    moses = MOSES.fullmatch(core)
    return letters_of(moses[1] if moses else SPELLINGS.get(core, core))
