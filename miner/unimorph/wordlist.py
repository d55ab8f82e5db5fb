"""UniMorph files: lemma, form and bundle in three columns, to be looked up by lemma or by form.

Files have up to millions of rows, so they are kept small: bundles are numbered, the forms of a
lemma are one string, and lemmas that inflect alike share the *shape* of their paradigm, which says
for each row which form of the lemma it has and which bundle.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeAlias
from zlib import crc32

from colorless_green.data.errors import InputError
from colorless_green.data.files import numbered_lines
from colorless_green.miner.unimorph.bundle import Bundle, parse_bundle
from colorless_green.miner.unimorph.languages import Conventions, bare, conventions

Shape: TypeAlias = tuple[int, ...]
"""Index of a form and number of a bundle, in turn, for each row of a lemma."""

N_COLUMNS = (3, 4)  # the fourth, of newer files, segments the form; it is not used
SHIFT = 32  # bits for the number of a lemma beside the 32 of a form's checksum


@dataclass(frozen=True)
class UniMorph:
    """A word list of one language, in the order of its file."""

    bundles: tuple[Bundle, ...]  # distinct, numbered by their place
    paradigms: Mapping[str, tuple[str, Shape]]  # lemma → its distinct forms, joined by tabs; shape
    conventions: Conventions
    n_rows: int  # of the file; rows that a language's conventions add are not counted

    def paradigm(self, lemma: str) -> tuple[tuple[str, Bundle], ...]:
        """(form, bundle) for each row of a lemma; empty if it is not listed."""
        if lemma not in self.paradigms:
            return ()
        joined, shape = self.paradigms[lemma]
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
        sought = crc32(form.encode()) << SHIFT
        last = sought | (1 << SHIFT) - 1
        index = self._by_form
        places = range(bisect_left(index, sought), bisect_right(index, last))
        lemmas = dict.fromkeys(self._lemmas[index[place] ^ sought] for place in places)
        # checksums can collide
        return tuple(each for each in lemmas if form in self.paradigms[each][0].split("\t"))

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
    """The word list of a UniMorph file, `.gz` or not; blank lines are passed over.

    `language` (BCP-47) brings in what `languages.toml` says of it: characters to drop, bundles
    that stand for others. Raises `InputError` with the line for another number of columns than
    three (four with segmentation), an empty cell or a bundle that cannot be read, and for a file
    without any row.
    """
    reader = _Reader(path, conventions(language))
    for number, line in numbered_lines(path):
        if line and not line.isspace():
            reader.add(number, line)
    if not reader.n_rows:
        raise InputError(
            str(path), "no row in it", "a UniMorph file: lemma, form, bundle", kind="empty"
        )
    return reader.result()


class _Reader:
    """Rows put together lemma by lemma, so that only one lemma is ever held unpacked."""

    def __init__(self, path: Path, conventions: Conventions) -> None:
        self.path = path
        self.conventions = conventions
        self.n_rows = 0
        self.numbers: dict[Bundle, int] = {}
        self.as_written: dict[str, tuple[Bundle, int]] = {}  # each text is parsed once
        self.paradigms: dict[str, tuple[str, Shape]] = {}
        self.shapes: dict[Shape, Shape] = {}
        self.lemma = ""
        self.forms: dict[str, int] = {}
        self.shape: list[int] = []

    def add(self, number: int, line: str) -> None:
        """The row on a line, whose number is for messages."""
        lemma, form, text = self._cells(number, line)
        if text not in self.as_written:
            try:
                bundle = parse_bundle(text)
            except ValueError as error:
                wrong = f"bundle {text!r}: {error}"
                right = "values parted by ';', as in V;PRS;3;SG"
                raise InputError(f"{self.path}:{number}", wrong, right, kind="format") from None
            self.as_written[text] = bundle, self._numbered(bundle)
        bundle, index = self.as_written[text]
        if lemma != self.lemma:
            self._turn_to(lemma)
        self._append(form, index)
        for each in self.conventions.also:
            if bundle == each.bundle and lemma not in each.exceptions:
                for also in each.reads:
                    self._append(form, self._numbered(also))
        self.n_rows += 1

    def _cells(self, number: int, line: str) -> tuple[str, str, str]:
        """Lemma and form without dropped characters, and the bundle as written."""
        place, right = f"{self.path}:{number}", "lemma, form and bundle, parted by tabs"
        cells = line.split("\t")
        if len(cells) not in N_COLUMNS:
            columns = "1 column" if len(cells) == 1 else f"{len(cells)} columns"
            raise InputError(place, columns, right, kind="format")
        for name, cell in zip(("lemma", "form", "bundle"), cells, strict=False):
            if not cell.strip():
                raise InputError(place, f"the {name} is empty", right, kind="format")
        dropped = self.conventions.dropped
        return bare(cells[0].strip(), dropped), bare(cells[1].strip(), dropped), cells[2]

    def _numbered(self, bundle: Bundle) -> int:
        return self.numbers.setdefault(bundle, len(self.numbers))

    def _append(self, form: str, number: int) -> None:
        self.shape += (self.forms.setdefault(form, len(self.forms)), number)

    def _turn_to(self, lemma: str) -> None:
        """Packs the lemma at hand and takes up another, which may have been seen before."""
        if self.shape:
            shape = tuple(self.shape)
            self.paradigms[self.lemma] = "\t".join(self.forms), self.shapes.setdefault(shape, shape)
        joined, shape = self.paradigms.get(lemma, ("", ()))
        self.lemma, self.shape = lemma, list(shape)
        self.forms = {form: index for index, form in enumerate(joined.split("\t")) if form}

    def result(self) -> UniMorph:
        """All that was added."""
        self._turn_to("")
        return UniMorph(tuple(self.numbers), self.paradigms, self.conventions, self.n_rows)
