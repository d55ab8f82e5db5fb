"""A fetched folder: its path, its row in the result, and how it is filled.

A folder appears under its name in one step, after every file in it was checked, with a
`manifest.json` that says what it is and lists the files.

Read in the README and licence file of a treebank under which licence it is.

`licences.tsv` has the SPDX id, and a pattern of the licence's name, spaces collapsed; "-only" may
turn out as "-or-later".
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

TABLE = Path(__file__).parent / "licences.tsv"
CC = re.compile(
    r"(?:\bCC[ -]+|\bCreative[ ]Commons[ ]+|creativecommons\.org/licenses/)"
    r"BY(?P<short>(?:[ -]+(?:NC|SA|ND))*)[ -/]+v?(?P<a>[1-4]\.[05])"
    r"|Attribution(?P<long>(?:\s*-\s*(?:Non-?Commercial|Share-?Alike|No-?Derivat\w+))*)"
    r"(?:\s+(?:Generic|International|Unported|License|Licence))*\s+(?P<b>[1-4]\.[05])",
    re.IGNORECASE,
)
CC_TERMS = {"NC": "nc|non-?com", "SA": "sa|share", "ND": "nd|no-?der"}
FIELD = re.compile(r"^[ \t]*(License|Includes text)[ \t]*:[ \t]*(\S.*?)[ \t\r]*$", re.MULTILINE)


def licence_of(readme: str, licence_text: str) -> tuple[str, str]:
    """Return the licence that a repository states.

    The README's field decides, as it does for the UD site; a licence file that names another one is
    reported, since only the authors can say which one they meant.

    Args:
        readme: Text of the README, "" if there is none.
        licence_text: Text of the licence file, "" if there is none.

    Returns:
        (SPDX id or "", a note about it or "").

    >>> licence_of("License: CC BY-SA 4.0", "")
    ('CC-BY-SA-4.0', '')
    """
    by_readme, by_file = _spdx(_readme_field(readme, "License")), _spdx(licence_text)
    if by_readme and by_file and by_readme != by_file:
        return by_readme, f"its README says {by_readme}, its licence file {by_file}"
    licence = by_readme or by_file
    return licence, "" if licence else "it names no licence that is known here"


def withholds_text(readme: str) -> bool:
    """Return whether a treebank is distributed with every form masked (`Includes text: no`)."""
    return _readme_field(readme, "Includes text").casefold().startswith("no")


def _readme_field(readme: str, field: str) -> str:
    """Return a field of a treebank's README. Fields are near its end; the last of a name counts."""
    return {match[1]: match[2] for match in FIELD.finditer(readme)}.get(field, "")


def _spdx(text: str) -> str:
    """Return the SPDX id of the licence that a text names first; "" if it names no known one.

    Texts name a Creative Commons licence in four ways: `CC BY-SA 4.0`, `Creative Commons BY-SA
    4.0`, by address, and `Attribution-ShareAlike 4.0 International`.
    """
    if match := CC.search(text):
        terms = (match["short"] or match["long"] or "").casefold()
        abbreviations = [term for term, pattern in CC_TERMS.items() if re.search(pattern, terms)]
        return "-".join(["CC", "BY", *abbreviations, match["a"] or match["b"]])
    plain = " ".join(text.split())
    named = ((licence, pattern.search(plain)) for licence, pattern in _licences().items())
    hits = [(hit.start(), hit.end(), licence) for licence, hit in named if hit]
    if not hits:
        return ""
    _, end, name = min(hits)
    later = plain[end:].startswith(("-or-later", "+", " or later"))
    return name.replace("-only", "-or-later") if later else name


@cache
def _licences() -> dict[str, re.Pattern[str]]:
    """Return all licences of the table with the pattern of their names."""
    return {row["licence"]: re.compile(row["pattern"]) for row in read_tsv(TABLE)}


COLUMNS = ("name", "version", "language", "licence", "path", "size_bytes", "status")
# en_ewt-ud-train.conllu; in releases before 2.2 the first of a language has no name: en-ud-train
RELEASE_FILE = re.compile(r"[a-z]{2,3}(?:_[a-z0-9]+)?-ud-[A-Za-z0-9-]+\.conllu")
# Paths from outside: what these patterns and those of sets.tsv let through is a plain name.
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
    """Yield an empty folder in the cache, which is removed at the end.

    Other processes wait for it meanwhile. The system frees the lock of a dead process; what that
    left in the folder goes then.
    """
    stage = cache / "arriving"
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with open(cache / "lock", "ab") as handle:
            with suppress(OSError):  # where the disk has no locks, nothing waits
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
    """A treebank, or a published set or part of one, at a version."""

    name: str  # "UD_Italian-ISDT", "multiblimp:nld"
    version: str  # "2.16", or a commit
    files: re.Pattern[str]  # of their paths in the archive
    language: str
    licence: str = ""  # SPDX id; "": known from its own files

    @property
    def path(self) -> Path:
        """The path in the cache: ud/r2.16/UD_Italian-ISDT."""
        if self.name.startswith("UD_"):
            return Path("ud", f"r{self.version}", self.name)
        name, _, part = self.name.partition(":")
        return Path("published", name, self.version, part)


@dataclass(frozen=True, slots=True)
class FetchCall:
    """One call of `fetch`: what all its folders share."""

    cache: Path
    out: Path | None  # None: into the cache
    now: str  # for the manifest
    progress: Progress
    notes: list[str] = field(default_factory=list)  # messages for the end

    def first_use(self, key: str, value: str = "") -> str:
        """Return what was recorded under `key` at its first use; if nothing was, record `value`.

        Raises `InputError` if `value` is another one.
        """
        path = self.cache / "first_use.json"
        try:
            record = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
            earlier = str(record[key]["value"]) if key in record else value
        except (OSError, ValueError, KeyError, TypeError):
            wrong, right = "this is not a record of first uses", "the file as it was, or none"
            raise InputError(str(path), wrong, right, kind="format") from None
        if value and earlier != value:
            wrong = f"is not what it was on its first use: its hash is {value}, was {earlier}"
            right = f"the old state; if you trust the new one, remove the entry from {path}"
            raise InputError(key, wrong, right, kind="changed")
        if value and key not in record:
            record[key] = {"value": value, "first_use": self.now}
            with write_whole(path) as stream:
                json.dump(record, stream, ensure_ascii=False, indent=1, sort_keys=True)
                stream.write("\n")
        return earlier

    def target(self, folder: Folder) -> Path:
        """Return where a folder is: in the cache, or in `--out`."""
        return self.out / folder.name.replace(":", "-") if self.out else self.cache / folder.path

    def existing(self, folder: Folder) -> Row | None:
        """Return the row of a folder that is there unchanged; None if it is to be fetched.

        Raises `InputError` if `--out` has something else of that name.
        """
        target = self.target(folder)
        with suppress(InputError):
            facts = read_manifest(target)
            if (facts.get("name"), facts.get("version")) == (folder.name, folder.version):
                return self._row(target, "cached")
        if self.out and target.exists():
            wrong = f"exists and is not {folder.name} {folder.version}"
            raise InputError(str(target), wrong, "another --out", kind="conflict")
        return None

    def put(self, folder: Folder, files: Mapping[Path, str], source: Mapping[str, str]) -> Row:
        """Move files into their folder, with a manifest, in one step; return its row.

        Args:
            folder: which one.
            files: where each file is → its path in the archive.
            source: facts for the manifest.
        """
        readme, terms = (
            "".join(_beginning(path) for path in sorted(files) if pattern.fullmatch(path.name))
            for pattern in (README, LICENCE)
        )
        stated, note = (folder.licence, "") if folder.licence else licence_of(readme, terms)
        if withholds_text(readme):
            note = f"its text is withheld: every form is _, and nothing can be mined; {note}"
        facts = {
            "name": folder.name,
            "version": folder.version,
            "retrieved": self.now,
            **source,
            "licence": stated,
            "note": note.removesuffix("; "),
            "language": folder.language,
        }
        target = self.target(folder)
        with write_folder(target, facts) as fresh:
            for path in files:
                shutil.move(path, fresh / path.name)
        return self._row(target, "fetched")

    def _row(self, target: Path, status: str) -> Row:
        """Return the row of a folder that is there."""
        facts = manifest_facts(target)
        if facts.get("note"):
            self.notes.append(f"{facts['name']}: {facts['note']}")
        size = sum((target / name).stat().st_size for name in facts["files"])
        cells = {name: facts.get(name) or None for name in COLUMNS[:4]}
        return {**cells, "path": str(target), "size_bytes": size, "status": status}


def content_hash(files: Mapping[Path, str]) -> str:
    """Return the SHA-256 of all files together, with their paths in the archive."""
    lines = sorted(f"{sha256_file(file)} {path}\n" for file, path in files.items())
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _beginning(path: Path) -> str:
    with open(path, "rb") as stream:
        return stream.read(MOST_TEXT_BYTES).decode("utf-8", errors="replace")
