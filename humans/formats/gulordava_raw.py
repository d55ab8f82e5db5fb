"""The single answers behind Gulordava et al. 2018: nine columns, tabs, with or without a header.

`worker_id type answer_status answer correct_form opt1 opt2 full_id sent`, as the authors' script
writes it from a batch of Mechanical Turk. Quotes inside texts are doubled there and no cell is
quoted, so that quoting is off here and `""` becomes `"`. Missing answers and rows of type `foil`
are not in it, nor are times and positions.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.files import numbered_lines
from colorless_green.data.registry import nearest
from colorless_green.humans.assemble import assembled
from colorless_green.humans.formats.mturk import TYPES
from colorless_green.humans.imported import Arrived, Imported, ImportOptions
from colorless_green.humans.judgment import Judgment
from colorless_green.humans.lookup import normal
from colorless_green.nonce.item import Item

COLUMNS = (
    *("worker_id", "type", "answer_status", "answer", "correct_form"),
    *("opt1", "opt2", "full_id", "sent"),
)
STATUS = {"T": 1, "F": 0}


def read(paths: Sequence[Path], items: Sequence[Item], options: ImportOptions) -> Imported:
    """The judgments in files of this layout. Raises `InputError` for a line of another, and as
    `join` does."""
    claims = [claim for path in paths for claim in _claims(path)]
    arrived = Arrived(
        n_files=len(paths),
        n_rows=len(claims),
        judgments=claims,
        own_ids=False,
        platform="mturk",
    )
    return assembled(arrived, items, options)


def _claims(path: Path) -> Iterator[Judgment]:
    for number, line in numbered_lines(path):
        cells = [cell.strip().replace('""', '"') for cell in line.split("\t")]
        if not line.strip() or (number == 1 and cells[0] == COLUMNS[0]):
            continue
        place = f"{path}:{number}"
        if len(cells) != len(COLUMNS):
            raise InputError(
                place, f"{len(cells)} cells", f"{len(COLUMNS)}: {', '.join(COLUMNS)}", kind="format"
            )
        row = dict(zip(COLUMNS, cells, strict=True))
        if row["type"] not in TYPES:
            raise InputError(
                place, f"type is {row['type']!r}", nearest(row["type"], TYPES), kind="unknown"
            )
        if row["answer_status"] not in STATUS:
            raise InputError(
                place, f"answer_status is {row['answer_status']!r}", "T or F", kind="format"
            )
        yield _claim(row, place)


def _claim(row: dict[str, str], place: str) -> Judgment:
    kind, condition = TYPES[row["type"]]
    shown = [normal(row["opt1"]), normal(row["opt2"])]
    chosen = normal(row["answer"])
    return Judgment(
        participant=row["worker_id"],
        item=row["full_id"],
        condition=condition,
        kind=kind,
        prefix=row["sent"],
        option_1=row["opt1"],
        option_2=row["opt2"],
        chosen=row["answer"],
        chosen_index=shown.index(chosen) if shown.count(chosen) == 1 else None,
        correct_form=row["correct_form"],
        correct=STATUS[row["answer_status"]],
        origin=place,
    )
