"""Treebanks of many languages to a folder of audited, composed sets: the function `benchmark`.

A language is a job: mined, composed, audited, and put in place as one folder, whose manifest says
what it was made from. A language that is there is not made again, so that a run which was killed
goes on where it was. What all languages share (`_benchmark_folder.py`) is written at the end.
"""

import os
import shutil
from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from ...data import schema
from ...data.errors import InputError
from ...data.executor import executor
from ...data.fetch.treebank_folder import folder_facts
from ...data.files import (
    MANIFEST,
    Paths,
    listed_paths,
    read_manifest,
    unwritable,
    write_folder,
    write_manifest,
)
from ...data.formats import read_suites, write_suite
from ...data.formats.licences import UNKNOWN, licences_of
from ...data.formats.suite_folder import BENCHMARK as MADE_BY
from ...data.formats.suite_folder import BENCHMARK_ITEMS as ITEMS
from ...data.items.suite import Suite
from ...data.languages import checked_language
from ...data.load import export
from ...data.progress import Progress, silent
from ...data.records import one_line
from ...data.registry import Names, listed
from ...data.result import Result
from ...data.tables import Row, write_table
from ...data.version import __version__
from ...miner.mine import mine
from ..audit.audit_suite import VERDICT, AuditResult, audit
from ..audit.baselines import CUE_FINDERS
from ..compose import compose
from ._benchmark_folder import (
    AUDIT,
    BLIMP,
    LANGUAGES,
    README,
    SHARED,
    by_baseline,
    language_card,
    licence_note,
    publish,
)
from ._jobs import BenchmarkRequest, LanguageJob, jobs_of

RESULT_COLUMNS = (
    "language", "n_sets", "n_within_limits", "majority_value", "unigram", "words", "length",
    "nearest_noun", "adjacent_word", "window", "joint", "note",
)  # fmt: skip
OF_ALL = ("majority_value", "unigram", "words", "length")  # baselines judged on all items
OF_BETWEEN = ("nearest_noun", "adjacent_word", "window")  # and on those with a noun between
ACCOUNT = ("n_sets", "n_within_limits", "n_items", "n_heads", "n_heads_used", "n_modifiers",
           "modifiers")  # fmt: skip
FATAL = ("unwritable", "resources")  # kinds of errors that are of no language


@dataclass(frozen=True, repr=False, eq=False)
class Benchmark(Result):
    """A benchmark, one row per language. Iterating yields its suites, one per language.

    Attributes:
        folder: where it lies.
    """

    folder: Path = Path()

    def __iter__(self) -> Iterator[Suite]:
        yield from read_suites(self.folder)


def benchmark(
    paths: Paths,
    out: str | Path = "benchmark",
    *,
    n_sets: int = 500,
    attractors: int = 2,
    only: Names = None,
    language: str = "",
    unimorph: Names = None,
    skip_bad: bool = False,
    license_ok: bool = False,
    seed: int = 0,
    workers: int | None = None,
    ray: str = "",
    progress: Progress = silent,
) -> Benchmark:
    """Makes a benchmark from treebanks: audited composed sets per language, ready to publish.

    After an interruption the same call continues with the unfinished languages.

    Args:
        paths: CoNLL-U files, treebank folders and folders of treebanks; all treebanks of one
            language, as their names tell it, are one lexicon. Of two releases of a treebank
            (`NAME-r2.0`) the newer counts.
        out: the folder to write.
        n_sets: maximum number of sets per language.
        attractors: maximum number of modifiers between head and target, 1 or 2.
        only: codes of languages; None: all.
        language: code for treebanks whose names do not show the language.
        unimorph: `LANGUAGE=FILE` of UniMorph lists, for forms missing from a treebank.
        skip_bad: leave out bad sentences, instead of the language.
        license_ok: also put languages whose licence is not known into the folders for publishing.
        seed: the same seed gives the same sets.
        workers, ray: processes, or a Ray cluster, that share the languages; the result is the
            same. Machines of a cluster must see `paths` and `out` under the same names.
        progress: called with (task, done, total) as the work proceeds.

    Returns:
        One row per language: sets, baselines, the audit's verdict, or why there is no set.
        `folder` holds `LANGUAGE/items.jsonl`, cards, `harness`, `huggingface`, `samples.html` and
        `benchmark.tsv`; `score` takes it, or what is returned.

    Raises:
        InputError: for paths without treebanks, an unknown language, a folder with other files,
            one that another process works on, and a full disk.

    >>> import colorless_green as cg
    >>> from colorless_green.data import sample
    >>> made = cg.benchmark(str(sample.treebank("en")), "sample", language="en", n_sets=2)
    >>> made.to_frame().select("language", "n_sets").rows()
    [('en', 2)]
    """
    if n_sets < 1:
        raise InputError("--sets", f"{n_sets} sets", "1 or more", kind="value")
    if attractors not in (1, 2):
        raise InputError("--attractors", f"{attractors} attractors", "1 or 2", kind="value")
    request = BenchmarkRequest(n_sets, attractors, seed, skip_bad, license_ok)
    jobs, messages = jobs_of(
        listed_paths(paths), checked_language(language), listed(only), listed(unimorph), license_ok
    )
    folder = Path(out)
    with locked_folder(folder, {job.language for job in jobs}):
        manifest = {"made_by": MADE_BY, "version": __version__}
        if not (folder / MANIFEST).exists():  # whose folder it is, before anything is in it
            write_manifest(folder, (), manifest | {LANGUAGES: {}})
        earlier = (folder_facts(folder) or {}).get(LANGUAGES, {})
        make = partial(language_row, folder, request, earlier)
        rows: dict[str, Any] = {}
        with executor(workers, ray) as pool:
            for n_done, (job, result) in enumerate(zip(jobs, pool.map(make, jobs), strict=True), 1):
                rows[job.language] = result
                if earlier.get(job.language) != result:  # else a finished folder stays as it is
                    write_manifest(folder, (), manifest | {LANGUAGES: {**earlier, **rows}})
                progress("languages", n_done, len(jobs))
        publish(folder, manifest | {LANGUAGES: rows}, seed)
    table = [result["row"] for result in rows.values()]
    for row in table:
        if not row["n_sets"]:
            messages.append(f"{row['language']}: no set ({row['reason']})")
        for note in (row["left_out"], row["licence_note"]):
            messages += [f"{row['language']}: {note}"] if note else []
    n_full = sum(int(row["n_sets"]) >= n_sets for row in table)
    n_some = sum(bool(row["n_sets"]) for row in table)
    messages.append(
        f"{folder}: {n_some} of {len(table)} languages have sets, {n_full} the {n_sets:,} asked for"
    )
    table_rows = [{**row, "note": row[VERDICT] or row["reason"]} for row in table]
    table_rows.sort(key=lambda row: not row["n_sets"])
    return Benchmark(table_rows, RESULT_COLUMNS, messages, found=n_some > 0, folder=folder)


@contextmanager
def locked_folder(folder: Path, languages: Set[str]) -> Iterator[None]:
    """The folder of a benchmark of these languages, for this process alone.

    Raises:
        InputError: it has files of something else or further languages, another process is at
            work in it, or it cannot be written.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError(str(folder), "this is a file", "the path of a folder", kind="conflict")
    names = {entry.name for entry in folder.iterdir()} if folder.is_dir() else set[str]()
    names = {name for name in names if not name.startswith(".")}
    manifest = folder_facts(folder) or {}
    if names and manifest.get("made_by") != MADE_BY:
        wrong, right = "this folder has other files", "a new or empty folder"
        raise InputError(str(folder), wrong, right, kind="conflict")
    if foreign := sorted(names - languages - {MANIFEST, *SHARED}):
        wrong = f"it also has {', '.join(foreign)}, of a benchmark of other treebanks"
        raise InputError(str(folder), wrong, "another folder, or the same paths", kind="conflict")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(folder, error) from error
    handle = os.open(folder, os.O_RDONLY) if os.name == "posix" else None
    try:
        if handle is not None:
            import fcntl

            with suppress(OSError):  # a disk without locks
                try:  # the system frees the lock of a dead process
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    wrong, right = "another process makes this benchmark", "wait, or another folder"
                    raise InputError(str(folder), wrong, right, kind="conflict") from None
        for name in (MANIFEST, *SHARED, *languages):  # what killed runs were writing
            for path in folder.glob(f".{name}.*"):
                path.unlink() if path.is_file() else shutil.rmtree(path, ignore_errors=True)
        yield
    finally:
        if handle is not None:
            os.close(handle)


def language_row(
    folder: Path, request: BenchmarkRequest, earlier: Mapping[str, Any], job: LanguageJob
) -> dict[str, Any]:
    """What is told of a language: `made_from`, and the `row` of the table; made if need be."""
    language_folder = folder / job.language
    row: dict[str, Any] = {
        **dict.fromkeys(schema.BENCHMARK),
        "language": job.language,
        "treebanks": " + ".join(bank.name for bank in job.treebanks),
        "n_sets": 0,
    }
    try:
        made_from = job.made_from(request)
    except InputError as error:
        return {"made_from": {}, "row": row | {"reason": one_line(str(error))}}
    with suppress(InputError):
        previous = read_manifest(language_folder)
        if previous.get("made_from") == made_from:
            return {"made_from": made_from, "row": previous["row"]}
    previous = earlier.get(job.language, {})  # a language without sets has no folder
    if previous.get("made_from") == made_from and not previous["row"]["n_sets"]:
        return {"made_from": made_from, "row": previous["row"]}
    audited = None
    try:
        unimorph = [f"{job.language.partition('-')[0]}={job.unimorph}"] if job.unimorph else []
        for n, part in enumerate(job.parts):  # that with most sets; of as many, most words
            if row["n_sets"] >= request.n_sets:
                break
            name = " + ".join(bank.name for bank in part)
            mining = mine(
                [file for bank in part for file in bank.files], name=name, language=job.language,
                unimorph=unimorph, skip_bad=request.skip_bad,
            )  # fmt: skip
            composed = compose(
                mining, n_sets=request.n_sets, attractors=request.attractors, unimorph=unimorph,
                seed=request.seed,
            )  # fmt: skip
            assert composed.account is not None
            account = account_of(composed.account)
            if not n or account["n_sets"] > row["n_sets"]:
                suite = composed
                row |= {**account, "treebanks": name, "left_out": job.left_out(part) or None}
        audited = audit(suite, seed=request.seed) if suite.items else None
    except InputError as error:
        if error.kind in FATAL:
            raise
        row["reason"] = one_line(str(error))
    if audited is None:
        if (folder_facts(language_folder) or {}).get("made_by") == MADE_BY:
            shutil.rmtree(language_folder)  # of other options, and no longer true
        return {"made_from": made_from, "row": row}
    suite = replace(suite, name=job.language)
    row |= figures_of(audited)
    row["licence"] = " AND ".join(licences_of(suite.items[0])) or UNKNOWN
    row["licence_note"] = licence_note(suite.items, request.license_ok) or None
    manifest = {"made_by": MADE_BY, "made_from": made_from, "row": row}
    with write_folder(language_folder, manifest) as fresh:
        write_suite(suite, fresh / ITEMS)
        if not row["licence_note"]:
            export(suite, fresh / BLIMP, format="blimp")
        write_table(fresh / AUDIT, audited.to_frame())
        language_card(suite, row, made_from, audited.rows, fresh / README)
    return {"made_from": made_from, "row": row}


def account_of(account: Result) -> Row:
    """What `compose` tells of its sets, as columns of the table."""
    row = account.rows[0]
    words, closed = ("verb", "participle", "adjective"), ("auxiliary", "copula")
    return {
        **{name: row[name] for name in ACCOUNT},
        "n_predicates": sum(int(row[f"n_{kind}"] or 0) for kind in words),
        "n_auxiliaries": sum(int(row[f"n_{kind}"] or 0) for kind in closed),
        "reason": row["reason"],
    }


def figures_of(audited: AuditResult) -> Row:
    """What the audit tells of a language, as columns of the table: baselines over all items, those
    that look at what stands before the target where there is a noun between, the most sets that
    one without the cue has as a whole, and the verdict."""
    overall, noun_between = by_baseline(audited.rows)
    joint = [overall[name].get("joint") or 0.0 for name in overall if name not in CUE_FINDERS]
    figures = {name: overall.get(name, {}).get("accuracy") for name in OF_ALL}
    figures |= {name: noun_between.get(name, {}).get("accuracy") for name in OF_BETWEEN}
    verdict = next(row[VERDICT] for row in overall.values() if row.get(VERDICT))
    return {**figures, "joint": round(max(joint), 3), VERDICT: verdict}
