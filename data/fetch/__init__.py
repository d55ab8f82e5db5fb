"""Treebanks and published sets by name: from the network, a mirror or the cache into folders.

A folder appears under its name in one step, after every file in it was checked, with a
`manifest.json` that says what it is and lists the files. Until then it is `.NAME.part` beside it,
where an interrupted call goes on. One process at a time works on one folder.
"""

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from colorless_green.data.errors import InputError
from colorless_green.data.fetch import catalogue
from colorless_green.data.fetch.archive import from_archive
from colorless_green.data.fetch.catalogue import (
    LICENCE,
    README,
    RELEASE_FILE,
    PublishedSet,
    text_of,
)
from colorless_green.data.fetch.catalogue import licence_of as licence_of
from colorless_green.data.fetch.transfer import Blob, NotThere, Source, locked, writing
from colorless_green.data.fetch.transfer import Wire as Wire
from colorless_green.data.files import MANIFEST, read_manifest, write_manifest, write_whole
from colorless_green.data.languages import suggested
from colorless_green.data.progress import Progress, silent
from colorless_green.data.registry import nearest
from colorless_green.data.result import Result
from colorless_green.data.store import now as clock
from colorless_green.data.tables import Row

COLUMNS = ("name", "version", "language", "licence", "path", "size_bytes", "status")
LIST_COLUMNS = ("name", "what", "version", "language", "licence", "status")
COMMIT = re.compile(r"[0-9a-f]{40}")
PART = re.compile(r"[a-z][a-z_]*")
WITHHELD = "withheld"  # texts that are not public: every form is "_"


def fetch(
    names: str | Sequence[str] | None = None,
    *,
    language: str = "",
    everything: bool = False,
    listing: bool = False,
    release: str = "",
    mirror: str = "",
    out: str | Path | None = None,
    progress: Progress = silent,
    now: str = "",
    wire: Wire = Wire(),
) -> Result:
    """Downloads treebanks and published test sets, each as a folder with licence and manifest.

    Args:
        names: `it_isdt@2.16`, `UD_Italian-ISDT`, `blimp`, `multiblimp:nld`; one or several.
        language: all treebanks of a language (code or English name) besides.
        everything: read the release's archive instead of the treebanks' repositories; with names
            or a language, take only these from it.
        listing: fetch nothing; rows are what there is in the release and whether the cache has it,
            and names choose rows by a part of their name.
        release: for names without a version; "" is the newest of the table.
        mirror: an address or a folder in place of all hosts.
        out: a folder in place of the cache.
        progress: told the KiB of each file.
        now: the time for the manifest; "" for the clock's.
        wire: how to wait for a server.

    Returns:
        One row a folder, in the order asked for; its status is `fetched`, `cached`, `copied` (from
        the cache to `out`) or `withheld` (its texts are not public).

    Raises:
        InputError: for every mistake, of the user or of a server.

    >>> fetch("it_isdt", listing=True).rows[0]["language"]
    'it'
    """
    names = [names] if isinstance(names, str) else names or ()
    version = catalogue.version_of(release, "--release")
    code = catalogue.language_code(language) if language else ""
    if code is None:
        wrong = f"no treebank of the language {language!r}"
        right = f"{suggested(language)}a code or an English name that --list shows"
        raise InputError("--language", wrong, right, kind="unknown")
    if listing:
        return _listed(names, code, version)
    wanted = [catalogue.taken_apart(name, version) for name in names]
    if not (wanted or code or everything):
        right = "a name, --language CODE, or --all; --list shows names"
        raise InputError("fetch", "no name is given", right, kind="missing")
    with closing(Source(mirror, wire, progress)) as source:
        errand = Errand(source, cache_folder(), None if out is None else Path(out), now or clock())
        rows = list(_rows(wanted, code, version, everything, errand))
    if any(row["version"] == "2.0" for row in rows):
        errand.notes.append("release 2.0 held its test files back; version 2.0-test has them")
    found = any(row["status"] != WITHHELD for row in rows)
    return Result(rows, COLUMNS, tuple(dict.fromkeys(errand.notes)), found)


def _rows(
    wanted: Sequence[tuple[str, str, str]], code: str, version: str, everything: bool, do: "Errand"
) -> Iterator[Row]:
    in_archives: dict[str, set[str]] = {}
    for name, part, at in wanted:
        if published := catalogue.set_named(name):
            yield from _set(published, part, at, do)
        elif everything:
            in_archives.setdefault(at, set()).add(name)
        else:
            row = _treebank(name, at, do)
            if row["status"] == WITHHELD:
                wrong = "its text is withheld (every form is '_'), so nothing can be mined from it"
                right = "another treebank, or one rebuilt from the source that its README names"
                raise InputError(f"{name}@{at}", wrong, right, kind="empty")
            yield row
    if everything:
        if code or not in_archives:
            in_archives.setdefault(version, set())
        for at, names in in_archives.items():
            yield from from_archive(at, names, code if at == version else "", do)
    elif code:
        found = catalogue.of_release(version, code)
        if not found:
            wrong = f"release {version} has no treebank of {code!r}"
            raise InputError("--language", wrong, "a newer --release", kind="unknown")
        for each in found:
            row = _treebank(each.repository, version, do)
            if row["status"] == WITHHELD:
                do.notes.append(f"{each.repository}: its texts are withheld, so it was left out")
            yield row


def _listed(names: Sequence[str], code: str, version: str) -> Result:
    """What there is in a release, in a language, with a part of a name; and what is cached."""
    cells: list[tuple[str, ...]] = []
    for entry in catalogue.of_release(version):
        facts = about(cache_folder() / "ud" / f"r{version}" / entry.repository) or {}
        licence, status = str(facts.get("licence", "")), "cached" if facts else ""
        cells.append((entry.code, entry.repository, version, entry.language, licence, status))
    for each in catalogue.published_sets():
        part = ":LANGUAGE" if "{part}" in each.repository else "[:PART]" * each.has_parts
        kept = (cache_folder() / "published" / each.name).glob(f"*/**/{MANIFEST}")
        status = "cached" if any(about(path.parent) for path in kept) else ""
        at = each.commit("")[:10]
        cells.append((each.name + part, each.what, at, each.language, each.licence, status))
    rows: list[Row] = [
        dict(zip(LIST_COLUMNS, (cell or None for cell in row), strict=True))
        for row in cells
        if (not code or {code, "mul"} & set(row[3].split()))
        and (not names or any(name.casefold() in f"{row[0]} {row[1]}".casefold() for name in names))
    ]
    return Result(rows, LIST_COLUMNS, (), bool(rows))


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """The folder the environment variable COLORLESS_CACHE names, or the system's for caches."""
    if environment.get("COLORLESS_CACHE"):
        return Path(environment["COLORLESS_CACHE"]).expanduser()
    from platformdirs import user_cache_path

    return user_cache_path("colorless-green", appauthor=False)


def about(folder: Path) -> dict[str, Any] | None:
    """What a folder's manifest says, without a look at its files; None if it has none."""
    try:
        value = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def _verified(folder: Path) -> dict[str, Any]:
    """What a folder's manifest says if every file it lists is there as it was; else nothing."""
    try:
        return dict(read_manifest(folder))
    except InputError:
        return {}


@dataclass(frozen=True, slots=True)
class Parcel:
    """A folder to be had."""

    kind: str  # "treebank" or "published set"
    name: str  # "UD_Italian-ISDT", "multiblimp:nld"
    version: str  # "2.16", or a commit
    place: Path  # in the cache: ud/r2.16/UD_Italian-ISDT
    language: str = ""  # "": the names of its files tell
    licence: str = ""  # SPDX id; "": its own files tell


@dataclass(frozen=True, slots=True)
class Errand:
    """What all parts of one call of `fetch` share, and how a folder gets into its place."""

    source: Source
    cache: Path
    out: Path | None  # None: into the cache
    now: str  # for the manifest
    notes: list[str] = field(default_factory=list)  # what is to be said at the end

    def first_use(self, key: str, value: str = "") -> str:
        """What was recorded under `key` on its first use; if nothing was, `value` now is.

        Raises `InputError` if it was another value.
        """
        path = self.cache / "first_use.json"
        with locked(path, self.cache):
            try:
                known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
                values = {each: str(known[each]["value"]) for each in known}
            except (OSError, ValueError, KeyError, TypeError):
                wrong, right = "this is not a record of first uses", "the file as it was, or none"
                raise InputError(str(path), wrong, right, kind="format") from None
            if value and key not in known:
                known[key] = {"value": value, "first_use": self.now}
                with write_whole(path) as stream:
                    json.dump(known, stream, ensure_ascii=False, indent=1, sort_keys=True)
                    stream.write("\n")
        first = values.get(key, value)
        if value and first != value:
            wrong = f"is not what it was on its first use: its hash is {value}, was {first}"
            right = f"the old state; if you trust the new one, remove the entry from {path}"
            raise InputError(key, wrong, right, kind="changed")
        return first

    def treebank(self, repository: str, release: str) -> Parcel:
        """A treebank as it was in a release."""
        return Parcel("treebank", repository, release, Path("ud", f"r{release}", repository))

    def folder(self, parcel: Parcel) -> Path:
        """Where a parcel goes: into the cache, or under `--out`."""
        if self.out is None:
            return self.cache / parcel.place
        return self.out / parcel.name.replace(":", "-")

    def staging(self, parcel: Parcel) -> Path:
        """The folder in which it is put together; what an interrupted call left is in it."""
        folder = self.folder(parcel)
        path = folder.with_name(f".{folder.name}.part")
        with writing(path):
            path.mkdir(parents=True, exist_ok=True)
        return path

    def at_hand(self, parcel: Parcel) -> Row | None:
        """The row of a parcel whose folder stands with all its files as they were, or in the cache.

        Raises `InputError` where `--out` already has a folder of that name that is something else.
        """
        folder, cached = self.folder(parcel), self.cache / parcel.place
        facts = _verified(folder)
        if (facts.get("name"), facts.get("version")) == (parcel.name, parcel.version):
            return self.row(folder, facts, "cached")
        if self.out is None:
            return None
        if folder.exists():
            wrong = f"exists and is not {parcel.name} {parcel.version}"
            raise InputError(str(folder), wrong, "another --out", kind="conflict")
        facts = _verified(cached)
        if not facts:
            return None
        staged = self.staging(parcel)
        with writing(folder):
            shutil.rmtree(staged)
            staged.mkdir()
            for name in (*facts["files"], MANIFEST):
                shutil.copyfile(cached / name, staged / name)
            staged.rename(folder)
        return self.row(folder, facts, "copied")

    def row(self, folder: Path, facts: Mapping[str, Any], status: str) -> Row:
        """The row for a folder with its manifest."""
        if facts["note"]:
            self.notes.append(f"{facts['name']}: {facts['note']}")
        size = sum((folder / name).stat().st_size for name in facts["files"])
        shown = {name: facts[name] or None for name in COLUMNS[:4]}
        return {**shown, "path": str(folder), "size_bytes": size, "status": status}

    def delivered(
        self, parcel: Parcel, where: tuple[str, str, str], files: Callable[[], Sequence[Blob]]
    ) -> Row:
        """The row of a parcel: at hand, or its files fetched from (host, repository, revision)."""
        with locked(self.folder(parcel), self.cache):
            if found := self.at_hand(parcel):
                return found
            masked = f"text of {parcel.name}@{parcel.version}"
            if not self.first_use(masked):
                if found := self.fetched(parcel, where, files()):
                    return found
                self.first_use(masked, WITHHELD)
            return {"name": parcel.name, "version": parcel.version, "status": WITHHELD}

    def fetched(
        self, parcel: Parcel, where: tuple[str, str, str], files: Sequence[Blob]
    ) -> Row | None:
        """The row of a parcel's files, each checked, under their last names in one folder; None for
        a treebank without text (its README comes first)."""
        blobs = {blob.path.rpartition("/")[2]: blob for blob in files}
        if len({name.casefold() for name in blobs}) < len(files):
            wrong = "two of its files have one name"
            raise InputError(parcel.name, wrong, "another revision", kind="conflict")
        staged = self.staging(parcel)
        for name in sorted(blobs, key=lambda name: not README.fullmatch(name)):
            path, blob = staged / name, blobs[name]
            if not (path.is_file() and not blob.fault_of(path)):
                self.source.bring(*where, blob, path)
            readme = text_of(staged, [name], README)
            if parcel.kind == "treebank" and catalogue.withholds_text(readme):
                shutil.rmtree(staged)
                return None
        lines = sorted(f"{blob.hash} {blob.path}\n" for blob in files)
        self.first_use(f"{parcel.name}@{where[2]}", sha256("".join(lines).encode()).hexdigest())
        facts = dict(zip(("host", "repository", "revision"), where, strict=True))
        hashes = {name: blob.hash for name, blob in blobs.items()}
        return self.finished(parcel, {**facts, "hashes": hashes}, list(blobs))

    def finished(self, parcel: Parcel, source: Mapping[str, object], names: Sequence[str]) -> Row:
        """Gives the staged files their manifest and, in one step, their folder's name.

        What else was staged goes; a folder that stood there (whose files were changed, or it would
        not be replaced) goes only after the new one stands.
        """
        folder, staged = self.folder(parcel), self.staging(parcel)
        old = folder.with_name(f".{folder.name}.old")
        readme, terms = (text_of(staged, names, which) for which in (README, LICENCE))
        licence, note = (parcel.licence, "") if parcel.licence else licence_of(readme, terms)
        codes = [match[1] for each in names if (match := RELEASE_FILE.fullmatch(each))]
        facts = {name: getattr(parcel, name) for name in ("kind", "name", "version")}
        facts |= {"language": parcel.language or "".join(codes[:1]), "retrieved": self.now}
        with writing(folder):
            for path in staged.iterdir():
                if path.name not in names:
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
            write_manifest(staged, names, {**facts, "licence": licence, "note": note, **source})
            shutil.rmtree(old, ignore_errors=True)
            if folder.exists():
                folder.rename(old)
            staged.rename(folder)
            shutil.rmtree(old, ignore_errors=True)
        return self.row(folder, about(folder) or {}, "fetched")


def _treebank(repository: str, version: str, do: Errand) -> Row:
    """A treebank from the tag of its own repository."""
    entry, place = catalogue.treebank_named(repository), f"{repository}@{version}"
    where = ("github", f"UniversalDependencies/{repository}", f"r{version}")

    def files() -> list[Blob]:
        if entry and not entry.in_release(version):
            runs = " and ".join(f"{first} to {last}" for first, last in entry.releases)
            wrong, right = f"is not in this release, but in {runs}", entry.releases[-1][1]
            raise InputError(place, wrong, f"{entry.code}@{right}", kind="unknown")
        try:
            found = do.source.listing(*where)
        except NotThere:
            if not entry:
                raise catalogue.unknown(repository) from None
            found = []
        if not any(RELEASE_FILE.fullmatch(each.path) for each in found):
            wrong, right = "its repository has no such release", "another release or --mirror"
            raise InputError(place, wrong, right, kind="missing")
        return [each for each in found if catalogue.is_kept(each.path)]

    return do.delivered(do.treebank(repository, version), where, files)


def _set(published: PublishedSet, part: str, version: str, do: Errand) -> list[Row]:
    """The parts of a published set (`part`: one of them, "" for all), files of one commit.

    `version`: a commit to take instead of the one of the table, "" for that one; where the table
    has none, the newest when it was first fetched, which is then recorded.
    """
    part, name = part.casefold(), published.name
    place = f"{name}:{part}" if part else name
    if part and not (published.has_parts and PART.fullmatch(part)):
        raise InputError(place, "there is no such part", name, kind="unknown")
    if not part and "{part}" in published.repository:
        raise InputError(place, "each language is one part", f"{name}:ita, say", kind="missing")
    if version and not COMMIT.fullmatch(version):
        right = "its 40 hexadecimal digits"
        raise InputError(f"{name}@{version}", "this is not a commit", right, kind="value")
    repository = published.repository.replace("{part}", part)
    commit = version or published.commit(part) or do.first_use(repository)
    commit = commit or do.first_use(repository, do.source.newest(repository))
    where = (published.host, repository, commit)
    rows, found = [], {} if part or not published.has_parts else _parts(published, "", where, do)
    for each in found or [part]:
        language = catalogue.language_code(each) or each or published.language
        folder, full = Path("published", name, commit, each), f"{name}:{each}" if each else name
        parcel = Parcel("published set", full, commit, folder, language, published.licence)

        def files(of: str = each) -> list[Blob]:
            return (found or _parts(published, of, where, do))[of]

        rows.append(do.delivered(parcel, where, files))
    return rows


def _parts(
    published: PublishedSet, part: str, where: tuple[str, str, str], do: Errand
) -> dict[str, list[Blob]]:
    """The files of each part of a set (of `part` at least), those that say what it is with each."""
    listed, found = _listed_at(where, do), dict[str, list[Blob]]()
    pattern = re.compile(published.files.replace("{part}", re.escape(part)))
    for blob in listed:
        if match := pattern.fullmatch(blob.path):
            of = match.groupdict().get("part") or part
            found.setdefault(of.casefold(), []).append(blob)
    if not found or part not in ("", *found):
        place = f"{published.name}:{part}" if part else published.name
        right = nearest(part, sorted(found)) if found else "another commit"
        raise InputError(place, "there is no such part", right, kind="unknown")
    shared = [blob for blob in listed if catalogue.is_about(blob.path)]
    return {of: [*found[of], *shared] for of in sorted(found)}


def _listed_at(where: tuple[str, str, str], do: Errand) -> list[Blob]:
    """The files of a commit. The list is kept, since a commit's files never change."""
    kept = do.cache / "lists" / f"{where[1].replace('/', '-')}@{where[2]}.json"
    try:
        return [Blob(*each) for each in json.loads(kept.read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError):  # not kept yet, or not whole
        listed = do.source.listing(*where)
    if do.source.folder is None:  # a folder may have a part of them only
        with write_whole(kept) as stream:
            json.dump([[blob.path, blob.size, blob.hash] for blob in listed], stream)
    return listed
