"""The verb humans import: files of judgments, joined to a suite, into the store."""

import os
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.files import MANIFEST, read_manifest, sha256_file, write_folder
from colorless_green.data.languages import checked_language
from colorless_green.data.result import Result
from colorless_green.data.store import MEMORY, Store
from colorless_green.data.tables import frame, guarded, write_table
from colorless_green.humans.assemble import renamed_people
from colorless_green.humans.comparison import credits_of
from colorless_green.humans.exclusion import COLUMNS, as_row, excluded
from colorless_green.humans.formats.colorless import (
    COLLECTED_BY,
    write_judgments,
    write_readings,
    write_sessions,
)
from colorless_green.humans.formats.prolific import PLATFORM, read_people
from colorless_green.humans.formats.told import (
    PEOPLE,
    common_format,
    judgment_format,
    read_judgments,
)
from colorless_green.humans.imported import Imported, ImportOptions, column_map
from colorless_green.humans.itemtable import ItemTable, read_items
from colorless_green.humans.join import demand_known
from colorless_green.humans.judgment import Session
from colorless_green.humans.pseudonym import key_in
from colorless_green.humans.rows import save_published_run
from colorless_green.humans.rulefile import facts_of, rules_of
from colorless_green.humans.storing import Import, save_import
from colorless_green.humans.summary import messages, summary_row
from colorless_green.humans.tablemap import TableMap, read_map
from colorless_green.nonce.item import Item
from colorless_green.nonce.rows import load_suite, newest_suite, save_suite, suite_named
from colorless_green.nonce.suite import Suite
from colorless_green.scoring.outcome import Outcome

MADE_BY = "colorless humans import"


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
    request = replace(request, language=checked_language(request.language))
    people, files, format_name = _sorted_out(list(_files(paths)), request)
    suite_id, suite, table = _judged(store, request)
    options = _options(request, store, table, PLATFORM if people else "")
    items = _all_items(suite, table)
    read = read_judgments(files, items, options, format_name)
    imported = _with_people(read, people, options)
    if not _holds_anything(imported):
        raise InputError(
            str(files[0]), "no judgment in it", "one row for each answer, or totals", kind="empty"
        )
    rules = rules_of(request.study, request.exclude)
    rules = replace(rules, unambiguous=_unambiguous(request, table))
    exclusions = excluded(imported.judgments, rules, imported.sessions)
    judged = imported.suite or suite
    if judged is None:
        raise InputError(
            "--suite",
            "no suite that was judged",
            "a suite of the store, or --items",
            kind="missing",
        )
    by_id = {item.item_id: item for item in (*items, *judged.items)}
    found = Import(
        imported=imported,
        exclusions=exclusions,
        items=by_id,
        rules=rules,
        name=", ".join(path.name for path in (*files, *people)),
        format_name=format_name,
        files=[(path.name, sha256_file(path)) for path in (*files, *people)],
        study=facts_of(request.study),
        simulated=request.simulated,
    )
    with store.transaction():
        if suite_id is None or imported.suite is not None:
            suite_id = save_suite(store, judged, "imported", treebank_id=None, now=now)
        stored = save_import(store, found, suite_id=suite_id, now=now)
        _save_models(store, imported, files[0], suite_id, now)
    if request.out is not None:
        _write_tables(request.out, found)
    row = summary_row(found)
    return Result([row], tuple(row), tuple(messages(found, stored, request.keep)))


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    """The files, and those in folders of `humans answers`."""
    for path in paths:
        if not os.path.isdir(path):  # `Path.is_dir` fails for names that no file can have
            yield path
            continue
        about = read_manifest(path)
        if about.get("made_by") != COLLECTED_BY or not isinstance(about["files"], dict):
            raise InputError(
                str(path),
                "not a folder of answers",
                "files, or humans answers --out",
                kind="format",
            )
        yield from (path / str(name) for name in sorted(about["files"]))


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
            kind="empty",
        )
    return people, [path for path, _ in files], request.format_name or common_format(files)


def _judged(store: Store, request: Request) -> tuple[int | None, Suite | None, ItemTable | None]:
    """The suite that was judged (with its id, if the store has it), and the table of items.

    It is the one named, else the one that the study was designed from, else that of the table's
    targets if the newest does not have them, else the newest; none in an empty store (a file that
    brings its own items needs none).
    """
    suite_id = _suite_id(store, request)
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


def _suite_id(store: Store, request: Request) -> int | None:
    if request.suite:
        return suite_named(store, request.suite)
    with suppress(InputError):
        return suite_named(store, str(_design(request.study).get("suite")))
    with suppress(InputError):
        return newest_suite(store)
    return None


def _all_items(suite: Suite | None, table: ItemTable | None) -> tuple[Item, ...]:
    """What answers may be about: the suite's items, then the table's others."""
    own = suite.items if suite else ()
    known = {item.item_id for item in own}
    others = [item for item in (table.items if table else ()) if item.item_id not in known]
    return (*own, *others)


def _unambiguous(request: Request, table: ItemTable | None) -> tuple[str, ...] | None:
    """The fillers that may decide on people: as the table of items has them, else as the design of
    the study had them whose rules these are; None where neither says."""
    if table is not None and table.unambiguous is not None:
        return tuple(sorted(table.unambiguous))
    told = _design(request.study).get("unambiguous")
    return tuple(sorted(map(str, told))) if isinstance(told, list) else None


def _design(study: Path | None) -> Mapping[str, object]:
    """What the design says of the study whose file this is; nothing of a file that lies alone."""
    if study is None or not (study.parent / MANIFEST).is_file():
        return {}
    return read_manifest(study.parent)


def _options(
    request: Request, store: Store, table: ItemTable | None, platform: str
) -> ImportOptions:
    pairs = [each for each in request.maps if "=" in each]
    files = [each for each in request.maps if "=" not in each]
    if len(files) > 1:
        raise InputError(
            "--map", f"{len(files)} map files", "one, and OURS=THEIRS beside it", kind="conflict"
        )
    if files and not Path(files[0]).is_file():
        raise InputError(
            "--map", f"{files[0]!r}", "OURS=THEIRS, as in item=Item, or a map file", kind="value"
        )
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
    """`judgments.tsv` (what counts), who went and why, and the rest."""
    about = {"made_by": MADE_BY, "rules": found.rules.digest, "format": found.format_name}
    stays = {each.trial_id for each in found.exclusions.kept}
    gone = [each for each in found.imported.judgments if each.trial_id not in stays]
    rows = ({k: guarded(v) for k, v in as_row(e).items()} for e in found.exclusions.gone)
    with write_folder(folder, about) as new:
        write_judgments(new / "judgments.tsv", found.exclusions.kept)
        write_judgments(new / "left_out.tsv", gone)
        write_table(new / "exclusions.tsv", frame(rows, COLUMNS))
        write_sessions(new / "sessions.tsv", found.imported.sessions)
        write_readings(new / "readings.tsv", found.readings)
