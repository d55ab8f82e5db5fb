"""Results of a JATOS server (3.9 and later): an archive, with or without metadata, or plain text.

An archive holds `study_result_N/comp-result_M/data.txt`, each free text (here: jsPsych's), and
`metadata.json`, which knows the people. Names in archives are looked at, never followed: nothing is
written anywhere. Results are read one after another, and no more than one is held.
"""

import json
import lzma
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ....data.errors import InputError
from ....data.items.item import Item
from ....data.opening import opened
from .._sheet import decoded, text_in
from ..imported import Imported, ImportOptions
from ..judgment import Session, utc
from .jspsych import SPACE, LoggedTrial, TrialBatch, imported_from, trials_in

DATA = re.compile(r"(?:.*/)?study_result_([0-9]+)/comp-result_([0-9]+)/data\.txt")
METADATA = "metadata.json"
MOST_ENTRIES = 100_000
BLOCK = 1 << 20
DENSEST, SMALL = 100, 1 << 26  # data are never packed so tightly, from so many bytes on
DAMAGED = (  # what unpacking raises; RuntimeError also of a packing that zipfile lacks
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, OSError, EOFError, UnicodeDecodeError,
    RuntimeError,
)  # fmt: skip
TEST_RUN = "Jatos"  # workers of this type are the researchers themselves


def read(paths: Sequence[Path], items: Sequence[Item], options: ImportOptions) -> Imported:
    """Read the judgments in archives or texts of a server. Raises `InputError` for an archive that
    is broken, too large, or leads out of itself, and as jsPsych's format does."""
    archives = {path: Archive(path, options.most_bytes) for path in paths if is_archive(path)}
    batches = (
        batch
        for path in paths
        for batch in (
            archives[path].batches()
            if path in archives
            else [TrialBatch(path, trials_in(text_in(path), path))]
        )
    )
    sessions = [session for each in archives.values() for session, _ in each.results.values()]
    return imported_from(batches, items, options, sessions)


def is_archive(path: Path) -> bool:
    """Tell whether the file is a zip, whatever its name."""
    with opened(path) as stream:
        return zipfile.is_zipfile(stream)


class Archive:
    """The results in an archive. Raises `InputError` as `read` does.

    The size that entries state is looked at before anything is unpacked, and again while unpacking.

    Attributes:
        results: number of a study result → what the server says of it, and whose id its person has.
    """

    def __init__(self, path: Path, most_bytes: int) -> None:
        self.path, self.size, self.most_bytes = path, 0, most_bytes
        with self._opened() as archive:
            entries = archive.infolist()
        names = [entry.filename for entry in entries]
        if len(names) > MOST_ENTRIES:
            raise self._refused(f"{len(names)} entries", f"an archive of at most {MOST_ENTRIES}")
        for name in names:
            leads_out = ".." in name.replace("\\", "/").split("/")
            if leads_out or re.match(r"[/\\]|[A-Za-z]:", name):
                wrong = f"{name!r} leads out of the archive"
                raise self._refused(wrong, "the archive as JATOS gives it")
        self.data = sorted(
            (int(match[1]), int(match[2]), name)
            for name in names
            if (match := DATA.fullmatch(name))
        )
        if not self.data:
            wrong = "no study_result_N/comp-result_M/data.txt in it"
            right = "the results of a study from JATOS"
            raise InputError(str(path), wrong, right, kind="empty")
        read = {METADATA, *(name for _, _, name in self.data)}
        size = sum(entry.file_size for entry in entries if entry.filename in read)
        self._demand_size(size)
        if size > max(SMALL, DENSEST * path.stat().st_size):
            wrong = f"{size >> 20} MiB of data in {path.stat().st_size >> 10} KiB"
            raise self._refused(wrong, "the archive as JATOS gives it")
        with self._opened() as archive:
            metadata = self._text(archive, METADATA) if METADATA in names else ""
        self.results = _results(metadata, f"{path}/{METADATA}") if metadata else {}

    def batches(self) -> Iterator[TrialBatch]:
        """Yield the trials of each result."""
        with self._opened() as archive:
            for study, _, name in self.data:
                text, location = self._text(archive, name).strip(SPACE), self.path / name
                if not text:
                    continue
                is_data = text[:1] in ("[", "{") or "trial_type" in text.partition("\n")[0]
                trials = trials_in(text, location) if is_data else [LoggedTrial(str(location), {})]
                session, platform = self.results.get(study, (Session(f"result {study}"), ""))
                yield TrialBatch(
                    path=self.path,
                    trials=trials,
                    participant=session.participant if platform == "prolific" else "",
                    otherwise=session.participant,
                    platform=platform,
                    session=str(study),
                )

    @contextmanager
    def _opened(self) -> Iterator[zipfile.ZipFile]:
        try:
            with zipfile.ZipFile(self.path) as archive:
                yield archive
        except DAMAGED as error:
            wrong, right = f"not a whole archive ({error})", "download it again, without a password"
            raise InputError(str(self.path), wrong, right, kind="format") from None

    def _text(self, archive: zipfile.ZipFile, name: str) -> str:
        content = bytearray()
        with archive.open(name) as stream:
            while block := stream.read(BLOCK):
                content += block
                self.size += len(block)
                self._demand_size(self.size)
        return decoded(bytes(content), self.path / name)

    def _demand_size(self, size: int) -> None:
        if size > self.most_bytes:
            wrong = f"more than {self.most_bytes >> 20} MiB of data"
            raise self._refused(wrong, "several archives, each of some of the results")

    def _refused(self, wrong: str, right: str) -> InputError:
        return InputError(str(self.path), wrong, right, kind="unsafe")


def _results(text: str, location: str) -> dict[int, tuple[Session, str]]:
    """Return the number of a study result → what the server says of it, and the platform whose id
    its person has."""
    results = {}
    try:
        for result in (e for study in json.loads(text)["data"] for e in study["studyResults"]):
            prolific = str((result.get("urlQueryParameters") or {}).get("PROLIFIC_PID") or "")
            kind, number = str(result.get("workerType", "")), int(result["id"])
            platform = "prolific" if prolific else "mturk" if kind.startswith("MT") else "jatos"
            start, end = result.get("startDate"), result.get("endDate")
            session = Session(
                participant=prolific or str(result["workerId"]),
                session=str(number),
                status=str(result.get("studyState", "")),
                test_run=kind == TEST_RUN,
                started_at=_utc(start, location),
                ended_at=_utc(end, location),
                duration_s=(int(end) - int(start)) / 1000 if start and end else None,
            )
            results[number] = session, platform
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError, OverflowError):
        wrong, right = "not the metadata of JATOS", "the archive as JATOS gives it"
        raise InputError(location, wrong, right, kind="format") from None
    return results


def _utc(milliseconds: Any, location: str) -> str:
    return utc(int(milliseconds) // 1000, location) if milliseconds else ""
