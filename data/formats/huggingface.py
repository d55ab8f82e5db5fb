"""The format of a Hugging Face dataset folder: a card, configurations of pairs, and all items.

`load_dataset(FOLDER, CONFIG)` gives the pairs of one configuration: of one language, construction
and licence. So nothing is mixed that must not be (minimal pairs are adaptations of a treebank's
text). `provenance.jsonl` has every item in full: treebank, file, sentence, indices, substitutions,
and all other facts. Reading uses this file, so that nothing is lost.
"""

from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

from ..files import write_whole
from ..items.item import TEXT_FIELDS, Item
from ..items.suite import Suite
from ..tables import write_jsonl
from .card import Configuration, card
from .format import Format, export_to, file_names, groups_of, metadata_of, read_folder, write_items
from .licences import UNKNOWN, licences_of
from .pair_formats import ONE_PREFIX, pair_of

FORMAT_NAME = "huggingface"
ITEMS_FILE = "provenance.jsonl"


def write(suite: Suite, path: Path, vocabulary: frozenset[str] | None = None) -> None:
    """Write the pairs of a suite as a folder. Raises `InputError` for an item that is not a pair.

    Items without a known licence have configurations of their own.
    """
    groups = configurations(suite)
    configs = {item.item_id: {"config": group.name} for group in groups for item in group.items}
    with export_to(path, FORMAT_NAME, metadata_of(suite)) as folder:
        for group in groups:
            write_jsonl(folder / group.file, map(row, group.items))
        write_items(folder / ITEMS_FILE, suite.items, configs)
        with write_whole(folder / "README.md") as stream:
            stream.write(card(suite, FORMAT_NAME, suite.name, groups))


def configurations(suite: Suite) -> list[Configuration]:
    """Return the items of a suite grouped by language, construction and licences.

    The name of a configuration is its language and construction; the licence is added if items of
    the same language and construction have several.
    """
    constructions = groups_of(suite)
    groups: dict[tuple[str, str, tuple[str, ...]], list[Item]] = {}
    for item in suite.items:
        key = (item.language, constructions[item.item_id], licences_of(item))
        groups.setdefault(key, []).append(item)
    n_groups = Counter((language, construction) for language, construction, _ in groups)
    labels: dict[tuple[str, str, tuple[str, ...]], str] = {}
    for language, construction, licences in groups:
        parts = [language, construction]
        if n_groups[language, construction] > 1:
            parts += licences or (UNKNOWN,)
        # No part has this separator, so different groups have different labels.
        labels[language, construction, licences] = "\x1f".join(parts)
    names = file_names(list(labels.values()))
    return [Configuration(names[labels[key]], *key, tuple(items)) for key, items in groups.items()]


def row(item: Item) -> dict[str, Any]:
    """Return an item as a row of the dataset: column → value. All rows have the same columns, of
    the same types; "" or None is the value of what an item lacks."""
    pair = pair_of(item)
    prefix = word_good = word_bad = ""
    if pair.parts is not None and pair.method == ONE_PREFIX:
        right, wrong = pair.parts
        prefix, word_good, word_bad = right.prefix, right.gap + right.word, wrong.gap + wrong.word
    agreement = item.agreement
    return {
        **{name: getattr(item, name) for name in TEXT_FIELDS},
        "licence": " AND ".join(licences_of(item)),
        "construction": item.construction or "items",
        "feature": agreement.feature if agreement else "",
        "value": agreement.value if agreement else "",
        "level": agreement.level if agreement else "",
        "variant": agreement.variant if agreement else None,
        "n_attractors": len(agreement.attractors) if agreement else None,
        "flags": " ".join(agreement.flags) if agreement else "",
        "sentence_good": pair.right,
        "sentence_bad": pair.wrong,
        "prefix": prefix,
        "word_good": word_good,
        "word_bad": word_bad,
        "cue_index": agreement.cue_index if agreement else None,
        "target_index": agreement.target_index if agreement else None,
    }


FORMAT = Format(partial(read_folder, FORMAT_NAME, ITEMS_FILE), write, needs_licence=True)
