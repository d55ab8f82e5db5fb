"""Whose word frequencies the unigram baseline takes, and how that is told."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from colorless_green.data.errors import InputError
from colorless_green.data.store import Store
from colorless_green.miner.rows import load_mining, mined_files
from colorless_green.miner.surface import surface_of
from colorless_green.miner.treebank import sentences, treebank
from colorless_green.nonce.audit.baselines import has_originals
from colorless_green.nonce.audit.pair import is_pair
from colorless_green.nonce.frequencies import Frequencies, counted, frequencies_named
from colorless_green.nonce.item import Item
from colorless_green.nonce.load import mining_of_item
from colorless_green.nonce.suite import Suite


def frequencies_for(
    source: str, suite: Suite, suite_id: int | None, store: Store
) -> Frequencies | None:
    """Those that `source` names; where it names the treebank, counts of the surface tokens of the
    one that the suite was mined from, if the store knows it and it lies there unchanged; else
    `None`, for the suite's own."""
    asked = frequencies_named(source, suite.items[0].language)
    if asked is not None:
        return asked
    row = _mining(suite, suite_id, store)
    if row is None:
        return None
    try:
        files = mined_files(row)
    except InputError:  # gone or changed: the suite's own counts serve, and the message says so
        return None
    if not files:
        return None
    renumber = bool(json.loads(row["request"]).get("renumber"))
    name, language = str(row["name"]), str(row["language"])
    mined = treebank(files, name=name, language=language, renumber=renumber)
    counts: Counter[str] = Counter()
    for _, sentence in sentences(mined, on_bad=lambda fault: None):
        counts.update(form.lower() for form in surface_of(sentence, "merged").forms)
    return counted(counts, f"counts of the treebank {mined.name}")


def _mining(suite: Suite, suite_id: int | None, store: Store) -> Mapping[str, Any] | None:
    """The row of the mining that the suite is from, or its first item's original."""
    known = store.one("SELECT treebank_id FROM suite WHERE suite_id = ?", (suite_id,))
    original = suite.items[0].cluster_id
    treebank_id = known["treebank_id"] if known else mining_of_item(store, original)
    return load_mining(store, int(treebank_id)) if treebank_id is not None else None


def told(frequencies: Frequencies | None, items: Sequence[Item]) -> str:
    """A few words on where the frequencies are from."""
    if frequencies is not None:
        return frequencies.name
    whose = (
        "originals" if has_originals(filter(is_pair, items)) else "sentences, right and wrong alike"
    )
    return f"counts of the suite's own {whose}, in other clusters than the item's"
