"""What the audit sees of an item: two sentences, the words in which they differ, its cluster; and
the columns that say in which cell it stands."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import TypeAlias

from ...data.errors import InputError
from ...data.items.item import (
    RIGHT,
    TARGET,
    WRONG,
    Agreement,
    Item,
    Wording,
    is_pair,
    sentence_text,
    sentence_words,
)
from ...data.registry import nearest

CONSTRUCTION = "construction"
PHENOMENON = "phenomenon"  # of items whose file tells no construction
CellKey: TypeAlias = tuple[str | None, ...]
"""A value a column, `None` where it is not held fixed; () is the whole"""
FINAL = ".?!…。？！"  # of these what ends a sentence is no word of it
MINED = (CONSTRUCTION, "value", "kind")  # the default columns of mined items
OF_ITEM = ("kind", "language", "source", "licence", "set_id", "cell")
OF_AGREEMENT = frozenset(field.name for field in fields(Agreement))
RELATION = "relation"  # of the nominals between cue and target to these: none, same, opposite
BETWEEN = "same, opposite"  # the relation of the cell that has both
SUGGESTED = (*MINED, "feature", "gap", "level", "n_attractors", RELATION, "target_upos", "variant")


@dataclass(frozen=True, slots=True)
class AuditPair:
    """An item with one right and one wrong sentence, in small letters, final punctuation off."""

    item: Item
    cluster: str  # of those that share a set or a right sentence the least `cluster_id`
    pool: str  # a trained baseline learns from the other clusters of the same pool
    right: tuple[str, ...]  # words of the sentence
    wrong: tuple[str, ...]
    right_forms: tuple[str, ...]  # the target, or else the words in which the sentences differ
    wrong_forms: tuple[str, ...]
    right_length: int  # characters of the sentence as a person reads it
    wrong_length: int
    values: tuple[str, ...]  # between which a guess chooses, sorted; none without agreement
    prefix: tuple[str, ...]  # words before the target, or before the first that differs
    options: tuple[str, ...]  # the values, or the two words that differ first; none if none does
    answer: str  # the right one of the options

    @property
    def agreement(self) -> Agreement:
        """The facts of agreement, of a pair that is known to have them."""
        assert self.item.agreement is not None
        return self.item.agreement


def pairs_of(items: Sequence[Item]) -> list[AuditPair]:
    """The pairs among `items`, in their order; what else has conditions is no pair.

    Words are those of the treebank for items of agreement, else what stands between blanks (a
    sentence without any: its `words`). Clusters that share a `set_id` or a right sentence are one,
    so that no copy of a sentence is seen in training. The pool is the language and the feature of
    agreement, or the construction of a published set.
    """
    pair_items = [item for item in items if is_pair(item)]
    sentences = [
        [_words(item, item.conditions[name][0]) for name in (RIGHT, WRONG)] for item in pair_items
    ]
    clusters = _clusters(pair_items, [right for right, _ in sentences])
    pairs = []
    for item, (right, wrong) in zip(pair_items, sentences, strict=True):
        wordings = [item.conditions[name][0] for name in (RIGHT, WRONG)]
        right_forms, wrong_forms = map(_target, wordings)
        if not right_forms or not wrong_forms or right_forms == wrong_forms:
            right_forms, wrong_forms = _extra_words(right, wrong), _extra_words(wrong, right)
        right_length, wrong_length = (len(sentence_text(wording).strip()) for wording in wordings)
        facts = item.agreement
        part = facts.feature if facts else item.construction or item.facts.get(PHENOMENON, "")
        values = tuple(sorted({facts.value, *facts.values})) if facts else ()
        if facts:
            prefix = tuple(map(str.lower, facts.tokens[: facts.target_index]))
            options, answer = values, facts.value
        else:
            prefix = right[: _n_shared(right, wrong)]
            answer, wrong_answer = (
                "".join(words[len(prefix) : len(prefix) + 1]) for words in (right, wrong)
            )
            options = tuple(sorted({answer, wrong_answer})) if answer != wrong_answer else ()
        pairs.append(
            AuditPair(
                item, clusters[item.cluster_id], f"{item.language}\t{part}",
                right, wrong, right_forms, wrong_forms, right_length, wrong_length, values,
                prefix, options, answer,
            )
        )  # fmt: skip
    return pairs


def _words(item: Item, wording: Wording) -> tuple[str, ...]:
    text = sentence_text(wording).strip()
    if item.agreement is None and " " in text:
        return tuple(text.lower().rstrip(FINAL).split())
    words = [word.lower() for word in sentence_words(wording)]
    while words and not words[-1].strip(FINAL):
        words.pop()
    return tuple(words)


def _target(wording: Wording) -> tuple[str, ...]:
    """The words of the target, if the wording has a region of that name."""
    texts = [region.text for region in wording if region.region == TARGET]
    return tuple(" ".join(texts).lower().rstrip(FINAL).split())


def _extra_words(words: Iterable[str], other_words: Iterable[str]) -> tuple[str, ...]:
    """The words that stand more often here than there, as often as they do; sorted."""
    return tuple(sorted((Counter(words) - Counter(other_words)).elements()))


def _n_shared(right: Sequence[str], wrong: Sequence[str]) -> int:
    """How many words two sentences have in common at their beginning."""
    differ = (n for n, (good, bad) in enumerate(zip(right, wrong, strict=False)) if good != bad)
    return next(differ, min(len(right), len(wrong)))


def _clusters(items: Sequence[Item], sentences: Sequence[tuple[str, ...]]) -> dict[str, str]:
    """`cluster_id` → the least id of those it hangs together with."""
    parents = {item.cluster_id: item.cluster_id for item in items}

    def root(name: str) -> str:
        while parents[name] != name:
            parents[name] = name = parents[parents[name]]
        return name

    owner: dict[object, str] = {}
    for item, sentence in zip(items, sentences, strict=True):
        for mark in (sentence, item.set_id):
            if mark:
                old, new = root(owner.setdefault(mark, item.cluster_id)), root(item.cluster_id)
                parents[max(old, new)] = min(old, new)
    return {name: root(name) for name in parents}


def default_columns(pairs: Sequence[AuditPair]) -> tuple[str, ...]:
    """Construction, value and kind if there are items of agreement; of others the construction, or
    else the phenomenon; before them the language, if there are several; after them the relation of
    the nominals between cue and target, where it is known."""
    plain = [pair.item for pair in pairs if pair.item.agreement is None]
    names = [
        name for name in (CONSTRUCTION, PHENOMENON) if any(column_of(item, name) for item in plain)
    ]
    mixed = len({pair.item.language for pair in pairs}) > 1
    mined = MINED if len(plain) < len(pairs) else ()
    relation = (RELATION,) if any(column_of(pair.item, RELATION) for pair in pairs) else ()
    return tuple(dict.fromkeys((*["language"] * mixed, *mined, *names[:1], *relation)))


def cells_of(
    pairs: Sequence[AuditPair], columns: Sequence[str], apart: str = ""
) -> dict[CellKey, list[int]]:
    """CellKey → indices of its pairs: the whole under (), then the cells in the order of names.

    A column `apart` makes cells with language and kind, before the others, which do not hold it
    fixed. Raises `InputError` for a column that no item has.
    """
    for column in columns:
        if all(column_of(pair.item, column) is None for pair in pairs):
            names = {*OF_ITEM, *(name for pair in pairs for name in pair.item.facts)}
            names.update(CONSTRUCTION for pair in pairs if pair.item.construction)
            names.update(SUGGESTED if any(pair.item.agreement for pair in pairs) else ())
            right = nearest(column, sorted(names))
            raise InputError("by", f"no item has {column!r}", right, kind="unknown")
    groups: dict[CellKey, list[int]] = {}
    margins: dict[CellKey, list[int]] = {}
    for index, pair in enumerate(pairs):
        values = {column: column_of(pair.item, column) or "" for column in columns}
        cell = tuple(None if column == apart else value for column, value in values.items())
        groups.setdefault(cell, []).append(index)
        if values.get(apart):
            fixed = ("language", "kind", apart)
            margin = tuple(value if column in fixed else None for column, value in values.items())
            margins.setdefault(margin, []).append(index)
    groups.pop((), None)
    cells = {cell: table[cell] for table in (margins, groups) for cell in sorted(table)}
    return {(): list(range(len(pairs))), **cells}


def column_of(item: Item, column: str) -> str | None:
    """What an item has under a name: a field of its own, its construction (BLiMP's paradigm), a
    fact of agreement (several joined by `|`), the number of its attractors, whether nominals stand
    between cue and target and have their value (`relation`), or another fact; `None` if nothing."""
    if column == CONSTRUCTION:
        return item.construction or None
    if column in OF_ITEM:
        return str(getattr(item, column))
    if item.agreement is not None:
        if column in OF_AGREEMENT:
            value = getattr(item.agreement, column)
            return "|".join(map(str, value)) if isinstance(value, tuple) else str(value)
        if column == "n_attractors":
            return str(len(item.agreement.attractors))
        if column == RELATION and RELATION not in item.facts and item.agreement.upos:
            matches = {nominal.value == item.agreement.value for nominal in item.agreement.nominals}
            return "opposite" if False in matches else "same" if matches else "none"
    return item.facts.get(column)
