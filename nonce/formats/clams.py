"""CLAMS's evaluation sets (Mueller et al. 2020): `True` or `False`, TAB, sentence.

Lines take turns, and a `True` and the `False` after it are a pair. Language and case are in the
name: `fr_simple_agrmt.txt`, or `fr_evalset/simple_agrmt.txt` as in the repository. Tokens stand
between blanks (also the Hebrew prefixes and `l'` before its noun), so they are the words.
Written are two sentences a pair and nothing else, in files of the same names.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from colorless_green.data.files import write_whole
from colorless_green.nonce.formats.pairs import (
    PairEntry,
    PairFormat,
    RecordFacts,
    SentencePair,
    format_of_pairs,
    parted,
)
from colorless_green.nonce.formats.records import Record, lines, malformed, one_line
from colorless_green.nonce.item import Item, item_id

SOURCE, LICENCE = "CLAMS", "Apache-2.0"
NAME = re.compile(r"(?P<language>de|en|fr|he|ru)_(?P<case>\w+)")
FOLDER = re.compile(r"(?P<language>de|en|fr|he|ru)_evalset")
TURNS, WANTED = "True and False by turns", "True or False, a tab, and a sentence"


def _records(file: Path) -> Iterator[tuple[str, Record]]:
    waiting = ""
    place = str(file)
    for place, line in lines(file):
        label, tab, sentence = line.rstrip("\r\n").partition("\t")
        expected = "False" if waiting else "True"
        if not tab or label not in ("True", "False") or not sentence.strip():
            raise malformed(place, f"{line.strip()[:40]!r}", WANTED)
        if label != expected:
            raise malformed(place, f"{label} where {expected} is due", TURNS)
        if waiting:
            yield place, {"True": waiting, "False": sentence}
        waiting = "" if waiting else sentence
    if waiting:
        raise malformed(place, "a True without its False", TURNS)


def _pair(row: Record, place: str) -> SentencePair:
    right, wrong = row["True"].strip(), row["False"].strip()
    return SentencePair(right, wrong, parted(right, wrong))


def _known(row: Record, stem: str, number: int, place: str) -> RecordFacts:
    match = NAME.fullmatch(stem)
    case = match["case"] if match else stem
    facts = {"construction": case, "pair_number": str(number)}
    identity = item_id(SOURCE, match["language"] if match else stem, case, number)
    fields = {"item_id": identity, "cell": case}
    if match:
        fields |= {"language": match["language"], "source": SOURCE, "licence": LICENCE}
    return fields, facts


def _plain(entry: PairEntry) -> dict[str, Any]:
    return {"True": entry.pair.right, "False": entry.pair.wrong}


def _write(path: Path, records: Sequence[Record]) -> None:
    with write_whole(path) as stream:
        for row in records:
            for label in ("True", "False"):
                stream.write(f"{label}\t{one_line(row[label])}\n")


def _with_language(file: Path, stem: str) -> str:
    """The name of a file of the repository as the flat names have it."""
    folder = FOLDER.fullmatch(file.resolve().parent.name)
    return stem if folder is None else f"{folder['language']}_{stem}"


def _file_of(item: Item, group: str) -> str:
    name = f"{item.language}_{group}"
    return name if NAME.fullmatch(name) else group


FORMAT = format_of_pairs(
    PairFormat(
        name="clams",
        endings=(".txt",),
        wanted=WANTED,
        records=_records,
        pair=_pair,
        known=_known,
        plain=_plain,
        write_records=_write,
        sentences=frozenset(("True", "False")),
        has_ours=False,
        words=str.split,
        file_of=_file_of,
        stem_of=_with_language,
    )
)
