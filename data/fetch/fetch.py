"""Treebanks and published sets by name: the function `fetch`."""

import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from ..errors import InputError
from ..files import MANIFEST
from ..languages import suggest_language
from ..progress import Progress, silent
from ..registry import Names, listed
from ..result import Result
from ..store import now
from ..tables import Row
from . import catalogue
from ._transfer import MIRROR, Network
from .origin import release_rows, set_rows, treebank_row
from .treebank_folder import COLUMNS, WITHHELD, FetchCall, cache_folder, folder_facts, treebank

LIST_COLUMNS = ("name", "what", "version", "language", "licence", "status")


def fetch(
    names: Names = None,
    *,
    language: str = "",
    all_: bool = False,
    list_: bool = False,
    release: str = "",
    out: str | Path | None = None,
    progress: Progress = silent,
) -> Result:
    """Download treebanks and published test sets; verify them and record their licences.

    Each becomes a folder with licence and manifest. Where the environment variable
    COLORLESS_MIRROR has an http(s) address, that is asked in place of all hosts.

    Args:
        names: treebanks and published test sets, such as UD_Italian-ISDT, it_isdt@2.16, blimp,
            multiblimp:nld or unimorph:ita
        language: all treebanks of this language (code or English name)
        all_: download the archive of the whole release; with names or a language, unpack only
            those treebanks
        list_: list what is available and what is in the cache, with names by a part of their name
        release: UD release for names without @RELEASE [default: the newest]
        out: store the data here instead of in the cache
        progress: called with the KiB of each file as it arrives

    Returns:
        One row a folder, in the order asked for; its status is `fetched`, `cached`, `copied` (from
        the cache to `out`) or `withheld` (its texts are not public).

    Raises:
        InputError: for any mistake of the user or of a server.

    Commands:
        colorless fetch UD_German-GSD
        colorless fetch --list --language Italian

    >>> fetch("it_isdt", list_=True).rows[0]["language"]
    'it'
    """
    specs = listed(names)
    version = catalogue.version_of(release, "release")
    code = catalogue.language_code(language) if language else ""
    if code is None:
        wrong = f"no treebank of the language {language!r}"
        right = f"{suggest_language(language)}a code or an English name that --list shows"
        raise InputError("language", wrong, right, kind="unknown")
    if list_:
        return _listed(specs, code, version)
    keys = [catalogue.name_parts(name, version) for name in specs]
    if not (keys or code or all_):
        right = "a name, a language, or all; --list shows names"
        raise InputError("names", "no name is given", right, kind="missing")
    with closing(Network(os.environ.get(MIRROR, ""), progress)) as network:
        call = FetchCall(network, cache_folder(), None if out is None else Path(out), now())
        rows = list(_rows(keys, code, version, all_, call))
    if any(row["version"] == "2.0" for row in rows):
        call.notes.append("release 2.0 held its test files back; version 2.0-test has them")
    withheld = [str(row["name"]) for row in rows if row["status"] == WITHHELD]
    if withheld:
        call.notes.append(f"left out, since their texts are withheld: {', '.join(withheld)}")
    return Result(rows, COLUMNS, tuple(dict.fromkeys(call.notes)), len(withheld) < len(rows))


def _rows(
    keys: Sequence[tuple[str, str, str]], code: str, version: str, everything: bool, call: FetchCall
) -> Iterator[Row]:
    """Yield the rows of names in their order, then those of a language or of whole releases."""
    in_archives: dict[str, set[str]] = {}
    for name, part, revision in keys:
        if published := catalogue.set_named(name):
            yield from set_rows(published, part, revision, call)
        elif everything:
            in_archives.setdefault(revision, set()).add(name)
        else:
            row = treebank_row(name, revision, call)
            if row["status"] == WITHHELD:
                wrong = "its text is withheld (every form is '_'), so nothing can be mined from it"
                right = "another treebank, or one rebuilt from the source that its README names"
                raise InputError(f"{name}@{revision}", wrong, right, kind="empty")
            yield row
    treebanks = catalogue.treebanks_of_release(version, code) if code else []
    if code and not treebanks:
        wrong = f"release {version} has no treebank of {code!r}"
        raise InputError("language", wrong, "a newer release", kind="unknown")
    if everything:
        if code or not in_archives:
            in_archives.setdefault(version, set())
        for revision, names in in_archives.items():
            optional = treebanks if revision == version else []
            yield from release_rows(revision, names, {entry.repository for entry in optional}, call)
    else:
        for entry in treebanks:
            yield treebank_row(entry.repository, version, call)


def _listed(names: Sequence[str], code: str, version: str) -> Result:
    """List what a release has (of a language, with a part of a name), and whether it is cached."""
    cells: list[tuple[str, ...]] = []
    for entry in catalogue.treebanks_of_release(version):
        facts = folder_facts(cache_folder() / treebank(entry.repository, version).path) or {}
        licence, status = str(facts.get("licence", "")), "cached" if facts else ""
        cells.append((entry.code, entry.repository, version, entry.language, licence, status))
    for record in catalogue.published_sets():
        part = "[:PART]" if record.has_parts else ""
        part = ":LANGUAGE" if "{part}" in record.repository else part
        manifests = (cache_folder() / "published" / record.name).glob(f"*/**/{MANIFEST}")
        status = "cached" if any(folder_facts(path.parent) for path in manifests) else ""
        commit = record.commit("")[:10]
        name = record.name + part
        cells.append((name, record.what, commit, record.language, record.licence, status))
    rows: list[Row] = [
        dict(zip(LIST_COLUMNS, (cell or None for cell in row), strict=True))
        for row in cells
        if (not code or {code, "mul"} & set(row[3].split()))
        and (not names or any(name.casefold() in f"{row[0]} {row[1]}".casefold() for name in names))
    ]
    return Result(rows, LIST_COLUMNS, (), bool(rows))
