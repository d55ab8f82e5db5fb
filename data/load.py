"""The public functions that read suites (`load_suite`, `import_suites`) and write them (`export`).

A suite is test items under one name with what is predicted of them; it is in a file or in a store.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from .errors import InputError
from .formats import read_suite, read_suites, write_suite
from .formats.detect import is_suite
from .formats.licences import demand_compatible
from .items.suite import Suite, select_items
from .languages import checked_language
from .registry import Names, listed
from .result import Result
from .store import StoreLike, open_store
from .stored_suites import ensure_saved, find_suite, newest_note, store_of
from .tables import Row
from .vocabulary import read_vocabulary

REPAIR_MESSAGES = {  # name of a repair in a suite's `meta`, where readers count it → message
    "repaired_regions": "blanks at the ends of texts, or double ones within, in {} regions",
    "wrong_grammatical": "`grammatical` contradicts the condition in {} rows; the condition counts",
    "other_sentences": "the two sentences of {} rows differ; `sentence` counts",
    "repeated_items": "{} items repeat another",
}


def load_suite(
    what: str | Path = "",
    *,
    format: str = "",
    language: str = "",
    strict: bool = False,
    store: StoreLike = None,
) -> Suite:
    """Read a suite from a file of any format, or from a store.

    Args:
        what: a file, a folder, or the name of a suite in `store`; "" is the newest there.
        format: of a file, where its content does not tell (docs/suites.md lists them).
        language: BCP-47 code, where the file has none.
        strict: refuse a file of which something had to be mended.
        store: where names are looked up, and files are kept; None: a file is kept nowhere.

    Returns:
        The suite; its `account` counts its items by kind and tells what was mended.

    Raises:
        InputError: the file is no suite, is broken or, with `strict`, had to be mended.

    >>> import colorless_green as cg
    >>> from tempfile import NamedTemporaryFile
    >>> with NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write("good,bad\\nThe keys are here.,The keys is here.\\n")
    ...     file.flush()
    ...     cg.load_suite(file.name, language="en").to_frame().select("right", "wrong").row(0)
    ('The keys are here.', 'The keys is here.')
    """
    language = checked_language(language)
    if store is None and not str(what):
        raise InputError("load_suite", "no name is given", "a file, or a store", kind="missing")
    if store is None or format or (str(what) and is_suite(Path(what))):
        suite = _finish_import(read_suite(Path(what), format), what, language, strict)
        if store is not None:
            with open_store(store) as opened:
                suite = ensure_saved(suite, opened)
    else:
        with open_store(store, existing=True) as opened:
            suite, _ = find_suite(opened, str(what))
    return replace(suite, account=_import_result([suite], what))


def import_suites(
    file: str | Path,
    *,
    format: str = "",
    language: str = "",
    strict: bool = False,
    store: StoreLike = None,
) -> Result:
    """Import a suite, or a folder of suites, from another tool's format into the store.

    Args:
        file: a suite in another tool's format, or a folder of such (docs/suites.md).
        format: format of the file (docs/suites.md) [default: detected].
        language: BCP-47 code, if the file does not give one.
        strict: refuse a file that needs repair.
        store: the project's database, where the suites are kept.

    Returns:
        The items of each suite, counted by kind, with the suite's number in the store.

    Raises:
        InputError: the file is no suite, is broken or, with `strict`, had to be mended.

    Commands:
        colorless import blimp/anaphor_number_agreement.jsonl
        colorless import pairs.csv --language de

    >>> import colorless_green as cg
    >>> from pathlib import Path
    >>> _ = Path("pairs.csv").write_text("good,bad\\nThe keys are here.,The keys is here.\\n")
    >>> cg.import_suites("pairs.csv", language="en").rows
    [{'id': 1, 'suite': 'pairs', 'kind': 'suite', 'n_items': 1}]
    """
    language = checked_language(language)
    loaded = read_suites(Path(file), format)
    suites = [_finish_import(suite, file, language, strict) for suite in loaded]
    with open_store(store) as opened:
        suites = [ensure_saved(suite, opened) for suite in suites]
    return _import_result(suites, file)


def _finish_import(suite: Suite, source: str | Path, language: str, strict: bool) -> Suite:
    """Return a suite just read from a file, with its items' language set to `language` if given.

    Raises `InputError` if `strict` and the reader had to mend something in the file `source`.
    """
    notes = list(reader_notes(suite))
    if strict and notes:
        raise InputError(
            str(source), notes[0], "a file without faults, or no --strict", kind="format"
        )
    return replace(suite, items=suite.table.in_language(language)) if language else suite


def _import_result(suites: Sequence[Suite], source: str | Path) -> Result:
    """Return a table with the number of items of each suite by kind, as a `Result`.

    Its messages say what the readers mended in the file `source`.
    """
    rows: list[Row] = []
    for suite in suites:
        number = suite.kept.id if suite.kept else None
        kinds = Counter(item.kind for item in suite.items)
        rows += [
            {"id": number, "suite": suite.name, "kind": kind, "n_items": n}
            for kind, n in sorted(kinds.items())
        ]
    path = source if len(suites) == 1 else ""  # of several suites, messages give the name instead
    messages = [f"{path or suite.name}: {note}" for suite in suites for note in reader_notes(suite)]
    columns = ["suite", "kind", "n_items"]
    if any(row["id"] for row in rows):
        columns.append("id")
    return Result(rows, columns, messages)


def reader_notes(suite: Suite) -> Iterator[str]:
    """Yield a message for each sort of repair that a reader made in a suite, and for each place
    where a prediction may be misread."""
    for name, template in REPAIR_MESSAGES.items():
        if name in suite.meta:
            yield template.format(suite.meta[name])
    for prediction in suite.predictions:
        yield from (f"prediction {prediction.name}: {warning}" for warning in prediction.warnings)


def export(
    suite: Suite | str | Path = "",
    out: str | Path = "suite.tab",
    *,
    format: str = "",
    construction: Names = None,
    license_ok: bool = False,
    store: StoreLike = None,
) -> Result:
    """Export a suite to another format: lm-eval harness, BLiMP, SyntaxGym, Hugging Face, .tab.

    Args:
        suite: a suite's file, or its name or @number in the store [default: the newest].
        out: file or folder to write.
        format: jsonl, tab, gold, blimp, multiblimp, pair_table, syntaxgym, harness or huggingface
            (docs/suites.md) [default: by the ending of --out].
        construction: only this construction; * matches anything; repeat for several.
        license_ok: export items even if their licence is unknown.
        store: the project's database, where names are looked up.

    Returns:
        One row: the suite, how many items were written, and where.

    Raises:
        InputError: for an unknown suite or format, one that cannot hold the suite, and an item
            whose licences conflict.

    Commands:
        colorless export --out set.jsonl
        colorless export mined/originals.jsonl --format harness --out tasks

    >>> import colorless_green as cg
    >>> from colorless_green.data import sample
    >>> from tempfile import TemporaryDirectory
    >>> originals = cg.mine(str(sample.treebank("en"))).originals
    >>> with TemporaryDirectory() as folder:
    ...     cg.export(originals, f"{folder}/set.tab").to_frame()["n_items"].item()
    137
    """
    with store_of(suite, store) as opened:
        chosen, suite_id = find_suite(opened, suite)
        row = opened.one(  # the vocabulary that the suite was mined with
            "SELECT vocabulary FROM suite JOIN treebank USING (treebank_id) WHERE suite_id = ?",
            (suite_id,),
        )
    file = Path(row["vocabulary"]) if row is not None and row["vocabulary"] else None
    vocabulary = read_vocabulary(file) if file is not None and file.is_file() else None
    chosen = replace(chosen, items=select_items(chosen.items, listed(construction)))
    demand_compatible(chosen.items)
    write_suite(chosen, Path(out), format, vocabulary=vocabulary, licence_ok=license_ok)
    rows: list[Row] = [{"suite": chosen.name, "n_items": len(chosen.items), "file": str(out)}]
    return Result(rows, ("suite", "n_items", "file"), newest_note(suite, chosen))
