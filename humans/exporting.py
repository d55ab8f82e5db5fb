"""The verb humans export: a study for another platform."""

from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.files import unwritable, write_whole_bytes
from colorless_green.data.registry import load
from colorless_green.data.result import Result
from colorless_green.data.tables import Row
from colorless_green.humans.exports import EXPORTS, GROUP, Export, ExportOptions
from colorless_green.humans.settings import SETTINGS
from colorless_green.humans.study import missing, read_study

COLUMNS = ("file", "size_bytes")
PLAIN = "csv"  # the only one without a page, which needs no consent
RESEARCHERS = ("items.csv", "trials.csv")


def export_study(folder: Path, to: str, out: Path, options: ExportOptions) -> Result:
    """The files of a platform in a new folder. Raises `InputError` for a platform that is not
    known, consent texts that are missing, or a folder that holds something."""
    export: Export = load(EXPORTS, to, "--to", GROUP)
    study = read_study(folder)
    empty = missing(study.settings)
    if empty and to != PLAIN:
        raise InputError(
            str(folder / SETTINGS), f"not filled in: {', '.join(empty)}", "a text for each"
        )
    files = export(study, options)
    try:
        out.mkdir(parents=True, exist_ok=True)
        if any(out.iterdir()):
            raise InputError(str(out), "the folder is not empty", "a new folder for the export")
    except OSError as error:
        raise unwritable(out, error) from error
    rows: list[Row] = []
    for name, content in files.items():
        with write_whole_bytes(out / name) as stream:
            stream.write(content)
        rows.append({"file": name, "size_bytes": len(content)})
    return Result(rows, COLUMNS, [_message(to)])


def _message(to: str) -> str:
    if to == PLAIN:
        return f"{' and '.join(RESEARCHERS)} hold what is right: keep them from participants"
    return (
        f"answers come back with colorless humans import FILE --items {RESEARCHERS[0]} (from "
        f"colorless humans export --to {PLAIN})"
    )
