"""UniMorph files: lemma, form and bundle in three columns; and the other forms of a word in them.

A *bundle* is a row's list of feature values (V;PRS;3;SG). Files have up to millions of rows, so
the rows of a lemma stay text as they are in the file.

An *alternate* is a form of the same word with another value of a feature. To find it, exchanging
the value in the bundle is not enough, since the rows of two values often differ in more: Dutch
singulars state person (V;IND;PST;3;SG), plurals do not (V;IND;PST;PL), so that only a quarter of
the singular bundles has an exact partner. We look for the *maximal compatible bundle*: it has the
new value, contradicts nothing else that is known of the word, and shares as many values with it as
possible. A form that can also have the old value is no alternate, since it would be both right and
wrong (so too Jumelet et al. 2025, MultiBLiMP 1.0, who exchange the value).
"""

import tomllib
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby, product
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import polars as pl

from ...data.errors import InputError
from ...data.files import numbered_lines
from ...data.items.features import CACHE_SIZE, parse_feats, value_of, with_value
from .feature_bundle import (
    POSITIVE,
    UNIMORPH_FOLDER,
    BundleReading,
    bundle_of,
    compatible,
    dimensions,
    listed_readings,
    readings,
    readings_of_value,
    unimorph_value,
)

NO_COUNTS: Mapping[str, int] = MappingProxyType({})
POSSIBLE_N_COLUMNS = (3, 4)  # newer files segment the form in a fourth column, which is not used
MAX_BUNDLE_LENGTH = 256  # characters; real ones stay below 100, but nested brackets need a bound


@dataclass(frozen=True, slots=True)
class Conventions:
    """The differences between UniMorph and UD in one language (`languages.toml`)."""

    dropped: frozenset[str]  # characters that UniMorph writes and UD does not
    assumed: tuple[Mapping[str, str], ...]  # values that UniMorph states and UD leaves out
    shared: Mapping[frozenset[str], Mapping[str, Sequence[str]]]
    """Values of a bundle → the bundles that a form listed with it has too (`reads`), and the lemmas
    of which this is not true (`except`)."""

    def bare(self, text: str) -> str:
        """Return a word without the dropped characters, also where one is a mark on a letter; the
        word itself if nothing would be left."""
        if not self.dropped:
            return text
        letters = unicodedata.normalize("NFD", text)
        remaining = "".join(letter for letter in letters if letter not in self.dropped)
        return unicodedata.normalize("NFC", remaining) or text

    def completed(self, upos: str, feats: str) -> str:
        """Return a word's FEATS with the values that UD leaves out in this language.

        A word of the POS `upos` that lacks the feature `without` (and, if there is the key, has the
        FEATS in `having`) gets the value in `then`.
        """
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
    """Return the conventions of a language by BCP-47 code (`en-GB` is looked up as `en`)."""
    table = tomllib.loads((UNIMORPH_FOLDER / "languages.toml").read_text(encoding="utf-8"))
    code, _, _ = language.lower().partition("-")
    entry: dict[str, Any] = table.get(code, {})
    dropped: set[str] = set()
    for code_points in entry.get("drop", []):  # `0640`, or `064B-0652` with both ends, hexadecimal
        first, _, last = code_points.partition("-")
        dropped.update(map(chr, range(int(first, 16), int(last or first, 16) + 1)))
    shared = {frozenset(rule["bundle"].split(";")): rule for rule in entry.get("also", [])}
    return Conventions(frozenset(dropped), tuple(entry.get("assume", [])), shared)


@dataclass(frozen=True)
class UniMorph:
    """A UniMorph word list of one language.

    Attributes:
        paradigms: lemma → its rows in file order as one text (form, tab, bundle), with the rows
            that the conventions add.
        conventions: the differences between UniMorph and UD in the language.
    """

    paradigms: Mapping[str, str]
    conventions: Conventions

    def paradigm(self, lemma: str) -> list[tuple[str, str]]:
        """Return (form, bundle) for each row of a lemma; an empty list if it is not listed."""
        rows = (line.partition("\t") for line in self.paradigms.get(lemma, "").split("\n") if line)
        return [(form, bundle) for form, _, bundle in rows]

    def lemmas_of(self, form: str) -> list[str]:
        """Return the lemmas whose rows list this form, in the order of the file; [] for none."""
        lemmas, forms = self._by_form["lemma"], self._by_form["form"]
        return lemmas[bisect_left(forms, form) : bisect_right(forms, form)].to_list()

    @cached_property
    def _by_form(self) -> pl.DataFrame:
        """The forms with their lemmas, each pair once, sorted by form; the lemmas of a form are in
        the order of the file. A pair takes about forty bytes here, four times as many in a
        dictionary."""
        table = pl.DataFrame({"lemma": [*self.paradigms], "rows": [*self.paradigms.values()]})
        forms = pl.col("rows").str.extract_all(r"(?m)^[^\t]+")  # the beginnings of the rows
        pairs = table.select("lemma", form=forms).explode("form").unique(maintain_order=True)
        return pairs.sort("form", maintain_order=True)


def read_unimorph(path: Path, *, language: str = "") -> UniMorph:
    """Read a UniMorph file, skipping blank lines.

    Args:
        path: the file, packed or not: lemma, form, bundle (and segmentation) separated by tabs.
        language: BCP-47 code, to apply the conventions in `languages.toml` (characters to drop,
            bundles that imply others); "": apply none.

    Returns:
        The word list.

    Raises:
        InputError: a line has not three or four columns, or an empty column, or an unreadable
            bundle; or the file has no row.

    >>> _ = Path("en.tsv").write_text("go\\tgoes\\tV;PRS;3;SG\\ngo\\twent\\tV;PST\\n")
    >>> words = read_unimorph(Path("en.tsv"), language="en")
    >>> words.lemmas_of("went"), words.paradigm("go")[0]
    (['go'], ('goes', 'V;PRS;3;SG'))
    """
    language_conventions = conventions(language)
    shared = language_conventions.shared
    paradigms: dict[str, str] = {}
    for lemma, rows in groupby(_checked_rows(path, language_conventions), itemgetter(0)):
        lines: list[str] = []
        for _, form, bundle in rows:
            lines.append(f"{form}\t{bundle}\n")
            rule = shared.get(frozenset(bundle.split(";"))) if shared else None
            if rule and lemma not in rule["except"]:
                lines += [f"{form}\t{other}\n" for other in rule["reads"]]
        paradigms[lemma] = paradigms.get(lemma, "") + "".join(lines)  # its rows may be scattered
    if not paradigms:
        right = "a UniMorph file: lemma, form, bundle"
        raise InputError(str(path), "no row in it", right, kind="empty")
    return UniMorph(paradigms, language_conventions)


def word_list_of(path: Path | None, language: str) -> UniMorph | None:
    """Read a file as a UniMorph word list; return `None` if there is no file."""
    return None if path is None else read_unimorph(path, language=language)


def _checked_rows(path: Path, language_conventions: Conventions) -> Iterator[tuple[str, str, str]]:
    """Yield (lemma, form, bundle) for each row of a file, after checking it; lemma and form lose
    the characters that the language drops."""
    right = "lemma, form and bundle, separated by tabs"
    for number, line in numbered_lines(path):
        if not line or line.isspace():
            continue
        location, cells = f"{path}:{number}", [cell.strip() for cell in line.split("\t")]
        if len(cells) not in POSSIBLE_N_COLUMNS or not all(cells[:3]):
            wrong = f"the line is {line.rstrip()!r:.60}"
            raise InputError(location, wrong, right, kind="format")
        lemma, form, bundle = cells[:3]
        try:
            if len(bundle) > MAX_BUNDLE_LENGTH:
                raise ValueError(f"more than {MAX_BUNDLE_LENGTH} characters")
            readings(bundle)  # raises an error for a bundle that cannot be read
        except ValueError as error:
            wrong = f"bundle {bundle!r}: {error}"
            right = "values separated by ';', as in V;PRS;3;SG"
            raise InputError(location, wrong, right, kind="format") from None
        bare = language_conventions.bare
        yield bare(lemma), bare(form), bundle


class ListedRow(NamedTuple):
    """A row of the word list that may describe the word whose alternates are sought."""

    lemma: str  # as listed
    row: BundleReading  # a reading of the row's bundle
    joint: BundleReading  # the same, with what UD says of the word


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
    """Return the forms of a word that differ from it in the value of one feature.

    They are the forms of the maximal compatible bundles (see the top of this module).

    1. Look the word up by lemma and form, as written and then in lower case; if no such row fits
       its UPOS and FEATS, look it up by the form alone.
    2. In its paradigm, take the bundles that have the new value and contradict nothing known of the
       word: those that share most values with its own, and of these the ones that add fewest.
    3. Leave out the word's own form, forms that can also have the old value, and forms with a
       blank. If the word has a capital that its listed form lacks, capitalize the alternates.

    If the list says less than UD (some lists have adjectives without gender), `counts` decide.

    Args:
        unimorph: the word list.
        form: the word's form.
        lemma: its lemma.
        upos: its part of speech.
        feats: its FEATS, as UD has them.
        feature: the feature that changes, as UD names it.
        value: its new value, as UD names it.
        counts: form as listed → how often it was seen with the FEATS that the alternate needs.

    Returns:
        The forms, best first: most values shared, fewest added, most frequent by `counts`, first
        in the file.

    >>> _ = Path("en.tsv").write_text("leaf\\tleaf\\tN;SG\\nleaf\\tleaves\\tN;PL\\n")
    >>> words = read_unimorph(Path("en.tsv"))
    >>> alternates(words, "Leaf", "leaf", "NOUN", "Number=Sing", "Number", "Plur")
    ('Leaves',)
    """
    old = unimorph_value(feature, value_of(feats, feature) or "")
    new = unimorph_value(feature, value)
    if old is None or new is None:
        return ()
    ud_readings = _unimorph_readings(upos, unimorph.conventions.completed(upos, feats))
    listed, matches = _matching_rows(unimorph, form, lemma, ud_readings)
    forms: list[str] = []
    for listed_lemma, alternate in _ranked_alternates(unimorph, matches, old, new, counts):
        can_be_the_word = any(  # its own form, or one that can have the old value too
            compatible(reading, match.joint)
            for listed_form, bundle in unimorph.paradigm(listed_lemma)
            if listed_form == alternate
            for reading in listed_readings(bundle)
            for match in matches
            if match.lemma == listed_lemma
        )
        if can_be_the_word or any(map(str.isspace, alternate)):
            continue
        if form[:1].isupper() and form[:1] != listed[:1]:  # a capital the listed form lacks
            is_in_capitals = len(form) > 1 and form.isupper()
            capitalized = alternate[:1].upper() + alternate[1:]
            alternate = alternate.upper() if is_in_capitals else capitalized
        forms.append(alternate)
    return tuple(dict.fromkeys(candidate for candidate in forms if candidate != form))


@lru_cache(maxsize=CACHE_SIZE)
def _unimorph_readings(upos: str, feats: str) -> tuple[BundleReading, ...]:
    """Translate a UPOS and FEATS into all the UniMorph readings that they allow."""
    ud_readings = readings(bundle_of(upos, feats))
    if value_of(feats, "Degree") == "Pos":
        return tuple(reading | POSITIVE for reading in ud_readings)
    return ud_readings


def _matching_rows(
    unimorph: UniMorph, form: str, lemma: str, ud_readings: Sequence[BundleReading]
) -> tuple[str, list[ListedRow]]:
    """Look a word up in the list; return its form as listed, and the rows that may describe it.

    These rows contradict none of `ud_readings`, the readings of the word's UPOS and FEATS, and
    share the most values with them. If no row fits, return the form as it is and an empty list.
    """
    bare = unimorph.conventions.bare
    spellings = dict.fromkeys((bare(form), bare(form.lower())))
    for any_lemma, spelling in product((False, True), spellings):  # first by its own lemma
        fitting = [
            (len(row & word), ListedRow(listed_lemma, row, row | word))
            for listed_lemma in (unimorph.lemmas_of(spelling) if any_lemma else (bare(lemma),))
            for listed_form, bundle in unimorph.paradigm(listed_lemma)
            if listed_form == spelling
            for row in listed_readings(bundle)
            for word in ud_readings
            if compatible(row, word)
        ]
        if fitting:
            max_shared = max(shared for shared, _ in fitting)
            return spelling, [match for shared, match in fitting if shared == max_shared]
    return form, []


def _ranked_alternates(
    unimorph: UniMorph, matches: Sequence[ListedRow], old: str, new: str, counts: Mapping[str, int]
) -> list[tuple[str, str]]:
    """Return candidates (lemma, form) for a word's form with the other value, best first.

    From the paradigm of each row that lists the word, take the forms with the value `new` whose
    other features do not contradict the word's, and of these the ones that share most features
    with the row and add fewest. Ties go to the form that is more frequent in the treebank, then to
    the earlier lemma and row.

    Args:
        unimorph: the list.
        matches: its rows that list the word. `row` is what the row says of the word, `joint` that
            and the word's FEATS together.
        old: the value that the word has of the feature that changes, in UniMorph's terms.
        new: the value that the candidates have.
        counts: form → its frequency.
    """
    new_readings = readings_of_value(new)
    both_values = (*new_readings, *readings_of_value(old))
    changing = {dimension for reading in both_values for dimension in dimensions(reading)}

    def unchanged(reading: BundleReading) -> BundleReading:
        """Return a reading without the dimensions that change."""
        return frozenset((name, each) for name, each in reading if name not in changing)

    # smaller is better: −values shared, values added, −count, position of the lemma, of the row
    ranks: dict[tuple[str, str], tuple[int, ...]] = {}
    lemmas = list(dict.fromkeys(match.lemma for match in matches))
    for match in matches:
        joint, row = unchanged(match.joint), unchanged(match.row)
        candidates: list[tuple[tuple[int, int], int, str]] = []  # likeness, row, form
        for index, (form, bundle) in enumerate(unimorph.paradigm(match.lemma)):
            for reading in listed_readings(bundle):
                has_value = any(value <= reading for value in new_readings)
                if has_value and compatible(reading, joint):
                    other = unchanged(reading)
                    candidates.append(((-len(other & row), len(other - row)), index, form))
        most_alike = min((likeness for likeness, _, _ in candidates), default=(0, 0))
        for likeness, index, form in candidates:
            if likeness == most_alike:
                candidate = (match.lemma, form)
                rank = (*likeness, -counts.get(form, 0), lemmas.index(match.lemma), index)
                ranks[candidate] = min(rank, ranks.get(candidate, rank))
    return sorted(ranks, key=lambda candidate: ranks[candidate])
