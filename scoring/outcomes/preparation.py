"""A suite as it is asked about: the items that are chosen, with the lead, the blank and the periods
that the method has."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile

import numpy as np

from ...data.items.item import Item
from ...data.items.item_table import ItemTable, table_of
from ...data.items.sentences import RegionPart, penn
from ...data.items.suite import Suite, select_items
from ...data.seeds import generator, shuffled
from ..questions.elicitation import CUT
from .method import SUITES_OWN, Method

MARKS = ".!?…‼⁇⁈⁉。．｡！？؟۔।॥։።፧"  # that end a sentence, of whatever script
CLOSING = "\"'”’“‘»«›‹)]」』"  # that may stand behind them
STOP = re.compile(rf"(?:\s*[{MARKS}])+(?P<closing>(?:\s*[{re.escape(CLOSING)}])*)\s*$")
PERIOD = "period"  # the region of one that was added


def prepared(
    suite: Suite, method: Method, construction: Sequence[str] = (), limit: int | None = None
) -> Suite:
    """Make a suite ready to be asked about.

    Args:
        suite: the suite.
        method: how it is asked.
        construction: only items of these; patterns with `*`. Empty: all.
        limit: only the first so many items; None: all.

    Returns:
        The suite with the items that are chosen, and the sentence ends and metric of the method.

    >>> from pathlib import Path
    >>> from colorless_green import load_suite
    >>> _ = Path("keys.tsv").write_text("right\\twrong\\nthe keys are .\\tthe keys is .\\n")
    >>> suite = prepared(load_suite("keys.tsv"), Method(period="drop"))
    >>> [region.text for region in suite.items[0].conditions["right"][0]]
    ['the keys', ' are', '']
    """
    table = chosen_items(suite.table, method, construction, limit)
    if method.period != "keep":
        table = _changed(table, with_period if method.period == "add" else without_period)
    if method.lead.strip():
        table = _changed(table, partial(with_lead, lead=method.lead))
    if method.blank:
        table = _changed(table, with_blank)
    metric = suite.metric if method.metric == SUITES_OWN else method.metric
    return replace(suite, items=table, metric=metric)


def chosen_items(
    items: Sequence[Item],
    method: Method,
    construction: Sequence[str] = (),
    limit: int | None = None,
) -> ItemTable:
    """Choose the items that are asked about.

    The items of a set stay together, so there can be some more of them; the choice depends on the
    seed and the ids alone, so that every model is asked the same.

    Args:
        items: the items of a suite.
        method: its `sample` and `seed`.
        construction: only items of these; patterns with `*`. Empty: all.
        limit: only the first so many items; None: all.

    Returns:
        The items of the constructions: the first `limit` of them, or `sample` of each, in the order
        of the suite.

    >>> from colorless_green.data import Item
    >>> items = [Item(name, "suite", name, "en", "", "", {}) for name in ("a1", "a2", "a3")]
    >>> len(chosen_items(items, Method(), limit=2))
    2
    """
    table = table_of(select_items(items, construction))
    if limit is not None and limit < len(table):
        sets = table.frame["set_id"]
        begun = sets[:limit].filter(sets[:limit] != "")
        completing = sets[limit:].is_in(begun.to_list()).arg_true().to_numpy() + limit
        table = table.take(np.concatenate([np.arange(limit), completing]))
    return table if method.sample is None else _sample(table, method.sample, method.seed)


def _sample(table: ItemTable, n: int, seed: int) -> ItemTable:
    """Draw `n` items of each construction, sets as a whole."""
    groups: dict[str, dict[str, list[int]]] = {}
    columns = (table.frame[name] for name in ("construction", "set_id", "item_id"))
    for row, (construction, set_id, item_id) in enumerate(zip(*columns, strict=True)):
        groups.setdefault(construction, {}).setdefault(set_id or item_id, []).append(row)
    chosen: list[int] = []
    for name, units in groups.items():
        sampled: list[int] = []
        for unit in shuffled(generator(seed, f"sample {name}"), sorted(units)):
            sampled += units[unit] if len(sampled) < n else []
        chosen += sampled
    return table.take(np.array(sorted(chosen), np.int64))


def _changed(
    table: ItemTable, change: Callable[[Sequence[RegionPart]], Sequence[RegionPart]]
) -> ItemTable:
    """Return the items with every sentence changed; `change` returns one as it is for no change."""
    sentences = table.sentences
    old_parts = enumerate(map(sentences.parts, range(len(sentences.condition))))
    parts = {row: new for row, old in old_parts if (new := change(old)) is not old}
    return table.changed(sentences.replaced(parts)) if parts else table


def with_lead(parts: Sequence[RegionPart], lead: str) -> Sequence[RegionPart]:
    """Put words before the first region with text, whose first letter becomes small unless it is a
    word of capitals (*I*, *UN*) or a sentence ends with the lead. A name at the beginning, or a
    German noun, becomes small too: take a lead that ends a sentence there."""
    first = next((index for index, (_, text, _) in enumerate(parts) if text.strip()), None)
    if first is None:
        return parts
    name, text, words = parts[first]
    own, text, lead = list(words or penn(text)), text.lstrip(), lead.strip()
    keeps_capital = own[0] == "I" or (len(own[0]) > 1 and own[0].isupper())
    if STOP.search(lead) is None and not keeps_capital:
        text, own[0] = text[:1].lower() + text[1:], own[0][:1].lower() + own[0][1:]
    opened = (name, f"{lead} {text}", (*penn(lead), *own))
    return [*parts[:first], opened, *parts[first + 1 :]]


def with_blank(parts: Sequence[RegionPart]) -> Sequence[RegionPart]:
    """Put a blank before a sentence that begins without one."""
    first = next((index for index, (_, text, _) in enumerate(parts) if text), None)
    if first is None or parts[first][1][0].isspace():
        return parts
    name, text, words = parts[first]
    return [*parts[:first], (name, f" {text}", words or tuple(penn(text))), *parts[first + 1 :]]


def with_period(parts: Sequence[RegionPart]) -> Sequence[RegionPart]:
    """Add a period as a region of its own; to a sentence that is cut in prefix, target and rest as
    part of the rest, so that it stays a pair."""
    if STOP.search("".join(text for _, text, _ in parts)):
        return parts
    if tuple(name for name, _, _ in parts) == CUT:
        *leading, (name, text, words) = parts
        return [*leading, (name, f"{text}.", (*(penn(text) if words is None else words), "."))]
    return [*parts, (PERIOD, ".", None)]


def without_period(parts: Sequence[RegionPart]) -> Sequence[RegionPart]:
    """Drop the period of the last region with text; a region that is nothing else becomes empty.
    Quotation marks and brackets that close behind it stay."""
    filled = [index for index, (_, text, _) in enumerate(parts) if text.strip()]
    stop = STOP.search(parts[filled[-1]][1]) if filled else None
    if stop is None:
        return parts
    name, text, words = parts[filled[-1]]
    remaining = list(penn(text) if words is None else words)
    closing = _n_at_end(remaining, CLOSING)
    end = len(remaining) - closing
    del remaining[end - _n_at_end(remaining[:end], MARKS) : end]
    bare = (name, text[: stop.start()] + stop["closing"], tuple(remaining))
    return [*parts[: filled[-1]], bare, *parts[filled[-1] + 1 :]]


def _n_at_end(words: Sequence[str], signs: str) -> int:
    """Count the words at the end that consist of these signs alone."""
    return sum(1 for _ in takewhile(lambda word: not word.strip(signs), reversed(words)))
