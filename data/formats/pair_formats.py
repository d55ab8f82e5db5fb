"""Minimal pairs in files: one reader and one writer for all formats of pairs.

An item is a pair if its conditions are `right` and `wrong`, one sentence each. If the regions of
both sentences are prefix, target and rest, the pair has *parts*. A pair with parts is *one-prefix*
if both prefixes are equal (two words after one prefix), and *two-prefix* if both target words are
equal (one word after two prefixes; Warstadt et al. 2020, §6.4).

Formats of pairs differ in the columns of their records (a record is a line or row of a file). A
`PairFormat` has functions that turn a record into a pair with facts, and a pair into a record. Each
direction is checked against the other, so that nothing is lost: values of a published record that
we would write differently are kept in the fact `published`; properties of an item that cannot be
read from its record are written under the single key OURS.
"""

import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from operator import eq
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from ..arrays import offsets_of
from ..errors import InputError
from ..items.item import (
    KINDS,
    PREFIX,
    REST,
    RIGHT,
    TARGET,
    TEXT_FIELDS,
    WRONG,
    Agreement,
    Item,
    Wording,
    construction_of,
    is_pair,
    sentence_text,
)
from ..items.item_table import TABLE_SCHEMA, ItemTable, table_row
from ..items.prediction import Prediction, parse_prediction
from ..items.sentences import Sentences
from ..items.suite import AGREEMENT, Suite, checked
from ..records import (
    JSON_KEYS,
    OURS,
    Record,
    from_facts,
    malformed,
    parse_json,
    stem,
    text,
    to_facts,
    unpacked_name,
)
from ..registry import nearest
from .format import (
    PUBLISHED,
    Format,
    NamesInFile,
    as_published,
    export_to,
    files_of,
    groups_of,
    published_fact,
    suite_name,
)

TableRow: TypeAlias = tuple[str | bool, ...]
"""An item's cells under `item_table.TABLE_SCHEMA`"""
ONE_PREFIX, TWO_PREFIX = "one_prefix", "two_prefix"
SENTENCE = "sentence"  # the one region of a sentence without parts
ROWS_PER_BLOCK = 20_000  # rows that are Python objects at a time
FULL: Prediction = parse_prediction("(*;%right%) < (*;%wrong%)", "full", "full prediction")
"""The whole right sentence has less surprisal than the wrong one"""
BY_PREFIX = parse_prediction(AGREEMENT.source, "prefix", "prefix prediction")
"""The target has less surprisal in the right sentence (the one- and the two-prefix method)"""


class SentenceParts(NamedTuple):
    """A sentence cut into four: prefix, gap (blanks), word (the target without blanks), rest."""

    prefix: str
    gap: str
    word: str
    rest: str

    @property
    def sentence(self) -> str:
        """The whole sentence."""
        return self.prefix + self.gap + self.word + self.rest


class SentencePair(NamedTuple):
    """The texts of two sentences, and the parts of each if both have parts."""

    right: str
    wrong: str
    parts: tuple[SentenceParts, SentenceParts] | None

    @property
    def method(self) -> str:
        """ONE_PREFIX or TWO_PREFIX by the parts; "" if only whole sentences can be compared."""
        if self.parts is None:
            return ""
        right, wrong = self.parts
        if right.prefix == wrong.prefix:
            return ONE_PREFIX
        return TWO_PREFIX if right.word == wrong.word else ""


def pair_of(item: Item) -> SentencePair:
    """Return the pair of sentences of an item.

    Args:
        item: an item of one right and one wrong sentence.

    Returns:
        Both sentences, and their parts if their regions are prefix, target and rest.

    Raises:
        InputError: the item has other conditions, several sentences in one, or an empty sentence.

    >>> from colorless_green.data import Region
    >>> keys = {name: ((Region(SENTENCE, (), f"The keys {form} old."),),)
    ...         for name, form in (("right", "are"), ("wrong", "is"))}
    >>> pair_of(Item("i", "suite", "i", "en", "mine", "", keys))
    SentencePair(right='The keys are old.', wrong='The keys is old.', parts=None)
    """
    location = f"item {item.item_id}"
    if not is_pair(item):
        conditions = ", ".join(f"{name} ({len(texts)})" for name, texts in item.conditions.items())
        wrong = f"its conditions are {conditions}; pairs have one right and one wrong sentence"
        raise InputError(location, wrong, "--format syntaxgym", kind="unsupported")
    (right_wording,), (wrong_wording,) = item.conditions[RIGHT], item.conditions[WRONG]
    right, wrong = sentence_text(right_wording), sentence_text(wrong_wording)
    if not (right.strip() and wrong.strip()):
        raise malformed(location, "an empty sentence", "two sentences")
    right_parts, wrong_parts = _parts(right_wording), _parts(wrong_wording)
    parts = (right_parts, wrong_parts) if right_parts and wrong_parts else None
    return SentencePair(right, wrong, parts)


def _parts(wording: Wording) -> SentenceParts | None:
    """Return the parts of a sentence whose regions are prefix, target and rest. Return None if it
    has other regions or an empty target."""
    if tuple(region.region for region in wording) != (PREFIX, TARGET, REST):
        return None
    prefix, target, rest = (region.text for region in wording)
    word = target.strip()
    if not word:
        return None
    gap, _, trailing = target.partition(word)
    return SentenceParts(prefix, gap, word, trailing + rest)


def cut(sentence: str, prefix: str, word: str) -> SentenceParts | None:
    """Cut a sentence into parts after a given prefix and word, with or without blanks between them.

    Returns None if the sentence does not begin with these.
    """
    remainder = sentence.removeprefix(prefix)
    bare = remainder.lstrip()
    if not (word and sentence.startswith(prefix) and bare.startswith(word)):
        return None
    return SentenceParts(prefix, remainder[: len(remainder) - len(bare)], word, bare[len(word) :])


def divide(right: str, wrong: str) -> tuple[SentenceParts, SentenceParts] | None:
    """Cut two sentences into parts at the one stretch of words in which they differ.

    The words before it are the prefix. Returns None if a sentence has no word in that stretch.
    """
    both = [re.findall(r"\s*\S+", sentence) for sentence in (right, wrong)]  # words with blanks
    n_before = n_shared_words(*both)
    # The first word that differs is left out here, so that the target has at least one word.
    n_after = n_shared_words(*(words[:n_before:-1] for words in both))
    parts = []
    for words in both:
        after_target = len(words) - n_after
        target = "".join(words[n_before:after_target])
        word = target.strip()
        if not word:
            return None
        prefix, rest = "".join(words[:n_before]), "".join(words[after_target:])
        parts.append(SentenceParts(prefix, target[: -len(word)], word, rest))
    right_parts, wrong_parts = parts
    return right_parts, wrong_parts


def n_shared_words(words: Sequence[str], other_words: Sequence[str]) -> int:
    """Return the number of words that two sequences have in common at their beginning."""
    return sum(takewhile(bool, map(eq, words, other_words)))


def suite_of_pairs(
    name: str,
    rows: Iterable[tuple[TableRow, SentencePair]],
    words: Callable[[str], Sequence[str]] | None = None,
) -> Suite:
    """Return a suite of pairs with its predictions: FULL, and BY_PREFIX if all pairs have parts.

    Args:
        name: the name of the suite.
        rows: for each item its row of `item_table.TABLE_SCHEMA` and its pair.
        words: the function that cuts a region's text into words; None: `penn`.
    """
    table = table_of_pairs((row, _region_texts(pair)) for row, pair in rows)
    if words is not None:
        tokens = [tuple(words(text)) for text in table.sentences.texts]
        table = ItemTable(table.frame, replace(table.sentences, words=tokens))
    n_regions = np.diff(table.sentences.of_sentence)
    return Suite(name, table, (FULL, BY_PREFIX) if (n_regions == 3).all() else (FULL,))


def table_of_pairs(rows: Iterable[tuple[TableRow, Sequence[str]]]) -> ItemTable:
    """Return a table of pairs. Rows are taken in blocks, so that few are in memory at a time.

    Args:
        rows: for each item its row of `TABLE_SCHEMA`, and the texts of its regions, those of the
            right sentence first: one text per sentence, or prefix, target and rest.

    Returns:
        The items, in the order of the rows.

    >>> own = dict(zip(TEXT_FIELDS, ("i", "suite", "i", "", "", "en", "mine", "")))
    >>> rows = [(table_row(own, {}), ("The keys are old.", "The keys is old."))]
    >>> table = table_of_pairs(rows)
    >>> sentence_text(table[0].conditions["wrong"][0])
    'The keys is old.'
    """
    frames = [pl.DataFrame(schema=TABLE_SCHEMA)]
    codes: dict[str, int] = {}  # each distinct text of a region → its number, a *chunk*
    chunks, n_regions_of_pairs = array("i"), array("i")
    remaining_rows = iter(rows)
    while block := list(islice(remaining_rows, ROWS_PER_BLOCK)):
        columns = dict(zip(TABLE_SCHEMA, zip(*(row for row, _ in block), strict=True), strict=True))
        frames.append(pl.DataFrame(columns, TABLE_SCHEMA))
        texts = [text for _, region_texts in block for text in region_texts]
        chunks.extend([codes.setdefault(text, len(codes)) for text in texts])
        n_regions_of_pairs.extend([len(region_texts) // 2 for _, region_texts in block])
    n_pairs = len(n_regions_of_pairs)
    n_regions = np.repeat(np.array(n_regions_of_pairs, np.int64), 2)  # of each sentence
    of_sentence = offsets_of(n_regions)
    # Index of each region's name: 0 for a whole sentence, 1, 2, 3 for prefix, target and rest.
    position = np.arange(len(chunks)) - np.repeat(of_sentence[:-1], n_regions)
    name = position + np.repeat(n_regions > 1, n_regions)
    sentences = Sentences(
        conditions=(RIGHT, WRONG),
        names=(SENTENCE, PREFIX, TARGET, REST),
        of_item=np.arange(n_pairs + 1) * 2,
        condition=np.tile(np.arange(2, dtype=np.int32), n_pairs),
        index=np.zeros(2 * n_pairs, np.int32),
        of_sentence=of_sentence,
        name=name.astype(np.int32),
        chunk=np.array(chunks, np.int32),
        texts=list(codes),
        words=[None] * len(codes),
    )
    return ItemTable(pl.concat(frames), sentences)


def _region_texts(pair: SentencePair) -> tuple[str, ...]:
    """Return the texts of the regions of a pair, those of the right sentence first."""
    if pair.parts is None:
        return pair.right, pair.wrong
    (prefix, gap, word, rest), (wrong_prefix, wrong_gap, wrong_word, wrong_rest) = pair.parts
    return prefix, gap + word, rest, wrong_prefix, wrong_gap + wrong_word, wrong_rest


AGREEMENT_COLUMNS = (
    "treebank", "sent_id", "rule", "construction", "feature", "value", "lemma", "gap", "level",
    "seed", "variant",
)  # fmt: skip
RecordFacts: TypeAlias = tuple[dict[str, str], dict[str, str]]
"""What a record says of its item: fields of TEXT_FIELDS, those that it lacks with usual
values; and facts"""


class PairEntry(NamedTuple):
    """A pair with its facts, read from a file or to be written to one."""

    pair: SentencePair
    facts: Mapping[str, str]  # of a pair to be written always with `uid` and `pair_id`
    agreement: Agreement | None
    language: str

    @property
    def construction(self) -> str:
        """The pair's construction, see `construction_of`; "" if unknown."""
        return construction_of(self.facts, self.agreement)


@dataclass(frozen=True, slots=True)
class PairFormat:
    """A format of pairs, by the functions that read and write its records."""

    name: str
    endings: tuple[str, ...]  # of its files' names; the first one is used for writing
    expected: str  # what a file should have, for the message if it has no pair
    records: Callable[[Path], Iterator[tuple[str, Record]]]
    """Yields (location, record) for each record of a file"""
    pair: Callable[[Record, str], SentencePair]
    """Returns the pair of (record, location); an empty sentence is refused later"""
    record_facts: Callable[[Record, str, int, str], RecordFacts]
    """Returns what a record says of its item, of (record, stem of the file, number, location)"""
    record_to_write: Callable[[PairEntry], dict[str, Any]]
    """Returns the record that we write for a pair, in the columns of the format"""
    write_records: Callable[[Path, Sequence[Record]], object]
    column_facts: frozenset[str] = frozenset()  # facts for which `record_to_write` has columns
    sentences: frozenset[str] = frozenset()  # columns with sentences or parts of them
    names: NamesInFile = lambda columns: {}  # our column → its name in a published record

    def format(self) -> Format:
        """Return the functions that read and write the format."""
        return Format(self.read, self.write)

    def read(self, path: Path) -> Suite:
        """Read the suite of a file, or of all files of a folder; it is named after the path.

        Its predictions are `full` (whole sentences) and, if every pair has parts, `prefix`. Raises
        `InputError`, with its line, for a record that does not fit the format.
        """
        name = suite_name(path, self.endings)
        return checked(suite_of_pairs(name, self._rows(path)), str(path), self.expected)

    def _rows(self, path: Path) -> Iterator[tuple[TableRow, SentencePair]]:
        """For each record of a file or folder yield its item's row (the cells of a suite's table)
        and its pair of sentences."""
        for file in files_of(path, self.endings):
            file_stem = stem(file, self.endings)
            for number, (location, raw) in enumerate(self.records(file)):
                pair = self.pair(raw, location)
                if not (pair.right and pair.wrong) or pair.right.isspace() or pair.wrong.isspace():
                    raise malformed(location, "an empty sentence", "two sentences")
                yield self._row(raw, pair, file_stem, number, location), pair

    def _row(
        self, raw: Record, pair: SentencePair, file_stem: str, number: int, location: str
    ) -> TableRow:
        """Return the row, in a suite's table, of the item that a record describes.

        `raw` is the record as it is in the file, with the values that we added under the key OURS.
        `number` is its number in the file, from 0.
        """
        added = _our_values(raw, location) if OURS in raw else {}
        # A column OURS that is empty in this row stays, like any other column of the file.
        record = {name: raw[name] for name in raw if name != OURS} if added else raw
        fields, facts = self._all_facts(record, file_stem, number, location)
        facts.pop(PUBLISHED, None)  # a column of that name is no fact; its value is noted below
        entry = PairEntry(pair, facts, None, fields["language"])
        facts |= published_fact(
            self.name, [record], [self.record_to_write(entry)], facts, self.names
        )
        if added:
            fields |= {name: text(added, name, location) for name in TEXT_FIELDS if name in added}
            added_facts = {name: added[name] for name in added if name not in TEXT_FIELDS}
            facts |= to_facts(from_facts(facts) | added_facts, location) if added_facts else {}
        if fields["kind"] not in KINDS:
            wrong, right = f"kind is {fields['kind']!r}", nearest(fields["kind"], KINDS)
            raise InputError(location, wrong, right, kind="unknown")
        return table_row(fields, facts)

    def _all_facts(self, record: Record, file_stem: str, number: int, location: str) -> RecordFacts:
        """Return all fields of TEXT_FIELDS (id, kind, cluster, …) of the item that a record
        describes, with usual values for those that the record lacks; and the item's facts."""
        item, facts = self.record_facts(record, file_stem, number, location)
        usual = {
            "kind": "suite", "cluster_id": item["item_id"], "set_id": "", "cell": "",
            "language": "und", "source": file_stem, "licence": "",
        }  # fmt: skip
        return {**usual, **item}, facts

    def write(self, suite: Suite, path: Path, vocabulary: frozenset[str] | None = None) -> None:
        """Write the pairs of a suite.

        If `path` has an ending of the format, it is one file, in the order of the suite; else it is
        a folder with a file for each construction. Raises `InputError` for an item that is not a
        pair.
        """
        groups = groups_of(suite)

        is_file = unpacked_name(path).endswith(self.endings)
        files: dict[str, list[Item]] = {}  # by the names of the files
        for item in suite.items:
            name = path.name if is_file else f"{groups[item.item_id]}{self.endings[0]}"
            files.setdefault(name, []).append(item)
        metadata = {"suite": suite.name}
        with (
            nullcontext(path.parent) if is_file else export_to(path, self.name, metadata) as folder
        ):
            for name, items in files.items():
                file = folder / name
                records = self._records(items, groups, stem(file, self.endings))
                self.write_records(file, list(records))

    def _records(
        self, items: Sequence[Item], groups: Mapping[str, str], file_stem: str
    ) -> Iterator[dict[str, Any]]:
        """Yield the records to write for items; `groups` maps an item id to its construction.
        `file_stem` is the name of the file without its ending."""
        n_before: Counter[str] = Counter()
        for number, item in enumerate(items):
            group = groups[item.item_id]
            facts = {"uid": group, "pair_id": str(n_before[group]), **item.facts}
            n_before[group] += 1
            entry = PairEntry(pair_of(item), facts, item.agreement, item.language)
            ours = self.record_to_write(entry)
            values = from_facts(item.facts)
            values.pop(PUBLISHED, None)
            (record,) = as_published(
                self.name, item.facts, [ours], values, self.sentences, self.names
            )
            added = self._values_to_add(item, record, file_stem, number, values)
            yield record | ({OURS: added} if added else {})

    def _values_to_add(
        self, item: Item, record: Record, file_stem: str, number: int, values: Record
    ) -> dict[str, Any]:
        """Return the values of an item that its record lacks and that are added under the key OURS.

        They are fields of TEXT_FIELDS, facts (`values`: name → plain value), and the main facts of
        its agreement; of these, all that a reader would not find in the record itself.
        """
        fields_read, facts_read = self._all_facts(record, file_stem, number, item.item_id)
        fields = {
            name: getattr(item, name)
            for name in TEXT_FIELDS
            if getattr(item, name) != fields_read[name]
        }
        skipped = {*TEXT_FIELDS, *self.column_facts, JSON_KEYS}
        facts = {
            name: value
            for name, value in values.items()
            if name not in skipped and facts_read.get(name) != item.facts[name]
        }
        if item.agreement is not None:
            annotated = {name: getattr(item.agreement, name) for name in AGREEMENT_COLUMNS}
            annotated["n_attractors"] = len(item.agreement.attractors)
            annotated["flags"] = list(item.agreement.flags)
            facts |= {
                name: value for name, value in annotated.items() if value not in ("", None, [])
            }
            facts = {name: value for name, value in facts.items() if facts_read.get(name) != value}
        return fields | dict(sorted(facts.items()))


def _our_values(record: Record, location: str) -> dict[str, Any]:
    """Return the values that we added to a record, under the key OURS. In a table they are JSON in
    a cell. Raises `InputError` if they are not an object."""
    value = record[OURS]
    if isinstance(value, str):
        value = parse_json(value or "{}", location, f"JSON in the column {OURS}")
    if not isinstance(value, dict):
        raise malformed(location, f"{OURS!r} is {value!r:.40}", "an object")
    return value
