"""Items as the audit sees them: two sentences, the words in which they differ, their cluster; and
the columns that say in which cell an item is."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import takewhile
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
from ...data.items.item_table import FINAL_PUNCTUATION, clusters_of
from ...data.registry import nearest
from .linear_rules import NOMINALS, NOUNS, annotated_prefix

CONSTRUCTION = "construction"
PHENOMENON = "phenomenon"  # of items whose file tells no construction
CellKey: TypeAlias = tuple[str | None, ...]
"""A value a column, `None` where it is not held fixed; () is the whole."""
MINED = (CONSTRUCTION, "value", "kind")  # the default columns of mined items
OF_ITEM = ("kind", "language", "source", "licence", "set_id", "cell")
OF_AGREEMENT = frozenset(field.name for field in fields(Agreement))
RELATION = "relation"  # of the nominals between cue and target to these: none, same, opposite
FIRST_NOUN = "first_noun"  # likewise of the first noun; none: it is the cue, or there is none
NONE, SAME, OPPOSITE = "none", "same", "opposite"
BETWEEN = "same, opposite"  # the relation of the cell that has both
RELATIONS = (FIRST_NOUN, RELATION)  # make cells without construction and value
SUGGESTED = (*MINED, "feature", "gap", "level", "n_attractors", *RELATIONS, "target_upos")


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
    prefix: tuple[str, ...]  # words before the target, or before the first that differs
    options: tuple[str, ...]  # the values, else the two words that differ first, sorted; or none
    answer: str  # the right one of the options


def pairs_of(items: Sequence[Item]) -> list[AuditPair]:
    """Return the pairs among items, in their order.

    Words are those of the treebank for items of agreement, else what is between blanks (a
    sentence without any: its `words`). Clusters that share a `set_id` or a right sentence are one,
    so that no copy of a sentence is seen in training. The pool is the language and the feature of
    agreement, or the construction of a published set.
    """
    pair_items = [item for item in items if is_pair(item)]
    sentences = [
        [_words(item, item.conditions[name][0]) for name in (RIGHT, WRONG)] for item in pair_items
    ]
    ids, sets = ([getattr(item, name) for item in pair_items] for name in ("cluster_id", "set_id"))
    texts = [sentence_text(item.conditions[RIGHT][0]) for item in pair_items]
    clusters = clusters_of(ids, sets, texts)
    pairs = []
    for item, cluster, (right, wrong) in zip(pair_items, clusters, sentences, strict=True):
        right_forms, wrong_forms = (_target(item.conditions[name][0]) for name in (RIGHT, WRONG))
        if not right_forms or not wrong_forms or right_forms == wrong_forms:
            right_forms, wrong_forms = _extra_words(right, wrong), _extra_words(wrong, right)
        facts = item.agreement
        part = facts.feature if facts else item.construction or item.facts.get(PHENOMENON, "")
        if facts:
            prefix = tuple(map(str.lower, facts.tokens[: facts.target_index]))
            options, answer = tuple(sorted({facts.value, *facts.values})), facts.value
        else:
            prefix = shared_words(right, wrong)
            answer, wrong_answer = (
                "".join(words[len(prefix) : len(prefix) + 1]) for words in (right, wrong)
            )
            options = tuple(sorted({answer, wrong_answer})) if answer != wrong_answer else ()
        pairs.append(
            AuditPair(
                item, cluster, f"{item.language}\t{part}",
                right, wrong, right_forms, wrong_forms, prefix, options, answer,
            )
        )  # fmt: skip
    return pairs


def _words(item: Item, wording: Wording) -> tuple[str, ...]:
    """Return the words of a sentence in small letters, without its final punctuation."""
    text = sentence_text(wording).strip()
    if item.agreement is None and " " in text:
        return tuple(text.lower().rstrip(FINAL_PUNCTUATION).split())
    words = [word.lower() for word in sentence_words(wording)]
    while words and not words[-1].strip(FINAL_PUNCTUATION):
        words.pop()
    return tuple(words)


def _target(wording: Wording) -> tuple[str, ...]:
    """Return the words of the target, if the wording has a region of that name."""
    texts = [region.text for region in wording if region.region == TARGET]
    return tuple(" ".join(texts).lower().rstrip(FINAL_PUNCTUATION).split())


def _extra_words(words: Iterable[str], other_words: Iterable[str]) -> tuple[str, ...]:
    """Return the words of which `words` has more, each as often as it has more; sorted."""
    return tuple(sorted((Counter(words) - Counter(other_words)).elements()))


def shared_words(right: Sequence[str], wrong: Sequence[str]) -> tuple[str, ...]:
    """Return the words that two sentences have in common at their beginning."""
    both = takewhile(lambda words: words[0] == words[1], zip(right, wrong, strict=False))
    return tuple(word for word, _ in both)


def cells_of(
    pairs: Sequence[AuditPair], by: Sequence[str]
) -> tuple[tuple[str, ...], dict[CellKey, list[int]], CellKey]:
    """Return the columns, the cells with the indices of their pairs, and the headline cell.

    The headline cell has the items whose first noun and whose nouns between both oppose the cue;
    where there are none, those with an opposing noun between; it is () if there are none either. By
    default there are cells of each relation, too. Raises `InputError` for a column that no item
    has.
    """
    _demand_columns(pairs, by)
    named = tuple(by) or _default_columns(pairs)
    rows = [{name: column_of(pair.item, name) for name in (*named, *RELATIONS)} for pair in pairs]
    opposed = dict.fromkeys(RELATIONS, OPPOSITE)
    if not any(_is_in(row, opposed) for row in rows):
        opposed = {RELATION: OPPOSITE}
    margins = [opposed]
    if not by:
        has_first = any(_is_in(row, {FIRST_NOUN: BETWEEN}) for row in rows)
        names = (RELATION, FIRST_NOUN) if has_first else (RELATION,)
        values = (BETWEEN, NONE, SAME, OPPOSITE)
        margins += [{name: value} for name in names for value in values]
    margins = [margin for margin in margins if any(_is_in(row, margin) for row in rows)]
    extra = [name for name in RELATIONS if name not in named and any(name in m for m in margins)]
    columns = (*named, *extra)
    cells: dict[CellKey, list[int]] = {(): list(range(len(pairs)))}
    for margin in margins:
        indices = [n for n, row in enumerate(rows) if _is_in(row, margin)]
        cells.setdefault(tuple(map(margin.get, columns)), indices)
    groups: dict[tuple[str, ...], list[int]] = {}
    for index, row in enumerate(rows):
        groups.setdefault(tuple(row[name] or "" for name in named), []).append(index)
    cells |= {(*group, *[None] * len(extra)): groups[group] for group in sorted(groups) if group}
    return columns, cells, tuple(map(opposed.get, columns)) if opposed in margins else ()


def _is_in(row: Mapping[str, str | None], margin: Mapping[str, str]) -> bool:
    """Return whether an item has one of the values of each relation of a cell."""
    return all(row[name] in value.split(", ") for name, value in margin.items())


def _default_columns(pairs: Sequence[AuditPair]) -> tuple[str, ...]:
    """Return the columns of the cells: construction, value and kind if there are items of
    agreement; of others the construction, or else the phenomenon; before them the language, if
    there are several."""
    plain = [pair.item for pair in pairs if pair.item.agreement is None]
    names = [
        name for name in (CONSTRUCTION, PHENOMENON) if any(column_of(item, name) for item in plain)
    ]
    mixed = len({pair.item.language for pair in pairs}) > 1
    mined = MINED if len(plain) < len(pairs) else ()
    return tuple(dict.fromkeys((*["language"] * mixed, *mined, *names[:1])))


def _demand_columns(pairs: Sequence[AuditPair], columns: Sequence[str]) -> None:
    """Raise `InputError` for a column that no item has."""
    for column in columns:
        if all(column_of(pair.item, column) is None for pair in pairs):
            names = {*OF_ITEM, *(name for pair in pairs for name in pair.item.facts)}
            names.update(CONSTRUCTION for pair in pairs if pair.item.construction)
            names.update(SUGGESTED if any(pair.item.agreement for pair in pairs) else ())
            right = nearest(column, sorted(names))
            raise InputError("by", f"no item has {column!r}", right, kind="unknown")


def column_of(item: Item, column: str) -> str | None:
    """Return the value of an item in a column: a field of its own, its construction (BLiMP's
    paradigm), another fact, a fact of agreement (several joined by `|`), the number of its
    attractors, or the relation of other nouns to the cue; `None` if it has none."""
    if column == CONSTRUCTION:
        return item.construction or None
    if column in OF_ITEM:
        return str(getattr(item, column))
    facts = item.agreement
    if facts is not None:
        if column in OF_AGREEMENT:
            value = getattr(facts, column)
            return "|".join(map(str, value)) if isinstance(value, tuple) else str(value)
        if column == "n_attractors":
            return str(len(facts.attractors))
        if column in RELATIONS and column not in item.facts and facts.upos:
            return _relation(item, facts, column)
    return item.facts.get(column)


def _relation(item: Item, facts: Agreement, column: str) -> str:
    """Return whether the first noun, or the nominals between cue and target, have the value of the
    cue: none, same, opposite."""
    words = annotated_prefix(facts, item.facts)
    if column == FIRST_NOUN:
        nouns = [index for index, word in enumerate(words) if word.upos in NOUNS and word.values]
        others = [words[index] for index in nouns[:1] if index != facts.cue_index]
    else:
        between = words[facts.cue_index + 1 :]
        others = [word for word in between if word.upos in NOMINALS and word.values]
    matches = {facts.value in word.values for word in others}
    if column == RELATION and facts.nominals:  # knows words inside multiword tokens, too
        matches = {nominal.value == facts.value for nominal in facts.nominals}
    return OPPOSITE if False in matches else SAME if matches else NONE
