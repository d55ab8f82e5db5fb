"""Results of a JATOS server (3.9 and later): an archive, with or without metadata, or plain text.

An archive contains files `study_result_N/comp-result_M/data.txt` with the data (here: of jsPsych)
and `metadata.json`, which describes people and sessions. Nothing is unpacked to disk, so that names
in an archive cannot do harm. Results are read one at a time, to save memory.
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
from ....data.opening import open_unpacked
from ....data.records import malformed
from ..imported import Arrived, ImportOptions
from ..judgment import utc
from ..sheet import decoded, text_in
from .jspsych import SPACE, TrialBatch, read_batches, trials_in

DATA = re.compile(r"(?:.*/)?study_result_([0-9]+)/comp-result_([0-9]+)/data\.txt")
METADATA = "metadata.json"
MOST_ENTRIES = 100_000
BLOCK = 1 << 20
DENSEST, SMALL = 100, 1 << 26  # data above SMALL bytes never shrink to 1/DENSEST when packed
DAMAGED = (  # errors of unpacking; RuntimeError: a compression that zipfile does not know
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, OSError, EOFError, UnicodeDecodeError,
    RuntimeError,
)  # fmt: skip
TEST_RUN = "Jatos"  # type of worker that means the researchers themselves


def read(paths: Sequence[Path], items: Sequence[Item], options: ImportOptions) -> Arrived:
    """Read archives or plain texts of a server into claims (answers not yet checked).

    Raises `InputError` for an archive that is broken or too large or has unsafe names, and as the
    format of jsPsych does.
    """
    batches = (
        batch
        for path in paths
        for batch in (
            _archive_batches(path, options.most_bytes)
            if is_archive(path)
            else [TrialBatch(path, trials_in(text_in(path), path))]
        )
    )
    return read_batches(paths, batches, items, options)


def is_archive(path: Path) -> bool:
    """Tell whether the content of a file is a zip archive, whatever its name."""
    with open_unpacked(path) as stream:
        return zipfile.is_zipfile(stream)


def _archive_batches(path: Path, most_bytes: int) -> Iterator[TrialBatch]:
    """Yield a batch with the trials of each result in an archive, which may have `most_bytes` when
    unpacked. Raises `InputError` as `read` does."""
    with _opened_archive(path) as archive:
        results = _results_in(archive, path)
        names = {METADATA, *results.values()}.intersection(archive.namelist())
        _demand_size(sum(archive.getinfo(name).file_size for name in names), path, most_bytes)
        size = 0
        visits: dict[int, dict[str, str]] = {}
        data_files = ((study, name) for (study, _), name in results.items())
        for study, name in ((-1, METADATA), *data_files):
            if name not in names:
                continue
            content = bytearray()
            with archive.open(name) as stream:
                while block := stream.read(BLOCK):
                    content += block
                    _demand_size(size + len(content), path, most_bytes)
            size += len(content)
            text, location = decoded(bytes(content), path / name).strip(SPACE), path / name
            if name == METADATA:
                visits = _visits(text, str(location))
            elif text:
                is_data = text[:1] in ("[", "{") or "trial_type" in text.partition("\n")[0]
                trials = trials_in(text, location) if is_data else [(str(location), {})]
                visit = {"session": str(study), **visits.get(study, {})}
                person = visit.get("participant", f"result {study}")
                if visit.get("platform") != "prolific":  # the trials may name the person
                    visit.pop("participant", None)
                yield TrialBatch(path, trials, visit, person)


@contextmanager
def _opened_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open an archive, and raise `InputError` for any error of unpacking while it is open."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except DAMAGED as error:
        wrong, right = f"not a whole archive ({error})", "download it again, without a password"
        raise malformed(str(path), wrong, right) from None


def _results_in(archive: zipfile.ZipFile, path: Path) -> dict[tuple[int, int], str]:
    """Find the data files in an archive: (study result, component result) → name, sorted.

    Raises `InputError` for a name that leads out of the archive, for too many names, and for an
    archive without data.
    """
    names, wrong = archive.namelist(), ""
    if len(names) > MOST_ENTRIES:
        wrong = f"{len(names)} entries"
    for name in names:
        if ".." in name.replace("\\", "/").split("/") or re.match(r"[/\\]|[A-Za-z]:", name):
            wrong = f"{name!r} leads out of the archive"
    if wrong:
        raise InputError(str(path), wrong, "the archive as JATOS gives it", kind="unsafe")
    matches = filter(None, map(DATA.fullmatch, names))
    results = {(int(match[1]), int(match[2])): match[0] for match in matches}
    if not results:
        wrong = "no study_result_N/comp-result_M/data.txt in it"
        raise InputError(str(path), wrong, "the results of a study from JATOS", kind="empty")
    return dict(sorted(results.items()))


def _demand_size(size: int, path: Path, most_bytes: int) -> None:
    """Raise `InputError` if `size` bytes of unpacked data are too many, or more than a file of this
    size can hold. It is called before and during unpacking."""
    packed, right = path.stat().st_size, "several archives, each of some of the results"
    if size > most_bytes:
        wrong = f"more than {most_bytes >> 20} MiB of data"
        raise InputError(str(path), wrong, right, kind="unsafe")
    if size > max(SMALL, DENSEST * packed):
        wrong = f"{size >> 20} MiB of data in {packed >> 10} KiB"
        raise InputError(str(path), wrong, "the archive as JATOS gives it", kind="unsafe")


def _visits(text: str, location: str) -> dict[int, dict[str, str]]:
    """Parse the text of `metadata.json`, and return number of a study result → cells (our column
    name → text) about person and session."""
    visits = {}
    try:
        studies = json.loads(text)["data"]
        for result in (result for study in studies for result in study["studyResults"]):
            prolific = str((result.get("urlQueryParameters") or {}).get("PROLIFIC_PID") or "")
            kind, number = str(result.get("workerType", "")), int(result["id"])
            start, end = (int(result.get(name) or 0) for name in ("startDate", "endDate"))
            visits[number] = {
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
        right = "the archive as JATOS gives it"
        raise malformed(location, "not the metadata of JATOS", right) from None
    return visits
