"""Results of a JATOS server (3.9 and later): an archive, with or without metadata, or plain text.

An archive holds `study_result_N/comp-result_M/data.txt`, each free text (here: jsPsych's), and
`metadata.json`, which knows the people. Names in archives are looked at, never followed: nothing is
written anywhere.
"""

import json
import lzma
import re
import zipfile
import zlib
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ....data.errors import InputError
from ....data.items.item import Item
from ....data.opening import opened
from .._sheet import decoded, text_in
from ..imported import Imported, ImportOptions, assembled
from ..judgment import Session
from . import jspsych
from .jspsych import SPACE, LoggedTrial, TrialBatch, trials_in

DATA = re.compile(r"(?:.*/)?study_result_([0-9]+)/comp-result_([0-9]+)/data\.txt")
METADATA = "metadata.json"
MOST_ENTRIES = 100_000
BLOCK = 1 << 20
DAMAGED = (  # what unpacking raises; RuntimeError also of a packing that zipfile lacks
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, OSError, EOFError, UnicodeDecodeError,
    RuntimeError,
)  # fmt: skip
TEST_RUN = "Jatos"  # workers of this type are the researchers themselves


def read(paths: Sequence[Path], items: Sequence[Item], options: ImportOptions) -> Imported:
    """The judgments in archives or texts of a server. Raises `InputError` for an archive that is
    broken, too large, or leads out of itself, and as jsPsych's format does."""
    batches: list[TrialBatch] = []
    sessions: list[Session] = []
    for path in paths:
        if is_archive(path):
            archive_batches, archive_sessions = _archive(path, options.most_bytes)
            batches += archive_batches
            sessions += archive_sessions
        else:
            batches.append(TrialBatch(path, trials_in(text_in(path), path)))
    return assembled(jspsych.arrived(batches, items, options, sessions), items, options)


def is_archive(path: Path) -> bool:
    """Whether the file is a zip, whatever its name."""
    with opened(path) as stream:
        return zipfile.is_zipfile(stream)


def _archive(path: Path, most_bytes: int) -> tuple[list[TrialBatch], list[Session]]:
    members = _members(path, most_bytes)
    metadata = members.pop(METADATA, "")
    results = _results(metadata, f"{path}/{METADATA}") if metadata else {}
    batches = []
    for study, _, name in sorted(
        (int(match[1]), int(match[2]), name) for name in members if (match := DATA.fullmatch(name))
    ):
        text = members[name].strip(SPACE)
        if not text:
            continue
        trials: Sequence[LoggedTrial] = [LoggedTrial(str(path / name), {})]  # other text
        if text[:1] in ("[", "{") or "trial_type" in text.partition("\n")[0]:
            trials = trials_in(text, path / name)
        session, platform = results.get(study, (Session(f"result {study}"), ""))
        batches.append(
            TrialBatch(
                path=path,
                trials=trials,
                participant=session.participant if platform == "prolific" else "",
                otherwise=session.participant,
                platform=platform,
                session=str(study),
            )
        )
    return batches, [session for session, _ in results.values()]


def _members(path: Path, most_bytes: int) -> dict[str, str]:
    """The texts of the entries that are data or metadata. Raises `InputError` as `read` does."""

    def refused(wrong: str, right: str) -> InputError:
        return InputError(str(path), wrong, right, kind="unsafe")

    texts: dict[str, str] = {}
    size = 0
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            if len(entries) > MOST_ENTRIES:
                raise refused(f"{len(entries)} entries", f"an archive of at most {MOST_ENTRIES}")
            for name in (entry.filename for entry in entries):
                leads_out = ".." in name.replace("\\", "/").split("/")
                if leads_out or re.match(r"[/\\]|[A-Za-z]:", name):
                    wrong = f"{name!r} leads out of the archive"
                    raise refused(wrong, "the archive as JATOS gives it")
            for entry in entries:
                if not DATA.fullmatch(entry.filename) and entry.filename != METADATA:
                    continue
                blocks = []
                with archive.open(entry) as stream:
                    while block := stream.read(BLOCK):
                        blocks.append(block)
                        size += len(block)
                        if size > most_bytes:
                            wrong = f"more than {most_bytes >> 20} MiB of data"
                            raise refused(wrong, "several archives, each of some of the results")
                texts[entry.filename] = decoded(b"".join(blocks), path / entry.filename)
    except DAMAGED as error:
        wrong, right = f"not a whole archive ({error})", "download it again, without a password"
        raise InputError(str(path), wrong, right, kind="format") from None
    if not any(DATA.fullmatch(name) for name in texts):
        wrong = "no study_result_N/comp-result_M/data.txt in it"
        raise InputError(str(path), wrong, "the results of a study from JATOS", kind="empty")
    return texts


def _results(text: str, location: str) -> dict[int, tuple[Session, str]]:
    """Number of a study result → what the server says of it, and whose id its person has."""
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
                started_at=_utc(start),
                ended_at=_utc(end),
                duration_s=(int(end) - int(start)) / 1000 if start and end else None,
            )
            results[number] = session, platform
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError, OverflowError):
        wrong, right = "not the metadata of JATOS", "the archive as JATOS gives it"
        raise InputError(location, wrong, right, kind="format") from None
    return results


def _utc(milliseconds: Any) -> str:
    if not milliseconds:
        return ""
    return datetime.fromtimestamp(int(milliseconds) / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
