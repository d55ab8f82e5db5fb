"""A fetched folder: its path, its row in the result, its licence, and how it is filled.

A folder appears under its name in one step, after every file in it was checked. Its
`manifest.json` says what the folder is and lists the files.

The licence of a treebank is read from its README and its licence file. The table `licences.tsv` has
for each SPDX id a regular expression of the licence's name in plain text, single blanks between
words; "-only" becomes "-or-later" if the text goes on so.
"""

import fcntl
import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from ..errors import InputError
from ..files import (
    manifest_facts,
    read_manifest,
    sha256_file,
    unwritable,
    user_path,
    write_folder,
    write_whole,
)
from ..progress import Progress
from ..tables import Row, read_tsv

LICENCE_TABLE = Path(__file__).parent / "licences.tsv"
CC = re.compile(
    r"(?:\bCC[ -]+|\bCreative[ ]Commons[ ]+|creativecommons\.org/licenses/)"
    r"BY(?P<short>(?:[ -]+(?:NC|SA|ND))*)[ -/]+v?(?P<version>[1-4]\.[05])"
    r"|Attribution(?P<long>(?:\s*-\s*(?:Non-?Commercial|Share-?Alike|No-?Derivat\w+))*)"
    r"(?:\s+(?:Generic|International|Unported|License|Licence))*\s+"
    r"(?P<long_version>[1-4]\.[05])",
    re.IGNORECASE,
)
CC_TERMS = {"NC": "nc|non-?com", "SA": "sa|share", "ND": "nd|no-?der"}
README_FIELD = re.compile(
    r"^[ \t]*(License|Includes text)[ \t]*:[ \t]*(\S.*?)[ \t\r]*$", re.MULTILINE
)


def licence_of(readme: str, licence_text: str) -> tuple[str, str]:
    """Return the licence that a repository states.

    The field "License" of the README decides, as it does for the UD site. A licence file that names
    another licence is reported in the note, since only the authors can say which one they meant.

    Args:
        readme: Text of the README, "" if there is none.
        licence_text: Text of the licence file, "" if there is none.

    Returns:
        (SPDX id, "" if unknown; a note for the user, "" for none).

    >>> licence_of("License: CC BY-SA 4.0", "")
    ('CC-BY-SA-4.0', '')
    """
    by_readme, by_file = _spdx_id(_readme_field(readme, "License")), _spdx_id(licence_text)
    if by_readme and by_file and by_readme != by_file:
        return by_readme, f"its README says {by_readme}, its licence file {by_file}"
    licence = by_readme or by_file
    return licence, "" if licence else "it names no licence that is known here"


def withholds_text(readme: str) -> bool:
    """Return whether a treebank is distributed with every form masked (`Includes text: no`)."""
    return _readme_field(readme, "Includes text").casefold().startswith("no")


def _readme_field(readme: str, field: str) -> str:
    """Return the value of a field such as "License" in a treebank's README; "" if it has none.

    If the field comes twice, the last one counts: fields stand near the end of a README.
    """
    value_of: dict[str, str] = dict(README_FIELD.findall(readme))
    return value_of.get(field, "")


def _spdx_id(text: str) -> str:
    """Return the SPDX id of the licence that a text names first; "" if it names no known one. A
    Creative Commons licence counts as the first, wherever it stands; of two names that begin at the
    same place, the shorter one counts.

    Texts name a Creative Commons licence in four ways: `CC BY-SA 4.0`, `Creative Commons BY-SA
    4.0`, by address, and `Attribution-ShareAlike 4.0 International`.
    """
    if match := CC.search(text):
        terms = (match["short"] or match["long"] or "").casefold()
        version = match["version"] or match["long_version"]
        abbreviations = [term for term, pattern in CC_TERMS.items() if re.search(pattern, terms)]
        return "-".join(["CC", "BY", *abbreviations, version])
    plain = " ".join(text.split())
    named = ((licence, pattern.search(plain)) for licence, pattern in _licences().items())
    hits = [(hit.start(), hit.end(), licence) for licence, hit in named if hit]
    if not hits:
        return ""
    _, end, name = min(hits)
    is_or_later = plain[end:].startswith(("-or-later", "+", " or later"))
    return name.replace("-only", "-or-later") if is_or_later else name


@cache
def _licences() -> dict[str, re.Pattern[str]]:
    """Return the pattern that finds a licence's name in a text, for each known SPDX id."""
    return {row["licence"]: re.compile(row["pattern"]) for row in read_tsv(LICENCE_TABLE)}


COLUMNS = ("name", "version", "language", "licence", "path", "size_bytes", "status")
# en_ewt-ud-train.conllu; in releases before 2.2 the first of a language has no name: en-ud-train
RELEASE_FILE = re.compile(r"[a-z]{2,3}(?:_[a-z0-9]+)?-ud-[A-Za-z0-9-]+\.conllu")
# Paths come from outside: these patterns and those of sets.tsv let only plain names through.
README = re.compile(r"README(?:\.[A-Za-z0-9]{1,16})?")
LICENCE = re.compile(r"(?:LICEN[SC]E|COPYING)(?:\.[A-Za-z0-9]{1,16})?")
MOST_TEXT_BYTES = 1 << 20  # of a README that is read for its licence


def cache_folder() -> Path:
    """Return the folder that COLORLESS_CACHE names, or else the system's folder for caches."""
    if named := os.environ.get("COLORLESS_CACHE"):
        return user_path(named)
    from platformdirs import user_cache_path

    return user_cache_path("colorless-green", appauthor=False)


@contextmanager
def stage_in(cache: Path) -> Iterator[Path]:
    """Yield an empty folder in the cache to download into; remove it at the end.

    Only one process at a time has it, and others wait. If a process dies, the system frees its
    lock, and the next process removes what it left in the folder.
    """
    stage = cache / "arriving"
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with open(cache / "lock", "ab") as handle:
            with suppress(OSError):  # a file system without locks: no process waits
                fcntl.flock(handle, fcntl.LOCK_EX)
            shutil.rmtree(stage, ignore_errors=True)
            try:
                stage.mkdir()
                yield stage
            finally:
                shutil.rmtree(stage, ignore_errors=True)
    except OSError as error:
        raise unwritable(cache, error) from error


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder to be fetched: a treebank, or a published set or a part of one, at a version."""

    name: str  # "UD_Italian-ISDT", "multiblimp:nld"
    version: str  # "2.16", or a commit
    files: re.Pattern[str]  # matches the paths of its files in the archive
    language: str
    licence: str = ""  # SPDX id; "": its own files state the licence

    @property
    def path(self) -> Path:
        """The folder's path inside the cache, such as ud/r2.16/UD_Italian-ISDT."""
        if self.name.startswith("UD_"):
            return Path("ud", f"r{self.version}", self.name)
        name, _, part = self.name.partition(":")
        return Path("published", name, self.version, part)


@dataclass(frozen=True, slots=True)
class FetchCall:
    """One call of `fetch`: the values that all its folders share."""

    cache: Path
    out: Path | None  # the user's folder for the data; None: they stay in the cache
    now: str  # time of the call, for manifests
    progress: Progress
    notes: list[str] = field(default_factory=list)  # messages of the result, collected here

    def first_use(self, key: str, value: str = "") -> str:
        """Return the value recorded at the first use of `key`; if there is none, record `value`.

        Values are hashes or commits. With "" nothing is recorded. Raises `InputError` if `value` is
        not the recorded one.
        """
        path = self.cache / "first_use.json"
        try:
            record = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
            earlier = str(record[key]["value"]) if key in record else value
        except (OSError, ValueError, KeyError, TypeError):
            wrong, right = "this is not a record of first uses", "restore or remove this file"
            raise InputError(str(path), wrong, right, kind="format") from None
        if value and earlier != value:
            wrong = f"is not what it was on its first use: its hash is {value}, was {earlier}"
            right = f"bring back the old one; if you trust the new, remove the entry from {path}"
            raise InputError(key, wrong, right, kind="changed")
        if value and key not in record:
            record[key] = {"value": value, "first_use": self.now}
            with write_whole(path) as stream:
                json.dump(record, stream, ensure_ascii=False, indent=1, sort_keys=True)
                stream.write("\n")
        return earlier

    def target(self, folder: Folder) -> Path:
        """Return the path of a folder on disk: in the cache, or in the user's `--out`."""
        return self.out / folder.name.replace(":", "-") if self.out else self.cache / folder.path

    def existing(self, folder: Folder) -> Row | None:
        """Return the result's row of a folder on disk, unchanged; None if it must be fetched.

        Raises `InputError` if the user's `--out` has something else of that name.
        """
        target = self.target(folder)
        with suppress(InputError):  # there is no folder, or its files were changed
            facts = read_manifest(target)
            if (facts.get("name"), facts.get("version")) == (folder.name, folder.version):
                return self._row(target, "cached")
        if self.out and target.exists():
            wrong = f"exists and is not {folder.name} {folder.version}"
            raise InputError(str(target), wrong, "name another folder with --out", kind="conflict")
        return None

    def put(self, folder: Folder, files: Mapping[Path, str], source: Mapping[str, str]) -> Row:
        """Make a folder of downloaded files, with a manifest, in one step; return the result's row.

        Args:
            folder: the folder to make.
            files: path of each file on disk, from which it is moved → its path in the archive.
            source: address and SHA-256 of the download, for the manifest.
        """
        readme, licence_text = (
            "".join(_first_mib(path) for path in sorted(files) if pattern.fullmatch(path.name))
            for pattern in (README, LICENCE)
        )
        licence, note = folder.licence, ""
        if not licence:
            licence, note = licence_of(readme, licence_text)
        notes = [note] if note else []
        if withholds_text(readme):
            notes.insert(0, "its text is withheld: every form is _, and nothing can be mined")
        facts = {
            "name": folder.name,
            "version": folder.version,
            "retrieved": self.now,
            **source,
            "licence": licence,
            "note": "; ".join(notes),
            "language": folder.language,
        }
        target = self.target(folder)
        with write_folder(target, facts) as fresh:
            for path in files:
                shutil.move(path, fresh / path.name)
        return self._row(target, "fetched")

    def _row(self, target: Path, status: str) -> Row:
        """Return the result's row of a folder on disk; add the note in its manifest to `notes`."""
        facts = manifest_facts(target)
        if facts.get("note"):
            self.notes.append(f"{facts['name']}: {facts['note']}")
        size = sum((target / name).stat().st_size for name in facts["files"])
        cells = {
            name: facts.get(name) or None for name in ("name", "version", "language", "licence")
        }
        return {**cells, "path": str(target), "size_bytes": size, "status": status}


def content_hash(files: Mapping[Path, str]) -> str:
    """Return one SHA-256 over all files: their contents and their paths in the archive."""
    lines = sorted(f"{sha256_file(file)} {path}\n" for file, path in files.items())
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _first_mib(path: Path) -> str:
    """Return the first MiB of a text file as text."""
    with open(path, "rb") as stream:
        return stream.read(MOST_TEXT_BYTES).decode("utf-8", errors="replace")
