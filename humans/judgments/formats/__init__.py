"""Formats of files with people's judgments, a module for each; the content tells the format."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from ....data.errors import InputError
from ....data.items.item import Item
from ....data.opening import head_of, head_text
from ....data.records import headers
from ....data.registry import load
from ..imported import Imported, ImportOptions, JudgmentReader, assemble
from . import colorless, generic, gulordava, ibex, jatos, jspsych, mturk
from .colorless import JUDGMENT_COLUMNS
from .gulordava import is_raw_row
from .jatos import is_archive

FORMATS: Mapping[str, JudgmentReader] = {
    "colorless": colorless.read,
    "generic": generic.read,
    "gulordava": gulordava.read,
    "gulordava_raw": gulordava.read_raw,
    "ibex": ibex.read,
    "jatos": jatos.read,
    "jspsych": jspsych.read,
    "mturk": mturk.read,
    "pcibex": ibex.read,
}
FORMATS_GROUP = "colorless_green.judgment_formats"
"""Entry points of this group add formats from other Python packages."""
GENERIC = "generic"  # the format of all files that no other format fits
PEOPLE = "prolific"  # an export about people, without judgments
ALSO_READS = {"pcibex": "ibex", "jatos": "jspsych"}  # format → another one that its reader reads
IBEX_COMMENT = re.compile(
    r"^# 1\. (?:Results reception time|Time results were received)", re.MULTILINE
)
JSPSYCH_FIELD = re.compile(r'"trial_type"\s*:')
COLUMNS_OF_FORMATS: tuple[tuple[str, frozenset[str]], ...] = (  # of formats that are tables
    ("gulordava", frozenset({"pattern", "constr_id", "class", "len_prefix"})),
    ("colorless", frozenset(JUDGMENT_COLUMNS)),
    ("jspsych", frozenset({"trial_type", "trial_index"})),
    ("mturk", frozenset({"AssignmentId", "HITId"})),
)


def read_files(
    paths: Sequence[Path],
    items: Sequence[Item],
    options: ImportOptions | None = None,
    format_name: str = "",
) -> Imported:
    """Read files of judgments and join the answers to the items that they are about.

    Args:
        paths: files of one format.
        items: the items of the suite that was judged, and fillers and checks if known.
        options: facts that are not in the files themselves; None: nothing.
        format_name: a name of `FORMATS`, or of a plug-in; "": found from the files.

    Returns:
        The content of the files, with every row counted; nothing is stored yet.

    Raises:
        InputError: for files of different formats, unknown items, or contradicting answers.

    >>> from colorless_green.humans import read_items
    >>> _ = Path("items.csv").write_text("item,correct_form,wrong_form\\ni1,are,is\\n")
    >>> _ = Path("answers.csv").write_text("participant,item,chosen\\nanna,i1,are\\nbert,i1,is\\n")
    >>> found = read_files([Path("answers.csv")], read_items(Path("items.csv"), "en").items)
    >>> found.trials.select("participant", "correct").rows()
    [('anna', 1), ('bert', 0)]
    """
    name = format_name or common_format([(path, judgment_format(path)) for path in paths])
    read: JudgmentReader = load(FORMATS, name, "format", FORMATS_GROUP)
    options = options or ImportOptions()
    content = read(paths, items, options)
    return content if isinstance(content, Imported) else assemble(content, items, options)


def judgment_format(path: Path) -> str:
    """Guess the format of a file of judgments from its first 64 KiB.

    Args:
        path: the file, compressed or not.

    Returns:
        A name of `FORMATS`; `prolific` for Prolific's export of participants; `generic` for all
        others.

    Raises:
        InputError: for a file that cannot be read.

    >>> _ = Path("answers.csv").write_text("participant,item,chosen\\nanna,i1,are\\n")
    >>> judgment_format(Path("answers.csv"))
    'generic'
    """
    if is_archive(path):
        return "jatos"
    head = head_text(head_of(path))
    if IBEX_COMMENT.search(head):
        return "pcibex" if ",PennController," in head else "ibex"
    line = head.lstrip().partition("\n")[0].removesuffix("\r")
    if line[:1] in ("[", "{"):
        return "jspsych" if JSPSYCH_FIELD.search(head) else "colorless"
    if is_raw_row(line.split("\t")):
        return "gulordava_raw"
    for header in headers(head).values():
        cells = {cell.strip() for cell in header}
        if name := next((name for name, needed in COLUMNS_OF_FORMATS if needed <= cells), ""):
            return name
        lowered = {re.sub("[^a-z]", "", cell.lower()) for cell in cells}
        if {"participantid", "status"} <= lowered and "item" not in lowered:
            return PEOPLE
    return GENERIC


def common_format(formats: Sequence[tuple[Path, str]]) -> str:
    """Return the format that reads all files, given as (path, format) pairs.

    Raises `InputError` if no single format does.
    """
    names = {name for _, name in formats}
    if len(names) < 2:
        return next(iter(names), GENERIC)
    for common, other in ALSO_READS.items():
        if names == {common, other}:
            return common
    (first, name), *others = formats
    path, other = next((path, format_name) for path, format_name in others if format_name != name)
    wrong = f"this is {other}, but {first.name} is {name}"
    raise InputError(str(path), wrong, "one format in one import", kind="conflict")
