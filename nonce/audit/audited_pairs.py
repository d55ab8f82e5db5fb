"""Items as the audit sees them: two sentences, the words in which they differ, their cluster; and
the columns that group items into cells."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple, TypeAlias

from ...data.errors import InputError
from ...data.formats.pair_formats import n_shared_words
from ...data.items.features import value_of
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

NOUNS = frozenset({"NOUN", "PROPN"})
NOMINALS = NOUNS | {"PRON"}
COMMAS = frozenset(",،，、")
SUBORDINATOR = "subordinator"  # fact: index of the token with the last one, if not annotated so
CONSTRUCTION = "construction"
PHENOMENON = "phenomenon"  # used for items whose file has no construction
CellKey: TypeAlias = tuple[str | None, ...]
"""A cell: a value for each column, `None` for a column it does not restrict; () for all items."""
COLUMNS_OF_MINED = (CONSTRUCTION, "value", "kind")  # the default columns of mined items
FIELDS_OF_ITEM = ("kind", "language", "source", "licence", "set_id", "cell")
FIELDS_OF_AGREEMENT = frozenset(field.name for field in fields(Agreement))
RELATION = "relation"  # value of the nominals between cue and target, compared with the cue's
FIRST_NOUN = "first_noun"  # the first noun's value, likewise; none: it is the cue, or absent
NONE, SAME, OPPOSITE = "none", "same", "opposite"  # values of these two columns
BETWEEN = "same, opposite"  # the cell of all items with a nominal between
RELATIONS = (FIRST_NOUN, RELATION)  # these columns also make cells of their own
SUGGESTED_COLUMNS = (
    *COLUMNS_OF_MINED, "feature", "gap", "level", "n_attractors", *RELATIONS, "target_upos",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class AuditPair:
    """An item with one right and one wrong sentence, in lowercase and without final punctuation."""

    item: Item
    cluster: str  # smallest `cluster_id` of the clusters that share a set or a right sentence
    pool: str  # a trained baseline learns only from the other clusters of the same pool
    right: tuple[str, ...]  # words of the sentence
    wrong: tuple[str, ...]
    right_forms: tuple[str, ...]  # the target, or else the words in which the sentences differ
    wrong_forms: tuple[str, ...]
    prefix: tuple[str, ...]  # words before the target, else before the first that differs
    options: tuple[str, ...]  # the values, else the first two words that differ; sorted
    answer: str  # the right option


def pairs_of(items: Sequence[Item]) -> list[AuditPair]:
    """Return the items that have a right and a wrong sentence as pairs, in their order.

    Words are those of the treebank for items of agreement; others are split at blanks (a sentence
    without blanks into its `words`). Clusters that share a `set_id` or a right sentence are merged,
    so that no copy of a sentence is in the training data. The pool is the language with the feature
    of agreement, or with the construction of a published set.
    """
    pair_items = [item for item in items if is_pair(item)]
    ids = [item.cluster_id for item in pair_items]
    sets = [item.set_id for item in pair_items]
    texts = [sentence_text(item.conditions[RIGHT][0]) for item in pair_items]
    return list(map(_pair_of, pair_items, clusters_of(ids, sets, texts)))


def _pair_of(item: Item, cluster: str) -> AuditPair:
    """Return an item as a pair: its sentences, the words in which they differ, and the choice
    between two values, or for an item without values, between two words."""
    right_wording, wrong_wording = (item.conditions[name][0] for name in (RIGHT, WRONG))
    right, wrong = _words(item, right_wording), _words(item, wrong_wording)
    right_forms, wrong_forms = _target(right_wording), _target(wrong_wording)
    if not right_forms or not wrong_forms or right_forms == wrong_forms:
        right_forms, wrong_forms = _extra_words(right, wrong), _extra_words(wrong, right)
    if facts := item.agreement:
        topic = facts.feature
        prefix = tuple(map(str.lower, facts.tokens[: facts.target_index]))
        options, answer = tuple(sorted({facts.value, *facts.values})), facts.value
    else:
        topic = item.construction or item.facts.get(PHENOMENON, "")
        prefix = shared_words(right, wrong)
        # the first words that differ; "" if one sentence is the beginning of the other
        answer, wrong_answer = (next(iter(x[len(prefix) :]), "") for x in (right, wrong))
        options = tuple(sorted({answer, wrong_answer})) if answer != wrong_answer else ()
    return AuditPair(
        item=item,
        cluster=cluster,
        pool=f"{item.language}\t{topic}",
        right=right,
        wrong=wrong,
        right_forms=right_forms,
        wrong_forms=wrong_forms,
        prefix=prefix,
        options=options,
        answer=answer,
    )


def _words(item: Item, wording: Wording) -> tuple[str, ...]:
    """Return the words of a sentence in lowercase, without its final punctuation."""
    text = sentence_text(wording).strip()
    if item.agreement is None and " " in text:
        return tuple(text.lower().rstrip(FINAL_PUNCTUATION).split())
    words = [word.lower() for word in sentence_words(wording)]
    while words and not words[-1].strip(FINAL_PUNCTUATION):
        words.pop()
    return tuple(words)


def _target(wording: Wording) -> tuple[str, ...]:
    """Return the words in the region `target` of a sentence (the tested words), in lowercase. A
    sentence without that region has none."""
    texts = [region.text for region in wording if region.region == TARGET]
    return tuple(" ".join(texts).lower().rstrip(FINAL_PUNCTUATION).split())


def _extra_words(words: Iterable[str], other_words: Iterable[str]) -> tuple[str, ...]:
    """Return the words that occur more often in `words` than in `other_words`, sorted; each is
    repeated as often as it occurs more."""
    return tuple(sorted((Counter(words) - Counter(other_words)).elements()))


def shared_words(right: Sequence[str], wrong: Sequence[str]) -> tuple[str, ...]:
    """Return the words that two sentences have in common at their beginning."""
    return tuple(right[: n_shared_words(right, wrong)])


def cells_of(
    pairs: Sequence[AuditPair], by: Sequence[str]
) -> tuple[tuple[str, ...], dict[CellKey, list[int]], CellKey]:
    """Group pairs into cells by their values in some columns. Return these columns, cell → indices
    of its pairs, and the headline cell, about which the audit's verdict speaks.

    The headline cell has the items in which the first noun and a nominal between cue and target
    both have another value than the cue. If there are none, it has those with such a nominal
    between; if there are none either, it is (). Without `by`, there are also cells for each value
    of the two relations. Raise `InputError` for a column that no item has.
    """
    _demand_columns(pairs, by)
    columns = tuple(by) or _default_columns(pairs)
    rows = [{name: column_of(pair.item, name) for name in (*columns, *RELATIONS)} for pair in pairs]
    headline = dict.fromkeys(RELATIONS, OPPOSITE)
    if not any(_is_in(row, headline) for row in rows):
        headline = {RELATION: OPPOSITE}
    restrictions = [headline]  # of the cells that restrict relations alone: column → its values
    if not by:
        has_other_first = any(_is_in(row, {FIRST_NOUN: BETWEEN}) for row in rows)
        names = (RELATION, FIRST_NOUN) if has_other_first else (RELATION,)
        values = (BETWEEN, NONE, SAME, OPPOSITE)
        restrictions += [{name: value} for name in names for value in values]
    restrictions = [x for x in restrictions if any(_is_in(row, x) for row in rows)]
    restricted = {name for restriction in restrictions for name in restriction}
    added = tuple(name for name in RELATIONS if name in restricted and name not in columns)
    all_columns = (*columns, *added)
    cells: dict[CellKey, list[int]] = {(): list(range(len(pairs)))}
    for restriction in restrictions:
        indices = [index for index, row in enumerate(rows) if _is_in(row, restriction)]
        cells.setdefault(tuple(map(restriction.get, all_columns)), indices)
    by_values: dict[tuple[str, ...], list[int]] = {}
    for index, row in enumerate(rows):
        by_values.setdefault(tuple(row[name] or "" for name in columns), []).append(index)
    for values_of_cell, indices in sorted(by_values.items()):
        if values_of_cell:  # there is no column if neither items nor user name one
            cells[*values_of_cell, *[None] * len(added)] = indices
    is_present = headline in restrictions
    return all_columns, cells, tuple(map(headline.get, all_columns)) if is_present else ()


def _is_in(row: Mapping[str, str | None], restriction: Mapping[str, str]) -> bool:
    """Return whether an item is in the cell that restricts only some columns.

    `row` is column → the item's value, `restriction` is column → allowed values, joined by ", ".
    """
    return all(row[name] in allowed.split(", ") for name, allowed in restriction.items())


def _default_columns(pairs: Sequence[AuditPair]) -> tuple[str, ...]:
    """Return the columns to use without `by`: the language, if there are several; construction,
    value and kind, if there are items of agreement; and for other items the construction, or else
    the phenomenon."""
    plain = [pair.item for pair in pairs if pair.item.agreement is None]
    names = [
        name for name in (CONSTRUCTION, PHENOMENON) if any(column_of(item, name) for item in plain)
    ]
    has_languages = len({pair.item.language for pair in pairs}) > 1
    columns = ["language"] if has_languages else []
    columns += COLUMNS_OF_MINED if len(plain) < len(pairs) else ()
    return tuple(dict.fromkeys([*columns, *names[:1]]))


def _demand_columns(pairs: Sequence[AuditPair], columns: Sequence[str]) -> None:
    """Raise `InputError` for a column that no item has."""
    for column in columns:
        if all(column_of(pair.item, column) is None for pair in pairs):
            names = {*FIELDS_OF_ITEM, *(name for pair in pairs for name in pair.item.facts)}
            names.update(CONSTRUCTION for pair in pairs if pair.item.construction)
            names.update(SUGGESTED_COLUMNS if any(pair.item.agreement for pair in pairs) else ())
            right = nearest(column, sorted(names))
            raise InputError("by", f"no item has {column!r}", right, kind="unknown")


Values: TypeAlias = frozenset[str]


class PrefixWord(NamedTuple):
    """An annotated token before the target."""

    upos: str
    values: Values  # values of the agreeing feature; several if it is annotated `Fem,Masc`
    opens_clause: bool  # a subordinator, a relative word or a comma


def annotated_prefix(agreement: Agreement, facts: Mapping[str, str]) -> list[PrefixWord]:
    """Return the tokens before the target of an annotated item, each with its values of the feature
    that agrees (such as Sing of Number), whose name may differ between cue and target."""
    features = {
        name or agreement.feature for name in (agreement.cue_feature, agreement.target_feature)
    }
    options = {agreement.value, *agreement.values}
    words = []
    for index in range(agreement.target_index):
        upos, feats = agreement.upos[index], agreement.feats[index]
        values = {value for name in features for value in (value_of(feats, name) or "").split(",")}
        opens_clause = (
            "SCONJ" in upos.split("+")
            or agreement.tokens[index] in COMMAS
            or value_of(feats, "PronType") == "Rel"
            or facts.get(SUBORDINATOR) == str(index)
        )
        words.append(PrefixWord(upos, Values(values & options), opens_clause))
    return words


def column_of(item: Item, column: str) -> str | None:
    """Return an item's value in a column, `None` if it has none. A column is a field of the item or
    of its agreement (several values are joined by `|`), the construction (in BLiMP, the paradigm),
    the number of attractors, a relation to the cue, or any other fact."""
    if column == CONSTRUCTION:
        return item.construction or None
    if column in FIELDS_OF_ITEM:
        return str(getattr(item, column))
    facts = item.agreement
    if facts is not None:
        if column in FIELDS_OF_AGREEMENT:
            value = getattr(facts, column)
            return "|".join(map(str, value)) if isinstance(value, tuple) else str(value)
        if column == "n_attractors":
            return str(len(facts.attractors))
        if column in RELATIONS and column not in item.facts and facts.upos:
            return _match_with_cue(item, facts, column)
    return item.facts.get(column)


def _match_with_cue(item: Item, facts: Agreement, column: str) -> str:
    """Return whether other words have the cue's value: "same", "opposite", or "none" without any.

    The words are the first noun, unless it is the cue, if `column` is `first_noun`; else the
    nominals between cue and target, as the miner recorded them if it did. "opposite" means that at
    least one has another value.
    """
    words = annotated_prefix(facts, item.facts)
    if column == FIRST_NOUN:
        nouns = [index for index, word in enumerate(words) if word.upos in NOUNS and word.values]
        others = [words[index] for index in nouns[:1] if index != facts.cue_index]
    else:
        between = words[facts.cue_index + 1 :]
        others = [word for word in between if word.upos in NOMINALS and word.values]
    matches = [facts.value in word.values for word in others]
    if column == RELATION and facts.nominals:  # these include words inside multiword tokens
        matches = [nominal.value == facts.value for nominal in facts.nominals]
    if not matches:
        return NONE
    return SAME if all(matches) else OPPOSITE
