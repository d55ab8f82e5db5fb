"""The function `benchmark`: from treebanks of many languages to a folder of audited, composed sets.

A job mines, composes and audits one language and puts it in place as one folder, whose manifest
says what it was made from. A language that is complete is not made again, so a run that was killed
continues where it stopped. Files that all languages share (`_benchmark_folder.py`) come last.
"""

import os
import shutil
from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from ...data import schema
from ...data.configuration import configured
from ...data.errors import InputError
from ...data.executor import executor
from ...data.files import (
    MANIFEST,
    Paths,
    demand_writable_folder,
    listed_paths,
    manifest_facts,
    read_manifest,
    unwritable,
    write_folder,
    write_manifest,
)
from ...data.formats import read_suites, write_suite
from ...data.formats.format import BENCHMARK as MADE_BY
from ...data.formats.format import BENCHMARK_ITEMS as ITEMS
from ...data.formats.licences import UNKNOWN, licences_of
from ...data.items.suite import Suite
from ...data.languages import checked_language
from ...data.load import export
from ...data.progress import Progress, silent
from ...data.records import one_line
from ...data.registry import Names, listed
from ...data.result import SOLVED, Result, n_solved
from ...data.tables import Row, frame, write_table
from ...data.version import __version__
from ...miner.mine import mine
from ..audit.audit import VERDICT, AuditResult, audit
from ..audit.baselines import CUE_FINDERS
from ..compose import DEFAULT_N_SETS, ComposeRequest, compose
from ..variants.recipe import Recipe
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
from ._language_jobs import BenchmarkRequest, LanguageJob, jobs_of

RESULT_COLUMNS = (
    "language", "n_sets", "n_within_limits", "majority_value", "unigram", "words", "length",
    "nearest_noun", "adjacent_word", "window", "joint", "note",
)  # fmt: skip
# Baselines whose accuracy the table shows: on all items, or where a noun is between cue and target
ON_ALL_ITEMS = ("majority_value", "unigram", "words", "length")
ON_NOUN_BETWEEN = ("nearest_noun", "adjacent_word", "window")
ACCOUNT_COLUMNS = (  # of the account that `compose` gives of a suite
    "n_sets", "n_within_limits", "n_items", "n_heads", "n_heads_used", "n_modifiers", "modifiers",
)  # fmt: skip
STOPPING_ERRORS = ("unwritable", "resources")  # kinds of errors that stop the whole run


@dataclass(frozen=True, repr=False, eq=False)
class Benchmark(Result):
    """A benchmark, one row per language. Iterating yields its suites, one per language.

    Attributes:
        folder: path of its folder.
    """

    folder: Path = Path()

    def shown(self) -> pl.DataFrame:
        """Return the rows and columns for people; joint accuracy reads "3 of 10" sets."""
        of_sets = [{**row, "joint": n_solved(row.get("joint"), row["n_sets"])} for row in self.rows]
        return frame(of_sets, self.columns).rename({"joint": SOLVED})

    def __iter__(self) -> Iterator[Suite]:
        yield from read_suites(self.folder)


def benchmark(
    paths: Paths,
    *,
    out: str | Path = "benchmark",
    sets: int = DEFAULT_N_SETS,
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
    """Make a benchmark from treebanks: audited composed sets per language, ready to publish.

    After an interruption the same call continues with the unfinished languages. All treebanks of
    one language are one lexicon; of two releases of a treebank (`NAME-r2.0`) the newer counts.

    Args:
        paths: treebanks or folders of treebanks, of one or more languages
        out: folder to write
        sets: maximum number of sets per language
        attractors: maximum number of modifiers between head and target, 1 or 2
        only: only this language, by its code
        language: BCP-47 code for treebanks whose names do not show the language
        unimorph: LANGUAGE=FILE, a UniMorph list for forms missing from a treebank
        skip_bad: leave out bad sentences and report them
        license_ok: include languages whose licence is unknown
        seed: seed of the random numbers
        workers: number of processes that share the languages
        ray: address of a Ray cluster, whose machines see the files under the same names
        progress: called with (task, done, total) as the work proceeds

    Returns:
        One row per language: sets, baselines, the audit's verdict, or why there is no set.
        `folder` holds `LANGUAGE/items.jsonl`, cards, `harness`, `huggingface`, `samples.html` and
        `benchmark.tsv`; `score` takes it, or what is returned.

    Raises:
        InputError: for paths without treebanks, an unknown language, a folder with other files,
            one that another process works on, and a full disk.

    Commands:
        colorless benchmark treebanks --sets 500 --workers 4
        colorless benchmark UD_Italian-VIT UD_German-GSD --out agreement

    >>> import colorless_green as cg
    >>> from colorless_green.data import sample
    >>> made = cg.benchmark(str(sample.treebank("en")), out="sample", language="en", sets=2)
    >>> made.to_frame().select("language", "n_sets").rows()
    [('en', 2)]
    """
    ComposeRequest(configured(Recipe, attractors=attractors), sets=sets, seed=seed)  # checks them
    request = BenchmarkRequest(sets, attractors, seed, skip_bad, license_ok)
    jobs, messages = jobs_of(
        listed_paths(paths), checked_language(language), listed(only), listed(unimorph), license_ok
    )
    folder = Path(out)
    with locked_folder(folder, {job.language for job in jobs}):
        manifest = {"made_by": MADE_BY, "version": __version__}
        if not (folder / MANIFEST).exists():  # mark the folder as ours before anything is in it
            write_manifest(folder, (), manifest | {LANGUAGES: {}})
        earlier = manifest_facts(folder).get(LANGUAGES, {})
        make = partial(language_record, folder, request, earlier)
        records: dict[str, Any] = {}  # language → what it was made from, and its row
        with executor(workers, ray) as pool:
            for n_done, (job, record) in enumerate(zip(jobs, pool.map(make, jobs), strict=True), 1):
                records[job.language] = record
                if earlier.get(job.language) != record:  # leave a finished folder as it is
                    write_manifest(folder, (), manifest | {LANGUAGES: {**earlier, **records}})
                progress("languages", n_done, len(jobs))
        publish(folder, manifest | {LANGUAGES: records}, seed)
    table = [record["row"] for record in records.values()]
    for row in table:
        if not row["n_sets"]:
            messages.append(f"{row['language']}: no set ({row['reason']})")
        for note in (row["left_out"], row["licence_note"]):
            messages += [f"{row['language']}: {note}"] if note else []
    n_full = sum(int(row["n_sets"]) >= sets for row in table)
    n_some = sum(bool(row["n_sets"]) for row in table)
    messages.append(
        f"{folder}: {n_some} of {len(table)} languages have sets, {n_full} the {sets:,} asked for"
    )
    table_rows = [{**row, "note": row[VERDICT] or row["reason"]} for row in table]
    table_rows.sort(key=lambda row: not row["n_sets"])
    return Benchmark(table_rows, RESULT_COLUMNS, messages, found=n_some > 0, folder=folder)


@contextmanager
def locked_folder(folder: Path, languages: Set[str]) -> Iterator[None]:
    """Lock the folder of a benchmark for this process, and remove what killed runs left behind.

    Args:
        folder: of the benchmark; it is made if needed.
        languages: codes of the languages that it may have.

    Raises:
        InputError: the folder has other files or other languages, another process is working in it,
            or it cannot be written.
    """
    demand_writable_folder(folder, MADE_BY)
    entries = folder.iterdir() if folder.is_dir() else ()
    names = {entry.name for entry in entries if not entry.name.startswith(".")}
    if names and manifest_facts(folder).get("made_by") != MADE_BY:
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
            _lock(handle, folder)
        for name in (MANIFEST, *SHARED, *languages):  # unfinished files of killed runs
            for path in folder.glob(f".{name}.*"):
                path.unlink() if path.is_file() else shutil.rmtree(path, ignore_errors=True)
        yield
    finally:
        if handle is not None:
            os.close(handle)


def _lock(handle: int, folder: Path) -> None:
    """Lock a folder, which `handle` has open, for this process. The system frees the lock of a dead
    process. Raise `InputError` if another process has the lock."""
    import fcntl

    with suppress(OSError):  # not every file system has locks
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            wrong, right = "another process makes this benchmark", "wait, or another folder"
            raise InputError(str(folder), wrong, right, kind="conflict") from None


def language_record(
    folder: Path, request: BenchmarkRequest, earlier: Mapping[str, Any], job: LanguageJob
) -> dict[str, Any]:
    """Compose, audit and write a language's sets, unless an earlier run made them from the same
    input.

    An error that concerns this language alone is told in its row. If there are no sets, a folder
    that an earlier run made for the language with other options is deleted.

    Args:
        folder: the benchmark's folder, in which the language has one.
        request: what the whole benchmark is asked for.
        earlier: language → its record in an earlier run.
        job: the language and its treebanks.

    Returns:
        The language's record: `made_from`, digests of its input, and its `row` of the table.
    """
    row: dict[str, Any] = dict.fromkeys(schema.BENCHMARK)
    row |= {"language": job.language, "treebanks": job.name, "n_sets": 0}
    try:
        made_from = job.made_from(request)
    except InputError as error:
        return {"made_from": {}, "row": row | {"reason": one_line(str(error))}}
    language_folder = folder / job.language
    previous = _row_made_before(language_folder, made_from, earlier.get(job.language, {}))
    if previous is not None:
        return {"made_from": made_from, "row": previous}
    suite, audited = None, None
    try:
        suite, account = composed_sets(job, request)
        row |= {**account, "left_out": job.left_out or None}
        audited = audit(suite) if suite.items else None
    except InputError as error:
        if error.kind in STOPPING_ERRORS:
            raise
        row["reason"] = one_line(str(error))
    if suite is not None and audited is not None:
        row |= audit_columns(audited)
        row["licence"] = " AND ".join(licences_of(suite.items[0])) or UNKNOWN
        row["licence_note"] = licence_note(suite.items, request.license_ok) or None
        recorded = {"made_by": MADE_BY, "made_from": made_from, "row": row}
        suite = replace(suite, name=job.language)
        with write_folder(language_folder, recorded) as fresh:
            write_suite(suite, fresh / ITEMS)
            if not row["licence_note"]:
                export(suite, fresh / BLIMP, format="blimp")
            write_table(fresh / AUDIT, audited.to_frame())
            language_card(suite, row, made_from, audited.rows, fresh / README)
    elif manifest_facts(language_folder).get("made_by") == MADE_BY:
        shutil.rmtree(language_folder)  # made earlier with other options
    return {"made_from": made_from, "row": row}


def _row_made_before(
    folder: Path, made_from: Mapping[str, Any], earlier: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return a language's row if an earlier run had the same files and options, else None."""
    # A language with sets has its record in the manifest of its folder, which may be gone; one
    # without sets has no folder.
    has_folder = bool(earlier) and earlier["row"]["n_sets"]
    previous = {} if has_folder else earlier
    with suppress(InputError):
        previous = read_manifest(folder)
    if previous.get("made_from") != made_from:
        return None
    return {**dict.fromkeys(schema.BENCHMARK), **previous["row"]}  # in the order of the schema


def composed_sets(job: LanguageJob, request: BenchmarkRequest) -> tuple[Suite, Row]:
    """Mine a language and compose its sets; return the suite and the language's row so far."""
    unimorph = [f"{job.language.partition('-')[0]}={job.unimorph}"] if job.unimorph else []
    mining = mine(
        [file for bank in job.treebanks for file in bank.files], name=job.name,
        language=job.language, unimorph=unimorph, skip_bad=request.skip_bad,
    )  # fmt: skip
    suite = compose(
        mining, sets=request.n_sets, name=f"{job.name}/composed", seed=request.seed,
        recipe=configured(Recipe, attractors=request.attractors, unimorph=unimorph),
    )  # fmt: skip
    assert suite.account is not None
    return suite, account_columns(suite.account)


def account_columns(account: Result) -> Row:
    """Return the columns of the table that `compose` reports: numbers of sets and of words used."""
    row = account.rows[0]
    predicates, auxiliaries = ("verb", "participle", "adjective"), ("auxiliary", "copula")
    return {
        **{name: row[name] for name in ACCOUNT_COLUMNS},
        "n_predicates": sum(int(row[f"n_{kind}"] or 0) for kind in predicates),
        "n_auxiliaries": sum(int(row[f"n_{kind}"] or 0) for kind in auxiliaries),
        "reason": row["reason"],
    }


def audit_columns(audited: AuditResult) -> Row:
    """Return the columns of the table that come from the audit: accuracies of baselines on all
    items or on those with a noun between cue and target; `joint`, the largest share of sets that a
    baseline without the cue has wholly right; and the verdict, a sentence."""
    overall, noun_between = by_baseline(audited.rows)
    shares = [row.get("joint") or 0.0 for name, row in overall.items() if name not in CUE_FINDERS]
    figures = {name: overall.get(name, {}).get("accuracy") for name in ON_ALL_ITEMS}
    figures |= {name: noun_between.get(name, {}).get("accuracy") for name in ON_NOUN_BETWEEN}
    verdict = next(row[VERDICT] for row in overall.values() if row.get(VERDICT))
    return {**figures, "joint": round(max(shares), 3), VERDICT: verdict}
