"""The format of MultiBLiMP (Jumelet, Weissweiler & Bisazza 2025): a pair in each row of a TSV.

The columns give the place of the target, and the sentences are cut into parts there. In a few rows
(4 of the 4,197 for English, Greek and Dutch: questions in which two verbs were taken for one) the
sentences contradict the columns; they are cut where they differ. The same pair can come several
times, so the number of the row is part of an item's id. Pairs of the same sentence are a cluster.

The licence of an item is that of its treebank. The file does not state it, so it is unknown.
Columns have languages as ISO 639-3 (`nld`), items as BCP 47 (`nl`). As published, each language has
a folder with a table `data.tsv`; its suite is named after the folder.
"""

import ast
import re
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..items.item import item_id
from ..items.suite import Suite
from ..languages import checked_language
from ..records import Record, malformed, table, unpacked_name, write_table
from ..shell import resource
from .format import Format
from .pair_formats import (
    PairEntry,
    PairFormat,
    RecordFacts,
    SentencePair,
    cut,
    divide,
)

COLUMNS = tomllib.loads(resource(__package__, "multiblimp_columns.toml"))
LANGUAGE_TABLE = "data.tsv"  # in the folder of each language, which is a suite
CUT_BY_DIFFERENCE = "parted"  # the fact of a pair that was cut where its sentences differ
FILE = re.compile(r"(?P<treebank>[^/]+)/(?P<language>[a-z]{2,3})_[^/]*")


def _row_to_write(entry: PairEntry) -> dict[str, Any]:
    """Return the row (column → cell) to write for a pair; a column for which the pair has no fact
    is empty."""
    pair, facts, agreement = entry.pair, entry.facts, entry.agreement
    cells = {name: facts.get(name, "") for name in COLUMNS["facts"]}
    if pair.parts is not None:
        right, wrong = pair.parts
        cells["prefix"] = right.prefix
        if "head" not in facts:
            cells |= {"head": right.word, "swap_head": wrong.word}
    if agreement is not None:
        cells |= {
            "child": agreement.cue,
            "child_upos": agreement.cue_upos,
            "head_upos": agreement.target_upos,
            "distance": str(agreement.cue_index - agreement.target_index),
            "grammatical_feature": agreement.value,
            "ungrammatical_feature": agreement.wrong_value,
            "num_attractors": str(len(agreement.attractors)),
        }
    empty_literals = dict.fromkeys(("child_features", "head_features", "metadata"), "{}")
    empty_literals["attractors"] = "[]"
    return dict.fromkeys(COLUMNS["published"], "") | empty_literals | cells | {
        "sen": pair.right, "wrong_sen": pair.wrong, "lang": entry.language,
        "phenomenon": facts.get("construction", entry.construction),
    }  # fmt: skip


def _record_facts(row: Record, stem: str, number: int, location: str) -> RecordFacts:
    """Return what a row says of its item: fields (id, cluster, language, source), and facts."""
    metadata = _literal(row, "metadata", dict, location)
    file, sent_id = str(metadata.get("treebank", "")), str(metadata.get("sent_id", ""))
    match = FILE.fullmatch(file)
    treebank = match["treebank"] if match else ""
    fields = {
        "item_id": item_id("MultiBLiMP", row["lang"], number, row["sen"], row["wrong_sen"]),
        "cluster_id": item_id("MultiBLiMP", row["lang"], file, sent_id, row["sen"]),
        "language": match["language"] if match else _shortest_code(row["lang"]),
        "source": " ".join(("MultiBLiMP 1.0", treebank)).strip(),
    }
    attractors = _literal(row, "attractors", list, location)
    if not all(isinstance(attractor, dict) and "form" in attractor for attractor in attractors):
        raise malformed(location, "an attractor without a form", "a MultiBLiMP table")
    return fields, {
        "construction": row["phenomenon"],
        "treebank": treebank,
        "file": file.rpartition("/")[2],
        "sent_id": sent_id,
        **{name: row[name] for name in COLUMNS["facts"] if name in row},
        **_features(row, "child", location),
        **_features(row, "head", location),
        "attractors": " ".join(str(attractor["form"]) for attractor in attractors),
        **({} if _pair_by_columns(row) else {CUT_BY_DIFFERENCE: "by their difference"}),
    }


@cache
def _shortest_code(code: str) -> str:
    """Return the shortest code of a language; an unknown code is returned unchanged."""
    with suppress(InputError):
        return checked_language(code)
    return code


def _pair(row: Record, location: str) -> SentencePair:
    """Return the pair of sentences in a row, cut into parts as the columns say or, if the sentences
    contradict the columns, where they differ. If neither works, the pair has no parts."""
    if pair := _pair_by_columns(row):
        return pair
    parts = divide(row["sen"], row["wrong_sen"])
    if parts is None:
        return SentencePair(row["sen"], row["wrong_sen"], None)
    right, wrong = parts
    return SentencePair(right.sentence, wrong.sentence, parts)  # `divide` drops blanks at the end


def _pair_by_columns(row: Record) -> SentencePair | None:
    """Return the pair in a row with the parts that its columns give; None if the sentences
    contradict the columns."""
    right, wrong = row["sen"], row["wrong_sen"]
    right_parts = cut(right, row["prefix"], row["head"])
    wrong_parts = cut(wrong, row["prefix"], row["swap_head"])
    if right_parts and wrong_parts and right_parts.rest == wrong_parts.rest:
        return SentencePair(right, wrong, (right_parts, wrong_parts))
    return None


def _features(row: Record, name: str, location: str) -> dict[str, str]:
    """Return the lemma and FEATS of the subject (`name` is "child") or the verb ("head") as facts:
    `child_lemma` and `child_feats`, or `head_lemma` and `head_feats`."""
    features: Mapping[Any, Any] = _literal(row, f"{name}_features", dict, location)
    entries = {str(key): str(value) for key, value in features.items()}
    lemma = entries.pop("lemma", "_")
    feats = "|".join(f"{key}={entries[key]}" for key in sorted(entries, key=str.lower)) or "_"
    return {f"{name}_lemma": lemma, f"{name}_feats": feats}


def _literal(row: Record, name: str, kind: type, location: str) -> Any:
    """Return the value of a cell that holds a Python literal, which is parsed and never run.

    Raises `InputError` if it is not a literal of the type `kind`.
    """
    try:
        value = ast.literal_eval(row[name])
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        value = None
    if not isinstance(value, kind):
        right = f"a Python {kind.__name__} of plain values"
        raise malformed(location, f"{name} is {row[name]!r:.40}", right)
    return value


TABLES = PairFormat(
    name="multiblimp",
    endings=(".tsv",),
    expected="a MultiBLiMP table",
    records=lambda path: table(path, COLUMNS["needed"]),
    pair=_pair,
    record_facts=_record_facts,
    record_to_write=_row_to_write,
    write_records=write_table,
    sentences=frozenset(("sen", "wrong_sen")),
)


def read(path: Path) -> Suite:
    """Read the suite of a file, or of all files of a folder; it is named after the path."""
    suite = TABLES.read(path)
    if unpacked_name(path) != LANGUAGE_TABLE:
        return suite
    return replace(suite, name=path.absolute().parent.name or suite.name)


FORMAT = Format(read, TABLES.write)
