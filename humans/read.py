"""Import of people's judgments: read files, join the answers to a suite, store them."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_type_hints

import polars as pl

from ..data.errors import InputError
from ..data.files import Paths, listed_paths, sha256_file, write_folder
from ..data.items.suite import Suite
from ..data.registry import Names, listed
from ..data.result import Result
from ..data.schema import EXCLUSIONS
from ..data.store import MEMORY, Store, StoredResult, StoreLike, now, open_store, reference_to
from ..data.stored_suites import save_suite
from ..data.tables import frame
from .judged import Judged, find_judged
from .judgments.answers import StorageReport, StoredImport, save_import
from .judgments.claims import claim_frame, sessions_of
from .judgments.formats import PEOPLE, colorless, common_format, judgment_format, read_files
from .judgments.formats.prolific import PLATFORM, people_in
from .judgments.imported import Imported, ImportOptions, with_pseudonyms
from .judgments.judgment import Tally, tallies
from .judgments.pseudonym import KeyFile
from .judgments.rules import apply_rules, facts_of, rules_of
from .judgments.sheet import table_map
from .statistics import import_audit as audit
from .statistics.runs import save_published_run

MADE_BY = "colorless humans import"


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class Judgments(Result):
    """The answers of people, as `read_judgments` returns them.

    As a `Result` it is a table of counts; its properties are frames, computed when asked for.

    Attributes:
        source: everything that the files contain, with the rules and what they excluded.
        kept: the store, and the number in it of the suite that was judged.
    """

    source: StoredImport
    kept: StoredResult

    @property
    def answers(self) -> pl.DataFrame:
        """Return the answers that count, an answer per row, with the columns of `judgments.tsv`."""
        return self.source.exclusions.kept.select(*colorless.JUDGMENT_COLUMNS)

    @property
    def left_out(self) -> pl.DataFrame:
        """Return the answers that a rule left out, with the columns of `judgments.tsv`."""
        return self.source.left_out.select(*colorless.JUDGMENT_COLUMNS)

    @property
    def participants(self) -> pl.DataFrame:
        """Return people's sessions, as far as the files describe them, one per row."""
        return self.source.imported.sessions.cast({"test_run": pl.Int64})

    @property
    def exclusions(self) -> pl.DataFrame:
        """Return what each rule left out (a person, session, trial or item), one per row, with the
        value that the rule measured."""
        return frame(map(dataclasses.asdict, self.source.exclusions.gone), EXCLUSIONS)

    @property
    def tallies(self) -> pl.DataFrame:
        """Return the number of right answers and of all answers, an item per row."""
        source = self.source
        by_item = source.imported.tallies or tallies(source.exclusions.kept, source.items)
        return frame(map(dataclasses.asdict, by_item), get_type_hints(Tally))

    def write(self, path: str | Path) -> None:
        """Write the answers that count into a file, or all tables into a folder.

        The tables are the answers that count, those left out, the exclusions, and the sessions.

        Args:
            path: a file that ends in .jsonl, .tsv or .csv; or a folder, a name without an ending.

        Raises:
            InputError: for another ending, or if the path can't be written.
        """
        path, source = Path(path), self.source
        if path.suffix:
            colorless.write_judgments(path, source.exclusions.kept)
            return
        metadata = {"made_by": MADE_BY, "rules": source.rules.digest, "format": source.format_name}
        with write_folder(path, metadata) as folder:
            colorless.write_judgments(folder / "judgments.tsv", source.exclusions.kept)
            colorless.write_judgments(folder / "left_out.tsv", source.left_out)
            colorless.write_frame(folder / "exclusions.tsv", self.exclusions)
            colorless.write_sessions(folder / "sessions.tsv", source.imported.sessions)

    @property
    def audit(self) -> pl.DataFrame:
        """Return what the import recognised and what looks wrong, one finding per row.

        The findings are about columns, kinds of trials, sessions, repeated items, missing answers,
        response times, people's eligibility, and rules.
        """
        return frame(audit.audit_rows(self.source), audit.COLUMNS)

    def save(self, store: Store, suite_id: int, *, replace_earlier: bool = False) -> StorageReport:
        """Add the answers to a suite of a store. Call in a transaction.

        Args:
            store: an open store.
            suite_id: the suite's number in the store.
            replace_earlier: first delete earlier imports of the same files or trials.

        Returns:
            A report: if the answers are new, and if the rules changed after the first import.

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
        for model, outcomes in self.source.imported.outcomes.items():
            # a published model is identified by its name, and the name and hash of the file
            signature = f"published:{model}|file:{name}|sha256:{digest[:16]}"
            facts = {"model": model, "signature": signature, "now": time}
            label = save_published_run(store, suite_id=suite_id, outcomes=outcomes, **facts)
            if label != model:
                renamed[model] = label
        return dataclasses.replace(stored, renamed=renamed)


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """The arguments of an import: those of `read_judgments` in its order, and two for our demo.

    Attributes:
        files, map, suite, items, study, exclude: as in `read_judgments`.
        dry_run, replace, format, out: as in `read_judgments`.
        simulated: True if a program made the answers; the report then says so.
        hashed: False keeps the names of people as in the files, without pseudonyms.
    """

    files: Paths
    map: Names | Mapping[str, Any] = None
    suite: Suite | str | Path | None = None
    items: str | Path | None = None
    study: str | Path | None = None
    exclude: Names = None
    dry_run: bool = False
    replace: bool = False
    format: str = ""
    out: str | Path | None = None
    simulated: bool = False
    hashed: bool = True


def read_judgments(
    files: Paths,
    *,
    map: Names | Mapping[str, Any] = None,
    suite: Suite | str | Path | None = None,
    items: str | Path | None = None,
    study: str | Path | None = None,
    exclude: Names = None,
    dry_run: bool = False,
    replace: bool = False,
    format: str = "",
    out: str | Path | None = None,
    store: StoreLike = None,
) -> Judgments:
    """Import people's judgments into the store, under pseudonyms.

    The same files again change nothing in the store; the same answers under other rules replace
    what counted before, and say so; other answers to the same trials are an error, and with
    `replace` a correction.

    Args:
        files: files of one format; a Prolific export among them says who people are.
        map: OURS=THEIRS renames a column; or a JSON file that also says which columns about people
            are kept, the language, the key of pseudonyms and the platform (docs/people.md).
        suite: what was judged: a suite, its file or its name [default: that of the study, else
            the newest, else the targets of `items`].
        items: table of the items shown: all of them, or fillers and checks only.
        study: a study's folder, or a TOML or JSON file with rules in a section [exclude].
        exclude: a further rule of exclusion, RULE or RULE=VALUE, such as max_filler_errors=0.2.
        dry_run: show what would be imported without storing it.
        replace: take out earlier imports of these files or trials first.
        format: colorless, generic, gulordava, gulordava_raw, ibex, jatos, jspsych, mturk or
            pcibex [default: by what the files hold].
        out: file for the answers that count, or folder for all tables.
        store: the project's database, where the answers are kept.

    Returns:
        The answers that count, those that do not and why, and where they are kept.

    Raises:
        InputError: for unreadable files, answers about unknown items, unknown rules, and
            answers that contradict or cannot be counted with those of an earlier import.

    Commands:
        colorless humans import answers.csv --map item=Item --exclude max_filler_errors=0.2
        colorless humans import jatos_results.zip prolific_export.csv --items items.csv

    >>> import colorless_green as cg
    >>> _ = Path("items.csv").write_text(
    ...     "item,source,kind,prefix,correct_form,wrong_form\\n"
    ...     "i1,s1,target,the keys,are,is\\ni2,s2,target,the key,is,are\\n")
    >>> _ = Path("answers.csv").write_text(
    ...     "participant,item,chosen\\nanna,i1,are\\nanna,i2,are\\nbert,i1,are\\n")
    >>> people = cg.read_judgments("answers.csv", items="items.csv")
    >>> people.answers.select("item", "chosen", "correct").rows()
    [('i1', 'are', 1), ('i2', 'are', 0), ('i1', 'are', 1)]
    """
    request = ImportRequest(files, map, suite, items, study, exclude, dry_run, replace, format, out)
    return import_judgments(request, store)


def import_judgments(request: ImportRequest, store: StoreLike = None) -> Judgments:
    """Read people's answers, join them to their items and keep them in a store.

    Args:
        request: the arguments of the import.
        store: the store to keep them in; None: that of the suite, else a store in memory.

    Returns:
        The same as `read_judgments`.
    """
    table = table_map(request.map)
    files, people_files, format_name = sort_files(request)
    with open_store(_store_for(request, store)) as opened:
        judged = find_judged(opened, request.suite, request.study, request.items, table.language)
        rules = rules_of(judged.study, listed(request.exclude))
        if judged.unambiguous is not None:
            rules = dataclasses.replace(rules, unambiguous=tuple(sorted(judged.unambiguous)))
        default_key = None if opened.path == MEMORY else opened.path.with_suffix(".key")
        key_file = KeyFile(Path(table.key) if table.key else default_key)
        # rules need facts about people that the user did not ask to keep
        kept_facts = tuple(dict.fromkeys((*table.keep, *rules.required)))
        platform = table.platform or (PLATFORM if people_files else "")
        options = ImportOptions(
            table=dataclasses.replace(table, keep=kept_facts, platform=platform),
            kinds=judged.table.kinds,
            key=key_file.key if request.hashed and not request.simulated else None,
        )
        known = judged.known_items
        imported = read_files(files, tuple(known.values()), options, format_name)
        if people_files:
            imported = add_people(imported, people_files, options)
        if not (len(imported.trials) or imported.tallies or imported.outcomes):
            wrong, right = "no judgment in it", "one row for each answer, or totals"
            raise InputError(str(files[0]), wrong, right, kind="empty")
        suite = imported.suite or judged.answered_suite(imported)
        if suite is None:
            wrong, right = "nothing says what was judged", "a suite of the store, or --items"
            raise InputError("suite", wrong, right, kind="missing")
        source = StoredImport(
            imported=imported,
            exclusions=apply_rules(imported.trials, rules, imported.sessions),
            items={**known, **{item.item_id: item for item in suite.items}},
            rules=rules,
            name=", ".join(path.name for path in (*files, *people_files)),
            format_name=format_name,
            files=[(path.name, sha256_file(path)) for path in (*files, *people_files)],
            study=facts_of(judged.study),
            simulated=request.simulated,
        )
        result, stored = store_import(opened, request, source, suite, judged, key_file)
    if request.out is not None:
        result.write(request.out)
    messages = describe(request, source, stored, suite, judged, table.keep)
    return dataclasses.replace(result, messages=tuple(messages))


def _store_for(request: ImportRequest, store: StoreLike) -> StoreLike:
    """Return the store to use: the given one, else that of the request's suite.

    Return None (a store in memory) for a dry run with the path of a store that does not exist, so
    that none is made.
    """
    if store is None and isinstance(request.suite, Suite) and request.suite.kept is not None:
        store = request.suite.kept.store
    is_path = store is not None and not isinstance(store, Store)
    return None if request.dry_run and is_path and not Path(str(store)).exists() else store


def sort_files(request: ImportRequest) -> tuple[list[Path], list[Path], str]:
    """Sort the files of a request into files of judgments and exports of Prolific about people.

    Return the files of judgments, the exports, and the format of the files of judgments. Raises
    `InputError` if there are no judgments, or if their files have different formats.
    """
    formats = [(path, judgment_format(path)) for path in listed_paths(request.files)]
    people_files = [path for path, name in formats if name == PEOPLE]
    files = [(path, name) for path, name in formats if name != PEOPLE]
    if not files:
        location = str(people_files[0]) if people_files else "files"
        right = "the file of judgments, with which a Prolific export is given"
        raise InputError(location, "no judgments in it", right, kind="empty")
    return [path for path, _ in files], people_files, request.format or common_format(files)


def add_people(imported: Imported, paths: Sequence[Path], options: ImportOptions) -> Imported:
    """Add what exports of Prolific say of people to the sessions of an import.

    The notes say how many people answered but are not in the export, and how many are in the export
    but did not answer.
    """
    claims = claim_frame(row for path in paths for row in people_in(path, options.table.keep))
    exported = sessions_of(with_pseudonyms(claims, options, PLATFORM))
    answered, listed_people = imported.trials["participant"], exported["participant"]  # pseudonyms
    notes = [*imported.notes]
    if n_unlisted := answered.unique().is_in(listed_people.implode()).not_().sum():
        notes.append(f"{n_unlisted} participants are not in the Prolific export")
    silent_people = exported.filter(~pl.col("participant").is_in(answered.implode()))
    if len(silent_people):
        statuses = ", ".join(silent_people["status"].replace("", "no status").unique().sort())
        notes.append(f"{len(silent_people)} in the Prolific export have no judgments ({statuses})")
    sessions = pl.concat([imported.sessions, exported], how="diagonal")
    return dataclasses.replace(imported, sessions=sessions, notes=tuple(notes))


def store_import(
    store: Store,
    request: ImportRequest,
    source: StoredImport,
    suite: Suite,
    judged: Judged,
    key_file: KeyFile,
) -> tuple[Judgments, StorageReport]:
    """Store an import, or keep it in memory for a dry run.

    Return the judgments and a report on what storing them changed. The key of the pseudonyms is
    saved last, so that an import that is refused leaves no key.
    """
    is_dry, suite_id = request.dry_run, judged.suite_id
    target = Store(MEMORY) if is_dry else store
    rows = audit.audit_rows(source) if is_dry else [audit.summary_row(source)]
    with target.transaction():
        if suite_id is None or source.imported.suite is not None or is_dry:
            suite_id = save_suite(target, suite, "imported", treebank_id=None, now=now())
        columns = audit.COLUMNS if is_dry else tuple(rows[0])
        result = Judgments(
            rows, columns, source=source, kept=StoredResult(reference_to(target), suite_id)
        )
        stored = result.save(target, suite_id, replace_earlier=request.replace)
        if not is_dry:
            key_file.save()
    return result, stored


def describe(
    request: ImportRequest,
    source: StoredImport,
    stored: StorageReport,
    suite: Suite,
    judged: Judged,
    keep: Sequence[str],
) -> Iterator[str]:
    """Yield the messages of an import: those of the audit, then which suite was judged."""
    yield from audit.messages(source, None if request.dry_run else stored, keep)
    brings_own = source.imported.suite is not None
    if request.suite and judged.suite is not None and brings_own:
        yield (
            f"the suite {judged.suite.name} was not looked at: {source.name} brings its own items"
        )
    is_newest = judged.is_newest and suite is judged.suite
    newest = ", the newest of the store; --suite names another" if is_newest else ""
    yield f"judged suite: {suite.name}{newest}"
