"""Files of surprisals as lines of units, and which letters of a text each unit stands for.

Files are tables of tokens, evaluated suites, totals of regions. Texts are compared letter by letter
without their blanks, so that it does not matter to whom a table gives the blank between two tokens:

    text     The company's car.          letters  Thecompany'scar.
    units    The|company|'s|car|.        spans    (0,3)(3,10)(10,12)(12,15)(15,16)

Known units match letter by letter, so the only choice is how far an unknown one reaches. It stands
for letters of one word, never over a blank: for the word without its punctuation if what follows
then fits, else for more of it, else for less. Hence several unknown words in a row are a word each,
where syntaxgym-core gives all of them to the region of the first.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from pathlib import Path
from typing import Any

from colorless_green.data.errors import InputError
from colorless_green.data.registry import nearest
from colorless_green.nonce.formats import format_of
from colorless_green.nonce.formats.evaluated import UNKNOWN as OOVS
from colorless_green.nonce.formats.evaluated import VALUES, evaluation
from colorless_green.nonce.formats.records import get, lines, listed, table, text
from colorless_green.nonce.formats.syntaxgym import document_of, squeezed
from colorless_green.nonce.formats.told import TOKENS, TOTALS
from colorless_green.nonce.item import Wording
from colorless_green.nonce.penn import penn
from colorless_green.scoring.query import Span

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
NONE = frozenset({"", "na", "nan", "none", "null"})  # how tables write that there is no number
NEGATIVE = -1e-6  # rounding gives less than nothing by less than this
BASES = {"2": 1.0, "e": 1 / math.log(2), "10": math.log2(10)}
METRICS = ("sum", "mean", "median", "max", "min")  # of one number `range` says nothing
RIGHT = (
    f"a table with {', '.join(TOKENS)} between tabs, an evaluated SyntaxGym suite, "
    f"or a table with {','.join(TOTALS)}"
)


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
    for word in re.finditer(r"\S+", text):
        places += range(*word.span())
        chunks += [len(places)] * len(word[0])
    return Bare(letters_of(text, fold=fold), tuple(places), tuple(chunks))


def letters_of(text: str, *, fold: bool = False) -> str:
    """A text without blanks, quotation marks straight; `fold`: small letters where the small
    letter is one letter too."""
    found = "".join(text.split()).translate(QUOTES)
    if fold:
        smalls = (letter.lower() for letter in found)
        found = "".join(s if len(s) == 1 else c for c, s in zip(found, smalls, strict=True))
    return found


def spelt(token: str) -> str:
    """The letters of a text that a token stands for: without the signs of subwords (`Ġ`, `▁`,
    `##`, `@@`, `</w>`), the Penn Treebank's and Moses's spellings undone."""
    core = SENTINEL.sub("", token)
    moses = MOSES.fullmatch(core)
    return letters_of(moses[1] if moses else SPELLINGS.get(core, core))


def laid(units: Sequence[Unit], text: Bare, *, whole: bool) -> tuple[Span, ...] | None:
    """For each unit from the first on the letters it stands for, half-open; `None` where the units
    are not the text.

    `whole`: the text is all units, not only the first of them. If not, the last span reaches over
    the end of a text that ends within a unit.
    """
    if not text.letters and not whole:
        return ()
    waiting: list[tuple[int, int, Any]] = [(0, 0, None)]  # (unit, letter, the spans before it)
    tried: set[Span] = set()
    while waiting:
        index, start, before = waiting.pop()
        if index and start >= len(text.letters) and (not whole or index == len(units)):
            spans = []
            while before is not None:
                before, span = before
                spans.append(span)
            return tuple(reversed(spans))
        if index == len(units) or (index, start) in tried:
            continue
        tried.add((index, start))
        letters, ends = units[index].letters, list[int]()  # where the unit can end, best first
        if letters is not None:
            found = text.letters[start : start + len(letters)]
            if found == letters or (not whole and found and letters.startswith(found)):
                ends = [start + len(letters)]
        elif start < len(text.letters):
            last = text.chunks[start]
            words = map(len, penn(text.letters[start:last]))
            best = list(accumulate(words, initial=start))[1:]
            ends = list(dict.fromkeys([*best, *range(last, start, -1)]))
        waiting += [(index + 1, end, (before, (start, end))) for end in reversed(ends)]
    return None


@dataclass(frozen=True, slots=True)
class How:
    """What a spec can say of a table."""

    base: str = "2"  # of the logarithm, one of BASES
    metric: str = "sum"  # the value to take of an evaluated region, one of METRICS
    suite: str = ""  # the suite, or the folder of suites, with the texts of a table of totals


def read_lines(path: Path, how: How) -> tuple[tuple[Line, ...], str]:
    """The sentences of a table, and the name of its model where it says one, else "".

    Raises `InputError` for a file of another kind, with the line of a number that is none or that
    no surprisal can be, and for a table of totals without its suite.
    """
    header = next((line for _, line in lines(path)), "").strip()
    if header.startswith("{"):
        return _evaluated(path, how)
    if all(column in header.split("\t") for column in TOKENS):
        return tuple(_tokens(path, how)), ""
    if all(column in header.replace('"', "").split(",") for column in TOTALS):
        return tuple(_totals(path, how)), ""
    raise InputError(str(path), "no table of surprisals", RIGHT, kind="format")


def _tokens(path: Path, how: How) -> Iterator[Line]:
    """Signs in a sentence are left out; the numbers of those behind its last token are its end."""
    seen: set[str] = set()
    cells = ((place, line.rstrip("\r\n").split("\t")) for place, line in lines(path))
    _, header = next(cells)  # quotation marks are tokens like others
    found = []
    for place, row in cells:
        if len(row) != len(header):
            right = f"{len(header)}, as in the header"
            raise InputError(place, f"{len(row)} cells", right, kind="format")
        found.append((place, dict(zip(header, row, strict=True))))
    for identity, rows in groupby(found, key=lambda row: row[1]["sentence_id"]):
        own = list(rows)
        place = f"{path}: sentence {identity}"
        if identity in seen:
            wrong, right = f"sentence {identity!r} comes twice", "its tokens together"
            raise InputError(own[0][0], wrong, right, kind="conflict")
        seen.add(identity)
        if [row["token_id"] for _, row in own] != [str(n) for n in range(1, len(own) + 1)]:
            wrong = "its token_id do not count its tokens from 1"
            raise InputError(place, wrong, "1, 2, 3, …", kind="format")
        units = [
            Unit(token, None if oov else spelt(token), _bits(row["surprisal"], how, at), oov)
            for at, row in own
            for token in (row["token"],)
            for oov in (token.lower() in UNKNOWN,)
        ]
        signs = [unit.shown.lower() in SIGNS for unit in units]
        behind = len(units) - [*reversed(signs), False].index(False)
        yield Line(
            place,
            tuple(unit for unit, is_sign in zip(units, signs, strict=True) if not is_sign),
            _total_of([u.bits for u in units[behind:] if u.shown.lower() in ENDING]),
        )


def _total_of(bits: Sequence[float | None]) -> float | None:
    """The sum; `None` of nothing, and where a number is missing."""
    known = [number for number in bits if number is not None]
    return math.fsum(known) if known and len(known) == len(bits) else None


def _evaluated(path: Path, how: How) -> tuple[tuple[Line, ...], str]:
    document = document_of(path)
    found = []
    for item in listed(document, "items", str(path)):
        number = get(item, "item_number", int, str(path))
        for condition in listed(item, "conditions", f"{path}: item {number}"):
            place = f"{path}: item {number}: {text(condition, 'condition_name', str(path))}"
            units = []
            for region in listed(condition, "regions", place):
                content, told = squeezed(text(region, "content", place)), evaluation(region, place)
                values = told.get(VALUES, {})
                if how.metric not in values:
                    known = [name for name in METRICS if name in values]
                    wrong = f"a region without the {how.metric!r} of its surprisals"
                    right = f"?metric={known[0]}" if known else "an evaluated suite"
                    raise InputError(place, wrong, right, kind="missing")
                value = values[how.metric]
                bits = None if value is None else _bits(str(value), how, place)
                units.append(Unit(content, letters_of(content), bits, bool(told.get(OOVS))))
            found.append(_regions(place, units))
    return tuple(found), str(get(document, "meta", dict, str(path)).get("model", ""))


def _regions(place: str, units: Sequence[Unit]) -> Line:
    """Regions without text have no number, but for the last ones: what they have is the end of the
    sentence, which syntaxgym-core may leave there."""
    last = max((n for n, unit in enumerate(units) if unit.letters), default=-1)
    end = _total_of([unit.bits for unit in units[last + 1 :] if unit.bits])
    return Line(place, tuple(unit for unit in units if unit.letters), end)


def _totals(path: Path, how: How) -> Iterator[Line]:
    """Rows may come in any order; a region without a row has no number."""
    if not how.suite:
        right = f"table:{path}?suite= and their suite"
        raise InputError(str(path), "it has no texts", right, kind="empty")
    rows: dict[tuple[str, str, str], list[tuple[str, str, str]]] = {}
    for place, row in table(path, ",", TOTALS):
        suite, number, condition, region, value = (row[name] for name in TOTALS)
        rows.setdefault((suite, number, condition), []).append((place, region, value))
    suites = {suite: _wordings(suite, Path(how.suite)) for suite, _, _ in rows}
    if rows and not any(suites.values()):
        right = f"?suite= and {nearest(Path(how.suite).stem, suites)}"
        raise InputError(str(path), f"none of its suites is {how.suite}", right, kind="unknown")
    for (suite, number, condition), own in rows.items():
        wordings = suites[suite]
        if wordings is None:
            continue  # of another suite than the one that was named
        place = f"{path}: {suite}: item {number}: {condition}"
        if (number, condition) not in wordings:
            wrong = "its suite has no such item"
            raise InputError(place, wrong, "the items of the suite", kind="missing")
        regions = {each.region: squeezed(each.text) for each in wordings[number, condition]}
        bits: dict[str, float | None] = {}
        for at, name, value in own:
            if name not in regions or name in bits:
                wrong = f"region {name!r} comes twice" if name in bits else f"no region {name!r}"
                raise InputError(at, wrong, f"each of {', '.join(regions)} once", kind="conflict")
            bits[name] = _bits(value, how, at)
        units = [Unit(each, letters_of(each), bits.get(name)) for name, each in regions.items()]
        yield _regions(place, units)


def _wordings(name: str, where: Path) -> dict[tuple[str, str], Wording] | None:
    """The sentences of the suite of a name, by item number and condition: a file of that name in a
    folder, or the file itself; `None` where it has another name."""
    path: Path | None = where
    if where.is_dir():
        named = (each for each in sorted(where.iterdir()) if each.name.partition(".")[0] == name)
        path = next((each for each in named if each.is_file()), None)
    if path is None:
        wrong, right = f"no suite {name!r} in it", "a folder with that file"
        raise InputError(str(where), wrong, right, kind="empty")
    suite = format_of(path, "").read(path)
    if suite.name != name:
        return None
    return {
        (item.facts.get("item_number", ""), condition): wordings[0]
        for item in suite.items
        for condition, wordings in item.conditions.items()
    }


def _bits(cell: str, how: How, place: str) -> float | None:
    """Raises `InputError` for what is no number, and for one that no surprisal can be."""
    if cell.strip().lower() in NONE:
        return None
    try:
        number = float(cell)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        wrong, right = f"the surprisal is {cell!r:.40}", "a number, or nothing"
        raise InputError(place, wrong, right, kind="format")
    if number < NEGATIVE:
        wrong = f"the surprisal is negative: {cell:.40}"
        right = "surprisals, which are minus the logarithm of a probability"
        raise InputError(place, wrong, right, kind="format")
    return max(0.0, number) * BASES[how.base]
