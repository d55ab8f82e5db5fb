"""Suites in and out: the public functions `load_suite` and `export`."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.languages import checked_language
from colorless_green.data.registry import Names, listed
from colorless_green.data.result import Result
from colorless_green.data.store import Kept, Store, Where, home, now, open_store
from colorless_green.data.tables import Row
from colorless_green.miner.paradigms import read_vocabulary
from colorless_green.nonce.formats import read_suite, read_suites, write_suite
from colorless_green.nonce.formats.told import is_suite
from colorless_green.nonce.rows import find_suite, save_suite, store_of
from colorless_green.nonce.suite import Suite, of_constructions

FAULTS = {  # what readers count under a suite's `meta`
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
    store: Where = None,
) -> Suite:
    """Reads a suite from a file of any format, or from a store.

    Args:
        what: a file, a folder, or the name of a suite in `store`; "" is the newest there.
        format: of a file, where its content does not tell (docs/formats.md lists them).
        language: BCP-47 code, where the file has none.
        strict: refuse a file of which something had to be mended.
        store: where names are looked up, and files are kept; None: a file is kept nowhere.

    Returns:
        The suite; its `account` counts its items by kind and tells what was mended.

    Raises:
        InputError: for what is no suite, is broken, or (`strict`) had to be mended.

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
        raise InputError("load_suite", "nothing is named", "a file, or a store", kind="missing")
    if store is None or format or (str(what) and is_suite(Path(what))):
        suite = _as_asked(read_suite(Path(what), format), what, language, strict)
        if store is not None:
            with open_store(store) as kept_in:
                suite = keep(suite, kept_in)
    else:
        with open_store(store, existing=True) as kept_in:
            suite, _ = find_suite(kept_in, str(what))
    return replace(suite, account=_counted([suite], what))


def import_suites(
    what: str | Path,
    *,
    format: str = "",
    language: str = "",
    strict: bool = False,
    store: Where = None,
) -> Result:
    """Reads a suite, or a folder of them, into a store: the verb import. All is as in `load_suite`;
    the rows count the items of each suite."""
    language = checked_language(language)
    found = read_suites(Path(what), format)
    suites = [_as_asked(suite, what, language, strict) for suite in found]
    with open_store(store) as kept_in:
        for suite in suites:
            keep(suite, kept_in)
    return _counted(suites, what)


def _as_asked(suite: Suite, what: str | Path, language: str, strict: bool) -> Suite:
    """The suite in the language that was named. Raises `InputError` if `strict` and something of
    it was mended."""
    notes = list(notes_of(suite))
    if strict and notes:
        raise InputError(
            str(what), notes[0], "a file without faults, or no --strict", kind="format"
        )
    return replace(suite, items=suite.table.in_language(language)) if language else suite


def _counted(suites: Sequence[Suite], what: str | Path) -> Result:
    rows: list[Row] = []
    for suite in suites:
        kinds = Counter(item.kind for item in suite.items)
        rows += [{"suite": suite.name, "kind": k, "n_items": n} for k, n in sorted(kinds.items())]
    told = [f"{what or suite.name}: {note}" for suite in suites for note in notes_of(suite)]
    return Result(rows, ("suite", "kind", "n_items"), told)


def keep(suite: Suite, store: Store) -> Suite:
    """The suite, kept in a store: where it was, if it came from there, or as an imported one."""
    kept = suite.kept
    if kept and kept.is_in(store) and find_suite(store, suite)[1] == kept.id:
        return suite
    with store.transaction():
        suite_id = save_suite(store, suite, "imported", treebank_id=None, now=now())
    return replace(suite, kept=Kept(home(store), suite_id))


def notes_of(suite: Suite) -> Iterator[str]:
    """What a reader mended in a suite, and where a prediction may be misread."""
    for name, what in FAULTS.items():
        if name in suite.meta:
            yield what.format(suite.meta[name])
    for prediction in suite.predictions:
        yield from (f"prediction {prediction.name}: {each}" for each in prediction.warnings)


def export(
    suite: Suite | str | Path = "",
    out: str | Path = "suite.tab",
    *,
    format: str = "",
    construction: Names = None,
    license_ok: bool = False,
    store: Where = None,
) -> Result:
    """Writes a suite in another format: the harness, BLiMP, SyntaxGym, Hugging Face, .tab.

    Args:
        suite: the suite, its file, or its name in the store; "" is the newest there.
        out: the file or folder to write.
        format: the format's name; "" for what the ending of `out` tells.
        construction: only items of these; names or patterns with `*`.
        license_ok: also items whose licence is not known, where the format asks for it.
        store: where names are looked up.

    Returns:
        One row: the suite, how many items were written, and where.

    Raises:
        InputError: for an unknown suite or format, or one that cannot hold the suite.

    >>> import colorless_green as cg
    >>> from colorless_green.data import sample
    >>> from tempfile import TemporaryDirectory
    >>> originals = cg.mine(str(sample.treebank("en"))).originals
    >>> with TemporaryDirectory() as folder:
    ...     cg.export(originals, f"{folder}/set.tab").to_frame()["n_items"].item()
    171
    """
    with store_of(suite, store) as kept_in:
        found, suite_id = find_suite(kept_in, suite)
        vocabulary = _vocabulary_of(kept_in, suite_id)
    found = replace(found, items=of_constructions(found.items, listed(construction)))
    write_suite(found, Path(out), format, vocabulary=vocabulary, licence_ok=license_ok)
    rows: list[Row] = [{"suite": found.name, "n_items": len(found.items), "file": str(out)}]
    return Result(rows, ("suite", "n_items", "file"))


def _vocabulary_of(store: Store, suite_id: int | None) -> frozenset[str] | None:
    """The vocabulary that a stored suite was mined with, if there was one and it is still there."""
    row = store.one(
        "SELECT vocabulary FROM suite JOIN treebank USING (treebank_id) WHERE suite_id = ?",
        (suite_id,),
    )
    if row is None or not row["vocabulary"] or not Path(row["vocabulary"]).is_file():
        return None
    return read_vocabulary(Path(row["vocabulary"]))
