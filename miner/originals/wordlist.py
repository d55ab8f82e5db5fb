"""UniMorph files: lemma, form and bundle in three columns; and the other forms of a word in them.

Files have up to millions of rows, so the rows of a lemma stay the text that they are in the file.

For a form with another value of a feature, exchanging the value in the bundle is not enough, since
the rows of two values seldom differ in it alone: Dutch singulars state person (V;IND;PST;3;SG),
plurals do not (V;IND;PST;PL), so that only a quarter of the singular bundles has an exact partner.
What is looked for is the *maximal compatible bundle*: one that has the new value, contradicts
nothing else that is known of the word, and shares as much with it as can be had. A form that can
also carry the old value is no alternate, since it would be right and wrong (so too Jumelet et al.
2025, MultiBLiMP 1.0, who exchange the value).
"""

import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby, product
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ...data.errors import InputError
from ...data.files import numbered_lines
from ...data.items.features import CACHED, parse_feats, value_of, with_value
from .feature_bundle import (
    HERE,
    POSITIVE,
    BundleReading,
    bundle_of,
    compatible,
    holds,
    listed_readings,
    merged,
    readings,
    readings_of_value,
    unimorph_value,
    without,
)

NO_COUNTS: Mapping[str, int] = MappingProxyType({})
N_COLUMNS = (3, 4)  # the fourth, of newer files, segments the form; it is not used
LONGEST = 256  # characters of a bundle; real ones stay below 100, nested brackets need a bound
SHIFT = 32  # bits for the number of a lemma beside the 32 of a form's checksum


class SharedBundle(NamedTuple):
    """A bundle whose form has other bundles too, in all lemmas but a few."""

    values: frozenset[str]
    others: tuple[str, ...]
    exceptions: frozenset[str]  # lemmas


@dataclass(frozen=True, slots=True)
class Conventions:
    """The differences between UniMorph and UD in one language (`languages.toml`)."""

    dropped: frozenset[str]  # characters UD does not write
    assumed: tuple[Mapping[str, str], ...]  # values that UD leaves out and UniMorph states
    shared: tuple[SharedBundle, ...]

    def bare(self, text: str) -> str:
        """Return a word without the dropped characters, wherever they are part of a composed
        letter; as it is if nothing would be left."""
        if not self.dropped:
            return text
        letters = unicodedata.normalize("NFD", text)
        remaining = "".join(letter for letter in letters if letter not in self.dropped)
        return unicodedata.normalize("NFC", remaining) or text

    def completed(self, upos: str, feats: str) -> str:
        """Return FEATS with what the language's assumptions add."""
        for assumption in self.assumed:
            entries = parse_feats(feats)
            if (
                upos == assumption["upos"]
                and assumption["without"] not in entries
                and parse_feats(assumption.get("having", "_")).items() <= entries.items()
            ):
                name, _, value = assumption["then"].partition("=")
                feats = with_value(feats, name, value)
        return feats


@lru_cache
def conventions(language: str) -> Conventions:
    """Return those of a language by BCP-47 code (`en-GB` is looked up as `en`)."""
    table = tomllib.loads((HERE / "languages.toml").read_text(encoding="utf-8"))
    entry: dict[str, Any] = table.get(language.partition("-")[0].lower(), {})
    ranges = [span.partition("-") for span in entry.get("drop", [])]  # hexadecimal, both ends in
    return Conventions(
        frozenset(
            chr(code)
            for start, _, end in ranges
            for code in range(int(start, 16), int(end or start, 16) + 1)
        ),
        tuple(entry.get("assume", [])),
        tuple(
            SharedBundle(
                frozenset(rule["bundle"].split(";")),
                tuple(rule["reads"]),
                frozenset(rule["except"]),
            )
            for rule in entry.get("also", [])
        ),
    )


@dataclass(frozen=True)
class UniMorph:
    """A UniMorph word list of one language.

    Attributes:
        paradigms: lemma → its rows in the order of the file, as text: form, tab, bundle; those that
            the conventions add among them.
        conventions: what UniMorph and UD write differently in the language.
    """

    paradigms: Mapping[str, str]
    conventions: Conventions

    def paradigm(self, lemma: str) -> list[tuple[str, str]]:
        """Return (form, bundle) for each row of a lemma; none if it is not listed."""
        rows = (line.partition("\t") for line in self.paradigms.get(lemma, "").split("\n") if line)
        return [(form, bundle) for form, _, bundle in rows]

    def lemmas_of(self, form: str) -> list[str]:
        """Return the lemmas that have a form, in the order of the file."""
        lower = crc32(form.encode()) << SHIFT
        start, end = np.searchsorted(self._by_form, np.array([lower, lower + (1 << SHIFT)], "u8"))
        lemmas = [self._lemmas[index - lower] for index in self._by_form[start:end].tolist()]
        # checksums can collide
        return [lemma for lemma in lemmas if any(form == row[0] for row in self.paradigm(lemma))]

    @cached_property
    def _lemmas(self) -> tuple[str, ...]:
        return tuple(self.paradigms)

    @cached_property
    def _by_form(self) -> "NDArray[np.uint64]":
        """Checksum of a form and number of its lemma in one number, sorted: eight bytes for each
        pair, where a dictionary of the forms takes some hundred and fifty."""
        numbers = (
            crc32(form.encode()) << SHIFT | number
            for number, lemma in enumerate(self.paradigms)
            for form, _ in self.paradigm(lemma)
        )
        return np.unique(np.fromiter(numbers, np.uint64))


def read_unimorph(path: Path, *, language: str = "") -> UniMorph:
    """Read a UniMorph file; blank lines are passed over.

    Args:
        path: the file, packed or not: lemma, form, bundle (and segmentation) separated by tabs.
        language: BCP-47 code, which brings in what `languages.toml` says of it (characters to drop,
            bundles that stand for others); "": nothing.

    Returns:
        The word list.

    Raises:
        InputError: a line has not three or four columns, or an empty one, or a bundle that cannot
            be read; or there is no row.

    >>> _ = Path("en.tsv").write_text("go\\tgoes\\tV;PRS;3;SG\\ngo\\twent\\tV;PST\\n")
    >>> words = read_unimorph(Path("en.tsv"), language="en")
    >>> words.lemmas_of("went"), words.paradigm("go")[0]
    (['go'], ('goes', 'V;PRS;3;SG'))
    """
    rules = conventions(language)
    paradigms: dict[str, str] = {}
    for lemma, rows in groupby(_rows(path, rules), itemgetter(0)):
        lines: list[str] = []
        for _, form, bundle in rows:
            lines.append(f"{form}\t{bundle}\n")
            for rule in rules.shared:
                if lemma not in rule.exceptions and rule.values == frozenset(bundle.split(";")):
                    lines += [f"{form}\t{other}\n" for other in rule.others]
        paradigms[lemma] = paradigms.get(lemma, "") + "".join(lines)
    if not paradigms:
        right = "a UniMorph file: lemma, form, bundle"
        raise InputError(str(path), "no row in it", right, kind="empty")
    return UniMorph(paradigms, rules)


def word_list_of(path: Path | None, language: str) -> UniMorph | None:
    """Return the UniMorph list of a file; none without a file."""
    return None if path is None else read_unimorph(path, language=language)


def _rows(path: Path, rules: Conventions) -> Iterator[tuple[str, str, str]]:
    """Yield lemma and form without dropped characters, and the bundle as written."""
    right = "lemma, form and bundle, separated by tabs"
    for number, line in numbered_lines(path):
        if not line or line.isspace():
            continue
        location, cells = f"{path}:{number}", [cell.strip() for cell in line.split("\t")]
        if len(cells) not in N_COLUMNS or not all(cells[:3]):
            wrong = f"the line is {line.rstrip()!r:.60}"
            raise InputError(location, wrong, right, kind="format")
        lemma, form, bundle = cells[:3]
        try:
            if len(bundle) > LONGEST:
                raise ValueError(f"more than {LONGEST} characters")
            readings(bundle)
        except ValueError as error:
            wrong = f"bundle {bundle!r}: {error}"
            right = "values separated by ';', as in V;PRS;3;SG"
            raise InputError(location, wrong, right, kind="format") from None
        yield rules.bare(lemma), rules.bare(form), bundle


class Source(NamedTuple):
    """A row of the list that a word can be."""

    lemma: str  # as listed
    row: BundleReading  # what UniMorph says of it
    joint: BundleReading  # what UniMorph and UD say together


def alternates(
    unimorph: UniMorph,
    form: str,
    lemma: str,
    upos: str,
    feats: str,
    feature: str,
    value: str,
    *,
    counts: Mapping[str, int] = NO_COUNTS,
) -> tuple[str, ...]:
    """Return the forms of a word with another value of a feature, and else with what it has.

    They are those of the maximal compatible bundles. The word is looked up as (lemma, form), as
    written and then in lower case; where the pair is not listed with a bundle that fits its UPOS
    and FEATS, by the form alone. Of the bundles in its paradigm that have the value and contradict
    nothing known of it those count that share most with its own, and of these the ones that add
    least. Left out are the word's own form, forms that can also have the old value, and forms with
    a blank. A capital that only the word has, not the listed form, is given to its alternates.
    Where a list leaves open what UD states (some have adjectives without gender), `counts` decide.

    Args:
        unimorph: the word list.
        form: the word's form.
        lemma: its lemma.
        upos: its part of speech.
        feats: its FEATS, as UD has them.
        feature: the feature that changes, as UD names it.
        value: the value that is wanted, as UD names it.
        counts: form as listed → how often it was seen with the wanted FEATS.

    Returns:
        The forms, best first: most shared, least added, most frequent by `counts`, first in the
        file.

    >>> _ = Path("en.tsv").write_text("leaf\\tleaf\\tN;SG\\nleaf\\tleaves\\tN;PL\\n")
    >>> words = read_unimorph(Path("en.tsv"))
    >>> alternates(words, "Leaf", "leaf", "NOUN", "Number=Sing", "Number", "Plur")
    ('Leaves',)
    """
    old = unimorph_value(feature, value_of(feats, feature) or "")
    new = unimorph_value(feature, value)
    if old is None or new is None:
        return ()
    ud_readings = _ud_readings(upos, unimorph.conventions.completed(upos, feats))
    listed, sources = _look_up(unimorph, form, lemma, ud_readings)
    forms: list[str] = []
    for of_lemma, alternate in _candidates(unimorph, sources, old, new, counts):
        can_be_the_word = any(  # its own form, or one that can have the old value too
            compatible(reading, source.joint)
            for spelled, bundle in unimorph.paradigm(of_lemma)
            if spelled == alternate
            for reading in listed_readings(bundle)
            for source in sources
            if source.lemma == of_lemma
        )
        if can_be_the_word or any(map(str.isspace, alternate)):
            continue
        if form[:1].isupper() and form[:1] != listed[:1]:  # a capital the listed form lacks
            capitals = len(form) > 1 and form.isupper()
            alternate = alternate.upper() if capitals else alternate[:1].upper() + alternate[1:]
        forms.append(alternate)
    return tuple(dict.fromkeys(candidate for candidate in forms if candidate != form))


@lru_cache(maxsize=CACHED)
def _ud_readings(upos: str, feats: str) -> tuple[BundleReading, ...]:
    """Return what UD says of a word, in UniMorph's terms."""
    ud_readings = readings(bundle_of(upos, feats))
    if value_of(feats, "Degree") == "Pos":
        return tuple(merged(reading, POSITIVE) for reading in ud_readings)
    return ud_readings


def _look_up(
    unimorph: UniMorph, form: str, lemma: str, ud_readings: Sequence[BundleReading]
) -> tuple[str, list[Source]]:
    """Return the form as listed, and the rows it can be: those that fit what UD states, and of
    these the ones that share most with it."""
    bare = unimorph.conventions.bare
    spellings = dict.fromkeys((bare(form), bare(form.lower())))
    for any_lemma, spelled in product((False, True), spellings):
        fitting = [
            (_n_shared(row, word), Source(candidate, row, merged(row, word)))
            for candidate in (unimorph.lemmas_of(spelled) if any_lemma else (bare(lemma),))
            for listed_form, bundle in unimorph.paradigm(candidate)
            if listed_form == spelled
            for row in listed_readings(bundle)
            for word in ud_readings
            if compatible(row, word)
        ]
        if fitting:
            max_shared = max(shared for shared, _ in fitting)
            return spelled, [source for shared, source in fitting if shared == max_shared]
    return form, []


def _candidates(
    unimorph: UniMorph, sources: Sequence[Source], old: str, new: str, counts: Mapping[str, int]
) -> list[tuple[str, str]]:
    """Return (lemma, form) of the maximal compatible bundles of each source, best first."""
    targets = readings_of_value(new)
    changing = {of for reading in (*targets, *readings_of_value(old)) for of in reading}
    # smaller is better: −values shared, values added, −count, position of the lemma, of the row
    ranks: dict[tuple[str, str], tuple[int, ...]] = {}
    order = {lemma: number for number, lemma in enumerate(dict.fromkeys(x.lemma for x in sources))}
    for source in sources:
        joint, row = without(source.joint, changing), without(source.row, changing)
        graded: list[tuple[tuple[int, int], int, str]] = []
        for index, (form, bundle) in enumerate(unimorph.paradigm(source.lemma)):
            for reading in listed_readings(bundle):
                if compatible(reading, joint) and any(holds(reading, target) for target in targets):
                    core = without(reading, changing)
                    shared = _n_shared(core, row)
                    graded.append(((-shared, sum(map(len, core.values())) - shared), index, form))
        best = min((grade for grade, _, _ in graded), default=(0, 0))
        for grade, index, form in graded:
            if grade == best:
                key = (source.lemma, form)
                rank = (*grade, -counts.get(form, 0), order[source.lemma], index)
                ranks[key] = min(rank, ranks.get(key, rank))
    return sorted(ranks, key=lambda key: ranks[key])


def _n_shared(reading: BundleReading, other_reading: BundleReading) -> int:
    """Return how many values two readings have in common."""
    return sum(len(reading[of] & other_reading[of]) for of in reading.keys() & other_reading.keys())
