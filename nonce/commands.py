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
from colorless_green.nonce.formats import read_suite, write_suite
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
    """Another format's file as a suite of the store; `language` where the file does not say it.

    Raises `InputError` if `strict` and something of the file had to be mended.
    """
    language = checked_language(language)
    suite = read_suite(path, format_name)
    notes = list(notes_of(suite))
    if strict and notes:
        raise InputError(
            str(path), notes[0], "a file without faults, or no --strict", kind="format"
        )
    if language:
        items = tuple(replace(item, language=language) for item in suite.items)
        suite = replace(suite, items=items)
    with store.transaction():
        save_suite(store, suite, "imported", treebank_id=None, now=now)
    kinds = Counter(item.kind for item in suite.items)
    rows: list[Row] = [
        {"suite": suite.name, "kind": kind, "n_items": n} for kind, n in sorted(kinds.items())
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
    if not name:
        suite_id = newest_suite(store)
        return load_suite(store, suite_id), suite_id
    path = Path(name)
    if is_suite(path):
        return read_suite(path), None
    suite_id = suite_named(store, name)
    return load_suite(store, suite_id), suite_id


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
