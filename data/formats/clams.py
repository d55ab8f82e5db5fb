"""CLAMS's evaluation sets (Mueller et al. 2020): `True` or `False`, TAB, sentence.

`True` and `False` lines alternate; a `True` and the `False` after it are a pair. The name of the
file gives language and case: `fr_simple_agrmt.txt`, or `fr_evalset/simple_agrmt.txt` as in the
repository. There are blanks between all tokens (also after Hebrew prefixes and `l'`), so the tokens
are taken as words. The format can only be read.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from ..items.item import item_id
from ..items.item_table import table_row
from ..items.suite import Suite, checked
from ..records import lines, malformed, stem
from .format import Format, files_of, suite_name
from .pair_formats import SentencePair, divide, suite_of_pairs

SOURCE, LICENCE = "CLAMS", "Apache-2.0"
FILE_NAME = re.compile(r"(?P<language>de|en|fr|he|ru)_(?P<case>\w+)")
FOLDER_NAME = re.compile(r"(?P<language>de|en|fr|he|ru)_evalset")
ENDINGS = (".txt",)
EXPECTED_ORDER, EXPECTED_LINE = "True and False by turns", "True or False, a tab, and a sentence"


def _pairs(file: Path) -> Iterator[tuple[str, str]]:
    """Yield (right sentence, wrong sentence) for each pair of a file."""
    right_sentence = ""  # of the pair that waits for its wrong one
    location = str(file)
    for location, line in lines(file):
        label, tab, sentence = line.rstrip("\r\n").partition("\t")
        expected = "False" if right_sentence else "True"
        if not tab or label not in ("True", "False") or not sentence.strip():
            raise malformed(location, f"{line.strip()[:40]!r}", EXPECTED_LINE)
        if label != expected:
            raise malformed(location, f"{label} where {expected} is due", EXPECTED_ORDER)
        if right_sentence:
            yield right_sentence.strip(), sentence.strip()
        right_sentence = "" if right_sentence else sentence
    if right_sentence:
        raise malformed(location, "a True without its False", EXPECTED_ORDER)


def _rows(path: Path) -> Iterator[tuple[tuple[str | bool, ...], SentencePair]]:
    """For each item in a file or folder yield its row (the cells of a suite's table) and its pair
    of sentences."""
    for file in files_of(path, ENDINGS):
        folder = FOLDER_NAME.fullmatch(file.resolve().parent.name)
        file_stem = stem(file, ENDINGS)
        name = f"{folder['language']}_{file_stem}" if folder else file_stem
        match = FILE_NAME.fullmatch(name)
        if match:
            data_set, case = match["language"], match["case"]
            language, source, licence = (match["language"], SOURCE, LICENCE)
        else:  # not a file of CLAMS: its name stands for all that is unknown
            data_set = case = name
            language, source, licence = ("und", name, "")
        for number, (right, wrong) in enumerate(_pairs(file)):
            identity = item_id(SOURCE, data_set, case, number)
            fields = {
                "item_id": identity, "kind": "suite", "cluster_id": identity, "set_id": "",
                "cell": case, "language": language, "source": source, "licence": licence,
            }  # fmt: skip
            facts = {"construction": case, "pair_number": str(number)}
            yield table_row(fields, facts), SentencePair(right, wrong, divide(right, wrong))


def read(path: Path) -> Suite:
    """Read the suite of a file, or of all files of a folder; it is named after the path.

    Raises `InputError`, with its line, for a line that does not fit the format.
    """
    suite = suite_of_pairs(suite_name(path, ENDINGS), _rows(path), str.split)
    return checked(suite, str(path), EXPECTED_LINE)


FORMAT = Format(read)
