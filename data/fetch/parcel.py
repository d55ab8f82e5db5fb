"""A folder of files from one revision of one repository: at hand, or fetched and checked."""

import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from colorless_green.data.errors import InputError
from colorless_green.data.fetch import address
from colorless_green.data.fetch.cache import (
    Errand,
    about,
    agrees,
    copy,
    finish,
    n_bytes,
    recalled,
    staging,
    verified,
)
from colorless_green.data.fetch.licence import licence_of, withholds_text
from colorless_green.data.fetch.listing import Blob, fingerprint
from colorless_green.data.fetch.transfer import download, fault_of
from colorless_green.data.fetch.wire import NotThere, shown
from colorless_green.data.tables import Row

TREEBANK, SET = "treebank", "published set"
WITHHELD = "withheld"


@dataclass(frozen=True, slots=True)
class Parcel:
    """What is to be had, and where it goes."""

    kind: str  # TREEBANK or SET
    name: str  # "UD_Italian-ISDT", "multiblimp:nld"
    version: str  # "2.16", or a commit
    language: str  # "" if the names of its files will tell
    licence: str  # SPDX id where the catalogue knows it, "" if its own files will tell
    place: Path  # in the cache: ud/r2.16/UD_Italian-ISDT


@dataclass(frozen=True, slots=True)
class Source:
    """Where the files of a parcel are."""

    host: str
    repository: str  # "owner/name"
    revision: str


@dataclass(frozen=True, slots=True)
class Delivery:
    """A row of the result, and what is to be said about it."""

    row: Row
    notes: tuple[str, ...] = ()


class Withheld(Exception):
    """A treebank whose forms are masked: nothing can be mined from it."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def refuse_withheld(parcel: Parcel, errand: Errand) -> None:
    """Raises `Withheld` for a treebank that was seen to have no text, without asking again."""
    if recalled(errand.cache, _text_key(parcel)) == WITHHELD:
        raise Withheld(parcel.name)


def _text_key(parcel: Parcel) -> str:
    return f"text of {parcel.name}@{parcel.version}"


def destination(parcel: Parcel, errand: Errand) -> Path:
    """The folder a parcel goes to: in the cache, or under `--out`."""
    if errand.out is None:
        return errand.cache / parcel.place
    return errand.out / parcel.name.replace(":", "-")


def at_hand(parcel: Parcel, errand: Errand) -> Delivery | None:
    """The parcel if its folder stands with all its files as they were, or the cache has them.

    Raises `InputError` where `--out` already has a folder of that name that is something else.
    """
    folder, cached = destination(parcel, errand), errand.cache / parcel.place
    facts = verified(folder)
    if facts is not None and _is_it(facts, parcel):
        return delivery(folder, facts, "cached")
    if errand.out is None:
        return None
    if folder.exists():
        raise InputError(
            str(folder),
            f"is there and is not {parcel.name} {parcel.version}",
            "another --out",
            kind="format",
        )
    facts = verified(cached)
    if facts is None:
        return None
    copy(cached, folder)
    return delivery(folder, facts, "copied")


def _is_it(facts: dict[str, Any], parcel: Parcel) -> bool:
    return (facts.get("name"), facts.get("version")) == (parcel.name, parcel.version)


def delivery(folder: Path, facts: dict[str, Any], status: str) -> Delivery:
    """The row for a folder with its manifest."""
    note = str(facts.get("note") or "")
    row: Row = {
        "name": str(facts["name"]),
        "version": str(facts["version"]),
        "language": str(facts["language"]),
        "licence": str(facts["licence"]) or None,
        "path": str(folder),
        "size_bytes": n_bytes(folder, facts),
        "status": status,
    }
    return Delivery(row, (f"{facts['name']}: {note}",) if note else ())


def is_about(name: str) -> bool:
    """Whether a file says what the others are and what may be done with them."""
    return name.split(".")[0] in ("README", "LICENSE", "LICENCE", "COPYING")


def fetched(parcel: Parcel, source: Source, files: Sequence[Blob], errand: Errand) -> Delivery:
    """The files of a parcel, each checked against its hash, under their last names in one folder.

    Raises `Withheld` for a treebank without text (its README comes first), `InputError` if two
    files have one name, or the files are not those of the first time.
    """
    folder = destination(parcel, errand)
    names = [blob.path.rpartition("/")[2] for blob in files]
    if len({name.casefold() for name in names}) < len(names):
        raise InputError(
            parcel.name, "two of its files have one name", "another revision", kind="format"
        )
    staged = staging(folder)
    order = sorted(zip(names, files, strict=True), key=lambda pair: not is_about(pair[0]))
    for name, blob in order:
        path = staged / name
        if not (path.is_file() and not fault_of(path, blob.expected)):
            _bring(source, blob, path, errand)
        if name.startswith("README") and parcel.kind == TREEBANK and withholds_text(_text(path)):
            shutil.rmtree(staged)
            agrees(errand, _text_key(parcel), WITHHELD)
            raise Withheld(parcel.name)
    agrees(errand, f"{parcel.name}@{source.revision}", fingerprint(files))
    facts = {
        "host": source.host,
        "repository": source.repository,
        "revision": source.revision,
        "hashes": {name: blob.hash for name, blob in order},
    }
    return finished(parcel, names, facts, errand)


def _bring(source: Source, blob: Blob, path: Path, errand: Errand) -> None:
    folder = errand.source.folder
    where = (source.host, source.repository, source.revision, blob.path)
    if folder is not None:
        there = address.file_in(folder, *where)
        try:
            shutil.copyfile(there, path)
        except OSError as error:
            wrong = f"cannot be copied ({error.strerror or error})"
            raise InputError(
                str(there), wrong, "a mirror one may read", kind="unsupported"
            ) from error
        if fault := fault_of(path, blob.expected):
            raise InputError(str(there), fault, "a mirror that nobody is changing", kind="format")
        return
    url = address.file(errand.source, *where)
    try:
        download(url, path, blob.expected, errand.wire, errand.progress)
    except NotThere:
        raise InputError(
            shown(url), "is listed, but not there", "another --mirror", kind="network"
        ) from None


def finished(
    parcel: Parcel, names: Sequence[str], facts: Mapping[str, object], errand: Errand
) -> Delivery:
    """Gives the staged files `names` their folder and manifest; `facts` say where they are from."""
    folder = destination(parcel, errand)
    staged = staging(folder)
    readme = "".join(_text(staged / each) for each in names if each.startswith("README"))
    others = [each for each in names if is_about(each) and not each.startswith("README")]
    licence, note = parcel.licence, ""
    if not licence:
        licence, note = licence_of(readme, "".join(_text(staged / each) for each in others))
    finish(
        folder,
        names,
        {
            "kind": parcel.kind,
            "name": parcel.name,
            "version": parcel.version,
            "language": parcel.language or _language(names),
            "licence": licence,
            "note": note,
            "retrieved": errand.now,
            **facts,
        },
    )
    standing = about(folder)
    assert standing is not None  # written a moment ago, under the lock
    return delivery(folder, standing, "fetched")


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def _language(names: Sequence[str]) -> str:
    """The code with which the treebank's files begin."""
    codes = [re.match(r"[a-z]{2,3}(?=[_-])", each) for each in names if each.endswith(".conllu")]
    return next((code[0] for code in codes if code is not None), "")
