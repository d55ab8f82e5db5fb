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

from ....data.errors import InputError
from ....data.items.item import Item
from ....data.opening import opened
from .._sheet import decoded, text_in
from ..imported import Imported, ImportOptions
from ..judgment import utc
from .jspsych import SPACE, TrialBatch, imported_from, trials_in

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
    return imported_from(paths, batches, items, options)


def is_archive(path: Path) -> bool:
    """Tell whether the file is a zip, whatever its name."""
    with opened(path) as stream:
        return zipfile.is_zipfile(stream)


class Archive:
    """The results in an archive. Raises `InputError` as `read` does.

    The size that entries state is looked at before anything is unpacked, and again while unpacking.

    Attributes:
        results: number of a study result → what the server says of it, under our names.
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
                trials = trials_in(text, location) if is_data else [(str(location), {})]
                visit = dict(self.results.get(study, {"session": str(study)}))
                person = visit.get("participant", f"result {study}")
                if visit.get("platform") != "prolific":  # trials may know better
                    visit.pop("participant", None)
                yield TrialBatch(self.path, trials, visit, person)

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


def _results(text: str, location: str) -> dict[int, dict[str, str]]:
    """Return the number of a study result → what the server says of it, under our names."""
    results = {}
    try:
        for result in (e for study in json.loads(text)["data"] for e in study["studyResults"]):
            prolific = str((result.get("urlQueryParameters") or {}).get("PROLIFIC_PID") or "")
            kind, number = str(result.get("workerType", "")), int(result["id"])
            start, end = (int(result.get(name) or 0) for name in ("startDate", "endDate"))
            results[number] = {
                "participant": prolific or str(result["workerId"]),
                "platform": "prolific" if prolific else "mturk" if kind[:2] == "MT" else "jatos",
                "session": str(number),
                "status": str(result.get("studyState", "")),
                "test_run": str(int(kind == TEST_RUN)),
                "started_at": utc(start // 1000, location) if start else "",
                "ended_at": utc(end // 1000, location) if end else "",
                "duration_s": str((end - start) / 1000) if start and end else "",
            }
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError, OverflowError):
        wrong, right = "not the metadata of JATOS", "the archive as JATOS gives it"
        raise InputError(location, wrong, right, kind="format") from None
    return results
