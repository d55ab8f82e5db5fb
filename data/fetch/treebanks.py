"""One treebank from the tag of its own repository."""

import re
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.fetch.cache import Errand, locked
from colorless_green.data.fetch.catalogue import (
    REPOSITORY,
    Entry,
    entry_named,
    in_release,
    newest,
    unknown,
)
from colorless_green.data.fetch.listing import blobs
from colorless_green.data.fetch.parcel import (
    TREEBANK,
    Delivery,
    Parcel,
    Source,
    at_hand,
    destination,
    fetched,
    is_about,
    refuse_withheld,
)
from colorless_green.data.fetch.wire import NotThere

OWNER = "UniversalDependencies"
# en_ewt-ud-train.conllu; in releases before 2.2 the first of a language has no name: en-ud-train
RELEASE_FILE = re.compile(r"[a-z]{2,3}(?:_[a-z0-9]+)?-ud-[A-Za-z0-9-]+\.conllu")


def is_release_file(name: str) -> bool:
    """Whether a file at the top of a repository, or in an archive, is part of what is kept."""
    return RELEASE_FILE.fullmatch(name) is not None or is_about(name)


def repository_named(name: str) -> str:
    """The repository a treebank is in now, by code or by present or former repository name.

    A full name `UD_Language-Name` that is not in the table is taken as it stands. Raises
    `InputError` for any other.
    """
    entry = entry_named(name)
    if entry is not None:
        return entry.repository
    if "-" in name and REPOSITORY.fullmatch(name):
        return name
    raise unknown(name)


def treebank_parcel(repository: str, version: str) -> Parcel:
    """A treebank of a release, as it lies in the cache."""
    place = Path("ud", f"r{version}", repository)
    return Parcel(TREEBANK, repository, version, "", "", place)


def fetch_treebank(name: str, version: str, errand: Errand) -> Delivery:
    """A treebank by name, from the cache or from its repository.

    Raises `InputError` if there is none of that name in the release, `Withheld` for one without
    text.
    """
    repository = repository_named(name)
    entry = entry_named(name)
    parcel = treebank_parcel(repository, version)
    with locked(errand.cache, destination(parcel, errand), errand.wire.sleep):
        found = at_hand(parcel, errand)
        if found is not None:
            return found
        refuse_withheld(parcel, errand)
        if entry is not None and not in_release(entry, version):
            raise _not_in(entry, version)
        source = Source("github", f"{OWNER}/{repository}", f"r{version}")
        try:
            listed = blobs(
                errand.source, source.host, source.repository, source.revision, errand.wire
            )
        except NotThere:
            if entry is None:
                raise unknown(name) from None
            raise InputError(
                name,
                f"its repository has no release {version}",
                f"{newest()}, or another --mirror",
                kind="unknown",
            ) from None
        files = [blob for blob in listed if is_release_file(blob.path)]
        if not any(RELEASE_FILE.fullmatch(blob.path) for blob in files):
            raise InputError(
                name,
                f"has no treebank files in release {version}",
                "another release",
                kind="format",
            )
        return fetched(parcel, source, files, errand)


def _not_in(entry: Entry, version: str) -> InputError:
    runs = [f"{first} to {last}" if first != last else first for first, last in entry.releases]
    return InputError(
        f"{entry.repository}@{version}",
        f"is not in this release, but in {' and '.join(runs)}",
        f"{entry.code}@{entry.releases[-1][1]}",
        kind="format",
    )
