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
MAX_ENTRIES = 100_000  # of an archive
BLOCK_BYTES = 1 << 20  # unpacked at a time
MAX_RATIO = 100  # of unpacked to packed bytes; more is an attack, except in small archives
ALWAYS_ALLOWED_BYTES = 1 << 26  # unpacked bytes that an archive may have whatever its size
UNPACKING_ERRORS = (  # RuntimeError: a compression that zipfile does not know
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, OSError, EOFError, UnicodeDecodeError,
    RuntimeError,
)  # fmt: skip
TEST_RUN = "Jatos"  # type of worker that means the researchers themselves


def read(paths: Sequence[Path], items: Sequence[Item], options: ImportOptions) -> Arrived:
    """Read archives or plain texts of a server into claims (answers as files state them).

    Raises `InputError` for an archive that is broken or too large or has unsafe names, and as the
    format of jsPsych does.
    """
    batches = (
        batch
        for path in paths
        for batch in (
            _archive_batches(path, options.max_bytes)
            if is_archive(path)
            else [TrialBatch(path, trials_in(text_in(path), path))]
        )
    )  # read one by one
    return read_batches(paths, batches, items, options)


def is_archive(path: Path) -> bool:
    """Tell whether the content of a file is a zip archive, whatever its name."""
    with open_unpacked(path) as stream:
        return zipfile.is_zipfile(stream)


def _archive_batches(path: Path, max_bytes: int) -> Iterator[TrialBatch]:
    """Yield a batch with the trials of each result in an archive, which may have `max_bytes` when
    unpacked. Raises `InputError` as `read` does."""
    with _opened_archive(path) as archive:
        results = _results_in(archive, path)
        metadata = [METADATA] if METADATA in archive.namelist() else []
        texts = _texts_in(archive, [*metadata, *results], path, max_bytes)
        visits: dict[int, dict[str, str]] = {}
        if metadata:
            _, text = next(texts)
            visits = _visits(text, str(path / METADATA))
        for name, text in texts:
            if not text:
                continue
            study, location = results[name], path / name
            is_data = text[:1] in ("[", "{") or "trial_type" in text.partition("\n")[0]
            trials = trials_in(text, location) if is_data else [(str(location), {})]
            visit = {"session": str(study), **visits.get(study, {})}
            person = visit.get("participant", f"result {study}")
            if visit.get("platform") != "prolific":  # the trials may name the person
                visit.pop("participant", None)
            yield TrialBatch(path, trials, visit, person)


def _texts_in(
    archive: zipfile.ZipFile, names: Sequence[str], path: Path, max_bytes: int
) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of some files in an archive. Raises `InputError` if all together
    are larger than `max_bytes`, by what the archive says or when they are unpacked."""
    _demand_size(sum(archive.getinfo(name).file_size for name in names), path, max_bytes)
    n_bytes_before = 0
    for name in names:
        content = bytearray()
        with archive.open(name) as stream:
            while block := stream.read(BLOCK_BYTES):
                content += block
                _demand_size(n_bytes_before + len(content), path, max_bytes)
        n_bytes_before += len(content)
        yield name, decoded(bytes(content), path / name).strip(SPACE)


@contextmanager
def _opened_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open an archive, and raise `InputError` for any error of unpacking while it is open."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except UNPACKING_ERRORS as error:
        wrong, right = f"not a whole archive ({error})", "download it again, without a password"
        raise malformed(str(path), wrong, right) from None


def _results_in(archive: zipfile.ZipFile, path: Path) -> dict[str, int]:
    """Find the data files in an archive: name → number of the study result, in the order of the
    study results, and of the component results of each.

    Raises `InputError` for a name that leads out of the archive, for too many names, and for an
    archive without data.
    """
    names, wrong = archive.namelist(), ""
    if len(names) > MAX_ENTRIES:
        wrong = f"{len(names)} entries"
    for name in names:
        if ".." in name.replace("\\", "/").split("/") or re.match(r"[/\\]|[A-Za-z]:", name):
            wrong = f"{name!r} leads out of the archive"
    if wrong:
        raise InputError(str(path), wrong, "the archive as JATOS gives it", kind="unsafe")
    matches = filter(None, map(DATA.fullmatch, names))
    name_of = {(int(match[1]), int(match[2])): match[0] for match in matches}
    results = {name: study for (study, _), name in sorted(name_of.items())}
    if not results:
        wrong = "no study_result_N/comp-result_M/data.txt in it"
        raise InputError(str(path), wrong, "the results of a study from JATOS", kind="empty")
    return results


def _demand_size(size: int, path: Path, max_bytes: int) -> None:
    """Raise `InputError` if `size` bytes of unpacked data are too many, or more than a file of this
    size can hold. It is called before and during unpacking."""
    packed_size, right = path.stat().st_size, "several archives, each of some of the results"
    if size > max_bytes:
        wrong = f"more than {max_bytes >> 20} MiB of data"
        raise InputError(str(path), wrong, right, kind="unsafe")
    if size > max(ALWAYS_ALLOWED_BYTES, MAX_RATIO * packed_size):
        wrong = f"{size >> 20} MiB of data in {packed_size >> 10} KiB"
        raise InputError(str(path), wrong, "the archive as JATOS gives it", kind="unsafe")


def _visits(text: str, location: str) -> dict[int, dict[str, str]]:
    """Parse the text of `metadata.json`, and return number of a study result → cells (our column
    name → text) about person and session."""
    visits = {}
    try:
        studies = json.loads(text)["data"]
        for result in (result for study in studies for result in study["studyResults"]):
            prolific_id = str((result.get("urlQueryParameters") or {}).get("PROLIFIC_PID") or "")
            worker_type = str(result.get("workerType", ""))
            other_platform = "mturk" if worker_type.startswith("MT") else "jatos"
            # in milliseconds since 1970; 0 if it is not known
            start, end = (int(result.get(name) or 0) for name in ("startDate", "endDate"))
            visits[int(result["id"])] = {
                "participant": prolific_id or str(result["workerId"]),
                "platform": "prolific" if prolific_id else other_platform,
                "session": str(int(result["id"])),
                "status": str(result.get("studyState", "")),
                "test_run": str(int(worker_type == TEST_RUN)),
                "started_at": utc(start // 1000, location) if start else "",
                "ended_at": utc(end // 1000, location) if end else "",
                "duration_s": str((end - start) / 1000) if start and end else "",
            }
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError, OverflowError):
        right = "the archive as JATOS gives it"
        raise malformed(location, "not the metadata of JATOS", right) from None
    return visits
