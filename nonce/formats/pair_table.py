"""Tables of pairs, one a row: the columns of the right and of the wrong sentence under any of the
names that published sets give them; read only.

Read so are LM_syneval's `sample_sents.txt`, and sets after BLiMP that come as CSV or TSV (RuBLiMP,
TurBLiMP, JBLiMP and their like). Columns may be separated by tabs, commas or semicolons; all
others become facts under their own names.
"""

from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.nonce.formats import Format, read_only
from colorless_green.nonce.formats.facts import to_facts
from colorless_green.nonce.formats.pairs import Pair, conditions_of, parted, predictions_of
from colorless_green.nonce.formats.records import table
from colorless_green.nonce.formats.told import delimiter_told, pair_columns
from colorless_green.nonce.item import Item, item_id
from colorless_green.nonce.suite import Suite, checked

GROUPS = ("construction", "paradigm", "uid", "UID", "test case", "PID", "phenomenon")
"""Columns that name the construction, the finest first."""


def read(path: Path) -> Suite:
    """The pairs of a file, in its order; the suite is named after it.

    Predictions are `full` and, where every pair differs in a stretch of words, `prefix`. Raises
    `InputError` with the line of an empty sentence or a row of another length.
    """
    delimiter = delimiter_told(path)
    columns = pair_columns(path)
    if columns is None:
        wrong = "no columns of right and wrong sentences"
        raise InputError(f"{path}:1", wrong, "sentence_good and sentence_bad, say", kind="missing")
    name = path.name.removesuffix(".gz").rpartition(".")[0] or path.name
    items = []
    for number, (place, row) in enumerate(table(path, delimiter, columns)):
        right, wrong = (row[column].strip() for column in columns)
        if not (right and wrong):
            raise InputError(place, "an empty sentence", "two sentences", kind="format")
        others = {key: value for key, value in row.items() if key not in columns}
        group = next((row[key] for key in GROUPS if row.get(key)), name)
        identity = item_id(name, number, right, wrong)
        items.append(
            Item(
                item_id=identity,
                kind="suite",
                cluster_id=identity,
                language="und",
                source=name,
                licence="",
                conditions=conditions_of(Pair(right, wrong, parted(right, wrong))),
                facts={"construction": group, **to_facts(others, place)},
            )
        )
    if not items:
        raise InputError(str(path), "no pair in it", "a row for each pair", kind="empty")
    return checked(Suite(name, tuple(items), predictions_of(items)), str(path))


FORMAT = Format(read, read_only("pair_table"))
