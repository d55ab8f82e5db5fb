"""The verb humans import: files of judgments, joined to a suite, into the store."""

import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.files import sha256_file, write_manifest
from colorless_green.data.registry import load
from colorless_green.data.result import Result
from colorless_green.data.store import MEMORY, Store
from colorless_green.data.tables import Row, write_tsv
from colorless_green.humans.agreement import agreement, sentences
from colorless_green.humans.assemble import renamed_people
from colorless_green.humans.comparison import credits_of
from colorless_green.humans.exclusion import COLUMNS, Exclusions, as_row, excluded
from colorless_green.humans.formats import FORMATS, GROUP
from colorless_green.humans.formats.colorless import (
    guarded,
    write_judgments,
    write_readings,
    write_sessions,
)
from colorless_green.humans.formats.prolific import PLATFORM, read_people
from colorless_green.humans.formats.told import PEOPLE, common_format, judgment_format
from colorless_green.humans.imported import Imported, ImportOptions, Read, column_map
from colorless_green.humans.itemtable import ItemTable, read_items
from colorless_green.humans.join import demand_known
from colorless_green.humans.judgment import Judgment, Session
from colorless_green.humans.pseudonym import key_in
from colorless_green.humans.rows import save_published_run
from colorless_green.humans.rulefile import rules_of
from colorless_green.humans.storing import Import, Stored, save_import
from colorless_green.humans.tablemap import TableMap, read_map
from colorless_green.humans.tally import tallies
from colorless_green.nonce.item import Item
from colorless_green.nonce.rows import load_suite, newest_suite, save_suite, suite_named
from colorless_green.nonce.suite import Suite
from colorless_green.scoring.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be imported how; each field is an option of the command line but the last two."""

    format_name: str = ""  # "": told by the files
    maps: Sequence[str] = ()  # OURS=THEIRS, or the name of a map file
    suite: str = ""
    items: Path | None = None
    language: str = ""
    study: Path | None = None  # with rules of exclusion
    exclude: Sequence[str] = ()
    key: Path | None = None
    platform: str = ""
    keep: Sequence[str] = ()
    out: Path | None = None
    simulated: bool = False  # made by a program: nobody's answers, nobody to hide
    hashed: bool = True  # false leaves people under the names in the file: for tests


def import_judgments(paths: Sequence[Path], store: Store, request: Request, *, now: str) -> Result:
    """Judgments of files, joined to the items of a suite, into the store. The same files again
    change nothing."""
    rules = rules_of(request.study, request.exclude)
    people, files, format_name = _sorted_out(paths, request)
    suite_id, suite, table = _judged(store, request)
    options = _options(request, store, table, PLATFORM if people else "")
    items = _all_items(suite, table)
    read: Read = load(FORMATS, format_name, "--format", GROUP)
    imported = _with_people(read(files, items, options), people, options)
    if not _holds_anything(imported):
        raise InputError(str(files[0]), "no judgment in it", "one row for each answer, or totals")
    exclusions = excluded(
        imported.judgments, rules, imported.sessions, table.unambiguous if table else None
    )
    judged = imported.suite or suite
    if judged is None:
        raise InputError("--suite", "no suite that was judged", "a suite of the store, or --items")
    by_id = {item.item_id: item for item in (*items, *judged.items)}
    found = Import(
        imported=imported,
        exclusions=exclusions,
        items=by_id,
        rules=rules,
        name=", ".join(path.name for path in paths),
        format_name=format_name,
        files=[(path.name, sha256_file(path)) for path in paths],
        simulated=request.simulated,
    )
    with store.transaction():
        if suite_id is None or imported.suite is not None:
            suite_id = save_suite(store, judged, "imported", treebank_id=None, now=now)
        stored = save_import(store, found, suite_id=suite_id, now=now)
        _save_models(store, imported, files[0], suite_id, now)
    if request.out is not None:
        _write_tables(request.out, found)
    row = _summary_row(found)
    return Result([row], tuple(row), tuple(_messages(found, stored, request.keep)))


def _sorted_out(paths: Sequence[Path], request: Request) -> tuple[list[Path], list[Path], str]:
    """(files about people, files of judgments, their format)."""
    told = [(path, judgment_format(path)) for path in paths]
    people = [path for path, name in told if name == PEOPLE]
    files = [(path, name) for path, name in told if name != PEOPLE]
    if not files:
        raise InputError(
            str(paths[0]) if paths else "humans import",
            "no judgments in it",
            "the file of judgments; a Prolific export stands beside it in the same call",
        )
    return people, [path for path, _ in files], request.format_name or common_format(files)


def _judged(store: Store, request: Request) -> tuple[int | None, Suite | None, ItemTable | None]:
    """The suite that was judged (with its id, if the store has it), and the table of items.

    It is the one named, else that of the table's targets if the newest does not have them, else the
    newest; none in an empty store (a file that brings its own items needs none).
    """
    suite_id: int | None
    if request.suite:
        suite_id = suite_named(store, request.suite)
    else:
        try:
            suite_id = newest_suite(store)
        except InputError:
            suite_id = None
    suite = load_suite(store, suite_id) if suite_id is not None else None
    if request.items is None:
        return suite_id, suite, None
    table = read_items(request.items, request.language)
    own = {item.item_id: item for item in suite.items} if suite else {}
    targets = table.targets()
    if all(item.item_id in own for item in targets):
        return suite_id, suite, table
    if request.suite or any(item.item_id in own for item in targets):
        demand_known(((item.item_id, str(request.items)) for item in targets), own)
    return None, Suite(request.items.stem, targets), table


def _all_items(suite: Suite | None, table: ItemTable | None) -> tuple[Item, ...]:
    """What answers may be about: the suite's items, then the table's others."""
    own = suite.items if suite else ()
    known = {item.item_id for item in own}
    others = [item for item in (table.items if table else ()) if item.item_id not in known]
    return (*own, *others)


def _options(
    request: Request, store: Store, table: ItemTable | None, platform: str
) -> ImportOptions:
    pairs = [each for each in request.maps if "=" in each]
    files = [each for each in request.maps if "=" not in each]
    if len(files) > 1:
        raise InputError("--map", f"{len(files)} map files", "one, and OURS=THEIRS beside it")
    if files and not Path(files[0]).is_file():
        raise InputError("--map", f"{files[0]!r}", "OURS=THEIRS, as in item=Item, or a map file")
    key: Callable[[], bytes] | None = None
    if request.hashed and not request.simulated:
        key = cache(lambda: _key(request, store))
    return ImportOptions(
        columns=column_map(pairs),
        language=request.language,
        table=read_map(Path(files[0])) if files else TableMap(),
        kinds=table.kinds if table else {},
        key=key,
        platform=request.platform or platform,
        keep=tuple(request.keep),
    )


def _key(request: Request, store: Store) -> bytes:
    """From the file named, else from the one beside the store; of a store that keeps nothing, a key
    that is forgotten."""
    if request.key is not None:
        return key_in(request.key)
    if store.path == MEMORY:
        return secrets.token_bytes(32)
    return key_in(store.path.with_suffix(".key"))


def _with_people(imported: Imported, paths: Sequence[Path], options: ImportOptions) -> Imported:
    """With what exports of Prolific say, and a note on whom only one side knows."""
    if not paths:
        return imported
    told = [session for path in paths for session in read_people(path, options.keep)]
    known = renamed_people(told, options, PLATFORM)
    answered = {each.participant for each in imported.judgments}
    listed = {each.participant for each in known}
    strangers = len(answered - listed)
    silent = [each for each in known if each.participant not in answered]
    notes = [*imported.notes]
    if strangers:
        notes.append(f"{strangers} participants are not in the Prolific export")
    if silent:
        shown = ", ".join(sorted({each.status or "no status" for each in silent}))
        notes.append(f"{len(silent)} in the Prolific export have no judgments ({shown})")
    sessions: tuple[Session, ...] = (*imported.sessions, *known)
    return replace(imported, sessions=sessions, notes=tuple(notes))


def _holds_anything(imported: Imported) -> bool:
    return bool(imported.judgments or imported.readings or imported.tallies or imported.surprisals)


def _save_models(store: Store, imported: Imported, path: Path, suite_id: int, now: str) -> None:
    """The models whose numbers came with the file, each known by the file's hash."""
    for model, credits in credits_of(imported.surprisals).items():
        save_published_run(
            store,
            model=model,
            signature=f"published:{model}|file:{path.name}|sha256:{sha256_file(path)[:16]}",
            suite_id=suite_id,
            outcomes=[
                Outcome(item_id, "agreement", credit, margin, credit == 0.5, False)
                for item_id, (credit, margin) in credits.items()
            ],
            now=now,
        )


def _write_tables(folder: Path, found: Import) -> None:
    """`judgments.tsv` (what counts), who went and why, and the rest; the manifest last."""
    write_judgments(folder / "judgments.tsv", found.exclusions.kept)
    stays = {each.trial_id for each in found.exclusions.kept}
    gone = [each for each in found.imported.judgments if each.trial_id not in stays]
    write_judgments(folder / "left_out.tsv", gone)
    rows = ({k: guarded(v) for k, v in as_row(e).items()} for e in found.exclusions.gone)
    write_tsv(folder / "exclusions.tsv", COLUMNS, rows)
    write_sessions(folder / "sessions.tsv", found.imported.sessions)
    write_readings(folder / "readings.tsv", found.imported.readings)
    names = ("judgments", "left_out", "exclusions", "sessions", "readings")
    about = {"rules": found.rules.digest, "format": found.format_name}
    write_manifest(folder, (f"{name}.tsv" for name in names), about)


def _summary_row(found: Import) -> Row:
    summary = found.imported.summary
    return {
        "files": summary.n_files,
        "rows": summary.n_rows,
        "judgments": summary.n_judgments,
        "participants": summary.n_participants,
        "items": summary.n_items_matched,
        "other_items": summary.n_items_unmatched,
        "missing": summary.n_missing,
        "duplicates": summary.n_duplicates,
        "other_rows": summary.n_others,
        "readings": summary.n_readings,
        "left_out": sum(each.n_trials for each in found.exclusions.gone),
    }


def _messages(found: Import, stored: Stored, keep: Sequence[str]) -> Iterator[str]:
    yield f"format: {found.format_name}"
    yield from found.imported.notes
    kept = {name for session in found.imported.sessions for name in session.facts}
    for name in keep:
        if name not in kept:
            yield f"no value in a column {name!r} to keep"
    if stored.n_known:
        yield f"{stored.n_known} answers were imported before and are not added again"
    elif not stored.is_new:
        yield "the same answers under the same rules were imported before"
    yield from _exclusion_messages(found.exclusions)
    if stored.is_post_hoc:
        yield "the rules are not those of the first import: these exclusions are POST HOC"
    agreed = agreement(found.imported.tallies or tallies(found.exclusions.kept, found.items))
    if agreed is not None:
        yield from sentences(agreed)
    if found.exclusions.gone and found.imported.judgments:
        everybody = agreement(tallies(_countable(found), found.items))
        if everybody is not None:
            yield f"with all that was left out: {everybody.by_item:.2%} (mean over items)"


def _countable(found: Import) -> Sequence[Judgment]:
    return [each for each in found.imported.judgments if each.kind != "practice"]


def _exclusion_messages(exclusions: Exclusions) -> Iterator[str]:
    """A line for each rule that removed something or could not judge somebody."""
    rules: dict[tuple[str, str], list[int]] = {}
    for each in exclusions.gone:
        rules.setdefault((each.rule, each.level), []).append(each.n_trials)
    for (rule, level), counts in rules.items():
        n_trials = sum(counts)
        who = "" if level == "trial" else f"{_counted(len(counts), level)}, "
        yield f"left out by {rule}: {who}{_counted(n_trials, 'trial')}"
    unknown: dict[str, int] = {}
    for each in exclusions.undefined:
        unknown[each.rule] = unknown.get(each.rule, 0) + 1
    for rule, n in unknown.items():
        yield f"{rule}: nothing to measure in {_counted(n, 'person')}, who stay in"


def _counted(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"
