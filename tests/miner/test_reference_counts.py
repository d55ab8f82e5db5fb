"""Every arc of fifty-eight treebanks against reference counts that two other programs agreed
on."""

import csv
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from colorless_green.data import Sentence
from colorless_green.data.configuration import configured
from colorless_green.miner import (
    Rule,
    count,
    search_for,
    sentences,
    tables,
    treebank,
)
from tests.builders import shared

Counted = dict[tuple[str, ...], tuple[int, int]]


def coarse(name: str) -> tuple[str, ...]:
    """Cue, target, universal relation and order of a construction."""
    direction, cue, target, relation = name.split("__")
    order = "head_second" if direction == "L" else "head_first"
    return cue, target, relation.partition(":")[0], order


def by_pos(name: str) -> tuple[str, ...]:
    """Cue, context less punctuation, and target of a construction."""
    cue, *context, target = name.partition("__")[2].split("_")
    return cue, " ".join(upos for upos in context if upos != "PUNCT"), target


WAYS: dict[str, tuple[str, tuple[str, ...], Callable[[str], tuple[str, ...]], int]] = {
    "coarse": ("agreement_coarse.tsv", ("cue", "target", "deprel", "order"), coarse, 980),
    "pos": ("agreement_constructions.tsv", ("cue", "context", "target"), by_pos, 210),
}


def expected(table: str, columns: tuple[str, ...]) -> dict[str, Counted]:
    found: dict[str, Counted] = defaultdict(dict)
    with open(shared("treebanks", table), encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            name = tuple(row[column] for column in columns)
            found[row["treebank"]][name] = (int(row["n"]), int(row["agree"]))
    return found


@pytest.mark.shared
@pytest.mark.slow
def test_constructions_have_the_reference_counts() -> None:
    """By the parts of speech of cue and target, and by all between; each treebank is read once."""
    tables_of = {by: expected(table, columns) for by, (table, columns, *_) in WAYS.items()}
    folders = [path for path in sorted(shared("treebanks").iterdir()) if path.is_dir()]
    for by, (*_, n_rows) in WAYS.items():
        assert sum(map(len, tables_of[by].values())) == n_rows
        assert {path.name for path in folders} >= tables_of[by].keys()
    for folder in folders:
        source = treebank([folder])
        read = [sentence for _, sentence in sentences(source)]
        for by, (*_, key, _) in WAYS.items():
            wanted = tables_of[by].get(folder.name, {})
            if by == "pos" and not wanted:
                continue
            found = counted(read, source.language, by, key)
            if by == "coarse":  # the table has all of thirty instances or more
                assert {name: each for name, each in found.items() if each[0] >= 30} == wanted, (
                    folder.name
                )
            for name, figures in wanted.items():
                assert found[name] == figures, (folder.name, name)


def counted(
    read: list[Sentence], language: str, by: Any, key: Callable[[str], tuple[str, ...]]
) -> Counted:
    """Instances and those that agree; of every sentence, also those that come again, and with
    values as they are written."""
    settings = {
        "repair": "none",
        "patterns": "arc",
        "filters": "none",
        "gap_in": "tokens",
        "by": by,
    }
    rule = configured(Rule, **settings)
    search = replace(search_for(rule, ["Number"], language), evidence=False)
    found: Counted = defaultdict(lambda: (0, 0))
    for each, cells in tables(count(iter(read), search).instances).items():
        n, n_agree = found[key(each.name)]
        same = sum(many for (cue, target), many in cells.items() if cue == target)
        found[key(each.name)] = (n + sum(cells.values()), n_agree + same)
    return found
