"""Sets in line-aligned files, as Gulordava et al. 2018 release them.

`NAME.text` has a sentence a line (words between blanks, then `<eos>`), `NAME.gold` what is known of
it in TAB-separated cells without a header, and `NAME.eval`, if it is there, the index of the target
again. Each may be packed (`.gz`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.nonce.formats.records import lines

ENDINGS = (".gold", ".text", ".eval")
EOS = "<eos>"
LARGEST_INDEX = 9  # digits


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence with its cells."""

    place: str  # in the `.gold`
    tokens: tuple[str, ...]  # without `<eos>`
    cells: tuple[str, ...]


def gold_of(path: Path) -> Path | None:
    """The `.gold` that a file of a set belongs to, or the one in a folder; `None` if there is none,
    or in a folder more than one."""
    if path.is_dir():
        found = sorted({_plain(each) for each in path.iterdir() if _ending(each) == ".gold"})
        return _there(path / found[0]) if len(found) == 1 else None
    if _ending(path) not in ENDINGS:
        return None
    return _there(path.with_name(_plain(path).removesuffix(_ending(path)) + ".gold"))


def _plain(path: Path) -> str:
    return path.name.removesuffix(".gz")


def _ending(path: Path) -> str:
    return Path(_plain(path)).suffix


def _there(path: Path) -> Path | None:
    """A file or its packed twin, the plain one first."""
    candidates = (path, path.with_name(path.name + ".gz"))
    return next((each for each in candidates if each.is_file()), None)


def read_lines(path: Path, n_cells: int, target: int) -> Iterator[Line]:
    """The lines of the set that `path` (any of its files, or their folder) belongs to.

    `target` is the cell (0-based) with the target's index, which `.eval` must repeat. Raises
    `InputError` where a file is missing, where they differ in length, and for a line with other
    cells than `n_cells` or without a sentence.
    """
    gold = gold_of(path)
    if gold is None:
        raise InputError(
            str(path), "no .gold beside it", "a set of .text and .gold files", kind="missing"
        )
    stem = _plain(gold).removesuffix(".gold")
    text = _there(gold.with_name(stem + ".text"))
    if text is None:
        raise InputError(
            str(gold), f"no {stem}.text beside it", "a set of .text and .gold files", kind="missing"
        )
    indices = _there(gold.with_name(stem + ".eval"))
    own = zip_longest(lines(gold), lines(text), lines(indices) if indices else ())
    for answer, sentence, index in own:
        if answer is None or sentence is None or (indices and index is None):
            short = gold if answer is None else text if sentence is None else indices
            raise InputError(
                str(short), "it ends before the others", "files of one length", kind="format"
            )
        place, cells = answer[0], tuple(answer[1].rstrip("\r\n").split("\t"))
        if len(cells) != n_cells:
            raise InputError(
                place, f"{len(cells)} cells", f"{n_cells}, as in every line", kind="format"
            )
        if index is not None and index[1].strip() != cells[target]:
            wrong = f"the target's index is {index[1].strip()!r:.20}"
            raise InputError(index[0], wrong, f"{cells[target]!r}, as in the .gold", kind="format")
        tokens = tuple(sentence[1].rstrip("\r\n").removesuffix(EOS).rstrip(" ").split(" "))
        if not tokens[0]:
            raise InputError(
                sentence[0], "no sentence", "words with a blank between", kind="format"
            )
        yield Line(place, tokens, cells)


def whole(cell: str, place: str, limit: int) -> int:
    """A cell as an index below `limit`. Raises `InputError` for anything else."""
    is_number = cell.isascii() and cell.isdigit() and len(cell) <= LARGEST_INDEX
    if not is_number or int(cell) >= limit:
        raise InputError(
            place, f"{cell!r:.20} for an index", f"a whole number below {limit}", kind="format"
        )
    return int(cell)
