"""The verbs import and export (`mining.py` has mine, `making.py` nonce, `grammar/commands.py`
grammar): read, call the pure part, write."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.languages import checked_language
from colorless_green.data.store import Store
from colorless_green.data.tables import Result, Row
from colorless_green.miner.vocabulary import read_vocabulary
from colorless_green.nonce.formats import read_suite, read_suites, write_suite
from colorless_green.nonce.formats.told import is_suite
from colorless_green.nonce.rows import load_suite, newest_suite, save_suite, suite_named
from colorless_green.nonce.suite import Suite

FAULTS = {  # what readers count under a suite's `meta`
    "repaired_regions": "blanks at the ends of texts, or double ones within, in {} regions",
    "wrong_grammatical": "`grammatical` contradicts the condition in {} rows; the condition counts",
    "other_sentences": "the two sentences of {} rows differ; `sentence` counts",
    "repeated_items": "{} items repeat another",
}


def import_suite(
    path: Path, store: Store, *, format_name: str, language: str, now: str, strict: bool = False
) -> Result:
    """Another format's file as a suite of the store, or a folder of them; `language` where they do
    not say it.

    Raises `InputError` if `strict` and something of the file had to be mended.
    """
    language = checked_language(language)
    suites = read_suites(path, format_name)
    notes = [note for suite in suites for note in notes_of(suite)]
    if strict and notes:
        raise InputError(
            str(path), notes[0], "a file without faults, or no --strict", kind="format"
        )
    rows: list[Row] = []
    with store.transaction():
        for suite in suites:
            items = tuple(replace(e, language=language or e.language) for e in suite.items)
            save_suite(store, replace(suite, items=items), "imported", treebank_id=None, now=now)
            kinds = Counter(item.kind for item in items)
            rows += [
                {"suite": suite.name, "kind": k, "n_items": n} for k, n in sorted(kinds.items())
            ]
    return Result(rows, ("suite", "kind", "n_items"), [f"{path}: {note}" for note in notes])


def notes_of(suite: Suite) -> Iterator[str]:
    """What a reader mended in a suite, and where a prediction may be misread."""
    for name, what in FAULTS.items():
        if name in suite.meta:
            yield what.format(suite.meta[name])
    for prediction in suite.predictions:
        yield from (f"prediction {prediction.name}: {each}" for each in prediction.warnings)


def find_suite(store: Store, name: str) -> tuple[Suite, int | None]:
    """A suite by file, by name in the store, or (no name) the newest; its id if it is stored."""
    if name and is_suite(Path(name)):
        return read_suite(Path(name)), None
    ((suite, suite_id),) = find_suites(store, name)
    return suite, suite_id


def find_suites(store: Store, name: str) -> list[tuple[Suite, int | None]]:
    """As `find_suite`, and all suites of a folder where each file is one."""
    path = Path(name)
    if name and is_suite(path):
        return [(suite, None) for suite in read_suites(path)]
    suite_id = suite_named(store, name) if name else newest_suite(store)
    return [(load_suite(store, suite_id), suite_id)]


def export_suite(
    name: str, store: Store, *, format_name: str, out: Path, licence_ok: bool = False
) -> Result:
    """A suite of the store, or of a file, in another format. `licence_ok`: also in one that asks
    for the licence of every item, where some have none."""
    suite, suite_id = find_suite(store, name)
    vocabulary = _vocabulary_of(store, suite_id)
    write_suite(suite, out, format_name, vocabulary=vocabulary, licence_ok=licence_ok)
    rows: list[Row] = [{"suite": suite.name, "n_items": len(suite.items), "file": str(out)}]
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
