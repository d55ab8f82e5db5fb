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
from ....data.records import malformed
from ..imported import Arrived, ImportOptions
from ..judgment import utc
from ..sheet import decoded, text_in
from .jspsych import SPACE, TrialBatch, arrived_from, trials_in

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


def read(paths: Sequence[Path], items: Sequence[Item], options: ImportOptions) -> Arrived:
    """Read the judgments in archives or texts of a server. Raises `InputError` for an archive that
    is broken, too large, or leads out of itself, and as jsPsych's format does."""
    batches = (
        batch
        for path in paths
        for batch in (
            _archived(path, options.most_bytes)
            if is_archive(path)
            else [TrialBatch(path, trials_in(text_in(path), path))]
        )
    )
    return arrived_from(paths, batches, items, options)


def is_archive(path: Path) -> bool:
    """Tell whether the file is a zip, whatever its name."""
    with opened(path) as stream:
        return zipfile.is_zipfile(stream)


def _archived(path: Path, most_bytes: int) -> Iterator[TrialBatch]:
    """Yield the trials of each result in an archive. Raises `InputError` as `read` does."""
    with _unzipped(path) as archive:
        results = _results_in(archive, path)
        names = {METADATA, *results.values()}.intersection(archive.namelist())
        _demand_size(sum(archive.getinfo(name).file_size for name in names), path, most_bytes)
        size = 0
        visits: dict[int, dict[str, str]] = {}
        for study, name in ((-1, METADATA), *((key[0], name) for key, name in results.items())):
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
                if visit.get("platform") != "prolific":  # trials may know better
                    visit.pop("participant", None)
                yield TrialBatch(path, trials, visit, person)


@contextmanager
def _unzipped(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except DAMAGED as error:
        wrong, right = f"not a whole archive ({error})", "download it again, without a password"
        raise malformed(str(path), wrong, right) from None


def _results_in(archive: zipfile.ZipFile, path: Path) -> dict[tuple[int, int], str]:
    """Return the data of an archive: (study result, component result) → name, in order. Raises
    `InputError` for names that lead out of it, and for too many."""
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
    """Raise `InputError` for more data than an archive may hold, or than can have been packed into
    it; asked before anything is unpacked, and while it is."""
    packed, right = path.stat().st_size, "several archives, each of some of the results"
    if size > most_bytes:
        wrong = f"more than {most_bytes >> 20} MiB of data"
        raise InputError(str(path), wrong, right, kind="unsafe")
    if size > max(SMALL, DENSEST * packed):
        wrong = f"{size >> 20} MiB of data in {packed >> 10} KiB"
        raise InputError(str(path), wrong, "the archive as JATOS gives it", kind="unsafe")


def _visits(text: str, location: str) -> dict[int, dict[str, str]]:
    """Return the number of a study result → what the server says of it, under our names."""
    visits = {}
    try:
        for result in (e for study in json.loads(text)["data"] for e in study["studyResults"]):
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
