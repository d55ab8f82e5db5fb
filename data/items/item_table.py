"""The items of a suite as columns, and the clusters of items.

A suite can have tens of thousands of pairs, too many to make an `Item` of each. A table has one row
per item, and integer columns for sentences and regions that point to the distinct texts. Readers of
formats make tables, and scoring works on them; an `Item` is made only when somebody asks for one.

A cluster is a group of items that intervals and tests count as one case, and that an audit leaves
out together.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from io import BytesIO
from json.encoder import encode_basestring as quoted
from typing import Any, cast, overload

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ..arrays import Truths, offsets_of
from .item import RIGHT, TEXT_FIELDS, WRONG, Agreement, Entry, Item, Region, Wording, factors
from .item_record import details_of, parse_details
from .prediction import WHOLE
from .sentences import Numbered, Sentences, code_of, penn

FINAL_PUNCTUATION = ".?!…。？！"  # ignored when sentences are compared


def clusters_of(
    cluster_ids: Sequence[str], set_ids: Sequence[str], sentences: Sequence[str]
) -> list[str]:
    """Return the cluster of each item: items that share a `cluster_id`, a set or a right sentence
    are in one cluster. For example, two items mined from one sentence of a treebank are.

    Args:
        cluster_ids: the `cluster_id` of each item.
        set_ids: the set of each item; "" outside of sets.
        sentences: the right sentence of each item; "" for none.

    Returns:
        For each item the name of its cluster, which is the least `cluster_id` in it.

    >>> clusters_of(["b", "a", "c"], ["", "", ""], ["The keys are.", "the keys are", "They are."])
    ['a', 'a', 'c']
    """
    parents: dict[str, str] = {}  # name → a lesser name in the same cluster, if there is one

    def root(name: str) -> str:
        """Return the least name in the cluster of `name`."""
        while name in parents:
            lesser = parents[name]
            if lesser in parents:  # skip a step, so that the way is shorter next time
                parents[name] = parents[lesser]
            name = lesser
        return name

    plain = [sentence.strip().lower().rstrip(FINAL_PUNCTUATION).rstrip() for sentence in sentences]
    for keys in (set_ids, plain):
        first_names: dict[str, str] = {}  # set or sentence → the first name that has it
        for name, key in zip(cluster_ids, keys, strict=True):
            if key and (other := first_names.setdefault(key, name)) != name:
                other_root, name_root = root(other), root(name)
                if other_root != name_root:
                    parents[max(other_root, name_root)] = min(other_root, name_root)
    return [root(name) for name in cluster_ids]


SHARED_TEXT = pl.Categorical()  # for texts that many items share: four bytes each
TABLE_SCHEMA = {
    "item_id": pl.String(), "kind": SHARED_TEXT, "cluster_id": pl.String(), "set_id": pl.String(),
    **dict.fromkeys(("cell", "language", "source", "licence"), SHARED_TEXT),
    **dict.fromkeys(("level", "construction", "value", "n_attractors"), SHARED_TEXT),
    "equal_forms": pl.Boolean(),  # the right and the wrong form are the same word
    "facts": pl.String(),  # JSON
}  # fmt: skip
"""The columns of `ItemTable.frame`; a text that an item lacks is "" """
UNHASHED = ("source", "licence")  # columns that no score depends on


class ItemTable(Sequence[Item]):
    """Items kept as columns; the table can be used like a tuple of `Item`.

    Args:
        frame: one row per item, with the columns of `TABLE_SCHEMA`.
        sentences: the sentences of all items.
        sources: what has the agreement and further targets of each item: the item itself, or JSON
            by `details_of`. None: no item has any.
        same: whether all sources are items that have the sentences and fields of this table.

    Attributes:
        frame: one row per item; a text that an item lacks is "".
        sentences: the sentences of all items.
    """

    def __init__(
        self,
        frame: pl.DataFrame,
        sentences: Sentences,
        sources: Sequence[str | Item] | None = None,
        same: bool = False,
    ) -> None:
        self.frame, self.sentences, self._same = frame, sentences, same
        self._sources = [""] * len(frame) if sources is None else sources

    def __len__(self) -> int:
        return self.frame.height

    def __iter__(self) -> Iterator[Item]:
        return iter(self.objects)

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> "ItemTable": ...
    def __getitem__(self, index: int | slice) -> "Item | ItemTable":
        if isinstance(index, slice):
            return self.take(np.arange(len(self))[index])
        if not self._same and len(self) > 1:  # make one item, not all
            return self.take(np.arange(len(self))[[index]]).objects[0]
        return self.objects[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ItemTable | tuple) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"ItemTable({len(self)} items)"

    def take(self, rows: NDArray[Any]) -> "ItemTable":
        """Return a table of the items with these indices, in this order."""
        sources = [self._sources[n] for n in rows.tolist()]
        return ItemTable(self.frame[rows], self.sentences.take(rows), sources, self._same)

    def changed(self, sentences: Sentences, **columns: pl.Series) -> "ItemTable":
        """Return a table of the same items with other `sentences`, and with `columns` added to (or
        replaced in) its frame."""
        frame = self.frame.with_columns(**columns)
        return ItemTable(frame, sentences, self._sources)

    def in_language(self, code: str) -> "ItemTable":
        """Return a table of the same items whose language is `code`."""
        frame = self.frame.with_columns(language=pl.lit(code, SHARED_TEXT))
        sources = [
            replace(source, language=code) if isinstance(source, Item) else source
            for source in self._sources
        ]
        return ItemTable(frame, self.sentences, sources, self._same)

    def applies(self, cells: Sequence[tuple[str, str]]) -> Truths:
        """Return for each item whether a prediction applies to it, as an array of shape (items,).

        `cells` are the (condition, region) pairs in the prediction's formula. The item must have
        each condition, and the region in every sentence of the condition.
        """
        sentences = self.sentences
        mask = np.ones(len(self), bool)
        item = sentences.item_of_sentence()
        for condition in dict.fromkeys(condition for condition, _ in cells):
            regions = [region for name, region in cells if name == condition and region != WHOLE]
            in_condition = sentences.condition == code_of(condition, sentences.conditions)
            mask &= np.bincount(item[in_condition], minlength=len(self)) > 0
            for region in regions:
                is_named = sentences.name == code_of(region, sentences.names)
                has_region = np.zeros(len(sentences.condition), bool)
                has_region[sentences.sentence_of_region()[is_named]] = True
                mask[item[in_condition & ~has_region]] = False
        return mask

    def entries(self) -> list[Entry]:
        """Return id, kind, cluster and construction of each item, without making any `Item`."""
        clusters = pl.Series("cluster_id", self.clusters)
        rows = self.frame.with_columns(clusters).select(Entry._fields).iter_rows()
        return [Entry(*row) for row in rows]

    @cached_property
    def clusters(self) -> list[str]:
        """The name of each item's cluster, by `clusters_of`."""
        columns = self.sentences
        is_right = columns.condition == code_of(RIGHT, columns.conditions)
        right_sentences = np.flatnonzero(is_right & (columns.index == 0))  # the first of each item
        texts = [""] * len(self)
        items = columns.item_of_sentence()[right_sentences].tolist()
        for item, text in zip(items, columns.texts_of(right_sentences), strict=True):
            texts[item] = text
        ids, sets = (self.frame[name].to_list() for name in ("cluster_id", "set_id"))
        return clusters_of(ids, sets, texts)

    def is_pair(self) -> Truths:
        """Return for each item whether it has just one right and one wrong sentence; (items,)."""
        sentences = self.sentences
        are_pairs: Truths = np.diff(sentences.of_item) == 2
        item = sentences.item_of_sentence()
        for condition in (RIGHT, WRONG):
            in_condition = sentences.condition == code_of(condition, sentences.conditions)
            are_pairs &= np.bincount(item[in_condition], minlength=len(self)) == 1
        return are_pairs

    def tokens_of_originals(self) -> Iterator[tuple[str, ...]]:
        """Yield the tokens of the sentence of each original (an item mined and not changed)."""
        for row in (self.frame["kind"] == "original").arg_true().to_list():
            source = self._sources[row]
            if isinstance(source, str):
                tokens = tuple(json.loads(source or "{}").get("tokens", ()))
            else:
                tokens = source.agreement.tokens if source.agreement is not None else ()
            if tokens:
                yield tokens

    @cached_property
    def objects(self) -> tuple[Item, ...]:
        """All items, each as an `Item`."""
        return tuple(cast("Sequence[Item]", self._sources) if self._same else self._make_items())

    @cached_property
    def details(self) -> Sequence[str]:
        """The agreement and further targets of each item as JSON, by `details_of`."""
        return [
            source if isinstance(source, str) else details_of(source) for source in self._sources
        ]

    def _make_items(self) -> Iterator[Item]:
        """Yield an `Item` for each row of the table."""
        sentences = self.sentences
        # regions with the same name and the same chunk (text and words) become one object
        names_and_chunks, number_of_region = np.unique(
            np.stack([sentences.name, sentences.chunk], 1), axis=0, return_inverse=True
        )
        distinct = [
            Region(sentences.names[name], sentences.words_of(chunk), sentences.texts[chunk])
            for name, chunk in names_and_chunks.tolist()
        ]
        regions = [distinct[number] for number in number_of_region.ravel().tolist()]
        item_starts, region_starts = sentences.of_item.tolist(), sentences.of_sentence.tolist()
        conditions = [sentences.conditions[n] for n in sentences.condition.tolist()]
        for n, row in enumerate(self.frame.iter_rows(named=True)):
            wordings: dict[str, list[Wording]] = {}
            for sentence in range(item_starts[n], item_starts[n + 1]):
                wording = tuple(regions[region_starts[sentence] : region_starts[sentence + 1]])
                wordings.setdefault(conditions[sentence], []).append(wording)
            source = self._sources[n]
            if isinstance(source, str):
                agreement, targets = parse_details(source, row["item_id"])
            else:
                agreement, targets = source.agreement, source.targets
            yield Item(
                **{name: row[name] for name in TEXT_FIELDS},
                conditions={name: tuple(group) for name, group in wordings.items()},
                targets=targets,
                agreement=agreement,
                facts=json.loads(row["facts"]),
            )

    @cached_property
    def digest(self) -> str:
        """SHA-256 over everything that scores, outcomes and accuracies can depend on.

        Chunks (distinct pairs of a region's text and words) are renumbered in the order of their
        first use, so that equal items have the same digest however their table was made.
        """
        digest = hashlib.sha256()
        for name in self.frame.columns:
            if name not in UNHASHED:
                digest.update(repr(self.frame[name].to_list()).encode())
        sentences = self.sentences
        chunks, first_use, place = np.unique(
            sentences.chunk, return_index=True, return_inverse=True
        )
        by_first_use = np.argsort(first_use)
        new_number = np.argsort(by_first_use)  # place in `chunks` → place in their new order
        texts = [(sentences.texts[n], sentences.words[n]) for n in chunks[by_first_use].tolist()]
        names = [sentences.names[n] for n in sentences.name.tolist()]
        conditions = [sentences.conditions[n] for n in sentences.condition.tolist()]
        digest.update(repr((texts, names, conditions)).encode())
        columns = (sentences.of_item, sentences.index, sentences.of_sentence, new_number[place])
        for column in columns:
            digest.update(np.ascontiguousarray(column, dtype="<i8").tobytes())
        if any(map(_has_targets, self._sources)):
            targets = [json.loads(detail)["targets"] if detail else [] for detail in self.details]
            digest.update(repr(targets).encode())
        return digest.hexdigest()

    def packed(self) -> bytes:
        """Return the table as bytes for the store.

        They are six Arrow files one after the other, each behind its length in eight bytes.
        """
        sentences = self.sentences
        n_regions = np.diff(sentences.of_sentence).astype(np.int32)
        parts = [
            self.frame.with_columns(
                details=pl.Series(self.details, dtype=pl.String),
                n_sentences=np.diff(sentences.of_item).astype(np.int32),
            ),
            pl.DataFrame(
                {"condition": sentences.condition, "index": sentences.index, "n_regions": n_regions}
            ),
            pl.DataFrame({"name": sentences.name, "chunk": sentences.chunk}),
            pl.DataFrame(
                {"text": sentences.texts, "words": sentences.words},
                {"text": pl.String, "words": pl.List(pl.String)},
            ),
            pl.DataFrame({"name": sentences.conditions}, {"name": pl.String}),
            pl.DataFrame({"name": sentences.names}, {"name": pl.String}),
        ]
        packed: list[bytes] = []
        for part in parts:
            stream = BytesIO()
            part.write_ipc(stream, compression="zstd")
            packed += [len(stream.getvalue()).to_bytes(8, "little"), stream.getvalue()]
        return b"".join(packed)


def _has_targets(source: str | Item) -> bool:
    """Return whether an item, or the JSON by `details_of`, has further targets."""
    # to look for this text in the JSON is faster than to read the JSON
    return '"targets": [{' in source if isinstance(source, str) else bool(source.targets)


def unpacked_table(packed: bytes) -> ItemTable:
    """Return the table that `ItemTable.packed` turned into bytes.

    Args:
        packed: the bytes, made by this version or an earlier one.

    Returns:
        A table of equal items.

    >>> words = {"right": ((Region("target", ("are",), "are"),),)}
    >>> table = table_of((Item("i", "suite", "i", "en", "mine", "", words),))
    >>> unpacked_table(table.packed()) == table
    True
    """
    parts: list[pl.DataFrame] = []
    stream = BytesIO(packed)
    while length := stream.read(8):  # bytes: the length of the part that follows
        part = BytesIO(stream.read(int.from_bytes(length, "little")))
        parts.append(pl.read_ipc(part))
    items, sentences, regions, chunks, conditions, names = parts
    return ItemTable(
        # cast, since an earlier version had texts where now are categories
        items.select(list(TABLE_SCHEMA)).cast(pl.Schema(TABLE_SCHEMA)),
        Sentences(
            tuple(conditions["name"]),
            tuple(names["name"]),
            offsets_of(items["n_sentences"].to_numpy()),
            sentences["condition"].to_numpy(),
            sentences["index"].to_numpy(),
            offsets_of(sentences["n_regions"].to_numpy()),
            regions["name"].to_numpy(),
            regions["chunk"].to_numpy(),
            chunks["text"].to_list(),
            [None if words is None else tuple(words) for words in chunks["words"].to_list()],
        ),
        items["details"].to_list(),
    )


def table_of(items: Sequence[Item]) -> ItemTable:
    """Return items as a table.

    Args:
        items: any items; a table is returned as it is.

    Returns:
        The items as columns, in their order.

    >>> words = {"right": ((Region("target", ("are",), "are"),),)}
    >>> table_of((Item("i", "suite", "i", "en", "mine", "", words),)).frame["source"].to_list()
    ['mine']
    """
    if isinstance(items, ItemTable):
        return items
    rows = [
        table_row({name: getattr(item, name) for name in TEXT_FIELDS}, item.facts, item.agreement)
        for item in items
    ]
    sentences = [
        (condition, index, wording)
        for item in items
        for condition, wordings in item.conditions.items()
        for index, wording in enumerate(wordings)
    ]
    regions = [region for _, _, wording in sentences for region in wording]
    conditions, names = Numbered(), Numbered()
    chunks: dict[tuple[str, tuple[str, ...]], int] = {}  # (text, words) → number of the chunk
    chunk_of_region = [
        chunks.setdefault((region.text, region.words), len(chunks)) for region in regions
    ]
    return ItemTable(
        pl.DataFrame(rows, TABLE_SCHEMA, orient="row"),
        Sentences(
            of_item=offsets_of([sum(map(len, item.conditions.values())) for item in items]),
            condition=conditions.codes_of(condition for condition, _, _ in sentences),
            index=np.array([index for _, index, _ in sentences], np.int32),
            of_sentence=offsets_of([len(wording) for _, _, wording in sentences]),
            name=names.codes_of(region.region for region in regions),
            chunk=np.array(chunk_of_region, np.int32),
            texts=[text for text, _ in chunks],
            words=[None if words == penn(text) else words for text, words in chunks],
            conditions=tuple(conditions),
            names=tuple(names),
        ),
        tuple(items),
        same=True,
    )


def table_row(
    values: Mapping[str, str], facts: Mapping[str, str], agreement: Agreement | None = None
) -> tuple[str | bool, ...]:
    """Return an item's row of `ItemTable.frame`.

    Args:
        values: the fields of the item that `item.TEXT_FIELDS` names: name → text.
        facts: the item's other facts: name → text.
        agreement: the agreement of an agreement item, else None.

    Returns:
        The cells, in the order of `TABLE_SCHEMA`.

    >>> own = dict(zip(TEXT_FIELDS, ("i", "suite", "i", "", "", "en", "mine", "")))
    >>> table_row(own, {"uid": "number_prep"})[8:]
    ('', 'number_prep', '', '', False, '{"uid": "number_prep"}')
    """
    equal_forms = agreement is not None and agreement.right == agreement.wrong
    # the JSON of `facts`: the same text as `json.dumps` gives, in half the time
    members = ", ".join([f"{quoted(name)}: {quoted(value)}" for name, value in facts.items()])
    own_cells = [values[name] for name in TEXT_FIELDS]
    return *own_cells, *factors(facts, agreement), equal_forms, f"{{{members}}}"
