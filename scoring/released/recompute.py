"""The figures of a paper, computed again from the results its authors released item by item.

What a file is, is told by its columns: SyntaxGym's outcomes and perplexities, the reflexives'
surprisals and accuracies, and the `.tab` of Gulordava et al. 2018 with a model's column.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.result import Result
from colorless_green.nonce.formats.told import format_told, results_told
from colorless_green.scoring.released import agreement, reflexives, syntaxgym

Recompute = Callable[[Sequence[Path]], Result]

KINDS: Mapping[str, Recompute] = {
    "syntaxgym_results": syntaxgym.recomputed,
    "syntaxgym_perplexity": syntaxgym.perplexities,
    "reflexive_surprisals": reflexives.recomputed,
    "reflexive_accuracies": reflexives.accuracies,
    "tab": agreement.recomputed,
}
"""What a file is, and what is computed of one or several of its kind."""
ENDINGS = (".csv", ".tab")
RIGHT = "a file or folder of released results, as SyntaxGym's sg_results"


def recomputed(path: Path) -> Result:
    """The figures that follow from a file, or from all files of the first kind in a folder and in
    the folders in it.

    Files of a folder are taken by name, and those of another kind are named in a message. Raises
    `InputError` where there are no such results.
    """
    kinds = {file: kind_of(file) for file in _files(path)}
    kind = next((each for each in kinds.values() if each), "")
    if not kind:
        raise InputError(str(path), "no released results in it", RIGHT, kind="empty")
    chosen = [file for file, each in kinds.items() if each == kind]
    others = [file.name for file, each in kinds.items() if each != kind]
    result = KINDS[kind](chosen)
    if not others:
        return result
    note = f"not {kind}, passed over: {', '.join(others)}"
    return Result(result.rows, result.columns, (*result.messages, note), result.found)


def kind_of(file: Path) -> str:
    """One of KINDS, or "" for a file of none."""
    told = results_told(file)
    if told:
        return told
    return "tab" if format_told(file) == "tab" and agreement.raters(file) else ""


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    here = sorted(path.iterdir())
    plain = [file for file in here if file.is_file()]
    plain += [file for folder in here if folder.is_dir() for file in sorted(folder.iterdir())]
    return [file for file in plain if file.name.removesuffix(".gz").endswith(ENDINGS)]
