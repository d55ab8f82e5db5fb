"""UniMorph files: lemma, form and bundle in three columns; and the other forms of a word in them.

Files have up to millions of rows, so they are kept small: bundles are numbered, the forms of a
lemma are one string, and lemmas that inflect alike share the *shape* of their paradigm, which says
for each row which form of the lemma it has and which bundle.

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
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby, product
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias
from zlib import crc32

from ....data.errors import InputError
from ....data.files import numbered_lines
from ....data.items.features import CACHED, parse_feats, value_of, with_value
from .feature_bundle import (
    HERE,
    POSITIVE,
    Bundle,
    BundleReading,
    bundle_of,
    compatible,
    holds,
    listed_readings,
    merged,
    parse_bundle,
    readings,
    readings_of,
    unimorph_value,
    without,
)

NO_COUNTERPART = "no counterpart"  # of the old or the new value in UniMorph; or the word has none
NO_LEMMA = "no lemma"  # neither the lemma nor the form is listed
NO_FORM = "no form"  # the lemma is listed, the form is not
NO_FIT = "no fitting bundle"  # the form is listed, but not with what UD says of it
NO_VALUE = "no bundle of the value"  # nothing compatible in the paradigm has the new value
SAME_FORM = "same form"  # one form has both values
SYNCRETIC = "syncretic"  # the form with the new value can have the old one, too
MULTIWORD = "multiword"  # the form with the new value has a blank
NO_COUNTS: Mapping[str, int] = MappingProxyType({})
N_COLUMNS = (3, 4)  # the fourth, of newer files, segments the form; it is not used
SHIFT = 32  # bits for the number of a lemma beside the 32 of a form's checksum

ParadigmShape: TypeAlias = tuple[int, ...]
"""Index of a form and number of a bundle, in turn, for each row of a lemma."""


@dataclass(frozen=True, slots=True)
class Conventions:
    """What UniMorph and UD write differently in one language (`languages.toml`)."""

    dropped: frozenset[str]  # characters UD does not write
    assumed: tuple[Mapping[str, str], ...]  # values that UD leaves out and UniMorph states
    also: tuple[tuple[Bundle, tuple[Bundle, ...], frozenset[str]], ...]
    """Bundles that stand for others too, since the language has one form for them all; and the
    lemmas of which that is not true."""

    def bare(self, text: str) -> str:
        """A word without the dropped characters, wherever they are part of a composed letter; as it
        is if nothing would be left."""
        if not self.dropped:
            return text
        letters = unicodedata.normalize("NFD", text)
        remaining = "".join(letter for letter in letters if letter not in self.dropped)
        return unicodedata.normalize("NFC", remaining) or text

    def completed(self, upos: str, feats: str) -> str:
        """FEATS with what the language's assumptions add."""
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
    """Those of a language by BCP-47 code (`en-GB` is looked up as `en`); none for most."""
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
            (
                parse_bundle(rule["bundle"]),
                tuple(map(parse_bundle, rule["reads"])),
                frozenset(rule["except"]),
            )
            for rule in entry.get("also", [])
        ),
    )


@dataclass(frozen=True)
class UniMorph:
    """A UniMorph word list of one language, in the order of its file.

    Attributes:
        bundles: the distinct bundles, numbered by their place.
        paradigms: lemma → its distinct forms, joined by tabs, and the shape of its paradigm.
        conventions: what UniMorph and UD write differently in the language.
        n_rows: rows of the file; those that the conventions add are not counted.
    """

    bundles: tuple[Bundle, ...]
    paradigms: Mapping[str, tuple[str, ParadigmShape]]
    conventions: Conventions
    n_rows: int

    def paradigm(self, lemma: str) -> tuple[tuple[str, Bundle], ...]:
        """(form, bundle) for each row of a lemma; empty if it is not listed."""
        joined, shape = self.paradigms.get(lemma, ("", ()))
        forms = joined.split("\t")
        return tuple(
            (forms[form], self.bundles[bundle])
            for form, bundle in zip(shape[::2], shape[1::2], strict=True)
        )

    def rows(self) -> Iterator[tuple[str, str, Bundle]]:
        """(lemma, form, bundle), lemma by lemma as each was first seen."""
        for lemma in self.paradigms:
            for form, bundle in self.paradigm(lemma):
                yield lemma, form, bundle

    def lemmas_of(self, form: str) -> tuple[str, ...]:
        """Lemmas that have a form, in the order of the file."""
        lower = crc32(form.encode()) << SHIFT
        upper = lower | (1 << SHIFT) - 1
        index = self._by_form
        positions = range(bisect_left(index, lower), bisect_right(index, upper))
        lemmas = dict.fromkeys(self._lemmas[index[position] ^ lower] for position in positions)
        # checksums can collide
        return tuple(lemma for lemma in lemmas if form in self.paradigms[lemma][0].split("\t"))

    @cached_property
    def _lemmas(self) -> tuple[str, ...]:
        return tuple(self.paradigms)

    @cached_property
    def _by_form(self) -> "array[int]":
        """Checksum of a form and number of its lemma in one number, sorted: eight bytes for each
        pair, where a dictionary of the forms takes some hundred and fifty."""
        numbers = array("Q")
        for number, (forms, _) in enumerate(self.paradigms.values()):
            numbers.extend(crc32(form.encode()) << SHIFT | number for form in forms.split("\t"))
        return array("Q", sorted(numbers))


def read_unimorph(path: Path, *, language: str = "") -> UniMorph:
    """Reads a UniMorph file; blank lines are passed over.

    Args:
        path: the file, packed or not: lemma, form, bundle (and segmentation) separated by tabs.
        language: BCP-47 code, which brings in what `languages.toml` says of it (characters to drop,
            bundles that stand for others); "": nothing.

    Returns:
        The word list.

    Raises:
        InputError: with the line, for another number of columns, an empty cell or a bundle that
            cannot be read; or there is no row.

    >>> _ = Path("en.tsv").write_text("go\\tgoes\\tV;PRS;3;SG\\ngo\\twent\\tV;PST\\n")
    >>> words = read_unimorph(Path("en.tsv"), language="en")
    >>> words.lemmas_of("went"), words.n_rows
    (('go',), 2)
    """
    rules = conventions(language)
    bundles: dict[Bundle, int] = {}
    as_written: dict[str, Bundle] = {}  # each text is parsed once
    paradigms: dict[str, tuple[str, ParadigmShape]] = {}
    shapes: dict[ParadigmShape, ParadigmShape] = {}
    n_rows = 0
    # rows are put together lemma by lemma, so that only one lemma is ever held unpacked
    for lemma, group in groupby(_rows(path, rules), itemgetter(0)):
        joined, earlier = paradigms.get(lemma, ("", ()))
        forms = {form: index for index, form in enumerate(joined.split("\t")) if form}
        shape = list(earlier)
        for _, form, text, location in group:
            if text not in as_written:
                try:
                    as_written[text] = parse_bundle(text)
                except ValueError as error:
                    wrong = f"bundle {text!r}: {error}"
                    right = "values separated by ';', as in V;PRS;3;SG"
                    raise InputError(location, wrong, right, kind="format") from None
            bundle = as_written[text]
            read_as = [bundle]
            for listed, additional, exceptions in rules.also:
                read_as += additional if bundle == listed and lemma not in exceptions else ()
            for reading in read_as:
                shape += (
                    forms.setdefault(form, len(forms)),
                    bundles.setdefault(reading, len(bundles)),
                )
            n_rows += 1
        packed = tuple(shape)
        paradigms[lemma] = "\t".join(forms), shapes.setdefault(packed, packed)
    if not n_rows:
        right = "a UniMorph file: lemma, form, bundle"
        raise InputError(str(path), "no row in it", right, kind="empty")
    return UniMorph(tuple(bundles), paradigms, rules, n_rows)


def word_list_of(path: Path | None, language: str) -> UniMorph | None:
    """Return the UniMorph list of a file; none without a file."""
    return None if path is None else read_unimorph(path, language=language)


def _rows(path: Path, rules: Conventions) -> Iterator[tuple[str, str, str, str]]:
    """Lemma and form without dropped characters, the bundle as written, and `file:line`."""
    right = "lemma, form and bundle, separated by tabs"
    for number, line in numbered_lines(path):
        if not line or line.isspace():
            continue
        location, cells = f"{path}:{number}", line.split("\t")
        if len(cells) not in N_COLUMNS:
            columns = "1 column" if len(cells) == 1 else f"{len(cells)} columns"
            raise InputError(location, columns, right, kind="format")
        for name, cell in zip(("lemma", "form", "bundle"), cells, strict=False):
            if not cell.strip():
                raise InputError(location, f"the {name} is empty", right, kind="format")
        yield rules.bare(cells[0].strip()), rules.bare(cells[1].strip()), cells[2], location


class Source(NamedTuple):
    """One thing that a word can be."""

    lemma: str  # as listed
    row: BundleReading  # what UniMorph says of it
    joint: BundleReading  # what UniMorph and UD say together


@dataclass(frozen=True, slots=True)
class Alternates:
    """The forms of a word with another value; or why there are none.

    Attributes:
        forms: the forms, best first.
        reason: why there is none: `NO_LEMMA` and the like; "" if there are forms.
    """

    forms: tuple[str, ...]
    reason: str


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
) -> Alternates:
    """Finds the forms of a word with another value of a feature, and else with what it has.

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
        file. If none is left, what was wrong with the best.

    >>> _ = Path("en.tsv").write_text("leaf\\tleaf\\tN;SG\\nleaf\\tleaves\\tN;PL\\n")
    >>> words = read_unimorph(Path("en.tsv"))
    >>> alternates(words, "Leaf", "leaf", "NOUN", "Number=Sing", "Number", "Plur").forms
    ('Leaves',)
    """
    old = unimorph_value(feature, value_of(feats, feature) or "")
    new = unimorph_value(feature, value)
    if old is None or new is None:
        return Alternates((), NO_COUNTERPART)
    ud_readings = _ud_readings(upos, unimorph.conventions.completed(upos, feats))
    listed, sources, reason = _look_up(unimorph, form, lemma, ud_readings)
    faults: list[str] = []
    forms: list[str] = []
    for of_lemma, alternate in _candidates(unimorph, sources, old, new, counts):
        if alternate == listed:
            faults.append(SAME_FORM)
        elif any(map(str.isspace, alternate)):
            faults.append(MULTIWORD)
        elif any(
            compatible(reading, source.joint)
            for spelled, bundle in unimorph.paradigm(of_lemma)
            if spelled == alternate
            for reading in listed_readings(bundle)
            for source in sources
            if source.lemma == of_lemma
        ):
            faults.append(SYNCRETIC)
        elif form[:1].isupper() and form[:1] != listed[:1]:  # a capital the listed form lacks
            capitals = len(form) > 1 and form.isupper()
            forms.append(alternate.upper() if capitals else alternate[:1].upper() + alternate[1:])
        else:
            forms.append(alternate)
    distinct = tuple(dict.fromkeys(candidate for candidate in forms if candidate != form))
    if distinct:
        return Alternates(distinct, "")
    return Alternates((), reason or next(iter(faults), SAME_FORM if forms else NO_VALUE))


@lru_cache(maxsize=CACHED)
def _ud_readings(upos: str, feats: str) -> tuple[BundleReading, ...]:
    """What UD says of a word, in UniMorph's terms."""
    ud_readings = readings(bundle_of(upos, feats))
    if value_of(feats, "Degree") == "Pos":
        return tuple(merged(reading, POSITIVE) for reading in ud_readings)
    return ud_readings


def _look_up(
    unimorph: UniMorph, form: str, lemma: str, ud_readings: Sequence[BundleReading]
) -> tuple[str, list[Source], str]:
    """The form as listed and what it can be: the listed bundles that fit what UD states, of these
    the ones that share most with it; if there are none, the reason."""
    bare = unimorph.conventions.bare
    lemma = bare(lemma)
    reason = NO_FORM if lemma in unimorph.paradigms else NO_LEMMA
    for any_lemma, spelled in product(
        (False, True), dict.fromkeys((bare(form), bare(form.lower())))
    ):
        listed = [
            (candidate, bundle)
            for candidate in (unimorph.lemmas_of(spelled) if any_lemma else (lemma,))
            for listed_form, bundle in unimorph.paradigm(candidate)
            if listed_form == spelled
        ]
        fitting = [
            (_shared(row, word), Source(candidate, row, merged(row, word)))
            for candidate, bundle in listed
            for row in listed_readings(bundle)
            for word in ud_readings
            if compatible(row, word)
        ]
        if fitting:
            max_shared = max(shared for shared, _ in fitting)
            return spelled, [source for shared, source in fitting if shared == max_shared], ""
        reason = NO_FIT if listed else reason
    return form, [], reason


def _candidates(
    unimorph: UniMorph, sources: Sequence[Source], old: str, new: str, counts: Mapping[str, int]
) -> list[tuple[str, str]]:
    """(lemma, form) of the maximal compatible bundles of each source, best first."""
    targets = readings_of(new)
    freed = {of for reading in (*targets, *readings_of(old)) for of in reading}
    # smaller is better: −values shared, values added, −count, place of the lemma, of the row
    ranks: dict[tuple[str, str], tuple[int, ...]] = {}
    order = {lemma: number for number, lemma in enumerate(dict.fromkeys(x.lemma for x in sources))}
    for source in sources:
        joint, row = without(source.joint, freed), without(source.row, freed)
        graded: list[tuple[tuple[int, int], int, str]] = []
        for index, (form, bundle) in enumerate(unimorph.paradigm(source.lemma)):
            for reading in listed_readings(bundle):
                if compatible(reading, joint) and any(holds(reading, sought) for sought in targets):
                    core = without(reading, freed)
                    shared = _shared(core, row)
                    graded.append(((-shared, sum(map(len, core.values())) - shared), index, form))
        best = min((grade for grade, _, _ in graded), default=(0, 0))
        for grade, index, form in graded:
            if grade == best:
                key = (source.lemma, form)
                rank = (*grade, -counts.get(form, 0), order[source.lemma], index)
                ranks[key] = min(rank, ranks.get(key, rank))
    return sorted(ranks, key=lambda key: ranks[key])


def _shared(reading: BundleReading, other_reading: BundleReading) -> int:
    """How many values two readings have in common."""
    return sum(len(reading[of] & other_reading[of]) for of in reading.keys() & other_reading.keys())
