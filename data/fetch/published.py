"""Published test sets and lexicons: files of a repository at one commit."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.fetch.cache import Errand, agrees, locked, recalled
from colorless_green.data.fetch.catalogue import PublishedSet, language_code
from colorless_green.data.fetch.listing import COMMIT, Blob, blobs, newest_revision
from colorless_green.data.fetch.parcel import (
    SET,
    Delivery,
    Parcel,
    Source,
    at_hand,
    destination,
    fetched,
    is_about,
)
from colorless_green.data.fetch.wire import NotThere
from colorless_green.data.files import write_whole

PART = re.compile(r"[a-z][a-z_]*")


def fetch_set(published: PublishedSet, part: str, version: str, errand: Errand) -> list[Delivery]:
    """The parts of a set (`part`: one of them, "" for all), from the cache or from where it lies.

    `version`: a commit to take instead of the one of the table, "" for that one; where the table
    has none, the newest when it was first fetched, which is then recorded. Raises `InputError`.
    """
    part = part.casefold()
    _refuse_part(published, part)
    repository = published.repository.replace("{part}", part)
    revision = _revision(published, part, repository, version, errand)
    if part or not has_parts(published):
        found = _kept(_parcel(published, part, revision), errand)
        if found is not None:
            return [found]
    source = Source(published.host, repository, revision)
    listed = _listed(published, source, errand)
    parts = _by_part(published, part, listed)
    if part and part not in parts:
        known = ", ".join(sorted(parts)[:12])
        raise InputError(
            f"{published.name}:{part}", "it has no such part", f"one of {known}", kind="unknown"
        )
    deliveries = []
    for each in sorted(parts) if not part else [part]:
        parcel = _parcel(published, each, revision)
        with locked(errand.cache, destination(parcel, errand), errand.wire.sleep):
            found = at_hand(parcel, errand)
            deliveries.append(found or fetched(parcel, source, parts[each], errand))
    return deliveries


def _kept(parcel: Parcel, errand: Errand) -> Delivery | None:
    with locked(errand.cache, destination(parcel, errand), errand.wire.sleep):
        return at_hand(parcel, errand)


def has_parts(published: PublishedSet) -> bool:
    """Whether a set is divided, by language as a rule."""
    return "{part}" in published.repository or "(?P<part>" in published.files


def _refuse_part(published: PublishedSet, part: str) -> None:
    place = f"{published.name}:{part}" if part else published.name
    if part and not has_parts(published):
        raise InputError(place, "this set has no parts", published.name, kind="format")
    if part and PART.fullmatch(part) is None:
        raise InputError(
            place, f"{part!r} is no name of a part", f"{published.name}:ita", kind="unknown"
        )
    if not part and "{part}" in published.repository:
        raise InputError(
            place,
            "each language has a repository of its own",
            f"{published.name}:ita, say",
            kind="format",
        )


def _revision(
    published: PublishedSet, part: str, repository: str, version: str, errand: Errand
) -> str:
    if version:
        if COMMIT.fullmatch(version) is None:
            raise InputError(
                f"{published.name}@{version}",
                "this is no commit",
                "its 40 hexadecimal digits",
                kind="format",
            )
        return version
    pinned = dict(published.revisions)
    known = pinned.get(part) or pinned.get("") or recalled(errand.cache, repository)
    if known:
        return known
    if errand.source.folder is not None:
        raise InputError(
            f"{published.name}:{part}",
            "a folder cannot tell which commit is the newest",
            f"{published.name}:{part}@COMMIT",
            kind="unsupported",
        )
    try:
        newest = newest_revision(errand.source, repository, errand.wire)
    except NotThere:
        raise InputError(
            f"{published.name}:{part}",
            f"there is no repository {repository}",
            "another language",
            kind="format",
        ) from None
    agrees(errand, repository, newest)
    return newest


def _parcel(published: PublishedSet, part: str, revision: str) -> Parcel:
    name = f"{published.name}:{part}" if part else published.name
    language = language_code(part) or part or published.language
    place = Path("published", published.name, revision, part)
    return Parcel(SET, name, revision, language, published.licence, place)


def _by_part(
    published: PublishedSet, part: str, listed: Sequence[Blob]
) -> Mapping[str, Sequence[Blob]]:
    """The files of each part, the repository's README and licence with each."""
    pattern = re.compile(published.files.replace("{part}", re.escape(part)))
    parts: dict[str, list[Blob]] = {}
    for blob in listed:
        match = pattern.fullmatch(blob.path)
        if match is not None:
            key = match["part"].casefold() if "part" in pattern.groupindex else part
            parts.setdefault(key, []).append(blob)
    if not parts:
        raise InputError(
            published.name, "has no such files at this commit", "another commit", kind="missing"
        )
    shared = [blob for blob in listed if is_about(blob.path)]
    return {key: [*files, *shared] for key, files in parts.items()}


def _listed(published: PublishedSet, source: Source, errand: Errand) -> tuple[Blob, ...]:
    """The files of a commit. The list is kept, since a commit's files never change."""
    name = f"{source.repository.replace('/', '-')}@{source.revision}.json"
    kept = errand.cache / "lists" / name
    try:
        return tuple(Blob(*each) for each in json.loads(kept.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        pass  # not kept yet, or not whole
    try:
        listed = blobs(errand.source, source.host, source.repository, source.revision, errand.wire)
    except NotThere:
        raise InputError(
            published.name,
            f"{source.repository} has no commit {source.revision}",
            "another commit, or another --mirror",
            kind="network",
        ) from None
    if errand.source.folder is None:  # a folder may have a part of them only
        with write_whole(kept) as stream:
            json.dump([[blob.path, blob.size, blob.hash] for blob in listed], stream)
    return listed
