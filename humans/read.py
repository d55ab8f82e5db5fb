"""What people answered: files of judgments, joined to a suite, in a store and as frames."""

import dataclasses
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import polars as pl

from ..data.errors import InputError
from ..data.files import MANIFEST, Paths, listed_paths, read_manifest, sha256_file, write_folder
from ..data.items.suite import Suite
from ..data.languages import checked_language
from ..data.load import find_suite, newest_suite, save_suite, stored_suite, suite_named
from ..data.registry import Names, listed
from ..data.result import Result
from ..data.schema import EXCLUSIONS
from ..data.store import MEMORY, Store, StoredResult, StoreLike, home, now, open_store
from ..data.tables import frame
from ..scoring.questions.outcome import Outcome
from .judgments.column_names import TableMap, column_map, read_map
from .judgments.exclusion import excluded
from .judgments.formats import colorless
from .judgments.formats.detect import PEOPLE, common_format, judgment_format, read_files
from .judgments.formats.prolific import PLATFORM, read_people
from .judgments.imported import Imported, ImportOptions, demand_known, renamed_people
from .judgments.itemtable import ItemSheet, read_items
from .judgments.judgment import Judgment, tallies
from .judgments.pseudonym import key_in
from .judgments.rules import facts_of, rules_of
from .judgments.stored import StorageReport, StoredImport, save_import
from .statistics import import_audit as audit
from .statistics.rater_accuracy import credits_of
from .statistics.runs import save_published_run
from .study.settings import SETTINGS
from .study.study import kinds_in

MADE_BY = "colorless humans import"


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class Judgments(Result):
    """What people answered, as `read_judgments` returns it.

    Its own table has counts; the frames are computed when asked for.

    Attributes:
        source: all that the files held, with rules and exclusions.
        kept: the store, and the number there of the suite that was judged.
    """

    source: StoredImport
    kept: StoredResult

    @property
    def answers(self) -> pl.DataFrame:
        """The answers that count, one a row, with the columns of `judgments.tsv`."""
        return colorless.judgment_frame(self.source.exclusions.kept)

    @property
    def left_out(self) -> pl.DataFrame:
        """The answers that a rule left out, with the same columns."""
        return colorless.judgment_frame(self.source.left_out)

    @property
    def participants(self) -> pl.DataFrame:
        """What the files say of people and their sessions; empty where they say nothing."""
        return colorless.session_frame(self.source.imported.sessions)

    @property
    def exclusions(self) -> pl.DataFrame:
        """What each rule left out, and the value that it measured."""
        return frame(map(dataclasses.asdict, self.source.exclusions.gone), EXCLUSIONS)

    @property
    def tallies(self) -> pl.DataFrame:
        """The number of right answers and of all answers to each item."""
        source = self.source
        counted = source.imported.tallies or tallies(source.exclusions.kept, source.items)
        columns = {
            **dict.fromkeys(("item", "source", "construction", "condition"), str),
            **dict.fromkeys(("right", "total", "n_attractors"), int),
        }
        return frame(
            ({name: getattr(tally, name) for name in columns} for tally in counted), columns
        )

    def write(self, path: str | Path) -> None:
        """Writes the answers that count into a file, or all tables into a folder.

        The tables are answers, what was left out and why, and sessions.

        Args:
            path: a file that ends in .jsonl, .tsv or .csv; or a folder, a name without an ending.

        Raises:
            InputError: for another ending, or where nothing can be written.
        """
        path, source = Path(path), self.source
        if path.suffix:
            colorless.write_judgments(path, source.exclusions.kept)
            return
        metadata = {"made_by": MADE_BY, "rules": source.rules.digest, "format": source.format_name}
        exclusions = map(dataclasses.asdict, source.exclusions.gone)
        with write_folder(path, metadata) as folder:
            colorless.write_judgments(folder / "judgments.tsv", source.exclusions.kept)
            colorless.write_judgments(folder / "left_out.tsv", source.left_out)
            colorless.write_rows(folder / "exclusions.tsv", EXCLUSIONS, exclusions)
            colorless.write_sessions(folder / "sessions.tsv", source.imported.sessions)

    @property
    def audit(self) -> pl.DataFrame:
        """What the import recognised, and what is doubtful: columns, kinds of trials, sessions,
        repeated items, missing answers, times, what people say of themselves, rules.
        """
        return frame(audit.audited(self.source), audit.COLUMNS)

    def save(self, store: Store, suite_id: int, *, replace_earlier: bool = False) -> StorageReport:
        """Adds the answers to a suite of a store. Call in a transaction.

        Args:
            store: an open store.
            suite_id: the suite's number in the store.
            replace_earlier: take out earlier imports of the same files or trials first.

        Returns:
            Whether the answers are new, and whether the rules were changed after the first import.

        Raises:
            InputError: for answers that contradict those of an earlier import, or cannot be counted
                with them.
        """
        time = now()
        stored = save_import(
            store, self.source, suite_id=suite_id, now=time, replace_earlier=replace_earlier
        )
        name, digest = self.source.files[0]
        renamed: dict[str, str] = {}
        for model, credits in credits_of(self.source.imported.surprisals).items():
            outcomes = [
                Outcome(item_id, "agreement", credit, margin, credit == 0.5, False)
                for item_id, (credit, margin) in credits.items()
            ]
            # a model whose numbers came with the file is known by the file's hash
            signature = f"published:{model}|file:{name}|sha256:{digest[:16]}"
            facts = {"model": model, "signature": signature, "now": time}
            label = save_published_run(store, suite_id=suite_id, outcomes=outcomes, **facts)
            if label != model:
                renamed[model] = label
        return dataclasses.replace(stored, renamed=renamed)


def read_judgments(
    files: Paths,
    *,
    format: str = "",
    map: Sequence[str] | Mapping[str, str] | None = None,
    suite: Suite | str | Path | None = None,
    items: str | Path | None = None,
    language: str = "",
    study: str | Path | None = None,
    exclude: Names = None,
    key: str | Path | None = None,
    platform: str = "",
    keep_columns: Names = None,
    dry_run: bool = False,
    replace: bool = False,
    simulated: bool = False,
    hashed: bool = True,
    out: str | Path | None = None,
    store: StoreLike = None,
) -> Judgments:
    """Reads people's answers from files and joins them to the items they are about.

    The same files again change nothing in the store; the same answers under other rules replace
    what counted before, and say so; other answers to the same trials are an error, and with
    `replace` a correction.

    Args:
        files: files of one format, folders of our own tables, or both; an export of
            Prolific beside them says who people are.
        format: colorless, generic, gulordava, gulordava_raw, ibex, jatos, jspsych, mturk or
            pcibex; "" goes by what the files hold.
        map: what a file calls our columns, as {"item": "Item"} or ["item=Item"], or a list with
            the name of a map file.
        suite: what was judged: a suite, its file, or its name in the store. By default that which
            the study was designed from, else the newest, else the targets of `items`.
        items: a table of the items shown: all of them, or fillers and checks only.
        language: BCP-47 code of a file that brings its own items.
        study: TOML or JSON with rules of exclusion, in its table `exclude`; or a study's folder.
        exclude: further rules, each RULE or RULE=VALUE.
        key: the file of the key that makes pseudonyms; by default one beside the store, and in
            memory one that is forgotten with the process.
        platform: that gave people their ids, where the format assumes another one.
        keep_columns: columns about people that are kept; all others are dropped.
        dry_run: store nothing; the result's table is the audit.
        replace: take out earlier imports of the same files, or of the same trials, first.
        simulated: the answers were made by a program; the report says so.
        hashed: False leaves people under the names that the files have.
        out: where to write them, as `Judgments.write` does.
        store: where to keep them; by default with the suite, else in memory.

    Returns:
        The answers that count, those that do not and why, and where they are kept.

    Raises:
        InputError: for unreadable files, answers about unknown items, unknown rules, and
            answers that contradict or cannot be counted with those of an earlier import.

    >>> import colorless_green as cg
    >>> _ = Path("items.csv").write_text(
    ...     "item,source,kind,prefix,correct_form,wrong_form\\n"
    ...     "i1,s1,target,the keys,are,is\\ni2,s2,target,the key,is,are\\n")
    >>> _ = Path("answers.csv").write_text(
    ...     "participant,item,chosen\\nanna,i1,are\\nanna,i2,are\\nbert,i1,are\\n")
    >>> people = cg.read_judgments("answers.csv", items="items.csv", hashed=False)
    >>> people.answers.select("participant", "item", "chosen", "correct").rows()
    [('anna', 'i1', 'are', 1), ('anna', 'i2', 'are', 0), ('bert', 'i1', 'are', 1)]
    """
    language = checked_language(language)
    paths = listed_paths(files)
    item_table, study_file = (Path(path) if path else None for path in (items, study))
    if study_file is not None and study_file.is_dir():
        study_file /= SETTINGS
    if store is None and isinstance(suite, Suite) and suite.kept is not None:
        store = suite.kept.store
    if dry_run and not isinstance(store, Store) and store and not Path(store).exists():
        store = None  # a look must not make one
    with open_store(store) as keeper:
        people, judged_files, format_name = _by_content(list(_files(paths)), format)
        design: Mapping[str, object] = {}  # of the study; of a file that lies alone nothing is told
        if study_file is not None and (study_file.parent / MANIFEST).is_file():
            design = read_manifest(study_file.parent)
        by_study = kinds_in(study_file.parent) if study_file is not None and design else {}
        table = read_items(item_table, language) if item_table is not None else None
        from_study = set(by_study)
        if table is not None:
            from_study -= table.kinds.keys()
            table = dataclasses.replace(table, kinds={**by_study, **table.kinds})
        asked_suite, suite_id, is_newest = _judged(
            keeper, suite, item_table, table, design, by_study
        )
        key_file = Path(key) if key else None
        if key_file is None and keeper.path != MEMORY:
            key_file = keeper.path.with_suffix(".key")
        keys: list[bytes] = []  # the one that names the people, once it was needed

        def make_key() -> bytes:
            if key_file is None:
                return _key_in_memory()
            if not keys:
                keys.append(key_in(key_file) if key_file.exists() else secrets.token_bytes(32))
            return keys[0]

        clear = table.unambiguous if table is not None else None
        if clear is None and isinstance(unambiguous := design.get("unambiguous"), list):
            clear = frozenset(str(name) for name in unambiguous)
        rules = dataclasses.replace(
            rules_of(study_file, listed(exclude)),
            unambiguous=None if clear is None else tuple(sorted(clear)),
        )
        columns, table_map = _mapped((map,) if isinstance(map, str) else map or ())
        options = ImportOptions(
            columns=columns,
            language=language,
            table=table_map,
            kinds=table.kinds if table else by_study,
            by_study=from_study,
            key=make_key if hashed and not simulated else None,
            platform=platform or (PLATFORM if people else ""),
            keep=tuple(dict.fromkeys((*listed(keep_columns), *rules.required))),
        )
        by_id = {item.item_id: item for item in asked_suite.items} if asked_suite else {}
        for item in table.items if table else ():
            by_id.setdefault(item.item_id, item)
        imported = read_files(judged_files, tuple(by_id.values()), options, format_name)
        if people:
            imported = _with_people(imported, people, options)
        if not (imported.judgments or imported.tallies or imported.surprisals):
            wrong, right = "no judgment in it", "one row for each answer, or totals"
            raise InputError(str(judged_files[0]), wrong, right, kind="empty")
        exclusions = excluded(imported.judgments, rules, imported.sessions)
        judged = imported.suite or _answered(asked_suite, item_table, table, imported.judgments)
        if judged is None:
            wrong, right = "nothing says what was judged", "a suite of the store, or --items"
            raise InputError("--suite", wrong, right, kind="missing")
        all_files = (*judged_files, *people)
        source = StoredImport(
            imported=imported,
            exclusions=exclusions,
            items={**by_id, **{item.item_id: item for item in judged.items}},
            rules=rules,
            name=", ".join(path.name for path in all_files),
            format_name=format_name,
            files=[(path.name, sha256_file(path)) for path in all_files],
            study=facts_of(study_file),
            simulated=simulated,
        )
        target = Store(MEMORY) if dry_run else keeper
        rows = audit.audited(source) if dry_run else [audit.summary_row(source)]
        with target.transaction():
            if suite_id is None or imported.suite is not None or dry_run:
                suite_id = save_suite(target, judged, "imported", treebank_id=None, now=now())
            heads = audit.COLUMNS if dry_run else tuple(rows[0])
            result = Judgments(
                rows, heads, source=source, kept=StoredResult(home(target), suite_id)
            )
            stored = result.save(target, suite_id, replace_earlier=replace)
            if key_file is not None and keys and not dry_run:
                key_in(key_file, keys[0])  # no earlier: a refused import leaves no key
    if out is not None:
        result.write(out)
    notes = [*audit.messages(source, None if dry_run else stored, listed(keep_columns))]
    if suite and asked_suite is not None and imported.suite is not None:
        notes.append(
            f"the suite {asked_suite.name} was not looked at: {source.name} brings its own items"
        )
    newest = ", the newest of the store; --suite names another"
    notes.append(f"judged suite: {judged.name}{newest * (is_newest and judged is asked_suite)}")
    return dataclasses.replace(result, messages=tuple(notes))


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    """The files, and those in folders of `humans answers`, which version 1 had."""
    for path in paths:
        if not os.path.isdir(path):  # `Path.is_dir` fails for names that no file can have
            yield path
            continue
        meta = read_manifest(path, "files of answers")
        if meta.get("made_by") != colorless.COLLECTED_BY or not isinstance(meta["files"], dict):
            wrong, right = "not a folder of answers", "files of answers"
            raise InputError(str(path), wrong, right, kind="format")
        yield from (path / str(name) for name in sorted(meta["files"]))


def _by_content(paths: Sequence[Path], format_name: str) -> tuple[list[Path], list[Path], str]:
    """(files about people, files of judgments, their format)."""
    formats = [(path, judgment_format(path)) for path in paths]
    people = [path for path, name in formats if name == PEOPLE]
    files = [(path, name) for path, name in formats if name != PEOPLE]
    if not files:
        location = str(paths[0]) if paths else "humans import"
        right = "the file of judgments; a Prolific export stands beside it in the same call"
        raise InputError(location, "no judgments in it", right, kind="empty")
    return people, [path for path, _ in files], format_name or common_format(files)


def _judged(
    store: Store,
    suite: Suite | str | Path | None,
    items: Path | None,
    table: ItemSheet | None,
    design: Mapping[str, object],
    by_study: Mapping[str, str],
) -> tuple[Suite | None, int | None, bool]:
    """The suite that was judged, its id if the store has it, and whether nothing named it.

    It is the one named, else the one that the study was designed from, else that of the table's
    targets if the newest does not have them, else the newest; none in an empty store (a file that
    brings its own items needs none).
    """
    judged: Suite | None = None
    suite_id: int | None = None
    is_newest = False
    if suite:
        judged, suite_id = find_suite(store, suite)
    else:
        with suppress(InputError):
            suite_id, is_newest = newest_suite(store), True
        with suppress(InputError):
            suite_id, is_newest = suite_named(store, str(design.get("suite"))), False
        judged = stored_suite(store, suite_id) if suite_id is not None else None
    if items is None or table is None:
        return judged, suite_id, is_newest
    by_id = {item.item_id: item for item in judged.items} if judged else {}
    targets = tuple(e for e in table.targets() if not by_study or e.item_id in table.kinds)
    is_own = [item.item_id in by_id for item in targets]
    if all(is_own):
        return judged, suite_id, is_newest
    if suite or any(is_own):
        if not table.is_silent:
            demand_known(((item.item_id, str(items)) for item in targets), by_id)
        return judged, suite_id, is_newest
    return None if table.is_silent else Suite(items.stem, targets), None, False


def _answered(
    suite: Suite | None, items: Path | None, table: ItemSheet | None, judgments: Sequence[Judgment]
) -> Suite | None:
    """The suite that was judged, where the answers alone say what of the table was asked about."""
    if items is None or table is None or not table.is_silent:
        return suite
    if suite is not None:
        by_id = {item.item_id: item for item in suite.items}
        demand_known(((e.item, e.origin) for e in judgments if e.kind == "target"), by_id)
        return suite
    nontargets = {judgment.item for judgment in judgments if judgment.kind != "target"}
    targets = tuple(item for item in table.targets() if item.item_id not in nontargets)
    return Suite(items.stem, targets) if targets else None


def _mapped(entries: Sequence[str] | Mapping[str, str]) -> tuple[Mapping[str, str], TableMap]:
    """Our columns → the file's, and what a map file says."""
    if isinstance(entries, Mapping):
        return entries, TableMap()
    pairs = [entry for entry in entries if "=" in entry]
    files = [entry for entry in entries if "=" not in entry]
    if len(files) > 1:
        wrong, right = f"{len(files)} map files", "one, and OURS=THEIRS beside it"
        raise InputError("--map", wrong, right, kind="conflict")
    if files and not Path(files[0]).is_file():
        right = "OURS=THEIRS, as in item=Item, or a map file"
        raise InputError("--map", repr(files[0]), right, kind="value")
    return column_map(pairs), read_map(Path(files[0])) if files else TableMap()


@cache
def _key_in_memory() -> bytes:
    """One for the process, and forgotten with it: the same file read again names the same people,
    so that their answers are known in whichever store they meet."""
    return secrets.token_bytes(32)


def _with_people(imported: Imported, paths: Sequence[Path], options: ImportOptions) -> Imported:
    """With what exports of Prolific say, and a note on whom only one side knows."""
    sessions = [session for path in paths for session in read_people(path, options.keep)]
    renamed = renamed_people(sessions, options, PLATFORM)
    answered = {judgment.participant for judgment in imported.judgments}
    strangers = len(answered - {session.participant for session in renamed})
    silent_people = [session for session in renamed if session.participant not in answered]
    notes = [*imported.notes]
    if strangers:
        notes.append(f"{strangers} participants are not in the Prolific export")
    if silent_people:
        statuses = ", ".join(sorted({session.status or "no status" for session in silent_people}))
        notes.append(f"{len(silent_people)} in the Prolific export have no judgments ({statuses})")
    return dataclasses.replace(
        imported, sessions=(*imported.sessions, *renamed), notes=tuple(notes)
    )
