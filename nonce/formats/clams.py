"""CLAMS's evaluation sets (Mueller et al. 2020): `True` or `False`, TAB, sentence; read only.

Lines take turns, and a `True` and the `False` after it are a pair. Language and case are in the
name: `fr_simple_agrmt.txt`, or `fr_evalset/simple_agrmt.txt` as in the repository. Tokens stand
between blanks (also the Hebrew prefixes and `l'` before its noun), so they are the words.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.nonce.formats import Format, read_only
from colorless_green.nonce.formats.folder import files_of
from colorless_green.nonce.formats.pairs import Pair, conditions_of, parted, predictions_of
from colorless_green.nonce.formats.records import lines
from colorless_green.nonce.item import Item, Wording, item_id
from colorless_green.nonce.suite import Suite, checked

SOURCE, LICENCE = "CLAMS", "Apache-2.0"
NAME = re.compile(r"(?P<language>de|en|fr|he|ru)_(?P<case>\w+)")
FOLDER = re.compile(r"(?P<language>de|en|fr|he|ru)_evalset")


def read(path: Path) -> Suite:
    """The pairs of a file, or of all files of a folder, by name.

    Predictions are `full`, the paper's own, and `prefix`. A name that tells no language gives the
    language `und`, no licence, and the file as its source. Raises `InputError` with the line of
    what is not of the format.
    """
    items = [item for file in files_of(path, ".txt") for item in _items(file)]
    if not items:
        raise InputError(
            str(path), "no pair in it", "True or False, a tab, and a sentence", kind="empty"
        )
    return checked(Suite(_stem(path), tuple(items), predictions_of(items)), str(path))


def _stem(path: Path) -> str:
    return path.name.removesuffix(".gz").removesuffix(".txt")


def _items(file: Path) -> Iterator[Item]:
    language, case = _named(file)
    for number, (right, wrong) in enumerate(_pairs(file)):
        identity = item_id(SOURCE, language or _stem(file), case, number)
        conditions = conditions_of(Pair(right, wrong, parted(right, wrong)))
        yield Item(
            item_id=identity,
            kind="suite",
            cluster_id=identity,
            language=language or "und",
            source=SOURCE if language else _stem(file),
            licence=LICENCE if language else "",
            conditions={name: tuple(map(_split, own)) for name, own in conditions.items()},
            cell=case,
            facts={"construction": case, "pair_number": str(number)},
        )


def _named(file: Path) -> tuple[str, str]:
    """Language ("" if the name tells none) and case."""
    folder = FOLDER.fullmatch(file.resolve().parent.name)
    if folder is not None:
        return folder["language"], _stem(file)
    match = NAME.fullmatch(_stem(file))
    return (match["language"], match["case"]) if match else ("", _stem(file))


def _pairs(file: Path) -> Iterator[tuple[str, str]]:
    waiting = ""
    place = str(file)
    for place, line in lines(file):
        label, tab, sentence = line.rstrip("\r\n").partition("\t")
        expected = "False" if waiting else "True"
        if not tab or label not in ("True", "False") or not sentence.strip():
            raise InputError(
                place,
                f"{line.strip()[:40]!r}",
                "True or False, a tab, and a sentence",
                kind="format",
            )
        if label != expected:
            raise InputError(
                place, f"{label} where {expected} is due", "True and False by turns", kind="format"
            )
        if waiting:
            yield waiting, sentence.strip()
        waiting = "" if waiting else sentence.strip()
    if waiting:
        raise InputError(
            place, "a True without its False", "True and False by turns", kind="format"
        )


def _split(wording: Wording) -> Wording:
    """The same regions, with blank-separated tokens as words."""
    return tuple(replace(region, words=tuple(region.text.split())) for region in wording)


FORMAT = Format(read, read_only("clams"))
